"""The composition root: makes the Qt application, a session and its window, and runs them."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nimdesk.disk.paths import logs_dir
from nimdesk.errors import INTERRUPTED
from nimdesk.games import AnyPosition, parse_position
from nimdesk.play import Player
from nimdesk.settings import Settings, SettingsStore
from nimdesk.ui.shell.display import check_display, fonts_complaint

if TYPE_CHECKING:
    from PySide6.QtCore import QMessageLogContext, QtMsgType
    from PySide6.QtWidgets import QApplication

    from nimdesk.disk.logs import RunLog
    from nimdesk.ui.shell.session import Session

_LONGEST_END_S = 0.5


def run_window(
    position: AnyPosition | None = None,
    players: tuple[Player | None, Player | None] = (None, None),
    *,
    laboratory: bool = False,
    file: Path | str | None = None,
    safe: bool = False,
    reuse: bool = False,
) -> int:
    """Open nimdesk and return the exit code when it is closed.

    ``position`` and ``players`` begin a new game instead of continuing the last one. ``laboratory`` opens the
    laboratory. ``file`` is a game, a bundle of the laboratory or a certificate, or the text of a link. ``safe`` begins
    with default settings and a new game. ``reuse`` has a window that is open already show the file, or itself.
    ``DisplayError`` if no window can be opened.
    """
    check_display()
    if reuse and position is None and not laboratory and not safe:
        from nimdesk.ui.shell.one_window import hand_over  # lazy: only this option wants it

        if hand_over(file):
            return 0
    # Imported after the check: without a screen or its libraries, Qt would abort the process instead of raising.
    from PySide6.QtCore import qInstallMessageHandler
    from PySide6.QtWidgets import QApplication

    from nimdesk.disk.logs import RunLog
    from nimdesk.ui.shell.session import Session
    from nimdesk.ui.shell.system_signals import SystemSignals

    # As an argument, because setStyle would build all of QStyle for Python, 10 ms before the first paint.
    app = QApplication([*sys.argv[:1], "-style", "Fusion"])
    app.setApplicationName("nimdesk")
    app.setDesktopFileName("nimdesk")
    log, store = RunLog(logs_dir()), SettingsStore()
    qInstallMessageHandler(partial(_on_message, log))
    if safe and position is None:
        position = parse_position(Settings().position)
    told = _kept_aside(store) if safe else ""
    if log.crash_before is not None:
        told = f"{told} nimdesk crashed the last time; what is known of it is in “{log.crash_before}”.".strip()
    session = Session(app, store, position, players, told=told)
    log.told = session.tell_of_fault
    signals = SystemSignals()
    signals.asked.connect(partial(_leave, app, session))
    app.commitDataRequest.connect(session.keep)
    if laboratory:
        # The rest of the program is loaded after the first paint of the board.
        session.completed.connect(session.laboratory.study_game)
    if file is not None:
        session.completed.connect(partial(session.files.open, file))
    session.completed.connect(partial(_listen, app, session))
    session.completed.connect(_complain)
    session.show()
    code = app.exec()
    if session.window.isVisible():  # nobody closed it: the screen is gone, as at the end of a desktop's session
        session.keep()
    session.saved.connect(partial(_end_soon, log, code))
    session.close()
    signals.end()
    qInstallMessageHandler(None)
    log.close()
    # To look for cycles in all that is left takes a quarter of a second, or seconds on a busy machine.
    gc.freeze()
    return code


def _listen(app: QApplication, session: Session) -> None:
    """Be found by later starts that are to use the window that is open."""
    from nimdesk.ui.shell.one_window import OpenWindow  # lazy: not before the first paint

    window = OpenWindow(session.window)
    window.asked.connect(session.files.open)
    app.aboutToQuit.connect(window.close)
    window.listen()


def _complain() -> None:
    """Say in the terminal what a window without letters cannot say."""
    if complaint := fonts_complaint():
        print(f"nimdesk: {complaint}", file=sys.stderr)


def _kept_aside(store: SettingsStore) -> str:
    """Begin with default settings, and say where the old ones are."""
    kept = store.start_anew()
    where = f", and the settings until now are kept in “{kept}”" if kept is not None else ""
    return f"Safe mode: no plug-ins are loaded{where}."


def _on_message(log: RunLog, kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    """Write what Qt has to say to the log as well."""
    log.note(f"Qt ({kind.name}): {message}")
    if sys.stderr is not None:
        print(message, file=sys.stderr)


def _leave(app: QApplication, session: Session, number: int) -> None:
    """Close the window, also from within a dialog."""
    session.leave()
    app.exit(INTERRUPTED if number == signal.SIGINT else 0)


def _end_soon(log: RunLog, code: int) -> None:
    """End the process in a moment, whatever its threads do: nothing interrupts the loading of compiled code."""

    def end() -> None:
        log.close()
        os._exit(code)

    timer = threading.Timer(_LONGEST_END_S, end)
    timer.daemon = True
    timer.start()
