"""Tables of text, one of them for finished games."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache, partial
from typing import TypeAlias

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHeaderView, QTableView

from nimdesk.experiments.matches.sections import blunder_words
from nimdesk.experiments.matches.tally import SideTally
from nimdesk.experiments.matches.work import GameResult, GameTask
from nimdesk.experiments.results import Packed
from nimdesk.experiments.schedule import Schedule
from nimdesk.ui.experiments.runner import Frame
from nimdesk.ui.look.widgets import set_up_table, tip

Index: TypeAlias = QModelIndex | QPersistentModelIndex
Row: TypeAlias = tuple[str, ...]
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LONG = "Moves"
_GAME_COLUMNS = {
    "Game": "The game's number in the plan",
    "First": "Who moved first",
    "Second": "Who moved second",
    "Position": "The start of the game, with random opening moves",
    "Winner": "Who won",
    "Plies": "How many moves were made",
    "Blunders": "How many moves gave value away: the first player's : the second player's; “of 3” where only so many, "
    "“–” where no decision could be judged",
    _LONG: "The moves",
}
_GAME_WORDS = (1, 2, 3, 4, 7)
_KEPT = 1_000


class RowsModel(QAbstractTableModel):
    """Rows of text below headers, perhaps with tool tips; columns in ``left`` hold words, the others numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.headers: tuple[str, ...] = ()
        self._tips: tuple[str, ...] = ()
        self._left: Collection[int] = ()
        self._count = 0
        self._row: Callable[[int], Row] = _no_row

    def show(
        self,
        headers: tuple[str, ...],
        count: int,
        row: Callable[[int], Row],
        left: Collection[int],
        tips: tuple[str, ...],
        *,
        more: bool,
    ) -> None:
        """Show ``count`` rows; ``row`` makes one when it is seen.

        With ``more`` the rows shown stay, and new ones follow. The selection stays if the headers stay, and the size
        stays or grows in this way.
        """
        before, same = self._count, headers == self.headers
        if same and more and count > before:
            self.beginInsertRows(QModelIndex(), before, count - 1)
            self._count, self._row = count, row
            self.endInsertRows()
        elif same and count == before:
            self._row = row
            if count and not more:
                self.dataChanged.emit(self.index(0, 0), self.index(count - 1, len(headers) - 1))
        else:
            self.beginResetModel()
            self.headers, self._tips, self._left, self._count, self._row = headers, tips, left, count, row
            self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._count

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.headers)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return self._row(index.row())[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if index.column() in self._left else _RIGHT
        if role == Qt.ItemDataRole.ToolTipRole and self.headers[index.column()] == _LONG:
            return tip(self._row(index.row())[index.column()])
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.headers[section]
        if role == Qt.ItemDataRole.ToolTipRole and section < len(self._tips):
            return tip(self._tips[section])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if section in self._left else _RIGHT
        return None


class RowsView(QTableView):
    """A table of text; Enter or a double click opens a row."""

    opened = Signal(int)
    """The person opened this row."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._rows = RowsModel()
        self.setModel(self._rows)
        self.setAccessibleName(name)
        set_up_table(self, air=6)
        self.setAlternatingRowColors(True)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        # Measures only these many rows: all of 35,000 games would take a second.
        self.horizontalHeader().setResizeContentsPrecision(20)
        self.doubleClicked.connect(self._on_double)

    def show_rows(
        self, headers: tuple[str, ...], rows: Sequence[Row], left: Collection[int], tips: tuple[str, ...] = ()
    ) -> None:
        """Show these rows; columns get their widths when the headers or the first rows come."""
        self._show(headers, len(rows), rows.__getitem__, left, tips)

    def _show(
        self,
        headers: tuple[str, ...],
        count: int,
        row: Callable[[int], Row],
        left: Collection[int],
        tips: tuple[str, ...],
        *,
        more: bool = False,
    ) -> None:
        fresh = count and (headers != self._rows.headers or not self._rows.rowCount())
        self._rows.show(headers, count, row, left, tips, more=more)
        if fresh:
            self.resizeColumnsToContents()
            for column in range(len(headers)):
                self.setColumnWidth(column, self.columnWidth(column) + 6)

    def _on_double(self, index: QModelIndex) -> None:
        self.opened.emit(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)


class GamesTable(RowsView):
    """The finished games of a run, however many: a row is made when it is seen."""

    game_opened = Signal(object)
    """The person opened this ``GameResult``."""

    def __init__(self) -> None:
        super().__init__("Finished games")
        self._games: Packed[GameResult] | None = None
        self.setToolTip("Enter or a double click opens a game on the board, with its searches done again")
        self.opened.connect(self._on_opened)

    def show_frame(self, frame: Frame | None) -> None:
        """Show these games, which may grow in number meanwhile."""
        games, count, row = None, 0, _no_row
        if frame is not None:
            games, count = frame.games, frame.count
            row = lru_cache(maxsize=_KEPT)(partial(_game_row, frame.schedule, games))
        more, self._games = games is self._games, games
        self._show(tuple(_GAME_COLUMNS), count, row, _GAME_WORDS, tuple(_GAME_COLUMNS.values()), more=more)

    def _on_opened(self, row: int) -> None:
        if self._games is not None:
            self.game_opened.emit(self._games[row])


def _no_row(row: int) -> Row:
    raise IndexError(row)


def _game_row(schedule: Schedule, games: Packed[GameResult], row: int) -> Row:
    game = games[row]
    task = schedule.task(game.number)
    assert isinstance(task, GameTask)
    players = game.seated(task.setting.players)
    won = "draw" if game.winner is None else players[game.winner]
    if game.forfeit:
        won += " (the other failed)"
    elif game.adjudicated:
        won += " (proven)"
    sides = SideTally(), SideTally()
    for side, tally in enumerate(sides):
        tally.add(game.plies[(side + game.turn) % 2 :: 2])
    return (
        f"{game.number:,}",
        *players,
        game.start,
        won,
        str(len(game.plies)),
        blunder_words(sides, shares=False),
        " ".join(ply.move for ply in game.plies),
    )
