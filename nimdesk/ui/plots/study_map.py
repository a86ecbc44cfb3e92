"""A heat map of a study that varies one number: its values down, budgets across, the share of optimal choices."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from nimdesk.ui.look.theme import Theme
from nimdesk.ui.plots.data import short_count
from nimdesk.ui.plots.heatmap import color_table

_GAP = 4


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

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._grid: StudyGrid | None = None
        self._cell = (0, 0)
        self._colors = [QColor(*(int(channel) for channel in color)) for color in color_table()]
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Heat map of the share of optimal choices")

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of this look."""
        self._theme = theme
        self.update()

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
        painter.fillRect(self.rect(), self._theme.color("plot"))
        grid = self._grid
        if grid is None:
            return
        area, metrics = self._area(), self.fontMetrics()
        center = Qt.AlignmentFlag.AlignCenter
        painter.setPen(self._theme.color("text"))
        painter.drawText(QRectF(_GAP, 0, self.width(), metrics.height()), Qt.AlignmentFlag.AlignLeft, grid.title)
        every = math.ceil(len(grid.budgets) * (metrics.horizontalAdvance("8,888k") + 4) / area.width())
        for column, budget in enumerate(grid.budgets):
            cell = self._cell_in(area, 0, column)
            if column % every == 0:
                place = QRectF(cell.left() - 30, area.bottom() + 2, cell.width() + 60, metrics.height())
                painter.drawText(place, center, short_count(budget))
        below = QRectF(area.left(), area.bottom() + metrics.height() + 2, area.width(), metrics.height())
        painter.setPen(self._theme.color("muted"))
        painter.drawText(below, center, "iterations (budget of each search)")
        for row, value in enumerate(grid.values):
            cell = self._cell_in(area, row, 0)
            painter.setPen(self._theme.color("text"))
            place = QRectF(0, cell.top(), area.left() - _GAP, cell.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{value:g}")
            for column, share in enumerate(grid.shares[row]):
                self._paint_cell(painter, self._cell_in(area, row, column), share)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor("#ff6b5e"), 3))
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
