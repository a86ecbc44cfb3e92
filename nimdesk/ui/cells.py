"""Table cells painted without Qt's style, which asks the model nine questions for each, and each time from C++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget

from nimdesk.ui.theme import Theme

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
        cell = self._model.cell(index.row(), index.column())
        rect: QRect = option.rect
        selected = _SELECTED in option.state
        if selected:
            painter.fillRect(rect, self._chosen)
        if cell is None:
            return
        font = option.font
        if font != self._font:
            self._take(font)
        left = _MARGIN
        if cell.sign is not None:
            self._paint_sign(painter, rect, cell.sign, selected=selected)
            left += self._sign.width() + _MARGIN + 2
        if not (text := cell.text):
            return
        rect = rect.adjusted(left, 0, -_MARGIN, 0)
        font = self._bold if cell.bold else self._font
        painter.setFont(font)
        painter.setPen(cell.ink or self._text)
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
    """A table that paints what has changed in two turns of the event loop, the upper rows first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rest: tuple[Index, Index] | None = None
        self._later = QTimer(self, singleShot=True, interval=_APART_MS, timerType=Qt.TimerType.PreciseTimer)
        self._later.timeout.connect(self._paint_rest)

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        top = max(first.row(), self.rowAt(0))
        if last.row() - top < _AT_ONCE:
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
