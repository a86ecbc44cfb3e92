"""The marks that tell agents apart where colours alone would not: circle, square, triangle, and so on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from nimdesk.ui.plots.data import Floats
from nimdesk.ui.plots.ink import Scale

SYMBOL_SIZE: Final = 7.0
"""Pixels across."""
_NAMES = ("o", "s", "t", "d", "x", "+", "star", "t1", "p")


def paint_symbol(painter: QPainter, style: int, color: QColor, middle: QPointF) -> None:
    """The mark of the agent with this style."""
    painter.save()
    painter.translate(middle)
    painter.scale(SYMBOL_SIZE, SYMBOL_SIZE)
    painter.setPen(QPen(color, 1 / SYMBOL_SIZE))
    painter.setBrush(color)
    # Paths one unit wide.
    painter.drawPath(pg.graphicsItems.ScatterPlotItem.Symbols[_NAMES[style % len(_NAMES)]])
    painter.restore()


@dataclass(eq=False, slots=True)
class Symbols:
    """The mark of this style at these places (no NaN)."""

    x: Floats
    y: Floats
    style: int
    color: QColor

    def paint(self, painter: QPainter, scale: Scale, *, exact: bool) -> None:
        places = zip(scale.across(self.x).tolist(), scale.up(self.y).tolist(), strict=True)
        if exact:
            for x, y in places:
                paint_symbol(painter, self.style, self.color, QPointF(x, y))
            return
        stamp = _stamp(self.style, self.color.rgba(), painter.device().devicePixelRatioF())
        half = stamp.deviceIndependentSize().width() / 2
        for x, y in places:
            painter.drawImage(QPointF(x - half, y - half), stamp)


@lru_cache(256)
def _stamp(style: int, color: int, ratio: float) -> QImage:
    """A picture of the mark: to paint its outline at every place takes ten times as long."""
    pixels = math.ceil((SYMBOL_SIZE + 1) * ratio)
    image = QImage(pixels, pixels, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_symbol(painter, style, QColor.fromRgba(color), QPointF(pixels, pixels) / (2 * ratio))
    painter.end()
    return image
