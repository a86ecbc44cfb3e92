"""The convergence panel shows exactly what the trace holds, and follows the person who points at it."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from desk import WAIT_MS
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from nimdesk.agents import make_agent
from nimdesk.agents.levels import LEVELS, LevelSearcher
from nimdesk.cells import percent
from nimdesk.games import parse_position
from nimdesk.games.nim.theory import solve_nim
from nimdesk.games.truth import Value
from nimdesk.search import Limit, measures
from nimdesk.search.types import MoveStats, Snapshot, StopReason, Trace
from nimdesk.ui.look.move_marks import NAMED, TOP, MoveColors
from nimdesk.ui.look.theme import DARK, LIGHT, LOOK
from nimdesk.ui.plots import example
from nimdesk.ui.plots.axes import cost_ticks
from nimdesk.ui.plots.convergence import ConvergencePanel
from nimdesk.ui.plots.curves import CurvesPlot
from nimdesk.ui.plots.frame import Axis
from nimdesk.ui.plots.heatmap import HeatMapPlot
from nimdesk.ui.plots.history import MoveHistory, round_up, short_count
from nimdesk.ui.plots.ink import Picture, Sign
from nimdesk.ui.plots.legend import MEAN, MOVE, SHARE, VISITS
from nimdesk.ui.plots.toolbar import HELP

DONE = StopReason.ITERATIONS


@cache
def make_snapshot(
    text: str = "mnk:3,3,3", iterations: int = 2000, *, stopped: StopReason | None = None, seed: int = 1
) -> Snapshot:
    """A snapshot as UCT would give it: a bandit on made-up values, its trace at log-spaced checkpoints."""
    position = parse_position(text)
    moves = position.legal_moves
    random = np.random.default_rng(seed)
    values = np.sort(random.beta(4, 5, len(moves)))[::-1][random.permutation(len(moves))]
    visits, sums = np.zeros(len(moves)), np.zeros(len(moves))
    wanted = {int(count) for count in np.geomspace(1, iterations, 700)} | {iterations}
    rows: list[tuple[int, np.ndarray, np.ndarray]] = []
    untried = random.permutation(len(moves))
    for count in range(1, iterations + 1):
        if count <= len(moves):
            move = int(untried[count - 1])
        else:
            move = int((sums / visits + 0.5 * np.sqrt(np.log(count) / visits)).argmax())
        visits[move] += 1
        sums[move] += random.random() < values[move]
        if count in wanted:
            rows.append((count, visits.copy(), sums.copy()))
    trace = Trace(
        moves,
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([row[0] * 1e-6 for row in rows]),
        np.array([row[1] for row in rows], dtype=np.uint32),
        np.array([row[2] for row in rows]),
        np.array([row[1].argmax() for row in rows]),
    )
    stats = tuple(
        MoveStats(move, int(n), float(s / n) if n else None, (move,))
        for move, n, s in zip(moves, visits, sums, strict=True)
    )
    best = moves[int(visits.argmax())]
    return Snapshot(position, "MCTS", seed, iterations, 0.5, stats, best, 1000, 32000, stopped=stopped, trace=trace)


def cut(snapshot: Snapshot, rows: int) -> Snapshot:
    """The same search at an earlier moment, still running."""
    trace = snapshot.trace
    assert trace is not None
    visits, sums = trace.visits[rows - 1], trace.value_sum[rows - 1]
    stats = tuple(
        MoveStats(move, int(n), float(s / n) if n else None)
        for move, n, s in zip(trace.moves, visits, sums, strict=True)
    )
    earlier = Trace(
        trace.moves,
        *(a[:rows] for a in (trace.iterations, trace.elapsed_s, trace.visits, trace.value_sum, trace.choice)),
    )
    return replace(snapshot, iterations=int(trace.iterations[rows - 1]), moves=stats, stopped=None, trace=earlier)


def final_trace(snapshot: Snapshot) -> Trace:
    assert snapshot.trace is not None
    return snapshot.trace


Show = Callable[..., ConvergencePanel]


@pytest.fixture
def show(qtbot: QtBot) -> Show:
    def build(
        snapshot: Snapshot | None = None, *, size: tuple[int, int] = (700, 360), **state: str
    ) -> ConvergencePanel:
        LOOK.use(LIGHT)
        panel = ConvergencePanel(MoveColors())
        qtbot.addWidget(panel)
        panel.resize(*size)
        panel.restore(dict(state))
        panel.show()
        qtbot.waitExposed(panel, timeout=WAIT_MS)
        # Away from everything, lest the mouse of the last test still hovers.
        QTest.mouseMove(panel.toolbar, QPoint(1, 1))
        if snapshot is not None:
            give(panel, snapshot)
            # The legend's width follows its numbers: what is pointed at must lie still.
            QApplication.processEvents()
        return panel

    return build


def give(panel: ConvergencePanel, snapshot: Snapshot, title: str = "Search for move 4 by O") -> None:
    panel.colors.update(snapshot)
    panel.show_snapshot(snapshot, title)


def point(panel: ConvergencePanel, x: float, y: float) -> QPoint:
    """Where the place (x, y) of the shown plot lies on its view."""
    plot = panel.plot
    inner: QPointF = plot.pixel(x, y) - QPointF(plot.view.pos())
    return inner.toPoint()


def move_mouse(panel: ConvergencePanel, x: float, y: float) -> None:
    QTest.mouseMove(panel.plot.view.viewport(), point(panel, x, y))


def legend_cell(panel: ConvergencePanel, row: int, column: int = MOVE, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
    model = panel.legend.model()
    return model.data(model.index(row, column), role)


# What is drawn is what the trace holds


@pytest.mark.parametrize("x", ["linear", "log"])
@pytest.mark.parametrize("y", ["share", "count"])
def test_curves_are_the_trace(show: Show, x: str, y: str) -> None:
    snapshot = make_snapshot(stopped=DONE)
    trace = final_trace(snapshot)
    panel = show(snapshot, x=x, y=y)
    assert set(panel.plot.drawn_moves) == set(trace.moves)
    for column, move in enumerate(trace.moves):
        curve = panel.plot.curve(move)
        xs, ys = curve.x, curve.y
        np.testing.assert_allclose(xs, np.log10(trace.iterations) if x == "log" else trace.iterations)
        np.testing.assert_allclose(ys, trace.shares()[:, column] if y == "share" else trace.visits[:, column])


def test_the_end_of_the_leaders_curve_is_marked(show: Show) -> None:
    snapshot = make_snapshot("nim:1,3,5,7", stopped=DONE)
    trace = final_trace(snapshot)
    end = show(snapshot, y="count", x="linear").plot.end
    assert (end.x[0], end.y[0]) == (trace.iterations[-1], trace.visits[-1].max())


def test_of_many_moves_the_most_visited_have_curves_and_a_heat_map_is_shown_when_asked_for(show: Show) -> None:
    snapshot = make_snapshot("mnk:15,15,5", 3000, stopped=DONE)
    panel = show(snapshot)
    assert isinstance(panel.plot, CurvesPlot)
    panel.toolbar.view_as.action("heat").trigger()
    assert isinstance(panel.plot, HeatMapPlot)
    assert panel.legend.model().rowCount() == len([stats for stats in snapshot.moves if stats.visits])
    panel.toolbar.view_as.action("lines").trigger()
    ranked = sorted(snapshot.moves, key=lambda stats: -stats.visits)
    assert list(panel.plot.drawn_moves) == [stats.move for stats in ranked if stats.visits]
    named = [stats.move for stats in ranked[:5]]
    assert [words.text.split()[0] for words in panel.plot.names] == [move.text for move in named]
    assert [panel.plot.curve(move).pen.widthF() for move in named] == [3, 2, 2, 2, 2]
    grey = LIGHT.color("muted").rgb()
    colored = {each.move for each in ranked if panel.plot.curve(each.move).pen.color().rgb() != grey}
    trace = final_trace(snapshot)
    led = {move for row, move in enumerate(trace.choice) if trace.visits[row, move] > 1}
    assert set(named) <= colored <= {*named, *(trace.moves[move] for move in led)}


@pytest.mark.parametrize("text", ["mnk:3,3,3", "nim:3,4,5", "nim:1,3,5,7", "mnk:15,15,5"])
def test_the_strip_has_no_color_that_no_curve_has(show: Show, text: str) -> None:
    for seed in range(4):
        plot = curves_of(show(make_snapshot(text, 3000, stopped=DONE, seed=seed)))
        curves = {plot.curve(move).pen.color().rgb() for move in plot.drawn_moves}
        strip = next(shape for shape in plot.ink.shapes if isinstance(shape, Picture))
        shown = {QColor(*pixel.tolist()).rgb() for pixel in np.asarray(strip.pixels).reshape(-1, 4)}
        assert shown - {LIGHT.color("border").rgb()} <= curves


def level_snapshot(text: str, level: int, seed: int) -> Snapshot:
    """A level's search as Play shows it: its move, and the curves of more simulations."""
    searcher = LevelSearcher(LEVELS[level - 1])
    searcher.start(parse_position(text), seed)
    searcher.advance(Limit())
    assert searcher.illustrate(Limit())
    return searcher.snapshot()


