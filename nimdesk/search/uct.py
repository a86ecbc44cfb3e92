"""MCTS with the UCT rule and uniformly random playouts, run in compiled slices."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nimdesk.errors import OptionError
from nimdesk.games import AnyPosition, Move, kernel_of
from nimdesk.kernels import places, tree, uct, variants
from nimdesk.kernels.first_use import first_use
from nimdesk.kernels.memory.held import hold
from nimdesk.limit import Limit
from nimdesk.search.checkpoints import checkpoints, make_trace
from nimdesk.search.own_lines import on_own_lines
from nimdesk.search.pace import Pace
from nimdesk.search.types import MoveStats, Snapshot, StopReason, Trace

_FIRST_SLICE = 64
# Memory for more nodes than the first is at least for the second: from there on numpy asks the operating system for
# pages of 2 MB, which are found faster.
_SMALL_PAGES, _LARGE_PAGES = 1 << 16, 1 << 18
_MOST_AT_FIRST = 1 << 21
_LINE_LENGTH = 12
# With no limit on iterations a search still ends here: with as many visits kept, counts of half points fill 32 bits.
MAX_ITERATIONS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class UctParameters:
    """What UCT can be told: its own limits, the constant c on rewards in [0, 1], and the memory for the tree.

    More than one of ``threads`` is for ``nimdesk.search.parallel_uct``, which has a ``UctSearcher`` for each.
    """

    iterations: int | None = 10_000
    time_s: float | None = None
    exploration: float = math.sqrt(2.0)
    memory_mb: int = 512
    log_n: Literal["parent", "root"] = "parent"
    expansion: Literal["random", "first", "neighbours"] = "random"
    playouts: Literal["uniform", "zeroing", "perfect_opponent"] = "uniform"
    final: Literal["visits", "mean", "secure"] = "visits"
    keep_tree: bool = False
    threads: int = 1


_NO_BLOCKS = np.full(places.CLASSES, places.NO_BLOCK, np.int32)


# So many logarithms are taken one by one, since the vector code of numpy rounds as each machine likes. For all of them
# that would take too long; that it makes another number in single precision of one of them is a matter of one in 100.
_ONE_BY_ONE = 1 << 16


def root_tables(most_visits: int = variants.TABLE_SIZE) -> NDArray[np.float32]:
    """sqrt(ln N) and 1 / sqrt(n) for small numbers, as the kernels want them; at least up to so many visits.

    The whole table takes a short search's time to make, so what only a long one needs is left to that.
    """
    return _short_table() if most_visits < _ONE_BY_ONE else _whole_table()


# Made at once, or two threads that begin together might fill one each; unwritten memory costs nothing.
_ROOTS = np.zeros((2, variants.TABLE_SIZE), np.float32)


@cache
def _short_table() -> NDArray[np.float32]:
    return _with_roots(1, np.array([math.log(n) for n in range(1, _ONE_BY_ONE)]))


@cache
def _whole_table() -> NDArray[np.float32]:
    _short_table()
    return _with_roots(_ONE_BY_ONE, np.log(np.arange(_ONE_BY_ONE, variants.TABLE_SIZE, dtype=np.float64)))


def _with_roots(first: int, logarithms: NDArray[np.float64]) -> NDArray[np.float32]:
    """The table, with the roots of the numbers from ``first`` on, which have these logarithms."""
    stop = first + len(logarithms)
    _ROOTS[:, first:stop] = np.sqrt(logarithms), 1.0 / np.sqrt(np.arange(first, stop, dtype=np.float64))
    table = _ROOTS.view()
    table.flags.writeable = False
    return table


# Simulations per second, as last seen, of the positions searched last: other ones of the game may be much slower.
_rates: dict[tuple[AnyPosition, type], float] = {}
_MOST_RATES = 64


def _first_nodes(iterations: int | None) -> int:
    """Memory for all nodes that so many iterations can add; what is not used is never touched."""
    wanted = _LARGE_PAGES if iterations is None else iterations + 2 * places.LARGEST_BLOCK
    return min(wanted if wanted <= _SMALL_PAGES else max(wanted, _LARGE_PAGES), _MOST_AT_FIRST)


@cache
def _variant(log_n: str, expansion: str, playouts: str) -> variants.Textbook | variants.Published:
    published = variants.Published(
        log_n == "root",
        ("random", "first", "neighbours").index(expansion),
        ("uniform", "zeroing", "perfect_opponent").index(playouts),
    )
    return published if any(published) else variants.Textbook()


def final_choice(rule: str, visits: NDArray[np.uint32], score: NDArray[np.uint32]) -> int:
    """The column to play by ``UctParameters.final``, the first one among equals; ``score`` are half points."""
    if rule == "visits":
        return int(visits.argmax())
    tried = visits > 0
    n = np.where(tried, visits, 1)
    value = np.where(tried, score / (2.0 * n), -np.inf)
    # The secure child has the largest lower confidence bound (Chaslot et al., 2008), here with A = 1.
    return int((value - 1.0 / np.sqrt(n) if rule == "secure" else value).argmax())


def _load_copying() -> None:
    """Call the kernel once that keeps a tree for a later position."""
    source, target = hold(tree.make_tree(1)), hold(tree.make_tree(1))
    tree.copy_subtree(source, 0, target, _NO_BLOCKS.copy(), np.ones(2, np.int64), np.zeros(1, np.int32))


class UctSearcher:
    """A Searcher; the same position, parameters and seed give the same visits after the same iterations."""

    def __init__(self, parameters: UctParameters | None = None, *, agent: str = "uct") -> None:
        """``agent`` is the name that snapshots carry."""
        self._parameters = parameters or UctParameters()
        self._agent = agent

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin a new search of a position that is not over."""
        if position.outcome is not None:
            raise ValueError(f"the game is over in {position.text}: there is nothing to search")
        kernel = kernel_of(position)
        if self._parameters.playouts != "uniform" and not kernel.guided_playouts:
            raise OptionError(
                f"Playouts by the nim-sum, or against a perfect opponent, need Nim, not {position.game.title}."
            )
        self._position, self._seed = position, seed
        self._moves: tuple[Move, ...] = position.legal_moves
        self._rules = hold(kernel.encode_position(position))
        parameters = self._parameters
        self._variant = _variant(parameters.log_n, parameters.expansion, parameters.playouts)
        self._max_nodes = self._parameters.memory_mb * 1024 * 1024 // tree.NODE_BYTES
        self._tree = hold(tree.make_tree(min(_first_nodes(self._parameters.iterations), self._max_nodes)))
        self._grow = True
        self._reused = 0
        self._stopped: StopReason | None = None
        own = self._parameters.iterations
        self._last = MAX_ITERATIONS if own is None else min(own, MAX_ITERATIONS)
        self._search = self._new_search(seed)
        self._row_times = np.zeros(len(self._search.record.at), np.float64)
        kind = type(self._variant)
        # Outside of the time that the search counts.
        job = partial(UctSearcher(self._parameters).start, position, 0)
        first_use("uct", (self._rules, self._variant), self._load, job)
        if len(_rates) >= _MOST_RATES:
            _rates.clear()
        self._pace = Pace(_FIRST_SLICE, _rates.get((position, kind), 0.0))

    def _load(self) -> None:
        """Call each kernel once, to no effect."""
        uct.run(self._rules, self._variant, self._search, self._tree, self._grow, 0)
        tree.principal_variations(self._tree.nodes, np.empty((0, _LINE_LENGTH), np.int16))

    def resume(self, position: AnyPosition, seed: int) -> bool:
        """Begin a search of a later position of the same game with what the tree knows of it; False if that is nothing.

        Also where there is no memory to copy it to, or it has more than ``MAX_ITERATIONS`` visits; a search that does
        not begin stays as it was. Counts of iterations, time and trace begin anew; visits go on from those that are
        kept (``Snapshot.reused``).
        """
        old_moves, moves = self._position.moves, position.moves
        if position.outcome is not None or self._position.game != position.game or moves[: len(old_moves)] != old_moves:
            return False
        node = 0
        for move in moves[len(old_moves) :]:
            child = tree.child(self._tree, node, kernel_of(position).encode_move(position.game, move))
            if child is None:
                return False
            node = child
        if self._tree.nodes["children"][node] <= 0 or self._tree.nodes["visits"][node] > MAX_ITERATIONS:
            return False
        old_tree = self._tree
        first_use("uct-copy", (), _load_copying, _load_copying)
        try:
            kept = tree.make_tree(old_tree.nodes.size)
            scratch = np.empty(int(self._search.counts[uct.NODES]), np.int32)
        except MemoryError:
            return False
        self.start(position, seed)
        self._tree = hold(kept)
        counts, free = self._search.counts, self._search.free
        counts[uct.NODES] = tree.copy_subtree(old_tree, node, self._tree, free, counts, scratch)
        self._reused = int(self._tree.nodes["visits"][0])
        # The visits kept come on top of this search's own; all tables are in the same memory.
        root_tables()
        return True

    def keep_apart(self) -> None:
        """After the start: have all that is written to in memory of its own, for searches beside each other."""
        self._rules, self._search = hold(on_own_lines(self._rules)), hold(on_own_lines(self._search))

    def _new_search(self, seed: int) -> uct.Search:
        kernel = kernel_of(self._position)
        trace_at, longest = checkpoints(self._last), kernel.longest_game(self._position) + 2
        counts = np.zeros(8, np.int64)
        counts[uct.USED] = counts[uct.NODES] = 1
        counts[uct.ADDED] = uct.NO_MOVE
        shape = len(trace_at), len(self._moves)
        # calloc hands out zero pages without touching them: rows that are never reached cost nothing.
        record = uct.Record(
            trace_at,
            np.zeros(shape, np.uint32),
            np.zeros(shape, np.uint32),
            np.zeros(len(trace_at), np.int64),
            kernel.encode_columns(self._position),
        )
        # The root's next visit is looked up, too.
        sqrt_log, inv_sqrt = root_tables(self._last + 1)
        levels = np.zeros(longest, uct.LEVEL)
        path = uct.Path(np.float32(self._parameters.exploration), sqrt_log, inv_sqrt, levels)
        return hold(
            uct.Search(
                counts=counts,
                random=np.array([seed], np.uint64),
                free=_NO_BLOCKS.copy(),
                path=path,
                record=record,
            )
        )

    @property
    def iterations(self) -> int:
        """Simulations done since the start."""
        return int(self._search.counts[uct.ITERATIONS])

    @property
    def position(self) -> AnyPosition:
        """The position searched."""
        return self._position

    @property
    def parameters(self) -> UctParameters:
        """What the search was told."""
        return self._parameters

    @property
    def search_tree(self) -> tree.Tree:
        """The tree as it is now, to be read until the next slice."""
        return self._tree

    @property
    def search_state(self) -> uct.Search:
        """Counts, random state and the path of the last simulation."""
        return self._search

    def advance(self, limit: Limit) -> StopReason | None:
        """Search on until ``limit`` (counted from the start of the search) or an own limit; the reason if an own one.

        ``limit.time_s`` is met within a few milliseconds; a limit with nothing set runs to the agent's own.
        """
        last = self._last if limit.iterations is None else min(limit.iterations, self._last)
        own_time = self._parameters.time_s
        times = [t for t in (own_time, limit.time_s) if t is not None]
        deadline = min(times, default=math.inf)
        while self._stopped is None:
            done = self.iterations
            if done >= self._last:
                self._stopped = StopReason.ITERATIONS
            elif own_time is not None and self._pace.elapsed_s >= own_time:
                self._stopped = StopReason.TIME
            elif done >= last or self._pace.elapsed_s >= deadline or self._nodes_left(limit) <= 0:
                return None
            else:
                # One simulation adds at most one node, so a limit on nodes is met exactly.
                self._slice(min(last - done, self._nodes_left(limit)), deadline - self._pace.elapsed_s)
        return self._stopped

    def _nodes_left(self, limit: Limit) -> int:
        return MAX_ITERATIONS if limit.nodes is None else limit.nodes - int(self._search.counts[uct.NODES])

    def _slice(self, iterations: int, time_s: float) -> None:
        count = self._pace.count(iterations, time_s)
        before, rows_before = self.iterations, int(self._search.counts[uct.TRACE_ROWS])
        begin = time.perf_counter()
        status = uct.run(self._rules, self._variant, self._search, self._tree, self._grow, count)
        took = time.perf_counter() - begin
        done = self.iterations - before
        if done:
            rows = slice(rows_before, int(self._search.counts[uct.TRACE_ROWS]))
            self._row_times[rows] = self._pace.elapsed_s + took * (self._search.record.at[rows] - before) / done
        self._pace.spent(done, took)
        _rates[self._position, type(self._variant)] = self._pace.per_s
        if status == uct.NEEDS_MEMORY:
            self._enlarge()
            self._pace.elapsed_s += time.perf_counter() - begin - took

    def _enlarge(self) -> None:
        """Twice the room for nodes, up to the memory cap; from there on the tree stays as it is."""
        old = self._tree
        size = min(2 * old.nodes.size, self._max_nodes)
        if size <= old.nodes.size:
            self._grow = False
            return
        try:
            larger = tree.make_tree(size)
        except MemoryError:
            self._grow = False
            return
        larger.nodes[: old.nodes.size], larger.bounds[: old.bounds.size] = old.nodes, old.bounds
        self._tree = hold(larger)

    def snapshot(self) -> Snapshot:
        """The state now; later slices do not change it."""
        return self._snapshot(full=True)

    def brief(self) -> Snapshot:
        """The same without moves and trace, in a fraction of the time: for who only wants the choice."""
        return self._snapshot(full=False)

    def _snapshot(self, *, full: bool) -> Snapshot:
        counts = self._search.counts
        visits, score = self.root_sums()
        best = self._moves[final_choice(self._parameters.final, visits, score)] if visits.any() else None
        return Snapshot(
            position=self._position,
            agent=self._agent,
            seed=self._seed,
            iterations=self.iterations,
            elapsed_s=self._pace.elapsed_s,
            moves=self._move_stats(visits, score) if full else (),
            best_move=best,
            tree_nodes=int(counts[uct.NODES]),
            tree_bytes=int(counts[uct.USED]) * tree.NODE_BYTES,
            tree_full=not self._grow,
            stopped=self._stopped,
            reused=self._reused,
            playouts=int(counts[uct.PLAYOUTS]),
            trace=self._trace(visits, score) if full else None,
        )

    def root_sums(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Visits and half points of the root's moves, in the order of the legal moves."""
        block = tree.children(self._tree, 0)
        columns = self._search.record.column_of[block["move"]]
        visits, score = np.zeros(len(self._moves), np.uint32), np.zeros(len(self._moves), np.uint32)
        visits[columns], score[columns] = block["visits"], block["score"]
        return visits, score

    def recorded(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.uint32], NDArray[np.uint32]]:
        """The checkpoints so far: iterations, seconds, visits and half points, as ``make_trace`` wants them."""
        record, rows = self._search.record, int(self._search.counts[uct.TRACE_ROWS])
        return record.at[:rows], self._row_times[:rows], record.visits[:rows], record.score[:rows]

    def recorded_playouts(self) -> tuple[NDArray[np.int64], int]:
        """The playouts at the checkpoints so far, and by now."""
        counts = self._search.counts
        return self._search.record.playouts[: int(counts[uct.TRACE_ROWS])], int(counts[uct.PLAYOUTS])

    def _move_stats(self, visits: NDArray[np.uint32], score: NDArray[np.uint32]) -> tuple[MoveStats, ...]:
        columns = self._search.record.column_of[tree.children(self._tree, 0)["move"]]
        lines = np.empty((len(columns), _LINE_LENGTH), np.int16)
        tree.principal_variations(self._tree.nodes, lines)
        moves = kernel_of(self._position).decode_table(self._position.game)
        variations: list[tuple[Move, ...]] = [()] * len(self._moves)
        for column, line in zip(columns.tolist(), lines.tolist(), strict=True):
            length = line.index(-1) if -1 in line else _LINE_LENGTH
            variations[column] = tuple(moves[code] for code in line[:length])
        return tuple(
            MoveStats(move, n, half_points / (2 * n) if n else None, variation)
            for move, n, half_points, variation in zip(
                self._moves, visits.tolist(), score.tolist(), variations, strict=True
            )
        )

    def _trace(self, visits: NDArray[np.uint32], score: NDArray[np.uint32]) -> Trace:
        now = (self.iterations, self._pace.elapsed_s, visits, score)
        return make_trace(self._moves, *self.recorded(), now=now, playouts=self.recorded_playouts())
