"""Minimax with alpha-beta pruning (document 002), and the part it shares with plain minimax."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from functools import partial

from nimdesk.games import AnyPosition, Move, kernel_of
from nimdesk.games.truth import Value
from nimdesk.games.truth_words import clause, told
from nimdesk.kernels import alphabeta as kernel
from nimdesk.kernels.jit import first_use
from nimdesk.kernels.memory.held import hold
from nimdesk.limit import Limit
from nimdesk.search.options import AlphaBetaOptions
from nimdesk.search.textbook import depth_first as textbook
from nimdesk.search.tree_types import VALUES
from nimdesk.search.types import MoveStats, Snapshot, StopReason

# The target length of one kernel call. A node whose moves are ordered costs dozens of times as much as a leaf, and the
# mix changes all the time. So slices are short; they grow step by step and shrink at once.
_SLICE_S = 0.001
_FIRST_SLICE = 256
_FASTER = 1.25
_LARGEST_SLICE = 1_000_000


class DepthFirst:
    """The compiled depth-first search of one position, driven in slices; minimax and alpha-beta share it."""

    def __init__(self, position: AnyPosition, *, depth: int | None, ordered: bool, prune: bool, log: int = 0) -> None:
        """Stand at the root. Kernels are loaded or compiled here, outside the time that the search counts."""
        if position.outcome is not None:
            raise ValueError(f"the game is over in {position.text}: there is nothing to search")
        self.position = position
        self.elapsed_s = 0.0
        self._per_s = 0.0
        self._encoding = kernel_of(position)
        self._rules = hold(self._encoding.encode_position(position))
        self._moves: tuple[Move, ...] = position.legal_moves
        plies = self._encoding.longest_game(position)
        search = kernel.make_search(
            plies,
            self._encoding.most_moves(position),
            depth=plies if depth is None else min(depth, plies),
            ordered=ordered,
            prune=prune,
            log=log,
        )
        self.state = hold(search)
        job = partial(DepthFirst, position, depth=depth, ordered=ordered, prune=prune)
        first_use("alphabeta", (self._rules,), self._begin, job)
        self._begin()

    def _begin(self) -> None:
        kernel.begin(self._rules, self.state)
        kernel.run(self._rules, self.state, 0)

    def order_root(self, moves: Sequence[Move]) -> None:
        """Search only these root moves, in this order. Call it before the first slice of an ordered search."""
        codes = [self._encoding.encode_move(self.position.game, move) for move in moves]
        self.state.moves[0, : len(codes)] = codes
        self.state.stack[0]["size"] = len(codes)

    @property
    def root_order(self) -> tuple[Move, ...]:
        """The root moves in the order of an ordered search."""
        count = int(self.state.stack[0]["size"])
        return tuple(self._move(code) for code in self.state.moves[0, :count].tolist())

    @property
    def nodes(self) -> int:
        """Nodes searched so far, including the root and the leaves."""
        return int(self.state.counts[kernel.NODES])

    @property
    def done(self) -> bool:
        """Whether the root's value is known."""
        return bool(self.state.counts[kernel.DONE])

    @property
    def value(self) -> int:
        """The root's best value so far for the side to move: 1, 0 or -1; less than -1 before the first root move is
        done.
        """
        return int(self.state.stack[0]["value"])

    @property
    def limited(self) -> bool:
        """Whether the depth limit has cut some line."""
        return bool(self.state.counts[kernel.LIMITED])

    @property
    def best_move(self) -> Move:
        """The first best root move so far, in search order; the first legal move before any is done."""
        if not self.state.counts[kernel.ROOT_DONE]:
            return self._moves[0]
        return self._move(int(self.state.results[self.state.counts[kernel.BEST]]["move"]))

    @property
    def levels(self) -> list[int]:
        """Nodes searched so far at each ply."""
        return [count for count in self.state.levels.tolist() if count]

    def root_values(self) -> dict[Move, int]:
        """The value of each finished root move."""
        done = self.state.results[: int(self.state.counts[kernel.ROOT_DONE])]
        return {self._move(result["move"]): int(result["value"]) for result in done}

    def first_nodes(self) -> Iterator[tuple[int, Move | None, Move | None, int]]:
        """Ply, move, best move and value of the first ``log`` nodes, in search order."""
        for ply, move, best, value in self.state.log[: self.nodes].tolist():
            yield ply, self._move(move) if ply else None, None if best < 0 else self._move(best), value

    def _move(self, code: int) -> Move:
        move: Move = self._encoding.decode_table(self.position.game)[code]
        return move

    def advance(self, nodes: int | None, deadline_s: float) -> None:
        """Search until ``nodes`` since the start are searched, the deadline has passed, or the search is done."""
        while not self.done and self.elapsed_s < deadline_s and (nodes is None or self.nodes < nodes):
            wanted = self._per_s * min(_SLICE_S, max(deadline_s - self.elapsed_s, 0.0002))
            count = min(max(int(wanted), 1), _LARGEST_SLICE) if self._per_s else _FIRST_SLICE
            if nodes is not None:
                count = min(count, nodes - self.nodes)
            before = self.nodes
            begin = time.perf_counter()
            kernel.run(self._rules, self.state, count)
            took = time.perf_counter() - begin
            per_s = (self.nodes - before) / took if took > 0 else 0.0
            self._per_s = min(per_s, _FASTER * self._per_s) if self._per_s else per_s
            self.elapsed_s += took

    def move_stats(self, *, distances: bool) -> tuple[MoveStats, ...]:
        """What is known of each root move so far; ``visits`` are the nodes searched below it."""
        s = self.state
        done = int(s.counts[kernel.ROOT_DONE])
        stats = {}
        for result, codes in zip(s.results[:done], s.result_lines[:done].tolist(), strict=True):
            line = self._line(codes)
            proven = VALUES[1 + int(result["value"])] if result["kind"] == kernel.PROVEN else None
            distance = int(result["distance"]) if distances and proven is not None else None
            stats[line[0]] = MoveStats(line[0], int(result["nodes"]), None, line, proven, distance)
        if not self.done and self.nodes > 1 + sum(entry.visits for entry in stats.values()):
            move = self._move(int(s.stack[0]["made"]))
            stats[move] = MoveStats(move, self.nodes - int(s.counts[kernel.NODES_BEFORE]), None)
        return tuple(stats.get(move) or MoveStats(move, 0, None) for move in self._moves)

    def _line(self, codes: list[int]) -> tuple[Move, ...]:
        length = codes.index(-1) if -1 in codes else len(codes)
        return tuple(self._move(code) for code in codes[:length])


