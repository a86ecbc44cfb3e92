"""What all kinds of experiments share of a plan: players, positions, bounds, and how their names are looked up."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from nimdesk.agents import Agent, OptionValue, make_agent
from nimdesk.errors import NimdeskError, PlanError
from nimdesk.games import AnyPosition, parse_position
from nimdesk.search.options import MAX_SEED

MAX_TASKS = 10_000_000
MAX_SETTINGS = 100_000
"""How many pairs of players and positions, or players and positions, there may be: each has its row in the tables."""
MAX_POSITION_LETTERS = 300_000
"""In all positions of a plan together."""
MAX_POSITIONS = 1_000
MAX_STUDY_POSITIONS = 100
MAX_LETTERS = 2_000
MAX_REPEATS = 1_000_000
MAX_BUDGET = 100_000_000
OWN_BUDGET = "own budget"
"""What an agent has that takes none from outside (``Agent.takes_budget``)."""
# Within this limit the solver's table never grows, so its answer cannot depend on the machine's speed.
MAX_TRUTH_NODES = 4_000

Text = Annotated[str, Meta(max_length=2_000)]
PlayerName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=400,
        # No control characters: they would end the row of a table, or tell a terminal what to do.
        pattern=r"^[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f\u2028\u2029]*$(?!\n)",
        description="a name without a space in front, on one line",
    ),
]
PlanName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=60,
        pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$(?!\n)",
        description="a name of letters a to z and digits with single hyphens, such as tic-tac-toe",
    ),
]
PositionText = Annotated[str, Meta(min_length=1, max_length=MAX_LETTERS)]
Repeats = Annotated[int, Meta(ge=1, le=MAX_REPEATS)]
Budget = Annotated[int, Meta(ge=1, le=MAX_BUDGET)]
SolverNodes = Annotated[int, Meta(ge=1, le=1_000_000_000)]


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all parts: a field that this version does not know is an error, not a silent loss."""


class PlayerPart(Part, frozen=True, kw_only=True):
    """An agent of the catalogue, or a published one such as ``uct-002``, with options over its own."""

    agent: Annotated[str, Meta(min_length=1, max_length=80)]
    options: dict[str, int | float | bool | str | None] = {}


class Head(Part, frozen=True, kw_only=True):
    """What a plan has whatever it asks for."""

    format: Literal["nimdesk-plan"]
    version: Literal[1]
    name: PlanName
    title: Text = ""
    about: Text = ""
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] = 0
    truth_nodes: Annotated[int, Meta(ge=0, le=MAX_TRUTH_NODES)] = MAX_TRUTH_NODES
    players: Annotated[dict[PlayerName, PlayerPart], Meta(min_length=1, max_length=100)]


def study_agent(part: PlayerPart, number: int) -> Agent:
    """The agent of a study; ``PlanError`` for one with an option that the study sets itself."""
    try:
        agent = make_agent(part.agent, part.options)
    except NimdeskError as error:
        raise PlanError(f"Agent {number}: {error}") from None
    if given := [name for name in part.options if name in set_by_study(agent)]:
        raise PlanError(
            f"Agent {number} ({part.agent}) has the option {given[0]}, which a study sets itself: the budgets say how "
            "long each search is, and its seed is derived from the plan."
        )
    return agent


def set_by_study(agent: Agent) -> frozenset[str]:
    """The options that a study sets itself: the seed and what ends a search."""
    return agent.traits.limits | set(filter(None, [agent.traits.seed]))


@lru_cache(maxsize=MAX_POSITIONS + 24)
def position_of(text: str) -> AnyPosition:
    """``parse_position``, which remembers as many as a plan may name: who edits a plan changes one line at a time."""
    return parse_position(text)


def check_different(what: str, names: Sequence[str]) -> None:
    """``PlanError`` for a name that is there twice."""
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        raise PlanError(f"The {what} {twice} is there twice; once is enough.")


def study_position(text: str, number: int) -> AnyPosition:
    """The position of a study; ``PlanError`` if there is nothing to search."""
    try:
        position = position_of(text)
    except NimdeskError as error:
        raise PlanError(f"Position {number}: {error}") from None
    if position.outcome is not None:
        raise PlanError(f"Position {number}: the game is over in {position.text}; there is nothing to search.")
    return position


def varied(agent: PlayerPart, option: str, values: Sequence[OptionValue]) -> list[PlayerPart]:
    """The agent once for each value of one option, as for a heat map of exploration constant and budget."""
    return [PlayerPart(agent=agent.agent, options={**agent.options, option: value}) for value in values]


def check_budgets(budgets: Sequence[int]) -> None:
    """``PlanError`` unless they increase."""
    if any(later <= earlier for earlier, later in itertools.pairwise(budgets)):
        raise PlanError(f"The budgets must increase, each only once; they are {', '.join(map(str, budgets))}.")
