"""The kernel kits' functions by themselves, for tests that use many of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nimdesk.games import AnyPosition, Game, Move, kernel_of

Rules = Any


def encode_position(position: AnyPosition) -> Rules:
    """Fresh kernel rules."""
    return kernel_of(position).encode_position(position)


def encode_identity(position: AnyPosition) -> Any:
    """A fresh identity."""
    return kernel_of(position).encode_identity(position)


def encode_columns(position: AnyPosition) -> NDArray[np.int32]:
    """The place of each code among the legal moves."""
    return kernel_of(position).encode_columns(position)


def encode_move(game: Game, move: Move) -> int:
    """The code of a move."""
    return kernel_of(game).encode_move(game, move)


def decode_table(game: Game) -> tuple[Move, ...]:
    """The move of every code."""
    return kernel_of(game).decode_table(game)


def longest_game(position: AnyPosition) -> int:
    """A bound on the moves still to be played."""
    return kernel_of(position).longest_game(position)
