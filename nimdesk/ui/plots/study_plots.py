"""Convergence over many searches: curves over budgets, one an agent, or a heat map where a study varies one number."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from nimdesk.ui.look.theme import DASHES, LOOK
from nimdesk.ui.plots.axes import value_ticks
from nimdesk.ui.plots.canvas import PlotCanvas, table_row
from nimdesk.ui.plots.frame import Axis
from nimdesk.ui.plots.heatmap import FRAME_COLOR, color_table
from nimdesk.ui.plots.history import Floats
from nimdesk.ui.plots.ink import Band, Column, Line, Marks, Shape, Words, paint_symbol, pen
from nimdesk.ui.plots.words import short_count

_AXIS = Axis()
_CLOSE = 24
"""A press this many pixels from a point, or closer, is on it."""
_MOST_BANDS = 3
_WIDTH = 1.6
_CHANCE = "chance"
_LETTER_AWAY = 8.0
"""Pixels from the last point of a curve to its letter."""
_RING = 15.0
"""How wide the ring around the point is that the keyboard is on."""
_GAP = 4


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

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the x axis: the first budget and the last."""
        first, last = _AXIS.places(self.budgets)[[0, -1]].tolist()
        return (first, last) if last > first else (first - 0.5, last + 0.5)


def curve_sample(style: int, ratio: float) -> QPixmap:
    """A short piece of the line of the agent with this style, with its mark, for a key."""
    pixmap = QPixmap(round(34 * ratio), round(14 * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter, color = QPainter(pixmap), LOOK.theme.curve(style)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(color, _WIDTH, DASHES[style % len(DASHES)]))
    painter.drawLine(1, 7, 33, 7)
    painter.setPen(QPen(color, 1))
    painter.setBrush(color)
    paint_symbol(painter, style, QPointF(17, 7))
    painter.end()
    return pixmap


class StudyPlot(PlotCanvas):
    """Curves with their intervals as bands; a point can be chosen with the mouse, or the arrow keys and Enter."""

    point_chosen = Signal(int, int, object)
    """A person chose a point: which curve, which budget (their indices), and where it is (a global ``QPoint``)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.data: StudyCurves | None = None
        """What is drawn."""
        self.focus_curve = 0
        """Which curve the keyboard is on."""
        super().__init__(parent)

    def take_look(self) -> None:
        self.point.setSize(_RING)
        self.point.setPen(pen(LOOK.theme.color("accent"), 2.0))
        self.point.setBrush(QBrush(Qt.BrushStyle.NoBrush))
        super().take_look()

    def show_curves(self, data: StudyCurves) -> None:
        """Draw these."""
        self.focus_curve = min(self.focus_curve, len(data.curves) - 1)
        self.data = data
        self.redraw()

    def draw(self) -> bool:
        data = self.data
        if data is None:
            return False
        metrics = QFontMetricsF(self.small_font(bold=True))
        beside = [curve.letter for curve in data.curves] + [_CHANCE] * (data.chance is not None)
        self.right_room = _LETTER_AWAY + 4 + max(map(metrics.horizontalAdvance, beside))
        margin = 0.04 * data.top
        # The first marks are whole, and so is the ring around one of them.
        left_room = _RING / 2 + 2.0
        x = _AXIS.places(data.budgets)
        self.set_range(_AXIS, x, data.ends, -margin, data.top + margin, left_room)
        self.y_axis.set_label(data.label)
        self.y_axis.show_ticks(value_ticks(data.unit, 0.0, data.top, self.box.height()))
        self.x_axis.set_label(f"{_AXIS.cost.value} (budget of each search)")
        self._draw_curves(data, x)
        return True

    def _draw_curves(self, data: StudyCurves, x: Floats) -> None:
        """Bands, lines and their marks, a letter at the end of every curve, and of the line of chance its name."""
        theme, bold = LOOK.theme, self.small_font(bold=True)
        bands: list[Shape] = []
        lines: list[Shape] = []
        marks: list[Shape] = []
        letters: list[Words] = []
        # More bands than that hide each other: then only the curve pointed at has its own.
        few = len(data.curves) <= _MOST_BANDS
        for number, curve in enumerate(data.curves):
            color, known = theme.curve(curve.style), np.flatnonzero(~np.isnan(curve.values))
            if not len(known):
                continue
            if len(known) > 1 and (few or number == self.focus_curve):
                bands.append(Band(x[known], curve.low[known], curve.high[known], color))
            there = x[known], curve.values[known]
            lines.append(Line(*there, pen(color, _WIDTH, DASHES[curve.style % len(DASHES)])))
            marks.append(Marks(*there, curve.style, pen(color), QBrush(color)))
            letters.append(Words(curve.letter, float(there[0][-1]), float(there[1][-1]), color, bold, _LETTER_AWAY))
        if data.chance is not None:
            muted = theme.color("muted")
            dotted = pen(muted, 1.0, Qt.PenStyle.DotLine)
            lines.insert(0, Line(np.array(data.ends), np.full(2, data.chance), dotted))
            letters.append(Words(_CHANCE, float(x[-1]), data.chance, muted, bold, _LETTER_AWAY))
        self.ink.show_shapes([*bands, *lines, *marks, Column(letters)])

    # Points

    def say(self, row: int) -> None:
        data = self.data
        assert data is not None
        rows = [
            table_row(
                LOOK.theme.curve(curve.style).name(),
                [f"{curve.letter} {curve.name}", curve.words[row]],
                bold=number == self.focus_curve,
            )
            for number, curve in enumerate(data.curves)
        ]
        self.readout.say(f"<b>budget {int(data.budgets[row]):,}</b>", rows)

    def height_at(self, row: int) -> float | None:
        value = math.nan if self.data is None else float(self.data.curves[self.focus_curve].values[row])
        return None if math.isnan(value) else value

    def point_of(self, curve: int, budget: int) -> QPointF:
        """Where this point is, in this widget."""
        assert self.data is not None
        return self.pixel(float(_AXIS.places(self.data.budgets)[budget]), float(self.data.curves[curve].values[budget]))

    def _nearest(self, place: QPointF) -> tuple[int, int] | None:
        """The point nearest to this place of the view: curve and budget; None where none is close."""
        data = self.data
        if data is None:
            return None
        at, (wide, high) = self.place(place), self.box.viewPixelSize()
        across = (_AXIS.places(data.budgets) - at.x()) / wide
        up = (np.array([curve.values for curve in data.curves]) - at.y()) / high
        # What is not known is nowhere near.
        away = np.nan_to_num(across**2 + up**2, nan=np.inf)
        curve, budget = divmod(int(away.argmin()), len(data.budgets))
        return (curve, budget) if away[curve, budget] <= _CLOSE**2 else None

    def point_at(self, point: QPointF | None) -> None:
        found = None if point is None else self._nearest(point)
        if found is not None and found[0] != self.focus_curve:
            self._focus(found[0])

    def _focus(self, curve: int) -> None:
        self.focus_curve = curve
        self.redraw()

    def mouse_dragged(self, point: QPointF) -> None:
        found = self._nearest(point)
        if found is not None:
            self._choose(*found)

    def _choose(self, curve: int, budget: int) -> None:
        self.point_chosen.emit(curve, budget, self.mapToGlobal(self.point_of(curve, budget).toPoint()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        data, key, at = self.data, event.key(), self.checkpoint
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(key))
        if data is not None and step is not None:
            self._focus((self.focus_curve + step) % len(data.curves))
        elif data is not None and at is not None and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.height_at(at) is not None:
                self._choose(self.focus_curve, at)
        else:
            super().keyPressEvent(event)


@dataclass(frozen=True, eq=False)
class StudyGrid:
    """What the map shows: a share for each value (row) and budget (column), None before the first search."""

    title: str
    values: tuple[float, ...]
    budgets: tuple[int, ...]
    shares: tuple[tuple[float | None, ...], ...]


class StudyMap(QWidget):
    """Cells with their colour and per cent; one can be chosen with the mouse, or with arrow keys and Enter."""

    cell_chosen = Signal(int, int, object)
    """A person chose a cell: the row, the column, and where it is (a global ``QPoint``)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid: StudyGrid | None = None
        self._cell = (0, 0)
        self._colors = [QColor(*color) for color in color_table().tolist()]
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Heat map of the share of optimal choices")
        LOOK.changed.connect(self.update)

    def show_grid(self, grid: StudyGrid) -> None:
        """Draw this."""
        self._grid = grid
        self._cell = (min(self._cell[0], len(grid.values) - 1), min(self._cell[1], len(grid.budgets) - 1))
        self._describe()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(500, 260)

    def _area(self) -> QRectF:
        metrics = self.fontMetrics()
        values = self._grid.values if self._grid is not None else ()
        left = max((metrics.horizontalAdvance(f"{value:g}") for value in values), default=20) + 2 * _GAP + 6
        top, bottom = metrics.height() + _GAP, 2 * metrics.height() + 2 * _GAP
        return QRectF(left, top, max(10, self.width() - left - 10), max(10, self.height() - top - bottom))

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Where this cell is."""
        return self._cell_in(self._area(), row, column)

    def _cell_in(self, area: QRectF, row: int, column: int) -> QRectF:
        assert self._grid is not None
        width, height = area.width() / len(self._grid.budgets), area.height() / len(self._grid.values)
        return QRectF(area.left() + column * width, area.top() + row * height, width, height)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), LOOK.theme.color("plot"))
        grid = self._grid
        if grid is None:
            return
        area, metrics = self._area(), self.fontMetrics()
        center = Qt.AlignmentFlag.AlignCenter
        painter.setPen(LOOK.theme.color("text"))
        painter.drawText(QRectF(_GAP, 0, self.width(), metrics.height()), Qt.AlignmentFlag.AlignLeft, grid.title)
        every = math.ceil(len(grid.budgets) * (metrics.horizontalAdvance("8,888k") + 4) / area.width())
        for column, budget in enumerate(grid.budgets):
            cell = self._cell_in(area, 0, column)
            if column % every == 0:
                place = QRectF(cell.left() - 30, area.bottom() + 2, cell.width() + 60, metrics.height())
                painter.drawText(place, center, short_count(budget))
        below = QRectF(area.left(), area.bottom() + metrics.height() + 2, area.width(), metrics.height())
        painter.setPen(LOOK.theme.color("muted"))
        painter.drawText(below, center, "iterations (budget of each search)")
        for row, value in enumerate(grid.values):
            cell = self._cell_in(area, row, 0)
            painter.setPen(LOOK.theme.color("text"))
            place = QRectF(0, cell.top(), area.left() - _GAP, cell.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{value:g}")
            for column, share in enumerate(grid.shares[row]):
                self._paint_cell(painter, self._cell_in(area, row, column), share)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(FRAME_COLOR, 3))
            painter.drawRect(self._cell_in(area, *self._cell).adjusted(1, 1, -2, -2))

    def _paint_cell(self, painter: QPainter, cell: QRectF, share: float | None) -> None:
        if share is None:
            return
        color = self._colors[round(255 * share)]
        painter.fillRect(cell.adjusted(0, 0, -1, -1), color)
        text = f"{share:.0%}"
        if cell.width() > self.fontMetrics().horizontalAdvance(text) + 2 and cell.height() > 10:
            painter.setPen(QColor("#000000" if color.lightness() > 110 else "#ffffff"))
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)

    def _words(self, row: int, column: int) -> str:
        assert self._grid is not None
        share = self._grid.shares[row][column]
        found = "no search yet" if share is None else f"{share:.0%} optimal"
        return f"{self._grid.values[row]:g} at budget {self._grid.budgets[column]:,}: {found}."

    def _describe(self) -> None:
        if self._grid is not None:
            self.setAccessibleDescription(f"{self._grid.title}. {self._words(*self._cell)}")

    def event(self, event: QEvent) -> bool:
        """Where the mouse rests, say what the cell under it shows."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            cell = self._cell_at(QPointF(event.pos()))
            text = "" if cell is None else f"{self._words(*cell)} A click opens one of its searches."
            place = QRect() if cell is None else self.cell_rect(*cell).toAlignedRect()
            QToolTip.showText(event.globalPos(), text, self, place)
            return True
        return super().event(event)

    def _cell_at(self, place: QPointF) -> tuple[int, int] | None:
        grid, area = self._grid, self._area()
        if grid is None or not area.contains(place):
            return None
        row = int((place.y() - area.top()) / area.height() * len(grid.values))
        column = int((place.x() - area.left()) / area.width() * len(grid.budgets))
        # The very edge belongs to the last one.
        return min(row, len(grid.values) - 1), min(column, len(grid.budgets) - 1)

    def _choose(self) -> None:
        row, column = self._cell
        if self._grid is not None and self._grid.shares[row][column] is not None:
            place: QPoint = self.mapToGlobal(self.cell_rect(row, column).center().toPoint())
            self.cell_chosen.emit(row, column, place)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._cell_at(event.position()) if event.button() == Qt.MouseButton.LeftButton else None
        if cell is not None:
            self._cell = cell
            self._describe()
            self.update()
            self._choose()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
        }
        key, grid = Qt.Key(event.key()), self._grid
        if grid is not None and key in steps:
            row, column = (at + step for at, step in zip(self._cell, steps[key], strict=True))
            if 0 <= row < len(grid.values) and 0 <= column < len(grid.budgets):
                self._cell = (row, column)
                self._describe()
                self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose()
        else:
            super().keyPressEvent(event)
