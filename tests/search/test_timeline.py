"""One search over iterations, seconds and nodes, with a trace and without one."""

import numpy as np
import pytest

from nimdesk.agents import make_agent
from nimdesk.games import parse_position
from nimdesk.games.nim.theory import solve_nim
from nimdesk.search import Limit, Snapshot, measures
from nimdesk.search.timeline import Cost, Entropies, Recorder, Timeline, cost_of

NIM = parse_position("nim:3,4,5")
TRUTH = solve_nim(NIM)


def watched(name: str, steps: list[int], by: str = "iterations", **options: object) -> tuple[Timeline, list[Snapshot]]:
    searcher = make_agent(name, options).new_searcher()
    searcher.start(NIM, 1)
    recorder, snapshots = Recorder(), []
    for step in steps:
        searcher.advance(Limit(**{by: step}))
        snapshots.append(searcher.snapshot())
        recorder.add(snapshots[-1])
    return recorder.timeline(snapshots[-1]), snapshots


def test_a_sampling_search_has_the_rows_of_its_trace() -> None:
    line, snapshots = watched("uct", [10, 100, 1000], iterations=1000)
    trace = snapshots[-1].trace
    assert trace is not None
    assert line.trace is trace
    assert len(line) == len(trace)
    assert line.choice.tolist() == trace.choice.tolist()
    nodes = line.costs(Cost.NODES)
    assert nodes is not None
    for snapshot in snapshots:
        row = line.row_at(Cost.ITERATIONS, snapshot.iterations)
        if line.iterations[row] == snapshot.iterations:
            assert nodes[row] == snapshot.tree_nodes
    assert (np.diff(nodes) >= 0).all()


def test_the_row_at_a_cost_is_the_newest_that_has_spent_no_more() -> None:
    line, _ = watched("uct", [1000], iterations=1000)
    assert (
        line.iterations[line.row_at(Cost.ITERATIONS, 100.5)]
        <= 100.5
        < line.iterations[line.row_at(Cost.ITERATIONS, 100.5) + 1]
    )
    assert line.row_at(Cost.ITERATIONS, 0) == 0
    assert line.row_at(Cost.ITERATIONS, 10**9) == len(line) - 1
    for row in (0, 5, len(line) - 1):
        assert line.row_at(Cost.ITERATIONS, float(line.iterations[row])) == row


def test_a_search_without_a_trace_has_the_moments_at_which_it_was_seen() -> None:
    line, snapshots = watched("alphabeta", [5, 50, 500, 5000], by="nodes", depth=None)
    assert line.trace is None
    assert line.costs(Cost.ITERATIONS) is None
    nodes = line.costs(Cost.NODES)
    assert nodes is not None
    assert nodes.tolist() == [snapshot.tree_nodes for snapshot in snapshots]
    assert [line.moves[column] for column in line.choice] == [snapshot.best_move for snapshot in snapshots]


