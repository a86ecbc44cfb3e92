"""The agent without a thought: any legal move, all equally likely."""

from __future__ import annotations

import random

from nimdesk.games import AnyPosition
from nimdesk.limit import Limit
from nimdesk.search.options import RandomOptions
from nimdesk.search.types import MoveStats, Snapshot, StopReason


class RandomSearcher:
    """A Searcher that has chosen as soon as it starts; the same position and seed give the same move."""

    def __init__(self, options: RandomOptions | None = None) -> None:
        """The seed is given at the start."""

    def start(self, position: AnyPosition, seed: int) -> None:
        """Choose among the legal moves of a position that is not over."""
        if position.outcome is not None:
            raise ValueError(f"the game is over in {position.text}: there is nothing to choose")
        self._position, self._seed = position, seed
        # The text is part of the seed: one fixed seed must not pick the same index in every position of a game.
        self._choice = random.Random(f"{seed} {position.text}").choice(position.legal_moves)

    def advance(self, limit: Limit) -> StopReason | None:
        """Nothing is left to do."""
        return StopReason.NO_SEARCH

    def snapshot(self) -> Snapshot:
        """The choice, without visits."""
        moves = tuple(MoveStats(move, 0, None) for move in self._position.legal_moves)
        return Snapshot(self._position, "random", self._seed, 0, 0.0, moves, self._choice, stopped=StopReason.NO_SEARCH)
