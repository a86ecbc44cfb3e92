"""The places of a search tree: an array of records, of which blocks are taken and given back; and lists in them.

Blocks given back are joined with free ones beside them, wait in the list of the largest class that they hold, and are
cut up where less is wanted. Classes have 1, 2, 3, 4, 6, 8, 12, 16, 24, ... places.

A block holds the children of a node, once they are all there. Before, it holds the list of the moves *tried*, while
there are others that are not. Nobody selects among them yet, so each has been visited just once, by the simulation that
tried it: an entry (uint16) is all there is to know. Its lowest ten bits are the move's code, the next two the half
points of the side that made the move, and one more says that the game was over. Beside the entries stand marks (int32),
which belong to the rules.
"""

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numpy.typing import NDArray

from nimdesk.kernels.jit import inlined, int64, intrinsic, part
from nimdesk.kernels.memory import bits
from nimdesk.kernels.memory.arrays import Bare, bare_at, size_of, unchecked_place

# A node; or a part of a list of the moves ``tried`` in one, whose last two fields stay what they are.
NODE = np.dtype(
    [
        ("visits", np.uint32),  # in the first and the last of free places their number
        ("score", np.uint32),  # half points of the side that moved here, summed over the visits
        # Index of the first child, or of the list of moves tried; NO_BLOCK without either; in free places the next in
        # the list.
        ("first", np.int32),
        # Index of the child to select next, once all are there; before, the bits of the moves tried (``moves_fit``); in
        # free places the one before.
        ("best", np.int32),
        ("move", np.int16),  # code of the move that leads here
        # Their number; from FULL on, all moves are there. Or OVER - half points of the mover; or FREE.
        ("children", np.int16),
    ]
)
NO_BLOCK = -1
OVER = -1
# In ``children`` of the first and the last of places that are free.
FREE = -(1 << 14)
FULL = 1 << 14
# Classes of 1, 2, 3, 4, 6, ..., 512, 768: the last is wide enough for the moves of the largest Nim.
CLASSES = 19
LARGEST_BLOCK = 768
# Slots of the counts that the functions below share with their callers.
USED, CLASSES_FREE = 0, 1


@inlined
def class_size(which: int) -> int:
    """The places of this class: 1, then 2 and 3 times the powers of two."""
    return 1 if which == 0 else (2 + ((which - 1) & 1)) << ((which - 1) >> 1)


@part
def class_for(count: int) -> int:
    """The smallest class that holds so many places."""
    which = int64(0)
    while class_size(which) < count:
        which += 1
    return which


@inlined
def is_class_size(count: int) -> bool:
    """Whether there is a class of this size."""
    rest = count & (count - 1)
    return rest == 0 or rest == 2 * (count - rest)


@part
def _class_within(size: int) -> int:
    """The largest class that so many places hold."""
    which = int64(0)
    while which < CLASSES - 1 and class_size(which + 1) <= size:
        which += 1
    return which


@part
def _unlist(nodes: NDArray[Any], free: NDArray[np.int32], counts: NDArray[np.int64], block: int) -> None:
    """Take free places out of their list."""
    which = _class_within(int64(nodes[block].visits))
    before, after = nodes[block].best, nodes[block].first
    if after != NO_BLOCK:
        nodes[after].best = before
    if before != NO_BLOCK:
        nodes[before].first = after
        return
    free[which] = after
    if after == NO_BLOCK:
        counts[CLASSES_FREE] ^= np.int64(1) << which


