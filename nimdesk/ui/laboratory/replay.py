"""An earlier moment in full: the same search is run again up to there, which gives the lines of play it saw then."""

from __future__ import annotations

import threading

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from nimdesk.search import Limit, Snapshot
from nimdesk.ui.laboratory.runs import Run, RunKey
from nimdesk.ui.laboratory.service import SLICE_S, LaboratoryService, Question

MOST_ITERATIONS = 300_000
"""What takes longer to repeat is shown without lines."""
_REST_MS = 180


class Replay(QObject):
    """Repeats a search when the moment has rested for a while; one at a time, the latest wins."""

    replayed = Signal(object)
    """The ``Run`` that now knows the moment asked for in full."""

    def __init__(self, service: LaboratoryService, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service = service
        self._run: Run | None = None
        self._iterations = 0
        self._question: Question | None = None
        self._timer = QTimer(self, singleShot=True, interval=_REST_MS)
        self._timer.timeout.connect(self._ask)
        service.answered.connect(self._on_answered)

    def want(self, run: Run, iterations: int | None) -> None:
        """Repeat this run up to so many iterations soon; None, or too many: nothing is wanted any more."""
        self.cancel()
        if iterations is not None and 0 < iterations <= MOST_ITERATIONS:
            self._run, self._iterations = run, iterations
            self._timer.start()

    def cancel(self) -> None:
        """Nothing is wanted any more."""
        self._timer.stop()
        if self._question is not None:
            self._question.stop.set()
            self._question = None

    def _ask(self) -> None:
        if self._run is not None:
            self._question = self._service.ask(_Repeat(self._run.key, self._iterations))

    @Slot(object, object)
    def _on_answered(self, question: Question, answer: object) -> None:
        if question is self._question and self._run is not None and isinstance(answer, Snapshot):
            self._question = None
            if self._run.recall(answer):
                self.replayed.emit(self._run)


class _Repeat:
    """The search, in the thread of the searches, in slices that look whether anybody still wants it."""

    def __init__(self, key: RunKey, iterations: int) -> None:
        self._key, self._iterations = key, iterations

    def __call__(self, stop: threading.Event) -> Snapshot | None:
        searcher = self._key.agent.new_searcher()
        searcher.start(self._key.position, self._key.seed)
        until_s = 0.0
        while not stop.is_set():
            until_s += SLICE_S
            ended = searcher.advance(Limit(iterations=self._iterations, time_s=until_s)) is not None
            snapshot = searcher.snapshot()
            if ended or snapshot.iterations >= self._iterations:
                return snapshot
            until_s = max(until_s, snapshot.elapsed_s)
        return None
