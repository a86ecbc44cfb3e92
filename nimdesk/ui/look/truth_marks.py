"""The marks of what is proven: a filled badge wins, a ringed one draws, a bare cross loses, a question mark is open.

Shape and weight tell them apart before colour does. They are drawn as lines, not as letters, so that they look alike
whatever fonts there are.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen, QPixmap

from nimdesk.games.truth import Value
from nimdesk.ui.look.painting import faded, sized, text_width
from nimdesk.ui.look.theme import Theme

_ROLES = {Value.WIN: "win", Value.DRAW: "draw", Value.LOSS: "loss", Value.UNKNOWN: "muted"}
_STROKES: dict[Value, tuple[tuple[tuple[float, float], ...], ...]] = {
    Value.WIN: (((0.12, 0.55), (0.39, 0.83), (0.88, 0.2)),),
    Value.DRAW: (((0.15, 0.35), (0.85, 0.35)), ((0.15, 0.67), (0.85, 0.67))),
    Value.LOSS: (((0.16, 0.16), (0.84, 0.84)), ((0.16, 0.84), (0.84, 0.16))),
}


class MarkArt:
    """Pictures of marks and tags, each painted once for a size, a look and a resolution."""

    def __init__(self) -> None:
        """Without pictures yet."""
        self._pictures: dict[tuple[object, ...], QPixmap] = {}

    def draw_mark(
        self, painter: QPainter, theme: Theme, value: Value, center: QPointF, size: float, *, bare: bool = False
    ) -> None:
        """The mark alone, this wide and high; ``bare`` for a cross of the board's colour on something dark."""
        ratio = painter.device().devicePixelRatioF()
        side = round(size * ratio) / ratio
        key = (theme.name, value, side, bare, ratio)
        picture = self._pictures.get(key)
        if picture is None:
            picture = _blank(side + 2, side + 2, ratio)
            own = _painter_on(picture)
            _paint_mark(own, theme, value, QRectF(1, 1, side, side), bare=bare)
            own.end()
            self._keep(key, picture)
        _put(painter, picture, center, side + 2, side + 2, ratio)

    def draw_tag(
        self, painter: QPainter, theme: Theme, value: Value, text: str, font: QFont, middle: QPointF, height: float
    ) -> None:
        """The mark and its words side by side, as wide as ``tag_width``."""
        ratio = painter.device().devicePixelRatioF()
        width = tag_width(font, text, height)
        key = (theme.name, value, text, width, height, font.key(), ratio)
        picture = self._pictures.get(key)
        if picture is None:
            picture = _blank(width + 2, height + 2, ratio)
            own = _painter_on(picture)
            _paint_tag(own, theme, value, text, font, QRectF(1, 1, width, height))
            own.end()
            self._keep(key, picture)
        _put(painter, picture, middle, width + 2, height + 2, ratio)

    def _keep(self, key: tuple[object, ...], picture: QPixmap) -> None:
        if len(self._pictures) > 500:
            self._pictures.clear()
        self._pictures[key] = picture


class ExactMarkArt(MarkArt):
    """The same marks painted anew each time, for pictures that are enlarged or made of lines."""

    def draw_mark(
        self, painter: QPainter, theme: Theme, value: Value, center: QPointF, size: float, *, bare: bool = False
    ) -> None:
        painter.save()
        _paint_mark(painter, theme, value, QRectF(center.x() - size / 2, center.y() - size / 2, size, size), bare=bare)
        painter.restore()

    def draw_tag(
        self, painter: QPainter, theme: Theme, value: Value, text: str, font: QFont, middle: QPointF, height: float
    ) -> None:
        width = tag_width(font, text, height)
        painter.save()
        rect = QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height)
        _paint_tag(painter, theme, value, text, font, rect)
        painter.restore()


def tag_width(font: QFont, text: str, height: float) -> float:
    """How wide a tag with this text is."""
    words = text_width(sized(font, font.pixelSize(), bold=True), text) + height * 0.2 if text else 0.0
    return float(round(height * 1.15 + words))


