"""SQLite files made wrong: damaged pages, foreign schemas, values of other kinds; ``mutate`` makes one at random."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random

from json_mutations import ODD_TEXTS, mutated, with_bad_bytes

_PAGE = 4096
# What is too broken already stays as it is.
_GIVEN_UP = (sqlite3.Error, ValueError, ArithmeticError, LookupError)
_ODD_VALUES = (None, -1, 0, 1.5, 1e308, 2**40, 2**63 - 1, -(2**63), "", "x", b"", b"\xff\0", b'{"a": 1}', "9" * 400)


def mutate(path: Path, random: Random, *, huge: int = 20_000) -> None:
    """Put one to three faults into the file."""
    for _ in range(random.choice((1, 1, 2, 3))):
        if random.random() < 0.4:
            _damage(path, random)
        else:
            with (
                suppress(sqlite3.Error, ValueError, ArithmeticError, LookupError),
                closing(sqlite3.connect(path, isolation_level=None)) as connection,
            ):
                _prepare(connection)
                random.choice(_FAULTS)(connection, random, huge)


def _prepare(connection: sqlite3.Connection) -> None:
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.set_progress_handler(_stop_after(200), 1_000)
    connection.execute("PRAGMA journal_mode = DELETE")


def _stop_after(times: int) -> Callable[[], bool]:
    left = iter(range(times))
    return lambda: next(left, None) is None


# Bytes


def _damage(path: Path, random: Random) -> None:
    data = bytearray(path.read_bytes())
    pages = max(1, len(data) // _PAGE)
    one, other = (random.randrange(pages) * _PAGE for _ in range(2))
    kind = random.randrange(7)
    if kind == 0:
        for _ in range(random.choice((1, 3, 50))):
            _flip(data, random.randrange(len(data) or 1), random)
    elif kind == 1:
        _flip(data, random.randrange(100), random)
    elif kind == 2:
        # The head of a page: its kind, its cells, where they begin, its right-most child.
        for _ in range(random.choice((1, 2))):
            at = one + random.randrange(24)
            data[at : at + 1] = random.randbytes(1)
    elif kind == 3:
        data[one : one + _PAGE] = random.choice((bytes(_PAGE), b"\xaa" * _PAGE, random.randbytes(_PAGE)))
    elif kind == 4:
        data[one : one + _PAGE] = bytes(data[other : other + _PAGE])
    elif kind == 5:
        data = bytearray(with_bad_bytes(bytes(data), random))
    else:
        path.with_name(path.name + "-wal").write_bytes(random.randbytes(random.choice((0, 32, 5000))))
        return
    path.write_bytes(bytes(data))


def _flip(data: bytearray, at: int, random: Random) -> None:
    if at < len(data):
        data[at] ^= 1 << random.randrange(8)


# Values


def _tables(connection: sqlite3.Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql > ''")]


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def _value(connection: sqlite3.Connection, random: Random, huge: int) -> None:
    """Another value in one row, or in all."""
    table = random.choice(_tables(connection))
    column = random.choice(_columns(connection, table))
    rows = [row[0] for row in connection.execute(f'SELECT "{column}" FROM {table}')]
    old = random.choice(rows or [None])
    value: object = random.choice((*_ODD_VALUES, random.choice(ODD_TEXTS), "x" * huge, old))
    if isinstance(old, str) and old.startswith(("{", "[")) and random.random() < 0.8:
        value = mutated(json.loads(old), random, huge=huge).decode("utf-8", "replace")
    elif isinstance(old, bytes) and random.random() < 0.8:
        value = with_bad_bytes(old, random)
    elif isinstance(old, int | float) and random.random() < 0.5:
        value = random.choice((old + 1, -old, old * 1000, float(old), str(old)))
    cast = random.choice(("?", "?", "?", "?", "CAST(? AS BLOB)", "CAST(CAST(? AS BLOB) || x'ff' AS TEXT)"))
    where = random.choice((f'WHERE "{column}" IS ?', f'WHERE "{column}" IS ?', "WHERE ? IS ? OR 1"))
    values = (value, old) if where.count("?") == 1 else (value, old, old)
    connection.execute(f'UPDATE {table} SET "{column}" = {cast} {where}', values)


def _row(connection: sqlite3.Connection, random: Random, _huge: int) -> None:
    """A row less, or one that is there already with another key."""
    table = random.choice(_tables(connection))
    columns = _columns(connection, table)
    key, rest = columns[0], columns[1:]
    if random.random() < 0.5:
        # Not by SQLite's own chance: the same seed is to make the same file.
        kept, keys = 1 - 1 / random.choice((1, 2, 5)), connection.execute(f'SELECT DISTINCT "{key}" FROM {table}')
        gone = [row for row in keys.fetchall() if random.random() >= kept]
        connection.executemany(f'DELETE FROM {table} WHERE "{key}" IS ?', gone)
        return
    copied = ", ".join(
        [random.choice((f'-"{key}" - 1', f'"{key}" + 1000000', "NULL", "''")), *(f'"{c}"' for c in rest)]
    )
    connection.execute(f"INSERT OR IGNORE INTO {table} SELECT {copied} FROM {table} LIMIT 3")


def _mark(connection: sqlite3.Connection, random: Random, _huge: int) -> None:
    name = random.choice(("application_id", "user_version"))
    connection.execute(f"PRAGMA {name} = {random.choice((0, 1, 2, -1, 2**31 - 1, 0x4E445354, 0x6E696D78, 0x6E696D67))}")


# Schemas


def _schema(connection: sqlite3.Connection, random: Random, huge: int) -> None:
    """A view, a trigger, a virtual table or a rule that computes, in place of a table or beside it."""
    table = random.choice(_tables(connection))
    columns = _columns(connection, table)
    names = ", ".join(f"x AS {column}" for column in columns)
    endless = f"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT {names} FROM c"
    large = f"SELECT {', '.join(f'zeroblob(999999999) AS {column}' for column in columns)}"
    statements = random.choice(
        (
            (f"DROP TABLE {table}",),
            (f"DROP TABLE {table}", f"CREATE VIEW {table} AS {endless}"),
            (f"DROP TABLE {table}", f"CREATE VIEW {table} AS {large}"),
            (f"DROP TABLE {table}", f"CREATE VIRTUAL TABLE {table} USING fts5({', '.join(columns)})"),
            (f"DROP TABLE {table}", f"CREATE TABLE {table}({columns[0]})"),
            (f"ALTER TABLE {table} RENAME COLUMN {columns[-1]} TO other",),
            (f"ALTER TABLE {table} ADD COLUMN more AS (hex(zeroblob(9999999))) VIRTUAL",),
            (f"ALTER TABLE {table} ADD COLUMN more CHECK(length(hex(zeroblob(999999))) > 0)",),
            (f"CREATE INDEX odd ON {table}(hex(zeroblob(99999)))",),
            (f"CREATE TRIGGER odd AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END",),
            (f"CREATE VIEW odd AS {endless}",),
            ("CREATE TABLE more(x)", "INSERT INTO more VALUES (zeroblob(99999))"),
            ("ANALYZE",),
            ("PRAGMA journal_mode = WAL",),
            ("PRAGMA writable_schema = ON", "UPDATE sqlite_master SET rootpage = rootpage + 1"),
            ("PRAGMA writable_schema = ON", f"UPDATE sqlite_master SET sql = '{'(' * min(huge, 100_000)}'"),
            ("PRAGMA writable_schema = ON", "UPDATE sqlite_master SET sql = CAST(x'ff00ff' AS TEXT)"),
            ("PRAGMA writable_schema = ON", "UPDATE sqlite_master SET type = 'view'"),
            (
                "PRAGMA writable_schema = ON",
                "INSERT INTO sqlite_master SELECT type, name || 'x', tbl_name, 1, sql FROM sqlite_master",
            ),
        )
    )
    for statement in statements:
        connection.execute(statement)


_FAULTS = (_value, _value, _value, _row, _mark, _schema)
