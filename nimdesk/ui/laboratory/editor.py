"""Edit position: sizes of piles, or marks put on a board and taken away, checked as they are changed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
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
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.errors import NimdeskError
from nimdesk.games import AnyPosition, MnkGame, MnkMove, MnkPosition, NimGame, NimPosition, Side
from nimdesk.games.mnk import MAX_SIZE
from nimdesk.games.nim import MAX_PILE, MAX_PILES
from nimdesk.games.words import describe_turn
from nimdesk.ui.laboratory.setup import marks_of, mnk_position, nim_position
from nimdesk.ui.theme import Theme
from nimdesk.ui.widgets import label, plain

_CYCLE: dict[Side | None, Side | None] = {None: Side.FIRST, Side.FIRST: Side.SECOND, Side.SECOND: None}
_STEPS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)}
_NAMES = {None: "empty", Side.FIRST: "X", Side.SECOND: "O"}


class Cell(QToolButton):
    """One cell: a press turns empty to X to O; the keys X, O and Delete set it, arrows go to its neighbours."""

    def __init__(self, cell: MnkMove, size: int) -> None:
        super().__init__()
        self.cell = cell
        self.side: Side | None = None
        self.setFixedSize(size, size)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def put(self, side: Side | None, theme: Theme) -> None:
        """Show this mark."""
        self.side = side
        self.setText("" if side is None else _NAMES[side])
        color = theme.text if side is None else theme.first if side is Side.FIRST else theme.second
        self.setStyleSheet(
            f"QToolButton {{ background: {theme.board}; border: 1px solid {theme.board_line}; color: {color};"
            f" font-weight: bold; font-size: {self.width() // 2}px; }}"
            f" QToolButton:focus {{ border: 2px solid {theme.accent}; }}"
        )
        self.setAccessibleName(f"{self.cell.text}, {_NAMES[side]}")
        self.setToolTip(f"{self.cell.text}: {_NAMES[side]}. A press puts X, then O, then nothing")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # To a button of its own up and left are the one before in the order of Tab, down and right the one after.
        if Qt.Key(event.key()) in _STEPS:
            event.ignore()
        else:
            super().keyPressEvent(event)


class MarksEditor(QWidget):
    """A board of cells for any m,n,k game."""

    changed = Signal()
    """A mark was put or taken away."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.cells: dict[MnkMove, Cell] = {}
        self._grid = QGridLayout(self)
        self._grid.setSpacing(0)
        self._grid.setContentsMargins(0, 0, 0, 0)

    def set_size(self, columns: int, rows: int) -> None:
        """A board of this size; marks that fit stay."""
        wanted = [MnkMove(column, row) for row in range(rows) for column in range(columns)]
        if set(wanted) == set(self.cells):
            return
        marks = self.marks()
        for old in self.cells.values():
            self._grid.removeWidget(old)
            old.deleteLater()
        size = max(20, min(56, 430 // max(columns, rows)))
        self.cells = {move: Cell(move, size) for move in wanted}
        for move, cell in self.cells.items():
            cell.put(marks.get(move), self._theme)
            cell.clicked.connect(self._on_clicked)
            self._grid.addWidget(cell, rows - 1 - move.row, move.column)

    def set_marks(self, marks: dict[MnkMove, Side]) -> None:
        """Put these marks, and no others."""
        for move, cell in self.cells.items():
            cell.put(marks.get(move), self._theme)
        self.changed.emit()

    def marks(self) -> dict[MnkMove, Side]:
        """The marks on the board."""
        return {move: cell.side for move, cell in self.cells.items() if cell.side is not None}

    def _on_clicked(self) -> None:
        cell = self.sender()
        assert isinstance(cell, Cell)
        self._put(cell, _CYCLE[cell.side])

    def _put(self, cell: Cell, side: Side | None) -> None:
        cell.put(side, self._theme)
        self.changed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        cell, key = self.focusWidget(), Qt.Key(event.key())
        sides: dict[Qt.Key, Side | None] = {
            Qt.Key.Key_X: Side.FIRST,
            Qt.Key.Key_O: Side.SECOND,
            Qt.Key.Key_Delete: None,
            Qt.Key.Key_Backspace: None,
        }
        if not isinstance(cell, Cell):
            super().keyPressEvent(event)
        elif key in _STEPS:
            right, up = _STEPS[key]
            beside = self.cells.get(MnkMove(cell.cell.column + right, cell.cell.row + up))
            if beside is not None:
                beside.setFocus(Qt.FocusReason.TabFocusReason)
        elif key in sides:
            self._put(cell, sides[key])
        else:
            super().keyPressEvent(event)


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
        self.words.setVisible(not problem)
        self.problem.setVisible(bool(problem))
        self.ok.setEnabled(not problem)


def _number_box(low: int, high: int) -> QSpinBox:
    box = QSpinBox()
    box.setRange(low, high)
    return box
