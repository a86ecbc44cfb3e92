"""The moves: those played and, in brackets below them, those played instead; and going to any of them."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFont
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QTableView, QToolButton, QVBoxLayout, QWidget

from nimdesk.games import Side
from nimdesk.games.base import describe_move, describe_turn
from nimdesk.games.truth import Truth, Value
from nimdesk.play import GameInProgress, Node
from nimdesk.play.words import by_words, chosen_words, person_side, player_name
from nimdesk.play.worth import estimates, exact_scores
from nimdesk.ui.jobs.truth import Judged
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import set_up_table, tip
from nimdesk.ui.play.controller import GameController
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


class MovesRow(NamedTuple):
    """A place of the game's tree; ``depth`` is how many variations it is in.

    A variation that the line looked at does not go through is one row, whose moves are ``folded``.
    """

    node: Node
    depth: int
    folded: tuple[Node, ...] = ()


def rows_of(game: GameInProgress) -> list[MovesRow]:
    """The start, then the main line, with the variations from each move below it."""
    looked_at = set(game.line)
    rows = [MovesRow(game.root, 0)]
    waiting = [(node, 0) for node in game.root.children[:1]]
    while waiting:
        node, depth = waiting.pop()
        assert node.parent is not None
        first, *others = node.parent.children
        if node is not first and node not in looked_at:
            rows.append(MovesRow(node, depth, (node, *node.onward)))
            continue
        rows.append(MovesRow(node, depth))
        waiting += [(after, depth) for after in node.children[:1]]
        if node is first:
            waiting += [(other, depth + 1) for other in reversed(others)]
    return rows


class MovesModel(QAbstractTableModel):
    """Row 0 is the start position; moves that are not on the board looked at are muted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._game: GameInProgress | None = None
        self.rows: list[MovesRow] = []
        self._on_board: set[Node] = set()
        self._judged: tuple[Judged | None, ...] | None = None

    def show(self, game: GameInProgress) -> None:
        """Take over the state of the game."""
        rows, before = rows_of(game), self.rows
        self._on_board = set(game.line[: game.cursor + 1])
        if game is self._game and len(rows) > len(before) and rows[: len(before)] == before:
            self.beginInsertRows(QModelIndex(), len(before), len(rows) - 1)
            self.rows = rows
            self.endInsertRows()
        elif game is not self._game or rows != before:
            self.beginResetModel()
            self._game, self.rows = game, rows
            self.endResetModel()
        self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    @property
    def current(self) -> int:
        """The row of the place that is looked at."""
        node = self._game.node if self._game is not None else None
        return next((place for place, row in enumerate(self.rows) if row.node is node and not row.folded), 0)

    def show_judged(self, judged: tuple[Judged | None, ...] | None) -> None:
        """Say of each move what it did to the value of its position; None: leave it to guess."""
        if judged == self._judged:
            return
        if judged is None:
            self.beginRemoveColumns(QModelIndex(), _TRUTH, _TRUTH)
            self._judged = judged
            self.endRemoveColumns()
        elif self._judged is None:
            self.beginInsertColumns(QModelIndex(), _TRUTH, _TRUTH)
            self._judged = judged
            self.endInsertColumns()
        else:
            self._judged = judged
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, _TRUTH))

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index | None = None) -> int:
        return len(_COLUMNS) - (self._judged is None)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return _COLUMNS[section]
        if role == Qt.ItemDataRole.ToolTipRole and orientation == Qt.Orientation.Horizontal:
            return tip(_HINTS.get(section, ""))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENTS.get(section)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if self._game is None or not index.isValid():
            return None
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.ForegroundRole and row.node not in self._on_board:
            return QColor(LOOK.theme.muted)
        if role == Qt.ItemDataRole.ForegroundRole and column == _TRUTH and (judged := self._of(row)) is not None:
            return LOOK.theme.color(judged.after.value)
        if role == Qt.ItemDataRole.FontRole and row.node is self._game.node:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENTS.get(column)
        if role == Qt.ItemDataRole.SizeHintRole and row.folded:
            return QSize(0, 0)  # it has the columns after it as well
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(self._sentence(row))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._sentence(row)
        return None

    def _text(self, row: MovesRow, column: int) -> str:
        assert self._game is not None
        node, ply = row.node, row.node.ply
        if ply is None:
            return "start" if column == _MOVE else ""
        if row.folded:
            return f"{_INDENT * row.depth}({_line_words(row.folded)})" if column == _MOVE else ""
        if column == _TRUTH:
            judged = self._of(row)
            if judged is None:
                return ""
            lost = f"{_SIGNS[judged.before]} → " if judged.after is not judged.before else ""
            return lost + _SIGNS[judged.after]
        if column == 4:
            return chosen_words(ply)
        by = by_words(ply, node.position.turn.other, self._game)
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

    def _of(self, row: MovesRow) -> Judged | None:
        """What is known of the move of this row; of the moves of the line looked at more may be known, or less."""
        judged, place = self._judged or (), row.node.position.ply
        on_line = self._game is not None and place < len(self._game.line) and self._game.line[place] is row.node
        return judged[place - 1] if on_line and 0 < place <= len(judged) else None

    def _sentence(self, row: MovesRow) -> str:
        node, ply = row.node, row.node.ply
        if ply is None:
            return "The start position"
        if row.folded:
            return f"Instead: {_line_words(row.folded)}"
        took = f", {ply.elapsed_s:.2f} s of search" if ply.elapsed_s else ""
        over = f". {describe_turn(node.position)}" if node.position.outcome is not None else ""
        judged = self._of(row)
        kept = f". {judged.sentence.removesuffix('.')}" if judged is not None else ""
        assert self._game is not None
        side, by = self._side(node), by_words(ply, node.position.turn.other, self._game)
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

    def show_game(self, game: GameInProgress) -> None:
        """Show the moves, with the one looked at selected and in sight."""
        self._following = True
        self.model.show(game)
        self._span()
        index = self.model.index(self.model.current, _MOVE)
        self.table.setCurrentIndex(index)
        self.table.scrollTo(index)
        self._following = False

    def _span(self) -> None:
        """Let a folded variation have the room of all columns after the side."""
        self.table.clearSpans()
        columns = self.model.columnCount() - _MOVE
        for place, row in enumerate(self.model.rows):
            if row.folded:
                self.table.setSpan(place, _MOVE, 1, columns)

    def show_judged(self, judged: tuple[Judged | None, ...] | None) -> None:
        """Say of each move, in the last column and in its sentence, what it did to the value; None: nothing."""
        columns = self.model.columnCount()
        self.model.show_judged(judged)
        if self.model.columnCount() != columns:
            self._span()
        if self.model.columnCount() > columns:
            # A row that was selected before has no part in the new column.
            self.table.selectRow(self.table.currentIndex().row())

    def _on_row(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._following and current.isValid():
            self.place_requested.emit(self.model.rows[current.row()].node)


class GameTab(QWidget):
    """The graph of the game above its moves; the graph is from the point of view of the person, or of whoever began."""

    def __init__(
        self,
        controller: GameController,
        navigation: tuple[QAction, ...],
        changes: tuple[QAction, ...],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self._proven: tuple[Truth | None, ...] = ()
        self.graph, self.moves = GameGraph(), MovesPanel(navigation, changes)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 6, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.graph)
        layout.addWidget(self.moves, 1)
        self.graph.jump_requested.connect(controller.jump)
        self.moves.place_requested.connect(controller.look_at)
        controller.position_changed.connect(self._show)
        controller.players_changed.connect(self._show)
        self._show()

    def show_proven(self, judged: tuple[Judged | None, ...] | None, proven: tuple[Truth | None, ...]) -> None:
        """Show what is proven of the moves (None: nothing) and of the positions."""
        self.moves.show_judged(judged)
        if proven != self._proven:
            self._proven = proven
            self._show_worth()

    def _show(self) -> None:
        game = self._controller.game
        self.moves.show_game(game)
        names = (player_name(game.players, Side.FIRST, game.game), player_name(game.players, Side.SECOND, game.game))
        side = person_side(game.players) or Side.FIRST
        self.graph.show_game(tuple(ply.move.text for ply in game.plies), game.cursor, side, names)
        self._show_worth()

    def _show_worth(self) -> None:
        game = self._controller.game
        self.graph.show_worth(estimates(game), exact_scores(game, self._proven))
