"""A plan: one JSON document that determines every result of an experiment.

``players`` names configured agents. A plan is one of three things. Either it plays and searches: ``matches`` are
tournaments between players, ``searches`` repeat the search of one position many times. Or it is a ``study`` of
convergence: each search is read at several budgets, and its choices are compared with the truth. Or it is an ``atlas``,
which does the same for thousands of positions, and keeps sums in place of the searches. All seeds come from
the plan (``schedule``), none from a clock, so that the same plan gives the same results with any number of workers in
any order, as long as no player's budget is a time.

The schema is published as ``resources/plan.schema.json``; ``json_schema`` makes it. A study may also be written in the
short form of ``StudyForm``, published as ``resources/study.schema.json``:

    {"format": "nimdesk-study", "version": 1,
     "agents": [{"agent": "uct"}, {"agent": "uct", "options": {"exploration": 0.5}}],
     "positions": ["nim:3,4,5"], "budgets": [100, 500, 2000], "seeds": 200, "seed": 0, "solver_nodes": 5000000}
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from nimdesk.agents import PUBLISHED, Agent, agent_info, make_agent
from nimdesk.agents.fields import real_field, whole_field
from nimdesk.disk.atomic import os_error_words, read_bounded
from nimdesk.disk.documents import MAX_BYTES, DocumentFaultError, check_header, format_of, parsed, schema_of, sentence
from nimdesk.errors import NimdeskError, OptionError, PlanError, quoted
from nimdesk.experiments.statistics import Sprt
from nimdesk.games import AnyPosition, parse_position
from nimdesk.search.options import MAX_SEED

FORMAT: Literal["nimdesk-plan"] = "nimdesk-plan"
STUDY_FORMAT: Literal["nimdesk-study"] = "nimdesk-study"
VERSION: Literal[1] = 1
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

OptionValue = int | float | str | bool | None
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
Count = Annotated[int, Meta(ge=1, le=MAX_REPEATS)]
Budget = Annotated[int, Meta(ge=1, le=MAX_BUDGET)]
SolverNodes = Annotated[int, Meta(ge=1, le=1_000_000_000)]


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all parts: a field that this version does not know is an error, not a silent loss."""


class PlayerPart(_Part, frozen=True, kw_only=True):
    """An agent of the catalogue, or a published one such as ``uct-002``, with options over its own."""

    agent: Annotated[str, Meta(min_length=1, max_length=80)]
    options: dict[str, int | float | bool | str | None] = {}


class MatchPart(_Part, frozen=True, kw_only=True):
    """Games between two or more players: each with each (``round-robin``), or the first with each other (``gauntlet``).

    From every position, ``games`` games in each order: with ``swap`` as many again with the roles exchanged. The first
    ``opening_plies`` moves are random, the same ones for both orders. ``sprt`` ends a pairing early; its Elo is that of
    the player named first. A player may be named twice, to play itself.

    With ``best`` it is a gauntlet in which only so many of the others play, those who did best against the first in all
    parts before that have it; counts and ``sprt`` are then for the others. So a sequence of such parts is successive
    halving: many games for the good ones, few for the bad.
    """

    players: Annotated[list[PlayerName], Meta(min_length=2, max_length=64)]
    format: Literal["round-robin", "gauntlet"] = "round-robin"
    positions: Annotated[list[PositionText], Meta(min_length=1, max_length=MAX_POSITIONS)]
    games: Count
    swap: bool = True
    opening_plies: Annotated[int, Meta(ge=0, le=100)] = 0
    sprt: Sprt | None = None
    best: Annotated[int, Meta(ge=1, le=64)] | UnsetType = UNSET


class SearchPart(_Part, frozen=True, kw_only=True):
    """Every player searches every position ``repeats`` times; a search ends at ``node_limit``, if there is one."""

    players: Annotated[list[PlayerName], Meta(min_length=1, max_length=64)]
    positions: Annotated[list[PositionText], Meta(min_length=1, max_length=MAX_POSITIONS)]
    repeats: Count
    node_limit: Annotated[int, Meta(ge=1, le=10**12)] | None = None


