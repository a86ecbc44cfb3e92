"""The searches of the game: at most one is current, the latest start wins, and stale words are never heard."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from functools import partial

import msgspec
from PySide6.QtCore import QObject, QThread, Signal

from nimdesk.agents import Agent
from nimdesk.agents.relay import Relay
from nimdesk.errors import AgentError
from nimdesk.games import AnyPosition, Side
from nimdesk.games.kit import threats_in
from nimdesk.games.truth import Value
from nimdesk.play.moment import FOLLOWED, slowed_s
from nimdesk.search import Limit, ResumableSearcher, Searcher, Snapshot, StopReason
from nimdesk.search.types import ClosableSearcher, IllustratedSearcher
from nimdesk.ui.jobs.bridge import Bridge, Frames, Job, settle, step_back

_SLICE_S = 0.008
"""Move now waits for the slice under way; a slice itself costs some microseconds."""
_PICTURE_S = 0.1
"""How much longer a move may take for its curves' sake: a tenth of it does, unless the search runs in Python."""


class _Pace:
    """How many iterations a search may have done by now, so that a person can follow its first ones.

    The first ``FOLLOWED`` are spread evenly on a logarithmic scale over ``slow_s``; then there is no bound. Resting in
    between spends nothing of the agent's seconds, which are all searched at full speed: slow motion comes on top, and
    the result is that of the same iterations without it.
    """

    def __init__(self, slow_s: float) -> None:
        self._slow_s = slow_s
        self._before_s, self._begin = 0.0, 0.0

    def go(self, stop: threading.Event, move_now: threading.Event) -> None:
        """The search runs from now on, for the first time or again."""
        self._stop, self._move_now = stop, move_now
        self._begin = time.monotonic()

    def rest(self) -> None:
        """The search rests from now on."""
        self._before_s = self._elapsed_s

    @property
    def _elapsed_s(self) -> float:
        return self._before_s + time.monotonic() - self._begin

    def iterations(self) -> int | None:
        """The allowance now; None for no bound."""
        elapsed_s = self._elapsed_s
        return None if elapsed_s >= self._slow_s else max(1, int(FOLLOWED ** (elapsed_s / self._slow_s)))

    def wait(self) -> None:
        """Let some time pass while the search runs ahead of the allowance; Stop ends the wait at once."""
        if self._elapsed_s < self._slow_s and not self._move_now.is_set():
            self._stop.wait(_SLICE_S)


@dataclass(eq=False)
class _Request:
    """One search to do, or to go on with; ``move_now`` ends it early with what it knows."""

    position: AnyPosition
    agent: Agent
    seed: int
    pace: _Pace
    looks_for_threats: bool = False
    """Whether the end says what is found of wins by threats."""
    move_now: threading.Event = field(default_factory=threading.Event)
    job: Job | None = None
    searcher: Searcher | None = None
    """What there is to go on with, while the search is held."""
    relay: Relay | None = None
    """Where the search began anew: by whom it is taken over."""
    spent_s: float = 0.0
    """Seconds of searching by now."""
    decided: bool = False
    """Whether all moves but one are known to lose, so that there is nothing left to find out."""
    dropped: bool = False
    """Whether nobody will go on with it."""

    def drop(self) -> None:
        """Hear nothing more of it."""
        self.dropped = True
        if self.job is not None:
            self.job.drop()
        self.searcher = self.relay = None


