"""What the convergence plots draw: one snapshot's trace, prepared once for each frame."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nimdesk.games import Move
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.search import measures
from nimdesk.search.timeline import Cost
from nimdesk.search.types import Snapshot, Trace
from nimdesk.ui.look.move_colors import MoveColors
from nimdesk.ui.look.proven import proven_moves

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NICE = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_LEAST_S = 1e-6
"""Where a logarithmic axis of seconds begins at the earliest."""


class Measure(Enum):
    """What is drawn of each move; the value is its name on the axis."""

    SHARE = "share of visits"
    VISITS = "visits"
    MEAN = "mean value"
    BOUND = "upper bound"


@dataclass(frozen=True)
class Mode:
    """How the person wants it drawn: what on the x axis, logarithmic or linear, and which measure of each move."""

    log_x: bool = True
    measure: Measure = Measure.SHARE
    cost: Cost = Cost.ITERATIONS

    @property
    def counts(self) -> bool:
        """Whether visits are drawn, not a share or a value."""
        return self.measure is Measure.VISITS

    @property
    def values(self) -> bool:
        """Whether expected scores are drawn, which have no visits to begin with."""
        return self.measure in (Measure.MEAN, Measure.BOUND)


@dataclass(frozen=True, eq=False)
class NamedMoves:
    """Root moves with their names, and the column of each."""

    moves: tuple[Move, ...]
    names: tuple[str, ...]
    columns: dict[Move, int]

    def styles(self, colors: MoveColors) -> Ints:
        """The style index of each move, -1 for none."""
        styles = np.full(len(self.moves), -1, np.int64)
        for move, style in colors.indices.items():
            column = self.columns.get(move)
            if column is not None:
                styles[column] = style
        return styles


_named: list[NamedMoves] = []


def named_moves(moves: tuple[Move, ...]) -> NamedMoves:
    """These moves with their names: those of the last few searches are kept, since each frame asks for them again."""
    for named in _named:
        if named.moves is moves:
            return named
    made = NamedMoves(moves, tuple(move.text for move in moves), {move: column for column, move in enumerate(moves)})
    _named[:] = [made, *_named[:3]]
    return made


class Plotted(Protocol):
    """What a canvas needs of its data to put a cross-hair on it: the rows on the x axis."""

    def __len__(self) -> int:
        """The number of rows; at least 1."""

    def x(self, mode: Mode) -> Floats:
        """The rows on the axis, (T,), not decreasing."""

    def x_range(self, mode: Mode) -> tuple[float, float]:
        """The data's part of the x axis; never empty."""


def on_axis(spent: Floats, mode: Mode) -> Floats:
    """Costs as places on the x axis: themselves, or their log10."""
    least = _LEAST_S if mode.cost is Cost.SECONDS else 1.0
    return np.log10(np.maximum(spent, least)) if mode.log_x else spent


def off_axis(x: float, mode: Mode) -> float:
    """The cost at a place on the x axis."""
    return float(10.0**x) if mode.log_x else x


def axis_range(first: float, last: float, mode: Mode) -> tuple[float, float]:
    """The x axis for costs from ``first`` to ``last``; never empty."""
    if mode.cost is Cost.SECONDS:
        first = max(first, _LEAST_S)
        last = max(last, 2 * first)
        return (float(np.log10(first)), float(np.log10(last))) if mode.log_x else (0.0, last)
    last = max(2.0, last)
    return (0.0, float(np.log10(last))) if mode.log_x else (1.0, last)


