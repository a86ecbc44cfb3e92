"""Searches off the UI thread: a worker object in a QThread, and the service that the window talks to.

The window asks ``SearchService.start`` and gets signals back; it never waits. Each search has an id, and the service
drops whatever a search that is no longer current still sends.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
import traceback

import msgspec
from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from nimdesk.agents import Agent
from nimdesk.errors import AgentError, NimdeskError
from nimdesk.games import AnyPosition, Side
from nimdesk.search import Limit, ResumableSearcher, Searcher, Snapshot, StopReason
from nimdesk.ui.jobs.background import Settler, WorkerThread

SLICE_S = 0.008
"""Move now waits for the slice under way; a slice itself costs some microseconds."""
FRAME_S = 1 / 30


class SearchRequest(msgspec.Struct, frozen=True, eq=False):
    """One search to do, and the way to end it early from another thread.

    With ``slow_motion_s``, a search that has a number of iterations spreads them over so many seconds, evenly on a
    logarithmic scale, so that a person can watch; the result is the same as at full speed.
    """

    id: int
    position: AnyPosition
    agent: Agent
    seed: int
    slow_motion_s: float = 0.0
    stop: threading.Event = msgspec.field(default_factory=threading.Event)
    move_now: threading.Event = msgspec.field(default_factory=threading.Event)


def spread_over(request: SearchRequest) -> int | None:
    """How many iterations slow motion spreads over time; None for a search at full speed."""
    own: int | None = getattr(request.agent.options, "iterations", None)
    return own if request.slow_motion_s > 0 and own is not None and own > 1 else None


class SearchWorker(QObject):
    """Runs one request after the other, in the thread that it has been moved to."""

    search_started = Signal(int)
    """The search with this id is ready to go: kernels are loaded (and compiled, the first time)."""
    snapshot_ready = Signal(int, object)
    """The id, and a ``Snapshot`` of the running search; at most 30 a second."""
    search_finished = Signal(int, object)
    """The id, and the last ``Snapshot``, which says why the search stopped."""
    search_failed = Signal(int, str)
    """The id, and one sentence for the person at the screen."""
    agent_failed = Signal(int, str)
    """The id, and one sentence: the agent itself is to blame, and loses its game."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[tuple[Side, Agent], Searcher] = {}
        self._settler = Settler()

    @Slot(object)
    def run(self, request: SearchRequest) -> None:
        """Do the search; one of ``search_finished`` and ``search_failed`` follows, whatever happens."""
        if request.stop.is_set():
            return
        try:
            searcher = self._searcher(request)
            self._settler.settle()
            self.search_started.emit(request.id)
            self.search_finished.emit(request.id, self._search(searcher, request))
        except AgentError as error:
            self.agent_failed.emit(request.id, str(error))
        except NimdeskError as error:
            self.search_failed.emit(request.id, str(error))
        except MemoryError:
            self.search_failed.emit(request.id, "The search ran out of memory; give it less in the players dock.")
        except Exception as error:  # an exception in a slot of a worker would vanish without a trace
            traceback.print_exc()
            self.search_failed.emit(request.id, f"The search failed: {str(error) or type(error).__name__}.")

    def _searcher(self, request: SearchRequest) -> Searcher:
        """A started searcher; one that keeps its tree goes on where the last search for the same side ended."""
        keeps = getattr(request.agent.options, "keep_tree", False)
        key = (request.position.turn, request.agent)
        kept = self._kept.pop(key, None) if keeps else None
        if kept is not None and isinstance(kept, ResumableSearcher) and kept.resume(request.position, request.seed):
            self._kept[key] = kept
            return kept
        searcher = request.agent.new_searcher()
        searcher.start(request.position, request.seed)
        if keeps and isinstance(searcher, ResumableSearcher):
            # One tree for each side at most: they are large.
            self._kept = {other: tree for other, tree in self._kept.items() if other[0] != key[0]} | {key: searcher}
        return searcher

    @Slot(object)
    def warm_up(self, request: SearchRequest) -> None:
        """Load, or compile, what a search of this position will need; quietly, since nobody waits for it."""
        if not request.stop.is_set():
            try:
                request.agent.new_searcher().start(request.position, 0)
            except Exception:
                return  # the search itself will say why

    def _search(self, searcher: Searcher, request: SearchRequest) -> Snapshot:
        pace = _Pace(request)
        spent, next_frame = 0.0, time.monotonic() + FRAME_S
        while not request.stop.is_set():
            if request.move_now.is_set():
                # A snapshot of hundreds of moves takes milliseconds: one is enough.
                snapshot = searcher.snapshot()
                if snapshot.best_move is not None:
                    return snapshot.ended(StopReason.MOVE_NOW)
            begin = time.perf_counter()
            reason = searcher.advance(Limit(iterations=pace.iterations(), time_s=spent + SLICE_S))
            spent += time.perf_counter() - begin
            if reason is not None:
                return searcher.snapshot()
            if time.monotonic() >= next_frame:
                self.snapshot_ready.emit(request.id, searcher.snapshot())
                next_frame = time.monotonic() + FRAME_S
            pace.wait()
        return searcher.snapshot().ended(StopReason.STOPPED)


