"""A seed and a position give the same search on every machine: these very counts, which a change of speed leaves alone.

They come from the program itself, so that they say nothing of right or wrong. Who means to change a search changes
them, and tells its users, who may have published what it found.
"""

from typing import Any

import pytest

from nimdesk.agents import make_agent
from nimdesk.games import parse_position
from nimdesk.games.mnk.drop_solver import DropSolver
from nimdesk.games.mnk.line_solver import LineSolver
from nimdesk.limit import Limit
from nimdesk.search import drive

WITHOUT_ORDER = {"order": False, "stop_at_proof": False}
VISITS: list[tuple[str, dict[str, Any], int, list[int]]] = [
    ("nim:3,4,5", {}, 44, [5, 10, 9, 2, 3, 8, 4, 2, 8, 3, 3, 5]),
    ("nim:5,5,5:misere", {}, 48, [4, 4, 5, 6, 4, 4, 5, 6, 6, 4, 4, 4, 5, 6, 7]),
    ("nim:2,2:misere", {"stop_at_proof": False}, 5, [2, 396, 1, 1]),
    ("mnk:3,3,3", {}, 134, [7, 1, 7, 26, 21, 1, 27, 1, 7]),
    ("mnk:4,4,4 b2", WITHOUT_ORDER, 2097, [129, 142, 143, 153, 141, 126, 91, 144, 125, 162, 94, 153, 91, 94, 212]),
    ("mnk:5,5,4", {}, 2220, [89, 89, 156, 135, 156, 135, 327, 135, 89, 156, 135, 156, 64, 89, 89]),
    ("mnk:15,15,5 h8", {}, 2027, [84, 234, 119, 234, 119, 119, 211, 233, 119, 233, 84, 211]),
    ("mnk:7,6,4:gravity", {}, 2178, [50, 112, 325, 1026, 325, 112, 50]),
]
"""Position, options, nodes, and the visits of the moves that have any."""


@pytest.mark.parametrize(("text", "options", "nodes", "visits"), VISITS)
def test_mcts_visits_the_same_nodes(text: str, options: dict[str, Any], nodes: int, visits: list[int]) -> None:
    searcher = make_agent("mcts", {"iterations": 2000, **options}).new_searcher()
    searcher.start(parse_position(text), 7)
    drive(searcher)
    snapshot = searcher.snapshot()
    assert [stats.visits for stats in snapshot.moves if stats.visits] == visits
    assert snapshot.tree_nodes == nodes


@pytest.mark.parametrize(
    ("text", "uses", "positions"),
    [("mnk:5,4,4:gravity", 16, 67_456), ("mnk:6,4,4:gravity", 16, 405_726), ("mnk:5,5,4:gravity", 16, 357_440),
     ("mnk:5,5,4:gravity", 1, 355_965), ("mnk:7,6,4:gravity d1 d2 d3 d4 d5 d6 a1 g1 a2 g2", 8, 2_388_168),
     ("mnk:7,6,4:gravity d1 d2 d3 d4 d5 d6 a1 g1 a2 g2", 2, 2_342_633)],
)  # fmt: skip
def test_the_solver_of_connect_four_visits_the_same_positions(text: str, uses: int, positions: int) -> None:
    """With few uses for each of its places the table grows meanwhile, in the last three."""
    solver = DropSolver(use_book=False, threads=1, uses=uses)
    solver.start(parse_position(text))
    assert solver.advance(Limit())
    assert solver.truth().nodes == positions


@pytest.mark.parametrize(
    ("text", "positions"),
    [("mnk:5,4,4", 113), ("mnk:6,4,4", 1_437), ("mnk:5,5,4", 8_599), ("mnk:5,5,4 c3 a1 e5", 14_995),
     ("mnk:8,6,5", 15_122), ("mnk:5,5,3 a1 b5", 335), ("mnk:4,5,3:gravity", 2_029), ("mnk:4,4,4:gravity", 8_463),
     ("mnk:5,4,4:gravity c1 c2 b1 d1", 10_839)],
)  # fmt: skip
def test_the_solver_of_lines_visits_the_same_positions(text: str, positions: int) -> None:
    """These end before the table grows, which it does between two slices, wherever those end."""
    solver = LineSolver()
    solver.start(parse_position(text))
    assert solver.advance(Limit())
    assert solver.truth().nodes == positions
