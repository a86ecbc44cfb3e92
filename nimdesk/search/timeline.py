"""One search over its costs: what it would have played after any number of iterations, seconds, playouts or nodes.

A ``Trace`` knows all costs, except that older files did not count nodes. The moments of an agent without a trace are
those at which a ``Recorder`` was shown a snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nimdesk.cells import csv_text
from nimdesk.games import Move
from nimdesk.games.truth import Truth
from nimdesk.search import measures
from nimdesk.search.measures import Floats, Ints
from nimdesk.search.traces import steps_csv
from nimdesk.search.types import Snapshot, Trace

_STEP = 1.02
"""A recorder keeps a snapshot only where a cost has grown by this factor, or the choice has changed."""
_Row: TypeAlias = tuple[int, float, float, int]


class Cost(Enum):
    """What a search is measured by; the value is the word for it."""

    ITERATIONS = "iterations"
    SECONDS = "seconds"
    PLAYOUTS = "playouts"
    NODES = "nodes"


def cost_of(snapshot: Snapshot, cost: Cost) -> float | None:
    """How much of this cost the search has spent; None if it has no such cost.

    An agent that does not sample has no iterations and no playouts; one that samples without a tree has no nodes.
    """
    if cost is Cost.SECONDS:
        return snapshot.elapsed_s
    if cost is Cost.ITERATIONS:
        return None if snapshot.trace is None else float(snapshot.iterations)
    if cost is Cost.PLAYOUTS:
        return None if snapshot.trace is None or snapshot.playouts is None else float(snapshot.playouts)
    return None if snapshot.nodes is None else float(snapshot.nodes)


def short_seconds(value: float) -> str:
    """Seconds for an axis: 10 µs, 1 ms, 2.5 s."""
    for size, unit in ((1.0, "s"), (1e-3, "ms")):
        if value >= size * (1 - 1e-9):
            return f"{value / size:.4g} {unit}"
    return f"{value * 1e6:.4g} µs" if value > 0 else "0"


def cost_words(cost: Cost, value: float) -> str:
    """Such as "iteration 1,240", "after 2.5 s", "1,240 playouts" or "1,240 nodes"."""
    if cost is Cost.SECONDS:
        return f"after {short_seconds(value)}"
    return f"iteration {value:,.0f}" if cost is Cost.ITERATIONS else f"{value:,.0f} {cost.value}"


class Entropies:
    """The entropies of a growing trace; those of earlier rows are kept."""

    def __init__(self) -> None:
        self._visits: NDArray[np.uint32] = np.zeros((0, 0), np.uint32)
        self._bits: Floats = np.zeros(0)

    def bits(self, trace: Trace) -> Floats:
        """``measures.entropy_bits`` of this trace; rows shared with the previous trace are not computed again."""
        # The newest row of a running search may still change.
        known = min(len(self._visits), len(trace)) - 1
        if known <= 0 or not np.array_equal(self._visits[:known], trace.visits[:known]):
            known = 0
        self._bits = np.concatenate((self._bits[:known], measures.entropy_bits(trace, known)))
        self._visits = trace.visits
        return self._bits


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """The rows of one search: the costs, and the column of ``moves`` that it would have played (−1: none yet).

    All arrays are (T,). With a trace, its rows are these rows.
    """

    moves: tuple[Move, ...]
    iterations: Ints
    elapsed_s: Floats
    nodes: Ints | None
    choice: Ints
    trace: Trace | None
    entropies: Entropies = field(default_factory=Entropies, repr=False)

    def __len__(self) -> int:
        """The number of rows, T."""
        return len(self.choice)

    def costs(self, cost: Cost) -> Floats | None:
        """The cost at each row, never decreasing; None if this search has no such cost."""
        if cost is Cost.SECONDS:
            return self.elapsed_s
        if cost is Cost.ITERATIONS:
            return None if self.trace is None else self.iterations.astype(np.float64)
        if cost is Cost.PLAYOUTS:
            counted = None if self.trace is None else self.trace.playouts
            return None if counted is None else counted.astype(np.float64)
        return None if self.nodes is None else self.nodes.astype(np.float64)

    def row_at(self, cost: Cost, value: float) -> int:
        """The newest row that has spent no more than ``value``, or the first. The search must have at least one row.

        The last row if the search has no such cost.
        """
        spent = self.costs(cost)
        if spent is None:
            return len(self) - 1
        return max(0, int(np.searchsorted(spent, value * (1 + 1e-12), side="right")) - 1)

    def entropy_bits(self) -> Floats | None:
        """The entropy of the visits at each row; None without visits."""
        return None if self.trace is None else self.entropies.bits(self.trace)

    def optimal_shares(self, truth: Truth | None) -> Floats | None:
        """The share of visits on optimal moves; without visits, 1 or 0 by the choice; None if unknown."""
        if self.trace is not None:
            return measures.optimal_shares(self.trace, truth)
        regrets = self.regrets(truth)
        return None if regrets is None else np.where(np.isnan(regrets), np.nan, (regrets == 0).astype(np.float64))

    def regrets(self, truth: Truth | None) -> Floats | None:
        """The regret of the choice at each row; NaN before there is one, None while the value is unknown."""
        regrets = measures.move_regrets(self.moves, truth)
        # The choice −1 (none yet) selects the last entry, NaN.
        return None if regrets is None else np.append(regrets, np.nan)[self.choice]

    @property
    def changes(self) -> list[int]:
        """The rows at which the choice differs from the row before, which had one: where the strip of leaders changes.

        All of them count, also those of the first iterations, when the search has hardly tried its moves.
        """
        choice = self.choice
        return [int(at) + 1 for at in ((choice[1:] != choice[:-1]) & (choice[:-1] >= 0)).nonzero()[0]]


def timelines_csv(names: Sequence[str], parts: Sequence[tuple[Sequence[object], Timeline]]) -> str:
    """One line for each row of these searches of one position, after a header line; numbers are exact.

    Each line begins with the cells of its search, under ``names``. Then come ``iteration``, and the ``elapsed_s``,
    ``playouts`` and ``nodes`` until then; ``plays``, the move that it would have played; and for each root move
    ``visits:<move>`` and ``value_sum:<move>``: how often it was tried, and the sum of the results (win 1, draw 1/2,
    loss 0) for the side that plays it. What a search does not count is empty. Lines end in a line feed.
    """
    pairs = [f"{kind}:{move.text}" for move in parts[0][1].moves for kind in ("visits", "value_sum")]
    header = [*names, "iteration", "elapsed_s", "playouts", "nodes", "plays", *pairs]
    return csv_text(header, ([*cells, *row] for cells, line in parts for row in _cells(line)))


def _cells(line: Timeline) -> Iterator[list[object]]:
    trace, unknown = line.trace, [""] * len(line)
    playouts = unknown if trace is None or trace.playouts is None else trace.playouts.tolist()
    nodes = unknown if line.nodes is None else line.nodes.tolist()
    plays = [line.moves[column].text if column >= 0 else "" for column in line.choice.tolist()]
    # Only NaN, an unknown number, differs from itself.
    times = ["" if each != each else each for each in line.elapsed_s.tolist()]
    for row, costs in enumerate(zip(line.iterations.tolist(), times, playouts, nodes, plays, strict=True)):
        numbers: list[object] = [""] * (2 * len(line.moves))
        if trace is not None:
            numbers[::2], numbers[1::2] = trace.visits[row].tolist(), trace.value_sum[row].tolist()
        yield [*costs, *numbers]


def trace_csv(snapshot: Snapshot) -> str:
    """The table of ``timelines_csv`` for a single search that has a trace, without cells of its own."""
    recorder = Recorder()
    recorder.add(snapshot)
    return timelines_csv((), [((), recorder.timeline(snapshot))])


def search_csv(snapshot: Snapshot) -> str:
    """The checkpoints of a search, or its depths where it has no trace; "" for a search that keeps neither."""
    if snapshot.trace is not None:
        return trace_csv(snapshot)
    return steps_csv(snapshot.steps) if snapshot.steps else ""


class Recorder:
    """Remembers one search by its snapshots; how many moments it keeps grows with the logarithm of time."""

    def __init__(self) -> None:
        """Nothing is remembered yet."""
        self._kept: list[_Row] = []
        self._newest: _Row | None = None
        self._steps = 0
        self._entropies = Entropies()

    def add(self, snapshot: Snapshot) -> None:
        """Remember this snapshot, which must not be older than the last one."""
        columns = {stats.move: column for column, stats in enumerate(snapshot.moves)}
        # The newest moment stays once it is far enough from the one before it.
        if self._newest is not None and (not self._kept or _worth_keeping(self._kept[-1], self._newest)):
            self._kept.append(self._newest)
        # The choice at the end of each depth is known exactly, however many depths came in between; it always stays.
        for step in snapshot.steps[self._steps :]:
            self._kept.append((0, step.elapsed_s, float(step.nodes), columns[step.best_move]))
        self._steps = len(snapshot.steps)
        best = -1 if snapshot.best_move is None else columns.get(snapshot.best_move, -1)
        self._newest = (snapshot.iterations, snapshot.elapsed_s, float(snapshot.tree_nodes), best)

    @property
    def rows(self) -> tuple[_Row, ...]:
        """The remembered moments, oldest first: iterations, seconds, nodes, column of the choice."""
        return tuple(self._kept) if self._newest is None else (*self._kept, self._newest)

    def restore(self, rows: tuple[_Row, ...], snapshot: Snapshot) -> None:
        """Take over what ``rows`` returned, for a search whose last snapshot this is."""
        self._kept, self._newest, self._steps = [], None, 0
        if rows:
            self._kept, self._newest, self._steps = list(rows[:-1]), rows[-1], len(snapshot.steps)
        else:
            self.add(snapshot)

    def timeline(self, snapshot: Snapshot) -> Timeline:
        """The whole search up to this snapshot, which must be the last one added."""
        trace = snapshot.trace
        moves = trace.moves if trace is not None else tuple(stats.move for stats in snapshot.moves)
        rows = self.rows
        recorded = np.array(rows, np.float64).reshape(-1, 4)
        if trace is None:
            counted, nodes, choice = (recorded[:, column].astype(np.int64) for column in (0, 2, 3))
            return Timeline(moves, counted, recorded[:, 1], nodes, choice, None)
        grown = trace.nodes if snapshot.has_nodes else None
        return Timeline(moves, trace.iterations, trace.elapsed_s, grown, trace.choice, trace, self._entropies)


def _worth_keeping(before: _Row, row: _Row) -> bool:
    return before[3] != row[3] or any(new > old * _STEP for old, new in zip(before[:3], row[:3], strict=True))
