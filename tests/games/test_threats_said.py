"""What is said of wins by threats is so by the rules: their lines, the only answers, and what parries them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from nimdesk.cli.analyse import truth_json
from nimdesk.games import AnyPosition, Move, parse_position, solved
from nimdesk.games.kit import keeps_win, threats_in, win_in
from nimdesk.games.truth import ForcedWin, MoveTruth, Threats, Truth, Value, with_threats
from nimdesk.games.truth_words import danger_sentence, step_sentence, truth_sentence

BY_FOURS = "mnk:15,15,5 g8 g9 h8 g7 h7 i7 h9 h6 i9 i8 f6 g6 i6 j5 j6 j7 f9 e10 j8 g11 f8 f7"
"""From a game of nimdesk against itself: Black to move wins in 7 plies by fours."""
OPEN_THREE = "mnk:9,9,5 d5 d6 e5 a1 f5 c2 a9"


def unknown(text: str) -> Truth:
    """As a solver has it that has found nothing yet."""
    position = parse_position(text)
    return Truth(position, Value.UNKNOWN, None, tuple(MoveTruth(m, Value.UNKNOWN) for m in position.legal_moves))


def known(text: str) -> Truth:
    """What the threats alone prove."""
    truth = unknown(text)
    return with_threats(truth, threats_in(truth.position))


def forced(text: str) -> ForcedWin:
    win = known(text).forced
    assert win is not None
    return win


def along(text: str) -> Iterator[tuple[AnyPosition, Move, str]]:
    """The positions of the line, the move played there, and what is said of it."""
    position, win = parse_position(text), forced(text)
    start = position
    for step, move in enumerate(win.line(), 1):
        yield position, move, step_sentence(start, win, step)
        position = position.play(move)
    assert position.winner is win.side


def test_a_win_by_fours_is_said_with_its_plies() -> None:
    truth = known(BY_FOURS)
    assert truth_sentence(truth) == "Black wins in 7 plies by fours, beginning with e8."
    assert truth.value is Value.WIN
    assert truth.distance is None, "a shorter win may be there"
    assert [each.text for each in truth.best_moves] == ["e8"]


def test_each_four_is_said_with_its_only_answer() -> None:
    number = 0
    for position, move, said in along(BY_FOURS):
        number += 1
        if number % 2 == 0:
            assert said == f"{number} of 7: White answers with {move.text}."
            continue
        after = position.play(move)
        if after.winner is not None:
            assert said == f"{number} of 7: {move.text} wins."
            continue
        stops = [each.text for each in after.legal_moves if not after.play(each).winning_moves]
        does = f"{number} of 7: {move.text} threatens to complete a row"
        only = f"{does}; the only answer is {' '.join(stops)}." if stops else f"{does}, and no answer stops it."
        assert said == only
    assert number == 7


def test_beside_a_proven_distance_it_is_said_which_move_wins_by_threats() -> None:
    truth = known(BY_FOURS)
    moves = tuple(MoveTruth(each.move, each.value, 7 if each.value is Value.WIN else None) for each in truth.moves)
    exact = Truth(truth.position, Value.WIN, 7, moves, threats=truth.threats)
    assert truth_sentence(exact) == "Black can win in 7 plies, with e8; e8 begins a win by fours."


def test_where_the_solver_is_at_a_loss_the_truth_has_the_win_by_threats() -> None:
    truth, done = solved(parse_position(BY_FOURS), 0.3)
    assert not done
    assert truth.forced == forced(BY_FOURS)
    assert truth.value is Value.WIN
    assert "Not proven" not in truth.explanation


def test_a_threat_is_said_with_all_that_parries_it() -> None:
    truth = known(OPEN_THREE)
    assert truth_sentence(truth) == (
        "Black threatens to win in 3 plies by fours, beginning with c5; only c5 and g5 leave it no win by threats."
    )
    for each in truth.moves:
        after = truth.position.play(each.move)
        if each.move.text[1:] == "5" or each.move.text in ("a2", "d7", "i9"):
            fours = [after.play(move) for move in after.legal_moves if move.text[1:] == "5"]
            open_four = any(all(four.play(reply).winning_moves for reply in four.legal_moves) for four in fours)
            assert (each.value is Value.LOSS) is open_four
    assert sum(each.value is Value.LOSS for each in truth.moves) == len(truth.moves) - 2


def test_where_nothing_parries_the_position_is_lost() -> None:
    lost = f"{BY_FOURS} e8 d8 h11 h10 g10"
    truth = known(lost)
    assert truth.value is Value.LOSS
    assert (
        danger_sentence(truth.position, truth.threats)
        == "Black threatens to complete a row; every move leaves it a win by threats."
    )


def test_a_win_stays_proven_after_its_own_moves_alone() -> None:
    position = parse_position(BY_FOURS)
    kept = [text for text in ("h11", "a1") if keeps_win(position, position.parse_move(text))]
    assert kept == ["h11"], "another four, by which the same row is completed"


def test_the_first_move_of_a_long_win_keeps_it() -> None:
    position = parse_position("mnk:15,15,5 i9 h9 j6 i10 h8 j10 g8 i8 h10 j8")
    win = win_in(position)
    assert win is not None
    assert win.plies > 20
    assert keeps_win(position, win.start.move)


def test_programs_are_told_the_line_with_all_answers() -> None:
    told = json.loads(json.dumps(truth_json(known(BY_FOURS))))["threats"]
    assert told["win"]["by"] == "fours"
    assert told["win"]["line"] == [move.text for move in forced(BY_FOURS).line()]
    assert told["win"]["threats"][0] == {"move": "e8", "answers": ["d8"]}
    assert (told["danger"], told["parries"]) == (None, None)
    assert json.loads(json.dumps(truth_json(known(OPEN_THREE))))["threats"]["parries"] == ["c5", "g5"]


@pytest.mark.parametrize("text", ["nim:3,4,5", "mnk:3,3,3 b2", "mnk:7,6,4:gravity d1", "mnk:9,9,5 e5"])
def test_a_quiet_position_and_a_game_without_threats_have_none(text: str) -> None:
    assert threats_in(parse_position(text)) is None
    assert with_threats(unknown(text), None) == unknown(text)


def test_nothing_is_said_where_nothing_is_threatened() -> None:
    assert danger_sentence(parse_position("mnk:15,15,5 h8"), None) == ""
    assert danger_sentence(parse_position("mnk:15,15,5 h8"), Threats(forced(BY_FOURS))) == ""
