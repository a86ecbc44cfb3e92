"""Where the rows of a take-away game stand on a board of any shape, and the lanes under them."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont

from nimdesk.games.take.rules import TakeGame
from nimdesk.ui.boards.take.rows import Rows, Spot, first_rows, lanes_of, rule_of
from nimdesk.ui.look.painting import sized, text_width

_MARGIN, _BESIDE = 14.0, 12.0
_HIGHEST, _LOWEST, _FLAT = 96.0, 16.0, 4.0
_CUT = 0.6
"""The room for a cut that takes nothing, in slots."""
_GAP = 4.0


class TakePlaces(msgspec.Struct, frozen=True):
    """A row has things ``pitch`` wide and ``thing_h`` high, or less where they are not ``upright``; above is room for
    a line of words, ``words_h`` high. A lane has a sign, a bar and a number over each other.

    ``sign_h``, ``bar_h`` and ``number_h`` are 0 where there is no room for them. ``tops`` are those of the rows.
    """

    rows: Rows
    upright: tuple[bool, ...]
    left: float
    lefts: tuple[tuple[float, ...], ...]
    pitch: float
    thing_h: float
    tops: tuple[float, ...]
    words_h: float
    sign_h: float
    bar_h: float
    number_h: float
    label_px: float
    label_w: float
    bottom: float

    @property
    def lane_h(self) -> float:
        """The height of a lane."""
        return self.sign_h + self.bar_h + self.number_h

    @property
    def lift(self) -> float:
        """How far a thing that would be taken is lifted."""
        return max(2.0, self.thing_h * 0.1)

    def x(self, row: int, slot: int) -> float:
        """The left side of this slot, beyond the cuts before it."""
        return self.lefts[row][slot]

    def thing(self, row: int, slot: int) -> QRectF:
        """Where the thing in this slot stands, at the foot of its row."""
        height = self.thing_h if self.upright[row] else min(self.thing_h, self.pitch)
        return QRectF(self.x(row, slot), self.tops[row] + self.thing_h - height, self.pitch, height)

    def span(self, span: tuple[int, int, int]) -> QRectF:
        """Where the things of a span stand; of a cut, the gap between two."""
        row, first, count = span
        if count:
            return self.thing(row, first).united(self.thing(row, first + count - 1))
        place = self.thing(row, first)
        return QRectF(place.left() - self.pitch * 0.25, place.top(), self.pitch * 0.5, place.height())

    def taken(self, spot: Spot) -> list[QRectF]:
        """What the spot takes, for each of its rows."""
        return [self.span(span) for span in spot.spans]

    def lane_top(self, lane: tuple[int, int]) -> float:
        """The upper side of a lane."""
        return self.tops[lane[0]] + self.thing_h + 3 + lane[1] * self.lane_h

    def cell(self, spot: Spot) -> QRectF:
        """The place in the lane that stands for the spot."""
        row, first, _ = spot.spans[0]
        center = (self.thing(row, first) if spot.to_end else self.taken(spot)[0]).center().x()
        return QRectF(center - self.pitch / 2, self.lane_top(spot.lane), self.pitch, self.lane_h)

    def sign_point(self, cell: QRectF) -> QPointF:
        """The middle of the sign in this place of a lane."""
        return QPointF(cell.center().x(), cell.top() + self.sign_h / 2)


def lay_out(game: TakeGame, rows: Rows, area: QRectF, font: QFont, label_px: float, *, bare: bool) -> TakePlaces:
    """All rows under each other; ``bare`` for rows alone, without lanes and words."""
    area = area.adjusted(_MARGIN, 0, -_MARGIN, 0) if not bare else area.adjusted(4, 2, -4, -2)
    starts, bold = first_rows(game), sized(font, label_px, bold=True)
    sizes = [pieces[0][1] for pieces in starts]
    upright = tuple(rule_of(game, row).splits for row in range(len(sizes)))
    lanes = [0 if bare else len(lanes_of(game, row)) for row in range(len(sizes))]
    words = ["take 2", *("+".join("9" * (3 if pins else 1)) for pins in upright)]
    label_w = 0.0 if bare else max(text_width(bold, each) for each in words) + _BESIDE
    cuts = any(not rule_of(game, row).pairs and rule_of(game, row).digits[0] for row in range(len(sizes)))
    widest = max(sizes) + (_CUT * (max(sizes) - 1) if cuts else 0.0)
    words_h = 0.0 if bare else label_px * 2.3
    if (words_h + _LOWEST) * len(sizes) > area.height() * 0.6:
        words_h = 0.0
    free = area.height() - (_LOWEST + words_h + _GAP) * len(sizes)
    heights = (fit for fit in _lane_heights(label_px) if sum(fit) * sum(lanes) <= free * 0.75)
    least = max(2.0, (area.height() - (_FLAT + _GAP) * len(sizes)) / max(1, sum(lanes)))
    sign_h, bar_h, number_h = next(heights, (min(9.0, least), 0.0, 0.0))
    lane_h = sign_h + bar_h + number_h
    pitch = (area.width() - label_w) / widest
    each_h = (area.height() - lane_h * sum(lanes)) / len(sizes) - words_h - _GAP
    thing_h = max(_FLAT, min(each_h, _HIGHEST if not bare else each_h, pitch * (2.2 if any(upright) else 1.0)))
    pitch = min(pitch, max(thing_h * (0.62 if any(upright) else 1.1), 22.0 if not bare else 0.0))
    needed = len(sizes) * (words_h + thing_h + _GAP) + lane_h * sum(lanes)
    spare = max(0.0, area.height() - needed)
    between = min(spare / (len(sizes) + 1), thing_h * 0.5)
    top = area.top() + (spare - between * (len(sizes) - 1)) / 2
    left = area.left() + label_w + max(0.0, (area.width() - label_w - widest * pitch) / 2)
    tops = []
    for count in lanes:
        tops.append(top + words_h)
        top += words_h + thing_h + _GAP + count * lane_h + between
    bottom = top - between
    lefts = tuple(_lefts(pieces, heap, left, pitch) for pieces, heap in zip(rows, sizes, strict=True))
    return TakePlaces(
        rows,
        upright,
        left,
        lefts,
        pitch,
        thing_h,
        tuple(tops),
        words_h,
        sign_h,
        bar_h,
        number_h,
        label_px,
        label_w,
        bottom,
    )


def _lefts(pieces: tuple[tuple[int, int], ...], heap: int, left: float, pitch: float) -> tuple[float, ...]:
    """The left side of each slot of a row, and the right end of the last."""
    ends, found, cuts = {start + size for start, size in pieces}, [], 0
    starts = {start for start, _ in pieces}
    for slot in range(heap + 1):
        cuts += slot in starts and slot in ends
        found.append(left + (slot + cuts * _CUT) * pitch)
    return tuple(found)


def _lane_heights(px: float) -> list[tuple[float, float, float]]:
    """Of sign, bar and number, the roomiest first."""
    return [(px * 1.35, px * 0.9, px * 1.2), (px * 1.2, px * 0.5, px * 1.1), (px * 1.1, 6.0, 0.0), (9.0, 4.0, 0.0)]
