"""Nim as array code: the compiled twin of ``nimdesk.games.nim``.

A move's code is ``pile * MAX_PILE + take - 1``.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import random as rng
from nimdesk.kernels import rules
from nimdesk.kernels.rules import LOSS, ONGOING, WIN

MAX_PILE = 64
MOVE_CODES = 12 * MAX_PILE


class NimRules(NamedTuple):
    """Parameters, root and working position of one game of Nim.

    ``max_take`` is ``MAX_PILE`` where there is no limit; ``last_wins`` is 1 in normal and 0 in misère play. ``root``
    and ``piles`` (int64, one entry a pile) are the root and the working position; ``choices`` (int64, 1) counts the
    legal moves of the working position; ``tried`` (uint64, one a pile) is scratch.
    """

    max_take: int
    last_wins: int
    root: NDArray[np.int64]
    piles: NDArray[np.int64]
    choices: NDArray[np.int64]
    tried: NDArray[np.uint64]


def make_rules(piles: tuple[int, ...], max_take: int | None, misere: bool) -> NimRules:
    """The rules with ``piles`` as the root position."""
    limit = MAX_PILE if max_take is None else max_take
    return NimRules(
        limit,
        int(not misere),
        np.array(piles, np.int64),
        np.array(piles, np.int64),
        np.array([sum(min(pile, limit) for pile in piles)], np.int64),
        np.zeros(len(piles), np.uint64),
    )


def _reset(r: Any) -> None:
    choices = 0
    for i in range(r.root.size):
        r.piles[i] = r.root[i]
        choices += min(r.root[i], r.max_take)
    r.choices[0] = choices


def _play(r: Any, move: int) -> int:
    pile = move // MAX_PILE
    before = r.piles[pile]
    after = before - (move % MAX_PILE + 1)
    r.piles[pile] = after
    choices = r.choices[0] - min(before, r.max_take) + min(after, r.max_take)
    r.choices[0] = choices
    if choices > 0:
        return ONGOING
    return WIN if r.last_wins else LOSS


def _legal_count(r: Any) -> int:
    return int(r.choices[0])


def _pick_untried(r: Any, tried: Any, count: int, random: np.uint64) -> int:
    for i in range(r.piles.size):
        r.tried[i] = np.uint64(0)
    for i in range(count):
        r.tried[tried[i] // MAX_PILE] |= np.uint64(1) << np.uint64(tried[i] % MAX_PILE)
    left = rng.below(random, r.choices[0] - count)
    for pile in range(r.piles.size):
        for take in range(min(r.piles[pile], r.max_take)):
            if not (r.tried[pile] >> np.uint64(take)) & np.uint64(1):
                if left == 0:
                    return pile * MAX_PILE + take
                left -= 1
    return -1


def _playout(r: Any, random: np.uint64) -> tuple[np.uint64, int]:
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


rules.implement(rules.reset, NimRules, _reset)
rules.implement(rules.play, NimRules, _play)
rules.implement(rules.legal_count, NimRules, _legal_count)
rules.implement(rules.pick_untried, NimRules, _pick_untried)
rules.implement(rules.playout, NimRules, _playout)
