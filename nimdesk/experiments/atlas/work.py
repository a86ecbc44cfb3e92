"""An atlas of convergence: the part of a plan that asks for it, its tasks, and their results."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from nimdesk.agents import Agent
from nimdesk.experiments.kind import Asked, Trial, Work
from nimdesk.experiments.parts import Budget, Part, PositionText, SolverNodes
from nimdesk.experiments.results import Result, ShortText
from nimdesk.experiments.seeds import study_seed
from nimdesk.games import AnyPosition
from nimdesk.play.schema import Count


class AtlasSet(Part, frozen=True, kw_only=True):
    """All essentially different positions up to ``plies`` moves after one of the ``starts``, which may be many."""

    starts: Annotated[list[PositionText], Meta(min_length=1, max_length=10_000)]
    plies: Annotated[int, Meta(ge=0, le=100)] = 0


class AtlasPart(Asked, frozen=True, kw_only=True):
    """Every player of the plan searches every position of the ``sets`` ``repeats`` times, up to the last budget.

    Players, budgets and ``solver_nodes`` are as in a study, and so are the seeds: a study repeats the same searches.
    """

    sets: Annotated[list[AtlasSet], Meta(min_length=1, max_length=100)]
    budgets: Annotated[list[Budget], Meta(min_length=1, max_length=100)]
    repeats: Annotated[int, Meta(ge=1, le=100_000)]
    solver_nodes: SolverNodes = 50_000_000

    @property
    def texts(self) -> list[str]:
        """The starts of all sets."""
        return [text for part in self.sets for text in part.starts]


# There are thousands of them in a file, most of which would be names.
_SHORT = {"value": "v", "moves": "m", "best": "b", "searches": "n", "optimal": "o"}
_SHORT |= {"regret": "r", "settled": "s", "wrong": "w", "plies": "p"}


class AtlasResult(
    Result,
    frozen=True,
    tag="atlas",
    kw_only=True,
    rename=_SHORT,
    omit_defaults=True,
    gc=False,
):
    """All searches of a position by an agent, added up. ``value`` is that of the position for the side to move.

    ``best`` of the ``moves`` are optimal. If all are, there is nothing to choose, and no search: the rest is empty.
    ``optimal``, ``regret`` and ``settled`` have one entry per budget: how many of the ``searches`` chose an optimal
    move, the sum of their regrets in half points, and how many chose optimally at this and all later budgets. ``wrong``
    is the move that was chosen most often of those that are not optimal, and ``plies`` how long the game lasts after it
    (with it), as far as proven.
    """

    value: Literal["win", "draw", "loss"]
    moves: Count
    best: Count
    searches: Count = 0
    optimal: tuple[Count, ...] = ()
    regret: tuple[Count, ...] = ()
    settled: tuple[Count, ...] = ()
    wrong: ShortText = ""
    plies: Count | None = None


class AtlasTask(msgspec.Struct, frozen=True):
    """All searches of a position by an agent; both by their indices."""

    number: int
    agent: int
    position: int


class Atlas(Work):
    """The searches of an atlas: every agent searches every position; the searches of both are one task."""

    def __init__(self, part: AtlasPart, agents: Sequence[Agent], positions: Sequence[AnyPosition], seed: int) -> None:
        self.part, self.agents, self.positions = part, tuple(agents), tuple(positions)
        self.labels = tuple(agent.label for agent in self.agents)
        self.budgets = tuple(part.budgets)
        self._seed = seed

    @property
    def tasks(self) -> int:
        """The number of pairs of agent and position."""
        return len(self.positions) * len(self.agents)

    def task(self, number: int) -> AtlasTask:
        """The task of this number: all agents of a position, one after the other."""
        position, agent = divmod(number, len(self.agents))
        return AtlasTask(number, agent, position)

    def seeds(self, task: AtlasTask) -> list[int]:
        """The seed of each search, those of a study; one search says all of an agent that does not use chance."""
        agent, text = self.agents[task.agent], self.positions[task.position].text
        repeats = self.part.repeats if agent.uses_chance else 1
        label = self.labels[task.agent]
        return [agent.seed_or(study_seed(self._seed, label, text, repeat)) for repeat in range(repeats)]

    def trials(self) -> Iterator[Trial]:
        """Every agent at every position."""
        for agent, position in itertools.product(self.agents, self.positions):
            yield agent.label, position.text, agent, position
