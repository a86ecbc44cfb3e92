"""Running a study: worker threads search, one thread collects; it can be stopped and taken up again at any moment."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from nimdesk.experiments.study import Cell
from nimdesk.experiments.study_results import StudyResults
from nimdesk.experiments.study_search import CellResult, run_cell
from nimdesk.experiments.study_store import StudyStore

# Results are collected for so long before they are stored and shown: a small search takes less than a millisecond.
_BATCH_S = 0.02
_POLL_S = 0.1
_RATE_OVER_S = 5.0


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """How far a study is: ``done`` of ``total`` searches, ``fresh`` of them in the ``elapsed_s`` of this run.

    ``rate`` is searches a second of late: the first one, for which kernels are loaded, soon says nothing any more.
    """

    done: int
    total: int
    fresh: int
    elapsed_s: float
    rate: float

    @property
    def left_s(self) -> float | None:
        """About how long the rest takes, None while that cannot be said."""
        return (self.total - self.done) / self.rate if self.rate else None


OnResults = Callable[[Sequence[CellResult], StudyProgress], None]


def default_threads() -> int:
    """As many as there are cores for this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_study(
    results: StudyResults,
    stop: threading.Event,
    *,
    threads: int | None = None,
    store: StudyStore | None = None,
    on_results: OnResults | None = None,
) -> bool:
    """Make the searches that ``results`` does not have yet; True when all are done, False when ``stop`` ended it.

    Blocks; ``on_results`` is called in this thread with each batch, which is in ``results`` and in ``store`` by then.
    After a stop, which takes a fraction of a second, calling it again goes on. An agent's error ends it and is raised,
    what was done before is kept.
    """
    if store is not None:
        for result in store.results():
            results.add(result)
    clock = _Clock(results.done, results.study.total)
    # Closed at once, not when the garbage is collected: an error in here must not leave threads searching.
    with closing(_searched(results, stop, threads or default_threads())) as batches:
        for batch in batches:
            if store is not None:
                store.add(batch)
            for result in batch:
                results.add(result)
            if on_results is not None:
                on_results(batch, clock.progress(results.done))
    return results.complete


class _Clock:
    """How fast a run is, over the last few seconds of it."""

    def __init__(self, done: int, total: int) -> None:
        self._before, self._total, self._begin = done, total, time.perf_counter()
        self._recent = deque([(self._begin, done)])

    def progress(self, done: int) -> StudyProgress:
        """The progress now."""
        now = time.perf_counter()
        self._recent.append((now, done))
        while now - self._recent[1][0] > _RATE_OVER_S:
            self._recent.popleft()
        since, then = self._recent[0]
        rate = (done - then) / (now - since) if now > since else 0.0
        return StudyProgress(done, self._total, done - self._before, now - self._begin, rate)


def _searched(results: StudyResults, stop: threading.Event, threads: int) -> Generator[list[CellResult]]:
    """Batches of results as worker threads finish them; the threads are gone when this ends, however it does."""
    todo = (cell for cell in results.study.cells() if cell not in results)
    lock, halt = threading.Lock(), threading.Event()
    finished: SimpleQueue[CellResult | BaseException | None] = SimpleQueue()

    def next_cell() -> Cell | None:
        with lock:
            return None if halt.is_set() else next(todo, None)

    def work() -> None:
        try:
            while (cell := next_cell()) is not None:
                result = run_cell(results.study, results.truths[cell.position], cell, halt)
                if result is None:
                    break
                finished.put(result)
        except BaseException as error:
            finished.put(error)
        finally:
            finished.put(None)

    workers = [threading.Thread(target=work, name=f"study-{number}") for number in range(threads)]
    for worker in workers:
        worker.start()
    try:
        yield from _batches(finished, len(workers), stop, halt)
    finally:
        halt.set()
        for worker in workers:
            worker.join()


def _batches(
    finished: SimpleQueue[CellResult | BaseException | None], workers: int, stop: threading.Event, halt: threading.Event
) -> Iterator[list[CellResult]]:
    """What ``workers`` threads put into the queue until each has put its None; the first error comes last."""
    batch: list[CellResult] = []
    failed: BaseException | None = None
    due = time.perf_counter() + _BATCH_S
    while workers:
        try:
            item = finished.get(timeout=_POLL_S if not batch else max(0.0, due - time.perf_counter()))
        except Empty:
            pass
        else:
            if isinstance(item, CellResult):
                batch.append(item)
            elif item is None:
                workers -= 1
            else:
                failed = failed or item
                halt.set()
        if stop.is_set():
            halt.set()
        if batch and (time.perf_counter() >= due or not workers):
            yield batch
            batch, due = [], time.perf_counter() + _BATCH_S
    if failed is not None:
        raise failed
