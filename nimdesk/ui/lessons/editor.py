"""The editor of lessons: steps taken from the laboratory, their texts with a preview, questions, and what is locked."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from inspect import getdoc
from typing import Any, get_args

import msgspec
from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from nimdesk.errors import LessonError
from nimdesk.lessons.drafting import Draft, new_plain, part_of
from nimdesk.lessons.judging import LETTERS
from nimdesk.lessons.model import MAX_ITERATIONS, TABS, Part, Show, Task, ViewName
from nimdesk.search.timeline import Cost
from nimdesk.ui.laboratory.page import LaboratoryPage
from nimdesk.ui.lessons.panel import MarkdownView
from nimdesk.ui.lessons.part_form import PartForm
from nimdesk.ui.look.desktop import ask
from nimdesk.ui.look.widgets import arrange, label, open_with

_CHECK_MS = 250
_TEXTS = (
    ("text", "What is said at first"),
    ("found", "After the searches"),
    ("hint", "A hint"),
    ("right", "After a right answer"),
    ("wrong", "After a wrong one"),
)
_QUESTIONS = {
    "move": "Choose a move",
    "choice": "Choose a sentence",
    "which": "Predict which one",
    "number": "Predict a number",
    "curve": "Draw a curve",
    "option": "Set an option",
    "fault": "Find the fault",
    "prove": "Play it to the end",
    "text": "Answer in words",
}
_LOCKS = {
    "position": "the position",
    "agents": "agents, options and seeds",
    "limit": "how far they search",
    "truth": "whether the truth is shown",
    "views": "the plots",
    "next": "going on before an answer",
}
_KINDS: dict[str, type[Part]] = {kind.__struct_config__.tag: kind for kind in get_args(Task)}


class LessonEditor(QDialog):
    """Edits the one draft of a person, which is kept on the disk; it may stay open beside the window."""

    try_wanted = Signal(object)
    """Begin this ``Lesson``, to see it as students do."""
    save_wanted, open_wanted, worksheet_wanted, key_wanted = Signal(object), Signal(), Signal(object), Signal(object)
    told = Signal(str)
    """A sentence for the status line."""

    def __init__(self, draft: Draft, taken: Callable[[], Show | None], parent: QWidget) -> None:
        """``taken`` is the present state of the laboratory as a step shows it; None where it was not opened yet."""
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle("Lesson editor")
        self.draft, self._taken = draft, taken
        self._filling, self._beside = False, ""
        self._timer = QTimer(self, singleShot=True, interval=_CHECK_MS)
        self._timer.timeout.connect(self.check)
        self.lesson: Any = None
        """The lesson as it stands; None while something is wrong."""
        middle = arrange(QHBoxLayout(), self._build_lesson(), self._build_step(), wide=self.tabs, spacing=10)
        self.problem = label(role="problem", wrap=True)
        layout = QVBoxLayout(self)
        arrange(layout, middle, self.problem, self._build_buttons(), wide=middle, margins=(10, 10, 10, 10))
        open_with(self, 1000, 640)
        self.fill()

    # Building

    def _build_lesson(self) -> QWidget:
        self.title, self.about = QLineEdit(), QPlainTextEdit()
        self.title.setAccessibleName("Title of the lesson")
        self.about.setAccessibleName("The question that the lesson answers")
        self.about.setPlaceholderText("The question that it answers")
        self.about.setTabChangesFocus(True)
        self.about.setFixedHeight(3 * self.about.fontMetrics().lineSpacing() + 12)
        self.title.textChanged.connect(lambda text: self._set(self.draft.plain, "title", text))
        self.about.textChanged.connect(lambda: self._set(self.draft.plain, "about", self.about.toPlainText()))
        self.locks = {name: QCheckBox(words) for name, words in _LOCKS.items()}
        for box in self.locks.values():
            box.toggled.connect(self._on_locks)
        self.steps = QListWidget()
        self.steps.setAccessibleName("Steps")
        self.steps.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.steps.currentRowChanged.connect(self._show_step)
        self.add, self.delete, self.up, self.down = (
            QPushButton(words) for words in ("&Add a step", "&Delete", "Move &up", "Move do&wn")
        )
        self.add.setToolTip("A step that shows what the laboratory shows now")
        self.add.clicked.connect(lambda _checked=False: self.add_step())
        self.delete.clicked.connect(self._delete)
        self.up.clicked.connect(lambda: self._move(-1))
        self.down.clicked.connect(lambda: self._move(1))
        buttons = QGridLayout()
        for place, button in enumerate((self.add, self.delete, self.up, self.down)):
            buttons.addWidget(button, *divmod(place, 2))
        left = QWidget()
        left.setFixedWidth(270)
        locks = [label("Students may not change:"), *self.locks.values()]
        arrange(QVBoxLayout(left), self.title, self.about, self.steps, buttons, *locks, wide=self.steps, spacing=4)
        return left

    def _build_step(self) -> QWidget:
        self.step_title = QLineEdit()
        self.step_title.setAccessibleName("Title of the step")
        self.step_title.setPlaceholderText("Title of the step")
        self.step_title.textEdited.connect(lambda text: self._set(self._step, "title", text))
        self.which = QComboBox()
        self.which.setAccessibleName("Which text of the step")
        for name, words in _TEXTS:
            self.which.addItem(words, name)
        self.which.currentIndexChanged.connect(self._show_text)
        self.text, self.preview = QPlainTextEdit(), MarkdownView(fitted=False)
        self.text.setAccessibleName("Text of the step, in Markdown")
        self.text.setPlaceholderText("Markdown: **bold**, *italic*, - a list")
        self.text.setTabChangesFocus(True)
        self.preview.setAccessibleName("Preview")
        self.text.textChanged.connect(self._on_text)
        texts = QWidget()
        both = arrange(QHBoxLayout(), self.text, self.preview)
        both.setStretch(0, 1)
        both.setStretch(1, 1)
        arrange(QVBoxLayout(texts), self.step_title, self.which, both, wide=both, margins=(8, 8, 8, 8))
        self.question = QComboBox()
        self.question.setAccessibleName("The question")
        self.question.addItem("No question", "")
        self.forms = {name: PartForm(kind) for name, kind in _KINDS.items()}
        self._stack = QStackedWidget()
        self._stack.addWidget(QWidget())
        for name, words in _QUESTIONS.items():
            self.question.addItem(words, name)
            self._stack.addWidget(_with_help(self.forms[name], _KINDS[name]))
            self.forms[name].changed.connect(self._on_task)
        self.question.currentIndexChanged.connect(self._on_question)
        asked = QWidget()
        arrange(QVBoxLayout(asked), self.question, self._stack, wide=self._stack, margins=(8, 8, 8, 8))
        self.show_form, self.agents = PartForm(Show, without=("agents",)), label(wrap=True)
        self.show_form.changed.connect(self._on_show)
        self.take = QPushButton("&Take what the laboratory shows now")
        self.take.clicked.connect(self._take)
        shown = QWidget()
        arrange(QVBoxLayout(shown), self.take, self.agents, self.show_form, wide=self.show_form, margins=(8, 8, 8, 8))
        self.tabs = QTabWidget()
        for page, words in ((texts, "Te&xts"), (asked, "&Question"), (shown, "S&hown")):
            scroll = QScrollArea()
            scroll.setWidget(page)
            scroll.setWidgetResizable(True)
            scroll.setFrameShape(QScrollArea.Shape.NoFrame)
            self.tabs.addTab(scroll, words)
        return self.tabs

    def _build_buttons(self) -> QHBoxLayout:
        new, open_, close = QPushButton("&New"), QPushButton("&Open…"), QPushButton("&Close")
        new.clicked.connect(self._new)
        open_.clicked.connect(self.open_wanted)
        close.clicked.connect(self.close)
        self.buttons = {}
        for words, wanted in (
            ("&Save…", self.save_wanted),
            ("Try &it", self.try_wanted),
            ("Worksheet…", self.worksheet_wanted),
            ("Answer &key…", self.key_wanted),
        ):
            button = self.buttons[words] = QPushButton(words)
            button.clicked.connect(partial(self._deliver, wanted))
        for button in (new, open_, close, *self.buttons.values(), self.add, self.delete, self.up, self.down, self.take):
            button.setAutoDefault(False)  # Enter in a field is no command
        row = arrange(QHBoxLayout(), new, open_, *self.buttons.values(), None, close)
        assert isinstance(row, QHBoxLayout)
        return row

    def _deliver(self, wanted: Any, _checked: bool = False) -> None:
        """Give the lesson away as it stands now, with what was typed a moment ago."""
        self.setFocus()  # a field commits what was typed when it is left
        self.check()
        if self.lesson is not None:
            wanted.emit(self.lesson)

    # The draft

    @property
    def _step(self) -> dict[str, Any]:
        """The step shown, in the draft; one that is thrown away where there is none."""
        row = self.steps.currentRow()
        return self.draft.steps[row] if 0 <= row < len(self.draft.steps) else {}

    def _set(self, part: dict[str, Any], name: str, value: Any) -> None:
        if self._filling:
            return
        if value in ("", [], None) and name not in ("title", "about", "text"):
            part.pop(name, None)
        else:
            part[name] = value
        if name == "title" and part is self._step:
            self._name_steps()
        self._timer.start()

    def fill(self, row: int = 0) -> None:
        """Show the draft, at this step."""
        plain, self._filling = self.draft.plain, True
        self.title.setText(str(plain.get("title", "")))
        self.about.setPlainText(str(plain.get("about", "")))
        for name, box in self.locks.items():
            box.setChecked(name in plain.get("locked", []))
        self.steps.clear()
        self.steps.addItems([""] * len(self.draft.steps))
        self._name_steps()
        self.steps.setCurrentRow(min(row, len(self.draft.steps) - 1))
        self._filling = False
        self._show_step()
        self.check()

    def _name_steps(self) -> None:
        for row, step in enumerate(self.draft.steps):
            title = step.get("title") or step.get("text", "").partition("\n")[0][:60]
            self.steps.item(row).setText(f"{row + 1}. {title}")

    def check(self) -> None:
        """Keep the draft on the disk, and say what is wrong with it yet."""
        self._timer.stop()
        try:
            self._beside = self.draft.keep() or self._beside
        except LessonError as error:
            self.told.emit(str(error))
        self.lesson, problem = self.draft.checked()
        if not self.draft.steps:
            problem = "Add a step: it shows what the laboratory shows now."
        self.problem.setText(" ".join(filter(None, (self._beside, problem))))
        for button in self.buttons.values():
            button.setEnabled(self.lesson is not None)

    def refresh(self) -> None:
        """Show what another window has written, unless something was typed here a moment ago."""
        if not self._timer.isActive() and self.draft.refresh():
            self.fill(max(0, self.steps.currentRow()))
            self.told.emit("Another window has changed the lesson that you write; this is what it wrote.")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isVisible():
            # Who goes to another window leaves nothing behind that it could not read.
            if self.isActiveWindow():
                self._beside = ""  # it was there to be read
                self.refresh()
            else:
                self.check()

    def _on_locks(self) -> None:
        self._set(self.draft.plain, "locked", [name for name, box in self.locks.items() if box.isChecked()])

    # Steps

    def add_step(self, show: Show | None = None) -> None:
        """One more step after the one shown: of this, else of the present state of the laboratory."""
        show = show or self._taken()
        if show is None:
            self.problem.setText("Open the laboratory first: a step shows what it shows.")
            return
        row = self.steps.currentRow() + 1
        self.draft.steps.insert(row, {"text": "", "show": _plain(show)})
        self.fill(row)
        self.text.setFocus()

    def _delete(self) -> None:
        row = self.steps.currentRow()
        if row < 0:
            return
        if not self._step.get("text") or ask(self, "Delete a step", f"Delete step {row + 1} with its texts?"):
            del self.draft.steps[row]
            self.fill(max(0, row - 1))

    def _move(self, way: int) -> None:
        row, steps = self.steps.currentRow(), self.draft.steps
        if 0 <= row + way < len(steps) and row >= 0:
            steps[row], steps[row + way] = steps[row + way], steps[row]
            self.fill(row + way)

    def _new(self) -> None:
        if self.may_replace():
            self.draft.plain = new_plain()
            self.fill()

    def may_replace(self) -> bool:
        """Whether a person lets the draft go: it is lost where it was not saved to a file."""
        question = "The lesson that stands here is replaced; what was not saved to a file is lost. Go on?"
        return not self.draft.steps or ask(self, "Another lesson", question)

    def take_lesson(self, lesson: Any) -> None:
        """Edit this lesson."""
        self.draft.take(lesson)
        self.fill()

    # The step shown

    def _show_step(self) -> None:
        if self._filling:
            return
        there, step = self.steps.currentRow() >= 0, self._step
        self.tabs.setEnabled(there)
        for button in (self.delete, self.up, self.down):
            button.setEnabled(there)
        self._filling = True
        self.step_title.setText(str(step.get("title", "")))
        task = step.get("task") or {}
        kind = str(task.get("kind", ""))
        self.question.setCurrentIndex(max(0, self.question.findData(kind)))
        self._stack.setCurrentIndex(self.question.currentIndex())
        for name, form in self.forms.items():  # those of other kinds keep what is typed while this step is shown
            form.set_value(task if name == kind else {})
        show = step.get("show") or {}
        self.show_form.set_value(show)
        self.agents.setText(_agents_words(show.get("agents") or []))
        self._filling = False
        self._show_text()

    def _show_text(self) -> None:
        self._filling = True
        self.text.setPlainText(str(self._step.get(self.which.currentData(), "")))
        self._filling = False
        self.preview.show_markdown(self.text.toPlainText())

    def _on_text(self) -> None:
        self.preview.show_markdown(self.text.toPlainText())
        self._set(self._step, self.which.currentData(), self.text.toPlainText())
        if not self._filling:
            self._name_steps()

    def _on_question(self) -> None:
        self._stack.setCurrentIndex(self.question.currentIndex())
        if not self._filling:
            self._on_task()

    def _on_task(self) -> None:
        kind = self.question.currentData()
        self._set(self._step, "task", {"kind": kind, **self.forms[kind].value} if kind else None)

    def _on_show(self) -> None:
        agents = self._step.get("show", {}).get("agents")
        self._set(self._step, "show", {**self.show_form.value, **({"agents": agents} if agents else {})})

    def _take(self) -> None:
        show = self._taken()
        if show is not None:
            self._step["show"] = _plain(show)
            self._show_step()
            self._timer.start()


def _with_help(form: PartForm, kind: type[Part]) -> QWidget:
    """The form of a question above what is said of its fields in the format of lessons."""
    page = QWidget()
    help_ = label(re.sub(r"``(.*?)``", r"“\1”", getdoc(kind) or ""), role="muted", wrap=True)
    arrange(QVBoxLayout(page), form, help_, wide=form)
    return page


def _plain(show: Show) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(show)
    return plain


def _agents_words(agents: list[Any]) -> str:
    """Who searches at this step, as far as the draft says it."""
    if not agents:
        return "Agents: those of the step before."
    words = []
    for letter, each in zip(LETTERS, agents, strict=False):
        options = ", ".join(f"{name} {value}" for name, value in (each.get("options") or {}).items())
        words.append(f"{letter}: {' · '.join(filter(None, [str(each.get('agent')), options]))}")
    return "\n".join(words)


def shown_by(page: LaboratoryPage) -> Show:
    """What the laboratory shows at this moment, as a step of a lesson."""
    searches, offered = page.model.searches, get_args(ViewName)
    first, second = (view if view in offered else None for view in page.views.state())
    limit = searches.limits.get(Cost.ITERATIONS)
    show = Show(
        position=page.model.place.position.text,
        agents=[part_of(each.agent, each.seed) for each in page.model.agents.studied],
        iterations=0 if limit is None else min(int(limit), MAX_ITERATIONS),
        truth="shown" if page.truth_shown else "hidden",
        axis=searches.axis.cost.value,
        log=searches.axis.log,
        tab=TABS[page.tabs.currentIndex()],
    )
    second = second if page.two_views else None
    return msgspec.convert({**_plain(show), "view": first or "share", "second": second}, Show)
