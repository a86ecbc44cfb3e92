"""Matches and published tables in the window: gallery, runs that come back, editor, games on the board, precedence."""

from __future__ import annotations

import json
import random
import shlex
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from desk import CTRL, ENDLESS, WAIT_MS, K, OpenDesk
from experiments_bench import Bench, answer_dialogs
from many_games import MANY, filled, plan_of_many
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from nimdesk.__main__ import main
from nimdesk.agents import CATALOGUE, make_agent
from nimdesk.experiments.atlas.work import AtlasSet
from nimdesk.experiments.files import Found, RunEntry, default_path
from nimdesk.experiments.hypotheses import OF_SCORE
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.work import Clock, GameResult, GameTask, MatchPart, PlyResult
from nimdesk.experiments.parts import PlayerPart, position_of
from nimdesk.experiments.plan import Plan, atlas_plan, load_plan, new_plan, study_plan
from nimdesk.experiments.published import BUILT_IN
from nimdesk.experiments.results import Result
from nimdesk.experiments.run import RunState
from nimdesk.experiments.schedule import Schedule, schedule_of
from nimdesk.experiments.searches import SEARCHES, SearchPart, SearchResult
from nimdesk.experiments.statistics import Sprt, signed, wilson
from nimdesk.experiments.store import Store
from nimdesk.experiments.tuning import parse_settings, tuning_plan, with_budget
from nimdesk.figures.drawing import read_panels
from nimdesk.games import AnyPosition, parse_position
from nimdesk.play import Human
from nimdesk.play.moment import State
from nimdesk.settings import SettingsStore
from nimdesk.ui.experiments.agent_picks import AgentPicks
from nimdesk.ui.experiments.charts import search_charts
from nimdesk.ui.experiments.fields import PositionsField
from nimdesk.ui.experiments.kinds import IN_WINDOW, InWindow, charts_of
from nimdesk.ui.experiments.matches_panel import MatchesPanel
from nimdesk.ui.experiments.plan_form import EditedForm, Field
from nimdesk.ui.experiments.run_list import RunWordsDialog
from nimdesk.ui.experiments.runner import Frame, frame_of
from nimdesk.ui.experiments.tables import GamesTable
from nimdesk.ui.experiments.tune_form import TuneForm
from nimdesk.ui.figure_dialog import FigureDialog
from nimdesk.ui.jobs.bridge import Bridge, Job
from nimdesk.ui.look.actions import PLAY
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.plots.bars import Bar, BarChart, BarGroup, BarsPlot

TOURNAMENTS = "003-tournaments"


def test_the_gallery_says_of_every_published_table_what_it_is_and_where_from(bench: Bench) -> None:
    panel = bench.show_matches()
    for name, built_in in BUILT_IN.items():
        item = next(item for item in panel.runs.list.items() if item.data(0, 256).name == name)
        panel.runs.list.setCurrentItem(item)
        text = panel.view.about.toPlainText()
        assert built_in.about in text
        assert built_in.source in text
        assert panel.plan is built_in.plan
    bench.wait(lambda: "games or searches, about" in panel.view.about.toPlainText())


def test_a_published_table_runs_and_stands_beside_the_published_figures(bench: Bench) -> None:
    bench.choose("002-table-2", "3")
    panel = bench.matches
    assert panel.head.status.text() == "Not run yet: Start (F5) runs it."
    bench.desk.press(K.Key_F5)
    bench.wait_for_run(RunState.FINISHED)
    frame = panel.frame
    assert frame is not None
    assert (frame.done, frame.total) == (27, 27)
    chart = next(chart for chart in frame.charts if chart.title == "Wins by players")
    bar = chart.groups[0].bars[0]
    assert bar.published == (0.6, 0.6)
    assert bar.interval == wilson(round(bar.shares[0] * 3), 3)
    pies = next(chart for chart in frame.charts if chart.pies)
    assert pies.title == "Figure 4: MCTS against MCTS, as pies"
    assert [group.title for group in pies.groups] == ["Published", "mnk:3,3,3", "mnk:4,4,3", "mnk:5,5,4"]
    assert [bar.shares for bar in pies.groups[0].bars] == [(0.6, 0.0, 0.4), (0.45, 0.0, 0.55), (0.85, 0.0, 0.15)]
    for of_board, ours in zip(chart.groups[0].bars, pies.groups[1:], strict=True):
        assert (of_board.name, of_board.shares) == (ours.title, ours.bars[0].shares)
    titles = [panel.view.tabText(i).replace("&", "") for i in range(panel.view.count()) if panel.view.isTabVisible(i)]
    assert titles[:2] == ["About", "Chart"]
    assert "Published and ours" in titles
    page = panel.view.tables["Published and ours"]
    panel.view.setCurrentWidget(page)
    assert "of 18 figures can be told: " in page.note.text()
    assert "cannot be told from so few games" in page.note.text()
    panel.view.setCurrentWidget(panel.view.games)
    assert panel.view.games.model().rowCount() == 27


def test_a_pie_has_the_shares_of_its_bar(qtbot: QtBot) -> None:
    plot = BarsPlot()
    qtbot.addWidget(plot)
    plot.resize(500, 300)

    def inked(first: float) -> int:
        bar = Bar("A – B", (first, 0.0, 1.0 - first), None, "")
        plot.show_chart(BarChart("Pies", ("won", "drawn", "lost"), (BarGroup("Published", (bar,)),), pies=True))
        image, color = plot.grab().toImage(), LOOK.theme.color("first").rgb()
        return sum(image.pixel(x, y) == color for x in range(image.width()) for y in range(image.height()))

    none, whole = inked(0.0), inked(1.0)
    assert whole > none + 1_000
    for share in (0.25, 0.4, 0.85):
        assert (inked(share) - none) / (whole - none) == pytest.approx(share, abs=0.02)


def test_the_note_of_a_table_opens_the_readings_that_explain_it(bench: Bench) -> None:
    bench.choose("002-table-2", "1")
    bench.desk.press(K.Key_F5)
    bench.wait_for_run(RunState.FINISHED)
    view = bench.matches.view
    view.setCurrentWidget(view.notes)
    bench.wait(lambda: "the readings" in view.notes.toPlainText())
    # Tab goes from link to link, Enter follows it.
    view.notes.setFocus()
    QTest.keyClick(view.notes, K.Key_Tab)
    QTest.keyClick(view.notes, K.Key_Return)
    dialog = next(each for each in bench.desk.window.findChildren(QDialog) if each.windowTitle() == "The readings")
    text = dialog.findChild(QTextBrowser)
    assert text is not None
    bench.wait(lambda: text.textCursor().block().text() == "Document 002, Table 2: MCTS against MCTS")
    assert text.cursorRect().top() in range(-2, 30)
    dialog.close()


