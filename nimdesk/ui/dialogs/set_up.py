"""Dialogs that ask for a position: New game, and Edit position of the laboratory."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QGroupBox,
    QHBoxLayout,
    QPushButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from nimdesk.errors import NimdeskError
from nimdesk.games import AnyPosition, kit_of, load_plugin_games, presets
from nimdesk.games.base import describe_turn
from nimdesk.games.kit import KITS
from nimdesk.ui.boards import BoardKit, board_kit
from nimdesk.ui.boards.forms import PositionForm, TextForm
from nimdesk.ui.look.widgets import label, plain

_HINT = "nim:1,3,5,7 2-3   or   mnk:3,3,3 b2 a1"
_HELP = (
    "A game and the moves played: nim:21:max3:misere 1-2 takes 2 from pile 1, "
    "mnk:7,6,4:gravity d1 d2 plays column d twice."
)


class FormTabs(QTabWidget):
    """A form for each game, one of them shown; for a game without a form of its own its notation."""

    changed = Signal()
    """The form shown, or what it says, is another."""

    def __init__(self, current: AnyPosition, form_of: Callable[[BoardKit], PositionForm | None]) -> None:
        """Begin with this position in the form of its game; ``form_of`` makes the forms."""
        super().__init__()
        load_plugin_games()
        own = kit_of(current)
        for game in dict.fromkeys((*KITS.values(), own)):
            kit = board_kit(game)
            start = game.presets[0].game.text if game.presets else f"{game.name}:"
            form = form_of(kit) or TextForm(start, f"{game.notation or start}; the moves played may follow.", start)
            self._add(form, kit.tab or game.name.capitalize())
            if game is own:
                form.show_position(current)
                self.setCurrentWidget(form)
        self.currentChanged.connect(self._tell)

    def add_text(self, current: AnyPosition) -> None:
        """One more form, for the notation of any game."""
        self._add(TextForm(_HINT, _HELP, current.text), "Position &text")

    def _add(self, form: PositionForm, title: str) -> None:
        form.changed.connect(self._tell)
        self.addTab(form, title)

    def _tell(self) -> None:
        self.changed.emit()

    @property
    def form(self) -> PositionForm:
        """The form shown."""
        form = self.currentWidget()
        assert isinstance(form, PositionForm)
        return form


class NewGameDialog(QDialog):
    """Asks for a game; after ``exec`` returned Accepted, ``position`` is where it starts.

    The typed part begins with the game that is on the board.
    """

    def __init__(self, current: AnyPosition, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("New game")
        self.position: AnyPosition | None = None
        """The start that was chosen; None until then."""
        self.tabs = FormTabs(current, lambda kit: kit.new_game_form())
        self.tabs.add_text(current)
        self.about = label(role="muted", wrap=True)
        self.problem = label(role="problem", wrap=True)
        for text in (self.about, self.problem):
            text.setMinimumHeight(2 * self.fontMetrics().height() + 4)
            text.setAlignment(Qt.AlignmentFlag.AlignTop)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.start = buttons.addButton("&Start", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self._accept_typed)
        buttons.rejected.connect(self.reject)
        typed = QGroupBox("Or set up your own")
        box = QVBoxLayout(typed)
        for widget in (self.tabs, self.about, self.problem, plain(buttons)):
            box.addWidget(widget)
        layout = QHBoxLayout(self)
        layout.addWidget(self._presets())
        layout.addWidget(typed, 1)
        # Only now: a button is the default of the dialog that it is in.
        self.start.setDefault(True)
        self.tabs.changed.connect(self._check)
        self._check()
        if self.tabs.form.first_field is not None:
            self.tabs.form.first_field.setFocus()

    def _presets(self) -> QGroupBox:
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

    def _check(self) -> None:
        about = problem = ""
        try:
            position = self.tabs.form.position()
        except NimdeskError as error:
            problem = str(error)
        else:
            played = f" {position.ply} moves played." if position.ply else ""
            about = f"{position.game.title}: {position.game.rules_text}{played}"
        self.about.setText(about)
        self.problem.setText(problem)
        self.start.setEnabled(not problem)

    def _on_preset(self) -> None:
        self.position = presets()[self.sender().property("preset")].game.start()
        self.accept()

    def _accept_typed(self) -> None:
        self.position = self.tabs.form.position()
        self.accept()


class PositionEditor(QDialog):
    """Asks for a position, beginning with ``current``; after ``exec`` returned Accepted it is in ``position``."""

    def __init__(self, current: AnyPosition, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Edit position")
        self.position: AnyPosition = current
        self.tabs = FormTabs(current, lambda kit: kit.position_form())
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
        for widget in (self.tabs, self.words, self.problem, plain(buttons)):
            layout.addWidget(widget)
        self.tabs.changed.connect(self._check)
        self._check()
        if self.tabs.form.first_field is not None:
            self.tabs.form.first_field.setFocus()

    def _check(self) -> None:
        problem = ""
        try:
            self.position = self.tabs.form.position()
        except NimdeskError as error:
            problem = str(error)
        self.words.setText("" if problem else f"{self.position.game.title}. {describe_turn(self.position)}.")
        self.problem.setText(problem)
        # One or the other, in the same place. Hidden first: with both the dialog would grow, and keep its size.
        shown, hidden = (self.problem, self.words) if problem else (self.words, self.problem)
        hidden.hide()
        shown.show()
        self.ok.setEnabled(not problem)
