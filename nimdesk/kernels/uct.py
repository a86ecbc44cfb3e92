"""UCT (Kocsis and Szepesvári, 2006) as one kernel, compiled for each game.

A simulation descends while the node has no untried move, by the largest ``mean + c * sqrt(ln N / n)`` (the first one
among equals, in single precision); expands one untried move, chosen at random; plays random moves to the end; and
backs the result up.
"""

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import random as rng
from nimdesk.kernels import rules, tree
from nimdesk.kernels.jit import inlined, int64, kernel, part
from nimdesk.kernels.memory import bits
from nimdesk.kernels.places import FULL, LARGEST_BLOCK, OVER, code_of, entries_of, entry_of, marks_of, score_of
from nimdesk.kernels.rules import ONGOING, WIN

# Roots of numbers below are looked up, of others worked out.
TABLE_SIZE = 1 << 20
# Slots of ``Search.counts``; the first two are the tree's.
USED, CLASSES_FREE, NODES, ITERATIONS, TRACE_ROWS, DEPTH = 0, 1, 2, 3, 4, 5
# Simulations that were played out, and did not end in a finished game in the tree.
PLAYOUTS = 6
# The code of the move that the last simulation tried for the first time; or NO_MOVE.
ADDED = 7
NO_MOVE = -1
# Why ``run`` came back.
DONE, NEEDS_MEMORY = 0, 1


# What a simulation under way knows of each node on its path.
LEVEL = np.dtype(
    [
        ("node", np.uint32),
        ("factor", np.float32),  # c * sqrt(ln N), N with this visit
        ("rival", np.int64),  # the best of the children that are not on the path, as a key of ``bits``
    ]
)


class Path(NamedTuple):
    """What the way down and the way up read.

    ``exploration`` is c. ``roots`` (float32, 2 x ``TABLE_SIZE``) hold sqrt(ln N) and 1 / sqrt(n) for small numbers;
    ``levels`` (of ``LEVEL``) is scratch for the simulation under way, as long as the longest game.
    """

    exploration: np.float32
    roots: NDArray[np.float32]
    levels: NDArray[Any]


class Record(NamedTuple):
    """Checkpoints: at the iterations ``at`` (int64, T) the root's statistics go into a row.

    ``visits`` and ``score`` (half points of the side to move): uint32, T x L; ``column_of`` (int32) maps a move's code
    to its column; ``playouts`` and ``nodes`` (int64, T) are those made by then.
    """

    at: NDArray[np.int64]
    visits: NDArray[np.uint32]
    score: NDArray[np.uint32]
    playouts: NDArray[np.int64]
    nodes: NDArray[np.int64]
    column_of: NDArray[np.int32]


class Search(NamedTuple):
    """Everything of one search but the rules and the tree.

    ``counts`` (int64) has the named slots above, ``random`` (uint64, 1) the generator, ``free`` (int32) the heads of
    the lists of free blocks.
    """

    counts: NDArray[np.int64]
    random: NDArray[np.uint64]
    free: NDArray[np.int32]
    path: Path
    record: Record


@inlined
def _factor(p: Path, visits: np.uint32) -> np.float32:
    """c * sqrt(ln N)."""
    return np.float32(p.exploration * (p.roots[0, visits] if visits < TABLE_SIZE else np.float32(sqrt(log(visits)))))


@inlined
def _largest_bound(t: tree.Tree, node: np.uint64, factor: np.float32, without: int) -> int:
    """The key of the first child with the largest mean + c * sqrt(ln N / n), but for the one in place ``without``."""
    first, count = np.uint64(t.nodes[node].first), np.uint64(t.nodes[node].children - FULL)
    return int64(bits.first_largest(t.bounds, first, count, factor, without))


@inlined
def _prepare(p: Path, t: tree.Tree, node: np.uint64) -> None:
    """Write down the child to select next in a node that has just got its last child; that visit is not counted yet."""
    factor = _factor(p, t.nodes[node].visits + np.uint32(1))
    t.nodes[node].best = bits.place_of(_largest_bound(t, node, factor, -1))


@inlined
def _weigh(p: Path, t: tree.Tree, node: np.uint64, child: np.uint64, depth: int) -> None:
    """Find, before the result is known, the rival of the child that the simulation at this depth goes on to."""
    # A node's bounds change only when it is visited, and all but one of them without regard to the result: they are
    # computed here, while the way down waits for memory, and nothing but one comparison is left for the way up.
    factor = _factor(p, t.nodes[node].visits + np.uint32(1))
    without = int64(child) - int64(t.nodes[node].first)
    level = np.uint64(depth)
    p.levels[level].factor = factor
    p.levels[level].rival = _largest_bound(t, node, factor, without)


@inlined
def _settle(
    p: Path, t: tree.Tree, node: np.uint64, child: np.uint64, depth: int, mean: np.float32, inv_sqrt: np.float32
) -> None:
    """Write down the child to select next: ``child``, with its new statistics, or its rival."""
    level = np.uint64(depth)
    ours, rival = bits.key(mean + p.levels[level].factor * inv_sqrt, child), p.levels[level].rival
    t.nodes[node].best = bits.place_of(ours if ours > rival else rival)


