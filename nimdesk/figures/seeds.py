"""A search repeated with many seeds, as a line in a band; and figures of it.

For most measures the line is the median, and the band holds nine of ten searches. The regret of a choice is 0, ½ or 1
in each search, so its quantiles would be full blocks or nothing. For regret the line is therefore the mean, which is
how likely a mistake is, and the band is its 95% interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nimdesk.errors import OptionError
from nimdesk.experiments.statistics import mean_interval
from nimdesk.figures.content import Content, Searched, axis_label, caption, measured, panel
from nimdesk.figures.measure import MEASURES, AgentMeasure, MeasureName, MoveMeasure
from nimdesk.games import AnyPosition
from nimdesk.games.truth import Truth
from nimdesk.search.measures import Floats, Ints

if TYPE_CHECKING:
    from nimdesk.figures.drawing import Curve, Panel, Plot

QUANTILES = (0.05, 0.5, 0.95)
_NAMED = 5


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The band of many searches at ``iterations`` (G,): its ends and its line, (G,), or (G, L) for each move."""

    iterations: Ints
    low: Floats
    middle: Floats
    high: Floats
    seeds: tuple[int, ...]
    """The seeds of its searches."""
    is_mean: bool = False
    """Whether the line is the mean and the band its 95% interval; otherwise the median and nine of ten searches."""

    @property
    def searches(self) -> int:
        """The number of searches."""
        return len(self.seeds)

    @property
    def columns(self) -> tuple[str, str, str]:
        """What low, middle and high are called in files."""
        return ("low", "mean", "high") if self.is_mean else ("5%", "50%", "95%")

    @property
    def words(self) -> str:
        """What the band and its line are, as a sentence."""
        if self.is_mean:
            return f"Band: the 95% interval of the mean of {self.searches} seeds, dotted: the mean."
        return f"Band: the middle 90% of {self.searches} seeds, dotted: their median."

    def rows_at(self, iterations: Ints) -> Ints:
        """The last row that is not later than each of these."""
        return np.maximum(np.searchsorted(self.iterations, iterations, side="right") - 1, 0)


def spread_of(
    searches: Sequence[Searched], measure: MeasureName, truth: Truth | None = None, columns: Sequence[int] | None = None
) -> Spread | None:
    """The band of searches of one agent that differ only in their seeds; None where fewer than two have the measure.

    A search that ended early keeps its last value. With ``columns`` those of other moves are NaN.
    """
    kind = MEASURES[measure]
    each = [(searched, measured(searched, kind, truth)) for searched in searches]
    found = [(searched, values) for searched, values in each if values is not None and len(values)]
    known = [(searched.timeline.iterations, values) for searched, values in found]
    if len(known) < 2:
        return None
    seeds = tuple(searched.seed for searched, _values in found)
    grid = np.unique(np.concatenate([iterations for iterations, _values in known]))
    # The value at the last checkpoint that is not later; a grid may be finer than the rows of one search.
    rows = [np.searchsorted(iterations, grid, side="right") - 1 for iterations, _values in known]
    table = np.array([values[np.maximum(row, 0)] for (_at, values), row in zip(known, rows, strict=True)])
    # Without visits there is but the choice to be measured, as by the share on optimal moves, which is then 0 or 1.
    visited = any(each.timeline.trace is not None for each, _values in found)
    if isinstance(kind, AgentMeasure) and (kind.of_choice or not visited):
        return Spread(grid, *_mean(table), seeds, is_mean=True)
    if columns is None or table.ndim == 2:
        return Spread(grid, *_quantiles(table), seeds)
    whole = np.full((len(QUANTILES), *table.shape[1:]), np.nan)
    whole[:, :, list(columns)] = _quantiles(table[:, :, list(columns)])
    return Spread(grid, whole[0], whole[1], whole[2], seeds)


class Sample:
    """Searches of one agent that differ only in their seeds, and their spreads, each worked out once."""

    def __init__(self, searches: Sequence[Searched]) -> None:
        self.searches = tuple(searches)
        self._known: dict[tuple[object, ...], tuple[Truth | None, Spread | None]] = {}

    def spread(self, measure: MeasureName, truth: Truth | None, columns: Sequence[int] | None = None) -> Spread | None:
        """As ``spread_of``; the truth counts for the measures that need it."""
        needed = truth if MEASURES[measure].needs_truth else None
        asked = (measure, *(columns or ()))
        if asked not in self._known or self._known[asked][0] is not needed:
            self._known[asked] = needed, spread_of(self.searches, measure, needed, columns)
        return self._known[asked][1]


