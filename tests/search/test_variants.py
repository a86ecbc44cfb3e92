"""UCT in its variants: with none it is UCT, and with each the compiled search does what its textbook form does."""

from functools import reduce
from operator import xor
from typing import Any

import pytest

from nimdesk.games import AnyPosition, MnkMove, Move, parse_position
from nimdesk.limit import Limit
from nimdesk.search.options import UctOptions, VariantsOptions
from nimdesk.search.parallel_uct import uct_searcher
from nimdesk.search.textbook.sampling import Node, SplitMix64, TextbookUct
from nimdesk.search.textbook.variants import TextbookVariants
from nimdesk.search.tree_types import Line
from nimdesk.search.uct import UctSearcher
from nimdesk.search.variants import UctVariantSearcher, VariantsSearcher

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
def test_without_variants_it_is_uct_node_for_node(text: str) -> None:
    position = parse_position(text)
    right = searched(UctSearcher, UctOptions(iterations=400, exploration=0.5, final="mean"), position)
    ours = searched(VariantsSearcher, VariantsOptions(iterations=400, exploration=0.5, final="mean"), position)
    assert whole_tree(ours) == whole_tree(right)
    assert ours.snapshot().best_move == right.snapshot().best_move
    assert ours.snapshot().trace.visits.tolist() == right.snapshot().trace.visits.tolist()
    assert (ours.tree_nodes, ours.playouts) == (right.tree_nodes, right.playouts)


DOCUMENT_003 = [{"log_n": "root"}, {"expansion": "first"}, {"log_n": "root", "expansion": "first"}]


@pytest.mark.parametrize("text", [*POSITIONS, "mnk:4,4,3:gravity a1 a2 b1"])
@pytest.mark.parametrize("options", DOCUMENT_003)
def test_the_logarithm_and_the_expansion_of_document_003_are_those_of_the_textbook_form(
    text: str, options: dict[str, Any]
) -> None:
    position, made = parse_position(text), UctOptions(iterations=400, **options)
    ours, textbook = searched(uct_searcher, made, position), searched(TextbookUct, made, position)
    assert whole_tree(ours) == whole_tree(textbook)
    assert ours.snapshot().agent == textbook.snapshot().agent == "uct"


class NeighboursFirst(TextbookUct):
    """Expands the cell with the most occupied neighbours; among equals of the order row by row the e-th by 1 in e."""

    def _untried(self, node: Node, position: AnyPosition) -> Move:
        tried, marked = {child.move for child in node.children}, set(position.moves)
        untried = sorted(set(position.legal_moves) - tried, key=lambda move: (move.row, move.column))
        # The lots between equals come from a copy of the generator, which itself goes on by one number.
        self._random.skip()
        lots = SplitMix64(self._random.state)
        best, most, equals = untried[0], -1, 0
        for move in untried:
            around = (MnkMove(move.column + x, move.row + y) for x in (-1, 0, 1) for y in (-1, 0, 1))
            occupied = sum(cell in marked for cell in around)
            if occupied > most:
                best, most, equals = move, occupied, 1
            elif occupied == most:
                equals += 1
                best = move if lots.below(equals) == 0 else best
        return best


@pytest.mark.parametrize("text", ["mnk:4,4,3", "mnk:4,4,3 a1 b2", "mnk:5,4,4:gravity c1 c2", "mnk:9,9,5 e5 d5"])
@pytest.mark.parametrize("log_n", ["parent", "root"])
def test_document_002_tries_cells_with_the_most_occupied_neighbours_first(text: str, log_n: Any) -> None:
    position, made = parse_position(text), UctOptions(iterations=400, expansion="neighbours", log_n=log_n)
    right = searched(NeighboursFirst, made, position)
    assert whole_tree(searched(uct_searcher, made, position)) == whole_tree(right)
    made = VariantsOptions(iterations=400, expansion="neighbours", log_n=log_n)
    assert whole_tree(searched(VariantsSearcher, made, position)) == whole_tree(right)


def test_playouts_of_document_000_end_as_the_nim_sum_says() -> None:
    position = parse_position("nim:3,4,5")
    once_each = UctOptions(iterations=len(position.legal_moves), playouts="zeroing")
    for stats in searched(uct_searcher, once_each, position).snapshot().moves:
        left = [int(pile) for pile in position.play(stats.move).piles]
        assert (stats.visits, stats.mean_value) == (1, 1.0 if reduce(xor, left) == 0 else 0.0)


def test_the_perfect_side_of_document_003_is_the_opponent_of_who_moves_at_the_root() -> None:
    position = parse_position("nim:8:max3")
    for seed in range(20):
        searcher = uct_searcher(UctOptions(iterations=3, playouts="perfect_opponent"))
        searcher.start(position, seed)
        searcher.advance(Limit())
        assert [(stats.visits, stats.mean_value) for stats in searcher.snapshot().moves] == 3 * [(1, 0.0)]


def test_a_tree_is_kept_where_moves_of_the_position_have_been_tried() -> None:
    position = parse_position("nim:3,4,5")
    searcher = searched(uct_searcher, UctOptions(iterations=12, expansion="first"), position)
    tried, untried = (position.play(searcher.family(()).branches[place].move) for place in (0, -1))
    assert not searcher.resume(untried, 5)
    searcher = searched(uct_searcher, UctOptions(iterations=400, expansion="first"), position)
    visits = searcher.family(()).branches[0].visits
    assert searcher.resume(tried, 5)
    assert searcher.snapshot().reused == visits > 1


def test_only_options_of_documents_need_the_slower_search() -> None:
    assert isinstance(uct_searcher(UctOptions(exploration=0.5, final="mean", ties="first")), UctSearcher)
    for options in ({"log_n": "root"}, {"expansion": "first"}, {"playouts": "zeroing"}):
        assert isinstance(uct_searcher(UctOptions(**options)), UctVariantSearcher)
        with pytest.raises(ValueError, match="those of the textbook"):
            UctSearcher(UctOptions(**options))


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
