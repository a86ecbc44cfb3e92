"""What every board widget offers to the window, and what the window tells it.

The base also holds what all boards share: hover and keyboard cursor, choosing a move, animation, words for screen
readers. A board adds where its moves are, how keys move the cursor, and the painting.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QAbstractAnimation, QEvent, QPointF, QSize, Qt, QTimer, QVariantAnimation, Signal
from PySide6.QtGui import QAccessible, QColor, QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from nimdesk.games import AnyPosition, Move
from nimdesk.games.words import describe_move, describe_turn
from nimdesk.theory import Truth
from nimdesk.ui.theme import Theme

try:
    from PySide6.QtGui import QAccessibleAnnouncementEvent
except ImportError:  # PySide6 before 6.8.2 on some systems
    QAccessibleAnnouncementEvent = None  # type: ignore[assignment, misc]

OVERLAY_STYLES = ("share", "visits", "value", "none")
_ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_MODIFIERS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
_TAB_REASONS = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)
_WINDOW_REASONS = (
    Qt.FocusReason.ActiveWindowFocusReason,
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.MenuBarFocusReason,
)


@dataclass(frozen=True, slots=True)
class OverlayItem:
    """What a board draws for one root move while (or after) the computer thinks.

    ``share`` is the move's share of the visits, 0 to 1; ``color`` is the colour of its curve; ``leader`` marks the most
    visited move. ``mean_value`` is from the view of the side to move, None before the first visit.
    """

    share: float
    visits: int
    mean_value: float | None
    color: QColor
    leader: bool


class BoardView(QWidget):
    """Base of the boards: a widget that shows one position and lets a person choose a move.

    The window calls the ``set_`` methods; none of them emits a signal. Everything may be called in any order and as
    often as 30 times a second.
    """

    move_chosen = Signal(object)
    """A person chose this legal ``Move`` by click or by keyboard (only while interactive)."""

    move_hovered = Signal(object)
    """The ``Move`` under the mouse or the keyboard cursor changed; None when there is none. Also emitted while the
    board is not interactive (a person may point at moves while the computer thinks). A change that a ``set_`` method
    causes under a resting mouse is told from the event loop, after that method has returned."""

    def __init__(self, theme: Theme, position: AnyPosition, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._position = position
        self._interactive = False
        self._overlay: dict[Move, OverlayItem] | None = None
        self._overlay_style = "share"
        self._highlight: Move | None = None
        self._suggestion: Move | None = None
        self._truth: Truth | None = None
        self._mouse: QPointF | None = None
        self._pressed: Move | None = None
        self._keyboard = False
        self._hovered: Move | None = None
        self._told: Move | None = None
        self._animation_enabled = True
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.valueChanged.connect(self._on_frame)
        self._animation.finished.connect(self._on_frame)
        self._tell_later = QTimer(self)
        self._tell_later.setSingleShot(True)
        self._tell_later.setInterval(0)
        self._tell_later.timeout.connect(self._tell_hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    # What the window tells the board.

    def set_position(self, position: AnyPosition, *, animate: bool = False) -> None:
        """Show this position; with ``animate``, show the last move of ``position.moves`` happening.

        Raises ``TypeError`` for a position of another kind of game.
        """
        if type(position) is not type(self._position):
            raise TypeError(f"{type(self).__name__} cannot show {position!r}")
        if position == self._position and position.moves == self._position.moves:
            return
        self._animation.stop()
        self._position, self._pressed = position, None
        self._adapt_cursor()
        if animate and position.moves and self._animation_enabled and self.isVisible():
            self._animation.setDuration(self._animation_ms())
            self._animation.start()
        self._describe()
        last = f"{self._last_move_words()}. " if position.moves else ""
        self._announce(f"{last}{describe_turn(position)}.")
        self._refresh(later=True)

    def set_interactive(self, interactive: bool) -> None:
        """Whether a person may choose a move now (their turn, and the game goes on)."""
        self._interactive = interactive
        self._pressed = None if not interactive else self._pressed
        self._refresh(later=True)

    def set_overlay(self, overlay: dict[Move, OverlayItem] | None) -> None:
        """Draw visit shares on the moves; None draws none. Moves that are missing have no visits."""
        self._overlay = overlay
        self.update()

    def set_overlay_style(self, number: str) -> None:
        """Which number each move shows in the overlay: ``share``, ``visits``, ``value`` or ``none``.

        The bars and discs always show the share of visits.
        """
        if number not in OVERLAY_STYLES:
            raise ValueError(f"an overlay shows one of {', '.join(OVERLAY_STYLES)}, not {number!r}")
        self._overlay_style = number
        self.update()

    def set_highlight(self, move: Move | None) -> None:
        """Mark the move that is pointed at elsewhere (curve, legend, table)."""
        if move != self._highlight:
            self._highlight = move
            self.update()

    def set_truth(self, truth: Truth | None) -> None:
        """Show what is proven of this position's moves; None shows nothing, as does the truth of another position."""
        self._truth = truth
        self.update()

    def set_suggestion(self, move: Move | None) -> None:
        """Mark the move that the machine proposes."""
        if move != self._suggestion:
            self._suggestion = move
            self.update()

    def set_theme(self, theme: Theme) -> None:
        """Paint in this look from now on."""
        self._theme = theme
        self.update()

    def set_animation_enabled(self, enabled: bool) -> None:
        """Whether moves may be animated; switching it off ends an animation that runs."""
        self._animation_enabled = enabled
        if not enabled:
            self._animation.stop()
            self.update()

    # What the board tells.

    @property
    def position(self) -> AnyPosition:
        """The position shown."""
        return self._position

    @property
    def hovered_move(self) -> Move | None:
        """The legal move under the mouse or the keyboard cursor."""
        return self._hovered

    @property
    def animating(self) -> bool:
        """Whether the last move is being shown happening."""
        return self._animation.state() == QAbstractAnimation.State.Running

    def move_point(self, move: Move) -> QPointF:
        """Where a click plays this legal move, for tests and demonstrations."""
        raise NotImplementedError

    def sizeHint(self) -> QSize:
        return QSize(680, 560)

    def minimumSizeHint(self) -> QSize:
        return QSize(260, 200)

    # What each kind of board adds.

    def _move_at(self, point: QPointF) -> Move | None:
        """The legal move that a click at this point would play."""
        raise NotImplementedError

    def _cursor_move(self) -> Move | None:
        """The legal move under the keyboard cursor."""
        raise NotImplementedError

    def _cursor_words(self) -> str:
        """Where the keyboard cursor is."""
        raise NotImplementedError

    def _board_words(self) -> str:
        """What lies on the board, for people who do not see it."""
        raise NotImplementedError

    def _adapt_cursor(self) -> None:
        """Put the keyboard cursor where it makes sense in a new position."""
        raise NotImplementedError

    def _start_cursor(self, move: Move) -> None:
        """Put the keyboard cursor on this legal move."""
        raise NotImplementedError

    def _wants_key(self, key: int, text: str) -> bool:
        """Whether ``_move_cursor`` does something with this key."""
        raise NotImplementedError

    def _move_cursor(self, key: int, text: str) -> None:
        """Move the keyboard cursor as the key says."""
        raise NotImplementedError

    def _animation_ms(self) -> int:
        """How long the last move takes to happen."""
        return 220

    # Shared machinery.

    def _progress(self) -> float:
        """How far the last move has happened, 0 to 1."""
        return float(self._animation.currentValue()) if self.animating else 1.0

    def _cursor_shown(self) -> bool:
        return self._keyboard and self.hasFocus()

    def _on_frame(self) -> None:
        self.update()

    def _refresh(self, *, later: bool = False) -> None:
        """Find out anew what is pointed at, and repaint."""
        if self._cursor_shown():
            self._hovered = self._cursor_move()
        else:
            self._hovered = self._move_at(self._mouse) if self._mouse is not None else None
        clickable = self._interactive and not self._cursor_shown() and self._hovered is not None
        shape = Qt.CursorShape.PointingHandCursor if clickable else Qt.CursorShape.ArrowCursor
        if self.cursor().shape() != shape:
            self.setCursor(shape)
        self.update()
        if later:
            self._tell_later.start()
        else:
            self._tell_hover()

    def _tell_hover(self) -> None:
        if self._hovered != self._told:
            self._told = self._hovered
            self.move_hovered.emit(self._hovered)

    def _choose(self, move: Move | None) -> None:
        if move is not None and self._interactive and move in self._position.legal_moves:
            self.move_chosen.emit(move)

    def _last_move_words(self) -> str:
        side = self._position.game.side_name(self._position.turn.other)
        return f"{side}: {describe_move(self._position.moves[-1])}"

    def _describe(self) -> None:
        """Keep the accessible name and description up to date."""
        self.setAccessibleName(f"{self._position.game.title}: {describe_turn(self._position)}")
        last = f"Last move: {self._last_move_words()}. " if self._position.moves else ""
        cursor = f" Cursor: {self._cursor_words()}." if self._cursor_shown() else ""
        self.setAccessibleDescription(f"{last}{self._board_words()}{cursor}")

    def _announce(self, words: str) -> None:
        if QAccessibleAnnouncementEvent is not None and QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def _use_keyboard(self) -> None:
        """Show the keyboard cursor, starting from the move under the mouse."""
        if not self._keyboard and self._hovered is not None:
            self._start_cursor(self._hovered)
        self._keyboard = True

    def _cursor_moved(self) -> None:
        self._describe()
        self._announce(self._cursor_words())
        self._refresh()

    # Qt's events.

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._is_mine(event):
            event.accept()
            return True
        return super().event(event)

    def _is_mine(self, event: QKeyEvent) -> bool:
        if event.modifiers() & _MODIFIERS:
            return False
        return event.key() in _ENTER_KEYS or self._wants_key(event.key(), event.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._is_mine(event):
            super().keyPressEvent(event)
            return
        shown = self._cursor_shown()
        self._use_keyboard()
        if event.key() not in _ENTER_KEYS:
            self._move_cursor(event.key(), event.text())
            self._cursor_moved()
        elif not shown:
            # Enter must never play a move that the person could not see beforehand.
            self._cursor_moved()
        elif not event.isAutoRepeat():
            self._choose(self._cursor_move())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.position() != self._mouse:
            self._mouse, self._keyboard = event.position(), False
            self._refresh()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        self._mouse, self._keyboard = event.position(), False
        self._pressed = self._move_at(event.position())
        self._refresh()

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
