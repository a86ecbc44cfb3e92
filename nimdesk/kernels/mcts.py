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
from nimdesk.kernels.graph import DOUBLE, EMPTY, ENDED, FIRST_FREE, NO_EDGES, ROOT, UNTRIED, Graph
from nimdesk.kernels.identity import LOSES, NOTHING, WINS
from nimdesk.kernels.jit import inlined, int64, kernel, part
from nimdesk.kernels.rules import LOSS, ONGOING, WIN, implement

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


@inlined
def _give_block(s: Search, t: Graph, first: int, room: int) -> None:
    size = bits.lowest_bit(np.uint64(room))
    t.edges[first].child = s.free[size]
    s.free[size] = first


@part
def _make_edges(g: Any, s: Search, t: Graph, node: int, random: np.uint64) -> None:
    """Make the node's first edges, or more of them; those that are there stay the first."""
    # Numbers of its own: those that follow ``random`` are the playouts'.
    count = identity.candidates(g, node == ROOT, s.order, rng.bits(random), s.codes, s.scores)
    place, edges = t.nodes[node], t.edges
    old, opened, room_before = int64(place.first), int64(place.opened), int64(place.room)
    room = 2 * room_before if room_before else int64(FIRST_ROOM)
    room = room if room < count else count
    first = _take_block(s, t, room)
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
        _give_block(s, t, old, room_before)
    place.first = first
    place.room = room
    place.moves = count


@inlined
def _one_edge(s: Search, t: Graph, node: int, code: int, child: int) -> None:
    """Give the node this move alone."""
    first = _take_block(s, t, int64(1))
    edge, place = t.edges[first], t.nodes[node]
    edge.code = code
    edge.child = child
    edge.visits = 0
    place.first = first
    place.moves = place.room = 1
    place.opened = 0 if child == UNTRIED else 1


@part
def _settle(t: Graph, node: np.uint64, total: float) -> None:
    """Give the node its mean value, within its bounds."""
    place = t.nodes[node]
    value = total / place.visits if place.visits else np.float64(place.value)
    least, most = 0.5 * place.low, 0.5 * place.high
    value = least if value < least else value
    place.value = most if value > most else value


@part
def _refresh(t: Graph, node: np.uint64, prove: bool) -> None:
    """Work out the node's bounds and value from its children."""
    place = t.nodes[node]
    low, best = int64(place.low), int64(LOSS)
    total = 0.5 * place.playout_score
    at = np.uint64(place.first)
    for _ in range(place.opened):
        edge = t.edges[at]
        if edge.child >= 0:
            child = t.nodes[np.uint64(edge.child)]
            least, most = int64(WIN) - child.high, int64(WIN) - child.low
            low = least if least > low else low
            best = most if most > best else best
            total += edge.visits * (1.0 - child.value)
        elif edge.child == UNTRIED:
            best = int64(WIN)
        at += np.uint64(1)
    if prove:
        place.low = low
        if place.first != NO_EDGES and place.opened == place.moves and best < place.high:
            place.high = best
    if place.low == place.high:
        place.value = 0.5 * place.low
    else:
        _settle(t, node, total)


@inlined
def _select(s: Search, t: Graph, node: np.uint64, depth: int) -> int:
    """The edge to follow among the opened ones; -1 where none of them can matter any more.

    What the node's value is made of, but for this edge, is kept for the way back.
    """
    place = t.nodes[node]
    n, opened = int64(place.visits), int64(place.opened)
    factor = s.exploration * (np.float64(s.roots[0, n]) if n < s.roots.shape[1] else sqrt(log(n)))
    # Bounds of the children are the other way round: nothing beats ``certain`` that is at most ``beaten`` here.
    certain = int64(WIN) - place.low
    beaten = certain if s.prove else int64(WIN + 1)
    total = 0.5 * place.playout_score
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
            high, low = int64(child.high), int64(child.low)
            least = high if high < least else least
            most = low if low < most else most
            root = np.float64(s.roots[1, visits]) if visits < s.roots.shape[1] else 1.0 / sqrt(visits)
            bound = mean + factor * root
            if low < beaten and bound > best_bound:
                best, best_bound, best_part = int64(at), bound, part
        at += np.uint64(1)
    # Where the bounds of a child have changed meanwhile, all is to be worked out anew.
    all_open = opened == place.moves
    changed = s.prove and (least < certain or (all_open and int64(WIN) - most < place.high))
    s.totals[depth] = -1.0 if changed else total - best_part
    return best


