"""UCT in the variants of documents, and with the mistakes that implementations make; compiled for each game.

Each variant is a number that a search carries. With none it is the search of ``kernels.uct``, node for node, at a
fraction of its speed: nothing is worked out ahead, and a node's children stand side by side as soon as it has one.
"""

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import random as rng
from nimdesk.kernels import rules
from nimdesk.kernels.jit import int64, kernel, part
from nimdesk.kernels.rules import ONGOING, WIN
from nimdesk.kernels.uct import TABLE_SIZE, Record

# Which untried move is expanded.
RANDOM, FIRST, NEIGHBOURS = 0, 1, 2
# For whom a node counts a result.
TURNS, FOR_ROOT, FOR_LEAF, INVERTED = 0, 1, 2, 3
# Slots of ``Search.counts``.
USED, NODES, ITERATIONS, TRACE_ROWS, PLAYOUTS, ROOT = 0, 1, 2, 3, 4, 5
# Of the last simulation: the depth of its last node, and the half points of the side that moved there.
DEPTH, SCORE = 6, 7
# Why ``run`` came back.
DONE, NEEDS_MEMORY = 0, 1

# ``children`` from ``first`` on, of which the first ``tried`` belong to the tree; the others only have their moves, in
# the order of the rules. ``score`` are half points as backed up, ``over`` those of the side that moved here if the
# game has ended, else ``ONGOING``.
NODE = np.dtype(
    [
        ("visits", np.uint32),
        ("score", np.uint32),
        ("first", np.int32),
        ("children", np.int32),
        ("tried", np.int32),
        ("move", np.int16),
        ("over", np.int8),
    ]
)


class Search(NamedTuple):
    """Everything of a search but the rules and the tree.

    ``exploration`` is c for results from 0 to 1. With ``root_log`` N are the visits of the root, not of the node;
    ``all_at_once`` lets a node get all its children at once; ``backup`` and ``expansion`` are named above, ``policy``
    of playouts in ``rules``. ``counts`` (int64) has the named slots, ``random`` (uint64, 1) the generator; ``roots``
    are ``uct.Path``'s, ``path`` (int32) has the nodes of the last simulation, and is as long as the longest game.
    """

    exploration: np.float32
    root_log: bool
    all_at_once: bool
    backup: int
    expansion: int
    policy: int
    counts: NDArray[np.int64]
    random: NDArray[np.uint64]
    roots: NDArray[np.float32]
    path: NDArray[np.int32]
    record: Record


class Tree(NamedTuple):
    """``nodes`` of ``NODE``; ``counts`` says which is the root, since a search may go on with a part of its tree."""

    nodes: NDArray[np.void]


@part
def _list_moves(r: Any, s: Search, t: Tree, node: int) -> None:
    """Give a node its children, none of which is tried."""
    first, count = s.counts[USED], int64(rules.legal_count(r))
    # A lot between equal neighbours is thrown in the order of ``next_move``.
    fit = rules.moves_fit(r) and s.expansion != NEIGHBOURS
    move, marked = int64(-1), np.uint64(0)
    for i in range(count):
        if fit:
            # The state 0 draws 0: the first move that is not marked.
            picked, marked = rules.pick_unmarked(r, marked, i, np.uint64(0))
            move = int64(picked)
        else:
            move = rules.next_move(r, move)
        at = first + i
        t.nodes[at].visits = t.nodes[at].score = 0
        t.nodes[at].children = t.nodes[at].tried = 0
        t.nodes[at].move, t.nodes[at].over = move, ONGOING
    t.nodes[node].first, t.nodes[node].children = first, count
    s.counts[USED] = first + count


@part
def _pick(r: Any, s: Search, t: Tree, node: int, random: np.uint64) -> int:
    """The place of an untried child; ``random`` is a stepped state."""
    begin = int64(t.nodes[node].first + t.nodes[node].tried)
    end = int64(t.nodes[node].first + t.nodes[node].children)
    if s.expansion == FIRST:
        # As ``next_move`` goes on: with gravity that is another order than that of the list.
        best = begin
        for at in range(begin + 1, end):
            if t.nodes[at].move < t.nodes[best].move:
                best = at
        return best
    if s.expansion == NEIGHBOURS:
        best, most, equals = begin, -1, 0
        for at in range(begin, end):
            occupied = rules.neighbours(r, int64(t.nodes[at].move))
            if occupied > most:
                best, most, equals = at, occupied, 1
            elif occupied == most:
                equals += 1
                random = rng.step(random)
                if rng.below(random, equals) == 0:
                    best = at
        return best
    return begin + rng.below(random, end - begin)


@part
def _join(t: Tree, node: int, chosen: int) -> int:
    """Let an untried child join the tree, after those tried before; its place. The others keep their order."""
    place = int64(t.nodes[node].first + t.nodes[node].tried)
    move = t.nodes[chosen].move
    for at in range(chosen, place, -1):
        t.nodes[at].move = t.nodes[at - 1].move
    t.nodes[place].move = move
    t.nodes[node].tried += 1
    return place