@inlined
def _pick(r: Any, t: tree.Tree, node: np.uint64, random: np.uint64) -> int:
    """A random untried move of the node, which is the working position; ``random`` is a stepped state."""
    children = t.nodes[node].children
    if rules.moves_fit(r):
        # The list need not be looked at, which may be far away in memory.
        marked = np.uint64(np.uint32(t.nodes[node].best))
        move, marked = rules.pick_unmarked(r, marked, children, random)
        t.nodes[node].best = np.int32(marked)
        return int64(move)
    first = int64(t.nodes[node].first)
    return int64(rules.pick_untried(r, entries_of(t.nodes, first), marks_of(t.nodes, first), children, random))


@inlined
def _backup(p: Path, t: tree.Tree, depth: int, score: int) -> None:
    """Add half points along the path; ``score`` is that of the side that moved into the last node, at this depth."""
    before = np.uint64(0)
    mine = np.uint32(score if depth & 1 == 0 else 2 - score)
    for i in range(depth + 1):
        node = np.uint64(p.levels[np.uint64(i)].node)
        visits = t.nodes[node].visits + np.uint32(1)
        total = t.nodes[node].score + mine
        t.nodes[node].visits = visits
        t.nodes[node].score = total
        if i > 0:
            mean = np.float32(int64(total)) / (np.float32(2.0) * np.float32(int64(visits)))
            inv_sqrt = p.roots[1, visits] if visits < TABLE_SIZE else np.float32(1.0 / sqrt(visits))
            tree.set_bound(t, before, node, mean, inv_sqrt)
            _settle(p, t, before, node, i - 1, mean, inv_sqrt)
        mine = np.uint32(2) - mine
        before = node


@part
def _record(record: Record, counts: NDArray[np.int64], t: tree.Tree) -> None:
    row, first, count = counts[TRACE_ROWS], int64(t.nodes[0].first), int64(t.nodes[0].children)
    if count < FULL:
        entries = entries_of(t.nodes, first)
        for i in range(count):
            column = record.column_of[code_of(entries[i])]
            record.visits[row, column], record.score[row, column] = 1, score_of(entries[i])
    else:
        for child in range(first, first + count - FULL):
            column = record.column_of[t.nodes[child].move]
            record.visits[row, column], record.score[row, column] = t.nodes[child].visits, t.nodes[child].score
    record.playouts[row], record.nodes[row] = counts[PLAYOUTS], counts[NODES]
    counts[TRACE_ROWS] = row + 1


@kernel
def run(r: Any, s: Search, t: tree.Tree, grow: bool, count: int) -> int:
    """Do ``count`` simulations; ``DONE``, or ``NEEDS_MEMORY`` as soon as the tree array is too short to expand.

    Rules, search and tree are held (``memory.held``). Without ``grow`` the tree stays as it is, and a simulation plays
    out from the first node with an untried move.
    """
    p, random = s.path, s.random[0]
    done, deepest, next_record = s.counts[ITERATIONS], s.counts[DEPTH], s.record.at[s.counts[TRACE_ROWS]]
    playouts, added = s.counts[PLAYOUTS], s.counts[ADDED]
    status = DONE
    for _ in range(count):
        if grow and s.counts[USED] + LARGEST_BLOCK > t.nodes.size:
            status = NEEDS_MEMORY
            break
        rules.reset(r)
        node, depth = np.uint64(0), 0
        p.levels[np.uint64(0)].node = 0
        children = int64(t.nodes[node].children)
        while children >= FULL:
            child = np.uint64(t.nodes[node].best)
            _weigh(p, t, node, child, depth)
            node = child
            depth += 1
            p.levels[np.uint64(depth)].node = node
            rules.play(r, int64(t.nodes[node].move))
            children = int64(t.nodes[node].children)
        if children >= 0 and grow:
            random = rng.step(random)
            added = _pick(r, t, node, random)
            full = children + 1 == rules.legal_count(r)
            score = rules.play(r, added)
            over = score != ONGOING
            if not over:
                random, playout = rules.playout(r, random)
                score = WIN - playout
                playouts += 1
            entry = entry_of(added, score, over)
            if full:
                tree.add_last(t, s.free, s.counts, node, entry)
                _prepare(p, t, node)
            else:
                tree.add_tried(t, s.free, s.counts, node, entry)
            s.counts[NODES] += 1
            deepest = max(deepest, depth + 1)
            score = WIN - score
        else:
            added = NO_MOVE
            score = OVER - children
            if children >= 0:
                random, playout = rules.playout(r, random)
                score = WIN - playout
                playouts += 1
            deepest = max(deepest, depth)
        _backup(p, t, depth, score)
        done += 1
        if done == next_record:
            s.counts[PLAYOUTS] = playouts
            _record(s.record, s.counts, t)
            next_record = s.record.at[s.counts[TRACE_ROWS]]
    s.random[0] = random
    s.counts[ITERATIONS], s.counts[DEPTH], s.counts[PLAYOUTS], s.counts[ADDED] = done, deepest, playouts, added
    return status
