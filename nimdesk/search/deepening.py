"""Iterative deepening: alpha-beta to depth one, then two, and so on, trying the best move so far first."""

from __future__ import annotations

import math
import time

from msgspec.structs import replace

from nimdesk.games import AnyPosition, Move, kit_of
from nimdesk.games.truth import Value
from nimdesk.games.truth_words import clause, told
from nimdesk.limit import Limit
from nimdesk.search.alphabeta import DepthFirst
from nimdesk.search.choice import precedence
from nimdesk.search.options import DeepeningOptions
from nimdesk.search.textbook import depth_first as textbook
from nimdesk.search.tree_types import VALUES
from nimdesk.search.types import MoveStats, Resistance, Snapshot, Step, StopReason


class DeepeningSearcher:
    """A search that always has a move ready, and ends when the position's value is proven.

    Each depth is a search like ``AlphaBetaSearcher``'s with the ordering ``neighbours``, but the best root move of the
    previous depth comes first, and root moves proven to lose are left out. A win is found at the first depth that shows
    it, so it is the quickest. In a lost position the move played is one that loses latest. Root moves with equally many
    occupied neighbours come in the order of preference among equals; the seed decides last.

    In snapshots ``tree_nodes`` are the nodes of all depths together, counting the root each time, and the ``visits`` of
    a move are the nodes searched below it. Line and ``proven`` come from the newest depth that reached the move, except
    that a proof stays. ``mean_value`` is None, ``iterations`` stay 0, and ``steps`` are the finished depths.
    """

    engine: type[DepthFirst | textbook.DepthFirst] = DepthFirst

    def __init__(self, options: DeepeningOptions | None = None) -> None:
        self.options = DeepeningOptions() if options is None else options

    @property
    def position(self) -> AnyPosition:
        """The position searched."""
        return self._position

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin a search of a position that is not over. Kernels are loaded here, outside the time counted."""
        self._position, self._seed = position, seed
        self._moves: tuple[Move, ...] = position.legal_moves
        self._stopped: StopReason | None = None
        self._steps: tuple[Step, ...] = ()
        self._before = {move: MoveStats(move, 0, None) for move in self._moves}
        self._nodes_before, self._time_before = 0, 0.0
        self._depth = 1
        self._search = self.engine(position, depth=1, ordered=True, prune=True)
        self._order = self._first_order()
        self._search.order_root(self._order)

    def _first_order(self) -> list[Move]:
        """The root moves with the most occupied neighbours first, and among these as the game and the seed prefer."""
        twin, (preferred,) = kit_of(self._position).twin, precedence(self._position, (self._seed,))

        def rank(column: int) -> tuple[int, int]:
            return twin.neighbours(self._position, self._moves[column]), int(preferred[column])

        return [self._moves[column] for column in sorted(range(len(self._moves)), key=rank, reverse=True)]

    @property
    def nodes(self) -> int:
        """Nodes searched so far, over all depths."""
        return self._nodes_before + self._search.nodes

    @property
    def elapsed_s(self) -> float:
        """Seconds of searching so far."""
        return self._time_before + self._search.elapsed_s

    @property
    def depth(self) -> int:
        """The depth of the newest search, finished or not."""
        return self._depth

    def advance(self, limit: Limit) -> StopReason | None:
        """Search until ``limit`` (counted from the start) or the search's own end; return the reason if it was its own.

        The reason is ``COMPLETE`` when the value is proven, ``DEPTH`` when the agent's depth is done without a proof.
        ``limit.nodes`` is met exactly, ``limit.time_s`` within a few milliseconds; ``limit.iterations`` is ignored.
        """
        own_nodes, own_time_s = self.options.nodes, self.options.time_s
        nodes, deadline = _least(limit.nodes, own_nodes), _least(limit.time_s, own_time_s)
        while self._stopped is None:
            if self._search.done and len(self._steps) < self._depth:
                self._finish_depth()
            elif own_nodes is not None and self.nodes >= own_nodes:
                self._stopped = StopReason.NODES
            elif own_time_s is not None and self.elapsed_s >= own_time_s:
                self._stopped = StopReason.TIME
            elif self.nodes >= nodes or self.elapsed_s >= deadline:
                return None
            elif self._search.done:
                self._deepen()
            else:
                left = None if math.isinf(nodes) else int(nodes) - self._nodes_before
                self._search.advance(left, deadline - self._time_before)
        return self._stopped

    def _finish_depth(self) -> None:
        search = self._search
        proven = search.value != 0 or not search.limited
        value = VALUES[1 + search.value] if proven else Value.UNKNOWN
        best = search.best_move
        if value is Value.LOSS and self._depth == 2:
            # The opponent wins with the next move: leave the fewest ways to do so.
            best = min(search.root_order, key=lambda move: len(self._position.play(move).winning_moves))
        self._steps += (Step(self._depth, self.nodes, self.elapsed_s, best, value),)
        if proven:
            self._stopped = StopReason.COMPLETE
        elif self._depth == self.options.depth:
            self._stopped = StopReason.DEPTH

    def _deepen(self) -> None:
        """Begin the next depth: the best move first, then the others in order, without those that lose."""
        begin = time.perf_counter()
        best, self._before = self._search.best_move, self._stats()
        self._nodes_before, spent_s = self.nodes, self.elapsed_s
        self._depth += 1
        self._search = self.engine(self._position, depth=self._depth, ordered=True, prune=True)
        order = [move for move in self._order if self._before[move].proven is not Value.LOSS]
        self._search.order_root([best, *(move for move in order if move != best)])
        self._time_before = spent_s + time.perf_counter() - begin

    def snapshot(self) -> Snapshot:
        """The current state."""
        stats, position = self._stats(), self._position
        best, value = self._best_move(stats), self._steps[-1].value if self._steps else Value.UNKNOWN
        decided = value in (Value.WIN, Value.LOSS)
        return Snapshot(
            position=position,
            agent="deepening",
            seed=self._seed,
            iterations=0,
            elapsed_s=self.elapsed_s,
            moves=tuple(stats.values()),
            best_move=best,
            tree_nodes=self.nodes,
            stopped=self._stopped,
            comment=self._comment(),
            listing=_listing(position, self._steps),
            steps=self._steps,
            proven=None if value is Value.UNKNOWN else value,
            distance=self._steps[-1].depth if decided else None,
            resistance=Resistance((best,), exact=True) if value is Value.LOSS and len(self._moves) > 1 else None,
        )

    def _stats(self) -> dict[Move, MoveStats]:
        """What the previous depths and the newest one know of each move."""
        known = {}
        for old, new in zip(self._before.values(), self._search.move_stats(distances=False), strict=True):
            line = new.principal_variation or old.principal_variation
            # No earlier depth has found a win, so the distance is exactly this depth.
            distance = self._depth if new.proven is Value.WIN else None
            known[new.move] = MoveStats(
                new.move, old.visits + new.visits, None, line, new.proven or old.proven, distance
            )
        if self._steps and self._steps[-1].value is Value.LOSS:
            last = self._steps[-1]
            known[last.best_move] = replace(known[last.best_move], distance=last.depth)
        return known

    def _best_move(self, stats: dict[Move, MoveStats]) -> Move:
        if len(self._steps) == self._depth:
            return self._steps[-1].best_move
        if not self._steps and self._search.value < -1:
            return self._order[0]
        # An unfinished depth begins with the best move of the previous one; only a better move replaces it.
        best = self._search.best_move if self._search.value >= -1 or not self._steps else self._steps[-1].best_move
        if stats[best].proven is Value.LOSS:
            order = self._search.root_order
            return next((move for move in order if stats[move].proven is not Value.LOSS), best)
        return best

    def _comment(self) -> str:
        nodes = f"{self.nodes:,} {'node' if self.nodes == 1 else 'nodes'}"
        if not self._steps:
            return told("first depth", nodes=nodes)
        step = self._steps[-1]
        under_way = "" if self._stopped or step.depth == self._depth else f", depth {self._depth} is under way"
        value = _value_words(self._position, step)
        return told("depth", depth=step.depth, next=under_way, move=step.best_move.text, found=value, nodes=nodes)


def _least(one: float | None, other: float | None) -> float:
    return min((limit for limit in (one, other) if limit is not None), default=math.inf)


def _value_words(position: AnyPosition, step: Step) -> str:
    if step.value is Value.UNKNOWN:
        return clause("undecided", ahead=f"{step.depth} {'move' if step.depth == 1 else 'moves'}")
    if step.value is Value.DRAW:
        return clause("proven draw")
    winner = position.turn if step.value is Value.WIN else position.turn.other
    return clause("proven win", side=position.game.side_name(winner), depth=step.depth)


def _listing(position: AnyPosition, steps: tuple[Step, ...]) -> tuple[str, ...]:
    """One line per depth."""
    if not steps:
        return ()
    width = max(len("best"), *(len(step.best_move.text) for step in steps))
    head = f"depth  {'best':<{width}}  {'nodes':>15}  {'seconds':>10}  value"
    lines = (
        f"{step.depth:>5}  {step.best_move.text:<{width}}  {step.nodes:>15,}  {step.elapsed_s:>10.4f}  "
        f"{_value_words(position, step)}"
        for step in steps
    )
    return (head, *lines)
