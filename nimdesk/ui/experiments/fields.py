"""Fields that the forms of this page share: checked lines, a list of positions, and numbers, each with its problem."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from time import monotonic

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.disk.paths import documents_dir
from nimdesk.errors import NimdeskError
from nimdesk.experiments.openings import openings, shipped
from nimdesk.experiments.parts import MAX_LETTERS, MAX_POSITION_LETTERS, MAX_POSITIONS, position_of
from nimdesk.games import presets
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.forms import OptionEdit
from nimdesk.ui.look.widgets import Label, keyless, label, tip

_OPENINGS = "Openings (*.txt);;All files (*)"
_LINES = 3
_LEAST_NAME = 60
_SLICE_S = 0.04
"""How long positions are read at a time before the event loop has its turn."""


def number_row(*edits: OptionEdit) -> QGridLayout:
    """Numbers side by side, each below its title."""
    grid = QGridLayout()
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setVerticalSpacing(2)
    grid.setHorizontalSpacing(6)
    for place, edit in enumerate(edits):
        title = label(keyless(edit.field.title))
        title.setBuddy(edit)
        grid.addWidget(title, 0, place)
        grid.addWidget(edit, 1, place)
        grid.setColumnStretch(place, 1)
    return grid


def heading(text: str) -> Label:
    """The title of a section of a form."""
    return label(text, role="side")


def mark_invalid(widget: QWidget, invalid: bool) -> None:
    """Mark the widget as holding a wrong text, or remove the mark."""
    if bool(widget.property("invalid")) != invalid:
        widget.setProperty("invalid", invalid)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class Problem(Label):
    """A sentence below a field that says what is wrong with it; takes no room when empty."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("problem")
        self.setWordWrap(True)
        self.hide()

    def say(self, sentence: str) -> None:
        """Show this sentence, or nothing."""
        if sentence != self.text():
            self.setText(sentence)
        self.setVisible(bool(sentence))


class CheckedLine(QWidget):
    """A line of text that ``read`` must accept, with its problem below."""

    changed = Signal()

    def __init__(self, name: str, text: str, about: str, read: Callable[[str], object]) -> None:
        super().__init__()
        self._read = read
        self.line = QLineEdit(text)
        self.line.setAccessibleName(name)
        self.line.setAccessibleDescription(about)
        self.line.setToolTip(tip(about))
        self.problem = Problem()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.line)
        layout.addWidget(self.problem)
        self.line.textChanged.connect(self._on_text)

    @property
    def text(self) -> str:
        return self.line.text().strip()

    def set_text(self, text: str) -> None:
        self.line.setText(text)
        self.line.setCursorPosition(0)

    def check(self) -> bool:
        """Whether the text is accepted; if not, the problem is shown."""
        try:
            self._read(self.text)
        except NimdeskError as error:
            self.say(str(error))
            return False
        self.say("")
        return True

    def say(self, sentence: str) -> None:
        """Show this problem, or none."""
        self.problem.say(sentence)
        mark_invalid(self.line, bool(sentence))

    def _on_text(self) -> None:
        self.check()
        self.changed.emit()


