"""Backward induction on positions, for any game: exact values without a theory, where the game is small enough."""

from __future__ import annotations

import math
import time

from nimdesk.errors import OptionError
from nimdesk.games.base import AnyPosition
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.limit import Limit

_VALUES = {1: Value.WIN, 0: Value.DRAW, -1: Value.LOSS}
_MOST_LISTED = 1_000


class PlainSolver:
    """A ``ListedSolver`` that works the values of all positions out that can be reached, each once.

    A position is worth the best of what its moves lead to, seen from the other side. Who wins hurries; who loses, or
    can only draw, holds out.
    """

    def __init__(self, *, most_positions: int | None = None) -> None:
        """``OptionError`` comes from ``advance`` if there are more positions than that."""
        self._most = most_positions

    def start(self, position: AnyPosition) -> None:
        """Begin with this position."""
        self._position = position
        self._known: dict[AnyPosition, tuple[int, int]] = {}
        self._waiting = [position]
        self._elapsed_s = 0.0

    def advance(self, limit: Limit) -> bool:
        """Work on until ``limit`` is met; True when everything is known. Nodes are positions worked out."""
        most_s = math.inf if limit.time_s is None else limit.time_s
        most = math.inf if limit.nodes is None else limit.nodes
        begin, before = time.perf_counter(), self._elapsed_s
        while self._waiting and self._elapsed_s < most_s and len(self._known) < most:
            for _ in range(16):
                if self._waiting:
                    self._look_at(self._waiting[-1])
            self._elapsed_s = before + time.perf_counter() - begin
            if self._most is not None and len(self._known) > self._most:
                title = self._position.game.title
                raise OptionError(f"{title} has more than {self._most:,} positions, too many for a value table.")
        return not self._waiting

    def _look_at(self, position: AnyPosition) -> None:
        """Work the position out if all that follow are, else these first."""
        if position in self._known:
            self._waiting.pop()
        elif position.outcome is not None:
            self._known[position] = round(2 * position.outcome.score(position.turn)) - 1, 0
        else:
            following = [position.play(move) for move in position.legal_moves]
            unknown = [each for each in following if each not in self._known]
            if unknown:
                self._waiting += unknown
                return
            replies = [self._known[each] for each in following]
            value = max(-theirs for theirs, _ in replies)
            distances = [distance for theirs, distance in replies if -theirs == value]
            self._known[position] = value, 1 + (min(distances) if value > 0 else max(distances))

    @property
    def progress(self) -> float:
        """Nothing is known of how much is to be done, until it is."""
        return 0.0 if self._waiting else 1.0

    def truth(self) -> Truth:
        """What is known by now."""
        position = self._position
        value, distance = self._value(position)
        moves = []
        for move in position.legal_moves:
            theirs, left = self._value(position.play(move))
            moves.append(MoveTruth(move, theirs.reverse, None if left is None else left + 1))
        return Truth(position, value, distance, tuple(moves), len(self._known), self._elapsed_s)

    def _value(self, position: AnyPosition) -> tuple[Value, int | None]:
        known = self._known.get(position)
        return (Value.UNKNOWN, None) if known is None else (_VALUES[known[0]], known[1])

    def lines(self) -> tuple[str, ...]:
        """The table for a person, the positions nearest to the end first; a long one is cut."""
        table = sorted(self._known.items(), key=lambda entry: entry[1][1])
        lines = []
        for position, (value, _) in table[:_MOST_LISTED]:
            best = [move.text for move in position.legal_moves if self._known[position.play(move)][0] == -value]
            lines.append(f"{position.text}  {_VALUES[value].value}  {' or '.join(best) or 'over'}")
        if len(table) > _MOST_LISTED:
            lines.append(f"… and {len(table) - _MOST_LISTED:,} more positions")
        return ("position  value  best moves", *lines)
