"""Forms made from the declared options of an agent: one checked field for each option."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLineEdit,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.agents import (
    AgentInfo,
    AgentOptions,
    ChoiceField,
    NumberField,
    OptionField,
    SwitchField,
    make_options,
)
from nimdesk.agents.fields import OptionValue
from nimdesk.errors import OptionError
from nimdesk.ui.look.widgets import MODIFIER_KEYS, keyless, label, narrow, tip

# The keys that are pressed before another one, and the key that gives up.
_NOT_AN_END = (*MODIFIER_KEYS, Qt.Key.Key_Escape)


class OptionEdit(QLineEdit):
    """A line to type a number into; it takes effect on Enter or when left, and shows at once what is wrong."""

    value_committed = Signal()
    """The text was accepted and names another value than before."""
    problem_changed = Signal()
    """``problem`` changed."""

    def __init__(self, field: NumberField, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field: OptionField = field
        self.problem = ""
        self._rejected = False
        self._value = field.default
        self.setText(_text(field.default))
        self.setPlaceholderText(field.empty)
        self.setMinimumWidth(60)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        _describe(self, field)
        self.textEdited.connect(self._check)
        self.editingFinished.connect(self._commit)

    @property
    def value(self) -> OptionValue:
        """The last accepted value."""
        return self._value

    def set_value(self, value: OptionValue) -> None:
        """Show this value, which must be allowed."""
        self._value, self._rejected = value, False
        self.setText(_text(value))
        self._set_problem("")

    def enter(self, text: str) -> None:
        """Enter this text as a person would, whether it is allowed or not."""
        self.setText(text)
        self.setModified(True)
        self._commit()

    def reject(self, problem: str) -> None:
        """Say that the last accepted value does not go with those of other fields; "" takes it back."""
        self._rejected = bool(problem)
        self._set_problem(problem)

    def event(self, event: QEvent) -> bool:
        # With nothing typed to take back, Ctrl+Z is for the game.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            undo = event.matches(QKeySequence.StandardKey.Undo) and not self.isUndoAvailable()
            redo = event.matches(QKeySequence.StandardKey.Redo) and not self.isRedoAvailable()
            if undo or redo:
                event.ignore()
                return True
            done = super().event(event)
            # A key that is not for the field may begin something that needs what was typed.
            if not event.isAccepted() and event.key() not in _NOT_AN_END:
                self._commit()
            return done
        return super().event(event)

    def _check(self, text: str) -> None:
        try:
            self.field.parse(text)
        except OptionError as error:
            self._set_problem(str(error))
        else:
            self._set_problem("")

    def _commit(self) -> None:
        try:
            # The text may be shorter than the value: entered again, it must not become another value.
            value = self.field.parse(self.text()) if self.isModified() else self._value
        except OptionError as error:
            self._set_problem(str(error))
            return
        self._set_problem("")
        self.setText(_text(value))
        # What was rejected is asked for again: its problem must not vanish because it is entered a second time.
        if value != self._value or self._rejected:
            self._value = value
            self.value_committed.emit()

    def _set_problem(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            self.setProperty("invalid", bool(problem))
            self.style().unpolish(self)
            self.style().polish(self)
            self.problem_changed.emit()


class OptionChoice(QComboBox):
    """A list of the words of one option."""

    value_committed = Signal()
    """A person chose another word."""

    def __init__(self, field: ChoiceField, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field: OptionField = field
        self.problem = ""
        for value, words in field.choices:
            self.addItem(words, value)
        narrow(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        _describe(self, field)
        self.set_value(field.default)
        self.activated.connect(self._on_activated)

    @property
    def value(self) -> OptionValue:
        """The chosen word."""
        return str(self.currentData())

    def set_value(self, value: OptionValue) -> None:
        """Show this word."""
        self.setCurrentIndex(self.findData(value))

    def reject(self, problem: str) -> None:
        """Say that the word does not go with other fields; "" takes it back."""
        self.problem = problem

    def _on_activated(self) -> None:
        self.value_committed.emit()


class OptionSwitch(QCheckBox):
    """A box to tick."""

    value_committed = Signal()
    """A person ticked or cleared the box."""

    def __init__(self, field: SwitchField, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field: OptionField = field
        self.problem = ""
        _describe(self, field)
        self.set_value(field.default)
        self.clicked.connect(self._on_clicked)

    @property
    def value(self) -> OptionValue:
        """Whether the box is ticked."""
        return self.isChecked()

    def set_value(self, value: OptionValue) -> None:
        """Tick or clear the box."""
        self.setChecked(bool(value))

    def reject(self, problem: str) -> None:
        """Say that the state does not go with other fields; "" takes it back."""
        self.problem = problem

    def _on_clicked(self) -> None:
        self.value_committed.emit()


AnyOptionWidget = OptionEdit | OptionChoice | OptionSwitch


class OptionsForm(QWidget):
    """All options of one agent; ``options_changed`` only ever speaks of options that are allowed together."""

    options_changed = Signal(object)
    """The new ``AgentOptions``."""
    problem_shown = Signal(object)
    """A sentence appeared in this label: it should be in sight."""

    def __init__(
        self,
        info: AgentInfo,
        options: AgentOptions,
        parent: QWidget | None = None,
        *,
        hidden: frozenset[str] = frozenset(),
    ) -> None:
        """The options named in ``hidden`` are not shown and keep their values."""
        super().__init__(parent)
        self._info, self._options = info, options
        self._edits: list[AnyOptionWidget] = []
        self._message = label(role="problem", wrap=True)
        self._message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._message.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        shown = [field for field in info.fields if field.name not in hidden]
        basic = [field for field in shown if not field.advanced]
        advanced = [field for field in shown if field.advanced]
        # Where only advanced options are shown, each of them is wanted: none is folded away.
        unfolded = basic or advanced
        layout.addWidget(self._page(unfolded))
        for field in unfolded:
            if field.note:
                layout.addWidget(label(field.note, role="muted", wrap=True))
        if basic and advanced:
            self._add_advanced(layout, self._page(advanced))
        layout.addWidget(self._message)

    def _page(self, fields: list[OptionField]) -> QWidget:
        page = QWidget()
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        for index, field in enumerate(fields):
            edit = _widget(field)
            edit.set_value(getattr(self._options, field.name))
            edit.value_committed.connect(self._on_committed)
            if isinstance(edit, OptionEdit):
                edit.problem_changed.connect(self._show_problem)
            title = label(keyless(_title(field)))
            title.setBuddy(edit)
            title.setToolTip(_tip(field))
            row, column = divmod(index, 2)
            grid.addWidget(title, 2 * row, column)
            grid.addWidget(edit, 2 * row + 1, column)
            self._edits.append(edit)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        return page

    def _add_advanced(self, layout: QVBoxLayout, page: QWidget) -> None:
        # Open at once if it holds anything but defaults: what is in force must not hide.
        changed = any(
            getattr(self._options, field.name) != field.default for field in self._info.fields if field.advanced
        )
        button = QToolButton()
        button.setText("More options")
        button.setAccessibleName("More options")
        button.setCheckable(True)
        button.setChecked(changed)
        button.setAutoRaise(True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setArrowType(Qt.ArrowType.DownArrow if changed else Qt.ArrowType.RightArrow)
        button.toggled.connect(page.setVisible)
        button.toggled.connect(
            lambda shown: button.setArrowType(Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow)
        )
        page.setVisible(changed)
        layout.addWidget(button)
        layout.addWidget(page)

    def edit(self, name: str) -> AnyOptionWidget:
        """The widget of the option with this name in code."""
        return next(edit for edit in self._edits if edit.field.name == name)

    @property
    def problem(self) -> str:
        """What is wrong, in one sentence; empty when all is well."""
        return self.wrong.problem if self.wrong is not None else ""

    @property
    def wrong(self) -> AnyOptionWidget | None:
        """The first field with a problem."""
        return next((edit for edit in self._edits if edit.problem), None)

    def go(self) -> None:
        """Leave for good. A leaving field would pass on its half-typed text, which was meant for this agent alone."""
        self.blockSignals(True)
        self.hide()
        self.deleteLater()

    def _on_committed(self) -> None:
        values = msgspec.structs.asdict(self._options) | {edit.field.name: edit.value for edit in self._edits}
        try:
            options = make_options(self._info.options_type, values)
        except OptionError as error:
            sender = self.sender()
            assert isinstance(sender, AnyOptionWidget)
            sender.reject(str(error))
            self._show_problem()
            return
        for edit in self._edits:
            if not isinstance(edit, OptionEdit) or edit.text() == _text(edit.value):
                edit.reject("")
        self._show_problem()
        if options != self._options:
            self._options = options
            self.options_changed.emit(options)

    def _show_problem(self) -> None:
        self._message.setText(self.problem)
        self._message.setVisible(bool(self.problem))
        if self.problem:
            self.problem_shown.emit(self._message)


def _widget(field: OptionField) -> AnyOptionWidget:
    if isinstance(field, ChoiceField):
        return OptionChoice(field)
    if isinstance(field, SwitchField):
        return OptionSwitch(field)
    assert isinstance(field, NumberField)
    return OptionEdit(field)


def _describe(widget: QWidget, field: OptionField) -> None:
    widget.setToolTip(_tip(field))
    widget.setAccessibleName(field.title)
    widget.setAccessibleDescription(f"{field.description} Allowed: {field.bounds_text}.")


def _tip(field: OptionField) -> str:
    return tip(f"{field.title}: {field.description}\n\nAllowed: {field.bounds_text}.")


def _title(field: OptionField) -> str:
    unit = field.unit if isinstance(field, NumberField) else ""
    return f"{field.title} ({unit})" if unit not in ("", "s") else field.title


def _text(value: OptionValue) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    # Counts are easier to read in groups; a seed is a name, not a count.
    return f"{value:,}" if isinstance(value, int) and 1_000 <= value < 10**12 else str(value)
