"""UCT on several threads is the sum of its trees, whatever runs when, and leaves no thread behind."""

import threading

import numpy as np
import pytest

from nimdesk.games import parse_position
from nimdesk.search import Limit, Snapshot, StopReason
from nimdesk.search.options import UctOptions
from nimdesk.search.parallel_uct import ParallelUctSearcher, tree_seed, uct_searcher
from nimdesk.search.uct import UctSearcher

POSITIONS = ["nim:1,3,5,7", "mnk:4,4,3", "mnk:7,6,4:gravity d1"]


def searched(text: str, threads: int, iterations: int, seed: int = 5, slices: list[Limit] | None = None) -> Snapshot:
    searcher = uct_searcher(UctOptions(iterations=iterations, threads=threads))
    searcher.start(parse_position(text), seed)
    for limit in slices or []:
        searcher.advance(limit)
    assert searcher.advance(Limit()) is StopReason.ITERATIONS
    return searcher.snapshot()


def alone(text: str, iterations: int, seed: int) -> Snapshot:
    searcher = UctSearcher(UctOptions(iterations=iterations))
    searcher.start(parse_position(text), seed)
    searcher.advance(Limit())
    return searcher.snapshot()


def essence(snapshot: Snapshot) -> object:
    trace = snapshot.trace
    assert trace is not None
    rows = trace.iterations.tolist(), trace.visits.tolist(), trace.value_sum.tolist()
    return snapshot.moves, snapshot.best_move, snapshot.iterations, snapshot.tree_nodes, rows


