"""The transposition table of the m,n,k solver: exact keys, proven bounds, nothing else.

An entry is W + 1 words: the key, and a word that packs the *tag* (which question: attacker, side to move, forcing),
the bounds on the attacker's quickest win in plies (``low``: none within that many; ``high``: a win within that
many; each ``NEVER`` when nothing is known or there is no win at all), the best move and the work spent.
A word of 0 is an empty entry. Entries stand in buckets of two; of two, the one with less work makes room.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels.jit import inlined

# More plies than any game has: as ``low`` "there is no win", as ``high`` "no win is known". Also "no move".
NEVER = 511
BUCKET = 2

_MULTIPLY = np.uint64(0x9E3779B97F4A7C15)
_S9, _S18, _S27, _S30, _S32 = (np.uint64(s) for s in (9, 18, 27, 30, 32))
_NINE_BITS, _TAG_BITS = np.uint64(511), np.uint64(7)


def new_table(entries: int, words: int) -> NDArray[np.uint64]:
    """An empty table of ``entries`` (a power of two, at least 2)."""
    return np.zeros((entries, words + 1), np.uint64)


@inlined
def _bucket(table: Any, key: Any, tag: int) -> Any:
    """Where the key's bucket begins; the high bits of the hash, so that a larger table keeps the order."""
    h = np.uint64(tag + 1) * _MULTIPLY
    for word in range(table.shape[1] - 1):
        h = (h ^ key[word]) * _MULTIPLY
        h ^= h >> _S32
    h *= _MULTIPLY
    return np.int64((h >> _S32) * np.uint64(table.shape[0] // BUCKET) >> _S32) * BUCKET


@inlined
def _same(table: Any, at: int, key: Any, tag: int) -> bool:
    words = table.shape[1] - 1
    packed = table[at, words]
    same = packed != np.uint64(0) and (packed >> _S27) & _TAG_BITS == np.uint64(tag)
    for word in range(words):
        same = same and table[at, word] == key[word]
    return bool(same)


@inlined
def find(table: Any, key: Any, tag: int) -> Any:
    """The row of the entry, or -1."""
    bucket = _bucket(table, key, tag)
    for at in range(bucket, bucket + BUCKET):
        if _same(table, at, key, tag):
            return at
    return -1


@inlined
def low(table: Any, at: int) -> Any:
    """The entry's lower bound."""
    return np.int64(table[at, table.shape[1] - 1] & _NINE_BITS)


@inlined
def high(table: Any, at: int) -> Any:
    """The entry's upper bound."""
    return np.int64((table[at, table.shape[1] - 1] >> _S9) & _NINE_BITS)


@inlined
def best(table: Any, at: int) -> Any:
    """The move that settled the position last, or ``NEVER``."""
    return np.int64((table[at, table.shape[1] - 1] >> _S18) & _NINE_BITS)


@inlined
def _work(table: Any, at: int) -> Any:
    return np.int64(table[at, table.shape[1] - 1] >> _S30)


@inlined
def store(table: Any, key: Any, tag: int, new_low: int, new_high: int, move: Any, work: int) -> bool:
    """Add proven bounds to the entry of this key, or put it in the place of a lesser one; whether a place was empty."""
    bucket = _bucket(table, key, tag)
    words = table.shape[1] - 1
    target = bucket
    for at in range(bucket, bucket + BUCKET):
        if _same(table, at, key, tag):
            new_low = max(new_low, low(table, at))
            new_high = min(new_high, high(table, at))
            work = min(work + _work(table, at), 1 << 33)
            if move == NEVER:
                move = best(table, at)
            target = at
            break
        if _work(table, at) < _work(table, target):
            target = at
    was_empty = table[target, words] == np.uint64(0)
    for word in range(words):
        table[target, word] = key[word]
    table[target, words] = (
        np.uint64(new_low)
        | np.uint64(new_high) << _S9
        | np.uint64(move) << _S18
        | np.uint64(tag) << _S27
        | np.uint64(max(work, 1)) << _S30
    )
    return bool(was_empty)


def migrate(old: NDArray[np.uint64], new: NDArray[np.uint64], begin: int, end: int) -> None:
    """Copy the entries of rows ``begin`` to ``end`` (both even) to a larger table that is otherwise unused.

    Every bucket spreads over buckets of its own, so that no two entries meet.
    """
    rows = np.flatnonzero(old[begin:end, -1]) + begin
    entries = old[rows]
    tags = entries[:, -1] >> _S27 & _TAG_BITS
    h = (tags + np.uint64(1)) * _MULTIPLY
    for word in range(old.shape[1] - 1):
        h = (h ^ entries[:, word]) * _MULTIPLY
        h ^= h >> _S32
    h *= _MULTIPLY
    buckets = (h >> _S32) * np.uint64(len(new) // BUCKET) >> _S32
    new[buckets.astype(np.int64) * BUCKET + rows % BUCKET] = entries
