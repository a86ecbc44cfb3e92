"""What plots are drawn with: lines, bands, pictures, marks and words, in pixels, all painted by one item of the scene.

Why not items of pyqtgraph's: they paint in the coordinates of the data. A line that is then stretched has a constant
width only in programs that know ``vector-effect``, and 30 curves take twice as long.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QImage, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from nimdesk.games.truth import Value
from nimdesk.ui.look.move_marks import paint_mark
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.plots.history import Floats

Pixels = NDArray[np.uint8]
_BAND_COLUMNS = 320
_BAND_ALPHA = 56
"""How much of its colour a band between two curves has, of 255."""


def pen(color: QColor, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """A pen whose width is in pixels of the screen, times that of the look's lines."""
    width *= LOOK.theme.line
    made = QPen(color, width, style)
    made.setCosmetic(True)
    if width > 1:
        # A cap would fill the gap to the next dot.
        made.setCapStyle(Qt.PenCapStyle.FlatCap)
    return made


def rgba(color: QColor, alpha: int = 255) -> tuple[int, int, int, int]:
    """This colour in a picture."""
    return color.red(), color.green(), color.blue(), alpha


@dataclass(frozen=True, slots=True)
class Scale:
    """How places in the plot's own coordinates become pixels of the item; ``height`` is its own."""

    left: float
    right: float
    low: float
    high: float
    width: float
    height: float
    down: bool = False
    """Whether the y axis points down."""
    exact: bool = False
    """Whether the picture is enlarged or made of lines: widths grow with it, and nothing may lie beyond the edges."""

    def across(self, x: Any) -> Any:
        """The pixel of an x, or of an array of them."""
        return (x - self.left) * (self.width / (self.right - self.left))

    def up(self, y: Any) -> Any:
        """The pixel, counted from the top, of a y or of an array of them."""
        part = (y - self.low) / (self.high - self.low)
        return (part if self.down else 1 - part) * self.height

    def take(self, painter: QPainter, pen: QPen) -> None:
        """Paint with this pen, in an enlarged picture with a larger one, where it would be a hair."""
        if self.exact:
            pen = QPen(pen)
            pen.setWidthF(pen.widthF() * max(1.0, painter.deviceTransform().m11()))
        painter.setPen(pen)


class Shape(Protocol):
    """Something to paint."""

    def paint(self, painter: QPainter, scale: Scale) -> None:
        """Paint it."""


@dataclass(eq=False, slots=True)
class Line:
    """A curve through these points (no NaN) with this pen."""

    x: Floats
    y: Floats
    pen: QPen

    def paint(self, painter: QPainter, scale: Scale) -> None:
        across, up = scale.across(self.x), scale.up(self.y)
        if not scale.exact:
            # No two points nearer than the line is wide: a wide line takes its time with each of them.
            kept = np.flatnonzero(np.diff(np.floor(across / max(1.0, self.pen.widthF())), append=np.inf))
            across, up = across[kept], up[kept]
        x, y = inside(across, up, scale.height)
        scale.take(painter, self.pen)
        painter.drawPath(pg.arrayToQPath(x, y, connect="finite"))


@dataclass(eq=False, slots=True)
class Bundle:
    """Many thin curves over the same x with one pen: ``y`` is (curves, points), NaN where a curve has no point."""

    x: Floats
    y: Floats
    pen: QPen

    def paint(self, painter: QPainter, scale: Scale) -> None:
        curves, points = self.y.shape
        if not curves:
            return
        # What lies beyond the edges is left out, and a gap parts each curve from the next.
        up = np.full((curves, points + 1), np.nan)
        up[:, :-1] = scale.up(self.y)
        up[(up < 0) | (up > scale.height)] = np.nan
        across = np.append(scale.across(self.x), 0.0)
        scale.take(painter, self.pen)
        # A wide line is made of all of a path at once, slowly, and is no darker where curves lie on each other.
        paths = up if scale.exact else [up.ravel()]
        for path in paths:
            painter.drawPath(pg.arrayToQPath(np.resize(across, path.shape), path, connect="finite"))


@dataclass(eq=False, slots=True)
class Sign:
    """The sign of what is proven, at a place."""

    value: Value
    x: float
    y: float

    def paint(self, painter: QPainter, scale: Scale) -> None:
        middle = QPointF(float(scale.across(self.x)), float(scale.up(self.y)))
        paint_mark(painter, self.value, QRectF(middle - QPointF(7.5, 7.5), QSizeF(15.0, 15.0)))


def between(x: Floats, y: Floats, left: float, right: float) -> tuple[Floats, Floats]:
    """The part of a curve over increasing x that lies between these, cut where it crosses them."""
    if not len(x) or (x[0] >= left and x[-1] <= right):
        return x, y
    if x[0] > right or x[-1] < left:
        return x[:0], y[:0]
    ends = np.array([max(left, float(x[0])), min(right, float(x[-1]))])
    within = (x > ends[0]) & (x < ends[1])
    first, last = np.interp(ends, x, y)
    return np.concatenate((ends[:1], x[within], ends[1:])), np.concatenate(([first], y[within], [last]))


