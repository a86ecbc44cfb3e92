"""Forms that set up a position: what they have in common, and the one that serves every game."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLineEdit, QSpinBox, QWidget

from nimdesk.formats import Asked, read_position
from nimdesk.games import AnyPosition
from nimdesk.ui.look.widgets import label


class PositionForm(QWidget):
    """Fields that together describe a position, perhaps an impossible one."""

    changed = Signal()
    """Something was typed or pressed."""
    first_field: QWidget | None = None
    """Where the keyboard belongs at first."""

    def show_position(self, position: AnyPosition) -> None:
        """Fill the fields with this position, which is of the form's game."""
        raise NotImplementedError

    def position(self) -> AnyPosition:
        """The position that the fields describe; ``NimdeskError`` says in one sentence what is wrong."""
        raise NotImplementedError

    def _tell(self) -> None:
        self.changed.emit()


class TextForm(PositionForm):
    """The notation of a position; ``hint`` is what the field shows while it is empty, ``help_text`` stands under it."""

    def __init__(self, hint: str, help_text: str, text: str = "") -> None:
        super().__init__()
        self._shown: AnyPosition | None = None
        self.text = QLineEdit(text)
        self.text.setPlaceholderText(hint)
        self.text.textChanged.connect(self._tell)
        self.first_field = self.text
        layout = QFormLayout(self)
        layout.addRow("&Position", self.text)
        layout.addRow(label(help_text, role="muted", wrap=True))
        self.told = label(role="muted", wrap=True)
        """What was decided of a text that leaves something open."""
        layout.addRow(self.told)

    def show_position(self, position: AnyPosition) -> None:
        self._shown = position
        self.text.setText(position.text)

    def position(self) -> AnyPosition:
        asked = Asked(None if self._shown is None else self._shown.game)
        position, told = read_position(self.text.text(), asked)
        self.told.setText(told)
        return position


def number_box(low: int, high: int, value: int | None = None) -> QSpinBox:
    """A field for a whole number in this range."""
    box = QSpinBox()
    box.setRange(low, high)
    if value is not None:
        box.setValue(value)
    return box
