"""Tables of text cells, and among them that of the finished games, however many: a row is made when it is seen."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from nimdesk.experiments.results import GameResult
from nimdesk.experiments.schedule import GameTask
from nimdesk.ui.experiments.runner import Frame
from nimdesk.ui.look.widgets import set_up_table

Index = QModelIndex | QPersistentModelIndex
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_GAME_COLUMNS = {
    "Game": "The game's number in the plan",
    "First": "Who moved first",
    "Second": "Who moved second",
    "Position": "The start of the game, with random opening moves",
    "Winner": "Who won",
    "Plies": "How many moves were made",
    "Blunders": "How many moves gave value away: the first player's : the second player's",
    "Moves": "The moves",
}
_KEPT = 1_000


class TextModel(QAbstractTableModel):
    """Columns with headers and perhaps tips; those in ``left`` hold words, the others numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.headers: tuple[str, ...] = ()
        self.tips: tuple[str, ...] = ()
        self.left: Sequence[int] = ()

    def cells(self, row: int) -> tuple[str, ...]:
        """This row in words; painting asks for each cell many times."""
        raise NotImplementedError

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.headers)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cells(index.row())[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if index.column() in self.left else _RIGHT
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.headers[section]
        if role == Qt.ItemDataRole.ToolTipRole and section < len(self.tips):
            return self.tips[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if section in self.left else _RIGHT
        return None


class TextView(QTableView):
    """Shows a ``TextModel``; Enter or a double click opens a row."""

    opened = Signal(int)
    """A person wants to see what is behind this row."""

    def __init__(self, model: TextModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setAccessibleName(name)
        set_up_table(self, air=6)
        self.setAlternatingRowColors(True)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        # Looks at these many rows: all of 35,000 games would take a second.
        self.horizontalHeader().setResizeContentsPrecision(20)
        self.doubleClicked.connect(self._on_double)

    def fit_columns(self) -> None:
        """Give every column the width of its texts, and some air."""
        self.resizeColumnsToContents()
        for column in range(self.model().columnCount()):
            self.setColumnWidth(column, self.columnWidth(column) + 12)

    def _on_double(self, index: QModelIndex) -> None:
        self.opened.emit(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)


class RowsModel(TextModel):
    """Rows that are there as a whole."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[tuple[str, ...]] = ()

    def show(
        self, headers: tuple[str, ...], rows: Sequence[tuple[str, ...]], left: int, tips: tuple[str, ...] = ()
    ) -> None:
        """Show these; what is selected stays so while the table keeps its size."""
        if headers != self.headers or len(rows) != len(self.rows):
            self.beginResetModel()
            self.headers, self.rows, self.left, self.tips = headers, rows, range(left), tips
            self.endResetModel()
            return
        self.rows = rows
        if rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(headers) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def cells(self, row: int) -> tuple[str, ...]:
        """The row."""
        return self.rows[row]


class RowsView(TextView):
    """Shows rows of text, the first columns of which are words."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        self.rows_model = RowsModel()
        super().__init__(self.rows_model, name, parent)
        self._fitted: tuple[str, ...] = ()

    def show_rows(
        self, headers: tuple[str, ...], rows: Sequence[tuple[str, ...]], left: int, tips: tuple[str, ...] = ()
    ) -> None:
        """Show these; columns get their widths when the headers or the first rows come."""
        fresh = headers != self._fitted or (rows and not self.rows_model.rows)
        self.rows_model.show(headers, rows, left, tips)
        if fresh and rows:
            self._fitted = headers
            self.fit_columns()


class GamesModel(TextModel):
    """Takes its games from the list of a ``Frame``, which may grow meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.headers, self.tips = tuple(_GAME_COLUMNS), tuple(_GAME_COLUMNS.values())
        self.left = (1, 2, 3, 4, 7)
        self._frame: Frame | None = None
        self._count = 0
        self._cells: dict[int, tuple[str, ...]] = {}

    def show_frame(self, frame: Frame | None) -> None:
        """Show these games; those that are shown already stay as they are."""
        same = frame is not None and self._frame is not None and frame.games is self._frame.games
        if not same or frame is None:
            self.beginResetModel()
            self._cells.clear()
            self._frame, self._count = frame, 0 if frame is None else frame.count
            self.endResetModel()
        elif frame.count > self._count:
            self.beginInsertRows(QModelIndex(), self._count, frame.count - 1)
            self._frame, self._count = frame, frame.count
            self.endInsertRows()

    def game(self, row: int) -> GameResult:
        """The game of this row."""
        assert self._frame is not None
        return self._frame.games[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._count

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == len(self.headers) - 1:
            return self.cells(index.row())[-1]
        return super().data(index, role)

    def cells(self, row: int) -> tuple[str, ...]:
        """The game in words."""
        if row not in self._cells:
            if len(self._cells) > _KEPT:
                self._cells.clear()
            self._cells[row] = self._made(self.game(row))
        return self._cells[row]

    def _made(self, game: GameResult) -> tuple[str, ...]:
        assert self._frame is not None
        task = self._frame.schedule.task(game.number)
        assert isinstance(task, GameTask)
        players = task.setting.players
        won = "draw" if game.winner is None else players[game.winner]
        if game.forfeit:
            won += " (the other failed)"
        turn = (len(game.start.split()) - 1) % 2
        blunders = [0, 0]
        for i, ply in enumerate(game.plies):
            blunders[(turn + i) % 2] += ply.verdict == "-"
        known = any(ply.verdict != "?" for ply in game.plies)
        return (
            f"{game.number:,}",
            *players,
            game.start,
            won,
            str(len(game.plies)),
            f"{blunders[0]} : {blunders[1]}" if known else "–",
            " ".join(ply.move for ply in game.plies),
        )


class GamesTable(TextView):
    """The finished games of a run."""

    game_opened = Signal(object)
    """A person wants to look at this ``GameResult``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.games_model = GamesModel()
        super().__init__(self.games_model, "Finished games", parent)
        self.setToolTip("Enter or a double click opens a game on the board, with its searches done again")
        self.opened.connect(self._on_opened)

    def show_frame(self, frame: Frame | None) -> None:
        """Show these games."""
        empty = not self.games_model.rowCount()
        self.games_model.show_frame(frame)
        if empty and self.games_model.rowCount():
            self.fit_columns()

    def _on_opened(self, row: int) -> None:
        self.game_opened.emit(self.games_model.game(row))
