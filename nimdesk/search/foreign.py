"""A search that another process makes, told at checkpoints, which nimdesk can end at any moment.

It is asked to go on in small steps, so that it rests whenever nobody waits for it, and stands exactly at the
checkpoints of a trace. What it says is checked as a file from a stranger would be.
"""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from nimdesk.errors import AgentError, quoted
from nimdesk.faults import one_line
from nimdesk.games import AnyPosition, Move
from nimdesk.games.truth import Value
from nimdesk.limit import Limit
from nimdesk.plugins.engine import Engine, EnginePool, Stamp, Swap2Answer, Swap2Engine
from nimdesk.plugins.process import HostError
from nimdesk.plugins.protocol import Best, Checkpoint, Go, Greeting, Position
from nimdesk.search.choice import by_counts, by_order, precedence
from nimdesk.search.options import MAX_ITERATIONS
from nimdesk.search.sampled import Pace
from nimdesk.search.traces import checkpoints
from nimdesk.search.tree_types import Line
from nimdesk.search.types import MoveStats, Snapshot, Step, StopReason, Trace

SLICE_S = 0.015
"""The longest wait for a word."""
SILENCE_S = 20.0
"""An engine that says nothing for so long, while it is to greet or to search, has failed."""
_PARTING_S = 0.1
_NODE_BYTES = 64
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Foreign:
    """A configured engine: its names, its processes, their memory, its options, and what ends a search.

    ``counts`` is what ``budget`` counts; without it the engine is told its seconds alone.
    """

    name: str
    title: str
    pool: EnginePool = field(repr=False)
    memory_mb: int
    options: Mapping[str, object]
    counts: Literal["iterations", "nodes"] | None
    chooses: Literal["visits", "mean"] | None
    budget: int | None
    time_s: float | None


@dataclass(slots=True)
class _Held:
    """The process that a search has, and what it is given back with."""

    engine: Engine | None = None
    stamp: Stamp = ()


@dataclass(frozen=True, slots=True)
class _Row:
    """What was told at one moment; ``choice`` is a column, ``visits`` is None where none were told."""

    iterations: int
    elapsed_s: float
    nodes: int | None
    playouts: int | None
    visits: NDArray[np.uint32] | None
    sums: NDArray[np.float64] | None
    choice: int


