"""Match-sticks: how one is painted, and where the piles of Nim stand on a board of any shape."""

from __future__ import annotations

import math
from itertools import product

import msgspec
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QLinearGradient, QPainter, QPen

from nimdesk.ui.look.painting import faded, mixed, sized, text_width
from nimdesk.ui.look.theme import LOOK

_MARGIN = 14.0
_GROUP = 5
_GROUP_GAP = 0.55


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
    line = 1.0 if width >= 5 else 0.6
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
    line = 1.0 if width < 8 else 1.3
    pen = QPen(faded(color, 0.95 if last else 0.45), line)
    shape = QRectF(width * 0.16, width * 0.2, width * 0.68, height - width * 0.3)
    if width >= 5 and not last:
        pen.setDashPattern([2.5, 2.5])
    painter.setPen(pen)
    painter.setBrush(faded(color, 0.22 if last else 0.05))
    painter.drawRoundedRect(shape, width * 0.3, width * 0.3)


class StickLayout(msgspec.Struct, frozen=True):
    """Where the piles of Nim lie: sticks side by side in lines of ``per_line``, the free end last.

    A stick stands in a slot ``pitch`` wide and ``line_h`` high, with room to lift, for the bar and for the number.
    ``number_h`` is 0 where slots are too narrow for numbers.
    """

    labels: tuple[QRectF, ...]
    slots: tuple[tuple[QRectF, ...], ...]
    per_line: int
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


def _units(sticks: int, grouped: bool) -> float:
    """The width of a line of sticks, in pitches."""
    return sticks + (_GROUP_GAP * ((sticks - 1) // _GROUP) if grouped else 0.0)


def lay_out_sticks(piles: tuple[int, ...], area: QRectF, font: QFont, label_px: float) -> StickLayout:
    """The arrangement with the largest sticks, given that people read one pile a row most easily."""
    area = area.adjusted(_MARGIN, 0, -_MARGIN, 0)
    longest = max(piles)
    grouped = longest > 9
    widths = [longest, *range((longest - 1) // _GROUP * _GROUP, 9, -_GROUP)] if grouped else [longest]
    words = (f"Pile {len(piles)} · {longest} sticks", f"take {longest} from pile {len(piles)}  ")
    label_w = max(text_width(sized(font, label_px, bold=True), text) for text in words)
    label = QSizeF(label_w + label_px, label_px * 1.6)
    best: tuple[float, StickLayout] | None = None
    for columns, per_line, beside in product(range(1, len(piles) + 1), widths, (True, False)):
        tried = _try_sticks(piles, area, columns, per_line, label, beside, label_px)
        if tried is not None and (best is None or tried[0] > best[0]):
            best = tried
    if best is None:
        raise AssertionError("one pile a row, labels above, can always be tried")
    return best[1]


def _try_sticks(
    piles: tuple[int, ...], area: QRectF, columns: int, per_line: int, label: QSizeF, beside: bool, label_px: float
) -> tuple[float, StickLayout] | None:
    """One arrangement and how good it is; None when the labels leave no room."""
    grouped = max(piles) > 9
    gap_x, gap_y = (24.0 if columns > 1 else 0.0), min(14.0, area.height() * 0.012)
    cell_w = (area.width() - (columns - 1) * gap_x) / columns
    head_w, head_h = (label.width(), 0.0) if beside else (0.0, label.height())
    rows = [piles[i : i + columns] for i in range(0, len(piles), columns)]
    lines = [math.ceil(max(row) / per_line) for row in rows]
    room_w = cell_w - head_w
    room_h = area.height() - len(rows) * head_h - (len(rows) - 1) * gap_y
    if cell_w < label.width() or room_w < 30:
        return None
    pitch = room_w / _units(per_line, grouped)
    line_h = max(6.0, room_h / sum(lines))
    number_h = max(8.0, min(label_px * 0.95, pitch / 2.3)) * 1.25 if pitch >= 17 and line_h > 44 else 0.0
    stick_h = (line_h - number_h - 3) / 1.31
    if stick_h < 16:
        stick_h = line_h - number_h - 9
    stick_h = max(3.0, min(stick_h, 230.0, pitch * 9))
    pitch = min(pitch, max(stick_h * 0.52, 26.0))
    goodness = min(stick_h, 6.5 * pitch, 150.0) * (0.42 if columns > 1 else 1.0) * 0.92 ** (max(lines) - 1)
    needed = stick_h * 1.1 + _bar_h(stick_h) + number_h + 3
    goodness *= 0.9 if beside and len(piles) == 1 else 1.0
    line_h = min(line_h, needed * 1.12)
    width = max(2.0, min(pitch * 0.56, stick_h / 6))
    block_w = head_w + max(_units(min(per_line, max(piles)), grouped) * pitch, 0.0 if beside else label.width())
    block_h = sum(lines) * line_h + len(rows) * head_h + (len(rows) - 1) * gap_y
    labels, slots = [], []
    top = area.top() + max(0.0, (area.height() - block_h) / 2)
    # Centred, but with room for words at the free end where there is any.
    spare = max(0.0, min((cell_w - block_w) / 2, cell_w - block_w - label.width() * 1.12 if beside else cell_w))
    for row, count in zip(rows, lines, strict=True):
        for column, size in enumerate(row):
            left = area.left() + column * (cell_w + gap_x) + spare
            # Small piles are centred under each other, the way the game is usually drawn.
            inset = 0.0 if grouped else (max(piles) - size) * pitch / 2
            middle_h = stick_h * 1.1 + (count - 1) * line_h
            labels.append(QRectF(left, top, head_w or block_w, head_h or middle_h))
            corner = QPointF(left + head_w + inset, top + head_h)
            slots.append(_slots(size, per_line, corner, QSizeF(pitch, line_h), grouped))
        top += head_h + count * line_h + gap_y
    stick = QSizeF(width, stick_h)
    return goodness, StickLayout(tuple(labels), tuple(slots), per_line, pitch, stick, label_px, number_h)


def _slots(size: int, per_line: int, corner: QPointF, slot: QSizeF, grouped: bool) -> tuple[QRectF, ...]:
    places = (divmod(index, per_line) for index in range(size))
    return tuple(
        QRectF(corner + QPointF((_units(place + 1, grouped) - 1) * slot.width(), line * slot.height()), slot)
        for line, place in places
    )