@part
def _select(s: Search, t: Tree, node: int) -> int:
    """The first child without a visit; else the first one with the largest mean + c * sqrt(ln N / n)."""
    visits = int64(t.nodes[s.counts[ROOT] if s.root_log else node].visits)
    root = s.roots[0, visits] if visits < TABLE_SIZE else np.float32(sqrt(log(visits)))
    factor = np.float32(s.exploration * root)
    first = int64(t.nodes[node].first)
    best, largest = first, np.float32(-1.0)
    for child in range(first, first + int64(t.nodes[node].tried)):
        n = int64(t.nodes[child].visits)
        if n == 0:
            return child
        mean = np.float32(int64(t.nodes[child].score)) / (np.float32(2.0) * np.float32(n))
        inv_sqrt = s.roots[1, n] if n < TABLE_SIZE else np.float32(1.0 / sqrt(n))
        bound = mean + np.float32(factor * inv_sqrt)
        if bound > largest:
            best, largest = child, bound
    return best


@part
def _back_up(s: Search, t: Tree, depth: int, score: int) -> None:
    """Add half points along the path; ``score`` is that of the side that moved into the last node, at this depth."""
    for i in range(depth + 1):
        mine = score if (depth - i) % 2 == 0 else WIN - score
        if s.backup == FOR_ROOT:
            mine = score if depth % 2 == 1 else WIN - score
        elif s.backup == FOR_LEAF:
            mine = score
        elif s.backup == INVERTED:
            mine = WIN - mine
        node = s.path[i]
        t.nodes[node].visits += 1
        t.nodes[node].score += np.uint32(mine)


@part
def _record(s: Search, t: Tree) -> None:
    record, row, root = s.record, s.counts[TRACE_ROWS], s.counts[ROOT]
    first = int64(t.nodes[root].first)
    for child in range(first, first + int64(t.nodes[root].tried)):
        column = record.column_of[t.nodes[child].move]
        record.visits[row, column], record.score[row, column] = t.nodes[child].visits, t.nodes[child].score
    record.playouts[row], record.nodes[row] = s.counts[PLAYOUTS], s.counts[NODES]
    s.counts[TRACE_ROWS] = row + 1


@part
def _descend(r: Any, s: Search, t: Tree, grow: bool, random: np.uint64) -> tuple[np.uint64, int, int]:
    """Select and expand: the random state, the depth of the last node, and its ``over``."""
    node, depth, over = int64(s.counts[ROOT]), 0, int64(ONGOING)
    s.path[0] = node
    while over == ONGOING:
        tried, children = int64(t.nodes[node].tried), int64(t.nodes[node].children)
        ends = children == 0 or tried < children
        if ends and not grow:
            break
        if ends:
            if children == 0:
                _list_moves(r, s, t, node)
            random = rng.step(random)
            child = _pick(r, s, t, node, random)
            if s.all_at_once:
                t.nodes[node].tried = t.nodes[node].children
                s.counts[NODES] += int64(t.nodes[node].children)
            else:
                child = _join(t, node, child)
                s.counts[NODES] += 1
        else:
            child = _select(s, t, node)
        node = child
        depth += 1
        s.path[depth] = node
        over = rules.play(r, int64(t.nodes[node].move))
        t.nodes[node].over = over
        if ends:
            break
    return random, depth, over


@kernel
def run(r: Any, s: Search, t: Tree, grow: bool, most_moves: int, count: int) -> int:
    """Do ``count`` simulations; ``DONE``, or ``NEEDS_MEMORY`` as soon as there is no room for ``most_moves`` children.

    Rules, search and tree are held (``memory.held``). Without ``grow`` the tree stays as it is, and a simulation plays
    out from the first node with an untried move.
    """
    random, depth, score = s.random[0], int64(s.counts[DEPTH]), int64(s.counts[SCORE])
    status = DONE
    for _ in range(count):
        if grow and s.counts[USED] + most_moves > t.nodes.size:
            status = NEEDS_MEMORY
            break
        rules.reset(r)
        random, depth, score = _descend(r, s, t, grow, random)
        if score == ONGOING:
            if s.policy == rules.UNIFORM:
                random, theirs = rules.playout(r, random)
            else:
                # The perfect side is the opponent of the side to move at the root, who is to move at odd depths.
                random, theirs = rules.guided_playout(r, random, s.policy, depth % 2 == 1)
            score = WIN - theirs
            s.counts[PLAYOUTS] += 1
        _back_up(s, t, depth, score)
        s.counts[ITERATIONS] += 1
        if s.counts[ITERATIONS] == s.record.at[s.counts[TRACE_ROWS]]:
            _record(s, t)
    s.random[0], s.counts[DEPTH], s.counts[SCORE] = random, depth, score
    return status
