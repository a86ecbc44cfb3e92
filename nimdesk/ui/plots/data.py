"""What the convergence plots draw: one snapshot's trace, prepared once for each frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nimdesk.games import Move
from nimdesk.search.types import Snapshot, Trace
from nimdesk.theory import MoveTruth, Truth, Value
from nimdesk.ui.move_colors import MoveColors
from nimdesk.ui.proven import proven_moves

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NICE = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


@dataclass(frozen=True)
class Mode:
    """How the person wants it drawn: x logarithmic or linear, y in visits (``counts``) or as share of all visits."""

    log_x: bool = True
    counts: bool = False


class PlotData:
    """A snapshot with a trace of at least one row, and the style of each move at that moment.

    Columns are in the order of ``moves``; ``order`` lists the columns by final visits, most first, ``order[0]`` is the
    leader. ``styles`` holds the style index of each column, -1 for none. ``proven`` holds what is known of each column,
    and is empty where the truth is not shown or is that of another position.
    """

    def __init__(self, snapshot: Snapshot, trace: Trace, colors: MoveColors, truth: Truth | None = None) -> None:
        self.snapshot = snapshot
        self.trace = trace
        self.moves = trace.moves
        self.names = tuple(move.text for move in trace.moves)
        self.columns = {move: column for column, move in enumerate(trace.moves)}
        indices = (colors.index(move) for move in trace.moves)
        self.styles = np.array([-1 if index is None else index for index in indices], dtype=np.int64)
        self.iterations: Ints = trace.iterations
        self.visits = trace.visits
        self.order: Ints = np.argsort(-trace.visits[-1].astype(np.int64), kind="stable")

        known = proven_moves(truth, snapshot.position)
        self.proven = tuple(known.get(move, MoveTruth(move, Value.UNKNOWN)) for move in trace.moves) if known else ()

    def __len__(self) -> int:
        """The number of checkpoints."""
        return len(self.iterations)

    @property
    def leader(self) -> int:
        """The column of the most visited move."""
        return int(self.order[0])

    @cached_property
    def totals(self) -> Floats:
        """All root visits at each checkpoint, at least 1, (T,)."""
        totals: Floats = np.maximum(self.visits.sum(axis=1, dtype=np.float64), 1.0)
        return totals

    @cached_property
    def leaders(self) -> Ints:
        """The column of the most visited move at each checkpoint, (T,)."""
        return self.trace.leaders()

    @property
    def settled(self) -> int:
        """The first checkpoint at which every move may have been visited twice, or the last one.

        Before it the visits only say in which order moves were tried first (at iteration 1 one move has them all).
        """
        first = int(np.searchsorted(self.iterations, 2 * len(self.moves)))
        return min(first, len(self) - 1)

    def x(self, mode: Mode) -> Floats:
        """The checkpoints on the axis, (T,): iterations or their log10."""
        if mode.log_x:
            return np.log10(self.iterations)
        return self.iterations.astype(np.float64)

    def x_range(self, mode: Mode) -> tuple[float, float]:
        """The data's part of the x axis, from iteration 1 to the newest; never empty."""
        last = float(max(2, self.snapshot.iterations, int(self.iterations[-1])))
        return (0.0, float(np.log10(last))) if mode.log_x else (1.0, last)

    def values(self, columns: Ints, mode: Mode) -> Floats:
        """The curves of these columns, (columns, T), each row contiguous: visits or shares."""
        picked: Floats = self.visits.T[columns].astype(np.float64)
        return picked if mode.counts else picked / self.totals

    def top(self, mode: Mode) -> float:
        """The top of the value axis: a round number above all values from ``settled`` on, which rarely changes."""
        if mode.counts:
            return max(4.0, round_up(float(self.visits[-1].max())))
        first = self.settled
        return min(1.0, round_up(float((self.visits[first:].max(axis=1) / self.totals[first:]).max())))

    def resampled(self, mode: Mode, width: int) -> Ints:
        """For ``width`` equal steps of the x axis, the newest checkpoint at (or the first after) each step's middle."""
        low, high = self.x_range(mode)
        steps = low + (np.arange(width) + 0.5) * (high - low) / width
        found = np.searchsorted(self.x(mode), steps, side="right") - 1
        return np.clip(found, 0, len(self) - 1)

    def nearest(self, x: float, mode: Mode) -> int:
        """The checkpoint nearest to this place on the x axis."""
        return int(np.abs(self.x(mode) - x).argmin())

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


def percent(share: float) -> str:
    """A share for a table: 61.3%; shares below 0.1% keep two places."""
    value = 100 * share
    return f"{value:.2f}%" if 0 < value < 0.995 else f"{value:.1f}%"
