"""How far a search or a proof may go."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import msgspec

MAX_COUNT = 10**12
"""More iterations or nodes no search is asked for."""


class Limit(msgspec.Struct, frozen=True):
    """Where to stop: at the first limit met; None means no such limit.

    ``iterations`` and ``nodes`` count from the start of the search. ``time_s`` counts seconds of searching since then,
    without pauses between slices.
    """

    iterations: int | None = None
    time_s: float | None = None
    nodes: int | None = None

    def slices(self, stop: threading.Event | None = None, slice_s: float = 0.05) -> Iterator[Limit]:
        """This limit in steps of ``slice_s``, for work that checks ``stop`` in between.

        The steps end with ``time_s``, or when ``stop`` is set. The caller checks whether the work is done or another
        limit is met.
        """
        until_s = 0.0
        while (stop is None or not stop.is_set()) and (self.time_s is None or until_s < self.time_s):
            until_s += slice_s
            if self.time_s is not None:
                until_s = min(until_s, self.time_s)
            yield Limit(self.iterations, until_s, self.nodes)
