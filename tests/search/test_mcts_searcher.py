"""What an MctsSearcher promises: limits, slices, snapshots and traces, memory, and values from the right side."""

import itertools
import time

import numpy as np
import pytest
from msgspec import structs

from nimdesk.games import AnyPosition, parse_position
from nimdesk.kernels import mcts_state
from nimdesk.kernels.graph import EDGE, NODE, PARTS, Graph, Readable
from nimdesk.search import Limit, Snapshot, StopReason, Trace
from nimdesk.search.mcts import MctsSearcher
from nimdesk.search.memory import without_table
from nimdesk.search.options import MAX_ITERATIONS, MctsOptions

# Positions that are not proven within the tests' iterations, of each game and size of board.
NIM, MISERE, BOARD, DROP = "nim:20,31,14,25", "nim:20,31,14,25:max9:misere", "mnk:9,9,5 e5", "mnk:7,6,4:gravity d1"
OPEN = [NIM, MISERE, BOARD, DROP]


def started(text: str, seed: int = 1, **parameters: object) -> MctsSearcher:
    searcher = MctsSearcher(MctsOptions(**parameters))  # type: ignore[arg-type]
    searcher.start(parse_position(text), seed)
    return searcher


def searched(text: str, iterations: int, seed: int = 1, **parameters: object) -> Snapshot:
    searcher = started(text, seed, iterations=iterations, **parameters)
    searcher.advance(Limit())
    return searcher.snapshot()


def trace_of(snapshot: Snapshot) -> Trace:
    assert snapshot.trace is not None
    return snapshot.trace


def essence(snapshot: Snapshot) -> object:
    """All of a snapshot but the clock."""
    trace = trace_of(snapshot)
    plain = structs.replace(snapshot, elapsed_s=0.0, trace=None)
    return (
        [getattr(plain, name) for name in plain.__struct_fields__],
        trace.moves,
        trace.iterations.tolist(),
        trace.visits.tolist(),
        trace.value_sum.tolist(),
    )


def room_of(node: np.void) -> int:
    """How many edges the node's block has: all moves, or 4 times a power of two, but 2 before a second one is tried."""
    moves, opened = int(node["moves"]), int(node["opened"])
    if opened <= 1:
        return min(moves, 2)
    return min(moves, max(4, 1 << (opened - 1).bit_length()))


class TestSameSeed:
    @pytest.mark.parametrize("text", [*OPEN, "nim:1,3,5,7", "mnk:4,4,3"])
    def test_gives_the_same_snapshot_however_it_is_sliced(self, text: str) -> None:
        whole = searched(text, 4_000, seed=3)
        sliced = started(text, 3, iterations=4_000)
        for iterations in range(1, 60):
            sliced.advance(Limit(iterations))
        for nodes in range(100, 1_500, 97):
            sliced.advance(Limit(nodes=nodes))
        for _ in range(3):
            sliced.advance(Limit(time_s=sliced.snapshot().elapsed_s + 1e-5))
        for iterations in range(2_000, 4_000, 333):
            sliced.advance(Limit(iterations))
        assert sliced.advance(Limit()) is whole.stopped
        assert essence(sliced.snapshot()) == essence(whole)

    def test_gives_the_same_snapshot_when_the_searcher_is_started_again(self) -> None:
        searcher = started(NIM, 3, iterations=3_000)
        searcher.advance(Limit())
        first = searcher.snapshot()
        searcher.start(parse_position(BOARD), 4)
        searcher.advance(Limit())
        searcher.start(parse_position(NIM), 3)
        assert searcher.snapshot().iterations == 0
        assert searcher.snapshot().stopped is None
        searcher.advance(Limit())
        assert essence(searcher.snapshot()) == essence(first)

    def test_searchers_side_by_side_do_not_touch_each_other(self) -> None:
        alone = searched(BOARD, 1_000, seed=1)
        one, other = started(BOARD, 1, iterations=1_000), started(BOARD, 2, iterations=1_000)
        for iterations in range(0, 1_001, 50):
            one.advance(Limit(iterations))
            other.advance(Limit(iterations))
        one.advance(Limit())
        assert essence(one.snapshot()) == essence(alone)

    @pytest.mark.parametrize("text", OPEN)
    def test_another_seed_gives_another_search(self, text: str) -> None:
        visits = {tuple(stats.visits for stats in searched(text, 800, seed).moves) for seed in (0, 1, 2, 2**63 - 1)}
        assert len(visits) == 4


