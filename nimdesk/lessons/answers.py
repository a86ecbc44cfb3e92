"""What a person has answered: a file that is kept as the person goes, and handed in.

A document is ``{"format": "nimdesk-answers", "version": 1, "program", "lesson", "digest", "person", "at", "answers"}``;
``digest`` tells a lesson that was changed since from the one that was answered.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from nimdesk.disk.documents import DocumentFaultError, check_header, check_size, parsed
from nimdesk.disk.paths import data_dir, file_name, make_private
from nimdesk.errors import LessonError
from nimdesk.lessons.files import ANSWERS_SUFFIX, digest_of
from nimdesk.lessons.model import MAX_STEPS, Lesson, Part
from nimdesk.play.record import or_set_aside, read_document, write_document
from nimdesk.version import __version__

FORMAT: Literal["nimdesk-answers"] = "nimdesk-answers"
VERSION: Literal[1] = 1
_WHAT = "file of answers"
_Name = Annotated[str, Meta(max_length=200)]


class StepAnswer(Part, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to one step: the last one, whether it was right (None: a person has to tell), how often the person
    tried, and how many seconds the step was on the screen until then.
    """

    step: Annotated[int, Meta(ge=1, le=MAX_STEPS)]
    answer: Any
    right: bool | None = None
    attempts: Annotated[int, Meta(ge=1, le=1_000_000)] = 1
    seconds: Annotated[float, Meta(ge=0, le=1e9)] = 0.0


class Answers(Part, frozen=True, kw_only=True, omit_defaults=True):
    """The whole document. ``at`` is the step where the person is; past the last one where the lesson is done."""

    format: Literal["nimdesk-answers"]
    version: Literal[1]
    program: _Name = ""
    lesson: _Name
    digest: Annotated[str, Meta(max_length=64)]
    person: _Name = ""
    at: Annotated[int, Meta(ge=1, le=MAX_STEPS + 1)] = 1
    answers: Annotated[list[StepAnswer], Meta(max_length=MAX_STEPS)] = msgspec.field(default_factory=list)

    def of(self, step: int) -> StepAnswer | None:
        """The answer to this step, if there is one."""
        return next((each for each in self.answers if each.step == step), None)

    def with_answer(self, answer: StepAnswer) -> Answers:
        """The same with one more answer, in place of an earlier one to the same step."""
        others = [each for each in self.answers if each.step != answer.step]
        return msgspec.structs.replace(self, answers=sorted([*others, answer], key=lambda each: each.step))

    @property
    def right(self) -> int:
        """How many answers are right."""
        return sum(each.right is True for each in self.answers)


def no_answers(lesson: Lesson, person: str = "") -> Answers:
    """A lesson that was not begun."""
    return Answers(
        format=FORMAT,
        version=VERSION,
        program=__version__,
        lesson=lesson.title,
        digest=digest_of(lesson),
        person=person[:200],
    )


def read_answers(path: Path) -> Answers:
    """The answers in a file; ``LessonError`` with one sentence that says what is wrong with it, and where."""
    return read_document(path, answers_from, FORMAT, _WHAT, LessonError)


def answers_from(data: bytes) -> Answers:
    """The answers in these bytes; ``DocumentFaultError`` where they are none."""
    check_header(data, FORMAT, VERSION, _WHAT)
    return parsed(data, Answers, {"answers": "answer"})


def write_answers(answers: Answers, path: Path, *, follow: bool = True) -> None:
    """Write the answers, whole or not at all; ``LessonError`` where that cannot be done."""
    data = msgspec.json.format(msgspec.json.encode(answers), indent=2) + b"\n"
    try:
        check_size(data, FORMAT, _WHAT)
    except DocumentFaultError as fault:
        raise LessonError(f"The answers cannot be saved to “{path}”: {fault}.") from None
    write_document(path, data, "answers", LessonError, follow=follow)


def answers_dir() -> Path:
    """The folder in which answers are kept as a person goes. It may not exist yet."""
    return data_dir() / "lessons"


class AnswerFile:
    """The answers to one lesson that are kept on this machine; each change is on the disk before the next begins."""

    def __init__(self, lesson: Lesson) -> None:
        """Reads what is kept; ``problem`` says in one sentence what is wrong with the file, or "".

        A broken file is set aside under a new name. One that cannot be read now, or is of a newer version, stays as it
        is: then ``keep`` keeps in memory alone.
        """
        self.path = answers_dir() / f"{file_name(lesson.title)}-{digest_of(lesson)[:8]}{ANSWERS_SUFFIX}"
        self.answers, self.problem, self._steps = no_answers(lesson), "", len(lesson.steps)
        self._stays = False
        if not self.path.exists():
            return
        try:
            kept = read_document(self.path, or_set_aside(self.path, answers_from), FORMAT, _WHAT, LessonError)
            self.answers = msgspec.structs.replace(kept, at=min(kept.at, self._steps + 1))
        except LessonError as error:
            self._stays = self.path.exists()
            untouched = " It stays as it is; save what you answer now to a file at the end of the lesson."
            self.problem = f"{error}{untouched * self._stays}"

    @property
    def done(self) -> bool:
        """Whether the person has come to the end."""
        return self.answers.at > self._steps

    def keep(self, answers: Answers) -> None:
        """Keep these answers; ``LessonError`` where that cannot be done, and they stay in memory."""
        if answers == self.answers:
            return
        self.answers = answers
        if self._stays:
            return
        with suppress(OSError, ValueError):  # the writing says what is wrong
            make_private(self.path.parent)
        write_answers(answers, self.path, follow=False)
