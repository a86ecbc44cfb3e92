"""Memory for what one thread writes while others do: nothing of it in a cache line with anything of theirs.

Two processors that write to the same line, even to different words of it, take it from each other each time.
"""

from typing import Any, TypeVar

import numpy as np

T = TypeVar("T", bound=tuple[Any, ...])
# Bytes of a line; processors fetch two at a time.
_LINE, _LINES = 64, 128
# Larger arrays have nearly all of their lines to themselves anyway.
_LARGEST = 1 << 14


def on_own_lines(value: T) -> T:
    """The same named tuple, of any depth and perhaps held, with copies of the small arrays that may be written to.

    Each begins a line, in memory of their own. All else is the same: numba tells arrays that may be written to from
    others.
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
