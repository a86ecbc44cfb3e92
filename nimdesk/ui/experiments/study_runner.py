"""A convergence study off the UI thread: started, paused, continued, cancelled; what is done is kept in a file."""

from __future__ import annotations

import itertools
import threading
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot

from nimdesk.atomic import os_error_words
from nimdesk.errors import NimdeskError, ResultsError
from nimdesk.experiments.study import Study
from nimdesk.experiments.study_results import StudyResults, StudyRow
from nimdesk.experiments.study_run import StudyProgress, run_study
from nimdesk.experiments.study_search import CellResult, prove
from nimdesk.experiments.study_store import StudyStore
from nimdesk.paths import results_dir
from nimdesk.ui.jobs.bridge import step_back

_FRAME_S = 0.15


class StudyState(Enum):
    """Where a study stands; the value says it in words."""

    READY = "ready"
    PROVING = "finding out the truth"
    RUNNING = "running"
    PAUSED = "paused"
    WAITING = "waiting while a search is being watched"
    CANCELLED = "cancelled; what is done is kept"
    FINISHED = "finished"
    FAILED = "failed"


@dataclass(frozen=True, eq=False)
class StudyFrame:
    """What is known at one moment: for each agent and position a row for each budget (None before the first search)."""

    results: StudyResults
    rows: dict[tuple[int, int], tuple[StudyRow | None, ...]]
    progress: StudyProgress

    @property
    def study(self) -> Study:
        """The study."""
        return self.results.study


@dataclass(frozen=True, eq=False)
class StudyRequest:
    """A study to carry on; ``results`` are those of before, if it was begun in this run of the program.

    With ``only_read``, only what the file has is shown.
    """

    id: int
    study: Study
    path: Path | None
    threads: int | None
    results: StudyResults | None = None
    only_read: bool = False
    stop: threading.Event = field(default_factory=threading.Event)


def frame_of(results: StudyResults, progress: StudyProgress | None = None) -> StudyFrame:
    """All rows as they are now."""
    study = results.study
    rows = {
        (agent, position): tuple(results.row(agent, position, budget) for budget in range(len(study.budgets)))
        for agent in range(len(study.agents))
        for position in range(len(study.positions))
    }
    return StudyFrame(results, rows, progress or StudyProgress(results.done, study.total, 0, 0.0, 0.0))


def studies_dir() -> Path:
    """Where the results of studies are kept."""
    return results_dir().parent / "studies"


def study_path(study: Study) -> Path:
    """The file of this study's results."""
    return studies_dir() / f"{study.digest[:16]}.db"


class StudyWorker(QObject):
    """Carries a study on in a thread of its own; its signals are heard in the UI thread."""

    proven = Signal(int, object)
    """The id, and a first ``StudyFrame``, with what an earlier run has stored: searching begins."""
    progressed = Signal(int, object)
    """The id, and the newest ``StudyFrame``; a few times a second."""
    ended = Signal(int, object)
    """The id, and the last ``StudyFrame``, or None where it was stopped before searching began."""
    failed = Signal(int, str)
    """The id, and one sentence."""

    def __init__(self) -> None:
        super().__init__()
        self._next_s = 0.0

    def run(self, request: StudyRequest) -> None:
        """Carry it on; ``ended`` or ``failed`` follows."""
        step_back()
        try:
            self.ended.emit(request.id, self._run(request))
        except NimdeskError as error:
            self.failed.emit(request.id, str(error))
        except MemoryError:
            self.failed.emit(request.id, "The memory of this machine does not suffice; what is done is kept.")
        except Exception as error:  # an exception in a slot of a worker would vanish without a trace
            traceback.print_exc()
            self.failed.emit(request.id, f"The study failed: {str(error) or type(error).__name__}.")

    def _run(self, request: StudyRequest) -> StudyFrame | None:
        study, results = request.study, request.results
        if results is None:
            truths = prove(study, request.stop)
            if truths is None:
                return None
            results = StudyResults(study, truths)
        last: list[StudyProgress] = []

        def on_results(_batch: Sequence[CellResult], progress: StudyProgress) -> None:
            last[:] = [progress]
            now = time.monotonic()
            if now >= self._next_s:
                self.progressed.emit(request.id, frame_of(results, progress))
                # Many points take their time: no more than a quarter of it.
                self._next_s = now + max(_FRAME_S, 4 * (time.monotonic() - now))

        if request.path is None:
            self.proven.emit(request.id, frame_of(results))
            run_study(results, request.stop, threads=request.threads, on_results=on_results)
        else:
            with _opened(request.path, study, to_add=not request.only_read) as store:
                for result in store.results():
                    results.add(result)
                self.proven.emit(request.id, frame_of(results))
                if not request.only_read:
                    run_study(results, request.stop, threads=request.threads, store=store, on_results=on_results)
        return frame_of(results, last[0] if last else None)


