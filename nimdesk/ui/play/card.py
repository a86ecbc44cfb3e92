"""What is painted beside the board: the players' cards, and the bar that says what the game is worth."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from nimdesk.games import Side
from nimdesk.play.words import CardWords
from nimdesk.ui.boards.pictures import Stamps
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import tip

PaintSide = Callable[[QPainter, Side, QPointF, float], None]
"""Paints a side's piece around a point, this wide and high."""
_PAD, _GAP, _LINE = 4, 12, 3
_BAR = 14
_PIECE = 1.5
"""The room of a piece, with its shadow and edge, as a multiple of its size."""


class PlayerCard(QAbstractButton):
    """Paints the words of one player; pressing it asks who plays.

    All of it is painted here, without labels: figures that change 30 times a second then lay out nothing anew.
    """

    def __init__(self, side: Side, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.side = side
        """Whose card it is."""
        self._paint_side: PaintSide | None = None
        self._stamps = Stamps()
        self._words = CardWords("")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setToolTip(tip("Press to choose who plays"))
        LOOK.changed.connect(self.update)

    def set_piece(self, paint_side: PaintSide | None) -> None:
        """Show what stands for a side in the game that is played."""
        self._paint_side, self._stamps = paint_side, Stamps()
        self.update()

    @property
    def words(self) -> CardWords:
        """What the card says."""
        return self._words

    def show_words(self, words: CardWords) -> None:
        """Say this."""
        if words == self._words:
            return
        before, self._words = self._words, words
        if (words.name, words.about, words.active) != (before.name, before.about, before.active):
            turn = ", to move" if words.active else ""
            self.setAccessibleName(f"{words.name}{turn}")
            self.setAccessibleDescription(f"{words.about}. Press to choose who plays.")
        self.update()

    def sizeHint(self) -> QSize:
        line = QFontMetricsF(self.font()).height()
        return QSize(300, round(2 * line) + 2 * _PAD)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, words = LOOK.theme, self._words
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            lifted = words.active or self.underMouse()
            painter.setPen(QPen(theme.color("accent" if words.active else "border"), 1.6 if words.active else 1.0))
            painter.setBrush(theme.color("base" if lifted else "alternate"))
            painter.drawRoundedRect(frame, 8, 8)
            self._paint_progress(painter, frame)
            size = frame.height() - 2 * _PAD - 4
            center = QPointF(frame.left() + _GAP + size / 2, frame.center().y())
            self._paint_piece(painter, center, size)
            self._paint_words(painter, frame, center.x() + size / 2 + _GAP)

    def _paint_piece(self, painter: QPainter, center: QPointF, size: float) -> None:
        paint_side, side = self._paint_side, self.side
        if paint_side is None:
            return
        place = QRectF(0, 0, _PIECE * size, _PIECE * size)
        place.moveCenter(center)

        def paint(into: QPainter, room: QRectF) -> None:
            paint_side(into, side, room.center(), size)

        self._stamps.draw(painter, self.devicePixelRatioF(), (LOOK.theme.name, side, size), place, paint)

    def _paint_progress(self, painter: QPainter, frame: QRectF) -> None:
        """The budget that is used, as a line at the foot."""
        used = self._words.used
        if used is None:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(LOOK.theme.color("accent"))
        left, right = frame.left() + 8, frame.right() - 8
        painter.drawRect(QRectF(left, frame.bottom() - _LINE, (right - left) * used, _LINE))

    def _paint_words(self, painter: QPainter, frame: QRectF, left: float) -> None:
        theme, words = LOOK.theme, self._words
        elide, right = Qt.TextElideMode.ElideRight, frame.right() - _GAP
        bold = QFont(self.font())
        bold.setBold(True)
        plain, state_font = QFontMetricsF(self.font()), bold if words.loud else self.font()
        state_metrics = QFontMetricsF(state_font)
        state_width = min(state_metrics.horizontalAdvance(words.state) + 1, 0.6 * (right - left))
        room = max(right - left - state_width - _GAP, 0.0)
        top = frame.center().y() - plain.height()
        painter.setFont(bold)
        painter.setPen(theme.color("text"))
        name = QFontMetricsF(bold).elidedText(words.name, elide, room)
        painter.drawText(QPointF(left, top + plain.ascent()), name)
        painter.setFont(self.font())
        painter.setPen(theme.color("muted"))
        about = plain.elidedText(words.about, elide, room)
        painter.drawText(QPointF(left, top + plain.height() + plain.ascent()), about)
        painter.setPen(theme.color("text"))
        place = QRectF(right - state_width, frame.top(), state_width, frame.height())
        painter.setFont(state_font)
        state = state_metrics.elidedText(words.state, elide, state_width)
        painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, state)


