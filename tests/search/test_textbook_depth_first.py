"""Minimax and alpha-beta as a textbook has them are what the compiled search does, node for node."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_minimax import random_positions, solve

from nimdesk.games import AnyPosition, parse_position, solver_for
from nimdesk.games.truth import Value
from nimdesk.search.alphabeta import DepthFirst
from nimdesk.search.minimax import MinimaxSearcher
from nimdesk.search.textbook.depth_first import DepthFirst as Textbook
from nimdesk.search.textbook.depth_first import End, Node
from nimdesk.search.textbook.searchers import TextbookMinimax, family_of
from nimdesk.search.tree_types import Line
from nimdesk.search.types import Limit

POSITIONS = (
    "nim:3,4,5",
    "nim:7:max3:misere",
    "nim:2,3:misere",
    "mnk:3,3,3 b2",
    "mnk:4,3,3 b2 a1",
    "mnk:4,4,3:gravity a1 b1 a2",
)


def nodes_of(tree: Textbook) -> Iterator[tuple[Node, AnyPosition]]:
    waiting = [(tree.root, tree.position)]
    while waiting:
        node, position = waiting.pop()
        yield node, position
        waiting += [(child, position.play(child.move)) for child in node.children if child.move is not None]


@pytest.mark.parametrize("text", POSITIONS)
@pytest.mark.parametrize("prune", [True, False])
@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("depth", [None, 1, 3])
def test_it_has_the_nodes_and_the_values_of_the_kernel(
    text: str, prune: bool, ordered: bool, depth: int | None
) -> None:
    position = parse_position(text)
    kernel = DepthFirst(position, depth=depth, ordered=ordered, prune=prune)
    tree = Textbook(position, depth=depth, ordered=ordered, prune=prune)
    kernel.advance(10_000, math.inf)
    tree.advance(10_000, math.inf)
    assert (tree.nodes, tree.done) == (kernel.nodes, kernel.done)
    assert tree.move_stats(distances=not prune) == kernel.move_stats(distances=not prune)
    if kernel.done:
        assert tree.root.value == kernel.value
        assert tree.best_move == kernel.best_move
        assert tree.root.nodes == tree.nodes


@settings(max_examples=25)
@given(st.integers(1, 3000), st.booleans())
def test_at_every_moment_it_stands_where_the_kernel_stands(nodes: int, prune: bool) -> None:
    position = parse_position("mnk:3,3,3 b2")
    kernel = DepthFirst(position, depth=None, ordered=True, prune=prune)
    tree = Textbook(position, depth=None, ordered=True, prune=prune)
    kernel.advance(nodes, math.inf)
    tree.advance(nodes, math.inf)
    assert tree.nodes == kernel.nodes
    assert tree.move_stats(distances=not prune) == kernel.move_stats(distances=not prune)


def test_without_pruning_every_value_is_the_true_one() -> None:
    tree = Textbook(parse_position("mnk:3,3,3 b2 a1 c3 a3"), depth=None, ordered=False, prune=False)
    tree.advance(10_000, math.inf)
    checked = 0
    for node, position in nodes_of(tree):
        if position.outcome is None:
            solver = solver_for(position)
            solver.start(position)
            assert solver.advance(Limit(time_s=10.0))
            value = {Value.WIN: 1, Value.DRAW: 0, Value.LOSS: -1}[solver.truth().value]
            assert node.value == (value if node.maximises else -value)
            checked += 1
    assert checked > 50


def test_a_cut_off_is_where_the_window_is_closed_and_moves_are_left() -> None:
    tree = Textbook(parse_position("mnk:3,3,3 b2"), depth=None, ordered=True, prune=True)
    tree.advance(100_000, math.inf)
    cuts = [node for node, _ in nodes_of(tree) if node.end is End.CUT]
    assert len(cuts) > 100
    for node, position in nodes_of(tree):
        if position.outcome is not None:
            assert (node.end, node.skipped, node.children) == (End.GAME_OVER, (), [])
            continue
        assert node.value is not None
        assert len(node.skipped) == len(position.legal_moves) - len(node.children)
        assert (node.end is End.CUT) == bool(node.skipped)
        if node.skipped:
            assert node.value >= node.beta if node.maximises else node.value <= node.alpha


def test_the_tree_of_a_long_search_is_kept_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nimdesk.search.textbook.depth_first.NODE_LIMIT", 500)
    tree = Textbook(parse_position("mnk:4,4,4"), depth=None, ordered=True, prune=True)
    tree.advance(3_000, math.inf)
    assert (tree.nodes, tree.full, tree.done) == (3_000, True, False)
    assert sum(1 for _ in nodes_of(tree)) in range(500, 520), "and the root moves"


@pytest.mark.parametrize("text", ["nim:3,2", "mnk:3,2,2", "nim:4:max3:misere"])
def test_minimax_on_positions_says_what_the_compiled_one_says(text: str) -> None:
    compiled, textbook = MinimaxSearcher(), TextbookMinimax()
    for searcher in (compiled, textbook):
        searcher.start(parse_position(text), 1)
        searcher.advance(Limit())
    one, other = compiled.snapshot(), textbook.snapshot()
    assert (one.moves, one.best_move, one.tree_nodes, one.comment) == (
        other.moves, other.best_move, other.tree_nodes, other.comment
    )  # fmt: skip
    assert one.listing == other.listing
    family = textbook.family(())
    assert family is not None
    assert family.visits == one.tree_nodes
    assert [branch.visits for branch in family.branches] == [stats.visits for stats in one.moves]


def window_words(text: str, *moves: str) -> list[str]:
    tree = Textbook(parse_position(text), depth=None, ordered=False, prune=True)
    tree.advance(10_000, math.inf)
    line: Line = ()
    position = tree.position
    for move in moves:
        line = (*line, position.parse_move(move))
        position = position.play(line[-1])
    family = family_of(tree, line)
    assert family is not None
    return [branch.window.why for branch in family.branches if branch.window is not None]


def test_each_end_is_told_in_words() -> None:
    # First takes 1 of 2: Second takes the last one and wins. First takes 2: it wins at once.
    assert window_words("nim:2") == ["its only move searched", "the game is over: First wins"]
    assert window_words("nim:2", "1-1") == ["the game is over: Second wins"]
    # Of two equal piles every take loses: the third move is seen to do so by its first reply.
    assert window_words("nim:2,2")[:3] == [
        "all 3 moves searched",
        "all 2 moves searched",
        "cut off, 2 moves not searched: Second holds First to at most −1 here; First has −1 elsewhere",
    ]


def random_starts() -> list[AnyPosition]:
    texts = (("mnk:3,3,3", (2, 6)), ("mnk:4,3,3", (5, 9)), ("nim:3,4,5", (0, 4)), ("nim:2,3,4:misere", (0, 4)))
    return [each for text, plies in texts for each in random_positions(text, 6, plies, seed=4)]


def searched_tree(position: AnyPosition, *, ordered: bool) -> Textbook:
    tree = Textbook(position, depth=None, ordered=ordered, prune=True)
    tree.advance(None, math.inf)
    return tree


@pytest.mark.parametrize("ordered", [True, False])
def test_every_cut_is_justified_by_what_the_search_had_seen_on_the_way_there(ordered: bool) -> None:
    cuts = 0
    for position in random_starts():
        tree = searched_tree(position, ordered=ordered)
        # Alpha is the best that the root's side has found in the nodes above, beta the best of the other side.
        waiting: list[tuple[Line, Node, float, float]] = [((), tree.root, -math.inf, math.inf)]
        while waiting:
            line, node, alpha, beta = waiting.pop()
            family = family_of(tree, line)
            assert family is not None
            for child in node.children:
                assert (child.alpha, child.beta) == (alpha, beta)
                assert child.move is not None
                waiting.append(((*line, child.move), child, alpha, beta))
                assert child.value is not None
                if node.maximises:
                    alpha = max(alpha, child.value)
                else:
                    beta = min(beta, child.value)
                left = child is not node.children[-1]
                assert not left or alpha < beta, "it goes on as long as the window is open"
            cut = family.cut
            if cut is None:
                continue
            cuts += 1
            assert (cut.alpha, cut.beta) == (alpha, beta)
            assert cut.alpha >= cut.beta
            here = position
            for move in line:
                here = here.play(move)
            assert {*cut.moves, *(branch.move for branch in family.branches)} == {*here.legal_moves}
            assert len(cut.moves) + len(family.branches) == len(here.legal_moves)
    assert cuts > 500


@pytest.mark.parametrize("ordered", [True, False])
def test_whatever_the_moves_cut_off_are_worth_the_value_of_the_root_stays(ordered: bool) -> None:
    def value(node: Node, cut_off: int | None) -> int:
        if not node.children:
            assert node.value is not None
            return node.value
        values = [value(child, cut_off) for child in node.children]
        if node.end is End.CUT and cut_off is not None:
            values.append(cut_off)
        return max(values) if node.maximises else min(values)

    for position in random_starts():
        tree, true = searched_tree(position, ordered=ordered), solve(position)[0]
        assert tree.root.value == true
        assert [value(tree.root, cut_off) for cut_off in (None, -1, 0, 1)] == [true] * 4
