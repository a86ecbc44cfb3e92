"""How take-away games look: rows of pins or tokens, lanes with shares and what is proven, and words beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from nimdesk.games import Move
from nimdesk.games.base import describe_move
from nimdesk.games.take.heaps import moves_alone
from nimdesk.games.take.rules import TakeMove
from nimdesk.games.truth import MoveTruth, Value
from nimdesk.ui.boards.base import full_share, number_text
from nimdesk.ui.boards.pictures import BoardArt
from nimdesk.ui.boards.take.pins import paint_pin, paint_token
from nimdesk.ui.boards.take.places import TakePlaces
from nimdesk.ui.boards.take.rows import Spot, after, as_move, first_rows, lanes_of, parts_of_rows, rule_of, spots
from nimdesk.ui.look import painting
from nimdesk.ui.look.move_marks import full_words

if TYPE_CHECKING:
    from nimdesk.ui.boards.take.board import TakeBoard

_PARTED = 0.14
"""How far the parts of a row that would part move aside, in things."""


class RowsArt(BoardArt):
    """Paints a board of a take-away game."""

    board: TakeBoard

    @property
    def lifted(self) -> Spot | None:
        """The spot whose things are lifted: the one that is pointed at, if a person may choose it."""
        return self.board.pointed if self.board.interactive else None

    @property
    def proven(self) -> dict[TakeMove, MoveTruth]:
        """What is proven of each move."""
        return cast(dict[TakeMove, MoveTruth], self.shown.proven)

    def paint(self, painter: QPainter) -> None:
        board = self.board
        layout, pointed = board.places(), board.pointed
        key = (board.take, board.take.moves, board.rows, pointed, self.lifted, board.pictured, self.theme.name)
        self.still.draw(painter, board, self.theme.color("board"), key, self._paint_still)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if board.pictured:
            return
        self._paint_leaving(painter, layout)
        self._paint_overlay(painter, layout)
        self._paint_signs(painter, layout)
        self._paint_rings(painter, layout)
        self._paint_preview(painter, layout)
        self._paint_chips(painter, layout)
        self._paint_foot(painter, layout)

    # What lies on the board.

    def _paint_still(self, painter: QPainter) -> None:
        layout = self.board.places()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for row in range(len(layout.tops)):
            if not self.board.pictured:
                self._paint_label(painter, layout, row)
            self._paint_row(painter, layout, row)
        if not self.board.pictured:
            self._paint_cells(painter, layout)

    def _paint_row(self, painter: QPainter, layout: TakePlaces, row: int) -> None:
        game, rule = self.board.take.game, rule_of(self.board.take.game, row)
        self._paint_gone(painter, layout, row)
        taken = {
            slot: span
            for span in (self.lifted.spans if self.lifted is not None else ())
            for slot in range(span[1], span[1] + span[2])
            if span[0] == row
        }
        for start, size in layout.rows[row]:
            alive = bool(moves_alone(rule, size))
            for slot in range(start, start + size):
                look, up = ("lit", layout.lift) if slot in taken else ("wood" if alive else "far", 0.0)
                aside = 0.0 if slot in taken else self._aside(layout, row, slot, (start, size))
                self._put(painter, layout, layout.thing(row, slot), look, up, aside, pin=rule.splits)
        if len(game.parts) > 1 and not self.board.pictured:
            self._paint_part(painter, layout, row)

    def _aside(self, layout: TakePlaces, row: int, slot: int, piece: tuple[int, int]) -> float:
        """How far a thing moves aside while its piece would part."""
        span = next((each for each in (self.lifted.spans if self.lifted is not None else ()) if each[0] == row), None)
        if span is None or not piece[0] < span[1] < piece[0] + piece[1] - span[2] or not piece[0] <= slot < sum(piece):
            return 0.0
        return layout.pitch * _PARTED * (-1 if slot < span[1] else 1)

    def _put(
        self, painter: QPainter, layout: TakePlaces, slot: QRectF, look: str, up: float, aside: float, *, pin: bool
    ) -> None:
        height = layout.thing_h
        width = min(layout.pitch * 0.86, height * 0.46) if pin else min(layout.pitch * 0.86, height)
        if not pin:
            height = width
        x, y = self.snap(slot.center().x() - width / 2 + aside), self.snap(slot.bottom() - height - up)
        rect, theme = QRectF(x, y, self.snap(width), self.snap(height)), self.theme

        def paint(into: QPainter, place: QRectF) -> None:
            (paint_pin if pin else paint_token)(into, look, place)

        self.stamps.draw(painter, self.ratio, (theme.name, look, pin, rect.width(), rect.height()), rect, paint)

    def _paint_gone(self, painter: QPainter, layout: TakePlaces, row: int) -> None:
        """Where things stood: a dot each, and in the colour of its side what the last move took."""
        there = {slot for start, size in layout.rows[row] for slot in range(start, start + size)}
        heap = first_rows(self.board.take.game)[row][0][1]
        last = self.board.last_spot
        spans = [span for span in (last.spans if last is not None else ()) if span[0] == row]
        recent = {slot for _, first, count in spans for slot in range(first, first + count)}
        side = painting.side_color(self.theme, self.board.take.turn.other)
        painter.setPen(Qt.PenStyle.NoPen)
        for slot in set(range(heap)) - there:
            place, radius = layout.thing(row, slot), max(1.5, min(4.0, layout.pitch * 0.1))
            painter.setBrush(side if slot in recent else painting.faded(self.theme.color("muted"), 0.45))
            radius *= 1.5 if slot in recent else 1.0
            painter.drawEllipse(QPointF(place.center().x(), place.bottom() - radius - 1), radius, radius)

    def _paint_leaving(self, painter: QPainter, layout: TakePlaces) -> None:
        """What the last move took on its way out."""
        if not self.board.animating or (last := self.board.last_spot) is None:
            return
        progress = self.board.progress
        painter.setOpacity(1.0 - progress)
        for row, first, count in last.spans:
            pin = rule_of(self.board.take.game, row).splits
            for slot in range(first, first + count):
                up = layout.lift + progress * progress * layout.thing_h * 0.45
                self._put(painter, layout, layout.thing(row, slot), "lit", up, 0.0, pin=pin)
        painter.setOpacity(1.0)

    def _paint_label(self, painter: QPainter, layout: TakePlaces, row: int) -> None:
        """The sizes of the heaps of a row at its left, and under them what its lanes are for."""
        pieces, px, theme = layout.rows[row], layout.label_px, self.theme
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        width = layout.label_w - 12
        place = QRectF(layout.left - layout.label_w, layout.tops[row], width, layout.thing_h)
        text = "+".join(str(size) for _, size in pieces) or "0"
        font = self.font(px * 1.15, bold=True)
        if painting.text_width(font, text) > width:
            font = self.font(px * 0.85, bold=True)
        if painting.text_width(font, text) > width:
            text = f"{len(pieces)} heaps"
        painter.setFont(font)
        painter.setPen(theme.color("text" if pieces else "muted"))
        painter.drawText(place, right, text)
        if layout.sign_h < 10:
            return
        painter.setFont(self.font(px * 0.85))
        painter.setPen(theme.color("muted"))
        shown = {spot.lane for spot in self.board.spots()}
        for lane, words in enumerate(lanes_of(self.board.take.game, row)):
            if (row, lane) in shown:
                line = QRectF(place.left(), layout.lane_top((row, lane)), width, layout.sign_h)
                painter.drawText(line, right, words)

    def _paint_part(self, painter: QPainter, layout: TakePlaces, row: int) -> None:
        """Where a part of a sum begins: a line, and its number and its rule."""
        game, px = self.board.take.game, layout.label_px
        parts = parts_of_rows(game)
        if row and parts[row] == parts[row - 1]:
            return
        left, top = layout.left - layout.label_w, layout.tops[row] - layout.words_h
        if row:
            painter.setPen(QPen(self.theme.color("border"), self.theme.line, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(left, top - 1), QPointF(self.board.width() - 14.0, top - 1))
        if layout.words_h:
            painter.setFont(self.font(px * 0.85))
            painter.setPen(self.theme.color("muted"))
            place = QRectF(left, top, self.board.width() - left, px * 1.6)
            words = f"{parts[row] + 1}: {game.parts[parts[row]].rule.text}"
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_cells(self, painter: QPainter, layout: TakePlaces) -> None:
        """A dot for each spot, where no sign and no bar stands."""
        if layout.sign_h < 6:
            return
        pointed = self.board.pointed
        muted, accent = self.theme.color("muted"), self.theme.color("accent")
        painter.setPen(Qt.PenStyle.NoPen)
        for spot, cell in self.board.cells():
            meant = pointed is not None and spot == pointed
            radius = 3.6 if meant else 2.0
            painter.setBrush(accent if meant else painting.faded(muted, 0.75))
            point = layout.sign_point(cell)
            if len(spot.spans) > 1:
                for rise in (-2.4, 2.4):
                    painter.drawEllipse(point + QPointF(0, rise), radius * 0.9, radius * 0.9)
            else:
                painter.drawEllipse(point, radius, radius)

    # What a search and a proof say.

    def _paint_overlay(self, painter: QPainter, layout: TakePlaces) -> None:
        """In each cell a bar for the share of its move, and the number."""
        overlay = self.shown.overlay
        if not overlay or not layout.bar_h:
            return
        full = full_share(overlay.values(), len(self.board.take.legal_moves))
        number_px = max(9.0, min(layout.number_h / 1.25, layout.pitch / 2.2))
        plain, bold = (self.font(number_px, bold=thick) for thick in (False, True))
        ink, numbers = self.theme.color("text"), list[tuple[str, QRectF]]()
        width = self.snap(max(2.0, min(layout.pitch * 0.6, 22.0)))
        unit = "%" if painting.text_width(bold, "88%") <= layout.pitch - 2 else ""
        for spot, cell in self.board.cells():
            item = overlay.get(spot.move)
            if item is None:
                continue
            base = self.snap(cell.top() + layout.sign_h + layout.bar_h)
            height = max(1.0, self.snap(layout.bar_h * item.share / full))
            bar = QRectF(self.snap(cell.center().x() - width / 2), base - height, width, height)
            painter.fillRect(bar, item.color)
            text = number_text(item, self.shown.style) if layout.number_h else ""
            text = text if unit else text.rstrip("%")
            below = QRectF(cell.left(), base + 1, cell.width(), layout.number_h - 2)
            if item.leader:
                painter.setPen(QPen(ink, 1.4 * self.theme.line))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(bar)
                painter.setFont(bold)
                painting.draw_leader(painter, below, text)
            elif text:
                numbers.append((text, below))
        painter.setFont(plain)
        painter.setPen(ink)
        painting.draw_centered(painter, numbers, where_they_fit=True)

    def _paint_signs(self, painter: QPainter, layout: TakePlaces) -> None:
        """In each cell what is proven: badges for wins, small crosses for moves that lose."""
        size = max(8.0, min(layout.sign_h * 0.95, layout.pitch * 0.8, 18.0))
        badges, pointed = [], self.board.pointed
        for spot, cell in self.board.cells():
            known = self.proven.get(spot.move)
            if known is None:
                continue
            point = layout.sign_point(cell)
            if known.value is Value.LOSS:
                if spot != pointed:
                    painter.fillRect(QRectF(point.x() - 3, point.y() - 5, 6, 10), self.theme.color("board"))
                self.mark(painter, known, point, min(size, 11.0))
            else:
                badges.append((known, point))
        for known, point in badges:
            self.mark(painter, known, point, size)

    def _key_words(self) -> str:
        values = {each.value for each in self.shown.proven.values()}
        if values == {Value.LOSS}:
            return "no move wins"
        parts = [("✓ wins", Value.WIN), ("✗ loses", Value.LOSS), ("? not proven", Value.UNKNOWN)]
        return ", ".join(words for words, value in parts if value in values)

    # What is pointed at, proposed and told.

    def _paint_rings(self, painter: QPainter, layout: TakePlaces) -> None:
        """Around things: what the keyboard would take, what is proposed, what is pointed at elsewhere."""
        accent = self.theme.color("accent")
        self._paint_ring(painter, layout, self.shown.highlight, self.theme.color("text"), 2.5)
        self._paint_ring(painter, layout, self.shown.suggestion, accent, 2.0, dashed=True)
        if self.board.cursor_shown:
            self._paint_ring(painter, layout, self.board.hovered_move, accent, 2.5)

    def _paint_ring(
        self,
        painter: QPainter,
        layout: TakePlaces,
        move: Move | None,
        color: QColor,
        width: float,
        *,
        dashed: bool = False,
    ) -> None:
        spot = self.board.spot_of(move)
        for rect in layout.taken(spot) if spot is not None else ():
            ring = rect.adjusted(0.5, -layout.lift - 1, -0.5, 3)
            painting.draw_ring(painter, ring, color, width, dashed=dashed)

    def _paint_preview(self, painter: QPainter, layout: TakePlaces) -> None:
        """A line of play: over what each move takes a bar in the colour of its side, and the number of the ply."""
        game, rows, plies = self.board.take.game, self.board.rows, []
        radius = max(6.0, min(layout.pitch * 0.4, layout.thing_h * 0.18, 15.0))
        for ply, move in enumerate(self.shown.line):
            spot = next((spot for spot in spots(game, rows) if spot.move == move), None)
            if spot is None:
                break
            if not ply:
                spot = self.board.spot_of(move) or spot
            side = self.side_of_ply(ply)
            rows = after(rows, spot)
            for rect in layout.taken(spot):
                left, right = rect.left() + layout.pitch / 2, rect.right() - layout.pitch / 2
                y = rect.center().y() + layout.thing_h * 0.1
                painter.setPen(QPen(painting.side_color(self.theme, side), max(3.0, radius * 0.6)))
                if right > left:
                    painter.drawLine(QPointF(left, y), QPointF(right, y))
            place = layout.taken(spot)[0]
            plies.append((side, QPointF(place.center().x(), place.center().y() + layout.thing_h * 0.1)))
        painting.draw_plies(painter, plies, radius)

    def spot_words(self, move: TakeMove) -> tuple[str, ...]:
        """What to say of a move that is pointed at; then a shorter form."""
        item, parts = self.shown.overlay.get(move), []
        if item is not None and not self.board.places().number_h and self.shown.style != "none":
            parts.append(number_text(item, self.shown.style))
        if move in self.shown.proven:
            parts.append(full_words(self.shown.proven[move]))
        told = f": {' · '.join(parts)}" if parts else ""
        return f"{describe_move(move)}{told}", f"{_short(move)}{told}", _short(move)

    def _paint_chips(self, painter: QPainter, layout: TakePlaces) -> None:
        """What is said of the spot that is pointed at, or else of the suggestion, or of the last move."""
        board, theme = self.board, self.theme
        suggested, last = as_move(self.shown.suggestion), board.last_spot
        if board.dragged is not None and board.pointed is None:
            refused = (f"{board.dragged[2]} at once cannot be taken here",)
            fill, ink = theme.color("board"), theme.color("muted")
            self._paint_chip(painter, layout, board.dragged, refused, fill, ink, outlined=True)
        if (pointed := board.pointed) is not None:
            fill, ink = theme.color("accent"), theme.color("accent_text")
            self._paint_chip(painter, layout, pointed.spans[0], self.spot_words(pointed.move), fill, ink)
        if suggested is not None and (spot := board.spot_of(suggested)) is not None and spot != pointed:
            if pointed is None or pointed.lane[0] != spot.lane[0]:
                texts = tuple(f"suggested: {text}" for text in self.spot_words(suggested)[:2])
                fill, ink = theme.color("board"), theme.color("accent")
                self._paint_chip(painter, layout, spot.spans[0], texts, fill, ink, outlined=True)
        elif pointed is None and last is not None and board.take.outcome is None:
            side = board.take.game.side_name(board.take.turn.other)
            ink = painting.side_color(theme, board.take.turn.other)
            words = (f"{side}: {describe_move(last.move)}", f"{side}: {_short(last.move)}")
            self._paint_chip(painter, layout, last.spans[0], words, theme.color("board"), ink)

    def _paint_chip(
        self,
        painter: QPainter,
        layout: TakePlaces,
        span: tuple[int, int, int],
        texts: tuple[str, ...],
        fill: QColor,
        ink: QColor,
        *,
        outlined: bool = False,
    ) -> None:
        """Beside the row where there is room, else over it, or under it at the top of the board."""
        height, font, row = layout.label_px * 1.7, self.font(layout.label_px, bold=True), span[0]
        painter.setFont(font)
        taken = layout.span(span)
        heap = first_rows(self.board.take.game)[row][0][1]
        right = max(layout.x(row, heap), layout.thing(row, heap - 1).right()) + 10
        beyond = self.board.width() - 4.0
        for text in texts:
            width = painting.text_width(font, text) + 16
            if right + width <= beyond:
                top = taken.center().y() - height / 2
                painting.draw_chip(painter, QRectF(right, top, width, height), text, fill, ink, outlined=outlined)
                return
        text = texts[0] if painting.text_width(font, texts[0]) + 16 < beyond - 4 else texts[-1]
        width = painting.text_width(font, text) + 16
        left = max(4.0, min(beyond - width, taken.center().x() - width / 2))
        top = taken.top() - layout.lift - height
        top = top if top >= 0 else taken.bottom() + layout.sign_h + 4
        painting.draw_chip(painter, QRectF(left, top, width, height), text, fill, ink, outlined=outlined)

    def _paint_foot(self, painter: QPainter, layout: TakePlaces) -> None:
        """Under the rows: the rule and what the marks mean."""
        top = min(layout.bottom + layout.label_px * 0.3, self.board.height() - layout.label_px * 2.0)
        foot = QRectF(8, top, self.board.width() - 16, layout.label_px * 1.8)
        painter.setFont(self.font(layout.label_px))
        painter.setPen(self.theme.color("muted"))
        key, rule = self._key_words(), self.board.take.game.rules_text.rstrip(".")
        choices = [key] if self.board.rule_told else [f"{rule} · {key}" if key else rule, key]
        font = painter.font()
        words = next((each for each in choices if painting.text_width(font, each) <= foot.width()), key)
        painter.drawText(foot, Qt.AlignmentFlag.AlignCenter, words)


def _short(move: TakeMove) -> str:
    """A move without its heap, such as "take 1, leaving 3 and 5"."""
    what = f"take {move.take}" if move.take else "split"
    if len(move.heaps) > 1:
        return f"{what} from both"
    return f"{what}, leaving {move.left[0]} and {move.left[1]}" if move.left else what
