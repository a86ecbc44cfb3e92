"""The finished games of a run, however many: a row each, made when it is looked at."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QTableView, QWidget

from nimdesk.experiments.results import GameResult
from nimdesk.experiments.schedule import GameTask
from nimdesk.ui.experiments.match_runner import RunFrame
from nimdesk.ui.experiments.rows import Index, fit_columns, prepare

HEADERS = ("Game", "First", "Second", "Position", "Winner", "Plies", "Blunders", "Moves")
TIPS = (
    "The game's number in the plan",
    "Who moved first",
    "Who moved second",
    "The start of the game, with random opening moves",
    "Who won",
    "How many moves were made",
    "How many moves gave value away: the first player's : the second player's",
    "The moves",
)
_LEFT = (1, 2, 3, 4, 7)
_KEPT = 1_000
_SIDE_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_SIDE_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class GamesModel(QAbstractTableModel):
    """Takes its games from the list of a ``RunFrame``, which may grow meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self._frame: RunFrame | None = None
        self._count = 0
        self._cells: dict[int, tuple[str, ...]] = {}

    def show_frame(self, frame: RunFrame | None) -> None:
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

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(HEADERS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cells(index.row())[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == len(HEADERS) - 1:
            return self.cells(index.row())[-1]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _SIDE_LEFT if index.column() in _LEFT else _SIDE_RIGHT
        return None

    def cells(self, row: int) -> tuple[str, ...]:
        """This row in words; painting asks for each cell many times."""
        if row not in self._cells:
            if len(self._cells) > _KEPT:
                self._cells.clear()
            self._cells[row] = self._made(row)
        return self._cells[row]

    def _made(self, row: int) -> tuple[str, ...]:
        assert self._frame is not None
        game = self._frame.games[row]
        task = self._frame.schedule.tasks[game.number]
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

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.ToolTipRole:
            return TIPS[section]
        return HEADERS[section] if role == Qt.ItemDataRole.DisplayRole else None


class GamesTable(QTableView):
    """Enter or a double click opens a game."""

    game_opened = Signal(object)
    """A person wants to look at this ``GameResult``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.games_model = GamesModel()
        self.setModel(self.games_model)
        prepare(self, "Finished games")
        self.setToolTip("Enter or a double click opens a game on the board, with its searches done again")
        self.doubleClicked.connect(self._on_double)

    def show_frame(self, frame: RunFrame | None) -> None:
        """Show these games."""
        empty = not self.games_model.rowCount()
        self.games_model.show_frame(frame)
        if empty and self.games_model.rowCount():
            fit_columns(self)

    def _on_double(self, index: QModelIndex) -> None:
        self.game_opened.emit(self.games_model.game(index.row()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._on_double(self.currentIndex())
        else:
            super().keyPressEvent(event)
