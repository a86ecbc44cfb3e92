"""What the plot shows before anything was searched: a recorded search in grey, and what to look for in it."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from nimdesk.ui.look.painting import faded
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import label

POSITION, AGENT, SEED = "mnk:7,6,4:gravity d1", "mcts", 38
"""The search that is drawn."""
_AT = (
    "1 2 3 4 5 6 8 10 13 16 20 25 32 40 50 60 70 82 94 108 128 148 171 198 229 266 309 359 402 469 547 "
    "637 743 834 974 1137 1329 1553 1746 2040 2384 2788 3134 3664 4284 4818 5634 6589 7707 8668 10000"
)
_RECORDED = {
    "a1": (
        "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9 22 32 31 41 38 33 28 24 21 18 16 17 17 16 15 14 13 11 9 9 8 8 7 7 "
        "6 5 6 5 5 4 4 3 3 3"
    ),
    "b1": (
        "0 0 0 0 0 0 0 0 0 0 15 20 19 15 14 12 10 9 7 10 9 9 8 9 9 9 8 7 6 7 8 8 10 9 7 7 7 6 6 6 6 7 6 6 5 4 4 3 3 2 2"
    ),
    "c1": (
        "0 0 33 25 20 17 25 30 31 31 25 20 25 30 32 35 33 28 24 22 19 19 16 16 18 18 22 23 22 21 20 23 21 18 "
        "16 14 12 11 11 10 9 9 10 10 9 8 7 6 5 4 4"
    ),
    "d2": (
        "100 50 33 25 40 33 25 20 15 19 15 12 9 8 8 7 6 5 4 4 4 3 3 3 3 6 6 10 10 10 9 8 11 21 32 39 45 50 50 "
        "53 56 57 56 56 62 67 71 75 78 81 83"
    ),
    "e1": (
        "0 50 33 25 20 33 25 30 38 38 30 24 28 30 32 35 33 28 24 22 20 20 17 16 18 19 22 23 22 21 20 23 21 18 "
        "16 14 12 11 11 10 9 9 10 10 9 8 7 6 5 4 4"
    ),
    "f1": (
        "0 0 0 25 20 17 25 20 15 12 15 24 19 18 14 12 10 9 7 10 9 9 8 10 9 9 8 7 6 7 8 9 10 9 8 7 7 6 6 6 6 7 "
        "6 6 5 4 4 3 3 2 2"
    ),
    "g1": (
        "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 3 16 18 18 19 17 16 16 17 16 15 14 12 11 9 8 8 8 7 7 6 5 6 "
        "5 5 4 4 3 3 3"
    ),
}
ITERATIONS = tuple(map(int, _AT.split()))
"""Some of its checkpoints."""
SHARES = {move: tuple(map(int, shares.split())) for move, shares in _RECORDED.items()}
"""The share of each move there, in percent."""
_LEADER = "d2"
_SEEN = 360
"""From here on the leader rises."""
ABOUT = (
    "An example: 10,000 simulations of MCTS about the second move of Connect Four. Each curve is a possible move, and "
    "its height its share of the simulations by then."
)
_TRIED, _RISES = "at first all are tried", "then the search comes back to one"


class ExampleView(QWidget):
    """A picture of a search, small and grey, with its story in two lines; nothing in it can be pressed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture = _Picture()
        about = label(ABOUT, role="muted", wrap=True)
        about.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 4, 20, 4)
        layout.addStretch(1)
        layout.addWidget(self._picture, 6)
        layout.addWidget(about)
        layout.addStretch(1)
        self.setAccessibleName("Example of a plot")
        self.setAccessibleDescription(ABOUT)

    def minimumSizeHint(self) -> QSize:
        return QSize(100, 60)


class _Picture(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMaximumSize(440, 230)
        LOOK.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(380, 190)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 40)

    def paintEvent(self, _event: QPaintEvent) -> None:
        metrics, theme = self.fontMetrics(), LOOK.theme
        line = metrics.height()
        frame = QRectF(self.rect()).adjusted(4, line + 2, -4 - metrics.horizontalAdvance(f"  {_LEADER}"), -line - 2)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.color("border"), 1.0))
            painter.drawLine(frame.bottomLeft(), frame.bottomRight())
            painter.drawLine(frame.bottomLeft(), frame.topLeft())
            for move, shares in SHARES.items():
                leads = move == _LEADER
                color = theme.color("muted") if leads else faded(theme.color("muted"), 0.45)
                painter.setPen(QPen(color, 2.5 if leads else 1.0))
                painter.drawPolyline(
                    QPolygonF([_place(frame, at, part) for at, part in zip(ITERATIONS, shares, strict=True)])
                )
            self._write(painter, frame, theme.color("muted"), line)

    def _write(self, painter: QPainter, frame: QRectF, ink: QColor, line: int) -> None:
        painter.setPen(ink)
        end = _place(frame, ITERATIONS[-1], SHARES[_LEADER][-1])
        painter.drawText(end + QPointF(6, line / 3), _LEADER)
        painter.drawText(QPointF(frame.left(), frame.bottom() + line), "1")
        last = f"{ITERATIONS[-1]:,} simulations"
        width = painter.fontMetrics().horizontalAdvance(last)
        painter.drawText(QPointF(frame.right() - width, frame.bottom() + line), last)
        width, most = painter.fontMetrics().horizontalAdvance(_RISES), _place(frame, _SEEN, 0.0).x() - frame.left()
        if painter.fontMetrics().horizontalAdvance(_TRIED) > 0.9 * most or width > most:
            return  # there is no room for words
        painter.drawText(QPointF(frame.left() + 0.12 * most, frame.bottom() - 0.88 * frame.height()), _TRIED)
        painter.drawText(QPointF(frame.left() + 0.95 * most - width, frame.bottom() - 0.66 * frame.height()), _RISES)


def _place(frame: QRectF, iterations: int, percent: float) -> QPointF:
    across = math.log(iterations) / math.log(ITERATIONS[-1])
    return QPointF(frame.left() + across * frame.width(), frame.bottom() - percent / 100 * frame.height())
