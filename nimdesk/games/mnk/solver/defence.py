"""The search for a defence: can a side keep the other one from ever completing a line, by spoiling lines alone?

Here only the attacker has lines, so that a yes holds in the m,n,k game as well, whatever else is on the board, and
whether or not k alone wins; a no says nothing about it. Positions where the attacker is to move end the search where
the defender has a pairing (see ``solver.pairing``), and the defender's moves are tried in the order of how few cells
are missing for one.

Each answer has a *zone*, outside which the moves of the other side change nothing: for yes the cells of the defence,
for no those of the attack. So after one move was answered, only those in the zone of the answer are left to try. Nor
are cells whose lines all pass through that one: they are answered as if it had been marked, and with it where they are
the answer themselves. All of this is exact. The table keeps positions up to symmetry and up to what lies on lines that
are spoilt.
"""

from typing import Any, NamedTuple

import numpy as np

from nimdesk.games.mnk.geometry import all_windows, views
from nimdesk.games.mnk.solver.pairing import Longs, Pairing, Words, missing_cells, new_pairing, number
from nimdesk.kernels.jit import inlined, int64, kernel, part
from nimdesk.kernels.memory.bits import popcount

MOST_CELLS = 64
# Slots of ``state``.
MODE, DEPTH, NODES, HOLDS, STATE_SLOTS = range(5)
# Values of ``state[MODE]``: look at a position, try its next move, hand its answer back, the question is answered.
ENTER, NEXT, BACK, AT_REST = range(4)
# Columns of ``frame``: whether the attacker is to move, the lines, the moves tried and listed, the move under way, the
# view of the key, the nodes before.
F_ATTACKS, F_LINES, F_TRIED, F_END, F_MOVE, F_VIEW, F_NODES, FRAME_SLOTS = range(8)
# Columns of ``words``: what is left to try, the zone so far, the two words of the key.
W_LEFT, W_ZONE, W_KEY, WORD_SLOTS = 0, 1, 2, 4
# Columns of the table: the two words of the key, the zone, the answer and the work.
T_ZONE, T_REST, TABLE_SLOTS = 2, 3, 4
BUCKET = 2
ENTRY_BYTES = 8 * TABLE_SLOTS

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_BYTE, _BYTES = np.uint64(255), 8
_MULTIPLY, _S32 = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
# A line with one empty cell has a score of half this power of two, a cell that is missing for a pairing the other one.
MOST_SCORE, MISSING_SHIFT = 24, 22


class Defence(NamedTuple):
    """One question with the stack of its search; the shapes use L lines, D depths, V views.

    ``masks`` (L) are all lines as words, sorted by ``tracks`` (see ``solver.pairing``). ``lines`` (D x L) are the empty
    cells of the lines not yet spoilt, ``names`` (D x L) their numbers. ``moves`` (D x 64) are those worth trying, the
    best first; ``under`` (D x 64) are, by cell, those that need not be tried after it. Also by cell, ``through``
    (64 x L bits) are the lines through it, and ``score`` (64) is for the order.
    ``turned`` (V x 8 x 256) turns a word byte by byte, ``back`` (V) is the view that undoes one. ``zone`` (1) is that
    of the answer.
    """

    k: int
    masks: Words
    tracks: Longs
    state: Longs
    frame: Longs
    words: Words
    lines: Words
    names: Longs
    moves: Longs
    under: Words
    through: Words
    score: Longs
    turned: Words
    back: Longs
    zone: Words
    pairing: Pairing


