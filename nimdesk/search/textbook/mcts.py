"""Monte Carlo search on a graph of positions, with values proven by finished games, in Python.

It adds to UCT: equal positions share a node, so all lines to it share what is learned. A node's value is the mean of
its moves' values by visits, with its own first playout. Finished games, and what a game sees at once, are exact, and
bounds are backed up as in minimax (Cazenave and Saffidine, 2010): a move that cannot beat a certain one gets no more
visits. Moves come in the order of the game where it has one, and open as visits grow. What positions are the same, what
is seen at once, which moves come first, and what stands in for a playout is asked of ``games.twin``; with the same seed
it grows the graph of the kernel in ``nimdesk.kernels.mcts``, node by node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nimdesk.games import AnyPosition, Move, kit_of
from nimdesk.games.twin import BY_FOURS, LOSES, NOTHING, WINS
from nimdesk.search.options import CONFIRMED, MctsOptions
from nimdesk.search.proving import ProvingSearcher, rounded
from nimdesk.search.resistance import plies_left
from nimdesk.search.textbook.sampling import SplitMix64, TextbookSampler, single
from nimdesk.search.traces import Root
from nimdesk.search.tree_types import VALUES, Branch, Ending, Family, Line
from nimdesk.search.types import MoveStats, StopReason
from nimdesk.search.widening import opening

_FIRST_ROOM, _RANDOM_BITS, _LINE_LENGTH = 4, 24, 12
_STEP = 0x9E3779B97F4A7C15
LOSS, WIN = 0, 2
# What stands in for a playout is rounded to so many parts of a half point.
PARTS = 64


@dataclass(slots=True, eq=False)
class Edge:
    """A move of a node, by its code in the view of the node's key, and how often it was chosen there.

    ``child`` is None until it is tried; ``double`` says that an earlier edge leads to the same position, and counts.
    """

    code: Any
    child: Node | None = None
    visits: int = 0
    double: bool = False


@dataclass(slots=True, eq=False)
class Node:
    """A position: ``value`` in [0, 1] and ``low`` and ``high`` in half points, all of the side to move there.

    Of ``edges``, None until they are made, the first ``opened`` are tried; ``moves`` is how many there can be. Where
    threats win without a move tried, ``won_in`` says by which ply.
    """

    low: int = LOSS
    high: int = WIN
    value: float = 0.5
    ended: bool = False
    visits: int = 0
    playout_score: float = 0.0
    edges: list[Edge] | None = None
    opened: int = 0
    moves: int = 0
    won_in: int = 0

    @property
    def proven(self) -> bool:
        """Whether the exact value is known."""
        return self.low == self.high

    @property
    def tried(self) -> list[Edge]:
        """The edges that lead to a position of their own."""
        return [edge for edge in (self.edges or [])[: self.opened] if edge.child is not None]

    def settle(self, total: float) -> None:
        """Take the mean value, within the bounds."""
        value = total / self.visits if self.visits else self.value
        self.value = single(min(max(value, 0.5 * self.low), 0.5 * self.high))

    def refresh(self, prove: bool) -> None:
        """Work out bounds and value from the children."""
        low, best, total = self.low, LOSS, self.playout_score
        for edge in (self.edges or [])[: self.opened]:
            if edge.child is not None:
                low, best = max(low, WIN - edge.child.high), max(best, WIN - edge.child.low)
                total += edge.visits * (1.0 - edge.child.value)
            elif not edge.double:
                best = WIN
        if prove:
            if self.edges is not None and self.opened == self.moves and best < self.high:
                self.high = best
            self.low = low
        if self.proven:
            self.value = 0.5 * self.low
        else:
            self.settle(total)


@dataclass(slots=True, eq=False)
class _Path:
    """A simulation on its way: nodes, the edges taken, and of what a node's value is made but for that edge.

    That total is below 0 where it is to be worked out anew.
    """

    line: Line = ()
    steps: list[tuple[Node, Edge, float]] = field(default_factory=list)


class TextbookMcts(ProvingSearcher[Root], TextbookSampler):
    """The search on a graph."""

    def __init__(self, options: MctsOptions | None = None) -> None:
        self.options = MctsOptions() if options is None else options
        self.memory_mb = self.options.memory_mb
        super().__init__("mcts", self.options.iterations, self.options.time_s)

    def _plant(self) -> None:
        twin, game = kit_of(self._position).twin, self._position.game
        self.tree = Node()
        self._ended = tuple(Node(worth, worth, 0.5 * worth, ended=True) for worth in (LOSS, 1, WIN))
        self._identity = twin.identity(self._position)
        self._looks_ahead = twin.looks_ahead and self.options.merge and self.options.prove
        self._evaluates = self.options.evaluates(game)
        self._wide, self._widening = opening(game, ordered=self.options.order, evaluated=self._evaluates)
        self._bound = self.options.bound_in(game)
        self._proven_after = 0
        self._bounds_kept: list[NDArray[np.uint8]] = []
        wins = self._position.winning_moves if self.options.prove else ()
        self._first = max(wins, key=lambda move: self._precedence[self._moves.index(move)], default=None)
        self._known: dict[object, Node] = {}

    # A simulation

    def _simulate(self) -> None:
        if self.tree.proven:
            self._confirm()
            return
        path, node, position = _Path(), self.tree, self._position
        self._identity.begin()
        # Where a simulation ends without a playout, it has met or found a proven position.
        changed, played_out = True, False
        while not node.proven:
            edge, total = None, -1.0
            if node.edges is None and (node.visits or node is self.tree) and self._grows:
                self._random.skip()
                self._make_edges(node)
            if node.edges is not None:
                self._random.skip()
                edge, total = self._choose(node)
            if edge is None:
                if node.edges is not None:
                    node.refresh(self.options.prove)
                if not node.proven:
                    changed, played_out = self._play_out_at(node, path.line), True
                break
            move = self._move_of(node, edge)
            position = position.play(move)
            edge, child = self._follow(node, edge, move, position)
            path.steps.append((node, edge, total))
            path.line = (*path.line, move)
            node = child
        if not played_out:
            node.visits += not node.ended
            self._told = (path.line, *self._met(node, len(path.line)), ())
        self._back_up(path, changed)
        if self.tree.proven:
            self._proven_after = self._done + 1

    def _move_of(self, node: Node, edge: Edge) -> Move:
        """The move at the position that the identity follows; at the root, codes are the moves themselves."""
        move: Move = edge.code if node is self.tree else self._identity.to_move(edge.code)
        return move

    @staticmethod
    def _met(node: Node, depth: int) -> tuple[Ending, int]:
        """How a simulation ended at a proven node, and half points for the side to move at the root."""
        return Ending.GAME_OVER if node.ended else Ending.PROVEN, node.low if depth % 2 == 0 else WIN - node.low

    def _play_out_at(self, node: Node, line: Line) -> bool:
        """Play out from the node, which is visited so; whether its bounds may have changed."""
        ours = len(line) % 2 == 0
        if self._evaluates:
            score = int(2 * PARTS * self._identity.evaluate() + 0.5) / (2 * PARTS)
            self._told = (line, Ending.ESTIMATE, 2 * (score if ours else 1 - score), ())
        else:
            points = self._play_out(line)
            score = (points if ours else WIN - points) / 2
        node.visits += 1
        node.playout_score += score
        if node.edges is None:
            node.settle(node.playout_score)
            return False
        node.refresh(self.options.prove)
        return True

    def _back_up(self, path: _Path, changed: bool) -> None:
        """Count the visit along the path; ``changed`` says that the last position's bounds are not what they were."""
        for node, edge, total in reversed(path.steps):
            edge.visits += 1
            node.visits += 1
            before = node.low, node.high
            if node.proven:
                changed = False
            elif changed or total < 0.0:
                node.refresh(self.options.prove)
                changed = (node.low, node.high) != before
            else:
                assert edge.child is not None
                node.settle(total + edge.visits * (1.0 - edge.child.value))

    # Which edge to follow

    def _choose(self, node: Node) -> tuple[Edge | None, float]:
        """A new edge while there should be more, otherwise by the bound; None where nothing can matter."""
        wanted = self._wanted(node) if self._grows else 0
        while True:
            edge, total = self._open(node, wanted), -1.0
            if edge is None and not node.proven:
                edge, total = self._select(node)
                if edge is None and self._grows and node.opened < node.moves:
                    wanted = node.moves  # all that are open are settled
                    continue
            return edge, total

    def _wanted(self, node: Node) -> int:
        """How many edges should be open by now."""
        if node.moves <= self._wide:
            return node.moves
        beyond = float(node.opened - self._wide + 1)
        if beyond > 0.0 and self._widening * self._widening * node.visits < beyond * beyond:
            return 0
        return min(node.moves, self._wide + int(self._widening * sqrt(node.visits)))

    def _open(self, node: Node, wanted: int) -> Edge | None:
        """Open edges: those to positions that are proven already without a visit; the first other one is returned."""
        edge, linked = None, False
        while edge is None and node.opened < wanted:
            assert node.edges is not None
            if node.opened == len(node.edges):
                self._make_edges(node)
            edge = node.edges[node.opened]
            node.opened += 1
            if node is not self.tree and self.options.merge and self.options.prove:
                child = self._known.get(self._identity.key_after(edge.code))
                if child is not None and child.proven:
                    edge.child, edge, linked = child, None, True
        if linked:
            node.refresh(self.options.prove)
        return None if linked and node.proven else edge

    def _select(self, node: Node) -> tuple[Edge | None, float]:
        """The open edge with the largest bound, among those that can beat what is certain."""
        factor = self._bound.exploration * single(sqrt(log(node.visits))) if node.visits else 0.0
        certain, prove = WIN - node.low, self.options.prove
        total, most, least = node.playout_score, WIN, WIN
        best, best_bound, best_part = None, -1.0, 0.0
        for edge in node.tried:
            child = edge.child
            assert child is not None
            mean = 1.0 - child.value
            total += edge.visits * mean
            least, most = min(least, child.high), min(most, child.low)
            bound = mean + factor * (single(1.0 / sqrt(edge.visits)) if edge.visits else 0.0)
            if (child.low < certain or not prove) and bound > best_bound:
                best, best_bound, best_part = edge, bound, edge.visits * mean
        # Where the bounds of a child have changed meanwhile, all is to be worked out anew.
        changed = prove and (least < certain or (node.opened == node.moves and WIN - most < node.high))
        return best, -1.0 if changed else total - best_part

    # How the graph grows

    def _make_edges(self, node: Node) -> None:
        """Make the first edges, or twice as many, by the game's order and the node's own random numbers."""
        own = SplitMix64(SplitMix64(self._random.state - _STEP).number())
        at_root = node is self.tree
        known = (node.edges or [])[: node.opened]
        listed = {edge.code for edge in known}
        scores: list[tuple[int, Any]] = []
        node.moves = 0
        for code, worth in self._identity.candidates(at_root, self.options.order):
            node.moves += 1
            score = (worth << _RANDOM_BITS) | own.below(1 << _RANDOM_BITS)
            if code not in listed:
                scores.append((1 << 62 if at_root and code == self._first else score, code))
        scores.sort(key=lambda each: -each[0])
        room = min(2 * node.opened or _FIRST_ROOM, node.moves)
        node.edges = known + [Edge(code) for _, code in scores[: room - node.opened]]

    def _follow(self, node: Node, edge: Edge, move: Move, position: AnyPosition) -> tuple[Edge, Node]:
        """Play the move, which leads to ``position``; the edge that counts, and the node behind it, new or known."""
        self._identity.moved(move)
        if position.outcome is not None:
            edge.child = self._ended[round(2 * position.outcome.score(position.turn))]
            return edge, edge.child
        key = self._identity.key()
        if edge.child is not None:
            return edge, edge.child
        child = self._known.get(key) if self.options.merge else None
        if child is None:
            child = self._new_node()
            if self.options.merge:
                self._known[key] = child
        elif node is not self.tree:
            for earlier in node.tried:
                if earlier.child is child:
                    edge.double = True
                    return earlier, child
        edge.child = child
        return edge, child

    def _new_node(self) -> Node:
        """A node for the position that the identity has come to, with what is seen at once."""
        self._nodes += 1
        seen, code, child, low, high = NOTHING, None, None, LOSS, WIN
        if self.options.prove:
            seen, code = self._identity.assess()
            low, high = self._identity.outlook()
        if seen == NOTHING and self._looks_ahead:
            code, child = self._known_win()
        if seen == WINS:
            child = self._ended[LOSS]
        if seen == WINS or seen > BY_FOURS or child is not None:
            low = high = WIN
        if seen == LOSES:
            low = high = LOSS
        node = Node(low, high, 0.25 * (low + high))
        node.won_in = max(seen - BY_FOURS, 0)
        if code is not None:
            node.edges, node.moves, node.opened = [Edge(code, child)], 1, int(child is not None)
        return node

    def _known_win(self) -> tuple[Any, Node | None]:
        """A move to a position that is known to be lost for the opponent, and that node."""
        for code, _ in self._identity.candidates(False, False):
            child = self._known.get(self._identity.key_after(code))
            if child is not None and child.high == LOSS:
                return code, child
        return None, None

    # From the proof on

    def _is_over(self) -> bool:
        """Whether the root is proven and its best move has more visits than any worse one, or as many as is wanted."""
        if not self.tree.proven:
            return False
        best, others = self._best_and_others()
        if best.visits <= max((edge.visits for edge in others), default=-1):
            return False
        enough = best.visits >= CONFIRMED * (sum(edge.visits for edge in self.tree.tried) - best.visits)
        return self.options.stop_at_proof or enough

    def _best_and_others(self) -> tuple[Edge, list[Edge]]:
        keeping = _keeping(self.tree)
        best = max(keeping, key=lambda edge: edge.visits)
        others = [edge for edge in self.tree.tried if edge not in keeping]
        if best.visits > max((edge.visits for edge in others), default=-1):
            # It is confirmed by now; further visits go to the move that will be played.
            column = self._choice(self._root())
            best = next(edge for edge in keeping if column is not None and edge.code == self._moves[column])
        return best, others

    def _confirm(self) -> None:
        """Visit the best move of a proven root once more."""
        best, _ = self._best_and_others()
        assert best.child is not None
        best.visits += 1
        best.child.visits += not best.child.ended
        self.tree.visits += 1
        self._told = ((best.code,), *self._met(best.child, 1), ())

    @property
    def proven_after(self) -> int | None:
        """The simulation that proved the position, or None while it is open. Later ones confirm the move."""
        return self._proven_after if self.tree.proven else None

    def _worth(self) -> int:
        return self.tree.low

    # What is told of it

    def _statistics(self) -> dict[Move, tuple[int, float]]:
        edges = [(edge, edge.child) for edge in self.tree.tried if edge.child is not None]
        scores = rounded(np.array([2.0 * edge.visits * (1.0 - child.value) for edge, child in edges], np.float64))
        return {edge.code: (edge.visits, score) for (edge, _), score in zip(edges, scores.tolist(), strict=True)}

    def _at_checkpoint(self, root: Root) -> None:
        super()._at_checkpoint(root)
        self._bounds_kept.append(self._bounds(root))

    def _bounds(self, root: Root) -> NDArray[np.uint8]:
        bounds = np.zeros(len(self._moves), np.uint8)
        for edge in self.tree.tried:
            if edge.child is not None:
                bounds[self._moves.index(edge.code)] = 1 + 3 * (WIN - edge.child.high) + WIN - edge.child.low
        return bounds

    def _row_bounds(self, rows: slice) -> NDArray[np.uint8]:
        kept = self._bounds_kept[rows]
        return np.array(kept, np.uint8).reshape(len(kept), len(self._moves))

    def _plies_to_end(self, root: Root, columns: Sequence[int]) -> list[int] | None:
        def look(node: Node) -> tuple[bool, list[Node]] | int:
            if node.ended:
                return 0
            wins = node.low == WIN
            below = [edge.child for edge in node.tried if edge.child is not None and (not wins or not edge.child.high)]
            # Only one of two threats can be met; that is seen without trying a move.
            return (wins, below) if below else node.won_in or 2

        behind = {edge.code: edge.child for edge in self.tree.tried if edge.child is not None}
        return plies_left([behind[self._moves[column]] for column in columns], look)

    def _move_stats(self, root: Root) -> tuple[MoveStats, ...]:
        stats = {move: MoveStats(move, 0, None) for move in self._moves}
        for edge in self.tree.tried:
            child = edge.child
            assert child is not None
            mean, plies = 1.0 - child.value if edge.visits else None, 1 if child.ended else None
            proven = VALUES[WIN - child.low] if child.proven else None
            stats[edge.code] = MoveStats(edge.code, edge.visits, mean, self._line(edge.code), proven, plies)
        return tuple(stats.values())

    def _line(self, move: Move) -> Line:
        """The move, then the most visits among what keeps the proven value."""
        self._identity.begin()
        edge: Edge | None = next(edge for edge in self.tree.tried if edge.code == move)
        node, line = self.tree, Line()
        while edge is not None and edge.child is not None and len(line) < _LINE_LENGTH:
            line = (*line, self._move_of(node, edge))
            node = edge.child
            if node.ended:
                break
            self._identity.moved(line[-1])
            self._identity.key()
            edge = max(_keeping(node), key=lambda edge: edge.visits, default=None)
        return line

    def _more(self, root: Root, choice: int | None) -> dict[str, Any]:
        return {"tree_bytes": self.tree_bytes, "tree_full": not self._grows, **self._proof(root, choice)}

    def _reason(self, reason: StopReason) -> StopReason:
        return StopReason.PROVEN if self.tree.proven else reason

    def family(self, line: Line) -> Family | None:
        """The node behind this line, or None if not reached."""
        node, rule = self.tree, self._bound
        self._identity.begin()
        for move in line:
            found = next((edge for edge in node.tried if self._move_of(node, edge) == move), None)
            if found is None or found.child is None or found.child.ended:
                return None
            node = found.child
            self._identity.moved(move)
            self._identity.key()
        branches = []
        for edge in node.tried:
            child = edge.child
            assert child is not None
            mean = 1.0 - child.value if edge.visits else None
            bound = None if mean is None else mean + rule.bonus(node.visits, edge.visits, len(node.tried))
            proven = VALUES[WIN - child.low] if child.proven else None
            branches.append(Branch(self._move_of(node, edge), edge.visits, mean, bound, proven, child.opened))
        return Family(line, node.visits, tuple(branches), rule)


def _keeping(node: Node) -> list[Edge]:
    """The edges that keep the node's value, as far as it is known."""
    return [
        edge
        for edge in node.tried
        if edge.child is not None
        and WIN - edge.child.low >= node.low
        and (not node.proven or WIN - edge.child.high == node.low)
    ]
