"""When a trace takes its rows (each iteration at first, then at even logarithms), and the trace made of them."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from nimdesk.games import Move
from nimdesk.search.types import Trace

# Each checkpoint is at most this much later than the one before: 59 rows for every tenfold of iterations.
RATIO = 1.04


@cache
def checkpoints(last: int) -> NDArray[np.int64]:
    """Strictly increasing iterations from 1 to at least ``last``, then one that is never reached; read-only."""
    steps: list[int] = []
    at = 1
    while at <= last:
        steps.append(at)
        at = max(at + 1, int(at * RATIO))
    steps += [at, np.iinfo(np.int64).max]
    made = np.array(steps, np.int64)
    made.flags.writeable = False
    return made


def make_trace(
    moves: tuple[Move, ...],
    at: NDArray[np.int64],
    elapsed_s: NDArray[np.float64],
    visits: NDArray[np.uint32],
    score: NDArray[np.uint32] | NDArray[np.float64],
    now: tuple[int, float, NDArray[np.uint32], NDArray[np.uint32] | NDArray[np.float64]],
    playouts: tuple[NDArray[np.int64], int],
    choice: tuple[NDArray[np.int64], int] | None = None,
) -> Trace:
    """The recorded rows as a frozen trace and, if the last one is past, a row for ``now``.

    ``at`` (T,), ``elapsed_s`` (T,), ``visits`` and ``score`` (T, L; half points of the side to move) are copied.
    ``now`` is the same at this moment: iterations, seconds, visits (L,) and half points (L,); ``playouts`` are those
    at the rows (T,), and now; ``choice`` likewise, for searches whose choice is more than visits or means.
    """
    score_sum, played_out = score.astype(np.float64), playouts[0]
    if now[0] > (at[-1] if len(at) else 0):
        at, elapsed_s, played_out = np.append(at, now[0]), np.append(elapsed_s, now[1]), np.append(*playouts)
        visits, score_sum = np.vstack((visits, now[2])), np.vstack((score_sum, now[3].astype(np.float64)))
    else:
        at, elapsed_s, visits, played_out = at.copy(), elapsed_s.copy(), visits.copy(), played_out.copy()
    value_sum = 0.5 * score_sum
    chosen = None if choice is None else _column_of_choices(*choice, len(at))
    for array in (at, elapsed_s, visits, value_sum, played_out):
        array.flags.writeable = False
    return Trace(moves, at, elapsed_s, visits, value_sum, played_out, chosen)


def _column_of_choices(rows: NDArray[np.int64], now: int, length: int) -> NDArray[np.int64]:
    """The choices at the rows, the last of which is that of this moment."""
    chosen = np.empty(length, np.int64)
    chosen[: len(rows)] = rows
    if length:
        chosen[-1] = now
    chosen.flags.writeable = False
    return chosen
