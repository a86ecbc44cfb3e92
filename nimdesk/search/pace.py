"""How much of a search one kernel call should do, from how fast it has been so far."""

from __future__ import annotations

# One kernel call is meant to take about this long; a call itself costs 2 us.
_SLICE_S = 0.004
_LARGEST_SLICE = 200_000


class Pace:
    """Seconds spent so far, and how many iterations fit into a call."""

    def __init__(self, first: int, per_s: float = 0.0) -> None:
        """``first`` iterations are done before anything is known, unless so many a second are known to be."""
        self._first = first
        self.per_s = per_s
        self.elapsed_s = 0.0

    def count(self, iterations: int, time_s: float) -> int:
        """How many of ``iterations`` to do now, with ``time_s`` left; at least one."""
        count = int(self.per_s * min(_SLICE_S, max(time_s, 0.0002))) if self.per_s else self._first
        return min(max(count, 1), _LARGEST_SLICE, iterations)

    def spent(self, iterations: int, took_s: float) -> None:
        """A call has done so many iterations in this time."""
        self.elapsed_s += took_s
        if iterations:
            self.per_s = iterations / took_s if took_s > 0 else 0.0
