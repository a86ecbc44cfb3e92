"""The kernel of Nim in Python, without numba: codes of moves, and which positions are the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from nimdesk.games.nim.rules import MAX_PILE, NimGame, NimMove, NimPosition
from nimdesk.games.twin import NOTHING, WINS, Identity, KernelTwin, random_words

TAKES = 64
"""How many codes each pile has: as many as a move may take at most."""


def fits(game: NimGame) -> bool:
    """Whether the compiled rules have room for this game."""
    return max(game.piles) <= TAKES or (game.max_take is not None and game.max_take < TAKES)


class NimTwin(KernelTwin[NimGame, NimPosition, NimMove]):
    """A move's code is ``pile * TAKES + take - 1``."""

    looks_ahead = True

    def encode_move(self, game: NimGame, move: NimMove) -> int:
        """By pile, then by number of sticks."""
        return move.pile * TAKES + move.take - 1

    def longest_game(self, position: NimPosition) -> int:
        """One stick per move."""
        return sum(position.piles)

    def identity(self, root: NimPosition) -> NimSameness:
        """Piles in any order are one position."""
        return NimSameness(root)


class NimSameness(Identity[NimPosition, NimMove]):
    """A code is ``size of the pile * TAKES + take - 1``."""

    def __init__(self, root: NimPosition) -> None:
        game = root.game
        self._root, self._most, self._last_wins = root.piles, game.max_take or MAX_PILE, not game.misere
        self.begin()

    def begin(self) -> None:
        """Go back to the root."""
        self._piles = list(self._root)

    def moved(self, move: NimMove) -> None:
        """Follow a legal move."""
        self._piles[move.pile] -= move.take

    def key(self) -> int:
        """The words of the sizes, added up."""
        words = _words()
        return sum(words[size] for size in self._piles) & (1 << 64) - 1

    def to_move(self, code: int) -> NimMove:
        """The take from the first pile of this size."""
        size, less = divmod(code, TAKES)
        return NimMove(self._piles.index(size), less + 1)

    def key_after(self, code: int) -> int:
        """The key of the position that the move with this code leads to."""
        size, less = divmod(code, TAKES)
        words = _words()
        return (self.key() + words[size - less - 1] - words[size]) & (1 << 64) - 1

    def assess(self) -> tuple[int, int | None]:
        """A last pile that may be taken as a whole wins."""
        left = [size for size in self._piles if size]
        if self._last_wins and len(left) == 1 and left[0] <= self._most:
            return WINS, left[0] * TAKES + left[0] - 1
        return NOTHING, None

    def candidates(self, at_root: bool, order: bool) -> Iterator[tuple[NimMove | int, int]]:
        """At the root the takes from all piles, below it from the first pile of each size."""
        seen: set[int] = set()
        for pile, size in enumerate(self._piles):
            if at_root or size not in seen:
                seen.add(size)
                for take in range(1, min(size, self._most) + 1):
                    yield (NimMove(pile, take) if at_root else size * TAKES + take - 1), 0


@cache
def _words() -> tuple[int, ...]:
    """One for each size; 0 for an empty pile."""
    return (0, *random_words(MAX_PILE + 1).tolist()[1:])
