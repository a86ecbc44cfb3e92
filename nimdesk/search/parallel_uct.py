"""UCT on several threads: one tree for each, and the sums of their root statistics (root parallelisation).

Chaslot, Winands and van den Herik, Parallel Monte-Carlo Tree Search (2008). The trees share nothing, so the answer does
not depend on scheduling: the same position, options, seed and number of threads give the same visits after the same
iterations.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from nimdesk.games import AnyPosition
from nimdesk.limit import Limit
from nimdesk.search.options import MAX_THREADS, UctOptions
from nimdesk.search.sampled import SampledSearcher
from nimdesk.search.traces import Root, Rows
from nimdesk.search.tree_types import Family, Line
from nimdesk.search.types import MoveStats, Searcher, StopReason
from nimdesk.search.uct import UctSearcher
from nimdesk.search.variants import UctVariantSearcher

# The distance between the seeds of two trees; splitmix64 mixes them thoroughly.
_SEED_STEP = 0x9E3779B97F4A7C15
_SEEDS = 1 << 63


def uct_searcher(options: UctOptions) -> Searcher:
    """The searcher for these options: with one tree, or with one for each of several threads."""
    return _one_tree(options) if options.threads == 1 else ParallelUctSearcher(options)


def _one_tree(options: UctOptions) -> UctSearcher | UctVariantSearcher:
    return UctVariantSearcher(options) if options.is_variant else UctSearcher(options)


def tree_seed(seed: int, tree: int) -> int:
    """The seed of one of the trees; the first has the seed of the search itself."""
    return (seed + tree * _SEED_STEP) % _SEEDS


def _share(total: int, tree: int, trees: int) -> int:
    """This tree's part of ``total``: equal parts, with the remainder on the first trees."""
    return total // trees + (tree < total % trees)


class ParallelUctSearcher(SampledSearcher[Root]):
    """``threads`` trees grow side by side, each with its share of iterations, nodes and memory.

    Threads live only during a call of ``advance``. Statistics are sums over the trees; a row of the trace sums rows at
    equal iterations of each tree. A move's principal variation comes from the tree that visited it most.
    """

    def __init__(self, options: UctOptions) -> None:
        """``options.threads`` says how many trees there are."""
        trees = options.threads
        if not 1 <= trees <= MAX_THREADS:
            raise ValueError(f"threads must be 1 to {MAX_THREADS}, not {trees}")
        self.options = options
        super().__init__("uct", options.iterations, options.time_s, options.final, options.ties)
        shared = replace(options, threads=1, memory_mb=max(options.memory_mb // trees, 1))
        total = self._iterations_of()
        self._resumed = set[int]()
        self.trees = tuple(_one_tree(replace(shared, iterations=_share(total, tree, trees))) for tree in range(trees))

    def _begin(self) -> None:
        for i, tree in enumerate(self.trees):
            if i not in self._resumed:
                tree.start(self._position, tree_seed(self._seed, i))
            tree.keep_apart()
        self._resumed = set()
        self._reused = sum(tree._reused for tree in self.trees)

    def resume(self, position: AnyPosition, seed: int) -> bool:
        """Begin a search of a later position with what the trees know of it; False if they know nothing."""
        self._resumed = {i for i, tree in enumerate(self.trees) if tree.resume(position, tree_seed(seed, i))}
        if not self._resumed:
            return False
        self.start(position, seed)
        return True

    def family(self, line: Line) -> Family | None:
        """The node behind this line in the first tree, or None if not reached."""
        return self.trees[0].family(line)

    def tree_note(self) -> str:
        """Which tree is shown."""
        return f"the first of {len(self.trees)} trees, one for each thread"

    @property
    def iterations(self) -> int:
        """Simulations done since the start, in all trees."""
        return sum(tree.iterations for tree in self.trees)

    @property
    def tree_nodes(self) -> int:
        """Nodes of all trees, including their roots."""
        return sum(tree.tree_nodes for tree in self.trees)

    @property
    def playouts(self) -> int:
        """Simulations that included a playout."""
        return sum(tree.playouts for tree in self.trees)

    def advance(self, limit: Limit) -> StopReason | None:
        """Search until ``limit`` (over all trees) or the agent's own limit; return the reason if it was its own."""
        with ThreadPoolExecutor(len(self.trees), "nimdesk-uct") as self._pool:
            return super().advance(limit)

    def _run(self, count: int) -> None:
        # Each tree does its share and no more, whatever the time, so equal iterations always give the same search.
        total, trees = self.iterations + count, len(self.trees)
        shares = (Limit(_share(total, tree, trees)) for tree in range(trees))
        calls = [self._pool.submit(tree.advance, share) for tree, share in zip(self.trees, shares, strict=True)]
        for call in calls:
            call.result()

    def _root(self) -> Root:
        roots = [tree._root() for tree in self.trees]
        return Root(_sum([root.visits for root in roots]), _sum([root.score for root in roots]))

    def _rows(self) -> Rows:
        each = [tree._rows() for tree in self.trees]
        count = min(len(rows.visits) for rows in each)
        return Rows(*(_sum([column[:count] for column in columns]) for columns in zip(*each, strict=True)))

    def _moments(self, rows: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        moments = [tree._moments(rows) for tree in self.trees]
        return moments[0][0] * len(self.trees), np.max([times for _, times in moments], axis=0)

    def _move_stats(self, root: Root) -> tuple[MoveStats, ...]:
        parts = zip(*(tree._move_stats(tree._root()) for tree in self.trees), strict=True)
        return tuple(_sum_up(each, int(score)) for each, score in zip(parts, root.score, strict=True))

    def _more(self, root: Root, choice: int | None) -> dict[str, Any]:
        parts = [tree.brief() for tree in self.trees]
        return {
            "tree_bytes": sum(part.tree_bytes for part in parts),
            "tree_full": any(part.tree_full for part in parts),
        }


def _sum(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    total: NDArray[Any] = np.sum(arrays, axis=0, dtype=arrays[0].dtype)
    return total


def _sum_up(parts: tuple[MoveStats, ...], half_points: int) -> MoveStats:
    visits = sum(part.visits for part in parts)
    most_visited = max(parts, key=lambda part: part.visits)
    mean = half_points / (2 * visits) if visits else None
    return MoveStats(parts[0].move, visits, mean, most_visited.principal_variation)
