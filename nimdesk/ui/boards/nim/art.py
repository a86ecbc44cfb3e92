"""How Nim looks: sticks and labels, the overlay's bars, what is proven, and words where they find room."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from nimdesk.games import Move, NimGame, NimMove, NimPosition
from nimdesk.games.base import describe_move
from nimdesk.games.truth import MoveTruth, Value
from nimdesk.ui.boards.base import full_share, number_text
from nimdesk.ui.boards.nim.sticks import StickLayout, paint_stick
from nimdesk.ui.boards.pictures import BoardArt
from nimdesk.ui.look import painting
from nimdesk.ui.look.move_marks import full_words

if TYPE_CHECKING:
    from nimdesk.ui.boards.nim.board import NimBoard


def sticks_words(count: int) -> str:
    """The number in words, such as "1 stick" or "5 sticks"."""
    return "1 stick" if count == 1 else f"{count} sticks"


def limit_words(game: NimGame) -> str:
    """What may be taken, and what taking the last stick means."""
    limit = game.max_take
    number = "as many as you like" if limit is None else "1" if limit == 1 else f"1 to {limit}"
    where = "" if len(game.piles) == 1 else " from one pile"
    return f"take {number}{where} · whoever takes the last stick {'loses' if game.misere else 'wins'}"


class PilesArt(BoardArt):
    """Paints a board of Nim."""

    board: NimBoard

    @property
    def nim(self) -> NimPosition:
        """The position shown."""
        return self.board.nim

    @property
    def hovered(self) -> NimMove | None:
        """The take that is pointed at."""
        return cast(NimMove | None, self.board.hovered_move)

    @property
    def lifted(self) -> NimMove | None:
        """The take whose sticks are lifted: the one that is pointed at, if a person may choose it."""
        return self.hovered if self.board.interactive else None

    @property
    def proven(self) -> dict[NimMove, MoveTruth]:
        """What is proven of each take."""
        return cast(dict[NimMove, MoveTruth], self.shown.proven)

    def paint(self, painter: QPainter) -> None:
        layout = self.board.places()
        key = (self.nim, self.nim.moves[-1:], self.hovered, self.lifted, self.theme.name)
        self.still.draw(painter, self.board, self.theme.color("board"), key, self._paint_still)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.shown.overlay:
            self._paint_overlay(painter, layout)
        self._paint_rings(painter)
        self._paint_leaving(painter, layout)
        self._paint_proven(painter, layout)
        for pile in range(len(self.nim.piles)):
            if not self.board.pictured:
                self._paint_chip(painter, layout, pile)
        self._paint_words(painter, layout)
        self._paint_preview(painter, layout)

    def _paint_still(self, painter: QPainter) -> None:
        layout = self.board.places()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for pile in range(len(self.nim.piles)):
            if not self.board.pictured:  # letters that nobody could read
                self._paint_label(painter, layout, pile)
            self._paint_pile(painter, layout, pile)

    def _put_stick(self, painter: QPainter, layout: StickLayout, slot: QRectF, look: str, up: float) -> None:
        width, height = layout.stick.width(), layout.stick.height()
        x, y = self.snap(slot.center().x() - width / 2), self.snap(slot.top() + layout.lift - up + 1)
        rect = QRectF(x, y, self.snap(width), self.snap(height))
        theme = self.theme

        def paint(into: QPainter, place: QRectF) -> None:
            paint_stick(into, look, place)

        self.stamps.draw(painter, self.ratio, (theme.name, look, rect.width(), rect.height()), rect, paint)

    def _paint_label(self, painter: QPainter, layout: StickLayout, pile: int) -> None:
        """How many sticks there are, over the number of the pile where there is room for it."""
        rect, size, px = layout.labels[pile], self.nim.piles[pile], layout.label_px
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        pointed = self.hovered is not None and self.hovered.pile == pile
        roomy = rect.height() > px * 3
        painter.setPen(self.theme.color("text" if size else "muted"))
        painter.setFont(self.font(px * (1.3 if roomy else 1.0), bold=True))
        painter.drawText(rect.translated(0, -px * 0.65 if roomy else 0), right, str(size))
        if roomy:
            painter.setPen(self.theme.color("text" if pointed else "muted"))
            painter.setFont(self.font(px, bold=pointed))
            painter.drawText(rect.translated(0, px * 0.75), right, f"pile {pile + 1}")

    def _paint_pile(self, painter: QPainter, layout: StickLayout, pile: int) -> None:
        position, size = self.nim, self.nim.piles[pile]
        lifted = self.lifted if self.lifted is not None and self.lifted.pile == pile else None
        last = position.moves[-1] if position.moves and position.moves[-1].pile == pile else None
        gone = "first" if position.turn.other == 0 else "second"
        for index in range(position.game.piles[pile]):
            slot, look, up = layout.slots[pile][index], "wood", 0.0
            if index >= size:
                look = gone if last is not None and index < size + last.take else "slot"
            elif index < size - position.largest_take(pile):
                look = "far"
            elif lifted is not None and index >= size - lifted.take:
                look, up = "lit", layout.lift
            self._put_stick(painter, layout, slot, look, up)

    def _paint_leaving(self, painter: QPainter, layout: StickLayout) -> None:
        """The sticks of the last move on their way out."""
        if not self.board.animating or not self.nim.moves:
            return
        move, progress = self.nim.moves[-1], self.board.progress
        size = self.nim.piles[move.pile]
        painter.setOpacity(1.0 - progress)
        for index in range(size, size + move.take):
            up = layout.lift + progress * progress * layout.stick.height() * 0.45
            self._put_stick(painter, layout, layout.slots[move.pile][index], "lit", up)
        painter.setOpacity(1.0)

    def _paint_overlay(self, painter: QPainter, layout: StickLayout) -> None:
        """Under each stick a bar for the share of its move, and the number."""
        overlay = self.shown.overlay
        full = full_share(overlay.values(), len(self.nim.legal_moves))
        number_px = layout.number_h / 1.25
        plain, bold = (self.font(number_px, bold=thick) for thick in (False, True))
        ink = self.theme.color("text")
        # Either all numbers have the percent sign, or none has.
        unit = "%" if painting.text_width(bold, "88%") <= layout.pitch - 2 else ""
        below_stick = layout.lift + layout.stick.height() + 2 + layout.bar_h
        width = self.snap(max(2.0, min(layout.pitch * 0.62, layout.stick.width() * 2.2)))
        numbers: list[tuple[str, QRectF]] = []
        for move in self.nim.legal_moves:
            item = overlay.get(move)
            if item is None:
                continue
            slot = self.board.stick_of(move)
            base = self.snap(slot.top() + below_stick)
            height = max(1.0, self.snap(layout.bar_h * item.share / full))
            bar = QRectF(self.snap(slot.center().x() - width / 2), base - height, width, height)
            painter.fillRect(bar, item.color)
            text = number_text(item, self.shown.style) if layout.number_h else ""
            below = QRectF(slot.left(), base + 2, slot.width(), layout.number_h)
            if item.leader:
                painter.setPen(QPen(ink, 1.4 * self.theme.line))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(bar)
                painter.setFont(bold)
                painting.draw_leader(painter, below, text if unit else text.rstrip("%"))
            elif text:
                numbers.append((text if unit else text.rstrip("%"), below))
        painter.setFont(plain)
        painter.setPen(ink)
        painting.draw_centered(painter, numbers, where_they_fit=True)

    def _paint_proven(self, painter: QPainter, layout: StickLayout) -> None:
        """At the heads of the sticks: a badge on each winning take, always large enough; small crosses on the others.

        Where sticks are too slim for a cross, the line under the piles says that all unmarked takes lose.
        """
        width, head = layout.stick.width(), layout.head_h
        badge = max(11.0, min(layout.pitch * 0.95, width * 1.3, 26.0))
        lifted = self.lifted
        badges = []
        for move, truth in self.proven.items():
            slot = self.board.stick_of(move)
            lit = lifted is not None and lifted.pile == move.pile and move.take <= lifted.take
            up = layout.lift if lit else 0.0
            place = QPointF(slot.center().x(), slot.top() + layout.lift - up + 1 + head / 2)
            if truth.value is Value.LOSS:
                if self._crosses_shown(layout):
                    size = min(head * 0.72, max(7.5, width * 0.8), 16.0)
                    self.mark(painter, truth, place, size, bare=True)
            else:
                badges.append((truth, place))
        for truth, place in badges:
            self.mark(painter, truth, place, badge)

    @staticmethod
    def _crosses_shown(layout: StickLayout) -> bool:
        return layout.stick.width() >= 6 and layout.head_h >= 6

    def _key_words(self, layout: StickLayout) -> str:
        """What the marks mean, in a few words; "" where nothing is proven."""
        values = {each.value for each in self.shown.proven.values()}
        if not values:
            return ""
        loses = "✗ loses" if self._crosses_shown(layout) else "all unmarked lose"
        parts = [("✓ wins", Value.WIN), (loses, Value.LOSS), ("? not proven", Value.UNKNOWN)]
        if values == {Value.LOSS}:
            return "no move wins"
        return ", ".join(words for words, value in parts if value in values)

    def _paint_rings(self, painter: QPainter) -> None:
        """Around sticks: what the keyboard would take, what is proposed, what is pointed at elsewhere."""
        accent = self.theme.color("accent")
        self._paint_ring(painter, self.shown.highlight, self.theme.color("text"), 2.5)
        self._paint_ring(painter, self.shown.suggestion, accent, 2.0, dashed=True)
        if self.board.cursor_shown:
            self._paint_ring(painter, self.hovered, accent, 2.5)

    def _paint_preview(self, painter: QPainter, layout: StickLayout) -> None:
        """A line of play: over the sticks of each move a bar in the colour of its side, and the number of the ply."""
        left, plies = list(self.nim.piles), []
        radius = max(6.0, min(layout.pitch * 0.5, layout.stick.height() * 0.13, 15.0))
        for ply, move in enumerate(self.shown.line):
            if not isinstance(move, NimMove) or not 0 < move.take <= left[move.pile]:
                break
            side = self.side_of_ply(ply)
            slots = layout.slots[move.pile][left[move.pile] - move.take : left[move.pile]]
            left[move.pile] -= move.take
            places = [
                QPointF(slot.center().x(), slot.top() + layout.lift + layout.stick.height() * 0.55) for slot in slots
            ]
            painter.setPen(QPen(painting.side_color(self.theme, side), max(3.0, radius * 0.6)))
            painter.drawLine(places[0], places[-1])
            plies.append((side, places[0]))
        painting.draw_plies(painter, plies, radius)

    def _paint_ring(
        self, painter: QPainter, move: Move | None, color: QColor, width: float, *, dashed: bool = False
    ) -> None:
        if isinstance(move, NimMove) and move in self.nim.legal_moves:
            layout = self.board.places()
            rect = self.board.taken_rect(move)
            rect.setHeight(layout.lift + layout.stick.height() + 4)
            painting.draw_ring(painter, rect.translated(0, -1), color, width, dashed=dashed)

    def take_words(self, move: NimMove) -> tuple[str, ...]:
        """What to say of a take that is pointed at; then a shorter form without the pile and the number."""
        item = (self.shown.overlay).get(move)
        parts = []
        if item is not None and not self.board.places().number_h and self.shown.style != "none":
            parts.append(number_text(item, self.shown.style))
        if move not in self.shown.proven:
            return (f"{describe_move(move)}{': ' if parts else ''}{''.join(parts)}", f"take {move.take}")
        proven = full_words(self.shown.proven[move])
        return (f"{describe_move(move)}: {' · '.join([*parts, proven])}", f"take {move.take}: {proven}")

    def _pile_words(self, pile: int) -> tuple[str, tuple[str, ...]] | None:
        """What to say beside the pile: what a click would take, what is proposed, what wins, or what was taken.

        Returns the kind and the words, shorter ones after longer ones.
        """
        position, hovered, suggestion = self.nim, self.hovered, self.shown.suggestion
        if hovered is not None and hovered.pile == pile:
            return "take", self.take_words(hovered)
        if isinstance(suggestion, NimMove) and suggestion.pile == pile and suggestion in position.legal_moves:
            words = f"suggested: take {suggestion.take}"
            if suggestion not in self.shown.proven:
                return "suggested", (words,)
            return "suggested", (f"{words}, {full_words(self.shown.proven[suggestion])}", words)
        for move, truth in self.proven.items():
            if move.pile == pile and truth.value is Value.WIN:
                words = f"take {move.take}: {full_words(truth)}"
                return "wins", (f"✓ {words}", words, f"✓ {full_words(truth)}")
        if position.moves and position.moves[-1].pile == pile and position.outcome is None:
            return "last", (f"{position.game.side_name(position.turn.other)} took {position.moves[-1].take}",)
        return None

    def _paint_chip(self, painter: QPainter, layout: StickLayout, pile: int) -> None:
        words = self._pile_words(pile)
        if words is None:
            return
        (kind, texts), theme, height = words, self.theme, layout.label_px * 1.7
        fill, ink = {
            "take": (theme.color("accent"), theme.color("accent_text")),
            "suggested": (theme.color("board"), theme.color("accent")),
            "wins": (theme.color("board"), theme.color("win")),
            "last": (theme.color("board"), painting.side_color(theme, self.nim.turn.other)),
        }[kind]
        font = self.font(layout.label_px, bold=True)
        painter.setFont(font)
        end = layout.slots[pile][-1]
        middle = end.top() + layout.lift + layout.stick.height() / 2
        chips = [QRectF(end.right() + 8, middle - height / 2, painting.text_width(font, t) + 16, height) for t in texts]
        beyond = self.board.width() - 4.0
        fitting = [number for number, chip in enumerate(chips) if chip.right() <= beyond]
        if fitting:
            chip = chips[fitting[0]]
        elif kind in ("take", "suggested"):
            # It may lie over the sticks that stay, or at the edge; other words are left out, since the sticks tell
            # enough.
            chip = chips[-1]
            move = self.hovered if kind == "take" else cast(NimMove, self.shown.suggestion)
            assert move is not None
            chip.moveLeft(max(4.0, min(beyond - chip.width(), self.board.stick_of(move).left() - chip.width() - 6)))
        else:
            return
        text = texts[fitting[0] if fitting else -1]
        painting.draw_chip(painter, chip, text, fill, ink, outlined=kind == "suggested")

    def _paint_words(self, painter: QPainter, layout: StickLayout) -> None:
        """Under the piles: what may be taken and what the marks mean."""
        below = max(row[0].bottom() for row in layout.slots) + layout.label_px * 0.3
        top = min(below, self.board.height() - layout.label_px * 2.0)
        foot = QRectF(8, top, self.board.width() - 16, layout.label_px * 1.8)
        painter.setFont(self.font(layout.label_px))
        painter.setPen(self.theme.color("muted"))
        words = self._foot_words(layout, painter.font(), foot.width())
        painter.drawText(foot, Qt.AlignmentFlag.AlignCenter, words)

    def _foot_words(self, layout: StickLayout, font: QFont, width: float) -> str:
        key = self._key_words(layout)
        if self.board.rule_told:
            return key
        limit = limit_words(self.nim.game)
        short = limit.partition(" · ")[0]
        choices = [f"{limit} · {key}", f"{short} · {key}", key] if key else [limit, short]
        return next((words for words in choices if painting.text_width(font, words) <= width), choices[-1])
