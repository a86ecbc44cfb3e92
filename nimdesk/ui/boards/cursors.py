"""Keyboard cursors: which move the keys have led to, apart from how a board paints it."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, Qt

from nimdesk.games import MnkMove, MnkPosition, NimMove, NimPosition
from nimdesk.games.mnk.rules import COLUMN_LETTERS

_DIGIT_PAUSE_MS = 1200
_KEY = Qt.Key
_ARROWS = {
    _KEY.Key_Left: (-1, 0),
    _KEY.Key_Right: (1, 0),
    _KEY.Key_Up: (0, 1),
    _KEY.Key_Down: (0, -1),
}
_TAKE_KEYS = (
    _KEY.Key_Up,
    _KEY.Key_Down,
    _KEY.Key_Left,
    _KEY.Key_Right,
    _KEY.Key_Home,
    _KEY.Key_End,
    _KEY.Key_Plus,
    _KEY.Key_Minus,
    _KEY.Key_Equal,
)


class TypedNumber:
    """Digits typed soon after each other make one number, as long as it is not too large."""

    def __init__(self) -> None:
        """Without digits yet."""
        self._digits = ""
        self._clock = QElapsedTimer()

    def clear(self) -> None:
        """The next digit begins a new number."""
        self._digits = ""

    def add(self, digit: str, largest: int) -> int | None:
        """The number typed by now, None if it is not from 1 to ``largest``."""
        fresh = not self._clock.isValid() or self._clock.elapsed() > _DIGIT_PAUSE_MS
        self._clock.start()
        typed = digit if fresh else self._digits + digit
        if not 1 <= int(typed) <= largest:
            typed = digit
        self._digits = typed
        return int(typed) if 1 <= int(typed) <= largest else None


class TakeCursor:
    """A pile of Nim and how many of its sticks to take.

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

    def adapt(self, position: NimPosition) -> None:
        """Go to the nearest pile in this position that has sticks."""
        self._position = position
        self._number.clear()
        filled = self._filled()
        pile = next((pile for pile in filled if pile >= self._at.pile), filled[-1] if filled else 0)
        self._put(pile, self._at.take)

    def put(self, move: NimMove) -> None:
        """Stand on this legal move."""
        self._at = move

    @staticmethod
    def wants(key: int, text: str) -> bool:
        """Whether ``press`` does something with this key."""
        return key in _TAKE_KEYS or (len(text) == 1 and text in "0123456789+-")

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


class CellCursor:
    """A cell of an m,n,k board; with gravity the cell in which a mark in this column lands.

    Arrows move it, a letter chooses the column, digits the row.
    """

    def __init__(self, position: MnkPosition) -> None:
        """In the middle."""
        self._position = position
        self._number = TypedNumber()
        self.cell = MnkMove(1, 1)

    @property
    def move(self) -> MnkMove | None:
        """The legal move here; None where there is none."""
        return self.cell if self.cell in self._position.legal_moves else None

    def adapt(self, position: MnkPosition, *, center: bool) -> None:
        """Stay in this position's board; go to its middle before the first move, if ``center``."""
        self._position = position
        self._number.clear()
        if not position.moves and center:
            self.cell = MnkMove(position.game.m // 2, position.game.n // 2)
        self._put(self.cell.column, self.cell.row)

    def put(self, move: MnkMove) -> None:
        """Stand on this cell."""
        self.cell = move

    def wants(self, key: int, text: str) -> bool:
        """Whether ``press`` does something with this key."""
        if len(text) == 1 and text.isascii() and text.isdecimal():
            return not self._position.game.gravity
        return key in _ARROWS or (len(text) == 1 and text.lower() in COLUMN_LETTERS[: self._position.game.m])

    def press(self, key: int, text: str) -> None:
        """Move as the key says."""
        column, row = self.cell.column, self.cell.row
        if text.isdecimal():
            typed = self._number.add(text, self._position.game.n)
            if typed is not None:
                self._put(column, typed - 1)
            return
        self._number.clear()
        if key in _ARROWS:
            right, up = _ARROWS[Qt.Key(key)]
            self._put(column + right, row + up)
        else:
            self._put(COLUMN_LETTERS.index(text.lower()), row)

    def _put(self, column: int, row: int) -> None:
        game = self._position.game
        column, row = max(0, min(game.m - 1, column)), max(0, min(game.n - 1, row))
        if game.gravity:
            landing = self._position.drop_row(column)
            row = landing if landing is not None else game.n - 1
        self.cell = MnkMove(column, row)
