"""m,n,k games as array code: the compiled twin of ``nimdesk.games.mnk``.

A move's code is its cell, ``row * m + column``. Each side's marks stand in *bit rows*: one word for each row, column,
diagonal and anti-diagonal of the board. A move sets one bit in four words, and a few shifts of each tell whether it
completed k in a row.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import random as rng
from nimdesk.kernels import rules
from nimdesk.kernels.jit import inlined
from nimdesk.kernels.rules import DRAW, LOSS, ONGOING, WIN

MOVE_CODES = 19 * 19
# Slots of the ``state`` array.
COUNT, TURN = 0, 1


class MnkRules(NamedTuple):
    """Parameters, root and working position of one m,n,k game.

    A *choice* is what a player picks among: a cell, or with gravity a column. ``line_of`` (int32, cells x 4) and
    ``bit_of`` (uint32, cells x 4) place a cell in its four bit rows; ``shifts`` (uint32) are the shifts whose repeated
    ``word & word >> shift`` leaves a bit only where k bits stood in a row. The rest comes in pairs, root and working
    copy: ``lines`` (uint32: all bit rows of the first side, then of the second), ``choices`` (int32: the open choices,
    in any order, the first ``state[COUNT]`` valid), ``place`` (int32: where a choice stands in ``choices``),
    ``heights`` (int32, marks in each column) and ``state`` (int64: number of open choices, side to move).
    """

    columns: int
    gravity: int
    line_of: NDArray[np.int32]
    bit_of: NDArray[np.uint32]
    shifts: NDArray[np.uint32]
    rows: int
    root_lines: NDArray[np.uint32]
    root_choices: NDArray[np.int32]
    root_place: NDArray[np.int32]
    root_heights: NDArray[np.int32]
    root_state: NDArray[np.int64]
    lines: NDArray[np.uint32]
    choices: NDArray[np.int32]
    place: NDArray[np.int32]
    heights: NDArray[np.int32]
    state: NDArray[np.int64]


def make_rules(m: int, n: int, k: int, gravity: bool, marks: list[tuple[int, int, int]], turn: int) -> MnkRules:
    """The rules with the root position given as marks ``(column, row, side)`` and the side to move."""
    line_of, bit_of = _geometry(m, n)
    bit_rows = 3 * (m + n) - 2
    lines = np.zeros(2 * bit_rows, np.uint32)
    heights = np.zeros(m, np.int32)
    taken = set()
    for column, row, side in marks:
        for direction in range(4):
            lines[side * bit_rows + line_of[row * m + column, direction]] |= bit_of[row * m + column, direction]
        heights[column] += 1
        taken.add(row * m + column)
    everything = range(m) if gravity else range(m * n)
    open_choices = [c for c in everything if (heights[c] < n if gravity else c not in taken)]
    choices, place = np.zeros(len(everything), np.int32), np.zeros(len(everything), np.int32)
    for i, choice in enumerate(open_choices):
        choices[i], place[choice] = choice, i
    state = np.array([len(open_choices), turn], np.int64)
    return MnkRules(
        m,
        int(gravity),
        line_of,
        bit_of,
        _shifts(k),
        n,
        *(lines, choices, place, heights, state),
        *(lines.copy(), choices.copy(), place.copy(), heights.copy(), state.copy()),
    )


def _geometry(m: int, n: int) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    line_of, bit_of = np.zeros((m * n, 4), np.int32), np.zeros((m * n, 4), np.uint32)
    for row in range(n):
        for column in range(m):
            cell = row * m + column
            diagonal, anti_diagonal = row - column + m - 1, row + column
            line_of[cell] = row, n + column, n + m + diagonal, n + m + (m + n - 1) + anti_diagonal
            # Neighbours on a line must be neighbours in its word, so a diagonal counts by column.
            bit_of[cell] = 1 << column, 1 << row, 1 << column, 1 << column
    return line_of, bit_of


def _shifts(k: int) -> NDArray[np.uint32]:
    """Shifts that double the run length known so far, and a last one that makes it k exactly."""
    shifts, length = [], 1
    while length < k:
        shifts.append(min(length, k - length))
        length += shifts[-1]
    return np.array(shifts, np.uint32)


@inlined
def _copy(source: Any, target: Any) -> None:
    for i in range(source.size):
        target[i] = source[i]


def _reset(r: Any) -> None:
    _copy(r.root_lines, r.lines)
    _copy(r.root_choices, r.choices)
    _copy(r.root_place, r.place)
    _copy(r.root_heights, r.heights)
    _copy(r.root_state, r.state)


@inlined
def _mark(lines: Any, side: int, line_of: Any, bit_of: Any, shifts: Any, move: int) -> bool:
    """Set the move's bit in its four bit rows of the side; whether that completed k in a row."""
    won = np.uint32(0)
    base = side * (lines.size >> 1)
    for direction in range(4):
        line = base + line_of[move, direction]
        word = lines[line] | bit_of[move, direction]
        lines[line] = word
        for i in range(shifts.size):
            word &= word >> shifts[i]
        won |= word
    return bool(won != 0)


