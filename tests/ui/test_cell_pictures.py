"""Only the overlay's changed cells are painted anew, and the picture is the same as if all were."""

from __future__ import annotations

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
    """A hundred cells of plain colours, and which of them were painted."""

    def __init__(self, qtbot: QtBot) -> None:
        self.widget, self.cells = QWidget(), CellPictures()
        qtbot.addWidget(self.widget)
        self.widget.resize(100, 100)
        self.painted: list[int] = []

    def draw(self, looks: Looks) -> QImage:
        image = QImage(self.widget.size() * self.widget.devicePixelRatioF(), QImage.Format.Format_ARGB32)
        image.setDevicePixelRatio(self.widget.devicePixelRatioF())
        image.fill(QColor("white"))

        def paint(painter: QPainter, changed: list[int]) -> None:
            self.painted = changed
            for cell in changed:
                painter.fillRect(place(cell).adjusted(2, 2, -2, -2), QColor(looks[cell]))

        painter = QPainter(image)
        self.cells.draw(painter, self.widget, "key", looks, place, paint)
        painter.end()
        return image


def test_only_what_changed_is_painted_anew(qtbot: QtBot) -> None:
    sheet = Sheet(qtbot)
    looks = dict.fromkeys(range(100), "red")
    sheet.draw(looks)
    assert sheet.painted == list(range(100))
    changed = {cell: "blue" if cell in (3, 70) else "red" for cell in range(90)}
    picture = sheet.draw(changed)
    assert sheet.painted == [3, 70]
    assert picture == Sheet(qtbot).draw(changed), "cells that are gone have left nothing"
