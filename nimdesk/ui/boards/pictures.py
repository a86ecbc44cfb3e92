"""Pictures that are painted once and copied often: of a whole board, of the overlay's cells, of small signs.

Each kind can be told to paint ``exactly``: everything anew and in lines, for pictures that are enlarged.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QWidget

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
    ) -> None:
        """Show these cells, each with all that decides its look; ``paint`` paints those that changed.

        ``place`` is the part of the board that a cell has for itself. All places and what else the cells have in common
        is in ``key``: another one, or another size, font or resolution, forgets everything.
        """
        if self.exactly:
            painter.save()
            paint(painter, list(cells))
            painter.restore()
            return
        ratio = widget.devicePixelRatioF()
        key = (key, ratio, widget.width(), widget.height(), widget.font().key())
        if key != self._key:
            self._key, self._shown = key, {}
            self._picture = blank(widget.width(), widget.height(), ratio)
        changed = [name for name, cell in cells.items() if self._shown.get(name) != cell]
        gone = [name for name in self._shown if name not in cells]
        if changed or gone:
            into = QPainter(self._picture)
            into.setRenderHint(QPainter.RenderHint.Antialiasing)
            into.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
            for name in (*gone, *(name for name in changed if name in self._shown)):
                into.fillRect(place(name), Qt.GlobalColor.transparent)
            into.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
            paint(into, changed)
            into.end()
            self._shown = dict(cells)
        painter.drawPixmap(0, 0, self._picture)


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
