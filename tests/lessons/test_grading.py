"""A class is graded by its lessons: not by what files say of themselves; a bad file harms no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from nimdesk.errors import LessonError
from nimdesk.lessons import Lesson, StepAnswer, judge
from nimdesk.lessons.answers import no_answers, write_answers
from nimdesk.lessons.files import lesson_from, save_lesson
from nimdesk.lessons.grading import RIGHT, TO_READ, WRONG, grade_folder, table_of
from nimdesk.lessons.keys import keys_of

TASKS: tuple[dict[str, Any], ...] = (
    {"kind": "move"},
    {"kind": "choice", "choices": ["one", "twelve"], "right": 2},
    {"kind": "text", "answer": "It is 2."},
)


def nim(*tasks: dict[str, Any], **changed: Any) -> Lesson:
    shown = {"position": "nim:3,4,5", "agents": [{"agent": "uct"}]}
    steps = [{"text": "Look.", "show": shown}, *({"text": "", "task": task} for task in tasks)]
    plain = {"format": "nimdesk-lesson", "version": 1, "title": "Nim", "about": "Who wins?", "steps": steps}
    return lesson_from(msgspec.json.encode({**plain, **changed}))


def hand_in(folder: Path, lesson: Lesson, person: str, **answers: Any) -> None:
    """``answers`` are by step, each claimed to be right."""
    made = no_answers(lesson, person)
    for name, answer in answers.items():
        made = made.with_answer(StepAnswer(step=int(name[1:]), answer=answer, right=True, attempts=2, seconds=30.0))
    folder.mkdir(exist_ok=True)
    write_answers(made, folder / f"{person}.nimdesk-answers")


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    made = nim(*TASKS)
    save_lesson(made, tmp_path / "nim.nimdesk-lesson")
    return made


def test_every_answer_is_judged_again(tmp_path: Path, lesson: Lesson) -> None:
    hand_in(tmp_path, lesson, "ann", s2="1-2", s3=1, s4="Two.")
    hand_in(tmp_path / "late", lesson, "bob", s2="1-1")
    ann, bob = grade_folder(tmp_path).grades
    assert ann.steps == {2: (RIGHT, "1-2"), 3: (WRONG, "1"), 4: (TO_READ, "Two.")}
    assert (ann.right, ann.wrong, ann.to_read, ann.open, ann.attempts, ann.seconds) == (1, 1, 1, 0, 6, 90.0)
    assert (bob.file, bob.person, bob.wrong, bob.open) == ("late/bob.nimdesk-answers", "bob", 1, 2)


def test_a_bad_file_is_one_sentence_and_the_others_are_graded(tmp_path: Path, lesson: Lesson) -> None:
    hand_in(tmp_path, lesson, "ann", s2="1-2")
    hand_in(tmp_path, nim(*TASKS, title="Chess"), "eve", s2="1-2")
    (tmp_path / "cut.nimdesk-answers").write_text('{"format": "nimdesk-answers"')
    (tmp_path / "bad.nimdesk-lesson").write_text("{}")
    graded = grade_folder(tmp_path)
    assert [each.person for each in graded.grades] == ["ann"]
    bad, cut, eve = graded.left_out
    assert "bad.nimdesk-lesson" in bad
    assert "“cut.nimdesk-answers” cannot be opened: its end is missing" in cut
    assert eve == "“eve.nimdesk-answers” answers “Chess”, which is not here; put that lesson into the folder."
    with pytest.raises(LessonError, match=r"There are no answers in"):
        grade_folder(tmp_path / "late")


def test_another_edition_and_an_answer_that_is_none_are_told(tmp_path: Path, lesson: Lesson) -> None:
    hand_in(tmp_path, nim(*TASKS, minutes=20), "ann", s2="9-9", s3=2)
    graded = grade_folder(tmp_path)
    edition, answer = graded.notes
    assert "another edition of “Nim”" in edition
    assert answer.startswith("“ann.nimdesk-answers”, step 2: ")
    assert graded.grades[0].steps[2] == (WRONG, "9-9")
    assert graded.grades[0].right == 1


def test_the_table_has_a_file_a_row_whatever_their_lessons_ask(tmp_path: Path, lesson: Lesson) -> None:
    hand_in(tmp_path, lesson, "ann", s2="1-2")
    hand_in(tmp_path, other := nim(TASKS[0], title="Short"), "bob", s2="1-1")
    head, rows = table_of(grade_folder(tmp_path, [other]).grades)
    assert [len(row) for row in rows] == [len(head)] * 2
    ann, bob = (dict(zip(head, row, strict=True)) for row in rows)
    assert (ann["step 2"], ann["answer 2"], ann["step 4"]) == ("right", "1-2", "")
    assert (bob["lesson"], bob["step 2"], bob["step 4"]) == ("Short", "wrong", None)


def test_keys_are_answers_that_are_judged_right() -> None:
    made = nim(*TASKS)
    keys = [key.words for key in keys_of(made)]
    assert keys == ["", "1-2", "twelve", "It is 2."]
    assert judge(made.at(2), keys[1]).right


def test_a_key_that_cannot_be_worked_out_says_why() -> None:
    made = nim({"kind": "number", "number": "proven", "iterations": 5})
    assert keys_of(made)[1].words == "The agent “uct” has proven nothing after 5 simulations."
