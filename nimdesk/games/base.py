"""What every game offers: an immutable specification, immutable positions, moves, and an outcome.

Players are called by ``Side``; a value always names the side that it is for. The ``describe_...`` functions are the
words that the window, the command line and screen readers share.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Hashable
from enum import IntEnum
from functools import cached_property
from typing import Generic, Self, TypeVar

import msgspec

from nimdesk.errors import GameParameterError, IllegalMoveError, NotationError, quoted

MOST_PLIES = 10_000
"""A game that goes on for longer has no end; saved games have as many moves at most."""


class Side(IntEnum):
    """One of the two players, by who moves first from the start position."""

    FIRST = 0
    SECOND = 1

    @property
    def other(self) -> Side:
        """The opponent."""
        return Side(1 - self)


# To make one takes as long as to do ten simulations.
_SIDES = Side.FIRST, Side.SECOND


class Outcome(msgspec.Struct, frozen=True):
    """How a finished game ended: the winner, None for a draw; and why in a few words, such as "took the last stick"."""

    winner: Side | None
    reason: str = ""

    def score(self, side: Side) -> float:
        """1 if ``side`` won, 1/2 for a draw, 0 if it lost."""
        if self.winner is None:
            return 0.5
        return 1.0 if self.winner == side else 0.0


class Move(msgspec.Struct, frozen=True):
    """Base of the moves of all games; a move is a small value, equal and hashable by its fields."""

    @property
    def text(self) -> str:
        """The move in notation, without spaces, such as ``2-3`` or ``b2``; ``position.parse_move`` reads it back."""
        raise NotImplementedError

    @property
    def words(self) -> str:
        """The move as a person says it, such as "take 3 from pile 2"."""
        return self.text

    def __str__(self) -> str:
        """The notation."""
        return self.text

    def __repr__(self) -> str:
        """The notation; or the fields, if they are such that there is none."""
        try:
            return self.text
        except Exception:  # what an agent of others returns may be made of anything
            return super().__repr__()


class Game(msgspec.Struct, frozen=True):
    """The rules with their parameters: everything that stays the same from the first move to the last.

    A new game needs ``text``, ``parse`` and ``start``; the other words have defaults.
    """

    @property
    def text(self) -> str:
        """The game in notation, such as ``nim:21:max3`` or ``mnk:7,6,4:gravity``."""
        raise NotImplementedError

    @classmethod
    def parse(cls, parameters: str) -> Self:
        """The game with these parameters: what follows the first colon of ``text``.

        Raises ``NotationError`` or ``GameParameterError`` with one sentence that says what is allowed; a ``ValueError``
        becomes a sentence with the kit's ``notation``.
        """
        raise NotImplementedError

    def start(self) -> Position[Move]:
        """The position before the first move."""
        raise NotImplementedError

    @property
    def title(self) -> str:
        """The game in words, for headings and lists."""
        return self.text

    @property
    def rules_text(self) -> str:
        """One or two sentences that tell a newcomer how to play and win."""
        return ""

    @property
    def hint(self) -> str:
        """What to do at one's turn, and why: a sentence or two in the words of a player at the board."""
        return self.rules_text

    def side_name(self, side: Side) -> str:
        """What this game calls the player: "First", "X", ..."""
        return "First" if side == Side.FIRST else "Second"


M_co = TypeVar("M_co", bound=Move, covariant=True)


