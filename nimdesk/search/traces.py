"""The trace of a search: its checkpoints (every iteration at first, then log-spaced), how it is made, and its CSV."""

from __future__ import annotations

from functools import cache
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
    """The root's statistics at the checkpoints passed so far, (T, L), with ``playouts`` and ``nodes``, int64 (T,)."""

    visits: NDArray[np.uint32]
    score: NDArray[Any]
    playouts: NDArray[np.int64]
    nodes: NDArray[np.int64]


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
    spent: tuple[int, float, int, int],
    now: Root,
    chosen: NDArray[np.int64],
    choice: int | None,
    reused: int,
) -> Trace:
    """The recorded rows as a frozen trace, and a row for this moment if the last one is past; all are copied.

    ``at`` (T,), ``elapsed_s`` (T,) and ``chosen`` (T,), the columns that it would have played, belong to ``rows``.
    ``spent`` and ``now`` are the iterations, seconds, playouts, nodes and statistics of this moment, ``choice`` is its
    column. ``reused`` are the root's visits from an earlier search.
    """
    import numpy as np  # lazy, as above

    visits, score, playouts, nodes = rows
    if spent[0] > (at[-1] if len(at) else 0):
        costs = zip((at, elapsed_s, playouts, nodes), spent, strict=True)
        at, elapsed_s, playouts, nodes = (np.append(column, value) for column, value in costs)
        visits, score = np.vstack((visits, now.visits)), np.vstack((score, now.score))
    else:
        at, elapsed_s, visits = at.copy(), elapsed_s.copy(), visits.copy()
        playouts, nodes = playouts.copy(), nodes.copy()
    value_sum = 0.5 * score.astype(np.float64)
    # The last row is that of this moment.
    chosen = np.append(chosen, -1)[: len(at)] if len(chosen) < len(at) else chosen.copy()
    chosen[-1:] = -1 if choice is None else choice
    for array in (at, elapsed_s, playouts, nodes, visits, value_sum, chosen):
        array.flags.writeable = False
    return Trace(moves, at, elapsed_s, visits, value_sum, chosen, playouts, nodes, reused)


def steps_csv(steps: tuple[Step, ...]) -> str:
    """One line per finished depth: ``depth``, ``nodes``, ``elapsed_s``, ``best_move``, ``value``.

    Nodes and seconds count from the start of the search. ``value`` is a proven win, draw or loss for the side to move,
    otherwise empty.
    """
    words = {value: "" if value is Value.UNKNOWN else value.value for value in Value}
    rows = ((step.depth, step.nodes, step.elapsed_s, step.best_move.text, words[step.value]) for step in steps)
    return csv_text(("depth", "nodes", "elapsed_s", "best_move", "value"), rows)
