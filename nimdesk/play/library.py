"""The library: every game that is played, in one SQLite file, each ply with its search as soon as it is played.

One transaction a change, in write-ahead mode, on the disk when it is over (``synchronous = FULL``): what was written
survives the end of the program and a power cut. Several processes may use the file at once; each writes its own games.
Tables: ``games``, a row each; ``nodes``, the trees of their variations; ``searches``, the search that chose a node, as
JSON like that of a saved game (``schema.SearchPart``); ``windows``, which game each window shows; ``turns``, the clock
of a game and its forfeit; ``resting``, a search of the position at a node that led to no move yet; ``made``, what made
the searches of a game, as a saved game says it. Version 1 lacked the last three, version 2 the nodes at each moment of
a search, version 3 ``made``, version 4 what a search has proven of its position, version 5 the ``comments`` on moves.

The file grows to ``MOST_BYTES``. Beyond that the searches of the games that were played longest ago make room for new
ones; their moves stay, and so does all of the games that windows show.

A file that is broken is set aside under another name, and a new one begun.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Self

import msgspec
from msgspec import Meta

from nimdesk.disk import atomic
from nimdesk.disk.atomic import os_error_words
from nimdesk.disk.databases import (
    FAULTS,
    LOOK_S,
    connect,
    connect_to_read,
    database_error_words,
    error_name,
    holds,
    transaction,
    within,
)
from nimdesk.disk.paths import make_private
from nimdesk.disk.provenance import Provenance
from nimdesk.errors import DamagedLibraryError, LibraryError, NimdeskError
from nimdesk.games import AnyPosition
from nimdesk.play.kept import Change, Head, KeptGame, NodeRow, StoredGame
from nimdesk.play.results import Finished
from nimdesk.play.schema import MAX_MADE
from nimdesk.play.snapshots import kept
from nimdesk.search import Snapshot

if TYPE_CHECKING:
    from nimdesk.play.record import MoveReader

APPLICATION_ID = 0x6E696D67
"""Marks the file as ours in SQLite's header ("nimg"); ``file`` and ``sqlite3`` show it."""
SCHEMA_VERSION = 6
MOST_BYTES = 500_000_000
"""How large the file may grow before searches are dropped."""
_DROPPED_AT_ONCE = 4
"""Of so many games at most, so that no move waits for long; a file that is far too large shrinks move by move."""
_DAY_S = 86_400.0
_TURN = ("used_s", "forfeit")
_HEAD = tuple(name for name in Head.__struct_fields__ if name not in _TURN)
_TABLES_1 = (
    f"CREATE TABLE games(id INTEGER PRIMARY KEY, changed REAL NOT NULL, deleted REAL, {', '.join(_HEAD)})",
    "CREATE TABLE nodes(game, node INTEGER, parent INTEGER, rank INTEGER, move TEXT, by TEXT, elapsed_s REAL, "
    "PRIMARY KEY(game, node)) WITHOUT ROWID",
    "CREATE TABLE searches(game, node INTEGER, search TEXT, PRIMARY KEY(game, node))",
    "CREATE TABLE windows(place INTEGER PRIMARY KEY, game INTEGER)",
    "CREATE INDEX newest ON games(changed)",
)
_SINCE_2 = (
    "CREATE TABLE turns(game INTEGER PRIMARY KEY, used_s REAL NOT NULL, forfeit TEXT NOT NULL)",
    "CREATE TABLE resting(game INTEGER PRIMARY KEY, node INTEGER, hint INTEGER, search TEXT)",
)
_SINCE_4 = ("CREATE TABLE made(game INTEGER PRIMARY KEY, made TEXT NOT NULL)",)
_SINCE_6 = ("CREATE TABLE comments(game, node INTEGER, comment TEXT NOT NULL, PRIMARY KEY(game, node)) WITHOUT ROWID",)
_MARKS = (f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {SCHEMA_VERSION}")
# The last second of the year 9999, which every calendar knows.
_LAST = 253_402_300_799
_OF_GAME = ("nodes", "searches", "windows", "turns", "resting", "made", "comments")
_Made = Annotated[tuple[Provenance, ...], Meta(max_length=MAX_MADE)]
_Nodes = Annotated[tuple[NodeRow, ...], Meta(max_length=100_000)]


# Deleted by a program that was killed before it could erase them; and set up, but never played.
_OF_NO_USE = """
    SELECT id FROM games WHERE deleted < ?
    OR id NOT IN (SELECT game FROM windows) AND id NOT IN (SELECT game FROM nodes)
"""


_OLDEST_SEARCHED = """
    SELECT id FROM games WHERE id != ? AND id NOT IN (SELECT game FROM windows)
    AND (EXISTS (SELECT 1 FROM searches WHERE game = id) OR EXISTS (SELECT 1 FROM resting WHERE game = id))
    ORDER BY changed LIMIT 1
"""


class _Seated(msgspec.Struct, frozen=True):
    """Who sits at one side, by the name of the agent; "" for a person."""

    agent: str = ""


class Entry(msgspec.Struct, frozen=True):
    """A game in the list, and when something was last played in it, in seconds since 1970."""

    id: int
    changed: Annotated[float, Meta(ge=0, le=_LAST)]
    head: Head


class Library:
    """The file; use it in the thread that opened it, and close it.

    ``LibraryError`` with one sentence for everything that can be wrong with it, at opening and later;
    ``DamagedLibraryError`` where ``set_aside`` helps.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, most_bytes: int = MOST_BYTES) -> None:
        """Made by ``open`` and ``look_into``."""
        self.path, self._most_bytes = path, most_bytes
        self._connection = connection
        self._deleted: set[int] = set()

    @classmethod
    def open(cls, path: Path, *, most_bytes: int = MOST_BYTES) -> Library:
        """The library in this file, made where there is none."""
        try:
            make_private(path.parent)
        except (OSError, ValueError) as error:
            raise LibraryError(f"Games cannot be kept in “{path}”: {os_error_words(error)}.") from error
        library = cls(path, _connect(path, read_only=False), most_bytes)
        try:
            library._prepare()
        except BaseException:
            library._connection.close()
            raise
        return library

    @classmethod
    def look_into(cls, path: Path) -> Library | None:
        """The library as it is, to be read in a moment; None where there is none yet."""
        if not os.path.isfile(path):
            return None
        library = cls(path, _connect(path, read_only=True))
        try:
            if library._version() == 0:
                library.close()
                return None
        except BaseException:
            library.close()
            raise
        return library

    def _prepare(self) -> None:
        with _told(self.path):
            version = self._version()
            if version == 0:
                self._connection.execute("PRAGMA journal_mode = WAL")
            if version < SCHEMA_VERSION:
                with transaction(self._connection):
                    for statement in (*_tables(SCHEMA_VERSION)[len(_tables(version)) :], *_MARKS):
                        self._connection.execute(statement)
            self._connection.execute("PRAGMA synchronous = FULL")
            with within(self._connection, LOOK_S), transaction(self._connection):
                self._erase([row[0] for row in self._connection.execute(_OF_NO_USE, (time.time() - _DAY_S,))])

    def _version(self) -> int:
        with _told(self.path):
            application = self._connection.execute("PRAGMA application_id").fetchone()[0]
            version = int(self._connection.execute("PRAGMA user_version").fetchone()[0])
            if holds(self._connection, ()):
                return 0
            if application == APPLICATION_ID and version > SCHEMA_VERSION:
                raise LibraryError(
                    f"The library of games “{self.path}” is of a newer nimdesk; this one keeps no games in it."
                )
            if application != APPLICATION_ID or version < 1 or not holds(self._connection, _tables(version)):
                raise DamagedLibraryError(f"The file “{self.path}” is not a library of games of nimdesk.")
        return version

    # Writing

    def write(self, change: Change, window: int = 0) -> None:
        """Keep this; when it returns, it is on the disk. ``window`` is the place of the window that shows the game.

        A game that is shown is no longer deleted.
        """
        with _told(self.path), transaction(self._connection) as do:
            self._write(do, change, window)

    def add(self, changes: Sequence[Change]) -> None:
        """Keep all of these, or none of them; no window shows them."""
        with _told(self.path), transaction(self._connection) as do:
            for change in changes:
                self._write(do, change, 0)

    def _write(self, do: sqlite3.Connection, change: Change, window: int) -> None:
        head = msgspec.structs.asdict(change.head)
        values = (change.id, time.time(), *(head[name] for name in _HEAD))
        newer = ("changed", *_HEAD) if change.of_tree else _HEAD
        do.execute(
            f"INSERT INTO games(id, changed, {', '.join(_HEAD)}) VALUES ({', '.join('?' * len(values))}) "
            f"ON CONFLICT(id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in newer)}",
            values,
        )
        do.executemany(
            "INSERT OR REPLACE INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?)",
            ((change.id, *msgspec.structs.astuple(row)[:-1]) for row in change.nodes),
        )
        do.executemany(
            "INSERT OR REPLACE INTO comments VALUES (?, ?, ?)",
            ((change.id, row.node, row.comment) for row in change.nodes if row.comment),
        )
        # What a start reads is read here, where a broken library can still be set aside.
        do.execute("SELECT made FROM made WHERE game = ?", (change.id,)).fetchone()
        there = {node for (node,) in do.execute("SELECT node FROM nodes WHERE game = ?", (change.id,))}
        if not there.issuperset(row.node for row in change.nodes):  # SQLite notices no page that is out of order
            raise DamagedLibraryError(f"Games cannot be kept in “{self.path}”: a move is lost there at once.")
        do.executemany(
            "INSERT OR REPLACE INTO searches VALUES (?, ?, ?)",
            ((change.id, node, _encoded(snapshot)) for node, snapshot in change.searches),
        )
        turn = (change.id, *(head[name] for name in _TURN))
        do.execute("INSERT OR REPLACE INTO turns VALUES (?, ?, ?)", turn)
        if change.rests:
            do.execute("DELETE FROM resting WHERE game = ?", (change.id,))
        if change.rests and change.resting is not None:
            node, resting = change.resting
            row = change.id, node, resting.hint, _encoded(resting.snapshot)
            do.execute("INSERT INTO resting VALUES (?, ?, ?, ?)", row)
        for table in ("nodes", "searches", "comments"):
            gone = ((change.id, node) for node in change.gone)
            do.executemany(f"DELETE FROM {table} WHERE game = ? AND node = ?", gone)
        if change.searches:
            from nimdesk.play.record import made_of  # lazy: the window paints without it

            made = msgspec.json.encode(made_of(change.read, change.revision)).decode()
            do.execute("INSERT OR REPLACE INTO made VALUES (?, ?)", (change.id, made))
        if window:
            do.execute("INSERT OR REPLACE INTO windows VALUES (?, ?)", (window, change.id))
            do.execute("UPDATE games SET deleted = NULL WHERE id = ?", (change.id,))
        if change.searches:
            self._make_room(change.id)

    def _make_room(self, shown: int) -> None:
        """Drop the searches of the oldest games where the file has grown too large; ``shown`` keeps its own."""
        for _ in range(_DROPPED_AT_ONCE):
            if self._used_bytes() <= self._most_bytes:
                return
            oldest = self._connection.execute(_OLDEST_SEARCHED, (shown,)).fetchone()
            if oldest is None:
                return
            for table in ("searches", "resting"):
                self._connection.execute(f"DELETE FROM {table} WHERE game = ?", oldest)

    def _used_bytes(self) -> int:
        pages, free, size = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)

    def delete(self, games: Iterable[int]) -> None:
        """Take these out of the list; ``restore`` brings them back until the library is closed."""
        wanted = set(games)
        with _told(self.path), transaction(self._connection) as do:
            do.executemany("UPDATE games SET deleted = ? WHERE id = ?", [(time.time(), game) for game in wanted])
        self._deleted |= wanted

    def restore(self, games: Iterable[int]) -> None:
        """Bring deleted games back."""
        wanted = set(games)
        with _told(self.path), transaction(self._connection) as do:
            do.executemany("UPDATE games SET deleted = NULL WHERE id = ?", [(game,) for game in wanted])
        self._deleted -= wanted

    def _erase(self, games: Sequence[int]) -> None:
        keys = {"games": "id"} | dict.fromkeys(_OF_GAME, "game")
        for table, key in keys.items():
            self._connection.executemany(f"DELETE FROM {table} WHERE {key} = ?", [(game,) for game in games])

    # Reading

    @contextmanager
    def _looking(self, sql: str, *values: object) -> Iterator[sqlite3.Cursor]:
        """The rows that this selects, to be read in a moment."""
        with _told(self.path), within(self._connection, LOOK_S):
            yield self._connection.execute(sql, values)

    def shown_in(self, window: int) -> StoredGame | None:
        """The game that this window showed last; None if there is none."""
        with self._looking("SELECT game FROM windows WHERE place = ?", window) as rows:
            games = [game for (game,) in rows if isinstance(game, int)]
        return self.game(games[0]) if games else None

    def windows_with(self, game: int) -> list[int]:
        """The places of the windows that showed this game last."""
        with self._looking("SELECT place FROM windows WHERE game = ?", game) as rows:
            return [row[0] for row in rows]

    def game(self, game: int) -> StoredGame | None:
        """This game without its searches; None if there is none."""
        with self._looking(f"SELECT {', '.join(_HEAD)} FROM games WHERE id = ?", game) as heads:
            head = heads.fetchone()
            if head is None:
                return None
        turn: tuple[object, ...] | None = None
        version = self._version()
        if version > 1:  # else it is looked into, and not yet brought up
            with self._looking("SELECT used_s, forfeit FROM turns WHERE game = ?", game) as turns:
                turn = turns.fetchone()
        made: tuple[Provenance, ...] = ()
        if version > 3:
            with self._looking("SELECT made FROM made WHERE game = ?", game) as mades:
                (text,) = mades.fetchone() or ("[]",)
            with suppress(msgspec.DecodeError, RecursionError):  # what is damaged costs this alone
                made = msgspec.json.decode(str(text), type=_Made)
        with _told(self.path):
            found = _head((*head, *(turn or ())))
        comments: dict[object, object] = {}
        if version > 5:
            with self._looking("SELECT node, comment FROM comments WHERE game = ?", game) as rows:
                comments = dict(rows.fetchall())
        tree = "SELECT node, parent, rank, move, by, elapsed_s FROM nodes WHERE game = ?"
        with self._looking(tree, game) as rows:
            nodes = [(*row, comments.get(row[0], "")) for row in rows.fetchall()]
            return StoredGame(game, found, msgspec.convert(nodes, _Nodes), made)

    def searches(self, game: int, wanted: Mapping[int, AnyPosition]) -> Iterator[tuple[int, Snapshot]]:
        """The searches of these nodes (``KeptGame.searched``), one after the other; a damaged one is left out."""
        from nimdesk.play.record import MoveReader  # lazy: the window paints without it

        reader, found = MoveReader(), "SELECT search FROM searches WHERE game = ? AND node = ?"
        for node in sorted(wanted):
            with self._looking(found, game, node) as rows:
                row = rows.fetchone()
            if row is not None and (snapshot := _decoded(row[0], wanted[node], reader)) is not None:
                yield node, snapshot

    def resting(self, game: int, positions: Mapping[int, AnyPosition]) -> tuple[int, Snapshot, bool] | None:
        """The search that rests, if there is one: the number of its node, and whether it was for a hint.

        ``positions`` are those of the nodes, by their numbers.
        """
        from nimdesk.play.record import MoveReader  # lazy: the window paints without it

        with self._looking("SELECT node, hint, search FROM resting WHERE game = ?", game) as rows:
            node, hint, text = rows.fetchone() or (-1, 0, None)
        snapshot = _decoded(text, positions[node], MoveReader()) if node in positions else None
        return None if snapshot is None else (node, snapshot, bool(hint))

    def read(self, game: int) -> KeptGame | None:
        """This game with all its searches; None if there is none, ``NimdeskError`` where the rules do not allow it."""
        stored = self.game(game)
        if stored is None:
            return None
        found = KeptGame.read(stored)
        for node, snapshot in self.searches(game, found.searched):
            found.add_search(node, snapshot)
        if (resting := self.resting(game, found.positions)) is not None:
            found.add_resting(*resting)
        found.end_reading()
        return found

    def entries(self) -> list[Entry]:
        """All games in which a move was played, newest first; one whose row is damaged is left out."""
        listed = f"SELECT id, changed, {', '.join(_HEAD)} FROM games WHERE deleted IS NULL AND length > 0"
        entries = []
        with self._looking(f"{listed} ORDER BY changed DESC, id") as rows:
            for row in rows:
                with suppress(msgspec.ValidationError):
                    entries.append(msgspec.convert({"id": row[0], "changed": row[1], "head": _head(row[2:])}, Entry))
        return entries

    def finished(self) -> list[Finished]:
        """The games that a person played to the end against an agent, the last one at the end."""
        ended = "FROM games WHERE deleted IS NULL AND result != '' AND people IN (1, 2) ORDER BY changed, id"
        found = []
        with self._looking(f"SELECT game, players, people, result {ended}") as rows:
            for game, players, people, result in rows:
                with suppress(msgspec.ValidationError, msgspec.DecodeError, RecursionError):
                    seated = msgspec.json.decode(str(players), type=tuple[_Seated, _Seated])
                    score = 0.5 if result == "draw" else float(result == ("first" if people == 1 else "second"))
                    found.append(Finished(str(game), seated[people == 1].agent, score))
        return found

    @property
    def used_bytes(self) -> int:
        """How much of the file is in use."""
        with _told(self.path):
            return self._used_bytes()

    def close(self) -> None:
        """Leave the file; what was deleted here is erased. It is whole at any moment."""
        with suppress(LibraryError, sqlite3.Error):
            if self._deleted:
                with _told(self.path), transaction(self._connection) as do:
                    still = {game for (game,) in do.execute("SELECT id FROM games WHERE deleted IS NOT NULL")}
                    self._erase(list(self._deleted & still))
        self._deleted = set()
        with suppress(sqlite3.Error):
            self._connection.close()

    def __enter__(self) -> Self:
        """The library itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()


def set_aside(path: Path) -> Path:
    """Rename a broken library, whose new name is returned; ``LibraryError`` where that is impossible."""
    try:
        aside = atomic.set_aside(path)
        for ending in ("-wal", "-shm"):
            with suppress(FileNotFoundError):
                path.with_name(path.name + ending).rename(aside.with_name(aside.name + ending))
    except OSError as error:
        why = os_error_words(error)
        raise LibraryError(f"The library of games “{path}” is broken and cannot be set aside: {why}.") from error
    return aside


def _connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    if os.path.isdir(path):
        raise LibraryError(f"Games cannot be kept in “{path}”: that is a folder, not a file.")
    with _told(path):
        return connect_to_read(path) if read_only else connect(path, "rwc")


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Whatever SQLite, or a damaged row, complains of as one sentence."""
    try:
        yield
    except FAULTS as error:
        broken = error_name(error).startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or "no such" in str(error)
        kind = DamagedLibraryError if broken else LibraryError
        raise kind(f"Games cannot be kept in “{path}”: {database_error_words(error)}.") from error
    except UnicodeEncodeError as error:  # not the fault of the file
        raise LibraryError(f"A game cannot be kept in “{path}”: a text in it is no Unicode.") from error
    except msgspec.ValidationError as error:
        raise DamagedLibraryError(f"Games cannot be kept in “{path}”: a row in it is damaged.") from error


def _tables(version: int) -> tuple[str, ...]:
    """How the tables of this version are made; 0 has none."""
    return (
        *(_TABLES_1 if version else ()),
        *(_SINCE_2 if version > 1 else ()),
        *(_SINCE_4 if version > 3 else ()),
        *(_SINCE_6 if version > 5 else ()),
    )


def _head(row: tuple[object, ...]) -> Head:
    return msgspec.convert(row, Head, strict=False)  # SQLite has no bool


def _decoded(text: object, position: AnyPosition, reader: MoveReader) -> Snapshot | None:
    """The search of this position; None where it is damaged."""
    # Lazy: the window paints without them.
    from nimdesk.disk.documents import DocumentFaultError, parsed
    from nimdesk.play.record import snapshot_from
    from nimdesk.play.schema import SearchPart

    if isinstance(text, str):
        with suppress(DocumentFaultError, NimdeskError, ValueError):
            return kept(snapshot_from(parsed(text.encode(), SearchPart), position, reader), position)
    return None


def _encoded(snapshot: Snapshot) -> str:
    from nimdesk.play.record import search_part  # lazy: the window paints without it

    return msgspec.json.encode(search_part(snapshot)).decode()
