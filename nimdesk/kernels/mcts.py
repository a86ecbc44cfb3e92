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

The rule of selection is the textbook's, ``mean + c * sqrt(ln N / n)``.
"""

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import bits, graph, identity, rules
from nimdesk.kernels import random as rng
from nimdesk.kernels.graph import DOUBLE, EMPTY, ENDED, FIRST_FREE, NO_EDGES, ROOT, UNTRIED
from nimdesk.kernels.identity import LOSES, NOTHING, WINS
from nimdesk.kernels.jit import inlined, int64, kernel, part
from nimdesk.kernels.rules import LOSS, ONGOING, WIN

# Slots of ``Search.counts``.
NODES, EDGES, ITERATIONS, TRACE_ROWS, DEPTH, PROVEN_AT, PLAYOUTS, UNLISTED = 0, 1, 2, 3, 4, 5, 6, 7
# Why ``run`` came back.
DONE, NEEDS_MEMORY, PROVEN = 0, 1, 2
# Edges are made in blocks of this many, then twice as many: sizes of which there are so many below the most moves.
FIRST_ROOM = 4
BLOCK_SIZES = 12


class Search(NamedTuple):
    """Everything of one search but the rules, the identity and the graph.

    ``exploration`` is c. ``merge``: equal positions share a node. ``prove``: bounds are backed up and used.
    ``order``: moves come by the heuristic, not in random order. A node with more than ``wide`` moves opens ``wide`` +
    ``widening`` * sqrt(visits) of them. ``margin`` edges are room enough for one simulation. ``counts`` (int64) has
    the named slots above (from node ``UNLISTED`` on, nodes are not in the table yet, which is new then), ``random``
    (uint64, 1) the generator, ``roots`` (float32, 2 x numbers) sqrt(ln N) and 1 / sqrt(n) for small numbers; ``free``
    (int32, ``BLOCK_SIZES``) the heads of the lists of blocks of edges given back, by the power of two. ``path`` and
    ``taken`` (int32: nodes and edges of the simulation), ``totals`` (float64: what the nodes of the path are made of
    but for the edge taken; below 0 where that is to be worked out anew), ``codes`` (int16), ``scores`` and ``best``
    (int64) and ``listed`` (uint8, one for each code) are scratch. Checkpoints: at the iterations ``trace_at`` (int64,
    T) the root goes into a row of ``trace_visits`` (uint32, T x L) and ``trace_score`` (half points of the side to
    move, float64, T x L); ``column_of`` (int32) maps a move to its column; ``trace_playouts`` (int64, T) are the
    playouts by then, ``trace_bounds`` (uint8, T x L) what was proven of each move: 0 for one not opened, else 1 + 3 *
    low + high, in half points of the side to move.
    """

    exploration: float
    merge: bool
    prove: bool
    order: bool
    wide: int
    widening: float
    margin: int
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
    trace_bounds: NDArray[np.uint8]


@inlined
def _size_of(room: int) -> int:
    """Which power of two, or -1: all blocks that are ever given back are such."""
    return int64(bits.lowest_bit(np.uint64(room))) if room & (room - 1) == 0 else int64(-1)


@inlined
def _take_block(s: Search, edges: graph.Edges, room: int) -> int:
    """The first of so many edges side by side: a block that was given back, or new memory."""
    size = _size_of(room)
    if size >= 0 and s.free[size] >= 0:
        first = int64(s.free[size])
        s.free[size] = edges[first].child
        return first
    first = int64(s.counts[EDGES])
    s.counts[EDGES] = first + room
    return first


@inlined
def _give_block(s: Search, edges: graph.Edges, first: int, room: int) -> None:
    size = _size_of(room)
    edges[first].child = s.free[size]
    s.free[size] = first


@inlined
def _make_edges(g: Any, s: Search, nodes: graph.Nodes, edges: graph.Edges, node: int, random: np.uint64) -> None:
    """Make the node's first edges, or more of them; those that are there stay the first."""
    # Numbers of its own: those that follow ``random`` are the playouts'.
    count = identity.candidates(g, node == ROOT, s.order, rng.bits(random), s.codes, s.scores)
    old, opened = int64(nodes[node].first), int64(nodes[node].opened)
    room_before = int64(nodes[node].room)
    room = 2 * room_before if room_before else int64(FIRST_ROOM)
    room = room if room < count else count
    first = _take_block(s, edges, room)
    for i in range(opened):
        edges[first + i] = edges[old + i]
        s.listed[edges[old + i].code] = 1
    filled = opened
    # The best of the rest, by insertion into the places that are left.
    for i in range(count):
        code, score = s.codes[i], s.scores[i]
        if s.listed[code]:
            continue
        at = filled
        if filled == room:
            if opened == room or score <= s.best[room - 1]:
                continue
            at = room - 1
        else:
            filled += 1
        while at > opened and s.best[at - 1] < score:
            s.best[at] = s.best[at - 1]
            edges[first + at].code = edges[first + at - 1].code
            at -= 1
        s.best[at] = score
        edges[first + at].code = code
    for i in range(opened):
        s.listed[edges[first + i].code] = 0
    for i in range(opened, room):
        edges[first + i].child = UNTRIED
        edges[first + i].visits = 0
    if room_before:
        _give_block(s, edges, old, room_before)
    nodes[node].first = first
    nodes[node].room = room
    nodes[node].moves = count


