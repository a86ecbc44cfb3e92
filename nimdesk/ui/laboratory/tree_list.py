"""The view of a tree's rows: keys, what is in sight, and the unfolded rows as text."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, cast

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QBrush, QKeyEvent, QKeySequence, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QTreeView

from nimdesk.cells import tab_line
from nimdesk.search.tree_types import Branch, Line
from nimdesk.ui.laboratory.tree_model import RECORDED, RIGHT, SAMPLED, Item, TreeModel
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import keeps_copy_key

_DISPLAY = QStyleOptionViewItem.ViewItemFeature.HasDisplay
_SPARED = (4, 2)
_MOVES = (100, 160)
"""The least and the usual width of the moves, which are indented."""
_MOST_COPIED = 20_000


class _Delegate(QStyledItemDelegate):
    """Gets everything that a cell shows in one call: asking for the seven roles one by one took 50 ms a frame."""

    def __init__(self, rows: TreeModel, view: QTreeView) -> None:
        super().__init__(view)
        self._rows = rows

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        rows, column = self._rows, index.column()
        item = rows.item(index)
        # The type stubs lack the members of the option.
        cell = cast(Any, option)
        cell.text = rows.text(item, column)
        cell.features = _DISPLAY
        if rows.is_number(column):
            cell.displayAlignment = RIGHT
        if (color := rows.color(item, column)) is not None:
            palette = cell.palette
            palette.setColor(QPalette.ColorRole.Text, color)
            cell.palette = palette
        if rows.is_lit(item):
            cell.backgroundBrush = QBrush(rows.lit_color)
            font = cell.font
            font.setBold(True)
            cell.font = font


class TreeList(QTreeView):
    """Left and Right fold and unfold, Enter studies the position of the row, Ctrl+C copies."""

    chosen = Signal(object)
    """The ``Line`` of the row on which Enter was pressed."""
    copy_wanted = Signal()

    def __init__(self, rows: TreeModel) -> None:
        super().__init__()
        self._rows = rows
        self._recorded, self._last = False, 0
        self.setModel(rows)
        self.setItemDelegate(_Delegate(rows, self))
        self.setAccessibleName("Search tree")
        # No tool tip: it would cover the rows.
        self.setAccessibleDescription("Right unfolds, Left folds; Enter studies the position; Ctrl+C copies")
        # Rows of one height: those out of sight need not be measured.
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QTreeView.ScrollMode.ScrollPerPixel)
        self.setIndentation(16)
        self.setTabKeyNavigation(False)
        copy = QAction("&Copy", self)
        copy.triggered.connect(self.copy_wanted)
        self.addAction(copy)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.header().setMinimumSectionSize(28)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.header().setStretchLastSection(True)
        LOOK.changed.connect(self._take_look)
        self._take_look()
        self.fit(recorded=False)

    def fit(self, *, recorded: bool) -> None:
        """Set the widths of the columns for this kind of tree."""
        widest = ("", "88,888,888", "+0 ◂" if recorded else "100.0%", "8.888", "8.888")
        for column, text in enumerate(widest):
            header = (RECORDED if recorded else SAMPLED)[column]
            width = max(self.fontMetrics().horizontalAdvance(each) for each in (text, header)) + 16
            self.setColumnWidth(column, _MOVES[1] if column == 0 else width)
        last = "cut off, 8 moves not searched: X gets at least +1 here; O can" if recorded else "= draw"
        self._last = self.fontMetrics().horizontalAdvance(last) + 16
        self.setColumnWidth(len(SAMPLED) - 1, self._last)
        self._recorded = recorded
        self._spare()

    def _spare(self) -> None:
        """In a narrow window, hide the columns that follow from others: the bound, then the share."""
        for column in _SPARED:
            self.setColumnHidden(column, False)
        if self._recorded:
            return
        self.setColumnWidth(0, _MOVES[1])
        for column in _SPARED:
            if self._missing() > 0:
                self.setColumnHidden(column, True)
        if (missing := self._missing()) > 0:
            self.setColumnWidth(0, max(_MOVES[0], _MOVES[1] - missing))

    def _missing(self) -> int:
        """How many pixels the columns lack."""
        # The last column is stretched, so its own size does not count.
        return sum(map(self.columnWidth, range(len(SAMPLED) - 1))) + self._last - self.viewport().width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._spare()

    def _take_look(self) -> None:
        theme = LOOK.theme
        self.setStyleSheet(
            f"QTreeView {{ background: {theme.base}; color: {theme.text};"
            f" selection-background-color: {theme.chosen}; selection-color: {theme.text}; }}"
        )

    def lines_in_sight(self) -> set[Line]:
        """The nodes whose moves are visible now."""
        lines = set()
        index = self.indexAt(self.viewport().rect().topLeft())
        bottom = self.viewport().height()
        while index.isValid() and self.visualRect(index).top() <= bottom:
            lines.add(self._rows.item(index).line[:-1])
            index = self.indexBelow(index)
        return lines

    def unfolded_lines(self, most: int | None = None) -> set[Line]:
        """The nodes whose moves are unfolded, including the root; only those in sight if there are more than ``most``
        rows.
        """
        rows = list(itertools.islice(self._unfolded(), most))
        return self.lines_in_sight() if len(rows) == most else {(), *(item.line[:-1] for item in rows)}

    def _unfolded(self) -> Iterator[Item]:
        """Every row that can be scrolled to, from the top."""
        waiting = list(reversed(self._rows.root.children))
        while waiting:
            item = waiting.pop()
            yield item
            if item.children and self.isExpanded(self._rows.index_of(item)):
                waiting += reversed(item.children)

    def branches(self) -> list[tuple[Line, Branch]]:
        """The unfolded rows, each with its line."""
        return [(item.line, item.branch) for item in self._unfolded() if item.branch is not None]

    def tsv(self) -> str:
        """The unfolded rows as text: a header, then a line for each row, indented by its depth."""
        heads = [str(self._rows.headerData(column, self.header().orientation())) for column in range(len(SAMPLED))]
        lines = [tab_line(heads)]
        for item in self._unfolded():
            if len(lines) > _MOST_COPIED:
                lines.append("…")
                break
            cells = [self._rows.text(item, column) for column in range(len(heads))]
            lines.append("  " * (len(item.line) - 1) + tab_line(cells))
        return "\n".join(lines) + "\n"

    def event(self, event: QEvent) -> bool:
        # Ctrl+C copies the tree here, elsewhere the position.
        return keeps_copy_key(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_wanted.emit()
        elif event.matches(QKeySequence.StandardKey.InsertParagraphSeparator) and self.currentIndex().isValid():
            self.chosen.emit(self._rows.item(self.currentIndex()).line)
        else:
            # Right on a row without children would scroll the moves out of sight.
            across = self.horizontalScrollBar().value()
            super().keyPressEvent(event)
            if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
                self.horizontalScrollBar().setValue(across)
