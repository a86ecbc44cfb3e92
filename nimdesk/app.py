"""The composition root: makes the Qt application, a session and its window, and runs them."""

from __future__ import annotations

import signal
import sys

from nimdesk.games import AnyPosition
from nimdesk.play import Player
from nimdesk.settings import SettingsStore
from nimdesk.ui.display import check_display


def run_window(position: AnyPosition | None = None, players: tuple[Player | None, Player | None] = (None, None)) -> int:
    """Open nimdesk and return when its window is closed; the exit code.

    ``position`` and ``players`` go before what the settings remember. ``DisplayError`` where no window can be opened.
    """
    check_display()
    # Only now: without a screen or its libraries, Qt would abort the process instead of raising.
    from PySide6.QtWidgets import QApplication

    from nimdesk.ui.session import Session

    app = QApplication(sys.argv[:1])
    app.setApplicationName("nimdesk")
    app.setDesktopFileName("nimdesk")
    app.setStyle("Fusion")
    session = Session(app, SettingsStore(), position, players)
    # Ctrl-C in the terminal ends the program; Qt alone would not let Python see it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    session.show()
    code = app.exec()
    session.close()
    return code
