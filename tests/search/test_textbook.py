"""The textbook searches serve a game that has rules and nothing else, with every agent; and they are right."""

import sys
from functools import cache
from pathlib import Path

import pytest

from nimdesk.agents import CATALOGUE, make_agent
from nimdesk.games import AnyPosition, kit_of, parse_position, solver_for
from nimdesk.games.truth import Truth, Value
from nimdesk.limit import Limit
from nimdesk.search import StopReason
from nimdesk.search.flat import FlatSearcher
from nimdesk.search.options import FlatOptions
from nimdesk.search.stepping import Stepper
from nimdesk.search.textbook.sampling import TextbookFlat
from nimdesk.search.tree_types import Ending, TreeView


@pytest.fixture
def position(monkeypatch: pytest.MonkeyPatch) -> AnyPosition:
    """Kayles, whose rules nimdesk knows of and nothing else."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "resources" / "examples" / "kayles"))
    # Other tests have it as an installed package, and find theirs again afterwards.
    monkeypatch.delitem(sys.modules, "kayles", raising=False)
    from kayles import KaylesGame

    start: AnyPosition = KaylesGame((3, 4)).start()
    assert kit_of(start).kernel is None
    return start


@cache
def value(position: AnyPosition) -> tuple[int, int]:
    """By definition: 1 or -1 for the side to move, and the plies to the end."""
    if position.outcome is not None:
        return round(2 * position.outcome.score(position.turn)) - 1, 0
    following = [value(position.play(move)) for move in position.legal_moves]
    best = max(-theirs for theirs, _ in following)
    plies = [plies for theirs, plies in following if -theirs == best]
    return best, 1 + (min(plies) if best > 0 else max(plies))


OPTIONS: dict[str, dict[str, object]] = {
    "mcts": {"iterations": 600},
    "uct": {"iterations": 600},
    "variants": {"iterations": 600},
    "flat": {"playouts": 100},
}
PLAYS = [name for name in CATALOGUE if name not in ("flat-perfect", "certificate", "threats")]


@pytest.mark.parametrize("name", PLAYS)
def test_every_agent_plays_a_game_that_has_rules_alone(name: str, position: AnyPosition) -> None:
    searcher = make_agent(name, OPTIONS.get(name)).new_searcher(position)
    searcher.start(position, 5)
    reason = searcher.advance(Limit())
    assert reason is not None
    snapshot = searcher.snapshot()
    assert snapshot.stopped is reason
    assert [stats.move for stats in snapshot.moves] == list(position.legal_moves)
    assert snapshot.best_move in position.legal_moves
    if name not in ("random", "flat", "uct", "variants") and CATALOGUE[name].group != "Levels":  # which slip on purpose
        assert snapshot.best_move is not None
        assert value(position.play(snapshot.best_move))[0] == -1
    proven = {stats.move: stats.proven for stats in snapshot.moves if stats.proven is not None}
    assert proven == {move: Value.LOSS if value(position.play(move))[0] > 0 else Value.WIN for move in proven}


@pytest.mark.parametrize("name", ["uct", "variants", "mcts", "minimax", "alphabeta", "deepening"])
def test_its_tree_can_be_looked_at(name: str, position: AnyPosition) -> None:
    searcher = make_agent(name, OPTIONS.get(name)).new_searcher(position)
    searcher.start(position, 5)
    searcher.advance(Limit(iterations=100, nodes=200))
    assert isinstance(searcher, TreeView)
    family = searcher.family(())
    assert family is not None
    below = next(branch for branch in family.branches if branch.children)
    inner = searcher.family((below.move,))
    assert inner is not None
    assert len(inner.branches) == below.children


@pytest.mark.parametrize("name", ["uct", "mcts"])
def test_its_simulations_can_be_told_one_by_one(name: str, position: AnyPosition) -> None:
    agent = make_agent(name, {"iterations": 200})
    stepper = Stepper(lambda: agent.new_searcher(position), position, 3)
    told = [simulation for number in range(1, 40) if (simulation := stepper.simulation(number)) is not None]
    assert len(told) > 20
    for simulation in told:
        end = simulation.leaf
        if simulation.ending is Ending.PLAYOUT:
            for move in simulation.playout or ():
                end = end.play(move)
        if simulation.ending is not Ending.PROVEN:
            assert end.outcome is not None
            assert end.outcome.score(position.turn) == simulation.score


@pytest.mark.parametrize("name", ["uct", "mcts", "flat"])
def test_slices_change_nothing(name: str, position: AnyPosition) -> None:
    agent, results = make_agent(name, OPTIONS.get(name)), []
    for step in (1, 7, 10_000):
        searcher, until = agent.new_searcher(position), 0
        searcher.start(position, 5)
        while searcher.advance(Limit(iterations=(until := until + step))) is None:
            pass
        snapshot = searcher.snapshot()
        assert snapshot.trace is not None
        results.append((snapshot.moves, snapshot.trace.visits.tolist(), snapshot.trace.iterations.tolist()))
    assert results[0] == results[1] == results[2]


def solved(position: AnyPosition, limit: Limit) -> Truth:
    solver = solver_for(position)
    solver.start(position)
    solver.advance(limit)
    return solver.truth()


def test_its_exact_values_are_worked_out_position_by_position(position: AnyPosition) -> None:
    words = {1: Value.WIN, 0: Value.DRAW, -1: Value.LOSS}
    for move in position.legal_moves:
        after = position.play(move)
        truth = solved(after, Limit())
        assert truth.complete
        assert (truth.value, truth.distance) == (words[value(after)[0]], value(after)[1])
        for each in truth.moves:
            theirs, plies = value(after.play(each.move))
            assert (each.value, each.distance) == (words[-theirs], plies + 1)


def test_a_proof_that_is_not_done_says_nothing_of_what_it_does_not_know(position: AnyPosition) -> None:
    truth = solved(position, Limit(nodes=2))
    assert truth.value is Value.UNKNOWN
    assert not truth.complete
    assert 2 <= truth.nodes < solved(position, Limit()).nodes


@pytest.mark.parametrize("text", ["nim:3,4,5", "mnk:3,3,3 b2", "mnk:5,5,4"])
def test_flat_monte_carlo_has_the_numbers_of_the_compiled_one(text: str) -> None:
    compiled, textbook = FlatSearcher(FlatOptions(playouts=20)), TextbookFlat(FlatOptions(playouts=20))
    for searcher in (compiled, textbook):
        searcher.start(parse_position(text), 7)
        assert searcher.advance(Limit()) is StopReason.ITERATIONS
    one, other = compiled.snapshot(), textbook.snapshot()
    assert (one.moves, one.best_move, one.playouts) == (other.moves, other.best_move, other.playouts)
    assert one.trace is not None
    assert other.trace is not None
    assert (one.trace.visits == other.trace.visits).all()
    assert (one.trace.value_sum == other.trace.value_sum).all()