class DepthFirstSearcher:
    """What minimax and alpha-beta share: they show the search of an ``engine``. A subclass starts and advances it."""

    engine: type[DepthFirst | textbook.DepthFirst] = DepthFirst
    agent: str
    distances = False
    """Whether the distances of all searched moves are exact."""
    _search: DepthFirst | textbook.DepthFirst
    _seed: int
    _stopped: StopReason | None
    _listing: tuple[str, ...] = ()

    @property
    def position(self) -> AnyPosition:
        """The position searched."""
        return self._search.position

    def snapshot(self) -> Snapshot:
        """The current state."""
        search = self._search
        return Snapshot(
            position=search.position,
            agent=self.agent,
            seed=self._seed,
            iterations=0,
            elapsed_s=search.elapsed_s,
            moves=search.move_stats(distances=self.distances),
            best_move=search.best_move,
            tree_nodes=search.nodes,
            stopped=self._stopped,
            comment=self._comment(),
            listing=self._listing,
            proven=self._proven,
        )

    @property
    def _proven(self) -> Value | None:
        """What is proven of the position: a win as soon as it is found, a draw or a loss once the search is done.

        A draw may depend on the depth limit; a win or a loss never does.
        """
        search = self._search
        settled = search.done and (search.value != 0 or not search.limited)
        return VALUES[1 + search.value] if settled or search.value == 1 else None

    def _comment(self) -> str:
        raise NotImplementedError


class AlphaBetaSearcher(DepthFirstSearcher):
    """The best value within ``depth`` moves, and the first move in search order that has it.

    A position at the depth limit counts as a draw. With the ordering ``neighbours``, cells with the most occupied
    neighbours come first. Ties, and all moves with the ordering ``none``, come row by row from the bottom (also with
    gravity), or pile by pile in Nim. The search is deterministic: the seed does not matter.

    In snapshots ``tree_nodes`` are the nodes searched, including the root. The ``visits`` of a move are the nodes
    searched below it, and ``mean_value`` is None. ``principal_variation`` is the best line found below it, or the
    refutation of a move that pruning has refuted. ``proven`` is set where the value is proven: not where pruning left
    only a bound, nor for a draw that depends on the depth limit. ``iterations`` stay 0.
    """

    agent = "alphabeta"

    def __init__(self, options: AlphaBetaOptions | None = None) -> None:
        self.options = AlphaBetaOptions() if options is None else options

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin a search of a position that is not over."""
        ordered = self.options.ordering == "neighbours"
        self._search = self.engine(position, depth=self.options.depth, ordered=ordered, prune=True)
        self._seed = seed
        self._stopped = None

    def advance(self, limit: Limit) -> StopReason | None:
        """Search until ``limit`` (counted from the start) or the agent's own time is met; return the reason if it is
        over.

        ``limit.nodes`` is met exactly, ``limit.time_s`` within a few milliseconds; ``limit.iterations`` is ignored.
        """
        if self._stopped is None:
            own_time = self.options.time_s
            times = [t for t in (own_time, limit.time_s) if t is not None]
            self._search.advance(limit.nodes, min(times, default=math.inf))
            if self._search.done:
                self._stopped = StopReason.DEPTH if self._proven is None else StopReason.COMPLETE
            elif own_time is not None and self._search.elapsed_s >= own_time:
                self._stopped = StopReason.TIME
        return self._stopped

    def _comment(self) -> str:
        search = self._search
        nodes = f"{search.nodes:,} {'node' if search.nodes == 1 else 'nodes'}"
        if abs(search.value) > 1:
            return told("no value", nodes=nodes)
        side = search.position.turn
        winner = search.position.game.side_name(side if search.value > 0 else side.other)
        value = clause("win", side=winner) if search.value else Value.DRAW.value
        if not search.value and search.limited:
            depth = self.options.depth
            undecided = clause("undecided", ahead=f"{depth} {'move' if depth == 1 else 'moves'}")
            value = f"{undecided}, counted as a draw"
        return told("best value", so_far="" if search.done else " so far", found=value, nodes=nodes)
