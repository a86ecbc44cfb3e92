"""The pane of a lesson beside the other pages: what a step says and asks, the verdict, and the way on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any

from PySide6.QtCore import QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QResizeEvent, QTextDocument
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QTextBrowser,
    QToolButton,
    QVBoxLayout,
)

from nimdesk.lessons.model import Shown
from nimdesk.ui.lessons.questions import Points, Question, question_for
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import announce, arrange, label, tip

WIDTH = 320
_LEAST = 210
MARKDOWN = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML


@dataclass(frozen=True)
class PanelShown:
    """All that the pane shows at one moment.

    ``text`` is Markdown. ``asked`` is the step if it asks something, with ``answer`` as far as it was answered, and
    ``verdict``, which begins with ✓ or ✗. ``waits`` says what is awaited. ``ends``: there is no further step.
    """

    lesson: str
    place: str
    number: int
    of: int
    text: str
    asked: Shown | None = None
    answer: Any = None
    curve: Points = ()
    verdict: str = ""
    done: bool = False
    """Whether the question needs no further answer."""
    waits: str = ""
    hint: bool = False
    solution: bool = False
    can_back: bool = False
    can_next: bool = True
    ends: bool = False
    person: str = ""
    following: str = ""
    """The title of the lesson that comes next, where there is one."""
    busy: bool = False
    """Whether an answer is being judged."""


class MarkdownView(QTextBrowser):
    """Shows Markdown and nothing from anywhere else: no pictures, no HTML; a link opens in the browser when clicked."""

    def __init__(self, *, fitted: bool = True) -> None:
        """One that is ``fitted`` is no higher than its text."""
        super().__init__()
        self._fitted = fitted
        self.setOpenLinks(False)
        self.setObjectName("told")
        self.anchorClicked.connect(self._on_link)
        self._shown, self._wanted = "", 60
        LOOK.changed.connect(self._take_look)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Nothing is loaded, wherever it is."""
        return None

    def show_markdown(self, text: str) -> None:
        """Show this text, from its beginning, if it is another one; of a longer one, stay where it was."""
        if text == self._shown:
            return
        place = self.verticalScrollBar().value() if self._shown and text.startswith(self._shown) else 0
        self._shown = text
        self.document().setMarkdown(text, MARKDOWN)
        self._fit()
        self.verticalScrollBar().setValue(place)

    def _fit(self) -> None:
        """Be no higher than the text, so that the question stands below it."""
        if not self._fitted:
            return
        around = max(0, self.height() - self.viewport().height())  # before its first layout it is smaller than that
        # Of a copy, and as wide as there is room beside a bar: the bar would come, and go, and come.
        whole = self.document().clone(self)
        whole.setTextWidth(self.width() - around - self.verticalScrollBar().sizeHint().width())
        self._wanted = ceil(whole.size().height()) + around
        whole.deleteLater()
        self.setMaximumHeight(self._wanted)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._wanted)

    def minimumSizeHint(self) -> QSize:
        return QSize(100, 60)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _take_look(self) -> None:
        text, self._shown = self._shown, ""
        self.show_markdown(text)

    @staticmethod
    def _on_link(url: QUrl) -> None:
        if url.scheme() == "https":
            QDesktopServices.openUrl(url)


