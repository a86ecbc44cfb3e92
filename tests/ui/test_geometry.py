"""Where the parts of the Play page are: what board and curves get of the window, and what stands still."""

from __future__ import annotations

from pathlib import Path

import pytest
from desk import CTRL, HUMAN, Desk, K, OpenDesk, contrast, mcts, stored
from PySide6.QtCore import QModelIndex, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton, QToolTip

from nimdesk.agents import make_agent
from nimdesk.play.moment import State
from nimdesk.settings import SettingsStore
from nimdesk.ui.look.theme import DARK, LOOK
from nimdesk.ui.play.review import ReviewPanel

CONNECT_FOUR = "mnk:7,6,4:gravity"
SHIFT = Qt.KeyboardModifier.ShiftModifier


def resize(desk: Desk, width: int, height: int) -> None:
    desk.window.resize(width, height)
    desk.wait(lambda: (desk.window.width(), desk.window.height()) == (width, height))
    QApplication.processEvents()
    QApplication.processEvents()


def searched(open_desk: OpenDesk, position: str) -> Desk:
    """A game in which the computer has moved once, so that there are curves."""
    desk = open_desk(position, HUMAN, mcts(2000))
    desk.click({"mnk:15,15,5": "h8"}.get(position, "d1"))
    desk.wait_for(State.HUMAN)
    desk.wait(desk.panel.legend.isVisible)
    return desk


def curves(desk: Desk) -> QRectF:
    """Where the curves are drawn, without axes, names and the strip of leaders."""
    plot = desk.panel.plot
    assert plot.frame is not None
    (left, right), (bottom, top) = plot.frame.x_range, plot.frame.y_range
    return QRectF(plot.pixel(left, top), plot.pixel(right, bottom))


def part(desk: Desk, place: QRectF) -> float:
    """The part of the window that this place has."""
    return place.width() * place.height() / (desk.window.width() * desk.window.height())


def board_place(desk: Desk) -> QRect:
    """Where the board is in the window."""
    place = desk.board.frame.toRect()
    return QRect(desk.board.mapTo(desk.window, place.topLeft()), place.size())


@pytest.mark.parametrize(
    ("size", "board", "drawn"),
    [
        ((800, 600), 0.226, 0.098),
        ((1024, 700), 0.246, 0.10),
        ((1280, 860), 0.310, 0.14),
        ((1920, 1080), 0.305, 0.16),
        ((2560, 1440), 0.35, 0.18),
    ],
)
def test_board_and_curves_have_these_parts_of_the_window(
    open_desk: OpenDesk, size: tuple[int, int], board: float, drawn: float
) -> None:
    desk = searched(open_desk, "mnk:15,15,5")
    resize(desk, *size)
    if size[0] == 2560:
        usual = desk.window.column.fontMetrics().height()
        desk.wait(lambda: desk.window.column.fontMetrics().height() > usual)
        desk.wait(desk.window.updatesEnabled)
    desk.wait(lambda: part(desk, curves(desk)) >= drawn, 20_000)
    assert part(desk, desk.board.frame) >= board


