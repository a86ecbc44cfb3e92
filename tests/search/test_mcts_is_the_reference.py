"""The compiled graph search builds the graph of the same search in Python; its nodes are consistent in every form.

The whole graph is compared, node by node, with merging, proofs and order and without. Longer searches are checked
against themselves: what is backed up must follow from what is below.
"""

import itertools
from typing import Any

import numpy as np
import pytest
from coding import encode_identity
from numpy.typing import NDArray

from nimdesk.agents import make_agent
from nimdesk.figures.content import in_full
from nimdesk.games import Move, kit_of, parse_position
from nimdesk.kernels import graph
from nimdesk.search import Limit
from nimdesk.search.mcts import MctsSearcher
from nimdesk.search.options import MctsOptions
from nimdesk.search.textbook.mcts import Node, TextbookMcts

SEARCHES = [
    ("nim:1,3,5,7", 0.7, 1_000, 1),
    ("nim:3,3,3:misere", 1.0, 700, 2),
    ("nim:21:max3:misere 1-2", 0.7, 700, 3),
    ("nim:30,30", 0.3, 600, 4),  # more moves than a node has room for at first
    ("nim:2", 0.7, 500, 5),
    ("mnk:3,3,3", 0.7, 600, 6),
    ("mnk:3,3,3 a1 b2 c3", 0.0, 600, 7),
    ("mnk:5,5,4", 1.4, 600, 8),
    ("mnk:4,5,3:gravity a1 b1", 0.7, 600, 9),
    ("mnk:9,9,5 e5", 0.2, 500, 10),
    ("mnk:9,9,5 e5 f5 e6 f6 e7 f7", 0.2, 500, 15),  # wins by fours are near
    ("mnk:15,15,5 h8 i9 g7", 0.7, 300, 18),
    ("mnk:8,8,6", 0.4, 300, 16),
    ("mnk:3,3,1", 0.7, 100, 11),
    ("mnk:6,5,3:exact a1 f5 b1 e5", 0.7, 500, 15),
    ("mnk:6,4,3:gravity:exact", 0.7, 500, 16),
    ("nim:100:max7", 0.7, 300, 17),
    ("take:0.77:5,7", 0.7, 700, 12),
    ("take:wythoff:5,8", 0.7, 500, 13),
    ("take:{1,3,4}:4,6+0.77:5:misere", 1.0, 500, 14),
]


def finished(text: str, seed: int, **parameters: object) -> MctsSearcher:
    searcher = MctsSearcher(MctsOptions(**parameters))  # type: ignore[arg-type]
    searcher.start(parse_position(text), seed)
    searcher.advance(Limit())
    return searcher


def edges_of(searcher: MctsSearcher, node: NDArray[np.void]) -> NDArray[np.void]:
    return searcher.search_graph[1][node["first"] : node["first"] + node["opened"]] if node["opened"] else np.zeros(0)


def assert_same_graph(searcher: MctsSearcher, reference: TextbookMcts) -> None:
    """Node by node from the root, along the edges, which must be the same in the same order."""
    nodes, game = searcher.search_graph[0], searcher.position.game
    twin = kit_of(game).twin
    stack: list[tuple[int, Node]] = [(graph.ROOT, reference.tree)]
    seen: dict[int, Node] = {}
    while stack:
        at, expected = stack.pop()
        assert seen.setdefault(at, expected) is expected
        node, tried = nodes[at], (expected.edges or [])[: expected.opened]
        assert (node["visits"], node["playout_score"]) == (expected.visits, expected.playout_score)
        assert (node["low"], node["high"], node["value"]) == (expected.low, expected.high, np.float32(expected.value))
        edges = edges_of(searcher, node)
        codes = [twin.encode_move(game, edge.code) if isinstance(edge.code, Move) else edge.code for edge in tried]
        assert [edge["code"] for edge in edges] == codes
        assert [edge["visits"] for edge in edges] == [edge.visits for edge in tried]
        for edge, other in zip(edges, tried, strict=True):
            at, child = int(edge["child"]), other.child
            if at < graph.ROOT:  # where a position turned out to be proven, an edge is left that nobody tried
                assert child is None
                assert other.double == (at == graph.DOUBLE)
                continue
            assert child is not None
            assert child.ended == (at < graph.FIRST_FREE)
            if not child.ended and at not in seen:
                stack.append((at, child))
    assert len(seen) == reference.tree_nodes == searcher.tree_nodes


def both(text: str, seed: int, **parameters: object) -> tuple[MctsSearcher, TextbookMcts]:
    options = MctsOptions(**parameters)  # type: ignore[arg-type]
    reference = TextbookMcts(options)
    reference.start(parse_position(text), seed)
    reference.advance(Limit())
    return finished(text, seed, **parameters), reference


# Merging, proofs and order; with all of them the search is the one that people play against.
WHOLE = (True, True, True)
FORMS = [(False, False, False), (True, False, True), (False, True, True), (True, True, False)]


