"""What minimax comes to by its definition, in a few lines each: what the searches are compared with."""

from __future__ import annotations

import random
from functools import cache

from nimdesk.games import AnyPosition, Side, parse_game


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


def depth_limited(position: AnyPosition, depth: int) -> int:
    """Without pruning: the value for the side to move where a position at the limit counts as a draw."""
    if position.outcome is not None:
        return leaf_value(position, position.turn)
    if depth == 0:
        return 0
    return max(-depth_limited(position.play(move), depth - 1) for move in position.legal_moves)


def random_positions(text: str, count: int, plies: tuple[int, int], seed: int) -> list[AnyPosition]:
    """Positions after a random number of random moves, within ``plies``; none of them is over."""
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
