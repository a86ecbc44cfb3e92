"""The exact solver of all m,n,k games: win, draw or loss and the distance to the end, for every legal move.

``plan`` decides what to ask, ``solver.search`` and ``solver.defence`` answer; this module has the slices, the memory
and the words.
Published values to compare with: Uiterwijk and van den Herik, The advantage of the initiative (2000).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.base import Side
from nimdesk.games.mnk.kept import Kept, filled_rows, keep, read_kept
from nimdesk.games.mnk.plan import Answer, Bounds, Group, Plan, Proof, Question
from nimdesk.games.mnk.rules import MnkMove, MnkPosition
from nimdesk.games.mnk.sliced import Pace, SlicedSolver
from nimdesk.games.mnk.solver import board as boards
from nimdesk.games.mnk.solver import defence, search
from nimdesk.games.mnk.solver import table as tables
from nimdesk.games.mnk.solver.table import NEVER
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.kernels.jit import first_use

_FIRST_ENTRIES = 1 << 13
_MIGRATE_ROWS = 1 << 13
_SYMMETRIC_PLIES = 10
_DEFENCE_ENTRIES = 1 << 21


class LineSolver(SlicedSolver):
    """A ``Solver`` for every ``MnkPosition`` that is not over.

    ``advance`` returns True when the value of every move and (with ``distances``) its distance are known. The time
    limit is met within a few milliseconds, the limit on nodes exactly. ``memory_mb`` bounds the table, which starts
    small and grows with the work.
    """

    def __init__(self, *, distances: bool = True, memory_mb: int = 256) -> None:
        self._distances = distances
        self._memory = memory_mb * 1024 * 1024

    def start(self, position: MnkPosition) -> None:
        """Begin with a position that is not over.

        The first start in a process loads the kernel, and compiles it if this machine has never done so.
        """
        self._begin(position)
        game = position.game
        cells = [(c, r) for r in range(game.n) for c in range(game.m)]
        marks = [(r * game.m + c, int(side)) for c, r in cells if (side := position.mark(c, r)) is not None]
        self._turn, self._empty = int(position.turn), len(cells) - len(marks)
        self._board = boards.make_board(
            game.m, game.n, game.k, game.gravity, game.exact, marks, self._turn, _SYMMETRIC_PLIES
        )
        self._table = tables.new_table(_FIRST_ENTRIES, self._board.keys.shape[1])
        self._marks = [sum(1 << cell for cell, side in marks if side == each) for each in (0, 1)]
        self._defence: defence.Defence | None = None
        self._positions = defence.new_table(0)
        self._blocking = False
        self._pairs: tuple[tuple[MnkMove, MnkMove], ...] = ()
        self._nobody = not self._board.state[boards.POTENTIAL :].any()
        groups, self._group_of = self._group_moves(position)
        self._proof = Proof(
            groups,
            self._empty,
            cells=len(cells),
            gravity=game.gravity,
            exact=game.exact,
            distances=self._distances,
        )
        run = partial(search.run, self._board, self._table, 0)
        first_use("mnk-solver", (self._board,), run, partial(LineSolver().start, position))
        if not game.gravity and len(cells) <= defence.MOST_CELLS:
            self._defence = defence.make_defence(game.m, game.n, game.k)
            entries = min(_DEFENCE_ENTRIES, max(self._memory // (4 * defence.ENTRY_BYTES), defence.BUCKET))
            self._positions = defence.new_table(1 << entries.bit_length() - 1)
            load = partial(_load_defence, self._defence, self._positions)
            first_use("mnk-defence", (self._defence,), load, partial(LineSolver().start, position))
        self._share = 0.0
        self._pace, self._asked = Pace(), list[tuple[Question, Answer | None]]()
        self._plan: Plan | None = self._proof.plan()
        self._put(next(self._plan, None))

    def _group_moves(self, position: MnkPosition) -> tuple[list[Group], dict[MnkMove, Group]]:
        """The legal moves in groups, the most promising first; moves that end the game are judged."""
        groups: dict[tuple[int, ...], Group] = {}
        group_of: dict[MnkMove, Group] = {}
        cells = {move: move.row * position.game.m + move.column for move in position.legal_moves}
        gains = boards.gains(self._board)
        for move, cell in sorted(cells.items(), key=lambda item: -gains[item[1]]):
            keys = self._board.keys + (self._board.key_step[:, cell] << np.uint64(self._turn))
            group = groups.setdefault(min(map(tuple, keys.tolist())), Group())
            group.moves.append(move)
            group.cells.append(cell)
            group_of[move] = group
            if self._board.cells[cell, boards.C_THREAT + self._turn]:
                group.mover, group.opponent = Bounds(0, 1), Bounds(NEVER)
            elif self._empty == 1:
                group.mover, group.opponent = Bounds(NEVER), Bounds(NEVER)
            else:
                group.mover, group.opponent = Bounds(2), Bounds(1)
        return list(groups.values()), group_of

    def _slice(self, nodes_left: float, time_left: float) -> None:
        """Call a kernel once and draw the conclusions."""
        if self._blocking and self._defence is not None:
            self._slice_defence(self._defence, nodes_left, time_left)
            return
        state = self._board.state

        self._run(partial(search.run, self._board, self._table), nodes_left, time_left)
        if state[boards.MODE] == boards.AT_REST:
            move, spent = int(self._board.frame[0, boards.F_MOVE]), self._nodes - self._asked_at
            self._tell(Answer(bool(state[boards.YES]), int(state[boards.BOUND]), move, spent))
        elif self._nodes - self._asked_at >= self._effort:
            state[boards.MODE] = search.GIVE_UP
            search.run(self._board, self._table, 0)
            self._tell(None)
        if 2 * state[boards.FILLED] > len(self._table) and 4 * self._table.nbytes <= self._memory:
            self._larger, self._migrated = tables.new_table(4 * len(self._table), self._table.shape[1] - 1), 0

    def _slice_defence(self, searched: defence.Defence, nodes_left: float, time_left: float) -> None:
        """Call the kernel of the search for a defence once, and draw the conclusions."""

        self._run(partial(defence.run, searched, self._positions), nodes_left, time_left)
        spent = self._nodes - self._asked_at
        if searched.state[defence.MODE] == defence.AT_REST:
            move = int(searched.frame[0, defence.F_MOVE])
            self._tell(Answer(not searched.state[defence.HOLDS], NEVER, move, spent))
        elif spent >= self._effort:
            self._share = self.defended
            self._tell(None)

    def _run(self, run: Callable[[int], None], nodes_left: float, time_left: float) -> None:
        """Have a kernel work on the question, within what is left of the effort for it."""

        def counted(most: int) -> int:
            run(most)
            return self._count() - self._nodes

        most = min(nodes_left, self._effort - (self._nodes - self._asked_at))
        self._nodes += self._pace.run(counted, most, time_left)

    def _tell(self, answer: Answer | None) -> None:
        """Give the plan this answer, and take its next question."""
        assert self._plan is not None
        assert self._question is not None
        self._asked.append((self._question, answer))
        try:
            self._put(self._plan.send(answer))
        except StopIteration:
            self._put(None)

    @property
    def _done(self) -> bool:
        return self._plan is None

    @property
    def defended(self) -> float:
        """How much of the question whether the opponent can hold by blocking alone is answered, 0 to 1.

        This is a guess (see ``solver.defence.share``), from when the question was last asked.
        """
        asked = self._question
        if self._defence is not None and asked is not None and asked.blocking and asked.ours and asked.cell < 0:
            # The part of a question that is asked again begins at 0, and is soon where it was.
            self._share = max(self._share, defence.share(self._defence))
        return self._share

    def keep(self) -> bytes:
        """Everything that ``resume`` needs, in this process or another one."""
        kept = Kept(
            position=self._position.text,
            nodes=self._nodes,
            elapsed_s=self._elapsed_s,
            defended=self.defended,
            asked=self._asked,
        )
        return keep(kept, [self._table, self._positions])

    def resume(self, position: MnkPosition, data: bytes) -> None:
        """Begin where a solver with the same options was when it was kept; ``ValueError`` if that cannot be."""
        self.start(position)
        shapes = [(self._table_sizes(), self._table.shape[1]), ([len(self._positions)], self._positions.shape[1])]
        kept, (table, positions) = read_kept(position.text, data, shapes)
        for question, answer in kept.asked:
            if self._question != question:
                raise ValueError("the solver asks other questions")
            self._tell(answer)
        self._table, self._positions = table, positions
        self._nodes, self._elapsed_s, self._share = kept.nodes, kept.elapsed_s, kept.defended
        self._asked_at = self._nodes
        self._board.state[boards.NODES], self._board.state[boards.FILLED] = self._nodes, len(filled_rows(table))

    def _table_sizes(self) -> list[int]:
        """The numbers of entries that the table of proven positions has, one after another, as it grows."""
        sizes = [_FIRST_ENTRIES]
        while 4 * sizes[-1] * self._table[0].nbytes <= self._memory:
            sizes.append(4 * sizes[-1])
        return sizes

    def _count(self) -> int:
        """The positions that both searches have visited."""
        blocked = 0 if self._defence is None else self._defence.state[defence.NODES]
        return int(self._board.state[boards.NODES] + blocked)

    def _migrate(self, larger: NDArray[np.uint64]) -> None:
        """Move some more entries to the larger table."""
        begin, self._migrated = self._migrated, min(self._migrated + _MIGRATE_ROWS, len(self._table))
        tables.migrate(self._table, larger, begin, self._migrated)
        if self._migrated == len(self._table):
            self._table, self._larger = larger, None

    def _put(self, question: Question | None) -> None:
        self._question = question
        if question is None:
            self._plan = None
            self._pairs = self._find_pairs()
            return
        attacker = self._turn if question.ours else 1 - self._turn
        turn = 1 - self._turn if question.passed else self._turn
        if question.blocking != self._blocking:
            # A position takes one search much longer than the other.
            self._blocking, self._pace = question.blocking, Pace()
        if question.blocking and self._defence is not None:
            marks = list(self._marks)
            if question.cell >= 0:
                marks[turn] |= 1 << question.cell
                turn = 1 - turn
            defence.ask(self._defence, marks[attacker], marks[1 - attacker], attacks=turn == attacker)
        else:
            cell, forcing = question.cell, question.forcing
            search.ask(self._board, attacker, question.plies, turn=turn, cell=cell, forcing=forcing)
        self._asked_at, self._effort = self._nodes, max(question.effort, 1)

    @property
    def progress(self) -> float:
        """The part that is done, roughly, from 0 to 1: values and distances known, the position's own value first."""
        if self._plan is None:
            return 1.0
        groups = self._proof.groups
        known = sum((group.value is not Value.UNKNOWN) + self._proof.settled(group) for group in groups)
        own = self._proof.value is not Value.UNKNOWN
        return (known / (2 * len(groups)) + own) / 2

    def truth(self) -> Truth:
        """What is proven so far; the rest is UNKNOWN."""
        position, proof = self._position, self._proof
        distance = self._distance(proof.value, proof.mover, proof.opponent)
        moves = tuple(self._move_truth(move) for move in position.legal_moves)
        text = self._text(proof.value, distance, blocked=self._nobody, how=self._how())
        return Truth(position, proof.value, distance, moves, self._nodes, self._elapsed_s, text, self._pairs)

    def _find_pairs(self) -> tuple[tuple[MnkMove, MnkMove], ...]:
        """The pairs by which the opponent keeps the side to move from winning, if the position is drawn by them."""
        if self._defence is None or self._proof.value is not Value.DRAW:
            return ()
        own, other = self._marks[self._turn], self._marks[1 - self._turn]
        defence.ask(self._defence, own, other, attacks=True)
        columns = self._position.game.m
        numbers = [
            [cell for cell in range(pair.bit_length()) if pair >> cell & 1] for pair in defence.pairs(self._defence)
        ]
        return tuple(
            (MnkMove(one % columns, one // columns), MnkMove(two % columns, two // columns)) for one, two in numbers
        )

    def _how(self) -> str:
        """How the opponent holds the draw, as words, if it needs no lines of its own to do so."""
        proof = self._proof
        blocked = proof.mover.blocked or all(group.mover.blocked for group in proof.groups)
        if proof.value is not Value.DRAW or not blocked:
            return ""
        mover, opponent = (self._position.game.side_name(side) for side in (Side(self._turn), Side(1 - self._turn)))
        return f"{opponent} can keep {mover} from winning by blocking alone, proven by searching {self._searched}"

    def _move_truth(self, move: MnkMove) -> MoveTruth:
        group = self._group_of[move]
        return MoveTruth(move, group.value, self._distance(group.value, group.mover, group.opponent))

    def _distance(self, value: Value, mover: Bounds, opponent: Bounds) -> int | None:
        if value is Value.DRAW:
            return self._empty
        bounds = mover if value is Value.WIN else opponent
        return bounds.high if value is not Value.UNKNOWN and bounds.exact else None


def _load_defence(searched: defence.Defence, positions: NDArray[np.uint64]) -> None:
    defence.run(searched, positions, 0)
    defence.pairs(searched)
