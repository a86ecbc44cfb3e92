"""A program becomes a player in the window."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from desk import OpenDesk
from engine_programs import ENGINES
from plugin_packages import leave_catalogue
from PySide6.QtCore import Qt

from nimdesk.agents import CATALOGUE
from nimdesk.agents.engines import added_engines
from nimdesk.ui.play.add_engine import AddEngineDialog


@pytest.fixture(autouse=True)
def _catalogue() -> Iterator[None]:
    before = set(CATALOGUE)
    yield
    leave_catalogue(but=before)


def test_a_program_is_added_and_plays_at_once(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:1,2")

    def fill(dialog: AddEngineDialog) -> None:
        for field, text in (
            (dialog.program, sys.executable),
            (dialog.arguments, str(ENGINES / "uct.py")),
            (dialog.name, "level1"),
        ):
            field.setText(text)
        desk.qtbot.mouseClick(dialog.ok, Qt.MouseButton.LeftButton)
        assert "already" in dialog.problem.text()
        dialog.name.setText("own")
        desk.qtbot.mouseClick(dialog.ok, Qt.MouseButton.LeftButton)
        assert not dialog.ok.isEnabled(), "it is being started"
        desk.wait(lambda: bool(dialog.added))

    desk.in_dialog(desk.window.actions_by_name["add_engine"].trigger, fill)
    assert [each.name for each in added_engines()] == ["own"]
    desk.choose_player(1, "UCT in Python")
    desk.click("2-1")
    desk.wait(lambda: len(desk.moves) == 2)
    assert desk.controller.game.plies[1].by == "UCT in Python"


def test_what_is_wrong_is_said_in_the_dialog(open_desk: OpenDesk, tmp_path: Path) -> None:
    desk = open_desk("nim:1,2")

    def fill(dialog: AddEngineDialog) -> None:
        dialog.name.setText("none")
        desk.qtbot.mouseClick(dialog.ok, Qt.MouseButton.LeftButton)
        assert dialog.problem.text() == "Name the program to start."
        dialog.program.setText(str(tmp_path / "nothing"))
        desk.qtbot.mouseClick(dialog.ok, Qt.MouseButton.LeftButton)
        desk.wait(lambda: "The engine “none”" in dialog.problem.text())
        dialog.reject()

    desk.in_dialog(desk.window.actions_by_name["add_engine"].trigger, fill)
    assert added_engines() == ()
