"""The board of the m,n,k solver: marks put and taken back, with everything a proof asks for kept up to date.

A *line* is k cells in a row. For each line the marks of both sides are counted, and the exclusive or of its empty
cells is kept (the *gap*): a line with one empty cell left names that cell, with two left it names the other one.
From these follow, at each move, the *threats* (cells that complete a line for a side) and the *potential* of each
side: the sum of 2**marks over its lines that the opponent has not touched.

Keys are exact, never hashed: base 3 with 40 cells to a 64-bit word; with gravity, each column is a number with a
leading 1 above its marks. Both are sums over the marks, so that the keys of all symmetric boards follow a move by
one addition each.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels.jit import inlined

# Slots of the ``state`` array; those of two sides come in pairs, first side first.
DEPTH, MODE, NODES, ATTACKER, TURN, OPEN, MARKS, PLIES, FORCING, YES, BOUND = range(11)
THREATS, THREAT_XOR, POTENTIAL = 12, 14, 16
STATE_SLOTS = 18
# Columns of the ``frame`` array.
F_PLIES, F_BEGIN, F_END, F_BOUND, F_NODES, F_MOVE, F_BEST, F_TABLE = range(8)
FRAME_SLOTS = 8
CELLS_PER_WORD = 40

Ints = NDArray[np.int32]
Words = NDArray[np.uint64]


class Board(NamedTuple):
    """One question's board and stack; the shapes use L lines, C cells, S symmetries, W words to a key.

    Fixed: ``line_start`` (C + 1) and ``line_of`` list the lines through each cell; ``key_word`` and ``key_step``
    (S x C) say which word of a symmetric key a mark changes and by how much (the second side's by twice that).
    Working: ``counts`` (2 L, line by line), ``gaps`` (L), ``threats`` (2 C: how many lines the cell would complete for
    each side), ``open`` and ``place`` (C: the empty cells in any order, the first ``state[OPEN]`` valid, and where a
    cell stands), ``heights`` (marks in each column), ``keys`` (S x W), ``state`` (named slots above). The stack:
    ``frame`` (a row for each depth, named columns above), ``frame_key`` (depth x W), ``moves`` and ``scores``
    (the untried moves of all frames, one after another).
    """

    k: int
    columns: int
    rows: int
    gravity: int
    words: int
    symmetries: int
    symmetric_until: int
    line_start: Ints
    line_of: Ints
    key_word: Ints
    key_step: Words
    counts: Ints
    gaps: Ints
    threats: Ints
    open: Ints
    place: Ints
    heights: Ints
    keys: Words
    state: NDArray[np.int64]
    frame: NDArray[np.int64]
    frame_key: Words
    moves: Ints
    scores: Ints


@lru_cache(maxsize=8)
def all_lines(m: int, n: int, k: int) -> tuple[tuple[int, ...], ...]:
    """The cells (``row * m + column``) of every line of k, each line once."""
    directions = ((1, 0), (0, 1), (1, 1), (-1, 1)) if k > 1 else ((1, 0),)
    lines = []
    for row in range(n):
        for column in range(m):
            for step_column, step_row in directions:
                last_column, last_row = column + (k - 1) * step_column, row + (k - 1) * step_row
                if 0 <= last_column < m and last_row < n:
                    lines.append(tuple((row + i * step_row) * m + column + i * step_column for i in range(k)))
    return tuple(lines)


def symmetries(m: int, n: int, gravity: bool) -> list[list[int]]:
    """The board's symmetries, the identity first: for each, the cell that every cell goes to."""
    cells = [(column, row) for row in range(n) for column in range(m)]
    flips = [(fx, fy) for fx in (False, True) for fy in ((False,) if gravity else (False, True))]
    found = []
    for swap in (False, True) if m == n and not gravity else (False,):
        for flip_x, flip_y in flips:
            image = []
            for column, row in cells:
                x, y = (row, column) if swap else (column, row)
                x, y = m - 1 - x if flip_x else x, n - 1 - y if flip_y else y
                image.append(y * m + x)
            if image not in found:
                found.append(image)
    return found


@lru_cache(maxsize=8)
def _geometry(m: int, n: int, k: int, gravity: bool) -> tuple[Ints, Ints, Ints, Words, int]:
    """``line_start``, ``line_of``, ``key_word``, ``key_step`` and the number of words."""
    through: list[list[int]] = [[] for _ in range(m * n)]
    for number, line in enumerate(all_lines(m, n, k)):
        for cell in line:
            through[cell].append(number)
    line_start = np.cumsum([0] + [len(lines) for lines in through]).astype(np.int32)
    line_of = np.array([line for lines in through for line in lines] or [0], np.int32)
    if gravity:
        per_word = 64 // (n + 1)
        place = [(c % m // per_word, 1 << (c % m % per_word * (n + 1) + c // m)) for c in range(m * n)]
    else:
        place = [(c // CELLS_PER_WORD, 3 ** (c % CELLS_PER_WORD)) for c in range(m * n)]
    images = symmetries(m, n, gravity)
    key_word = np.array([[place[cell][0] for cell in image] for image in images], np.int32)
    key_step = np.array([[place[cell][1] for cell in image] for image in images], np.uint64)
    for array in (line_start, line_of, key_word, key_step):
        array.flags.writeable = True
    return line_start, line_of, key_word, key_step, int(key_word.max()) + 1


def make_board(
    m: int, n: int, k: int, gravity: bool, marks: list[tuple[int, int]], turn: int, symmetric_plies: int
) -> Board:
    """A board with ``marks`` (cell, side), nobody having won, and ``turn`` to move.

    Keys are those of the least symmetric board for the next ``symmetric_plies`` plies.
    """
    line_start, line_of, key_word, key_step, words = _geometry(m, n, k, gravity)
    cells, lines = m * n, all_lines(m, n, k)
    side_of = dict(marks)
    counts, gaps, threats = np.zeros(2 * len(lines), np.int32), np.zeros(len(lines), np.int32), np.zeros(2 * cells, np.int32)
    state = np.zeros(STATE_SLOTS, np.int64)
    for number, line in enumerate(lines):
        sides = [side_of.get(cell) for cell in line]
        counts[2 * number : 2 * number + 2] = sides.count(0), sides.count(1)
        empty = [cell for cell, side in zip(line, sides, strict=True) if side is None]
        for cell in empty:
            gaps[number] ^= cell
        for side in (0, 1):
            if 1 - side not in sides:
                state[POTENTIAL + side] += 1 << sides.count(side)
                if len(empty) == 1:
                    threats[2 * empty[0] + side] += 1
    for side in (0, 1):
        for cell in range(cells):
            if threats[2 * cell + side]:
                state[THREATS + side] += 1
                state[THREAT_XOR + side] ^= cell
    open_cells = [cell for cell in range(cells) if cell not in side_of]
    open_list, place = np.zeros(cells, np.int32), np.zeros(cells, np.int32)
    for i, cell in enumerate(open_cells):
        open_list[i], place[cell] = cell, i
    heights = np.zeros(m, np.int32)
    for cell in side_of:
        heights[cell % m] += 1
    state[TURN], state[OPEN], state[MARKS] = turn, len(open_cells), len(marks)
    depth = len(open_cells) + 2
    return Board(
        k, m, n, int(gravity), words, len(key_word), len(marks) + symmetric_plies,
        line_start, line_of, key_word, key_step,
        counts, gaps, threats, open_list, place, heights,
        _keys(key_word, key_step, words, n if gravity else 0, marks),
        state,
        np.zeros((depth, FRAME_SLOTS), np.int64),
        np.zeros((depth, words), np.uint64),
        np.zeros(depth * (depth + 1) // 2, np.int32),
        np.zeros(depth * (depth + 1) // 2, np.int32),
    )  # fmt: skip


def _keys(key_word: Ints, key_step: Words, words: int, height: int, marks: list[tuple[int, int]]) -> Words:
    keys = np.zeros((len(key_word), words), np.uint64)
    for symmetry in range(len(key_word)):
        if height:
            bottom = key_word.shape[1] // height
            for cell in range(bottom):
                keys[symmetry, key_word[symmetry, cell]] += key_step[symmetry, cell]
        for cell, side in marks:
            keys[symmetry, key_word[symmetry, cell]] += key_step[symmetry, cell] << np.uint64(side)
    return keys


@inlined
def _threaten(b: Board, side: int, cell: int) -> None:
    at = 2 * cell + side
    if b.threats[at] == 0:
        b.state[THREATS + side] += 1
        b.state[THREAT_XOR + side] ^= cell
    b.threats[at] += 1


@inlined
def _unthreaten(b: Board, side: int, cell: int) -> None:
    at = 2 * cell + side
    b.threats[at] -= 1
    if b.threats[at] == 0:
        b.state[THREATS + side] -= 1
        b.state[THREAT_XOR + side] ^= cell


@inlined
def put(b: Board, cell: int) -> None:
    """Mark an empty cell that completes no line for the side to move, and pass the turn."""
    side = b.state[TURN]
    other = 1 - side
    ours, theirs = 0, 0
    for i in range(b.line_start[cell], b.line_start[cell + 1]):
        line = b.line_of[i]
        own, foe = b.counts[2 * line + side], b.counts[2 * line + other]
        gap = b.gaps[line] ^ cell
        b.gaps[line] = gap
        b.counts[2 * line + side] = own + 1
        if foe == 0:
            ours += 1 << own
            if own == b.k - 2:
                _threaten(b, side, gap)
        if own == 0:
            theirs += 1 << foe
            if foe == b.k - 1:
                _unthreaten(b, other, cell)
    b.state[POTENTIAL + side] += ours
    b.state[POTENTIAL + other] -= theirs
    count = b.state[OPEN] - 1
    at, last = b.place[cell], b.open[count]
    b.open[at] = last
    b.place[last] = at
    b.open[count] = cell
    b.state[OPEN] = count
    b.heights[cell % b.columns] += 1
    for symmetry in range(b.symmetries if b.state[MARKS] < b.symmetric_until else 1):
        b.keys[symmetry, b.key_word[symmetry, cell]] += b.key_step[symmetry, cell] << np.uint64(side)
    b.state[MARKS] += 1
    b.state[TURN] = other


@inlined
def take_back(b: Board, cell: int) -> None:
    """Undo ``put`` of this cell, the last one put."""
    other = b.state[TURN]
    side = 1 - other
    ours, theirs = 0, 0
    for i in range(b.line_start[cell], b.line_start[cell + 1]):
        line = b.line_of[i]
        own, foe = b.counts[2 * line + side] - 1, b.counts[2 * line + other]
        gap = b.gaps[line]
        b.counts[2 * line + side] = own
        if foe == 0:
            ours += 1 << own
            if own == b.k - 2:
                _unthreaten(b, side, gap)
        if own == 0:
            theirs += 1 << foe
            if foe == b.k - 1:
                _threaten(b, other, cell)
        b.gaps[line] = gap ^ cell
    b.state[POTENTIAL + side] -= ours
    b.state[POTENTIAL + other] += theirs
    count = b.state[OPEN]
    at = b.place[cell]
    last = b.open[at]
    b.open[count] = last
    b.place[last] = count
    b.open[at] = cell
    b.state[OPEN] = count + 1
    b.heights[cell % b.columns] -= 1
    b.state[MARKS] -= 1
    for symmetry in range(b.symmetries if b.state[MARKS] < b.symmetric_until else 1):
        b.keys[symmetry, b.key_word[symmetry, cell]] -= b.key_step[symmetry, cell] << np.uint64(side)
    b.state[TURN] = side


@inlined
def current_key(b: Board, key: Any) -> None:
    """Write the position's key to ``key`` (W): near the root the least of its symmetric keys."""
    best = 0
    if b.state[MARKS] <= b.symmetric_until:
        for symmetry in range(1, b.symmetries):
            for word in range(b.words):
                if b.keys[symmetry, word] != b.keys[best, word]:
                    if b.keys[symmetry, word] < b.keys[best, word]:
                        best = symmetry
                    break
    for word in range(b.words):
        key[word] = b.keys[best, word]
