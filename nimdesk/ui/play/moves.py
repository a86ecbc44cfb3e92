"""The moves dock: the moves played, and jumping to any of them."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFont
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QTableView, QToolButton, QVBoxLayout, QWidget

from nimdesk.games import Side
from nimdesk.games.base import describe_move, describe_turn
from nimdesk.games.truth import Value
from nimdesk.play import GameInProgress, Ply
from nimdesk.ui.jobs.truth import Judged
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.play.words import chosen_words

_COLUMNS = ("#", "Side", "Move", "By", "Search", "Truth")
_TRUTH = 5
_HINTS = {
    4: "What the computer thought of its move: the share of its simulations, or what is proven, in plies",
    _TRUTH: "What the move leaves its side, with best play: ✓ a win, = a draw, ✗ a loss; an arrow marks a mistake",
}
_SIGNS = {Value.WIN: "✓", Value.DRAW: "=", Value.LOSS: "✗"}
_Index = QModelIndex | QPersistentModelIndex


class MovesModel(QAbstractTableModel):
    """Row 0 is the start position, row i the i-th move; moves after the one looked at are muted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._game: GameInProgress | None = None
        self._plies: tuple[Ply, ...] = ()
        self._cursor = 0
        self._judged: tuple[Judged | None, ...] | None = None

    def show(self, game: GameInProgress) -> None:
        """Take over the state of the game."""
        plies = game.plies
        same = game is self._game and plies[: len(self._plies)] == self._plies
        if same and len(plies) > len(self._plies):
            self.beginInsertRows(QModelIndex(), len(self._plies) + 1, len(plies))
            self._plies, self._cursor = plies, game.cursor
            self.endInsertRows()
        elif not same or plies != self._plies:
            self.beginResetModel()
            self._game, self._plies, self._cursor = game, plies, game.cursor
            self.endResetModel()
        self._cursor = game.cursor
        self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    def show_judged(self, judged: tuple[Judged | None, ...] | None) -> None:
        """Say of each move what it did to the value of its position; None: leave it to guess."""
        if judged == self._judged:
            return
        if judged is None:
            self.beginRemoveColumns(QModelIndex(), _TRUTH, _TRUTH)
            self._judged = judged
            self.endRemoveColumns()
        elif self._judged is None:
            self.beginInsertColumns(QModelIndex(), _TRUTH, _TRUTH)
            self._judged = judged
            self.endInsertColumns()
        else:
            self._judged = judged
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, _TRUTH))

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if (parent is not None and parent.isValid()) or self._game is None else len(self._plies) + 1

    def columnCount(self, parent: _Index | None = None) -> int:
        return len(_COLUMNS) - (self._judged is None)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return _COLUMNS[section]
        if role == Qt.ItemDataRole.ToolTipRole and orientation == Qt.Orientation.Horizontal:
            return _HINTS.get(section)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if self._game is None or not index.isValid():
            return None
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._start_text(column) if row == 0 else self._text(row, column)
        if role == Qt.ItemDataRole.ForegroundRole and row > self._cursor:
            return QColor(LOOK.theme.muted)
        if role == Qt.ItemDataRole.ForegroundRole and column == _TRUTH and (judged := self._of(row)) is not None:
            return LOOK.theme.color(judged.after.value)
        if role == Qt.ItemDataRole.FontRole and row == self._cursor:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.TextAlignmentRole and column == _TRUTH:
            return int(Qt.AlignmentFlag.AlignCenter)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (0, 4):
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._sentence(row)
        return None

    def _start_text(self, column: int) -> str:
        return "start" if column == 2 else ""

    def _text(self, row: int, column: int) -> str:
        assert self._game is not None
        ply = self._plies[row - 1]
        if column == _TRUTH:
            judged = self._of(row)
            if judged is None:
                return ""
            lost = f"{_SIGNS[judged.before]} → " if judged.after is not judged.before else ""
            return lost + _SIGNS[judged.after]
        if column == 4:
            return chosen_words(ply)
        side = self._game.game.side_name(Side((row - 1) % 2))
        return (str(row), side, ply.move.text, ply.by)[column]

    def _of(self, row: int) -> Judged | None:
        """What is known of the move of this row; more may be known by now than there are rows, or less."""
        judged = self._judged or ()
        return judged[row - 1] if 0 < row <= len(judged) else None

    def _sentence(self, row: int) -> str:
        assert self._game is not None
        if row == 0:
            return "The start position"
        ply = self._plies[row - 1]
        side = self._game.game.side_name(Side((row - 1) % 2))
        took = f", {ply.elapsed_s:.2f} s of search" if ply.elapsed_s else ""
        end = self._game.position_at(row)
        over = f". {describe_turn(end)}" if end.outcome is not None else ""
        judged = self._of(row)
        kept = f". {judged.sentence.removesuffix('.')}" if judged is not None else ""
        return f"Move {row}, {side}{f' ({ply.by})' if ply.by else ''}: {describe_move(ply.move)}{took}{over}{kept}"


class MovesPanel(QWidget):
    """The table, and buttons for first, previous, next and last."""

    jump_requested = Signal(int)
    """Look at the board after this many moves."""

    def __init__(self, navigation: tuple[QAction, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = MovesModel(self)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setAccessibleName("Moves played")
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setAlternatingRowColors(True)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 7)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        header.setHighlightSections(False)
        header.setMinimumSectionSize(24)
        # Six columns have to fit beside the board with nobody's name cut off.
        header.setStyleSheet("QHeaderView::section { padding: 3px 3px; }")
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self._following = False
        buttons = QHBoxLayout()
        buttons.setSpacing(2)
        for action in navigation:
            button = QToolButton(autoRaise=True)
            button.setDefaultAction(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            buttons.addWidget(button, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 6)
        layout.setSpacing(4)
        layout.addWidget(self.table)
        layout.addLayout(buttons)
        self.setMinimumWidth(250)

    def show_game(self, game: GameInProgress) -> None:
        """Show the moves, with the one looked at selected and in sight."""
        self._following = True
        self.model.show(game)
        index = self.model.index(game.cursor, 2)
        self.table.setCurrentIndex(index)
        self.table.scrollTo(index)
        self._following = False

    def show_judged(self, judged: tuple[Judged | None, ...] | None) -> None:
        """Say of each move, in the last column and in its sentence, what it did to the value; None: nothing."""
        columns = self.model.columnCount()
        self.model.show_judged(judged)
        if self.model.columnCount() > columns:
            # A row that was selected before has no part in the new column.
            self.table.selectRow(self.table.currentIndex().row())

    def _on_row(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._following and current.isValid():
            self.jump_requested.emit(current.row())
