"""How long it takes to solve positions of Connect Four after some random moves; not collected by pytest.

    python tests/benchmarks/bench_connect_four.py [--count 50] [--plies 8 10 12 16 12-41] [--no-book] [--peer] [--empty]
    python tests/benchmarks/bench_connect_four.py --no-book --cases Test_L1_R2

For each number of plies, or a number drawn from a range of them: the time until the position's value is known (value),
its distance too (exact), the value and distance of every move (all), each as median / 99th percentile / mean in
milliseconds on the clock: processor time would count both threads of the solver, so leave the machine alone meanwhile.
Solvers are fresh, with an empty table; positions have no line to complete at once. ``--cases`` are files whose lines
are the columns of a position's moves, from 1, and its score, as in Pons' test sets ("Solving Connect Four", part 2);
how many of the scores are not ours is told. ``--peer`` puts the same positions to the package ``bitbully``, which must
be installed, in the same run, and compares the distances: for the position without a book, so beside "exact" with
``--no-book``. ``--empty`` solves the empty board without a book.
"""

import argparse
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from nimdesk.games import MnkGame, MnkPosition
from nimdesk.games.base import Side
from nimdesk.games.mnk.drop_solver import DropSolver
from nimdesk.games.mnk.solver.drop_search import last_stone
from nimdesk.games.truth import Truth, Value
from nimdesk.limit import Limit

GAME = MnkGame(7, 6, 4, gravity=True)
STEP_S = 0.002


def random_position(plies: int, rng: random.Random) -> MnkPosition:
    while True:
        position: MnkPosition = GAME.start()
        while position.outcome is None and position.ply < plies:
            position = position.play(rng.choice(position.legal_moves))
        if position.outcome is None and all(position.play(move).winner is None for move in position.legal_moves):
            return position


def timed(position: MnkPosition, use_book: bool, *, all_moves: bool = True) -> tuple[list[float], Truth]:
    """Seconds to the value, its distance and all moves; and the truth."""
    solver, times = DropSolver(use_book=use_book), [-1.0, -1.0]
    begin = time.perf_counter()
    solver.start(position)
    while True:
        done = solver.advance(Limit(time_s=solver.truth().elapsed_s + STEP_S))
        truth, now = solver.truth(), time.perf_counter() - begin
        if times[0] < 0 and truth.value is not Value.UNKNOWN:
            times[0] = now
        if times[1] < 0 and truth.distance is not None and truth.value is not Value.UNKNOWN:
            times[1] = now
        if done or (times[1] >= 0 and not all_moves):
            return [*times, now], truth


def new_peer() -> Callable[[MnkPosition], tuple[float, int]]:
    from bitbully import BitBully, Board

    peer = BitBully(None)

    def ask(position: MnkPosition) -> tuple[float, int]:
        rows = []
        for row in reversed(range(GAME.n)):
            sides = [position.mark(column, row) for column in range(GAME.m)]
            rows.append([0 if side is None else 1 if side is Side.FIRST else 2 for side in sides])
        board = Board(rows)
        peer.reset_transposition_table()
        begin = time.perf_counter()
        score = peer.mtdf(board)
        took = time.perf_counter() - begin
        return took, peer.score_to_moves_left(score, board)

    return ask


def shown(times: list[float]) -> str:
    ordered = sorted(times)
    at = [ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))], sum(times) / len(times)]
    return " / ".join(f"{1000 * each:.1f}" for each in at)


def random_positions(plies: str, count: int, seed: int) -> Iterator[tuple[MnkPosition, None]]:
    """Positions after a number of random moves, or a number from a range such as 12-41; nobody tells their scores."""
    rng, (least, *most) = random.Random(seed), map(int, plies.split("-"))
    for _ in range(count):
        yield random_position(rng.randint(least, *most or (least,)), rng), None


def cases(path: Path) -> Iterator[tuple[MnkPosition, int]]:
    """The positions of a file, and the score that it gives them."""
    for line in path.read_text().splitlines():
        columns, score = line.split()
        position: MnkPosition = GAME.start()
        for column in columns:
            position = position.play(next(move for move in position.legal_moves if move.column == int(column) - 1))
        yield position, int(score)


def is_right(position: MnkPosition, score: int, truth: Truth) -> bool:
    """Whether the truth is what the score says."""
    value = Value.WIN if score > 0 else Value.LOSS if score else Value.DRAW
    distance = last_stone(GAME.m * GAME.n, position.ply, score) - position.ply
    return truth.value is value and (truth.distance == distance or not score)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--plies", nargs="*")
    parser.add_argument("--cases", nargs="*", type=Path, default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-book", action="store_true")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--empty", action="store_true")
    options = parser.parse_args()
    begin = time.perf_counter()
    DropSolver().start(GAME.start())
    print(f"kernels and book loaded: {time.perf_counter() - begin:.2f} s")
    peer = new_peer() if options.peer else None
    plies = options.plies or ([] if options.cases else ["8", "10", "11", "12", "14", "16", "20"])
    sets = {f"ply {each}": random_positions(each, options.count, options.seed) for each in plies}
    for name, positions in (sets | {path.name: cases(path) for path in options.cases}).items():
        columns, theirs, wrong = [[], [], []], [], 0
        for position, score in positions:
            times, truth = timed(position, not options.no_book, all_moves=not (options.peer or options.cases))
            for column, each in zip(columns, times, strict=True):
                column.append(each)
            wrong += score is not None and not is_right(position, score, truth)
            if peer is not None:
                took, distance = peer(position)
                theirs.append(took)
                wrong += truth.value is not Value.DRAW and distance != truth.distance
        text = f"{name}  value {shown(columns[0])}  exact {shown(columns[1])}"
        text += f"  peer {shown(theirs)}" if peer is not None else ""
        text += f"  {wrong} differ" if options.cases or peer is not None else f"  all {shown(columns[2])}"
        print(text, flush=True)
    if options.empty:
        times, truth = timed(GAME.start(), False, all_moves=False)
        print(f"empty board: {truth.explanation} value {times[0]:.1f} s, with distance {times[1]:.1f} s")


if __name__ == "__main__":
    main()
