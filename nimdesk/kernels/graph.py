"""The search graph as flat memory: nodes (one for each position), edges (one for each move that was opened), a table.

A node's value and bounds are those of the side to move there. Each node has one evaluation of its own (its first
playout); everything else comes from its edges. Bounds are in half points: ``low`` is what the side to move can force,
``high`` what the opponent can hold it to; the node is *proven* where they meet (score-bounded Monte Carlo tree search,
Cazenave and Saffidine, 2010).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels.jit import inlined, int64, kernel
from nimdesk.kernels.rules import LOSS, WIN

NODE = np.dtype(
    [
        ("key", np.uint64),
        ("value", np.float64),  # expected score in [0, 1] of the side to move, from playouts and edges
        ("visits", np.uint32),  # simulations that came through or ended here
        ("playouts", np.uint32),  # those that ended here with a playout
        ("playout_score", np.uint32),  # their half points for the side to move
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


@inlined
def clear(nodes: Nodes, node: int, key: np.uint64, low: int, high: int) -> None:
    """Make the place a node without visits and edges."""
    nodes[node].key = key
    nodes[node].value = 0.25 * (low + high)
    nodes[node].visits = 0
    nodes[node].playouts = 0
    nodes[node].playout_score = 0
    nodes[node].first = NO_EDGES
    nodes[node].moves = 0
    nodes[node].room = 0
    nodes[node].opened = 0
    nodes[node].low = low
    nodes[node].high = high


@kernel
def clear_all(nodes: Nodes, table: Table) -> None:
    """An empty graph: the root and the ended games."""
    table[:] = EMPTY
    clear(nodes, int64(ROOT), np.uint64(0), int64(LOSS), int64(WIN))
    for result in range(LOSS, WIN + 1):
        clear(nodes, ENDED + result, np.uint64(0), result, result)


@inlined
def find(nodes: Nodes, table: Table, key: np.uint64) -> int:
    """The node with this key, or ``EMPTY - slot`` with the slot of the table where it belongs."""
    mask = np.uint64(table.size - 1)
    slot = key & mask
    while table[slot] != EMPTY:
        if nodes[table[slot]].key == key:
            return int64(table[slot])
        slot = (slot + np.uint64(1)) & mask
    return EMPTY - int64(slot)


@kernel
def fill_table(nodes: Nodes, table: Table, used: int) -> None:
    """Enter all nodes into a fresh table."""
    table[:] = EMPTY
    for node in range(FIRST_FREE, used):
        table[EMPTY - find(nodes, table, nodes[node].key)] = node
