"""Pictures that are painted once and copied often: of a whole board, of the overlay's cells, of small signs.

Each kind can be told to paint ``exactly``: everything anew and in lines, for pictures that are enlarged.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Mapping

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QWidget

_AT_ONCE = 24
"""So many cells are painted before somebody looks at the clock."""
_MOST_STAMPS = 2000


def blank(width: float, height: float, ratio: float) -> QPixmap:
    """A transparent picture of this size at this resolution."""
    picture = QPixmap(max(1, round(width * ratio)), max(1, round(height * ratio)))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    return picture


class StillPicture:
    """What of a board stays the same from one overlay to the next."""

    def __init__(self) -> None:
        """Without a picture yet."""
        self.exactly = False
        self._key: object = None
        self._picture = QPixmap()

    def draw(
        self, painter: QPainter, widget: QWidget, background: QColor, key: object, paint: Callable[[QPainter], None]
    ) -> None:
        """Show the picture for this key, size, font and resolution; ``paint`` is called when there is none."""
        if self.exactly:
            painter.save()
            painter.fillRect(widget.rect(), background)
            paint(painter)
            painter.restore()
            return
        ratio = widget.devicePixelRatioF()
        key = (key, background.rgb(), ratio, widget.width(), widget.height(), widget.font().key())
        if key != self._key:
            self._key, self._picture = key, QPixmap(widget.size() * ratio)
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(background)
            into = QPainter(self._picture)
            paint(into)
            into.end()
        painter.drawPixmap(0, 0, self._picture)


class CellPictures:
    """A transparent picture over a board in which only the cells that look otherwise than before are painted anew."""

    def __init__(self) -> None:
        """Without a picture yet."""
        self.exactly = False
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
        if self.exactly:
            painter.save()
            paint(painter, list(cells))
            painter.restore()
            return True
        ratio = widget.devicePixelRatioF()
        key = (key, ratio, widget.width(), widget.height(), widget.font().key())
        if key != self._key:
            self._key, self._shown = key, {}
            self._picture = blank(widget.width(), widget.height(), ratio)
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


class Stamps:
    """Small pictures, each painted once for its key: hundreds are copied in the time of some dozens of circles."""

    def __init__(self) -> None:
        """Without pictures yet."""
        self.exactly = False
        self._pictures: dict[tuple[Hashable, ...], QPixmap] = {}

    def draw(
        self,
        painter: QPainter,
        ratio: float,
        key: tuple[Hashable, ...],
        place: QRectF,
        paint: Callable[[QPainter, QRectF], None],
    ) -> None:
        """Put the picture for this key into this place, moved to whole device pixels (``ratio`` to a pixel).

        ``paint`` paints it into a rectangle as large as ``place``, when there is none; ``key`` decides all of its look.
        """
        if self.exactly:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint(painter, place)
            painter.restore()
            return
        key = (*key, ratio)
        picture = self._pictures.get(key)
        if picture is None:
            if len(self._pictures) > _MOST_STAMPS:
                self._pictures.clear()
            picture = self._pictures[key] = blank(place.width(), place.height(), ratio)
            into = QPainter(picture)
            into.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint(into, QRectF(0, 0, place.width(), place.height()))
            into.end()
        painter.drawPixmap(QPointF(round(place.left() * ratio) / ratio, round(place.top() * ratio) / ratio), picture)
