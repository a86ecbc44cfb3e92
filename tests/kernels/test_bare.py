"""Inside a kernel, a bare array is the array: the same elements, read and written, and the same size."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit

from nimdesk.kernels.bare import bare
from nimdesk.kernels.places import NODE
from nimdesk.kernels.reference import hold


class Inner(NamedTuple):
    words: Any
    table: Any


class Outer(NamedTuple):
    number: int
    values: Any
    inner: Inner


@njit(_nrt=False)
def sum_and_double(x):  # type: ignore[no-untyped-def]
    b = bare(x)
    total = b.values[0] * 0
    for i in range(b.values.size):
        total += b.values[i]
        b.values[np.uint64(i)] = 2 * b.values[np.uint8(i)]
    b.inner.words[1] += np.uint32(b.number)
    # Of two dimensions: as it was.
    b.inner.table[1, 0] = b.inner.words.size
    return total, b.number


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.uint32, np.int64, np.uint64, np.float32, np.float64])
def test_all_kinds_of_elements_are_read_and_written(kind: type) -> None:
    values = np.arange(5).astype(kind)
    x = Outer(7, values, Inner(np.array([1, 2**32 - 3], np.uint32), np.zeros((2, 3), np.int64)))
    total, number = sum_and_double(x)
    assert (total, number) == (10, 7)
    assert values.tolist() == [0, 2, 4, 6, 8]
    # What is written is cut to the size of an element.
    assert x.inner.words.tolist() == [1, 4]
    assert x.inner.table.tolist() == [[0, 0, 0], [2, 0, 0]]


class Nodes(NamedTuple):
    nodes: Any


@njit(_nrt=False)
def visit(x, first):  # type: ignore[no-untyped-def]
    b = x.nodes
    for i in range(b.size - first):
        b[first + i].visits += 3
        b[i].move = b[first + i].move + 1


def test_records_are_changed_in_place() -> None:
    nodes = np.zeros(6, NODE)
    nodes["move"] = [10, -1, 12, 13, 14, 15]
    visit(hold(Nodes(nodes)), 2)
    assert nodes["visits"].tolist() == [0, 0, 3, 3, 3, 3]
    assert nodes["move"].tolist() == [13, 14, 15, 16, 14, 15]
