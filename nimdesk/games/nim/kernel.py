"""Nim as array code: the compiled twin of ``nimdesk.games.nim.rules``.

A move's code is ``pile * TAKES + take - 1``. So no move may take more than ``TAKES``: piles are as small as that, or
there is a largest take below it.
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

TAKES, LARGEST_PILE = 64, 127
# Up to so many piles and legal moves, all piles fit in the bytes of one word, and so do the sums of their moves.
PACKED_PILES, PACKED_CHOICES = 8, 127
MARKED_CHOICES = 32
_ONES, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_BYTE, _7, _8, _32, _56 = np.uint64(0xFF), np.uint64(7), np.uint64(8), np.uint64(32), np.uint64(56)


class NimRules(NamedTuple):
    """Parameters, root and working position of one game of Nim.

    ``max_take`` is ``TAKES`` where there is no limit; ``last_wins`` is 1 in normal and 0 in misère play; ``packed``
    is 1 where a playout can hold all piles in one word, and ``marked`` where it could from the first move of the game
    on: it is the same for all positions of a game. ``root`` and ``piles`` (int64, one entry a pile) are the root and
    the working position; ``choices`` (int64, 2) counts the legal moves of the working position and of the root;
    ``word`` (uint64, 2) is the packed working position and root, where ``packed``; ``tried`` (uint64, one a pile) is
    scratch.
    """

    max_take: int
    last_wins: int
    packed: int
    marked: int
    root: NDArray[np.int64]
    piles: NDArray[np.int64]
    choices: NDArray[np.int64]
    word: NDArray[np.uint64]
    tried: NDArray[np.uint64]


def make_rules(largest: tuple[int, ...], piles: tuple[int, ...], max_take: int | None, misere: bool) -> NimRules:
    """The rules with ``piles`` as the root position of a game that began with ``largest``."""
    limit = TAKES if max_take is None else max_take
    choices = _choices(piles, limit)
    packed = _fits_word(piles, limit)
    word = sum(pile << 8 * i for i, pile in enumerate(piles)) if packed else 0
    return NimRules(
        limit,
        int(not misere),
        int(packed),
        int(_fits_word(largest, limit)),
        np.array(piles, np.int64),
        np.array(piles, np.int64),
        np.array([choices, choices], np.int64),
        np.array([word, word], np.uint64),
        np.zeros(len(piles), np.uint64),
    )


def _choices(piles: tuple[int, ...], limit: int) -> int:
    return sum(min(pile, limit) for pile in piles)


def _fits_word(piles: tuple[int, ...], limit: int) -> bool:
    return len(piles) <= PACKED_PILES and _choices(piles, limit) <= PACKED_CHOICES


def copy_rules(r: NimRules) -> NimRules:
    """The same rules and positions, with working arrays of their own."""
    working = r.piles.copy(), r.choices.copy(), r.word.copy(), r.tried.copy()
    return NimRules(r.max_take, r.last_wins, r.packed, r.marked, r.root, *working)


def _reset(r: Any) -> None:
    for i in range(r.root.size):
        r.piles[i] = r.root[i]
    r.choices[0] = r.choices[1]
    r.word[0] = r.word[1]


@inlined
def _pile_of(move: int) -> np.uint64:
    # Unsigned, for which the division by a power of two is one shift.
    return np.uint64(move) >> np.uint64(6)


@inlined
def _take_of(move: int) -> int:
    return (move & (TAKES - 1)) + 1


def _play(r: Any, move: int) -> int:
    pile, take = _pile_of(move), _take_of(move)
    before = r.piles[pile]
    after = before - take
    r.piles[pile] = after
    if r.packed:
        r.word[0] -= np.uint64(take) << (pile << np.uint64(3))
    choices = r.choices[0] - min(before, r.max_take) + min(after, r.max_take)
    r.choices[0] = choices
    if choices > 0:
        return ONGOING
    return WIN if r.last_wins else LOSS


def _legal_count(r: Any) -> int:
    return int64(r.choices[0])


def _pick_untried(r: Any, tried: Any, marks: Any, count: int, random: np.uint64) -> int:
    # From so many moves on their marks have room for those of all piles.
    enough = 4 * r.piles.size
    for i in range(r.piles.size):
        if count > enough:
            r.tried[i] = np.uint64(np.uint32(marks[2 * i])) | np.uint64(marks[2 * i + 1]) << _32
        else:
            r.tried[i] = np.uint64(0)
    if count <= enough:
        for i in range(count):
            move = code_of(tried[i])
            r.tried[_pile_of(move)] |= np.uint64(1) << np.uint64(_take_of(move) - 1)
    move = _nth_untried(r, rng.below(random, r.choices[0] - count))
    if count >= enough:
        r.tried[_pile_of(move)] |= np.uint64(1) << np.uint64(_take_of(move) - 1)
        for i in range(r.piles.size):
            marks[2 * i], marks[2 * i + 1] = np.int32(r.tried[i]), np.int32(r.tried[i] >> _32)
    return move


@inlined
def _nth_untried(r: Any, n: int) -> int:
    left = n
    for pile in range(r.piles.size):
        cap = min(r.piles[pile], r.max_take)
        if cap > 0:
            untried = ~r.tried[pile] & (~np.uint64(0) >> np.uint64(TAKES - cap))
            here = bits.popcount(untried)
            if left < here:
                return pile * TAKES + int64(bits.nth_set(untried, np.uint64(left)))
            left -= here
    return -1


@inlined
def _caps(word: np.uint64, limits: np.uint64) -> np.uint64:
    """The smaller one of each byte of the word and of ``limits``, all below 128."""
    larger = ((((word | _HIGH) - limits) & _HIGH) >> _7) * _BYTE
    return word & ~larger | limits & larger


@inlined
def _packed_playout(r: Any, random: np.uint64) -> tuple[np.uint64, int]:
    """A playout with a byte for each pile: which pile a random choice falls into is found without any branch."""
    word = r.word[0]
    limits = np.uint64(r.max_take) * _ONES
    plies = r.last_wins
    limited = r.max_take < TAKES
    # Byte i of ``sums`` counts the moves in piles 0 to i; a choice is in the first pile where that is above it.
    sums = _caps(word, limits) * _ONES
    while sums > np.uint64(0):
        random = rng.step(random)
        pick = (rng.bits(random) >> _32) * (sums >> _56) >> _32
        above = ~((pick * _ONES | _HIGH) - sums) & _HIGH
        shift = bits.lowest_bit(above) - _7
        take = pick - ((sums << _8) >> shift & _BYTE) + np.uint64(1)
        word -= take << shift
        sums = (_caps(word, limits) if limited else word) * _ONES
        plies += 1
    return random, (WIN if plies & 1 == 0 else LOSS)


def _moves_fit(r: Any) -> bool:
    # Not ``packed``: a search of a later position goes on with a tree that was begun without.
    return bool(r.marked and r.choices[0] <= MARKED_CHOICES)


def _pick_unmarked(r: Any, marked: np.uint64, count: int, random: np.uint64) -> tuple[int, np.uint64]:
    # Bit i marks the i-th legal move; its pile is found as in a playout.
    at = bits.nth_set(~marked, np.uint64(rng.below(random, r.choices[0] - count)))
    sums = _caps(r.word[0], np.uint64(r.max_take) * _ONES) * _ONES
    above = ~((at * _ONES | _HIGH) - sums) & _HIGH
    shift = bits.lowest_bit(above) - _7
    move = (shift << np.uint64(3)) + at - ((sums << _8) >> shift & _BYTE)
    return int64(move), marked | np.uint64(1) << at


def _playout(r: Any, random: np.uint64) -> tuple[np.uint64, int]:
    if r.packed:
        return _packed_playout(r, random)
    mover_won_if_last = r.last_wins
    choices = r.choices[0]
    ours = 1
    while True:
        random = rng.step(random)
        pick = rng.below(random, choices)
        pile = 0
        cap = min(r.piles[0], r.max_take)
        while pick >= cap:
            pick -= cap
            pile += 1
            cap = min(r.piles[pile], r.max_take)
        after = r.piles[pile] - (pick + 1)
        r.piles[pile] = after
        choices += min(after, r.max_take) - cap
        if choices == 0:
            return random, (WIN if ours == mover_won_if_last else LOSS)
        ours = 1 - ours


def _undo(r: Any, move: int) -> None:
    pile, take = _pile_of(move), _take_of(move)
    after = r.piles[pile]
    before = after + take
    r.piles[pile] = before
    if r.packed:
        r.word[0] += np.uint64(take) << (pile << np.uint64(3))
    r.choices[0] += min(before, r.max_take) - min(after, r.max_take)


def _next_move(r: Any, after: int) -> int:
    pile, take = (after + 1) // TAKES, (after + 1) % TAKES + 1
    while pile < r.piles.size:
        if take <= min(r.piles[pile], r.max_take):
            return pile * TAKES + take - 1
        pile, take = pile + 1, 1
    return -1


@inlined
def is_lost(piles: Any, max_take: int, last_wins: int) -> bool:
    """Whether the side to move loses: ``nimdesk.games.nim.theory`` says why, and proves it.

    ``max_take`` may be anything from the largest pile on where there is no limit. A pile counts as its remainder by
    ``max_take`` + 1. In misère play, when all remainders are 0 or 1, an odd number of ones is lost.
    """
    total, largest = 0, 0
    for i in range(piles.size):
        rest = piles[i] % (max_take + 1)
        total ^= rest
        largest = max(largest, rest)
    if last_wins or largest > 1:
        return bool(total == 0)
    return bool(total == 1)


@inlined
def perfect_move(piles: Any, max_take: int, last_wins: int) -> int:
    """The first winning move by code, or -1 in a lost position."""
    for pile in range(piles.size):
        size = piles[pile]
        for take in range(1, min(size, max_take) + 1):
            piles[pile] = size - take
            wins = is_lost(piles, max_take, last_wins)
            piles[pile] = size
            if wins:
                return int64(pile * TAKES + take - 1)
    return -1


@inlined
def _zeroing_move(piles: Any, max_take: int) -> int:
    """The first move that makes the nim-sum zero, else the first legal move."""
    total = 0
    for i in range(piles.size):
        total ^= piles[i]
    first = -1
    for pile in range(piles.size):
        size = piles[pile]
        if size and first < 0:
            first = pile * TAKES
        take = size - (size ^ total)
        if 1 <= take <= max_take and total:
            return int64(pile * TAKES + take - 1)
    return int64(first)


@inlined
def _random_move(piles: Any, max_take: int, choices: int, random: np.uint64) -> int:
    pick = rng.below(random, choices)
    pile = 0
    while pick >= min(piles[pile], max_take):
        pick -= min(piles[pile], max_take)
        pile += 1
    return int64(pile * TAKES + pick)


@part
def guided_playout(
    piles: Any, max_take: int, last_wins: int, random: np.uint64, policy: int, ours_perfect: bool
) -> tuple[np.uint64, int]:
    """``rules.guided_playout`` from these piles, which are not all empty, and are all empty then."""
    choices = int64(0)
    for i in range(piles.size):
        choices += min(piles[i], max_take)
    ours = True
    while True:
        move = int64(-1)
        if policy == rules.ZEROING:
            move = _zeroing_move(piles, max_take)
        elif policy == rules.PERFECT and ours == ours_perfect:
            move = perfect_move(piles, max_take, last_wins)
        if move < 0:
            random = rng.step(random)
            move = _random_move(piles, max_take, choices, random)
        pile, take = _pile_of(move), _take_of(move)
        before = piles[pile]
        piles[pile] = before - take
        choices += min(before - take, max_take) - min(before, max_take)
        if choices == 0:
            return random, (WIN if ours == (last_wins == 1) else LOSS)
        ours = not ours


def _guided_playout(r: Any, random: np.uint64, policy: int, ours_perfect: bool) -> tuple[np.uint64, int]:
    return guided_playout(r.piles, r.max_take, r.last_wins, random, policy, ours_perfect)


@inlined
def overshoot(left: int, max_take: int, last_wins: int, random: np.uint64) -> tuple[np.uint64, int]:
    """``rules.overshoot_playout`` from one pile of this size."""
    ours = True
    while True:
        random = rng.step(random)
        left -= rng.below(random, max_take) + 1
        if left <= 0:
            return random, (WIN if ours == (last_wins == 1) else LOSS)
        ours = not ours


def _overshoot(r: Any, random: np.uint64) -> tuple[np.uint64, int]:
    return overshoot(r.piles[0], r.max_take, r.last_wins, random)


rules.implement(rules.overshoot_playout, NimRules, _overshoot, inline=False)
rules.implement(rules.undo, NimRules, _undo, inline=False)
rules.implement(rules.next_move, NimRules, _next_move, inline=False)
rules.implement(rules.guided_playout, NimRules, _guided_playout, inline=False)
rules.implement(rules.reset, NimRules, _reset)
rules.implement(rules.play, NimRules, _play)
rules.implement(rules.legal_count, NimRules, _legal_count)
rules.implement(rules.pick_untried, NimRules, _pick_untried)
rules.implement(rules.moves_fit, NimRules, _moves_fit)
rules.implement(rules.pick_unmarked, NimRules, _pick_unmarked)
rules.implement(rules.playout, NimRules, _playout)
