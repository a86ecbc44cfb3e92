"""Pins that fall and tokens that are taken, as they are painted."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPainterPath, QPen, QRadialGradient, QTransform

from nimdesk.ui.look.painting import faded, mixed
from nimdesk.ui.look.theme import LOOK

_WHITE, _BLACK = QColor("#ffffff"), QColor("#000000")


def paint_pin(painter: QPainter, look: str, place: QRectF) -> None:
    """A pin that stands upright in this place.

    ``look`` is ``wood``, ``lit`` (would be taken) or ``far`` (no move takes it).
    """
    wood, edge, tip, dark = _colors(look)
    width, height, line = place.width(), place.height(), 1.0 if place.width() >= 6 else 0.6
    painter.translate(place.topLeft())
    painter.translate(width / 2, 0)
    half, top, bottom = width / 2 - line, line, height - line
    tall = bottom - top
    path = QPainterPath(QPointF(0, top))
    head, neck, foot = half * 0.56, half * 0.38, half * 0.55
    path.cubicTo(QPointF(head * 1.3, top), QPointF(head * 1.3, top + tall * 0.17), QPointF(neck, top + tall * 0.29))
    path.cubicTo(
        QPointF(neck, top + tall * 0.4), QPointF(half * 1.15, top + tall * 0.5), QPointF(half, top + tall * 0.68)
    )
    path.cubicTo(QPointF(half * 0.92, top + tall * 0.85), QPointF(foot, top + tall * 0.93), QPointF(foot, bottom))
    path.lineTo(QPointF(-line / 4, bottom))
    path.lineTo(QPointF(-line / 4, top))
    path.closeSubpath()
    whole = path.united(QTransform.fromScale(-1, 1).map(path))
    shade = QLinearGradient(QPointF(-half, 0), QPointF(half, 0))
    shade.setColorAt(0.0, mixed(wood, _WHITE, 0.45))
    shade.setColorAt(0.45, mixed(wood, _WHITE, 0.2))
    shade.setColorAt(1.0, mixed(wood, dark, 0.4))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(shade)
    painter.drawPath(whole)
    painter.save()
    painter.setClipPath(whole)
    painter.setBrush(tip)
    painter.drawRect(QRectF(-half, top + tall * 0.25, width, max(1.0, tall * 0.045)))
    painter.drawRect(QRectF(-half, top + tall * 0.33, width, max(1.0, tall * 0.045)))
    painter.restore()
    painter.setPen(QPen(edge, line * (1.4 if look == "lit" else 1.0)))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(whole)


def paint_token(painter: QPainter, look: str, place: QRectF) -> None:
    """A round token in this place; ``look`` as for pins."""
    wood, edge, _, dark = _colors(look)
    line = LOOK.theme.line * (1.2 if place.width() >= 8 else 0.7)
    disc = place.adjusted(line, line, -line, -line)
    shade = QRadialGradient(disc.center() - QPointF(disc.width() * 0.18, disc.height() * 0.2), disc.width() * 0.75)
    shade.setColorAt(0.0, mixed(wood, _WHITE, 0.4))
    shade.setColorAt(1.0, mixed(wood, dark, 0.35))
    painter.setPen(QPen(edge, line * (1.5 if look == "lit" else 1.0)))
    painter.setBrush(shade)
    painter.drawEllipse(disc)
    if disc.width() >= 12:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(faded(mixed(edge, _BLACK, 0.1), 0.35), line))
        inset = disc.width() * 0.17
        painter.drawEllipse(disc.adjusted(inset, inset, -inset, -inset))


def _colors(look: str) -> tuple[QColor, QColor, QColor, QColor]:
    """Of the body, its edge, its band and its shade."""
    theme = LOOK.theme
    wood, edge, tip, board = (theme.color(name) for name in ("wood", "wood_edge", "wood_tip", "board"))
    if look == "lit":
        return mixed(wood, _WHITE, 0.4), theme.color("accent"), mixed(tip, _WHITE, 0.2), wood
    if look == "far":
        wood, edge, tip = (mixed(color, board, 0.62) for color in (wood, edge, tip))
    return wood, edge, tip, edge
