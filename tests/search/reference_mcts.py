"""The search of ``nimdesk.kernels.mcts`` without merging, proofs and ordering, as one would write it on a board.

Given the same seed and position it must build the same tree, value for value. What the algorithm leaves open follows
the kernel:

- Random numbers are splitmix64, one stream for the search. The search takes a step where a node lists its moves, and
  one wherever a node with listed moves chooses.
- Moves are listed at a node's second simulation (at the root, the first): each of them, in the order of
  ``legal_moves`` (in Nim equal takes from equal piles once, but not at the root), gets a number of 24 bits from a
  stream of its own, and they are tried from the highest number down. After 4 moves, then 8 and so on, what is left is
  drawn anew.
- The square roots in the bound are of single precision.
- Playouts take their numbers as in ``reference_uct``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log, sqrt

import numpy as np
from reference_uct import SplitMix64, choices_of, half_points

from nimdesk.games import AnyPosition, MnkPosition, Move, NimPosition


@dataclass
class Edge:
    move: Move
    visits: int = 0
    child: Node | None = None


@dataclass
class Node:
    """``value`` is for the side to move; so is ``playout_score``, in half points."""

    position: AnyPosition
    value: float = 0.5
    visits: int = 0
    playouts: int = 0
    playout_score: int = 0
    edges: list[Edge] = field(default_factory=list)
    ranked: list[Move] = field(default_factory=list)

    def refresh(self) -> None:
        """The mean of the children's values by visits, and of the node's own playouts."""
        total, weight = 0.5 * self.playout_score, float(self.playouts)
        for edge in self.edges:
            if edge.child is not None:
                total += edge.visits * (1.0 - edge.child.value)
                weight += edge.visits
        self.value = single(total / weight)


def moves_that_differ(position: AnyPosition, at_root: bool) -> list[Move]:
    if not isinstance(position, NimPosition) or at_root:
        moves = list(position.legal_moves)
        if isinstance(position, MnkPosition):
            moves.sort(key=lambda move: (move.row, move.column))  # type: ignore[attr-defined]
        return moves
    first_of = {(position.piles[move.pile], move.take): move for move in reversed(position.legal_moves)}
    return [move for move in position.legal_moves if move in first_of.values()]


def rank(node: Node, at_root: bool, random: SplitMix64) -> None:
    """Draw the order of the moves that are not tried yet; as many as there is room for."""
    own = SplitMix64(SplitMix64(random.state - 0x9E3779B97F4A7C15).number())
    moves = moves_that_differ(node.position, at_root)
    scores = {move: own.below(1 << 24) for move in moves}
    room = min(len(moves), 2 * len(node.ranked) if node.ranked else 4)
    tried = [edge.move for edge in node.edges]
    left = sorted((move for move in moves if move not in tried), key=lambda move: -scores[move])
    node.ranked = (tried + left)[:room]


def single(x: float) -> float:
    return float(np.float32(x))


def choose(node: Node, at_root: bool, exploration: float, random: SplitMix64) -> Edge:
    if len(node.edges) < len(moves_that_differ(node.position, at_root)):
        if len(node.edges) == len(node.ranked):
            rank(node, at_root, random)
        node.edges.append(Edge(node.ranked[len(node.edges)]))
        return node.edges[-1]
    factor = exploration * single(sqrt(log(node.visits)))

    def bound(edge: Edge) -> float:
        assert edge.child is not None
        return 1.0 - edge.child.value + factor * single(1.0 / sqrt(edge.visits))

    return max(node.edges, key=bound)


def simulate(root: Node, random: SplitMix64, exploration: float) -> None:
    choices = choices_of(root.position)
    node, path = root, []
    while node.position.outcome is None:
        if not node.ranked and (node.visits > 0 or node is root):
            random.number()
            rank(node, node is root, random)
        if not node.ranked:
            mover = node.position.turn
            choices.play_out(random)
            node.playouts += 1
            node.playout_score += half_points(choices.position, mover)
            node.refresh()
            break
        random.number()
        edge = choose(node, node is root, exploration, random)
        choices.play(edge.move)
        if edge.child is None:
            edge.child = Node(choices.position)
            outcome = choices.position.outcome
            if outcome is not None:
                edge.child.value = outcome.score(choices.position.turn)
        path.append((node, edge))
        node = edge.child
    node.visits += 1
    for above, edge in reversed(path):
        edge.visits += 1
        above.visits += 1
        above.refresh()


def search(position: AnyPosition, seed: int, exploration: float, iterations: int) -> Node:
    """The tree after so many simulations."""
    random, root = SplitMix64(seed), Node(position)
    for _ in range(iterations):
        simulate(root, random, exploration)
    return root
