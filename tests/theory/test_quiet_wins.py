"""Wins by quiet moves: what is proven is what the solver knows, and what the checker of certificates proves again."""

from __future__ import annotations

import random
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from certifying import claims, made, sealed, unpacked
from solving import BruteForce

from nimdesk.disk.paths import resources_dir
from nimdesk.errors import GameParameterError
from nimdesk.games import MnkPosition, parse_position
from nimdesk.games.mnk.certificate import certificate
from nimdesk.games.mnk.solver.guided import GuidedWin, win_by
from nimdesk.games.mnk.solver.quiet import Node, QuietWin

COME_ALONG = sorted(resources_dir().glob("gomoku-*.cert"))


def first_reason(content: dict[str, Any]) -> list[Any]:
    """The winner's move, the answers that are named, and what follows all others."""
    reason: list[Any] = content["positions"][content["proofs"][0][2] // 8]["strategy"]
    return reason


def part(content: dict[str, Any], answer: int) -> dict[str, Any]:
    """What a proof says of the position after the winner's move and this answer."""
    move, answers, others = first_reason(content)
    own, other = content["marks"]
    after = ["strategy", None, dict(answers).get(answer, others)]
    rest = {name: given for name, given in content.items() if name != "position"}
    return {**rest, "marks": [[*own, move], [*other, answer]], "proofs": [after]}


@pytest.mark.parametrize("text", ["mnk:5,4,4:exact", "mnk:5,5,5"])
def test_what_it_wins_is_won_whatever_the_guide(text: str) -> None:
    chance, start = random.Random(5), parse_position(text)
    assert isinstance(start, MnkPosition)
    exact, won, known = BruteForce(start.game), 0, 0
    cells = start.game.m * start.game.n
    guides: list[Node] = []
    for _ in range(40):
        position = start
        for _ in range(chance.randint(cells - 10, cells - 6)):
            if position.outcome is None:
                position = position.play(chance.choice(position.legal_moves))
        if position.outcome is None:
            search = QuietWin(position)
            search.advance(300)
            (value, _plies), _moves = exact.of(position)
            assert not search.is_won or value > 0, position.text
            won, known = won + search.is_won, known + (value > 0)
            for guide in guides[-1:]:
                guided = GuidedWin(position, guide, may_go_on=lambda nodes: nodes < 3_000)
                assert not guided.find() or value > 0, position.text
            if search.is_won:
                guides.append(search.root)
    assert 2 * won > known > 0
    assert guides


def test_a_win_is_found_along_the_proof_after_another_answer() -> None:
    """Here and there the guide fails, and what is found in its place holds as well."""
    line = "mnk:15,15,5 h8 c3 i9 h9"
    position = parse_position(line)
    assert isinstance(position, MnkPosition)
    guide = part(unpacked((resources_dir() / "gomoku-h8-a1.cert").read_bytes()), answer=8 * 15 + 7)
    guided = GuidedWin(position, win_by(sealed(guide), position), may_go_on=lambda nodes: nodes < 10_000)
    assert guided.find()
    assert guided.nodes > 100, "it had to search"
    content = unpacked(certificate(position, Event(), guide=sealed(guide)))
    assert f"{line} is won by the first side" in claims(content)


@pytest.mark.parametrize(
    ("guide", "why"),
    [
        ("mnk:9,9,4 e5 a1", "it is of mnk:9,9,4"),
        ("mnk:11,11,5:exact f6 a1 e5 k11 f5 a11 e6 j1", "it is of mnk:11,11,5:exact"),
        ("mnk:11,11,5 a1 f6 k11 e5 a11 f5 j1 e6 k1", "the other side is to move in it"),
    ],
)
def test_a_guide_that_cannot_be_followed_is_refused_in_a_sentence(guide: str, why: str) -> None:
    position = parse_position("mnk:11,11,5 f6 a1 e5 k11")
    assert isinstance(position, MnkPosition)
    with pytest.raises(GameParameterError, match=rf"^The guide cannot be followed: {why}\.$"):
        certificate(position, Event(), guide=made(guide))


def test_a_win_over_a_side_that_could_make_a_four_at_any_time_is_looked_for() -> None:
    """No three is a threat then, so that a win after a pass takes quiet moves. Here 25,000 positions find one."""
    position = parse_position("mnk:15,15,5 h8 a3 i9 a5 g7 j10 g9 a4 f6 e5")
    assert isinstance(position, MnkPosition)
    search = QuietWin(position)
    assert not search.advance(200)


def test_a_far_answer_to_the_first_move_of_gomoku_and_one_more_lose() -> None:
    content = unpacked(made("mnk:15,15,5 h8 a1 g7 o15"))
    assert "mnk:15,15,5 h8 a1 g7 o15 is won by the first side" in claims(content)
    kinds = {kind for position in content["positions"] for kind in position}
    assert kinds == {"strategy", "threats"}
    assert len(content["positions"]) < 100


def test_all_of_a_proof_that_comes_along_holds() -> None:
    content = unpacked((resources_dir() / "gomoku-h8-a1.cert").read_bytes())
    assert claims(content).startswith("mnk:15,15,5 h8 a1 is won by the first side")


@pytest.mark.parametrize("path", COME_ALONG, ids=lambda path: path.stem)
def test_a_proof_that_comes_along_holds_after_two_answers_to_its_move(path: Path) -> None:
    """All of it takes the checker up to a minute; these answers are the first and the last of those that it names."""
    content = unpacked(path.read_bytes())
    _gomoku, *moves = path.stem.split("-")
    assert content["position"] == " ".join([f"mnk:15,15,5{':exact' * ('exact' in moves)}", *moves[:2]])
    _move, answers, _others = first_reason(content)
    for answer, _after in (answers[0], answers[-1]):
        assert "is won by the first side" in claims(part(content, answer))


def test_the_same_steps_lead_to_the_same_proof() -> None:
    position = parse_position("mnk:11,11,5 f6 a1 e5 k11")
    assert isinstance(position, MnkPosition)
    visited = set()
    for slices in (1, 25):
        search = QuietWin(position)
        while not search.advance(slices):
            pass
        visited.add((search.is_won, search.nodes))
    assert len(visited) == 1
    assert (True, search.nodes) in visited
