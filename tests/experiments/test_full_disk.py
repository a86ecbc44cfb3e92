"""A disk that is full while a run goes on: the run says so, waits, and goes on when there is room."""

from __future__ import annotations

import errno
import io
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import nimdesk as nd
from nimdesk.cli.running import run_plan
from nimdesk.disk.locks import FileLock
from nimdesk.errors import NimdeskError, StoringError
from nimdesk.experiments.files import read
from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, new_plan
from nimdesk.experiments.run import Event, Run, RunState, StateChanged
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.store import Store

if sys.platform == "win32":
    pytest.skip("Windows has no limit on the size of files", allow_module_level=True)

WAIT_S = 120.0


def plan(games: int) -> Plan:
    match = MatchPart(players=["a", "a"], positions=["nim:3,4,5"], games=games)
    return new_plan("full", {"a": PlayerPart(agent="random")}, matches=[match])


class Heard:
    """The states of a run, as they come."""

    def __init__(self) -> None:
        self.states: list[RunState] = []
        self.errors: list[NimdeskError] = []
        self.waiting = threading.Event()

    def __call__(self, event: Event) -> None:
        if isinstance(event, StateChanged):
            self.states.append(event.state)
            if event.state is RunState.WAITING:
                assert event.error is not None
                self.errors.append(event.error)
                self.waiting.set()


@pytest.mark.parametrize("size", [0, 100, 5_000])
def test_a_run_that_cannot_begin_leaves_no_file_behind(
    size: int, tmp_path: Path, limit_files: Callable[[int], None]
) -> None:
    limit_files(size)
    with pytest.raises(NimdeskError, match="“"):
        Store.open_for(tmp_path / "run.db", plan(10))
    limit_files(-1)
    assert [path.name for path in tmp_path.iterdir()] in ([], ["run.db.lock"])
    Store.open_for(tmp_path / "run.db", plan(10)).close()


def test_a_run_waits_for_room_and_goes_on_to_the_same_results(
    tmp_path: Path, limit_files: Callable[[int], None]
) -> None:
    wanted, heard = plan(1_500), Heard()
    path = tmp_path / "run.db"
    run = Run(schedule_of(wanted), path, workers=1, listener=heard)
    limit_files(120_000)
    run.start()
    try:
        assert heard.waiting.wait(WAIT_S)
        assert run.state is RunState.WAITING
        assert run.hindrance is heard.errors[0]
        assert not run.wait(0)
    finally:
        limit_files(-1)
    assert run.wait(WAIT_S)
    assert (run.state, run.error, run.hindrance) == (RunState.FINISHED, None, None)
    assert heard.states.count(RunState.WAITING) == 1
    with Store.open_to_read(path) as store:
        assert store.count() == run.found.done == schedule_of(wanted).total
    assert "[Errno" not in str(heard.errors[0])
    assert str(path) in str(heard.errors[0])


def test_a_run_that_waits_can_be_ended_and_keeps_what_was_stored(
    tmp_path: Path, limit_files: Callable[[int], None]
) -> None:
    heard = Heard()
    run = Run(schedule_of(plan(1_500)), tmp_path / "run.db", workers=1, listener=heard)
    limit_files(120_000)
    run.start()
    assert heard.waiting.wait(WAIT_S)
    run.cancel()
    assert run.wait(WAIT_S)
    limit_files(-1)
    assert run.state is RunState.CANCELLED
    assert not (tmp_path / "run.db.lock").exists()
    with Store.open_to_read(tmp_path / "run.db") as store:
        assert store.count() == run.found.done > 0


def test_results_are_read_where_there_is_no_room_for_the_files_of_sqlite(
    tmp_path: Path, limit_files: Callable[[int], None]
) -> None:
    path, wanted = tmp_path / "run.db", plan(1)
    run = Run(schedule_of(wanted), path, workers=1)
    run.start()
    assert run.wait(WAIT_S)
    limit_files(4_096)
    assert read(path).complete
    with pytest.raises(StoringError, match=r"run\.db” cannot be used: no space is left on the disk; what was stored"):
        Store.open_for(path, wanted)
    limit_files(-1)
    # What a killed program left beside the file belongs to it, and nothing is told without it.
    path.with_name("run.db-shm").unlink()
    path.with_name("run.db-wal").write_bytes(b"more results")
    limit_files(4_096)
    with pytest.raises(StoringError, match="no space is left on the disk"):
        read(path)


def test_a_lock_needs_no_room_for_its_number(tmp_path: Path, limit_files: Callable[[int], None]) -> None:
    limit_files(0)
    lock = FileLock.take(tmp_path / "x.lock")
    limit_files(-1)
    assert isinstance(lock, FileLock)
    assert FileLock.take(tmp_path / "x.lock") == ""
    lock.close()


class Terminal(io.StringIO):
    """Lets no file of this process grow beyond 60,000 bytes until something is said here."""

    def __init__(self, limit_files: Callable[[int], None]) -> None:
        super().__init__()
        self._limit_files = limit_files
        limit_files(60_000)

    def write(self, text: str) -> int:
        self._limit_files(-1)
        return super().write(text)


def test_the_library_says_that_it_waits_for_room(
    tmp_path: Path, limit_files: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal(limit_files))
    nd.match(["random", "random"], "nim:3,4,5", games=500, file=tmp_path / "run.db")
    assert read(tmp_path / "run.db").done == 1_000
    assert re.fullmatch(r"nimdesk: The results “.*run\.db” .* The run goes on as soon as .*\.\n", terminal.getvalue())


class Unwritable(Terminal):
    """A file of messages on the disk that is full: nothing can be written, and then there is room."""

    def write(self, text: str) -> int:
        super().write(text)
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("door", ["command", "library"])
def test_a_run_goes_on_where_its_messages_find_no_room_either(
    door: str, tmp_path: Path, limit_files: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.db"
    monkeypatch.setattr(sys, "stderr", Unwritable(limit_files))
    if door == "library":
        nd.match(["random", "random"], "nim:3,4,5", games=500, file=path)
    else:
        run_plan(plan(500), path, threads=1, cluster=None, as_json=True, csv=None)
    assert read(path).complete


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own of 16 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=16m", "none", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("only root can make a disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_the_command_line_says_that_the_disk_is_full_and_goes_on(small_disk: Path) -> None:
    filler = small_disk / "filler"
    filler.write_bytes(bytes(16_500_000))
    command = [sys.executable, "-m", "nimdesk", "match", "random", "random", "--position", "nim:3,4,5"]
    command += ["--games", "1500", "--threads", "1", "--out", str(small_disk / "run.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stderr is not None
        said = program.stderr.readline()
        while said and "no space is left" not in said:
            said = program.stderr.readline()
        assert said.startswith("nimdesk: The results “")
        assert "The run goes on as soon as" in said
        filler.unlink()
        _, rest = program.communicate(timeout=WAIT_S)
    assert program.returncode == 0
    assert "The results can be stored again." in rest
    assert "Traceback" not in rest
