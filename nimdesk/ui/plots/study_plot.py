"""Convergence over many searches: probability of an optimal choice, or regret, against budget, one curve an agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from nimdesk.search.timeline import Cost
from nimdesk.ui.look.theme import DASHES, Theme
from nimdesk.ui.plots.axes import ValueAxis, pen
from nimdesk.ui.plots.canvas import PlotCanvas
from nimdesk.ui.plots.data import Floats, Mode, on_axis
from nimdesk.ui.plots.ink import Band, Column, Line, Shape, Words
from nimdesk.ui.plots.readout import table_row
from nimdesk.ui.plots.symbols import Symbols, paint_symbol

_LOG = Mode(log_x=True, cost=Cost.ITERATIONS)
_CLOSE = 24
"""A press this many pixels from a point, or closer, is on it."""
_MOST_BANDS = 3
_WIDTH = 1.6
_CHANCE = "chance"
_LETTER_AWAY = 8.0
"""Pixels from the last point of a curve to its letter."""
_RING = 15.0
"""How wide the ring around the point is that the keyboard is on."""


@dataclass(frozen=True, eq=False)
class StudyCurve:
    """One agent: ``values`` at each budget between ``low`` and ``high`` (all (B,); NaN before its first search).

    ``letter`` stands at the end of the curve; ``style`` chooses its colour, dashes and marks.
    """

    letter: str
    name: str
    style: int
    values: Floats
    low: Floats
    high: Floats
    words: tuple[str, ...]
    """What the read-out says at each budget."""


@dataclass(frozen=True, eq=False)
class StudyCurves:
    """What a ``StudyPlot`` draws; at least one curve and one budget. ``chance`` is where choosing blindly would lie."""

    budgets: Floats
    curves: tuple[StudyCurve, ...]
    label: str
    unit: str
    top: float
    chance: float | None = None

    def __len__(self) -> int:
        """The number of budgets."""
        return len(self.budgets)

    def x(self, mode: Mode) -> Floats:
        """The budgets on the axis."""
        return on_axis(self.budgets, mode)

    def x_range(self, mode: Mode) -> tuple[float, float]:
        """From the first budget to the last."""
        x = self.x(mode)
        first, last = float(x[0]), float(x[-1])
        return (first, last) if last > first else (first - 0.5, last + 0.5)


def curve_pen(theme: Theme, style: int, width: float = 1.0) -> Any:
    """The pen of the agent with this style: dashes change with every agent, so that colour is never alone."""
    return pen(theme.curve(style), width, DASHES[style % len(DASHES)])


def curve_sample(theme: Theme, style: int, ratio: float) -> QPixmap:
    """A short piece of the agent's line with its mark, for a key."""
    pixmap = QPixmap(round(34 * ratio), round(14 * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    color = theme.curve(style)
    painter.setPen(QPen(color, 1.6, DASHES[style % len(DASHES)]))
    painter.drawLine(1, 7, 33, 7)
    paint_symbol(painter, style, color, QPointF(17, 7))
    painter.end()
    return pixmap


class StudyPlot(PlotCanvas[StudyCurves]):
    """Curves with their intervals as bands; a point can be chosen with the mouse, or the arrow keys and Enter."""

    point_chosen = Signal(int, int, object)
    """A person chose a point: which curve, which budget (their indices), and where it is (a global ``QPoint``)."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._values = ValueAxis()
        super().__init__(theme, self._values, parent)
        self._values.setGrid(255)
        self._ring: Any = pg.ScatterPlotItem(size=_RING, symbol="o")
        self._ring.setZValue(21)
        self.item.addItem(self._ring, ignoreBounds=True)
        # The first marks are whole, and so is the ring around one of them.
        self.left_room = _RING / 2 + 2.0
        self.focus_curve = 0
        """Which curve the keyboard is on."""
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._ring.setPen(pen(theme.color("accent"), 2.0))
        self._ring.setBrush(QColor(0, 0, 0, 0))
        font = self.font()
        font.setBold(True)
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.88))
        self._bold = font
        super().set_theme(theme)

    def show_curves(self, data: StudyCurves) -> None:
        """Draw these."""
        self.focus_curve = min(self.focus_curve, len(data.curves) - 1)
        self.set_data(data, _LOG)

    def draw(self, data: StudyCurves, mode: Mode) -> None:
        x = data.x(mode)
        metrics = QFontMetricsF(self._bold)
        beside = [curve.letter for curve in data.curves] + [_CHANCE] * (data.chance is not None)
        self.right_room = _LETTER_AWAY + 4 + max(map(metrics.horizontalAdvance, beside))
        self._values.measure(data.label, data.unit, 0.0, data.top)
        margin = 0.04 * data.top
        self.set_range(data, mode, -margin, data.top + margin)
        self._draw_ink(data, x)
        self.label_x(" (budget of each search)")

    def _draw_ink(self, data: StudyCurves, x: Floats) -> None:
        """Bands, lines and their marks, a letter at the end of every curve, and of the line of chance its name."""
        bands: list[Shape] = []
        lines: list[Shape] = []
        symbols: list[Shape] = []
        letters: list[Words] = []
        # More bands than that hide each other: then only the curve pointed at has its own.
        few = len(data.curves) <= _MOST_BANDS
        for number, curve in enumerate(data.curves):
            color, known = self._theme.curve(curve.style), np.flatnonzero(~np.isnan(curve.values))
            if len(known) > 1 and (few or number == self.focus_curve):
                bands.append(Band(x[known], curve.low[known], curve.high[known], color))
            if len(known):
                last = known[-1]
                lines.append(Line(x[known], curve.values[known], curve_pen(self._theme, curve.style, _WIDTH)))
                symbols.append(Symbols(x[known], curve.values[known], curve.style, color))
                place = float(x[last]), float(curve.values[last])
                letters.append(Words(curve.letter, *place, color, self._bold, _LETTER_AWAY))
        if data.chance is not None:
            muted = self._theme.color("muted")
            ends = np.array(data.x_range(self._mode))
            lines.insert(0, Line(ends, np.full(2, data.chance), pen(muted, 1.0, Qt.PenStyle.DotLine)))
            letters.append(Words(_CHANCE, float(x[-1]), data.chance, muted, self._bold, _LETTER_AWAY))
        self.ink.show_shapes([*bands, *lines, *symbols, Column(tuple(letters))])

    # Points

    def say(self, data: StudyCurves, checkpoint: int) -> None:
        rows = "".join(
            table_row(
                self._theme.curve(curve.style).name(),
                [f"{curve.letter} {curve.name}", curve.words[checkpoint]],
                bold=number == self.focus_curve,
            )
            for number, curve in enumerate(data.curves)
        )
        self.readout.say_table(f"<b>budget {int(data.budgets[checkpoint]):,}</b>", rows)

    def mark(self, checkpoint: int | None) -> None:
        data = self._data
        if data is None or checkpoint is None:
            self._ring.setData([], [])
            return
        value = float(data.curves[self.focus_curve].values[checkpoint])
        if np.isnan(value):
            self._ring.setData([], [])
        else:
            self._ring.setData([float(data.x(self._mode)[checkpoint])], [value])

    def point(self, curve: int, budget: int) -> QPointF:
        """Where this point is, in this widget."""
        assert self._data is not None
        value = float(self._data.curves[curve].values[budget])
        return self.pixel(float(self._data.x(self._mode)[budget]), value)

    def _nearest(self, place: QPointF) -> tuple[int, int] | None:
        """The point nearest to this place of the view: curve and budget; None where none is close."""
        data = self._data
        if data is None:
            return None
        at, (wide, high) = self.place(place), self.item.vb.viewPixelSize()
        across = (data.x(self._mode) - at.x()) / wide
        up = (np.array([curve.values for curve in data.curves]) - at.y()) / high
        # What is not known is nowhere near.
        away = np.nan_to_num(across**2 + up**2, nan=np.inf)
        curve, budget = divmod(int(away.argmin()), len(data))
        return (curve, budget) if away[curve, budget] <= _CLOSE**2 else None

    def point_at(self, point: QPointF | None) -> None:
        if point is None:
            return
        found = self._nearest(point)
        if found is not None and found[0] != self.focus_curve:
            self._focus(found[0])

    def _focus(self, curve: int) -> None:
        self.focus_curve = curve
        data = self._data
        if data is not None and len(data.curves) > _MOST_BANDS:
            self._draw_ink(data, data.x(self._mode))
        self.show_readout()

    def _mouse_dragged(self, point: QPointF) -> None:
        found = self._nearest(point)
        if found is not None:
            self._choose(*found)

    def _choose(self, curve: int, budget: int) -> None:
        place = self.mapToGlobal(self.point(curve, budget).toPoint())
        self.point_chosen.emit(curve, budget, place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        data, key, at = self._data, event.key(), self.checkpoint
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(key))
        if data is not None and step is not None:
            self._focus((self.focus_curve + step) % len(data.curves))
        elif data is not None and at is not None and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if not np.isnan(data.curves[self.focus_curve].values[at]):
                self._choose(self.focus_curve, at)
        else:
            super().keyPressEvent(event)
