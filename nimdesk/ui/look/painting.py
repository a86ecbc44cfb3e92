"""What the window paints with: fonts, labels, numbers, rings, the marks X and O, icons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from PySide6.QtCore import QByteArray, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontInfo,
    QFontMetricsF,
    QIcon,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPolygonF,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

from nimdesk.disk.paths import resources_dir
from nimdesk.games import Side
from nimdesk.ui.look.theme import LOOK, Theme

_FAINT = 0.6
"""How much of an icon is seen where it is disabled; the colour of borders was lost on the buttons of a dark theme."""
_ICON_SIZES = (20, 40)  # for the usual screen, and for one of twice the density


def faded(color: QColor, alpha: float) -> QColor:
    """The colour with this opacity, 0 to 1."""
    made = QColor(color)
    made.setAlphaF(alpha)
    return made


def mixed(color: QColor, other: QColor, part: float) -> QColor:
    """The colour with this part of the other one mixed in."""
    return QColor.fromRgbF(
        color.redF() + (other.redF() - color.redF()) * part,
        color.greenF() + (other.greenF() - color.greenF()) * part,
        color.blueF() + (other.blueF() - color.blueF()) * part,
    )


def ink_on(color: QColor) -> QColor:
    """Black or white, whichever is read better on this colour: contrast by WCAG 2.2 is 4.5 at least."""

    def part(value: float) -> float:
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    luminance = 0.2126 * part(color.redF()) + 0.7152 * part(color.greenF()) + 0.0722 * part(color.blueF())
    return QColor("#141414" if luminance > 0.18 else "#ffffff")


def side_color(theme: Theme, side: Side) -> QColor:
    """The colour of a player."""
    return theme.color("first" if side == Side.FIRST else "second")


def font_px(widget: QWidget) -> float:
    """The size of the widget's font in pixels."""
    return float(QFontInfo(widget.font()).pixelSize())


def sized(font: QFont, pixels: float, *, bold: bool = False) -> QFont:
    """The font in this size, never below what can be read."""
    made = QFont(font)
    made.setPixelSize(max(8, round(pixels)))
    made.setBold(bold)
    return made


def text_width(font: QFont, text: str) -> float:
    """How wide the text is in this font."""
    return QFontMetricsF(font).horizontalAdvance(text)


def draw_chip(painter: QPainter, rect: QRectF, text: str, fill: QColor, ink: QColor, *, outlined: bool = False) -> None:
    """A small filled label with the painter's font."""
    radius = min(rect.height() / 2, 7.0)
    painter.setPen(QPen(ink, 1.2) if outlined else Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    painter.drawRoundedRect(rect, radius, radius)
    painter.setPen(ink)
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


def draw_centered(painter: QPainter, texts: Iterable[tuple[str, QRectF]], *, where_they_fit: bool = False) -> None:
    """Many short texts, each in the middle of its rectangle; three times as fast as aligning them one by one."""
    metrics = QFontMetricsF(painter.font())
    rise = metrics.ascent() - metrics.height() / 2
    widths: dict[str, float] = {}
    for text, rect in texts:
        if text not in widths:
            widths[text] = metrics.horizontalAdvance(text)
        if where_they_fit and widths[text] > rect.width():
            continue
        painter.drawText(rect.center() + QPointF(-widths[text] / 2, rise), text)


def draw_leader(painter: QPainter, rect: QRectF, text: str) -> None:
    """The overlay's number of the leader as a chip, or a small mark where the number does not fit."""
    theme = LOOK.theme
    ink = theme.color("text")
    if text and painter.fontMetrics().horizontalAdvance(text) <= rect.width():
        draw_chip(painter, rect, text, ink, theme.color("board"))
    else:
        tip = QPointF(rect.center().x(), rect.top())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        painter.drawPolygon(QPolygonF([tip, tip + QPointF(-3.5, 5), tip + QPointF(3.5, 5)]))


def draw_ring(painter: QPainter, rect: QRectF, color: QColor, width: float, *, dashed: bool = False) -> None:
    """A rounded outline around something."""
    pen = QPen(color, width)
    if dashed:
        pen.setDashPattern([3.0, 2.0])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    radius = min(8.0, rect.width() / 3, rect.height() / 3)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect, radius, radius)


