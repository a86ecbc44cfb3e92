"""The search agrees with an independent one, OpenSpiel's C++ MCTSBot, as far as chance allows.

Both are plain UCT with random playouts, but with other random numbers, so only means over many seeds can be compared:
of the visits and of the mean value of every root move. Two differences are by design of OpenSpiel's bot: it spends one
simulation on the root itself, and rewards are in [-1, 1], so that its constant is twice ours. A third one matters near
the end of a game: a child that ends the game gets no exploration bonus there (its bound is the outcome alone), even
with ``solve=False``. Hence the positions below, where the search does not reach the end of the game so often that it
shows.
"""

import numpy as np
import pytest

from nimdesk.games import AnyPosition, MnkGame, MnkMove, Move, NimMove, parse_position
from nimdesk.search import Limit
from nimdesk.search.options import UctOptions
from nimdesk.search.uct import UctSearcher

pytestmark = pytest.mark.slow

pyspiel = pytest.importorskip("pyspiel")

SEEDS = 40


def action_of(position: AnyPosition, state: "pyspiel.State", move: Move) -> int:
    if isinstance(move, NimMove):
        text = f"pile:{move.pile + 1}, take:{move.take};"
        return next(a for a in state.legal_actions() if state.action_to_string(state.current_player(), a) == text)
    assert isinstance(move, MnkMove)
    assert isinstance(position.game, MnkGame)
    return move.row * position.game.m + move.column


def ours(position: AnyPosition, iterations: int, exploration: float, seed: int) -> list[tuple[int, float]]:
    searcher = UctSearcher(UctOptions(iterations=iterations, exploration=exploration))
    searcher.start(position, seed)
    searcher.advance(Limit())
    return [(stats.visits, stats.mean_value or 0.0) for stats in searcher.snapshot().moves]


def theirs(position: AnyPosition, game: str, iterations: int, exploration: float, seed: int) -> list[tuple[int, float]]:
    loaded = pyspiel.load_game(game)
    state = loaded.new_initial_state()
    replayed = position.game.start()
    for move in position.moves:
        state.apply_action(action_of(replayed, state, move))
        replayed = replayed.play(move)
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(loaded, evaluator, 2 * exploration, iterations + 1, 1_000, False, seed, False)
    children = {child.action: child for child in bot.mcts_search(state).children}
    ordered = [children[action_of(position, state, move)] for move in position.legal_moves]
    return [(child.explore_count, 0.5 + 0.5 * child.total_reward / child.explore_count) for child in ordered]


@pytest.mark.parametrize(
    ("text", "game", "iterations", "exploration"),
    [
        ("mnk:4,4,4", "gomoku(size=4,connect=4)", 2_000, 0.5),
        ("mnk:4,4,4 b2 c2", "gomoku(size=4,connect=4)", 2_000, 0.2),
        ("mnk:5,5,5 c3 b2", "gomoku(size=5,connect=5)", 2_000, 0.2),
        ("nim:10,11,12", "nim(pile_sizes=10;11;12,is_misere=false)", 3_000, 0.3),
        ("nim:10,11,12:misere 2-3", "nim(pile_sizes=10;11;12,is_misere=true)", 3_000, 0.3),
        ("mnk:7,6,4:gravity", "connect_four", 1_000, 0.5),
    ],
)
def test_visits_and_values_agree_in_the_mean_over_seeds(
    text: str, game: str, iterations: int, exploration: float
) -> None:
    position = parse_position(text)
    us = np.array([ours(position, iterations, exploration, seed) for seed in range(SEEDS)])
    them = np.array([theirs(position, game, iterations, exploration, seed) for seed in range(SEEDS)])
    assert us[:, :, 0].sum() == them[:, :, 0].sum() == SEEDS * iterations
    error = np.sqrt((us.var(axis=0, ddof=1) + them.var(axis=0, ddof=1)) / SEEDS)
    assert np.all(np.abs(us.mean(axis=0) - them.mean(axis=0)) <= 4.5 * error)
