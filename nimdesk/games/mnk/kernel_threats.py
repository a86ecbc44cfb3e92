"""Whether a side wins by threats: by fours alone, or by fours and threes, against all answers that can matter.

A four has to be answered in the one place where it becomes a row. After a three, which makes an open four possible,
only a cell matters in which either side would make a four: after any other the open four wins. So a proof needs nothing
but the attacker's threats and those answers. They are searched depth first, with a stack in place of recursion and a
table of what failed and what won; the caller asks for more and more threats in a line. See Allis, van den Herik and
Huntjens, Go-Moku and Threat-Space Search (1993).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.mnk.kernel_lines import (
    begin,
    in_fours,
    is_pressed,
    lift,
    next_cell,
    number_of,
    put,
    win_by_fours,
    worth_of,
)
from nimdesk.games.mnk.lines import FREE, MOST_FOURS, Lines, make_lines
from nimdesk.games.mnk.patterns import COMPLETES, MAKES_FOUR, THREATENS, WINS_SOON
from nimdesk.games.mnk.rules import MnkPosition
from nimdesk.games.twin import random_words
from nimdesk.kernels.jit import inlined, int64, kernel, part

# Columns of ``frame``: the threats that are left, the moves to try, the one tried, the plies to the end so far, whether
# a line was cut short, and whether the table gets what comes of it.
_LEFT, _BEGIN, _END, _MOVE, _PLIES, _CUT, _KEEPS = range(7)
# Of ``table``: the key, the threats searched (``_ALL``: with any number none wins), the plies to the win, its move.
_KEY, _SEARCHED, _WON, _FIRST = range(4)
# Of ``state``: positions tried, the first move of a win, whether more threats might win.
TRIED, MOVE, CUT = range(3)
_DEPTHS, _ENTRIES, _ALL = 96, 1 << 16, 255
_OPEN = -1


class Threats(NamedTuple):
    """The search for wins of one side from one root, by fours or with ``threes`` also by these.

    A move is a number, twice the cell plus the side. ``words`` make the keys: one for each move, and one for the root.
    ``frame`` and ``keys`` are by depth, ``moves`` the cells to be tried, each below its worth. All arrays are int64.
    """

    side: int
    threes: bool
    lines: Lines
    words: NDArray[np.int64]
    state: NDArray[np.int64]
    frame: NDArray[np.int64]
    keys: NDArray[np.int64]
    moves: NDArray[np.int64]
    table: NDArray[np.int64]


def make_threats(position: MnkPosition, side: int, threes: bool) -> Threats:
    """With this position as the root."""
    lines = make_lines(position)
    words = random_words(2 * lines.cells + 1).view(np.int64)
    sizes = (3, (_DEPTHS, _KEEPS + 1), _DEPTHS, _DEPTHS * lines.cells, (_ENTRIES, _FIRST + 1))
    return Threats(side, threes, lines, words, *(np.zeros(size, np.int64) for size in sizes))


@kernel
def play(t: Threats, played: NDArray[np.int64]) -> None:
    """Begin at the root and make these moves."""
    begin(t.lines)
    t.keys[0] = t.words[2 * t.lines.cells]
    for i in range(played.size):
        put(t.lines, played[i] & 1, played[i] >> 1)
        t.keys[0] ^= t.words[played[i]]


@inlined
def _slot(key: int) -> int:
    return (key >> 40) & (_ENTRIES - 1)


@inlined
def _store(t: Threats, depth: int, threats: int, plies: int, move: int) -> None:
    entry = t.table[_slot(t.keys[depth])]
    entry[_KEY], entry[_SEARCHED], entry[_WON], entry[_FIRST] = t.keys[depth], threats, plies, move


@inlined
def _list(t: Threats, depth: int, mover: int, cell: int) -> None:
    t.moves[t.frame[depth, _END]] = worth_of(t.lines, mover, cell) << 16 | cell
    t.frame[depth, _END] += 1


@part
def _attack(t: Threats, depth: int) -> int:
    """The plies in which the side, to move, is seen to win, 0 if it is not, ``_OPEN`` if moves are to be tried."""
    p, side, other, frame = t.lines, t.side, 1 - t.side, t.frame[depth]
    if number_of(p, side, COMPLETES) > 0:
        frame[_MOVE] = next_cell(p, side, COMPLETES, -1)
        return 1
    rows = number_of(p, other, COMPLETES)
    if rows > 0:
        cell = next_cell(p, other, COMPLETES, -1)
        if rows > 1 or not (t.threes or p.found[2 * cell + side] >= MAKES_FOUR):
            return 0
        if p.found[2 * cell + side] == WINS_SOON:
            frame[_MOVE] = cell
            return 3
        if t.threes:
            # To meet a threat is no threat of one's own, so it does not count.
            frame[_LEFT] += 1
        elif frame[_LEFT] == 0:
            frame[_CUT] = 1
            return 0
        _list(t, depth, side, cell)
        return _OPEN
    if number_of(p, side, WINS_SOON) > 0:
        frame[_MOVE] = next_cell(p, side, WINS_SOON, -1)
        return 3
    known = t.table[_slot(t.keys[depth])]
    if known[_KEY] == t.keys[depth] and (known[_WON] > 0 or known[_SEARCHED] >= frame[_LEFT]):
        frame[_MOVE], frame[_CUT] = known[_FIRST], known[_SEARCHED] < _ALL
        return int64(known[_WON])
    if t.threes:
        plies, cell = win_by_fours(p, side, MOST_FOURS)
        if plies > 0:
            frame[_MOVE] = cell
            _store(t, depth, 0, plies, cell)
            return plies
    if frame[_LEFT] == 0:
        frame[_CUT] = 1
        return 0
    frame[_KEEPS] = 1
    pressed, least = is_pressed(p, side), THREATENS if t.threes else MAKES_FOUR
    for cell in range(p.cells):
        if p.marks[cell] == FREE and p.found[2 * cell + side] >= least and (not pressed or in_fours(p, cell)):
            _list(t, depth, side, cell)
    return _OPEN


@part
def _defend(t: Threats, depth: int) -> int:
    """The same, with the other side to move."""
    p, side, other = t.lines, t.side, 1 - t.side
    if number_of(p, other, COMPLETES) > 0:
        return 0
    rows = number_of(p, side, COMPLETES)
    if rows > 1:
        return 2
    if rows == 1:
        _list(t, depth, other, next_cell(p, side, COMPLETES, -1))
        return _OPEN
    if not t.threes or number_of(p, side, WINS_SOON) == 0 or number_of(p, other, WINS_SOON) > 0:
        return 0
    for cell in range(p.cells):
        # In no other cell can it meet a three.
        if p.marks[cell] == FREE and in_fours(p, cell):
            _list(t, depth, other, cell)
    t.frame[depth, _PLIES] = 4
    return _OPEN


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
def run(t: Threats, played: NDArray[np.int64], threats: int, most: int) -> int:
    """The plies in which the side wins by at most so many threats in a line; 0 if it is not seen, -1 if given up.

    It moves after those ``played``. The work is given up when ``state[TRIED]`` is ``most``. Then, or if a win was
    found, ``play`` has to be called before the lines are looked at.
    """
    state, frame, side = t.state, t.frame, t.side
    play(t, played)
    depth, mover, plies, enter, ends = 0, side, 0, True, 0
    frame[0, _LEFT] = threats
    while True:
        if enter:
            frame[depth, _BEGIN] = frame[depth, _END] = ends
            frame[depth, _PLIES] = frame[depth, _CUT] = frame[depth, _KEEPS] = 0
            if mover != side:
                plies = _defend(t, depth)
            elif state[TRIED] >= most:
                return -1
            else:
                state[TRIED] += 1
                plies = _attack(t, depth) if depth + 2 < _DEPTHS else 0
        if plies == _OPEN:
            if frame[depth, _BEGIN] < frame[depth, _END]:
                cell = _pick(t, depth)
                put(t.lines, mover, cell)
                ends = frame[depth, _END]
                t.keys[depth + 1] = t.keys[depth] ^ t.words[2 * cell + mover]
                frame[depth + 1, _LEFT] = frame[depth, _LEFT] - int64(mover == side)
                depth, mover, enter = depth + 1, 1 - mover, True
                continue
            # The attacker has no threat left, and its plies are 0; or all answers were met.
            plies = frame[depth, _PLIES]
            if frame[depth, _KEEPS]:
                _store(t, depth, frame[depth, _LEFT] if frame[depth, _CUT] else _ALL, 0, 0)
        if depth == 0:
            state[MOVE], state[CUT] = frame[0, _MOVE], frame[0, _CUT]
            return plies
        cut, enter = frame[depth, _CUT], False
        depth, mover = depth - 1, 1 - mover
        lift(t.lines, mover, frame[depth, _MOVE])
        if mover == side and plies > 0:
            plies += 1
            if frame[depth, _KEEPS]:
                _store(t, depth, 0, plies, frame[depth, _MOVE])
        elif mover == side:
            frame[depth, _CUT] |= cut
            plies = _OPEN
        elif plies > 0:
            frame[depth, _PLIES] = max(frame[depth, _PLIES], plies + 1)
            plies = _OPEN
        else:
            frame[depth, _CUT] = cut
