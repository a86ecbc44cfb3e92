"""Lessons that are answered: their files, what a person answers, and how that is judged."""

from nimdesk.lessons.answers import AnswerFile, Answers, StepAnswer, read_answers
from nimdesk.lessons.files import ANSWERS_SUFFIX, LESSON_SUFFIX, lesson_bytes, load_lesson, shipped_lessons
from nimdesk.lessons.judging import Verdict, judge
from nimdesk.lessons.model import Lesson, Show, Step, Task

__all__ = [
    "ANSWERS_SUFFIX",
    "LESSON_SUFFIX",
    "AnswerFile",
    "Answers",
    "Lesson",
    "Show",
    "Step",
    "StepAnswer",
    "Task",
    "Verdict",
    "judge",
    "lesson_bytes",
    "load_lesson",
    "read_answers",
    "shipped_lessons",
]
