"""SQLite files, for the library of games and the results of experiments, and in words what goes wrong with them.

A file may come from anybody. Nothing in it is run: before anything is read from its tables, ``holds`` makes sure that
there is nothing but the tables that nimdesk makes: no view, no trigger and no computed rule.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Literal, TypeAlias

Mode: TypeAlias = Literal["ro", "rw", "rwc", "ro&immutable=1"]
"""Read only, read and write, the same and make the file if it is missing, and read a file that nobody writes to."""
NO_SPACE = "no space is left on the disk"
CANNOT_WRITE = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN")
"""How the names of SQLite's errors begin where a disk or a folder cannot be written to."""
BUSY_S = 3.0
LOOK_S = 5.0
"""How long it may take to read a few rows of a file; see ``within``."""
# Our longest row is a search with its curves.
_MAX_ROW_BYTES = 2**25
_MAX_SQL_BYTES = 100_000
# How many of SQLite's operations go by between two looks at the clock.
_OPERATIONS = 1_000
# The tables that SQLite itself adds when somebody runs ANALYZE.
_OF_SQLITE = frozenset(
    ("CREATE TABLE sqlite_stat1(tbl,idx,stat)", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)")
)

# By the beginnings of SQLite's names for its errors.
_DATABASE_WORDS = {
    "SQLITE_BUSY": "another program has locked the file",
    "SQLITE_LOCKED": "another program has locked the file",
    "SQLITE_FULL": NO_SPACE,
    "SQLITE_NOTADB": "it is no database",
    "SQLITE_CORRUPT": "the file is damaged, perhaps cut off",
    "SQLITE_READONLY": "the file, or its folder, cannot be written to",
    "SQLITE_CANTOPEN": "the file, or its folder, cannot be written to",
    "SQLITE_IOERR_SHMSIZE": NO_SPACE,  # of the file that all users of the open database share
    "SQLITE_IOERR": "the disk reports an error",
    "SQLITE_INTERRUPT": "it takes too long to read",
    "SQLITE_TOOBIG": "something in it is too large",
}


FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""What reading a faulty file raises; UnicodeDecodeError comes from a table whose name is no Unicode."""


def database_error_words(error: sqlite3.Error | UnicodeDecodeError) -> str:
    """Why an SQLite operation failed, as a clause without a full stop."""
    name = error_name(error)
    text = str(error).rstrip(".")
    return next((words for begin, words in _DATABASE_WORDS.items() if name.startswith(begin)), text)


def error_name(error: sqlite3.Error | UnicodeDecodeError) -> str:
    """SQLite's name for the error, such as "SQLITE_CORRUPT"."""
    name: str = "SQLITE_CORRUPT" if isinstance(error, UnicodeDecodeError) else getattr(error, "sqlite_errorname", "")
    return name


def connect(path: Path, mode: Mode) -> sqlite3.Connection:
    """Open the file in one of the modes of SQLite's URIs; transactions are the caller's. Raises ``sqlite3.Error``.

    A link to a file is followed; where it leads to none, no file is made there. A text that is not UTF-8 is read with a
    � for each wrong byte.
    """
    if mode == "rwc" and os.path.islink(path) and not os.path.exists(path):
        raise sqlite3.OperationalError("a link that leads nowhere has its name")
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_S, isolation_level=None)
    connection.text_factory = _text
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_ROW_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _MAX_SQL_BYTES)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open the file read-only, also where SQLite cannot put its own files beside it. Raises ``sqlite3.Error``.

    In a folder that cannot be written to, and on a full disk, the file is read as one that nobody writes to; but not if
    a file beside it has changes that are not in it yet. What a killed program left half written is rolled back first.
    """
    connection = connect(path, "ro")
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        if error_name(error) == "SQLITE_READONLY_ROLLBACK":  # only a connection that may write can do so
            with closing(connect(path, "rw")) as writing:
                writing.execute("PRAGMA schema_version").fetchone()
            return connect(path, "ro")
        if not error_name(error).startswith(CANNOT_WRITE) or _has_more(path):
            raise
        return connect(path, "ro&immutable=1")
    except BaseException:
        connection.close()
        raise
    return connection


def _has_more(path: Path) -> bool:
    """Whether SQLite left changes in a file beside the database, which would be missed without it."""
    path = path.resolve()
    for ending in ("-journal", "-wal"):
        with suppress(FileNotFoundError):
            if path.with_name(path.name + ending).stat().st_size:
                return True
    return False


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def holds(connection: sqlite3.Connection, definitions: Iterable[str]) -> bool:
    """Whether the file has exactly these tables and indices, each as its SQL made it."""
    wanted = {_plain(each) for each in definitions}
    with within(connection, LOOK_S):
        found = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {_plain(str(sql)) for (sql,) in found} - _OF_SQLITE == wanted


def _plain(sql: str) -> str:
    """The SQL as SQLite stores it, in one line."""
    return " ".join(sql.replace(" IF NOT EXISTS", "").split())


@contextmanager
def within(connection: sqlite3.Connection, limit_s: float) -> Iterator[None]:
    """Interrupt SQLite with an ``sqlite3.Error`` once the block takes longer: a damaged tree can have circles."""
    until = time.monotonic() + limit_s
    connection.set_progress_handler(lambda: time.monotonic() > until, _OPERATIONS)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All or nothing: a killed program leaves the file as it was, or complete."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        # A full disk has ended the transaction already.
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
