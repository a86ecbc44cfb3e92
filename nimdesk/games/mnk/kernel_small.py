"""m,n,k games whose cells fit into one word: all that a side has is a word, and so is where a mark may be put.

Moves have the codes of ``mnk``. A *spot* is a cell with one empty column kept to the right of the board:
``row * (m + 1) + column``; bit ``spot`` of a word is that cell.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.mnk.kernel_board import first_steps, spots_and_codes
from nimdesk.kernels import random as rng
from nimdesk.kernels import rules
from nimdesk.kernels.jit import inlined, int64
from nimdesk.kernels.memory import bits
from nimdesk.kernels.places import code_of
from nimdesk.kernels.rules import DRAW, LOSS, ONGOING, WIN

# Slots of ``words``: the marks of the side that moved first and of the other, the side to move; then the same at the
# root.
TURN, ROOT = 2, 3


class SmallMnkRules(NamedTuple):
    """Parameters, root and working position of one m,n,k game on a small board.

    With ``gravity`` (1, else 0) a mark falls to the lowest free cell of its column. A row is ``span`` bits, ``cells``
    are those on the board, ``floor`` those that need no mark below them: the lowest row, or without gravity all.
    ``column`` is the leftmost column, ``top`` the spot of its highest cell. ``steps`` as in ``line_steps``; ``spot_of``
    (int16, one a code) and ``code_of`` (int16, one a spot) turn codes into spots and back; ``words`` (uint64) has the
    slots above.
    """

    gravity: int
    span: np.uint64
    cells: np.uint64
    floor: np.uint64
    column: np.uint64
    top: np.uint64
    steps: tuple[np.uint64, np.uint64, np.uint64]
    spot_of: NDArray[np.int16]
    code_of: NDArray[np.int16]
    words: NDArray[np.uint64]


def make_rules(m: int, n: int, k: int, gravity: bool, marks: list[tuple[int, int, int]], turn: int) -> SmallMnkRules:
    """The rules of a game that ``fits_one_word``; the root is given as marks ``(column, row, side)`` and a turn."""
    span, row = m + 1, (1 << m) - 1
    cells = sum(row << i * span for i in range(n))
    column = sum(1 << i * span for i in range(n))
    floor, top = np.uint64(row if gravity else cells), np.uint64((n - 1) * span)
    shape = np.uint64(span), np.uint64(cells), floor, np.uint64(column), top
    both = [0, 0]
    for x, y, side in marks:
        both[side] |= 1 << (y * span + x)
    words = np.array([*both, turn, *both, turn], np.uint64)
    spot_of, code_of = spots_and_codes(m, n)
    return SmallMnkRules(int(gravity), *shape, first_steps(k), spot_of, code_of, words)


def copy_rules(r: SmallMnkRules) -> SmallMnkRules:
    """The same rules and positions, with a working array of their own."""
    return SmallMnkRules(*r[:-1], r.words.copy())


@inlined
def _open_spots(r: Any) -> np.uint64:
    """Where a mark may be put now."""
    taken = r.words[0] | r.words[1]
    return np.uint64((taken << r.span | r.floor) & r.cells & ~taken)


@inlined
def _nth_unmarked(r: Any, marked: np.uint64, n: int) -> tuple[np.uint64, np.uint64]:
    """The n-th open spot that is not marked, as a bit, and its mark; in the order of the reference rules' moves."""
    if not r.gravity:
        bit = bits.nth_bit(_open_spots(r) & ~marked, np.uint64(n))
        return bit, bit
    # A column is open while its highest cell is free.
    full = (r.words[0] | r.words[1]) >> r.top
    column = bits.nth_bit(r.floor & ~(full | marked), np.uint64(n))
    return _open_spots(r) & r.column * column, column


@inlined
def _mark_of(r: Any, spot: np.uint64) -> np.uint64:
    """The mark of a spot: its bit, or with gravity that of its column."""
    return np.uint64(np.uint64(1) << (spot % r.span if r.gravity else spot))


@inlined
def _bit_of(r: Any, move: int) -> np.uint64:
    return np.uint64(1) << np.uint64(r.spot_of[np.uint64(move)])


@inlined
def _move_at(r: Any, bit: np.uint64) -> int:
    return int64(r.code_of[bits.lowest_bit(bit)])


@inlined
def _has_line(r: Any, word: np.uint64) -> bool:
    return bool(bits.has_line(word, r.span, r.steps[0], r.steps[1], r.steps[2]))


def _reset(r: Any) -> None:
    r.words[0], r.words[1], r.words[TURN] = r.words[ROOT], r.words[ROOT + 1], r.words[ROOT + TURN]


def _play(r: Any, move: int) -> int:
    side = r.words[TURN]
    ours = r.words[side] | _bit_of(r, move)
    r.words[side] = ours
    r.words[TURN] = np.uint64(1) - side
    if _has_line(r, ours):
        return WIN
    return ONGOING if ours | r.words[np.uint64(1) - side] != r.cells else DRAW


