"""Whether a side wins by threats: by fours alone, or by fours and threes, against all answers that can matter.

A four has to be answered in the one place where it becomes a row. After a three, which makes an open four possible,
only a cell matters in which either side would make a four: after any other the open four wins. So a proof needs nothing
but the attacker's threats and those answers. They are searched depth first, with a stack in place of recursion and a
table of what failed and what won; the caller asks for more and more threats in a line. See Allis, van den Herik and
Huntjens, Go-Moku and Threat-Space Search (1993).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.mnk.kernel_fours import win_by_fours
from nimdesk.games.mnk.kernel_lines import (
    Lines,
    begin,
    has_fours,
    in_fours,
    lift,
    make_lines,
    next_cell,
    number_of,
    put,
    worth_of,
)
from nimdesk.games.mnk.patterns import COMPLETES, FREE, MAKES_FOUR, MOST_FOURS, THREATENS, WINS_SOON
from nimdesk.kernels.jit import inlined, int64, kernel, part

# Columns of ``frame``: the threats that are left, the moves to try, the one tried, the plies to the end so far, whether
# a line was cut short, and whether the table gets what comes of it.
_LEFT, _BEGIN, _END, _MOVE, _PLIES, _CUT, _KEEPS, _SLOTS = range(8)
# Of ``state``: positions tried, the first move of a win, whether more threats might win.
TRIED, MOVE, CUT = range(3)
_DEPTHS, _ENTRIES = 96, 1 << 16
_ALL = 255
"""In place of the number of threats in the table: with any number none wins."""
_BYTE, _S8, _S24 = np.uint64(255), np.uint64(8), np.uint64(24)
_OPEN = -1


class Threats(NamedTuple):
    """A root, with the moves that are made from it before a search.

    ``played`` (int64) has twice the cell, plus the side, of each. ``words`` (uint64, 2 x (cells + 2)) make the keys,
    ``table`` (uint64, entries x 2) has the key and, by bytes, the threats searched, the plies to the win, the move.
    """

    lines: Lines
    words: NDArray[np.uint64]
    played: NDArray[np.int64]
    state: NDArray[np.int64]
    frame: NDArray[np.int64]
    keys: NDArray[np.uint64]
    moves: NDArray[np.int64]
    stack: NDArray[np.int16]
    table: NDArray[np.uint64]


def make_threats(m: int, n: int, k: int, exact: bool, marks: list[tuple[int, int, int]]) -> Threats:
    """The root is given as marks ``(column, row, side)``."""
    words = np.random.default_rng(0).integers(0, 1 << 64, (2, m * n + 2), np.uint64, endpoint=False)
    return Threats(
        make_lines(m, n, k, exact, marks),
        words,
        np.zeros(m * n, np.int64),
        np.zeros(3, np.int64),
        np.zeros((_DEPTHS, _SLOTS), np.int64),
        np.zeros(_DEPTHS, np.uint64),
        np.zeros(_DEPTHS * m * n, np.int64),
        np.zeros(m * n + 2, np.int16),
        np.zeros((_ENTRIES, 2), np.uint64),
    )


@kernel
def play(t: Threats, count: int) -> None:
    """Begin at the root and make the first so many moves that are to be ``played``."""
    begin(t.lines)
    for i in range(count):
        put(t.lines, int64(t.played[i] & 1), int64(t.played[i] >> 1))


@inlined
def _slot(t: Threats, key: Any) -> int:
    return int64(key >> np.uint64(40)) & (_ENTRIES - 1)


@inlined
def _store(t: Threats, depth: int, threats: int, plies: int, move: int) -> None:
    at = _slot(t, t.keys[depth])
    t.table[at, 0] = t.keys[depth]
    t.table[at, 1] = np.uint64(threats | plies << 8 | move << 24)


@inlined
def _list(t: Threats, depth: int, cell: int, mover: int) -> None:
    at = t.frame[depth, _END]
    t.moves[at] = worth_of(t.lines, mover, cell) << 16 | cell
    t.frame[depth, _END] = at + 1


@part
def _attack(t: Threats, side: int, threes: bool, depth: int) -> int:
    """The plies in which the side, to move, is seen to win, 0 if it is not, ``_OPEN`` if moves are to be tried."""
    p, frame, other, none = t.lines, t.frame, 1 - side, int64(-1)
    if number_of(p, side, COMPLETES) > 0:
        frame[depth, _MOVE] = next_cell(p, side, COMPLETES, none)
        return int64(1)
    rows = number_of(p, other, COMPLETES)
    if rows > 0:
        cell = next_cell(p, other, COMPLETES, none)
        if rows > 1 or not (threes or p.found[2 * cell + side] >= MAKES_FOUR):
            return int64(0)
        if p.found[2 * cell + side] == WINS_SOON:
            frame[depth, _MOVE] = cell
            return int64(3)
        if threes:
            # To meet a threat is no threat of one's own, so it does not count.
            frame[depth, _LEFT] += 1
        elif frame[depth, _LEFT] == 0:
            frame[depth, _CUT] = 1
            return int64(0)
        _list(t, depth, cell, side)
        return int64(_OPEN)
    if number_of(p, side, WINS_SOON) > 0:
        frame[depth, _MOVE] = next_cell(p, side, WINS_SOON, none)
        return int64(3)
    at, left = _slot(t, t.keys[depth]), frame[depth, _LEFT]
    if t.table[at, 0] == t.keys[depth]:
        known = t.table[at, 1]
        plies, searched = int64(known >> _S8 & np.uint64(0xFFFF)), int64(known & _BYTE)
        if plies > 0 or searched >= left:
            frame[depth, _MOVE], frame[depth, _CUT] = int64(known >> _S24), int64(searched < _ALL)
            return plies
    if threes and has_fours(p, side):
        plies, cell = win_by_fours(p, side, int64(MOST_FOURS), t.stack)
        if plies > 0:
            frame[depth, _MOVE] = cell
            _store(t, depth, int64(0), plies, cell)
            return plies
    if left == 0:
        frame[depth, _CUT] = 1
        return int64(0)
    frame[depth, _KEEPS] = 1
    pressed, least = number_of(p, other, WINS_SOON) > 0, int64(THREATENS if threes else MAKES_FOUR)
    cell = next_cell(p, side, least, none)
    while cell >= 0:
        if not pressed or in_fours(p, cell):
            _list(t, depth, cell, side)
        cell = next_cell(p, side, least, cell)
    return int64(_OPEN)


@part
def _defend(t: Threats, side: int, threes: bool, depth: int) -> int:
    """The same, with the other side to move."""
    p, other, none = t.lines, 1 - side, int64(-1)
    rows = number_of(p, side, COMPLETES)
    if number_of(p, other, COMPLETES) > 0:
        return int64(0)
    if rows > 1:
        return int64(2)
    if rows == 1:
        _list(t, depth, next_cell(p, side, COMPLETES, none), other)
        return int64(_OPEN)
    if not threes or number_of(p, side, WINS_SOON) == 0 or number_of(p, other, WINS_SOON) > 0:
        return int64(0)
    for cell in range(p.marks.size):
        # In no other cell can it meet a three.
        if p.marks[cell] == FREE and in_fours(p, cell):
            _list(t, depth, int64(cell), other)
    t.frame[depth, _PLIES] = 4
    return int64(_OPEN)


@inlined
def _pick(t: Threats, depth: int) -> int:
    """Take the best untried move out of the frame."""
    moves, end = t.moves, t.frame[depth, _END] - 1
    best = end
    for at in range(t.frame[depth, _BEGIN], end):
        if moves[at] > moves[best]:
            best = at
    move = int64(moves[best] & 0xFFFF)
    moves[best] = moves[end]
    t.frame[depth, _END], t.frame[depth, _MOVE] = end, move
    return move


@kernel
def run(t: Threats, count: int, side: int, threes: bool, threats: int, most: int) -> int:
    """The plies in which the side wins by at most so many threats in a line; 0 if it is not seen, -1 if given up.

    It moves after the first ``count`` moves to be ``played``. The work is given up when ``state[TRIED]`` is ``most``.
    Then, or if a win was found, ``play`` has to be called before the lines are looked at.
    """
    state, frame, cells = t.state, t.frame, t.lines.marks.size
    play(t, count)
    t.keys[0] = t.words[int64(threes), cells + side]
    for i in range(count):
        t.keys[0] ^= t.words[t.played[i] & 1, t.played[i] >> 1]
    depth, mover, plies, enter, ends = int64(0), int64(side), int64(0), True, int64(0)
    frame[0, _LEFT] = threats
    while True:
        if enter:
            frame[depth, _BEGIN] = frame[depth, _END] = ends
            frame[depth, _PLIES] = frame[depth, _CUT] = frame[depth, _KEEPS] = 0
            if mover == side:
                if state[TRIED] >= most:
                    return int64(-1)
                state[TRIED] += 1
                plies = _attack(t, int64(side), threes, depth) if depth + 2 < _DEPTHS else int64(0)
            else:
                plies = _defend(t, int64(side), threes, depth)
        if plies == _OPEN:
            if frame[depth, _BEGIN] < frame[depth, _END]:
                cell = _pick(t, depth)
                put(t.lines, mover, cell)
                ends = frame[depth, _END]
                t.keys[depth + 1] = t.keys[depth] ^ t.words[mover, cell]
                frame[depth + 1, _LEFT] = frame[depth, _LEFT] - int64(mover == side)
                depth, mover, enter = depth + 1, 1 - mover, True
                continue
            # The attacker has no threat left; or all answers were met.
            plies = int64(0) if mover == side else frame[depth, _PLIES]
            if frame[depth, _KEEPS]:
                _store(t, depth, frame[depth, _LEFT] if frame[depth, _CUT] else int64(_ALL), int64(0), int64(0))
        if depth == 0:
            state[MOVE], state[CUT] = frame[0, _MOVE], frame[0, _CUT]
            return plies
        cut, enter = frame[depth, _CUT], False
        depth, mover = depth - 1, 1 - mover
        lift(t.lines, mover, frame[depth, _MOVE])
        if mover == side and plies > 0:
            plies += 1
            if frame[depth, _KEEPS]:
                _store(t, depth, int64(0), plies, frame[depth, _MOVE])
        elif mover == side:
            frame[depth, _CUT] |= cut
            plies = int64(_OPEN)
        elif plies > 0:
            frame[depth, _PLIES] = max(frame[depth, _PLIES], plies + 1)
            plies = int64(_OPEN)
        else:
            frame[depth, _CUT] = cut
