"""What plots are drawn with: lines, pictures, marks and words, all painted by one item of the scene.

As an item of pyqtgraph's each of them costs far more than its paint: Qt asks every item where it is, in Python, several
times a frame.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QImage, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from nimdesk.ui.plots.data import Floats

BAND_ALPHA = 56
"""How much of its colour a band between two curves has, of 255."""
_FAR = 20.0
"""So many heights above and below the plot a line may go on; beyond it Qt's strokes lose themselves in dashes."""
_STAMPED = 2.0
"""Lines up to this width are stamped out of lines of one pixel, which Qt paints some twenty times as fast."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How places in the plot's own coordinates become pixels of the item; ``height`` is its own."""

    left: float
    right: float
    low: float
    high: float
    width: float
    height: float
    down: bool
    """Whether the y axis points down."""

    def across(self, x: Any) -> Any:
        """The pixel of an x, or of an array of them."""
        return (x - self.left) * (self.width / (self.right - self.left))

    def up(self, y: Any) -> Any:
        """The pixel, counted from the top, of a y or of an array of them."""
        part = (y - self.low) / (self.high - self.low)
        return (part if self.down else 1 - part) * self.height


class Shape(Protocol):
    """Something to paint."""

    def paint(self, painter: QPainter, scale: Scale, *, exact: bool) -> None:
        """Paint it; ``exact`` where lines stay lines, such as for SVG."""


@dataclass(eq=False, slots=True)
class Line:
    """A curve through these points (no NaN) with this cosmetic pen."""

    x: Floats
    y: Floats
    pen: QPen
    _polygon: QPolygonF = field(default_factory=QPolygonF, repr=False)
    _mapped: Scale | None = None

    def prepare(self, scale: Scale) -> None:
        """Work out the pixels; painting then need not."""
        self._mapped, polygon = scale, QPolygonF()
        if len(self.x):
            polygon.resize(len(self.x))
            points = pg.functions.ndarray_from_qpolygonf(polygon)
            points[:, 0] = scale.across(self.x)
            points[:, 1] = scale.up(self.y).clip(-_FAR * scale.height, _FAR * scale.height)
        self._polygon = polygon

    def paint(self, painter: QPainter, scale: Scale, *, exact: bool) -> None:
        if scale != self._mapped:
            self.prepare(scale)
        polygon, width = self._polygon, self.pen.widthF()
        if polygon.isEmpty():
            return
        if exact:
            painter.setPen(_enlarged(self.pen, painter))
            # Not every program that shows a drawing cuts it off where it is told to.
            for piece in cut_off(polygon, scale.height):
                painter.drawPolyline(piece)
            return
        if not 1.0 < width <= _STAMPED:
            painter.setPen(self.pen)
            painter.drawPolyline(polygon)
            return
        painter.setPen(_thin(self.pen))
        half = (width - 1) / 2
        # Three corners of a square: whichever way the line goes, two of them lie beside each other.
        for across, up in ((-half, -half), (half, -half), (-half, half)):
            polygon.translate(across, up)
            painter.drawPolyline(polygon)
            polygon.translate(-across, -up)


def cut_off(polygon: QPolygonF, height: float) -> list[QPolygonF]:
    """The pieces of the line that lie from 0 to ``height``."""
    points = [polygon.at(index) for index in range(polygon.size())]
    if all(0 <= point.y() <= height for point in points):
        return [polygon]
    pieces: list[list[QPointF]] = []
    for begin, end in itertools.pairwise(points):
        rise = end.y() - begin.y()
        if rise == 0:
            first, last = (0.0, 1.0) if 0 <= begin.y() <= height else (1.0, 0.0)
        else:
            edges = sorted(((0 - begin.y()) / rise, (height - begin.y()) / rise))
            first, last = max(0.0, edges[0]), min(1.0, edges[1])
        if first > last:
            continue
        start = begin if first == 0 else begin + (end - begin) * first
        stop = end if last == 1 else begin + (end - begin) * last
        if first == 0 and pieces and pieces[-1][-1] is begin:
            pieces[-1].append(stop)
        else:
            pieces.append([start, stop])
    return [QPolygonF(piece) for piece in pieces]