@inlined
def _wanted(s: Search, t: Graph, node: int) -> int:
    """How many edges should be open by now; 0 where they are."""
    place = t.nodes[node]
    moves, opened = int64(place.moves), int64(place.opened)
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
def _record(s: Search, t: Graph) -> None:
    row, root = s.counts[TRACE_ROWS], t.nodes[ROOT]
    for e in range(root.first, root.first + root.opened):
        edge = t.edges[e]
        if edge.child >= 0:
            column, child = s.column_of[edge.code], t.nodes[edge.child]
            s.trace_visits[row, column] = edge.visits
            s.trace_score[row, column] = 2.0 * edge.visits * (1.0 - child.value)
            s.trace_bounds[row, column] = 1 + 3 * (WIN - int64(child.high)) + (WIN - int64(child.low))
    s.trace_playouts[row] = s.counts[PLAYOUTS]
    s.counts[TRACE_ROWS] = row + 1


def known_win(g: Any, s: Search, t: Graph) -> tuple[int, int]:
    """A move to a position that is known to be lost for the opponent: its code and that node; -1 without one.

    Only where a game has so few moves that looking all of them up for each new position pays.
    """
    raise NotImplementedError


def _nim_known_win(g: Any, s: Search, t: Graph) -> tuple[int, int]:
    for i in range(identity.candidates(g, False, False, np.uint64(0), s.codes, s.scores)):
        code = int64(s.codes[i])
        child = graph.find(t, identity.key_after(g, code))
        if child >= 0 and t.nodes[child].high == LOSS:
            return code, child
    return int64(-1), int64(UNTRIED)


def _mnk_known_win(g: Any, s: Search, t: Graph) -> tuple[int, int]:
    return int64(-1), int64(UNTRIED)


implement(known_win, identity.NimIdentity, _nim_known_win, inline=False)
implement(known_win, identity.MnkIdentity, _mnk_known_win, inline=False)


@inlined
def _new_node(g: Any, s: Search, t: Graph, key: np.uint64) -> int:
    """A node for the working position, with what is seen at once."""
    node = int64(s.counts[NODES])
    s.counts[NODES] = node + 1
    seen, code = NOTHING, int64(-1)
    low, high = int64(LOSS), int64(WIN)
    if s.prove:
        seen, code = identity.assess(g)
        low, high = identity.outlook(g)
    known, child = int64(-1), int64(UNTRIED)
    if seen == NOTHING and s.merge and s.prove:
        known, child = known_win(g, s, t)
    if seen == WINS or known >= 0:
        low = high = int64(WIN)
    if seen == LOSES:
        low = high = int64(LOSS)
    graph.clear(t, node, key, low, high)
    if seen == WINS:
        child = int64(ENDED + LOSS)
    elif known >= 0:
        code = known
    if code >= 0:
        _one_edge(s, t, node, code, child)
    return node


@inlined
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
    while at < 0 and place.opened < wanted:
        opened = int64(place.opened)
        if opened == place.room:
            _make_edges(g, s, t, node, random)
        at = place.first + opened
        place.opened = opened + 1
        if node != ROOT and s.merge and s.prove:
            edge = t.edges[at]
            child = graph.find(t, identity.key_after(g, int64(edge.code)))
            if child >= 0 and t.nodes[child].low == t.nodes[child].high:
                edge.child = child
                linked = True
                at = int64(-1)
    if linked:
        _refresh(t, np.uint64(node), s.prove)
        if place.low == place.high:
            return int64(-1)
    return at