def test_where_dice_chose_curves_and_strip_show_the_search_and_the_dice_are_marked_once(show: Show) -> None:
    seen = set[str]()
    for seed in range(12):
        snapshot = level_snapshot("mnk:7,6,4:gravity d1", 2, seed)
        panel = show(snapshot)
        plot, trace, best = curves_of(panel), final_trace(snapshot), snapshot.best_move
        leader = trace.moves[trace.choice[-1]]
        assert trace.visits[-1].max() == trace.visits[-1, trace.choice[-1]]
        assert plot.names[0].text.startswith(leader.text)
        assert plot.curve(leader).pen.widthF() == 3
        assert legend_cell(panel, 0) == f"{leader.text} ▲"
        assert panel.title.text().endswith("— 50 simulations, shown to 2,000")
        marked = [words.text for words in plot.names if words.text[0] in "⚄◂"]
        listed = [legend_cell(panel, row) for row in range(len(snapshot.moves))]
        assert best is not None
        preferred = trace.moves[trace.choice[trace.iterations.tolist().index(50)]]
        mark = "" if best == leader else "◂" if best == preferred else "⚄"
        seen.add(mark)
        assert [text.split()[:2] for text in marked] == ([[mark, best.text]] if mark else [])
        assert [text for text in listed if text[-1] in "⚄◂"] == ([f"{best.text} {mark}"] if mark else [])
    assert seen == {"", "⚄", "◂"}


