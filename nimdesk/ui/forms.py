"""Forms made from the declared options of an agent: one checked field for each option."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from nimdesk.agents import AgentInfo, AgentOptions, OptionField, make_options
from nimdesk.errors import OptionError
from nimdesk.ui.theme import Theme
from nimdesk.ui.widgets import label


class OptionEdit(QLineEdit):
    """A line to type one option into; it takes effect on Enter or when left, and shows at once what is wrong."""

    value_committed = Signal()
    """The text was accepted and names another value than before."""
    problem_changed = Signal()
    """``problem`` changed."""

    def __init__(self, field: OptionField, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field
        self.problem = ""
        self._value = field.default
        self.setText(_text(field.default))
        self.setPlaceholderText(field.empty)
        self.setMinimumWidth(60)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip(f"<p><b>{field.title}</b>: {field.description}</p><p>Allowed: {field.bounds_text}.</p>")
        self.setAccessibleName(field.title)
        self.setAccessibleDescription(f"{field.description} Allowed: {field.bounds_text}.")
        self.textEdited.connect(self._check)
        self.editingFinished.connect(self._commit)

    @property
    def value(self) -> int | float | None:
        """The last accepted value."""
        return self._value

    def set_value(self, value: int | float | None) -> None:
        """Show this value, which must be allowed."""
        self._value = value
        self.setText(_text(value))
        self._set_problem("")

    def reject(self, problem: str) -> None:
        """Say that the last accepted value does not go with those of other fields."""
        self._set_problem(problem)

    def _check(self, text: str) -> None:
        try:
            self.field.parse(text)
        except OptionError as error:
            self._set_problem(str(error))
        else:
            self._set_problem("")

    def _commit(self) -> None:
        try:
            value = self.field.parse(self.text())
        except OptionError as error:
            self._set_problem(str(error))
            return
        self._set_problem("")
        self.setText(_text(value))
        if value != self._value:
            self._value = value
            self.value_committed.emit()

    def _set_problem(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            self.setProperty("invalid", bool(problem))
            self.style().unpolish(self)
            self.style().polish(self)
            self.problem_changed.emit()


class OptionsForm(QWidget):
    """All options of one agent; ``options_changed`` only ever speaks of options that are allowed together."""

    options_changed = Signal(object)
    """The new ``AgentOptions``."""

    def __init__(self, info: AgentInfo, options: AgentOptions, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._info, self._options = info, options
        self._edits: list[OptionEdit] = []
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        for index, field in enumerate(info.fields):
            edit = OptionEdit(field)
            edit.set_value(getattr(options, field.name))
            edit.value_committed.connect(self._on_committed)
            edit.problem_changed.connect(self._show_problem)
            title = QLabel(f"{field.title} ({field.unit})" if field.unit not in ("", "s") else field.title)
            title.setBuddy(edit)
            title.setToolTip(edit.toolTip())
            row, column = divmod(index, 2)
            grid.addWidget(title, 2 * row, column)
            grid.addWidget(edit, 2 * row + 1, column)
            self._edits.append(edit)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        self._message = label(role="problem", wrap=True)
        self._message.hide()
        self._message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(grid)
        layout.addWidget(self._message)

    def edit(self, name: str) -> OptionEdit:
        """The line of the option with this name in code."""
        return next(edit for edit in self._edits if edit.field.name == name)

    @property
    def problem(self) -> str:
        """What is wrong, in one sentence; empty when all is well."""
        return next((edit.problem for edit in self._edits if edit.problem), "")

    def _on_committed(self) -> None:
        values = {edit.field.name: edit.value for edit in self._edits}
        try:
            options = make_options(self._info.options_type, values)
        except OptionError as error:
            edit = self.sender()
            assert isinstance(edit, OptionEdit)
            edit.reject(f"{error}")
            return
        for edit in self._edits:
            if edit.problem and edit.text() == _text(edit.value):
                edit.reject("")
        if options != self._options:
            self._options = options
            self.options_changed.emit(options)

    def _show_problem(self) -> None:
        self._message.setText(self.problem)
        self._message.setVisible(bool(self.problem))


def _text(value: int | float | None) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    # Counts are easier to read in groups; a seed is a name, not a count.
    return f"{value:,}" if 10_000 <= value < 10**12 else str(value)