def test_playouts_are_counted_apart_from_iterations() -> None:
    # In flat Monte Carlo a move that takes all ends the game, so that nothing is played out: every third one here.
    searcher = make_agent("flat", {"playouts": 50, "ties": "first"}).new_searcher()
    searcher.start(parse_position("nim:3"), 1)
    searcher.advance(Limit())
    snapshot, recorder = searcher.snapshot(), Recorder()
    assert (snapshot.iterations, snapshot.playouts) == (150, 100)
    recorder.add(snapshot)
    line = recorder.timeline(snapshot)
    played, made = line.costs(Cost.PLAYOUTS), line.costs(Cost.ITERATIONS)
    assert played is not None
    assert made is not None
    assert (played == np.minimum(2 * (made // 3) + made % 3, 100)).all()
    line, seen = watched("uct", [9_999], iterations=9_999, threads=3)
    played = line.costs(Cost.PLAYOUTS)
    assert played is not None
    assert cost_of(seen[-1], Cost.PLAYOUTS) == played[-1] < 9_999


def test_what_has_no_such_cost_says_so() -> None:
    _, flat = watched("flat", [100], playouts=10)
    assert cost_of(flat[-1], Cost.ITERATIONS) == 100
    assert cost_of(flat[-1], Cost.NODES) is None
    _, depth_first = watched("alphabeta", [100], by="nodes")
    assert cost_of(depth_first[-1], Cost.ITERATIONS) is None
    assert cost_of(depth_first[-1], Cost.PLAYOUTS) is None
    assert cost_of(depth_first[-1], Cost.NODES) == 100


def test_against_the_truth_with_and_without_visits() -> None:
    (best,) = TRUTH.best_moves
    sampled, _ = watched("uct", [2000], iterations=2000)
    proved, snapshots = watched("alphabeta", [5, 1_000_000], by="nodes", depth=None)
    assert snapshots[-1].best_move == best
    for line in (sampled, proved):
        regrets, shares = line.regrets(TRUTH), line.optimal_shares(TRUTH)
        assert regrets is not None
        assert shares is not None
        assert regrets.tolist() == [0.0 if line.moves[column] == best else 1.0 for column in line.choice]
        assert line.regrets(None) is None
        assert line.optimal_shares(None) is None
    assert (
        proved.optimal_shares(TRUTH)
        == [float(line_move == best) for line_move in (proved.moves[c] for c in proved.choice)]
    ).all()


@pytest.mark.parametrize("seen", [10, 1000])
def test_a_recorder_stays_small_and_keeps_the_newest(seen: int) -> None:
    searcher = make_agent("uct", {"iterations": 100_000}).new_searcher()
    searcher.start(NIM, 1)
    recorder = Recorder()
    for step in range(1, seen + 1):
        searcher.advance(Limit(iterations=50 * step))
        recorder.add(searcher.snapshot())
    assert len(recorder.rows) < 500
    assert recorder.rows[-1][0] == 50 * seen
    counts = [row[0] for row in recorder.rows]
    assert counts == sorted(set(counts))


def test_the_entropies_of_a_trace_that_grows_are_those_of_the_whole_trace() -> None:
    _, snapshots = watched("uct", [10, 25, 100, 1000], iterations=1000)
    other, _ = watched("uct", [50], iterations=50, exploration=3.0)
    entropies = Entropies()
    traces = [snapshot.trace for snapshot in snapshots]
    for trace in (*traces, other.trace, traces[-1], traces[0]):
        assert trace is not None
        np.testing.assert_allclose(entropies.bits(trace), measures.entropy_bits(trace), rtol=1e-12)


@pytest.mark.parametrize("after", [0, 1, 40])
def test_the_end_of_each_depth_has_its_row_however_shortly_before_or_after_somebody_looked(after: int) -> None:
    _, (whole,) = watched("deepening", [1_000_000], by="nodes")
    ends = [step.nodes for step in whole.steps]
    looks = sorted({nodes for end in ends for nodes in (end - 1, end + after, end + after + 1)})
    line, snapshots = watched("deepening", looks, by="nodes")
    spent = line.costs(Cost.NODES)
    assert spent is not None
    assert [step.nodes for step in snapshots[-1].steps] == ends
    for step in snapshots[-1].steps:
        row = line.row_at(Cost.NODES, step.nodes)
        assert (spent[row], line.moves[line.choice[row]]) == (step.nodes, step.best_move)
        assert step.elapsed_s in line.elapsed_s


def test_what_was_taken_over_goes_on_as_if_it_had_been_seen_from_the_beginning() -> None:
    searcher, seen, restored = make_agent("deepening").new_searcher(), Recorder(), Recorder()
    searcher.start(NIM, 1)
    for nodes in range(50, 60_000, 450):
        searcher.advance(Limit(nodes=nodes))
        snapshot = searcher.snapshot()
        seen.add(snapshot)
        if restored.rows:
            restored.add(snapshot)
        elif nodes > 20_000:
            restored.restore(seen.rows, snapshot)
    assert restored.rows == seen.rows


def test_the_leader_changes_wherever_another_move_is_preferred_however_early() -> None:
    line, _ = watched("uct", [300], iterations=300)
    moves = line.choice.tolist()
    assert line.changes == [row for row in range(1, len(line)) if moves[row] != moves[row - 1]]
    assert line.iterations[line.changes[0]] < 2 * len(line.moves), "before every move was tried twice"
