"""Pictures to take away: a plot, the board, or both, under a caption that says what was searched; PNG or SVG.

The SVG is one that every program draws alike. Qt writes curves in units of their own with a transform that stretches
them, and asks for a stroke that is not stretched along. Where that is not known, a curve over 2 units in x and 0.2 in y
becomes a blot that covers the picture; so the points themselves are put where they belong. Qt also forgets that a curve
was cut off at the edges of its plot, and names the font by a name that it has on this machine alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np
from PySide6.QtCore import QBuffer, QEvent, QIODevice, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetrics, QImage, QPainter, QRegion
from PySide6.QtWidgets import QApplication, QWidget

from nimdesk.ui.boards import BoardView
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.plots.canvas import PlotCanvas, drawn_exactly, with_x_axis

SCALE = 2.0
"""A PNG has twice the pixels of the screen, so that it can be printed."""
_MARGIN, _GAP = 12, 8
_SVG = "http://www.w3.org/2000/svg"
_CONSTANT = "vector-effect"
"""The attribute that says of lines whether their width is stretched along."""
_PAIR = re.compile(r"(-?[\d.]+(?:e[+-]?\d+)?),(-?[\d.]+(?:e[+-]?\d+)?)")


@dataclass(frozen=True)
class Sheet:
    """Something to paint, as large as this on the screen."""

    size: QSize
    background: QColor
    paint: Callable[[QPainter], None]
    title: str
    rooms: tuple[QRectF, ...] = ()
    """Where curves belong: they are cut off at its edges."""


def sheet_of(
    title: str, lines: list[str], parts: list[tuple[QWidget, QPoint]], cuts: Mapping[QWidget, QRect] = {}
) -> Sheet:
    """A caption (title, then lines) over widgets, each at its place below the caption; ``cuts``: this part of them."""
    base, theme = QApplication.font(), LOOK.theme
    bold = QFont(base)
    bold.setBold(True)
    line = QFontMetrics(base).lineSpacing()
    right = max(place.x() + cuts.get(part, part.rect()).width() for part, place in parts)
    bottom = max(place.y() + cuts.get(part, part.rect()).height() for part, place in parts)
    top = _MARGIN + (1 + len(lines)) * line + _GAP
    size = QSize(right + 2 * _MARGIN, top + bottom + _MARGIN)

    def paint(painter: QPainter) -> None:
        room = QRect(_MARGIN, _MARGIN, size.width() - 2 * _MARGIN, line)
        for number, text in enumerate([title, *lines]):
            painter.setFont(base if number else bold)
            painter.setPen(theme.color("muted" if number else "text"))
            fitting = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room.translated(0, number * line), Qt.AlignmentFlag.AlignLeft, fitting)
        with alone():
            for part, place in parts:
                _render(part, painter, place + QPoint(_MARGIN, top), cuts.get(part))

    plots = [(part, place) for part, place in parts if isinstance(part, PlotCanvas)]

    def alone() -> AbstractContextManager[None]:
        return with_x_axis(plots[0][0]) if len(plots) == 1 else nullcontext()

    origin = QPointF(_MARGIN, top)
    with alone():
        rooms = tuple(_room(part).translated(origin + place) for part, place in plots)
    return Sheet(size, theme.color("window"), paint, title, rooms)


def widget_sheet(widget: QWidget, title: str) -> Sheet:
    """A widget and the plots in it as they look, with a margin."""
    margin = QPoint(_MARGIN, _MARGIN)
    plots = [plot for plot in widget.findChildren(PlotCanvas) if plot.isVisible()]

    def paint(painter: QPainter) -> None:
        with ExitStack() as exactly:
            for plot in plots:
                exactly.enter_context(drawn_exactly(plot))
            widget.render(painter, margin, QRegion(), QWidget.RenderFlag.DrawChildren)

    size = widget.size() + QSize(2 * _MARGIN, 2 * _MARGIN)
    rooms = tuple(_room(plot).translated(QPointF(plot.mapTo(widget, margin))) for plot in plots)
    return Sheet(size, widget.palette().window().color(), paint, title, rooms)


def _room(plot: PlotCanvas) -> QRectF:
    """The part of the plot between its axes."""
    view = plot.view
    shape = view.mapFromScene(plot.box.sceneBoundingRect())
    return QRectF(shape.boundingRect()).translated(QPointF(view.mapTo(plot, QPoint())))


def board_sheet(board: BoardView) -> Sheet:
    """What lies on the board and what is written on it, without the empty space around."""
    twin = board.twin()
    cut = inked_part(twin)

    def paint(painter: QPainter) -> None:
        _render(twin, painter, QPoint(), cut)

    return Sheet(cut.size(), LOOK.theme.color("window"), paint, board.accessibleName())


def inked_part(board: BoardView, margin: int = 10) -> QRect:
    """The part of the widget that anything is painted in, with a margin of so many pixels, within the widget."""
    whole = board.rect()
    image = QImage(board.size(), QImage.Format.Format_RGB32)
    board.render(image, renderFlags=QWidget.RenderFlag.DrawChildren)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())
    inked = pixels != pixels[0, 0]
    if not inked.any():
        return whole
    rows, columns = np.flatnonzero(inked.any(axis=1)), np.flatnonzero(inked.any(axis=0))
    part = QRect(QPoint(int(columns[0]), int(rows[0])), QPoint(int(columns[-1]), int(rows[-1])))
    return part.adjusted(-margin, -margin, margin, margin) & whole


def _render(part: QWidget, painter: QPainter, place: QPoint, cut: QRect | None = None) -> None:
    exactly: AbstractContextManager[None] = nullcontext()
    if isinstance(part, BoardView):
        # The mouse has gone on to a menu; what it pointed at must not stay in the picture.
        QApplication.sendEvent(part, QEvent(QEvent.Type.Leave))
        exactly = part.art.exactly()
    elif isinstance(part, PlotCanvas):
        exactly = drawn_exactly(part)
    with exactly:
        region = QRegion() if cut is None else QRegion(cut)
        part.render(painter, place, region, QWidget.RenderFlag.DrawChildren)


def image_of(sheet: Sheet, scale: float = SCALE) -> QImage:
    """The sheet as pixels."""
    image = QImage(sheet.size * scale, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(sheet.background)
    painter = QPainter(image)
    sheet.paint(painter)
    painter.end()
    return image


def png_of(image: QImage) -> bytes:
    """The image as a PNG file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]
        raise ValueError("Qt cannot write this image as PNG")
    return bytes(buffer.data().data())


