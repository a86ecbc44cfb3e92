"""The proof search of Connect Four: how does a position end, under perfect play, and at which stone?

A side's stones are the bits of one word: column by column from the left, each from the bottom up, with one bit more
on top of each column that stays empty. The *score* of a position, for the side to move, counts how many stones the
winner has not put yet when it wins (at least 1); it is negative where the opponent wins, and 0 for a draw. So of two
wins the quicker one has the higher score, and the stone that ends the game follows from the score (``last_stone``).

The question: is the score above ``alpha``? The answer is a bound that settles it, perhaps better than asked for.
Depth-first with a null window; the table keeps what was proven of a position. A mark is put only where the opponent
cannot win at once afterwards: a single one is put without further ado. Moves are tried in the order of how many cells
then win for the side, the middle first. Where an even number of cells is empty, the other side can answer each stone in
the same column, or take the bottom of one column for that of another: no line left to the side to move, no win. All of
these are exact.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels.jit import inlined, int64, kernel
from nimdesk.kernels.memory.bits import has_line, popcount

# Slots of ``state``; ``ROOT`` is the number of stones of the position asked about.
MODE, DEPTH, NODES, VALUE, ROOT, STATE_SLOTS = range(6)
# Values of ``state[MODE]``: look at a position, hand its value back to the one before, the question is answered.
ENTER, BACK, AT_REST = range(3)
# Columns of ``words``: the stones of the side to move, all stones, where the other side wins.
W_OWN, W_ALL, W_FOE_WINS, WORD_SLOTS = range(4)
# Columns of ``frame``: the question, the best so far, the moves left, the nodes before, the hash, the stones.
F_ALPHA, F_BEST, F_COUNT, F_NODES, F_HASH, F_STONES, FRAME_SLOTS = range(7)
# Entries stand in buckets of so many, which are half a line of the processor's cache.
BUCKET = 4
_LINE = 8
# An entry is one word: the rest of the hash, which with the bucket's place is exact, the two bounds, and the work spent
# (the logarithm to base 4), at least 1.
_REST, _LOW, _HIGH = np.uint64(16), np.uint64(10), np.uint64(4)
REST_BITS = 48
_SIX, _WORK = np.uint64(63), np.uint64(15)
# What is added to a bound; scores are from -30 to 30.
_ZERO, _LEAST, _MOST = 32, -32, 31
# With more empty cells than these, all moves are looked up in the table before one is tried.
_LOOK_AHEAD = 12
_NONE, _ONE, _TWO, _THREE = (np.uint64(i) for i in range(4))
_FIRST_MULTIPLIER, _SECOND_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


class DropSearch(NamedTuple):
    """A board, a question, and the stack of the search.

    ``span`` bits are a column; ``board`` are the cells, ``floor`` the lowest ones, ``first`` those that a side gets if
    the other one answers it in the same column until that is full, ``order`` the columns with the middle one last. A
    key has the bits of ``key_mask``; positions with at most ``symmetric_until`` stones have that of their mirror image,
    if it is smaller. ``frame``, ``words``, ``moves`` and ``wins`` (where the side wins after a move) have a row for
    each depth.
    """

    columns: int
    cells: int
    span: np.uint64
    board: np.uint64
    floor: np.uint64
    first: np.uint64
    key_mask: np.uint64
    key_half: np.uint64
    symmetric_until: int
    order: NDArray[np.uint64]
    state: NDArray[np.int64]
    frame: NDArray[np.int64]
    words: NDArray[np.uint64]
    moves: NDArray[np.uint64]
    wins: NDArray[np.uint64]


def fits(columns: int, rows: int) -> bool:
    """Whether a board of this size has a word's room."""
    return columns * (rows + 1) <= 64


