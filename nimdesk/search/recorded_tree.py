"""Minimax and alpha-beta written out in Python, keeping every node: what the compiled search does, to be looked at.

The kernel (``nimdesk.kernels.alphabeta``) keeps no tree. This is the same search, node for node, in the same order;
slow, and therefore only of the first so many nodes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from nimdesk.games import AnyPosition, Move, kernel_of

NODE_LIMIT = 100_000


class End(Enum):
    """How the search of a node ended."""

    OPEN = "still being searched"
    GAME_OVER = "the game is over"
    DEPTH = "depth limit"
    ALL = "all moves searched"
    CUT = "cut off"


@dataclass(slots=True, eq=False)
class RecordedNode:
    """One node: the window it was searched with, and what came of it.

    Values are those of the side to move at the root, 1, 0 or -1; ``alpha`` and ``beta`` are as the node was reached
    (infinite at first). ``value`` is the best so far, None before the first. ``nodes`` counts its subtree, itself
    included; ``skipped`` its moves that a cut-off saved.
    """

    move: Move | None
    number: int
    maximises: bool
    alpha: float = -math.inf
    beta: float = math.inf
    value: int | None = None
    best: Move | None = None
    end: End = End.OPEN
    nodes: int = 1
    skipped: int = 0
    children: list[RecordedNode] = field(default_factory=list)


@dataclass(slots=True)
class _Frame:
    """A node that is open: its position, the moves still to be searched, and the window as it is by now."""

    node: RecordedNode
    position: AnyPosition
    moves: list[Move]
    alpha: float
    beta: float


class RecordedTree:
    """The tree of the first ``limit`` nodes; ``advance`` makes it grow."""

    def __init__(
        self,
        position: AnyPosition,
        *,
        depth: int | None,
        ordered: bool,
        prune: bool,
        limit: int = NODE_LIMIT,
        root_moves: Sequence[Move] = (),
    ) -> None:
        """Options as of the kernel: ``depth`` in moves, ``ordered`` by occupied neighbours, ``prune`` by alpha-beta.

        ``root_moves``, if any, are searched alone, in this order.
        """
        self.position, self.limit = position, limit
        self.ordered, self.prune = ordered, prune
        self._depth = kernel_of(position).longest_game(position) if depth is None else depth
        self.nodes = 1
        """Nodes searched so far, the root and the leaves counted."""
        self.root = RecordedNode(None, 0, True)
        self._stack = [self._frame(self.root, position)]
        if root_moves:
            self._stack[0].moves = list(root_moves)[::-1]

    @property
    def done(self) -> bool:
        """Whether the root's value is there."""
        return not self._stack

    @property
    def full(self) -> bool:
        """Whether the search was longer than what is kept of it."""
        return not self.done and self.nodes >= self.limit

    def advance(self, nodes: int, deadline_s: float = math.inf) -> bool:
        """Search on until there are so many nodes; False if ``time.perf_counter`` came to the deadline before."""
        last = min(nodes, self.limit)
        while self._stack and self.nodes < last:
            if not self.nodes & 31 and time.perf_counter() >= deadline_s:
                return False
            self._visit_next()
        return True

    def count(self, node: RecordedNode) -> int:
        """Nodes searched so far from this node on, itself included."""
        return self.nodes - node.number if node.end is End.OPEN else node.nodes

    def _frame(self, node: RecordedNode, position: AnyPosition) -> _Frame:
        moves = _in_order(position) if self.ordered else _by_code(position)
        # Taken from the end.
        return _Frame(node, position, moves[::-1], node.alpha, node.beta)

    def _visit_next(self) -> None:
        """Search the next node, and close all that are complete with it."""
        frame = self._stack[-1]
        move = frame.moves.pop()
        node = RecordedNode(move, self.nodes, not frame.node.maximises, frame.alpha, frame.beta)
        frame.node.children.append(node)
        self.nodes += 1
        position = frame.position.play(move)
        if position.outcome is not None:
            score = position.outcome.score(self.position.turn)
            node.value, node.end = round(2 * score) - 1, End.GAME_OVER
        elif len(self._stack) >= self._depth:
            node.value, node.end = 0, End.DEPTH
        else:
            self._stack.append(self._frame(node, position))
            return
        self._close(node)

    def _close(self, node: RecordedNode) -> None:
        """Bring the value of a node that is done into its parent, which may then be done itself, and so on up."""
        while self._stack:
            parent = self._stack[-1]
            cut = self._fold(parent, node)
            if not cut and parent.moves:
                return
            node = parent.node
            node.end = End.CUT if cut and parent.moves else End.ALL
            node.skipped = len(parent.moves)
            node.nodes = self.nodes - node.number
            self._stack.pop()

    def _fold(self, parent: _Frame, child: RecordedNode) -> bool:
        """Take notice of the child's value; whether nothing that follows in this node can matter any more."""
        node, value = parent.node, child.value
        assert value is not None
        if node.value is None or (value > node.value if node.maximises else value < node.value):
            node.value, node.best = value, child.move
        if not self.prune:
            return False
        if node.maximises:
            parent.alpha = max(parent.alpha, node.value)
            return node.value >= parent.beta
        parent.beta = min(parent.beta, node.value)
        return node.value <= parent.alpha


