"""Board and plot never lie about each other: one snapshot a frame, one position wherever they are joined."""

from __future__ import annotations

import re

import pytest
from desk import HUMAN, Desk, OpenDesk, mcts
from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from nimdesk.agents import make_agent
from nimdesk.games import Side
from nimdesk.play.moment import State
from nimdesk.ui.plots.legend import VISITS


class Frames(QObject):
    """What each display says whenever the window is about to be painted."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.seen: list[dict[str, tuple[int, str]]] = []
        desk.window.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.UpdateRequest and self._desk.state is State.THINKING:
            self.look()
        return False

    def look(self) -> None:
        """Iterations and leader by board, legend, curves; iterations alone by status line and card."""
        desk, panel = self._desk, self._desk.panel
        overlay = desk.board.shown.overlay
        if panel.searched is None or panel.searched.position != desk.board.position or not overlay:
            return
        model = panel.legend.model()
        listed = [str(model.index(row, VISITS).data()).replace(",", "") for row in range(model.rowCount())]
        leader = model.move_of_row(0)
        status = " ".join(label.text() for label in desk.window.status.findChildren(QLabel))
        card = desk.window.column.card(Side.SECOND).words.state
        curves = panel.pane.frame.moves
        told = [
            int(found[1].replace(",", "")) for text in (status, card) if (found := re.search(r"([\d,]+) (sim)", text))
        ]
        assert len(told) == 2
        self.seen.append(
            {
                "board": (
                    sum(item.visits for item in overlay.values()),
                    next(move.text for move, item in overlay.items() if item.leader),
                ),
                "legend": (sum(map(int, listed)), "" if leader is None else leader.text),
                "curves": (int(curves.iterations[-1]), curves.names[curves.leader]),
                "status line": (told[0], panel.searched.best_move.text if panel.searched.best_move else ""),
                "card": (told[1], panel.searched.best_move.text if panel.searched.best_move else ""),
            }
        )


def test_in_slow_motion_every_display_of_every_frame_is_of_the_same_snapshot(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:5,5,4", HUMAN, mcts(None, time_s=30.0), slow_motion_s=10.0)
    frames = Frames(desk)
    desk.click("c3")
    desk.wait(lambda: len(frames.seen) >= 10)
    desk.button("move_now")
    desk.wait_for(State.HUMAN)
    assert min(frame["board"][0] for frame in frames.seen) < 200, "the first simulations were seen"
    for frame in frames.seen:
        assert len(set(frame.values())) == 1, frame


def row_point(desk: Desk, row: int) -> QPoint:
    legend = desk.panel.legend
    return legend.visualRect(legend.model().index(row, 0)).center()


@pytest.fixture
def answered(open_desk: OpenDesk) -> Desk:
    """The computer has answered a move in the middle; the mouse rests where it was made."""
    desk = open_desk("mnk:3,3,3", HUMAN, mcts(400))
    desk.click("b2")
    desk.wait_for(State.HUMAN)
    return desk


def test_pointing_at_a_curve_shows_the_position_that_was_searched(answered: Desk) -> None:
    searched = answered.controller.shown_snapshot
    assert searched is not None
    assert searched.position.text == "mnk:3,3,3 b2"
    QTest.mouseMove(answered.panel.legend.viewport(), row_point(answered, 1))
    assert answered.board.position == searched.position
    assert answered.board.shown.highlight == answered.panel.legend.model().move_of_row(1)
    assert sum(item.visits for item in answered.board.shown.overlay.values()) == 400
    assert answered.notice == "The board shows the position of this search, before move 2."
    assert not answered.board.interactive, "nobody moves on a board that is looked back at"
    QTest.mouseMove(answered.panel.toolbar, QPoint(1, 1))
    answered.wait(lambda: answered.board.position == answered.controller.position)
    assert answered.board.interactive
    assert answered.board.shown.highlight is None
    assert not answered.board.shown.overlay
    assert answered.notice.endswith(answered.controller.position.game.hint)


def test_a_move_while_the_searched_position_is_shown_ends_that(answered: Desk) -> None:
    QTest.mouseMove(answered.panel.legend.viewport(), row_point(answered, 0))
    move = answered.controller.position.legal_moves[0]
    answered.controller.human_move(move)
    assert answered.board.position == answered.controller.position
    assert move in answered.board.position.moves


def test_a_mouse_that_rests_where_a_move_was_made_points_at_nothing(answered: Desk) -> None:
    def thick() -> list[str]:
        plot = answered.panel.plot
        return [move.text for move in plot.drawn_moves if plot.curve(move).pen.widthF() > 2]

    assert answered.board.hovered_move is None
    assert answered.panel.legend.selected_move is None
    assert answered.panel.pane.frame.highlight is None
    answered.hover(answered.controller.position.legal_moves[0].text)
    assert answered.board.hovered_move is not None
    assert answered.panel.pane.frame.highlight is None, "its curve is of another position"


def test_stepping_back_shows_the_search_of_the_position_itself_with_its_marks(answered: Desk) -> None:
    searched = answered.controller.shown_snapshot
    answered.window.actions_by_name["previous"].trigger()
    assert answered.controller.shown_snapshot is searched, "the same curves: stepping does not flicker"
    assert answered.board.shown.overlay
    move = answered.panel.legend.model().move_of_row(0)
    assert move is not None
    answered.hover(move.text)
    assert answered.panel.pane.frame.highlight == move


# A proof looks like a proof


def test_a_proven_suggestion_is_no_estimate(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5")
    desk.controller.suggester = make_agent("mcts", {"seed": 1})
    desk.button("suggest")
    desk.wait(lambda: desk.controller.suggestion is not None)
    assert desk.notice == "Hint: take 2 from pile 1 (proven: it wins)."
    assert desk.panel.title.text().endswith("simulations, proven: wins")
    assert any(label.text() == "proven: wins" for label in desk.window.status.findChildren(QLabel))


def test_a_move_that_was_proven_says_so_in_the_list_and_to_the_opponent(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", make_agent("mcts", {"seed": 1}), HUMAN)
    desk.wait_for(State.HUMAN)
    assert desk.listed[0][3] == "wins"
    assert desk.notice.startswith("MCTS has proven that it wins. Click a stick")
