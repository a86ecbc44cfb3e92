"""UCT as one would write it on a board: node objects, immutable positions, no array in sight; slow, for comparison.

Given the same seed, position and exploration constant it must build the same tree as the kernel in
``nimdesk.kernels.uct``, visit for visit. For that, it follows the kernel in what the algorithm leaves open:

- Random numbers are splitmix64, one for each choice; a choice among b things is ``(bits >> 32) * b >> 32``.
- A node's children stand in the order of their expansion; among equal upper bounds the first one is taken.
- The arithmetic of a bound is ``mean + (c * sqrt(ln N)) * (1 / sqrt(n))``, rounded in this order.
- Nim: the choices of a position stand by pile, then by take (the order of ``legal_moves``). The r-th of those that are
  not tried yet is expanded; a playout takes the r-th of all.
- m,n,k: the choices (cells, with gravity columns) stand in one list, at the root in ascending order. A choice that is
  used up (a cell taken, a column full) is replaced by the last one of the list. At an expansion, the tried choices are
  swapped to the end one after the other, in the order of the children, the r-th of the rest is expanded, and the list
  stays in this order for the playout.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log, sqrt

from nimdesk.games import AnyPosition, MnkGame, MnkMove, Move, Side

MASK = (1 << 64) - 1


class SplitMix64:
    """Steele, Lea and Flood's generator in plain Python."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, bound: int) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        return ((z ^ z >> 31) >> 32) * bound >> 32


class LegalMoves:
    """The choices of a game of Nim: the legal moves in their order."""

    def __init__(self, position: AnyPosition) -> None:
        self.position = position

    def count(self) -> int:
        return len(self.position.legal_moves)

    def pick(self, random: SplitMix64) -> Move:
        return self.position.legal_moves[random.below(self.count())]

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

    def pick(self, random: SplitMix64) -> Move:
        return self.move(self.open[random.below(len(self.open))])

    def pick_untried(self, tried: list[Move], random: SplitMix64) -> Move:
        untried = len(self.open)
        for move in tried:
            untried -= 1
            self.swap(self.open.index(self.choice(move)), untried)
        return self.move(self.open[random.below(untried)])

    def swap(self, i: int, j: int) -> None:
        self.open[i], self.open[j] = self.open[j], self.open[i]

    def play(self, move: Move) -> None:
        self.position = self.position.play(move)
        used_up = not self.game.gravity or move.row == self.game.n - 1  # type: ignore[attr-defined]
        if used_up:
            self.swap(self.open.index(self.choice(move)), len(self.open) - 1)
            self.open.pop()


@dataclass
class Node:
    """A move played in the tree; ``half_points`` (2 a win, 1 a draw) are those of the side that played it."""

    move: Move | None = None
    visits: int = 0
    half_points: int = 0
    children: list[Node] = field(default_factory=list)

    def upper_bound(self, exploration: float, parent_visits: int) -> float:
        mean = 0.5 * self.half_points / self.visits
        return mean + (exploration * sqrt(log(parent_visits))) * (1.0 / sqrt(self.visits))


def half_points(position: AnyPosition, side: Side) -> int:
    assert position.outcome is not None
    return int(2 * position.outcome.score(side))


def search(root_position: AnyPosition, seed: int, exploration: float, iterations: int) -> Node:
    """The tree after so many simulations."""
    random, root = SplitMix64(seed), Node()
    new_choices = OpenChoices if isinstance(root_position.game, MnkGame) else LegalMoves
    at_root = new_choices(root_position)
    for _ in range(iterations):
        choices = new_choices(root_position)
        if isinstance(choices, OpenChoices):
            choices.open = list(at_root.open)  # type: ignore[union-attr]
        simulate(root, choices, random, exploration)
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
    while choices.position.outcome is None:
        choices.play(choices.pick(random))

    # Back up: each node counts for the side that moved into it; the root's is the opponent of the first to move.
    side = first_to_move.other
    for node in path:
        node.visits += 1
        node.half_points += half_points(choices.position, side)
        side = side.other
