"""What teachers do in the window: lessons on paper, and lessons of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from desk import Desk
from PySide6.QtWidgets import QFileDialog

from nimdesk.lessons import Lesson, Show, Step
from nimdesk.lessons.files import save_lesson
from nimdesk.lessons.model import AgentPart, MoveTask

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
