"""The file of results: an SQLite database with the plan, and each task's result as soon as it is finished.

Each task is one transaction in write-ahead mode: however the program ends, what was stored is there, whole, and others
can read the file meanwhile. Tables: ``meta(key, value)`` with the rows ``plan`` (JSON), ``digest``, ``program`` and
``editions`` (JSON: the number of the rules of each agent, ``AgentInfo.edition``; before 0.3 there is none, and all are
1), ``made 1``, ``made 2`` and so on for each time that it was run (``nimdesk.disk.provenance``, as JSON), and perhaps
``name`` and ``note``, which a person gave it; ``results(number, result)``, the task's number and its result as JSON
(``nimdesk.experiments.results``).
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, Union

import msgspec

from nimdesk.disk.atomic import check_ordinary, is_still, os_error_words, which_file
from nimdesk.disk.databases import (
    CANNOT_WRITE,
    FAULTS,
    NO_SPACE,
    connect,
    connect_to_read,
    database_error_words,
    error_name,
    holds,
    transaction,
)
from nimdesk.disk.documents import DocumentFaultError, clause, parsed, sentence
from nimdesk.disk.locks import FileLock
from nimdesk.disk.paths import RESULTS, make_private
from nimdesk.disk.provenance import Provenance
from nimdesk.errors import PlanError, ResultsError, StoringError
from nimdesk.experiments.plan import KINDS, Plan, plan_from_json
from nimdesk.experiments.results import Result
from nimdesk.experiments.studies.old import OLD_APPLICATION_ID, OLD_META, OLD_TABLE, OLD_TABLES, old_results
from nimdesk.version import __version__

APPLICATION_ID = 0x6E696D78
"""Marks the file as ours in SQLite's header ("nimx"); ``file`` and ``sqlite3`` show it."""
SCHEMA_VERSION = 1
SUFFIX = RESULTS
CHECK_S = 2.0
"""How long a file is looked through for damage before anything is read from it: some hundred megabytes."""
_Any: Any = Union[tuple(kind.result for kind in KINDS)]  # noqa: UP007 -- made from a list
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Any).decode
_LOCK_SUFFIX = ".lock"
_MADE = "made "
_MOST_MADE = 100_000
MAX_NAME = 200
MAX_NOTE = 20_000
_TABLES = (
    "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS results (number INTEGER PRIMARY KEY, result TEXT NOT NULL)",
)


