"""How many moves a graph search opens at a position where the game orders them; the same in Python and compiled."""

from __future__ import annotations

from nimdesk.games import Game, kit_of

# With heuristic ordering a node opens 4 moves, and one more each time its visits have grown enough. The numbers come
# from matches at equal numbers of simulations on 5,5,4, 7,7,5 and 15,15,5. Most moves of a large board are irrelevant,
# so from _LARGE moves on the second rate holds, which depends on the number of moves. Where positions are
# evaluated, which tells more than a playout, it is better to open more of them.
_WIDE, _WIDENING, _LARGE, _WIDENING_LARGE = 4, 0.25, 81, 9.0
_WIDE_EVALUATED, _WIDENING_EVALUATED = 7, 27.0
_ALL = 1 << 14


def opening(game: Game, *, ordered: bool, evaluated: bool) -> tuple[int, float]:
    """Of more moves than the first number a node opens so many, and the second times sqrt(visits) more."""
    twin, moves = kit_of(game).twin, len(game.start().legal_moves)
    wide, widening = _WIDE, _WIDENING if moves < _LARGE else _WIDENING_LARGE / moves
    if evaluated:
        wide, widening = _WIDE_EVALUATED, _WIDENING_EVALUATED / moves
    return (wide if ordered and twin.orders_moves else _ALL), widening
