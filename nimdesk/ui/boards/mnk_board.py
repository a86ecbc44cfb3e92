"""m,n,k games on screen: a grid with coordinates, marks X and O; with gravity a click anywhere in a column drops."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, cast

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from nimdesk.games import MnkGame, MnkMove, MnkPosition, Move, Side
from nimdesk.games.mnk.rules import COLUMN_LETTERS
from nimdesk.games.truth import Value
from nimdesk.ui.boards.base import BoardView
from nimdesk.ui.boards.cursors import CellCursor
from nimdesk.ui.boards.grid import GridLayout, winning_ends
from nimdesk.ui.boards.overlay import OverlayItem, full_share, number_text
from nimdesk.ui.boards.pictures import CellPictures, DiscArt, StillPicture
from nimdesk.ui.look import painting
from nimdesk.ui.look.proven import full_words, short_words
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.look.truth_marks import tag_width

_NUMBER_CELL = 27.0
_ROOMY_CELL = 40.0
_TAG_CELL = 44.0
_MANY_MOVES = 60
_SIGN_GAP = 3.0
"""Pixels between a number and the sign of what is proven."""
_TAG_GAP = 4.0
_PART_S, _APART_MS = 0.0007, 3
"""A part of the overlay is painted in one turn of the event loop, the next one so much later, before what follows."""


@dataclass(frozen=True, slots=True)
class CellPlan:
    """How an empty cell is divided: its disc is lifted, with this largest radius, over what is proven.

    ``style`` is ``words`` (a tag with ``font``, so high), ``signs`` (as high and wide as that) or "" for nothing.
    """

    lift: float
    radius: float
    style: str
    font: QFont
    height: float


class CellLook(NamedTuple):
    """All that decides how the overlay looks in a cell: the disc, the leader's ring, the number and its place."""

    radius: float
    color: int
    leader: bool
    text: str
    below: bool


