"""What a person answers a question with: a widget for each kind, which says the answer as plain JSON."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.agents import make_agent
from nimdesk.figures.measure import MEASURES
from nimdesk.lessons.computing import axes_of
from nimdesk.lessons.judging import LETTERS, switches_of
from nimdesk.lessons.model import (
    ChoiceTask,
    CurveTask,
    FaultTask,
    MoveTask,
    NumberTask,
    OptionTask,
    ProveTask,
    Shown,
    TextTask,
    WhichTask,
)
from nimdesk.ui.laboratory.studied import title_of
from nimdesk.ui.lessons.pad import CurvePad
from nimdesk.ui.look.forms import OptionsForm
from nimdesk.ui.look.widgets import announce, arrange, keyless, label

Points = tuple[tuple[float, float], ...]


class Question(QWidget):
    """Words or fields, and below them the button that hands in; ``answered`` carries the answer."""

    answered = Signal(object)

    def __init__(self, *parts: QWidget, first: QWidget | None = None, button: bool = True) -> None:
        super().__init__()
        self.first = first
        """What gets the keyboard when the question comes; None where it is asked on the board."""
        self.button = QPushButton("Answer")
        self.button.setAutoDefault(True)  # Enter presses it where it has the keyboard
        self.button.clicked.connect(self._hand_in)
        below = arrange(QHBoxLayout(), self.button, None)
        arrange(QVBoxLayout(self), *parts, below, spacing=4)
        self.button.setVisible(button)  # shown before it has a place, it would be a window for a moment

    def answer(self) -> Any:
        """What is filled in; None while that is no answer."""
        return None

    def restore(self, answer: Any) -> None:
        """Fill in what was answered before."""

    def show_curve(self, curve: Points) -> None:
        """Show what was to be drawn."""

    def _hand_in(self) -> None:
        answer = self.answer()
        if answer is not None:
            self.answered.emit(answer)
        elif self.first is not None:
            self.first.setFocus()
            announce(self, "There is no answer yet.")


class _OnBoard(Question):
    """A question that the board answers."""

    def __init__(self, words: str) -> None:
        super().__init__(label(words, role="notice", wrap=True), button=False)


class _Option(QWidget):
    """A radio button whose words take as many lines as they need."""

    def __init__(self, words: str, number: int) -> None:
        super().__init__()
        self.radio, self._words = QRadioButton(), label(words, wrap=True)
        self.radio.setAccessibleName(f"{number}. {words}")
        arrange(QHBoxLayout(self), self.radio, self._words, wide=self._words, spacing=4)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.radio.click()
        self.radio.setFocus()


class _Choose(Question):
    """One of some sentences; the answer is the one of ``values`` at its place."""

    def __init__(self, words: Sequence[str], values: Sequence[Any]) -> None:
        self._values, self._group = values, QButtonGroup()
        options = [_Option(each, number) for number, each in enumerate(words, 1)]
        for number, option in enumerate(options):
            self._group.addButton(option.radio, number)
        super().__init__(*options, first=options[0].radio)
        self._group.setParent(self)

    def answer(self) -> Any:
        return self._values[self._group.checkedId()] if self._group.checkedId() >= 0 else None

    def restore(self, answer: Any) -> None:
        if answer in self._values:
            self._group.button(self._values.index(answer)).setChecked(True)


class _Pick(Question):
    """One of a list too long for buttons."""

    def __init__(self, about: str, words: Sequence[str], values: Sequence[str]) -> None:
        self.choice = QComboBox()
        self.choice.setAccessibleName(about)
        self.choice.addItem("Choose…", None)
        for each, value in zip(words, values, strict=True):
            self.choice.addItem(keyless(each), value)
        super().__init__(self.choice, first=self.choice)

    def answer(self) -> Any:
        return self.choice.currentData()

    def restore(self, answer: Any) -> None:
        self.choice.setCurrentIndex(max(0, self.choice.findData(answer)))


class _Number(Question):
    def __init__(self) -> None:
        self.field, self.problem = QLineEdit(), label(role="problem", wrap=True)
        self.field.setAccessibleName("Your number")
        self.field.setPlaceholderText("A number")
        self.field.returnPressed.connect(self._hand_in)
        self.problem.hide()
        super().__init__(self.field, self.problem, first=self.field)

    def answer(self) -> Any:
        text = self.field.text().replace(",", "").replace(" ", "").replace("%", "e-2")
        number = None
        with suppress(ValueError):
            number = float(text)
        bad = number is None or abs(number) > 1e15 or number != number
        self.problem.setText("A number is wanted, such as 250 or 0.5.")
        self.problem.setVisible(bad)
        if bad or number is None:
            return None
        return int(number) if number.is_integer() else number

    def restore(self, answer: Any) -> None:
        self.field.setText(f"{answer:,.15g}" if isinstance(answer, int | float) else "")


class _Curve(Question):
    def __init__(self, task: CurveTask, shown: Shown) -> None:
        measure = MEASURES[task.measure]
        ends, top = axes_of(task, shown)
        words = task.option or "simulations"
        self.pad = CurvePad(ends, top, log=not task.option, words=words)
        move = f" of “{shown.position.parse_move(task.move).words}”" if task.move else ""
        about = f"Draw the {measure.words}{move} over the {words}."
        if len(shown.agents) > 1:
            about = f"{about[:-1]}, for agent {LETTERS[task.agent - 1]}."
        super().__init__(label(about, role="notice", wrap=True), self.pad, first=self.pad)

    def answer(self) -> Any:
        return self.pad.points

    def restore(self, answer: Any) -> None:
        if isinstance(answer, list):
            self.pad.show_points(answer)

    def show_curve(self, curve: Points) -> None:
        self.pad.show_measured(curve)


class _Options(Question):
    def __init__(self, task: OptionTask, shown: Shown) -> None:
        part = shown.agents[task.agent - 1]
        agent = part.make()
        self._names, self._info = task.options, agent.info
        hidden = frozenset(field.name for field in agent.info.fields) - set(task.options)
        self._options = agent.options
        self.form = OptionsForm(agent.info, agent.options, hidden=hidden)
        self.form.options_changed.connect(self._on_changed)
        super().__init__(self.form, first=self.form.edit(self._names[0]))

    def _on_changed(self, options: Any) -> None:
        self._options = options

    def answer(self) -> Any:
        self.setFocus()  # a field commits what was typed when it is left
        return None if self.form.problem else {name: getattr(self._options, name) for name in self._names}

    def restore(self, answer: Any) -> None:
        if isinstance(answer, dict):
            self._options = msgspec.structs.replace(self._options, **answer)
            for name in self._names:
                self.form.edit(name).set_value(getattr(self._options, name))


class _TextField(QPlainTextEdit):
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Tab:  # the keyboard goes on; a tab in an answer is of no use
            event.ignore()
        else:
            super().keyPressEvent(event)


class _Text(Question):
    def __init__(self) -> None:
        self.field = _TextField()
        self.field.setAccessibleName("Your answer")
        self.field.setPlaceholderText("In your own words")
        self.field.setFixedHeight(5 * self.field.fontMetrics().lineSpacing() + 12)
        super().__init__(self.field, first=self.field)

    def answer(self) -> Any:
        return self.field.toPlainText().strip()[:10_000] or None

    def restore(self, answer: Any) -> None:
        self.field.setPlainText(str(answer))


def question_for(shown: Shown) -> Question:
    """The widget for the question of this step, which must ask something."""
    match shown.step.task:
        case ChoiceTask() as task:
            return _Choose(task.choices, range(1, len(task.choices) + 1))
        case WhichTask(of="moves"):
            moves = [move.text for move in shown.position.legal_moves]
            return _Pick("Your move", [move.words for move in shown.position.legal_moves], moves)
        case WhichTask():
            names = [LETTERS[place] for place in range(len(shown.agents))]
            agents = [make_agent(part.agent) if part.disguised else part.make() for part in shown.agents]
            return _Choose([f"{name}: {title_of(each)}" for name, each in zip(names, agents, strict=True)], names)
        case NumberTask():
            return _Number()
        case CurveTask() as task:
            return _Curve(task, shown)
        case OptionTask() as task:
            return _Options(task, shown)
        case FaultTask() as task:
            found = switches_of(shown, task.agent)
            return _Pick("The wrong switch", [title for _, title in found], [name for name, _ in found])
        case TextTask():
            return _Text()
        case ProveTask():
            return _OnBoard("Play on the board until the game is over; Ctrl+Z takes a move back.")
        case MoveTask():
            return _OnBoard("Answer with a move on the board; Ctrl+L brings the keyboard there.")
    raise ValueError("the step asks nothing")
