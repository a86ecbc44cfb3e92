"""A search's trace to JSON and back: compressed arrays, and no more memory than their declared shape needs."""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import TYPE_CHECKING, Any

from nimdesk.games import Move
from nimdesk.play.schema import TracePart
from nimdesk.search import Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

# All traces of one game together; a compressed file may claim to be a thousand times its size.
MAX_TRACE_BYTES = 2**29
_ITEM_BYTES = 4 + 8
# The fastest level: the others save a third of the space for five times the time, on the window's thread.
_LEVEL = 1


def trace_bytes(rows: int, columns: int) -> int:
    """The memory of a trace's two large arrays."""
    return rows * columns * _ITEM_BYTES


def trace_part(trace: Trace) -> TracePart:
    """The trace as it is written."""
    return TracePart(
        iterations=trace.iterations.tolist(),
        elapsed_s=trace.elapsed_s.tolist(),
        visits=_packed(trace.visits, "<u4"),
        value_sum=_packed(trace.value_sum, "<f8"),
        playouts=None if trace.playouts is None else trace.playouts.tolist(),
        choice=None if trace.choice is None else trace.choice.tolist(),
    )


def trace_from(part: TracePart, moves: tuple[Move, ...]) -> Trace:
    """The trace that ``trace_part`` wrote; ``ValueError`` with a clause where lengths and shapes do not agree."""
    import numpy as np  # lazy, for start-up time: the window opens before numpy is loaded

    rows = len(part.iterations)
    if len(part.elapsed_s) != rows:
        raise ValueError(f"the trace has {rows} iterations but {len(part.elapsed_s)} times; it needs as many")
    for name, numbers in (("playouts", part.playouts), ("choices", part.choice)):
        if numbers is not None and len(numbers) != rows:
            raise ValueError(f"the trace has {rows} iterations but {name} for {len(numbers)}; it needs as many")
    return Trace(
        moves,
        _read_only(np.array(part.iterations, "int64")),
        _read_only(np.array(part.elapsed_s, "float64")),
        _unpacked("visits", part.visits, "<u4", (rows, len(moves))),
        _unpacked("value_sum", part.value_sum, "<f8", (rows, len(moves))),
        None if part.playouts is None else _read_only(np.array(part.playouts, "int64")),
        None if part.choice is None else _read_only(np.array(part.choice, "int64")),
    )


def _packed(array: NDArray[Any], dtype: str) -> str:
    return base64.b64encode(zlib.compress(array.astype(dtype).tobytes(), _LEVEL)).decode("ascii")


def _unpacked(name: str, text: str, dtype: str, shape: tuple[int, int]) -> NDArray[Any]:
    import numpy as np  # lazy, as above

    size = shape[0] * shape[1] * np.dtype(dtype).itemsize
    try:
        packed = base64.b64decode(text, validate=True)
        stream = zlib.decompressobj()
        # One byte more than is right shows "too long" without ever unpacking more.
        data = stream.decompress(packed, size + 1)
    except (binascii.Error, ValueError, zlib.error):
        raise ValueError(f"the trace's {name} is not base64 of zlib data") from None
    if len(data) != size or not stream.eof or stream.unused_data:
        raise ValueError(f"the trace's {name} must hold {shape[0]} rows of {shape[1]} numbers, and nothing more")
    # A copy in the machine's own byte order that owns its memory.
    return _read_only(np.frombuffer(data, dtype).reshape(shape).astype(dtype[1:], copy=True))


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
