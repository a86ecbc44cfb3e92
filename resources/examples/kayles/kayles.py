"""Kayles: rows of skittles; take one, or two that stand side by side. Whoever takes the last one wins."""

from __future__ import annotations

from functools import cached_property

from nimdesk.errors import GameParameterError
from nimdesk.games.base import Game, Move, Outcome, Position, numbers

MOST_ROWS, LONGEST_ROW = 9, 30
PIN, GAP = "!", "."


class KaylesMove(Move, frozen=True):
    """Take ``count`` pins, 1 or 2, of the row with this index, from ``pin`` on; both count from 0."""

    row: int
    pin: int
    count: int

    @property
    def text(self) -> str:
        """``2-5`` takes pin 5 of row 2, and ``2-5+6`` the two pins 5 and 6."""
        return f"{self.row + 1}-{self.pin + 1}" + (f"+{self.pin + 2}" if self.count == 2 else "")


class KaylesGame(Game, frozen=True):
    """``kayles:3,4,5``: how many pins each row has."""

    rows: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.rows) > MOST_ROWS or not all(1 <= row <= LONGEST_ROW for row in self.rows):
            raise GameParameterError(f"Kayles has 1 to {MOST_ROWS} rows of 1 to {LONGEST_ROW} pins, like 3,4,5.")

    @classmethod
    def parse(cls, parameters: str) -> KaylesGame:
        """Reads what follows the first colon."""
        return cls(numbers(f"kayles:{parameters}", parameters, "the rows of pins, like 3,4,5"))

    @property
    def text(self) -> str:
        return f"kayles:{','.join(map(str, self.rows))}"

    @property
    def title(self) -> str:
        return f"Kayles {'-'.join(map(str, self.rows))}"

    @property
    def rules_text(self) -> str:
        return "Take one pin, or two that stand side by side. Whoever takes the last pin wins."

    def start(self) -> KaylesPosition:
        return KaylesPosition(self, tuple(PIN * row for row in self.rows))


class KaylesPosition(Position[KaylesMove]):
    """``board`` has a text for each row, such as ``!!.!`` where pin 3 is gone."""

    game: KaylesGame
    board: tuple[str, ...]

    @cached_property
    def legal_moves(self) -> tuple[KaylesMove, ...]:
        places = [(row, pin) for row, pins in enumerate(self.board) for pin in range(len(pins))]
        moves = (KaylesMove(row, pin, count) for row, pin in places for count in (1, 2))
        return tuple(move for move in moves if self.board[move.row].startswith(PIN * move.count, move.pin))

    @cached_property
    def outcome(self) -> Outcome | None:
        return None if self.legal_moves else Outcome(self.turn.other, "took the last pin")

    def play(self, move: Move) -> KaylesPosition:
        self.check(move)
        assert isinstance(move, KaylesMove)
        rows, pins = list(self.board), self.board[move.row]
        rows[move.row] = pins[: move.pin] + GAP * move.count + pins[move.pin + move.count :]
        return KaylesPosition(self.game, tuple(rows), (*self.moves, move))

    @property
    def summary(self) -> str:
        """What stands, for lists."""
        return " ".join(self.board)

    @property
    def rows(self) -> tuple[str, ...]:
        """What stands, line by line, for the plain board."""
        return self.board
