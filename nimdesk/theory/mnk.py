"""The exact solver of m,n,k games: win, draw or loss and the distance to the end, for every legal move.

What is known of a move is a pair of bounds for each side: no win within ``low`` plies, a win within ``high``. A
sequence of yes-or-no questions (see ``nimdesk.kernels.mnk_solve``) tightens them: first whether each side can win at
all from the position, then the same after every move, then how soon. A question that takes too long is put back and
asked again with four times the effort; the table of proven positions keeps what it found.

Without gravity a mark more never hurts its owner. So if the opponent could not win even if it were to move now, no
move loses; and from an empty board the second player cannot win if the first cannot (strategy stealing).

Values to compare with: Uiterwijk and van den Herik, The advantage of the initiative (2000); Allis, A knowledge-based
approach of Connect-Four (1988).
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from nimdesk.errors import GameParameterError
from nimdesk.games import AnyPosition, MnkMove, MnkPosition, Side
from nimdesk.kernels import mnk_solve as search
from nimdesk.kernels import mnk_solve_board as boards
from nimdesk.kernels import mnk_solve_table as tables
from nimdesk.kernels.mnk_solve_table import NEVER
from nimdesk.limit import Limit
from nimdesk.theory.types import MoveTruth, Truth, Value

# One kernel call is meant to take about this long.
_SLICE_S = 0.003
_FIRST_SLICE = 100
_FIRST_ENTRIES = 1 << 13
_MIGRATE_ROWS = 1 << 16
_FIRST_EFFORT = 4_000
# The value of the position comes before those of its moves.
_ROOT_FIRST = 16
_SYMMETRIC_PLIES = 10
# A forced win is looked for by itself where the board is too large for everything to be looked at.
_LARGE_BOARD = 40


@dataclass(slots=True)
class _Bounds:
    """The attacker has no win within ``low`` plies, and one within ``high`` (``NEVER``: none is known)."""

    low: int = 0
    high: int = NEVER

    @property
    def open(self) -> bool:
        """Whether it is not known if there is a win."""
        return self.high == NEVER and self.low < NEVER

    @property
    def exact(self) -> bool:
        """Whether the distance is known: it has the parity of ``high``."""
        return self.low == NEVER or self.high - self.low <= 2

    def learn(self, yes: bool, bound: int) -> None:
        """Add an answer."""
        if yes:
            self.high = min(self.high, bound)
        else:
            self.low = max(self.low, min(bound, NEVER))


@dataclass(slots=True)
class _Group:
    """Root moves that lead to the same position but for symmetry, and the bounds for mover and opponent."""

    moves: list[MnkMove]
    cells: list[int]
    mover: _Bounds = field(default_factory=_Bounds)
    opponent: _Bounds = field(default_factory=_Bounds)

    @property
    def cell(self) -> int:
        """That of the first of them."""
        return self.cells[0]

    @property
    def value(self) -> Value:
        """For the side that plays the move."""
        if self.mover.high < NEVER:
            return Value.WIN
        if self.opponent.high < NEVER:
            return Value.LOSS
        return Value.DRAW if self.mover.low == NEVER and self.opponent.low == NEVER else Value.UNKNOWN

    @property
    def distance_known(self) -> bool:
        """Whether the winner's bounds have met; a draw is played to a full board."""
        return self.mover.exact and self.opponent.exact


def _exclude(one: _Bounds, other: _Bounds) -> None:
    """Only one side can have a win."""
    if one.high < NEVER:
        other.low = NEVER
    elif other.high < NEVER:
        one.low = NEVER


class _Question(NamedTuple):
    """Can ``attacker`` win within ``plies``, after the mark in ``cell`` or (-1) at the root, ``turn`` to move?"""

    cell: int
    turn: int
    attacker: int
    plies: int
    effort: int
    forcing: bool = False


class _Answer(NamedTuple):
    yes: bool
    bound: int
    move: int


_Plan = Generator[_Question, _Answer | None, None]


