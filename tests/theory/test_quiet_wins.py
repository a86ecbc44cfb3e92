"""Wins by quiet moves: what is proven is what the solver knows, and what the checker of certificates proves again."""

from __future__ import annotations

import random

import pytest
from certifying import claims, made, unpacked
from solving import BruteForce

from nimdesk.disk.paths import resources_dir
from nimdesk.games import MnkPosition, parse_position
from nimdesk.games.mnk.solver.quiet import QuietWin


@pytest.mark.parametrize("text", ["mnk:5,4,4:exact", "mnk:5,5,5"])
def test_what_it_wins_is_won(text: str) -> None:
    chance, start = random.Random(5), parse_position(text)
    assert isinstance(start, MnkPosition)
    exact, won, known = BruteForce(start.game), 0, 0
    cells = start.game.m * start.game.n
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
    assert 2 * won > known > 0


def test_a_far_answer_to_the_first_move_of_gomoku_and_one_more_lose() -> None:
    content = unpacked(made("mnk:15,15,5 h8 a1 g7 o15"))
    assert "mnk:15,15,5 h8 a1 g7 o15 is won by the first side" in claims(content)
    kinds = {kind for position in content["positions"] for kind in position}
    assert kinds == {"strategy", "threats"}
    assert len(content["positions"]) < 100


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("h8-a1", "mnk:15,15,5 h8 a1 i9 h9"),
        ("h8-a1", "mnk:15,15,5 h8 a1 i9 o15"),
        ("h8-a1-exact", "mnk:15,15,5:exact h8 a1 i9 h9"),
        ("h8-a2", "mnk:15,15,5 h8 a2 i9 h9"),
        ("h8-b2", "mnk:15,15,5 h8 b2 g9 h9"),
    ],
)
def test_a_part_of_a_proof_that_comes_along_holds(file: str, line: str) -> None:
    """All of it takes the checker minutes; so this is the proof after one answer to the first player's next move."""
    content = unpacked((resources_dir() / f"gomoku-{file}.cert").read_bytes())
    move, answers, others = content["positions"][content["proofs"][0][2] // 8]["strategy"]
    moves = parse_position(line).moves
    assert content["position"].split() == line.split()[:-2]
    cells = [each.row * 15 + each.column for each in moves]
    assert cells[2] == move
    after = dict(answers).get(cells[3], others)
    content.update(marks=[cells[::2], cells[1::2]], proofs=[["strategy", None, after]])
    del content["position"]
    assert "is won by the first side" in claims(content)


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
