"""How the graph grows: the edges of a node, and what is behind one; for ``kernels.mcts``.

Edges are made in blocks that grow with what is tried. Behind an edge is a position that is known, or a new node.
"""

from typing import Any

import numpy as np

from nimdesk.kernels import graph, identity, rules
from nimdesk.kernels import random as rng
from nimdesk.kernels.graph import DOUBLE, EMPTY, ENDED, ROOT, UNTRIED, WON_IN, Graph
from nimdesk.kernels.identity import BY_FOURS, LOSES, NOTHING, WINS
from nimdesk.kernels.jit import int64, part
from nimdesk.kernels.mcts_state import EDGES, NODES, Search, refresh, select, wanted_edges
from nimdesk.kernels.memory import bits
from nimdesk.kernels.rules import LOSS, ONGOING, WIN

# Edges are made in blocks of this many, then twice as many.
FIRST_ROOM = 4
# More than any score.
_BEFORE_ALL = 1 << 62
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
        if node == ROOT and code == s.first:
            score = _BEFORE_ALL
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
    place.state = graph.counted(place.state, int64(1), int64(child >= 0))


@part
def _known_win(g: Any, s: Search, t: Graph) -> tuple[int, int]:
    """A move to a position that is known to be lost for the opponent: its code and that node; -1 without one."""
    for i in range(identity.candidates(g, False, False, np.uint64(0), s.codes, s.scores)):
        code = int64(s.codes[i])
        child = graph.find(t, identity.key_after(g, code))
        if child >= 0 and graph.high(t.nodes[child].state) == LOSS:
            return code, child
    return int64(-1), int64(UNTRIED)


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
    wanted = wanted_edges(s, t, node) if grow else int64(0)
    while True:
        s.totals[depth] = -1.0
        if wanted > 0:
            edge = _open_edge(g, s, t, node, wanted, random)
        if edge < 0 and not graph.proven(place.state):
            edge = select(s, t, np.uint64(node), depth)
            if edge < 0 and grow and graph.opened(place.state) < graph.moves(place.state):
                # All that are open are settled.
                wanted = graph.moves(place.state)
                continue
        return edge


@part
def _new_node(g: Any, s: Search, t: Graph, key: np.uint64) -> int:
    """A node for the working position, with what is seen at once."""
    node = int64(s.counts[NODES])
    s.counts[NODES] = node + 1
    seen, code, child = NOTHING, int64(-1), int64(UNTRIED)
    low, high = int64(LOSS), int64(WIN)
    if s.prove:
        seen, code = identity.assess(g)
        low, high = identity.outlook(g)
    if seen == NOTHING and s.look_ahead:
        code, child = _known_win(g, s, t)
    elif seen == WINS:
        child = int64(ENDED + LOSS)
    elif seen == LOSES:
        low = high = int64(LOSS)
    elif seen > BY_FOURS:
        child = WON_IN - (seen - BY_FOURS)
    if child != UNTRIED:
        low = high = int64(WIN)
    graph.clear(t, node, key, low, high)
    if code >= 0:
        make_one_edge(s, t, node, code, child)
    return node


@part
def follow(r: Any, g: Any, s: Search, t: Graph, node: int, edge: int) -> tuple[int, int]:
    """Play the edge's move; the edge that counts the visit, and the node behind it, new or known."""
    taken = t.edges[edge]
    code = int64(taken.code)
    move = code if node == ROOT else identity.to_move(g, code)
    identity.moved(g, move)
    result = rules.play(r, move)
    if result != ONGOING:
        taken.child = ENDED + WIN - result
        return edge, int64(taken.child)
    key = identity.key(g)
    child = int64(taken.child)
    if child != UNTRIED:
        return edge, child
    child = graph.find(t, key) if s.merge else int64(EMPTY)
    if child < 0:
        slot = EMPTY - child
        child = _new_node(g, s, t, key)
        if s.merge:
            graph.put(t, slot, key, child)
    elif node != ROOT:
        for known in range(t.nodes[node].first, edge):
            if t.edges[known].child == child:
                taken.child = DOUBLE
                return known, child
    taken.child = child
    return edge, child