@pytest.mark.parametrize(
    ("text", "exploration", "iterations", "seed", "merge", "prove", "order"),
    # Each in one of the other forms as well: each of these has piles, boards, gravity and proofs among its five.
    [(*each, *form) for number, each in enumerate(SEARCHES) for form in (WHOLE, FORMS[number % len(FORMS)])],
)
def test_the_search_builds_the_graph_of_the_reference(
    text: str, exploration: float, iterations: int, seed: int, merge: bool, prove: bool, order: bool
) -> None:
    searcher, reference = both(
        text, seed, iterations=iterations, exploration=exploration, merge=merge, prove=prove, order=order
    )
    assert_same_graph(searcher, reference)
    mine, other = searcher.snapshot(), reference.snapshot()
    for name in ("moves", "best_move", "iterations", "playouts", "stopped", "comment", "proven", "resistance"):
        assert getattr(mine, name) == getattr(other, name), name
    assert mine.trace is not None
    assert other.trace is not None
    for name in ("iterations", "visits", "value_sum", "choice", "playouts", "nodes"):
        assert np.array_equal(getattr(mine.trace, name), getattr(other.trace, name)), name


@pytest.mark.parametrize("text", ["mnk:3,3,3 a1 b2", "nim:3,4,5", "mnk:7,6,4:gravity d1 a1 d2 b1 d3 d4"])
def test_a_proof_is_confirmed_as_by_the_reference(text: str) -> None:
    searcher, reference = both(text, 5, iterations=2_000, stop_at_proof=False)
    assert_same_graph(searcher, reference)
    assert searcher.snapshot().moves == reference.snapshot().moves


def test_the_reference_itself_knows_its_rules() -> None:
    """The comparison is worth nothing if both were wrong: the reference finds forced wins, and its visits add up."""
    for text, best in (("mnk:3,3,3 a1 b2 b1 c3", "c1"), ("nim:5:max3", "1-1"), ("nim:4:misere", "1-3")):
        reference = TextbookMcts(MctsOptions(iterations=800, merge=False, prove=False))
        reference.start(parse_position(text), 1)
        reference.advance(Limit())
        root = reference.tree
        assert root.edges is not None
        assert max(root.edges, key=lambda edge: edge.visits).code.text == best
        assert root.visits == sum(edge.visits for edge in root.edges) == 800


POSITIONS = [
    ("nim:3,4,5", 400),
    ("nim:5,5,5:misere", 1_200),
    ("nim:30,17,8:max9", 1_200),
    ("mnk:3,3,3", 300),
    ("mnk:4,4,3 a1 a2", 200),
    ("mnk:5,5,4", 1_200),
    ("mnk:15,15,5 h8", 1_500),
    ("mnk:7,6,4:gravity", 1_200),
]


@pytest.mark.parametrize(("merge", "prove", "order"), list(itertools.product((False, True), repeat=3)))
def test_each_node_follows_from_its_edges_and_children(merge: bool, prove: bool, order: bool) -> None:
    for text, iterations in POSITIONS:
        searcher = finished(text, 11, iterations=iterations, merge=merge, prove=prove, order=order)
        snapshot = searcher.snapshot()
        nodes, _ = searcher.search_graph
        used = [0, *range(graph.FIRST_FREE, graph.FIRST_FREE + snapshot.tree_nodes - 1)]
        entered = np.zeros(len(nodes), np.int64)
        for at in used:
            node, edges = nodes[at], edges_of(searcher, nodes[at])
            assert node["low"] <= node["high"]
            assert 0.5 * node["low"] <= node["value"] <= 0.5 * node["high"]
            if not len(edges):
                continue
            known = edges[edges["child"] >= 0]
            below = nodes[known["child"]]
            np.add.at(entered, known["child"], known["visits"])
            proven = node["low"] == node["high"]
            playouts = int(node["visits"]) - int(edges["visits"].sum())
            assert playouts >= 0
            if not proven:
                assert node["playout_score"] <= playouts
                assert_sound_bounds(node, below, prove)
            if not merge and not proven:
                assert_weighted_mean(node, known, below)
        # Each visit of a position came along an edge, and each simulation through the root.
        inner = used[1:]
        assert entered[inner].tolist() == nodes[inner]["visits"].tolist()
        assert nodes[0]["visits"] == snapshot.iterations == snapshot.total_visits
        if merge:
            assert len(set(nodes[inner]["key"].tolist())) == len(inner)


def assert_sound_bounds(node: NDArray[np.void], below: NDArray[np.void], prove: bool) -> None:
    """Never tighter than what the children give; without proofs, wide open."""
    low, high = (2 - below["high"].astype(int)).max(), (2 - below["low"].astype(int)).max()
    if not prove:
        assert (node["low"], node["high"]) == (0, 2)
        return
    assert node["low"] <= low
    if node["opened"] == node["moves"]:
        assert node["high"] >= high
    else:
        # Unless the board shows that there is no line left to complete.
        assert node["high"] >= 1


