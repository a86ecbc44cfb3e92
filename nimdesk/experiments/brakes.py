"""How a run holds its workers, and a search that can be held."""

from __future__ import annotations

import threading

from nimdesk.errors import StoppedError
from nimdesk.limit import Limit
from nimdesk.search import Searcher

SLICE_S = 0.1
"""How long a search runs between two checks whether it is still wanted; slices change no result."""


class Brakes:
    """How a run holds its workers: ``pausing`` before the next task, ``stopping`` in the middle of one.

    Searches of a study, which may take long, pause where they are; those of games go on, because they are timed.
    """

    def __init__(self) -> None:
        self._going = threading.Event()
        self._going.set()
        self._stopping = threading.Event()

    @property
    def pausing(self) -> bool:
        """Whether new tasks have to wait."""
        return not self._going.is_set()

    @property
    def stopping(self) -> bool:
        """Whether the run is to end."""
        return self._stopping.is_set()

    def pause(self) -> None:
        """Begin no task until ``release``."""
        self._going.clear()

    def release(self) -> None:
        """Continue."""
        self._going.set()

    def stop(self) -> None:
        """End everything, even what is pausing."""
        self._stopping.set()
        self._going.set()

    def stops_within(self, wait_s: float) -> bool:
        """Wait this long, or until the run is to end; return whether it is to end."""
        return self._stopping.wait(wait_s)

    def check(self) -> None:
        """Wait while pausing; ``StoppedError`` if the run is to end."""
        self._going.wait()
        if self.stopping:
            raise StoppedError


def advance(searcher: Searcher, brakes: Brakes | None, nodes: int | None) -> bool:
    """Run the search until it ends or has ``nodes`` nodes; return whether it ended by itself."""
    if brakes is None:
        return searcher.advance(Limit(nodes=nodes)) is not None
    until_s = 0.0
    while True:
        until_s += SLICE_S
        if searcher.advance(Limit(time_s=until_s, nodes=nodes)) is not None:
            return True
        if brakes.stopping:
            raise StoppedError
        if nodes is not None and searcher.snapshot().tree_nodes >= nodes:
            return False
