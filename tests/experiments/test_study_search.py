"""One search of a study is exactly the search that each budget alone would have been."""

import random
from pathlib import Path

import pytest
from plugin_packages import install_faulty, watched_processes
from solving import solve
from studies import ONE_GOOD_MOVE, begun, schedule, study

from nimdesk.agents import make_agent
from nimdesk.errors import PlanError, StoppedError
from nimdesk.experiments.brakes import Brakes
from nimdesk.experiments.budgets import Milliseconds
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.schedule import Schedule
from nimdesk.experiments.studies.search import settled_at
from nimdesk.experiments.studies.work import Study, StudyResult, StudyTask
from nimdesk.experiments.tasks import run_tasks
from nimdesk.experiments.truth import prove, regret_half_points
from nimdesk.games import parse_position
from nimdesk.limit import Limit
from nimdesk.search import Snapshot

SAMPLING = [
    PlayerPart(agent="uct"),
    PlayerPart(agent="uct", options={"exploration": 0.3, "final": "mean"}),
    PlayerPart(agent="uct", options={"final": "secure", "expansion": "first"}),
    PlayerPart(agent="flat"),
    PlayerPart(agent="mcts", options={"exploration": 0.1}),
    PlayerPart(agent="mcts", options={"merge": False, "prove": False}),
]


def searched(made: Schedule) -> list[StudyResult]:
    return list(run_tasks(made, range(made.total), None, {"study": begun(made).regrets})[0])  # type: ignore[arg-type]


def fresh(made: Study, task: StudyTask, budget: int) -> Snapshot:
    """A search that never knew of another budget."""
    agent, position = made.agents[task.agent], made.positions[task.position]
    searcher = agent.with_budget(budget, position).new_searcher() if agent.name == "uct" else agent.new_searcher()
    searcher.start(position, made.seed(task))
    searcher.advance(Limit(iterations=budget))
    return searcher.snapshot()


@pytest.mark.parametrize("agent", SAMPLING)
@pytest.mark.parametrize("position", ["nim:3,4,5", ONE_GOOD_MOVE])
def test_each_budget_is_read_as_a_search_of_that_budget_alone(agent: PlayerPart, position: str) -> None:
    made = schedule(agent, positions=(position,), budgets=(1, 7, 100, 1_000), repeats=3)
    for result in searched(made):
        for index, budget in enumerate(made[Study].budgets):
            alone = fresh(made[Study], made[Study].task(result.number), budget)
            assert made[Study].positions[0].legal_moves[result.choices[index]] == alone.best_move
            assert result.visits[index] == tuple(stats.visits for stats in alone.moves)
            assert result.spent[index] == alone.iterations


@pytest.mark.parametrize("agent", SAMPLING)
def test_the_choice_settles_where_reading_every_checkpoint_says(agent: PlayerPart) -> None:
    """The rule that reads a choice off the trace is compared with asking the searcher at every checkpoint."""
    made = schedule(agent, positions=(ONE_GOOD_MOVE,), budgets=(3, 400), repeats=6)
    (position,) = made[Study].positions
    regrets = regret_half_points(solve(position, time_s=60))
    settled = []
    for result in searched(made):
        task = made[Study].task(result.number)
        trace = fresh(made[Study], task, 400).trace
        assert trace is not None
        asked = [fresh(made[Study], task, at).best_move for at in trace.iterations.tolist()]
        wrong = [bool(regrets[position.legal_moves.index(move)]) for move in asked if move is not None]
        expected = (
            None if wrong[-1] else int(trace.iterations[max((i + 1 for i, w in enumerate(wrong) if w), default=0)])
        )
        assert result.settled == expected
        settled.append(expected)
    assert len(set(settled)) > 1, "the position tells the seeds apart"


@pytest.mark.parametrize(
    ("seen", "settled"),
    [
        ([(1, 0), (2, 0)], 1),
        ([(1, 1), (2, 0), (3, 0)], 2),
        ([(1, 0), (2, 1), (3, 0)], 3),
        ([(3, 0), (1, 0), (2, 1)], 3),
        ([(1, 0), (2, 1)], None),
        ([(0, 0), (0, 0)], 0),
    ],
)
def test_settled_is_after_the_last_wrong_choice(seen: list[tuple[int, int]], settled: int | None) -> None:
    assert settled_at(seen, (0, 2)) == settled


@pytest.mark.parametrize("name", ["uct", "flat", "alphabeta", "deepening"])
def test_the_laboratory_gets_an_agent_that_makes_the_same_search(name: str) -> None:
    made = schedule(name, positions=(ONE_GOOD_MOVE,))
    agent = made[Study].seeded(made[Study].task(0))
    searcher = agent.new_searcher()
    searcher.start(made[Study].positions[0], agent.new_seed())
    searcher.advance(Limit(nodes=made[Study].budgets[-1]) if name == "alphabeta" else Limit())
    seen = tuple(stats.visits for stats in searcher.snapshot().moves)
    visits = searched(made)[0].visits[-1]
    if name == "flat":  # it ends with a whole sweep over the moves
        assert sum(seen) >= made[Study].budgets[-1]
        assert all(0 <= more - less <= 1 for more, less in zip(seen, visits, strict=True))
    else:
        assert seen == visits


