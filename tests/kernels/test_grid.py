"""Tables of held tuples are read and written at the element that numpy means, whatever the types of the indices."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core import errors
from numpy.typing import NDArray

from nimdesk.kernels.jit import kernel
from nimdesk.kernels.reference import hold


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
def test_each_element_is_where_numpy_has_it(dtype: Any) -> None:
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
    with pytest.raises(errors.TypingError, match="Grid"):
        row_of(hold(Tables(np.zeros((2, 2)), np.zeros((1, 1, 1)), np.zeros(1, np.uint16))), 0)