def test_optimal_moves_are_named_and_colored_where_the_truth_is_shown(show: Show) -> None:
    """The story is whether the search finds the only move that wins, however few its visits."""
    position = parse_position("nim:1,3,5,7 4-2")
    truth = solve_nim(position)
    (only,) = truth.quickest_moves or truth.best_moves

    def hidden(snapshot: Snapshot) -> bool:
        ranked = sorted(snapshot.moves, key=lambda stats: -stats.visits)
        return only not in [stats.move for stats in ranked[:NAMED]]

    made = (make_snapshot("nim:1,3,5,7 4-2", 60, stopped=DONE, seed=seed) for seed in range(40))
    panel = show(next(filter(hidden, made)))
    plot = curves_of(panel)
    assert only.text not in [words.text.split()[0] for words in plot.names]
    panel.set_truth(truth)
    assert [words.text.split()[0] for words in plot.names].count(only.text) == 1
    assert plot.curve(only).pen.color().rgb() != LIGHT.color("muted").rgb()
    colors = [plot.curve(parsed).pen.color().name() for parsed in plot.drawn_moves[:NAMED]]
    assert plot.curve(only).pen.color().name() not in colors


def test_heat_map_keeps_the_leader_visible_however_small(show: Show) -> None:
    panel = show(make_snapshot("mnk:19,19,5", 3000, stopped=DONE), size=(420, 300), view="heat")
    image = panel.plot.levels
    assert image.shape[0] < 361
    assert image[0, -1] == image[:, -1].max() > 0


def curves_of(panel: ConvergencePanel) -> CurvesPlot:
    assert isinstance(panel.plot, CurvesPlot)
    return panel.plot


def test_the_names_at_the_ends_can_be_read_in_both_looks(show: Show) -> None:
    plot = curves_of(show(make_snapshot("nim:1,3,5,7", stopped=DONE)))
    for theme in (LIGHT, DARK):
        LOOK.use(theme)
        assert {words.color.name() for words in plot.names} == {theme.text}
        dots = [words.dot.name() for words in plot.names if words.dot is not None]
        assert len(set(dots)) == len(dots) == NAMED, "each has a colour of its own"


def test_shares_go_up_to_all_of_them_until_a_person_zooms(show: Show) -> None:
    plot = curves_of(show(make_snapshot("mnk:15,15,5", 3000, stopped=DONE)))
    assert plot.box.viewRange()[1][1] >= 1
    assert not len(plot.beyond.x)
    assert plot.zoom.text() == "Zoom"
    plot.zoom.click()
    top = plot.box.viewRange()[1][1]
    assert top < 0.2
    assert plot.zoom.text().startswith("×")
    high = [move for move in plot.drawn_moves[:NAMED] if plot.curve(move).y.max() > top]
    assert bool(high) == bool(len(plot.beyond.x)), "what is higher is marked"
    plot.zoom.click()
    assert plot.box.viewRange()[1][1] >= 1


