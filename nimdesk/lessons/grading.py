"""The answers of a class, judged again by the lessons themselves: what a file says of itself counts nothing."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from nimdesk.errors import LessonError, NimdeskError
from nimdesk.lessons.answers import Answers, read_answers
from nimdesk.lessons.files import ANSWERS_SUFFIX, LESSON_SUFFIX, digest_of, load_lesson, shipped_lessons
from nimdesk.lessons.judging import judge
from nimdesk.lessons.model import Lesson

RIGHT, WRONG, TO_READ, NOTHING = "right", "wrong", "to read", ""
"""What becomes of a question: judged, answered in words for a person to read, or not answered."""


class Grade(msgspec.Struct, frozen=True):
    """One file of answers; ``steps`` are the questions by the number of their step, in order."""

    file: str
    person: str
    lesson: str
    right: int
    wrong: int
    to_read: int
    open: int
    attempts: int
    seconds: float
    steps: dict[int, tuple[str, str]]
    """What became of each question, and the answer as text."""


class Graded(msgspec.Struct, frozen=True):
    """A folder of answers: a grade for each file that could be read, and a sentence for whatever is wrong."""

    grades: tuple[Grade, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]


def grade_folder(folder: Path, more: Sequence[Lesson] = (), stop: threading.Event | None = None) -> Graded:
    """Judge all files of answers in a folder and the folders in it.

    Their lessons are those given, those in the folder, and those that come with nimdesk. ``LessonError`` where there
    are no answers. Loads kernels: not on the UI thread. ``StoppedError`` once ``stop`` is set.
    """
    files = sorted(folder.rglob(f"*{ANSWERS_SUFFIX}"))
    if not files:
        raise LessonError(f"There are no answers in “{folder}”; their files end in {ANSWERS_SUFFIX}.")
    grades, left_out, notes = list[Grade](), list[str](), list[str]()
    lessons = list(more)
    for path in sorted(folder.rglob(f"*{LESSON_SUFFIX}")):
        try:
            lessons.append(load_lesson(path))
        except NimdeskError as error:
            left_out.append(str(error))
    lessons += shipped_lessons()
    by_digest = {digest_of(each): each for each in reversed(lessons)}
    by_title = {each.title: each for each in reversed(lessons)}
    for path in files:
        name = path.relative_to(folder).as_posix()
        try:
            answers = read_answers(path)
            # The very lesson that was answered, else another edition of it.
            lesson = by_digest.get(answers.digest) or by_title.get(answers.lesson)
            if lesson is None:
                raise LessonError(
                    f"“{name}” answers “{answers.lesson}”, which is not here; put that lesson into the folder."
                )
        except NimdeskError as error:
            left_out.append(str(error))
            continue
        if answers.digest not in by_digest:
            notes.append(f"“{name}” answers another edition of “{lesson.title}”; it is judged by the one that is here.")
        grades.append(_graded(name, answers, lesson, notes, stop))
    return Graded(tuple(grades), tuple(left_out), tuple(notes))


def _graded(name: str, answers: Answers, lesson: Lesson, notes: list[str], stop: threading.Event | None) -> Grade:
    steps = dict[int, tuple[str, str]]()
    for number, step in enumerate(lesson.steps, 1):
        given = answers.of(number)
        if step.task is None:
            continue
        if given is None:
            steps[number] = NOTHING, ""
            continue
        try:
            right = judge(lesson.at(number), given.answer, stop).right
        except NimdeskError as error:  # an agent may fail, too
            notes.append(f"“{name}”, step {number}: {error}")
            right = False
        steps[number] = TO_READ if right is None else RIGHT if right else WRONG, _text(given.answer)
    became = [each for each, _ in steps.values()]
    return Grade(
        file=name,
        person=answers.person,
        lesson=lesson.title,
        right=became.count(RIGHT),
        wrong=became.count(WRONG),
        to_read=became.count(TO_READ),
        open=became.count(NOTHING),
        attempts=sum(each.attempts for each in answers.answers),
        seconds=round(sum(each.seconds for each in answers.answers), 1),
        steps=steps,
    )


def _text(answer: Any) -> str:
    return answer if isinstance(answer, str) else msgspec.json.encode(answer).decode()


def table_of(grades: Sequence[Grade]) -> tuple[list[str], list[list[object]]]:
    """The grades as a table, a file a row; the questions of a lesson are columns by the number of their step."""
    numbers = sorted({number for each in grades for number in each.steps})
    head = ["file", "person", "lesson", "right", "wrong", "to_read", "open", "attempts", "seconds"]
    rows = [
        [*(getattr(each, name) for name in head)]
        + [part for number in numbers for part in each.steps.get(number, (None, None))]
        for each in grades
    ]
    return [*head, *(words for number in numbers for words in (f"step {number}", f"answer {number}"))], rows
