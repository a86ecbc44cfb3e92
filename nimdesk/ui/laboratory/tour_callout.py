"""A callout of the guided look: a bubble inside the window that points at a widget; never a dialog of its own."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QMenuBar, QPushButton, QVBoxLayout, QWidget

from nimdesk.ui.look.ring import Ring
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import label

_WIDTH = 340
_TAIL = 12
"""Room around the bubble, on each side, of which one has the tail."""
_RING, _AROUND = 3, 5
_KEYS = (Qt.Key.Key_Escape, Qt.Key.Key_Left, Qt.Key.Key_Right)


class Callout(QWidget):
    """One or two sentences with a place in the order, and buttons; stays beside its widget when the page changes.

    Enter and → go on, ← goes back; Escape ends it, also where the keyboard is elsewhere and Escape means nothing there.
    """

    next_wanted = Signal()
    """On to the next step, or the end of the last."""
    back_wanted = Signal()
    """Back to the step before."""
    skip_wanted = Signal()
    """An end to all of it."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        # The menu bar takes an Escape from the buttons in its corner.
        self._around = [page.window(), *page.window().findChildren(QMenuBar)]
        self._target: QWidget | None = None
        self._tail: tuple[QPointF, QPointF, QPointF] | None = None
        self._ring = Ring(page, _RING, _AROUND)
        self._told: tuple[str, bool] | None = None
        self.place = label(role="muted")
        self.text = QLabel()
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setFixedWidth(_WIDTH - 32)
        # No letters of their own: those of the page below would answer to them, too.
        self.skip, self.back, self.next = QPushButton("Skip"), QPushButton("Back"), QPushButton("Next")
        self.skip.setToolTip("Escape")
        self.back.setToolTip("Left")
        self.next.setToolTip("Enter or Right")
        self.skip.clicked.connect(self.skip_wanted)
        self.back.clicked.connect(self.back_wanted)
        self.next.clicked.connect(self.next_wanted)
        for button in (self.skip, self.back, self.next):
            button.setAutoDefault(True)  # Enter presses the button that has the keyboard
            button.installEventFilter(self)
        buttons = QHBoxLayout()
        buttons.addWidget(self.place, 1)
        for button in (self.skip, self.back, self.next):
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_TAIL + 14, _TAIL + 12, _TAIL + 14, _TAIL + 10)
        layout.setSpacing(10)
        layout.addWidget(self.text)
        layout.addLayout(buttons)
        page.installEventFilter(self)
        for each in self._around:
            each.installEventFilter(self)
        LOOK.changed.connect(self._take_look)
        self._take_look()
        self.hide()

    def _take_look(self) -> None:
        self._ring.color = LOOK.theme.color("accent")
        self.update()

    def show_step(self, target: QWidget, text: str, place: str, *, first: bool, last: bool, ready: bool) -> None:
        """Point at this widget with this text; ``ready`` is whether one may go on."""
        self.text.setText(text)
        # Fixed, not by the layout: that would learn of another number of lines only later. Fewer lines than before are
        # not asked for while the old height is the least.
        self.text.setMinimumHeight(0)
        self.text.setFixedHeight(self.text.heightForWidth(self.text.width()))
        self.place.setText(place)
        self.back.setVisible(not first)
        self.skip.setVisible(not last)
        self.skip.setText("Skip")
        self.next.setText("Done" if last else "Next")
        self.next.setEnabled(ready)
        self.setAccessibleName(f"Guided look, {place}")
        self.next.setAccessibleDescription(text)
        self._point_at(target)
        # The keyboard is taken once, when there is something new to read or to press.
        if (place, ready) != self._told:
            self._told = (place, ready)
            (self.next if ready else self.skip).setFocus(Qt.FocusReason.OtherFocusReason)

    def show_offer(self, target: QWidget, text: str) -> None:
        """Ask if one wants to be guided: Next is yes, Skip is no."""
        self.show_step(target, text, "", first=True, last=False, ready=True)
        self.next.setText("Show me")
        self.skip.setText("Not now")
        self._put()

    def end(self) -> None:
        """Take it off the page."""
        self._target = None
        self._page.removeEventFilter(self)
        for each in self._around:
            each.removeEventFilter(self)
        for part in (self._ring, self):
            part.hide()
            part.deleteLater()

    # Its place

    def _point_at(self, target: QWidget) -> None:
        self._target = target
        self.show()
        layout = self.layout()
        assert layout is not None
        layout.invalidate()
        self._put()

    def _put(self) -> None:
        target = self._target
        if target is None:
            return
        layout = self.layout()
        assert layout is not None
        # Never invalidated here: that asks for a layout, whose coming calls this, without end.
        layout.activate()
        self.resize(layout.totalSizeHint())
        layout.setGeometry(self.rect())
        rect = QRect(target.mapTo(self._page, QPoint()), target.size()) & self._page.rect()
        self._ring.surround(rect)
        place, side = self._best_place(rect)
        self.move(place)
        self._tail = self._tail_to(rect, side)
        self.raise_()
        self.update()

    def _best_place(self, rect: QRect) -> tuple[QPoint, str]:
        """Beside the target where there is room; else inside it, at its lower edge."""
        room, width, height = self._page.rect().adjusted(2, 2, -2, -2), self.width(), self.height()
        middle = rect.center()
        x = min(max(middle.x() - width // 2, room.left()), room.right() - width)
        y = min(max(middle.y() - height // 2, room.top()), room.bottom() - height)
        places = {
            "below": QPoint(x, rect.bottom() + _AROUND),
            "right": QPoint(rect.right() + _AROUND, y),
            "left": QPoint(rect.left() - width - _AROUND, y),
            "above": QPoint(x, rect.top() - height - _AROUND),
        }
        for side, place in places.items():
            if room.contains(QRect(place, self.size())):
                return place, side
        return QPoint(x, min(rect.bottom(), room.bottom()) - height), "inside"

    def _tail_to(self, rect: QRect, side: str) -> tuple[QPointF, QPointF, QPointF] | None:
        if side == "inside":
            return None
        own = QRect(self.pos(), self.size())
        middle = QPointF(
            (rect & own.adjusted(-4000, 0, 4000, 0)).center() if side in ("left", "right") else rect.center()
        )
        middle -= QPointF(own.topLeft())
        x = min(max(middle.x(), _TAIL * 3.0), self.width() - _TAIL * 3.0)
        y = min(max(middle.y(), _TAIL * 3.0), self.height() - _TAIL * 3.0)
        right, bottom, t = float(self.width()), float(self.height()), float(_TAIL)
        return {
            "below": (QPointF(x, 1), QPointF(x - t, t), QPointF(x + t, t)),
            "above": (QPointF(x, bottom - 1), QPointF(x - t, bottom - t), QPointF(x + t, bottom - t)),
            "right": (QPointF(1, y), QPointF(t, y - t), QPointF(t, y + t)),
            "left": (QPointF(right - 1, y), QPointF(right - t, y - t), QPointF(right - t, y + t)),
        }[side]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self._target is not None and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._put()
        # A button would take the arrow keys to go to its neighbour. To the window comes what nothing had a use for.
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and watched is not self._page:
            if watched in self._around and (not self.isVisible() or watched is QApplication.focusWidget()):
                return False
            keys = _KEYS[:1] if watched in self._around else _KEYS
            return event.key() in keys and self._use(Qt.Key(event.key()))
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        bubble = QPainterPath()
        bubble.addRoundedRect(QRectF(self.rect()).adjusted(_TAIL, _TAIL, -_TAIL, -_TAIL), 8, 8)
        if self._tail is not None:
            tail = QPainterPath()
            tail.addPolygon(QPolygonF(self._tail))
            tail.closeSubpath()
            bubble = bubble.united(tail)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(LOOK.theme.color("accent"), 2))
        painter.setBrush(LOOK.theme.color("base"))
        painter.drawPath(bubble)

    # Keyboard

    def event(self, event: QEvent) -> bool:
        # Escape and the arrows are for the callout while it has the keyboard, not for the window's actions.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in _KEYS:
            event.accept()
            return True
        if event.type() == QEvent.Type.LayoutRequest:
            done = super().event(event)
            self._put()
            return done
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._use(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def _use(self, key: Qt.Key) -> bool:
        """Do what the key says; whether it says anything."""
        if key == Qt.Key.Key_Escape:
            self.skip_wanted.emit()
        elif key == Qt.Key.Key_Left:
            if self.back.isVisible():
                self.back_wanted.emit()
        elif key in _KEYS:
            if self.next.isEnabled():
                self.next_wanted.emit()
        else:
            return False
        return True
