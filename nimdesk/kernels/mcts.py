"""Monte Carlo graph search: UCT over positions instead of paths, with proven bounds, compiled for each game.

What it does beyond ``kernels.uct``:

* Equal positions share a node (``kernels.identity``), so that every way to a position teaches all others. An edge
  counts the visits of one move; the value of a move is that of the position behind it, and a node's value is the mean
  of its moves' values by visits, with its own first playout (after Czech, Korus and Kersting, 2021).
* Finished games, and what one look ahead shows, are exact; bounds are backed up as in minimax. A move that cannot
  beat what is already certain gets no more visits; those that it had stay in the mean, with the value that is known by
  now. Without them a position that is refuted move by move would always be worth the hopes that are left. Once the
  root is proven, simulations go to its best move alone, and the search ends as soon as that is the most visited.
* Moves come in the order of a heuristic; where there are many, they are opened one after the other as visits grow.
* Where the game has an evaluation, that may stand in for the playout.

The rule of selection is the textbook's, ``mean + c * sqrt(ln N / n)``.

Here are a simulation, the loop over them, and ways to read the graph. ``mcts_state`` says which edge to follow and
what a node is worth, ``mcts_expand`` makes edges and what is behind them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import graph, identity, rules
from nimdesk.kernels import random as rng
from nimdesk.kernels.graph import FIRST_FREE, NO_EDGES, ROOT, Graph
from nimdesk.kernels.jit import int64, kernel, part
from nimdesk.kernels.mcts_expand import choose_edge, follow, make_edges
from nimdesk.kernels.mcts_state import (
    DEPTH,
    EDGES,
    ITERATIONS,
    NODES,
    PLAYOUTS,
    PROVEN_AT,
    TRACE_ROWS,
    UNLISTED,
    Search,
    back_up,
    refresh,
    settle,
)
from nimdesk.kernels.rules import ONGOING, WIN

# Why ``run`` came back.
DONE, NEEDS_MEMORY, PROVEN = 0, 1, 2


@part
def _record(s: Search, t: Graph) -> None:
    row, root = s.counts[TRACE_ROWS], t.nodes[ROOT]
    for e in range(root.first, root.first + graph.opened(root.state)):
        edge = t.edges[e]
        if edge.child >= 0:
            column, child = s.column_of[edge.code], t.nodes[edge.child]
            state = child.state
            s.trace_visits[row, column] = edge.visits
            s.trace_score[row, column] = 2.0 * edge.visits * (1.0 - child.value)
            s.trace_bounds[row, column] = 1 + 3 * (WIN - graph.high(state)) + (WIN - graph.low(state))
    s.trace_playouts[row] = s.counts[PLAYOUTS]
    s.trace_nodes[row] = s.counts[NODES] - FIRST_FREE + 1
    s.counts[TRACE_ROWS] = row + 1


@part
def _play_out(r: Any, g: Any, s: Search, t: Graph, node: np.uint64, random: np.uint64) -> tuple[np.uint64, bool]:
    """Play out from the node, which is visited so; the random state, and whether its bounds may have changed."""
    if s.evaluate:
        score = int64(identity.evaluate(g))
    else:
        random, points = rules.playout(r, random)
        score = int64(points) * graph.PARTS
        s.counts[PLAYOUTS] += 1
    place = t.nodes[node]
    place.visits += 1
    if t.scores.size > 0:
        t.scores[node] += score
    else:
        place.state += score << graph.SCORE_AT
    if place.first == NO_EDGES:
        settle(t, node, graph.playout_score(t, node))
        return random, False
    refresh(t, node, s.prove)
    return random, True


@part
def _confirm(s: Search, t: Graph) -> bool:
    """At a proven root, visit the best move once more; False where it has more visits than any worse move by now.

    It is what selection comes to with a certain value, but for exploration: there is nothing left to explore.
    """
    root = t.nodes[ROOT]
    best, most, others = int64(-1), int64(-1), int64(-1)
    for e in range(root.first, root.first + graph.opened(root.state)):
        edge = t.edges[e]
        visits = int64(edge.visits)
        if edge.child >= 0 and WIN - graph.high(t.nodes[edge.child].state) == graph.low(root.state):
            if visits > most:
                best, most = e, visits
        elif visits > others:
            others = visits
    if most > others:
        return False
    edge = t.edges[best]
    edge.visits += 1
    root.visits += 1
    if edge.child >= FIRST_FREE:
        t.nodes[edge.child].visits += 1
    s.path[0], s.taken[0] = ROOT, best
    return True


@part
def _simulate(r: Any, g: Any, s: Search, t: Graph, grow: bool, random: np.uint64) -> tuple[np.uint64, int]:
    """One simulation; the random state, and the depth of the position that it ended in."""
    rules.reset(r)
    identity.begin(g)
    node, depth = int64(ROOT), int64(0)
    # Where a simulation ends without a playout, it has met or found a proven position.
    changed, played_out = True, False
    place = t.nodes[ROOT]
    while not graph.proven(place.state):
        edge = int64(-1)
        if place.first == NO_EDGES and grow and (place.visits > 0 or node == ROOT):
            random = rng.step(random)
            make_edges(g, s, t, node, random)
        if place.first != NO_EDGES:
            random = rng.step(random)
            edge = choose_edge(g, s, t, node, depth, grow, random)
        if edge < 0:
            if place.first != NO_EDGES:
                refresh(t, np.uint64(node), s.prove)
            if not graph.proven(place.state):
                random, changed = _play_out(r, g, s, t, np.uint64(node), random)
                played_out = True
            break
        s.path[depth] = node
        edge, node = follow(r, g, s, t, node, edge)
        s.taken[depth] = edge
        depth += 1
        place = t.nodes[node]
    if not played_out and (node == ROOT or node >= FIRST_FREE):
        place.visits += 1
    back_up(s, t, depth, changed)
    return random, depth


@kernel
def run(r: Any, g: Any, s: Search, t: Graph, grow: bool, count: int) -> int:
    """Do ``count`` simulations; ``DONE``, ``PROVEN`` when the root is and its visits say so, or ``NEEDS_MEMORY``.

    ``NEEDS_MEMORY`` comes before a simulation for which there might not be room. Without ``grow`` nodes and edges stay
    as they are, simulations play out from where the graph ends, and there have to be ``scores``. All tuples are to be
    held (``memory.held``).
    """
    random = s.random[0]
    status = DONE
    root = t.nodes[ROOT]
    if s.merge:
        graph.enter(t, s.counts[UNLISTED], s.counts[NODES])
    for _ in range(count):
        depth = int64(1)
        if graph.proven(root.state):
            if not _confirm(s, t):
                status = PROVEN
                break
        else:
            if grow and (s.counts[NODES] + s.path.size > t.nodes.size or s.counts[EDGES] + s.margin > t.edges.size):
                status = NEEDS_MEMORY
                break
            random, depth = _simulate(r, g, s, t, grow, random)
            if graph.proven(root.state):
                s.counts[PROVEN_AT] = s.counts[ITERATIONS] + 1
        s.counts[ITERATIONS] += 1
        if depth > s.counts[DEPTH]:
            s.counts[DEPTH] = depth
        if s.counts[ITERATIONS] == s.trace_at[s.counts[TRACE_ROWS]]:
            _record(s, t)
    s.random[0] = random
    s.counts[UNLISTED] = s.counts[NODES]
    return status


@kernel
def principal_variation(g: Any, t: Graph, edge: int, out: NDArray[np.int16]) -> None:
    """Follow the move of a root edge and from there the most visits among what keeps the proven value; moves, then -1.

    ``out`` holds the longest line.
    """
    identity.begin(g)
    node = int64(ROOT)
    length = 0
    while edge >= 0 and length < out.size:
        code = int64(t.edges[edge].code)
        move = code if node == ROOT else identity.to_move(g, code)
        out[length] = move
        length += 1
        node = int64(t.edges[edge].child)
        if node < FIRST_FREE:
            break
        identity.moved(g, move)
        identity.key(g)
        edge = _favourite(t, node)
    if length < out.size:
        out[length] = -1


@part
def _favourite(t: Graph, node: int) -> int:
    place = t.nodes[node]
    best, most = int64(-1), int64(-1)
    low = graph.low(place.state)
    for e in range(place.first, place.first + graph.opened(place.state)):
        edge = t.edges[e]
        if edge.child >= 0:
            child = t.nodes[edge.child]
            keeps = not graph.proven(place.state) or WIN - graph.high(child.state) == low
            if keeps and WIN - graph.low(child.state) >= low and edge.visits > most:
                best, most = e, int64(edge.visits)
    return best


@kernel
def walk(
    r: Any,
    g: Any,
    t: Graph,
    line: NDArray[np.int16],
    out_edges: NDArray[np.int32],
    out_moves: NDArray[np.int16],
) -> tuple[int, int]:
    """Follow these moves from the root; the node they lead to (-1: none), and the number of its edges written out.

    Of each opened edge with a node behind it (so not those that are the same as an earlier one), ``out_edges`` gets the
    index and ``out_moves`` the move of the position at the end of this line.
    """
    rules.reset(r)
    identity.begin(g)
    node, at = ROOT, 0
    while True:
        count, next_node = 0, -1
        first = t.nodes[node].first
        for e in range(first, first + graph.opened(t.nodes[node].state)):
            if t.edges[e].child < 0:
                continue
            code = int64(t.edges[e].code)
            move = code if node == ROOT else identity.to_move(g, code)
            out_edges[count], out_moves[count] = e, move
            count += 1
            if at < line.size and move == line[at]:
                next_node = int64(t.edges[e].child)
        if at == line.size:
            return node, count
        if next_node < 0:
            return -1, 0
        identity.moved(g, int64(line[at]))
        result = rules.play(r, int64(line[at]))
        node = next_node
        at += 1
        if result != ONGOING:
            return (node, 0) if at == line.size else (-1, 0)
        identity.key(g)
