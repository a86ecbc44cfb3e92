"""m,n,k games: two players mark cells of m columns by n rows; k in a row wins."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from nimdesk.errors import GameParameterError, NotationError, quoted
from nimdesk.games.base import Game, Move, Outcome, Position, Side, illegal, numbers
from nimdesk.games.mnk.geometry import line_words

MAX_SIZE = 20
COLUMN_LETTERS = "abcdefghijklmnopqrst"
_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
_STONES_FROM = 9
"""Boards with at least this many columns and rows are played with stones."""
_NAMES = {
    (3, 3, 3, False): "Tic-tac-toe",
    (7, 6, 4, True): "Connect Four",
    (15, 15, 5, False): "Gomoku 15 × 15",
    (20, 20, 5, False): "Gomoku 20 × 20",
}
_SIDE_NAMES = {"disc": ("Red", "Yellow"), "stone": ("Black", "White"), "mark": ("X", "O")}


class MnkMove(Move, frozen=True, order=True):
    """Mark the cell in ``column`` and ``row``, both counted from 0 at the bottom left."""

    column: int
    row: int

    @property
    def text(self) -> str:
        """``b2`` is column b, row 2 from the bottom."""
        letter = COLUMN_LETTERS[self.column] if 0 <= self.column < MAX_SIZE else f"({self.column + 1})"
        return f"{letter}{self.row + 1}"


class MnkGame(Game, frozen=True):
    """m columns, n rows, k in a row (each 1 to 20); with gravity marks drop.

    With k above the longer side nobody can win. If ``exact``, a line of more than k does not win, for either side, and
    the game goes on: the rule of Gomocup's standard tournament. ``GameParameterError`` for anything out of bounds.
    """

    m: int
    n: int
    k: int
    gravity: bool = False
    exact: bool = False

    def __post_init__(self) -> None:
        """Check the bounds."""
        for name, value in (("columns (m)", self.m), ("rows (n)", self.n), ("marks in a row (k)", self.k)):
            if not 1 <= value <= MAX_SIZE:
                raise GameParameterError(f"The number of {name} is {value}; it may be 1 to {MAX_SIZE}.")

    @property
    def text(self) -> str:
        """``mnk:3,3,3``, with ``:gravity`` and ``:exact`` where they apply."""
        flags = f"{':gravity' * self.gravity}{':exact' * self.exact}"
        return f"mnk:{self.m},{self.n},{self.k}{flags}"

    @property
    def title(self) -> str:
        """The common name if there is one, otherwise the numbers, such as "5,5,4"."""
        numbers = f"{self.m},{self.n},{self.k}{' with gravity' if self.gravity else ''}"
        name = _NAMES.get((self.m, self.n, self.k, self.gravity), numbers)
        return f"{name} (exactly {self.k})" if self.exact else name

    @property
    def rules_text(self) -> str:
        """How to play and win."""
        where = {
            "disc": "drop a disc into any column that is not full",
            "stone": "put a stone on any empty place",
            "mark": "mark any empty cell",
        }[self.pieces]
        return f"Take turns to {where}. {self._goal}"

    @property
    def hint(self) -> str:
        """What to do at one's turn, and why."""
        what = {
            "disc": "Click a column to drop your disc",
            "stone": "Click where two lines cross to put your stone",
            "mark": "Click an empty cell to mark it",
        }[self.pieces]
        return f"{what}. {self._goal}"

    @property
    def _goal(self) -> str:
        if self.exact:
            return f"Exactly {self.k} of your own in a row wins: across, up or diagonally. More do not win."
        return f"{self.k} of your own in a row wins: across, up or diagonally."

    @property
    def wins_with(self) -> str:
        """What wins, such as "5 in a row"."""
        return f"{'exactly ' if self.exact else ''}{self.k} in a row"

    @classmethod
    def parse(cls, parameters: str) -> MnkGame:
        """Reads ``3,3,3``, then in any order ``:gravity`` where marks drop, ``:exact`` where k alone wins."""
        text = f"mnk:{parameters}"
        first, *flags = parameters.split(":")
        sizes = numbers(text, first, f"columns, rows and how many in a row, each 1 to {MAX_SIZE}, like 3,3,3")
        if len(sizes) != 3:
            raise GameParameterError(
                f"{quoted(text)} gives {len(sizes)} number{'s' * (len(sizes) != 1)}; "
                "an m,n,k game needs three, like mnk:3,3,3."
            )
        if len(set(flags)) < len(flags) or not set(flags) <= {"gravity", "exact"}:
            raise NotationError(
                f"{quoted(':'.join(['', *flags]))} in {quoted(text)} is not understood; :gravity and :exact may follow."
            )
        return cls(*sizes, gravity="gravity" in flags, exact="exact" in flags)

    def start(self) -> MnkPosition:
        """The empty board."""
        return _start(self)

    @property
    def pieces(self) -> str:
        """What it is played with: a "disc" that drops, a "stone" on a large board, otherwise a "mark"."""
        large = min(self.m, self.n) >= _STONES_FROM
        return "disc" if self.gravity else "stone" if large else "mark"

    @property
    def may_hurt(self) -> bool:
        """Whether it can be bad to have one mark more: with gravity, and where a line can become too long."""
        return self.gravity or self.exact

    def side_name(self, side: Side) -> str:
        """X moves first, O second; or the colours of their discs or stones."""
        return _SIDE_NAMES[self.pieces][side]


@lru_cache(maxsize=16)
def all_cells(m: int, n: int) -> tuple[MnkMove, ...]:
    """Every cell as a move, row by row. Made once, because making them takes longer than finding the legal ones."""
    return tuple(MnkMove(column, row) for row in range(n) for column in range(m))


