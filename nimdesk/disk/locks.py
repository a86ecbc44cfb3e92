"""Locks between processes: lock files, which the system releases however their owner ends."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

_TRIES = 20
_LONGEST = 20


class FileLock:
    """A lock held from ``take`` until ``close``; its file contains the owner's process number.

    Where the file system has no locks, every process gets it.
    """

    def __init__(self, path: Path, file: int) -> None:
        """Only ``take`` makes one."""
        self._path = path
        self._file: int | None = file

    @classmethod
    def take(cls, path: Path) -> FileLock | str:
        """The lock, or its owner's process number ("" if unknown), without waiting.

        Raises ``OSError`` if the file cannot be made, or if its name belongs to a link or to something else, which
        stays.
        """
        # The last owner may remove its file between our opening and our locking it.
        for _ in range(_TRIES):
            file = _opened(path)
            if not _locked(file):
                owner = _read(file)
                os.close(file)
                return owner
            if _is(file, path):
                break
            os.close(file)
        with suppress(OSError):  # a full disk has no room for the number, which is only for others to read
            os.ftruncate(file, 0)
            os.write(file, str(os.getpid()).encode())
        return cls(path, file)

    def close(self) -> None:
        """Release it; a second call does nothing."""
        if self._file is None:
            return
        file, self._file = self._file, None
        if sys.platform != "win32":
            # While it is held, no other process can have locked a new file of that name.
            with suppress(OSError):  # the folder may have become read-only
                self._path.unlink()
        os.close(file)
        if sys.platform == "win32":
            with suppress(OSError):
                self._path.unlink(missing_ok=True)


def _opened(path: Path) -> int:
    """The file, made if need be; ``OSError`` where writing to it would harm something else."""
    in_the_way = OSError(errno.EINVAL, f"“{path.name}” is in the way and is no lock of nimdesk", str(path))
    if path.is_symlink():
        raise in_the_way
    # Checked again, because a link may have come just now. Windows lacks the flag, but lets only administrators make
    # links.
    file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1 or not _is_ours(os.read(file, _LONGEST + 1)):
        os.close(file)
        raise in_the_way
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _is_ours(content: bytes) -> bool:
    return not content or (content.isdigit() and len(content) <= _LONGEST)


def _locked(file: int) -> bool:
    """Lock it without waiting; False if another process has it."""
    if sys.platform == "win32":
        import msvcrt

        # Far beyond the text, which others can then read.
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
        return True  # this file system has no locks
    return True


def _is(file: int, path: Path) -> bool:
    """Whether the open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except OSError:
        return False


def _read(file: int) -> str:
    """The owner's process number; "" if unknown."""
    with suppress(OSError, ValueError):
        os.lseek(file, 0, os.SEEK_SET)
        return str(int(os.read(file, _LONGEST)))
    return ""
