"""Pictures to take away: a plot, the board, or both, under a caption that says what was searched; PNG, SVG or PDF.

Every program draws this SVG alike. Qt stretches the units of some lines and asks for widths that are not stretched,
which many programs ignore: the line becomes a blot. So the points themselves are transformed. Qt also writes the font's
name on this machine, which other machines may not know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np
from PySide6.QtCore import QBuffer, QEvent, QIODevice, QMarginsF, QPoint, QRect, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetrics, QImage, QPageSize, QPainter, QPdfWriter, QRegion
from PySide6.QtWidgets import QApplication, QWidget

from nimdesk.disk.provenance import made_here
from nimdesk.ui.boards import BoardView
from nimdesk.ui.laboratory.tree_drawing import TreeDrawing
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.plots.canvas import PlotCanvas, drawn_exactly, with_x_axis

PICTURES = "PNG picture (*.png);;SVG drawing (*.svg);;PDF (*.pdf)"
SCALE = 2.0
"""A PNG has twice the pixels of the screen, for printing."""
_MARGIN, _GAP = 12, 8
_SVG = "http://www.w3.org/2000/svg"
_WIDTH, _KEPT = "vector-effect", "non-scaling-stroke"
"""The attribute by which Qt asks for a line width that is not stretched."""
_AS_IT_IS = "matrix(1,0,0,1,0,0)"
_PAIR = re.compile(r"(-?[\d.]+(?:e[+-]?\d+)?),(-?[\d.]+(?:e[+-]?\d+)?)")


@dataclass(frozen=True)
class Sheet:
    """Something to paint, with its size on the screen."""

    size: QSize
    background: QColor
    paint: Callable[[QPainter], None]
    title: str


def sheet_of(
    title: str, lines: list[str], parts: list[tuple[QWidget, QPoint]], cuts: Mapping[QWidget, QRect] = {}
) -> Sheet:
    """A caption (title, then lines) over widgets, each at its place below the caption; ``cuts`` are the parts shown."""
    base, theme = QApplication.font(), LOOK.theme
    bold = QFont(base)
    bold.setBold(True)
    line = QFontMetrics(base).lineSpacing()
    right = max(place.x() + cuts.get(part, part.rect()).width() for part, place in parts)
    bottom = max(place.y() + cuts.get(part, part.rect()).height() for part, place in parts)
    rows = [(text, bold) for text in _wrapped(title, bold, right)]
    rows += [(text, base) for words in lines for text in _wrapped(words, base, right)]
    top = _MARGIN + len(rows) * line + _GAP
    size = QSize(right + 2 * _MARGIN, top + bottom + _MARGIN)

    def paint(painter: QPainter) -> None:
        room = QRect(_MARGIN, _MARGIN, size.width() - 2 * _MARGIN, line)
        for number, (text, font) in enumerate(rows):
            painter.setFont(font)
            painter.setPen(theme.color("text" if font is bold else "muted"))
            painter.drawText(room.translated(0, number * line), Qt.AlignmentFlag.AlignLeft, text)
        plots = [part for part, _ in parts if isinstance(part, PlotCanvas)]
        with with_x_axis(plots[0]) if len(plots) == 1 else nullcontext():
            for part, place in parts:
                _render(part, painter, place + QPoint(_MARGIN, top), cuts.get(part))

    return Sheet(size, theme.color("window"), paint, title)


def _wrapped(text: str, font: QFont, width: int) -> list[str]:
    """The text in lines of at most ``width`` pixels: nothing in a caption may be cut off."""
    metrics, lines = QFontMetrics(font), [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".lstrip()
        if not lines[-1] or metrics.horizontalAdvance(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def widget_sheet(widget: QWidget, title: str) -> Sheet:
    """A widget and its plots as they look, with a margin."""
    margin = QPoint(_MARGIN, _MARGIN)
    plots = [plot for plot in widget.findChildren(PlotCanvas) if plot.isVisible()]

    def paint(painter: QPainter) -> None:
        with ExitStack() as exactly:
            for plot in plots:
                exactly.enter_context(drawn_exactly(plot))
            widget.render(painter, margin, QRegion(), QWidget.RenderFlag.DrawChildren)

    size = widget.size() + QSize(2 * _MARGIN, 2 * _MARGIN)
    return Sheet(size, widget.palette().window().color(), paint, title)


def board_sheet(board: BoardView) -> Sheet:
    """The board and everything written on it, without the empty space around it."""
    cut = inked_part(board)

    def paint(painter: QPainter) -> None:
        _render(board, painter, QPoint(), cut)

    return Sheet(cut.size(), LOOK.theme.color("window"), paint, board.accessibleName())


def inked_part(board: BoardView, margin: int = 10) -> QRect:
    """The painted part of the widget with ``margin`` pixels around it, within the widget."""
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
    elif isinstance(part, TreeDrawing):
        exactly = part.exactly()
    with exactly:
        region = QRegion() if cut is None else QRegion(cut)
        part.render(painter, place, region, QWidget.RenderFlag.DrawChildren)


def image_of(sheet: Sheet, scale: float = SCALE) -> QImage:
    """The sheet as pixels, ``scale`` to a pixel of the screen."""
    image = QImage(sheet.size * scale, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(sheet.background)
    with QPainter(image) as painter:
        sheet.paint(painter)
    return signed(image, sheet.title)


def signed(image: QImage, title: str) -> QImage:
    """The image with a title, so that its file says what it shows and what made it."""
    made = made_here()
    for key, words in (("Title", title), ("Software", made.programs), ("Comment", made.words)):
        image.setText(key, words)
    return image


def png_of(image: QImage) -> bytes:
    """The image as a PNG file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]
        raise ValueError("Qt cannot write this image as PNG")
    return bytes(buffer.data().data())


