"""The numbered tasks of a plan: who plays whom from where, who searches what, and every seed.

Tasks are numbered from 0, the games first, and their order is part of the plan. Games of a pairing come in rounds, each
from every position and in both orders, so that any beginning is balanced. Searches of a study come in rounds as well,
so that all curves sharpen together. A task is made from its number on demand, because a plan may have millions.
"""

from __future__ import annotations

import bisect
import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import msgspec

from nimdesk.agents import Agent
from nimdesk.experiments.plan import (
    MAX_BUDGET,
    AtlasPart,
    Milliseconds,
    Plan,
    StudyPart,
)
from nimdesk.experiments.statistics import Sprt
from nimdesk.games import AnyPosition, Side
from nimdesk.search.options import MAX_SEED


@dataclass(frozen=True, slots=True)
class Setting:
    """Games that differ only in their seeds: who moves first, who second, from which position.

    ``pairing`` numbers the pair of players; ``swapped`` says that its second name moves first. ``games`` is the number
    of games: one if ``once``, because both players are deterministic and all games would be the same.
    """

    index: int
    pairing: int
    players: tuple[str, str]
    position: str
    swapped: bool
    games: int
    once: bool
    opening_plies: int


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players of a plan who meet; counts and ``sprt`` are for ``players[0]``. ``first`` is the first task.

    With ``best`` it is only played if ``players[0]`` is among so many who have done best (``MatchPart``).
    """

    index: int
    match: int
    players: tuple[str, str]
    settings: tuple[Setting, ...]
    sprt: Sprt | None
    first: int
    best: int | None = None

    @property
    def tasks(self) -> int:
        """The number of games."""
        return sum(setting.games for setting in self.settings)

    @property
    def paired(self) -> bool:
        """Whether the games come in pairs that differ only in who moves first."""
        return any(setting.swapped for setting in self.settings)


@dataclass(frozen=True, slots=True)
class SearchSetting:
    """Searches that differ only in their seeds; one if ``once``, because the player is deterministic.

    Its ``tasks`` begin with the number ``first``.
    """

    index: int
    player: str
    position: str
    tasks: int
    once: bool
    node_limit: int | None
    first: int


# Tasks are made by the million, structs in a sixth of the time of data classes.
class GameTask(msgspec.Struct, frozen=True):
    """One game: number ``game`` of its setting."""

    number: int
    setting: Setting
    game: int


class SearchTask(msgspec.Struct, frozen=True):
    """One search: number ``repeat`` of its setting."""

    number: int
    setting: SearchSetting
    repeat: int


class StudyTask(msgspec.Struct, frozen=True):
    """One search of a study: the indices of agent and position, and the number of the repetition, from 0."""

    number: int
    agent: int
    position: int
    repeat: int


class AtlasTask(msgspec.Struct, frozen=True):
    """All searches of a position by an agent; both by their indices."""

    number: int
    agent: int
    position: int


Task: TypeAlias = GameTask | SearchTask | StudyTask | AtlasTask


class Study:
    """The searches of a study: every agent searches every position, read at every budget."""

    def __init__(self, part: StudyPart, agents: Sequence[Agent], positions: Sequence[AnyPosition], seed: int) -> None:
        """The agents must have no limits of their own."""
        self.part, self.agents, self.positions = part, tuple(agents), tuple(positions)
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
        return self.agents[task.agent].seed_or(_study_seed(self._seed, self.labels[task.agent], text, task.repeat))

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


class Atlas:
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
        return [agent.seed_or(_study_seed(self._seed, label, text, repeat)) for repeat in range(repeats)]


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """A checked plan with all its tasks. ``notes`` are sentences that a reader of the results should know."""

    plan: Plan
    digest: str
    agents: dict[str, Agent]
    positions: dict[str, AnyPosition]
    pairings: tuple[Pairing, ...]
    searches: tuple[SearchSetting, ...]
    study: Study | None
    atlas: Atlas | None
    total: int
    notes: tuple[str, ...]

    def task(self, number: int) -> Task:
        """The task of this number, from 0 to ``total`` - 1; ``IndexError`` beyond."""
        if not 0 <= number < self.total:
            raise IndexError(number)
        if self.study is not None:
            return self.study.task(number)
        if self.atlas is not None:
            return self.atlas.task(number)
        games = self.searches[0].first if self.searches else self.total
        if number < games:
            pairing = self.pairings[bisect.bisect_right(self.pairings, number, key=_first) - 1]
            game, place = divmod(number - pairing.first, len(pairing.settings))
            return GameTask(number, pairing.settings[place], game)
        search = self.searches[bisect.bisect_right(self.searches, number, key=_first) - 1]
        return SearchTask(number, search, number - search.first)

    def seed(self, task: GameTask, side: Side, ply: int) -> int:
        """The seed of a move: it depends on plan, pairing, position, game, role and ply."""
        setting = task.setting
        return derived_seed(
            self.digest, "move", setting.pairing, setting.position, setting.swapped, task.game, int(side), ply
        )

    def search_seed(self, task: SearchTask) -> int:
        """The seed of a search."""
        setting = task.setting
        return derived_seed(self.digest, "search", setting.player, setting.position, task.repeat)

    def opening(self, task: GameTask) -> AnyPosition:
        """The position in which the players take over: the start, or one after random moves, the same in both orders.

        Random moves never end the game; if every move would, the opening stops before it.
        """
        setting, position = task.setting, self.positions[task.setting.position]
        if not setting.opening_plies:
            return position
        chance = random.Random(derived_seed(self.digest, "opening", setting.pairing, setting.position, task.game))
        for _ in range(setting.opening_plies):
            going_on = [move for move in position.legal_moves if position.play(move).outcome is None]
            if not going_on:
                break
            position = position.play(chance.choice(going_on))
        return position


def _first(part: Pairing | SearchSetting) -> int:
    return part.first


def _study_seed(seed: int, label: str, position: str, repeat: int) -> int:
    key = [seed, label, position, repeat]
    return int.from_bytes(hashlib.sha256(msgspec.json.encode(key)).digest()[:8]) & MAX_SEED


def derived_seed(*parts: object) -> int:
    """A seed that depends on all of these, as they are written."""
    text = "\n".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) & MAX_SEED
