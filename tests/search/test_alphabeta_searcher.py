"""Alpha-beta as document 002 has it: its published node counts, the readable reference, and what is proven."""

import math
import time
from typing import Literal

import pytest
from reference_minimax import depth_limited, random_positions, solve

from nimdesk.games import AnyPosition, Move, parse_position
from nimdesk.games.truth import Value
from nimdesk.kernels import alphabeta as kernel
from nimdesk.search import Limit, Snapshot, StopReason
from nimdesk.search.alphabeta import AlphaBetaSearcher
from nimdesk.search.options import AlphaBetaOptions
from nimdesk.search.textbook.depth_first import DepthFirst

Ordering = Literal["neighbours", "none"]
ORDERINGS: tuple[Ordering, Ordering] = ("none", "neighbours")
VALUES = {1: Value.WIN, 0: Value.DRAW, -1: Value.LOSS}

# game, number of positions, plies played at random (from, to)
SMALL = [
    ("mnk:3,3,3", 60, (2, 7)),
    ("mnk:3,3,2", 20, (0, 4)),
    ("mnk:4,3,3", 40, (5, 9)),
    ("mnk:2,4,3", 20, (1, 6)),
    ("mnk:1,6,2", 10, (0, 3)),
    ("mnk:4,3,3:gravity", 40, (3, 9)),
    ("mnk:3,4,3:gravity", 30, (3, 8)),
    ("nim:1,2,3", 20, (0, 4)),
    ("nim:2,3,2:misere", 20, (1, 4)),
    ("nim:9:max3:misere", 20, (0, 5)),
    ("nim:4,3:max2", 20, (0, 4)),
]


def search(
    position: AnyPosition | str, depth: int | None = None, ordering: Ordering = "none", *, time_s: float | None = None
) -> Snapshot:
    searcher = AlphaBetaSearcher(AlphaBetaOptions(depth=depth, ordering=ordering, time_s=time_s))
    searcher.start(parse_position(position) if isinstance(position, str) else position, 0)
    stopped, snapshot = searcher.advance(Limit()), searcher.snapshot()
    assert stopped is (StopReason.DEPTH if snapshot.proven is None else StopReason.COMPLETE)
    return snapshot


def root_value(snapshot: Snapshot) -> int:
    """From the comment, which names the winner."""
    if "win for" not in snapshot.comment:
        return 0
    turn = snapshot.position.turn
    return 1 if f"win for {snapshot.position.game.side_name(turn)};" in snapshot.comment else -1


def textbook(position: AnyPosition, depth: int | None, ordering: str) -> tuple[int, Move, dict[Move, int], int]:
    """Value, best move, nodes below each root move, and all nodes, as the textbook form has them."""
    tree = DepthFirst(position, depth=depth, ordered=ordering == "neighbours", prune=True)
    tree.advance(None, math.inf)
    return tree.value, tree.best_move, {node.move: node.nodes for node in tree.tried if node.move}, tree.nodes


@pytest.mark.parametrize(("text", "nodes"), [("mnk:3,3,2", 165), ("mnk:3,3,3", 18_297)])
def test_table_1_of_document_002_comes_out_exactly(text: str, nodes: int) -> None:
    snapshot = search(text)
    assert snapshot.tree_nodes == nodes
    assert f"; {nodes:,} nodes." in snapshot.comment


@pytest.mark.parametrize(
    ("text", "ordering", "nodes"),
    [
        # Not what the document prints; see tests/benchmarks/bench_document_002.py. Pinned so that nothing drifts.
        ("mnk:4,4,2", "none", 814),
        ("mnk:4,4,3", "none", 947_128),
        ("mnk:3,3,2", "neighbours", 128),
        ("mnk:3,3,3", "neighbours", 9_746),
        ("mnk:4,4,2", "neighbours", 479),
        ("mnk:4,4,3", "neighbours", 984_267),
    ],
)
def test_our_numbers_for_the_rest_of_that_table(text: str, ordering: Ordering, nodes: int) -> None:
    assert search(text, ordering=ordering).tree_nodes == nodes


@pytest.mark.parametrize(("text", "value"), [("mnk:3,3,3", 0), ("mnk:4,3,3", 1), ("mnk:4,4,3", 1), ("mnk:3,3,2", 1)])
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_values_known_from_the_literature(text: str, value: int, ordering: Ordering) -> None:
    assert root_value(search(text, ordering=ordering)) == value


