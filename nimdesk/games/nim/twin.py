"""The kernel of Nim in Python, without numba: codes of moves; its playouts are those of any game."""

from nimdesk.games.nim.rules import MAX_PILE, NimGame, NimMove, NimPosition
from nimdesk.games.twin import KernelTwin


class NimTwin(KernelTwin[NimGame, NimPosition, NimMove]):
    """A move's code is ``pile * MAX_PILE + take - 1``."""

    def encode_move(self, game: NimGame, move: NimMove) -> int:
        """By pile, then by number of sticks."""
        return move.pile * MAX_PILE + move.take - 1

    def longest_game(self, position: NimPosition) -> int:
        """One stick per move."""
        return sum(position.piles)
