"""Where the marks of an m,n,k game stand, and whether a mark completes k in a row: two ways, chosen at compile time.

A *spot* is a cell with one empty column kept to the right of the board: ``row * (m + 1) + column``. Boards of at most
64 spots are one word for each side (``BitBoard``); on larger ones a mark stands in four *bit rows* (``LineBoard``).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import bits
from nimdesk.kernels.jit import inlined, int64
from nimdesk.kernels.rules import implement


class BitBoard(NamedTuple):
    """``words`` (uint64, one a side) and ``root_words``: bit ``spot`` is a mark, of ``cells`` that are on the board.

    A row is ``span`` bits; ``steps`` as in ``line_steps``.
    """

    span: np.uint64
    cells: np.uint64
    steps: tuple[np.uint64, np.uint64, np.uint64]
    words: NDArray[np.uint64]
    root_words: NDArray[np.uint64]


class LineBoard(NamedTuple):
    """Bit rows: one word for each row, column, diagonal and anti-diagonal.

    ``line_of`` (int32, spots x 4, flat) and ``bit_of`` (uint32, the same) place a spot in its four bit rows; the first
    three ``line_steps`` are ``steps``, the ``rest`` (uint32) is for k above 8. ``words`` (uint32: all bit rows of the
    first side, then of the second) and ``root_words``; ``tried`` (uint32, one a row) is scratch.
    """

    steps: tuple[np.uint64, np.uint64, np.uint64]
    rest: NDArray[np.uint32]
    line_of: NDArray[np.int32]
    bit_of: NDArray[np.uint32]
    words: NDArray[np.uint32]
    root_words: NDArray[np.uint32]
    tried: NDArray[np.uint32]


def make_board(m: int, n: int, k: int, marks: list[tuple[int, int, int]]) -> BitBoard | LineBoard:
    """The board with the root's marks ``(column, row, side)``."""
    every = line_steps(k)
    first, second, third = (np.uint64(step) for step in [*every, 0, 0, 0][:3])
    steps = first, second, third
    if (m + 1) * n - 1 <= 64 and k <= 8:
        both = [0, 0]
        for column, row, side in marks:
            both[side] |= 1 << (row * (m + 1) + column)
        words = np.array(both, np.uint64)
        cells = sum(((1 << m) - 1) << row * (m + 1) for row in range(n))
        return BitBoard(np.uint64(m + 1), np.uint64(cells), steps, words, words.copy())
    line_of, bit_of = _geometry(m, n)
    lines = np.zeros(2 * (3 * (m + n) - 2), np.uint32)
    half = len(lines) // 2
    for column, row, side in marks:
        for i in range(4 * (row * (m + 1) + column), 4 * (row * (m + 1) + column) + 4):
            lines[side * half + line_of[i]] |= bit_of[i]
    rest = np.array(every[3:], np.uint32)
    return LineBoard(steps, rest, line_of, bit_of, lines, lines.copy(), np.zeros(n, np.uint32))


def copy_board(b: BitBoard | LineBoard) -> BitBoard | LineBoard:
    """The same board, with working arrays of its own."""
    if isinstance(b, BitBoard):
        return BitBoard(b.span, b.cells, b.steps, b.words.copy(), b.root_words)
    return LineBoard(b.steps, b.rest, b.line_of, b.bit_of, b.words.copy(), b.root_words, b.tried.copy())


def line_steps(k: int) -> list[int]:
    """Shifts that double the run length known so far, and a last one that makes it k exactly.

    ``word & word >> step``, repeated, leaves a bit only where k bits stood in a row.
    """
    steps, length = [], 1
    while length < k:
        steps.append(min(length, k - length))
        length += steps[-1]
    return steps


def _geometry(m: int, n: int) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    rows, columns = (each.ravel() for each in np.mgrid[0:n, 0 : m + 1])
    # Neighbours on a line must be neighbours in its word, so a diagonal counts by column.
    line_of = np.stack((rows, n + columns, n + m + rows - columns + m - 1, n + m + (m + n - 1) + rows + columns), 1)
    bit_of = np.stack((1 << columns, 1 << rows, 1 << columns, 1 << columns), 1)
    return line_of.astype(np.int32).ravel(), bit_of.astype(np.uint32).ravel()


def spots_fit(b: Any) -> bool:
    """Whether a spot can be a bit of a 32-bit number."""
    raise NotImplementedError


def nth_unmarked(b: Any, marked: np.uint64, n: int) -> np.uint64:
    """The ``n``-th free cell as a spot, without those of ``marked``, where ``spots_fit``."""
    raise NotImplementedError


@inlined
def copy_all(source: Any, target: Any) -> None:
    """Copy an array to another one of the same size."""
    for i in range(source.size):
        target[i] = source[i]


def clear_board(b: Any) -> None:
    """Bring the working board back to the root."""
    raise NotImplementedError


def copy_list(b: Any, source: Any, target: Any) -> None:
    """Copy a list of choices; those of a ``BitBoard`` are 64 bytes long."""
    raise NotImplementedError


def mark(b: Any, side: int, spot: int) -> bool:
    """Put a mark; whether the side now has k in a row (a complete line that it had before counts too)."""
    raise NotImplementedError


def unmark(b: Any, side: int, spot: int) -> None:
    """Take a mark away."""
    raise NotImplementedError


def occupied(b: Any, spot: int) -> bool:
    """Whether a mark stands there."""
    raise NotImplementedError


def row_marks(b: Any, row: int) -> int:
    """The marks of both sides in a row, bit ``column`` for each."""
    raise NotImplementedError