class StudyPart(_Part, frozen=True, kw_only=True):
    """Every player of the plan searches every position ``repeats`` times, up to the last of the increasing ``budgets``.

    A budget counts iterations; for agents that search without sampling it counts nodes. With ``unit`` "ms" it is a
    number of milliseconds for all of them, and the results depend on the machine. An agent with a budget of its own
    searches to its own end, and is read once. A player is called by its label
    (agent and options, such as ``uct:exploration=0.5``), from which its seeds are derived. ``solver_nodes`` says how
    many positions the solver may visit to prove a position: seconds would make the result depend on the machine.
    """

    positions: Annotated[list[PositionText], Meta(min_length=1, max_length=MAX_STUDY_POSITIONS)]
    budgets: Annotated[list[Budget], Meta(min_length=1, max_length=200)]
    repeats: Count
    solver_nodes: SolverNodes = 5_000_000
    unit: Literal["ms"] | UnsetType = UNSET

    def words(self, budget: int | None) -> str:
        """The budget for a person: "10,000", "20 ms", or "own budget" for None."""
        if budget is None:
            return OWN_BUDGET
        return f"{budget:,} ms" if self.unit else f"{budget:,}"


class Milliseconds(tuple[int, ...]):
    """Budgets of time."""

    __slots__ = ()


class AtlasSet(_Part, frozen=True, kw_only=True):
    """All essentially different positions up to ``plies`` moves after one of the ``starts``, which may be many."""

    starts: Annotated[list[PositionText], Meta(min_length=1, max_length=10_000)]
    plies: Annotated[int, Meta(ge=0, le=100)] = 0


class AtlasPart(_Part, frozen=True, kw_only=True):
    """Every player of the plan searches every position of the ``sets`` ``repeats`` times, up to the last budget.

    Players, budgets and ``solver_nodes`` are as in a study, and so are the seeds: a study repeats the same searches.
    """

    sets: Annotated[list[AtlasSet], Meta(min_length=1, max_length=100)]
    budgets: Annotated[list[Budget], Meta(min_length=1, max_length=100)]
    repeats: Annotated[int, Meta(ge=1, le=100_000)]
    solver_nodes: SolverNodes = 50_000_000