@lru_cache(maxsize=16)
def _start(game: MnkGame) -> MnkPosition:
    """The one start position of a game, shared because it caches its legal moves."""
    return MnkPosition(game, (0, 0), (), ())


class MnkPosition(Position[MnkMove]):
    """The marks on the board, and whose turn it is."""

    game: MnkGame
    board: tuple[int, int]
    _line: tuple[MnkMove, ...]

    def __init__(
        self, game: MnkGame, marks: tuple[int, int], moves: tuple[MnkMove, ...], winning_line: tuple[MnkMove, ...]
    ) -> None:
        """Made by ``MnkGame.start`` and ``play``; ``marks`` has a bit ``row * m + column`` for each cell, by side."""
        super().__init__(game, marks, moves)
        vars(self).update(_line=winning_line)

    @property
    def winning_line(self) -> tuple[MnkMove, ...]:
        """The cells of the line that ended the game (more than k if it is longer); empty if there is none."""
        return self._line

    def mark(self, column: int, row: int) -> Side | None:
        """Whose mark is in the cell, or None if it is empty."""
        bit = 1 << (row * self.game.m + column)
        if self.board[Side.FIRST] & bit:
            return Side.FIRST
        return Side.SECOND if self.board[Side.SECOND] & bit else None

    @cached_property
    def legal_moves(self) -> tuple[MnkMove, ...]:
        """Row by row from the bottom left; with gravity the lowest empty cell of each column, from the left."""
        if self._line:
            return ()
        game = self.game
        if not game.gravity:
            taken = self.board[Side.FIRST] | self.board[Side.SECOND]
            return tuple(move for cell, move in enumerate(all_cells(game.m, game.n)) if not taken >> cell & 1)
        rows = ((column, self.drop_row(column)) for column in range(game.m))
        return tuple(MnkMove(column, row) for column, row in rows if row is not None)

    def drop_row(self, column: int) -> int | None:
        """The lowest empty row of the column, or None if the column is full."""
        return next((row for row in range(self.game.n) if self.mark(column, row) is None), None)

    @cached_property
    def winning_moves(self) -> tuple[MnkMove, ...]:
        """The legal moves that complete a line."""
        game, own, other = self.game, self.board[self.turn], self.board[self.turn.other]
        gaps = 0
        for window, around in line_words(game.m, game.n, game.k, game.exact):
            rest = window & ~own
            if not rest & other and rest & (rest - 1) == 0 and own & around == own & window:
                gaps |= rest
        return tuple(move for move in self.legal_moves if gaps >> (move.row * game.m + move.column) & 1)

    @cached_property
    def outcome(self) -> Outcome | None:
        """The game is over with a line that wins, or when the board is full; None before."""
        if self._line:
            return Outcome(self.turn.other, self.game.wins_with)
        if len(self.moves) == self.game.m * self.game.n:
            return Outcome(None, "the board is full")
        return None

    def play(self, move: Move) -> MnkPosition:
        """The position after the move."""
        if not isinstance(move, MnkMove):
            raise illegal(self, move.text, "it is not a move of an m,n,k game")
        if self.outcome is not None:
            raise illegal(self, move.text, "the game is over")
        self._check(move)
        bit = 1 << (move.row * self.game.m + move.column)
        first, second = self.board
        marks = (first | bit, second) if self.turn == Side.FIRST else (first, second | bit)
        line = self._line_through(move, marks[self.turn])
        return MnkPosition(self.game, marks, (*self.moves, move), line)

    def _check(self, move: MnkMove) -> None:
        game = self.game
        if not (0 <= move.column < game.m and 0 <= move.row < game.n):
            corner = MnkMove(game.m - 1, game.n - 1).text
            raise illegal(self, move.text, f"the board goes from a1 to {corner}")
        lowest = self.drop_row(move.column)
        if game.gravity and lowest is None:
            raise illegal(self, move.text, f"column {COLUMN_LETTERS[move.column]} is full")
        if self.mark(move.column, move.row) is not None:
            raise illegal(self, move.text, "the cell is taken")
        if game.gravity and lowest is not None and move.row != lowest:
            landing = MnkMove(move.column, lowest).text
            raise illegal(self, move.text, f"a mark dropped there lands on {landing}")

    def _line_through(self, move: MnkMove, marks: int) -> tuple[MnkMove, ...]:
        game = self.game
        cells: set[MnkMove] = set()
        for step_column, step_row in _DIRECTIONS:
            line = [move]
            for sign in (1, -1):
                column, row = move.column + sign * step_column, move.row + sign * step_row
                while 0 <= column < game.m and 0 <= row < game.n and marks >> (row * game.m + column) & 1:
                    line.append(MnkMove(column, row))
                    column, row = column + sign * step_column, row + sign * step_row
            if len(line) == game.k or (len(line) > game.k and not game.exact):
                cells.update(line)
        return tuple(sorted(cells))

    def parse_move(self, text: str) -> MnkMove:
        """Reads ``b2`` or ``B2``; with gravity the column's letter alone will do."""
        match = re.fullmatch(r"([a-tA-T])([0-9]{1,3})?", text.strip())
        if match is None or (match[2] is None and not self.game.gravity):
            raise NotationError(
                f"{quoted(text)} is not a move on this board; write the column's letter and the row's number, like b2."
            )
        column = COLUMN_LETTERS.index(match[1].lower())
        if match[2] is not None:
            row = int(match[2]) - 1
        else:
            lowest = self.drop_row(column) if column < self.game.m else 0
            row = lowest if lowest is not None else self.game.n - 1
        move = MnkMove(column, row)
        self.play(move)
        return move
