"""MCTS as nimdesk plays it: a graph of positions, proven values, and moves in a heuristic order, in compiled slices."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games import AnyPosition, Move, kernel_of
from nimdesk.games.truth import Value
from nimdesk.kernels import graph, mcts, mcts_state
from nimdesk.kernels.first_use import first_use
from nimdesk.kernels.memory.held import hold
from nimdesk.kernels.rules import DRAW, LOSS, WIN
from nimdesk.limit import Limit
from nimdesk.search import graph_memory
from nimdesk.search.checkpoints import checkpoints, make_trace
from nimdesk.search.pace import Pace
from nimdesk.search.types import MoveStats, Snapshot, StopReason, Trace
from nimdesk.search.uct import root_tables

_LINE_LENGTH = 12
MAX_ITERATIONS = 1_000_000_000
# Where moves come in a heuristic order, a node opens 4 moves and one more each time its visits have grown enough.
# Found by matches on 5,5,4, 7,7,5 and 15,15,5 at equal numbers of simulations.
_WIDE, _WIDENING = 4, 0.25
_ALL = 1 << 14
_SURE = 1 << 21
_VALUE = {LOSS: Value.LOSS, DRAW: Value.DRAW, WIN: Value.WIN}


@dataclass(frozen=True, slots=True)
class MctsParameters:
    """What the search can be told: its own limits, c on rewards in [0, 1], what it may use, and the memory."""

    iterations: int | None = 10_000
    time_s: float | None = None
    exploration: float = 0.7
    merge: bool = True
    prove: bool = True
    order: bool = True
    memory_mb: int = 512


class _Root(NamedTuple):
    """The root's opened edges, the nodes behind them, and the columns of their moves; visits and score by column."""

    edges: NDArray[np.void]
    children: NDArray[np.void]
    columns: NDArray[np.int32]
    visits: NDArray[np.uint32]
    score: NDArray[np.float64]


def _start_and_walk(position: AnyPosition) -> None:
    searcher = MctsSearcher()
    searcher.start(position, 0)
    searcher.walk(())


