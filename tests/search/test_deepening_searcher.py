"""Iterative deepening against plain minimax: the value at each depth, the quickest win, limits, slices, its tree."""

import itertools
import time

import pytest
from reference_minimax import depth_limited, random_positions, solve

from nimdesk.games import AnyPosition, parse_position
from nimdesk.games.truth import Value
from nimdesk.search import Limit, Snapshot, StopReason
from nimdesk.search.deepening import DeepeningSearcher
from nimdesk.search.options import DeepeningOptions
from nimdesk.search.textbook.searchers import TextbookDeepening
from nimdesk.search.timeline import Cost, Recorder
from nimdesk.search.traces import steps_csv

VALUES = {1: Value.WIN, 0: Value.DRAW, -1: Value.LOSS}
# game, number of positions, plies played at random (from, to)
SMALL = [
    ("mnk:3,3,3", 40, (0, 7)),
    ("mnk:4,3,3", 20, (5, 9)),
    ("mnk:2,4,3", 10, (1, 6)),
    ("mnk:4,3,3:gravity", 20, (3, 9)),
    ("nim:1,2,3", 15, (0, 4)),
    ("nim:2,3,2:misere", 15, (0, 4)),
    ("nim:4,3:max2", 15, (0, 4)),
    ("nim:1:misere", 1, (0, 0)),
]


def started(position: AnyPosition | str, *limits: int | None) -> DeepeningSearcher:
    depth, nodes = (*limits, None, None)[:2]
    searcher = DeepeningSearcher(DeepeningOptions(depth=depth, nodes=nodes))
    searcher.start(parse_position(position) if isinstance(position, str) else position, 0)
    return searcher


def searched(position: AnyPosition | str, depth: int | None = None) -> Snapshot:
    searcher = started(position, depth)
    stopped, snapshot = searcher.advance(Limit()), searcher.snapshot()
    assert stopped is (StopReason.DEPTH if snapshot.proven is None else StopReason.COMPLETE)
    return snapshot


@pytest.mark.parametrize(("text", "count", "plies"), SMALL)
def test_it_plays_a_best_move_wins_soonest_and_loses_latest(text: str, count: int, plies: tuple[int, int]) -> None:
    for position in random_positions(text, count, plies, seed=5):
        snapshot = searched(position)
        assert snapshot.stopped is StopReason.COMPLETE
        value, distance = solve(position)
        assert snapshot.best_move is not None
        after, left = solve(position.play(snapshot.best_move))
        assert -after == value, position
        if value:
            assert left + 1 == distance == len(snapshot.steps), position
        best = next(stats for stats in snapshot.moves if stats.move == snapshot.best_move)
        known = VALUES[value], distance if value else None
        assert (best.proven, best.distance) == (snapshot.proven, snapshot.distance) == known, position
        assert snapshot.steps[-1].value is VALUES[value]
        assert {step.value for step in snapshot.steps[:-1]} <= {Value.UNKNOWN}
        for stats in snapshot.moves:
            assert stats.proven in (None, VALUES[-solve(position.play(stats.move))[0]]), (position, stats)


@pytest.mark.parametrize(("text", "count", "plies"), SMALL)
def test_at_each_depth_it_has_the_value_of_minimax_to_that_depth(text: str, count: int, plies: tuple[int, int]) -> None:
    for position in random_positions(text, min(count, 6), (max(plies), max(plies)), seed=6):
        for depth in (1, 2, 3):
            last = searched(position, depth).steps[-1]
            assert last.depth <= depth
            wanted = depth_limited(position, depth)
            assert (
                0 if last.value in (Value.UNKNOWN, Value.DRAW) else {v: k for k, v in VALUES.items()}[last.value]
            ) == wanted
            after = depth_limited(position.play(last.best_move), depth - 1)
            assert -after == wanted, position


@pytest.mark.parametrize("text", ["nim:3,4,5", "mnk:3,3,3 b2", "mnk:4,3,3:gravity"])
def test_however_it_is_sliced_the_search_is_the_same(text: str) -> None:
    whole, searcher = searched(text), started(text)
    assert searcher.snapshot().best_move in whole.position.legal_moves
    assert searcher.snapshot().comment == "Depth 1 is under way; 1 node."
    for nodes in itertools.chain(range(1, 60), range(60, 5000, 37)):
        if searcher.advance(Limit(nodes=nodes)) is None:
            snapshot = searcher.snapshot()
            assert snapshot.tree_nodes == nodes
            depths = len(snapshot.steps) if snapshot.steps and snapshot.steps[-1].nodes == nodes else searcher.depth
            assert snapshot.total_visits == nodes - depths
    assert searcher.advance(Limit()) is StopReason.COMPLETE
    assert searcher.advance(Limit(nodes=1)) is StopReason.COMPLETE
    sliced = searcher.snapshot()
    assert (sliced.moves, sliced.best_move, sliced.tree_nodes) == (whole.moves, whole.best_move, whole.tree_nodes)
    timeless = [(step.depth, step.nodes, step.best_move, step.value) for step in whole.steps]
    assert [(step.depth, step.nodes, step.best_move, step.value) for step in sliced.steps] == timeless


