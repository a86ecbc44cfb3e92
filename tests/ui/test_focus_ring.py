"""A person at the keyboard always sees where it is, and Tab visits everything in the order of the eye."""

from __future__ import annotations

from itertools import pairwise

import pytest
from desk import CTRL, ENDLESS, HUMAN, LEFT, Desk, K, OpenDesk, mcts
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QTabBar, QToolButton, QWidget

from nimdesk.play.moment import State
from nimdesk.ui.boards import BoardView
from nimdesk.ui.boards.pointing import MARKS_ITSELF
from nimdesk.ui.laboratory.board_panel import TheoryPanel
from nimdesk.ui.laboratory.moves_table import MovesTable
from nimdesk.ui.laboratory.stepping_panel import SteppingPanel
from nimdesk.ui.laboratory.tree_panel import TreePanel
from nimdesk.ui.look import theme as themes
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY
from nimdesk.ui.look.rings import FocusRing, Ring


def ring_of(desk: Desk) -> FocusRing:
    found = desk.session.findChild(FocusRing)
    assert found is not None
    return found


def stops(desk: Desk, key: Qt.Key = K.Key_Tab) -> list[QWidget]:
    """What Tab comes past until it is where it was first; each of them is marked."""
    ring, met = ring_of(desk), list[QWidget]()
    while len(met) < 100:
        desk.press(key)
        widget = QApplication.focusWidget()
        assert widget is not None
        if met and widget is met[0]:
            return met
        assert ring.target is widget or widget.property(MARKS_ITSELF), widget
        if not met or widget is not met[-1]:  # a page of text has a stop for each of its links
            met.append(widget)
    raise AssertionError(f"Tab does not come back to {met[0]}; it is at {met[-1]}")


def follow_each_other(met: list[QWidget], *wanted: QWidget) -> bool:
    """Whether these are met in this order, without others in between."""
    begin = met.index(wanted[0])
    return (met + met)[begin : begin + len(wanted)] == list(wanted)


def test_tab_goes_through_the_laboratory_in_the_order_of_the_eye_with_each_panel(desk: Desk) -> None:
    desk.window.modes.show_mode(LABORATORY)
    page = desk.session.laboratory.page
    assert page is not None
    page.model.agents.add()
    page.model.searches.run()
    desk.wait(
        lambda: not page.model.searches.running and all(run.snapshot is not None for run in page.model.searches.runs)
    )
    first, second = page.agents.rows
    tree, step, bar = page.panel(TreePanel), page.panel(SteppingPanel), page.tabs.tabBar()
    panels: tuple[list[QWidget], ...] = (
        [page.panel(MovesTable)],
        [tree.least, tree.unfold, tree.fold, tree.copy_button, tree.list],
        [step.forward, step.whole, step.change, step.number, step.table],
        [page.panel(TheoryPanel).other, page.panel(TheoryPanel).text],
    )
    for index, parts in enumerate(panels):
        page.tabs.setCurrentIndex(index)
        for part in parts:
            desk.wait(part.isVisible)
            desk.wait(part.isEnabled)
        page.setFocus()
        met = stops(desk)
        assert follow_each_other(met, bar, *parts, desk.window.title_row.search)
        agents = (first.letter, first.choice, first.options, first.remove, first.seed, second.letter)
        assert follow_each_other(met, page.board_panel.board, *agents)
        assert follow_each_other(met, second.seed, *page.agents.below, page.views.panes[0].choice)


def place(widget: QWidget) -> QRect:
    return QRect(widget.mapTo(widget.window(), QPoint()), widget.size())


def before(one: QRect, other: QRect) -> bool:
    """Whether the eye is at ``one`` before it is at ``other``, which is below it, at its right, or upon it."""
    return other.top() > one.bottom() or other.left() > one.right() or one.contains(other)


@pytest.mark.parametrize("size", [(800, 600), (1280, 860)])
def test_tab_goes_through_play_region_by_region_in_the_order_of_the_eye(
    open_desk: OpenDesk, size: tuple[int, int]
) -> None:
    desk = open_desk("mnk:3,3,3", mcts(300), HUMAN)
    desk.wait_for(State.HUMAN)
    window, column = desk.window, desk.window.column
    window.resize(*size)
    QApplication.processEvents()
    window.setFocus()
    met = stops(desk)
    analysis = (window.plots, window.page.tabs) if size[0] > 1000 else (window.page.tabs,)
    regions = (window.title_row, column, *analysis)
    where = [next(at for at, region in enumerate(regions) if region.isAncestorOf(widget)) for widget in met]
    assert where == sorted(where), "one region is gone through before the next"
    assert set(where) == set(range(len(regions)))
    for (one, here), (other, there) in pairwise(zip(met, where, strict=True)):
        assert here != there or before(place(one), place(other)), (one, other)
    assert follow_each_other(met, column.above, desk.board, column.below, column.row.button("suggest"))
    assert stops(desk, K.Key_Backtab) == met[::-1], "the same way back"


