"""The view of a search's tree shows what the search knows, wherever one looks."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from nimdesk.games import parse_position, solver_for
from nimdesk.games.truth import Value
from nimdesk.search.flat import FlatSearcher
from nimdesk.search.mcts import MctsSearcher
from nimdesk.search.options import FlatOptions, MctsOptions, UctOptions
from nimdesk.search.parallel_uct import ParallelUctSearcher
from nimdesk.search.textbook.sampling import Node, TextbookUct
from nimdesk.search.tree_types import Family, Line, TreeView
from nimdesk.search.types import Limit, Searcher
from nimdesk.search.uct import UctSearcher

pytestmark = pytest.mark.slow


def searched(searcher: Searcher, text: str, iterations: int, seed: int = 7) -> TreeView:
    searcher.start(parse_position(text), seed)
    searcher.advance(Limit(iterations=iterations))
    assert isinstance(searcher, TreeView)
    return searcher


def families(view: TreeView, line: Line = (), least: int = 0) -> Iterator[Family]:
    family = view.family(line)
    assert family is not None
    yield family
    for branch in family.branches:
        if branch.children and branch.visits >= least:
            yield from families(view, (*line, branch.move), least)


@pytest.mark.parametrize("text", ["nim:3,4,5", "mnk:3,3,3", "mnk:4,4,3:gravity a1"])
def test_the_tree_of_uct_is_the_tree_of_the_textbook(text: str) -> None:
    parameters = UctOptions(exploration=0.9)
    view = searched(UctSearcher(parameters), text, 700)
    seen = 0

    def compare(line: Line, node: Node) -> None:
        nonlocal seen
        family = view.family(line)
        assert family is not None
        assert family.visits == node.visits
        assert [branch.move for branch in family.branches] == [child.move for child in node.children]
        for branch, child in zip(family.branches, node.children, strict=True):
            seen += 1
            assert (branch.visits, branch.children) == (child.visits, len(child.children))
            assert branch.mean_value == pytest.approx(child.half_points / 2 / child.visits)
            assert branch.bound == pytest.approx(child.bound(0.9 * math.sqrt(math.log(node.visits))), abs=1e-5)
            compare((*line, branch.move), child)

    textbook = TextbookUct(UctOptions(exploration=0.9))
    searched(textbook, text, 700)
    compare((), textbook.tree)
    assert seen > 500


def test_a_finished_game_is_proven_for_the_side_that_ended_it() -> None:
    view = searched(UctSearcher(), "nim:2", 50)
    family = view.family(())
    assert family is not None
    assert {branch.move.text: branch.proven for branch in family.branches} == {"1-1": None, "1-2": Value.WIN}
    position = parse_position("nim:2:misere")
    after = searched(UctSearcher(), "nim:2:misere", 50).family((position.parse_move("1-1"),))
    assert after is not None
    assert [branch.proven for branch in after.branches] == [Value.LOSS]


def test_a_finished_game_is_proven_also_while_other_moves_wait_to_be_tried() -> None:
    seen = 0
    for seed in range(10):
        family = searched(UctSearcher(), "nim:5", 3, seed).family(())
        assert family is not None
        assert len(family.branches) == 3
        for branch in family.branches:
            assert branch.proven is (Value.WIN if branch.move.text == "1-5" else None)
            seen += branch.proven is Value.WIN
    assert 0 < seen < 10


def test_where_the_tree_does_not_reach_there_is_no_node() -> None:
    view = searched(UctSearcher(), "nim:3,4,5", 1)
    position = view.position
    tried = view.family(())
    assert tried is not None
    assert len(tried.branches) == 1
    untried = next(move for move in position.legal_moves if move != tried.branches[0].move)
    assert view.family((untried,)) is None


@pytest.mark.parametrize("text", ["nim:3,4,5", "mnk:3,3,3", "mnk:4,3,3", "mnk:7,6,4:gravity d1"])
def test_the_root_of_mcts_is_what_its_snapshot_says(text: str) -> None:
    searcher = MctsSearcher(MctsOptions(exploration=0.6))
    view = searched(searcher, text, 60)
    family, snapshot = view.family(()), searcher.snapshot()
    assert family is not None
    stats = {each.move: each for each in snapshot.moves if each.visits or each.proven}
    assert {branch.move for branch in family.branches} >= stats.keys()
    for branch in family.branches:
        if branch.visits:
            known = stats[branch.move]
            assert (branch.visits, branch.mean_value, branch.proven) == (known.visits, known.mean_value, known.proven)
            assert branch.mean_value is not None
            if branch.proven:
                assert branch.bound is None, "no bound decides about what is certain"
                continue
            expected = branch.mean_value + 0.6 * math.sqrt(math.log(family.visits) / branch.visits)
            assert branch.bound == pytest.approx(expected)


@pytest.mark.parametrize(("text", "iterations"), [("nim:3,4,5", 40), ("mnk:3,3,3", 60), ("mnk:4,3,3 b2", 15)])
def test_what_mcts_proves_anywhere_in_its_tree_is_true_of_the_position_there(text: str, iterations: int) -> None:
    view = searched(MctsSearcher(), text, iterations)
    proven = 0
    for family in families(view):
        position = view.position
        for move in family.line:
            position = position.play(move)
        for branch in family.branches:
            after = position.play(branch.move)
            if branch.proven is None:
                assert after.outcome is None
                continue
            if after.outcome is not None:
                assert branch.proven.score == after.outcome.score(position.turn)
            else:
                solver = solver_for(after)
                solver.start(after)
                solver.advance(Limit(time_s=10.0))
                assert branch.proven is solver.truth().value.reverse
            proven += 1
    assert proven > 5


def test_every_line_of_a_merged_tree_can_be_played_and_each_node_has_visits_for_its_moves() -> None:
    view = searched(MctsSearcher(MctsOptions(prove=False)), "nim:3,4,5", 3000)
    count = 0
    for family in families(view, least=5):
        position = view.position
        for move in family.line:
            assert move in position.legal_moves
            position = position.play(move)
        assert len({branch.move for branch in family.branches}) == len(family.branches)
        assert sum(branch.visits for branch in family.branches) <= family.visits
        count += 1
    assert count > 200


def test_of_several_trees_the_first_is_shown_and_flat_search_has_none() -> None:
    parallel = ParallelUctSearcher(UctOptions(threads=2))
    family = searched(parallel, "nim:3,4,5", 400).family(())
    assert family is not None
    assert family.visits == 200
    flat = FlatSearcher(FlatOptions(playouts=100))
    flat.start(parse_position("nim:3,4,5"), 1)
    assert not isinstance(flat, TreeView)


@pytest.mark.parametrize(
    ("text", "line"), [("nim:3", ["1-3"]), ("nim:2,1", ["2-1", "1-2"]), ("mnk:2,2,2", ["a1", "b1", "a2"])]
)
def test_behind_the_end_of_a_game_is_nothing(text: str, line: list[str]) -> None:
    view = searched(MctsSearcher(MctsOptions(stop_at_proof=False)), text, 500)
    position, moves = parse_position(text), []
    for word in line:
        moves.append(position.parse_move(word))
        position = position.play(moves[-1])
    family = view.family(tuple(moves))
    assert family is None or family.branches == ()