@pytest.mark.parametrize(("text", "count", "plies"), SMALL)
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_to_the_end_it_is_the_reference_and_all_it_claims_is_true(
    text: str, count: int, plies: tuple[int, int], ordering: Ordering
) -> None:
    for position in random_positions(text, count, plies, seed=1):
        snapshot = search(position, ordering=ordering)
        value, best, below, nodes = textbook(position, None, ordering)
        assert root_value(snapshot) == value == solve(position)[0], position
        assert snapshot.best_move == best, position
        assert snapshot.tree_nodes == nodes, position
        assert {stats.move: stats.visits for stats in snapshot.moves} == below, position
        for stats in snapshot.moves:
            truth = VALUES[-solve(position.play(stats.move))[0]]
            assert stats.proven in (truth, None), (position, stats)
            assert stats.mean_value is None
            assert stats.principal_variation[0] == stats.move
            end = position
            for move in stats.principal_variation:
                end = end.play(move)
        assert next(stats for stats in snapshot.moves if stats.move == best).proven is VALUES[int(value)], position


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_the_principal_variation_ends_with_the_value_it_promises(ordering: Ordering) -> None:
    for position in random_positions("mnk:3,3,3", 40, (1, 6), seed=2):
        snapshot = search(position, ordering=ordering)
        end = position
        for move in next(s for s in snapshot.moves if s.move == snapshot.best_move).principal_variation:
            end = end.play(move)
        assert end.outcome is not None
        assert 2 * end.outcome.score(position.turn) - 1 == root_value(snapshot)


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_with_a_depth_limit_it_is_the_reference_and_proves_no_more_than_it_saw(depth: int, ordering: Ordering) -> None:
    for text, _, plies in SMALL:
        for position in random_positions(text, 8, (max(plies[0] - 2, 0), plies[1]), seed=3):
            snapshot = search(position, depth, ordering)
            value, best, below, nodes = textbook(position, depth, ordering)
            if depth <= 4:
                assert value == depth_limited(position, depth), position
            assert (root_value(snapshot), snapshot.best_move) == (value, best), position
            assert snapshot.tree_nodes == nodes, position
            assert {stats.move: stats.visits for stats in snapshot.moves} == below, position
            for stats in snapshot.moves:
                assert stats.proven in (VALUES[-solve(position.play(stats.move))[0]], None), (position, stats)


def test_a_draw_at_the_depth_limit_is_not_called_proven_but_a_win_within_it_is() -> None:
    snapshot = search("mnk:3,3,3", 4)
    assert {stats.proven for stats in snapshot.moves} == {snapshot.proven} == {None}
    assert "undecided within 4 moves" in snapshot.comment
    won = search("mnk:3,3,3 a1 b2 a2 c3", 1)
    assert next(stats for stats in won.moves if stats.move.text == "a3").proven is won.proven is Value.WIN
    assert won.best_move is not None
    assert won.best_move.text == "a3"
    assert "win for X" in won.comment


def test_a_bound_is_not_called_proven() -> None:
    """Every first move of tic-tac-toe draws, but after the first one pruning shows only that none is better."""
    proven = [stats.proven for stats in search("mnk:3,3,3").moves]
    assert proven == [Value.DRAW] + [None] * 8


def test_a_depth_beyond_the_longest_game_is_no_limit() -> None:
    for text in ("mnk:3,3,3 b2", "nim:1,2,3"):
        one, other = search(text, 768), search(text)
        assert (one.moves, one.tree_nodes, one.comment) == (other.moves, other.tree_nodes, other.comment)


@pytest.mark.parametrize("text", ["mnk:3,3,3 b2", "mnk:4,3,3:gravity", "nim:1,2,3,2"])
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_however_it_is_sliced_the_search_is_the_same(text: str, ordering: Ordering) -> None:
    whole = search(text, 7, ordering)
    searcher = AlphaBetaSearcher(AlphaBetaOptions(depth=7, ordering=ordering))
    searcher.start(parse_position(text), 5)
    assert searcher.snapshot().best_move == whole.position.legal_moves[0]
    assert searcher.snapshot().comment == "No value yet; 1 node."
    for nodes in [1, 2, 3, 4, 5, *range(10, 300, 7)]:
        reason = searcher.advance(Limit(nodes=nodes))
        snapshot = searcher.snapshot()
        if reason is None:
            assert snapshot.tree_nodes == nodes
            assert snapshot.total_visits == nodes - 1
        assert snapshot.best_move in whole.position.legal_moves
    for _ in range(3):
        searcher.advance(Limit(time_s=searcher.snapshot().elapsed_s + 1e-6))
    assert searcher.advance(Limit()) is searcher.advance(Limit(nodes=1)) is whole.stopped
    snapshot = searcher.snapshot()
    assert snapshot.moves == whole.moves
    assert (snapshot.tree_nodes, snapshot.best_move) == (whole.tree_nodes, whole.best_move)
    assert snapshot.comment == whole.comment
    assert snapshot.total_visits == snapshot.tree_nodes - 1


