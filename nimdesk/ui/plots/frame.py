"""The frame: all that a plot draws at one moment, made from a snapshot or from the timelines of a race."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import TYPE_CHECKING, Literal, assert_never

import numpy as np

from nimdesk.figures import measure as by
from nimdesk.figures.measure import AgentMeasure, Measure, MoveMeasure, Unit
from nimdesk.games import Move
from nimdesk.games.truth import Truth
from nimdesk.search.timeline import Cost, Timeline
from nimdesk.search.types import Snapshot
from nimdesk.ui.look.move_marks import MoveColors
from nimdesk.ui.plots.history import Floats, Ints, MoveHistory, round_up, why_empty

if TYPE_CHECKING:
    from nimdesk.figures.seeds import Sample, Spread

Ends = tuple[float, float]
"""The ends of an axis, as places on it."""
_LEAST_S = 1e-6
"""Where a logarithmic axis of seconds begins at the earliest."""
_LEAST_LOG = -2.0
"""Where the logarithmic axis of a race begins: at a hundredth."""


class Drawn(Enum):
    """The kinds of plots."""

    CURVES = auto()
    """A curve for each move."""
    STACK = auto()
    """The moves' curves on each other."""
    HEAT_MAP = auto()
    """A row for each move."""
    AGENTS = auto()
    """A curve for each agent."""


@dataclass(frozen=True)
class _OfMoves:
    key: str
    title: str
    tip: str
    measure: MoveMeasure
    drawn: Literal[Drawn.CURVES, Drawn.STACK, Drawn.HEAT_MAP] = Drawn.CURVES


@dataclass(frozen=True)
class _OfAgents:
    key: str
    title: str
    tip: str
    measure: AgentMeasure
    drawn: Literal[Drawn.AGENTS] = Drawn.AGENTS


class View(Enum):
    """What a plot shows: its key in the settings, its title, what it says, its measure, and how that is drawn."""

    SHARE = _OfMoves(
        "share", "Share of visits", "Each move's share of all visits: what the search comes back to", by.SHARE
    )
    VISITS = _OfMoves("visits", "Visits", "Each move's number of visits", by.VISITS)
    STACK = _OfMoves(
        "stack",
        "Shares, stacked",
        "The shares of all moves on each other; the leader at the bottom",
        by.SHARE,
        Drawn.STACK,
    )
    HEAT = _OfMoves(
        "heat", "Shares, heat map", "One row a move; the colour is its share of the visits", by.SHARE, Drawn.HEAT_MAP
    )
    VISITS_HEAT = _OfMoves(
        "visits-heat", "Visits, heat map", "One row a move; the colour is its visits", by.VISITS, Drawn.HEAT_MAP
    )
    MEAN = _OfMoves(
        "mean", "Mean value ± error", "Each move's expected score, in a band of its standard error", by.MEAN
    )
    MEAN_HEAT = _OfMoves(
        "mean-heat", "Mean values, heat map", "One row a move; the colour is its mean value", by.MEAN, Drawn.HEAT_MAP
    )
    BOUND = _OfMoves(
        "bound",
        "Upper bound",
        "What the search maximises: the mean (line) and a bonus for moves tried little (band)",
        by.BOUND,
    )
    ENTROPY = _OfAgents(
        "entropy", "Entropy", "How widely the visits are spread, in bits: 0 is a mind made up", by.ENTROPY
    )
    OPTIMAL = _OfAgents(
        "optimal", "Share on optimal moves", "The part of all visits on moves proven optimal", by.OPTIMAL
    )
    REGRET = _OfAgents(
        "regret", "Simple regret", "What the move it would play gives away, against perfect play", by.REGRET
    )

    def __init__(self, declared: _OfMoves | _OfAgents) -> None:
        self.key, self.title, self.tip = declared.key, declared.title, declared.tip
        self.measure: Measure = declared.measure
        self.drawn: Drawn = declared.drawn
        self.of_moves = isinstance(declared, _OfMoves)
        """Whether it shows the moves of one search, not one curve for each agent."""
        self.may_log = self.measure.spans_decades and self.drawn in (Drawn.CURVES, Drawn.AGENTS)
        """Whether its value axis may be logarithmic."""


LISTED = tuple(view for view in View if view is not View.VISITS_HEAT)
"""The views that the laboratory offers; in Play, share or count is a switch of its own."""


