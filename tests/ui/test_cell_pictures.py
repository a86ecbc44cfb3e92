"""The overlay's cells are painted in parts where time is short, and come to the same picture."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from nimdesk.ui.boards.pictures import CellPictures

Looks = dict[int, str]


def place(cell: int) -> QRectF:
    """Ten cells of 10 pixels in each row."""
    return QRectF(10 * (cell % 10), 10 * (cell // 10), 10, 10)


class Sheet:
    """A hundred cells of plain colours, and how often and which of them were painted."""

    def __init__(self, qtbot: QtBot) -> None:
        self.widget, self.cells = QWidget(), CellPictures()
        qtbot.addWidget(self.widget)
        self.widget.resize(100, 100)
        self.painted: list[int] = []

    def draw(self, looks: Looks, within_s: float = math.inf) -> tuple[bool, QImage]:
        image = QImage(self.widget.size() * self.widget.devicePixelRatioF(), QImage.Format.Format_ARGB32)
        image.setDevicePixelRatio(self.widget.devicePixelRatioF())
        image.fill(QColor("white"))

        def paint(painter: QPainter, changed: list[int]) -> None:
            self.painted += changed
            for cell in changed:
                painter.fillRect(place(cell).adjusted(2, 2, -2, -2), QColor(looks[cell]))

        painter = QPainter(image)
        complete = self.cells.draw(painter, self.widget, "key", looks, place, paint, within_s=within_s)
        painter.end()
        return complete, image


def test_without_time_a_part_is_painted_and_the_rest_follows(qtbot: QtBot) -> None:
    red, blue = dict.fromkeys(range(100), "red"), dict.fromkeys(range(0, 100, 2), "blue")
    sheet, whole = Sheet(qtbot), Sheet(qtbot)
    for looks in (red, blue):
        complete, wanted = whole.draw(looks)
        assert complete
        sheet.painted.clear()
        rounds = 1
        while not (drawn := sheet.draw(looks, within_s=0.0))[0]:
            assert drawn[1] != wanted
            rounds += 1
        assert rounds > 1
        assert drawn[1] == wanted
        assert sorted(sheet.painted) == sorted(looks), "each cell once"


def test_what_is_wanted_may_change_between_two_parts(qtbot: QtBot) -> None:
    red, blue = dict.fromkeys(range(100), "red"), dict.fromkeys(range(100), "blue")
    sheet, whole = Sheet(qtbot), Sheet(qtbot)
    assert not sheet.draw(red, within_s=0.0)[0]
    while not (drawn := sheet.draw(blue, within_s=0.0))[0]:
        pass
    assert drawn[1] == whole.draw(blue)[1]
