"""m,n,k games on large boards as array code: with ``kernel_small`` the compiled twin of ``rules``.

A move's code is its cell, ``row * m + column``. ``mnk_board`` keeps the marks; here are the turns, and the list of
*choices* that playouts pick from: the spots of the free cells, or with gravity the columns that are not full.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.mnk import kernel_board as mnk_board
from nimdesk.games.mnk.kernel_board import LineBoard, copy_all
from nimdesk.kernels import random as rng
from nimdesk.kernels import rules
from nimdesk.kernels.jit import inlined, int64
from nimdesk.kernels.memory import bits
from nimdesk.kernels.places import code_of
from nimdesk.kernels.rules import DRAW, LOSS, ONGOING, WIN

# Slots of the ``state`` array.
COUNT, TURN = 0, 1


class MnkRules(NamedTuple):
    """Parameters, root and working position of one m,n,k game.

    With ``gravity`` (1, else 0) a mark falls to the lowest free cell of its column. ``spot_of`` (int16, one a code) and
    ``code_of`` (int16, one a spot) turn codes into spots and back. Root and working copy: ``choices`` (uint16: the open
    choices, in any order, the first ``state[COUNT]`` valid), ``place`` (uint16: where a choice stands in ``choices``),
    ``state`` (int64: number of open choices, side to move) and ``heights`` (int64: marks in each column; with gravity).
    """

    columns: int
    rows: int
    gravity: int
    board: LineBoard
    spot_of: NDArray[np.int16]
    code_of: NDArray[np.int16]
    root_choices: NDArray[np.uint16]
    root_place: NDArray[np.uint16]
    root_state: NDArray[np.int64]
    root_heights: NDArray[np.int64]
    choices: NDArray[np.uint16]
    place: NDArray[np.uint16]
    state: NDArray[np.int64]
    heights: NDArray[np.int64]


def make_rules(
    m: int, n: int, k: int, gravity: bool, marks: list[tuple[int, int, int]], turn: int, *, exact: bool = False
) -> MnkRules:
    """The rules with the root position given as marks ``(column, row, side)`` and the side to move."""
    board = mnk_board.make_board(m, n, k, marks, exact)
    spot_of, code_of = mnk_board.spots_and_codes(m, n)
    heights = np.zeros(m, np.int64)
    open_choices = np.ones((n, m + 1), bool)
    open_choices[:, m] = False
    for column, row, _ in marks:
        heights[column] += 1
        open_choices[row, column] = False
    listed = np.flatnonzero(heights < n if gravity else open_choices)
    size = m if gravity else (m + 1) * n
    choices, place = np.zeros(size, np.uint16), np.zeros(size, np.uint16)
    choices[: len(listed)] = listed
    place[listed] = np.arange(len(listed))
    state = np.array([len(listed), turn], np.int64)
    root, working = (choices, place, state, heights), (choices.copy(), place.copy(), state.copy(), heights.copy())
    return MnkRules(m, n, int(gravity), board, spot_of, code_of, *root, *working)


def copy_rules(r: MnkRules) -> MnkRules:
    """The same rules and positions, with working arrays of their own."""
    working = r.choices.copy(), r.place.copy(), r.state.copy(), r.heights.copy()
    return MnkRules(r.columns, r.rows, r.gravity, mnk_board.copy_board(r.board), *r[4:-4], *working)


@inlined
def _choice_of(r: Any, spot: int) -> int:
    """The choice that puts a mark on the spot."""
    return int64(spot % (r.columns + 1)) if r.gravity else spot


@inlined
def _land(r: Any, choice: int) -> tuple[int, bool]:
    """Where a choice puts its mark, as a spot, and whether it uses the choice up; the column is one higher then."""
    if not r.gravity:
        return choice, True
    height = r.heights[choice]
    r.heights[choice] = height + 1
    return height * (r.columns + 1) + choice, height + 1 == r.rows


@inlined
def _lift(r: Any, choice: int) -> bool:
    """Take back what ``_land`` did; whether that opens the choice again."""
    if not r.gravity:
        return True
    r.heights[choice] -= 1
    return bool(r.heights[choice] + 1 == r.rows)


@inlined
def _is_open(r: Any, spot: int) -> bool:
    """Whether a mark may be put on the spot now."""
    if not r.gravity:
        return not mnk_board.occupied(r.board, spot)
    return bool(r.heights[spot % (r.columns + 1)] == spot // (r.columns + 1))


@inlined
def _nth_column(r: Any, marked: np.uint64, n: int) -> np.uint64:
    """The n-th column, from the left, that is neither full nor marked."""
    # A column is open while its highest cell is free.
    every = (np.uint64(1) << np.uint64(r.columns)) - np.uint64(1)
    full = np.uint64(mnk_board.row_marks(r.board, r.rows - 1))
    return np.uint64(bits.nth_set(every & ~(full | marked), np.uint64(n)))


@inlined
def _move_in(r: Any, column: np.uint64) -> int:
    """The code of the move that drops a mark into this column."""
    return int64(r.heights[column] * r.columns + np.int64(column))


def _reset(r: Any) -> None:
    copy_all(r.board.root_words, r.board.words)
    if r.gravity:
        copy_all(r.root_heights, r.heights)
    copy_all(r.root_choices, r.choices)
    copy_all(r.root_place, r.place)
    r.state[COUNT], r.state[TURN] = r.root_state[COUNT], r.root_state[TURN]


def _play(r: Any, move: int) -> int:
    side, count = r.state[TURN], r.state[COUNT]
    # Indices without a sign, here and in ``mark``: else each is asked whether it counts from the end.
    choice = _choice_of(r, int64(r.spot_of[np.uint64(move)]))
    spot, used_up = _land(r, choice)
    if used_up:
        # The last of the open choices takes its place.
        count -= 1
        at, moved = r.place[np.uint64(choice)], r.choices[np.uint64(count)]
        r.choices[at], r.place[moved] = moved, at
    r.state[COUNT], r.state[TURN] = count, 1 - side
    if mnk_board.mark(r.board, side, spot):
        return WIN
    return ONGOING if count > 0 else DRAW


def _undo(r: Any, move: int) -> None:
    side, spot = 1 - r.state[TURN], int64(r.spot_of[move])
    choice = _choice_of(r, spot)
    if _lift(r, choice):
        # ``play`` left the choice's old place in ``place``: put it back there, and the one moved there at the end.
        count, at = r.state[COUNT], r.place[choice]
        moved = r.choices[at]
        r.choices[count], r.place[moved] = moved, count
        r.choices[at], r.place[choice] = choice, at
        r.state[COUNT] = count + 1
    mnk_board.unmark(r.board, side, spot)
    r.state[TURN] = side


def _legal_count(r: Any) -> int:
    return int64(r.state[COUNT])


def _pick_untried(r: Any, tried: Any, marks: Any, count: int, random: np.uint64) -> int:
    n = rng.below(random, r.state[COUNT] - count)
    if r.gravity:
        marked = np.uint64(0)
        for i in range(count):
            marked |= np.uint64(1) << np.uint64(code_of(tried[i]) % r.columns)
        return _move_in(r, _nth_column(r, marked, n))
    spot = mnk_board.nth_untried(r.board, r.spot_of, r.rows, r.columns, tried, marks, count, n)
    return int64(r.code_of[spot])


def _moves_fit(r: Any) -> bool:
    # Only columns are few enough.
    return bool(r.gravity)


def _pick_unmarked(r: Any, marked: np.uint64, count: int, random: np.uint64) -> tuple[int, np.uint64]:
    column = _nth_column(r, marked, rng.below(random, r.state[COUNT] - count))
    return _move_in(r, column), marked | np.uint64(1) << column


@inlined
def _random_spot(r: Any, choices: Any, count: np.uint64, random: np.uint64) -> tuple[np.uint64, int]:
    """Use up one of the open choices by a random 32-bit number; how many are left, and the spot of the mark."""
    at = random * count >> np.uint64(32)
    spot, used_up = _land(r, int64(choices[at]))
    if used_up:
        count -= np.uint64(1)
        choices[at] = choices[count]
    return count, spot


def _playout(r: Any, random: np.uint64) -> tuple[np.uint64, int]:
    side, count = int64(r.state[TURN]), np.uint64(r.state[COUNT])
    # One random number is enough for two plies, one of each side.
    while True:
        random = rng.step(random)
        pair = rng.bits(random)
        count, spot = _random_spot(r, r.choices, count, pair >> np.uint64(32))
        if mnk_board.mark(r.board, side, spot):
            return random, WIN
        if count == np.uint64(0):
            return random, DRAW
        count, spot = _random_spot(r, r.choices, count, pair & np.uint64(0xFFFFFFFF))
        if mnk_board.mark(r.board, 1 - side, spot):
            return random, LOSS
        if count == np.uint64(0):
            return random, DRAW


def _next_move(r: Any, after: int) -> int:
    for move in range(after + 1, r.spot_of.size):
        if _is_open(r, int64(r.spot_of[move])):
            return move
    return -1


def _neighbours(r: Any, move: int) -> int:
    row, column = move // r.columns, move % r.columns
    around = np.int64(0)
    for near_row in range(max(row - 1, 0), min(row + 2, r.rows)):
        # The three cells side by side, of which the middle one does not count in its own row.
        three = ((mnk_board.row_marks(r.board, near_row) << 1) >> column) & 7
        around = (around << 3) | (three & 5 if near_row == row else three)
    # Bits counted three at a time, the three counts then added.
    around = around - ((around >> 1) & 0o333) - ((around >> 2) & 0o111)
    return int64((around & 7) + ((around >> 3) & 7) + (around >> 6))


rules.implement(rules.undo, MnkRules, _undo, inline=False)
rules.implement(rules.next_move, MnkRules, _next_move, inline=False)
rules.implement(rules.neighbours, MnkRules, _neighbours, inline=False)
rules.implement(rules.reset, MnkRules, _reset)
rules.implement(rules.play, MnkRules, _play)
rules.implement(rules.legal_count, MnkRules, _legal_count)
rules.implement(rules.pick_untried, MnkRules, _pick_untried)
rules.implement(rules.moves_fit, MnkRules, _moves_fit)
rules.implement(rules.pick_unmarked, MnkRules, _pick_unmarked)
rules.implement(rules.playout, MnkRules, _playout)