@dataclass(frozen=True)
class Axis:
    """The x axis: which cost, logarithmic or linear."""

    cost: Cost = Cost.ITERATIONS
    log: bool = True

    def places(self, spent: Floats) -> Floats:
        """Costs as places on the axis: themselves, or their log10."""
        least = _LEAST_S if self.cost is Cost.SECONDS else 1.0
        return np.log10(np.maximum(spent, least)) if self.log else spent

    def cost_at(self, place: float) -> float:
        """The cost at a place on the axis."""
        return float(10.0**place) if self.log else place

    def range(self, first: float, last: float) -> tuple[float, float]:
        """The ends of the axis for costs from ``first`` to ``last``; never empty."""
        if self.cost is Cost.SECONDS:
            first = max(first, _LEAST_S)
            last = max(last, 2 * first)
            return (float(np.log10(first)), float(np.log10(last))) if self.log else (0.0, last)
        if last <= 1:
            # A single row stands in the middle.
            return (-0.25, 0.25) if self.log else (0.75, 1.25)
        return (0.0, float(np.log10(last))) if self.log else (1.0, last)


@dataclass(frozen=True, eq=False)
class AgentLine:
    """One agent of a race: its letter and name, its timeline (None before the first row), the style of each move.

    ``finished``: its search came to its own end, and what it chose stays.
    """

    letter: str
    name: str
    style: int
    timeline: Timeline | None
    styles: Ints
    finished: bool = False
    sample: Sample | None = None
    """The same search with other seeds."""


@dataclass(frozen=True, eq=False)
class AgentCurve:
    """One agent's curve: ``values`` over ``spent`` (both (T,); NaN where there is none), and its choice at each row.

    ``good`` says of each row whether that choice is optimal (1, 0 or NaN; None: not known).
    """

    line: AgentLine
    timeline: Timeline
    spent: Floats
    values: Floats
    good: Floats | None
    spread: Spread | None = None
    """How far searches with other seeds lie from it, over iterations."""

    def chosen(self, row: int) -> str:
        """The move that it would have played at this row; "" before there is any."""
        column = int(self.timeline.choice[row])
        return self.timeline.moves[column].text if column >= 0 else ""

    def row_at(self, spent: float) -> int:
        """The newest row that has spent no more, or the first one."""
        return max(0, int(np.searchsorted(self.spent, spent * (1 + 1e-12), side="right")) - 1)


