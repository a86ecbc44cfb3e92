"""Whether a side wins by threats: by fours alone, or by fours and threes, against all answers that can matter.

A four has to be answered in the one place where it becomes a row. After a three, which makes an open four possible,
only a cell matters in which either side would make a four: after any other the open four wins. So a proof needs nothing
but the attacker's threats and those answers. They are searched depth first, with a stack in place of recursion and a
table of what failed and what won, for more and more threats in a line. See Allis, van den Herik and
Huntjens, Go-Moku and Threat-Space Search (1993).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.mnk.kernel_lines import assess, begin, is_pressed, lift, matters, next_cell, number_of, put, worth_of
from nimdesk.games.mnk.lines import MOST_FOURS, Lines, make_lines
from nimdesk.games.mnk.patterns import COMPLETES, MAKES_FOUR, THREATENS, WINS_SOON
from nimdesk.games.mnk.rules import MnkPosition
from nimdesk.games.twin import BY_FOURS, FORCED, LOSES, WINS, random_words
from nimdesk.kernels.jit import inlined, int64, kernel, part
from nimdesk.kernels.memory.held import hold

# Columns of ``frame``: the threats that are left, the moves to try, the one tried, the plies to the end so far, whether
# a line was cut short, and whether the table gets what comes of it.
_LEFT, _BEGIN, _END, _MOVE, _PLIES, _CUT, _KEEPS = range(7)
# Of ``table``: the key, the threats searched (``_ALL``: with any number none wins), the plies to the win, its move.
_KEY, _SEARCHED, _WON, _FIRST = range(4)
# Of ``state``: positions tried, the first move of a win, whether more threats might win.
_TRIED, _FIRST_MOVE, _MIGHT = range(3)
_DEPTHS, ENTRIES, _ALL = 96, 1 << 16, 255
_MOST_THREATS = 40
"""More in one line are not looked for."""
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
    sizes = (3, (_DEPTHS, _KEEPS + 1), _DEPTHS, _DEPTHS * lines.cells, (ENTRIES, _FIRST + 1))
    return hold(Threats(side, threes, lines, words, *(np.zeros(size, np.int64) for size in sizes)))


@kernel
def play(t: Any, played: NDArray[np.int64]) -> None:
    """Begin at the root and make these moves, in ``Threats`` or what has such lines, words and keys as well."""
    begin(t.lines)
    t.keys[0] = t.words[2 * t.lines.cells]
    for i in range(played.size):
        put(t.lines, played[i] & 1, played[i] >> 1)
        t.keys[0] ^= t.words[played[i]]


@inlined
def slot_of(key: int) -> int:
    """Where a table of ``ENTRIES`` rows has what is known of this key."""
    return (key >> 40) & (ENTRIES - 1)


@inlined
def _store(t: Threats, depth: int, threats: int, plies: int, move: int) -> None:
    slot = slot_of(t.keys[depth])
    t.table[slot, _KEY], t.table[slot, _SEARCHED] = t.keys[depth], threats
    t.table[slot, _WON], t.table[slot, _FIRST] = plies, move


@inlined
def _list(t: Threats, depth: int, mover: int, cell: int) -> None:
    t.moves[t.frame[depth, _END]] = worth_of(t.lines, mover, cell) << 16 | cell
    t.frame[depth, _END] += 1


@part
def _attack(t: Threats, depth: int) -> int:
    """The plies in which the side, to move, is seen to win, 0 if it is not, ``_OPEN`` if moves are to be tried."""
    p, side, frame = t.lines, t.side, t.frame
    table, slot = t.table, slot_of(t.keys[depth])
    if table[slot, _KEY] == t.keys[depth] and (table[slot, _WON] > 0 or table[slot, _SEARCHED] >= frame[depth, _LEFT]):
        frame[depth, _MOVE], frame[depth, _CUT] = table[slot, _FIRST], table[slot, _SEARCHED] < _ALL
        return int64(table[slot, _WON])
    seen, cell = assess(p, side, MOST_FOURS if t.threes else 0)
    if seen == LOSES:
        return 0
    if seen == FORCED:
        category = p.found[2 * cell + side]
        if category == WINS_SOON:
            seen = BY_FOURS + 3
        elif t.threes:
            # To meet a threat is no threat of one's own, so it does not count.
            frame[depth, _LEFT] += 1
        elif category < MAKES_FOUR:
            return 0
    if seen == WINS or seen > BY_FOURS:
        plies = 1 if seen == WINS else seen - BY_FOURS
        frame[depth, _MOVE] = cell
        if plies > 3:  # what is seen without trying a move needs no place
            _store(t, depth, 0, plies, cell)
        return plies
    if frame[depth, _LEFT] == 0:
        frame[depth, _CUT] = 1
        return 0
    if seen == FORCED:
        _list(t, depth, side, cell)
        return _OPEN
    frame[depth, _KEEPS] = 1
    pressed, least = is_pressed(p, side), THREATENS if t.threes else MAKES_FOUR
    for each in range(p.cells):
        if p.found[2 * each + side] >= least and matters(p, each, pressed):
            _list(t, depth, side, each)
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
        _list(t, depth, other, next_cell(p, side, COMPLETES))
        return _OPEN
    if not is_pressed(p, other):
        return 0
    for cell in range(p.cells):
        if matters(p, cell, True):
            _list(t, depth, other, cell)
    t.frame[depth, _PLIES] = 4
    return _OPEN


@inlined
def pick(moves: NDArray[np.int64], begin: int, end: int) -> int:
    """Take the best of these moves, each below its worth, and leave the last one in its place."""
    best = end - 1
    for at in range(begin, end - 1):
        if moves[at] > moves[best]:
            best = at
    move = int64(moves[best] & 0xFFFF)
    moves[best] = moves[end - 1]
    return move


@kernel
def find(t: Threats, played: NDArray[np.int64], most: int) -> int:
    """The cell in which the side begins to win after the moves ``played``; -1 if that is not seen.

    It is given up when ``most`` positions were tried. ``play`` has to be called before the lines are looked at.
    """
    t.state[_TRIED], t.state[_MIGHT], threats, plies = 0, 1, int64(0), int64(0)
    while plies == 0 and t.state[_MIGHT] and threats < _MOST_THREATS:
        plies = _run(t, played, threats, most)
        threats += 1
    return int64(t.state[_FIRST_MOVE] if plies > 0 else -1)


@part
def _run(t: Threats, played: NDArray[np.int64], threats: int, most: int) -> int:
    """The plies in which the side wins by at most so many threats in a line; 0 if it is not seen, -1 if given up."""
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
            elif state[_TRIED] >= most:
                return -1
            else:
                state[_TRIED] += 1
                plies = _attack(t, depth) if depth + 2 < _DEPTHS else 0
        if plies == _OPEN:
            if frame[depth, _BEGIN] < frame[depth, _END]:
                cell = pick(t.moves, frame[depth, _BEGIN], frame[depth, _END])
                frame[depth, _END], frame[depth, _MOVE] = frame[depth, _END] - 1, cell
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
            state[_FIRST_MOVE], state[_MIGHT] = frame[0, _MOVE], frame[0, _CUT]
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
