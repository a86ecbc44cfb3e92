"""The window as a person has it: helpers that click, type and wait, shared by the tests of the window."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import msgspec
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit, QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from nimdesk.agents import Agent, make_agent
from nimdesk.games import Side
from nimdesk.play import Human
from nimdesk.play.moment import State
from nimdesk.settings import Settings, SettingsStore
from nimdesk.ui.boards import BoardView
from nimdesk.ui.laboratory.page import LaboratoryPage
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY
from nimdesk.ui.look.agent_choice import AgentChoice
from nimdesk.ui.play.moves import EVALUATION, MARK
from nimdesk.ui.play.players import PlayerBox
from nimdesk.ui.play.sheet import PlayerSheet
from nimdesk.ui.plots.convergence import ConvergencePanel
from nimdesk.ui.shell.session import Session

K = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
NONE = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton
HUMAN = Human()
RANDOM = make_agent("random", {"seed": 1})
QUIET = Settings(slow_motion_s=0.0, animations="off", move_delay_ms=0, tour_seen=True, hint_offered=True)
"""Settings with which nothing waits for eyes, and nobody is offered to be guided."""
WAIT_MS = int(os.environ.get("NIMDESK_TEST_WAIT_MS", "120000"))
"""How long a test waits for what must come; only a failure ever waits so long, and one that is expected less."""
AT_ONCE_S = 20.0
"""What takes less than this has not waited for a search of an hour, on the busiest machine. The claim is 50 ms, which
``benchmarks/bench_responsiveness.py`` measures.
"""


def mcts(iterations: int | None = 300, seed: int | None = 1, **options: object) -> Agent:
    """The textbook's MCTS, done in a moment; always the same, and never over before its iterations are."""
    return make_agent("uct", {"iterations": iterations, "seed": seed, **options})


ENDLESS = mcts(None, time_s=3600.0)
"""A search that only a person ends."""


def contrast(one: QColor, other: QColor) -> float:
    """The contrast of two colours, 1 to 21: WCAG 2.2, relative luminance."""

    def luminance(color: QColor) -> float:
        parts = (color.redF(), color.greenF(), color.blueF())
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


def label_of(widget: QWidget, role: str) -> QLabel:
    """The first label of this role that stands directly in the widget."""
    found = widget.findChild(QLabel, role, Qt.FindChildOption.FindDirectChildrenOnly)
    assert isinstance(found, QLabel)
    return found


