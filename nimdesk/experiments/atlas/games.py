"""The games of which atlases are made, by their names, and the sets of positions that these stand for."""

from __future__ import annotations

import itertools
import re

from nimdesk.experiments.atlas.work import AtlasSet

ATLAS_GAMES = {
    "3,3,3": ("mnk:3,3,3", 9),
    "4,4,3": ("mnk:4,4,3", 6),
    "4,4,4": ("mnk:4,4,4", 6),
    "connect-4x4": ("mnk:4,4,4:gravity", 6),
}
"""The start of each, and up to how many moves after it."""
ATLAS_NIM = "nim-4x7"
_NIM_FORM = re.compile(r"nim-([1-9])x([1-9]\d?)")


def is_atlas_game(name: str) -> bool:
    """Whether this is the name of a game of atlases, and no position."""
    return name in ATLAS_GAMES or _NIM_FORM.fullmatch(name) is not None


def atlas_set(name: str, plies: int | None = None) -> AtlasSet:
    """All positions of a game by its name, such as ``nim-3x5`` for Nim with up to 3 piles of up to 5; or of a position.

    ``plies`` are the moves after the start, by default those of the name, or none; Nim is all starts anyway.
    """
    if nim := _NIM_FORM.fullmatch(name):
        return AtlasSet(starts=_nim_starts(int(nim[1]), int(nim[2])), plies=0)
    start, depth = ATLAS_GAMES.get(name, (name, 0))
    return AtlasSet(starts=[start], plies=depth if plies is None else plies)


def _nim_starts(piles: int, largest: int) -> list[str]:
    """Nim with at most this many piles of at most this many sticks; the order of the piles does not matter."""
    sizes = range(1, largest + 1)
    return [
        "nim:" + ",".join(map(str, each))
        for number in range(1, piles + 1)
        for each in itertools.combinations_with_replacement(sizes, number)
    ]
