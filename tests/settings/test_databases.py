"""What SQLite does within a time, and without a bound again after it."""

import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest

from nimdesk.disk.databases import Mode, connect, transaction, within

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


@pytest.mark.parametrize("ending", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("mode", ["ro", "rwc"])
def test_a_file_with_another_name_beside_it_is_left_alone(tmp_path: Path, ending: str, mode: Mode) -> None:
    path, victim, link = tmp_path / "x.db", tmp_path / "victim", tmp_path / f"x.db{ending}"
    with closing(connect(path, "rwc")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    victim.write_text("not for SQLite")
    link.hardlink_to(victim)
    with pytest.raises(sqlite3.OperationalError, match=rf"^“x\.db{ending}” is in the way and is no file of SQLite$"):
        connect(path, mode)
    assert victim.read_text() == "not for SQLite"
    link.unlink()
    connect(path, mode).close()


@pytest.mark.parametrize("mode", ["ro", "rwc"])
def test_a_name_that_leaves_none_for_a_journal_beside_it_is_told(tmp_path: Path, mode: Mode) -> None:
    path = tmp_path / f"{'x' * 247}.db"
    path.touch()
    with pytest.raises(sqlite3.OperationalError, match=r"^the name is too long$"):
        connect(path, mode)


def test_a_journal_that_names_another_file_deletes_none(tmp_path: Path) -> None:
    path, victim = tmp_path / "x.db", tmp_path / "victim"
    with closing(connect(path, "rwc")) as connection:
        connection.execute("CREATE TABLE numbers (one)")
    victim.write_text("not for SQLite")
    name = str(victim).encode()
    header = bytes.fromhex("d9d505f920a163d7") + struct.pack(">6I", 0, 0, 2, 512, 4096, 0)
    end = struct.pack(">I", 0x40000000 // 4096 + 1) + name + struct.pack(">2I", len(name), sum(name))
    (tmp_path / "x.db-journal").write_bytes(header.ljust(512, b"\0") + end + bytes.fromhex("d9d505f920a163d7"))
    with pytest.raises(sqlite3.OperationalError, match=r"^“x\.db-journal” is in the way: it names another file$"):
        connect(path, "rwc")
    assert victim.read_text() == "not for SQLite"
