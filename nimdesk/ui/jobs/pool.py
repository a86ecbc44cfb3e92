"""Small jobs off the UI thread, one after the other: reading results, exporting, playing a game's searches again."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

from nimdesk.errors import NimdeskError


@dataclass(frozen=True, eq=False)
class Job:
    """What to do in the thread, and what follows in the UI thread, with its result or with one sentence."""

    act: Callable[[], Any]
    then: Callable[[Any], object]
    failed: Callable[[str], object]


class _Doer(QObject):
    done = Signal(object, object)
    failed = Signal(object, str)

    def do(self, job: Job) -> None:
        try:
            self.done.emit(job, job.act())
        except NimdeskError as error:
            self.failed.emit(job, str(error))
        except MemoryError:
            self.failed.emit(job, "The memory of this machine does not suffice.")
        except Exception as error:  # an exception in a slot of a worker would vanish without a trace
            traceback.print_exc()
            self.failed.emit(job, f"That failed: {str(error) or type(error).__name__}.")


class Jobs(QObject):
    """The UI thread's side."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._doer = _Doer()
        # Starts its thread with the first job.
        self._thread = ThreadPoolExecutor(1, "nimdesk-results")
        self._over = False
        # Bound methods of this object, never lambdas: a lambda would run in the worker's thread.
        queued = Qt.ConnectionType.QueuedConnection
        self._doer.done.connect(self._on_done, queued)
        self._doer.failed.connect(self._on_failed, queued)

    def do(self, act: Callable[[], Any], then: Callable[[Any], object], failed: Callable[[str], object]) -> None:
        """Call ``act`` in the thread, then ``then`` or ``failed`` here."""
        if not self._over:
            self._thread.submit(self._doer.do, Job(act, then, failed))

    def shutdown(self) -> None:
        """End the thread, waiting for the job under way."""
        self._over = True
        self._thread.shutdown(wait=True, cancel_futures=True)

    @Slot(object, object)
    def _on_done(self, job: Job, result: object) -> None:
        if not self._over:
            job.then(result)

    @Slot(object, str)
    def _on_failed(self, job: Job, sentence: str) -> None:
        if not self._over:
            job.failed(sentence)
