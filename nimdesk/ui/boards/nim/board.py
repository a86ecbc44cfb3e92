"""Nim on screen: piles of match-sticks; a click takes a stick and all beyond it to the free end of its pile."""

from __future__ import annotations

import math
from typing import cast

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtWidgets import QWidget

from nimdesk.games import AnyPosition, Move, NimMove, NimPosition
from nimdesk.games.base import describe_move
from nimdesk.ui.boards.base import BoardView
from nimdesk.ui.boards.nim.art import PilesArt, limit_words, sticks_words
from nimdesk.ui.boards.nim.sticks import StickLayout, lay_out_sticks
from nimdesk.ui.boards.pointing import TypedNumber
from nimdesk.ui.look import painting

_ABOVE, _BELOW = 10, 2.1
"""The room above the piles in pixels, and that below them, for a line of words, in heights of the labels."""
_KEY = Qt.Key
_KEYS = (
    *(_KEY.Key_Up, _KEY.Key_Down, _KEY.Key_Left, _KEY.Key_Right),
    *(_KEY.Key_Home, _KEY.Key_End, _KEY.Key_Plus, _KEY.Key_Minus, _KEY.Key_Equal),
)


class TakeCursor:
    """A pile and how many of its sticks to take.

    Up and Down choose the pile, Left and + one stick more, Right and - one fewer, Home and End as many and as few as
    allowed, digits the number itself.
    """

    def __init__(self, position: NimPosition) -> None:
        """At the first stick of the first pile."""
        self._position = position
        self._number = TypedNumber()
        self._at = NimMove(0, 1)

    @property
    def move(self) -> NimMove | None:
        """The legal move here; None when no stick is left."""
        return self._at if self._position.piles[self._at.pile] else None

    def adapt(self, position: AnyPosition, *, in_use: bool) -> None:
        """Go to the nearest pile in this position that has sticks."""
        self._position = cast(NimPosition, position)
        self._number.clear()
        filled = self._filled()
        pile = next((pile for pile in filled if pile >= self._at.pile), filled[-1] if filled else 0)
        self._put(pile, self._at.take)

    def put(self, move: Move) -> None:
        """Stand on this legal move."""
        self._at = cast(NimMove, move)

    def wants(self, key: int, text: str) -> bool:
        """Whether ``press`` does something with this key."""
        return key in _KEYS or (len(text) == 1 and text in "0123456789+-")

    def press(self, key: int, text: str) -> None:
        """Move as the key says."""
        pile, take = self._at.pile, self._at.take
        if text.isdecimal():
            typed = self._number.add(text, self._position.largest_take(pile))
            if typed is not None:
                self._put(pile, typed)
            return
        self._number.clear()
        if key in (_KEY.Key_Up, _KEY.Key_Down):
            order = [each for each in self._filled() if (each > pile if key == _KEY.Key_Down else each < pile)]
            if order:
                self._put(order[0] if key == _KEY.Key_Down else order[-1], take)
        elif key in (_KEY.Key_Home, _KEY.Key_End):
            self._put(pile, self._position.largest_take(pile) if key == _KEY.Key_Home else 1)
        else:
            more = key in (_KEY.Key_Left, _KEY.Key_Plus, _KEY.Key_Equal)
            self._put(pile, take + (1 if more else -1))

    def _filled(self) -> list[int]:
        return [pile for pile, size in enumerate(self._position.piles) if size]

    def _put(self, pile: int, take: int) -> None:
        self._at = NimMove(pile, max(1, min(take, self._position.largest_take(pile))))


class NimBoard(BoardView):
    """A board for Nim; see ``BoardView`` for what it offers and ``TakeCursor`` for its keys; Enter or Space takes."""

    def __init__(self, position: NimPosition, parent: QWidget | None = None) -> None:
        super().__init__(position, TakeCursor(position), parent)
        self._art = PilesArt(self)
        self._laid_out: tuple[object, StickLayout] | None = None
        self._describe()

    @property
    def art(self) -> PilesArt:
        return self._art

    @property
    def nim(self) -> NimPosition:
        """The position shown."""
        return cast(NimPosition, self.position)

    # Where things are.

    def places(self) -> StickLayout:
        """Where the sticks and the words beside them stand now."""
        key = (self.nim.game.piles, self.width(), self.height(), self.font().key())
        if self._laid_out is None or self._laid_out[0] != key:
            self._laid_out = (key, self._lay_out(float(self.height())))
        return self._laid_out[1]

    def _lay_out(self, height: float) -> StickLayout:
        scale = max(0.85, min(1.4, self.width() / 700, height / 500))
        label_px = painting.font_px(self) * scale
        area = QRectF(0, _ABOVE, self.width(), height - _ABOVE - label_px * _BELOW)
        return lay_out_sticks(self.nim.game.piles, area, self.font(), label_px, words=not self.pictured)

    def stick_of(self, move: NimMove) -> QRectF:
        """The slot of the stick that a click takes for this move."""
        return self.places().slots[move.pile][self.nim.piles[move.pile] - move.take]

    def taken_rect(self, move: NimMove) -> QRectF:
        """Where the sticks stand that the move takes."""
        return self.stick_of(move).united(self.places().slots[move.pile][self.nim.piles[move.pile] - 1])

    def fitting_height(self) -> int:
        height = float(self.height())
        for _ in range(4):  # a lower board has smaller letters and sticks, and so it needs yet less
            layout = self._lay_out(height)
            rows = max(row[0].bottom() for row in layout.slots) - min(row[0].top() for row in layout.slots)
            height = min(height, math.ceil(rows + _ABOVE + layout.label_px * _BELOW))
        return round(height)

    def _move_at(self, point: QPointF) -> NimMove | None:
        layout, position = self.places(), self.nim
        for pile, size in enumerate(position.piles):
            slots = layout.slots[pile]
            for index in range(size - position.largest_take(pile), size):
                slot = slots[index]
                # The gaps between groups of sticks belong to the stick before them.
                right = slots[index + 1].left() if index + 1 < size else slot.right()
                if slot.left() <= point.x() < right and slot.top() <= point.y() < slot.bottom():
                    return NimMove(pile, size - index)
        return None

    def move_point(self, move: Move) -> QPointF:
        """The middle of the stick to click."""
        return self.stick_of(cast(NimMove, move)).center()

    # Words.

    def hover_words(self) -> str:
        return self._art.take_words(self._hovered)[0] if isinstance(self._hovered, NimMove) else ""

    def _cursor_words(self) -> str:
        move = cast(NimMove | None, self._cursor.move)
        if move is None:
            return "no stick is left"
        return f"{describe_move(move)}, leaving {self.nim.piles[move.pile] - move.take}{self._proven_words(move)}"

    def _board_words(self) -> str:
        piles = "; ".join(f"pile {number}: {sticks_words(size)}" for number, size in enumerate(self.nim.piles, 1))
        return f"{piles[0].upper()}{piles[1:]}. {limit_words(self.nim.game).capitalize()}."
