"""The identity of positions of Nim: the sizes of the piles, in any order; see ``identity``."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.nim.kernel import LARGEST_PILE, TAKES
from nimdesk.games.twin import random_words
from nimdesk.kernels import identity
from nimdesk.kernels import random as rng
from nimdesk.kernels.identity import NOTHING, RANDOM_BITS, WINS
from nimdesk.kernels.jit import int64
from nimdesk.kernels.rules import LOSS, WIN


class NimIdentity(NamedTuple):
    """Piles in any order are one position; a code is ``size of the pile * TAKES + take - 1``.

    ``words`` (uint64, one for each size of a pile, 0 for an empty one) add up to the key; ``root`` and ``piles``
    (int64) as in ``NimRules``; ``total`` (uint64, 2) is the key of the working position and of the root; ``seen``
    (uint8, one for each size up to the largest) is scratch.
    """

    max_take: int
    last_wins: int
    words: NDArray[np.uint64]
    root: NDArray[np.int64]
    piles: NDArray[np.int64]
    total: NDArray[np.uint64]
    seen: NDArray[np.uint8]


def make_identity(piles: tuple[int, ...], max_take: int | None, misere: bool) -> NimIdentity:
    """The identity with ``piles`` as the root position."""
    words = _words()
    return NimIdentity(
        TAKES if max_take is None else max_take,
        int(not misere),
        words,
        np.array(piles, np.int64),
        np.array(piles, np.int64),
        np.full(2, words[list(piles)].sum(), np.uint64),
        np.zeros(max(piles) + 1, np.uint8),
    )


@cache
def _words() -> NDArray[np.uint64]:
    words = random_words(LARGEST_PILE + 1)
    words[0] = 0
    words.flags.writeable = False
    return words


def _begin(g: Any) -> None:
    for i in range(g.root.size):
        g.piles[i] = g.root[i]
    g.total[0] = g.total[1]


def _moved(g: Any, move: int) -> None:
    pile = move // TAKES
    before = g.piles[pile]
    after = before - (move % TAKES + 1)
    g.piles[pile] = after
    g.total[0] += g.words[after] - g.words[before]


def _key(g: Any) -> np.uint64:
    return np.uint64(g.total[0])


def _to_move(g: Any, code: int) -> int:
    size = code // TAKES
    for i in range(g.piles.size):
        if g.piles[i] == size:
            return int64(i * TAKES + code % TAKES)
    return -1


def _key_after(g: Any, code: int) -> np.uint64:
    size = code // TAKES
    return np.uint64(g.total[0] + g.words[size - code % TAKES - 1] - g.words[size])


def _outlook(g: Any) -> tuple[int, int]:
    return LOSS, WIN


def _assess(g: Any) -> tuple[int, int]:
    if g.last_wins:
        left, size = 0, 0
        for i in range(g.piles.size):
            if g.piles[i] > 0:
                left += 1
                size = g.piles[i]
        if left == 1 and size <= g.max_take:
            return WINS, size * TAKES + size - 1
    return NOTHING, int64(-1)


def _candidates(g: Any, at_root: bool, order: bool, random: np.uint64, codes: Any, scores: Any) -> int:
    count = 0
    for size in range(g.seen.size):
        g.seen[size] = 0
    for i in range(g.piles.size):
        size = g.piles[i]
        if at_root or not g.seen[size]:
            g.seen[size] = 1
            for take in range(size if size < g.max_take else g.max_take):
                codes[count] = (i if at_root else size) * TAKES + take
                random = rng.step(random)
                scores[count] = rng.below(random, 1 << RANDOM_BITS)
                count += 1
    return count


identity.implement_all(
    NimIdentity,
    begin=_begin,
    moved=_moved,
    key=_key,
    to_move=_to_move,
    key_after=_key_after,
    outlook=_outlook,
    assess=_assess,
    candidates=_candidates,
)
