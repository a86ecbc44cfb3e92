"""The identity of m,n,k positions: the marks of the board, turned and mirrored, and how many of each window there are.

It implements ``nimdesk.kernels.identity``.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.mnk.geometry import all_besides, all_windows, views
from nimdesk.games.twin import random_words
from nimdesk.kernels import identity
from nimdesk.kernels import random as rng
from nimdesk.kernels.identity import FORCED, LOSES, NOTHING, RANDOM_BITS, WINS
from nimdesk.kernels.jit import inlined, int64
from nimdesk.kernels.rules import DRAW, LOSS, WIN

# Cells, codes and windows; without a sign, so that no index needs a look whether it is negative.
Cells = NDArray[np.uint16]


class MnkIdentity(NamedTuple):
    """Boards that are turned or mirrored are one position (with gravity: mirrored); a code is a cell of that view.

    ``gravity`` as in ``MnkRules``; ``k`` in a row. ``words`` (uint64, 2 x cells x views) are the Zobrist words of a
    mark in each view; ``view_of`` and ``cell_of`` (uint16, views x cells) turn a cell into its code in a view and back;
    view 0 is the board as it is. A *window* is k neighbouring cells in a line: ``windows_of`` (uint16, cells x most
    windows of a cell, ended by their number; with ``exact`` those beside which the cell is follow, ended likewise) and
    ``cells_in`` (uint16, windows x k). Its marks are one number: those of the first side, k + 1 times those of the
    second, and with ``exact``, where a line of more than k does not win, a bit for each side that has a mark beside it:
    bits ``beside`` and the next one. By side and marks, ``step`` (int64) is what the counts in ``state`` change by when
    the side adds its mark, and in the third and fourth row, when it adds one beside; ``weights`` (int32) is what a cell
    of the window is worth to the side to move; ``root_worth`` (int32, 2 x cells): what that makes of the cells of the
    root, for each side to move; ``worth`` (int32, one a cell) is scratch. Working values, each with its root copy:
    ``keys`` (uint64, one a view), ``marks`` (uint16, one a window), and ``state`` (int64, with the named slots below);
    ``taken`` (uint8, one a cell).
    What the moves since the root have changed is listed, so that the way back is short: ``touched`` (uint16: the
    windows, each once, as ``listed`` (uint8) knows, and before them those that lack one mark at the root) and
    ``played`` (uint16: the cells).
    """

    gravity: int
    columns: int
    k: int
    exact: int
    beside: int
    words: NDArray[np.uint64]
    view_of: Cells
    cell_of: Cells
    windows_of: Cells
    cells_in: Cells
    step: NDArray[np.int64]
    weights: NDArray[np.int32]
    worth: NDArray[np.int32]
    root_worth: NDArray[np.int32]
    root_keys: NDArray[np.uint64]
    root_marks: NDArray[np.uint16]
    root_state: NDArray[np.int64]
    keys: NDArray[np.uint64]
    marks: NDArray[np.uint16]
    state: NDArray[np.int64]
    taken: NDArray[np.uint8]
    touched: Cells
    listed: NDArray[np.uint8]
    played: Cells


# Slots of ``MnkIdentity.state``: the side to move; the view; how many windows lack one mark of each side; how many
# are open to each, with no mark of the other (and with ``exact`` none of its own beside); the length of ``touched``,
# and the root's part of it; that of ``played``.
TURN, VIEW, LACK_ONE, OPEN, TOUCHED, KEPT, PLAYED = 0, 1, 2, 4, 6, 7, 8
# The four counts of windows stand in one number of ``step``, so many bits each.
COUNT_BITS = 16


def make_identity(
    m: int, n: int, k: int, gravity: bool, exact: bool, marks: list[tuple[int, int, int]], turn: int
) -> MnkIdentity:
    """The identity with the root given as marks ``(column, row, side)`` and the side to move."""
    words, view_of, cell_of, windows_of, cells_in = _geometry(m, n, k, gravity, exact)
    keys = np.zeros(len(view_of), np.uint64)
    # One window more, for the ends of the lists.
    counts, beside = np.zeros((len(cells_in) + 1, 2), np.int64), np.zeros((len(cells_in) + 1, 2), np.int64)
    taken = np.zeros(m * n, np.uint8)
    for column, row, side in marks:
        cell = row * m + column
        keys ^= words[side, cell]
        taken[cell] = 1
        through = windows_of[cell]
        end = int(np.argmax(through == len(cells_in)))
        counts[through[:end], side] += 1
        beside[through[end:], side] = 1
    counts, beside = counts[:-1], beside[:-1]
    step, weights = _by_marks(k, exact)
    marks_of = (counts @ (1, k + 1) + (beside @ (1, 2) << _beside_bit(k))).astype(np.uint16)
    may_win = (counts[:, ::-1] == 0) & (beside == 0)
    lack_one = (counts == k - 1) & may_win
    open_windows = np.flatnonzero(lack_one.any(axis=1))
    # One place more: what is listed already is written there too, and stays behind the end.
    touched, listed = np.zeros(len(cells_in) + 1, np.uint16), np.zeros(len(cells_in), np.uint8)
    touched[: len(open_windows)] = open_windows
    listed[open_windows] = 1
    opened = may_win.sum(axis=0)
    listed_already = len(open_windows)
    state = np.array([turn, 0, *lack_one.sum(axis=0), *opened, listed_already, listed_already, 0], np.int64)
    return MnkIdentity(
        int(gravity),
        m,
        k,
        int(exact),
        _beside_bit(k),
        words,
        view_of,
        cell_of,
        windows_of,
        cells_in,
        step,
        weights,
        np.zeros(m * n, np.int32),
        _worth(m * n, cells_in, marks_of, weights),
        *(keys, marks_of, state),
        *(keys.copy(), marks_of.copy(), state.copy()),
        taken,
        touched,
        listed,
        np.zeros(m * n, np.uint16),
    )


@lru_cache(maxsize=16)
def _geometry(m: int, n: int, k: int, gravity: bool, exact: bool) -> tuple[NDArray[Any], ...]:
    """``words``, ``view_of``, ``cell_of``, ``windows_of`` and ``cells_in``, none of which is ever written to."""
    windows = all_windows(m, n, k)
    through: list[list[int]] = [[] for _ in range(m * n)]
    for lists in (windows, all_besides(m, n, k, exact)):
        for window, cells in enumerate(lists):
            for cell in cells:
                through[cell].append(window)
        if lists is windows and exact:
            for found in through:
                found.append(len(windows))
    windows_of = np.full((m * n, max(map(len, through)) + 1), len(windows), np.uint16)
    for cell, found in enumerate(through):
        windows_of[cell, : len(found)] = found
    cells_in = np.array(windows, np.uint16).reshape(len(windows), k)
    for array in (windows_of, cells_in):
        array.flags.writeable = False
    return *turned(m, n, gravity=gravity), windows_of, cells_in


@lru_cache(maxsize=16)
def turned(m: int, n: int, *, gravity: bool) -> tuple[NDArray[np.uint64], Cells, Cells]:
    """``words``, ``view_of`` and ``cell_of``, none of which is ever written to."""
    view_of = np.array(views(m, n, gravity), np.uint16)
    words = np.ascontiguousarray(random_words(2 * m * n).reshape(2, m * n)[:, view_of.T])
    made = words, view_of, np.argsort(view_of, axis=1).astype(np.uint16)
    for array in made:
        array.flags.writeable = False
    return made


def _worth(cells: int, cells_in: Cells, marks: NDArray[np.uint16], weights: NDArray[np.int32]) -> Any:
    """What each cell of a position is worth for each side to move, all windows added up."""
    worth = np.zeros((2, cells), np.int32)
    for side in (0, 1):
        np.add.at(worth[side], cells_in, weights[side, marks][:, None])
    return worth


def _beside_bit(k: int) -> int:
    """The bit of a window's number that says that the first side has a mark beside it; the next one is the second's."""
    return ((k + 1) ** 2 - 1).bit_length()


@lru_cache(maxsize=16)
def _by_marks(k: int, exact: bool) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """``step`` and ``weights``, which are never written to.

    A mark more in a window is worth four times as much, one's own a little more than the opponent's.
    """
    powers = [min(4**i, 4**8) for i in range(k + 1)]
    size = 4 << _beside_bit(k) if exact else (k + 1) ** 2
    step, weights = np.zeros((4, size), np.int64), np.zeros((2, size), np.int32)
    for first, second, beside, side in np.ndindex(k + 1, k + 1, 4 if exact else 1, 2):
        marks = first + (k + 1) * second | beside << _beside_bit(k)
        ours, theirs = (first, second) if side == 0 else (second, first)
        # Whether the side, and the other one, may yet win with the window.
        we, they = theirs == 0 and not beside >> side & 1, ours == 0 and not beside >> (1 - side) & 1
        if we or they:
            weights[side, marks] = 5 * powers[ours] if we else 4 * powers[theirs]
        changes = [0, 0, 0, 0]
        if we:
            changes[side], changes[2 + side] = -int(ours == k - 1), -1
            step[2 + side, marks] = _packed(changes)
            changes[side], changes[2 + side] = int(ours + 1 == k - 1) - int(ours == k - 1), 0
        if they:
            changes[1 - side] = -int(theirs == k - 1)
            changes[2 + 1 - side] = -1
        step[side, marks] = _packed(changes)
    step.flags.writeable = weights.flags.writeable = False
    return step, weights


def _packed(changes: list[int]) -> int:
    return sum(change << COUNT_BITS * i for i, change in enumerate(changes))


def _begin(g: Any) -> None:
    state = g.state
    for i in range(g.keys.size):
        g.keys[i] = g.root_keys[i]
    for i in range(state[TOUCHED]):
        window = g.touched[i]
        g.marks[window] = g.root_marks[window]
        g.listed[window] = i < state[KEPT]
    for i in range(state[PLAYED]):
        g.taken[g.played[i]] = 0
    for i in range(state.size):
        state[i] = g.root_state[i]


def _moved(g: Any, move: int) -> None:
    state, keys, words = g.state, g.keys, g.words
    side = state[TURN]
    for view in range(keys.size):
        keys[view] ^= words[side, move, view]
    mark = 1 + side * g.k
    touched = state[TOUCHED]
    changes = int64(0)
    i = 0
    window = g.windows_of[move, 0]
    while window < g.marks.size:
        g.touched[touched] = window
        touched += 1 - g.listed[window]
        g.listed[window] = 1
        marks = g.marks[window]
        changes += g.step[side, marks]
        g.marks[window] = marks + mark
        i += 1
        window = g.windows_of[move, i]
    if g.exact:
        i += 1
        window = g.windows_of[move, i]
        while window < g.marks.size:
            g.touched[touched] = window
            touched += 1 - g.listed[window]
            g.listed[window] = 1
            marks = g.marks[window]
            changes += g.step[2 + side, marks]
            g.marks[window] = marks | 1 << (g.beside + side)
            i += 1
            window = g.windows_of[move, i]
    for each in range(4):
        change = (changes << (64 - COUNT_BITS)) >> (64 - COUNT_BITS)
        state[LACK_ONE + each] += change
        changes = (changes - change) >> COUNT_BITS
    state[TOUCHED] = touched
    g.played[state[PLAYED]] = move
    state[PLAYED] += 1
    g.taken[move] = 1
    state[TURN] = 1 - side


def least_key(g: Any) -> np.uint64:
    """The key: the smallest of those of all views."""
    best: np.uint64 = g.keys[0]
    view = 0
    for i in range(1, g.keys.size):
        if g.keys[i] < best:
            best, view = g.keys[i], i
    g.state[VIEW] = view
    return best


def cell_with_code(g: Any, code: int) -> int:
    """The cell with this code in the view of the key."""
    return int64(g.cell_of[g.state[VIEW], code])


def least_key_after(g: Any, code: int) -> np.uint64:
    """The key after a mark on the cell with this code."""
    side = g.state[TURN]
    cell = g.cell_of[g.state[VIEW], code]
    keys, words = g.keys, g.words
    best: np.uint64 = keys[0] ^ words[side, cell, 0]
    for i in range(1, keys.size):
        after = keys[i] ^ words[side, cell, i]
        best = after if after < best else best
    return best


@inlined
def _playable(g: Any, cell: int) -> bool:
    return bool(g.taken[cell] == 0 and (g.gravity == 0 or cell < g.columns or g.taken[cell - g.columns] != 0))


@inlined
def _gap(g: Any, side: int, after: int) -> int:
    """The smallest cell above ``after`` with which the side completes k in a row at once; -1 without one."""
    best = -1
    wanted = (g.k - 1) * (1 + side * g.k)
    # All but whether the other side has a mark beside the window, which does not matter.
    asked = (1 << g.beside) - 1 | 1 << (g.beside + side)
    for at in range(g.state[TOUCHED]):
        window = g.touched[at]
        if g.marks[window] & asked == wanted:
            for i in range(g.k):
                cell = int64(g.cells_in[window, i])
                if cell > after and (best < 0 or cell < best) and _playable(g, cell):
                    best = cell
    return best


def _outlook(g: Any) -> tuple[int, int]:
    side = g.state[TURN]
    # A side without an open window can no longer win.
    return (LOSS if g.state[OPEN + 1 - side] > 0 else DRAW), (WIN if g.state[OPEN + side] > 0 else DRAW)


def _assess(g: Any) -> tuple[int, int]:
    state = g.state
    side, view = state[TURN], state[VIEW]
    if state[LACK_ONE + side] > 0:
        gap = _gap(g, side, int64(-1))
        if gap >= 0:
            return WINS, int64(g.view_of[view, gap])
    if state[LACK_ONE + 1 - side] > 0:
        gap = _gap(g, 1 - side, int64(-1))
        if gap >= 0:
            if _gap(g, 1 - side, gap) >= 0:
                return LOSES, int64(-1)
            return FORCED, int64(g.view_of[view, gap])
    return NOTHING, int64(-1)


@inlined
def _weigh_cells(g: Any) -> None:
    """``worth`` of each cell for the side to move: the weights of the windows through it."""
    side, worth, weights = g.state[TURN], g.worth, g.weights
    for cell in range(worth.size):
        worth[cell] = g.root_worth[side, cell]
    for at in range(g.state[TOUCHED]):
        window = g.touched[at]
        change = weights[side, g.marks[window]] - weights[side, g.root_marks[window]]
        if change:
            for i in range(g.k):
                worth[g.cells_in[window, i]] += change


def _candidates(g: Any, at_root: bool, order: bool, random: np.uint64, codes: Any, scores: Any) -> int:
    if order:
        _weigh_cells(g)
    view = 0 if at_root else g.state[VIEW]
    count = 0
    for cell in range(g.taken.size):
        if _playable(g, cell):
            random = rng.step(random)
            worth = g.worth[cell] if order else 0
            codes[count] = g.view_of[view, cell]
            scores[count] = (worth << RANDOM_BITS) | rng.below(random, 1 << RANDOM_BITS)
            count += 1
    return count


identity.implement_all(
    MnkIdentity,
    begin=_begin,
    moved=_moved,
    key=least_key,
    to_move=cell_with_code,
    key_after=least_key_after,
    outlook=_outlook,
    assess=_assess,
    candidates=_candidates,
)