class Store:
    """One file of results; use it in the thread that opened it, and close it.

    ``ResultsError`` with one sentence for every fault of the file, at opening and later.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, plan: Plan, lock: ResultsLock | None = None) -> None:
        """Made by ``open_for`` and ``open_to_read``."""
        self.path = path
        self.plan = plan
        self._place = path.absolute()
        self._file = which_file(self._place)
        self._connection, self._lock = connection, lock
        self._is_old = _is_old(connection)
        self._made = ""

    @classmethod
    def open_for(cls, path: Path, plan: Plan) -> Store:
        """A store to which this plan's results can be added: a new file, or one from an earlier run of the same plan.

        Until it is closed, no other run can open it to add results.
        """
        try:
            check_ordinary(path)
            make_private(path.parent)
            was_there = path.exists()
            is_new = not was_there or path.stat().st_size == 0
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
                form = "empty" if is_new else _form(path, connection)
                connection.execute("PRAGMA journal_mode = WAL")
                # A power cut may lose the last transactions, a killed program none; no write waits for the disk.
                connection.execute("PRAGMA synchronous = NORMAL")
                if form == "empty":
                    _create(connection, plan)
                known = _plan_in(path, connection)
            if known.digest != plan.digest:
                raise ResultsError(
                    f"The results “{path}” are those of another plan (“{known.name}”); "
                    f"choose another file for “{plan.name}”."
                )
            if form == "old study":
                raise ResultsError(
                    f"The results “{path}” were stored in the way of an older nimdesk, which can be read, but not gone "
                    "on with; write to another file."
                )
            _check_editions(path, connection, plan)
        except BaseException:
            connection.close()
            if not was_there:  # it holds nothing yet
                with suppress(OSError):
                    _remove(path)
            lock.close()
            raise
        return cls(path, connection, known, lock)

    @classmethod
    def open_to_read(cls, path: Path, *, to_list: bool = False) -> Store:
        """The results in an existing file, to which another program may be adding.

        ``to_list``: it is not looked through for damage, which may take seconds; damage is told when it is read.
        """
        try:
            check_ordinary(path)
            path.stat()
        except (OSError, ValueError) as error:
            raise ResultsError(f"The results “{path}” cannot be opened: {os_error_words(error)}.") from error
        connection = _connect(path, read_only=True)
        try:
            with _told(path):
                if _form(path, connection, to_list=to_list) == "empty":
                    raise ResultsError(f"The results “{path}” cannot be used: nothing is stored in it yet.")
                return cls(path, connection, _plan_in(path, connection))
        except BaseException:
            connection.close()
            raise

    def add(self, *results: Result, made: Provenance | None = None) -> None:
        """Store these results; once this returns, they survive the end of the program. A result stored before stays.

        ``made`` is the provenance of all that this store was given since it was opened.
        """
        # SQLite would go on with a file that has no name any more, or another one.
        if self._file is None or not is_still(self._place, self._file):
            raise ResultsError(
                f"The results “{self.path}” are gone: the file was moved, replaced or deleted, or its disk removed."
            )
        with _told(self.path), transaction(self._connection):
            self._connection.executemany("INSERT OR IGNORE INTO results VALUES (?, ?)", map(_row, results))
            if made is not None:
                self._made = self._made or f"{_MADE}{len(self._makings()) + 1}"
                row = (self._made, msgspec.json.encode(made).decode())
                self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", row)

    def made(self) -> list[Provenance]:
        """What made the results, run after run; empty for those of a program that did not keep it."""
        with _told(self.path):
            found = [] if self._is_old else self._makings()
        try:
            return [parsed(text.encode(), Provenance) for text in found]
        except DocumentFaultError as fault:
            raise ResultsError(
                f"The results “{self.path}” cannot be used: what is said of how they were made is damaged ({fault})."
            ) from None

    def _makings(self) -> list[str]:
        rows = self._connection.execute(
            "SELECT value FROM meta WHERE key GLOB ? ORDER BY length(key), key", (f"{_MADE}[0-9]*",)
        )
        return [str(value) for (value,) in rows.fetchmany(_MOST_MADE)]

    def results(self) -> Iterator[Result]:
        """Every stored result, by number."""
        with _told(self.path):
            if self._is_old:
                yield from old_results(self._connection, self.plan)
                return
            # As bytes: to make a text of it first would take a quarter of the time.
            rows = self._connection.execute("SELECT number, CAST(result AS BLOB) FROM results ORDER BY number")
            for number, text in rows:
                yield _decoded(self.path, number, text)

    @property
    def words(self) -> tuple[str, str]:
        """The name and the note that a person gave it, each "" if there is none."""
        with _told(self.path):
            name, note = (_meta(self._connection, key) or "" for key in ("name", "note"))
        # The file may come from elsewhere.
        return " ".join(name[:MAX_NAME].split()), note[:MAX_NOTE]

    def count(self) -> int:
        """How many results are stored."""
        with _told(self.path):
            table = OLD_TABLE if self._is_old else "results"
            return int(self._connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])

    def close(self) -> None:
        """Close the file, which is whole at any moment."""
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


def delete_results(path: Path) -> None:
    """Remove a file of results with SQLite's files beside it.

    ``ResultsError`` if that is impossible, or a run is adding to it, in this process or in another one.
    """
    lock = ResultsLock(path)
    try:
        _remove(path)
    except OSError as error:
        raise ResultsError(f"“{path}” cannot be deleted: {os_error_words(error)}.") from error
    finally:
        lock.close()


def _remove(path: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def annotate(path: Path, name: str, note: str) -> None:
    """Give a file of results a name and a note, for people; a run may be adding to it meanwhile.

    ``ResultsError`` if they are too long, or cannot be written.
    """
    check_words(name, note)
    with Store.open_to_read(path):
        pass  # so that what is wrong with the file is said
    with closing(_connect(path, read_only=False)) as connection, _told(path):
        if _is_old(connection):
            raise ResultsError(
                f"“{path}” was stored in the way of an older nimdesk, which can be read, but not given a name or note."
            )
        with transaction(connection):
            rows = [("name", name), ("note", note)]
            connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)


def check_words(name: str, note: str) -> None:
    """``ResultsError`` for a name or a note that is too long."""
    for what, text, most in (("name", name, MAX_NAME), ("note", note, MAX_NOTE)):
        if len(text) > most:
            raise ResultsError(f"The {what} has {len(text):,} letters; {most:,} are allowed.")


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn an error of SQLite, or a damaged text in the file, into one sentence."""
    try:
        yield
    except FAULTS as error:
        kind = StoringError if error_name(error).startswith(_PERHAPS_SOON) else ResultsError
        raise kind(f"The results “{path}” cannot be used: {_words(error)}.") from error
    except ValueError as error:
        raise ResultsError(f"The results “{path}” cannot be used: the file is damaged ({clause(error)}).") from error


_PERHAPS_SOON = (*CANNOT_WRITE, "SQLITE_BUSY", "SQLITE_LOCKED")


def _words(error: sqlite3.Error | UnicodeDecodeError) -> str:
    name = error_name(error)
    if name.startswith("SQLITE_NOTADB"):
        return "it is not a results file of nimdesk"
    words = clause(database_error_words(error))
    return f"{words}; what was stored is kept" if words == NO_SPACE else words


def _connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    with _told(path):
        return connect_to_read(path) if read_only else connect(path, "rwc")


