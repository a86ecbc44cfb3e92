"""A worker object in a thread of its own: started on first use, ended without waiting where a person would notice."""

from __future__ import annotations

import gc
import os
import sys
import threading
from contextlib import suppress

from PySide6.QtCore import QObject, Qt, QThread

_OLD_ROUNDS = 1000


def collect_garbage() -> None:
    """Begin to collect garbage, that of old objects some hundred times less often than Python would.

    To look through all that is loaded takes more than a frame, and little of what is old ever becomes garbage.
    """
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, _OLD_ROUNDS)
    gc.enable()


class Settler:
    """Tells the garbage collector, once, that what was loaded stays.

    Looking through all of numba and pyqtgraph takes 90 ms, in which no other thread runs; snapshots make it happen
    every few seconds.
    """

    def __init__(self) -> None:
        self._settled = False

    def settle(self) -> None:
        """Everything is loaded by now."""
        if not self._settled:
            self._settled = True
            gc.freeze()


_NICENESS = 8


def step_back() -> None:
    """Let the UI thread go before the calling thread, and before those that it starts from now on.

    Where all processors are busy, the window would answer some milliseconds late else. Linux alone has niceness for
    each thread; and there the priorities of QThread say nothing.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            thread = threading.get_native_id()
            # Never forward: only root may, and who started the program behind others meant it.
            os.setpriority(os.PRIO_PROCESS, thread, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, thread)))


class WorkerThread:
    """The thread that ``worker`` lives in from now on; it runs from the first ``ensure_running`` to ``end``."""

    def __init__(self, worker: QObject, name: str, priority: QThread.Priority) -> None:
        self._thread, self._priority = QThread(), priority
        self._thread.setObjectName(name)
        # A plain function has no thread of its own: it is called in the one that has started.
        self._thread.started.connect(step_back, Qt.ConnectionType.DirectConnection)
        worker.moveToThread(self._thread)

    def ensure_running(self) -> None:
        """Start the thread unless it runs: before the first paint a thread would only cost time."""
        if not self._thread.isRunning():
            self._thread.start(self._priority)

    def end(self) -> None:
        """End the thread, waiting for what is under way; call it after the window is hidden."""
        if self._thread.isRunning():
            self._thread.quit()
            self._thread.wait()