def _opened(path: Path, study: Study, *, to_add: bool) -> StudyStore:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError(
            f"The folder “{path.parent}” for results cannot be made: {os_error_words(error)}."
        ) from error
    return StudyStore(path, study, to_add=to_add)


class StudyRunner(QObject):
    """The UI thread's side: one study at a time; what an older one still sends is dropped."""

    state_changed = Signal()
    """``state`` or ``problem`` changed."""
    frame_changed = Signal()
    """``frame`` is a newer one."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ids = itertools.count(1)
        self._current: StudyRequest | None = None
        self._state = StudyState.READY
        self._again: StudyRequest | None = None
        self._held = False
        self.problem = ""
        """Why it failed, in one sentence."""
        self.frame: StudyFrame | None = None
        """What is known of the study shown."""
        self._worker = StudyWorker()
        # Python's own thread, not a QThread: it starts threads of its own and waits for them.
        self._thread: threading.Thread | None = None
        # Bound methods of this object, never lambdas: a lambda would run in the worker's thread.
        queued = Qt.ConnectionType.QueuedConnection
        self._worker.proven.connect(self._on_proven, queued)
        self._worker.progressed.connect(self._on_progress, queued)
        self._worker.ended.connect(self._on_ended, queued)
        self._worker.failed.connect(self._on_failed, queued)

    @property
    def state(self) -> StudyState:
        """Where it stands."""
        return self._state

    @property
    def active(self) -> bool:
        """Whether a study is begun and neither ended nor cancelled: its plan cannot be changed."""
        return self._state in (StudyState.PROVING, StudyState.RUNNING, StudyState.PAUSED, StudyState.WAITING)

    @property
    def reading(self) -> bool:
        """Whether only what is stored is being read: ``forget`` ends that."""
        return self.active and self._again is not None and self._again.only_read

    def shows(self, study: Study) -> bool:
        """Whether the results of exactly this study are shown, or are being read."""
        if self.reading and self._again is not None:
            return self._again.study.digest == study.digest
        return self.frame is not None and self.frame.study.digest == study.digest

    @property
    def busy(self) -> bool:
        """Whether the worker is at work, or has not stopped yet."""
        return self._current is not None

    def start(self, study: Study, path: Path | None = None, threads: int | None = None) -> None:
        """Carry this study on from what the file has; nothing happens while one is active."""
        if self.active:
            return
        known = self.frame.results if self.frame is not None and self.frame.study.digest == study.digest else None
        if known is None:
            self.frame = None
            self.frame_changed.emit()
        self._held = False
        self._send(StudyRequest(next(self._ids), study, path, threads, known))

    def look(self, study: Study, path: Path) -> None:
        """Show what the file has of this study, without searching."""
        if not self.active:
            self.frame = None
            self.frame_changed.emit()
            self._held = False
            self._send(StudyRequest(next(self._ids), study, path, None, only_read=True))

    def pause(self) -> None:
        """Let it rest; ``resume`` goes on."""
        if self._state in (StudyState.RUNNING, StudyState.PROVING, StudyState.WAITING):
            self._stop(StudyState.PAUSED)

    def resume(self) -> None:
        """Go on after ``pause``, or though a search is being watched."""
        if self._state in (StudyState.PAUSED, StudyState.WAITING):
            assert self._again is not None
            self._send(replace(self._again, id=next(self._ids), results=self._known(), stop=threading.Event()))

    def cancel(self) -> None:
        """End it; what is done is kept, and ``start`` goes on from there."""
        if self.active:
            self._stop(StudyState.CANCELLED)

    def hold(self, held: bool) -> None:
        """Rest while something else has precedence, and go on by itself after that."""
        if held and not self._held and self._state in (StudyState.RUNNING, StudyState.PROVING):
            self._held = True
            self._stop(StudyState.WAITING)
        elif not held and self._held:
            self._held = False
            if self._state is StudyState.WAITING:
                self.resume()

    def forget(self) -> None:
        """Show no study any more, nor read one; nothing happens while one is being searched."""
        if self.active and not self.reading:
            return
        if self._current is not None:
            self._current.stop.set()
        self._again, self.frame, self.problem, self._held = None, None, "", False
        self._set_state(StudyState.READY)
        self.frame_changed.emit()

    def shutdown(self) -> None:
        """End the thread, waiting for the slice under way; call it after the window is hidden."""
        if self._current is not None:
            self._current.stop.set()
        if self._thread is not None:
            self._thread.join()

    def _known(self) -> StudyResults | None:
        again = self._again
        same = again is not None and self.frame is not None and self.frame.study is again.study
        return self.frame.results if self.frame is not None and same else None

    def _send(self, request: StudyRequest) -> None:
        self._again = request
        self.problem = ""
        self._set_state(StudyState.PROVING if request.results is None else StudyState.RUNNING)
        if self._current is None:
            self._current = request
            self._thread = threading.Thread(target=self._worker.run, args=(request,), name="nimdesk-study")
            self._thread.start()
        # Else the one before has not stopped yet: it begins when that has.

    def _stop(self, state: StudyState) -> None:
        if self._current is not None:
            self._current.stop.set()
        self._set_state(state)

    def _set_state(self, state: StudyState) -> None:
        self._state = state
        self.state_changed.emit()

    def _is_current(self, number: int) -> bool:
        return self._current is not None and self._current.id == number

    @Slot(int, object)
    def _on_proven(self, number: int, frame: StudyFrame) -> None:
        if self._is_current(number) and self._is_wanted(frame):
            self._show(frame)
            if self._state is StudyState.PROVING:
                self._set_state(StudyState.RUNNING)

    @Slot(int, object)
    def _on_progress(self, number: int, frame: StudyFrame) -> None:
        if self._is_current(number) and self._is_wanted(frame):
            self._show(frame)

    def _is_wanted(self, frame: StudyFrame) -> bool:
        """Whether it is not of a study that was forgotten while it was still at work."""
        return self._again is not None and self._again.study.digest == frame.study.digest

    def _show(self, frame: StudyFrame) -> None:
        self.frame = frame
        self.frame_changed.emit()

    @Slot(int, object)
    def _on_ended(self, number: int, frame: StudyFrame | None) -> None:
        if not self._is_current(number):
            return
        self._current = None
        if frame is not None and not self._is_wanted(frame):
            frame = None
        if frame is not None:
            self._show(frame)
        if self._state in (StudyState.PROVING, StudyState.RUNNING):
            if self._again is not None and self._again.id != number:
                self._send(replace(self._again, results=self._again.results or self._known()))
                return
            complete = frame is not None and frame.results.complete
            self._set_state(StudyState.FINISHED if complete else StudyState.CANCELLED)
        elif frame is not None and frame.results.complete:
            self._set_state(StudyState.FINISHED)
        else:
            self.state_changed.emit()

    @Slot(int, str)
    def _on_failed(self, number: int, sentence: str) -> None:
        if self._is_current(number):
            self._current = None
            self.problem = sentence
            self._set_state(StudyState.FAILED)
