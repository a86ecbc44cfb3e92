"""Files written whole or not at all."""

import errno
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest

from nimdesk.disk import atomic
from nimdesk.disk.atomic import os_error_words, read_bounded, set_aside, write_atomically, write_file
from nimdesk.errors import NimdeskError


def test_a_write_replaces_the_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    write_atomically(path, b"old")

    def refuse(source: object, target: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(atomic.os, "replace", refuse)
    with pytest.raises(PermissionError):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_what_a_killed_program_left_of_its_writing_is_deleted_after_a_day(tmp_path: Path) -> None:
    kill = "import os, signal; os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
    write = f"from nimdesk.disk.atomic import *; write_atomically(Path({str(tmp_path / 'a')!r}), b'cut')"
    for _ in range(2):
        subprocess.run([sys.executable, "-c", kill + write], check=False)
    old, new = sorted(tmp_path.iterdir())
    others = tmp_path / ".notes.nimdesk.tmp"
    others.touch()
    for path in (old, others):
        os.utime(path, (0, 0))
    write_atomically(tmp_path / "b", b"whole")
    assert old.exists()  # in a folder that a person has chosen
    write_atomically(tmp_path / "b", b"whole", follow=False)
    assert set(tmp_path.iterdir()) == {new, others, tmp_path / "b"}


def test_the_file_is_whole_on_the_disk_before_it_takes_the_place_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, synced, sync = tmp_path / "a", list[tuple[int, bool]](), os.fsync

    def noted(file: int) -> None:
        synced.append((os.fstat(file).st_size, path.exists()))
        sync(file)

    monkeypatch.setattr(atomic.os, "fsync", noted)
    write_atomically(path, b"new")
    assert synced[0] == (3, False)


@pytest.mark.skipif(os.name == "nt", reason="modes and links of POSIX")
@pytest.mark.parametrize("write", [write_atomically, write_file])
def test_the_mode_is_kept_and_a_link_is_followed(tmp_path: Path, write: Callable[[Path, bytes], None]) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_a_pipe_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="no ordinary file"):
        write_atomically(pipe, b"new")
    with pytest.raises(OSError, match="no ordinary file"):
        read_bounded(pipe, 10)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("why", [errno.EACCES, errno.EROFS])
def test_a_write_protected_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    really = Path.open

    def protected(file: Path, mode: str = "r") -> IO[Any]:
        if file == path and mode != "rb":
            raise OSError(why, os.strerror(why))  # the tests may run as root, who may write to anything
        return really(file, mode)

    with monkeypatch.context() as changed:
        changed.setattr(Path, "open", protected)
        with pytest.raises(OSError, match=os.strerror(why)):
            write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError) as caught:
        write_atomically(tmp_path, b"new")
    assert os_error_words(caught.value) == "that is a folder, not a file"


def test_what_cannot_be_written_is_told_in_one_sentence(tmp_path: Path) -> None:
    sentence = f"“{tmp_path}” cannot be written: that is a folder, not a file."
    with pytest.raises(NimdeskError, match=f"^{re.escape(sentence)}$"):
        write_file(tmp_path, b"x")


def test_reading_stops_one_byte_after_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100)
    assert len(read_bounded(tmp_path / "a", 10)) == 11


def test_an_unknown_error_keeps_the_systems_words() -> None:
    assert os_error_words(OSError(9999, "Something Odd")) == "something Odd"
    assert os_error_words(OSError()) == "the system does not say why"


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
@pytest.mark.parametrize("there", [True, False], ids=["a file", "nothing"])
def test_a_file_whose_name_the_program_chose_takes_the_place_of_a_link(tmp_path: Path, there: bool) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    if there:
        target.write_bytes(b"somebody's")
    write_atomically(link, b"new", follow=False)
    assert not link.is_symlink()
    assert link.read_bytes() == b"new"
    assert (target.read_bytes() if there else target.exists()) == (b"somebody's" if there else False)


def test_what_is_set_aside_takes_the_first_free_number(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        (tmp_path / "box.json").write_text(str(number))
        assert set_aside(tmp_path / "box.json") == tmp_path / f"box.broken-{number}.json"
    assert [path.read_text() for path in sorted(tmp_path.iterdir())] == ["1", "2", "3"]
