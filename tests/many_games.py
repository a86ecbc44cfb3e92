"""A file of results with as many games as reading is told of in parts, made in a moment."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from nimdesk.experiments.matches.work import GameResult, MatchPart, PlyResult
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, new_plan
from nimdesk.experiments.statistics import Sprt
from nimdesk.experiments.store import Store

MANY = 25_000
_PLIES = tuple(PlyResult(move, 0, 0, 1e-4, "+") for move in ("a1", "a2", "b1", "b2", "c1"))


def plan_of_many(sprt: Sprt | None = None) -> Plan:
    """A match of so many games."""
    match = MatchPart(players=["r", "r"], positions=["mnk:3,3,3"], games=MANY, swap=False, sprt=sprt)
    return new_plan("quick", {"r": PlayerPart(agent="random")}, matches=[match])


def game(number: int) -> GameResult:
    """One of them; its moves are its own."""
    return GameResult(number, "mnk:3,3,3", 0, tuple(map(replace, _PLIES)))


def filled(path: Path, plan: Plan) -> Path:
    """The file of all of them, as a long run leaves it."""
    with Store.open_for(path, plan) as store:
        store.add(*map(game, range(MANY)))
    return path