class PositionsField(QWidget):
    """Positions in notation, one a line, with a menu of well-known games and the problem of the first bad line."""

    changed = Signal()
    """The positions changed, or more of them were read; ``check`` tells how they are."""
    set_taken = Signal()
    """A whole set that comes with nimdesk is about to stand there."""

    def __init__(self, text: str, on_board: Callable[[], str], most: int = MAX_POSITIONS) -> None:
        """``most`` is how many there may be; ``on_board`` returns the position on the game's board, as text."""
        super().__init__()
        self._on_board, self._most = on_board, most
        self._rest = QTimer(self, singleShot=True, interval=0)
        self._rest.timeout.connect(self.changed)
        about = "One position a line, such as nim:3,4,5 or mnk:3,3,3 b2 a1."
        self.edit = QPlainTextEdit(text)
        self.edit.setTabChangesFocus(True)
        self.edit.setAccessibleName("Positions")
        self.edit.setAccessibleDescription(about)
        self.edit.setToolTip(tip(about))
        self.edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        metrics = self.edit.fontMetrics()
        self.edit.setFixedHeight(_LINES * metrics.lineSpacing() + 16)
        self.add = QToolButton()
        self.add.setText("Add")
        self.add.setAccessibleName("Add a position")
        self.add.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.add)
        for preset in presets():
            action = menu.addAction(keyless(f"{preset.name}  ({preset.game.text})"))
            action.setData(preset.game.text)
        menu.addSeparator()
        menu.addAction("The position on the board").setData("")
        for name, path in shipped().items():
            menu.addAction(keyless(f"Openings that come with nimdesk: {name}")).setData(path)
        self.openings = menu.addAction("Openings from a file…")
        menu.triggered.connect(self._on_add)
        self.add.setMenu(menu)
        self.problem = Problem()
        head = QHBoxLayout()
        title = heading("Positions")
        title.setBuddy(self.edit)
        head.addWidget(title, 1)
        head.addWidget(self.add)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        layout.addLayout(head)
        layout.addWidget(self.edit)
        layout.addWidget(self.problem)
        self.edit.textChanged.connect(self.changed)

    @property
    def texts(self) -> list[str]:
        """The positions as typed."""
        return [line.strip() for line in self.edit.toPlainText().splitlines() if line.strip()]

    def set_texts(self, texts: list[str]) -> None:
        self.edit.setPlainText("\n".join(texts))

    def check(self) -> bool:
        """Whether all are positions with a legal move; if not, the problem is shown, or how many are read by now."""
        problem = self._find_problem()
        self.problem.say(problem)
        return not problem

    def _find_problem(self) -> str:
        self._rest.stop()
        texts = self.texts
        if not texts:
            return "Give at least one position, such as nim:3,4,5."
        if len(texts) > self._most:
            return f"There are {len(texts):,} positions; {self._most:,} are allowed."
        if (letters := sum(map(len, texts))) > MAX_POSITION_LETTERS:
            return f"The positions have {letters:,} letters; {MAX_POSITION_LETTERS:,} are allowed."
        seen: set[str] = set()
        end = monotonic() + _SLICE_S
        for number, text in enumerate(texts, 1):
            if len(text) > MAX_LETTERS:
                return f"Position {number}: it has {len(text):,} letters; {MAX_LETTERS:,} are allowed."
            if monotonic() > end:
                self._rest.start()
                return f"{number - 1:,} of {len(texts):,} positions are read…"
            try:
                same, over = _read(text)
            except NimdeskError as error:
                return f"Position {number}: {error}"
            if over:
                return f"Position {number}: the game is over there."
            if same in seen:
                return f"Position {number}: {same} is there twice; once is enough."
            seen.add(same)
        return ""

    def _on_add(self, action: QAction) -> None:
        if action is self.openings:
            chosen, _ = QFileDialog.getOpenFileName(self, "Openings from a file", str(documents_dir()), _OPENINGS)
            if chosen:
                self._take_openings(Path(chosen))
        elif isinstance(path := action.data(), Path):
            self.set_taken.emit()
            self._take_openings(path)
        elif (text := action.data() or self._on_board()) not in self.texts:
            self.set_texts([*self.texts, text])

    def _take_openings(self, path: Path) -> None:
        """Put the positions of a file there; its moves are played from each position that stands there now."""
        try:
            found, _ = openings(path, self.texts, instead=True)
        except NimdeskError as error:
            self.problem.say(str(error))
            return
        self.set_texts(found)


@lru_cache(maxsize=MAX_POSITIONS + 24)
def _read(text: str) -> tuple[str, bool]:
    """The position as nimdesk writes it, which takes long for many of them, and whether the game is over there."""
    position = position_of(text)
    return position.text, position.outcome is not None


class ShortLabel(Label):
    """One line that is cut off at the end where there is no room."""

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), _LEAST_NAME), hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        fitting = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        with QPainter(self) as painter:
            self.style().drawItemText(painter, self.rect(), flags, self.palette(), self.isEnabled(), fitting)


def run_buttons(actions: ActionSet) -> list[QToolButton]:
    """Buttons to start, pause and cancel, with text."""
    buttons = []
    for name in ("exp_start", "exp_pause", "exp_cancel"):
        button = QToolButton()
        button.setDefaultAction(actions[name])
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        buttons.append(button)
    return buttons
