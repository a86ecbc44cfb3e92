"""A run: the tasks of a plan that are not done yet, done by threads or a cluster, each stored as it is finished."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from nimdesk.agents import PluginOptions
from nimdesk.errors import NimdeskError, PlanError, ResultsError
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.playing import Brakes, run_tasks
from nimdesk.experiments.results import Result
from nimdesk.experiments.schedule import Schedule, schedule_of
from nimdesk.experiments.store import Store
from nimdesk.experiments.tally import Tally
from nimdesk.experiments.validation import clause

# A worker is given so much to do at once: enough that handing it over costs little, and little to lose.
_CHUNK_S = 0.03
_CLUSTER_CHUNK_S = 0.25
_LARGEST_CHUNK = 64
_LOOK_S = 0.1


class RunState(Enum):
    """Where a run stands; the last three are ends."""

    READY = "ready"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. ``rate`` is games and searches a second in this run, ``left_s`` None where that is unknown."""

    state: RunState
    done: int
    total: int
    elapsed_s: float
    rate: float
    left_s: float | None


@dataclass(frozen=True, slots=True)
class TaskFinished:
    """A game or search is stored."""

    result: Result


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The run has come into another state; ``error`` is why it failed."""

    state: RunState
    error: NimdeskError | None = None


Event: TypeAlias = TaskFinished | StateChanged
Listener = Callable[[Event], None]


def default_workers() -> int:
    """One for each processor that this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Run:
    """A plan being carried out in threads of its own; every method may be called from any thread, and returns at once.

    ``listener`` is told of each finished task and each change of state, from the run's own thread: it must be quick,
    and must not raise. What the file at ``path`` already holds is not done again, and not told.
    """

    def __init__(
        self,
        plan: Plan,
        path: Path,
        *,
        workers: int | None = None,
        cluster: str | None = None,
        listener: Listener | None = None,
    ) -> None:
        """``PlanError`` for a plan that asks for what there is not; the file is opened when the run starts."""
        self.schedule: Schedule = schedule_of(plan)
        self.path = path
        self.error: NimdeskError | None = None
        self._plan_json = plan.to_json()
        self._workers = workers or default_workers()
        self._cluster = cluster
        self._listener = listener
        self._brakes = Brakes()
        self._state = RunState.READY
        self._lock = threading.RLock()  # a listener may pause the run that tells it something
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="nimdesk-experiment", daemon=True)
        self._tally = Tally(self.schedule)
        self._counted = (0, len(self.schedule.tasks))
        self._here = 0
        self._running_s, self._since = 0.0, 0.0

    @property
    def state(self) -> RunState:
        """Where it stands."""
        return self._state

    def start(self) -> None:
        """Begin; once only."""
        self._thread.start()

    def pause(self) -> None:
        """Begin no more tasks; those under way are finished."""
        with self._lock:
            if self._state is RunState.RUNNING:
                self._brakes.pausing.set()
                self._change(RunState.PAUSED)

    def resume(self) -> None:
        """Go on after ``pause``."""
        with self._lock:
            if self._state is RunState.PAUSED:
                self._brakes.pausing.clear()
                self._change(RunState.RUNNING)
                self._wake.set()

    def cancel(self) -> None:
        """Stop as soon as may be; tasks under way are dropped. The same file goes on where this ends."""
        self._brakes.pausing.set()
        self._brakes.stopping.set()
        self._wake.set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the end; whether it has come."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def progress(self) -> Progress:
        """How far it is now."""
        done, total = self._counted
        running_s = self._running_s
        if self._state is RunState.RUNNING:
            running_s += time.monotonic() - self._since
        rate = self._here / running_s if running_s > 0 else 0.0
        return Progress(self._state, done, total, running_s, rate, (total - done) / rate if rate else None)

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
            with Store.open_for(self.path, self.schedule.plan) as store:
                stored = set()
                for result in store.results():
                    self._count(result)
                    stored.add(result.number)
                self._change(RunState.RUNNING)
                todo = deque(number for number in range(len(self.schedule.tasks)) if number not in stored)
                if todo:
                    _try_players(self.schedule)
                    self._work(store, todo)
            end = RunState.CANCELLED if todo else RunState.FINISHED
        except NimdeskError as error:
            self.error = error
        except MemoryError:
            self.error = NimdeskError("The memory of this machine does not suffice; what is stored is kept.")
        except Exception as error:  # in a thread it would vanish, and the run would seem to go on
            self.error = NimdeskError(f"The run failed: {str(error) or type(error).__name__}.")
            self.error.__cause__ = error
        with self._lock:
            self._change(end, self.error)

    def _count(self, result: Result) -> None:
        if result.number >= len(self.schedule.tasks):
            raise ResultsError(f"The results “{self.path}” cannot be used: they hold a game beyond the plan's last.")
        self._tally.add(result)
        self._counted = (self._tally.done, self._tally.total)

    def _work(self, store: Store, todo: deque[int]) -> None:
        """Do the tasks; what is left of them in ``todo`` was not done because the run is stopping."""
        with self._executor() as (executor, workers):
            under_way: dict[Future[list[Result]], list[int]] = {}
            chunk = _ChunkSize(_CLUSTER_CHUNK_S if self._cluster else _CHUNK_S)
            try:
                while (todo or under_way) and not self._brakes.stopping.is_set():
                    if self._brakes.pausing.is_set() and not under_way:
                        self._wake.wait()
                        self._wake.clear()
                        continue
                    while todo and len(under_way) < 2 * workers and not self._brakes.pausing.is_set():
                        numbers = self._take(todo, chunk.size)
                        if numbers:
                            under_way[self._submit(executor, numbers)] = numbers
                    for future in wait(under_way, _LOOK_S, FIRST_COMPLETED).done:
                        numbers = under_way.pop(future)
                        results = self._result(future)
                        for result in results:
                            store.add(result)
                            self._here += 1
                            self._count(result)
                            self._tell(TaskFinished(result))
                        chunk.learn(results)
                        # What a pause has left undone comes next.
                        todo.extendleft(reversed(numbers[len(results) :]))
            finally:
                for future, numbers in under_way.items():
                    future.cancel()
                    todo.extend(numbers)

    def _take(self, todo: deque[int], size: int) -> list[int]:
        """The next tasks, without those that a sequential test has made idle."""
        numbers: list[int] = []
        while todo and len(numbers) < size:
            number = todo.popleft()
            if self._tally.counts(number):
                numbers.append(number)
        return numbers

    def _submit(self, executor: Executor, numbers: list[int]) -> Future[list[Result]]:
        if self._cluster is None:
            return executor.submit(run_tasks, self._plan_json, numbers, self._brakes)
        return executor.submit(run_tasks, self._plan_json, numbers)

    def _result(self, future: Future[list[Result]]) -> list[Result]:
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
    def _executor(self) -> Iterator[tuple[Executor, int]]:
        if self._cluster is None:
            with ThreadPoolExecutor(self._workers, "nimdesk-worker") as threads:
                yield threads, self._workers
            return
        from nimdesk.experiments.cluster import cluster_executor  # lazy: only a cluster needs it

        with cluster_executor(self._cluster) as found:
            yield found


