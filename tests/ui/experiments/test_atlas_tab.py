"""The tab of atlases: a file as a table, sorted, and the way from a position into the laboratory."""

from __future__ import annotations

from pathlib import Path

import pytest
from desk import K
from experiments_bench import Bench, answer_dialogs
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from nimdesk.experiments.plan import AtlasSet, PlayerPart, atlas_plan
from nimdesk.experiments.results import AtlasResult
from nimdesk.experiments.store import Store
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
    tab = bench.page.atlas
    bench.page.tabs.setCurrentWidget(tab)
    assert not any(bench.enabled("exp_start", "exp_csv")), "there is nothing to run here"
    bench.wait(lambda: tab.title.text().startswith("atlas.db: 1,736 of 1,736 pairs"))
    answer_dialogs(monkeypatch, atlas)
    QTest.mouseClick(tab.open, Qt.MouseButton.LeftButton)
    bench.wait(lambda: tab.table.model().rowCount() == 3)
    assert "3 of 3 pairs of position and agent, 1,000 searches each" in tab.title.text()

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

    tab.table.setFocus()
    tab.table.selectRow(0)
    bench.desk.press(K.Key_Return)
    bench.wait(lambda: bench.desk.window.modes.mode == LABORATORY)
    page = bench.desk.session.laboratory.page
    assert page is not None
    assert page.model.place.position.text == "mnk:3,3,3 a1"


def test_another_file_is_told_in_a_sentence(bench: Bench, tmp_path: Path) -> None:
    tab = bench.page.atlas
    (tmp_path / "broken.db").write_bytes(b"no results")
    tab.show_file(tmp_path / "broken.db")
    bench.wait(lambda: "not a results file" in tab.title.text())
    assert tab.table.model().rowCount() == 0
