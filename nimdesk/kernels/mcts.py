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
from nimdesk.kernels.jit import int64, kernel, large_kernel, part
from nimdesk.kernels.rules import LOSS, ONGOING, WIN, implement

# Slots of ``Search.counts``.
NODES, EDGES, ITERATIONS, TRACE_ROWS, DEPTH, PROVEN_AT, PLAYOUTS, UNLISTED = 0, 1, 2, 3, 4, 5, 6, 7
# Why ``run`` came back.
DONE, NEEDS_MEMORY, PROVEN = 0, 1, 2
# Edges are made in blocks of this many, then twice as many: sizes of which there are so many below the most moves.
FIRST_ROOM = 4
# Two codes fit into what an edge that is not tried yet has no use for.
CODE_BITS, CODE_MASK = 16, (1 << 16) - 1
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
def _make_edges(g: Any, s: Search, t: Graph, node: int, random: np.uint64) -> None:
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
        edges[first + 1].child = int64(codes[2]) | (last << CODE_BITS)
    if opened:
        _give_block(s, t, old, opened)
    place.first = first
    place.state = graph.counted(place.state, count, opened)


@part
def _unpack_edges(s: Search, t: Graph, node: int) -> None:
    """Give the node, whose first edge alone is tried, the first edges that ``_make_edges`` found, side by side."""
    place, edges = t.nodes[node], t.edges
    old, moves = int64(place.first), graph.moves(place.state)
    room = moves if moves < FIRST_ROOM else int64(FIRST_ROOM)
    first = _take_block(s, t, room)
    edges[first] = edges[old]
    codes = int64(edges[old + 1].child)
    _untried(t, first + 1, int64(edges[old + 1].code))
    _untried(t, first + 2, codes & CODE_MASK)
    if room > 3:
        _untried(t, first + 3, codes >> CODE_BITS)
    _give_block(s, t, old, int64(2))
    place.first = first


@part
def _one_edge(s: Search, t: Graph, node: int, code: int, child: int) -> None:
    """Give the node this move alone."""
    first = _take_block(s, t, int64(1))
    edge, place = t.edges[first], t.nodes[node]
    edge.code = code
    edge.child = child
    edge.visits = 0
    place.first = first
    place.state = graph.counted(place.state, int64(1), int64(child != UNTRIED))


@part
def _settle(t: Graph, node: np.uint64, total: float) -> None:
    """Give the node its mean value, within its bounds."""
    place = t.nodes[node]
    value = total / place.visits if place.visits else np.float64(place.value)
    least, most = 0.5 * graph.low(place.state), 0.5 * graph.high(place.state)
    value = least if value < least else value
    place.value = most if value > most else value


@part
def _refresh(t: Graph, node: np.uint64, prove: bool) -> None:
    """Work out the node's bounds and value from its children."""
    place = t.nodes[node]
    state = place.state
    low, high, best = graph.low(state), graph.high(state), int64(LOSS)
    opened = graph.opened(state)
    total = 0.5 * graph.playout_score(t, node)
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
        _settle(t, node, total)


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
        if child >= 0 and graph.high(t.nodes[child].state) == LOSS:
            return code, child
    return int64(-1), int64(UNTRIED)


def _mnk_known_win(g: Any, s: Search, t: Graph) -> tuple[int, int]:
    return int64(-1), int64(UNTRIED)


implement(known_win, identity.NimIdentity, _nim_known_win, inline=False)
implement(known_win, identity.MnkIdentity, _mnk_known_win, inline=False)


@part
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
                _unpack_edges(s, t, node)
        elif opened >= FIRST_ROOM and opened & (opened - 1) == 0:
            _make_edges(g, s, t, node, random)
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
        _refresh(t, np.uint64(node), s.prove)
        if graph.proven(place.state):
            return int64(-1)
    return at


@part
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
        if edge < 0 and not graph.proven(place.state):
            edge = _select(s, t, np.uint64(node), depth)
            if edge < 0 and grow and graph.opened(place.state) < graph.moves(place.state):
                # All that are open are settled.
                wanted = graph.moves(place.state)
                continue
        return edge


@part
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
            graph.put(t, slot, key, child)
    elif node != ROOT:
        for known in range(t.nodes[node].first, edge):
            if t.edges[known].child == child:
                taken.child = DOUBLE
                return known, child
    taken.child = child
    return edge, child


@part
def _back_up(s: Search, t: Graph, depth: int, changed: bool) -> None:
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
            _refresh(t, node, s.prove)
            changed = place.state != state
        else:
            child = t.nodes[np.uint64(edge.child)]
            _settle(t, node, s.totals[i] + edge.visits * (1.0 - child.value))


@part
def _play_out(r: Any, s: Search, t: Graph, node: np.uint64, random: np.uint64) -> tuple[np.uint64, bool]:
    """Play out from the node, which is visited so; the random state, and whether its bounds may have changed."""
    random, score = rules.playout(r, random)
    s.counts[PLAYOUTS] += 1
    place = t.nodes[node]
    place.visits += 1
    if t.scores.size > 0:
        t.scores[node] += score
    else:
        place.state += int64(score) << graph.SCORE_AT
    if place.first == NO_EDGES:
        _settle(t, node, 0.5 * graph.playout_score(t, node))
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
            _make_edges(g, s, t, node, random)
        if place.first != NO_EDGES:
            random = rng.step(random)
            edge = _choose_edge(g, s, t, node, depth, grow, random)
        if edge < 0:
            if place.first != NO_EDGES:
                _refresh(t, np.uint64(node), s.prove)
            if not graph.proven(place.state):
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


@large_kernel
def run(r: Any, g: Any, s: Search, t: Graph, grow: bool, count: int) -> int:
    """Do ``count`` simulations; ``DONE``, ``PROVEN`` when the root is and its visits say so, or ``NEEDS_MEMORY``.

    ``NEEDS_MEMORY`` comes before a simulation for which there might not be room. Without ``grow`` nodes and edges stay
    as they are, simulations play out from where the graph ends, and there have to be ``scores``. All tuples are to be
    held by ``reference.hold``.
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
