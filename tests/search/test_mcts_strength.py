"""What a simulation of ``mcts`` is worth: how often a number of them choose a move that is proven to be right.

The measured shares are in ``tests/benchmarks/bench_strength.py``; the bounds here leave room for chance only.
"""

from itertools import pairwise

import numpy as np
import pytest
from solving import solve

from nimdesk.games import AnyPosition, parse_game, parse_position
from nimdesk.search import Limit
from nimdesk.search.mcts import MctsSearcher
from nimdesk.search.options import MctsOptions, UctOptions
from nimdesk.search.uct import UctSearcher

pytestmark = pytest.mark.slow

SEEDS = 200


def share_of_right_choices(position: AnyPosition, searcher: MctsSearcher | UctSearcher) -> float:
    right = solve(position, 10.0).best_moves
    assert 0 < len(right) < len(position.legal_moves)
    count = 0
    for seed in range(SEEDS):
        searcher.start(position, seed)
        searcher.advance(Limit())
        count += searcher.snapshot().best_move in right
    return count / SEEDS


@pytest.mark.parametrize(
    ("text", "iterations", "share"),
    [
        ("nim:3,4,5", 500, 0.98),
        ("nim:3,4,5", 100, 0.60),
        ("nim:3,4,5:misere", 500, 0.98),
        ("nim:5,5,5", 500, 0.95),
        ("nim:21:max3", 500, 1.0),
        ("nim:21:max3", 100, 0.95),
        ("mnk:3,3,3 a1", 500, 0.99),
        ("mnk:3,3,3 a1", 100, 0.70),
    ],
)
def test_the_choice_is_right_at_least_so_often(text: str, iterations: int, share: float) -> None:
    assert share_of_right_choices(parse_position(text), MctsSearcher(MctsOptions(iterations=iterations))) >= share


def test_the_textbook_search_is_near_chance_where_this_one_is_right() -> None:
    """The figure above says something: on this position plain UCT with as many simulations mostly goes wrong."""
    assert share_of_right_choices(parse_position("nim:3,4,5"), UctSearcher(UctOptions(iterations=500))) < 0.5


def test_more_iterations_never_choose_worse_than_by_chance() -> None:
    """5-5-5, where plain UCT gets worse between ten and a hundred thousand."""
    position = parse_position("nim:5,5,5")
    shares = [
        share_of_right_choices(position, MctsSearcher(MctsOptions(iterations=iterations)))
        for iterations in (50, 100, 500, 2_000)
    ]
    # Two standard errors of the difference of two shares.
    assert all(later >= earlier - 2 * 0.5 * (2 / SEEDS) ** 0.5 for earlier, later in pairwise(shares))
    assert shares[-1] == 1.0


def puzzles(text: str, count: int) -> list[AnyPosition]:
    """From random play, without a win in one, where most moves are wrong."""
    random, found = np.random.default_rng(554), []
    while len(found) < count:
        position = parse_game(text).start()
        for _ in range(random.integers(3, 7)):
            if position.outcome is None:
                position = position.play(position.legal_moves[random.integers(len(position.legal_moves))])
        if position.outcome is not None or any(position.play(move).outcome for move in position.legal_moves):
            continue
        if 0 < len(solve(position, 10.0).best_moves) <= len(position.legal_moves) // 2:
            found.append(position)
    return found


def test_moves_that_are_refuted_count_against_the_position_before() -> None:
    """Where they did not, the choice was right in two of three, and more simulations hardly helped."""
    right = 0
    for seed, position in enumerate(puzzles("mnk:5,5,4", 24)):
        searcher = MctsSearcher(MctsOptions(iterations=3_000))
        searcher.start(position, seed)
        searcher.advance(Limit())
        right += searcher.snapshot().best_move in solve(position, 10.0).best_moves
    assert right >= 0.85 * 24
