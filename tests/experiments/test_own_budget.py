"""A study has one row and one flat line for an agent whose budget cannot be set, and says so in words."""

import csv
import io
from typing import Any

import pytest
from msgspec.structs import asdict
from studies import ONE_GOOD_MOVE, finished, plan, schedule

from nimdesk.agents import make_agent
from nimdesk.errors import PlanError
from nimdesk.experiments.atlas.work import AtlasSet
from nimdesk.experiments.differences import differences, side_by_side
from nimdesk.experiments.files import Found
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import atlas_plan
from nimdesk.experiments.report import finding, markdown, notes
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.studies.tables import convergence, study_csv, study_searches_csv
from nimdesk.experiments.studies.tally import StudyTally
from nimdesk.experiments.studies.work import Study
from nimdesk.experiments.tasks import run_tasks
from nimdesk.figures.compared import of_comparison
from nimdesk.figures.content import of_study
from nimdesk.games import parse_position

NIM, BOARD = parse_position("nim:3,4,5"), parse_position(ONE_GOOD_MOVE)
BUDGETS = (10, 50, 200)


def found_of(*agents: str, **changes: Any) -> Found:
    made = schedule_of(plan(*agents, **changes))
    found = Found(made)
    found.prove()
    for result in run_tasks(made, range(made.total), None, found.known)[0]:
        found.add(result)
    return found


@pytest.fixture(scope="module")
def found() -> Found:
    return found_of("uct", "level3", "perfect", "random", budgets=BUDGETS, repeats=6)


@pytest.mark.parametrize(
    ("name", "on_nim", "on_a_board"),
    [
        ("uct", True, True),
        ("mcts", True, True),
        ("flat", True, True),
        ("alphabeta", True, True),
        ("minimax", True, True),
        ("solver", False, True),
        ("perfect", False, True),
        ("value-table", False, False),
        ("certificate", False, False),
        ("random", False, False),
        ("level3", False, False),
        ("level6", False, False),
    ],
)
def test_who_takes_a_budget_from_outside(name: str, on_nim: bool, on_a_board: bool) -> None:
    agent = make_agent(name)
    assert (agent.takes_budget(NIM), agent.takes_budget(BOARD)) == (on_nim, on_a_board)


def test_it_has_one_row_which_is_its_own_choice_counted(found: Found) -> None:
    study = found[StudyTally]
    assert study is not None
    assert [row.budget for row in study.rows_of(0, 0)] == list(BUDGETS)
    for agent in (1, 2, 3):
        (row,) = study.rows_of(agent, 0)
        assert (row.budget, row.settled_median) == (None, None)
        made = found.schedule[Study]
        assert made is not None
        right = 0
        for task in (made.task(number) for number in range(made.tasks)):
            if task.agent == agent:
                searcher = made.agents[agent].new_searcher(NIM)
                searcher.start(NIM, made.seed(task))
                while searcher.advance(made.agents[agent].limit) is None:
                    pass
                best = searcher.snapshot().best_move
                assert best is not None
                right += not study.regrets[0][NIM.legal_moves.index(best)]
        assert (row.optimal, row.searches) == (right, 6)


def test_the_tables_say_own_budget_and_the_files_leave_it_empty(found: Found) -> None:
    rows = convergence(found[StudyTally]).rows
    assert [row[2] for row in rows] == ["10", "50", "200", "own budget", "own budget", "own budget"]
    table = list(csv.DictReader(io.StringIO(study_csv(found[StudyTally]))))
    assert [line["budget"] for line in table] == ["10", "50", "200", "", "", ""]
    searches = finished(schedule("uct", "level3", budgets=BUDGETS), keep_visits=True)
    lines = list(csv.DictReader(io.StringIO(study_searches_csv(searches))))
    assert [line["budget"] for line in lines if line["agent"] == "level3"] == [""] * 4
    assert [line["budget"] for line in lines if line["agent"] == "uct"] == list(map(str, BUDGETS)) * 4
    assert "| own budget |" in markdown(found)


def test_its_line_is_flat_over_all_budgets_and_named(found: Found) -> None:
    study = found[StudyTally]
    assert study is not None
    (panel,) = of_study(found).plot["panels"]
    curves = {curve["label"]: curve for curve in panel["curves"]}
    assert set(curves) == {"uct", "level3 (own budget)", "perfect (own budget)", "random (own budget)"}
    for curve in panel["curves"]:
        assert curve["x"] == list(BUDGETS)
    (row,) = study.rows_of(1, 0)
    assert curves["level3 (own budget)"]["y"] == [row.optimal_share] * 3
    assert curves["level3 (own budget)"]["high"] == [row.high] * 3


def test_the_sentence_gives_it_no_budget_that_it_did_not_have(found: Found) -> None:
    said = finding(found)
    assert said.startswith(
        "With 200 iterations, an optimal move of nim:3,4,5 is chosen by perfect with its own budget in"
    )
    several = finding(found_of("uct", "random", positions=["nim:3,4,5", "nim:2,3"], budgets=BUDGETS, repeats=2))
    assert "random with its own budget in" in several
    assert "uct in" in several
    (note,) = notes(found)
    assert note.startswith("level3, perfect, random have budgets of their own")


def test_two_studies_are_compared_by_it_once(found: Found) -> None:
    other = found_of("uct", "level3", budgets=(10, 300), repeats=4, seed=1)
    rows = [row.of for row in differences(found, other).rows if row.quantity == "optimal"]
    assert rows == [("uct", "nim:3,4,5", "10"), ("level3", "nim:3,4,5", "own budget")]
    (panel,) = of_comparison(found, other, ("one", "other"), "difference").plot["panels"]
    flat = next(curve for curve in panel["curves"] if curve["label"] == "level3 (own budget)")
    assert flat["x"] == list(BUDGETS)
    assert len(set(flat["y"])) == 1


def test_a_side_that_is_not_complete_has_the_name_of_its_column(found: Found) -> None:
    part = Found(found.schedule)
    part.prove()
    for result in run_tasks(part.schedule, range(part.schedule.total // 2), None, part.known)[0]:
        part.add(result)
    compared = differences(found, part)
    told = f"Other is not complete: {part.done} of {part.total}."
    assert told in compared.notes
    assert told.split()[0] in side_by_side(compared).headers


def test_an_atlas_which_reads_searches_at_its_budgets_refuses_it() -> None:
    sets = [AtlasSet(starts=["nim:1,2"])]
    with pytest.raises(PlanError, match="The agent level3 has a budget of its own; an atlas reads each search at"):
        atlas_plan("small", [PlayerPart(agent="uct"), PlayerPart(agent="level3")], sets, [10], 2)


def test_results_that_were_read_at_every_budget_before_show_their_last_reading() -> None:
    made = schedule("level3", budgets=BUDGETS, repeats=1)
    (result,) = run_tasks(made, [0], None, {"study": finished(made).regrets})[0]
    assert len(result.choices) == 3  # type: ignore[union-attr]
    before = type(result)(**(asdict(result) | {"choices": (0, 0, result.choices[2])}))  # type: ignore[union-attr]
    found = Found(made)
    found.prove()
    found.add(before)
    (row,) = found[StudyTally].rows()
    assert row.optimal == (not found[StudyTally].regrets[0][result.choices[2]])  # type: ignore[union-attr]
