"""m,n,k games on screen: a grid with coordinates; a click puts a mark, with gravity anywhere in a column."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QAbstractAnimation, QPointF, QRectF, Qt, QVariantAnimation
from PySide6.QtWidgets import QWidget

from nimdesk.games import AnyPosition, MnkMove, MnkPosition, Move, Side
from nimdesk.games.mnk.rules import COLUMN_LETTERS
from nimdesk.ui.boards.base import BoardView
from nimdesk.ui.boards.mnk.art import GridArt
from nimdesk.ui.boards.mnk.looks import GridLayout
from nimdesk.ui.boards.pointing import ARROWS, TypedNumber
from nimdesk.ui.look import painting

_LINE_MS = 250
"""How long it takes to draw the winning line."""


class CellCursor:
    """A cell; with gravity the cell in which a mark in this column lands.

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

    def adapt(self, position: AnyPosition, *, in_use: bool) -> None:
        """Stay in this position's board; go to its middle before the first move, unless the cursor is in use."""
        assert isinstance(position, MnkPosition)
        self._position = position
        self._number.clear()
        if not position.moves and not in_use:
            self.cell = MnkMove(position.game.m // 2, position.game.n // 2)
        self._put(self.cell.column, self.cell.row)

    def put(self, move: Move) -> None:
        """Stand on this cell."""
        self.cell = cast(MnkMove, move)

    def wants(self, key: int, text: str) -> bool:
        """Whether ``press`` does something with this key."""
        if len(text) == 1 and text.isascii() and text.isdecimal():
            return not self._position.game.gravity
        return key in ARROWS or (len(text) == 1 and text.lower() in COLUMN_LETTERS[: self._position.game.m])

    def press(self, key: int, text: str) -> None:
        """Move as the key says."""
        column, row = self.cell.column, self.cell.row
        if text.isdecimal():
            typed = self._number.add(text, self._position.game.n)
            if typed is not None:
                self._put(column, typed - 1)
            return
        self._number.clear()
        if key in ARROWS:
            right, up = ARROWS[Qt.Key(key)]
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


class MnkBoard(BoardView):
    """A board for m,n,k games; see ``BoardView`` for what it offers and ``CellCursor`` for its keys."""

    def __init__(self, position: MnkPosition, parent: QWidget | None = None) -> None:
        self._cells = CellCursor(position)
        super().__init__(position, self._cells, parent)
        self._art = GridArt(self)
        self._line = QVariantAnimation(self)
        self._line.setStartValue(0.0)
        self._line.setEndValue(1.0)
        self._line.setDuration(_LINE_MS)
        self._line.valueChanged.connect(self._on_frame)
        self._animation.finished.connect(self._draw_line)
        self._describe()

    @property
    def art(self) -> GridArt:
        return self._art

    @property
    def mnk(self) -> MnkPosition:
        """The position shown."""
        return cast(MnkPosition, self.position)

    @property
    def cell(self) -> MnkMove:
        """Where the keyboard cursor is."""
        return self._cells.cell

    # The winning line.

    @property
    def line_drawn(self) -> float:
        """How much of the winning line is drawn, 0 to 1."""
        return float(self._line.currentValue()) if self._line.state() == QAbstractAnimation.State.Running else 1.0

    def _draw_line(self) -> None:
        """The last move has happened."""
        if self.mnk.winning_line:
            self._line.start()

    def set_position(self, position: AnyPosition, *, animate: bool = False) -> None:
        if position != self.position:
            self._line.stop()
        super().set_position(position, animate=animate)

    def set_animation_enabled(self, enabled: bool) -> None:
        super().set_animation_enabled(enabled)
        if not enabled:
            self._line.stop()

    # Where things are.

    def places(self) -> GridLayout:
        """Where the cells are now."""
        game, ratio = self.mnk.game, self.devicePixelRatioF()
        base = painting.font_px(self)
        width, height = float(self.width()), float(self.height())
        text_px = max(11.0, min(base * 1.2, width / (game.m + 2) * 0.5, height / (game.n + 2) * 0.55))
        pad, side, below = 10.0, text_px * (1.9 if game.n > 9 else 1.5), text_px * 1.7
        if self.pictured:  # letters that nobody could read
            side = below = 0.0
        around = ((width - side, game.m), (height - below, game.n))
        # A frame grows with the cells, and so does the line around it.
        rim = self._art.look.rim + 0.02 if self._art.look.rim else 0.0
        cell = min(min((room - 2 * pad) / cells, (room - 2) / (cells + 2 * rim)) for room, cells in around)
        # Whole device pixels, so that every line of the grid is equally sharp.
        cell = max(4.0, int(min(cell, 0.42 * max(width, height)) * ratio) / ratio)
        left = round((width + side - game.m * cell) / 2 * ratio) / ratio
        top = round((height - below - game.n * cell) / 2 * ratio) / ratio
        return GridLayout(left, max(pad / 2, rim * cell, top), cell, game.m, game.n, text_px)

    @property
    def frame(self) -> QRectF:
        layout = self.places()
        rim = self._art.look.rim * layout.cell
        return layout.rect.adjusted(-rim, -rim, rim, rim)

    def _move_at(self, point: QPointF) -> MnkMove | None:
        layout, game = self.places(), self.mnk.game
        column = int((point.x() - layout.left) // layout.cell)
        row = game.n - 1 - int((point.y() - layout.top) // layout.cell)
        if not 0 <= column < game.m:
            return None
        if game.gravity:
            # A press above the board or on the letters counts for the column.
            landing = self.mnk.drop_row(column)
            move = MnkMove(column, landing) if landing is not None else None
        else:
            move = MnkMove(column, row) if 0 <= row < game.n else None
        return move if move in self.mnk.legal_moves else None

    def move_point(self, move: Move) -> QPointF:
        """The middle of the cell."""
        assert isinstance(move, MnkMove)
        return self.cell_rect(move).center()

    def cell_rect(self, move: MnkMove) -> QRectF:
        """Where the cell of this move is painted."""
        return self.places().cell_rect(move.column, move.row)

    # Words.

    def _cursor_words(self) -> str:
        side = self.mnk.mark(self.cell.column, self.cell.row)
        what = "empty" if side is None else self.mnk.game.side_name(side)
        last = ", last move" if self.mnk.moves[-1:] == (self.cell,) else ""
        return f"{self.cell.text}, {what}{last}{self._under_words()}{self._proven_words(self.cell)}"

    def _under_words(self) -> str:
        """What lies under the cell, where pieces fall and the cursor stands on top of them alone."""
        sides = [self.mnk.mark(self.cell.column, row) for row in range(self.cell.row - 1, -1, -1)]
        names = [self.mnk.game.side_name(side) for side in sides if side is not None]
        return f", over {', '.join(names)}" if names and self.mnk.game.gravity else ""

    def _board_words(self) -> str:
        position, game = self.mnk, self.mnk.game
        words = [f"{game.m} columns, {game.n} rows, {game.wins_with} wins"]
        for side in Side:
            own = [move.text for ply, move in enumerate(position.moves) if ply % 2 == side]
            if own:
                words.append(f"{game.side_name(side)} on {', '.join(own)}")
        if self.shown.pairs:
            words.append(f"pairs {', '.join(f'{one.text} and {other.text}' for one, other in self.shown.pairs)}")
        if position.winning_line:
            words.append(f"winning line {', '.join(cell.text for cell in position.winning_line)}")
        return f"{'. '.join(words)}."

    def _animation_ms(self) -> int:
        fall = self.mnk.game.n - self.mnk.moves[-1].row
        return min(290, 110 + 28 * fall) if self.mnk.game.gravity else 130

    def hover_words(self) -> str:
        return self._art.hover_words()
