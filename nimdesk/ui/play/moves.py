"""The moves: those played and, in brackets below them, those played instead; and going to any of them."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QColor, QContextMenuEvent, QFont, QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QPlainTextEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.games import Side
from nimdesk.games.base import describe_move, describe_turn
from nimdesk.play import Node
from nimdesk.play.move_list import ListRow, evaluation, judgement, list_rows
from nimdesk.play.story import MovesRow, Story
from nimdesk.play.words import by_words, chosen_words
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import grow_icon, set_up_table, tip
from nimdesk.ui.play.graph import GameGraph

EVALUATION, MARK = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
"""What a move is worth to its side, in words; and its mark, with the value in whose colour that is."""
_INDENT = "    "
_MOVES_IN_A_ROW = 24
_COMMENT_LINES = 5
_EMS = 20
"""A column is at most so many capital letters wide: what belongs together stays together in a wide window."""
_ABOUT = (
    "What each move is worth to its side: its expected score as searches estimate it, or what is proven. With Truth: ✓ "
    "a win, = a draw, ✗ a loss, – where every move loses; an arrow marks a mistake. After a review: ?! ? ??"
)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_Index = QModelIndex | QPersistentModelIndex


class MovesModel(QAbstractTableModel):
    """A round in a row: its number, and a column for each side; moves that are not on the board are muted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.story: Story | None = None
        """What is shown."""
        self.rows: tuple[ListRow, ...] = ()
        """The rows."""
        self._on_board: set[Node] = set()

    def show(self, story: Story) -> None:
        """Take over what is told of the game."""
        rows, before = list_rows(story.rows), self.rows
        self._on_board = set(story.line[: story.cursor + 1])
        self.story = story
        if len(rows) > len(before) and rows[: len(before)] == before:
            self.beginInsertRows(QModelIndex(), len(before), len(rows) - 1)
            self.rows = rows
            self.endInsertRows()
        elif [row.folded for row in rows] == [row.folded for row in before]:
            self.rows = rows
        else:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
        if rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(Side)))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 1, len(Side))

    def place(self, index: _Index) -> MovesRow | None:
        """The place of the game that stands there."""
        if not index.isValid() or not index.column():
            return None
        row = self.rows[index.row()]
        return row.folded or row.moves[index.column() - 1]

    def index_of(self, place: MovesRow) -> QModelIndex:
        """Where this place stands; an index that is not valid for the start."""
        for at, row in enumerate(self.rows):
            if place in row.places:
                return self.index(at, 1 + (place is row.moves[1]))
        return QModelIndex()

    @property
    def places(self) -> list[MovesRow]:
        """All places, in the order in which they are read."""
        return [place for row in self.rows for place in row.places]

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index | None = None) -> int:
        return 1 + len(Side)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        there = self.place(index) is not None
        return super().flags(index) if there else Qt.ItemFlag.NoItemFlags

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            if self.story is None or not section:
                return "#"
            return self.story.line[0].position.game.side_name(Side(section - 1))
        if role == Qt.ItemDataRole.ToolTipRole and section:
            return tip(_ABOUT)
        return _RIGHT if role == Qt.ItemDataRole.TextAlignmentRole and not section else None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        story, place = self.story, self.place(index)
        if story is None or not index.isValid():
            return None
        if place is None:
            return self._number(self.rows[index.row()], role) if not index.column() else None
        node = place.node
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(place)
        if role == EVALUATION:
            return "" if place.folded else evaluation(story, node)
        if role == MARK:
            return ("", None) if place.folded else judgement(story, node)
        if role == Qt.ItemDataRole.ForegroundRole and node not in self._on_board:
            return QColor(LOOK.theme.muted)
        if role == Qt.ItemDataRole.FontRole and node is story.line[story.cursor]:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(_sentence(story, place))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return _sentence(story, place)
        return None

    @staticmethod
    def _number(row: ListRow, role: int) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return "" if row.folded else f"{row.number:,}"
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(LOOK.theme.muted)
        return _RIGHT if role == Qt.ItemDataRole.TextAlignmentRole else None


def _text(place: MovesRow) -> str:
    """The move; a variation has brackets around it."""
    node, indent = place.node, _INDENT * place.depth
    if place.folded:
        return f"{indent}({_line_words(place.folded)})"
    assert node.ply is not None
    begins = "(" if place.depth and node.rank else ""
    ends = ")" if place.depth and not node.children else ""
    return f"{indent}{begins}{node.ply.move.text}{ends}"


