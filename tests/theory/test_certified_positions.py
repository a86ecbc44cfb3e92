"""The position of a certificate: named, printed, and the very one that is proven."""

import random
from pathlib import Path
from threading import Event

import pytest
from certifying import alone, claims, made, sealed, unpacked
from solving import BruteForce, solve

from nimdesk.disk.paths import resources_dir
from nimdesk.errors import NotationError
from nimdesk.games import MnkGame, parse_position
from nimdesk.games.certificates import certificate_name
from nimdesk.games.mnk import verify
from nimdesk.games.mnk.replay import MnkCertificate
from nimdesk.games.truth import Value

VALUES = {None: Value.DRAW, 0: Value.WIN, 1: Value.LOSS}
"""What a winner is for the first side."""
SHIPPED = sorted((resources_dir() / "certificates").iterdir())


def read_for_a_game(data: bytes) -> MnkCertificate:
    return MnkCertificate(data, Event())


def test_the_position_is_named_with_its_board_and_the_side_to_move(tmp_path: Path) -> None:
    path = tmp_path / "proof"
    path.write_bytes(made("mnk:4,3,3 a1 b2 d3"))
    code, out = alone(path)
    claim, *board = out.splitlines()
    assert (code, claim.partition(" (")[0]) == (0, "Proven: mnk:4,3,3 a1 b2 d3 is won by the second side")
    assert board == [
        "",
        "   3 . . . X",
        "   2 . O . .",
        "   1 X . . .",
        "     a b c d",
        "O, the second side, is to move.",
    ]


@pytest.mark.parametrize(
    ("proven", "named", "problem"),
    [
        ("mnk:3,3,3 a1 b1", "mnk:3,3,3 a1 b2", "its marks are not those of the position that it names"),
        ("mnk:3,3,3 a1 b1", "mnk:3,3,3 b1 a1", "its marks are not those of the position that it names"),
        ("mnk:3,3,3 a1 b1", "mnk:3,3,3 a1", "its marks are not those of the position that it names"),
        ("mnk:3,3,3 a1 b1", "mnk:3,3,3 a1 b1 c1", "its marks are not those of the position that it names"),
        ("mnk:3,3,3 a1 b1", "mnk:3,3,3 a1 a1", "move 2 of the position that it names cannot be played"),
        ("mnk:3,3,3 a1 b1", "mnk:3,3,3 a1 d1", "move 2 of the position that it names cannot be played"),
        ("mnk:3,3,3 a1 b1", "mnk:3,3,3 a1 b", "move 2 of the position that it names cannot be played"),
        ("mnk:3,3,3 a1 b1", "mnk:3,3,3 a1 b1 pass", "move 3 of the position that it names cannot be played"),
        ("mnk:3,3,3 a1 b1", "mnk:4,3,3 a1 b1", "the position that it names is none of mnk:3,3,3"),
        ("mnk:3,3,3 a1 b1", "mnk:3,3,3:gravity a1 b1", "the position that it names is none of mnk:3,3,3"),
        ("mnk:3,3,3 a1 b1", "nonsense", "the position that it names is none of mnk:3,3,3"),
        ("mnk:3,3,3 a1 b1", "", "the position that it names is none of mnk:3,3,3"),
        ("mnk:3,3,3 a1 b1", None, "the position that it names is none of mnk:3,3,3"),
        ("mnk:3,3,3 a1 b1", ["mnk:3,3,3"], "the position that it names is none of mnk:3,3,3"),
        ("mnk:3,3,3", "mnk:3,3,3 a1 b1 a2 b2 a3", "the game is over with move 5 of the position that it names"),
        ("mnk:3,3,3", "mnk:3,3,3 a1 b1 a2 b2 a3 b3", "the game is over with move 5 of the position that it names"),
        ("mnk:4,4,3:gravity a1 b1", "mnk:4,4,3:gravity", "its marks are not those of the position that it names"),
        ("mnk:4,4,3:gravity a1 b1", "mnk:4,4,3:gravity d1 d2", "its marks are not those of the position that it names"),
        ("mnk:4,4,3:gravity a1 b1", "mnk:4,4,3 a1 b1", "the position that it names is none of mnk:4,4,3:gravity"),
        ("mnk:4,3,3:exact", "mnk:4,3,3", "the position that it names is none of mnk:4,3,3:exact"),
        ("mnk:4,3,3", "mnk:4,3,3:exact", "the position that it names is none of mnk:4,3,3"),
        ("mnk:4,4,3:gravity a1 b1", "mnk:4,4,3:gravity a1 b2", "move 2 of the position that it names cannot be played"),
    ],
)
def test_a_certificate_of_another_position_than_it_names_is_not_proven(
    proven: str, named: object, problem: str, tmp_path: Path
) -> None:
    """Neither by the checker nor for a game, and both say the same."""
    path = tmp_path / "proof"
    path.write_bytes(sealed({**unpacked(made(proven)), "position": named}))
    assert alone(path) == (1, f"NOT PROVEN: {problem}.\n")
    with pytest.raises(NotationError) as told:
        read_for_a_game(path.read_bytes())
    assert str(told.value) == f"This certificate is not valid: {problem}."