def test_only_moves_that_were_visited_have_rows_in_the_heat_map_and_each_can_be_seen(show: Show) -> None:
    panel = show(make_snapshot("mnk:15,15,5", 100, stopped=DONE), view="heat", size=(700, 900))
    assert isinstance(panel.plot, HeatMapPlot)
    assert len(panel.plot.row_names) == 100
    panel.resize(700, 400)
    QApplication.processEvents()
    rows = len(panel.plot.row_names)
    assert rows < 100
    assert panel.plot.box.height() / rows >= 6
    assert f"the {rows} most visited" in panel.plot.x_axis.labelText


def test_a_single_simulation_stands_in_the_middle(show: Show) -> None:
    snapshot = make_snapshot("mnk:3,3,3", 1, stopped=DONE)
    for x in ("log", "linear"):
        plot = curves_of(show(snapshot, x=x))
        axis = Axis(log=x == "log")
        low, high = axis.range(1, 1)
        assert low < plot.end.x[0] < high
        assert [words for _, words in cost_ticks(axis, low, high, 300)] == ["1"]


def test_there_is_no_half_simulation_on_the_axis() -> None:
    for axis in (Axis(log=True), Axis(log=False)):
        assert [words for _, words in cost_ticks(axis, *axis.range(1, 2), 300)] == ["1", "2"]


def proven_snapshot(value: Value, distance: int | None) -> Snapshot:
    """A search that has proven its choice, and that one other move loses."""
    snapshot = make_snapshot("nim:1,3,5,7", stopped=StopReason.PROVEN)
    ranked = sorted(snapshot.moves, key=lambda stats: -stats.visits)
    known = {ranked[0].move: (value, distance), ranked[2].move: (Value.LOSS, 4)}
    moves = tuple(
        replace(stats, proven=known[stats.move][0], distance=known[stats.move][1]) if stats.move in known else stats
        for stats in snapshot.moves
    )
    return replace(snapshot, moves=moves, proven=value, distance=distance)


@pytest.mark.parametrize(
    ("value", "distance", "sign", "words"),
    [
        (Value.WIN, 9, "✓", "proven: wins in 9"),
        (Value.WIN, None, "✓", "proven: wins"),
        (Value.DRAW, None, "=", "proven: draws"),
        (Value.LOSS, 6, "✗", "proven: loses in 6"),
    ],
)
def test_a_proof_is_never_said_as_a_share(
    show: Show, value: Value, distance: int | None, sign: str, words: str
) -> None:
    snapshot = proven_snapshot(value, distance)
    panel = show(snapshot, size=(900, 400))
    plot = curves_of(panel)
    best = snapshot.best_move
    assert best is not None
    assert plot.names[0].text == f"{best.text} {sign} {words}"
    assert plot.names[2].text.endswith("✗ proven: loses in 4")
    assert [shape.value for shape in plot.ink.shapes if isinstance(shape, Sign)] == [Value.LOSS, value]
    assert legend_cell(panel, 0, SHARE).startswith(sign)
    assert panel.title.text().endswith(words)
    assert words in panel.accessibleDescription()
    faded = all(plot.curve(move).pen.color().alpha() < 131 for move in plot.drawn_moves[1:])
    assert faded == (value is Value.WIN), "beside a proven win nothing else matters"


@pytest.mark.parametrize(
    ("value", "text"), [(1, "1"), (10, "10"), (100, "100"), (1000, "1k"), (10_000, "10k"), (2500, "2.5k"), (3e6, "3M")]
)
def test_thousands_are_short(value: float, text: str) -> None:
    assert short_count(value) == text


def test_log_axis_labels_powers_of_ten(show: Show) -> None:
    panel = show(make_snapshot("nim:1,3,5,7", 20_000, stopped=DONE), x="log")
    ticks = cost_ticks(Axis(log=True), 0.0, float(np.log10(20_000)), 220)
    assert [words for _, words in ticks] == ["1", "10", "100", "1k", "10k"]
    panel.toolbar.x_axis.action("linear").trigger()
    ticks = cost_ticks(Axis(log=False), 1.0, 20_000.0, 220)
    assert [words for _, words in ticks] == ["1", "10k", "20k"]
    (left, right), _ = panel.plot.box.viewRange()
    assert left == 1
    assert 20_000 <= right < 28_000


@pytest.mark.parametrize(("value", "top"), [(0.967, 1.0), (0.41, 0.5), (0.012, 0.015), (19_389, 20_000), (0, 1)])
def test_axis_ends_on_a_round_number(value: float, top: float) -> None:
    assert round_up(value) == pytest.approx(top)


# Every stage of a search, and none at all


