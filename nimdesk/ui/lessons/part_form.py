"""A form made from the type of a part of a lesson: one field for each value that the file can have."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from msgspec import NODEFAULT, inspect
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit, QPlainTextEdit, QWidget

from nimdesk.agents import ChoiceField, SwitchField
from nimdesk.agents.fields import real_field, whole_field
from nimdesk.errors import OptionError
from nimdesk.lessons.model import Part
from nimdesk.ui.look.forms import OptionChoice, OptionEdit, OptionSwitch
from nimdesk.ui.look.widgets import label

_MANY = 1_000
"""What a count that has no default begins with."""
_ROWS = 4


class _Line(QLineEdit):
    """A text of one line."""

    value_committed = Signal()

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setAccessibleName(title)
        self.textEdited.connect(lambda _text: self.value_committed.emit())

    @property
    def value(self) -> str:
        return self.text().strip()

    def set_value(self, value: Any) -> None:
        self.setText(str(value))


class _Lines(QPlainTextEdit):
    """A list of texts, one a line."""

    value_committed = Signal()

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setAccessibleName(f"{title}, one a line")
        self.setPlaceholderText("One a line")
        self.setTabChangesFocus(True)
        self.setFixedHeight(_ROWS * self.fontMetrics().lineSpacing() + 14)
        self.textChanged.connect(self.value_committed)

    @property
    def value(self) -> list[str]:
        return [line.strip() for line in self.toPlainText().splitlines() if line.strip()]

    def set_value(self, value: Any) -> None:
        self.setPlainText("\n".join(map(str, value)))


class PartForm(QWidget):
    """Edits a part of this type as plain JSON, but for the fields named in ``without``."""

    changed = Signal()
    """``value`` is another one."""

    def __init__(self, kind: type[Part], without: Collection[str] = ()) -> None:
        super().__init__()
        self._edits: dict[str, Any] = {}
        self._defaults: dict[str, Any] = {}
        info = inspect.type_info(kind)
        assert isinstance(info, inspect.StructType)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        fields = [field for field in info.fields if field.name not in without]
        for row, field in enumerate(fields):
            title = field.name.replace("_", " ").capitalize()
            edit = self._edits[field.name] = _edit_of(field, title)
            self._defaults[field.name] = edit.value
            edit.value_committed.connect(self.changed)
            name = label(title)
            name.setBuddy(edit)
            grid.addWidget(name, row, 0)
            grid.addWidget(edit, row, 1)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(len(fields), 1)

    @property
    def value(self) -> dict[str, Any]:
        """What is filled in, as the file has it: a choice of nothing is left out."""
        values = {name: edit.value for name, edit in self._edits.items()}
        return {name: value for name, value in values.items() if value != _NOTHING}

    def set_value(self, value: dict[str, Any]) -> None:
        """Fill in these values, and the usual ones elsewhere; what no field can show is left out."""
        for name, edit in self._edits.items():
            wanted = value.get(name, self._defaults[name])
            if isinstance(edit, (OptionEdit, OptionChoice, OptionSwitch)):
                try:
                    wanted = edit.field.check(_NOTHING if wanted is None else wanted)
                except OptionError:
                    wanted = self._defaults[name]
            edit.blockSignals(True)
            edit.set_value(wanted)
            edit.blockSignals(False)


_NOTHING = "-"


def _edit_of(field: inspect.Field, title: str) -> Any:
    kind, default = field.type, field.default
    given = default is not NODEFAULT
    if isinstance(kind, inspect.UnionType):
        words = next(each for each in kind.types if isinstance(each, inspect.LiteralType))
        return _choice(field, title, [_NOTHING, *map(str, words.values)], _NOTHING)
    if isinstance(kind, inspect.LiteralType):
        values = [str(value) for value in kind.values if value] + [_NOTHING] * ("" in kind.values)
        return _choice(field, title, values, str(default) if given and default else values[-1])
    if isinstance(kind, inspect.BoolType):
        return OptionSwitch(SwitchField(field.name, title, "", bool(default), False, ""))
    if isinstance(kind, inspect.IntType):
        low, high = kind.ge or 0, kind.le or 2**53
        begins = default if given else _MANY if high > _MANY else low
        return OptionEdit(whole_field(field.name, title, "", begins, low, high))
    if isinstance(kind, inspect.FloatType):
        low_end = kind.ge if kind.ge is not None else 1e-6 if kind.gt is not None else -1e9
        high_end = kind.le if kind.le is not None else 1e9
        return OptionEdit(real_field(title, float(default), low_end, high_end, name=field.name))
    return _Lines(title) if isinstance(kind, inspect.ListType) else _Line(title)


def _choice(field: inspect.Field, title: str, values: list[str], default: str) -> OptionChoice:
    choices = tuple((value, "nothing" if value == _NOTHING else value) for value in values)
    return OptionChoice(ChoiceField(field.name, title, "", default, False, "", choices))
