"""Notation: what is accepted, and that everything else gives one short sentence with the bad part and what is allowed.

The notation is lower case; only the columns' letters may be typed as capitals, as gomoku books print them.
"""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nimdesk.errors import GameParameterError, IllegalMoveError, NimdeskError, NotationError
from nimdesk.games import NimGame, NimMove, parse_game, parse_position

ACCEPTED = [
    ("nim:3", "nim:3"),
    ("  nim:3\t", "nim:3"),
    ("nim:007,03", "nim:7,3"),
    ("nim:21:max3:misere", "nim:21:max3:misere"),
    ("nim:21:misere:max3", "nim:21:max3:misere"),
    ("nim:3:max127", "nim:3:max127"),
    ("mnk:7,6,4:gravity", "mnk:7,6,4:gravity"),
    ("mnk:15,15,5:exact", "mnk:15,15,5:exact"),
    ("mnk:7,6,4:exact:gravity", "mnk:7,6,4:gravity:exact"),
    ("mnk:19,1,19", "mnk:19,1,19"),
    ("nim:5 2 1-3", "nim:5 1-2 1-3"),
    ("nim:3,4   2-4\n1-01", "nim:3,4 2-4 1-1"),
    ("mnk:3,3,3 B2 a1 C03", "mnk:3,3,3 b2 a1 c3"),
    ("mnk:20,20,5 T20 k10", "mnk:20,20,5 t20 k10"),
    ("mnk:7,6,4:gravity d D d3 g", "mnk:7,6,4:gravity d1 d2 d3 g1"),
]

HELP = "write nim:1,3,5,7 or mnk:3,3,3 or take:{1,3,4}:10,12"
PILES = "give the pile sizes, each 1 to 127, like 1,3,5,7."
SIZES = "give columns, rows and how many in a row, each 1 to 20, like 3,3,3."
FLAGS = ":max3 and :misere may follow the piles."
NIM_MOVE = "is not a move of Nim; write the pile's number and how many to take, like 2-3."
MNK_MOVE = "is not a move on this board; write the column's letter and the row's number, like b2."

