"""Asking the thread of the searches: one question of a panel at a time, and those that take long in small parts."""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from nimdesk.ui.laboratory.service import LaboratoryService, Question

PART_S = 0.012
"""How long one part of an answer may keep the searches waiting."""
Ask = Callable[[threading.Event], object]


class Unfinished:
    """The answer of a question that wants to be asked again, to go on where it was."""


UNFINISHED = Unfinished()


class Asker(QObject):
    """Has the newest question answered; of those asked while one is under way only the last is kept."""

    answered = Signal(object)
    """The answer of a question, which is never ``UNFINISHED``."""
    failed = Signal(str)
    """One sentence instead of an answer."""

    def __init__(self, service: LaboratoryService, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service = service
        self._asked: Question | None = None
        self._next: Ask | None = None
        service.answered.connect(self._on_answered)
        service.question_failed.connect(self._on_failed)

    @property
    def busy(self) -> bool:
        """Whether an answer is awaited."""
        return self._asked is not None

    def ask(self, question: Ask) -> None:
        """Have this called in the thread of the searches, again and again until it is finished."""
        if self._asked is None:
            self._asked = self._service.ask(question)
        else:
            self._next = question

    def forget(self) -> None:
        """Nothing that was asked matters any more."""
        self._next = None
        if self._asked is not None:
            self._asked.stop.set()
            self._asked = None

    @Slot(object, object)
    def _on_answered(self, question: Question, answer: object) -> None:
        if question is not self._asked:
            return
        self._asked = None
        following, self._next = self._next, None
        if following is None and answer is UNFINISHED:
            following = question.ask
        if following is not None:
            self.ask(following)
        if answer is not UNFINISHED:
            self.answered.emit(answer)

    @Slot(object, str)
    def _on_failed(self, question: Question, message: str) -> None:
        if question is self._asked:
            self._asked = self._next = None
            self.failed.emit(message)
