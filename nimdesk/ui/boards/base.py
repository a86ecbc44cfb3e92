"""What every board widget offers to the window, and what the window tells it.

The base also holds what all boards share: animation, what is proven, words for screen readers. A board adds where its
moves are, how keys move the cursor, and the painting.
"""

from __future__ import annotations

from PySide6.QtCore import QAbstractAnimation, QPointF, QSize, Qt, QVariantAnimation
from PySide6.QtWidgets import QWidget

from nimdesk.games import AnyPosition, Move
from nimdesk.games.truth import MoveTruth, Truth
from nimdesk.games.words import describe_move, describe_turn
from nimdesk.ui.boards.overlay import OVERLAY_STYLES, OverlayItem
from nimdesk.ui.boards.pointing import MovePointer
from nimdesk.ui.look.proven import proven_moves, winning_moves_words
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.look.truth_marks import MarkArt


class BoardView(MovePointer):
    """Base of the boards: a widget that shows one position and lets a person choose a move.

    The window calls the ``set_`` methods; none of them emits a signal. Everything may be called in any order and as
    often as 30 times a second.
    """

    def __init__(self, theme: Theme, position: AnyPosition, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._position = position
        self._overlay: dict[Move, OverlayItem] | None = None
        self._in_parts = False
        self._overlay_style = "share"
        self._highlight: Move | None = None
        self._suggestion: Move | None = None
        self._previewed: tuple[Move, ...] = ()
        self._truth: Truth | None = None
        self._proven: dict[Move, MoveTruth] = {}
        self._mark_art = MarkArt()
        self._animation_enabled = True
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.valueChanged.connect(self._on_frame)
        self._animation.finished.connect(self._on_frame)
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
        self._proven = proven_moves(self._truth, position)
        self._adapt_cursor()
        if animate and position.moves and self._animation_enabled and self.isVisible():
            self._animation.setDuration(self._animation_ms())
            self._animation.start()
        self._describe()
        last = f"{self._last_move_words()}. " if position.moves else ""
        self._announce(f"{last}{describe_turn(position)}.")
        self._refresh(later=True)

    def set_overlay(self, overlay: dict[Move, OverlayItem] | None, *, in_parts: bool = False) -> None:
        """Draw visit shares on the moves; None draws none. Moves that are missing have no visits.

        ``in_parts``: where there are hundreds, some may appear a few milliseconds later, for others come soon.
        """
        self._overlay, self._in_parts = overlay, in_parts
        self.update()

    def prepare_overlay(self, overlay: dict[Move, OverlayItem] | None) -> None:
        """Work out how this overlay will look, so that painting it after ``set_overlay`` takes less; shows nothing."""

    def set_overlay_style(self, number: str) -> None:
        """Which number each move shows in the overlay: ``share``, ``visits``, ``value`` or ``none``.

        The bars and discs always show the share of visits.
        """
        if number not in OVERLAY_STYLES:
            raise ValueError(f"an overlay shows one of {', '.join(OVERLAY_STYLES)}, not {number!r}")
        self._overlay_style = number
        self.update()

    def set_truth(self, truth: Truth | None) -> None:
        """Mark what is proven of this position's moves; None marks nothing, as does the truth of another position.

        What is not proven is marked as unknown.
        """
        self._truth = truth
        proven = proven_moves(truth, self._position)
        if proven != self._proven:
            self._proven = proven
            self._describe()
            self.update()

    def set_highlight(self, move: Move | None) -> None:
        """Mark the move that is pointed at elsewhere (curve, legend, table)."""
        if move != self._highlight:
            self._highlight = move
            self.update()

    def set_suggestion(self, move: Move | None) -> None:
        """Mark the move that the machine proposes."""
        if move != self._suggestion:
            self._suggestion = move
            self.update()

    def set_line(self, line: tuple[Move, ...]) -> None:
        """Number the moves of this line of play, which begins here, where they would happen; empty ends it."""
        if line != self._previewed:
            self._previewed = line
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
    def animating(self) -> bool:
        """Whether the last move is being shown happening."""
        return self._animation.state() == QAbstractAnimation.State.Running

    def move_point(self, move: Move) -> QPointF:
        """Where a click plays this legal move, for tests and demonstrations."""
        raise NotImplementedError

    def hover_words(self) -> str:
        """The label of the move that is pointed at, "" where there is none."""
        raise NotImplementedError

    def fitting_height(self) -> int:
        """The least height, up to the present one, at which the pieces on the board are as large as now."""
        return self.height()

    def sizeHint(self) -> QSize:
        return QSize(680, 560)

    def minimumSizeHint(self) -> QSize:
        return QSize(260, 200)

    # What each kind of board adds, beside what ``MovePointer`` asks for.

    def _board_words(self) -> str:
        """What lies on the board, for people who do not see it."""
        raise NotImplementedError

    def _adapt_cursor(self) -> None:
        """Put the keyboard cursor where it makes sense in a new position."""
        raise NotImplementedError

    def _animation_ms(self) -> int:
        """How long the last move takes to happen."""
        return 220

    # Shared machinery.

    def _legal_moves(self) -> tuple[Move, ...]:
        return self._position.legal_moves

    def _progress(self) -> float:
        """How far the last move has happened, 0 to 1."""
        return float(self._animation.currentValue()) if self.animating else 1.0

    def _on_frame(self) -> None:
        self.update()

    def _last_move_words(self) -> str:
        side = self._position.game.side_name(self._position.turn.other)
        return f"{side}: {describe_move(self._position.moves[-1])}"

    def _describe(self) -> None:
        self.setAccessibleName(f"{self._position.game.title}: {describe_turn(self._position)}")
        last = f"Last move: {self._last_move_words()}. " if self._position.moves else ""
        proven = f" {winning_moves_words(self._proven.values())}" if self._proven else ""
        cursor = f" Cursor: {self._cursor_words()}." if self._cursor_shown() else ""
        self.setAccessibleDescription(f"{last}{self._board_words()}{proven}{cursor}")
