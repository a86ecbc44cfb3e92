"""A worker object in a thread of its own: started on first use, ended without waiting where a person would notice."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QThread

from nimdesk.ui.jobs.bridge import step_back


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
