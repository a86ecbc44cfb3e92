"""The curves: visits, share, mean value or upper bound of the most visited root moves over iterations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import QWidget

from nimdesk.games import Move
from nimdesk.theory import Value
from nimdesk.ui.plots.axes import ValueAxis, pen
from nimdesk.ui.plots.bands import Bands
from nimdesk.ui.plots.data import Floats, Ints, Measure, Mode, PlotData
from nimdesk.ui.plots.looks import line_color, line_dash
from nimdesk.ui.plots.move_canvas import STRIP_GAP, STRIP_HEIGHT, MoveCanvas
from nimdesk.ui.proven import short_words
from nimdesk.ui.theme import Theme

MAX_CURVES = 30
"""More lines than this cannot be told apart, and cost more than a frame."""

_NEAR = 14.0
"""How many pixels away from a curve the mouse still points at it."""

_CHANGES = 40
"""At most so many changes of the leader are marked, the newest ones."""

_NARROW = 380
"""Below this width in pixels the words on the leader's end go below its name."""

_BOLD_WINS = 3
"""At most so many winning curves are drawn thicker: thick lines are slow."""

_PenKey = tuple[int, bool, bool, Value | None, float]
"""Style, pointed at, another is pointed at, what is proven, width."""


class CurvesPlot(MoveCanvas):
    """One curve for each move, the highlighted one thick; the leader's end carries a marker with its name.

    Mean values stand in a band of their standard error, for the leader and the move pointed at; of an upper bound the
    same moves show the part that is exploration, above the line of the mean.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._values = ValueAxis()
        super().__init__(theme, self._values, parent)
        self.setAccessibleName("Visits of the moves over iterations")
        self._values.setGrid(255)
        self._pool: list[Any] = []
        self._pen_keys: list[_PenKey | None] = []
        self._pens: dict[_PenKey, Any] = {}
        self._drawn: list[int] = []
        self._heights: Floats = np.zeros((0, 0))
        self._changes: Any = pg.ScatterPlotItem(size=6, pxMode=True)
        self._changes.setZValue(8)
        self._end: Any = pg.ScatterPlotItem(size=11, pxMode=True, symbol="t1")
        self._end.setZValue(12)
        self._point: Any = pg.ScatterPlotItem(size=8, pxMode=True)
        self._point.setZValue(21)
        self._name: Any = pg.TextItem(anchor=(0.0, 0.5))
        self._name.setZValue(12)
        self._mean: Any = pg.PlotCurveItem()
        self._mean.setZValue(11)
        for item in (self._changes, self._end, self._point, self._name, self._mean):
            self.item.addItem(item, ignoreBounds=True)
        self._bands = Bands(self.item)
        self.set_theme(theme)

    @property
    def drawn_moves(self) -> tuple[Move, ...]:
        """The moves that have a curve, most visited first."""
        return tuple(self._data.moves[column] for column in self._drawn) if self._data is not None else ()

    def curve(self, move: Move) -> Any:
        """The plot item of this move; ``KeyError`` if it has none."""
        assert self._data is not None
        column = self._data.columns[move]
        if column not in self._drawn:
            raise KeyError(move)
        return self._pool[self._drawn.index(column)]

    def set_theme(self, theme: Theme) -> None:
        self._pens.clear()
        self._pen_keys = [None] * len(self._pool)
        ground, muted = theme.color("plot"), theme.color("muted")
        self._changes.setPen(pen(muted))
        self._changes.setBrush(pg.mkBrush(ground))
        self._end.setPen(pen(ground))
        self._point.setPen(pen(theme.color("text")))
        font = self.font()
        font.setBold(True)
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.88))
        self._name.setFont(font)
        self._name_metrics = QFontMetricsF(font)
        super().set_theme(theme)

    # Drawing

    def draw(self, data: PlotData, mode: Mode) -> None:
        bottom, top = data.bottom(mode), data.top(mode)
        height = top - bottom
        lines = self._leader_words(data).split("\n")
        self.right_room = max(self._name_metrics.horizontalAdvance(line) for line in lines) + 20.0
        self.set_range(data, mode, bottom, top + height * (STRIP_GAP + STRIP_HEIGHT))
        unit = "count" if mode.counts else "" if mode.values else "%"
        self._values.measure(mode.measure.value, unit, bottom, top)
        some = f" · curves of the {MAX_CURVES} most visited of {len(data.moves)} moves"
        self.label_x(some if len(data.moves) > MAX_CURVES else "")
        columns = self._choose(data)
        self._heights = data.values(columns, mode)
        x = data.x(mode)
        for slot, heights in enumerate(self._heights):
            if slot == len(self._pool):
                self._add_curve()
            # A value is there from the first visit on; Qt's paths do not bear what is no number.
            first = int(np.isnan(heights).sum()) if mode.values else 0
            self._pool[slot].setData(x[first:], heights[first:], skipFiniteCheck=True, antialias=True)
            self._pool[slot].show()
        for unused in self._pool[len(columns) :]:
            unused.hide()
        self._drawn = columns.tolist()
        self._set_pens(data)
        self._draw_bands(data, mode)
        self.draw_strip(data, mode, top + height * STRIP_GAP, top + height * (STRIP_GAP + STRIP_HEIGHT))
        self._draw_leader(data, x, mode)

    def _draw_bands(self, data: PlotData, mode: Mode) -> None:
        """Behind the curves of the leader and of the move pointed at: how sure the mean is, or what is exploration."""
        self._mean.hide()
        if not mode.values:
            self._bands.hide()
            return
        pointed = data.column(self._highlight)
        columns = [data.leader] if pointed in (None, data.leader) else [data.leader, pointed]
        if mode.measure is Measure.BOUND:
            columns = columns[-1:]
        rows = data.resampled(mode, self._bands.COLUMNS)
        bands = []
        for column in columns:
            assert column is not None
            mean = data.means[rows, column]
            if mode.measure is Measure.MEAN:
                error = data.errors[rows, column]
                bands.append((self._color(data, column), mean - error, mean + error))
            else:
                bands.append((self._color(data, column), mean, data.bounds[rows, column]))
                self._draw_mean(data, mode, column)
        left, right = data.x_range(mode)
        self._bands.draw(bands, (left, right), (data.bottom(mode), data.top(mode)))

    def _draw_mean(self, data: PlotData, mode: Mode, column: int) -> None:
        means = data.means[:, column]
        first = int(np.isnan(means).sum())
        self._mean.setPen(pen(self._color(data, column), 1.0))
        self._mean.setData(data.x(mode)[first:], means[first:], skipFiniteCheck=True, antialias=True)
        self._mean.show()

    def _color(self, data: PlotData, column: int) -> QColor:
        style = int(data.styles[column])
        return self._theme.curve(style) if style >= 0 else self._theme.color("muted")

    def draw_highlight(self) -> None:
        data = self._data
        if data is None:
            return
        column = data.column(self._highlight)
        extra = len(self._drawn) > MAX_CURVES
        if extra or (column is not None and column not in self._drawn):
            self.draw(data, self._mode)
        else:
            self._set_pens(data)
            self._draw_bands(data, self._mode)

    def _choose(self, data: PlotData) -> Ints:
        columns = data.order[:MAX_CURVES]
        pointed = data.column(self._highlight)
        if pointed is not None and pointed not in columns:
            columns = np.append(columns, pointed)
        return columns

    def _add_curve(self) -> None:
        curve = pg.PlotCurveItem()
        self._pool.append(curve)
        self._pen_keys.append(None)
        self.item.addItem(curve, ignoreBounds=True)

    def _set_pens(self, data: PlotData) -> None:
        pointed = data.column(self._highlight)
        wins = sum(data.value(column) is Value.WIN for column in self._drawn)
        for slot, column in enumerate(self._drawn):
            value = data.value(column)
            width = 1.8 if value is Value.WIN and wins <= _BOLD_WINS else 1.0
            faded = pointed is not None and column != pointed
            key = (int(data.styles[column]), column == pointed, faded, value, width)
            if self._pen_keys[slot] != key:
                self._pen_keys[slot] = key
                self._pool[slot].setPen(self._pen(key))
            # The most visited lie on top, the one pointed at above all.
            self._pool[slot].setZValue(10 if column == pointed else 7 - 3 * slot / (len(self._drawn) + 1))

    def _pen(self, key: _PenKey) -> Any:
        style, thick, faded, value, width = key
        if key not in self._pens:
            color = line_color(self._theme, style, value)
            if thick:
                color.setAlpha(255)
            if faded:
                color.setAlpha(60)
            self._pens[key] = pen(color, 2.5 if thick else width, line_dash(self._theme, style, value))
        return self._pens[key]

    def _leader_words(self, data: PlotData) -> str:
        name = data.names[data.leader]
        if not data.proven:
            return name
        return f"{name}{chr(10) if self.width() < _NARROW else ' · '}{short_words(data.proven[data.leader])}"

    def _draw_leader(self, data: PlotData, x: Floats, mode: Mode) -> None:
        leaders, first = data.leaders, data.settled
        changed = first + 1 + np.flatnonzero(np.diff(leaders[first:]))
        changed = changed[-_CHANGES:]
        if mode.values:
            source = data.means if mode.measure is Measure.MEAN else data.bounds
            heights = source[changed, leaders[changed]]
        else:
            heights = data.visits[changed, leaders[changed]].astype(np.float64)
            heights = heights if mode.counts else heights / data.totals[changed]
        self._changes.setData(x[changed], heights)
        style = int(data.styles[data.leader])
        color = self._theme.curve(style) if style >= 0 else self._theme.color("text")
        end = float(self._heights[0, -1])
        self._end.setBrush(pg.mkBrush(color))
        self._end.setData(x[-1:], [end])
        self._name.setText(self._leader_words(data), color=color)
        self._name.setAnchor((-5.0 / max(self._name.boundingRect().width(), 1.0), 0.5))
        self._name.setPos(float(x[-1]), end)

    # Pointing

    def move_at(self, point: QPointF) -> Move | None:
        data = self._data
        if data is None or not self._drawn:
            return None
        at = self.place(point)
        x = data.x(self._mode)
        right = int(np.clip(np.searchsorted(x, at.x()), 1, max(1, len(x) - 1)))
        if len(x) > 1:
            part = float(np.clip((at.x() - x[right - 1]) / (x[right] - x[right - 1]), 0.0, 1.0))
            heights = (1 - part) * self._heights[:, right - 1] + part * self._heights[:, right]
        else:
            heights = self._heights[:, 0]
        distances = np.nan_to_num(np.abs(heights - at.y()) / float(self.item.vb.viewPixelSize()[1]), nan=np.inf)
        # argmin takes the first among equals, and the most visited come first.
        nearest = int(distances.argmin())
        return data.moves[self._drawn[nearest]] if distances[nearest] <= _NEAR else None

    def mark(self, checkpoint: int | None) -> None:
        data = self._data
        column = None if data is None else data.column(self._highlight)
        if data is None or checkpoint is None or column is None or column not in self._drawn:
            self._point.hide()
            return
        height = float(self._heights[self._drawn.index(column), checkpoint])
        self._point.setVisible(not np.isnan(height))
        if not np.isnan(height):
            self._point.setBrush(pg.mkBrush(self._color(data, column)))
            self._point.setData([float(data.x(self._mode)[checkpoint])], [height])
