"""The moves: those played and, in brackets below them, those played instead; and going to any of them."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFont
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QTableView, QToolButton, QVBoxLayout, QWidget

from nimdesk.games.base import describe_move, describe_turn
from nimdesk.games.truth import Value
from nimdesk.play import Node
from nimdesk.play.story import MovesRow, Story
from nimdesk.play.words import by_words, chosen_words
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import set_up_table, tip
from nimdesk.ui.play.graph import GameGraph

_COLUMNS = ("#", "Side", "Move", "By", "Search", "Truth")
_MOVE, _TRUTH = 2, 5
_INDENT = "    "
_MOVES_IN_A_ROW = 24
_HINTS = {
    4: "What the computer thought of its move: the share of its simulations, what is proven (in plies), or forced",
    _TRUTH: "What the move leaves its side, with best play: ✓ a win, = a draw, ✗ a loss; an arrow marks a mistake",
}
_SIGNS = {Value.WIN: "✓", Value.DRAW: "=", Value.LOSS: "✗"}
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ALIGNMENTS = {0: _RIGHT, 4: _RIGHT, _TRUTH: Qt.AlignmentFlag.AlignCenter}
_Index = QModelIndex | QPersistentModelIndex


class MovesModel(QAbstractTableModel):
    """Row 0 is the start position; moves that are not on the board looked at are muted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.story: Story | None = None
        """What is shown."""
        self._on_board: set[Node] = set()

    def show(self, story: Story) -> None:
        """Take over what is told of the game; its last column is there where moves are judged."""
        before, rows = self.story, self.rows
        if before is not None and (before.judged is None) != (story.judged is None):
            begin = self.beginRemoveColumns if story.judged is None else self.beginInsertColumns
            end = self.endRemoveColumns if story.judged is None else self.endInsertColumns
            begin(QModelIndex(), _TRUTH, _TRUTH)
            self.story = replace(before, judged=story.judged)
            end()
        self._on_board = set(story.line[: story.cursor + 1])
        if before is not None and len(story.rows) > len(rows) and story.rows[: len(rows)] == rows:
            self.beginInsertRows(QModelIndex(), len(rows), len(story.rows) - 1)
            self.story = story
            self.endInsertRows()
        elif rows != story.rows:
            self.beginResetModel()
            self.story = story
            self.endResetModel()
        self.story = story
        self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    @property
    def rows(self) -> tuple[MovesRow, ...]:
        """The rows, the start first."""
        return () if self.story is None else self.story.rows

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index | None = None) -> int:
        return len(_COLUMNS) - (self.story is None or self.story.judged is None)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return _COLUMNS[section]
        if role == Qt.ItemDataRole.ToolTipRole and orientation == Qt.Orientation.Horizontal:
            return tip(_HINTS.get(section, ""))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENTS.get(section)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        story = self.story
        if story is None or not index.isValid():
            return None
        row, column = story.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(story, row, column)
        if role == Qt.ItemDataRole.ForegroundRole and row.node not in self._on_board:
            return QColor(LOOK.theme.muted)
        if role == Qt.ItemDataRole.ForegroundRole and column == _TRUTH:
            judged = story.judged_at(row.node)
            return None if judged is None else LOOK.theme.color(judged.after.value)
        if role == Qt.ItemDataRole.FontRole and row.node is story.line[story.cursor]:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENTS.get(column)
        if role == Qt.ItemDataRole.SizeHintRole and row.folded:
            return QSize(0, 0)  # it has the columns after it as well
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(self._sentence(story, row))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._sentence(story, row)
        return None

    def _text(self, story: Story, row: MovesRow, column: int) -> str:
        node, ply = row.node, row.node.ply
        if ply is None:
            return "start" if column == _MOVE else ""
        if row.folded:
            return f"{_INDENT * row.depth}({_line_words(row.folded)})" if column == _MOVE else ""
        if column == _TRUTH:
            judged = story.judged_at(node)
            if judged is None:
                return ""
            lost = f"{_SIGNS[judged.before]} → " if judged.after is not judged.before else ""
            return lost + _SIGNS[judged.after]
        if column == 4:
            return chosen_words(ply)
        by = by_words(ply, node.position.turn.other, story.players, node.position.game)
        return (str(node.position.ply), self._side(node), self._move_text(row), by)[column]

    @staticmethod
    def _move_text(row: MovesRow) -> str:
        """The move, in its variation, which has brackets around it."""
        node = row.node
        assert node.ply is not None
        begins = "(" if row.depth and node.rank else ""
        ends = ")" if row.depth and not node.children else ""
        return f"{_INDENT * row.depth}{begins}{node.ply.move.text}{ends}"

    def _side(self, node: Node) -> str:
        """Who played the move that leads to this place."""
        return node.position.game.side_name(node.position.turn.other)

    def _sentence(self, story: Story, row: MovesRow) -> str:
        node, ply = row.node, row.node.ply
        if ply is None:
            return "The start position"
        if row.folded:
            return f"Instead: {_line_words(row.folded)}"
        took = f", {ply.elapsed_s:.2f} s of search" if ply.elapsed_s else ""
        over = f". {describe_turn(node.position)}" if node.position.outcome is not None else ""
        judged = story.judged_at(node)
        kept = f". {judged.sentence.removesuffix('.')}" if judged is not None else ""
        side, by = self._side(node), by_words(ply, node.position.turn.other, story.players, node.position.game)
        who = f"{side} ({by})" if by not in ("", side) else side
        where = "Variation, move" if row.depth else "Move"
        return f"{where} {node.position.ply}, {who}: {describe_move(ply.move)}{took}{over}{kept}"