# text, class of the error, the bad part as the message names it, what the message says is allowed
REFUSED: list[tuple[str, type[NimdeskError], str, str]] = [
    ("", NotationError, "The position is empty", HELP),
    (" \t\n", NotationError, "The position is empty", HELP),
    ("nim", NotationError, "“nim”", HELP),
    ("nim:", NotationError, "“nim:”", HELP),
    ("nim: 3,4", NotationError, "“nim:”", HELP),
    ("mnk", NotationError, "“mnk”", HELP),
    ("mnk:", NotationError, "“mnk:”", HELP),
    ("chess", NotationError, "“chess”", HELP),
    ("chess:8,8", NotationError, "“chess:8,8”", HELP),
    ("NIM:3", NotationError, "“NIM:3”", HELP),
    ("Mnk:3,3,3", NotationError, "“Mnk:3,3,3”", HELP),
    ("nïm:3", NotationError, "“nïm:3”", HELP),
    ("1,3,5,7", NotationError, "“1,3,5,7”", HELP),
    # piles
    ("nim::max3", NotationError, "“” in “nim::max3”", PILES),
    ("nim:a", NotationError, "“a” in “nim:a”", PILES),
    ("nim:3,", NotationError, "“3,” in “nim:3,”", PILES),
    ("nim:3, 4", NotationError, "“3,” in “nim:3,”", PILES),
    ("nim:3,,4", NotationError, "“3,,4” in “nim:3,,4”", PILES),
    ("nim:3;4", NotationError, "“3;4” in “nim:3;4”", PILES),
    ("nim:1.5", NotationError, "“1.5” in “nim:1.5”", PILES),
    ("nim:1e1", NotationError, "“1e1” in “nim:1e1”", PILES),
    ("nim:+3", NotationError, "“+3” in “nim:+3”", PILES),
    ("nim:--3", NotationError, "“--3” in “nim:--3”", PILES),
    ("nim:−3", NotationError, "“−3” in “nim:−3”", PILES),
    ("nim:١,٢", NotationError, "“١,٢” in “nim:١,٢”", PILES),
    ("nim:３", NotationError, "“３” in “nim:３”", PILES),
    ("nim:3²", NotationError, "“3²” in “nim:3²”", PILES),
    ("nim:-3", GameParameterError, "Pile 1 has -3 sticks", "a pile holds 1 to 127."),
    ("nim:3,0", GameParameterError, "Pile 2 has 0 sticks", "a pile holds 1 to 127."),
    ("nim:128", GameParameterError, "Pile 1 has 128 sticks", "a pile holds 1 to 127."),
    ("nim:999999999", GameParameterError, "Pile 1 has 999999999 sticks", "a pile holds 1 to 127."),
    ("nim:9999999999", GameParameterError, "“9999999999” has too many digits", PILES),
    ("nim:-9999999999", GameParameterError, "“-9999999999” has too many digits", PILES),
    ("nim:1,1,1,1,1,1,1,1,1,1,1,1,1", GameParameterError, "1 to 12 piles, not 13", "like 1,3,5,7."),
    # what follows the piles
    ("nim:3:", NotationError, "“:” in “nim:3:”", FLAGS),
    ("nim:3:foo", NotationError, "“:foo” in “nim:3:foo”", FLAGS),
    ("nim:3:max", NotationError, "“:max” in “nim:3:max”", FLAGS),
    ("nim:3:maxx", NotationError, "“:maxx” in “nim:3:maxx”", FLAGS),
    ("nim:3:max٣", NotationError, "“:max٣” in “nim:3:max٣”", FLAGS),
    ("nim:3:MAX2", NotationError, "“:MAX2” in “nim:3:MAX2”", FLAGS),
    ("nim:3:misère", NotationError, "“:misère” in “nim:3:misère”", FLAGS),
    ("nim:3:max2:max2", NotationError, "“:max2” in “nim:3:max2:max2”", FLAGS),
    ("nim:3:misere:misere", NotationError, "“:misere” in “nim:3:misere:misere”", FLAGS),
    ("nim:3:gravity", NotationError, "“:gravity” in “nim:3:gravity”", FLAGS),
    ("nim:3:max0", GameParameterError, "The largest take is 0", "it may be 1 to 127, or left out for no limit."),
    ("nim:3:max-1", GameParameterError, "The largest take is -1", "it may be 1 to 127, or left out for no limit."),
    ("nim:3:max128", GameParameterError, "The largest take is 128", "it may be 1 to 127, or left out for no limit."),
    # boards
    ("mnk:a,b,c", NotationError, "“a,b,c” in “mnk:a,b,c”", SIZES),
    ("mnk:3x3x3", NotationError, "“3x3x3” in “mnk:3x3x3”", SIZES),
    ("mnk:٣,٣,٣", NotationError, "“٣,٣,٣” in “mnk:٣,٣,٣”", SIZES),
    ("mnk:3,3,9999999999", GameParameterError, "“9999999999” has too many digits", SIZES),
    ("mnk:3", GameParameterError, "“mnk:3” gives 1 number;", "an m,n,k game needs three, like mnk:3,3,3."),
    ("mnk:3,3", GameParameterError, "“mnk:3,3” gives 2 numbers;", "an m,n,k game needs three, like mnk:3,3,3."),
    ("mnk:3,3,3,3", GameParameterError, "“mnk:3,3,3,3” gives 4", "an m,n,k game needs three, like mnk:3,3,3."),
    ("mnk:21,3,3", GameParameterError, "The number of columns (m) is 21", "it may be 1 to 20."),
    ("mnk:3,0,3", GameParameterError, "The number of rows (n) is 0", "it may be 1 to 20."),
    ("mnk:3,-3,3", GameParameterError, "The number of rows (n) is -3", "it may be 1 to 20."),
    ("mnk:3,4,21", GameParameterError, "The number of marks in a row (k) is 21", "it may be 1 to 20."),
    ("mnk:3,3,0", GameParameterError, "The number of marks in a row (k) is 0", "it may be 1 to 20."),
    ("mnk:3,3,3:", NotationError, "“:” in “mnk:3,3,3:”", ":gravity and :exact may follow."),
    ("mnk:3,3,3:misere", NotationError, "“:misere” in “mnk:3,3,3:misere”", ":gravity and :exact may follow."),
    ("mnk:3,3,3:Gravity", NotationError, "“:Gravity” in “mnk:3,3,3:Gravity”", ":gravity and :exact may follow."),
    ("mnk:3,3,3:gravity:gravity", NotationError, "“:gravity:gravity” in", ":gravity and :exact may follow."),
    ("mnk:3,3,3:exact:exact", NotationError, "“:exact:exact” in", ":gravity and :exact may follow."),
    # moves
    ("nim:3,4 1", NotationError, "Move 1 of “nim:3,4 1”: “1”", NIM_MOVE),
    ("nim:3,4 1-1 foo", NotationError, "Move 2 of “nim:3,4 1-1 foo”: “foo”", NIM_MOVE),
    ("nim:3,4 1-", NotationError, "“1-”", NIM_MOVE),
    ("nim:3,4 -1", NotationError, "“-1”", NIM_MOVE),
    ("nim:3,4 1--1", NotationError, "“1--1”", NIM_MOVE),
    ("nim:3,4 1-1-1", NotationError, "“1-1-1”", NIM_MOVE),
    ("nim:3,4 ١-١", NotationError, "“١-١”", NIM_MOVE),
    ("nim:3 ١", NotationError, "“١”", NIM_MOVE),
    ("nim:3,4 b2", NotationError, "“b2”", NIM_MOVE),
    ("nim:3,4 1-99999", NotationError, "“1-99999”", NIM_MOVE),
    ("nim:3,4 1-4", IllegalMoveError, "The move 1-4 is not legal here: pile 1 has 3 sticks", "Legal moves: 1-1, 1-2,"),
    ("nim:3,4 0-1", IllegalMoveError, "The move 0-1 is not legal here: the piles are 1 to 2", "Legal moves: 1-1,"),
    ("nim:3 2-1", IllegalMoveError, "The move 2-1 is not legal here: there is only pile 1", "1-1, 1-2, 1-3."),
    ("nim:3 3 1", IllegalMoveError, "Move 2 of “nim:3 3 1”: The move 1-1", "the game is over."),
    ("mnk:3,3,3 b", NotationError, "Move 1 of “mnk:3,3,3 b”: “b”", MNK_MOVE),
    ("mnk:3,3,3 22", NotationError, "“22”", MNK_MOVE),
    ("mnk:3,3,3 2b", NotationError, "“2b”", MNK_MOVE),
    ("mnk:3,3,3 b-2", NotationError, "“b-2”", MNK_MOVE),
    ("mnk:3,3,3 b2000", NotationError, "“b2000”", MNK_MOVE),
    ("mnk:3,3,3 b٢", NotationError, "“b٢”", MNK_MOVE),
    ("mnk:19,19,5 \N{KELVIN SIGN}1", NotationError, "“\N{KELVIN SIGN}1”", MNK_MOVE),
    ("mnk:20,20,5 u1", NotationError, "“u1”", MNK_MOVE),
    ("mnk:3,3,3 1-1", NotationError, "“1-1”", MNK_MOVE),
    (
        "mnk:3,3,3 d1",
        IllegalMoveError,
        "The move d1 is not legal here: the board goes from a1 to c3",
        "a1, b1, c1, a2,",
    ),
    (
        "mnk:3,3,3 A0",
        IllegalMoveError,
        "The move a0 is not legal here: the board goes from a1 to c3",
        "a1, b1, c1, a2,",
    ),
    (
        "mnk:3,3,3 a1 a1",
        IllegalMoveError,
        "Move 2 of “mnk:3,3,3 a1 a1”: The move a1",
        "the cell is taken. Legal moves: b1",
    ),
    ("mnk:9,9,5 j1", IllegalMoveError, "The move j1 is not legal here", "i1, a2, … (81 in all)."),
    (
        "mnk:3,3,3:gravity a2",
        IllegalMoveError,
        "The move a2",
        "a mark dropped there lands on a1. Legal moves: a1, b1, c1.",
    ),
    ("mnk:2,1,2:gravity a a", IllegalMoveError, "The move a1", "column a is full. Legal moves: b1."),
    ("mnk:2,1,2:gravity c", IllegalMoveError, "The move c1", "the board goes from a1 to b1. Legal moves: a1, b1."),
    ("mnk:1,1,1 a1 a1", IllegalMoveError, "Move 2 of “mnk:1,1,1 a1 a1”: The move a1", "the game is over."),
]


