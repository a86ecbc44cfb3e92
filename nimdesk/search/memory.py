"""The memory that searches give to their kernels: tables of roots, and lines of the cache to themselves."""

import math
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import variants

T = TypeVar("T", bound=tuple[Any, ...])
# Bytes of a line; processors fetch two at a time.
_LINE, _LINES = 64, 128
# Larger arrays have nearly all of their lines to themselves anyway.
_LARGEST = 1 << 14
# So many logarithms are taken one by one, since the vector code of numpy rounds as each machine likes. For all of them
# that would take too long; that it makes another number in single precision of one of them is a matter of one in 100.
_ONE_BY_ONE = 1 << 16


def root_tables(most_visits: int = variants.TABLE_SIZE) -> NDArray[np.float32]:
    """sqrt(ln N) and 1 / sqrt(n) for small numbers, as the kernels want them; at least up to so many visits.

    The whole table takes a short search's time to make, so what only a long one needs is left to that.
    """
    return _short_table() if most_visits < _ONE_BY_ONE else _whole_table()


# Made at once, or two threads that begin together might fill one each; unwritten memory costs nothing.
_ROOTS = np.zeros((2, variants.TABLE_SIZE), np.float32)


@cache
def _short_table() -> NDArray[np.float32]:
    return _with_roots(1, np.array([math.log(n) for n in range(1, _ONE_BY_ONE)]))


@cache
def _whole_table() -> NDArray[np.float32]:
    _short_table()
    return _with_roots(_ONE_BY_ONE, np.log(np.arange(_ONE_BY_ONE, variants.TABLE_SIZE, dtype=np.float64)))


def _with_roots(first: int, logarithms: NDArray[np.float64]) -> NDArray[np.float32]:
    """The table, with the roots of the numbers from ``first`` on, which have these logarithms."""
    stop = first + len(logarithms)
    _ROOTS[:, first:stop] = np.sqrt(logarithms), 1.0 / np.sqrt(np.arange(first, stop, dtype=np.float64))
    return _ROOTS


def on_own_lines(value: T) -> T:
    """The same named tuple, of any depth and perhaps held, with copies of the small arrays that may be written to.

    For what one thread writes while others do: two processors that write to the same line of the cache, even to
    different words of it, take it from each other each time. Each copy begins a line, in memory of their own. All else
    is the same.
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
