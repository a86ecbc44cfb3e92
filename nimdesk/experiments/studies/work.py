"""A study of convergence: the part of a plan that asks for it, its searches, and their results."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from nimdesk.agents import Agent
from nimdesk.errors import NimdeskError
from nimdesk.experiments.budgets import Milliseconds
from nimdesk.experiments.kind import Asked, Trial, Work
from nimdesk.experiments.parts import (
    MAX_BUDGET,
    MAX_STUDY_POSITIONS,
    OWN_BUDGET,
    Budget,
    PositionText,
    Repeats,
    SolverNodes,
)
from nimdesk.experiments.results import Result
from nimdesk.experiments.seeds import study_seed
from nimdesk.games import AnyPosition
from nimdesk.play.schema import Count


class StudyPart(Asked, frozen=True, kw_only=True):
    """Every player of the plan searches every position ``repeats`` times, up to the last of the increasing ``budgets``.

    A budget counts iterations; for agents that search without sampling it counts nodes. With ``unit`` "ms" it is a
    number of milliseconds for all of them, and the results depend on the machine. An agent with a budget of its own
    searches to its own end, and is read once. A player is called by its label
    (agent and options, such as ``uct:exploration=0.5``), from which its seeds are derived. ``solver_nodes`` says how
    many positions the solver may visit to prove a position: seconds would make the result depend on the machine.
    """

    positions: Annotated[list[PositionText], Meta(min_length=1, max_length=MAX_STUDY_POSITIONS)]
    budgets: Annotated[list[Budget], Meta(min_length=1, max_length=200)]
    repeats: Repeats
    solver_nodes: SolverNodes = 5_000_000
    unit: Literal["ms"] | UnsetType = UNSET

    @property
    def is_timed(self) -> bool:
        """Whether its budgets are times."""
        return bool(self.unit)

    def words(self, budget: int | None) -> str:
        """The budget for a person: "10,000", "20 ms", or "own budget" for None."""
        if budget is None:
            return OWN_BUDGET
        return f"{budget:,} ms" if self.unit else f"{budget:,}"


class StudyResult(Result, frozen=True, tag="study", gc=False):
    """One search of a study; columns are those of ``position.legal_moves``.

    ``choices``, ``spent`` and ``visits`` have one entry per budget: the column of the move it would play, the
    iterations (or nodes) done by then, fewer than the budget if nothing was left to search, and the visits of each
    column. ``settled`` is the first checkpoint from which on every choice was optimal, None if the last was not.
    """

    choices: tuple[Count, ...]
    spent: tuple[Count, ...]
    visits: tuple[tuple[Count, ...], ...]
    settled: Count | None


class StudyTask(msgspec.Struct, frozen=True):
    """One search of a study: the indices of agent and position, and the number of the repetition, from 0."""

    number: int
    agent: int
    position: int
    repeat: int


class Study(Work):
    """The searches of a study: every agent searches every position, read at every budget."""

    def __init__(self, part: StudyPart, agents: Sequence[Agent], positions: Sequence[AnyPosition], seed: int) -> None:
        """The agents must have no limits of their own."""
        self.part, self.agents, self.positions = part, tuple(agents), tuple(positions)
        self.notes = tuple(self._notes())
        self._seed = seed
        self._varying = [number for number, agent in enumerate(self.agents) if agent.uses_chance]

    @cached_property
    def budgets(self) -> tuple[int, ...]:
        """In increasing order; ``Milliseconds`` if that is what they are."""
        return Milliseconds(self.part.budgets) if self.part.unit else tuple(self.part.budgets)

    def has_own_budget(self, agent: int, position: int) -> bool:
        """Whether the budgets make no difference to this agent at this position (both by their indices)."""
        return not self.agents[agent].takes_budget(self.positions[position])

    @property
    def unit(self) -> str:
        """What a budget counts: "ms", "iterations", "nodes", or "iterations or nodes"."""
        counts = {each.traits.counts for each in self.agents if any(map(each.takes_budget, self.positions))}
        return "ms" if self.part.unit else " or ".join(sorted(counts)) or "iterations"

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The agents' labels, such as "uct:exploration=0.5"."""
        return tuple(agent.label for agent in self.agents)

    def searches(self, agent: int) -> int:
        """How many times this agent searches each position: once if it does not use chance."""
        return self.part.repeats if agent in self._varying else 1

    @property
    def tasks(self) -> int:
        """The number of all searches."""
        return len(self.positions) * (len(self.agents) + (self.part.repeats - 1) * len(self._varying))

    def task(self, number: int) -> StudyTask:
        """The search of this number: all agents in the first round, those that use chance in the others."""
        first, positions = len(self.agents) * len(self.positions), len(self.positions)
        if number < first:
            return StudyTask(number, number // positions, number % positions, 0)
        done, place = divmod(number - first, len(self._varying) * positions)
        return StudyTask(number, self._varying[place // positions], place % positions, done + 1)

    def number(self, agent: int, position: int, repeat: int) -> int:
        """The number of this search's task."""
        positions = len(self.positions)
        if repeat == 0:
            return agent * positions + position
        rounds = len(self.agents) + (repeat - 1) * len(self._varying)
        return (rounds + self._varying.index(agent)) * positions + position

    def seed(self, task: StudyTask) -> int:
        """The seed of a search: that of its agent, or it depends only on the plan's seed, agent, position and
        repetition, so that a larger study repeats the searches of a smaller one.
        """
        text = self.positions[task.position].text
        return self.agents[task.agent].seed_or(study_seed(self._seed, self.labels[task.agent], text, task.repeat))

    @cached_property
    def _limited(self) -> list[list[Agent]]:
        budget = MAX_BUDGET if self.part.unit else self.budgets[-1]
        return [[agent.with_budget(budget, each) for each in self.positions] for agent in self.agents]

    def limited(self, task: StudyTask) -> Agent:
        """The agent that makes this search, limited to the largest budget unless that is a time."""
        return self._limited[task.agent][task.position]

    def seeded(self, task: StudyTask) -> Agent:
        """The agent with limit and seed in its options, which makes the identical search."""
        agent = self.limited(task)
        return agent.with_seed(self.seed(task)) if agent.uses_chance else agent

    def _notes(self) -> Iterator[str]:
        if self.part.unit:
            yield (
                "Not reproducible: budgets are times, and how far a search gets in them depends on the machine's speed "
                "and on what else it does; with as many threads as cores, searches slow each other down."
            )
        places = range(len(self.positions))
        own = [
            label for agent, label in enumerate(self.labels) if any(self.has_own_budget(agent, each) for each in places)
        ]
        if own:
            has = "has a budget of its own" if len(own) == 1 else "have budgets of their own"
            words = "which those of the study do not change: the end of each search is read once."
            yield f"{', '.join(own)} {has}, {words}"

    def trials(self) -> Iterator[Trial]:
        """Every agent at every position."""
        for agent, position in itertools.product(self.agents, self.positions):
            yield agent.label, position.text, agent, position

    def refusal(self, name: str, text: str, error: NimdeskError) -> NimdeskError:
        """As the agent says it: who asks for a study has written no document."""
        return error
