"""Of a cache of compiled kernels that is damaged or foreign, only files that are as they were written are read."""

import os
import shutil
import stat
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from fresh_python import COMPILED, LOADED, PROBE, run

from nimdesk.kernels.cache import KernelCache

INDEX, CODE = "kernels_1/uct.run.nbi", "kernels_1/uct.run.1.nbc"
posix_only = pytest.mark.skipif(os.name == "nt", reason="there, folders of other users are out of reach anyway")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def zero(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def empty(path: Path) -> None:
    path.write_bytes(b"")


def flip_a_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


def flip_a_bit_as_a_disk_does(path: Path) -> None:
    """The times of the file say nothing of it."""
    before = path.stat()
    flip_a_bit(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def compress(path: Path) -> None:
    path.write_bytes(zlib.compress(path.read_bytes()))


def replace_by_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "in it").touch()


def replace_by_a_link(path: Path) -> None:
    copy = path.parent.parent.parent / "copy"
    path.rename(copy)
    path.symlink_to(copy)


def forbid_reading(path: Path) -> None:
    path.chmod(0)


DAMAGES = (cut, zero, empty, flip_a_bit, flip_a_bit_as_a_disk_does, compress, replace_by_a_folder)
if os.name == "posix":
    DAMAGES += (replace_by_a_link, forbid_reading)


def write(folder: Path, **files: bytes) -> None:
    (folder / "kernels_1").mkdir(exist_ok=True)
    for name in (INDEX, CODE):
        (folder / name).write_bytes(files.get(name[-3:], name.encode() * 100))


@pytest.fixture
def cache(tmp_path: Path) -> KernelCache:
    """A cache with an index and code, noted as ready."""
    made = KernelCache(tmp_path / "kernels-1")
    assert made.load(lambda: write(made.folder))
    made.note("uct")
    return made


def there(folder: Path) -> list[str]:
    """What numba finds there."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.glob("*/*"))


def test_what_was_written_is_there_at_the_next_start(cache: KernelCache) -> None:
    again = KernelCache(cache.folder)
    assert there(again.folder) == [CODE, INDEX]
    assert again.has("uct")
    assert not list(again.folder.glob("*.lock"))


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", [INDEX, CODE])
def test_what_is_damaged_is_gone_at_the_next_start_and_the_rest_is_there(
    cache: KernelCache, damage: Callable[[Path], None], name: str
) -> None:
    if damage is forbid_reading and os.geteuid() == 0:
        pytest.skip("root may read everything")
    damage(cache.folder / name)
    again = KernelCache(cache.folder)
    assert again.is_kept
    assert there(again.folder) == [{INDEX: CODE, CODE: INDEX}[name]]
    assert not again.has("uct")


def test_what_is_damaged_while_the_program_runs_is_gone_before_kernels_are_called(cache: KernelCache) -> None:
    flip_a_bit_as_a_disk_does(cache.folder / CODE)
    (cache.folder / INDEX).write_bytes(b"not ours")
    found: list[list[str]] = []
    later = KernelCache(cache.folder)
    later.load(lambda: write(later.folder))
    (later.folder / INDEX).write_bytes(b"not ours")
    later.load(lambda: found.append(there(later.folder)))
    assert found == [[CODE]]


@pytest.mark.parametrize("digests", [b"", b"\xff\xfe\x00" * 1000, None])
def test_without_its_digests_nothing_is_read(cache: KernelCache, digests: bytes | None) -> None:
    listed = cache.folder / "SHA256SUMS"
    listed.unlink()
    if digests is None:
        listed.mkdir()
    else:
        listed.write_bytes(digests)
    again = KernelCache(cache.folder)
    assert there(again.folder) == []
    again.load(lambda: write(again.folder))
    assert there(KernelCache(cache.folder).folder) == [CODE, INDEX]


def test_what_somebody_else_put_there_is_gone(cache: KernelCache) -> None:
    (cache.folder / "kernels_1" / "flat.run.nbi").write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    (cache.folder / "kernels_2").write_bytes(b"in the way of a folder")
    again = KernelCache(cache.folder)
    assert there(again.folder) == [CODE, INDEX]
    assert not (again.folder / "kernels_2").exists()


def test_what_another_process_is_writing_is_left_alone(cache: KernelCache) -> None:
    other = KernelCache(cache.folder)
    with cache.writing():
        write(cache.folder, nbi=b"a newer index", nbc=b"newer code")
        other.load(lambda: None)
        assert there(other.folder) == [CODE, INDEX]
    again = KernelCache(cache.folder)
    assert again.has("uct")
    assert (again.folder / INDEX).read_bytes() == b"a newer index"


def test_what_was_damaged_before_is_gone_even_while_another_process_writes(cache: KernelCache) -> None:
    with KernelCache(cache.folder).writing():
        flip_a_bit_as_a_disk_does(cache.folder / CODE)
        assert there(KernelCache(cache.folder).folder) == [INDEX]


def test_a_process_that_was_killed_while_it_wrote_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "kernels-1"
    code = f"""
import os
from pathlib import Path
from nimdesk.kernels.cache import KernelCache
cache = KernelCache(Path({str(folder)!r}))
def write():
    (cache.folder / "kernels_1").mkdir()
    (cache.folder / "{INDEX}").write_text("half")
    os._exit(1)
cache.load(write)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 1
    assert list(folder.glob("*.lock"))
    assert there(KernelCache(folder).folder) == []
    assert not list(folder.glob("*.lock"))


@pytest.mark.parametrize("kernels", [1, 3, 8])  # as many as a search calls at most
def test_a_full_disk_keeps_nobody_from_calling_what_is_in_memory(tmp_path: Path, kernels: int) -> None:
    cache, calls = KernelCache(tmp_path / "kernels-1"), list[int]()

    def load() -> None:
        calls.append(1)
        if len(calls) <= kernels:  # each is compiled, and cannot be written
            raise OSError(28, "No space left on device")

    assert not cache.load(load)
    assert len(calls) == kernels + 1


@posix_only
def test_a_folder_of_another_user_is_neither_read_nor_changed(
    cache: KernelCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(cache.folder.rglob("*"))
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    mine = KernelCache(cache.folder)
    assert not mine.is_kept
    assert mine.is_usable
    assert mine.folder != cache.folder
    assert stat.S_IMODE(mine.folder.stat().st_mode) == 0o700
    assert there(mine.folder) == []
    assert not mine.has("uct")
    assert sorted(cache.folder.rglob("*")) == before


@posix_only
def test_nobody_begins_a_cache_in_a_folder_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What ``sudo nimdesk`` left there would be of no use to its owner."""
    if os.geteuid() == 0:
        os.chown(tmp_path, 1234, -1)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert not KernelCache(tmp_path / "cache" / "kernels-1").is_kept
    assert not (tmp_path / "cache").exists()


@posix_only
@pytest.mark.parametrize("mode", [0o777, 0o775, 0o1777, 0o702])
def test_a_folder_that_others_may_write_to_is_emptied_and_closed(cache: KernelCache, mode: int) -> None:
    cache.folder.chmod(mode)
    again = KernelCache(cache.folder)
    assert again.is_kept
    assert list(again.folder.iterdir()) == []
    assert stat.S_IMODE(again.folder.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name == "nt", reason="only administrators make links there")
def test_a_link_in_place_of_the_folder_empties_no_other(tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "deep").mkdir(parents=True)
    (other / "deep" / "thesis").write_text("kept")
    other.chmod(0o777)
    link = tmp_path / "kernels"
    link.symlink_to(other)
    cache = KernelCache(link)
    assert (cache.is_usable, cache.is_kept) == (True, False)
    with cache.writing():
        (cache.folder / "new.nbi").touch()
    assert [path.name for path in other.rglob("*")] == ["deep", "thesis"]
    assert stat.S_IMODE(other.stat().st_mode) == 0o777


@pytest.mark.skipif(os.name == "nt", reason="only administrators make links there")
@pytest.mark.parametrize("kind", ["link", "hard link", "pipe"])
def test_what_stands_in_place_of_the_digests_is_neither_read_nor_written(tmp_path: Path, kind: str) -> None:
    folder, victim = tmp_path / "kernels", tmp_path / "victim"
    digests = folder / "SHA256SUMS"
    victim.write_text("do not touch")
    folder.mkdir(0o700)
    match kind:
        case "link":
            digests.symlink_to(victim)
        case "hard link":
            digests.hardlink_to(victim)
        case _:
            os.mkfifo(digests)
    cache = KernelCache(folder)
    with cache.writing():
        (folder / "new.nbi").write_bytes(b"new")
    assert victim.read_text() == "do not touch"
    assert "new.nbi" in digests.read_text()
    (folder / "uct.ready").symlink_to(tmp_path / "elsewhere")
    cache.note("uct")
    assert not (tmp_path / "elsewhere").exists()


@posix_only
def test_folders_are_their_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        made = KernelCache(tmp_path / "of a person" / "kernels-1")
        made.load(lambda: write(made.folder))
    finally:
        os.umask(before)
    KernelCache(made.folder)
    folders = [made.folder.parent, made.folder, made.folder / "kernels_1"]
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in folders] == [0o700] * 3


def test_where_nothing_can_be_written_kernels_are_called_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file"))
    cache, calls = KernelCache(tmp_path / "file" / "kernels-1"), list[int]()
    assert not cache.is_usable
    assert cache.load(lambda: calls.append(1))
    assert calls == [1]


def test_damaged_kernels_are_compiled_again_without_a_word(compiled_search: Path, tmp_path: Path) -> None:
    shutil.copytree(compiled_search, tmp_path, dirs_exist_ok=True)
    files = sorted(path for path in tmp_path.glob("*/*/*") if path.suffix in (".nbi", ".nbc"))
    assert len(files) == 4  # two kernels
    for path, damage in zip(files, (cut, zero, flip_a_bit_as_a_disk_does, replace_by_a_folder), strict=True):
        damage(path)
    assert run(PROBE, tmp_path)[1:] == COMPILED
    assert run(PROBE, tmp_path)[1:] == LOADED
