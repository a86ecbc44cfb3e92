"""What a simulation is worth: how often a search chooses a move that theory or the solver proves to be right.

    uv run python tests/benchmarks/bench_strength.py
    uv run python tests/benchmarks/bench_strength.py --seeds 50 --iterations 100 500 2000 10000 100000 --only mcts uct
    uv run python tests/benchmarks/bench_strength.py nim:5,5,5 --peers

One line for each position and number of iterations, one column for each search: ``mcts`` with all it has, without one
of its parts each, the textbook ``uct``, and with ``--peers`` OpenSpiel's C++ MCTSBot. Each figure is the share of
seeds whose choice is right; ``chance`` is the share of right moves. Behind a ± is the standard error of a share of one
half with so many seeds. A last table says how many iterations a proof took. Not collected by pytest.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from statistics import median

from bench_search import openspiel_game
from solving import solve

from nimdesk.games import AnyPosition, MnkMove, Move, NimMove, parse_position
from nimdesk.search import Limit, Searcher
from nimdesk.search.mcts import MctsSearcher
from nimdesk.search.options import MctsOptions, UctOptions
from nimdesk.search.uct import UctSearcher

POSITIONS = ["nim:3,4,5", "nim:3,4,5:misere", "nim:5,5,5", "nim:21:max3", "mnk:3,3,3 a1", "mnk:4,4,3 a2 b3"]
SOLVE_S = 60.0

# Takes a position, iterations and a seed; the move it would play.
Chooser = Callable[[AnyPosition, int, int], Move | None]


def chooser(new_searcher: Callable[[int], Searcher]) -> Chooser:
    def choose(position: AnyPosition, iterations: int, seed: int) -> Move | None:
        searcher = new_searcher(iterations)
        searcher.start(position, seed)
        searcher.advance(Limit())
        return searcher.snapshot().best_move

    return choose


def mcts(**off: bool) -> Chooser:
    return chooser(lambda iterations: MctsSearcher(MctsOptions(iterations=iterations, **off)))  # type: ignore[arg-type]


def openspiel(position: AnyPosition, iterations: int, seed: int) -> Move | None:
    """The most visited move of OpenSpiel's bot, with the textbook's constant on its scale."""
    import pyspiel  # lazy: the rest works without it

    name = openspiel_game(position.game)
    if name is None:
        return None
    game = pyspiel.load_game(name)
    state, at = game.new_initial_state(), position.game.start()
    for move in position.moves:
        state.apply_action(_action(at, state, move))
        at = at.play(move)
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(game, evaluator, 2 * math.sqrt(2), iterations, 4_000, False, seed, False)
    best = max(bot.mcts_search(state).children, key=lambda child: child.explore_count).action
    return next(move for move in position.legal_moves if _action(position, state, move) == best)


def _action(position: AnyPosition, state: object, move: Move) -> int:
    if isinstance(move, NimMove):
        text = f"pile:{move.pile + 1}, take:{move.take};"
        player = state.current_player()  # type: ignore[attr-defined]
        actions: list[int] = state.legal_actions()  # type: ignore[attr-defined]
        return next(a for a in actions if state.action_to_string(player, a) == text)  # type: ignore[attr-defined]
    assert isinstance(move, MnkMove)
    return move.row * position.game.m + move.column  # type: ignore[attr-defined, no-any-return]


SEARCHES: dict[str, Chooser] = {
    "mcts": mcts(),
    "no merge": mcts(merge=False),
    "no prove": mcts(prove=False),
    "no order": mcts(order=False),
    "none": mcts(merge=False, prove=False, order=False),
    "uct": chooser(lambda iterations: UctSearcher(UctOptions(iterations=iterations))),
}


def measure(positions: list[str], counts: list[int], seeds: int, searches: dict[str, Chooser]) -> None:
    error = 0.5 / math.sqrt(seeds)
    print(f"{'position':18} {'iterations':>10} {'chance':>7} " + " ".join(f"{name:>9}" for name in searches))
    for text in positions:
        position = parse_position(text)
        right = solve(position, SOLVE_S).best_moves
        for count in counts:
            shares = []
            for choose in searches.values():
                chosen = [choose(position, count, seed) for seed in range(seeds)]
                shares.append(f"{'-':>9}" if None in chosen else f"{sum(m in right for m in chosen) / seeds:9.3f}")
            chance = len(right) / len(position.legal_moves)
            print(f"{text:18} {count:10,} {chance:7.3f} " + " ".join(shares), flush=True)
    print(f"± {error:.3f} at most, {seeds} seeds\n")


def measure_proofs(positions: list[str], seeds: int, most: int) -> None:
    print(f"{'position':18} {'proven':>7} {'median':>8} {'largest':>8}   iterations of mcts, at most {most:,}")
    for text in positions:
        took = []
        for seed in range(seeds):
            searcher = MctsSearcher(MctsOptions(iterations=most))
            searcher.start(parse_position(text), seed)
            searcher.advance(Limit())
            if searcher.proven_after is not None:
                took.append(searcher.proven_after)
        figures = f"{median(took):8,.0f} {max(took):8,}" if took else f"{'-':>8} {'-':>8}"
        print(f"{text:18} {len(took) / seeds:7.3f} {figures}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("positions", nargs="*", default=POSITIONS)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--iterations", type=int, nargs="+", default=[100, 500])
    parser.add_argument("--only", nargs="+", choices=SEARCHES, default=list(SEARCHES), metavar="SEARCH")
    parser.add_argument("--peers", action="store_true", help="OpenSpiel's bot as well")
    args = parser.parse_args()
    searches = {name: SEARCHES[name] for name in args.only} | ({"OpenSpiel": openspiel} if args.peers else {})
    measure(args.positions, args.iterations, args.seeds, searches)
    measure_proofs(args.positions, args.seeds, 100_000)


if __name__ == "__main__":
    main()
