"""UCT (Kocsis and Szepesvári, 2006): a tree of moves that grows by one move with each random game.

A simulation selects, as long as every move of a position has been tried, the one with the largest
``mean + c * sqrt(ln N / n)``, the first one among equals; expands one untried move; plays out at random; and backs the
result up. Bounds are worked out in single precision, as in the kernel.
"""

from __future__ import annotations

from ctypes import c_float
from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any

from nimdesk.errors import OptionError
from nimdesk.games import AnyPosition, Move
from nimdesk.search.options import UctOptions
from nimdesk.search.textbook.playouts import after
from nimdesk.search.textbook.sampler import TextbookSampler
from nimdesk.search.tree_types import Branch, Family, Line, upper_bound, value_of


def single(x: float) -> float:
    """Rounded to single precision."""
    return c_float(x).value


@dataclass(slots=True)
class Node:
    """A move played in the tree; ``half_points`` (2 a win, 1 a draw) are those of the side that played it."""

    move: Move | None = None
    visits: int = 0
    half_points: int = 0
    children: list[Node] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """The expected score in [0, 1] of the side that played the move."""
        return self.half_points / (2 * self.visits)

    def bound(self, factor: float) -> float:
        """The upper bound, where ``factor`` is c * sqrt(ln N)."""
        return single(single(self.mean) + single(factor * single(1.0 / sqrt(self.visits))))


class TextbookUct(TextbookSampler):
    """A Searcher. Expansion by neighbours, which a game without a board has none of, is expansion at random."""

    def __init__(self, options: UctOptions | None = None) -> None:
        """Without options the defaults; ``threads`` and ``keep_tree`` change nothing here."""
        self.options = UctOptions() if options is None else options
        self.final, self.memory_mb = self.options.final, self.options.memory_mb
        super().__init__("uct", self.options.iterations, self.options.time_s)

    def _plant(self) -> None:
        if self.options.playouts != "uniform":
            title = self._position.game.title
            raise OptionError(f"Playouts by the nim-sum, or against a perfect opponent, need Nim, not {title}.")
        self.tree = Node()

    def _simulate(self) -> None:
        position, path = self._position, [self.tree]
        # Select, as long as every move has been tried.
        while position.outcome is None and len(path[-1].children) == len(position.legal_moves):
            path.append(self._select(path[-1]))
            assert path[-1].move is not None
            position = position.play(path[-1].move)
        # Expand.
        if position.outcome is None and self._grows:
            child = Node(self._untried(path[-1], position))
            path[-1].children.append(child)
            path.append(child)
            self._nodes += 1
        # Play out.
        score = self._play_out(tuple(node.move for node in path if node.move is not None))
        # Back up: each node counts for the side that moved into it; the root's is the opponent of the first to move.
        for depth, node in enumerate(path):
            node.visits += 1
            node.half_points += score if depth % 2 else 2 - score

    def _select(self, node: Node) -> Node:
        visits = (self.tree if self.options.log_n == "root" else node).visits
        factor = single(single(self.options.exploration) * single(sqrt(log(visits))))
        return max(node.children, key=lambda child: child.bound(factor))

    def _untried(self, node: Node, position: AnyPosition) -> Move:
        tried = {child.move for child in node.children}
        untried = [move for move in position.legal_moves if move not in tried]
        drawn = self._random.below(len(untried))
        return untried[0 if self.options.expansion == "first" else drawn]

    def _statistics(self) -> dict[Move, tuple[int, float]]:
        return {node.move: (node.visits, node.half_points) for node in self.tree.children if node.move is not None}

    def _line(self, move: Move) -> Line:
        line: Line = ()
        node = next(child for child in self.tree.children if child.move == move)
        while node.move is not None:
            line = (*line, node.move)
            node = max(node.children, key=lambda child: child.visits, default=Node())
        return line

    def _more(self, root: object) -> dict[str, Any]:
        return {"tree_full": not self._grows}

    def family(self, line: Line) -> Family | None:
        """The node behind this line; None where the tree does not reach."""
        node, c = self.tree, self.options.exploration
        for move in line:
            found = next((child for child in node.children if child.move == move), None)
            if found is None:
                return None
            node = found
        visits = self.tree.visits if self.options.log_n == "root" else node.visits
        position, branches = after(self._position, line), []
        for child in node.children:
            assert child.move is not None
            over, bound = value_of(position, child.move), upper_bound(child.mean, c, visits, child.visits)
            branches.append(Branch(child.move, child.visits, child.mean, bound, over, len(child.children)))
        return Family(line, visits, tuple(branches), c)
