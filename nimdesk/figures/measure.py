"""What searches are measured by: each measure once, with its words, its unit, its values and what it needs.

Plots, figures for print, exported tables and the commands' flags are made from these. A new measure stands here, and
the views that show it in ``nimdesk.ui.plots.frame``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Literal, TypeAlias

from nimdesk.cells import percent
from nimdesk.search.bounds import Ucb1

if TYPE_CHECKING:
    from nimdesk.games.truth import Truth
    from nimdesk.search.measures import Floats, MoveNumbers
    from nimdesk.search.timeline import Timeline

MeasureName = Literal["share", "visits", "mean", "bound", "entropy", "optimal", "regret"]


class Unit(Enum):
    """What the numbers of a measure are, which decides how they are written and where their axis ends."""

    SHARE = auto()
    """A part of the visits, from 0 to 1."""
    COUNT = auto()
    """A whole number from 0 on."""
    SCORE = auto()
    """An expected score, or a difference of two."""
    BITS = auto()
    """An entropy."""


@dataclass(frozen=True, kw_only=True)
class _Measure:
    name: MeasureName
    """Its name in commands and in the library."""
    words: str
    """What figures and captions call it."""
    unit: Unit
    formula: str
    """How it is worked out, in signs, with what its letters stand for."""
    ends: tuple[float, float] | None = None
    """The ends of its axis in figures; None: they follow from the values."""
    spans_decades: bool = False
    """Whether its axis may be logarithmic: the values are above 0 almost always."""
    needs_truth: bool = False
    """Whether it compares with what is proven of the position."""


@dataclass(frozen=True)
class Band:
    """What is drawn around the curve of a move: the two ends, what they are in a caption, and what they are made of."""

    ends: Callable[[MoveNumbers], tuple[Floats, Floats]]
    caption: str
    part: Literal["error", "mean"]
    """What exported tables have beside the value."""
    part_of: Callable[[MoveNumbers], Floats]


@dataclass(frozen=True, kw_only=True)
class MoveMeasure(_Measure):
    """A number of each root move at each checkpoint; None for a search that has no such number."""

    values: Callable[[MoveNumbers], Floats | None]
    told: Callable[[MoveNumbers, int, int], list[str]]
    """What a readout says of the move in this column at this row, where it was visited."""
    band: Band | None = None
    line: Callable[[MoveNumbers], Floats] | None = None
    """The line in its band, where that is not the value: of a bound it is the mean."""
    heat: bool = True
    """Whether a heat map of it says something."""
    missing: str = ""
    """What an agent without such numbers does not do, after its name."""


@dataclass(frozen=True, kw_only=True)
class AgentMeasure(_Measure):
    """One number of a search at each of its rows; None where it has none, or the truth is not known."""

    values: Callable[[Timeline, Truth | None], Floats | None]
    axis: str
    """Its name on an axis that has little room."""
    of_choice: bool = False
    """Whether it belongs to the move chosen: it keeps its value until the next row, and its mean over seeds counts."""


Measure: TypeAlias = MoveMeasure | AgentMeasure


def _visits_told(numbers: MoveNumbers, row: int, column: int) -> list[str]:
    return [f"{int(numbers.visits[row, column]):,}", percent(numbers.shares[row, column])]


def _mean_told(numbers: MoveNumbers, row: int, column: int) -> list[str]:
    return [f"{numbers.means[row, column]:.3f} ± {numbers.errors[row, column]:.3f}"]


def _bound_told(numbers: MoveNumbers, row: int, column: int) -> list[str]:
    mean, bound = numbers.means[row, column], numbers.bounds[row, column]
    return [f"{mean:.3f} + {bound - mean:.3f} = {bound:.3f}"]


SHARE = MoveMeasure(
    name="share",
    words="share of visits",
    unit=Unit.SHARE,
    formula="n / N: n visits of the move, N of all moves of the root",
    ends=(0.0, 1.0),
    spans_decades=True,
    values=lambda numbers: numbers.shares,
    told=_visits_told,
)
VISITS = MoveMeasure(
    name="visits",
    words="visits",
    unit=Unit.COUNT,
    formula="n: how many simulations began with the move",
    spans_decades=True,
    values=lambda numbers: numbers.counts,
    told=_visits_told,
)
MEAN = MoveMeasure(
    name="mean",
    words="mean value",
    unit=Unit.SCORE,
    formula="m = S / n: S the sum of the results (win 1, draw ½, loss 0), n visits; its error √(m · (1 − m) / n)",
    ends=(0.0, 1.0),
    values=lambda numbers: numbers.means,
    told=_mean_told,
    band=Band(
        lambda numbers: numbers.error_band,
        "Bands are one standard error to either side.",
        "error",
        lambda numbers: numbers.errors,
    ),
)
BOUND = MoveMeasure(
    name="bound",
    words="upper bound",
    unit=Unit.SCORE,
    formula=f"{Ucb1(1.0).formula}: {Ucb1(1.0).words}",
    values=lambda numbers: None if numbers.bound is None else numbers.bounds,
    told=_bound_told,
    band=Band(
        lambda numbers: (numbers.means, numbers.bounds),
        "Lines are means; bands reach up to the bound that the search maximises.",
        "mean",
        lambda numbers: numbers.means,
    ),
    line=lambda numbers: numbers.means,
    heat=False,
    missing="does not search by an upper bound",
)
ENTROPY = AgentMeasure(
    name="entropy",
    words="entropy of the visits (bits)",
    unit=Unit.BITS,
    formula="−Σ p · log₂ p over the moves of the root: p the share of visits of each",
    spans_decades=True,
    values=lambda timeline, _truth: timeline.entropy_bits(),
    axis="entropy, bits",
)
OPTIMAL = AgentMeasure(
    name="optimal",
    words="share of visits on optimal moves",
    unit=Unit.SHARE,
    formula="Σ n / N over the moves that are proven to keep the value of the position",
    ends=(0.0, 1.0),
    needs_truth=True,
    values=lambda timeline, truth: timeline.optimal_shares(truth),
    axis="on optimal moves",
)
REGRET = AgentMeasure(
    name="regret",
    words="regret of the choice",
    unit=Unit.SCORE,
    formula="v − w: v the value of the position, w that of the move it would play (win 1, draw ½, loss 0)",
    needs_truth=True,
    values=lambda timeline, truth: timeline.regrets(truth),
    axis="simple regret",
    of_choice=True,
)
_ALL: tuple[Measure, ...] = (SHARE, VISITS, MEAN, BOUND, ENTROPY, OPTIMAL, REGRET)
MEASURES: dict[MeasureName, Measure] = {measure.name: measure for measure in _ALL}
