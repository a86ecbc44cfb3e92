"""What every board widget offers to the window, and what the window tells it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QSizePolicy, QWidget

from nimdesk.games import AnyPosition, Move


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
    board is not interactive (a person may point at moves while the computer thinks)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def set_position(self, position: AnyPosition, *, animate: bool = False) -> None:
        """Show this position; with ``animate``, show the last move of ``position.moves`` happening."""
        raise NotImplementedError

    def set_interactive(self, interactive: bool) -> None:
        """Whether a person may choose a move now (their turn, and the game goes on)."""
        raise NotImplementedError

    def set_overlay(self, overlay: dict[Move, OverlayItem] | None) -> None:
        """Draw visit shares on the moves; None draws none. Moves that are missing have no visits."""
        raise NotImplementedError

    def set_highlight(self, move: Move | None) -> None:
        """Mark the move that is pointed at elsewhere (curve, legend, table)."""
        raise NotImplementedError

    def set_suggestion(self, move: Move | None) -> None:
        """Mark the move that the machine proposes."""
        raise NotImplementedError
