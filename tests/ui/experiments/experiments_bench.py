"""What a person does on the experiments page, shared by its tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from desk import CTRL, WAIT_MS, Desk, K
from PySide6.QtWidgets import QFileDialog

from nimdesk.experiments.run import RunState
from nimdesk.ui.experiments.matches_panel import MatchesPanel
from nimdesk.ui.experiments.page import ExperimentsPage
from nimdesk.ui.experiments.runner import Frame
from nimdesk.ui.experiments.study_panel import StudyPanel
from nimdesk.ui.look.actions import EXPERIMENTS


class Bench:
    """One run of the program with the page in front."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        desk.press((K.Key_3, CTRL))
        desk.wait(lambda: desk.window.modes.mode == EXPERIMENTS)
        page = desk.session.experiments.page
        assert page is not None
        self.page: ExperimentsPage = page

    @property
    def study(self) -> StudyPanel:
        return self.page.panel(StudyPanel)

    @property
    def matches(self) -> MatchesPanel:
        return self.page.panel(MatchesPanel)

    def wait(self, done: Callable[[], bool]) -> None:
        self.desk.wait(done, WAIT_MS * 3)

    def enabled(self, *names: str) -> list[bool]:
        found: list[bool] = self.desk.enabled(*names)
        return found

    # The study

    def set_up(self, budgets: str = "10,100", searches: str = "12", positions: str = "nim:3,4,5") -> None:
        """Fill in a study that is done in a moment."""
        form = self.study.form
        self.desk.type_into(form.budgets.line, budgets)
        self.desk.type_into(form.seeds, searches)
        form.positions.set_texts(positions.split("\n"))

    def wait_for_study(self, *states: RunState) -> Frame:
        self.wait(lambda: self.study.runner.state in states)
        frame = self.study.frame
        assert frame is not None
        return frame

    def wait_for_stored(self) -> Frame:
        self.wait(lambda: self.study.frame is not None)
        assert self.study.frame is not None
        return self.study.frame

    def wait_for_searches(self, count: int = 1) -> None:
        self.wait(lambda: self.study.frame is not None and self.study.frame.results.done >= count)

    # Matches

    def show_matches(self) -> MatchesPanel:
        self.page.tabs.setCurrentWidget(self.matches)
        self.wait(lambda: self.matches.frame is not None)
        return self.matches

    def choose(self, name: str, games: str) -> None:
        """Choose this published table with so many games."""
        panel = self.show_matches()
        item = next(
            item for item in panel.runs.list.items() if item.data(0, 256) is not None and item.data(0, 256).name == name
        )
        panel.runs.list.setCurrentItem(item)
        self.desk.type_into(panel.games, games)
        self.wait(lambda: panel.frame is not None)

    def copy(self) -> None:
        """Edit a copy of the plan shown; its positions are read before."""
        self.matches.copy.click()
        self.wait(lambda: self.matches.pages.currentWidget() is self.matches.editor)

    def wait_for_run(self, state: RunState) -> None:
        self.wait(lambda: self.matches.runner.state is state)

    def wait_for_games(self, count: int = 1) -> None:
        self.wait(lambda: self.matches.frame is not None and self.matches.frame.done >= count)


def answer_dialogs(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Whoever asks for a file, or a folder, gets this one."""
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args: (str(path), ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_args: (str(path), ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_args: str(path))
