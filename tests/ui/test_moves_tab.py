"""The list of the moves under mouse and keyboard: a menu that chooses nothing, arrows that go through all moves."""

from __future__ import annotations

import pytest
from desk import HUMAN, LEFT, Desk, K, OpenDesk, mcts
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from nimdesk.play.moment import State

# All that a menu says offscreen.
pytestmark = pytest.mark.qt_log_ignore(r"raise\(\)", "grabbing the keyboard", extend=True)


def right_click(desk: Desk, number: int) -> dict[str, QMenu]:
    """The entries of the menu that a right press on this move opens, each with its menu."""
    viewport, at = desk.window.moves.table.viewport(), desk.move_place(number)
    QTest.mouseClick(viewport, Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier, at)
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, viewport.mapToGlobal(at))
    QApplication.sendEvent(viewport, asked)
    (menu,) = (each for each in desk.window.moves.findChildren(QMenu) if each.isVisible())
    return {action.text().replace("&", ""): menu for action in menu.actions()}


def press(entries: dict[str, QMenu], text: str) -> None:
    """Press this entry of a menu."""
    menu = entries[text]
    (action,) = (each for each in menu.actions() if each.text().replace("&", "") == text)
    QTest.mouseClick(menu, LEFT, Qt.KeyboardModifier.NoModifier, menu.actionGeometry(action).center())


def texts(desk: Desk) -> list[str]:
    return [row[2] for row in desk.listed]


def test_a_right_press_opens_a_menu_for_that_move_and_looks_nowhere_else(desk: Desk) -> None:
    desk.click("1-1", "2-1", "3-1")
    desk.controller.jump(2)
    entries = right_click(desk, 3)
    assert list(entries) == ["Look at this position", "Delete from here on"], "nothing in it is greyed out"
    assert desk.controller.game.cursor == 2, "nothing moved"
    press(entries, "Delete from here on")
    assert texts(desk) == ["1-1", "2-1"]
    assert desk.controller.game.cursor == 2, "what is looked at is still there"
    press(right_click(desk, 1), "Bring deleted moves back")
    assert texts(desk) == ["1-1", "2-1", "3-1"]
    press(right_click(desk, 1), "Look at this position")
    assert desk.controller.game.cursor == 1
    press(right_click(desk, 1), "Delete from here on")
    assert (texts(desk), desk.controller.game.cursor) == ([], 0)


def test_a_variation_is_made_the_main_line_from_its_menu(desk: Desk) -> None:
    desk.click("1-1", "2-1")
    desk.controller.jump(1)
    desk.click("2-2")
    desk.controller.jump(1)
    variation = texts(desk).index("(2-2)") + 1
    press(right_click(desk, variation), "Make this the main line")
    assert desk.controller.game.root.onward[-1].position.text.endswith("1-1 2-2")
    assert desk.controller.game.cursor == 1


def test_arrows_go_through_the_moves_in_the_order_of_reading(desk: Desk) -> None:
    desk.click("1-1", "2-1", "3-1")
    desk.click_move(1)
    met = [desk.controller.game.cursor]
    for key in (K.Key_Right, K.Key_Right, K.Key_Right, K.Key_Left, K.Key_Up, K.Key_Down):
        desk.press(key)
        met.append(desk.controller.game.cursor)
    assert met[:5] == [1, 2, 3, 3, 2]
    assert desk.window.moves.table.hasFocus()


def test_the_two_sides_are_equally_wide_and_no_wider_than_their_words_need(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, mcts(100))
    header = desk.window.moves.table.horizontalHeader()
    for width in (1000, 2400):
        desk.window.resize(width, 800)
        QApplication.processEvents()
        assert header.sectionSize(1) == header.sectionSize(2) < 320


def test_a_new_game_brings_its_moves_to_the_front(desk: Desk) -> None:
    desk.click("1-1")
    review = desk.session.review
    assert review is not None
    desk.window.page.show_tab(review)
    desk.button("restart")
    assert desk.window.game_tab.isVisible()
    desk.wait_for(State.HUMAN)


def test_the_move_looked_at_stays_in_sight_in_a_smaller_window_and_the_list_stays_where_it_was_scrolled_to(
    open_desk: OpenDesk,
) -> None:
    moves = " ".join(f"{column}{row}" for row in (1, 3, 5, 7) for column in "abcdefghi")
    desk = open_desk(f"mnk:9,9,5 {moves}", HUMAN, HUMAN)
    table = desk.window.moves.table

    def in_sight(height: int) -> bool:
        desk.window.resize(1200, height)
        QApplication.processEvents()
        here = table.visualRect(table.currentIndex())
        return here.top() >= 0 and here.bottom() < table.viewport().height()

    assert in_sight(1000)
    assert in_sight(640)
    table.scrollToTop()
    assert not in_sight(700)
