"""One curve for each agent: entropy, share on optimal moves, regret; and above them what each would have played."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QWidget

from nimdesk.ui.look.theme import DASHES, LOOK
from nimdesk.ui.plots.axes import value_ticks
from nimdesk.ui.plots.canvas import FramePlot, table_row
from nimdesk.ui.plots.curves import move_color
from nimdesk.ui.plots.frame import AgentCurve, Frame, View
from nimdesk.ui.plots.history import Ints
from nimdesk.ui.plots.ink import Column, Line, Picture, Pixels, Words, pen, rgba
from nimdesk.ui.plots.words import cost_words

_COLUMNS = 400
_LANE = 8
"""Rows of the picture for each agent's ribbon."""
_RIBBON = 0.075
"""Height of a ribbon as a part of the value axis."""
_GAP = 0.03
_LABELS = {View.ENTROPY: "entropy, bits", View.OPTIMAL: "on optimal moves", View.REGRET: "simple regret"}


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
        agents, top = frame.curves, _top(frame)
        metrics = QFontMetricsF(self.small_font(bold=True))
        self.right_room = max(metrics.horizontalAdvance(agent.line.letter) for agent in agents) + 14.0
        ribbons = top * _RIBBON * len(agents)
        self.set_range(frame.axis, frame.x, frame.x_range, -0.02 * top, top * (1 + _GAP) + ribbons)
        self.y_axis.set_label(_LABELS[frame.view])
        self.y_axis.show_ticks(value_ticks("%" if frame.view is View.OPTIMAL else "", 0.0, top, self.box.height()))
        self.x_axis.set_label(frame.axis.cost.value)
        self.curves = tuple(_curve(frame, slot, agent, top) for slot, agent in enumerate(agents))
        # The one in focus on top.
        order = sorted(range(len(agents)), key=lambda slot: (agents[slot] is frame.focused, slot))
        letters = [
            self._letter(agent, float(curve.x[-1]), float(curve.y[-1]))
            for agent, curve in zip(agents, self.curves, strict=True)
            if len(curve.x)
        ]
        if len(agents) > 1:
            # Whose ribbons they are. Those of the curves come first: they stay where a low plot has no room for all.
            middles = top * (1 + _GAP) + ribbons * (np.arange(len(agents)) + 0.5) / len(agents)
            right = frame.x_range[1]
            letters += [self._letter(agent, right, y) for agent, y in zip(agents, middles.tolist(), strict=True)]
        ends = *frame.x_range, top * (1 + _GAP), top * (1 + _GAP) + ribbons
        self.ink.show_shapes([*(self.curves[slot] for slot in order), Picture(_ribbons(frame), *ends), Column(letters)])

    def _letter(self, agent: AgentCurve, x: float, y: float) -> Words:
        return Words(agent.line.letter, x, y, LOOK.theme.curve(agent.line.style), self.small_font(bold=True))

    def say(self, row: int) -> None:
        frame = self.frame
        assert frame is not None
        spent = float(frame.spent[row])
        rows = []
        for agent in frame.curves:
            own = agent.row_at(spent)
            value = float(agent.values[own])
            number = f"{value:.1%}" if frame.view is View.OPTIMAL else f"{value:.3g}"
            cells = [f"{agent.line.letter} {agent.line.name}", "–" if np.isnan(value) else number]
            if chosen := agent.chosen(own):
                verdict = "" if agent.good is None else {1.0: " ✓", 0.0: " ✗"}.get(float(agent.good[own]), "")
                cells.append(f"plays {chosen}{verdict}")
            color = LOOK.theme.curve(agent.line.style).name()
            rows.append(table_row(color, cells, bold=agent is frame.focused))
        self.readout.say(f"<b>{cost_words(frame.axis.cost, spent)}</b>", rows)


def _top(frame: Frame) -> float:
    """The top of the value axis."""
    if frame.view is not View.ENTROPY:
        return 1.0
    return max(0.5, float(np.log2(max(2, *(len(agent.timeline.moves) for agent in frame.curves)))))


def _curve(frame: Frame, slot: int, agent: AgentCurve, top: float) -> Line:
    known = ~np.isnan(agent.values)
    x, y = frame.axis.places(agent.spent[known]), agent.values[known]
    if agent.line.finished and len(x):
        x, y = np.append(x, max(float(x[-1]), frame.x_range[1])), np.append(y, y[-1])
    # What belongs to a choice keeps its value until the next row.
    if (frame.view is View.REGRET or agent.timeline.trace is None) and len(x):
        # Curves that lie on one another are parted by a little.
        x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1] + slot * 0.008 * top
    style = agent.line.style
    return Line(x, y, pen(LOOK.theme.curve(style), 1.0, DASHES[style % len(DASHES)]))


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
