"""The search graph as flat memory: nodes (one for each position), edges (one for each move that was opened), a table.

A node's value and bounds are those of the side to move there. Each node has one evaluation of its own (its first
playout); everything else comes from its edges. Bounds are in half points: ``low`` is what the side to move can force,
``high`` what the opponent can hold it to; the node is *proven* where they meet (score-bounded Monte Carlo tree search,
Cazenave and Saffidine, 2010).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels.jit import int64, part
from nimdesk.kernels.rules import LOSS, WIN

NODE = np.dtype(
    [
        ("key", np.uint64),
        # Simulations that came through or ended here: as long as the node is not proven, those of its edges and its own
        # playouts together.
        ("visits", np.uint32),
        ("value", np.float32),  # expected score in [0, 1] of the side to move, from playouts and edges
        ("playout_score", np.uint32),  # half points, for the side to move, of the playouts that began here
        ("first", np.int32),  # index of the first edge; NO_EDGES where they are not made
        ("moves", np.int16),  # number of moves that differ, known once the edges are made
        ("room", np.int16),  # number of edges that are made, the best first
        ("opened", np.int16),  # number of edges that have been tried
        ("low", np.uint8),
        ("high", np.uint8),
    ],
    align=True,
)
# Without padding, since there are more edges than nodes.
EDGE = np.dtype([("child", np.int32), ("visits", np.uint32), ("code", np.int16)])
NO_EDGES = -1
# Children without a node of their own: not tried yet, or the same as an earlier edge of this node.
UNTRIED, DOUBLE = -1, -2
ROOT = 0
# Nodes 1, 2 and 3 stand for every finished game: lost, drawn and won for the side that would be to move.
ENDED = 1
FIRST_FREE = 4
EMPTY = -1

Nodes = NDArray[Any]
Edges = NDArray[Any]
Table = NDArray[np.int32]


class Graph(NamedTuple):
    """``nodes`` (of ``NODE``), ``edges`` (of ``EDGE``), and the hash ``table`` of nodes (int32, a power of two)."""

    nodes: Nodes
    edges: Edges
    table: Table


@part
def clear(t: Graph, node: int, key: np.uint64, low: int, high: int) -> None:
    """Make the place a node without visits and edges."""
    place = t.nodes[node]
    place.key = key
    place.value = 0.25 * (low + high)
    place.visits = 0
    place.playout_score = 0
    place.first = NO_EDGES
    place.moves = 0
    place.room = 0
    place.opened = 0
    place.low = low
    place.high = high


def clear_all(nodes: Nodes, table: Table) -> None:
    """An empty graph: the root and the ended games."""
    table[:] = EMPTY
    for node, low, high in ((ROOT, LOSS, WIN), *((ENDED + result, result, result) for result in range(LOSS, WIN + 1))):
        nodes[node] = (0, 0, 0.25 * (low + high), 0, NO_EDGES, 0, 0, 0, low, high)


@part
def find(t: Graph, key: np.uint64) -> int:
    """The node with this key, or ``EMPTY - slot`` with the slot of the table where it belongs."""
    mask = np.uint64(t.table.size - 1)
    slot = key & mask
    while t.table[slot] != EMPTY:
        if t.nodes[t.table[slot]].key == key:
            return int64(t.table[slot])
        slot = (slot + np.uint64(1)) & mask
    return EMPTY - int64(slot)


@part
def enter(t: Graph, first: int, stop: int) -> None:
    """Enter these nodes, which the table does not know."""
    for node in range(first, stop):
        t.table[EMPTY - find(t, t.nodes[node].key)] = node
