"""A run of a plan as the window follows it: results counted in the run's own thread, frames of them for the screen."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot

from nimdesk.errors import NimdeskError, ResultsError
from nimdesk.experiments.files import default_path
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.report import Section, notes, sections
from nimdesk.experiments.results import GameResult, Result
from nimdesk.experiments.runner import Event, Progress, Run, RunState, StateChanged, TaskFinished
from nimdesk.experiments.schedule import Schedule, schedule_of
from nimdesk.experiments.store import SUFFIX, Store
from nimdesk.experiments.tally import Tally
from nimdesk.paths import results_dir
from nimdesk.ui.experiments.charts import charts
from nimdesk.ui.jobs.bridge import step_back
from nimdesk.ui.jobs.pool import Jobs
from nimdesk.ui.plots.bars import BarChart

_FRAME_S = 0.25
_END_S = 10.0


@dataclass(frozen=True, eq=False)
class RunFrame:
    """The results of a run at one moment, ready to be shown; ``games`` is a list that may still grow."""

    schedule: Schedule
    path: Path
    done: int
    total: int
    charts: tuple[BarChart, ...]
    sections: tuple[Section, ...]
    notes: tuple[str, ...]
    games: list[GameResult]
    count: int
    progress: Progress | None = None

    @property
    def complete(self) -> bool:
        """Whether nothing is left to be done."""
        return self.done >= self.total


@dataclass(frozen=True)
class RunEntry:
    """A file of results, in a list: its plan and how much of it is done, or why it cannot be read."""

    path: Path
    plan: Plan | None
    done: int
    total: int
    problem: str = ""


class Counted:
    """Results counted as they come; used by one thread at a time."""

    def __init__(self, schedule: Schedule, path: Path) -> None:
        self.schedule, self.path = schedule, path
        self.tally = Tally(schedule)
        self.games: list[GameResult] = []

    def add(self, result: Result) -> None:
        """Count one."""
        self.tally.add(result)
        if isinstance(result, GameResult):
            self.games.append(result)

    def frame(self, progress: Progress | None = None) -> RunFrame:
        """As it is now."""
        return RunFrame(
            schedule=self.schedule,
            path=self.path,
            done=self.tally.done,
            total=self.tally.total,
            charts=charts(self.schedule, self.tally),
            sections=tuple(sections(self.schedule, self.tally)),
            notes=tuple(notes(self.schedule, self.tally)),
            games=self.games,
            count=len(self.games),
            progress=progress,
        )


def counted(plan: Plan, path: Path) -> Counted:
    """What the file has of this plan; nothing where there is no file yet."""
    schedule = schedule_of(plan)
    found = Counted(schedule, path)
    if path.exists():
        with Store.open_to_read(path) as store:
            if store.plan.digest != plan.digest:
                raise ResultsError(f"The results “{path}” are those of another plan; choose another file.")
            for result in store.results():
                if result.number >= len(schedule.tasks):
                    raise ResultsError(f"The results “{path}” hold a game beyond the plan's last.")
                found.add(result)
    return found


def list_runs() -> list[RunEntry]:
    """All files of results, the newest first."""
    try:
        files = sorted(results_dir().glob(f"*{SUFFIX}"), key=_changed, reverse=True)
    except OSError:
        return []
    return [_entry(path) for path in files]


def _entry(path: Path) -> RunEntry:
    try:
        with Store.open_to_read(path) as store:
            return RunEntry(path, store.plan, store.count(), len(schedule_of(store.plan).tasks))
    except NimdeskError as error:
        return RunEntry(path, None, 0, 0, str(error))


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


class _Feed(QObject):
    """Between the thread of a run and the UI thread."""

    frame_made = Signal(object)
    state_told = Signal(object, object)

    def __init__(self, found: Counted) -> None:
        super().__init__()
        self._counted = found
        self._next_s = 0.0
        self._stepped_back = False
        self.run: Run | None = None

    def listen(self, event: Event) -> None:
        """Called in the run's thread."""
        if isinstance(event, TaskFinished):
            self._counted.add(event.result)
            if time.monotonic() >= self._next_s:
                self._emit()
        elif isinstance(event, StateChanged):
            if event.state is RunState.RUNNING and not self._stepped_back:
                self._stepped_back = True
                step_back()  # its workers are threads that this one starts
            if event.state in (RunState.FINISHED, RunState.CANCELLED, RunState.FAILED):
                self._emit()
            self.state_told.emit(event.state, event.error)

    def _emit(self) -> None:
        assert self.run is not None
        began = time.monotonic()
        self.frame_made.emit(self._counted.frame(self.run.progress()))
        now = time.monotonic()
        # Large tables take their time: no more than a quarter of it.
        self._next_s = now + max(_FRAME_S, 4 * (now - began))


