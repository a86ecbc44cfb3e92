"""The JSON document of a saved game, version 8, as types: what msgspec checks before anything else looks at it.

And a search's trace to JSON and back: compressed arrays, and no more memory than their declared shape needs.

A document is ``{"format": "nimdesk-game", "version": 2, "program", "game", "players", "plies"}``. Moves are in
notation. In a trace of T checkpoints and L legal moves, ``visits`` and ``value_sum`` are base64 of zlib of a T by L
array, row after row, little-endian: uint32 and float64. In numpy, ``visits`` is
``np.frombuffer(zlib.decompress(base64.b64decode(text)), "<u4").reshape(T, -1)``.

Version 3 has ``variations`` as well, and is written only where there are any. Each leaves the line ``of``, which is 0
for ``plies`` and i for the i-th variation, after that line's position with ``after`` moves on the board.

Version 4 has ``forfeit`` as well, and is written only where a side lost so, at the end of one of those lines.

Version 5 has ``nodes`` in traces as well, and is written only where a search counted them.

Version 6 has ``made`` as well, what made the searches (``nimdesk.disk.provenance``), and is written where it is known.

Version 7 has ``proven`` and ``distance`` of a search as well, what it has proven of its position, and the reason
"depth" why it stopped, and is written only where there is any of this.

Version 8 has ``comment`` of a ply as well, and is written only where there are comments.

Version 1 lacks the fields of a search that have a default here: it is read with them unknown.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from nimdesk.disk.provenance import Provenance
from nimdesk.games import Move
from nimdesk.search import Trace
from nimdesk.search.options import MAX_SEED

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT: Literal["nimdesk-game"] = "nimdesk-game"
VERSION: Literal[8] = 8
VERSION_WITHOUT_COMMENTS: Literal[7] = 7
VERSION_WITHOUT_PROOF: Literal[6] = 6
VERSION_WITHOUT_PROVENANCE: Literal[5] = 5
VERSION_WITHOUT_NODES: Literal[4] = 4
VERSION_WITHOUT_FORFEIT: Literal[3] = 3
VERSION_WITHOUT_VARIATIONS: Literal[2] = 2

# Far above what any game and search here can make (361 plies, about 530 checkpoints for 10^9 iterations).
MAX_PLIES = 10_000
MAX_VARIATIONS = 10_000
MAX_CHECKPOINTS = 10_000
MAX_COUNT = 2**63 - 1
MAX_SECONDS = 1e9
MAX_COMMENT = 2_000
MAX_MADE = 1_000
MAX_REMARK = 20_000
"""How many letters a person's comment on a move may have."""

Count = Annotated[int, Meta(ge=0, le=MAX_COUNT)]
Seconds = Annotated[float, Meta(ge=0, le=MAX_SECONDS)]
MoveText = Annotated[str, Meta(min_length=1, max_length=16)]
StopName = Literal[
    "iterations",
    "time",
    "nodes",
    "stopped",
    "move_now",
    "no_search",
    "complete",
    "proven",
    "playouts",
    "exhausted",
    "decided",
    "depth",
]
SideName = Literal["first", "second"]
ProvenName = Literal["win", "draw", "loss"]
Name = Annotated[str, Meta(max_length=200)]


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all parts: a field that this version does not know is an error, not a silent loss."""


class TracePart(_Part, frozen=True, kw_only=True, omit_defaults=True):
    """A search's ``Trace``; its moves are the legal moves of the position, in their order."""

    iterations: Annotated[list[Count], Meta(max_length=MAX_CHECKPOINTS)]
    elapsed_s: Annotated[list[Seconds], Meta(max_length=MAX_CHECKPOINTS)]
    visits: str
    value_sum: str
    playouts: Annotated[list[Count], Meta(max_length=MAX_CHECKPOINTS)] | None = None
    choice: Annotated[list[Count], Meta(max_length=MAX_CHECKPOINTS)] | None = None
    nodes: Annotated[list[Count], Meta(max_length=MAX_CHECKPOINTS)] | None = None


class MovePart(_Part, frozen=True, kw_only=True, omit_defaults=True):
    """One ``MoveStats``; ``pv`` is its principal variation; ``proven`` and ``distance`` are what the search proved."""

    move: MoveText
    visits: Count
    mean_value: float | None
    pv: list[MoveText]
    proven: ProvenName | None = None
    distance: Count | None = None


class StepPart(_Part, frozen=True, kw_only=True):
    """One ``Step``; ``value`` is None where it was undecided."""

    depth: Count
    nodes: Count
    elapsed_s: Seconds
    best_move: MoveText
    value: ProvenName | None


