"""The Lines tab: the best moves of the search that is shown, and how each of them would go on."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTableView, QVBoxLayout, QWidget

from nimdesk.games import Move
from nimdesk.games.base import describe_move
from nimdesk.games.truth_words import value_words
from nimdesk.search import Snapshot
from nimdesk.search.types import MoveStats
from nimdesk.ui.look.widgets import label, set_up_table, tip

_COLUMNS = ("Move", "Visits", "Score", "Line")
_HINTS = (
    "The moves of the search that is shown, the most visited first",
    "Simulations that began with this move",
    "The expected score for the side to move, or what is proven",
    "How the search would go on after this move",
)
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ALIGNMENTS = (_LEFT, _RIGHT, _RIGHT, _LEFT)
_MOST = 8
_LINE = 3
_Index = QModelIndex | QPersistentModelIndex


class LinesModel(QAbstractTableModel):
    """The moves with most visits, the search's choice on top; at most ``_MOST``."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[MoveStats] = []

    def show(self, snapshot: Snapshot | None) -> None:
        """Take over what this search says."""
        rows: list[MoveStats] = []
        if snapshot is not None:
            tried = [
                stats
                for stats in snapshot.moves
                if stats.visits or stats.proven is not None or stats.principal_variation
            ]
            best = snapshot.leader
            rows = sorted(tried, key=lambda stats: (stats.move != best, -stats.visits))[:_MOST]
        if len(rows) == len(self._rows) and rows:
            self._rows = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(_COLUMNS) - 1))
        else:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()

    def stats(self, row: int) -> MoveStats | None:
        """What the search says of the move in this row; None where there is none."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index | None = None) -> int:
        return len(_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return _COLUMNS[section]
            if role == Qt.ItemDataRole.ToolTipRole:
                return tip(_HINTS[section])
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return _ALIGNMENTS[section]
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        stats = self.stats(index.row())
        if stats is None:
            return None
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(stats, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENTS[column]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{_COLUMNS[column]}: {_text(stats, column)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(describe_move(stats.move) if column < _LINE else _text(stats, column))
        return None


def _text(stats: MoveStats, column: int) -> str:
    if column == 0:
        return stats.move.text
    if column == 1:
        return f"{stats.visits:,}" if stats.visits or stats.proven is not None else "–"
    if column == 2:
        if stats.proven is not None:
            return value_words(stats.proven, stats.distance)
        return "–" if stats.mean_value is None else f"{stats.mean_value:.2f}"
    return " ".join(move.text for move in stats.principal_variation[1:])


class LinesPanel(QWidget):
    """The table; pointing at a row, or choosing it by key, asks for its line to be shown on the board."""

    line_pointed = Signal(object)
    """The line of ``Move`` s in the row that is pointed at, as a tuple; empty where there is none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = LinesModel(self)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setAccessibleName("Best lines of the search")
        set_up_table(self.table, air=7, framed=False)
        self.table.setMouseTracking(True)
        self.table.setWordWrap(False)
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_LINE, QHeaderView.ResizeMode.Stretch)
        self._empty = label(
            "The best moves of a search, and how they would go on, appear here.", role="muted", wrap=True
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 6)
        layout.addWidget(self._empty)
        layout.addWidget(self.table, 1)
        self._snapshot: Snapshot | None = None
        self._stale = True
        self.table.entered.connect(self._on_row)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.table.viewport().installEventFilter(self)
        self._show()

    def show_snapshot(self, snapshot: Snapshot | None) -> None:
        """Show this search; drawing waits until the tab is seen."""
        self._snapshot, self._stale = snapshot, True
        if self.isVisible():
            self._show()

    def _show(self) -> None:
        self._stale = False
        self.model.show(self._snapshot)
        self._empty.setVisible(self.model.rowCount() == 0)

    def line(self, row: int) -> tuple[Move, ...]:
        """The line in this row, its first move included."""
        stats = self.model.stats(row)
        return () if stats is None else stats.principal_variation or (stats.move,)

    def _on_row(self, index: QModelIndex) -> None:
        self.line_pointed.emit(self.line(index.row()) if index.isValid() else ())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self.line_pointed.emit(())
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and self._stale:
            self._show()
        return super().event(event)
