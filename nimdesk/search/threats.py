"""A player of games with lines that sees threats: it wins by them where it can, and parries them where it must.

What it says is proven: a win by threats has all answers of the other side, and a move that parries nothing loses by
force. Among all other moves it plays the one that the game itself prefers while nothing else is known.
"""

from __future__ import annotations

import time

from nimdesk.errors import OptionError
from nimdesk.games import AnyPosition, Move, kit_of
from nimdesk.games.kit import threats_in, win_in
from nimdesk.games.truth import MoveTruth, Truth, Value, with_threats, with_wins_at_once
from nimdesk.games.truth_words import danger_sentence, told, truth_sentence
from nimdesk.limit import Limit
from nimdesk.search.choice import best_proven, precedence
from nimdesk.search.options import ThreatsOptions
from nimdesk.search.types import MoveStats, Snapshot, StopReason


class ThreatsSearcher:
    """Looks once for wins by threats of both sides, each within ``options.positions``; then it chooses."""

    def __init__(self, options: ThreatsOptions | None = None) -> None:
        self.options = ThreatsOptions() if options is None else options

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin with a position that is not over; ``OptionError`` for a game without a search for threats."""
        if position.outcome is not None:
            raise ValueError(f"the game is over in {position.text}: there is nothing to search")
        if kit_of(position).threats(position.game) is None:
            raise OptionError(
                f"Threats plays games of 4 to 6 in a row without gravity, such as Gomoku, not {position.game.title}."
            )
        self._position, self._seed = position, seed
        win_in(position, most=0)  # loads the search, for which the clock of ``advance`` is not to run
        (self._precedence,) = precedence(position, (seed,))
        self._elapsed_s = 0.0
        self._best: Move | None = None
        unknown = tuple(MoveTruth(move, Value.UNKNOWN) for move in position.legal_moves)
        self._truth = Truth(position, Value.UNKNOWN, None, unknown)

    def advance(self, limit: Limit) -> StopReason | None:
        """Look for threats, which takes a moment, so that no ``limit`` ends it."""
        if self._best is None:
            begin = time.perf_counter()
            threats = threats_in(self._position, most=self.options.positions)
            self._truth = with_wins_at_once(with_threats(self._truth, threats))
            self._best = best_proven(self._position, self._truth.moves, self._precedence).move
            self._elapsed_s = time.perf_counter() - begin
        return StopReason.NO_SEARCH

    def snapshot(self) -> Snapshot:
        """What is proven of the moves, and the line of a win; there is no best move before the first slice."""
        truth, win = self._truth, self._truth.forced
        first = sorted(truth.moves, key=lambda each: (each.move != self._best, -each.value.rank))
        lines: dict[Move, tuple[Move, ...]] = {} if win is None else {win.start.move: win.line()}
        return Snapshot(
            position=self._position,
            agent="threats",
            seed=self._seed,
            iterations=0,
            elapsed_s=self._elapsed_s,
            moves=tuple(_stats(each, lines.get(each.move, ())) for each in first),
            best_move=self._best,
            stopped=None if self._best is None else StopReason.NO_SEARCH,
            comment="" if self._best is None else self._comment(),
            proven=None if truth.value is Value.UNKNOWN else truth.value,
            distance=truth.distance,
        )

    def _comment(self) -> str:
        truth = self._truth
        if truth.value is Value.WIN:
            return truth_sentence(truth)
        danger = danger_sentence(truth.position, truth.threats)
        return danger or told("no threats")


def _stats(truth: MoveTruth, line: tuple[Move, ...]) -> MoveStats:
    proven = None if truth.value is Value.UNKNOWN else truth.value
    return MoveStats(truth.move, 0, None, line, proven=proven, distance=truth.distance)
