"""One Searcher per algorithm: start -> advance(budget) -> snapshot.

Importing this package loads neither numba nor numpy; the modules that hold the algorithms do.
"""

from nimdesk.search.types import Limit, MoveStats, Searcher, Snapshot, StopReason, Trace

__all__ = ["Limit", "MoveStats", "Searcher", "Snapshot", "StopReason", "Trace"]
