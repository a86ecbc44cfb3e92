"""The list of the moves tried in a node, while it has others that are not.

Nobody selects among them yet, so each has been visited just once, by the simulation that tried it: an entry (uint16) is
all there is to know. Its lowest ten bits are the move's code, the next two the half points of the side that made the
move, and one more says that the game was over. Beside the entries stand marks (int32), which belong to the rules.
"""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types

from nimdesk.kernels.bare import Bare, bare_at, place
from nimdesk.kernels.jit import inlined, int64, intrinsic

# In each of the places of a list, which are records of ``places.NODE``: entries in the room of the fields ``visits``
# and ``score``, marks in that of ``first`` and ``best``.
ENTRIES, MARKS = 4, 2
CODE = (1 << 10) - 1
SCORE, OVER_BIT = 10, 1 << 12


@inlined
def entry_of(move: int, score: int, over: bool) -> int:
    """The entry of a move with this code, which led to so many half points for the side that made it."""
    return int64(move | score << SCORE | (OVER_BIT if over else 0))


@inlined
def code_of(entry: int) -> int:
    """The code of an entry's move."""
    return int64(entry) & CODE


@inlined
def score_of(entry: int) -> int:
    """The half points of an entry."""
    return int64(entry) >> SCORE & 3


@inlined
def is_over(entry: int) -> bool:
    """Whether the move of an entry ended the game."""
    return bool(int64(entry) & OVER_BIT != 0)


def _groups(nodes: Any, field: str, dtype: Any, group: int) -> tuple[Any, Any]:
    """The signature, and what generates the code, of a function that finds a part of the places from one on."""
    record = nodes.dtype
    column = Bare(dtype, record.size, group)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        at = builder.bitcast(place(context, builder, nodes, *args), cgutils.voidptr_t)
        at = builder.gep(at, [ir.IntType(64)(record.offset(field))])
        return bare_at(context, builder, column, at, ir.IntType(64)(0))

    return column(nodes, types.int64), generate


@intrinsic
def entries_of(typing_context: Any, nodes: Any, first: Any) -> Any:
    """The entries of the list that begins in this place; their number is not known."""
    return _groups(nodes, "visits", types.uint16, ENTRIES)


@intrinsic
def marks_of(typing_context: Any, nodes: Any, first: Any) -> Any:
    """The marks of the same list."""
    return _groups(nodes, "first", types.int32, MARKS)
