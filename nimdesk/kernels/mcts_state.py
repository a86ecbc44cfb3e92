"""What a graph search keeps beside the graph, and where; for ``kernels.mcts``."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Slots of ``Search.counts``.
NODES, EDGES, ITERATIONS, TRACE_ROWS, DEPTH, PROVEN_AT, PLAYOUTS, UNLISTED = 0, 1, 2, 3, 4, 5, 6, 7
# Blocks of edges are powers of two, of which there are so many below the most moves.
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
