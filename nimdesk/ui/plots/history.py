"""The history of one search's root moves: visits, means and bounds at every checkpoint of its trace."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nimdesk.games import Move
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.search import measures
from nimdesk.search.types import Snapshot, Trace
from nimdesk.ui.look.move_marks import MoveColors, proven_moves

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def styles_of(moves: Sequence[Move], colors: MoveColors) -> Ints:
    """The style index of each move, -1 for none."""
    return np.array([colors.indices.get(move, -1) for move in moves], np.int64)


class MoveHistory:
    """A snapshot with a trace of at least one row, and the style of each move at that moment.

    T checkpoints, L moves; columns are in the order of ``moves``. ``order`` lists the columns by final visits, most
    first, but ``order[0]`` is the leader, the move that the search would play. ``styles`` holds the style index of each
    column, -1 for none. ``proven`` holds what is known of each column, and is empty where the truth is not shown or
    speaks of another position. ``nodes`` (T,) are the tree's nodes at each checkpoint, where they are known;
    ``exploration`` is UCT's constant, without which there is no bound.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        trace: Trace,
        colors: MoveColors,
        truth: Truth | None = None,
        *,
        nodes: Floats | None = None,
        exploration: float | None = None,
    ) -> None:
        self.snapshot, self.trace = snapshot, trace
        self.moves, self.visits, self.iterations = trace.moves, trace.visits, trace.iterations
        self.names = tuple(move.text for move in self.moves)
        self.columns = {move: column for column, move in enumerate(self.moves)}
        self.styles = styles_of(self.moves, colors)
        self.nodes, self.exploration = nodes, exploration
        by_visits = trace.visits[-1].astype(np.int64)
        if trace.choice is not None:
            by_visits[trace.choice[-1]] = by_visits.max() + 1
        self.order: Ints = np.argsort(-by_visits, kind="stable")
        known = proven_moves(truth, snapshot.position)
        self.proven = tuple(known.get(move, MoveTruth(move, Value.UNKNOWN)) for move in self.moves) if known else ()

    def __len__(self) -> int:
        """The number of checkpoints, T."""
        return len(self.iterations)

    @property
    def leader(self) -> int:
        """The column of the most visited move; of a search that proves values, of the one that it would play."""
        return int(self.order[0])

    @cached_property
    def totals(self) -> Floats:
        """All root visits at each checkpoint, at least 1, (T,)."""
        totals: Floats = np.maximum(self.visits.sum(axis=1, dtype=np.float64), 1.0)
        return totals

    @cached_property
    def leaders(self) -> Ints:
        """The column of the leader at each checkpoint, (T,)."""
        return measures.choices(self.trace)

    @cached_property
    def means(self) -> Floats:
        """The mean value of each move at each checkpoint, (T, L); NaN before its first visit."""
        return measures.means(self.trace)

    @cached_property
    def errors(self) -> Floats:
        """The standard error of each mean, (T, L); NaN before the first visit."""
        return measures.standard_errors(self.trace)

    @cached_property
    def bounds(self) -> Floats:
        """UCT's upper bound of each move, (T, L); NaN before the first visit. Needs ``exploration``."""
        assert self.exploration is not None
        return self.means + measures.exploration_terms(self.trace, self.exploration)

    @property
    def settled(self) -> int:
        """The first checkpoint at which every move may have been visited twice, or the last one.

        Before it the visits only say in which order moves were tried first (at iteration 1 one move has them all).
        """
        first = int(np.searchsorted(self.iterations, 2 * len(self.moves)))
        return min(first, len(self) - 1)

    def value(self, column: int) -> Value | None:
        """What this column's move is proven to be worth; None while that is not shown."""
        return self.proven[column].value if self.proven else None

    def column(self, move: Move | None) -> int | None:
        """The column of this move, None if it is not among the root moves."""
        return None if move is None else self.columns.get(move)
