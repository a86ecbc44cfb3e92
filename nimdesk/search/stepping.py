"""One simulation at a time: the decisions on the way down, the playout, and the numbers that changed.

A seed determines the search, so any earlier state is reached exactly by repeating it, at millions of simulations a
second; nothing needs to be kept. Two replays stand one simulation apart: one is *before*, the other *after*.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

import msgspec

from nimdesk.games import AnyPosition, Move
from nimdesk.limit import Limit
from nimdesk.search.tree_types import Branch, Change, Decision, Ending, Family, Simulation, StepView
from nimdesk.search.types import Searcher, Snapshot

# How many simulations are repeated between two looks at the clock; twice as many follow if they took less than this.
_FIRST_CHUNK, _CHUNK_S = 64, 0.004
_KEPT = 200


class Replay:
    """A search repeated up to any number of simulations, a little at a time."""

    def __init__(self, new_searcher: Callable[[], Searcher], position: AnyPosition, seed: int) -> None:
        """``new_searcher`` makes a fresh search each time the replay must begin again."""
        self._new_searcher, self._position, self._seed = new_searcher, position, seed
        self.searcher: Searcher | None = None
        self.iterations = 0
        self.ended = False
        """Whether the search came to its own end before the requested number."""

    def go_to(self, iterations: int, deadline_s: float = math.inf) -> bool:
        """Stand after this many simulations; False if ``time.perf_counter`` reached the deadline first."""
        if self.searcher is None or self.iterations > iterations:
            self.searcher, self.iterations, self.ended = self._new_searcher(), 0, False
            self.searcher.start(self._position, self._seed)
        chunk = _FIRST_CHUNK
        while self.iterations < iterations and not self.ended:
            target, began = min(self.iterations + chunk, iterations), time.perf_counter()
            reason = self.searcher.advance(Limit(iterations=target))
            done = self.searcher.iterations if isinstance(self.searcher, StepView) else target
            chunk *= 2 if time.perf_counter() - began < _CHUNK_S else 1
            # A search may report its end at once, or only when it is asked to go on.
            self.ended = (reason is not None and done < iterations) or done == self.iterations
            self.iterations = done
            if time.perf_counter() >= deadline_s and self.iterations < iterations and not self.ended:
                return False
        return True


class Stepper:
    """Gives any simulation of one search on demand."""

    def __init__(self, new_searcher: Callable[[], Searcher], position: AnyPosition, seed: int) -> None:
        """``new_searcher`` must make searches that are a ``StepView``."""
        self._before, self._after = (Replay(new_searcher, position, seed) for _ in range(2))
        self._kept: OrderedDict[int, Simulation] = OrderedDict()
        self._seeking: int | None = None

    def simulation(self, number: int, deadline_s: float = math.inf) -> Simulation | None:
        """The simulation with this number, from 1 on; None if time ran out, or the search ended before it."""
        if number in self._kept:
            return self._kept[number]
        self._seeking = None
        if not self._before.go_to(number - 1, deadline_s) or not self._after.go_to(number - 1, deadline_s):
            return None
        before, after = self._searches()
        after.forget_last()
        self._after.go_to(number)
        if self._after.iterations != number:
            return None
        told = _told(number, before, after)
        self._kept[number] = told
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return told

    @property
    def ended(self) -> int | None:
        """After how many simulations the search came to its own end; None if no replay has seen it."""
        return self._after.iterations if self._after.ended else None

    def next_change(self, number: int, last: int, deadline_s: float = math.inf) -> int | None:
        """The first simulation after this one, up to ``last``, that changed the move that the search would play.

        ``last`` + 1 if there is none. None if time ran out: ask again to go on.
        """
        replay = self._after
        if replay.iterations < number or replay.searcher is None or self._seeking != number:
            if not replay.go_to(number, deadline_s):
                return None
            self._seeking = number
        searcher = replay.searcher
        assert isinstance(searcher, StepView)
        leader = searcher.brief().best_move
        by_visits = searcher.by_visits
        while replay.iterations < last:
            begun = replay.iterations
            replay.go_to(min(begun + (_lead(searcher) if by_visits else 1), last))
            before, leader = leader, searcher.brief().best_move
            if before is not None and leader != before:
                self._seeking = None
                return replay.iterations
            if replay.iterations == begun or replay.ended:
                break
            if time.perf_counter() >= deadline_s:
                return None
        self._seeking = None
        return last + 1

    def _searches(self) -> tuple[StepView, StepView]:
        before, after = self._before.searcher, self._after.searcher
        assert isinstance(before, StepView)
        assert isinstance(after, StepView)
        return before, after


def _lead(searcher: StepView) -> int:
    """For how many simulations no move can overtake the most visited one: each adds one visit. At least 1."""
    family = searcher.family(())
    visits = [] if family is None else [branch.visits for branch in family.branches]
    first, second = sorted((0, 0, *visits))[:-3:-1]
    return max(first - second, 1)


def _told(number: int, before: StepView, after: StepView) -> Simulation:
    line, position = after.last_line(), after.position
    decisions: list[Decision] = []
    changes: list[Change] = []
    families: list[Family] = []
    for depth, move in enumerate(line):
        old, new = before.family(line[:depth]), after.family(line[:depth])
        assert new is not None
        if old is None:
            old = Family(line[:depth], 0, (), new.bound)
        known, now = _branch(old, move), _branch(new, move)
        assert now is not None
        decisions.append(Decision(old, position, move, known is None))
        changes.append(Change(line[: depth + 1], known, now))
        families.append(new)
        position = position.play(move)
    ending, score = after.last_result(before)
    playout = after.last_playout(before) if ending is Ending.PLAYOUT else None
    states = _moment(before.snapshot()), _moment(after.snapshot())
    return Simulation(
        number,
        after.position,
        tuple(decisions),
        ending,
        score,
        playout,
        tuple(changes),
        tuple(families),
        (states[0].best_move, states[1].best_move),
        states,
    )


def _moment(snapshot: Snapshot) -> Snapshot:
    """The snapshot without the earlier rows of its trace, so that hundreds can be kept."""
    trace = snapshot.trace
    if trace is None:
        return snapshot
    rows = {
        name: column[-1:].copy()
        for name, column in msgspec.structs.asdict(trace).items()
        if name not in ("moves", "reused") and column is not None
    }
    return msgspec.structs.replace(snapshot, trace=msgspec.structs.replace(trace, **rows))


def _branch(family: Family, move: Move) -> Branch | None:
    return next((branch for branch in family.branches if branch.move == move), None)
