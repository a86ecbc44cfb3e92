"""The searches of a position, one ``Searcher`` per algorithm: start -> advance(limit) -> snapshot.

Importing this package loads neither numba nor numpy; the modules that hold the algorithms do.
"""

from nimdesk.limit import Limit
from nimdesk.search.types import (
    BriefSearcher,
    Choice,
    MoveStats,
    RepeatedSearcher,
    ResumableSearcher,
    Searcher,
    Snapshot,
    Step,
    StopReason,
    Trace,
    drive,
)

__all__ = [
    "BriefSearcher",
    "Choice",
    "Limit",
    "MoveStats",
    "RepeatedSearcher",
    "ResumableSearcher",
    "Searcher",
    "Snapshot",
    "Step",
    "StopReason",
    "Trace",
    "drive",
]
