"""Fit the evaluation of five in a row (``resources/evaluation.json``) to games of self-play, and say how true it is.

    uv run python tests/benchmarks/bench_evaluation.py --playouts --iterations 500
    uv run python tests/benchmarks/bench_evaluation.py

``mcts`` plays itself, first with playouts, then with the evaluation that this gave: what ships comes of these two
commands. Games begin with a few random moves and more that a very short search looked at. Of each game twelve positions
count in which no threat has to be met, since only these are evaluated. The weights are those of a logistic regression
with a ridge, by Newton's method. A fifth of the games is kept apart, and tells the log loss and how often positions of
each probability were won. Seeded; some ten minutes each. Not collected by pytest.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from nimdesk.games import AnyPosition, parse_position
from nimdesk.games.mnk.evaluation import Fitted, evaluation_path
from nimdesk.games.mnk.lines import as_lists, make_lines, number_of
from nimdesk.games.mnk.patterns import CATEGORIES, COMPLETES, WINS_SOON
from nimdesk.games.mnk.rules import MnkMove
from nimdesk.search import Limit, Snapshot
from nimdesk.search.mcts import MctsSearcher
from nimdesk.search.options import MctsOptions

Numbers = NDArray[np.float64]


def searched(position: AnyPosition, options: MctsOptions, dice: random.Random) -> Snapshot:
    searcher = MctsSearcher(options)
    searcher.start(position, dice.randrange(1 << 30))
    searcher.advance(Limit())
    return searcher.snapshot()


def beginning(start: AnyPosition, dice: random.Random) -> AnyPosition:
    """Some marks near the middle, then moves that a search of 40 simulations tried, good ones and bad."""
    while True:
        position, middle = start, start.game.m // 2
        near = range(middle - 3, middle + 4)
        for column, row in dice.sample([(c, r) for c in near for r in near], dice.randint(2, 5)):
            position = position.play(MnkMove(column, row))
        for _ in range(dice.randint(0, 16)):
            found = searched(position, MctsOptions(iterations=40, evaluate=False), dice)
            tried = [each.move for each in found.moves if each.visits > 0 and each.proven is None]
            position = position.play(dice.choice(tried or [found.best_move]))
            if position.outcome is not None:
                break
        else:
            return position


def samples(start: AnyPosition, games: int, options: MctsOptions, seed: int) -> tuple[Numbers, Numbers, Numbers]:
    """What ``evaluation`` counts, who won (1 is the side to move), and the number of the game."""
    dice, picks = random.Random(seed), random.Random(seed + 2)
    counts, results, numbers = list[list[int]](), list[float](), list[int]()
    for number in range(games):
        position = beginning(start, dice)
        first = position.ply
        while position.outcome is None:
            position = position.play(searched(position, options, dice).best_move)
        plies = range(first, position.ply)
        for ply in picks.sample(plies, min(len(plies), 12)):
            at = start
            for move in position.moves[:ply]:
                at = at.play(move)
            lines, own, other = as_lists(make_lines(at)), ply % 2, 1 - ply % 2
            if number_of(lines, own, WINS_SOON) + number_of(lines, other, COMPLETES) == 0:
                by_side = lines.counts[:CATEGORIES], lines.counts[CATEGORIES:]
                counts.append(by_side[own] + by_side[other])
                results.append(0.5 if position.winner is None else float(int(position.winner) == own))
                numbers.append(number)
        if number % 50 == 49:
            print(f"{number + 1} games, {len(counts)} positions", flush=True)
    return np.array(counts, np.float64), np.array(results), np.array(numbers)


def probabilities(counts: Numbers, weights: Numbers) -> Numbers:
    return np.asarray(1.0 / (1.0 + np.exp(-(counts @ weights[:-1] + weights[-1]))))


def fit(counts: Numbers, results: Numbers, ridge: float) -> Numbers:
    """The weights, and the constant last; what hardly varies has none."""
    spread = counts.std(axis=0)
    kept = spread > 1e-3
    table = np.hstack([counts[:, kept] / spread[kept], np.ones((len(counts), 1))])
    scaled, penalty = np.zeros(table.shape[1]), np.diag([*[ridge] * int(kept.sum()), 1e-6])
    for _ in range(25):
        now = probabilities(table[:, :-1], scaled)
        curvature = (table * (now * (1 - now))[:, None]).T @ table + penalty
        scaled += np.linalg.solve(curvature, table.T @ (results - now) - penalty @ scaled)
    weights = np.zeros(2 * CATEGORIES + 1)
    weights[:-1][kept] = scaled[:-1] / spread[kept]
    weights[-1] = scaled[-1]
    return weights


def log_loss(expected: Numbers, results: Numbers) -> float:
    return float(-(results * np.log(expected) + (1 - results) * np.log(1 - expected)).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--board", default="mnk:15,15,5")
    parser.add_argument("--fewest-cells", type=int, default=169)
    parser.add_argument("--games", type=int, default=1_200)
    parser.add_argument("--iterations", type=int, default=1_000)
    parser.add_argument("--playouts", action="store_true")
    parser.add_argument("--ridge", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=evaluation_path())
    options = parser.parse_args()
    start = parse_position(options.board)
    playing = MctsOptions(iterations=options.iterations, evaluate=not options.playouts)
    counts, results, games = samples(start, options.games, playing, options.seed)
    apart = games % 5 == 0
    expected = probabilities(counts[apart], fit(counts[~apart], results[~apart], options.ridge))
    loss, won = log_loss(expected, results[apart]), results[apart]
    print(f"log loss {loss:.4f} in games kept apart; {log_loss(np.full(len(won), won.mean()), won):.4f} by their mean")
    for least in np.arange(0.0, 1.0, 0.1):
        these = (expected >= least) & (expected < least + 0.1)
        if these.any():
            mean, share = expected[these].mean(), won[these].mean()
            print(f"{least:.1f} to {least + 0.1:.1f}: {these.sum():5} positions, expected {mean:.3f}, won {share:.3f}")
    weights = tuple(round(float(each), 4) for each in fit(counts, results, options.ridge))
    fitted = Fitted(
        k=start.game.k,
        fewest_cells=options.fewest_cells,
        games=options.games,
        log_loss=round(loss, 4),
        weights=weights,
    )
    options.out.write_bytes(msgspec.json.format(msgspec.json.encode(fitted), indent=1) + b"\n")


if __name__ == "__main__":
    main()
