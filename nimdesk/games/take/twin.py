"""The kernel of take-away games in Python, without numba: codes of moves, and which positions are the same."""

from __future__ import annotations

from functools import lru_cache

from nimdesk.games.take.heaps import heaps_of, most_plies
from nimdesk.games.take.rules import TakeGame, TakeMove, TakePosition
from nimdesk.games.twin import NOTHING, WINS, Identity, KernelTwin, PlainIdentity, random_words

_MASK = (1 << 64) - 1


class TakeTwin(KernelTwin[TakeGame, TakePosition, TakeMove]):
    """Moves have the numbers of ``heaps``; playouts are those of any game."""

    looks_ahead = True

    def encode_move(self, game: TakeGame, move: TakeMove) -> int:
        """By part, by size of the heap, by number of tokens taken."""
        return heaps_of(game).codes[move]

    def longest_game(self, position: TakePosition) -> int:
        """Each heap for itself."""
        return most_plies(position)

    def identity(self, root: TakePosition) -> Identity[TakePosition, TakeMove]:
        """Heaps have no order."""
        return _Sameness(root)


class _Sameness(PlainIdentity[TakePosition, TakeMove]):
    """A move names sizes of heaps, so a code is the move itself."""

    def __init__(self, root: TakePosition) -> None:
        super().__init__(root)
        self._heaps = heaps_of(root.game)
        self._words = _words(len(self._heaps.first))

    def key(self) -> int:
        """The words of the kinds of all heaps, added up."""
        return sum(self._words[kind] for kind in self._heaps.all_kinds(self._position)) & _MASK

    def key_after(self, code: TakeMove) -> int:
        """The key of the position that the move leads to."""
        change = self._heaps.moves[self._heaps.codes[code]]
        words = self._words
        return (self.key() + sum(words[kind] for kind in change.come) - sum(words[k] for k in change.gone)) & _MASK

    def assess(self) -> tuple[int, TakeMove | None]:
        """One heap, or two equal ones of Wythoff's game, that a move takes away as a whole wins."""
        kinds = self._heaps.counted(self._position)
        last = max(kinds)
        first = self._heaps.first[last]
        moves = self._heaps.moves[first : first + self._heaps.counts[last]]
        alone = kinds[last] == 1 and len(kinds) == (2 if moves[0].gone[1] else 1)
        if alone and not self._position.game.misere:
            for each in moves:
                if each.come == (0, 0):
                    return WINS, each.move
        return NOTHING, None


@lru_cache(maxsize=16)
def _words(kinds: int) -> tuple[int, ...]:
    return (0, *random_words(kinds).tolist()[1:])
