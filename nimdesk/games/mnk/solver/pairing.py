"""Pairs of empty cells with which a defender spoils all lines that an attacker could complete.

A line is a word: its empty cells. If each line holds both cells of some *pair*, and no two pairs share a cell, the
attacker never completes one: whenever it marks a cell of a pair, the defender marks the other (Hales and Jewett,
Regularity and positional games, 1963). Lines of one row, column or diagonal may share a pair: they are put together in
a *bundle* for as long as they have two cells in common. Each bundle then gets two cells of its own, as far as
augmenting paths lead to them.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels.jit import inlined, part
from nimdesk.kernels.memory.bits import lowest_bit

Words = NDArray[np.uint64]
Longs = NDArray[np.int64]

_ZERO, _ONE = np.uint64(0), np.uint64(1)


class Pairing(NamedTuple):
    """Working values; all but ``owner`` have one for each bundle.

    ``common`` (cells) is what its lines have in common, ``given`` (cells) what it got of that, ``owner`` the bundle
    that got the cell. On the way along augmenting paths, ``queue`` are the bundles asked for a cell, each with the
    cell it was ``asked_for`` and the bundle that is its ``asker``.
    """

    common: Words
    given: Words
    owner: Longs
    queue: Longs
    asked_for: Words
    asker: Longs


def new_pairing(lines: int) -> Pairing:
    """Room for so many lines."""
    words, numbers = np.zeros((3, lines), np.uint64), np.zeros((2, lines), np.int64)
    return Pairing(words[0], words[1], np.zeros(64, np.int64), numbers[0], words[2], numbers[1])


@inlined
def lowest(cells: Any) -> Any:
    """The lowest cell as a word."""
    return cells & (~cells + _ONE)


@inlined
def number(cell: Any) -> Any:
    """The number of the lowest cell."""
    return np.int64(lowest_bit(cell))


@part
def _augment(p: Pairing, bundles: int, bundle: int, free: Any) -> Any:
    """Get the bundle one cell more, if there is a way; return what is free then."""
    queue, common, given, asked_for = p.queue, p.common, p.given, p.asked_for
    for i in range(bundles):
        asked_for[i] = _ZERO
    queue[0] = bundle
    head, tail, seen = 0, 1, _ZERO
    while head < tail:
        each = queue[head]
        head += 1
        wanted = common[each] & ~given[each] & ~seen
        cell = lowest(wanted & free)
        if cell != _ZERO:
            free = free ^ cell
            while True:
                given[each] |= cell
                p.owner[number(cell)] = each
                if each == bundle:
                    return free
                cell = asked_for[each]
                given[each] ^= cell
                each = p.asker[each]
        seen |= wanted
        while wanted != _ZERO:
            cell = lowest(wanted)
            wanted ^= cell
            other = p.owner[number(cell)]
            if other != bundle and asked_for[other] == _ZERO:
                asked_for[other], p.asker[other] = cell, each
                queue[tail] = other
                tail += 1
    return free


@part
def missing_cells(p: Pairing, lines: Any, names: Any, tracks: Any, count: int) -> int:
    """How many cells are missing for a pairing of the first ``count`` lines; at 0, ``given`` has the pairs, then zeros.

    ``names`` are the numbers of the lines, which ascend; ``tracks``, by name, number the rows, columns and diagonals.
    """
    bundles, last, free = 0, np.int64(-1), _ZERO
    for i in range(count):
        free |= lines[i]
        both = p.common[bundles - 1] & lines[i] if tracks[names[i]] == last else _ZERO
        if both & (both - _ONE) != _ZERO:
            p.common[bundles - 1] = both
        else:
            last = tracks[names[i]]
            p.common[bundles], p.given[bundles] = lines[i], _ZERO
            bundles += 1
    missing = 2 * bundles
    for bundle in range(bundles):
        for _ in range(2):
            before = free
            free = _augment(p, bundles, bundle, free)
            if free == before:
                break
            missing -= 1
    for bundle in range(bundles, p.given.size):
        p.given[bundle] = _ZERO
    return missing
