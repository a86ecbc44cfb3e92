"""The one bridge between threads and the event loop, and the steps that share the event loop.

A ``Bridge`` is a thread beside the window that does one job after the other. A job is a plain function; what it sends
or returns arrives in the UI thread, unless the job was dropped before that, or the widget that was to hear it is gone.
All races between a click and a thread are settled here, so the window needs no locks and no ids::

    class Prices(QObject):
        def __init__(self) -> None:
            super().__init__()
            self._bridge = Bridge("nimdesk-prices", parent=self)
            self._job: Job | None = None

        def look_up(self, name: str) -> None:
            if self._job is not None:
                self._job.drop()  # nothing more is heard of it
            self._job = self._bridge.start(partial(_find, name), done=self._show, failed=self._say)

    def _find(name: str, job: Job) -> int:  # in the thread: no widgets here
        frames = Frames()
        while not job.stopped:
            ...
            frames.offer(lambda: job.send(show_part, part))  # at most 30 a second
        return price

``done`` gets the result. ``failed`` gets one sentence for the person, whatever the job raised; the traceback of a
programming error goes to the terminal. A job that ends by ``check`` is not heard any more. End the bridge by
``shutdown`` when the window is hidden.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from queue import SimpleQueue
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QThread, QTimer, Signal, Slot
from shiboken6 import isValid

from nimdesk.errors import NimdeskError, StoppedError
from nimdesk.faults import fault_words
from nimdesk.plugins.games import blamed

_R = TypeVar("_R")
FRAME_S = 1 / 30
_REST = 4.0
_NICENESS = 8
_OLD_ROUNDS = 1000
_GARBAGE_MS = 200


class Job:
    """One function for the thread of a bridge; both the thread and the window hold this object."""

    def __init__(
        self,
        bridge: Bridge,
        act: Callable[[Job], object],
        done: Callable[..., object],
        failed: Callable[[str], object],
    ) -> None:
        """Made only by ``Bridge.start`` and ``Bridge.ask``."""
        self._bridge, self._act, self._done, self._failed = bridge, act, done, failed
        self._stop, self._ended = threading.Event(), False

    # For the window

    @property
    def ended(self) -> bool:
        """Whether nothing more is heard of it: its end was heard, or it was dropped."""
        return self._ended

    def stop(self) -> None:
        """Ask the function to return early; its result is still heard, unless it ends by ``check``."""
        self._stop.set()

    def drop(self) -> None:
        """Ask the function to return early; nothing more is heard of it, not even what is on its way."""
        self._stop.set()
        self._ended = True
        # The thread may release the job last, and a widget must not be destroyed there.
        self._done = self._failed = ignore

    # For the function in the thread

    @property
    def stopped(self) -> bool:
        """Whether the function should return early. Check it every few milliseconds."""
        return self._stop.is_set()

    def check(self, *_how_far: object) -> None:
        """End the function here if it should return early; then nothing more is heard of it.

        It takes any arguments, so it can be handed to functions that report how far they are.
        """
        if self.stopped:
            raise StoppedError

    @property
    def stopping(self) -> threading.Event:
        """``stopped`` as an event, for functions that take one, or that wait."""
        return self._stop

    def send(self, hear: Callable[..., object], *values: object) -> None:
        """Have ``hear`` called with these values in the UI thread, in the order sent, unless the job is dropped."""
        self._bridge.sent.emit(self, hear, values, False)

    def answer_questions(self) -> None:
        """Do the waiting jobs of ``Bridge.ask``; call it between two slices of long work."""
        self._bridge.answer()

    def do(self) -> None:
        """Run the function; called by the bridge in its thread."""
        if self._ended:
            return
        try:
            result = self._act(self)
        except StoppedError:
            self._bridge.sent.emit(self, ignore, (), True)
        except BaseException as error:  # the rules of a game may raise SystemExit; the thread must go on
            self._bridge.sent.emit(self, self._failed, (self._bridge.sentence(error),), True)
        else:
            self._bridge.sent.emit(self, self._done, (result,), True)


class Bridge(QObject):
    """A thread and the way back from it; call every method but ``answer`` in the UI thread.

    The thread starts with the first job, at a lower priority than the UI thread unless ``priority`` is normal.
    """

    sent = Signal(object, object, object, bool)
    """A job, its listener, the listener's values, and whether they are the job's last; only for the bridge itself."""

    def __init__(
        self,
        name: str,
        *,
        what: str = "That",
        out_of_memory: str = "The memory of this machine does not suffice.",
        priority: QThread.Priority = QThread.Priority.LowPriority,
        parent: QObject | None = None,
    ) -> None:
        """``name`` is the thread's; ``what`` begins the sentence about a programming error: "The search" failed."""
        super().__init__(parent)
        self._name, self._what, self._out_of_memory, self._priority = name, what, out_of_memory, priority
        self._thread: threading.Thread | None = None
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._questions: deque[Job] = deque()
        self._open: list[Job] = []
        self._over = False
        self.sent.connect(self._hear, Qt.ConnectionType.QueuedConnection)

    def start(self, act: Callable[[Job], _R], *, done: Callable[[_R], object], failed: Callable[[str], object]) -> Job:
        """Have ``act`` called in the thread, after the jobs before it, and then one of ``done`` and ``failed`` here."""
        job = self._opened(act, done, failed)
        self._put(job.do)
        return job

    def ask(self, act: Callable[[Job], _R], *, done: Callable[[_R], object], failed: Callable[[str], object]) -> Job:
        """Like ``start``, but a job under way may do this one between two of its slices."""
        job = self._opened(act, done, failed)
        self._questions.append(job)
        self._put(self.answer)
        return job

    def answer(self) -> None:
        """Do the waiting questions, in the thread."""
        with suppress(IndexError):
            while True:
                self._questions.popleft().do()

    def sentence(self, error: BaseException) -> str:
        """One sentence for the person; a programming error leaves its traceback in the terminal."""
        if isinstance(error, NimdeskError):
            return str(error)
        if isinstance(error, MemoryError):
            return self._out_of_memory
        if not isinstance(error, OSError):
            traceback.print_exception(error)
        return blamed(error) or f"{self._what} failed: {fault_words(error)}."

    def shutdown(self, *, finish: bool = False) -> None:
        """Drop all jobs and end the thread, waiting for the slice or the compilation under way.

        With ``finish`` the waiting jobs are still done, such as writing files, but not heard. Call it after the window
        is hidden. A second call does nothing.
        """
        self._over = True
        if not finish:
            self._drop_all()
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None
        self._drop_all()

    def _drop_all(self) -> None:
        for job in self._open:
            job.drop()

    def _opened(self, act: Callable[..., Any], done: Callable[..., object], failed: Callable[[str], object]) -> Job:
        job = Job(self, act, done, failed)
        self._open = [*(each for each in self._open if not each.ended), job]
        return job

    def _put(self, act: Callable[[], None]) -> None:
        if self._over:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name)
            self._thread.start()
        self._queue.put(act)

    def _run(self) -> None:
        if self._priority != QThread.Priority.NormalPriority:
            step_back(self._priority)
        while (act := self._queue.get()) is not None:
            act()
            del act  # while the thread waits it holds nothing

    @Slot(object, object, object, bool)
    def _hear(self, job: Job, hear: Callable[..., object], values: tuple[object, ...], last: bool) -> None:
        wanted = not job.ended and not _is_gone(hear)
        if last:
            job.drop()
        if wanted:
            hear(*values)