class PlotData:
    """A snapshot with a trace of at least one row, and the style of each move at that moment.

    Columns are in the order of ``moves``; ``order`` lists the columns by final visits, most first; but ``order[0]`` is
    the leader, the move that it would play. ``styles`` holds the style index of each column, -1 for none. ``proven``
    holds what is known of each column, and is empty where the truth is not shown or is that of another position.
    ``nodes`` (T,) are the tree's nodes at each checkpoint, where they are known; ``exploration`` is UCT's constant,
    without which there is no bound. The x axis goes on ``until`` this cost, where another search has spent more.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        trace: Trace,
        colors: MoveColors,
        truth: Truth | None = None,
        *,
        nodes: Floats | None = None,
        exploration: float | None = None,
        until: float = 0.0,
    ) -> None:
        self.snapshot = snapshot
        self.trace = trace
        self.moves = trace.moves
        named = named_moves(trace.moves)
        self.names, self.columns = named.names, named.columns
        self.styles = named.styles(colors)
        self.iterations: Ints = trace.iterations
        self.visits = trace.visits
        by_visits = trace.visits[-1].astype(np.int64)
        if trace.choice is not None:
            by_visits[trace.choice[-1]] = by_visits.max() + 1
        self.order: Ints = np.argsort(-by_visits, kind="stable")
        self.nodes, self.exploration, self._until = nodes, exploration, until
        self._ranges: dict[Measure, tuple[float, float]] = {}

        known = proven_moves(truth, snapshot.position)
        self.proven = tuple(known.get(move, MoveTruth(move, Value.UNKNOWN)) for move in trace.moves) if known else ()

    def __len__(self) -> int:
        """The number of checkpoints."""
        return len(self.iterations)

    @property
    def leader(self) -> int:
        """The column of the most visited move; of a search that proves values, of the one that it would play."""
        return int(self.order[0])

    @cached_property
    def totals(self) -> Floats:
        """All root visits at each checkpoint, at least 1, (T,)."""
        totals: Floats = np.maximum(self.visits.sum(axis=1, dtype=np.float64), 1.0)
        return totals

    @cached_property
    def leaders(self) -> Ints:
        """The column of that move at each checkpoint, (T,)."""
        return measures.choices(self.trace)

    @cached_property
    def means(self) -> Floats:
        """The mean value of each move at each checkpoint, (T, L); NaN before its first visit."""
        return measures.means(self.trace)

    @cached_property
    def errors(self) -> Floats:
        """The standard error of each mean, (T, L); NaN before the first visit."""
        return measures.standard_errors(self.trace)

    @cached_property
    def bounds(self) -> Floats:
        """UCT's upper bound of each move, (T, L); NaN before the first visit. Needs ``exploration``."""
        assert self.exploration is not None
        return self.means + measures.exploration_terms(self.trace, self.exploration)

    @property
    def settled(self) -> int:
        """The first checkpoint at which every move may have been visited twice, or the last one.

        Before it the visits only say in which order moves were tried first (at iteration 1 one move has them all).
        """
        first = int(np.searchsorted(self.iterations, 2 * len(self.moves)))
        return min(first, len(self) - 1)

    def spent(self, mode: Mode) -> Floats:
        """The cost on the x axis at each checkpoint, (T,)."""
        if mode.cost is Cost.SECONDS:
            return self.trace.elapsed_s
        if mode.cost is Cost.NODES and self.nodes is not None:
            return self.nodes
        if mode.cost is Cost.PLAYOUTS and self.trace.playouts is not None:
            return self.trace.playouts.astype(np.float64)
        return self.iterations.astype(np.float64)

    def x(self, mode: Mode) -> Floats:
        """The checkpoints on the axis, (T,): the cost or its log10."""
        return on_axis(self.spent(mode), mode)

    def x_range(self, mode: Mode) -> tuple[float, float]:
        """The data's part of the x axis, from iteration 1 to the newest; never empty."""
        spent = self.spent(mode)
        last = float(spent[-1])
        if mode.cost is Cost.ITERATIONS:
            last = max(last, float(self.snapshot.iterations))
        return axis_range(float(spent[0]), max(last, self._until), mode)

    def values(self, columns: Ints, mode: Mode) -> Floats:
        """The curves of these columns, (columns, T), each row contiguous; values are NaN before the first visit."""
        if mode.values:
            source = self.means if mode.measure is Measure.MEAN else self.bounds
            return np.ascontiguousarray(source.T[columns])
        picked: Floats = self.visits.T[columns].astype(np.float64)
        return picked if mode.counts else picked / self.totals

    def top(self, mode: Mode) -> float:
        """The top of the value axis: a round number above all values from ``settled`` on, which rarely changes."""
        if mode.counts:
            return max(4.0, round_up(float(self.visits[-1].max())))
        first = self.settled
        if mode.values:
            return self._values_range(mode)[1]
        return min(1.0, round_up(float((self.visits[first:].max(axis=1) / self.totals[first:]).max())))

    def bottom(self, mode: Mode) -> float:
        """The bottom of the value axis: 0, but for mean values a round number below them."""
        return self._values_range(mode)[0] if mode.values else 0.0

    def _values_range(self, mode: Mode) -> tuple[float, float]:
        if mode.measure not in self._ranges:
            self._ranges[mode.measure] = self._find_range(mode)
        return self._ranges[mode.measure]

    def _find_range(self, mode: Mode) -> tuple[float, float]:
        # Early means are 0 or 1, and early bounds beyond all bounds: the second half of a logarithmic axis counts.
        first = max(self.settled, int(np.searchsorted(self.iterations, float(self.iterations[-1]) ** 0.5)))
        first = min(first, len(self) - 1)
        means, tops = self.means[first:], (self.means if mode.measure is Measure.MEAN else self.bounds)[first:]
        if np.isnan(means).all():
            return 0.0, 1.0
        low, high = float(np.nanmin(means)), float(np.nanmax(tops))
        room = 0.08 * max(high - low, 0.05)
        least = np.floor((low - room) * 20) / 20
        most = np.ceil((high + room) * 20) / 20
        return max(0.0, float(least)), float(most if mode.measure is Measure.BOUND else min(1.0, most))

    def resampled(self, mode: Mode, width: int) -> Ints:
        """For ``width`` equal steps of the x axis, the newest checkpoint at (or the first after) each step's middle."""
        low, high = self.x_range(mode)
        steps = low + (np.arange(width) + 0.5) * (high - low) / width
        found = np.searchsorted(self.x(mode), steps, side="right") - 1
        return np.clip(found, 0, len(self) - 1)

    def value(self, column: int) -> Value | None:
        """What this column's move is proven to be worth; None while that is not shown."""
        return self.proven[column].value if self.proven else None

    def column(self, move: Move | None) -> int | None:
        """The column of this move, None if it is not among the root moves."""
        return None if move is None else self.columns.get(move)


def round_up(value: float) -> float:
    """The smallest round number (1, 1.5, 2, 3, ... times a power of ten) that is not below ``value``."""
    if value <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(nice * power for nice in (*_NICE, 15.0) if nice * power >= value * (1 - 1e-9)))


def short_count(value: float) -> str:
    """A count for an axis: 1, 10, 100, 1k, 2.5k, 10k, 1M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.4g}{unit}"
    return f"{value:.4g}"


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


def percent(share: float) -> str:
    """A share for a table: 61.3%; shares below 0.1% keep two places."""
    value = 100 * share
    return f"{value:.2f}%" if 0 < value < 0.995 else f"{value:.1f}%"
