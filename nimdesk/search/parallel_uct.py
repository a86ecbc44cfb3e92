"""UCT on several threads: a tree for each, and the statistics of their roots added up (root parallelisation).

Chaslot, Winands and van den Herik, Parallel Monte-Carlo Tree Search (2008). The trees share nothing, so the answer does
not depend on which thread runs when: the same position, parameters, seed and number of threads give the same visits
after the same iterations.
"""

from __future__ import annotations

from dataclasses import replace
from threading import Thread

import numpy as np
from numpy.typing import NDArray

from nimdesk.games import AnyPosition
from nimdesk.limit import Limit
from nimdesk.search.checkpoints import make_trace
from nimdesk.search.types import MoveStats, Searcher, Snapshot, StopReason, Trace
from nimdesk.search.uct import MAX_ITERATIONS, UctParameters, UctSearcher, final_choice

MAX_THREADS = 16
# Seeds of the trees lie this far apart: splitmix64 mixes them thoroughly.
_SEED_STEP = 0x9E3779B97F4A7C15
_SEEDS = 1 << 63


def uct_searcher(parameters: UctParameters, *, agent: str = "uct") -> Searcher:
    """The searcher for these parameters: ``UctSearcher``, or ``ParallelUctSearcher`` for more than one thread."""
    if parameters.threads == 1:
        return UctSearcher(parameters, agent=agent)
    return ParallelUctSearcher(parameters, agent=agent)


def tree_seed(seed: int, tree: int) -> int:
    """The seed of one of the trees; the first one has the seed of the search itself."""
    return (seed + tree * _SEED_STEP) % _SEEDS


def _share(total: int, tree: int, trees: int) -> int:
    """How many of ``total`` are for this tree: equal shares, the first trees one more where it does not divide."""
    return total // trees + (tree < total % trees)


