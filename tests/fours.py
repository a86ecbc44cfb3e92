"""Positions in which rows are near, and whether one is won by fours, by the rules alone."""

from __future__ import annotations

import random
from collections.abc import Iterator

from nimdesk.games import MnkPosition, parse_game


def middle_games(texts: list[str], number: int, seed: int) -> Iterator[MnkPosition]:
    """Positions with marks near each other, on boards in turn, none of them over."""
    chance = random.Random(seed)
    while number:
        game = parse_game(f"mnk:{texts[number % len(texts)]}")
        position = game.start()
        assert isinstance(position, MnkPosition)
        for _ in range(chance.randrange(4, 16)):
            last = chance.choice(position.moves or position.legal_moves)
            near = [m for m in position.legal_moves if max(abs(m.column - last.column), abs(m.row - last.row)) < 3]
            position = position.play(chance.choice(near or position.legal_moves))
            if position.outcome is not None:
                break
        else:
            number -= 1
            yield position


def won_by_fours(position: MnkPosition, plies: int) -> bool:
    """Whether the side to move wins within so many plies by moves that threaten to complete a row."""
    if position.winning_moves or plies < 3:
        return bool(position.winning_moves)
    for move in position.legal_moves:
        after = position.play(move)
        # What completes a row unless the other side is there: it cannot be at both of two cells.
        rows = {row for answer in after.legal_moves[:2] for row in after.play(answer).winning_moves}
        if rows and not after.winning_moves and (len(rows) > 1 or won_by_fours(after.play(rows.pop()), plies - 2)):
            return True
    return False
