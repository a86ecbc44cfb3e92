"""Tables of text cells: a model and a view that can be copied as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

Index = QModelIndex | QPersistentModelIndex


class RowsModel(QAbstractTableModel):
    """Rows of text; the first ``left`` columns are words, the others numbers. ``tips`` explain the columns."""

    def __init__(self) -> None:
        super().__init__()
        self.headers: tuple[str, ...] = ()
        self.rows: Sequence[tuple[str, ...]] = ()
        self.tips: tuple[str, ...] = ()
        self._left = 0

    def show(
        self, headers: tuple[str, ...], rows: Sequence[tuple[str, ...]], left: int, tips: tuple[str, ...] = ()
    ) -> None:
        """Show these; what is selected stays so while the table keeps its size."""
        if headers != self.headers or len(rows) != len(self.rows):
            self.beginResetModel()
            self.headers, self.rows, self._left, self.tips = headers, rows, left, tips
            self.endResetModel()
            return
        self.rows = rows
        if rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(headers) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.headers)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return self.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if index.column() < self._left else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.headers[section]
        if role == Qt.ItemDataRole.ToolTipRole and section < len(self.tips):
            return self.tips[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section < self._left else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def text(self) -> str:
        """The whole table, tabs between cells, as spreadsheets take it."""
        return "\n".join("\t".join(row) for row in (self.headers, *self.rows))


class RowsView(QTableView):
    """Shows a ``RowsModel``; Enter or a double click opens a row."""

    opened = Signal(int)
    """A person wants to see what is behind this row."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows_model = RowsModel()
        self.setModel(self.rows_model)
        prepare(self, name)
        self.doubleClicked.connect(self._on_double)
        self._fitted: tuple[str, ...] = ()

    def show_rows(
        self, headers: tuple[str, ...], rows: Sequence[tuple[str, ...]], left: int, tips: tuple[str, ...] = ()
    ) -> None:
        """Show these; columns get their widths when the headers or the first rows come."""
        fresh = headers != self._fitted or (rows and not self.rows_model.rows)
        self.rows_model.show(headers, rows, left, tips)
        if fresh and rows:
            self._fitted = headers
            fit_columns(self)

    def _on_double(self, index: QModelIndex) -> None:
        self.opened.emit(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)


def fit_columns(view: QTableView) -> None:
    """Give every column the width of its texts, and some air."""
    view.resizeColumnsToContents()
    for column in range(view.model().columnCount()):
        view.setColumnWidth(column, view.columnWidth(column) + 12)


def prepare(view: QTableView, name: str) -> None:
    """The look of all tables of this page."""
    view.setAccessibleName(name)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setAlternatingRowColors(True)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.verticalHeader().hide()
    view.verticalHeader().setDefaultSectionSize(view.fontMetrics().height() + 6)
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.horizontalHeader().setHighlightSections(False)
    # Looks at these many rows: all of 35,000 games would take a second.
    view.horizontalHeader().setResizeContentsPrecision(20)
