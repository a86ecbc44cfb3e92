"""One search of a study is exactly the search that each budget alone would have been."""

import random
import threading
from pathlib import Path

import pytest
from plugin_packages import install_faulty, watched_processes
from solving import solve
from studies import ONE_GOOD_MOVE, study

from nimdesk.agents import make_agent
from nimdesk.errors import PlanError
from nimdesk.experiments.study import Cell, Study, StudyAgent
from nimdesk.experiments.study_search import (
    CellResult,
    prove,
    regret_half_points,
    rerun,
    run_cell,
    seeded_agent,
    settled_at,
)
from nimdesk.games import parse_position
from nimdesk.limit import Limit
from nimdesk.search import Snapshot
from nimdesk.search.measures import choices

SAMPLING = [
    StudyAgent(agent="uct"),
    StudyAgent(agent="uct", options={"exploration": 0.3, "final": "mean"}),
    StudyAgent(agent="uct", options={"final": "secure", "expansion": "first"}),
    StudyAgent(agent="flat"),
    StudyAgent(agent="mcts", options={"exploration": 0.1}),
    StudyAgent(agent="mcts", options={"merge": False, "prove": False}),
]


FIRST = Cell(0, 0, 0)


def searched(made: Study, cell: Cell = FIRST) -> CellResult:
    truths = prove(made)
    assert truths is not None
    result = run_cell(made, truths[cell.position], cell, threading.Event())
    assert result is not None
    return result


def fresh(made: Study, cell: Cell, budget: int) -> Snapshot:
    """A search that never knew of another budget."""
    part, position = made.plan.agents[cell.agent], made.positions[cell.position]
    own = {"iterations": budget} if part.agent == "uct" else {}
    searcher = make_agent(part.agent, {**part.options, **own}).new_searcher()
    searcher.start(position, made.seed_of(cell))
    searcher.advance(Limit(iterations=budget))
    return searcher.snapshot()


@pytest.mark.parametrize("agent", SAMPLING)
@pytest.mark.parametrize("position", ["nim:3,4,5", ONE_GOOD_MOVE])
def test_each_budget_is_read_as_a_search_of_that_budget_alone(agent: StudyAgent, position: str) -> None:
    made = study(agent, positions=(position,), budgets=(1, 7, 100, 1_000), seeds=3)
    for cell in made.cells():
        result = searched(made, cell)
        for index, budget in enumerate(made.budgets):
            alone = fresh(made, cell, budget)
            assert made.positions[0].legal_moves[result.choices[index]] == alone.best_move
            assert result.visits[index] == tuple(stats.visits for stats in alone.moves)
            assert result.spent[index] == alone.iterations


@pytest.mark.parametrize("agent", SAMPLING)
def test_the_choice_settles_where_reading_every_checkpoint_says(agent: StudyAgent) -> None:
    """The rule that reads a choice off the trace is compared with asking the searcher at every checkpoint."""
    made = study(agent, positions=(ONE_GOOD_MOVE,), budgets=(3, 400), seeds=6)
    regrets = regret_half_points(solve(made.positions[0], time_s=60))
    settled = []
    for cell in made.cells():
        trace = rerun(made, cell).snapshot().trace
        assert trace is not None
        asked = [rerun(made, cell, at).snapshot().best_move for at in trace.iterations.tolist()]
        wrong = [bool(regrets[made.positions[0].legal_moves.index(move)]) for move in asked if move is not None]
        expected = (
            None if wrong[-1] else int(trace.iterations[max((i + 1 for i, w in enumerate(wrong) if w), default=0)])
        )
        assert searched(made, cell).settled == expected
        settled.append(expected)
    assert len(set(settled)) > 1, "the position tells the seeds apart"


def test_an_agent_without_a_known_rule_is_asked_at_every_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    made = study("uct", positions=(ONE_GOOD_MOVE,), budgets=(3, 400), seeds=4)
    known = [searched(made, cell) for cell in made.cells()]
    monkeypatch.setattr("nimdesk.experiments.study_search._choice_rule", lambda agent: None)
    assert [searched(made, cell) for cell in made.cells()] == known


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