class LessonPanel(QFrame):
    """Shows a ``PanelShown``; what a person does there is signalled."""

    next_wanted, back_wanted, leave_wanted = Signal(), Signal(), Signal()
    hint_wanted, solution_wanted, save_wanted, following_wanted = Signal(), Signal(), Signal(), Signal()
    answered = Signal(object)
    person_named = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("lesson")
        self.setAccessibleName("Lesson")
        self.title, self.place = label(role="headline", wrap=True), label(role="muted")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(6)
        self.progress.setAccessibleName("Steps of the lesson")
        self.leave = QToolButton(autoRaise=True)
        self.leave.setText("✕")
        self.leave.setToolTip("Leave the lesson; it goes on here the next time")
        self.leave.setAccessibleName("Leave the lesson")
        self.text = MarkdownView()
        self.text.setAccessibleName("What the step says")
        self.question: Question | None = None
        self.waits, self.verdict = label(role="muted", wrap=True), label(role="notice", wrap=True)
        self.person = QLineEdit()
        self.person.setPlaceholderText("Your name, if you hand this in")
        self.person.setAccessibleName("Your name")
        self.person.setMaxLength(200)
        self.hint, self.solution = self._button("Hint"), self._button("Show the answer")
        self.save, self.following = self._button("Save my answers…"), self._button("Next lesson")
        self.back, self.next = self._button("← Back"), self._button("Next →")
        # None has an access key: buttons of the page beside would answer to it, too.
        self._lay_out()
        self._told: PanelShown | None = None
        self._judges = False
        """Whether the text has the keyboard while an answer is judged that the button has handed in."""
        self._rests = False
        """Whether the text has the keyboard only until it is possible to go on."""
        signals: tuple[tuple[QPushButton | QToolButton, Any], ...] = (
            (self.leave, self.leave_wanted),
            (self.hint, self.hint_wanted),
            (self.solution, self.solution_wanted),
            (self.save, self.save_wanted),
            (self.following, self.following_wanted),
            (self.back, self.back_wanted),
            (self.next, self.next_wanted),
        )
        for button, signal in signals:
            button.clicked.connect(_emitter(signal))
        self.person.textEdited.connect(self.person_named)
        LOOK.changed.connect(self._take_look)
        self._take_look()

    @staticmethod
    def _button(words: str) -> QPushButton:
        button = QPushButton(words)
        button.setAutoDefault(True)  # Enter presses the button that has the keyboard
        button.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        return button

    def _lay_out(self) -> None:
        head = arrange(QHBoxLayout(), self.title, self.leave, wide=self.title)
        head.setAlignment(self.leave, Qt.AlignmentFlag.AlignTop)
        self._place = QVBoxLayout()
        helps = arrange(QHBoxLayout(), self.hint, self.solution, None)
        ways = arrange(QHBoxLayout(), self.back, None, self.next)
        parts = (head, self.place, self.progress, self.text, self.waits, self._place)
        below = (self.verdict, helps, self.person, self.save, self.following, None, ways)
        arrange(QVBoxLayout(self), *parts, *below, margins=(12, 8, 10, 8), spacing=6)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 400)

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST, 300)

    def _take_look(self) -> None:
        theme = LOOK.theme
        self.setStyleSheet(
            f"QFrame#lesson {{ background: {theme.base}; border-right: 1px solid {theme.border}; }}"
            f"QTextBrowser#told {{ background: {theme.base}; color: {theme.text}; border: none; padding: 0; }}"
        )

    def show_moment(self, now: PanelShown) -> None:
        """Show what is different."""
        before, self._told = self._told, now
        self.title.setText(now.lesson)
        self.place.setText(now.place)
        self.progress.setMaximum(now.of)
        self.progress.setValue(now.number)
        said = self.text.toPlainText()
        self.text.show_markdown(now.text)
        new_step = before is None or (before.lesson, before.number) != (now.lesson, now.number)
        if new_step:
            self._ask(now)
        if self.question is not None:
            self.question.show_curve(now.curve)
            self._hold(self.question, busy=now.busy)
        for words, shown in ((now.waits, self.waits), (now.verdict, self.verdict)):
            if words and words != shown.text():
                announce(self, words)
            shown.setText(words)
            shown.setVisible(bool(words))
        self._show_buttons(now)
        judged = before is not None and now.verdict != before.verdict and now.verdict.startswith(("✓", "✗"))
        if not new_step and judged and now.done:
            self._rests = not self.next.isEnabled()
            (self.text if self._rests else self.next).setFocus()
        # What comes to the same step later, such as what was found, is said alone.
        if new := self.text.toPlainText().removeprefix("" if new_step else said).strip():
            announce(self, new)
        if new_step:
            self.take_keyboard()

    def _hold(self, question: Question, *, busy: bool) -> None:
        """Take no further answer while one is judged, and give the keyboard back to the question then."""
        if busy and question.button.hasFocus():
            self._judges = True
            self.text.setFocus()  # a button that is disabled would give the keyboard to the way on
        question.button.setEnabled(not busy)
        if self._judges and not busy:
            self._judges = False
            if self.text.hasFocus():
                (question.first or question.button).setFocus()

    def _show_buttons(self, now: PanelShown) -> None:
        asked_for_help = self.hint.hasFocus() or self.solution.hasFocus()
        offered = (self.hint, now.hint), (self.solution, now.solution), (self.save, now.ends)
        for button, wanted in (*offered, (self.following, bool(now.following))):
            button.setVisible(wanted)
        self.following.setToolTip(tip(now.following))
        if asked_for_help and not (self.hint.isVisible() and self.solution.isVisible()) and self.question is not None:
            (self.question.first or self.text).setFocus()  # a button that goes would give the keyboard to any other
        self.person.setVisible(now.ends)
        if not self.person.hasFocus():
            self.person.setText(now.person)
        if not now.can_next and self.next.hasFocus():
            self._rests = True
            self.text.setFocus()  # a button that is disabled would give the keyboard to another page
        self.next.setEnabled(now.can_next)
        if now.can_next and self._rests:
            self._rests = False
            if self.text.hasFocus():
                self.next.setFocus()
        if not now.can_back and self.back.hasFocus():
            self.next.setFocus()
        self.back.setEnabled(now.can_back)
        self.next.setText("Back to my game" if now.ends else "Next →")

    def take_keyboard(self) -> None:
        """The keyboard goes to where the step goes on: to its question, or to the way on."""
        asks = self.question is not None and self._told is not None and self._told.answer is None
        first = self.question.first if self.question is not None and asks else None
        self._rests = first is None and not self.next.isEnabled()
        (self.text if self._rests else first or self.next).setFocus(Qt.FocusReason.OtherFocusReason)

    def _ask(self, now: PanelShown) -> None:
        """Put the question of the step, if it has one, in place of the last one."""
        if self.question is not None:
            self.question.hide()
            self.question.deleteLater()
            self.question = None
        if now.asked is not None:
            self.question = question_for(now.asked)
            if now.answer is not None:
                self.question.restore(now.answer)
            self.question.answered.connect(self.answered)
            self._place.addWidget(self.question)


def _emitter(signal: Any) -> Callable[..., None]:
    return lambda *_: signal.emit()
