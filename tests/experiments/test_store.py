"""The file of results keeps what it is given, and refuses, in one sentence, what is not its own."""

import itertools
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from nimdesk.errors import ResultsError
from nimdesk.experiments import store as store_module
from nimdesk.experiments.matches.work import GameResult, MatchPart, PlyResult
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, new_plan
from nimdesk.experiments.store import APPLICATION_ID, Store


def plan(seed: int = 0) -> Plan:
    players = {"a": PlayerPart(agent="random")}
    match = MatchPart(players=["a", "a"], positions=["nim:1,2"], games=100)
    return new_plan("kept", players, matches=[match], seed=seed)


def result(number: int) -> GameResult:
    return GameResult(number, "nim:1,2", 0, (PlyResult("1-1", 10, 11, 0.5, "+"), PlyResult("2-2", 0, 0, 0.25, "=")))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "results.db"


def fill(path: Path, numbers: range) -> None:
    with Store.open_for(path, plan()) as store:
        for number in numbers:
            store.add(result(number))


def test_what_is_added_is_there_for_others_at_once_and_later(path: Path) -> None:
    with Store.open_for(path, plan()) as store:
        store.add(result(7))
        with Store.open_to_read(path) as reader:
            assert list(reader.results()) == [result(7)]
        store.add(result(3))
    with Store.open_to_read(path) as reader:
        assert list(reader.results()) == [result(3), result(7)]
        assert reader.plan == plan()
        assert reader.count() == 2


def test_a_result_that_is_stored_stays(path: Path) -> None:
    fill(path, range(1))
    with Store.open_for(path, plan()) as store:
        store.add(GameResult(0, "nim:1,2", 1, ()))
        assert list(store.results()) == [result(0)]


def test_the_file_says_what_it_is(path: Path) -> None:
    fill(path, range(1))
    header = path.read_bytes()[:100]
    assert int.from_bytes(header[68:72]) == APPLICATION_ID
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    connection.close()


def refused(path: Path, of: Plan | None = None) -> str:
    messages = set()
    with pytest.raises(ResultsError) as writing:
        Store.open_for(path, of or plan())
    messages.add(str(writing.value))
    if of is None:
        with pytest.raises(ResultsError) as reading:
            Store.open_to_read(path)
        messages.add(str(reading.value))
    (message,) = messages
    assert message.endswith(".")
    assert message.count("\n") == 0
    return message


def test_results_of_another_plan(path: Path) -> None:
    fill(path, range(2))
    assert "are those of another plan (“kept”)" in refused(path, plan(seed=1))
    with Store.open_to_read(path) as store:
        assert store.count() == 2


