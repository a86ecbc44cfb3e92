"""SQLite files, as the library of games and the results of experiments have them, and what goes wrong in words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, TypeAlias

Mode: TypeAlias = Literal["ro", "rwc", "ro&immutable=1"]
"""To read, to read and write, and to read where nobody writes."""
BUSY_S = 5.0

# By the beginnings of SQLite's names for its errors.
_DATABASE_WORDS = {
    "SQLITE_BUSY": "another program has locked the file",
    "SQLITE_LOCKED": "another program has locked the file",
    "SQLITE_FULL": "no space is left on the disk",
    "SQLITE_NOTADB": "it is no database",
    "SQLITE_CORRUPT": "the file is damaged, perhaps cut off",
    "SQLITE_READONLY": "the file, or its folder, cannot be written to",
    "SQLITE_CANTOPEN": "the file, or its folder, cannot be written to",
    "SQLITE_IOERR": "the disk reports an error",
}


def database_error_words(error: sqlite3.Error) -> str:
    """Why an SQLite operation failed, as a clause without a full stop."""
    name = getattr(error, "sqlite_errorname", "")
    text = str(error).rstrip(".")
    return next((words for begin, words in _DATABASE_WORDS.items() if name.startswith(begin)), text)


def connect(path: Path, mode: Mode) -> sqlite3.Connection:
    """Open the file in one of the modes of SQLite's URIs; transactions are the caller's. Raises ``sqlite3.Error``.

    A link to a file is followed; where it leads to none, no file is made there. SQLite follows no links in the places
    of its own files beside this one.
    """
    if mode == "rwc" and path.is_symlink() and not path.exists():
        raise sqlite3.OperationalError("a link that leads nowhere has its name")
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=BUSY_S, isolation_level=None)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All or nothing: a killed program leaves the file as it was, or complete."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        # A full disk has ended it already.
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
