"""The folder of compiled kernels: only what this program wrote there, and what is still as it was written, is read.

numba keeps an index (a pickle) and machine code in files, and believes whatever it finds. So before it may look, each
file must be a person's own, and have a digest that was noted when it was written; all else is deleted, and compiled
again. Digests guard against damage. Against other people the folder itself does, which is its owner's alone.

Several processes use the folder at once. Whoever may be writing holds a lock. What is younger than a lock that is held
may be without its digest for a moment, and is left alone.
"""

from __future__ import annotations

import atexit
import errno
import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from nimdesk.disk.locks import FileLock
from nimdesk.disk.paths import make_private

_MONTH_S = 30 * 24 * 3600.0
_DIGESTS, _LOCK, READY, _BUSY = "SHA256SUMS", ".lock", ".ready", ".busy"
# An idle process may hardly get on; then it is better to compile the same kernels a second time.
_PATIENCE_S, _POLL_S = 20.0, 0.05
# No search calls more kernels, and each call may fail once on a full disk.
_MOST_KERNELS = 8
_Version = tuple[int, int, int]


class KernelCache:
    """One folder of compiled kernels, checked now and before each ``load``."""

    def __init__(self, folder: Path) -> None:
        """Use this folder, or one below the temporary folder where this one cannot be written to or trusted."""
        self.is_kept = self.is_usable = True
        """Whether the next start, or another process, finds there what is compiled now; and whether this one does."""
        self.folder = folder
        self._sound: dict[Path, _Version] = {}
        self._lock: FileLock | None = None
        self._since = 0
        try:
            _claim(folder)
            self._check()
            os.utime(folder)
            tempfile.TemporaryFile(dir=folder).close()  # as numba tries whether it can write
        except OSError:
            self.is_kept = False
            self._use_temporary()
        else:
            _forget_old(folder)

    def has(self, name: str) -> bool:
        """Whether the kernels of this name were compiled before, and are kept."""
        return self.is_kept and self._mark(name).exists()

    def note(self, name: str) -> None:
        """The kernels of this name are kept from now on."""
        if self.is_kept:
            with suppress(OSError):
                os.close(_opened(self._mark(name)))

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Wait while another process compiles the kernels of this name, which are then there to be loaded."""
        lock: FileLock | str = ""
        until = time.monotonic() + _PATIENCE_S
        while self.is_kept and not self.has(name) and time.monotonic() < until:
            try:
                lock = FileLock.take(self.folder / f"{name}{_BUSY}")
            except OSError:
                break
            if isinstance(lock, FileLock):
                break
            time.sleep(_POLL_S)
        try:
            yield
        finally:
            if isinstance(lock, FileLock):
                lock.close()

    def load(self, load: Callable[[], object]) -> bool:
        """Call ``load``, which calls kernels; return whether all that was compiled could be written."""
        with self.writing():
            for tries in range(_MOST_KERNELS):
                # What numba cannot write it still has in memory, so that the next call comes further.
                with suppress(OSError):
                    load()
                    return tries == 0
            load()
            return False

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Check the folder, and at the end note the digests of what was written there meanwhile."""
        if not self.is_usable or self._lock is not None:
            yield
            return
        self._check()
        with suppress(OSError):
            path = self.folder / f"{os.urandom(8).hex()}{_LOCK}"
            lock = FileLock.take(path)
            if isinstance(lock, FileLock):
                self._lock, self._since = lock, path.stat().st_mtime_ns
        try:
            yield
        finally:
            if self._lock is not None:
                with suppress(OSError):
                    self._note_digests()
                self._lock.close()
                self._lock = None

    def _use_temporary(self) -> None:
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="nimdesk-kernels-"))
        except OSError:
            self.is_usable = False
        else:
            atexit.register(shutil.rmtree, self.folder, ignore_errors=True)

    def _mark(self, name: str) -> Path:
        return self.folder / f"{name}{READY}"

    def _check(self) -> None:
        """Delete what is not as it was written; ``OSError`` if that is impossible."""
        # In this order: who has finished a file meanwhile has noted its digest before letting go of the lock.
        files, since, known = list(self._files()), self._others_since(), self._known()
        dropped = False
        for path, found in files:
            if not self._is_sound(path, found, known) and (since is None or found.st_mtime_ns < since):
                _remove(path)
                dropped = True
        if dropped:
            for mark in self.folder.glob(f"*{READY}"):
                _remove(mark)

    def _is_sound(self, path: Path, found: os.stat_result, known: set[str]) -> bool:
        if not stat.S_ISREG(found.st_mode) or not _is_own(found):
            return False
        if self._sound.get(path) == _version(found):
            return True
        with suppress(OSError):
            version, line = self._digest(path)
            if line in known:
                self._sound[path] = version
                return True
        return False

    def _note_digests(self) -> None:
        lines = []
        for path, found in self._files():
            is_new = found.st_mtime_ns >= self._since and self._sound.get(path) != _version(found)
            if is_new and path.suffix in (".nbi", ".nbc"):
                self._sound[path], line = self._digest(path)
                lines.append(f"\n{line}")  # so that one cut off before it spoils no other
        if lines:
            with open(_opened(self.folder / _DIGESTS), "ab") as file:
                file.write("".join(lines).encode())

    def _digest(self, path: Path) -> tuple[_Version, str]:
        """The version of a file, and its line in the list of digests, which ``sha256sum`` can check."""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            return _version(os.fstat(file.fileno())), f"{digest}  {path.relative_to(self.folder).as_posix()}"

    def _known(self) -> set[str]:
        path = self.folder / _DIGESTS
        with suppress(FileNotFoundError):
            found = path.lstat()
            if stat.S_ISREG(found.st_mode) and found.st_nlink == 1 and _is_own(found):
                with suppress(OSError):
                    return set(path.read_text("utf-8", "replace").splitlines())
            _remove(path)
        return set()

    def _others_since(self) -> int | None:
        """When the first of the other processes that may be writing now began to; None if there is none."""
        begun = []
        for path in self.folder.glob(f"*{_LOCK}"):
            with suppress(OSError):
                time_ns = path.stat().st_mtime_ns
                lock = FileLock.take(path)
                if isinstance(lock, FileLock):
                    lock.close()  # of a process that was killed
                else:
                    begun.append(time_ns)
        return min(begun, default=None)

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        """All that is there except our own notes; folders of numba only by what is in them."""
        for path, found in _entries(self.folder):
            if stat.S_ISDIR(found.st_mode):
                _make_own(path, found)
                yield from _entries(path)
            elif path.name != _DIGESTS and path.suffix not in (_LOCK, READY, _BUSY):
                yield path, found


