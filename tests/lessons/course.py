"""The lessons that come with nimdesk, and all that is said at a step of one."""

from __future__ import annotations

import re

from nimdesk.lessons import Lesson, shipped_lessons
from nimdesk.lessons.model import ChoiceTask, TextTask

COURSE = {lesson.number: lesson for lesson in shipped_lessons()}
TEXTS = ("text", "found", "hint", "right", "wrong")


def told(lesson: Lesson, step: int) -> str:
    """All that is said at a step, in one line, without marks of emphasis."""
    each = lesson.steps[step - 1]
    parts = [getattr(each, name) for name in TEXTS]
    parts += each.task.choices if isinstance(each.task, ChoiceTask) else []
    parts += [each.task.answer] if isinstance(each.task, TextTask) else []
    return re.sub(r"\s+", " ", " ".join(parts).replace("*", ""))
