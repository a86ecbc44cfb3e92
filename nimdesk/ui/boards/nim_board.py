"""Nim on screen: piles of match-sticks; a click takes a stick and all beyond it to the free end of its pile."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import cast

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from nimdesk.games import Move, NimGame, NimMove, NimPosition, Side
from nimdesk.games.truth import Value
from nimdesk.games.words import describe_move, describe_turn
from nimdesk.ui.boards.base import BoardView
from nimdesk.ui.boards.cursors import TakeCursor
from nimdesk.ui.boards.overlay import full_share, number_text
from nimdesk.ui.boards.pictures import StillPicture
from nimdesk.ui.boards.sticks import StickArt, StickLayout, lay_out_sticks
from nimdesk.ui.look import painting
from nimdesk.ui.look.proven import full_words
from nimdesk.ui.look.theme import Theme

_ABOVE, _BELOW = 10, 2.1
"""The room above the piles in pixels, and that below them, for a line of words, in heights of the labels."""


def _sticks(count: int) -> str:
    return "1 stick" if count == 1 else f"{count} sticks"


class NimBoard(BoardView):
    """A board for Nim; see ``BoardView`` for what it offers.

    Keys: Up and Down choose the pile, Left and + one stick more, Right and - one fewer, Home and End as many and as
    few as allowed, digits the number itself; Enter or Space takes.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, NimGame((1, 3, 5, 7)).start(), parent)
        self._cursor = TakeCursor(self._nim)
        self._art = StickArt()
        self._still = StillPicture()
        self._laid_out: tuple[object, StickLayout] | None = None
        self._describe()

    @property
    def _nim(self) -> NimPosition:
        return cast(NimPosition, self._position)

    # Where things are.

    def _layout_now(self) -> StickLayout:
        key = (self._nim.game.piles, self.width(), self.height(), self.font().key())
        if self._laid_out is None or self._laid_out[0] != key:
            scale = max(0.85, min(1.4, self.width() / 700, self.height() / 500))
            label_px = painting.font_px(self) * scale
            area = QRectF(self.rect()).adjusted(0, _ABOVE, 0, -label_px * _BELOW)
            self._laid_out = (key, lay_out_sticks(self._nim.game.piles, area, self.font(), label_px))
        return self._laid_out[1]

    def fitting_height(self) -> int:
        layout = self._layout_now()
        places = [*layout.labels, *(slot for pile in layout.slots for slot in pile)]
        height = max(place.bottom() for place in places) - min(place.top() for place in places)
        return min(self.height(), math.ceil(height + _ABOVE + layout.label_px * _BELOW))

    def _move_at(self, point: QPointF) -> NimMove | None:
        layout, position = self._layout_now(), self._nim
        for pile, size in enumerate(position.piles):
            slots = layout.slots[pile]
            for index in range(size - position.largest_take(pile), size):
                slot = slots[index]
                after = slots[index + 1] if index + 1 < size else slot
                # The gaps between groups of sticks belong to the stick before them.
                right = after.left() if after.left() > slot.left() else slot.right()
                if slot.left() <= point.x() < right and slot.top() <= point.y() < slot.bottom():
                    return NimMove(pile, size - index)
        return None

    def move_point(self, move: Move) -> QPointF:
        """The middle of the stick to click."""
        assert isinstance(move, NimMove)
        return self._layout_now().slots[move.pile][self._nim.piles[move.pile] - move.take].center()

    def _lines_of(self, move: NimMove) -> list[QRectF]:
        """Where the sticks stand that the move takes, line by line."""
        layout, size = self._layout_now(), self._nim.piles[move.pile]
        lines: list[QRectF] = []
        for slot in layout.slots[move.pile][size - move.take : size]:
            if lines and lines[-1].top() == slot.top():
                lines[-1] = lines[-1].united(slot)
            else:
                lines.append(QRectF(slot))
        return lines

    # The keyboard cursor.

    def _adapt_cursor(self) -> None:
        self._cursor.adapt(self._nim)

    def _start_cursor(self, move: Move) -> None:
        self._cursor.put(cast(NimMove, move))

    def _cursor_move(self) -> NimMove | None:
        return self._cursor.move

    def _wants_key(self, key: int, text: str) -> bool:
        return self._cursor.wants(key, text)

    def _move_cursor(self, key: int, text: str) -> None:
        self._cursor.press(key, text)

    # Words.

    def _cursor_words(self) -> str:
        move = self._cursor_move()
        if move is None:
            return "no stick is left"
        left = self._nim.piles[move.pile] - move.take
        proven = f", {full_words(self._proven[move])}" if move in self._proven else ""
        return f"{describe_move(move)}, leaving {left}{proven}"

    def _board_words(self) -> str:
        piles = "; ".join(f"pile {number}: {_sticks(size)}" for number, size in enumerate(self._nim.piles, 1))
        return f"{piles[0].upper()}{piles[1:]}. {self._limit_words().capitalize()}."

    def _limit_words(self) -> str:
        game = self._nim.game
        limit = game.max_take
        number = "as many as you like" if limit is None else "1" if limit == 1 else f"1 to {limit}"
        where = "" if len(game.piles) == 1 else " from one pile"
        return f"take {number}{where} · whoever takes the last stick {'loses' if game.misere else 'wins'}"

    # Painting.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._refresh(later=True)

    def paintEvent(self, event: QPaintEvent) -> None:
        layout = self._layout_now()
        key = (self._nim, self._nim.moves[-1:], self._hovered, self._theme.name)
        painter = QPainter(self)
        self._still.draw(painter, self, self._theme.color("board"), key, self._paint_still)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._overlay:
            self._paint_overlay(painter, layout)
        self._paint_rings(painter)
        self._paint_leaving(painter, layout)
        self._paint_proven(painter, layout)
        for pile in range(len(self._nim.piles)):
            self._paint_chip(painter, layout, pile)
        self._paint_words(painter, layout)
        self._paint_preview(painter, layout)
        if self._cursor_shown():
            painting.draw_focus(painter, self, self._theme)
        painter.end()

    def _paint_still(self, painter: QPainter) -> None:
        layout = self._layout_now()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for pile in range(len(self._nim.piles)):
            self._paint_label(painter, layout, pile)
            self._paint_pile(painter, layout, pile)

    def _snap(self, value: float) -> float:
        ratio = self.devicePixelRatioF()
        return round(value * ratio) / ratio

    def _put_stick(self, painter: QPainter, layout: StickLayout, slot: QRectF, look: str, up: float) -> None:
        width, height = layout.stick.width(), layout.stick.height()
        ratio = self.devicePixelRatioF()
        x, y = self._snap(slot.center().x() - width / 2), self._snap(slot.top() + layout.lift - up + 1)
        rect = QRectF(x, y, self._snap(width), self._snap(height))
        self._art.draw(painter, self._theme, look, rect, ratio)

    def _paint_label(self, painter: QPainter, layout: StickLayout, pile: int) -> None:
        rect, size = layout.labels[pile], self._nim.piles[pile]
        pointed = isinstance(self._hovered, NimMove) and self._hovered.pile == pile
        painter.setPen(self._theme.color("text" if size else "muted"))
        painter.setFont(painting.sized(self.font(), layout.label_px, bold=pointed))
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(rect, align, f"Pile {pile + 1} · {_sticks(size)}")

    def _paint_pile(self, painter: QPainter, layout: StickLayout, pile: int) -> None:
        position, size = self._nim, self._nim.piles[pile]
        hovered = self._hovered if isinstance(self._hovered, NimMove) and self._hovered.pile == pile else None
        last = position.moves[-1] if position.moves and position.moves[-1].pile == pile else None
        gone = "first" if position.turn.other == 0 else "second"
        for index in range(position.game.piles[pile]):
            slot, look, up = layout.slots[pile][index], "wood", 0.0
            if index >= size:
                look = gone if last is not None and index < size + last.take else "slot"
            elif index < size - position.largest_take(pile):
                look = "far"
            elif hovered is not None and index >= size - hovered.take:
                look, up = "lit", layout.lift
            self._put_stick(painter, layout, slot, look, up)

    def _paint_leaving(self, painter: QPainter, layout: StickLayout) -> None:
        """The sticks of the last move on their way out."""
        if not self.animating or not self._nim.moves:
            return
        move, progress = self._nim.moves[-1], self._progress()
        size = self._nim.piles[move.pile]
        painter.setOpacity(1.0 - progress)
        for index in range(size, size + move.take):
            up = layout.lift + progress * progress * layout.stick.height() * 0.45
            self._put_stick(painter, layout, layout.slots[move.pile][index], "lit", up)
        painter.setOpacity(1.0)

    def _paint_overlay(self, painter: QPainter, layout: StickLayout) -> None:
        """Under each stick a bar for the share of its move, and the number."""
        overlay = self._overlay or {}
        full = full_share(overlay.values(), len(self._nim.legal_moves))
        number_px = layout.number_h / 1.25
        plain, bold = (painting.sized(self.font(), number_px, bold=thick) for thick in (False, True))
        ink = self._theme.color("text")
        # All numbers with the sign or all without it.
        unit = "%" if painting.text_width(bold, "88%") <= layout.pitch - 2 else ""
        below_stick = layout.lift + layout.stick.height() + 2 + layout.bar_h
        width = self._snap(max(2.0, min(layout.pitch * 0.62, layout.stick.width() * 2.2)))
        numbers: list[tuple[str, QRectF]] = []
        for move in self._nim.legal_moves:
            item = overlay.get(move)
            if item is None:
                continue
            slot = layout.slots[move.pile][self._nim.piles[move.pile] - move.take]
            base = self._snap(slot.top() + below_stick)
            height = max(1.0, self._snap(layout.bar_h * item.share / full))
            bar = QRectF(self._snap(slot.center().x() - width / 2), base - height, width, height)
            painter.fillRect(bar, item.color)
            text = number_text(item, self._overlay_style) if layout.number_h else ""
            below = QRectF(slot.left(), base + 2, slot.width(), layout.number_h)
            if item.leader:
                painter.setPen(QPen(ink, 1.4))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(bar)
                painter.setFont(bold)
                painting.draw_leader(painter, below, text if unit else text.rstrip("%"), self._theme)
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
        hovered = self._hovered if isinstance(self._hovered, NimMove) else None
        badges = []
        for move, truth in self._proven.items():
            assert isinstance(move, NimMove)
            slot = layout.slots[move.pile][self._nim.piles[move.pile] - move.take]
            lit = hovered is not None and hovered.pile == move.pile and move.take <= hovered.take
            up = layout.lift if lit else 0.0
            place = QPointF(slot.center().x(), slot.top() + layout.lift - up + 1 + head / 2)
            if truth.value is Value.LOSS:
                if self._crosses_shown(layout):
                    size = min(head * 0.72, max(7.5, width * 0.8), 16.0)
                    self._mark_art.draw_mark(painter, self._theme, truth.value, place, size, bare=True)
            else:
                badges.append((truth.value, place))
        for value, place in badges:
            self._mark_art.draw_mark(painter, self._theme, value, place, badge)

    @staticmethod
    def _crosses_shown(layout: StickLayout) -> bool:
        return layout.stick.width() >= 6 and layout.head_h >= 6

    def _key_words(self, layout: StickLayout) -> str:
        """What the marks mean, in a few words; "" where nothing is proven."""
        values = {each.value for each in self._proven.values()}
        if not values:
            return ""
        loses = "✗ loses" if self._crosses_shown(layout) else "all unmarked lose"
        parts = [("✓ wins", Value.WIN), (loses, Value.LOSS), ("? not proven", Value.UNKNOWN)]
        if values == {Value.LOSS}:
            return "no move wins"
        return ", ".join(words for words, value in parts if value in values)

    def _paint_rings(self, painter: QPainter) -> None:
        """Around sticks: what the keyboard would take, what is proposed, what is pointed at elsewhere."""
        accent = self._theme.color("accent")
        self._paint_ring(painter, self._highlight, self._theme.color("text"), 2.5)
        self._paint_ring(painter, self._suggestion, accent, 2.0, dashed=True)
        if self._cursor_shown():
            self._paint_ring(painter, self._hovered, accent, 2.5)

    def _paint_preview(self, painter: QPainter, layout: StickLayout) -> None:
        """A line of play: over the sticks of each move a bar in the colour of its side, and the number of the ply."""
        left, plies = list(self._nim.piles), []
        radius = max(6.0, min(layout.pitch * 0.5, layout.stick.height() * 0.13, 15.0))
        for ply, move in enumerate(self._previewed):
            if not isinstance(move, NimMove) or not 0 < move.take <= left[move.pile]:
                break
            side = Side((self._nim.turn + ply) % 2)
            slots = layout.slots[move.pile][left[move.pile] - move.take : left[move.pile]]
            left[move.pile] -= move.take
            places = [
                QPointF(slot.center().x(), slot.top() + layout.lift + layout.stick.height() * 0.55) for slot in slots
            ]
            for before, after in pairwise(places):
                if before.y() == after.y():
                    painter.setPen(QPen(painting.side_color(self._theme, side), max(3.0, radius * 0.6)))
                    painter.drawLine(before, after)
            plies.append((side, places[0]))
        painting.draw_plies(painter, self._theme, plies, radius)

    def _paint_ring(
        self, painter: QPainter, move: Move | None, color: QColor, width: float, *, dashed: bool = False
    ) -> None:
        if isinstance(move, NimMove) and move in self._nim.legal_moves:
            layout = self._layout_now()
            for line in self._lines_of(move):
                line.setHeight(layout.lift + layout.stick.height() + 4)
                painting.draw_ring(painter, line.translated(0, -1), color, width, dashed=dashed)

    def hover_words(self) -> str:
        return self._take_words(self._hovered)[0] if isinstance(self._hovered, NimMove) else ""

    def _take_words(self, move: NimMove) -> tuple[str, ...]:
        """What to say of a take that is pointed at; and shorter, without the pile and the number."""
        item = (self._overlay or {}).get(move)
        parts = []
        if item is not None and not self._layout_now().number_h and self._overlay_style != "none":
            parts.append(number_text(item, self._overlay_style))
        if move not in self._proven:
            return (f"{describe_move(move)}{': ' if parts else ''}{''.join(parts)}", describe_move(move))
        proven = full_words(self._proven[move])
        return (f"{describe_move(move)}: {' · '.join([*parts, proven])}", f"take {move.take}: {proven}")

    def _pile_words(self, pile: int) -> tuple[str, tuple[str, ...]] | None:
        """What to say beside the pile: what a click would take, what is proposed, what wins, or what was taken.

        The kind, and the words, shorter ones after longer ones.
        """
        position, hovered, suggestion = self._nim, self._hovered, self._suggestion
        if isinstance(hovered, NimMove) and hovered.pile == pile:
            return "take", self._take_words(hovered)
        if isinstance(suggestion, NimMove) and suggestion.pile == pile and suggestion in position.legal_moves:
            words = f"suggested: take {suggestion.take}"
            if suggestion not in self._proven:
                return "suggested", (words,)
            return "suggested", (f"{words}, {full_words(self._proven[suggestion])}", words)
        for move, truth in self._proven.items():
            if isinstance(move, NimMove) and move.pile == pile and truth.value is Value.WIN:
                words = f"take {move.take}: {full_words(truth)}"
                return "wins", (f"✓ {words}", words, f"✓ {full_words(truth)}")
        if position.moves and position.moves[-1].pile == pile and position.outcome is None:
            return "last", (f"{position.game.side_name(position.turn.other)} took {position.moves[-1].take}",)
        return None

    def _paint_chip(self, painter: QPainter, layout: StickLayout, pile: int) -> None:
        words = self._pile_words(pile)
        if words is None:
            return
        (kind, texts), theme, height = words, self._theme, layout.label_px * 1.7
        fill, ink = {
            "take": (theme.color("accent"), theme.color("accent_text")),
            "suggested": (theme.color("board"), theme.color("accent")),
            "wins": (theme.color("board"), theme.color("win")),
            "last": (theme.color("board"), painting.side_color(theme, self._nim.turn.other)),
        }[kind]
        font = painting.sized(self.font(), layout.label_px, bold=True)
        painter.setFont(font)
        for text in texts:
            size = QRectF(0, 0, painting.text_width(font, text) + 16, height)
            place = self._chip_place(layout, pile, size, cast(NimMove, self._hovered) if kind == "take" else None)
            if place is not None:
                painting.draw_chip(painter, place, text, fill, ink, outlined=kind == "suggested")
                return
        if kind in ("take", "suggested"):
            # The words replace the label; others give way, the sticks tell enough.
            label, text = layout.labels[pile], texts[-1]
            width = max(painting.text_width(font, text) + 10, label.width() - layout.label_px)
            chip = QRectF(label.left() - 4, label.center().y() - height / 2, width, height)
            painting.draw_chip(painter, chip, text, fill, ink)

    def _chip_place(self, layout: StickLayout, pile: int, size: QRectF, move: NimMove | None) -> QRectF | None:
        """Where words find room: after the label above the pile, right of it, under the label, before the sticks."""
        label, slot = layout.labels[pile], layout.slots[pile][-1]
        bold = painting.sized(self.font(), layout.label_px, bold=True)
        used = painting.text_width(bold, f"Pile {pile + 1} · {_sticks(self._nim.piles[pile])}") + 10
        first = layout.slots[pile][0]
        if label.bottom() <= first.top() + 1 and used + size.width() <= label.width():
            return size.translated(label.left() + used, label.center().y() - size.height() / 2)
        ends = (each.left() for each in layout.labels if each.left() > slot.right())
        middle = slot.top() + layout.lift + layout.stick.height() / 2 - size.height() / 2
        if slot.right() + 8 + size.width() <= min(ends, default=self.width() - 4.0):
            return size.translated(slot.right() + 8, middle)
        below = label.center().y() + layout.label_px * 0.85
        if label.right() <= first.left() + 1 and below + size.height() <= label.bottom():
            left = max(4.0, label.left() - 6)
            if left + size.width() <= first.left() - 4:
                return size.translated(left, below)
        if move is not None:
            sticks = self._lines_of(move)[0]
            if sticks.left() - size.width() - 6 >= first.left():
                middle = sticks.top() + layout.lift + layout.stick.height() / 2 - size.height() / 2
                return size.translated(sticks.left() - size.width() - 6, middle)
        return None

    def _paint_words(self, painter: QPainter, layout: StickLayout) -> None:
        """Under the piles: what may be taken and what the marks mean; when nothing is left, who won."""
        foot = QRectF(8, self.height() - layout.label_px * 2.0, self.width() - 16, layout.label_px * 1.8)
        outcome = self._nim.outcome
        if outcome is not None and outcome.winner is not None and not self.animating:
            font = painting.sized(self.font(), layout.label_px * 1.3, bold=True)
            painter.setFont(font)
            painter.setPen(painting.side_color(self._theme, outcome.winner))
            words = QFontMetricsF(font).elidedText(describe_turn(self._nim), Qt.TextElideMode.ElideRight, foot.width())
        else:
            painter.setFont(painting.sized(self.font(), layout.label_px))
            painter.setPen(self._theme.color("muted"))
            words = self._foot_words(layout, painter.font(), foot.width())
        painter.drawText(foot, Qt.AlignmentFlag.AlignCenter, words)

    def _foot_words(self, layout: StickLayout, font: QFont, width: float) -> str:
        limit, key = self._limit_words(), self._key_words(layout)
        short = limit.partition(" · ")[0]
        choices = [f"{limit} · {key}", f"{short} · {key}", key] if key else [limit, short]
        return next((words for words in choices if painting.text_width(font, words) <= width), choices[-1])
