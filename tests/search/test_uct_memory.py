"""The memory of a UCT tree at any moment: whose each place is, and that what selection reads there is true."""

import math
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from nimdesk.games import AnyPosition, parse_position
from nimdesk.kernels import tree, uct
from nimdesk.kernels.places import CLASSES, ENTRIES, FREE, FULL, LARGEST_BLOCK, NO_BLOCK, OVER
from nimdesk.kernels.uct import TABLE_SIZE
from nimdesk.limit import Limit
from nimdesk.search.options import UctOptions
from nimdesk.search.uct import UctSearcher

pytestmark = pytest.mark.slow

SIZES = [1, *sorted({2 << i for i in range(9)} | {3 << i for i in range(9)})]
TEXTBOOK = UctOptions(exploration=0.3)
POSITIONS = [
    "nim:1,3,5,7",
    "nim:20,20,20,20",
    f"nim:{','.join(['64'] * 12)}",
    "mnk:3,3,3",
    "mnk:5,5,4",
    "mnk:7,7,4",
    "mnk:7,6,4:gravity",
    "mnk:9,9,5",
    "mnk:12,8,4:gravity",
    "mnk:19,19,5",
]


class Memory:
    """What a search has in memory now."""

    def __init__(self, searcher: UctSearcher) -> None:
        self.searcher, self.tree = searcher, searcher.search_tree
        self.used = int(searcher.search_state.counts[uct.USED])
        self.nodes = self.tree.nodes[: self.used]

    def reached(self) -> list[int]:
        """All nodes that stand in the tree."""
        found, waiting = [], [0]
        while waiting:
            found.append(waiting.pop())
            first, count = self.children(found[-1])
            if count >= FULL:
                waiting += range(first, first + count - FULL)
        return found

    def children(self, node: int) -> tuple[int, int]:
        return int(self.nodes["first"][node]), int(self.nodes["children"][node])

    def block(self, node: int) -> tuple[int, int]:
        """Where the children or the list of a node begin, and of how many places."""
        first, count = self.children(node)
        if count >= FULL:
            return first, count - FULL
        return first, next(size for size in SIZES if size >= math.ceil(count / ENTRIES)) if count > 0 else 0

    def free(self) -> list[tuple[int, int]]:
        """The blocks given back: where each begins, and of how many places; each in the list of the right class."""
        found = []
        for which, head in enumerate(self.searcher.search_state.free.tolist()):
            block = head
            while block != NO_BLOCK:
                size = int(self.nodes["visits"][block])
                assert which == max(i for i in range(CLASSES) if SIZES[i] <= size)
                found.append((block, size))
                block = int(self.nodes["first"][block])
        return found


def assert_each_place_is_owned_once(memory: Memory) -> None:
    reached, free = memory.reached(), memory.free()
    blocks = [block for block in map(memory.block, reached) if block[1]]
    owners = np.zeros(memory.used, np.int64)
    owners[0] = 1
    for first, size in (*blocks, *free):
        assert 0 < first < first + size <= memory.used
        owners[first : first + size] += 1
    assert (owners == 1).all()
    # Free neighbours are one block, and the last places are not kept. Nobody but those looks free to who asks.
    starts, ends = {first for first, _ in free}, {first + size for first, size in free}
    assert not ends & (starts | {memory.used})
    outer = memory.nodes["children"]
    assert all(outer[[first, first + size - 1]].tolist() == [FREE, FREE] for first, size in free)
    assert all(FREE not in outer[[first, first + size - 1]] for first, size in blocks)
    snapshot = memory.searcher.snapshot()
    known = 1 + sum(memory.children(node)[1] & (FULL - 1) for node in reached if memory.children(node)[1] > 0)
    assert (snapshot.tree_nodes, snapshot.tree_bytes) == (known, memory.used * tree.NODE_BYTES)


def assert_a_node_is_its_first_visit_and_its_children(memory: Memory, first_visit_of_root: int) -> None:
    for node in memory.reached():
        visits, score, below = (int(memory.nodes[field][node]) for field in ("visits", "score", "children"))
        if below < 0:
            assert score == (OVER - below) * visits, "the result of a game that is over"
            continue
        found: Any = tree.children(memory.tree, node)
        own = visits - int(found["visits"].sum())
        assert own == (1 if node else first_visit_of_root)
        # Half points of one side are those that the other side lacks.
        assert 0 <= score - int((2 * found["visits"] - found["score"]).sum()) <= 2 * own
        assert len(set(found["move"].tolist())) == len(found)


