"""A small plot on which a person draws a curve by hand, by mouse or by keys."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from nimdesk.ui.look.theme import LOOK

_POINTS = 13
_STEP = 0.05
_MARGIN = 6.0


class CurvePad(QWidget):
    """A curve of a few points that are dragged up and down; Left and Right choose one, Up and Down move it.

    ``x`` are the ends of the axis, logarithmic where ``log``, and ``top`` is the end of the other one, which begins
    with 0. The measured curve is drawn beside it once it is known.
    """

    drawn = Signal()
    """A point was moved."""

    def __init__(self, x: tuple[float, float], top: float, *, log: bool, words: str) -> None:
        super().__init__()
        self._log, self._ends, self._top, self._words = log, x, top, words
        self._heights = [0.5] * _POINTS
        self._measured: tuple[tuple[float, float], ...] = ()
        self._at = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(150)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"Your curve: {words}")
        self.setToolTip("Draw with the mouse, or choose a point with ← and → and move it with ↑ and ↓")
        LOOK.changed.connect(self.update)
        self._tell()

    @property
    def points(self) -> list[list[float]]:
        """What was drawn: pairs of numbers on the axes."""
        low, high = self._ends
        xs = np.geomspace(low, high, _POINTS) if self._log else np.linspace(low, high, _POINTS)
        return [[float(x), height * self._top] for x, height in zip(xs, self._heights, strict=True)]

    def show_points(self, points: Sequence[Sequence[float]]) -> None:
        """Show a curve that was drawn before."""
        if len(points) == _POINTS:
            self._heights = [min(1.0, max(0.0, point[1] / self._top)) for point in points]
            self.update()

    def show_measured(self, points: tuple[tuple[float, float], ...]) -> None:
        """Draw what is so beside it."""
        self._measured = points
        self.update()

    # Where things are

    def _room(self) -> QRectF:
        line = QFontMetricsF(self.font()).height()
        return QRectF(self.rect()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -line - _MARGIN)

    def _pixel(self, x: float, y: float) -> QPointF:
        room, (low, high) = self._room(), self._ends
        share = np.log(max(x, low) / low) / np.log(high / low) if self._log else (x - low) / (high - low)
        return QPointF(room.left() + float(share) * room.width(), room.bottom() - y / self._top * room.height())

    # Drawing by hand

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._draw_to(event.position(), joined=False)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._draw_to(event.position())

    def _draw_to(self, point: QPointF, *, joined: bool = True) -> None:
        """Draw up to this pixel; ``joined`` to where the hand was before: a quick one passes over points."""
        room, before = self._room(), self._at
        at = round((point.x() - room.left()) / room.width() * (_POINTS - 1))
        height = min(1.0, max(0.0, (room.bottom() - point.y()) / room.height()))
        self._at = min(_POINTS - 1, max(0, at))
        if joined and abs(self._at - before) > 1:
            (low, first), (high, last) = sorted(((before, self._heights[before]), (self._at, height)))
            self._heights[low : high + 1] = np.linspace(first, last, high + 1 - low).tolist()
        self._set(height)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            step = 1 if key == Qt.Key.Key_Right else -1
            self._at = min(_POINTS - 1, max(0, self._at + step))
            self._tell()
            self.update()
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._set(self._heights[self._at] + (_STEP if key == Qt.Key.Key_Up else -_STEP))
        else:
            super().keyPressEvent(event)

    def _set(self, height: float) -> None:
        self._heights[self._at] = min(1.0, max(0.0, height))
        self._tell()
        self.drawn.emit()
        self.update()

    def _tell(self) -> None:
        x, y = self.points[self._at]
        self.setAccessibleDescription(f"At {x:,.3g}: {y:.3g}")

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, room = LOOK.theme, self._room()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(self.rect(), theme.color("plot"))
            painter.setPen(QPen(theme.color("grid"), 1))
            for share in (0.0, 0.25, 0.5, 0.75, 1.0):
                y = room.bottom() - share * room.height()
                painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
            self._paint_curve(painter, self.points, QPen(theme.color("text"), 2))
            painter.setBrush(theme.color("text"))
            for number, (x, y) in enumerate(self.points):
                chosen = number == self._at and self.hasFocus()
                painter.drawEllipse(self._pixel(x, y), *((5.0, 5.0) if chosen else (2.5, 2.5)))
            if self._measured:
                self._paint_curve(painter, self._measured, QPen(theme.color("accent"), 3, Qt.PenStyle.DashLine))
            self._paint_words(painter, room)

    def _paint_curve(self, painter: QPainter, points: Sequence[Sequence[float]], pen: QPen) -> None:
        painter.setPen(pen)
        painter.drawPolyline(QPolygonF([self._pixel(x, min(y, self._top)) for x, y in points]))

    def _paint_words(self, painter: QPainter, room: QRectF) -> None:
        painter.setPen(LOOK.theme.color("muted"))
        below = QRectF(room.left(), room.bottom() + 2, room.width(), self.height() - room.bottom() - 2)
        low, high = (f"{end:,.7g}" for end in self._ends)
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, low)
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, high)
        painter.drawText(room.adjusted(4, 2, 0, 0), Qt.AlignmentFlag.AlignLeft, f"{self._top:g}")
        middle = "dashed: measured" if self._measured else self._words
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, middle)
