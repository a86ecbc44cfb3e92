"""Which style (colour and dash pattern) each root move wears, on the board, in the plot and in the legend.

Loads neither numpy nor pyqtgraph, so that the boards can use it before the first paint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nimdesk.games import Move
from nimdesk.search.types import Snapshot

TOP = 12
"""How many of the most visited moves get a style of their own: as many as a theme has colours."""

_FEW = 32
"""Up to this many moves, the styles that there are suffice for all; above, they are given sparingly."""


def _bars(moves: int) -> tuple[int, float, float]:
    """From which iteration on a checkpoint counts, and the share of visits with which the leader and others enter.

    Before every move was visited a few times, and around the average share, the order of the moves is noise.
    """
    if moves <= _FEW:
        return 2 * moves, 0.0, 1.25 / moves
    return 8 * moves, 1.5 / moves, max(3 / moves, 0.025)


class MoveColors:
    """Gives each root move of a search a stable style index; a move never changes its index during a search.

    An index stands for ``theme.curve(index)`` and ``theme.dash(theme, index)``. Games with at most ``TOP`` legal moves
    are numbered in legal order. In larger ones a move gets the next free index at the first checkpoint at which it
    leads, or stands out among the ``TOP`` most visited. This depends on the trace alone, not on how often the screen
    was drawn: looking at a finished search again gives the same colours.
    """

    def __init__(self) -> None:
        self._indices: dict[Move, int] = {}
        self._search: tuple[object, ...] | None = None
        self._iterations = 0
        self._rows = 0

    def reset(self) -> None:
        """Forget everything: the next ``update`` begins a new search."""
        self._indices = {}
        self._search = None
        self._iterations = 0
        self._rows = 0

    @property
    def indices(self) -> Mapping[Move, int]:
        """The style of each move that has one."""
        return self._indices

    def index(self, move: Move) -> int | None:
        """The style of this move, or None if it never was among the top moves (draw it muted)."""
        return self._indices.get(move)

    def update(self, snapshot: Snapshot) -> None:
        """Give styles to the moves that entered the top since the last call; another search begins afresh."""
        search = (snapshot.position, snapshot.position.moves, snapshot.agent, snapshot.seed)
        if search != self._search or snapshot.iterations < self._iterations:
            self.reset()
        self._search, self._iterations = search, snapshot.iterations
        if len(snapshot.moves) <= TOP:
            self._indices = {stats.move: index for index, stats in enumerate(snapshot.moves)}
            return
        self._read_trace(snapshot)
        if snapshot.stopped is not None and snapshot.total_visits:
            self._add_all(snapshot)

    def _read_trace(self, snapshot: Snapshot) -> None:
        trace = snapshot.trace
        if trace is None:
            return
        # The last row of a running search is the live one: the next snapshot may no longer have it.
        rows = len(trace) if snapshot.stopped is not None else len(trace) - 1
        if rows <= self._rows:
            return
        first, self._rows = self._rows, rows
        needed, *_ = _bars(len(trace.moves))
        iterations = trace.iterations[first:rows].tolist()
        visits = trace.visits[first:rows].astype("int64")
        ranked = (-visits).argsort(axis=1, kind="stable")[:, :TOP]
        for row, count in enumerate(iterations):
            if count >= needed:
                best = ranked[row]
                self._enter(trace.moves, best.tolist(), visits[row, best].tolist(), count)

    def _enter(self, moves: Sequence[Move], best: list[int], visits: list[int], iterations: int) -> None:
        _, leader, other = _bars(len(moves))
        for rank, (column, count) in enumerate(zip(best, visits, strict=True)):
            if count >= iterations * (other if rank else leader):
                self._indices.setdefault(moves[column], len(self._indices))

    def _add_all(self, snapshot: Snapshot) -> None:
        for stats in sorted(snapshot.moves, key=lambda each: -each.visits)[:TOP]:
            if stats.visits:
                self._indices.setdefault(stats.move, len(self._indices))
