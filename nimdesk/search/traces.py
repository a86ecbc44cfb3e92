"""The trace of a search: its checkpoints (every iteration at first, then log-spaced), how it is made, and its CSV."""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from nimdesk.cells import csv_text
from nimdesk.games import Move
from nimdesk.games.truth import Value
from nimdesk.search.types import Step, Trace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The ratio of successive checkpoints: 59 rows for every tenfold of iterations.
RATIO = 1.04


class Root(NamedTuple):
    """The root's statistics by column, in the order of the legal moves.

    ``visits`` uint32 (L,); ``score`` half points for the side to move, uint32 or float64 (L,).
    """

    visits: NDArray[np.uint32]
    score: NDArray[Any]


class Rows(NamedTuple):
    """The same at the checkpoints passed so far: ``visits`` and ``score`` (T, L), ``playouts`` by then int64 (T,)."""

    visits: NDArray[np.uint32]
    score: NDArray[Any]
    playouts: NDArray[np.int64]


@cache
def checkpoints(last: int) -> NDArray[np.int64]:
    """Strictly increasing iterations from 1 to at least ``last``, then one that is never reached; read-only."""
    import numpy as np  # lazy: the command line writes CSV without it

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
    rows: Rows,
    spent: tuple[int, float, int],
    now: Root,
    chosen: NDArray[np.int64] | None = None,
    choice: int | None = None,
) -> Trace:
    """The recorded rows as a frozen trace, and a row for this moment if the last one is past; all are copied.

    ``at`` (T,) and ``elapsed_s`` (T,) belong to ``rows``. ``spent`` and ``now`` are the iterations, seconds, playouts
    and statistics of this moment. ``chosen`` (T,), and ``choice`` now, are for searches that choose by more than visits
    or means.
    """
    import numpy as np  # lazy, as above

    visits, score, playouts = rows
    if spent[0] > (at[-1] if len(at) else 0):
        at, elapsed_s, playouts = (np.append(a, b) for a, b in zip((at, elapsed_s, playouts), spent, strict=True))
        visits, score = np.vstack((visits, now.visits)), np.vstack((score, now.score))
    else:
        at, elapsed_s, playouts, visits = at.copy(), elapsed_s.copy(), playouts.copy(), visits.copy()
    value_sum = 0.5 * score.astype(np.float64)
    if chosen is not None:
        # The last row is that of this moment.
        chosen = np.append(chosen, -1)[: len(at)] if len(chosen) < len(at) else chosen.copy()
        chosen[-1:] = -1 if choice is None else choice
        chosen.flags.writeable = False
    for array in (at, elapsed_s, visits, value_sum, playouts):
        array.flags.writeable = False
    return Trace(moves, at, elapsed_s, visits, value_sum, playouts, chosen)


def trace_csv(trace: Trace) -> str:
    """One line per checkpoint, after a header line; numbers are exact, lines end in a line feed.

    Columns: ``iteration``; ``elapsed_s``, the seconds of searching until then; ``playouts`` until then, empty if nobody
    counted them; and for each root move, in the order of ``trace.moves``, ``visits:<move>`` and ``value_sum:<move>``:
    how often it was tried, and the sum of the results (win 1, draw 1/2, loss 0) for the side that plays it.
    """
    header = ["iteration", "elapsed_s", "playouts"]
    for move in trace.moves:
        header += [f"visits:{move.text}", f"value_sum:{move.text}"]
    rows = zip(
        trace.iterations.tolist(),
        trace.elapsed_s.tolist(),
        playouts_column(trace),
        trace.visits.tolist(),
        trace.value_sum.tolist(),
        strict=True,
    )
    return csv_text(
        header, ([*costs, *chain(*zip(visits, value_sum, strict=True))] for *costs, visits, value_sum in rows)
    )


def playouts_column(trace: Trace) -> list[int | str]:
    """The playouts by each checkpoint; empty cells where the trace, from a plug-in or an old file, has none."""
    return [""] * len(trace) if trace.playouts is None else trace.playouts.tolist()


def steps_csv(steps: tuple[Step, ...]) -> str:
    """One line per finished depth: ``depth``, ``nodes``, ``elapsed_s``, ``best_move``, ``value``.

    Nodes and seconds count from the start of the search. ``value`` is a proven win, draw or loss for the side to move,
    else empty.
    """
    words = {value: "" if value is Value.UNKNOWN else value.value for value in Value}
    rows = ((step.depth, step.nodes, step.elapsed_s, step.best_move.text, words[step.value]) for step in steps)
    return csv_text(("depth", "nodes", "elapsed_s", "best_move", "value"), rows)
