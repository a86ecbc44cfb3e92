"""Take-away games as array code: the compiled twin of ``nimdesk.games.take.rules``, on kinds of heaps (``heaps``).

A position is how many heaps there are of each kind. A move takes one or two away and brings up to two others. Where two
heaps are a game of Wythoff's, the kind that stands for both together is there as well, as long as neither is empty.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import random as rng
from nimdesk.kernels import rules
from nimdesk.kernels.jit import inlined, int64, part
from nimdesk.kernels.memory import bits
from nimdesk.kernels.places import code_of
from nimdesk.kernels.rules import LOSS, ONGOING, WIN

MARKED_MOVES = 32
_1, _6, _63 = np.uint64(1), np.uint64(6), np.uint64(63)


class TakeRules(NamedTuple):
    """Parameters, root and working position of one take-away game.

    ``last_wins`` is 1 in normal and 0 in misère play. By kind (int64): ``first``, its first move; ``moves``, how many
    it has; ``pair_row``, as in ``heaps``. ``moved`` (int32, five a move): the kinds that are gone, those that came, and
    the pair that they belong to (0 for none).

    The working position: ``heaps`` (int16), how many there are of each kind, but for kind 0; ``present`` (uint64), a
    bit for each kind of which there are any; ``sums`` (int64), for each pair the sum of its kinds; ``choices`` (int64,
    1), the number of legal moves. ``root_heaps``, ``root_present``, ``root_sums`` and ``root_choices`` are those of the
    root. ``tried`` (uint64, a bit for each move) is scratch.
    """

    last_wins: int
    root_choices: int
    first: NDArray[np.int64]
    moves: NDArray[np.int64]
    pair_row: NDArray[np.int64]
    moved: NDArray[np.int32]
    root_heaps: NDArray[np.int16]
    root_present: NDArray[np.uint64]
    root_sums: NDArray[np.int64]
    heaps: NDArray[np.int16]
    present: NDArray[np.uint64]
    sums: NDArray[np.int64]
    choices: NDArray[np.int64]
    tried: NDArray[np.uint64]


def copy_rules(r: TakeRules) -> TakeRules:
    """The same rules and positions, with working arrays of their own."""
    working = r.heaps.copy(), r.present.copy(), r.sums.copy(), r.choices.copy(), r.tried.copy()
    return TakeRules(*r[:-5], *working)


@inlined
def begin(r: Any) -> None:
    """Bring the working position back to the root."""
    for kind in range(r.heaps.size):
        r.heaps[kind] = r.root_heaps[kind]
    for i in range(r.present.size):
        r.present[i] = r.root_present[i]
    for pair in range(r.sums.size):
        r.sums[pair] = r.root_sums[pair]
    r.choices[0] = r.root_choices


@inlined
def _bring(r: Any, kind: int) -> None:
    at = np.uint64(kind)
    before = r.heaps[at]
    r.heaps[at] = before + 1
    if before == 0 and kind > 0:
        r.present[at >> _6] |= _1 << (at & _63)
        r.choices[0] += r.moves[at]


@inlined
def _remove(r: Any, kind: int) -> None:
    at = np.uint64(kind)
    after = r.heaps[at] - 1
    r.heaps[at] = after
    if after == 0 and kind > 0:
        r.present[at >> _6] &= ~(_1 << (at & _63))
        r.choices[0] -= r.moves[at]


@inlined
def _both(r: Any, one: int, other: int) -> int:
    """The kind of two heaps together, 0 where one is empty."""
    low, high = min(one, other), max(one, other)
    return int64(r.pair_row[low] + high) if low > 0 else int64(0)


@part
def _exchange(r: Any, pair: int, gone: int, gone_too: int, come: int, come_too: int) -> None:
    if pair > 0:
        _remove(r, _both(r, gone, r.sums[pair] - gone))
        r.sums[pair] += come + come_too - gone - gone_too
        _bring(r, _both(r, come, r.sums[pair] - come))
    _remove(r, gone)
    _remove(r, gone_too)
    _bring(r, come)
    _bring(r, come_too)


@inlined
def make(r: Any, move: int) -> None:
    """Play a move in the working position."""
    at = np.uint64(move)
    _exchange(
        r,
        int64(r.moved[at, np.uint64(4)]),
        int64(r.moved[at, np.uint64(0)]),
        int64(r.moved[at, np.uint64(1)]),
        int64(r.moved[at, np.uint64(2)]),
        int64(r.moved[at, np.uint64(3)]),
    )


@part
def _nth_legal(r: Any, n: int) -> int:
    left = n
    for i in range(r.present.size):
        word = r.present[i]
        while word != np.uint64(0):
            kind = np.uint64(i << 6) + bits.lowest_bit(word)
            here = r.moves[kind]
            if left < here:
                return int64(r.first[kind] + left)
            left -= here
            word &= word - _1
    return int64(-1)


def _reset(r: Any) -> None:
    begin(r)


def _play(r: Any, move: int) -> int:
    make(r, move)
    if r.choices[0] > 0:
        return ONGOING
    return WIN if r.last_wins else LOSS


def _undo(r: Any, move: int) -> None:
    moved = r.moved
    _exchange(
        r,
        int64(moved[move, 4]),
        int64(moved[move, 2]),
        int64(moved[move, 3]),
        int64(moved[move, 0]),
        int64(moved[move, 1]),
    )


def _legal_count(r: Any) -> int:
    return int64(r.choices[0])


def _moves_fit(r: Any) -> bool:
    return bool(r.choices[0] <= MARKED_MOVES)


def _pick_unmarked(r: Any, marked: np.uint64, count: int, random: np.uint64) -> tuple[int, np.uint64]:
    # Bit i marks the i-th legal move.
    at = bits.nth_set(~marked, np.uint64(rng.below(random, r.choices[0] - count)))
    return _nth_legal(r, int64(at)), marked | _1 << at


def _pick_untried(r: Any, tried: Any, marks: Any, count: int, random: np.uint64) -> int:
    for i in range(r.tried.size):
        r.tried[i] = np.uint64(0)
    for i in range(count):
        at = np.uint64(code_of(tried[i]))
        r.tried[at >> _6] |= _1 << (at & _63)
    left, move = rng.below(random, r.choices[0] - count), _next_move(r, -1)
    while True:
        at = np.uint64(move)
        if r.tried[at >> _6] >> (at & _63) & _1 == np.uint64(0):
            if left == 0:
                return move
            left -= 1
        move = _next_move(r, move)


@part
def _next_move(r: Any, after: int) -> int:
    """``rules.next_move``."""
    for i in range(r.present.size):
        word = r.present[i]
        while word != np.uint64(0):
            kind = np.uint64(i << 6) + bits.lowest_bit(word)
            first = int64(r.first[kind])
            if after < first:
                return first
            if after < first + r.moves[kind] - 1:
                return after + 1
            word &= word - _1
    return int64(-1)


def _following(r: Any, after: int) -> int:
    return _next_move(r, after)


def _playout(r: Any, random: np.uint64) -> tuple[np.uint64, int]:
    plies = r.last_wins
    while r.choices[0] > 0:
        random = rng.step(random)
        make(r, _nth_legal(r, rng.below(random, r.choices[0])))
        plies += 1
    return random, (WIN if plies & 1 == 0 else LOSS)


rules.implement(rules.undo, TakeRules, _undo, inline=False)
rules.implement(rules.next_move, TakeRules, _following, inline=False)
rules.implement(rules.pick_untried, TakeRules, _pick_untried, inline=False)
rules.implement(rules.reset, TakeRules, _reset)
rules.implement(rules.play, TakeRules, _play)
rules.implement(rules.legal_count, TakeRules, _legal_count)
rules.implement(rules.moves_fit, TakeRules, _moves_fit)
rules.implement(rules.pick_unmarked, TakeRules, _pick_unmarked)
rules.implement(rules.playout, TakeRules, _playout, inline=False)
