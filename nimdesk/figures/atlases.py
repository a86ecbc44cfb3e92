"""Figures of an atlas: how often all positions of a game are answered optimally, and the ones that mislead most."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING, Literal

from nimdesk.errors import OptionError
from nimdesk.experiments.atlas.tally import AtlasRow, AtlasTally, Order
from nimdesk.experiments.files import Found
from nimdesk.experiments.statistics import wilson
from nimdesk.figures.content import Content, agents_in_full, caption, panel
from nimdesk.games import parse_position

if TYPE_CHECKING:
    from nimdesk.figures.drawing import Curve, Panel, Plot

AtlasMeasure = Literal["optimal", "regret", "misled", "worst"]
_LABELS: dict[AtlasMeasure, str] = {
    "optimal": "share of optimal choices",
    "regret": "mean regret",
    "misled": "share answered wrongly",
    "worst": "share of optimal choices",
}
_HOW: dict[AtlasMeasure, str] = {
    "optimal": "Means over all positions with a choice; bands are two standard errors to either side.",
    "regret": "Means over all positions with a choice.",
    "misled": "Counted are the positions that less than half of the searches with this budget answer optimally.",
    "worst": "Bands are Wilson's 95% intervals.",
}
_WORST: dict[Order, str] = {
    "traps": "The positions with the highest mean regret over all budgets.",
    "worse": "The positions where more simulations make it worse by most.",
}
_MOST_CURVES = 6


def of_atlas(found: Found, measure: AtlasMeasure = "optimal", order: Order = "traps", agent: str = "") -> Content:
    """An atlas over its budgets: a panel for each game, a curve for each agent.

    The measure ``worst`` has a curve for each of the first rows instead; ``order`` says which rows come first, and with
    an ``agent`` only its rows count. ``OptionError`` where there is
    nothing to draw.
    """
    atlas = found.of(AtlasTally)
    if atlas is None:
        raise OptionError("Only an atlas has curves over all of its positions.")
    rows = [row for row in atlas.rows(order) if agent in ("", row.agent)]
    if measure == "worst":
        rows = [row for row in rows if row.fall or order == "traps"]
        panels = [panel("", [_of_row(atlas, row, bool(agent)) for row in rows[:_MOST_CURVES]])] if rows else []
    else:
        panels = _of_games(atlas, rows, measure)
    if not panels:
        raise OptionError("There is nothing to draw: the atlas has no such position yet.")
    plot: Plot = {
        "x": f"budget ({' or '.join(sorted({each.traits.counts for each in atlas.atlas.agents}))})",
        "y": _LABELS[measure],
        "log_x": True,
        "log_y": False,
        "y_range": None if measure == "regret" else (0.0, 1.02),
        "steps": False,
        "panels": panels,
    }
    plan = found.schedule.plan
    missing = found.total - found.done
    notes = [
        f"{plan.title or plan.name}: {_LABELS[measure]} over the budget.",
        _WORST[order] * (measure == "worst"),
        *agents_in_full(each for each in atlas.atlas.agents if agent in ("", each.label)),
        f"{len({row.position for row in rows}):,} positions with a choice, up to {atlas.atlas.part.repeats:,} searches "
        f"of each by each agent; seeds derived from {plan.seed}.",
        _HOW[measure],
        f"{missing:,} pairs of position and agent are still to be searched." * bool(missing),
    ]
    return Content(plot, f"{_LABELS[measure].capitalize()} in an atlas", caption(notes))


def _of_row(atlas: AtlasTally, row: AtlasRow, alone: bool) -> Curve:
    ends = [wilson(round(share * row.searches), row.searches) for share in row.optimal_share]
    return {
        "label": row.position if alone else f"{row.position}, {row.agent}",
        "x": list(map(float, atlas.atlas.budgets)),
        "y": list(row.optimal_share),
        "low": [low for low, _high in ends],
        "high": [high for _low, high in ends],
        "faint": False,
    }


def _of_games(atlas: AtlasTally, rows: Sequence[AtlasRow], measure: AtlasMeasure) -> list[Panel]:
    """A panel for each set of positions, in the order of the plan; a position in two sets counts in the first."""
    titles: dict[str, str] = {}
    for part in atlas.atlas.part.sets:
        first, last = part.starts[0], part.starts[-1]
        title = first if first == last else f"{first} … {last}"
        for start in part.starts:
            titles.setdefault(
                parse_position(start).game.text, f"{title}, up to {part.plies} plies" if part.plies else title
            )
    by: dict[str, list[AtlasRow]] = {title: [] for title in titles.values()}
    for row in rows:
        by[titles[parse_position(row.position).game.text]].append(row)
    shown = {title: own for title, own in by.items() if own}
    return [panel(title if len(shown) > 1 else "", _of_agents(atlas, own, measure)) for title, own in shown.items()]


def _of_agents(atlas: AtlasTally, rows: Sequence[AtlasRow], measure: AtlasMeasure) -> list[Curve]:
    by = {label: [row for row in rows if row.agent == label] for label in atlas.atlas.labels}
    return [_of_agent(atlas, label, own, measure) for label, own in by.items() if own]


def _of_agent(atlas: AtlasTally, label: str, own: Sequence[AtlasRow], measure: AtlasMeasure) -> Curve:
    budgets = range(len(atlas.atlas.budgets))
    shares = [[row.optimal_share[budget] for row in own] for budget in budgets]
    values = {
        "optimal": shares,
        "regret": [[row.regret[budget] for row in own] for budget in budgets],
        "misled": [[float(share < 0.5) for share in each] for each in shares],
    }[measure]
    means = [sum(each) / len(own) for each in values]
    errors = [
        2 * sqrt(sum(p * (1 - p) / row.searches for p, row in zip(each, own, strict=True))) / len(own)
        for each in shares
    ]
    bands = measure == "optimal"
    return {
        "label": label,
        "x": list(map(float, atlas.atlas.budgets)),
        "y": means,
        "low": [max(0.0, mean - error) for mean, error in zip(means, errors, strict=True)] if bands else [],
        "high": [min(1.0, mean + error) for mean, error in zip(means, errors, strict=True)] if bands else [],
        "faint": False,
    }
