"""Players that know: perfect play, the exact solver as a player, and document 003's value table.

They sample nothing: snapshots carry proven values and distances, no visits and no means.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterable
from functools import lru_cache

from nimdesk.errors import GameParameterError, OptionError
from nimdesk.games import AnyPosition, NimGame, NimPosition
from nimdesk.games.mnk.rules import MnkGame, MnkMove
from nimdesk.games.nim.theory import TableEntry, ValueTable, count_table_states, value_table
from nimdesk.games.solve import solver_for
from nimdesk.games.truth import MoveTruth, Solver, Truth, Value
from nimdesk.games.truth_words import truth_sentence
from nimdesk.limit import Limit
from nimdesk.search.options import PerfectOptions, SolverOptions, ValueTableOptions
from nimdesk.search.types import MoveStats, Snapshot, StopReason

# Plain Python fills a table of this size in half a second.
MAX_TABLE_STATES = 10_000
MAX_LISTED = 1_000


class _ExactSearcher:
    """A Searcher around a ``theory.Solver``, which works in slices within ``time_s``; the rest is choosing a move.

    A subclass says which solver, and how it chooses among moves that win, draw or lose. Where the time was up before
    everything was proven, any of them plays a win if one is proven, else a move proven to draw, else one of which
    nothing is proven, and a proven loss only if there is nothing else; the comment says so.
    """

    def __init__(self, agent: str, time_s: float) -> None:
        self._agent = agent
        self._time_s = time_s

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin with a position that is not over; ``OptionError`` for a game that is beyond this player."""
        if position.outcome is not None:
            raise ValueError(f"the game is over in {position.text}: there is nothing to search")
        self._position, self._seed = position, seed
        self._solver = self._new_solver(position)
        self._solver.start(position)
        # What starting took (it may compile) is not counted, by whatever clock the solver has.
        self._solver_began_s = self._solver.truth().elapsed_s
        self._elapsed_s = 0.0
        self._began = False
        self._stopped: StopReason | None = None

    def advance(self, limit: Limit) -> StopReason | None:
        """Work on until ``limit`` or the own time is met; ``COMPLETE`` when all is proven, ``TIME`` at the own time.

        Theory and the table answer at once. There are no iterations: a limit on them is not looked at.
        """
        if self._stopped is None:
            deadline = min(self._time_s, math.inf if limit.time_s is None else limit.time_s)
            begin = time.perf_counter()
            complete = self._solver.advance(Limit(time_s=deadline + self._solver_began_s, nodes=limit.nodes))
            self._elapsed_s += time.perf_counter() - begin
            self._began = True
            if complete:
                self._stopped = StopReason.COMPLETE
            elif self._elapsed_s >= self._time_s:
                self._stopped = StopReason.TIME
        return self._stopped

    def snapshot(self) -> Snapshot:
        """What is proven now; later slices do not change it. There is no best move before the first slice."""
        truth = self._solver.truth()
        best = self._choose(truth)
        return Snapshot(
            position=self._position,
            agent=self._agent,
            seed=self._seed,
            iterations=0,
            elapsed_s=self._elapsed_s,
            moves=tuple(_stats(move) for move in truth.moves),
            best_move=best.move if self._began else None,
            tree_nodes=truth.nodes,
            stopped=self._stopped,
            comment=self._comment(truth, best),
            listing=self._listing(),
        )

    def _choose(self, truth: Truth) -> MoveTruth:
        for value, pick in (
            (Value.WIN, self._pick_win),
            (Value.DRAW, _first),
            (Value.UNKNOWN, self._most_central),
            (Value.LOSS, self._pick_loss),
        ):
            moves = [move for move in truth.moves if move.value is value]
            if moves:
                return pick(moves)
        raise AssertionError("a position that is not over has legal moves")

    def _most_central(self, moves: list[MoveTruth]) -> MoveTruth:
        """The first among equals: where nothing is proven, more lines pass through the middle of a board."""

        def off_centre(truth: MoveTruth) -> int:
            move, game = truth.move, self._position.game
            if not (isinstance(move, MnkMove) and isinstance(game, MnkGame)):
                return 0
            return max(abs(2 * move.column - game.m + 1), abs(2 * move.row - game.n + 1))

        return min(moves, key=off_centre)

    def _comment(self, truth: Truth, best: MoveTruth) -> str:
        if truth.value is not Value.UNKNOWN and best.value is truth.value:
            return truth.explanation or truth_sentence(truth)
        unknown = sum(move.value is Value.UNKNOWN for move in truth.moves)
        of_moves = f"{unknown} of {len(truth.moves)} moves {'is' if unknown == 1 else 'are'} not worked out"
        if self._stopped is not StopReason.TIME:
            return f"{of_moves} yet."
        if best.value is Value.UNKNOWN:
            return f"Time was up and {of_moves}; nothing is proven of {best.move.text}."
        return f"Time was up and {of_moves}; {best.move.text} is proven to be a {best.value.value} at least."

    def _listing(self) -> tuple[str, ...]:
        return ()

    def _new_solver(self, position: AnyPosition) -> Solver:
        try:
            return solver_for(position)
        except GameParameterError as error:
            raise OptionError(str(error)) from None

    def _pick_win(self, moves: list[MoveTruth]) -> MoveTruth:
        return moves[0]

    def _pick_loss(self, moves: list[MoveTruth]) -> MoveTruth:
        return moves[0]


