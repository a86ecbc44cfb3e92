"""Searches side by side: level on a cost, stopped and continued without losing anything, kept by position."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np
import pytest
from desk import WAIT_MS
from msgspec.structs import replace as change
from pytestqt.qtbot import QtBot

from nimdesk import compiler_process
from nimdesk.agents import CATALOGUE, Agent, make_agent
from nimdesk.games import AnyPosition, parse_position
from nimdesk.games.nim.theory import solve_nim
from nimdesk.search import Limit, Snapshot, StopReason
from nimdesk.search.timeline import Cost
from nimdesk.search.uct import UctSearcher
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.races import SLICE_S
from nimdesk.ui.laboratory.searches import Axis
from nimdesk.ui.laboratory.studied import Studied

NIM = parse_position("nim:3,4,5")
UCT = make_agent("uct")


@pytest.fixture
def lab(qtbot: QtBot) -> Iterator[Laboratory]:
    made = Laboratory(NIM)
    made.searches.set_limit(2000.0)
    yield made
    made.shutdown()
    assert not any(thread.name == "nimdesk-laboratory" for thread in threading.enumerate())


@pytest.fixture
def finish(qtbot: QtBot, lab: Laboratory) -> Callable[[], None]:
    def run() -> None:
        lab.searches.run()
        qtbot.waitUntil(lambda: not lab.searches.running, timeout=WAIT_MS)

    return run


def studied(*agents: Agent) -> tuple[Studied, ...]:
    return tuple(Studied(agent.unlimited(), 1) for agent in agents)


def newest(lab: Laboratory, index: int = 0) -> Snapshot:
    snapshot = lab.searches.runs[index].snapshot
    assert snapshot is not None
    return snapshot


def test_a_limit_is_met_and_continue_goes_on_by_as_much(lab: Laboratory, finish: Callable[[], None]) -> None:
    finish()
    assert newest(lab).iterations == 2000
    assert newest(lab).stopped is StopReason.ITERATIONS
    finish()
    assert newest(lab).iterations == 4000
    fresh = make_agent("uct", {"iterations": 4000}).new_searcher()
    fresh.start(NIM, 1)
    fresh.advance(Limit())
    at_once = fresh.snapshot()
    assert [m.visits for m in newest(lab).moves] == [m.visits for m in at_once.moves]
    trace, whole = newest(lab).trace, at_once.trace
    assert trace is not None
    assert whole is not None
    assert np.array_equal(trace.visits, whole.visits)


def test_stopping_and_continuing_loses_nothing(lab: Laboratory, qtbot: QtBot, finish: Callable[[], None]) -> None:
    lab.searches.set_limit(None)
    lab.searches.run()
    qtbot.waitUntil(lambda: lab.searches.runs[0].snapshot is not None, timeout=WAIT_MS)
    lab.searches.stop()
    assert not lab.searches.running
    qtbot.waitUntil(lambda: newest(lab).stopped is StopReason.STOPPED, timeout=WAIT_MS)
    rested = newest(lab)
    assert rested.stopped is StopReason.STOPPED
    lab.searches.run()
    qtbot.waitUntil(lambda: newest(lab).iterations > rested.iterations, timeout=WAIT_MS)
    lab.searches.stop()
    qtbot.waitUntil(lambda: newest(lab).stopped is StopReason.STOPPED, timeout=WAIT_MS)
    before, after = rested.trace, newest(lab).trace
    assert before is not None
    assert after is not None
    # All but the last row, which was that of the moment, are rows for ever.
    assert np.array_equal(after.visits[: len(before) - 1], before.visits[:-1])


def test_results_come_back_with_their_position(lab: Laboratory, finish: Callable[[], None]) -> None:
    finish()
    first = newest(lab)
    lab.place.play(NIM.parse_move("1-2"))
    assert lab.searches.runs[0].snapshot is None
    assert lab.clock.moment is None
    finish()
    lab.place.back()
    assert newest(lab) is first
    lab.place.forward()
    assert newest(lab).position == lab.place.position
    lab.place.to_parent()
    assert newest(lab) is first, "one move up is the position from which we came"


def test_results_belong_to_agent_and_seed(lab: Laboratory, finish: Callable[[], None]) -> None:
    finish()
    first = newest(lab)
    lab.agents.set_seed(0, 2)
    assert lab.searches.runs[0].snapshot is None
    finish()
    assert [m.visits for m in newest(lab).moves] != [m.visits for m in first.moves]
    lab.agents.set_seed(0, 1)
    assert newest(lab) is first
    lab.searches.start_over()
    assert lab.searches.runs[0].snapshot is None


def race_three_level_to_3000(lab: Laboratory, finish: Callable[[], None], cost: Cost) -> None:
    """Whenever somebody looks, no search is ahead of another; in the end all are exactly there."""
    lab.searches.set_axis(Axis(cost))
    lab.searches.set_limit(3000.0)
    seen: list[list[float]] = []
    lab.searches.results_changed.connect(lambda: seen.append([run.spent(cost) or 0.0 for run in lab.searches.runs]))
    finish()
    for spent in seen:
        if min(spent) > 0:
            assert max(spent) <= 1.04 * min(spent) + 33, "no search runs ahead"
    assert seen[-1] == [3000.0] * 3


@pytest.mark.parametrize("cost", [Cost.ITERATIONS, Cost.NODES])
def test_a_race_stays_level(lab: Laboratory, finish: Callable[[], None], cost: Cost) -> None:
    others = make_agent("uct", {"exploration": 0.3}), make_agent("flat") if cost is Cost.ITERATIONS else UCT
    lab.agents.set_all(tuple(Studied(agent.unlimited(), seed) for seed, agent in enumerate((UCT, *others))))
    race_three_level_to_3000(lab, finish, cost)


def test_a_race_over_playouts_stays_level_and_ends_exactly_there(lab: Laboratory, finish: Callable[[], None]) -> None:
    lab.agents.set_all(studied(UCT, make_agent("flat"), make_agent("uct", {"exploration": 0.3})))
    race_three_level_to_3000(lab, finish, Cost.PLAYOUTS)
    assert newest(lab).stopped is StopReason.PLAYOUTS
    assert newest(lab).iterations > 3000
    assert newest(lab, 1).iterations == 3000, "in flat Monte Carlo no move ends the game here"


def test_a_search_that_needs_no_more_playouts_does_not_hold_a_race_up(
    lab: Laboratory, finish: Callable[[], None]
) -> None:
    lab.place.go_to(parse_position("nim:1,1"))
    lab.agents.set_all(studied(make_agent("mcts")))
    lab.searches.set_axis(Axis(Cost.PLAYOUTS))
    lab.searches.set_limit(1000.0)
    finish()
    assert lab.searches.runs[0].finished, "it is proven"
    lab.agents.set_all(studied(UCT, make_agent("flat")))
    finish()
    assert newest(lab, 1).playouts == 1000
    # The whole tree is there after a few simulations, and none of them is played out from then on.
    assert (newest(lab).playouts or 0) < 10


@pytest.mark.parametrize("cost", [Cost.PLAYOUTS, Cost.NODES])
def test_a_race_ends_when_nothing_is_left_to_spend_and_says_so(
    lab: Laboratory, finish: Callable[[], None], cost: Cost
) -> None:
    lab.place.go_to(parse_position("nim:1,2"))
    lab.agents.set_all(studied(UCT, make_agent("uct", {"exploration": 0.3})))
    lab.searches.set_axis(Axis(cost))
    lab.searches.set_limit(1000.0)
    finish()
    for number in range(2):
        assert newest(lab, number).stopped is StopReason.EXHAUSTED
        assert (lab.searches.runs[number].spent(cost) or 0) < 30


def test_a_race_over_seconds_ends_when_each_has_had_its_time(lab: Laboratory, finish: Callable[[], None]) -> None:
    lab.agents.set_all(studied(UCT, make_agent("flat"), make_agent("alphabeta", {"depth": None})))
    lab.place.go_to(parse_position("mnk:6,6,5"))
    lab.searches.set_axis(Axis(Cost.SECONDS))
    lab.searches.set_limit(0.1)
    finish()
    for number, run in enumerate(lab.searches.runs):
        assert (run.spent(Cost.SECONDS) or 0.0) >= 0.1
        assert newest(lab, number).stopped is StopReason.TIME


class Punctual(UctSearcher):
    """Takes exactly the time that it may, on a clock of its own."""

    asked: ClassVar[list[tuple[int, float]]] = []
    elapsed_s = 0.0

    def start(self, position: AnyPosition, seed: int) -> None:
        super().start(position, seed)
        self.seed = seed

    def advance(self, limit: Limit) -> StopReason | None:
        assert limit.time_s is not None
        assert limit.time_s > self.elapsed_s
        self.asked.append((self.seed, limit.time_s))
        self.elapsed_s = limit.time_s
        return super().advance(Limit(iterations=self.iterations + 5))

    def snapshot(self) -> Snapshot:
        return change(super().snapshot(), elapsed_s=self.elapsed_s)

    def brief(self) -> Snapshot:
        return change(super().brief(), elapsed_s=self.elapsed_s)


def test_in_a_race_over_seconds_nobody_is_given_more_than_a_slice_ahead_of_another(
    lab: Laboratory, finish: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Punctual, "asked", [])
    monkeypatch.setitem(CATALOGUE, "uct", change(CATALOGUE["uct"], make_searcher=Punctual))
    lab.agents.set_all(tuple(Studied(UCT.unlimited(), seed) for seed in (1, 2, 3)))
    lab.searches.set_axis(Axis(Cost.SECONDS))
    lab.searches.set_limit(0.1)
    finish()
    assert [run.spent(Cost.SECONDS) for run in lab.searches.runs] == [0.1] * 3
    given = dict.fromkeys((1, 2, 3), 0.0)
    for seed, until_s in Punctual.asked:
        given[seed] = until_s
        assert max(given.values()) - min(given.values()) <= SLICE_S + 1e-9


@pytest.mark.parametrize("cost", [Cost.NODES, Cost.SECONDS])
def test_deepening_races_and_its_curve_has_every_depth(lab: Laboratory, finish: Callable[[], None], cost: Cost) -> None:
    lab.agents.set_all(studied(make_agent("deepening"), UCT))
    lab.searches.set_axis(Axis(cost))
    lab.searches.set_limit(300_000.0 if cost is Cost.NODES else 1.0)
    finish()
    snapshot, line = newest(lab), lab.searches.runs[0].timeline
    assert snapshot.stopped is StopReason.COMPLETE
    assert snapshot.best_move is not None
    assert snapshot.best_move.text == "1-2"
    assert line is not None
    spent = line.costs(cost)
    assert spent is not None
    for step in snapshot.steps:
        row = line.row_at(cost, step.nodes if cost is Cost.NODES else step.elapsed_s)
        assert line.moves[line.choice[row]] == step.best_move
        assert spent[row] == (step.nodes if cost is Cost.NODES else step.elapsed_s)
    regrets = line.regrets(solve_nim(NIM))
    assert regrets is not None
    assert (regrets[0], regrets[-1]) == (1.0, 0.0), "wrong at first, and right when it sees far enough"


def test_an_agent_without_the_cost_runs_to_its_own_end(lab: Laboratory, finish: Callable[[], None]) -> None:
    lab.agents.set_all(studied(UCT, make_agent("alphabeta", {"depth": 2}), make_agent("random")))
    finish()
    assert newest(lab).iterations == 2000
    assert lab.searches.runs[1].finished or lab.searches.runs[1].spent(Cost.NODES)
    assert lab.searches.runs[2].finished
    lab.agents.set_all(studied(make_agent("alphabeta", {"depth": None})))
    finish()
    assert lab.searches.runs[0].finished
    assert not lab.searches.can_run


def test_one_without_the_cost_does_not_keep_the_others_from_going_on(
    lab: Laboratory, finish: Callable[[], None]
) -> None:
    lab.agents.set_all(studied(UCT, make_agent("flat")))
    lab.searches.set_axis(Axis(Cost.NODES))
    lab.searches.set_limit(1000.0)
    for round_ in (1, 2, 3):
        finish()
        assert newest(lab).tree_nodes == 1000 * round_


def test_who_is_added_catches_up_with_the_others(lab: Laboratory, finish: Callable[[], None]) -> None:
    finish()
    lab.agents.add(make_agent("flat"))
    finish()
    assert [run.spent(Cost.ITERATIONS) for run in lab.searches.runs] == [2000.0, 2000.0]


def test_one_that_fails_does_not_stop_the_others(lab: Laboratory, finish: Callable[[], None]) -> None:
    lab.place.go_to(parse_position("mnk:3,3,3"))
    lab.agents.set_all(studied(make_agent("flat-perfect"), UCT))
    finish()
    assert "plays Nim only" in lab.searches.runs[0].problem
    assert lab.searches.runs[0].ended
    assert newest(lab, 1).iterations == 2000


def test_a_dropped_tree_is_grown_again_before_it_goes_on(lab: Laboratory, finish: Callable[[], None]) -> None:
    finish()
    first = newest(lab)
    lab.searches.runs[0].searcher = None
    lab.searches.results_changed.connect(lambda: shown.append(newest(lab).iterations))
    shown: list[int] = []
    finish()
    assert newest(lab).iterations == 4000
    assert min(shown) >= first.iterations, "what was there never goes back"


def test_the_moment_follows_the_axis(lab: Laboratory, finish: Callable[[], None]) -> None:
    finish()
    line = lab.searches.focused.timeline
    assert line is not None
    row = len(line) // 2
    lab.clock.set_moment(float(line.iterations[row]))
    before = lab.clock.shown()
    lab.searches.set_axis(Axis(Cost.SECONDS))
    assert lab.clock.moment == line.elapsed_s[row]
    assert lab.clock.shown() == before or lab.clock.shown().iterations == before.iterations  # type: ignore[union-attr]
    lab.searches.run()
    assert lab.clock.moment is None, "who runs wants to see it happen"


def test_another_position_ends_the_search(lab: Laboratory, qtbot: QtBot) -> None:
    lab.searches.set_limit(None)
    lab.searches.run()
    qtbot.waitUntil(lambda: lab.searches.runs[0].snapshot is not None, timeout=WAIT_MS)
    lab.place.play(NIM.parse_move("1-2"))
    assert not lab.searches.running
    lab.searches.run()
    qtbot.waitUntil(lambda: lab.searches.runs[0].snapshot is not None, timeout=WAIT_MS)
    assert newest(lab).position == lab.place.position
    lab.searches.stop()


def test_the_truth_is_that_of_the_position(lab: Laboratory, qtbot: QtBot) -> None:
    lab.proof.set_shown(True)
    qtbot.waitUntil(lambda: lab.proof.truth is not None, timeout=WAIT_MS)
    assert lab.proof.truth is not None
    assert [move.text for move in lab.proof.truth.best_moves] == ["1-2"]
    lab.proof.set_shown(False)
    assert lab.proof.truth is None


def test_questions_are_answered_beside_a_running_search(lab: Laboratory, qtbot: QtBot) -> None:
    lab.searches.set_limit(None)
    lab.searches.run()
    qtbot.waitUntil(lambda: lab.searches.runs[0].snapshot is not None, timeout=WAIT_MS)
    run = lab.searches.runs[0]
    answers: list[int] = []
    lab.searches.bridge.ask(
        lambda _job: run.searcher.snapshot().tree_nodes,  # type: ignore[union-attr]
        done=answers.append,
        failed=pytest.fail,
    )
    qtbot.waitUntil(lambda: bool(answers), timeout=WAIT_MS)
    assert lab.searches.running
    lab.searches.stop()


def test_an_earlier_moment_that_rests_gets_its_lines_of_play(
    lab: Laboratory, qtbot: QtBot, finish: Callable[[], None]
) -> None:
    finish()
    lab.clock.set_moment(500.0)
    before = lab.clock.shown()
    assert before is not None
    assert not any(stats.principal_variation for stats in before.moves)
    with qtbot.waitSignal(lab.searches.results_changed, timeout=WAIT_MS):
        pass
    then = lab.clock.shown()
    assert then is not None
    assert [stats.visits for stats in then.moves] == [stats.visits for stats in before.moves]
    assert then.iterations == before.iterations
    for stats in then.moves:
        assert stats.principal_variation[:1] == (stats.move,)


def test_a_search_begins_in_python_and_is_taken_over_after_a_rest_too(
    lab: Laboratory, finish: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = threading.Event()

    class Slow(UctSearcher):
        def _begin(self) -> None:
            assert loaded.wait(WAIT_MS / 1000)
            super()._begin()

    monkeypatch.setitem(CATALOGUE, "uct", change(CATALOGUE["uct"], make_searcher=Slow))
    compiler_process.begin()
    try:
        lab.agents.set_all((Studied(UCT, 3),))
        lab.searches.set_limit(200.0)
        finish()
        first = lab.searches.focused.snapshot
        assert first is not None
        assert (first.iterations, first.in_python) == (200, True)
        loaded.set()
        while not isinstance(lab.searches.focused.searcher, Slow):
            finish()
        last = lab.searches.focused.snapshot
        assert last is not None
        assert not last.in_python
        assert last.trace is not None
        assert first.trace is not None
        rows = len(first.trace)
        assert np.array_equal(last.trace.visits[: rows - 1], first.trace.visits[: rows - 1]), "the same tree"
    finally:
        loaded.set()
        compiler_process.end()
