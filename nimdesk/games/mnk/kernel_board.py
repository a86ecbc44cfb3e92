"""Where the marks of an m,n,k game on a large board stand, and whether a mark completes k in a row.

A *spot* is a cell with one empty column kept to the right of the board: ``row * (m + 1) + column``. A mark stands in
four *bit rows*: its row, column, diagonal and anti-diagonal.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.mnk.geometry import line_steps
from nimdesk.kernels.jit import inlined, int64, part
from nimdesk.kernels.memory import bits
from nimdesk.kernels.places import code_of


class LineBoard(NamedTuple):
    """Bit rows: one word for each row, column, diagonal and anti-diagonal.

    ``line_of`` (int32, spots x 4, flat) and ``bit_of`` (uint32, the same) place a spot in its four bit rows; the first
    three ``line_steps`` are ``steps``, the ``rest`` (uint32) is for k above 8. With ``exact`` (1, else 0) a line of
    more than k does not count. ``words`` (uint32: all bit rows of the first side, then of the second) and
    ``root_words``; ``tried`` (uint32, one a row) is scratch.
    """

    exact: int
    steps: tuple[np.uint64, np.uint64, np.uint64]
    rest: NDArray[np.uint32]
    line_of: NDArray[np.int32]
    bit_of: NDArray[np.uint32]
    words: NDArray[np.uint32]
    root_words: NDArray[np.uint32]
    tried: NDArray[np.uint32]


def make_board(m: int, n: int, k: int, marks: list[tuple[int, int, int]], exact: bool) -> LineBoard:
    """The board with the root's marks ``(column, row, side)``."""
    line_of, bit_of = _geometry(m, n)
    lines = np.zeros(2 * (3 * (m + n) - 2), np.uint32)
    half = len(lines) // 2
    for column, row, side in marks:
        for i in range(4 * (row * (m + 1) + column), 4 * (row * (m + 1) + column) + 4):
            lines[side * half + line_of[i]] |= bit_of[i]
    rest = np.array(line_steps(k)[3:], np.uint32)
    steps = first_steps(k)
    return LineBoard(int(exact), steps, rest, line_of, bit_of, lines, lines.copy(), np.zeros(n, np.uint32))


def copy_board(b: LineBoard) -> LineBoard:
    """The same board, with working arrays of its own."""
    return LineBoard(b.exact, b.steps, b.rest, b.line_of, b.bit_of, b.words.copy(), b.root_words, b.tried.copy())


def first_steps(k: int) -> tuple[np.uint64, np.uint64, np.uint64]:
    """The first three of ``line_steps``, 0 where there are fewer."""
    first, second, third = (np.uint64(step) for step in [*line_steps(k), 0, 0, 0][:3])
    return first, second, third


def spots_and_codes(m: int, n: int) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """The spot of each code ``row * m + column``, and the code of each spot, -1 in the empty column."""
    spots = np.arange((m + 1) * n, dtype=np.int16).reshape(n, m + 1)
    codes = np.full((n, m + 1), -1, np.int16)
    codes[:, :m] = np.arange(m * n).reshape(n, m)
    return spots[:, :m].ravel(), codes.ravel()


def _geometry(m: int, n: int) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    rows, columns = (each.ravel() for each in np.mgrid[0:n, 0 : m + 1])
    # Neighbours on a line must be neighbours in its word, so a diagonal counts by column.
    line_of = np.stack((rows, n + columns, n + m + rows - columns + m - 1, n + m + (m + n - 1) + rows + columns), 1)
    bit_of = np.stack((1 << columns, 1 << rows, 1 << columns, 1 << columns), 1)
    return line_of.astype(np.int32).ravel(), bit_of.astype(np.uint32).ravel()


@inlined
def copy_all(source: Any, target: Any) -> None:
    """Copy an array to another one of the same size."""
    for i in range(source.size):
        target[i] = source[i]


@inlined
def mark(b: Any, side: int, spot: int) -> bool:
    """Put a mark; whether the side now has k in a row (a complete line that it had before counts too)."""
    words, base = b.words, side * (b.words.size >> 1)
    if not bits.mark_lines(words, base, b.line_of, b.bit_of, spot, b.steps[0], b.steps[1], b.steps[2]):
        return False
    return (b.rest.size == 0 and not b.exact) or _has_long_line(b, base, spot)


@part
def _has_long_line(b: Any, base: int, spot: int) -> bool:
    """Whether it is long enough where k is above 8, and not too long where k alone counts."""
    found = np.uint64(0)
    for direction in range(4):
        word = np.uint64(b.words[base + b.line_of[4 * spot + direction]])
        word &= word >> b.steps[0]
        word &= word >> b.steps[1]
        word &= word >> b.steps[2]
        for i in range(b.rest.size):
            word &= word >> np.uint64(b.rest[i])
        if b.exact:
            # Each bit is a line of k; those side by side are parts of a longer one.
            word &= ~(word << np.uint64(1) | word >> np.uint64(1))
        found |= word
    return bool(found != np.uint64(0))


@part
def unmark(b: Any, side: int, spot: int) -> None:
    """Take a mark away."""
    base = side * (b.words.size >> 1)
    for i in range(4 * spot, 4 * spot + 4):
        b.words[base + b.line_of[i]] ^= b.bit_of[i]


@part
def occupied(b: Any, spot: int) -> bool:
    """Whether a mark stands there."""
    row, bit = b.line_of[4 * spot], b.bit_of[4 * spot]
    return bool((b.words[row] | b.words[row + (b.words.size >> 1)]) & bit)


@inlined
def row_marks(b: Any, row: int) -> int:
    """The marks of both sides in a row, bit ``column`` for each."""
    # The first bit rows are the rows of the board.
    return int64(b.words[row] | b.words[row + (b.words.size >> 1)])


@inlined
def nth_untried(b: Any, spot_of: Any, rows: int, columns: int, tried: Any, marks: Any, count: int, n: int) -> int:
    """The ``n``-th free cell, as a spot in ascending order, without those tried; as ``rules.pick_untried``."""
    # As soon as there is a mark for each row, they are the cells tried in that row.
    taken, enough = b.tried, 2 * rows
    for row in range(rows):
        taken[row] = marks[row] if count > enough else 0
    if count <= enough:
        for i in range(count):
            at = 4 * spot_of[code_of(tried[i])]
            taken[b.line_of[at]] |= b.bit_of[at]
    everything = (np.int64(1) << columns) - 1
    row, left, free = -1, n, np.uint64(0)
    while left >= 0:
        row += 1
        free = np.uint64(everything & ~(row_marks(b, row) | taken[row]))
        left -= bits.popcount(free)
    column = bits.nth_set(free, np.uint64(left + bits.popcount(free)))
    if count >= enough:
        taken[row] |= np.uint32(np.uint64(1) << column)
        for changed in range(rows):
            marks[changed] = taken[changed]
    return row * (columns + 1) + int64(column)
