"""Minimax as document 001 has it: the full tree, exact values, and a listing that a learner can follow."""

import time

import pytest
from reference_minimax import random_positions, solve, tree_levels

from nimdesk.errors import OptionError
from nimdesk.games import AnyPosition, NimMove, NimPosition, Side, kit_of, parse_position
from nimdesk.games.truth import Value
from nimdesk.search import Limit, Snapshot, StopReason
from nimdesk.search.minimax import LISTED_NODES, MinimaxSearcher
from nimdesk.search.options import MinimaxOptions

VALUES = {1: Value.WIN, 0: Value.DRAW, -1: Value.LOSS}
SIGNS = {1: "+1", 0: "0", -1: "-1"}


def search(text: str, max_nodes: int = 20_000_000) -> Snapshot:
    searcher = MinimaxSearcher(MinimaxOptions(max_nodes=max_nodes))
    searcher.start(parse_position(text), 0)
    assert searcher.advance(Limit()) is StopReason.COMPLETE
    return searcher.snapshot()


def fewest_nodes(position: AnyPosition) -> int:
    """The game's lower bound on the nodes of the full tree."""
    bound = kit_of(position).fewest_nodes
    assert bound is not None
    return bound(position)


@pytest.mark.parametrize(
    ("text", "count", "plies"),
    [
        ("mnk:3,3,3", 30, (4, 7)),
        ("mnk:4,3,3", 15, (6, 9)),
        ("mnk:3,4,3:gravity", 30, (4, 9)),
        ("mnk:2,3,1", 2, (0, 0)),
        ("nim:1,2,3", 20, (0, 4)),
        ("nim:2,3,2:misere", 20, (1, 4)),
        ("nim:9:max3:misere", 20, (0, 5)),
        ("nim:4,3:max2", 20, (0, 4)),
    ],
)
def test_every_root_move_has_its_exact_value_distance_and_tree(text: str, count: int, plies: tuple[int, int]) -> None:
    for position in random_positions(text, count, plies, seed=1):
        snapshot = search(position.text)
        levels = tree_levels(position)
        assert snapshot.tree_nodes == sum(levels), position
        assert fewest_nodes(position) <= sum(levels), position
        for stats in snapshot.moves:
            value, distance = solve(position.play(stats.move))
            assert (stats.proven, stats.distance) == (VALUES[-value], distance + 1), (position, stats)
            assert stats.visits == sum(tree_levels(position.play(stats.move)))
            assert stats.mean_value is None
        best = next(stats for stats in snapshot.moves if stats.move == snapshot.best_move)
        assert best.proven is VALUES[solve(position)[0]]
        counted = [line for line in snapshot.listing if line.startswith("  level ") and "'s turn)" in line]
        assert [int(line.split()[2].replace(",", "")) for line in counted] == levels


def test_the_full_tree_of_tic_tac_toe() -> None:
    snapshot = search("mnk:3,3,3")
    assert snapshot.tree_nodes == 549_946
    assert {stats.proven for stats in snapshot.moves} == {Value.DRAW}
    assert {stats.distance for stats in snapshot.moves} == {9}
    assert snapshot.comment == "Value of the root: 0, a draw; 549,946 nodes."


@pytest.mark.parametrize("sticks", [17, 18, 19, 20, 21])
@pytest.mark.parametrize("rule", [":misere", ""])
def test_document_001_suggests_the_right_move(sticks: int, rule: str) -> None:
    """Who takes the last stick loses, so leave one more than a multiple of four (a multiple, where it wins)."""
    snapshot = search(f"nim:{sticks}:max3{rule}")
    take = (sticks - 1) % 4 if rule else sticks % 4
    assert snapshot.best_move == NimMove(0, take or 1)
    best = next(stats for stats in snapshot.moves if stats.move == snapshot.best_move)
    assert best.proven is (Value.WIN if take else Value.LOSS)
    assert snapshot.listing[-1].startswith("...")
    assert any(line.endswith(f"(HighChildIndex {take or 1}).") for line in snapshot.listing)


def test_document_001s_tree_of_21_sticks_has_22_levels_and_489396_nodes() -> None:
    snapshot = search("nim:21:max3:misere")
    assert snapshot.tree_nodes == 489_396
    assert "  level 22: 1 (B's turn)" in snapshot.listing
    assert f"... and {489_396 - LISTED_NODES:,} more nodes." in snapshot.listing
    start = snapshot.listing.index("The search, node by node:")
    assert len(snapshot.listing) - start - 2 == LISTED_NODES


