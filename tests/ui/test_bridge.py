"""The bridge between threads and the event loop: what arrives, what never does, and that threads stand back."""

from __future__ import annotations

import gc
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

import pytest
from desk import WAIT_MS
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from nimdesk.errors import SettingsError
from nimdesk.ui.jobs.bridge import Bridge, Frames, GarbageCollector, Job, step_back

linux = pytest.mark.skipif(sys.platform != "linux", reason="niceness of single threads is Linux' own")
NAME = "nimdesk-test"


@pytest.fixture(autouse=True)
def _beside_others() -> None:
    """Here threads do let everything else go first."""


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


def thread_runs() -> bool:
    return any(thread.name == NAME for thread in threading.enumerate())


class Dialog(QWidget):
    """Fails if it hears anything once it is gone, as everything of Qt's does."""

    def hear(self, word: object) -> None:
        self.setWindowTitle(str(word))

    def hear_more(self, before: str, word: object) -> None:
        self.setWindowTitle(f"{before} {word}")


class Window:
    """Hears what jobs say, and notes in which thread."""

    def __init__(self, qtbot: QtBot, bridge: Bridge) -> None:
        self._qtbot, self.bridge = qtbot, bridge
        self.heard: list[object] = []
        self.sentences: list[str] = []
        self.threads: set[str] = set()

    def hear(self, word: object) -> None:
        self.threads.add(threading.current_thread().name)
        self.heard.append(word)

    def do(self, act: Callable[[Job], object]) -> Job:
        return self.bridge.start(act, done=self.hear, failed=self.sentences.append)

    def ask(self, act: Callable[[Job], object]) -> Job:
        return self.bridge.ask(act, done=self.hear, failed=self.sentences.append)

    def wait(self, done: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(done, timeout=WAIT_MS)

    def until_said(self) -> None:
        """Wait until the jobs given by now have said all they had to; nothing is heard meanwhile."""
        said = threading.Event()
        self.bridge.start(lambda _: said.set(), done=lambda _: None, failed=self.sentences.append)
        assert said.wait(WAIT_MS / 1000)


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    bridge = Bridge(NAME, what="The test")
    yield Window(qtbot, bridge)
    bridge.shutdown()
    assert not thread_runs()


Hear = Callable[[object], None]


def bare(dialog: Dialog) -> Hear:
    return dialog.hear


def with_more(dialog: Dialog) -> Hear:
    return partial(dialog.hear_more, "before")


@pytest.mark.parametrize("ears", [bare, with_more])
def test_a_dialog_that_is_gone_hears_nothing(
    window: Window, ears: Callable[[Dialog], Callable[[object], None]]
) -> None:
    dialog, go = Dialog(), threading.Event()
    job = window.bridge.start(lambda _: go.wait(), done=ears(dialog), failed=ears(dialog))
    delete(dialog)
    go.set()
    window.wait(lambda: job.ended)


def test_words_arrive_in_order_in_the_ui_thread(window: Window) -> None:
    assert not thread_runs(), "it starts with the first job"

    def count(job: Job) -> str:
        window.threads.add(threading.current_thread().name)
        for number in range(50):
            job.send(window.hear, number)
        return "end"

    job = window.do(count)
    window.wait(lambda: job.ended)
    assert window.heard == [*range(50), "end"]
    assert window.threads == {NAME, threading.current_thread().name}


def test_jobs_are_done_one_after_the_other(window: Window) -> None:
    gate = threading.Event()
    window.do(lambda _: gate.wait(WAIT_MS / 1000))
    last = window.do(lambda _: "second")
    gate.set()
    window.wait(lambda: last.ended)
    assert window.heard == [True, "second"]


def test_of_a_dropped_job_nothing_is_heard_not_even_what_is_on_its_way(window: Window) -> None:
    def say(job: Job) -> str:
        job.send(window.hear, "word")
        return "end"

    job = window.do(say)
    window.until_said()
    job.drop()
    QApplication.processEvents()
    assert window.heard == []


def test_a_job_that_is_dropped_while_it_waits_is_never_begun(window: Window) -> None:
    gate, begun = threading.Event(), threading.Event()
    window.do(lambda _: gate.wait(WAIT_MS / 1000))
    window.do(lambda _: begun.set()).drop()
    gate.set()
    window.until_said()
    assert not begun.is_set()


def test_a_stopped_job_is_still_heard(window: Window) -> None:
    job = window.do(lambda job: job.stopping.wait(WAIT_MS / 1000) and job.stopped)
    job.stop()
    window.wait(lambda: job.ended)
    assert window.heard == [True]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (SettingsError("The file is broken."), "The file is broken."),
        (MemoryError(), "The memory of this machine does not suffice."),
        (RuntimeError("boom"), "The test failed: boom (RuntimeError in HERE)."),
        (RuntimeError(), "The test failed: it raised an error without words (RuntimeError in HERE)."),
        (SystemExit(3), "The test failed: it ended itself by sys.exit(3) (HERE)."),
    ],
)
def test_an_error_becomes_one_sentence_and_the_next_job_is_done(
    window: Window, capsys: pytest.CaptureFixture[str], error: BaseException, sentence: str
) -> None:
    def fail(_job: Job) -> None:
        raise error

    window.do(fail)
    last = window.do(lambda _: "next")
    window.wait(lambda: last.ended)
    assert [re.sub(r"line \d+ of test_bridge\.py", "HERE", each) for each in window.sentences] == [sentence]
    assert window.heard == ["next"]
    bug = isinstance(error, RuntimeError | SystemExit)
    assert ("Traceback" in capsys.readouterr().err) == bug, "a bug leaves a trace in the terminal"


