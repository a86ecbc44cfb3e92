"""A convergence study: which agents search which positions, how often, and at which budgets their choice is read.

A plan is a JSON document that determines every result:

    {"format": "nimdesk-study", "version": 1,
     "agents": [{"agent": "uct"}, {"agent": "uct", "options": {"exploration": 0.5}}],
     "positions": ["nim:3,4,5"], "budgets": [100, 500, 2000], "seeds": 200, "seed": 0, "solver_nodes": 5000000}

``seeds`` says how many searches there are of each position by each agent, ``seed`` is what theirs are derived from, and
``solver_nodes`` how many positions the solver may visit to prove a board (a number of seconds would make the result
depend on the machine).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from nimdesk.agents import Agent, NumberField, PluginOptions, make_agent
from nimdesk.atomic import os_error_words, read_bounded
from nimdesk.errors import NimdeskError, PlanError
from nimdesk.experiments.validation import decoded, schema_of, sentence
from nimdesk.games import AnyPosition, parse_position
from nimdesk.search.options import MAX_SEED

FORMAT: Literal["nimdesk-study"] = "nimdesk-study"
VERSION: Literal[1] = 1
MAX_FILE_BYTES = 2**22
MAX_BUDGET = 100_000_000
MAX_SEEDS = 1_000_000
MAX_SEARCHES = 10_000_000

# The options by which agents count iterations.
_LIMITS = ("iterations", "playouts")

OptionValue = int | float | str | bool | None


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all parts: a field that this version does not know is an error, not a silent loss."""


class StudyAgent(_Part, frozen=True, kw_only=True):
    """An agent of the catalogue with the options that differ from its defaults; its limits come from the budgets."""

    agent: Annotated[str, Meta(min_length=1, max_length=200)]
    options: dict[str, OptionValue] = {}


class StudyPlan(_Part, frozen=True, kw_only=True):
    """The document as it is written; ``Study`` is the same, checked."""

    format: Literal["nimdesk-study"] = FORMAT
    version: Literal[1] = VERSION
    agents: Annotated[tuple[StudyAgent, ...], Meta(min_length=1, max_length=100)]
    positions: Annotated[tuple[Annotated[str, Meta(max_length=2000)], ...], Meta(min_length=1, max_length=100)]
    budgets: Annotated[tuple[Annotated[int, Meta(ge=1, le=MAX_BUDGET)], ...], Meta(min_length=1, max_length=200)]
    seeds: Annotated[int, Meta(ge=1, le=MAX_SEEDS)]
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] = 0
    solver_nodes: Annotated[int, Meta(ge=1, le=1_000_000_000)] = 5_000_000


def plan_json(plan: StudyPlan) -> bytes:
    """The document, indented; ``plan_from_json`` reads it back."""
    return msgspec.json.format(msgspec.json.encode(plan), indent=2) + b"\n"


def plan_from_json(data: bytes, where: str = "The plan") -> StudyPlan:
    """The plan of a document of the right form; ``PlanError`` with the path of the bad field begins with ``where``.

    Whether its agents and positions exist is for ``study_of`` to say.
    """
    if len(data) > MAX_FILE_BYTES:
        raise PlanError(f"{where} is larger than {MAX_FILE_BYTES >> 20} MB, which no plan is.")
    return decoded(
        data, StudyPlan, FORMAT, VERSION, lambda clause: PlanError(sentence(f"{where} cannot be used: {clause}"))
    )


def load_plan(path: Path) -> StudyPlan:
    """The plan in a file; ``PlanError`` where there is none."""
    try:
        data = read_bounded(path, MAX_FILE_BYTES)
    except (OSError, ValueError) as error:
        raise PlanError(f"The plan “{path}” cannot be opened: {os_error_words(error)}.") from error
    return plan_from_json(data, f"The plan “{path.name}”")


def json_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a plan, published as ``resources/study.schema.json``."""
    schema = schema_of(StudyPlan, "A plan of a nimdesk convergence study")
    schema["$defs"]["StudyPlan"]["required"].insert(0, "format")  # what tells a plan from other documents
    return schema


class Cell(NamedTuple):
    """One search of a study: which agent (its index), which position, and the how-manieth search of that pair."""

    agent: int
    position: int
    number: int


@dataclass(frozen=True)
class Study:
    """A plan that can be run: agents made, positions read, everything in bounds. ``study_of`` makes it."""

    plan: StudyPlan
    agents: tuple[Agent, ...]
    positions: tuple[AnyPosition, ...]

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What tells the agents apart, such as "uct:exploration=0.5"."""
        return tuple(map(agent_label, self.agents))

    @property
    def budgets(self) -> tuple[int, ...]:
        """In increasing order."""
        return self.plan.budgets

    @cached_property
    def digest(self) -> str:
        """Equal for two studies exactly when they ask for the same searches and the same truth."""
        positions = [position.text for position in self.positions]
        rest = [self.budgets, self.plan.seeds, self.plan.seed, self.plan.solver_nodes]
        return hashlib.sha256(msgspec.json.encode([VERSION, self.labels, positions, rest])).hexdigest()

    def searches(self, agent: int) -> int:
        """How many searches of each position this agent makes: one where nothing is left to chance."""
        return 1 if is_deterministic(self.agents[agent]) else self.plan.seeds

    @cached_property
    def total(self) -> int:
        """The number of all searches."""
        return len(self.positions) * sum(self.searches(agent) for agent in range(len(self.agents)))

    def cells(self) -> Iterator[Cell]:
        """All searches, the first ones of every agent and position first, so that all curves sharpen together."""
        for number in range(self.plan.seeds):
            for agent in range(len(self.agents)):
                if number < self.searches(agent):
                    for position in range(len(self.positions)):
                        yield Cell(agent, position, number)

    @cached_property
    def _limited(self) -> tuple[tuple[Agent, ...], ...]:
        last = self.budgets[-1]
        return tuple(tuple(limited_agent(agent, each, last) for each in self.positions) for agent in self.agents)

    def agent_of(self, cell: Cell) -> Agent:
        """The agent that makes this search, limited to the largest budget; its seed is not yet in its options."""
        return self._limited[cell.agent][cell.position]

    def seed_of(self, cell: Cell) -> int:
        """The seed of one search.

        It depends on the plan's seed, agent, position and number alone: a study with more of anything repeats the
        searches of the smaller one.
        """
        key = [self.plan.seed, self.labels[cell.agent], self.positions[cell.position].text, cell.number]
        return int.from_bytes(hashlib.sha256(msgspec.json.encode(key)).digest()[:8]) & MAX_SEED


