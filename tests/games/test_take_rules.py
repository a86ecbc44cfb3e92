"""The rules of take-away games: notation, moves, and the sentences for what cannot be."""

import pytest

from nimdesk.errors import NimdeskError
from nimdesk.games import parse_game, parse_position


def test_rules_are_said_in_words() -> None:
    assert parse_game("take:1,3,4:10").text == "take:{1,3,4}:10"
    assert parse_game("take:.33:10").text == "take:{1,2}:10"
    assert parse_game("take:4.0:10").text == "take:4.0:10"
    assert parse_game("take:4.0:10").rules_text == "Split a heap in two. Whoever makes the last move wins."
    assert parse_game("take:0.770:10").text == "take:0.77:10"
    assert parse_game("take:{1,3,4}:10").rules_text == "Take 1, 3 or 4 from a heap. Whoever makes the last move wins."
    assert parse_game("take:4.37:9:misere").rules_text == (
        "Take 1 from a heap and leave nothing or one heap of it; or take 2 from a heap and leave nothing, one heap or "
        "two heaps of it; or split a heap in two. Whoever makes the last move loses."
    )
    assert parse_game("take:0.77:5,7+wythoff:2,3").title == "Kayles (0.77) 5-7 + Wythoff 2-3"


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("take:0.77:4", "4-1 4-1=1+2 4-2 4-2=1+1"),
        ("take:{1,3}:2,5,5", "2-1 5-1 5-3"),
        ("take:0.6:3,1", "3-1 3-1=1+1"),
        ("take:4.1:4", "4=1+3 4=2+2"),
        ("take:wythoff:1,2", "1-1 2-1 2-2 1,2-1"),
        ("take:wythoff:2,2", "2-1 2-2 2,2-1 2,2-2"),
        ("take:{2}:3+0.1:1", "1:3-2 2:1-1"),
    ],
)
def test_moves_name_the_heap_the_take_and_what_is_left(text: str, moves: str) -> None:
    assert [move.text for move in parse_position(text).legal_moves] == moves.split()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("take:0.77:4", "take 1 from the heap of 4, leaving 1 and 2"),
        ("take:0.77:4", "take 2 from the heap of 4"),
        ("take:4.1:4", "split the heap of 4 into 1 and 3"),
        ("take:wythoff:1,2", "take 2 from the heap of 2"),
        ("take:wythoff:1,2", "take 1 from both heaps"),
        ("take:{2}:3+4.1:3", "take 2 from the heap of 3 of part 1"),
        ("take:{2}:3+4.1:3", "split the heap of 3 of part 2 into 1 and 2"),
        ("take:{2}:3+wythoff:1,2", "take 1 from both heaps of part 2"),
    ],
)
def test_a_move_is_said_in_words(text: str, words: str) -> None:
    assert words in [move.words for move in parse_position(text).legal_moves]


def test_the_rules_of_a_sum_are_numbered_as_its_parts_are() -> None:
    game = parse_game("take:{1,2}:3+wythoff:1,2")
    assert game.rules_text == (
        "Move in one part. 1: Take 1 or 2 from a heap. "
        "2: Take as many as you like from one heap, or the same number from both. Whoever makes the last move wins."
    )


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("take:0.77:5", "Click a pin, or between two; or drag from the first to the last pin that you take. "),
        ("take:{1,2}:5:misere", "Click a token to take it and all to its right. "),
        (
            "take:wythoff:1,2",
            "Click a token to take it and all to its right. Between the two rows you take as many from both. ",
        ),
    ],
)
def test_a_hint_says_what_to_do_at_the_board(text: str, hint: str) -> None:
    game = parse_game(text)
    assert game.hint == f"{hint}Whoever makes the last move {'loses' if text.endswith('misere') else 'wins'}."


def test_a_hint_for_a_list_of_moves_is_the_rules() -> None:
    for text in ("take:{1,2}:65", "take:0.77777:3,3,3,3,3"):
        game = parse_game(text)
        assert game.hint == game.rules_text


