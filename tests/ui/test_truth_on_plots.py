"""What is proven, in the convergence panel: beside every estimate, and never mixed with it."""

import sys

import pytest
from desk import WAIT_MS
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QStyle
from pytestqt.qtbot import QtBot
from test_convergence import DONE, cut, give, legend_cell, make_snapshot, move_mouse

from nimdesk.games import Move, NimPosition, parse_position
from nimdesk.games.nim.theory import solve_nim
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.ui.look.move_marks import MoveColors
from nimdesk.ui.look.theme import DARK, LIGHT, LOOK
from nimdesk.ui.play.page import PlotPlace
from nimdesk.ui.plots.axes import row_ticks
from nimdesk.ui.plots.convergence import ConvergencePanel
from nimdesk.ui.plots.curves import CurvesPlot
from nimdesk.ui.plots.legend import MEAN, MOVE, SHARE, TRUTH, VISITS

NIM = "nim:3,4,5"


def proven(text: str = NIM) -> Truth:
    position = parse_position(text)
    assert isinstance(position, NimPosition)
    return solve_nim(position)


def made_up(text: str) -> Truth:
    """Every value there is, in turn."""
    position = parse_position(text)
    values = (Value.WIN, Value.DRAW, Value.LOSS, Value.UNKNOWN)
    moves = (MoveTruth(move, values[i % 4], 5 if i % 2 == 0 else None) for i, move in enumerate(position.legal_moves))
    return Truth(position, Value.WIN, 5, tuple(moves))


def panel_with(
    qtbot: QtBot, text: str = NIM, truth: Truth | None = None, size: tuple[int, int] = (900, 400), **state: str
) -> ConvergencePanel:
    LOOK.use(LIGHT)
    panel = ConvergencePanel(MoveColors())
    qtbot.addWidget(panel)
    panel.resize(*size)
    panel.restore(dict(state))
    panel.show()
    qtbot.waitExposed(panel, timeout=WAIT_MS)
    QTest.mouseMove(panel.toolbar, QPoint(1, 1))
    give(panel, make_snapshot(text, 3000, stopped=DONE))
    panel.set_truth(truth)
    QApplication.processEvents()
    return panel


def pen_of(panel: ConvergencePanel, move: Move) -> tuple[Qt.PenStyle, int, float]:
    pen = panel.plot.curve(move).pen
    return pen.style(), pen.color().alpha(), pen.widthF()


def test_the_legend_has_a_column_of_truth_while_it_is_shown(qtbot: QtBot) -> None:
    panel = panel_with(qtbot)
    assert panel.legend.isColumnHidden(TRUTH)
    truth = proven()
    panel.set_truth(truth)
    assert not panel.legend.isColumnHidden(TRUTH)
    said = {}
    for row in range(panel.legend.model().rowCount()):
        move = panel.legend.model().move_of_row(row)
        assert move is not None
        said[move] = legend_cell(panel, row, TRUTH)
        assert not legend_cell(panel, row, TRUTH, Qt.ItemDataRole.DecorationRole).isNull()
        assert "proven: " in str(legend_cell(panel, row, MOVE, Qt.ItemDataRole.ToolTipRole))
    assert said == {each.move: f"{each.value.value} {each.distance}" for each in truth.moves}
    assert legend_cell(panel, 0, TRUTH, Qt.ItemDataRole.AccessibleTextRole) == "loss in 8"
    panel.set_truth(None)
    assert panel.legend.isColumnHidden(TRUTH)
    assert legend_cell(panel, 0, TRUTH) == ""


def test_dashes_and_strength_say_what_is_proven(qtbot: QtBot) -> None:
    truth = made_up("mnk:3,3,3")
    panel = panel_with(qtbot, "mnk:3,3,3")
    plain = {each.move: pen_of(panel, each.move) for each in truth.moves}
    colors = {each.move: panel.plot.curve(each.move).pen.color().rgb() for each in truth.moves}
    assert {style for style, *_ in plain.values()} == {Qt.PenStyle.SolidLine}, "nine colours for nine moves"
    panel.set_truth(truth)
    named = [panel.plot.frame.moves.moves[column] for column in panel.plot.frame.moves.named]
    assert set(panel.plot.drawn_moves[:5]) < set(named)
    styles = {
        Value.WIN: Qt.PenStyle.SolidLine,
        Value.DRAW: Qt.PenStyle.DashDotLine,
        Value.LOSS: Qt.PenStyle.DashLine,
        Value.UNKNOWN: Qt.PenStyle.DotLine,
    }
    for each in truth.moves:
        style, alpha, width = pen_of(panel, each.move)
        assert style == styles[each.value]
        if each.move in named:
            assert (alpha == 255) == (each.value is Value.WIN)
        assert width == (3 if each.move == panel.plot.drawn_moves[0] else 2 if each.move in named else 1)
        if each.value is not Value.WIN:
            assert panel.plot.curve(each.move).pen.color().rgb() & 0xFFFFFF == colors[each.move] & 0xFFFFFF
    panel.set_truth(None)
    assert {each.move: pen_of(panel, each.move) for each in truth.moves} == plain


