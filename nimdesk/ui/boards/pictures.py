"""What paints a board, from pictures that are painted once and copied often.

Each kind can be told to paint ``exactly``: everything anew and in lines, for pictures that are enlarged.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from nimdesk.games import Side
from nimdesk.games.truth import MoveTruth
from nimdesk.ui.look import painting
from nimdesk.ui.look.move_marks import paint_mark, paint_tag, tag_width
from nimdesk.ui.look.theme import LOOK, Theme

if TYPE_CHECKING:
    from nimdesk.ui.boards.base import BoardView, Shown

_MOST_STAMPS = 2000


def blank(width: float, height: float, ratio: float) -> QPixmap:
    """A transparent picture of this size at this resolution."""
    picture = QPixmap(max(1, round(width * ratio)), max(1, round(height * ratio)))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    return picture


class StillPicture:
    """The picture of the parts of a board that stay the same from one overlay to the next."""

    def __init__(self) -> None:
        """Without a picture yet."""
        self.exactly = False
        self._key: object = None
        self._picture = QPixmap()

    def draw(
        self, painter: QPainter, widget: QWidget, background: QColor, key: object, paint: Callable[[QPainter], None]
    ) -> None:
        """Show the picture for this key, size, font and resolution; ``paint`` is called if there is no picture yet."""
        if self.exactly:
            painter.save()
            painter.fillRect(widget.rect(), background)
            paint(painter)
            painter.restore()
            return
        ratio = widget.devicePixelRatioF()
        key = (key, background.rgb(), ratio, widget.width(), widget.height(), widget.font().key())
        if key != self._key:
            picture = QPixmap(widget.size() * ratio)
            picture.setDevicePixelRatio(ratio)
            picture.fill(background)
            with QPainter(picture) as into:
                paint(into)
            self._key, self._picture = key, picture
        painter.drawPixmap(0, 0, self._picture)


class CellPictures:
    """A transparent picture over a board, in which only the cells that have changed are painted anew."""

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

        ``place`` is the part of the board that a cell has for itself. ``key`` has all places, and whatever else the
        cells have in common: another key, size, font or resolution forgets everything.
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
            with QPainter(self._picture) as into:
                into.setRenderHint(QPainter.RenderHint.Antialiasing)
                into.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
                for name in (*gone, *(name for name in changed if name in self._shown)):
                    into.fillRect(place(name), Qt.GlobalColor.transparent)
                into.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
                paint(into, changed)
            self._shown = dict(cells)
        painter.drawPixmap(0, 0, self._picture)


class Stamps:
    """Small pictures, each painted once for its key: hundreds are copied in the time of painting some dozens."""

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

        If there is none yet, ``paint`` paints it into a rectangle as large as ``place``; ``key`` decides all of its
        look.
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
            picture = blank(place.width(), place.height(), ratio)
            with QPainter(picture) as into:
                into.setRenderHint(QPainter.RenderHint.Antialiasing)
                paint(into, QRectF(0, 0, place.width(), place.height()))
            self._pictures[key] = picture
        painter.drawPixmap(QPointF(round(place.left() * ratio) / ratio, round(place.top() * ratio) / ratio), picture)


class BoardArt:
    """Paints a board, and keeps the pictures that the board is put together from."""

    def __init__(self, board: BoardView) -> None:
        """For this board."""
        self.board = board
        self.still, self.cells, self.stamps = StillPicture(), CellPictures(), Stamps()

    def paint(self, painter: QPainter) -> None:
        """Paint all of the board."""
        raise NotImplementedError

    @contextmanager
    def exactly(self) -> Iterator[None]:
        """While this lasts, everything is painted anew and no pixels are copied, for pictures that are enlarged."""
        kept = (self.still, self.cells, self.stamps)
        for each in kept:
            each.exactly = True
        try:
            yield
        finally:
            for each in kept:
                each.exactly = False

    @property
    def shown(self) -> Shown:
        """What the board shows now."""
        return self.board.shown

    @property
    def theme(self) -> Theme:
        """The theme in use."""
        return LOOK.theme

    @property
    def ratio(self) -> float:
        """Device pixels to a pixel."""
        return self.board.devicePixelRatioF()

    def font(self, pixels: float, *, bold: bool = False) -> QFont:
        """The board's font in this size."""
        return painting.sized(self.board.font(), pixels, bold=bold)

    def snap(self, value: float) -> float:
        """The nearest whole device pixel."""
        return round(value * self.ratio) / self.ratio

    def mark(self, painter: QPainter, proven: MoveTruth, center: QPointF, size: float, *, bare: bool = False) -> None:
        """The sign of what is proven, this wide and high; ``bare`` for a cross of light colour on something dark."""
        theme, side, value, slow = self.theme, self.snap(size), proven.value, proven.move in self.shown.slow

        def paint(into: QPainter, place: QRectF) -> None:
            paint_mark(into, value, place.adjusted(1, 1, -1, -1), bare=bare, slow=slow)

        self.stamps.draw(painter, self.ratio, (theme.name, value, side, bare, slow), _around(center, side, side), paint)

    def tag(self, painter: QPainter, proven: MoveTruth, text: str, font: QFont, middle: QPointF, height: float) -> None:
        """The sign of what is proven with its words beside it, as wide as ``tag_width``."""
        theme, width, value, slow = (
            self.theme,
            tag_width(font, text, height),
            proven.value,
            proven.move in self.shown.slow,
        )

        def paint(into: QPainter, place: QRectF) -> None:
            paint_tag(into, value, text, font, place.adjusted(1, 1, -1, -1), slow=slow)

        key = (theme.name, value, text, width, height, font.key(), slow)
        self.stamps.draw(painter, self.ratio, key, _around(middle, width, height), paint)

    def side_color(self, side: Side) -> QColor:
        """The colour of this side's pieces."""
        return painting.side_color(self.theme, side)

    def paint_side(self, painter: QPainter, side: Side, middle: QPointF, size: float) -> None:
        """What stands for this side beside the board, this wide and high."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.side_color(side))
        painter.drawEllipse(middle, size / 2, size / 2)

    def side_of_ply(self, ply: int) -> Side:
        """Who plays the move with this number of a line that begins here."""
        return Side((self.shown.position.turn + ply) % 2)


def _around(middle: QPointF, width: float, height: float) -> QRectF:
    """A place of this size with a pixel more on each side."""
    return QRectF(middle.x() - width / 2 - 1, middle.y() - height / 2 - 1, width + 2, height + 2)
