"""UCT (Kocsis and Szepesvári, 2006) as one kernel, compiled for each game.

A simulation descends while the node has no untried move, by the largest ``mean + c * sqrt(ln N / n)`` (the first one
among equals); expands one untried move, chosen at random; plays random moves to the end; and backs the result up.
"""

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import random as rng
from nimdesk.kernels import rules, tree, variants
from nimdesk.kernels.jit import inlined, kernel
from nimdesk.kernels.rules import ONGOING, WIN
from nimdesk.kernels.tree import OVER

# Slots of ``Search.counts``.
USED, NODES, ITERATIONS, TRACE_ROWS, DEPTH = 0, 1, 2, 3, 4
# Why ``run`` came back.
DONE, NEEDS_MEMORY = 0, 1

TABLE_SIZE = 1 << 16


class Search(NamedTuple):
    """Everything of one search but the rules and the tree.

    ``exploration`` is c. ``sqrt_log`` (float64) holds sqrt(ln N) for small N. ``counts`` (int64) has the named slots
    above, ``random`` (uint64, 1) the generator, ``free`` (int32) the heads of the lists of free blocks; ``path``
    (int32) and ``tried`` (int16) are scratch, as long as the longest game and the most moves. Checkpoints: at the
    iterations ``trace_at`` (int64, T) the root's statistics go into a row of ``trace_visits`` (uint32, T x L) and
    ``trace_score`` (half points of the side to move, uint32, T x L); ``column_of`` (int32) maps a move's code to its
    column.
    """

    exploration: float
    sqrt_log: NDArray[np.float64]
    counts: NDArray[np.int64]
    random: NDArray[np.uint64]
    free: NDArray[np.int32]
    path: NDArray[np.int32]
    tried: NDArray[np.int16]
    column_of: NDArray[np.int32]
    trace_at: NDArray[np.int64]
    trace_visits: NDArray[np.uint32]
    trace_score: NDArray[np.uint32]


@inlined
def _sqrt_log(s: Search, visits: int) -> float:
    return float(s.sqrt_log[visits]) if visits < TABLE_SIZE else sqrt(log(visits))


@inlined
def _select(v: Any, s: Search, t: tree.Tree, node: int) -> int:
    factor = s.exploration * _sqrt_log(s, variants.log_visits(v, t, node))
    first = t[node].first
    best, best_bound = int(first), -1.0
    for child in range(first, first + t[node].children):
        bound = t[child].mean + factor * t[child].inv_sqrt
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@inlined
def _backup(s: Search, t: tree.Tree, depth: int, score: int) -> None:
    """Add half points along the path; ``score`` is the leaf's, for the side that moved into the leaf."""
    for i in range(depth, -1, -1):
        node = s.path[i]
        visits = t[node].visits + 1
        total = t[node].score + score
        t[node].visits = visits
        t[node].score = total
        t[node].mean = 0.5 * total / visits
        t[node].inv_sqrt = 1.0 / sqrt(visits)
        score = 2 - score


@kernel
def _record(s: Search, t: tree.Tree) -> None:
    row = s.counts[TRACE_ROWS]
    for child in range(t[0].first, t[0].first + t[0].children):
        column = s.column_of[t[child].move]
        s.trace_visits[row, column] = t[child].visits
        s.trace_score[row, column] = t[child].score
    s.counts[TRACE_ROWS] = row + 1


@kernel
def run(r: Any, v: Any, s: Search, t: tree.Tree, grow: bool, count: int) -> int:
    """Do ``count`` simulations; ``DONE``, or ``NEEDS_MEMORY`` as soon as the tree array is too short to expand.

    ``r`` are the rules, ``v`` one of ``variants``. Without ``grow`` the tree stays as it is, and a simulation plays out
    from the first node with an untried move.
    """
    random = s.random[0]
    status = DONE
    for _ in range(count):
        if grow and s.counts[USED] + tree.LARGEST_BLOCK > t.size:
            status = NEEDS_MEMORY
            break
        rules.reset(r)
        node, depth = 0, 0
        s.path[0] = 0
        while True:
            children = t[node].children
            if children < 0:
                score = OVER - children
                break
            if children < rules.legal_count(r):
                if not grow:
                    score = ONGOING
                    break
                random = rng.step(random)
                move = variants.pick(v, r, s.tried, t, node, random)
                node = tree.add_child(t, s.free, s.counts, node, move)
                s.counts[NODES] += 1
                depth += 1
                s.path[depth] = node
                score = rules.play(r, move)
                if score != ONGOING:
                    t[node].children = OVER - score
                break
            node = _select(v, s, t, node)
            depth += 1
            s.path[depth] = node
            rules.play(r, t[node].move)
        if score == ONGOING:
            random, playout = variants.play_out(v, r, depth, random)
            score = WIN - playout
        _backup(s, t, depth, score)
        s.counts[ITERATIONS] += 1
        if depth > s.counts[DEPTH]:
            s.counts[DEPTH] = depth
        if s.counts[ITERATIONS] == s.trace_at[s.counts[TRACE_ROWS]]:
            _record(s, t)
    s.random[0] = random
    return status