def test_the_leader_says_its_value_at_the_end_of_its_curve(qtbot: QtBot) -> None:
    panel = panel_with(qtbot)
    plot = panel.plot
    assert isinstance(plot, CurvesPlot)
    name, _, share = plot.names[0].text.partition(" ")
    assert f"{name} ▲" == legend_cell(panel, 0, MOVE)
    assert share.endswith("%")
    panel.set_truth(proven())
    assert plot.names[0].text == f"{name} {share} · ✗ loss 8", "what the search thinks, and what is true"
    assert f"Leader: {name} " in panel.accessibleDescription()
    assert "of the simulations, proven: loss in 8." in panel.accessibleDescription()


def test_a_truth_that_knows_of_no_move_leaves_the_plot_as_it_is(qtbot: QtBot) -> None:
    position = parse_position(NIM)
    unknown = tuple(MoveTruth(move, Value.UNKNOWN, None) for move in position.legal_moves)
    panel = panel_with(qtbot, truth=Truth(position, Value.UNKNOWN, None, unknown), size=(500, 300))
    assert panel.legend.isColumnHidden(TRUTH)
    assert not panel.legend.isColumnHidden(SHARE)
    assert not panel.key.isVisible()
    assert {pen_of(panel, move)[0] for move in panel.plot.drawn_moves[:2]} == {Qt.PenStyle.SolidLine}


def test_large_words_at_the_ends_leave_room_for_the_curves(qtbot: QtBot) -> None:
    panel = panel_with(qtbot, truth=proven(), size=(700, 400))
    plot = panel.plot
    assert isinstance(plot, CurvesPlot)
    assert plot.names[0].text.endswith("✗ loss 8")
    large = plot.font()
    large.setPointSizeF(2 * large.pointSizeF())
    plot.setFont(large)
    panel.resize(701, 400)
    QApplication.processEvents()
    assert plot.right_room < plot.width() / 3


def test_the_key_explains_what_there_is_to_see(qtbot: QtBot) -> None:
    panel = panel_with(qtbot)
    assert not panel.key.isVisible()
    panel.set_truth(proven())
    assert panel.key.isVisible()
    assert panel.key.text() == "Proven: solid wins, thin and dashed loses."
    panel.toolbar.view_as.action("heat").trigger()
    assert panel.key.text().startswith("Proven, before each move: “win 5” is a forced win")
    panel.toolbar.view_as.action("lines").trigger()
    panel.show_snapshot(None)
    assert not panel.key.isVisible()


@pytest.mark.parametrize("view", ["lines", "heat"])
def test_the_read_out_says_it_too(qtbot: QtBot, view: str) -> None:
    panel = panel_with(qtbot, truth=proven(), view=view)
    move_mouse(panel, 3.0, 0.5)
    assert panel.plot.readout.isVisible()
    assert "loss 8" in panel.plot.readout.text()
    panel.set_truth(None)
    assert "loss" not in panel.plot.readout.text()


def test_the_rows_of_the_heat_map_say_it_in_words_or_by_a_sign(qtbot: QtBot) -> None:
    panel = panel_with(qtbot, view="heat")
    plot = panel.plot
    plain, width = plot.row_names, plot.y_axis.width()
    panel.set_truth(proven())
    assert plot.row_names[0] == f"loss 8 · {plain[0]}"
    QApplication.processEvents()
    assert plot.y_axis.width() == plot.y_axis.room_for(plot.row_names) > width
    assert plot.scale.left == plot.y_axis.width() + 3
    panel.resize(300, 400)
    QApplication.processEvents()
    assert plot.row_names[0] == f"✗ {plain[0]}"
    panel.set_truth(None)
    assert plot.row_names == plain[: len(plot.row_names)], "as many as there is room for"


