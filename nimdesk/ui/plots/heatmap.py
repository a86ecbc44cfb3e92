"""The heat map: one row for every root move, however many, over iterations."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QVBoxLayout, QWidget

from nimdesk.games import Move
from nimdesk.ui.look.proven import SIGNS, short_words
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.plots.axes import RowAxis, pen
from nimdesk.ui.plots.data import Measure, Mode, PlotData, short_count
from nimdesk.ui.plots.ink import Line, Picture, Shape
from nimdesk.ui.plots.move_canvas import STRIP_GAP, STRIP_HEIGHT, MoveCanvas

# Cividis (Nunez, Anderton, Renslow 2018): lightness grows evenly, and it looks alike with and without colour
# vision deficiency.
_ANCHORS = (
    "00224e", "123570", "3b496c", "575d6d", "707173", "8a8678", "a59c74", "c3b369", "e1cc55", "fee838",
)  # fmt: skip

# The frame lies on those colours in every look, and stands out from all of them.
_FRAME = "#ff6b5e"

_WIDTH = 400

_ROOTS = (np.cbrt(np.arange(65536) / 65535) * 255).astype(np.uint8)
"""Cube roots of 0 to 1, looked up: to work out tens of thousands of them takes longer than all the rest of a frame."""


def color_table() -> np.ndarray[Any, Any]:
    """256 colours from few to many visits, (256, 3) uint8."""
    anchors = np.array([tuple(bytes.fromhex(anchor)) for anchor in _ANCHORS], dtype=np.float64)
    places = np.linspace(0, len(anchors) - 1, 256)
    channels = [np.interp(places, np.arange(len(anchors)), anchors[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=1).round().astype(np.uint8)


def _tables() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """These colours, and the same with 0 transparent, (256, 4) uint8."""
    table = np.full((256, 4), 255, np.uint8)
    table[:, :3] = color_table()
    gaps = table.copy()
    gaps[0, 3] = 0
    return table, gaps


class HeatMapPlot(MoveCanvas):
    """Rows are moves, the most visited on top; the colour grows with the cube root of the share (or count).

    The cube root keeps small shares apart; the scale above the map says what the colours mean. Mean values have a scale
    without it.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._rows = RowAxis()
        super().__init__(theme, self._rows, parent)
        self.setAccessibleName("Heat map of the moves' visits over iterations")
        self.item.vb.invertY(True)
        self.x_axis.setGrid(False)
        self._tables = _tables()
        self._frame_pen = pen(_FRAME, 2.0)
        self._map: tuple[Shape, ...] = ()
        self.levels: np.ndarray[Any, Any] = np.zeros((0, 0), np.uint8)
        """The colours shown, as rows of the table: (rows, steps of the x axis)."""
        self.scale = ColorScale(theme)
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(0, self.scale)
        layout.setSpacing(0)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.scale.left = int(self._rows.fixedWidth) + 3
        self.scale.set_theme(theme)

    def draw(self, data: PlotData, mode: Mode) -> None:
        rows = len(data.moves)
        bottom, top = data.bottom(mode), data.top(mode)
        image = self._levels(data, mode, bottom, top)[data.order]
        together = max(1, int(np.ceil(rows / max(1, self.view.height() - 60))))
        if together > 1:
            # Several rows on one pixel: show the largest, lest a scaled picture skips the leader.
            missing = -rows % together
            image = np.concatenate((image, image[-1:].repeat(missing, axis=0)))
            image = image.reshape(-1, together, image.shape[1]).max(axis=1)
        self.levels = image
        picture = Picture(
            image, data.x_range(mode), (float(len(image) * together), 0.0), table=self._tables[mode.values]
        )
        strip = self.strip(data, mode, -rows * STRIP_GAP, -rows * (STRIP_GAP + STRIP_HEIGHT))
        self._map = picture, strip
        self.set_range(data, mode, -rows * (STRIP_GAP + STRIP_HEIGHT), float(rows))
        self._name_rows(data)
        label = "moves, by visits" if rows > 4 else "moves"
        if self._rows.labelText != label:
            self._rows.relabel(label)
        self.scale.set_left(int(self._rows.fixedWidth) + 3)
        self.label_x()
        self.scale.set_range(bottom, top, mode.measure)
        self.draw_highlight()

    @staticmethod
    def _levels(data: PlotData, mode: Mode, bottom: float, top: float) -> np.ndarray[Any, Any]:
        """The colour of each move at each step of the x axis, (L, steps) uint8."""
        picked = data.resampled(mode, _WIDTH)
        if mode.values:
            source = data.means if mode.measure is Measure.MEAN else data.bounds
            parts = (source[picked] - bottom) / max(top - bottom, 1e-9)
            # 0 is for moves that were not visited yet.
            return np.where(np.isnan(parts), 0.0, 1 + np.clip(parts, 0.0, 1.0) * 254).astype(np.uint8).T
        # Each row once: on a logarithmic axis a row fills many steps.
        rows, where = np.unique(picked, return_inverse=True)
        values = data.visits[rows].astype(np.float32)
        if not mode.counts:
            values /= data.totals[rows, np.newaxis].astype(np.float32)
        values *= np.float32((len(_ROOTS) - 1) / top)
        levels: np.ndarray[Any, Any] = _ROOTS[np.minimum(values, len(_ROOTS) - 1).astype(np.uint16)]
        return levels.T[:, where]

    def _name_rows(self, data: PlotData) -> None:
        """Label the rows with their moves, and with what is proven: in words where there is room, else by a sign."""
        names = tuple(data.names[column] for column in data.order)
        signs = tuple(SIGNS[data.proven[column].value] for column in data.order) if data.proven else ()
        if data.proven:
            pairs = list(zip(names, data.order.tolist(), strict=True))
            names = tuple(f"{short_words(data.proven[column])} · {name}" for name, column in pairs)
            if self._rows.room(names) > 0.28 * self.width():
                names = tuple(f"{SIGNS[data.proven[column].value]} {name}" for name, column in pairs)
        axis = self._rows
        if (names, signs) != (axis.names, axis.signs):
            # Ranks stay the same when moves change places.
            same = axis.ranks and len(names) == len(axis.names) and signs == axis.signs
            axis.names, axis.signs = names, signs
            axis.fit()
            if not same:
                axis.picture = None
                axis.update()

    def draw_highlight(self) -> None:
        data = self._data
        column = None if data is None else data.column(self._highlight)
        if data is None or column is None:
            self.ink.show_shapes(self._map)
            return
        row = int(np.flatnonzero(data.order == column)[0])
        left, right = data.x_range(self._mode)
        # A row of a large game is thinner than a pen: the frame keeps a minimum height.
        extra = max(0.0, (4.0 / self._row_pixels() - 1.0) / 2)
        low, high = row - extra, row + 1 + extra
        x, y = np.array([left, right, right, left, left]), np.array([low, low, high, high, low])
        self.ink.show_shapes((*self._map, Line(x, y, self._frame_pen)))

    def _row_pixels(self) -> float:
        return 1.0 / max(float(self.item.vb.viewPixelSize()[1]), 1e-9)

    def move_at(self, point: QPointF) -> Move | None:
        data = self._data
        row = int(np.floor(self.place(point).y()))
        return data.moves[int(data.order[row])] if data is not None and 0 <= row < len(data.moves) else None


