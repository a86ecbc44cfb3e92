"""Table cells painted without Qt's style, which asks the model nine questions for each, and each time from C++."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget

from nimdesk.ui.look.theme import Theme

_MARGIN = 3
_AT_ONCE, _APART_MS = 8, 6
"""So many rows are painted in one turn of the event loop, the others so much later: a key or a click may come first."""
_SELECTED = QStyle.StateFlag.State_Selected


Index = QModelIndex | QPersistentModelIndex


class Cell(NamedTuple):
    """What a cell shows: words, an icon or a swatch of this colour before them, ink of its own, bold or not."""

    text: str
    align: Qt.AlignmentFlag
    sign: QIcon | QColor | None = None
    ink: QColor | None = None
    bold: bool = False
    may_be_long: bool = False
    """Whether it may need more than the width of its column, and then ends in dots."""


class CellModel(Protocol):
    """What the cells are asked for."""

    def cell(self, row: int, column: int) -> Cell | None:
        """What this cell shows; it must be what the model's ``data`` says."""


class QuickCells(QStyledItemDelegate):
    """Paints words, a sign before them, and the ground of selected rows; nothing else, and that quickly."""

    def __init__(self, model: CellModel, sign: QSize, parent: QWidget) -> None:
        """``sign`` is the room for what stands before the words."""
        super().__init__(parent)
        self._model, self._sign = model, sign
        self._text, self._chosen = QColor(), QColor()
        # What the painter at work was told last.
        self._pen: QColor | None = None
        self._bold_now: bool | None = None
        self._take(QFont())

    def set_theme(self, theme: Theme, chosen: QColor) -> None:
        """Write in this look, with this ground in selected rows."""
        self._text, self._chosen = theme.color("text"), chosen

    def _take(self, font: QFont) -> None:
        self._font, self._bold = QFont(font), QFont(font)
        self._bold.setBold(True)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        rect: QRect = option.rect
        place, row = (rect.left(), rect.width()), (index.row(), rect.top(), rect.height(), _SELECTED in option.state)
        self.paint_column(painter, option.font, index.column(), place, (row,))

    def paint_column(
        self,
        painter: QPainter,
        font: QFont,
        column: int,
        place: tuple[int, int],
        rows: Iterable[tuple[int, int, int, bool]],
    ) -> None:
        """Paint the cells of a column between ``place``'s left and width: of each row its top, height and selection."""
        if font != self._font:
            self._take(font)
        cell_of, (left, width) = self._model.cell, place
        self._pen = self._bold_now = None
        for row, top, height, selected in rows:
            rect = QRect(left, top, width, height)
            if selected:
                painter.fillRect(rect, self._chosen)
            cell = cell_of(row, column)
            if cell is not None:
                self._paint_cell(painter, rect, cell, selected=selected)

    def _paint_cell(self, painter: QPainter, rect: QRect, cell: Cell, *, selected: bool) -> None:
        left = _MARGIN
        if cell.sign is not None:
            self._paint_sign(painter, rect, cell.sign, selected=selected)
            left += self._sign.width() + _MARGIN + 2
        if not (text := cell.text):
            return
        rect = rect.adjusted(left, 0, -_MARGIN, 0)
        font = self._bold if cell.bold else self._font
        if cell.bold is not self._bold_now:
            painter.setFont(font)
            self._bold_now = cell.bold
        ink = cell.ink or self._text
        if ink is not self._pen:
            painter.setPen(ink)
            self._pen = ink
        if cell.may_be_long:
            # No letter is narrower than 3 pixels: what is beyond need not be measured.
            text = QFontMetrics(font).elidedText(text[: rect.width() // 3], Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, cell.align, text)

    def _paint_sign(self, painter: QPainter, rect: QRect, sign: QIcon | QColor, *, selected: bool) -> None:
        place = QRect(QPoint(rect.left() + _MARGIN, rect.center().y() - (self._sign.height() - 1) // 2), self._sign)
        if isinstance(sign, QIcon):
            sign.paint(painter, place, mode=QIcon.Mode.Selected if selected else QIcon.Mode.Normal)
        else:
            painter.fillRect(place, sign)


class QuickTable(QTableView):
    """A table that paints what has changed in two turns of the event loop, the upper rows first.

    After ``paint_whole`` it is one turn: where rows have changed places, the same must not stand in two of them.
    Its delegate has to be a ``QuickCells``; it has no grid, no spans, and its columns stay in their order.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rest: tuple[Index, Index] | None = None
        self._whole = False
        self._later = QTimer(self, singleShot=True, interval=_APART_MS, timerType=Qt.TimerType.PreciseTimer)
        self._later.timeout.connect(self._paint_rest)

    def paint_whole(self) -> None:
        """Paint the change that the model tells of next in one turn."""
        self._whole = True

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        top = max(first.row(), self.rowAt(0))
        whole, self._whole = self._whole, False
        if whole or last.row() - top < _AT_ONCE:
            super().dataChanged(first, last, roles)
            return
        model = first.model()
        self._rest = model.index(top + _AT_ONCE, first.column()), last
        super().dataChanged(first, model.index(top + _AT_ONCE - 1, last.column()), roles)
        if not self._later.isActive():
            self._later.start()

    def _paint_rest(self) -> None:
        rest, self._rest = self._rest, None
        if rest is not None and rest[1].row() < self.model().rowCount():
            super().dataChanged(*rest, ())

    def paintEvent(self, event: QPaintEvent) -> None:
        # Qt itself would ask the delegate for each cell, from C++, which costs more than to write what is in it.
        cells = self.itemDelegate()
        assert isinstance(cells, QuickCells)
        painter, dirty = QPainter(self.viewport()), event.rect()
        header, first, last = self.horizontalHeader(), self.rowAt(dirty.top()), self.rowAt(dirty.bottom())
        if first < 0:
            return  # below the last row
        if last < 0:
            last = self.model().rowCount() - 1
        selection, top = self.selectionModel(), QModelIndex()
        rows = [
            (row, self.rowViewportPosition(row), self.rowHeight(row), selection.isRowSelected(row, top))
            for row in range(first, last + 1)
        ]
        for column in range(header.count()):
            left, width = self.columnViewportPosition(column), self.columnWidth(column)
            if width and left <= dirty.right() and left + width > dirty.left():
                cells.paint_column(painter, self.font(), column, (left, width), rows)
        painter.end()
