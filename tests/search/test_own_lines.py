"""What two threads write lies in different lines of memory."""

from typing import Any

import numpy as np
import pytest
from coding import encode_position

from nimdesk.games import parse_position
from nimdesk.kernels import uct
from nimdesk.kernels.memory.held import Held
from nimdesk.limit import Limit
from nimdesk.search.memory import on_own_lines
from nimdesk.search.options import UctOptions
from nimdesk.search.parallel_uct import ParallelUctSearcher
from nimdesk.search.uct import UctSearcher

_LINE = 64


def arrays_of(value: Any) -> list[Any]:
    if isinstance(value, tuple | Held):
        return [array for each in value for array in arrays_of(each)]
    return [value] if isinstance(value, np.ndarray) else []


def lines_of(value: Any, *, written: bool = False) -> set[int]:
    """The lines of all small arrays in a tuple, or of those that may be written to."""
    arrays = [array for array in arrays_of(value) if array.flags.writeable or not written]
    return {
        line
        for array in arrays
        if 0 < array.nbytes <= 1 << 14
        for line in range(array.ctypes.data // _LINE, (array.ctypes.data + array.nbytes - 1) // _LINE + 1)
    }


@pytest.mark.parametrize("text", ["nim:3,4,5", "nim:64,64,64", "mnk:5,5,4", "mnk:15,15,5 h8", "mnk:19,19,5:gravity"])
def test_the_copy_is_the_same_but_for_where_it_is(text: str) -> None:
    rules = encode_position(parse_position(text))
    copy = on_own_lines(rules)
    assert type(copy) is type(rules)
    assert repr(copy) == repr(rules)
    for ours, theirs in zip(arrays_of(copy), arrays_of(rules), strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.flags.writeable == theirs.flags.writeable
        assert (ours is theirs) is (ours.nbytes > 1 << 14 or not theirs.flags.writeable)
        assert ours is theirs or not np.shares_memory(ours, theirs)


@pytest.mark.parametrize("text", ["nim:3,4,5", "mnk:5,5,4", "mnk:15,15,5"])
def test_trees_beside_each_other_share_no_line(text: str) -> None:
    searcher = ParallelUctSearcher(UctOptions(iterations=300, threads=3))
    searcher.start(parse_position(text), 1)
    parts = [(vars(tree)["_rules"], tree.search_state) for tree in searcher.trees]
    written, every = [lines_of(part, written=True) for part in parts], [lines_of(part) for part in parts]
    assert all(written)
    assert all(written[i].isdisjoint(every[j]) for i in range(3) for j in range(3) if i != j)


def test_no_kernel_is_compiled_for_it() -> None:
    """Else it would be in the time that the search counts."""
    searcher = ParallelUctSearcher(UctOptions(iterations=100, threads=2))
    searcher.start(parse_position("nim:2,3,4"), 1)
    known = uct.run.signatures  # type: ignore[attr-defined]
    searcher.advance(Limit())
    assert uct.run.signatures == known  # type: ignore[attr-defined]


def test_it_changes_nothing_in_a_search() -> None:
    position = parse_position("mnk:9,9,5 e5")
    one, other = UctSearcher(UctOptions(iterations=2_000)), UctSearcher(UctOptions(iterations=2_000))
    one.start(position, 3)
    other.start(position, 3)
    other.keep_apart()
    one.advance(Limit())
    other.advance(Limit())
    assert [m.visits for m in one.snapshot().moves] == [m.visits for m in other.snapshot().moves]
