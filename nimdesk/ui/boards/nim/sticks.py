"""Match-sticks: how one is painted, and where the piles of Nim stand on a board of any shape."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QLinearGradient, QPainter, QPen

from nimdesk.ui.look.painting import faded, mixed, sized, text_width
from nimdesk.ui.look.theme import LOOK

_MARGIN, _BESIDE = 14.0, 10.0
_UNGROUPED, _GROUP, _GROUP_GAP = 9, 5, 0.55
_SHORT = 0.6
"""The room of short words, as a part of that of long ones."""
_HIGHEST, _ROOMY_PITCH, _LEAST_NUMBER = 90.0, 20.0, 11.0


def paint_stick(painter: QPainter, look: str, place: QRectF) -> None:
    """A stick that stands upright in this place, head up.

    ``look`` is ``wood``, ``lit`` (would be taken), ``far`` (out of reach), ``slot`` (was taken), ``first`` or
    ``second`` (was taken by that player's last move).
    """
    painter.translate(place.topLeft())
    paint = _paint_wood if look in ("wood", "lit", "far") else _paint_slot
    paint(painter, look, place.width(), place.height())


def _paint_wood(painter: QPainter, look: str, width: float, height: float) -> None:
    theme = LOOK.theme
    wood, edge, tip = theme.color("wood"), theme.color("wood_edge"), theme.color("wood_tip")
    white, board = QColor("#ffffff"), theme.color("board")
    if look == "lit":
        wood, tip, edge = mixed(wood, white, 0.4), mixed(tip, white, 0.2), theme.color("accent")
    elif look == "far":
        wood, edge, tip = (mixed(color, board, 0.62) for color in (wood, edge, tip))
    line = theme.line * (1.0 if width >= 5 else 0.6)
    body_width = width * 0.68
    head = _head_h(width, height)
    body = QRectF((width - body_width) / 2, head * 0.45, body_width, height - head * 0.45 - line / 2)
    shade = QLinearGradient(body.topLeft(), body.topRight())
    shade.setColorAt(0.0, mixed(wood, white, 0.28))
    shade.setColorAt(0.45, wood)
    shade.setColorAt(1.0, mixed(wood, edge, 0.5))
    painter.setPen(QPen(edge, line))
    painter.setBrush(shade)
    painter.drawRoundedRect(body, body_width * 0.18, body_width * 0.18)
    bulb = QRectF(line / 2, line / 2, width - line, head - line)
    painter.setPen(QPen(mixed(tip, QColor("#000000"), 0.3 if look != "far" else 0.0), line))
    painter.setBrush(tip)
    painter.drawEllipse(bulb)
    if width >= 7:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(faded(white, 0.35))
        painter.drawEllipse(QRectF(width * 0.24, head * 0.16, width * 0.24, head * 0.28))


def _paint_slot(painter: QPainter, look: str, width: float, height: float) -> None:
    last = look != "slot"
    color = LOOK.theme.color(look if last else "muted")
    line = LOOK.theme.line * (1.0 if width < 8 else 1.3)
    pen = QPen(faded(color, 0.95 if last else 0.45), line)
    shape = QRectF(width * 0.16, width * 0.2, width * 0.68, height - width * 0.3)
    if width >= 5 and not last:
        pen.setDashPattern([2.5, 2.5])
    painter.setPen(pen)
    painter.setBrush(faded(color, 0.22 if last else 0.05))
    painter.drawRoundedRect(shape, width * 0.3, width * 0.3)


class StickLayout(msgspec.Struct, frozen=True):
    """Where the piles of Nim lie: a row of sticks each, the free end last, with its label at the left.

    A stick stands in a slot ``pitch`` wide, with room to lift, for the bar and for the number. ``number_h`` is 0 where
    slots are too narrow for numbers.
    """

    labels: tuple[QRectF, ...]
    slots: tuple[tuple[QRectF, ...], ...]
    pitch: float
    stick: QSizeF
    label_px: float
    number_h: float

    @property
    def lift(self) -> float:
        """How far a stick that would be taken is lifted."""
        return max(2.0, self.stick.height() * 0.08)

    @property
    def head_h(self) -> float:
        """The height of a stick's head."""
        return _head_h(self.stick.width(), self.stick.height())

    @property
    def bar_h(self) -> float:
        """The height of a full bar."""
        return _bar_h(self.stick.height())


def _head_h(width: float, height: float) -> float:
    return min(width * 1.45, height * 0.26)


def _bar_h(stick_h: float) -> float:
    return min(30.0, max(4.0, stick_h * 0.2))


def lay_out_sticks(
    piles: tuple[int, ...], area: QRectF, font: QFont, label_px: float, *, words: bool = True
) -> StickLayout:
    """One row a pile, centred under each other, as the game is usually drawn; ``words`` have room beside them."""
    area = area.adjusted(_MARGIN, 0, -_MARGIN, 0)
    # Sticks of larger piles stand in groups of five, so that they can be counted at a glance.
    gap = _GROUP_GAP if max(piles) > _UNGROUPED else 0.0
    widths = [size + gap * ((size - 1) // _GROUP) for size in piles]
    bold = sized(font, label_px, bold=True)
    label_w = text_width(bold, f"pile {len(piles)}") + _BESIDE if words else 0.0
    words_w = text_width(bold, f"take {max(piles)} from pile {len(piles)}") + 3 * _BESIDE if words else 0.0
    room = area.width() - label_w
    # Words at the free end have room of their own, but not at the cost of sticks that can be pointed at.
    words_w = words_w if (room - words_w) / max(widths) >= _ROOMY_PITCH else 0.0
    pitch = (room - words_w) / max(widths)
    line_h = area.height() / len(piles)
    number_h = max(_LEAST_NUMBER, min(label_px * 0.95, pitch / 2.3)) * 1.25 if pitch >= 19 and line_h > 50 else 0.0
    stick_h = max(3.0, min((line_h - number_h - 3) / 1.33, max(_HIGHEST, area.height() * 0.17), pitch * 9))
    pitch = min(pitch, max(stick_h * 0.58, 28.0))
    needed = stick_h * 1.1 + _bar_h(stick_h) + number_h + 3
    line_h = min(line_h, needed * 1.08)
    top = area.center().y() - line_h * len(piles) / 2
    half = max(widths) * pitch / 2
    # In the middle of the board, unless even short words at one side need the room.
    middle = max(min(area.center().x(), area.right() - _SHORT * words_w - half), area.left() + label_w + half)
    labels, slots = [], []
    for row, (size, width) in enumerate(zip(piles, widths, strict=True)):
        left, y = middle - width * pitch / 2, top + row * line_h
        labels.append(QRectF(left - label_w, y, label_w - _BESIDE, stick_h * 1.1))
        places = (left + (number + gap * (number // _GROUP)) * pitch for number in range(size))
        slots.append(tuple(QRectF(x, y, pitch, line_h) for x in places))
    stick = QSizeF(max(2.0, min(pitch * 0.56, stick_h / 6)), stick_h)
    return StickLayout(tuple(labels), tuple(slots), pitch, stick, label_px, number_h)
