"""The presenter mode: the window for an audience, led by the keys of a remote, and back as it was."""

from __future__ import annotations

import pytest
from desk import HUMAN, Desk, K, OpenDesk, mcts
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from nimdesk.lessons import Lesson, Show, Step
from nimdesk.lessons.model import AgentPart
from nimdesk.play.moment import State
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.plots.curves import Line


def width_of_leader(desk: Desk) -> float:
    lines = [shape for shape in desk.panel.plot.ink.shapes if isinstance(shape, Line)]
    return max(line.pen.widthF() for line in lines)


def colors(desk: Desk) -> set[str]:
    """What is to be seen in the window."""
    seen = desk.window.grab().toImage().scaled(64, 36)
    return {seen.pixelColor(x, y).name() for x in range(64) for y in range(36)}


@pytest.mark.parametrize("end", [K.Key_F11, K.Key_Escape])
def test_an_audience_sees_large_words_and_thick_lines_until_it_ends(
    open_desk: OpenDesk, qapp: QApplication, end: Qt.Key
) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, mcts(300))
    desk.click("b2")
    desk.wait_for(State.HUMAN)
    desk.board.setFocus()
    size, width, look = qapp.font().pointSizeF(), width_of_leader(desk), LOOK.theme
    desk.press(K.Key_F11)
    assert desk.window.isFullScreen()
    desk.wait(lambda: qapp.font().pointSizeF() > 1.3 * size and width_of_leader(desk) == 2 * width)
    assert LOOK.theme.dark == look.dark
    desk.press(end)
    assert not desk.window.isFullScreen()
    desk.wait(lambda: qapp.font().pointSizeF() == size and width_of_leader(desk) == width)
    assert look is LOOK.theme
    assert desk.board.hasFocus()


def test_a_remote_steps_through_a_game(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3 a1 b2 c1")
    desk.board.setFocus()
    at = lambda: desk.controller.game.cursor  # noqa: E731
    desk.press(K.Key_PageUp)
    assert at() == 3, "there is no audience"
    desk.press(K.Key_F11, K.Key_PageUp, K.Key_Left)
    assert at() == 1
    desk.press(K.Key_PageDown)
    assert at() == 2
    desk.press(K.Key_Right, K.Key_F11)
    assert at() == 3


def test_a_remote_steps_through_a_search(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3")
    page = desk.analyse()
    desk.press(K.Key_F5)
    shown = lambda: page.model.shown.at  # noqa: E731
    desk.wait(lambda: not page.model.searches.running and shown().focused.timeline is not None)
    line = shown().focused.timeline
    assert line is not None
    *_, third, second, _newest = line.costs(shown().cost)
    desk.press(K.Key_F11, K.Key_PageUp, K.Key_Left)
    assert shown().moment == third
    desk.press(K.Key_PageDown, K.Key_Escape)
    assert shown().moment == second


@pytest.mark.parametrize("again", [K.Key_B, K.Key_Period, K.Key_PageUp, "press"])
def test_a_black_screen_shows_nothing_until_the_next_key(open_desk: OpenDesk, again: Qt.Key | str) -> None:
    desk = open_desk("mnk:3,3,3 a1 b2 c1")
    desk.press(K.Key_F11)
    desk.press(K.Key_B)
    desk.wait(lambda: colors(desk) == {"#000000"})
    if isinstance(again, str):
        over = desk.window.childAt(QPoint(200, 200))
        assert over is not None
        QTest.mouseClick(over, Qt.MouseButton.LeftButton)
    else:
        desk.press(again)
    assert len(colors(desk)) > 5
    desk.press(K.Key_F11)


def test_the_end_of_the_presentation_ends_a_black_screen(desk: Desk) -> None:
    desk.press(K.Key_F11, K.Key_B, K.Key_Escape)
    assert not desk.window.actions_by_name["black_out"].isChecked()
    desk.wait(lambda: len(colors(desk)) > 5)


def test_a_remote_steps_through_a_lesson(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3 a1 b2 c1")
    lessons, shown = desk.session.lessons, Show(position="nim:1,2", agents=[AgentPart(agent="uct")])
    step = Step(text="Look.", show=shown)
    lessons.begin(Lesson(title="Two", about="?", steps=[step, step]))
    desk.wait(lambda: desk.window.modes.mode == "laboratory")
    desk.press(K.Key_F11, K.Key_PageDown)
    assert lessons.number == 2
    desk.press(K.Key_Left)
    assert lessons.number == 1
    desk.press(K.Key_F11)
