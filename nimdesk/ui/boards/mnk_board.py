"""m,n,k games on screen: a grid with coordinates, marks X and O; with gravity a click anywhere in a column drops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QElapsedTimer, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from nimdesk.games import MnkGame, MnkMove, MnkPosition, Move, Side
from nimdesk.games.mnk import COLUMN_LETTERS
from nimdesk.ui.boards import painting
from nimdesk.ui.boards.base import BoardView, OverlayItem
from nimdesk.ui.theme import Theme

_DIGIT_PAUSE_MS = 1200
_KEY = Qt.Key
_ARROWS = {
    _KEY.Key_Left: (-1, 0),
    _KEY.Key_Right: (1, 0),
    _KEY.Key_Up: (0, 1),
    _KEY.Key_Down: (0, -1),
}
_NUMBER_CELL = 27.0
_ROOMY_CELL = 40.0


@dataclass(frozen=True, slots=True)
class GridLayout:
    """Where the cells lie: the top left corner of the grid, the side of a cell, and the coordinates' size."""

    left: float
    top: float
    cell: float
    columns: int
    rows: int
    text_px: float

    @property
    def rect(self) -> QRectF:
        """The whole grid."""
        return QRectF(self.left, self.top, self.columns * self.cell, self.rows * self.cell)

    def cell_rect(self, column: int, row: int) -> QRectF:
        """The cell in this column and row, row 0 at the bottom."""
        return QRectF(
            self.left + column * self.cell, self.top + (self.rows - 1 - row) * self.cell, self.cell, self.cell
        )


