"""New game: the well-known set-ups one click away, everything else typed with checks."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QGridLayout,
    QGroupBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from nimdesk.errors import GameParameterError, NimdeskError
from nimdesk.games import AnyPosition, MnkGame, NimGame, load_plugin_games, parse_position, presets
from nimdesk.games.base import quoted
from nimdesk.games.mnk.rules import MAX_SIZE
from nimdesk.games.nim.rules import MAX_PILE
from nimdesk.ui.look.widgets import label, plain


class NewGameDialog(QDialog):
    """Asks for a game; after ``exec`` returned Accepted, ``position`` is where it starts.

    The typed part begins with the game that is on the board.
    """

    def __init__(self, current: AnyPosition, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("New game")
        self._position: AnyPosition | None = None
        self._tabs = QTabWidget()
        self._tabs.addTab(self._nim_tab(), "&Nim")
        self._tabs.addTab(self._mnk_tab(), "&m,n,k")
        self._tabs.addTab(self._text_tab(), "Position &text")
        self._about = label(role="muted", wrap=True)
        self._message = label(role="problem", wrap=True)
        for text in (self._about, self._message):
            text.setMinimumHeight(2 * self.fontMetrics().height() + 4)
            text.setAlignment(Qt.AlignmentFlag.AlignTop)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._start = buttons.addButton("&Start", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self._accept_typed)
        buttons.rejected.connect(self.reject)
        typed = QGroupBox("Or set up your own")
        box = QVBoxLayout(typed)
        box.addWidget(self._tabs)
        box.addWidget(self._about)
        box.addWidget(self._message)
        box.addWidget(plain(buttons))
        layout = QHBoxLayout(self)
        layout.addWidget(self._presets())
        layout.addWidget(typed, 1)
        # Only now: a button is the default of the dialog that it is in.
        self._start.setDefault(True)
        self._tabs.currentChanged.connect(self._check)
        self._fill(current)
        self._check()
        (self._piles, self._m, self._text)[self._tabs.currentIndex()].setFocus()

    @property
    def position(self) -> AnyPosition | None:
        """The start that was chosen; None until then."""
        return self._position

    def _presets(self) -> QGroupBox:
        load_plugin_games()
        group = QGroupBox("Well-known games")
        grid = QGridLayout(group)
        for index, preset in enumerate(presets()):
            button = QPushButton(preset.name)
            button.setToolTip(f"{preset.about} {preset.game.rules_text}")
            button.setAccessibleDescription(button.toolTip())
            button.setAutoDefault(False)
            button.setProperty("preset", index)
            button.setMinimumHeight(button.fontMetrics().height() + 16)
            button.clicked.connect(self._on_preset)
            grid.addWidget(button, index, 0)
        grid.setRowStretch(len(presets()), 1)
        return group

    def _nim_tab(self) -> QWidget:
        self._piles = QLineEdit("1,3,5,7")
        self._piles.setToolTip(f"Sizes of the piles, 1 to {MAX_PILE} each, separated by commas or spaces")
        self._max_take = QLineEdit()
        self._max_take.setPlaceholderText("no limit")
        self._max_take.setToolTip("How many sticks one move may take at most; empty for no limit")
        self._misere = QCheckBox("M&isère: whoever takes the last stick loses")
        form = _form(("&Piles", self._piles), ("&Largest take", self._max_take))
        form.addRow(self._misere)
        self._piles.textChanged.connect(self._check)
        self._max_take.textChanged.connect(self._check)
        self._misere.toggled.connect(self._check)
        return _page(form)

    def _mnk_tab(self) -> QWidget:
        self._m, self._n, self._k = _size_box(3), _size_box(3), _size_box(3)
        self._gravity = QCheckBox("&Gravity: marks drop to the lowest empty cell")
        form = _form(("&Columns (m)", self._m), ("&Rows (n)", self._n), ("&In a row (k)", self._k))
        form.addRow(self._gravity)
        for box in (self._m, self._n, self._k):
            box.valueChanged.connect(self._check)
        self._gravity.toggled.connect(self._check)
        return _page(form)

    def _text_tab(self) -> QWidget:
        self._text = QLineEdit()
        self._text.setPlaceholderText("nim:1,3,5,7 2-3   or   mnk:3,3,3 b2 a1")
        self._text.textChanged.connect(self._check)
        form = _form(("&Position", self._text))
        form.addRow(
            label(
                "A game and the moves played: nim:21:max3:misere 1-2 takes 2 from pile 1, "
                "mnk:7,6,4:gravity d1 d2 plays column d twice.",
                role="muted",
                wrap=True,
            )
        )
        return _page(form)

    def _fill(self, current: AnyPosition) -> None:
        game = current.game
        self._text.setText(current.text)
        if isinstance(game, NimGame):
            self._piles.setText(",".join(map(str, game.piles)))
            self._max_take.setText("" if game.max_take is None else str(game.max_take))
            self._misere.setChecked(game.misere)
        elif isinstance(game, MnkGame):
            self._m.setValue(game.m)
            self._n.setValue(game.n)
            self._k.setValue(game.k)
            self._gravity.setChecked(game.gravity)
            self._tabs.setCurrentIndex(1)

    def _typed_text(self) -> str:
        """What is typed on the page shown, as position text."""
        page = self._tabs.currentIndex()
        if page == 0:
            piles = ",".join(self._piles.text().replace(",", " ").split())
            limit = self._max_take.text().strip()
            if not piles:
                raise GameParameterError("There are no piles; give their sizes, like 1,3,5,7.")
            if limit and not (limit.isascii() and limit.isdecimal()):
                raise GameParameterError(
                    f"The largest take is {quoted(limit)}; it must be a whole number from 1 to {MAX_PILE}, or empty."
                )
            return f"nim:{piles}{f':max{limit}' if limit else ''}{':misere' if self._misere.isChecked() else ''}"
        if page == 1:
            gravity = ":gravity" if self._gravity.isChecked() else ""
            return f"mnk:{self._m.value()},{self._n.value()},{self._k.value()}{gravity}"
        return self._text.text()

    def _check(self) -> None:
        try:
            position = parse_position(self._typed_text())
        except NimdeskError as error:
            self._message.setText(str(error))
            self._about.setText("")
            self._start.setEnabled(False)
            return
        self._message.setText("")
        played = f" {position.ply} moves played." if position.ply else ""
        self._about.setText(f"{position.game.title}: {position.game.rules_text}{played}")
        self._start.setEnabled(True)

    def _on_preset(self) -> None:
        self._position = presets()[self.sender().property("preset")].game.start()
        self.accept()

    def _accept_typed(self) -> None:
        self._position = parse_position(self._typed_text())
        self.accept()


def _size_box(value: int) -> QSpinBox:
    box = QSpinBox()
    box.setRange(1, MAX_SIZE)
    box.setValue(value)
    return box


def _form(*rows: tuple[str, QWidget]) -> QFormLayout:
    form = QFormLayout()
    for title, widget in rows:
        form.addRow(title, widget)
    return form


def _page(form: QFormLayout) -> QWidget:
    page = QWidget()
    page.setLayout(form)
    return page
