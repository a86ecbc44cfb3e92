"""The search graph as flat memory: nodes (one for each position), edges (one for each move that was opened), a table.

A node's value and bounds are those of the side to move there. Each node has one evaluation of its own (its first
playout); everything else comes from its edges. Bounds are in half points: ``low`` is what the side to move can force,
``high`` what the opponent can hold it to; the node is *proven* where they meet (score-bounded Monte Carlo tree search,
Cazenave and Saffidine, 2010).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels.jit import inlined, int64, part
from nimdesk.kernels.rules import LOSS, WIN

NODE = np.dtype(
    [
        ("key", np.uint64),
        # Simulations that came through or ended here: as long as the node is not proven, those of its edges and its own
        # playouts together.
        ("visits", np.uint32),
        ("first", np.int32),  # index of the first edge; NO_EDGES where they are not made
        ("value", np.float32),  # expected score in [0, 1] of the side to move, from playouts and edges
        # From the lowest bit: ``low`` and ``high`` (2 bits each); the number of moves that differ, known once the edges
        # are made, and of edges that have been tried (10 each); the score, for the side to move and in parts of a half
        # point, of the one playout that begins here while the graph grows, or what stands in for it (8).
        ("state", np.uint32),
    ],
    align=True,
)
HIGH_AT, MOVES_AT, OPENED_AT, SCORE_AT = 2, 4, 14, 24
BOUND_MASK, MOVES_MASK = 3, 1023
PARTS = 64
"""A half point has so many parts: a power of two, so that all sums are exact."""
# Without padding, since there are more edges than nodes.
EDGE = np.dtype([("child", np.int32), ("visits", np.uint32), ("code", np.int16)])
NO_EDGES = -1
# Children without a node of their own: not tried yet, or the same as an earlier edge of this node. From ``WON_IN`` down
# it is not tried either, since with this move the side to move wins in so many plies by threats: ``WON_IN - plies``.
UNTRIED, DOUBLE, WON_IN = -1, -2, -3
ROOT = 0
# Nodes 1, 2 and 3 stand for every finished game: lost, drawn and won for the side that would be to move.
ENDED = 1
FIRST_FREE = 4
EMPTY = -1

_WORD = (1 << 32) - 1

Nodes = NDArray[Any]
Edges = NDArray[Any]
Table = NDArray[np.int32]


class Graph(NamedTuple):
    """``nodes`` (of ``NODE``), ``edges`` (of ``EDGE``), and the hash ``table`` of nodes (int32).

    A slot of the table is a node's index in the bits of ``index_mask``, which is larger than any index, and bits of its
    key in the others: most nodes that are not the one looked for are told from it without a look at them. ``scores``
    (int64) is empty while the graph grows. Then it has a number for each node: the score, in parts of half points and
    for the side to move, of the further playouts that began there.
    """

    nodes: Nodes
    edges: Edges
    table: Table
    index_mask: int
    scores: NDArray[np.int64]


@inlined
def low(state: int) -> int:
    """What the side to move can force, from the state of a node."""
    return int64(state) & BOUND_MASK


@inlined
def high(state: int) -> int:
    """What the opponent can hold the side to move to."""
    return (int64(state) >> HIGH_AT) & BOUND_MASK


@inlined
def proven(state: int) -> bool:
    """Whether the bounds meet."""
    return bool(((int64(state) ^ (int64(state) >> HIGH_AT)) & BOUND_MASK) == 0)


@inlined
def moves(state: int) -> int:
    """The number of moves that differ."""
    return (int64(state) >> MOVES_AT) & MOVES_MASK


@inlined
def opened(state: int) -> int:
    """The number of edges that have been tried."""
    return (int64(state) >> OPENED_AT) & MOVES_MASK


@inlined
def bounded(state: int, least: int, most: int) -> int:
    """The state with these bounds."""
    return (int64(state) & ~int64(15)) | least | (most << HIGH_AT)


@inlined
def counted(state: int, count: int, tried: int) -> int:
    """The state with these numbers of moves and of edges tried."""
    kept = int64(state) & ~int64((MOVES_MASK << MOVES_AT) | (MOVES_MASK << OPENED_AT))
    return kept | (count << MOVES_AT) | (tried << OPENED_AT)


@inlined
def playout_score(t: Graph, node: np.uint64) -> float:
    """The score, for the side to move, of the playouts that began at the node, each from 0 to 1."""
    score = int64(t.nodes[node].state) >> SCORE_AT
    if t.scores.size > 0:
        score += t.scores[node]
    return score * (0.5 / PARTS)


@part
def clear(t: Graph, node: int, key: np.uint64, low: int, high: int) -> None:
    """Make the place a node without visits and edges."""
    place = t.nodes[node]
    place.key = key
    place.value = 0.25 * (low + high)
    place.visits = 0
    place.first = NO_EDGES
    place.state = low | (high << HIGH_AT)


def clear_all(nodes: Nodes, table: Table) -> None:
    """An empty graph: the root and the ended games."""
    table[:] = EMPTY
    for node, low, high in ((ROOT, LOSS, WIN), *((ENDED + result, result, result) for result in range(LOSS, WIN + 1))):
        nodes[node] = (0, 0, NO_EDGES, 0.25 * (low + high), low | (high << HIGH_AT))


def index_mask(nodes: int) -> int:
    """The bits that the index of any of so many nodes fits into, and is not all of."""
    return (1 << nodes.bit_length()) - 1


@part
def find(t: Graph, key: np.uint64) -> int:
    """The node with this key, or ``EMPTY - slot`` with the slot of the table where it belongs."""
    # The low half of the key says where, the high half is what the table knows of it.
    slot = int64(((key & np.uint64(_WORD)) * np.uint64(t.table.size)) >> np.uint64(32))
    tag = int64(key >> np.uint64(32)) & ~int64(t.index_mask)
    while t.table[slot] != EMPTY:
        entry = int64(t.table[slot]) & int64(_WORD)
        if (entry & ~int64(t.index_mask)) == tag:
            node = entry & int64(t.index_mask)
            if t.nodes[np.uint64(node)].key == key:
                return node
        slot += 1
        if slot == t.table.size:
            slot = int64(0)
    return EMPTY - slot


@inlined
def put(t: Graph, slot: int, key: np.uint64, node: int) -> None:
    """Enter the node, which has this key, where ``find`` says that it belongs."""
    t.table[slot] = np.int32(node | (int64(key >> np.uint64(32)) & ~int64(t.index_mask)))


@part
def enter(t: Graph, first: int, stop: int) -> None:
    """Enter these nodes, which the table does not know."""
    for node in range(first, stop):
        key = t.nodes[node].key
        put(t, EMPTY - find(t, key), key, node)


class Readable:
    """Nodes as Python reads them: indexed, they are records with a field for each thing that they say."""

    def __init__(self, t: Graph) -> None:
        """Of this graph as it is now."""
        self._graph = t

    def __len__(self) -> int:
        """Places, used or not."""
        return len(self._graph.nodes)

    def __getitem__(self, which: Any) -> NDArray[Any]:
        """A copy of one or more nodes."""
        nodes = self._graph.nodes[which]
        state = nodes["state"].astype(np.int64)
        read = np.zeros(state.shape, _READ)
        for name in ("key", "visits", "first", "value"):
            read[name] = nodes[name]
        read["low"], read["high"] = state & BOUND_MASK, (state >> HIGH_AT) & BOUND_MASK
        read["moves"], read["opened"] = (state >> MOVES_AT) & MOVES_MASK, (state >> OPENED_AT) & MOVES_MASK
        score = state >> SCORE_AT
        if self._graph.scores.size:
            score = score + self._graph.scores[which]
        read["playout_score"] = score * (0.5 / PARTS)
        return read[()]


_READ = np.dtype(
    [
        ("key", np.uint64),
        ("visits", np.uint32),
        ("first", np.int32),
        ("value", np.float32),
        ("playout_score", np.float64),
        ("moves", np.int16),
        ("opened", np.int16),
        ("low", np.uint8),
        ("high", np.uint8),
    ]
)
