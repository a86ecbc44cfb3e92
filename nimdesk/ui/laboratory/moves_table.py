"""The moves table: sorted by any column, copied as text, and each row shows its line of play on the board."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPoint, QSize, Qt
from PySide6.QtGui import (
    QAction,
    QCursor,
    QFocusEvent,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QHeaderView, QMenu, QTableView

from nimdesk.games import AnyPosition, Move
from nimdesk.play.laboratory import LabShown
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.moves_model import (
    BOUND,
    ERROR,
    HEADERS,
    LINE,
    MEAN,
    MOVE,
    PROVEN,
    SHARE,
    VISITS,
    WITHOUT,
    MovesModel,
    Rows,
)
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import keeps_copy_key, set_up_table

_SWATCH = QSize(10, 10)
_ROOM_FOR_BOUND, _ROOM_FOR_ERROR = 640, 520


class MovesTable(QTableView):
    """Follows the run in focus. While the mouse is on it, rows keep their places."""

    def __init__(self, model: Laboratory) -> None:
        super().__init__()
        self._lab = model
        self.setAccessibleName("Moves of the search")
        self.rows = MovesModel(self)
        self.setModel(self.rows)
        self._under_mouse: int | None = None
        self._told: Move | None = None
        self._pointed: Move | None = None
        self._scrolled_from: int | None = None
        """The scroll position before a move was pointed at elsewhere."""
        self._bound, self._without = False, WITHOUT["visits"]
        self._position: AnyPosition | None = None
        """The position whose moves have room in the first column."""
        self._set_up()
        LOOK.changed.connect(self._take_look)
        self._take_look()

    def _set_up(self) -> None:
        set_up_table(self, air=5, framed=False)
        self.setIconSize(_SWATCH)
        self.viewport().setMouseTracking(True)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self.rows.sort_by)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(LINE, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(28)
        widest = ("12-64 ▲", "88,888,888", "100.0%", "0.888", "0.888", "8.888", "= draw", "888")
        for column, text in enumerate(widest):
            room = 26 if column == MOVE else 14
            width = max(self.fontMetrics().horizontalAdvance(each) for each in (text, "▾ " + HEADERS[column]))
            self.setColumnWidth(column, width + room)
        self._least = self.columnWidth(MOVE)
        self._add_menu()
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        # No tool tip: it would cover the rows while the mouse rests on one to see its line of play.
        self.setAccessibleDescription("Enter plays the move, Ctrl+C copies the table")
        self.selectionModel().currentRowChanged.connect(self._refresh_pointed)
        self.doubleClicked.connect(self._play_current)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def _make_room(self, position: AnyPosition) -> None:
        """Widen the first column if the game has longer moves than Nim, leading ones in bold."""
        font = self.font()
        font.setBold(True)
        bold = QFontMetrics(font)
        widest = max((bold.horizontalAdvance(f"{move.text} ▲") for move in position.legal_moves), default=0)
        self.setColumnWidth(MOVE, max(self._least, widest + 26))

    def _add_menu(self) -> None:
        copy = QAction("&Copy the table", self)
        copy.triggered.connect(self.copy)
        self._sort_menu = QMenu("&Sort by", self)
        for column, words in enumerate(HEADERS):
            self._sort_menu.addAction(words).triggered.connect(partial(self.rows.sort_by, column))
        self.addActions([copy, self._sort_menu.menuAction()])

    def _take_look(self) -> None:
        theme = LOOK.theme
        self.setStyleSheet(
            f"QTableView {{ background: {theme.base}; color: {theme.text}; border: none; outline: 0;"
            f" selection-background-color: {theme.chosen}; selection-color: {theme.text}; }}"
        )
        self._update()

    def copy(self) -> None:
        """Copy the whole table, columns separated by tabs."""
        QGuiApplication.clipboard().setText(self.rows.tsv())
        self._lab.told.emit("The table was copied; paste it into a spreadsheet.")

    # What is shown

    def show_moment(self, now: LabShown) -> None:
        """Show the moves of the search in focus."""
        if now.at.position != self._position:
            self._position = now.at.position
            self._make_room(self._position)
        self._update()

    def _update(self) -> None:
        if not self.isVisible():
            return
        at = self._lab.shown.at
        rows = Rows(at.state, at.known.truth, at.focused.agent.bound(at.position.game))
        self._bound, self._without = rows.bound is not None, WITHOUT[rows.counted]
        self._fit()
        for column in (VISITS, SHARE, MEAN):
            self._hide(column, column in self._without)
        for column in (PROVEN, PROVEN + 1):
            self._hide(column, not rows.known)
        newest, colors = at.focused.newest, self._lab.colors
        colored = () if newest is None else colors.marked(newest, at.known.truth).colored
        styles = {move: LOOK.theme.curve(colors.indices[move]) for move in colored if move in colors.indices}
        self.rows.set_rows(rows, styles, keep_order=self._under_mouse is not None)
        for column, action in enumerate(self._sort_menu.actions()):
            action.setText(self.rows.title(column))
        self._refresh_pointed()

    def _fit(self) -> None:
        """In a narrow window the line of play replaces two derived numbers."""
        width = self.viewport().width()
        self._hide(BOUND, not self._bound or width < _ROOM_FOR_BOUND)
        self._hide(ERROR, ERROR in self._without or width < _ROOM_FOR_ERROR)

    def _hide(self, column: int, hidden: bool) -> None:
        # Qt would paint the whole table again, even if nothing changes.
        if hidden != self.isColumnHidden(column):
            self.setColumnHidden(column, hidden)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def show_pointed(self, now: LabShown) -> None:
        """Select the row of a move that is pointed at elsewhere, and scroll to it, until the pointer leaves."""
        bar, move = self.verticalScrollBar(), now.pointed
        if move == self._pointed:
            return
        self._pointed = move
        if move is None:
            self._select(self._keyboard_row())
            if self._scrolled_from is not None:
                bar.setValue(self._scrolled_from)
            self._scrolled_from = None
        elif move != self._told and (place := self.rows.place_of(move)) is not None:
            self._select(place)
            if self._scrolled_from is None:
                self._scrolled_from = bar.value()
            self.scrollTo(self.rows.index(place, MOVE))

    def _keyboard_row(self) -> int | None:
        return self.currentIndex().row() if self.hasFocus() and self.currentIndex().isValid() else None

    def _select(self, place: int | None) -> None:
        selection, flags = self.selectionModel(), QItemSelectionModel.SelectionFlag
        if place is None:
            selection.clearSelection()
        elif not selection.isRowSelected(place, QModelIndex()):
            selection.select(self.rows.index(place, 0), flags.ClearAndSelect | flags.Rows)

    # Pointing

    def _refresh_pointed(self) -> None:
        place = self._under_mouse if self._under_mouse is not None else self._keyboard_row()
        row = None if place is None else self.rows.row(place)
        move = None if row is None else row.move
        if move != self._told:
            self._told = move
            self._lab.pointing.point(move)
            if self._lab.pointing.move is None:
                self._select(None)
        if move is not None and move == self._lab.pointing.move:
            self._select(place)
        self._lab.pointing.preview(() if row is None else row.stats.principal_variation)

    def _on_scrolled(self) -> None:
        """Another row has come under a resting mouse."""
        if self._under_mouse is not None:
            self._point_at(self.viewport().mapFromGlobal(QCursor.pos()))

    def _point_at(self, place: QPoint) -> None:
        row = self.rowAt(place.y())
        self._under_mouse = row if row >= 0 else None
        self._refresh_pointed()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(event.position().toPoint())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._under_mouse = None
        self._update()

    def event(self, event: QEvent) -> bool:
        # Ctrl+C copies the table here, elsewhere the position.
        return keeps_copy_key(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._play_current()
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def _play_current(self) -> None:
        row = self.rows.row(self.currentIndex().row())
        if row is not None:
            self._lab.place.play(row.move)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._select(self._keyboard_row())
        self._refresh_pointed()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._refresh_pointed()
