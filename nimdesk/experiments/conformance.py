"""Whether an agent keeps what the others rely on: legal moves, the same search again, its time, honest counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from nimdesk.agents import Agent
from nimdesk.errors import AgentError
from nimdesk.games import AnyPosition
from nimdesk.limit import Limit
from nimdesk.search import Searcher, Snapshot, drive

_FEW, _SEEDS = 60, 8
_STEPS = (1, 2, 5, 10, 23, _FEW)
_TIMES_S = (0.2, 0.5)
_LATE_S = 0.25
"""Later than this is late: twice what a busy machine needs to wake a process."""
_MOST_PLIES = 60
_SLICE_S = 0.1


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found: whether that is ``sound``, None where there was nothing to try; and in words."""

    title: str
    sound: bool | None
    words: str


def findings(
    agent: Agent, positions: Sequence[AnyPosition], check: Callable[[], object] = lambda: None
) -> Iterator[Finding]:
    """Try the agent at these positions, all of which it plays; ``check`` is called often, and may raise."""
    trial = _Trial(agent, positions, check)
    for title, attempt in (
        ("Legal", trial.legal),
        ("Deterministic", trial.deterministic),
        ("Keeps its time", trial.keeps_time),
        ("Counts honestly", trial.counts),
    ):
        try:
            sound, words = attempt()
        except AgentError as error:
            sound, words = False, str(error)
        yield Finding(title, sound, words)


class _Trial:
    def __init__(self, agent: Agent, positions: Sequence[AnyPosition], check: Callable[[], object]) -> None:
        self._agent, self._positions, self._check = agent, positions, check

    def legal(self) -> tuple[bool | None, str]:
        """Whole games; an illegal move is the agent's own ``AgentError``."""
        plies = 0
        for position in self._positions:
            for seed in range(2):
                at, played = position, 0
                while at.outcome is None and played < _MOST_PLIES:
                    move = self._searched(at, seed + played, _FEW).best_move
                    if move is None:
                        return False, f"It chose no move in {at.text}."
                    at, played = at.play(move), played + 1
                plies += played
        return True, f"{plies} moves in {2 * len(self._positions)} games"

    def deterministic(self) -> tuple[bool | None, str]:
        """The same seed at once, again, and in many steps."""
        if not self._counts:
            return None, "it counts nothing, so where a search ends is up to the clock"
        different = set()
        for position in self._positions:
            for seed in range(_SEEDS):
                whole, again = (self._searched(position, seed, _FEW) for _ in range(2))
                if _numbers(whole) != _numbers(again):
                    return False, f"Seed {seed} gave two different searches of {position.text}."
                searcher = self._started(position, seed, _FEW)
                for step in _STEPS:
                    parts = self._to(searcher, step)
                if _numbers(whole) != _numbers(parts):
                    return False, f"A search of {position.text} that stops on its way comes to other numbers."
                different.add((position, _numbers(whole)))
        words = f"{_SEEDS * len(self._positions)} searches: the same again, and the same in {len(_STEPS)} steps"
        if self._agent.draws and len(different) == len(self._positions):
            return False, f"It says that it draws random numbers, but {_SEEDS} seeds give the same search."
        return True, words

    def keeps_time(self) -> tuple[bool | None, str]:
        """Searches that end by the clock. One that is late is tried again: the machine may have been busy."""
        if self._agent.traits.time is None:
            return None, "it takes no time from outside"
        latest = 0.0
        for position in self._positions:
            for time_s in _TIMES_S:
                searcher = self._agent.with_time(time_s).new_searcher(position)
                searcher.start(position, 1)
                searcher.advance(Limit())  # so that the process is there
                self._check()
                late = _late_s(searcher, position, 2, time_s)
                if late > _LATE_S:
                    self._check()
                    late = min(late, _late_s(searcher, position, 3, time_s))
                latest = max(latest, late)
        return latest <= _LATE_S, f"at most {max(latest, 0):.2f} s late"

    def counts(self) -> tuple[bool | None, str]:
        """Where it stands after it was told to go so far, and what its visits add up to."""
        traits = self._agent.traits
        if not self._counts:
            return None, "it counts nothing"
        for position in self._positions:
            searcher = self._started(position, 1, _FEW)
            for step in _STEPS:
                now = self._to(searcher, step)
                count = now.iterations if traits.counts == "iterations" else now.tree_nodes
                if count < step and now.stopped is None:
                    return False, f"Told to do {step} {traits.counts}, it stands at {count}."
                if traits.counts != "iterations":
                    continue
                if count > step:
                    return False, f"Told to do {step} iterations, it did {count}: its curves have gaps."
                if count - now.total_visits not in (0, 1):
                    return False, f"After {count} iterations the visits of its moves add up to {now.total_visits}."
        return True, f"it stands where it was told to, {len(_STEPS) * len(self._positions)} times"

    @property
    def _counts(self) -> bool:
        return self._agent.traits.budget is not None

    def _started(self, position: AnyPosition, seed: int, budget: int) -> Searcher:
        limited = self._agent.with_budget(budget, position) if self._counts else self._agent.with_time(_TIMES_S[0])
        searcher = limited.new_searcher(position)
        searcher.start(position, seed)
        return searcher

    def _searched(self, position: AnyPosition, seed: int, budget: int) -> Snapshot:
        searcher = self._started(position, seed, budget)
        drive(searcher, on_snapshot=lambda _now: self._check(), slice_s=_SLICE_S)
        return searcher.snapshot()

    def _to(self, searcher: Searcher, step: int) -> Snapshot:
        searcher.advance(self._agent.counted(step))
        self._check()
        return searcher.snapshot()


def _late_s(searcher: Searcher, position: AnyPosition, seed: int, time_s: float) -> float:
    """How long after this time the search ends."""
    searcher.start(position, seed)
    began = time.perf_counter()
    searcher.advance(Limit())
    return time.perf_counter() - began - time_s


def _numbers(snapshot: Snapshot) -> tuple[object, ...]:
    moves = tuple((stats.visits, stats.mean_value) for stats in snapshot.moves)
    return snapshot.iterations, snapshot.tree_nodes, moves, snapshot.best_move