class TestLimits:
    @pytest.mark.parametrize("iterations", [1, 2, 63, 64, 65, 1_000, 4_097])
    def test_iterations_are_met_exactly(self, iterations: int) -> None:
        for text in OPEN:
            snapshot = searched(text, iterations)
            assert snapshot.iterations == snapshot.total_visits == iterations
            assert snapshot.stopped is StopReason.ITERATIONS

    def test_a_limit_counts_from_the_start_of_the_search(self) -> None:
        searcher = started(NIM)
        assert searcher.advance(Limit(iterations=70)) is None
        assert searcher.advance(Limit(iterations=70)) is None
        assert searcher.advance(Limit(iterations=10)) is None
        assert searcher.snapshot().iterations == 70
        assert searcher.snapshot().stopped is None

    @pytest.mark.parametrize("nodes", [2, 64, 500])
    @pytest.mark.parametrize("text", OPEN)
    def test_nodes_are_met_within_those_of_one_simulation(self, text: str, nodes: int) -> None:
        searcher = started(text, iterations=100_000)
        assert searcher.advance(Limit(nodes=nodes)) is None
        assert nodes <= searcher.snapshot().tree_nodes < nodes + 42
        # Not one simulation too many, however the search was sliced.
        sliced = started(text, iterations=100_000)
        while sliced.snapshot().tree_nodes < nodes:
            sliced.advance(Limit(iterations=sliced.iterations + 1))
        assert sliced.iterations == searcher.iterations

    def test_time_is_honoured(self) -> None:
        searcher = started("mnk:15,15,5", iterations=None, time_s=0.15)
        begin = time.perf_counter()
        assert searcher.advance(Limit()) is StopReason.TIME
        took = time.perf_counter() - begin
        snapshot = searcher.snapshot()
        assert 0.15 <= snapshot.elapsed_s <= took
        assert snapshot.iterations > 0
        assert searcher.advance(Limit(iterations=10**9)) is StopReason.TIME
        assert searcher.snapshot().iterations == snapshot.iterations

    def test_the_time_of_a_slice_is_honoured_and_a_later_slice_goes_on(self) -> None:
        searcher = started("mnk:15,15,5", iterations=None, time_s=30.0)
        assert searcher.advance(Limit(time_s=0.02)) is None
        assert 0.02 <= searcher.snapshot().elapsed_s < 1.0
        before = searcher.iterations
        assert searcher.advance(Limit(time_s=0.02)) is None
        assert searcher.iterations == before
        assert searcher.advance(Limit(time_s=searcher.snapshot().elapsed_s + 0.02)) is None
        assert searcher.iterations > before

    def test_loading_or_compiling_kernels_is_not_counted_as_searching(self) -> None:
        searcher = started(NIM, iterations=64)
        assert searcher.snapshot().elapsed_s == 0.0
        searcher.advance(Limit())
        assert 0.0 < searcher.snapshot().elapsed_s < 0.1

    @pytest.mark.parametrize("text", ["nim:1 1-1", "nim:1:misere 1-1", "mnk:3,3,3 a1 b1 a2 b2 a3", "mnk:1,1,1 a1"])
    def test_a_finished_game_is_refused_in_words(self, text: str) -> None:
        with pytest.raises(ValueError, match="the game is over"):
            started(text)


