"""The one joint between the rules people read and the rules that are compiled: positions to arrays, moves to codes."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nimdesk.errors import GameParameterError
from nimdesk.games import AnyPosition, Game, MnkGame, MnkMove, MnkPosition, Move, NimGame, NimMove, NimPosition
from nimdesk.games.mnk import identity as mnk_identity
from nimdesk.games.mnk import kernel as mnk
from nimdesk.games.mnk import kernel_small as mnk_small
from nimdesk.games.nim import identity as nim_identity
from nimdesk.games.nim import kernel as nim
from nimdesk.games.nim import kernel_small as nim_small

Rules = nim.NimRules | nim_small.SmallNimRules | mnk.MnkRules | mnk_small.SmallMnkRules


def encode_position(position: AnyPosition) -> Rules:
    """Fresh kernel rules with this position, which must not be over, as root and working position."""
    made = _encoded(position)
    if isinstance(made, nim_small.SmallNimRules):
        return nim_small.copy_rules(made)
    if isinstance(made, mnk_small.SmallMnkRules):
        return mnk_small.copy_rules(made)
    return nim.copy_rules(made) if isinstance(made, nim.NimRules) else mnk.copy_rules(made)


# Studies search the same few positions again and again.
@lru_cache(maxsize=16)
def _encoded(position: AnyPosition) -> Rules:
    if isinstance(position, NimPosition):
        start, max_take, misere = position.game.piles, position.game.max_take, position.game.misere
        if nim_small.fits(start, max_take):
            return nim_small.make_rules(start, position.piles, max_take, misere)
        return nim.make_rules(start, position.piles, max_take, misere)
    if isinstance(position, MnkPosition):
        game = position.game
        make = mnk_small.make_rules if mnk_small.fits(game.m, game.n, game.k) else mnk.make_rules
        return make(game.m, game.n, game.k, game.gravity, _marks(position), int(position.turn))
    raise GameParameterError(f"There are no compiled rules for {position.game.text}.")


def encode_identity(position: AnyPosition) -> nim_identity.NimIdentity | mnk_identity.MnkIdentity:
    """What tells equal positions of the game, with this one as the root."""
    if isinstance(position, NimPosition):
        return nim_identity.make_identity(position.piles, position.game.max_take, position.game.misere)
    if isinstance(position, MnkPosition):
        game = position.game
        return mnk_identity.make_identity(game.m, game.n, game.k, game.gravity, _marks(position), int(position.turn))
    raise GameParameterError(f"There are no compiled rules for {position.game.text}.")


def _marks(position: MnkPosition) -> list[tuple[int, int, int]]:
    return [(move.column, move.row, ply % 2) for ply, move in enumerate(position.moves)]


def encode_move(game: Game, move: Move) -> int:
    """The move's code in the kernels of its game."""
    if isinstance(move, NimMove):
        return move.pile * nim.MAX_PILE + move.take - 1
    if isinstance(move, MnkMove) and isinstance(game, MnkGame):
        return move.row * game.m + move.column
    raise GameParameterError(f"The move {move.text} has no code in {game.text}.")


@lru_cache(maxsize=16)
def encode_columns(position: AnyPosition) -> NDArray[np.int32]:
    """The place of each code's move among the legal moves, or -1; not to be written to."""
    columns = np.full(len(decode_table(position.game)), -1, np.int32)
    columns[[encode_move(position.game, move) for move in position.legal_moves]] = np.arange(len(position.legal_moves))
    return columns


@lru_cache(maxsize=16)
def decode_table(game: Game) -> tuple[Move, ...]:
    """The move of every code: ``decode_table(game)[code]``."""
    if isinstance(game, NimGame):
        return tuple(NimMove(pile, take) for pile in range(len(game.piles)) for take in range(1, nim.MAX_PILE + 1))
    if isinstance(game, MnkGame):
        return tuple(MnkMove(column, row) for row in range(game.n) for column in range(game.m))
    raise GameParameterError(f"There are no compiled rules for {game.text}.")


def longest_game(position: AnyPosition) -> int:
    """An upper bound on the number of moves still to be played."""
    if isinstance(position, NimPosition):
        return sum(position.piles)
    if isinstance(position, MnkPosition):
        return position.game.m * position.game.n - position.ply
    raise GameParameterError(f"There are no compiled rules for {position.game.text}.")
