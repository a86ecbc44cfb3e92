"""The convergence study in the window: form, run, curves, exports, and the way from a point into the laboratory."""

from __future__ import annotations

import errno
import os
import shlex
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from desk import CTRL, ENDLESS, WAIT_MS, K, OpenDesk
from experiments_bench import Bench, answer_dialogs
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QMessageBox

from nimdesk.__main__ import main
from nimdesk.agents import CATALOGUE, make_agent
from nimdesk.experiments.files import read
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, load_plan, study_plan
from nimdesk.experiments.report import markdown
from nimdesk.experiments.run import RunState
from nimdesk.experiments.store import Store
from nimdesk.experiments.studies.tables import study_csv
from nimdesk.experiments.studies.tally import StudyTally
from nimdesk.limit import Limit
from nimdesk.play.moment import State
from nimdesk.settings import SettingsStore
from nimdesk.ui.experiments.compare_dialog import CompareDialog
from nimdesk.ui.experiments.matches_panel import MatchesPanel
from nimdesk.ui.experiments.plan_form import PlanForm
from nimdesk.ui.experiments.run_list import RunWordsDialog
from nimdesk.ui.experiments.study_form import unvaried
from nimdesk.ui.experiments.study_panel import StudyPanel, opened_search, point_menu
from nimdesk.ui.figure_dialog import FigureDialog
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY
from nimdesk.ui.plots.ink import Line


def test_a_study_of_two_agents_runs_at_the_press_of_a_key_and_tells_them_apart(bench: Bench) -> None:
    bench.set_up()
    bench.desk.press(K.Key_F5)
    frame = bench.wait_for_study(RunState.FINISHED)
    assert frame.complete
    uct, mcts = (frame.rows[agent, 0][1] for agent in (0, 1))
    assert uct is not None
    assert mcts is not None
    # Merged positions and proofs settle Nim 3-4-5 within a hundred iterations; the textbook search is at chance level.
    assert mcts.optimal == mcts.searches == 12
    assert uct.optimal < 8
    view = bench.study.view
    _chance, *lines = [shape for shape in view.optimal.ink.shapes if isinstance(shape, Line)]
    assert lines[1].y[1] == 1.0
    assert lines[0].pen.style() != lines[1].pen.style()
    assert view.table.model().rowCount() == 4
    assert "12 of 12: 100.0%" in view.optimal.data.curves[1].words[1]  # type: ignore[union-attr]
    assert bench.study.head.status.text() == "24 of 24 searches, finished"
    assert bench.enabled("exp_start", "exp_pause", "exp_cancel", "exp_csv") == [False, False, False, True]


def test_the_study_as_it_stands_at_first_runs_at_the_press_of_a_key(bench: Bench) -> None:
    bench.desk.press(K.Key_F5)
    bench.wait_for_searches()
    bench.desk.press(K.Key_Escape)
    bench.wait_for_study(RunState.CANCELLED)