def band_of(x: Floats, low: Floats, high: Floats, ends: tuple[float, float], color: QColor) -> Band:
    """The band between two curves over increasing x, of each value until the next, as far as it lies between the ends.

    Where a curve has no value there is no band.
    """
    left, right = max(ends[0], float(x[0])), min(ends[1], float(x[-1]))
    at = np.linspace(left, max(left, right), _BAND_COLUMNS)
    rows = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 1)
    there = ~np.isnan(low[rows]) & ~np.isnan(high[rows])
    return Band(at[there], low[rows][there], high[rows][there], color)


def inside(x: Floats, y: Floats, height: float) -> tuple[Floats, Floats]:
    """The parts of the line that lie from 0 to ``height``, with NaN between them.

    Far outside Qt loses itself in dashes, and not every program that shows a drawing cuts it off where it is told to.
    """
    if not len(y) or (y.min() >= 0 and y.max() <= height):
        return x, y
    places = np.arange(len(y), dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = (np.array([[0.0], [height]]) - y[:-1]) / np.diff(y)
    crossed = (parts > 0) & (parts < 1)
    between = (places[:-1] + parts)[crossed]
    order = np.argsort(np.concatenate((places, between)), kind="stable")
    edges = np.broadcast_to([[0.0], [height]], parts.shape)[crossed]
    every_x = np.concatenate((x, np.interp(between, places, x)))[order]
    every_y = np.concatenate((y, edges))[order]
    every_y[(every_y < 0) | (every_y > height)] = np.nan
    return every_x, every_y


@dataclass(eq=False, slots=True)
class Picture:
    """Pixels in a rectangle of the plot, from ``left`` to ``right``; they may be seen as squares.

    ``pixels`` are RGBA, (rows, columns, 4), or with ``table`` (n, 4) its rows, (rows, columns). The first row is the
    upper one; ``bottom`` and ``top`` are the y of the edges on the screen.
    """

    pixels: Pixels
    left: float
    right: float
    bottom: float
    top: float
    table: Pixels | None = None

    def paint(self, painter: QPainter, scale: Scale) -> None:
        pixels = np.ascontiguousarray(self.pixels, np.uint8)
        rows, columns = pixels.shape[:2]
        kind = QImage.Format.Format_RGBA8888 if self.table is None else QImage.Format.Format_Indexed8
        image = QImage(pixels.data, columns, rows, pixels.strides[0], kind)
        if self.table is not None:
            image.setColorTable([QColor(*color).rgba() for color in self.table.tolist()])
        left, top = scale.across(self.left), scale.up(self.top)
        place = QRectF(left, top, scale.across(self.right) - left, scale.up(self.bottom) - top)
        painter.drawImage(place, image)


@dataclass(eq=False, slots=True)
class Band:
    """What lies between two curves over the same few hundred x (no NaN), in a thin shade of this colour."""

    x: Floats
    low: Floats
    high: Floats
    color: QColor

    def paint(self, painter: QPainter, scale: Scale) -> None:
        across = scale.across(self.x)
        first, second = scale.up(self.low), scale.up(self.high)
        # At least one pixel high, so that a sure value does not vanish.
        lower, upper = np.maximum(first, second) + 0.5, np.minimum(first, second) - 0.5
        edge = np.concatenate((lower, upper[::-1]))
        shade = QColor(self.color)
        shade.setAlpha(_BAND_ALPHA)
        painter.fillPath(pg.arrayToQPath(np.concatenate((across, across[::-1])), edge), shade)


def _star(tips: int, inner: float, *, turned: float = 0.0, outer: float = 0.5) -> list[tuple[float, float]]:
    """A star whose first tip points up; with ``inner`` 0 the polygon of its tips."""
    radii = [outer, inner] if inner else [outer]
    steps = tips * len(radii)
    angles = [turned + 2 * math.pi * step / steps for step in range(steps)]
    return [(radii[n % len(radii)] * math.sin(a), -radii[n % len(radii)] * math.cos(a)) for n, a in enumerate(angles)]


_DOWN, _UP = [(-0.5, -0.5), (0.0, 0.5), (0.5, -0.5)], [(-0.5, 0.5), (0.0, -0.5), (0.5, 0.5)]
_PLUS = [(0.1, -0.5), (0.1, -0.1), (0.5, -0.1), (0.5, 0.1), (0.1, 0.1), (0.1, 0.5)]
_PLUS = [*_PLUS, *((-x, -y) for x, y in _PLUS)]
_CROSS = [((x - y) * math.sqrt(0.5), (x + y) * math.sqrt(0.5)) for x, y in _PLUS]
_SYMBOLS: Final[tuple[list[tuple[float, float]], ...]] = (
    [],
    _star(4, 0, turned=math.pi / 4, outer=math.sqrt(0.5)),
    _DOWN,
    [(0.0, -0.5), (-0.4, 0.0), (0.0, 0.5), (0.4, 0.0)],
    _CROSS,
    _PLUS,
    _star(5, 0.191),
    _UP,
    _star(5, 0),
)
"""One unit wide: a circle, square, triangle, diamond, cross, plus, star, triangle that points up, pentagon."""
TRIANGLE = 7
DOT = 8.0
"""Pixels across, of the dot before a name."""
SYMBOL_SIZE: Final = 7.0
"""Pixels across, of the marks that tell agents apart where colours alone would not."""


def paint_symbol(painter: QPainter, symbol: int, middle: QPointF, size: float = SYMBOL_SIZE) -> None:
    """The mark with this number, so many pixels wide, with the pen and brush that the painter has."""
    corners = _SYMBOLS[symbol % len(_SYMBOLS)]
    if corners:
        painter.drawPolygon(QPolygonF([middle + QPointF(x, y) * size for x, y in corners]))
    else:
        painter.drawEllipse(middle, size / 2, size / 2)


@dataclass(eq=False, slots=True)
class Marks:
    """The symbol with this number at these places, so many pixels wide."""

    x: Floats
    y: Floats
    symbol: int
    pen: QPen
    brush: QBrush
    size: float = SYMBOL_SIZE

    def paint(self, painter: QPainter, scale: Scale) -> None:
        scale.take(painter, self.pen)
        painter.setBrush(self.brush)
        for x, y in zip(scale.across(self.x).tolist(), scale.up(self.y).tolist(), strict=True):
            paint_symbol(painter, self.symbol, QPointF(x, y), self.size)
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
    dot: QColor | None = None
    """The colour of a dot before them, which says whose they are."""

    def paint(self, painter: QPainter, scale: Scale) -> None:
        self.paint_at(painter, scale, float(scale.up(self.y)))

    def paint_at(self, painter: QPainter, scale: Scale, middle: float) -> None:
        """Paint them with their middle so many pixels below the top, not at their own height."""
        left = float(scale.across(self.x)) + self.away
        if self.dot is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.dot)
            painter.drawEllipse(QPointF(left + DOT / 2, middle), DOT / 2, DOT / 2)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            left += DOT + 4
        painter.setPen(self.color)
        painter.setFont(self.font)
        room = 200.0
        place = QRectF(left, middle - room, 4 * room, 2 * room)
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.text)