class MnkBoard(BoardView):
    """A board for m,n,k games; see ``BoardView`` for what it offers.

    Keys: arrows move the cell cursor (with gravity Left and Right choose the column), a letter chooses the column,
    digits the row; Enter or Space plays.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, MnkGame(3, 3, 3).start(), parent)
        self._cell = MnkMove(1, 1)
        self._digits = ""
        self._digit_clock = QElapsedTimer()
        self._discs = painting.DiscArt()
        self._still = painting.StillPicture()
        self._describe()

    @property
    def _mnk(self) -> MnkPosition:
        return cast(MnkPosition, self._position)

    # Where things are.

    def _layout_now(self) -> GridLayout:
        game, ratio = self._mnk.game, self.devicePixelRatioF()
        base = painting.font_px(self)
        width, height = float(self.width()), float(self.height())
        text_px = max(8.0, min(base * 1.2, width / (game.m + 2) * 0.5, height / (game.n + 2) * 0.55))
        pad = 10.0
        side, below = text_px * (1.9 if game.n > 9 else 1.5), text_px * 1.7
        cell = min((width - 2 * side - 2 * pad) / game.m, (height - below - 2 * pad) / game.n)
        # Whole device pixels, so that every line of the grid is equally sharp.
        cell = max(4.0, int(min(cell, 0.42 * max(width, height)) * ratio) / ratio)
        left = round((width - game.m * cell) / 2 * ratio) / ratio
        top = round((height - below - game.n * cell) / 2 * ratio) / ratio
        return GridLayout(left, max(pad / 2, top), cell, game.m, game.n, text_px)

    def _move_at(self, point: QPointF) -> MnkMove | None:
        layout, game = self._layout_now(), self._mnk.game
        column = int((point.x() - layout.left) // layout.cell)
        row = game.n - 1 - int((point.y() - layout.top) // layout.cell)
        if not 0 <= column < game.m:
            return None
        if game.gravity:
            # Above the board and on the letters still is the column.
            landing = self._mnk.drop_row(column)
            move = MnkMove(column, landing) if landing is not None else None
        else:
            move = MnkMove(column, row) if 0 <= row < game.n else None
        return move if move in self._mnk.legal_moves else None

    def move_point(self, move: Move) -> QPointF:
        """The middle of the cell."""
        assert isinstance(move, MnkMove)
        return self.cell_rect(move).center()

    def cell_rect(self, move: MnkMove) -> QRectF:
        """Where the cell of this move is painted."""
        return self._layout_now().cell_rect(move.column, move.row)

    # The keyboard cursor.

    def _adapt_cursor(self) -> None:
        game = self._mnk.game
        self._digits = ""
        if not self._mnk.moves and not self._keyboard:
            self._cell = MnkMove(game.m // 2, game.n // 2)
        self._put(self._cell.column, self._cell.row)

    def _put(self, column: int, row: int) -> None:
        game = self._mnk.game
        column, row = max(0, min(game.m - 1, column)), max(0, min(game.n - 1, row))
        if game.gravity:
            landing = self._mnk.drop_row(column)
            row = landing if landing is not None else game.n - 1
        self._cell = MnkMove(column, row)

    def _start_cursor(self, move: Move) -> None:
        self._cell = cast(MnkMove, move)

    def _cursor_move(self) -> MnkMove | None:
        return self._cell if self._cell in self._mnk.legal_moves else None

    def _wants_key(self, key: int, text: str) -> bool:
        if len(text) == 1 and text.isascii() and text.isdecimal():
            return not self._mnk.game.gravity
        return key in _ARROWS or (len(text) == 1 and text.lower() in COLUMN_LETTERS[: self._mnk.game.m])

    def _move_cursor(self, key: int, text: str) -> None:
        column, row = self._cell.column, self._cell.row
        if text.isdecimal():
            self._type_digit(text)
            return
        self._digits = ""
        if key in _ARROWS:
            right, up = _ARROWS[Qt.Key(key)]
            self._put(column + right, row + up)
        else:
            self._put(COLUMN_LETTERS.index(text.lower()), row)

    def _type_digit(self, digit: str) -> None:
        """Choose the row; digits typed soon after each other make one number, if there is such a row."""
        fresh = not self._digit_clock.isValid() or self._digit_clock.elapsed() > _DIGIT_PAUSE_MS
        self._digit_clock.start()
        typed = digit if fresh else self._digits + digit
        if int(typed) > self._mnk.game.n:
            typed = digit
        self._digits = typed
        if 1 <= int(typed) <= self._mnk.game.n:
            self._put(self._cell.column, int(typed) - 1)

    # Words.

    def _cursor_words(self) -> str:
        side = self._mnk.mark(self._cell.column, self._cell.row)
        return f"{self._cell.text}, {'empty' if side is None else self._mnk.game.side_name(side)}"

    def _board_words(self) -> str:
        position, game = self._mnk, self._mnk.game
        words = [f"{game.m} columns, {game.n} rows, {game.k} in a row wins"]
        for side in Side:
            own = [move.text for ply, move in enumerate(position.moves) if ply % 2 == side]
            if own:
                words.append(f"{game.side_name(side)} on {', '.join(own)}")
        if position.winning_line:
            words.append(f"winning line {', '.join(cell.text for cell in position.winning_line)}")
        return f"{'. '.join(words)}."

    def _animation_ms(self) -> int:
        fall = self._mnk.game.n - self._mnk.moves[-1].row
        return min(290, 110 + 28 * fall) if self._mnk.game.gravity else 130

    # Painting.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._refresh(later=True)

    def paintEvent(self, event: QPaintEvent) -> None:
        layout = self._layout_now()
        painter = QPainter(self)
        key = (self._mnk, self._mnk.moves[-1:], self._theme.name, self.animating)
        painter.drawPixmap(0, 0, self._still.get(self, self._theme.color("window"), key, self._paint_still))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_hover(painter, layout)
        if self._overlay:
            self._paint_overlay(painter, layout)
        self._paint_moving(painter, layout)
        self._paint_line(painter, layout)
        self._paint_rings(painter, layout)
        if self._cursor_shown():
            painting.draw_focus(painter, self, self._theme)
        painter.end()

    def _paint_still(self, painter: QPainter) -> None:
        """Grid, coordinates and marks."""
        layout = self._layout_now()
        self._paint_grid(painter, layout)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_coordinates(painter, layout)
        self._paint_marks(painter, layout)

    def _paint_grid(self, painter: QPainter, layout: GridLayout) -> None:
        rect, ratio = layout.rect, self.devicePixelRatioF()
        line = max(1, round(ratio)) / ratio
        color = self._theme.color("board_line")
        painter.fillRect(rect, self._theme.color("board"))
        last = self._mnk.moves[-1] if self._mnk.moves else None
        if last is not None and not self._mnk.winning_line:
            tint = painting.side_color(self._theme, self._mnk.turn.other)
            painter.fillRect(self.cell_rect(last), painting.faded(tint, 0.16))
        for cell in self._mnk.winning_line if not self.animating else ():
            tint = painting.side_color(self._theme, self._mnk.turn.other)
            painter.fillRect(self.cell_rect(cell), painting.faded(tint, 0.2))
        for column in range(layout.columns + 1):
            painter.fillRect(QRectF(rect.left() + column * layout.cell, rect.top(), line, rect.height() + line), color)
        for row in range(layout.rows + 1):
            painter.fillRect(QRectF(rect.left(), rect.top() + row * layout.cell, rect.width() + line, line), color)

    def _paint_coordinates(self, painter: QPainter, layout: GridLayout) -> None:
        painter.setPen(self._theme.color("muted"))
        painter.setFont(painting.sized(self.font(), layout.text_px))
        rect, text = layout.rect, layout.text_px
        for column in range(layout.columns):
            place = QRectF(rect.left() + column * layout.cell, rect.bottom() + text * 0.2, layout.cell, text * 1.4)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, COLUMN_LETTERS[column])
        for row in range(layout.rows):
            middle = layout.cell_rect(0, row).center().y()
            place = QRectF(0, middle - text, rect.left() - text * 0.4, text * 2)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(row + 1))

    def _paint_marks(self, painter: QPainter, layout: GridLayout) -> None:
        moves = self._mnk.moves[:-1] if self.animating else self._mnk.moves
        for ply, move in enumerate(moves):
            side = Side(ply % 2)
            painting.draw_mark(
                painter, side, self._middle(layout, move), layout.cell, painting.side_color(self._theme, side)
            )
        if moves and not self.animating and not self._mnk.winning_line:
            corner = painting.side_color(self._theme, self._mnk.turn.other)
            painting.draw_corners(painter, layout.cell_rect(moves[-1].column, moves[-1].row), corner)

    @staticmethod
    def _middle(layout: GridLayout, move: MnkMove) -> QPointF:
        return layout.cell_rect(move.column, move.row).center() + QPointF(0.5, 0.5)

    def _paint_hover(self, painter: QPainter, layout: GridLayout) -> None:
        if not isinstance(self._hovered, MnkMove):
            return
        color = painting.side_color(self._theme, self._mnk.turn)
        rect = layout.cell_rect(self._hovered.column, self._hovered.row)
        if self._mnk.game.gravity:
            column = QRectF(rect.left(), layout.top, layout.cell, layout.rect.height())
            painter.fillRect(column, painting.faded(color, 0.09))
        painter.fillRect(rect, painting.faded(color, 0.13 if self._interactive else 0.09))
        if self._interactive:
            ghost = painting.faded(color, 0.42)
            painting.draw_mark(painter, self._mnk.turn, self._middle(layout, self._hovered), layout.cell, ghost)

    def _paint_moving(self, painter: QPainter, layout: GridLayout) -> None:
        """The last move happening: falling with gravity, else growing."""
        if not self.animating or not self._mnk.moves:
            return
        move, side, progress = self._mnk.moves[-1], self._mnk.turn.other, self._progress()
        color, middle, cell = painting.side_color(self._theme, side), self._middle(layout, move), layout.cell
        if self._mnk.game.gravity:
            fall = middle.y() - (layout.top - cell / 2)
            middle.setY(middle.y() - fall * (1 - progress * progress))
            painter.save()
            painter.setClipRect(layout.rect)
            painting.draw_mark(painter, side, middle, cell, color)
            painter.restore()
        else:
            painting.draw_mark(painter, side, middle, cell * (0.5 + 0.5 * progress), color)

    def _paint_overlay(self, painter: QPainter, layout: GridLayout) -> None:
        """In each empty cell a disc whose area goes with the share of visits, and the number where there is room."""
        overlay = self._overlay or {}
        full = painting.full_share(overlay.values(), len(self._mnk.legal_moves))
        ratio = self.devicePixelRatioF()
        ink, largest = self._theme.color("text"), layout.cell * 0.42
        texts: list[tuple[str, QRectF, bool]] = []
        for move in self._mnk.legal_moves:
            item = overlay.get(move)
            if item is None:
                continue
            cell = layout.cell_rect(move.column, move.row)
            middle = cell.center() + QPointF(0.5, 0.5)
            radius = max(1.2, largest * min(1.0, item.share / full) ** 0.5)
            text, below = self._number(layout, move, item, radius)
            if below:
                middle -= QPointF(0, layout.cell * 0.13)
                cell.setTop(middle.y() + radius)
            self._discs.draw(painter, middle, radius, item.color, ratio)
            if item.leader:
                painter.setPen(QPen(ink, max(1.6, min(4.0, layout.cell * 0.04))))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(middle, largest, largest)
            if text:
                texts.append((text, cell, item.leader))
        painter.setPen(ink)
        for bold in (False, True):
            chosen = [(text, cell) for text, cell, leader in texts if leader == bold]
            painter.setFont(painting.sized(self.font(), max(9.0, min(layout.cell * 0.23, 26.0)), bold=bold))
            painting.draw_centered(painter, chosen)

    def _number(self, layout: GridLayout, move: MnkMove, item: OverlayItem, radius: float) -> tuple[str, bool]:
        """The number to show for a move, and whether it stands below its disc; "" where it would be a mess."""
        text = painting.number_text(item, self._overlay_style)
        if layout.cell < _NUMBER_CELL or (move == self._hovered and self._interactive) or not text:
            return "", False
        width = len(text) * max(9.0, min(layout.cell * 0.23, 26.0)) * 0.7
        if item.leader or width <= 1.8 * radius:
            return text, False
        return (text, True) if layout.cell >= _ROOMY_CELL else ("", False)

    def _paint_line(self, painter: QPainter, layout: GridLayout) -> None:
        """Through each winning line, from end to end."""
        if self.animating or not self._mnk.winning_line:
            return
        for first, last in winning_ends(self._mnk):
            start, end = self._middle(layout, first), self._middle(layout, last)
            length = max(1.0, ((end - start).x() ** 2 + (end - start).y() ** 2) ** 0.5)
            reach = (end - start) / length * layout.cell * 0.36
            pen = QPen(self._theme.color("text"), max(2.0, layout.cell * 0.07))
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawLine(start - reach, end + reach)

    def _paint_rings(self, painter: QPainter, layout: GridLayout) -> None:
        """Around cells: what is pointed at elsewhere, what is proposed, where the keyboard is; and their labels."""
        theme, legal, accent = self._theme, self._mnk.legal_moves, self._theme.color("accent")
        thick = max(2.0, min(4.0, layout.cell * 0.06))
        inset = thick / 2 + 1
        if isinstance(self._highlight, MnkMove) and self._highlight in legal:
            cell = self.cell_rect(self._highlight).adjusted(inset, inset, -inset, -inset)
            painting.draw_ring(painter, cell, theme.color("text"), thick)
        if isinstance(self._suggestion, MnkMove) and self._suggestion in legal:
            cell = self.cell_rect(self._suggestion).adjusted(inset, inset, -inset, -inset)
            painting.draw_ring(painter, cell, accent, thick, dashed=True)
            self._paint_tag(painter, layout, cell, "suggested", filled=False)
        if self._cursor_shown():
            painting.draw_ring(painter, layout.cell_rect(self._cell.column, self._cell.row), accent, thick)
        if isinstance(self._hovered, MnkMove) and (item := (self._overlay or {}).get(self._hovered)) is not None:
            full = painting.full_share((self._overlay or {}).values(), len(legal))
            radius = layout.cell * 0.42 * min(1.0, item.share / full) ** 0.5
            if not self._number(layout, self._hovered, item, radius)[0]:
                text = f"{self._hovered.text} {painting.number_text(item, self._overlay_style)}".strip()
                self._paint_tag(painter, layout, self.cell_rect(self._hovered), text, filled=True)

    def _paint_tag(self, painter: QPainter, layout: GridLayout, cell: QRectF, text: str, *, filled: bool) -> None:
        """A small label at the top of the cell, or over or under it where it does not fit in."""
        pixels = max(10.0, min(layout.cell * 0.13, painting.font_px(self)))
        painter.setFont(painting.sized(self.font(), pixels, bold=True))
        width, height = painter.fontMetrics().horizontalAdvance(text) + 10.0, pixels * 1.5
        left = max(2.0, min(self.width() - width - 2, cell.center().x() - width / 2))
        if width <= cell.width() and height < layout.cell * 0.3:
            top = cell.top()
        else:
            top = cell.top() - height - 1 if cell.top() > height + 4 else cell.bottom() + 1
        roles = ("accent", "accent_text") if filled else ("base", "accent")
        fill, ink = (self._theme.color(role) for role in roles)
        painting.draw_chip(painter, QRectF(left, top, width, height), text, fill, ink, outlined=True)


def winning_ends(position: MnkPosition) -> list[tuple[MnkMove, MnkMove]]:
    """The two ends of each line that ended the game."""
    cells, last = set(position.winning_line), position.moves[-1]
    ends = []
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        line = [last]
        for sign in (1, -1):
            step = 1
            while (cell := MnkMove(last.column + sign * step * right, last.row + sign * step * up)) in cells:
                line.append(cell)
                step += 1
        if len(line) >= position.game.k:
            ends.append((min(line), max(line)))
    return ends[:1] if position.game.k == 1 else ends