@pytest.mark.parametrize(
    ("proven", "named"),
    [
        ("mnk:4,3,3 b2", " mnk:4,3,3  B2 "),
        ("mnk:4,4,4:gravity a1 b1 c1 a2", "mnk:4,4,4:gravity a B1 C a"),
        ("mnk:4,4,4:gravity a1 b1 c1 a2", "mnk:4,4,4:gravity c1 b1 a1 a2"),
    ],
)
def test_the_notation_is_that_of_nimdesk_and_the_order_of_moves_is_free(proven: str, named: str) -> None:
    content = {**unpacked(made(proven)), "position": named}
    position = parse_position(named)
    assert claims(content).startswith(f"{position.text} is ")
    assert read_for_a_game(sealed(content)).start == position


def test_no_position_is_named_for_a_proven_one_of_another_value() -> None:
    """Each certificate of a position with two marks of 3,3,3, with the name of each other such position."""
    brute, moves = BruteForce(MnkGame(3, 3, 3)), [move.text for move in MnkGame(3, 3, 3).start().legal_moves]
    texts = [f"mnk:3,3,3 {one} {other}" for one in moves for other in moves if one != other]
    chance = random.Random(4)
    for text in chance.sample(texts, 6):
        content = unpacked(made(text))
        value = 0 if content["winner"] is None else 1
        assert brute.of(parse_position(text))[0][0] == value
        accepted = []
        for named in texts:
            try:
                accepted.append(claims({**content, "position": named}).partition(" is ")[0])
            except verify.WrongError:
                continue
        assert accepted == [text]


@pytest.mark.parametrize(
    ("text", "marks", "words"),
    [
        ("mnk:4,3,3", [], "mnk:4,3,3 is won by the first side"),
        ("mnk:4,3,3 b2", ["b2"], "mnk:4,3,3 with the marks b2 of the first and none of the second side is won by"),
        (
            "mnk:4,4,4:gravity a1 b1 c1 a2",
            ["a1 c1", "b1 a2"],
            "mnk:4,4,4:gravity with the marks a1 c1 of the first and b1 a2 of the second side is a draw",
        ),
    ],
)
def test_without_a_name_it_is_the_position_of_the_marks_which_is_said(text: str, marks: list[str], words: str) -> None:
    content = unpacked(made(text))
    del content["position"]
    assert claims(content).startswith(words)
    if marks:
        with pytest.raises(NotationError, match="has marks, but names no position to play from"):
            read_for_a_game(sealed(content))
    else:
        assert read_for_a_game(sealed(content)).start == parse_position(text)


@pytest.mark.parametrize(
    ("game", "marks", "problem"),
    [
        ("mnk:4,4,3:gravity", [[5], [0]], "marks are in the air: b2"),
        ("mnk:4,4,3:gravity", [[12], [13]], "marks are in the air: a4 b4"),
        ("mnk:4,4,3:gravity", [[0, 1, 6], [2, 3, 11]], "marks are in the air: d3"),
        ("mnk:4,4,3", [[0], [0]], "the marks of the two sides do not fit"),
        ("mnk:4,4,3", [[0, 0], [1]], "the marks of the two sides do not fit"),
        ("mnk:4,4,3", [[0, 1], [2]], "the marks of the two sides do not fit"),
        ("mnk:4,4,3", [[0, 1, 2], [4, 5, 7]], "the game is over"),
        ("mnk:2,2,3", [[0, 1], [2, 3]], "the game is over"),
        ("mnk:4,4,2:exact", [[0, 1], [2, 3]], "the game is over"),
        ("mnk:4,4,2:exact", [[0, 1, 2], [4, 6, 15]], "a proof is missing"),  # three in a row, and nobody has won
    ],
)
def test_marks_that_the_rules_do_not_allow_are_refused(game: str, marks: list[list[int]], problem: str) -> None:
    m, n, k = map(int, game[4:9].split(","))
    flags = {"gravity": "gravity" in game, **({"exact": True} if "exact" in game else {})}
    content = {"m": m, "n": n, "k": k, **flags, "turn": 0, "marks": marks, "winner": None}
    with pytest.raises(verify.WrongError) as told:
        claims({**content, "proofs": [], "positions": []})
    assert str(told.value) == problem


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_those_that_come_along_are_proven_with_their_values(path: Path) -> None:
    content = verify.read(path.read_bytes())
    assert verify.check(content).startswith(f"{content['position']} is ")
    position = parse_position(content["position"])
    assert path.name == certificate_name(position.text)
    if position.game.m * position.game.n <= 30:
        assert VALUES[content["winner"]] is solve(position, 60.0).value


def test_that_k_alone_wins_is_part_of_what_is_proven() -> None:
    """A draw of an empty board needs a proof for either side then; and a line that is too long wins nothing."""
    drawn = unpacked(made("mnk:6,2,3:exact"))
    assert len(drawn["proofs"]) == 2
    with pytest.raises(verify.WrongError, match="a proof is missing"):
        claims({**drawn, "proofs": drawn["proofs"][1:]})
    # Three and one with a gap between them: five in a row once it is filled, with any certificate of four in a row.
    won = unpacked(made("mnk:6,2,4 a1 a2 b1 b2 c1 f2 e1 e2"))
    assert "is won by the first side" in claims(won)
    with pytest.raises(verify.WrongError, match=r"has no strategy|nothing answers|position|nobody has won"):
        claims({"exact": True, **won, "position": won["position"].replace("mnk:6,2,4", "mnk:6,2,4:exact")})
    with pytest.raises(verify.WrongError, match="it does not name a board"):
        claims({"exact": 1, **won})