@inlined
def _one_edge(s: Search, nodes: graph.Nodes, edges: graph.Edges, node: int, code: int, child: int) -> None:
    """Give the node this move alone."""
    first = _take_block(s, edges, int64(1))
    edges[first].code = code
    edges[first].child = child
    edges[first].visits = 0
    nodes[node].first = first
    nodes[node].moves = nodes[node].room = 1
    nodes[node].opened = 0 if child == UNTRIED else 1


@inlined
def _settle(nodes: graph.Nodes, node: np.uint64, total: float) -> None:
    """Give the node its mean value, within its bounds."""
    value = total / nodes[node].visits if nodes[node].visits else np.float64(nodes[node].value)
    least, most = 0.5 * nodes[node].low, 0.5 * nodes[node].high
    value = least if value < least else value
    nodes[node].value = most if value > most else value


@part
def _refresh(nodes: graph.Nodes, edges: graph.Edges, node: np.uint64, prove: bool) -> None:
    """Work out the node's bounds and value from its children."""
    first, opened = int64(nodes[node].first), int64(nodes[node].opened)
    low, best = int64(nodes[node].low), int64(LOSS)
    total = 0.5 * nodes[node].playout_score
    edge = np.uint64(first)
    for _ in range(opened):
        if edges[edge].child >= 0:
            child = np.uint64(edges[edge].child)
            least, most = int64(WIN) - nodes[child].high, int64(WIN) - nodes[child].low
            low = least if least > low else low
            best = most if most > best else best
            total += edges[edge].visits * (1.0 - nodes[child].value)
        elif edges[edge].child == UNTRIED:
            best = int64(WIN)
        edge += np.uint64(1)
    if prove:
        nodes[node].low = low
        if first != NO_EDGES and opened == nodes[node].moves and best < nodes[node].high:
            nodes[node].high = best
    if nodes[node].low == nodes[node].high:
        nodes[node].value = 0.5 * nodes[node].low
    else:
        _settle(nodes, node, total)


@inlined
def _select(s: Search, nodes: graph.Nodes, edges: graph.Edges, node: np.uint64, depth: int) -> int:
    """The edge to follow among the opened ones; -1 where none of them can matter any more.

    What the node's value is made of, but for this edge, is kept for the way back.
    """
    n = int64(nodes[node].visits)
    factor = s.exploration * _root_of_log(s, n)
    first, opened = int64(nodes[node].first), int64(nodes[node].opened)
    # Bounds of the children are the other way round: nothing beats ``certain`` that is at most ``beaten`` here.
    certain = int64(WIN) - nodes[node].low
    beaten = certain if s.prove else int64(WIN + 1)
    total = 0.5 * nodes[node].playout_score
    best, best_bound, best_part = int64(-1), -1.0, 0.0
    most, least = int64(WIN), int64(WIN)
    edge = np.uint64(first)
    for i in range(opened):
        if edges[edge].child != DOUBLE:
            child = np.uint64(edges[edge].child)
            visits = edges[edge].visits
            mean = 1.0 - nodes[child].value
            part = visits * mean
            total += part
            high, low = int64(nodes[child].high), int64(nodes[child].low)
            least = high if high < least else least
            most = low if low < most else most
            bound = mean + factor * _inverse_root(s, visits)
            if low < beaten and bound > best_bound:
                best, best_bound, best_part = first + i, bound, part
        edge += np.uint64(1)
    # Where the bounds of a child have changed meanwhile, all is to be worked out anew.
    all_open = opened == nodes[node].moves
    changed = s.prove and (least < certain or (all_open and int64(WIN) - most < nodes[node].high))
    s.totals[depth] = -1.0 if changed else total - best_part
    return best