def study_of(plan: StudyPlan) -> Study:
    """The plan, checked; a ``NimdeskError`` says where it cannot be run and what is allowed."""
    plan = plan_from_json(msgspec.json.encode(plan))  # one made by hand has not met the bounds of its fields
    agents = tuple(_agent(part, number) for number, part in enumerate(plan.agents, 1))
    positions = tuple(_position(text, number) for number, text in enumerate(plan.positions, 1))
    if any(later <= earlier for earlier, later in zip(plan.budgets, plan.budgets[1:], strict=False)):
        raise PlanError(f"The budgets must increase, each only once; they are {', '.join(map(str, plan.budgets))}.")
    study = Study(plan, agents, positions)
    _no_doubles(study.labels, "agent")
    _no_doubles(tuple(position.text for position in positions), "position")
    if study.total > MAX_SEARCHES:
        raise PlanError(f"The study has {study.total:,} searches; {MAX_SEARCHES:,} are allowed.")
    return study


def _agent(part: StudyAgent, number: int) -> Agent:
    try:
        agent = make_agent(part.agent, part.options)
    except NimdeskError as error:
        raise PlanError(f"Agent {number}: {error}") from None
    if given := [name for name in part.options if name in _set_by_study(agent)]:
        raise PlanError(
            f"Agent {number} ({part.agent}) has the option {given[0]}, which a study sets itself: the budgets say how "
            "long each search is, and its seed is derived from the plan."
        )
    return agent


def _set_by_study(agent: Agent) -> dict[str, NumberField]:
    """The options that a plan may not give; of a plug-in nobody but itself knows what its options do."""
    own = ("seed",) if isinstance(agent.options, PluginOptions) else (*_LIMITS, "nodes", "time_s", "seed")
    # UCT's “playouts” are a word for how, not a number.
    return {field.name: field for field in agent.info.fields if isinstance(field, NumberField) and field.name in own}


def _position(text: str, number: int) -> AnyPosition:
    try:
        position = parse_position(text)
    except NimdeskError as error:
        raise PlanError(f"Position {number}: {error}") from None
    if position.outcome is not None:
        raise PlanError(f"Position {number}: the game is over in {position.text}; there is nothing to search.")
    return position


def _no_doubles(names: Sequence[str], what: str) -> None:
    for number, name in enumerate(names):
        if name in names[:number]:
            raise PlanError(f"The {what} {name} is there twice; once is enough.")


def agent_label(agent: Agent) -> str:
    """The agent in one word, such as ``uct:exploration=0.5``: its name and the options that are not the default."""
    differing = [f"{name}={_text(value)}" for name, value in agent_part(agent).options.items()]
    return f"{agent.name}:{','.join(differing)}" if differing else agent.name


def _text(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def agent_part(agent: Agent) -> StudyAgent:
    """The agent as a plan has it, without the limits of its own that the budgets replace."""
    options: dict[str, OptionValue] = {
        field.name: value
        for field in agent.info.fields
        if field.name not in _set_by_study(agent) and (value := getattr(agent.options, field.name)) != field.default
    }
    return StudyAgent(agent=agent.name, options=options)


def varied(agent: StudyAgent, option: str, values: Sequence[OptionValue]) -> tuple[StudyAgent, ...]:
    """The agent once for each value of one option, as for a heat map of exploration constant and budget."""
    return tuple(StudyAgent(agent=agent.agent, options={**agent.options, option: value}) for value in values)


def log_budgets(first: int, last: int) -> tuple[int, ...]:
    """The budgets 1, 2, 5, 10, 20, ... from ``first`` to ``last``, and these two."""
    steps = {digit * 10**power for power in range(len(str(last))) for digit in (1, 2, 5)}
    return tuple(sorted({step for step in steps if first < step < last} | {first, last}))


def counts_iterations(agent: Agent) -> bool:
    """Whether a budget is a number of iterations; for agents that have none it is one of nodes, if of anything."""
    return not _set_by_study(agent).keys().isdisjoint(_LIMITS)


def is_deterministic(agent: Agent) -> bool:
    """Whether all seeds give the same search, so that one says everything."""
    return all(field.name != "seed" for field in agent.info.fields)


def limited_agent(agent: Agent, position: AnyPosition, budget: int) -> Agent:
    """The agent whose own limits let it search this position for the whole budget, and no longer."""
    fields = _set_by_study(agent)
    changed: dict[str, OptionValue] = {}
    if "iterations" in fields:
        changed["iterations"] = budget
    if "playouts" in fields:
        changed["playouts"] = -(-budget // len(position.legal_moves))
    if "nodes" in fields:
        changed["nodes"] = budget
    if (seconds := fields.get("time_s")) is not None:
        changed["time_s"] = None if seconds.optional else seconds.maximum
    return make_agent(agent.name, {**msgspec.structs.asdict(agent.options), **changed})
