"""How an m,n,k game looks: grid, marks X and O, the overlay's discs, what is proven, rings and labels."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from nimdesk.games import MnkMove, MnkPosition, Side
from nimdesk.games.mnk.rules import COLUMN_LETTERS
from nimdesk.games.truth import MoveTruth, Value
from nimdesk.ui.boards.base import OverlayItem, full_share, number_text
from nimdesk.ui.boards.mnk.looks import CellsLook, GridLayout, look_of, paint_winning_line
from nimdesk.ui.boards.pictures import BoardArt
from nimdesk.ui.look import painting
from nimdesk.ui.look.move_marks import full_words, short_words, tag_width

if TYPE_CHECKING:
    from nimdesk.ui.boards.mnk.board import MnkBoard


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


_NUMBER_CELL = 27.0
_ROOMY_CELL = 40.0
_TAG_CELL = 44.0
_DOT = 0.002
"""The disc of a smaller share is a dot, which makes no room beside it for what is proven."""
_MANY_MOVES = 60
_ANSWER = 0.45
"""How strong a piece is that lies where a threat can be answered."""
_LIFT = 0.13
"""How far a disc moves up to make room for the number below it, as a part of the cell's size."""
_SIGN_BELOW = 0.27
"""How far the sign of what is proven is below the middle of a hole, as a part of the cell's size."""
_SIGN_GAP = 3.0
"""Pixels between a number and the sign of what is proven."""
_TAG_GAP = 4.0


@dataclass(frozen=True, slots=True)
class CellPlan:
    """How an empty cell is divided: its disc is lifted, with this largest radius, over what is proven.

    ``style`` is ``words`` (a tag in ``font``, ``height`` high), ``signs`` (``height`` high and wide) or "" for nothing.
    """

    lift: float
    radius: float
    style: str
    font: QFont
    height: float
    numbers: QFontMetricsF
    """The font of the overlay's numbers."""


class CellLook(NamedTuple):
    """All that decides how the overlay looks in a cell: the disc, the leader's ring, the number and its place."""

    radius: float
    color: int
    leader: bool
    text: str
    below: bool


