"""From a plan to its numbered tasks: who plays whom from where, and every seed.

The tasks have numbers from 0 on, the games first, and their order is part of the plan: within a pairing the games come
round by round, each from every position and in both orders, so that any beginning of the row is balanced.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from nimdesk.agents import PUBLISHED, Agent, PluginOptions, make_agent
from nimdesk.errors import NimdeskError, PlanError
from nimdesk.experiments.plan import MAX_TASKS, MatchPart, Plan, PlayerPart
from nimdesk.experiments.statistics import Sprt
from nimdesk.experiments.validation import clause, sentence
from nimdesk.games import AnyPosition, Side, kit_of, parse_position
from nimdesk.search.options import MAX_SEED


@dataclass(frozen=True, slots=True)
class Setting:
    """Games that differ in their seeds alone: who moves first, who second, from which position.

    ``pairing`` numbers the pair of players; ``swapped`` says that its second name moves first. ``games`` are those
    scheduled: one where ``once``, since both players are deterministic and every further game would be the same.
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
    """Two players of a plan who meet; the table's counts and ``sprt`` are from the view of ``players[0]``."""

    index: int
    match: int
    players: tuple[str, str]
    settings: tuple[Setting, ...]
    sprt: Sprt | None


@dataclass(frozen=True, slots=True)
class SearchSetting:
    """Searches that differ in their seeds alone; one where ``once``, since the player is deterministic."""

    index: int
    player: str
    position: str
    repeats: int
    once: bool
    node_limit: int | None


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


Task: TypeAlias = GameTask | SearchTask


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """All that a plan asks for, checked. ``notes`` are sentences about what a reader of the results should know."""

    plan: Plan
    digest: str
    agents: dict[str, Agent]
    positions: dict[str, AnyPosition]
    pairings: tuple[Pairing, ...]
    searches: tuple[SearchSetting, ...]
    tasks: tuple[Task, ...]
    notes: tuple[str, ...]

    def seed(self, task: GameTask, side: Side, ply: int) -> int:
        """The seed of a move: by plan, pairing, position, game, role and ply."""
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

        A random move that would end the game is not played, and where there is no other, the opening ends there.
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
    """The schedule; ``PlanError`` names the field where a player, agent, option or position is not to be had.

    Loads plug-ins that the plan names. Whether an agent can play a game at all shows when it starts.
    """
    agents = {name: _agent(name, part) for name, part in plan.players.items()}
    positions: dict[str, AnyPosition] = {}
    parts = [(f"matches[{i}]", part.players, part.positions) for i, part in enumerate(plan.matches)]
    parts += [(f"searches[{i}]", part.players, part.positions) for i, part in enumerate(plan.searches)]
    for field, names, texts in parts:
        _check_players(f"{field}.players", names, agents)
        for i, text in enumerate(texts):
            positions[text] = _position(f"{field}.positions[{i}]", text)
    if not positions:
        raise PlanError("The plan cannot be used: it has neither “matches” nor “searches”, so there is nothing to do.")
    pairings = tuple(_pairings(plan, agents))
    searches = tuple(_searches(plan, agents))
    wanted = sum(setting.games for pairing in pairings for setting in pairing.settings)
    wanted += sum(setting.repeats for setting in searches)
    if wanted > MAX_TASKS:
        raise PlanError(f"The plan asks for {wanted:,} games and searches; {MAX_TASKS:,} are allowed.")
    tasks = tuple(_tasks(pairings, searches))
    notes = tuple(_notes(agents, positions, pairings, searches))
    return Schedule(plan, plan.digest, agents, positions, pairings, searches, tasks, notes)


def uses_chance(agent: Agent) -> bool:
    """Whether two searches of one position may differ: by a seed that is not fixed."""
    if isinstance(agent.options, PluginOptions):
        return True  # what it makes of its seed is not known
    if getattr(agent.options, "when_lost", "random") != "random":
        return False
    names = {field.name for field in agent.info.fields}
    return "seed" in names and getattr(agent.options, "seed", None) is None


def depends_on_speed(agent: Agent, position: AnyPosition) -> bool:
    """Whether the move depends on how fast the machine is: by a budget in seconds that may be met."""
    if isinstance(agent.options, PluginOptions) or getattr(agent.options, "time_s", None) is None:
        return False
    return agent.name not in ("perfect", "solver") or not kit_of(position).by_formula


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
            from difflib import get_close_matches  # lazy: only a mistake needs it

            near = get_close_matches(name, agents, n=1)
            hint = f"did you mean “{near[0]}”?" if near else f"there are: {', '.join(agents)}."
            raise PlanError(f"The plan cannot be used: in “{field}[{i}]”: there is no player “{name}”; {hint}")


def _position(field: str, text: str) -> AnyPosition:
    try:
        position = parse_position(text)
    except NimdeskError as error:
        raise PlanError(f"The plan cannot be used: in “{field}”: {clause(error)}.") from None
    if position.outcome is not None:
        raise PlanError(f"The plan cannot be used: in “{field}”: the game is over in “{text}”.")
    return position


def _pairs(match: MatchPart) -> Iterator[tuple[str, str]]:
    if match.format == "gauntlet":
        return ((match.players[0], other) for other in match.players[1:])
    return itertools.combinations(match.players, 2)


def _pairings(plan: Plan, agents: dict[str, Agent]) -> Iterator[Pairing]:
    index, pairing = itertools.count(), itertools.count()
    for number, match in enumerate(plan.matches):
        for pair in _pairs(match):
            here = next(pairing)
            # With random openings the games of two deterministic players differ.
            once = not match.opening_plies and not any(uses_chance(agents[name]) for name in pair)
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
            yield Pairing(here, number, pair, settings, match.sprt)


def _searches(plan: Plan, agents: dict[str, Agent]) -> Iterator[SearchSetting]:
    index = itertools.count()
    for part in plan.searches:
        for player in dict.fromkeys(part.players):
            for position in dict.fromkeys(part.positions):
                once = not uses_chance(agents[player])
                yield SearchSetting(next(index), player, position, 1 if once else part.repeats, once, part.node_limit)


def _tasks(pairings: tuple[Pairing, ...], searches: tuple[SearchSetting, ...]) -> Iterator[Task]:
    number = itertools.count()
    for pairing in pairings:
        for game in range(max(setting.games for setting in pairing.settings)):
            for setting in pairing.settings:
                if game < setting.games:
                    yield GameTask(next(number), setting, game)
    for search in searches:
        for repeat in range(search.repeats):
            yield SearchTask(next(number), search, repeat)


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
    timed = [name for name, agent in agents.items() if any(depends_on_speed(agent, p) for p in positions.values())]
    if timed:
        yield f"Not reproducible: how far these players look depends on the machine's speed: {', '.join(timed)}."


def _derived(*parts: object) -> int:
    text = "\n".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) & MAX_SEED
