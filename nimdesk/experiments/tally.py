"""Results counted by setting, pairing, player and searched position; the counts do not depend on the order."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from nimdesk.experiments.results import GameResult, PlyResult, Result, SearchResult
from nimdesk.experiments.schedule import GameTask, Pairing, Schedule, SearchSetting, SearchTask, Setting
from nimdesk.experiments.statistics import elo_difference, wilson
from nimdesk.games import Side

Interval = tuple[float, float]


@dataclass(slots=True)
class SideTally:
    """The moves of one side of a setting, or of a player: their number, cost and quality.

    ``known`` moves were judged against the truth. ``decisions`` of them had an alternative that gives value away, and
    ``mistakes`` gave it away. ``time_s`` is a measurement, and not reproducible; all else is.
    """

    moves: int = 0
    iterations: int = 0
    nodes: int = 0
    time_s: float = 0.0
    known: int = 0
    decisions: int = 0
    mistakes: int = 0

    def add(self, ply: PlyResult) -> None:
        """Count one move."""
        self.moves += 1
        self.iterations += ply.iterations
        self.nodes += ply.nodes
        self.time_s += ply.time_s
        self.known += ply.verdict != "?"
        self.decisions += ply.verdict in "+-"
        self.mistakes += ply.verdict == "-"

    def include(self, other: SideTally) -> None:
        """Add the counts of another one."""
        for name in ("moves", "iterations", "nodes", "time_s", "known", "decisions", "mistakes"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def optimal(self) -> int:
        """The moves known to keep the value of their position."""
        return self.known - self.mistakes

    @property
    def mean_time_s(self) -> float | None:
        """Seconds per move, or None before the first."""
        return self.time_s / self.moves if self.moves else None

    @property
    def mean_iterations(self) -> float | None:
        """Simulations per move, or None before the first."""
        return self.iterations / self.moves if self.moves else None

    @property
    def blunder_rate(self) -> float | None:
        """Mistakes per decision, 0 to 1; None without a known decision."""
        return self.mistakes / self.decisions if self.decisions else None


@dataclass(slots=True)
class SettingTally:
    """The games of one setting: ``wins`` and ``sides`` are indexed by ``Side``, as ``setting.players`` is."""

    setting: Setting
    games: int = 0
    draws: int = 0
    plies: int = 0
    forfeits: int = 0
    wins: list[int] = field(default_factory=lambda: [0, 0])
    sides: tuple[SideTally, SideTally] = field(default_factory=lambda: (SideTally(), SideTally()))

    def add(self, result: GameResult) -> None:
        """Count one game."""
        self.games += 1
        self.plies += len(result.plies)
        self.forfeits += bool(result.forfeit)
        if result.winner is None:
            self.draws += 1
        else:
            self.wins[result.winner] += 1
        for i, ply in enumerate(result.plies):
            self.sides[(result.turn + i) % 2].add(ply)

    def win_rate(self, side: Side) -> float | None:
        """The share of games that this side won."""
        return self.wins[side] / self.games if self.games else None

    def win_interval(self, side: Side) -> Interval:
        """Wilson's 95% interval of ``win_rate``."""
        return wilson(self.wins[side], self.games)


@dataclass(slots=True)
class PairingTally:
    """All games of a pairing, in both roles; the counts are for ``pairing.players[0]``.

    ``decision`` is what a sequential test has accepted; games still open are then not played.
    """

    pairing: Pairing
    settings: tuple[SettingTally, ...]
    decision: Literal["H0", "H1"] | None = None

    @property
    def counts(self) -> tuple[int, int, int]:
        """Wins, draws and losses of ``pairing.players[0]``."""
        wins = sum(tally.wins[tally.setting.swapped] for tally in self.settings)
        losses = sum(tally.wins[not tally.setting.swapped] for tally in self.settings)
        return wins, sum(tally.draws for tally in self.settings), losses

    @property
    def games(self) -> int:
        """Games counted."""
        return sum(tally.games for tally in self.settings)

    @property
    def score(self) -> float | None:
        """The mean score of ``pairing.players[0]``, 0 to 1."""
        wins, draws, losses = self.counts
        return (wins + draws / 2) / (wins + draws + losses) if self.games else None

    @property
    def elo(self) -> tuple[float, float, float]:
        """The Elo difference of ``pairing.players[0]`` over the other, and its 95% interval."""
        return elo_difference(*self.counts)

    def side(self, player: int) -> SideTally:
        """The moves of ``pairing.players[player]``, in both roles."""
        total = SideTally()
        for tally in self.settings:
            total.include(tally.sides[player ^ tally.setting.swapped])
        return total