@pytest.mark.parametrize("rows", [1, 2, 3, 20])
@pytest.mark.parametrize("view", ["lines", "heat"])
@pytest.mark.parametrize("x", ["linear", "log"])
def test_the_first_iterations_draw(show: Show, rows: int, view: str, x: str) -> None:
    panel = show(cut(make_snapshot("nim:1,3,5,7"), rows), view=view, x=x)
    assert not panel.grab().isNull()
    assert "searching…" in panel.title.text()


def test_a_single_legal_move_draws(show: Show) -> None:
    panel = show(make_snapshot("nim:1", 10, stopped=DONE))
    assert legend_cell(panel, 0) == "1-1 ▲"
    assert not panel.grab().isNull()


def test_the_example_is_a_search_as_it_was_recorded() -> None:
    searcher = make_agent(example.AGENT, {"iterations": example.ITERATIONS[-1]}).new_searcher(
        parse_position(example.POSITION)
    )
    searcher.start(parse_position(example.POSITION), example.SEED)
    searcher.advance(Limit())
    trace = final_trace(searcher.snapshot())
    rows = [trace.iterations.tolist().index(count) for count in example.ITERATIONS]
    shares = np.round(100 * trace.shares()[rows]).astype(int).T.tolist()
    assert dict(zip((move.text for move in trace.moves), map(tuple, shares), strict=True)) == example.SHARES
    assert "10,000 simulations of MCTS about the second move of Connect Four" in example.ABOUT


def test_title_says_how_far_and_why_it_stopped(show: Show) -> None:
    snapshot = make_snapshot(stopped=DONE)
    panel = show(snapshot)
    assert panel.title.text() == "Search for move 4 by O — 2,000 simulations"
    give(panel, replace(snapshot, tree_full=True))
    assert panel.title.text().endswith("tree full: the memory cap was met; the tree no longer grows")


def test_no_search_says_so_in_a_sentence(show: Show) -> None:
    panel = show()
    assert panel.example.isVisible()
    panel.show_waiting("Minimax plays no simulations.")
    assert not panel.example.isVisible()
    assert panel.pane.empty.isVisible()
    assert panel.pane.empty.text() == "Minimax plays no simulations."
    snapshot = make_snapshot(stopped=DONE)
    give(panel, snapshot)
    assert not panel.pane.empty.isVisible()
    give(panel, replace(snapshot, agent="Random", trace=None))
    assert panel.pane.empty.isVisible()
    assert panel.pane.empty.text() == "Random plays no simulations, so there are no visits to plot."
    over = parse_position("nim:1 1-1")
    give(panel, replace(snapshot, position=over, moves=(), best_move=None, trace=None))
    assert "The game is over (First wins: took the last stick)" in panel.pane.empty.text()


# Pointing


def test_hovering_a_legend_row_highlights_the_curve_and_tells(show: Show, qtbot: QtBot) -> None:
    panel = show(make_snapshot(stopped=DONE))
    row = panel.legend.model().index(3, 0)
    move = panel.legend.model().move_of_row(3)
    assert move is not None
    with qtbot.waitSignal(panel.move_hovered) as told:
        QTest.mouseMove(panel.legend.viewport(), panel.legend.visualRect(row).center())
    assert told.args == [move]
    assert panel.plot.curve(move).pen.widthF() > 2
    others = [panel.plot.curve(other).pen for other in panel.plot.drawn_moves if other != move]
    assert all(pen.widthF() < 3.1 and pen.color().alpha() < 131 for pen in others)
    with qtbot.waitSignal(panel.move_hovered) as told:
        QTest.mouseMove(panel.toolbar, QPoint(1, 1))
    assert told.args == [None]
    assert panel.plot.curve(move).pen.widthF() == 2


def test_hovering_a_curve_tells_and_shows_exact_values(show: Show, qtbot: QtBot) -> None:
    snapshot = make_snapshot(stopped=DONE)
    trace = final_trace(snapshot)
    panel = show(snapshot)
    row = len(trace) - 40
    leader = int(trace.visits[-1].argmax())
    share = trace.shares()[row, leader]
    with qtbot.waitSignal(panel.move_hovered) as told:
        move_mouse(panel, float(np.log10(trace.iterations[row])), float(share))
    assert told.args == [trace.moves[leader]]
    assert panel.legend.selectionModel().selectedRows()[0].row() == 0
    stood = panel.plot.checkpoint
    assert stood is not None
    assert abs(stood - row) <= 4
    text = panel.plot.readout.text()
    visits = int(trace.visits[stood, leader])
    assert f"{int(trace.iterations[stood]):,}" in text
    assert f"<b>{trace.moves[leader].text}</b>" in text
    assert f"<b>{visits:,}</b>" in text
    assert f"<b>{percent(visits / trace.iterations[stood])}</b>" in text
    with qtbot.waitSignal(panel.move_hovered) as told:
        QTest.mouseMove(panel.toolbar, QPoint(1, 1))
    assert told.args == [None]
    assert not panel.plot.readout.isVisible()


