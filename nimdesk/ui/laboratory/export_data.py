"""The laboratory's numbers as CSV: what a view shows, and all that is known of the searches."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

import numpy as np

from nimdesk.play.bundle import Bundle, SavedRun, analyse_command, rounds_of
from nimdesk.search.timeline import Cost
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.runs import Run
from nimdesk.ui.laboratory.studied import LETTERS, Studied
from nimdesk.ui.plots.frame import Frame, Measure

_WHOLE = (Cost.ITERATIONS, Cost.PLAYOUTS)


def view_csv(frame: Frame) -> str:
    """What the frame's view draws, one line for each checkpoint; the frame must have something to draw.

    A view of moves has the cost and a column for each move (for a mean also its error, for a bound also its mean).
    A view of agents has ``agent``, the cost, the value and ``plays``, agent after agent. Unknown values are empty.
    """
    return _moves_csv(frame) if frame.view.of_moves else _agents_csv(frame)


def _moves_csv(frame: Frame) -> str:
    history = frame.moves
    values = frame.values(np.arange(len(history.moves)))
    columns = list(zip(history.names, values.tolist(), strict=True))
    if frame.measure is Measure.MEAN:
        columns += [(f"error:{name}", history.errors[:, c].tolist()) for c, name in enumerate(history.names)]
    elif frame.measure is Measure.BOUND:
        columns += [(f"mean:{name}", history.means[:, c].tolist()) for c, name in enumerate(history.names)]
    cost = frame.axis.cost
    spent = [int(each) if cost in _WHOLE else each for each in frame.spent.tolist()]
    rows = zip(spent, *(numbers for _, numbers in columns), strict=True)
    return _written([cost.value, *(name for name, _ in columns)], rows)


def _agents_csv(frame: Frame) -> str:
    rows: list[list[object]] = []
    for curve in frame.curves:
        for row, (spent, value) in enumerate(zip(curve.spent.tolist(), curve.values.tolist(), strict=True)):
            cost = int(spent) if frame.axis.cost in _WHOLE else spent
            rows.append([f"{curve.line.letter} {curve.line.name}", cost, value, curve.chosen(row)])
    return _written(["agent", frame.axis.cost.value, frame.view.title.lower(), "plays"], rows)


def full_csv(runs: Sequence[tuple[str, Studied, Run]]) -> str:
    """Every row of every search: ``run``, ``agent``, ``seed``, costs, ``plays``, and visits and value sums by move.

    ``nodes`` are interpolated between the moments at which they were seen. A search without a trace has no visits.
    """
    lines = [(name, studied, run.timeline) for name, studied, run in runs]
    there = [(name, studied, line) for name, studied, line in lines if line is not None]
    if not there:
        return ""
    moves = there[0][2].moves
    pairs = [name for move in moves for name in (f"visits:{move.text}", f"value_sum:{move.text}")]
    rows: list[list[object]] = []
    for name, studied, line in there:
        trace, nodes = line.trace, line.costs(Cost.NODES)
        for row in range(len(line)):
            chosen = int(line.choice[row])
            numbers: list[object] = [""] * len(pairs)
            if trace is not None:
                numbers[::2], numbers[1::2] = trace.visits[row].tolist(), trace.value_sum[row].tolist()
            costs = [
                int(line.iterations[row]),
                float(line.elapsed_s[row]),
                "" if trace is None or trace.playouts is None else int(trace.playouts[row]),
                "" if nodes is None else float(nodes[row]),
            ]
            played = moves[chosen].text if chosen >= 0 else ""
            rows.append([name, studied.agent.name, studied.seed, *costs, played, *numbers])
    return _written(["run", "agent", "seed", "iteration", "elapsed_s", "playouts", "nodes", "plays", *pairs], rows)


def _written(header: list[str], rows: Iterable[Iterable[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    # NaN is the one number that is not itself: nothing is known there.
    writer.writerows([["" if value != value else value for value in row] for row in rows])
    return out.getvalue()


def runs_begun(model: Laboratory) -> list[tuple[str, Studied, Run]]:
    """The searches that there is anything to take of: letter, agent, run."""
    three = zip(LETTERS, model.agents.studied, model.searches.runs, strict=False)
    return [each for each in three if each[2].snapshot is not None]


def commands(model: Laboratory) -> str:
    """One command line for each search, which comes to the same numbers and writes its trace, if there is one."""
    lines = []
    for letter, studied, run in runs_begun(model):
        assert run.snapshot is not None
        kept = run.snapshot.trace is not None or run.snapshot.steps
        search = (model.place.position, studied.agent, studied.seed, run.snapshot.iterations)
        file = f"trace-{letter}.csv" if kept else ""
        lines.append(analyse_command(*search, file, nodes=run.snapshot.tree_nodes))
    return "\n".join(lines)


def longer_commands(model: Laboratory) -> str:
    """Which of the ``commands`` search on for less than a round more than the laboratory did, as a sentence, or ""."""
    parts = []
    for letter, studied, run in runs_begun(model):
        assert run.snapshot is not None
        done = run.snapshot.iterations
        asked = rounds_of(model.place.position, studied.agent, done) * len(model.place.position.legal_moves)
        if asked > done:
            parts.append(f"{letter} makes {asked:,} iterations there, not {done:,}: it tries all moves equally often")
    return f"{'; '.join(parts)}." if parts else ""


def bundle_of(model: Laboratory, shown: dict[str, object]) -> Bundle:
    """The experiment as it stands; at least one search must have begun."""
    saved = []
    for _, studied, run in runs_begun(model):
        assert run.snapshot is not None
        saved.append(SavedRun(studied.agent, studied.seed, run.snapshot, run.rows))
    return Bundle(model.place.position, tuple(saved), shown)
