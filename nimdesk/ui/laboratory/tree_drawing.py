"""Draws a game tree from the top down: boards where there is room, values, edges, and where alpha-beta has cut."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from nimdesk.games import AnyPosition, Side
from nimdesk.play.game_tree import TreeNode, cut_text, value_text
from nimdesk.search.tree_types import Line
from nimdesk.ui.boards import BoardView, board_for
from nimdesk.ui.boards.base import short_count
from nimdesk.ui.boards.pictures import blank
from nimdesk.ui.look.painting import draw_chip, font_px, side_color, sized, text_width
from nimdesk.ui.look.theme import LOOK

_BOARDS = (38.0, 92.0)
"""The least and the largest side of a board in a node."""
_PAINTED = 132
"""The side of a board in its own pixels, before it is made small."""
_BARE = 36.0
"""How wide a node without a board is at least."""
_ROOM = 3.0
"""Boards are left out where they would make the drawing this many times as wide as what is seen of it."""
_WIDE_CUT = "α +1 ≥ β +1 "
_EDGE, _SIDE = 30.0, 12.0
_MOST_PICTURES = 1_500
_CENTER = Qt.AlignmentFlag.AlignCenter
_KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_VALUES = {1: "win", 0: "draw", -1: "loss", None: "muted"}


@dataclass(frozen=True)
class _Plan:
    """Where the nodes are: the middle of each in columns, and the sizes of all."""

    columns: dict[Line, float]
    more: dict[Line, float]
    width: int
    levels: int

    @classmethod
    def of(cls, root: TreeNode) -> _Plan:
        columns: dict[Line, float] = {}
        more: dict[Line, float] = {}
        taken = 0

        def place(node: TreeNode) -> float:
            nonlocal taken
            if not node.children:
                taken += 1
                columns[node.line] = taken - 0.5
                return columns[node.line]
            middles = [place(child) for child in node.children]
            if node.hidden:
                taken += 1
                more[node.line] = taken - 0.5
            columns[node.line] = (middles[0] + middles[-1]) / 2
            return columns[node.line]

        place(root)
        return cls(columns, more, taken, 1 + max(len(line) for line in columns))


class TreeDrawing(QWidget):
    """The tree; a press or Space unfolds and folds a node, arrows go from node to node, Enter studies its position."""

    pressed = Signal(object)
    """The ``Line`` of the node to be unfolded or folded."""
    chosen = Signal(object)
    """The line of the node whose position is to be studied."""
    selected = Signal(object)
    """The line of the node that is selected now."""
    pointed = Signal(object)
    """The line of the node that the mouse is on, () for none."""

    def __init__(self) -> None:
        super().__init__()
        self.root: TreeNode | None = None
        """What is drawn."""
        self.selection: Line = ()
        """The line of the selected node."""
        self._plan = _Plan({}, {}, 0, 0)
        self._nodes: dict[Line, TreeNode] = {}
        self._board: BoardView | None = None
        self._pictures: dict[tuple[object, ...], QPixmap] = {}
        self._exactly = False
        self._seen = QSize(400, 300)
        self._under: Line | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Game tree")
        LOOK.changed.connect(self.update)

    # What is drawn, and how large

    def show_tree(self, root: TreeNode, seen: QSize) -> None:
        """Draw this tree; ``seen`` is how much of it can be seen at once."""
        if self._board is None or not self._board.suits(root.position.game):
            self._take_board(root.position)
        self._seen = seen
        self.root = root
        self._plan = _Plan.of(root)
        self._nodes = {node.line: node for node in root.walk()}
        while self.selection not in self._nodes:
            self.selection = self.selection[:-1]
        self._arrange()

    def show_in(self, seen: QSize) -> None:
        """Take another size of what can be seen at once."""
        self._seen = seen
        self._arrange()

    def _take_board(self, position: AnyPosition) -> None:
        if self._board is not None:
            self._board.deleteLater()
        self._pictures.clear()
        # Its owner is this widget: left to Python, it would go with its cycles, in whichever thread then runs.
        board = self._board = board_for(position.game, self)
        board.hide()
        board.be_pictured()
        board.resize(_PAINTED, _PAINTED)

    def _arrange(self) -> None:
        plan = self._plan
        if self.root is None:
            return
        self._small, self._large = sized(self.font(), font_px(self) - 2), sized(self.font(), font_px(self), bold=True)
        self._row = QFontMetricsF(self._small).height()
        self._searched = any(node.branch is not None for node in self._nodes.values())
        cuts = any(node.cut is not None for node in self._nodes.values())
        words = self._row * (2 + self._searched + cuts) + 4
        least, most = _BOARDS
        high = (self._seen.height() - 2 * _SIDE + _EDGE) / plan.levels - words - _EDGE
        wide = (self._seen.width() - 2 * _SIDE) / plan.width - 8
        self._side = max(least, min(most, high, wide)) if plan.width * (least + 8) <= _ROOM * self._seen.width() else 0
        recorded = any(node.branch is not None and node.branch.window is not None for node in self._nodes.values())
        needed = text_width(self._small, "[−∞, +∞]") + 6 if recorded else 0.0
        self._cell = max(_BARE, self._side + 8, needed if self._side else 0.0)
        self._level = self._side + words + _EDGE
        self.setMinimumSize(
            round(plan.width * self._cell + 2 * _SIDE), round(plan.levels * self._level - _EDGE + 2 * _SIDE)
        )
        self.updateGeometry()
        self.update()

    @property
    def has_boards(self) -> bool:
        """Whether there is room for a board in each node."""
        return self._side > 0

    def place(self, line: Line) -> QRectF:
        """Where a node is: its move, its board and its value."""
        left = (self.width() - self._plan.width * self._cell) / 2
        top = _SIDE + len(line) * self._level
        wide = max(self._side, _BARE - 4)
        middle = left + self._plan.columns[line] * self._cell
        return QRectF(middle - wide / 2, top, wide, self._row * 2 + self._side + 4)

    def node_at(self, point: QPointF) -> Line | None:
        """The node drawn here."""
        return next((line for line in self._nodes if self.place(line).contains(point)), None)

    @contextmanager
    def exactly(self) -> Iterator[None]:
        """While this lasts, boards are painted in lines and nothing is marked that is only pointed at or selected."""
        self._exactly = True
        try:
            yield
        finally:
            self._exactly = False

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(self.rect(), LOOK.theme.color("plot"))
            for node in self._nodes.values():
                for child in node.children:
                    self._paint_edge(painter, node, child)
            for node in self._nodes.values():
                self._paint_node(painter, node)

    def _mover(self, line: Line) -> Side:
        assert self.root is not None
        return Side((self.root.position.turn + len(line) - 1) % 2)

    def _paint_edge(self, painter: QPainter, node: TreeNode, child: TreeNode) -> None:
        above, below = self.place(node.line), self.place(child.line)
        start = QPointF(above.center().x(), above.bottom() + self._words_below(node))
        end = QPointF(below.center().x(), below.top())
        painter.setPen(self.edge_pen(child))
        painter.drawLine(start, end)
        if child.is_cut_off and node.cut is not None:
            self._paint_cut(painter, start, end)

    def edge_pen(self, child: TreeNode) -> QPen:
        """How the edge to this node is drawn: dashed where the search has not been, else as thick as its visits."""
        theme = LOOK.theme
        if child.is_best:
            return QPen(theme.color("accent"), 2.6)
        if child.branch is None and self._searched:
            return QPen(theme.color("field"), 1.2, Qt.PenStyle.DashLine)
        recorded = child.branch is None or child.branch.window is not None
        return QPen(theme.color("board_line"), 1.4 if recorded else 1.0 + 4 * child.share)

    def _paint_cut(self, painter: QPainter, start: QPointF, end: QPointF) -> None:
        """Two strokes across an edge."""
        along = end - start
        length = max(1.0, (along.x() ** 2 + along.y() ** 2) ** 0.5)
        unit = along / length
        across = QPointF(-unit.y(), unit.x()) * 5
        painter.setPen(QPen(LOOK.theme.color("warning"), 1.8))
        for shift in (-2.0, 2.0):
            at = end - unit * min(13.0, length / 2) + unit * shift
            painter.drawLine(at - across - unit * 2, at + across + unit * 2)

    def _words_below(self, node: TreeNode) -> float:
        """How far the words below the value reach."""
        searched = node.branch is not None
        return self._row * (searched + (node.cut is not None)) + 2

    def _paint_node(self, painter: QPainter, node: TreeNode) -> None:
        theme, place = LOOK.theme, self.place(node.line)
        painter.save()
        if node.is_cut_off:
            painter.setOpacity(0.5)
        row = QRectF(place.center().x() - self._cell / 2, place.top(), self._cell, self._row)
        if node.line:
            painter.setFont(sized(self._small, self._small.pixelSize(), bold=True))
            painter.setPen(side_color(theme, self._mover(node.line)))
            painter.drawText(row, _CENTER, node.line[-1].text)
        if self._side:
            box = QRectF(place.left(), row.bottom(), self._side, self._side)
            self._paint_board(painter, node.position, box)
        chip = QRectF(0, 0, max(24.0, text_width(self._large, "+1") + 8), self._row + 2)
        chip.moveCenter(QPointF(place.center().x(), place.bottom() - self._row / 2 - 1))
        painter.setFont(self._large)
        ink = theme.color(_VALUES[node.value])
        draw_chip(painter, chip, value_text(node.value), theme.color("plot"), ink, outlined=True)
        if node.can_unfold:
            self._paint_plus(painter, QPointF(chip.right() + 6, chip.center().y()))
        self._paint_words(painter, node, row.translated(0, place.bottom() - row.top()))
        painter.restore()
        if node.line == self.selection and not self._exactly:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("accent"), 2 if self.hasFocus() else 1))
            painter.drawRoundedRect(place.adjusted(-3, -1, 3, 1), 4, 4)
        if (more := self._plan.more.get(node.line)) is not None:
            painter.setFont(self._small)
            painter.setPen(theme.color("muted"))
            left = (self.width() - self._plan.width * self._cell) / 2 + (more - 0.5) * self._cell
            words = QRectF(left, place.top() + self._level, self._cell, self._row * 2 + self._side)
            painter.drawText(words, _CENTER | Qt.TextFlag.TextWordWrap, f"and {node.hidden} more")

    def _paint_plus(self, painter: QPainter, at: QPointF) -> None:
        painter.setPen(QPen(LOOK.theme.color("muted"), 1.4))
        painter.drawLine(at - QPointF(3, 0), at + QPointF(3, 0))
        painter.drawLine(at - QPointF(0, 3), at + QPointF(0, 3))

    def _paint_words(self, painter: QPainter, node: TreeNode, row: QRectF) -> None:
        """What the search knows, and why it has cut, below the value."""
        theme = LOOK.theme
        painter.setFont(self._small)
        if node.branch is not None:
            window = node.branch.window
            if window is not None:
                words = f"[{window.alpha_text}, {window.beta_text}]"
            else:
                words = short_count(node.branch.visits)
            painter.setPen(theme.color("muted"))
            painter.drawText(row, _CENTER, words)
            row.translate(0, self._row)
        if node.cut is not None:
            painter.setPen(theme.color("warning"))
            # Beside each other there is no room for the numbers; they are in the words on the node.
            words = cut_text(node.cut) if node.children or self._cell > text_width(self._small, _WIDE_CUT) else "α ≥ β"
            wide = max(row.width(), text_width(self._small, words) + 4)
            painter.drawText(QRectF(row.center().x() - wide / 2, row.top(), wide, row.height()), _CENTER, words)

    def _paint_board(self, painter: QPainter, position: AnyPosition, box: QRectF) -> None:
        if self._exactly:
            painter.save()
            painter.translate(box.topLeft())
            self._paint_position(painter, position, box.width())
            painter.restore()
            return
        ratio = self.devicePixelRatioF()
        key = (position, LOOK.theme.name, box.width(), ratio)
        if key not in self._pictures:
            if len(self._pictures) >= _MOST_PICTURES:
                self._pictures.clear()
            picture = blank(box.width(), box.height(), ratio)
            with QPainter(picture) as into:
                into.setRenderHint(QPainter.RenderHint.Antialiasing)
                self._paint_position(into, position, box.width())
            self._pictures[key] = picture
        painter.drawPixmap(box.topLeft(), self._pictures[key])

    def _paint_position(self, painter: QPainter, position: AnyPosition, side: float) -> None:
        """The board of this position, made small, from the corner on."""
        board = self._board
        assert board is not None
        board.set_position(position)
        painter.save()
        painter.setClipRect(QRectF(0, 0, side, side), Qt.ClipOperation.IntersectClip)
        painter.scale(side / _PAINTED, side / _PAINTED)
        try:
            with board.art.exactly():
                board.art.paint(painter)
        except Exception:  # as in BoardView: PySide ends the process for an exception while something is painted
            sys.excepthook(*sys.exc_info())
        painter.restore()
        painter.setPen(QPen(LOOK.theme.color("border"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(0.5, 0.5, side - 1, side - 1))

    # Mouse and keys

    def select(self, line: Line) -> None:
        """Select this node, which is drawn."""
        self.selection = line
        self.update()
        self.selected.emit(line)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        line = self.node_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and line is not None:
            self.select(line)
            self.pressed.emit(line)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        line = self.node_at(event.position())
        if line != self._under:
            self._under = line
            self.setCursor(Qt.CursorShape.ArrowCursor if line is None else Qt.CursorShape.PointingHandCursor)
            self.pointed.emit(line or ())

    def leaveEvent(self, event: QEvent) -> None:
        if self._under is not None:
            self._under = None
            self.pointed.emit(())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        line, key = self.selection, Qt.Key(event.key())
        if self.root is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        elif key in _KEYS:
            row = [each for each in self._nodes if len(each) == len(line)]
            self.select(row[max(0, min(len(row) - 1, row.index(line) + _KEYS[key]))])
        elif key == Qt.Key.Key_Up:
            self.select(line[:-1])
        elif key == Qt.Key.Key_Down and self._nodes[line].children:
            self.select(self._nodes[line].children[0].line)
        elif key == Qt.Key.Key_Home:
            self.select(())
        elif key in (Qt.Key.Key_Space, Qt.Key.Key_Down):
            self.pressed.emit(line)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(line)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()
