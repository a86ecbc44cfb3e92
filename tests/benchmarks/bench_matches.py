"""Matches at equal time: what a search is worth against another one on boards, with what each of its moves costs.

    uv run python tests/benchmarks/bench_matches.py
    uv run python tests/benchmarks/bench_matches.py mnk:7,7,5 --games 400 --time-ms 5 --second uct:exploration=0.5

A side is the name of a search, ``mcts`` or ``uct``, and what it is told (``mcts:merge=False,exploration=0.5``). Each
random opening is played twice, with colours changed. A move gets so many milliseconds of *processor time* of its
thread, so that whatever else the machine does hurts neither side. One line for each board: wins, draws and losses of
the first side, its score with the Wilson interval at 95 % (a draw counts half, so that the interval is rather too
wide), and how many simulations a move each side did, in the median. Not collected by pytest.
"""

from __future__ import annotations

import argparse
import time
from ast import literal_eval
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from nimdesk.experiments.statistics import wilson
from nimdesk.games import AnyPosition, Move, parse_game
from nimdesk.search import Limit, Searcher
from nimdesk.search.mcts import MctsSearcher
from nimdesk.search.options import MctsOptions, UctOptions
from nimdesk.search.parallel_uct import uct_searcher

BOARDS = ["mnk:5,5,4", "mnk:7,7,5", "mnk:15,15,5"]
_MOST = 100_000_000


def side(text: str) -> Callable[[], Any]:
    """Makes searchers from ``name:option=value,...``."""
    name, _, rest = text.partition(":")
    options = {key: literal_eval(value) for key, _, value in (each.partition("=") for each in rest.split(",") if each)}
    if name == "mcts":
        return lambda: MctsSearcher(MctsOptions(iterations=_MOST, **options))
    if name == "uct":
        return lambda: uct_searcher(UctOptions(iterations=_MOST, **options))
    raise SystemExit(f"no search is called {name}; there are mcts and uct")


def choose(searcher: Searcher, position: AnyPosition, seed: int, time_s: float) -> tuple[Move, int]:
    """The move after this much processor time, and the simulations done."""
    searcher.start(position, seed)
    done, step, begin = 0, 32, time.thread_time()
    while True:
        done += step
        stopped = searcher.advance(Limit(iterations=done))
        took = time.thread_time() - begin
        if stopped is not None or took >= time_s:
            break
        # About a tenth of the time, or what is left of it.
        step = max(1, int(done / took * min(time_s / 10, time_s - took)))
    snapshot = searcher.brief()  # type: ignore[attr-defined]
    assert snapshot.best_move is not None
    return snapshot.best_move, snapshot.iterations


def opening(text: str, plies: int, number: int) -> AnyPosition:
    random = np.random.default_rng(number)
    while True:
        position: AnyPosition = parse_game(text).start()
        for _ in range(plies):
            if position.outcome is None:
                position = position.play(position.legal_moves[random.integers(len(position.legal_moves))])
        if position.outcome is None:
            return position


def match(text: str, sides: list[Any], games: int, plies: int, time_s: float) -> tuple[list[int], list[list[int]]]:
    """Losses, draws and wins of the first side; the simulations of each side's moves."""
    results, simulations = [0, 0, 0], [[0], [0]]
    for number in range(games):
        position = opening(text, plies, number // 2)
        # Who has the first player's marks.
        first = number % 2
        while position.outcome is None:
            who = position.turn ^ first
            move, done = choose(sides[who], position, number, time_s)
            simulations[who].append(done)
            position = position.play(move)
        results[int(2 * position.outcome.score(first))] += 1
    return results, simulations


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("boards", nargs="*", default=BOARDS)
    parser.add_argument("--first", default="mcts")
    parser.add_argument("--second", default="uct")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--time-ms", type=float, default=10.0)
    parser.add_argument("--plies", type=int, default=2, help="random moves that a game starts with")
    args = parser.parse_args()
    made = [side(args.first)(), side(args.second)()]
    print(f"{args.first} against {args.second}, {args.time_ms:g} ms a move, openings of {args.plies} random moves")
    for text in args.boards:
        (lost, drawn, won), simulations = match(text, made, args.games, args.plies, args.time_ms / 1000)
        score = (won + 0.5 * drawn) / args.games
        low, high = wilson(won + 0.5 * drawn, args.games)
        speeds = " : ".join(f"{median(each):,.0f}" for each in simulations)
        print(f"{text:12} +{won} ={drawn} -{lost}  {score:.3f} [{low:.3f}, {high:.3f}]  {speeds}", flush=True)


if __name__ == "__main__":
    main()
