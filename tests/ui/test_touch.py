"""What a finger would press is at least 24 pixels wide and high: WCAG 2.2, 2.5.8."""

from collections.abc import Iterator

import pytest
from desk import HUMAN, Desk, OpenDesk, mcts
from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QMenuBar,
    QSlider,
    QTabBar,
    QTabWidget,
    QWidget,
)

from nimdesk.games import parse_position
from nimdesk.play.moment import State
from nimdesk.ui.lessons.panel import LessonPanel
from nimdesk.ui.look.actions import EXPERIMENTS, PLAY

PRESSED = (QAbstractButton, QComboBox, QLineEdit, QAbstractSpinBox, QSlider)
LEAST = 24
GAMES = (
    "nim:1,3,5,7",
    "mnk:3,3,3",
    "mnk:5,5,4",
    "mnk:7,6,4:gravity",
    "take:0.77:5,12",
    "take:wythoff:5,8",
)


def targets(window: QWidget) -> Iterator[tuple[str, QSize]]:
    """What can be pressed in the window, with its size: buttons, fields, tabs, menus, and the rows of lists."""
    for part in window.findChildren(QWidget):
        name = f"{type(part).__name__} {part.accessibleName() or part.objectName()}"
        if not part.isVisible() or part.visibleRegion().isEmpty() or part.objectName() == "qt_spinbox_lineedit":
            continue
        if isinstance(part, PRESSED):
            yield name, part.size()
        elif isinstance(part, QTabBar):
            yield from ((f"tab {part.tabText(i)}", part.tabRect(i).size()) for i in range(part.count()))
        elif isinstance(part, QMenuBar):
            yield from ((each.text(), part.actionGeometry(each).size()) for each in part.actions())
        elif isinstance(part, QAbstractItemView) and part.model() is not None:
            rows = (part.model().index(row, 0) for row in range(part.model().rowCount()))
            yield from ((name, QSize(LEAST, part.visualRect(row).height())) for row in rows)


def small(window: QWidget) -> set[str]:
    """The targets that are too small; those that are not there have no size."""
    QApplication.processEvents()
    sized = [(name, size.width(), size.height()) for name, size in targets(window) if not size.isEmpty()]
    return {f"{name} {width}x{height}" for name, width, height in sized if min(width, height) < LEAST}


def test_what_is_pressed_is_large_enough_on_every_page(open_desk: OpenDesk) -> None:
    desk: Desk = open_desk("nim:3,4,5", mcts(300), HUMAN)

    def check(tabs: QTabWidget) -> None:
        for size in ((800, 600), (1440, 900)):
            desk.window.resize(*size)
            for index in range(tabs.count()):
                tabs.setCurrentIndex(index)
                assert small(desk.window) == set(), (size, tabs.tabText(index))

    desk.wait_for(State.HUMAN)
    check(desk.window.page.tabs)
    page = desk.analyse()
    page.model.searches.set_limit(100.0)
    page.model.searches.run()
    desk.wait(lambda: not page.model.searches.running)
    check(page.tabs)
    desk.window.actions_by_name["first_lesson"].trigger()
    desk.wait(lambda: (panel := desk.window.findChild(LessonPanel)) is not None and panel.isVisible())
    assert small(desk.window.findChild(LessonPanel)) == set()
    desk.window.modes.show_mode(EXPERIMENTS)
    QApplication.processEvents()
    for tabs in desk.window.findChildren(QTabWidget):
        if tabs.isVisible():
            check(tabs)


def test_what_is_pressed_in_dialogs_is_large_enough(desk: Desk) -> None:
    found: list[str] = []

    def look(dialog: QDialog) -> None:
        found.extend(small(dialog))

    desk.window.modes.show_mode(PLAY)
    for name in ("new_game", "suggest_options", "palette"):
        desk.in_dialog(desk.window.actions_by_name[name].trigger, look)
    assert found == []


@pytest.mark.parametrize(("size", "games"), [((800, 600), GAMES), ((1024, 700), ("mnk:15,15,5",))])
def test_moves_on_the_boards_are_large_enough(
    open_desk: OpenDesk, size: tuple[int, int], games: tuple[str, ...]
) -> None:
    """A larger board in a smaller window is the position itself: its moves have keys, and it grows (Shift+F11)."""
    desk = open_desk(games[0])
    desk.window.resize(*size)
    for game in games:
        desk.session.games.start(parse_position(game))
        QApplication.processEvents()
        points = [desk.board.move_point(move) for move in desk.board.position.legal_moves]
        for point in points:
            others = (point - other for other in points if other != point)
            assert min(max(abs(each.x()), abs(each.y())) for each in others) >= LEAST, game