class GridArt(BoardArt):
    """Paints a board of an m,n,k game."""

    board: MnkBoard

    @property
    def mnk(self) -> MnkPosition:
        """The position shown."""
        return self.board.mnk

    @property
    def look(self) -> CellsLook:
        """How the board of this game is made."""
        return look_of(self.mnk.game)

    def side_color(self, side: Side) -> QColor:
        return self.look.color(side)

    def paint_side(self, painter: QPainter, side: Side, middle: QPointF, size: float) -> None:
        self.look.piece(painter, side, middle, 1.2 * size)

    @property
    def hovered(self) -> MnkMove | None:
        """The cell that is pointed at."""
        return cast(MnkMove | None, self.board.hovered_move)

    def paint(self, painter: QPainter) -> None:
        layout = self.board.places()
        key = (self.mnk, self.mnk.moves[-1:], self.theme.name, self.board.animating)
        self.still.draw(painter, self.board, self.theme.color("window"), key, self._paint_still)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_hover(painter, layout)
        plan = self.plan(layout)
        if self.shown.overlay:
            self._paint_overlay(painter, layout, plan)
        self._paint_pairs(painter, layout, plan)
        self._paint_proven(painter, layout, plan)
        self._paint_moving(painter, layout)
        self._paint_line(painter, layout)
        self._paint_preview(painter, layout)
        self._paint_rings(painter, layout)

    def _paint_still(self, painter: QPainter) -> None:
        """The empty board, coordinates and pieces."""
        layout = self.board.places()
        self.look.ground(painter, layout, self.ratio)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.board.pictured:
            self._paint_coordinates(painter, layout)
        self._paint_pieces(painter, layout)

    def _paint_coordinates(self, painter: QPainter, layout: GridLayout) -> None:
        painter.setPen(self.theme.color("muted"))
        painter.setFont(self.font(layout.text_px))
        text, beyond = layout.text_px, layout.cell * self.look.rim
        rect = layout.rect.adjusted(-beyond, 0, 0, beyond)
        # On a board with tiny cells every other letter or number is enough.
        every = 1 if layout.cell >= text * 1.2 else 2
        for column in range(0, layout.columns, every):
            left = layout.left + column * layout.cell
            place = QRectF(left - text, rect.bottom() + text * 0.35, layout.cell + 2 * text, text * 1.4)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, COLUMN_LETTERS[column])
        for row in range(0, layout.rows, every):
            middle = layout.cell_rect(0, row).center().y()
            place = QRectF(0, middle - text, rect.left() - text * 0.6, text * 2)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(row + 1))

    def _paint_pieces(self, painter: QPainter, layout: GridLayout) -> None:
        """Paint all pieces that lie still; once a line has won, those of the other side are fainter."""
        still = not self.board.animating
        moves = self.mnk.moves if still else self.mnk.moves[:-1]
        winning = set(self.mnk.winning_line) if still else set()
        winner = self.mnk.turn.other
        for cell in winning or moves[-1:]:
            if still:
                self.look.tint(painter, layout.cell_rect(cell.column, cell.row), winner)
        for ply, move in enumerate(moves):
            strength = 0.5 if winning and Side(ply % 2) is not winner else 1.0
            self.look.piece(painter, Side(ply % 2), layout.middle(move.column, move.row), layout.cell, strength)
        if moves and still:
            self.look.last(painter, winner, layout.cell_rect(moves[-1].column, moves[-1].row))

    def _paint_hover(self, painter: QPainter, layout: GridLayout) -> None:
        """Show what a press would do; nothing while the last move is happening, or if it is not a person's turn."""
        if self.hovered is None or not self.board.interactive or self.board.animating:
            return
        rect = layout.cell_rect(self.hovered.column, self.hovered.row)
        if self.mnk.game.gravity:
            column = QRectF(rect.left(), layout.top, layout.cell, layout.rect.height())
            painter.fillRect(column, painting.faded(QColor("#ffffff"), 0.16))
        self.look.piece(painter, self.mnk.turn, layout.middle(*self._at(self.hovered)), layout.cell, 0.45)

    @staticmethod
    def _at(move: MnkMove) -> tuple[int, int]:
        return move.column, move.row

    def _paint_moving(self, painter: QPainter, layout: GridLayout) -> None:
        """Paint the last move as it happens: the piece falls with gravity, and otherwise grows."""
        if not self.board.animating or not self.mnk.moves:
            return
        move, side, progress = self.mnk.moves[-1], self.mnk.turn.other, self.board.progress
        middle, cell = layout.middle(*self._at(move)), layout.cell
        if self.mnk.game.gravity:
            fall = middle.y() - (layout.top - cell / 2)
            middle.setY(middle.y() - fall * (1 - progress * progress))
            painter.save()
            self.look.fall(painter, layout, move.column)
            self.look.piece(painter, side, middle, cell)
            painter.restore()
        else:
            self.look.piece(painter, side, middle, cell * (0.5 + 0.5 * progress))

    def plan(self, layout: GridLayout) -> CellPlan:
        """How an empty cell is divided between the overlay's disc and what is proven."""
        cell, numbers = layout.cell, QFontMetricsF(self.font(_number_px(layout.cell)))
        disc = cell * self.look.disc
        if not self.shown.proven:
            return CellPlan(0.0, disc, "", self.font(9), 0.0, numbers)
        pixels = max(11.0, min(cell * 0.125, painting.font_px(self.board) * 1.3))
        font = self.font(pixels)
        height = float(round(font.pixelSize() * 1.45))
        known = [each for each in self.shown.proven.values() if each.value is not Value.UNKNOWN]
        texts = {short_words(each) for each in known} or {"draw"}
        if cell >= _TAG_CELL and max(tag_width(font, text, height) for text in texts) <= cell - 4:
            lift = (height + _TAG_GAP) / 2
            # Half of the line of the leader's ring is outside the disc, and must be inside the cell too.
            return CellPlan(lift, min(disc, cell / 2 - lift - 4), "words", font, height, numbers)
        return CellPlan(0.0, disc, "signs", font, max(7.0, min(cell * 0.38, 14.0)), numbers)

    def _paint_overlay(self, painter: QPainter, layout: GridLayout, plan: CellPlan) -> None:
        """In each empty cell a disc whose area goes with the share of visits, and the number where there is room."""
        legal, cells = self.mnk.legal_moves, self.looks()
        key = (layout, plan.lift, plan.radius, plan.style, self.theme.name, self.mnk)

        def place(number: int) -> QRectF:
            return self._cell_place(layout, legal[number])

        def paint(into: QPainter, changed: list[int]) -> None:
            self._paint_cells(into, layout, plan, [(legal[number], cells[number]) for number in changed])

        self.cells.draw(painter, self.board, key, cells, place, paint)

    def looks(self) -> dict[int, CellLook]:
        """How the overlay looks in each cell, by the number of its move."""
        layout, overlay, legal = self.board.places(), self.shown.overlay, self.mnk.legal_moves
        plan = self.plan(layout)
        full, steps = full_share(overlay.values(), len(legal)), 2 * self.ratio
        hidden = self.hovered if self.board.interactive else None
        cells: dict[int, CellLook] = {}
        for number, move in enumerate(legal):
            item = overlay.get(move)
            if item is None or move in self.shown.line:
                continue
            radius = max(1.2, plan.radius * min(1.0, item.share / full) ** 0.5)
            # Rounded to half a device pixel: a finer change cannot be seen, so the cell need not be painted again.
            radius = round(radius * steps) / steps
            text, below = ("", False) if move == hidden else self._number(layout, plan, item, radius)
            cells[number] = CellLook(radius, item.color.rgb(), item.leader, text, below)
        return cells

    def _cell_place(self, layout: GridLayout, move: MnkMove) -> QRectF:
        """The cell in whole device pixels, so that it can be wiped without touching its neighbours."""
        ratio, cell = self.ratio, layout.cell_rect(move.column, move.row)
        left, top = round(cell.left() * ratio) / ratio, round(cell.top() * ratio) / ratio
        return QRectF(left, top, round(cell.width() * ratio) / ratio, round(cell.height() * ratio) / ratio)

    def _paint_cells(
        self, painter: QPainter, layout: GridLayout, plan: CellPlan, looks: list[tuple[MnkMove, CellLook]]
    ) -> None:
        ink = self.theme.color("text")
        texts: dict[tuple[bool, int], list[tuple[str, QRectF]]] = {}
        for move, look in looks:
            cell = layout.cell_rect(move.column, move.row).adjusted(0, 0, 0, -2 * plan.lift)
            middle = cell.center() + QPointF(0.5, 0.5)
            if look.below:
                if plan.style == "signs" and self.mnk.game.gravity:
                    lift = 0.26
                    cell.setBottom(middle.y() + layout.cell * _SIGN_BELOW - plan.height / 2)
                else:
                    lift = _LIFT
                    cell.translate(-self._beside_sign(cell, look.text, plan), 0)
                middle -= QPointF(0, layout.cell * lift)
                cell.setTop(middle.y() + look.radius)
            self._disc(painter, middle, look.radius, look.color)
            if look.leader:
                painter.setPen(QPen(ink, max(1.6, min(4.0, layout.cell * 0.04))))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(middle, plan.radius, plan.radius)
            if look.text:
                written = painting.ink_on(QColor(look.color)) if self.look.lies else ink
                texts.setdefault((look.leader, written.rgb()), []).append((look.text, cell))
        for (bold, written_rgb), chosen in texts.items():
            painter.setPen(QColor(written_rgb))
            painter.setFont(self.font(_number_px(layout.cell), bold=bold))
            painting.draw_centered(painter, chosen)

    def _disc(self, painter: QPainter, middle: QPointF, radius: float, rgb: int) -> None:
        """A disc of the overlay; its radius is a number of half device pixels.

        On wood it is opaque: blended with so warm a ground, blue would be grey.
        """
        reach, color, lies = radius + 2 / self.ratio, QColor(rgb), self.look.lies

        def paint(into: QPainter, place: QRectF) -> None:
            edge = self.theme.color("stone_edge") if lies else painting.faded(color, 0.9)
            into.setPen(QPen(edge, 1.0))
            into.setBrush(color if lies else painting.faded(color, 0.34))
            into.drawEllipse(place.center(), radius, radius)

        place = QRectF(middle.x() - reach, middle.y() - reach, 2 * reach, 2 * reach)
        self.stamps.draw(painter, self.ratio, (rgb, radius, lies), place, paint)

    def _beside_sign(self, cell: QRectF, text: str, plan: CellPlan) -> float:
        """How far a number at the foot of this cell moves to the left to make room for the sign beside it."""
        if plan.style != "signs":
            return 0.0
        end = cell.center().x() + plan.numbers.horizontalAdvance(text) / 2
        return max(0.0, end - (cell.right() - plan.height - _SIGN_GAP))

    def _number(self, layout: GridLayout, plan: CellPlan, item: OverlayItem, radius: float) -> tuple[str, bool]:
        """The number to show for a move, and whether it stands below its disc; "" if there is no room for it."""
        if layout.cell < _NUMBER_CELL or not (text := number_text(item, self.shown.style)):
            return "", False
        pixels = _number_px(layout.cell)
        if layout.cell < _ROOMY_CELL or self.look.lies:
            # Below there is no room, or a line; a number that reaches over the disc is better than none.
            return (text, False) if item.leader or len(text) * pixels * 0.7 <= 1.8 * radius else ("", False)
        if item.leader:
            return text, False
        width = plan.numbers.horizontalAdvance(text)
        # Inside if its corners are, with a little air: half the width, and half the height of a figure.
        beyond = math.hypot(width / 2, pixels * 0.37) > 0.92 * radius
        # A disc that moves up for a number stays in its cell: beyond it, it could not be wiped.
        in_cell = layout.cell * (0.5 - _LIFT) - plan.lift - 2.0
        most = layout.cell * 0.16 if self.mnk.game.gravity else in_cell
        return text, beyond and radius < most

    def _paint_proven(self, painter: QPainter, layout: GridLayout, plan: CellPlan) -> None:
        """At the foot of each empty cell what is proven of it: sign and words, or in small cells the sign."""
        crowded = len(self.shown.proven) > _MANY_MOVES
        for move, truth in self.shown.proven.items():
            assert isinstance(move, MnkMove)
            if crowded and truth.value is Value.UNKNOWN:
                continue  # hundreds of question marks would say no more than the sentence above the board
            if self.look.lies and (move in self.shown.line or move in self.shown.answers):
                continue  # a stone of the line lies there
            if self.look.lies and crowded and self.shown.line and truth.value is Value.LOSS:
                continue  # among hundreds of crosses the line could not be seen
            cell = layout.cell_rect(move.column, move.row)
            item = self.shown.overlay.get(move)
            if self.look.lies and (item is None or (item.share < _DOT and not item.leader)):
                self._paint_on_crossing(painter, layout, truth)
            elif plan.style == "words":
                text = short_words(truth) if truth.value is not Value.UNKNOWN else ""
                place = QPointF(cell.center().x() + 0.5, cell.bottom() - plan.height / 2 - _TAG_GAP)
                self.tag(painter, truth, text, plan.font, place, plan.height)
            elif self.mnk.game.gravity:
                place = QPointF(cell.center().x(), cell.center().y() + layout.cell * _SIGN_BELOW)
                self.mark(painter, truth, place, plan.height)
            else:
                place = cell.bottomRight() - QPointF(1, 1) * (plan.height / 2 + min(2.0, layout.cell * 0.05))
                self.mark(painter, truth, place, plan.height)

    def _paint_on_crossing(self, painter: QPainter, layout: GridLayout, truth: MoveTruth) -> None:
        """On a crossing of lines, where a stone would lie: the sign, with the distance where there is room for it."""
        assert isinstance(truth.move, MnkMove)
        height = float(round(max(9.0, min(0.46 * layout.cell, 20.0))))
        font, middle = self.font(0.66 * height), layout.middle(*self._at(truth.move))
        text = f"{truth.distance}" if truth.distance and truth.value in (Value.WIN, Value.LOSS) else ""
        if tag_width(font, text, height) > layout.cell - 1:
            text = ""
        self.tag(painter, truth, text, font, middle, height)

    def _paint_pairs(self, painter: QPainter, layout: GridLayout, plan: CellPlan) -> None:
        """In both cells of each pair its number, and a line between the two if one of them is pointed at."""
        lifted = QPointF(0, -plan.lift)
        painter.setFont(self.font(max(10.0, min(layout.cell * 0.32, 26.0)), bold=True))
        pointed = (self.hovered, self.shown.highlight, self.board.cell if self.board.cursor_shown else None)
        for number, pair in enumerate(self.shown.pairs):
            one, other = (layout.middle(*self._at(move)) + lifted for move in pair if isinstance(move, MnkMove))
            painter.setPen(QPen(self.theme.curve(number % len(self.theme.curves)), max(2.0, layout.cell * 0.06)))
            if any(move in pair for move in pointed):
                painter.drawLine(one, other)
            size = QPointF(layout.cell, layout.cell) / 2
            chosen = [(str(number + 1), QRectF(middle - size, middle + size)) for middle in (one, other)]
            painting.draw_centered(painter, chosen)

    def _paint_line(self, painter: QPainter, layout: GridLayout) -> None:
        """Through each winning line, from end to end, under the mark of the last move."""
        if not self.board.animating and self.mnk.winning_line:
            winner, last = self.mnk.turn.other, self.mnk.moves[-1]
            for ends in winning_ends(self.mnk):
                paint_winning_line(painter, self.look, layout, ends, winner, self.board.line_drawn)
            self.look.last(painter, winner, layout.cell_rect(last.column, last.row))

    def _paint_preview(self, painter: QPainter, layout: GridLayout) -> None:
        """A line of play: in each cell a disc in the colour of its side, with the number of the ply.

        Where a threat ends it, a faint piece lies wherever it can be answered.
        """
        plan = self.plan(layout)
        # Where the overlay's disc would be, so that what is proven of the move can still be read.
        lifted, radius = QPointF(0, -plan.lift), max(4.0, min(layout.cell * 0.36, plan.radius))
        plies = [
            (self.side_of_ply(ply), layout.middle(*self._at(move)) + lifted)
            for ply, move in enumerate(self.shown.line)
            if isinstance(move, MnkMove)
        ]
        for move in self.shown.answers:
            assert isinstance(move, MnkMove)
            side = self.side_of_ply(len(self.shown.line))
            self.look.piece(painter, side, layout.middle(*self._at(move)) + lifted, layout.cell, _ANSWER)
        self.look.numbered(painter, plies, radius)

    def _paint_rings(self, painter: QPainter, layout: GridLayout) -> None:
        """Around cells: what is pointed at elsewhere, what is proposed, where the keyboard is; and their labels."""
        theme, legal, accent = self.theme, self.mnk.legal_moves, self.theme.color("accent")
        thick = max(2.0, min(4.0, layout.cell * 0.06))
        inset = thick / 2 + 1
        if self.shown.highlight in legal:
            cell = self.board.cell_rect(self.shown.highlight).adjusted(inset, inset, -inset, -inset)
            self._ring(painter, cell, theme.color("text"), thick)
        if self.shown.suggestion in legal:
            cell = self.board.cell_rect(self.shown.suggestion).adjusted(inset, inset, -inset, -inset)
            self._ring(painter, cell, accent, thick, dashed=True)
            self._paint_tag(painter, layout, cell, "suggested", filled=False)
        if self.board.cursor_shown:
            self._ring(painter, layout.cell_rect(self.board.cell.column, self.board.cell.row), accent, thick)
        if self.hovered is not None and (text := self.hover_words()):
            self._paint_tag(painter, layout, self.board.cell_rect(self.hovered), text, filled=True)

    def _ring(self, painter: QPainter, cell: QRectF, color: QColor, width: float, *, dashed: bool = False) -> None:
        """A ring that is seen on every ground, because it lies on a wider one in the colour of plain boards."""
        painting.draw_ring(painter, cell, self.theme.color("board"), width + 2.5)
        painting.draw_ring(painter, cell, color, width, dashed=dashed)

    def hover_words(self) -> str:
        """The label of the cell that is pointed at: what finds no room in the cell; "" if the cell shows everything."""
        move = self.hovered
        if move is None:
            return ""
        layout, number = self.board.places(), ""
        if (item := self.shown.overlay.get(move)) is not None:
            full = full_share(self.shown.overlay.values(), len(self.mnk.legal_moves))
            plan = self.plan(layout)
            radius = plan.radius * min(1.0, item.share / full) ** 0.5
            if self.board.interactive or not self._number(layout, plan, item, radius)[0]:
                number = f" {number_text(item, self.shown.style)}".rstrip()
        proven = self.shown.proven.get(move)
        if proven is not None and proven.value is not Value.UNKNOWN and self.plan(layout).style != "words":
            return f"{move.text}{number}: {full_words(proven)}"
        return f"{move.text}{number}" if item is not None and (number or self.shown.style == "none") else ""

    def _paint_tag(self, painter: QPainter, layout: GridLayout, cell: QRectF, text: str, *, filled: bool) -> None:
        """A small label at the top of the cell, or over or under it where it does not fit in."""
        pixels = max(10.0, min(layout.cell * 0.13, painting.font_px(self.board)))
        painter.setFont(self.font(pixels, bold=True))
        width, height = painter.fontMetrics().horizontalAdvance(text) + 10.0, pixels * 1.5
        left = max(2.0, min(self.board.width() - width - 2, cell.center().x() - width / 2))
        place = QRectF(left, cell.top(), width, height)
        if width > cell.width() or height >= layout.cell * 0.3:
            lying = (*self.mnk.moves, *self.shown.line, *self.shown.answers)
            cells = [self.board.cell_rect(piece) for piece in lying if isinstance(piece, MnkMove)]
            free = 0.1 * layout.cell  # of a cell around its piece
            pieces = [each.adjusted(free, free, -free, -free) for each in cells]
            place = free_side(cell, QSizeF(width, height), QRectF(self.board.rect()), pieces)
        roles = ("accent", "accent_text") if filled else ("base", "accent")
        fill, ink = (self.theme.color(role) for role in roles)
        painting.draw_chip(painter, place, text, fill, ink, outlined=True)


def free_side(cell: QRectF, size: QSizeF, board: QRectF, pieces: Iterable[QRectF]) -> QRectF:
    """The place of a label of this size at the side of a cell where it covers no piece, or else as few as can be.

    Over the cell goes before under it, and that before right and left of it.
    """
    width, height, middle = size.width(), size.height(), cell.center()
    left = max(board.left() + 2, min(board.right() - width - 2, middle.x() - width / 2))
    beside = middle.y() - height / 2
    places = [
        QRectF(left, cell.top() - height - 1, width, height),
        QRectF(left, cell.bottom() + 1, width, height),
        QRectF(cell.right() + 2, beside, width, height),
        QRectF(cell.left() - width - 2, beside, width, height),
    ]
    inside = [place for place in places if board.contains(place)] or places[:1]
    lying = list(pieces)
    return min(inside, key=lambda place: sum(place.intersects(piece) for piece in lying))


def _number_px(cell: float) -> float:
    """How large the overlay's numbers are in a cell of this size."""
    return max(11.0, min(cell * 0.23, 26.0))
