"""The plots of a study by themselves: every point bears its mark, and the mouse finds points and cells."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from nimdesk.figures.measure import Unit
from nimdesk.ui.look.theme import LIGHT, LOOK
from nimdesk.ui.plots.ink import SYMBOL_SIZE, Marks, pen
from nimdesk.ui.plots.study_plots import StudyCurve, StudyCurves, StudyGrid, StudyMap, StudyPlot

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
BUDGETS = (10, 100, 1000, 10_000)


def curves(rows: list[list[float]]) -> StudyCurves:
    made = []
    for agent, row in enumerate(rows):
        values = np.array(row)
        words = tuple(f"agent {agent}, {value:.2f}" for value in row)
        made.append(StudyCurve("ABCDEFGHI"[agent], f"agent {agent}", agent, values, values - 0.1, values + 0.1, words))
    return StudyCurves(np.array(BUDGETS, float), tuple(made), "optimal choices", Unit.SHARE, 1.0, None)


@pytest.fixture
def plot(qtbot: QtBot) -> StudyPlot:
    LOOK.use(LIGHT)
    plot = StudyPlot()
    qtbot.addWidget(plot)
    plot.resize(500, 320)
    plot.show()
    return plot


def test_every_point_that_is_known_bears_the_mark_of_its_agent(plot: StudyPlot) -> None:
    data = curves([[0.1, 0.5, 0.9, np.nan], [np.nan, 0.2, 0.3, 0.7]])
    plot.show_curves(data)
    picture = plot.grab().toImage()
    for agent, curve in enumerate(data.curves):
        for budget in np.flatnonzero(~np.isnan(curve.values)):
            place = plot.point_of(agent, int(budget)).toPoint()
            beside = [picture.pixelColor(place + QPoint(dx, dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
            assert LIGHT.curve(agent) in beside, (agent, budget)
    marks = [shape for shape in plot.ink.shapes if isinstance(shape, Marks)]
    assert [(mark.symbol, len(mark.x)) for mark in marks] == [(0, 3), (1, 3)]


@pytest.mark.parametrize("width", [260, 500, 900])
def test_the_marks_of_the_first_budget_are_whole(plot: StudyPlot, width: int) -> None:
    plot.resize(width, 320)
    plot.show_curves(curves([[0.5, 0.5, 0.5, 0.5]]))
    plot.grab()
    plot.show_curves(curves([[0.5, 0.5, 0.5, 0.5]]))
    edge = plot.pixel(plot.box.viewRange()[0][0], 0.5).x()
    first, second = (plot.point_of(0, budget).x() for budget in (0, 1))
    assert SYMBOL_SIZE / 2 < first - edge < (second - first) / 2


def test_the_marks_of_nine_agents_all_look_different(plot: StudyPlot) -> None:
    black = QColor("black")
    pictures = []
    for style in range(9):
        plot.show_curves(curves([[0.5]]))
        mark = Marks(np.array([2.0]), np.array([0.5]), style, pen(black), QBrush(black))
        plot.ink.show_shapes([mark])
        image = plot.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
        pictures.append(bytes(image.constBits()))
    assert len(set(pictures)) == 9


def test_a_press_chooses_the_nearest_point_if_one_is_close(plot: StudyPlot) -> None:
    rng = np.random.default_rng(3)
    rows = rng.random((6, 4))
    rows[2, :2] = np.nan
    plot.show_curves(curves(rows.tolist()))
    chosen: list[tuple[int, int]] = []
    plot.point_chosen.connect(lambda curve, budget, _place: chosen.append((curve, budget)))
    view = plot.view.viewport()
    known = [(curve, budget) for curve in range(6) for budget in range(4) if not np.isnan(rows[curve, budget])]
    near = far = 0
    for x, y in zip(rng.integers(60, 470, 150), rng.integers(10, 270, 150), strict=True):
        inside = QPoint(int(x), int(y))
        place = QPointF(plot.mapFromGlobal(view.mapToGlobal(inside)))
        lengths = {
            at: QPointF.dotProduct(plot.point_of(*at) - place, plot.point_of(*at) - place) ** 0.5 for at in known
        }
        best = min(lengths, key=lambda at: lengths[at])
        chosen.clear()
        QTest.mouseClick(view, LEFT, NONE, inside)
        # Whole pixels decide nothing here.
        if lengths[best] < 22:
            near += 1
            assert lengths[chosen[0]] == pytest.approx(lengths[best], abs=1.5)
        elif lengths[best] > 26:
            far += 1
            assert not chosen
    assert near > 10
    assert far > 10


def test_the_read_out_fits_what_it_says_wherever_the_mouse_goes(plot: StudyPlot) -> None:
    data = curves([[0.1, 0.5, 0.9, 0.3], [0.4, 0.2, 0.3, 0.7]])
    plot.show_curves(data)
    for budget in (1, 1, 2, 0):
        place = plot.view.viewport().mapFromGlobal(plot.mapToGlobal(plot.point_of(1, budget).toPoint()))
        QTest.mouseMove(plot.view.viewport(), place)
        assert plot.readout.isVisible()
        assert f"agent 1, {data.curves[1].values[budget]:.2f}" in plot.readout.words
        assert plot.readout.size() == plot.readout.sizeHint()


def test_a_press_on_the_map_chooses_the_cell_under_it_and_none_beside_it(qtbot: QtBot) -> None:
    grid = StudyMap()
    qtbot.addWidget(grid)
    grid.resize(423, 311)
    values = (0.1, 0.25, 1.4, 2.0, 3.5, 7.0, 9.0)
    grid.show_grid(StudyGrid("exploration", values, BUDGETS, tuple((0.0, 0.4, 0.6, 1.0) for _ in values)))
    grid.show()
    chosen: list[tuple[int, int]] = []
    grid.cell_chosen.connect(lambda row, column, _place: chosen.append((row, column)))
    cells = [(row, column) for row in range(len(values)) for column in range(len(BUDGETS))]
    for cell in cells:
        rect = grid.table.visualItemRect(grid.table.item(*cell)).adjusted(1, 1, -1, -1)
        for corner in (rect.topLeft(), rect.center(), rect.bottomRight()):
            QTest.mouseClick(grid.table.viewport(), LEFT, NONE, corner)
    assert chosen == [cell for cell in cells for _ in range(3)]
    QTest.mouseClick(grid.table.verticalHeader().viewport(), LEFT, NONE, QPoint(2, 100))
    QTest.mouseClick(grid.title, LEFT, NONE, QPoint(9, 9))
    assert len(chosen) == 3 * len(cells)
