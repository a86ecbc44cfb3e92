"""Sheets of paper: boxes of words and drawings, one below the other, none of them cut by the end of a page.

Lengths are pixels, 96 to an inch, as on a screen. Boards and curves are lines and letters, not pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QPoint, QRectF, QSize, Qt, QUrl
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QFont,
    QGuiApplication,
    QPageSize,
    QPainter,
    QPdfWriter,
    QPen,
    QTextDocument,
)
from PySide6.QtWidgets import QWidget

from nimdesk.disk.provenance import made_here
from nimdesk.ui.laboratory.export_pictures import Sheet
from nimdesk.ui.lessons.panel import MARKDOWN
from nimdesk.ui.look.theme import PRINTED, palette, printed

_DOTS = 96
_MARGIN, _FOOT, _GAP = 68.0, 30.0, 12.0
WIDTH = 794.0 - 2 * _MARGIN
"""The width of what stands on a page of A4."""
_HEIGHT = 1123.0 - 2 * _MARGIN - _FOOT
_RULE = 30.0
"""From one line to write on to the next."""


@dataclass(frozen=True)
class Box:
    """A part of a page, painted from its upper left corner."""

    height: float
    paint: Callable[[QPainter], None]


class _Words(QTextDocument):
    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Nothing is loaded, wherever it is."""
        return None


def words(text: str, width: float = WIDTH, *, size: float = 13.5, bold: bool = False, markdown: bool = False) -> Box:
    """A text in as many lines as it needs, plain or as Markdown, which loads nothing."""
    document = _Words()
    document.setDocumentMargin(0.0)
    font = QFont(QGuiApplication.font())
    font.setPixelSize(round(size))
    font.setBold(bold)
    document.setDefaultFont(font)
    if markdown:
        document.setMarkdown(text, MARKDOWN)
    else:
        document.setPlainText(text)
    document.setTextWidth(width)

    def paint(painter: QPainter) -> None:
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette = palette(PRINTED)
        document.documentLayout().draw(painter, context)

    return Box(document.size().height(), paint)


def heading(text: str) -> Box:
    """A heading."""
    return words(text, size=17, bold=True)


def picture(sheet: Sheet, width: float, height: float) -> Box:
    """A drawing, as large as fits into this room."""
    scale = min(width / sheet.size.width(), height / sheet.size.height())

    def paint(painter: QPainter) -> None:
        painter.scale(scale, scale)
        sheet.paint(painter)

    return Box(sheet.size.height() * scale, paint)


def widget(part: QWidget, size: QSize) -> Box:
    """A widget that is never on the screen, in this size."""
    part.resize(size)

    def paint(painter: QPainter) -> None:
        part.render(painter, QPoint(), renderFlags=QWidget.RenderFlag.DrawChildren)

    return Box(size.height(), paint)


def rules(count: int, width: float = WIDTH) -> Box:
    """Lines to write on."""

    def paint(painter: QPainter) -> None:
        painter.setPen(QPen(PRINTED.color("board_line"), 0.7))
        for number in range(1, count + 1):
            painter.drawLine(0, round(number * _RULE), round(width), round(number * _RULE))

    return Box(count * _RULE + 4, paint)


def stacked(boxes: Sequence[Box]) -> Box:
    """Boxes below each other that stay on one page."""

    def paint(painter: QPainter) -> None:
        for each in boxes:
            _painted(painter, each)
            painter.translate(0, each.height + _GAP)

    return Box(sum(each.height for each in boxes) + _GAP * max(0, len(boxes) - 1), paint)


def beside(first: Box, left: float, second: Box) -> Box:
    """Two boxes side by side; the second begins so far from the left."""

    def paint(painter: QPainter) -> None:
        _painted(painter, first)
        painter.translate(left, 0)
        second.paint(painter)

    return Box(max(first.height, second.height), paint)


def _painted(painter: QPainter, box: Box) -> None:
    painter.save()
    box.paint(painter)
    painter.restore()


def fits(boxes: Sequence[Box]) -> bool:
    """Whether a page holds these boxes together."""
    return stacked(boxes).height <= _HEIGHT


def pages_of(boxes: Sequence[Box]) -> Iterator[list[Box]]:
    """The boxes of each page. One that is higher than a page has one of its own, and is made smaller there."""
    page, used = list[Box](), 0.0
    for box in boxes:
        if page and used + box.height > _HEIGHT:
            yield page
            page, used = [], 0.0
        page.append(box)
        used += box.height + _GAP
    if page:
        yield page


def pdf(title: str, content: Callable[[], Sequence[Box]]) -> bytes:
    """The boxes as a PDF of A4 pages with the title and the page below; all is drawn in the colours of print."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_DOTS)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF())
    writer.setTitle(title)
    writer.setCreator(f"Made {made_here().words}")
    with printed():
        pages = list(pages_of(content()))
        with QPainter(writer) as painter:
            for number, page in enumerate(pages, 1):
                if number > 1:
                    writer.newPage()
                _paint_page(painter, page, f"{title} · page {number} of {len(pages)}")
    return bytes(buffer.data().data())


def _paint_page(painter: QPainter, page: Sequence[Box], foot: str) -> None:
    painter.save()
    painter.translate(_MARGIN, _MARGIN)
    painter.save()
    for box in page:
        painter.save()
        if box.height > _HEIGHT:
            painter.scale(_HEIGHT / box.height, _HEIGHT / box.height)
        box.paint(painter)
        painter.restore()
        painter.translate(0, box.height + _GAP)
    painter.restore()
    font = QFont(QGuiApplication.font())
    font.setPixelSize(11)
    painter.setFont(font)
    painter.setPen(PRINTED.color("muted"))
    place = QRectF(0, _HEIGHT, WIDTH, _FOOT)
    painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, foot)
    painter.restore()
