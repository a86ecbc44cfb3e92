"""Rings that point something out, and the one around what has the keyboard: the style's own marks are too faint."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMetaObject, QObject, QRect, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QRegion, QWindow
from PySide6.QtWidgets import QApplication, QTabBar, QWidget
from shiboken6 import isValid

from nimdesk.ui.boards.pointing import MARKS_ITSELF
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import MODIFIER_KEYS

_WIDTH, _AROUND = 2, 3
_PRESSED = (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)
_MOVED = (
    *(QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide),
    *(QEvent.Type.LayoutRequest, QEvent.Type.ZOrderChange),
)


class Ring(QWidget):
    """A frame around a part of a widget, ``thick`` pixels wide and ``around`` pixels away; the mouse goes through it.

    It is hidden at first.
    """

    def __init__(self, parent: QWidget, thick: int, around: int) -> None:
        super().__init__(parent)
        self._thick, self._around = thick, around
        self.color = QColor()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def surround(self, rect: QRect) -> None:
        """Stand around this part of the parent."""
        around, thick, parent = self._around, self._thick, self.parentWidget()
        assert parent is not None
        outer = rect.adjusted(-around, -around, around, around) & parent.rect()
        if outer != self.geometry():
            self.setGeometry(outer)
            inside = self.rect().adjusted(thick, thick, -thick, -thick)
            # Only the ring itself: what is inside repaints as if nothing were above it.
            self.setMask(QRegion(self.rect()) - QRegion(inside))
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), self.color)


class FocusRing(QObject):
    """Keeps a ``Ring`` around the widget that has the keyboard, in any window, if the keyboard came there by a key.

    A press of the mouse hides it until a key moves the keyboard elsewhere.
    """

    def __init__(self, app: QApplication, parent: QObject) -> None:
        super().__init__(parent)
        self._frame: Ring | None = None
        self._target: QWidget | None = None
        self._watched: list[QObject] = []
        self._moved: QMetaObject.Connection | None = None
        self._by_keys = False
        app.focusChanged.connect(self._on_focus)
        LOOK.changed.connect(self._place)
        self._on_focus(None, app.focusWidget())

    @property
    def target(self) -> QWidget | None:
        """The widget that the ring stands around; None if the ring is hidden."""
        shown = self._frame is not None and isValid(self._frame) and self._frame.isVisible()
        return self._target if shown else None

    def _on_focus(self, old: QWidget | None, new: QWidget | None) -> None:
        self._leave()
        if new is None or new.window().windowType() is Qt.WindowType.Popup:
            return
        window = new.window()
        handle: QWindow | None = window.windowHandle()
        self._watched = [new] if handle is None else [handle, new]
        self._watched += _above(new)
        for each in self._watched:
            each.installEventFilter(self)
        # A page gets the keyboard as a whole before Tab goes to its parts.
        tabbed = new.focusPolicy() & Qt.FocusPolicy.TabFocus == Qt.FocusPolicy.TabFocus
        if not tabbed or new.property(MARKS_ITSELF):
            return
        self._target = new
        if isinstance(new, QTabBar):
            self._moved = new.currentChanged.connect(self._place)
        self._place()

    def _leave(self) -> None:
        for each in self._watched:
            if isValid(each):
                each.removeEventFilter(self)
        if self._moved is not None:
            self.disconnect(self._moved)  # type: ignore[call-overload]  # the stubs lack it
            self._moved = None
        self._watched, self._target = [], None
        self._place()

    def _place(self) -> None:
        """Put the ring where it belongs now, or away."""
        rect = QRect() if self._target is None or not self._by_keys else _seen(self._target)
        if self._frame is not None and not isValid(self._frame):
            self._frame = None
        if rect.isEmpty() or self._target is None:
            if self._frame is not None:
                self._frame.hide()
            return
        window = self._target.window()
        if self._frame is None:
            self._frame = Ring(window, _WIDTH, _AROUND)
        elif self._frame.parentWidget() is not window:
            self._frame.setParent(window)
        self._frame.color = LOOK.theme.color("accent")
        self._frame.surround(rect)
        self._frame.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in _PRESSED:
            assert isinstance(event, QKeyEvent)
            self._by_keys = self._by_keys or event.key() not in MODIFIER_KEYS
        elif kind == QEvent.Type.MouseButtonPress and isinstance(watched, QWindow):
            self._by_keys = False
            self._place()
        elif kind in _MOVED:
            self._place()
        return False


def _seen(widget: QWidget) -> QRect:
    """The part of a widget that its parents show, in the coordinates of its window; for tabs, the current tab."""
    rect = widget.tabRect(widget.currentIndex()) if isinstance(widget, QTabBar) else widget.rect()
    if not widget.isVisible():
        return QRect()
    for above in _above(widget):
        rect = rect.translated(widget.pos()) & above.rect()
        widget = above
    return rect


def _above(widget: QWidget) -> list[QWidget]:
    """The widgets around a widget, from its parent up to the window."""
    above: list[QWidget] = []
    parent = None if widget.isWindow() else widget.parentWidget()
    while parent is not None:
        above.append(parent)
        parent = None if parent.isWindow() else parent.parentWidget()
    return above
