"""The legend: a table of the moves visited, the most visited first, with the look of their curves and exact values."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QIcon,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QHeaderView, QTableView, QToolTip, QWidget

from nimdesk.games import Move
from nimdesk.games.base import describe_move
from nimdesk.games.truth import Value
from nimdesk.ui.look.move_marks import DIE, EARLY, full_words, paint_mark, short_words
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import set_up_table, tip
from nimdesk.ui.plots.curves import END_SIZE, line_color, line_dash
from nimdesk.ui.plots.history import MoveHistory, share_words
from nimdesk.ui.plots.ink import paint_symbol

MOVE, VISITS, SHARE, MEAN, TRUTH = range(5)
HEADERS = ("Move", "Count", "Share", "Mean", "Truth")
_TIPS = (
    f"The look of the curve and the move; ▲ marks the leader of the search, {DIE} a move played by dice in its "
    f"place, {EARLY} one that led when the choice was made",
    "How many simulations began with this move",
    "The move's part of all simulations",
    "Mean value: the score expected after this move for the side that plays it (1 win, ½ draw, 0 loss). An estimate.",
    "What is proven of the move, for the side that plays it, and in how many plies the game then ends. No estimate.",
)
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ALIGNMENTS = (_LEFT, _RIGHT, _RIGHT, _RIGHT, _LEFT)
_SWATCH = QSize(18, 12)
_BAR = 8

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole


def _listed(history: MoveHistory) -> list[int]:
    """The columns that have a row: of moves visited or proven by the search, and of the best moves by the truth."""
    values = [each.value for each in history.proven]
    best = next((value for value in (Value.WIN, Value.DRAW) if value in values), None)
    seen = history.visits[-1] > 0
    return [
        column
        for column in history.order.tolist()
        if seen[column] or column in history.proofs or (best is not None and values[column] is best)
    ]


class LegendModel(QAbstractTableModel):
    """The rows of the legend; the row of a move follows its visits, and a selection follows its move."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._history: MoveHistory | None = None
        self._order: list[int] = []
        self._signs: dict[object, QIcon] = {}
        self._bold = QFont()
        self.ratio = 1.0
        LOOK.changed.connect(self._take_look)

    def _take_look(self) -> None:
        self._signs.clear()
        self._all_changed()

    def set_history(self, history: MoveHistory | None, font: QFont, *, keep_order: bool = False) -> None:
        """Show these moves; with ``keep_order`` no row changes places as long as the moves are the same."""
        same = history is not None and self._history is not None and history.moves == self._history.moves
        self._bold = QFont(font)
        self._bold.setBold(True)
        order = [] if history is None else _listed(history)
        if not same or not set(self._order) <= set(order):
            self.beginResetModel()
            self._history, self._order = history, order
            self.endResetModel()
            return
        self._history = history
        if new := [column for column in order if column not in set(self._order)]:
            self.beginInsertRows(QModelIndex(), len(self._order), len(order) - 1)
            self._order = [*self._order, *new]
            self.endInsertRows()
        if not keep_order and order != self._order:
            self._reorder(order)
        self._all_changed()

    @property
    def unlisted(self) -> int:
        """How many moves have no row."""
        return 0 if self._history is None else len(self._history.moves) - len(self._order)

    def _reorder(self, order: list[int]) -> None:
        # What is selected follows its move.
        kept = self.persistentIndexList()
        columns = [self._order[index.row()] for index in kept]
        self._order = order
        moved = [self.index(order.index(c), index.column()) for c, index in zip(columns, kept, strict=True)]
        self.changePersistentIndexList(kept, moved)

    def _all_changed(self) -> None:
        if self._order:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._order) - 1, TRUTH))

    def move_of_row(self, row: int) -> Move | None:
        """The move in this row, None if there is no such row."""
        if self._history is None or not 0 <= row < len(self._order):
            return None
        return self._history.moves[self._order[row]]

    def row_of_move(self, move: Move | None) -> int | None:
        """The row of this move, None if it is not listed."""
        column = self._history.column(move) if self._history is not None else None
        return self._order.index(column) if column in self._order else None

    def words_of_row(self, row: int) -> str:
        """The move of this row in words, and what is proven of it."""
        history = self._history
        assert history is not None
        column = self._order[row]
        proven = f" – proven: {full_words(history.proven[column])}" if history.proven else ""
        leader = "Leader, the move the search prefers: " if column == history.leader else ""
        if column == history.played:
            leader = "Played by dice: " if history.snapshot.diced else "Played, since it led then: "
        return f"{leader}{describe_move(history.moves[column])}{proven}"

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._order)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        match role:
            case Role.DisplayRole:
                return HEADERS[section]
            case Role.ToolTipRole:
                return tip(_TIPS[section])
            case Role.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignCenter if section == TRUTH else _ALIGNMENTS[section]
        return None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        history = self._history
        if history is None or not index.isValid():
            return None
        column, section = self._order[index.row()], index.column()
        leads, known = column == history.leader, history.proven[column] if history.proven else None
        match role:
            case Role.DisplayRole:
                return self._text(history, column, section)
            case Role.TextAlignmentRole:
                return _ALIGNMENTS[section]
            case Role.FontRole:
                return self._bold if leads else None
            case Role.DecorationRole if section == MOVE:
                return self._swatch(history.style(column), history.value(column))
            case Role.DecorationRole if section == TRUTH and known is not None:
                return self._mark(known.value)
            case Role.ForegroundRole if section == TRUTH and known is not None and known.value is Value.WIN:
                return LOOK.theme.color("win")
            case Role.ToolTipRole:
                return tip(self.words_of_row(index.row()))
            case Role.AccessibleTextRole if section == MOVE:
                return f"{history.names[column]}{', leader' if leads else ''}"
            case Role.AccessibleTextRole if section == TRUTH and known is not None:
                return full_words(known)
        return None

    @staticmethod
    def _text(history: MoveHistory, column: int, section: int) -> str:
        stats = history.snapshot.moves[column]
        if section == MOVE:
            mark = f" {history.played_mark}" if column == history.played else " ▲" * (column == history.leader)
            return f"{history.names[column]}{mark}"
        if section == VISITS:
            return f"{stats.visits:,}"
        if section == SHARE:
            return share_words(history, column)
        if section == TRUTH:
            return short_words(history.proven[column]) if history.proven else ""
        return "–" if stats.mean_value is None else f"{stats.mean_value:.3f}"

    def _sign(self) -> QPixmap:
        pixmap = QPixmap(_SWATCH * self.ratio)
        pixmap.setDevicePixelRatio(self.ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        return pixmap

    def _mark(self, value: Value) -> QIcon:
        """The sign of a value; blank for what is not proven, which has a question mark for a word."""
        if value not in self._signs:
            pixmap = self._sign()
            if value is not Value.UNKNOWN:
                with QPainter(pixmap) as painter:
                    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                    paint_mark(painter, value, QRectF(_SWATCH.width() - 11, 1, 10, 10))
            self._signs[value] = _same_when_selected(pixmap)
        return self._signs[value]

    def _swatch(self, style: int, value: Value | None) -> QIcon:
        """A piece of the line with this style, and the mark at its end, which tells it apart where colours do not."""
        if (style, value) not in self._signs:
            pixmap = self._sign()
            theme = LOOK.theme
            with QPainter(pixmap) as painter:
                width = 1 if style < 0 else 3 if value in (None, Value.WIN) else 2
                pen = QPen(line_color(theme, style, value), width, line_dash(theme, style, value))
                pen.setCapStyle(Qt.PenCapStyle.FlatCap)
                painter.setPen(pen)
                painter.drawLine(QPoint(0, 6), QPoint(_SWATCH.width(), 6))
                if style >= 0:
                    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                    painter.setPen(theme.curve(style))
                    painter.setBrush(theme.curve(style))
                    paint_symbol(painter, style, QPointF(_SWATCH.width() - 6, 6), END_SIZE)
            self._signs[style, value] = _same_when_selected(pixmap)
        return self._signs[style, value]


def _same_when_selected(pixmap: QPixmap) -> QIcon:
    """An icon of which a selected row shows the colour, too, untinted: that is what it is for."""
    icon = QIcon()
    for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):
        icon.addPixmap(pixmap, mode)
    return icon


