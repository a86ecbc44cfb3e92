"""The table of the search graph finds each node by its key, however the keys crowd together."""

import numpy as np
import pytest
from numba import njit

from nimdesk.kernels import graph
from nimdesk.kernels.graph import EDGE, EMPTY, ENDED, FIRST_FREE, NO_EDGES, NODE, ROOT
from nimdesk.kernels.rules import DRAW, LOSS, WIN


@njit(cache=True, _nrt=False)
def enter(t, keys, places):  # type: ignore[no-untyped-def]
    """Find each key, make a node of it where there is none; the number of places used."""
    used = FIRST_FREE
    for i in range(keys.size):
        node = graph.find(t, keys[i])
        if node < 0:
            slot = EMPTY - node
            node = used
            used += 1
            graph.clear(t, node, keys[i], LOSS, WIN)
            graph.put(t, slot, keys[i], node)
        places[i] = node
    return used


@njit(cache=True, _nrt=False)
def enter_again(t, first, stop):  # type: ignore[no-untyped-def]
    graph.enter(t, first, stop)


NO_EDGE = np.zeros(0, EDGE)


def made(nodes: np.ndarray, table: np.ndarray) -> graph.Graph:  # type: ignore[type-arg]
    return graph.Graph(nodes, NO_EDGE, table, graph.index_mask(len(nodes)), np.zeros(0, np.uint32))


def known(table: np.ndarray) -> list[int]:  # type: ignore[type-arg]
    """The nodes in a table of 1024 nodes, whose indices take 11 bits."""
    return sorted((table[table != EMPTY] & 2047).tolist())


def numbered(keys: np.ndarray) -> list[int]:  # type: ignore[type-arg]
    """What the places must be: a number for each new key, in order."""
    known: dict[int, int] = {}
    return [known.setdefault(key, FIRST_FREE + len(known)) for key in keys.tolist()]


KEYS = {
    "any": np.random.default_rng(1).integers(0, 2**64, 700, np.uint64),
    "each twice": np.tile(np.random.default_rng(2).integers(0, 2**64, 300, np.uint64), 2),
    "all to one slot": np.arange(500, dtype=np.uint64) << np.uint64(40),
    "all to one slot, and alike in the table": np.arange(500, dtype=np.uint64) << np.uint64(32),
    "all to the last slot, on to the first": (np.arange(200, dtype=np.uint64) << np.uint64(43)) | np.uint64(2**32 - 1),
    "zero and the largest": np.array([0, 2**64 - 1, 0, 1, 2**64 - 1], np.uint64),
}


@pytest.mark.parametrize("name", KEYS)
def test_a_key_is_found_where_it_was_entered_and_in_a_larger_table_too(name: str) -> None:
    keys = KEYS[name]
    nodes, table = np.zeros(1024, NODE), np.zeros(1024, np.int32)
    graph.clear_all(nodes, table)
    places, again = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
    used = enter(made(nodes, table), keys, places)
    assert places.tolist() == numbered(keys)
    assert used == FIRST_FREE + len(set(keys.tolist()))
    assert known(table) == list(range(FIRST_FREE, used))

    larger = np.full(4096, EMPTY, np.int32)
    enter_again(made(nodes, larger), FIRST_FREE, used)
    assert known(larger) == list(range(FIRST_FREE, used))
    enter(made(nodes, larger), keys, again)
    assert again.tolist() == places.tolist()


def test_an_empty_graph_has_an_open_root_and_the_finished_games() -> None:
    nodes, table = np.zeros(64, NODE), np.zeros(64, np.int32)
    graph.clear_all(nodes, table)
    assert set(table.tolist()) == {EMPTY}
    nodes = graph.Readable(made(nodes, table))  # type: ignore[assignment]
    assert [nodes[ROOT][name] for name in ("visits", "value", "low", "high")] == [0, 0.5, LOSS, WIN]
    for result, value in ((LOSS, 0.0), (DRAW, 0.5), (WIN, 1.0)):
        ended = nodes[ENDED + result]
        assert (ended["low"], ended["high"], ended["value"], ended["first"]) == (result, result, value, NO_EDGES)


def test_nodes_and_edges_are_small() -> None:
    assert (NODE.itemsize, EDGE.itemsize) == (24, 10)
