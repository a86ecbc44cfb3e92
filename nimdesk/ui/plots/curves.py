"""The curves: visits or share of the most visited root moves over iterations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QWidget

from nimdesk.games import Move
from nimdesk.theory import Value
from nimdesk.ui.plots.axes import ValueAxis, pen
from nimdesk.ui.plots.canvas import STRIP_GAP, STRIP_HEIGHT, PlotCanvas
from nimdesk.ui.plots.data import Floats, Ints, Mode, PlotData
from nimdesk.ui.plots.looks import line_color, line_dash
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


class CurvesPlot(PlotCanvas):
    """One curve for each move, the highlighted one thick; the leader's end carries a marker with its name."""

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
        for item in (self._changes, self._end, self._point, self._name):
            self.item.addItem(item, ignoreBounds=True)
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
        top = data.top(mode)
        lines = self._leader_words(data).split("\n")
        self.right_room = max(self._name_metrics.horizontalAdvance(line) for line in lines) + 20.0
        self.set_range(data, mode, 0.0, top * (1 + STRIP_GAP + STRIP_HEIGHT))
        if (self._values.counts, self._values.top) != (mode.counts, top):
            self._values.counts, self._values.top = mode.counts, top
            self._values.relabel("visits" if mode.counts else "share of visits")
        some = f" · curves of the {MAX_CURVES} most visited of {len(data.moves)} moves"
        label = f"iterations{some if len(data.moves) > MAX_CURVES else ''}"
        if self.x_axis.labelText != label:
            self.x_axis.relabel(label)
        columns = self._choose(data)
        self._heights = data.values(columns, mode)
        x = data.x(mode)
        for slot, heights in enumerate(self._heights):
            if slot == len(self._pool):
                self._add_curve()
            self._pool[slot].setData(x, heights, skipFiniteCheck=True, antialias=True)
            self._pool[slot].show()
        for unused in self._pool[len(columns) :]:
            unused.hide()
        self._drawn = columns.tolist()
        self._set_pens(data)
        self.draw_strip(data, mode, top * (1 + STRIP_GAP), top * (1 + STRIP_GAP + STRIP_HEIGHT))
        self._draw_leader(data, x, mode, top)

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

    def _draw_leader(self, data: PlotData, x: Floats, mode: Mode, top: float) -> None:
        leaders, first = data.leaders, data.settled
        changed = first + 1 + np.flatnonzero(np.diff(leaders[first:]))
        changed = changed[-_CHANGES:]
        heights = data.visits[changed, leaders[changed]].astype(np.float64)
        self._changes.setData(x[changed], heights if mode.counts else heights / data.totals[changed])
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
        distances = np.abs(heights - at.y()) / float(self.item.vb.viewPixelSize()[1])
        # argmin takes the first among equals, and the most visited come first.
        nearest = int(distances.argmin())
        return data.moves[self._drawn[nearest]] if distances[nearest] <= _NEAR else None

    def mark(self, checkpoint: int | None, move: Move | None) -> None:
        data = self._data
        column = None if data is None else data.column(move)
        if data is None or checkpoint is None or column is None or column not in self._drawn:
            self._point.hide()
            return
        style = int(data.styles[column])
        self._point.setBrush(pg.mkBrush(self._theme.curve(style) if style >= 0 else self._theme.color("muted")))
        height = float(self._heights[self._drawn.index(column), checkpoint])
        self._point.setData([float(data.x(self._mode)[checkpoint])], [height])
        self._point.show()