@inlined
def _root_of_log(s: Search, n: int) -> float:
    return np.float64(s.roots[0, n]) if n < s.roots.shape[1] else sqrt(log(n))


@inlined
def _inverse_root(s: Search, n: np.uint32) -> float:
    return np.float64(s.roots[1, n]) if n < s.roots.shape[1] else 1.0 / sqrt(n)


@inlined
def _wanted(s: Search, nodes: graph.Nodes, node: int) -> int:
    """How many edges should be open by now."""
    moves = int64(nodes[node].moves)
    wanted = s.wide + int64(s.widening * sqrt(nodes[node].visits))
    return moves if moves <= s.wide or moves < wanted else wanted


@inlined
def _wants_more(s: Search, nodes: graph.Nodes, node: int) -> bool:
    """Whether fewer edges are open than ``_wanted`` says; without a square root, since this is asked at every step."""
    opened = int64(nodes[node].opened)
    if opened == nodes[node].moves:
        return False
    beyond = float(opened - s.wide + 1)
    return (
        beyond <= 0.0 or nodes[node].moves <= s.wide or s.widening * s.widening * nodes[node].visits >= beyond * beyond
    )


@inlined
def _record(s: Search, nodes: graph.Nodes, edges: graph.Edges) -> None:
    row = s.counts[TRACE_ROWS]
    first = nodes[ROOT].first
    for e in range(first, first + nodes[ROOT].opened):
        if edges[e].child >= 0:
            column = s.column_of[edges[e].code]
            s.trace_visits[row, column] = edges[e].visits
            child = edges[e].child
            s.trace_score[row, column] = 2.0 * edges[e].visits * (1.0 - nodes[child].value)
            low, high = WIN - int64(nodes[child].high), WIN - int64(nodes[child].low)
            s.trace_bounds[row, column] = 1 + 3 * low + high
    s.trace_playouts[row] = s.counts[PLAYOUTS]
    s.counts[TRACE_ROWS] = row + 1


@inlined
def _known_win(g: Any, s: Search, nodes: graph.Nodes, table: graph.Table) -> tuple[int, int]:
    """A move to a position that is known to be lost for the opponent: its code and that node; -1 without one."""
    for i in range(identity.candidates(g, False, False, np.uint64(0), s.codes, s.scores)):
        code = int64(s.codes[i])
        child = graph.find(nodes, table, identity.key_after(g, code))
        if child >= 0 and nodes[child].high == LOSS:
            return code, child
    return int64(-1), int64(UNTRIED)


@inlined
def _new_node(g: Any, s: Search, nodes: graph.Nodes, edges: graph.Edges, table: graph.Table, key: np.uint64) -> int:
    """A node for the working position, with what is seen at once."""
    node = int64(s.counts[NODES])
    s.counts[NODES] = node + 1
    seen, code = NOTHING, int64(-1)
    low, high = int64(LOSS), int64(WIN)
    if s.prove:
        seen, code = identity.assess(g)
        low, high = identity.outlook(g)
    known, child = int64(-1), int64(UNTRIED)
    if seen == NOTHING and s.merge and s.prove and identity.few_moves(g):
        known, child = _known_win(g, s, nodes, table)
    if seen == WINS or known >= 0:
        low = high = int64(WIN)
    if seen == LOSES:
        low = high = int64(LOSS)
    graph.clear(nodes, node, key, low, high)
    if seen == WINS:
        child = int64(ENDED + LOSS)
    elif known >= 0:
        code = known
    if code >= 0:
        _one_edge(s, nodes, edges, node, code, child)
    return node


@inlined
def _open_edge(
    g: Any,
    s: Search,
    nodes: graph.Nodes,
    edges: graph.Edges,
    table: graph.Table,
    node: int,
    wanted: int,
    random: np.uint64,
) -> int:
    """Open edges up to ``wanted``: those to positions that are proven already without a visit; the first other one.

    -1 if there is none.
    """
    linked = False
    edge = -1
    while edge < 0 and nodes[node].opened < wanted:
        opened = int64(nodes[node].opened)
        if opened == nodes[node].room:
            _make_edges(g, s, nodes, edges, node, random)
        edge = int64(nodes[node].first) + opened
        nodes[node].opened = opened + 1
        if node != ROOT and s.merge and s.prove:
            child = graph.find(nodes, table, identity.key_after(g, int64(edges[edge].code)))
            if child >= 0 and nodes[child].low == nodes[child].high:
                edges[edge].child = child
                linked = True
                edge = -1
    if linked:
        _refresh(nodes, edges, np.uint64(node), s.prove)
        if nodes[node].low == nodes[node].high:
            return -1
    return edge


