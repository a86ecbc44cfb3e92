"""The right answers to all questions of a lesson, worked out for an answer key."""

from __future__ import annotations

from nimdesk.errors import NimdeskError
from nimdesk.lessons.judging import Key, Stop, key_of
from nimdesk.lessons.model import Lesson


def keys_of(lesson: Lesson, stop: Stop = None) -> tuple[Key, ...]:
    """The right answer to each step; in place of one that cannot be worked out here, the sentence why.

    Loads kernels: not on the UI thread. ``StoppedError`` once ``stop`` is set.
    """
    found = []
    for number in range(1, len(lesson.steps) + 1):
        try:
            found.append(key_of(lesson.at(number), stop))
        except NimdeskError as error:
            found.append(Key(str(error)))
    return tuple(found)
