"""Grundy values of heaps, their period, and the proof that it goes on forever.

The value of a heap is the smallest number that no move from it leads to, where two heaps that are left count as the
exclusive or of their values (Sprague 1935, Grundy 1939).

**Fast.** A choice of bits divides all numbers into *rare* ones (an even number of ones among these bits) and *common*
ones. The exclusive or of two common or of two rare numbers is rare, that of one of each is common. So every common
value that a heap can reach by a split comes from a split with a rare part; and where nearly all heaps have common
values, these splits are few. The other splits are looked at only until they have shown that every rare number below the
smallest common one that is not reached can be reached: nearly at once. This is exact whatever the bits are; only the
time depends on them, and they are chosen anew as the values grow. Where no bits help, all splits are looked at. (The
sparse space phenomenon: Berlekamp, Conway and Guy, "Winning Ways", chapter 4; Gangolli and Plambeck, 1989.)

**When a period is proven.** Let no move take more than t, and let g(n + p) = g(n) for a ≤ n < 2a + p + t, where a ≥ 1.
Then it holds for all n ≥ a (Guy and Smith, 1956). Proof by induction for N ≥ 2a + p + t: a move from N + p leaves parts
whose larger one, b, has b ≥ (N + p - t)/2 ≥ a + p, so that b - p ≥ a has the same value: the same is reached from N. A
move from N leaves a larger part b ≥ a, and b + p has the same value. Where no move splits a heap, one part alone is
left, and a ≤ n < a + t suffices; for a subtraction set, whose rule does not depend on what is left, also with a = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial, reduce
from operator import xor

import msgspec
import numpy as np
from numpy.typing import NDArray

from nimdesk.errors import GameParameterError
from nimdesk.games.take.codes import HeapRule
from nimdesk.games.take.grundy_kernel import extend
from nimdesk.kernels.jit import first_use

_FIRST = 256
_MOST_VALUE = 1 << 12
_TAIL = 64
_BITS = 10
_Values = NDArray[np.uint16]


class Period(msgspec.Struct, frozen=True):
    """Values repeat every ``length`` from heap ``start`` on; if not ``proven``, only as far as they were computed."""

    length: int
    start: int
    proven: bool


class Sequence(msgspec.Struct, frozen=True):
    """The values of the heaps 0, 1, 2, …, and their period, None if none is seen.

    ``computed`` of them were worked out; the rest follow from the proven period. Do not write to ``values``.
    """

    values: _Values
    period: Period | None
    computed: int

    @property
    def period_words(self) -> str:
        """The period in a sentence, with whether it is proven."""
        period = self.period
        if period is None:
            return f"No period is seen up to heap {len(self.values) - 1:,}."
        where = f"from heap {period.start:,} on"
        if period.proven:
            return (
                f"Period {period.length:,} {where}, proven by the {self.computed:,} values worked out (Guy and Smith)."
            )
        return f"Period {period.length:,} {where}, as far as seen; a proof needs more values."

    def nim_sum(self, heaps: Iterable[int]) -> int:
        """The exclusive or of the values of these heaps: 0 where whoever is to move loses in normal play."""
        return reduce(xor, (int(self.values[heap]) for heap in heaps), 0)


def sequence(rule: HeapRule, most: int, wanted: Callable[[int], bool] = lambda done: True) -> Sequence:
    """The values of heaps up to ``most``.

    ``wanted`` is called now and then with the number of heaps done; if it returns False, the work ends.
    """
    known = _Heaps(rule, most)
    length, period = 0, None
    while length <= most and wanted(length):
        length = min(most + 1, max(_FIRST, length + min(length, 4096)))
        known.extend(length)
        period = _period(rule, known.values[:length])
        if period is not None and period.proven:
            break
    values = known.values[:length].copy()
    if period is not None and period.proven and length <= most:
        rest = np.arange(length, most + 1)
        values = np.concatenate((values, values[period.start + (rest - period.start) % period.length]))
    values.flags.writeable = False
    return Sequence(values, period, length)


@lru_cache(maxsize=32)
def small_sequence(rule: HeapRule) -> Sequence:
    """The values of heaps up to 1,023, within some hundredths of a second."""
    return sequence(rule, 1023)


class _Heaps:
    """Works out values one after the other."""

    def __init__(self, rule: HeapRule, most: int) -> None:
        self.values: _Values = np.zeros(most + 1, np.uint16)
        self._digits = np.array(rule.digits, np.int64)
        self._rare = np.zeros(most + 1, np.int64)
        self._seen = np.full(_MOST_VALUE, -1, np.int32)
        self._done = 1

    def extend(self, length: int) -> None:
        """Work out the values up to the heap before ``length``."""
        common = self._choose_bits()
        rare = np.flatnonzero(~common[self.values[1 : self._done]]) + 1
        self._rare[: len(rare)] = rare
        of_values = common.astype(np.uint8)
        run = partial(
            extend, self.values, self._done, length, self._digits, of_values, self._rare, len(rare), self._seen
        )
        first_use("take-grundy", (), run, _compile)
        if run() < 0:
            raise GameParameterError(f"Heaps below {length:,} have Grundy values of {_MOST_VALUE:,} and more.")
        self._done = length

    def _choose_bits(self) -> NDArray[np.bool_]:
        """Which values are common: by the bits with which the fewest heaps so far are rare."""
        counts = np.bincount(self.values[1 : self._done], minlength=2)
        parity = np.array([value.bit_count() & 1 for value in range(_MOST_VALUE)], np.bool_)
        found = np.arange(len(counts))
        of_all = range(1 << min(_BITS, len(counts).bit_length()))
        bits = max(of_all, key=lambda bits: int(counts[parity[found & bits]].sum()))
        common: NDArray[np.bool_] = parity[np.arange(_MOST_VALUE) & bits]
        return common


def _compile() -> None:
    """The work that ``first_use`` has done in another process."""
    _Heaps(HeapRule((0, 3)), 1).extend(2)


def _period(rule: HeapRule, values: _Values) -> Period | None:
    """The shortest period that is proven; otherwise one that the last half of the values shows twice."""
    last, largest = len(values) - 1, len(rule.digits) - 1
    tail = min(_TAIL, len(values) // 4)
    lengths = np.arange(1, last - tail)
    for back in range(tail):
        lengths = lengths[values[last - back - lengths] == values[last - back]]
    seen = None
    for length in lengths.tolist():
        differs = np.flatnonzero(values[length:] != values[:-length])
        start = int(differs[-1]) + 1 if len(differs) else 0
        if rule.splits or not rule.subtraction:
            start = max(1, start)
        until = 2 * start + length + largest if rule.splits else start + largest
        if until + length <= len(values):
            return Period(length, start, proven=True)
        if seen is None and start + 2 * length <= last and 2 * start <= last:
            seen = Period(length, start, proven=False)
    return seen
