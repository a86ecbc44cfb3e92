"""The values of heaps, one after the other, as compiled code; ``grundy`` says why this is exact, and fast."""

from __future__ import annotations

from typing import Any

import numpy as np

from nimdesk.games.take.codes import NONE_LEFT, ONE_LEFT, TWO_LEFT
from nimdesk.kernels.jit import inlined, kernel

_SOME = 64
# With more rare heaps than one in so many, all splits are quicker looked at one after the other.
_SPARSE = 8


@kernel
def extend(values: Any, begin: int, end: int, digits: Any, common: Any, rare: Any, rares: int, seen: Any) -> int:
    """Write the values (uint16) of the heaps from ``begin`` to ``end`` - 1 behind those that are known.

    ``digits`` (int64) are those of the rule, ``common`` (uint8, one a value) says which values are common. ``rare``
    (int64) are the heaps with rare values so far, the first ``rares`` entries; their new number is returned. ``seen``
    (int32, one a value) is scratch and has no heap from ``begin`` on. -1: a value has no room in ``seen``.
    """
    for heap in range(begin, end):
        sparse = rares * _SPARSE < heap
        least, free = 0, 0
        if sparse:
            _mark(values, heap, digits, seen, rare, rares)
            while free < seen.size and not (common[free] and seen[free] != heap):
                free += 1
        else:
            _mark_all(values, heap, digits, seen)
            free = seen.size
        # No common value below ``free`` is missing. Rare ones below it are reached by the other splits, or by none.
        while least < free and seen[least] == heap:
            least += 1
        if sparse and least < free:
            least = _mark_others(values, heap, digits, common, seen, least, free)
        if least >= seen.size:
            return -1
        values[heap] = least
        if not common[least]:
            rare[rares] = heap
            rares += 1
    return rares


@inlined
def _mark(values: Any, heap: int, digits: Any, seen: Any, rare: Any, rares: int) -> None:
    """Mark the values after all moves that leave one heap or none, or two of which one is rare."""
    for take in range(min(digits.size, heap + 1)):
        _mark_single(values, heap, take, digits[take], seen)
        if digits[take] & TWO_LEFT:
            for i in range(rares):
                if rare[i] >= heap - take:
                    break
                seen[values[rare[i]] ^ values[heap - take - rare[i]]] = heap


@inlined
def _mark_all(values: Any, heap: int, digits: Any, seen: Any) -> None:
    """Mark the values after all moves."""
    for take in range(min(digits.size, heap + 1)):
        _mark_single(values, heap, take, digits[take], seen)
        if digits[take] & TWO_LEFT:
            rest = np.uint64(heap - take)
            for part in range(np.uint64(1), rest // np.uint64(2) + np.uint64(1)):
                seen[values[part] ^ values[rest - part]] = heap


@inlined
def _mark_single(values: Any, heap: int, take: int, digit: int, seen: Any) -> None:
    if take == heap and digit & NONE_LEFT:
        seen[0] = heap
    if take < heap and digit & ONE_LEFT:
        seen[values[heap - take]] = heap


@inlined
def _mark_others(values: Any, heap: int, digits: Any, common: Any, seen: Any, least: int, free: int) -> int:
    """Mark the values after splits into two common heaps, until the smallest that is missing is known; return that.

    ``least`` is the smallest rare value that is missing so far, ``free`` the smallest common one.
    """
    for take in range(min(digits.size, heap + 1)):
        rest = heap - take
        if digits[take] & TWO_LEFT:
            for part in range(1, rest // 2 + 1):
                if common[values[part]] and common[values[rest - part]]:
                    seen[values[part] ^ values[rest - part]] = heap
                if part % _SOME == 0:
                    while least < free and seen[least] == heap:
                        least += 1
                    if least == free:
                        return free
    while least < free and seen[least] == heap:
        least += 1
    return least
