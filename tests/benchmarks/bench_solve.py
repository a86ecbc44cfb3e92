"""How long the m,n,k solver takes, beside the values of the literature; not collected by pytest.

    python tests/benchmarks/bench_solve.py [--repeats 5] [--peers]

Times are medians of fresh solvers, compiled before: until the value of the position is known, until that of every
move, until every distance. ``--peers`` adds OpenSpiel's alpha-beta and a textbook alpha-beta on the same machine.
Connect Four has a file of its own, ``bench_connect_four.py``.
"""

import argparse
import statistics
import time

from nimdesk.games import MnkGame, MnkPosition
from nimdesk.games.mnk.theory import MnkSolver
from nimdesk.games.truth import Truth, Value
from nimdesk.limit import Limit

# Uiterwijk and van den Herik, The advantage of the initiative (2000).
LITERATURE = {
    (3, 3, 3): "draw", (4, 3, 3): "win", (4, 4, 3): "win", (4, 4, 4): "draw", (5, 5, 4): "draw", (6, 5, 4): "win",
    (7, 5, 4): "win", (6, 6, 4): "win", (5, 5, 5): "draw", (6, 5, 5): "draw", (6, 6, 5): "draw",
}  # fmt: skip
STEP_S = 0.0005
Times = tuple[float | None, float | None, float | None]


def timed(position: MnkPosition, cap_s: float) -> tuple[Times, Truth]:
    """Seconds to the value, to all values, to all distances (None: not within the cap), and what was proven."""
    solver = MnkSolver()
    solver.start(position)
    value_s: float | None = None
    values_s: float | None = None
    while True:
        truth = solver.truth()
        value_s = truth.elapsed_s if value_s is None and truth.value is not Value.UNKNOWN else value_s
        values_s = truth.elapsed_s if values_s is None and truth.complete else values_s
        if truth.elapsed_s >= cap_s:
            return (value_s, values_s, None), truth
        if solver.advance(Limit(time_s=truth.elapsed_s + STEP_S)):
            truth = solver.truth()
            end_s = truth.elapsed_s
            return (end_s if value_s is None else value_s, end_s if values_s is None else values_s, end_s), truth


def show(name: str, position: MnkPosition, known: str, repeats: int, cap_s: float) -> None:
    runs = [timed(position, cap_s) for _ in range(repeats)]
    columns = []
    for column in range(3):
        times = [run[0][column] for run in runs]
        done = [t for t in times if t is not None]
        columns.append(f"{1000 * statistics.median(done):10.2f}" if len(done) == len(times) else f"    > {cap_s:g} s")
    truth = runs[0][1]
    nodes = int(statistics.median(run[1].nodes for run in runs))
    plies = "" if truth.distance is None else f" in {truth.distance}"
    verdict = f"{truth.value.value}{plies}"
    print(f"{name:18s} {verdict:12s} {known:6s} {' '.join(columns)} {nodes:12,d}", flush=True)


def textbook(position: MnkPosition, alpha: int = -1, beta: int = 1) -> int:
    """Alpha-beta as in a textbook, on our readable rules."""
    if position.outcome is not None:
        return -1 if position.winner is not None else 0
    for move in position.legal_moves:
        alpha = max(alpha, -textbook(position.play(move), -beta, -alpha))
        if alpha >= beta:
            break
    return alpha


def peers() -> None:
    import pyspiel
    from open_spiel.python.algorithms import minimax

    for m, n, k in ((3, 3, 3), (4, 3, 3)):
        game = MnkGame(m, n, k)
        if (m, n, k) == (3, 3, 3):
            begin = time.perf_counter()
            value, _ = minimax.alpha_beta_search(pyspiel.load_game("tic_tac_toe"), maximum_depth=400)
            print(
                f"{game.text:18s} OpenSpiel alpha-beta: value {value:g}, {1000 * (time.perf_counter() - begin):.0f} ms"
            )
        begin = time.perf_counter()
        value = textbook(game.start())
        print(f"{game.text:18s} textbook alpha-beta:  value {value:g}, {1000 * (time.perf_counter() - begin):.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cap-s", type=float, default=30.0)
    parser.add_argument("--peers", action="store_true")
    options = parser.parse_args()
    begin = time.perf_counter()
    timed(MnkGame(3, 3, 3).start(), 1.0)
    print(f"first solve in this process: {time.perf_counter() - begin:.2f} s")
    print(f"{'position':18s} {'proven':12s} known  {'value ms':>10s} {'moves ms':>10s} {'all ms':>10s}     searched")
    for (m, n, k), known in LITERATURE.items():
        show(f"{m},{n},{k}", MnkGame(m, n, k).start(), known, options.repeats, options.cap_s)
    if options.peers:
        peers()


if __name__ == "__main__":
    main()