def _undo(r: Any, move: int) -> None:
    side = np.uint64(1) - r.words[TURN]
    r.words[side] ^= _bit_of(r, move)
    r.words[TURN] = side


def _legal_count(r: Any) -> int:
    return int64(bits.popcount(_open_spots(r)))


def _pick_untried(r: Any, tried: Any, marks: Any, count: int, random: np.uint64) -> int:
    # From the first move on there are two marks, which have room for all moves.
    if count > 1:
        marked = np.uint64(np.uint32(marks[0])) | np.uint64(marks[1]) << np.uint64(32)
    else:
        marked = np.uint64(0)
        for i in range(count):
            marked |= _mark_of(r, np.uint64(r.spot_of[code_of(tried[i])]))
    bit, mark = _nth_unmarked(r, marked, rng.below(random, rules.legal_count(r) - count))
    if count > 0:
        marked |= mark
        marks[0], marks[1] = np.int32(marked), np.int32(marked >> np.uint64(32))
    return _move_at(r, bit)


def _moves_fit(r: Any) -> bool:
    return bool(r.gravity or r.cells < np.uint64(1 << 32))


def _pick_unmarked(r: Any, marked: np.uint64, count: int, random: np.uint64) -> tuple[int, np.uint64]:
    bit, mark = _nth_unmarked(r, marked, rng.below(random, rules.legal_count(r) - count))
    return _move_at(r, bit), marked | mark


def _playout(r: Any, random: np.uint64) -> tuple[np.uint64, int]:
    # Compiled twice, so that nothing is asked at each ply.
    return _play_out(r, random, True) if r.gravity else _play_out(r, random, False)


@inlined
def _after(r: Any, spots: np.uint64, count: np.uint64, bit: np.uint64, gravity: bool) -> tuple[np.uint64, np.uint64]:
    """The open spots, and their number, after a mark has been put on one of them."""
    if gravity:
        spots = spots ^ bit | bit << r.span & r.cells
        return spots, np.uint64(bits.popcount(spots))
    return spots ^ bit, count - np.uint64(1)


@inlined
def _play_out(r: Any, random: np.uint64, gravity: bool) -> tuple[np.uint64, int]:
    side = r.words[TURN]
    ours, theirs = r.words[side], r.words[np.uint64(1) - side]
    spots = _open_spots(r)
    count = np.uint64(bits.popcount(spots))
    # One random number is enough for two plies, one of each side.
    while count > np.uint64(0):
        random = rng.step(random)
        pair = rng.bits(random)
        bit = bits.nth_bit(spots, (pair >> np.uint64(32)) * count >> np.uint64(32))
        ours |= bit
        spots, count = _after(r, spots, count, bit, gravity)
        if count == np.uint64(0):
            return random, (WIN if _has_line(r, ours) else DRAW)
        # They move before anyone looks for a line: it is still clear who had the first.
        bit = bits.nth_bit(spots, (pair & np.uint64(0xFFFFFFFF)) * count >> np.uint64(32))
        theirs |= bit
        spots, count = _after(r, spots, count, bit, gravity)
        if bits.either_has_line(ours, theirs, r.span, r.steps[0], r.steps[1], r.steps[2]):
            return random, (WIN if _has_line(r, ours) else LOSS)
    return random, DRAW


def _next_move(r: Any, after: int) -> int:
    spots = _open_spots(r)
    if after >= 0:
        # Spots are in the order of the codes. Two shifts: one by 64 is none.
        spots &= ~np.uint64(0) << np.uint64(r.spot_of[np.uint64(after)]) << np.uint64(1)
    return _move_at(r, spots) if spots != np.uint64(0) else int64(-1)


def _neighbours(r: Any, move: int) -> int:
    spot = np.uint64(r.spot_of[np.uint64(move)])
    # The eight around the cell one row up and one column to the right of the lowest cell. The empty column keeps the
    # sides of the board apart.
    around = np.uint64(7) | np.uint64(5) << r.span | np.uint64(7) << np.uint64(2) * r.span
    centre = r.span + np.uint64(1)
    around = around << spot - centre if spot >= centre else around >> centre - spot
    return int64(bits.popcount((r.words[0] | r.words[1]) & around))


rules.implement(rules.undo, SmallMnkRules, _undo, inline=False)
rules.implement(rules.next_move, SmallMnkRules, _next_move, inline=False)
rules.implement(rules.neighbours, SmallMnkRules, _neighbours, inline=False)
rules.implement(rules.pick_untried, SmallMnkRules, _pick_untried)
rules.implement(rules.reset, SmallMnkRules, _reset)
rules.implement(rules.play, SmallMnkRules, _play)
rules.implement(rules.legal_count, SmallMnkRules, _legal_count)
rules.implement(rules.moves_fit, SmallMnkRules, _moves_fit)
rules.implement(rules.pick_unmarked, SmallMnkRules, _pick_unmarked)
rules.implement(rules.playout, SmallMnkRules, _playout)
