"""A plan determines a study; what cannot be run is refused in one sentence."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from studies import plan, study

from nimdesk.agents import make_agent
from nimdesk.errors import PlanError
from nimdesk.experiments.study import (
    Cell,
    StudyAgent,
    StudyPlan,
    agent_label,
    agent_part,
    is_deterministic,
    json_schema,
    load_plan,
    log_budgets,
    plan_from_json,
    plan_json,
    study_of,
    varied,
)
from nimdesk.paths import resources_dir
from nimdesk.search.options import MAX_SEED

GREEDY = StudyAgent(agent="uct", options={"exploration": 0.5, "final": "mean"})


def test_a_plan_survives_its_file(tmp_path: Path) -> None:
    made = plan("flat", GREEDY, seed=7, solver_nodes=99)
    path = tmp_path / "plan.json"
    path.write_bytes(plan_json(made))
    assert load_plan(path) == made
    assert study_of(load_plan(path)).digest == study_of(made).digest


def test_labels_name_what_differs_from_the_defaults() -> None:
    assert study("uct", GREEDY).labels == ("uct", "uct:exploration=0.5,final=mean")
    assert agent_label(make_agent("uct", {"keep_tree": True, "playouts": "zeroing"})) == (
        "uct:playouts=zeroing,keep_tree=yes"
    )


def test_an_agent_becomes_a_part_of_a_plan_without_its_own_limits() -> None:
    agent = make_agent("uct", {"iterations": 77, "seed": 3, "exploration": 0.5, "time_s": 2.0})
    assert agent_part(agent) == StudyAgent(agent="uct", options={"exploration": 0.5})


def test_options_written_out_are_the_same_study_as_defaults() -> None:
    written = StudyAgent(agent="uct", options={"final": "visits", "memory_mb": 512})
    assert study(written).digest == study("uct").digest


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"seeds": 5}, {"budgets": (10, 50)}, {"positions": ("nim:3,4",)}, {"solver_nodes": 10}]
)
def test_every_part_of_a_plan_changes_its_digest(change: dict[str, Any]) -> None:
    assert study(**change).digest != study().digest


def test_every_search_has_a_seed_of_its_own() -> None:
    made = study("uct", "flat", positions=("nim:3,4,5", "nim:1,2,3"), seeds=50)
    seeds = {made.seed_of(cell) for cell in made.cells()}
    assert len(seeds) == made.total == 200
    assert all(0 <= seed <= MAX_SEED for seed in seeds)


def test_a_larger_study_repeats_the_searches_of_the_smaller() -> None:
    small = study("uct")
    large = study("flat", "uct", positions=("nim:1,2", "nim:3,4,5"), budgets=(10, 1_000), seeds=9)
    assert large.seed_of(Cell(1, 1, 3)) == small.seed_of(Cell(0, 0, 3))


def test_another_seed_of_the_plan_changes_all_seeds() -> None:
    first, second = study(seed=0), study(seed=1)
    assert {first.seed_of(cell) for cell in first.cells()}.isdisjoint(second.seed_of(cell) for cell in second.cells())


def test_where_nothing_is_left_to_chance_one_search_is_enough() -> None:
    made = study("alphabeta", "uct", seeds=30)
    assert (made.searches(0), made.searches(1), made.total) == (1, 30, 31)
    assert not is_deterministic(make_agent("random"))


def test_the_first_searches_of_everything_come_first() -> None:
    made = study("uct", "flat", positions=("nim:3,4,5", "nim:1,2,3"), seeds=2)
    assert [cell.number for cell in made.cells()] == [0] * 4 + [1] * 4


def test_budgets_in_even_steps() -> None:
    assert log_budgets(10, 1_000) == (10, 20, 50, 100, 200, 500, 1_000)
    assert log_budgets(7, 30) == (7, 10, 20, 30)
    assert log_budgets(5, 5) == (5,)


def test_one_agent_for_each_value_of_an_option() -> None:
    made = varied(GREEDY, "exploration", (0.1, 1.0))
    assert [each.options for each in made] == [
        {"exploration": 0.1, "final": "mean"},
        {"exploration": 1.0, "final": "mean"},
    ]


@pytest.mark.parametrize(
    ("agents", "changes", "words"),
    [
        (("utc",), {}, "Agent 1: There is no agent “utc”; did you mean uct?"),
        ((StudyAgent(agent="uct", options={"explore": 1}),), {}, "did you mean exploration?"),
        ((StudyAgent(agent="uct", options={"exploration": -1}),), {}, "from 0 to 100"),
        ((StudyAgent(agent="uct", options={"iterations": 5}),), {}, "the option iterations, which a study sets itself"),
        ((StudyAgent(agent="flat", options={"seed": 5}),), {}, "the option seed, which a study sets itself"),
        ((StudyAgent(agent="solver", options={"time_s": 5}),), {}, "the option time_s, which a study sets itself"),
        (("uct", "uct"), {}, "The agent uct is there twice"),
        ((), {"positions": ("nim:3,4,5", "nim:3,4,5")}, "The position nim:3,4,5 is there twice"),
        ((), {"positions": ("nim:3,4,5", "chess")}, "Position 2: “chess” does not name a game"),
        ((), {"positions": ("nim:1 1-1",)}, "Position 1: the game is over"),
        ((), {"positions": ()}, "in “positions”"),
        ((), {"seeds": 0}, "in “seeds”: expected whole number >= 1"),
        ((), {"budgets": (0, 10)}, ">= 1"),
        ((), {"budgets": (100, 10)}, "The budgets must increase"),
        ((), {"budgets": (10, 10)}, "The budgets must increase"),
        ((), {"seeds": 1_000_000, "positions": tuple(f"nim:{n}" for n in range(1, 13))}, "12,000,000 searches"),
    ],
)
def test_what_cannot_be_run_is_refused_in_one_sentence(
    agents: tuple[Any, ...], changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(PlanError, match=r"[.?]$") as caught:
        study(*agents, **changes)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "nimdesk-game"}, "its “format” must be “nimdesk-study”"),
        ({"version": 2}, "made for a newer nimdesk"),
        ({"sedes": 5}, "there is no field “sedes”; did you mean “seeds”?"),
        ({"seeds": "5"}, "in “seeds”: expected whole number"),
        ({"budgets": [1.5]}, "in “budgets[0]”"),
        ({"agents": [{"agent": "uct", "option": {}}]}, "did you mean “options”?"),
    ],
)
def test_a_bad_field_is_named(change: dict[str, Any], words: str) -> None:
    document = msgspec.json.decode(plan_json(plan())) | change
    with pytest.raises(PlanError) as caught:
        plan_from_json(msgspec.json.encode(document))
    assert words in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[1]", b"null"])
def test_what_is_no_document_is_refused(data: bytes) -> None:
    with pytest.raises(PlanError, match="cannot be used"):
        plan_from_json(data)


def test_a_plan_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="cannot be opened"):
        load_plan(tmp_path / "none.json")


def test_the_published_schema_is_that_of_the_program() -> None:
    published = json.loads((resources_dir() / "study.schema.json").read_text(encoding="utf-8"))
    assert published == json_schema()


def test_the_smallest_document_is_complete() -> None:
    text = (
        '{"format": "nimdesk-study", "version": 1, "agents": [{"agent": "uct"}], "positions": ["nim:3,4,5"], '
        '"budgets": [10], "seeds": 1}'
    )
    assert plan_from_json(text.encode()) == StudyPlan(
        agents=(StudyAgent(agent="uct"),), positions=("nim:3,4,5",), budgets=(10,), seeds=1
    )
