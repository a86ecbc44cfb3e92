"""UCT with mistakes: without any it is UCT, and with each the compiled search does what its textbook form does."""

from typing import Any

import pytest

from nimdesk.games import AnyPosition, parse_position
from nimdesk.limit import Limit
from nimdesk.search.options import UctOptions, VariantsOptions
from nimdesk.search.textbook.variants import TextbookVariants
from nimdesk.search.tree_types import Line
from nimdesk.search.uct import UctSearcher
from nimdesk.search.variants import VariantsSearcher

POSITIONS = ["nim:1,3,5,7", "nim:21:max3:misere 1-2", "mnk:4,4,3 a1 b2", "mnk:4,4,4:gravity d1"]
Tree = list[tuple[object, ...]]


def whole_tree(searcher: Any, line: Line = ()) -> Tree:
    """Move, visits, mean and children of every node, in the order of the search."""
    family = searcher.family(line)
    assert family is not None
    return [
        (each.move, each.visits, each.mean_value, whole_tree(searcher, (*line, each.move)) if each.children else [])
        for each in family.branches
    ]


def searched(make: Any, options: Any, position: AnyPosition) -> Any:
    searcher = make(options)
    searcher.start(position, 3)
    searcher.advance(Limit())
    return searcher


@pytest.mark.parametrize("text", POSITIONS)
@pytest.mark.parametrize("options", [{}, {"log_n": "root", "exploration": 0.5, "final": "mean"}])
def test_without_mistakes_it_is_uct_node_for_node(text: str, options: dict[str, Any]) -> None:
    position = parse_position(text)
    right = searched(UctSearcher, UctOptions(iterations=400, **options), position)
    ours = searched(VariantsSearcher, VariantsOptions(iterations=400, **options), position)
    assert whole_tree(ours) == whole_tree(right)
    assert ours.snapshot().best_move == right.snapshot().best_move
    assert ours.snapshot().trace.visits.tolist() == right.snapshot().trace.visits.tolist()
    assert (ours.tree_nodes, ours.playouts) == (right.tree_nodes, right.playouts)


@pytest.mark.parametrize("text", ["mnk:4,4,3", "mnk:4,4,3 a1 b2"])
def test_so_it_is_where_cells_with_most_neighbours_are_tried_first(text: str) -> None:
    position = parse_position(text)
    right = searched(UctSearcher, UctOptions(iterations=400, expansion="neighbours"), position)
    ours = searched(VariantsSearcher, VariantsOptions(iterations=400, expansion="neighbours"), position)
    assert whole_tree(ours) == whole_tree(right)


@pytest.mark.parametrize("playouts", ["zeroing", "perfect_opponent"])
def test_so_it_is_with_the_playouts_of_nim(playouts: Any) -> None:
    position = parse_position("nim:3,4,5")
    right = searched(UctSearcher, UctOptions(iterations=400, playouts=playouts), position)
    assert whole_tree(searched(VariantsSearcher, VariantsOptions(iterations=400, playouts=playouts), position)) == (
        whole_tree(right)
    )


MISTAKES: list[dict[str, Any]] = [
    {"backup": "root"},
    {"backup": "leaf", "log_n": "root"},
    {"backup": "inverted", "final": "mean"},
    {"rewards": "two", "expansion": "first"},
    {"growth": "all", "kept_tree": "right"},
    {"kept_tree": "wrong"},
]


@pytest.mark.parametrize("text", POSITIONS)
@pytest.mark.parametrize("options", MISTAKES, ids=lambda options: ",".join(f"{k}={v}" for k, v in options.items()))
def test_each_mistake_is_that_of_the_textbook_form(text: str, options: dict[str, Any]) -> None:
    position, made = parse_position(text), VariantsOptions(iterations=200, **options)
    compiled, textbook = searched(VariantsSearcher, made, position), searched(TextbookVariants, made, position)
    assert whole_tree(compiled) == whole_tree(textbook)
    assert compiled.snapshot().best_move == textbook.snapshot().best_move
    assert compiled.tree_nodes == textbook.tree_nodes

    without = searched(VariantsSearcher, VariantsOptions(iterations=200), position)
    if "kept_tree" not in options:
        assert whole_tree(compiled) != whole_tree(without), "the switch does nothing"
        return
    later = position.play(compiled.snapshot().best_move)
    for searcher in (compiled, textbook):
        assert searcher.resume(later, 5)
        searcher.advance(Limit())
    assert whole_tree(compiled) == whole_tree(textbook)
    assert compiled.snapshot().reused == textbook.snapshot().reused > 0


def test_a_full_tree_stops_growing_and_the_search_goes_on() -> None:
    options = VariantsOptions(iterations=400_000, memory_mb=8)
    searcher = searched(VariantsSearcher, options, parse_position("mnk:7,7,5"))
    snapshot = searcher.snapshot()
    assert snapshot.tree_full
    assert snapshot.iterations == 400_000
    assert snapshot.tree_bytes <= 8 * 2**20


def test_who_backs_up_for_the_wrong_side_plays_as_if_the_last_stick_lost() -> None:
    position = parse_position("nim:6:max3")
    right, wrong = (
        searched(VariantsSearcher, VariantsOptions(iterations=3_000, backup=backup), position).snapshot().best_move
        for backup in ("turns", "inverted")
    )
    assert right.text == "1-2", "a multiple of four is left"
    assert wrong.text == "1-1", "one more than that is left, which would win in misère play"