class _ChunkSize:
    """How many tasks to hand over at once, learnt from how long they take."""

    def __init__(self, wanted_s: float) -> None:
        self._wanted_s = wanted_s
        self.size = 1

    def learn(self, results: list[Result]) -> None:
        if results:
            mean_s = sum(_time_of(result) for result in results) / len(results)
            wanted = int(self._wanted_s / max(mean_s, 1e-6))
            # Tasks differ: it grows slowly and shrinks at once.
            self.size = max(1, min(wanted, 2 * self.size, _LARGEST_CHUNK))


def _time_of(result: Result) -> float:
    plies = getattr(result, "plies", None)
    return float(sum(ply.time_s for ply in plies)) if plies is not None else float(getattr(result, "time_s", 0.0))


def _try_players(schedule: Schedule) -> None:
    """Let every player begin a search in every game it is to play, so that what cannot be is said before it starts.

    It also loads, or compiles, the kernels, once and not in all threads at once.
    """
    games = [setting for pairing in schedule.pairings for setting in pairing.settings]
    wanted = [(name, setting.position) for setting in games for name in setting.players]
    wanted += [(setting.player, setting.position) for setting in schedule.searches]
    seen = set()
    for name, text in wanted:
        agent, position = schedule.agents[name], schedule.positions[text]
        if (agent, position.game) in seen or isinstance(agent.options, PluginOptions):
            continue
        seen.add((agent, position.game))
        try:
            agent.new_searcher(position).start(position, 0)
        except NimdeskError as error:
            raise PlanError(f"The plan cannot be used: “{name}” cannot play “{text}”: {clause(error)}.") from error