@inlined
def _close(choices: Any, place: Any, choice: int, count: int) -> int:
    """Take a choice from the list of ``count`` open ones; the new count."""
    count -= 1
    at = place[choice]
    moved = choices[count]
    choices[at] = moved
    place[moved] = at
    return count


def _play(r: Any, move: int) -> int:
    state = r.state
    side, count = state[TURN], state[COUNT]
    if r.gravity:
        column, heights = move % r.columns, r.heights
        heights[column] += 1
        if heights[column] == r.rows:
            count = _close(r.choices, r.place, column, count)
    else:
        count = _close(r.choices, r.place, move, count)
    state[COUNT] = count
    state[TURN] = 1 - side
    if _mark(r.lines, side, r.line_of, r.bit_of, r.shifts, move):
        return WIN
    return ONGOING if count > 0 else DRAW


def _legal_count(r: Any) -> int:
    return int(r.state[COUNT])


def _pick_untried(r: Any, tried: Any, count: int, random: np.uint64) -> int:
    # Bring the tried choices to the end of the list of open ones, then pick among the rest.
    last = r.state[COUNT]
    for i in range(count):
        last -= 1
        choice = tried[i] % r.columns if r.gravity else tried[i]
        at, other = r.place[choice], r.choices[last]
        r.choices[at], r.place[other] = other, at
        r.choices[last], r.place[choice] = choice, last
    choice = int(r.choices[rng.below(random, last)])
    return int(r.heights[choice] * r.columns + choice if r.gravity else choice)


def _playout(r: Any, random: np.uint64) -> tuple[np.uint64, int]:
    # Arrays taken out of the tuple once: numba counts references at each access.
    lines, line_of, bit_of, shifts = r.lines, r.line_of, r.bit_of, r.shifts
    choices, place, heights = r.choices, r.place, r.heights
    gravity, columns, rows = r.gravity, r.columns, r.rows
    side, count, ours = r.state[TURN], r.state[COUNT], True
    while count > 0:
        random = rng.step(random)
        choice = int(choices[rng.below(random, count)])
        move = choice
        if gravity:
            move = heights[choice] * columns + choice
            heights[choice] += 1
            if heights[choice] == rows:
                count = _close(choices, place, choice, count)
        else:
            count = _close(choices, place, choice, count)
        if _mark(lines, side, line_of, bit_of, shifts, move):
            return random, (WIN if ours else LOSS)
        side, ours = 1 - side, not ours
    return random, DRAW


def _undo(r: Any, move: int) -> None:
    side, choice = 1 - r.state[TURN], move
    reopens = True
    if r.gravity:
        choice = move % r.columns
        reopens = r.heights[choice] == r.rows
        r.heights[choice] -= 1
    if reopens:
        # ``_close`` left the choice's old place in ``place``: put it back there, and the one moved there at the end.
        count, at = r.state[COUNT], r.place[choice]
        moved = r.choices[at]
        r.choices[count], r.place[moved] = moved, count
        r.choices[at], r.place[choice] = choice, at
        r.state[COUNT] = count + 1
    base = side * (r.lines.size >> 1)
    for direction in range(4):
        r.lines[base + r.line_of[move, direction]] ^= r.bit_of[move, direction]
    r.state[TURN] = side


@inlined
def _occupied(r: Any, cell: int) -> bool:
    row, bit = r.line_of[cell, 0], r.bit_of[cell, 0]
    return bool((r.lines[row] | r.lines[row + (r.lines.size >> 1)]) & bit)


def _next_move(r: Any, after: int) -> int:
    for cell in range(after + 1, r.line_of.shape[0]):
        if r.gravity:
            if r.heights[cell % r.columns] == cell // r.columns:
                return cell
        elif not _occupied(r, cell):
            return cell
    return -1


def _neighbours(r: Any, move: int) -> int:
    row, column = move // r.columns, move % r.columns
    count = 0
    for near_row in range(max(row - 1, 0), min(row + 2, r.rows)):
        for near_column in range(max(column - 1, 0), min(column + 2, r.columns)):
            cell = near_row * r.columns + near_column
            if cell != move and _occupied(r, cell):
                count += 1
    return count


def _guided_playout(r: Any, random: np.uint64, policy: int, ours_perfect: bool) -> tuple[np.uint64, int]:
    return rules.playout(r, random)


rules.implement(rules.undo, MnkRules, _undo, inline=False)
rules.implement(rules.next_move, MnkRules, _next_move, inline=False)
rules.implement(rules.neighbours, MnkRules, _neighbours, inline=False)
rules.implement(rules.guided_playout, MnkRules, _guided_playout, inline=False)
rules.implement(rules.reset, MnkRules, _reset)
rules.implement(rules.play, MnkRules, _play)
rules.implement(rules.legal_count, MnkRules, _legal_count)
rules.implement(rules.pick_untried, MnkRules, _pick_untried)
rules.implement(rules.playout, MnkRules, _playout)
