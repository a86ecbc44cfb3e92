"""Memory for what one thread writes while others do: nothing of it in a cache line with anything of theirs.

Two processors that write to the same line, even to different words of it, take it from each other each time.
"""

from typing import Any, TypeVar

import numpy as np

T = TypeVar("T", bound=tuple[Any, ...])
# Lines are 64 bytes, and processors fetch two at a time.
_LINES = 128
_WORD = 16
# Larger arrays have nearly all of their lines to themselves anyway.
_LARGEST = 1 << 14


def on_own_lines(value: T) -> T:
    """The same named tuple, of any depth, with copies of its small arrays side by side in memory of their own."""
    memory = np.zeros(2 * _LINES + sum(_room(array) for array in _small(value)), np.uint8)
    start = -memory.ctypes.data % _LINES
    copied: T = _copied(value, memory, start)[0]
    return copied


def _room(array: Any) -> int:
    return int(-(-array.nbytes // _WORD) * _WORD)


def _small(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [array for each in value for array in _small(each)]
    return [value] if isinstance(value, np.ndarray) and value.nbytes <= _LARGEST else []


def _copied(value: Any, memory: Any, start: int) -> tuple[Any, int]:
    """A copy of the value that begins there, and where the next one may."""
    if isinstance(value, tuple):
        parts = []
        for each in value:
            part, start = _copied(each, memory, start)
            parts.append(part)
        return (type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)), start
    if not _small(value):
        return value, start
    copy = memory[start : start + value.nbytes].view(value.dtype).reshape(value.shape)
    copy[...] = value
    # Kernels are compiled for arrays that may be written to, or not.
    copy.flags.writeable = value.flags.writeable
    return copy, start + _room(value)
