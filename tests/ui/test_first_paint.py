"""The first paint shows the window as it will be; what follows changes no size, and nothing a person does is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from desk import CTRL, HUMAN, LEFT, NONE, RANDOM, K, mcts, stored
from PySide6.QtCore import QEvent, QRect
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from nimdesk import compiler_process
from nimdesk.games import parse_position
from nimdesk.limit import Limit
from nimdesk.search import StopReason
from nimdesk.ui.look.actions import LABORATORY, PLAY
from nimdesk.ui.shell.session import Session


def menu_actions(session: Session) -> list[list[QAction]]:
    """What is in each menu."""
    menus = session.window.menuBar().findChildren(QMenu)
    named = {menu.objectName(): menu.actions() for menu in menus}
    return [named[name] for name in ("Game", "Play", "Moves", "Laboratory", "Experiments", "View", "Help")]


@pytest.fixture
def session(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Session]:
    """A session whose window is not shown yet."""
    qapp.setStyle("Fusion")
    made = Session(qapp, stored(tmp_path / "settings.json"), parse_position("nim:3,4,5"), (HUMAN, RANDOM))
    yield made
    made.window.close()
    made.close()
    made.window.deleteLater()
    made.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def open_and(qtbot: QtBot, session: Session, act: Callable[[], object]) -> None:
    """Show the window, ``act`` at once after the first paint, and wait until the window is complete."""
    # Before the session itself is told, as whatever a person does in the same turn of the event loop.
    session.window.area.first_painted.connect(act)
    with qtbot.waitSignal(session.completed):
        session.show()
        session.window.activateWindow()


def test_a_game_on_another_board_before_the_first_paint_does_not_keep_the_rest_away(
    qtbot: QtBot, session: Session
) -> None:
    # As when a file is opened at once: the board that was to be painted first is gone then.
    session.games.start(parse_position("mnk:3,3,3"))
    open_and(qtbot, session, lambda: None)
    assert len(session.window.sheets) == 2


def test_a_card_pressed_before_there_are_players_does_nothing(qtbot: QtBot, session: Session) -> None:
    open_and(qtbot, session, session.window.column.below.click)
    assert not any(sheet.isVisible() for sheet in session.window.sheets)


def places(session: Session) -> list[QRect]:
    window = session.window
    parts: list[QWidget] = [
        window.page.halves,
        window.page.tabs,
        window.area.board,
        window.column.row,
        window.menuBar(),
        window.status,
    ]
    return [QRect(part.mapTo(window, part.rect().topLeft()), part.size()) for part in parts]


def test_the_layout_of_the_first_paint_stays(qtbot: QtBot, session: Session) -> None:
    painted: list[list[QRect]] = []
    open_and(qtbot, session, lambda: painted.append(places(session)))
    session.window.repaint()
    assert painted == [places(session)]
    assert all(menu_actions(session))


def test_icons_of_the_first_paint_are_those_that_stay(qtbot: QtBot, session: Session) -> None:
    pictures = []
    open_and(qtbot, session, lambda: pictures.append(session.window.column.row.grab().toImage()))
    assert session.window.column.row.grab().toImage() == pictures[0]


def test_a_move_in_the_turn_of_the_first_paint_counts(qtbot: QtBot, session: Session) -> None:
    def click() -> None:
        board = session.window.area.board
        QTest.mouseClick(board, LEFT, NONE, board.move_point(board.position.parse_move("1-2")).toPoint())

    open_and(qtbot, session, click)
    assert session.controller.game.plies[0].move.text == "1-2"
    qtbot.waitUntil(lambda: len(session.controller.game.plies) == 2)
    assert len(session.window.moves.model.places) == 2


def test_keys_work_from_the_first_paint_on(qtbot: QtBot, session: Session) -> None:
    """Also those of actions that are in menus alone, before there is anything in the menus."""

    def press() -> None:
        assert not any(menu_actions(session))
        QTest.keyClick(session.window.area.board, K.Key_2, CTRL)

    session.window.resize(1280, 860)  # in a narrow one the plot hides the moves
    open_and(qtbot, session, press)
    qtbot.waitUntil(lambda: session.window.modes.mode == LABORATORY)
    session.window.modes.show_mode(PLAY)
    assert session.window.plots.isVisible()
    assert session.window.moves.isVisible()


def test_a_window_closed_at_once_goes_without_complaint(qtbot: QtBot, session: Session) -> None:
    def close() -> None:
        session.window.close()
        session.close()

    session.window.area.first_painted.connect(close)
    session.show()
    qtbot.waitUntil(lambda: not session.window.isVisible())
    with qtbot.assertNotEmitted(session.completed, wait=100):
        pass


def test_kernels_are_compiled_in_another_process_while_the_window_is_open(qtbot: QtBot, session: Session) -> None:
    assert compiler_process.current() is None
    open_and(qtbot, session, lambda: None)
    assert compiler_process.current() is not None
    session.close()
    assert compiler_process.current() is None


def test_plots_show_what_the_window_showed_before_they_were_loaded(qtbot: QtBot, session: Session) -> None:
    searcher = mcts(200).new_searcher()
    searcher.start(session.controller.position, 1)
    searcher.advance(Limit(iterations=200))
    hint = searcher.snapshot().ended(StopReason.ITERATIONS)
    session.controller.bring_back(hint, hint=True)
    assert session.window.plots.panel is None
    open_and(qtbot, session, lambda: None)
    panel = session.window.plots.panel
    assert panel is not None
    assert panel.searched is hint
    assert panel.title.text().startswith("Hint for move 1, First")


def test_a_window_that_is_being_closed_loads_nothing_more(qtbot: QtBot, qapp: QApplication, session: Session) -> None:
    session.window.area.first_painted.connect(session.window.close)
    with qtbot.waitSignal(session.window.closing):
        session.show()
    for _ in range(50):
        qapp.processEvents()
    assert session.review is None
    assert session.window.plots.panel is None


def test_a_window_that_was_closed_before_its_first_picture_loads_nothing(qapp: QApplication, session: Session) -> None:
    session.close()
    session.window.grab()
    for _ in range(50):
        qapp.processEvents()
    assert session.review is None
