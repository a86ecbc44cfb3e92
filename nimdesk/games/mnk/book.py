"""The book of Connect Four's openings: the exact score of every position with few stones on the usual board.

The file has no positions, only scores: the positions with a given number of stones are listed by the rules in a fixed
order, one of each pair of mirror images, without those in which the next two stones decide. The first line says what
the file has; how it was made, and how much of it our own solver has proved, stands in
``resources/connect-four-book.md``. Scores are those of ``solver.drop_search``. Positions with fewer stones get theirs
by minimax when the book is read.
"""

from __future__ import annotations

import json
import lzma
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.disk.paths import resources_dir
from nimdesk.games.mnk.solver.drop_search import winning_cells

COLUMNS, ROWS = 7, 6
_CELLS, _SPAN = COLUMNS * ROWS, ROWS + 1
_FLOOR = sum(1 << c * _SPAN for c in range(COLUMNS))
_BOARD = _FLOOR * ((1 << ROWS) - 1)
_ONE, _BITS = np.uint64(1), np.uint64(_SPAN)
# Added to a score in the file; no score is less.
_ZERO = 20
_MOST_THREATS = 4
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]

Words = NDArray[np.uint64]
Scores = NDArray[np.int8]


class Level(NamedTuple):
    """All positions with one number of stones, up to mirror images, that are not over; ``keys`` are sorted."""

    stones: int
    keys: Words

    def split(self) -> tuple[Words, Words]:
        """The stones of the side to move, and all stones."""
        # With one more in each column, the highest bit of a column is the lowest empty cell.
        taken = self.keys + np.uint64(_FLOOR)
        for _ in range(ROWS):
            taken |= taken >> _ONE & np.uint64(_BOARD)
        taken = taken >> _ONE & np.uint64(_BOARD)
        return self.keys - taken, taken


def _mirrored(keys: Words) -> Words:
    column, image, rest = (_ONE << _BITS) - _ONE, np.zeros_like(keys), keys
    for _ in range(COLUMNS):
        image = image << _BITS | rest & column
        rest = rest >> _BITS
    return image


def canonical(own: Words, taken: Words) -> Words:
    """The key of each position, or of its mirror image: the smaller one."""
    keys = own + taken
    least: Words = np.minimum(keys, _mirrored(keys))
    return least


def _wins(own: Words, taken: Words) -> Words:
    found: Words = winning_cells(own, _BITS) & np.uint64(_BOARD) & ~taken
    return found


def _after(own: Words, taken: Words, column: int) -> tuple[Words, NDArray[np.bool_]]:
    """Where a stone in this column lands, and whether there is room."""
    bits = taken + np.uint64(1 << column * _SPAN) & np.uint64(((1 << ROWS) - 1) << column * _SPAN)
    return bits, bits != 0


def first_level() -> Level:
    """The empty board."""
    return Level(0, np.zeros(1, np.uint64))


def next_level(level: Level) -> Level:
    """The positions with one stone more."""
    own, taken = level.split()
    wins, keys = _wins(own, taken), []
    for column in range(COLUMNS):
        bits, room = _after(own, taken, column)
        on = room & (wins & bits == 0)
        keys.append(canonical((own ^ taken)[on], (taken | bits)[on]))
    # Sorted; ``numpy.unique`` would take several times as long.
    found = np.sort(np.concatenate(keys))
    return Level(level.stones + 1, found[np.append(True, found[1:] != found[:-1])])


def scores_before(level: Level, after: Level, scores: Scores) -> Scores:
    """The scores of a level from those of the next one."""
    own, taken = level.split()
    wins, best = _wins(own, taken), np.full(len(own), -_CELLS, np.int8)
    for column in range(COLUMNS):
        bits, room = _after(own, taken, column)
        won = wins & bits != 0
        best[won] = (_CELLS - level.stones + 1) // 2
        on = np.flatnonzero(room & ~won)
        found = np.searchsorted(after.keys, canonical((own ^ taken)[on], (taken | bits)[on]))
        best[on] = np.maximum(best[on], -scores[found])
    return best


def decided(level: Level) -> tuple[Scores, NDArray[np.intp]]:
    """The scores that the next two stones decide, and the others in the order of the file, as indices."""
    own, taken = level.split()
    foe_wins, wins = _wins(own ^ taken, taken), _wins(own, taken)
    possible = taken + np.uint64(_FLOOR) & np.uint64(_BOARD)
    left, scores = _CELLS - level.stones, np.zeros(len(own), np.int8)
    forced = possible & foe_wins
    safe = np.where(forced != 0, forced, possible) & ~(foe_wins >> _ONE)
    lost, won = (safe == 0) | (forced & (forced - _ONE) != 0), possible & wins != 0
    scores[lost], scores[won] = -(left // 2), (left + 1) // 2
    others = np.flatnonzero(~(lost | won))
    counts = [np.minimum(np.bitwise_count(cells[others]), _MOST_THREATS) for cells in (wins, foe_wins)]
    alike = (counts[0] * (_MOST_THREATS + 1) + counts[1]) * 2 + (forced[others] != 0)
    order: NDArray[np.intp] = others[np.argsort(alike, kind="stable")]
    return scores, order


def write(path: Path, level: Level, scores: Scores) -> None:
    """Write the book of a level."""
    known, others = decided(level)
    known[others] = scores[others]
    if not np.array_equal(known, scores):
        raise ValueError("the scores differ from what the next two stones decide")
    data = lzma.compress((scores[others] + _ZERO).astype(np.uint8).tobytes(), format=lzma.FORMAT_XZ, filters=_FILTERS)
    head = {"game": "mnk:7,6,4:gravity", "stones": level.stones, "positions": len(level.keys)}
    path.write_bytes(json.dumps(head).encode() + b"\n" + data)


class Book:
    """The scores of all positions with up to ``stones`` stones."""

    def __init__(self, path: Path) -> None:
        """Read a file made by ``write``."""
        head, _, data = path.read_bytes().partition(b"\n")
        self.stones = int(json.loads(head)["stones"])
        levels = [first_level()]
        for _ in range(self.stones):
            levels.append(next_level(levels[-1]))
        scores, others = decided(levels[-1])
        scores[others] = np.frombuffer(lzma.decompress(data), np.uint8).astype(np.int8) - _ZERO
        self._levels = [(levels[-1], scores)]
        for level in reversed(levels[:-1]):
            self._levels.insert(0, (level, scores_before(level, *self._levels[0])))

    def score(self, own: int, taken: int) -> int | None:
        """The score for the side to move, or None if the book does not have the position; the game must not be over."""
        stones = taken.bit_count()
        if stones > self.stones:
            return None
        level, scores = self._levels[stones]
        key = canonical(np.array([own], np.uint64), np.array([taken], np.uint64))
        at = int(np.searchsorted(level.keys, key)[0])
        return int(scores[at]) if at < len(level.keys) and level.keys[at] == key[0] else None


def book_path() -> Path:
    """Where the book is."""
    return resources_dir() / "connect-four.book"


_READING = Lock()


@lru_cache(maxsize=1)
def _read() -> Book:
    return Book(book_path())


def opening_book() -> Book:
    """The book, which is read on first use: that takes about a second."""
    with _READING:
        return _read()
