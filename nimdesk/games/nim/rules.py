"""Nim: take sticks from one pile; who takes the last one wins (normal play) or loses (misère play)."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from nimdesk.errors import GameParameterError, NotationError
from nimdesk.games.base import Game, Move, Outcome, OutcomeReason, Position, Side, illegal, quoted

MAX_PILES = 12
MAX_PILE = 64


class NimMove(Move, frozen=True, order=True):
    """Take ``take`` sticks from the pile with index ``pile`` (0 is the first pile; in notation it is 1)."""

    pile: int
    take: int

    @property
    def text(self) -> str:
        """The pile's number, counted from 1, and the number of sticks: ``2-3`` takes 3 from pile 2."""
        return f"{self.pile + 1}-{self.take}"


class NimGame(Game, frozen=True):
    """Nim with 1 to 12 piles of 1 to 64 sticks.

    ``max_take`` limits how many sticks one move may take (None: as many as the pile has). In ``misere`` play
    the player who takes the last stick loses. Raises ``GameParameterError`` for anything out of bounds.
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
        """Such as "Nim 1-3-5-7, misère"."""
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

    def start(self) -> NimPosition:
        """All piles full, the first player to move."""
        return _start(self)

    def side_name(self, side: Side) -> str:
        """First or Second."""
        return "First" if side == Side.FIRST else "Second"


@lru_cache(maxsize=16)
def _start(game: NimGame) -> NimPosition:
    """One for all, with the legal moves that it keeps."""
    return NimPosition(game, game.piles, ())


class NimPosition(Position[NimMove]):
    """What is left of the piles, and whose turn it is."""

    _game: NimGame
    _piles: tuple[int, ...]
    _moves: tuple[NimMove, ...]

    def __init__(self, game: NimGame, piles: tuple[int, ...], moves: tuple[NimMove, ...]) -> None:
        """Made by ``NimGame.start`` and ``play``; ``piles`` keeps empty piles, so that numbers stay."""
        vars(self).update(_game=game, _piles=piles, _moves=moves)

    @property
    def game(self) -> NimGame:
        """The rules."""
        return self._game

    @property
    def moves(self) -> tuple[NimMove, ...]:
        """The moves played, oldest first."""
        return self._moves

    @property
    def piles(self) -> tuple[int, ...]:
        """Sticks left in each pile, in the order of the start; an emptied pile stays as 0."""
        return self._piles

    def largest_take(self, pile: int) -> int:
        """How many sticks one move may take from the pile with this index."""
        size = self._piles[pile]
        return size if self._game.max_take is None else min(size, self._game.max_take)

    @cached_property
    def legal_moves(self) -> tuple[NimMove, ...]:
        """By pile, then by number of sticks taken."""
        return tuple(
            NimMove(pile, take) for pile in range(len(self._piles)) for take in range(1, self.largest_take(pile) + 1)
        )

    @cached_property
    def outcome(self) -> Outcome | None:
        """Over when no stick is left: the last mover wins in normal play and loses in misère play."""
        if any(self._piles):
            return None
        if self._game.misere:
            return Outcome(self.turn, OutcomeReason.FORCED_LAST)
        return Outcome(self.turn.other, OutcomeReason.TOOK_LAST)

    def play(self, move: Move) -> NimPosition:
        """The position after the move."""
        if not isinstance(move, NimMove):
            raise illegal(self, move.text, "it is not a move of Nim")
        if self.outcome is None:
            self._check(move)
        else:
            raise illegal(self, move.text, "the game is over")
        left = self._piles[move.pile] - move.take
        piles = (*self._piles[: move.pile], left, *self._piles[move.pile + 1 :])
        return NimPosition(self._game, piles, (*self._moves, move))

    def _check(self, move: NimMove) -> None:
        if not 0 <= move.pile < len(self._piles):
            count = len(self._piles)
            raise illegal(self, move.text, "there is only pile 1" if count == 1 else f"the piles are 1 to {count}")
        size, limit = self._piles[move.pile], self.largest_take(move.pile)
        if not 1 <= move.take <= limit:
            sticks = "1 stick" if size == 1 else f"{size} sticks"
            allowed = "it is empty" if size == 0 else f"one move takes {'1' if limit == 1 else f'1 to {limit}'}"
            raise illegal(self, move.text, f"pile {move.pile + 1} has {sticks} and {allowed}")

    def parse_move(self, text: str) -> NimMove:
        """Reads ``2-3`` (3 from pile 2); with a single pile the number alone will do."""
        match = re.fullmatch(r"(?:([0-9]{1,4})-)?([0-9]{1,4})", text.strip())
        if match is None or (match[1] is None and len(self._piles) > 1):
            raise NotationError(
                f"{quoted(text)} is not a move of Nim; write the pile's number and how many to take, like 2-3."
            )
        move = NimMove(int(match[1] or "1") - 1, int(match[2]))
        self.play(move)
        return move

    def __eq__(self, other: object) -> bool:
        """Same game, same piles, same side to move."""
        if not isinstance(other, NimPosition):
            return NotImplemented
        return (self._piles, self.turn, self._game) == (other._piles, other.turn, other._game)

    def __hash__(self) -> int:
        """By what equality compares."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self._piles, self.turn, self._game))

    def __repr__(self) -> str:
        """The notation."""
        return f"<{self.text}>"
