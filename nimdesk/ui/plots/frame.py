"""Everything that the laboratory's views draw from, at one moment: the search in focus, and all agents' timelines."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from nimdesk.games.truth import Truth
from nimdesk.search.timeline import Cost, Timeline
from nimdesk.ui.plots.data import Floats, Ints, Measure, Mode, PlotData, named_moves
from nimdesk.ui.plots.series import Series, SeriesData


class View(Enum):
    """What a pane can show: its key in the settings, its title, and what it says."""

    SHARE = ("share", "Share of visits", "Each move's share of all visits: which move the search comes back to")
    VISITS = ("visits", "Visits", "Each move's number of visits")
    STACK = ("stack", "Shares, stacked", "The shares of all moves on top of each other; the leader at the bottom")
    HEAT = ("heat", "Shares, heat map", "One row for each move, however many; the colour is its share of the visits")
    MEAN = ("mean", "Mean value ± error", "The expected score of each move, in a band of its standard error")
    MEAN_HEAT = ("mean-heat", "Mean values, heat map", "One row for each move; the colour is its mean value")
    BOUND = ("bound", "Upper bound", "What UCT maximises: the mean (line) plus the exploration term (band)")
    ENTROPY = ("entropy", "Entropy", "How widely the visits are spread, in bits: 0 is a mind made up")
    OPTIMAL = ("optimal", "Share on optimal moves", "The part of all visits that goes to moves proven optimal")
    REGRET = ("regret", "Simple regret", "What the move it would play gives away, against perfect play")

    def __init__(self, key: str, title: str, tip: str) -> None:
        self.key, self.title, self.tip = key, title, tip

    @property
    def of_moves(self) -> bool:
        """Whether it shows the moves of one search, not one curve for each agent."""
        return self not in (View.ENTROPY, View.OPTIMAL, View.REGRET)


VIEWS = {view.key: view for view in View}
_MEASURES = {
    View.VISITS: Measure.VISITS,
    View.MEAN: Measure.MEAN,
    View.MEAN_HEAT: Measure.MEAN,
    View.BOUND: Measure.BOUND,
}


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


@dataclass(frozen=True, eq=False)
class Frame:
    """What there is to draw. ``data`` is the search in focus, or None and ``reason`` says why."""

    cost: Cost = Cost.ITERATIONS
    log_x: bool = True
    data: PlotData | None = None
    reason: str = "Nothing has been searched yet."
    lines: tuple[AgentLine, ...] = ()
    focus: int = 0
    truth: Truth | None = field(default=None)
    proving: bool = False
    """Whether the truth may still come."""
    _series: dict[View, SeriesData | None] = field(default_factory=dict, repr=False)

    def mode(self, view: View) -> Mode:
        """How this view draws."""
        return Mode(self.log_x, _MEASURES.get(view, Measure.SHARE), self.cost)

    def why_not(self, view: View) -> str:
        """Why this view has nothing to draw, as a sentence; "" if it has."""
        if view.of_moves:
            if self.data is None:
                return self.reason
            if view is View.BOUND and self.data.exploration is None:
                return f"{self.lines[self.focus].name} does not search by an upper bound."
            if self.cost is Cost.NODES and self.data.nodes is None:
                return f"{self.lines[self.focus].name} keeps no tree, so there are no nodes to count."
            if self.cost is Cost.PLAYOUTS and self.data.trace.playouts is None:
                return f"{self.lines[self.focus].name} does not count its playouts."
            return ""
        if not any(line.timeline is not None for line in self.lines):
            return self.reason
        if view is not View.ENTROPY and not self._known:
            if self.proving:
                return "What the moves are worth is being worked out; this view needs it."
            return "This view needs what is proven of the position, and that is not known or not shown (Ctrl+T)."
        if self.series(view) is None:
            return f"None of these agents can be shown over {self.cost.value}."
        return ""

    @property
    def _known(self) -> bool:
        return self.truth is not None and self.truth.value.score is not None

    def series(self, view: View) -> SeriesData | None:
        """The curves of the agents that have this cost and this measure; None if there are none."""
        # Asked for three times: is there any, who is missing, and to be drawn.
        if view not in self._series:
            self._series[view] = self._make_series(view)
        return self._series[view]

    def _make_series(self, view: View) -> SeriesData | None:
        made: list[Series] = []
        focus = 0
        for index, line in enumerate(self.lines):
            timeline = line.timeline
            spent = None if timeline is None else timeline.costs(self.cost)
            values = None if timeline is None else self._values(view, timeline)
            if timeline is None or spent is None or values is None:
                continue
            if index == self.focus:
                focus = len(made)
            regrets = timeline.regrets(self.truth)
            good = None if regrets is None else np.where(np.isnan(regrets), np.nan, (regrets == 0).astype(float))
            names = named_moves(timeline.moves).names
            made.append(
                Series(
                    line.letter,
                    line.name,
                    line.style,
                    spent,
                    values,
                    timeline.choice,
                    names,
                    good,
                    line.styles,
                    line.finished,
                    timeline.trace is None,
                )
            )
        if not made:
            return None
        if view is View.ENTROPY:
            moves = max(len(each.moves) for each in made)
            return SeriesData(tuple(made), focus, "entropy, bits", "", max(0.5, float(np.log2(max(2, moves)))))
        if view is View.OPTIMAL:
            return SeriesData(tuple(made), focus, "on optimal moves", "%", 1.0)
        return SeriesData(tuple(made), focus, "simple regret", "", 1.0, stepped=True)

    def missing(self, view: View) -> list[str]:
        """The letters of the agents that have run and cannot be shown over this cost."""
        drawn = self.series(view)
        there = {each.letter for each in drawn.series} if drawn is not None else set()
        return [line.letter for line in self.lines if line.timeline is not None and line.letter not in there]

    def _values(self, view: View, line: Timeline) -> Floats | None:
        if view is View.OPTIMAL:
            return line.optimal_shares(self.truth)
        if view is View.REGRET:
            return line.regrets(self.truth)
        return line.entropy_bits()