def draw_focus(painter: QPainter, widget: QWidget) -> None:
    """Draw the ring that says that keys go to this widget."""
    draw_ring(painter, QRectF(widget.rect()).adjusted(2, 2, -2, -2), LOOK.theme.color("accent"), 2.0)


def draw_mark(painter: QPainter, side: Side, center: QPointF, cell: float, color: QColor) -> None:
    """An X for the first player, an O for the second, in a cell of this size."""
    reach = cell * 0.29
    pen = QPen(color, max(1.6, cell * 0.105))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if side == Side.FIRST:
        reach *= 0.92
        # One path, so that a translucent X is not darker where its strokes cross.
        cross = QPainterPath(center + QPointF(-reach, -reach))
        cross.lineTo(center + QPointF(reach, reach))
        cross.moveTo(center + QPointF(-reach, reach))
        cross.lineTo(center + QPointF(reach, -reach))
        painter.drawPath(cross)
    else:
        painter.drawEllipse(center, reach, reach)


def draw_plies(painter: QPainter, plies: Sequence[tuple[Side, QPointF]], radius: float) -> None:
    """A line of play: discs in the colours of the sides, with the numbers of the plies from 1 on."""
    # First all discs, then all numbers: changing font and pen for each would take most of the time, and a game that is
    # played out has hundreds.
    theme = LOOK.theme
    painter.setPen(QPen(theme.color("board"), 1.5))
    for player in Side:
        painter.setBrush(side_color(theme, player))
        for side, center in plies:
            if side is player:
                painter.drawEllipse(center, radius, radius)
    painter.setPen(theme.color("board"))
    painter.setFont(sized(painter.font(), radius * 1.15, bold=True))
    for number, (_, center) in enumerate(plies, 1):
        place = QRectF(center.x() - 2 * radius, center.y() - radius, 4 * radius, 2 * radius)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, str(number))


def draw_corners(painter: QPainter, cell: QRectF, color: QColor) -> None:
    """Four corners that frame a cell: the last move."""
    width = max(1.5, min(3.0, cell.width() * 0.035))
    inset, arm = width / 2 + 1.5, cell.width() * 0.2
    frame = cell.adjusted(inset + 0.5, inset + 0.5, -inset + 0.5, -inset + 0.5)
    painter.setPen(QPen(color, width))
    for corner, right, down in (
        (frame.topLeft(), arm, arm),
        (frame.topRight(), -arm, arm),
        (frame.bottomLeft(), arm, -arm),
        (frame.bottomRight(), -arm, -arm),
    ):
        painter.drawPolyline([corner + QPointF(right, 0), corner, corner + QPointF(0, down)])


# Icons: SVG files drawn in ``currentColor``


@lru_cache(maxsize=64)
def icon(name: str, theme: Theme) -> QIcon:
    """The icon ``resources/icons/<name>.svg`` in the theme's text colour, muted and faint where disabled."""
    return _drawn(name, {QIcon.Mode.Normal: theme.text, QIcon.Mode.Disabled: theme.muted})


def icon_now(name: str, theme: Theme, *, enabled: bool) -> QIcon:
    """The icon of ``icon``, drawn in half the time, for an action that stays as ``enabled`` says."""
    if enabled:
        return _drawn(name, {QIcon.Mode.Normal: theme.text})
    return _drawn(name, {QIcon.Mode.Disabled: theme.muted})


def _drawn(name: str, colors: dict[QIcon.Mode, str]) -> QIcon:
    made = QIcon()
    source = (resources_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    for mode, color in colors.items():
        renderer = QSvgRenderer(QByteArray(source.replace("currentColor", color).encode()))
        for size in _ICON_SIZES:
            pixmap = QPixmap(size, size)
            pixmap.fill(Qt.GlobalColor.transparent)
            with QPainter(pixmap) as painter:
                if mode is QIcon.Mode.Disabled:
                    painter.setOpacity(_FAINT)
                renderer.render(painter, QRectF(0, 0, size, size))
            made.addPixmap(pixmap, mode)
    return made


def app_icon() -> QIcon:
    """The program's own icon."""
    return QIcon(str(resources_dir() / "icons" / "nimdesk.svg"))
