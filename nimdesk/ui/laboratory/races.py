"""Several searches side by side in one thread: kept level on a cost, stopped and continued."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from nimdesk.search import BriefSearcher, Limit, Searcher, Snapshot, StopReason
from nimdesk.search.timeline import Cost, cost_of
from nimdesk.ui.jobs.bridge import Frames, Job, settle
from nimdesk.ui.laboratory.runs import Run

SLICE_S = 0.015
_AHEAD = 1.04
"""No search runs further ahead of the others than by this factor, which is how far two rows of a trace are apart."""
_BARREN = 5
"""After so many slices in a row that spend nothing there is nothing left to spend; one may be a busy machine's."""
_REASONS = {
    Cost.ITERATIONS: StopReason.ITERATIONS,
    Cost.SECONDS: StopReason.TIME,
    Cost.PLAYOUTS: StopReason.PLAYOUTS,
    Cost.NODES: StopReason.NODES,
}
_STEP = {Cost.ITERATIONS: 32.0, Cost.PLAYOUTS: 32.0, Cost.NODES: 32.0, Cost.SECONDS: SLICE_S}


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """The newest state of the runs that went on, and which of them came to their own ends."""

    snapshots: dict[Run, Snapshot]
    finished: frozenset[Run]


class Race:
    """Carries runs on, level on a cost, each until it has spent ``goal`` of it (infinity: until told to stop).

    Made in the UI thread; ``run`` is then the job of another one. The following are heard in the UI thread. ``begun``:
    kernels are loaded (and compiled, the first time). ``went_on``: the ``Progress`` since the last time, at most 30
    times a second. ``failed``: a run failed, with one sentence why.
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
        """``sentence`` says in one what an exception means."""
        self._cost, self._goal = cost, goal
        self._begun, self._went_on, self._failed, self._sentence = begun, went_on, failed, sentence
        self._lanes = [_Lane(run, cost) for run in runs]

    def run(self, job: Job) -> Progress:
        """Search until the goal is met or the job is stopped; the last state of all runs that did not fail."""
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
            self._keep(job, lambda lane: self._tried(job, lane, lane.take))
            for lane in self._lanes:
                if lane.alive and (reason := self._why(lane, stopped=job.stopped)) is not None:
                    lane.end(reason)
            return _progress(self._lanes)
        finally:
            # Trees that nobody else holds are given back here, not in the UI thread.
            self._lanes.clear()

    def _keep(self, job: Job, worth: Callable[[_Lane], bool]) -> None:
        self._lanes = [lane for lane in self._lanes if worth(lane)]

    def _send_progress(self, job: Job) -> None:
        self._keep(job, lambda lane: self._tried(job, lane, lane.take))
        job.send(self._went_on, _progress([lane for lane in self._lanes if lane.changed]))
        for lane in self._lanes:
            lane.changed = False

    def _tried(self, job: Job, lane: _Lane, act: Callable[[], object]) -> bool:
        """Do it; False, and the reason told, if it fails."""
        try:
            act()
        except Exception as error:
            job.send(self._failed, lane.run, self._sentence(error))
            return False
        return True

    def _why(self, lane: _Lane, *, stopped: bool) -> StopReason | None:
        """Why a search rests; None where it only waits because the others are done."""
        if not lane.free and lane.spent >= self._goal:
            return _REASONS[self._cost]
        if stopped:
            return StopReason.STOPPED
        return StopReason.EXHAUSTED if lane.exhausted and self._goal < math.inf else None

    def _next(self) -> _Lane | None:
        """The search whose turn it is, which is that which has spent least; None when all have done enough."""
        going = [lane for lane in self._lanes if lane.alive]
        costed = (lane for lane in going if not lane.free and lane.spent < self._goal)
        level = min(costed, key=lambda lane: lane.spent, default=None)
        # Searches without this cost are kept level on time. Each has a turn, however soon the others are done.
        free = min((lane for lane in going if lane.free), key=lambda lane: (lane.begun, lane.spent_s), default=None)
        if free is None or (free.begun and level is not None and level.spent_s <= free.spent_s):
            return level
        return None if free.begun and level is None and self._leaders_done() else free

    def _leaders_done(self) -> bool:
        """Whether those that have the cost are done: the others run as long as they do, but alone to their own ends.

        One that has no more of it to spend would never come to the goal.
        """
        return any(not lane.free or (lane.exhausted and self._goal < math.inf) for lane in self._lanes)

    def _target(self, lane: _Lane) -> float:
        """How far this search may go now: to where the furthest is, or if it is there itself, a little ahead."""
        level = [each.spent for each in self._lanes if each.alive and not each.free]
        if len(level) < 2:
            return self._goal
        most = max(level)
        ahead = most if lane.spent < most else max(most * _AHEAD, most + _STEP[self._cost])
        return min(ahead, self._goal)


def _progress(lanes: list[_Lane]) -> Progress:
    snapshots = {lane.run: lane.snapshot for lane in lanes}
    return Progress(snapshots, frozenset(lane.run for lane in lanes if not lane.alive))


class _Lane:
    """One search of a race.

    ``free``: it does not have the cost of the race, or no more of it to spend (``exhausted``), so that time is what it
    has. ``begun``: it had a turn. ``changed``: it went on since the last progress.
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
        """Start the search, or find it where it was left."""
        if self.run.searcher is None:
            searcher = self.run.key.agent.new_searcher()
            searcher.start(self.run.key.position, self.run.key.seed)
            self.run.searcher = searcher
        self._searcher = self.run.searcher
        self._look()

    @property
    def snapshot(self) -> Snapshot:
        """The state after the last slice; of hundreds of moves it takes milliseconds to make, so not every slice."""
        if self._full is None:
            self._full = self._searcher.snapshot()
        return self._full

    def take(self) -> None:
        """Have the snapshot made."""
        assert self.snapshot

    def end(self, reason: StopReason) -> None:
        """Let the last snapshot say why the search rests."""
        self._full = self.snapshot.ended(reason)

    def advance(self, target: float) -> None:
        """One slice, at most to this target; a search without the cost of the race has slices alone."""
        self.begun = True
        before = self.spent
        if self._cost is Cost.PLAYOUTS and not self.free:
            reason = self._play_out(target, self.spent_s + SLICE_S)
        else:
            reason = self._searcher.advance(self._limit(target))
        self.changed, self.alive = True, reason is None
        self._look()
        # A tree that is full has no more nodes to spend, and one that holds the whole game no playouts.
        if self._cost is not Cost.SECONDS and not self.free:
            self._barren = self._barren + 1 if self.alive and self.spent <= before < target else 0
            if self._barren == _BARREN:
                self.free = self.exhausted = True

    def _limit(self, target: float) -> Limit:
        slice_s, whole = self.spent_s + SLICE_S, int(min(target, 1e15))
        if self.free:
            return Limit(time_s=slice_s)
        if self._cost is Cost.SECONDS:
            return Limit(time_s=min(slice_s, target))
        if self._cost is Cost.ITERATIONS:
            return Limit(time_s=slice_s, iterations=whole)
        return Limit(time_s=slice_s, nodes=whole)

    def _play_out(self, target: float, slice_s: float) -> StopReason | None:
        """Search on until there are so many playouts, or the slice is over; an iteration makes one at most."""
        while True:
            now = self._brief()
            missing = min(target - (now.playouts or 0), 1e15)
            if missing <= 0 or now.elapsed_s >= slice_s:
                return None
            limit = Limit(time_s=slice_s, iterations=now.iterations + math.ceil(missing))
            if (reason := self._searcher.advance(limit)) is not None:
                return reason

    def _brief(self) -> Snapshot:
        return self._searcher.brief() if isinstance(self._searcher, BriefSearcher) else self._searcher.snapshot()

    def _look(self) -> None:
        """Read what was spent; the first look, at a whole snapshot, tells whether the search has such a cost at all."""
        self._full = None
        if self.begun and not self.free and isinstance(self._searcher, BriefSearcher):
            now = self._searcher.brief()
            spent: float | None = _spent(now, self._cost)
        else:
            now = self.snapshot
            spent = cost_of(now, self._cost)
        self.spent_s = now.elapsed_s
        self.free = self.free or spent is None
        self.spent = spent or 0.0


def _spent(brief: Snapshot, cost: Cost) -> float:
    """How much a search that has this cost has spent of it."""
    if cost is Cost.SECONDS:
        return brief.elapsed_s
    if cost is Cost.PLAYOUTS:
        return float(brief.playouts or 0)
    return float(brief.iterations if cost is Cost.ITERATIONS else brief.tree_nodes)
