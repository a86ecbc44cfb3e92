"""From a plan to its schedule: players, agents, options and positions are looked up, and all that is wrong is said."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import UNSET

from nimdesk.agents import PUBLISHED, Agent, make_agent
from nimdesk.disk.documents import clause, sentence
from nimdesk.errors import NimdeskError, PlanError, quoted, suggestion
from nimdesk.experiments.plan import (
    MAX_POSITION_LETTERS,
    MAX_SETTINGS,
    MAX_TASKS,
    AtlasPart,
    MatchPart,
    Plan,
    PlayerPart,
    SearchPart,
    StudyPart,
    position_of,
    study_agent,
    study_position,
)
from nimdesk.experiments.schedule import Atlas, Pairing, Schedule, SearchSetting, Setting, Study
from nimdesk.games import AnyPosition


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


def read_positions(plan: Plan) -> Plan:
    """Read the positions of this plan, seconds for a large one, and return it; its schedule then takes a moment.

    They are remembered (``position_of``). What is wrong with the plan is not told here.
    """
    if not plan.atlas:
        with suppress(NimdeskError):
            schedule_of(plan)
    return plan


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
    return Schedule(plan, plan.digest, named, texts, (), (), study, None, total, tuple(_study_notes(study)))


def _study_notes(study: Study) -> Iterator[str]:
    if study.part.unit:
        yield (
            "Not reproducible: budgets are times, and how far a search gets in them depends on the machine's speed and "
            "on what else it does; with as many threads as cores, searches slow each other down."
        )
    places = range(len(study.positions))
    own = [
        label for agent, label in enumerate(study.labels) if any(study.has_own_budget(agent, each) for each in places)
    ]
    if own:
        has = "has a budget of its own" if len(own) == 1 else "have budgets of their own"
        yield f"{', '.join(own)} {has}, which those of the study do not change: the end of each search is read once."


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
            known = {each: quoted(each) for each in agents}
            hint = suggestion(name, known, f"there are: {', '.join(known.values())}.", meaning=known)
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
        position = position_of(text)
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
