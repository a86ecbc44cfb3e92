"""The places of a tree are taken and given back without two blocks ever sharing one, whatever their records hold."""

from functools import cache

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from nimdesk.kernels import places
from nimdesk.kernels.places import FREE, LARGEST_BLOCK, NO_BLOCK, NODE

FIRST = 1  # where places begin that may be taken: the root stands before them


@njit(_nrt=False)
def sizes(out):  # type: ignore[no-untyped-def]
    for which in range(out.size):
        out[which] = places.class_size(which)


@njit(_nrt=False)
def classes(counts, smallest, own):  # type: ignore[no-untyped-def]
    for i in range(counts.size):
        smallest[i], own[i] = places.class_for(counts[i]), places.is_class_size(counts[i])


@njit(_nrt=False)
def take(nodes, free, counts, size):  # type: ignore[no-untyped-def]
    return places.take(nodes, free, counts, size)


@njit(_nrt=False)
def give(nodes, free, counts, block, size):  # type: ignore[no-untyped-def]
    places.give(nodes, free, counts, block, size)


@cache
def class_sizes() -> list[int]:
    found = np.zeros(places.CLASSES, np.int64)
    sizes(found)
    return [int(size) for size in found]


def test_classes_are_one_and_two_and_three_times_the_powers_of_two_up_to_the_largest_block() -> None:
    expected = sorted({1, *(1 << i for i in range(1, 10)), *(3 << i for i in range(9))})
    assert class_sizes() == expected
    assert expected[-1] == LARGEST_BLOCK
    counts = np.arange(1, LARGEST_BLOCK + 1)
    smallest, own = np.zeros(len(counts), np.int64), np.zeros(len(counts), np.bool_)
    classes(counts, smallest, own)
    assert smallest.tolist() == [next(i for i, size in enumerate(expected) if size >= count) for count in counts]
    assert counts[own].tolist() == expected


class Blocks:
    """Blocks in use, and what the lists say is free; each call leaves them as they must be."""

    def __init__(self) -> None:
        # The worst that can be there from before: every place looks free.
        self.nodes = np.full(40_000, np.array((3, 0, 5, 7, 0, FREE), NODE))
        self.nodes["children"][0] = 0
        self.free, self.counts = np.full(places.CLASSES, NO_BLOCK, np.int32), np.array([FIRST, 0], np.int64)
        self.used: dict[int, int] = {}

    def take(self, size: int) -> None:
        block = take(self.nodes, self.free, self.counts, size)
        self.used[block] = size
        # Nodes and lists never write what marks a free place; all else they may.
        for field in ("visits", "score", "first", "best"):
            self.nodes[field][block : block + size] = 1_000_000
        self.check()

    def give(self, at: int) -> None:
        block = sorted(self.used)[at % len(self.used)]
        give(self.nodes, self.free, self.counts, block, self.used.pop(block))
        self.check()

    def listed(self) -> dict[int, int]:
        """The free blocks of all lists, which are as they must be."""
        found = {}
        for which, head in enumerate(self.free.tolist()):
            assert bool(int(self.counts[places.CLASSES_FREE]) >> which & 1) == (head != NO_BLOCK)
            block, before = head, NO_BLOCK
            while block != NO_BLOCK:
                size = int(self.nodes["visits"][block])
                assert which == max(i for i, least in enumerate(class_sizes()) if least <= size)
                assert self.nodes["best"][block] == before
                found[block], before, block = size, block, int(self.nodes["first"][block])
        return found

    def check(self) -> None:
        free, end = self.listed(), int(self.counts[places.USED])
        blocks = sorted((*self.used.items(), *free.items()))
        assert [block for block, _ in blocks] + [end] == [FIRST, *(block + size for block, size in blocks)]
        for block, size in blocks:
            ends = self.nodes["children"][[block, block + size - 1]]
            assert (ends == FREE).all() if block in free else (ends != FREE).all()
            # Nothing free stands beside something free, or at the end.
            assert block not in free or block + size not in {*free, end}


@settings(max_examples=60)
@given(st.lists(st.tuples(st.booleans(), st.integers(1, 12) | st.integers(1, LARGEST_BLOCK)), max_size=50))
def test_blocks_taken_and_given_back_never_share_a_place_and_free_ones_beside_each_other_are_one(
    steps: list[tuple[bool, int]],
) -> None:
    blocks = Blocks()
    for taking, number in steps:
        if taking or not blocks.used:
            blocks.take(number)
        else:
            blocks.give(number)
    while blocks.used:
        blocks.give(0)
    assert blocks.counts.tolist() == [FIRST, 0], "all given back is nothing used"


def test_what_was_given_back_is_taken_before_new_memory() -> None:
    blocks = Blocks()
    for size in (5, 1, 7, 1):
        blocks.take(size)
    blocks.give(0)
    blocks.give(1)
    for size in (4, 6):
        blocks.take(size)
    assert blocks.counts[places.USED] == FIRST + 14
    assert sorted(blocks.used.items()) == [(1, 4), (6, 1), (7, 6), (14, 1)]
    assert blocks.listed() == {5: 1, 13: 1}
