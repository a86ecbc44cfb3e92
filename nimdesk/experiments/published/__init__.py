"""The published tables of documents 000 to 004 as plans, with the published figures as data."""

from nimdesk.errors import PlanError, suggestion
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.published.figures import BuiltIn, Comparison, Figure
from nimdesk.experiments.published.mnk_tables import TABLE_1, TABLE_2, TABLE_3
from nimdesk.experiments.published.nim_tables import PILES, RELIABILITY, TOURNAMENTS

BUILT_IN: dict[str, BuiltIn] = {
    each.name: each for each in (PILES, TABLE_1, TABLE_2, TABLE_3, TOURNAMENTS, RELIABILITY)
}

__all__ = ["BUILT_IN", "BuiltIn", "Comparison", "Figure", "built_in"]


def built_in(name: str) -> BuiltIn:
    """The published table of this name; ``PlanError`` with a suggestion."""
    if name not in BUILT_IN:
        raise PlanError(f"There is no published table “{name}”; {suggestion(name, BUILT_IN)}")
    return BUILT_IN[name]


def published_as(plan: Plan) -> BuiltIn | None:
    """The published table that this plan runs, perhaps with another number of games or another seed."""
    found = BUILT_IN.get(plan.name)
    return found if found is not None and found.plan.players == plan.players else None