def _enlarged(pen: QPen, painter: QPainter) -> QPen:
    """The same pen in a picture with more pixels than the screen, where a cosmetic line would be a hair."""
    larger = QPen(pen)
    larger.setWidthF(pen.widthF() * max(1.0, painter.deviceTransform().m11()))
    return larger


def _thin(pen: QPen) -> QPen:
    """The same pen one pixel wide, with dashes of the same length."""
    thin, width = QPen(pen), pen.widthF()
    thin.setWidthF(1.0)
    if pen.style() not in (Qt.PenStyle.SolidLine, Qt.PenStyle.NoPen):
        thin.setDashPattern([length * width for length in pen.dashPattern()])
    return thin


class Picture:
    """Pixels in a rectangle of the plot; they may be seen as squares. The first row is the upper one."""

    __slots__ = ("_image", "bottom", "left", "right", "top")

    def __init__(
        self, rgba: NDArray[np.uint8], across: tuple[float, float], up: tuple[float, float], *, table: Any = None
    ) -> None:
        """``rgba`` (rows, columns, 4) between these x and these y; with ``table`` (n, 4), (rows, columns) of its rows.

        ``up`` is the y of the lower and of the upper edge on the screen.
        """
        (self.left, self.right), (self.bottom, self.top) = across, up
        words = np.ascontiguousarray(rgba if table is None else table, np.uint8)
        pixels = _premultiplied(words)
        pixels = np.ascontiguousarray(pixels if table is None else pixels.take(rgba))
        rows, columns = pixels.shape
        image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied)
        self._image = image.copy()

    def paint(self, painter: QPainter, scale: Scale, *, exact: bool) -> None:
        left, right = scale.across(self.left), scale.across(self.right)
        top, bottom = scale.up(self.top), scale.up(self.bottom)
        painter.drawImage(QRectF(left, top, right - left, bottom - top), self._image)


def _premultiplied(rgba: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """RGBA, (..., 4), as Qt's 32-bit pixels."""
    # As bytes in memory, lowest first: blue, green, red, alpha.
    pixels = np.empty_like(rgba)
    alpha = rgba[..., 3]
    for channel in range(3):
        pixels[..., 2 - channel] = (rgba[..., channel].astype(np.uint16) * alpha + 127) // 255
    pixels[..., 3] = alpha
    words: NDArray[np.uint32] = np.ascontiguousarray(pixels).view("<u4")[..., 0]
    return words


@dataclass(eq=False, slots=True)
class Band:
    """What lies between two curves over the same few x (no NaN), in a thin shade of this colour.

    Its edges are sharp at any size. For thousands of points it is far too slow: see ``bands``.
    """

    x: Floats
    low: Floats
    high: Floats
    color: QColor

    def paint(self, painter: QPainter, scale: Scale, *, exact: bool) -> None:
        across = scale.across(self.x)
        first, second = scale.up(self.low), scale.up(self.high)
        # At least one pixel high, so that a sure value does not vanish.
        lower, upper = np.maximum(first, second) + 0.5, np.minimum(first, second) - 0.5
        edge = zip(np.concatenate((across, across[::-1])), np.concatenate((lower, upper[::-1])), strict=True)
        shade = QColor(self.color)
        shade.setAlpha(BAND_ALPHA)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(shade)
        painter.drawPolygon(QPolygonF([QPointF(float(x), float(y)) for x, y in edge]))
        painter.setBrush(Qt.BrushStyle.NoBrush)


@dataclass(eq=False, slots=True)
class Marks:
    """Circles, or triangles that point up, of so many pixels at these places."""

    x: Floats
    y: Floats
    size: float
    pen: QPen
    brush: QBrush
    triangle: bool = False

    def paint(self, painter: QPainter, scale: Scale, *, exact: bool) -> None:
        painter.setPen(_enlarged(self.pen, painter) if exact else self.pen)
        painter.setBrush(self.brush)
        half = self.size / 2
        for x, y in zip(scale.across(self.x).tolist(), scale.up(self.y).tolist(), strict=True):
            if self.triangle:
                corners = [QPointF(x - half, y + half), QPointF(x + half, y + half), QPointF(x, y - half)]
                painter.drawPolygon(QPolygonF(corners))
            else:
                painter.drawEllipse(QPointF(x, y), half, half)
        painter.setBrush(Qt.BrushStyle.NoBrush)


@dataclass(eq=False, slots=True)
class Words:
    """Words right of a place, so many pixels away, at the height of its middle."""

    text: str
    x: float
    y: float
    color: QColor
    font: QFont
    away: float = 4.0

    def paint(self, painter: QPainter, scale: Scale, *, exact: bool) -> None:
        self.paint_at(painter, scale, float(scale.up(self.y)))

    def paint_at(self, painter: QPainter, scale: Scale, middle: float) -> None:
        """Paint them with their middle so many pixels below the top, not at their own height."""
        painter.setPen(self.color)
        painter.setFont(self.font)
        room = 200.0
        place = QRectF(float(scale.across(self.x)) + self.away, middle - room, 4 * room, 2 * room)
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.text)