def make_defence(m: int, n: int, k: int) -> Defence:
    """A search on a board of at most ``MOST_CELLS``, at rest."""
    windows = sorted((_track(line, m, n), line) for line in all_windows(m, n, k))
    count, depth = len(windows), m * n + 2
    images = np.array(views(m, n, gravity=False), np.int64)
    turned = np.zeros((len(images), _BYTES, 256), np.uint64)
    for view, image in enumerate(images.tolist()):
        for cell, place in enumerate(image):
            turned[view, cell // 8, np.arange(256) >> cell % 8 & 1 == 1] |= np.uint64(1 << place)
    back = [np.flatnonzero((images == inverse).all(axis=1))[0] for inverse in np.argsort(images, axis=1)]
    state = np.zeros(STATE_SLOTS, np.int64)
    state[MODE] = AT_REST
    return Defence(
        k=k,
        masks=np.array([sum(1 << cell for cell in line) for _, line in windows], np.uint64),
        tracks=np.array([track for track, _ in windows], np.int64),
        state=state,
        frame=np.zeros((depth, FRAME_SLOTS), np.int64),
        words=np.zeros((depth, WORD_SLOTS), np.uint64),
        lines=np.zeros((depth, count), np.uint64),
        names=np.zeros((depth, count), np.int64),
        moves=np.zeros((depth, MOST_CELLS), np.int64),
        under=np.zeros((depth, MOST_CELLS), np.uint64),
        through=np.zeros((MOST_CELLS, count // 64 + 1), np.uint64),
        score=np.zeros(MOST_CELLS, np.int64),
        turned=turned,
        back=np.array(back, np.int64),
        zone=np.zeros(1, np.uint64),
        pairing=new_pairing(count),
    )


def _track(line: tuple[int, ...], m: int, n: int) -> int:
    """The number of the row, column or diagonal that the line is part of."""
    (row, column), step = divmod(line[0], m), (line[1] - line[0] if len(line) > 1 else 1)
    if step == 1 and m > 1:
        return row
    along = {m: column, m + 1: row - column + m, m - 1: row + column}[step]
    return n + 2 * (m + n) * (1 + step - m) + along


def new_table(entries: int) -> Words:
    """An empty table of ``entries`` (a power of two)."""
    return np.zeros((entries, TABLE_SLOTS), np.uint64)


@inlined
def _turn(d: Defence, cells: Any, view: int) -> Any:
    """The cells on the board as it looks from the view."""
    turned = _ZERO
    for byte in range(_BYTES):
        turned |= d.turned[view, byte, np.int64(cells >> np.uint64(8 * byte) & _BYTE)]
    return turned


@inlined
def _find_key(d: Defence, depth: int) -> None:
    """The position as it looks from the view where its words are least: empty cells on lines, and marks on them."""
    empty, cells = _ZERO, _ZERO
    for i in range(d.frame[depth, F_LINES]):
        empty |= d.lines[depth, i]
        cells |= d.masks[d.names[depth, i]]
    first, second, least = empty, cells ^ empty, np.int64(0)
    for view in range(1, d.back.size):
        one, two = _turn(d, empty, view), _turn(d, cells ^ empty, view)
        if one < first or (one == first and two < second):
            first, second, least = one, two, np.int64(view)
    d.words[depth, W_KEY], d.words[depth, W_KEY + 1], d.frame[depth, F_VIEW] = first, second, least


@inlined
def _bucket(d: Defence, table: Any, depth: int) -> Any:
    mixed = d.words[depth, W_KEY] * _MULTIPLY
    mixed = (mixed ^ mixed >> _S32 ^ d.words[depth, W_KEY + 1]) * _MULTIPLY
    mixed = (mixed ^ mixed >> _S32) * _MULTIPLY
    return np.int64(mixed >> _S32) & (table.shape[0] - 1) & -BUCKET


@inlined
def _same(d: Defence, table: Any, at: int, depth: int) -> bool:
    same = table[at, 0] == d.words[depth, W_KEY] and table[at, 1] == d.words[depth, W_KEY + 1]
    return bool(same and table[at, T_REST] != _ZERO)


@inlined
def _find(d: Defence, table: Any, depth: int) -> Any:
    """The row of the position in the table, or -1."""
    bucket = _bucket(d, table, depth)
    for at in range(bucket, bucket + BUCKET):
        if _same(d, table, at, depth):
            return at
    return np.int64(-1)


@inlined
def _store(d: Defence, table: Any, depth: int, holds: int, zone: Any) -> None:
    """Keep the answer in the table, instead of the lesser of two."""
    bucket = _bucket(d, table, depth)
    target = bucket
    for at in range(bucket, bucket + BUCKET):
        if _same(d, table, at, depth):
            target = at
            break
        if table[at, T_REST] < table[target, T_REST]:
            target = at
    work = np.uint64(d.state[NODES] - d.frame[depth, F_NODES] + 1)
    table[target, 0], table[target, 1] = d.words[depth, W_KEY], d.words[depth, W_KEY + 1]
    table[target, T_ZONE] = _turn(d, zone, d.frame[depth, F_VIEW])
    table[target, T_REST] = work << _ONE | np.uint64(holds)


@part
def _play(d: Defence, depth: int, cell: int) -> None:
    """Write the lines after a mark on the cell to the next depth."""
    bit, attacks = _ONE << np.uint64(cell), d.frame[depth, F_ATTACKS]
    count = 0
    for i in range(d.frame[depth, F_LINES]):
        line = d.lines[depth, i]
        if attacks or line & bit == _ZERO:
            d.lines[depth + 1, count] = line & ~bit
            d.names[depth + 1, count] = d.names[depth, i]
            count += 1
    d.frame[depth + 1, F_LINES], d.frame[depth + 1, F_ATTACKS] = count, 1 - attacks


@part
def _list_moves(d: Defence, depth: int) -> None:
    """The cells worth trying and their scores: the lines through each, two for one with one mark more."""
    score, through, parts = d.score, d.through, d.through.shape[1]
    cells = _ZERO
    for i in range(d.frame[depth, F_LINES]):
        cells |= d.lines[depth, i]
    left = cells
    while left != _ZERO:
        cell = number(left)
        left &= left - _ONE
        score[cell] = 0
        for each in range(parts):
            through[cell, each] = _ZERO
    for i in range(d.frame[depth, F_LINES]):
        left = d.lines[depth, i]
        weight = np.int64(1) << (MOST_SCORE - popcount(left))
        while left != _ZERO:
            cell = number(left)
            left &= left - _ONE
            score[cell] += weight
            through[cell, i >> 6] |= _ONE << np.uint64(i & 63)
    # Cells all of whose lines pass through another one: after that one they need not be tried.
    count, kept = 0, cells
    left = cells
    while left != _ZERO:
        cell = number(left)
        left &= left - _ONE
        under, others = _ZERO, kept ^ _ONE << np.uint64(cell)
        while others != _ZERO:
            other = number(others)
            others &= others - _ONE
            worse = True
            for each in range(parts):
                worse = worse and through[other, each] & ~through[cell, each] == _ZERO
            if worse:
                under |= _ONE << np.uint64(other)
        d.under[depth, cell] = under
        if not d.frame[depth, F_ATTACKS]:
            kept &= ~under
    left = kept
    while left != _ZERO:
        d.moves[depth, count] = number(left)
        left &= left - _ONE
        count += 1
    d.frame[depth, F_END], d.words[depth, W_LEFT] = count, kept


@part
def _sort_moves(d: Defence, depth: int) -> None:
    """The best first."""
    for i in range(1, d.frame[depth, F_END]):
        move, at = d.moves[depth, i], i
        while at > 0 and d.score[d.moves[depth, at - 1]] < d.score[move]:
            d.moves[depth, at] = d.moves[depth, at - 1]
            at -= 1
        d.moves[depth, at] = move


@part
def _attack(d: Defence, table: Any, depth: int) -> int:
    """Look at a position with the attacker to move: 1 if the defender holds, 0 if not, -1 if moves are to be tried."""
    frame, lines = d.frame, d.lines[depth]
    count = frame[depth, F_LINES]
    for i in range(count):
        if lines[i] & (lines[i] - _ONE) == _ZERO:
            d.zone[0] = lines[i]
            return 0
    if missing_cells(d.pairing, lines, d.names[depth], d.tracks, count) == 0:
        d.zone[0] = _ZERO
        for given in d.pairing.given:
            d.zone[0] |= given
        return 1
    _find_key(d, depth)
    at = _find(d, table, depth)
    if at >= 0:
        d.zone[0] = _turn(d, table[at, T_ZONE], d.back[frame[depth, F_VIEW]])
        return int64(table[at, T_REST] & _ONE)
    _list_moves(d, depth)
    _sort_moves(d, depth)
    return -1


@part
def _defend(d: Defence, depth: int) -> int:
    """The same with the defender to move."""
    frame, lines, moves = d.frame, d.lines[depth], d.moves[depth]
    ends = _ZERO
    for i in range(frame[depth, F_LINES]):
        if lines[i] & (lines[i] - _ONE) == _ZERO:
            ends |= lines[i]
    if ends != _ZERO:
        d.zone[0] = ends
        if ends & (ends - _ONE) != _ZERO:
            return 0
        d.words[depth, W_ZONE] = d.words[depth, W_LEFT] = ends
        moves[0], frame[depth, F_END] = number(ends), 1
        return -1
    _list_moves(d, depth)
    if frame[depth, F_END] == 0:
        d.zone[0] = _ZERO
        return 1
    for i in range(frame[depth, F_END]):
        _play(d, depth, moves[i])
        count = frame[depth + 1, F_LINES]
        missing = missing_cells(d.pairing, d.lines[depth + 1], d.names[depth + 1], d.tracks, count)
        if missing == 0:
            d.zone[0] = _ONE << np.uint64(moves[i])
            for given in d.pairing.given:
                d.zone[0] |= given
            frame[depth, F_MOVE] = moves[i]
            return 1
        d.score[moves[i]] -= missing << MISSING_SHIFT
    _sort_moves(d, depth)
    return -1


@kernel
def run(d: Defence, table: Any, budget: int) -> None:
    """Work on the question for ``budget`` positions at most; ``state[MODE]`` is ``AT_REST`` once it is answered.

    The answer: ``state[HOLDS]`` and ``zone``; ``frame[0, F_MOVE]`` is a move with which the side to move gets its way,
    if it does and needs one (else -1, or any).
    """
    state, frame, words = d.state, d.frame, d.words
    mode, depth, holds = state[MODE], state[DEPTH], state[HOLDS]
    last = state[NODES] + budget
    while mode != AT_REST:
        if mode == ENTER:
            if state[NODES] >= last:
                break
            state[NODES] += 1
            frame[depth, F_NODES], frame[depth, F_TRIED], frame[depth, F_END] = state[NODES], 0, 0
            words[depth, W_ZONE] = _ZERO
            holds = _attack(d, table, depth) if frame[depth, F_ATTACKS] else _defend(d, depth)
            mode = NEXT if holds < 0 else BACK
        elif mode == NEXT:
            tried, end = frame[depth, F_TRIED], frame[depth, F_END]
            while tried < end and words[depth, W_LEFT] >> np.uint64(d.moves[depth, tried]) & _ONE == _ZERO:
                tried += 1
            frame[depth, F_TRIED] = tried + 1
            if tried < end:
                frame[depth, F_MOVE] = d.moves[depth, tried]
                words[depth, W_LEFT] &= ~d.under[depth, d.moves[depth, tried]]
                _play(d, depth, d.moves[depth, tried])
                depth += 1
                mode = ENTER
            else:
                # Nothing that was tried has helped the side to move.
                holds, d.zone[0], mode = frame[depth, F_ATTACKS], words[depth, W_ZONE], BACK
                if holds:
                    _store(d, table, depth, 1, d.zone[0])
        elif depth == 0:
            mode = AT_REST
        else:
            depth -= 1
            move = _ONE << np.uint64(frame[depth, F_MOVE])
            if holds == frame[depth, F_ATTACKS]:
                # The move was answered: what is left to try must be in the zone of the answer.
                words[depth, W_LEFT] &= d.zone[0]
                words[depth, W_ZONE] |= d.zone[0] | move if holds else d.zone[0]
                mode = NEXT
            else:
                d.zone[0] |= move
                if frame[depth, F_ATTACKS]:
                    _store(d, table, depth, 0, d.zone[0])
    state[MODE], state[DEPTH], state[HOLDS] = mode, depth, holds


def ask(d: Defence, attacker: int, defender: int, *, attacks: bool) -> None:
    """Put a question: with these marks (words), can the defender hold all lines if the attacker is to move, or not?"""
    # A line that is full already is part of one that was too long to win.
    live = np.flatnonzero((d.masks & np.uint64(defender) == 0) & (d.masks & ~np.uint64(attacker) != 0))
    d.lines[0, : len(live)] = d.masks[live] & ~np.uint64(attacker)
    d.names[0, : len(live)] = live
    d.frame[0, F_LINES], d.frame[0, F_ATTACKS], d.frame[0, F_MOVE] = len(live), attacks, -1
    d.state[DEPTH], d.state[MODE] = 0, ENTER


def share(d: Defence) -> float:
    """The part of the question that is answered, if all moves of the attacker are alike and all defences go on to hold.

    At each depth, those tried before the one under way, of them and those that are left.
    """
    done, part = 0.0, 1.0
    for depth in range(int(d.state[DEPTH])):
        if d.frame[depth, F_ATTACKS]:
            tried, end, left = int(d.frame[depth, F_TRIED]), int(d.frame[depth, F_END]), int(d.words[depth, W_LEFT])
            moves = tried + sum(left >> int(move) & 1 for move in d.moves[depth, tried:end])
            done, part = done + part * (tried - 1) / moves, part / moves
    return done


@kernel
def _pair(d: Defence) -> int:
    return int64(missing_cells(d.pairing, d.lines[0], d.names[0], d.tracks, d.frame[0, F_LINES]))


def pairs(d: Defence) -> list[int]:
    """The pairs of the position asked about, each as a word; none if it has no pairing, or no line is open."""
    return [] if _pair(d) else [int(pair) for pair in d.pairing.given if pair]