class PerfectSearcher(_ExactSearcher):
    """Perfect play: by theory in Nim, at once; by the exact solver in m,n,k games, within ``time_s``.

    Plays the first winning move (document 003: the smallest take), else the first that draws. Where every move loses:
    a random one by the seed (documents 003 and 004), the first (document 000), or one with the largest distance.
    """

    def __init__(self, options: PerfectOptions | None = None) -> None:
        """Without options the defaults."""
        self.options = PerfectOptions() if options is None else options
        super().__init__("perfect", self.options.time_s)

    def _pick_loss(self, moves: list[MoveTruth]) -> MoveTruth:
        if self.options.when_lost == "random":
            # The text is part of the seed: one fixed seed must not pick the same index in every position of a game.
            return random.Random(f"{self._seed} {self._position.text}").choice(moves)
        return _longest(moves) if self.options.when_lost == "longest" else moves[0]


class SolverSearcher(_ExactSearcher):
    """The exact solver (theory for Nim) as a player: the quickest win, the first draw, or the longest resistance."""

    def __init__(self, options: SolverOptions | None = None) -> None:
        """Without options the defaults."""
        super().__init__("solver", (SolverOptions() if options is None else options).time_s)

    def _pick_win(self, moves: list[MoveTruth]) -> MoveTruth:
        return min(moves, key=lambda truth: math.inf if truth.distance is None else truth.distance)

    def _pick_loss(self, moves: list[MoveTruth]) -> MoveTruth:
        return _longest(moves)


class ValueTableSearcher(_ExactSearcher):
    """Document 003's value agent: backward induction over all positions of a small Nim, then a look at the table.

    It plays the first move with the best value: the first winning one, or the first of all in a lost position. No
    theory is used. The snapshot's listing is the table.
    """

    def __init__(self, options: ValueTableOptions | None = None) -> None:
        """Without options the defaults."""
        super().__init__("value-table", math.inf)

    def _new_solver(self, position: AnyPosition) -> Solver:
        game = position.game
        if not isinstance(game, NimGame):
            raise OptionError(f"The value table plays Nim only, not {game.title}; choose Solver instead.")
        states = count_table_states(game)
        if states > MAX_TABLE_STATES:
            raise OptionError(
                f"{game.title} has {states:,} positions, too many for a value table of {MAX_TABLE_STATES:,}; "
                "choose fewer or smaller piles, or Perfect instead."
            )
        return _TableSolver()

    def _comment(self, truth: Truth, best: MoveTruth) -> str:
        return truth_sentence(truth) if truth.complete else ""

    def _listing(self) -> tuple[str, ...]:
        game = self._position.game
        return _table_lines(game) if self._stopped and isinstance(game, NimGame) else ()


class _TableSolver:
    """A ``theory.Solver`` that builds the table of the game, or finds it built, and looks the position up."""

    progress = 0.0

    def start(self, position: AnyPosition) -> None:
        assert isinstance(position, NimPosition)
        self._position = position
        unknown = tuple(MoveTruth(move, Value.UNKNOWN) for move in position.legal_moves)
        self._truth = Truth(position, Value.UNKNOWN, None, unknown)

    def advance(self, limit: Limit) -> bool:
        begin = time.perf_counter()
        position, table = self._position, _table(self._position.game)
        entry = table.of(position)
        afterwards = [(move, table.of(position.play(move))) for move in position.legal_moves]
        moves = tuple(MoveTruth(move, after.value.reverse, after.distance + 1) for move, after in afterwards)
        took = time.perf_counter() - begin
        self._truth = Truth(position, entry.value, entry.distance, moves, len(table.entries), took)
        self.progress = 1.0
        return True

    def truth(self) -> Truth:
        return self._truth


@lru_cache(maxsize=2)
def _table(game: NimGame) -> ValueTable:
    return value_table(game, MAX_TABLE_STATES)


@lru_cache(maxsize=2)
def _table_lines(game: NimGame) -> tuple[str, ...]:
    """The table for a person, smallest positions first; a long one is cut."""
    entries = sorted(_table(game).entries.values(), key=lambda entry: (sum(entry.piles), entry.piles))
    rows = [("-".join(map(str, entry.piles)) or "0", entry.value.value, _takes(game, entry)) for entry in entries]
    what = "sticks" if len(game.piles) == 1 else "piles"
    width = max(len(what), *(len(row[0]) for row in rows[:MAX_LISTED]))
    lines = [f"{piles:>{width}}  {value:<5}  {takes}" for piles, value, takes in rows[:MAX_LISTED]]
    if len(rows) > MAX_LISTED:
        lines.append(f"… and {len(rows) - MAX_LISTED:,} larger positions")
    return (f"{what:>{width}}  value  best take", *lines)


def _takes(game: NimGame, entry: TableEntry) -> str:
    if not entry.piles:
        return f"over: the opponent took the last stick, and {'loses' if game.misere else 'wins'}"
    if not entry.wins:
        return "none: every move loses"
    if len(game.piles) == 1:
        return _joined(str(take) for take in entry.takes)
    return _joined(f"{take} from {size}" for size, take in entry.wins)


def _joined(items: Iterable[str]) -> str:
    return " or ".join(items)


def _stats(truth: MoveTruth) -> MoveStats:
    known = truth.value is not Value.UNKNOWN
    return MoveStats(truth.move, 0, None, proven=truth.value if known else None, distance=truth.distance)


def _first(moves: list[MoveTruth]) -> MoveTruth:
    return moves[0]


def _longest(moves: list[MoveTruth]) -> MoveTruth:
    """The largest known distance, the first among equals; the first move where no distance is known."""
    return max(moves, key=lambda truth: -1 if truth.distance is None else truth.distance)