def _sentence(story: Story, place: MovesRow) -> str:
    """All that is known of the move, for a tip and for a screen reader."""
    node, ply = place.node, place.node.ply
    assert ply is not None
    assert node.parent is not None
    if place.folded:
        return f"Instead: {_line_words(place.folded)}"
    mover, game = node.parent.position.turn, node.position.game
    took = f", {ply.elapsed_s:.2f} s of search" if ply.elapsed_s else ""
    share = chosen_words(ply)
    thought = f", {share} of its simulations" if share.endswith("%") else ""
    over = f". {describe_turn(node.position)}" if node.position.outcome is not None else ""
    judged, worth = story.judged_at(node), evaluation(story, node)
    kept = f". {judged.sentence.removesuffix('.')}" if judged is not None else ""
    valued = f", expected score {worth}" if worth[:1].isdigit() else f", {worth}" if worth else ""
    side, by = game.side_name(mover), by_words(ply, mover, story.players, game)
    who = f"{side} ({by})" if by not in ("", side) else side
    where = "Variation, move" if place.depth else "Move"
    said = f". {ply.comment}" if ply.comment else ""
    return f"{where} {node.position.ply}, {who}: {describe_move(ply.move)}{took}{thought}{valued}{over}{kept}{said}"


def _line_words(nodes: tuple[Node, ...]) -> str:
    """The moves of a variation with their numbers, as far as they may be read in one row."""
    words = [f"{node.position.ply} {node.ply.move.text}" for node in nodes[:_MOVES_IN_A_ROW] if node.ply is not None]
    return "  ".join([*words, "…"] if len(nodes) > _MOVES_IN_A_ROW else words)


