"""The results of the plan that a tab shows: read from their file, and followed while a run adds to them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from nimdesk.experiments.plan import Plan
from nimdesk.experiments.run import RunState
from nimdesk.experiments.store import delete_results
from nimdesk.ui.experiments.runner import Frame, Runner, read_stored
from nimdesk.ui.experiments.words import status_words
from nimdesk.ui.jobs.bridge import Bridge, Job


class ShownResults(QObject):
    """The results shown, and the run under way, which may be of another plan. Used in the UI thread."""

    frame_changed = Signal()
    """``frame`` changed."""
    changed = Signal()
    """How far it is changed, or what can be done."""
    read = Signal(int, int)
    """How many of the results in a large file are read, and how many there are."""
    failed = Signal(str)
    """What is wrong, in one sentence; "" once it is over."""

    def __init__(self, runner: Runner, jobs: Bridge) -> None:
        """``jobs`` reads the files."""
        super().__init__(runner)
        self.runner, self._jobs = runner, jobs
        self.frame: Frame | None = None
        """The results; None while none are known."""
        self.path: Path | None = None
        """Their file."""
        self.newest: Frame | None = None
        """The newest results of the run under way."""
        self._reading: Job | None = None
        self._run_problem = ""
        runner.state_changed.connect(self._on_state)
        runner.frame_changed.connect(self._on_run_frame)
        runner.read.connect(self._on_run_read)
        runner.queue_changed.connect(self.changed)

    @property
    def is_running(self) -> bool:
        """Whether the plan shown is the one under way."""
        return self.runner.active and self.runner.path == self.path

    @property
    def waits(self) -> bool:
        """Whether the plan shown waits for its turn, while another one is under way."""
        return self.runner.waits(self.path)

    @property
    def state(self) -> RunState | None:
        """The state of the run of the plan shown; None if it has none."""
        return self.runner.state if self.runner.path == self.path else None

    @property
    def waiting(self) -> bool:
        """Whether the run under way waits while a search is watched."""
        return self.runner.held and self.runner.active

    @property
    def reading(self) -> bool:
        """Whether results are being read."""
        return self._reading is not None

    @property
    def under_way(self) -> tuple[float, str] | None:
        """The share of the run that is done, be it of the plan shown or not, and how far it is in words; None without a
        run.
        """
        if not self.runner.active:
            return None
        frame = self.newest
        share = 0.0 if frame is None or not frame.total else frame.done / frame.total
        words = status_words(frame, self.runner.state, waiting=self.runner.held)
        return share, f"{words}; {more} more to come" if (more := len(self.runner.queue)) else words

    def look(self, plan: Plan | None, path: Path | None) -> None:
        """Read the results of this plan in this file; without a plan or a file nothing is known."""
        self._stop_reading()
        known = None if self.frame is None else self.frame.found
        self.path, self.frame = path, None
        self.frame_changed.emit()
        if plan is not None and path is not None and not self.is_running:
            act = partial(read_stored, plan, path, known, self.read.emit)
            self._reading = self._jobs.start(act, done=self._on_read, failed=self._on_unreadable)
        self.changed.emit()

    def adopt(self, frame: Frame) -> None:
        """Show these results, which were read from another file."""
        self.path = frame.path
        self._show(frame)
        self.changed.emit()

    def start(self, plan: Plan, workers: int | None) -> None:
        """Do the rest of this plan, which is the one shown, when it is its turn."""
        if self.path is not None and self.runner.active:
            self.runner.start(plan, self.path, workers=workers)
        elif self.path is not None:
            known = None if self.frame is None else self.frame.found
            self._stop_reading()
            self.runner.start(plan, self.path, workers=workers, known=known)

    def delete(self) -> None:
        """Delete the results; ``ResultsError`` if that is impossible."""
        if self.path is not None:
            delete_results(self.path)
        self.frame = None

    def _stop_reading(self) -> None:
        if self._reading is not None:
            self._reading.drop()
            self._reading = None

    def _show(self, frame: Frame) -> None:
        if frame.path == self.path:
            self.frame = frame
            self.frame_changed.emit()
            if frame.progress is None:
                self.changed.emit()

    def _on_read(self, frame: Frame) -> None:
        self._reading = None
        if not self.is_running:
            self._show(frame)

    def _on_unreadable(self, sentence: str) -> None:
        self._reading = None
        self.failed.emit(sentence)
        self.changed.emit()

    def _on_run_read(self, read: int, there: int) -> None:
        if self.is_running:
            self.read.emit(read, there)

    def _on_run_frame(self, frame: Frame) -> None:
        self.newest = frame
        self._show(frame)

    def _on_state(self) -> None:
        if self.runner.problem != self._run_problem:
            self._run_problem = self.runner.problem
            self.failed.emit(self._run_problem)
        if not self.runner.active:
            self.newest = None
        if self._was_cancelled_unread:
            self.look(self.runner.plan, self.path)
        self.changed.emit()

    @property
    def _was_cancelled_unread(self) -> bool:
        """Whether the run of the plan shown was cancelled before it had read what is stored, which is not seen now."""
        unseen = self.state is RunState.CANCELLED and not self.reading and self.frame is None
        return unseen and self.path is not None and self.path.exists()