def test_hovering_a_heat_map_row_tells(show: Show, qtbot: QtBot) -> None:
    snapshot = make_snapshot(stopped=DONE)
    panel = show(snapshot, view="heat")
    with qtbot.waitSignal(panel.move_hovered) as told:
        move_mouse(panel, 1.5, 4.5)
    assert told.args == [panel.legend.model().move_of_row(4)]
    assert panel.plot.readout.isVisible()


def test_highlight_from_outside_is_shown_but_not_told(show: Show, qtbot: QtBot) -> None:
    panel = show(make_snapshot(stopped=DONE))
    move = panel.plot.drawn_moves[5]
    with qtbot.assertNotEmitted(panel.move_hovered):
        panel.set_highlight(move)
    assert panel.plot.curve(move).pen.widthF() > 2
    assert panel.legend.selectionModel().selectedRows()[0].row() == 5
    panel.set_highlight(None)
    assert panel.plot.curve(move).pen.widthF() == 1
    assert not panel.legend.selectionModel().hasSelection()


def test_keyboard_walks_checkpoints_and_legend(show: Show, qtbot: QtBot) -> None:
    panel = show(make_snapshot(stopped=DONE))
    panel.activateWindow()
    panel.plot.setFocus()
    qtbot.waitUntil(panel.plot.hasFocus)
    QTest.keyClick(panel.plot, Qt.Key.Key_Home)
    assert "simulation <b>1</b>" in panel.plot.readout.text()
    QTest.keyClick(panel.plot, Qt.Key.Key_Right)
    assert panel.plot.checkpoint == 1
    QTest.keyClick(panel.plot, Qt.Key.Key_Escape)
    assert panel.plot.checkpoint is None
    panel.legend.setFocus()
    with qtbot.waitSignal(panel.move_hovered) as told:
        QTest.keyClick(panel.legend, Qt.Key.Key_Down)
    assert told.args == [panel.legend.model().move_of_row(panel.legend.currentIndex().row())]


# Legend


def test_leader_comes_first_bold_and_marked(show: Show) -> None:
    snapshot = make_snapshot("nim:1,3,5,7", stopped=DONE)
    panel = show(snapshot)
    best = max(snapshot.moves, key=lambda stats: stats.visits)
    assert legend_cell(panel, 0) == f"{best.move.text} ▲"
    assert legend_cell(panel, 0, VISITS) == f"{best.visits:,}"
    assert legend_cell(panel, 0, SHARE) == percent(snapshot.share(best))
    assert legend_cell(panel, 0, MEAN) == f"{best.mean_value:.3f}"
    assert legend_cell(panel, 0, MOVE, Qt.ItemDataRole.FontRole).bold()
    assert legend_cell(panel, 1, MOVE, Qt.ItemDataRole.FontRole) is None
    visits = [int(str(legend_cell(panel, row, VISITS)).replace(",", "")) for row in range(16)]
    assert visits == sorted(visits, reverse=True)


def test_where_words_are_too_large_for_both_the_plot_has_the_room_of_the_legend(show: Show) -> None:
    panel = show(make_snapshot(stopped=DONE), size=(450, 260))
    assert panel.legend.isVisible()
    font = panel.font()
    font.setPointSizeF(2 * font.pointSizeF())
    panel.setFont(font)
    panel.show_snapshot(make_snapshot(stopped=DONE, seed=2))
    assert not panel.legend.isVisible()
    panel.resize(1200, 260)
    assert panel.legend.isVisible()


def test_live_legend_follows_and_keeps_scroll_and_selection(show: Show, qtbot: QtBot) -> None:
    snapshot = make_snapshot("mnk:15,15,5", 3000, stopped=DONE)
    panel = show(cut(snapshot, 300))
    legend = panel.legend
    legend.verticalScrollBar().setValue(200)
    legend.selectRow(20)
    move = legend.model().move_of_row(20)
    give(panel, snapshot)
    assert legend.verticalScrollBar().value() == 200
    assert legend.model().move_of_row(legend.selectionModel().selectedRows()[0].row()) == move
    best = max(snapshot.moves, key=lambda stats: stats.visits)
    assert legend_cell(panel, 0) == f"{best.move.text} ▲"


