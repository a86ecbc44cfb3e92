"""From a plan to its numbered tasks: who plays whom from where, who searches what, and every seed.

Tasks are numbered from 0, the games first, and their order is part of the plan. Games of a pairing come in rounds, each
from every position and in both orders, so that any beginning is balanced. Searches of a study come in rounds as well,
so that all curves sharpen together. A task is made from its number on demand, because a plan may have millions.
"""

from __future__ import annotations

import bisect
import hashlib
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import msgspec
from msgspec import UNSET

from nimdesk.agents import PUBLISHED, Agent, make_agent
from nimdesk.documents import clause, sentence
from nimdesk.errors import NimdeskError, PlanError, suggestion
from nimdesk.experiments.plan import (
    MAX_BUDGET,
    MAX_POSITION_LETTERS,
    MAX_SETTINGS,
    MAX_TASKS,
    AtlasPart,
    MatchPart,
    Milliseconds,
    Plan,
    PlayerPart,
    SearchPart,
    StudyPart,
    study_agent,
    study_position,
)
from nimdesk.experiments.statistics import Sprt
from nimdesk.games import AnyPosition, Side, parse_position
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


@dataclass(frozen=True, slots=True)
class GameTask:
    """One game: number ``game`` of its setting."""

    number: int
    setting: Setting
    game: int


@dataclass(frozen=True, slots=True)
class SearchTask:
    """One search: number ``repeat`` of its setting."""

    number: int
    setting: SearchSetting
    repeat: int


@dataclass(frozen=True, slots=True)
class StudyTask:
    """One search of a study: the indices of agent and position, and the number of the repetition, from 0."""

    number: int
    agent: int
    position: int
    repeat: int


@dataclass(frozen=True, slots=True)
class AtlasTask:
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

    @property
    def unit(self) -> str:
        """What a budget counts: "ms", "iterations", "nodes", or "iterations or nodes"."""
        return "ms" if self.part.unit else " or ".join(sorted({agent.traits.counts for agent in self.agents}))

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
        """The seed of a search: it depends only on the plan's seed, agent, position and repetition.

        So a larger study repeats the searches of a smaller one.
        """
        return _study_seed(self._seed, self.labels[task.agent], self.positions[task.position].text, task.repeat)

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
        return [_study_seed(self._seed, self.labels[task.agent], text, repeat) for repeat in range(repeats)]


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
        return _derived(
            self.digest, "move", setting.pairing, setting.position, setting.swapped, task.game, int(side), ply
        )

    def search_seed(self, task: SearchTask) -> int:
        """The seed of a search."""
        setting = task.setting
        return _derived(self.digest, "search", setting.player, setting.position, task.repeat)

    def opening(self, task: GameTask) -> AnyPosition:
        """The position in which the players take over: the start, or one after random moves, the same in both orders.

        Random moves never end the game; if every move would, the opening stops before it.
        """
        setting, position = task.setting, self.positions[task.setting.position]
        if not setting.opening_plies:
            return position
        chance = random.Random(_derived(self.digest, "opening", setting.pairing, setting.position, task.game))
        for _ in range(setting.opening_plies):
            going_on = [move for move in position.legal_moves if position.play(move).outcome is None]
            if not going_on:
                break
            position = position.play(chance.choice(going_on))
        return position


def schedule_of(plan: Plan) -> Schedule:
    """The schedule; ``PlanError`` names the field with a player, agent, option or position that does not exist.

    Loads plug-ins that the plan names. Whether an agent can play a game shows only when it starts.
    """
    if plan.study:
        return _study_schedule(plan, plan.study)
    if plan.atlas:
        return _atlas_schedule(plan, plan.atlas)
    _check_size(plan)
    agents = {name: _agent(name, part) for name, part in plan.players.items()}
    positions: dict[str, AnyPosition] = {}
    parts = [(f"matches[{i}]", part.players, part.positions) for i, part in enumerate(plan.matches)]
    parts += [(f"searches[{i}]", part.players, part.positions) for i, part in enumerate(plan.searches)]
    for i, match in enumerate(plan.matches):
        _check_best(plan.matches[:i], match, f"matches[{i}]")
        if match.sprt is not None and match.sprt.unit == "pairs" and not match.swap:
            raise PlanError(
                f"The plan cannot be used: in “matches[{i}]”: a test of pairs of games needs “swap”, so that each pair "
                "has both roles."
            )
    for field, names, texts in parts:
        _check_players(f"{field}.players", names, agents)
        for i, text in enumerate(texts):
            positions[text] = _position(f"{field}.positions[{i}]", text)
    if not positions:
        raise PlanError(
            "The plan cannot be used: it has no “matches”, “searches”, “study” or “atlas”, so there is nothing to do."
        )
    pairings = tuple(_pairings(plan, agents))
    games = sum(pairing.tasks for pairing in pairings)
    searches = tuple(_searches(plan, agents, games))
    total = _allowed(games + sum(setting.tasks for setting in searches))
    notes = tuple(_notes(agents, positions, pairings, searches))
    return Schedule(plan, plan.digest, agents, positions, pairings, searches, None, None, total, notes)


