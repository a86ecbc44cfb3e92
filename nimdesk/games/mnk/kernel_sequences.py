"""Wins by a sequence of threats, in which the other side makes all answers to a threat at once.

What wins against all answers together wins against each of them, so that a win is no tree but one line of moves. This
is the threat-space search of Allis, van den Herik and Huntjens, Go-Moku and Threat-Space Search (1993). A four has one
answer. A three, which makes open fours possible, is answered where none of them is open any more; it is made only where
the other side has no four to make.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.mnk.kernel_lines import assess, is_pressed, lift, matters, next_cell, number_of, put, worth_of
from nimdesk.games.mnk.kernel_threats import ENTRIES, pick, play, slot_of
from nimdesk.games.mnk.lines import FREE, MOST_FOURS, Lines, make_lines
from nimdesk.games.mnk.patterns import COMPLETES, FIVE, FOUR, MAKES_FOUR, ONE, THREATENS, THREE, TWO, WINS_SOON
from nimdesk.games.mnk.rules import MnkPosition
from nimdesk.games.twin import BY_FOURS, FORCED, LOSES, WINS, random_words
from nimdesk.kernels.jit import inlined, int64, kernel, part
from nimdesk.kernels.memory.held import hold

# Columns of ``frame``: where the moves to try begin and end, the one tried, how many answers it has, and which.
_BEGIN, _END, _MOVE, _ANSWERS, _FIRST_ANSWER = range(5)
_MOST_THREATS = 20
"""More threats before the fours are not looked for."""
_DEPTHS = _MOST_THREATS + 1
# The least class of a line in which the other side lacks one mark, two, and so on.
_LACKING = (FIVE, FOUR, THREE, TWO, ONE)
# What a threat does: it is none, it has answers, or nothing answers it.
_NO_THREAT, _ANSWERED, _WON = range(3)


class Sequences(NamedTuple):
    """The search for wins of one side from one root.

    Moves, ``words`` and ``keys`` are as in ``Threats``. ``state`` says how many positions were tried, and whether more
    threats might win; ``found`` has the cells of the sequence found last. ``frame`` is by depth. ``table`` has keys,
    and with how many threats these positions are not won. ``relies`` has 1 for each cell on which a win relies. All
    arrays are int64.
    """

    side: int
    lines: Lines
    words: NDArray[np.int64]
    state: NDArray[np.int64]
    found: NDArray[np.int64]
    frame: NDArray[np.int64]
    keys: NDArray[np.int64]
    moves: NDArray[np.int64]
    table: NDArray[np.int64]
    relies: NDArray[np.int64]


_TRIED, _MIGHT = range(2)


def make_sequences(position: MnkPosition, side: int) -> Sequences:
    """With this position as the root."""
    lines = make_lines(position)
    cells = lines.cells
    words = random_words(2 * cells + 1).view(np.int64)
    sizes = (2, _DEPTHS + MOST_FOURS, (_DEPTHS, _FIRST_ANSWER + 3), _DEPTHS, _DEPTHS * cells, (ENTRIES, 2), cells)
    arrays = (np.zeros(size, np.int64) for size in sizes)
    return hold(Sequences(side, lines, words, *arrays))


@part
def _threaten(s: Sequences, depth: int, cell: int, extra: int) -> int:
    """Mark the cell, and all answers; they stand in the frame. The lines are as before where it is no threat.

    With ``extra`` from 0 on, what the threat relies on is noted, see ``holds``.
    """
    p, side, other, frame = s.lines, s.side, 1 - s.side, s.frame
    frame[depth, _MOVE], frame[depth, _ANSWERS] = cell, 0
    put(p, side, cell)
    rows = number_of(p, side, COMPLETES)
    if number_of(p, other, COMPLETES) > 0 or (rows == 0 and number_of(p, other, MAKES_FOUR) > 0):
        lift(p, side, cell)
        return _NO_THREAT
    if extra >= 0:
        s.relies[cell] = 1
        _rely(s, extra if rows > 0 else extra + 1)
    if rows > 1:
        return _WON
    if rows == 1:
        frame[depth, _ANSWERS], frame[depth, _FIRST_ANSWER] = 1, next_cell(p, side, COMPLETES)
    elif not _answer(s, depth, extra):
        lift(p, side, cell)
        return _NO_THREAT
    for at in range(_FIRST_ANSWER, _FIRST_ANSWER + frame[depth, _ANSWERS]):
        put(p, other, frame[depth, at])
    return _ANSWERED if frame[depth, _ANSWERS] > 0 else _WON


@part
def _rely(s: Sequences, extra: int) -> None:
    """Note where the side completes a row, and the lines that the other side could complete with one more mark."""
    p, other = s.lines, 1 - s.side
    least = ONE
    if extra < len(_LACKING):
        least = _LACKING[extra]
    for cell in range(p.cells):
        if p.marks[cell] == FREE:
            if p.found[2 * cell + s.side] == COMPLETES:
                s.relies[cell] = 1
            for line in range(4 * (2 * cell + other), 4 * (2 * cell + other) + 4):
                if p.classes[p.around[line]] >= least:
                    s.relies[cell] = 1


@part
def _answer(s: Sequences, depth: int, extra: int) -> bool:
    """Find what answers a three: the cells that each open four needs. False where there is no open four to come."""
    p, side, frame = s.lines, s.side, s.frame
    four = next_cell(p, side, WINS_SOON)
    if four < 0:
        return False
    first = True
    while four >= 0:
        put(p, side, four)
        ends = number_of(p, side, COMPLETES)
        if extra >= 0:
            s.relies[four] = 1
            _rely(s, extra + 1)
        if first:
            frame[depth, _FIRST_ANSWER], frame[depth, _ANSWERS] = four, 1
            if ends == 2:
                end = next_cell(p, side, COMPLETES)
                frame[depth, _FIRST_ANSWER + 1] = end
                frame[depth, _FIRST_ANSWER + 2] = next_cell(p, side, COMPLETES, end)
                frame[depth, _ANSWERS] = 3
        else:
            kept = 0
            for at in range(_FIRST_ANSWER, _FIRST_ANSWER + frame[depth, _ANSWERS]):
                each = frame[depth, at]
                if each == four or (ends == 2 and p.found[2 * each + side] == COMPLETES):
                    frame[depth, _FIRST_ANSWER + kept] = each
                    kept += 1
            frame[depth, _ANSWERS] = kept
        lift(p, side, four)
        first = False
        four = next_cell(p, side, WINS_SOON, four)
    return True


@part
def _take_back(s: Sequences, depth: int) -> None:
    """Undo what ``_threaten`` did."""
    frame = s.frame
    for at in range(_FIRST_ANSWER + frame[depth, _ANSWERS] - 1, _FIRST_ANSWER - 1, -1):
        lift(s.lines, 1 - s.side, frame[depth, at])
    lift(s.lines, s.side, frame[depth, _MOVE])


@part
def _list(s: Sequences, depth: int, left: int) -> int:
    """Write down the threats to be tried; the number of moves in ``found`` if the side is seen to win, else 0."""
    p, side, other, frame = s.lines, s.side, 1 - s.side, s.frame
    frame[depth, _END] = frame[depth, _BEGIN]
    seen, cell = assess(p, side, MOST_FOURS)
    if seen == LOSES:
        return 0
    if seen == WINS or seen > BY_FOURS:
        s.found[depth] = cell
        plies = 1 if seen == WINS else seen - BY_FOURS
        for at in range(2, plies - 2, 2):
            s.found[depth + at // 2] = p.scratch[at]
        return depth + (1 if seen == WINS else (plies - 1) // 2)
    if left == 0:
        s.state[_MIGHT] = 1
        return 0
    if seen == FORCED:
        _note(s, depth, cell)
        return 0
    slot = slot_of(s.keys[depth])
    if s.table[slot, 0] == s.keys[depth] and s.table[slot, 1] >= left:
        s.state[_MIGHT] = 1
        return 0
    # A three must take away all fours of the other side: of more than two, one mark seldom does.
    least = THREATENS if number_of(p, other, MAKES_FOUR) < 3 else MAKES_FOUR
    for cell in range(p.cells):
        if p.marks[cell] == FREE and p.found[2 * cell + side] >= least:
            _note(s, depth, cell)
    return 0


@inlined
def _note(s: Sequences, depth: int, cell: int) -> None:
    s.moves[s.frame[depth, _END]] = worth_of(s.lines, s.side, cell) << 16 | cell
    s.frame[depth, _END] += 1


@kernel
def find(s: Sequences, played: NDArray[np.int64], most: int) -> int:
    """The number of moves of a sequence by which the side, to move after ``played``, wins; 0 where none is found.

    Its cells are in ``found``; after the last of them nothing stops a row. It is given up when ``most`` positions were
    tried.
    """
    s.state[_TRIED], s.state[_MIGHT], threats, count = 0, 1, int64(0), int64(0)
    while count == 0 and s.state[_MIGHT] and threats <= _MOST_THREATS:
        s.state[_MIGHT] = 0
        count = _run(s, played, threats, most)
        threats += 1
    return max(count, int64(0))


@part
def _run(s: Sequences, played: NDArray[np.int64], threats: int, most: int) -> int:
    """The same by at most so many threats and then fours; -1 if given up."""
    frame = s.frame
    play(s, played)
    depth, enter = 0, True
    frame[0, _BEGIN] = 0
    while True:
        if enter:
            if s.state[_TRIED] >= most:
                return -1
            s.state[_TRIED] += 1
            count = _list(s, depth, threats - depth)
            if count > 0:
                return count
            enter = False
        if frame[depth, _BEGIN] < frame[depth, _END]:
            cell = pick(s.moves, frame[depth, _BEGIN], frame[depth, _END])
            frame[depth, _END] -= 1
            seen = _threaten(s, depth, cell, -1)
            if seen == _NO_THREAT:
                continue
            s.found[depth] = cell
            if seen == _WON:
                return depth + 1
            s.keys[depth + 1] = s.keys[depth] ^ s.words[2 * cell + s.side]
            for at in range(_FIRST_ANSWER, _FIRST_ANSWER + frame[depth, _ANSWERS]):
                s.keys[depth + 1] ^= s.words[2 * frame[depth, at] + 1 - s.side]
            frame[depth + 1, _BEGIN] = frame[depth, _END]
            depth += 1
            enter = True
            continue
        if threats > depth:
            slot = slot_of(s.keys[depth])
            s.table[slot, 0], s.table[slot, 1] = s.keys[depth], threats - depth
        if depth == 0:
            return 0
        depth -= 1
        _take_back(s, depth)


@kernel
def holds(s: Sequences, played: NDArray[np.int64], count: int, extra: int) -> bool:
    """Whether the first ``count`` cells of ``found`` win for the side, which is to move after ``played``.

    They win as well if the other side has so many more marks (``extra``), none of them in the cells of ``relies``.
    """
    p, side = s.lines, s.side
    play(s, played)
    for cell in range(p.cells):
        s.relies[cell] = 0
    for at in range(count):
        cell = s.found[at]
        if p.marks[cell] != FREE:
            return False
        if p.found[2 * cell + side] == COMPLETES:
            s.relies[cell] = 1
            return True
        seen = _threaten(s, 0, cell, extra)
        if seen != _ANSWERED:
            return seen == _WON
    return False


@kernel
def rows(s: Sequences, played: NDArray[np.int64], extra: int) -> int:
    """With the other side to move after ``played``: where the side completes a row is written into ``found``.

    Returns how many cells that are; -1 if the other side completes a row itself. ``relies`` is as after ``holds``.
    """
    p, side = s.lines, s.side
    play(s, played)
    for cell in range(p.cells):
        s.relies[cell] = 0
    if number_of(p, 1 - side, COMPLETES) > 0:
        return -1
    _rely(s, extra)
    count, cell = 0, next_cell(p, side, COMPLETES)
    while cell >= 0:
        s.found[count] = cell
        count += 1
        cell = next_cell(p, side, COMPLETES, cell)
    return count


@kernel
def moves(s: Sequences, played: NDArray[np.int64], side: int) -> int:
    """How many moves can matter to the side, to move after ``played``; they are in ``moves``, each below its worth."""
    p, count = s.lines, 0
    play(s, played)
    cell = next_cell(p, 1 - side, COMPLETES)
    if cell >= 0:
        s.moves[0] = cell
        return 1
    # For a defender each cell counts: the sequence after a pass may want it, also where an open four would do as well.
    pressed = side == s.side and is_pressed(p, side)
    for cell in range(p.cells):
        if matters(p, cell, pressed):
            s.moves[count] = worth_of(p, side, cell) << 16 | cell
            count += 1
    return count