def test_rows_stay_under_the_mouse_while_a_search_runs(show: Show, qtbot: QtBot) -> None:
    snapshot = make_snapshot("nim:1,3,5,7", stopped=DONE)
    panel = show(cut(snapshot, 60))
    legend = panel.legend
    before = [legend.model().move_of_row(row) for row in range(16)]
    QTest.mouseMove(legend.viewport(), legend.visualRect(legend.model().index(2, 0)).center())
    qtbot.waitUntil(lambda: panel.legend.selected_move is not None)
    give(panel, snapshot)
    assert [legend.model().move_of_row(row) for row in range(16)] == before
    QTest.mouseMove(panel.toolbar, QPoint(1, 1))
    best = max(snapshot.moves, key=lambda stats: stats.visits).move
    qtbot.waitUntil(lambda: legend.model().move_of_row(0) == best)


# Pause, visibility, settings


def test_pause_freezes_and_unpause_catches_up(show: Show, qtbot: QtBot) -> None:
    snapshot = make_snapshot(stopped=DONE)
    panel = show(cut(snapshot, 100))
    move = panel.plot.drawn_moves[0]
    QTest.mouseClick(panel.toolbar.pause, Qt.MouseButton.LeftButton)
    assert panel.badge.isVisible()
    give(panel, cut(snapshot, 200))
    give(panel, snapshot)
    assert len(panel.plot.curve(move).x) == 100
    assert "searching…" in panel.title.text()
    QTest.mouseClick(panel.toolbar.pause, Qt.MouseButton.LeftButton)
    assert not panel.badge.isVisible()
    assert len(panel.plot.curve(move).x) == len(final_trace(snapshot))
    assert f"{snapshot.iterations:,} simulations" in panel.title.text()


def test_a_hidden_panel_draws_when_it_is_shown(show: Show, qtbot: QtBot) -> None:
    snapshot = make_snapshot(stopped=DONE)
    panel = show(cut(snapshot, 50))
    panel.hide()
    give(panel, snapshot)
    assert "searching…" in panel.title.text()
    panel.show()
    assert f"{snapshot.iterations:,} simulations" in panel.title.text()


def test_the_values_are_at_first_what_the_agent_chooses_by(show: Show) -> None:
    visited = make_snapshot(stopped=DONE)
    panel = show(visited)
    panel.restore({"y": "share"})
    assert panel.toolbar.values.value == "share"
    flat = replace(visited, agent="flat")
    give(panel, flat)
    assert panel.toolbar.values.value == "mean"
    trace = final_trace(flat)
    assert panel.plot.curve(trace.moves[0]).y[-1] == pytest.approx(measures.means(trace)[-1, 0])
    give(panel, visited)
    assert panel.toolbar.values.value == "share"
    panel.toolbar.values.action("count").trigger()
    give(panel, flat)
    assert panel.toolbar.values.value == "count"


def test_state_is_told_and_restored(show: Show, qtbot: QtBot) -> None:
    panel = show(make_snapshot(stopped=DONE))
    assert panel.state() == {"x": "log", "view": "lines"}
    for choices, key in (
        (panel.toolbar.x_axis, "linear"),
        (panel.toolbar.values, "count"),
        (panel.toolbar.view_as, "heat"),
    ):
        with qtbot.waitSignal(panel.state_changed):
            choices.action(key).trigger()
    assert panel.state() == {"x": "linear", "y": "count", "view": "heat"}
    other = show(**{key: str(value) for key, value in panel.state().items()})
    assert other.state() == panel.state()
    assert other.toolbar.x_axis.value == "linear"
    panel.toolbar.view_as.action("lines").trigger()
    with qtbot.assertNotEmitted(panel.state_changed):
        panel.restore({"x": "sideways", "y": True, "view": ""})
    assert panel.state() == {"x": "linear", "y": "count", "view": "lines"}


def test_theme_reaches_every_part(show: Show) -> None:
    panel = show(make_snapshot(stopped=DONE))
    leader = panel.plot.drawn_moves[0]
    LOOK.use(DARK)
    index = panel.colors.index(leader)
    assert index is not None
    assert panel.plot.curve(leader).pen.color() == DARK.curve(index)
    assert panel.plot.view.backgroundBrush().color() == DARK.color("plot")


@pytest.mark.parametrize("size", [(420, 300), (420, 600), (700, 350), (1200, 500)])
def test_nothing_is_cut_off(show: Show, size: tuple[int, int]) -> None:
    panel = show(make_snapshot("mnk:15,15,5", 3000, stopped=DONE), size=size)
    assert (panel.width(), panel.height()) == size
    for widget in panel.toolbar.findChildren(QWidget):
        if widget.isVisible():
            place = widget.mapTo(panel, QPoint(0, 0))
            assert place.x() + widget.width() <= panel.width()
            assert widget.width() >= widget.sizeHint().width() or not widget.accessibleName()
    legend = panel.legend
    shown = sum(legend.columnWidth(column) for column in range(4) if not legend.isColumnHidden(column))
    assert shown <= legend.viewport().width()


