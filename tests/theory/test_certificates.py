"""Certificates of wins and draws: written by the solver, checked by a program that shares nothing with it."""

import ast
import json
import random
import re
import sys
from pathlib import Path
from subprocess import run
from threading import Event
from typing import Any

import pytest
from certifying import CHECKER, alone, claims, made, unpacked
from solving import BruteForce

from nimdesk.errors import GameParameterError
from nimdesk.games import MnkGame, MnkPosition, parse_position
from nimdesk.games.mnk import verify
from nimdesk.games.mnk.certificate import certificate

BY_FOURS = "i8 k10 g9 m10 k9 l9 l10 m8 j11 j7 k8 m7 m11 j8 k7 j6 j5 m6 m9 k6 o13 n12 i6"
"""A win in nine plies, each second one a four."""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("mnk:5,5,5", "a draw"),
        ("mnk:7,6,5", "a draw"),
        ("mnk:6,6,5 c3 d4 d3 c4 b2", "a draw"),
        ("mnk:3,3,3", "a draw"),
        ("mnk:5,5,4", "a draw"),
        ("mnk:6,5,4", "won by the first side"),
        ("mnk:4,3,3 a1 b2 d3", "won by the second side"),
        ("mnk:5,3,3:gravity", "won by the first side"),
        ("mnk:4,3,3 b2", "won by the first side"),
        ("mnk:4,4,4:gravity a1 b1 c1 a2", "a draw"),
        ("mnk:5,4,4:exact", "a draw"),
        ("mnk:4,4,3:exact b1 a1 d4", "won by the second side"),
        ("mnk:6,2,3:exact a1 a2 b1 b2 d1 d2 e1", "a draw"),
        ("mnk:5,3,3:gravity:exact", "won by the first side"),
        ("mnk:15,15,5 h8 a1 i8 a3 j9 o1 j10 o3", "won by the first side"),
        (f"mnk:15,15,5 {BY_FOURS}", "won by the second side"),
        ("mnk:9,9,4", "won by the first side"),
        ("mnk:9,9,4:exact e5 a1", "won by the first side"),
    ],
)
def test_a_process_that_cannot_import_nimdesk_finds_it_proven(text: str, value: str, tmp_path: Path) -> None:
    path = tmp_path / "proof"
    path.write_bytes(made(text))
    code, out = alone(path)
    assert code == 0, out
    assert f"is {value} (" in out
    assert run([sys.executable, "-I", "-S", "-c", "import nimdesk"], capture_output=True, check=False).returncode != 0


def test_the_checker_is_short_and_needs_python_alone() -> None:
    source = CHECKER.read_text(encoding="utf-8")
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {(node.module if isinstance(node, ast.ImportFrom) else node.names[0].name) or "" for node in nodes}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names
    assert len(source.splitlines()) <= 530


def test_what_was_found_to_hold_is_forgotten_where_it_becomes_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    every = [verify.check(verify.read(made(text))) for text in ("mnk:5,4,4", "mnk:4,3,3")]
    monkeypatch.setattr(verify, "MOST_KEPT", 1_000)
    again = [verify.check(verify.read(made(text))) for text in ("mnk:5,4,4", "mnk:4,3,3")]
    assert [claim.partition("(")[0] for claim in again] == [claim.partition("(")[0] for claim in every]
    assert again != every


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("mnk:5,4,4", "answers"),
        ("mnk:4,3,3", "strategy"),
        ("mnk:3,3,3", "blocking"),
        ("mnk:4,4,4:gravity a1 b1 c1 a2", "strategy"),
        ("mnk:5,3,3:exact", "strategy"),
        ("mnk:9,9,4", "threats"),
    ],
)
def test_every_wrong_cell_is_found_by_the_rules_alone(text: str, kind: str) -> None:
    """Without help of the checksum: a changed cell or number is refused, or the proof holds as it then is."""
    content = unpacked(made(text))
    value = claims(content).partition("(")[0]
    refused, draw = 0, random.Random(1)
    for _ in range(60):
        wrong = json.loads(json.dumps(content))
        ((its_kind, given),) = draw.choice([each for each in wrong["positions"] if each != {"pairs": []}]).items()
        entry = draw.choice(given) if its_kind == "answers" else given
        entry[draw.choice([0, -1]) if its_kind == "strategy" else draw.randrange(len(entry))] = draw.randrange(20)
        try:
            assert claims(wrong).partition("(")[0] == value
        except verify.WrongError:
            refused += 1
    assert any(kind in each for each in content["positions"])
    assert refused > 30