def _is_gone(hear: Callable[..., object]) -> bool:
    """Whether this belongs to a widget that no longer exists, such as a dialog that was closed meanwhile."""
    while isinstance(hear, partial):
        hear = hear.func
    owner = getattr(hear, "__self__", None)
    return isinstance(owner, QObject) and not isValid(owner)


def ignore(*_: object) -> None:
    """Hear nothing."""


class Frames:
    """Limits the pictures of ongoing work: one every ``period_s`` at most, taking at most a fifth of the time."""

    def __init__(self, period_s: float = FRAME_S) -> None:
        self._period_s = period_s
        self._next_s = time.monotonic() + period_s

    def offer(self, make: Callable[[], object]) -> None:
        """Call ``make``, which makes and sends the picture, if one is due."""
        if (now := time.monotonic()) >= self._next_s:
            make()
            end = time.monotonic()
            self._next_s = max(now + self._period_s, end + _REST * (end - now))


def step_back(priority: QThread.Priority = QThread.Priority.LowPriority) -> None:
    """Lower the calling thread's priority below the UI thread's; on Linux also that of threads it starts later.

    Otherwise the window would answer some milliseconds late when all processors are busy. Linux ignores the priorities
    of QThread, so there each thread gets a niceness.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            thread = threading.get_native_id()
            # Never raise the priority: only root may, and the program may have been started at a low one on purpose.
            os.setpriority(os.PRIO_PROCESS, thread, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, thread)))
    else:
        QThread.currentThread().setPriority(priority)


class GarbageCollector(QObject):
    """Collects garbage in the UI thread alone, young objects often and old ones rarely.

    Python by itself collects in whichever thread makes an object, and Qt ends the program where a widget that is part
    of a cycle is destroyed in another thread than its own. A full collection takes longer than a frame, and few old
    objects ever become garbage.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        young, middle, _ = gc.get_threshold()
        self._limits = (young, middle, _OLD_ROUNDS)
        self._timer = QTimer(self, interval=_GARBAGE_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    @Slot()
    def _look(self) -> None:
        counts = gc.get_count()
        for generation in (2, 1, 0):
            if counts[generation] > self._limits[generation]:
                gc.collect(generation)
                return

    def end(self) -> None:
        """Leave the collection to Python again, with nothing waiting to be collected.

        Else the next object that Python makes would start a collection. Qt may be destroying a QObject then, and holds
        a lock that it takes again for each one that is collected: the program would stand still.
        """
        self._timer.stop()
        gc.collect(1)
        gc.enable()


@cache
def settle(_who: str) -> None:
    """Exempt everything that is loaded from garbage collection, once for each ``_who``.

    Scanning all of numba and pyqtgraph takes 90 ms, in which no other thread runs; snapshots would cause it every few
    seconds.
    """
    gc.freeze()


_APART_MS = 6
"""Between two steps the event loop serves whatever waits, such as a key or a click."""
_REST_TIMES = 4.0
"""The rest after all steps, as a multiple of their cost with painting: they get a fifth of the time."""


class Turns(QObject):
    """Does the steps in order, some milliseconds apart, as often as it is asked and there is time.

    The cost of the steps is measured, painting included; costly pages are drawn less often. A step must show whatever
    is newest when its turn comes. Call everything in the UI thread.
    """

    def __init__(self, steps: Sequence[Callable[[], None]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps = tuple(steps)
        self._next = 0
        self._wanted = False
        self._resting = self._hurried = False
        self._begun = self._cost_s = 0.0
        # Due at once, but only after what the step has asked to be painted.
        self._painted = QTimer(self, singleShot=True, interval=0)
        self._painted.timeout.connect(self._on_painted)
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._go_on)

    @property
    def active(self) -> bool:
        """Whether steps are still to come."""
        return self._wanted or self._next > 0

    def ask(self) -> None:
        """Do all steps again: now, or after the current round and its rest."""
        self._wanted = True
        if not self._next and not self._resting:
            self._begin()

    def hurry(self) -> None:
        """Do all steps from the first one on without a rest, because they show a final state; each is painted
        separately.

        Keys and clicks are served between them, so that none waits for more than one step.
        """
        self.cancel()
        self._hurried = True
        self._begin()

    def soon(self) -> None:
        """Like ``hurry``, once everything that has changed is painted."""
        self.cancel()
        self._hurried = self._wanted = self._resting = True
        self._timer.start(0)

    def finish(self) -> None:
        """Do all steps now, and none later: what they show is final, or a person waits for it."""
        self.cancel()
        for step in self._steps:
            step()

    def cancel(self) -> None:
        """Cancel the pending steps."""
        self._painted.stop()
        self._timer.stop()
        self._next, self._wanted, self._cost_s = 0, False, 0.0
        self._resting = self._hurried = False

    def _begin(self) -> None:
        self._wanted, self._cost_s = False, 0.0
        self._do()

    def _do(self) -> None:
        step, self._begun = self._steps[self._next], time.perf_counter()
        self._next += 1
        self._painted.start()
        step()

    def _on_painted(self) -> None:
        self._cost_s += time.perf_counter() - self._begun
        wait_ms = 0 if self._hurried else _APART_MS
        if self._next == len(self._steps):
            self._next, self._resting = 0, True
            if not self._hurried:
                wait_ms = max(_APART_MS, round(1000 * _REST_TIMES * self._cost_s) - _APART_MS * (len(self._steps) - 1))
            self._hurried = False
        self._timer.start(wait_ms)

    def _go_on(self) -> None:
        if self._resting:
            self._resting = False
            if self._wanted:
                self._begin()
        else:
            self._do()