class ParallelUctSearcher:
    """A Searcher; ``threads`` trees grow side by side, each with its share of iterations, nodes and memory.

    Threads live only as long as a call of ``advance``. Statistics are the sums over the trees; a move's principal
    variation is that of the tree that visited it most.
    """

    def __init__(self, parameters: UctParameters, *, agent: str = "uct") -> None:
        """``agent`` is the name that snapshots carry; ``parameters.threads`` trees of up to ``MAX_THREADS``."""
        trees = parameters.threads
        if not 1 <= trees <= MAX_THREADS:
            raise ValueError(f"threads must be 1 to {MAX_THREADS}, not {trees}")
        self._parameters, self._agent = parameters, agent
        total = MAX_ITERATIONS if parameters.iterations is None else parameters.iterations
        shared = replace(parameters, threads=1, memory_mb=max(parameters.memory_mb // trees, 1))
        self._trees = [
            UctSearcher(replace(shared, iterations=_share(total, i, trees)), agent=agent) for i in range(trees)
        ]

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin a new search of a position that is not over."""
        self._position, self._seed = position, seed
        for i, tree in enumerate(self._trees):
            tree.start(position, tree_seed(seed, i))
            tree.keep_apart()

    def resume(self, position: AnyPosition, seed: int) -> bool:
        """Begin a search of a later position with what the trees know of it; False if none of them does."""
        known = [tree.resume(position, tree_seed(seed, i)) for i, tree in enumerate(self._trees)]
        if not any(known):
            return False
        self._position, self._seed = position, seed
        for i, tree in enumerate(self._trees):
            if not known[i]:
                tree.start(position, tree_seed(seed, i))
            tree.keep_apart()
        return True

    @property
    def trees(self) -> tuple[UctSearcher, ...]:
        """The searches side by side."""
        return tuple(self._trees)

    @property
    def iterations(self) -> int:
        """Simulations done since the start, in all trees."""
        return sum(tree.iterations for tree in self._trees)

    def advance(self, limit: Limit) -> StopReason | None:
        """Search on until ``limit`` (of all trees together) or an own limit; the reason if an own one."""
        trees = len(self._trees)
        calls = []
        for i, tree in enumerate(self._trees):
            iterations = None if limit.iterations is None else _share(limit.iterations, i, trees)
            # A root that stands alone in its tree is a node, too.
            nodes = None if limit.nodes is None else max(_share(limit.nodes, i, trees), 1)
            calls.append(_Call(tree, Limit(iterations, limit.time_s, nodes)))
        _run_side_by_side(calls)
        reasons = {call.reason for call in calls}
        return None if None in reasons else StopReason.TIME if StopReason.TIME in reasons else StopReason.ITERATIONS

    def snapshot(self) -> Snapshot:
        """The state now; later slices do not change it."""
        parts = [tree.snapshot() for tree in self._trees]
        visits, score = (_sum([tree.root_sums()[i] for tree in self._trees]) for i in range(2))
        stopped = {part.stopped for part in parts}
        reason = StopReason.TIME if StopReason.TIME in stopped else StopReason.ITERATIONS
        elapsed_s = max(part.elapsed_s for part in parts)
        moves = self._position.legal_moves
        return Snapshot(
            position=self._position,
            agent=self._agent,
            seed=self._seed,
            iterations=self.iterations,
            elapsed_s=elapsed_s,
            moves=tuple(_sum_up([part.moves[i] for part in parts], int(score[i])) for i in range(len(moves))),
            best_move=moves[final_choice(self._parameters.final, visits, score)] if visits.any() else None,
            tree_nodes=sum(part.tree_nodes for part in parts),
            tree_bytes=sum(part.tree_bytes for part in parts),
            tree_full=any(part.tree_full for part in parts),
            stopped=None if None in stopped else reason,
            reused=sum(part.reused for part in parts),
            playouts=sum(part.playouts or 0 for part in parts),
            trace=self._trace(visits, score, elapsed_s),
        )

    def _trace(self, visits: NDArray[np.uint32], score: NDArray[np.uint32], elapsed_s: float) -> Trace:
        """The sums of the rows that all trees have: each at the same number of its own iterations."""
        recorded = [tree.recorded() for tree in self._trees]
        rows = min(len(each[0]) for each in recorded)
        at = recorded[0][0][:rows] * len(self._trees)
        times = np.max([each[1][:rows] for each in recorded], axis=0)
        row_visits, row_score = _sum([each[2][:rows] for each in recorded]), _sum([each[3][:rows] for each in recorded])
        now = (self.iterations, elapsed_s, visits, score)
        counted = [tree.recorded_playouts() for tree in self._trees]
        playouts = np.sum([each[0][:rows] for each in counted], axis=0), sum(each[1] for each in counted)
        return make_trace(self._position.legal_moves, at, times, row_visits, row_score, now, playouts)


def _sum(arrays: list[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    total = arrays[0].copy()
    for array in arrays[1:]:
        total += array
    return total


def _sum_up(parts: list[MoveStats], half_points: int) -> MoveStats:
    visits = sum(part.visits for part in parts)
    most_visited = max(parts, key=lambda part: part.visits)
    mean = half_points / (2 * visits) if visits else None
    return MoveStats(parts[0].move, visits, mean, most_visited.principal_variation)


class _Call:
    """One tree's ``advance``, which may run on any thread; the result or the failure stays here."""

    def __init__(self, tree: UctSearcher, limit: Limit) -> None:
        self._tree, self._limit = tree, limit
        self.reason: StopReason | None = None
        self.failure: BaseException | None = None

    def __call__(self) -> None:
        try:
            self.reason = self._tree.advance(self._limit)
        except BaseException as failure:
            self.failure = failure


def _run_side_by_side(calls: list[_Call]) -> None:
    """All calls at once, the first one on this thread; a failure of any is raised when all have ended."""
    others = [Thread(target=call, name="nimdesk-uct", daemon=True) for call in calls[1:]]
    for thread in others:
        thread.start()
    calls[0]()
    for thread in others:
        thread.join()
    for call in calls:
        if call.failure is not None:
            raise call.failure
