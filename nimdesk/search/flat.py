"""Flat Monte Carlo: N random games after each legal move, and the move with the best mean is played.

Sources: document 004 (N = 10,000, the 21 game, normal play) and document 003 (N = 1,000, misère; also with a perfect
opponent). Both keep the first move among equals: a later one must be strictly better.
"""

from __future__ import annotations

import math
import time
from functools import partial

import numpy as np

from nimdesk.errors import OptionError
from nimdesk.games import AnyPosition, kernel_of
from nimdesk.kernels import flat, rules
from nimdesk.kernels.first_use import first_use
from nimdesk.kernels.memory.held import hold
from nimdesk.limit import Limit
from nimdesk.search.checkpoints import checkpoints, make_trace
from nimdesk.search.types import MoveStats, Snapshot, StopReason, Trace

# One kernel call is meant to take about this long. The first one is small: a playout of guided moves may take 1 ms.
_SLICE_S = 0.004
_FIRST_SLICE = 8
_LARGEST_SLICE = 200_000


class FlatSearcher:
    """A Searcher; ``playouts`` for each legal move, in sweeps over the moves; the best mean wins, the first of equals.

    An iteration is one playout (none after a move that ends the game), so the search ends after playouts × legal moves.
    All values are those of the side to
    move. The same position, options and seed give the same statistics after the same iterations, however sliced.
    """

    def __init__(
        self, playouts: int, *, agent: str = "flat", perfect_opponent: bool = False, overshoot: bool = False
    ) -> None:
        """``agent`` is the name that snapshots carry.

        With ``perfect_opponent`` (document 003, Nim only) the opponent plays perfectly in the playouts, at random
        where every move loses, and we play at random. ``overshoot`` is document 004's way to play at random, in Nim
        with one pile and a largest take: any number up to the largest take, even where fewer sticks are left, which
        then are all taken. Otherwise each legal move is equally likely (003).
        """
        self._playouts = playouts
        self._agent = agent
        self._policy = rules.PERFECT if perfect_opponent else flat.OVERSHOOT if overshoot else rules.UNIFORM

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin a new search of a position that is not over; ``OptionError`` for a game these playouts cannot play."""
        if position.outcome is not None:
            raise ValueError(f"the game is over in {position.text}: there is nothing to search")
        self._check(position)
        self._position, self._seed = position, seed
        kernel = kernel_of(position)
        self._rules = hold(kernel.encode_position(position))
        columns = len(position.legal_moves)
        self._last = self._playouts * columns
        trace_at = checkpoints(self._last)
        self._row_times = np.zeros(len(trace_at), np.float64)
        search = flat.FlatSearch(
            policy=self._policy,
            counts=np.zeros(3, np.int64),
            random=np.array([seed], np.uint64),
            codes=np.array([kernel.encode_move(position.game, move) for move in position.legal_moves], np.int32),
            visits=np.zeros(columns, np.uint32),
            score=np.zeros(columns, np.uint32),
            trace_at=trace_at,
            trace_visits=np.zeros((len(trace_at), columns), np.uint32),
            trace_score=np.zeros((len(trace_at), columns), np.uint32),
            trace_playouts=np.zeros(len(trace_at), np.int64),
        )
        self._search = hold(search)
        self._elapsed_s = 0.0
        self._per_s = 0.0
        self._stopped: StopReason | None = None
        # Outside of the time that the search counts.
        job = partial(FlatSearcher(self._playouts).start, position, 0)
        first_use("flat", (self._rules,), partial(flat.run, self._rules, self._search, 0), job)

    def _check(self, position: AnyPosition) -> None:
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

    @property
    def iterations(self) -> int:
        """Playouts done since the start, of all moves together."""
        return int(self._search.counts[flat.ITERATIONS])

    def advance(self, limit: Limit) -> StopReason | None:
        """Search on until ``limit`` (counted from the start of the search) or the end; ``ITERATIONS`` at the end.

        ``limit.time_s`` is met within a few milliseconds. Nodes are the root and the moves tried, so that a limit on
        nodes can only end the first sweep early.
        """
        last = self._last if limit.iterations is None else min(limit.iterations, self._last)
        if limit.nodes is not None and limit.nodes <= len(self._search.codes) + 1:
            last = min(last, limit.nodes - 1)
        deadline = math.inf if limit.time_s is None else limit.time_s
        while self._stopped is None:
            done = self.iterations
            if done >= self._last:
                self._stopped = StopReason.ITERATIONS
            elif done >= last or self._elapsed_s >= deadline:
                return None
            else:
                self._slice(last - done, deadline - self._elapsed_s)
        return self._stopped

    def _slice(self, iterations: int, time_s: float) -> None:
        count = int(self._per_s * min(_SLICE_S, max(time_s, 0.0002))) if self._per_s else _FIRST_SLICE
        count = min(max(count, 1), _LARGEST_SLICE, iterations)
        before, rows_before = self.iterations, int(self._search.counts[flat.TRACE_ROWS])
        begin = time.perf_counter()
        flat.run(self._rules, self._search, count)
        took = time.perf_counter() - begin
        rows = slice(rows_before, int(self._search.counts[flat.TRACE_ROWS]))
        self._row_times[rows] = self._elapsed_s + took * (self._search.trace_at[rows] - before) / count
        self._per_s = count / took if took > 0 else 0.0
        self._elapsed_s += took

    def snapshot(self) -> Snapshot:
        """The state now; later slices do not change it."""
        position, visits, score = self._position, self._search.visits, self._search.score
        tried = visits > 0
        means = np.where(tried, score / (2.0 * np.where(tried, visits, 1)), -np.inf)
        moves = tuple(
            MoveStats(move, int(visits[i]), float(means[i]), (move,)) if tried[i] else MoveStats(move, 0, None)
            for i, move in enumerate(position.legal_moves)
        )
        return Snapshot(
            position=position,
            agent=self._agent,
            seed=self._seed,
            iterations=self.iterations,
            elapsed_s=self._elapsed_s,
            moves=moves,
            best_move=position.legal_moves[int(means.argmax())] if tried.any() else None,
            tree_nodes=1 + int(tried.sum()),
            stopped=self._stopped,
            playouts=int(self._search.counts[flat.PLAYOUTS]),
            trace=self._trace(),
        )

    def _trace(self) -> Trace:
        search = self._search
        rows = int(search.counts[flat.TRACE_ROWS])
        recorded = search.trace_at[:rows], self._row_times[:rows], search.trace_visits[:rows], search.trace_score[:rows]
        now = (self.iterations, self._elapsed_s, search.visits, search.score)
        playouts = search.trace_playouts[:rows], int(search.counts[flat.PLAYOUTS])
        return make_trace(self._position.legal_moves, *recorded, now=now, playouts=playouts)
