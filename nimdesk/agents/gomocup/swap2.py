"""The opening by swap2: three stones, then the choice of a colour, or two more stones and the choice to the other."""

from __future__ import annotations

import random
from collections.abc import Callable

from nimdesk.games import AnyPosition, Move
from nimdesk.games.mnk.rules import MnkGame, MnkMove
from nimdesk.search import Snapshot

SWAP = "SWAP"
Look = Callable[[AnyPosition, float], Snapshot]
"""A search of a position in this share of the time."""
_CANDIDATES = 8
# Stones of an opening are so near to the middle, or to the stones that are there.
_NEAR = 3
# Who chooses a colour keeps the worse one if the other is so little better: two more stones would settle nothing.
_EVEN = 0.05


def answer(position: AnyPosition, look: Look, dice: random.Random) -> str | tuple[Move, ...]:
    """What to do with none, three or five stones on the board: the stones to put, or ``SWAP``.

    Whoever answers has White, who is to move after three stones and after five, as long as it does not swap.
    """
    if not position.moves:
        return _balanced(position, 3, look, dice, 1.0)
    may_wait = len(position.moves) == 3
    snapshot = look(position, 0.4 if may_wait else 1.0)
    score, move = expected(snapshot), snapshot.best_move
    if may_wait and abs(score - 0.5) < _EVEN:
        return _balanced(position, 2, look, dice, 0.6)
    return SWAP if score < 0.5 or move is None else (move,)


def expected(snapshot: Snapshot) -> float:
    """The score that a search expects for the side to move."""
    best = snapshot.stats_of(snapshot.best_move)
    if best is None:
        return 0.5
    score = best.mean_value if best.proven is None else best.proven.score
    return 0.5 if score is None else score


def _balanced(position: AnyPosition, stones: int, look: Look, dice: random.Random, share: float) -> tuple[Move, ...]:
    """Stones after which a search finds the sides most nearly equal, among some that are drawn."""
    found: list[tuple[float, tuple[Move, ...]]] = []
    for _ in range(_CANDIDATES):
        after = position
        for _ in range(stones):
            after = after.play(dice.choice(_nearby(after)))
        score = expected(look(after, share / _CANDIDATES))
        found.append((abs(score - 0.5), tuple(after.moves[-stones:])))
    return min(found, key=lambda each: each[0])[1]


def _nearby(position: AnyPosition) -> list[Move]:
    """The cells near the stones, or near the middle of an empty board."""
    game = position.game
    assert isinstance(game, MnkGame)
    around = [move for move in position.moves if isinstance(move, MnkMove)] or [MnkMove(game.m // 2, game.n // 2)]
    return [
        move
        for move in position.legal_moves
        if isinstance(move, MnkMove)
        and any(max(abs(move.column - at.column), abs(move.row - at.row)) <= _NEAR for at in around)
    ]