@pytest.mark.parametrize(
    "change",
    [
        "no pair",
        "no answer",
        "a longer line wanted",
        "other marks",
        "no proof",
        "half a proof",
        "a proof that is none",
        "a loop",
        "blocking a column",
    ],
)
def test_what_is_missing_is_said_with_its_place(change: str) -> None:
    content = unpacked(made("mnk:5,4,4"))
    answers = next(i for i, reason in enumerate(content["positions"]) if "answers" in reason)
    if change == "no pair":
        next(r for r in content["positions"] if "pairs" in r)["pairs"][-2:] = []
    elif change == "no answer":
        content["positions"][content["proofs"][0][2] // 8]["answers"].pop()
    elif change == "a longer line wanted":
        content["k"] = 3
    elif change == "other marks":
        content["marks"] = [[0], []]
    elif change == "no proof":
        content["proofs"] = []
    elif change == "half a proof":
        content["proofs"][0].pop()
    elif change == "a proof that is none":
        content["proofs"][0] = 7
    elif change == "blocking a column":
        content["gravity"], content["proofs"] = True, content["proofs"] * 2
    else:
        content["positions"][answers]["answers"][0][2] = 8 * answers
    with pytest.raises(verify.WrongError, match=r"[a-z]"):
        claims(content)


@pytest.mark.parametrize(
    "change",
    [
        "the other winner",
        "a draw",
        "no move",
        "half a move",
        "too few columns",
        "a line for the other side",
        "with gravity",
    ],
)
def test_a_win_is_not_taken_for_what_it_is_not(change: str) -> None:
    content = unpacked(made("mnk:4,3,3"))
    assert "mnk:4,3,3 is won by the first side" in claims(content)
    if change == "the other winner":
        content["winner"] = 1
    elif change == "a draw":
        content["winner"] = None
    elif change == "no move":
        content["positions"][content["proofs"][0][2] // 8]["strategy"][0] = None
    elif change == "half a move":
        content["positions"][content["proofs"][0][2] // 8]["strategy"][0] += 0.0
    elif change == "too few columns":
        content["m"] = 3
    elif change == "a line for the other side":
        content["marks"] = [[0, 9], [2, 3]]
    else:
        content["gravity"] = True
    with pytest.raises(verify.WrongError, match=r"[a-z]"):
        claims(content)


@pytest.mark.parametrize("cell", [[], None, "a1", 1.5])
def test_an_answer_to_what_is_no_cell_answers_nothing(cell: Any) -> None:
    content = unpacked(made("mnk:4,3,3"))
    claim = claims(content)
    content["positions"][content["proofs"][0][2] // 8]["strategy"][1].append([cell, 0])
    assert claims(content) == claim


def test_a_pass_answers_no_move_that_is_quicker_than_the_threats_after_it() -> None:
    content = {**unpacked(made("mnk:9,9,4:exact e5 a1")), "marks": [[40, 80], [0, 8]]}
    del content["position"]
    assert "is won by the first side" in claims(content)
    # Two marks side by side: with a third one the other side threatens to complete a line itself.
    content["marks"][1] = [0, 1]
    with pytest.raises(verify.WrongError, match=r"completes a line|is too slow"):
        claims(content)


def test_a_row_whose_ends_are_taken_threatens_nothing_and_asks_for_no_more_answers() -> None:
    content = unpacked(made("mnk:9,9,4 e5 a1"))
    del content["position"]
    replayed = re.compile(r"\(([\d,]+) answers replayed")
    before = replayed.findall(claims(content))
    # The first side also has b9, c9 and d9, between a9 and e9 of the second.
    content["marks"] = [[40, 73, 74, 75], [0, 8, 72, 76]]
    assert replayed.findall(claims(content)) == before != []


def test_an_answer_may_make_the_next_threat_too_slow() -> None:
    # The answers to e4 and f4, e5 and f5, make a three with d5. So h6, which makes only a three, comes too late.
    checker = verify.Checker(9, 9, 4, False, [])
    e4_f4_h6, d5 = [31, 32, 52], 39
    own, other = verify.word({13, 22, 14, 23, 61, 70}), verify.word({4, 5, 72, 0, 8})
    with pytest.raises(verify.WrongError, match="is too slow"):
        checker.threatens(e4_f4_h6, own, other | 1 << d5, 0, 0)
    assert checker.threatens(e4_f4_h6, own, other, 0, 0)


def test_threats_rely_on_each_line_that_the_other_side_might_complete_before() -> None:
    # With f5 the first side can make a row of three with both ends open in two directions, e5 to f5 and f5 to f7.
    own, other, f5 = verify.word({40, 59}), verify.word({0, 8}), 41
    checker, along = verify.Checker(9, 9, 4, False, []), {1, 2, 3, 9, 18, 27}
    for extra, relied in ((0, set()), (1, along)):
        cells = verify.bits(checker.threatens([f5], own, other, extra, 0))
        assert along.intersection(cells) == relied


def test_a_strategy_relies_on_each_line_that_the_other_side_might_complete_before() -> None:
    """After c1 and a pass d1 wins. It has nothing to do with b2, but with that the first side would win before."""
    marks = {"position": "mnk:5,3,3 a1 a2 a3", "marks": [[0, 10], [5]], "m": 5, "n": 3, "k": 3, "gravity": False}
    after_c1 = {"strategy": [2, [[1, 16], [3, 16], [4, 16]], 8]}
    content = {**marks, "turn": 1, "winner": 1, "proofs": [["strategy", None, 0]]}
    with pytest.raises(verify.WrongError, match="c3 completes a line for the side with a1 b2 a3"):
        claims(content | {"positions": [after_c1, {"strategy": [3, [], 8]}, {"strategy": [7, [], 16]}]})


def test_a_certificate_that_would_be_too_large_is_refused_in_a_sentence() -> None:
    with pytest.raises(GameParameterError, match="no certificate of mnk:3,3,3: it would need more than 20 positions"):
        certificate(parse_position("mnk:3,3,3"), Event(), most=20)


def test_none_is_written_that_the_checker_would_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nimdesk.games.mnk.certificate.MOST_BYTES", 500)
    with pytest.raises(
        GameParameterError, match=r"There is no certificate of mnk:3,3,3: it would have [\d,]{3,} letters"
    ):
        certificate(parse_position("mnk:3,3,3"), Event())


def test_it_ends_when_it_is_told_to() -> None:
    stop = Event()
    stop.set()
    for text in ("mnk:6,5,4", "mnk:7,6,5"):
        with pytest.raises(KeyboardInterrupt):
            certificate(parse_position(text), stop)


def reached(chance: random.Random, game: MnkGame) -> MnkPosition:
    """A position after at most three moves of a game."""
    position = game.start()
    for _ in range(chance.choice([0, 0, 1, 2, 3])):
        if position.outcome is None:
            position = position.play(chance.choice(position.legal_moves))
    return position


def random_certificate(chance: random.Random, position: MnkPosition) -> dict[str, Any]:
    """What has the form of a certificate of this position, and says anything."""
    game, count = position.game, chance.randint(1, 4)
    cells = game.m * game.n
    winner = chance.choice([None, None, 0, 1])

    def cell() -> int:
        return chance.randrange(cells)

    def reference() -> int:
        return 8 * chance.randrange(count) + chance.choice([0, 0, 0, 1, 2, 3])

    def reason() -> dict[str, list[Any]]:
        kind = chance.choice(
            ["strategy", "blocking", "pairs", "answers"] if winner is None else ["strategy", "threats"]
        )
        if kind == "threats":
            return {kind: [cell() for _ in range(chance.randint(1, 3))]}
        if kind == "strategy":
            replies = [[cell(), reference()] for _ in range(chance.randint(0, 2))]
            return {kind: [cell(), replies, chance.choice([None, reference()])]}
        if kind == "blocking":
            return {kind: [chance.choice([None, cell()]), reference()]}
        if kind == "pairs":
            return {kind: chance.sample(range(cells), 2 * chance.randint(0, cells // 2))}
        return {kind: [[cell(), cell(), reference()] for _ in range(chance.randint(1, 3))]}

    def proof() -> list[Any]:
        if winner is None and chance.random() < 0.6:
            return ["blocking", chance.choice([None, cell()]), reference()]
        return ["strategy", chance.choice([None, [[cell(), reference()]]]), reference()]

    marks = [[move.row * game.m + move.column for move in position.moves[side::2]] for side in (0, 1)]
    sides = verify.sides_to_prove(winner, [frozenset(side) for side in marks], game.may_hurt)
    return {
        "m": game.m,
        "n": game.n,
        "k": game.k,
        "gravity": game.gravity,
        "exact": game.exact,
        "turn": int(position.turn),
        "marks": marks,
        "winner": winner,
        "proofs": [proof() for _ in sides],
        "positions": [reason() for _ in range(count)],
    }


# With how many it takes until some hold: fewer where a win is near.
@pytest.mark.parametrize(
    ("game", "written"),
    [
        (MnkGame(3, 1, 2), 2_000),
        (MnkGame(2, 2, 2), 1_000),
        (MnkGame(3, 2, 3), 8_000),
        (MnkGame(3, 1, 3), 2_000),
        (MnkGame(4, 1, 2), 2_000),
        (MnkGame(2, 2, 2, True), 2_000),
        (MnkGame(3, 2, 2, True), 2_000),
        (MnkGame(4, 1, 2, exact=True), 2_000),
        (MnkGame(3, 2, 2, exact=True), 1_000),
        (MnkGame(5, 1, 3, exact=True), 8_000),
        (MnkGame(4, 2, 2), 1_000),
    ],
    ids=str,
)
def test_whatever_is_written_nothing_is_proven_that_is_not_so(game: MnkGame, written: int) -> None:
    chance, proven = random.Random(3), 0
    for _ in range(written):
        position, other = reached(chance, game), reached(chance, game)
        content = {"position": chance.choice([position, position, other]).text, **random_certificate(chance, position)}
        try:
            verify.check(content)
        except verify.WrongError:
            continue
        position = parse_position(content["position"])
        winner = position.winner
        if position.outcome is None:
            (value, _plies), _moves = BruteForce(game).of(position)
            winner = None if value == 0 else position.turn if value > 0 else position.turn.other
        assert winner == content["winner"], content
        proven += 1
    assert proven > 20, proven


@pytest.mark.parametrize(
    ("positions", "problem"),
    [
        # The first side wins with the middle of three cells, whatever is answered to another one.
        ([{"answers": [[0, 1, 8]]}, {"pairs": []}], "nothing answers b1 in position 0"),
        ([{"answers": [[1, 0, 8]]}, {"pairs": [1, 2]}], "no pair is on the line c1"),
        ([{"answers": [[1, 0, 8]]}, {"pairs": [2, 2]}], "two pairs share a cell"),
        ([{"answers": [[1, 0, 8]]}, {"pairs": [2]}], "two pairs share a cell"),
        ([{"answers": [[1, 1, 8]]}, {"pairs": []}], "an answer of position 0 is not on open lines"),
        ([{"answers": [[1, 0]]}], "an answer of position 0 cannot be read"),
        ([{"answers": [[1, 0, 8]] * 4}, {"pairs": []}], "position 0 has more answers than there are cells"),
    ],
)
def test_a_defence_that_does_not_hold_is_refused_where_it_fails(positions: list[Any], problem: str) -> None:
    with pytest.raises(verify.WrongError) as told:
        claims(
            dict(
                {"m": 3, "n": 1, "k": 2, "gravity": False, "turn": 0, "marks": [[], []], "winner": None},
                proofs=[["blocking", None, 0]],
                positions=positions,
            )
        )
    assert str(told.value) == problem


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("mnk:4,3,3", "(6 answers replayed, 8 positions)"),
        ("mnk:5,4,4", "(205 answers replayed, 74 positions)"),
        ("mnk:4,4,4:gravity a1 b1 c1 a2", "(255 answers replayed, 219 positions)"),
    ],
)
def test_what_was_checked_is_counted(text: str, counts: str) -> None:
    assert verify.check(verify.read(made(text))).endswith(counts)