def make_search(columns: int, rows: int, symmetric_until: int = 16) -> DropSearch:
    """A search on a board that ``fits``, at rest."""
    span, column = rows + 1, (1 << rows) - 1
    floor = sum(1 << c * span for c in range(columns))
    outward = sorted(range(columns), key=lambda c: abs(2 * c - columns + 1))
    bits, depth = columns * span, columns * rows + 1
    state = np.zeros(STATE_SLOTS, np.int64)
    state[MODE] = AT_REST
    return DropSearch(
        columns=columns,
        cells=columns * rows,
        span=np.uint64(span),
        board=np.uint64(floor * column),
        floor=np.uint64(floor),
        first=np.uint64(sum(floor << row for row in range(rows - 2, -1, -2))),
        key_mask=np.uint64((1 << bits) - 1),
        key_half=np.uint64((bits + 1) // 2),
        symmetric_until=symmetric_until,
        order=np.array([column << c * span for c in reversed(outward)], np.uint64),
        state=state,
        frame=np.zeros((depth, FRAME_SLOTS), np.int64),
        words=np.zeros((depth, WORD_SLOTS), np.uint64),
        moves=np.zeros((depth, columns), np.uint64),
        wins=np.zeros((depth, columns), np.uint64),
    )


def first_shift(search: DropSearch) -> int:
    """By how many bits a hash is shifted to give the bucket's number in the smallest table."""
    bits = int(search.key_mask).bit_length()
    return min(REST_BITS, max(bits - 15, 1))


def new_table(search: DropSearch, shift: int) -> NDArray[np.uint64]:
    """An empty table for this shift."""
    places = BUCKET << max(int(search.key_mask).bit_length() - shift, 0)
    table = np.zeros(places + _LINE, np.uint64)
    begin = -table.ctypes.data // table.itemsize % _LINE
    return table[begin : begin + places]


@inlined
def _ends(own: Any, step: Any) -> Any:
    """The cells that complete four in a row with three of these, ``step`` bits apart, of which one may be open."""
    two, three = step + step, step + step + step
    up, down = (own << step) & (own << two), (own >> step) & (own >> two)
    return up & (own << three | own >> step) | down & (own << step | own >> three)


@inlined
def winning_cells(own: Any, span: Any) -> Any:
    """The cells that complete four in a row, also taken ones and bits that are no cells."""
    upright = (own << _ONE) & (own << _TWO) & (own << _THREE)
    return upright | _ends(own, span - _ONE) | _ends(own, span) | _ends(own, span + _ONE)


@inlined
def _can_win_if_answered(b: Any, own: Any, taken: Any) -> Any:
    """Whether a line is left to the side to move if each of its stones is answered.

    The empty cells are pairs: one above the other, from the top of each column down, and of the columns with a cell
    left over, of which there is an even number, always two. The other side can get one of each pair.
    """
    left_over = (taken + b.floor) & b.board & ~b.first
    return has_line(own | b.first & ~taken | left_over, b.span, _ONE, _TWO, _NONE)


@inlined
def _hash(b: Any, own: Any, taken: Any, stones: Any) -> Any:
    """The position as a number of as many bits as its key has, one to one."""
    key = own + taken
    if stones <= b.symmetric_until:
        column, image, rest = (_ONE << b.span) - _ONE, _NONE, key
        for _ in range(b.columns):
            image = image << b.span | rest & column
            rest >>= b.span
        key = min(key, image)
    key = key * _FIRST_MULTIPLIER & b.key_mask
    key ^= key >> b.key_half
    return key * _SECOND_MULTIPLIER & b.key_mask


@inlined
def _find(table: Any, shift: Any, code: Any) -> Any:
    """The entry of the position with this hash, or 0."""
    begin, rest = int64(code >> shift) * BUCKET, code & ((_ONE << shift) - _ONE)
    for i in range(begin, begin + BUCKET):
        entry = table[i]
        if entry >> _REST == rest and entry & _WORK != _NONE:
            return entry
    return _NONE


@inlined
def _low(entry: Any) -> Any:
    return int64(entry >> _LOW & _SIX) - _ZERO


@inlined
def _high(entry: Any) -> Any:
    return int64(entry >> _HIGH & _SIX) - _ZERO


@inlined
def _store(table: Any, shift: Any, code: Any, low: Any, high: Any, spent: Any) -> None:
    """Add the bounds to the entry, or put it in the place of the one that took the least work."""
    work = _ONE
    while spent > 0 and work < _WORK:
        work += _ONE
        spent >>= 2
    begin, rest = int64(code >> shift) * BUCKET, code & ((_ONE << shift) - _ONE)
    at, least = begin, _WORK + _ONE
    for i in range(begin, begin + BUCKET):
        entry = table[i]
        its_work = entry & _WORK
        if its_work != _NONE and entry >> _REST == rest:
            low, high, work = max(low, _low(entry)), min(high, _high(entry)), max(work, its_work)
            at, least = i, _ONE
            break
        if its_work < least:
            at, least = i, its_work
    table[at] = rest << _REST | np.uint64(low + _ZERO) << _LOW | np.uint64(high + _ZERO) << _HIGH | work


@inlined
def _list_moves(b: Any, depth: Any, own: Any, taken: Any, possible: Any) -> Any:
    """List the moves with the best one last, and where each wins next; return their number."""
    count = int64(0)
    for i in range(b.columns):
        move = possible & b.order[i]
        if move != _NONE:
            wins = winning_cells(own | move, b.span) & b.board & ~taken
            score, at = popcount(wins), count
            while at > 0 and popcount(b.wins[depth, at - 1]) > score:
                b.moves[depth, at], b.wins[depth, at] = b.moves[depth, at - 1], b.wins[depth, at - 1]
                at -= 1
            b.moves[depth, at], b.wins[depth, at] = move, wins
            count += 1
    return count


@inlined
def _known_cut(b: Any, table: Any, shift: Any, depth: Any, count: Any, own: Any, taken: Any, stones: Any) -> Any:
    """The best score that the table knows one of the moves to have."""
    best = int64(_LEAST)
    for i in range(count):
        entry = _find(table, shift, _hash(b, own ^ taken, taken | b.moves[depth, i], stones + 1))
        if entry != _NONE:
            best = max(best, -_high(entry))
    return best


@kernel
def run(b: DropSearch, table: Any, first_bits: int, budget: int) -> None:
    """Work on the question for ``budget`` positions at most; ``state[MODE]`` is ``AT_REST`` once it is answered.

    ``state[VALUE]`` is the answer: the score is at least this if it is above ``alpha``, else at most. ``table`` is one
    for a shift of ``first_bits``.
    """
    state, words, frame = b.state, b.words, b.frame
    span, shift = b.span, np.uint64(first_bits)
    mode, depth, nodes, value = state[MODE], state[DEPTH], state[NODES], state[VALUE]
    own, taken, foe_wins = words[depth, W_OWN], words[depth, W_ALL], words[depth, W_FOE_WINS]
    alpha, stones, last = frame[depth, F_ALPHA], popcount(taken), nodes + budget
    while mode != AT_REST:
        if mode == ENTER:
            if nodes >= last:
                break
            nodes += 1
            left = b.cells - stones
            possible = (taken + b.floor) & b.board
            forced = possible & foe_wins
            if forced != _NONE:
                possible = forced
            possible &= ~(foe_wins >> _ONE)
            mode = BACK
            if possible == _NONE or forced & (forced - _ONE) != _NONE:
                value = -(left >> 1)
                continue
            # Neither side can win with its next stone.
            lowest, highest = -((left - 2) >> 1), (left - 1) >> 1
            if left <= 2 or lowest > alpha or highest <= alpha:
                value = int64(0) if left <= 2 else lowest if lowest > alpha else highest
                continue
            if alpha >= 0 and left & 1 == 0 and not _can_win_if_answered(b, own, taken):
                value = int64(0)
                continue
            if possible & (possible - _ONE) == _NONE:
                foe_wins = winning_cells(own | possible, span) & b.board & ~taken
                own, taken = own ^ taken, taken | possible
                alpha, stones, mode = -alpha - 1, stones + 1, ENTER
                continue
            code = _hash(b, own, taken, stones)
            entry = _find(table, shift, code)
            if entry != _NONE and (_low(entry) > alpha or _high(entry) <= alpha):
                value = _low(entry) if _low(entry) > alpha else _high(entry)
                continue
            count = _list_moves(b, depth, own, taken, possible)
            if left > _LOOK_AHEAD:
                known = _known_cut(b, table, shift, depth, count, own, taken, stones)
                if known > alpha:
                    value = known
                    continue
            words[depth, W_OWN], words[depth, W_ALL] = own, taken
            frame[depth, F_ALPHA], frame[depth, F_BEST], frame[depth, F_COUNT] = alpha, -(left >> 1), count
            frame[depth, F_NODES], frame[depth, F_HASH], frame[depth, F_STONES] = nodes, int64(code), stones
        elif depth == 0:
            # A value is for the side to move where it was found.
            if (stones ^ state[ROOT]) & 1:
                value = -value
            mode = AT_REST
            break
        else:
            depth -= 1
            if (stones ^ frame[depth, F_STONES]) & 1:
                value = -value
            own, taken, stones = words[depth, W_OWN], words[depth, W_ALL], frame[depth, F_STONES]
            alpha = frame[depth, F_ALPHA]
            frame[depth, F_BEST] = max(value, frame[depth, F_BEST])
        count, value = frame[depth, F_COUNT], frame[depth, F_BEST]
        if value > alpha or count == 0:
            low, high = (value, int64(_MOST)) if value > alpha else (int64(_LEAST), value)
            spent = nodes - frame[depth, F_NODES]
            _store(table, shift, np.uint64(frame[depth, F_HASH]), low, high, spent)
            mode = BACK
        else:
            count -= 1
            frame[depth, F_COUNT] = count
            foe_wins = b.wins[depth, count]
            own, taken = own ^ taken, taken | b.moves[depth, count]
            alpha, stones, depth, mode = -alpha - 1, stones + 1, depth + 1, ENTER
    if mode == ENTER:
        words[depth, W_OWN], words[depth, W_ALL], words[depth, W_FOE_WINS] = own, taken, foe_wins
        frame[depth, F_ALPHA] = alpha
    state[MODE], state[DEPTH], state[NODES], state[VALUE] = mode, depth, nodes, value


@kernel
def migrate(old: Any, new: Any, first_bits: int, more_bits: int, begin: int, end: int) -> None:
    """Copy the entries of some places to a table with more bits to a bucket's number, where no two of them meet.

    ``old`` is a table for a shift of ``first_bits``.
    """
    more, low_part = np.uint64(more_bits), (_ONE << _REST) - _ONE
    shift = np.uint64(first_bits) - more
    for i in range(begin, end):
        entry = old[i]
        if entry & _WORK != _NONE:
            rest = entry >> _REST
            bucket = np.uint64(i // BUCKET) << more | rest >> shift
            rest &= (_ONE << shift) - _ONE
            new[int64(bucket) * BUCKET + i % BUCKET] = rest << _REST | entry & low_part


def ask(b: DropSearch, own: int, taken: int, alpha: int) -> None:
    """Ask whether the score of a position is above ``alpha``; the side to move cannot win with its next stone."""
    b.words[0, W_OWN], b.words[0, W_ALL], b.words[0, W_FOE_WINS] = own, taken, wins_of(b, own ^ taken, taken)
    b.frame[0, F_ALPHA] = alpha
    b.state[MODE], b.state[DEPTH], b.state[ROOT] = ENTER, 0, taken.bit_count()


def wins_of(b: DropSearch, own: int, taken: int) -> int:
    """The empty cells, reachable or not, where the side with these stones would win."""
    found = 0
    for step, upright in ((1, True), (int(b.span) - 1, False), (int(b.span), False), (int(b.span) + 1, False)):
        up, down = own << step & own << 2 * step, own >> step & own >> 2 * step
        found |= up & own << 3 * step if upright else up & (own << 3 * step | own >> step)
        found |= 0 if upright else down & (own << step | own >> 3 * step)
    return found & int(b.board) & ~taken


def can_win(b: DropSearch, own: int, taken: int) -> bool:
    """Whether the side with these stones has a line that the other one has not touched."""
    theirs = own | int(b.board) & ~taken
    return bool(wins_of(b, theirs, 0) & theirs)


def possible_cells(b: DropSearch, taken: int) -> int:
    """Where the next stone can go."""
    return taken + int(b.floor) & int(b.board)


def before(own: int, taken: int) -> list[tuple[int, int]]:
    """The positions, as the stones of the side to move and all of them, from which one move leads to this one."""
    tops = taken & ~(taken >> 1)
    stones = (1 << bit for bit in range(tops.bit_length()) if (tops & ~own) >> bit & 1)
    return [(own ^ taken ^ stone, taken ^ stone) for stone in stones]


def last_stone(cells: int, stones: int, score: int) -> int:
    """The number of the stone that ends the game, for a position with so many stones and a score for its side."""
    if score == 0:
        return cells
    return cells + 2 - 2 * abs(score) - (cells + (1 if score > 0 else 0) - stones & 1)
