"""The board of the m,n,k solver: marks put and taken back, with everything a proof asks for kept up to date.

A *line* is k cells in a row. For each line the marks of both sides are counted, and the exclusive or of its empty
cells is kept (the *gap*): a line with one empty cell left names that cell, with two left it names the other one.
From these follow, at each move, the *threats* (cells that complete a line for a side) and the *potential* of each
side: the sum of 2**marks over its lines that the opponent has not touched.

Where k alone wins (``exact``), a side's mark *beside* one of its lines, in either cell that continues it, takes the
line from it for good. It counts as ``BESIDE`` marks of the other side: a line is open to a side while the number of the
other one is 0, and the marks of the side are the low bits of its own number.

Keys are exact, never hashed: base 3 with 40 cells to a 64-bit word; with gravity, each column is a number with a
leading 1 above its marks. Both are sums over the marks, so that the keys of all symmetric boards follow a move by
one addition each.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.mnk.geometry import all_besides, all_windows, views
from nimdesk.kernels.jit import inlined

# Slots of the ``state`` array; those of two sides come in pairs, first side first.
DEPTH, MODE, NODES, ATTACKER, TURN, OPEN, MARKS, PLIES, FORCING, YES, BOUND, FILLED = range(12)
# The value of ``state[MODE]`` between questions.
AT_REST = 0
THREATS, THREAT_XOR, POTENTIAL = 12, 14, 16
STATE_SLOTS = 18
# Columns of ``cells``: where its lines begin in ``line_of``, where it stands among the empty cells, how many lines it
# would complete for either side. The other two have a row for something else: the empty cells in any order, and the
# number of marks in each column.
C_LINES, C_PLACE, C_THREAT, C_OPEN, C_HEIGHT, CELL_SLOTS = 0, 1, 2, 4, 5, 6
# Columns of ``lines``: the marks of either side, and the exclusive or of the empty cells.
L_COUNT, L_GAP, LINE_SLOTS = 0, 2, 3
BESIDE, MARKS_OF = 1 << 8, (1 << 8) - 1
# Columns of ``frame``.
F_PLIES, F_BEGIN, F_END, F_BOUND, F_NODES, F_MOVE, F_TABLE, FRAME_SLOTS = range(8)
CELLS_PER_WORD = 40
# What ``turn_mark`` does; numpy numbers, for which numba does not compile it twice.
PUT, TAKE_BACK = np.int64(1), np.int64(-1)

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Words = NDArray[np.uint64]


class Board(NamedTuple):
    """One position with the stack of a search; the shapes use L lines, C cells, S symmetries, W words to a key.

    ``line_of`` lists the lines through each cell; with ``exact`` (1, else 0) ``beside_of`` lists those beside which it
    is, from ``beside`` (C + 1) on; ``cells`` (C + 1), ``lines`` (L) and ``frame`` (a row for each depth) have the
    columns named above, ``state`` the slots. ``key_step`` (S x C x W) is what a first side's mark adds to
    each symmetric key in ``keys`` (S x W), a second side's twice that. ``frame_key`` (depth x W) are the keys met on
    the way, ``moves`` the untried moves of all frames, one after another: score << 16 | cell.
    """

    k: int
    columns: int
    rows: int
    symmetric_until: int
    exact: int
    line_of: Ints
    beside: Ints
    beside_of: Ints
    cells: Ints
    lines: Ints
    state: Longs
    frame: Longs
    moves: Longs
    key_step: Words
    keys: Words
    frame_key: Words


@lru_cache(maxsize=8)
def _geometry(m: int, n: int, k: int, gravity: bool) -> tuple[Longs, Words]:
    """The cells of each line, and ``key_step``."""
    if gravity:
        per_word = 64 // (n + 1)
        place = [(c % m // per_word, 1 << (c % m % per_word * (n + 1) + c // m)) for c in range(m * n)]
    else:
        place = [(c // CELLS_PER_WORD, 3 ** (c % CELLS_PER_WORD)) for c in range(m * n)]
    images = views(m, n, gravity)
    key_step = np.zeros((len(images), m * n, place[-1][0] + 1), np.uint64)
    for symmetry, image in enumerate(images):
        for cell in range(m * n):
            word, step = place[image[cell]]
            key_step[symmetry, cell, word] = step
    return np.array(all_windows(m, n, k), np.int64).reshape(-1, k), key_step


@lru_cache(maxsize=16)
def _lines_of(lines: tuple[tuple[int, ...], ...], count: int) -> tuple[Ints, Ints]:
    """For each cell the numbers of the lines that name it, one cell after another, and where those of each begin."""
    through: list[list[int]] = [[] for _ in range(count)]
    for number, line in enumerate(lines):
        for cell in line:
            through[cell].append(number)
    begins = np.cumsum([0] + [len(numbers) for numbers in through]).astype(np.int32)
    return np.array([number for numbers in through for number in numbers] or [0], np.int32), begins


def make_board(
    m: int, n: int, k: int, gravity: bool, exact: bool, marks: list[tuple[int, int]], turn: int, symmetric_plies: int
) -> Board:
    """A board with ``marks`` (cell, side), nobody having won, and ``turn`` to move.

    Keys are those of the least symmetric board for the next ``symmetric_plies`` plies.
    """
    windows, key_step = _geometry(m, n, k, gravity)
    line_of, begins = _lines_of(all_windows(m, n, k), m * n)
    besides = all_besides(m, n, k, exact)
    beside_of, beside = _lines_of(besides, m * n)
    side_of = dict(marks)
    cells, state = np.zeros((m * n + 1, CELL_SLOTS), np.int32), np.zeros(STATE_SLOTS, np.int64)
    cells[:, C_LINES] = begins
    empty = [cell for cell in range(m * n) if cell not in side_of]
    for i, cell in enumerate(empty):
        cells[i, C_OPEN], cells[cell, C_PLACE] = cell, i
    for cell in side_of:
        cells[cell % m, C_HEIGHT] += 1
    lines = _count_lines(windows, besides, side_of, cells, state)
    state[TURN], state[OPEN], state[MARKS], state[MODE] = turn, len(empty), len(marks), AT_REST
    keys = key_step[:, :m].sum(axis=1, dtype=np.uint64) if gravity else np.zeros_like(key_step[:, 0])
    for cell, side in marks:
        keys += key_step[:, cell] << np.uint64(side)
    depth = len(empty) + 2
    return Board(
        k=k,
        columns=m,
        rows=n if gravity else 0,
        symmetric_until=len(marks) + symmetric_plies,
        exact=int(exact),
        line_of=line_of,
        beside=beside,
        beside_of=beside_of,
        cells=cells,
        lines=lines,
        state=state,
        frame=np.zeros((depth, FRAME_SLOTS), np.int64),
        moves=np.zeros(depth * (depth + 1) // 2, np.int64),
        key_step=key_step,
        keys=keys,
        frame_key=np.zeros((depth, keys.shape[1]), np.uint64),
    )


def _count_lines(
    windows: Longs, besides: tuple[tuple[int, ...], ...], side_of: dict[int, int], cells: Ints, state: Longs
) -> Ints:
    """``lines`` for these marks; the threats go to ``cells``, what they sum up to goes to ``state``."""
    lines = np.zeros((len(windows), LINE_SLOTS), np.int32)
    sides = np.full(len(cells), -1)
    sides[list(side_of)] = list(side_of.values())
    sides = sides[windows]
    empty = sides < 0
    lines[:, L_GAP] = np.bitwise_xor.reduce(np.where(empty, windows, 0), axis=1)
    for side in (0, 1):
        marks, beside = (sides == side).sum(axis=1), _beside(besides, side_of, side)
        open_to = (sides != 1 - side).all(axis=1) & (beside == 0)
        lines[:, L_COUNT + side] += marks
        lines[:, L_COUNT + 1 - side] += BESIDE * beside
        state[POTENTIAL + side] = (np.int64(1) << marks[open_to]).sum()
        ends = lines[open_to & (empty.sum(axis=1) == 1), L_GAP]
        np.add.at(cells[:, C_THREAT + side], ends, 1)
        threats = np.flatnonzero(cells[:, C_THREAT + side])
        state[THREATS + side], state[THREAT_XOR + side] = len(threats), np.bitwise_xor.reduce(threats)
    return lines


def _beside(besides: tuple[tuple[int, ...], ...], side_of: dict[int, int], side: int) -> Longs:
    """For each line how many marks of the side there are beside it."""
    return np.array([sum(side_of.get(cell) == side for cell in cells) for cells in besides], np.int64)


def gains(b: Board) -> list[int]:
    """What each cell is worth to either side: the sum of 4**marks over the lines the other has not touched."""
    first, second = b.lines[:, L_COUNT].astype(np.int64), b.lines[:, L_COUNT + 1].astype(np.int64)
    ours, theirs = np.int64(1) << 2 * (first & MARKS_OF), np.int64(1) << 2 * (second & MARKS_OF)
    worth = np.where(second == 0, ours, 0) + np.where(first == 0, theirs, 0)
    begins = b.cells[:, C_LINES]
    return [int(worth[b.line_of[begins[c] : begins[c + 1]]].sum()) for c in range(len(begins) - 1)]


@inlined
def _threaten(cells: Any, state: Any, side: int, cell: int, change: int) -> None:
    """One line more (1) or less (-1) that the cell completes for the side."""
    before = cells[cell, C_THREAT + side]
    cells[cell, C_THREAT + side] = before + change
    if before == 0 or before + change == 0:
        state[THREATS + side] += change
        state[THREAT_XOR + side] ^= cell


@inlined
def _turn_beside(b: Board, cell: int, change: Any, side: int) -> Any:
    """The lines beside which a mark of the side is put or taken back: what open ones are worth to it together."""
    lines, worth = b.lines, np.int64(0)
    for i in range(b.beside[cell], b.beside[cell + 1]):
        line = b.beside_of[i]
        own, foe = lines[line, L_COUNT + side], lines[line, L_COUNT + 1 - side]
        lines[line, L_COUNT + 1 - side] = foe + change * BESIDE
        if (foe if change > 0 else foe - BESIDE) == 0:
            worth += np.int64(1) << (own & MARKS_OF)
            if own & MARKS_OF == b.k - 1:
                _threaten(b.cells, b.state, side, lines[line, L_GAP], -change)
    return worth


@inlined
def turn_mark(b: Board, cell: int, change: Any) -> None:
    """``PUT`` a mark of the side to move, completing no line, and pass the turn; or ``TAKE_BACK`` the last one."""
    state, cells, lines = b.state, b.cells, b.lines
    side = state[TURN] if change > 0 else 1 - state[TURN]
    other = 1 - side
    ours, theirs = np.int64(0), np.int64(0)
    for i in range(cells[cell, C_LINES], cells[cell + 1, C_LINES]):
        line = b.line_of[i]
        own, foe = lines[line, L_COUNT + side], lines[line, L_COUNT + other]
        without = own if change > 0 else own - 1
        gap = lines[line, L_GAP]
        lines[line, L_COUNT + side] = own + change
        lines[line, L_GAP] = gap ^ cell
        if foe == 0:
            ours += np.int64(1) << (without & MARKS_OF)
            if without & MARKS_OF == b.k - 2:
                _threaten(cells, state, side, gap ^ cell if change > 0 else gap, change)
        if without == 0:
            theirs += np.int64(1) << (foe & MARKS_OF)
            if foe & MARKS_OF == b.k - 1:
                _threaten(cells, state, other, cell, -change)
    if b.exact:
        ours -= _turn_beside(b, cell, change, side)
    state[POTENTIAL + side] += change * ours
    state[POTENTIAL + other] -= change * theirs
    # The list of empty cells: the cell changes places with the last one, and back.
    count = state[OPEN] - (1 if change > 0 else 0)
    at, last = cells[cell, C_PLACE], 0
    if change > 0:
        last = cells[count, C_OPEN]
        cells[at, C_OPEN], cells[last, C_PLACE] = last, at
        cells[count, C_OPEN] = cell
    else:
        last = cells[at, C_OPEN]
        cells[count, C_OPEN], cells[last, C_PLACE] = last, count
        cells[at, C_OPEN] = cell
    state[OPEN] -= change
    cells[cell % b.columns, C_HEIGHT] += change
    state[MARKS] += change
    marks_before = state[MARKS] - (1 if change > 0 else 0)
    for symmetry in range(b.keys.shape[0] if marks_before < b.symmetric_until else 1):
        for word in range(b.keys.shape[1]):
            step = b.key_step[symmetry, cell, word] << np.uint64(side)
            b.keys[symmetry, word] += step if change > 0 else np.uint64(0) - step
    state[TURN] = other if change > 0 else side


@inlined
def current_key(b: Board, key: Any) -> None:
    """Write the position's key to ``key`` (W): near the root the least of its symmetric keys."""
    best = 0
    if b.state[MARKS] <= b.symmetric_until:
        for symmetry in range(1, b.keys.shape[0]):
            for word in range(b.keys.shape[1]):
                if b.keys[symmetry, word] != b.keys[best, word]:
                    if b.keys[symmetry, word] < b.keys[best, word]:
                        best = symmetry
                    break
    for word in range(b.keys.shape[1]):
        key[word] = b.keys[best, word]
