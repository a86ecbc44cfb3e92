"""The laboratory's searches off the UI thread: several side by side, kept level on one cost, stopped and continued."""

from __future__ import annotations

import itertools
import math
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from nimdesk.errors import NimdeskError
from nimdesk.search import BriefSearcher, Limit, Searcher, Snapshot, StopReason
from nimdesk.search.timeline import Cost, cost_of
from nimdesk.ui.jobs.background import Settler, WorkerThread
from nimdesk.ui.laboratory.runs import Run

SLICE_S = 0.015
FRAME_S = 1 / 30
_AHEAD = 1.04
"""No search runs further ahead of the others than by this factor, which is how far two rows of a trace are apart."""
_BARREN = 5
"""So many slices in a row that spend nothing, and there is nothing left to spend; one may be a busy machine's."""
_REASONS = {
    Cost.ITERATIONS: StopReason.ITERATIONS,
    Cost.SECONDS: StopReason.TIME,
    Cost.PLAYOUTS: StopReason.PLAYOUTS,
    Cost.NODES: StopReason.NODES,
}
_STEP = {Cost.ITERATIONS: 32.0, Cost.PLAYOUTS: 32.0, Cost.NODES: 32.0, Cost.SECONDS: SLICE_S}


@dataclass(frozen=True, slots=True, eq=False)
class RaceRequest:
    """Runs to carry on, level on ``cost``, each until it has spent ``goal`` of it (None: until told to stop)."""

    id: int
    runs: tuple[Run, ...]
    cost: Cost
    goal: float | None
    stop: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """The newest state of the runs that went on, and which of them came to their own ends."""

    snapshots: dict[Run, Snapshot]
    finished: frozenset[Run]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Something to find out in the thread of the searches; ``stop`` says that nobody wants to know any more."""

    ask: Callable[[threading.Event], object]
    stop: threading.Event = field(default_factory=threading.Event)


def _spent(brief: Snapshot, cost: Cost) -> float:
    """What a search that has this cost has spent of it."""
    if cost is Cost.SECONDS:
        return brief.elapsed_s
    if cost is Cost.PLAYOUTS:
        return float(brief.playouts or 0)
    return float(brief.iterations if cost is Cost.ITERATIONS else brief.tree_nodes)


class _Lane:
    """One search of a race."""

    def __init__(self, number: int, run: Run, cost: Cost) -> None:
        self.number, self.run, self._cost = number, run, cost
        self.alive, self.changed, self.free, self.begun = True, True, False, False
        self.exhausted = False
        self._barren = 0
        self.searcher: Searcher
        self._full: Snapshot | None = None
        self._looked = False
        self.spent_s = 0.0
        self.spent = 0.0

    def begin(self) -> None:
        """Start the search, or find it where it was left."""
        if self.run.searcher is None:
            searcher = self.run.key.agent.new_searcher()
            searcher.start(self.run.key.position, self.run.key.seed)
            self.run.searcher = searcher
        self.searcher = self.run.searcher
        self.look()

    @property
    def snapshot(self) -> Snapshot:
        """The state after the last slice."""
        self.take()
        assert self._full is not None
        return self._full

    def take(self) -> None:
        """Make the snapshot, unless it is there: that of hundreds of moves takes milliseconds, so not every slice."""
        if self._full is None:
            self._full = self.searcher.snapshot()

    def look(self) -> None:
        """Read what was spent; the first look tells whether the search has such a cost at all."""
        self._full = None
        if self._looked and not self.free and isinstance(self.searcher, BriefSearcher):
            brief = self.searcher.brief()
            self.spent_s, self.spent = brief.elapsed_s, _spent(brief, self._cost)
            return
        self._looked = True
        self.spent_s = self.snapshot.elapsed_s
        spent = cost_of(self.snapshot, self._cost)
        self.free = self.free or spent is None
        self.spent = 0.0 if spent is None else spent

    def end(self, reason: StopReason) -> None:
        """Let the last snapshot say why the search rests."""
        self._full = self.snapshot.ended(reason)

    def advance(self, target: float) -> None:
        """One slice, at most to this target; a search without the cost of the race has slices alone."""
        self.begun = True
        before, whole = self.spent, int(min(target, 1e15))
        slice_s = self.spent_s + SLICE_S
        if self.free:
            reason = self.searcher.advance(Limit(time_s=slice_s))
        elif self._cost is Cost.SECONDS:
            reason = self.searcher.advance(Limit(time_s=min(slice_s, target)))
        elif self._cost is Cost.ITERATIONS:
            reason = self.searcher.advance(Limit(time_s=slice_s, iterations=whole))
        elif self._cost is Cost.PLAYOUTS:
            reason = self._play_out(target, slice_s)
        else:
            reason = self.searcher.advance(Limit(time_s=slice_s, nodes=whole))
        self.changed, self.alive = True, reason is None
        self.look()
        # A tree that is full has no more nodes to spend, and one that holds the whole game no playouts: from there on
        # time is what it has.
        if self._cost is not Cost.SECONDS and not self.free:
            self._barren = self._barren + 1 if self.alive and self.spent <= before < target else 0
            if self._barren == _BARREN:
                self.free = self.exhausted = True

    def _play_out(self, target: float, slice_s: float) -> StopReason | None:
        """Search on until there are so many playouts, or the slice is over; an iteration makes one at most."""
        while True:
            now = self.searcher.brief() if isinstance(self.searcher, BriefSearcher) else self.searcher.snapshot()
            missing = min(target - (now.playouts or 0), 1e15)
            if missing <= 0 or now.elapsed_s >= slice_s:
                return None
            limit = Limit(time_s=slice_s, iterations=now.iterations + math.ceil(missing))
            if (reason := self.searcher.advance(limit)) is not None:
                return reason


class LaboratoryWorker(QObject):
    """Runs one race after the other, in the thread that it has been moved to; answers questions between slices."""

    race_begun = Signal(int)
    """The race with this id is ready to go: kernels are loaded (and compiled, the first time)."""
    progressed = Signal(int, object)
    """The id, and the ``Progress`` since the last time; at most 30 a second."""
    race_ended = Signal(int, object)
    """The id, and the last ``Progress``, of all runs that did not fail."""
    run_failed = Signal(int, object, str)
    """The id, the ``Run``, and one sentence for the person at the screen."""
    answered = Signal(object, object)
    """The ``Question`` and its answer."""
    question_failed = Signal(object, str)
    """The ``Question``, and one sentence."""

    def __init__(self) -> None:
        super().__init__()
        self._settler = Settler()
        self.questions: deque[Question] = deque()
        """Asked by the UI thread; a deque's ends may be used from two threads."""

    @Slot(object)
    def race(self, request: RaceRequest) -> None:
        """Carry the runs on; ``race_ended`` follows, whatever happens."""
        lanes = []
        for number, run in enumerate(request.runs):
            lane = _Lane(number, run, request.cost)
            if not request.stop.is_set() and self._guarded(request, lane, lane.begin):
                lanes.append(lane)
        self._settler.settle()
        self.race_begun.emit(request.id)
        try:
            self._run(request, lanes)
            lanes = [lane for lane in lanes if self._guarded(request, lane, lane.take)]
            for lane in lanes:
                if lane.alive and (reason := self._why(request, lane)) is not None:
                    lane.end(reason)
        finally:
            self.race_ended.emit(request.id, self._progress(lanes))

    @staticmethod
    def _why(request: RaceRequest, lane: _Lane) -> StopReason | None:
        """Why a search rests; None where it only waits because the others are done."""
        if request.goal is not None and not lane.free and lane.spent >= request.goal:
            return _REASONS[request.cost]
        if request.stop.is_set():
            return StopReason.STOPPED
        return StopReason.EXHAUSTED if request.goal is not None and lane.exhausted else None

    @staticmethod
    def _progress(lanes: list[_Lane]) -> Progress:
        snapshots = {lane.run: lane.snapshot for lane in lanes}
        return Progress(snapshots, frozenset(lane.run for lane in lanes if not lane.alive))

    def _run(self, request: RaceRequest, lanes: list[_Lane]) -> None:
        next_frame = time.monotonic()
        while not request.stop.is_set():
            if (lane := self._next(request, lanes)) is None:
                return
            target = self._target(request, lane, lanes)
            if not self._guarded(request, lane, partial(lane.advance, target)):
                lanes.remove(lane)
            self.answer()
            now = time.monotonic()
            if now >= next_frame:
                lanes[:] = [each for each in lanes if self._guarded(request, each, each.take)]
                self.progressed.emit(request.id, self._progress([each for each in lanes if each.changed]))
                for each in lanes:
                    each.changed = False
                # Large boards have large snapshots: they get no more than a fifth of the time.
                next_frame = now + max(FRAME_S, 4 * (time.monotonic() - now))

    @staticmethod
    def _next(request: RaceRequest, lanes: list[_Lane]) -> _Lane | None:
        """Whose turn it is: who has spent least; None when all have done enough."""
        going = [lane for lane in lanes if lane.alive]
        # Everyone has a turn, however soon the others are done.
        if (new := next((lane for lane in going if lane.free and not lane.begun), None)) is not None:
            return new
        level = [lane for lane in going if not lane.free and (request.goal is None or lane.spent < request.goal)]
        free = [lane for lane in going if lane.free]
        # A search without this cost runs as long as the others do; alone, to its own end. One that has no more to spend
        # would never come to the goal.
        if not level and any(not lane.free or (lane.exhausted and request.goal is not None) for lane in lanes):
            return None
        if not level or not free:
            return min(level, key=lambda lane: lane.spent, default=None) or min(
                free, key=lambda lane: lane.spent_s, default=None
            )
        slowest = min(level, key=lambda lane: lane.spent)
        behind = min(free, key=lambda lane: lane.spent_s)
        return behind if behind.spent_s < slowest.spent_s else slowest

    @staticmethod
    def _target(request: RaceRequest, lane: _Lane, lanes: list[_Lane]) -> float:
        """How far this search may go now: to where the furthest is, or if it is there itself, a little ahead."""
        level = [lane.spent for lane in lanes if lane.alive and not lane.free]
        if len(level) < 2:
            return request.goal if request.goal is not None else float("inf")
        most = max(level)
        ahead = most if lane.spent < most else max(most * _AHEAD, most + _STEP[request.cost])
        return ahead if request.goal is None else min(ahead, request.goal)

    def _guarded(self, request: RaceRequest, lane: _Lane, act: Callable[[], object]) -> bool:
        """Do it; False, and the reason told, if it fails."""
        try:
            act()
        except NimdeskError as error:
            self.run_failed.emit(request.id, lane.run, str(error))
        except MemoryError:
            self.run_failed.emit(request.id, lane.run, "The search ran out of memory; give it less in its options.")
        except Exception as error:  # an exception in a slot of a worker would vanish without a trace
            traceback.print_exc()
            self.run_failed.emit(request.id, lane.run, f"The search failed: {str(error) or type(error).__name__}.")
        else:
            return True
        return False

    @Slot()
    def answer(self) -> None:
        """Answer the questions that wait."""
        while self.questions:
            question = self.questions.popleft()
            if question.stop.is_set():
                continue
            try:
                self.answered.emit(question, question.ask(question.stop))
            except NimdeskError as error:
                self.question_failed.emit(question, str(error))
            except Exception as error:  # as above
                traceback.print_exc()
                self.question_failed.emit(question, f"That failed: {str(error) or type(error).__name__}.")


