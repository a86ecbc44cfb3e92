"""A run: threads or a cluster do a plan's remaining tasks, and each is stored as soon as it is finished."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from msgspec.structs import replace

from nimdesk.disk.provenance import Provenance, cores, made_here
from nimdesk.errors import NimdeskError, StoppedError, StoringError
from nimdesk.experiments.brakes import Brakes
from nimdesk.experiments.files import Found
from nimdesk.experiments.results import Progress, Result
from nimdesk.experiments.schedule import Schedule
from nimdesk.experiments.store import Store
from nimdesk.experiments.tasks import run_tasks, run_tasks_of
from nimdesk.faults import fault_words
from nimdesk.limit import Limit
from nimdesk.plugins.games import blamed

# The target length of one worker's chunk: handing it over costs little, and little can be lost.
_CHUNK_S = 0.03
_CLUSTER_CHUNK_S = 0.25
_LARGEST_CHUNK = 64
_LOOK_S = 0.1
_AGAIN_S = 1.0


class RunState(Enum):
    """The state of a run; the last three are final."""

    READY = "ready"
    PROVING = "finding out the truth"
    RUNNING = "running"
    PAUSED = "paused"
    WAITING = "waiting until results can be stored"
    FINISHED = "finished"
    CANCELLED = "cancelled; what is done is kept"
    FAILED = "failed"


ENDS = (RunState.FINISHED, RunState.CANCELLED, RunState.FAILED)


@dataclass(frozen=True, slots=True)
class TaskFinished:
    """A game or search has been stored."""

    result: Result


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The run has changed its state; ``error`` is why it failed, or why it waits."""

    state: RunState
    error: NimdeskError | None = None


@dataclass(frozen=True, slots=True)
class ResultsRead:
    """How many of the results stored in a large file are read, before the run begins."""

    read: int
    stored: int


Event: TypeAlias = TaskFinished | StateChanged | ResultsRead
Listener = Callable[[Event], None]
_Batch: TypeAlias = tuple[list[Result], float]


