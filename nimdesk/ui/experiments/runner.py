"""A run as the window follows it: results counted in the run's own thread, and frames of them for the screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from nimdesk.errors import NimdeskError
from nimdesk.experiments.files import Found, stored
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.work import GameResult
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.report import finding, notes, sections
from nimdesk.experiments.results import Packed, Progress
from nimdesk.experiments.run import ENDS, Event, ResultsRead, Run, RunState, TaskFinished
from nimdesk.experiments.schedule import Schedule, schedule_of
from nimdesk.experiments.sections import Section
from nimdesk.experiments.studies.tally import StudyRow, StudyTally
from nimdesk.experiments.studies.work import Study
from nimdesk.ui.experiments.kinds import charts_of
from nimdesk.ui.jobs.bridge import Bridge, Frames, Job
from nimdesk.ui.plots.bars import BarChart

_FRAME_S = 0.2


@dataclass(frozen=True, eq=False)
class Frame:
    """The results of a plan at one moment, ready to be shown: ``count`` is how many ``games`` there are; more may come.

    For a study, ``rows`` has an entry for each agent and position: one row for each budget, None before its first
    search.
    """

    found: Found
    done: int
    total: int
    charts: tuple[BarChart, ...]
    sections: tuple[Section, ...]
    notes: tuple[str, ...]
    finding: str
    """What was found, in a sentence."""
    games: Packed[GameResult]
    count: int
    rows: dict[tuple[int, int], tuple[StudyRow | None, ...]]
    progress: Progress | None = None

    @property
    def schedule(self) -> Schedule:
        return self.found.schedule

    @property
    def path(self) -> Path | None:
        """The file of the results."""
        return self.found.path

    @property
    def complete(self) -> bool:
        return self.done >= self.total

    @property
    def study(self) -> Study:
        """The study; the plan must be one."""
        return self.results.study

    @property
    def results(self) -> StudyTally:
        return self.found[StudyTally]


def frame_of(found: Found, progress: Progress | None = None) -> Frame:
    """The current results."""
    results, games = found.of(StudyTally), found[MatchTally].results
    return Frame(
        found=found,
        done=found.done,
        total=found.total,
        charts=tuple(charts_of(found)),
        sections=tuple(sections(found)),
        notes=tuple(notes(found)),
        finding=finding(found),
        games=games,
        count=len(games),
        rows={} if results is None else _rows(results),
        progress=progress,
    )


def _rows(results: StudyTally) -> dict[tuple[int, int], tuple[StudyRow | None, ...]]:
    study = results.study
    return {
        (agent, position): tuple(results.row(agent, position, budget) for budget in range(len(study.budgets)))
        for agent in range(len(study.agents))
        for position in range(len(study.positions))
    }


def read_stored(
    plan: Plan, path: Path, known: Found | None, hear_part: Callable[[int, int], object], job: Job
) -> Frame:
    """The plan's results in the file, for a ``Bridge``.

    ``known`` are results read before, which are not read again. Of a large file ``hear_part`` is called in the UI
    thread with how many results are read, and how many there are.
    """

    def check(*how_far: int) -> None:
        job.check()
        if how_far:
            job.send(hear_part, *how_far)

    return frame_of(stored(_known(plan, path, known), check))


def _known(plan: Plan, path: Path, known: Found | None) -> Found:
    """``known`` if it is of this plan and this file, else empty results."""
    if known is not None and known.path == path and known.schedule.digest == plan.digest:
        return known
    return Found(schedule_of(plan, to_read=True), path)


@dataclass(frozen=True, eq=False)
class Queued:
    """A run that waits for its turn."""

    plan: Plan
    path: Path
    workers: int | None


class Runner(QObject):
    """At most one run, which can be paused, held, resumed, cancelled, and continued. Used in the UI thread.

    Others wait in the ``queue``. Each begins when the one before it ends or is cancelled; after one that failed, the
    next waits for ``start``, because what hindered the one will hinder the other.
    """

    state_changed = Signal()
    """``state``, ``held`` or ``problem`` changed."""
    frame_changed = Signal(object)
    """A newer ``Frame`` of the run."""
    queue_changed = Signal()
    """``queue`` changed."""
    read = Signal(int, int)
    """How many of the results in a large file it has read, before it begins, and how many there are."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = Bridge("nimdesk-run", what="The run", parent=self)
        self._job: Job | None = None
        self._run: Run | None = None
        self._state: RunState | None = None
        self._resting = False
        self.held = False
        """Whether it pauses because a search is being watched."""
        self.plan: Plan | None = None
        """The plan of the current or last run."""
        self.path: Path | None = None
        """Its file."""
        self.problem = ""
        """Why it failed, or waits, in one sentence."""
        self.queue: tuple[Queued, ...] = ()
        """What waits for its turn, the next one first."""

    @property
    def state(self) -> RunState | None:
        """The run's state; None before the first."""
        return self._state

    @property
    def active(self) -> bool:
        """Whether a run is under way, or pausing."""
        return self._state is not None and self._state not in ENDS

    @property
    def resting(self) -> bool:
        """Whether ``resume`` would continue it."""
        return self.active and (self._state is RunState.PAUSED or self.held)

    def start(self, plan: Plan, path: Path, *, workers: int | None = None, known: Found | None = None) -> None:
        """Do the rest of this plan: now, or when all before it in the queue are done.

        ``known`` are results read before.
        """
        if self.active:
            if path != self.path and not self.waits(path):
                self._set_queue(*self.queue, Queued(plan, path, workers))
            return
        self.forget(path)
        self.plan, self.path, self.problem = plan, path, ""
        self.held, self._resting, self._run = False, False, None
        self._set_state(RunState.READY)
        act = partial(self._carry_out, plan, path, workers, known)
        self._job = self._bridge.start(act, done=self._on_end, failed=self._on_failed)

    def waits(self, path: Path | None) -> bool:
        """Whether the run with results in this file waits for its turn."""
        return any(each.path == path for each in self.queue)

    def forget(self, path: Path | None) -> None:
        """Take the run with results in this file out of the queue."""
        if self.waits(path):
            self._set_queue(*(each for each in self.queue if each.path != path))

    def _set_queue(self, *queue: Queued) -> None:
        self.queue = queue
        self.queue_changed.emit()

    def _begin_next(self) -> None:
        if self.queue and not self.active:
            following = self.queue[0]
            self.start(following.plan, following.path, workers=following.workers)

    def _carry_out(self, plan: Plan, path: Path, workers: int | None, known: Found | None, job: Job) -> None:
        """Runs in the thread of the bridge, which waits for the threads of the run."""
        found, frames = _known(plan, path, known), Frames(_FRAME_S)

        def listen(event: Event) -> None:
            if isinstance(event, TaskFinished):
                frames.offer(show)
                return
            if isinstance(event, ResultsRead):
                job.send(self.read.emit, event.read, event.stored)
                return
            if found.is_proven and found.is_whole:
                show()
            job.send(self._on_state, event.state, event.error)

        def show() -> None:
            job.send(self.frame_changed.emit, frame_of(found, run.progress()))

        run = Run(found.schedule, path, workers=workers, listener=listen, found=found)
        job.send(self._on_begun, run)
        if not job.stopped:
            run.start()
            run.wait()

    def _on_begun(self, run: Run) -> None:
        self._run = run
        if self._job is not None and self._job.stopped:
            run.cancel()

    def pause(self) -> None:
        """Begin no more tasks; ``resume`` continues."""
        self.held = False
        self._rest(True)

    def resume(self) -> None:
        """Continue, even while a search is watched."""
        self.held = False
        self._rest(False)

    def cancel(self) -> None:
        """End the run; what is stored is kept, and ``start`` continues from there."""
        self.held = False
        if self._job is not None:
            self._job.stop()
        if self._run is not None:
            self._run.cancel()

    def hold(self, held: bool) -> None:
        """Pause while something else has precedence, then continue."""
        if held and self._state in (RunState.READY, RunState.PROVING, RunState.RUNNING):
            self.held = True
            self._rest(True)
        elif not held and self.held:
            self.resume()

    def shutdown(self) -> None:
        """End the run and the thread; stored results stay. Call it after the window is hidden."""
        self._set_queue()
        self.cancel()
        self._bridge.shutdown()

    def _rest(self, resting: bool) -> None:
        self._resting = resting
        if self._run is not None and not resting:
            self._run.resume()
        self._follow()

    def _follow(self) -> None:
        """Adopt the run's state, or pause it as soon as possible."""
        if self.active:
            if self._run is not None and self._resting:
                self._run.pause()
            going = RunState.READY if self._run is None else self._run.state
            if going not in ENDS:
                self._state = RunState.PAUSED if self._resting else going
                # Read after the state, and of the same moment: the event that brought us here may be older.
                hindrance = None if self._run is None else self._run.hindrance
                self.problem = "" if hindrance is None else str(hindrance)
        self.state_changed.emit()

    def _set_state(self, state: RunState) -> None:
        self._state = state
        self.state_changed.emit()

    def _on_state(self, state: RunState, error: NimdeskError | None) -> None:
        if state in ENDS:
            self.problem = "" if error is None else str(error)
            self._set_state(state)
        else:
            self._follow()

    def _on_end(self, _result: None) -> None:
        self._job = self._run = None
        if self.active:
            self._set_state(RunState.CANCELLED)  # before it began
        if self._state is not RunState.FAILED:
            self._begin_next()

    def _on_failed(self, sentence: str) -> None:
        self._job = self._run = None
        self.problem = sentence
        self._set_state(RunState.FAILED)