@dataclass(frozen=True, eq=False)
class Frame:
    """What one plot shows, and how. ``history`` is the search in focus, or None and ``reason`` says why.

    ``lines`` are the agents of a race; ``until`` is what the agent that has spent most has spent. ``highlight`` is the
    move that stands out; ``moment`` marks a cost on the x axis as the moment shown elsewhere.
    """

    view: View = View.SHARE
    axis: Axis = Axis()
    history: MoveHistory | None = None
    reason: str = "Nothing has been searched yet."
    lines: tuple[AgentLine, ...] = ()
    focus: int = 0
    truth: Truth | None = None
    proving: bool = False
    """Whether the truth may still come."""
    until: float = 0.0
    highlight: Move | None = None
    moment: float | None = None
    zoomed: bool = False
    """Whether an axis of shares ends at the largest share since things settled, not at 100%."""
    log_y: bool = False
    """Whether the value axis is logarithmic, where the view may have that."""
    x_ends: Ends | None = None
    """The ends of the x axis where they are not the search's own: a part that is looked at, or those of other plots."""
    y_ends: Ends | None = None
    """The same of the value axis."""
    plain: bool = False
    """Whether simulations are called so on both axes, as in Play; else they are iterations here and visits there."""

    @classmethod
    def of_snapshot(cls, snapshot: Snapshot | None, colors: MoveColors, truth: Truth | None) -> Frame:
        """What one search shows, by itself."""
        reason = why_empty(snapshot)
        if reason or snapshot is None or snapshot.trace is None:
            return cls(reason=reason)
        return cls(history=MoveHistory(snapshot, snapshot.trace, colors, truth), reason="")

    def why_not(self) -> str:
        """Why there is nothing to draw, as a sentence; "" if there is."""
        if not self.view.of_moves:
            return self._why_no_curves()
        if self.history is None:
            return self.reason
        if self.measure.values(self.history) is None:
            return f"{self.lines[self.focus].name} {self.measure.missing}."
        if self.axis.cost is Cost.NODES and self.history.nodes is None:
            if self.history.snapshot.tree_bytes:
                return (
                    "This search was saved without the nodes at each moment. Continue (F5) searches again and counts."
                )
            return f"{self.lines[self.focus].name} keeps no tree, so there are no nodes to count."
        if self.axis.cost is Cost.PLAYOUTS and self.history.trace.playouts is None:
            return f"{self.lines[self.focus].name} does not count its playouts."
        return ""

    def _why_no_curves(self) -> str:
        if not any(line.timeline is not None for line in self.lines):
            return self.reason
        if self.view.measure.needs_truth and (self.truth is None or self.truth.value.score is None):
            if self.proving:
                return "What the moves are worth is being worked out; this view needs it."
            return "This view needs what is proven of the position, and that is not known or not shown (Ctrl+T)."
        if self.curves:
            return ""
        who = f"{self.lines[0].name} cannot" if len(self.lines) == 1 else "None of these agents can"
        return f"{who} be shown over {self.axis.cost.value}."

    # The moves of the search in focus. All of this needs a frame that has something to draw.

    @property
    def moves(self) -> MoveHistory:
        """The search in focus, which there must be."""
        assert self.history is not None
        return self.history

    @property
    def measure(self) -> MoveMeasure:
        """What is drawn of each move."""
        measure = self.view.measure
        assert isinstance(measure, MoveMeasure)
        return measure

    @property
    def x_words(self) -> str:
        """What the x axis counts."""
        cost = self.axis.cost
        return "simulations" if self.plain and cost is Cost.ITERATIONS else cost.value

    @property
    def y_words(self) -> str:
        """What is drawn of each move, in words."""
        words = self.measure.words
        return words.replace("visits", "simulations") if self.plain else words

    @property
    def agent_measure(self) -> AgentMeasure:
        """What is drawn of each agent."""
        measure = self.view.measure
        assert isinstance(measure, AgentMeasure)
        return measure

    @property
    def pointed(self) -> int | None:
        """The column of the move that stands out."""
        return self.moves.column(self.highlight)

    @cached_property
    def spent(self) -> Floats:
        """The cost of each row, (T,): the checkpoints of the search in focus, or the rows of that agent's curve."""
        if not self.view.of_moves:
            return self.focused.spent
        history, cost = self.moves, self.axis.cost
        if cost is Cost.SECONDS:
            return history.trace.elapsed_s
        if cost is Cost.NODES and history.nodes is not None:
            return history.nodes
        counted = history.trace.playouts if cost is Cost.PLAYOUTS else None
        return (history.iterations if counted is None else counted).astype(np.float64)

    @cached_property
    def x(self) -> Floats:
        """Those rows on the x axis, (T,), not decreasing."""
        return self.axis.places(self.spent)

    @cached_property
    def x_range(self) -> tuple[float, float]:
        """The ends of the x axis: room for all that any search has spent; never empty."""
        if self.x_ends is not None:
            return self.x_ends
        if not self.view.of_moves:
            first = min(float(curve.spent[0]) for curve in self.curves)
            return self.axis.range(first, max(float(curve.spent[-1]) for curve in self.curves))
        last = float(self.spent[-1])
        if self.axis.cost is Cost.ITERATIONS:
            last = max(last, float(self.moves.snapshot.iterations))
        return self.axis.range(float(self.spent[0]), max(last, self.until))

    def resampled(self, width: int) -> Ints:
        """For ``width`` equal steps of the x axis, the newest checkpoint at (or the first after) each step's middle."""
        low, high = self.x_range
        steps = low + (np.arange(width) + 0.5) * (high - low) / width
        return np.clip(np.searchsorted(self.x, steps, side="right") - 1, 0, len(self.x) - 1)

    @property
    def table(self) -> Floats:
        """What is drawn of each move at each checkpoint, (T, L); scores are NaN before the first visit."""
        values = self.measure.values(self.moves)
        assert values is not None
        return values

    def values(self, columns: Ints, rows: Ints | slice = slice(None)) -> Floats:
        """The same of these columns at these rows, (columns, rows)."""
        return np.ascontiguousarray(self.table[rows].T[columns])

    @property
    def logged(self) -> bool:
        """Whether the value axis is logarithmic."""
        return self.log_y and self.view.may_log

    def heights(self, values: Floats) -> Floats:
        """Values as places on the value axis: themselves, or their log10; NaN for the logarithm of 0."""
        if not self.logged:
            return values
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(values > 0, np.log10(values), np.nan)

    @cached_property
    def y_range(self) -> tuple[float, float]:
        """The ends of the value axis: round numbers around all values since things settled, which rarely change."""
        if self.y_ends is not None:
            return self.y_ends
        unit = self.view.measure.unit
        if not self.view.of_moves:
            most = self._most(unit)
            return (_LEAST_LOG, float(np.log10(most))) if self.logged else (0.0, most)
        match unit:
            case Unit.COUNT:
                return self._y_of_counts()
            case Unit.SHARE:
                return self._y_of_shares()
            case Unit.SCORE | Unit.BITS:
                return self._y_around()
            case _:
                assert_never(unit)

    def _most(self, unit: Unit) -> float:
        """The upper end of the value axis of a race."""
        match unit:
            case Unit.SHARE | Unit.SCORE:
                return 1.0
            case Unit.BITS:
                return max(0.5, float(np.log2(max(2, *(len(agent.timeline.moves) for agent in self.curves)))))
            case Unit.COUNT:
                return max(4.0, round_up(max(float(np.nanmax(agent.values, initial=0.0)) for agent in self.curves)))
            case _:
                assert_never(unit)

    def _y_of_counts(self) -> Ends:
        most = float(np.nanmax(self.table[-1], initial=0.0))
        if self.spread is not None:
            most = max(most, float(np.nanmax(self.spread.high[-1], initial=0.0)))
        most = max(4.0, round_up(most))
        return (0.0, float(np.log10(most))) if self.logged else (0.0, most)

    def _y_of_shares(self) -> Ends:
        if not self.logged:
            return 0.0, self.zoom_top if self.zoomed else 1.0
        shares = self.table[self.moves.settled :]
        return min(-1.0, float(np.floor(np.log10(shares[shares > 0].min())))), 0.0

    def _y_around(self) -> Ends:
        """Round numbers around the values and the lines in their bands."""
        history, measure = self.moves, self.measure
        # Early means are 0 or 1, and early bounds beyond all bounds: the second half of a logarithmic axis counts.
        first = int(np.searchsorted(history.iterations, float(history.iterations[-1]) ** 0.5))
        first = min(max(history.settled, first), len(history) - 1)
        tops = self.table[first:]
        bottoms = tops if measure.line is None else measure.line(history)[first:]
        if np.isnan(bottoms).all():
            return 0.0, 1.0
        low, high = float(np.nanmin(bottoms)), float(np.nanmax(tops))
        if self.spread is not None:
            later, named = self.spread.iterations >= history.iterations[first], list(history.named)
            low = min(low, float(np.nanmin(self.spread.low[later][:, named], initial=1.0)))
            high = max(high, float(np.nanmax(self.spread.high[later][:, named], initial=0.0)))
        room = 0.08 * max(high - low, 0.05)
        most = float(np.ceil((high + room) * 20) / 20)
        least = float(np.floor((low - room) * 20) / 20)
        return max(0.0, least), most if measure.ends is None else min(measure.ends[1], most)

    @cached_property
    def zoom_top(self) -> float:
        """The largest share since things settled, rounded up: what an axis of shares may end at."""
        return min(1.0, round_up(float(np.nanmax(self.table[self.moves.settled :], initial=0.0))))

    @cached_property
    def spread(self) -> Spread | None:
        """How far searches with other seeds lie from the one in focus, for a view with curves of moves."""
        if not self.lines or self.view.drawn is not Drawn.CURVES:
            return None
        columns = {*self.moves.named, *(() if self.pointed is None else (self.pointed,))}
        return self._spread(self.lines[self.focus], sorted(columns))

    def _spread(self, line: AgentLine, columns: list[int] | None = None) -> Spread | None:
        """Searches with other seeds can be compared after as many iterations, not after as many seconds."""
        if line.sample is None or self.axis.cost is not Cost.ITERATIONS:
            return None
        return line.sample.spread(self.view.measure.name, self.truth, columns)

    # The agents of the race

    @cached_property
    def curves(self) -> tuple[AgentCurve, ...]:
        """The curves of the agents that have this cost and this measure."""
        made = []
        for line in self.lines:
            timeline = line.timeline
            if timeline is None:
                continue
            spent, values = timeline.costs(self.axis.cost), self.agent_measure.values(timeline, self.truth)
            if spent is not None and values is not None:
                regrets = timeline.regrets(self.truth)
                good = None if regrets is None else np.where(np.isnan(regrets), np.nan, (regrets == 0).astype(float))
                made.append(AgentCurve(line, timeline, spent, values, good, self._spread(line)))
        return tuple(made)

    @property
    def focused(self) -> AgentCurve:
        """The curve of the agent in focus, or the first one."""
        focused = self.lines[self.focus]
        return next((curve for curve in self.curves if curve.line is focused), self.curves[0])

    @property
    def missing(self) -> list[str]:
        """The letters of the agents that have run and cannot be shown over this cost."""
        there = {curve.line.letter for curve in self.curves}
        return [line.letter for line in self.lines if line.timeline is not None and line.letter not in there]
