"""The game tree that is drawn: its values are the true ones, and what a search did stands where it did it."""

from __future__ import annotations

import csv
import io
import math

import pytest
from reference_minimax import random_positions, solve

from nimdesk.games import AnyPosition, parse_position, solver_for
from nimdesk.games.truth import Truth
from nimdesk.limit import Limit
from nimdesk.play.game_tree import MOST_CHILDREN, TreeNode, game_tree, node_words, tree_csv
from nimdesk.search.textbook.depth_first import DepthFirst
from nimdesk.search.textbook.searchers import family_of
from nimdesk.search.tree_types import Family, Line, signed


def all_lines(position: AnyPosition, line: Line = ()) -> list[Line]:
    """The lines of all positions that are not over."""
    if position.outcome is not None:
        return []
    below = [all_lines(position.play(move), (*line, move)) for move in position.legal_moves]
    return [line, *(each for lines in below for each in lines)]


def truths_of(nodes: TreeNode) -> dict[AnyPosition, Truth]:
    known = {}
    for node in nodes.walk():
        if node.position.outcome is None:
            solver = solver_for(node.position)
            solver.start(node.position)
            assert solver.advance(Limit(time_s=10.0))
            known[node.position] = solver.truth()
    return known


def pruned(position: AnyPosition, *, ordered: bool = False) -> tuple[DepthFirst, dict[Line, Family | None]]:
    search = DepthFirst(position, depth=None, ordered=ordered, prune=True)
    search.advance(None, math.inf)
    return search, {line: family_of(search, line) for line in all_lines(position)}


STARTS = [
    *random_positions("mnk:3,3,3", 6, (4, 6), seed=1),
    *random_positions("nim:2,3", 3, (0, 2), seed=2),
    *random_positions("nim:5:max3:misere", 3, (0, 2), seed=3),
]


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.text)
def test_every_value_is_that_of_brute_force_for_the_side_to_move_at_the_root(start: AnyPosition) -> None:
    whole = game_tree(start, set(all_lines(start)), {}, {})
    tree = game_tree(start, set(all_lines(start)), {}, truths_of(whole))
    count = 0
    for node in tree.walk():
        value = solve(node.position)[0]
        assert node.value == (value if len(node.line) % 2 == 0 else -value), node.line
        count += 1
    assert count == 1 + sum(len(node.position.legal_moves) for node in tree.walk())
    assert all(node.value is None for node in whole.walk() if node.position.outcome is None)


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.text)
def test_what_is_drawn_as_cut_off_is_what_the_search_did_not_visit(start: AnyPosition) -> None:
    search, families = pruned(start)
    tree = game_tree(start, set(all_lines(start)), families, {})
    assert sum(node.branch is not None for node in tree.walk()) == search.nodes - 1
    for node in tree.walk():
        assert (node.branch is None) == (node.is_cut_off or node.line == ())
        below = [child.is_cut_off for child in node.children]
        if node.is_cut_off:
            assert all(below)
        elif node.cut is not None:
            assert [child.line[-1] for child in node.children if child.is_cut_off] == list(node.cut.moves)
            assert below == sorted(below), "those cut off come last"
            words = node_words(tree, node)
            assert f"As α {signed(node.cut.alpha)} ≥ β {signed(node.cut.beta)}, nothing depends on" in words
        else:
            assert not any(below)


def test_of_a_position_with_many_moves_the_most_visited_are_drawn() -> None:
    start = parse_position("mnk:7,7,4")
    tree = game_tree(start, {()}, {}, {})
    assert (len(tree.children), tree.hidden) == (MOST_CHILDREN, 49 - MOST_CHILDREN)


def test_the_table_of_the_drawing_says_of_each_position_what_it_is_worth_and_what_the_search_did() -> None:
    start = parse_position("mnk:3,3,3 a1 b2 c3 c1")
    _search, families = pruned(start)
    lines = set(all_lines(start))
    tree = game_tree(start, lines, families, truths_of(game_tree(start, lines, {}, {})))
    rows = list(csv.DictReader(io.StringIO(tree_csv(tree))))
    assert len(rows) == sum(1 for _ in tree.walk())
    by_line = {row["line"]: row for row in rows}
    assert by_line["a3"]["value"] == "1"
    assert by_line["a2 b3"]["search"] == "cut off"
    assert (by_line["a2"]["alpha"], by_line["a2"]["beta"], by_line["a2"]["search_value"]) == ("-1", "", "-1")
