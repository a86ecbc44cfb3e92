"""The lessons that come with nimdesk: their form, and a right and a wrong answer to each question."""

from __future__ import annotations

import re
from typing import Any

import pytest
from course import COURSE, TEXTS, told

from nimdesk.disk.paths import resources_dir
from nimdesk.lessons import judge
from nimdesk.lessons.judging import key_of, switches_of
from nimdesk.lessons.model import (
    ChoiceTask,
    CurveTask,
    FaultTask,
    MoveTask,
    NumberTask,
    OptionTask,
    ProveTask,
    Shown,
    TextTask,
    WhichTask,
    is_prediction,
)
from nimdesk.lessons.words import verdict_words

MINE = [number for number in COURSE if number >= 2]
ASKED = [(number, step) for number in MINE for step, each in enumerate(COURSE[number].steps, 1) if each.task]

OPTIONS: dict[tuple[int, int], dict[str, Any]] = {
    (3, 6): {"exploration": 0.9},
    (4, 4): {"exploration": 0.7},
    (5, 6): {"playouts": "zeroing"},
    (6, 4): {"prove": True, "merge": True},
    (7, 6): {"merge": True},
    (8, 6): {"ordering": "neighbours"},
}
PROOF = ["b2", "a1", "c2", "d2", "a2"]


# The form


def test_the_course_has_twelve_lessons_of_ten_minutes() -> None:
    assert list(COURSE) == list(range(1, 13))
    assert {COURSE[number].minutes for number in COURSE} == {10}


def test_each_lesson_is_a_page_of_the_site() -> None:
    pages = [page.read_text(encoding="utf-8") for page in sorted((resources_dir() / "docs" / "lessons").glob("[0-9]*"))]
    assert pages == [f"<!-- generated: lesson-{number} -->\n" for number in COURSE]


@pytest.mark.parametrize("number", MINE)
def test_a_lesson_goes_from_a_question_in_short_steps_and_asks_in_several_ways(number: int) -> None:
    lesson = COURSE[number]
    assert lesson.about.endswith("?")
    assert 5 <= len(lesson.steps) <= 8
    assert len({type(step.task) for step in lesson.steps if step.task}) >= 3
    for step in lesson.steps:
        assert max(len(getattr(step, name).split()) for name in TEXTS) <= 80
        assert "](" not in step.text  # nothing is loaded


# Each question has an answer


def answers(shown: Shown, asked: tuple[int, int]) -> tuple[Any, Any]:
    """A right and a wrong answer to the question of a step."""
    task, key = shown.step.task, key_of(shown)
    match task:
        case MoveTask():
            right = key.words.split(" or ")
            return right[0], next(move.text for move in shown.position.legal_moves if move.text not in right)
        case ChoiceTask():
            return task.right, task.right % len(task.choices) + 1
        case WhichTask():
            letters = "ABCD"[: len(shown.agents)]
            return key.words, next(letter for letter in letters if letter not in key.words)
        case NumberTask():
            number = float(key.words.partition(" ")[0].replace(",", ""))
            return number, number * task.factor * 1.1 + task.within * 1.1 + 0.01
        case CurveTask():
            return key.curve, [(x, 1 - y if abs(1 - 2 * y) > 0.5 else y + 0.5) for x, y in key.curve]
        case OptionTask():
            return OPTIONS[asked], {}
        case FaultTask():
            fault = next(iter(shown.agents[task.agent - 1].options))
            return fault, next(name for name, _ in switches_of(shown, task.agent) if name != fault)
        case ProveTask():
            return PROOF, ["a1", "b2", "d1", "c2", "d4", "d2"]
    return "Because.", 0


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: f"{asked[0]}-{asked[1]}")
def test_a_right_answer_is_accepted_and_a_wrong_one_is_not(asked: tuple[int, int]) -> None:
    number, step = asked
    shown = COURSE[number].at(step)
    right, wrong = answers(shown, asked)
    if isinstance(shown.step.task, TextTask):
        assert judge(shown, right).right is None
        return
    assert judge(shown, right).right
    verdict = judge(shown, wrong)
    assert not verdict.right
    said = verdict_words(shown.step, verdict, again=False)
    if is_prediction(shown.step.task):
        assert said.startswith("✗ It came differently.")
    else:
        assert said.startswith("✗ Not yet.")
        for key in key_of(shown).words.partition(" (")[0].split(" or "):
            assert not re.search(rf"(?<![\w,.]){re.escape(key)}(?!\w)", said), "it gives the answer away"
    if isinstance(shown.step.task, NumberTask) and right == round(right):
        assert re.search(rf"(?<![\d,.]){right:,.0f}(?![\d]|,\d)", told(COURSE[number], step))
