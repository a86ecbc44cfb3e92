"""The curves: visits, share, mean value or upper bound of the most visited root moves over iterations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QPointF
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPen
from PySide6.QtWidgets import QWidget

from nimdesk.games import Move
from nimdesk.games.truth import Value
from nimdesk.search import measures
from nimdesk.ui.look.proven import short_words
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.plots.axes import ValueAxis, pen
from nimdesk.ui.plots.bands import BAND_COLUMNS, bands_picture
from nimdesk.ui.plots.data import Floats, Ints, Measure, Mode, PlotData
from nimdesk.ui.plots.ink import Line, Marks, Shape, Words
from nimdesk.ui.plots.looks import line_color, line_dash
from nimdesk.ui.plots.move_canvas import STRIP_GAP, STRIP_HEIGHT, MoveCanvas

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
        self._lines: list[Line] = []
        self._pens: dict[_PenKey, QPen] = {}
        self._drawn: list[int] = []
        self._heights: Floats = np.zeros((0, 0))
        self._above: list[Shape] = []
        nowhere = np.zeros(0)
        self.changes = Marks(nowhere, nowhere, 6.0, QPen(), QBrush())
        """Where the leader changed."""
        self.end = Marks(nowhere, nowhere, 11.0, QPen(), QBrush(), triangle=True)
        """The newest point of the leader's curve."""
        self.name = Words("", 0.0, 0.0, QColor(), self.font())
        """What is written there."""
        # Above the cross-hair, which is above everything else.
        self._point: Any = pg.ScatterPlotItem(size=8, pxMode=True)
        self._point.setZValue(21)
        self.item.addItem(self._point, ignoreBounds=True)
        self.set_theme(theme)

    @property
    def drawn_moves(self) -> tuple[Move, ...]:
        """The moves that have a curve, most visited first."""
        return tuple(self._data.moves[column] for column in self._drawn) if self._data is not None else ()

    def curve(self, move: Move) -> Line:
        """The line of this move; ``KeyError`` if it has none."""
        assert self._data is not None
        column = self._data.columns[move]
        if column not in self._drawn:
            raise KeyError(move)
        return self._lines[self._drawn.index(column)]

    def set_theme(self, theme: Theme) -> None:
        self._pens.clear()
        self._point.setPen(pen(theme.color("text")))
        font = self.font()
        font.setBold(True)
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.88))
        self._bold, self._name_metrics = font, QFontMetricsF(font)
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
        self._lines = []
        for heights in self._heights:
            # A value is there from the first visit on.
            first = int(np.isnan(heights).sum()) if mode.values else 0
            self._lines.append(Line(x[first:], heights[first:], QPen()))
        self._drawn = columns.tolist()
        strip = self.strip(data, mode, top + height * STRIP_GAP, top + height * (STRIP_GAP + STRIP_HEIGHT))
        self._mark_leader(data, x, mode)
        self._above = [strip, self.end, self.name]
        self._show(data, mode)

    def _show(self, data: PlotData, mode: Mode) -> None:
        """Everything drawn, with the pens of this moment: the most visited on top, the one pointed at above all."""
        self._set_pens(data)
        pointed = data.column(self._highlight)
        lines = [line for line, column in zip(self._lines, self._drawn, strict=True) if column != pointed]
        own = [line for line, column in zip(self._lines, self._drawn, strict=True) if column == pointed]
        behind, means = self._bands(data, mode)
        self.ink.show_shapes([*behind, *reversed(lines), self.changes, *own, *means, *self._above])

    def _bands(self, data: PlotData, mode: Mode) -> tuple[list[Shape], list[Shape]]:
        """For the leader and the move pointed at: how sure the mean is, or what is exploration; and the line of means.

        The first are for behind the curves, the second for before them.
        """
        if not mode.values:
            return [], []
        pointed = data.column(self._highlight)
        columns = [data.leader] if pointed in (None, data.leader) else [data.leader, pointed]
        if mode.measure is Measure.BOUND:
            columns = columns[-1:]
        rows = data.resampled(mode, BAND_COLUMNS)
        bands, means = [], []
        for column in columns:
            assert column is not None
            mean = data.means[rows, column]
            if mode.measure is Measure.MEAN:
                error = data.errors[rows, column]
                bands.append((self._color(data, column), mean - error, mean + error))
            else:
                bands.append((self._color(data, column), mean, data.bounds[rows, column]))
                means.append(self._mean(data, mode, column))
        return [bands_picture(bands, data.x_range(mode), (data.bottom(mode), data.top(mode)))], [*means]

    def _mean(self, data: PlotData, mode: Mode, column: int) -> Line:
        means = data.means[:, column]
        first = int(np.isnan(means).sum())
        return Line(data.x(mode)[first:], means[first:], pen(self._color(data, column), 1.0))

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
            self._show(data, self._mode)

    def _choose(self, data: PlotData) -> Ints:
        columns = data.order[:MAX_CURVES]
        pointed = data.column(self._highlight)
        if pointed is not None and pointed not in columns:
            columns = np.append(columns, pointed)
        return columns

    def _set_pens(self, data: PlotData) -> None:
        pointed = data.column(self._highlight)
        wins = sum(data.value(column) is Value.WIN for column in self._drawn)
        for line, column in zip(self._lines, self._drawn, strict=True):
            value = data.value(column)
            width = 1.8 if value is Value.WIN and wins <= _BOLD_WINS else 1.0
            faded = pointed is not None and column != pointed
            key = (int(data.styles[column]), column == pointed, faded, value, width)
            line.pen = self._pen(key)

    def _pen(self, key: _PenKey) -> QPen:
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

    def _mark_leader(self, data: PlotData, x: Floats, mode: Mode) -> None:
        leaders = data.leaders
        changed = measures.changes(leaders, data.settled)[-_CHANGES:]
        if mode.values:
            source = data.means if mode.measure is Measure.MEAN else data.bounds
            heights = source[changed, leaders[changed]]
        else:
            heights = data.visits[changed, leaders[changed]].astype(np.float64)
            heights = heights if mode.counts else heights / data.totals[changed]
        ground, muted = self._theme.color("plot"), self._theme.color("muted")
        self.changes = Marks(x[changed], heights, 6.0, pen(muted), QBrush(ground))
        style = int(data.styles[data.leader])
        color = self._theme.curve(style) if style >= 0 else self._theme.color("text")
        end = float(self._heights[0, -1])
        self.end = Marks(x[-1:], np.array([end]), 11.0, pen(ground), QBrush(color), triangle=True)
        self.name = Words(self._leader_words(data), float(x[-1]), end, color, self._bold, away=9.0)

    # Pointing

    def move_at(self, point: QPointF) -> Move | None:
        data = self._data
        if data is None or not self._drawn:
            return None
        at = self.place(point)
        x = data.x(self._mode)
        right = int(np.clip(np.searchsorted(x, at.x()), 1, max(1, len(x) - 1)))
        if len(x) > 1:
            part = float(np.clip((at.x() - x[right - 1]) / max(x[right] - x[right - 1], 1e-12), 0.0, 1.0))
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
