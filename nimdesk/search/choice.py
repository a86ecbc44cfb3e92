"""Which move a search plays: the one order by which every search chooses, at its end and at each checkpoint.

What is proven goes first. Next comes the distance to the end: the quickest win or the longest loss, and of losses that
come at once the one with the fewest winning replies. Then comes what the search counts, visits or means; then what the
game prefers while nothing else is known; and last a number drawn from the seed. No move is played for its place in the
list, so games that are equal, by another order of piles or on a turned board, have equal chances. Only players whose
document plays the first move among equals do so (``Ties``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nimdesk.games import AnyPosition
from nimdesk.games.kit import preferences
from nimdesk.games.truth import MoveTruth, Value
from nimdesk.search.options import Ties
from nimdesk.search.types import Choice, Resistance

Ints = NDArray[np.int64]
# Half points, as in ``nimdesk.kernels.rules``.
_LOSS, _DRAW, _WIN = 0, 1, 2
# Mixed into the seed, so that the lots differ from the numbers that the search itself draws.
_SALT, _GAMMA = 0x5851F42D4C957F2D, 0x9E3779B97F4A7C15
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
# In a lost position with more moves than this the replies are not counted: Python would play each after every move.
_MOST_COUNTED = 400


def lots(seeds: Sequence[int], moves: int) -> NDArray[np.uint64]:
    """Random numbers (S, L), one for each of L ``moves`` with each of S seeds; the same on every machine."""
    states = np.array(seeds, np.uint64) ^ np.uint64(_SALT)
    return _mixed(_mixed(states)[:, np.newaxis] + _steps(moves))


@lru_cache(maxsize=64)
def _steps(moves: int) -> NDArray[np.uint64]:
    return np.array([(i + 1) * _GAMMA & (1 << 64) - 1 for i in range(moves)], np.uint64)


def _mixed(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The output function of splitmix64 (Steele, Lea and Flood, 2014)."""
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


def precedence(position: AnyPosition, seeds: Sequence[int], ties: Ties = "random") -> Ints:
    """Keys (S, L) that decide, for S seeds, between moves that are equal otherwise: the largest is played; all differ.

    The columns are the legal moves, in their order. The game's preference decides, then the lots of the seed; with
    ``ties`` "first", the place in the list alone.
    """
    count = len(position.legal_moves)
    if ties == "first":
        listed: Ints = np.tile(-np.arange(count, dtype=np.int64), (len(seeds), 1))
        return listed
    drawn, wanted = lots(seeds, count), preferences(position)
    if len(set(wanted)) == 1:
        order = drawn.argsort(axis=-1)
    else:
        order = np.lexsort((drawn, np.broadcast_to(np.array(wanted, np.float64), drawn.shape)), axis=-1)
    ranks: Ints = order.argsort(axis=-1)
    return ranks


def by_order(keys: Iterable[NDArray[Any]]) -> Ints:
    """The column with the largest key, (...), for keys (..., L); where columns are equal by one key, the next decides.

    A key is asked for only if those before it leave a choice.
    """
    left: NDArray[np.bool_] | None = None
    for key in keys:
        if left is None:
            left = key == key.max(axis=-1, keepdims=True)
        else:
            most = np.where(left, key, -np.inf)
            left = left & (most == most.max(axis=-1, keepdims=True))
        if left.sum(axis=-1).max() == 1:
            break
    columns: Ints = np.asarray(left).argmax(axis=-1)
    return columns


def by_counts(rule: Choice, visits: NDArray[Any], value_sum: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """The keys of moves by visits and sums of results, each (..., L): what the rule looks at, then what is left."""
    n = np.maximum(visits, 1)
    mean = np.where(visits > 0, value_sum / n, -np.inf)
    if rule == "visits":
        return visits, mean
    # The secure child has the largest lower confidence bound (Chaslot et al., 2008), here with A = 1.
    return (mean - 1.0 / np.sqrt(n) if rule == "secure" else mean), visits, mean


def haste(position: AnyPosition, moves: Sequence[MoveTruth]) -> tuple[NDArray[np.float64], Ints]:
    """The keys of all legal moves by distance, (L,): the sooner a win and the later a loss, the larger.

    Of moves that lose at the opponent's next move, the second key prefers those that leave the fewest ways to do so.
    An unknown distance counts as the slowest win and the quickest loss.
    """
    distances = [each.distance for each in moves]
    plies = np.array([np.inf if distance is None else distance for distance in distances])
    won = np.array([each.value is Value.WIN for each in moves])
    lost = np.array([each.value is Value.LOSS for each in moves])
    keys = np.where(won, -plies, np.where(lost & np.isfinite(plies), plies, 0.0))
    return keys, _fewest_replies(position, moves, plies)


def _fewest_replies(position: AnyPosition, moves: Sequence[MoveTruth], plies: NDArray[np.float64]) -> Ints:
    keys = np.zeros(len(moves), np.int64)
    # The number of replies matters only where every move loses at once.
    if len(moves) <= _MOST_COUNTED and all(each.value is Value.LOSS for each in moves) and plies.max() <= 2:
        keys[:] = [-len(position.play(each.move).winning_moves) for each in moves]
    return keys


def best_proven(position: AnyPosition, moves: Sequence[MoveTruth], *last: NDArray[Any]) -> MoveTruth:
    """The best of all legal moves by what is proven (``Value.rank``, then how soon or late the end is).

    ``last`` are keys (L,) that decide between moves equal by that.
    """
    order = np.array([each.value.rank for each in moves])
    return moves[int(by_order((order, *haste(position, moves), *last)))]


def resistance(moves: Sequence[MoveTruth], *, exact: bool) -> Resistance | None:
    """Which moves hold out longest where all are proven to lose and all distances are known; None elsewhere."""
    plies = [each.distance for each in moves if each.value is Value.LOSS and each.distance is not None]
    if not moves or len(plies) < len(moves):
        return None
    return Resistance(tuple(each.move for each in moves if each.distance == max(plies)), exact)


def standing(visits: NDArray[Any], score: NDArray[Any], bounds: NDArray[np.uint8]) -> Ints:
    """How far each move is fit to be played by what is proven of it, (T, L), by bounds as in ``mcts_state.Search``.

    2 for a move that is not proven worse than another, 1 for one that was never tried, 0 for one that is proven worse.
    So a move that is proven to lose is played only if every move is.
    """
    # A move that was never tried has −1 as its lower bound, below a loss; its upper one is not asked for.
    opened, (low, high) = bounds > 0, np.divmod(bounds.astype(np.int64) - 1, 3)
    certain, hoped = low.max(axis=-1, keepdims=True), high.max(axis=-1, keepdims=True)
    fit = opened & (high >= certain) & (high > _LOSS)
    # A certain draw gets no visits: it gives way to an open move only if that promises more.
    fit &= (certain != _DRAW) | (low == _DRAW) | (score > visits)
    settled = (certain == _WIN) | ((certain == hoped) & opened.all(axis=-1, keepdims=True))
    return np.where(np.where(settled, low == certain, fit), 2, np.where(opened, 0, 1))
