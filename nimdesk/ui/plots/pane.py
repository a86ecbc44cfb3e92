"""The presenter: shows a frame by the plot that its view needs, in Play and in the laboratory alike.

The plot with one curve for each agent is here too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from nimdesk.figures.measure import Unit
from nimdesk.games import AnyPosition, Move
from nimdesk.search.timeline import cost_words
from nimdesk.ui.look.theme import DASHES, LOOK
from nimdesk.ui.look.widgets import label
from nimdesk.ui.plots.axes import value_ticks
from nimdesk.ui.plots.canvas import table_row
from nimdesk.ui.plots.curves import CurvesPlot, MovesPlot, move_color, spread_words
from nimdesk.ui.plots.frame import AgentCurve, Drawn, Ends, Frame
from nimdesk.ui.plots.frame_plot import FramePlot
from nimdesk.ui.plots.heatmap import HeatMapPlot, StackPlot
from nimdesk.ui.plots.history import Ints
from nimdesk.ui.plots.ink import DOT, Column, Line, Picture, Pixels, Shape, Words, band_of, between, pen, rgba

_COLUMNS = 400
_LANE = 8
"""Rows of the picture for each agent's ribbon."""
_RIBBON = 0.075
"""Height of a ribbon as a part of the value axis."""
_GAP = 0.03
_WIDER = 2.0
"""Pixels by which a curve is wider than the one drawn over it, where they lie on one another."""


