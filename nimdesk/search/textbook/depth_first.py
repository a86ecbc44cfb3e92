"""Minimax and alpha-beta on positions, node by node in search order.

The side to move at the root maximises, its opponent minimises. With pruning a node is left as soon as its value is at
least beta (for the maximiser) or at most alpha (for the minimiser); the window is full at the root. A stack replaces
recursion, so that a search can stop between any two nodes and go on.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from nimdesk.games import AnyPosition, Move, kit_of
from nimdesk.search.tree_types import VALUES
from nimdesk.search.types import MoveStats

NODE_LIMIT = 100_000
"""How many nodes are kept to be looked at; the search itself may go on."""
_LINE_LENGTH = 12


class End(Enum):
    """How the search of a node ended."""

    OPEN = "still being searched"
    GAME_OVER = "the game is over"
    DEPTH = "depth limit"
    ALL = "all moves searched"
    CUT = "cut off"


@dataclass(slots=True, eq=False)
class Node:
    """One node: its search window, and its result.

    Values are for the side to move at the root: 1, 0 or -1. ``alpha`` and ``beta`` are as the node was reached,
    infinite at first. ``value`` is the best so far, None before the first; ``best`` is the first child that has it.
    ``distance`` counts plies to the end, only without pruning. ``cut_short`` says that the depth limit ended a line
    below it. ``nodes`` counts its subtree, itself included; ``skipped`` are the moves that a cut-off saved.
    """

    move: Move | None
    number: int
    maximises: bool
    alpha: float = -math.inf
    beta: float = math.inf
    value: int | None = None
    best: Node | None = None
    end: End = End.OPEN
    distance: int = 0
    cut_short: bool = False
    nodes: int = 1
    skipped: tuple[Move, ...] = ()
    children: list[Node] = field(default_factory=list)

    @property
    def line(self) -> tuple[Move, ...]:
        """This move and the best ones below it."""
        node: Node | None = self
        moves: list[Move] = []
        while node is not None and len(moves) < _LINE_LENGTH:
            moves += [] if node.move is None else [node.move]
            node = node.best
        return tuple(moves)


@dataclass(slots=True)
class _Frame:
    """An open node: its position, the moves still to be searched in reverse, and its current window."""

    node: Node
    position: AnyPosition
    moves: list[Move]
    alpha: float
    beta: float


class DepthFirst:
    """The search of one position, in slices; it keeps the first ``NODE_LIMIT`` nodes."""

    def __init__(self, position: AnyPosition, *, depth: int | None, ordered: bool, prune: bool, log: int = 0) -> None:
        """``depth`` in moves, None to the end; ``ordered`` by occupied neighbours; ``prune`` by alpha-beta.

        ``log`` only concerns the compiled search: here all kept nodes can be listed.
        """
        if position.outcome is not None:
            raise ValueError(f"the game is over in {position.text}: there is nothing to search")
        self.position, self.ordered, self.prune = position, ordered, prune
        self._depth = math.inf if depth is None else depth
        self._log = log
        self.elapsed_s = 0.0
        self.nodes = 1
        """Nodes searched so far, including the root and the leaves."""
        self.levels = [1]
        """Nodes searched so far at each ply."""
        self.root = Node(None, 0, True)
        self.tried: list[Node] = []
        """The finished root moves, in search order."""
        self._stack = [self._frame(self.root, position)]

    def order_root(self, moves: Sequence[Move]) -> None:
        """Search only these root moves, in this order. Call it before the first slice."""
        self._stack[0].moves = list(moves)[::-1]

    @property
    def root_order(self) -> tuple[Move, ...]:
        """The root moves in search order."""
        left = self._stack[0].moves[::-1] if self._stack else []
        return (*(node.move for node in self.root.children if node.move is not None), *left)

    @property
    def done(self) -> bool:
        """Whether the root's value is known."""
        return not self._stack

    @property
    def full(self) -> bool:
        """Whether the search has more nodes than are kept."""
        return self.nodes > NODE_LIMIT or (not self.done and self.nodes == NODE_LIMIT)

    @property
    def value(self) -> int:
        """The root's best value so far for the side to move: 1, 0 or -1; less than -1 before the first root move is
        done.
        """
        return -2 if self.root.value is None else self.root.value

    @property
    def limited(self) -> bool:
        """Whether the depth limit has cut some line."""
        return self.root.cut_short or any(frame.node.cut_short for frame in self._stack)

    @property
    def best_move(self) -> Move:
        """The first best root move so far, in search order; the first legal move before any is done."""
        best = None if self.root.best is None else self.root.best.move
        return self.position.legal_moves[0] if best is None else best

    def advance(self, nodes: int | None, deadline_s: float) -> None:
        """Search until ``nodes`` since the start are searched, the deadline has passed, or the search is done."""
        begin, spent = time.perf_counter(), self.elapsed_s
        while self._stack and self.elapsed_s < deadline_s and (nodes is None or self.nodes < nodes):
            self._visit_next()
            if not self.nodes & 15:
                self.elapsed_s = spent + time.perf_counter() - begin
        self.elapsed_s = spent + time.perf_counter() - begin

    def count(self, node: Node) -> int:
        """Nodes searched so far below this node, itself included."""
        return self.nodes - node.number if node.end is End.OPEN else node.nodes

    def _frame(self, node: Node, position: AnyPosition) -> _Frame:
        twin = kit_of(position).twin
        moves = sorted(position.legal_moves, key=lambda move: twin.encode_move(position.game, move))
        if self.ordered:
            moves.sort(key=lambda move: -twin.neighbours(position, move))
        return _Frame(node, position, moves[::-1], node.alpha, node.beta)

    def _visit_next(self) -> None:
        """Search the next node, and close all nodes that it completes."""
        frame = self._stack[-1]
        move = frame.moves.pop()
        node = Node(move, self.nodes, not frame.node.maximises, frame.alpha, frame.beta)
        if len(self._stack) == 1 or self.nodes < NODE_LIMIT:
            frame.node.children.append(node)
        if len(self._stack) == len(self.levels):
            self.levels.append(0)
        self.levels[len(self._stack)] += 1
        self.nodes += 1
        position = frame.position.play(move)
        if position.outcome is not None:
            node.value, node.end = round(2 * position.outcome.score(self.position.turn)) - 1, End.GAME_OVER
        elif len(self._stack) >= self._depth:
            node.value, node.end, node.cut_short = 0, End.DEPTH, True
        else:
            self._stack.append(self._frame(node, position))
            return
        self._close(node)

    def _close(self, node: Node) -> None:
        """Pass a finished node's value to its parent, which may then be finished too, and so on up."""
        while self._stack:
            parent = self._stack[-1]
            if len(self._stack) == 1:
                self.tried.append(node)
            cut = self._fold(parent, node)
            if not cut and parent.moves:
                return
            node = parent.node
            node.end = End.CUT if cut and parent.moves else End.ALL
            node.skipped = tuple(parent.moves[::-1])
            node.nodes = self.nodes - node.number
            self._stack.pop()

    def _fold(self, parent: _Frame, child: Node) -> bool:
        """Take in the child's value; return whether nothing that follows in this node can matter."""
        node, value, far = parent.node, child.value, child.distance + 1
        assert value is not None
        node.cut_short |= child.cut_short
        if node.value is None or (value > node.value if node.maximises else value < node.value):
            node.value, node.best, node.distance = value, child, far
        elif value == node.value:
            # The winning side hurries; one that loses, or can only draw, holds out.
            hurries = value > 0 if node.maximises else value < 0
            node.distance = min(node.distance, far) if hurries else max(node.distance, far)
        if not self.prune:
            return False
        if node.maximises:
            parent.alpha = max(parent.alpha, node.value)
            return node.value >= parent.beta
        parent.beta = min(parent.beta, node.value)
        return node.value <= parent.alpha

    # The results.

    def move_stats(self, *, distances: bool) -> tuple[MoveStats, ...]:
        """What is known of each root move so far; ``visits`` are the nodes searched below it."""
        stats = {node.move: MoveStats(node.move, self.count(node), None) for node in self.root.children if node.move}
        for node in self.tried:
            assert node.move is not None
            assert node.value is not None
            # A value above alpha is exact; any other is an upper bound, and a loss is exact even so. No proof of a win
            # or a loss contains a draw, so these hold whatever the depth limit cut.
            exact = not self.prune or node.value > node.alpha or node.value < 0
            proven = VALUES[1 + node.value] if exact and (node.value or not node.cut_short) else None
            distance = node.distance + 1 if distances and proven is not None else None
            stats[node.move] = MoveStats(node.move, node.nodes, None, node.line, proven, distance)
        return tuple(stats.get(move) or MoveStats(move, 0, None) for move in self.position.legal_moves)

    def root_values(self) -> dict[Move, int]:
        """The value of each finished root move."""
        return {node.move: node.value for node in self.tried if node.move is not None and node.value is not None}

    def first_nodes(self) -> Iterator[tuple[int, Move | None, Move | None, int]]:
        """Ply, move, best move and value of the kept nodes, in search order."""
        waiting = [(0, self.root)]
        for _ in range(min(self._log, self.nodes)):
            ply, node = waiting.pop()
            yield ply, node.move, None if node.best is None else node.best.move, node.value or 0
            waiting += [(ply + 1, child) for child in node.children[::-1]]
