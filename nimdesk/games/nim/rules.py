"""Nim: take sticks from one pile; taking the last stick wins (normal play) or loses (misère play)."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from nimdesk.errors import GameParameterError, NotationError, quoted
from nimdesk.games.base import Game, Move, Outcome, Position, illegal, numbers

MAX_PILES = 12
MAX_PILE = 127


class NimMove(Move, frozen=True, order=True):
    """Take ``take`` sticks from the pile with index ``pile`` (0 is the first pile; in notation it is 1)."""

    pile: int
    take: int

    @property
    def text(self) -> str:
        """The pile's number, counted from 1, and the number of sticks: ``2-3`` takes 3 from pile 2."""
        return f"{self.pile + 1}-{self.take}"

    @property
    def words(self) -> str:
        """The move in words, such as "take 3 from pile 2"."""
        return f"take {self.take} from pile {self.pile + 1}"


class NimGame(Game, frozen=True):
    """Nim with 1 to 12 piles of 1 to 127 sticks.

    ``max_take`` limits the sticks that one move may take (None: the whole pile). In ``misere`` play the player who
    takes the last stick loses. Raises ``GameParameterError`` for anything out of bounds.
    """

    piles: tuple[int, ...]
    max_take: int | None = None
    misere: bool = False

    def __post_init__(self) -> None:
        """Check the bounds."""
        if not 1 <= len(self.piles) <= MAX_PILES:
            raise GameParameterError(
                f"Nim needs 1 to {MAX_PILES} piles, not {len(self.piles)}; give their sizes like 1,3,5,7."
            )
        for number, size in enumerate(self.piles, 1):
            if not 1 <= size <= MAX_PILE:
                raise GameParameterError(f"Pile {number} has {size} sticks; a pile holds 1 to {MAX_PILE}.")
        if self.max_take is not None and not 1 <= self.max_take <= MAX_PILE:
            raise GameParameterError(
                f"The largest take is {self.max_take}; it may be 1 to {MAX_PILE}, or left out for no limit."
            )

    @property
    def text(self) -> str:
        """``nim:1,3,5,7``, with ``:max3`` and ``:misere`` where they apply."""
        limit = f":max{self.max_take}" if self.max_take is not None else ""
        return f"nim:{','.join(map(str, self.piles))}{limit}{':misere' if self.misere else ''}"

    @property
    def title(self) -> str:
        """The title, such as "Nim 1-3-5-7, misère"."""
        limit = f", take 1–{self.max_take}" if self.max_take is not None else ""
        return f"Nim {'-'.join(map(str, self.piles))}{limit}{', misère' if self.misere else ''}"

    @property
    def rules_text(self) -> str:
        """How to play and win."""
        where = "the pile" if len(self.piles) == 1 else "any one pile"
        if self.max_take is None:
            what = f"Take as many sticks as you like, at least one, from {where}."
        elif self.max_take == 1:
            what = f"Take one stick from {where}."
        else:
            what = f"Take 1 to {self.max_take} sticks from {where}."
        return f"{what} Whoever takes the last stick {'loses' if self.misere else 'wins'}."

    @property
    def hint(self) -> str:
        """What to do at one's turn, and why."""
        most = "" if self.max_take is None else f" (at most {self.max_take})"
        end = "loses" if self.misere else "wins"
        return f"Click a stick to take it and all to its right{most}. Whoever takes the last stick {end}."

    @classmethod
    def parse(cls, parameters: str) -> NimGame:
        """Reads ``1,3,5,7``, then ``:max3`` and ``:misere`` in any order."""
        text = f"nim:{parameters}"
        sizes, *flags = parameters.split(":")
        piles = numbers(text, sizes, f"the pile sizes, each 1 to {MAX_PILE}, like 1,3,5,7")
        max_take: int | None = None
        misere = False
        for flag in flags:
            if flag == "misere" and not misere:
                misere = True
            elif (match := re.fullmatch(r"max(-?[0-9]{1,9})", flag)) and max_take is None:
                max_take = int(match[1])
            else:
                raise NotationError(
                    f"{quoted(f':{flag}')} in {quoted(text)} is not understood; :max3 and :misere may follow the piles."
                )
        return cls(piles, max_take, misere)

    def start(self) -> NimPosition:
        """All piles full, the first player to move."""
        return _start(self)


