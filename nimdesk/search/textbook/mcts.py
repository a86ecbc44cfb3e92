"""Monte Carlo search on a graph of positions, with values proven by finished games, for any game.

It adds to UCT: equal positions share a node, so all lines to it share what is learned. A node's value is the mean of
its moves' values by visits, with its own first playout. Finished games are exact, and bounds are backed up as in
minimax (Cazenave and Saffidine, 2010): a move that cannot beat a certain one gets no more visits, and the search ends
when the position is proven. Without merging and proofs it grows the same tree as the kernel in
``nimdesk.kernels.mcts``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nimdesk.games import AnyPosition, Move
from nimdesk.search.options import CONFIRMED, MctsOptions
from nimdesk.search.proving import ProvingSearcher
from nimdesk.search.resistance import plies_left
from nimdesk.search.textbook.sampling import SplitMix64, TextbookSampler, single
from nimdesk.search.traces import Root
from nimdesk.search.tree_types import VALUES, Branch, Ending, Family, Line
from nimdesk.search.types import MoveStats, StopReason

_FIRST_ROOM = 4
_STEP = 0x9E3779B97F4A7C15


@dataclass(slots=True, eq=False)
class Edge:
    """A move of a node, and how often it was chosen there."""

    move: Move
    child: Node
    visits: int = 0


@dataclass(slots=True, eq=False)
class Node:
    """A position; ``value`` and the bounds ``low`` and ``high`` are scores in [0, 1] for the side to move there.

    ``ranked`` are the moves to be tried, in random order, as far as drawn.
    """

    position: AnyPosition
    value: float = 0.5
    low: float = 0.0
    high: float = 1.0
    visits: int = 0
    playouts: int = 0
    playout_score: float = 0.0
    edges: list[Edge] = field(default_factory=list)
    ranked: list[Move] = field(default_factory=list)

    @property
    def proven(self) -> bool:
        """Whether the exact value is known."""
        return self.low == self.high

    def refresh(self, moves: int, prove: bool) -> None:
        """Recompute value and bounds; the position has ``moves`` legal moves."""
        total, weight = self.playout_score, float(self.playouts)
        for edge in self.edges:
            total += edge.visits * (1.0 - edge.child.value)
            weight += edge.visits
        if prove:
            self.low = max((1.0 - edge.child.high for edge in self.edges), default=0.0)
            if moves and len(self.edges) == moves:
                self.high = max(1.0 - edge.child.low for edge in self.edges)
        if weight:
            self.value = single(min(max(total / weight, self.low), self.high))


class TextbookMcts(ProvingSearcher[Root], TextbookSampler):
    """The search on a graph; ``order`` has no effect, because rules alone do not rank moves."""

    def __init__(self, options: MctsOptions | None = None) -> None:
        self.options = MctsOptions() if options is None else options
        self.memory_mb = self.options.memory_mb
        super().__init__("mcts", self.options.iterations, self.options.time_s)

    def _plant(self) -> None:
        self.tree = Node(self._position)
        self._proven_after = 0
        self._bounds_kept: list[NDArray[np.uint8]] = []
        wins = self._position.winning_moves if self.options.prove else ()
        self._first = max(wins, key=lambda move: self._precedence[self._moves.index(move)], default=None)
        self._known: dict[AnyPosition, Node] = {self._position: self.tree}

    def moves_of(self, node: Node) -> tuple[Move, ...]:
        """The distinct moves of a node, in the order in which they get their random numbers."""
        return node.position.legal_moves

    def _simulate(self) -> None:
        if self.tree.proven:
            self._confirm()
            return
        node, path = self.tree, list[tuple[Node, Edge]]()
        line: Line = ()
        while not node.proven:
            if not node.ranked and (node.visits or node is self.tree) and self._grows:
                self._random.skip()
                self._rank(node)
            edge = self._choose(node) if node.ranked else None
            if edge is None:
                self._refresh(node)
                if node.proven:
                    continue
                score = self._play_out(line) / 2
                node.playouts += 1
                node.playout_score += score if len(line) % 2 == 0 else 1.0 - score
                self._refresh(node)
                break
            path.append((node, edge))
            line = (*line, edge.move)
            node = edge.child
        else:
            ending = Ending.PROVEN if node.position.outcome is None else Ending.GAME_OVER
            worth = node.low if len(line) % 2 == 0 else 1.0 - node.low
            self._told = (line, ending, round(2 * worth), ())
        node.visits += node.position.outcome is None
        for above, edge in reversed(path):
            edge.visits += 1
            above.visits += 1
            self._refresh(above)
        if self.tree.proven:
            self._proven_after = self._done + 1
            self._stopped = StopReason.PROVEN if self.options.stop_at_proof else None

    def _confirm(self) -> None:
        """Visit the best move of a proven root once more."""
        best = max((edge for edge in self.tree.edges if 1.0 - edge.child.high == self.tree.low), key=lambda e: e.visits)
        best.visits += 1
        best.child.visits += best.child.position.outcome is None
        self.tree.visits += 1
        self._told = ((best.move,), Ending.PROVEN, round(2 * self.tree.low), ())
        if best.visits >= CONFIRMED * (sum(edge.visits for edge in self.tree.edges) - best.visits):
            self._stopped = StopReason.PROVEN

    def _refresh(self, node: Node) -> None:
        node.refresh(len(self.moves_of(node)), self.options.prove)

    def _rank(self, node: Node) -> None:
        """Draw the order of the untried moves from the node's own random numbers, for as many as there is room."""
        own = SplitMix64(SplitMix64(self._random.state - _STEP).number())
        scores = {move: own.below(1 << 24) for move in self.moves_of(node)}
        room = min(len(scores), 2 * len(node.ranked) or _FIRST_ROOM)
        tried = [edge.move for edge in node.edges]
        if node is self.tree and self._first is not None:
            scores[self._first] = 1 << 24  # more than any that is drawn
        left = sorted((move for move in scores if move not in tried), key=lambda move: -scores[move])
        node.ranked = (tried + left)[:room]

    def _choose(self, node: Node) -> Edge | None:
        """An untried move, otherwise one with the largest bound; None if the tree is full or no move can matter."""
        self._random.skip()
        if len(node.edges) < len(self.moves_of(node)):
            if not self._grows:
                return None
            if len(node.edges) == len(node.ranked):
                self._rank(node)
            move = node.ranked[len(node.edges)]
            node.edges.append(Edge(move, self._node_behind(node.position.play(move))))
            return node.edges[-1]
        factor = self.options.bound.exploration * single(sqrt(log(node.visits)))

        def bound(edge: Edge) -> float:
            return 1.0 - edge.child.value + factor * single(1.0 / sqrt(edge.visits or 1))

        # A move that cannot beat a certain one gets no more visits.
        open_edges = [edge for edge in node.edges if 1.0 - edge.child.low > node.low or not self.options.prove]
        return max(open_edges, key=bound, default=None)

    def _node_behind(self, position: AnyPosition) -> Node:
        known = self._known.get(position) if self.options.merge else None
        if known is not None:
            return known
        node = Node(position)
        if position.outcome is not None:
            node.value = node.low = node.high = position.outcome.score(position.turn)
        else:
            self._nodes += 1
        self._known[position] = node
        return node

    def _statistics(self) -> dict[Move, tuple[int, float]]:
        return {edge.move: (edge.visits, 2.0 * edge.visits * (1.0 - edge.child.value)) for edge in self.tree.edges}

    def _at_checkpoint(self, root: Root) -> None:
        super()._at_checkpoint(root)
        self._bounds_kept.append(self._bounds(root))

    @property
    def proven_after(self) -> int | None:
        """The simulation that proved the position, or None while it is open. Later ones confirm the move."""
        return self._proven_after if self.tree.proven else None

    def _worth(self) -> int:
        return round(2 * self.tree.low)

    def _bounds(self, root: Root) -> NDArray[np.uint8]:
        bounds = np.zeros(len(self._moves), np.uint8)
        for edge in self.tree.edges:
            low, high = round(2 * (1.0 - edge.child.high)), round(2 * (1.0 - edge.child.low))
            bounds[self._moves.index(edge.move)] = 1 + 3 * low + high
        return bounds

    def _row_bounds(self, rows: slice) -> NDArray[np.uint8]:
        kept = self._bounds_kept[rows]
        return np.array(kept, np.uint8).reshape(len(kept), len(self._moves))

    def _plies_to_end(self, root: Root, columns: Sequence[int]) -> list[int] | None:
        def look(node: Node) -> tuple[bool, list[Node]] | int:
            wins = node.low == 1.0
            below = [edge.child for edge in node.edges if not wins or edge.child.high == 0.0]
            return (wins, below) if below else 0

        behind = {edge.move: edge.child for edge in self.tree.edges}
        return plies_left([behind[self._moves[column]] for column in columns], look)

    def _move_stats(self, root: Root) -> tuple[MoveStats, ...]:
        proven = {edge.move: edge.child for edge in self.tree.edges if edge.child.proven}
        return tuple(
            MoveStats(
                move=each.move,
                visits=each.visits,
                mean_value=each.mean_value,
                principal_variation=each.principal_variation,
                proven=VALUES[round(2 - 2 * child.low)],
                distance=None if child.position.outcome is None else 1,
            )
            if (child := proven.get(each.move)) is not None
            else each
            for each in super()._move_stats(root)
        )

    def _line(self, move: Move) -> Line:
        """The move, then the most visits among what keeps the proven value."""
        line: Line = (move,)
        node = next(edge for edge in self.tree.edges if edge.move == move).child
        while True:
            kept = [
                edge
                for edge in node.edges
                if 1.0 - edge.child.low >= node.low and (not node.proven or 1.0 - edge.child.high == node.low)
            ]
            if not kept:
                return line
            edge = max(kept, key=lambda edge: edge.visits)
            line, node = (*line, edge.move), edge.child

    def _more(self, root: Root, choice: int | None) -> dict[str, Any]:
        return {"tree_bytes": self.tree_bytes, "tree_full": not self._grows, **self._proof(root, choice)}

    def family(self, line: Line) -> Family | None:
        """The node behind this line, or None if not reached."""
        node, rule = self.tree, self.options.bound
        for move in line:
            found = next((edge for edge in node.edges if edge.move == move), None)
            if found is None or found.child.position.outcome is not None:
                return None
            node = found.child
        branches = []
        for edge in node.edges:
            mean = 1.0 - edge.child.value if edge.visits else None
            bound = None if mean is None else mean + rule.bonus(node.visits, edge.visits, len(node.edges))
            proven = VALUES[round(2 - 2 * edge.child.low)] if edge.child.proven else None
            branches.append(Branch(edge.move, edge.visits, mean, bound, proven, len(edge.child.edges)))
        return Family(line, node.visits, tuple(branches), rule)