class RecordedDeepening:
    """The same of iterative deepening: ``tree`` is that of the depth which the search has come to."""

    def __init__(self, position: AnyPosition, *, depth: int | None, limit: int = NODE_LIMIT) -> None:
        """``depth`` is the largest; ``limit`` counts the nodes of all depths together."""
        self.position, self.limit, self.depth = position, limit, 1
        longest = kernel_of(position).longest_game(position)
        self._deepest = longest if depth is None else min(depth, longest)
        self._before = 0
        self._lost: set[Move] = set()
        self._complete: tuple[int, RecordedTree] | None = None
        self.tree = RecordedTree(position, depth=1, ordered=True, prune=True, limit=limit)

    @property
    def nodes(self) -> int:
        """Nodes searched so far, of all depths together."""
        return self._before + self.tree.nodes

    @property
    def done(self) -> bool:
        """Whether the value is proven, or the largest depth is done."""
        return self.tree.done and (self.depth >= self._deepest or self.tree.root.value != 0 or not self._cut_short())

    @property
    def full(self) -> bool:
        """Whether the search was longer than what is kept of it."""
        return not self.done and self.nodes >= self.limit

    @property
    def complete(self) -> tuple[int, RecordedTree] | None:
        """The newest depth that was searched to its end, and its tree; None before the first."""
        return (self.depth, self.tree) if self.tree.done else self._complete

    def advance(self, nodes: int, deadline_s: float = math.inf) -> bool:
        """Search on until there are so many nodes; False if ``time.perf_counter`` came to the deadline before."""
        last = min(nodes, self.limit)
        while not self.done and self.nodes < last:
            if self.tree.done:
                self._deepen()
            if not self.tree.advance(last - self._before, deadline_s):
                return False
        return True

    def _deepen(self) -> None:
        root, self._complete = self.tree.root, self.complete
        self._lost |= {child.move for child in root.children if child.value == -1 and child.move is not None}
        order = [move for move in _in_order(self.position) if move not in self._lost and move != root.best]
        first = [] if root.best is None else [root.best]
        self._before, self.depth = self.nodes, self.depth + 1
        moves, left = (*first, *order), self.limit - self._before
        self.tree = RecordedTree(
            self.position, depth=self.depth, ordered=True, prune=True, limit=left, root_moves=moves
        )

    def _cut_short(self) -> bool:
        """Whether a line was cut at the depth limit."""
        waiting = [self.tree.root]
        while waiting:
            node = waiting.pop()
            if node.end is End.DEPTH:
                return True
            waiting += node.children
        return False


def _by_code(position: AnyPosition) -> list[Move]:
    kernel = kernel_of(position)
    return sorted(position.legal_moves, key=lambda move: kernel.encode_move(position.game, move))


def _in_order(position: AnyPosition) -> list[Move]:
    """Most occupied neighbours first, equals by code."""
    kernel = kernel_of(position)
    return sorted(_by_code(position), key=lambda move: -kernel.neighbours(position, move))
