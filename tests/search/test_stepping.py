"""One simulation at a time: what is told is what the kernel did, and any simulation can be asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from nimdesk.games import parse_position
from nimdesk.search.mcts import MctsSearcher
from nimdesk.search.options import MAX_ITERATIONS, MctsOptions, UctOptions
from nimdesk.search.parallel_uct import uct_searcher
from nimdesk.search.stepping import Replay, Stepper
from nimdesk.search.tree_types import Ending, Simulation, StepView
from nimdesk.search.types import Limit, Searcher
from nimdesk.search.uct import UctSearcher

pytestmark = pytest.mark.slow

GAMES = ["nim:3,4,5", "nim:21:max3:misere", "mnk:3,3,3", "mnk:5,5,4 c3", "mnk:7,6,4:gravity d1", "mnk:9,9,5"]
NUMBERS = (*range(1, 26), *range(500, 505))


def uct() -> Searcher:
    return UctSearcher(UctOptions(iterations=MAX_ITERATIONS))


def uct_of_document_003() -> Searcher:
    return uct_searcher(UctOptions(iterations=MAX_ITERATIONS, log_n="root", expansion="first"))


def mcts() -> Searcher:
    return MctsSearcher(MctsOptions(iterations=MAX_ITERATIONS))


@cache
def told(make: Callable[[], Searcher], text: str, *numbers: int, seed: int = 5) -> list[Simulation]:
    stepper = Stepper(make, parse_position(text), seed)
    simulations = [stepper.simulation(number) for number in numbers]
    return [simulation for simulation in simulations if simulation is not None]


@pytest.mark.parametrize("text", GAMES)
@pytest.mark.parametrize("make", [uct, uct_of_document_003])
def test_the_playout_of_uct_is_replayed_with_the_random_numbers_of_the_kernel(
    make: Callable[[], Searcher], text: str
) -> None:
    simulations = told(make, text, *NUMBERS)
    assert len(simulations) == len(NUMBERS)
    playouts = 0
    for simulation in simulations:
        position = simulation.leaf
        if simulation.ending is Ending.PLAYOUT:
            # None would say that the replay ended with another random state than the kernel.
            assert simulation.playout is not None
            playouts += 1
            for move in simulation.playout:
                position = position.play(move)
        assert position.outcome is not None
        assert position.outcome.score(simulation.root.turn) == simulation.score
    assert playouts > len(NUMBERS) / 2


@pytest.mark.parametrize("text", GAMES)
def test_the_playout_of_mcts_is_replayed_but_where_a_move_was_seen_to_be_the_same_as_another(text: str) -> None:
    simulations = told(mcts, text, *NUMBERS)
    with_playout = [each for each in simulations if each.ending is Ending.PLAYOUT]
    replayed = [each for each in with_playout if each.playout is not None]
    assert len(replayed) > 0.75 * len(with_playout)
    for simulation in replayed:
        position = simulation.leaf
        for move in simulation.playout or ():
            position = position.play(move)
        assert position.outcome is not None
        assert position.outcome.score(simulation.root.turn) == simulation.score


@pytest.mark.parametrize("text", GAMES)
def test_uct_tries_each_move_once_and_then_follows_the_largest_bound(text: str) -> None:
    for simulation in told(uct, text, *NUMBERS):
        for depth, decision in enumerate(simulation.decisions):
            assert decision.position.turn is simulation.root.turn if depth % 2 == 0 else True
            if decision.is_new:
                assert decision.untried > 0
                assert depth == len(simulation.decisions) - 1
                continue
            assert decision.untried == 0
            bounds = {branch.move: branch.bound or 0.0 for branch in decision.family.branches}
            assert bounds[decision.chosen] == pytest.approx(max(bounds.values()), abs=1e-5)


@pytest.mark.parametrize("text", GAMES)
def test_backing_up_adds_one_visit_and_the_result_to_each_move_of_the_path_and_to_no_other(text: str) -> None:
    for simulation in told(uct, text, *NUMBERS):
        for depth, (change, decision, after) in enumerate(
            zip(simulation.changes, simulation.decisions, simulation.families, strict=True)
        ):
            score = simulation.score if depth % 2 == 0 else 1 - simulation.score
            n, mean = (change.before.visits, change.before.mean_value or 0.0) if change.before else (0, 0.0)
            assert change.after.visits == n + 1
            assert change.after.mean_value == pytest.approx((n * mean + score) / (n + 1))
            assert after.visits == decision.family.visits + 1
            old = {b.move: (b.visits, b.mean_value) for b in decision.family.branches if b.move != decision.chosen}
            new = {b.move: (b.visits, b.mean_value) for b in after.branches if b.move != decision.chosen}
            assert new == old


@pytest.mark.parametrize("make", [uct, mcts])
def test_a_simulation_is_the_same_whenever_and_in_whatever_order_it_is_asked_for(make: Callable[[], Searcher]) -> None:
    forward = {each.number: each for each in told(make, "mnk:5,5,4", *range(1, 60))}
    back = {each.number: each for each in told(make, "mnk:5,5,4", 200, 59, 30, 12, 31, 1)}
    assert back.keys() == {200, 59, 30, 12, 31, 1}
    for number in (59, 30, 12, 31, 1):
        assert back[number] == forward[number]


def test_what_one_simulation_leaves_is_what_the_next_one_finds() -> None:
    simulations = told(uct, "mnk:3,3,3", *range(100, 140))
    for now, following in pairwise(simulations):
        left, found = now.families[0], following.decisions[0].family
        assert left == found
        assert now.leaders[1] == following.leaders[0]


def test_stepping_shows_the_very_search_that_runs() -> None:
    searcher = UctSearcher(UctOptions(iterations=MAX_ITERATIONS))
    searcher.start(parse_position("mnk:3,3,3"), 5)
    searcher.advance(Limit(iterations=1000))
    (simulation,) = told(uct, "mnk:3,3,3", 1000)
    visits = {stats.move: stats.visits for stats in searcher.snapshot().moves}
    assert {branch.move: branch.visits for branch in simulation.families[0].branches} == visits


@pytest.mark.parametrize(
    ("make", "text"), [(uct, "nim:4,5,6"), (uct, "mnk:3,3,3"), (mcts, "nim:4,5,6"), (mcts, "mnk:5,5,4")]
)
def test_the_next_change_of_leader_is_the_one_that_single_steps_find(make: Callable[[], Searcher], text: str) -> None:
    last = 250
    simulations = told(make, text, *range(1, last + 1))
    changes = [each.number for each in simulations if each.leaders[0] not in (None, each.leaders[1])]
    stepper = Stepper(make, parse_position(text), 5)
    found, at = [], 1
    while (number := stepper.next_change(at, last)) is not None and number <= last:
        found.append(number)
        at = number
    assert found == changes
    assert len(changes) > 2
    # Asked again from the same place it finds the same one, whatever was looked at in between.
    assert stepper.next_change(1, last) == changes[0]
    assert stepper.next_change(1, last) == changes[0]


@pytest.mark.parametrize("make", [uct, mcts])
@pytest.mark.parametrize("text", ["nim:1,2,2", "mnk:3,3,3 b2 a1 c3"])
def test_the_playouts_of_a_search_are_the_simulations_that_were_played_out(
    make: Callable[[], Searcher], text: str
) -> None:
    stepper, endings = Stepper(make, parse_position(text), 5), []
    for number in range(1, 301):
        if (simulation := stepper.simulation(number)) is None:
            break
        endings.append(simulation.ending)
    searcher = make()
    searcher.start(parse_position(text), 5)
    searcher.advance(Limit(iterations=len(endings)))
    snapshot = searcher.snapshot()
    assert snapshot.playouts == endings.count(Ending.PLAYOUT) < len(endings)
    trace = snapshot.trace
    assert trace is not None
    assert trace.playouts is not None
    counted = np.cumsum([ending is Ending.PLAYOUT for ending in endings])
    assert (trace.playouts == counted[trace.iterations - 1]).all()


def test_a_search_that_proves_its_root_has_no_simulation_after_that() -> None:
    stepper = Stepper(mcts, parse_position("nim:3,4,5"), 5)
    assert stepper.simulation(100_000) is None
    ended = stepper.ended
    assert ended is not None
    last = stepper.simulation(ended)
    assert last is not None
    assert last.number == ended
    assert stepper.simulation(ended + 1) is None


def test_a_repetition_stops_when_its_time_is_up_and_goes_on_from_there() -> None:
    replay = Replay(uct, parse_position("nim:3,4,5"), 1)
    assert not replay.go_to(50_000, deadline_s=0.0)
    assert 0 < replay.iterations < 50_000
    while not replay.go_to(50_000, deadline_s=0.0):
        pass
    assert replay.searcher is not None
    assert isinstance(replay.searcher, StepView)
    assert replay.searcher.iterations == 50_000
    searcher = uct()
    searcher.start(parse_position("nim:3,4,5"), 1)
    searcher.advance(Limit(iterations=50_000))
    assert replay.searcher.snapshot().moves == searcher.snapshot().moves


def test_playouts_by_a_policy_are_told_by_their_result_alone() -> None:
    def zeroing() -> Searcher:
        return uct_searcher(UctOptions(iterations=MAX_ITERATIONS, playouts="zeroing"))

    (simulation,) = told(zeroing, "nim:3,4,5", 1)
    assert simulation.ending is Ending.PLAYOUT
    assert simulation.playout is None
    assert simulation.score in (0.0, 1.0)
