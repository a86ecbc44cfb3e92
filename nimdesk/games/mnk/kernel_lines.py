"""The patterns of every cell of a board, kept while marks come and go: ``patterns`` as array code."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.mnk.patterns import (
    CATEGORIES,
    CLASS_BITS,
    FREE,
    MAKES_FOUR,
    MORE,
    MOST_NEARNESS,
    OTHER,
    OWN,
    nearness,
    patterns,
    powers,
    rays,
)
from nimdesk.kernels.jit import inlined, int64, part

_MASK = (1 << CLASS_BITS) - 1


class Lines(NamedTuple):
    """What a mark would make, by cell and side.

    ``classes``, ``worth`` and ``categories`` are those of ``Patterns``, ``more`` (int32, by category) is ``MORE``, and
    ``nearness`` (int32) tells cells apart that are worth the same. ``near`` (int16, cells x 8 x span, flat) are the
    ``rays`` of each cell, and ``powers`` (int32, 2 x span, flat) what a mark adds to the lines of cells along them.
    Root and working copy: ``around`` (int32, cells x sides x 4, flat), the numbers of the lines; ``shapes`` (uint16)
    and ``found`` (uint8), the categories, cells x sides, flat; ``counts`` (int64, sides x categories, flat) of the free
    cells with each; and ``marks`` (uint8), a side or ``FREE``.
    """

    classes: NDArray[np.uint8]
    worth: NDArray[np.int32]
    categories: NDArray[np.uint8]
    more: NDArray[np.int32]
    nearness: NDArray[np.int32]
    near: NDArray[np.int16]
    powers: NDArray[np.int32]
    root_around: NDArray[np.int32]
    root_shapes: NDArray[np.uint16]
    root_found: NDArray[np.uint8]
    root_counts: NDArray[np.int64]
    root_marks: NDArray[np.uint8]
    around: NDArray[np.int32]
    shapes: NDArray[np.uint16]
    found: NDArray[np.uint8]
    counts: NDArray[np.int64]
    marks: NDArray[np.uint8]


def make_lines(m: int, n: int, k: int, exact: bool, marks: list[tuple[int, int, int]]) -> Lines:
    """The lines at a root that is given as marks ``(column, row, side)``."""
    tables = patterns(k, exact)
    near = _near(m, n, tables.span)
    board = np.full(m * n + 1, FREE, np.uint8)
    for column, row, side in marks:
        board[row * m + column] = side
    board[-1] = FREE + 1  # off the board, which is where the index -1 leads to
    # From the left to the right; what is on a cell's left has the cell on its right.
    there = np.concatenate([board[near[:, ::2, ::-1]], board[near[:, 1::2]]], axis=2)
    values = 3 ** np.arange(2 * tables.span)
    around = np.stack([np.where(there == side, 1, np.where(there == FREE, 0, 2)) @ values for side in (0, 1)], 1)
    shapes = (tables.classes[around].astype(np.int64) << CLASS_BITS * np.arange(4)).sum(axis=2).astype(np.uint16)
    found, free = tables.categories[shapes], board[:-1] == FREE
    counts = np.stack([np.bincount(found[free, side], minlength=CATEGORIES) for side in (0, 1)])
    numbers = around.astype(np.int32).ravel()
    root: list[NDArray[Any]] = [numbers, shapes.ravel(), found.ravel(), counts.astype(np.int64).ravel(), board[:-1]]
    order = [np.array(each, np.int32) for each in (MORE, nearness(m, n))]
    adds = np.array(powers(tables.span), np.int32).ravel()
    arrays: list[NDArray[Any]] = [*tables[1:], *order, near.ravel(), adds, *root, *(each.copy() for each in root)]
    return Lines(*arrays)


@lru_cache(maxsize=16)
def _near(m: int, n: int, span: int) -> NDArray[np.int16]:
    near = np.array(rays(m, n, span), np.int16)
    near.flags.writeable = False
    return near


@inlined
def _copy(source: Any, target: Any) -> None:
    for i in range(source.size):
        target[i] = source[i]


@part
def begin(p: Any) -> None:
    """Go back to the root."""
    _copy(p.root_around, p.around)
    _copy(p.root_shapes, p.shapes)
    _copy(p.root_found, p.found)
    _copy(p.root_counts, p.counts)
    _copy(p.root_marks, p.marks)


@part
def put(p: Any, side: int, cell: int) -> None:
    """A mark of the side comes to a free cell."""
    p.marks[cell] = side
    for each in range(2):
        p.counts[CATEGORIES * each + p.found[2 * cell + each]] -= 1
    _change(p, side, cell, int64(1))


@part
def lift(p: Any, side: int, cell: int) -> None:
    """The mark that came last goes."""
    _change(p, side, cell, int64(-1))
    p.marks[cell] = FREE
    # The patterns of the cell itself are as they were when the mark came.
    for each in range(2):
        p.counts[CATEGORIES * each + p.found[2 * cell + each]] += 1


@part
def _change(p: Any, side: int, cell: int, sign: int) -> None:
    """A mark comes or goes: free cells along eight rays see it, each side up to the first mark of the other.

    What is beyond does not matter before that mark goes, and that is not before this one does.
    """
    span = int64(p.powers.size) >> 1
    for ray in range(8):
        first, bits = (8 * cell + ray) * span, CLASS_BITS * (ray >> 1)
        own, other = True, True
        for at in range(span):
            seen = int64(p.near[first + at])
            if seen < 0:
                break
            mark = int64(p.marks[seen])
            if mark == FREE:
                power = int64(p.powers[(ray & 1) * span + at]) * sign
                if own:
                    _see(p, seen, side, bits, power)
                if other:
                    _see(p, seen, 1 - side, bits, 2 * power)
            else:
                own, other = own and mark == side, other and mark != side
                if not (own or other):
                    break


@inlined
def _see(p: Any, cell: int, side: int, bits: int, step: int) -> None:
    """The number of a line of a free cell changes."""
    at = 2 * cell + side
    number = 4 * at + bits // CLASS_BITS
    line = int64(p.around[number]) + step
    p.around[number] = line
    before = int64(p.shapes[at])
    shape = (before & ~(int64(_MASK) << bits)) | (int64(p.classes[line]) << bits)
    if shape != before:
        p.shapes[at] = shape
        category = int64(p.categories[shape])
        p.counts[CATEGORIES * side + p.found[at]] -= 1
        p.counts[CATEGORIES * side + category] += 1
        p.found[at] = category


@inlined
def number_of(p: Any, side: int, category: int) -> int:
    """How many free cells are of this category for the side."""
    return int64(p.counts[CATEGORIES * side + category])


@part
def next_cell(p: Any, side: int, least: int, after: int) -> int:
    """The first free cell above ``after`` of at least this category for the side; -1 without one."""
    for cell in range(after + 1, p.marks.size):
        if p.marks[cell] == FREE and p.found[2 * cell + side] >= least:
            return cell
    return -1


@inlined
def in_fours(p: Any, cell: int) -> bool:
    """Whether a move there makes a four, or is where the other side would make one."""
    return bool(p.found[2 * cell] >= MAKES_FOUR or p.found[2 * cell + 1] >= MAKES_FOUR)


@inlined
def has_fours(p: Any, side: int) -> bool:
    """Whether the side has a move that has to be answered at once."""
    fours = int64(0)
    for category in range(MAKES_FOUR, CATEGORIES):
        fours += p.counts[CATEGORIES * side + category]
    return bool(fours > 0)


@inlined
def worth_of(p: Any, side: int, cell: int) -> int:
    """What a move of the side is worth, by the lines through its cell, then by how near the middle it is."""
    own, other = int64(0), int64(0)
    for direction in range(4):
        own += int64(p.worth[p.around[8 * cell + 4 * side + direction]])
        other += int64(p.worth[p.around[8 * cell + 4 * (1 - side) + direction]])
    own += p.more[p.found[2 * cell + side]]
    other += p.more[p.found[2 * cell + 1 - side]]
    worth: int = MOST_NEARNESS * (OWN * own + OTHER * other) + p.nearness[cell]
    return worth