class AgentsPlot(FramePlot):
    """The curves differ by colour and dashes and carry their letters; above them runs a ribbon for each agent.

    A ribbon is full where the choice is optimal and thin where it is not; where nothing is proven it has the colour of
    the move chosen.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        self.curves: tuple[Line, ...] = ()
        """The curves of the agents shown, in order."""
        super().__init__(parent)

    def draw_frame(self, frame: Frame) -> None:
        agents, (bottom, top) = frame.curves, frame.y_range
        height = top - bottom
        metrics = QFontMetricsF(self.small_font(bold=True))
        self.right_room = max(metrics.horizontalAdvance(agent.line.letter) for agent in agents) + DOT + 18.0
        above, ribbons = top + height * _GAP, height * _RIBBON * len(agents)
        self.set_range(frame.axis, frame.x, frame.x_range, bottom - 0.02 * height, above + ribbons)
        measure = frame.agent_measure
        self.y_axis.set_label(measure.axis)
        self.y_axis.show_ticks(value_ticks(measure.unit, bottom, top, self.box.height(), log=frame.logged))
        self.x_axis.set_label(frame.axis.cost.value)
        # The one in focus on top.
        order = sorted(range(len(agents)), key=lambda slot: (agents[slot] is frame.focused, slot))
        self.curves = tuple(_curve(frame, agent, len(agents) - 1 - order.index(at)) for at, agent in enumerate(agents))
        letters = [
            self._letter(agent, float(curve.x[-1]), float(curve.y[-1]))
            for agent, curve in zip(agents, self.curves, strict=True)
            if len(curve.x)
        ]
        if len(agents) > 1:
            # Whose ribbons they are. Those of the curves come first: they stay where a low plot has no room for all.
            middles = above + ribbons * (np.arange(len(agents)) + 0.5) / len(agents)
            right = frame.x_range[1]
            letters += [self._letter(agent, right, y) for agent, y in zip(agents, middles.tolist(), strict=True)]
        ends = *frame.x_range, above, above + ribbons
        shapes = [*self._seeds(frame), *(self.curves[slot] for slot in order)]
        self.ink.show_shapes([*shapes, Picture(_ribbons(frame), *ends), Column(letters)])

    @staticmethod
    def _seeds(frame: Frame) -> list[Shape]:
        """Behind the curves: the bands of the same searches with other seeds, and their medians or means."""
        bands: list[Shape] = []
        medians: list[Shape] = []
        bottom, top = frame.y_range
        for agent in frame.curves:
            if (spread := agent.spread) is None:
                continue
            x, color = frame.axis.places(spread.iterations.astype(np.float64)), LOOK.theme.curve(agent.line.style)
            # The logarithm of 0 is below all that is shown.
            low, high = (
                np.clip(np.nan_to_num(frame.heights(part), nan=bottom), bottom, top)
                for part in (spread.low, spread.high)
            )
            bands.append(band_of(x, low, high, frame.x_range, color))
            middle = frame.heights(spread.middle)
            x, middle = x[~np.isnan(middle)], middle[~np.isnan(middle)]
            if frame.agent_measure.of_choice:
                x, middle = np.repeat(x, 2)[1:], np.repeat(middle, 2)[:-1]
            medians.append(Line(*between(x, middle, *frame.x_range), pen(color, 1.0, Qt.PenStyle.DotLine)))
        return [*bands, *medians]

    def _letter(self, agent: AgentCurve, x: float, y: float) -> Words:
        ink, dot = LOOK.theme.color("text"), LOOK.theme.curve(agent.line.style)
        return Words(agent.line.letter, x, y, ink, self.small_font(bold=True), dot=dot)

    def say(self, row: int) -> None:
        frame = self.frame
        assert frame is not None
        spent = float(frame.spent[row])
        rows = []
        for agent in frame.curves:
            own = agent.row_at(spent)
            value = float(agent.values[own])
            number = "–" if np.isnan(value) else _number(frame.view.measure.unit, value)
            cells = [f"{agent.line.letter} {agent.line.name}", number]
            if chosen := agent.chosen(own):
                verdict = "" if agent.good is None else {1.0: " ✓", 0.0: " ✗"}.get(float(agent.good[own]), "")
                cells.append(f"plays {chosen}{verdict}")
            if (spread := agent.spread) is not None:
                at = spread.rows_at(agent.timeline.iterations[own : own + 1])[0]
                mean = f"mean {spread.middle[at]:.3g}, " * (spread.is_mean and not np.isnan(spread.middle[at]))
                cells.append(f"seeds {mean}{spread_words(frame, spread.low[at], spread.high[at])}")
            color = LOOK.theme.curve(agent.line.style).name()
            rows.append(table_row(color, cells, bold=agent is frame.focused))
        self.readout.say(f"<b>{cost_words(frame.axis.cost, spent)}</b>", rows)


def _number(unit: Unit, value: float) -> str:
    match unit:
        case Unit.SHARE:
            return f"{value:.1%}"
        case Unit.COUNT:
            return f"{value:,.0f}"
        case Unit.SCORE | Unit.BITS:
            return f"{value:.3g}"
        case _:
            assert_never(unit)


def _curve(frame: Frame, agent: AgentCurve, above: int) -> Line:
    """The curve of an agent, over which those of so many others are drawn."""
    heights = frame.heights(agent.values)
    known = ~np.isnan(heights)
    x, y = frame.axis.places(agent.spent[known]), heights[known]
    if agent.line.finished and len(x):
        x, y = np.append(x, max(float(x[-1]), frame.x_range[1])), np.append(y, y[-1])
    # What belongs to a choice keeps its value until the next row.
    steps = frame.agent_measure.of_choice or agent.timeline.trace is None
    if steps and len(x):
        x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
    # Steps lie on one another, at the few values that there are: those below are seen on both sides of those above.
    width = 1.0 + _WIDER * above if steps else 1.0
    style = agent.line.style
    return Line(*between(x, y, *frame.x_range), pen(LOOK.theme.curve(style), width, DASHES[style % len(DASHES)]))


def _ribbons(frame: Frame) -> Pixels:
    """Lanes of what each agent would have played, the first one lowest."""
    left, right = frame.x_range
    steps = left + (np.arange(_COLUMNS) + 0.5) * (right - left) / _COLUMNS
    picture = np.zeros((_LANE * len(frame.curves), _COLUMNS, 4), np.uint8)
    for lane, agent in enumerate(frame.curves):
        x = frame.axis.places(agent.spent)
        rows = np.clip(np.searchsorted(x, steps, side="right") - 1, 0, len(x) - 1)
        there = ((steps <= x[-1] + 1e-9) | agent.line.finished) & (agent.timeline.choice[rows] >= 0)
        whole = picture[lane * _LANE + 1 : (lane + 1) * _LANE - 1]
        if agent.good is None:
            whole[:, there] = _choice_colors(agent, rows)[there]
        else:
            good = agent.good[rows]
            whole[:, there & (good == 1)] = rgba(LOOK.theme.color("win"))
            whole[:2, there & (good == 0)] = rgba(LOOK.theme.color("loss"))
    return picture[::-1]


def _choice_colors(agent: AgentCurve, rows: Ints) -> Pixels:
    """The colour of the move chosen at each of these rows."""
    styles, where = np.unique(agent.line.styles[agent.timeline.choice[rows]], return_inverse=True)
    return np.array([rgba(move_color(LOOK.theme, style)) for style in styles.tolist()], np.uint8)[where]


def _kind(drawn: Drawn) -> type[FramePlot]:
    """The plot that draws in this way."""
    match drawn:
        case Drawn.CURVES:
            return CurvesPlot
        case Drawn.STACK:
            return StackPlot
        case Drawn.HEAT_MAP:
            return HeatMapPlot
        case Drawn.AGENTS:
            return AgentsPlot
        case _:
            assert_never(drawn)


def _searched(frame: Frame) -> AnyPosition | None:
    """What was searched."""
    return None if frame.history is None else frame.history.snapshot.position


class PlotPane(QStackedWidget):
    """The plot of a frame, or the sentence why there is none. Plots are made when first wanted.

    It draws only while it is visible, and catches up when it is shown.
    """

    move_hovered = Signal(object)
    """The ``Move`` under the mouse changed; None when there is none."""
    moment_chosen = Signal(float)
    """A person pressed or dragged on the plot: the cost there. Only where the pane is ``scrubbable``."""
    x_zoomed = Signal(object)
    """A person zoomed or moved on the x axis: its ends; None for all of it."""

    def __init__(self, *, name: str = "", scrubbable: bool = False) -> None:
        """``name`` tells this pane from others in spoken words."""
        super().__init__()
        self._name, self._scrubbable = name, scrubbable
        self.frame = Frame()
        """What is shown, or will be as soon as the pane is visible."""
        self._plots: dict[type[FramePlot], FramePlot] = {}
        self._stale = True
        self._x_shown = True
        self._x_zoom: Ends | None = None
        self._names_shown = True
        self.empty = label(wrap=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setMargin(20)
        self.addWidget(self.empty)
        self.setMinimumSize(150, 90)

    @property
    def plot(self) -> FramePlot:
        """The plot of this view, made if need be."""
        return self._plot(_kind(self.frame.view.drawn))

    def _plot(self, kind: type[FramePlot]) -> FramePlot:
        if kind not in self._plots:
            made = self._plots[kind] = kind()
            made.scrubbable = self._scrubbable
            made.moment_chosen.connect(self.moment_chosen)
            made.x_zoomed.connect(self._on_x_zoomed)
            made.set_x_zoom(self._x_zoom)
            if isinstance(made, MovesPlot):
                made.move_hovered.connect(self.move_hovered)
            if isinstance(made, CurvesPlot):
                made.names_shown = self._names_shown
            self.addWidget(made)
        return self._plots[kind]

    def make_ahead(self) -> bool:
        """Make one more plot that another view would need: choosing it then takes no longer than a frame.

        Returns whether there was any to make.
        """
        missing = [kind for kind in (AgentsPlot, CurvesPlot, HeatMapPlot, StackPlot) if kind not in self._plots]
        if missing:
            self._plot(missing[0])
        return bool(missing)

    def show_frame(self, frame: Frame) -> None:
        """Draw this: all of it if it is of another search or over another axis, else the part that was shown."""
        if (frame.axis, _searched(frame)) != (self.frame.axis, _searched(self.frame)):
            self.show_all()
        self.frame = frame
        self._stale = not self.isVisible()
        if self._stale:
            return
        self.empty.setText(frame.why_not())
        if self.empty.text():
            self.setCurrentWidget(self.empty)
            return
        plot = self.plot
        self.setCurrentWidget(plot)
        plot.show_x(self._x_shown)
        if self._name:
            plot.setAccessibleName(f"{self._name}: {frame.view.title}")
        plot.show_frame(frame)

    def set_highlight(self, move: Move | None) -> None:
        """Make this move stand out; emits nothing."""
        if move != self.frame.highlight:
            self.show_frame(replace(self.frame, highlight=move))

    def set_moment(self, moment: float | None) -> None:
        """Mark this cost on the x axis."""
        if moment != self.frame.moment:
            self.show_frame(replace(self.frame, moment=moment))

    @property
    def draws(self) -> bool:
        """Whether there is a plot to be seen, not the reason why there is none."""
        return self.isVisible() and self.currentWidget() is not self.empty

    # The part that is looked at

    def set_x_zoom(self, ends: Ends | None) -> None:
        """Show this part of the x axis, or all of it; emits nothing."""
        self._x_zoom = ends
        for plot in self._plots.values():
            plot.set_x_zoom(ends)

    def show_all(self) -> None:
        """Show all of the plot again."""
        for plot in self._plots.values():
            plot.show_all()
        self._x_zoom = None

    def _on_x_zoomed(self, ends: Ends | None) -> None:
        self.set_x_zoom(ends)
        self.x_zoomed.emit(ends)

    # Plots above each other

    def show_x(self, shown: bool) -> None:
        """Show the numbers and the name of the x axis, or leave them to the pane below."""
        self._x_shown = shown
        if self.draws:
            self.plot.show_x(shown)

    def show_names(self, shown: bool) -> None:
        """Write the names of the moves at the ends of their curves, or leave them to a list beside the plot."""
        self._names_shown = shown
        plot = self._plots.get(CurvesPlot)
        if isinstance(plot, CurvesPlot) and plot.names_shown != shown:
            plot.names_shown = shown
            plot.redraw()

    def share_edges(self, left: int, right: float) -> None:
        """Leave at least so many pixels for the axis at the left, and for words right of the newest row."""
        if self.draws:
            self.plot.y_axis.share_width(left)
            if right != self.plot.least_room:
                self.plot.least_room = right
                self.plot.redraw()

    def describe(self, text: str) -> None:
        """What is shown, in words, for people who do not see it."""
        # The plot has the keyboard, not the pane around it.
        for part in (self, *self._plots.values()):
            if text != part.accessibleDescription():
                part.setAccessibleDescription(text)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self.show_frame(self.frame)

    def sizeHint(self) -> QSize:
        return QSize(520, 230)
