"""Arrays of held tuples are read and written at the element that numpy means, whatever the types of the indices."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core import errors
from numpy.typing import NDArray

from nimdesk.kernels.jit import kernel
from nimdesk.kernels.memory.held import hold
from nimdesk.kernels.places import NODE


class Inner(NamedTuple):
    words: NDArray[np.uint32]


class Outer(NamedTuple):
    number: int
    values: NDArray[Any]
    inner: Inner


@kernel
def sum_and_double(x: Any) -> Any:
    total = x.values[0] * 0
    for i in range(x.values.size):
        total += x.values[i]
        x.values[np.uint64(i)] = 2 * x.values[np.uint8(i)]
    x.inner.words[1] += np.uint32(x.number)
    return total


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.uint32, np.int64, np.uint64, np.float32, np.float64])
def test_all_kinds_of_elements_are_read_and_written(kind: type) -> None:
    x = Outer(7, np.arange(5).astype(kind), Inner(np.array([1, 2**32 - 3], np.uint32)))
    assert sum_and_double(hold(x)) == 10
    assert x.values.tolist() == [0, 2, 4, 6, 8]
    # What is written is cut to the size of an element.
    assert x.inner.words.tolist() == [1, 4]


class Nodes(NamedTuple):
    nodes: NDArray[Any]


@kernel
def visit(x: Any, first: int) -> None:
    for i in range(x.nodes.size - first):
        x.nodes[first + i].visits += 3
        x.nodes[i].move = x.nodes[first + i].move + 1


def test_records_are_changed_in_place() -> None:
    nodes = np.zeros(6, NODE)
    nodes["move"] = [10, -1, 12, 13, 14, 15]
    visit(hold(Nodes(nodes)), 2)
    assert nodes["visits"].tolist() == [0, 0, 3, 3, 3, 3]
    assert nodes["move"].tolist() == [13, 14, 15, 16, 14, 15]


class Tables(NamedTuple):
    flat: NDArray[Any]
    deep: NDArray[Any]
    at: NDArray[np.uint16]


@kernel
def rotate(t: Any, by: int) -> int:
    """Write each element of ``deep`` at other indices of ``flat``; the sum of what is read."""
    total = np.int64(0)
    for i in range(t.deep.shape[0]):
        for j in range(t.deep.shape[1]):
            for k in range(t.deep.shape[2]):
                total += np.int64(t.deep[i, t.at[j], k])
                t.flat[(i * t.deep.shape[1] + j + by) % t.flat.shape[0], np.uint64(k)] = t.deep[i, j, k]
    return total


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16, np.int32, np.int64, np.uint64, np.float32])
def test_each_element_of_a_table_is_where_numpy_has_it(dtype: Any) -> None:
    deep = (np.arange(2 * 3 * 5).reshape(2, 3, 5) * 7 % 100).astype(dtype)
    tables = Tables(np.zeros((6, 5), dtype), deep, np.array([2, 0, 1], np.uint16))
    assert rotate(hold(tables), 2) == deep.sum()
    assert np.array_equal(np.roll(deep.reshape(6, 5), 2, axis=0), tables.flat)
    assert tables.flat.dtype == dtype


@kernel
def row_of(t: Any, row: int) -> Any:
    return t.flat[row]


def test_there_are_no_rows() -> None:
    """A table is no array of arrays: what would be a view is refused when compiled."""
    with pytest.raises(errors.TypingError, match="Bare"):
        row_of(hold(Tables(np.zeros((2, 2)), np.zeros((1, 1, 1)), np.zeros(1, np.uint16))), 0)
