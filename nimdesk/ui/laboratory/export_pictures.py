"""Pictures to take away: a plot, the board, or both, under a caption that says what was searched; PNG or SVG."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass

from PySide6.QtCore import QBuffer, QEvent, QIODevice, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetrics, QImage, QPainter, QRegion
from PySide6.QtWidgets import QApplication, QWidget

from nimdesk.ui.boards import BoardView
from nimdesk.ui.boards.exact import inked_part, painted_exactly, twin_of
from nimdesk.ui.laboratory.export_svg import portable
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.plots.canvas import PlotCanvas, drawn_exactly, with_x_axis

SCALE = 2.0
"""A PNG has twice the pixels of the screen, so that it can be printed."""
_MARGIN, _GAP = 12, 8


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
    title: str, lines: list[str], parts: list[tuple[QWidget, QPoint]], theme: Theme, cuts: Mapping[QWidget, QRect] = {}
) -> Sheet:
    """A caption (title, then lines) over widgets, each at its place below the caption; ``cuts``: this part of them."""
    base = QApplication.font()
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


def board_sheet(board: BoardView, theme: Theme) -> Sheet:
    """What lies on the board and what is written on it, without the empty space around."""
    twin = twin_of(board)
    cut = inked_part(twin)

    def paint(painter: QPainter) -> None:
        _render(twin, painter, QPoint(), cut)

    return Sheet(cut.size(), theme.color("window"), paint, board.accessibleName())


def _render(part: QWidget, painter: QPainter, place: QPoint, cut: QRect | None = None) -> None:
    exactly: AbstractContextManager[None] = nullcontext()
    if isinstance(part, BoardView):
        # The mouse has gone on to a menu; what it pointed at must not stay in the picture.
        QApplication.sendEvent(part, QEvent(QEvent.Type.Leave))
        exactly = painted_exactly(part)
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
    return portable(bytes(buffer.data().data()).decode(), sheet.rooms, family).encode()


def file_of(sheet: Sheet, suffix: str) -> bytes:
    """The sheet as a file of this kind, ``.svg`` or ``.png``."""
    return svg_of(sheet) if suffix.lower() == ".svg" else png_of(image_of(sheet))