class SearchService(QObject):
    """Searches one position at a time off the UI thread; the signals speak of the current search only."""

    search_started = Signal()
    """The search is ready to go: kernels are loaded (and compiled, the first time)."""
    snapshot_ready = Signal(object)
    """A ``Snapshot`` of the running search; at most 30 a second."""
    search_finished = Signal(object)
    """The last ``Snapshot``, which says why the search stopped."""
    search_held = Signal(object)
    """The ``Snapshot`` at which a search was held."""
    search_failed = Signal(str)
    """One sentence for the person at the screen."""
    agent_failed = Signal(str)
    """One sentence: the agent itself is to blame, and loses its game."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._request: _Request | None = None
        self._held: _Request | None = None
        self._kept: dict[tuple[Side, Agent], Searcher] = {}
        self.bridge = Bridge(
            "nimdesk-search",
            what="The search",
            out_of_memory="The search ran out of memory; give it less among its options.",
            priority=QThread.Priority.NormalPriority,
        )
        """The bridge to the thread of the searches, which do one job after the other."""

    @property
    def searching(self) -> bool:
        """Whether a search is current: asked for, and neither finished nor stopped."""
        return self._request is not None

    def start(self, position: AnyPosition, agent: Agent, *, slow_motion_s: float = 0.0, threats: bool = False) -> None:
        """Begin this search in place of the current one; one that is held stays so.

        With ``threats``, its last snapshot also says what is found of wins by threats.
        """
        self.stop()
        self._run(_Request(position, agent, agent.new_seed(), _Pace(slowed_s(agent, slow_motion_s)), threats))

    def hold(self) -> None:
        """Let the current search rest where it is: ``go_on`` takes it up again, with its seed and all that it knows."""
        if self._request is not None and self._request.job is not None:
            self.let_go()
            self._request.job.stop()
            self._held, self._request = self._request, None

    def holds(self, position: AnyPosition, agent: Agent) -> bool:
        """Whether a search of this position by this agent is held."""
        return self._held is not None and (self._held.position, self._held.agent) == (position, agent)

    def go_on(self) -> None:
        """Go on with the search that is held, in place of the current one."""
        held, self._held = self._held, None
        self.stop()
        if held is not None:
            if held.job is not None:
                held.job.drop()  # it may still be on its way to where it rests, which then is not heard
            self._run(held)

    def let_go(self) -> None:
        """Forget the search that is held."""
        if self._held is not None:
            self._held.drop()
            self._held = None

    def _run(self, request: _Request) -> None:
        self._request = request
        request.job = self.bridge.start(
            partial(self._search, request), done=partial(self._on_finished, request), failed=self._on_failed
        )

    def stop(self) -> None:
        """Drop the current search; nothing more is heard of it."""
        if self._request is not None:
            self._request.drop()
            self._request = None

    def move_now(self) -> None:
        """Let the current search finish at once with what it knows."""
        if self._request is not None:
            self._request.move_now.set()

    def shutdown(self) -> None:
        """End the thread, waiting for the slice or the compilation under way; call it after the window is hidden."""
        self.stop()
        self.bridge.shutdown()

    # In the thread

    def _search(self, request: _Request, job: Job) -> Snapshot | AgentError:
        try:
            searcher, request.searcher = request.searcher or self._searcher(request), None
            relay = request.relay  # read once here and below: ``drop`` takes it away, in the other thread
            if relay is None or not relay.in_python:
                _settle()
            job.send(self.search_started.emit)
            ended = self._searched(searcher, request, job)
            if request.looks_for_threats and not job.stopped:
                ended = msgspec.structs.replace(ended, threats=threats_in(request.position))
            return ended
        except AgentError as error:
            return error

    def _searcher(self, request: _Request) -> Searcher:
        """A started searcher; one that keeps its tree goes on where the last search for the same side ended."""
        keeps = request.agent.keeps_tree
        key = (request.position.turn, request.agent)
        kept = self._kept.pop(key, None) if keeps else None
        if self._held is not None and kept is self._held.searcher:
            kept = None
        if kept is not None and isinstance(kept, ResumableSearcher) and kept.resume(request.position, request.seed):
            self._kept[key] = kept
            return kept
        relay = request.relay = Relay(request.agent, request.position, request.seed)
        if relay.in_python:
            # Slow enough by itself; nobody is to wait longer than need be, and what was missed is shown afterwards.
            request.pace = _Pace(0.0)
        return self._kept_for(request, relay.searcher)

    def _kept_for(self, request: _Request, searcher: Searcher) -> Searcher:
        """The searcher, which is kept for the next search of its side if that goes on with its tree."""
        if isinstance(searcher, IllustratedSearcher):
            searcher.show_search()
        if request.agent.keeps_tree and isinstance(searcher, ResumableSearcher):
            # One tree for each side at most: they are large.
            key = (request.position.turn, request.agent)
            self._kept = {other: tree for other, tree in self._kept.items() if other[0] != key[0]} | {key: searcher}
        return searcher

    def _searched(self, searcher: Searcher, request: _Request, job: Job) -> Snapshot:
        pace, frames = request.pace, Frames()
        alone = len(request.position.legal_moves) == 1
        pace.go(job.stopping, request.move_now)
        while not job.stopped:
            if request.move_now.is_set():
                # A snapshot of hundreds of moves takes milliseconds: one is enough.
                snapshot = searcher.snapshot()
                if snapshot.best_move is not None:
                    return snapshot.ended(StopReason.MOVE_NOW)
            relay = request.relay
            if relay is not None and relay.pass_on():
                _settle()
                searcher = self._kept_for(request, relay.searcher)
                request.spent_s = searcher.snapshot().elapsed_s
            begin = time.perf_counter()
            reason = searcher.advance(Limit(iterations=pace.iterations(), time_s=request.spent_s + _SLICE_S))
            request.spent_s += time.perf_counter() - begin
            if reason is not None:
                return self._illustrated(searcher, request, job)
            if alone:
                self._show(searcher, request, job)
            else:
                frames.offer(partial(self._show, searcher, request, job))
            if request.decided:
                return searcher.snapshot().ended(StopReason.DECIDED)
            pace.wait()
        pace.rest()
        if isinstance(searcher, ClosableSearcher):
            request.relay = None
        elif not request.dropped:
            request.searcher = searcher
        return searcher.snapshot().ended(StopReason.STOPPED)

    @staticmethod
    def _illustrated(searcher: Searcher, request: _Request, job: Job) -> Snapshot:
        """The end of a search, with more of its curves where it was short: not followed, so it takes no time to see."""
        ended = searcher.snapshot()
        if not isinstance(searcher, IllustratedSearcher):
            return ended
        until_s = ended.elapsed_s
        while until_s < ended.elapsed_s + _PICTURE_S and not (job.stopped or request.move_now.is_set()):
            until_s += _SLICE_S
            if searcher.illustrate(Limit(time_s=until_s)):
                break
        return searcher.snapshot()

    def _show(self, searcher: Searcher, request: _Request, job: Job) -> None:
        snapshot = searcher.snapshot()
        # Its own clock leaves out what calling it costs; slices measured from ours would grow longer and longer.
        request.spent_s = snapshot.elapsed_s
        request.decided = request.agent.ends_early and _decided(snapshot)
        job.send(self._on_frame, request, snapshot)

    # What is heard of it

    def _on_frame(self, request: _Request, snapshot: Snapshot) -> None:
        if request is self._request:  # one that is held tells where it rests, and what was on its way before is stale
            self.snapshot_ready.emit(snapshot)

    def _on_finished(self, request: _Request, ended: Snapshot | AgentError) -> None:
        held = request is self._held
        if isinstance(ended, AgentError):
            self._request = self._held = None
            self.agent_failed.emit(str(ended))
        elif held:
            self.search_held.emit(ended)
        else:
            self._request = None
            self.search_finished.emit(ended)

    def _on_failed(self, sentence: str) -> None:
        self._request = self._held = None
        self.search_failed.emit(sentence)


def _settle() -> None:
    """Compiled code is loaded: from now on the thread runs without the interpreter's lock, and gives way to others."""
    settle("search")
    step_back()


def _decided(snapshot: Snapshot) -> bool:
    """Whether one move is left that is not proven to lose, and would be played: the only legal one, perhaps.

    If others were looked at more, it has only had no proof yet, and lost positions are to be held out in.
    """
    left = [stats for stats in snapshot.moves if stats.proven is not Value.LOSS]
    most = max((stats.visits for stats in snapshot.moves), default=0)
    return [stats.move for stats in left] == [snapshot.best_move] and left[0].visits == most