def nth_untried(b: Any, spot_of: Any, rows: int, columns: int, tried: Any, count: int, n: int) -> int:
    """The ``n``-th free cell, as a spot in ascending order, without the first ``count`` codes of ``tried``."""
    raise NotImplementedError


@inlined
def has_line(b: Any, word: np.uint64) -> bool:
    """Whether these marks on a ``BitBoard`` have k in a row."""
    return bool(bits.has_line(word, b.span, b.steps[0], b.steps[1], b.steps[2]))


def _clear_bits(b: Any) -> None:
    b.words[0] = b.root_words[0]
    b.words[1] = b.root_words[1]


def _copy_short(b: Any, source: Any, target: Any) -> None:
    bits.copy_64(source, target)


def _copy_long(b: Any, source: Any, target: Any) -> None:
    copy_all(source, target)


def _mark_bit(b: Any, side: int, spot: int) -> bool:
    word = b.words[np.uint64(side)] | np.uint64(1) << np.uint64(spot)
    b.words[np.uint64(side)] = word
    return has_line(b, word)


def _unmark_bit(b: Any, side: int, spot: int) -> None:
    b.words[side] ^= np.uint64(1) << np.uint64(spot)


def _occupied_bit(b: Any, spot: int) -> bool:
    return bool(((b.words[0] | b.words[1]) >> np.uint64(spot)) & np.uint64(1))


def _row_marks_bit(b: Any, row: int) -> int:
    above = (b.words[0] | b.words[1]) >> np.uint64(row) * b.span
    return int64(above & ((np.uint64(1) << b.span) - np.uint64(1)))


def _nth_untried_bit(b: Any, spot_of: Any, rows: int, columns: int, tried: Any, count: int, n: int) -> int:
    taken = b.words[0] | b.words[1]
    for i in range(count):
        taken |= np.uint64(1) << np.uint64(spot_of[tried[i]])
    return int64(bits.nth_set(b.cells & ~taken, np.uint64(n)))


def _spots_fit_bit(b: Any) -> bool:
    return bool(b.cells < np.uint64(1 << 32))


def _nth_unmarked_bit(b: Any, marked: np.uint64, n: int) -> np.uint64:
    return bits.nth_set(b.cells & ~(b.words[0] | b.words[1] | marked), np.uint64(n))


def _clear_lines(b: Any) -> None:
    copy_all(b.root_words, b.words)


def _mark_line(b: Any, side: int, spot: int) -> bool:
    words, base = b.words, side * (b.words.size >> 1)
    if not bits.mark_lines(words, base, b.line_of, b.bit_of, spot, b.steps[0], b.steps[1], b.steps[2]):
        return False
    return b.rest.size == 0 or _has_long_line(words, base, b.line_of, b.steps, b.rest, spot)


@inlined
def _has_long_line(words: Any, base: int, line_of: Any, steps: Any, rest: Any, spot: int) -> bool:
    found = np.uint32(0)
    for direction in range(4):
        word = words[base + line_of[4 * spot + direction]]
        for step in steps:
            word &= word >> np.uint32(step)
        for i in range(rest.size):
            word &= word >> rest[i]
        found |= word
    return bool(found != 0)


def _unmark_line(b: Any, side: int, spot: int) -> None:
    base = side * (b.words.size >> 1)
    for i in range(4 * spot, 4 * spot + 4):
        b.words[base + b.line_of[i]] ^= b.bit_of[i]


def _occupied_line(b: Any, spot: int) -> bool:
    row, bit = b.line_of[4 * spot], b.bit_of[4 * spot]
    return bool((b.words[row] | b.words[row + (b.words.size >> 1)]) & bit)


def _row_marks_line(b: Any, row: int) -> int:
    # The first bit rows are the rows of the board.
    return int64(b.words[row] | b.words[row + (b.words.size >> 1)])


def _nth_untried_line(b: Any, spot_of: Any, rows: int, columns: int, tried: Any, count: int, n: int) -> int:
    taken, half = b.tried, b.words.size >> 1
    for row in range(rows):
        taken[row] = b.words[row] | b.words[half + row]
    for i in range(count):
        at = 4 * spot_of[tried[i]]
        taken[b.line_of[at]] |= b.bit_of[at]
    everything = (np.uint64(1) << np.uint64(columns)) - np.uint64(1)
    row, free = 0, everything & ~np.uint64(taken[0])
    here = bits.popcount(free)
    while n >= here:
        n -= here
        row += 1
        free = everything & ~np.uint64(taken[row])
        here = bits.popcount(free)
    return row * (columns + 1) + int64(bits.nth_set(free, np.uint64(n)))


def _spots_fit_line(b: Any) -> bool:
    return False


def _nth_unmarked_line(b: Any, marked: np.uint64, n: int) -> np.uint64:
    return np.uint64(0)


for _function, _bit, _line in (
    (clear_board, _clear_bits, _clear_lines),
    (copy_list, _copy_short, _copy_long),
    (mark, _mark_bit, _mark_line),
    (unmark, _unmark_bit, _unmark_line),
    (occupied, _occupied_bit, _occupied_line),
    (row_marks, _row_marks_bit, _row_marks_line),
    (nth_untried, _nth_untried_bit, _nth_untried_line),
    (spots_fit, _spots_fit_bit, _spots_fit_line),
    (nth_unmarked, _nth_unmarked_bit, _nth_unmarked_line),
):
    implement(_function, BitBoard, _bit)
    implement(_function, LineBoard, _line)
