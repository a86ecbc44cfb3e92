"""Take-away games on screen: rows of things, of which a move takes some; a row of pins parts where they are taken."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from nimdesk.games import AnyPosition, Game, Move
from nimdesk.games.base import describe_move
from nimdesk.games.take.rules import TakeGame, TakeMove, TakePosition
from nimdesk.ui.boards.base import BoardView
from nimdesk.ui.boards.plain import PlainBoard
from nimdesk.ui.boards.pointing import ARROWS, TypedNumber
from nimdesk.ui.boards.take.art import RowsArt
from nimdesk.ui.boards.take.places import TakePlaces, lay_out
from nimdesk.ui.boards.take.rows import Rows, Spot, as_take, last_spot, rows_of, rule_of, spots
from nimdesk.ui.look import painting

_ABOVE, _BELOW = 6, 2.1
"""The room above the rows in pixels, and that below them, for a line of words, in heights of the labels."""
_KEY = Qt.Key
_JUMPS = (_KEY.Key_Home, _KEY.Key_End)
_MORE, _FEWER = (_KEY.Key_Plus, _KEY.Key_Equal), (_KEY.Key_Minus,)


class SpotCursor:
    """A spot: in a lane of a row, from left to right.

    Left and Right lead to the next spot of the lane, Home and End to its ends, Up and Down to the lane above or below;
    + and - take one more or fewer at the same place, and digits so many.
    """

    def __init__(self, position: TakePosition, where: dict[object, Spot]) -> None:
        """At the first spot; ``where`` has the spots of the moves played that are known."""
        self._where, self._number = where, TypedNumber()
        self._spots: tuple[Spot, ...] = ()
        self.spot: Spot | None = None
        """The spot here; None when no move is left."""
        self.adapt(position, in_use=False)

    @property
    def move(self) -> TakeMove | None:
        """The legal move here; None when no move is left."""
        return None if self.spot is None else self.spot.move

    def adapt(self, position: AnyPosition, *, in_use: bool) -> None:
        """Go to the spot of this position that is nearest to the one before."""
        take = as_take(position)
        self._number.clear()
        self._spots, before = spots(take.game, rows_of(take, self._where)), self.spot
        self.spot = next(iter(self._spots), None)
        if before is not None and self._spots:
            lanes = sorted({spot.lane for spot in self._spots}, key=lambda lane: (abs(lane[0] - before.lane[0]), lane))
            self.spot = self._nearest([spot for spot in self._spots if spot.lane == lanes[0]], before)

    def put(self, move: Move) -> None:
        """Stand on the first spot of this legal move."""
        self.spot = next(spot for spot in self._spots if spot.move == move)

    def stand_on(self, spot: Spot) -> None:
        """Stand on this one of the spots."""
        self.spot = spot

    def wants(self, key: int, text: str) -> bool:
        """Whether ``press`` does something with this key."""
        return key in ARROWS or key in (*_JUMPS, *_MORE, *_FEWER) or (len(text) == 1 and text in "0123456789")

    def press(self, key: int, text: str) -> None:
        """Move as the key says."""
        here = self.spot
        if here is None:
            return
        if text.isdecimal():
            typed = self._number.add(text, max(spot.move.take for spot in self._spots))
            self._go([spot for spot in self._in_row(here) if spot.move.take == typed])
            return
        self._number.clear()
        lane = sorted((spot for spot in self._spots if spot.lane == here.lane), key=lambda spot: spot.center)
        if key in _JUMPS:
            self.spot = lane[0 if key == _KEY.Key_Home else -1]
        elif key in (_KEY.Key_Left, _KEY.Key_Right):
            at = lane.index(here) + (1 if key == _KEY.Key_Right else -1)
            self.spot = lane[max(0, min(at, len(lane) - 1))]
        elif key in (_KEY.Key_Up, _KEY.Key_Down):
            lanes = sorted({spot.lane for spot in self._spots})
            at = lanes.index(here.lane) + (1 if key == _KEY.Key_Down else -1)
            self._go([spot for spot in self._spots if spot.lane == lanes[max(0, min(at, len(lanes) - 1))]])
        else:
            takes = sorted({spot.move.take for spot in self._in_row(here)})
            at = takes.index(here.move.take) + (1 if key in _MORE else -1)
            self._go([spot for spot in self._in_row(here) if spot.move.take == takes[max(0, min(at, len(takes) - 1))]])

    def _in_row(self, here: Spot) -> list[Spot]:
        """The spots of the same row; from both rows only where this one is."""
        both = len(here.spans) > 1
        return [spot for spot in self._spots if spot.lane[0] == here.lane[0] and (len(spot.spans) > 1) is both]

    def _go(self, wanted: list[Spot]) -> None:
        if wanted and self.spot is not None and self.spot not in wanted:
            self.spot = self._nearest(wanted, self.spot)

    @staticmethod
    def _nearest(wanted: list[Spot], to: Spot) -> Spot:
        return min(wanted, key=lambda spot: (abs(spot.center - to.center), spot.move.take))


class TakeBoard(BoardView):
    """A board for take-away games; see ``BoardView`` for what it offers and ``SpotCursor`` for its keys.

    A click on a thing takes the fewest that can be taken around it, or it and all to its right where a row is taken
    from its end; to drag from one to another takes all between. In the lanes under a row every spot has its own place.
    """

    def __init__(self, position: TakePosition, parent: QWidget | None = None) -> None:
        self._where: dict[object, Spot] = {}
        self._spot_cursor = SpotCursor(position, self._where)
        super().__init__(position, self._spot_cursor, parent)
        self._art = RowsArt(self)
        self._found: tuple[object, Rows] | None = None
        self._laid_out: tuple[object, TakePlaces] | None = None
        self._cells: tuple[tuple[Spot, QRectF], ...] = ()
        self._under: Spot | None = None
        self._anchor: tuple[int, int] | None = None
        self.dragged: tuple[int, int, int] | None = None
        """The row, the first slot and the number of the pins over which a person drags, whether they may be taken or
        not."""
        self._describe()

    @property
    def art(self) -> RowsArt:
        return self._art

    def suits(self, game: Game) -> bool:
        return isinstance(game, TakeGame) and game.is_drawn

    @property
    def take(self) -> TakePosition:
        """The position shown."""
        return as_take(self.position)

    # Where things are.

    @property
    def rows(self) -> Rows:
        """What is left of each row."""
        key = (self.take.game, self.take.moves)
        if self._found is None or self._found[0] != key:
            self._found = key, rows_of(self.take, self._where)
        return self._found[1]

    @property
    def last_spot(self) -> Spot | None:
        """Where the last move was made."""
        return last_spot(self.take, self._where)

    def places(self) -> TakePlaces:
        """Where the rows and the lanes are now."""
        key = (self.take.game, self.rows, self.width(), self.height(), self.font().key(), self.pictured)
        if self._laid_out is None or self._laid_out[0] != key:
            places = self._lay_out(float(self.height()))
            self._laid_out = key, places
            self._cells = tuple((spot, places.cell(spot)) for spot in self.spots())
        return self._laid_out[1]

    def cells(self) -> tuple[tuple[Spot, QRectF], ...]:
        """Every spot of a move, with its place in a lane."""
        self.places()
        return self._cells

    def _lay_out(self, height: float) -> TakePlaces:
        scale = max(0.85, min(1.3, self.width() / 700, height / 500))
        label_px = painting.font_px(self) * scale
        below = 0.0 if self.pictured else label_px * _BELOW
        above = 0.0 if self.pictured else _ABOVE
        area = QRectF(0, above, self.width(), height - above - below)
        return lay_out(self.take.game, self.rows, area, self.font(), label_px, bare=self.pictured)

    def spots(self) -> tuple[Spot, ...]:
        """Every spot of a move."""
        return spots(self.take.game, self.rows)

    def spot_of(self, move: Move | None) -> Spot | None:
        """Where a move is shown: the spot that is pointed at, if it is one, or its first; None for no legal move."""
        if (pointed := self.pointed) is not None and pointed.move == move:
            return pointed
        return next((spot for spot in self.spots() if spot.move == move), None)

    @property
    def pointed(self) -> Spot | None:
        """The spot of the move that is pointed at."""
        if self._hovered is None:
            return None
        if self.cursor_shown:
            return self._spot_cursor.spot
        return self._under

    def fitting_height(self) -> int:
        height = float(self.height())
        for _ in range(3):
            layout = self._lay_out(height)
            height = min(
                height,
                math.ceil(layout.bottom - layout.tops[0] + layout.words_h + 2 * _ABOVE + layout.label_px * _BELOW),
            )
        return round(height)

    def _move_at(self, point: QPointF) -> TakeMove | None:
        self._under = self._spot_at(point)
        return None if self._under is None else self._under.move

    def _spot_at(self, point: QPointF) -> Spot | None:
        layout, self.dragged = self.places(), None
        for row, top in enumerate(layout.tops):
            if top - layout.lift <= point.y() < top + layout.thing_h + 2:
                return self._spot_in_row(row, point.x())
        within = [(spot, cell) for spot, cell in self._cells if cell.adjusted(-0.5, 0, 0.5, 0).contains(point)]
        return min(within, key=lambda each: abs(each[1].center().x() - point.x()), default=(None, None))[0]

    def _spot_in_row(self, row: int, x: float) -> Spot | None:
        """Of the spots of a row that take from it alone, the one that a person means who points at this place of it."""
        alone = {spot: cell.center().x() for spot, cell in self._cells if [row] == [span[0] for span in spot.spans]}
        slot = self._slot_at(row, x)
        if slot is None:
            return None
        if not rule_of(self.take.game, row).splits:
            return next((spot for spot in alone if spot.spans[0][1] == slot), None)
        if self._anchor is not None and self._anchor[0] == row and self._anchor[1] != slot:
            first, last = sorted((self._anchor[1], slot))
            self.dragged = row, first, last - first + 1
            return next((spot for spot in alone if spot.spans == (self.dragged,)), None)
        near = [spot for spot, center in alone.items() if abs(center - x) <= self.places().pitch]
        return min(near, key=lambda spot: (round(abs(alone[spot] - x), 1), spot.move.take), default=None)

    def _slot_at(self, row: int, x: float) -> int | None:
        """The thing of a row at this place, or the next one to it in a gap."""
        layout = self.places()
        there = [slot for start, size in self.rows[row] for slot in range(start, start + size)]
        nearest = min(there, key=lambda slot: abs(layout.thing(row, slot).center().x() - x), default=None)
        if nearest is None or abs(layout.thing(row, nearest).center().x() - x) > layout.pitch * 0.8:
            return None
        return nearest

    def move_point(self, move: Move) -> QPointF:
        """The place in its lane of the first spot of the move."""
        return next(cell for spot, cell in self.cells() if spot.move == move).center()

    # What happens.

    def _use_keyboard(self) -> None:
        pointed = self.pointed if not self._keyboard else None
        super()._use_keyboard()
        if pointed is not None:
            self._spot_cursor.stand_on(pointed)

    def _choose(self, move: Move | None) -> None:
        if (spot := self.pointed) is not None and spot.move == move:
            self._where[(*self.take.moves, move)] = spot
        super()._choose(move)

    def set_position(self, position: AnyPosition, *, animate: bool = False) -> None:
        if position.game != self.position.game:
            self._where.clear()
        if position != self.position:
            self._anchor = None
        super().set_position(position, animate=animate)

    def show_as(self, other: BoardView) -> None:
        if isinstance(other, TakeBoard):
            self._where.update(other._where)
            self._found = self._laid_out = None
        super().show_as(other)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._anchor = None
        if event.button() == Qt.MouseButton.LeftButton:
            layout, point = self.places(), event.position()
            for row, top in enumerate(layout.tops):
                if top <= point.y() < top + layout.thing_h and (slot := self._slot_at(row, point.x())) is not None:
                    self._anchor = row, slot
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        move = self._move_at(event.position())
        if self.dragged is not None:
            self._hovered = self._pressed = move
        super().mouseReleaseEvent(event)
        self._anchor = None
        self._refresh(later=True)

    # Words.

    def hover_words(self) -> str:
        return self._art.spot_words(self._hovered)[0] if isinstance(self._hovered, TakeMove) else ""

    def _cursor_words(self) -> str:
        move = self._spot_cursor.move
        return "no move is left" if move is None else f"{describe_move(move)}{self._proven_words(move)}"

    def _board_words(self) -> str:
        rows = ("; ".join(f"row {number}: {self._row_words(row)}" for number, row in enumerate(self.rows, 1))).strip()
        return f"{rows[0].upper()}{rows[1:]}. {self.take.game.rules_text}"

    @staticmethod
    def _row_words(pieces: tuple[tuple[int, int], ...]) -> str:
        return " and ".join(str(size) for _, size in pieces) or "empty"


class HeapList(PlainBoard):
    """The plain board, for heaps that are too many or too large to be drawn."""

    def suits(self, game: Game) -> bool:
        return isinstance(game, TakeGame) and not game.is_drawn