def svg_of(sheet: Sheet) -> bytes:
    """The sheet as an SVG file of lines and letters."""
    from PySide6.QtSvg import QSvgGenerator  # lazy: one more library, needed only here

    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    # Letters keep their size relative to lines.
    generator.setResolution(round(QApplication.primaryScreen().logicalDotsPerInch()))
    generator.setSize(sheet.size)
    generator.setViewBox(QRect(QPoint(), sheet.size))
    generator.setTitle(sheet.title)
    generator.setDescription(f"Made {made_here().words}.")
    with QPainter(generator) as painter:
        painter.fillRect(QRect(QPoint(), sheet.size), sheet.background)
        sheet.paint(painter)
    return _portable(bytes(buffer.data().data()))


def pdf_of(sheet: Sheet) -> bytes:
    """The sheet as one page of its own size, of lines and letters."""
    buffer, dots = QBuffer(), round(QApplication.primaryScreen().logicalDotsPerInch())
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(dots)
    writer.setPageMargins(QMarginsF())
    points = QSizeF(sheet.size) * (72 / dots)
    writer.setPageSize(QPageSize(points, QPageSize.Unit.Point, matchPolicy=QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setTitle(sheet.title)
    writer.setCreator(f"Made {made_here().words}")
    with QPainter(writer) as painter:
        painter.fillRect(QRect(QPoint(), sheet.size), sheet.background)
        sheet.paint(painter)
    return bytes(buffer.data().data())


def file_of(sheet: Sheet, suffix: str) -> bytes:
    """The sheet as a file of this kind, ``.svg``, ``.pdf`` or ``.png``."""
    if suffix.lower() == ".pdf":
        return pdf_of(sheet)
    return svg_of(sheet) if suffix.lower() == ".svg" else png_of(image_of(sheet))


# SVG that every program draws alike


def _portable(svg: bytes) -> bytes:
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root, family = ElementTree.fromstring(svg), QFontInfo(QApplication.font()).family()
    for name in ("version", "baseProfile"):
        root.attrib.pop(name, None)
    for each in root.iter():
        if (named := each.get("font-family")) is not None:
            each.set("font-family", f"{named}, {family}, sans-serif")
    lines = (f"{{{_SVG}}}path", f"{{{_SVG}}}polyline")
    for group in root.iter(f"{{{_SVG}}}g"):
        if len(group) and all(shape.tag in lines and shape.get(_WIDTH) == _KEPT for shape in group):
            _place_lines(group)
        for shape in group:
            shape.attrib.pop(_WIDTH, None)
    made: bytes = ElementTree.tostring(root, "utf-8", xml_declaration=True)
    return made


def _place_lines(group: ElementTree.Element) -> None:
    """Apply the group's transform to the points of its lines."""
    a, b, c, d, e, f = (float(number) for number in group.get("transform", _AS_IT_IS)[7:-1].split(","))

    def placed(pair: re.Match[str]) -> str:
        x, y = float(pair[1]), float(pair[2])
        return f"{a * x + c * y + e:.6g},{b * x + d * y + f:.6g}"

    for shape in group:
        name = "d" if "d" in shape.attrib else "points"
        shape.set(name, _PAIR.sub(placed, shape.get(name, "")))
    group.set("transform", _AS_IT_IS)
