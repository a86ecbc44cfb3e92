"""What teachers do in the window: lessons on paper, and lessons of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from desk import ALT, CTRL, LEFT, Desk, K, OpenDesk
from msgspec.structs import replace
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMessageBox, QPlainTextEdit

from nimdesk.games import parse_position
from nimdesk.lessons import Lesson, Show, Step, load_lesson, shipped_lessons
from nimdesk.lessons.drafting import Draft
from nimdesk.lessons.files import save_lesson
from nimdesk.lessons.model import AgentPart, ChoiceTask, MoveTask, TextTask
from nimdesk.search.timeline import Cost
from nimdesk.ui.lessons.editor import LessonEditor

NIM = Show(position="nim:3,4,5", agents=[AgentPart(agent="uct")])
LESSON = Lesson(title="Nim", about="Who wins?", steps=[Step(text="Win.", show=NIM, task=MoveTask())])


@pytest.mark.parametrize("action", ["worksheet", "answer_key"])
@pytest.mark.parametrize("under_way", [False, True])
def test_a_lesson_is_printed(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str, under_way: bool
) -> None:
    file, paper = tmp_path / "nim.nimdesk-lesson", tmp_path / "nim.pdf"
    if under_way:
        desk.session.lessons.begin(LESSON)
    else:
        save_lesson(LESSON, file)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(paper), ""))
    desk.window.actions_by_name[action].trigger()
    desk.wait(paper.exists)
    assert paper.read_bytes().startswith(b"%PDF-")
    desk.wait(lambda: str(paper) in desk.window.status.currentMessage())


def editor_of(desk: Desk) -> LessonEditor:
    desk.window.actions_by_name["edit_lesson"].trigger()
    editor = desk.session.teaching.editor
    assert editor is not None
    return editor


def test_one_key_makes_the_laboratory_a_step(desk: Desk) -> None:
    page = desk.analyse()
    page.model.place.go_to(parse_position("nim:1,2"))
    page.set_two_views(True)
    page.set_truth_shown(False)
    page.model.searches.set_limit_of(Cost.ITERATIONS, 700)
    desk.press((K.Key_N, CTRL | ALT))
    editor = desk.session.teaching.editor
    assert editor is not None
    (step,) = editor.lesson.steps
    show, studied = step.show, page.model.agents.studied
    assert (show.position, show.iterations, show.truth) == ("nim:1,2", 700, "hidden")
    assert [(part.agent, part.seed) for part in show.agents] == [(each.agent.name, each.seed) for each in studied]
    assert show.agents[0].options == {}, "its memory is the machine's"
    assert show.second is not None
    assert "step 1 of “My lesson”" in desk.window.status.currentMessage()


def test_a_lesson_is_written_checked_tried_and_saved(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.analyse()
    editor = editor_of(desk)
    assert "Add a step" in editor.problem.text()
    QTest.mouseClick(editor.add, LEFT)
    QTest.keyClicks(editor.text, "Who **wins**?")
    assert editor.preview.toPlainText() == "Who wins?"
    editor.question.setCurrentIndex(editor.question.findData("choice"))
    desk.wait(lambda: "step 1" in editor.problem.text())
    assert not editor.buttons["&Save…"].isEnabled()
    for lines in editor.forms["choice"].findChildren(QPlainTextEdit):
        QTest.keyClicks(lines, "First")
        QTest.keyClick(lines, K.Key_Return)
        QTest.keyClicks(lines, "Second")
    editor.locks["truth"].click()
    desk.wait(editor.buttons["&Save…"].isEnabled)
    path = tmp_path / "own.nimdesk-lesson"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    QTest.mouseClick(editor.buttons["&Save…"], LEFT)
    lesson = load_lesson(path)
    assert lesson.locked == ["truth"]
    assert lesson.steps[0].text == "Who **wins**?"
    assert lesson.steps[0].task == ChoiceTask(choices=["First", "Second"], right=1)
    QTest.mouseClick(editor.buttons["Try &it"], LEFT)
    assert desk.session.lessons.lesson == lesson
    assert not editor.isVisible(), "it would hide what is tried"


def test_what_is_written_is_there_after_the_next_start(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5")
    desk.analyse()
    editor = editor_of(desk)
    QTest.mouseClick(editor.add, LEFT)
    QTest.keyClicks(editor.text, "Half a sent")
    desk.close()
    again = editor_of(open_desk("nim:3,4,5"))
    assert again.text.toPlainText() == "Half a sent"
    assert again.steps.count() == 1


def test_a_number_typed_a_moment_ago_is_saved(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = editor_of(desk)
    editor.take_lesson(replace(LESSON, steps=[replace(LESSON.steps[0], task=TextTask())]))
    editor.tabs.setCurrentIndex(1)
    field = editor.forms["text"].findChildren(QLineEdit)[0]
    path = tmp_path / "own.nimdesk-lesson"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    desk.type_into(field, "7")
    QTest.mouseClick(editor.buttons["&Save…"], LEFT)
    assert load_lesson(path).steps[0].task == TextTask(lines=7)


def test_a_question_whose_kind_is_changed_and_changed_back_has_its_fields(desk: Desk) -> None:
    editor = editor_of(desk)
    asked = ChoiceTask(choices=["One", "Two"], right=2)
    steps = [replace(LESSON.steps[0], task=asked), Step(text="And?")]
    editor.take_lesson(replace(LESSON, steps=steps))
    for kind in ("text", "", "choice"):
        editor.question.setCurrentIndex(editor.question.findData(kind))
    editor.check()
    assert editor.lesson.steps[0].task == asked
    editor.steps.setCurrentRow(1)
    editor.question.setCurrentIndex(editor.question.findData("choice"))
    assert editor.draft.steps[1]["task"]["choices"] == [], "they belong to another step"


def test_a_draft_that_cannot_be_read_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "draft.nimdesk-lesson"
    kinds = (b"[]", b'{"steps": [{"text": 5}]}', b'{"steps": [{"show": {"agents": [1]}}]}')
    for bad in (b'{"steps": [', b'{"title": "\xff"}', b"[" * 100_000, *kinds):
        path.write_bytes(bad)
        draft = Draft(path)
        assert "cannot be read: it is no lesson. It was kept as" in draft.problem
        assert draft.steps == []
        assert not path.exists()
    draft.steps.append({"text": "Half a"})
    draft.keep()
    assert Draft(path).plain == draft.plain


def test_two_windows_that_write_one_draft_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "draft.nimdesk-lesson"
    one, other = Draft(path), Draft(path)
    one.steps.append({"text": "One"})
    assert one.keep() == ""
    assert other.refresh()
    assert other.plain == one.plain
    assert not other.refresh()
    one.steps.append({"text": "Two"})
    one.keep()
    other.steps.append({"text": "And"})
    told = other.keep()
    (aside,) = (each for each in tmp_path.iterdir() if each != path)
    assert "Another window" in told
    assert aside.name in told
    assert Draft(aside).plain == one.plain
    assert Draft(path).plain == other.plain


def test_an_editor_shows_what_another_window_has_written_before_anything_is_added(desk: Desk) -> None:
    desk.analyse()
    editor = editor_of(desk)
    QTest.mouseClick(editor.add, LEFT)
    QTest.keyClicks(editor.text, "Mine")
    editor.check()
    other = Draft(editor.draft.path)
    other.steps[0]["text"] = "Theirs"
    other.keep()
    desk.session.teaching.add_step()
    assert [step["text"] for step in editor.draft.steps] == ["Theirs", ""]
    assert Draft(editor.draft.path).plain == editor.draft.plain
    other.refresh()
    other.steps[0]["text"] = "Theirs, at the same time"
    other.keep()
    QTest.keyClicks(editor.text, "Mine, too")
    editor.check()
    assert editor.problem.text().startswith("Another window has changed this lesson, too")


def test_steps_are_moved_and_deleted_and_every_question_has_its_form(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = editor_of(desk)
    editor.take_lesson(Lesson(title="Two", about="?", steps=[Step(text="One", show=NIM), Step(text="Two")]))
    editor.steps.setCurrentRow(0)
    QTest.mouseClick(editor.down, LEFT)
    assert [step["text"] for step in editor.draft.steps] == ["Two", "One"]
    assert editor.steps.currentRow() == 1
    for row in range(1, editor.question.count()):
        editor.question.setCurrentIndex(row)
        assert editor.draft.steps[1]["task"]["kind"] == editor.question.currentData()
    editor.question.setCurrentIndex(0)
    assert "task" not in editor.draft.steps[1]
    monkeypatch.setattr(QMessageBox, "exec", lambda _box: QMessageBox.StandardButton.Yes)
    QTest.mouseClick(editor.delete, LEFT)
    assert [step["text"] for step in editor.draft.steps] == ["Two"]
    assert editor.problem.text().startswith("In step 1: the position is empty")


def test_all_lessons_pass_through_the_editor_unchanged(desk: Desk) -> None:
    editor = editor_of(desk)
    for lesson in shipped_lessons():
        editor.take_lesson(lesson)
        for row in range(len(lesson.steps)):
            editor.steps.setCurrentRow(row)
            kind = editor.question.currentData()
            for form in (editor.show_form, *(editor.forms[name] for name in editor.forms if name == kind)):
                form.changed.emit()
        editor.check()
        assert editor.lesson == lesson