def test_the_listing_of_a_small_tree_in_full() -> None:
    listing = search("nim:5:max3:misere 1-1 1-1").listing
    assert listing == (
        "Minimax of nim:5:max3:misere 1-1 1-1: "
        "player A (First) wants the largest value, player B (Second) the smallest.",
        "A leaf is worth +1 where A has won, -1 where B has won, 0 for a draw. "
        "Every other node has the value of its best child.",
        "",
        "8 nodes by level:",
        "  level 1: 1 (A's turn)",
        "  level 2: 3 (B's turn)",
        "  level 3: 3 (A's turn)",
        "  level 4: 1 (B's turn)",
        "",
        "Values that came up to the children of the root:",
        "  1-1: -1, B wins at level 4",
        "  1-2: +1, A wins at level 3",
        "  1-3: -1, B wins at level 2",
        "",
        "A is to move and takes the largest value, +1: A wins (First).",
        "Best child: take 2 from pile 1 (HighChildIndex 2).",
        "",
        "The search, node by node:",
        "level 1: value +1, 3 left, A to move, best child 1-2",
        "  level 2: 1-1, value -1, 2 left, B to move, best child 1-1",
        "    level 3: 1-1, value -1, 1 left, A to move, best child 1-1",
        "      level 4: 1-1, value -1, Second wins: First had to take the last stick",
        "    level 3: 1-2, value +1, First wins: Second had to take the last stick",
        "  level 2: 1-2, value +1, 1 left, B to move, best child 1-1",
        "    level 3: 1-1, value +1, First wins: Second had to take the last stick",
        "  level 2: 1-3, value -1, Second wins: First had to take the last stick",
    )


def test_where_b_is_to_move_b_takes_the_smallest_value() -> None:
    snapshot = search("nim:5:max3:misere 1-1")
    assert snapshot.best_move == NimMove(0, 3)
    assert "B is to move and takes the smallest value, -1: B wins (Second)." in snapshot.listing
    assert snapshot.comment == "Value of the root: -1, B wins (Second); 15 nodes."
    assert [stats.proven for stats in snapshot.moves] == [Value.LOSS, Value.LOSS, Value.WIN]


def test_every_listed_value_is_the_value_of_its_position() -> None:
    for text in ("mnk:3,3,3 b2 a1 c3", "nim:2,3:max2", "mnk:3,3,3:gravity a1 b1 a2"):
        snapshot = search(text)
        nodes = snapshot.listing[snapshot.listing.index("The search, node by node:") + 1 :]
        path = [snapshot.position]
        for line in nodes:
            if line.startswith("..."):
                continue
            depth = (len(line) - len(line.lstrip())) // 2
            number, rest = line.strip().removeprefix("level ").split(": ", 1)
            assert int(number) == depth + 1
            if depth:
                move, rest = rest.split(", ", 1)
                path[depth:] = [path[depth - 1].play(path[depth - 1].parse_move(move))]
            value = solve(path[depth])[0] * (1 if path[depth].turn is Side.FIRST else -1)
            assert rest.split(", ")[0] == f"value {SIGNS[value]}", line
            if path[depth].outcome is None:
                best = path[depth].parse_move(line.rsplit(" ", 1)[1])
                assert -solve(path[depth].play(best))[0] == solve(path[depth])[0]


@pytest.mark.parametrize("text", ["nim:1,2,3,4:misere", "mnk:3,3,3 b2"])
def test_however_it_is_sliced_the_search_is_the_same(text: str) -> None:
    whole = search(text)
    searcher = MinimaxSearcher()
    searcher.start(parse_position(text), 3)
    assert searcher.snapshot().best_move == whole.position.legal_moves[0]
    for nodes in [1, 2, 3, 4, 5, *range(10, 3_000, 97)]:
        assert searcher.advance(Limit(nodes=nodes)) is None
        snapshot = searcher.snapshot()
        assert snapshot.tree_nodes == snapshot.total_visits + 1 == nodes
        assert snapshot.listing == ()
        assert snapshot.comment.endswith("so far.")
    assert searcher.advance(Limit()) is StopReason.COMPLETE
    snapshot = searcher.snapshot()
    assert snapshot.moves == whole.moves
    assert snapshot.listing == whole.listing
    assert (snapshot.tree_nodes, snapshot.best_move) == (whole.tree_nodes, whole.best_move)


@pytest.mark.parametrize("text", ["nim:64", "nim:64,64,64,64,64,64,64,64,64,64,64,64", "mnk:19,19,5", "mnk:4,4,4"])
def test_a_tree_that_is_plainly_too_large_is_refused_at_once(text: str) -> None:
    position = parse_position(text)
    begin = time.thread_time()
    with pytest.raises(OptionError, match=r"^The full tree of .* has more than 20,000,000 nodes; .*\.$"):
        MinimaxSearcher().start(position, 0)
    assert time.thread_time() - begin < 1.0


def test_a_tree_that_turns_out_too_large_is_refused_and_one_that_just_fits_is_not() -> None:
    position = parse_position("mnk:3,3,3 b2 a1")
    nodes = sum(tree_levels(position))
    assert fewest_nodes(position) < nodes - 1
    assert search(position.text, nodes).tree_nodes == nodes
    searcher = MinimaxSearcher(MinimaxOptions(max_nodes=nodes - 1))
    searcher.start(position, 0)
    with pytest.raises(OptionError, match="more than"):
        searcher.advance(Limit())
    searcher.start(position, 0)
    assert searcher.advance(Limit(nodes=100)) is None


def test_one_or_two_piles_are_counted_exactly_beforehand() -> None:
    for text in ("nim:21:max3", "nim:12", "nim:6,5:misere", "nim:1,2,3"):
        position = parse_position(text)
        assert isinstance(position, NimPosition)
        assert fewest_nodes(position) == search(text).tree_nodes


def test_a_finished_game_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="the game is over"):
        MinimaxSearcher().start(parse_position("mnk:3,3,3 a1 b1 a2 b2 a3"), 0)
