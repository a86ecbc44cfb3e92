"""The memory that searches give to their kernels: tables of roots, arrays on their own cache lines, growing graphs."""

import math
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from nimdesk.games import AnyPosition, kernel_of
from nimdesk.kernels import graph, mcts_state, uct

T = TypeVar("T", bound=tuple[Any, ...])
# Bytes of a cache line; processors fetch two at a time.
_LINE, _LINES = 64, 128
# Larger arrays already have nearly all their lines to themselves.
_LARGEST = 1 << 14
# The first logarithms, this many, are computed one by one, because numpy's vector code rounds differently on each
# machine. Beyond them that would take too long, and in single precision about one in 100 differs.
_ONE_BY_ONE = 1 << 16


def root_tables(most_visits: int = uct.TABLE_SIZE) -> NDArray[np.float32]:
    """sqrt(ln N) and 1 / sqrt(n) for numbers up to at least ``most_visits``, as the kernels want them.

    The whole table takes as long as a short search, so a short search makes only what it needs.
    """
    return _short_table() if most_visits < _ONE_BY_ONE else _whole_table()


# Made at import, or two threads that begin together might each fill one. Unwritten memory costs nothing.
_ROOTS = np.zeros((2, uct.TABLE_SIZE), np.float32)
_READ_ONLY = _ROOTS.view()
_READ_ONLY.flags.writeable = False


@cache
def _short_table() -> NDArray[np.float32]:
    return _with_roots(1, np.array([math.log(n) for n in range(1, _ONE_BY_ONE)]))


@cache
def _whole_table() -> NDArray[np.float32]:
    _short_table()
    return _with_roots(_ONE_BY_ONE, np.log(np.arange(_ONE_BY_ONE, uct.TABLE_SIZE, dtype=np.float64)))


def _with_roots(first: int, logarithms: NDArray[np.float64]) -> NDArray[np.float32]:
    """The table, extended by the roots of the numbers from ``first`` on, which have these logarithms."""
    stop = first + len(logarithms)
    _ROOTS[:, first:stop] = np.sqrt(logarithms), 1.0 / np.sqrt(np.arange(first, stop, dtype=np.float64))
    return _READ_ONLY


def new_record(at: NDArray[np.int64], moves: int, column_of: NDArray[np.int32]) -> uct.Record:
    """Room for the statistics of ``moves`` moves at the iterations ``at``."""
    shape = len(at), moves
    # calloc hands out zero pages without touching them: rows never reached cost nothing.
    visits, score = np.zeros(shape, np.uint32), np.zeros(shape, np.uint32)
    return uct.Record(at, visits, score, np.zeros(len(at), np.int64), np.zeros(len(at), np.int64), column_of)


def on_own_lines(value: T) -> T:
    """A copy of this named tuple, nested or held, whose small writable arrays have cache lines of their own.

    One thread may write it while others write beside it: two processors that write to one cache line, even to different
    words, take it from each other each time.
    """
    found: list[Any] = []
    _find(value, found)
    starts, size = [], 0
    for array in found:
        starts.append(size)
        size += array.nbytes + -array.nbytes % _LINE
    memory = np.empty(size + 2 * _LINES, np.uint8)
    first = -memory.ctypes.data % _LINES
    copies = {}
    for array, start in zip(found, starts, strict=True):
        copies[id(array)] = copy = np.ndarray(array.shape, array.dtype, memory, first + start)
        copy[...] = array
    copied: T = _replaced(getattr(value, "held", value), copies)
    return copied


def _find(value: tuple[Any, ...], found: list[Any]) -> None:
    for each in value:
        if isinstance(each, tuple):
            _find(each, found)
        elif isinstance(each, np.ndarray) and each.nbytes <= _LARGEST and each.flags.writeable:
            found.append(each)


def _replaced(value: tuple[Any, ...], copies: dict[int, Any]) -> Any:
    parts = [_replaced(each, copies) if isinstance(each, tuple) else copies.get(id(each), each) for each in value]
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


FIRST_NODES = 3 << 7
FIRST_EDGES = 1 << 11
# How full the table may get, in 16ths of its slots; the second holds where each new node looks up all its moves.
_FULL, _FULL_TO_LOOK_AHEAD = 13, 8
# Up to this many slots the table doubles: time matters more than memory in a small graph.
_LARGE = 1 << 14
_NO_SCORES, _NO_TABLE = np.zeros(0, np.int64), np.zeros(0, np.int32)


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
    """The graph with more room for what has run short; None if ``memory_mb`` does not allow it.

    After a new table, ``search.counts`` say that no node is in it yet.
    """
    counts, fill, nodes, edges = search.counts, _fill_of(position), old.nodes.size, old.edges.size
    nodes = _node_room(nodes + 1, fill) if counts[mcts_state.NODES] + search.path.size > nodes else nodes
    edges *= 2 if counts[mcts_state.EDGES] + search.margin > edges else 1
    table = _table_size(nodes, fill)
    # Once the graph is full, the scores of its nodes take the place of the table.
    besides = max(_NO_TABLE.itemsize * table, _NO_SCORES.itemsize * nodes)
    if nodes * graph.NODE.itemsize + edges * graph.EDGE.itemsize + besides > memory_mb * 1024 * 1024:
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
    """The graph without its table: no position is looked up any more, and the memory is free for playouts."""
    return graph.Graph(t.nodes, t.edges, _NO_TABLE, t.index_mask, np.zeros(t.nodes.size, np.int64))


def _longer(array: NDArray[np.void], size: int, used: int) -> NDArray[np.void]:
    """A copy of the array with room for ``size`` entries; only the used part is copied."""
    if size == array.size:
        return array
    longer = np.empty(size, array.dtype)
    longer[:used] = array[:used]
    return longer


def _node_room(nodes: int, fill: int) -> int:
    """The number of nodes, at least this many, that fills a table of 2^i or 3 * 2^i slots."""
    size = 16
    while size * fill // 16 < nodes:
        if size < _LARGE:
            size *= 2
        else:
            # From 2 to 3 to 4 to 6: less of it is empty.
            size = 3 * size // 2 if size & (size - 1) == 0 else 4 * size // 3
    return size * fill // 16


def _table_size(nodes: int, fill: int) -> int:
    """The size of the table for this many nodes."""
    return -(-nodes * 16 // fill)
