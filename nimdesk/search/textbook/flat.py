"""Flat Monte Carlo: the same number of random games after each legal move, and the best mean is played.

The playouts go round the moves in sweeps, one playout a move. There is no tree.
"""

from __future__ import annotations

from nimdesk.errors import OptionError
from nimdesk.games import Move
from nimdesk.search.options import FlatOptions, FlatPerfectOptions
from nimdesk.search.textbook.sampler import TextbookSampler
from nimdesk.search.tree_types import Line


class TextbookFlat(TextbookSampler):
    """A Searcher; ``playouts`` for each legal move. Where the game allows both, it does what ``FlatSearcher`` does."""

    final = "mean"

    def __init__(self, options: FlatPerfectOptions) -> None:
        """With uniformly random playouts only: the others need to know how Nim is played."""
        self.options = options
        super().__init__("flat" if isinstance(options, FlatOptions) else "flat-perfect", None, None)

    def _iterations_of(self) -> int:
        return self.options.playouts * len(self._moves)

    def _plant(self) -> None:
        title = self._position.game.title
        if not isinstance(self.options, FlatOptions):
            raise OptionError(
                f"Flat Monte Carlo with a perfect opponent plays Nim only, not {title}; "
                "choose Flat Monte Carlo instead."
            )
        if self.options.overshoot:
            raise OptionError(
                f"Playouts that may take more than is left need Nim with one pile and a largest take, not {title}."
            )
        self._visits = dict.fromkeys(self._moves, 0)
        self._half_points = dict.fromkeys(self._moves, 0.0)

    def _simulate(self) -> None:
        move = self._moves[self._done % len(self._moves)]
        self._half_points[move] += self._play_out((move,))
        self._visits[move] += 1
        self._nodes = 1 + min(self._done + 1, len(self._moves))

    def _room(self, nodes: int) -> int:
        # A limit on nodes can only end the first sweep early.
        return nodes - self.tree_nodes if nodes <= len(self._moves) + 1 else self._last

    def _statistics(self) -> dict[Move, tuple[int, float]]:
        return {move: (self._visits[move], self._half_points[move]) for move in self._moves}

    def _line(self, move: Move) -> Line:
        return (move,)
