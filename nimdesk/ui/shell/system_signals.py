"""How the system asks the program to leave: by signals, and by the end of the desktop's session."""

from __future__ import annotations

import signal
import socket
from contextlib import suppress

from PySide6.QtCore import QObject, QSocketNotifier, Signal

# Ctrl-C, the end of the machine or of a service, the end of the terminal; Windows has another name for the last.
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
_MOST = 64


class SystemSignals(QObject):
    """Turns signals of the operating system into one of Qt's, until ``end``. Make it in the main thread.

    Qt's event loop never returns to Python by itself, where signals are handled. So Python writes each to a socket,
    which the event loop watches.
    """

    asked = Signal(int)
    """The program is asked to leave by the signal of this number."""

    def __init__(self, parent: QObject | None = None) -> None:
        """A signal that the program was started to ignore, as ``nohup`` does, stays ignored."""
        super().__init__(parent)
        self._heard, self._written = socket.socketpair()
        for end in (self._heard, self._written):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._heard.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_signal)
        self._wakeup = signal.set_wakeup_fd(self._written.fileno(), warn_on_full_buffer=False)
        numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
        wanted = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
        self._before = {number: signal.signal(number, _wake_up) for number in wanted}

    def _on_signal(self) -> None:
        with suppress(BlockingIOError):
            for number in self._heard.recv(_MOST):
                if number in self._before:
                    # A second Ctrl-C means that somebody does not want to wait.
                    if number == signal.SIGINT:
                        signal.signal(signal.SIGINT, signal.SIG_DFL)
                    self.asked.emit(number)

    def end(self) -> None:
        """Handle signals as before."""
        self._notifier.setEnabled(False)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        self._heard.close()
        self._written.close()


def _wake_up(*_: object) -> None:
    """Do nothing here; the number is on its way to the event loop."""