@inlined
def _choose_edge(
    g: Any,
    s: Search,
    nodes: graph.Nodes,
    edges: graph.Edges,
    table: graph.Table,
    node: int,
    depth: int,
    grow: bool,
    random: np.uint64,
) -> int:
    """The edge to follow: a new one while there should be more, else by the bound; -1 where nothing can matter."""
    edge = int64(-1)
    wanted = _wanted(s, nodes, node) if grow and _wants_more(s, nodes, node) else int64(0)
    while True:
        s.totals[depth] = -1.0
        if wanted > 0:
            edge = _open_edge(g, s, nodes, edges, table, node, wanted, random)
        if edge < 0 and nodes[node].low != nodes[node].high:
            edge = _select(s, nodes, edges, np.uint64(node), depth)
            if edge < 0 and grow and nodes[node].opened < nodes[node].moves:
                # All that are open are settled.
                wanted = int64(nodes[node].moves)
                continue
        return edge


@inlined
def _follow(
    r: Any, g: Any, s: Search, nodes: graph.Nodes, edges: graph.Edges, table: graph.Table, node: int, edge: int
) -> tuple[int, int]:
    """Play the edge's move; the edge that counts the visit, and the node behind it, new or known."""
    code = int64(edges[edge].code)
    move = code if node == ROOT else identity.to_move(g, code)
    identity.moved(g, move)
    result = rules.play(r, move)
    if result != ONGOING:
        edges[edge].child = ENDED + WIN - result
        return edge, ENDED + WIN - result
    key = identity.key(g)
    child = int64(edges[edge].child)
    if child != UNTRIED:
        return edge, child
    child = graph.find(nodes, table, key) if s.merge else EMPTY
    if child < 0:
        slot = EMPTY - child
        child = _new_node(g, s, nodes, edges, table, key)
        if s.merge:
            table[slot] = child
    elif node != ROOT:
        for known in range(nodes[node].first, edge):
            if edges[known].child == child:
                edges[edge].child = DOUBLE
                return known, child
    edges[edge].child = child
    return edge, child


@inlined
def _back_up(s: Search, nodes: graph.Nodes, edges: graph.Edges, depth: int, changed: bool) -> None:
    """Count the visit along the path; ``changed`` says that the last position's bounds are not what they were."""
    for i in range(depth - 1, -1, -1):
        edge, node = np.uint64(s.taken[i]), np.uint64(s.path[i])
        edges[edge].visits += 1
        nodes[node].visits += 1
        low, high = nodes[node].low, nodes[node].high
        if low == high:
            changed = False
        elif changed or s.totals[i] < 0.0:
            _refresh(nodes, edges, node, s.prove)
            changed = nodes[node].low != low or nodes[node].high != high
        else:
            child = np.uint64(edges[edge].child)
            _settle(nodes, node, s.totals[i] + edges[edge].visits * (1.0 - nodes[child].value))


@inlined
def _play_out(
    r: Any, s: Search, nodes: graph.Nodes, edges: graph.Edges, node: np.uint64, random: np.uint64
) -> tuple[np.uint64, bool]:
    """Play out from the node, which is visited so; the random state, and whether its bounds may have changed."""
    random, score = rules.playout(r, random)
    s.counts[PLAYOUTS] += 1
    nodes[node].visits += 1
    nodes[node].playout_score += score
    if nodes[node].first == NO_EDGES:
        _settle(nodes, node, 0.5 * nodes[node].playout_score)
        return random, False
    _refresh(nodes, edges, node, s.prove)
    return random, True


@inlined
def _confirm(s: Search, nodes: graph.Nodes, edges: graph.Edges) -> bool:
    """At a proven root, visit the best move once more; False where it has more visits than any worse move by now.

    It is what selection comes to with a certain value, but for exploration: there is nothing left to explore.
    """
    first = int64(nodes[ROOT].first)
    best, most, others = int64(-1), int64(-1), int64(-1)
    for e in range(first, first + nodes[ROOT].opened):
        child = edges[e].child
        visits = int64(edges[e].visits)
        if child >= 0 and WIN - int64(nodes[child].high) == int64(nodes[ROOT].low):
            if visits > most:
                best, most = e, visits
        else:
            others = visits if visits > others else others
    if best < 0 or most > others:
        return False
    child = edges[best].child
    edges[best].visits += 1
    nodes[ROOT].visits += 1
    if child >= FIRST_FREE:
        nodes[child].visits += 1
    s.path[0], s.taken[0] = ROOT, best
    return True