def test_questions_are_answered_between_two_slices_of_long_work(window: Window) -> None:
    begun = threading.Event()

    def work(job: Job) -> str:
        begun.set()
        while not job.stopped:
            job.answer_questions()
        return "work"

    work_job = window.do(work)
    assert begun.wait(WAIT_MS / 1000)
    window.ask(lambda _: "first")
    question = window.ask(lambda _: "second")
    window.wait(lambda: question.ended)
    work_job.stop()
    window.wait(lambda: work_job.ended)
    assert window.heard == ["first", "second", "work"]
    alone = window.ask(lambda _: "alone")
    window.wait(lambda: alone.ended)
    assert window.heard[-1] == "alone", "and where no work is under way, at once"


def test_a_function_that_checks_ends_where_it_is_not_wanted_any_more(
    window: Window, capsys: pytest.CaptureFixture[str]
) -> None:
    begun, stopped, places = threading.Event(), threading.Event(), list[int]()

    def act(job: Job) -> None:
        for place in range(3):
            places.append(place)
            job.check(place, 3)
            begun.set()
            assert stopped.wait(WAIT_MS / 1000)

    job = window.do(act)
    assert begun.wait(WAIT_MS / 1000)
    job.stop()
    stopped.set()
    window.wait(lambda: job.ended)
    assert (places, window.heard, window.sentences) == ([0, 1], [], [])
    assert capsys.readouterr().err == "", "nothing went wrong"


def test_shutdown_ends_long_work_and_drops_what_waits(window: Window) -> None:
    begun = threading.Event()

    def work(job: Job) -> None:
        begun.set()
        job.stopping.wait()

    window.do(work)
    window.do(lambda _: "never")
    assert begun.wait(WAIT_MS / 1000)
    window.bridge.shutdown()
    assert not thread_runs()
    window.do(lambda _: "too late")
    QApplication.processEvents()
    assert window.heard == []
    assert not thread_runs()


def test_shutdown_can_finish_what_waits_and_nothing_is_heard_of_it(window: Window) -> None:
    written: list[int] = []
    for number in range(3):
        window.do(lambda _job, number=number: written.append(number))  # type: ignore[misc]
    window.bridge.shutdown(finish=True)
    assert written == [0, 1, 2]
    assert not thread_runs()
    QApplication.processEvents()
    assert window.heard == []


def test_frames_are_due_again_only_after_their_period_and_costly_ones_later(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("nimdesk.ui.jobs.bridge.time.monotonic", lambda: now)
    made: list[float] = []
    frames = Frames(0.1)

    def make(cost_s: float = 0.0) -> None:
        nonlocal now
        made.append(round(now, 2))
        now += cost_s

    for _ in range(25):
        frames.offer(make)
        now += 0.01
    assert made == [100.1, 100.2]
    made.clear()
    frames = Frames(0.1)
    for _ in range(200):
        frames.offer(lambda: make(0.1))
        now += 0.01
    steps = [after - before for before, after in pairwise(made)]
    assert all(step >= 0.49 for step in steps), "a fifth of the time at most"


@linux
def test_the_thread_of_a_bridge_stands_back_and_the_ui_thread_does_not(window: Window) -> None:
    before = niceness()
    job = window.do(lambda _: niceness())
    window.wait(lambda: job.ended)
    assert window.heard == [max(8, before)]
    assert niceness() == before


@linux
def test_threads_started_later_stand_back_too() -> None:
    found: list[int] = []

    def outer() -> None:
        step_back()
        inner = threading.Thread(target=lambda: found.append(niceness()))
        inner.start()
        inner.join()

    thread = threading.Thread(target=outer)
    thread.start()
    thread.join()
    assert found == [max(8, niceness())]


class Knot:
    """Garbage that refers to itself, and says in which thread it is collected."""

    def __init__(self, told: list[threading.Thread]) -> None:
        self.me, self.told = self, told

    def __del__(self) -> None:
        self.told.append(threading.current_thread())


def test_garbage_is_collected_in_the_ui_thread_alone(qtbot: QtBot) -> None:
    told: list[threading.Thread] = []
    kept: list[list[object]] = []
    collector = GarbageCollector()
    try:
        Knot(told)
        # Some hundreds of new objects are enough for Python to collect, in the thread that makes them.
        maker = threading.Thread(target=lambda: kept.extend([] for _ in range(100_000)))
        maker.start()
        maker.join()
        assert not told
        qtbot.waitUntil(lambda: bool(told))
        assert told == [threading.main_thread()]
    finally:
        collector.end()
    assert gc.isenabled()


def test_no_garbage_waits_when_the_collector_ends() -> None:
    told: list[threading.Thread] = []
    collector = GarbageCollector()
    Knot(told)
    collector.end()
    assert told == [threading.main_thread()]
