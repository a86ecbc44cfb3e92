"""The lines of a board, read as ``patterns`` while marks come and go, and what they show.

The same functions serve the search in Python, which runs them on lists, and the kernels, for which numba compiles them
and which have arrays (``kernel_lines``). So all here are plain loops over numbers.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp
from typing import TYPE_CHECKING, Any, NamedTuple

from nimdesk.games.mnk.patterns import (
    CATEGORIES,
    CLASS_BITS,
    COMPLETES,
    FOUR_AND_PROMISE,
    MAKES_FOUR,
    WINS_SOON,
    patterns,
)
from nimdesk.games.mnk.rules import MnkPosition
from nimdesk.games.twin import BY_FOURS, FORCED, LOSES, NOTHING, WINS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FREE = 2
"""In place of a side, of a cell without a mark."""
MOST_FOURS = 60
"""A search tries so many fours at each new position to find a win by fours alone."""
# One's own lines count a little more than the opponent's. Of moves worth the same, the nearest to the middle comes
# first: the last number is more than any ``nearness``.
_OWN, _OTHER, _MOST_NEARNESS = 5, 4, 64


class Lines(NamedTuple):
    """What a mark would make of the lines through each cell, for either side; all arrays are flat.

    From ``span`` to ``more`` they are those of ``Patterns``. ``nearness`` (int32) is how near the middle each cell is,
    and ``near`` (int16, cells x 4 x 2 ``span``) are the cells around it in each direction, from left to right; all that
    is off the board is one cell more. Root and working copy: ``around`` (int32, cells x sides x 4), the numbers of the
    lines; ``found`` (int8, cells x sides), the categories; ``counts`` (int64, sides x categories) of the free cells
    with each; and ``marks`` (int8), a side or ``FREE``, but neither off the board. ``scratch`` (int64) is for a line of
    moves.
    """

    cells: int
    span: int
    classes: NDArray[np.int8]
    worth: NDArray[np.int32]
    categories: NDArray[np.int8]
    more: NDArray[np.int32]
    nearness: NDArray[np.int32]
    near: NDArray[np.int16]
    root_around: NDArray[np.int32]
    root_found: NDArray[np.int8]
    root_counts: NDArray[np.int64]
    root_marks: NDArray[np.int8]
    around: NDArray[np.int32]
    found: NDArray[np.int8]
    counts: NDArray[np.int64]
    marks: NDArray[np.int8]
    scratch: NDArray[np.int64]


def make_lines(position: MnkPosition) -> Lines:
    """The lines with this position as the root."""
    import numpy as np  # lazy: a game's rules and its twin are loaded before the first paint

    game = position.game
    tables = patterns(game.k, game.exact)
    nearness, near = _geometry(game.m, game.n, tables.span)
    marks = np.full(len(near) + 1, FREE, np.int8)
    marks[-1] = FREE + 1
    for ply, move in enumerate(position.moves):
        marks[move.row * game.m + move.column] = ply % 2
    places = marks[near]
    digits = [np.select([places == FREE, places == side], [0, 1], 2) for side in (0, 1)]
    around = (np.stack(digits, 1) @ 3 ** np.arange(2 * tables.span)).astype(np.int32)
    shapes = (tables.classes[around].astype(np.int32) << CLASS_BITS * np.arange(4)).sum(axis=2)
    found, free = tables.categories[shapes], marks[:-1] == FREE
    counts = np.array([np.bincount(found[free, side], minlength=CATEGORIES) for side in (0, 1)], np.int64)
    root: list[Any] = [around.ravel(), found.ravel(), counts.ravel(), marks]
    working = [*(array.copy() for array in root), np.zeros(len(near), np.int64)]
    return Lines(len(near), *tables, nearness, near.ravel(), *root, *working)


def as_lists(lines: Lines) -> Any:
    """The same as lists, which Python reads and writes more quickly."""
    return Lines(*(each if isinstance(each, int) else each.tolist() for each in lines))  # type: ignore[arg-type]


@lru_cache(maxsize=16)
def _geometry(m: int, n: int, span: int) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
    """``nearness`` and ``near`` of ``Lines``, which are never written to."""
    import numpy as np  # lazy, as above

    row, column = (each.reshape(-1, 1, 1) for each in np.indices((n, m)))
    far = np.maximum(abs(2 * column - m + 1), abs(2 * row - n + 1)).ravel()
    nearness = (far.max() - far).astype(np.int32)
    right, up = np.array([(1, 0), (0, 1), (1, 1), (-1, 1)]).T[:, :, None]
    steps = np.array([*range(-span, 0), *range(1, span + 1)])
    rows, columns = row + up * steps, column + right * steps
    is_there = (rows >= 0) & (rows < n) & (columns >= 0) & (columns < m)
    near = np.where(is_there, rows * m + columns, m * n).astype(np.int16)
    nearness.flags.writeable = near.flags.writeable = False
    return nearness, near


def begin(p: Any) -> None:
    """Go back to the root."""
    for i in range(8 * p.cells):
        p.around[i] = p.root_around[i]
    for i in range(2 * p.cells):
        p.found[i] = p.root_found[i]
    for i in range(2 * CATEGORIES):
        p.counts[i] = p.root_counts[i]
    for i in range(p.cells):
        p.marks[i] = p.root_marks[i]


def put(p: Any, side: int, cell: int) -> None:
    """A mark of the side comes to a free cell."""
    p.marks[cell] = side
    change(p, side, cell, 1)


def lift(p: Any, side: int, cell: int) -> None:
    """The mark that came last goes."""
    change(p, side, cell, -1)
    p.marks[cell] = FREE


def change(p: Any, side: int, cell: int, sign: int) -> None:
    """A mark comes or goes: free cells around it see that. What its own cell is stays, but counts no more, or again."""
    for each in range(2):
        p.counts[CATEGORIES * each + p.found[2 * cell + each]] -= sign
    for direction in range(4):
        first = (4 * cell + direction) * 2 * p.span
        # Seen from its first place, the cell is in the last one, whose digit counts most.
        step = sign
        for at in range(first + 2 * p.span - 1, first - 1, -1):
            seen = p.near[at]
            if p.marks[seen] == FREE:
                see(p, side, seen, direction, step)
                see(p, 1 - side, seen, direction, 2 * step)
            step *= 3


def see(p: Any, side: int, cell: int, direction: int, step: int) -> None:
    """The number of a line of a free cell changes."""
    at = 2 * cell + side
    before = p.around[4 * at + direction]
    p.around[4 * at + direction] = before + step
    if p.classes[before + step] != p.classes[before]:
        shape = 0
        for each in range(4):
            shape |= p.classes[p.around[4 * at + each]] << CLASS_BITS * each
        p.counts[CATEGORIES * side + p.found[at]] -= 1
        p.found[at] = p.categories[shape]
        p.counts[CATEGORIES * side + p.found[at]] += 1


def number_of(p: Any, side: int, least: int) -> int:
    """How many free cells are of at least this category for the side."""
    number = 0
    for category in range(least, CATEGORIES):
        number += p.counts[CATEGORIES * side + category]
    return number


def next_cell(p: Any, side: int, least: int, after: int = -1) -> int:
    """The first free cell above ``after`` of at least this category for the side; -1 without one."""
    for cell in range(after + 1, p.cells):
        if p.marks[cell] == FREE and p.found[2 * cell + side] >= least:
            return cell
    return -1


def is_pressed(p: Any, side: int) -> bool:
    """Whether nothing can matter to the side, which is to move, but where either side would make a four.

    The opponent is about to make two places to complete a row, and the side is not.
    """
    return bool(p.counts[CATEGORIES * (1 - side) + WINS_SOON] > 0 and number_of(p, side, WINS_SOON) == 0)


def matters(p: Any, cell: int, pressed: bool) -> bool:
    """Whether a cell is free and, for a side that ``is_pressed``, either side would make a four there."""
    if p.marks[cell] != FREE:
        return False
    return bool(not pressed or p.found[2 * cell] >= MAKES_FOUR or p.found[2 * cell + 1] >= MAKES_FOUR)


def worth_of(p: Any, side: int, cell: int) -> int:
    """What a move of the side is worth, by the lines of both through its cell, then by how near the middle it is."""
    total: int = p.nearness[cell]
    for each in range(2):
        at = 2 * cell + each
        worth = p.more[p.found[at]]
        for line in range(4 * at, 4 * at + 4):
            worth += p.worth[p.around[line]]
        total += _MOST_NEARNESS * (_OWN if each == side else _OTHER) * worth
    return total


def assess(p: Any, side: int, most: int) -> tuple[int, int]:
    """What is seen at once of the side, which is to move, and the cell that wins or is forced (-1 without one).

    It is what ``identity.assess`` says; ``most`` as in ``win_by_fours``.
    """
    if number_of(p, side, COMPLETES) > 0:
        return WINS, next_cell(p, side, COMPLETES)
    threats = number_of(p, 1 - side, COMPLETES)
    if threats > 1:
        return LOSES, -1
    if threats > 0:
        return FORCED, next_cell(p, 1 - side, COMPLETES)
    if number_of(p, side, WINS_SOON) > 0:
        return BY_FOURS + 3, next_cell(p, side, WINS_SOON)
    plies, cell = win_by_fours(p, side, most)
    return (BY_FOURS + plies if plies > 0 else NOTHING), cell


def win_by_fours(p: Any, side: int, most: int) -> tuple[int, int]:
    """The plies in which the side, which is to move, wins by fours, and its first move; (0, -1) where none was found.

    Each of its moves threatens to complete a row, and has one answer at most: so only its own moves have to be tried,
    ``most`` of them in all. Neither side completes a row with the next move. The lines are as before.
    """
    stack, other, depth, cell = p.scratch, 1 - side, 0, -1
    while True:
        cell = next_four(p, side, cell) if most > 0 else -1
        if cell >= 0:
            most -= 1
            put(p, side, cell)
            stack[depth] = cell
            if number_of(p, other, COMPLETES) > 0:
                lift(p, side, cell)
            elif number_of(p, side, COMPLETES) > 1:
                break
            else:
                stack[depth + 1] = next_cell(p, side, COMPLETES)
                put(p, other, stack[depth + 1])
                depth, cell = depth + 2, -1
        elif depth > 0:
            depth -= 2
            lift(p, other, stack[depth + 1])
            cell = stack[depth]
            lift(p, side, cell)
        else:
            return 0, -1
    for at in range(depth, -1, -1):
        lift(p, other if at & 1 else side, stack[at])
    return depth + 3, stack[0]


def next_four(p: Any, side: int, after: int) -> int:
    """The next move of the side that may win by fours; -1 without one.

    Fours that promise nothing besides are passed over: they took most of the time, and few wins need them.
    """
    if number_of(p, 1 - side, COMPLETES) == 0:
        return next_cell(p, side, FOUR_AND_PROMISE, after)
    # The opponent threatens to complete a row: its one place is the only one.
    cell = next_cell(p, 1 - side, COMPLETES)
    return cell if cell > after and p.found[2 * cell + side] >= MAKES_FOUR else -1


def evaluate(p: Any, side: int, weights: Any) -> float:
    """The probability that the side, which is to move, wins.

    The weights are those of its free cells by category, then of the opponent's, and a constant.
    """
    total = weights[2 * CATEGORIES]
    for category in range(CATEGORIES):
        total += weights[category] * p.counts[CATEGORIES * side + category]
        total += weights[CATEGORIES + category] * p.counts[CATEGORIES * (1 - side) + category]
    return 1.0 / (1.0 + exp(-total))
