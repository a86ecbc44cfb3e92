"""The table of one step: the numbers of every move, or before and after; what has changed is marked."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QAbstractTableModel, QEvent, QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QHeaderView, QTableView, QWidget

from nimdesk.ui.laboratory.stepping_words import DECISION_HEADS, Stage
from nimdesk.ui.look.painting import mixed
from nimdesk.ui.look.theme import LOOK

Index = QModelIndex | QPersistentModelIndex
_CHOSEN = "▸ "


class StepModel(QAbstractTableModel):
    """The rows of one stage."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stage: Stage | None = None

    def set_stage(self, stage: Stage) -> None:
        """Show this one."""
        self.beginResetModel()
        self._stage = stage
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if self._stage is None or parent.isValid() else len(self._stage.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if self._stage is None or parent.isValid() else len(self._stage.heads)

    def _is_number(self, column: int) -> bool:
        stage = self._stage
        return stage is not None and (0 < column < 5 if stage.heads == DECISION_HEADS else column in (2, 3))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or self._stage is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._stage.heads[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and not self._is_number(section):
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if self._stage is None:
            return None
        cell, chosen = self._stage.rows[index.row()][index.column()], index.row() == self._stage.chosen
        if role == Qt.ItemDataRole.DisplayRole:
            return (_CHOSEN if chosen else "") + cell.text if index.column() == 0 else cell.text
        if role == Qt.ItemDataRole.AccessibleTextRole and (chosen or cell.marked):
            return f"{cell.text}, {'chosen' if chosen else 'changed'}"
        if role == Qt.ItemDataRole.TextAlignmentRole and self._is_number(index.column()):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.BackgroundRole and (chosen or cell.marked):
            return mixed(LOOK.theme.color("base"), LOOK.theme.color("accent"), 0.22)
        if role == Qt.ItemDataRole.FontRole and (chosen or cell.marked):
            font = QFont()
            font.setBold(True)
            return font
        return None


class StepTable(QTableView):
    """Ctrl+C copies the table; all other keys are for the steps."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Numbers of this step")
        self.rows = StepModel(self)
        self.setModel(self.rows)
        self.setSelectionMode(QTableView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 5)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setStretchLastSection(True)
        header.setHighlightSections(False)
        LOOK.changed.connect(self._take_look)
        self._take_look()

    def _take_look(self) -> None:
        theme = LOOK.theme
        self.setStyleSheet(f"QTableView {{ background: {theme.base}; color: {theme.text}; border: none; }}")

    def show_stage(self, stage: Stage) -> None:
        """Show the rows of this step, the chosen one in sight."""
        self.rows.set_stage(stage)
        for column, head in enumerate(stage.heads):
            texts = [head, *(row[column].text for row in stage.rows[:40])]
            width = max(self.fontMetrics().horizontalAdvance(text) for text in texts)
            # Bold is a little wider.
            self.setColumnWidth(column, round(width * 1.1) + (26 if column == 0 else 13))
        if stage.chosen >= 0:
            chosen = self.rows.index(stage.chosen, 0)
            self.selectionModel().setCurrentIndex(chosen, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.scrollTo(chosen)

    def tsv(self) -> str:
        """The table as text, columns separated by tabs."""
        columns = range(self.rows.columnCount())
        lines = [[str(self.rows.headerData(column, Qt.Orientation.Horizontal)) for column in columns]]
        for row in range(self.rows.rowCount()):
            lines.append([str(self.rows.data(self.rows.index(row, column))) for column in columns])
        return "\n".join("\t".join(line) for line in lines) + "\n"

    def event(self, event: QEvent) -> bool:
        # Ctrl+C is for the table here, elsewhere for the position.
        asked = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if asked and cast(QKeyEvent, event).matches(QKeySequence.StandardKey.Copy):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.tsv())
        else:
            super().keyPressEvent(event)
