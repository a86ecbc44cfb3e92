"""The list of moves tried is all that a tree knows of them, and stands in places that nodes could have."""

from typing import Any

import numpy as np
import pytest
from numba import njit

from nimdesk.kernels import tree
from nimdesk.kernels.places import (
    FULL,
    NO_BLOCK,
    NODE,
    OVER,
    code_of,
    entries_of,
    entry_of,
    is_over,
    marks_of,
    score_of,
)
from nimdesk.kernels.rules import DRAW, LOSS, WIN


@njit(_nrt=False)
def there_and_back(move, score, over):  # type: ignore[no-untyped-def]
    entry = np.uint16(entry_of(move, score, over))
    return code_of(entry), score_of(entry), is_over(entry)


@pytest.mark.parametrize("move", [0, 1, 360, 767, 1023])
@pytest.mark.parametrize("score", [LOSS, DRAW, WIN])
@pytest.mark.parametrize("over", [False, True])
def test_an_entry_tells_the_move_the_score_and_whether_the_game_was_over(move: int, score: int, over: bool) -> None:
    assert there_and_back(move, score, over) == (move, score, over)


@njit(_nrt=False)
def fill(nodes, first, entries, marks):  # type: ignore[no-untyped-def]
    there, beside = entries_of(nodes, first), marks_of(nodes, first)
    for i in range(entries):
        there[i] = 100 + i
    for i in range(marks):
        beside[i] = -1 - i
    total = 0
    for i in range(entries):
        total += there[i]
    for i in range(marks):
        total += beside[i]
    return total


def test_entries_and_marks_fill_the_places_but_for_the_fields_that_show_what_is_free() -> None:
    places = np.zeros(4, NODE)
    places["move"], places["children"] = 7, 8
    assert fill(places, 1, 9, 5) == sum(range(100, 109)) - sum(range(1, 6))
    words = places.view(np.uint16).reshape(4, -1)
    assert words[1:, :4].ravel()[:9].tolist() == list(range(100, 109))
    assert places[1:][["first", "best"]].tolist() == [(-1, -2), (-3, -4), (-5, 0)]
    assert not words[0, :8].any()
    assert (places["move"] == 7).all()
    assert (places["children"] == 8).all()


@njit(_nrt=False)
def grow(t, free, counts, moves, scores, last):  # type: ignore[no-untyped-def]
    for i in range(moves.size):
        entry = entry_of(moves[i], scores[i], i % 3 == 0)
        if i == moves.size - 1 and last:
            tree.add_last(t, free, counts, np.uint64(0), entry)
        else:
            tree.add_tried(t, free, counts, np.uint64(0), entry)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 9, 12, 13, 16, 17, 24, 25, 361, 768])
@pytest.mark.parametrize("last", [False, True])
def test_children_are_the_same_before_and_after_the_last_of_them_came(count: int, last: bool) -> None:
    grown, free, counts = tree.make_tree(4_000), np.full(tree.places.CLASSES, NO_BLOCK, np.int32), np.zeros(8, np.int64)
    counts[0] = 1
    moves = np.random.default_rng(count).permutation(768)[:count]
    scores = np.arange(count) % 3
    grow(grown, free, counts, moves, scores, last)
    children: Any = tree.children(grown, 0)
    assert children["move"].tolist() == moves.tolist()
    assert children["score"].tolist() == scores.tolist()
    assert children["visits"].tolist() == [1] * count
    assert children["first"].tolist() == [NO_BLOCK] * count
    assert children["children"].tolist() == [OVER - score if i % 3 == 0 else 0 for i, score in enumerate(scores)]
    # Only children that are all there have places of their own, and bounds.
    stand = [tree.child(grown, 0, move) for move in moves]
    if not last:
        assert stand == [None] * count
        return
    assert int(grown.nodes["children"][0]) == FULL + count
    first = int(grown.nodes["first"][0])
    assert stand == list(range(first, first + count))
    bounds = grown.bounds[2 * first : 2 * first + 2 * count]
    assert bounds.tolist() == [*(scores / 2).tolist(), *[1.0] * count]
