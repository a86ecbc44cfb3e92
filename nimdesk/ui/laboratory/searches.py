"""The searches of the studied agents in the studied position: run side by side, stopped, forgotten."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Collection, Iterable

from PySide6.QtCore import QObject, Signal

from nimdesk.search import Searcher, Snapshot, StopReason
from nimdesk.search.timeline import Cost, cost_of
from nimdesk.ui.jobs.bridge import Bridge, Job, ignore
from nimdesk.ui.laboratory.races import Progress, Race, Rows, Run, RunKey
from nimdesk.ui.laboratory.studied import AgentList, Place
from nimdesk.ui.plots.frame import Axis

DEFAULT_LIMITS: dict[Cost, float | None] = {
    Cost.ITERATIONS: 10_000.0,
    Cost.SECONDS: 5.0,
    Cost.PLAYOUTS: 10_000.0,
    Cost.NODES: 10_000.0,
}


TREES_BYTES, RESULTS_BYTES = 256_000_000, 64_000_000
"""The bytes of trees, and of results, that hidden searches may keep for a person who comes back to them."""
_LEAST_TREE = 24_000_000
"""What a tree takes beside its nodes, as measured: its memory comes in large pages, a part of it filled with zeros."""


class RunStore:
    """All runs, the least recently used first; those not shown keep trees and results within bounds."""

    def __init__(self, trees_bytes: int = TREES_BYTES, results_bytes: int = RESULTS_BYTES) -> None:
        self._trees_bytes, self._results_bytes = trees_bytes, results_bytes
        self._runs: OrderedDict[RunKey, Run] = OrderedDict()
        # The hashes of dropped runs. Should another run have the same hash, it only says one sentence too many.
        self._dropped: set[int] = set()

    def get(self, key: RunKey) -> Run:
        """The run of this key, made if it is new."""
        run = self._runs.get(key)
        if run is None:
            run = self._runs[key] = Run(key)
            run.dropped = hash(key) in self._dropped
        self._runs.move_to_end(key)
        return run

    def forget(self, key: RunKey) -> Searcher | None:
        """Drop the run of this key; return its searcher."""
        run = self._runs.pop(key, None)
        if run is None:
            return None
        searcher, run.searcher, run.relay = run.searcher, None, None
        return searcher

    def trim(self, shown: Collection[Run]) -> list[Searcher]:
        """Keep within bounds, sparing the runs shown; return the dropped searchers."""
        keep = {run.key for run in shown}
        others = [run for key, run in self._runs.items() if key not in keep]
        dropped: list[Searcher] = []
        trees, results = sum(map(_tree_bytes, others)), sum(run.result_bytes for run in others)
        for run in others:
            run.rest()
            if run.searcher is not None and (trees > self._trees_bytes or results > self._results_bytes):
                trees -= _tree_bytes(run)
                dropped.append(run.searcher)
                run.searcher = run.relay = None
            if results > self._results_bytes:
                results -= run.result_bytes
                self.forget(run.key)
                if run.snapshot is not None:
                    self._dropped.add(hash(run.key))
        return dropped


def _tree_bytes(run: Run) -> int:
    if run.searcher is None:
        return 0
    return _LEAST_TREE + (run.snapshot.tree_bytes if run.snapshot is not None else 0)


class Searches(QObject):
    """One run for each agent under study. Runs belong to (position, agent, seed) and come back with them."""

    runs_changed = Signal()
    """``runs`` or the agent in focus changed in the same position, or a run was started over."""
    results_changed = Signal()
    """A run shown went on; up to 30 times a second."""
    running_changed = Signal()
    """``running``, ``preparing``, ``can_run`` or ``limit`` changed, or a run failed."""
    axis_changed = Signal()
    newest_wanted = Signal()
    """The person runs or forgets the searches, and so no longer looks at an earlier moment."""

    def __init__(self, place: Place, agents: AgentList, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._place, self._agents = place, agents
        self._studied = agents.studied
        self.runs: tuple[Run, ...] = ()
        """The runs of the agents in this position, in the order of the agents."""
        self._store = RunStore()
        self.axis = Axis()
        """The x axis of every view, and the cost on which searches run level; see ``set_axis``."""
        self.limits = dict(DEFAULT_LIMITS)
        """The limit of each cost; see ``set_limit_of``."""
        self.preparing = False
        """Whether a race waits for its kernels to be loaded or compiled."""
        self._again = False
        self.bridge = Bridge(
            "nimdesk-laboratory",
            what="The search",
            out_of_memory="The search ran out of memory; give it less in its options.",
            parent=self,
        )
        """The bridge to the thread of the searches; a question asked there may read their trees between two slices."""
        self._job: Job | None = None
        self._racing: tuple[Run, ...] = ()
        """The runs whose searchers belong to the thread; until its job is done no other one may begin."""
        place.changed.connect(self._on_position)
        agents.changed.connect(self._on_agents)
        self._find_runs()

    @property
    def focused(self) -> Run:
        """The run of the agent in focus."""
        return self.runs[self._agents.focus]

    def _on_position(self) -> None:
        self._rest()
        self._find_runs()

    def _on_agents(self) -> None:
        if self._agents.studied != self._studied:
            self._studied = self._agents.studied
            self._rest()
        self._show_runs()

    def _show_runs(self) -> None:
        self._find_runs()
        self.runs_changed.emit()
        self.running_changed.emit()

    def _find_runs(self) -> None:
        position = self._place.position
        self.runs = tuple(self._store.get(RunKey(position, each.agent, each.seed)) for each in self._agents.studied)
        self._release(self._store.trim((*self.runs, *self._racing)))

    def _release(self, searchers: list[Searcher]) -> None:
        """Release these in the thread of the searches: returning hundreds of megabytes takes time."""
        if searchers:
            self.bridge.ask(lambda _job: searchers.clear(), done=ignore, failed=ignore)

    # Running

    @property
    def running(self) -> bool:
        """Whether searches run."""
        return self._again or (self._job is not None and not self._job.stopped)

    @property
    def can_run(self) -> bool:
        """Whether any search can continue."""
        return self._place.position.outcome is None and not all(run.ended for run in self.runs)

    def run(self) -> None:
        """Continue all searches to the limit; those that reached it go as far again."""
        if self._job is not None:
            # Stopping takes up to a slice: begin when it is done.
            self._again = self.can_run and self._job.stopped
            self.running_changed.emit()
            return
        self._again = False
        runs = tuple(dict.fromkeys(run for run in self.runs if not run.ended))
        if runs and self.can_run:
            self.newest_wanted.emit()
            self.preparing = True
            race = Race(
                runs,
                self.axis.cost,
                self._goal(runs),
                begun=self._on_begun,
                went_on=self._on_progress,
                failed=self._on_failed,
                sentence=self.bridge.sentence,
            )
            self._racing = runs
            self._job = self.bridge.start(race.run, done=self._on_ended, failed=self._on_broken)
            self.running_changed.emit()

    def _goal(self, runs: tuple[Run, ...]) -> float:
        limit = self.limit
        if limit is None:
            return math.inf
        # A search that is behind goes to the limit that the others have reached; one that is there goes as far again.
        # Searches that lack this cost, or have exhausted it, would always seem behind.
        counting = [run for run in runs if run.snapshot is None or self._can_spend(run.snapshot)]
        spent = min((run.spent(self.axis.cost) or 0.0 for run in counting), default=0.0)
        return limit * (1 + int(spent / limit * (1 + 1e-9)))

    def _can_spend(self, snapshot: Snapshot) -> bool:
        return snapshot.stopped is not StopReason.EXHAUSTED and cost_of(snapshot, self.axis.cost) is not None

    def stop(self) -> None:
        """Let the searches rest; ``run`` continues them."""
        self._rest()
        self.running_changed.emit()

    def _rest(self) -> None:
        self._again = False
        if self._job is not None:
            self._job.stop()

    def start_over(self) -> None:
        """Forget the results of these searches."""
        self.stop()
        self._forget(self.runs)
        self.newest_wanted.emit()
        self._show_runs()

    def restore(self, saved: Iterable[tuple[Snapshot, Rows]]) -> None:
        """Show these saved results, agent by agent, in place of the searches' own."""
        self.stop()
        for run, (snapshot, rows) in zip(self.runs, saved, strict=False):
            self._replace(run, snapshot, rows)
        self.newest_wanted.emit()
        self._show_runs()

    def adopt(self, snapshot: Snapshot) -> None:
        """Continue the search in focus from this state, reached elsewhere, unless it went further here."""
        if self.focused.is_behind(snapshot):
            self.stop()
            self._replace(self.focused, snapshot, ())
            self.newest_wanted.emit()
            self._show_runs()

    def _replace(self, run: Run, snapshot: Snapshot, rows: Rows) -> None:
        self._forget((run,))
        self._store.get(run.key).restore(snapshot, rows)

    def _forget(self, runs: Iterable[Run]) -> None:
        self._release([searcher for run in runs if (searcher := self._store.forget(run.key)) is not None])

    def _on_begun(self) -> None:
        self.preparing = False
        self.running_changed.emit()

    def _on_progress(self, progress: Progress) -> None:
        for run, snapshot in progress.snapshots.items():
            run.update(snapshot)
            run.finished = run in progress.finished
        if any(run in progress.snapshots for run in self.runs):
            self.results_changed.emit()

    def _on_ended(self, progress: Progress) -> None:
        self.preparing, self._job, self._racing = False, None, ()
        self._on_progress(progress)
        self._release(self._store.trim(self.runs))
        if self._again:
            self.run()
        self.running_changed.emit()

    def _on_failed(self, run: Run, message: str) -> None:
        run.problem = message
        self.results_changed.emit()
        self.running_changed.emit()

    def _on_broken(self, message: str) -> None:
        """The race itself failed, which is a programming error."""
        for run in self._racing:
            run.problem = message
        self._on_ended(Progress({}, frozenset()))

    # Limits and axis

    def set_axis(self, axis: Axis) -> None:
        """Show, and run, on this axis."""
        if axis != self.axis:
            self.axis = axis
            self.axis_changed.emit()
            self.running_changed.emit()

    @property
    def limit(self) -> float | None:
        """How much of the axis' cost each search may spend before it waits; None if there is no limit."""
        return self.limits[self.axis.cost]

    def set_limit_of(self, cost: Cost, limit: float | None) -> None:
        """Set the limit of this cost, which counts while the axis has that cost; None for no limit."""
        self.limits[cost] = limit
        self.running_changed.emit()

    def set_limit(self, limit: float | None) -> None:
        """Set the limit of the axis' cost."""
        if limit != self.limit:
            self.set_limit_of(self.axis.cost, limit)
