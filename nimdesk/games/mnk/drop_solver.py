"""The exact solver of Connect Four on all boards that a word has room for: value and distance of every move.

The stones of both sides are words (see ``solver.drop_search``). What is known of a move is a pair of bounds on its
score. Questions tighten them: whether the position is soon won or lost, then whether it is won, drawn or lost at all,
and when; then these questions are asked of every move. Two threads ask about different moves and share the table, whose
entries are single words: an overwritten entry is lost, but none is ever wrong. On the usual board the values of the
first plies are looked up in the ``book``. Published values to compare with: Allis, A knowledge-based approach of
Connect-Four (1988); Tromp, John's Connect Four Playground (1995 on), for all small boards.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from threading import Condition

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.mnk import book
from nimdesk.games.mnk.rules import MnkGame, MnkMove, MnkPosition
from nimdesk.games.mnk.sliced import Pace, SlicedSolver
from nimdesk.games.mnk.solver import drop_search as search
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.kernels.jit import first_use

_GROW_BITS = 2
# With a small table, which stays in the processor's caches, a second searches twice as many positions, and little of
# what the table loses is asked for again.
_USES = 128
_MIGRATE_PLACES = 1 << 16
_THREADS = min(2, os.cpu_count() or 1)
# A second thread pays only after this many positions: each call of ``advance`` starts it anew.
_ALONE = 20_000
_WAIT_S = 0.003


def covers(game: MnkGame) -> bool:
    """Whether this solver is for the game."""
    return game.gravity and not game.exact and game.k == 4 and search.fits(game.m, game.n)


@dataclass(slots=True)
class _Move:
    """A legal move, the position after it, and what is known of its score for the side that plays it."""

    move: MnkMove
    own: int
    taken: int
    low: int
    high: int

    @property
    def value(self) -> Value:
        """The value for the side that plays the move."""
        return _value(self.low, self.high)


def _value(low: int, high: int) -> Value:
    if low > 0:
        return Value.WIN
    if high < 0:
        return Value.LOSS
    return Value.DRAW if low == high == 0 else Value.UNKNOWN


# A move, and the score that it may be above.
_Question = tuple[_Move, int]


@dataclass(slots=True)
class _Searcher:
    """A search, and the question that it works on."""

    search: search.DropSearch
    asked: _Question | None = None
    pace: Pace = field(default_factory=Pace)


class DropSolver(SlicedSolver):
    """A ``Solver`` for every ``MnkPosition`` whose game it ``covers``.

    ``advance`` returns True when the value of every move and (with ``distances``) its distance are known. The time
    limit is met within a few milliseconds, the limit on nodes exactly. ``memory_mb`` bounds the table, which starts
    small and grows after ``uses`` positions for each of its places. Without ``use_book`` everything is searched.
    ``threads`` work side by side; with a limit on nodes there is one, so that the same positions are searched each
    time. No thread outlives ``advance``.
    """

    def __init__(
        self,
        *,
        distances: bool = True,
        memory_mb: int = 256,
        uses: int = _USES,
        use_book: bool = True,
        threads: int = _THREADS,
    ) -> None:
        self._distances, self._use_book, self._threads = distances, use_book, threads
        self._memory, self._uses = memory_mb * 1024 * 1024, uses

    def start(self, position: MnkPosition) -> None:
        """Begin with a position that is not over.

        The first start in a process loads the kernels, and compiles them if this machine has never done so.
        """
        game = position.game
        self._begin(position)
        self._cells, self._stones = game.m * game.n, len(position.moves)
        self._searchers = [_Searcher(search.make_search(game.m, game.n)) for _ in range(self._threads)]
        self._search = self._searchers[0].search
        self._shift = search.first_shift(self._search)
        self._table = search.new_table(self._search, self._shift)
        first_use("mnk-drop", (self._search,), self._load, partial(_start, position))
        self._moves = self._list_moves()
        # What is known of the moves, and what is asked, is changed by one thread at a time.
        self._changed, self._pausing = Condition(), False

    def _load(self) -> None:
        search.run(self._search, self._table, self._shift, 0)
        search.migrate(self._table, self._table, self._shift, 0, 0, 0)

    def _list_moves(self) -> list[_Move]:
        """The legal moves with all that needs no search."""
        game, b = self._position.game, self._search
        own, foe = (
            _stones(game, self._position.board[side]) for side in (self._position.turn, 1 - self._position.turn)
        )
        taken, left, moves = own | foe, self._cells - self._stones, []
        wins, foe_wins = search.wins_of(b, own, taken), search.wins_of(b, foe, taken)
        self._can_win = search.can_win(b, own, taken), search.can_win(b, foe, taken)
        lowest, highest = -(left // 2) if self._can_win[1] else 0, (left - 1) // 2 if self._can_win[0] else 0
        for move in self._position.legal_moves:
            bit = 1 << move.column * int(b.span) + move.row
            low, high = lowest, highest
            if wins & bit:
                low = high = (left + 1) // 2
            elif foe_wins & search.possible_cells(b, taken | bit) & ~bit:
                high = low
            moves.append(_Move(move, foe, taken | bit, low, high))
        self._soon = left // 3
        self._book_score: int | None = None
        if self._use_book and (game.m, game.n) == (book.COLUMNS, book.ROWS):
            self._look_up(moves, own, taken)
        return moves

    def _look_up(self, moves: list[_Move], own: int, taken: int) -> None:
        """Take the scores of the moves, or at least the position's own, from the book."""
        opening = book.opening_book()
        self._book_score = opening.score(own, taken)
        if self._book_score is not None:
            for move in moves:
                # No move is better than the position.
                move.high = min(move.high, self._book_score)
                score = opening.score(move.own, move.taken) if move.low < move.high else None
                if score is not None:
                    move.low = move.high = -score
                elif move.low < move.high:
                    # Nor is it better than another position from which a move leads to the same one.
                    before = [opening.score(*each) for each in search.before(move.own, move.taken)]
                    move.high = min(score for score in [*before, move.high] if score is not None)

    def _next(self, busy: Collection[_Move]) -> _Question | None:
        """The next question about a move that no thread is busy with: the position's value first, then those of moves.

        None if there is no such move.
        """
        alpha = self._alpha()
        free = [move for move in self._moves if move not in busy and not self._settled(move)]
        if alpha is not None:
            for move in sorted(free, key=self._promise):
                if move.high > alpha:
                    return move, alpha
        undecided = [move for move in free if move.value is Value.UNKNOWN]
        first = next(iter(undecided or free), None)
        return None if first is None else (first, self._between(first.low, first.high))

    def _alpha(self) -> int | None:
        """The score to ask about for the position: is it above this? None if enough is known."""
        low, high = self._low, self._high
        if _value(low, high) is Value.UNKNOWN or (self._distances and low < high):
            return self._between(low, high) if self._book_score is None else self._book_score - 1
        return None

    def _between(self, low: int, high: int) -> int:
        """The first question about a score within these bounds; a short search sees whether a game is soon over."""
        if _value(low, high) is Value.UNKNOWN:
            if high > self._soon:
                return self._soon
            if low < -self._soon:
                return -self._soon - 1
            return 0 if high > 0 else -1
        return (low + high) // 2

    def _promise(self, move: _Move) -> tuple[int, int]:
        """Less for a better move: what is proven of it, then how near it is to the middle."""
        return -move.low, abs(2 * move.move.column - self._position.game.m + 1)

    @property
    def _low(self) -> int:
        return max(move.low for move in self._moves)

    @property
    def _high(self) -> int:
        return max(move.high for move in self._moves)

    def _slice(self, nodes_left: float, time_left: float) -> None:
        """Let the threads work until the time is up, or the table is to grow; one alone makes one step."""
        first, *others = self._searchers
        if nodes_left < math.inf or self._nodes < _ALONE or not others:
            # The table grows after the same position each time, however long a slice is.
            self._step(first, (), min(nodes_left, self._until_full), time_left)
        else:
            self._pausing, until = False, time.perf_counter() + time_left
            with ThreadPoolExecutor(len(others), "nimdesk-solver") as pool:
                # Ctrl-C may come as soon as there is another thread, which is not to work on without an end.
                try:
                    calls = [pool.submit(self._work, each, until) for each in others]
                    self._work(first, until)
                finally:
                    self._pausing = True
            for call in calls:
                call.result()
        if self._full:
            self._larger, self._migrated = search.new_table(self._search, self._shift - _GROW_BITS), 0

    def _work(self, own: _Searcher, until: float) -> None:
        """Make steps, while there is something to do that others are not busy with."""
        while not (self._done or self._pausing or self._full) and (time_left := until - time.perf_counter()) > 0:
            others = [each for each in self._searchers if each is not own]
            if not self._step(own, others, math.inf, time_left):
                with self._changed:
                    self._changed.wait(min(time_left, _WAIT_S))

    def _step(self, own: _Searcher, others: Collection[_Searcher], nodes_left: float, time_left: float) -> bool:
        """Call the kernel once and draw the conclusions; False if there is nothing to ask."""
        b = own.search

        def run(count: int) -> int:
            before = int(b.state[search.NODES])
            search.run(b, self._table, self._shift, count)
            return int(b.state[search.NODES]) - before

        with self._changed:
            if own.asked is None:
                own.asked = self._next([each.asked[0] for each in others if each.asked is not None])
                if own.asked is None:
                    return False
                move, alpha = own.asked
                # The other side is asked the reverse: is its score at most this?
                search.ask(b, move.own, move.taken, -alpha - 1)
        nodes = own.pace.run(run, nodes_left, time_left)
        with self._changed:
            self._nodes += nodes
            if b.state[search.MODE] == search.AT_REST:
                (move, alpha), proven, own.asked = own.asked, -int(b.state[search.VALUE]), None
                if proven > alpha:
                    move.low = max(move.low, proven)
                else:
                    move.high = min(move.high, proven)
                self._changed.notify_all()
        return True

    @property
    def _until_full(self) -> float:
        """How many positions may be searched before the table is to grow."""
        if self._table.nbytes << _GROW_BITS > self._memory:
            return math.inf
        return self._uses * len(self._table) - self._nodes

    @property
    def _full(self) -> bool:
        """Whether the table is to grow."""
        return self._until_full <= 0

    def _migrate(self, larger: NDArray[np.uint64]) -> None:
        """Move some more entries to the larger table."""
        begin, self._migrated = self._migrated, min(self._migrated + _MIGRATE_PLACES, len(self._table))
        search.migrate(self._table, larger, self._shift, _GROW_BITS, begin, self._migrated)
        if self._migrated == len(self._table):
            self._table, self._larger, self._shift = larger, None, self._shift - _GROW_BITS

    @property
    def _done(self) -> bool:
        return all(map(self._settled, self._moves))

    @property
    def progress(self) -> float:
        """The part that is done, roughly, from 0 to 1: values and distances known, the position's own value first."""
        if self._done:
            return 1.0
        known = sum((move.value is not Value.UNKNOWN) + self._settled(move) for move in self._moves)
        own = _value(self._low, self._high) is not Value.UNKNOWN
        return (known / (2 * len(self._moves)) + own) / 2

    def _settled(self, move: _Move) -> bool:
        return move.low == move.high if self._distances else move.value is not Value.UNKNOWN

    def truth(self) -> Truth:
        """What is proven so far; the rest is UNKNOWN."""
        value, distance = _value(self._low, self._high), self._distance(self._low, self._high)
        moves = tuple(MoveTruth(move.move, move.value, self._distance(move.low, move.high)) for move in self._moves)
        how = "" if self._book_score is None else "known from the book of openings"
        text = self._text(value, distance, blocked=not any(self._can_win), how=how)
        return Truth(self._position, value, distance, moves, self._nodes, self._elapsed_s, text)

    def _distance(self, low: int, high: int) -> int | None:
        return search.last_stone(self._cells, self._stones, low) - self._stones if low == high else None


def _start(position: MnkPosition) -> None:
    DropSolver().start(position)


def _stones(game: MnkGame, marks: int) -> int:
    """The marks of a side, which are in rows, as a word of columns."""
    cells = ((c, r) for c in range(game.m) for r in range(game.n))
    return sum(1 << c * (game.n + 1) + r for c, r in cells if marks >> r * game.m + c & 1)
