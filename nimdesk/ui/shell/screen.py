"""The size of all words, and the full screen for an audience."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from nimdesk.ui.look.theme import Dresser
from nimdesk.ui.shell.menus import Preferences
from nimdesk.ui.shell.window import MainWindow

STEPS = (80, 90, 100, 110, 125, 150, 175, 200)
"""The sizes of text, in percent of the system's."""
_FOR_AN_AUDIENCE = 1.4
_TOLD_MS = 6000


class Screen(QObject):
    """Ties the actions for text size and full screen to what they do."""

    def __init__(self, preferences: Preferences, dresser: Dresser, parent: QObject) -> None:
        """Give words their saved size; call it before there is a window: Qt restyles a hidden one only in part."""
        super().__init__(parent)
        self._preferences, self._dresser = preferences, dresser
        self._system_points = QApplication.font().pointSizeF()
        self._full = self._maximized = False
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

    def _step(self, by: int) -> None:
        now = self._preferences.now.text_percent
        nearest = min(range(len(STEPS)), key=lambda index: abs(STEPS[index] - now))
        self._set(STEPS[min(max(nearest + by, 0), len(STEPS) - 1)])

    def _set(self, percent: int) -> None:
        self._preferences.change(text_percent=percent)
        self._apply()

    def _apply(self) -> None:
        percent = self._preferences.now.text_percent * (_FOR_AN_AUDIENCE if self._full else 1.0)
        self._dresser.set_text_size(self._system_points * percent / 100)

    def set_full(self, full: bool) -> None:
        """Take the whole screen with large words, or go back to the window as it was."""
        if full == self._full:
            return
        self._full = full
        if full:
            self._maximized = self._window.isMaximized()
            self._window.showFullScreen()
            self._window.status.showMessage("F11 leaves the full screen.", _TOLD_MS)
        elif self._maximized:
            self._window.showMaximized()
        else:
            self._window.showNormal()
        self._apply()

    def end(self) -> None:
        """Give words the system's size again."""
        if QApplication.font().pointSizeF() != self._system_points:
            self._dresser.set_text_size(self._system_points)
        self._dresser.finish()
