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

    from nimdesk.games.mnk.rules import MnkGame

# Classes of a line.
NONE, ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(9)
# Four classes, one a direction, are one number, its *shape*.
CLASS_BITS = 4
# Categories of a move: from ``MAKES_FOUR`` on it has to be answered at once, and from ``WINS_SOON`` on it cannot be. It
# promises where one mark more in a line would threaten: in an open two or a three.
NO_LINE, SOMETHING, PROMISES, PROMISES_TWICE, THREATENS, THREE_AND_PROMISE, TWO_THREES = range(7)
MAKES_FOUR, FOUR_AND_PROMISE, FOUR_AND_THREE, WINS_SOON, COMPLETES = range(7, 12)
CATEGORIES = 12
# What a line is worth by its class, a little more for each row through it that is possible and each mark there; and a
# move more by its category.
_WORTH = (0, 8, 32, 96, 112, 360, 384, 3_200, 32_000)
_MORE = (0, 0, 0, 0, 0, 0, 720, 0, 0, 2_000, 2_400, 0)
_ROW, _MARK = 1, 6


def suit(game: MnkGame) -> bool:
    """Whether lines are read so in this game."""
    return 4 <= game.k <= 6 and not game.gravity


class Patterns(NamedTuple):
    """The tables for one k.

    Around a cell are ``span`` cells on either side, from left to right: each is 0 if it is free, 1 if it is the side's
    own, 2 if it is the opponent's or off the board, and together they are a number in base 3. ``classes`` (int8) and
    ``worth`` (int32), both by that number, have its class and what a move there is worth for that line; ``categories``
    (int8) is by shape, and ``more`` (int32), what the move is worth besides, by category.
    """

    span: int
    classes: NDArray[np.int8]
    worth: NDArray[np.int32]
    categories: NDArray[np.int8]
    more: NDArray[np.int32]


@lru_cache(maxsize=8)
def patterns(k: int, exact: bool = False) -> Patterns:
    """The tables for k in a row, or with ``exact`` for exactly k; they are never written to."""
    import numpy as np  # lazy: a game's rules and its twin are loaded before the first paint

    span = k if exact else k - 1
    classes, worth = _lines(k, span, exact)
    shapes = np.arange(1 << 4 * CLASS_BITS)
    lines = np.stack([shapes >> CLASS_BITS * direction & (1 << CLASS_BITS) - 1 for direction in range(4)])
    fours, threes = (lines == FOUR).sum(axis=0), (lines == OPEN_THREE).sum(axis=0)
    promises = ((lines == OPEN_TWO) | (lines == THREE)).sum(axis=0)
    categories = np.select(
        [
            (lines == FIVE).any(axis=0),
            (lines == OPEN_FOUR).any(axis=0) | (fours > 1),
            (fours > 0) & (threes > 0),
            (fours > 0) & (promises > 0),
            fours > 0,
            threes > 1,
            (threes > 0) & (promises > 0),
            threes > 0,
            promises > 1,
            promises > 0,
            (lines > NONE).any(axis=0),
        ],
        range(CATEGORIES - 1, NO_LINE, -1),
        NO_LINE,
    ).astype(np.int8)
    made = Patterns(span, classes, worth, categories, np.array(_MORE, np.int32))
    for table in made[1:]:
        table.flags.writeable = False
    return made


def _lines(k: int, span: int, exact: bool) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    """The class and the worth of each line: with one mark more it is another line, whose class is known by then."""
    import numpy as np  # lazy, as above

    places = [at for at in range(2 * span + 1) if at != span]
    powers = 3 ** np.arange(2 * span)
    cells = np.ones((3 ** (2 * span), 2 * span + 1), np.int8)
    cells[:, places] = np.arange(len(cells))[:, None] // powers % 3
    complete, possible = np.zeros(len(cells), bool), np.zeros(len(cells), bool)
    worth = np.zeros(len(cells), np.int32)
    for first in range(span - k + 1, span + 1):
        row, ends = cells[:, first : first + k], [first - 1, first + k] if exact else []
        open_row = (row != 2).all(axis=1) & (cells[:, ends] != 1).all(axis=1)
        marks = (row == 1).sum(axis=1)
        complete |= open_row & (marks == k)
        possible |= open_row
        worth += open_row * (_ROW + _MARK * (marks - 1))
    classes = np.select([complete, possible], [FIVE, ONE], NONE).astype(np.int8)
    nearer = np.array([NONE, NONE, NONE, NONE, TWO, OPEN_TWO, THREE, OPEN_THREE, NONE], np.int8)
    free = (cells == 0).sum(axis=1)
    for count in range(1, 2 * span + 1):
        lines = np.flatnonzero((free == count) & possible & ~complete)
        best, fives = classes[lines], np.zeros(len(lines), np.int8)
        for place, power in zip(places, powers, strict=True):
            there = cells[lines, place] == 0
            after = classes[lines[there] + power]
            fives[there] += after == FIVE
            best[there] = np.maximum(best[there], nearer[after])
        classes[lines] = np.select([fives > 1, fives == 1], [OPEN_FOUR, FOUR], best)
    return classes, worth + np.array(_WORTH, np.int32)[classes]
