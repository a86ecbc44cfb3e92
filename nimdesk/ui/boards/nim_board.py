"""Nim on screen: piles of match-sticks; a click takes a stick and all beyond it to the free end of its pile."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QElapsedTimer, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from nimdesk.games import Move, NimGame, NimMove, NimPosition
from nimdesk.games.words import describe_move, describe_turn
from nimdesk.ui.boards import painting
from nimdesk.ui.boards.base import BoardView
from nimdesk.ui.theme import Theme

_DIGIT_PAUSE_MS = 1200
_KEY = Qt.Key
_CURSOR_KEYS = (
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


def _sticks(count: int) -> str:
    return "1 stick" if count == 1 else f"{count} sticks"


class NimBoard(BoardView):
    """A board for Nim; see ``BoardView`` for what it offers.

    Keys: Up and Down choose the pile, Left and + one stick more, Right and - one fewer, Home and End as many and as
    few as allowed, digits the number itself; Enter or Space takes.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, NimGame((1, 3, 5, 7)).start(), parent)
        self._cursor = NimMove(0, 1)
        self._digits = ""
        self._digit_clock = QElapsedTimer()
        self._art = painting.StickArt()
        self._still = painting.StillPicture()
        self._laid_out: tuple[object, painting.StickLayout] | None = None
        self._describe()

    @property
    def _nim(self) -> NimPosition:
        return cast(NimPosition, self._position)

    # Where things are.

    def _layout_now(self) -> painting.StickLayout:
        key = (self._nim.game.piles, self.width(), self.height(), self.font().key())
        if self._laid_out is None or self._laid_out[0] != key:
            scale = max(0.85, min(1.4, self.width() / 700, self.height() / 500))
            label_px = painting.font_px(self) * scale
            area = QRectF(self.rect()).adjusted(0, 10, 0, -label_px * 2.1)
            self._laid_out = (key, painting.lay_out_sticks(self._nim.game.piles, area, self.font(), label_px))
        return self._laid_out[1]

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
        piles = self._nim.piles
        self._digits = ""
        filled = [pile for pile, size in enumerate(piles) if size]
        pile = next((pile for pile in filled if pile >= self._cursor.pile), filled[-1] if filled else 0)
        self._put(pile, self._cursor.take)

    def _put(self, pile: int, take: int) -> None:
        self._cursor = NimMove(pile, max(1, min(take, self._nim.largest_take(pile))))

    def _start_cursor(self, move: Move) -> None:
        self._cursor = cast(NimMove, move)

    def _cursor_move(self) -> NimMove | None:
        return self._cursor if self._nim.piles[self._cursor.pile] else None

    def _wants_key(self, key: int, text: str) -> bool:
        return key in _CURSOR_KEYS or (len(text) == 1 and text in "0123456789+-")

    def _move_cursor(self, key: int, text: str) -> None:
        pile, take = self._cursor.pile, self._cursor.take
        if text.isdecimal():
            self._type_digit(text)
            return
        self._digits = ""
        if key in (_KEY.Key_Up, _KEY.Key_Down):
            filled = [each for each, size in enumerate(self._nim.piles) if size]
            order = [each for each in filled if (each > pile if key == _KEY.Key_Down else each < pile)]
            if order:
                self._put(order[0] if key == _KEY.Key_Down else order[-1], take)
        elif key in (_KEY.Key_Home, _KEY.Key_End):
            self._put(pile, self._nim.largest_take(pile) if key == _KEY.Key_Home else 1)
        else:
            more = key in (_KEY.Key_Left, _KEY.Key_Plus, _KEY.Key_Equal)
            self._put(pile, take + (1 if more else -1))

    def _type_digit(self, digit: str) -> None:
        """Choose how many; digits typed soon after each other make one number, if so many may be taken."""
        largest = self._nim.largest_take(self._cursor.pile)
        fresh = not self._digit_clock.isValid() or self._digit_clock.restart() > _DIGIT_PAUSE_MS
        self._digit_clock.start()
        typed = digit if fresh else self._digits + digit
        if not 1 <= int(typed) <= largest:
            typed = digit
        self._digits = typed
        if 1 <= int(typed) <= largest:
            self._put(self._cursor.pile, int(typed))

    # Words.

    def _cursor_words(self) -> str:
        move = self._cursor_move()
        if move is None:
            return "no stick is left"
        left = self._nim.piles[move.pile] - move.take
        return f"{describe_move(move)}, leaving {left}"

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
        painter.drawPixmap(0, 0, self._still.get(self, self._theme.color("board"), key, self._paint_still))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._overlay:
            self._paint_overlay(painter, layout)
        self._paint_rings(painter)
        self._paint_leaving(painter, layout)
        for pile in range(len(self._nim.piles)):
            self._paint_chip(painter, layout, pile)
        self._paint_words(painter, layout)
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

    def _put_stick(self, painter: QPainter, layout: painting.StickLayout, slot: QRectF, look: str, up: float) -> None:
        width, height = layout.stick.width(), layout.stick.height()
        ratio = self.devicePixelRatioF()
        picture = self._art.picture(self._theme, look, self._snap(width), self._snap(height), ratio)
        x, y = self._snap(slot.center().x() - width / 2), self._snap(slot.top() + layout.lift - up + 1)
        painter.drawPixmap(QPointF(x, y), picture)

    def _paint_label(self, painter: QPainter, layout: painting.StickLayout, pile: int) -> None:
        rect, size = layout.labels[pile], self._nim.piles[pile]
        pointed = isinstance(self._hovered, NimMove) and self._hovered.pile == pile
        painter.setPen(self._theme.color("text" if size else "muted"))
        painter.setFont(painting.sized(self.font(), layout.label_px, bold=pointed))
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(rect, align, f"Pile {pile + 1} · {_sticks(size)}")

    def _paint_pile(self, painter: QPainter, layout: painting.StickLayout, pile: int) -> None:
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

    def _paint_leaving(self, painter: QPainter, layout: painting.StickLayout) -> None:
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

    def _paint_overlay(self, painter: QPainter, layout: painting.StickLayout) -> None:
        """Under each stick a bar for the share of its move, and the number."""
        overlay = self._overlay or {}
        full = painting.full_share(overlay.values(), len(self._nim.legal_moves))
        number_px = layout.number_h / 1.25
        plain, bold = (painting.sized(self.font(), number_px, bold=thick) for thick in (False, True))
        ink = self._theme.color("text")
        # All numbers with the sign or all without it.
        unit = "%" if painting.text_width(bold, "88%") <= layout.pitch - 2 else ""
        below_stick = layout.lift + layout.stick.height() + 2 + layout.bar_h
        width = self._snap(max(2.0, min(layout.pitch * 0.62, layout.stick.width() * 2.2)))
        painter.setFont(plain)
        for move in self._nim.legal_moves:
            item = overlay.get(move)
            if item is None:
                continue
            slot = layout.slots[move.pile][self._nim.piles[move.pile] - move.take]
            base = self._snap(slot.top() + below_stick)
            height = max(1.0, self._snap(layout.bar_h * item.share / full))
            bar = QRectF(self._snap(slot.center().x() - width / 2), base - height, width, height)
            painter.fillRect(bar, item.color)
            text = painting.number_text(item, self._overlay_style) if layout.number_h else ""
            below = QRectF(slot.left(), base + 2, slot.width(), layout.number_h)
            if item.leader:
                painter.setPen(QPen(ink, 1.4))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(bar)
                painter.setFont(bold)
            if text or item.leader:
                painting.draw_number(
                    painter, below, text if unit else text.rstrip("%"), self._theme, leader=item.leader
                )
                painter.setFont(plain)

    def _paint_rings(self, painter: QPainter) -> None:
        """Around sticks: what the keyboard would take, what is proposed, what is pointed at elsewhere."""
        accent = self._theme.color("accent")
        self._paint_ring(painter, self._highlight, self._theme.color("text"), 2.5)
        self._paint_ring(painter, self._suggestion, accent, 2.0, dashed=True)
        if self._cursor_shown():
            self._paint_ring(painter, self._hovered, accent, 2.5)

    def _paint_ring(
        self, painter: QPainter, move: Move | None, color: QColor, width: float, *, dashed: bool = False
    ) -> None:
        if isinstance(move, NimMove) and move in self._nim.legal_moves:
            layout = self._layout_now()
            for line in self._lines_of(move):
                line.setHeight(layout.lift + layout.stick.height() + 4)
                painting.draw_ring(painter, line.translated(0, -1), color, width, dashed=dashed)

    def _pile_words(self, layout: painting.StickLayout, pile: int) -> tuple[str, str] | None:
        """What to say beside the pile: what a click would take, else what is proposed, else what was taken."""
        position, hovered, suggestion = self._nim, self._hovered, self._suggestion
        if isinstance(hovered, NimMove) and hovered.pile == pile:
            item = (self._overlay or {}).get(hovered)
            if item is None or layout.number_h or self._overlay_style == "none":
                return "take", describe_move(hovered)
            return "take", f"{describe_move(hovered)}: {painting.number_text(item, self._overlay_style)}"
        if isinstance(suggestion, NimMove) and suggestion.pile == pile and suggestion in position.legal_moves:
            return "suggested", f"suggested: take {suggestion.take}"
        if position.moves and position.moves[-1].pile == pile and position.outcome is None:
            return "last", f"{position.game.side_name(position.turn.other)} took {position.moves[-1].take}"
        return None

    def _paint_chip(self, painter: QPainter, layout: painting.StickLayout, pile: int) -> None:
        words = self._pile_words(layout, pile)
        if words is None:
            return
        (kind, text), theme, height = words, self._theme, layout.label_px * 1.7
        fill, ink = theme.color("board"), painting.side_color(theme, self._nim.turn.other)
        if kind == "take":
            fill, ink = theme.color("accent"), theme.color("accent_text")
        elif kind == "suggested":
            ink = theme.color("accent")
        font = painting.sized(self.font(), layout.label_px, bold=True)
        painter.setFont(font)
        size = QRectF(0, 0, painting.text_width(font, text) + 16, height)
        place = self._chip_place(layout, pile, size, cast(NimMove, self._hovered) if kind == "take" else None)
        if place is not None:
            painting.draw_chip(painter, place, text, fill, ink, outlined=kind == "suggested")
        elif kind != "last":
            # The words replace the label; those about the last move give way, its slots tell enough.
            label, text = layout.labels[pile], text.partition(": ")[0] if kind == "take" else text
            width = max(painting.text_width(font, text) + 10, label.width() - layout.label_px)
            painting.draw_chip(
                painter, QRectF(label.left() - 4, label.center().y() - height / 2, width, height), text, fill, ink
            )

    def _chip_place(self, layout: painting.StickLayout, pile: int, size: QRectF, move: NimMove | None) -> QRectF | None:
        """Where words find room: after the label above the pile, right of the pile, before the sticks pointed at."""
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
        if move is not None:
            sticks = self._lines_of(move)[0]
            if sticks.left() - size.width() - 6 >= first.left():
                middle = sticks.top() + layout.lift + layout.stick.height() / 2 - size.height() / 2
                return size.translated(sticks.left() - size.width() - 6, middle)
        return None

    def _paint_words(self, painter: QPainter, layout: painting.StickLayout) -> None:
        """What may be taken, under the piles; and who won, when nothing is left."""
        foot = QRectF(8, self.height() - layout.label_px * 2.0, self.width() - 16, layout.label_px * 1.8)
        painter.setPen(self._theme.color("muted"))
        painter.setFont(painting.sized(self.font(), layout.label_px))
        words = self._limit_words()
        if painter.fontMetrics().horizontalAdvance(words) > foot.width():
            words = words.partition(" · ")[0]
        painter.drawText(foot, Qt.AlignmentFlag.AlignCenter, words)
        outcome = self._nim.outcome
        if outcome is None or outcome.winner is None or self.animating:
            return
        text = describe_turn(self._nim)
        font = painting.sized(self.font(), layout.label_px * 1.35, bold=True)
        painter.setFont(font)
        width = painting.text_width(font, text) + 40
        banner = QRectF(
            (self.width() - width) / 2, self.height() / 2 - layout.label_px * 1.6, width, layout.label_px * 3.2
        )
        painting.draw_chip(
            painter, banner, text, painting.side_color(self._theme, outcome.winner), self._theme.color("base")
        )