@part
def give(nodes: NDArray[Any], free: NDArray[np.int32], counts: NDArray[np.int64], block: int, size: int) -> None:
    """Free these places; together with the free ones on either side they are one block again."""
    after = block + size
    if after < counts[USED] and nodes[after].children == FREE:
        _unlist(nodes, free, counts, after)
        size += int64(nodes[after].visits)
    if nodes[block - 1].children == FREE:
        before = int64(nodes[block - 1].visits)
        block -= before
        size += before
        _unlist(nodes, free, counts, block)
    if block + size == counts[USED]:
        counts[USED] = block
        return
    which = _class_within(size)
    head, last = free[which], block + size - 1
    nodes[block].first, nodes[block].best = head, NO_BLOCK
    if head != NO_BLOCK:
        nodes[head].best = block
    free[which] = block
    counts[CLASSES_FREE] |= np.int64(1) << which
    nodes[block].visits = nodes[last].visits = size
    nodes[block].children = nodes[last].children = FREE


@part
def take(nodes: NDArray[Any], free: NDArray[np.int32], counts: NDArray[np.int64], size: int) -> int:
    """So many places side by side: free ones, or new memory, of which there must be enough."""
    which = class_for(size)
    waiting = np.uint64(counts[CLASSES_FREE] >> which)
    if waiting == 0:
        block = int64(counts[USED])
        counts[USED] = block + size
    else:
        block = _take_free(nodes, free, counts, size, which + int64(bits.lowest_bit(waiting)))
    # Whatever was there before, the ends do not look free to a neighbour, even while nothing stands there.
    nodes[block].children = nodes[block + size - 1].children = 0
    return block


@part
def _take_free(nodes: NDArray[Any], free: NDArray[np.int32], counts: NDArray[np.int64], size: int, which: int) -> int:
    """The first part of a free block from the list of this class, which is long enough; the rest stays free."""
    block = int64(free[which])
    there = int64(nodes[block].visits)
    _unlist(nodes, free, counts, block)
    # No longer free, or the rest would be joined with it again.
    nodes[block + size - 1].children = 0
    if there > size:
        give(nodes, free, counts, block + size, there - size)
    return block


# In each of the places of a list, which are records of ``NODE``: entries in the room of the fields ``visits``
# and ``score``, marks in that of ``first`` and ``best``.
ENTRIES, MARKS = 4, 2
CODE = (1 << 10) - 1
SCORE, OVER_BIT = 10, 1 << 12


@inlined
def entry_of(move: int, score: int, over: bool) -> int:
    """The entry of a move with this code, which led to so many half points for the side that made it."""
    return int64(move | score << SCORE | (OVER_BIT if over else 0))


@inlined
def code_of(entry: int) -> int:
    """The code of an entry's move."""
    return int64(entry) & CODE


@inlined
def score_of(entry: int) -> int:
    """The half points of an entry."""
    return int64(entry) >> SCORE & 3


@inlined
def is_over(entry: int) -> bool:
    """Whether the move of an entry ended the game."""
    return bool(int64(entry) & OVER_BIT != 0)


def _groups(nodes: Any, field: str, dtype: Any, group: int) -> tuple[Any, Any]:
    """The signature, and what generates the code, of a function that finds a part of the places from one on."""
    record = nodes.dtype
    column = Bare(dtype, 1, record.size, group)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        i64 = ir.IntType(64)
        # An empty list begins nowhere.
        at = builder.bitcast(unchecked_place(context, builder, nodes, *args), ir.IntType(8).as_pointer())
        at = builder.gep(at, [i64(record.offset(field))])
        left = builder.sub(size_of(context, builder, nodes, args[0]), args[1])
        left = builder.select(builder.icmp_signed("<", args[1], i64(0)), i64(0), left)
        return bare_at(context, builder, column, at, [builder.mul(left, i64(group))])

    return column(nodes, types.int64), generate


@intrinsic
def entries_of(typing_context: Any, nodes: Any, first: Any) -> Any:
    """The entries of the list that begins in this place; their number is not known."""
    return _groups(nodes, "visits", types.uint16, ENTRIES)


@intrinsic
def marks_of(typing_context: Any, nodes: Any, first: Any) -> Any:
    """The marks of the same list."""
    return _groups(nodes, "first", types.int32, MARKS)
