"""The results of experiments as figures for print: curves of studies, landscapes, and the charts as bars."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from nimdesk.experiments.atlas.tally import Order
from nimdesk.experiments.files import Found
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.tuning import tuning_of
from nimdesk.figures.atlases import of_atlas
from nimdesk.figures.compared import of_comparison, of_tuning
from nimdesk.figures.content import Content, caption, of_study, panel
from nimdesk.ui.plots.bars import Bar, BarChart

if TYPE_CHECKING:
    from nimdesk.figures.drawing import Curve, Plot

Choice = tuple[str, Callable[[], Content]]
"""What a figure may show: its words, and how it is made, which may raise a ``NimdeskError``."""
PUBLISHED = "published"


def study_figures(found: Found) -> Iterator[Choice]:
    """The curves and the heat maps of a study."""
    for words, heat in (("", False), (", heat map", True)):
        yield f"Share of optimal choices{words}", partial(of_study, found, "optimal", heat=heat)
        yield f"Mean regret{words}", partial(of_study, found, "regret", heat=heat)


def tuning_figures(found: Found) -> Iterator[Choice]:
    """The landscape of a tuning."""
    if tuning_of(found[MatchTally]) is not None:
        yield "Landscape", partial(of_tuning, found)


def atlas_figures(found: Found, order: Order, agent: str) -> list[Choice]:
    """The figures of an atlas, of one agent or, by "", of all; the last one is of the first rows in this order."""
    return [
        ("Share of optimal choices", partial(of_atlas, found, "optimal", agent=agent)),
        ("Mean regret", partial(of_atlas, found, "regret", agent=agent)),
        ("Share of positions answered wrongly", partial(of_atlas, found, "misled", agent=agent)),
        ("The first rows of the table", partial(of_atlas, found, "worst", order, agent)),
    ]


def comparison_figures(one: Found, other: Found, names: tuple[str, str]) -> list[Choice]:
    """The figures of two studies over each other."""
    return [
        ("Share of optimal choices", partial(of_comparison, one, other, names, "optimal")),
        ("Mean regret", partial(of_comparison, one, other, names, "regret")),
        ("Difference of the shares", partial(of_comparison, one, other, names, "difference")),
    ]


def of_chart(chart: BarChart, found: Found) -> Content:
    """A chart with its bars in rows; what was published is a curve of its own."""
    bars: list[tuple[str, Bar]] = [
        (f"{group.title}: {bar.name}" if len(chart.groups) > 1 else bar.name, bar)
        for group in chart.groups
        for bar in group.bars
        if bar.shares
    ]
    curves = [_part(chart, number, bars) for number in sorted(chart.present)]
    if chart.compared:
        printed = [(row, bar.published) for row, (_name, bar) in enumerate(bars) if bar.published is not None]
        curves.append(
            {
                "label": PUBLISHED,
                "x": [float(row) for row, _ends in printed],
                "y": [(low + high) / 2 for _row, (low, high) in printed],
                "low": [low for _row, (low, _high) in printed],
                "high": [high for _row, (_low, high) in printed],
                "faint": True,
            }
        )
    plot: Plot = {
        "x": chart.parts[0],
        "y": "",
        "log_x": False,
        "log_y": False,
        "y_range": (0.0, 1.0),
        "steps": False,
        "panels": [panel("", curves)],
        "rows": [name for name, _bar in bars],
        "ticks": [(place, words) for place, words in chart.ticks],
    }
    plan = found.schedule.plan
    notes = [
        f"{plan.title or plan.name}: {chart.title.lower()}.",
        "Lines at the ends of the first part are 95% intervals." * chart.measured,
        "Lines below the bars are the published figures." * chart.compared,
        f"Seeds derived from {plan.seed}.",
    ]
    return Content(plot, chart.title, caption(notes))


def _part(chart: BarChart, number: int, bars: list[tuple[str, Bar]]) -> Curve:
    """One part of all bars; the first one has intervals."""
    unknown = float("nan")
    ends = [(unknown, unknown) if number or bar.interval is None else bar.interval for _name, bar in bars]
    measured = not number and chart.measured
    return {
        "label": chart.parts[number],
        "x": [float(row) for row in range(len(bars))],
        "y": [bar.shares[number] if number < len(bar.shares) else 0.0 for _name, bar in bars],
        "low": [low for low, _high in ends] if measured else [],
        "high": [high for _low, high in ends] if measured else [],
        "faint": False,
    }