def test_a_move_changes_only_the_part_that_it_is_made_in() -> None:
    start = parse_position("take:{1,2}:3+{1,2}:3+{1,2}:3")
    boards = [start.play(start.parse_move(f"{part}:3-1")).board for part in (1, 2, 3)]
    assert boards == [((2,), (3,), (3,)), ((3,), (2,), (3,)), ((3,), (3,), (2,))]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("take:{1,2}:10,2", (" 2 ●●        ", "10 ●●●●●●●●●●")),
        ("take:{1,2}:31", ("31 left",)),
        ("take:{1}:" + ",".join("1" * 12), (" 1 ●",) * 12),
        ("take:0.77:4" + ",1" * 11 + " 4-2=1+1", ("-".join("1" * 13) + " left",)),
        ("take:{1}:1 1-1", ("0 left",)),
    ],
    ids=["few", "many tokens", "a dozen heaps", "one heap more", "none"],
)
def test_heaps_are_rows_of_tokens_while_those_can_be_counted(text: str, rows: tuple[str, ...]) -> None:
    assert parse_position(text).rows == rows


def test_equal_heaps_are_one_and_empty_ones_are_gone() -> None:
    position = parse_position("take:0.77:4,2 4-2=1+1 2-2")
    assert position.board == ((1, 1),)
    assert position.summary == "1-1 left"
    assert parse_position("take:0.77:4,2 2-2 4-2=1+1") == position
    assert parse_position("take:0.6:2 2-1").outcome is not None  # one token is left, and nobody may take it


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("take:0.77", "“take:0.77” has a rule without heaps; write take:{1,3,4}:10,12 (a rule, then heaps; "),
        ("take:0.9:3", "The rule “0.9” is not understood; write a set of takes like {1,3,4}, an octal code like 0.77"),
        ("take:{0}:4", "The takes of “{0}” must be from 1 to 99."),
        ("take:1.3:4", "An octal code begins with 0. or 4."),
        ("take:0.0:4", "This rule allows no move"),
        ("take:{1}:0", "A heap has 1 to 999 tokens"),
        ("take:{2}:1", "No move is possible in take:{2}:1; give a larger heap."),
        ("take:wythoff:3", "Wythoff's game has two heaps"),
        ("take:wythoff:3,999", "The heaps of Wythoff's game have 1 to 200 tokens."),
        ("take:0.77:9+", "“take:0.77:9+” has a rule without heaps"),
        ("take:0.77:991,992,993,994,995,996", "A heap has 1 to 999 tokens, and all have 4,999 at most"),
        ("take:0.777:991,992,993,994", "has 5,9"),
        ("take:0.77:5 5-3", "Move 1 of “take:0.77:5 5-3”: “5-3” is not a move here. Legal moves: 5-1, "),
        ("take:{1}:1 1-1 1-1", "Move 2 of “take:{1}:1 1-1 1-1”: “1-1” is not a move here: the game is over."),
    ],
)
def test_what_cannot_be_is_told_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(NimdeskError) as caught:
        parse_position(text)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("most", "one_more"),
    [
        ("+".join(["{1,2}:3"] * 4), "+".join(["{1,2}:3"] * 5)),
        ("{1,2}:" + ",".join(["3"] * 12), "{1,2}:" + ",".join(["3"] * 13)),
        ("{1,2}:999", "{1,2}:1000"),
        ("{1,2}:999,999,999,999,999,4", "{1,2}:999,999,999,999,999,5"),
        ("wythoff:200,200", "wythoff:200,201"),
        ("0.777:359,991,992,993", "0.777:360,991,992,993"),
        ("{99}:100", "{100}:101"),
        (f"{{{','.join(map(str, range(1, 33)))}}}:40", f"{{{','.join(map(str, range(1, 34)))}}}:40"),
        ("0.7777777777777777:9", "0.77777777777777777:9"),
    ],
    ids=["rules", "heaps", "tokens", "tokens-in-all", "wythoff", "first-moves", "take", "takes", "digits"],
)
def test_a_game_may_be_as_large_as_it_says_and_no_larger(most: str, one_more: str) -> None:
    assert parse_game(f"take:{most}").text == f"take:{most}"
    with pytest.raises(NimdeskError):
        parse_game(f"take:{one_more}")
