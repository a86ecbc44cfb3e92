"""The clock of one turn: how long the side to move has thought about it."""

from __future__ import annotations

import time

from nimdesk.play.tree import Node


class TurnClock:
    """Runs while a turn is played and stands still while nobody plays it, such as in review or between two programs.

    A turn is the place in the tree from which the side to move plays on; a new one begins at 0.
    """

    def __init__(self) -> None:
        """It stands, at no turn."""
        self._turn: Node | None = None
        self._used_s = 0.0
        self._since: float | None = None

    def set(self, turn: Node, used_s: float) -> None:
        """It stands at this turn, so much of which is over."""
        self._turn, self._used_s, self._since = turn, used_s, None

    def run(self, turn: Node) -> None:
        """This turn is played from now on; nothing happens where it is already."""
        if turn is not self._turn:
            self.set(turn, 0.0)
        if self._since is None:
            self._since = time.monotonic()

    def rest(self) -> None:
        """The turn is not played from now on."""
        if self._turn is not None:
            self.set(self._turn, self.used_s(self._turn))

    @property
    def runs(self) -> bool:
        """Whether a turn is being played."""
        return self._since is not None

    def used_s(self, turn: Node) -> float:
        """How many seconds of this turn are over; 0 for any other than the last."""
        if turn is not self._turn:
            return 0.0
        return self._used_s + (0.0 if self._since is None else time.monotonic() - self._since)
