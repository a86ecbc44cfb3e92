"""Which edge a simulation follows, and when a node opens another one; for ``kernels.mcts``."""

from math import log, sqrt
from typing import Any

import numpy as np

from nimdesk.kernels import graph, identity
from nimdesk.kernels.graph import DOUBLE, ROOT, Graph
from nimdesk.kernels.jit import int64, part
from nimdesk.kernels.mcts_edges import FIRST_ROOM, make_edges, unpack_edges
from nimdesk.kernels.mcts_state import Search
from nimdesk.kernels.mcts_values import refresh
from nimdesk.kernels.rules import WIN


@part
def _select(s: Search, t: Graph, node: np.uint64, depth: int) -> int:
    """The edge to follow among the opened ones; -1 where none of them can matter any more.

    What the node's value is made of, but for this edge, is kept for the way back.
    """
    place = t.nodes[node]
    state = place.state
    n, opened = int64(place.visits), graph.opened(state)
    factor = s.exploration * (np.float64(s.roots[0, n]) if n < s.roots.shape[1] else sqrt(log(n)))
    # Bounds of the children are the other way round: nothing beats ``certain`` that is at most ``beaten`` here.
    certain = int64(WIN) - graph.low(state)
    beaten = certain if s.prove else int64(WIN + 1)
    total = 0.5 * graph.playout_score(t, node)
    best, best_bound, best_part = int64(-1), -1.0, 0.0
    most, least = int64(WIN), int64(WIN)
    at = np.uint64(place.first)
    for _ in range(opened):
        edge = t.edges[at]
        if edge.child != DOUBLE:
            child, visits = t.nodes[np.uint64(edge.child)], edge.visits
            mean = 1.0 - child.value
            part = visits * mean
            total += part
            high, low = graph.high(child.state), graph.low(child.state)
            least = high if high < least else least
            most = low if low < most else most
            root = np.float64(s.roots[1, visits]) if visits < s.roots.shape[1] else 1.0 / sqrt(visits)
            bound = mean + factor * root
            if low < beaten and bound > best_bound:
                best, best_bound, best_part = int64(at), bound, part
        at += np.uint64(1)
    # Where the bounds of a child have changed meanwhile, all is to be worked out anew.
    all_open = opened == graph.moves(state)
    changed = s.prove and (least < certain or (all_open and int64(WIN) - most < graph.high(state)))
    s.totals[depth] = -1.0 if changed else total - best_part
    return best


@part
def _wanted(s: Search, t: Graph, node: int) -> int:
    """How many edges should be open by now; 0 where they are."""
    place = t.nodes[node]
    moves, opened = graph.moves(place.state), graph.opened(place.state)
    if opened == moves:
        return int64(0)
    if moves <= s.wide:
        return moves
    # Without a square root, since this is asked at every step.
    beyond = float(opened - s.wide + 1)
    if beyond > 0.0 and s.widening * s.widening * place.visits < beyond * beyond:
        return int64(0)
    wanted = s.wide + int64(s.widening * sqrt(place.visits))
    return moves if moves < wanted else wanted


@part
def _open_edge(
    g: Any,
    s: Search,
    t: Graph,
    node: int,
    wanted: int,
    random: np.uint64,
) -> int:
    """Open edges up to ``wanted``: those to positions that are proven already without a visit; the first other one.

    -1 if there is none.
    """
    place, linked, at = t.nodes[node], False, int64(-1)
    while at < 0 and graph.opened(place.state) < wanted:
        opened = graph.opened(place.state)
        # Where the block is full, which then has 1, 4 or a larger power of two of edges in use.
        if opened == 1:
            if graph.moves(place.state) > 2:
                unpack_edges(s, t, node)
        elif opened >= FIRST_ROOM and opened & (opened - 1) == 0:
            make_edges(g, s, t, node, random)
        at = place.first + opened
        place.state = graph.counted(place.state, graph.moves(place.state), opened + 1)
        if node != ROOT and s.merge and s.prove:
            edge = t.edges[at]
            child = graph.find(t, identity.key_after(g, int64(edge.code)))
            if child >= 0 and graph.proven(t.nodes[child].state):
                edge.child = child
                linked = True
                at = int64(-1)
    if linked:
        refresh(t, np.uint64(node), s.prove)
        if graph.proven(place.state):
            return int64(-1)
    return at


@part
def choose_edge(
    g: Any,
    s: Search,
    t: Graph,
    node: int,
    depth: int,
    grow: bool,
    random: np.uint64,
) -> int:
    """The edge to follow: a new one while there should be more, else by the bound; -1 where nothing can matter."""
    place, edge = t.nodes[node], int64(-1)
    wanted = _wanted(s, t, node) if grow else int64(0)
    while True:
        s.totals[depth] = -1.0
        if wanted > 0:
            edge = _open_edge(g, s, t, node, wanted, random)
        if edge < 0 and not graph.proven(place.state):
            edge = _select(s, t, np.uint64(node), depth)
            if edge < 0 and grow and graph.opened(place.state) < graph.moves(place.state):
                # All that are open are settled.
                wanted = graph.moves(place.state)
                continue
        return edge