def test_of_low_rows_some_are_named() -> None:
    names = [f"m{row}" for row in range(30)]
    assert row_ticks(names, 195)[:2] == [(0.5, "m0"), (2.5, "m2")]
    assert row_ticks(names[:9], 200)[8] == (8.5, "m8")


def test_the_truth_of_another_position_is_not_used(qtbot: QtBot) -> None:
    panel = panel_with(qtbot, truth=proven("nim:3,4,5 1-2"))
    assert panel.legend.isColumnHidden(TRUTH)
    assert not panel.key.isVisible()
    give(panel, make_snapshot("nim:3,4,5 1-2", 1000, stopped=DONE))
    assert not panel.legend.isColumnHidden(TRUTH), "the truth came before its search"
    give(panel, make_snapshot("nim:1,3,5,7", 1000, stopped=DONE))
    assert panel.legend.isColumnHidden(TRUTH)


def test_a_paused_display_shows_the_truth_of_what_it_shows(qtbot: QtBot) -> None:
    panel = panel_with(qtbot)
    panel.set_paused(True)
    panel.set_truth(proven())
    assert panel.key.isVisible()
    assert not panel.legend.isColumnHidden(TRUTH)


def test_a_hidden_panel_catches_up(qtbot: QtBot) -> None:
    panel = panel_with(qtbot)
    panel.hide()
    panel.set_truth(proven())
    panel.show()
    qtbot.waitExposed(panel, timeout=WAIT_MS)
    assert isinstance(panel.plot, CurvesPlot)
    assert panel.plot.names[0].text.endswith(" · ✗ loss 8")


def test_a_live_search_keeps_the_truth_beside_it(qtbot: QtBot) -> None:
    snapshot = make_snapshot(NIM, 3000, stopped=DONE)
    panel = panel_with(qtbot, truth=proven())
    for rows in (1, 2, 30, 200):
        give(panel, cut(snapshot, rows))
    assert legend_cell(panel, 0, TRUTH) in ("loss 8", "loss 10", "loss 12", "win 11")
    give(panel, replace(snapshot, agent="Random", trace=None))
    assert not panel.key.isVisible()


@pytest.mark.parametrize("text", ["mnk:15,15,5", "nim:64,64,63", "mnk:3,3,3"])
def test_the_legend_is_not_cut_off(qtbot: QtBot, text: str) -> None:
    sizes = [(420, 300), (420, 600), (700, 350), (1200, 500)]
    panel = panel_with(qtbot, text, made_up(text), sizes[0])
    legend = panel.legend
    for size in sizes:
        panel.resize(*size)
        QApplication.processEvents()
        assert (panel.width(), panel.height()) == size
        shown = [column for column in range(5) if not legend.isColumnHidden(column)]
        assert {MOVE, TRUTH} <= set(shown)
        assert sum(legend.columnWidth(column) for column in shown) <= legend.viewport().width()
    panel.resize(1600, 700)
    QApplication.processEvents()
    assert all(not legend.isColumnHidden(column) for column in (MOVE, VISITS, SHARE, MEAN, TRUTH))
    LOOK.use(DARK)
    assert not panel.grab().isNull()


def test_a_share_of_all_simulations_is_whole_in_the_legend(qtbot: QtBot) -> None:
    panel = panel_with(qtbot)
    give(panel, cut(make_snapshot(NIM, 3000), 1))
    row = next(row for row in range(panel.legend.model().rowCount()) if legend_cell(panel, row, SHARE) == "100.0%")
    legend, index = panel.legend, panel.legend.model().index(row, SHARE)
    needed = QFontMetrics(index.data(Qt.ItemDataRole.FontRole) or legend.font()).horizontalAdvance("100.0%")
    margins = 2 * (legend.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1)
    assert legend.columnWidth(SHARE) >= needed + margins


def test_plots_that_cannot_be_loaded_say_so_and_keep_nobody_waiting(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nimdesk.ui.plots.convergence", None)
    place = PlotPlace(MoveColors())
    qtbot.addWidget(place)
    with qtbot.waitSignal(place.loaded):
        place.load_soon()
    assert place.panel is None
    assert next(each.text() for each in place.findChildren(QLabel)).startswith("The plots failed: ")
    place.shutdown()