def assert_selection_reads_the_truth(memory: Memory) -> None:
    c = np.float32(memory.searcher.options.exploration)
    for node in memory.reached():
        first, count = memory.children(node)[0], memory.children(node)[1] - FULL
        if count <= 0:
            continue
        found: Any = memory.nodes[first : first + count]
        means, widths = memory.tree.bounds[2 * first : 2 * first + 2 * count].reshape(2, count)
        visits: NDArray[np.float32] = found["visits"].astype(np.float32)
        assert (means == found["score"].astype(np.float32) / (np.float32(2) * visits)).all()
        assert widths.tolist() == [np.float32(1 / math.sqrt(n)) for n in found["visits"].tolist()]
        root_of_log = np.float32(math.sqrt(math.log(int(memory.nodes["visits"][node]))))
        assert memory.nodes["best"][node] == first + (means + c * root_of_log * widths).argmax()


def assert_sound(searcher: UctSearcher, first_visit_of_root: int = 0) -> None:
    memory = Memory(searcher)
    assert_each_place_is_owned_once(memory)
    assert_a_node_is_its_first_visit_and_its_children(memory, first_visit_of_root)
    assert_selection_reads_the_truth(memory)


def after_most_visited(searcher: UctSearcher) -> AnyPosition:
    best = searcher.snapshot().best_move
    assert best is not None
    return searcher.position.play(best)


@pytest.mark.parametrize("text", POSITIONS)
def test_memory_is_sound_as_the_tree_grows_beyond_its_first_memory_and_is_kept(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nimdesk.search.uct.MOST_AT_FIRST", 800)
    searcher = UctSearcher(replace(TEXTBOOK, iterations=1_500))
    searcher.start(parse_position(text), 5)
    for iterations in (1, 2, 500, 1_500):
        searcher.advance(Limit(iterations))
        assert_sound(searcher)
    assert searcher.search_tree.nodes.size > 800
    while searcher.resume(after_most_visited(searcher), 6):
        assert_sound(searcher, first_visit_of_root=1)
        searcher.advance(Limit(800))
        assert_sound(searcher, first_visit_of_root=1)
        if searcher.position.ply > 2:
            break


@pytest.mark.parametrize("text", ["nim:3,4,5", "mnk:3,3,3"])
def test_the_memory_grows_when_the_largest_block_would_not_fit_and_not_before(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nimdesk.search.uct.MOST_AT_FIRST", 800)
    searcher, rooms = UctSearcher(UctOptions(iterations=20_000)), set[int]()
    searcher.start(parse_position(text), 5)
    for iterations in range(1, 3_000):
        before = Memory(searcher)
        size, room = before.tree.nodes.size, before.tree.nodes.size - before.used - LARGEST_BLOCK
        searcher.advance(Limit(iterations))
        assert (searcher.search_tree.nodes.size > size) == (room < 0)
        rooms.add(room)
    assert {-1, 0, 1} & rooms, "it came close to the edge"


def test_visits_beyond_the_table_of_roots_are_weighed_by_the_root_itself() -> None:
    searcher = UctSearcher(UctOptions(iterations=TABLE_SIZE + 10))
    searcher.start(parse_position("nim:1"), 5)
    for iterations in range(TABLE_SIZE - 3, TABLE_SIZE + 4):
        searcher.advance(Limit(iterations))
        memory = Memory(searcher)
        assert memory.nodes["visits"].max() == iterations
        assert_selection_reads_the_truth(memory)


def test_a_full_tree_is_sound_and_grows_on_when_it_is_kept() -> None:
    searcher = UctSearcher(UctOptions(iterations=300_000, memory_mb=1))
    searcher.start(parse_position("mnk:5,5,4"), 5)
    searcher.advance(Limit())
    for _ in range(3):
        memory, full = Memory(searcher), searcher.snapshot()
        assert full.tree_full
        assert full.tree_bytes <= 2**20
        assert_each_place_is_owned_once(memory)
        assert_selection_reads_the_truth(memory)
        assert searcher.resume(after_most_visited(searcher), 6)
        kept = searcher.snapshot()
        assert not kept.tree_full
        assert kept.tree_nodes < full.tree_nodes
        searcher.advance(Limit())
