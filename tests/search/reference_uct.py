"""UCT as one would write it on a board: node objects, immutable positions, no array in sight; slow, for comparison.

Given the same seed, position and exploration constant it must build the same tree as the kernel in
``nimdesk.kernels.uct``, visit for visit. For that, it follows the kernel in what the algorithm leaves open:

- Random numbers are splitmix64; a choice among b things is ``r * b >> 32``, where r is the upper half of a new number.
  In playouts of m,n,k games one number serves two plies: its upper half, then its lower half.
- A node's children stand in the order of their expansion; among equal upper bounds the first one is taken.
- The arithmetic of a bound is ``mean + (c * sqrt(ln N)) * (1 / sqrt(n))``, each operation rounded to single precision.
- The untried moves of a position stand in the order of ``legal_moves`` (with gravity: by column), and the r-th is
  expanded. In Nim a playout takes the r-th of ``legal_moves``, too.
- m,n,k whose cells fit into one word: playouts take the r-th of the cells that may be taken, row by row.
- Other m,n,k: playouts pick from a list of choices (cells, with gravity columns), at the root in ascending order. A
  choice that is used up (a cell taken, a column full), on the way down the tree too, is replaced by the last one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log, sqrt

import numpy as np

from nimdesk.games import AnyPosition, MnkGame, MnkMove, Move, Side
from nimdesk.games.mnk import kernel_small as mnk_small

MASK = (1 << 64) - 1


class SplitMix64:
    """Steele, Lea and Flood's generator in plain Python."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, bound: int) -> int:
        return (self.number() >> 32) * bound >> 32

    def number(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        return z ^ z >> 31


class LegalMoves:
    """The choices of a game of Nim: the legal moves in their order."""

    def __init__(self, position: AnyPosition) -> None:
        self.position = position

    def count(self) -> int:
        return len(self.position.legal_moves)

    def play_out(self, random: SplitMix64) -> None:
        while self.position.outcome is None:
            self.play(self.position.legal_moves[random.below(self.count())])

    def pick_untried(self, tried: list[Move], random: SplitMix64) -> Move:
        untried = [move for move in self.position.legal_moves if move not in tried]
        return untried[random.below(len(untried))]

    def play(self, move: Move) -> None:
        self.position = self.position.play(move)


class OpenChoices:
    """The choices of an m,n,k game: a list of open cells or columns, kept without gaps by swapping."""

    def __init__(self, position: AnyPosition) -> None:
        assert isinstance(position.game, MnkGame)
        self.position, self.game = position, position.game
        self.open = sorted(self.choice(move) for move in position.legal_moves)

    def choice(self, move: Move) -> int:
        assert isinstance(move, MnkMove)
        return move.column if self.game.gravity else move.row * self.game.m + move.column

    def move(self, choice: int) -> Move:
        if self.game.gravity:
            return MnkMove(choice, self.position.drop_row(choice))  # type: ignore[attr-defined]
        return MnkMove(choice % self.game.m, choice // self.game.m)

    def count(self) -> int:
        return len(self.open)

    def pick_untried(self, tried: list[Move], random: SplitMix64) -> Move:
        untried = sorted(set(self.open) - {self.choice(move) for move in tried})
        return self.move(untried[random.below(len(untried))])

    def play_out(self, random: SplitMix64) -> None:
        halves: list[int] = []
        while self.position.outcome is None:
            if not halves:
                number = random.number()
                halves = [number >> 32, number & 0xFFFFFFFF]
            self.play(self.move(self.open[halves.pop(0) * len(self.open) >> 32]))

    def play(self, move: Move) -> None:
        self.position = self.position.play(move)
        used_up = not self.game.gravity or move.row == self.game.n - 1  # type: ignore[attr-defined]
        if used_up:
            last = self.open.pop()
            if last != self.choice(move):
                self.open[self.open.index(self.choice(move))] = last


class OpenCells(LegalMoves):
    """The choices of an m,n,k game on a small board: the cells that may be taken, row by row."""

    def play_out(self, random: SplitMix64) -> None:
        halves: list[int] = []
        while self.position.outcome is None:
            if not halves:
                number = random.number()
                halves = [number >> 32, number & 0xFFFFFFFF]
            cells = sorted(self.position.legal_moves, key=lambda move: (move.row, move.column))  # type: ignore[union-attr]
            self.play(cells[halves.pop(0) * len(cells) >> 32])


def choices_of(position: AnyPosition) -> LegalMoves | OpenChoices:
    game = position.game
    if not isinstance(game, MnkGame):
        return LegalMoves(position)
    return OpenCells(position) if mnk_small.fits(game.m, game.n, game.k) else OpenChoices(position)


@dataclass
class Node:
    """A move played in the tree; ``half_points`` (2 a win, 1 a draw) are those of the side that played it."""

    move: Move | None = None
    visits: int = 0
    half_points: int = 0
    children: list[Node] = field(default_factory=list)

    def upper_bound(self, exploration: float, parent_visits: int) -> np.float32:
        mean = np.float32(self.half_points) / (np.float32(2) * np.float32(self.visits))
        factor = np.float32(exploration) * np.float32(sqrt(log(parent_visits)))
        return mean + factor * np.float32(1.0 / sqrt(self.visits))


def half_points(position: AnyPosition, side: Side) -> int:
    assert position.outcome is not None
    return int(2 * position.outcome.score(side))


def search(root_position: AnyPosition, seed: int, exploration: float, iterations: int) -> Node:
    """The tree after so many simulations."""
    random, root = SplitMix64(seed), Node()
    for _ in range(iterations):
        simulate(root, choices_of(root_position), random, exploration)
    return root


def simulate(root: Node, choices: LegalMoves | OpenChoices, random: SplitMix64, exploration: float) -> None:
    """One simulation: select, expand, play out, back up."""
    first_to_move, path = choices.position.turn, [root]

    # Select, as long as every move has been tried.
    node = root
    while choices.position.outcome is None and len(node.children) == choices.count():
        parent = node
        node = max(parent.children, key=lambda child: child.upper_bound(exploration, parent.visits))
        path.append(node)
        assert node.move is not None
        choices.play(node.move)

    # Expand.
    if choices.position.outcome is None:
        move = choices.pick_untried([child.move for child in node.children if child.move is not None], random)
        choices.play(move)
        child = Node(move)
        node.children.append(child)
        path.append(child)

    # Play out.
    choices.play_out(random)

    # Back up: each node counts for the side that moved into it; the root's is the opponent of the first to move.
    side = first_to_move.other
    for node in path:
        node.visits += 1
        node.half_points += half_points(choices.position, side)
        side = side.other
