"""What a graph search keeps beside the graph, which edge it follows, and what a node is worth; for ``kernels.mcts``."""

from math import log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import graph
from nimdesk.kernels.graph import DOUBLE, NO_EDGES, UNTRIED, Graph
from nimdesk.kernels.jit import int64, part
from nimdesk.kernels.rules import LOSS, WIN

# Slots of ``Search.counts``.
NODES, EDGES, ITERATIONS, TRACE_ROWS, DEPTH, PROVEN_AT, PLAYOUTS, UNLISTED = 0, 1, 2, 3, 4, 5, 6, 7
# Blocks of edges are powers of two, of which there are so many below the most moves.
BLOCK_SIZES = 12


class Search(NamedTuple):
    """Everything of one search but the rules, the identity and the graph.

    ``exploration`` is c. ``merge``: equal positions share a node. ``prove``: bounds are backed up and used. ``order``:
    moves come by the heuristic, not in random order. ``look_ahead``: each move of a new node is looked up, since one
    may lead to a position that is known to be lost; only with ``merge`` and ``prove``. ``evaluate``: the game's
    evaluation stands in for playouts. A node with more than ``wide``
    moves opens ``wide`` + ``widening`` * sqrt(visits) of them. ``margin`` edges are room enough for one simulation.
    ``first`` is the move that the root tries first, since it wins at once; -1 without one.

    ``counts`` (int64) has the named slots above (from node ``UNLISTED`` on, nodes are not in the table yet, which is
    new then), ``random`` (uint64, 1) the generator, ``roots`` (float32, 2 x numbers) sqrt(ln N) and 1 / sqrt(n) for
    small numbers; ``free`` (int32, ``BLOCK_SIZES``) the heads of the lists of blocks of edges given back, by the power
    of two.

    ``path`` and ``taken`` (int32: nodes and edges of the simulation), ``totals`` (float64: what the nodes of the path
    are made of but for the edge taken; below 0 where that is to be worked out anew), ``codes`` (int16), ``scores`` and
    ``best`` (int64) and ``listed`` (uint8, one for each code) are scratch.

    Checkpoints: at the iterations ``trace_at`` (int64, T) the root goes into a row of ``trace_visits`` (uint32, T x L)
    and ``trace_score`` (half points of the side to move, float64, T x L); ``column_of`` (int32) maps a move to its
    column; ``trace_playouts`` and ``trace_nodes`` (int64, T) are those made by then, ``trace_bounds`` (uint8, T x L)
    what was proven of each move: 0 for one not opened, else 1 + 3 * low + high, in half points of the side to move.
    """

    exploration: float
    merge: bool
    prove: bool
    order: bool
    look_ahead: bool
    evaluate: bool
    wide: int
    widening: float
    margin: int
    first: int
    counts: NDArray[np.int64]
    random: NDArray[np.uint64]
    roots: NDArray[np.float32]
    free: NDArray[np.int32]
    path: NDArray[np.int32]
    taken: NDArray[np.int32]
    totals: NDArray[np.float64]
    codes: NDArray[np.int16]
    scores: NDArray[np.int64]
    best: NDArray[np.int64]
    listed: NDArray[np.uint8]
    column_of: NDArray[np.int32]
    trace_at: NDArray[np.int64]
    trace_visits: NDArray[np.uint32]
    trace_score: NDArray[np.float64]
    trace_playouts: NDArray[np.int64]
    trace_nodes: NDArray[np.int64]
    trace_bounds: NDArray[np.uint8]


@part
def settle(t: Graph, node: np.uint64, total: float) -> None:
    """Give the node its mean value, within its bounds."""
    place = t.nodes[node]
    value = total / place.visits if place.visits else np.float64(place.value)
    least, most = 0.5 * graph.low(place.state), 0.5 * graph.high(place.state)
    value = least if value < least else value
    place.value = most if value > most else value


@part
def refresh(t: Graph, node: np.uint64, prove: bool) -> None:
    """Work out the node's bounds and value from its children."""
    place = t.nodes[node]
    state = place.state
    low, high, best = graph.low(state), graph.high(state), int64(LOSS)
    opened = graph.opened(state)
    total = graph.playout_score(t, node)
    at = np.uint64(place.first)
    for _ in range(opened):
        edge = t.edges[at]
        if edge.child >= 0:
            child = t.nodes[np.uint64(edge.child)]
            least, most = int64(WIN) - graph.high(child.state), int64(WIN) - graph.low(child.state)
            low = least if least > low else low
            best = most if most > best else best
            total += edge.visits * (1.0 - child.value)
        elif edge.child == UNTRIED:
            best = int64(WIN)
        at += np.uint64(1)
    if prove:
        if place.first != NO_EDGES and opened == graph.moves(state) and best < high:
            high = best
        place.state = graph.bounded(state, low, high)
    if graph.proven(place.state):
        place.value = 0.5 * graph.low(place.state)
    else:
        settle(t, node, total)


@part
def back_up(s: Search, t: Graph, depth: int, changed: bool) -> None:
    """Count the visit along the path; ``changed`` says that the last position's bounds are not what they were."""
    for i in range(depth - 1, -1, -1):
        node = np.uint64(s.path[i])
        edge, place = t.edges[np.uint64(s.taken[i])], t.nodes[node]
        edge.visits += 1
        place.visits += 1
        state = place.state
        if graph.proven(state):
            changed = False
        elif changed or s.totals[i] < 0.0:
            refresh(t, node, s.prove)
            changed = place.state != state
        else:
            child = t.nodes[np.uint64(edge.child)]
            settle(t, node, s.totals[i] + edge.visits * (1.0 - child.value))


@part
def select(s: Search, t: Graph, node: np.uint64, depth: int) -> int:
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
    total = graph.playout_score(t, node)
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
def wanted_edges(s: Search, t: Graph, node: int) -> int:
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
