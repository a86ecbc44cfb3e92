"""The search tree as flat memory: one structured array of 32-byte nodes, children side by side in blocks.

There are no parent pointers (a simulation keeps its path on a stack). A node's children stand in one block of 4, 8,
16, ... places that is moved to a larger one when it is full; blocks given back wait in a list for their size.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels.jit import inlined, kernel

NODE = np.dtype(
    [
        ("mean", np.float64),  # score / (2 * visits): expected score in [0, 1] of the side that moved here
        ("inv_sqrt", np.float64),  # 1 / sqrt(visits)
        ("visits", np.uint32),
        ("score", np.uint32),  # half points of the side that moved here, summed over the visits
        ("first", np.int32),  # index of the first child; NO_BLOCK without one; in a free block the next free block
        ("move", np.int16),  # code of the move that leads here
        ("children", np.int16),  # number of children, or OVER - half points of the mover for a finished game
    ]
)
NO_BLOCK = -1
OVER = -1
SMALLEST_BLOCK = 4
# Blocks of 4, 8, ..., 1024: the last is wide enough for the 768 moves of the largest Nim.
BLOCK_SIZES = 9
LARGEST_BLOCK = SMALLEST_BLOCK << (BLOCK_SIZES - 1)

Tree = NDArray[Any]


@kernel
def block_class(children: int) -> int:
    """Which size of block holds this many children."""
    size, which = SMALLEST_BLOCK, 0
    while size < children:
        size *= 2
        which += 1
    return which


@kernel
def take_block(tree: Tree, free: NDArray[np.int32], used: NDArray[np.int64], which: int) -> int:
    """A block of this size class: one given back, or new memory (the caller has made sure that there is enough)."""
    block = free[which]
    if block != NO_BLOCK:
        free[which] = tree[block].first
        return int(block)
    fresh = used[0]
    used[0] += SMALLEST_BLOCK << which
    return int(fresh)


@kernel
def add_child(tree: Tree, free: NDArray[np.int32], used: NDArray[np.int64], node: int, move: int) -> int:
    """Append a child without visits to the node; its index. There must be room for one more largest block."""
    count = tree[node].children
    if count == 0:
        tree[node].first = take_block(tree, free, used, 0)
    elif count >= SMALLEST_BLOCK and count & (count - 1) == 0:
        which = block_class(count)
        old, new = tree[node].first, take_block(tree, free, used, which + 1)
        for i in range(count):
            tree[new + i] = tree[old + i]
        tree[old].first = free[which]
        free[which] = old
        tree[node].first = new
    child = int(tree[node].first + count)
    tree[node].children = count + 1
    clear(tree, child, move)
    return child


@inlined
def clear(tree: Tree, node: int, move: int) -> None:
    """Make the place a node without visits and without children."""
    tree[node].mean = 0.0
    tree[node].inv_sqrt = 0.0
    tree[node].visits = 0
    tree[node].score = 0
    tree[node].first = NO_BLOCK
    tree[node].move = move
    tree[node].children = 0


@kernel
def copy_subtree(
    source: Tree, root: int, target: Tree, free: NDArray[np.int32], used: NDArray[np.int64], todo: NDArray[np.int32]
) -> int:
    """Copy the part of the tree below ``root`` into an empty tree, where it becomes node 0; the number of nodes.

    ``target`` is as long as ``source``; ``free`` and ``used`` are those of an empty tree; ``todo`` (scratch) has room
    for every node.
    """
    target[0] = source[root]
    target[0].move = -1
    nodes, waiting = 1, 1
    todo[0] = 0
    while waiting > 0:
        waiting -= 1
        node = todo[waiting]
        count, old = target[node].children, target[node].first
        if count <= 0:
            target[node].first = NO_BLOCK
            continue
        new = take_block(target, free, used, block_class(count))
        target[node].first = new
        for i in range(count):
            target[new + i] = source[old + i]
            todo[waiting] = new + i
            waiting += 1
        nodes += count
    return nodes


@kernel
def principal_variations(tree: Tree, out: NDArray[np.int16]) -> None:
    """For each root child in the order of the block, follow the most visits; rows of move codes, ended by -1.

    ``out`` is (children of the root, longest line).
    """
    for i in range(tree[0].children):
        node = tree[0].first + i
        depth = 0
        while depth < out.shape[1]:
            out[i, depth] = tree[node].move
            depth += 1
            if tree[node].children <= 0:
                break
            best = tree[node].first
            for child in range(best + 1, best + tree[node].children):
                if tree[child].visits > tree[best].visits:
                    best = child
            node = best
        if depth < out.shape[1]:
            out[i, depth] = -1