class MctsSearcher:
    """A Searcher; the same position, parameters and seed give the same visits after the same iterations."""

    def __init__(self, parameters: MctsParameters | None = None, *, agent: str = "mcts") -> None:
        """``agent`` is the name that snapshots carry."""
        self._parameters = parameters or MctsParameters()
        self._agent = agent

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin a new search of a position that is not over."""
        if position.outcome is not None:
            raise ValueError(f"the game is over in {position.text}: there is nothing to search")
        self._position, self._seed = position, seed
        self._moves: tuple[Move, ...] = position.legal_moves
        kernel = kernel_of(position)
        self._rules, self._identity = hold(kernel.encode_position(position)), hold(kernel.encode_identity(position))
        own = self._parameters.iterations
        self._last = MAX_ITERATIONS if own is None else min(own, MAX_ITERATIONS)
        self._stopped: StopReason | None = None
        self._confirmed = False
        self._pace = Pace(first=64)
        self._grow = True
        self._search = self._new_search(seed)
        self._graph = hold(graph_memory.first_graph(position, self._search))
        self._row_times = np.zeros(len(self._search.trace_at), np.float64)
        self._row_choice = np.zeros(len(self._search.trace_at), np.int64)
        self._rows_chosen = 0
        # Outside of the time that the search counts.
        job = partial(MctsSearcher(self._parameters).start, position, 0)
        first_use("mcts", (self._rules, self._identity), self._load, job)

    def _load(self) -> None:
        """Call the kernels of a search once, to no effect."""
        self._run(0)
        mcts.principal_variation(self._identity, self._graph, -1, np.empty(_LINE_LENGTH, np.int16))

    def _new_search(self, seed: int) -> mcts_state.Search:
        most = len(self._moves)
        kernel = kernel_of(self._position)
        longest = kernel.longest_game(self._position) + 2
        narrow = self._parameters.order and kernel.orders_moves
        counts = np.zeros(8, np.int64)
        counts[mcts_state.NODES] = counts[mcts_state.UNLISTED] = graph.FIRST_FREE
        trace_at = checkpoints(self._last)
        search = mcts_state.Search(
            exploration=float(self._parameters.exploration),
            merge=self._parameters.merge,
            prove=self._parameters.prove,
            order=self._parameters.order,
            wide=_WIDE if narrow else _ALL,
            widening=_WIDENING,
            margin=longest * (most + 3),
            counts=counts,
            random=np.array([seed], np.uint64),
            roots=root_tables(self._last + 1),
            free=np.full(mcts_state.BLOCK_SIZES, -1, np.int32),
            path=np.zeros(longest, np.int32),
            taken=np.zeros(longest, np.int32),
            totals=np.zeros(longest, np.float64),
            codes=np.zeros(most, np.int16),
            scores=np.zeros(most, np.int64),
            best=np.zeros(most, np.int64),
            listed=np.zeros(kernel.sizes(self._position.game).view_codes, np.uint8),
            column_of=kernel.encode_columns(self._position),
            trace_at=trace_at,
            # calloc hands out zero pages without touching them: rows that are never reached cost nothing.
            trace_visits=np.zeros((len(trace_at), most), np.uint32),
            trace_score=np.zeros((len(trace_at), most), np.float64),
            trace_playouts=np.zeros(len(trace_at), np.int64),
            trace_bounds=np.zeros((len(trace_at), most), np.uint8),
        )
        return hold(search)

    @property
    def iterations(self) -> int:
        """Simulations done since the start."""
        return int(self._search.counts[mcts_state.ITERATIONS])

    @property
    def position(self) -> AnyPosition:
        """The position searched."""
        return self._position

    @property
    def parameters(self) -> MctsParameters:
        """What the search was told."""
        return self._parameters

    @property
    def search_graph(self) -> tuple[graph.Readable, NDArray[np.void]]:
        """Nodes and edges as they are now, to be read until the next slice."""
        return graph.Readable(self._graph), self._graph.edges

    @property
    def search_state(self) -> mcts_state.Search:
        """Counts, random state and the path of the last simulation."""
        return self._search

    def walk(self, line: tuple[Move, ...]) -> tuple[int, NDArray[np.int32], NDArray[np.int16]]:
        """The node behind this line of play (−1: none), its opened edges, and the moves that they stand for."""
        codes = np.array([kernel_of(self._position).encode_move(self._position.game, move) for move in line], np.int16)
        most = len(self._moves)
        edges, moves = np.empty(most, np.int32), np.empty(most, np.int16)
        values = self._rules, self._identity
        walk = partial(mcts.walk, *values, self._graph, codes, edges, moves)
        first_use("mcts-walk", values, walk, partial(_start_and_walk, self._position))
        node, count = walk()
        return node, edges[:count], moves[:count]

    def advance(self, limit: Limit) -> StopReason | None:
        """Search on until ``limit`` (counted from the start of the search) or an own end; the reason if an own one.

        A search whose root is proven, and whose visits say so, ends: ``PROVEN``. ``limit.time_s`` is met within a few
        milliseconds, ``limit.nodes`` within the few nodes of one simulation.
        """
        last = self._last if limit.iterations is None else min(limit.iterations, self._last)
        own_time = self._parameters.time_s
        deadline = min((t for t in (own_time, limit.time_s) if t is not None), default=math.inf)
        while self._stopped is None:
            done, elapsed_s = self.iterations, self._pace.elapsed_s
            if self._confirmed:
                self._stopped = StopReason.PROVEN
            elif done >= self._last:
                self._stopped = StopReason.PROVEN if self._proven else StopReason.ITERATIONS
            elif own_time is not None and elapsed_s >= own_time:
                self._stopped = StopReason.PROVEN if self._proven else StopReason.TIME
            elif done >= last or elapsed_s >= deadline or self._nodes_left(limit) <= 0:
                return None
            else:
                # One simulation can make as many nodes as its path is long, so that more might overshoot.
                nodes = max(1, self._nodes_left(limit) // self._search.path.size)
                self._slice(min(last - done, nodes), deadline - elapsed_s)
        return self._stopped

    @property
    def proven_after(self) -> int | None:
        """The simulation that proved the position; those after it confirmed the move. None as long as it is open."""
        return int(self._search.counts[mcts_state.PROVEN_AT]) if self._proven else None

    @property
    def _proven(self) -> bool:
        root = self.search_graph[0][graph.ROOT]
        return bool(root["low"] == root["high"])

    @property
    def _node_count(self) -> int:
        return int(self._search.counts[mcts_state.NODES]) - graph.FIRST_FREE + 1

    def _nodes_left(self, limit: Limit) -> int:
        return MAX_ITERATIONS if limit.nodes is None else limit.nodes - self._node_count

    def _run(self, count: int) -> int:
        return mcts.run(self._rules, self._identity, self._search, self._graph, self._grow, count)

    def _slice(self, iterations: int, time_s: float) -> None:
        count = self._pace.count(iterations, time_s)
        before, rows_before = self.iterations, int(self._search.counts[mcts_state.TRACE_ROWS])
        begin = time.perf_counter()
        status = self._run(count)
        took = time.perf_counter() - begin
        done = self.iterations - before
        if done:
            rows = slice(rows_before, int(self._search.counts[mcts_state.TRACE_ROWS]))
            self._row_times[rows] = self._pace.elapsed_s + took * (self._search.trace_at[rows] - before) / done
        if status == mcts.NEEDS_MEMORY:
            self._enlarge()
        self._confirmed = status == mcts.PROVEN
        self._pace.spent(done, took)

    def _enlarge(self) -> None:
        """More room for what has run short, up to the memory cap; from there on the graph stays as it is."""
        grown = graph_memory.enlarged(self._graph, self._position, self._search, self._parameters.memory_mb)
        self._grow = grown is not None
        self._graph = hold(graph_memory.without_table(self._graph) if grown is None else grown)

    def snapshot(self) -> Snapshot:
        """The state now; later slices do not change it.

        ``visits`` count how often the search chose the move; ``mean_value`` is what the position behind it is worth
        by all that the search knows of that position, whichever way it got there.
        """
        return self._snapshot(full=True)

    def brief(self) -> Snapshot:
        """The same without moves and trace, in a fraction of the time: for who only wants the choice."""
        return self._snapshot(full=False)

    def _snapshot(self, *, full: bool) -> Snapshot:
        root = self._root()
        best = self._final_choice(root)
        return Snapshot(
            position=self._position,
            agent=self._agent,
            seed=self._seed,
            iterations=self.iterations,
            elapsed_s=self._pace.elapsed_s,
            moves=self._move_stats(root) if full else (),
            best_move=best,
            tree_nodes=self._node_count,
            tree_bytes=self._bytes(),
            tree_full=not self._grow,
            stopped=self._stopped,
            playouts=int(self._search.counts[mcts_state.PLAYOUTS]),
            trace=self._trace(root, best) if full else None,
            comment=self._comment(root),
        )

    def _bytes(self) -> int:
        counts = self._search.counts
        used = int(counts[mcts_state.NODES]) * graph.NODE.itemsize + int(counts[mcts_state.EDGES]) * graph.EDGE.itemsize
        return used + (self._graph.table.nbytes if self._parameters.merge else 0)

    def _root(self) -> _Root:
        nodes, edges = self.search_graph
        root = nodes[graph.ROOT]
        opened = edges[root["first"] : root["first"] + root["opened"]] if root["opened"] else edges[:0]
        children, columns = nodes[opened["child"]], self._search.column_of[opened["code"]]
        visits, score = np.zeros(len(self._moves), np.uint32), np.zeros(len(self._moves), np.float64)
        visits[columns] = opened["visits"]
        score[columns] = _rounded(2.0 * opened["visits"] * (1.0 - children["value"].astype(np.float64)))
        return _Root(opened, children, columns, visits, score)

    def _final_choice(self, root: _Root) -> Move | None:
        """What it would play now, as ``choices_by_bounds`` says."""
        if not len(root.edges):
            return None
        low, high = WIN - root.children["high"].astype(np.uint8), WIN - root.children["low"].astype(np.uint8)
        bounds = np.zeros((1, len(self._moves)), np.uint8)
        bounds[0, root.columns] = 1 + 3 * low + high
        return self._moves[int(choices_by_bounds(root.visits[None], root.score[None], bounds)[0])]

    def _move_stats(self, root: _Root) -> tuple[MoveStats, ...]:
        stats = {move: MoveStats(move, 0, None) for move in self._moves}
        decode = kernel_of(self._position).decode_table(self._position.game)
        for i, (edge, child, column) in enumerate(zip(root.edges, root.children, root.columns.tolist(), strict=True)):
            move, visits = self._moves[column], int(edge["visits"])
            proven = _VALUE[WIN - int(child["low"])] if child["low"] == child["high"] else None
            line = tuple(decode[code] for code in self._variation(i))
            stats[move] = MoveStats(move, visits, 1.0 - float(child["value"]) if visits else None, line, proven)
        return tuple(stats.values())

    def _variation(self, i: int) -> list[int]:
        """The principal variation of the i-th opened root edge, as codes."""
        line = np.full(_LINE_LENGTH, -1, np.int16)
        edge = int(self._graph.nodes[graph.ROOT]["first"]) + i
        mcts.principal_variation(self._identity, self._graph, edge, line)
        codes: list[int] = line.tolist()
        return codes[: codes.index(-1)] if -1 in codes else codes

    def _trace(self, root: _Root, best: Move | None) -> Trace:
        search = self._search
        rows = int(search.counts[mcts_state.TRACE_ROWS])
        recorded = search.trace_at[:rows], self._row_times[:rows], search.trace_visits[:rows], search.trace_score[:rows]
        playouts = search.trace_playouts[:rows], int(search.counts[mcts_state.PLAYOUTS])
        now = (self.iterations, self._pace.elapsed_s, root.visits, root.score)
        new = slice(self._rows_chosen, rows)
        self._row_choice[new] = choices_by_bounds(
            search.trace_visits[new], search.trace_score[new], search.trace_bounds[new]
        )
        search.trace_score[new] = _rounded(search.trace_score[new])
        self._rows_chosen = rows
        choice = self._row_choice[:rows], -1 if best is None else self._moves.index(best)
        return make_trace(self._moves, *recorded, now=now, playouts=playouts, choice=choice)

    def _comment(self, root: _Root) -> str:
        if not self._proven:
            return ""
        one_short = int(root.visits.sum()) < self.iterations
        found = " One of them found the proof complete and visited no move." if one_short else ""
        result = {LOSS: "loses", DRAW: "draws", WIN: "wins"}[int(self.search_graph[0][graph.ROOT]["low"])]
        return f"Proven after {self.proven_after:,} iterations: with best play the side to move {result}.{found}"


def choices_by_bounds(
    visits: NDArray[np.uint32], score: NDArray[np.float64], bounds: NDArray[np.uint8]
) -> NDArray[np.int64]:
    """The columns that the search would play, (T,), by rows as in ``mcts_state.Search``: the most visited that is fit.

    Fit is what nothing proves to be worse than another move. A move that was never tried comes before one that is
    proven to lose, which is played only if every move is. Among equals the first move in the order of the position is
    played.
    """
    opened, proven = bounds > 0, bounds.astype(np.int64) - 1
    low, high = np.where(opened, proven // 3, -1), np.where(opened, proven % 3, -1)
    certain, hoped = low.max(axis=1, keepdims=True), high.max(axis=1, keepdims=True)
    fit = opened & (high >= certain) & (high > LOSS)
    # A certain draw gets no visits: it gives way to an open move only if that promises more.
    fit &= (certain != DRAW) | (low == DRAW) | (score > visits)
    settled = (certain == WIN) | ((certain == hoped) & opened.all(axis=1, keepdims=True))
    fit = np.where(settled, low == certain, fit)
    rank = np.where(fit, 2, np.where(opened, 0, 1))
    chosen: NDArray[np.int64] = (visits.astype(np.int64) + (rank << 40)).argmax(axis=1)
    return chosen


def _rounded(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """To the digits that means of single precision surely have: three times a third is 1, not 0.99999994."""
    part, exponent = np.frexp(x)
    rounded: NDArray[np.float64] = np.ldexp(np.round(part * _SURE), exponent) / _SURE
    return rounded
