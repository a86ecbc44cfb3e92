"""The plots of one search that are pictures: the heat map, a row for every root move, and the stack of their shares."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, assert_never

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QVBoxLayout, QWidget

from nimdesk.figures.measure import SHARE, MoveMeasure, Unit
from nimdesk.games import Move
from nimdesk.games.truth import Value
from nimdesk.ui.look.move_marks import SIGNS, short_words
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.plots.axes import row_ticks, value_ticks
from nimdesk.ui.plots.curves import STRIP_GAP, STRIP_HEIGHT, MovesPlot, move_color
from nimdesk.ui.plots.frame import Frame
from nimdesk.ui.plots.history import Floats, Ints, short_count
from nimdesk.ui.plots.ink import Line, Picture, Shape, Words, pen, rgba

FRAME_COLOR = QColor("#ff6b5e")
"""Lies on those colours in every look, and stands out from all of them."""
_COLUMNS, _ROWS, _MOST_LAYERS = 400, 240, 30
_ROOTS = (np.cbrt(np.arange(65536) / 65535) * 255).astype(np.uint8)
"""Cube roots of 0 to 1, looked up: to work out tens of thousands of them takes longer than all the rest of a frame."""
_STRONG, _FAINT, _OTHERS = 225, 105, 60
_LEAST_ROW = 6
"""Pixels: thinner rows could be neither told apart nor pointed at."""
_LABELLED = 0.07
"""A layer of the stack that ends this high, as a part of the plot, has room for its name."""

Levels = np.ndarray[Any, np.dtype[np.uint8]]


def color_table() -> Levels:
    """256 colours from few to many visits, (256, 4) uint8.

    Cividis (Nunez, Anderton, Renslow 2018): lightness grows evenly, and it looks alike with and without colour vision
    deficiency.
    """
    table: Levels = pg.colormap.get("cividis").getLookupTable(nPts=256, alpha=True)
    return table


class HeatMapPlot(MovesPlot):
    """Rows are the moves that were visited, most of them on top; colour grows with the cube root of share or count.

    The cube root keeps small shares apart; the scale above the map says what the colours mean. Mean values have a scale
    without it.
    """

    zooms_y = False

    def __init__(self, parent: QWidget | None = None) -> None:
        self._columns: Ints = np.zeros(0, np.int64)
        self.levels: Levels = np.zeros((0, 0), np.uint8)
        """The colours shown, as rows of the table: (rows, steps of the x axis)."""
        self.row_names: tuple[str, ...] = ()
        """What stands before the rows, where there is room."""
        self.scale = ColorScale()
        super().__init__(parent, grid="")
        self.setAccessibleName("Heat map of the moves' visits over iterations")
        self.box.invertY(True)
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(0, self.scale)

    def draw_frame(self, frame: Frame) -> None:
        frame = replace(frame, zoomed=True)
        history = frame.moves
        tried = history.order[history.visits[-1, history.order] > 0]
        fitting = max(1, int((self.view.height() - 60) / _LEAST_ROW))
        self._columns = tried[:fitting]
        if (pointed := frame.pointed) is not None and pointed not in self._columns:
            self._columns = np.append(self._columns[: fitting - 1], pointed)
        image, rows = _levels(frame)[self._columns], len(self._columns)
        self.levels = image
        table = color_table()
        if _is_even(frame.measure.unit):
            table[0, 3] = 0
        self.set_range(frame.axis, frame.x, frame.x_range, -rows * (STRIP_GAP + STRIP_HEIGHT), float(rows))
        strip = self.strip(frame, -rows * STRIP_GAP, -rows * (STRIP_GAP + STRIP_HEIGHT))
        picture = Picture(image, *frame.x_range, float(rows), 0.0, table)
        self.ink.show_shapes([picture, strip, *self._frame_around(frame)])
        self._name_rows(frame)
        self.y_axis.set_label("moves, the most tried on top" if rows > 4 else "moves")
        some = f" · the {rows} most visited of {len(history.moves)} moves" if rows < len(tried) else ""
        self.x_axis.set_label(f"{frame.x_words}{some}")
        self.scale.show_range(int(self.y_axis.minimumWidth()) + 3, frame.y_range, frame.measure, frame.y_words)

    def _name_rows(self, frame: Frame) -> None:
        """Label the rows with their moves, and with what is proven: in words where there is room, else by a sign."""
        history = frame.moves
        order = self._columns.tolist()
        names = [history.names[column] for column in order]
        if history.proven:
            plain = names
            names = [f"{short_words(history.proven[c])} · {name}" for c, name in zip(order, plain, strict=True)]
            if self.y_axis.room_for(names) > 0.28 * self.width():
                signs = [SIGNS[history.proven[column].value] for column in order]
                names = [f"{sign} {name}" for sign, name in zip(signs, plain, strict=True)]
        self.row_names = tuple(names)
        self.y_axis.fit_names(names)
        self.y_axis.show_ticks(row_ticks(names, self.box.height()))

    def _frame_around(self, frame: Frame) -> list[Shape]:
        """What makes the row of the highlighted move stand out."""
        column = frame.pointed
        if column is None:
            return []
        row = int(np.flatnonzero(self._columns == column)[0])
        left, right = frame.x_range
        low, high = row, row + 1
        corners = np.array([left, right, right, left, left]), np.array([low, low, high, high, low])
        return [Line(*corners, pen(FRAME_COLOR, 2.0))]

    def move_at(self, point: QPointF) -> Move | None:
        row, frame = int(np.floor(self.place(point).y())), self.frame
        if frame is None or not 0 <= row < len(self._columns):
            return None
        return frame.moves.moves[int(self._columns[row])]


def _is_even(unit: Unit) -> bool:
    """Whether the colours grow evenly with the values, and not with their cube root."""
    return unit in (Unit.SCORE, Unit.BITS)


def _levels(frame: Frame) -> Levels:
    """The colour of each move at each step of the x axis, (L, steps) uint8."""
    history, picked, (bottom, top) = frame.moves, frame.resampled(_COLUMNS), frame.y_range
    if _is_even(frame.measure.unit):
        parts = (frame.values(np.arange(len(history.moves)), picked) - bottom) / max(top - bottom, 1e-9)
        # 0 is for moves that were not visited yet.
        return np.where(np.isnan(parts), 0.0, 1 + np.clip(parts, 0.0, 1.0) * 254).astype(np.uint8)
    # Each row once: on a logarithmic axis a row fills many steps.
    rows, where = np.unique(picked, return_inverse=True)
    values = frame.table[rows].astype(np.float32)
    values *= np.float32((len(_ROOTS) - 1) / top)
    levels: Levels = _ROOTS[np.minimum(values, len(_ROOTS) - 1).astype(np.uint16)]
    return levels.T[:, where]


class ColorScale(QWidget):
    """A small legend of the heat map's colours: a bar with the values at its start, middle and end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.left, self._ends, self._measure, self._words = 54, (0.0, 1.0), SHARE, SHARE.words
        self.setToolTip("What the colours mean. They grow with the cube root, so that small shares stay apart.")
        font = QApplication.font()
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.88))
        self.setFont(font)
        LOOK.changed.connect(self.update)

    def show_range(self, left: int, ends: tuple[float, float], measure: MoveMeasure, words: str) -> None:
        """Begin so many pixels from the left, above the map; the values of the darkest and of the brightest colour."""
        if (left, ends, measure, words) != (self.left, self._ends, self._measure, self._words):
            self.left, self._ends, self._measure, self._words = left, ends, measure, words
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, self.fontMetrics().height() + 4)

    def _text(self, value: float) -> str:
        unit = self._measure.unit
        match unit:
            case Unit.SHARE:
                return f"{100 * value:.3g}%"
            case Unit.COUNT:
                return short_count(round(value))
            case Unit.SCORE | Unit.BITS:
                return f"{value:.3g}"
            case _:
                assert_never(unit)

    def paintEvent(self, event: QPaintEvent) -> None:
        metrics, (bottom, top) = self.fontMetrics(), self._ends
        with QPainter(self) as painter:
            above = self._text(top)
            if self._measure.unit is Unit.SHARE and top < 1:
                above = f"≥ {above}"
            middle = self._text((bottom + top) / 2 if _is_even(self._measure.unit) else top / 8)
            below, right = f"{self._words}:  {self._text(bottom)}", self.width() - 12
            center = Qt.AlignmentFlag.AlignVCenter
            painter.setPen(LOOK.theme.color("muted"))
            left, after = self.left, metrics.horizontalAdvance(above) + 6
            if right - left - after - metrics.horizontalAdvance(below) < 70:
                below = self._text(bottom)
            painter.drawText(QRect(left, 0, 300, self.height()), center, below)
            left += metrics.horizontalAdvance(below) + 6
            width = min(160, right - left - after)
            if width < 30:
                return
            bar = QRect(left, 3, width, self.height() - 6)
            gradient, colors = QLinearGradient(bar.left(), 0, bar.right(), 0), color_table()
            for place in range(0, 256, 15):
                gradient.setColorAt(place / 255, QColor(*colors[place].tolist()))
            painter.fillRect(bar, gradient)
            painter.drawText(QRect(bar.right() + 6, 0, right - bar.right(), self.height()), center, above)
            if width > 2 * metrics.horizontalAdvance(middle):
                painter.setPen(Qt.GlobalColor.black)
                painter.drawText(bar, Qt.AlignmentFlag.AlignCenter, middle)


