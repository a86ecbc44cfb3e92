"""Minimax and alpha-beta as a person would write them, on the reference rules: what the kernel is compared with."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

from coding import encode_move

from nimdesk.games import AnyPosition, MnkPosition, Move, Side, parse_game


def leaf_value(position: AnyPosition, side: Side) -> int:
    """+1, 0 or -1 for ``side`` in a finished game."""
    assert position.outcome is not None
    return round(2 * position.outcome.score(side) - 1)


@cache
def solve(position: AnyPosition) -> tuple[int, int]:
    """Value for the side to move, and the distance: who wins hurries, who loses or can only draw holds out."""
    if position.outcome is not None:
        return leaf_value(position, position.turn), 0
    children = [solve(position.play(move)) for move in position.legal_moves]
    value = max(-value for value, _ in children)
    distances = [distance for child, distance in children if -child == value]
    return value, 1 + (min(distances) if value > 0 else max(distances))


def tree_levels(position: AnyPosition) -> list[int]:
    """The nodes of the full tree by level."""
    levels = []
    row = [position]
    while row:
        levels.append(len(row))
        row = [node.play(move) for node in row for move in node.legal_moves]
    return levels


def occupied_neighbours(position: AnyPosition, move: Move) -> int:
    if not isinstance(position, MnkPosition):
        return 0
    game, cell = position.game, position.play(move).moves[-1]
    around = [(cell.column + x, cell.row + y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
    inside = [(c, r) for c, r in around if 0 <= c < game.m and 0 <= r < game.n]
    return sum(position.mark(c, r) is not None for c, r in inside)


@dataclass
class AlphaBeta:
    """Document 002's search: the values of the root moves as it saw them, and the nodes it visited."""

    depth: int | None = None
    neighbours: bool = False
    nodes: int = 0

    def ordered(self, position: AnyPosition) -> list[Move]:
        moves = sorted(position.legal_moves, key=lambda move: encode_move(position.game, move))
        return sorted(moves, key=lambda move: -occupied_neighbours(position, move)) if self.neighbours else moves

    def value(self, position: AnyPosition, side: Side, depth: int, alpha: float, beta: float) -> float:
        """The value for ``side``, who maximises."""
        self.nodes += 1
        if position.outcome is not None:
            return leaf_value(position, side)
        if depth == self.depth:
            return 0
        best = float("-inf") if position.turn is side else float("inf")
        for move in self.ordered(position):
            value = self.value(position.play(move), side, depth + 1, alpha, beta)
            if position.turn is side:
                best = max(best, value)
                if best >= beta:
                    break
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                if best <= alpha:
                    break
                beta = min(beta, best)
        return best

    def root(self, position: AnyPosition) -> tuple[float, Move, dict[Move, int]]:
        """The value, the first best move, and the nodes below each root move."""
        self.nodes, best, choice, below = 1, float("-inf"), position.legal_moves[0], {}
        for move in self.ordered(position):
            before = self.nodes
            value = self.value(position.play(move), position.turn, 1, best, float("inf"))
            below[move] = self.nodes - before
            if value > best:
                best, choice = value, move
        return best, choice, below


def depth_limited(position: AnyPosition, depth: int) -> int:
    """Without pruning: the value for the side to move where a position at the limit counts as a draw."""
    if position.outcome is not None:
        return leaf_value(position, position.turn)
    if depth == 0:
        return 0
    return max(-depth_limited(position.play(move), depth - 1) for move in position.legal_moves)


def random_positions(text: str, count: int, plies: tuple[int, int], seed: int) -> list[AnyPosition]:
    """Positions after so many random moves, none of them over."""
    chance = random.Random(f"{seed} {text}")
    found: list[AnyPosition] = []
    while len(found) < count:
        position: AnyPosition = parse_game(text).start()
        for _ in range(chance.randint(*plies)):
            if position.outcome is None:
                position = position.play(chance.choice(position.legal_moves))
        if position.outcome is None:
            found.append(position)
    return found
