"""A page is made when it is first asked for, in pieces between which the window answers."""

from __future__ import annotations

import threading

import pytest
from desk import CTRL, Desk, K
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from nimdesk.ui.experiments.study_panel import StudyPanel
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY, PLAY


@pytest.mark.parametrize(("key", "page"), [(K.Key_2, LABORATORY), (K.Key_3, EXPERIMENTS)], ids=str)
def test_keys_are_heard_while_a_page_is_made_and_the_last_wish_counts(desk: Desk, key: K, page: str) -> None:
    modes, turns = desk.window.modes, list[str]()

    def on_turn() -> None:
        turns.append(modes.mode)
        if len(turns) == 4:
            desk.press((K.Key_1, CTRL))

    desk.press((key, CTRL))
    clock = QTimer(interval=0)
    clock.timeout.connect(on_turn)
    clock.start()
    desk.wait(lambda: len(turns) > 60)
    clock.stop()
    assert set(turns) == {PLAY}, "it was thought better of"
    assert desk.window.actions_by_name[f"mode_{PLAY}"].isChecked()
    desk.press((key, CTRL))
    desk.wait(lambda: modes.mode == page)
    assert modes.stack.currentWidget() is modes.page(page)


def test_where_a_page_is_wanted_at_once_what_is_left_of_it_is_made_at_once(desk: Desk) -> None:
    desk.press((K.Key_2, CTRL))
    assert desk.window.modes.mode == PLAY
    desk.window.modes.show_mode(LABORATORY)
    assert desk.window.modes.mode == LABORATORY


@pytest.mark.parametrize("name", ["analyse", "first_lesson"])
def test_every_way_into_a_page_makes_it_in_turns_and_then_does_what_was_asked(desk: Desk, name: str) -> None:
    modes, served = desk.window.modes, list[bool]()
    desk.window.actions_by_name[name].trigger()
    clock = QTimer(interval=0)
    clock.timeout.connect(lambda: served.append(desk.session.laboratory.page is not None))
    clock.start()
    desk.wait(lambda: modes.mode == LABORATORY)
    clock.stop()
    assert len(served) > 20, "keys were heard"
    assert not any(served[:20])
    assert desk.laboratory.model.place.position.text == "nim:3,4,5"
    assert (desk.session.lessons.lesson is not None) is (name == "first_lesson")


def test_what_was_to_be_done_in_a_page_is_left_with_it(desk: Desk) -> None:
    modes, done = desk.window.modes, list[str]()
    modes.open(LABORATORY, lambda: done.append("first"))
    desk.press((K.Key_3, CTRL))
    desk.wait(lambda: modes.mode == EXPERIMENTS)
    modes.open(LABORATORY, lambda: done.append("second"))
    modes.open(LABORATORY, lambda: done.append("third"))
    assert not done
    desk.wait(lambda: modes.mode == LABORATORY)
    assert done == ["second", "third"]


def test_a_page_that_is_half_made_when_the_window_is_closed_leaves_no_thread(desk: Desk) -> None:
    def begun() -> bool:
        return any(isinstance(widget, StudyPanel) for widget in QApplication.allWidgets())

    desk.press((K.Key_3, CTRL))
    for _ in range(1000):
        if not begun():
            QApplication.processEvents()  # a piece of the page at a time; ``wait`` may let all be made
    assert begun()
    assert desk.session.experiments.page is None, "only a part of it is made by now"
    assert not any(thread.name == "nimdesk-results" for thread in threading.enumerate()), "nobody sees it yet"
    desk.session.close()
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("nimdesk-")]
