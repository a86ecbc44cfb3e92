"""What a game with compiled rules tells the searches: positions as arrays, moves as codes, sizes, abilities."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nimdesk.errors import GameParameterError
from nimdesk.games.base import AnyPosition, Game
from nimdesk.games.twin import GameT, KernelTwin, MoveT, PositionT


class Sizes(NamedTuple):
    """How much room a game needs at most.

    ``codes``: a move's code is below this. ``view_codes``: the same for the codes of the game's identity. ``moves``:
    the most legal moves of a position. ``plies``: the longest game.
    """

    codes: int
    view_codes: int
    moves: int
    plies: int


# What the kernels' arrays have room for: ``kernels.places`` keeps a code in ten bits and the children of a node in one
# block, and identities' codes and plies stand in 16 bits with a sign. A test compares it with the kernels.
LIMITS = Sizes(codes=1 << 10, view_codes=1 << 15, moves=768, plies=32_000)
_WORDS = Sizes("codes of moves", "codes of moves by identity", "legal moves", "plies")  # type: ignore[arg-type]


class KernelKit(KernelTwin[GameT, PositionT, MoveT], ABC):
    """The compiled rules of one game, as ``nimdesk.kernels.rules`` and ``identity`` want them; moves are codes.

    It inherits from the game's own ``KernelTwin``, which says how moves are numbered and playouts drawn.
    """

    guided_playouts = False
    """Whether playouts can follow the policies ``ZEROING`` and ``PERFECT`` of ``kernels.rules``."""

    @abstractmethod
    def sizes(self, game: GameT) -> Sizes:
        """How much room this game needs; more than ``LIMITS`` cannot be searched."""

    @abstractmethod
    def make_rules(self, position: PositionT) -> Any:
        """The kernel rules, a named tuple, with this position, which is not over, as root and working position."""

    @abstractmethod
    def copy_rules(self, rules: Any) -> Any:
        """The same rules with working arrays of their own."""

    @abstractmethod
    def encode_identity(self, position: PositionT) -> Any:
        """What tells equal positions of the game, with this one as the root."""

    @abstractmethod
    def moves_by_code(self, game: GameT) -> tuple[MoveT, ...]:
        """The move of every code, legal or not, in the order of codes."""

    @abstractmethod
    def longest_game(self, position: PositionT) -> int:
        """An upper bound on the number of moves still to be played."""

    def most_moves(self, position: PositionT) -> int:
        """An upper bound on the legal moves of this position, and of each that can follow it."""
        return self.sizes(cast(GameT, position.game)).moves

    def most_positions(self, position: PositionT) -> float:
        """The positions that can be reached are at most so many, where that is easy to tell; else infinity."""
        return math.inf

    def can_overshoot(self, game: GameT) -> bool:
        """Whether playouts may draw a number that is larger than what is left (document 004)."""
        return False

    def encode_position(self, position: PositionT) -> Any:
        """Fresh kernel rules with this position; ``GameParameterError`` where the game is too large for the kernels."""
        return self.copy_rules(_made(self, position))

    def decode_table(self, game: GameT) -> tuple[MoveT, ...]:
        """The move of every code: ``decode_table(game)[code]``; made once."""
        return cast(tuple[MoveT, ...], _table(self, game))

    def encode_columns(self, position: PositionT) -> NDArray[np.int32]:
        """The place of each code's move among the legal moves, or -1; not to be written to."""
        return _columns(self, position)


AnyKernel = KernelKit[Any, Any, Any]


# Studies search the same few positions again and again.
@lru_cache(maxsize=16)
def _made(kernel: AnyKernel, position: AnyPosition) -> Any:
    check_sizes(position.game, kernel.sizes(position.game))
    return kernel.make_rules(position)


@lru_cache(maxsize=16)
def _table(kernel: AnyKernel, game: Game) -> Any:
    return kernel.moves_by_code(game)


@lru_cache(maxsize=16)
def _columns(kernel: AnyKernel, position: AnyPosition) -> NDArray[np.int32]:
    game = position.game
    columns = np.full(len(kernel.decode_table(game)), -1, np.int32)
    columns[[kernel.encode_move(game, move) for move in position.legal_moves]] = np.arange(len(position.legal_moves))
    columns.flags.writeable = False
    return columns


def check_sizes(game: Game, sizes: Sizes) -> None:
    """Raise ``GameParameterError`` for a game that needs more room than the kernels have."""
    for what, wanted, most in zip(_WORDS, sizes, LIMITS, strict=True):
        if wanted > most:
            raise GameParameterError(f"{game.title} needs {wanted:,} {what}; the searches have room for {most:,}.")