@inlined
def _choose_edge(
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
        if edge < 0 and place.low != place.high:
            edge = _select(s, t, np.uint64(node), depth)
            if edge < 0 and grow and place.opened < place.moves:
                # All that are open are settled.
                wanted = int64(place.moves)
                continue
        return edge


@inlined
def _follow(r: Any, g: Any, s: Search, t: Graph, node: int, edge: int) -> tuple[int, int]:
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
            t.table[slot] = child
    elif node != ROOT:
        for known in range(t.nodes[node].first, edge):
            if t.edges[known].child == child:
                taken.child = DOUBLE
                return known, child
    taken.child = child
    return edge, child


@inlined
def _back_up(s: Search, t: Graph, depth: int, changed: bool) -> None:
    """Count the visit along the path; ``changed`` says that the last position's bounds are not what they were."""
    for i in range(depth - 1, -1, -1):
        node = np.uint64(s.path[i])
        edge, place = t.edges[np.uint64(s.taken[i])], t.nodes[node]
        edge.visits += 1
        place.visits += 1
        low, high = place.low, place.high
        if low == high:
            changed = False
        elif changed or s.totals[i] < 0.0:
            _refresh(t, node, s.prove)
            changed = place.low != low or place.high != high
        else:
            child = t.nodes[np.uint64(edge.child)]
            _settle(t, node, s.totals[i] + edge.visits * (1.0 - child.value))


@inlined
def _play_out(r: Any, s: Search, t: Graph, node: np.uint64, random: np.uint64) -> tuple[np.uint64, bool]:
    """Play out from the node, which is visited so; the random state, and whether its bounds may have changed."""
    random, score = rules.playout(r, random)
    s.counts[PLAYOUTS] += 1
    place = t.nodes[node]
    place.visits += 1
    place.playout_score += score
    if place.first == NO_EDGES:
        _settle(t, node, 0.5 * place.playout_score)
        return random, False
    _refresh(t, node, s.prove)
    return random, True


@part
def _confirm(s: Search, t: Graph) -> bool:
    """At a proven root, visit the best move once more; False where it has more visits than any worse move by now.

    It is what selection comes to with a certain value, but for exploration: there is nothing left to explore.
    """
    root = t.nodes[ROOT]
    best, most, others = int64(-1), int64(-1), int64(-1)
    for e in range(root.first, root.first + root.opened):
        edge = t.edges[e]
        visits = int64(edge.visits)
        if edge.child >= 0 and WIN - t.nodes[edge.child].high == root.low:
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


@inlined
def _simulate(r: Any, g: Any, s: Search, t: Graph, grow: bool, random: np.uint64) -> tuple[np.uint64, int]:
    """One simulation; the random state, and the depth of the position that it ended in."""
    rules.reset(r)
    identity.begin(g)
    node, depth = int64(ROOT), int64(0)
    # Where a simulation ends without a playout, it has met or found a proven position.
    changed, played_out = True, False
    place = t.nodes[ROOT]
    while place.low != place.high:
        edge = int64(-1)
        if place.first == NO_EDGES and grow and (place.visits > 0 or node == ROOT):
            random = rng.step(random)
            _make_edges(g, s, t, node, random)
        if place.first != NO_EDGES:
            random = rng.step(random)
            edge = _choose_edge(g, s, t, node, depth, grow, random)
        if edge < 0:
            if place.first != NO_EDGES:
                _refresh(t, np.uint64(node), s.prove)
            if place.low != place.high:
                random, changed = _play_out(r, s, t, np.uint64(node), random)
                played_out = True
            break
        s.path[depth] = node
        edge, node = _follow(r, g, s, t, node, edge)
        s.taken[depth] = edge
        depth += 1
        place = t.nodes[node]
    if not played_out and (node == ROOT or node >= FIRST_FREE):
        place.visits += 1
    _back_up(s, t, depth, changed)
    return random, depth


@kernel
def run(r: Any, g: Any, s: Search, t: Graph, grow: bool, count: int) -> int:
    """Do ``count`` simulations; ``DONE``, ``PROVEN`` when the root is and its visits say so, or ``NEEDS_MEMORY``.

    ``NEEDS_MEMORY`` comes before a simulation for which there might not be room. Without ``grow`` nodes and edges stay
    as they are, and simulations play out from where the graph ends. All tuples are to be held by ``reference.hold``.
    """
    random = s.random[0]
    status = DONE
    root = t.nodes[ROOT]
    if s.merge:
        graph.enter(t, s.counts[UNLISTED], s.counts[NODES])
    for _ in range(count):
        depth = int64(1)
        if root.low == root.high:
            if not _confirm(s, t):
                status = PROVEN
                break
        else:
            if grow and (s.counts[NODES] + s.path.size > t.nodes.size or s.counts[EDGES] + s.margin > t.edges.size):
                status = NEEDS_MEMORY
                break
            random, depth = _simulate(r, g, s, t, grow, random)
            if root.low == root.high:
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


@inlined
def _favourite(t: Graph, node: int) -> int:
    place = t.nodes[node]
    best, most = int64(-1), int64(-1)
    for e in range(place.first, place.first + place.opened):
        edge = t.edges[e]
        if edge.child >= 0:
            child = t.nodes[edge.child]
            keeps = place.low != place.high or WIN - child.high == place.low
            if keeps and WIN - child.low >= place.low and edge.visits > most:
                best, most = e, int64(edge.visits)
    return best
