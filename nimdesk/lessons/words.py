"""What is said of answers: the verdict on one, and how a lesson went."""

from __future__ import annotations

from nimdesk.lessons.answers import Answers
from nimdesk.lessons.judging import Verdict
from nimdesk.lessons.model import ChoiceTask, FaultTask, Lesson, MoveTask, OptionTask, Step


def sign(right: bool | None) -> str:
    """The verdict in a word, with a sign before it; None is an answer that a person has to read."""
    return {True: "✓ Right.", False: "✗ Not yet.", None: "✓ Noted."}[right]


def verdict_words(step: Step, verdict: Verdict) -> str:
    """The verdict, what is so of the answer, and what the lesson says to it."""
    more = step.wrong if verdict.right is False else step.right
    return " ".join(filter(None, (sign(verdict.right), verdict.said, more)))


def has_key(step: Step) -> bool:
    """Whether there is an answer to be shown: of a prediction the verdict has told it, a game is to be played."""
    return isinstance(step.task, MoveTask | ChoiceTask | FaultTask | OptionTask)


def end_words(lesson: Lesson, answers: Answers) -> str:
    """How it went, as Markdown."""
    asked = sum(step.task is not None for step in lesson.steps)
    told = [f"You have gone through **{lesson.title}**."]
    if asked:
        minutes = max(1, round(sum(each.seconds for each in answers.answers) / 60))
        told.append(f"{answers.right} of {asked} answers are right in the end; they took {minutes} min.")
        told.append("Your answers are kept on this machine. Save them to a file to hand them in.")
    told.append("*Help > Lessons* has the others.")
    return "\n\n".join(told)
