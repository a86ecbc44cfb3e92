"""The positions visited, with back, forward and parent."""

from __future__ import annotations

from nimdesk.games import AnyPosition


class PositionHistory:
    """A trail of positions with a place on it; visiting anew forgets what lay ahead."""

    def __init__(self, position: AnyPosition) -> None:
        self._trail = [position]
        self._at = 0

    @property
    def position(self) -> AnyPosition:
        """Where we are."""
        return self._trail[self._at]

    @property
    def can_back(self) -> bool:
        """Whether there is a position before this one."""
        return self._at > 0

    @property
    def can_forward(self) -> bool:
        """Whether ``back`` was called from a later position."""
        return self._at + 1 < len(self._trail)

    @property
    def parent(self) -> AnyPosition | None:
        """The position before the last move; None at a start."""
        position = self.position
        if not position.moves:
            return None
        before: AnyPosition = position.game.start()
        for move in position.moves[:-1]:
            before = before.play(move)
        return before

    def visit(self, position: AnyPosition) -> bool:
        """Go there; False if we are there already."""
        here = self.position
        if position == here and position.moves == here.moves:
            return False
        self._trail = [*self._trail[: self._at + 1], position]
        self._at += 1
        return True

    def back(self) -> None:
        """One position back, if there is one."""
        self._at = max(0, self._at - 1)

    def forward(self) -> None:
        """One position forward, if there is one."""
        self._at = min(len(self._trail) - 1, self._at + 1)
