"""Kernels that a package brings: a new cache begins with them, wherever that is, and one that is there stays."""

import hashlib
from pathlib import Path

import pytest

from nimdesk.kernels.cache import KernelCache
from nimdesk.kernels.shipped import begin_with_shipped, ship

NAME, MARK = "kernels-0123456789abcdef", "uct nimdesk.games.nim.kernel.Rules"
FILES = ("kernels/uct.run-12.py311.nbi", "kernels/uct.run-12.py311.1.nbc", "games/nim/kernel.count-3.py311.nbi")


def of_numba(package: Path, file: str) -> str:
    """Where numba has it in a cache: below a folder named by that of the source, which must be told apart by more."""
    source = (package / file).parent
    return f"{source.name}_{hashlib.sha1(str(source).encode()).hexdigest()}/{Path(file).name}"


@pytest.fixture
def resources(tmp_path: Path) -> Path:
    """What a package ships after its kernels were compiled where it was built."""
    built = tmp_path / "built" / "nimdesk"
    for source in ("kernels/uct.py", "games/nim/kernel.py"):
        (built / source).parent.mkdir(parents=True)
        (built / source).touch()
    cache = KernelCache(tmp_path / "made" / NAME)
    with cache.writing():
        for number, file in enumerate(FILES):
            path = cache.folder / of_numba(built, file)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(bytes([number]))
    cache.note(MARK)
    ship(cache.folder, built, tmp_path / "resources")
    return tmp_path / "resources"


def begun(tmp_path: Path, resources: Path) -> KernelCache:
    begin_with_shipped(tmp_path / "home" / NAME, tmp_path / "installed" / "nimdesk", resources)
    return KernelCache(tmp_path / "home" / NAME)


def test_a_new_cache_has_them_where_numba_looks_for_them(tmp_path: Path, resources: Path) -> None:
    cache = begun(tmp_path, resources)
    assert cache.has(MARK)
    for number, file in enumerate(FILES):
        assert (cache.folder / of_numba(tmp_path / "installed" / "nimdesk", file)).read_bytes() == bytes([number])
    assert [path.name for path in cache.folder.parent.iterdir()] == [NAME]


def test_one_that_is_damaged_there_is_dropped_like_any_other(tmp_path: Path, resources: Path) -> None:
    folder = begun(tmp_path, resources).folder
    [damaged] = folder.rglob("*.nbc")
    damaged.write_bytes(b"other")
    assert not begun(tmp_path, resources).has(MARK)
    assert not damaged.exists()


def test_a_cache_that_is_there_stays_as_it_is(tmp_path: Path, resources: Path) -> None:
    KernelCache(tmp_path / "home" / NAME)
    assert not begun(tmp_path, resources).has(MARK)


def test_kernels_of_other_sources_are_not_used(tmp_path: Path, resources: Path) -> None:
    other = tmp_path / "home" / "kernels-fedcba9876543210"
    begin_with_shipped(other, tmp_path / "installed" / "nimdesk", resources)
    assert not other.exists()