class Plan(_Part, frozen=True, kw_only=True):
    """The whole document. ``name``, ``title`` and ``about`` are for people; all else determines the results.

    ``truth_nodes`` bounds the proof of each position of an m,n,k game, by which moves are judged; 0: no proofs. Nim
    needs none.
    """

    format: Literal["nimdesk-plan"]
    version: Literal[1]
    name: PlanName
    title: Text = ""
    about: Text = ""
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] = 0
    truth_nodes: Annotated[int, Meta(ge=0, le=MAX_TRUTH_NODES)] = MAX_TRUTH_NODES
    players: Annotated[dict[PlayerName, PlayerPart], Meta(min_length=1, max_length=100)]
    matches: list[MatchPart] = []
    searches: list[SearchPart] = []
    study: StudyPart | UnsetType = UNSET
    atlas: AtlasPart | UnsetType = UNSET

    @property
    def digest(self) -> str:
        """64 hexadecimal digits that identify what determines the results, whatever the plan is called."""
        if study := self.study:
            # A label contains all that matters of an agent; this form is older than studies in plans.
            rest = [study.budgets, study.repeats, self.seed, study.solver_nodes, *([study.unit] if study.unit else [])]
            named = msgspec.json.encode([VERSION, list(self.players), study.positions, rest])
        else:
            nameless = msgspec.structs.replace(self, name="plan", title="", about="")
            named = msgspec.json.encode(nameless, order="deterministic")
        return hashlib.sha256(named).hexdigest()

    @property
    def editions(self) -> dict[str, int]:
        """The edition of the rules of each agent, by its name; the agents must all be known."""
        names = (
            PUBLISHED[part.agent].agent_name if part.agent in PUBLISHED else part.agent
            for part in self.players.values()
        )
        return {name: agent_info(name).edition for name in sorted(set(names))}

    @property
    def repeats(self) -> int:
        """The number of games, or searches, in its first part."""
        parts = [*(part.games for part in self.matches), *(part.repeats for part in self.searches)]
        wide = self.study or self.atlas
        return wide.repeats if wide else parts[0]

    def repeated(self, number: int) -> Plan:
        """The same plan with this number of games in each match, and of searches."""
        change = msgspec.structs.replace
        return change(
            self,
            matches=[change(part, games=number) for part in self.matches],
            searches=[change(part, repeats=number) for part in self.searches],
            study=change(self.study, repeats=number) if self.study else UNSET,
            atlas=change(self.atlas, repeats=number) if self.atlas else UNSET,
        )

    def to_json(self) -> bytes:
        """The document, indented; ``plan_from_json`` reads it back."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"


class StudyForm(_Part, frozen=True, kw_only=True):
    """A study in its short form: agents of the catalogue with the options that differ from their defaults.

    ``seeds`` says how many searches there are of each position by each agent, ``seed`` is what theirs are derived from.
    """

    format: Literal["nimdesk-study"] = STUDY_FORMAT
    version: Literal[1] = VERSION
    agents: Annotated[list[PlayerPart], Meta(min_length=1, max_length=100)]
    positions: Annotated[list[PositionText], Meta(min_length=1, max_length=MAX_STUDY_POSITIONS)]
    budgets: Annotated[list[Budget], Meta(min_length=1, max_length=200)]
    seeds: Count
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] = 0
    solver_nodes: SolverNodes = 5_000_000


def plan_from_json(data: bytes, where: str = "The plan") -> Plan:
    """The plan of a well-formed document; ``PlanError`` with the path of the bad field.

    ``schedule.schedule_of`` checks whether players, games and agents exist. ``where`` begins the sentence.
    """
    try:
        if format_of(data) != STUDY_FORMAT:
            check_header(data, FORMAT, VERSION, "plan")
            return parsed(data, Plan)
        check_header(data, STUDY_FORMAT, VERSION, "study")
        form = parsed(data, StudyForm)
    except DocumentFaultError as fault:
        raise PlanError(sentence(f"{where} cannot be used: {fault}")) from None
    return study_plan(form.agents, form.positions, form.budgets, form.seeds, form.seed, form.solver_nodes)


def load_plan(path: Path) -> Plan:
    """The plan in a file; ``PlanError`` if there is none."""
    try:
        data = read_bounded(path, MAX_BYTES[FORMAT])
    except (OSError, ValueError) as error:
        raise PlanError(f"The plan “{path}” cannot be opened: {os_error_words(error)}.") from error
    return plan_from_json(data, f"The plan “{path.name}”")


def new_plan(name: str, players: Mapping[str, PlayerPart], **parts: Any) -> Plan:
    """A plan of this version, checked like a document."""
    try:
        plan = Plan(format=FORMAT, version=VERSION, name=name, players=dict(players), **parts)
    except ValueError as error:
        raise PlanError(f"The plan cannot be used: {error}.") from None
    return plan_from_json(msgspec.json.encode(plan))


def study_plan(
    agents: Iterable[PlayerPart],
    positions: Iterable[str],
    budgets: Sequence[int],
    repeats: int,
    seed: int = 0,
    solver_nodes: int = 5_000_000,
) -> Plan:
    """The plan of a study; ``PlanError`` for an agent or position that does not exist, or is named twice.

    ``budgets`` are numbers of iterations or nodes, unless they are ``Milliseconds``.
    """
    labels = [study_agent(part, number).label for number, part in enumerate(agents, 1)]
    texts = [study_position(text, number).text for number, text in enumerate(positions, 1)]
    for what, names in (("agent", labels), ("position", texts)):
        twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
        if twice is not None:
            raise PlanError(f"The {what} {twice} is there twice; once is enough.")
    unit: Literal["ms"] | UnsetType = "ms" if isinstance(budgets, Milliseconds) else UNSET
    part = StudyPart(positions=texts, budgets=list(budgets), repeats=repeats, solver_nodes=solver_nodes, unit=unit)
    return new_plan("study", dict(zip(labels, agents, strict=True)), seed=seed, study=part)


def atlas_plan(
    name: str,
    agents: Iterable[PlayerPart],
    sets: Sequence[AtlasSet],
    budgets: Sequence[int],
    repeats: int,
    seed: int = 0,
) -> Plan:
    """The plan of an atlas; ``PlanError`` for an agent that does not exist, is named twice, or takes no budget."""
    parts = list(agents)
    searching = [study_agent(part, number) for number, part in enumerate(parts, 1)]
    labels = [agent.label for agent in searching]
    starts = list(map(position_of, dict.fromkeys(each.starts[0] for each in sets)))
    if own := next((agent.label for agent in searching if not all(map(agent.takes_budget, starts))), ""):
        raise PlanError(f"The agent {own} has a budget of its own; an atlas reads each search at the atlas's budgets.")
    twice = next((label for number, label in enumerate(labels) if label in labels[:number]), None)
    if twice is not None:
        raise PlanError(f"The agent {twice} is there twice; once is enough.")
    part = AtlasPart(sets=list(sets), budgets=list(budgets), repeats=repeats)
    return new_plan(name, dict(zip(labels, parts, strict=True)), seed=seed, atlas=part)


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


position_of = lru_cache(maxsize=MAX_POSITIONS + 24)(parse_position)
"""``parse_position``, remembered for as many as a plan may name: whoever writes one changes a line at a time."""


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


def json_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a plan."""
    return schema_of(Plan, "A plan of a nimdesk experiment")


