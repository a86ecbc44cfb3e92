"""Make resources/openings: openings in which nimdesk's own search finds that neither side is ahead.

    uv run python packaging/openings.py gomoku-15

Random marks near the middle, no two boards alike when turned or mirrored. One is taken if a long search gives it a
value near one half and proves nothing. Seeded, so that the same call writes the same file; some ten minutes.
"""

import argparse
import random
from pathlib import Path

from nimdesk.games import AnyPosition, kit_of, parse_position
from nimdesk.search import Limit
from nimdesk.search.mcts import MctsSearcher
from nimdesk.search.options import MctsOptions

# The board, how many openings, the fewest and the most marks in one, and how far from the middle these are.
SETS = {"gomoku-15": ("mnk:15,15,5", 100, 4, 6, 3)}
HEAD = """\
# Openings of {board} in which neither side is ahead, as nimdesk's own search finds: with {simulations:,} simulations a
# value between {low} and {high} and nothing proven. Made by packaging/openings.py.
"""
LOW, HIGH = 0.44, 0.56


def seems_even(position: AnyPosition, simulations: int, low: float, high: float) -> bool:
    searcher = MctsSearcher(MctsOptions(iterations=simulations))
    searcher.start(position, 0)
    searcher.advance(Limit())
    found = searcher.snapshot()
    leader = next(stats for stats in found.moves if stats.move == found.best_move)
    return leader.proven is None and leader.mean_value is not None and low <= leader.mean_value <= high


def shape(position: AnyPosition) -> frozenset[tuple[str, ...]]:
    """The same for boards that are turned or mirrored, or filled in another order."""
    views = kit_of(position).views(position.game)
    sides = [[turn(move).text for move in position.moves] for _, turn in views]
    return frozenset((*sorted(moves[::2]), "/", *sorted(moves[1::2])) for moves in sides)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--simulations", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    board, wanted, fewest, most, near = SETS[options.set]
    dice, start, seen = random.Random(options.seed), parse_position(board), set[object]()
    middle, found = start.game.m // 2, list[str]()
    head = HEAD.format(board=board, simulations=options.simulations, low=LOW, high=HIGH)
    path = Path(__file__).parents[1] / "resources" / "openings" / f"{options.set}.txt"
    path.parent.mkdir(exist_ok=True)
    while len(found) < wanted:
        moves = [m for m in start.legal_moves if max(abs(m.column - middle), abs(m.row - middle)) <= near]
        position = start
        # So many marks of each size in turn, that no size is left out.
        for move in dice.sample(moves, fewest + len(found) % (most - fewest + 1)):
            position = position.play(move)
        if shape(position) in seen:
            continue
        seen.add(shape(position))
        # A short search is enough to see that most openings are not even.
        if not seems_even(position, options.simulations // 10, 0.3, 0.7):
            continue
        if not seems_even(position, options.simulations, LOW, HIGH):
            continue
        found.append(position.text)
        print(f"{len(found)} of {len(seen)}: {position.text}", flush=True)
        path.write_text(head + "\n".join(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