class LegendView(QTableView):
    """The legend's table. While the mouse is on it, rows keep their places, so that none slips away from under it."""

    move_hovered = Signal(object)
    """The ``Move`` of the row under the mouse, or of the current row while the legend has the focus; or None."""
    refitted = Signal()
    """The words have another size, and the columns other widths."""
    _latest: MoveHistory | None = None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Moves by visits")
        self._rows = LegendModel(self)
        self.setModel(self._rows)
        self._hovered: Move | None = None
        self._row_under_mouse: int | None = None
        self._widths = [0] * len(HEADERS)
        set_up_table(self, air=4, framed=False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setIconSize(_SWATCH)
        self.viewport().setMouseTracking(True)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setMinimumSectionSize(20)
        header.setSectionsClickable(False)
        self.setColumnHidden(TRUTH, True)
        self.selectionModel().currentRowChanged.connect(self._refresh_hover)
        LOOK.changed.connect(self._take_look)
        self._take_look()

    def model(self) -> LegendModel:
        """The legend's model."""
        return self._rows

    def _take_look(self) -> None:
        theme = LOOK.theme
        # A style sheet of its own: where the program has one, Qt does not reliably follow a change of palette.
        self.setStyleSheet(
            f"QTableView {{ background: {theme.base}; color: {theme.text}; border: none; outline: 0;"
            f" selection-background-color: {theme.chosen}; selection-color: {theme.text}; }}"
            f"QScrollBar:vertical {{ background: {theme.base}; width: {_BAR}px; border: none; }}"
            f"QScrollBar::handle:vertical {{ background: {theme.field}; border-radius: 3px; min-height: 20px; }}"
            "QScrollBar::add-line, QScrollBar::sub-line { height: 0; }"
            f"QHeaderView {{ background: {theme.base}; border: none; }} QHeaderView::section {{"
            f" background: {theme.base}; color: {theme.muted}; border: none; padding: 2px; }}"
        )

    def show_history(self, history: MoveHistory | None) -> None:
        """List these moves."""
        self._hide_column(TRUTH, history is None or not history.proven)
        self._latest = history
        self._update()

    @property
    def selected_move(self) -> Move | None:
        """The move whose row is selected (highlighted), None if there is none."""
        rows = self.selectionModel().selectedRows()
        return self._rows.move_of_row(rows[0].row()) if rows else None

    def set_highlight(self, move: Move | None) -> None:
        """Select the row of this move, without emitting ``move_hovered`` and without scrolling."""
        row = self._rows.row_of_move(move)
        selection = self.selectionModel()
        if row is None:
            selection.clearSelection()
            return
        flags = QItemSelectionModel.SelectionFlag
        selection.select(self._rows.index(row, 0), flags.ClearAndSelect | flags.Rows)

    def fit_into(self, room: int | None) -> None:
        """Hide columns until the others fit into so many pixels (None: show all); moves, shares and truth stay."""
        columns = (VISITS, MEAN)
        hidden: set[int] = set()
        for column in columns:
            if room is not None and self.full_width() - sum(self._widths[each] for each in hidden) > room:
                hidden.add(column)
        for column in columns:
            self._hide_column(column, column in hidden)

    def _hide_column(self, column: int, hidden: bool) -> None:
        # Qt paints the whole table anew, even where nothing changes.
        if hidden != self.isColumnHidden(column):
            self.setColumnHidden(column, hidden)

    def full_width(self) -> int:
        """The width in pixels that all columns need."""
        truth = 0 if self.isColumnHidden(TRUTH) else self._widths[TRUTH]
        return sum(self._widths[:TRUTH]) + truth + _BAR + 2

    def content_width(self) -> int:
        """The width in pixels that the columns shown need."""
        shown = sum(width for column, width in enumerate(self._widths) if not self.isColumnHidden(column))
        return shown + _BAR + 2

    def _update(self) -> None:
        self._rows.ratio = self.devicePixelRatioF()
        self._rows.set_history(self._latest, self.font(), keep_order=self._row_under_mouse is not None)
        self._fit_columns()
        self._refresh_hover()

    def _fit_columns(self) -> None:
        history = self._latest
        if history is None:
            return
        font = QFont(self.font())
        font.setBold(True)
        metrics = QFontMetrics(font)
        name = max(history.names, key=len)
        proven = max((short_words(each) for each in history.proven), key=len, default="")
        texts = (f"{name} ▲", f"{int(history.visits[-1].max()):,}", self._widest_share(history), "0.888", proven)
        for column, text in enumerate(texts):
            # All digits as wide as 8: the width depends on the number of digits alone.
            widest = "".join("8" if char.isdigit() and column else char for char in text)
            width = max(metrics.horizontalAdvance(widest), metrics.horizontalAdvance(HEADERS[column]))
            width += 10 + (_SWATCH.width() + 4 if column in (MOVE, TRUTH) else 0)
            if width != self._widths[column]:
                self._widths[column] = width
                self.setColumnWidth(column, width)
                self.updateGeometry()

    @staticmethod
    def _widest_share(history: MoveHistory) -> str:
        """The largest share, or what the search has proven in place of one."""
        columns = (int(history.visits[-1].argmax()), *history.proofs)
        return max(("88.8%", *(share_words(history, column) for column in columns)), key=len)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_columns()
            self.refitted.emit()

    # Pointing

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        row = self.rowAt(event.position().toPoint().y())
        self._row_under_mouse = row if row >= 0 else None
        self._refresh_hover()

    def viewportEvent(self, event: QEvent) -> bool:
        """Beside the table is where a tool tip hides none of its numbers."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self.indexAt(event.pos())
            words = self._rows.words_of_row(index.row()) if index.isValid() else ""
            left = -QFontMetrics(QToolTip.font()).horizontalAdvance(words) - 24
            place = QPoint(left, self.visualRect(index).top() - 16)
            QToolTip.showText(self.viewport().mapToGlobal(place), tip(words), self, self.visualRect(index))
            return True
        return super().viewportEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._row_under_mouse = None
        self._update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.currentIndex().isValid():
            self.selectionModel().clear()
            self._refresh_hover()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._refresh_hover()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._refresh_hover()

    def _refresh_hover(self) -> None:
        row = self._row_under_mouse
        if row is None and self.hasFocus() and self.currentIndex().isValid():
            row = self.currentIndex().row()
        move = None if row is None else self._rows.move_of_row(row)
        if move != self._hovered:
            self._hovered = move
            self.move_hovered.emit(move)

    def content_height(self) -> int:
        """The height in pixels that all rows and the header need."""
        return self.horizontalHeader().sizeHint().height() + self.verticalHeader().length() + 2

    def sizeHint(self) -> QSize:
        return QSize(self.content_width(), 140)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 60)
