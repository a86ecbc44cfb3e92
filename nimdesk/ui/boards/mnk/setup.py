"""m,n,k games set up by hand: sizes typed for a new game, or marks put on a board and taken away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from nimdesk.errors import GameParameterError
from nimdesk.games import AnyPosition, MnkGame, MnkMove, MnkPosition, Side
from nimdesk.games.mnk.geometry import line_words
from nimdesk.games.mnk.rules import MAX_SIZE
from nimdesk.ui.boards.forms import PositionForm, number_box
from nimdesk.ui.boards.pointing import MARKS_ITSELF
from nimdesk.ui.look.painting import side_color, sized
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import announce, label, tip

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
    """Columns, rows, how many in a row, gravity, and whether a longer line wins."""

    def __init__(self) -> None:
        super().__init__()
        self.m, self.n, self.k = (number_box(1, MAX_SIZE, 3) for _ in range(3))
        self.gravity = QCheckBox("&Gravity: marks drop to the lowest empty cell")
        self.exact = QCheckBox("&Exactly: more do not win")
        self.first_field = self.m
        form = QFormLayout(self)
        form.addRow("&Columns (m)", self.m)
        form.addRow("&Rows (n)", self.n)
        line = QHBoxLayout()
        line.addWidget(self.k, 1)
        line.addWidget(self.exact)
        title = label("&In a row (k)")
        title.setBuddy(self.k)
        form.addRow(title, line)
        form.addRow(self.gravity)
        for box in (self.m, self.n, self.k):
            box.valueChanged.connect(self._tell)
        for rule in (self.gravity, self.exact):
            rule.toggled.connect(self._tell)

    def show_position(self, position: AnyPosition) -> None:
        game = position.game
        assert isinstance(game, MnkGame)
        for box, value in ((self.m, game.m), (self.n, game.n), (self.k, game.k)):
            box.setValue(value)
        self.gravity.setChecked(game.gravity)
        self.exact.setChecked(game.exact)

    def position(self) -> AnyPosition:
        """The empty board."""
        return self.game().start()

    def game(self) -> MnkGame:
        """The game of this size."""
        return MnkGame(
            self.m.value(),
            self.n.value(),
            self.k.value(),
            gravity=self.gravity.isChecked(),
            exact=self.exact.isChecked(),
        )


class MarksForm(PositionForm):
    """The sizes beside a board to put marks on."""

    def __init__(self) -> None:
        super().__init__()
        self.size_form = SizeForm()
        self.size_form.changed.connect(self._resize_board)
        clear = QPushButton("&Clear the board")
        clear.setAutoDefault(False)
        clear.clicked.connect(self._clear)
        self.board = MarksEditor()
        self.board.set_size(3, 3)
        self.board.changed.connect(self._tell)
        side = QVBoxLayout()
        side.addWidget(self.size_form)
        side.addWidget(clear)
        side.addStretch()
        row = QHBoxLayout()
        row.addWidget(self.board, 1, Qt.AlignmentFlag.AlignCenter)
        row.addLayout(side)
        layout = QVBoxLayout(self)
        layout.addLayout(row, 1)
        keys = "A press puts X, then O, then nothing. Keys: X, O, Delete, and arrows."
        layout.addWidget(label(keys, role="muted", wrap=True))

    def show_position(self, position: AnyPosition) -> None:
        assert isinstance(position, MnkPosition)
        self.size_form.show_position(position)
        self.board.set_marks(marks_of(position))

    def position(self) -> MnkPosition:
        """A position with exactly these marks."""
        return mnk_position(self.size_form.game(), self.board.marks())

    def _resize_board(self) -> None:
        self.board.set_size(self.size_form.m.value(), self.size_form.n.value())
        self._tell()

    def _clear(self) -> None:
        self.board.set_marks({})


class MarksEditor(QTableWidget):
    """A board of cells for any m,n,k game.

    A press turns empty to X to O; with the keyboard arrows go from cell to cell, Space is a press, and the keys X, O
    and Delete set the cell.
    """

    changed = Signal()
    """A mark was put or taken away."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._marks: dict[MnkMove, Side] = {}
        self.setAccessibleName("Board")
        self.setProperty(MARKS_ITSELF, True)
        self.setEditTriggers(self.EditTrigger.NoEditTriggers)
        self.setSelectionMode(self.SelectionMode.NoSelection)
        self.setTabKeyNavigation(False)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.hide()
            header.setMinimumSectionSize(1)
        for policy in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.cellPressed.connect(self._press)
        self.currentCellChanged.connect(self._describe)

    def set_size(self, columns: int, rows: int) -> None:
        """A board of this size; marks that fit stay."""
        at = self.cell
        self._marks = {cell: side for cell, side in self._marks.items() if cell.column < columns and cell.row < rows}
        self.setRowCount(rows)
        self.setColumnCount(columns)
        side = max(20, min(56, 430 // max(columns, rows)))
        self.horizontalHeader().setDefaultSectionSize(side)
        self.verticalHeader().setDefaultSectionSize(side)
        self.setFixedSize(columns * side + 2 * self.frameWidth(), rows * side + 2 * self.frameWidth())
        self.setFont(sized(self.font(), side // 2, bold=True))
        accent = LOOK.theme.accent
        self.setStyleSheet(f"QTableView::item:focus {{ border: 2px solid {accent}; background: transparent; }}")
        self.setCurrentCell(rows - 1 - min(at.row, rows - 1), min(at.column, columns - 1))
        self._show()

    def set_marks(self, marks: dict[MnkMove, Side]) -> None:
        """Put these marks, and no others."""
        self._marks = dict(marks)
        self._show()
        self.changed.emit()

    def marks(self) -> dict[MnkMove, Side]:
        """The marks on the board."""
        return dict(self._marks)

    @property
    def cell(self) -> MnkMove:
        """Where the keyboard is."""
        return MnkMove(max(0, self.currentColumn()), max(0, self.rowCount() - 1 - max(0, self.currentRow())))

    def cell_rect(self, cell: MnkMove) -> QRect:
        """Where this cell is in the viewport."""
        return self.visualRect(self.model().index(self.rowCount() - 1 - cell.row, cell.column))

    def _show(self) -> None:
        for row, column in product(range(self.rowCount()), range(self.columnCount())):
            cell = MnkMove(column, self.rowCount() - 1 - row)
            side = self._marks.get(cell)
            item = QTableWidgetItem("" if side is None else _NAMES[side])
            item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
            item.setToolTip(tip(f"{cell.text}: {_NAMES[side]}. A press puts X, then O, then nothing"))
            if side is not None:
                item.setForeground(side_color(LOOK.theme, side))
            self.setItem(row, column, item)
        self._describe()

    def _describe(self) -> None:
        words = f"{self.cell.text}, {_NAMES[self._marks.get(self.cell)]}"
        self.setAccessibleDescription(words)
        if self.hasFocus():
            announce(self, words)

    def _put(self, side: Side | None) -> None:
        marks = {cell: mark for cell, mark in self._marks.items() if cell != self.cell}
        self.set_marks(marks if side is None else {**marks, self.cell: side})

    def _press(self) -> None:
        self._put(_CYCLE[self._marks.get(self.cell)])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _SIDES:
            self._put(_SIDES[key])
        elif key == Qt.Key.Key_Space:
            self._press()
        else:
            super().keyPressEvent(event)


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
            f"{name} has {game.wins_with} already, so {game.side_name(last)} could not have moved."
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
    return _line_of(game, (cell for cell, mark in marks.items() if mark == side))


def _line_of(game: MnkGame, cells: Iterable[MnkMove]) -> bool:
    """Whether marks of one side in these cells hold a line that wins."""
    own = sum(1 << cell.row * game.m + cell.column for cell in cells)
    return any(own & around == window for window, around in line_words(game.m, game.n, game.k, game.exact))


def _played(game: MnkGame, marks: Marks) -> MnkPosition:
    """Some order of moves to marks without a line."""
    order = _dropped(game, marks) if game.gravity else _in_turns(game, marks)
    position = game.start()
    for cell in order:
        position = position.play(cell)
    return position


def _in_turns(game: MnkGame, marks: Marks) -> list[MnkMove]:
    sides = [sorted(cell for cell, mark in marks.items() if mark == side) for side in Side]
    if game.exact:
        sides = [_grown(game, cells) for cells in sides]
    return [sides[ply % 2][ply // 2] for ply in range(len(marks))]


def _grown(game: MnkGame, cells: list[MnkMove]) -> list[MnkMove]:
    """The cells of one side in an order in which no line that is too long now had just k marks before."""
    left, order = cells, list[MnkMove]()
    while left:
        found = next((cell for cell in left if not _line_of(game, (each for each in left if each != cell))), None)
        if found is None:
            raise GameParameterError(f"No order of moves leads to these marks without {game.wins_with} on the way.")
        left = [cell for cell in left if cell != found]
        order.insert(0, found)
    return order


def _dropped(game: MnkGame, marks: Marks) -> list[MnkMove]:
    """An order in which each mark falls on those below it, found by depth-first search over the columns' heights."""
    columns = [[marks.get(MnkMove(column, row)) for row in range(game.n)] for column in range(game.m)]
    heights = [0] * game.m
    order: list[MnkMove] = []
    failed: set[tuple[int, ...]] = set()
    choices = [0]
    while len(order) < len(marks):
        turn, column = Side(len(order) % 2), choices[-1]
        own = order[turn::2]
        while column < game.m and (
            heights[column] >= game.n
            or columns[column][heights[column]] != turn
            or (game.exact and _line_of(game, (*own, MnkMove(column, heights[column]))))
        ):
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
