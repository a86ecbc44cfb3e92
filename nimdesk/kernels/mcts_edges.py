"""Making the edges of a node, in blocks that grow with what is tried; for ``kernels.mcts``."""

from typing import Any

import numpy as np

from nimdesk.kernels import bits, graph, identity
from nimdesk.kernels import random as rng
from nimdesk.kernels.graph import ROOT, UNTRIED, Graph
from nimdesk.kernels.jit import int64, part
from nimdesk.kernels.mcts_state import EDGES, Search

# Edges are made in blocks of this many, then twice as many.
FIRST_ROOM = 4
# Two codes fit into what an edge that is not tried yet has no use for.
_CODE_BITS, _CODE_MASK = 16, (1 << 16) - 1


@part
def _take_block(s: Search, t: Graph, room: int) -> int:
    """The first of so many edges side by side: a block that was given back, or new memory."""
    if room & (room - 1) == 0:
        # All blocks that are ever given back are powers of two.
        size = bits.lowest_bit(np.uint64(room))
        first = int64(s.free[size])
        if first >= 0:
            s.free[size] = t.edges[first].child
            return first
    first = int64(s.counts[EDGES])
    s.counts[EDGES] = first + room
    return first


@part
def _give_block(s: Search, t: Graph, first: int, room: int) -> None:
    size = bits.lowest_bit(np.uint64(room))
    t.edges[first].child = s.free[size]
    s.free[size] = first


@part
def _untried(t: Graph, edge: int, code: int) -> None:
    place = t.edges[edge]
    place.child = UNTRIED
    place.visits = 0
    place.code = code


@part
def make_edges(g: Any, s: Search, t: Graph, node: int, random: np.uint64) -> None:
    """Make the node's first edges, or more of them where all are tried; those that are there stay the first."""
    codes, best, listed = s.codes, s.best, s.listed
    # Numbers of its own: those that follow ``random`` are the playouts'.
    count = identity.candidates(g, node == ROOT, s.order, rng.bits(random), codes, s.scores)
    place, edges = t.nodes[node], t.edges
    old, opened = int64(place.first), graph.opened(place.state)
    room = 2 * opened if opened else int64(FIRST_ROOM)
    room = room if room < count else count
    for i in range(opened):
        listed[edges[old + i].code] = 1
    filled, wanted = int64(0), room - opened
    # The best of the rest go to the front, by insertion into the places that are left; what is there has been read.
    for i in range(count):
        code, score = codes[i], s.scores[i]
        if listed[code]:
            continue
        at = filled
        if filled == wanted:
            if wanted == 0 or score <= best[wanted - 1]:
                continue
            at = wanted - 1
        else:
            filled += 1
        while at > 0 and best[at - 1] < score:
            best[at] = best[at - 1]
            codes[at] = codes[at - 1]
            at -= 1
        best[at] = score
        codes[at] = code
    packed = opened == 0 and room > 2
    first = _take_block(s, t, int64(2) if packed else room)
    for i in range(opened):
        edges[first + i] = edges[old + i]
        listed[edges[first + i].code] = 0
    for i in range(int64(2) if packed else wanted):
        _untried(t, first + opened + i, int64(codes[i]))
    if packed:
        # Many nodes never try a second edge: until then, that one keeps the codes of those that come after it.
        last = int64(codes[3]) if room > 3 else int64(0)
        edges[first + 1].child = int64(codes[2]) | (last << _CODE_BITS)
    if opened:
        _give_block(s, t, old, opened)
    place.first = first
    place.state = graph.counted(place.state, count, opened)


@part
def unpack_edges(s: Search, t: Graph, node: int) -> None:
    """Give the node, whose first edge alone is tried, the first edges that ``make_edges`` found, side by side."""
    place, edges = t.nodes[node], t.edges
    old, moves = int64(place.first), graph.moves(place.state)
    room = moves if moves < FIRST_ROOM else int64(FIRST_ROOM)
    first = _take_block(s, t, room)
    edges[first] = edges[old]
    codes = int64(edges[old + 1].child)
    _untried(t, first + 1, int64(edges[old + 1].code))
    _untried(t, first + 2, codes & _CODE_MASK)
    if room > 3:
        _untried(t, first + 3, codes >> _CODE_BITS)
    _give_block(s, t, old, int64(2))
    place.first = first


@part
def make_one_edge(s: Search, t: Graph, node: int, code: int, child: int) -> None:
    """Give the node this move alone."""
    first = _take_block(s, t, int64(1))
    edge, place = t.edges[first], t.nodes[node]
    edge.code = code
    edge.child = child
    edge.visits = 0
    place.first = first
    place.state = graph.counted(place.state, int64(1), int64(child != UNTRIED))
