"""Pointing at a move in one place lights it up in the other two: board, curve, legend."""

import pytest
from desk import ENDLESS, HUMAN, Desk, K, OpenDesk, mcts
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QStatusBar

from nimdesk.games import Move, parse_position
from nimdesk.play.moment import State


@pytest.fixture
def searched(open_desk: OpenDesk) -> Desk:
    """A suggestion for the first move has been searched: board, curves and legend show the same moves."""
    desk = open_desk("nim:3,4,5")
    desk.controller.suggester = mcts(2000)
    desk.button("suggest")
    desk.wait_for(State.HUMAN)
    desk.qtbot.waitUntil(lambda: desk.panel.legend.model().rowCount() == 12)
    desk.leave()
    return desk


def thick(desk: Desk) -> list[Move]:
    """The moves whose curves stand out."""
    if desk.panel.pane.frame.highlight is None:
        return []  # the leader is thick by itself
    return [move for move in desk.panel.plot.drawn_moves if desk.panel.plot.curve(move).pen.widthF() > 2]


def written(line: QStatusBar) -> list[str]:
    """What stands in the status line."""
    return [label.text() for label in line.findChildren(QLabel)]


def row_point(desk: Desk, row: int) -> QPoint:
    legend = desk.panel.legend
    return legend.visualRect(legend.model().index(row, 0)).center()


def test_a_move_of_the_board_lights_up_its_curve_and_its_row(searched: Desk) -> None:
    move = searched.board.position.parse_move("2-3")
    searched.hover("2-3")
    assert thick(searched) == [move]
    assert searched.panel.legend.selected_move == move
    searched.hover("3-1")
    assert thick(searched) == [searched.board.position.parse_move("3-1")]
    searched.leave()
    QTest.mouseMove(searched.board, QPoint(1, 1))
    assert thick(searched) == []
    assert searched.panel.legend.selected_move is None


def test_the_keyboard_cursor_points_like_the_mouse(searched: Desk) -> None:
    searched.board.setFocus(Qt.FocusReason.TabFocusReason)
    searched.press(K.Key_Down, K.Key_Left)
    assert searched.board.hovered_move is not None
    assert thick(searched) == [searched.board.hovered_move]


def test_a_row_of_the_legend_lights_up_the_board_and_its_curve(searched: Desk) -> None:
    for row in (0, 5):
        QTest.mouseMove(searched.panel.legend.viewport(), row_point(searched, row))
        move = searched.panel.legend.model().move_of_row(row)
        assert searched.board.shown.highlight == move
        assert thick(searched) == [move]
        snapshot = searched.controller.shown_snapshot
        assert snapshot is not None
        lines = {stats.move: stats.principal_variation for stats in snapshot.moves}
        assert searched.board.shown.line == lines[move], "and how the search would go on"
    QTest.mouseMove(searched.panel.toolbar, QPoint(1, 1))
    assert searched.board.shown.highlight is None
    assert searched.board.shown.line == ()
    assert thick(searched) == []


def test_a_curve_lights_up_the_board_and_its_row(searched: Desk) -> None:
    curves = searched.panel.plot
    leader = searched.panel.legend.model().move_of_row(0)
    assert leader is not None
    curve = curves.curve(leader)
    xs, ys = curve.x, curve.y
    at = len(xs) - 20
    place = curves.pixel(float(xs[at]), float(ys[at])) - curves.view.pos().toPointF()
    QTest.mouseMove(curves.view.viewport(), place.toPoint())
    assert searched.board.shown.highlight == leader
    assert searched.panel.legend.selected_move == leader
    QTest.mouseMove(searched.panel.toolbar, QPoint(1, 1))
    assert searched.board.shown.highlight is None


def test_the_highlight_is_painted_on_the_board(searched: Desk) -> None:
    plain = searched.board.grab().toImage()
    QTest.mouseMove(searched.panel.legend.viewport(), row_point(searched, 3))
    assert searched.board.grab().toImage() != plain


def test_board_and_curves_wear_the_same_colours(searched: Desk) -> None:
    overlay = searched.board.shown.overlay
    assert len(overlay) == 12
    for move in searched.panel.plot.drawn_moves:
        if searched.window.colors.index(move) is not None:
            assert overlay[move].color.rgb() == searched.panel.plot.curve(move).pen.color().rgb()
    leaders = [move for move, item in overlay.items() if item.leader]
    assert leaders == [searched.panel.legend.model().move_of_row(0)]
    assert sum(item.share for item in overlay.values()) == pytest.approx(1.0)


def test_no_highlight_outlives_its_game(searched: Desk) -> None:
    QTest.mouseMove(searched.panel.legend.viewport(), row_point(searched, 0))
    assert searched.board.shown.highlight is not None
    searched.session.games.start(parse_position("nim:1,3,5,7"))
    assert searched.board.shown.highlight is None
    searched.session.games.start(parse_position("mnk:3,3,3"))
    assert searched.board.shown.highlight is None
    assert not searched.board.shown.overlay


def test_the_overlay_can_be_switched_off_and_tells_the_chosen_number(searched: Desk) -> None:
    assert searched.board.shown.overlay
    searched.board.setFocus()
    searched.press((K.Key_B, Qt.KeyboardModifier.ControlModifier))
    assert not searched.board.shown.overlay
    searched.press((K.Key_B, Qt.KeyboardModifier.ControlModifier))
    assert searched.board.shown.overlay
    searched.session.preferences.change(overlay_number="visits")
    assert searched.board.shown.style == "visits"
    searched.session.games.start(parse_position("mnk:3,3,3"))
    assert searched.board.shown.style == "visits", "a new board is told as well"


def test_a_frozen_plot_holds_while_the_search_and_the_board_go_on(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", ENDLESS, HUMAN)
    desk.wait(lambda: desk.panel.searched is not None)
    desk.press((K.Key_F, Qt.KeyboardModifier.ControlModifier))
    frozen, figures = desk.panel.searched, written(desk.window.status)
    desk.wait_for_snapshot()
    desk.wait(lambda: written(desk.window.status) != figures)
    assert desk.panel.searched is frozen
    assert desk.panel.badge.isVisible()
    desk.press((K.Key_F, Qt.KeyboardModifier.ControlModifier))
    assert not desk.panel.badge.isVisible()
    desk.wait(lambda: desk.panel.searched is not frozen)
