"""SQLite files: nothing in them is trusted, what takes too long is interrupted, and a failed change is undone."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from nimdesk.disk.databases import connect, connect_to_read, transaction, within

KILLED = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("CREATE TABLE words (one)")
connection.execute("INSERT INTO words VALUES ('kept')")
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
connection.executemany("INSERT INTO words VALUES (?)", [("x" * 500,)] * 2_000)
os._exit(0)
"""
"""A program that is killed when part of a change is in the file."""
COUNT = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c {}) SELECT count(*) FROM c"


def test_what_takes_too_long_is_interrupted_and_nothing_after_it() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        with pytest.raises(sqlite3.OperationalError, match="interrupted"), within(connection, 0.05):
            connection.execute(COUNT.format("")).fetchone()
        assert connection.execute(COUNT.format("LIMIT 100000")).fetchone() == (100_000,)
        with within(connection, 3_600):
            assert connection.execute(COUNT.format("LIMIT 100000")).fetchone() == (100_000,)


def test_what_fails_in_a_transaction_is_heard_and_undone() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE numbers (one)")
        with pytest.raises(sqlite3.OperationalError, match="no such table"), transaction(connection):
            connection.executemany("INSERT INTO numbers VALUES (?)", [(1,)]).execute("INSERT INTO words VALUES ('one')")
        assert connection.execute("SELECT * FROM numbers").fetchall() == []


def test_a_file_from_elsewhere_is_not_trusted(tmp_path: Path) -> None:
    """Neither what its schema would run, nor that its pages are whole, nor how much is in it."""
    with closing(connect(tmp_path / "x.db", "rwc")) as connection:
        said = [connection.execute(f"PRAGMA {name}").fetchone() for name in ("trusted_schema", "cell_size_check")]
        with pytest.raises(sqlite3.DataError, match="too big"):
            connection.execute("SELECT zeroblob(40000000)")
        with pytest.raises(sqlite3.DataError, match="too"):
            connection.execute(f"SELECT {'1 + ' * 50_000} 1")
    assert said == [(0,), (1,)]


def test_what_a_killed_program_left_half_written_is_no_obstacle_to_a_reader(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=True)
    assert path.with_name("x.db-journal").stat().st_size
    with closing(connect_to_read(path)) as connection:
        assert connection.execute("SELECT * FROM words").fetchall() == [("kept",)]