class Run:
    """A plan being carried out in threads of its own. Any thread may call any method; each returns at once.

    ``listener`` is told of each finished task, each change of state, and how far a large file is read, from the run's
    own thread: it must be quick, and must not raise. Tasks whose results are in the file at ``path`` are not repeated,
    and not reported. Without a path the results are only in memory.
    """

    def __init__(
        self,
        schedule: Schedule,
        path: Path | None,
        *,
        workers: int | None = None,
        cluster: str | None = None,
        listener: Listener | None = None,
        found: Found | None = None,
        in_full: bool = False,
    ) -> None:
        """``workers`` are as many as there are processors by default, or one where the clock ends the tasks.

        ``found`` are the results known so far; at the start the file is opened, and further results in it are read.

        ``in_full``: keep in memory all of each result, such as the visits of each move in each search of a study.
        """
        self.schedule, self.path = schedule, path
        self.error: NimdeskError | None = None
        self.hindrance: StoringError | None = None
        """Why results cannot be stored; the run waits until they can."""
        self.found = found if found is not None else Found(schedule, path, in_full=in_full)
        """The results, counted."""
        self.reading: ResultsRead | None = None
        """How far a large file is read, as it was last told; None for a small one."""
        self._workers = workers or (1 if any(part.is_timed for part in schedule.plan.parts) else cores())
        self._cluster = cluster
        self._listener = listener
        self._brakes = Brakes()
        self._state = RunState.READY
        self._lock = threading.RLock()  # a listener may pause the run that calls it
        self._thread = threading.Thread(target=self._run, name="nimdesk-experiment", daemon=True)
        self._counted = (0, schedule.total, "")
        self._here = 0
        self._running_s, self._since = 0.0, 0.0

    @property
    def state(self) -> RunState:
        """The current state."""
        return self._state

    def start(self) -> None:
        """Begin; only once."""
        self._thread.start()

    def pause(self) -> None:
        """Begin no more tasks. Games under way are finished; searches of a study pause where they are."""
        with self._lock:
            if self._state is RunState.WAITING:
                self._brakes.pause()
            if self._state in (RunState.RUNNING, RunState.PROVING):
                self._brakes.pause()
                self._change(RunState.PAUSED)

    def resume(self) -> None:
        """Continue after ``pause``."""
        with self._lock:
            if self._state is RunState.PAUSED:
                self._change(RunState.RUNNING if self.found.is_proven else RunState.PROVING)
            if self._state not in ENDS:
                self._brakes.release()

    def cancel(self) -> None:
        """Stop as soon as possible and drop the tasks under way. A new run on the same file continues."""
        self._brakes.stop()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the end; return whether it has come."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def progress(self) -> Progress:
        """The current progress."""
        done, total, tests = self._counted
        running_s = self._running_s
        if self._state is RunState.RUNNING:
            running_s += time.monotonic() - self._since
        rate = self._here / running_s if running_s > 0 else 0.0
        return Progress(done, total, self._here, running_s, rate, tests)

    @property
    def waiting_words(self) -> str:
        """Why it waits for the disk, and what for, in two sentences; "" unless it does."""
        hindrance = self.hindrance
        return f"{hindrance} The run goes on as soon as they can be stored." if hindrance is not None else ""

    def _change(self, state: RunState, error: NimdeskError | None = None) -> None:
        now = time.monotonic()
        if self._state is RunState.RUNNING:
            self._running_s += now - self._since
        self._since = now
        self._state = state
        self._tell(StateChanged(state, error))

    def _tell(self, event: Event) -> None:
        if self._listener is not None:
            self._listener(event)

    def _run(self) -> None:
        end = RunState.FAILED
        try:
            end = self._carried_out()
        except StoppedError:
            end = RunState.CANCELLED
        except NimdeskError as error:
            self.error = error
        except MemoryError:
            self.error = NimdeskError("The memory of this machine does not suffice; what is stored is kept.")
        except BaseException as error:  # in a thread it would vanish, and the run would seem to go on
            self.error = NimdeskError(blamed(error) or f"The run failed: {fault_words(error)}.")
            self.error.__cause__ = error
        with self._lock:
            self._change(end, self.error)

    def _carried_out(self) -> RunState:
        found = self.found
        with nullcontext() if self.path is None else Store.open_for(self.path, self.schedule.plan) as store:
            if not found.is_proven:
                self._change(RunState.PROVING)
                found.prove(self._brakes.check)
            if store is not None:
                found.read(store, self._on_read)
            self._counted = _how_far(found)
            self._begin_running()
            todo = _Todo(number for number in range(self.schedule.total) if number not in found.numbers)
            if todo:
                begun = made_here()
                _try_players(self.schedule)
                self._work(store, todo, begun)
        return RunState.CANCELLED if todo else RunState.FINISHED

    def _on_read(self, read: int, stored: int) -> None:
        self._brakes.check()
        self.reading = ResultsRead(read, stored)
        self._tell(self.reading)

    def _begin_running(self) -> None:
        while True:
            self._brakes.check()
            with self._lock:
                if not self._brakes.pausing:
                    self._change(RunState.RUNNING)
                    return

    def _work(self, store: Store | None, todo: _Todo, begun: Provenance) -> None:
        """Do the tasks; those left in ``todo`` were not done because the run is stopping."""
        before = self.found.made
        with self._executor() as (executor, workers, words):
            made = replace(begun, by=words)
            under_way: dict[Future[_Batch], list[int]] = {}
            chunk = _ChunkSize(_CLUSTER_CHUNK_S if self._cluster else _CHUNK_S)
            try:
                while (todo or under_way) and not self._brakes.stopping:
                    if not under_way:
                        self._brakes.check()
                    while todo and len(under_way) < 2 * workers and not self._brakes.pausing:
                        # Games that a sequential test no longer needs are left out.
                        if numbers := [number for number in todo.take(chunk.size) if self.found.counts(number)]:
                            under_way[self._submit(executor, numbers)] = numbers
                    for future in wait(under_way, _LOOK_S, FIRST_COMPLETED).done:
                        results, took_s = self._result(future)
                        numbers = under_way.pop(future)
                        done, running_s = self._here + len(results), round(self.progress().elapsed_s, 3)
                        made = replace(made, results=done, wall_s=running_s)
                        if store is not None:
                            self._store(store, results, made)
                        self.found.made = [*before, made]
                        for result in results:
                            self._count(result)
                        chunk.learn(len(results), took_s)
                        todo.put_back(numbers[len(results) :])
            finally:
                for future, numbers in under_way.items():
                    future.cancel()
                    todo.put_back(numbers)
                if under_way:
                    self._brakes.stop()  # an error must not leave threads searching

    def _store(self, store: Store, results: list[Result], made: Provenance) -> None:
        """Store them, trying again until that works: a full disk must not end a long run."""
        while True:
            try:
                store.add(*results, made=made)
            except StoringError as error:
                if self.hindrance is None:
                    self.hindrance = error
                    with self._lock:
                        self._change(RunState.WAITING, error)
                if self._brakes.stops_within(_AGAIN_S):
                    raise StoppedError from error
            else:
                break
        if self.hindrance is not None:
            self.hindrance = None
            with self._lock:
                self._change(RunState.PAUSED if self._brakes.pausing else RunState.RUNNING)

    def _count(self, result: Result) -> None:
        self._here += 1
        with self._lock:  # a listener that is told of a pause reads them in the thread that pauses
            self.found.add(result)
        self._counted = _how_far(self.found)
        self._tell(TaskFinished(result))

    def _submit(self, executor: Executor, numbers: list[int]) -> Future[_Batch]:
        if self._cluster is None:
            return executor.submit(run_tasks, self.schedule, numbers, self._brakes, self.found.known)
        return executor.submit(run_tasks_of, self.schedule.plan.to_json(), numbers, self.found.known)

    def _result(self, future: Future[_Batch]) -> _Batch:
        if self._cluster is None:
            return future.result()
        from nimdesk.experiments.cluster import cluster_fault  # lazy: only a cluster needs it

        try:
            return future.result()
        except NimdeskError:
            raise
        except BaseException as error:  # concurrent.futures.CancelledError is no Exception everywhere
            raise cluster_fault(self._cluster, error) from error

    @contextmanager
    def _executor(self) -> Iterator[tuple[Executor, int, str]]:
        """What does the work, how many tasks it can do at a time, and both in words."""
        if self._cluster is None:
            with ThreadPoolExecutor(self._workers, "nimdesk-worker") as threads:
                yield threads, self._workers, f"{self._workers} {'thread' if self._workers == 1 else 'threads'}"
            return
        from nimdesk.experiments.cluster import cluster_executor  # lazy: only a cluster needs it

        with cluster_executor(self._cluster) as found:
            yield found