def test_each_depth_begins_with_the_best_move_of_the_one_before_and_leaves_out_what_loses() -> None:
    # O must stop a line at once: all moves but one lose, which the search finds out one by one.
    searcher = started("mnk:3,3,3 a1 b2 a2", 6)
    searcher.advance(Limit())
    snapshot = searcher.snapshot()
    steps = {step.depth: step for step in snapshot.steps}
    assert steps[2].best_move.text == "a3"
    early = [stats for stats in searched("mnk:3,3,3 a1 b2 a2", 2).moves if stats.proven is Value.LOSS]
    assert early
    later = {stats.move: stats for stats in snapshot.moves}
    assert all(later[stats.move].visits == stats.visits for stats in early)
    assert {move.text for move, stats in later.items() if stats.proven is not Value.LOSS} == {"a3"}


def test_a_move_found_to_lose_gives_way_before_the_depth_is_done() -> None:
    position = parse_position("mnk:3,3,3 a1 b2 a2")
    first = started(position)
    first.advance(Limit(nodes=10_000))
    held = next(step.best_move for step in first.snapshot().steps if step.depth == 1)
    assert held.text != "a3"
    searcher = started(position)
    for nodes in range(1, 200):
        searcher.advance(Limit(nodes=nodes))
        snapshot = searcher.snapshot()
        best = next(stats for stats in snapshot.moves if stats.move == snapshot.best_move)
        assert best.proven is not Value.LOSS


def test_its_own_limits_end_it_and_are_met_exactly() -> None:
    searcher = started("mnk:15,15,5", None, 1234)
    assert searcher.advance(Limit(nodes=500)) is None
    assert searcher.snapshot().tree_nodes == 500
    assert searcher.advance(Limit()) is StopReason.NODES
    assert searcher.snapshot().tree_nodes == 1234
    assert searcher.advance(Limit(nodes=5000)) is StopReason.NODES
    assert [step.depth for step in searcher.snapshot().steps] == [1, 2]
    timed = DeepeningSearcher(DeepeningOptions(nodes=None, time_s=0.2))
    timed.start(parse_position("mnk:15,15,5"), 0)
    begin = time.perf_counter()
    assert timed.advance(Limit()) is StopReason.TIME
    assert 0.2 <= timed.snapshot().elapsed_s <= time.perf_counter() - begin
    assert timed.snapshot().steps[0].elapsed_s > 0


def test_a_recorder_knows_the_choice_at_the_end_of_each_depth_though_it_saw_the_last_moment_alone() -> None:
    snapshot = searched("nim:3,4,5")
    recorder = Recorder()
    recorder.add(snapshot)
    line = recorder.timeline(snapshot)
    nodes, seconds = line.costs(Cost.NODES), line.costs(Cost.SECONDS)
    assert nodes is not None
    assert seconds is not None
    for step in snapshot.steps:
        row = line.row_at(Cost.NODES, step.nodes)
        assert (line.moves[line.choice[row]], nodes[row], seconds[row]) == (step.best_move, step.nodes, step.elapsed_s)
    assert (nodes[1:] >= nodes[:-1]).all()


def test_the_depths_leave_as_csv() -> None:
    steps = searched("mnk:3,3,3 a1 b2 a2 c3").steps
    assert steps_csv(steps).splitlines() == [
        "depth,nodes,elapsed_s,best_move,value",
        f"1,{steps[0].nodes},{steps[0].elapsed_s!r},a3,win",
    ]


@pytest.mark.parametrize("text", ["nim:3,4,5", "nim:2,3:misere", "mnk:3,3,3 b2", "mnk:4,4,3:gravity a1 b1"])
def test_on_positions_it_is_the_same_search_and_shows_the_depth_under_way(text: str) -> None:
    searcher = started(text)
    textbook = TextbookDeepening(DeepeningOptions(nodes=None))
    textbook.start(parse_position(text), 0)
    for nodes in (1, 5, 40, 300, 3_000):
        assert searcher.advance(Limit(nodes=nodes)) == textbook.advance(Limit(nodes=nodes))
        one, other = searcher.snapshot(), textbook.snapshot()
        assert (one.moves, one.best_move, one.tree_nodes) == (other.moves, other.best_move, other.tree_nodes)
        assert [step.nodes for step in one.steps] == [step.nodes for step in other.steps]
        assert textbook.tree_note() == f"depth {searcher.depth}"
        family = textbook.family(())
        assert family is not None
        before = [step.nodes for step in one.steps if step.depth < searcher.depth]
        assert family.visits == searcher.nodes - max(before, default=0)


def test_a_finished_game_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="the game is over"):
        started("nim:1 1-1")


@pytest.mark.parametrize("limit", [300, 500, 2_000])
def test_of_a_search_too_long_to_keep_the_last_complete_depth_is_shown(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nimdesk.search.textbook.searchers.NODE_LIMIT", limit)
    textbook = TextbookDeepening(DeepeningOptions(nodes=None))
    textbook.start(parse_position("mnk:4,4,4"), 0)
    textbook.advance(Limit(nodes=limit))
    step = textbook.snapshot().steps[-1]
    assert step.depth < textbook.depth
    assert textbook.tree_note() == f"depth {step.depth}, the last that the first {limit:,} nodes complete"
    family = textbook.family(())
    assert family is not None
    assert next(branch.move for branch in family.branches if branch.window and branch.window.best) == step.best_move
