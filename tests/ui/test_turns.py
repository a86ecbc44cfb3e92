"""Steps have turns of the event loop of their own, the newest is shown, and costly steps are taken less often."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from nimdesk.ui.jobs.bridge import Turns


class Work:
    """Three steps that note what they did, and with which newest state."""

    def __init__(self, cost_s: float = 0.0) -> None:
        self.newest, self.cost_s = 0, cost_s
        self.done: list[tuple[str, int]] = []
        self.at: list[float] = []
        self.turns = Turns((lambda: self._do("board"), lambda: self._do("plot"), lambda: self._do("table")))

    def _do(self, what: str) -> None:
        self.done.append((what, self.newest))
        self.at.append(time.perf_counter())
        until = time.perf_counter() + self.cost_s
        while time.perf_counter() < until:
            pass


def test_the_first_step_is_done_at_once_and_the_others_later_in_order(qtbot: QtBot) -> None:
    work = Work()
    work.turns.ask()
    assert work.done == [("board", 0)]
    qtbot.waitUntil(lambda: len(work.done) == 3)
    assert [what for what, _ in work.done] == ["board", "plot", "table"]
    assert min(later - sooner for sooner, later in zip(work.at, work.at[1:], strict=False)) >= 0.004


def test_however_often_it_is_asked_the_newest_comes_last_and_once(qtbot: QtBot) -> None:
    work = Work()
    for newest in range(1, 51):
        work.newest = newest
        work.turns.ask()
    qtbot.waitUntil(lambda: len(work.done) == 6 and not work.turns.active)
    assert work.done[3:] == [("board", 50), ("plot", 50), ("table", 50)]


def test_what_is_final_is_shown_at_once_and_nothing_follows(qtbot: QtBot) -> None:
    work = Work()
    work.turns.ask()
    work.newest = 9
    work.turns.ask()
    work.turns.finish()
    assert work.done == [("board", 0), ("board", 9), ("plot", 9), ("table", 9)]
    assert not work.turns.active
    qtbot.wait(60)
    assert len(work.done) == 4


def test_dear_steps_rest_for_four_times_what_they_cost(qtbot: QtBot) -> None:
    work = Work(cost_s=0.01)
    work.turns.ask()
    work.turns.ask()
    qtbot.waitUntil(lambda: len(work.done) == 4)
    worked = 3 * work.cost_s
    assert work.at[3] - work.at[0] >= 0.9 * 5 * worked


def test_in_a_hurry_all_is_done_anew_without_a_rest_and_others_are_served_in_between(qtbot: QtBot) -> None:
    work = Work(cost_s=0.004)
    work.turns.ask()
    work.newest = 9
    work.turns.hurry()
    served: list[int] = []
    clock = QTimer(interval=0)
    clock.timeout.connect(lambda: served.append(len(work.done)))
    clock.start()
    qtbot.waitUntil(lambda: not work.turns.active)
    clock.stop()
    assert work.done == [("board", 0), ("board", 9), ("plot", 9), ("table", 9)]
    assert {2, 3} <= set(served)
    # A rest would let the clock tick many times more.
    assert served.count(2) + served.count(3) < 10
    work.turns.ask()
    qtbot.waitUntil(lambda: len(work.done) == 7)


def test_what_is_asked_for_in_a_hurry_comes_after_it(qtbot: QtBot) -> None:
    work = Work()
    work.turns.hurry()
    work.newest = 5
    work.turns.ask()
    qtbot.waitUntil(lambda: len(work.done) == 6)
    assert work.done[3:] == [("board", 5), ("plot", 5), ("table", 5)]


def test_what_comes_soon_comes_after_all_that_was_to_be_painted(qtbot: QtBot) -> None:
    work = Work()
    painted: list[int] = []

    class Answer(QWidget):
        def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
            painted.append(len(work.done))

    answer = Answer()
    qtbot.addWidget(answer)
    with qtbot.waitExposed(answer):
        answer.show()
    qtbot.waitUntil(lambda: bool(painted))
    painted.clear()
    answer.update()
    work.turns.soon()
    work.newest = 7
    work.turns.ask()
    assert work.turns.active
    assert not work.done
    qtbot.waitUntil(lambda: len(work.done) == 3)
    assert painted[0] == 0
    assert work.done == [("board", 7), ("plot", 7), ("table", 7)]
    qtbot.waitUntil(lambda: not work.turns.active)
