"""A widget on which a person points at moves and chooses one, by mouse or by keyboard."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QElapsedTimer, QEvent, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QFocusEvent, QGuiApplication, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from nimdesk.games import AnyPosition, Move
from nimdesk.ui.look.widgets import announce

MARKS_ITSELF = "marks_focus_itself"
"""The property of widgets that themselves show well enough that they have the keyboard (``FocusRing``)."""

_DIGIT_PAUSE_MS = 1200
ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)}
"""How far right and up each arrow leads."""
_ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_MODIFIERS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
_TAB_REASONS = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)
_MENU_REASONS = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.MenuBarFocusReason)
_WINDOW_REASONS = (Qt.FocusReason.ActiveWindowFocusReason, *_MENU_REASONS)


class MoveCursor(Protocol):
    """The move that the keys have led to, apart from how a board paints it."""

    @property
    def move(self) -> Move | None:
        """The legal move here; None where there is none."""

    def adapt(self, position: AnyPosition, *, in_use: bool) -> None:
        """Go to a sensible place in this position; ``in_use`` says whether a person follows the cursor now."""

    def put(self, move: Move) -> None:
        """Stand on this legal move."""

    def wants(self, key: int, text: str) -> bool:
        """Whether ``press`` does something with this key."""

    def press(self, key: int, text: str) -> None:
        """Move as the key says."""


class TypedNumber:
    """Digits typed soon after each other make one number, as long as it is not too large."""

    def __init__(self) -> None:
        """Without digits yet."""
        self._digits = ""
        self._clock = QElapsedTimer()

    def clear(self) -> None:
        """The next digit begins a new number."""
        self._digits = ""

    def add(self, digit: str, largest: int) -> int | None:
        """The number typed so far; None if it is not from 1 to ``largest``."""
        fresh = not self._clock.isValid() or self._clock.elapsed() > _DIGIT_PAUSE_MS
        self._clock.start()
        typed = digit if fresh else self._digits + digit
        if not 1 <= int(typed) <= largest:
            typed = digit
        self._digits = typed
        return int(typed) if 1 <= int(typed) <= largest else None


class MovePointer(QWidget):
    """Hover, keyboard cursor and choice; the boards add where their moves are, and a cursor."""

    move_chosen = Signal(object)
    """A person chose this legal ``Move`` by click or by keyboard (only while interactive)."""

    move_hovered = Signal(object)
    """The ``Move`` that a person points at, by mouse or by keyboard, changed; None when there is none. Also emitted
    while the board is not interactive (a person may point at moves while the computer thinks). A pointer that lies
    still while the moves change points at nothing until it moves; the signal then comes from the event loop."""

    def __init__(self, cursor: MoveCursor, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cursor = cursor
        self._interactive = False
        self._mouse: QPointF | None = None
        self._rests = False
        self._pressed: Move | None = None
        self._behind_dialog = False
        self._uncovered, self._uncovered_at = QElapsedTimer(), QPoint()
        """Since when no dialog or menu is before the window any more, and where the pointer was then."""
        self._keyboard = False
        self._hovered: Move | None = None
        self._told: Move | None = None
        self._tell_later = QTimer(self)
        self._tell_later.setSingleShot(True)
        self._tell_later.setInterval(0)
        self._tell_later.timeout.connect(self._tell_hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty(MARKS_ITSELF, True)
        self.setMouseTracking(True)

    def set_interactive(self, interactive: bool) -> None:
        """Whether a person may choose a move now (their turn, and the game goes on)."""
        self._interactive = interactive
        self._pressed = None if not interactive else self._pressed
        self._refresh(later=True)

    @property
    def interactive(self) -> bool:
        """Whether a person may choose a move now."""
        return self._interactive

    @property
    def hovered_move(self) -> Move | None:
        """The legal move under a mouse that has moved since the moves changed, or under the keyboard cursor."""
        return self._hovered

    @property
    def cursor_shown(self) -> bool:
        """Whether the keyboard leads, so that its cursor is shown."""
        return self._keyboard and self.hasFocus()

    # What each kind of board adds.

    def _move_at(self, point: QPointF) -> Move | None:
        """The legal move that a click at this point would play."""
        raise NotImplementedError

    def _legal_moves(self) -> tuple[Move, ...]:
        """The moves that may be chosen."""
        raise NotImplementedError

    def _cursor_words(self) -> str:
        """Where the keyboard cursor is."""
        raise NotImplementedError

    def _describe(self) -> None:
        """Keep the accessible name and description up to date."""
        raise NotImplementedError

    # Machinery.

    def _rest(self) -> None:
        """Point at nothing: the moves have changed, and nobody pointed at the new one under the mouse."""
        self._rests = True
        self._refresh(later=True)

    def _refresh(self, *, later: bool = False) -> None:
        """Find out anew what is pointed at, and repaint."""
        if self.cursor_shown:
            self._hovered = self._cursor.move
        else:
            self._hovered = None if self._mouse is None or self._rests else self._move_at(self._mouse)
        clickable = self._interactive and not self.cursor_shown and self._hovered is not None
        shape = Qt.CursorShape.PointingHandCursor if clickable else Qt.CursorShape.ArrowCursor
        if self.cursor().shape() != shape:
            self.setCursor(shape)
        self.update()
        if later:
            self._tell_later.start()
        else:
            self._tell_hover()

    def _tell_hover(self) -> None:
        meant = None if self._rests else self._hovered
        if meant != self._told:
            self._told = meant
            self.move_hovered.emit(meant)

    def _choose(self, move: Move | None) -> None:
        if move is not None and self._interactive and move in self._legal_moves():
            self.move_chosen.emit(move)

    def _announce(self, words: str) -> None:
        announce(self, words)

    def _use_keyboard(self) -> None:
        """Show the keyboard cursor, starting from the move under the mouse."""
        if not self._keyboard and self._hovered is not None:
            self._cursor.put(self._hovered)
        self._keyboard = True

    def _cursor_moved(self) -> None:
        self._describe()
        self._announce(self._cursor_words())
        self._refresh()

    # Qt's events.

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.WindowDeactivate:
            self._behind_dialog = QApplication.activeModalWidget() is not None
        elif event.type() == QEvent.Type.WindowActivate and self._behind_dialog:
            self._behind_dialog = False
            self._note_uncovered()
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._is_mine(event):
            event.accept()
            return True
        return super().event(event)

    def _is_mine(self, event: QKeyEvent) -> bool:
        if event.modifiers() & _MODIFIERS:
            return False
        return event.key() in _ENTER_KEYS or self._cursor.wants(event.key(), event.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._is_mine(event):
            super().keyPressEvent(event)
            return
        shown = self.cursor_shown
        self._rests = False
        self._use_keyboard()
        if event.key() not in _ENTER_KEYS:
            self._cursor.press(event.key(), event.text())
            self._cursor_moved()
        elif not shown:
            # Enter must never play a move that the person could not see beforehand.
            self._cursor_moved()
        elif not event.isAutoRepeat():
            self._choose(self._cursor.move)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.position() != self._mouse:
            self._mouse, self._keyboard, self._rests = event.position(), False, False
            self._refresh()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        self._mouse, self._keyboard, self._rests = event.position(), False, False
        self._pressed = None if self._ends_double_click(event) else self._move_at(event.position())
        self._refresh()

    def _note_uncovered(self) -> None:
        self._uncovered_at = QCursor.pos()
        self._uncovered.start()

    def _ends_double_click(self, event: QMouseEvent) -> bool:
        """Whether the click before this one closed a dialog or a menu: Qt makes no double click of the two."""
        hints, away = QGuiApplication.styleHints(), event.globalPosition().toPoint() - self._uncovered_at
        return (
            self._uncovered.isValid()
            and self._uncovered.elapsed() < hints.mouseDoubleClickInterval()
            and away.manhattanLength() <= hints.mouseDoubleClickDistance()
        )

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Nothing: the first click closed what lay over the board, or played a move; the second means no other one."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            super().mouseReleaseEvent(event)
            return
        pressed, self._pressed = self._pressed, None
        if pressed is not None and pressed == self._move_at(event.position()):
            self._choose(pressed)

    def leaveEvent(self, event: QEvent) -> None:
        self._mouse = None
        self._refresh()
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in _MENU_REASONS:
            self._note_uncovered()
        if event.reason() in _TAB_REASONS:
            self._use_keyboard()
            self._cursor_moved()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in _WINDOW_REASONS:
            self._keyboard = False
        self._refresh()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._refresh(later=True)