def assert_weighted_mean(node: NDArray[np.void], edges: NDArray[np.void], below: NDArray[np.void]) -> None:
    """The mean by visits, of refuted moves too, with the node's own playouts, within its bounds."""
    visits = edges["visits"].astype(np.int64)
    weight = int(node["visits"])
    if weight:
        mean = (visits @ (1.0 - below["value"]) + node["playout_score"]) / weight
        assert node["value"] == pytest.approx(np.clip(mean, 0.5 * node["low"], 0.5 * node["high"]), abs=1e-6)


def test_an_evaluation_stands_in_for_playouts_where_a_game_has_one() -> None:
    even, better = "mnk:15,15,5 h8", "mnk:15,15,5 h8 a1 i8 o15 j9 o1 g7 a15"
    for evaluate in (True, False):
        found = [finished(text, 1, iterations=600, evaluate=evaluate).snapshot() for text in (even, better)]
        assert [(each.playouts == 0) for each in found] == [evaluate] * 2
        means = [next(move.mean_value for move in each.moves if move.move == each.best_move) for each in found]
        assert means[0] is not None
        assert 0.2 < means[0] < 0.8
        assert found[1].proven or (means[1] or 0.0) > means[0]
    assert finished("mnk:7,7,5", 1, iterations=600).snapshot().playouts, "a small board has none"


@pytest.mark.parametrize(
    ("text", "options", "c", "scaled"),
    [
        ("mnk:15,15,5", {}, "c 0.3 of 0.7", "c = 0.3 where 0.7 is set"),
        ("mnk:15,15,5", {"evaluate": False}, "c 0.7", ""),
        ("mnk:15,15,5", {"exploration": 1.4}, "c 0.6 of 1.4", "c = 0.6 where 1.4 is set"),
        ("mnk:15,15,5", {"exploration": 0.0}, "c 0", ""),
        ("mnk:15,15,5:exact", {}, "c 0.7", ""),
        ("nim:3,4,5", {}, "c 0.7", ""),
    ],
)
def test_where_positions_are_evaluated_a_part_of_c_counts_and_all_that_names_c_says_so(
    text: str, options: dict[str, Any], c: str, scaled: str
) -> None:
    agent, game = make_agent("mcts", options), parse_position(text).game
    bound = agent.bound(game)
    assert bound is not None
    assert bound.short == c
    assert bound.given(10, 3).startswith(f"{scaled or c.replace('c', 'c =')}, N = 10")
    assert agent.about(game).get("scaled", "") == scaled
    assert (scaled or "no scaled c") in f"{in_full(agent, 1, game)}, no scaled c"
    assert "exploration = " in in_full(agent, 1, game), "what to set to repeat the search"


def test_in_a_full_graph_every_playout_still_counts() -> None:
    """Also where a node has had more of them than fit into the node itself."""
    searcher = finished("mnk:9,9,5", 3, iterations=40_000, memory_mb=0, merge=False, prove=False)
    snapshot, nodes = searcher.snapshot(), searcher.search_graph[0]
    assert snapshot.tree_full
    most = 0
    for at in (graph.ROOT, *range(graph.FIRST_FREE, graph.FIRST_FREE + snapshot.tree_nodes - 1)):
        node, edges = nodes[at], edges_of(searcher, nodes[at])
        if len(edges):
            assert_weighted_mean(node, edges, nodes[edges["child"]])
        elif node["visits"]:
            assert node["value"] == pytest.approx(node["playout_score"] / node["visits"], abs=1e-6)
            most = max(most, 2 * graph.PARTS * node["playout_score"])
    assert most > 255


def test_merged_positions_share_a_node_and_unmerged_ones_do_not() -> None:
    """Twelve sticks in three piles have few positions; every way to one of them counts as another without merging."""
    merged = finished("nim:3,4,5", 1, iterations=3_000, prove=False).snapshot()
    apart = finished("nim:3,4,5", 1, iterations=3_000, prove=False, merge=False).snapshot()
    # Three piles of at most 3, 4 and 5, in any order; the empty position has no node of its own.
    different = {tuple(sorted(piles)) for piles in itertools.product(range(4), range(5), range(6))}
    assert merged.tree_nodes <= len(different) - 1 < apart.tree_nodes


def test_the_view_of_a_key_leads_back_to_the_board() -> None:
    """A symmetric board: the eight corners and edges of tic-tac-toe are three positions, seen from any root."""
    searcher = finished("mnk:3,3,3", 3, iterations=200, prove=False, order=False)
    edges = edges_of(searcher, searcher.search_graph[0][0])
    assert len(edges) == 9
    assert len(set(edges["child"].tolist())) == 3
    assert len(encode_identity(searcher.position).keys) == 8  # type: ignore[union-attr]
