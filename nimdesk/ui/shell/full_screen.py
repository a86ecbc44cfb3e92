"""The size of all words, which grow with the window; the presenter mode, and the board alone on the full screen."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from nimdesk.ui.boards import BoardView
from nimdesk.ui.look.actions import LABORATORY, PLAY
from nimdesk.ui.look.theme import Dresser
from nimdesk.ui.look.widgets import announce
from nimdesk.ui.shell.menus import Preferences
from nimdesk.ui.shell.window import MainWindow

STEPS = (80, 90, 100, 110, 125, 150, 175, 200)
"""The sizes of text, in percent of the system's."""
_FOR_AN_AUDIENCE = 1.4
_USUAL = QSize(2000, 1125)
"""Up to this size of the window words have the size that is set; then they grow with it, a tenth at a time."""
_MOST_GROWN = 1.5
_SETTLED_MS = 150
_TOLD_MS = 6000
_TOLD = "PageDown and PageUp step, B shows a black screen, F11 or Esc ends this."
_STEPPING = {PLAY: ("previous", "next"), LABORATORY: ("lab_earlier", "lab_later")}
"""The actions that go one step back and forward, by page."""
_IN_LESSON = ("lesson_back", "lesson_next")


class Blackout(QWidget):
    """Covers the whole window in black until it is pressed."""

    pressed = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAccessibleName("Black screen")
        self.setCursor(Qt.CursorShape.BlankCursor)
        self.setGeometry(window.rect())
        self.show()
        self.raise_()
        announce(self, "The screen is black; B shows everything again.")

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), Qt.GlobalColor.black)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()


class Screen(QObject):
    """Ties the actions for text size and for an audience to what they do."""

    told = Signal(str)
    """One sentence for where the status line is hidden."""

    def __init__(self, preferences: Preferences, dresser: Dresser, parent: QObject) -> None:
        """Give words their saved size; call it before there is a window: Qt restyles a hidden one only in part."""
        super().__init__(parent)
        self._preferences, self._dresser = preferences, dresser
        self._system_points = QApplication.font().pointSizeF()
        self._full = self._maximized = False
        self._grown = 1.0
        self._at_board = False
        """Whether a board had the keyboard before there was an audience."""
        self._black: Blackout | None = None
        self._settled = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._settled.timeout.connect(self._grow)
        self._apply()
        dresser.finish()

    def follow(self, window: MainWindow) -> None:
        """Connect the actions of this window."""
        self._window = window
        actions = window.actions_by_name
        actions.connect("larger_text", lambda: self._step(1))
        actions.connect("smaller_text", lambda: self._step(-1))
        actions.connect("normal_text", lambda: self._set(100))
        actions["presenter"].toggled.connect(self.set_full)
        actions.connect("present_back", lambda: self._go(0))
        actions.connect("present_next", lambda: self._go(1))
        actions["black_out"].toggled.connect(self._black_out)
        actions["board_alone"].toggled.connect(self.show_board_alone)
        window.modes.mode_changed.connect(self._on_mode)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._settled.start()
            if self._black is not None:
                self._black.setGeometry(self._window.rect())
        # It comes here where nothing else has use for it: a search that runs is stopped first.
        pressed = self._full and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent)
        if pressed and cast("QKeyEvent", event).key() == Qt.Key.Key_Escape:
            self._window.actions_by_name["presenter"].setChecked(False)
            return True
        return False

    def _go(self, way: int) -> None:
        """One step back or forward in what the page shows; a black screen ends with it."""
        actions = self._window.actions_by_name
        actions["black_out"].setChecked(False)
        in_lesson = actions["lesson_next"].isVisible()
        if names := _IN_LESSON if in_lesson else _STEPPING.get(self._window.modes.mode):
            actions[names[way]].trigger()

    def _black_out(self, black: bool) -> None:
        if self._black is not None:
            self._black.hide()
            self._black.deleteLater()
            self._black = None
        if black:
            self._black = Blackout(self._window)
            self._black.pressed.connect(self._window.actions_by_name["black_out"].toggle)

    def _grow(self) -> None:
        """Give words the size that suits this size of the window: who has a large one may sit far away."""
        part = min(self._window.width() / _USUAL.width(), self._window.height() / _USUAL.height())
        grown = min(max(int(10 * part) / 10, 1.0), _MOST_GROWN)
        if grown != self._grown:
            self._grown = grown
            self._apply()

    def _on_mode(self, mode: str) -> None:
        if mode != PLAY:
            self._window.actions_by_name["board_alone"].setChecked(False)

    def _step(self, by: int) -> None:
        now = self._preferences.now.text_percent
        nearest = min(range(len(STEPS)), key=lambda index: abs(STEPS[index] - now))
        self._set(STEPS[min(max(nearest + by, 0), len(STEPS) - 1)])

    def _set(self, percent: int) -> None:
        self._preferences.change(text_percent=percent)
        self._apply()

    def _apply(self) -> None:
        percent = self._preferences.now.text_percent * max(_FOR_AN_AUDIENCE if self._full else 1.0, self._grown)
        self._dresser.set_text_size(self._system_points * percent / 100)

    def set_full(self, full: bool) -> None:
        """Show everything to an audience: the whole screen, large words, thick lines; or the window as it was."""
        if full == self._full:
            return
        self._full = full
        QToolTip.hideText()
        actions = self._window.actions_by_name
        actions.set_presenting(full)
        if full:
            self._maximized = self._window.isMaximized()
            self._window.showFullScreen()
            self._window.status.showMessage(_TOLD, _TOLD_MS)
            # A board that has the keyboard would keep the arrows, which many a remote sends.
            self._at_board = isinstance(QApplication.focusWidget(), BoardView)
            if self._at_board:
                self._window.modes.page(self._window.modes.mode).setFocus()
        else:
            actions["black_out"].setChecked(False)
            actions["board_alone"].setChecked(False)
            if self._maximized:
                self._window.showMaximized()
            else:
                self._window.showNormal()
            if self._at_board and self._window.modes.mode == PLAY:
                self._window.area.board.setFocus()
        self._dresser.set_bold(full)
        self._apply()

    def show_board_alone(self, alone: bool) -> None:
        """Show the board with its players on the full screen and nothing else, or all of the window again."""
        for part in (self._window.menuBar(), self._window.statusBar()):
            part.setVisible(not alone)
        self._window.page.show_board_alone(alone)
        self._window.actions_by_name["presenter"].setChecked(alone)
        self.told.emit("Shift+F11 brings everything else back." if alone else "")

    def end(self) -> None:
        """Give words the system's size again."""
        self._settled.stop()
        if self._dresser.text_size != self._system_points:
            self._dresser.set_text_size(self._system_points)
        self._dresser.finish()