def _study_schedule(plan: Plan, part: StudyPart) -> Schedule:
    if plan.matches or plan.searches:
        raise PlanError("The plan cannot be used: it has a “study”; “matches” and “searches” need a plan of their own.")
    agents = _labelled_agents(plan)
    positions = [study_position(text, number) for number, text in enumerate(part.positions, 1)]
    _check_budgets(part.budgets)
    study = Study(part, agents, positions, plan.seed)
    total = _allowed(study.tasks)
    texts = dict(zip(part.positions, positions, strict=True))
    named = dict(zip(plan.players, agents, strict=True))
    timed = (
        "Not reproducible: budgets are times, and how far a search gets in them depends on the machine's speed and on "
        "what else it does; with as many threads as cores, searches slow each other down.",
    )
    return Schedule(plan, plan.digest, named, texts, (), (), study, None, total, timed if part.unit else ())


def _atlas_schedule(plan: Plan, part: AtlasPart) -> Schedule:
    if plan.matches or plan.searches:
        raise PlanError(
            "The plan cannot be used: it has an “atlas”; “matches” and “searches” need a plan of their own."
        )
    agents = _labelled_agents(plan)
    _check_budgets(part.budgets)
    from nimdesk.experiments.positions import different_positions  # lazy: loads numba

    atlas = Atlas(part, agents, different_positions(part.sets), plan.seed)
    named = dict(zip(plan.players, agents, strict=True))
    return Schedule(plan, plan.digest, named, {}, (), (), None, atlas, _allowed(atlas.tasks), ())


def _labelled_agents(plan: Plan) -> list[Agent]:
    """The agents of a study or an atlas, where each is called by its label."""
    agents = [study_agent(player, number) for number, player in enumerate(plan.players.values(), 1)]
    for name, agent in zip(plan.players, agents, strict=True):
        if name != agent.label:
            what = "a study" if plan.study else "an atlas"
            raise PlanError(
                f"The plan cannot be used: in “players[{name}]”: in {what} it must be called “{agent.label}”."
            )
    return agents


def _check_budgets(budgets: Sequence[int]) -> None:
    if any(later <= earlier for earlier, later in itertools.pairwise(budgets)):
        raise PlanError(f"The budgets must increase, each only once; they are {', '.join(map(str, budgets))}.")


def _allowed(total: int) -> int:
    if total > MAX_TASKS:
        raise PlanError(f"The plan asks for {total:,} games and searches; {MAX_TASKS:,} are allowed.")
    return total


def _check_size(plan: Plan) -> None:
    """``PlanError`` for a plan whose tables nobody would see the end of; before anything of them is made."""
    parts: list[MatchPart | SearchPart] = [*plan.matches, *plan.searches]
    letters = sum(len(text) for part in parts for text in part.positions)
    if letters > MAX_POSITION_LETTERS:
        raise PlanError(f"The positions of the plan have {letters:,} letters; {MAX_POSITION_LETTERS:,} are allowed.")
    settings = sum(_ways(part) * len(part.positions) for part in parts)
    if settings > MAX_SETTINGS:
        raise PlanError(f"The plan combines players and positions in {settings:,} ways; {MAX_SETTINGS:,} are allowed.")


def _ways(part: MatchPart | SearchPart) -> int:
    """How often each position comes up with other players."""
    players = len(part.players)
    if isinstance(part, SearchPart):
        return players
    pairs = players - 1 if part.format == "gauntlet" else players * (players - 1) // 2
    return pairs * (1 + part.swap)


def _first(part: Pairing | SearchSetting) -> int:
    return part.first


