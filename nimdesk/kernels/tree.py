"""The search tree as flat memory: 28 bytes a node, or 7 to 28 while a sibling is missing.

There are no parent pointers (a simulation keeps its path on a stack). The children of a node stand side by side, once
they are all there; before, the node has a list of the moves ``tried``. So most of the tree, which is its outermost
moves, takes little room, and more of it stays in the processor's caches.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import places
from nimdesk.kernels.jit import inlined, int64, kernel, part
from nimdesk.kernels.memory import bits
from nimdesk.kernels.places import (
    CODE,
    ENTRIES,
    FULL,
    NO_BLOCK,
    NODE,
    OVER,
    OVER_BIT,
    SCORE,
    code_of,
    entries_of,
    is_over,
    score_of,
)

NODE_BYTES = NODE.itemsize + 2 * 4


class Tree(NamedTuple):
    """All places, and what selection reads of nodes in an array of its own.

    ``bounds`` (float32, two a place and ``LANES`` more) has a part from 2 * ``first`` on for each node with all its
    children: for each of them score / (2 * visits), the expected score in [0, 1] of the side that moved there, and
    behind those for each 1 / sqrt(visits). So a simulation finds most of a level in one place.
    """

    nodes: NDArray[Any]
    bounds: NDArray[np.float32]


_ROOT = np.array([(0, 0, NO_BLOCK, 0, -1, 0)], NODE)


def make_tree(size: int) -> Tree:
    """Memory for so many places; node 0 is there, without visits."""
    # Vectors that read the last bounds read beyond them; arbitrary bits there may be numbers that are slow to add.
    made = Tree(np.empty(size, NODE), np.zeros(2 * size + bits.LANES, np.float32))
    made.nodes[:1] = _ROOT
    return made


def children(tree: Tree, node: int) -> NDArray[Any]:
    """The children of a node, as records of ``NODE``; made from the list of the moves tried while there is one."""
    first, count = int(tree.nodes["first"][node]), int(tree.nodes["children"][node])
    if count >= FULL:
        return tree.nodes[first : first + count - FULL]
    made = np.zeros(max(count, 0), NODE)
    if count > 0:
        listed = tree.nodes[first : first + -(-count // ENTRIES)]
        entries = listed.view(np.uint16).reshape(len(listed), -1)[:, :ENTRIES].ravel()[:count]
        score = entries >> SCORE & 3
        made["visits"], made["score"], made["first"], made["move"] = 1, score, NO_BLOCK, entries & CODE
        made["children"] = np.where(entries & OVER_BIT, OVER - score.astype(np.int16), 0)
    return made


def child(tree: Tree, node: int, move: int) -> int | None:
    """Where the child behind this move stands; None if it is in a list of moves tried, or was never tried."""
    first, count = int(tree.nodes["first"][node]), int(tree.nodes["children"][node]) - FULL
    found = np.flatnonzero(tree.nodes["move"][first : first + max(count, 0)] == move)
    return first + int(found[0]) if len(found) else None


@inlined
def add_tried(tree: Tree, free: NDArray[np.int32], counts: NDArray[np.int64], node: np.uint64, entry: int) -> None:
    """Append the entry of a move to the list of a node; others are still untried.

    There must be room for one more largest block.
    """
    count, first = int64(tree.nodes[node].children), int64(tree.nodes[node].first)
    if count & (ENTRIES - 1) == 0 and (count == 0 or places.is_class_size(count // ENTRIES)):
        if count == 0:
            first = places.take(tree.nodes, free, counts, int64(1))
        else:
            first = _enlarge_list(tree.nodes, free, counts, first, count // ENTRIES)
        tree.nodes[node].first = first
    tree.nodes[node].children = count + 1
    entries_of(tree.nodes, first)[count] = entry


@inlined
def _list_size(count: int) -> int:
    """The places of a list of so many moves."""
    return int64(places.class_size(places.class_for((count + ENTRIES - 1) // ENTRIES)))


@part
def _enlarge_list(nodes: NDArray[Any], free: NDArray[np.int32], counts: NDArray[np.int64], old: int, size: int) -> int:
    """Move a list that fills its places, which are a class, to the next larger one."""
    new = places.take(nodes, free, counts, places.class_size(places.class_for(size) + 1))
    for i in range(size):
        nodes[new + i] = nodes[old + i]
    places.give(nodes, free, counts, old, size)
    return new


@part
def add_last(tree: Tree, free: NDArray[np.int32], counts: NDArray[np.int64], node: np.uint64, entry: int) -> None:
    """Make children of the moves of the list and of this entry, which is the last."""
    count, old = int64(tree.nodes[node].children), int64(tree.nodes[node].first)
    every = count + 1
    first = places.take(tree.nodes, free, counts, every)
    entries = entries_of(tree.nodes, old)
    for i in range(every):
        each = int64(entries[i]) if i < count else int64(entry)
        half_points, child = score_of(each), np.uint64(first + i)
        tree.nodes[child].visits, tree.nodes[child].score = 1, half_points
        tree.nodes[child].first, tree.nodes[child].best = NO_BLOCK, 0
        tree.nodes[child].move, tree.nodes[child].children = code_of(each), (OVER - half_points if is_over(each) else 0)
        tree.bounds[np.uint64(2 * first + i)] = np.float32(0.5) * np.float32(half_points)
        tree.bounds[np.uint64(2 * first + every + i)] = np.float32(1.0)
    tree.nodes[node].first, tree.nodes[node].children = first, FULL + every
    if count > 0:
        places.give(tree.nodes, free, counts, old, _list_size(count))


@inlined
def set_bound(tree: Tree, node: np.uint64, child: np.uint64, mean: np.float32, inv_sqrt: np.float32) -> None:
    """Write down what selection reads of a child of a node that has all its children."""
    at = np.uint64(tree.nodes[node].first) + child
    tree.bounds[at] = mean
    tree.bounds[at + np.uint64(tree.nodes[node].children - FULL)] = inv_sqrt


@kernel
def copy_subtree(
    source: Tree, root: int, target: Tree, free: NDArray[np.int32], counts: NDArray[np.int64], todo: NDArray[np.int32]
) -> int:
    """Copy the part of the tree below ``root`` into an empty tree, where it becomes node 0; the number of nodes.

    ``target`` is as long as ``source``; ``free`` and ``counts`` are those of an empty tree; ``todo`` (scratch) has room
    for every node.
    """
    target.nodes[0] = source.nodes[root]
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
        copied += count
        size = count if full else _list_size(count)
        new = places.take(target.nodes, free, counts, size)
        for i in range(size):
            target.nodes[new + i] = source.nodes[old + i]
        target.nodes[node].first = new
        if full:
            target.nodes[node].best += new - old
            for i in range(2 * count):
                target.bounds[2 * new + i] = source.bounds[2 * old + i]
            for i in range(count):
                todo[waiting] = new + i
                waiting += 1
    return copied


@kernel
def principal_variations(nodes: NDArray[Any], out: NDArray[np.int16]) -> None:
    """For each root child in their order, follow the most visits; rows of move codes, ended by -1.

    ``out`` is (children of the root, longest line).
    """
    for i in range(out.shape[0]):
        node, place, depth = int64(0), i, 0
        while depth < out.shape[1]:
            if nodes[node].children < FULL:
                out[i, depth] = code_of(entries_of(nodes, int64(nodes[node].first))[place])
                depth += 1
                break
            node = int64(nodes[node].first) + place
            out[i, depth] = nodes[node].move
            depth += 1
            if nodes[node].children <= 0:
                break
            place = _most_visited(nodes, node)
        if depth < out.shape[1]:
            out[i, depth] = -1


@inlined
def _most_visited(nodes: NDArray[Any], node: int) -> int:
    """Which child has the most visits, the first one among equals, as all are in a list."""
    first, best = int64(nodes[node].first), int64(0)
    for i in range(nodes[node].children - FULL):
        if nodes[first + i].visits > nodes[first + best].visits:
            best = int64(i)
    return best
