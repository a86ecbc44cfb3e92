"""What the laboratory remembers from one start to the next: agents, seeds, axis, limits, views. Not the results."""

from __future__ import annotations

from typing import Any

from nimdesk.agents import agent_from_json
from nimdesk.errors import NimdeskError
from nimdesk.search.options import MAX_SEED
from nimdesk.search.timeline import Cost
from nimdesk.ui.laboratory.agents import MAX_AGENTS, Studied, unlimited
from nimdesk.ui.laboratory.model import Axis
from nimdesk.ui.laboratory.page import LaboratoryPage


def remember(page: LaboratoryPage) -> dict[str, object]:
    """All of it as plain JSON values."""
    model = page.model
    return {
        "agents": [{**each.agent.to_json(), "seed": each.seed} for each in model.studied],
        "axis": model.axis.cost.value,
        "log": model.axis.log,
        "limits": {cost.value: limit for cost, limit in model.limits.items()},
        "views": page.views.state(),
        "two_views": page.two_views,
        "truth": model.truth_shown,
    }


def restore(page: LaboratoryPage, state: dict[str, Any]) -> None:
    """Set what ``remember`` wrote; what is missing, or is not what it should be, stays as it is."""
    model = page.model
    agents = [made for each in _list(state.get("agents")) if (made := _studied(each)) is not None]
    if agents:
        model.set_studied(tuple(agents[:MAX_AGENTS]))
    costs = {cost.value: cost for cost in Cost}
    limits = state.get("limits")
    for name, limit in (limits if isinstance(limits, dict) else {}).items():
        if name in costs and (limit is None or (_is_number(limit) and 0.01 <= limit <= 1e9)):
            model.set_limit_of(costs[name], None if limit is None else float(limit))
    cost = costs.get(str(state.get("axis")), model.axis.cost)
    log = state.get("log")
    model.set_axis(Axis(cost, log if isinstance(log, bool) else model.axis.log))
    page.views.restore([str(key) for key in _list(state.get("views"))])
    for key, setter in (("two_views", page.set_two_views), ("truth", page.set_truth_shown)):
        value = state.get(key)
        if isinstance(value, bool):
            setter(value)


def _studied(data: object) -> Studied | None:
    seed = data.get("seed") if isinstance(data, dict) else None
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= MAX_SEED:
        return None
    try:
        return Studied(unlimited(agent_from_json(data)), seed)
    except NimdeskError:
        return None  # an agent that is no longer installed, say: the others are studied without it


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
