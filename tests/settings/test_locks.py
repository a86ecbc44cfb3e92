"""Lock files: held by one, and never a way to another file."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from nimdesk.disk.atomic import os_error_words, write_atomically
from nimdesk.disk.locks import FileLock


def held(path: Path) -> FileLock:
    lock = FileLock.take(path)
    assert isinstance(lock, FileLock)
    return lock


def test_one_holds_it_and_another_hears_who(tmp_path: Path) -> None:
    lock = held(tmp_path / "a.lock")
    assert FileLock.take(tmp_path / "a.lock") == str(os.getpid())
    lock.close()
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_a_killed_program_left_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / "a.lock").write_text("12345678901")
    lock = held(tmp_path / "a.lock")
    assert (tmp_path / "a.lock").read_text() == str(os.getpid())
    lock.close()


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
@pytest.mark.parametrize("kind", ["link", "link to nothing", "second name", "pipe", "notes", "digits"])
def test_what_is_no_lock_stays_as_it_is(tmp_path: Path, kind: str) -> None:
    victim, path = tmp_path / "victim", tmp_path / "r.db.lock"
    if kind != "link to nothing":
        victim.write_text("1234")
    if kind == "second name":
        path.hardlink_to(victim)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "notes":
        path.write_text("my notes")
    elif kind == "digits":
        path.write_text("3" * 21)
    else:
        path.symlink_to(victim)
    with pytest.raises(OSError) as caught:  # noqa: PT011 (its words are what counts)
        FileLock.take(path)
    assert os_error_words(caught.value) == "“r.db.lock” is in the way and is no lock of nimdesk"
    assert os.path.lexists(path)
    if kind == "link to nothing":
        assert not victim.exists()
    else:
        assert victim.read_text() == "1234"


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system does not tell what is open")
def test_neither_a_lock_that_is_refused_nor_a_write_leaves_a_file_open(tmp_path: Path) -> None:
    lock = held(tmp_path / "lock")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        assert isinstance(FileLock.take(tmp_path / "lock"), str)
        write_atomically(tmp_path / "file", b"x")
    assert len(os.listdir("/proc/self/fd")) == before
    lock.close()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system does not tell what is open")
def test_a_lock_whose_file_goes_while_it_is_taken_is_taken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    flock, going = fcntl.flock, [tmp_path / "lock"]

    def and_gone(file: int, how: int) -> None:
        flock(file, how)
        if going:
            going.pop().unlink()  # as its last owner does, who was a moment too late

    monkeypatch.setattr(fcntl, "flock", and_gone)
    before = len(os.listdir("/proc/self/fd"))
    lock = held(tmp_path / "lock")
    assert (tmp_path / "lock").read_text() == str(os.getpid()), "others find it there"
    lock.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_where_files_cannot_be_locked_nobody_is_kept_from_working(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some network drives know no locks."""
    fcntl = pytest.importorskip("fcntl")

    def refused(_file: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refused)
    held(tmp_path / "lock").close()