def _line_words(nodes: tuple[Node, ...]) -> str:
    """The moves of a variation with their numbers, as far as they may be read in one row."""
    words = [f"{node.position.ply} {node.ply.move.text}" for node in nodes[:_MOVES_IN_A_ROW] if node.ply is not None]
    return "  ".join([*words, "…"] if len(nodes) > _MOVES_IN_A_ROW else words)


class MovesPanel(QWidget):
    """The table, and buttons for first, previous, next and last."""

    place_requested = Signal(object)
    """Look at this ``Node`` of the game."""

    def __init__(
        self, navigation: tuple[QAction, ...], changes: tuple[QAction, ...] = (), parent: QWidget | None = None
    ) -> None:
        """``navigation`` are buttons below the table, ``changes`` its context menu."""
        super().__init__(parent)
        self.model = MovesModel(self)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setAccessibleName("Moves played")
        set_up_table(self.table, air=7, framed=False)
        self.table.setAlternatingRowColors(True)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.table.addActions(list(changes))
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
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

    def show_story(self, story: Story) -> None:
        """Show the moves, with the one looked at selected and in sight."""
        self._following = True
        before, columns = self.model.story, self.model.columnCount()
        self.model.show(story)
        self._span()
        index = self.model.index(story.current, _MOVE)
        if before is None or (before.rows, before.current) != (story.rows, story.current):
            self.table.setCurrentIndex(index)
            self.table.scrollTo(index)
        if self.model.columnCount() > columns:
            # A row that was selected before has no part in the new column.
            self.table.selectRow(index.row())
        self._following = False

    def _span(self) -> None:
        """Let a folded variation have the room of all columns after the side."""
        self.table.clearSpans()
        columns = self.model.columnCount() - _MOVE
        for place, row in enumerate(self.model.rows):
            if row.folded:
                self.table.setSpan(place, _MOVE, 1, columns)

    def _on_row(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._following and current.isValid():
            self.place_requested.emit(self.model.rows[current.row()].node)


class GameTab(QWidget):
    """The graph of the game above its moves."""

    def __init__(
        self, navigation: tuple[QAction, ...], changes: tuple[QAction, ...], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.graph, self.moves = GameGraph(), MovesPanel(navigation, changes)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 6, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.graph)
        layout.addWidget(self.moves, 1)

    def show_story(self, story: Story) -> None:
        """Show what is told of the game."""
        self.moves.show_story(story)
        self.graph.show_curve(story.curve)
