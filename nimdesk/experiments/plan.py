"""A plan: one JSON document that determines every result of an experiment.

``players`` names configured agents. ``matches`` are tournaments between them, ``searches`` repeat the search of one
position many times. All seeds come from the plan (``schedule``), none from a clock, so that the same plan gives the
same results with any number of workers in any order, as long as no player's budget is a time.

The schema is published as ``resources/plan.schema.json``; ``json_schema`` makes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from nimdesk.atomic import os_error_words, read_bounded
from nimdesk.errors import PlanError
from nimdesk.experiments.statistics import Sprt
from nimdesk.experiments.validation import decoded, schema_of, sentence
from nimdesk.search.options import MAX_SEED

FORMAT: Literal["nimdesk-plan"] = "nimdesk-plan"
VERSION: Literal[1] = 1
MAX_FILE_BYTES = 2**22
MAX_TASKS = 10_000_000
# Up to here the solver's table never grows, and so its answer cannot depend on the speed of the machine.
MAX_TRUTH_NODES = 4_000

Text = Annotated[str, Meta(max_length=2_000)]
PlayerName = Annotated[str, Meta(min_length=1, max_length=80, pattern=r"^\S.*$|^\S$")]
PositionText = Annotated[str, Meta(min_length=1, max_length=2_000)]
Count = Annotated[int, Meta(ge=1, le=1_000_000)]


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
    """

    players: Annotated[list[PlayerName], Meta(min_length=2, max_length=64)]
    format: Literal["round-robin", "gauntlet"] = "round-robin"
    positions: Annotated[list[PositionText], Meta(min_length=1, max_length=1_000)]
    games: Count
    swap: bool = True
    opening_plies: Annotated[int, Meta(ge=0, le=100)] = 0
    sprt: Sprt | None = None


class SearchPart(_Part, frozen=True, kw_only=True):
    """Every player searches every position ``repeats`` times; a search ends at ``node_limit``, if there is one."""

    players: Annotated[list[PlayerName], Meta(min_length=1, max_length=64)]
    positions: Annotated[list[PositionText], Meta(min_length=1, max_length=1_000)]
    repeats: Count
    node_limit: Annotated[int, Meta(ge=1, le=10**12)] | None = None


class Plan(_Part, frozen=True, kw_only=True):
    """The whole document. ``name``, ``title`` and ``about`` are for people; all else determines the results.

    ``truth_nodes`` bounds the proof of each position of an m,n,k game, by which moves are judged; 0: no proofs. Nim
    needs none.
    """

    format: Literal["nimdesk-plan"]
    version: Literal[1]
    name: Annotated[str, Meta(min_length=1, max_length=60, pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    title: Text = ""
    about: Text = ""
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] = 0
    truth_nodes: Annotated[int, Meta(ge=0, le=MAX_TRUTH_NODES)] = MAX_TRUTH_NODES
    players: Annotated[dict[PlayerName, PlayerPart], Meta(min_length=1, max_length=64)]
    matches: list[MatchPart] = []
    searches: list[SearchPart] = []

    @property
    def digest(self) -> str:
        """64 hexadecimal digits that name what determines the results, whatever the plan is called."""
        nameless = msgspec.structs.replace(self, name="plan", title="", about="")
        return hashlib.sha256(msgspec.json.encode(nameless, order="deterministic")).hexdigest()

    def to_json(self) -> bytes:
        """The document, indented; ``plan_from_json`` reads it back."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"


def plan_from_json(data: bytes, where: str = "The plan") -> Plan:
    """The plan of a document that has the right form; ``PlanError`` with the path of the bad field.

    Whether players, games and agents exist is for ``schedule.schedule_of`` to say. ``where`` begins the sentence.
    """
    if len(data) > MAX_FILE_BYTES:
        raise PlanError(f"{where} is larger than {MAX_FILE_BYTES >> 20} MB, which no plan is.")
    return decoded(data, Plan, FORMAT, VERSION, lambda clause: PlanError(sentence(f"{where} cannot be used: {clause}")))


def load_plan(path: Path) -> Plan:
    """The plan in a file; ``PlanError`` where there is none."""
    try:
        data = read_bounded(path, MAX_FILE_BYTES)
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


def json_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a plan."""
    return schema_of(Plan, "A plan of a nimdesk experiment")
