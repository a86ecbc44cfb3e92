"""The reader itself: it takes every template apart again, judges each of them, and finds what is false."""

import pytest
from games import ENDS, SUMMARIES
from judge import Judge
from oracle import known
from reader import UnreadError, read, sentences
from sentences import CHECKS, About, judge_text

SCORES = ("score", "score there")
"""Read where a bar or a graph shows them."""


def test_every_sentence_that_there_is_is_compared_with_the_truth() -> None:
    assert set(sentences()) == {*CHECKS, *ENDS, *SUMMARIES, *SCORES}


@pytest.mark.parametrize(
    "text",
    [
        "X wins at once with a2; b2 wins more slowly, or so.",
        "X should win.",
        "X wins at once with a2 b2 wins more slowly.",
        "Proven after 3 simulations: with best play the side to move hopes.",
    ],
)
def test_a_sentence_without_a_template_is_not_read(text: str) -> None:
    with pytest.raises(UnreadError):
        read(text)


WON = "mnk:3,3,3 a1 b3 a3 c1 c2 b1"  # X: a2 wins at once, b2 in 3, c3 loses
LOST = "nim:1,2,3,4:max3:misere"  # 2-2 and 3-3 lose in 5, the other seven in 7
DRAWN = "mnk:3,3,3 a1"  # b2 alone draws


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (WON, "X wins at once with a2; b2 wins more slowly.", "X wins at once with a2 or b2."),
        (WON, "X wins at once with a2; b2 wins more slowly.", "X wins at once with a2."),
        (WON, "X wins at once with a2; b2 wins more slowly.", "O wins at once with a2; b2 wins more slowly."),
        (WON, "X wins at once with a2; b2 wins more slowly.", "X can win in 3 plies, with b2."),
        (WON, "b2 keeps the win, in 3 plies; a2 would win at once.",
         "b2 keeps the win, in 5 plies; a2 would win at once."),
        (WON, "c3 turned a win into a loss; a2 or b2 kept it.", "c3 turned a win into a draw; a2 or b2 kept it."),
        (WON, "c3 threw away the win: a2 (or 1 other move) kept it. Now it is a loss.",
         "c3 threw away the win: a2 kept it. Now it is a loss."),
        (WON, "Proven after 7 simulations: with best play the side to move wins.",
         "Proven after 7 simulations: with best play the side to move draws."),
        (WON, "Level 1 has proven that it wins.", "Level 1 has proven that it loses."),
        (WON, "Hint: a2 (proven: it wins in 1).", "Hint: a2 (proven: it wins in 3)."),
        (WON, "Winning moves: a2 (win in 1), b2 (win in 3).", "Winning move: a2 (win in 1)."),
        (LOST, "Second can win in 7 plies, whatever First plays; 7 of its 9 moves hold out longest.",
         "Second can win in 7 plies, whatever First plays; 2-2 holds out longest."),
        (LOST, "1-1 is one of 7 moves that hold out longest.", "1-1 holds out longest."),
        (LOST, "1-1 is one of 7 moves that hold out longest.",
         "1-1 is one of 7 moves that hold out longest, as far as proven."),
        (LOST, "1-1 loses, as every move here did.", "1-1 keeps the win."),
        (LOST, "Every move loses.", "No move is proven to win."),
        (DRAWN, "A draw if both play well; O holds it with b2.", "A draw if both play well; O holds it with any move."),
        (DRAWN, "Depth 8: b2, proven draw; 3 nodes.", "Depth 8: b2, proven win for X in 7; 3 nodes."),
        (DRAWN, "The leader is optimal.", "That is a mistake (loss in 8): b2 holds the draw."),
        ("nim:3,4,5", "The nim-sum is 2, as not all of these are even; to make it 0, take 2 from pile 1.",
         "The nim-sum is 2, as not all of these are even; to make it 0, take 1 from pile 1."),
    ],
)  # fmt: skip
def test_a_true_sentence_is_right_and_a_false_one_is_not(text: str, right: str, wrong: str) -> None:
    at, played = known(text), {WON: "c3", LOST: "1-1", DRAWN: "b2"}.get(text, "")
    for sentence, faults in ((right, 0), (wrong, 1)):
        move = sentence.split()[0] if sentence.split()[0] in at.moves else played
        move = "a2" if sentence.startswith("Hint") else move
        judge = Judge()
        judge_text(judge, at, sentence, About(move))
        assert len(judge.faults) >= faults if faults else not judge.faults


def test_a_line_that_gives_a_proven_value_away_is_found() -> None:
    judge, at = Judge(), known("take:0.77:9,6 6-1=2+3 9-1=4+4 4-2=1+1")
    judge.line("line", at, ["2-1", "3-1=1+1"])
    assert not judge.faults
    judge.line("line", at, ["2-1", "3-2", "4-1"])
    assert len(judge.faults) == 1
