"""Search trees for print: the largest part of a tree, each number the search's own, as DOT and as TikZ."""

from __future__ import annotations

import re

import pytest

from nimdesk.agents import make_agent
from nimdesk.errors import OptionError
from nimdesk.figures.files import Look
from nimdesk.figures.trees import Tree, as_dot, as_tikz, largest, levels_within, tree_of
from nimdesk.games import parse_position
from nimdesk.limit import Limit
from nimdesk.search.tree_types import Branch, TreeView


@pytest.fixture(scope="module")
def search() -> TreeView:
    searcher = make_agent("uct", {}).new_searcher()
    searcher.start(parse_position("nim:3,4,5"), 1)
    searcher.advance(Limit(iterations=2_000))
    assert isinstance(searcher, TreeView)
    return searcher


@pytest.fixture(scope="module")
def tree(search: TreeView) -> Tree:
    return tree_of(search.position, largest(search.family, 30, 3), "a part", "By UCT.")


def test_the_largest_moves_are_taken_and_each_follows_the_move_it_answers(search: TreeView, tree: Tree) -> None:
    lines = [line for line, _branch in tree.rows]
    assert len(lines) == len(set(lines)) == 30
    assert all(len(line) == 1 or line[:-1] in lines[:number] for number, line in enumerate(lines))
    assert tree.levels <= 3
    least = min(branch.visits for _line, branch in tree.rows)
    left_out: list[Branch] = []
    for line in ((), *(line for line in lines if len(line) < 3)):
        family = search.family(line)
        assert family is not None
        left_out += [branch for branch in family.branches if (*line, branch.move) not in lines]
        own = [branch.visits for each, branch in tree.rows if each[:-1] == line]
        assert own == sorted(own, reverse=True)
    assert max(branch.visits for branch in left_out) <= least


def test_both_forms_have_every_move_with_its_numbers_and_its_edge(tree: Tree) -> None:
    numbers = [f"{branch.visits:,}" for _line, branch in tree.rows]
    dot = as_dot(tree, Look())
    assert re.findall(r'label="\S+  (\S+)', dot) == numbers
    assert len(re.findall(r"n\d* -> n\d+;", dot)) == 30
    tikz = as_tikz(tree, Look())
    assert re.findall(r"\\textbf\{\S+\}\} (\S+)", tikz) == numbers
    assert len(re.findall(r"\\draw", tikz)) == 30
    # Leaves have rows of their own, and what is drawn is as wide as it was to be.
    places = re.findall(r"at \(([\d.]+),([\d.]+)\)", tikz)
    assert len(set(places)) == 31
    assert max(float(x) for x, _y in places) < 85
    for text in (dot, tikz):
        assert tree.caption in text
        assert "Made 20" in text


def test_letters_that_mean_something_to_latex_or_graphviz_are_written_as_letters(tree: Tree) -> None:
    odd = tree_of(tree.position, tree.rows[:1], 'of "all" & 50 %', "By a_b.")
    assert r'tooltip="Search tree of nim:3,4,5: of \"all\" & 50 %.' in as_dot(odd, Look())
    assert as_tikz(odd, Look()).splitlines()[0].startswith("% Search tree")
    with pytest.raises(OptionError, match="no tree to draw"):
        tree_of(tree.position, [], "", "")


def test_a_wider_figure_or_a_smaller_font_holds_longer_lines() -> None:
    assert levels_within(Look(width_mm=20)) == 1
    assert levels_within(Look()) < levels_within(Look(width_mm=174)) < levels_within(Look(width_mm=174, size_pt=6))
