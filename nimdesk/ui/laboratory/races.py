"""Searches as far as they went, and races: several side by side in one thread, kept level, stopped and continued."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from nimdesk.agents import Agent
from nimdesk.agents.relay import Relay
from nimdesk.games import AnyPosition
from nimdesk.play.laboratory import AgentSearch
from nimdesk.search import BriefSearcher, Limit, MoveStats, Searcher, Snapshot, StopReason
from nimdesk.search.timeline import Cost, Recorder, Timeline, cost_of
from nimdesk.ui.jobs.bridge import Frames, Job, settle

SLICE_S = 0.015
_AHEAD = 1.04
"""No search runs further ahead of the others than by this factor, the ratio of two rows of a trace."""
_BARREN = 5
"""After this many slices in a row without spending, the cost is exhausted; a single one may mean a busy machine.
"""
_REASONS = {
    Cost.ITERATIONS: StopReason.ITERATIONS,
    Cost.SECONDS: StopReason.TIME,
    Cost.PLAYOUTS: StopReason.PLAYOUTS,
    Cost.NODES: StopReason.NODES,
}
_STEP = {Cost.ITERATIONS: 32.0, Cost.PLAYOUTS: 32.0, Cost.NODES: 32.0, Cost.SECONDS: SLICE_S}
_ENDLESS = 1e15
_RUN_BYTES, _MOVE_BYTES = 4000, 200
"""Roughly the bytes that a run takes beside its arrays, and those of each of its moves and rows."""
_NUMBERS = itertools.count()
Rows = tuple[tuple[int, float, float, int], ...]
"""The moments of a search at which its nodes and its choice were seen."""


@dataclass(frozen=True, slots=True)
class RunKey:
    """What determines a search, however long it ran."""

    position: AnyPosition
    agent: Agent
    seed: int


class Run:
    """One search as far as it went. While the run is running, ``searcher`` belongs to the thread."""

    def __init__(self, key: RunKey) -> None:
        self.key = key
        self._number = next(_NUMBERS)
        self.searcher: Searcher | None = None
        self.relay: Relay | None = None
        """By whom the search is taken over, while it runs in Python."""
        # Of these, ``AgentSearch`` says what they mean.
        self.problem, self.replaying, self.finished, self.dropped = "", False, False, False
        self.snapshot: Snapshot | None = None
        """The newest state; None before the first."""
        self._recorder = Recorder()
        self._timeline: Timeline | None = None
        self._looked_at: tuple[int, Snapshot] | None = None

    @property
    def ended(self) -> bool:
        """Whether the search came to its own end, or failed, so that it cannot continue."""
        return bool(self.problem) or self.finished

    @property
    def tree_dropped(self) -> bool:
        """Whether there are results without their search, which can be repeated exactly."""
        return self.searcher is None and self.snapshot is not None

    @property
    def result_bytes(self) -> int:
        """Roughly the memory that its results take, without its tree."""
        snapshot = self.snapshot
        if snapshot is None:
            return _RUN_BYTES
        trace = snapshot.trace
        arrays = () if trace is None else (trace.iterations, trace.elapsed_s, trace.visits, trace.value_sum)
        lines = sum(len(stats.principal_variation) for stats in snapshot.moves)
        return (
            _RUN_BYTES
            + sum(array.nbytes for array in arrays)
            + _MOVE_BYTES * (len(snapshot.moves) + len(self.rows))
            + 8 * lines
            + sum(map(len, snapshot.listing))
        )

    def as_search(self, sample: object = None) -> AgentSearch:
        """How far it went by now; ``sample`` is the same search with other seeds."""
        return AgentSearch(
            self.key.agent,
            self.key.seed,
            self._number,
            newest=self.snapshot,
            timeline=self.timeline,
            problem=self.problem,
            finished=self.finished,
            replaying=self.replaying,
            dropped=self.dropped,
            tree_dropped=self.tree_dropped,
            rows=self.rows,
            sample=sample,
        )

    def rest(self) -> None:
        """The run is no longer shown: forget what can be worked out again."""
        self._timeline = self._looked_at = None

    def update(self, snapshot: Snapshot) -> None:
        """Adopt a newer state; an older one (of a repeated search) changes nothing."""
        old = self.snapshot
        if old is not None and _done(snapshot) < _done(old):
            self.replaying = True
            return
        self.replaying = self.dropped = False
        self.snapshot, self._timeline, self._looked_at = snapshot, None, None
        self._recorder.add(snapshot)

    def is_behind(self, snapshot: Snapshot) -> bool:
        """Whether this snapshot of the same search is newer."""
        return self.snapshot is None or _done(self.snapshot) < _done(snapshot)

    @property
    def rows(self) -> Rows:
        """The moments at which nodes and choice were seen, for ``restore``."""
        return self._recorder.rows

    def restore(self, snapshot: Snapshot, rows: Rows) -> None:
        """Become a saved search, without a tree until it is continued."""
        self.snapshot, self._timeline = snapshot, None
        self._recorder.restore(rows, snapshot)
        self.finished = snapshot.finished

    def spent(self, cost: Cost) -> float | None:
        """How much of this cost was spent; None if nothing was, or it has no such cost."""
        return None if self.snapshot is None else cost_of(self.snapshot, cost)

    @property
    def timeline(self) -> Timeline | None:
        """The whole search over its costs; None before the first row."""
        if self._timeline is None and self.snapshot is not None:
            self._timeline = self._recorder.timeline(self.snapshot)
        return self._timeline if self._timeline is not None and len(self._timeline) else None

    def at(self, cost: Cost, value: float | None) -> Snapshot | None:
        """The state at this cost, or with None the newest; only the newest has its lines of play."""
        line, snapshot = self.timeline, self.snapshot
        if value is None or line is None or snapshot is None:
            return snapshot
        row = line.row_at(cost, value)
        if row == len(line) - 1:
            return snapshot
        # Several panels ask for the same moment.
        if self._looked_at is None or self._looked_at[0] != row:
            self._looked_at = row, self._state(line, snapshot, row)
        return self._looked_at[1]

    def recall(self, state: Snapshot) -> bool:
        """Adopt a full state of the same search; return False if no row is of that moment."""
        line, newest = self.timeline, self.snapshot
        if line is None or newest is None:
            return False
        row = self._row_of(line, state)
        then = self._state(line, newest, row)
        if state.trace is None and then.tree_nodes != state.tree_nodes:
            return False
        if then.iterations != state.iterations:
            return False
        self._looked_at = row, replace(self.dated(state), trace=newest.trace)
        return True

    def dated(self, state: Snapshot) -> Snapshot:
        """A state of the same search run again, with the seconds that this run had taken at that point."""
        line = self.timeline
        elapsed_s = state.elapsed_s if line is None else float(line.elapsed_s[self._row_of(line, state)])
        return replace(state, stopped=None, elapsed_s=elapsed_s)

    @staticmethod
    def _row_of(line: Timeline, state: Snapshot) -> int:
        by_nodes = state.trace is None
        return line.row_at(*((Cost.NODES, state.tree_nodes) if by_nodes else (Cost.ITERATIONS, state.iterations)))

    @staticmethod
    def _state(line: Timeline, snapshot: Snapshot, row: int) -> Snapshot:
        choice, trace = int(line.choice[row]), line.trace
        nodes = line.nodes if trace is None else trace.nodes
        if trace is None:
            moves = tuple(MoveStats(move, 0, None) for move in line.moves)
        else:
            visits, sums = trace.visits[row].tolist(), trace.value_sum[row].tolist()
            moves = tuple(
                MoveStats(move, n, total / n if n else None)
                for move, n, total in zip(line.moves, visits, sums, strict=True)
            )
        return replace(
            snapshot,
            iterations=int(line.iterations[row]),
            elapsed_s=float(line.elapsed_s[row]),
            tree_nodes=0 if nodes is None else int(nodes[row]),
            moves=moves,
            best_move=line.moves[choice] if choice >= 0 else None,
            stopped=None,
            comment="",
            listing=(),
            playouts=None if trace is None or trace.playouts is None else int(trace.playouts[row]),
            steps=tuple(step for step in snapshot.steps if nodes is not None and step.nodes <= nodes[row]),
        )


def _done(snapshot: Snapshot) -> tuple[int, int]:
    return snapshot.iterations, snapshot.tree_nodes


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """The newest state of the runs that went on, and which of them came to their own ends."""

    snapshots: dict[Run, Snapshot]
    finished: frozenset[Run]


class Race:
    """Continues runs, level on a cost, until each has spent ``goal`` of it (infinity: until told to stop).

    Made in the UI thread; ``run`` is then the job of another one. Heard in the UI thread: ``begun``, when kernels are
    loaded (and compiled, the first time); ``went_on``, the ``Progress`` since the last time, at most 30 times a second;
    ``failed``, a run that failed and one sentence why.
    """

    def __init__(
        self,
        runs: tuple[Run, ...],
        cost: Cost,
        goal: float,
        *,
        begun: Callable[[], None],
        went_on: Callable[[Progress], None],
        failed: Callable[[Run, str], None],
        sentence: Callable[[Exception], str],
    ) -> None:
        """``sentence`` turns an exception into one."""
        self._cost, self._goal = cost, goal
        self._begun, self._went_on, self._failed, self._sentence = begun, went_on, failed, sentence
        self._lanes = [_Lane(run, cost) for run in runs]

    def run(self, job: Job) -> Progress:
        """Search until the goal is met or the job is stopped; return the last state of all runs that did not fail."""
        self._keep(job, lambda lane: not job.stopped and self._tried(job, lane, lane.begin))
        settle("laboratory")
        job.send(self._begun)
        try:
            frames = Frames()
            while not job.stopped and (lane := self._next()) is not None:
                if not self._tried(job, lane, partial(lane.advance, self._target(lane))):
                    self._lanes.remove(lane)
                job.answer_questions()
                frames.offer(partial(self._send_progress, job))
            self._keep(job, lambda lane: self._tried(job, lane, lane.snapshot))
            for lane in self._lanes:
                if lane.alive and (reason := self._why(lane, stopped=job.stopped)) is not None:
                    lane.end(reason)
            return _progress_of(self._lanes)
        finally:
            # Trees that nobody else refers to are released here, not in the UI thread.
            self._lanes.clear()

    def _keep(self, job: Job, worth: Callable[[_Lane], bool]) -> None:
        self._lanes = [lane for lane in self._lanes if worth(lane)]

    def _send_progress(self, job: Job) -> None:
        self._keep(job, lambda lane: self._tried(job, lane, lane.snapshot))
        job.send(self._went_on, _progress_of([lane for lane in self._lanes if lane.changed]))
        for lane in self._lanes:
            lane.changed = False

    def _tried(self, job: Job, lane: _Lane, act: Callable[[], object]) -> bool:
        """Call ``act``; if it fails, report the reason and return False."""
        try:
            act()
        except Exception as error:
            job.send(self._failed, lane.run, self._sentence(error))
            return False
        return True

    def _why(self, lane: _Lane, *, stopped: bool) -> StopReason | None:
        """Why a search rests; None if it only waits because the others are done."""
        if not lane.free and lane.spent >= self._goal:
            return _REASONS[self._cost]
        if stopped:
            return StopReason.STOPPED
        return StopReason.EXHAUSTED if lane.exhausted and self._goal < math.inf else None

    def _next(self) -> _Lane | None:
        """The search that has spent least and so has its turn; None when all have done enough."""
        going = [lane for lane in self._lanes if lane.alive]
        costed = (lane for lane in going if not lane.free and lane.spent < self._goal)
        level = min(costed, key=lambda lane: lane.spent, default=None)
        # Searches without this cost are kept level on time. Each has a turn, however soon the others are done.
        free = min((lane for lane in going if lane.free), key=lambda lane: (lane.begun, lane.spent_s), default=None)
        if free is None or (free.begun and level is not None and level.spent_s <= free.spent_s):
            return level
        return None if free.begun and level is None and self._leaders_done() else free

    def _leaders_done(self) -> bool:
        """Whether those that have the cost are done; without any, the others run to their own ends.

        A search that has no more of the cost to spend would never reach the goal.
        """
        return any(not lane.free or (lane.exhausted and self._goal < math.inf) for lane in self._lanes)

    def _target(self, lane: _Lane) -> float:
        """How far this search may go now: to the furthest of the others, or a little ahead of them."""
        level = [each.spent for each in self._lanes if each.alive and not each.free]
        if len(level) < 2:
            return self._goal
        most = max(level)
        ahead = most if lane.spent < most else max(most * _AHEAD, most + _STEP[self._cost])
        return min(ahead, self._goal)


def _progress_of(lanes: list[_Lane]) -> Progress:
    snapshots = {lane.run: lane.snapshot() for lane in lanes}
    return Progress(snapshots, frozenset(lane.run for lane in lanes if not lane.alive))


class _Lane:
    """One search of a race.

    A ``free`` search lacks the cost of the race, or has ``exhausted`` it, so that time counts instead. ``begun`` says
    whether it had a turn, ``changed`` whether it went on since the last progress.
    """

    def __init__(self, run: Run, cost: Cost) -> None:
        self.run, self._cost = run, cost
        self.alive = self.changed = True
        self.free = self.exhausted = self.begun = False
        self.spent = self.spent_s = 0.0
        self._barren = 0
        self._searcher: Searcher
        self._full: Snapshot | None = None

    def begin(self) -> None:
        """Start the search, or continue it where it was left."""
        if self.run.searcher is None:
            key = self.run.key
            relay = Relay(key.agent, key.position, key.seed)
            self.run.searcher, self.run.relay = relay.searcher, relay if relay.in_python else None
        self._searcher = self.run.searcher
        self.free = cost_of(self.snapshot(), self._cost) is None
        self._look()

    def snapshot(self) -> Snapshot:
        """The state after the last slice. With hundreds of moves it takes milliseconds to make, so not after every
        slice.
        """
        if self._full is None:
            self._full = self._searcher.snapshot()
        return self._full

    def end(self, reason: StopReason) -> None:
        """Make the last snapshot say why the search rests."""
        self._full = self.snapshot().ended(reason)

    def advance(self, target: float) -> None:
        """Do one slice, at most to this target; a search without the cost of the race has slices alone."""
        self.begun = True
        relay = self.run.relay
        if relay is not None and relay.pass_on():
            self._searcher = self.run.searcher = relay.searcher
            self.run.relay = self._full = None
            self._look()
        before = self.spent
        playouts = self._cost is Cost.PLAYOUTS and not self.free
        reason = self._play_out(target) if playouts else self._search(self._limit(target))
        self.changed, self.alive = True, reason is None
        self._look()
        # A full tree has no more nodes to spend, and one that holds the whole game no playouts.
        if self._cost is not Cost.SECONDS and not self.free:
            self._barren = self._barren + 1 if self.alive and self.spent <= before < target else 0
            if self._barren == _BARREN:
                self.free = self.exhausted = True

    def _search(self, limit: Limit) -> StopReason | None:
        self._full = None
        return self._searcher.advance(limit)

    def _limit(self, target: float) -> Limit:
        slice_s, whole = self.spent_s + SLICE_S, int(min(target, _ENDLESS))
        if self.free:
            return Limit(time_s=slice_s)
        if self._cost is Cost.SECONDS:
            return Limit(time_s=min(slice_s, target))
        if self._cost is Cost.ITERATIONS:
            return Limit(time_s=slice_s, iterations=whole)
        return Limit(time_s=slice_s, nodes=whole)

    def _play_out(self, target: float) -> StopReason | None:
        """Search until there are ``target`` playouts, or the slice is over; an iteration makes one at most."""
        slice_s = self.spent_s + SLICE_S
        while True:
            now = self._brief()
            missing = min(target - (now.playouts or 0), _ENDLESS)
            if missing <= 0 or now.elapsed_s >= slice_s:
                return None
            limit = Limit(time_s=slice_s, iterations=now.iterations + math.ceil(missing))
            if (reason := self._search(limit)) is not None:
                return reason

    def _brief(self) -> Snapshot:
        return self._searcher.brief() if isinstance(self._searcher, BriefSearcher) else self.snapshot()

    def _look(self) -> None:
        """Note what the search has spent."""
        now = self._brief()
        self.spent_s = now.elapsed_s
        spent = {
            Cost.ITERATIONS: now.iterations,
            Cost.SECONDS: now.elapsed_s,
            Cost.PLAYOUTS: now.playouts or 0,
            Cost.NODES: now.tree_nodes,
        }
        self.spent = 0.0 if self.free else float(spent[self._cost])