class MnkBoard(BoardView):
    """A board for m,n,k games; see ``BoardView`` for what it offers.

    Keys: arrows move the cell cursor (with gravity Left and Right choose the column), a letter chooses the column,
    digits the row; Enter or Space plays.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, MnkGame(3, 3, 3).start(), parent)
        self._cursor = CellCursor(self._mnk)
        self._discs = DiscArt()
        self._still = StillPicture()
        self._cells = CellPictures()
        self._widths = painting.TextWidths()
        self._looked_at: object = None
        self._looks_key: object = None
        self._looks: dict[int, CellLook] = {}
        self._rest = QTimer(self, singleShot=True, interval=_APART_MS, timerType=Qt.TimerType.PreciseTimer)
        self._rest.timeout.connect(self.update)
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
        self._cursor.adapt(self._mnk, center=not self._keyboard)

    def _start_cursor(self, move: Move) -> None:
        self._cursor.put(cast(MnkMove, move))

    def _cursor_move(self) -> MnkMove | None:
        return self._cursor.move

    def _wants_key(self, key: int, text: str) -> bool:
        return self._cursor.wants(key, text)

    def _move_cursor(self, key: int, text: str) -> None:
        self._cursor.press(key, text)

    # Words.

    def _cursor_words(self) -> str:
        cell = self._cursor.cell
        side = self._mnk.mark(cell.column, cell.row)
        proven = f", {full_words(self._proven[cell])}" if cell in self._proven else ""
        return f"{cell.text}, {'empty' if side is None else self._mnk.game.side_name(side)}{proven}"

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

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._widths.clear()
            self._looks_key = None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._refresh(later=True)

    def paintEvent(self, event: QPaintEvent) -> None:
        layout = self._layout_now()
        painter = QPainter(self)
        key = (self._mnk, self._mnk.moves[-1:], self._theme.name, self.animating)
        self._still.draw(painter, self, self._theme.color("window"), key, self._paint_still)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_hover(painter, layout)
        plan = self._plan_now(layout)
        if self._overlay:
            self._paint_overlay(painter, layout, plan)
        self._paint_proven(painter, layout, plan)
        self._paint_moving(painter, layout)
        self._paint_line(painter, layout)
        self._paint_preview(painter, layout)
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

    def _plan_now(self, layout: GridLayout) -> CellPlan:
        """How an empty cell is divided between the overlay's disc and what is proven."""
        cell = layout.cell
        if not self._proven:
            return CellPlan(0.0, cell * 0.42, "", painting.sized(self.font(), 9), 0.0)
        pixels = max(9.0, min(cell * 0.125, painting.font_px(self) * 1.3))
        font = painting.sized(self.font(), pixels)
        height = float(round(font.pixelSize() * 1.45))
        texts = {short_words(each) for each in self._proven.values() if each.value is not Value.UNKNOWN} or {"draw"}
        if cell >= _TAG_CELL and max(tag_width(font, text, height) for text in texts) <= cell - 4:
            lift = (height + _TAG_GAP) / 2
            return CellPlan(lift, min(cell * 0.42, cell / 2 - lift - 1), "words", font, height)
        return CellPlan(0.0, cell * 0.42, "signs", font, max(7.0, min(cell * 0.38, 14.0)))

    def _paint_overlay(self, painter: QPainter, layout: GridLayout, plan: CellPlan) -> None:
        """In each empty cell a disc whose area goes with the share of visits, and the number where there is room."""
        legal, cells = self._mnk.legal_moves, self._looks_of(self._overlay or {}, layout, plan)
        key = (layout, plan.lift, plan.radius, plan.style, self._theme.name, self._mnk)

        def place(number: int) -> QRectF:
            return self._cell_place(layout, legal[number])

        def paint(into: QPainter, changed: list[int]) -> None:
            self._paint_cells(into, layout, plan, [(legal[number], cells[number]) for number in changed])

        within_s = _PART_S if self._in_parts else math.inf
        if not self._cells.draw(painter, self, key, cells, place, paint, within_s=within_s):
            self._rest.start()

    def prepare_overlay(self, overlay: dict[Move, OverlayItem] | None) -> None:
        if overlay and self.isVisible():
            layout = self._layout_now()
            self._looks_of(overlay, layout, self._plan_now(layout))

    def _looks_of(self, overlay: dict[Move, OverlayItem], layout: GridLayout, plan: CellPlan) -> dict[int, CellLook]:
        """How the overlay looks in each cell, by the number of its move; kept until something of it is another."""
        legal = self._mnk.legal_moves
        ratio, hovered = self.devicePixelRatioF(), self._hovered if self._interactive else None
        key = (layout, plan.radius, self._mnk, self._overlay_style, ratio, hovered)
        if overlay is self._looked_at and key == self._looks_key:
            return self._looks
        full, steps = full_share(overlay.values(), len(legal)), 2 * ratio
        cells: dict[int, CellLook] = {}
        for number, move in enumerate(legal):
            item = overlay.get(move)
            if item is None:
                continue
            radius = max(1.2, plan.radius * min(1.0, item.share / full) ** 0.5)
            # To half a device pixel: a finer change cannot be seen, and the cell need not be painted again.
            radius = round(radius * steps) / steps
            text, below = self._number(layout, move, item, radius)
            cells[number] = CellLook(radius, item.color.rgb(), item.leader, text, below)
        self._looked_at, self._looks_key, self._looks = overlay, key, cells
        return cells

    def _cell_place(self, layout: GridLayout, move: MnkMove) -> QRectF:
        """The cell in whole device pixels, so that it can be wiped without touching its neighbours."""
        ratio, cell = self.devicePixelRatioF(), layout.cell_rect(move.column, move.row)
        left, top = round(cell.left() * ratio) / ratio, round(cell.top() * ratio) / ratio
        return QRectF(left, top, round(cell.width() * ratio) / ratio, round(cell.height() * ratio) / ratio)

    def _paint_cells(
        self, painter: QPainter, layout: GridLayout, plan: CellPlan, looks: list[tuple[MnkMove, CellLook]]
    ) -> None:
        ratio, ink = self.devicePixelRatioF(), self._theme.color("text")
        texts: list[tuple[str, QRectF, bool]] = []
        for move, look in looks:
            cell = layout.cell_rect(move.column, move.row).adjusted(0, 0, 0, -2 * plan.lift)
            middle = cell.center() + QPointF(0.5, 0.5)
            if look.below:
                middle -= QPointF(0, layout.cell * 0.13)
                cell.setTop(middle.y() + look.radius)
                cell.translate(-self._beside_sign(cell, look.text, plan), 0)
            self._discs.draw(painter, middle, look.radius, QColor(look.color), ratio)
            if look.leader:
                painter.setPen(QPen(ink, max(1.6, min(4.0, layout.cell * 0.04))))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(middle, plan.radius, plan.radius)
            if look.text:
                texts.append((look.text, cell, look.leader))
        painter.setPen(ink)
        for bold in (False, True):
            chosen = [(text, cell) for text, cell, leader in texts if leader == bold]
            if chosen:
                painter.setFont(painting.sized(self.font(), _number_px(layout.cell), bold=bold))
                painting.draw_centered(painter, chosen)

    def _beside_sign(self, cell: QRectF, text: str, plan: CellPlan) -> float:
        """How far to the left of its middle a number at the foot of this cell has to stand for the sign beside it."""
        if plan.style != "signs":
            return 0.0
        end = cell.center().x() + self._widths.get(self.font(), _number_px(cell.width()), text) / 2
        return max(0.0, end - (cell.right() - plan.height - _SIGN_GAP))

    def _number(self, layout: GridLayout, move: MnkMove, item: OverlayItem, radius: float) -> tuple[str, bool]:
        """The number to show for a move, and whether it stands below its disc; "" where it would be a mess."""
        if layout.cell < _NUMBER_CELL or (move == self._hovered and self._interactive):
            return "", False
        if not (text := number_text(item, self._overlay_style)):
            return "", False
        pixels = _number_px(layout.cell)
        if layout.cell < _ROOMY_CELL:
            # There is no room below, and a number whose ends reach over the disc is better than none.
            return (text, False) if item.leader or len(text) * pixels * 0.7 <= 1.8 * radius else ("", False)
        if item.leader:
            return text, False
        width = self._widths.get(self.font(), pixels, text)
        # Inside if its corners are, with a little air: half the width, and half the height of a figure.
        return text, math.hypot(width / 2, pixels * 0.37) > 0.92 * radius

    def _paint_proven(self, painter: QPainter, layout: GridLayout, plan: CellPlan) -> None:
        """At the foot of each empty cell what is proven of it: sign and words, or in small cells the sign."""
        for move, truth in self._proven.items():
            assert isinstance(move, MnkMove)
            if truth.value is Value.UNKNOWN and len(self._proven) > _MANY_MOVES:
                continue  # hundreds of question marks would say no more than the sentence above the board
            cell = layout.cell_rect(move.column, move.row)
            if plan.style == "words":
                text = short_words(truth) if truth.value is not Value.UNKNOWN else ""
                place = QPointF(cell.center().x() + 0.5, cell.bottom() - plan.height / 2 - _TAG_GAP)
                self._mark_art.draw_tag(painter, self._theme, truth.value, text, plan.font, place, plan.height)
            else:
                place = cell.bottomRight() - QPointF(1, 1) * (plan.height / 2 + min(2.0, layout.cell * 0.05))
                self._mark_art.draw_mark(painter, self._theme, truth.value, place, plan.height)

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

    def _paint_preview(self, painter: QPainter, layout: GridLayout) -> None:
        """A line of play: in each cell a disc in the colour of its side, with the number of the ply."""
        plan = self._plan_now(layout)
        # Where the overlay's disc would be, so that what is proven of the move can still be read.
        lifted, radius = QPointF(0, -plan.lift), max(4.0, min(layout.cell * 0.36, plan.radius))
        plies = [
            (Side((self._mnk.turn + ply) % 2), self._middle(layout, move) + lifted)
            for ply, move in enumerate(self._previewed)
            if isinstance(move, MnkMove)
        ]
        painting.draw_plies(painter, self._theme, plies, radius)

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
            painting.draw_ring(
                painter, layout.cell_rect(self._cursor.cell.column, self._cursor.cell.row), accent, thick
            )
        if isinstance(self._hovered, MnkMove) and (text := self.hover_words()):
            self._paint_tag(painter, layout, self.cell_rect(self._hovered), text, filled=True)

    def hover_words(self) -> str:
        move = self._hovered
        if not isinstance(move, MnkMove):
            return ""
        layout, number = self._layout_now(), ""
        if (item := (self._overlay or {}).get(move)) is not None:
            full = full_share((self._overlay or {}).values(), len(self._mnk.legal_moves))
            radius = self._plan_now(layout).radius * min(1.0, item.share / full) ** 0.5
            if not self._number(layout, move, item, radius)[0]:
                number = f" {number_text(item, self._overlay_style)}".rstrip()
        if move in self._proven:
            return f"{move.text}{number}: {full_words(self._proven[move])}"
        return f"{move.text}{number}" if item is not None and (number or self._overlay_style == "none") else ""

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


def _number_px(cell: float) -> float:
    """How large the overlay's numbers are in a cell of this size."""
    return max(9.0, min(cell * 0.23, 26.0))
