"""Simulations per second of the plain UCT search, next to OpenSpiel's C++ MCTSBot in the same run.

    uv run python tests/benchmarks/bench_search.py
    uv run python tests/benchmarks/bench_search.py --rounds 9 --iterations 10000 --no-peer mnk:7,7,5

Each round runs both engines once, one after the other, on every position and count, so that a slow minute of the
machine meets both; the table gives medians over the rounds. One thread, from the start position, with compiled
kernels. OpenSpiel plays its fastest game for the board (tic_tac_toe, gomoku, connect_four, nim) with the same constant
on its scale. Not collected by pytest.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from statistics import median

from nimdesk.games import Game, MnkGame, NimGame, parse_game
from nimdesk.search import Limit
from nimdesk.search.options import UctOptions
from nimdesk.search.uct import UctSearcher

POSITIONS = ["nim:1,3,5,7", "nim:1,3,5,7:misere", "mnk:3,3,3", "mnk:5,5,4", "mnk:7,7,5", "mnk:15,15,5"]
MORE = ["nim:21:max3", "mnk:7,6,4:gravity"]
# Slow peers get fewer simulations: their rate hardly depends on the count, and a round stays short.
PEER_BUDGET = {"gomoku": 10_000}

# Takes the wanted number of simulations and a seed; does them, or fewer, and says how many.
Engine = Callable[[int, int], int]


def nimdesk_engine(game: Game) -> Engine:
    def run(iterations: int, seed: int) -> int:
        searcher = UctSearcher(UctOptions(iterations=iterations))
        searcher.start(game.start(), seed)
        searcher.advance(Limit())
        return searcher.iterations

    return run


def openspiel_game(game: Game) -> str | None:
    """The name of OpenSpiel's fastest game with the same rules, or None without one."""
    if isinstance(game, NimGame) and game.max_take is None:
        return f"nim(pile_sizes={';'.join(map(str, game.piles))},is_misere={str(game.misere).lower()})"
    if isinstance(game, MnkGame) and game.gravity:
        return "connect_four" if (game.m, game.n, game.k) == (7, 6, 4) else None
    if isinstance(game, MnkGame) and (game.m, game.n, game.k) == (3, 3, 3):
        return "tic_tac_toe"
    if isinstance(game, MnkGame) and game.m == game.n:
        return f"gomoku(size={game.m},connect={game.k})"
    return None


def openspiel_engine(game: Game) -> Engine | None:
    import pyspiel  # lazy: --no-peer works without it

    name = openspiel_game(game)
    if name is None:
        return None
    loaded = pyspiel.load_game(name)
    state = loaded.new_initial_state()
    limit = PEER_BUDGET.get(name.partition("(")[0], 10**9)

    def run(iterations: int, seed: int) -> int:
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        count = min(iterations, limit)
        bot = pyspiel.MCTSBot(loaded, evaluator, 2 * math.sqrt(2), count, 4_000, False, seed, False)
        bot.step(state)
        return count

    return run


def rate(engine: Engine, iterations: int, seed: int) -> float:
    begin = time.perf_counter()
    done = engine(iterations, seed)
    return done / (time.perf_counter() - begin)


def measure(positions: list[str], counts: list[int], rounds: int, peer: bool) -> None:
    games = {text: parse_game(text) for text in positions}
    engines = {text: (nimdesk_engine(game), openspiel_engine(game) if peer else None) for text, game in games.items()}
    for ours, _ in engines.values():
        ours(64, 0)
    rates: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for seed in range(1, rounds + 1):
        for text, (ours, theirs) in engines.items():
            for count in counts:
                pair = rate(ours, count, seed), rate(theirs, count, seed) if theirs else math.nan
                rates.setdefault((text, count), []).append(pair)
    print(f"{'position':20} {'simulations':>11} {'nimdesk /s':>12} {'min-max':>17} {'OpenSpiel /s':>13} {'ratio':>7}")
    for (text, count), pairs in rates.items():
        ours_all, theirs_all = zip(*pairs, strict=True)
        us, them = median(ours_all), median(theirs_all)
        spread = f"{min(ours_all) / 1e6:.2f}-{max(ours_all) / 1e6:.2f} M"
        compared = f"{them:13,.0f} {us / them:6.1f}x" if not math.isnan(them) else f"{'-':>13} {'-':>7}"
        print(f"{text:20} {count:11,} {us:12,.0f} {spread:>17} {compared}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("positions", nargs="*", default=[*POSITIONS, *MORE], help="games, such as nim:1,3,5,7")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--iterations", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--no-peer", action="store_true", help="without OpenSpiel")
    args = parser.parse_args()
    measure(args.positions, args.iterations, args.rounds, not args.no_peer)


if __name__ == "__main__":
    main()
