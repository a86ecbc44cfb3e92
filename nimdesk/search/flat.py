"""Flat Monte Carlo, compiled: N random games after each legal move; the move with the best mean is played.

Sources: document 004 (N = 10,000, the 21 game, normal play) and document 003 (N = 1,000, misère; also with a perfect
opponent). Both play the first move among equals, as ``ties`` "first" does here.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from nimdesk.errors import OptionError
from nimdesk.games import kernel_of
from nimdesk.kernels import flat, rules
from nimdesk.kernels.jit import first_use
from nimdesk.kernels.memory.held import hold
from nimdesk.search.options import FlatOptions, FlatPerfectOptions
from nimdesk.search.sampled import SampledSearcher, start_search
from nimdesk.search.traces import Root, Rows
from nimdesk.search.types import MoveStats


class FlatSearcher(SampledSearcher[Root]):
    """``playouts`` for each legal move, in sweeps over the moves; the best mean wins.

    A sweep takes the moves in the order in which they are preferred among equals, so that a sweep that was cut short
    has not always reached the same moves. An iteration is one playout (none after a move that ends the game), so the
    search ends after playouts × legal moves. Nodes are the root and the moves tried. All values are for the side to
    move.

    With ``FlatPerfectOptions`` (document 003, Nim only) the opponent plays perfectly in the playouts, or at random
    where every move loses, and we play at random. ``overshoot`` is document 004's random play in Nim with one pile and
    a largest take: any number up to the largest take, even if fewer sticks are left, which then are all taken.
    Otherwise each legal move is equally likely (document 003).
    """

    first_slice = 8  # a playout of guided moves may take 1 ms

    def __init__(self, options: FlatPerfectOptions) -> None:
        self.options = options
        if isinstance(options, FlatOptions):
            self._policy = flat.OVERSHOOT if options.overshoot else rules.UNIFORM
        else:
            self._policy = rules.PERFECT
        name = "flat" if isinstance(options, FlatOptions) else "flat-perfect"
        super().__init__(name, None, None, "mean", options.ties)

    def _iterations_of(self) -> int:
        return self.options.playouts * len(self._moves)

    def _begin(self) -> None:
        position, columns, rows = self._position, len(self._moves), len(self._at)
        game, kernel = position.game, kernel_of(position)
        if self._policy == rules.PERFECT and not kernel.guided_playouts:
            raise OptionError(
                f"Flat Monte Carlo with a perfect opponent plays Nim only, not {game.title}; "
                "choose Flat Monte Carlo instead."
            )
        if self._policy == flat.OVERSHOOT and not kernel.can_overshoot(game):
            raise OptionError(
                f"Playouts that may take more than is left need Nim with one pile and a largest take, not {game.title}."
            )

        self._order = np.argsort(-self._precedence)
        # The place of each move in a sweep.
        self._place = np.argsort(self._order)
        self._rules = hold(kernel.encode_position(position))
        search = flat.FlatSearch(
            policy=self._policy,
            counts=np.zeros(3, np.int64),
            random=np.array([self._seed], np.uint64),
            codes=np.array([kernel.encode_move(game, self._moves[column]) for column in self._order], np.int32),
            visits=np.zeros(columns, np.uint32),
            score=np.zeros(columns, np.uint32),
            trace_at=self._at,
            trace_visits=np.zeros((rows, columns), np.uint32),
            trace_score=np.zeros((rows, columns), np.uint32),
            trace_playouts=np.zeros(rows, np.int64),
        )
        self._search = hold(search)
        job = partial(start_search, FlatSearcher, self.options, position)
        first_use("flat", (self._rules,), partial(flat.run, self._rules, self._search, 0), job)

    @property
    def _kind(self) -> object:
        return self._position, type(self), self._policy

    @property
    def iterations(self) -> int:
        """Playouts done since the start, over all moves."""
        return int(self._search.counts[flat.ITERATIONS])

    @property
    def tree_nodes(self) -> int:
        """The root and the moves tried."""
        return 1 + min(self.iterations, len(self._moves))

    @property
    def playouts(self) -> int:
        """Playouts done since the start, without those after moves that ended the game."""
        return int(self._search.counts[flat.PLAYOUTS])

    def _room(self, nodes: int) -> int:
        # A limit on nodes can only end the first sweep early.
        return nodes - self.tree_nodes if nodes <= len(self._moves) + 1 else self._last

    def _run(self, count: int) -> None:
        flat.run(self._rules, self._search, count)

    def _root(self) -> Root:
        return Root(self._search.visits[self._place], self._search.score[self._place])

    def _rows(self) -> Rows:
        search, rows = self._search, int(self._search.counts[flat.TRACE_ROWS])
        nodes = 1 + np.minimum(self._at[:rows], len(self._moves))
        visits, score = search.trace_visits[:rows, self._place], search.trace_score[:rows, self._place]
        return Rows(visits, score, search.trace_playouts[:rows], nodes)

    def _move_stats(self, root: Root) -> tuple[MoveStats, ...]:
        return tuple(
            MoveStats(move, visits, half_points / (2 * visits), (move,)) if visits else MoveStats(move, 0, None)
            for move, visits, half_points in zip(self._moves, root.visits.tolist(), root.score.tolist(), strict=True)
        )