def _blank(width: float, height: float, ratio: float) -> QPixmap:
    picture = QPixmap(max(1, round(width * ratio)), max(1, round(height * ratio)))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    return picture


def _painter_on(picture: QPixmap) -> QPainter:
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    return painter


def _put(painter: QPainter, picture: QPixmap, middle: QPointF, width: float, height: float, ratio: float) -> None:
    left, top = (middle.x() - width / 2) * ratio, (middle.y() - height / 2) * ratio
    painter.drawPixmap(QPointF(round(left) / ratio, round(top) / ratio), picture)


def _paint_mark(painter: QPainter, theme: Theme, value: Value, rect: QRectF, *, bare: bool) -> None:
    color, ground = theme.color(_ROLES[value]), theme.color("board")
    if value is Value.WIN:
        painter.setPen(QPen(ground, max(1.0, rect.width() * 0.06)))
        painter.setBrush(color)
        painter.drawEllipse(rect)
        paint_sign(painter, value, _inner(rect, 0.25), ground, max(1.2, rect.width() * 0.14))
    elif value is Value.DRAW:
        painter.setPen(QPen(color, max(1.0, rect.width() * 0.09)))
        painter.setBrush(ground)
        painter.drawEllipse(_inner(rect, 0.04))
        paint_sign(painter, value, _inner(rect, 0.25), color, max(1.2, rect.width() * 0.12))
    elif bare:
        paint_sign(painter, value, _inner(rect, 0.1), faded(QColor("#ffffff"), 0.85), max(1.0, rect.width() * 0.16))
    elif value is Value.UNKNOWN:
        # Light: where little is proven there are hundreds of them.
        paint_sign(painter, value, _inner(rect, 0.18), faded(color, 0.75), 1.0)
    else:
        inner = _inner(rect, 0.14)
        width = max(1.2, rect.width() * 0.13)
        paint_sign(painter, value, inner, faded(ground, 0.8), width + 2)
        paint_sign(painter, value, inner, color, width)


def _paint_tag(painter: QPainter, theme: Theme, value: Value, text: str, font: QFont, rect: QRectF) -> None:
    color, ground = theme.color(_ROLES[value]), theme.color("board")
    ink, fill = (ground, color) if value is Value.WIN else (color, faded(ground, 0.85))
    radius = rect.height() * 0.35
    painter.setPen(QPen(color, 1.0) if value in (Value.WIN, Value.DRAW) else Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    side = rect.height() * 0.5
    center = rect.center() if not text else QPointF(rect.left() + rect.height() * 0.6, rect.center().y())
    sign = QRectF(center.x() - side / 2, center.y() - side / 2, side, side)
    paint_sign(painter, value, sign, ink, max(1.2, rect.height() * 0.11))
    if text:
        painter.setPen(ink)
        painter.setFont(sized(font, font.pixelSize(), bold=value is Value.WIN))
        place = rect.adjusted(rect.height(), 0, -rect.height() * 0.1, 0)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


def paint_sign(painter: QPainter, value: Value, rect: QRectF, color: QColor, width: float) -> None:
    """The bare sign of a value: check mark, equals sign, cross or question mark."""
    if value is Value.UNKNOWN:
        painter.setPen(color)
        painter.setFont(sized(painter.font(), rect.height() * 1.35, bold=True))
        painter.drawText(rect.adjusted(-4, -4, 4, 4), Qt.AlignmentFlag.AlignCenter, "?")
        return
    path = QPainterPath()
    for stroke in _STROKES[value]:
        for index, (x, y) in enumerate(stroke):
            place = QPointF(rect.left() + x * rect.width(), rect.top() + y * rect.height())
            if index:
                path.lineTo(place)
            else:
                path.moveTo(place)
    pen = QPen(color, width)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)


def _inner(rect: QRectF, part: float) -> QRectF:
    inset = rect.width() * part
    return rect.adjusted(inset, inset, -inset, -inset)
