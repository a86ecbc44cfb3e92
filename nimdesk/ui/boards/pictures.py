"""Pictures that are painted once and copied often: of a whole board, of the overlay's discs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Mapping

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from nimdesk.ui.look.painting import faded

_AT_ONCE = 24
"""So many cells are painted before somebody looks at the clock."""


class StillPicture:
    """What of a board stays the same from one overlay to the next, painted once."""

    def __init__(self) -> None:
        """Without a picture yet."""
        self._key: object = None
        self._picture = QPixmap()

    def get(self, widget: QWidget, background: QColor, key: object, paint: Callable[[QPainter], None]) -> QPixmap:
        """The picture for this key, size, font and resolution; ``paint`` is called when there is none."""
        ratio = widget.devicePixelRatioF()
        key = (key, background.rgb(), ratio, widget.width(), widget.height(), widget.font().key())
        if key != self._key:
            self._key, self._picture = key, QPixmap(widget.size() * ratio)
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(background)
            painter = QPainter(self._picture)
            paint(painter)
            painter.end()
        return self._picture

    def draw(
        self, painter: QPainter, widget: QWidget, background: QColor, key: object, paint: Callable[[QPainter], None]
    ) -> None:
        """Copy the picture to the widget's corner."""
        painter.drawPixmap(0, 0, self.get(widget, background, key, paint))


class CellPictures:
    """A transparent picture over a board in which only the cells that look otherwise than before are painted anew."""

    def __init__(self) -> None:
        """Without a picture yet."""
        self._key: object = None
        self._picture = QPixmap()
        self._shown: dict[int, Hashable] = {}

    def draw(
        self,
        painter: QPainter,
        widget: QWidget,
        key: object,
        cells: Mapping[int, Hashable],
        place: Callable[[int], QRectF],
        paint: Callable[[QPainter, list[int]], None],
        *,
        within_s: float = math.inf,
    ) -> bool:
        """Show these cells, each with all that decides its look; ``paint`` paints those that changed.

        Where that takes longer than ``within_s``, the others keep their old look; returns whether there are none.
        ``place`` is the part of the board that a cell has for itself. All places and what else the cells have in common
        is in ``key``: another one, or another size, font or resolution, forgets everything.
        """
        ratio = widget.devicePixelRatioF()
        key = (key, ratio, widget.width(), widget.height(), widget.font().key())
        if key != self._key:
            self._key, self._shown = key, {}
            self._picture = QPixmap(widget.size() * ratio)
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(Qt.GlobalColor.transparent)
        changed = [name for name, cell in cells.items() if self._shown.get(name) != cell]
        gone = [name for name in self._shown if name not in cells]
        complete = True
        if changed or gone:
            complete = self._renew(cells, changed, gone, place, paint, within_s)
        painter.drawPixmap(0, 0, self._picture)
        return complete

    def _renew(
        self,
        cells: Mapping[int, Hashable],
        changed: list[int],
        gone: list[int],
        place: Callable[[int], QRectF],
        paint: Callable[[QPainter, list[int]], None],
        within_s: float,
    ) -> bool:
        until, done = time.perf_counter() + within_s, 0
        into = QPainter(self._picture)
        into.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._wipe(into, gone, place)
        for name in gone:
            del self._shown[name]
        while done < len(changed) and (done == 0 or time.perf_counter() < until):
            some = changed[done : done + _AT_ONCE]
            self._wipe(into, [name for name in some if name in self._shown], place)
            paint(into, some)
            self._shown.update((name, cells[name]) for name in some)
            done += len(some)
        into.end()
        return done == len(changed)

    @staticmethod
    def _wipe(into: QPainter, names: list[int], place: Callable[[int], QRectF]) -> None:
        into.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        for name in names:
            into.fillRect(place(name), Qt.GlobalColor.transparent)
        into.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)


class DiscArt:
    """Pictures of the overlay's discs: hundreds of pictures are copied in the time of some dozens of circles."""

    def __init__(self) -> None:
        """Without pictures yet."""
        self._pictures: dict[tuple[int, int, float], QPixmap] = {}

    def draw(self, painter: QPainter, middle: QPointF, radius: float, color: QColor, ratio: float) -> None:
        """A disc in this colour; the radius is rounded to half a device pixel."""
        steps = max(2, round(radius * ratio * 2))
        key = (color.rgb(), steps, ratio)
        picture = self._pictures.get(key)
        if picture is None:
            if len(self._pictures) > 2000:
                self._pictures.clear()
            picture = self._pictures[key] = self._paint(steps, color, ratio)
        half = picture.width() / 2
        place = QPointF(round(middle.x() * ratio - half) / ratio, round(middle.y() * ratio - half) / ratio)
        painter.drawPixmap(place, picture)

    @staticmethod
    def _paint(steps: int, color: QColor, ratio: float) -> QPixmap:
        side = steps + 4
        picture = QPixmap(side, side)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_disc(painter, QPointF(side / 2, side / 2), steps / 2, color, ratio)
        painter.end()
        picture.setDevicePixelRatio(ratio)
        return picture


def paint_disc(painter: QPainter, middle: QPointF, radius: float, color: QColor, line: float) -> None:
    """A disc of the overlay itself, with an edge this wide."""
    painter.setPen(QPen(faded(color, 0.9), line))
    painter.setBrush(faded(color, 0.34))
    painter.drawEllipse(middle, radius, radius)