class ColorScale(QWidget):
    """A small legend of the heat map's colours: a bar with the values at its start, middle and end."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._theme, self._bottom, self._top, self._measure = theme, 0.0, 1.0, Measure.SHARE
        self.left = 54
        """Where the scale begins, in pixels: above the map."""
        self._colors = color_table()
        self.setToolTip("What the colours mean. They grow with the cube root, so that small shares stay apart.")

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of this look."""
        self._theme = theme
        font = QApplication.font()
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.88))
        self.setFont(font)
        self.update()

    def set_left(self, left: int) -> None:
        """Begin here."""
        if left != self.left:
            self.left = left
            self.update()

    def set_range(self, bottom: float, top: float, measure: Measure) -> None:
        """The values of the darkest and of the brightest colour."""
        if (bottom, top, measure) != (self._bottom, self._top, self._measure):
            self._bottom, self._top, self._measure = bottom, top, measure
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, self.fontMetrics().height() + 4)

    def _text(self, value: float) -> str:
        if self._measure is Measure.VISITS:
            return short_count(round(value))
        return f"{100 * value:.3g}%" if self._measure is Measure.SHARE else f"{value:.3g}"

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        metrics = self.fontMetrics()
        what = self._measure.value
        share = self._measure is Measure.SHARE
        above = f"≥ {self._text(self._top)}" if share and self._top < 1 else self._text(self._top)
        values = self._measure in (Measure.MEAN, Measure.BOUND)
        middle = self._text((self._bottom + self._top) / 2 if values else self._top / 8)
        right = self.width() - 12
        center = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(self._theme.color("muted"))
        left, after = self.left, metrics.horizontalAdvance(above) + 6
        below = f"{what}:  {self._text(self._bottom)}"
        if right - left - after - metrics.horizontalAdvance(below) < 70:
            below = self._text(self._bottom)
        painter.drawText(QRect(left, 0, 300, self.height()), center, below)
        left += metrics.horizontalAdvance(below) + 6
        width = min(160, right - left - after)
        if width < 30:
            return
        bar = QRect(left, 3, width, self.height() - 6)
        gradient = QLinearGradient(bar.left(), 0, bar.right(), 0)
        for place in range(0, 256, 15):
            red, green, blue = (int(channel) for channel in self._colors[place])
            gradient.setColorAt(place / 255, QColor(red, green, blue))
        painter.fillRect(bar, gradient)
        painter.setPen(self._theme.color("muted"))
        painter.drawText(QRect(bar.right() + 6, 0, right - bar.right(), self.height()), center, above)
        if width > 2 * metrics.horizontalAdvance(middle):
            painter.setPen(Qt.GlobalColor.white)
            painter.drawText(bar, Qt.AlignmentFlag.AlignCenter, middle)
