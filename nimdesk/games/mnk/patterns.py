"""What a mark would make of the lines through its cell: a class by direction, and from all four a category of the move.

A *line* is what stands around an empty cell in one direction, as far as a row of k through it can reach. Its class says
how far the side would be from k in a row there; the names are those of k = 5: a four lacks one mark more, a three two.
An open four can be completed in two places, of which the opponent can close one; what one mark more makes an open four
is an open three, and so on. See Allis, van den Herik and Huntjens, Go-Moku and Threat-Space Search (1993).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Classes of a line.
NONE, ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(9)
CLASSES = 9
# Four classes, one a direction, are one number, its *shape*.
CLASS_BITS = 4
# Categories of a move: from ``MAKES_FOUR`` on it has to be answered at once, and from ``WINS_SOON`` on it cannot be.
NO_LINE, SOMETHING, THREATENS, TWO_THREES, MAKES_FOUR, FOUR_AND_THREE, WINS_SOON, COMPLETES = range(8)
CATEGORIES = 8
FREE = 2
"""In place of a side, of a cell without a mark."""
# What a line is worth by its class, a little more for each row through it that is possible and each mark there; and a
# move more by its category. One's own counts a little more than the opponent's.
_WORTH, MORE = (0, 8, 32, 96, 112, 360, 384, 3_200, 32_000), (0, 0, 0, 720, 0, 2_000, 2_400, 0)
_ROW, _MARK = 1, 6
OWN, OTHER = 5, 4
MOST_FOURS = 60
"""A search tries so many fours at each new position to find a win by fours alone."""


def suit(k: int, gravity: bool) -> bool:
    """Whether lines are read so on boards with so many in a row."""
    return 4 <= k <= 6 and not gravity


class Patterns(NamedTuple):
    """The tables for one k.

    Around a cell are ``span`` cells on either side, from left to right: each is 0 if it is free, 1 if it is the side's
    own, 2 if it is the opponent's or off the board, and together they are a number in base 3. ``classes`` (uint8) and
    ``worth`` (int32), both by that number, have its class and what a move there is worth for that line; ``categories``
    (uint8) is by shape.
    """

    span: int
    classes: NDArray[np.uint8]
    worth: NDArray[np.int32]
    categories: NDArray[np.uint8]


@lru_cache(maxsize=8)
def patterns(k: int, exact: bool = False) -> Patterns:
    """The tables for k in a row, or with ``exact`` for exactly k; they are never written to."""
    import numpy as np  # lazy: a game's rules and its twin are loaded before the first paint

    span = k if exact else k - 1
    classes, worth = _lines(k, span, exact)
    shapes = np.arange(1 << 4 * CLASS_BITS)
    lines = np.stack([shapes >> CLASS_BITS * direction & (1 << CLASS_BITS) - 1 for direction in range(4)])
    lines[lines > FIVE] = NONE
    fours, threes = (lines == FOUR).sum(axis=0), (lines == OPEN_THREE).sum(axis=0)
    categories = np.select(
        [
            (lines == FIVE).any(axis=0),
            (lines == OPEN_FOUR).any(axis=0) | (fours > 1),
            (fours > 0) & (threes > 0),
            fours > 0,
            threes > 1,
            threes > 0,
            (lines > NONE).any(axis=0),
        ],
        [COMPLETES, WINS_SOON, FOUR_AND_THREE, MAKES_FOUR, TWO_THREES, THREATENS, SOMETHING],
        NO_LINE,
    ).astype(np.uint8)
    made = Patterns(span, classes, worth, categories)
    for table in made[1:]:
        table.flags.writeable = False
    return made


def _lines(k: int, span: int, exact: bool) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """The class and the worth of each line: with one mark more it is another line, whose class is known by then."""
    import numpy as np  # lazy, as above

    numbers = np.arange(3 ** (2 * span))
    cells = np.stack([numbers // 3**at % 3 for at in range(2 * span)], 1).astype(np.uint8)
    cells = np.insert(cells, span, 1, axis=1)
    complete, open_window = np.zeros(len(numbers), bool), np.zeros(len(numbers), bool)
    worth = np.zeros(len(numbers), np.int32)
    for first in range(span - k + 1, span + 1):
        window, ends = cells[:, first : first + k], [first - 1, first + k] if exact else []
        alone = (cells[:, ends] != 1).all(axis=1)
        complete |= (window == 1).all(axis=1) & alone
        possible = (window != 2).all(axis=1) & alone
        open_window |= possible
        worth += possible * (_ROW + _MARK * ((window == 1).sum(axis=1) - 1))
    classes = np.where(complete, FIVE, np.where(open_window, ONE, NONE)).astype(np.uint8)
    nearer = np.zeros(FIVE + 1, np.uint8)
    nearer[[THREE, OPEN_THREE, FOUR, OPEN_FOUR]] = TWO, OPEN_TWO, THREE, OPEN_THREE
    free = (cells == 0).sum(axis=1)
    for count in range(1, 2 * span + 1):
        lines = np.flatnonzero((free == count) & ~complete & open_window)
        best, fives = classes[lines], np.zeros(len(lines), np.uint8)
        for at in range(2 * span):
            there = cells[lines, at + (at >= span)] == 0
            after = classes[lines[there] + 3**at]
            fives[there] += after == FIVE
            best[there] = np.maximum(best[there], nearer[after])
        classes[lines] = np.where(fives > 1, OPEN_FOUR, np.where(fives == 1, FOUR, best))
    return classes, worth + np.array(_WORTH, np.int32)[classes]


@lru_cache(maxsize=16)
def rays(m: int, n: int, span: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """For each cell the cells along eight rays from it, nearest first, as far as lines reach; -1 off the board.

    Rays ``2 * d`` and ``2 * d + 1`` are those to the left and to the right in direction d.
    """

    def cell(column: int, row: int) -> int:
        return row * m + column if 0 <= column < m and 0 <= row < n else -1

    steps = [(sign * right, sign * up) for right, up in ((1, 0), (0, 1), (1, 1), (-1, 1)) for sign in (-1, 1)]
    return tuple(
        tuple(tuple(cell(column + i * right, row + i * up) for i in range(1, span + 1)) for right, up in steps)
        for row in range(n)
        for column in range(m)
    )


def powers(span: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What a mark adds to the number of a line of the cells along a ray to its left, and to its right.

    From a cell on its left it stands to the right.
    """
    return tuple(3 ** (span + i) for i in range(span)), tuple(3 ** (span - 1 - i) for i in range(span))


@lru_cache(maxsize=16)
def nearness(m: int, n: int) -> tuple[int, ...]:
    """How near the middle of the board each cell is, from 0 on: of moves worth the same, the nearest comes first."""
    far = [max(abs(2 * column - m + 1), abs(2 * row - n + 1)) for row in range(n) for column in range(m)]
    return tuple(max(far) - each for each in far)


MOST_NEARNESS = 64
"""More than any ``nearness``."""
