"""The file of results: an SQLite database that holds the plan, and each finished task as soon as it is finished.

One transaction a task in write-ahead mode: whatever happens to the program, what was stored is there, whole, and the
file can be read by others meanwhile. Tables: ``meta(key, value)`` with the rows ``plan`` (JSON), ``digest`` and
``program``; ``results(number, result)``, the task's number and its result as JSON (``nimdesk.experiments.results``).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from nimdesk import __version__
from nimdesk.atomic import os_error_words
from nimdesk.errors import PlanError, ResultsError
from nimdesk.experiments.locking import ResultsLock
from nimdesk.experiments.plan import Plan, plan_from_json
from nimdesk.experiments.results import Result, decode_result, encode_result
from nimdesk.experiments.validation import clause

APPLICATION_ID = 0x6E696D78
"""Marks the file as ours in SQLite's header ("nimx"); ``file`` and ``sqlite3`` show it."""
SCHEMA_VERSION = 1
SUFFIX = ".db"
_BUSY_S = 5.0


class Store:
    """One file of results; use it in the thread that opened it, and close it.

    ``ResultsError`` with one sentence for everything that can be wrong with a file, at opening and later.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, plan: Plan, lock: ResultsLock | None = None) -> None:
        """Made by ``open_for`` and ``open_to_read``."""
        self.path = path
        self.plan = plan
        self._connection, self._lock = connection, lock

    @classmethod
    def open_for(cls, path: Path, plan: Plan) -> Store:
        """The results of this plan, to add to: a new file, or one that an earlier run of the same plan has left.

        Nobody else can open it to add to until it is closed.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            is_new = not path.exists() or path.stat().st_size == 0
        except (OSError, ValueError) as error:
            raise ResultsError(f"The results cannot be stored in “{path}”: {os_error_words(error)}.") from error
        lock = ResultsLock(path)
        try:
            connection = _connect(path, read_only=False)
        except BaseException:
            lock.close()
            raise
        try:
            with _told(path):
                if not is_new:
                    is_new = _check(path, connection)
                connection.execute("PRAGMA journal_mode = WAL")
                # A power cut may lose the last transactions, a killed program none; no write waits for the disk.
                connection.execute("PRAGMA synchronous = NORMAL")
                if is_new:
                    _create(connection, plan)
                known = _plan_in(path, connection)
            if known.digest != plan.digest:
                raise ResultsError(
                    f"The results “{path}” are those of another plan (“{known.name}”); "
                    f"choose another file for “{plan.name}”."
                )
        except BaseException:
            connection.close()
            lock.close()
            raise
        return cls(path, connection, known, lock)

    @classmethod
    def open_to_read(cls, path: Path) -> Store:
        """The results in an existing file, which another program may be adding to."""
        try:
            if not path.is_file():
                raise FileNotFoundError(2, "No such file")
        except (OSError, ValueError) as error:
            raise ResultsError(f"The results “{path}” cannot be opened: {os_error_words(error)}.") from error
        connection = _connect(path, read_only=True)
        try:
            with _told(path):
                if _check(path, connection):
                    raise ResultsError(f"The results “{path}” cannot be used: nothing is stored in it yet.")
                return cls(path, connection, _plan_in(path, connection))
        except BaseException:
            connection.close()
            raise

    def add(self, result: Result) -> None:
        """Store one result; when this returns, it survives the end of the program. One stored before stays."""
        with _told(self.path):
            self._connection.execute(
                "INSERT OR IGNORE INTO results VALUES (?, ?)", (result.number, encode_result(result).decode())
            )

    def results(self) -> Iterator[Result]:
        """Every stored result, by number."""
        with _told(self.path):
            for (text,) in self._connection.execute("SELECT result FROM results ORDER BY number"):
                yield decode_result(text)

    def result(self, number: int) -> Result | None:
        """The result of this task, or None."""
        with _told(self.path):
            row = self._connection.execute("SELECT result FROM results WHERE number = ?", (number,)).fetchone()
            return None if row is None else decode_result(row[0])

    def count(self) -> int:
        """How many results are stored."""
        with _told(self.path):
            row = self._connection.execute("SELECT count(*) FROM results").fetchone()
            return int(row[0])

    def close(self) -> None:
        """Leave the file; it is whole at any moment."""
        with suppress(sqlite3.Error):
            self._connection.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> Self:
        """The store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Whatever SQLite, or a damaged text in the file, complains of as one sentence."""
    try:
        yield
    except sqlite3.Error as error:
        raise ResultsError(f"The results “{path}” cannot be used: {_words(error)}.") from error
    except ValueError as error:
        raise ResultsError(f"The results “{path}” cannot be used: the file is damaged ({clause(error)}).") from error


def _words(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return "another program has locked the file"
    if name.startswith("SQLITE_FULL"):
        return "no space is left on the disk; what was stored is kept"
    if name.startswith("SQLITE_NOTADB"):
        return "it is not a results file of nimdesk"
    if name.startswith("SQLITE_CORRUPT"):
        return "the file is damaged, perhaps cut off"
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
        return "the file, or its folder, cannot be written to"
    if name.startswith("SQLITE_IOERR"):
        return "the disk reports an error"
    return clause(error)


def _connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    if path.is_dir():
        raise ResultsError(f"The results cannot be stored in “{path}”: that is a folder, not a file.")
    with _told(path):
        mode = "ro" if read_only else "rwc"
        uri = f"{path.absolute().as_uri()}?mode={mode}"
        return sqlite3.connect(uri, uri=True, timeout=_BUSY_S, isolation_level=None)


def _check(path: Path, connection: sqlite3.Connection) -> bool:
    """Whether the file is still empty of everything; ``ResultsError`` if it is not ours, newer, or damaged."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        if application == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            return True  # the program was killed while it made the file
        raise ResultsError(f"The results “{path}” cannot be used: it is not a results file of nimdesk.")
    if version > SCHEMA_VERSION:
        raise ResultsError(
            f"The results “{path}” cannot be used: a newer nimdesk made the file "
            f"(its version is {version}, this program reads up to {SCHEMA_VERSION})."
        )
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise ResultsError(f"The results “{path}” cannot be used: the file is damaged, perhaps cut off.")
    return False


def _create(connection: sqlite3.Connection, plan: Plan) -> None:
    """All in one transaction: a killed program leaves an empty file or a complete one."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
        connection.execute("CREATE TABLE IF NOT EXISTS results (number INTEGER PRIMARY KEY, result TEXT NOT NULL)")
        rows = [("plan", plan.to_json().decode()), ("digest", plan.digest), ("program", __version__)]
        # Two programs may start with the same new file: the first one's plan stands, and the other one sees it.
        connection.executemany("INSERT OR IGNORE INTO meta VALUES (?, ?)", rows)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _plan_in(path: Path, connection: sqlite3.Connection) -> Plan:
    row = connection.execute("SELECT value FROM meta WHERE key = 'plan'").fetchone()
    if row is None:
        raise ResultsError(f"The results “{path}” cannot be used: the plan is missing from the file.")
    try:
        return plan_from_json(row[0].encode(), "Its plan")
    except PlanError as error:
        raise ResultsError(f"The results “{path}” cannot be used: {clause(error)}.") from error