def test_an_agent_that_does_not_search_keeps_its_choice() -> None:
    for result in searched(schedule("random", repeats=30)):
        assert len(set(result.choices)) == 1
        assert result.spent == (0, 0, 0)
        assert result.settled in (0, None)


def test_a_plugin_takes_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It spends nothing and keeps its choice; the seeds of the study are what its own chance depends on."""
    lines = ("import random", "return random.Random(seed).choice(position.legal_moves)")
    with watched_processes(monkeypatch):
        monkeypatch.syspath_prepend(str(tmp_path / "site"))
        install_faulty(tmp_path / "site", *lines)
        made = schedule(PlayerPart(agent="clumsy", options={"time_s": 20.0}), repeats=12)
        assert made[Study].labels == ("clumsy:time_s=20.0",)
        (position,) = made[Study].positions
        columns = []
        for result in searched(made):
            seed = made[Study].seed(made[Study].task(result.number))
            move = random.Random(seed).choice(position.legal_moves)
            assert result.choices == (position.legal_moves.index(move),) * 3
            assert result.spent == (0, 0, 0)
            columns.append(result.choices[0])
        assert len(set(columns)) > 3


def test_a_perfect_agent_never_regrets() -> None:
    made = schedule("perfect", positions=("nim:3,4,5", "nim:21:max3:misere", ONE_GOOD_MOVE), budgets=(1_000,))
    regrets = begun(made).regrets
    for result in searched(made):
        assert regrets[made[Study].task(result.number).position][result.choices[-1]] == 0


def test_a_depth_first_search_spends_nodes_and_stops_when_done() -> None:
    (result,) = searched(schedule("alphabeta", positions=(ONE_GOOD_MOVE,), budgets=(2, 20, 100_000)))
    assert result.spent[:2] == (2, 20)
    assert 20 < result.spent[2] < 100_000


def test_regret_is_value_lost_in_half_points() -> None:
    position = parse_position(ONE_GOOD_MOVE)
    truth = solve(position, time_s=60)
    regrets = dict(zip((move.text for move in position.legal_moves), regret_half_points(truth), strict=True))
    assert [move for move, regret in regrets.items() if not regret] == ["b2"]
    assert sorted(regrets.values()) == [0] + [1] * 7
    won = solve(parse_position("nim:3,4,5"), time_s=1)
    assert sorted(regret_half_points(won)) == [0] + [2] * 11


def test_a_position_whose_truth_is_not_known_is_refused() -> None:
    with pytest.raises(PlanError, match=r"The truth about mnk:7,7,5 is not known: after 1,000 positions"):
        begun(schedule(positions=("mnk:7,7,5",), solver_nodes=1_000))


def test_searches_and_proofs_that_are_told_to_stop_give_nothing() -> None:
    made, brakes = schedule("uct", budgets=(100_000_000,)), Brakes()
    brakes.stop()
    assert run_tasks(made, [0], brakes, {"study": begun(made).regrets})[0] == []
    with pytest.raises(StoppedError):
        prove(study(positions=("mnk:7,7,5",)).positions, 100_000_000, brakes.check)


@pytest.mark.parametrize("rule", ["visits", "mean", "secure"])
def test_the_choice_read_off_a_trace_is_the_searchers_own(rule: str) -> None:
    for seed in range(40):
        searcher = make_agent("uct", {"iterations": 150, "final": rule}).new_searcher()
        searcher.start(parse_position("nim:2,3,4"), seed)
        for budget in range(1, 151, 7):
            searcher.advance(Limit(iterations=budget))
            now = searcher.snapshot()
            assert now.trace is not None
            assert now.best_move == now.trace.moves[now.trace.choice[-1]]  # type: ignore[arg-type]


def test_budgets_of_time_are_read_one_after_another_and_said_not_to_be_reproducible() -> None:
    made = schedule("uct", "flat", budgets=Milliseconds((2, 20)), repeats=2, positions=(ONE_GOOD_MOVE,))
    assert made.digest != schedule("uct", "flat", budgets=(2, 20), repeats=2, positions=(ONE_GOOD_MOVE,)).digest
    assert "Not reproducible" in made.notes[0]
    results = searched(made)
    assert len(results) == 4
    for result in results:
        # However slow the machine, more time means no fewer simulations, and all of them are read.
        assert 1 <= result.spent[0] <= result.spent[1]
        assert [sum(visits) for visits in result.visits] == list(result.spent)