def test_what_tab_comes_to_is_scrolled_into_sight(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", mcts(300), mcts(300))
    desk.window.resize(800, 480)
    desk.box(1).take_keyboard()
    desk.press(K.Key_Backtab, K.Key_Backtab)
    last = QApplication.focusWidget()
    assert last is not None
    assert desk.sheet(1).isAncestorOf(last)
    assert not last.visibleRegion().isEmpty()


def test_from_a_button_that_goes_the_keyboard_comes_to_what_stands_beside_it(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:15,15,5", HUMAN, HUMAN, suggest=ENDLESS.to_json())
    row = desk.window.column.row
    desk.click("h8")
    row.button("suggest").setFocus()
    desk.press(K.Key_Space)
    desk.wait(lambda: desk.state is State.SUGGESTING)
    assert not row.button("suggest").isVisible()
    assert row.isAncestorOf(QApplication.focusWidget())
    desk.controller.stop()
    row.button("undo").setFocus()
    desk.press(K.Key_Space)
    assert not row.button("undo").isEnabled()
    assert row.isAncestorOf(QApplication.focusWidget())


def test_the_switch_of_pages_keeps_the_keyboard_when_it_settles_anew(desk: Desk) -> None:
    button = desk.window.modes.findChildren(QToolButton)[1]
    button.setFocus()
    desk.window.title_row.mark(EXPERIMENTS, "12%", "A run is under way")
    assert QApplication.focusWidget() is button
    desk.press(K.Key_Tab)
    assert QApplication.focusWidget() is not button


def test_the_key_for_the_board_goes_to_the_one_that_moves_are_made_on(desk: Desk) -> None:
    desk.window.modes.show_mode(LABORATORY)
    page = desk.session.laboratory.page
    assert page is not None
    page.model.searches.set_limit(100)
    page.model.searches.run()
    page.tabs.setCurrentWidget(page.panel(TreePanel))
    desk.wait(lambda: any(board.isVisible() for board in page.panel(TreePanel).small.findChildren(BoardView)))
    desk.press((K.Key_L, CTRL))
    assert QApplication.focusWidget() is page.board_panel.board
    desk.press(K.Key_Right, K.Key_Return)
    assert len(page.model.place.position.moves) == 1


@pytest.mark.parametrize("look", [themes.LIGHT, themes.DARK], ids=["light", "dark"])
def test_every_stop_of_the_other_pages_is_marked_in_the_colour_of_the_look(
    open_desk: OpenDesk, look: themes.Theme
) -> None:
    desk = open_desk(theme=look.name)
    assert len(stops(desk)) > 10
    desk.window.modes.show_mode(EXPERIMENTS)
    met = stops(desk)
    assert len(met) > 10
    bar = next(widget for widget in met if isinstance(widget, QTabBar))
    bar.setFocus()
    for index in (0, 1):
        bar.setCurrentIndex(index)
        tab = bar.tabRect(index)
        seen = desk.window.grab().toImage()
        corner = bar.mapTo(desk.window, tab.bottomRight() + QPoint(2, 0))
        assert seen.pixelColor(corner) == QColor(look.accent), index


def test_the_mouse_takes_the_ring_away_and_a_key_brings_it_back(desk: Desk) -> None:
    ring, window = ring_of(desk), desk.window
    box = window.column.below
    assert ring.target is None
    while QApplication.focusWidget() is not box:
        desk.press(K.Key_Tab)
    assert ring.target is box
    handle = window.windowHandle()
    QTest.mouseClick(handle, LEFT, pos=window.moves.table.mapTo(window, QPoint(20, 60)))
    assert QApplication.focusWidget() is not box
    assert ring.target is None
    desk.press(K.Key_Tab)
    assert ring.target is QApplication.focusWidget()


def test_the_ring_goes_into_a_dialog_and_comes_back(desk: Desk) -> None:
    ring = ring_of(desk)
    desk.press(K.Key_Tab)
    before = ring.target
    assert before is not None

    def look(dialog: QDialog) -> None:
        QTest.keyClick(QApplication.focusWidget() or dialog, K.Key_Tab)
        assert ring.target is not None
        assert ring.target.window() is dialog

    desk.in_dialog(lambda: desk.press((K.Key_N, CTRL)), look)
    desk.wait(lambda: ring.target is before)


def test_the_ring_stays_around_its_widget_when_that_moves(desk: Desk) -> None:
    while QApplication.focusWidget() is not desk.window.column.below:
        desk.press(K.Key_Tab)
    ring = ring_of(desk)
    frame, target = desk.window.findChild(Ring), ring.target
    assert isinstance(frame, Ring)
    assert target is not None
    desk.window.resize(desk.window.size().grownBy(desk.window.contentsMargins()) * 1.1)
    QApplication.processEvents()
    at = QRect(target.mapTo(desk.window, QPoint(0, 0)), target.size())
    assert frame.geometry() == at.adjusted(-3, -3, 3, 3)


def test_the_menu_that_arrows_leave_from_is_seen_while_none_is_open(desk: Desk) -> None:
    bar = desk.window.menuBar()
    game, play = (bar.actionGeometry(action) for action in bar.actions()[:2])

    def lit() -> list[bool]:
        seen = bar.grab().toImage()
        return [
            seen.pixelColor(title.topLeft() + QPoint(3, 3)) == QColor(themes.LIGHT.accent) for title in (game, play)
        ]

    assert lit() == [False, False]
    desk.press(K.Key_Alt)
    assert lit() == [True, False]


def test_a_tab_bar_whose_connections_are_gone_is_left_without_a_word(desk: Desk) -> None:
    desk.window.modes.show_mode(EXPERIMENTS)
    ring = ring_of(desk)
    while not isinstance(ring.target, QTabBar):
        desk.press(K.Key_Tab)
    bar = ring.target
    bar.currentChanged.disconnect()
    desk.press(K.Key_Tab)
    assert ring.target is QApplication.focusWidget() is not bar