@pytest.mark.parametrize("text", POSITIONS)
@pytest.mark.parametrize("threads", [2, 3])
def test_the_root_is_the_sum_of_single_searches_with_the_trees_seeds(text: str, threads: int) -> None:
    total = 4_001
    together = searched(text, threads, total)
    shares = [total // threads + (i < total % threads) for i in range(threads)]
    parts = [alone(text, share, tree_seed(5, i)) for i, share in enumerate(shares)]
    assert together.iterations == together.total_visits == total
    for column, stats in enumerate(together.moves):
        each = [part.moves[column] for part in parts]
        assert stats.visits == sum(one.visits for one in each)
        points = sum((one.mean_value or 0.0) * one.visits for one in each)
        assert (stats.mean_value or 0.0) * stats.visits == pytest.approx(points)
        assert stats.principal_variation == max(each, key=lambda one: one.visits).principal_variation
    assert together.tree_nodes == sum(part.tree_nodes for part in parts)
    assert together.best_move == max(together.moves, key=lambda stats: stats.visits).move


def test_the_trees_do_not_search_the_same() -> None:
    seeds = {tree_seed(seed, i) for seed in (0, 1, 2**63 - 1) for i in range(16)}
    assert len(seeds) == 48
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert tree_seed(77, 0) == 77


@pytest.mark.parametrize("text", POSITIONS)
def test_the_answer_is_the_same_however_it_is_sliced(text: str) -> None:
    slices = [Limit(1), Limit(7), Limit(time_s=0.0005), Limit(nodes=800), Limit(2_002), Limit(time_s=0.002)]
    whole = searched(text, 2, 5_000)
    assert essence(searched(text, 2, 5_000, slices=slices)) == essence(whole)
    assert essence(searched(text, 2, 5_000)) == essence(whole)
    assert essence(searched(text, 2, 5_000, seed=6)) != essence(whole)


@pytest.mark.parametrize("end", [Limit(time_s=0.05), Limit(nodes=2_000)])
def test_whatever_ended_it_so_many_iterations_are_the_same_search(end: Limit) -> None:
    searcher = uct_searcher(UctOptions(iterations=None, time_s=1000.0, threads=3))
    searcher.start(parse_position("mnk:5,5,4"), 5)
    assert searcher.advance(end) is None
    snapshot = searcher.snapshot()
    assert snapshot.moves == searched("mnk:5,5,4", 3, snapshot.iterations).moves


def test_each_row_of_the_trace_is_the_sum_at_that_iteration() -> None:
    trace = searched("nim:1,3,5,7", 2, 3_000).trace
    assert trace is not None
    at = trace.iterations
    assert (at[0], at[-1]) == (2, 3_000)
    assert np.all(np.diff(at) > 0)
    assert np.all(np.diff(trace.elapsed_s) >= 0)
    assert trace.visits.sum(axis=1).tolist() == at.tolist()
    for row in (0, 5, 40, len(trace) - 1):
        fresh = searched("nim:1,3,5,7", 2, int(at[row]))
        assert trace.visits[row].tolist() == [stats.visits for stats in fresh.moves]


@pytest.mark.parametrize("iterations", [1, 2, 3, 100])
def test_limits_are_met_exactly_even_with_fewer_iterations_than_threads(iterations: int) -> None:
    snapshot = searched("mnk:3,3,3", 4, iterations)
    assert snapshot.iterations == snapshot.total_visits == iterations
    assert snapshot.stopped is StopReason.ITERATIONS


def test_a_limit_of_a_slice_counts_all_trees() -> None:
    searcher = ParallelUctSearcher(UctOptions(iterations=10_000, threads=3))
    searcher.start(parse_position("mnk:5,5,4"), 1)
    for iterations in (1, 10, 500):
        assert searcher.advance(Limit(iterations)) is None
        assert searcher.iterations == searcher.snapshot().total_visits == iterations
    assert searcher.advance(Limit(nodes=3_000)) is None
    assert searcher.snapshot().tree_nodes == 3_000
    assert searcher.snapshot().stopped is None


def test_time_is_honoured_in_all_trees() -> None:
    searcher = ParallelUctSearcher(UctOptions(iterations=None, time_s=0.1, threads=2))
    searcher.start(parse_position("mnk:5,5,4"), 1)
    assert searcher.advance(Limit()) is StopReason.TIME
    snapshot = searcher.snapshot()
    assert snapshot.stopped is StopReason.TIME
    assert 0.1 <= snapshot.elapsed_s < 2.0


def test_no_thread_is_left_and_a_failure_in_any_tree_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(threading.enumerate())
    searcher = ParallelUctSearcher(UctOptions(iterations=20_000, threads=4))
    searcher.start(parse_position("nim:3,4,5"), 1)
    searcher.advance(Limit(time_s=0.001))
    assert set(threading.enumerate()) == before

    def fail(_: Limit) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr(searcher.trees[2], "advance", fail)
    with pytest.raises(MemoryError, match="no room"):
        searcher.advance(Limit())
    assert set(threading.enumerate()) == before


def test_the_kept_trees_go_on_below_the_moves_played() -> None:
    searcher = ParallelUctSearcher(UctOptions(iterations=4_000, threads=2, keep_tree=True))
    root = parse_position("nim:3,4,5")
    searcher.start(root, 1)
    searcher.advance(Limit())
    best = searcher.snapshot().moves[0].move
    after = root.play(best)
    after = after.play(after.legal_moves[0])
    assert searcher.resume(after, 2)
    kept = searcher.snapshot()
    assert kept.iterations == 0
    assert kept.reused > 0
    searcher.advance(Limit())
    done = searcher.snapshot()
    assert done.iterations == 4_000
    assert done.total_visits == kept.total_visits + 4_000
    assert not searcher.resume(parse_position("nim:1,2"), 3)


def test_the_memory_is_shared_out() -> None:
    searcher = ParallelUctSearcher(UctOptions(iterations=320_000, memory_mb=2, threads=2))
    searcher.start(parse_position("mnk:9,9,5"), 1)
    searcher.advance(Limit())
    snapshot = searcher.snapshot()
    assert snapshot.tree_full
    assert snapshot.tree_bytes <= 2 * 2**20


@pytest.mark.parametrize("threads", [0, 17])
def test_the_number_of_threads_has_bounds(threads: int) -> None:
    with pytest.raises(ValueError, match="threads must be 1 to 16"):
        ParallelUctSearcher(UctOptions(threads=threads))


def test_one_thread_is_the_plain_searcher() -> None:
    assert isinstance(uct_searcher(UctOptions()), UctSearcher)
    assert isinstance(uct_searcher(UctOptions(threads=2)), ParallelUctSearcher)