class Position(ABC, Generic[M_co]):
    """A position: the game, the board, whose turn it is, and the moves that led here.

    Positions are immutable. They are equal, and hash alike, when game, board and turn are equal, whatever moves led to
    them. A new game needs ``legal_moves``, ``outcome`` and ``play``.
    """

    game: Game
    board: Hashable
    moves: tuple[M_co, ...]

    def __init__(self, game: Game, board: Hashable, moves: tuple[M_co, ...] = ()) -> None:
        """``board`` is an immutable value; ``moves`` are those since the start, oldest first."""
        vars(self).update(game=game, board=board, moves=moves)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a position never changes, and without this a cached property could be overwritten."""
        raise AttributeError(f"a position is immutable; {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        """Refuse: a position never changes."""
        raise AttributeError(f"a position is immutable; {name} cannot be deleted")

    @property
    def ply(self) -> int:
        """The number of moves played."""
        return len(self.moves)

    @property
    def turn(self) -> Side:
        """The side to move, or that would move had the game not ended."""
        return _SIDES[len(self.moves) % 2]

    @property
    @abstractmethod
    def legal_moves(self) -> tuple[M_co, ...]:
        """Every legal move in the game's fixed order; empty exactly when the game is over."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    @cached_property
    def winning_moves(self) -> tuple[M_co, ...]:
        """The legal moves that win at once, in their order. A game may say them faster than by playing every move."""
        return tuple(move for move in self.legal_moves if self.play(move).winner == self.turn)

    @property
    def winner(self) -> Side | None:
        """Who won, or None for a draw and for a game that is not over."""
        return self.outcome.winner if self.outcome is not None else None

    @abstractmethod
    def play(self, move: Move) -> Self:
        """The position after ``move``; an ``IllegalMoveError`` says what is legal (see ``check``)."""

    def check(self, move: Move) -> None:
        """Raise ``IllegalMoveError`` for a move that is not among the legal ones."""
        if move not in self.legal_moves:
            raise illegal(self, move.text, "it is not among the legal moves")

    def parse_move(self, text: str) -> M_co:
        """The legal move that ``text`` names here.

        Raises ``NotationError`` for a text that is no move of this game, and ``IllegalMoveError`` for a move that is
        not legal here.
        """
        wanted = text.strip().casefold()
        for move in self.legal_moves:
            if move.text.casefold() == wanted:
                return move
        if self.outcome is not None or not wanted:
            raise NotationError(f"{quoted(text)} is not a move here{': the game is over' if wanted else ''}.")
        raise NotationError(f"{quoted(text)} is not a move here. Legal moves: {_listed_moves(self)}.")

    @property
    def text(self) -> str:
        """Game and moves in notation, such as ``nim:1,3,5,7 2-3 1-1``; ``parse_position`` reads it back."""
        return " ".join((self.game.text, *(move.text for move in self.moves)))

    @property
    def summary(self) -> str:
        """The board in a few letters, such as "3-4-5 left"; "" if that takes a picture."""
        return ""

    @property
    def rows(self) -> tuple[str, ...]:
        """The board line by line, for a window without a picture of the game."""
        return (self.summary,) if self.summary else ()

    def __eq__(self, other: object) -> bool:
        """Same game, same board, same side to move."""
        if type(other) is not type(self):
            return NotImplemented
        return (self.board, self.turn, self.game) == (other.board, other.turn, other.game)

    def __hash__(self) -> int:
        """Consistent with equality."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.board, self.turn, self.game))

    def __repr__(self) -> str:
        """The notation."""
        return f"<{self.text}>"


AnyPosition = Position[Move]


def numbers(text: str, part: str, wanted: str) -> tuple[int, ...]:
    """The whole numbers in ``part`` of the notation ``text``. ``wanted`` describes them, such as "pile sizes, like
    3,4".
    """
    if not re.fullmatch(r"-?[0-9]+(,-?[0-9]+)*", part):
        raise NotationError(f"{quoted(part)} in {quoted(text)} is not understood; give {wanted}.")
    found = part.split(",")
    # Nine digits are more than any bound allows, and keep int() quick on pasted nonsense.
    if huge := next((number for number in found if len(number) > 9), None):
        raise GameParameterError(f"The number {quoted(huge)} has too many digits; give {wanted}.")
    return tuple(map(int, found))


def illegal(position: AnyPosition, move_text: str, why: str) -> IllegalMoveError:
    """The error for an illegal move in ``position``: the move, why, and what is legal."""
    if position.outcome is not None:
        return IllegalMoveError(f"The move {move_text} cannot be played: the game is over.")
    return IllegalMoveError(f"The move {move_text} is not legal here: {why}. Legal moves: {_listed_moves(position)}.")


def _listed_moves(position: AnyPosition) -> str:
    legal = [move.text for move in position.legal_moves]
    return ", ".join(legal) if len(legal) <= 12 else f"{', '.join(legal[:10])}, … ({len(legal)} in all)"


def describe_turn(position: AnyPosition) -> str:
    """The turn, such as "X to move", or the outcome of a finished game, such as "Draw: the board is full"."""
    if position.outcome is not None:
        return describe_outcome(position)
    return f"{position.game.side_name(position.turn)} to move"


def describe_outcome(position: AnyPosition) -> str:
    """Who won and why, as one phrase; the game must be over."""
    outcome = position.outcome
    if outcome is None:
        raise ValueError(f"{position!r} is not over")
    who = "Draw" if outcome.winner is None else f"{position.game.side_name(outcome.winner)} wins"
    return f"{who}: {outcome.reason}" if outcome.reason else who


def describe_move(move: Move) -> str:
    """Such as "take 3 from pile 2" or "b2"."""
    return move.words
