"""What a game's kernel does, in Python and without numba, so that a search in Python grows the kernel's tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar, cast

from nimdesk.errors import RulesError, quoted
from nimdesk.games.base import MOST_PLIES, AnyPosition, Game, Move

GameT = TypeVar("GameT", bound=Game)
PositionT = TypeVar("PositionT", bound=AnyPosition)
MoveT = TypeVar("MoveT", bound=Move)


class Playout(NamedTuple):
    """A game played out at random: its moves, and the half points of the side to move at the root."""

    moves: tuple[Any, ...]
    half_points: int


def half_points(end: AnyPosition, root: AnyPosition) -> int:
    """The result of a finished game for the side to move at ``root``: 2 for a win, 1 for a draw, 0 for a loss."""
    assert end.outcome is not None
    return round(2 * end.outcome.score(root.turn))


class KernelTwin(Generic[GameT, PositionT, MoveT]):
    """How the kernel of a game numbers moves and draws random ones. As it stands, it serves games without a kernel."""

    def encode_move(self, game: GameT, move: MoveT) -> int:
        """The move's code in the kernels of its game, which go through moves in the order of their codes.

        Without a kernel all codes are equal, so that moves stay in the order of the rules.
        """
        return 0

    def neighbours(self, position: PositionT, move: MoveT) -> int:
        """How many cells around the move's cell are occupied: ``kernels.rules.neighbours``."""
        return 0

    def longest_game(self, position: PositionT) -> int | None:
        """An upper bound on the number of moves still to be played; None where nobody knows one."""
        return None

    def play_out(self, root: PositionT, line: tuple[MoveT, ...], number: Callable[[], int]) -> Playout:
        """The playout that the kernel makes after ``line``, from ``root``, with these random numbers.

        ``number`` gives the next 64 random bits. Here each choice takes the upper half of a new number. ``RulesError``
        where a game does not end.
        """
        position: AnyPosition = root
        for move in line:
            position = position.play(move)
        moves: list[Move] = []
        while position.outcome is None:
            if len(moves) > MOST_PLIES:
                text = quoted(root.game.text)
                raise RulesError(f"The rules of {text} failed: a game did not end within {MOST_PLIES:,} moves.")
            legal = position.legal_moves
            moves.append(legal[(number() >> 32) * len(legal) >> 32])
            position = position.play(moves[-1])
        return Playout(cast(tuple[MoveT, ...], tuple(moves)), half_points(position, root))


AnyTwin = KernelTwin[Any, Any, Any]