class LaboratoryService(QObject):
    """The UI thread's side: at most one race is current; what an older one still sends is dropped."""

    race_begun = Signal()
    """The race is ready to go."""
    progressed = Signal(object)
    """The ``Progress`` since the last time; at most 30 a second."""
    race_ended = Signal(object)
    """The last ``Progress``: each search says why it stopped, and can go on unless it is finished."""
    run_failed = Signal(object, str)
    """The ``Run`` and one sentence."""
    answered = Signal(object, object)
    """A ``Question`` and its answer."""
    question_failed = Signal(object, str)
    """A ``Question`` and one sentence."""

    _race_requested = Signal(object)
    _question_asked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ids = itertools.count(1)
        self._current: RaceRequest | None = None
        self._stopping = False
        self._questions: list[Question] = []
        self._worker = LaboratoryWorker()
        self._thread = WorkerThread(self._worker, "nimdesk-laboratory", QThread.Priority.LowPriority)
        # Bound methods of this object, never lambdas: a lambda would run in the worker's thread.
        queued = Qt.ConnectionType.QueuedConnection
        self._race_requested.connect(self._worker.race, queued)
        self._question_asked.connect(self._worker.answer, queued)
        self._worker.race_begun.connect(self._on_begun, queued)
        self._worker.progressed.connect(self._on_progress, queued)
        self._worker.race_ended.connect(self._on_ended, queued)
        self._worker.run_failed.connect(self._on_failed, queued)
        self._worker.answered.connect(self._on_answered, queued)
        self._worker.question_failed.connect(self._on_question_failed, queued)

    @property
    def running(self) -> bool:
        """Whether a race is current and not being stopped."""
        return self._current is not None and not self._stopping

    @property
    def busy(self) -> tuple[Run, ...]:
        """The runs whose searchers belong to the worker now, until ``race_ended``."""
        return () if self._current is None else self._current.runs

    def start(self, runs: tuple[Run, ...], cost: Cost, goal: float | None) -> None:
        """Carry these runs on; the race before must have ended."""
        if self._current is not None:
            raise RuntimeError("a race is under way")
        self._current, self._stopping = RaceRequest(next(self._ids), runs, cost, goal), False
        self._thread.ensure_running()
        self._race_requested.emit(self._current)

    def stop(self) -> None:
        """Let the race end after the slice under way; ``race_ended`` tells when it has."""
        if self._current is not None:
            self._stopping = True
            self._current.stop.set()

    def ask(self, question: Callable[[threading.Event], object]) -> Question:
        """Have this called in the thread of the searches, between two slices, where their trees may be read.

        ``answered`` or ``question_failed`` follows, unless the event of the question returned is set before.
        """
        asked = Question(question)
        self._questions = [*(each for each in self._questions if not each.stop.is_set()), asked]
        self._worker.questions.append(asked)
        self._thread.ensure_running()
        self._question_asked.emit()
        return asked

    def release(self, searchers: list[Searcher]) -> None:
        """Let go of these, in the worker's thread: giving back hundreds of megabytes takes its time."""
        if searchers:
            self.ask(_Release(searchers))

    def shutdown(self) -> None:
        """End the thread, waiting for the slice or the compilation under way; call it after the window is hidden."""
        self.stop()
        for question in self._questions:
            question.stop.set()
        self._thread.end()

    def _is_current(self, race_id: int) -> bool:
        return self._current is not None and self._current.id == race_id

    @Slot(int)
    def _on_begun(self, race_id: int) -> None:
        if self._is_current(race_id):
            self.race_begun.emit()

    @Slot(int, object)
    def _on_progress(self, race_id: int, progress: Progress) -> None:
        if self._is_current(race_id):
            self.progressed.emit(progress)

    @Slot(int, object)
    def _on_ended(self, race_id: int, progress: Progress) -> None:
        if self._is_current(race_id):
            self._current, self._stopping = None, False
            self.race_ended.emit(progress)

    @Slot(int, object, str)
    def _on_failed(self, race_id: int, run: Run, message: str) -> None:
        if self._is_current(race_id):
            self.run_failed.emit(run, message)

    @Slot(object, object)
    def _on_answered(self, question: Question, answer: object) -> None:
        if not question.stop.is_set():
            question.stop.set()
            self.answered.emit(question, answer)

    @Slot(object, str)
    def _on_question_failed(self, question: Question, message: str) -> None:
        if not question.stop.is_set():
            question.stop.set()
            self.question_failed.emit(question, message)


class _Release:
    """Holds searchers until it is called."""

    def __init__(self, searchers: list[Searcher]) -> None:
        self._searchers = list(searchers)
        searchers.clear()

    def __call__(self, _stop: threading.Event) -> None:
        self._searchers.clear()
