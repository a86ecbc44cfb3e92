"""The numbers that the guided look tells, counted again over the same hundred seeds."""

from __future__ import annotations

import pytest

from nimdesk.games import parse_position
from nimdesk.limit import Limit
from nimdesk.search import Snapshot
from nimdesk.ui.laboratory.studied import new_agent
from nimdesk.ui.laboratory.tour import FEW, MANY, POSITION, PROVEN_WITHIN, RIGHT_WITH_FEW, RIGHT_WITH_MANY

SEEDS = range(1, 101)


def searched(name: str, iterations: int, seed: int) -> Snapshot:
    searcher = new_agent(name).new_searcher()
    searcher.start(parse_position(POSITION), seed)
    searcher.advance(Limit(iterations=iterations))
    return searcher.snapshot()


@pytest.mark.parametrize(("iterations", "right"), [(FEW, RIGHT_WITH_FEW), (MANY, RIGHT_WITH_MANY)])
def test_so_many_of_a_hundred_seeds_find_the_winning_move(iterations: int, right: int) -> None:
    best = [searched("uct", iterations, seed).best_move for seed in SEEDS]
    assert sum(move is not None and move.text == "1-2" for move in best) == right


def test_the_merging_search_proves_it_within_the_iterations_told() -> None:
    made = [searched("mcts", MANY, seed) for seed in SEEDS]
    assert {snapshot.best_move.text for snapshot in made if snapshot.best_move} == {"1-2"}
    assert max(snapshot.iterations for snapshot in made) <= PROVEN_WITHIN
