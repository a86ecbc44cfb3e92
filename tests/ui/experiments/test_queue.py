"""Runs that wait for their turn: seen, cancelled, and begun one after another."""

from __future__ import annotations

import threading

import pytest
from experiments_bench import Bench
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from nimdesk.errors import ResultsError
from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, new_plan
from nimdesk.experiments.run import RunState
from nimdesk.ui.experiments.matches_panel import MatchesPanel
from nimdesk.ui.experiments.runner import Runner


def plan(name: str, games: int) -> Plan:
    part = MatchPart(players=["a", "a"], positions=["nim:3,4,5"], games=games)
    return new_plan(name, {"a": PlayerPart(agent="random")}, title=name.capitalize(), matches=[part])


def press(bench: Bench, name: str) -> None:
    """Click the button of this action in the head of the matches."""
    action = bench.desk.window.actions_by_name[name]
    (button,) = [each for each in bench.matches.head.buttons if each.defaultAction() is action]
    assert button.isEnabled()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.fixture
def busy(bench: Bench) -> MatchesPanel:
    """Something long is under way; the plans "second" and "third" wait, and "third" is shown."""
    panel = bench.show_matches()
    panel.show_plan(plan("first", 500_000))
    press(bench, "exp_start")
    bench.wait(lambda: panel.runner.state is RunState.RUNNING)
    for name in ("second", "third"):
        panel.show_plan(plan(name, 3))
        assert panel.start_text == "&Queue"
        press(bench, "exp_start")
    return panel


def lines(panel: MatchesPanel) -> list[QToolButton]:
    return [each for each in panel.head.queue.findChildren(QToolButton) if each.isVisible()]


def test_what_waits_is_seen_and_begins_when_the_one_before_it_ends(bench: Bench, busy: MatchesPanel) -> None:
    assert [each.plan.name for each in busy.runner.queue] == ["second", "third"]
    assert [each.accessibleName() for each in lines(busy)] == [
        "Take out of the queue: Second",
        "Take out of the queue: Third",
    ]
    assert busy.head.status.text() == "waiting for its turn"
    assert bench.enabled("exp_start", "exp_pause", "exp_cancel") == [False, False, True]
    assert busy.shown.under_way is not None
    assert busy.shown.under_way[1].endswith("; 2 more to come")
    third = busy.path
    busy.runner.cancel()
    bench.wait(lambda: busy.runner.path == third and busy.runner.state is RunState.FINISHED)
    assert busy.frame is not None
    assert busy.frame.complete
    assert busy.runner.queue == ()
    assert not busy.head.queue.isVisible()
    busy.show_plan(plan("second", 3))
    bench.wait(lambda: busy.frame is not None and busy.frame.complete)


def test_what_waits_can_be_taken_out(bench: Bench, busy: MatchesPanel) -> None:
    QTest.mouseClick(lines(busy)[0], Qt.MouseButton.LeftButton)
    assert [each.plan.name for each in busy.runner.queue] == ["third"]
    press(bench, "exp_cancel")
    assert busy.runner.queue == ()
    assert busy.runner.state is RunState.RUNNING, "the run under way is another one"
    assert bench.enabled("exp_start", "exp_cancel") == [True, False]
    busy.runner.cancel()
    bench.wait(lambda: busy.runner.state is RunState.CANCELLED)
    assert busy.runner.plan is not None
    assert busy.runner.plan.name == "first"


def test_the_list_says_of_a_published_table_that_it_waits(bench: Bench, busy: MatchesPanel) -> None:
    runs = busy.runs.list
    before = runs.items()[0].text(0)
    assert "\nnot run yet; about " in before
    runs.setCurrentItem(runs.items()[0])
    press(bench, "exp_start")
    assert runs.items()[0].text(0) == before.replace("not run yet", "waiting for its turn")
    press(bench, "exp_cancel")
    assert runs.items()[0].text(0) == before


def test_nothing_waits_twice_and_what_runs_does_not_wait(bench: Bench, busy: MatchesPanel) -> None:
    busy.start()
    assert [each.plan.name for each in busy.runner.queue] == ["second", "third"]
    busy.show_plan(plan("first", 500_000))
    busy.start()
    assert [each.plan.name for each in busy.runner.queue] == ["second", "third"]
    assert bench.enabled("exp_pause", "exp_cancel") == [True, True]


def test_after_a_failure_the_next_waits_for_start(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    panel, go = bench.show_matches(), threading.Event()

    def fail(*_arguments: object) -> None:
        go.wait()
        raise ResultsError("It broke.")

    with monkeypatch.context() as broken:
        broken.setattr(Runner, "_carry_out", fail)
        panel.show_plan(plan("first", 3))
        press(bench, "exp_start")
        panel.show_plan(plan("second", 3))
        press(bench, "exp_start")
        go.set()
        bench.wait(lambda: panel.runner.state is RunState.FAILED)
    assert panel.head.problem.text() == "It broke."
    assert [each.plan.name for each in panel.runner.queue] == ["second"]
    press(bench, "exp_start")
    bench.wait(lambda: panel.frame is not None and panel.frame.complete)
    assert panel.runner.queue == ()
