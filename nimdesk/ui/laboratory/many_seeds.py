"""The laboratory's searches repeated with other seeds, in the background, to show how much they differ."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from nimdesk.figures.content import Searched
from nimdesk.figures.seeds import Sample
from nimdesk.search import Limit
from nimdesk.search.options import MAX_SEED
from nimdesk.search.timeline import Recorder
from nimdesk.search.types import drive
from nimdesk.ui.jobs.bridge import Bridge, Frames, Job
from nimdesk.ui.laboratory.races import SLICE_S, Run, RunKey
from nimdesk.ui.laboratory.searches import Searches
from nimdesk.ui.laboratory.studied import Place

SEEDS = 30
_PERIOD_S = 0.2


class ManySeeds(QObject):
    """Repeats each search shown with the seeds that follow its own, to as many iterations.

    The seeds are those of ``nimdesk analyse --figure-seeds``. Repeats of searches no longer shown are forgotten.
    """

    changed = Signal()
    """More repeats are there, or they have begun or ended."""
    failed = Signal(str)
    """The repeats ended early: one sentence that says why."""

    def __init__(self, place: Place, searches: Searches, parent: QObject) -> None:
        super().__init__(parent)
        self._searches = searches
        self.done = self.total = 0
        """How many searches with other seeds are done, of the total asked for last."""
        self._samples: dict[RunKey, Sample] = {}
        self._asked: frozenset[RunKey] = frozenset()
        self._bridge = Bridge("nimdesk-seeds", what="The search with other seeds", parent=self)
        self._job: Job | None = None
        for signal in (place.changed, searches.runs_changed):
            signal.connect(self._forget)

    @property
    def running(self) -> bool:
        """Whether searches with other seeds are under way."""
        return self._job is not None

    def sample(self, run: Run) -> Sample | None:
        """This search and its repeats with other seeds, as far as they are done; None if there are none."""
        return self._samples.get(run.key)

    def start(self, seeds: int) -> None:
        """Search with ``seeds`` seeds in all; ``changed`` is emitted as they are done."""
        runs = [run for run in dict.fromkeys(self._searches.runs) if run.as_search().repeatable]
        if self.running or not runs:
            return
        asked: list[tuple[RunKey, int]] = []
        for run in runs:
            assert run.timeline is not None
            self._samples[run.key] = Sample(
                [Searched(run.key.agent, run.key.position.game, run.key.seed, run.timeline)]
            )
            asked.append((run.key, int(run.timeline.iterations[-1])))
        self._asked = frozenset(key for key, _iterations in asked)
        self.done, self.total = 0, (seeds - 1) * len(asked)
        self._job = self._bridge.start(
            partial(_search, asked, seeds, self._on_more), done=self._on_done, failed=self._on_failed
        )
        self.changed.emit()

    def cancel(self) -> None:
        """End early; finished searches stay."""
        if self._job is not None:
            self._job.stop()

    def _forget(self) -> None:
        shown = {run.key for run in self._searches.runs}
        if self._job is not None and not shown & self._asked:
            self._job.drop()
            self._job = None
        self._samples = {key: sample for key, sample in self._samples.items() if key in shown}

    def shutdown(self) -> None:
        """End the thread; call it after the window is hidden."""
        self._bridge.shutdown()

    def _on_more(self, more: list[tuple[RunKey, Searched]]) -> None:
        for key in self._samples:
            added = [searched for of, searched in more if of == key]
            self._samples[key] = Sample([*self._samples[key].searches, *added])
        self.done += len(more)
        self.changed.emit()

    def _on_done(self, _result: None) -> None:
        self._job = None
        self.changed.emit()

    def _on_failed(self, sentence: str) -> None:
        self._on_done(None)
        self.failed.emit(sentence)


def _search(
    asked: list[tuple[RunKey, int]], seeds: int, hear: Callable[[list[tuple[RunKey, Searched]]], object], job: Job
) -> None:
    """Search with all agents for one seed, then for the next, so that each agent has a band early."""
    frames, found = Frames(_PERIOD_S), list[tuple[RunKey, Searched]]()

    def send() -> None:
        job.send(hear, found[:])
        found.clear()

    for more in range(1, seeds):
        for key, iterations in asked:
            seed = (key.seed + more) & MAX_SEED
            searcher = key.agent.new_searcher(key.position)
            searcher.start(key.position, seed)
            drive(searcher, Limit(iterations=iterations), job.stopping, slice_s=SLICE_S)
            if job.stopped:
                if found:
                    send()
                return
            snapshot = searcher.snapshot()
            recorder = Recorder()
            recorder.add(snapshot)
            found.append((key, Searched(key.agent, key.position.game, seed, recorder.timeline(snapshot))))
            frames.offer(send)
    if found:
        send()
