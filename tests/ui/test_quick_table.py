"""Tables painted without Qt's style: every changed row is painted in the end, and selected rows have their ground."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from nimdesk.ui.look.cells import Cell, QuickCells, QuickTable
from nimdesk.ui.look.theme import LIGHT

Index = QModelIndex | QPersistentModelIndex
CHOSEN = QColor("#aaccee")


class Swatches(QAbstractTableModel):
    """Twenty rows of one colour."""

    def __init__(self) -> None:
        super().__init__()
        self.color = QColor("#cc2200")

    def rowCount(self, parent: Index | None = None) -> int:  # noqa: N802
        return 20

    def columnCount(self, parent: Index | None = None) -> int:  # noqa: N802
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return None

    def cell(self, row: int, column: int) -> Cell:
        """A swatch and a word."""
        return Cell(f"row {row}", Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.color)


def shown(qtbot: QtBot) -> tuple[QuickTable, Swatches]:
    table, model = QuickTable(), Swatches()
    qtbot.addWidget(table)
    model.setParent(table)
    table.setModel(model)
    cells = QuickCells(model, QSize(20, 12), table)
    cells.set_theme(LIGHT, CHOSEN)
    table.setItemDelegate(cells)
    table.verticalHeader().setDefaultSectionSize(20)
    table.setSelectionBehavior(QuickTable.SelectionBehavior.SelectRows)
    table.resize(300, 500)
    table.show()
    qtbot.waitExposed(table)
    return table, model


def colors(table: QuickTable) -> list[str]:
    """The colour in the middle of each row's swatch."""
    image = table.viewport().grab().toImage()
    places = [table.visualRect(table.model().index(row, 0)) for row in range(20)]
    return [image.pixelColor(place.left() + 12, place.center().y()).name() for place in places]


def test_a_change_reaches_every_row_the_lower_ones_a_turn_later(qtbot: QtBot) -> None:
    table, model = shown(qtbot)
    qtbot.waitUntil(lambda: set(colors(table)) == {"#cc2200"})
    told: list[tuple[int, int]] = []
    update = table._paint_rest
    table._later.timeout.disconnect()
    table._later.timeout.connect(lambda: told.append((table._rest[0].row(), table._rest[1].row())) or update())  # type: ignore[index, func-returns-value]
    model.color = QColor("#0044aa")
    model.dataChanged.emit(model.index(0, 0), model.index(19, 0))
    qtbot.waitUntil(lambda: bool(told))
    assert told == [(8, 19)]
    assert set(colors(table)) == {"#0044aa"}


def test_rows_that_change_places_do_so_in_one_turn(qtbot: QtBot) -> None:
    table, model = shown(qtbot)
    qtbot.waitUntil(lambda: set(colors(table)) == {"#cc2200"})
    painted = table.viewport().grab().toImage()
    model.color = QColor("#0044aa")
    table.paint_whole()
    model.dataChanged.emit(model.index(0, 0), model.index(19, 0))
    assert not table._later.isActive(), "nothing is left for another turn"
    assert colors(table) == ["#0044aa"] * 20
    assert painted != table.viewport().grab().toImage()
    # The next change is one of numbers alone.
    model.dataChanged.emit(model.index(0, 0), model.index(19, 0))
    assert table._later.isActive()
    qtbot.waitUntil(lambda: not table._later.isActive())


def test_a_selected_row_has_its_ground_and_keeps_the_colour_of_its_swatch(qtbot: QtBot) -> None:
    table, _ = shown(qtbot)
    table.selectRow(3)
    image = table.viewport().grab().toImage()
    row = table.visualRect(table.model().index(3, 0))
    assert image.pixelColor(row.right() - 1, row.center().y()).name() == CHOSEN.name()
    assert colors(table)[3] == "#cc2200"