# For people who cannot see it, and for newcomers


def test_every_control_explains_itself(show: Show) -> None:
    panel = show()
    toolbar = panel.toolbar
    entries = [*(toolbar.x_axis.action(key) for key in ("linear", "log")), toolbar.values.action("share")]
    for entry in (*entries, toolbar.view_as.action("heat"), toolbar.pause):
        assert entry.toolTip()
        assert not entry.shortcut().isEmpty()
    for button in (toolbar.pause, toolbar.choices):
        assert button.accessibleName()
        assert button.accessibleDescription()
    assert toolbar.choices.text() == "Share · Log"
    assert HELP.startswith(
        "Each simulation begins with one of the moves. The move that most of them begin with will be played."
    )


def test_description_says_leader_and_share_without_chatter(show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("nimdesk.ui.plots.convergence.time.monotonic", lambda: now)
    snapshot = make_snapshot(stopped=DONE)
    panel = show(cut(snapshot, 100))
    said = panel.accessibleDescription()
    now += 0.5
    give(panel, cut(snapshot, 200))
    assert panel.accessibleDescription() == said
    now += 0.6
    give(panel, cut(snapshot, 300))
    assert panel.accessibleDescription() != said
    give(panel, snapshot)
    best = max(snapshot.moves, key=lambda stats: stats.visits)
    assert (
        f"Leader: {best.move.text} {percent(snapshot.share(best))} of the simulations." in panel.accessibleDescription()
    )


# Colours


def test_small_games_are_coloured_by_legal_order() -> None:
    snapshot = make_snapshot("nim:3,4", 200)
    assert len(snapshot.moves) <= TOP
    colors = MoveColors()
    colors.update(cut(snapshot, 1))
    assert [colors.index(stats.move) for stats in snapshot.moves] == list(range(len(snapshot.moves)))


@pytest.mark.parametrize("text", ["nim:1,3,5,7", "mnk:15,15,5"])
def test_a_move_never_changes_its_colour_and_the_end_does_not_depend_on_the_frames(text: str) -> None:
    snapshot = make_snapshot(text, 5000, stopped=DONE)
    rows = len(final_trace(snapshot))
    live, late = MoveColors(), MoveColors()
    seen: dict[object, int] = {}
    for count in [*range(1, rows, 37), rows]:
        live.update(cut(snapshot, count))
        for stats in snapshot.moves:
            index = live.index(stats.move)
            if index is not None:
                assert seen.setdefault(stats.move, index) == index
    live.update(snapshot)
    late.update(snapshot)
    assert [live.index(stats.move) for stats in snapshot.moves] == [late.index(stats.move) for stats in snapshot.moves]
    top = sorted(snapshot.moves, key=lambda stats: -stats.visits)[:NAMED]
    assert all(live.index(stats.move) is not None for stats in top)
    used = [index for stats in snapshot.moves if (index := live.index(stats.move)) is not None]
    assert len(set(used)) == len(used)


@pytest.mark.parametrize("seed", range(2, 8))
def test_searches_side_by_side_share_one_colour_a_move_and_each_tells_its_moves_apart(seed: int) -> None:
    first, second = (make_snapshot("mnk:15,15,5", 5000, stopped=DONE, seed=each) for each in (1, seed))
    colors = MoveColors()
    colors.update(first, None)
    seen = dict(colors.indices)
    for count in [*range(1, len(final_trace(second)), 37), len(final_trace(second))]:
        colors.update(first, cut(second, count))
    colors.update(first, second)
    assert seen.items() <= colors.indices.items(), "what one search gave, another must not change"
    for snapshot in (first, second):
        history = MoveHistory(snapshot, final_trace(snapshot), colors)
        looks = [history.style(column) for column in history.named]
        assert min(looks) >= 0, "none is grey"
        assert len(set(looks)) == len(looks) >= NAMED


def test_another_search_begins_afresh() -> None:
    first, second = (
        make_snapshot("nim:1,3,5,7", 3000, stopped=DONE),
        make_snapshot("nim:1,3,5,7", 3000, stopped=DONE, seed=2),
    )
    shared, alone = MoveColors(), MoveColors()
    shared.update(first)
    shared.update(second)
    alone.update(second)
    assert [shared.index(stats.move) for stats in second.moves] == [alone.index(stats.move) for stats in second.moves]
    shared.reset()
    assert all(shared.index(stats.move) is None for stats in second.moves)
