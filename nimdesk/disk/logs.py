"""Logs below the person's data: of each run of the window, how it began, what went wrong, how it ended; and of each
engine, what it says beside its answers.

If the process crashes, in compiled code too, the last lines say where: nothing else could tell a person later.
"""

from __future__ import annotations

import faulthandler
import os
import platform
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, TextIO

from nimdesk.disk.atomic import read_bounded
from nimdesk.disk.paths import make_private
from nimdesk.version import __version__

_KEPT = 20
_LONGEST_LOG = 2_000_000
_MOST_READ = 1 << 25
"""The most bytes that a log can have, with the times before its lines; ``_LONGEST_LOG`` counts letters."""
_ENDING = ".log"
# How the standard library's faulthandler begins, and Python itself where it gives up.
_CRASH = b"Fatal Python error"
_Info = type[BaseException]


def all_logs(folder: Path) -> list[Path]:
    """The logs that are kept, the oldest first."""
    return sorted(folder.glob(f"*{_ENDING}")) if os.path.isdir(folder) else []


def crashed(folder: Path) -> list[Path]:
    """The logs of those runs that ended in a crash, the oldest first."""
    return [path for path in all_logs(folder) if _tells_of_crash(path)]


def _tells_of_crash(path: Path) -> bool:
    try:
        return _CRASH in read_bounded(path, _MOST_READ)
    except OSError:
        return False


class RunLog:
    """The log of this run, from now until ``close``; it does nothing if it cannot be written."""

    def __init__(self, folder: Path) -> None:
        """Begin a log in this folder, which is made if need be, and delete the oldest logs."""
        self.crash_before: Path | None = None
        """The log of the run before this one, if that crashed."""
        self._file: TextIO | None = None
        self._written = 0
        self._threads_before = threading.excepthook
        self.told: Callable[[BaseException], bool] = lambda _error: False
        """Tells a person of an error that nothing caught, and returns whether it did; if not, the terminal gets it."""
        with suppress(OSError, ValueError):
            make_private(folder)
            logs = all_logs(folder)
            self.crash_before = next(filter(_tells_of_crash, logs[-1:]), None)
            for path in logs[:-_KEPT]:
                path.unlink(missing_ok=True)
            path = folder / f"{time.strftime('%Y-%m-%d-%H%M%S')}-{os.getpid()}{_ENDING}"
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            self._file = os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", buffering=1)
            faulthandler.enable(self._file)
        self.note(f"nimdesk {__version__}, Python {platform.python_version()}, {platform.platform()}")
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread

    def note(self, text: str) -> None:
        """Write a line with the time; a log that has become too long is over."""
        if self._file is not None and self._written < _LONGEST_LOG:
            self._written += len(text)
            with suppress(OSError):
                self._file.write(f"{time.strftime('%H:%M:%S')} {text.rstrip()}\n")

    def close(self) -> None:
        """Note that the window ended in order, and close the log."""
        sys.excepthook = sys.__excepthook__
        threading.excepthook = self._threads_before
        if self._file is not None:
            self.note("ended in order")
            faulthandler.disable()
            with suppress(OSError):
                self._file.close()
            self._file = None

    def _on_exception(self, kind: _Info, error: BaseException, trace: TracebackType | None) -> None:
        self.note("".join(traceback.format_exception(kind, error, trace)))
        if not self.told(error):
            sys.__excepthook__(kind, error, trace)

    def _on_thread(self, told: threading.ExceptHookArgs) -> None:
        name = told.thread.name if told.thread is not None else "a thread"
        lines = traceback.format_exception(told.exc_type, told.exc_value, told.exc_traceback)
        self.note(f"in {name}: {''.join(lines)}")
        self._threads_before(told)


class WordsLog:
    """What a program of others says beside its answers, for its author; it does nothing if it cannot be written."""

    def __init__(self, path: Path) -> None:
        """Nothing is written yet; its folder is made with the first words."""
        self.path = path
        self._file: BinaryIO | None = None
        self._room = _LONGEST_LOG

    def hear(self, words: bytes) -> None:
        """Write this down, as it is; what is too much for one process is lost."""
        if len(words) > self._room:
            return
        self._room -= len(words)
        with suppress(OSError, ValueError):
            if self._file is None:
                make_private(self.path.parent)
                if self.path.exists() and self.path.stat().st_size > _LONGEST_LOG:
                    self.path.replace(self.path.with_suffix(".old"))
                descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
                self._file = os.fdopen(descriptor, "ab", buffering=0)
            self._file.write(words)

    def close(self) -> None:
        """Close the log; further words open it again."""
        if self._file is not None:
            self._file.close()
            self._file = None