def _mean(table: Floats) -> tuple[Floats, Floats, Floats]:
    """The mean of each column between the ends of its 95% interval; NaN where no search has a value."""
    counts = np.sum(~np.isnan(table), axis=0)
    means = np.where(counts, np.nansum(table, axis=0) / np.maximum(counts, 1), np.nan)
    ends = [
        mean_interval(mean, n) if n else (np.nan, np.nan)
        for mean, n in zip(means.tolist(), counts.tolist(), strict=True)
    ]
    low, high = np.array(ends).T
    return low, means, high


def _quantiles(table: Floats) -> tuple[Floats, Floats, Floats]:
    """The quantiles over the first axis; ``nanquantile`` gives the same, but takes seconds for hundreds of moves."""
    ranked, counts = np.sort(table, axis=0), np.sum(~np.isnan(table), axis=0)
    found = []
    for quantile in QUANTILES:
        place = quantile * np.maximum(counts - 1, 0)
        below = np.floor(place).astype(np.int64)
        above = np.minimum(below + 1, np.maximum(counts - 1, 0))
        first, second = (np.take_along_axis(ranked, row[np.newaxis], axis=0)[0] for row in (below, above))
        found.append(first + (second - first) * (place - below))
    low, middle, high = found
    return low, middle, high


def of_seeds(
    position: AnyPosition,
    groups: Sequence[Sequence[Searched]],
    measure: MeasureName = "share",
    *,
    truth: Truth | None = None,
    log_x: bool = True,
) -> Content:
    """Searches over iterations, those of a group being of one agent with different seeds.

    For a measure of moves there is a panel for each group, otherwise a curve for each; ``truth`` is for optimal and
    regret. ``OptionError`` where there is nothing to draw.
    """
    kind = MEASURES[measure]
    found = [(group, spread) for group in groups if (spread := spread_of(group, measure, truth)) is not None]
    if not found:
        raise OptionError(f"There is nothing to draw: fewer than two of these searches have a known {kind.words}.")
    if of_moves := isinstance(kind, MoveMeasure):
        panels = [_of_moves(group, spread, alone=len(found) == 1) for group, spread in found]
    else:
        panels = [panel("", [_curve(group[0].name, spread) for group, spread in found])]
    label = axis_label(kind, position)
    plot: Plot = {
        "x": "iterations",
        "y": label,
        "log_x": log_x,
        "log_y": False,
        "y_range": kind.ends,
        "steps": kind.needs_truth,
        "panels": panels,
    }
    spread = found[0][1]
    number = spread.searches
    bands = "Lines are medians, bands hold the middle 90% of the searches at each moment."
    if spread.is_mean:
        bands = "Lines are means over the seeds, bands their 95% intervals, Wilson's of a share with the same mean."
    notes = [
        f"{position.text}: {label} over iterations, of {number} searches of each agent."
        if len(found) > 1
        else f"{position.text}: {label} over iterations, of {number} searches with seeds "
        f"{found[0][0][0].seed} to {found[0][0][-1].seed}.",
        *(f"{group[0].words}, and the others alike to seed {group[-1].seed}." for group, _spread in found),
        bands,
        "Named are the moves with the highest medians; the others are grey." * of_moves,
    ]
    return Content(plot, f"{kind.words.capitalize()} on {position.text}, {number} seeds", caption(notes))


def _of_moves(group: Sequence[Searched], spread: Spread, *, alone: bool) -> Panel:
    moves = group[0].timeline.moves
    order = np.argsort(-np.nan_to_num(spread.middle[-1]), kind="stable").tolist()
    curves = [_curve(moves[column].text, spread, column, faint=number >= _NAMED) for number, column in enumerate(order)]
    return panel("" if alone else group[0].name, curves)


def _curve(name: str, spread: Spread, column: int | None = None, *, faint: bool = False) -> Curve:
    parts = (spread.low, spread.middle, spread.high)
    low, middle, high = (part if column is None else part[:, column] for part in parts)
    return {
        "label": name,
        "x": spread.iterations.astype(np.float64).tolist(),
        "y": middle.tolist(),
        "low": [] if faint else low.tolist(),
        "high": [] if faint else high.tolist(),
        "faint": faint,
        "seeds": spread.seeds,
    }