class _Pace:
    """How many iterations a search may have done by now when it is watched in slow motion."""

    def __init__(self, request: SearchRequest) -> None:
        spread = spread_over(request)
        self._slow = spread is not None
        self._log_total = math.log(spread or 1)
        self._seconds = request.slow_motion_s
        self._stop, self._move_now = request.stop, request.move_now
        self._begin = time.monotonic()

    def iterations(self) -> int | None:
        """The allowance now; None for no bound."""
        elapsed = time.monotonic() - self._begin
        if not self._slow or elapsed >= self._seconds:
            return None
        return max(1, int(math.exp(self._log_total * elapsed / self._seconds)))

    def wait(self) -> None:
        """Let some time pass if the search runs ahead of the allowance; Stop ends the wait at once."""
        if self._slow and time.monotonic() - self._begin < self._seconds and not self._move_now.is_set():
            self._stop.wait(SLICE_S)


class SearchService(QObject):
    """The UI thread's side: at most one search is current; the latest ``start`` wins.

    Signals are those of the worker without the ids, of the current search only.
    """

    search_started = Signal()
    snapshot_ready = Signal(object)
    search_finished = Signal(object)
    search_failed = Signal(str)
    agent_failed = Signal(str)

    _run_requested = Signal(object)
    _warm_up_requested = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ids = itertools.count(1)
        self._current: SearchRequest | None = None
        self._warming: list[SearchRequest] = []
        self._worker = SearchWorker()
        self._thread = WorkerThread(self._worker, "nimdesk-search", QThread.Priority.LowPriority)
        # Bound methods of this object, never lambdas: a lambda would run in the worker's thread.
        queued = Qt.ConnectionType.QueuedConnection
        self._run_requested.connect(self._worker.run, queued)
        self._warm_up_requested.connect(self._worker.warm_up, queued)
        self._worker.search_started.connect(self._on_started, queued)
        self._worker.snapshot_ready.connect(self._on_snapshot, queued)
        self._worker.search_finished.connect(self._on_finished, queued)
        self._worker.search_failed.connect(self._on_failed, queued)
        self._worker.agent_failed.connect(self._on_agent_failed, queued)

    @property
    def searching(self) -> bool:
        """Whether a search is current: asked for, and neither finished nor stopped."""
        return self._current is not None

    @property
    def slowed_down(self) -> bool:
        """Whether the current search is spread over time to be watched."""
        return self._current is not None and spread_over(self._current) is not None

    def start(self, position: AnyPosition, agent: Agent, *, slow_motion_s: float = 0.0) -> None:
        """Begin this search in place of the current one."""
        self.stop()
        self._current = SearchRequest(next(self._ids), position, agent, agent.new_seed(), slow_motion_s)
        self._thread.ensure_running()
        self._run_requested.emit(self._current)

    def warm_up(self, position: AnyPosition, agent: Agent) -> None:
        """Prepare for searches of such a position while nobody waits; the position must not be over."""
        request = SearchRequest(next(self._ids), position, agent, 0)
        self._warming = [*self._warming[-1:], request]
        self._thread.ensure_running()
        self._warm_up_requested.emit(request)

    def stop(self) -> None:
        """Drop the current search; nothing more is heard of it."""
        if self._current is not None:
            self._current.stop.set()
            self._current = None

    def move_now(self) -> None:
        """Let the current search finish at once with what it knows."""
        if self._current is not None:
            self._current.move_now.set()

    def shutdown(self) -> None:
        """End the thread, waiting for the slice or the compilation under way; call it after the window is hidden."""
        self.stop()
        for request in self._warming:
            request.stop.set()
        self._thread.end()

    def _is_current(self, search_id: int) -> bool:
        return self._current is not None and self._current.id == search_id

    @Slot(int)
    def _on_started(self, search_id: int) -> None:
        if self._is_current(search_id):
            self.search_started.emit()

    @Slot(int, object)
    def _on_snapshot(self, search_id: int, snapshot: Snapshot) -> None:
        if self._is_current(search_id):
            self.snapshot_ready.emit(snapshot)

    @Slot(int, object)
    def _on_finished(self, search_id: int, snapshot: Snapshot) -> None:
        if self._is_current(search_id):
            self._current = None
            self.search_finished.emit(snapshot)

    @Slot(int, str)
    def _on_agent_failed(self, search_id: int, message: str) -> None:
        if self._is_current(search_id):
            self._current = None
            self.agent_failed.emit(message)

    @Slot(int, str)
    def _on_failed(self, search_id: int, message: str) -> None:
        if self._is_current(search_id):
            self._current = None
            self.search_failed.emit(message)
