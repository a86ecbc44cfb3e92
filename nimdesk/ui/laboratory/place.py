"""The position under study, with the positions visited before it, and what is pointed at in it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from nimdesk.games import AnyPosition, Move


class Place(QObject):
    """The position studied, at a place on the trail of those visited; going elsewhere forgets what lay ahead."""

    changed = Signal()
    """Another position is studied. The other parts of the laboratory hear it first, so panels find all up to date."""

    def __init__(self, position: AnyPosition, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._trail = [position]
        self._at = 0

    @property
    def position(self) -> AnyPosition:
        """The position studied."""
        return self._trail[self._at]

    @property
    def can_back(self) -> bool:
        """Whether another position was studied before."""
        return self._at > 0

    @property
    def can_forward(self) -> bool:
        """Whether ``back`` was called from a later position."""
        return self._at + 1 < len(self._trail)

    @property
    def parent_position(self) -> AnyPosition | None:
        """The position before the last move; None at a start."""
        position = self.position
        if not position.moves:
            return None
        before: AnyPosition = position.game.start()
        for move in position.moves[:-1]:
            before = before.play(move)
        return before

    def go_to(self, position: AnyPosition) -> None:
        """Study this position; nothing happens if it is studied already, reached by the same moves."""
        here = self.position
        if position == here and position.moves == here.moves:
            return
        self._trail = [*self._trail[: self._at + 1], position]
        self._move(self._at + 1)

    def play(self, move: Move) -> None:
        """Study the position after this legal move."""
        self.go_to(self.position.play(move))

    def back(self) -> None:
        """Study the position visited before this one, if there is one."""
        self._move(self._at - 1)

    def forward(self) -> None:
        """Study the position that ``back`` left, if it did."""
        self._move(self._at + 1)

    def to_parent(self) -> None:
        """Study the position before the last move, if there is one."""
        if (parent := self.parent_position) is not None:
            self.go_to(parent)

    def _move(self, at: int) -> None:
        if 0 <= at < len(self._trail):
            self._at = at
            self.changed.emit()


class Pointing(QObject):
    """The move that a person points at in any panel, and the line of play to preview on the board."""

    changed = Signal(object)
    """The ``Move`` pointed at, or None."""
    step_shown = Signal(int, object)
    """One simulation at a time: the state after so many of them is shown, and this line (of ``Move``) is lit."""
    line_changed = Signal(object)
    """The line of play (a tuple of ``Move``) to preview; empty for none."""

    def __init__(self, place: Place, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._move: Move | None = None
        place.changed.connect(self._clear)

    @property
    def move(self) -> Move | None:
        """The move pointed at."""
        return self._move

    def point(self, move: Move | None) -> None:
        """Point at this move; None at nothing."""
        if move != self._move:
            self._move = move
            self.changed.emit(move)

    def preview(self, line: tuple[Move, ...]) -> None:
        """Show this line of play on the board; an empty one ends it."""
        self.line_changed.emit(line)

    def _clear(self) -> None:
        self.point(None)
        self.preview(())
