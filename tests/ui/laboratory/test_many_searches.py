"""Many searches in one view: the band of other seeds, agents side by side, and the part of a plot that is looked at."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from desk import HUMAN, Desk, OpenDesk
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

import nimdesk as nd
from nimdesk.disk.provenance import beside
from nimdesk.experiments.statistics import wilson
from nimdesk.search.timeline import Cost
from nimdesk.ui.figure_dialog import FigureDialog
from nimdesk.ui.laboratory.studied import Studied, new_agent
from nimdesk.ui.look.actions import LABORATORY
from nimdesk.ui.plots.curves import CurvesPlot
from nimdesk.ui.plots.frame import Axis, View
from nimdesk.ui.plots.frame_plot import FramePlot
from nimdesk.ui.plots.ink import Band

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def desk(open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Desk:
    desk = open_desk("nim:3,4,5", HUMAN, HUMAN)
    desk.window.modes.show_mode(LABORATORY)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "saved.csv"), ""))
    return desk


def run(desk: Desk, *agents: tuple[str, int], iterations: int = 500) -> None:
    model = desk.laboratory.model
    model.agents.set_all(tuple(Studied(new_agent(name), seed) for name, seed in agents))
    model.searches.set_limit(float(iterations))
    model.searches.run()
    desk.wait(lambda: not model.searches.running)
    desk.laboratory.display.draw_now()


def other_seeds(desk: Desk, number: int) -> None:
    """By the button, and to the end."""
    panel, seeds = desk.laboratory.agents, desk.laboratory.model.seeds
    panel.number.setValue(number)
    desk.window.actions_by_name["lab_many"].trigger()
    assert panel.seeds.isVisible()
    desk.wait(lambda: not seeds.running)
    assert not panel.seeds.isVisible()


def saved(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((path / "saved.csv").read_text().splitlines()))


def test_the_band_holds_nine_of_ten_searches_that_differ_only_in_their_seeds(desk: Desk, tmp_path: Path) -> None:
    run(desk, ("uct", 1))
    plot = desk.laboratory.views.panes[0].plot
    alone = [shape for shape in plot.ink.shapes if isinstance(shape, Band)]
    other_seeds(desk, 6)
    assert not alone
    assert any(isinstance(shape, Band) for shape in plot.ink.shapes)
    assert "6 seeds" in desk.laboratory.views.panes[0].key.text()

    searches = [nd.analyse("nim:3,4,5", "uct", iterations=500, seed=seed) for seed in range(1, 7)]
    shares = [{stats.move.text: stats.visits / 500 for stats in search.moves} for search in searches]
    desk.window.actions_by_name["take_data"].trigger()
    last = saved(tmp_path)[-1]
    assert last["iterations"] == "500"
    assert (last["seeds"], last["first_seed"], last["last_seed"]) == ("6", "1", "6")
    for move in shares[0]:
        band = np.quantile([share[move] for share in shares], [0.05, 0.5, 0.95])
        assert [float(last[f"{part}:{move}"]) for part in ("5%", "50%", "95%")] == pytest.approx(band.tolist())
        # The search itself stays what it was.
        assert float(last[move]) == shares[0][move]

    # After as many nodes, or seconds, they cannot be compared.
    model, views = desk.laboratory.model, desk.laboratory.views
    model.searches.set_axis(Axis(Cost.NODES))
    desk.laboratory.display.draw_now()
    assert views.panes[0].key.text().startswith("The band of many seeds is drawn over iterations.")
    model.searches.set_axis(Axis(Cost.ITERATIONS))

    # The figure for print has the same numbers.
    desk.window.actions_by_name["take_figure"].trigger()
    dialog = next(each for each in desk.window.findChildren(FigureDialog) if each.isVisible())
    shown = [dialog.shown.itemText(at) for at in range(dialog.shown.count())]
    assert shown == ["Agent A", "Agent A, 6 seeds"]
    dialog.shown.setCurrentIndex(1)
    assert "of 6 searches with seeds 1 to 6" in dialog.caption.toPlainText()
    dialog.reject()


def test_over_seeds_the_simple_regret_is_a_mean_with_its_interval(desk: Desk, tmp_path: Path) -> None:
    run(desk, ("uct", 1))
    desk.wait(lambda: desk.laboratory.model.proof.truth is not None and not desk.laboratory.model.proof.proving)
    pane = desk.laboratory.views.panes[0]
    pane.set_view(View.REGRET)
    other_seeds(desk, 8)
    assert pane.key.text().startswith("Band: the 95% interval of the mean of 8 seeds, dotted: the mean.")
    wrong = sum(
        (best := nd.analyse("nim:3,4,5", "uct", iterations=500, seed=seed).best_move) is None or best.text != "1-2"
        for seed in range(1, 9)
    )
    desk.window.actions_by_name["take_data"].trigger()
    last = saved(tmp_path)[-1]
    assert float(last["mean"]) == wrong / 8
    assert (float(last["low"]), float(last["high"])) == pytest.approx(wilson(wrong, 8))
    assert (last["seeds"], last["first_seed"], last["last_seed"]) == ("8", "1", "8")
    (agent,) = json.loads(beside(tmp_path / "saved.csv").read_text())["agents"]
    assert (agent["seeds"], agent["first_seed"], agent["last_seed"]) == (8, 1, 8)
    assert (agent["options"]["iterations"], agent["iterations"]) == (500, 500)
    desk.window.actions_by_name["take_figure"].trigger()
    dialog = next(each for each in desk.window.findChildren(FigureDialog) if each.isVisible())
    dialog.shown.setCurrentIndex(1)
    caption = dialog.caption.toPlainText()
    assert "iterations = 500" in caption
    assert "Lines are means over the seeds, bands their 95% intervals, Wilson's" in caption
    dialog.reject()


def test_other_seeds_end_when_they_are_cancelled_and_what_is_there_stays(desk: Desk) -> None:
    run(desk, ("uct", 1), ("minimax", 1), iterations=300)
    page, seeds = desk.laboratory, desk.laboratory.model.seeds
    page.agents.number.setValue(1000)
    desk.window.actions_by_name["lab_many"].trigger()
    desk.wait(lambda: seeds.done >= 2)
    page.agents.seeds.cancel.click()
    desk.wait(lambda: not seeds.running)
    assert seeds.total == 999, "minimax makes no use of a seed"
    sample = seeds.sample(page.model.searches.runs[0])
    assert sample is not None
    assert len(sample.searches) == 1 + seeds.done < 1000
    page.model.place.play(page.model.place.position.legal_moves[0])
    assert seeds.sample(page.model.searches.runs[0]) is None
    assert desk.enabled("lab_many") == [False]


@pytest.mark.parametrize("view", [View.SHARE, View.MEAN, View.HEAT, View.OPTIMAL])
def test_agents_side_by_side_have_a_plot_each_and_the_same_axes(desk: Desk, tmp_path: Path, view: View) -> None:
    run(desk, ("uct", 1), ("flat", 2))
    pane = desk.laboratory.views.panes[0]
    desk.wait(lambda: desk.laboratory.model.proof.truth is not None and not desk.laboratory.model.proof.proving)
    pane.set_view(view)
    desk.window.actions_by_name["lab_side"].trigger()
    panels = [panel for panel in pane.panels if panel.isVisible()]
    assert [panel.heading.text()[0] for panel in panels] == ["A", "B"]
    frames = [panel.plots.frame for panel in panels]
    assert frames[0].x_range == frames[1].x_range
    assert frames[0].y_range == frames[1].y_range
    assert [panel.plots.plot.frame is not None for panel in panels] == [True, True]
    desk.window.actions_by_name["take_data"].trigger()
    assert {row["agent"][0] for row in saved(tmp_path)} == {"A", "B"}
    desk.window.actions_by_name["lab_side"].trigger()
    assert [panel.isVisible() for panel in pane.panels] == [True, False]


def test_a_move_keeps_its_colour_whichever_agent_is_in_focus(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:9,9,5", HUMAN, HUMAN)
    desk.window.modes.show_mode(LABORATORY)
    run(desk, ("uct", 1), ("uct", 2), ("threats", 1), iterations=2000)
    page = desk.laboratory
    colors = page.model.colors
    shown = []
    for row in page.agents.rows:
        QTest.mouseClick(row.letter, LEFT)
        assert page.model.shown.at.focus == page.agents.rows.index(row)
        shown.append(dict(colors.indices))
        leaders = [move for move, item in page.board_panel.board.shown.overlay.items() if item.leader]
        assert leaders == [page.model.shown.at.focused.newest.leader], "the board marks it, whatever the agent counts"
        assert leaders[0] in colors.indices
    assert shown[0] == shown[1] == shown[2]
    place = page.model.place
    place.play(place.position.legal_moves[0])
    assert page.model.colors.indices != shown[0]
    place.back()
    assert page.model.colors.indices == shown[0], "also after a look at another position"
    for agent in (0, 1):
        history = page.views.frame(View.SHARE, agent).moves
        assert len({history.style(column) for column in history.named} - {-1}) == len(history.named)


def turn_wheel(plot: FramePlot, at: QPoint, notches: int) -> None:
    port = plot.view.viewport()
    up = QPoint(0, 120 * notches)
    event = QWheelEvent(
        QPointF(at), QPointF(port.mapToGlobal(at)), QPoint(), up, Qt.MouseButton.NoButton, NONE,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(port, event)


def test_the_wheel_shows_a_part_of_all_views_and_a_double_click_all_again(desk: Desk) -> None:
    run(desk, ("uct", 1))
    desk.window.actions_by_name["lab_two"].trigger()
    desk.wait(lambda: desk.laboratory.views.panes[1].draws)
    first, second = (pane.plot for pane in desk.laboratory.views.panes)
    assert first.frame is not None
    assert second.frame is not None
    whole = first.frame.x_range, first.frame.y_range
    middle = first.view.viewport().rect().center()
    under = first.place(QPointF(middle))
    turn_wheel(first, middle, 3)
    (left, right), (low, high) = first.frame.x_range, first.frame.y_range
    assert right - left == pytest.approx(0.8**3 * (whole[0][1] - whole[0][0]))
    assert high - low == pytest.approx(0.8**3 * (whole[1][1] - whole[1][0]))
    assert left < under.x() < right
    assert second.frame.x_range == (left, right)
    assert first.reset.isVisible()
    # What is drawn ends where the part ends.
    assert isinstance(first, CurvesPlot)
    assert max(first.curve(move).x[-1] for move in first.drawn_moves[:3]) <= right
    # Shift moves it; nothing lies beyond the ends.
    QTest.keyClick(first, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert first.frame.x_range[0] == pytest.approx(max(whole[0][0], left - (right - left) / 10))
    moment = desk.laboratory.model.clock.moment
    QTest.mouseClick(first.view.viewport(), LEFT, NONE, middle)
    QTest.mouseDClick(first.view.viewport(), LEFT, NONE, middle)
    assert (first.frame.x_range, first.frame.y_range) == whole
    assert second.frame.x_range == whole[0]
    assert desk.laboratory.model.clock.moment == moment, "the first of the two clicks chose no moment"
    assert not first.reset.isVisible()


def test_keys_zoom_and_another_axis_shows_all(desk: Desk) -> None:
    run(desk, ("uct", 1))
    plot = desk.laboratory.views.panes[0].plot
    assert plot.frame is not None
    whole = plot.frame.x_range
    QTest.keyClick(plot, Qt.Key.Key_Plus)
    assert plot.frame.x_range != whole
    QTest.keyClick(plot, Qt.Key.Key_0)
    assert plot.frame.x_range == whole
    QTest.keyClick(plot, Qt.Key.Key_Plus)
    QTest.mouseClick(desk.laboratory.run_bar.scale.button("linear"), LEFT)
    assert plot.frame.x_range == (1.0, 500.0)


def test_a_logarithmic_value_axis_has_the_logarithms_of_what_there_is(desk: Desk) -> None:
    run(desk, ("uct", 1))
    pane = desk.laboratory.views.panes[0]
    pane.set_view(View.VISITS)
    desk.window.actions_by_name["lab_log_y"].trigger()
    plot = pane.plot
    assert isinstance(plot, CurvesPlot)
    assert plot.frame is not None
    history = plot.frame.moves
    for move in plot.drawn_moves[:3]:
        visits = history.visits[:, history.columns[move]]
        assert plot.curve(move).y == pytest.approx(np.log10(visits[visits > 0]))
    # A mean value may be 0 for long: its axis stays.
    pane.set_view(View.MEAN)
    assert not plot.frame.logged
