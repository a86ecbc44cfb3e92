"""One run at a time for one file of results: a lock that the system gives back however the program ends."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from nimdesk.atomic import os_error_words
from nimdesk.errors import ResultsError

SUFFIX = ".lock"
_TRIES = 20


class ResultsLock:
    """Held from when it is made until ``close``; beside the results stands a file with the number of the process.

    Another run that wants the same results gets ``ResultsError``, in this process as in any other; who only reads them
    needs no lock. Where the file system knows no locks, there is none.
    """

    def __init__(self, path: Path) -> None:
        """Take the lock of the results at ``path``."""
        self._path = path.with_name(path.name + SUFFIX)
        self._file: int | None = None
        # Whoever had it may take its file away between our opening and locking it.
        for _ in range(_TRIES):
            try:
                file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            except OSError as error:
                raise ResultsError(f"The results cannot be stored in “{path}”: {os_error_words(error)}.") from error
            if not _locked(file):
                owner = _read(file)
                os.close(file)
                raise ResultsError(
                    f"The results “{path}” are being added to by another run{owner}; wait for it, stop it, or choose "
                    "another file."
                )
            if _is(file, self._path):
                break
            os.close(file)
        os.ftruncate(file, 0)
        os.write(file, str(os.getpid()).encode())
        self._file = file

    def close(self) -> None:
        """Give it back; the second time nothing happens."""
        if self._file is None:
            return
        file, self._file = self._file, None
        if sys.platform != "win32":
            # As long as it is held, nobody else can have locked a new file of that name.
            self._path.unlink(missing_ok=True)
        os.close(file)
        if sys.platform == "win32":
            with suppress(OSError):
                self._path.unlink(missing_ok=True)


def _locked(file: int) -> bool:
    """Lock it at once; False if somebody else has."""
    if sys.platform == "win32":
        import msvcrt

        # Far behind the text, which others may read then.
        os.lseek(file, 1 << 20, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(file, 0, os.SEEK_SET)
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks
    return True


def _is(file: int, path: Path) -> bool:
    """Whether the open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except OSError:
        return False


def _read(file: int) -> str:
    """Who has it, in words that follow "another run"; "" where that is not known."""
    with suppress(OSError, ValueError):
        os.lseek(file, 0, os.SEEK_SET)
        return f" (process {int(os.read(file, 20))})"
    return ""
