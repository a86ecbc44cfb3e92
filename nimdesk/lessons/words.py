"""What is said of answers: the verdict on one, and how a lesson went."""

from __future__ import annotations

from nimdesk.lessons.answers import Answers
from nimdesk.lessons.judging import Key, Verdict
from nimdesk.lessons.model import Lesson, OptionTask, ProveTask, Step, TextTask, is_prediction


def sign(step: Step, right: bool | None) -> str:
    """The verdict in a word, with a sign before it; None is an answer that a person has to read."""
    wrong = "✗ It came differently." if is_prediction(step.task) else "✗ Not yet."
    return {True: "✓ Right.", False: wrong, None: "✓ Noted."}[right]


def verdict_words(step: Step, verdict: Verdict, *, again: bool) -> str:
    """The verdict, what is so of the answer, and what the lesson says to it; ``again``: it was answered before."""
    predicted, more = is_prediction(step.task), step.right
    if verdict.right is False:
        more = step.wrong or (step.right if predicted else "" if verdict.said else "Try again, or see the answer.")
    counts = "Your first prediction counts." if predicted and again else ""
    return " ".join(filter(None, (sign(step, verdict.right), verdict.said, more, counts)))


def has_key(step: Step) -> bool:
    """Whether there is an answer to be shown: of a prediction the verdict has told it, a game is to be played."""
    return step.task is not None and not isinstance(step.task, ProveTask | TextTask) and not is_prediction(step.task)


def key_words(step: Step, key: Key) -> str:
    """The right answer, and what the lesson says to it; of options, what they have to bring about."""
    of = "What is wanted:" if isinstance(step.task, OptionTask) else "The answer:"
    return " ".join(filter(None, (f"{of} {key.words.rstrip('.')}.", step.right)))


def end_words(lesson: Lesson, answers: Answers) -> str:
    """How it went, as Markdown."""
    asked = sum(step.task is not None for step in lesson.steps)
    told = [f"You have gone through **{lesson.title}**."]
    if asked:
        minutes = max(1, round(sum(each.seconds for each in answers.answers) / 60))
        told.append(f"{answers.right} of {asked} questions are answered right in the end; that took {minutes} min.")
        told.append("Your answers are kept on this machine. Save them to a file to hand them in.")
    told.append("*Help > Lessons* has the others.")
    return "\n\n".join(told)