@inlined
def _count(s: Search, nodes: graph.Nodes, edges: graph.Edges, depth: int) -> None:
    """A simulation of this depth is done."""
    s.counts[ITERATIONS] += 1
    if depth > s.counts[DEPTH]:
        s.counts[DEPTH] = depth
    if s.counts[ITERATIONS] == s.trace_at[s.counts[TRACE_ROWS]]:
        _record(s, nodes, edges)


@kernel
def run(
    r: Any, g: Any, s: Search, nodes: graph.Nodes, edges: graph.Edges, table: graph.Table, grow: bool, count: int
) -> int:
    """Do ``count`` simulations; ``DONE``, ``PROVEN`` when the root is and its visits say so, or ``NEEDS_MEMORY``.

    ``NEEDS_MEMORY`` comes before a simulation for which there might not be room. Without ``grow`` nodes and edges stay
    as they are, and simulations play out from where the graph ends.
    """
    random = s.random[0]
    status = DONE
    if s.merge:
        graph.enter(nodes, table, s.counts[UNLISTED], s.counts[NODES])
    for _ in range(count):
        if nodes[ROOT].low == nodes[ROOT].high:
            if not _confirm(s, nodes, edges):
                status = PROVEN
                break
            _count(s, nodes, edges, int64(1))
            continue
        if grow and (s.counts[NODES] + s.path.size > nodes.size or s.counts[EDGES] + s.margin > edges.size):
            status = NEEDS_MEMORY
            break
        rules.reset(r)
        identity.begin(g)
        node, depth = int64(ROOT), int64(0)
        # Where a simulation ends without a playout, it has met or found a proven position.
        changed, played_out = True, False
        while nodes[node].low != nodes[node].high:
            edge = -1
            if nodes[node].first == NO_EDGES and grow and (nodes[node].visits > 0 or node == ROOT):
                random = rng.step(random)
                _make_edges(g, s, nodes, edges, node, random)
            if nodes[node].first != NO_EDGES:
                random = rng.step(random)
                edge = _choose_edge(g, s, nodes, edges, table, node, depth, grow, random)
            if edge < 0:
                if nodes[node].first != NO_EDGES:
                    _refresh(nodes, edges, np.uint64(node), s.prove)
                if nodes[node].low != nodes[node].high:
                    random, changed = _play_out(r, s, nodes, edges, np.uint64(node), random)
                    played_out = True
                break
            s.path[depth] = node
            edge, node = _follow(r, g, s, nodes, edges, table, node, edge)
            s.taken[depth] = edge
            depth += 1
        if not played_out and (node == ROOT or node >= FIRST_FREE):
            nodes[node].visits += 1
        _back_up(s, nodes, edges, depth, changed)
        if nodes[ROOT].low == nodes[ROOT].high:
            s.counts[PROVEN_AT] = s.counts[ITERATIONS] + 1
        _count(s, nodes, edges, depth)
    s.random[0] = random
    s.counts[UNLISTED] = s.counts[NODES]
    return status


@kernel
def principal_variation(g: Any, nodes: graph.Nodes, edges: graph.Edges, edge: int, out: NDArray[np.int16]) -> None:
    """Follow the move of a root edge and from there the most visits among what keeps the proven value; moves, then -1.

    ``out`` holds the longest line.
    """
    identity.begin(g)
    node = int64(ROOT)
    length = 0
    while edge >= 0 and length < out.size:
        code = int64(edges[edge].code)
        move = code if node == ROOT else identity.to_move(g, code)
        out[length] = move
        length += 1
        node = int64(edges[edge].child)
        if node < FIRST_FREE:
            break
        identity.moved(g, move)
        identity.key(g)
        edge = _favourite(nodes, edges, node)
    if length < out.size:
        out[length] = -1


@inlined
def _favourite(nodes: graph.Nodes, edges: graph.Edges, node: int) -> int:
    first = nodes[node].first
    best, most = int64(-1), int64(-1)
    for e in range(first, first + nodes[node].opened):
        child = edges[e].child
        if child >= 0 and WIN - nodes[child].low >= nodes[node].low:
            keeps = nodes[node].low != nodes[node].high or WIN - nodes[child].high == nodes[node].low
            if keeps and edges[e].visits > most:
                best, most = e, int64(edges[e].visits)
    return best
