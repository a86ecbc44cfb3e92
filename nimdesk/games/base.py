"""What every game offers: an immutable specification, immutable positions, moves, and an outcome.

Players are called by ``Side``; a position's value is always said from the view of a named side.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum, IntEnum
from typing import Generic, Self, TypeVar

import msgspec

from nimdesk.errors import IllegalMoveError


class Side(IntEnum):
    """One of the two players, by who moves first from the start position."""

    FIRST = 0
    SECOND = 1

    @property
    def other(self) -> Side:
        """The opponent."""
        return Side(1 - self)


class OutcomeReason(Enum):
    """Why a game is over."""

    TOOK_LAST = "took the last stick"
    FORCED_LAST = "made the opponent take the last stick"
    LINE = "completed a line"
    BOARD_FULL = "the board is full"


class Outcome(msgspec.Struct, frozen=True):
    """How a finished game ended: the winner, or None for a draw, and why."""

    winner: Side | None
    reason: OutcomeReason

    def score(self, side: Side) -> float:
        """1 if ``side`` won, 1/2 for a draw, 0 if it lost."""
        if self.winner is None:
            return 0.5
        return 1.0 if self.winner == side else 0.0


class Move(msgspec.Struct, frozen=True):
    """Base of the moves of all games; a move is a small value, equal and hashable by its fields."""

    @property
    def text(self) -> str:
        """The move in notation, such as ``2-3`` or ``b2``; ``position.parse_move`` reads it back."""
        raise NotImplementedError


class Game(msgspec.Struct, frozen=True):
    """The rules with their parameters: everything that stays the same from the first move to the last."""

    @property
    def text(self) -> str:
        """The game in notation, such as ``nim:21:max3`` or ``mnk:7,6,4:gravity``."""
        raise NotImplementedError

    @property
    def title(self) -> str:
        """The game in words, for headings and lists."""
        raise NotImplementedError

    @property
    def rules_text(self) -> str:
        """One or two sentences that tell a newcomer how to play and win."""
        raise NotImplementedError

    def start(self) -> Position[Move]:
        """The position before the first move."""
        raise NotImplementedError

    def side_name(self, side: Side) -> str:
        """What this game calls the player: "First", "X", ..."""
        raise NotImplementedError


M_co = TypeVar("M_co", bound=Move, covariant=True)


class Position(ABC, Generic[M_co]):
    """A position: the game, what lies on the board, whose turn it is, and the moves that led here.

    Positions are immutable. Two positions are equal, and hash alike, when game, board and turn are equal;
    the moves that led to them may differ.
    """

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a position never changes (without this, a cached property could be overwritten)."""
        raise AttributeError(f"a position is immutable; {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        """Refuse: a position never changes."""
        raise AttributeError(f"a position is immutable; {name} cannot be deleted")

    @property
    @abstractmethod
    def game(self) -> Game:
        """The rules this position belongs to."""

    @property
    @abstractmethod
    def moves(self) -> tuple[M_co, ...]:
        """The moves played since the start position, oldest first."""

    @property
    def ply(self) -> int:
        """How many moves have been played."""
        return len(self.moves)

    @property
    def turn(self) -> Side:
        """Who is to move (or would be, had the game not ended)."""
        return Side(self.ply % 2)

    @property
    @abstractmethod
    def legal_moves(self) -> tuple[M_co, ...]:
        """Every legal move in the game's fixed order; empty exactly when the game is over."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    @property
    def winner(self) -> Side | None:
        """Who won, or None for a draw and for a game that is not over."""
        return self.outcome.winner if self.outcome is not None else None

    @abstractmethod
    def play(self, move: Move) -> Self:
        """The position after ``move``; ``IllegalMoveError`` says what is legal when the move is not."""

    @abstractmethod
    def parse_move(self, text: str) -> M_co:
        """The legal move that ``text`` names here.

        Raises ``NotationError`` for a text that is no move of this game and ``IllegalMoveError`` for a move
        that is not legal in this position.
        """

    @property
    def text(self) -> str:
        """Game and moves in notation, such as ``nim:1,3,5,7 2-3 1-1``; ``parse_position`` reads it back."""
        return " ".join((self.game.text, *(move.text for move in self.moves)))


AnyPosition = Position[Move]


def quoted(text: str) -> str:
    """A text that a person gave, in quotation marks for an error: long ones shortened, control characters blanked."""
    shown = text if len(text) <= 60 else f"{text[:40]}…{text[-10:]}"
    return f"“{''.join(char if char.isprintable() else ' ' for char in shown)}”"


def illegal(position: AnyPosition, move_text: str, why: str) -> IllegalMoveError:
    """The error for a move that is not legal in ``position``: the move, why not, and what is legal."""
    if position.outcome is not None:
        return IllegalMoveError(f"The move {move_text} cannot be played: the game is over.")
    legal = [move.text for move in position.legal_moves]
    listed = ", ".join(legal) if len(legal) <= 12 else f"{', '.join(legal[:10])}, … ({len(legal)} in all)"
    return IllegalMoveError(f"The move {move_text} is not legal here: {why}. Legal moves: {listed}.")