def _form(
    path: Path, connection: sqlite3.Connection, *, to_list: bool = False
) -> Literal["empty", "results", "old study"]:
    """What the file holds; ``ResultsError`` if it is not nimdesk's, newer, or damaged."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application not in (APPLICATION_ID, OLD_APPLICATION_ID):
        if application == 0 and holds(connection, ()):
            return "empty"  # the program was killed while it made the file
        raise ResultsError(f"The results “{path}” cannot be used: it is not a results file of nimdesk.")
    if version > SCHEMA_VERSION:
        raise ResultsError(
            f"The results “{path}” cannot be used: a newer nimdesk made the file "
            f"(its version is {version}, this program reads up to {SCHEMA_VERSION})."
        )
    is_old = application == OLD_APPLICATION_ID
    if not holds(connection, OLD_TABLES if is_old else _TABLES):
        raise ResultsError(f"The results “{path}” cannot be used: the tables in it are not those that nimdesk makes.")
    if not to_list and not _is_whole(connection):
        raise ResultsError(f"The results “{path}” cannot be used: the file is damaged, perhaps cut off.")
    return "old study" if is_old else "results"


def _is_whole(connection: sqlite3.Connection) -> bool:
    """Whether SQLite finds no damage within ``CHECK_S``; in what it did not come to, damage is told when it is read."""
    over = threading.Event()

    def stop() -> None:
        over.set()
        connection.interrupt()

    # Not ``databases.within``: before 3.41 SQLite did not look at the clock while it went through the pages.
    timer = threading.Timer(CHECK_S, stop)
    timer.start()
    try:
        found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.OperationalError:
        if not over.is_set():
            raise
    finally:
        timer.cancel()
        timer.join()
    return over.is_set() or bool(found == "ok")


def _create(connection: sqlite3.Connection, plan: Plan) -> None:
    with transaction(connection):
        _make_tables(connection, plan)


def _make_tables(connection: sqlite3.Connection, plan: Plan) -> None:
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    for table in _TABLES:
        connection.execute(table)
    editions = msgspec.json.encode(plan.editions).decode()
    rows = [
        ("plan", plan.to_json().decode()),
        ("digest", plan.digest),
        ("program", __version__),
        ("editions", editions),
    ]
    # Two programs may begin the same new file: the first one's plan stands, and the other sees it.
    connection.executemany("INSERT OR IGNORE INTO meta VALUES (?, ?)", rows)


def _decoded(path: Path, number: object, text: object) -> Result:
    if isinstance(text, bytes):
        with suppress(ValueError, RecursionError):
            result: Result = _decode(text)
            if result.number == number:
                return result
    raise ResultsError(f"The results “{path}” cannot be used: result {number} in them is damaged.")


def _row(result: Result) -> tuple[int, str]:
    return result.number, _encode(result).decode()


def _is_old(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA application_id").fetchone()[0] == OLD_APPLICATION_ID)


def _meta(connection: sqlite3.Connection, key: str) -> str | None:
    table, name = OLD_META if _is_old(connection) else ("meta", "key")
    row = connection.execute(f"SELECT value FROM {table} WHERE {name} = ?", (key,)).fetchone()
    return row[0] if row is not None and isinstance(row[0], str) else None


def _check_editions(path: Path, connection: sqlite3.Connection, plan: Plan) -> None:
    """``ResultsError`` unless all agents of the plan still search by the rules by which the results were made."""
    made, now = _editions(path, connection), plan.editions
    changed = [name for name, edition in now.items() if edition != made.get(name, 1)]
    if changed:
        program = _meta(connection, "program") or "of an unknown version"
        raise ResultsError(
            f"“{path}” was begun by nimdesk {program}, and nimdesk {__version__} has other rules for the search of "
            f"{', '.join(changed)}, so that the results would not be of one kind; finish it with that version, or "
            "write to another file."
        )


def _editions(path: Path, connection: sqlite3.Connection) -> dict[str, int]:
    text = _meta(connection, "editions")
    try:
        return {} if text is None else msgspec.json.decode(text, type=dict[str, int])
    except msgspec.DecodeError as error:
        raise ResultsError(
            f"The results “{path}” cannot be used: the editions of its agents are damaged ({clause(error)})."
        ) from None


def _plan_in(path: Path, connection: sqlite3.Connection) -> Plan:
    document = _meta(connection, "plan")
    if document is None:
        raise ResultsError(f"The results “{path}” cannot be used: the plan is missing from the file.")
    try:
        return plan_from_json(document.encode(), "Its plan")
    except PlanError as error:
        raise ResultsError(sentence(f"The results “{path}” cannot be used: {clause(error)}")) from error


class ResultsLock:
    """A lock on the results, from creation until ``close``; a file beside them has the owner's process number.

    The system releases it however the program ends. Another run that wants the same results, even in this process, gets
    ``ResultsError``; reading needs no lock.
    """

    def __init__(self, path: Path) -> None:
        """Take the lock of the results at ``path``."""
        try:
            lock = FileLock.take(path.with_name(path.name + _LOCK_SUFFIX))
        except (OSError, ValueError) as error:
            raise ResultsError(f"The results cannot be stored in “{path}”: {os_error_words(error)}.") from error
        if isinstance(lock, str):
            owner = f" (process {lock})" if lock else ""
            raise ResultsError(
                f"The results “{path}” are being added to by another run{owner}; wait for it, stop it, or choose "
                "another file."
            )
        self._lock = lock

    def close(self) -> None:
        """Release it; a second call does nothing."""
        self._lock.close()
