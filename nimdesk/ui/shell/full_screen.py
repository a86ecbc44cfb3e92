"""The size of all words, which grow with the window, the full screen for an audience, and the board alone on it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, QTimer, Signal
from PySide6.QtWidgets import QApplication, QToolTip

from nimdesk.ui.look.actions import PLAY
from nimdesk.ui.look.theme import Dresser
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


class Screen(QObject):
    """Ties the actions for text size and full screen to what they do."""

    told = Signal(str)
    """One sentence for where the status line is hidden."""

    def __init__(self, preferences: Preferences, dresser: Dresser, parent: QObject) -> None:
        """Give words their saved size; call it before there is a window: Qt restyles a hidden one only in part."""
        super().__init__(parent)
        self._preferences, self._dresser = preferences, dresser
        self._system_points = QApplication.font().pointSizeF()
        self._full = self._maximized = False
        self._grown = 1.0
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
        actions["full_screen"].toggled.connect(self.set_full)
        actions["board_alone"].toggled.connect(self.show_board_alone)
        window.modes.mode_changed.connect(self._on_mode)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._settled.start()
        return False

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
        """Take the whole screen with large words, or go back to the window as it was."""
        if full == self._full:
            return
        self._full = full
        QToolTip.hideText()
        if full:
            self._maximized = self._window.isMaximized()
            self._window.showFullScreen()
            self._window.status.showMessage("F11 leaves the full screen.", _TOLD_MS)
        elif self._maximized:
            self._window.showMaximized()
        else:
            self._window.showNormal()
        if not full:
            self._window.actions_by_name["board_alone"].setChecked(False)
        self._apply()

    def show_board_alone(self, alone: bool) -> None:
        """Show the board with its players on the full screen and nothing else, or all of the window again."""
        for part in (self._window.menuBar(), self._window.statusBar()):
            part.setVisible(not alone)
        self._window.page.show_board_alone(alone)
        self._window.actions_by_name["full_screen"].setChecked(alone)
        self.told.emit("Shift+F11 brings everything else back." if alone else "")

    def end(self) -> None:
        """Give words the system's size again."""
        self._settled.stop()
        if QApplication.font().pointSizeF() != self._system_points:
            self._dresser.set_text_size(self._system_points)
        self._dresser.finish()
