"""Kernels that come with a package which has its own Python and numba, so that its first game waits for no compiler.

They are compiled for x86-64-v3, which processors since about 2013 can run, and are taken as they are or not at all. The
rule: where the package's resources have a folder of the name that the cache's own would have (a digest of all that the
code depends on, see ``nimdesk.kernels``), a cache that does not exist yet begins as a copy of it. All else, from trust
to damage, is the cache's. Other processors (older ones, and AMD's before Zen 3, whose PDEP is slow) have everything
compiled for themselves, as without a package: kernels that suit them all would be slower by a fifth and more, for ever.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from llvmlite import binding  # type: ignore[import-untyped]
from numba.core.caching import UserProvidedCacheLocator

from nimdesk.disk.paths import resources_dir
from nimdesk.kernels.cache import READY, KernelCache

PROCESSOR = "x86-64-v3"
FOLDER = Path("kernels", PROCESSOR)
"""Where they are, below the resources of a package that has some."""
# What it has beyond the first x86-64, as LLVM says it; it says nothing that the system does not allow.
_ABILITIES = (
    *("avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf", "sse3", "sse4.1"),
    *("sse4.2", "ssse3", "xsave"),
)
# Processors that have PDEP, but take ten times as long for it as without.
_SLOW_DEPOSIT = ("bdver4", "znver1", "znver2")
_PACKAGE = Path(__file__).parents[1]


def are_usable() -> bool:
    """Whether there are any, and this processor runs them well."""
    if not (resources_dir() / FOLDER).is_dir() or deposits_slowly():
        return False
    abilities = binding.get_host_cpu_features()
    return all(abilities.get(each) for each in _ABILITIES)


def deposits_slowly() -> bool:
    """Whether this processor's instruction for the n-th bit that is set, PDEP, had better be left alone."""
    return binding.get_host_cpu_name() in _SLOW_DEPOSIT


def begin_with_shipped(folder: Path, package: Path = _PACKAGE, resources: Path | None = None) -> None:
    """Make the cache's folder out of the shipped one of its name, if there is that and no cache yet.

    They are by default those of the nimdesk that is running.
    """
    shipped = (resources or resources_dir()) / FOLDER / folder.name
    if folder.exists() or not shipped.is_dir():
        return
    # Whole or not at all, whatever another process does at the same time.
    cache = KernelCache(folder.with_name(f"{folder.name}.{os.urandom(4).hex()}"))
    if not cache.is_kept:
        return
    with suppress(OSError):
        with cache.writing():
            for each in shipped.iterdir():
                if each.is_dir():
                    shutil.copytree(each, cache.folder / _in_cache(package, each.name), copy_function=shutil.copyfile)
        for mark in shipped.glob(f"*{READY}"):
            cache.note(mark.stem)
        cache.folder.rename(folder)
    shutil.rmtree(cache.folder, ignore_errors=True)


def ship(cache: Path, package: Path, resources: Path) -> None:
    """Copy a cache's folder, filled by the nimdesk in the folder ``package``, into the resources of that."""
    shipped = resources / FOLDER / cache.name
    for source in {path.parent for path in package.rglob("*.py")}:
        name = ".".join(source.relative_to(package).parts)
        if (cache / _in_cache(package, name)).is_dir():
            shutil.copytree(cache / _in_cache(package, name), shipped / name)
    for mark in cache.glob(f"*{READY}"):
        shutil.copyfile(mark, shipped / mark.name)


def _in_cache(package: Path, name: str) -> str:
    """The folder that numba makes in a cache for a package below this one, named by where that is."""
    locator: Any = UserProvidedCacheLocator  # numba has no annotations for it
    return str(locator.get_suitable_cache_subpath(str(package.joinpath(*name.split("."), "any.py"))))
