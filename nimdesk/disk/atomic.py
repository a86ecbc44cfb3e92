"""Files that are written whole or not at all, and the operating system's errors in words."""

import errno
import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

from nimdesk.errors import NimdeskError

_TEMPORARY = ".nimdesk.tmp"
_DAY_S = 86_400.0
_WORDS = {
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EROFS: "the disk is read-only",
    errno.ENOSPC: "no space is left on the disk",
    errno.EDQUOT: "your disk quota is used up",
    errno.ENOENT: "there is no such file or folder",
    errno.EEXIST: "there is already a file of that name",
    errno.ENOTDIR: "part of that path is a file, not a folder",
    errno.EISDIR: "that is a folder, not a file",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EIO: "the disk reports an error",
}


def os_error_words(error: OSError | ValueError) -> str:
    """Why a file operation failed, as a clause without a full stop; a ValueError is a name that no file can have."""
    if isinstance(error, ValueError):
        return "no file can have that name"
    words = _WORDS.get(error.errno or 0)
    if words is None:
        text = str(error.strerror or error)
        words = text[:1].lower() + text[1:] or "the system does not say why"
    return words


def check_ordinary(path: Path) -> None:
    """``OSError`` for a folder, a pipe or a device; a path where nothing is passes."""
    if path.exists() and not path.is_file():
        raise _not_a_file(path)


def which_file(path: Path) -> tuple[int, int] | None:
    """The identity of the file that has this name now, for ``is_still``; None if there is no file."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def is_still(path: Path, file: tuple[int, int]) -> bool:
    """Whether the name still belongs to this file; if the system cannot tell files apart, whether there is one."""
    now = which_file(path)
    # Windows gives 0 for a file that another program has locked.
    return now is not None and (now == file or 0 in (now[1], file[1]))


def read_bounded(path: Path, limit: int) -> bytes:
    """The bytes of a regular file, at most ``limit + 1`` of them: one more than ``limit`` means too long.

    Raises ``OSError``, also for a folder, a pipe or a device (which might never end), or ``ValueError`` for a name that
    no file can have.
    """
    check_ordinary(path)
    with path.open("rb") as file:
        return file.read(limit + 1)


def write_atomically(path: Path, data: bytes, *, follow: bool = True) -> None:
    """Make ``data`` the content of ``path``: afterwards the file is the old one or the new one, never a mixture.

    A symbolic link is followed, as people expect where they have chosen the name. Where the program has chosen it,
    ``follow`` is False: somebody else may have put the link there, and the file takes its place. Then temporary files
    that a killed program left there are deleted as well, once they are a day old.

    The folder must exist. The mode of an existing file is kept, and a write-protected file is not replaced. Raises
    ``OSError``, or ``ValueError`` for a name that no file can have; the old file is then intact and no temporary file
    is left.
    """
    target = Path(os.path.realpath(path)) if follow else path
    exists = target.exists() and not target.is_symlink()
    if exists and not target.is_file():
        # os.replace would put a plain file where a device or a pipe was.
        raise _not_a_file(target)
    if exists:
        # Renaming needs rights only in the folder, but a write-protected file is not meant to be replaced.
        with target.open("r+b"):
            pass
    if not follow:
        _delete_left_over(target.parent)
    temporary = target.with_name(f".{os.urandom(8).hex()}{_TEMPORARY}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if exists:
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


def write_file(path: Path, data: bytes, *, follow: bool = True) -> None:
    """Write as ``write_atomically`` does; a ``NimdeskError`` says in one sentence why it failed."""
    try:
        write_atomically(path, data, follow=follow)
    except (OSError, ValueError) as error:
        raise NimdeskError(f"“{path}” cannot be written: {os_error_words(error)}.") from error


def set_aside(path: Path, why: str = "broken") -> Path:
    """Rename a file to the first free ``name.broken-1.json``, ``-2``, ...; ``OSError`` if that fails."""
    number = 1
    while (aside := path.with_name(f"{path.stem}.{why}-{number}{path.suffix}")).exists():
        number += 1
    return path.rename(aside)


def _delete_left_over(folder: Path) -> None:
    for path in folder.glob(f".{'[0-9a-f]' * 16}{_TEMPORARY}"):
        with suppress(OSError):  # another program has just taken the name
            if path.lstat().st_mtime < time.time() - _DAY_S:
                path.unlink()


def _not_a_file(path: Path) -> OSError:
    if path.is_dir():
        return IsADirectoryError(errno.EISDIR, "is a folder", str(path))
    return OSError(errno.EINVAL, "that is no ordinary file", str(path))


def _sync_folder(folder: Path) -> None:
    # The rename survives a power cut only once the folder is on disk; not every system can be asked for that.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
