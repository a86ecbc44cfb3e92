"""The memory of a graph search: what it begins with, and more of what has run short."""

import numpy as np
from numpy.typing import NDArray

from nimdesk.games import AnyPosition, kernel_of
from nimdesk.kernels import graph, mcts_state

FIRST_NODES = 3 << 7
FIRST_EDGES = 1 << 11
# How full the table may get, in 16ths of its slots; the second where each new node looks all of its moves up.
_FULL, _FULL_TO_LOOK_AHEAD = 13, 8
# Up to so many slots it doubles: of a small graph, time matters more than memory.
_LARGE = 1 << 14
_NO_SCORES = np.zeros(0, np.uint32)


def _fill_of(position: AnyPosition) -> int:
    kernel = kernel_of(position)
    return _FULL_TO_LOOK_AHEAD if kernel.looks_ahead and kernel.most_positions(position) > FIRST_NODES else _FULL


def first_graph(position: AnyPosition, search: mcts_state.Search) -> graph.Graph:
    """An empty graph with room for the first nodes, and for one simulation beyond them."""
    fill, most = _fill_of(position), kernel_of(position).most_positions(position)
    first = int(min(most, FIRST_NODES)) + graph.FIRST_FREE + search.path.size
    nodes = np.empty(_node_room(first, fill), graph.NODE)
    edges = np.empty(FIRST_EDGES + search.margin, graph.EDGE)
    table = np.empty(_table_size(nodes.size, fill), np.int32)
    graph.clear_all(nodes, table)
    return graph.Graph(nodes, edges, table, graph.index_mask(nodes.size), _NO_SCORES)


def enlarged(old: graph.Graph, position: AnyPosition, search: mcts_state.Search, memory_mb: int) -> graph.Graph | None:
    """The graph of a search of this position with more room for what has run short; None if that is not to be had.

    Where its table is a new one, ``search.counts`` say that no node is in it yet.
    """
    counts, fill, nodes, edges = search.counts, _fill_of(position), old.nodes.size, old.edges.size
    nodes = _node_room(nodes + 1, fill) if counts[mcts_state.NODES] + search.path.size > nodes else nodes
    edges *= 2 if counts[mcts_state.EDGES] + search.margin > edges else 1
    table = _table_size(nodes, fill)
    if nodes * graph.NODE.itemsize + edges * graph.EDGE.itemsize + 4 * table > memory_mb * 1024 * 1024:
        return None
    try:
        grown = graph.Graph(
            _longer(old.nodes, nodes, int(counts[mcts_state.NODES])),
            _longer(old.edges, edges, int(counts[mcts_state.EDGES])),
            old.table if table == old.table.size else np.full(table, graph.EMPTY, np.int32),
            graph.index_mask(nodes),
            old.scores,
        )
    except MemoryError:
        return None
    if grown.table is not old.table:
        counts[mcts_state.UNLISTED] = graph.FIRST_FREE
    return grown


def without_table(t: graph.Graph) -> graph.Graph:
    """The graph that stays as it is: nothing is looked up any more, and the table's memory is for further playouts."""
    scores = t.table.view(np.uint32)
    scores[:] = 0
    return graph.Graph(t.nodes, t.edges, t.table, t.index_mask, scores)


def _longer(array: NDArray[np.void], size: int, used: int) -> NDArray[np.void]:
    """The same with more room; only what is used is copied, since the rest may be most of it."""
    if size == array.size:
        return array
    longer = np.empty(size, array.dtype)
    longer[:used] = array[:used]
    return longer


def _node_room(nodes: int, fill: int) -> int:
    """At least so many: as many as a table takes that has a power of two of slots, or three."""
    size = 16
    while size * fill // 16 < nodes:
        if size < _LARGE:
            size *= 2
        else:
            # From 2 to 3 to 4 to 6: so less of it is empty.
            size = 3 * size // 2 if size & (size - 1) == 0 else 4 * size // 3
    return size * fill // 16


def _table_size(nodes: int, fill: int) -> int:
    """The size of the table that takes so many."""
    return -(-nodes * 16 // fill)