class MnkSolver:
    """A ``Solver`` for every ``MnkPosition``.

    ``advance`` returns True when the value of every move and (with ``distances``) its distance are known; the time
    limit is met within a few milliseconds, the limit on nodes exactly. ``memory_mb`` bounds the table, which starts
    small and grows with the work.
    """

    def __init__(self, *, distances: bool = True, memory_mb: int = 256) -> None:
        """Nothing is computed before ``start``."""
        self._distances = distances
        self._memory = memory_mb * 1024 * 1024

    def start(self, position: AnyPosition) -> None:
        """Begin with this position; a finished game is solved at once. ``GameParameterError`` for another game."""
        if not isinstance(position, MnkPosition):
            raise GameParameterError(f"This solver knows m,n,k games only, not {position.game.text}.")
        self._position = position
        self._nodes, self._elapsed_s, self._per_s = 0, 0.0, 0.0
        self._groups: list[_Group] = []
        self._group_of: dict[MnkMove, _Group] = {}
        self._mover, self._opponent = _Bounds(), _Bounds()
        self._question: _Question | None = None
        self._plan: _Plan | None = None
        self._pass_loses = False
        self._larger: np.ndarray[tuple[int, ...], np.dtype[np.uint64]] | None = None
        if position.outcome is not None:
            return
        game = position.game
        cells = [(c, r) for r in range(game.n) for c in range(game.m)]
        marks = [(r * game.m + c, int(side)) for c, r in cells if (side := position.mark(c, r)) is not None]
        self._turn = int(position.turn)
        self._empty = len(cells) - len(marks)
        self._board = boards.make_board(game.m, game.n, game.k, game.gravity, marks, self._turn, _SYMMETRIC_PLIES)
        self._table = tables.new_table(_FIRST_ENTRIES, self._board.words)
        self._filled = 0
        self._nobody = not self._board.state[boards.POTENTIAL :].any()
        self._group_moves()
        self._plan = self._work()
        self._put_question(next(self._plan, None))

    def _group_moves(self) -> None:
        """Sort the legal moves into groups, and judge those that end the game."""
        game, groups = self._position.game, dict[tuple[int, ...], _Group]()
        key = np.zeros(self._board.words, np.uint64)
        for move in self._position.legal_moves:
            cell = move.row * game.m + move.column
            if self._board.threats[2 * cell + self._turn]:
                group = _Group([], [], _Bounds(0, 1), _Bounds(NEVER))
                self._groups.append(group)
            else:
                search.place_mark(self._board, cell)
                search.position_key(self._board, key)
                search.remove_mark(self._board, cell)
                group = groups.setdefault(tuple(key.tolist()), _Group([], []))
                if not group.moves:
                    self._groups.append(group)
                if self._empty == 1:
                    group.mover.low = group.opponent.low = NEVER
            group.moves.append(move)
            group.cells.append(cell)
            self._group_of[move] = group
        self._conclude()

    # The plan: which questions to ask, in which order.

    def _work(self) -> _Plan:
        effort = _FIRST_EFFORT
        while not self._done:
            if self._value is Value.UNKNOWN:
                yield from self._ask_root(_ROOT_FIRST * effort)
            for group in self._groups:
                yield from self._ask_move(group, effort)
            effort *= 4

    def _ask_root(self, effort: int) -> _Plan:
        turn, other, gravity = self._turn, 1 - self._turn, self._position.game.gravity
        if self._mover.open and self._empty > _LARGE_BOARD and not gravity:
            answer = yield _Question(-1, turn, turn, self._empty, effort, forcing=True)
            if answer is not None and answer.yes:
                self._learn_root(turn, answer)
        yield from self._ask_bounds(-1, turn, self._mover, effort)
        if self._mover.low == NEVER and self._opponent.open and not gravity and not self._pass_loses:
            if self._empty == len(self._board.open):
                answer: _Answer | None = _Answer(False, NEVER, -1)
            else:
                answer = yield _Question(-1, other, other, self._empty, effort)
            if answer is not None:
                self._learn_pass(answer)
        yield from self._ask_bounds(-1, other, self._opponent, effort)

    def _ask_bounds(self, cell: int, attacker: int, bounds: _Bounds, effort: int) -> _Plan:
        """Ask whether there is a win at all, then for nearer ones, until ``effort`` is spent or the value known."""
        if bounds.open:
            yield from self._ask(cell, attacker, bounds, self._empty, effort)
        first = 1 if attacker == self._turn else 2
        begin = self._nodes
        while bounds.open and self._nodes - begin < effort:
            plies = bounds.low + 1 + (bounds.low + 1 - first) % 2
            yield from self._ask(cell, attacker, bounds, plies, effort)

    def _ask(self, cell: int, attacker: int, bounds: _Bounds, plies: int, effort: int) -> _Plan:
        turn = self._turn if cell < 0 else 1 - self._turn
        answer = yield _Question(cell, turn, attacker, plies - (cell >= 0), effort)
        if answer is None:
            return
        if cell < 0:
            self._learn_root(attacker, answer)
        else:
            bounds.learn(answer.yes, answer.bound + 1)
        self._conclude()

    def _ask_move(self, group: _Group, effort: int) -> _Plan:
        turn, other = self._turn, 1 - self._turn
        if group.value is Value.UNKNOWN:
            if self._mover.low < NEVER:
                yield from self._ask_bounds(group.cell, turn, group.mover, effort)
            if group.value is Value.UNKNOWN:
                if self._empty > _LARGE_BOARD and not self._position.game.gravity:
                    answer = yield _Question(group.cell, other, other, self._empty - 1, effort, forcing=True)
                    if answer is not None and answer.yes:
                        group.opponent.learn(True, answer.bound + 1)
                yield from self._ask_bounds(group.cell, other, group.opponent, effort)
        if self._distances and group.value in (Value.WIN, Value.LOSS):
            won = group.value is Value.WIN
            bounds, attacker = (group.mover, turn) if won else (group.opponent, other)
            begin = self._nodes
            while not bounds.exact and self._nodes - begin < effort:
                plies = bounds.low + 1 + (bounds.low + 1 - bounds.high) % 2
                yield from self._ask(group.cell, attacker, bounds, plies, effort)

    # What follows from the answers.

    def _learn_pass(self, answer: _Answer) -> None:
        """The opponent's chances if it were to move now: a mark more for the mover would not improve them."""
        self._pass_loses = answer.yes
        if not answer.yes:
            for group in self._groups:
                group.opponent.learn(False, answer.bound + 1)
            self._conclude()

    def _learn_root(self, attacker: int, answer: _Answer) -> None:
        """A win of the mover needs one move, a win of the opponent takes them all; and the other way round."""
        ours = attacker == self._turn
        (self._mover if ours else self._opponent).learn(answer.yes, answer.bound)
        for group in self._groups:
            if ours != answer.yes or answer.move in group.cells:
                (group.mover if ours else group.opponent).learn(answer.yes, answer.bound)
        self._conclude()

    def _conclude(self) -> None:
        """From one side to the other, and from the moves to the root."""
        for group in self._groups:
            _exclude(group.mover, group.opponent)
        self._mover.learn(True, min(group.mover.high for group in self._groups))
        self._mover.learn(False, min(group.mover.low for group in self._groups))
        self._opponent.learn(True, max(group.opponent.high for group in self._groups))
        self._opponent.learn(False, max(group.opponent.low for group in self._groups))
        _exclude(self._mover, self._opponent)

    @property
    def _value(self) -> Value:
        if self._mover.high < NEVER:
            return Value.WIN
        if self._opponent.high < NEVER:
            return Value.LOSS
        return Value.DRAW if self._mover.low == NEVER and self._opponent.low == NEVER else Value.UNKNOWN

    @property
    def _done(self) -> bool:
        return self._value is not Value.UNKNOWN and all(self._settled(group) for group in self._groups)

    def _settled(self, group: _Group) -> bool:
        return group.value is not Value.UNKNOWN and (not self._distances or group.distance_known)

    # The work itself.

    def advance(self, limit: Limit) -> bool:
        """Work on until ``limit`` (counted from the start) is met; True when the truth is complete."""
        while self._plan is not None:
            nodes_left = math.inf if limit.nodes is None else limit.nodes - self._nodes
            time_left = math.inf if limit.time_s is None else limit.time_s - self._elapsed_s
            if nodes_left <= 0 or time_left <= 0:
                return False
            begin = time.perf_counter()
            if self._larger is not None:
                self._migrate()
            else:
                self._slice(nodes_left, time_left)
            self._elapsed_s += time.perf_counter() - begin
        return True

    def _slice(self, nodes_left: float, time_left: float) -> None:
        assert self._question is not None
        effort_left = self._question.effort - (self._nodes - self._asked_at)
        count = self._per_s * min(_SLICE_S, max(time_left, 0.0002)) if self._per_s else _FIRST_SLICE
        count = int(min(max(count, 1), nodes_left, effort_left))
        begin = time.perf_counter()
        self._filled += search.run(self._board, self._table, count)
        took = time.perf_counter() - begin
        done, self._nodes = int(self._board.state[boards.NODES]) - self._nodes, int(self._board.state[boards.NODES])
        if took > 0 and (done >= _FIRST_SLICE or not self._per_s):
            self._per_s = done / took
        state = self._board.state
        if state[boards.MODE] == search.DONE:
            move = int(self._board.frame[0, boards.F_MOVE])
            self._answer(_Answer(bool(state[boards.YES]), int(state[boards.BOUND]), move))
        elif self._nodes - self._asked_at >= self._question.effort:
            search.give_up(self._board)
            self._answer(None)
        if 2 * self._filled > len(self._table) and 4 * self._table.nbytes <= self._memory:
            self._larger, self._migrated = tables.new_table(4 * len(self._table), self._board.words), 0

    def _migrate(self) -> None:
        """Move some more entries to the larger table."""
        assert self._larger is not None
        begin = self._migrated
        self._migrated = min(begin + _MIGRATE_ROWS, len(self._table))
        search_filled = tables.migrate(self._table, self._larger, begin, self._migrated)
        self._filled = search_filled if begin == 0 else self._filled + search_filled
        if self._migrated == len(self._table):
            self._table, self._larger = self._larger, None

    def _answer(self, answer: _Answer | None) -> None:
        """Hand the answer to the plan, and put its next question."""
        assert self._question is not None
        assert self._plan is not None
        self._rest()
        try:
            self._put_question(self._plan.send(answer))
        except StopIteration:
            self._plan = None

    def _rest(self) -> None:
        assert self._question is not None
        if self._question.cell >= 0:
            search.remove_mark(self._board, self._question.cell)
        self._board.state[boards.TURN] = self._turn

    def _put_question(self, question: _Question | None) -> None:
        self._question = question
        if question is None:
            self._plan = None
            return
        if question.cell >= 0:
            search.place_mark(self._board, question.cell)
        self._board.state[boards.TURN] = question.turn
        search.ask(self._board, question.attacker, question.plies, int(question.forcing))
        self._asked_at = self._nodes

    # What it says.

    @property
    def progress(self) -> float:
        """About how much is done, 0 to 1: values and distances known, the position's own value first."""
        if self._plan is None:
            return 1.0
        known = sum((group.value is not Value.UNKNOWN) + self._settled(group) for group in self._groups)
        own = self._value is not Value.UNKNOWN
        return (known / (2 * len(self._groups)) + own) / 2

    def truth(self) -> Truth:
        """What is proven by now; what is not yet proven is UNKNOWN."""
        position, outcome = self._position, self._position.outcome
        if outcome is not None:
            value = Value.DRAW if outcome.winner is None else Value.LOSS
            return Truth(position, value, 0, (), explanation=_over_text(position))
        value, distance = self._value, None
        if value is Value.DRAW:
            distance = self._empty
        elif value is not Value.UNKNOWN:
            bounds = self._mover if value is Value.WIN else self._opponent
            distance = bounds.high if bounds.exact else None
        moves = tuple(self._move_truth(move) for move in position.legal_moves)
        text = self._text(value, distance)
        return Truth(position, value, distance, moves, self._nodes, self._elapsed_s, text)

    def _move_truth(self, move: MnkMove) -> MoveTruth:
        group = self._group_of[move]
        if group.value is Value.DRAW:
            return MoveTruth(move, Value.DRAW, self._empty)
        bounds = group.mover if group.value is Value.WIN else group.opponent
        known = group.value is not Value.UNKNOWN and bounds.exact
        return MoveTruth(move, group.value, bounds.high if known else None)

    def _text(self, value: Value, distance: int | None) -> str:
        positions = f"{self._nodes:,} position{'' if self._nodes == 1 else 's'}"
        if value is Value.UNKNOWN:
            return f"Not proven within the budget: {positions} searched."
        if value is Value.DRAW:
            if self._nobody:
                return "Nobody can win: every line is blocked."
            return f"A draw with best play: proven by searching {positions}."
        side = self._position.turn if value is Value.WIN else self._position.turn.other
        winner = self._position.game.side_name(side)
        if self._mover.high == 1:
            return f"{winner} wins in 1 ply: a line can be completed at once."
        within = f"wins in {distance} plies" if distance is not None else "wins (how soon is not yet known)"
        return f"{winner} {within}: proven by searching {positions}."


def _over_text(position: MnkPosition) -> str:
    if position.winner is None:
        return "The game is over: a draw."
    return f"The game is over: {position.game.side_name(Side(position.winner))} has won."