class ForeignSearcher:
    """A search by another process. Whatever goes wrong, ``advance`` ends the process and raises ``AgentError`` with one
    sentence that names the agent; a later search begins a new one. The process rests between two slices, and is given
    back with the searcher.
    """

    def __init__(self, foreign: Foreign) -> None:
        self._foreign = foreign
        self._held = _Held()
        weakref.finalize(self, _release, foreign.pool, self._held)

    # What nimdesk asks of a searcher.

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin with a position that is not over, without waiting."""
        if position.outcome is not None:
            raise ValueError(f"the game is over in {position.text}: there is nothing to choose")
        self._position, self._seed = position, seed
        self._moves = position.legal_moves
        self._columns = {move.text: column for column, move in enumerate(self._moves)}
        (self._ranks,) = precedence(position, (seed,))
        self._rows: list[_Row] = []
        self._steps: list[Step] = []
        self._at = checkpoints(MAX_ITERATIONS)
        self._now: _Row | None = None
        self._told = Checkpoint()
        self._stopped: StopReason | None = None
        self._elapsed_s = self._waited_s = 0.0
        self._begun = self._ended = self._finished = False
        self._pace = Pace(1)
        self._asked = self._done_before = 0
        self._asked_at_s, self._heard = 0.0, False
        try:
            if self._held.engine is not None and self._held.engine.going:
                _release(self._foreign.pool, self._held)
            if self._held.engine is None:
                self._held.engine, self._held.stamp = self._foreign.pool.take(self._foreign.memory_mb)
            if self._held.engine.greeting is not None:
                self._begin(self._held.engine)
        except HostError as error:
            self._fail(str(error))

    def advance(self, limit: Limit) -> StopReason | None:
        """Search until ``limit`` or the agent's own limit; return the reason if it was its own.

        Waits at most 15 ms longer than ``limit.time_s``, however long the engine takes.
        """
        while self._stopped is None:
            engine = self._held.engine
            if engine is None:
                raise ValueError("start the search before it can advance")
            self._stopped = self._own_end(engine)
            late = limit.time_s is not None and self._elapsed_s >= limit.time_s
            if self._stopped is not None or late or (not engine.going and self._met(limit)):
                return self._stopped
            try:
                self._step(engine, limit)
            except HostError as error:
                self._fail(str(error))
        return self._stopped

    def snapshot(self) -> Snapshot:
        """The current state."""
        return self._snapshot(full=True)

    def brief(self) -> Snapshot:
        """The same without moves and trace, in a fraction of the time."""
        return self._snapshot(full=False)

    def swap2(self, position: AnyPosition) -> tuple[Move, ...] | None:
        """What the engine does under swap2 with no, three or five stones; see ``Swap2Searcher``."""
        self.start(position, 0)
        engine, until = self._held.engine, time.monotonic() + (self._foreign.time_s or 0.0) + SILENCE_S
        if not isinstance(engine, Swap2Engine) or self._foreign.time_s is None:
            return None
        answer: object = None
        try:
            while not isinstance(answer, Swap2Answer):
                if engine.greeting is not None and not engine.going:
                    self._begin(engine)
                    engine.open(Go(seed=0, time_ms=max(1, round(1_000 * self._foreign.time_s))))
                answer = engine.receive(SLICE_S)
                if time.monotonic() > until:
                    raise HostError(f"gave no answer under swap2 within {self._foreign.time_s:g} s")
            if answer.moves is None:
                # What it says of each stone that it did not expect would be taken for other answers.
                engine.close()
                self._held.engine = None
                return None
            if len(set(answer.moves)) not in ((3,) if position.ply == 0 else (0, 1, 2)):
                raise HostError(f"answered {len(answer.moves)} stones with “{' '.join(answer.moves)}” under swap2")
            return tuple(self._moves[self._column(text)] for text in answer.moves)
        except HostError as error:
            self._fail(str(error))

    # How far to go

    @property
    def _count(self) -> int:
        if self._now is None:
            return 0
        return (self._now.nodes or 0) if self._foreign.counts == "nodes" else self._now.iterations

    def _own_end(self, engine: Engine) -> StopReason | None:
        own = self._foreign
        if self._finished:
            return StopReason.COMPLETE
        if own.counts is None:
            if not self._ended:
                return None
            told = self._now is not None and (self._now.visits is not None or self._now.nodes is not None)
            return StopReason.TIME if told else StopReason.NO_SEARCH
        if own.budget is not None and not engine.going and self._count >= own.budget:
            return StopReason.NODES if own.counts == "nodes" else StopReason.ITERATIONS
        return StopReason.TIME if own.time_s and self._elapsed_s >= own.time_s and self._now is not None else None

    def _met(self, limit: Limit) -> bool:
        """Whether what is counted has come to this limit."""
        now = self._now
        if now is None:
            return False
        reached = limit.iterations is not None and now.iterations >= limit.iterations
        return reached or (limit.nodes is not None and now.nodes is not None and now.nodes >= limit.nodes)

    def _step(self, engine: Engine, limit: Limit) -> None:
        """Ask the engine to go on unless it does, and wait for a moment."""
        left_s = math.inf if limit.time_s is None else limit.time_s - self._elapsed_s
        if self._begun and not engine.going:
            self._go(engine, limit, left_s)
        begin = time.monotonic()
        message = engine.receive(min(SLICE_S, left_s))
        took_s = time.monotonic() - begin
        self._waited_s += took_s
        if self._begun:
            self._elapsed_s += took_s
        if message is None:
            self._check_silence()
            return
        self._waited_s = 0.0 if self._foreign.counts is not None else self._waited_s
        if isinstance(message, Greeting):
            self._begin(engine)
        elif isinstance(message, Checkpoint):
            self._hear(message)
        elif isinstance(message, Best):
            self._end(message)

    def _begin(self, engine: Engine) -> None:
        greeting, own = engine.greeting, self._foreign
        assert greeting is not None
        if greeting.counts != own.counts:
            words = {None: "its time alone", "iterations": "iterations", "nodes": "nodes"}
            now, before = words[greeting.counts], words[own.counts]
            raise HostError(f"now counts {now}, and no longer {before}: add it again, or start nimdesk again")
        moves = tuple(move.text for move in self._position.moves)
        legal = tuple(self._columns)
        engine.begin(Position(game=self._position.game.text, moves=moves, legal=legal, options=dict(own.options)))
        self._begun, self._waited_s = True, 0.0

    def _go(self, engine: Engine, limit: Limit, left_s: float) -> None:
        own, done = self._foreign, self._count
        self._asked_at_s, self._done_before, self._heard = self._elapsed_s, done, False
        if own.counts is None:
            assert own.time_s is not None
            engine.go(Go(seed=self._seed, time_ms=max(1, round(1_000 * own.time_s))))
            return
        most = MAX_ITERATIONS if own.budget is None else own.budget
        asked = limit.nodes if own.counts == "nodes" else limit.iterations
        # Not beyond a limit, nor the next row of the trace, nor what fits into a slice.
        end = min(most, MAX_ITERATIONS if asked is None else asked, self._next_row(done))
        self._asked = done + self._pace.count(max(end - done, 1), left_s)
        self._go_to(engine, self._asked)

    def _next_row(self, done: int) -> int:
        """The next moment of which the trace has a row."""
        return int(self._at[np.searchsorted(self._at, done, side="right")])

    def _go_to(self, engine: Engine, count: int, tree: int = 0) -> None:
        if self._foreign.counts == "nodes":
            engine.go(Go(seed=self._seed, nodes=count, tree=tree))
        else:
            engine.go(Go(seed=self._seed, iterations=count, tree=tree))

    def _check_silence(self) -> None:
        own = self._foreign
        if not self._begun or own.counts is not None:
            if self._waited_s > SILENCE_S:
                raise HostError(f"{'said nothing for' if self._begun else 'did not greet within'} {SILENCE_S:g} s")
        elif own.time_s is not None and self._waited_s > own.time_s + SILENCE_S:
            raise HostError(f"gave no move within {own.time_s:g} s, nor {SILENCE_S:g} s later")

    # What it says

    def _hear(self, told: Checkpoint) -> None:
        self._check(told)
        visits, sums = np.array(told.visits, np.uint32), np.array(told.value_sums, np.float64)
        choice = self._choice(told, visits, sums)
        self._heard = True
        self._now = _Row(
            told.iterations,
            self._elapsed_s,
            told.nodes,
            told.playouts,
            visits if len(visits) else None,
            sums if len(sums) else None,
            choice,
        )
        deeper = told.depth is not None and (not self._steps or told.depth > self._steps[-1].depth)
        if deeper and told.depth is not None and choice >= 0:
            best = self._moves[choice]
            self._steps.append(Step(told.depth, told.nodes or 0, self._elapsed_s, best, Value.UNKNOWN))
        self._told = told
        if told.iterations >= self._next_row(self._rows[-1].iterations if self._rows else 0):
            self._rows.append(self._now)

    def _check(self, told: Checkpoint) -> None:
        """``HostError`` for what cannot be true."""
        before, count = self._now, len(self._moves)
        for what, numbers in (("visits", told.visits), ("value sums", told.value_sums)):
            if len(numbers) not in (0, count):
                raise HostError(f"told {len(numbers):,} {what} for {count:,} legal moves")
        sampled = self._foreign.counts == "iterations"
        if sampled and not (told.visits and told.value_sums):
            raise HostError("counts iterations, but told no visits and value sums")
        if self._foreign.counts == "nodes" and told.nodes is None:
            raise HostError("counts nodes, but told none")
        if before is not None and (told.iterations, told.nodes or 0) < (before.iterations, before.nodes or 0):
            raise HostError("counts backwards")
        if sampled and sum(told.visits) > told.iterations:
            raise HostError(f"told {sum(told.visits):,} visits in {told.iterations:,} iterations")
        for move, n, total in zip(self._columns, told.visits, told.value_sums, strict=False):
            if told.value_sums and not -_ROUNDING * n <= total <= n * (1 + _ROUNDING):
                raise HostError(f"told a value sum of {total:g} for {n:,} visits of {move}; each counts from 0 to 1")
        if told.best is not None:
            self._column(told.best)

    def _column(self, text: str) -> int:
        if text not in self._columns:
            raise HostError(f"plays {quoted(one_line(text, longest=60))}, which is not legal in {self._position.text}")
        return self._columns[text]

    def _choice(self, told: Checkpoint, visits: NDArray[np.uint32], sums: NDArray[np.float64]) -> int:
        """The column of the move that it would play, −1 before there is one."""
        if told.best is not None:
            return self._columns[told.best]
        if not len(visits) or not visits.any():
            return -1
        sums = sums if len(sums) else np.zeros(len(visits))
        rule = self._foreign.chooses or "visits"
        return int(by_order((*by_counts(rule, visits, sums), self._ranks)))

    def _end(self, best: Best) -> None:
        """The end of a ``go``."""
        own, column = self._foreign, -1 if self._now is None else self._now.choice
        if own.counts is not None and not self._heard:
            raise HostError("ended a search without a word on how far it is")
        if best.move is not None:
            column = self._column(best.move)
        elif column < 0:
            raise HostError("ended a search without a move")
        self._ended, self._finished = True, best.finished
        if self._now is None:
            self._now = _Row(0, self._elapsed_s, None, None, None, None, column)
        elif self._now.choice != column:
            was, self._now = self._now, replace(self._now, choice=column)
            if self._rows and self._rows[-1] is was:
                self._rows[-1] = self._now
        if own.counts is not None and self._count < self._asked and not best.finished:
            raise HostError(f"ended its search after {self._count:,} of {self._asked:,} {own.counts}")
        self._pace.spent(max(self._count - self._done_before, 0), self._elapsed_s - self._asked_at_s)

    # What is shown of it

    def _snapshot(self, *, full: bool) -> Snapshot:
        now, told = self._now, self._told
        best = None if now is None or now.choice < 0 else self._moves[now.choice]
        nodes = 0 if now is None or now.nodes is None else now.nodes
        return Snapshot(
            position=self._position,
            agent=self._foreign.name,
            seed=self._seed,
            iterations=0 if now is None else now.iterations,
            elapsed_s=self._elapsed_s,
            moves=self._move_stats(best) if full else (),
            best_move=best,
            tree_nodes=nodes,
            tree_bytes=nodes * _NODE_BYTES,
            stopped=self._stopped,
            trace=self._trace() if full else None,
            comment=_said(told),
            steps=tuple(self._steps),
            playouts=None if now is None else now.playouts,
        )

    def _move_stats(self, best: Move | None) -> tuple[MoveStats, ...]:
        now, line = self._now, self._line()
        count = len(self._moves)
        visits = [0] * count if now is None or now.visits is None else now.visits.tolist()
        sums = [0.0] * count if now is None or now.sums is None else now.sums.tolist()
        known = now is not None and now.sums is not None
        return tuple(
            MoveStats(move, n, min(max(total / n, 0.0), 1.0) if n and known else None, line if move == best else ())
            for move, n, total in zip(self._moves, visits, sums, strict=True)
        )

    def _line(self) -> Line:
        """How it thinks the game goes on, as far as those moves can be played."""
        position, line = self._position, list[Move]()
        for text in self._told.line:
            move = next((move for move in position.legal_moves if move.text == text), None)
            if move is None:
                break
            line.append(move)
            position = position.play(move)
        return tuple(line)

    def _trace(self) -> Trace | None:
        rows, now = list(self._rows), self._now
        if now is not None and now.iterations > (rows[-1].iterations if rows else 0):
            rows.append(now)
        shape = len(rows), len(self._moves)
        sampled = self._foreign.counts == "iterations"
        if not sampled and (not rows or any(row.visits is None or row.sums is None for row in rows)):
            return None

        def column(values: list[Any], kind: type) -> NDArray[Any]:
            made: NDArray[Any] = np.array(values, kind)
            made.flags.writeable = False
            return made

        def counted(values: list[int | None]) -> NDArray[np.int64] | None:
            return None if any(value is None for value in values) else column(values, np.int64)

        return Trace(
            self._moves,
            column([row.iterations for row in rows], np.int64),
            column([row.elapsed_s for row in rows], np.float64),
            column([row.visits for row in rows], np.uint32).reshape(shape),
            column([row.sums for row in rows], np.float64).reshape(shape),
            column([row.choice for row in rows], np.int64),
            counted([row.playouts for row in rows]),
            counted([row.nodes for row in rows]),
        )

    def _fail(self, clause: str) -> NoReturn:
        engine, self._held.engine = self._held.engine, None
        if engine is not None:
            engine.close()
        raise AgentError(f"The agent {quoted(self._foreign.title)} {clause.rstrip('.')}.") from None


def _said(told: Checkpoint) -> str:
    """What it says of the position: how far it looks, its value, and its own words."""
    said = []
    if told.depth is not None:
        said.append(f"It looks {told.depth} {'move' if told.depth == 1 else 'moves'} ahead.")
    if told.value is not None:
        said.append(f"It takes the position for worth {told.value:.3f} (win 1, loss 0).")
    if words := one_line(told.words, longest=200).rstrip("."):
        said.append(f"It says: {words}.")
    return " ".join(said)


def _release(pool: EnginePool, held: _Held) -> None:
    """Give the process back; one that is in the middle of a search has a moment to end that, or is ended."""
    engine, held.engine = held.engine, None
    if engine is None:
        return
    with suppress(HostError):
        if engine.going:
            engine.stop()
            until = time.monotonic() + _PARTING_S
            while engine.going and time.monotonic() < until:
                engine.receive(_PARTING_S)
    pool.give_back(engine, held.stamp)