@pytest.mark.parametrize(("text", "canonical"), ACCEPTED)
def test_accepted_and_written_back_in_the_one_canonical_form(text: str, canonical: str) -> None:
    assert parse_position(text).text == canonical


@pytest.mark.parametrize(
    ("text", "error", "bad_part", "allowed"), REFUSED, ids=[case[0] or "empty" for case in REFUSED]
)
def test_refused_with_the_bad_part_and_what_is_allowed(
    text: str, error: type[NimdeskError], bad_part: str, allowed: str
) -> None:
    with pytest.raises(NimdeskError) as caught:
        parse_position(text)
    message = str(caught.value)
    assert type(caught.value) is error
    assert bad_part in message
    assert allowed in message
    assert message.endswith(".")
    assert "\n" not in message
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("text", ["nim:3 1-1", "mnk:3,3,3 b2"])
def test_moves_do_not_belong_to_a_game(text: str) -> None:
    with pytest.raises(NimdeskError):
        parse_game(text)


@pytest.mark.parametrize(
    ("game", "text"),
    [("nim:3,4", ""), ("nim:3,4", "   "), ("nim:3", ""), ("mnk:3,3,3", ""), ("mnk:3,3,3:gravity", " ")],
)
def test_an_empty_move_is_refused(game: str, text: str) -> None:
    with pytest.raises(NotationError, match="is not a move"):
        parse_position(game).parse_move(text)


