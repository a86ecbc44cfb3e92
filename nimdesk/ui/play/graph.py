"""The graph of the game: what it was worth after each move, for one side; pressing it leads there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from nimdesk.play.story import Curve
from nimdesk.ui.look.painting import faded
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import tip

_SIDE, _TOP = 12.0, 9.0
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_ENDS = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: 10**9}
_WHEEL = 120


class GameGraph(QWidget):
    """A curve of estimates, diamonds where the worth is proven, and a line at the position that is looked at."""

    jump_requested = Signal(int)
    """Look at the board after this many moves."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.curve = Curve()
        """What is shown."""
        self._turned = 0
        self.setAccessibleName("The game's value, move by move")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setMouseTracking(True)
        LOOK.changed.connect(self.update)

    def show_curve(self, curve: Curve) -> None:
        """Show this game."""
        self.curve = curve
        self.setAccessibleDescription(curve.words(curve.cursor))
        self.update()

    def point(self, cursor: int) -> QPointF:
        """Where the position after that many moves stands, in the middle of the height where nothing is known."""
        score, _ = self.curve.score(cursor)
        high = self.height() - 2 * _TOP
        return QPointF(self._x(cursor), _TOP + high * (1.0 - (0.5 if score is None else score)))

    def sizeHint(self) -> QSize:
        return QSize(300, 64)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 44)

    def _x(self, cursor: int) -> float:
        # A short game does not fill the width: each move gets a step of a size that one can press.
        steps = max(len(self.curve.moves), 12)
        return _SIDE + (self.width() - 2 * _SIDE) * cursor / steps

    def _cursor_at(self, x: float) -> int:
        steps = max(len(self.curve.moves), 12)
        wanted = round((x - _SIDE) / max(self.width() - 2 * _SIDE, 1.0) * steps)
        return min(max(wanted, 0), len(self.curve.moves))

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = LOOK.theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.setPen(QPen(theme.color("grid"), 1.0))
            painter.setBrush(theme.color("alternate"))
            painter.drawRoundedRect(frame, 6, 6)
            middle = frame.center().y()
            painter.drawLine(QPointF(frame.left() + 4, middle), QPointF(frame.right() - 4, middle))
            self._paint_cursor(painter, frame)
            self._paint_curve(painter, middle)
            self._paint_exact(painter)

    def _paint_cursor(self, painter: QPainter, frame: QRectF) -> None:
        x = self._x(self.curve.cursor)
        painter.setPen(QPen(LOOK.theme.color("accent"), 1.0))
        painter.drawLine(QPointF(x, frame.top() + 2), QPointF(x, frame.bottom() - 2))

    def _paint_curve(self, painter: QPainter, middle: float) -> None:
        accent = LOOK.theme.color("accent")
        known = [cursor for cursor in range(len(self.curve.moves) + 1) if self.curve.score(cursor)[0] is not None]
        points = [self.point(cursor) for cursor in known]
        if len(points) > 1:
            area = QPolygonF([QPointF(points[0].x(), middle), *points, QPointF(points[-1].x(), middle)])
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(faded(accent, 0.14))
            painter.drawPolygon(area)
            painter.setPen(QPen(accent, 2.0 * LOOK.theme.line))
            painter.drawPolyline(points)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(accent)
        if self.curve.cursor in known:
            painter.drawEllipse(self.point(self.curve.cursor), 4.5, 4.5)

    def _paint_exact(self, painter: QPainter) -> None:
        """Diamonds in the colour of what is proven, which the estimates never wear."""
        theme = LOOK.theme
        painter.setPen(QPen(theme.color("alternate"), 1.0))
        for cursor in range(len(self.curve.moves) + 1):
            if self.curve.exact[cursor] is None:
                continue
            score, _ = self.curve.score(cursor)
            assert score is not None
            role = "win" if score == 1.0 else "loss" if score == 0.0 else "draw"
            painter.setBrush(theme.color(role))
            at, reach = self.point(cursor), 5.0 if cursor == self.curve.cursor else 3.8
            corners = [QPointF(0, -reach), QPointF(reach, 0), QPointF(0, reach), QPointF(-reach, 0)]
            painter.drawPolygon(QPolygonF([at + corner for corner in corners]))

    # What a person does

    def _jump(self, cursor: int) -> None:
        cursor = min(max(cursor, 0), len(self.curve.moves))
        if cursor != self.curve.cursor:
            self.jump_requested.emit(cursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._jump(self._cursor_at(event.position().x()))
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._jump(self._cursor_at(event.position().x()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._turned += event.angleDelta().y()
        steps, self._turned = int(self._turned / _WHEEL), self._turned - int(self._turned / _WHEEL) * _WHEEL
        if steps:
            self._jump(self.curve.cursor - steps)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _STEPS:
            self._jump(self.curve.cursor + _STEPS[key])
        elif key in _ENDS:
            self._jump(_ENDS[key])
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), tip(self.curve.words(self._cursor_at(event.pos().x()))), self)
            return True
        return super().event(event)
