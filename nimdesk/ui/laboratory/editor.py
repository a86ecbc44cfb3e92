"""Edit position: sizes of piles, or marks put on a board and taken away, checked as they are changed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QSpinBox,
    QTabWidget,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from nimdesk.errors import NimdeskError
from nimdesk.games import AnyPosition, MnkGame, MnkMove, MnkPosition, NimGame, NimPosition, Side
from nimdesk.games.mnk.rules import MAX_SIZE
from nimdesk.games.nim.rules import MAX_PILE, MAX_PILES
from nimdesk.games.words import describe_turn
from nimdesk.ui.boards.pointing import MARKS_ITSELF
from nimdesk.ui.laboratory.setup import marks_of, mnk_position, nim_position
from nimdesk.ui.look.announcing import announce
from nimdesk.ui.look.painting import side_color, sized
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.look.widgets import label, plain

_CYCLE: dict[Side | None, Side | None] = {None: Side.FIRST, Side.FIRST: Side.SECOND, Side.SECOND: None}
_STEPS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)}
_SIDES: dict[Qt.Key, Side | None] = {
    Qt.Key.Key_X: Side.FIRST,
    Qt.Key.Key_O: Side.SECOND,
    Qt.Key.Key_Delete: None,
    Qt.Key.Key_Backspace: None,
}
_NAMES = {None: "empty", Side.FIRST: "X", Side.SECOND: "O"}


class MarksEditor(QWidget):
    """A board of cells for any m,n,k game.

    A press turns empty to X to O; with the keyboard arrows go from cell to cell, Space is a press, and the keys X, O
    and Delete set the cell.
    """

    changed = Signal()
    """A mark was put or taken away."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
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
        if key in _STEPS:
            right, up = _STEPS[key]
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
        painter, theme = QPainter(self), self._theme
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


class PositionEditor(QDialog):
    """Asks for a position, beginning with ``current``; after ``exec`` returned Accepted it is in ``position``."""

    def __init__(self, current: AnyPosition, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Edit position")
        self.position: AnyPosition = current
        self.tabs = QTabWidget()
        self.tabs.addTab(self._nim_tab(), "&Nim")
        self.tabs.addTab(self._mnk_tab(theme), "&m,n,k")
        self.words = label(wrap=True)
        self.problem = label(role="problem", wrap=True)
        for text in (self.words, self.problem):
            text.setMinimumHeight(2 * self.fontMetrics().height() + 4)
            text.setAlignment(Qt.AlignmentFlag.AlignTop)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.ok = buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.ok.setText("&Study it")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.tabs)
        layout.addWidget(self.words)
        layout.addWidget(self.problem)
        layout.addWidget(plain(buttons))
        self.tabs.currentChanged.connect(self._check)
        self._fill(current)
        self._check()

    def _nim_tab(self) -> QWidget:
        page = QWidget()
        grid = QGridLayout()
        self.piles = [_number_box(0, MAX_PILE) for _ in range(MAX_PILES)]
        for index, box in enumerate(self.piles):
            box.setAccessibleName(f"Sticks in pile {index + 1}")
            box.setSpecialValueText("none")
            box.setPrefix(f"{index + 1}:  ")
            box.valueChanged.connect(self._check)
            grid.addWidget(box, index // 4, index % 4)
        self.max_take = _number_box(0, MAX_PILE)
        self.max_take.setSpecialValueText("no limit")
        self.max_take.valueChanged.connect(self._check)
        self.misere = QCheckBox("M&isère: whoever takes the last stick loses")
        self.misere.toggled.connect(self._check)
        form = QFormLayout(page)
        form.addRow(label("Sticks in each pile:"))
        form.addRow(grid)
        form.addRow("&Largest take", self.max_take)
        form.addRow(self.misere)
        return page

    def _mnk_tab(self, theme: Theme) -> QWidget:
        page = QWidget()
        self.m, self.n, self.k = (_number_box(1, MAX_SIZE) for _ in range(3))
        self.gravity = QCheckBox("&Gravity")
        self.gravity.toggled.connect(self._check)
        row = QHBoxLayout()
        for box, name, tip in (
            (self.m, "columns ", "Columns, m"),
            (self.n, "rows ", "Rows, n"),
            (self.k, "in a row ", "In a row to win, k"),
        ):
            box.setValue(3)
            box.setPrefix(name)
            box.setAccessibleName(tip)
            box.valueChanged.connect(self._resize_board)
            row.addWidget(box)
        row.addWidget(self.gravity)
        clear = QPushButton("&Clear the board")
        clear.setAutoDefault(False)
        clear.clicked.connect(self._clear)
        row.addWidget(clear)
        self.board = MarksEditor(theme)
        self.board.set_size(3, 3)
        self.board.changed.connect(self._check)
        layout = QVBoxLayout(page)
        layout.addLayout(row)
        layout.addWidget(self.board, 1, Qt.AlignmentFlag.AlignCenter)
        keys = "A press puts X, then O, then nothing. Keys: X, O, Delete, and arrows."
        layout.addWidget(label(keys, role="muted", wrap=True))
        return page

    def _fill(self, current: AnyPosition) -> None:
        if isinstance(current, NimPosition):
            nim: NimGame = current.game
            for box, size in zip(self.piles, [size for size in current.piles if size], strict=False):
                box.setValue(size)
            self.max_take.setValue(nim.max_take or 0)
            self.misere.setChecked(nim.misere)
            self.piles[0].setFocus()
        elif isinstance(current, MnkPosition):
            game = current.game
            # k first would be too large for the board there is; the last change counts.
            for box, value in ((self.m, game.m), (self.n, game.n), (self.k, game.k)):
                box.setValue(value)
            self.gravity.setChecked(game.gravity)
            self.board.set_marks(marks_of(current))
            self.tabs.setCurrentIndex(1)

    def _resize_board(self) -> None:
        self.board.set_size(self.m.value(), self.n.value())
        self._check()

    def _clear(self) -> None:
        self.board.set_marks({})

    def _made(self) -> AnyPosition:
        if self.tabs.currentIndex() == 0:
            sizes = [box.value() for box in self.piles]
            return nim_position(sizes, self.max_take.value() or None, self.misere.isChecked())
        game = MnkGame(self.m.value(), self.n.value(), self.k.value(), self.gravity.isChecked())
        return mnk_position(game, self.board.marks())

    def _check(self) -> None:
        try:
            self.position = self._made()
        except NimdeskError as error:
            self._say(words="", problem=str(error))
        else:
            self._say(words=f"{self.position.game.title}. {describe_turn(self.position)}.", problem="")

    def _say(self, words: str, problem: str) -> None:
        """One or the other, in the same place."""
        self.words.setText(words)
        self.problem.setText(problem)
        shown, hidden = (self.problem, self.words) if problem else (self.words, self.problem)
        # First: with both of them the dialog would grow, and keep its size.
        hidden.hide()
        shown.show()
        self.ok.setEnabled(not problem)


def _number_box(low: int, high: int) -> QSpinBox:
    box = QSpinBox()
    box.setRange(low, high)
    return box