def _entries(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for path in folder.iterdir():
        with suppress(FileNotFoundError):  # another process has just removed it
            yield path, path.lstat()


def _opened(path: Path) -> int:
    """The file, to write at its end; ``OSError`` where a link would lead elsewhere."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o600)


def _claim(folder: Path) -> None:
    """Make the folder if there is none; ``OSError`` unless it is its owner's alone, or can be made so."""
    if folder.is_symlink():
        # What is unknown in the folder is deleted: where a link leads, that may be anything.
        raise OSError(errno.ELOOP, "it is a link", str(folder))
    above = next(each for each in folder.parents if each.exists())
    if not _is_own(above.stat(), or_system=True):
        raise PermissionError(errno.EPERM, "it is in a folder of another user", str(folder))
    make_private(folder)
    found = folder.stat()
    if not _is_own(found):
        raise PermissionError(errno.EPERM, "it belongs to another user", str(folder))
    _make_own(folder, found)
    if _is_open(found):
        # Whatever is in there, anybody may have put it there.
        for path in folder.iterdir():
            _remove(path)


def _is_own(found: os.stat_result, *, or_system: bool = False) -> bool:
    """Whether it belongs to the user of this process; Windows keeps users apart by itself."""
    return not hasattr(os, "geteuid") or found.st_uid in ((os.geteuid(), 0) if or_system else (os.geteuid(),))


def _is_open(found: os.stat_result) -> bool:
    return os.name == "posix" and bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _make_own(folder: Path, found: os.stat_result) -> None:
    if os.name == "posix" and stat.S_IMODE(found.st_mode) != 0o700:
        folder.chmod(0o700)


def _version(found: os.stat_result) -> _Version:
    return found.st_ino, found.st_size, found.st_mtime_ns


def _remove(path: Path) -> None:
    with suppress(FileNotFoundError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _forget_old(current: Path) -> None:
    """Remove folders of other kernel sources that nothing has used for a month."""
    with suppress(OSError):
        for folder in current.parent.glob("kernels-*"):
            if folder != current and time.time() - folder.stat().st_mtime > _MONTH_S:
                shutil.rmtree(folder, ignore_errors=True)
