"""A trace as CSV, for spreadsheets and plotting scripts."""

import csv
import io

from nimdesk.games.truth import Value
from nimdesk.search.types import Step, Trace


def trace_csv(trace: Trace) -> str:
    """One line for each checkpoint, after a header line; numbers are written exactly, lines end in a line feed.

    Columns: ``iteration``; ``elapsed_s``, the seconds of searching until then; ``playouts``, the random continuations
    until then, empty where nobody counted them; and for each root move, in the order of ``trace.moves``,
    ``visits:<move>`` and ``value_sum:<move>``: how often it was tried, and the sum of the results (win 1, draw 1/2,
    loss 0) for the side that plays it. ``value_sum / visits`` is the mean value.
    """
    header = ["iteration", "elapsed_s", "playouts"]
    for move in trace.moves:
        header += [f"visits:{move.text}", f"value_sum:{move.text}"]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    rows = zip(
        trace.iterations.tolist(),
        trace.elapsed_s.tolist(),
        playouts_column(trace),
        trace.visits.tolist(),
        trace.value_sum.tolist(),
        strict=True,
    )
    for iteration, elapsed_s, playouts, visits, value_sum in rows:
        pairs = (number for pair in zip(visits, value_sum, strict=True) for number in pair)
        writer.writerow([iteration, elapsed_s, playouts, *pairs])
    return out.getvalue()


def playouts_column(trace: Trace) -> list[int | str]:
    """The playouts done by each checkpoint; empty cells where the trace, from a plug-in or an old file, has none."""
    return [""] * len(trace) if trace.playouts is None else trace.playouts.tolist()


def steps_csv(steps: tuple[Step, ...]) -> str:
    """One line for each depth finished: ``depth``, ``nodes``, ``elapsed_s``, ``best_move``, ``value``.

    Nodes and seconds count from the start of the search; ``value`` is win, draw or loss for the side to move where that
    is proven, and else empty.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["depth", "nodes", "elapsed_s", "best_move", "value"])
    for step in steps:
        value = "" if step.value is Value.UNKNOWN else step.value.value
        writer.writerow([step.depth, step.nodes, step.elapsed_s, step.best_move.text, value])
    return out.getvalue()