def svg_of(sheet: Sheet) -> bytes:
    """The sheet as lines and letters."""
    from PySide6.QtSvg import QSvgGenerator  # lazy: one more library, for those who want it

    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    # Letters as large, beside lines, as on the screen.
    generator.setResolution(round(QApplication.primaryScreen().logicalDotsPerInch()))
    generator.setSize(sheet.size)
    generator.setViewBox(QRect(QPoint(), sheet.size))
    generator.setTitle(sheet.title)
    generator.setDescription("Made with nimdesk.")
    painter = QPainter(generator)
    painter.fillRect(QRect(QPoint(), sheet.size), sheet.background)
    sheet.paint(painter)
    painter.end()
    family = QFontInfo(QApplication.font()).family()
    return portable(bytes(buffer.data().data()), sheet.rooms, family)


def file_of(sheet: Sheet, suffix: str) -> bytes:
    """The sheet as a file of this kind, ``.svg`` or ``.png``."""
    return svg_of(sheet) if suffix.lower() == ".svg" else png_of(image_of(sheet))


# SVG as any program draws it


def portable(svg: bytes, rooms: Sequence[QRectF], family: str) -> bytes:
    """Qt's SVG as any program draws it; ``rooms`` are the plots in it, ``family`` is what its font is really called."""
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ElementTree.fromstring(svg)
    for name in ("version", "baseProfile"):
        root.attrib.pop(name, None)
    defs = root.find(f"{{{_SVG}}}defs")
    assert defs is not None, "Qt writes one"
    for number, room in enumerate(rooms):
        clip = ElementTree.SubElement(defs, f"{{{_SVG}}}clipPath", id=f"room{number}")
        numbers = {"x": room.x(), "y": room.y(), "width": room.width(), "height": room.height()}
        ElementTree.SubElement(clip, f"{{{_SVG}}}rect", {name: f"{value:g}" for name, value in numbers.items()})
    for each in root.iter():
        if (named := each.get("font-family")) is not None:
            each.set("font-family", f"{named}, {family}, sans-serif")
    for group in root.iter(f"{{{_SVG}}}g"):
        if any(_is_constant(shape) for shape in group):
            _place_lines(group, rooms)
    made: bytes = ElementTree.tostring(root, "utf-8", xml_declaration=True)
    return made


def _place_lines(group: ElementTree.Element, rooms: Sequence[QRectF]) -> None:
    """Carry the group's transform out on the points of its lines, and cut them off at the plot that they are of."""
    matrix = [float(number) for number in group.get("transform", "matrix(1,0,0,1,0,0)")[7:-1].split(",")]
    lines = (f"{{{_SVG}}}path", f"{{{_SVG}}}polyline")
    if not all(_is_constant(shape) and shape.tag in lines for shape in group):
        if matrix[:4] == [1.0, 0.0, 0.0, 1.0]:
            for shape in group:
                shape.attrib.pop(_CONSTANT, None)
        return
    placed: list[list[QPointF]] = []
    for shape in group:
        del shape.attrib[_CONSTANT]
        name = "d" if "d" in shape.attrib else "points"
        shape.set(name, _placed(shape.get(name, ""), matrix))
        placed.append([QPointF(float(x), float(y)) for x, y in _PAIR.findall(shape.get(name, ""))])
    group.set("transform", "matrix(1,0,0,1,0,0)")
    # The plot that most of the points lie in; straight lines, such as those of a grid, are not cut off.
    points = [point for curve in placed if len(curve) > 2 for point in curve]
    inside = [sum(room.contains(point) for point in points) for room in rooms]
    best = max(range(len(rooms)), key=inside.__getitem__, default=None)
    if best is not None and points and 2 * inside[best] >= len(points):
        group.set("clip-path", f"url(#room{best})")


def _is_constant(shape: ElementTree.Element) -> bool:
    return shape.get(_CONSTANT) == "non-scaling-stroke"


def _placed(points: str, matrix: Sequence[float]) -> str:
    """Pairs of coordinates with the transform carried out; letters between them stay."""
    a, b, c, d, e, f = matrix

    def place(pair: re.Match[str]) -> str:
        x, y = float(pair[1]), float(pair[2])
        return f"{a * x + c * y + e:.6g},{b * x + d * y + f:.6g}"

    return _PAIR.sub(place, points)