def test_the_csv_is_that_of_the_copied_command_to_the_byte(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.set_up(positions="nim:3,4,5\nnim:21:max3")
    bench.desk.press(K.Key_F5)
    bench.wait_for_study(RunState.FINISHED)
    answer_dialogs(monkeypatch, tmp_path / "window.csv")
    bench.desk.window.actions_by_name["exp_csv"].trigger()
    bench.desk.window.actions_by_name["exp_command"].trigger()
    words = shlex.split(QGuiApplication.clipboard().text())
    words[words.index("study.csv")] = str(tmp_path / "terminal.csv")
    monkeypatch.setattr(sys, "argv", words)
    assert main() == 0
    assert (tmp_path / "window.csv").read_bytes() == (tmp_path / "terminal.csv").read_bytes()
    bench.desk.window.actions_by_name["exp_python"].trigger()
    found: dict[str, Any] = {}
    exec(QGuiApplication.clipboard().text().removesuffix("study.plot()\n"), found)
    assert study_csv(found["study"].found[StudyTally]) == (tmp_path / "window.csv").read_text()


def test_pause_rests_and_continue_goes_on_where_it_was(bench: Bench) -> None:
    bench.set_up(budgets="100,3000", searches="400")
    bench.desk.press(K.Key_F5)
    bench.wait_for_searches()
    bench.desk.press(K.Key_F4)
    assert bench.study.runner.state is RunState.PAUSED
    frame = bench.wait_for_study(RunState.PAUSED)
    done = frame.results.done
    assert 0 < done < frame.total
    assert not bench.study.form.agents.isEnabled()
    assert QApplication.focusWidget() is not None, "the keyboard is somewhere, though the form has it no more"
    bench.desk.press(K.Key_F5)
    bench.wait_for_searches(done + 1)
    assert bench.study.frame is not None
    assert bench.study.frame.results is frame.results
    bench.desk.press(K.Key_Escape)
    bench.wait_for_study(RunState.CANCELLED)
    assert bench.study.form.agents.isEnabled()
    assert bench.enabled("exp_start", "exp_cancel") == [True, False]


def test_one_key_starts_and_pauses_a_study_and_goes_on_with_it(bench: Bench) -> None:
    bench.set_up(budgets="100,3000", searches="400")
    start, pause, _cancel = bench.study.head.buttons
    start.setFocus()
    for paused, button in ((False, pause), (True, start), (False, pause)):
        bench.desk.press(K.Key_Space)
        assert bench.study.runner.active
        assert (bench.study.runner.state is RunState.PAUSED) is paused
        assert button.hasFocus()


def test_a_cancelled_study_comes_back_after_a_restart_and_can_be_started_over(
    bench: Bench, open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.set_up(budgets="100,2000", searches="300")
    bench.desk.press(K.Key_F5)
    bench.wait_for_searches(20)
    bench.desk.press(K.Key_Escape)
    done = bench.wait_for_study(RunState.CANCELLED).results.done
    bench.desk.close()
    again = Bench(open_desk())
    frame = again.wait_for_stored()
    assert again.study.form.seeds.value == 300
    assert frame.results.done == done
    assert again.study.head.status.text() == f"{done} of 600 searches are done"
    answers = iter([QMessageBox.StandardButton.No, QMessageBox.StandardButton.Yes])
    asked: list[str] = []

    def answer(box: QMessageBox) -> QMessageBox.StandardButton:
        asked.append(box.text())
        return next(answers)

    monkeypatch.setattr(QMessageBox, "exec", answer)
    again.study.start_over()
    assert again.study.frame is not None
    again.study.start_over()
    assert asked == [f"Delete the {done} searches of this study? They can be run again."] * 2
    assert again.study.frame is None
    assert not again.study.shown.reading


def test_a_study_that_was_not_started_is_filled_in_again_after_a_restart(bench: Bench, open_desk: OpenDesk) -> None:
    store = bench.desk.session.preferences.store
    bench.set_up(searches="12")
    bench.desk.press(K.Key_F5)
    bench.wait_for_study(RunState.FINISHED)
    bench.set_up(searches="77", positions="nim:1,2\nnim:3")
    bench.desk.close()
    again = Bench(open_desk(store=SettingsStore(store.path)))
    assert again.study.form.seeds.value == 77
    assert again.study.form.positions.texts == ["nim:1,2", "nim:3"]
    again.desk.press(K.Key_F5)
    again.wait_for_study(RunState.FINISHED)
    again.desk.close()
    last = Bench(open_desk(store=SettingsStore(store.path)))
    assert last.desk.session.preferences.now.experiments == {}
    assert last.study.form.seeds.value == 77, "the latest that was started"


def test_a_study_that_is_not_in_order_is_as_it_was_typed_after_a_restart(bench: Bench, open_desk: OpenDesk) -> None:
    store = bench.desk.session.preferences.store
    bench.set_up(searches="7x", budgets="10-100k", positions="nim:1,2\nnim:3,\nhello")
    vary_exploration(bench, "0.1, 1, five")
    form = bench.study.form
    form.agents.rows[1].remove.click()
    problems = {name: edit.problem.text() for name, edit in (("budgets", form.budgets), ("values", form.values))}
    assert all(problems.values())
    bench.desk.close()
    again = Bench(open_desk(store=SettingsStore(store.path))).study.form
    assert [agent.name for agent in again.agents.agents] == ["uct"]
    assert (again.seeds.text(), again.budgets.line.text()) == ("7x", "10-100k")
    assert again.positions.edit.toPlainText() == "nim:1,2\nnim:3,\nhello"
    assert (again.vary.currentData(), again.values.line.text()) == ("exploration", "0.1, 1, five")
    assert {"budgets": again.budgets.problem.text(), "values": again.values.problem.text()} == problems
    assert again.seeds.problem
    assert again.plan is None


def test_a_study_of_other_solver_nodes_is_the_same_one_after_a_restart(bench: Bench, open_desk: OpenDesk) -> None:
    store, part = bench.desk.session.preferences.store, PlayerPart(agent="uct")
    bench.study.take_plan(study_plan([part], ["nim:1,2"], (10, 100), 5, 0, 1_234))
    bench.set_up(searches="77", positions="nim:1,2")
    wanted = bench.study.form.plan
    assert wanted is not None
    bench.desk.close()
    again = Bench(open_desk(store=SettingsStore(store.path))).study.form.plan
    assert again == wanted
    assert again.study
    assert again.study.solver_nodes == 1_234


def test_a_study_of_a_package_that_is_missing_waits_for_it(bench: Bench, open_desk: OpenDesk) -> None:
    bench.set_up(searches="77", positions="nim:1,2")
    kept = {"study": bench.study.form.draft().replace('"uct"', '"sprinter"')}
    again = Bench(open_desk(experiments=kept))
    form = again.study.form
    assert [agent.name for agent in form.agents.agents] == ["mcts"]
    assert (form.seeds.value, form.positions.texts) == (77, ["nim:1,2"])
    assert "sprinter" in form.problem.text()
    again.desk.close()
    assert again.desk.session.preferences.now.experiments == kept


def test_a_plan_whose_agent_is_missing_loses_nothing_else_to_what_is_filled_in_then(
    bench: Bench, open_desk: OpenDesk
) -> None:
    bench.set_up(searches="77", positions="nim:1,2")
    kept = {"study": bench.study.form.draft().replace('"uct"', '"sprinter"')}
    again = Bench(open_desk(experiments=kept))
    again.desk.type_into(again.study.form.seeds, "78")
    again.desk.close()
    last = Bench(open_desk(experiments=again.desk.session.preferences.now.experiments)).study.form
    assert (last.seeds.value, last.positions.texts) == (78, ["nim:1,2"])


def test_agents_that_come_later_take_their_places_in_what_was_filled_in(
    bench: Bench, open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.set_up(searches="77")
    plan = bench.show_matches().editor
    plan.form.title.line.setText("Mine")
    kept = {name: text.replace('"uct"', '"late"') for name, text in bench.page.remember().items()}
    assert set(kept) == {"study", "plan"}
    page = Bench(open_desk(experiments=kept)).page
    forms: list[PlanForm] = [page.panel(StudyPanel).form, page.panel(MatchesPanel).editor.forms[0]]
    assert all("late" not in [agent.name for agent in form.picks.agents] for form in forms)
    monkeypatch.setitem(CATALOGUE, "late", replace(CATALOGUE["uct"], name="late"))
    page.seat_awaited()
    for form in forms:
        assert [agent.name for agent in form.picks.agents] == ["late", "mcts"]
        assert form.problem.text() == ""
        assert form.plan is not None
    assert page.panel(StudyPanel).form.seeds.value == 77
    assert page.panel(MatchesPanel).editor.forms[0].title.text == "Mine"
    page.seat_awaited()


def test_what_is_filled_in_while_a_study_is_opened_is_not_replaced_by_it(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.set_up(searches="33")
    assert bench.study.plan is not None
    (tmp_path / "plan.json").write_bytes(bench.study.plan.to_json())
    answer_dialogs(monkeypatch, tmp_path / "plan.json")
    loading, go = threading.Event(), threading.Event()

    def slowly(path: Path) -> Plan:
        loading.set()
        assert go.wait(WAIT_MS / 1000)
        return load_plan(path)

    monkeypatch.setattr("nimdesk.ui.experiments.panel.load_plan", slowly)
    bench.desk.window.actions_by_name["exp_open"].trigger()
    bench.wait(loading.is_set)
    bench.set_up(searches="44")
    go.set()
    bench.wait(lambda: "something else was filled in meanwhile" in bench.study.head.problem.text())
    assert bench.study.form.seeds.value == 44
    # Nor while a study runs, which is said as well.
    loading.clear()
    go.clear()
    bench.desk.window.actions_by_name["exp_open"].trigger()
    bench.wait(loading.is_set)
    endless = study_plan([PlayerPart(agent="uct")], ["nim:3,4,5"], [10, 100_000_000], 1)
    bench.study.runner.start(endless, tmp_path / "other.db")
    bench.wait(lambda: bench.study.runner.active)
    go.set()
    bench.wait(lambda: bench.study.head.problem.text().startswith("The study was not opened: another one is running"))
    bench.study.runner.cancel()


def test_in_a_small_window_the_table_of_a_study_is_whole(bench: Bench) -> None:
    bench.desk.window.resize(1024, 700)
    bench.set_up()
    bench.desk.press(K.Key_F5)
    bench.wait_for_study(RunState.FINISHED)
    table = bench.study.view.table
    bench.wait(lambda: table.model().rowCount() == 4)
    assert table.horizontalScrollBar().maximum() == 0


def test_a_form_that_is_typed_again_shows_its_results_at_once_and_no_others(bench: Bench) -> None:
    bench.set_up()
    bench.desk.press(K.Key_F5)
    rows = bench.wait_for_study(RunState.FINISHED).rows
    bench.desk.type_into(bench.study.form.seeds, "13")
    assert bench.study.frame is None
    assert bench.enabled("exp_start", "exp_csv") == [True, False]
    bench.desk.type_into(bench.study.form.seeds, "12")
    assert bench.study.form.agents.isEnabled(), "one can go on typing"
    frame = bench.wait_for_stored()
    assert frame.complete
    assert frame.rows == rows
    assert bench.study.view.table.model().rowCount() == 4
    # Typed on before it is read: what was being read is not shown any more.
    bench.desk.type_into(bench.study.form.seeds, "13")
    bench.desk.type_into(bench.study.form.seeds, "12")
    assert bench.study.shown.reading
    bench.desk.type_into(bench.study.form.seeds, "14")
    assert not bench.study.shown.reading
    assert bench.study.frame is None


@pytest.mark.qt_log_ignore("grabbing the keyboard", "raise", extend=True)
def test_a_point_opens_one_of_its_searches_in_the_laboratory_the_very_same_search(bench: Bench) -> None:
    bench.set_up(budgets="100,2000", searches="5")
    bench.desk.press(K.Key_F5)
    frame = bench.wait_for_study(RunState.FINISHED)
    plot = bench.study.view.optimal
    plot.setFocus()
    # To the second budget of the first agent, and in by the menu.
    for key in (K.Key_Home, K.Key_Right, K.Key_Return):
        QTest.keyClick(plot, key)
    menu = next(each for each in bench.study.findChildren(QMenu) if each.isVisible())
    wrong = next(action for action in menu.actions() if "gave value away" in action.text())
    assert wrong.isEnabled()
    wrong.trigger()
    menu.close()
    bench.wait(lambda: bench.desk.window.modes.mode == LABORATORY)
    page = bench.desk.laboratory
    bench.wait(lambda: not page.model.searches.running and page.model.searches.focused.snapshot is not None)
    shown = page.model.searches.focused.snapshot
    assert shown is not None
    cell = frame.results.find(0, 0, 1, optimal=False)[0]
    agent = frame.study.seeded(cell)
    searcher = agent.new_searcher()
    searcher.start(frame.study.positions[0], agent.new_seed())
    searcher.advance(Limit(iterations=2000))
    same = searcher.snapshot()
    assert shown.iterations == 2000
    assert [(each.move, each.visits) for each in shown.moves] == [(each.move, each.visits) for each in same.moves]


def test_an_agent_with_a_budget_of_its_own_has_one_row_and_a_flat_line_and_opens_as_far_as_it_went(
    bench: Bench,
) -> None:
    agents = [PlayerPart(agent="uct"), PlayerPart(agent="level3")]
    bench.study.take_plan(study_plan(agents, ["nim:3,4,5"], [2, 5_000], 3))
    bench.desk.press(K.Key_F5)
    frame = bench.wait_for_study(RunState.FINISHED)
    view = bench.study.view
    model = view.table.model()
    assert [model.index(row, 1).data() for row in range(model.rowCount())] == ["2", "5,000", "own budget"]
    data = view.optimal.data
    assert data is not None
    assert len(set(data.curves[1].values.tolist())) == 1
    assert all(words.endswith(", own budget") for words in data.curves[1].words)
    menu = point_menu(frame, 1, 0, 0)
    assert menu.actions()[0].text() == "B  level3, own budget"
    number, budget = next(action.data() for action in menu.actions() if action.data() is not None)
    opened = opened_search(frame.study, frame.study.task(number), budget)
    (spent,) = {result.spent for result in frame.results.results(1, 0) if result.number == number}
    assert opened.budget == spent[0] == spent[1]
    assert opened.budget > 2


def test_a_varied_number_gives_a_map(bench: Bench) -> None:
    bench.set_up(searches="4")
    form = bench.study.form
    form.agents.rows[1].remove.click()
    form.vary.setCurrentIndex(form.vary.findData("exploration"))
    form.vary.activated.emit(form.vary.currentIndex())
    bench.desk.type_into(form.values.line, "0.1, 1, 5")
    assert form.study is not None
    assert form.study.labels == ("uct:exploration=0.1", "uct:exploration=1.0", "uct:exploration=5.0")
    bench.desk.press(K.Key_F5)
    bench.wait_for_study(RunState.FINISHED)
    view = bench.study.view
    assert view.map.isVisible()
    grid = view.map.grid
    assert grid is not None
    assert grid.values == (0.1, 1.0, 5.0)
    assert all(share is not None and 0 <= share <= 1 for row in grid.shares for share in row)


def vary_exploration(bench: Bench, values: str) -> None:
    form = bench.study.form
    form.vary.setCurrentIndex(form.vary.findData("exploration"))
    form.vary.activated.emit(form.vary.currentIndex())
    bench.desk.type_into(form.values.line, values)


def test_two_agents_varied_give_a_map_each(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QMenu, "popup", lambda *_args: None)
    bench.set_up(searches="4")
    vary_exploration(bench, "0.1, 1, 5")
    bench.desk.press(K.Key_F5)
    frame = bench.wait_for_study(RunState.FINISHED)
    view = bench.study.view
    assert view.varied.isVisible()
    for index, (title, agents) in enumerate((("MCTS, textbook", (0, 1, 2)), ("MCTS", (3, 4, 5)))):
        view.varied.setCurrentIndex(index)
        grid = view.map.grid
        assert grid is not None
        assert grid.title.startswith(f"{title}: Exploration c")
        rows = [frame.rows[agent, 0] for agent in agents]
        assert grid.shares == tuple(tuple(None if at is None else at.optimal_share for at in row) for row in rows)
    with bench.desk.qtbot.waitSignal(view.point_chosen) as chosen:
        view.map.setFocus()
        bench.desk.press(K.Key_Down, K.Key_Return)
    assert chosen.args is not None
    assert chosen.args[:2] == [4, 0]


def test_a_study_of_before_comes_back_with_what_it_varied(bench: Bench) -> None:
    form = bench.study.form
    bench.set_up(searches="4")
    vary_exploration(bench, "3, 0.7, 0.1")
    made = form.study
    assert made is not None
    assert len(made.agents) == 6
    plan = form.plan
    assert plan is not None
    vary_exploration(bench, "1, 2, 3")
    bench.study.take_plan(plan)
    assert [agent.name for agent in form.agents.agents] == ["uct", "mcts"]
    assert (form.vary.currentText(), form.values.text) == ("Exploration c", "3.0, 0.7, 0.1")
    assert form.plan is not None
    assert form.plan.digest == plan.digest


@pytest.mark.parametrize(
    ("agents", "option", "values"),
    [
        ([{}, {"exploration": 0.3}], "", []),
        ([{"exploration": c} for c in (0.1, 0.2, 0.3)], "exploration", [0.1, 0.2, 0.3]),
        ([{"exploration": c} for c in (0.1, 0.2, 0.3)] + [{"final": "mean"}], "", []),
        (
            [{"final": f, "exploration": c} for f in ("mean", "secure") for c in (1.0, 2.0, 3.0)],
            "exploration",
            [1, 2, 3],
        ),
    ],
)
def test_agents_that_one_number_tells_apart_are_seen_as_varied(
    agents: list[dict[str, object]], option: str, values: list[float]
) -> None:
    made = [make_agent("uct", each) for each in agents]
    bases, found, over = unvaried(made)
    assert (found, over) == (option, values)
    if not option:
        assert bases == made


def test_budgets_of_time_begin_with_one_thread(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nimdesk.ui.experiments.study_form.cores", lambda: 4)
    form, type_into = bench.study.form, bench.desk.type_into
    type_into(form.threads, "4")
    type_into(form.budgets.line, "10ms")
    assert form.threads.value == 1
    type_into(form.budgets.line, "100")
    assert form.threads.value == 4
    type_into(form.threads, "3")
    type_into(form.budgets.line, "10ms")
    assert form.threads.value == 3, "what the person chose stays"


def test_what_is_wrong_is_said_beside_the_field_and_cannot_be_started(bench: Bench) -> None:
    form, type_into = bench.study.form, bench.desk.type_into
    form.positions.edit.setPlainText("nim:3,4,x")
    _check_refused(bench, form.positions.problem, "Position 1: ")
    form.positions.edit.setPlainText("")
    _check_refused(bench, form.positions.problem, "at least one position")
    form.positions.edit.setPlainText("nim:3,4,5")
    type_into(form.budgets.line, "abc")
    _check_refused(bench, form.budgets.problem, "Budget is “abc”")
    type_into(form.budgets.line, "10-100")
    type_into(form.seeds, "0")
    _check_refused(bench, form.problem, "it must be a whole number from 1")
    type_into(form.seeds, "3")
    assert form.study is not None
    assert bench.enabled("exp_start") == [True]


def _check_refused(bench: Bench, problem: QLabel, said: str) -> None:
    assert said in problem.text()
    assert problem.isVisible()
    assert bench.study.form.study is None
    assert bench.enabled("exp_start") == [False]


def test_a_folder_that_cannot_be_made_is_one_sentence(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.set_up()

    def refused(*_args: object, **_others: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "mkdir", refused)
        bench.desk.press(K.Key_F5)
        bench.wait(lambda: bench.study.runner.state is RunState.FAILED)
    assert bench.study.head.problem.text().endswith(".db”: the disk is read-only.")
    assert bench.desk.window.statusBar().currentMessage() == "The plan is not kept: the disk is read-only."
    bench.desk.press(K.Key_F5)
    bench.wait_for_study(RunState.FINISHED)


def test_two_agents_alike_are_refused(bench: Bench) -> None:
    form = bench.study.form
    choice = form.agents.rows[1].choice
    choice.setCurrentIndex(choice.findData("uct"))
    choice.activated.emit(choice.currentIndex())
    assert form.agents.problem.text() == "Twice there is the agent “uct”; change the options of one."
    assert form.study is None


def test_a_plan_can_be_saved_and_opened(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.set_up(budgets="10-1000", searches="33")
    answer_dialogs(monkeypatch, tmp_path / "plan.json")
    actions = bench.desk.window.actions_by_name
    actions["exp_save"].trigger()
    saved = load_plan(tmp_path / "plan.json")
    assert saved.study
    assert saved.repeats == 33
    assert saved.study.budgets == [10, 20, 50, 100, 200, 500, 1000]
    bench.set_up(searches="7")
    actions["exp_open"].trigger()
    bench.wait(lambda: bench.study.form.plan == saved)
    (tmp_path / "plan.json").write_text("{}")
    actions["exp_open"].trigger()
    bench.wait(lambda: "plan.json" in bench.study.head.problem.text())


def test_pictures_are_written_as_png_and_as_svg(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.set_up(searches="3")
    bench.desk.press(K.Key_F5)
    bench.wait_for_study(RunState.FINISHED)
    action = bench.desk.window.actions_by_name["exp_picture"]
    for name in ("study.png", "study.svg"):
        answer_dialogs(monkeypatch, tmp_path / name)
        action.trigger()
    image = QImage(str(tmp_path / "study.png"))
    assert image.width() == 2 * (bench.study.view.picture.width() + 24)
    drawing = (tmp_path / "study.svg").read_text()
    assert "<path" in drawing
    assert "optimal choices" in drawing
    assert "nim:3,4,5: 1 of 12 moves is optimal" in drawing, "a picture says what it is of"
    assert "non-scaling-stroke" not in drawing, "programs that do not know it draw blots"
    answer_dialogs(monkeypatch, tmp_path / "nowhere" / "study.png")
    action.trigger()
    assert bench.study.head.problem.text().endswith("cannot be written: there is no such file or folder.")


def test_a_study_waits_while_a_search_is_watched_and_goes_on_by_itself(bench: Bench) -> None:
    bench.set_up(budgets="100,20000", searches="5000")
    bench.desk.press(K.Key_F5)
    bench.wait_for_searches()
    # Coming to this page ended whatever was watched; that is over first.
    timers = bench.desk.session.experiments.findChildren(QTimer)
    bench.wait(lambda: not any(timer.isActive() for timer in timers))
    bench.page.hold(True)
    frame = bench.wait_for_study(RunState.PAUSED)
    assert not frame.complete
    assert "waiting while a search is being watched" in bench.study.head.status.text()
    done = frame.results.done
    bench.page.hold(False)
    bench.wait_for_searches(done + 1)
    assert bench.study.runner.state is RunState.RUNNING


def test_no_thread_of_a_study_survives_the_window(bench: Bench) -> None:
    bench.set_up(budgets="100,50000", searches="500")
    bench.desk.press(K.Key_F5)
    bench.wait_for_searches()
    bench.desk.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("nimdesk-")]


def test_the_game_rests_from_the_laboratory_until_it_is_seen_again(open_desk: OpenDesk) -> None:
    desk = open_desk(first=ENDLESS)
    desk.wait_for_snapshot()
    figures = desk.window.status.findChildren(QLabel)
    desk.press((K.Key_2, CTRL))
    desk.wait_for(State.PAUSED)
    desk.press((K.Key_3, CTRL))
    desk.wait(lambda: not any(label.text() for label in figures))
    assert desk.state is State.PAUSED, "nobody sees it on the page of experiments"
    desk.press((K.Key_1, CTRL))
    desk.wait_for(State.THINKING)
    desk.wait(lambda: any("simulation" in label.text() for label in figures))


def test_a_search_of_the_game_leaves_the_line_of_the_experiments_alone(open_desk: OpenDesk) -> None:
    desk = open_desk(first=ENDLESS)
    desk.wait_for_snapshot()
    desk.press((K.Key_3, CTRL))
    desk.wait(lambda: desk.window.modes.mode == EXPERIMENTS)
    figures = desk.window.status.findChildren(QLabel)
    for _ in range(5):
        desk.wait_for_snapshot()
        assert not any(label.text() for label in figures)


def test_a_study_is_told_apart_by_its_name_and_note(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.set_up()
    bench.desk.press(K.Key_F5)
    bench.wait_for_study(RunState.FINISHED)
    panel = bench.study
    bench.wait(lambda: panel.frame is not None and panel.frame.complete)

    def fill_in(dialog: RunWordsDialog) -> int:
        assert dialog.name.placeholderText().endswith("seeds from 0")
        dialog.name.setText("For <section> 3")
        dialog.note.setPlainText("Again with more seeds.")
        return dialog.DialogCode.Accepted

    monkeypatch.setattr(RunWordsDialog, "exec", fill_in)
    bench.wait(lambda: any(entry.date for entry in panel.earlier.entries or ()))
    panel.earlier.list.aboutToShow.emit()
    next(action for action in panel.earlier.list.actions() if "note" in action.text()).trigger()
    path = panel.path
    assert path is not None
    bench.wait(lambda: any(entry.name for entry in panel.earlier.entries or ()))
    assert read(path).name == "For <section> 3"
    panel.earlier.list.aboutToShow.emit()
    entry = panel.earlier.list.actions()[-1]
    assert entry.text().startswith("For <section> 3 · 20")
    assert "Again with more seeds." in entry.toolTip()
    assert ("For <section> 3", path) in panel.others()
    assert markdown(read(path)).startswith("# For \\<section> 3\n\nAgain with more seeds.\n")


@pytest.mark.qt_log_ignore("grabbing the keyboard", "raise", extend=True)
def test_earlier_studies_are_looked_for_while_the_window_goes_on(
    bench: Bench, open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.set_up()
    bench.desk.press(K.Key_F5)
    bench.wait_for_study(RunState.FINISHED)
    bench.desk.close()
    disk, open_to_read = threading.Event(), Store.open_to_read

    def slowly(path: Path, **how: bool) -> Store:
        assert threading.current_thread() is not threading.main_thread(), "the window waits for a file"
        assert disk.wait(WAIT_MS / 1000)
        return open_to_read(path, **how)

    monkeypatch.setattr(Store, "open_to_read", slowly)
    panel = Bench(open_desk()).study

    def listed() -> str:
        return panel.earlier.list.actions()[-1].text()

    panel.earlier.list.popup(panel.mapToGlobal(QPoint()))  # a click on its button would only return when it is closed
    assert listed() == "Looking…"
    disk.set()
    bench.wait(lambda: listed() != "Looking…")
    assert listed().startswith("uct, mcts on nim:3,4,5, 12 seeds from 0 · 20")
    panel.earlier.list.close()
    assert [path for _name, path in panel.others()] == [panel.path]


def test_two_studies_are_laid_over_each_other_with_their_differences(bench: Bench) -> None:
    for seed in ("1", "2"):
        bench.set_up()
        bench.desk.type_into(bench.study.form.seed, seed)
        bench.desk.press(K.Key_F5)
        bench.wait_for_study(RunState.FINISHED)
        bench.wait(lambda: bench.study.frame is not None and bench.study.frame.complete)
    panel = bench.study
    menu = panel.compare.menu()
    assert menu is not None
    bench.wait(lambda: len(panel.others()) == 2)
    menu.aboutToShow.emit()
    (other,) = menu.actions()
    assert other.text().endswith("seeds from 1")
    other.trigger()
    bench.wait(lambda: bool(panel.findChildren(CompareDialog)))
    (dialog,) = panel.findChildren(CompareDialog)
    assert "differences exclude" in dialog.sentence.text()
    assert "seeds from 2" in dialog.sentence.text()
    # Two agents at two budgets, each with share and regret; a curve for each agent in each of the two.
    assert dialog.table.rows.model().rowCount() == 8
    assert dialog.plot.data is not None
    assert [curve.letter for curve in dialog.plot.data.curves] == ["One", "Other"] * 2
    # One word for one thing, above the table and in it, and how many searches both values are of.
    assert [line.partition(":")[0] for line in dialog.sentence.text().splitlines()[:2]] == ["One", "Other"]
    table = dialog.table.rows.model()
    heads = [table.headerData(column, Qt.Orientation.Horizontal) for column in range(table.columnCount())]
    assert heads[heads.index("How many") + 1 :][:2] == ["One", "Other"]
    searches = panel.frame.rows[0, 0][0].searches
    assert table.index(0, heads.index("How many")).data() == f"{searches}"
    frame = panel.frame
    assert frame is not None
    shares = [row.optimal_share for row in frame.rows[0, 0] if row is not None]
    assert dialog.plot.data.curves[0].values.tolist() == shares
    dialog.figure.click()
    (figure,) = dialog.findChildren(FigureDialog)
    figure.shown.setCurrentText("Difference of the shares")
    assert "Newcombe's 95% intervals" in figure.caption.toPlainText()
    assert "(exploration = " in figure.caption.toPlainText()
    assert figure.save.isEnabled()
    figure.reject()
    dialog.reject()