def test_of_a_large_file_it_is_said_how_far_it_is_read(bench: Bench) -> None:
    plan = plan_of_many()
    filled(default_path(plan), plan)
    panel, shown = bench.show_matches(), list[tuple[int, int, str]]()
    panel.head.bar.valueChanged.connect(
        lambda value: shown.append((value, panel.head.bar.maximum(), panel.head.status.text()))
    )
    panel.show_plan(plan)
    bench.wait(lambda: panel.frame is not None and panel.frame.schedule.digest == plan.digest)
    assert (10_000, MANY, "Reading the results: 10,000 of 25,000") in shown
    assert (panel.head.bar.value(), panel.head.bar.maximum()) == (1_000, 1_000)
    assert panel.head.status.text() == "25,000 of 25,000, finished"


@pytest.mark.parametrize("what", ["export", "compare"])
def test_what_reads_a_large_file_ends_in_the_middle_of_it_when_the_window_closes(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    plan, other = plan_of_many(), plan_of_many(Sprt(elo0=-400, elo1=400))
    filled(default_path(plan), plan)
    filled(default_path(other), other)
    panel = bench.show_matches()
    panel.show_plan(plan)
    bench.wait(lambda: panel.frame is not None and panel.frame.schedule.digest == plan.digest)
    jobs, read, ended = list[Job](), list[int](), threading.Event()
    start, results = Bridge.start, Store.results

    def recorded(bridge: Bridge, act: Any, **hear: Any) -> Job:
        jobs.append(start(bridge, act, **hear))
        return jobs[-1]

    def until_dropped(store: Store) -> Iterator[Result]:
        try:
            for number, each in enumerate(results(store)):
                if number == 5_000:
                    jobs[-1].drop()  # as all are when the window closes
                read.append(number)
                yield each
        finally:
            ended.set()

    monkeypatch.setattr(Bridge, "start", recorded)
    monkeypatch.setattr(Store, "results", until_dropped)
    folder = tmp_path / "tables"
    folder.mkdir()
    answer_dialogs(monkeypatch, folder)
    if what == "export":
        panel.exports.tables()
    else:
        bench.wait(lambda: any(path == default_path(other) for _name, path in panel.others()))
        panel.compare.menu().aboutToShow.emit()
        next(each for each in panel.compare.menu().actions() if each.isEnabled()).trigger()
    bench.wait(ended.is_set)
    assert len(read) == 10_001
    assert list(folder.iterdir()) == []


def test_a_run_that_goes_on_says_how_far_it_reads_what_is_there(bench: Bench) -> None:
    plan = plan_of_many()
    filled(default_path(plan), plan)
    panel, shown = bench.show_matches(), list[tuple[int, int, str]]()
    panel.show_plan(plan)
    panel.head.bar.valueChanged.connect(
        lambda value: shown.append((value, panel.head.bar.maximum(), panel.head.status.text()))
    )
    panel.runner.start(plan, default_path(plan))
    bench.wait_for_run(RunState.FINISHED)
    assert (20_000, MANY, "Reading the results: 20,000 of 25,000") in shown
    bench.wait(lambda: panel.head.status.text() == "25,000 of 25,000, finished")


def test_a_run_cancelled_while_it_reads_what_is_there_shows_no_part_of_it(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of_many()
    path, runner = filled(tmp_path / "x.db", plan), bench.matches.runner
    reading, cancelled, frames = threading.Event(), threading.Event(), list[Frame]()
    results = Store.results

    def slow_results(store: Store) -> Iterator[Result]:
        reading.set()
        assert cancelled.wait(WAIT_MS / 1000)
        return results(store)

    monkeypatch.setattr(Store, "results", slow_results)
    runner.frame_changed.connect(frames.append)
    runner.start(plan, path)
    bench.wait(reading.is_set)
    runner.cancel()
    cancelled.set()
    bench.wait_for_run(RunState.CANCELLED)
    assert frames == []


def test_a_run_cancelled_while_it_reads_leaves_the_page_with_all_that_is_there(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of_many()
    filled(default_path(plan), plan)
    panel, reading, go = bench.show_matches(), threading.Event(), threading.Event()
    results, read = Store.results, list[int]()

    def slow_results(store: Store) -> Iterator[Result]:
        reading.set()
        assert go.wait(WAIT_MS / 1000)
        read.append(0)
        for each in results(store):
            read[-1] += 1
            yield each

    monkeypatch.setattr(Store, "results", slow_results)
    panel.show_plan(plan)
    bench.wait(reading.is_set)
    reading.clear()
    panel.start()
    go.set()
    bench.wait(lambda: panel.runner.state is not RunState.READY or reading.is_set())
    panel.runner.cancel()
    bench.wait(lambda: not panel.runner.active)
    bench.wait(lambda: panel.frame is not None and panel.frame.done == MANY)
    assert panel.runner.state in (RunState.CANCELLED, RunState.FINISHED)
    assert read[0] <= 10_001, "the page's own reading ended where Start was pressed"


def test_a_table_of_nodes_shows_nodes(bench: Bench) -> None:
    panel = bench.show_matches()
    bench.choose("002-table-1", "1")
    assert panel.counted.text() == "Searches &each"
    found = Found(schedule_of(BUILT_IN["002-table-1"].plan))
    found.add(SearchResult(0, "a1", "?", 0, 165, 0.1, True, ()))
    (chart,) = charts_of(found)
    assert chart.title == "Nodes of a search by position, logarithmic"
    bar, unknown = chart.groups[0].bars[0], chart.groups[1].bars[0]
    assert (bar.name, bar.words, bar.published_words) == ("mnk:3,3,2", "165", "165")
    assert bar.published == (bar.shares[0], bar.shares[0])
    assert (unknown.words, unknown.shares) == ("no search yet", ())
    assert [words for _, words in chart.ticks][:3] == ["1", "10", "100"]


def test_a_tuning_opens_on_its_landscape() -> None:
    settings = [{"exploration": 0.1}, {"exploration": 1.0}]
    made = schedule_of(tuning_plan(make_agent("uct", {"iterations": 20}), settings, ["nim:1,2"], games=1))
    found = Found(made)
    for number in range(4):
        task = made.task(number)
        assert isinstance(task, GameTask)
        found.add(GameResult(number, "nim:1,2", 0, ()))
    chart = charts_of(found)[0]
    assert chart.title == "Landscape of exploration"
    (group,) = chart.groups
    assert [(bar.name, bar.shares) for bar in group.bars] == [
        ("exploration=0.1 (best)", (0.5, 0.0, 0.5)),
        ("exploration=1", (0.5, 0.0, 0.5)),
    ]


@pytest.mark.parametrize(("players", "games", "together"), [("ab", 1, True), ("ab", 5, False), ("abcdefg", 5, True)])
def test_bars_of_few_games_and_more_bars_than_can_be_drawn_are_one_for_each_group(
    players: str, games: int, together: bool
) -> None:
    positions = [f"nim:1,{sticks}" for sticks in range(2, 10)]
    halves = [
        MatchPart(players=[*players][::way], positions=positions[start::2], games=games)
        for start, way in enumerate((1, -1))
    ]
    made = schedule_of(new_plan("openings", {name: PlayerPart(agent="random") for name in players}, matches=halves))
    found, won = Found(made), Counter[str]()
    for number in range(made.total):
        task = made.task(number)
        assert isinstance(task, GameTask)
        winner, (first, second) = int(number % 3 == 0), task.setting.players
        found.add(GameResult(number, task.setting.position, winner, ()))
        won[f"{first} – {second}"] += winner == 0
    charts = {chart.title: chart for chart in charts_of(found)}
    points = Counter[str]()
    for (first, second), wins in ((name.split(" – "), wins) for name, wins in won.items()):
        points[f"{min(first, second)} – {max(first, second)}"] += wins if first < second else 8 * games - wins
    (pairings,) = charts["Pairings, both roles together"].groups
    assert [(bar.name, bar.shares[0]) for bar in pairings.bars] == [
        (name, score / (16 * games)) for name, score in points.items()
    ]
    chart = charts["Wins by players"]
    if not together:
        assert [group.title for group in chart.groups] == [*won]
        assert all({bar.name for bar in group.bars} == {*positions} for group in chart.groups)
        return
    (group,) = chart.groups
    assert group.title == "all positions together"
    assert [bar.name for bar in group.bars] == [*won]
    played = len(positions) * games
    assert [bar.shares[0] for bar in group.bars] == [wins / played for wins in won.values()]
    assert [bar.interval for bar in group.bars] == [wilson(wins, played) for wins in won.values()]
    assert {bar.name for bar in charts["Wins by position"].groups[0].bars} == {*positions}


def test_results_without_a_chart_open_on_their_table(bench: Bench) -> None:
    panel = bench.show_matches()
    panel.show_plan(study_plan([PlayerPart(agent="uct")], ["nim:1,2"], [10], 2))
    panel.start()
    bench.wait_for_run(RunState.FINISHED)
    bench.wait(lambda: panel.view.currentWidget() is panel.view.tables.get("Convergence"))
    assert not panel.view.isTabVisible(panel.view.indexOf(panel.view.chart_page))


class SearchesForm(EditedForm):
    """A form of a kind that has none: its positions alone."""

    def __init__(self, on_board: Callable[[], str]) -> None:
        super().__init__()
        self.players = AgentPicks([make_agent("random")], named=True)
        self.positions = PositionsField("nim:1,2", on_board)
        self.positions.changed.connect(self._on_edit)
        layout = QVBoxLayout(self)
        layout.addWidget(self.positions)
        layout.addWidget(self.use)
        self._on_edit()
        self.edited = False

    @property
    def picks(self) -> AgentPicks:
        return self.players

    def _fields_by_name(self) -> dict[str, Field]:
        return {"searched": self.positions}

    def take(self, plan: Plan) -> bool:
        if plan.searches:
            self.positions.set_texts(plan.texts)
        return self.plan is not None and self.plan.digest == plan.digest

    def _on_edit(self) -> None:
        self.edited = True
        part = SearchPart(players=["r"], positions=self.positions.texts, repeats=1)
        made = partial(new_plan, "searched", {"r": PlayerPart(agent="random")}, searches=[part])
        self._make(made, [self.positions.check()], ())
        self.changed.emit()


def test_a_kind_with_a_form_of_its_own_is_set_up_in_it_and_comes_back_to_it(
    bench: Bench, open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(IN_WINDOW, SEARCHES, InWindow(forms=(("Sea&rches", SearchesForm),), charts=search_charts))
    bench.desk.close()
    panel = Bench(again := open_desk()).show_matches()
    panel.runs.new.click()
    assert [panel.editor.tabText(at).replace("&", "") for at in range(panel.editor.count())] == [
        "Form",
        "Tuning",
        "Searches",
        "JSON",
    ]
    panel.editor.setCurrentIndex(2)
    form = panel.editor.forms[2]
    assert isinstance(form, SearchesForm)
    form.positions.set_texts(["nim:1,2", "nim:3"])
    kept = panel.editor.remember()
    form.use.click()
    assert panel.plan is not None
    assert (panel.plan.texts, panel.counted.text()) == (["nim:1,2", "nim:3"], "Searches &each")
    form.positions.set_texts(["nim:5"])
    panel.editor.take(panel.plan)
    assert (panel.editor.currentIndex(), panel.editor.plan) == (2, panel.plan)
    form.positions.set_texts(["nim:5"])
    panel.editor.setCurrentIndex(0)
    panel.editor.restore(kept)
    assert (panel.editor.currentIndex(), form.positions.texts) == (2, ["nim:1,2", "nim:3"])
    panel.editor.setCurrentIndex(3)
    assert '"searches"' in panel.editor.json.edit.toPlainText()
    again.close()


def test_the_exported_tables_are_those_of_the_command_line(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.choose(TOURNAMENTS, "2")
    bench.desk.press(K.Key_F5)
    bench.wait_for_run(RunState.FINISHED)
    answer_dialogs(monkeypatch, tmp_path / "window")
    actions = bench.desk.window.actions_by_name
    actions["exp_csv"].trigger()
    actions["exp_command"].trigger()
    words = shlex.split(QGuiApplication.clipboard().text())
    assert words == ["nimdesk", "experiment", "run", TOURNAMENTS, "--games", "2"]
    monkeypatch.setattr(sys, "argv", [*words, "--out", str(tmp_path / "own.db"), "--csv", str(tmp_path / "terminal")])
    assert main() == 0
    written = tmp_path / "window" / "published.csv"
    bench.wait(written.exists)
    for name in ("games.csv", "table.csv", "pairings.csv", "published.csv", "plan.json"):
        assert (tmp_path / "window" / name).read_bytes() == (tmp_path / "terminal" / name).read_bytes()
    report, asked = tmp_path / "window" / "report.md", []
    report.write_text("With remarks of mine.")
    monkeypatch.setattr(QMessageBox, "exec", lambda box: asked.append(box.text()))
    actions["exp_csv"].trigger()
    assert [question.partition(" and ")[0] for question in asked] == ["“report.md”"]
    assert report.read_text() == "With remarks of mine."
    answer_dialogs(monkeypatch, tmp_path / "chart.png")
    actions["exp_picture"].trigger()
    assert QImage(str(tmp_path / "chart.png")).width() == 2 * (bench.matches.view.chart.width() + 24)
    # The same chart for print, drawn from a table that has its numbers.
    answer_dialogs(monkeypatch, tmp_path / "chart.svg")
    actions["exp_figure"].trigger()
    dialog = next(each for each in bench.matches.findChildren(FigureDialog) if each.isVisible())
    frame = bench.matches.frame
    assert frame is not None
    assert [dialog.shown.itemText(at) for at in range(dialog.shown.count())] == [each.title for each in frame.charts]
    dialog.save.click()
    bench.wait((tmp_path / "chart.figure.csv.made.json").exists)
    (panel,) = read_panels(tmp_path / "chart.figure.csv")
    bars = [bar for group in frame.charts[0].groups for bar in group.bars]
    assert panel["curves"][0]["y"] == [bar.shares[0] for bar in bars]
    assert panel["curves"][0]["low"] == pytest.approx([bar.interval[0] for bar in bars if bar.interval is not None])
    assert all(bar.name in (tmp_path / "chart.svg").read_text() for bar in bars)


def test_a_run_is_paused_resumed_cancelled_and_comes_back_after_a_restart(bench: Bench, open_desk: OpenDesk) -> None:
    bench.choose("000-piles", "400")
    panel = bench.matches
    bench.desk.press(K.Key_F5)
    bench.wait_for_games()
    bench.desk.press(K.Key_F4)
    bench.wait_for_run(RunState.PAUSED)
    assert "paused" in panel.head.status.text()
    bench.wait(
        lambda: panel.frame is not None and f"\n{panel.frame.done:,} of 14,000" in panel.runs.list.items()[-1].text(0)
    )
    assert bench.enabled("exp_start", "exp_pause", "exp_cancel") == [True, False, True]
    bench.desk.press(K.Key_F5)
    bench.wait_for_run(RunState.RUNNING)
    bench.desk.press(K.Key_Escape)
    bench.wait_for_run(RunState.CANCELLED)
    assert panel.frame is not None
    done = panel.frame.done
    assert 0 < done < panel.frame.total
    bench.desk.close()

    again = Bench(open_desk())
    panel = again.show_matches()
    again.wait(lambda: any("000-piles" in item.toolTip(0) for item in panel.runs.list.items()))
    item = next(item for item in panel.runs.list.items() if "000-piles-" in item.toolTip(0))
    assert f"{done:,} of " in item.text(0)
    panel.runs.list.setCurrentItem(item)
    again.wait(lambda: panel.frame is not None and panel.frame.done == done)
    assert panel.start_text == "&Continue"
    panel.view.setCurrentWidget(panel.view.games)
    assert panel.view.games.model().rowCount() == done


def test_a_run_whose_file_was_looked_at_while_it_was_made_is_listed_all_the_same(bench: Bench) -> None:
    bench.choose("000-piles", "400")
    panel = bench.matches
    bench.desk.press(K.Key_F5)
    bench.wait_for_games()
    assert panel.path is not None
    panel.runs.list.show_runs([RunEntry(panel.path, None, 0, 0, "Nothing is stored in it yet.")], panel.path)
    assert panel.runs.list.items()[-1].text(0).partition("cannot be read: ")[2]
    bench.wait(lambda: " of 14,000" in panel.runs.list.items()[-1].text(0))


def test_a_run_that_the_command_line_made_is_listed_when_the_page_is_shown_again(bench: Bench) -> None:
    panel = bench.show_matches()
    bench.desk.press((K.Key_1, CTRL))
    bench.wait(lambda: not panel.isVisible())
    match = MatchPart(players=["r", "r"], positions=["nim:1,2"], games=2)
    plan = new_plan("elsewhere", {"r": PlayerPart(agent="random")}, matches=[match])
    Store.open_for(default_path(plan), plan).close()
    bench.desk.press((K.Key_3, CTRL))
    bench.wait(lambda: any(entry.path == default_path(plan) for entry in panel.runs.list.entries))


def test_a_run_without_results_can_be_deleted(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = bench.show_matches()
    match = MatchPart(players=["minimax", "random"], positions=["mnk:5,5,4"], games=1)
    panel.show_plan(new_plan("fails", {name: PlayerPart(agent=name) for name in match.players}, matches=[match]))
    bench.desk.press(K.Key_F5)
    bench.wait_for_run(RunState.FAILED)
    path = panel.runner.path
    assert path is not None
    bench.wait(panel.runs.remove.isEnabled)
    monkeypatch.setattr(QMessageBox, "exec", lambda _box: QMessageBox.StandardButton.Yes)
    panel.runs.remove.click()
    assert not path.exists()


def test_results_can_be_deleted(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.choose(TOURNAMENTS, "1")
    bench.desk.press(K.Key_F5)
    bench.wait_for_run(RunState.FINISHED)
    panel, path = bench.matches, bench.matches.runner.path
    assert path is not None
    monkeypatch.setattr(QMessageBox, "exec", lambda _box: QMessageBox.StandardButton.Yes)
    panel.runs.remove.click()
    assert not path.exists()
    bench.wait(lambda: panel.frame is not None and panel.frame.done == 0)


def test_a_finished_game_opens_on_the_board_with_its_searches(bench: Bench) -> None:
    bench.choose("002-table-2", "1")
    bench.desk.press(K.Key_F5)
    bench.wait_for_run(RunState.FINISHED)
    table = bench.matches.view.games
    bench.matches.view.setCurrentWidget(table)
    assert bench.matches.frame is not None
    result = bench.matches.frame.games[0]
    table.selectRow(0)
    QTest.keyClick(table, K.Key_Return)
    desk = bench.desk
    bench.wait(lambda: desk.window.modes.mode == PLAY)
    assert desk.moves == [ply.move for ply in result.plies]
    assert desk.state is State.OVER
    assert all(ply.snapshot is not None for ply in desk.controller.game.plies)


def test_results_with_a_player_that_is_not_here_are_shown_and_its_games_open(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CATALOGUE, "guest", replace(CATALOGUE["random"], name="guest"))
    players = {name: PlayerPart(agent=name) for name in ("guest", "random")}
    plan = new_plan("match", players, matches=[MatchPart(players=[*players], positions=["nim:1,2"], games=2)])
    panel = bench.show_matches()
    panel.show_plan(plan)
    panel.start()
    bench.wait_for_run(RunState.FINISHED)
    monkeypatch.delitem(CATALOGUE, "guest")
    panel.show_plan(BUILT_IN["002-table-2"].plan)
    panel.show_plan(plan)
    bench.wait(lambda: panel.frame is not None and panel.frame.done == 4)
    bench.wait(lambda: "4 games" in panel.view.about.toPlainText())
    assert not panel.head.problem.text()
    table = panel.view.games
    panel.view.setCurrentWidget(table)
    table.selectRow(0)
    QTest.keyClick(table, K.Key_Return)
    bench.wait(lambda: bench.desk.window.modes.mode == PLAY)
    assert bench.desk.controller.game.players == (Human(), Human())
    assert panel.frame is not None
    assert bench.desk.moves == [ply.move for ply in panel.frame.games[0].plies]


def test_a_game_counts_the_blunders_of_each_side_of_which_a_decision_could_be_judged(qtbot: QtBot) -> None:
    part = MatchPart(players=["a", "b"], positions=["nim:3,4"], games=1)
    found = Found(schedule_of(new_plan("judged", {name: PlayerPart(agent="random") for name in "ab"}, matches=[part])))
    for number, verdicts in enumerate(("+-+=", "???+")):
        plies = tuple(PlyResult("1-1", 0, 0, 0.0, verdict) for verdict in verdicts)
        found.add(GameResult(number, "nim:3,4", 0, plies))
    table = GamesTable()
    qtbot.addWidget(table)
    table.show_frame(frame_of(found))
    shown = table.model()
    (column,) = (i for i in range(shown.columnCount()) if shown.headerData(i, Qt.Orientation.Horizontal) == "Blunders")
    assert [shown.index(row, column).data() for row in (0, 1)] == ["0 : 1", "– : 0 of 1"]


def test_a_plan_of_ones_own_is_set_up_in_the_form_and_run(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = bench.show_matches()
    panel.runs.new.click()
    form = panel.editor.forms[0]
    bench.desk.type_into(form.title.line, "Three of them")
    form.players.add.click()
    choice = form.players.rows[2].choice
    choice.setCurrentIndex(choice.findData("random"))
    choice.activated.emit(choice.currentIndex())
    bench.desk.type_into(form.games, "2")
    bench.desk.type_into(form.opening, "1")
    assert form.work.text() == "12 games."
    assert form.plan is not None
    assert list(form.plan.players) == ["uct 500", "mcts 500", "random"]
    answer_dialogs(monkeypatch, tmp_path / "plan.json")
    bench.desk.window.actions_by_name["exp_save"].trigger()
    assert load_plan(tmp_path / "plan.json") == form.plan
    bench.desk.press(K.Key_F5)
    bench.wait_for_run(RunState.FINISHED)
    assert panel.frame is not None
    assert panel.frame.done == 12
    assert any(section.title.startswith("Crosstable") for section in panel.frame.sections)
    bench.desk.window.actions_by_name["exp_command"].trigger()
    words = shlex.split(QGuiApplication.clipboard().text())
    assert load_plan(Path(words[3])) == panel.plan


def test_the_form_says_what_is_wrong_with_a_plan(bench: Bench) -> None:
    panel = bench.show_matches()
    panel.runs.new.click()
    form, type_into = panel.editor.forms[0], bench.desk.type_into
    type_into(form.title.line, "!?")
    _check_refused(bench, form.title.problem, "Give it a title")
    type_into(form.title.line, "Title")
    form.positions.edit.setPlainText("nim:0")
    _check_refused(bench, form.positions.problem, "Position 1: ")
    form.positions.edit.setPlainText("nim:1,2")
    type_into(form.games, "0")
    _check_refused(bench, form.problem, "must be a whole number from 1")
    type_into(form.games, "5")
    form.sprt.setChecked(True)
    type_into(form.elo0, "90")
    _check_refused(bench, form.problem, "elo0 must be a number smaller than elo1")
    type_into(form.elo0, "0")
    assert form.plan is not None
    assert bench.enabled("exp_start") == [True]


def _check_refused(bench: Bench, problem: QLabel, said: str) -> None:
    assert said in problem.text()
    assert problem.isVisible()
    assert bench.matches.editor.plan is None
    assert bench.enabled("exp_start") == [False]


def test_a_plan_that_the_form_has_no_room_for_is_edited_as_json(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.choose("000-piles", "7")
    panel = bench.matches
    bench.copy()
    editor = panel.editor
    assert editor.currentWidget() is editor.json
    assert editor.plan == panel.plan
    document = json.loads(editor.json.edit.toPlainText())
    # The positions of an atlas are not worked out here, where the window would wait for it.
    monkeypatch.setattr(
        "nimdesk.experiments.atlas.positions.different_positions", lambda _: pytest.fail("the window waits")
    )
    parts = [PlayerPart(agent="uct")]
    atlas = atlas_plan("atlas", parts, [AtlasSet(starts=["mnk:4,4,4"], plies=100)], [10, 100], 5)
    editor.json.edit.setPlainText(atlas.to_json().decode())
    bench.wait(lambda: editor.json.problem.text() == "The plan is one of an atlas, which has a tab of its own.")
    assert editor.plan is None
    assert not editor.json.use.isEnabled()
    document["players"]["Random"]["agent"] = "randon"
    editor.json.edit.setPlainText(json.dumps(document))
    bench.wait(lambda: "did you mean" in editor.json.problem.text())
    assert editor.plan is None
    document["players"]["Random"]["agent"] = "random"
    document["seed"] = 5
    editor.json.edit.setPlainText(json.dumps(document))
    bench.wait(lambda: editor.plan is not None)
    editor.json.use.click()
    assert panel.plan is not None
    assert panel.plan.seed == 5


def test_a_sequential_test_shows_its_ratio_while_it_runs_and_afterwards(bench: Bench) -> None:
    panel = bench.show_matches()
    players = {"a": PlayerPart(agent="uct", options={"iterations": 20_000}), "b": PlayerPart(agent="random")}
    test = Sprt(elo0=0, elo1=400, unit="pairs")
    match = MatchPart(players=["a", "b"], positions=["nim:1,2,3"], games=500, sprt=test)
    panel.show_plan(new_plan("tested", players, matches=[match]))
    shown = list[str]()
    panel.runner.frame_changed.connect(lambda _frame: shown.append(panel.head.status.text()))
    bench.desk.window.actions_by_name["exp_start"].trigger()
    bench.wait_for_run(RunState.FINISHED)
    # Of each frame that was shown while it ran, the line of progress has the ratio of that moment.
    assert any("a second" in line and "LLR " in line and "(−2.94, +2.94)" in line for line in shown)
    bench.wait(lambda: panel.frame is not None and panel.frame.complete)
    assert panel.frame is not None
    met = panel.frame.found[MatchTally].pairings[0]
    llr = signed(test.llr(*met.pairs), 2)
    assert f"LLR {llr} (−2.94, +2.94), pairs with 2, 1½, 1, ½, 0 points" in panel.head.finding.text()
    assert "the test stopped early, which biases the Elo upwards, away from zero" in panel.head.finding.text()
    page = panel.view.tables["Sequential test"]
    panel.view.setCurrentWidget(page)
    model = page.rows.model()
    assert [model.index(0, column).data() for column in (5, 7)] == [llr, f"H1 after {met.games} games"]


def test_what_an_elo_means_where_draws_are_many_is_said_in_the_form(bench: Bench) -> None:
    panel = bench.show_matches()
    panel.runs.new.click()
    form = panel.editor.forms[0]
    said = [each for each in form.findChildren(QLabel) if OF_SCORE in each.text()]
    assert not any(each.isVisible() for each in said)
    form.sprt.click()
    assert [each.isVisible() for each in said] == [True]


def test_a_match_of_the_form_comes_back_into_the_form(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = bench.show_matches()
    form = panel.editor.forms[0]
    form.sprt.setChecked(True)
    for choice in (form.proven, form.timed):
        choice.click()
    bench.desk.type_into(form.adjudicate, "6")
    bench.desk.type_into(form.time, "2,5")
    bench.desk.type_into(form.more, "0.25")
    form.positions.set_texts(["nim:1,2", "mnk:3,3,3"])
    plan = form.plan
    assert plan is not None
    assert plan.matches[0].sprt is not None
    assert (plan.matches[0].adjudicate, plan.matches[0].clock) == (6, Clock(time_s=2.5, increment_s=0.25))
    panel.show_plan(plan)
    about = panel.view.about.toPlainText()
    assert "A game ends as soon as its outcome is proven, after 6 moves at the earliest." in about
    assert "Each player has 2.5 s for a game, and 0.25 s more after each of its moves" in about
    form.positions.set_texts(["nim:5,5,5"])
    monkeypatch.setattr(QMessageBox, "exec", lambda _box: QMessageBox.StandardButton.Yes)
    bench.copy()
    assert panel.editor.currentIndex() == 0
    assert form.plan is not None
    assert form.plan.digest == plan.digest


def test_a_tuning_is_set_up_as_on_the_command_line_and_run(bench: Bench) -> None:
    panel = bench.show_matches()
    panel.runs.new.click()
    panel.editor.setCurrentIndex(1)
    form = panel.editor.forms[1]
    assert isinstance(form, TuneForm)
    bench.desk.type_into(form.ranges.line, "exploration=0.2,0.7,2")
    bench.desk.type_into(form.budget.line, "30")
    bench.desk.type_into(form.games, "2")
    bench.desk.type_into(form.confirm, "3")
    agent = with_budget(make_agent("uct"), "30")
    settings = parse_settings(agent, ["exploration=0.2,0.7,2"])
    assert form.plan == tuning_plan(agent, settings, ["nim:3,4,5"], games=2, confirm=3)
    kept = panel.editor.remember()
    panel.editor.setCurrentIndex(0)
    assert panel.editor.remember() == kept, "a look at another form forgets nothing"
    panel.editor.setCurrentIndex(1)
    bench.desk.type_into(form.ranges.line, "exploration=")
    assert "between 2 and" in form.ranges.problem.text()
    assert bench.enabled("exp_start") == [False]
    panel.editor.restore(kept)
    assert panel.editor.currentIndex() == 1
    bench.desk.press(K.Key_F5)
    bench.wait_for_run(RunState.FINISHED)
    assert panel.frame is not None
    assert panel.frame.sections[0].title == "Landscape of exploration"


def test_openings_come_from_a_file(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = bench.show_matches()
    panel.runs.new.click()
    form = panel.editor.forms[0]
    file = tmp_path / "openings.txt"
    file.write_text("1-1\n2-2 1-1\nmnk:3,3,3 b2\n", encoding="utf-8")
    answer_dialogs(monkeypatch, file)
    form.positions.openings.trigger()
    assert form.positions.texts == ["nim:3,4,5 1-1", "nim:3,4,5 2-2 1-1", "mnk:3,3,3 b2"]
    assert form.plan is not None
    assert form.work.text() == "600 games."
    form.positions.set_texts([])
    form.positions.openings.trigger()
    assert "has moves; say from which position" in form.positions.problem.text()


def test_a_set_of_openings_that_comes_with_nimdesk_is_in_the_menu(bench: Bench) -> None:
    panel = bench.show_matches()
    panel.runs.new.click()
    form = panel.editor.forms[0]
    (gomoku,) = (each for each in form.positions.add.menu().actions() if each.text().endswith(": gomoku-15"))
    gomoku.trigger()
    assert len(form.positions.texts) == 100
    assert form.positions.texts[0].startswith("mnk:15,15,5 ")
    bench.wait(lambda: form.plan is not None)
    assert (form.games.text(), form.work.text()) == ("1", "200 games.")


@pytest.mark.parametrize("entered", [True, False])
def test_the_games_that_were_typed_stay_with_a_set_of_openings(bench: Bench, entered: bool) -> None:
    panel = bench.show_matches()
    panel.runs.new.click()
    form = panel.editor.forms[0]
    bench.desk.type_into(form.games, "7", enter=entered)
    next(each for each in form.positions.add.menu().actions() if each.text().endswith(": gomoku-15")).trigger()
    assert form.games.text() == "7"


def test_a_filled_in_plan_is_not_replaced_by_a_copy_without_a_question(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = bench.show_matches()
    editor, asked = panel.editor, list[str]()

    def no(box: QMessageBox) -> QMessageBox.StandardButton:
        asked.append(box.text())
        return QMessageBox.StandardButton.No

    monkeypatch.setattr(QMessageBox, "exec", no)
    panel.runs.new.click()
    bench.desk.type_into(editor.forms[0].games, "77")
    bench.choose("000-piles", "7")
    panel.copy.click()
    assert asked == ["The plan in the editor was changed and not used yet. Replace it?"]
    assert editor.forms[0].games.value == 77
    assert panel.plan is not None
    assert panel.plan.name == "000-piles"
    # Nothing is asked of one that was used, not even after it was looked at as JSON.
    panel.runs.new.click()
    editor.forms[0].use.click()
    bench.choose("000-piles", "7")
    panel.runs.new.click()
    editor.setCurrentWidget(editor.json)
    bench.choose("000-piles", "7")
    bench.copy()
    assert len(asked) == 1
    assert editor.plan is not None
    assert editor.plan.name == "000-piles"


@pytest.mark.parametrize("tab", [0, 2])
def test_a_plan_that_was_not_used_is_filled_in_again_after_a_restart(
    bench: Bench, open_desk: OpenDesk, tab: int
) -> None:
    store, editor = bench.desk.session.preferences.store, bench.show_matches().editor
    bench.matches.runs.new.click()
    bench.desk.type_into(editor.forms[0].games, "77")
    editor.setCurrentIndex(tab)
    bench.desk.close()
    again = Bench(open_desk(store=SettingsStore(store.path)))
    panel = again.show_matches()
    panel.runs.new.click()
    assert panel.editor.forms[0].games.value == 77
    assert panel.editor.unused
    panel.editor.forms[0].use.click()
    again.desk.close()
    assert SettingsStore(store.path).load().experiments == {}


def test_a_plan_that_is_not_in_order_is_as_it_was_typed_after_a_restart(bench: Bench, open_desk: OpenDesk) -> None:
    store, form = bench.desk.session.preferences.store, bench.show_matches().editor.forms[0]
    bench.matches.runs.new.click()
    bench.desk.type_into(form.title.line, "???")
    form.positions.set_texts(["nim:1,2", "nim:"])
    form.players.add.click()
    bench.desk.type_into(form.players.rows[2].name, "mine")
    form.sprt.click()
    bench.desk.type_into(form.elo0, "")
    assert form.plan is None
    bench.desk.close()
    panel = Bench(open_desk(store=SettingsStore(store.path))).show_matches()
    panel.runs.new.click()
    again = panel.editor.forms[0]
    assert again.title.line.text() == "???"
    assert again.positions.edit.toPlainText() == form.positions.edit.toPlainText()
    assert [row.player_name for row in again.players.rows] == [row.player_name for row in form.players.rows]
    assert again.players.rows[2].player_name == "mine"
    assert again.sprt.isChecked()
    assert (again.elo0.text(), bool(again.elo0.problem)) == ("", True)
    assert panel.editor.unused


@pytest.mark.parametrize("text", ['{"agents": 1, "fields": {}}', '{"agents": [[[], ""]], "fields": {}}', "[[["])
def test_a_damaged_draft_stands_there_as_json_and_changes_no_form(bench: Bench, text: str) -> None:
    editor = bench.show_matches().editor
    before = editor.forms[0].draft()
    editor.restore(text)
    assert editor.json.edit.toPlainText() == text
    assert editor.forms[0].draft() == before


def test_half_typed_json_is_there_again_after_a_restart(bench: Bench, open_desk: OpenDesk) -> None:
    store, editor = bench.desk.session.preferences.store, bench.show_matches().editor
    bench.matches.runs.new.click()
    editor.setCurrentWidget(editor.json)
    bench.desk.type_into(editor.json.edit, '{"format": "nimdesk-pl', enter=False)
    bench.desk.close()
    panel = Bench(open_desk(store=SettingsStore(store.path))).show_matches()
    assert panel.editor.json.edit.toPlainText() == '{"format": "nimdesk-pl'


def test_typed_json_that_the_form_replaces_comes_back_by_undoing(bench: Bench) -> None:
    panel = bench.show_matches()
    panel.runs.new.click()
    editor = panel.editor
    editor.setCurrentWidget(editor.json)
    bench.desk.type_into(editor.json.edit, "typed by hand", enter=False)
    editor.setCurrentIndex(0)
    bench.desk.type_into(editor.forms[0].games, "77")
    editor.setCurrentWidget(editor.json)
    assert '"games": 77' in editor.json.edit.toPlainText()
    editor.json.edit.setFocus()
    bench.desk.press((K.Key_Z, CTRL))
    assert editor.json.edit.toPlainText() == "typed by hand"


@pytest.fixture
def nameable(bench: Bench) -> MatchesPanel:
    """The page with a run that can be given a name."""
    plan, panel = plan_of_many(), bench.show_matches()
    Store.open_for(default_path(plan), plan).close()
    panel.show_plan(plan)
    panel.runs.refresh()
    bench.wait(panel.runs.rename.isEnabled)
    return panel


def test_a_note_that_is_too_long_stays_in_the_dialog_until_it_is_shorter(bench: Bench, nameable: MatchesPanel) -> None:
    def fill_in(dialog: QDialog) -> None:
        assert isinstance(dialog, RunWordsDialog)
        fine = dialog.findChildren(QPushButton)[0]
        dialog.name.setText("Mine")
        dialog.note.setPlainText("n" * 20_001)
        QTest.mouseClick(fine, Qt.MouseButton.LeftButton)
        assert dialog.isVisible()
        assert dialog.problem.text() == "The note has 20,001 letters; 20,000 are allowed."
        dialog.note.setPlainText("short")
        QTest.mouseClick(fine, Qt.MouseButton.LeftButton)
        assert not dialog.isVisible()

    bench.desk.in_dialog(lambda: QTest.mouseClick(nameable.runs.rename, Qt.MouseButton.LeftButton), fill_in)
    bench.wait(lambda: (entry := nameable.runs.list.entry(nameable.path)) is not None and entry.note == "short")


def test_a_name_and_a_note_that_cannot_be_kept_are_asked_for_again_as_they_were_typed(
    bench: Bench, nameable: MatchesPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[tuple[str, str, str]]()

    def fill_in(dialog: RunWordsDialog) -> int:
        seen.append((dialog.name.text(), dialog.note.toPlainText(), dialog.problem.text()))
        if len(seen) == 2:
            return dialog.DialogCode.Rejected
        dialog.name.setText("Mine")
        dialog.note.setPlainText("A note.")
        return dialog.DialogCode.Accepted

    monkeypatch.setattr(RunWordsDialog, "exec", fill_in)
    assert nameable.path is not None
    nameable.path.unlink()
    QTest.mouseClick(nameable.runs.rename, Qt.MouseButton.LeftButton)
    bench.wait(lambda: len(seen) == 2)
    assert seen[1][:2] == ("Mine", "A note.")
    assert seen[1][2].startswith(f"The results “{nameable.path}” cannot be opened: ")


def long_positions() -> list[str]:
    """About as much as a plan may hold: it takes seconds to read."""
    cells = [f"{column}{row}" for column in "abcdefghijklmnop" for row in range(1, 17)]
    chance = random.Random(1)
    return [f"mnk:16,16,16 {' '.join(chance.sample(cells, 230))}" for _ in range(360)]


def read_from_now_on(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the positions that plans have read."""
    texts = list[str]()
    monkeypatch.setattr(
        "nimdesk.experiments.parts.parse_position", lambda text: texts.append(text) or parse_position(text)
    )
    return texts


def test_a_plan_of_many_positions_is_read_bit_by_bit_and_then_only_the_line_that_changes(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = bench.show_matches()
    panel.runs.new.click()
    form, texts = panel.editor.forms[0], long_positions()
    form.positions.set_texts(texts)
    assert form.positions.problem.text().endswith(" of 360 positions are read…")
    assert form.plan is None
    bench.wait(lambda: form.plan is not None)
    assert form.positions.problem.text() == ""
    read = read_from_now_on(monkeypatch)
    form.positions.edit.setFocus()
    bench.desk.press(K.Key_2)
    assert read == [f"2{texts[0]}"]
    assert "Position 1: " in form.positions.problem.text()
    bench.desk.press(K.Key_Backspace)
    bench.desk.type_into(form.games, "3")
    assert form.plan is not None
    form.use.click()
    bench.copy()
    assert panel.editor.currentIndex() == 0
    assert len(read) == 1


def test_the_positions_of_a_copy_are_read_while_the_window_goes_on(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel, go, waiting = bench.show_matches(), threading.Event(), list[str]()

    def slowly(text: str) -> AnyPosition:
        if not go.is_set():
            assert threading.current_thread() is not threading.main_thread(), "the window waits"
            waiting.append(threading.current_thread().name)
            assert go.wait(WAIT_MS / 1000)
        return position_of(text)

    monkeypatch.setattr("nimdesk.experiments.kind.position_of", slowly)
    match = MatchPart(players=["a", "a"], positions=["nim:7,8,9"], games=2)
    plan = new_plan("slow", {"a": PlayerPart(agent="random")}, matches=[match])
    panel.show_plan(plan)
    panel.copy.click()
    bench.wait(lambda: "nimdesk-opening" in waiting)
    assert panel.pages.currentWidget() is not panel.editor
    go.set()
    bench.wait(lambda: panel.pages.currentWidget() is panel.editor)
    assert panel.editor.forms[0].positions.texts == ["nim:7,8,9"]


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (["nim:1,2"] * 1_001, "There are 1,001 positions; 1,000 are allowed."),
        (["nim:1,2", "n" * 2_001], "Position 2: it has 2,001 letters; 2,000 are allowed."),
        (["n" * 300_001], "The positions have 300,001 letters; 300,000 are allowed."),
    ],
)
def test_more_positions_than_a_plan_may_have_are_refused_unread(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, texts: list[str], sentence: str
) -> None:
    form, read = bench.show_matches().editor.forms[0], read_from_now_on(monkeypatch)
    form.positions.set_texts(texts)
    assert form.positions.problem.text() == sentence
    assert form.plan is None
    assert set(read) <= {"nim:1,2"}


def test_typed_json_is_checked_while_the_window_goes_on(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.choose("000-piles", "7")
    panel, editor = bench.matches, bench.matches.editor
    bench.copy()
    checking, checked = threading.Event(), threading.Event()

    def slowly(plan: Plan) -> Schedule:
        assert threading.current_thread() is not threading.main_thread(), "the window waits"
        checking.set()
        assert checked.wait(WAIT_MS / 1000)
        return schedule_of(plan)

    monkeypatch.setattr("nimdesk.ui.experiments.plan_editor.schedule_of", slowly)
    editor.json.edit.setFocus()
    bench.desk.press(K.Key_Space)
    assert editor.plan is None, "what stands there is not known to be a plan"
    assert not editor.json.use.isEnabled()
    bench.wait(checking.is_set)
    checked.set()
    bench.wait(editor.json.use.isEnabled)
    assert editor.plan == panel.plan


def test_the_page_fits_a_small_screen(bench: Bench) -> None:
    bench.show_matches()
    bench.page.tabs.setCurrentWidget(bench.study)
    bench.desk.press(K.Key_F5)
    bench.wait_for_searches()
    bench.desk.press(K.Key_Escape)
    bench.wait_for_study(RunState.CANCELLED)
    needed = bench.desk.window.minimumSizeHint()
    assert (needed.width() <= 800, needed.height() <= 600) == (True, True), needed


def test_a_search_that_is_watched_has_precedence(open_desk: OpenDesk) -> None:
    bench = Bench(open_desk(second=ENDLESS))
    bench.choose("000-piles", "400")
    bench.desk.press(K.Key_F5)
    bench.wait_for_games()
    bench.desk.press((K.Key_1, CTRL))
    bench.desk.click("1-1")
    bench.desk.wait_for(State.THINKING)
    bench.wait_for_run(RunState.PAUSED)
    assert bench.matches.runner.held
    assert "waiting while a search is being watched" in bench.matches.head.status.text()
    # The other pages say so too.
    sign = bench.desk.window.actions_by_name["mode_experiments"]
    frame = bench.matches.frame
    assert frame is not None
    assert sign.iconText().split() == ["Experiments", f"{frame.done / frame.total:.0%}"]
    assert sign.toolTip() == bench.matches.head.status.text()
    bench.desk.press(K.Key_F4)
    bench.wait_for_run(RunState.RUNNING)
    assert not bench.matches.runner.held
    bench.matches.runner.cancel()
    bench.wait_for_run(RunState.CANCELLED)
    assert sign.iconText() == "Experiments"
    assert sign.toolTip().startswith("Run studies, matches and published tables")


def test_everything_the_keyboard_reaches_has_a_name(bench: Bench) -> None:
    bench.show_matches().runs.new.click()
    nameless = [
        widget
        for widget in bench.page.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and isinstance(widget, QAbstractButton | QLineEdit | QComboBox | QAbstractItemView | QPlainTextEdit)
        and not (widget.accessibleName() or getattr(widget, "text", str)())
        and not widget.objectName().startswith("qt_")
        and not isinstance(widget.parent(), QComboBox)
        and widget.window() is bench.page.window()
    ]
    assert not nameless


def test_a_run_is_told_apart_by_name_note_and_search(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.choose(TOURNAMENTS, "1")
    bench.desk.press(K.Key_F5)
    bench.wait_for_run(RunState.FINISHED)
    panel = bench.matches
    # What was found is said in a sentence.
    assert panel.frame is not None
    assert panel.head.finding.text() == panel.frame.finding
    assert "agree" in panel.head.finding.text()
    bench.wait(panel.runs.rename.isEnabled)

    def fill_in(dialog: RunWordsDialog) -> int:
        dialog.name.setText("The one for the paper")
        dialog.note.setPlainText("Repeat with 22 sticks.")
        return dialog.DialogCode.Accepted

    monkeypatch.setattr(RunWordsDialog, "exec", fill_in)
    QTest.mouseClick(panel.runs.rename, Qt.MouseButton.LeftButton)
    bench.wait(lambda: (entry := panel.runs.list.entry(panel.path)) is not None and bool(entry.note))
    item = next(item for item in panel.runs.list.items() if "The one for the paper" in item.text(0))
    assert "nim:" in item.text(0)
    assert "20" in item.text(0).splitlines()[1]  # the year of its date
    for words, shown in (("22 sticks", True), ("paper nim:", True), ("paper gravity", False), ("", True)):
        bench.desk.type_into(panel.runs.search, words)
        assert item.isHidden() is not shown, words
    # The name stands in the file itself, and the results beside it are as they were.
    assert panel.path is not None
    with Store.open_to_read(panel.path) as store:
        assert store.words == ("The one for the paper", "Repeat with 22 sticks.")
        assert store.count() == panel.frame.total
