"""The rows of the moves table: every root move at the moment shown, estimate and proof side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QWidget

from nimdesk.cells import percent, tab_line
from nimdesk.games import Move
from nimdesk.games.base import describe_move
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.search import MoveStats, Snapshot, measures
from nimdesk.search.bounds import Bound
from nimdesk.ui.look.move_marks import SIGNS, proven_moves
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import tip

MOVE, VISITS, SHARE, MEAN, ERROR, BOUND, PROVEN, DISTANCE, LINE = range(9)
HEADERS = ("Move", "Visits", "Share", "Mean", "± error", "Bound", "Proven", "Plies", "Line")
TIPS = (
    "The move; ▲ marks the one that would be played. Enter or a double click plays it; Ctrl+C copies the table",
    "How many simulations began with this move",
    "The move's part of all visits",
    "Mean value: the score expected after this move for the side that plays it (1 win, ½ draw, 0 loss). An estimate.",
    "Standard error of the mean: at most √(m(1 − m)/n), exact where no playout is a draw",
    "What the search maximises. A move that it has settled has none: it is not tried again",
    "What is proven of the move for the side that plays it, by theory, by the solver or by the search itself",
    "To the end of the game, in plies, when both sides play perfectly after this move",
    "Principal variation: how the search expects the game to go on. Of an earlier moment it appears after a rest",
)
NODES = {
    VISITS: ("Nodes", "How many nodes were searched below this move"),
    SHARE: ("Share", "The move's part of all nodes searched: where the work went, not what the search prefers"),
}
"""Titles and tips of a search that plays no simulations."""
WITHOUT = {"visits": (), "nodes": (MEAN, ERROR, BOUND), "": (VISITS, SHARE, MEAN, ERROR, BOUND)}
"""The columns that a search lacks, by what it counts."""
_NUMBERS = (VISITS, SHARE, MEAN, ERROR, BOUND, DISTANCE)
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Row:
    """One move."""

    stats: MoveStats
    share: float
    error: float | None
    bound: float | None
    proven: MoveTruth | None
    by_search: bool
    leads: bool

    @property
    def move(self) -> Move:
        """The move itself."""
        return self.stats.move


class Rows:
    """One row for each legal move, in the order of the moves, computed on demand.

    A table shows a dozen of some hundred moves, and changes five times a second.
    """

    def __init__(self, snapshot: Snapshot | None, truth: Truth | None, bound: Bound | None) -> None:
        """``bound`` is what the search maximises; None if it follows no bound."""
        self._stats = snapshot.moves if snapshot is not None else ()
        self._known = proven_moves(truth, snapshot.position) if snapshot is not None else {}
        self._total = snapshot.total_visits if snapshot is not None else 0
        self._root_visits = snapshot.iterations + snapshot.reused if snapshot is not None else 0
        self._best = snapshot.best_move if snapshot is not None else None
        self.counted = "visits" if snapshot is None else snapshot.counted
        self.bound = bound
        self._made: dict[int, Row] = {}
        self.moves = [stats.move for stats in self._stats]
        self.visits = [stats.visits for stats in self._stats]
        if not self.counted:  # then the move that the search has a line for comes first
            self.visits = [len(stats.principal_variation) for stats in self._stats]

    @property
    def known(self) -> bool:
        """Whether anything is proven of any move."""
        proven = any(each.value is not Value.UNKNOWN for each in self._known.values())
        return proven or any(stats.proven is not None for stats in self._stats)

    def __len__(self) -> int:
        """The number of moves."""
        return len(self._stats)

    def __getitem__(self, column: int) -> Row:
        """The row of this move."""
        row = self._made.get(column)
        if row is None:
            row = self._made[column] = self._make(self._stats[column])
        return row

    def _make(self, stats: MoveStats) -> Row:
        total = self._total
        mean, n = stats.mean_value, stats.visits
        error = bound = None
        if mean is not None and n:
            error = measures.standard_error(mean, n)
            if self.bound is not None and stats.proven is None:
                bound = mean + self.bound.bonus(self._root_visits, n, len(self._stats))
        proven, by_search = self._known.get(stats.move), False
        if (proven is None or proven.value is Value.UNKNOWN) and stats.proven is not None:
            proven, by_search = MoveTruth(stats.move, stats.proven, stats.distance), True
        return Row(stats, n / total if total else 0.0, error, bound, proven, by_search, stats.move == self._best)


class MovesModel(QAbstractTableModel):
    """The table's data, sorted by one column; ties are in the order of the legal moves."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = Rows(None, None, None)
        self._order: list[int] = []
        self._column, self._descending = VISITS, True
        self._swatches: dict[Move, QColor] = {}
        self._bold = QFont()
        self._bold.setBold(True)

    def set_rows(self, rows: Rows, colors: dict[Move, QColor], *, keep_order: bool = False) -> None:
        """Show these rows; with ``keep_order`` no row moves as long as the moves are the same."""
        same, renamed = rows.moves == self._rows.moves, rows.counted != self._rows.counted
        self._swatches = colors
        if not same:
            self.beginResetModel()
            self._rows, self._order = rows, []
            self._order = self._sorted()
            self.endResetModel()
            return
        self._rows = rows
        if renamed:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(HEADERS) - 1)
        if not keep_order:
            self._reorder(self._sorted())
        self._changed()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._column, self._descending = column, order == Qt.SortOrder.DescendingOrder
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(HEADERS) - 1)
        self._reorder(self._sorted())
        self._changed()

    def sort_by(self, column: int) -> None:
        """Sort by this column, largest or best first; a second time reverses the order."""
        descending = not self._descending if column == self._column else column != MOVE
        self.sort(column, Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder)

    def _sorted(self) -> list[int]:
        columns = range(len(self._rows))
        if self._column == MOVE:
            return list(reversed(columns)) if self._descending else list(columns)
        visits = self._rows.visits
        keys: Sequence[Any] = (
            visits if self._column in (VISITS, SHARE) else [self._key(self._rows[column]) for column in columns]
        )
        return sorted(columns, key=keys.__getitem__, reverse=self._descending)

    def _key(self, row: Row) -> tuple[float, ...]:
        """Larger is better; missing values come last in both orders."""
        if self._column == PROVEN:
            if row.proven is None:
                return (-1.0, 0.0)
            distance = float(row.proven.distance or 0)
            return (row.proven.value.rank, distance if row.proven.value is Value.LOSS else -distance)
        if self._column == LINE:
            return (float(len(row.stats.principal_variation)),)
        value = {
            MEAN: row.stats.mean_value,
            ERROR: row.error,
            BOUND: row.bound,
            DISTANCE: row.proven.distance if row.proven is not None else None,
        }.get(self._column)
        return (-math.inf if value is None else float(value), float(row.stats.visits))

    def _reorder(self, order: list[int]) -> None:
        if order == self._order:
            return
        # The selection follows its move; ``dataChanged`` follows, and rows differ only in their contents.
        kept = self.persistentIndexList()
        places = {column: row for row, column in enumerate(order)}
        moved = [self.index(places[self._order[index.row()]], index.column()) for index in kept]
        self._order = order
        self.changePersistentIndexList(kept, moved)

    def _changed(self) -> None:
        if self._order:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._order) - 1, LINE))

    # The rows

    def row(self, place: int) -> Row | None:
        """The row at this place of the table; None if there is none."""
        return self._rows[self._order[place]] if 0 <= place < len(self._order) else None

    def place_of(self, move: Move | None) -> int | None:
        """The row of this move."""
        return next((at for at, column in enumerate(self._order) if self._rows.moves[column] == move), None)

    def tsv(self) -> str:
        """The table in its order, with a header, columns separated by tabs; numbers in full."""
        columns = [column for column in range(len(HEADERS)) if column not in WITHOUT[self._rows.counted]]
        lines = [tab_line(map(self.title, columns))]
        for place in range(len(self._order)):
            row = self.row(place)
            assert row is not None
            lines.append(tab_line(_exact(row, column) for column in columns))
        return "\n".join(lines) + "\n"

    # Qt's questions

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._order)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._header(section)
        if role == Qt.ItemDataRole.ToolTipRole:
            renamed = self._rows.counted == "nodes" and section in NODES
            told = NODES[section][1] if renamed else TIPS[section]
            bound = self._rows.bound if section == BOUND else None
            return tip(told if bound is None else f"{told}. Here it is {bound.formula}, {bound.words}.")
        return _ALIGNMENTS[section] if role == Qt.ItemDataRole.TextAlignmentRole else None

    def title(self, section: int) -> str:
        """The title of this column for the search shown."""
        return NODES[section][0] if self._rows.counted == "nodes" and section in NODES else HEADERS[section]

    def _header(self, section: int) -> str:
        """The title with an arrow for the order beside it; Qt would paint its own over the words."""
        title = self.title(section)
        if section != self._column:
            return title
        arrow = "▾" if self._descending else "▴"
        return f"{arrow} {title}" if section in _NUMBERS else f"{title} {arrow}"

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.row(index.row()), index.column()
        if row is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENTS[column]
        if role == Qt.ItemDataRole.FontRole:
            return self._bold if row.leads else None
        if role == Qt.ItemDataRole.DecorationRole:
            return self._swatches.get(row.move) if column == MOVE else None
        if role == Qt.ItemDataRole.ForegroundRole:
            won = row.proven is not None and row.proven.value is Value.WIN
            return LOOK.theme.color("win") if won and column in (PROVEN, DISTANCE) else None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return _words(row, column)
        if role == Qt.ItemDataRole.ToolTipRole and column in (MOVE, PROVEN, LINE):
            return tip(_words(row, column))
        return None