class TestTrace:
    @pytest.mark.parametrize("text", [*OPEN, "nim:3,4,5", "mnk:4,4,4"])
    def test_each_row_is_the_state_at_that_iteration(self, text: str) -> None:
        trace = trace_of(searched(text, 1_000, seed=9))
        for row in {0, 1, 2, 10, *range(20, len(trace), 25), len(trace) - 1} & set(range(len(trace))):
            fresh = searched(text, int(trace.iterations[row]), seed=9)
            assert trace.visits[row].tolist() == [stats.visits for stats in fresh.moves]
            sums = [(stats.mean_value or 0.0) * stats.visits for stats in fresh.moves]
            assert trace.value_sum[row] == pytest.approx(sums, rel=1e-6)

    @pytest.mark.parametrize("text", ["nim:3,4,5", "mnk:3,3,3", "mnk:7,6,4:gravity"])
    def test_sums_of_results_are_halves_and_wholes_though_means_are_single_precision(self, text: str) -> None:
        """Without merging a move's value is the mean of its own results alone."""
        trace = trace_of(searched(text, 3_000, seed=2, merge=False, prove=False))
        doubled = 2 * trace.value_sum
        assert np.array_equal(doubled, np.rint(doubled))
        # Thirds and the like were among the means.
        assert np.any(trace.visits[trace.value_sum > 0] % 3 == 0)

    @pytest.mark.parametrize("iterations", [1, 2, 50, 51, 1_000, 20_000])
    @pytest.mark.parametrize("text", [NIM, DROP, "nim:1,3,5,7", "mnk:3,3,3"])
    def test_rows_run_from_the_first_iteration_to_now(self, text: str, iterations: int) -> None:
        snapshot = searched(text, iterations)
        trace = trace_of(snapshot)
        at = trace.iterations
        assert at[0] == 1
        assert at[-1] == snapshot.iterations
        assert np.all(np.diff(at) > 0)
        assert np.all(np.diff(trace.elapsed_s) >= 0)
        assert trace.visits.sum(axis=1).tolist() == at.tolist()
        assert np.all(np.diff(trace.visits.astype(np.int64), axis=0) >= 0)
        assert np.all((trace.value_sum >= 0) & (trace.value_sum <= trace.visits))
        assert trace.visits[-1].tolist() == [stats.visits for stats in snapshot.moves]

    @pytest.mark.parametrize("iterations", [715, 716])
    def test_a_snapshot_is_frozen(self, iterations: int) -> None:
        """At a checkpoint, and between two, where the last row is made for the snapshot."""
        searcher = started(NIM, iterations=3_000)
        searcher.advance(Limit(iterations=iterations))
        snapshot = searcher.snapshot()
        before = essence(snapshot)
        for array in (getattr(trace_of(snapshot), name) for name in ("iterations", "elapsed_s", "visits", "value_sum")):
            with pytest.raises(ValueError, match="read-only"):
                array[:] = 0
        searcher.advance(Limit())
        searcher.start(parse_position(NIM), 77)
        assert essence(snapshot) == before

    def test_before_the_first_slice_there_is_nothing_yet(self) -> None:
        snapshot = started("nim:1,3,5,7").snapshot()
        assert (snapshot.iterations, snapshot.total_visits, snapshot.best_move, snapshot.stopped) == (0, 0, None, None)
        assert trace_of(snapshot).visits.shape == (0, 16)
        assert all(stats.mean_value is None and stats.principal_variation == () for stats in snapshot.moves)
        assert snapshot.comment == ""


def table_bytes(searcher: MctsSearcher) -> int:
    """The part of the bytes that is not for nodes and edges in use."""
    counts = searcher.search_state.counts
    nodes, edges = int(counts[mcts_state.NODES]), int(counts[mcts_state.EDGES])
    return searcher.snapshot().tree_bytes - nodes * NODE.itemsize - edges * EDGE.itemsize


def room_bytes(searcher: MctsSearcher) -> int:
    """All memory of the graph, used or not."""
    nodes, edges = searcher.search_graph
    return len(nodes) * NODE.itemsize + edges.nbytes + table_bytes(searcher)


