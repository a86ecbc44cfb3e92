"""The search tree as flat memory: 28 bytes a node, children side by side in blocks.

There are no parent pointers (a simulation keeps its path on a stack). A node's children stand in one block of 2, 4, 6,
8, 12, 16, 24, ... places that is moved to a larger one when it is full; the places given
back are joined with free ones beside them, wait in the list of the largest class that they hold, and are cut up where
less is wanted.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import bits
from nimdesk.kernels.jit import inlined, int64, kernel, part

NODE = np.dtype(
    [
        ("visits", np.uint32),  # in the first and the last of free places their number
        ("score", np.uint32),  # half points of the side that moved here, summed over the visits
        ("first", np.int32),  # index of the first child; NO_BLOCK without one; in free places the next in the list
        # Index of the child to select next, once all are there; before, the bits of the moves tried (``moves_fit``); in
        # a node without children a mark of its parent's (``pick_untried``); in free places the one before.
        ("best", np.int32),
        ("move", np.int16),  # code of the move that leads here
        # Their number; from FULL on, all moves are there. Or OVER - half points of the mover; or FREE.
        ("children", np.int16),
    ]
)
NODE_BYTES = NODE.itemsize + 2 * 4
NO_BLOCK = -1
OVER = -1
# In ``children`` of the first and the last of places that are free.
FREE = -(1 << 14)
FULL = 1 << 14
# Blocks of 2, 4, 6, 8, 12, ..., 512, 768: the last is wide enough for the moves of the largest Nim.
BLOCK_SIZES = 17
LARGEST_BLOCK = 768
# Slots of the counts that the functions below share with their callers.
USED, BLOCKS_FREE = 0, 1


class Tree(NamedTuple):
    """All nodes, of ``NODE``, and what selection reads of them in arrays of their own (float32, ``LANES`` longer).

    ``mean``: score / (2 * visits), the expected score in [0, 1] of the side that moved here; ``inv_sqrt``:
    1 / sqrt(visits).
    """

    nodes: NDArray[Any]
    mean: NDArray[np.float32]
    inv_sqrt: NDArray[np.float32]


def make_tree(size: int) -> Tree:
    """Memory for so many nodes; node 0 is there, without visits."""
    made = Tree(np.empty(size, NODE), np.empty(size + bits.LANES, np.float32), np.empty(size + bits.LANES, np.float32))
    made.nodes[:1] = _ROOT
    made.mean[: bits.LANES + 1] = made.inv_sqrt[: bits.LANES + 1] = 0.0
    return made


def children(tree: Tree, node: int) -> slice:
    """Where the children of a node stand."""
    first, count = int(tree.nodes["first"][node]), int(tree.nodes["children"][node])
    return slice(first, first + (count & (FULL - 1))) if count > 0 else slice(0, 0)


_ROOT = np.array([(0, 0, NO_BLOCK, 0, -1, 0)], NODE)


@inlined
def block_size(which: int) -> int:
    """The places of a block of this class: 2, then 2 and 3 times the powers of two."""
    return 2 if which == 0 else (2 + ((which - 1) & 1)) << (((which - 1) >> 1) + 1)


@part
def block_class(count: int) -> int:
    """The smallest class of block that holds so many children."""
    which = int64(0)
    while block_size(which) < count:
        which += 1
    return which


@part
def _class_within(size: int) -> int:
    """The largest class of block that so many places hold."""
    which = int64(0)
    while which < BLOCK_SIZES - 1 and block_size(which + 1) <= size:
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
        counts[BLOCKS_FREE] ^= np.int64(1) << which


@part
def _give_places(
    nodes: NDArray[Any], free: NDArray[np.int32], counts: NDArray[np.int64], block: int, size: int
) -> None:
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
    counts[BLOCKS_FREE] |= np.int64(1) << which
    nodes[block].visits = nodes[last].visits = size
    nodes[block].children = nodes[last].children = FREE


@inlined
def take_block(tree: Tree, free: NDArray[np.int32], counts: NDArray[np.int64], which: int) -> int:
    """A block of this class: of the free places, or new memory (there must be enough)."""
    waiting = np.uint64(counts[BLOCKS_FREE] >> which)
    size = block_size(which)
    if waiting == 0:
        block = counts[USED]
        counts[USED] = block + size
        # Whoever reads the last node reads so far beyond it, and sums of what happened to be in memory can be slow.
        for i in range(block + bits.LANES, block + bits.LANES + size):
            tree.mean[np.uint64(i)] = tree.inv_sqrt[np.uint64(i)] = 0.0
    else:
        block = _free_places(tree.nodes, free, counts, size, which + int64(bits.lowest_bit(waiting)))
    # Whatever was there before, the last place does not look free to a neighbour, even while it has no child.
    tree.nodes[block + size - 1].children = 0
    return int64(block)


@part
def _free_places(nodes: NDArray[Any], free: NDArray[np.int32], counts: NDArray[np.int64], size: int, which: int) -> int:
    """The first part of a free block from the list of this class, which is long enough; the rest stays free."""
    block = int64(free[which])
    there = int64(nodes[block].visits)
    _unlist(nodes, free, counts, block)
    # No longer free, or the rest would be joined with it again.
    nodes[block + size - 1].children = 0
    if there > size:
        _give_places(nodes, free, counts, block + size, there - size)
    return block


@inlined
def move_node(source: Tree, at: int, target: Tree, to: int) -> None:
    """Copy one node."""
    old, new = np.uint64(at), np.uint64(to)
    target.nodes[new] = source.nodes[old]
    target.mean[new] = source.mean[old]
    target.inv_sqrt[new] = source.inv_sqrt[old]


@part
def enlarge_block(tree: Tree, free: NDArray[np.int32], counts: NDArray[np.int64], old: int, count: int) -> int:
    """Move so many children, which fill their block, to the next larger one."""
    which = block_class(count)
    new = take_block(tree, free, counts, which + 1)
    for i in range(count):
        move_node(tree, old + i, tree, new + i)
    _give_places(tree.nodes, free, counts, old, count)
    return new


@inlined
def add_child(
    tree: Tree, free: NDArray[np.int32], counts: NDArray[np.int64], node: np.uint64, move: int, full: bool
) -> np.uint64:
    """Append a child without visits; its index. ``full`` says that it is the last one.

    There must be room for one more largest block.
    """
    count, first = int64(tree.nodes[node].children), int64(tree.nodes[node].first)
    if count == 0:
        first = take_block(tree, free, counts, int64(0))
        tree.nodes[node].first = first
    elif _fills_block(count):
        first = enlarge_block(tree, free, counts, first, count)
        tree.nodes[node].first = first
    child = np.uint64(first + count)
    tree.nodes[node].children = count + 1 + (FULL if full else 0)
    clear(tree, child, move)
    return child


@inlined
def _fills_block(count: int) -> bool:
    """Whether there are blocks of this size: 2, and from 4 on 2 and 3 times the powers of two."""
    rest = count & (count - 1)
    return count & 1 == 0 and (rest == 0 or rest == 2 * (count - rest))


@inlined
def clear(tree: Tree, node: np.uint64, move: int) -> None:
    """Make the place a node without visits and without children."""
    tree.nodes[node].visits = 0
    tree.nodes[node].score = 0
    tree.nodes[node].first = NO_BLOCK
    tree.nodes[node].best = 0
    tree.nodes[node].move = move
    tree.nodes[node].children = 0


@kernel
def copy_subtree(
    source: Tree, root: int, target: Tree, free: NDArray[np.int32], counts: NDArray[np.int64], todo: NDArray[np.int32]
) -> int:
    """Copy the part of the tree below ``root`` into an empty tree, where it becomes node 0; the number of nodes.

    ``target`` is as long as ``source``; ``free`` and ``counts`` are those of an empty tree; ``todo`` (scratch) has room
    for every node.
    """
    move_node(source, root, target, 0)
    target.nodes[0].move = -1
    copied, waiting = 1, 1
    todo[0] = 0
    while waiting > 0:
        waiting -= 1
        node = todo[waiting]
        count, old = int64(target.nodes[node].children), int64(target.nodes[node].first)
        if count <= 0:
            target.nodes[node].first = NO_BLOCK
            continue
        full = count >= FULL
        count &= FULL - 1
        new = take_block(target, free, counts, block_class(count))
        target.nodes[node].first = new
        if full:
            target.nodes[node].best += new - old
        for i in range(count):
            move_node(source, old + i, target, new + i)
            todo[waiting] = new + i
            waiting += 1
        copied += count
    return copied


@kernel
def principal_variations(nodes: NDArray[Any], out: NDArray[np.int16]) -> None:
    """For each root child in the order of the block, follow the most visits; rows of move codes, ended by -1.

    ``out`` is (children of the root, longest line).
    """
    for i in range(out.shape[0]):
        node = nodes[0].first + i
        depth = 0
        while depth < out.shape[1]:
            out[i, depth] = nodes[node].move
            depth += 1
            if nodes[node].children <= 0:
                break
            best = nodes[node].first
            for child in range(best + 1, best + (nodes[node].children & (FULL - 1))):
                if nodes[child].visits > nodes[best].visits:
                    best = child
            node = best
        if depth < out.shape[1]:
            out[i, depth] = -1