def _agent(name: str, part: PlayerPart) -> Agent:
    try:
        if part.agent in PUBLISHED:
            published = PUBLISHED[part.agent]
            return make_agent(published.agent_name, {**published.options, **part.options})
        return make_agent(part.agent, part.options)
    except NimdeskError as error:
        raise PlanError(sentence(f"The plan cannot be used: in “players[{name}]”: {clause(error)}")) from None


def _check_players(field: str, names: list[str], agents: dict[str, Agent]) -> None:
    for i, name in enumerate(names):
        if name not in agents:
            hint = suggestion(name, agents)
            raise PlanError(f"The plan cannot be used: in “{field}[{i}]”: there is no player “{name}”; {hint}")


def _check_best(before: list[MatchPart], match: MatchPart, field: str) -> None:
    if match.best is UNSET:
        return
    if match.format != "gauntlet":
        raise PlanError(f"The plan cannot be used: in “{field}”: “best” needs the format “gauntlet”.")
    if len(set(match.players)) != len(match.players):
        raise PlanError(f"The plan cannot be used: in “{field}”: with “best” each player is named once.")
    earlier = [part for part in before if part.best]
    if any(part.players != match.players for part in earlier):
        raise PlanError(f"The plan cannot be used: in “{field}”: all parts with “best” need the same “players”.")
    if not earlier and match.best < len(match.players) - 1:
        raise PlanError(
            f"The plan cannot be used: in “{field}”: in the first part with “best” all {len(match.players) - 1} of the "
            "others must play; nothing is known of them before."
        )


def _position(field: str, text: str) -> AnyPosition:
    try:
        position = parse_position(text)
    except NimdeskError as error:
        raise PlanError(sentence(f"The plan cannot be used: in “{field}”: {clause(error)}")) from None
    if position.outcome is not None:
        raise PlanError(f"The plan cannot be used: in “{field}”: the game is over in “{text}”.")
    return position


def _pairs(match: MatchPart) -> Iterator[tuple[str, str]]:
    if match.best:
        return ((other, match.players[0]) for other in match.players[1:])
    if match.format == "gauntlet":
        return ((match.players[0], other) for other in match.players[1:])
    return itertools.combinations(match.players, 2)


def _pairings(plan: Plan, agents: dict[str, Agent]) -> Iterator[Pairing]:
    index, pairing, first = itertools.count(), itertools.count(), 0
    for number, match in enumerate(plan.matches):
        for pair in _pairs(match):
            here = next(pairing)
            # With random openings the games of two deterministic players differ.
            once = not match.opening_plies and not any(agents[name].uses_chance for name in pair)
            settings = tuple(
                Setting(
                    next(index),
                    here,
                    (pair[1], pair[0]) if swapped else pair,
                    position,
                    swapped,
                    1 if once else match.games,
                    once,
                    match.opening_plies,
                )
                for position in dict.fromkeys(match.positions)
                for swapped in ((False, True) if match.swap else (False,))
            )
            made = Pairing(here, number, pair, settings, match.sprt, first, match.best or None)
            first += made.tasks
            yield made


def _searches(plan: Plan, agents: dict[str, Agent], first: int) -> Iterator[SearchSetting]:
    index = itertools.count()
    for part in plan.searches:
        for player in dict.fromkeys(part.players):
            for position in dict.fromkeys(part.positions):
                once = not agents[player].uses_chance
                repeats = 1 if once else part.repeats
                yield SearchSetting(next(index), player, position, repeats, once, part.node_limit, first)
                first += repeats


def _notes(
    agents: dict[str, Agent],
    positions: dict[str, AnyPosition],
    pairings: tuple[Pairing, ...],
    searches: tuple[SearchSetting, ...],
) -> Iterator[str]:
    for pairing in pairings:
        if pairing.settings[0].once:
            yield (
                f"{pairing.players[0]} and {pairing.players[1]} are deterministic: all their games from one position "
                "are the same game, which is played once. Random opening moves would vary them."
            )
    for player in dict.fromkeys(search.player for search in searches if search.once):
        yield f"{player} is deterministic: each of its searches is done once."
    timed = [name for name, agent in agents.items() if any(agent.depends_on_speed(p) for p in positions.values())]
    if timed:
        yield f"Not reproducible: how far these players look depends on the machine's speed: {', '.join(timed)}."


def _study_seed(seed: int, label: str, position: str, repeat: int) -> int:
    key = [seed, label, position, repeat]
    return int.from_bytes(hashlib.sha256(msgspec.json.encode(key)).digest()[:8]) & MAX_SEED


def _derived(*parts: object) -> int:
    text = "\n".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) & MAX_SEED