def study_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a study in its short form."""
    schema = schema_of(StudyForm, "A plan of a nimdesk convergence study")
    schema["$defs"]["StudyForm"]["required"].insert(0, "format")  # it distinguishes a study from other documents
    return schema


def whole(title: str, text: str, minimum: int, maximum: int) -> int:
    """A whole number within bounds, as the forms read it: 10000, 10,000, 1e4."""
    value = whole_field(title, title, "", minimum, minimum, maximum).parse(text)
    assert isinstance(value, int)
    return value


def real(title: str, text: str, minimum: float, maximum: float) -> float:
    """A real number within bounds, as the forms read it: 0.05, 0,05."""
    value = real_field(title, minimum, minimum, maximum).parse(text)
    assert isinstance(value, float)
    return value


def parse_budgets(text: str) -> tuple[int, ...]:
    """``100,500,2000``, or ``10-10000`` for 10, 20, 50, 100, … 10000; in increasing order, each once.

    With units, as in ``10ms,0.5s`` or ``1ms-1s``, they are ``Milliseconds``.
    """
    # Begun within a number, it would take a minute for a long one that has no unit.
    timed = re.sub(r"(?<!\d)(\d+(?:\.\d+)?|\.\d+)\s*(ms|s)(?![a-z])", _milliseconds, text)
    if timed != text:
        if len(re.findall(r"m?s(?![a-z])", text)) != len(re.findall(r"[^,-]+", text)):
            raise OptionError(f"“{text}” mixes seconds and numbers; give each budget its unit, as in 10ms,0.5s.")
        return Milliseconds(parse_budgets(timed))
    found: set[int] = set()
    for word in text.split(","):
        first, dash, last = word.partition("-")
        if any(end.strip().startswith("00") for end in (first, last)):
            raise OptionError(f"Commas stand between budgets; write 1000 without one, not “1,{word.strip()}”.")
        if not dash:
            found.add(whole("Budget", first, 1, MAX_BUDGET))
            continue
        low, high = (whole("Budget", end, 1, MAX_BUDGET) for end in (first, last))
        if low > high:
            raise OptionError(f"The budgets {word} end before they begin; write the smaller one first.")
        found.update(log_budgets(low, high))
    return tuple(sorted(found))


def _milliseconds(found: re.Match[str]) -> str:
    number = float(found[1]) * (1 if found[2] == "ms" else 1_000)
    if not number.is_integer() or number < 1:  # an infinite one is no integer
        raise OptionError(f"{quoted(found[0])} is no budget; it must be a whole number of milliseconds, at least 1ms.")
    return str(round(number))


def log_budgets(first: int, last: int) -> tuple[int, ...]:
    """The budgets 1, 2, 5, 10, 20, ... from ``first`` to ``last``, including these two."""
    steps = {digit * 10**power for power in range(len(str(last))) for digit in (1, 2, 5)}
    return tuple(sorted({step for step in steps if first < step < last} | {first, last}))
