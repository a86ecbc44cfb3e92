"""The legend: a table of all root moves, the most visited first, with the look of their curves and exact values."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QItemSelectionModel, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QFont, QFontMetrics, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHeaderView, QTableView, QWidget

from nimdesk.games import Move
from nimdesk.ui.look.cells import QuickCells, QuickTable
from nimdesk.ui.look.painting import mixed
from nimdesk.ui.look.proven import short_words
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.plots.data import PlotData
from nimdesk.ui.plots.legend_model import HEADERS, MEAN, MOVE, SHARE, SWATCH, TRUTH, VISITS, LegendModel

_UPDATE_MS = 200
"""While a search runs the table changes no more often than this: numbers that change faster cannot be read."""
_FEW, _FEW_MS = 16, 15
"""So few rows follow the plot beside them so soon, and agree with it; in a turn of the event loop of their own."""


class LegendView(QuickTable):
    """The legend's table. While the mouse is on it, rows keep their places, so that none slips away from under it."""

    move_hovered = Signal(object)
    """The ``Move`` of the row under the mouse, or of the current row while the legend has the focus; or None."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Moves by visits")
        self.setModel(LegendModel(theme, self))
        self.model().reordered.connect(self.paint_whole)
        self._cells = QuickCells(self.model(), SWATCH, self)
        self.setItemDelegate(self._cells)
        self._hovered: Move | None = None
        self._row_under_mouse: int | None = None
        self._latest: PlotData | None = None
        self._widths = [0] * len(HEADERS)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._update_late)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setIconSize(SWATCH)
        self.viewport().setMouseTracking(True)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 4)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setMinimumSectionSize(20)
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        self.setColumnHidden(TRUTH, True)
        self.selectionModel().currentRowChanged.connect(self._refresh_hover)

    def model(self) -> LegendModel:
        """The legend's model."""
        model = super().model()
        assert isinstance(model, LegendModel)
        return model

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of this look."""
        self.model().set_theme(theme)
        # A full accent would hide the swatches, which are what the legend is for.
        chosen = mixed(theme.color("base"), theme.color("accent"), 0.35 if theme.dark else 0.2)
        self._cells.set_theme(theme, chosen)
        # A style sheet of its own: where the program has one, Qt does not reliably follow a change of palette.
        self.setStyleSheet(
            f"QTableView {{ background: {theme.base}; color: {theme.text}; border: none;"
            f" selection-background-color: {chosen.name()}; selection-color: {theme.text}; }}"
            f"QHeaderView {{ background: {theme.base}; border: none; }} QHeaderView::section {{"
            f" background: {theme.base}; color: {theme.muted}; border: none; padding: 2px; }}"
        )

    def show_data(self, data: PlotData | None) -> None:
        """List these moves: at once when the search has ended or is another one, else a moment later."""
        self._hide_column(TRUTH, data is None or not data.proven)
        live = data is not None and data.snapshot.stopped is None
        same = data is not None and self._latest is not None and data.moves == self._latest.moves
        self._latest = data
        if not (live and same):
            self._timer.stop()
            self._update()
        elif not self._timer.isActive():
            # Not now: the plot was drawn just now, and the person may want something else first.
            self._timer.start(_FEW_MS if data is not None and len(data.moves) <= _FEW else _UPDATE_MS)

    def catch_up(self) -> None:
        """List now what would be listed a moment later."""
        if self._timer.isActive():
            self._timer.stop()
            self._update()

    def set_highlight(self, move: Move | None) -> None:
        """Select the row of this move, without emitting ``move_hovered`` and without scrolling."""
        row = self.model().row_of_move(move)
        selection = self.selectionModel()
        if row is None:
            selection.clearSelection()
            return
        flags = QItemSelectionModel.SelectionFlag
        selection.select(self.model().index(row, 0), flags.ClearAndSelect | flags.Rows)

    def fit_into(self, room: int | None) -> None:
        """Hide columns until the others fit into so many pixels (None: show all); moves and truth always stay."""
        columns = (VISITS, MEAN, SHARE)
        hidden: set[int] = set()
        for column in columns[: 2 if self.isColumnHidden(TRUTH) else 3]:
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
        return sum(self._widths[:TRUTH]) + truth + self.verticalScrollBar().sizeHint().width() + 2

    def content_width(self) -> int:
        """The width in pixels that the columns shown need."""
        shown = sum(width for column, width in enumerate(self._widths) if not self.isColumnHidden(column))
        return shown + self.verticalScrollBar().sizeHint().width() + 2

    def _update_late(self) -> None:
        self._update()

    def _update(self) -> None:
        self.model().ratio = self.devicePixelRatioF()
        self.model().set_data(self._latest, keep_order=self._row_under_mouse is not None)
        self._fit_columns()
        self._refresh_hover()

    def _fit_columns(self) -> None:
        data = self._latest
        if data is None:
            return
        font = QFont(self.font())
        font.setBold(True)
        metrics = QFontMetrics(font)
        name = max(data.names, key=len)
        most = int(data.visits[-1].max())
        # All digits as wide as 8: the width depends on the number of digits alone.
        digits = "".join("8" if char.isdigit() else char for char in f"{most:,}")
        proven = max((short_words(each) for each in data.proven), key=len, default="")
        texts = (f"{name} ▲", digits, "88.88%", "0.888", "".join("8" if c.isdigit() else c for c in proven))
        for column, text in enumerate(texts):
            width = max(metrics.horizontalAdvance(text), metrics.horizontalAdvance(HEADERS[column]))
            width += 12 + (SWATCH.width() + 4 if column in (MOVE, TRUTH) else 0)
            if width != self._widths[column]:
                self._widths[column] = width
                self.setColumnWidth(column, width)
                self.updateGeometry()

    # Pointing

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        row = self.rowAt(event.position().toPoint().y())
        self._row_under_mouse = row if row >= 0 else None
        self._refresh_hover()

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
        move = None if row is None else self.model().move_of_row(row)
        if move != self._hovered:
            self._hovered = move
            self.move_hovered.emit(move)

    def sizeHint(self) -> QSize:
        return QSize(self.content_width(), 140)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 60)


def selected_move(view: LegendView) -> Move | None:
    """The move whose row is selected (highlighted), None if there is none."""
    rows = view.selectionModel().selectedRows()
    return view.model().move_of_row(rows[0].row()) if rows else None
