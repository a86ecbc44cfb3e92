"""The tab of solved boards: the table that comes with nimdesk, one of one's own, the CSV, and the way to a board."""

from __future__ import annotations

import csv
import threading
from pathlib import Path

import pytest
from desk import K
from experiments_bench import Bench, answer_dialogs
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from nimdesk.agents import make_agent
from nimdesk.experiments.solved import SolvedFile, work
from nimdesk.play import Human
from nimdesk.ui.look.actions import PLAY


def test_boards_are_shown_beside_what_is_published_exported_and_opened(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = SolvedFile(tmp_path / "own.json")
    assert len(list(work(own, ["mnk:4,3,3", "mnk:3,3,3"], 60.0, threading.Event()))) == 2
    tab = bench.page.solved
    bench.page.tabs.setCurrentWidget(tab)
    model = tab.table.model()
    bench.wait(lambda: model.rowCount() > 100)
    assert tab.title.text().startswith("solved.json: ")
    assert "all of which agree with it" in tab.title.text()

    answer_dialogs(monkeypatch, own.path)
    QTest.mouseClick(tab.open, Qt.MouseButton.LeftButton)
    bench.wait(lambda: model.rowCount() == 3)
    assert [model.index(0, column).data() for column in (0, 1, 2, 6)] == ["mnk:4,3,3", "win", "7", "win"]
    assert model.index(2, 1).data() == "win, unless the nim-sum is 0"
    tab.table.setFocus()
    tab.table.selectRow(0)
    assert "Published: win (Uiterwijk and van den Herik" in tab.found.text()

    answer_dialogs(monkeypatch, tmp_path / "out.csv")
    QTest.mouseClick(tab.export, Qt.MouseButton.LeftButton)
    with (tmp_path / "out.csv").open(encoding="utf-8") as file:
        assert [row["agrees"] for row in csv.DictReader(file)] == ["yes", "yes", ""]

    tab.table.setFocus()
    bench.desk.press(K.Key_Return)
    bench.wait(lambda: bench.desk.window.modes.mode == PLAY)
    controller = bench.desk.session.controller
    assert controller.position.text == "mnk:4,3,3"

    assert tab.certificate.isEnabled()
    tab.table.selectRow(2)
    assert not tab.certificate.isEnabled(), "the formula of Nim has none"
    tab.table.selectRow(1)
    tab.certificate.click()
    bench.wait(lambda: controller.position.text == "mnk:3,3,3")
    assert controller.game.players == (Human(), make_agent("certificate"))


def test_another_file_of_boards_is_told_in_a_sentence(bench: Bench, tmp_path: Path) -> None:
    tab = bench.page.solved
    (tmp_path / "broken.json").write_bytes(b"no results")
    tab.show_file(tmp_path / "broken.json")
    bench.wait(lambda: "is no table of solved boards" in tab.title.text())
    assert tab.table.model().rowCount() == 0
