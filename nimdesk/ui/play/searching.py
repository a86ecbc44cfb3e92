"""The searches of the game: at most one is current, the latest start wins, and stale words are never heard."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal

from nimdesk.agents import Agent
from nimdesk.errors import AgentError
from nimdesk.games import AnyPosition, Side
from nimdesk.search import Limit, ResumableSearcher, Searcher, Snapshot, StopReason
from nimdesk.ui.jobs.bridge import Bridge, Frames, Job, settle

_SLICE_S = 0.008
"""Move now waits for the slice under way; a slice itself costs some microseconds."""


@dataclass(eq=False)
class _Request:
    """One search to do; ``move_now`` ends it early with what it knows.

    With ``slow_motion_s``, a search that has a number of iterations spreads them over so many seconds, evenly on a
    logarithmic scale, so that a person can watch; the result is the same as at full speed.
    """

    position: AnyPosition
    agent: Agent
    seed: int
    slow_motion_s: float = 0.0
    move_now: threading.Event = field(default_factory=threading.Event)

    @property
    def spread(self) -> int | None:
        """How many iterations slow motion spreads over time; None for a search at full speed."""
        own = self.agent.limit.iterations
        return own if self.slow_motion_s > 0 and own is not None and own > 1 else None


class _Pace:
    """How many iterations a search may have done by now when it is watched in slow motion."""

    def __init__(self, request: _Request, stop: threading.Event) -> None:
        spread = request.spread
        self._slow = spread is not None
        self._log_total = math.log(spread or 1)
        self._seconds = request.slow_motion_s
        self._stop, self._move_now = stop, request.move_now
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
            self._stop.wait(_SLICE_S)


class SearchService(QObject):
    """Searches one position at a time off the UI thread; the signals speak of the current search only."""

    search_started = Signal()
    """The search is ready to go: kernels are loaded (and compiled, the first time)."""
    snapshot_ready = Signal(object)
    """A ``Snapshot`` of the running search; at most 30 a second."""
    search_finished = Signal(object)
    """The last ``Snapshot``, which says why the search stopped."""
    search_failed = Signal(str)
    """One sentence for the person at the screen."""
    agent_failed = Signal(str)
    """One sentence: the agent itself is to blame, and loses its game."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._request: _Request | None = None
        self._job: Job | None = None
        self._kept: dict[tuple[Side, Agent], Searcher] = {}
        self._bridge = Bridge(
            "nimdesk-search",
            what="The search",
            out_of_memory="The search ran out of memory; give it less in the players dock.",
        )

    @property
    def searching(self) -> bool:
        """Whether a search is current: asked for, and neither finished nor stopped."""
        return self._request is not None

    @property
    def slowed_down(self) -> bool:
        """Whether the current search is spread over time to be watched."""
        return self._request is not None and self._request.spread is not None

    def start(self, position: AnyPosition, agent: Agent, *, slow_motion_s: float = 0.0) -> None:
        """Begin this search in place of the current one."""
        self.stop()
        request = self._request = _Request(position, agent, agent.new_seed(), slow_motion_s)
        self._job = self._bridge.start(
            lambda job: self._search(request, job), done=self._on_finished, failed=self._on_failed
        )

    def warm_up(self, position: AnyPosition, agent: Agent) -> None:
        """Prepare for searches of such a position while nobody waits; the position must not be over.

        A failure says nothing: the search itself will say why.
        """
        self._bridge.start(_starter(position, agent), done=_hear_nothing, failed=_hear_nothing)

    def stop(self) -> None:
        """Drop the current search; nothing more is heard of it."""
        if self._job is not None:
            self._job.drop()
            self._job = self._request = None

    def move_now(self) -> None:
        """Let the current search finish at once with what it knows."""
        if self._request is not None:
            self._request.move_now.set()

    def shutdown(self) -> None:
        """End the thread, waiting for the slice or the compilation under way; call it after the window is hidden."""
        self.stop()
        self._bridge.shutdown()

    # In the thread

    def _search(self, request: _Request, job: Job) -> Snapshot | AgentError:
        try:
            searcher = self._searcher(request)
            settle("search")
            job.send(self.search_started.emit)
            return self._searched(searcher, request, job)
        except AgentError as error:
            return error

    def _searcher(self, request: _Request) -> Searcher:
        """A started searcher; one that keeps its tree goes on where the last search for the same side ended."""
        keeps = request.agent.keeps_tree
        key = (request.position.turn, request.agent)
        kept = self._kept.pop(key, None) if keeps else None
        if kept is not None and isinstance(kept, ResumableSearcher) and kept.resume(request.position, request.seed):
            self._kept[key] = kept
            return kept
        searcher = request.agent.new_searcher(request.position)
        searcher.start(request.position, request.seed)
        if keeps and isinstance(searcher, ResumableSearcher):
            # One tree for each side at most: they are large.
            self._kept = {other: tree for other, tree in self._kept.items() if other[0] != key[0]} | {key: searcher}
        return searcher

    def _searched(self, searcher: Searcher, request: _Request, job: Job) -> Snapshot:
        pace, frames = _Pace(request, job.stopping), Frames()
        spent_s = 0.0
        while not job.stopped:
            if request.move_now.is_set():
                # A snapshot of hundreds of moves takes milliseconds: one is enough.
                snapshot = searcher.snapshot()
                if snapshot.best_move is not None:
                    return snapshot.ended(StopReason.MOVE_NOW)
            begin = time.perf_counter()
            reason = searcher.advance(Limit(iterations=pace.iterations(), time_s=spent_s + _SLICE_S))
            spent_s += time.perf_counter() - begin
            if reason is not None:
                return searcher.snapshot()
            frames.offer(lambda: job.send(self.snapshot_ready.emit, searcher.snapshot()))
            pace.wait()
        return searcher.snapshot().ended(StopReason.STOPPED)

    # What is heard of it

    def _on_finished(self, ended: Snapshot | AgentError) -> None:
        self._job = self._request = None
        if isinstance(ended, AgentError):
            self.agent_failed.emit(str(ended))
        else:
            self.search_finished.emit(ended)

    def _on_failed(self, sentence: str) -> None:
        self._job = self._request = None
        self.search_failed.emit(sentence)


def _starter(position: AnyPosition, agent: Agent) -> Callable[[Job], None]:
    def start(_job: Job) -> None:
        with suppress(Exception):
            agent.new_searcher(position).start(position, 0)

    return start


def _hear_nothing(_: object) -> None:
    """Of a preparation nothing is heard."""
