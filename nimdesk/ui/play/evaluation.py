"""The evaluation bar: what the game is worth, as a bar beside the board in the colours of the sides."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from nimdesk.games import Side
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import tip

_WIDTH = 14


class EvaluationBar(QWidget):
    """The expected score of the side below, from the bottom up; the other side has the rest."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._below, self._exact = Side.FIRST, False
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

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, 200)

    def minimumSizeHint(self) -> QSize:
        return QSize(_WIDTH, 40)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = LOOK.theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            place = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
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
            painter.setPen(QPen(theme.color("accent"), 2.0))
            half = place.center().y()
            painter.drawLine(QPointF(place.left(), half), QPointF(place.right(), half))
