"""m,n,k games set up by hand: sizes typed for a new game, or marks put on a board and taken away."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QFormLayout, QHBoxLayout, QPushButton, QToolTip, QVBoxLayout, QWidget

from nimdesk.errors import GameParameterError
from nimdesk.games import AnyPosition, MnkGame, MnkMove, MnkPosition, Side, parse_position
from nimdesk.games.mnk.rules import MAX_SIZE
from nimdesk.ui.boards.forms import PositionForm, number_box
from nimdesk.ui.boards.pointing import ARROWS, MARKS_ITSELF
from nimdesk.ui.look.painting import side_color, sized
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import announce, label

Marks = Mapping[MnkMove, Side]
_MOST_TRIED = 200_000
"""How many orders of dropping marks are looked at before giving up."""
_CYCLE: dict[Side | None, Side | None] = {None: Side.FIRST, Side.FIRST: Side.SECOND, Side.SECOND: None}
_SIDES: dict[Qt.Key, Side | None] = {
    Qt.Key.Key_X: Side.FIRST,
    Qt.Key.Key_O: Side.SECOND,
    Qt.Key.Key_Delete: None,
    Qt.Key.Key_Backspace: None,
}
_NAMES = {None: "empty", Side.FIRST: "X", Side.SECOND: "O"}


class SizeForm(PositionForm):
    """Columns, rows, how many in a row, and gravity."""

    def __init__(self) -> None:
        super().__init__()
        self.m, self.n, self.k = (number_box(1, MAX_SIZE, 3) for _ in range(3))
        self.gravity = QCheckBox("&Gravity: marks drop to the lowest empty cell")
        self.first_field = self.m
        form = QFormLayout(self)
        for title, box in (("&Columns (m)", self.m), ("&Rows (n)", self.n), ("&In a row (k)", self.k)):
            form.addRow(title, box)
            box.valueChanged.connect(self._tell)
        form.addRow(self.gravity)
        self.gravity.toggled.connect(self._tell)

    def show_position(self, position: AnyPosition) -> None:
        game = position.game
        assert isinstance(game, MnkGame)
        for box, value in ((self.m, game.m), (self.n, game.n), (self.k, game.k)):
            box.setValue(value)
        self.gravity.setChecked(game.gravity)

    def position(self) -> AnyPosition:
        """The empty board."""
        gravity = ":gravity" if self.gravity.isChecked() else ""
        return parse_position(f"mnk:{self.m.value()},{self.n.value()},{self.k.value()}{gravity}")


class MarksForm(PositionForm):
    """The sizes in one line over a board to put marks on."""

    def __init__(self) -> None:
        super().__init__()
        self.m, self.n, self.k = (number_box(1, MAX_SIZE, 3) for _ in range(3))
        self.gravity = QCheckBox("&Gravity")
        self.gravity.toggled.connect(self._tell)
        row = QHBoxLayout()
        for box, name, tip in (
            (self.m, "columns ", "Columns, m"),
            (self.n, "rows ", "Rows, n"),
            (self.k, "in a row ", "In a row to win, k"),
        ):
            box.setPrefix(name)
            box.setAccessibleName(tip)
            box.valueChanged.connect(self._resize_board)
            row.addWidget(box)
        row.addWidget(self.gravity)
        clear = QPushButton("&Clear the board")
        clear.setAutoDefault(False)
        clear.clicked.connect(self._clear)
        row.addWidget(clear)
        self.board = MarksEditor()
        self.board.set_size(3, 3)
        self.board.changed.connect(self._tell)
        layout = QVBoxLayout(self)
        layout.addLayout(row)
        layout.addWidget(self.board, 1, Qt.AlignmentFlag.AlignCenter)
        keys = "A press puts X, then O, then nothing. Keys: X, O, Delete, and arrows."
        layout.addWidget(label(keys, role="muted", wrap=True))

    def show_position(self, position: AnyPosition) -> None:
        assert isinstance(position, MnkPosition)
        for box, value in ((self.m, position.game.m), (self.n, position.game.n), (self.k, position.game.k)):
            box.setValue(value)
        self.gravity.setChecked(position.game.gravity)
        self.board.set_marks(marks_of(position))

    def position(self) -> MnkPosition:
        """A position with exactly these marks."""
        game = MnkGame(self.m.value(), self.n.value(), self.k.value(), self.gravity.isChecked())
        return mnk_position(game, self.board.marks())

    def _resize_board(self) -> None:
        self.board.set_size(self.m.value(), self.n.value())
        self._tell()

    def _clear(self) -> None:
        self.board.set_marks({})


class MarksEditor(QWidget):
    """A board of cells for any m,n,k game.

    A press turns empty to X to O; with the keyboard arrows go from cell to cell, Space is a press, and the keys X, O
    and Delete set the cell.
    """

    changed = Signal()
    """A mark was put or taken away."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns = self._rows = self._side = 0
        self._marks: dict[MnkMove, Side] = {}
        self._at = MnkMove(0, 0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Board")
        self.setProperty(MARKS_ITSELF, True)

    def set_size(self, columns: int, rows: int) -> None:
        """A board of this size; marks that fit stay."""
        self._columns, self._rows = columns, rows
        self._marks = {cell: side for cell, side in self._marks.items() if cell.column < columns and cell.row < rows}
        self._side = max(20, min(56, 430 // max(columns, rows)))
        self.setFixedSize(columns * self._side, rows * self._side)
        self._go_to(MnkMove(min(self._at.column, columns - 1), min(self._at.row, rows - 1)))

    def set_marks(self, marks: dict[MnkMove, Side]) -> None:
        """Put these marks, and no others."""
        self._marks = dict(marks)
        self._tell()

    def marks(self) -> dict[MnkMove, Side]:
        """The marks on the board."""
        return dict(self._marks)

    @property
    def cell(self) -> MnkMove:
        """Where the keyboard is."""
        return self._at

    def cell_rect(self, cell: MnkMove) -> QRect:
        """Where this cell is painted."""
        side = self._side
        return QRect(cell.column * side, (self._rows - 1 - cell.row) * side, side, side)

    def _cell_at(self, place: QPoint) -> MnkMove:
        column, row = place.x() // self._side, self._rows - 1 - place.y() // self._side
        return MnkMove(max(0, min(column, self._columns - 1)), max(0, min(row, self._rows - 1)))

    def _words(self, cell: MnkMove) -> str:
        return f"{cell.text}, {_NAMES[self._marks.get(cell)]}"

    def _go_to(self, cell: MnkMove) -> None:
        self._at = cell
        self.setAccessibleDescription(self._words(cell))
        self.update()

    def _put(self, side: Side | None) -> None:
        self._marks.pop(self._at, None)
        if side is not None:
            self._marks[self._at] = side
        self._tell()

    def _tell(self) -> None:
        self._go_to(self._at)
        self.changed.emit()

    def _press(self) -> None:
        self._put(_CYCLE[self._marks.get(self._at)])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._go_to(self._cell_at(event.position().toPoint()))
            self._press()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in ARROWS:
            right, up = ARROWS[key]
            column, row = self._at.column + right, self._at.row + up
            if 0 <= column < self._columns and 0 <= row < self._rows:
                self._go_to(MnkMove(column, row))
        elif key in _SIDES:
            self._put(_SIDES[key])
        elif key == Qt.Key.Key_Space:
            self._press()
        else:
            super().keyPressEvent(event)
            return
        announce(self, self._words(self._at))

    def event(self, event: QEvent) -> bool:
        """Where the mouse rests, say what the cell under it is."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            cell = self._cell_at(event.pos())
            name = _NAMES[self._marks.get(cell)]
            words = f"{cell.text}: {name}. A press puts X, then O, then nothing"
            QToolTip.showText(event.globalPos(), words, self, self.cell_rect(cell))
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), LOOK.theme
        painter.fillRect(self.rect(), theme.color("board"))
        painter.setPen(theme.color("board_line"))
        cells = [MnkMove(column, row) for row in range(self._rows) for column in range(self._columns)]
        painter.drawRects([self.cell_rect(cell).adjusted(0, 0, -1, -1) for cell in cells])
        painter.setFont(sized(self.font(), self._side // 2, bold=True))
        for cell, side in self._marks.items():
            painter.setPen(side_color(theme, side))
            painter.drawText(self.cell_rect(cell), Qt.AlignmentFlag.AlignCenter, _NAMES[side])
        if self.hasFocus():
            painter.setPen(QPen(theme.color("accent"), 2))
            painter.drawRect(self.cell_rect(self._at).adjusted(1, 1, -1, -1))


# From marks to a position


def marks_of(position: MnkPosition) -> dict[MnkMove, Side]:
    """The marks on the board."""
    game = position.game
    cells = [MnkMove(column, row) for row in range(game.n) for column in range(game.m)]
    found = {cell: position.mark(cell.column, cell.row) for cell in cells}
    return {cell: side for cell, side in found.items() if side is not None}


def mnk_position(game: MnkGame, marks: Marks) -> MnkPosition:
    """A position with exactly these marks, by some order of moves; ``GameParameterError`` where there is none."""
    x, o = (sum(side == mark for mark in marks.values()) for side in Side)
    if x not in (o, o + 1):
        raise GameParameterError(
            f"There are {x} X and {o} O; X begins and the sides take turns, so X has as many marks as O or one more."
        )
    last = Side.FIRST if x > o else Side.SECOND
    if game.gravity:
        _check_gravity(marks)
    lines = {side: _has_line(game, marks, side) for side in Side}
    if lines[last.other]:
        name = game.side_name(last.other)
        raise GameParameterError(
            f"{name} has {game.k} in a row already, so {game.side_name(last)} could not have moved."
        )
    if not lines[last]:
        return _played(game, marks)
    problem = f"{game.side_name(last)} has more lines than one move can complete; the game would have ended before."
    for final in [cell for cell, side in marks.items() if side == last]:
        before = {cell: side for cell, side in marks.items() if cell != final}
        above = MnkMove(final.column, final.row + 1)
        if _has_line(game, before, last) or (game.gravity and above in marks):
            continue
        try:
            return _played(game, before).play(final)
        except GameParameterError as error:
            problem = str(error)
    raise GameParameterError(problem)


def _check_gravity(marks: Marks) -> None:
    for cell in sorted(marks, key=lambda cell: (cell.column, cell.row)):
        if cell.row and MnkMove(cell.column, cell.row - 1) not in marks:
            raise GameParameterError(f"The mark on {cell.text} hangs in the air; with gravity marks lie on others.")


def _has_line(game: MnkGame, marks: Marks, side: Side) -> bool:
    own = {(cell.column, cell.row) for cell, mark in marks.items() if mark == side}
    steps = ((1, 0), (0, 1), (1, 1), (1, -1))
    return any(
        all((column + i * right, row + i * up) in own for i in range(game.k))
        for column, row in own
        for right, up in steps
    )


def _played(game: MnkGame, marks: Marks) -> MnkPosition:
    """Some order of moves to marks without a line."""
    order = _dropped(game, marks) if game.gravity else _in_turns(marks)
    position = game.start()
    for cell in order:
        position = position.play(cell)
    return position


def _in_turns(marks: Marks) -> list[MnkMove]:
    sides = [sorted(cell for cell, mark in marks.items() if mark == side) for side in Side]
    return [sides[ply % 2][ply // 2] for ply in range(len(marks))]


def _dropped(game: MnkGame, marks: Marks) -> list[MnkMove]:
    """An order in which each mark falls on those below it, found by depth-first search over the columns' heights."""
    columns = [[marks.get(MnkMove(column, row)) for row in range(game.n)] for column in range(game.m)]
    heights = [0] * game.m
    order: list[MnkMove] = []
    failed: set[tuple[int, ...]] = set()
    choices = [0]
    while len(order) < len(marks):
        turn, column = Side(len(order) % 2), choices[-1]
        while column < game.m and (heights[column] >= game.n or columns[column][heights[column]] != turn):
            column += 1
        if column < game.m:
            heights[column] += 1
            order.append(MnkMove(column, heights[column] - 1))
            choices[-1] = column + 1
            # A dead end that is known is left at once.
            choices.append(game.m if tuple(heights) in failed else 0)
            continue
        failed.add(tuple(heights))
        choices.pop()
        if not order or len(failed) > _MOST_TRIED:
            raise GameParameterError("No order of moves leads to these marks when the sides take turns.")
        heights[order.pop().column] -= 1
    return order