def test_time_is_honoured_on_a_board_that_takes_for_ever() -> None:
    searcher = AlphaBetaSearcher(AlphaBetaOptions(depth=None, time_s=0.2))
    searcher.start(parse_position("mnk:15,15,5"), 0)
    begin = time.perf_counter()
    assert searcher.advance(Limit()) is StopReason.TIME
    snapshot = searcher.snapshot()
    assert snapshot.stopped is StopReason.TIME
    assert 0.2 <= snapshot.elapsed_s <= time.perf_counter() - begin
    assert snapshot.best_move == snapshot.position.legal_moves[0]
    assert searcher.advance(Limit()) is StopReason.TIME
    assert searcher.snapshot().tree_nodes == snapshot.tree_nodes
    endless = AlphaBetaSearcher(AlphaBetaOptions(depth=None, time_s=None))
    endless.start(parse_position("mnk:15,15,5"), 0)
    assert endless.advance(Limit(time_s=0.015)) is None
    assert endless.snapshot().elapsed_s >= 0.015


def test_time_is_honoured_where_nodes_become_dear_of_a_sudden(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock of its own: leaves at 10 M/s, then, without warning, nodes that cost 30 times as much."""
    clock, calls, run = [0.0], [0.0], kernel.run

    def timed(rules: object, state: kernel.Search, count: int) -> None:
        before = int(state.counts[kernel.NODES])
        run(rules, state, count)
        made = int(state.counts[kernel.NODES]) - before
        calls.append(made * (1e-7 if state.counts[kernel.NODES] < 200_000 else 3e-6))
        clock[0] += calls[-1]

    searcher = AlphaBetaSearcher(AlphaBetaOptions(depth=None))
    searcher.start(parse_position("mnk:5,5,4"), 0)
    monkeypatch.setattr(kernel, "run", timed)
    monkeypatch.setattr("nimdesk.search.alphabeta.time.perf_counter", lambda: clock[0])
    assert searcher.advance(Limit(time_s=0.2)) is None
    assert searcher.snapshot().tree_nodes > 200_000
    assert max(calls) < 0.035, "one call of 1 ms that became 30"
    assert searcher.snapshot().elapsed_s < 0.2 + 0.002


def test_a_finished_game_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="the game is over"):
        AlphaBetaSearcher().start(parse_position("nim:1 1-1"), 0)


def test_values_agree_with_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    minimax = pytest.importorskip("open_spiel.python.algorithms.minimax")
    for text, name, plies in [
        ("mnk:3,3,3", "tic_tac_toe", (3, 7)),
        ("nim:1,2,3", "nim(pile_sizes=1;2;3,is_misere=false)", (0, 3)),
        ("nim:1,2,3:misere", "nim(pile_sizes=1;2;3,is_misere=true)", (0, 3)),
    ]:
        game = pyspiel.load_game(name)
        for position in random_positions(text, 25, plies, seed=4):
            state = game.new_initial_state()
            for move in position.moves:
                if name == "tic_tac_toe":
                    state.apply_action(3 * move.row + move.column)  # type: ignore[attr-defined]
                else:
                    wanted = f"pile:{move.pile + 1}, take:{move.take};"  # type: ignore[attr-defined]
                    player = state.current_player()
                    state.apply_action(
                        next(a for a in state.legal_actions() if state.action_to_string(player, a) == wanted)
                    )
            theirs, _ = minimax.alpha_beta_search(game, state=state, maximizing_player_id=int(position.turn))
            assert root_value(search(position, ordering="neighbours")) == theirs, position


def test_of_a_search_to_its_depth_only_the_result_is_said_not_to_be_proven() -> None:
    snapshot = search("mnk:3,3,3 a1", 6)
    assert any(stats.proven is Value.LOSS for stats in snapshot.moves)
    assert snapshot.proven is None
    searched = snapshot.ended(StopReason.DEPTH)
    assert searched.stopped is not None
    assert searched.stopped.value == "searched to its depth, the result not proven"
