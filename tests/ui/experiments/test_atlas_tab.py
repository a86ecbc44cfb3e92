"""The tab of atlases: a file as a table, sorted, and the way from a position into the laboratory."""

from __future__ import annotations

from pathlib import Path

import pytest
from desk import K
from experiments_bench import Bench, answer_dialogs
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from nimdesk.experiments.atlas.tally import AtlasTally
from nimdesk.experiments.atlas.work import AtlasResult, AtlasSet
from nimdesk.experiments.files import read
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import atlas_plan
from nimdesk.experiments.run import RunState
from nimdesk.experiments.store import Store
from nimdesk.ui.experiments.atlas_form import AtlasDialog
from nimdesk.ui.experiments.atlas_tab import AtlasTab
from nimdesk.ui.experiments.run_list import RunWordsDialog
from nimdesk.ui.figure_dialog import FigureDialog
from nimdesk.ui.look.actions import LABORATORY

STARTS = ["nim:1,2,4", "nim:3,4", "mnk:3,3,3 a1"]


@pytest.fixture
def atlas(tmp_path: Path) -> Path:
    """Three positions with one agent; the second is the worst trap, the third gets worse."""
    path = tmp_path / "some.db"
    plan = atlas_plan("some", [PlayerPart(agent="uct")], [AtlasSet(starts=STARTS)], [10, 100], 1_000)
    right = [(900, 950), (50, 60), (900, 500)]
    with Store.open_for(path, plan) as store:
        for number, optimal in enumerate(right):
            regret = tuple(2 * (1_000 - each) for each in optimal)
            store.add(
                AtlasResult(
                    number=number, value="win", moves=1, best=1, searches=1_000, optimal=optimal, regret=regret,
                    settled=optimal, wrong="1-1", plies=4,
                )
            )  # fmt: skip
    return path


def test_an_atlas_is_sorted_and_its_positions_open_in_the_laboratory(
    bench: Bench, atlas: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = bench.page.panel(AtlasTab)
    bench.page.tabs.setCurrentWidget(tab)
    bench.wait(lambda: tab.about.text().startswith("atlas.db: 3,924 of 3,924 pairs"))
    assert bench.enabled("exp_start", "exp_csv", "exp_figure") == [False, True, True]
    answer_dialogs(monkeypatch, atlas)
    choose(tab, "Open")
    bench.wait(lambda: tab.table.model().rowCount() == 3)
    assert "3 of 3 pairs of position and agent, 1,000 searches each" in tab.about.text()
    assert "3 of 3 pairs of position and agent, finished" in tab.head.status.text()

    def shown() -> list[str]:
        model = tab.table.model()
        return [model.index(row, 0).data() for row in range(model.rowCount())]

    assert shown() == ["nim:3,4", "mnk:3,3,3 a1", "nim:1,2,4"]
    tab.order.setFocus()
    QTest.keyClick(tab.order, Qt.Key.Key_Down)
    assert shown()[0] == "mnk:3,3,3 a1"
    tab.agents.setFocus()
    QTest.keyClick(tab.agents, Qt.Key.Key_Down)
    assert "more simulations make it worse at some budget, by up to 40% of the searches" in tab.found.text()

    bench.desk.window.actions_by_name["exp_figure"].trigger()
    (figure,) = tab.findChildren(FigureDialog)
    assert "3 positions with a choice, up to 1,000 searches of each" in figure.caption.toPlainText()
    figure.shown.setCurrentText("The first rows of the table")
    assert "where more simulations make it worse" in figure.caption.toPlainText(), "as the table is sorted"
    assert figure.save.isEnabled()
    figure.reject()

    tab.table.setFocus()
    tab.table.selectRow(0)
    bench.desk.press(K.Key_Return)
    bench.wait(lambda: bench.desk.window.modes.mode == LABORATORY)
    page = bench.desk.session.laboratory.page
    assert page is not None
    assert page.model.place.position.text == "mnk:3,3,3 a1"


def choose(tab: AtlasTab, words: str) -> None:
    tab.earlier.list.aboutToShow.emit()
    next(action for action in tab.earlier.list.actions() if words in action.text().replace("&", "")).trigger()


def test_an_atlas_is_made_named_and_found_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    tab = bench.page.panel(AtlasTab)
    bench.page.tabs.setCurrentWidget(tab)
    bench.wait(lambda: tab.frame is not None)

    def fill_in(dialog: AtlasDialog) -> int:
        dialog.games.set_text("chess")
        assert not dialog.accepting.isEnabled()
        dialog.games.set_text("nim-2x3; nim:1,2")
        dialog.budgets.set_text("10, 50")
        dialog.seeds.set_value(8)
        assert dialog.accepting.isEnabled()
        return dialog.DialogCode.Accepted

    def name(dialog: RunWordsDialog) -> int:
        dialog.name.setText("Small Nim")
        return dialog.DialogCode.Accepted

    monkeypatch.setattr(AtlasDialog, "exec", fill_in)
    choose(tab, "New atlas")
    bench.wait(lambda: tab.frame is not None and "Not run yet" in tab.head.status.text())
    bench.desk.press(K.Key_F5)
    bench.wait(lambda: tab.runner.state is RunState.FINISHED and "finished" in tab.head.status.text())
    assert tab.frame is not None
    assert tab.path is not None
    stored = read(tab.path)[AtlasTally]
    assert stored is not None
    assert tab.table.model().rowCount() == len(stored.rows()) > 0
    monkeypatch.setattr(RunWordsDialog, "exec", name)
    bench.wait(lambda: any(entry.path == tab.path for entry in tab.earlier.entries))
    choose(tab, "Name")
    choose(tab, "Reference")
    bench.wait(lambda: tab.about.text().startswith("atlas.db"))
    bench.wait(lambda: any(entry.name for entry in tab.earlier.entries))
    choose(tab, "Small Nim")
    bench.wait(lambda: tab.about.text().startswith("Small Nim: 18 of 18 pairs"))


def test_another_file_is_told_in_a_sentence(bench: Bench, tmp_path: Path) -> None:
    tab = bench.page.panel(AtlasTab)
    (tmp_path / "broken.db").write_bytes(b"no results")
    tab.show_file(tmp_path / "broken.db")
    bench.wait(lambda: "not a results file" in tab.head.problem.text())
    assert tab.table.model().rowCount() == 0


def test_what_is_wrong_with_an_atlas_is_read_whole_in_its_dialog(qtbot: QtBot) -> None:
    dialog = AtlasDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    problem = dialog.games.problem
    dialog.games.set_text("3,3,3nim:1,2,3")
    qtbot.waitUntil(lambda: problem.height() >= problem.heightForWidth(problem.width()))
    assert problem.isVisible()