class EvaluationBar(QWidget):
    """The expected score of the side below in its colour, from the bottom up; the other side has the rest."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._below, self._exact = Side.FIRST, False
        self._ends: tuple[float, float] | None = None
        self.side_color: Callable[[Side], QColor] | None = None
        """The colours of the sides in the game that is played."""
        self._score: float | None = None
        self.setAccessibleName("Evaluation")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        LOOK.changed.connect(self.update)

    @property
    def score(self) -> float | None:
        """The expected score of the side below, 0 to 1; None where nothing is known."""
        return self._score

    @property
    def exact(self) -> bool:
        """Whether the score is proven and no estimate."""
        return self._exact

    def show_score(self, score: float | None, words: str, *, below: Side, exact: bool) -> None:
        """Show what the game is worth for the side ``below``, and say it as ``words``."""
        if (score, below, exact) != (self._score, self._below, self._exact):
            self._score, self._below, self._exact = score, below, exact
            self.update()
        if words != self.accessibleDescription():
            self.setToolTip(tip(words))
            self.setAccessibleDescription(words)

    def stand_beside(self, frame: QRectF) -> None:
        """Begin and end where this does: the board, in a widget that is as high as this one."""
        ends = frame.top(), frame.bottom()
        if ends != self._ends:
            self._ends = ends
            self.update()

    @property
    def place(self) -> QRectF:
        """Where the bar is painted."""
        top, bottom = self._ends or (0.0, float(self.height()))
        return QRectF(0.0, top, self.width(), bottom - top)

    def sizeHint(self) -> QSize:
        return QSize(_BAR, 200)

    def minimumSizeHint(self) -> QSize:
        return QSize(_BAR, 40)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = LOOK.theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            place = self.place.adjusted(0.5, 0.5, -0.5, -0.5)
            painter.setPen(Qt.PenStyle.NoPen)
            if self._score is None or self.side_color is None:
                painter.setBrush(theme.color("button"))
                painter.drawRoundedRect(place, 4, 4)
            else:
                painter.setBrush(self.side_color(self._below.other))
                painter.drawRoundedRect(place, 4, 4)
                painter.setClipRect(place.adjusted(0, place.height() * (1 - self._score), 0, 0))
                painter.setBrush(self.side_color(self._below))
                painter.drawRoundedRect(place, 4, 4)
                painter.setClipping(False)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("text" if self._exact else "border"), 1.0))
            painter.drawRoundedRect(place, 4, 4)
            if self._score is not None:
                self._paint_level(painter, place, 1 - self._score, theme.color("text"), 1.0)
            # Seen on the colours of all sides.
            self._paint_level(painter, place, 0.5, QColor("black"), 4.0)
            self._paint_level(painter, place, 0.5, QColor("white"), 2.0)

    @staticmethod
    def _paint_level(painter: QPainter, place: QRectF, down: float, color: QColor, width: float) -> None:
        painter.setPen(QPen(color, width, c=Qt.PenCapStyle.FlatCap))
        height = place.top() + down * place.height()
        painter.drawLine(QPointF(place.left(), height), QPointF(place.right(), height))