class _MoveDelegate(QStyledItemDelegate):
    """Paints a move at the left, its mark in the middle, and what it is worth at the right."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        if not index.column():
            super().paint(painter, option, index)
            return
        shown = QStyleOptionViewItem(option)
        self.initStyleOption(shown, index)
        text, shown.text = shown.text, ""
        table = option.widget
        table.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, shown, painter, table)
        theme, metrics = LOOK.theme, shown.fontMetrics
        room = shown.rect.adjusted(6, 0, -8, 0)
        worth = str(index.data(EVALUATION) or "")
        mark, value = cast("tuple[str, object]", index.data(MARK) or ("", None))
        painter.save()
        painter.setFont(shown.font)
        left = room.width() - (metrics.horizontalAdvance(worth) + 8 if worth else 0)
        marked = max(metrics.horizontalAdvance(text) + 10, round(0.36 * room.width()))
        painter.setPen(QColor(index.data(Qt.ItemDataRole.ForegroundRole) or theme.text))
        painter.drawText(room, _LEFT, metrics.elidedText(text, Qt.TextElideMode.ElideRight, left))
        painter.setFont(table.font())
        painter.setPen(theme.color("muted"))
        painter.drawText(room, _RIGHT, worth)
        if mark and marked + metrics.horizontalAdvance(mark) <= left:
            painter.setPen(theme.color(getattr(value, "value", "muted")))
            painter.drawText(room.adjusted(marked, 0, 0, 0), _LEFT, mark)
        painter.restore()


class _MovesTable(QTableView):
    """The arrows left and right go through all moves; a right press asks for a menu and chooses nothing."""

    menu_wanted = Signal(QModelIndex, QPoint)
    """A menu for this place, here on the screen."""
    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        # The move looked at stays in sight, if it was.
        here = self.visualRect(self.currentIndex())
        was_seen = here.isValid() and here.top() >= 0 and here.bottom() < event.oldSize().height()
        super().resizeEvent(event)
        self.resized.emit()
        if was_seen:
            self.scrollTo(self.currentIndex())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.RightButton:
            event.accept()
        else:
            super().mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        beside = self.viewport().mapToGlobal(self.visualRect(index).bottomLeft())
        self.menu_wanted.emit(index, event.globalPos() if by_mouse else beside)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        model, step = self.model(), {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None or event.modifiers() & Qt.KeyboardModifier.ControlModifier or not isinstance(model, MovesModel):
            super().keyPressEvent(event)
            return
        places, here = model.places, model.place(self.currentIndex())
        at = places.index(here) + step if here is not None else 0
        if 0 <= at < len(places):
            self.setCurrentIndex(model.index_of(places[at]))


class Navigation(QWidget):
    """Buttons for first, previous, next and last."""

    def __init__(self, actions: tuple[QAction, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for action in actions:
            button = QToolButton(autoRaise=True)
            button.setDefaultAction(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            grow_icon(button)
            layout.addWidget(button)


class MovesPanel(QWidget):
    """The table."""

    place_requested = Signal(object)
    """Look at this ``Node`` of the game."""
    promotion_requested = Signal(object)
    """The line to this ``Node`` is to be the main line."""
    deletion_requested = Signal(object)
    """This ``Node`` and all after it are to go."""

    def __init__(self, restore: QAction, parent: QWidget | None = None) -> None:
        """``restore`` brings back what was deleted."""
        super().__init__(parent)
        self._restore = restore
        self.model = MovesModel(self)
        self.table = _MovesTable()
        self.table.setModel(self.model)
        self.table.setItemDelegate(_MoveDelegate(self.table))
        self.table.setAccessibleName("Moves played")
        set_up_table(self.table, air=7, framed=False)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectItems)
        self.table.setAlternatingRowColors(True)
        self.table.menu_wanted.connect(self._open_menu)
        self.table.resized.connect(self._fit)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setMinimumSectionSize(24)
        self.table.selectionModel().currentChanged.connect(self._on_place)
        self._following = False
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 0, 4, 4)
        layout.addWidget(self.table, 1)
        self.comment = QPlainTextEdit(readOnly=True)
        self.comment.setAccessibleName("Comment on this move")
        self.comment.setFrameShape(QFrame.Shape.NoFrame)
        self.comment.hide()
        layout.addWidget(self.comment)
        self.setMinimumWidth(250)

    def show_story(self, story: Story) -> None:
        """Show the moves, with the one looked at selected and in sight."""
        self._following = True
        before = self.model.story
        self.model.show(story)
        self._span()
        self._fit()
        index = self.model.index_of(story.rows[story.current])
        if before is None or (before.rows, before.current) != (story.rows, story.current):
            self.table.setCurrentIndex(index)
            if index.isValid():
                self.table.scrollTo(index)
            else:
                self.table.scrollToTop()
        self._following = False
        ply = story.line[story.cursor].ply
        comment = "" if ply is None else ply.comment
        if comment != self.comment.toPlainText():
            self.comment.setPlainText(comment)
            self._fit_comment()
        self.comment.setVisible(bool(comment))

    def _fit_comment(self) -> None:
        """As high as the comment is, up to some lines; a longer one scrolls."""
        metrics, width = self.comment.fontMetrics(), max(self.table.width() - 24, 100)
        text = metrics.boundingRect(0, 0, width, 0, Qt.TextFlag.TextWordWrap, self.comment.toPlainText())
        most = _COMMENT_LINES * metrics.lineSpacing()
        self.comment.setFixedHeight(min(text.height(), most) + 12)

    def _span(self) -> None:
        """Let a folded variation have the room of both columns."""
        self.table.clearSpans()
        for at, row in enumerate(self.model.rows):
            if row.folded:
                self.table.setSpan(at, 1, 1, len(Side))

    def _fit(self) -> None:
        """Both sides are equally wide, whatever their moves are."""
        metrics, header = self.table.fontMetrics(), self.table.horizontalHeader()
        number = metrics.horizontalAdvance("0,000") + 10
        side = min((self.table.viewport().width() - number) // len(Side), _EMS * metrics.horizontalAdvance("M"))
        header.resizeSection(0, number)
        for column in range(1, 1 + len(Side)):
            header.resizeSection(column, side)

    def _on_place(self, current: QModelIndex, _previous: QModelIndex) -> None:
        place = self.model.place(current)
        if not self._following and place is not None:
            self.place_requested.emit(place.node)

    def menu(self, index: QModelIndex) -> QMenu:
        """What can be done with the place there, without going to it."""
        menu, place = QMenu(self), self.model.place(index)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if place is not None:
            node = place.node
            menu.addAction("Look at this position").triggered.connect(lambda: self.place_requested.emit(node))
            if not node.on_main_line:
                promote = menu.addAction("Make this the main line")
                promote.triggered.connect(lambda: self.promotion_requested.emit(node))
            menu.addAction("Delete from here on").triggered.connect(lambda: self.deletion_requested.emit(node))
        if self._restore.isEnabled():
            menu.addAction(self._restore)
        return menu

    def _open_menu(self, index: QModelIndex, at: QPoint) -> None:
        menu = self.menu(index)
        if not menu.isEmpty():
            menu.popup(at)


class GameTab(QWidget):
    """The graph of the game above its moves."""

    def __init__(self, restore: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.graph, self.moves = GameGraph(), MovesPanel(restore)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.graph)
        layout.addWidget(self.moves, 1)

    def show_story(self, story: Story) -> None:
        """Show what is told of the game."""
        self.moves.show_story(story)
        self.graph.show_curve(story.curve)
