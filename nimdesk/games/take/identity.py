"""The identity of positions of take-away games: how many heaps there are of each kind; see ``kernels.identity``."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.take.kernel import TakeRules, begin, make
from nimdesk.kernels import identity, rules
from nimdesk.kernels import random as rng
from nimdesk.kernels.identity import NOTHING, RANDOM_BITS, WINS
from nimdesk.kernels.jit import inlined, int64
from nimdesk.kernels.memory import bits
from nimdesk.kernels.rules import LOSS, WIN


class TakeIdentity(NamedTuple):
    """A move names sizes of heaps, so a code is the move itself.

    ``rules`` are rules of its own, whose working position is followed. ``changes`` (uint64, one a move) are what a move
    adds to the key; ``total`` (uint64, 2) is the key of the working position and of the root. ``ends`` (int64) is, by
    kind, the move that leaves none where nothing else has a move; -1 without one.
    """

    rules: TakeRules
    changes: NDArray[np.uint64]
    total: NDArray[np.uint64]
    ends: NDArray[np.int64]


def _begin(g: Any) -> None:
    begin(g.rules)
    g.total[0] = g.total[1]


def _moved(g: Any, move: int) -> None:
    make(g.rules, move)
    g.total[0] += g.changes[move]


def _key(g: Any) -> np.uint64:
    return np.uint64(g.total[0])


def _to_move(g: Any, code: int) -> int:
    return int64(code)


def _key_after(g: Any, code: int) -> np.uint64:
    return np.uint64(g.total[0] + g.changes[code])


def _outlook(g: Any) -> tuple[int, int]:
    return LOSS, WIN


@inlined
def _kinds(r: Any) -> tuple[int, int]:
    """How many kinds there are, and the last of them."""
    found, last = int64(0), int64(0)
    for i in range(r.present.size):
        word = r.present[i]
        found += bits.popcount(word)
        while word != np.uint64(0):
            last = int64(i << 6) + int64(bits.lowest_bit(word))
            word &= word - np.uint64(1)
    return found, last


def _assess(g: Any) -> tuple[int, int]:
    r = g.rules
    if r.last_wins:
        kinds, last = _kinds(r)
        # One heap; or two equal ones of Wythoff's game, which are a kind, and together another.
        both = r.moved[r.first[last], 1] > 0
        if r.heaps[last] == 1 and kinds == (2 if both else 1) and g.ends[last] >= 0:
            return WINS, int64(g.ends[last])
    return NOTHING, int64(-1)


def _candidates(g: Any, at_root: bool, order: bool, random: np.uint64, codes: Any, scores: Any) -> int:
    count, move = 0, int64(rules.next_move(g.rules, -1))
    while move >= 0:
        random = rng.step(random)
        codes[count], scores[count] = move, rng.below(random, 1 << RANDOM_BITS)
        count += 1
        move = int64(rules.next_move(g.rules, move))
    return count


identity.implement_all(
    TakeIdentity,
    begin=_begin,
    moved=_moved,
    key=_key,
    to_move=_to_move,
    key_after=_key_after,
    outlook=_outlook,
    assess=_assess,
    candidates=_candidates,
)