def test_the_identical_search_can_be_had_again() -> None:
    made = study("uct", seeds=3)
    cell = Cell(0, 0, 2)
    result, again = searched(made, cell), rerun(made, cell).snapshot()
    assert again.seed == made.seed_of(cell)
    assert tuple(stats.visits for stats in again.moves) == result.visits[-1]
    assert again.trace is not None
    assert again.trace.iterations[-1] == 200
    middle = rerun(made, cell, 50).snapshot()
    assert tuple(stats.visits for stats in middle.moves) == result.visits[1]


@pytest.mark.parametrize("name", ["uct", "flat", "alphabeta", "deepening"])
def test_the_laboratory_gets_an_agent_that_makes_the_same_search(name: str) -> None:
    made = study(name, positions=(ONE_GOOD_MOVE,))
    cell = Cell(0, 0, 0)
    agent = seeded_agent(made, cell)
    searcher = agent.new_searcher()
    searcher.start(made.positions[0], agent.new_seed())
    searcher.advance(Limit(nodes=made.budgets[-1]) if name == "alphabeta" else Limit())
    seen = tuple(stats.visits for stats in searcher.snapshot().moves)
    if name == "flat":  # it ends with a whole sweep over the moves
        assert sum(seen) >= made.budgets[-1]
        assert all(0 <= more - less <= 1 for more, less in zip(seen, searched(made).visits[-1], strict=True))
    else:
        assert seen == searched(made).visits[-1]


def test_an_agent_that_does_not_search_keeps_its_choice() -> None:
    made = study("random", seeds=30)
    for cell in made.cells():
        result = searched(made, cell)
        assert len(set(result.choices)) == 1
        assert result.spent == (0, 0, 0)
        assert result.settled in (0, None)


def test_a_plugin_takes_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It spends nothing and keeps its choice; the seeds of the study are what its own chance depends on."""
    lines = ("import random", "return random.Random(seed).choice(position.legal_moves)")
    with watched_processes(monkeypatch):
        monkeypatch.syspath_prepend(str(tmp_path / "site"))
        install_faulty(tmp_path / "site", *lines)
        made = study(StudyAgent(agent="clumsy", options={"time_s": 20.0}), seeds=12)
        assert made.labels == ("clumsy:time_s=20.0",)
        columns = []
        for cell in made.cells():
            result = searched(made, cell)
            move = random.Random(made.seed_of(cell)).choice(made.positions[0].legal_moves)
            assert result.choices == (made.positions[0].legal_moves.index(move),) * 3
            assert result.spent == (0, 0, 0)
            columns.append(result.choices[0])
        assert len(set(columns)) > 3


def test_a_perfect_agent_never_regrets() -> None:
    made = study("perfect", positions=("nim:3,4,5", "nim:21:max3:misere", ONE_GOOD_MOVE), budgets=(1_000,))
    truths = prove(made)
    assert truths is not None
    for cell in made.cells():
        assert regret_half_points(truths[cell.position])[searched(made, cell).choices[-1]] == 0


def test_a_depth_first_search_spends_nodes_and_stops_when_done() -> None:
    result = searched(study("alphabeta", positions=(ONE_GOOD_MOVE,), budgets=(2, 20, 100_000)))
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
        prove(study(positions=("mnk:7,7,5",), solver_nodes=1_000))


def test_a_search_that_is_told_to_stop_gives_nothing() -> None:
    made = study("uct", budgets=(100_000_000,))
    truths = prove(made)
    assert truths is not None
    stop = threading.Event()
    stop.set()
    assert run_cell(made, truths[0], Cell(0, 0, 0), stop) is None


def test_a_proof_that_is_told_to_stop_gives_nothing() -> None:
    stop = threading.Event()
    stop.set()
    assert prove(study(positions=("mnk:7,7,5",), solver_nodes=100_000_000), stop) is None


@pytest.mark.parametrize("rule", ["visits", "mean", "secure"])
def test_the_choice_read_off_a_trace_is_the_searchers_own(rule: str) -> None:
    for seed in range(40):
        searcher = make_agent("uct", {"iterations": 150, "final": rule}).new_searcher()
        searcher.start(parse_position("nim:2,3,4"), seed)
        for budget in range(1, 151, 7):
            searcher.advance(Limit(iterations=budget))
            now = searcher.snapshot()
            assert now.trace is not None
            assert now.best_move == now.trace.moves[choices(now.trace, rule)[-1]]  # type: ignore[arg-type]