@lru_cache(maxsize=16)
def _start(game: NimGame) -> NimPosition:
    """The one start position of a game, shared because it caches its legal moves."""
    return NimPosition(game, game.piles)


class NimPosition(Position[NimMove]):
    """The remaining piles, and whose turn it is."""

    game: NimGame
    board: tuple[int, ...]

    @property
    def piles(self) -> tuple[int, ...]:
        """Sticks left in each pile, in the order of the start; an empty pile stays as 0, so that pile numbers stay."""
        return self.board

    @property
    def summary(self) -> str:
        """What is left, such as "3-4-5 left"."""
        return f"{'-'.join(map(str, self.board))} left"

    def largest_take(self, pile: int) -> int:
        """The most sticks that one move may take from the pile with this index."""
        size = self.board[pile]
        return size if self.game.max_take is None else min(size, self.game.max_take)

    @cached_property
    def legal_moves(self) -> tuple[NimMove, ...]:
        """By pile, then by number of sticks taken."""
        return tuple(
            NimMove(pile, take) for pile in range(len(self.board)) for take in range(1, self.largest_take(pile) + 1)
        )

    @cached_property
    def winning_moves(self) -> tuple[NimMove, ...]:
        """The move that takes the last stick, in normal play; in misère play no move wins at once."""
        left = [pile for pile, size in enumerate(self.board) if size]
        if self.game.misere or len(left) != 1 or self.largest_take(left[0]) < self.board[left[0]]:
            return ()
        return (NimMove(left[0], self.board[left[0]]),)

    @cached_property
    def outcome(self) -> Outcome | None:
        """The game is over when no stick is left: the last mover wins in normal play and loses in misère play."""
        if any(self.board):
            return None
        if self.game.misere:
            loser = self.game.side_name(self.turn.other)
            return Outcome(self.turn, f"{loser} had to take the last stick")
        return Outcome(self.turn.other, "took the last stick")

    def play(self, move: Move) -> NimPosition:
        """The position after the move."""
        if not isinstance(move, NimMove):
            raise illegal(self, move.text, "it is not a move of Nim")
        if self.outcome is None:
            self._check(move)
        else:
            raise illegal(self, move.text, "the game is over")
        left = self.board[move.pile] - move.take
        piles = (*self.board[: move.pile], left, *self.board[move.pile + 1 :])
        return NimPosition(self.game, piles, (*self.moves, move))

    def _check(self, move: NimMove) -> None:
        if not 0 <= move.pile < len(self.board):
            count = len(self.board)
            raise illegal(self, move.text, "there is only pile 1" if count == 1 else f"the piles are 1 to {count}")
        size, limit = self.board[move.pile], self.largest_take(move.pile)
        if not 1 <= move.take <= limit:
            sticks = "1 stick" if size == 1 else f"{size} sticks"
            allowed = "it is empty" if size == 0 else f"one move takes {'1' if limit == 1 else f'1 to {limit}'}"
            raise illegal(self, move.text, f"pile {move.pile + 1} has {sticks} and {allowed}")

    def parse_move(self, text: str) -> NimMove:
        """Reads ``2-3`` (3 from pile 2); with a single pile the number alone will do."""
        match = re.fullmatch(r"(?:([0-9]{1,4})-)?([0-9]{1,4})", text.strip())
        if match is None or (match[1] is None and len(self.board) > 1):
            raise NotationError(
                f"{quoted(text)} is not a move of Nim; write the pile's number and how many to take, like 2-3."
            )
        move = NimMove(int(match[1] or "1") - 1, int(match[2]))
        self.play(move)
        return move
