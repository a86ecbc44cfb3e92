"""What the legend lists: all root moves, the most visited first, with the look of their curves and exact values."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from nimdesk.games import Move
from nimdesk.games.truth import Value
from nimdesk.games.words import describe_move
from nimdesk.search.types import MoveStats
from nimdesk.ui.look.cells import Cell
from nimdesk.ui.look.proven import full_words, short_words
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.look.truth_marks import paint_mark
from nimdesk.ui.plots.data import PlotData, percent
from nimdesk.ui.plots.looks import line_color, line_dash

MOVE, VISITS, SHARE, MEAN, TRUTH = range(5)

HEADERS = ("Move", "Visits", "Share", "Mean", "Truth")
_TIPS = (
    "The look of the curve and the move; ▲ marks the leader, the most visited move",
    "How many simulations began with this move",
    "The move's part of all visits",
    "Mean value: the score expected after this move for the side that plays it (1 win, ½ draw, 0 loss). An estimate.",
    "What is proven of the move, for the side that plays it, and in how many plies the game then ends. No estimate.",
)
SWATCH = QSize(24, 12)

Index = QModelIndex | QPersistentModelIndex


class LegendModel(QAbstractTableModel):
    """The rows of the legend; the row of a move follows its visits, and a selection follows its move."""

    reordered = Signal()
    """Moves change places; ``dataChanged`` follows."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._data: PlotData | None = None
        self._stats: tuple[MoveStats, ...] = ()
        self._total = 1
        self._order: list[int] = []
        self._swatches: dict[tuple[int, Value | None], QIcon] = {}
        self._marks: dict[Value, QIcon] = {}
        self.ratio = 1.0

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of this look."""
        self._theme = theme
        self._swatches.clear()
        self._marks.clear()
        self._all_changed()

    def set_data(self, data: PlotData | None, *, keep_order: bool = False) -> None:
        """Show these moves; with ``keep_order`` no row changes places as long as the moves are the same."""
        same = data is not None and self._data is not None and data.moves == self._data.moves
        if not same:
            self.beginResetModel()
        order = self._order
        self._data = data
        if data is None:
            self._stats, self._order = (), []
        else:
            self._stats = data.snapshot.moves
            self._total = max(1, data.snapshot.total_visits)
            order = self._order if same and keep_order else data.order.tolist()
        if not same:
            self._order = order if data is not None else []
            self.endResetModel()
        elif order != self._order:
            self._reorder(order)
        else:
            self._all_changed()

    def _reorder(self, order: list[int]) -> None:
        # What is selected follows its move. That the layout has changed is not told: all rows are alike but for what is
        # in them, and at that word Qt paints the whole table in one go.
        kept = self.persistentIndexList()
        columns = [self._order[index.row()] for index in kept]
        self._order = order
        self.changePersistentIndexList(
            kept, [self.index(order.index(c), index.column()) for c, index in zip(columns, kept, strict=True)]
        )
        self.reordered.emit()
        self._all_changed()

    def _all_changed(self) -> None:
        if self._order:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._order) - 1, TRUTH))

    def move_of_row(self, row: int) -> Move | None:
        """The move in this row, None if there is no such row."""
        if self._data is None or not 0 <= row < len(self._order):
            return None
        return self._data.moves[self._order[row]]

    def row_of_move(self, move: Move | None) -> int | None:
        """The row of this move, None if it is not listed."""
        column = self._data.column(move) if self._data is not None else None
        return None if column is None else self._order.index(column)

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._order)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return _TIPS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignCenter if section == TRUTH else _ALIGNMENTS[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._data is None or not index.isValid():
            return None
        column, section = self._order[index.row()], index.column()
        leads = column == self._data.leader
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(column, section, leads)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENTS[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            leader = "Leader, the most visited move: " if leads else ""
            proven = f" – proven: {full_words(self._data.proven[column])}" if self._data.proven else ""
            return f"{leader}{describe_move(self._data.moves[column])}{proven}"
        if role == Qt.ItemDataRole.AccessibleTextRole and section == MOVE:
            return f"{self._data.names[column]}{', leader' if leads else ''}"
        if role == Qt.ItemDataRole.AccessibleTextRole and section == TRUTH and self._data.proven:
            return full_words(self._data.proven[column])
        return None

    def cell(self, row: int, column: int) -> Cell | None:
        """What this cell shows."""
        data, section = self._data, column
        if data is None or row >= len(self._order):
            return None
        move, sign, ink = self._order[row], None, None
        leads = move == data.leader
        if section == MOVE:
            sign = self._swatch(int(data.styles[move]), data.value(move))
        elif section == TRUTH and data.proven:
            sign = self._mark(data.proven[move].value)
            ink = self._theme.color("win") if data.value(move) is Value.WIN else None
        return Cell(self._text(move, section, leads), _ALIGNMENTS[section], sign, ink, leads)

    def _mark(self, value: Value) -> QIcon:
        """The sign of a value; blank for what is not proven, which has a question mark for a word."""
        if value not in self._marks:
            pixmap = self._blank_swatch()
            if value is not Value.UNKNOWN:
                painter = QPainter(pixmap)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                paint_mark(painter, self._theme, value, QRectF(SWATCH.width() - 11, 1, 10, 10))
                painter.end()
            self._marks[value] = QIcon(pixmap)
        return self._marks[value]

    def _blank_swatch(self) -> QPixmap:
        pixmap = QPixmap(SWATCH * self.ratio)
        pixmap.setDevicePixelRatio(self.ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        return pixmap

    def _text(self, column: int, section: int, leads: bool) -> str:
        assert self._data is not None
        stats = self._stats[column]
        if section == MOVE:
            return f"{self._data.names[column]}{' ▲' if leads else ''}"
        if section == VISITS:
            return f"{stats.visits:,}"
        if section == SHARE:
            return percent(stats.visits / self._total)
        if section == TRUTH:
            return short_words(self._data.proven[column]) if self._data.proven else ""
        return "–" if stats.mean_value is None else f"{stats.mean_value:.3f}"

    def _swatch(self, style: int, value: Value | None) -> QIcon:
        if (style, value) not in self._swatches:
            pixmap = self._blank_swatch()
            painter = QPainter(pixmap)
            width = 1 if style < 0 else 3 if value in (None, Value.WIN) else 2
            pen = QPen(line_color(self._theme, style, value), width, line_dash(self._theme, style, value))
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            painter.setPen(pen)
            painter.drawLine(QPoint(0, 6), QPoint(SWATCH.width(), 6))
            painter.end()
            icon = QIcon()
            # The same for a selected row: the style would tint it, and the colour is what it is for.
            for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):
                icon.addPixmap(pixmap, mode)
            self._swatches[style, value] = icon
        return self._swatches[style, value]


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ALIGNMENTS = (_LEFT, _RIGHT, _RIGHT, _RIGHT, _LEFT)
