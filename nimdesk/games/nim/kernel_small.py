"""Nim with so few positions that they can be numbered: moves and playouts look up where they lead.

A position's *number* is its piles as the digits of a number whose ``steps`` are the products of the pile sizes before,
so that a take from pile i subtracts ``take * steps[i]``, and 0 is the end of the game. Moves have the codes of ``nim``,
and playouts with the same random state make the same moves as there.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.nim import kernel as nim
from nimdesk.games.nim.kernel import TAKES
from nimdesk.kernels import random as rng
from nimdesk.kernels import rules
from nimdesk.kernels.jit import int64
from nimdesk.kernels.memory import bits
from nimdesk.kernels.places import code_of
from nimdesk.kernels.rules import LOSS, ONGOING, WIN

# The moves of a position are bits of a 32-bit number, and the tables stay in the processor's nearer caches.
MOST_CHOICES, MOST_ENTRIES = 32, 1 << 16
_BYTE, _6, _8, _32 = np.uint64(0xFF), np.uint64(6), np.uint64(8), np.uint64(32)


class SmallNimRules(NamedTuple):
    """Parameters, root and working position of one game of Nim with few positions.

    ``max_take`` and ``last_wins`` as in ``NimRules``. ``steps`` (int64, one a pile) is said above, ``sizes`` (int64)
    the largest size of each pile plus one. A position's moves, in the order of their codes, stand in its *row*:
    ``codes`` (uint16) are the moves, ``after`` (uint32) what the positions that they lead to have in ``row_of``
    (uint32, one a position): the start of the row * 256 + the number of its moves, 0 at the end of the game.
    ``number`` (int64, 2) is the working position and the root; ``piles`` (int64) is scratch.
    """

    max_take: int
    last_wins: int
    steps: NDArray[np.int64]
    sizes: NDArray[np.int64]
    row_of: NDArray[np.uint32]
    after: NDArray[np.uint32]
    codes: NDArray[np.uint16]
    number: NDArray[np.int64]
    piles: NDArray[np.int64]


def fits(largest: tuple[int, ...], max_take: int | None) -> bool:
    """Whether a game that begins with these piles can have these rules."""
    limit = TAKES if max_take is None else max_take
    choices, positions = sum(min(pile, limit) for pile in largest), 1
    for pile in largest:
        positions *= pile + 1
    return choices <= MOST_CHOICES and positions * choices <= MOST_ENTRIES


def make_rules(largest: tuple[int, ...], piles: tuple[int, ...], max_take: int | None, misere: bool) -> SmallNimRules:
    """The rules with ``piles`` as the root position of a game that ``fits`` and began with ``largest``."""
    limit = TAKES if max_take is None else max_take
    steps, sizes, row_of, after, codes = _tables(largest, limit)
    number = int(np.dot(steps, piles))
    working = np.array([number, number], np.int64), np.zeros(len(piles), np.int64)
    return SmallNimRules(limit, int(not misere), steps, sizes, row_of, after, codes, *working)


def copy_rules(r: SmallNimRules) -> SmallNimRules:
    """The same rules and positions, with working arrays of their own."""
    return SmallNimRules(*r[:-2], r.number.copy(), r.piles.copy())


@lru_cache(maxsize=16)
def _tables(largest: tuple[int, ...], limit: int) -> tuple[NDArray[Any], ...]:
    sizes = np.array(largest, np.int64) + 1
    steps = np.cumprod(np.concatenate(([1], sizes[:-1])))
    numbers = np.arange(int(np.prod(sizes)))
    # Moves there are from each pile (rows) in each position (columns), and before that pile.
    caps = np.minimum(numbers // steps[:, None] % sizes[:, None], limit)
    before = np.cumsum(caps, 0) - caps
    counts = caps.sum(0)
    starts = np.cumsum(counts) - counts
    row_of = (starts << 8 | counts).astype(np.uint32)
    after, codes = np.zeros(int(counts.sum()), np.uint32), np.zeros(int(counts.sum()), np.uint16)
    for pile, step in enumerate(steps):
        for take in range(1, int(caps[pile].max()) + 1):
            here = np.flatnonzero(caps[pile] >= take)
            entries = starts[here] + before[pile, here] + take - 1
            after[entries] = row_of[here - take * step]
            codes[entries] = pile * TAKES + take - 1
    tables = steps, sizes, row_of, after, codes
    for table in tables:
        table.flags.writeable = False
    return tables


def _reset(r: Any) -> None:
    r.number[0] = r.number[1]


def _play(r: Any, move: int) -> int:
    # Unsigned, for which the division by a power of two is one shift.
    pile, take = np.uint64(move) >> _6, (move & (TAKES - 1)) + 1
    number = r.number[0] - take * r.steps[pile]
    r.number[0] = number
    if number > 0:
        return ONGOING
    return WIN if r.last_wins else LOSS


def _undo(r: Any, move: int) -> None:
    r.number[0] += (move % TAKES + 1) * r.steps[move // TAKES]


def _legal_count(r: Any) -> int:
    return int64(r.row_of[np.uint64(r.number[0])] & np.uint32(0xFF))


def _moves_fit(r: Any) -> bool:
    return True


def _pick_unmarked(r: Any, marked: np.uint64, count: int, random: np.uint64) -> tuple[int, np.uint64]:
    row = np.uint64(r.row_of[np.uint64(r.number[0])])
    at = bits.nth_set(~marked, np.uint64(rng.below(random, int64(row & _BYTE) - count)))
    return int64(r.codes[(row >> _8) + at]), marked | np.uint64(1) << at


def _pick_untried(r: Any, tried: Any, marks: Any, count: int, random: np.uint64) -> int:
    row = np.uint64(r.row_of[np.uint64(r.number[0])])
    moves, marked = row & _BYTE, np.uint64(0)
    for i in range(count):
        for at in range(moves):
            if r.codes[(row >> _8) + np.uint64(at)] == code_of(tried[i]):
                marked |= np.uint64(1) << np.uint64(at)
    picked = bits.nth_set(~marked, np.uint64(rng.below(random, int64(moves) - count)))
    return int64(r.codes[(row >> _8) + picked])


def _next_move(r: Any, after: int) -> int:
    row = np.uint64(r.row_of[np.uint64(r.number[0])])
    for at in range(row & _BYTE):
        move = int64(r.codes[(row >> _8) + np.uint64(at)])
        if move > after:
            return move
    return -1


def _playout(r: Any, random: np.uint64) -> tuple[np.uint64, int]:
    row = np.uint64(r.row_of[np.uint64(r.number[0])])
    plies = r.last_wins
    while row > np.uint64(0):
        random = rng.step(random)
        row = np.uint64(r.after[(row >> _8) + ((rng.bits(random) >> _32) * (row & _BYTE) >> _32)])
        plies += 1
    return random, (WIN if plies & 1 == 0 else LOSS)


def _guided_playout(r: Any, random: np.uint64, policy: int, ours_perfect: bool) -> tuple[np.uint64, int]:
    for pile in range(r.piles.size):
        r.piles[pile] = r.number[0] // r.steps[pile] % r.sizes[pile]
    return nim.guided_playout(r.piles, r.max_take, r.last_wins, random, policy, ours_perfect)


def _overshoot(r: Any, random: np.uint64) -> tuple[np.uint64, int]:
    # With one pile a position's number is its size.
    return nim.overshoot(r.number[0], r.max_take, r.last_wins, random)


rules.implement(rules.overshoot_playout, SmallNimRules, _overshoot, inline=False)
rules.implement(rules.undo, SmallNimRules, _undo, inline=False)
rules.implement(rules.next_move, SmallNimRules, _next_move, inline=False)
rules.implement(rules.guided_playout, SmallNimRules, _guided_playout, inline=False)
rules.implement(rules.pick_untried, SmallNimRules, _pick_untried, inline=False)
rules.implement(rules.reset, SmallNimRules, _reset)
rules.implement(rules.play, SmallNimRules, _play)
rules.implement(rules.legal_count, SmallNimRules, _legal_count)
rules.implement(rules.moves_fit, SmallNimRules, _moves_fit)
rules.implement(rules.pick_unmarked, SmallNimRules, _pick_unmarked)
rules.implement(rules.playout, SmallNimRules, _playout)
