"""The one loop that drives a search in slices, so that whoever waits for it can stop it and watch it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from nimdesk.limit import Limit
from nimdesk.search.types import Searcher, Snapshot, StopReason


def drive(
    searcher: Searcher,
    limit: Limit | None = None,
    stop: threading.Event | None = None,
    on_snapshot: Callable[[Snapshot], object] | None = None,
    *,
    slice_s: float = 0.05,
) -> StopReason | None:
    """Advance a started search to its own end or to ``limit``; the reason where it came to its own end, else None.

    Looks at ``stop`` each ``slice_s`` seconds of searching, and then shows ``on_snapshot`` the state. Slices change no
    result.
    """
    limit = Limit() if limit is None else limit
    counted = limit.iterations is not None or limit.nodes is not None
    for part in limit.slices(stop, slice_s):
        if (reason := searcher.advance(part)) is not None:
            return reason
        if on_snapshot is None and not counted:
            continue
        snapshot = searcher.snapshot()
        if on_snapshot is not None:
            on_snapshot(snapshot)
        if limit.iterations is not None and snapshot.iterations >= limit.iterations:
            return None
        if limit.nodes is not None and snapshot.tree_nodes >= limit.nodes:
            return None
    return None
