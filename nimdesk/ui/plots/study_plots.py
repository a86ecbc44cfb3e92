"""Convergence over many searches: curves over budgets, one an agent, or a heat map where a study varies one number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QKeyEvent, QPainter, QPen, QPixmap
from PySide6.QtWidgets import (
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from nimdesk.figures.measure import Unit
from nimdesk.ui.look.theme import DASHES, LOOK
from nimdesk.ui.look.widgets import label, tip
from nimdesk.ui.plots.axes import value_ticks
from nimdesk.ui.plots.canvas import PlotCanvas, table_row
from nimdesk.ui.plots.frame import Axis
from nimdesk.ui.plots.heatmap import FRAME_COLOR, color_table
from nimdesk.ui.plots.history import Floats, short_count
from nimdesk.ui.plots.ink import DOT, Band, Column, Line, Marks, Shape, Words, paint_symbol, pen

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
    unit: Unit
    top: float
    chance: float | None = None
    per: str = "iterations"
    """What a budget counts, as ``Study.unit`` says."""

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
    color = LOOK.theme.curve(style)
    with QPainter(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color, _WIDTH, DASHES[style % len(DASHES)]))
        painter.drawLine(1, 7, 33, 7)
        painter.setPen(QPen(color, 1))
        painter.setBrush(color)
        paint_symbol(painter, style, QPointF(17, 7))
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
        self.right_room = _LETTER_AWAY + DOT + 8 + max(map(metrics.horizontalAdvance, beside))
        margin = 0.04 * data.top
        # The first marks are whole, and so is the ring around one of them.
        left_room = _RING / 2 + 2.0
        x = _AXIS.places(data.budgets)
        self.set_range(_AXIS, x, data.ends, -margin, data.top + margin, left_room)
        self.y_axis.set_label(data.label)
        self.y_axis.show_ticks(value_ticks(data.unit, 0.0, data.top, self.box.height()))
        self.x_axis.set_label(f"{data.per} (budget of each search)")
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
            end = float(there[0][-1]), float(there[1][-1])
            letters.append(Words(curve.letter, *end, theme.color("text"), bold, _LETTER_AWAY, color))
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
        self.readout.say(f"<b>budget {int(data.budgets[row]):,} {data.per}</b>", rows)

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
    per: str = "iterations"


class StudyMap(QWidget):
    """Cells with their colour and per cent; one can be chosen with the mouse, or with arrow keys and Enter."""

    cell_chosen = Signal(int, int, object)
    """A person chose a cell: the row, the column, and where it is (a global ``QPoint``)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.grid: StudyGrid | None = None
        """What is drawn."""
        self._colors = [QColor(*color) for color in color_table().tolist()]
        self.title, self.table = label(), QTableWidget()
        table = self.table
        table.setAccessibleName("Heat map of the share of optimal choices")
        table.setEditTriggers(table.EditTrigger.NoEditTriggers)
        table.setSelectionMode(table.SelectionMode.NoSelection)
        table.setTabKeyNavigation(False)
        table.setFrameShape(table.Shape.NoFrame)
        table.setItemDelegate(_Framed(table))
        for header in (table.horizontalHeader(), table.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
            header.setSectionsClickable(False)
        table.cellClicked.connect(self._choose)
        table.cellActivated.connect(self._choose)
        table.currentCellChanged.connect(self._describe)
        self.setFocusProxy(table)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.title)
        layout.addWidget(table, 1)

    def show_grid(self, grid: StudyGrid) -> None:
        """Draw this."""
        self.grid, table = grid, self.table
        row, column = max(0, table.currentRow()), max(0, table.currentColumn())
        self.title.setText(grid.title)
        table.setRowCount(len(grid.values))
        table.setColumnCount(len(grid.budgets))
        table.setVerticalHeaderLabels([f"{value:g}" for value in grid.values])
        table.setHorizontalHeaderLabels([short_count(budget) for budget in grid.budgets])
        for at in product(range(len(grid.values)), range(len(grid.budgets))):
            table.setItem(*at, self._item(*at))
        table.setCurrentCell(min(row, len(grid.values) - 1), min(column, len(grid.budgets) - 1))
        self._describe()

    def _item(self, row: int, column: int) -> QTableWidgetItem:
        assert self.grid is not None
        share = self.grid.shares[row][column]
        item = QTableWidgetItem("" if share is None else f"{share:.0%}")
        item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
        item.setToolTip(tip(f"{self._words(row, column)} A click opens one of its searches."))
        if share is not None:
            color = self._colors[round(255 * share)]
            item.setBackground(color)
            item.setForeground(QColor("#000000" if color.lightness() > 110 else "#ffffff"))
        return item

    def _words(self, row: int, column: int) -> str:
        assert self.grid is not None
        share = self.grid.shares[row][column]
        found = "no search yet" if share is None else f"{share:.0%} optimal"
        return f"{self.grid.values[row]:g} at budget {self.grid.budgets[column]:,} {self.grid.per}: {found}."

    def _describe(self) -> None:
        if self.grid is not None and self.table.currentRow() >= 0:
            words = self._words(self.table.currentRow(), self.table.currentColumn())
            self.table.setAccessibleDescription(f"{self.grid.title}. {words}")

    def _choose(self, row: int, column: int) -> None:
        if self.grid is not None and self.grid.shares[row][column] is not None:
            place = self.table.visualRect(self.table.model().index(row, column)).center()
            self.cell_chosen.emit(row, column, self.table.viewport().mapToGlobal(place))


class _Framed(QStyledItemDelegate):
    """Puts a frame around the cell that the keyboard is on; the tint of other tables would hide what it shows."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        table = self.parent()
        if isinstance(table, QTableWidget) and table.hasFocus() and table.currentIndex() == index:
            painter.setPen(QPen(FRAME_COLOR, 3))
            painter.drawRect(table.visualRect(table.currentIndex()).adjusted(1, 1, -2, -2))
