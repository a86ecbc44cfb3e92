"""A search that keeps its tree goes on with exactly what the last search knew of the moves played since."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from nimdesk.games import AnyPosition, parse_position
from nimdesk.kernels import places, tree, uct
from nimdesk.kernels.memory import bits
from nimdesk.limit import Limit
from nimdesk.search.options import MAX_ITERATIONS, UctOptions
from nimdesk.search.uct import UctSearcher

pytestmark = pytest.mark.slow

POSITIONS = ["nim:3,4,5", "nim:21:max3:misere", "mnk:4,4,3", "mnk:7,6,4:gravity d1"]


def subtree(searcher: UctSearcher) -> list[object]:
    """Move, visits, half points and children of the root, all the way down, in the order of the tree."""
    whole = searcher.search_tree

    def record(place: Any, node: int | None) -> list[object]:
        found = [] if node is None else tree.children(whole, node)
        below = [record(each, tree.child(whole, node or 0, int(each["move"]))) for each in found]
        return [int(place["move"]), int(place["visits"]), int(place["score"]), below]

    return record(whole.nodes[0], 0)


def after_best_line(searcher: UctSearcher, plies: int) -> AnyPosition:
    snapshot = searcher.snapshot()
    best = next(stats for stats in snapshot.moves if stats.move == snapshot.best_move)
    position = snapshot.position
    for move in best.principal_variation[:plies]:
        position = position.play(move)
    return position


@pytest.mark.parametrize("text", POSITIONS)
def test_the_kept_tree_is_the_old_one_below_the_moves_played(text: str) -> None:
    searcher = UctSearcher(UctOptions(iterations=5_000))
    searcher.start(parse_position(text), 7)
    searcher.advance(Limit())
    position = after_best_line(searcher, 2)
    old = subtree(searcher)
    for move in position.moves[parse_position(text).ply :]:
        code = {tuple(child[:1]): child for child in old[3]}  # type: ignore[attr-defined]
        old = next(child for child in code.values() if child[0] == _code(position, move))
    assert searcher.resume(position, 8)
    kept = subtree(searcher)
    assert kept[1:] == old[1:]
    assert kept[0] == -1, "a root has no move"


def _code(position: AnyPosition, move: object) -> int:
    from coding import encode_move

    return encode_move(position.game, move)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", POSITIONS)
def test_visits_go_on_from_those_kept_and_iterations_begin_anew(text: str) -> None:
    searcher = UctSearcher(UctOptions(iterations=3_000))
    searcher.start(parse_position(text), 1)
    searcher.advance(Limit())
    assert searcher.resume(after_best_line(searcher, 2), 2)
    kept = searcher.snapshot()
    assert kept.iterations == 0
    assert kept.reused > 0
    # The root's own first visit, when it was expanded, belongs to none of its moves.
    assert kept.total_visits == kept.reused - 1
    searcher.advance(Limit())
    done = searcher.snapshot()
    assert done.iterations == 3_000
    assert done.total_visits == kept.total_visits + 3_000
    assert done.trace is not None
    assert done.trace.visits[0].sum() == kept.total_visits + 1


def test_a_position_that_the_tree_does_not_know_begins_nothing() -> None:
    searcher = UctSearcher(UctOptions(iterations=10))
    searcher.start(parse_position("mnk:5,5,4"), 1)
    searcher.advance(Limit())
    before = searcher.snapshot()
    assert not searcher.resume(parse_position("mnk:5,5,4 a1 b1 c1 d1"), 1), "never visited"
    assert not searcher.resume(parse_position("mnk:4,4,3 a1"), 1), "another game"
    assert searcher.snapshot().total_visits == before.total_visits


def test_where_there_is_no_memory_to_copy_the_tree_the_search_stays_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    searcher = UctSearcher(UctOptions(iterations=5_000))
    searcher.start(parse_position("mnk:4,4,3"), 7)
    searcher.advance(Limit())
    before, position = subtree(searcher), after_best_line(searcher, 2)

    def no_memory(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(tree, "make_tree", no_memory)
        assert not searcher.resume(position, 8)
    assert searcher.position == parse_position("mnk:4,4,3")
    assert subtree(searcher) == before
    assert searcher.resume(position, 8)


def test_a_tree_with_so_many_visits_that_counts_could_overflow_is_not_kept() -> None:
    searcher = UctSearcher(UctOptions(iterations=5_000))
    searcher.start(parse_position("mnk:4,4,3"), 7)
    searcher.advance(Limit())
    position = after_best_line(searcher, 1)
    child = tree.child(searcher.search_tree, 0, _code(position, position.moves[0]))
    most = 2 * MAX_ITERATIONS
    assert 2 * most < 2**32 <= 2 * (most + MAX_ITERATIONS), "half points, of two searches and of three"
    searcher.search_tree.nodes["visits"][child] = MAX_ITERATIONS + 1
    assert not searcher.resume(position, 8)
    searcher.search_tree.nodes["visits"][child] = MAX_ITERATIONS
    assert searcher.resume(position, 8)


def test_the_copied_tree_wastes_no_memory() -> None:
    searcher = UctSearcher(UctOptions(iterations=20_000))
    searcher.start(parse_position("mnk:4,4,3"), 3)
    searcher.advance(Limit())
    assert searcher.resume(after_best_line(searcher, 2), 4)
    snapshot = searcher.snapshot()
    assert snapshot.tree_bytes <= tree.NODE_BYTES * snapshot.tree_nodes
    assert np.all(searcher.search_state.free == places.NO_BLOCK)


@pytest.mark.parametrize("text", ["nim:3,4,5", "mnk:5,5,4", "mnk:9,9,5"])
def test_what_was_in_memory_before_is_never_read(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in a tree that grows beyond its first memory, nor in one that is kept; selection reads beyond nodes."""
    monkeypatch.setattr("nimdesk.search.uct.MOST_AT_FIRST", 4_000)
    make_tree, empty = tree.make_tree, np.empty

    def full_of_nothing(shape: int, dtype: object) -> NDArray[Any]:
        made: NDArray[Any] = empty(shape, dtype)  # type: ignore[call-overload]
        made.view(np.uint8)[:] = 0xFF  # as a float, not a number
        return made

    def make_on_used_memory(size: int) -> tree.Tree:
        with monkeypatch.context() as patch:
            patch.setattr(np, "empty", full_of_nothing)
            return make_tree(size)

    def two_searches() -> list[object]:
        searcher = UctSearcher(UctOptions(iterations=10_000))
        searcher.start(parse_position(text), 7)
        searcher.advance(Limit())
        whole = subtree(searcher)
        assert searcher.search_tree.nodes.size > 4_000
        assert searcher.resume(after_best_line(searcher, 1), 8)
        searcher.advance(Limit())
        used = 2 * int(searcher.search_state.counts[uct.USED]) + bits.LANES
        assert np.isfinite(searcher.search_tree.bounds[:used]).all()
        return [whole, subtree(searcher)]

    clean = two_searches()
    monkeypatch.setattr(tree, "make_tree", make_on_used_memory)
    assert two_searches() == clean


def test_no_move_is_tried_twice_where_only_later_positions_fit_into_one_word() -> None:
    """Both searches have to keep track of what was tried in the same way."""
    searcher = UctSearcher(UctOptions(iterations=20_000))
    searcher.start(parse_position("nim:64,64"), 1)
    searcher.advance(Limit())
    assert searcher.resume(parse_position("nim:64,64 1-60 2-60"), 2)
    searcher.advance(Limit())
    waiting: list[Any] = [subtree(searcher)]
    while waiting:
        below = waiting.pop()[3]
        assert len({child[0] for child in below}) == len(below)
        waiting += below
