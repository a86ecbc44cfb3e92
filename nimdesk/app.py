"""The composition root: makes the Qt application, a session and its window, and runs them."""

from __future__ import annotations

import os
import signal
import sys
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nimdesk.games import AnyPosition
from nimdesk.play import Player
from nimdesk.settings import SettingsStore
from nimdesk.ui.shell.display import check_display

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from nimdesk.ui.shell.session import Session

_INTERRUPTED = 130
_LONGEST_END_S = 0.5


def run_window(
    position: AnyPosition | None = None,
    players: tuple[Player | None, Player | None] = (None, None),
    *,
    laboratory: bool = False,
    file: Path | None = None,
) -> int:
    """Open nimdesk and return the exit code when it is closed.

    ``position`` and ``players`` begin a new game instead of continuing the last one. ``laboratory`` opens the
    laboratory. ``file`` is a saved game or a bundle of the laboratory. ``DisplayError`` if no window can be opened.
    """
    check_display()
    # Imported after the check: without a screen or its libraries, Qt would abort the process instead of raising.
    from PySide6.QtWidgets import QApplication

    from nimdesk.ui.shell.leaving import SystemSignals
    from nimdesk.ui.shell.session import Session

    # As an argument, because setStyle would build all of QStyle for Python, 10 ms before the first paint.
    app = QApplication([*sys.argv[:1], "-style", "Fusion"])
    app.setApplicationName("nimdesk")
    app.setDesktopFileName("nimdesk")
    session = Session(app, SettingsStore(), position, players)
    signals = SystemSignals()
    signals.asked.connect(partial(_leave, app, session))
    app.commitDataRequest.connect(session.keep)
    if laboratory:
        # The rest of the program is loaded after the first paint of the board.
        session.completed.connect(session.laboratory.study_game)
    if file is not None:
        session.completed.connect(partial(session.files.open, file))
    session.show()
    code = app.exec()
    session.close()
    signals.end()
    return code


def _leave(app: QApplication, session: Session, number: int) -> None:
    """Close the window, also from within a dialog: the system asks for it, and soon does worse than ask."""
    code = _INTERRUPTED if number == signal.SIGINT else 0
    session.saved.connect(partial(_end_soon, code))
    session.window.close()
    app.exit(code)


def _end_soon(code: int) -> None:
    """End the process in a moment, whatever its threads do: nothing interrupts the loading of compiled code."""
    end = threading.Timer(_LONGEST_END_S, os._exit, (code,))
    end.daemon = True
    end.start()
