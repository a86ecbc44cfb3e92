"""Figures of the same search with many seeds: the median, and a band that holds nine of ten searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nimdesk.errors import OptionError
from nimdesk.figures.content import MEASURES, OF_MOVES, Content, Measure, Searched, caption, measured, panel
from nimdesk.games import AnyPosition
from nimdesk.games.truth import Truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nimdesk.figures.drawing import Curve, Plot

_QUANTILES = (0.05, 0.5, 0.95)
_NAMED = 5


def of_seeds(
    position: AnyPosition, searches: Sequence[Searched], measure: Measure = "share", *, truth: Truth | None = None
) -> Content:
    """Searches of one agent that differ only in their seeds, over iterations; ``truth`` is for optimal and regret.

    A search that ended early keeps its last value. ``OptionError`` where there is nothing to draw.
    """
    each = [(searched, measured(searched, measure, truth)) for searched in searches]
    known = [(searched.timeline.iterations, values) for searched, values in each if values is not None and len(values)]
    if len(known) < 2:
        raise OptionError(
            f"There is nothing to draw: fewer than two of these searches have a known {MEASURES[measure]}."
        )
    grid = np.unique(np.concatenate([iterations for iterations, _values in known]))
    # The value at the last checkpoint that is not later; a grid may be finer than the rows of one search.
    rows = [np.searchsorted(iterations, grid, side="right") - 1 for iterations, _values in known]
    table = np.array([values[np.maximum(row, 0)] for (_at, values), row in zip(known, rows, strict=True)])
    low, middle, high = np.nanquantile(table, _QUANTILES, axis=0)
    x = grid.astype(np.float64).tolist()
    if measure in OF_MOVES:
        moves = searches[0].timeline.moves
        order = np.argsort(-np.nan_to_num(middle[-1]), kind="stable").tolist()
        curves = [
            _curve(moves[column].text, x, low[:, column], middle[:, column], high[:, column], faint=number >= _NAMED)
            for number, column in enumerate(order)
        ]
    else:
        curves = [_curve(searches[0].agent.label, x, low, middle, high, faint=False)]
    side = position.game.side_name(position.turn)
    label = f"{MEASURES[measure]} for {side}" if measure in ("mean", "bound", "regret") else MEASURES[measure]
    plot: Plot = {
        "x": "iterations",
        "y": label,
        "log_x": True,
        "log_y": False,
        "y_range": (0.0, 1.0) if measure in ("share", "mean", "optimal") else None,
        "steps": measure in ("regret", "optimal"),
        "panels": [panel("", curves)],
    }
    seeds = [searched.seed for searched in searches]
    notes = [
        f"{position.text}: {label} over iterations, of {len(known)} searches with seeds {seeds[0]} to {seeds[-1]}.",
        f"{searches[0].words}, and the others alike.",
        "Lines are medians, bands hold the middle 90% of the searches at each moment.",
        "Named are the moves with the highest medians; the others are grey." * (measure in OF_MOVES),
    ]
    return Content(plot, f"{MEASURES[measure].capitalize()} on {position.text}, {len(known)} seeds", caption(notes))


def _curve(
    name: str,
    x: list[float],
    low: NDArray[np.float64],
    middle: NDArray[np.float64],
    high: NDArray[np.float64],
    *,
    faint: bool,
) -> Curve:
    bands = ([], []) if faint else (low.tolist(), high.tolist())
    return {"label": name, "x": x, "y": middle.tolist(), "low": bands[0], "high": bands[1], "faint": faint}