def test_the_board_stands_still_from_the_first_move_to_the_end(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3:gravity", HUMAN, make_agent("level1", {"seed": 1}))  # soon over
    resize(desk, 1024, 700)
    desk.press((K.Key_H, CTRL))
    QApplication.processEvents()
    places = {board_place(desk).getRect()}
    desk.press((K.Key_T, CTRL))
    while desk.controller.game.result is None:
        desk.wait_for(State.HUMAN)
        places.add(board_place(desk).getRect())
        desk.button("suggest")
        desk.wait(lambda: desk.controller.suggestion is not None)
        places.add(board_place(desk).getRect())
        move = desk.controller.suggestion
        assert move is not None
        desk.click(move.text)
        desk.wait(lambda: desk.state in (State.HUMAN, State.OVER))
    desk.wait(desk.window.column.end.isVisible)
    QApplication.processEvents()
    places.add(board_place(desk).getRect())
    assert len(places) == 1


@pytest.mark.parametrize("position", [CONNECT_FOUR, "mnk:15,15,5", "mnk:3,3,3", "nim:3,4,5"])
def test_the_evaluation_is_as_high_as_the_board(open_desk: OpenDesk, position: str) -> None:
    desk = open_desk(position)
    bar = desk.window.column.evaluation
    for size in ((1280, 860), (900, 800), (1500, 700)):
        resize(desk, *size)
        place, board = bar.place, desk.board.frame
        assert bar.mapTo(desk.window, place.topLeft().toPoint()).y() == board_place(desk).top()
        assert (place.top(), place.bottom()) == (board.top(), board.bottom())


def test_the_middle_of_the_evaluation_is_seen_on_every_colour(open_desk: OpenDesk) -> None:
    desk = open_desk(CONNECT_FOUR)
    bar = desk.window.column.evaluation
    for score in (0.0, 0.3, 1.0):
        for look in (LOOK.theme, DARK):
            LOOK.use(look)
            bar.show_score(score, "", below=desk.window.display.shown.below, exact=False)
            picture, middle = bar.grab().toImage(), round(bar.place.center().y())
            column = [QColor(picture.pixel(bar.width() // 2, middle + off)) for off in (-6, -2, 0)]
            ground, edge, tick = column
            assert max(contrast(tick, ground), contrast(edge, ground)) >= 3
            assert contrast(tick, edge) >= 3


def test_the_end_is_said_large_with_review_and_rematch_beside_it(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, HUMAN)
    column = desk.window.column
    assert not column.end.isVisible()
    desk.click("a1", "a2", "b1", "b2", "c1")
    desk.wait(column.end.isVisible)
    said = column.end.title
    assert said.text() == "X wins"
    assert said.fontMetrics().height() >= 1.4 * column.fontMetrics().height()
    assert column.said.startswith("3 in a row")
    review, rematch = column.end.findChildren(QToolButton)
    assert (review.text(), rematch.text(), review.isEnabled()) == ("Review", "Rematch", True)
    QTest.mouseClick(rematch, Qt.MouseButton.LeftButton)
    assert desk.moves == []
    assert not column.end.isVisible()


# The plot's side


def test_a_key_gives_the_plot_all_of_its_side_and_takes_it_back(open_desk: OpenDesk) -> None:
    desk = searched(open_desk, CONNECT_FOUR)
    page, before = desk.window.page, curves(desk).height()
    desk.press((K.Key_G, CTRL))
    QApplication.processEvents()
    assert not page.tabs.isVisible()
    assert curves(desk).height() > 1.4 * before
    button = next(
        each
        for each in desk.panel.toolbar.findChildren(QToolButton)
        if each.defaultAction() is desk.window.actions_by_name["whole_plot"]
    )
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    QApplication.processEvents()
    assert page.tabs.isVisible()
    assert curves(desk).height() == before


def test_the_plots_side_is_remembered(open_desk: OpenDesk, tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    first = open_desk(CONNECT_FOUR, store=stored(path))
    first.press((K.Key_G, CTRL))
    first.close()
    again = open_desk(CONNECT_FOUR, store=SettingsStore(path))
    resize(again, 1280, 860)
    assert not again.window.page.tabs.isVisible()


def test_in_a_narrow_window_that_key_brings_the_plot_to_the_front(open_desk: OpenDesk) -> None:
    desk = searched(open_desk, CONNECT_FOUR)
    resize(desk, 800, 600)
    page = desk.window.page
    page.show_tab(desk.window.lines)
    desk.press((K.Key_G, CTRL))
    assert page.tabs.isVisible()
    assert desk.panel.isVisible()
    resize(desk, 1280, 860)
    assert not page.tabs.isVisible()
    desk.window.reset_layout()
    assert page.tabs.isVisible()


def test_where_the_tabs_need_the_room_the_buttons_beside_them_go(open_desk: OpenDesk) -> None:
    desk = open_desk(CONNECT_FOUR)
    desk.wait(lambda: desk.session.review is not None)
    tabs = desk.window.page.tabs
    corner = tabs.cornerWidget()
    assert corner is not None
    for width in (1280, 800, 690, 1280):
        resize(desk, width, 600)
        needed = tabs.tabBar().sizeHint().width()
        assert corner.isVisible() is (tabs.width() >= needed + corner.sizeHint().width())
        assert tabs.tabBar().width() >= min(needed, tabs.width())
    assert corner.isVisible()


def test_a_wide_window_has_moves_and_review_side_by_side(open_desk: OpenDesk) -> None:
    desk = open_desk(CONNECT_FOUR)
    desk.wait(lambda: desk.session.review is not None)
    review, moves = desk.session.review, desk.window.moves
    assert review is not None
    for size, together in (((2560, 1440), True), ((1280, 860), False), ((800, 600), False), ((1920, 1080), True)):
        resize(desk, *size)
        desk.window.page.show_tab(review)
        assert review.isVisible()
        assert moves.isVisible() is together, size
        tab = desk.window.game_tab.parentWidget()
        assert tab is not None
        desk.window.page.show_tab(tab)
        assert moves.isVisible()


def test_in_a_low_window_the_review_has_room_for_three_moves_while_it_is_in_front(open_desk: OpenDesk) -> None:
    desk = open_desk(CONNECT_FOUR)
    desk.wait(lambda: desk.session.review is not None)
    review, page = desk.session.review, desk.window.page
    assert review is not None
    resize(desk, 1024, 700)
    share, plot = page.analysis.share, page.plots.height()
    page.show_tab(review)
    line = review.fontMetrics().lineSpacing()
    desk.wait(lambda: review.table.viewport().height() >= 3 * (2 * line + 7))
    assert page.analysis.share == share, "what a person has set is another matter"
    tab = desk.window.game_tab.parentWidget()
    assert tab is not None
    page.show_tab(tab)
    desk.wait(lambda: page.plots.height() == plot)


def reviewed(desk: Desk) -> ReviewPanel:
    """The review of the game, with all moves listed."""
    desk.wait(lambda: desk.session.review is not None)
    review = desk.session.review
    assert review is not None
    desk.press(K.Key_F7)
    desk.wait(lambda: not review.busy and bool(review.model.moves))
    review.all_moves.setChecked(True)
    return review


def test_a_low_window_keeps_room_for_the_summary_of_a_review_while_a_move_is_chosen(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5 1-2 3-5 2-4 1-1", HUMAN, HUMAN)
    review = reviewed(desk)
    resize(desk, 1024, 700)
    room, bar = review.table.height(), review.begin.mapTo(desk.window, QPoint()).y()
    review.table.selectRow(0)
    assert review.words.isHidden()
    resize(desk, 1024, 760)
    resize(desk, 1024, 700)
    assert review.begin.mapTo(desk.window, QPoint()).y() == bar
    review.table.setCurrentIndex(QModelIndex())
    desk.wait(review.words.isVisible)
    desk.wait(lambda: review.table.height() == room)


def test_the_chosen_move_of_a_review_stays_in_sight_when_the_window_becomes_lower(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5 1-1 3-1 2-1 1-1 3-1 2-1 1-1 3-1 2-1", HUMAN, HUMAN)
    resize(desk, 1280, 1000)
    review = reviewed(desk)
    review.table.selectRow(review.model.rowCount() - 1)
    resize(desk, 1024, 700)
    place = review.table.visualRect(review.table.currentIndex())
    assert review.table.viewport().rect().contains(place)


def test_the_list_has_the_moves_that_were_visited_and_counts_the_others(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:15,15,5", HUMAN, mcts(40))
    desk.click("h8")
    desk.wait_for(State.HUMAN)
    snapshot = desk.controller.shown_snapshot
    assert snapshot is not None
    visited = sum(1 for stats in snapshot.moves if stats.visits)
    desk.wait(lambda: desk.panel.legend.model().rowCount() == visited)
    assert desk.panel.more.text() == f"{len(snapshot.moves) - visited} more"


def test_names_stand_in_the_list_or_at_the_curves_and_never_in_both(open_desk: OpenDesk) -> None:
    desk = searched(open_desk, CONNECT_FOUR)
    for size in ((1280, 860), (800, 600), (2560, 1440)):
        resize(desk, *size)
        assert desk.panel.plot.names_shown is not desk.panel.legend.isVisible()  # type: ignore[attr-defined]
    plot = desk.panel.plot
    at_the_edge = plot.view.width() - curves(desk).right()
    assert at_the_edge < 30, "the axis goes to the edge"


# The size of words


def test_a_small_screen_of_twice_the_density_holds_the_window(desk: Desk) -> None:
    assert desk.window.minimumSizeHint().height() <= 380


def test_words_grow_with_the_window(desk: Desk) -> None:
    column = desk.window.column
    usual = column.fontMetrics().height()
    resize(desk, 2560, 1440)
    desk.wait(lambda: column.fontMetrics().height() > usual)
    resize(desk, 1280, 860)
    desk.wait(lambda: column.fontMetrics().height() == usual)


def test_icons_grow_with_the_words(desk: Desk) -> None:
    corner = desk.window.page.tabs.cornerWidget()
    assert corner is not None
    buttons = [*corner.findChildren(QToolButton), desk.panel.toolbar.pause]
    before = [button.iconSize().height() for button in buttons]
    desk.press(*[(K.Key_Plus, CTRL)] * 4)
    desk.wait(lambda: all(b.iconSize().height() > 1.3 * old for b, old in zip(buttons, before, strict=True)))


def test_no_tool_tip_stays_when_the_window_takes_the_screen(desk: Desk) -> None:
    QToolTip.showText(desk.window.mapToGlobal(QPoint(50, 50)), "A tip", desk.window)
    assert QToolTip.isVisible()
    desk.press(K.Key_F11)
    desk.wait(lambda: not QToolTip.isVisible())
    desk.press(K.Key_F11)


def test_the_board_alone_takes_the_screen_and_gives_everything_back(desk: Desk) -> None:
    window, size = desk.window, QSize()
    parts = (window.menuBar(), window.statusBar(), window.page.analysis)
    size = desk.board.size()
    desk.press((K.Key_F11, SHIFT))
    desk.wait(window.isFullScreen)
    assert not any(each.isVisible() for each in parts)
    assert "Shift+F11" in window.column.said
    desk.press(K.Key_F11)
    desk.wait(lambda: not window.isFullScreen())
    assert all(each.isVisible() for each in parts)
    desk.wait(lambda: desk.board.size() == size)