LONG = 200_000
LONG_TEXTS = [
    "x" * LONG,
    "nim:" + "9" * LONG,
    "nim:-" + "9" * LONG,
    "nim:" + "1," * LONG,
    "nim:" + "1," * LONG + "1",
    "nim:3:max" + "9" * LONG,
    "nim:3" + ":misere" * LONG,
    "nim:3:" + "y" * LONG,
    "mnk:" + "3," * LONG + "3",
    "mnk:3,3," + "3" * LONG,
    "mnk:3,3,3" + ":gravity" * LONG,
    "nim:3 " + "1" * LONG,
    "nim:3,4 1-" + "1" * LONG,
    "nim:3" + " 1" * LONG,
    "mnk:3,3,3 " + "b" * LONG,
    "mnk:3,3,3 b" + "2" * LONG,
    "mnk:3,3,3" + " a1" * LONG,
    "mnk:3,3,3 b2 " + "\N{GRINNING FACE}" * LONG,
]


@pytest.mark.parametrize("text", LONG_TEXTS, ids=[text[:14] for text in LONG_TEXTS])
def test_long_nonsense_is_refused_in_a_short_sentence(text: str) -> None:
    """Also quick, or this test would not end: 10^5 moves or digits are looked at once at most."""
    with pytest.raises(NimdeskError) as caught:
        parse_position(text)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("text", ["a\x1b[31mb", "a\x00b", "nim:3:\u202emax", "mnk:3,3,3 b2\ud800", "nim:3\x85\x07"])
def test_an_error_can_be_printed_anywhere(text: str) -> None:
    """No escape sequence, no lone surrogate, no direction override, no line break reaches a terminal or a label."""
    with pytest.raises(NimdeskError) as caught:
        parse_position(text)
    message = str(caught.value)
    assert message.isprintable()
    message.encode("utf-8")


TOKENS = ["nim:", "mnk:", "nim:3,4", "mnk:3,3,3", ":max2", ":misere", ":gravity", " 1-1", " 2-3", " a1", " b2", " c"]
TOKENS += ["nim", ":", ",", "-", "0", "1", "2", "3", "99", "a", "C", "٣", " ", "\n", "\x00"]


@settings(max_examples=300)
@given(st.lists(st.sampled_from(TOKENS), max_size=8).map("".join) | st.text(max_size=20))
@example("nim:3,4 2-4 1-3")
@example("mnk:1,1,1 a1")
def test_any_text_is_a_position_or_one_printable_sentence(text: str) -> None:
    refusal, position = None, None
    try:
        position = parse_position(text)
    except NimdeskError as error:
        refusal = str(error)
    if position is not None:
        assert parse_position(position.text) == position
    else:
        assert refusal is not None
        assert refusal.isprintable()
        assert refusal.endswith(".")


@settings(max_examples=200)
@given(
    st.sampled_from(["nim:3,4", "nim:9", "mnk:5,5,4", "mnk:3,3,3:gravity"]),
    st.from_regex(r"[a-fA-F0-9]?-?[0-9]{1,2}", fullmatch=True) | st.text(max_size=6),
)
@example("nim:9", "4")
@example("mnk:5,5,4", "E5")
def test_any_text_is_a_legal_move_or_one_printable_sentence(game: str, text: str) -> None:
    position, refusal, move = parse_position(game), "", None
    try:
        move = position.parse_move(text)
    except NimdeskError as error:
        refusal = str(error)
    assert (move in position.legal_moves) != (refusal.isprintable() and refusal.endswith("."))


def test_numbers_are_checked_before_a_move_is_made_of_them() -> None:
    position = NimGame((64,)).start()
    assert position.parse_move("1-64") == position.parse_move("64") == NimMove(0, 64)
    with pytest.raises(IllegalMoveError):
        position.parse_move("65")