@dataclass(eq=False, slots=True)
class Column:
    """Single letters above each other, moved apart where they would overlap; where there is no room, the first ones."""

    words: tuple[Words, ...]

    def paint(self, painter: QPainter, scale: Scale, *, exact: bool) -> None:
        if not self.words:
            return
        gap = QFontMetricsF(self.words[0].font).capHeight() + 3.0
        words = self.words[: max(1, int(scale.height // gap))]
        middles = apart([float(scale.up(each.y)) for each in words], gap, scale.height)
        for each, middle in zip(words, middles, strict=True):
            each.paint_at(painter, scale, middle)


def apart(middles: Sequence[float], gap: float, height: float) -> list[float]:
    """The same places, in their order, moved so that none is nearer than ``gap`` to another, nor half of it to an edge.

    As little as may be: those that lie together stay around their common middle. They must fit into ``height``.
    """
    order = sorted(range(len(middles)), key=lambda index: middles[index])
    groups: list[list[int]] = []
    tops: list[float] = []
    for index in order:
        groups.append([index])
        tops.append(middles[index])
        while len(groups) > 1 and tops[-1] < tops[-2] + gap * len(groups[-2]):
            last = groups.pop()
            groups[-1] += last
            tops.pop()
            tops[-1] = sum(middles[each] - gap * place for place, each in enumerate(groups[-1])) / len(groups[-1])
    wanted = [top + gap * place for group, top in zip(groups, tops, strict=True) for place in range(len(group))]
    least, most = gap / 2, height - gap * (len(order) - 0.5)
    made = [0.0] * len(order)
    for place, index in enumerate(order):
        # Seen from the first, all may lie between the same two edges; clipping keeps the distances.
        made[index] = gap * place + min(max(wanted[place] - gap * place, least), most)
    return made


class Ink(QGraphicsItem):
    """The item that paints shapes, the first one lowest, over the whole of pyqtgraph's view box."""

    def __init__(self, box: Any) -> None:
        """``box`` is the view box, whose ranges are those of the plot."""
        super().__init__(box)
        self._box = box
        self._shapes: tuple[Shape, ...] = ()
        self._exact = False
        self._bounds = QRectF(box.rect())
        # Below the cross-hair, which is a child of the box's own group.
        self.setZValue(-1)
        box.sigResized.connect(self._on_resized)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """What is painted."""
        return self._shapes

    def show_shapes(self, shapes: Sequence[Shape]) -> None:
        """Paint these from now on."""
        self._shapes = tuple(shapes)
        if (scale := self._scale()) is not None:
            for shape in self._shapes:
                if isinstance(shape, Line):
                    shape.prepare(scale)
        self.update()

    def _scale(self) -> Scale | None:
        (left, right), (low, high) = self._box.viewRange()
        bounds = self._bounds
        if right <= left or high <= low or bounds.isEmpty():
            return None
        return Scale(left, right, low, high, bounds.width(), bounds.height(), bool(self._box.yInverted()))

    def setExportMode(self, export: bool, opts: object = None) -> None:
        """As pyqtgraph's items do: paint lines as lines, for pictures that are enlarged or made of lines."""
        self._exact = export

    def _on_resized(self) -> None:
        self.prepareGeometryChange()
        self._bounds = QRectF(self._box.rect())

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        if (scale := self._scale()) is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for shape in self._shapes:
            shape.paint(painter, scale, exact=self._exact)
