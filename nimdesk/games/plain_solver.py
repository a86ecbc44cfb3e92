"""The exact solver of any game: it visits every reachable position once."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import NamedTuple

from nimdesk.errors import GameParameterError, OptionError
from nimdesk.games.base import AnyPosition, Move
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.games.truth_words import told
from nimdesk.limit import Limit

# A position takes about a kilobyte; beyond so many, positions that recur are searched again.
MOST_KEPT = 200_000
MOST_LISTED = 1_000
_BETWEEN_CLOCKS = 64

# For the side to move: the value, and the plies to the end.
_Result = tuple[Value, int]


class _Frame(NamedTuple):
    """An open position: its successors still to be visited, and the results of the others."""

    position: AnyPosition
    ahead: Iterator[AnyPosition]
    after: list[_Result]


def _frame(position: AnyPosition) -> _Frame:
    return _Frame(position, (position.play(move) for move in position.legal_moves), [])


class PlainSolver:
    """A ``ListedSolver`` for every game that has rules alone; it proves games that are small, or close to their end.

    Backward induction: a position is won if some move leads to one that is lost for the opponent, lost if every move
    leads to one that is won, else drawn. Distances are those of ``MoveTruth``.
    """

    def __init__(self, *, distances: bool = True, most_positions: int | None = None) -> None:
        """Without ``distances`` the truth has values alone.

        ``advance`` raises ``OptionError`` if there are more than ``most_positions``, at most ``MOST_KEPT``.
        """
        self._distances, self._most = distances, most_positions

    def start(self, position: AnyPosition) -> None:
        """Begin with this position; a finished game is solved at once."""
        self._position = position
        self._root = _frame(position)
        self._path = [self._root]
        self._known: dict[AnyPosition, _Result] = {}
        self._result: _Result | None = None
        self._nodes, self._elapsed_s = 0, 0.0

    def advance(self, limit: Limit) -> bool:
        """Work until ``limit`` (counted from the start) is met; return True when everything is known."""
        begin, before_s = time.perf_counter(), self._elapsed_s
        nodes = math.inf if limit.nodes is None else limit.nodes
        deadline = math.inf if limit.time_s is None else limit.time_s
        while self._path and self._nodes < nodes and self._elapsed_s < deadline:
            for _ in range(_BETWEEN_CLOCKS):
                if self._path and self._nodes < nodes:
                    self._step()
            self._elapsed_s = before_s + time.perf_counter() - begin
            if self._most is not None and len(self._known) > self._most:
                title = self._position.game.title
                raise OptionError(f"{title} has more than {self._most:,} positions, too many for a value table.")
        return not self._path

    def _step(self) -> None:
        """Go one position down, or back up with its result."""
        frame = self._path[-1]
        for position in frame.ahead:
            if position not in self._known:
                self._path.append(_frame(position))
                return
            frame.after.append(self._known[position])
        result = self._value(frame.position, frame.after)
        self._nodes += 1
        if len(self._known) < MOST_KEPT:
            self._known[frame.position] = result
        self._path.pop()
        if self._path:
            self._path[-1].after.append(result)
        else:
            self._result = result

    @staticmethod
    def _value(position: AnyPosition, after: list[_Result]) -> _Result:
        if position.outcome is not None:
            values = {1.0: Value.WIN, 0.5: Value.DRAW, 0.0: Value.LOSS}
            return values[position.outcome.score(position.turn)], 0
        for value, choose in ((Value.WIN, min), (Value.DRAW, max), (Value.LOSS, max)):
            if plies := [distance for theirs, distance in after if theirs.reverse is value]:
                return value, 1 + choose(plies)
        raise GameParameterError(
            f"{position.game.title} is faulty: “{position.text}” is not over and has no legal move."
        )

    @property
    def progress(self) -> float:
        """The part of the moves that are done."""
        moves = self._position.legal_moves
        return len(self._root.after) / len(moves) if moves else 1.0

    def truth(self) -> Truth:
        """What is proven so far; the rest is UNKNOWN."""
        legal = self._position.legal_moves
        done = [self._move_truth(move, result) for move, result in zip(legal, self._root.after, strict=False)]
        moves = (*done, *(MoveTruth(move, Value.UNKNOWN) for move in legal[len(done) :]))
        value, distance = self._result or (Value.UNKNOWN, None)
        if any(each.value is Value.WIN for each in moves):
            value = Value.WIN
        text = told("looked at", positions=f"{self._nodes:,} positions") if self._result and moves else ""
        shown = distance if self._distances else None
        return Truth(self._position, value, shown, moves, self._nodes, self._elapsed_s, text)

    def lines(self) -> tuple[str, ...]:
        """All positions for a person, those nearest to the end first; a long list is cut."""
        table = sorted(self._known.items(), key=lambda entry: entry[1][1])
        lines = []
        for position, (value, _) in table[:MOST_LISTED]:
            best = [move.text for move in position.legal_moves if self._known[position.play(move)][0].reverse is value]
            lines.append(f"{position.text}  {value.value}  {' or '.join(best) or 'over'}")
        if len(table) > MOST_LISTED:
            lines.append(f"… and {len(table) - MOST_LISTED:,} more positions")
        return ("position  value  best moves", *lines)

    def _move_truth(self, move: Move, after: _Result) -> MoveTruth:
        return MoveTruth(move, after[0].reverse, 1 + after[1] if self._distances else None)
