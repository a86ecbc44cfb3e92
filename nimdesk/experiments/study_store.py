"""The results of a study in an SQLite file, so that it can be stopped, killed and taken up again.

One row of ``searches`` for each finished search; ``about`` holds the plan, its digest and the program's version. Other
programs can read it: ``result`` is MessagePack of ``CellResult``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType

import msgspec

from nimdesk import __version__
from nimdesk.errors import NimdeskError, ResultsError
from nimdesk.experiments.locking import ResultsLock
from nimdesk.experiments.study import Study, StudyPlan, plan_from_json, plan_json
from nimdesk.experiments.study_search import CellResult

APPLICATION_ID = 0x4E445354  # NDST
VERSION = 1
_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE searches (
    agent INTEGER, position INTEGER, number INTEGER, result BLOB NOT NULL, PRIMARY KEY (agent, position, number)
) STRICT, WITHOUT ROWID;
"""


class StudyStore:
    """The open file of one study; used by one thread. ``ResultsError`` says what is wrong with a file."""

    def __init__(self, path: Path, study: Study, *, to_add: bool = True) -> None:
        """Open the file of this study, or make it where there is none; refuse what is not its own.

        ``to_add``: nobody else can open it to add to until it is closed.
        """
        self.path = path
        self._lock = ResultsLock(path) if to_add else None
        try:
            with _in_words(path):
                self._db = sqlite3.connect(path, isolation_level=None, timeout=5.0)
        except BaseException:
            self._unlock()
            raise
        try:
            with _in_words(path):
                _check(self._db, path)
                self._begin(study)
            self._study = study
        except BaseException:
            self.close()
            raise

    def _begin(self, study: Study) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost the last searches, never the file
        about = _about(self._db)
        if not about:
            self._db.executescript(
                f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};"
            )
            about = {"plan": plan_json(study.plan).decode(), "digest": study.digest, "program": __version__}
            self._db.executemany("INSERT INTO about VALUES (?, ?)", about.items())
            self._db.execute("COMMIT")
        if about.get("digest") != study.digest:
            raise ResultsError(
                f"“{self.path}” has the results of another study; go on with that one, or write to another file."
            )
        if about.get("program") != __version__:
            raise ResultsError(
                f"“{self.path}” was begun by nimdesk {about.get('program')}, whose searches may differ from those of "
                f"nimdesk {__version__}; finish it with that version, or write to another file."
            )

    def results(self) -> Iterator[CellResult]:
        """All searches done, in the order of the plan."""
        study = self._study
        with _in_words(self.path):
            rows = self._db.execute("SELECT result FROM searches ORDER BY agent, position, number")
            for (data,) in rows:
                try:
                    result = msgspec.msgpack.decode(data, type=CellResult)
                except msgspec.MsgspecError:
                    result = None
                if result is None or not _fits(result, study):
                    raise ResultsError(f"“{self.path}” is damaged: a search in it cannot be read.")
                yield result

    def add(self, results: Iterable[CellResult]) -> None:
        """Write these searches, all or none; they are safe when this returns."""
        rows = [(*result.cell, msgspec.msgpack.encode(result)) for result in results]
        with _in_words(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany("INSERT OR IGNORE INTO searches VALUES (?, ?, ?, ?)", rows)
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the file."""
        self._db.close()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> StudyStore:
        """The store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self.close()


def stored_plan(path: Path) -> StudyPlan:
    """The plan whose results the file has; ``ResultsError`` where there is no such file."""
    if not path.exists():
        raise ResultsError(f"There is no file “{path}”.")
    with _in_words(path), closing(sqlite3.connect(path, timeout=5.0)) as db:
        _check(db, path)
        about = _about(db)
        if "plan" not in about:
            raise ResultsError(f"“{path}” has no study in it.")
        try:
            return plan_from_json(about["plan"].encode())
        except NimdeskError as error:
            raise ResultsError(f"“{path}” is damaged: {error}") from None


def _check(db: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is damaged, not ours or too new; an empty one is fine."""
    known = _number(db, "application_id")
    if known == 0 and not _number(db, "schema_version"):
        return
    if known != APPLICATION_ID:
        raise ResultsError(f"“{path}” is not a file of nimdesk study results.")
    if (version := _number(db, "user_version")) > VERSION:
        raise ResultsError(
            f"“{path}” was made by a newer nimdesk (its version is {version}, this program reads up to {VERSION})."
        )
    problem = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if problem != "ok":
        raise ResultsError(f"“{path}” is damaged: {problem}.")


def _number(db: sqlite3.Connection, pragma: str) -> int:
    return int(db.execute(f"PRAGMA {pragma}").fetchone()[0])


def _about(db: sqlite3.Connection) -> dict[str, str]:
    return dict(db.execute("SELECT name, value FROM about")) if _number(db, "application_id") else {}


def _fits(result: CellResult, study: Study) -> bool:
    """Whether the result can be one of this study."""
    inside = 0 <= result.agent < len(study.agents) and 0 <= result.position < len(study.positions)
    if not inside or not 0 <= result.number < study.searches(result.agent):
        return False
    moves, budgets = len(study.positions[result.position].legal_moves), len(study.budgets)
    return (
        len(result.choices) == len(result.spent) == len(result.visits) == budgets
        and all(0 <= choice < moves for choice in result.choices)
        and all(len(visits) == moves for visits in result.visits)
    )


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    """What SQLite objects to as one sentence."""
    try:
        yield
    except sqlite3.Error as error:
        text = str(error)
        if "not a database" in text:
            why = "it is not a file of nimdesk study results"
        elif "locked" in text or "busy" in text:
            why = "another program is using it"
        elif "full" in text:
            why = "no space is left on the disk"
        elif "unable to open" in text:
            why = "it cannot be opened for writing there"
        elif "readonly" in text:
            why = "it is write-protected"
        elif "malformed" in text:
            why = "it is damaged"
        else:
            why = text
        raise ResultsError(f"The results in “{path}” cannot be read or written: {why}.") from error
