"""Strategies written down for ``verify``: what a side plays, and what it plays after each answer.

The search for wins (``solver.search``) tells the moves. Answers after which the same strategy goes on are written
together: the checker itself is asked whether what is written for one answer also holds after the next.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event

import numpy as np

from nimdesk.errors import GameParameterError
from nimdesk.games.mnk.rules import MnkGame
from nimdesk.games.mnk.solver import board as boards
from nimdesk.games.mnk.solver import search, table
from nimdesk.games.mnk.verify import Checker, WrongError, bits, sides_to_prove, word
from nimdesk.kernels.jit import first_use

Positions = list[dict[str, list[object]]]
Proofs = list[list[object]]
_Marks = frozenset[int]

_ENTRIES = 1 << 22
_SLICE = 20_000


Blocks = Callable[[_Marks, _Marks], list[int | None] | None]
"""How a side that is to move holds a draw by blocking alone, given its marks and the other side's: its mark, and the
reference to what was written. None if it cannot, or if that takes long to find out.
"""


def played(
    game: MnkGame, marks: list[_Marks], turn: int, stop: Event, most: int, positions: Positions, blocks: Blocks | None
) -> tuple[int | None, Proofs]:
    """The winner and the proofs; their positions are added to ``positions``.

    For a draw, ``blocks`` is asked first. ``GameParameterError`` if the positions would be more than ``most``.
    """
    solver = _Questions(game, stop)
    winner = solver.winner(marks, turn)
    writer = _Strategies(game, solver, most, positions, blocks if winner is None else None, wins=winner is not None)
    return winner, [writer.proof(side, marks, turn) for side in sides_to_prove(winner, marks, game.may_hurt)]


def _compile(game: MnkGame) -> None:
    """The work that ``first_use`` has done in another process, to which an event cannot be sent."""
    _Questions(game, Event())


class _Questions:
    """Asks the search for wins of positions of one board, which share its table."""

    def __init__(self, game: MnkGame, stop: Event) -> None:
        self._game, self._stop = game, stop
        self._table = table.new_table(_ENTRIES, self._board([frozenset(), frozenset()], 0).keys.shape[1])
        first_use("mnk-solver", (self._board([frozenset(), frozenset()], 0),), self._load, partial(_compile, game))

    def _load(self) -> None:
        search.run(self._board([frozenset(), frozenset()], 0), self._table, 0)

    def _board(self, marks: list[_Marks], turn: int) -> boards.Board:
        game = self._game
        placed = [(cell, side) for side in (0, 1) for cell in sorted(marks[side])]
        # The table must name moves as they are on this board, not on a symmetric one.
        return boards.make_board(game.m, game.n, game.k, game.gravity, game.exact, placed, turn, -1 - len(placed))

    def winner(self, marks: list[_Marks], turn: int) -> int | None:
        """The side that can win, None if neither can."""
        board = self._board(marks, turn)
        # The nearer wins first: without them, a large board is searched to its last cell.
        for plies in range(1, int(board.state[boards.OPEN]) + 1):
            side = turn if plies % 2 else 1 - turn
            if self._ask(board, side, turn, plies):
                return side
        return None

    def move(self, side: int, marks: list[_Marks], cells: list[int], *, wins: bool) -> int:
        """A cell by which the side to move wins, or with ``wins`` False keeps the other side from winning."""
        board, attacker = self._board(marks, side), side if wins else 1 - side
        plies = int(board.state[boards.OPEN])
        for within in range(1 if wins else plies, plies + 1, 2):
            if self._ask(board, attacker, side, within) == wins:
                break
        settled = int(board.frame[0, boards.F_MOVE])
        if settled >= 0:
            return settled
        remembered, gains = self._remembered(board, attacker, side), boards.gains(board)
        for cell in sorted(cells, key=lambda cell: (cell != remembered, -gains[cell])):
            if self._ask(board, attacker, side, within, cell) == wins:
                return cell
        raise AssertionError("the search has taken back what it said")

    def _remembered(self, board: boards.Board, attacker: int, turn: int) -> int:
        """The move that has settled the position before, or ``NEVER``."""
        key = board.frame_key[0]
        boards.current_key(board, key)
        with np.errstate(over="ignore"):
            at = table.find(self._table, key, attacker + 2 * turn)
        return int(table.best(self._table, at)) if at >= 0 else table.NEVER

    def _ask(self, board: boards.Board, attacker: int, turn: int, plies: int, cell: int = -1) -> bool:
        search.ask(board, attacker, plies, turn=turn, cell=cell)
        while board.state[boards.MODE] != boards.AT_REST:
            if self._stop.is_set():
                raise KeyboardInterrupt
            search.run(board, self._table, _SLICE)
        return bool(board.state[boards.YES])


class _Strategies:
    """Writes the strategies of one board; equal positions, and equal reasons, are written once."""

    def __init__(
        self,
        game: MnkGame,
        solver: _Questions,
        most: int,
        positions: Positions,
        blocks: Blocks | None,
        *,
        wins: bool,
    ) -> None:
        self.positions, self._blocks = positions, blocks
        self._checker = Checker(game.m, game.n, game.k, game.gravity, positions, exact=game.exact)
        self._game, self._solver, self._most, self._wins = game, solver, most, wins
        self._known: dict[tuple[_Marks, _Marks], int] = {}

    def proof(self, side: int, marks: list[_Marks], turn: int) -> list[object]:
        """The proof that the side wins, or does not lose."""
        own, other = marks[side], marks[1 - side]
        if turn == side:
            return ["strategy", None, self._plays(side, own, other)]
        return ["strategy", *self._answers(side, own, other)]

    def _plays(self, side: int, own: _Marks, other: _Marks) -> int:
        """The reference to a position with the side to move, which is written as it looks from one view."""
        turned = [[frozenset(image[cell] for cell in each) for each in (own, other)] for image in self._checker.images]
        view = min(range(len(turned)), key=lambda view: [sorted(each) for each in turned[view]])
        own, other = turned[view]
        if (own, other) not in self._known:
            self._known[own, other] = self._written(side, own, other)
        return 8 * self._known[own, other] + view

    def _written(self, side: int, own: _Marks, other: _Marks) -> int:
        """The number of a position with the side to move, written now."""
        cells = bits(self._checker.may_mark(word(own | other)))
        move = next((cell for cell in cells if self._checker.completes(cell, word(own))), None)
        blocking = self._blocks(own, other) if move is None and self._blocks is not None else None
        reason: dict[str, list[object]]
        if move is not None:
            reason = {"strategy": [move, [], None]}
        elif blocking is not None:
            reason = {"blocking": [*blocking]}
        else:
            move = self._solver.move(side, [own, other] if side == 0 else [other, own], cells, wins=self._wins)
            reason = {"strategy": [move, *self._answers(side, own | {move}, other)]}
        if len(self.positions) >= self._most:
            what = f"{self._game.text}: it would need more than {self._most:,} positions"
            raise GameParameterError(f"There is no certificate of {what}.")
        self.positions.append(reason)
        return len(self.positions) - 1

    def _answers(self, side: int, own: _Marks, other: _Marks) -> tuple[list[list[int]], int | None]:
        """What follows each named move of the other side, and what follows all other moves."""
        checker, marks, mine = self._checker, word(own | other), word(own)
        after: dict[int, int] = {}
        if not self._wins and all(line & mine for line, _ in checker.lines):
            return [], None
        for cell in bits(checker.may_mark(marks)):
            if not any(checker.completes(each, mine) for each in bits(checker.may_mark(marks | 1 << cell))):
                after[cell] = self._after(side, own, other | {cell}, list(after.values()))
        references = list(after.values())
        others = max(references, key=references.count, default=None)
        return [[cell, reference] for cell, reference in after.items() if reference != others], others

    def _after(self, side: int, own: _Marks, other: _Marks, written: list[int]) -> int:
        """One of the references ``written`` after other moves, if it holds here too; otherwise a new one."""
        for reference in sorted(set(written), key=written.count, reverse=True):
            try:
                self._checker.plays(reference, self._wins, word(own), word(other))
            except WrongError:
                continue
            return reference
        return self._plays(side, own, other)