def test_a_text_file(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("These are my notes, and no database. " * 50)
    before = path.read_bytes()
    assert "it is not a results file of nimdesk" in refused(path)
    assert path.read_bytes() == before


def test_a_database_of_somebody_else(path: Path) -> None:
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = path.read_bytes()
    assert "it is not a results file of nimdesk" in refused(path)
    assert path.read_bytes() == before


def test_results_of_a_newer_version(path: Path) -> None:
    fill(path, range(1))
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    assert "a newer nimdesk made the file (its version is 2, this program reads up to 1)" in refused(path)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_truncated_file(path: Path, share: float) -> None:
    fill(path, range(100))
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    assert "the file is damaged" in refused(path)


def test_a_damaged_page(path: Path) -> None:
    fill(path, range(200))
    data = bytearray(path.read_bytes())
    # The second page holds a root of a table.
    data[4096:8192] = b"\xaa" * 4096
    path.write_bytes(bytes(data))
    assert "the file is damaged" in refused(path)


def test_a_file_that_takes_long_to_look_through_is_read_and_tells_of_damage_where_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open_for(path, plan()) as store:
        store.add(*map(result, range(100_000)))
    for far in (0.0, 0.001, 0.002, 0.004, 0.008):
        monkeypatch.setattr("nimdesk.experiments.store.CHECK_S", far)
        with Store.open_to_read(path) as reader:
            assert reader.count() == 100_000
    data = bytearray(path.read_bytes())
    data[-4096:] = b"\xaa" * 4096
    path.write_bytes(bytes(data))
    with pytest.raises(ResultsError, match="the file is damaged"), Store.open_to_read(path) as reader:
        list(reader.results())


def test_a_result_under_the_number_of_another_task(path: Path) -> None:
    fill(path, range(2))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE results SET number = 5 WHERE number = 1")
    with Store.open_to_read(path) as reader, pytest.raises(ResultsError, match="result 5 in them is damaged"):
        list(reader.results())


def test_an_empty_file_is_made_into_one_of_ours(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    with pytest.raises(ResultsError, match="nothing is stored in it yet"):
        Store.open_to_read(path)
    fill(path, range(3))
    with Store.open_to_read(path) as store:
        assert store.count() == 3


def test_a_file_that_is_not_there(path: Path) -> None:
    with pytest.raises(ResultsError, match=r"cannot be opened: there is no such file or folder\.$"):
        Store.open_to_read(path)


@pytest.mark.parametrize("letters", [247, 300])
def test_a_name_too_long_for_the_file_or_for_those_that_sqlite_puts_beside_it(path: Path, letters: int) -> None:
    far = path.with_name(f"{'x' * letters}.db")
    with pytest.raises(ResultsError, match=r"^The results .*(the name is too long|cannot be written to)\.$"):
        fill(far, range(1))
    with pytest.raises(ResultsError, match=r"^The results “"):
        Store.open_to_read(far)


@pytest.mark.skipif(os.name != "posix", reason="no pipe has a name there")
def test_a_pipe(path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)
    for use in (lambda: Store.open_for(path, plan()), lambda: Store.open_to_read(path)):
        with pytest.raises(ResultsError, match=r": that is no ordinary file\.$"):
            use()


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"that is a folder, not a file\.$"):
        Store.open_for(tmp_path, plan())


def test_a_locked_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nimdesk.disk.databases.BUSY_S", 0.05)
    fill(path, range(1))
    other = sqlite3.connect(path, isolation_level=None)
    with Store.open_for(path, plan()) as store:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(ResultsError, match=r"another program has locked the file\.$"):
            store.add(result(1))
        other.execute("ROLLBACK")
        store.add(result(1))
        assert store.count() == 2
    other.close()


def add_for_ever(store: Store) -> None:
    for number in itertools.count():
        store.add(result(number))


def test_a_full_disk_loses_nothing_that_was_stored(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect

    def small(*where: object, **how: object) -> sqlite3.Connection:
        # SQLite says the same, "database or disk is full", when it may not use more pages.
        connection: sqlite3.Connection = connect(*where, **how)  # type: ignore[call-overload]
        connection.execute("PRAGMA max_page_count = 8")
        return connection

    monkeypatch.setattr(sqlite3, "connect", small)
    with Store.open_for(path, plan()) as store:
        with pytest.raises(ResultsError, match=r"no space is left on the disk; what was stored is kept\.$"):
            add_for_ever(store)
        number = store.count()
    assert number > 10
    with Store.open_to_read(path) as reader:
        assert [each.number for each in reader.results()] == list(range(number))


@pytest.mark.skipif(sys.platform == "win32", reason="no file that is open can be deleted there")
@pytest.mark.parametrize("replaced", [False, True])
def test_results_whose_file_is_gone_are_not_stored_into_nothing(
    replaced: bool, path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with Store.open_for(Path(os.path.relpath(path)), plan()) as store:
        store.add(result(0))
        monkeypatch.chdir("/")
        store.add(result(1))
        path.rename(tmp_path / "elsewhere.db")
        if replaced:
            path.write_bytes(b"another file")
        with pytest.raises(
            ResultsError, match=r"^The results “.*” are gone: the file was moved, replaced or deleted, or its disk"
        ):
            store.add(result(2))
    assert not replaced or path.read_bytes() == b"another file"


def test_two_runs_cannot_add_to_one_file(path: Path) -> None:
    with Store.open_for(path, plan()) as store:
        with pytest.raises(ResultsError) as caught:
            Store.open_for(path, plan())
        assert str(caught.value) == (
            f"The results “{path}” are being added to by another run (process {os.getpid()}); wait for it, stop it, "
            "or choose another file."
        )
        store.add(result(1))
    fill(path, range(2, 3))
    assert sorted(each.name for each in path.parent.iterdir()) == ["results.db"]


_HOLD = """
import sys
from contextlib import closing, suppress
from pathlib import Path
from nimdesk.experiments.store import ResultsLock
lock = ResultsLock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_another_program_has_it_until_it_ends_however_it_does(path: Path) -> None:
    fill(path, range(1))
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(ResultsError, match=rf"another run \(process {other.pid}\)"):
            Store.open_for(path, plan())
        with Store.open_to_read(path) as reader:
            assert reader.count() == 1
        other.kill()
    assert (path.parent / "results.db.lock").exists()
    fill(path, range(1, 2))


def test_the_lock_is_let_go_where_the_file_turns_out_to_be_wrong(path: Path) -> None:
    fill(path, range(1))
    with pytest.raises(ResultsError, match="another plan"):
        Store.open_for(path, plan(seed=1))
    fill(path, range(1, 2))


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
@pytest.mark.parametrize("ending", [".lock", "-wal", "-shm", "-journal"])
def test_a_link_beside_the_results_leads_nobody_to_another_file(path: Path, tmp_path: Path, ending: str) -> None:
    path.parent.mkdir()
    victim = tmp_path / "victim"
    victim.write_bytes(b"1234")
    path.with_name(path.name + ending).symlink_to(victim)
    with suppress(ResultsError):
        fill(path, range(3))
    assert victim.read_bytes() == b"1234"


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system does not tell what is open")
def test_results_that_are_refused_are_not_left_open(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(ResultsError, match="nothing is stored in it yet") as refused:
        Store.open_to_read(path)
    # Whoever holds the error holds what its functions knew.
    assert len(os.listdir("/proc/self/fd")) == before, refused.value


def test_a_persons_link_to_results_is_followed_but_not_one_that_leads_nowhere(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir()
    elsewhere = tmp_path / "elsewhere.db"
    path.symlink_to(elsewhere)
    with pytest.raises(ResultsError, match="a link that leads nowhere has its name"):
        fill(path, range(3))
    assert not elsewhere.exists()
    elsewhere.touch()
    fill(path, range(3))
    assert path.is_symlink()
    with Store.open_to_read(elsewhere) as store:
        assert store.count() == 3


def test_a_file_too_large_to_be_looked_through_in_time_is_opened_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opening_s() -> float:
        """By the clock of this thread alone, so that others on the machine make no difference."""
        began = time.thread_time()
        Store.open_to_read(path).close()
        return time.thread_time() - began

    fill(path, range(1))
    with closing(sqlite3.connect(path)) as connection, connection:
        rows = ((number, "x" * 200) for number in range(1, 100_000))
        connection.executemany("INSERT INTO results VALUES (?, ?)", rows)
    whole_s = min(opening_s() for _ in range(3))
    monkeypatch.setattr(store_module, "CHECK_S", 0.001)  # it takes some fifty times as long
    assert min(opening_s() for _ in range(20)) < whole_s / 2
    with Store.open_to_read(path) as store:
        assert store.count() == 100_000
        with pytest.raises(ResultsError, match="result 1 in them is damaged"):
            list(store.results())


def test_a_folder_is_no_file_of_results(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r": that is a folder, not a file\.$"):
        Store.open_to_read(tmp_path)