class TestMemory:
    def test_a_full_graph_says_so_and_the_search_goes_on_within_its_bytes(self) -> None:
        searcher = started("mnk:15,15,5", iterations=200_000, memory_mb=8)
        searcher.advance(Limit(iterations=140_000))
        full = searcher.snapshot()
        assert full.tree_full
        assert full.tree_bytes <= 8 * 2**20
        assert room_bytes(searcher) <= 8 * 2**20
        assert searcher.advance(Limit()) is StopReason.ITERATIONS
        end = searcher.snapshot()
        assert end.iterations == end.total_visits == 200_000
        assert (end.tree_nodes, end.tree_bytes) == (full.tree_nodes, full.tree_bytes)
        assert trace_of(end).visits.sum(axis=1).tolist() == trace_of(end).iterations.tolist()
        assert_sound(end)

    @pytest.mark.parametrize("text", ["nim:64,64,64,64,64,64,64,64,64,64,64,64", "mnk:19,19,5", "mnk:19,19,6:gravity"])
    def test_the_least_cap_is_kept_where_a_position_has_the_most_moves(self, text: str) -> None:
        searcher = started(text, iterations=30_000, memory_mb=8)
        searcher.advance(Limit())
        assert room_bytes(searcher) <= 8 * 2**20
        assert_sound(searcher.snapshot())

    def test_a_position_of_a_full_graph_can_win_each_playout_of_the_longest_search(self) -> None:
        some = Graph(np.zeros(8, NODE), np.zeros(1, EDGE), np.zeros(16, np.int32), 15, np.zeros(0, np.int64))
        full = without_table(some)
        for _ in range(2):
            full.scores[5] += PARTS * MAX_ITERATIONS
        assert Readable(full)[5]["playout_score"] == MAX_ITERATIONS

    def test_a_full_graph_is_as_deterministic_as_a_growing_one(self) -> None:
        whole = searched("mnk:9,9,5", 60_000, memory_mb=3)
        sliced = started("mnk:9,9,5", iterations=60_000, memory_mb=3)
        while sliced.advance(Limit(sliced.iterations + 997)) is None:
            pass
        assert whole.tree_full
        assert essence(sliced.snapshot()) == essence(whole)

    @pytest.mark.parametrize(("text", "merge"), [("mnk:9,9,5", True), ("mnk:9,9,5", False), (NIM, True)])
    def test_a_graph_that_outgrows_its_arrays_is_the_same_as_one_with_room_from_the_start(
        self, text: str, merge: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        grown = searched(text, 25_000, merge=merge)
        monkeypatch.setattr("nimdesk.search.memory.FIRST_NODES", 1 << 18)
        monkeypatch.setattr("nimdesk.search.memory.FIRST_EDGES", 1 << 21)
        roomy = searched(text, 25_000, merge=merge)
        assert structs.replace(roomy, tree_bytes=0).tree_nodes > 1 << 13
        # The table has the size of the room, so the bytes differ.
        assert essence(structs.replace(grown, tree_bytes=0)) == essence(structs.replace(roomy, tree_bytes=0))

    def test_the_bytes_are_those_of_what_is_used(self) -> None:
        searcher = started(BOARD, iterations=5_000)
        searcher.advance(Limit())
        snapshot, (nodes, _) = searcher.snapshot(), searcher.search_graph
        used = nodes[: 3 + snapshot.tree_nodes]
        # The blocks of edges that nodes refer to lie apart, and within the edges that are counted.
        blocks = sorted((int(n["first"]), int(n["first"]) + room_of(n)) for n in used if n["first"] >= 0)
        assert all(stop <= start for (_, stop), (start, _) in itertools.pairwise(blocks))
        least = (
            NODE.itemsize * len(used)
            + sum(stop - start for start, stop in blocks) * EDGE.itemsize
            + 4 * snapshot.tree_nodes
        )
        assert least <= snapshot.tree_bytes <= room_bytes(searcher)
        assert NODE.itemsize * len(used) < snapshot.tree_bytes

    @pytest.mark.parametrize("text", ["mnk:5,5,4", "mnk:7,7,5", "mnk:15,15,5"])
    @pytest.mark.parametrize("iterations", [10_000, 40_000])
    def test_a_node_with_all_that_belongs_to_it_takes_48_bytes(self, text: str, iterations: int) -> None:
        snapshot = searched(text, iterations)
        assert snapshot.tree_bytes <= 48 * snapshot.tree_nodes

    @pytest.mark.parametrize("text", ["nim:3,4,5", "nim:21:max3", "nim:1,3,5,7", "mnk:3,3,3"])
    def test_the_table_of_a_small_graph_is_small(self, text: str) -> None:
        searcher = started(text, iterations=5_000)
        searcher.advance(Limit())
        assert searcher.snapshot().stopped is StopReason.PROVEN
        assert table_bytes(searcher) <= 24 * searcher.snapshot().tree_nodes

    def test_without_merging_there_are_more_nodes_than_positions(self, monkeypatch: pytest.MonkeyPatch) -> None:
        grown = searched("nim:3,4,5", 5_000, merge=False, prove=False)
        assert grown.tree_nodes > 10 * 4 * 5 * 6
        monkeypatch.setattr("nimdesk.games.nim.encoding.NimKernel.most_positions", lambda *_: 1 << 18)
        monkeypatch.setattr("nimdesk.search.memory.FIRST_NODES", 1 << 18)
        assert essence(searched("nim:3,4,5", 5_000, merge=False, prove=False)) == essence(grown)

    def test_when_the_machine_has_no_more_memory_the_graph_is_full(self, monkeypatch: pytest.MonkeyPatch) -> None:
        searcher = started("mnk:9,9,5", iterations=30_000)

        def no_memory(*_: object) -> None:
            raise MemoryError

        searcher.advance(Limit(iterations=100))
        monkeypatch.setattr("nimdesk.search.mcts.np.empty", no_memory)
        assert searcher.advance(Limit()) is StopReason.ITERATIONS
        monkeypatch.undo()
        snapshot = searcher.snapshot()
        assert snapshot.tree_full
        assert snapshot.iterations == snapshot.total_visits == 30_000


def assert_sound(snapshot: Snapshot) -> None:
    """What holds for every search of every position."""
    position = snapshot.position
    assert tuple(stats.move for stats in snapshot.moves) == position.legal_moves
    assert snapshot.total_visits == snapshot.iterations
    assert snapshot.best_move in position.legal_moves
    best = next(stats for stats in snapshot.moves if stats.move == snapshot.best_move)
    assert best.visits > 0
    for stats in snapshot.moves:
        assert (stats.mean_value is None) == (stats.visits == 0)
        assert stats.mean_value is None or 0.0 <= stats.mean_value <= 1.0
        if stats.proven is not None:
            assert stats.mean_value in (stats.proven.score, None)
        line = stats.principal_variation
        assert line[:1] == ((stats.move,) if stats.visits else ())
        at: AnyPosition = position
        for move in line:
            at = at.play(move)


class TestAnyPosition:
    @pytest.mark.parametrize(
        "text",
        [
            "nim:1",
            "nim:1:misere",
            "nim:5:max1",
            "mnk:1,1,1",
            "mnk:1,19,4:gravity",
            "mnk:3,3,3 a1 b1 c1 a2 b2 c2 b3 a3",
            "mnk:19,19,1",
            "mnk:19,19,5",
            "mnk:19,19,19:gravity",
            "mnk:19,1,19",
            "mnk:1,19,2",
            "mnk:13,7,4",
            "nim:64,64,64,64,64,64,64,64,64,64,64,64",
            "nim:64,64,64,64,64,64,64,64,64,64,64,64:max5:misere",
        ],
    )
    def test_is_searched_whatever_its_width(self, text: str) -> None:
        for iterations in (1, 20, 2_000):
            assert_sound(searched(text, iterations))
            assert_sound(searched(text, iterations, merge=False, prove=False, order=False))

    def test_in_the_middle_of_random_games_is_searched_soundly(self) -> None:
        random = np.random.default_rng(4)
        for text in ("nim:1,3,5,7", "nim:9,9,9:max4:misere", "mnk:4,4,3", "mnk:5,3,3", "mnk:7,6,4:gravity"):
            position = parse_position(text)
            while position.outcome is None:
                for merge, prove in itertools.product((False, True), repeat=2):
                    assert_sound(searched(position.text, 300, merge=merge, prove=prove))
                position = position.play(position.legal_moves[random.integers(len(position.legal_moves))])

    def test_with_any_exploration_is_searched(self) -> None:
        for exploration in (0.0, 1e-9, 0.5, 100.0, 1e9):
            assert_sound(searched(BOARD, 1_000, exploration=exploration))

    def test_unordered_each_move_of_the_root_is_tried_once_before_any_is_tried_twice(self) -> None:
        for text in ("mnk:7,6,4:gravity", "mnk:9,9,5", NIM):
            moves = len(parse_position(text).legal_moves)
            snapshot = searched(text, moves, order=False)
            assert {stats.visits for stats in snapshot.moves} == {1}


class TestValues:
    @pytest.mark.parametrize("prove", [True, False])
    @pytest.mark.parametrize(
        ("text", "winning"),
        [
            ("mnk:3,3,3 a1 a3 b1 b3", "c1"),
            ("mnk:3,3,3 c1 a1 b2 a2 b3", "a3"),  # the second player's view
            ("nim:7", "1-7"),
            ("nim:3:max3", "1-3"),
            ("nim:4,1 2-1", "1-4"),
            ("nim:5,5 1-5", "2-5"),
            ("nim:4:misere", "1-3"),
            ("mnk:7,6,4:gravity a1 g1 b1 g2 c1 g3", "d1"),
            ("mnk:7,6,4:gravity a1 g1 b1 g2 d1 g3 f1", "g4"),
        ],
    )
    def test_a_move_that_wins_is_found_and_has_a_high_mean_value(self, text: str, winning: str, prove: bool) -> None:
        snapshot = searched(text, 2_000, prove=prove)
        assert snapshot.best_move is not None
        assert snapshot.best_move.text == winning
        best = next(stats for stats in snapshot.moves if stats.move == snapshot.best_move)
        assert best.mean_value is not None
        assert best.mean_value > 0.95

    @pytest.mark.parametrize(
        ("text", "groups"),
        [
            ("mnk:3,3,3", ["a1 a3 c1 c3", "a2 b1 b3 c2"]),
            ("mnk:3,3,3 b2 a1", ["b1 a2", "c1 a3", "c2 b3"]),
            ("mnk:7,6,4:gravity", ["a1 g1", "b1 f1", "c1 e1"]),
            ("nim:5,5,3", ["1-2 2-2", "1-5 2-5"]),
            ("nim:4,4,4", ["1-1 2-1 3-1", "1-4 2-4 3-4"]),
        ],
    )
    def test_moves_that_are_the_same_are_worth_the_same(self, text: str, groups: list[str]) -> None:
        """However many visits each of them got: what is known of a position is known for each way to it."""
        snapshot = searched(text, 30_000 if "gravity" in text else 150, prove=False)
        values = {stats.move.text: stats.mean_value for stats in snapshot.moves}
        for group in groups:
            shared = {values[move] for move in group.split()} - {None}
            assert len(shared) == 1

    def test_a_forced_line_is_the_principal_variation(self) -> None:
        snapshot = searched("mnk:15,15,5 h8 k8 i8 a1 j8 a15", 2_000)
        best = next(stats for stats in snapshot.moves if stats.move == snapshot.best_move)
        assert len(best.principal_variation) >= 3
        position = parse_position("nim:2,2,1")
        snapshot = searched(position.text, 2_000)
        best = next(stats for stats in snapshot.moves if stats.move == snapshot.best_move)
        assert [move.text for move in best.principal_variation[:1]] == ["3-1"]
        for move in best.principal_variation:
            position = position.play(move)
        assert position.winner is not None
        assert position.winner == snapshot.position.turn
