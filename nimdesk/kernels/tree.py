"""The search tree as flat memory: 28 bytes a node, children side by side in blocks.

There are no parent pointers (a simulation keeps its path on a stack). A node's children stand in one block of 2, 4, 6,
8, 12, 16, 24, ... places that is moved to a larger one when it is full; blocks given back wait in a list for their
size, and are cut up where smaller ones are wanted.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import bits
from nimdesk.kernels.jit import inlined, kernel

NODE = np.dtype(
    [
        ("visits", np.uint32),
        ("score", np.uint32),  # half points of the side that moved here, summed over the visits
        ("first", np.int32),  # index of the first child; NO_BLOCK without one; in a free block the next free block
        ("best", np.int32),  # index of the child to select next, once all are there
        ("move", np.int16),  # code of the move that leads here
        ("children", np.int16),  # their number; from FULL on, all moves are there; or OVER - half points of the mover
    ]
)
NODE_BYTES = NODE.itemsize + 2 * 4
NO_BLOCK = -1
OVER = -1
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
    made = Tree(np.empty(size, NODE), *(np.empty(size + bits.LANES, np.float32) for _ in range(2)))
    made.nodes[0] = (0, 0, NO_BLOCK, NO_BLOCK, -1, 0)
    return made


def children(tree: Tree, node: int) -> slice:
    """Where the children of a node stand."""
    first, count = int(tree.nodes["first"][node]), int(tree.nodes["children"][node])
    return slice(first, first + (count & (FULL - 1))) if count > 0 else slice(0, 0)


@inlined
def block_size(which: int) -> int:
    """The places of a block of this class: 2, then 2 and 3 times the powers of two."""
    return 2 if which == 0 else (2 + ((which - 1) & 1)) << (((which - 1) >> 1) + 1)


@kernel
def block_class(count: int) -> int:
    """The smallest class of block that holds so many children."""
    which = 0
    while block_size(which) < count:
        which += 1
    return which


@inlined
def give_block(nodes: NDArray[Any], free: NDArray[np.int32], counts: NDArray[np.int64], block: int, which: int) -> None:
    """Put a block into the list for its size."""
    nodes[block].first = free[which]
    free[which] = block
    counts[BLOCKS_FREE] |= np.int64(1) << which


@inlined
def take_block(tree: Tree, free: NDArray[np.int32], counts: NDArray[np.int64], which: int) -> int:
    """A block of this class: one given back, a part of a larger one, or new memory (there must be enough)."""
    waiting = np.uint64(counts[BLOCKS_FREE] >> which)
    if waiting == 0:
        fresh = counts[USED]
        counts[USED] += block_size(which)
        return int(fresh)
    return _block_given_back(tree.nodes, free, counts, which, waiting)


@kernel
def _block_given_back(
    nodes: NDArray[Any], free: NDArray[np.int32], counts: NDArray[np.int64], which: int, waiting: np.uint64
) -> int:
    """A block that waits, or the first part of a larger one; ``waiting`` has a bit for each class from this one on."""
    found = which + int(np.int64(bits.lowest_bit(waiting)))
    block = int(free[found])
    free[found] = nodes[block].first
    if free[found] == NO_BLOCK:
        counts[BLOCKS_FREE] ^= np.int64(1) << found
    rest, left = block + block_size(which), block_size(found) - block_size(which)
    part = found
    while left > 0:
        while block_size(part) > left:
            part -= 1
        give_block(nodes, free, counts, rest, part)
        rest += block_size(part)
        left -= block_size(part)
    return block


@inlined
def move_node(source: Tree, at: int, target: Tree, to: int) -> None:
    """Copy one node."""
    target.nodes[to] = source.nodes[at]
    target.mean[to] = source.mean[at]
    target.inv_sqrt[to] = source.inv_sqrt[at]


@kernel
def enlarge_block(tree: Tree, free: NDArray[np.int32], counts: NDArray[np.int64], old: int, count: int) -> int:
    """Move so many children, which fill their block, to the next larger one."""
    which = block_class(count)
    new = take_block(tree, free, counts, which + 1)
    for i in range(count):
        move_node(tree, old + i, tree, new + i)
    give_block(tree.nodes, free, counts, old, which)
    return new


@inlined
def add_child(
    tree: Tree, free: NDArray[np.int32], counts: NDArray[np.int64], node: np.uint64, move: int, full: bool
) -> np.uint64:
    """Append a child without visits; its index. ``full`` says that it is the last one.

    There must be room for one more largest block.
    """
    count, first = int(tree.nodes[node].children), int(tree.nodes[node].first)
    if count == 0:
        first = take_block(tree, free, counts, 0)
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
        count, old = int(target.nodes[node].children), int(target.nodes[node].first)
        if count <= 0:
            target.nodes[node].first = NO_BLOCK
            continue
        count &= FULL - 1
        new = take_block(target, free, counts, block_class(count))
        target.nodes[node].first = new
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