class StackPlot(MovesPlot):
    """One layer for each move, painted as one picture; the leader lies at the bottom, the rest is one grey layer.

    Layers of moves that are proven to lose are faint.
    """

    zooms_y = False

    def __init__(self, parent: QWidget | None = None) -> None:
        self._layers: Ints = np.zeros(0, np.int64)
        self._edges: Floats = np.zeros((0, 0))
        super().__init__(parent, grid="x")
        self.right_room = 74.0
        self.setAccessibleName("Stacked shares of the moves over iterations")

    def draw_frame(self, frame: Frame) -> None:
        self.set_range(frame.axis, frame.x, frame.x_range, 0.0, 1 + STRIP_GAP + STRIP_HEIGHT)
        self.y_axis.set_label("share of visits, stacked")
        self.y_axis.show_ticks(value_ticks(Unit.SHARE, 0.0, 1.0, self.box.height()))
        self.x_axis.set_label(frame.x_words)
        self._layers = frame.moves.order[:_MOST_LAYERS]
        # The upper edge of each layer at each step; what is left above the last one is the rest.
        self._edges = np.cumsum(frame.values(self._layers, frame.resampled(_COLUMNS)), axis=0)
        picture = Picture(_layers_at(self._edges), *frame.x_range, 0.0, 1.0, self._colors(frame))
        strip = self.strip(frame, 1 + STRIP_GAP, 1 + STRIP_GAP + STRIP_HEIGHT)
        self.ink.show_shapes([picture, strip, *self._names(frame)])

    def _colors(self, frame: Frame) -> Levels:
        """The colour of each layer, and last that of the rest."""
        colors = []
        for column in self._layers.tolist():
            color = move_color(LOOK.theme, int(frame.moves.styles[column]), "border")
            faint = frame.moves.value(column) is Value.LOSS if frame.pointed is None else column != frame.pointed
            colors.append(rgba(color, _FAINT if faint else _STRONG))
        return np.array([*colors, rgba(LOOK.theme.color("muted"), _OTHERS)], np.uint8)

    def _names(self, frame: Frame) -> list[Words]:
        """Beside the newest end of each layer that is thick enough, its move."""
        ends = np.concatenate(([0.0], self._edges[:, -1]))
        names = []
        for low, high, column in zip(ends, ends[1:], self._layers.tolist(), strict=False):
            if high - low >= _LABELLED:
                color = move_color(LOOK.theme, int(frame.moves.styles[column]))
                place = frame.x_range[1], (low + high) / 2
                ink = LOOK.theme.color("text")
                names.append(Words(frame.moves.names[column], *place, ink, self.font(), dot=color))
        return names

    def move_at(self, point: QPointF) -> Move | None:
        at, frame = self.place(point), self.frame
        if frame is None or not 0 <= at.y() <= 1:
            return None
        left, right = frame.x_range
        step = int(np.clip((at.x() - left) / (right - left) * _COLUMNS, 0, _COLUMNS - 1))
        layer = int(np.searchsorted(self._edges[:, step], at.y()))
        return frame.moves.moves[int(self._layers[layer])] if layer < len(self._layers) else None


def _layers_at(edges: Floats) -> Levels:
    """Which layer each pixel shows, (_ROWS, columns): the number of edges (layers, columns) below its middle."""
    heights = 1 - (np.arange(_ROWS) + 0.5) / _ROWS
    layers: Levels = np.sum(edges[:, np.newaxis, :] < heights[:, np.newaxis], axis=0, dtype=np.uint8)
    return layers
