"""One window for all files, if that is asked for: a second start hands its file to the open window.

The first window of a person listens at a socket in a folder of theirs alone; what it accepts is the name of a file.
These are plain sockets, because Qt's need libraries that a bare system lacks. Windows has no such sockets: there each
start opens a window.
"""

from __future__ import annotations

import errno
import hashlib
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, QSocketNotifier, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QWidget

from nimdesk.disk.paths import data_dir, path_of, path_text

_WAIT_S = 3.0
_MOST_BYTES = 10_000
_LOOK_MS = 100
_HEARD = b"heard\n"


class _Request(msgspec.Struct, frozen=True):
    """What a second start says: the file or the link to open, or neither if the window should only come forward."""

    file: str | None = None
    link: str | None = None


def hand_over(file: Path | str | None) -> bool:
    """Make the open window show this file, or this link, or come forward; False if no window answers."""
    request = _Request(link=file) if isinstance(file, str) else _Request(None if file is None else path_text(file))
    with suppress(OSError, ValueError, UnicodeError), _new_socket() as connection:
        connection.settimeout(_WAIT_S)
        connection.connect(_place())
        connection.sendall(msgspec.json.encode(request) + b"\n")
        return connection.recv(len(_HEARD)) == _HEARD
    return False


class OpenWindow(QObject):
    """What later starts find, from ``listen`` until ``close``; it brings the window forward and passes on files."""

    asked = Signal(object)
    """The ``Path`` of a file to be opened, or the text of a link.

    It waits while a dialog is open, which asks about the present game.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._place = ""
        self._server: socket.socket | None = None
        self._notifiers: dict[int, QSocketNotifier] = {}
        self._files: list[Path | str] = []
        self._later = QTimer(self, singleShot=True, interval=_LOOK_MS)
        self._later.timeout.connect(self._pass_on)

    @Slot()
    def listen(self) -> None:
        """Be the window that later starts find, unless another one is already, or no socket can be made."""
        with suppress(OSError, ValueError):
            server, place = _new_socket(), _place()
            try:
                server.bind(place)
            except OSError as error:
                if error.errno != errno.EADDRINUSE or _answers(place):
                    server.close()
                    return
                os.unlink(place)  # left by a window that was killed
                server.bind(place)
            os.chmod(place, 0o600)
            server.listen()
            server.setblocking(False)
            self._server, self._place = server, place
            self._watch(server, self._accept)

    @Slot()
    def close(self) -> None:
        """Stop being found."""
        for notifier in self._notifiers.values():
            notifier.setEnabled(False)
        self._notifiers.clear()
        if self._server is not None:
            self._server.close()
            self._server = None
            with suppress(OSError):
                os.unlink(self._place)

    def _watch(self, source: socket.socket, then: Callable[..., None]) -> None:
        notifier = QSocketNotifier(source.fileno(), QSocketNotifier.Type.Read, self)
        notifier.activated.connect(then)
        self._notifiers[source.fileno()] = notifier

    def _accept(self) -> None:
        if self._server is not None:
            with suppress(OSError):
                connection, _ = self._server.accept()
                connection.setblocking(False)
                self._watch(connection, partial(self._hear, connection))

    def _hear(self, connection: socket.socket, *_: object) -> None:
        """Read one short line from a start; anything else is ignored."""
        self._notifiers.pop(connection.fileno()).setEnabled(False)
        with suppress(OSError, msgspec.MsgspecError), connection:
            request = msgspec.json.decode(connection.recv(_MOST_BYTES), type=_Request)
            connection.sendall(_HEARD)
            self._window.setWindowState(self._window.windowState() & ~Qt.WindowState.WindowMinimized)
            self._window.activateWindow()
            if request.file is not None:
                self._files.append(path_of(request.file))
            if request.link is not None:
                self._files.append(request.link)
            self._pass_on()

    @Slot()
    def _pass_on(self) -> None:
        if QApplication.activeModalWidget() is None and self._files:
            self.asked.emit(self._files.pop(0))
        if self._files:
            self._later.start()


def _new_socket() -> socket.socket:
    if not hasattr(socket, "AF_UNIX"):
        raise OSError(errno.EAFNOSUPPORT, "this system has no sockets of that kind")
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)


def _answers(place: str) -> bool:
    with suppress(OSError), _new_socket() as connection:
        connection.settimeout(_WAIT_S)
        connection.connect(place)
        return True
    return False


def _place() -> str:
    """The socket of this person for this folder of data."""
    digest = hashlib.sha256(str(data_dir().absolute()).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return str(Path(os.environ.get("XDG_RUNTIME_DIR") or data_dir()) / f"nimdesk-{digest}.socket")