def _how_far(found: Found) -> tuple[int, int, str]:
    return found.done, found.total, found.progress


class _Todo:
    """The numbers of tasks still to be done, in order; true while there are any."""

    def __init__(self, numbers: Iterator[int]) -> None:
        self._numbers = numbers
        self._first: list[int] = []
        self.put_back(self.take(1))

    def __bool__(self) -> bool:
        return bool(self._first)

    def take(self, count: int) -> list[int]:
        """Remove and return the next ones."""
        ahead = count + 1 - len(self._first)
        self._first += itertools.islice(self._numbers, max(0, ahead))
        taken, self._first = self._first[:count], self._first[count:]
        return taken

    def put_back(self, numbers: list[int]) -> None:
        """Return numbers that were not done; they come next."""
        self._first = [*numbers, *self._first]


class _ChunkSize:
    """How many tasks to hand over at once, learnt from their durations."""

    def __init__(self, wanted_s: float) -> None:
        self._wanted_s = wanted_s
        self.size = 1

    def learn(self, tasks: int, took_s: float) -> None:
        if tasks:
            wanted = int(self._wanted_s * tasks / max(took_s, 1e-6))
            # Tasks differ, so it grows slowly and shrinks at once.
            self.size = max(1, min(wanted, 2 * self.size, _LARGEST_CHUNK))


def _try_players(schedule: Schedule) -> None:
    """Let every player begin a search in every game it is to play, so that a game it cannot play fails early.

    This also loads, or compiles, the kernels once instead of in all threads at the same time.
    """
    seen = set()
    for work in schedule.works.values():
        for name, text, agent, position in work.trials():
            if (agent, position.game) in seen or not agent.traits.known:
                continue
            seen.add((agent, position.game))
            try:
                searcher = agent.new_searcher(position)
                searcher.start(position, 0)
                searcher.advance(Limit(iterations=1, nodes=1))
            except NimdeskError as error:
                raise work.refusal(name, text, error) from error