class MatchRunner(QObject):
    """One run at a time, in the UI thread; a run can be paused, held, resumed, cancelled, and taken up again."""

    state_changed = Signal()
    """``state``, ``held`` or ``problem`` changed."""
    frame_changed = Signal(object)
    """A newer ``RunFrame`` of the run under way."""

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._feed: _Feed | None = None
        self._run: Run | None = None
        self._state: RunState | None = None
        self.held = False
        """Whether it rests because a search is being watched."""
        self.path: Path | None = None
        """The file of the run under way, or of the last one."""
        self.problem = ""

    @property
    def state(self) -> RunState | None:
        """Where the run stands; None before the first."""
        return self._state

    @property
    def active(self) -> bool:
        """Whether a run is under way, or rests."""
        return self._state in (RunState.READY, RunState.RUNNING, RunState.PAUSED)

    def start(self, plan: Plan, path: Path | None = None, workers: int | None = None) -> None:
        """Run what is left of this plan; nothing happens while another run is under way."""
        if self.active:
            return
        self.path, self.problem, self.held = path or default_path(plan), "", False
        target = self.path
        self._set_state(RunState.READY)
        self._jobs.do(lambda: self._begin(plan, target, workers), self._on_begun, self._on_failed)

    @staticmethod
    def _begin(plan: Plan, path: Path, workers: int | None) -> tuple[_Feed, Run, RunFrame]:
        """In the thread of the jobs: reading what is there may take a while."""
        found = counted(plan, path)
        feed = _Feed(found)
        run = Run(plan, path, workers=workers, listener=feed.listen)
        feed.run = run
        return feed, run, found.frame()

    def _on_begun(self, begun: tuple[_Feed, Run, RunFrame]) -> None:
        self._feed, self._run, frame = begun
        queued = Qt.ConnectionType.QueuedConnection
        self._feed.frame_made.connect(self._on_frame, queued)
        self._feed.state_told.connect(self._on_state, queued)
        self.frame_changed.emit(frame)
        if self._state is RunState.CANCELLED:
            self._run = None  # before it began
            return
        self._run.start()

    def pause(self) -> None:
        """Begin no more games; ``resume`` goes on."""
        self.held = False
        if self._run is not None:
            self._run.pause()

    def resume(self) -> None:
        """Go on, even though a search is being watched."""
        self.held = False
        if self._run is not None:
            self._run.resume()

    def cancel(self) -> None:
        """End it; what is stored is kept, and ``start`` goes on from there."""
        self.held = False
        if self._run is not None:
            self._run.cancel()
        elif self.active:
            self._set_state(RunState.CANCELLED)

    def hold(self, held: bool) -> None:
        """Rest while something else has precedence, and go on by itself after that."""
        if held and self._state in (RunState.READY, RunState.RUNNING):
            self.held = True
            if self._run is not None:
                self._run.pause()
            self.state_changed.emit()
        elif not held and self.held:
            self.resume()
            self.state_changed.emit()

    def shutdown(self) -> None:
        """End the run: what is stored is stored."""
        if self._run is not None and self.active:
            self._run.cancel()
            self._run.wait(_END_S)

    def _set_state(self, state: RunState) -> None:
        self._state = state
        self.state_changed.emit()

    def _on_failed(self, sentence: str) -> None:
        self.problem = sentence
        self._set_state(RunState.FAILED)

    @Slot(object)
    def _on_frame(self, frame: RunFrame) -> None:
        if self.sender() is self._feed:
            self.frame_changed.emit(frame)

    @Slot(object, object)
    def _on_state(self, state: RunState, error: NimdeskError | None) -> None:
        if self.sender() is not self._feed:
            return
        if error is not None:
            self.problem = str(error)
        if state is RunState.RUNNING and self.held and self._run is not None:
            self._run.pause()
        if state in (RunState.FINISHED, RunState.CANCELLED, RunState.FAILED):
            self._run = None
        self._set_state(state)