class SearchPart(_Part, frozen=True, kw_only=True, omit_defaults=True):
    """A ``Snapshot`` without its position, which is the one before the ply, and without its listing."""

    agent: Name
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)]
    iterations: Count
    elapsed_s: Seconds
    tree_nodes: Count
    tree_bytes: Count
    tree_full: bool
    stopped: StopName | None
    best_move: MoveText | None
    moves: list[MovePart]
    trace: TracePart | None
    comment: Annotated[str, Meta(max_length=MAX_COMMENT)] = ""
    playouts: Count | None = None
    reused: Count = 0
    steps: Annotated[list[StepPart], Meta(max_length=MAX_PLIES)] = []
    proven: ProvenName | None = None
    distance: Count | None = None
    chosen_after: Count | None = None
    in_python: bool = False


class PlyPart(_Part, frozen=True, kw_only=True, omit_defaults=True):
    """One ``Ply``."""

    move: MoveText
    by: Name
    elapsed_s: Seconds | None
    search: SearchPart | None
    comment: Annotated[str, Meta(max_length=MAX_REMARK)] = ""


class VariationPart(_Part, frozen=True, kw_only=True):
    """One ``Line`` of the tree that is not the main line."""

    of: Annotated[int, Meta(ge=0, le=MAX_VARIATIONS)]
    after: Annotated[int, Meta(ge=0, le=MAX_PLIES)]
    plies: Annotated[list[PlyPart], Meta(min_length=1, max_length=MAX_PLIES)]


class ForfeitPart(_Part, frozen=True, kw_only=True):
    """The ``Forfeit`` of a side at the end of a line, which is counted as in ``VariationPart.of``."""

    of: Annotated[int, Meta(ge=0, le=MAX_VARIATIONS)]
    side: SideName
    reason: Annotated[str, Meta(max_length=MAX_COMMENT)]


class GamePart(_Part, frozen=True, kw_only=True, omit_defaults=True):
    """The whole document."""

    format: Literal["nimdesk-game"]
    version: Literal[1, 2, 3, 4, 5, 6, 7, 8]
    program: Name
    game: Annotated[str, Meta(max_length=1000)]
    players: Annotated[list[dict[str, Any]], Meta(min_length=2, max_length=2)]
    plies: Annotated[list[PlyPart], Meta(max_length=MAX_PLIES)]
    variations: Annotated[list[VariationPart], Meta(max_length=MAX_VARIATIONS)] = []
    forfeit: ForfeitPart | None = None
    made: Annotated[list[Provenance], Meta(max_length=MAX_MADE)] = []


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
        choice=trace.choice.tolist(),
        nodes=None if trace.nodes is None else trace.nodes.tolist(),
    )


def trace_from(part: TracePart, moves: tuple[Move, ...], *, by_mean: bool, last: int | None, reused: int) -> Trace:
    """The trace that ``trace_part`` wrote; ``ValueError`` with a clause where lengths and shapes do not agree.

    Older files tell no choice: it was the first of the moves with most visits, or ``by_mean`` with the best mean, and
    ``last`` at the end, if that is known.
    """
    import numpy as np  # lazy, for start-up time: the window opens before numpy is loaded

    rows = len(part.iterations)
    if len(part.elapsed_s) != rows:
        raise ValueError(f"the trace has {rows} iterations but {len(part.elapsed_s)} times; it needs as many")
    for name, numbers in (("playouts", part.playouts), ("choices", part.choice), ("nodes", part.nodes)):
        if numbers is not None and len(numbers) != rows:
            raise ValueError(f"the trace has {rows} iterations but {name} for {len(numbers)}; it needs as many")
    visits = _unpacked("visits", part.visits, "<u4", (rows, len(moves)))
    value_sum = _unpacked("value_sum", part.value_sum, "<f8", (rows, len(moves)))
    if part.choice is None:
        choice = (value_sum / np.maximum(visits, 1) if by_mean else visits).argmax(axis=1).astype("int64")
        if last is not None:
            choice[-1:] = last
    else:
        choice = np.array(part.choice, "int64")
    playouts, nodes = (None if each is None else np.array(each, "int64") for each in (part.playouts, part.nodes))
    for array in (choice, playouts, nodes):
        if array is not None:
            _read_only(array)
    spent = _read_only(np.array(part.iterations, "int64")), _read_only(np.array(part.elapsed_s, "float64"))
    return Trace(moves, *spent, visits, value_sum, choice, playouts, nodes, reused)


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