def _text(row: Row, column: int) -> str:
    stats, proven = row.stats, row.proven
    if column == MOVE:
        return f"{stats.move.text}{' ▲' if row.leads else ''}"
    if column == VISITS:
        return f"{stats.visits:,}"
    if column == SHARE:
        return percent(row.share)
    if column == PROVEN:
        return "" if proven is None else f"{SIGNS[proven.value]} {proven.value.value}".replace("? unknown", "?")
    if column == DISTANCE:
        return "" if proven is None or proven.distance is None else str(proven.distance)
    if column == LINE:
        return " ".join(move.text for move in stats.principal_variation)
    value = {MEAN: stats.mean_value, ERROR: row.error, BOUND: row.bound}[column]
    return "–" if value is None else f"{value:.3f}"


def _exact(row: Row, column: int) -> str:
    value: object = {
        MOVE: row.move.text,
        VISITS: row.stats.visits,
        SHARE: row.share,
        MEAN: row.stats.mean_value,
        ERROR: row.error,
        BOUND: row.bound,
        PROVEN: row.proven.value.value if row.proven is not None else None,
        DISTANCE: row.proven.distance if row.proven is not None else None,
        LINE: _text(row, LINE),
    }[column]
    return "" if value is None else str(value)


def _words(row: Row, column: int) -> str:
    if column == PROVEN and row.proven is not None and row.by_search:
        return f"{row.proven.value.value}, proven by this search"
    if column == MOVE:
        return f"{describe_move(row.move)}{', the move it would play' if row.leads else ''}"
    return _text(row, column)


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ALIGNMENTS = tuple(_RIGHT if column in _NUMBERS else _LEFT for column in range(len(HEADERS)))
