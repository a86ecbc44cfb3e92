"""The entry points of other packages, found without importing any of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import NamedTuple

_refused: list[bool] = []


def refuse() -> None:
    """Find no other package from now on: safe mode."""
    _refused.append(True)


def allow() -> None:
    """Find them again."""
    _refused.clear()


def refused() -> bool:
    """Whether it is safe mode."""
    return bool(_refused)


class EntryPoint(NamedTuple):
    """A name, the object it refers to as ``module:attribute``, and the package it comes with."""

    name: str
    reference: str
    package: str


def entry_points(group: str) -> Iterator[EntryPoint]:
    """The entry points of all installed packages; a package with broken metadata does not hide the others.

    Takes milliseconds, after some 40 ms for ``importlib.metadata`` itself: not before the first paint. A frozen program
    finds none, nor does one in safe mode.
    """
    if _refused or getattr(sys, "frozen", False):
        return
    from importlib.metadata import distributions  # lazy: 40 ms that start-up does without

    for distribution in distributions():
        try:
            # This is much faster than parsing the entry points of all packages.
            if group in (distribution.read_text("entry_points.txt") or ""):
                package = str(distribution.metadata["Name"])
                for entry in distribution.entry_points.select(group=group):
                    yield EntryPoint(entry.name, entry.value.partition("[")[0].strip(), package)
        except Exception:
            continue
