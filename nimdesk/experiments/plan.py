"""A plan: one JSON document that determines every result of an experiment.

``players`` names configured agents; all other fields ask for work, each for one kind of it (``KINDS``). Either a plan
plays and searches: ``matches`` are tournaments between players, ``searches`` repeat the search of one position many
times. Or it is a ``study`` of convergence: each search is read at several budgets, and its choices are compared with
the truth. Or it is an ``atlas``, which does the same for thousands of positions, and keeps sums in place of the
searches. All seeds come from the plan (``schedule``), none from a clock, so that the same plan gives the same results
with any number of workers in any order, as long as no player's budget is a time.

The schema is published as ``resources/plan.schema.json``; ``json_schema`` makes it. A study may also be written in the
short form of ``StudyForm``, published as ``resources/study.schema.json``:

    {"format": "nimdesk-study", "version": 1,
     "agents": [{"agent": "uct"}, {"agent": "uct", "options": {"exploration": 0.5}}],
     "positions": ["nim:3,4,5"], "budgets": [100, 500, 2000], "seeds": 200, "seed": 0, "solver_nodes": 5000000}
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from nimdesk.agents import PUBLISHED, Agent, agent_info
from nimdesk.disk.atomic import os_error_words, read_bounded
from nimdesk.disk.documents import MAX_BYTES, DocumentFaultError, check_header, format_of, parsed, schema_of, sentence
from nimdesk.errors import PlanError
from nimdesk.experiments.atlas.kind import ATLAS, atlas_fields
from nimdesk.experiments.atlas.work import AtlasPart, AtlasSet
from nimdesk.experiments.kind import Asked, Kind
from nimdesk.experiments.matches.kind import MATCHES
from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import Head, PlayerPart
from nimdesk.experiments.searches import SEARCHES, SearchPart
from nimdesk.experiments.studies.kind import STUDY, StudyForm, study_fields
from nimdesk.experiments.studies.work import StudyPart

FORMAT: Literal["nimdesk-plan"] = "nimdesk-plan"
VERSION: Literal[1] = 1


class Plan(Head, frozen=True, kw_only=True):
    """The whole document. ``name``, ``title`` and ``about`` are for people; all else determines the results.

    ``truth_nodes`` bounds the proof of each position of an m,n,k game, by which moves are judged; 0: no proofs. Nim
    needs none.
    """

    matches: list[MatchPart] = msgspec.field(default_factory=list)
    searches: list[SearchPart] = msgspec.field(default_factory=list)
    study: StudyPart | UnsetType = UNSET
    atlas: AtlasPart | UnsetType = UNSET

    def parts_of(self, kind: Kind) -> list[Asked]:
        """What it asks of this kind, if anything."""
        asked = getattr(self, kind.name)
        return list(asked) if isinstance(asked, list) else [asked] if asked else []

    @property
    def kinds(self) -> list[Kind]:
        """The kinds of which it asks for something."""
        return [kind for kind in KINDS if self.parts_of(kind)]

    @property
    def parts(self) -> list[Asked]:
        """All that it asks for."""
        return [part for kind in KINDS for part in self.parts_of(kind)]

    @property
    def digest(self) -> str:
        """64 hexadecimal digits that identify what determines the results, whatever the plan is called."""
        key = next((key for kind in self.kinds if (key := kind.key(self))), None)
        if key is not None:
            named = msgspec.json.encode(key)
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
        return self.parts[0].count

    @property
    def texts(self) -> list[str]:
        """The positions that it names, each once."""
        return list(dict.fromkeys(text for part in self.parts for text in part.texts))

    def repeated(self, number: int) -> Plan:
        """A copy with this number of games in each match, and of searches of each position."""
        changed: dict[str, Any] = {}
        for kind in self.kinds:
            parts = [part.repeated(number) for part in self.parts_of(kind)]
            changed[kind.name] = parts if isinstance(getattr(self, kind.name), list) else parts[0]
        return msgspec.structs.replace(self, **changed)

    def to_json(self) -> bytes:
        """The document, indented; ``plan_from_json`` reads it back."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"


KINDS: tuple[Kind, ...] = (MATCHES, SEARCHES, STUDY, ATLAS)
"""All kinds of experiments, in the order in which a plan's tasks are numbered. Each is a field of ``Plan``."""


def plan_from_json(data: bytes, where: str = "The plan") -> Plan:
    """The plan of a well-formed document; ``PlanError`` with the path of the bad field.

    ``schedule.schedule_of`` checks whether players, games and agents exist. ``where`` begins the sentence.
    """
    try:
        form = next((kind for kind in KINDS if kind.form and kind.form[0] == format_of(data)), None)
        if form is None or form.form is None:
            check_header(data, FORMAT, VERSION, "plan")
            return parsed(data, Plan)
        check_header(data, form.form[0], VERSION, form.name)
        short = parsed(data, form.form[1])
    except DocumentFaultError as fault:
        raise PlanError(sentence(f"{where} cannot be used: {fault}")) from None
    return new_plan(**short.fields())


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


def match_plan(players: Mapping[str, Agent], part: MatchPart, seed: int = 0) -> Plan:
    """The plan of a match between these agents, by the names that they have in ``part``; ``PlanError``."""
    parts = {name: PlayerPart(agent=each.name, options=each.changed_options) for name, each in players.items()}
    return new_plan("match", parts, title=" – ".join(parts), matches=[part], seed=seed)


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
    return new_plan(**study_fields(agents, positions, budgets, repeats, seed, solver_nodes))


def atlas_plan(
    name: str,
    agents: Iterable[PlayerPart],
    sets: Sequence[AtlasSet],
    budgets: Sequence[int],
    repeats: int,
    seed: int = 0,
) -> Plan:
    """The plan of an atlas; ``PlanError`` for an agent that does not exist, is named twice, or takes no budget."""
    return new_plan(name, **atlas_fields(agents, sets, budgets, repeats, seed))


def json_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a plan."""
    return schema_of(Plan, "A plan of a nimdesk experiment")


def study_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a study in its short form."""
    schema = schema_of(StudyForm, "A plan of a nimdesk convergence study")
    schema["$defs"]["StudyForm"]["required"].insert(0, "format")  # it distinguishes a study from other documents
    return schema