class Desk:
    """One run of the program with its window; what a person does to it, and waiting for what follows."""

    def __init__(self, qtbot: QtBot, session: Session) -> None:
        self.qtbot, self.session = qtbot, session
        self.controller, self.window, self.service = session.controller, session.window, session.service

    # What is there

    @property
    def board(self) -> BoardView:
        return self.window.area.board

    @property
    def panel(self) -> ConvergencePanel:
        panel = self.window.plots.panel
        assert panel is not None
        return panel

    @property
    def laboratory(self) -> LaboratoryPage:
        """Its page, which has been shown before."""
        page = self.session.laboratory.page
        assert page is not None
        return page

    @property
    def headline(self) -> str:
        return self.window.display.shown.headline

    @property
    def notice(self) -> str:
        return self.window.display.shown.notice

    @property
    def state(self) -> State:
        return self.controller.state

    @property
    def moves(self) -> list[str]:
        return [ply.move.text for ply in self.controller.game.plies]

    @property
    def listed(self) -> list[tuple[str, str, str, str, str]]:
        """The moves tab as it is read: the number in front of each move, its side, the move, its worth and its mark."""
        model, found = self.window.moves.model, []
        for place in model.places:
            index = model.index_of(place)
            side = str(model.headerData(index.column(), Qt.Orientation.Horizontal))
            number = str(model.data(model.index(index.row(), 0)))
            texts = (str(model.data(index)).strip(), str(model.data(index, EVALUATION)))
            mark, _ = cast("tuple[str, object]", model.data(index, MARK))
            found.append((number, side, *texts, mark))
        return found

    def move_place(self, number: int) -> QPoint:
        """Where this place of the moves tab is, counted from 1 in the order of reading."""
        model, table = self.window.moves.model, self.window.moves.table
        return table.visualRect(model.index_of(model.places[number - 1])).center()

    def click_move(self, number: int) -> None:
        """Click this place of the moves tab, counted from 1 in the order of reading."""
        QTest.mouseClick(self.window.moves.table.viewport(), LEFT, NONE, self.move_place(number))

    def enabled(self, *names: str) -> list[bool]:
        return [self.window.actions_by_name[name].isEnabled() for name in names]

    def sheet(self, side: int) -> PlayerSheet:
        """The sheet in which this side gets another player."""
        return self.window.sheets[side]

    def box(self, side: int) -> PlayerBox:
        """All players for this side with their options, in the sheet at its card, which is opened for it."""
        sheet = self.sheet(side)
        if not sheet.isVisible() or not sheet.more.isChecked():
            sheet.open_at(self.window.column.card(Side(side)), more=True)
        return sheet.box

    def field(self, side: int, name: str) -> QLineEdit:
        form = self.box(side).form
        assert form is not None
        return form.edit(name)

    def problem(self, side: int) -> str:
        form = self.box(side).form
        assert form is not None
        return form.problem

    def choice(self, side: int) -> AgentChoice:
        """The list of players for this side."""
        found = self.box(side).findChild(AgentChoice)
        assert isinstance(found, AgentChoice)
        return found

    # What a person does

    def analyse(self) -> LaboratoryPage:
        """Go to the laboratory with the position on the board, by its key."""
        self.press(K.Key_F8)
        self.wait(lambda: self.window.modes.mode == LABORATORY)
        return self.laboratory

    def each_experiment(self) -> Iterator[str]:
        """Show every tab of the experiments, one after the other: its words."""
        self.window.modes.show_mode(EXPERIMENTS)
        QApplication.processEvents()
        for tabs in self.window.findChildren(QTabWidget):
            for index in range(tabs.count()) if tabs.isVisible() else ():
                tabs.setCurrentIndex(index)
                QApplication.processEvents()
                yield tabs.tabText(index)

    def point(self, move: str) -> QPoint:
        return self.board.move_point(self.board.position.parse_move(move)).toPoint()

    def click(self, *moves: str) -> None:
        """Click these moves on the board; a sheet at a card is closed before, since a click would only do that."""
        for sheet in self.window.sheets:
            sheet.hide()
        for move in moves:
            QTest.mouseMove(self.board, self.point(move))
            QTest.mouseClick(self.board, LEFT, NONE, self.point(move))

    def hover(self, move: str) -> None:
        QTest.mouseMove(self.board, self.point(move))

    def leave(self) -> None:
        """Take the mouse away from everything that follows it."""
        QTest.mouseMove(self.window.menuBar(), QPoint(1, 1))

    def press(self, *keys: Qt.Key | tuple[Qt.Key, Qt.KeyboardModifier]) -> None:
        """Press these keys wherever the keyboard is."""
        for key in keys:
            code, modifiers = key if isinstance(key, tuple) else (key, NONE)
            QTest.keyClick(QApplication.focusWidget() or self.window, code, modifiers)

    def button(self, name: str) -> None:
        """Press a button of the row under the board with the mouse."""
        button = self.window.column.row.button(name)
        assert button.isEnabled(), f"the button {name} is disabled"
        QTest.mouseClick(button, LEFT)

    def type_into(self, field: QWidget, text: str, *, enter: bool = True) -> None:
        """Replace what the field holds by typing."""
        field.setFocus()
        QTest.keyClick(field, K.Key_A, CTRL)
        QTest.keyClick(field, K.Key_Delete)
        QTest.keyClicks(field, text)
        if enter:
            QTest.keyClick(field, K.Key_Return)

    def choose_player(self, side: int, title: str) -> None:
        """Choose a player in the sheet, with the keyboard, as a combo box is used."""
        combo = self.choice(side)
        combo.setFocus()
        for _ in range(combo.count()):
            if combo.currentText() == title:
                return
            at, wanted = combo.currentIndex(), combo.findText(title)
            QTest.keyClick(combo, K.Key_Down if wanted > at else K.Key_Up)
        assert combo.currentText() == title

    def in_dialog(self, open_: Callable[[], object], act: Callable[[QDialog], object]) -> None:
        """Do this in the modal dialog that ``open_`` opens; a dialog that is still open then is cancelled."""
        failures: list[BaseException] = []

        def when_open() -> None:
            dialog = QApplication.activeModalWidget()
            if not isinstance(dialog, QDialog) or not dialog.isActiveWindow():
                return
            poll.stop()
            try:
                act(dialog)
            except BaseException as failure:
                failures.append(failure)
            finally:
                if dialog.isVisible():
                    dialog.reject()

        poll = QTimer(interval=5)
        poll.timeout.connect(when_open)
        poll.start()
        open_()
        assert not poll.isActive(), "no dialog was opened"
        # What a window manager does, and the offscreen platform does not.
        self.window.activateWindow()
        QApplication.processEvents()  # now, and not while the next click is on its way
        if failures:
            raise failures[0]

    # What follows

    def wait(self, done: Callable[[], bool], timeout: int = WAIT_MS) -> None:
        self.qtbot.waitUntil(done, timeout=timeout)

    def wait_for(self, state: State, timeout: int = WAIT_MS) -> None:
        self.wait(lambda: self.state is state, timeout)

    def wait_for_snapshot(self) -> None:
        """Until the running search has shown something."""
        with self.qtbot.waitSignal(self.service.snapshot_ready, timeout=WAIT_MS):
            pass

    def close(self) -> None:
        """Quit, as the program does."""
        if self.window.isVisible():
            self.window.close()
        self.session.close()


def stored(path: Path, settings: Settings = QUIET, **changes: object) -> SettingsStore:
    """A settings file with these settings."""
    SettingsStore(path).save(msgspec.structs.replace(settings, **changes))
    return SettingsStore(path)


OpenDesk = Callable[..., Desk]
"""What the fixture ``open_desk`` is: see ``conftest``."""


def truth_label(desk: Desk) -> QLabel:
    found = desk.window.column.findChild(QLabel, "truth")
    assert isinstance(found, QLabel)
    return found


def truth_line(desk: Desk) -> str:
    label = truth_label(desk)
    return label.text() if label.isVisible() else ""
