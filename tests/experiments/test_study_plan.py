"""A plan determines a study; what cannot be run is refused in one sentence."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from studies import plan, schedule, study, tasks

from nimdesk.agents import make_agent
from nimdesk.disk.paths import resources_dir
from nimdesk.errors import PlanError
from nimdesk.experiments.budgets import log_budgets
from nimdesk.experiments.parts import PlayerPart, varied
from nimdesk.experiments.plan import load_plan, plan_from_json, study_plan, study_schema
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.studies.work import Study
from nimdesk.search.options import MAX_SEED

GREEDY = PlayerPart(agent="uct", options={"exploration": 0.5, "final": "mean"})
SHORT = {
    "format": "nimdesk-study",
    "version": 1,
    "agents": [{"agent": "uct"}, {"agent": "uct", "options": {"exploration": 0.5, "final": "visits"}}],
    "positions": ["nim:3,4,5"],
    "budgets": [10, 50],
    "seeds": 3,
}


def test_a_plan_survives_its_file(tmp_path: Path) -> None:
    made = plan("flat", GREEDY, seed=7, solver_nodes=99)
    path = tmp_path / "plan.json"
    path.write_bytes(made.to_json())
    assert load_plan(path) == made
    assert load_plan(path).digest == made.digest


def test_the_short_form_is_the_same_study() -> None:
    short = plan_from_json(json.dumps(SHORT).encode())
    agents = [PlayerPart(agent="uct"), PlayerPart(agent="uct", options={"exploration": 0.5})]
    made = study_plan(agents, ["nim:3,4,5"], [10, 50], 3)
    assert list(short.players) == ["uct", "uct:exploration=0.5"]
    assert short.digest == made.digest
    assert plan_from_json(short.to_json()) == short


def test_seeds_and_digest_stay_what_they_were() -> None:
    """The numbers of before studies were plans: a file that was begun then goes on with the same searches."""
    made = schedule("uct", GREEDY, repeats=3)
    assert made.digest.startswith("9f6e7ecea2ffd74c")
    assert [made[Study].seed(task) for task in tasks(made[Study])[:3]] == [
        1860402424870700854,
        8240571038805539018,
        736291508010742495,
    ]


def test_options_written_out_are_the_same_study_as_defaults() -> None:
    written = PlayerPart(agent="uct", options={"final": "visits", "memory_mb": 512})
    assert plan(written).digest == plan("uct").digest


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"repeats": 5}, {"budgets": [10, 50]}, {"positions": ["nim:3,4"]}, {"solver_nodes": 10}]
)
def test_every_part_of_a_plan_changes_its_digest(change: dict[str, Any]) -> None:
    assert plan(**change).digest != plan().digest


def test_every_search_has_a_number_and_a_seed_of_its_own() -> None:
    made = study("uct", "alphabeta", "flat", positions=("nim:3,4,5", "nim:1,2,3"), repeats=50)
    found = tasks(made)
    assert len({(task.agent, task.position, task.repeat) for task in found}) == made.tasks == 202
    assert [made.number(task.agent, task.position, task.repeat) for task in found] == list(range(202))
    seeds = {made.seed(task) for task in found}
    assert len(seeds) == 202
    assert all(0 <= seed <= MAX_SEED for seed in seeds)


def test_a_larger_study_repeats_the_searches_of_the_smaller() -> None:
    small = study("uct")
    large = study("flat", "uct", positions=("nim:1,2", "nim:3,4,5"), budgets=(10, 1_000), repeats=9)
    assert large.seed(large.task(large.number(1, 1, 3))) == small.seed(small.task(small.number(0, 0, 3)))


def test_another_seed_of_the_plan_changes_all_seeds() -> None:
    first, second = study(seed=0), study(seed=1)
    assert {first.seed(task) for task in tasks(first)}.isdisjoint(second.seed(task) for task in tasks(second))


def test_where_nothing_is_left_to_chance_one_search_is_enough() -> None:
    agents = ["alphabeta", "uct", PlayerPart(agent="perfect", options={"when_lost": "first"}), "perfect", "random"]
    made = study(*agents, repeats=30)
    assert [made.searches(agent) for agent in range(5)] == [1, 30, 1, 30, 30]
    assert made.tasks == 92


def test_the_first_searches_of_everything_come_first() -> None:
    made = study("uct", "flat", positions=("nim:3,4,5", "nim:1,2,3"), repeats=2)
    assert [task.repeat for task in tasks(made)] == [0] * 4 + [1] * 4


def test_millions_of_searches_take_no_room() -> None:
    made = schedule("uct", repeats=1_000_000, positions=[f"nim:{n}" for n in range(1, 11)])
    assert made.total == 10_000_000
    task = made.task(9_999_999)
    assert (task.number, task.repeat) == (9_999_999, 999_999)  # type: ignore[union-attr]


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
        ((PlayerPart(agent="uct", options={"explore": 1}),), {}, "did you mean exploration?"),
        ((PlayerPart(agent="uct", options={"exploration": -1}),), {}, "from 0 to 100"),
        ((PlayerPart(agent="uct", options={"iterations": 5}),), {}, "the option iterations, which a study sets itself"),
        ((PlayerPart(agent="flat", options={"seed": 5}),), {}, "the option seed, which a study sets itself"),
        ((PlayerPart(agent="solver", options={"time_s": 5}),), {}, "the option time_s, which a study sets itself"),
        (("uct", "uct"), {}, "The agent uct is there twice"),
        ((), {"positions": ("nim:3,4,5", "nim:3,4,5")}, "The position nim:3,4,5 is there twice"),
        ((), {"positions": ("nim:3,4,5", "chess")}, "Position 2: “chess” does not name a game"),
        ((), {"positions": ("nim:1 1-1",)}, "Position 1: the game is over"),
        ((), {"positions": ()}, "in “study.positions”"),
        ((), {"repeats": 0}, "in “study.repeats”: expected whole number >= 1"),
        ((), {"budgets": (0, 10)}, ">= 1"),
        ((), {"budgets": (100, 10)}, "The budgets must increase"),
        ((), {"budgets": (10, 10)}, "The budgets must increase"),
        ((), {"repeats": 1_000_000, "positions": tuple(f"nim:{n}" for n in range(1, 13))}, "asks for 12,000,000"),
    ],
)
def test_what_cannot_be_run_is_refused_in_one_sentence(
    agents: tuple[Any, ...], changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(PlanError, match=r"[.?]$") as caught:
        schedule(*agents, **changes)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "nimdesk-game"}, "whose “format” is “nimdesk-plan”"),
        ({"version": 2}, "made by a newer nimdesk"),
        ({"sedes": 5}, "there is no field “sedes”; did you mean seeds?"),
        ({"seeds": "5"}, "in “seeds”: expected whole number"),
        ({"budgets": [1.5]}, "in “budgets[0]”"),
        ({"agents": [{"agent": "uct", "option": {}}]}, "did you mean options?"),
    ],
)
def test_a_bad_field_of_the_short_form_is_named(change: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError) as caught:
        plan_from_json(msgspec.json.encode(SHORT | change))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"players": {"mine": {"agent": "uct"}}}, "in “players[mine]”: in a study it must be called “uct”."),
        (
            {"searches": [{"players": ["uct"], "positions": ["nim:1"], "repeats": 1}]},
            "“matches” and “searches” need a plan of their own.",
        ),
    ],
)
def test_a_plan_is_a_study_or_something_else(change: dict[str, Any], words: str) -> None:
    document = msgspec.json.decode(plan().to_json()) | change
    with pytest.raises(PlanError) as caught:
        schedule_of(plan_from_json(msgspec.json.encode(document)))
    assert words in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[1]", b"null"])
def test_what_is_no_document_is_refused(data: bytes) -> None:
    with pytest.raises(PlanError, match="cannot be used"):
        plan_from_json(data)


def test_the_published_schema_is_that_of_the_program() -> None:
    published = json.loads((resources_dir() / "study.schema.json").read_text(encoding="utf-8"))
    assert published == study_schema()


def test_labels_name_what_differs_from_the_defaults() -> None:
    assert study("uct", GREEDY).labels == ("uct", "uct:exploration=0.5,final=mean")
    assert make_agent("uct", {"playouts": "zeroing"}).label == "uct:playouts=zeroing"