@dataclass(slots=True)
class SearchTally:
    """The searches of one setting."""

    setting: SearchSetting
    results: dict[int, SearchResult] = field(default_factory=dict)

    @property
    def searches(self) -> int:
        """Searches counted, except those whose player failed."""
        return sum(not result.failure for result in self.results.values())

    @property
    def complete(self) -> int:
        """Searches that the plan's node limit did not end."""
        return sum(result.complete for result in self.results.values())

    def verdicts(self, verdict: str) -> int:
        """The number of choices with this verdict."""
        return sum(result.verdict == verdict for result in self.results.values())

    @property
    def choices(self) -> Counter[str]:
        """How often each move was chosen."""
        return Counter(result.choice for result in self.results.values() if result.choice)

    @property
    def mean_nodes(self) -> float | None:
        """Nodes per search."""
        return self._mean([result.nodes for result in self.results.values() if not result.failure])

    @property
    def mean_time_s(self) -> float | None:
        """Seconds per search, a measurement."""
        return self._mean([result.time_s for result in self.results.values() if not result.failure])

    @property
    def moves(self) -> list[str]:
        """The legal moves, in the order of the rules."""
        return next(([each.move for each in result.moves] for result in self.results.values() if result.moves), [])

    def mean_value(self, move: str) -> float | None:
        """The mean over the searches of the move's mean value."""
        found = (each for result in self.results.values() for each in result.moves if each.move == move)
        return self._mean([each.mean_value for each in found if each.mean_value is not None])

    @staticmethod
    def _mean(values: list[float] | list[int]) -> float | None:
        # fsum rounds once, so the order of the results makes no difference.
        return math.fsum(values) / len(values) if values else None


class Tally:
    """All counts so far; ``add`` each result once, in any order.

    A pairing with a sequential test counts its games in the order of their numbers, up to the deciding game. So the
    counts do not depend on how many games were under way.
    """

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.settings = [SettingTally(setting) for pairing in schedule.pairings for setting in pairing.settings]
        self.pairings = [
            PairingTally(pairing, tuple(self.settings[setting.index] for setting in pairing.settings))
            for pairing in schedule.pairings
        ]
        self.searches = [SearchTally(setting) for setting in schedule.searches]
        self._waiting: dict[int, dict[int, GameResult]] = {}
        self._next = {pairing.index: pairing.first for pairing in schedule.pairings if pairing.sprt is not None}

    def add(self, result: Result) -> None:
        """Count one result of the schedule."""
        task = self.schedule.task(result.number)
        if isinstance(task, SearchTask):
            assert isinstance(result, SearchResult)
            self.searches[task.setting.index].results[result.number] = result
            return
        assert isinstance(result, GameResult)
        assert isinstance(task, GameTask)
        pairing = task.setting.pairing
        if pairing not in self._next:
            self.settings[task.setting.index].add(result)
            return
        self._waiting.setdefault(pairing, {})[result.number] = result
        self._count_in_order(self.pairings[pairing])

    def _count_in_order(self, tally: PairingTally) -> None:
        index, sprt = tally.pairing.index, tally.pairing.sprt
        assert sprt is not None
        waiting = self._waiting[index]
        while tally.decision is None and (result := waiting.pop(self._next[index], None)) is not None:
            task = self.schedule.task(result.number)
            assert isinstance(task, GameTask)
            self.settings[task.setting.index].add(result)
            self._next[index] += 1
            tally.decision = sprt.decision(*tally.counts)

    def counts(self, number: int) -> bool:
        """Whether the game or search of this number belongs to the results, as far as known now."""
        task = self.schedule.task(number)
        if not isinstance(task, GameTask) or task.setting.pairing not in self._next:
            return True
        pairing = task.setting.pairing
        return self.pairings[pairing].decision is None or number < self._next[pairing]

    @property
    def done(self) -> int:
        """Games and searches counted."""
        waiting = sum(len(results) for index, results in self._waiting.items() if self.pairings[index].decision is None)
        return (
            sum(tally.games for tally in self.settings) + sum(len(tally.results) for tally in self.searches) + waiting
        )

    @property
    def total(self) -> int:
        """The number of games and searches to be counted; it falls once a sequential test has decided."""
        spared = sum(tally.pairing.tasks - tally.games for tally in self.pairings if tally.decision is not None)
        return self.schedule.total - spared