@dataclass(eq=False, slots=True)
class Column:
    """Words above each other, moved apart where they would overlap; where there is no room, the first ones."""

    words: Sequence[Words]

    def paint(self, painter: QPainter, scale: Scale) -> None:
        if not self.words:
            return
        gap = QFontMetricsF(self.words[0].font).capHeight() + 3.0
        words = self.words[: max(1, int(scale.height // gap))]
        middles = apart([float(scale.up(each.y)) for each in words], gap, scale.height)
        for each, middle in zip(words, middles, strict=True):
            each.paint_at(painter, scale, middle)


def apart(middles: Sequence[float], gap: float, height: float) -> list[float]:
    """The same places, in their order, moved so that none is nearer than ``gap`` to another, nor half of it to an edge.

    Each is moved as little as may be: those that lie together stay around their common middle. All must fit into
    ``height``.
    """
    order = np.argsort(middles, kind="stable")
    # Without the gaps between them, they only have to stay in their order: means of neighbours that are not.
    wanted = np.asarray(middles, np.float64)[order] - gap * np.arange(len(order))
    groups: list[list[float]] = []
    for place in wanted.tolist():
        groups.append([place])
        while len(groups) > 1 and np.mean(groups[-1]) < np.mean(groups[-2]):
            last = groups.pop()
            groups[-1] += last
    level = np.concatenate([np.full(len(group), np.mean(group)) for group in groups])
    moved = np.clip(level, gap / 2, height - gap * (len(order) - 0.5)) + gap * np.arange(len(order))
    made = np.empty(len(order))
    made[order] = moved
    return [float(place) for place in made]


class Ink(QGraphicsItem):
    """The item that paints shapes, the first one lowest, over the whole of pyqtgraph's view box."""

    def __init__(self, box: Any) -> None:
        """``box`` is the view box, whose ranges are those of the plot."""
        super().__init__(box)
        self._box = box
        self._shapes: tuple[Shape, ...] = ()
        self._exact = False
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
        self.update()

    def set_exact(self, exact: bool) -> None:
        """Paint for a picture that is enlarged or made of lines, or for the screen."""
        self._exact = exact

    def _on_resized(self) -> None:
        self.prepareGeometryChange()

    def boundingRect(self) -> QRectF:
        rect: QRectF = self._box.rect()
        return rect

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        (left, right), (low, high) = self._box.viewRange()
        bounds = self.boundingRect()
        if right <= left or high <= low or bounds.isEmpty():
            return
        size = bounds.width(), bounds.height()
        scale = Scale(left, right, low, high, *size, bool(self._box.yInverted()), self._exact)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for shape in self._shapes:
            shape.paint(painter, scale)
