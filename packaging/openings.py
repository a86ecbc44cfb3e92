"""Make resources/openings: openings in which nimdesk's own search finds that neither side is ahead.

    uv run python packaging/openings.py gomoku-15 --games 10 --simulations 1500

Random marks near the middle, no two boards alike when turned or mirrored. One is taken if a search of ten times as many
simulations gives it a value between 0.4 and 0.6 and proves nothing, and ``mcts`` against itself scores one third to two
thirds in it, both with playouts. Seeded, so that the same call writes the same file; some 15 minutes.
"""

import argparse
import random
from pathlib import Path

from nimdesk.games import AnyPosition, kit_of, parse_position
from nimdesk.search import Limit, Snapshot
from nimdesk.search.mcts import MctsSearcher
from nimdesk.search.options import MctsOptions

# The board, how many openings, the fewest and the most marks in one, and how far from the middle these are.
SETS = {"gomoku-15": ("mnk:15,15,5", 24, 4, 6, 3)}
HEAD = """\
# Openings of {board} in which neither side is ahead, as nimdesk's own search finds: with {searched:,} simulations a
# value between 0.4 and 0.6 and nothing proven, and a third to two thirds of the points in {games} games of mcts against
# itself at {simulations:,} simulations. Made by packaging/openings.py.
"""


def searched(position: AnyPosition, simulations: int, seed: int) -> Snapshot:
    searcher = MctsSearcher(MctsOptions(iterations=simulations, evaluate=False))
    searcher.start(position, seed)
    searcher.advance(Limit())
    return searcher.snapshot()


def seems_even(position: AnyPosition, simulations: int) -> bool:
    found = searched(position, simulations, 0)
    leader = next(stats for stats in found.moves if stats.move == found.best_move)
    return leader.proven is None and leader.mean_value is not None and 0.4 <= leader.mean_value <= 0.6


def is_even(position: AnyPosition, simulations: int, games: int) -> bool:
    """Whether both sides get a third of the points at least; it stops as soon as one cannot."""
    points = [0.0, 0.0]
    for seed in range(games):
        at = position
        while at.outcome is None:
            move = searched(at, simulations, 1_000 * seed + at.ply).best_move
            assert move is not None
            at = at.play(move)
        for side, score in enumerate((0.5, 0.5) if at.winner is None else (1 - int(at.winner), int(at.winner))):
            points[side] += score
        if max(points) > games * 2 / 3:
            return False
    return True


def shape(position: AnyPosition) -> frozenset[tuple[str, ...]]:
    """The same for boards that are turned or mirrored, or filled in another order."""
    views = kit_of(position).views(position.game)
    sides = [[turn(move).text for move in position.moves] for _, turn in views]
    return frozenset((*sorted(moves[::2]), "/", *sorted(moves[1::2])) for moves in sides)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--simulations", type=int, default=1_500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    board, wanted, fewest, most, near = SETS[options.set]
    dice, start, seen = random.Random(options.seed), parse_position(board), set[object]()
    middle, found = start.game.m // 2, list[str]()
    numbers = {**vars(options), "board": board, "searched": 10 * options.simulations}
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
        if not seems_even(position, numbers["searched"]) or not is_even(position, options.simulations, options.games):
            continue
        found.append(position.text)
        print(f"{len(found)} of {len(seen)}: {position.text}", flush=True)
        path.write_text(HEAD.format(**numbers) + "\n".join(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
