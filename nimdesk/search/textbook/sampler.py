"""What the textbook searches that sample have in common: the searcher around a simulation written in Python."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from nimdesk.games import Move
from nimdesk.search.choosing import choice_by_rule
from nimdesk.search.sampled import SampledSearcher
from nimdesk.search.textbook.playouts import SplitMix64, after, half_points, play_out
from nimdesk.search.traces import Root, Rows
from nimdesk.search.tree_types import Ending, Line
from nimdesk.search.types import Choice, MoveStats

# About what a node takes, with its moves.
NODE_BYTES = 512


class TextbookSampler(SampledSearcher[Root]):
    """A Searcher whose simulations are plain Python; a subclass says what one is, and what the root knows.

    It can be stepped: the ``last_...`` methods tell of its last simulation.
    """

    first_slice = 8
    final: Choice = "visits"
    memory_mb = 512

    def _begin(self) -> None:
        self._random = SplitMix64(self._seed)
        self._done = self._playouts = 0
        self._nodes = 1
        self._most_nodes = max(self.memory_mb * 2**20 // NODE_BYTES, 1)
        self._kept: list[tuple[list[int], list[float], int]] = []
        self._told: tuple[Line, Ending, int, Line] = ((), Ending.PLAYOUT, 0, ())
        self._plant()

    @abstractmethod
    def _plant(self) -> None:
        """Make the root."""

    @abstractmethod
    def _simulate(self) -> None:
        """Do one simulation, and ``_tell`` it."""

    @abstractmethod
    def _statistics(self) -> dict[Move, tuple[int, float]]:
        """Visits and half points, for the side to move at the root, of the root moves that were tried."""

    @abstractmethod
    def _line(self, move: Move) -> Line:
        """The moves visited most, this one first."""

    def _play_out(self, line: Line) -> int:
        """Play the game out after these moves, and tell it; half points of the side to move at the root."""
        playout = play_out(self._position, line, self._random)
        score = half_points(after(self._position, (*line, *playout)), self._position.turn)
        if playout:
            self._playouts += 1
        self._told = (line, Ending.PLAYOUT if playout else Ending.GAME_OVER, score, playout)
        return score

    def _run(self, count: int) -> None:
        for _ in range(count):
            self._simulate()
            self._done += 1
            if self._done == self._at[len(self._kept)]:
                visits, score = self._root()
                self._kept.append((visits.tolist(), score.tolist(), self._playouts))
            if self._stopped is not None:
                return

    @property
    def iterations(self) -> int:
        """Simulations done since the start."""
        return self._done

    @property
    def tree_nodes(self) -> int:
        """Nodes in the tree, the root among them."""
        return self._nodes

    @property
    def playouts(self) -> int:
        """Simulations that were played out."""
        return self._playouts

    @property
    def _grows(self) -> bool:
        return self._nodes < self._most_nodes

    def _root(self) -> Root:
        known = self._statistics()
        columns = [known.get(move, (0, 0.0)) for move in self._moves]
        return Root(np.array([n for n, _ in columns], np.uint32), np.array([score for _, score in columns], np.float64))

    def _rows(self) -> Rows:
        shape = len(self._kept), len(self._moves)
        return Rows(
            np.array([visits for visits, _, _ in self._kept], np.uint32).reshape(shape),
            np.array([score for _, score, _ in self._kept], np.float64).reshape(shape),
            np.array([playouts for _, _, playouts in self._kept], np.int64),
        )

    def _choice(self, root: Root) -> int | None:
        return int(choice_by_rule(self.final, root.visits, 0.5 * root.score)) if root.visits.any() else None

    def _move_stats(self, root: Root) -> tuple[MoveStats, ...]:
        return tuple(
            MoveStats(move, visits, score / (2 * visits), self._line(move)) if visits else MoveStats(move, 0, None)
            for move, visits, score in zip(self._moves, root.visits.tolist(), root.score.tolist(), strict=True)
        )

    # One simulation at a time.

    def forget_last(self) -> None:
        """Nothing needs to be forgotten: each simulation tells itself anew."""

    def last_line(self) -> Line:
        """The moves of the last simulation in the tree."""
        return self._told[0]

    def last_result(self, before: object) -> tuple[Ending, float]:
        """How it ended, and its score in [0, 1] for the side to move at the root."""
        return self._told[1], self._told[2] / 2

    def last_playout(self, before: object) -> Line | None:
        """The moves of its playout."""
        return self._told[3]
