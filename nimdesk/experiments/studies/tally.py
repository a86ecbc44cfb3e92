"""The results of a study so far: probability of an optimal choice, regret and settling.

All sums are of whole numbers, so the order in which searches finish changes no digit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from nimdesk.experiments.kind import Tally
from nimdesk.experiments.statistics import mean_and_error, mean_interval, wilson
from nimdesk.experiments.studies.work import Study, StudyResult, StudyTask
from nimdesk.experiments.truth import Regrets, prove, regret_half_points


@dataclass(slots=True)
class _Sums:
    """The sums of one agent, position and budget; regrets in half points."""

    optimal: int = 0
    regret: int = 0
    regret_squared: int = 0
    optimal_visits: int = 0
    visits: int = 0


@dataclass(slots=True)
class _Pair:
    """The sums of one agent and position."""

    tallies: list[_Sums]
    results: dict[int, StudyResult] = field(default_factory=dict)
    settled: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class StudyRow:
    """One agent on one position with one budget; the columns of the CSV, in their order.

    An agent that takes no budget from outside has a single row, and None for its own.
    ``optimal`` of the ``searches`` chose an optimal move, with the 95% Wilson interval ``low`` to ``high`` (the share
    itself for a deterministic agent, whose one search says all). ``regret`` is the mean regret of the choices (win 1,
    draw 1/2, loss 0), ``regret_error`` its standard error. ``visit_share`` is the share of all visits on optimal moves,
    None for agents without visits. ``settled`` searches chose optimally from some moment on up to the largest budget.
    By ``settled_median`` iterations half of *all* searches had settled, None if fewer ever did. ``chance`` is the share
    of legal moves that are optimal.
    """

    agent: str
    position: str
    budget: int | None
    searches: int
    optimal: int
    optimal_share: float
    low: float
    high: float
    regret: float
    regret_error: float
    visit_share: float | None
    settled: int
    settled_median: int | None
    chance: float

    @property
    def regret_interval(self) -> tuple[float, float]:
        """The 95% interval of the mean regret."""
        if self.low == self.high:  # nothing is left to chance
            return self.regret, self.regret
        return mean_interval(self.regret, self.searches)


@dataclass(frozen=True, slots=True)
class Variation:
    """Agents of a study that differ in one number alone: the rows of a heat map, whose columns are the budgets."""

    option: str
    agents: tuple[int, ...]
    values: tuple[float, ...]


class StudyTally(Tally):
    """The searches of a study, counted; threads may add and read at the same time.

    ``regrets`` is the regret of each move of each position in half points; empty before ``prove``.
    """

    def __init__(self, study: Study, *, keep_visits: bool) -> None:
        """``keep_visits``: keep the visits of each move."""
        self.study = study
        self.regrets: Regrets = ()
        self._optimal: tuple[tuple[int, ...], ...] = ()
        """The columns of the optimal moves of each position."""
        self._keep_visits = keep_visits
        self._lock = threading.Lock()
        self._pairs = {
            (agent, position): _Pair([_Sums() for _ in study.budgets])
            for agent in range(len(study.agents))
            for position in range(len(study.positions))
        }

    @property
    def known(self) -> Regrets:
        """The regrets."""
        return self.regrets

    @property
    def is_proven(self) -> bool:
        """Whether they are known."""
        return bool(self.regrets)

    def prove(self, check: Callable[[], object] = bool) -> None:
        """Prove the positions, before anything is added; see ``truth.prove``."""
        truths = prove(self.study.positions, self.study.part.solver_nodes, check)
        self.regrets = tuple(map(regret_half_points, truths))
        self._optimal = tuple(
            tuple(column for column, regret in enumerate(moves) if not regret) for moves in self.regrets
        )

    def fits(self, result: StudyResult) -> bool:
        """Whether the result can belong to this study."""
        moves = len(self.regrets[self.study.task(result.number).position])
        return (
            len(result.choices) == len(result.spent) == len(result.visits) == len(self.study.budgets)
            and all(0 <= choice < moves for choice in result.choices)
            and all(len(visits) == moves for visits in result.visits)
        )

    def add(self, result: StudyResult) -> None:
        """Count one search; a search counted before changes nothing."""
        task = self.study.task(result.number)
        regrets, optimal = self.regrets[task.position], self._optimal[task.position]
        with self._lock:
            pair = self._pairs[task.agent, task.position]
            if task.repeat in pair.results:
                return
            kept = result if self._keep_visits else msgspec.structs.replace(result, visits=())
            pair.results[task.repeat] = kept
            if result.settled is not None:
                pair.settled.append(result.settled)
            for tally, choice, visits in zip(pair.tallies, result.choices, result.visits, strict=True):
                regret = regrets[choice]
                tally.optimal += not regret
                tally.regret += regret
                tally.regret_squared += regret * regret
                tally.visits += sum(visits)
                tally.optimal_visits += sum([visits[column] for column in optimal])

    @property
    def done(self) -> int:
        """How many searches are done."""
        return sum(len(pair.results) for pair in self._pairs.values())

    @property
    def total(self) -> int:
        """How many there are to do."""
        return self.study.tasks

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Agents and positions (their indices) in the order of the plan."""
        return tuple(self._pairs)

    def results(self, agent: int, position: int) -> tuple[StudyResult, ...]:
        """The finished searches of this position by this agent, in order."""
        with self._lock:
            return tuple(result for _repeat, result in sorted(self._pairs[agent, position].results.items()))

    def row(self, agent: int, position: int, budget: int) -> StudyRow | None:
        """What is known at the budget of this index, or None before the first search."""
        with self._lock:
            pair = self._pairs[agent, position]
            tally, n = pair.tallies[budget], len(pair.results)
            if n == 0:
                return None
            share = tally.optimal / n
            sure = not self.study.agents[agent].uses_chance
            own = self.study.has_own_budget(agent, position)
            low, high = (share, share) if sure else wilson(tally.optimal, n)
            regret, error = mean_and_error(tally.regret, tally.regret_squared, n)
            return StudyRow(
                agent=self.study.labels[agent],
                position=self.study.positions[position].text,
                budget=None if own else self.study.budgets[budget],
                searches=n,
                optimal=tally.optimal,
                optimal_share=share,
                low=low,
                high=high,
                regret=regret / 2,
                regret_error=0.0 if sure else error / 2,
                visit_share=tally.optimal_visits / tally.visits if tally.visits else None,
                settled=len(pair.settled),
                settled_median=None if own else _median_of_all(pair.settled, n),
                chance=self.chance(position),
            )

    def rows(self) -> Iterator[StudyRow]:
        """All rows in the order of the plan: agent by agent, position by position, budget by budget."""
        for agent, position in self._pairs:
            yield from self.rows_of(agent, position)

    def rows_of(self, agent: int, position: int) -> list[StudyRow]:
        """The rows of this agent at this position, none before the first search."""
        budgets = [-1] if self.study.has_own_budget(agent, position) else range(len(self.study.budgets))
        return [row for budget in budgets if (row := self.row(agent, position, budget)) is not None]

    def chance(self, position: int) -> float:
        """The share of the legal moves that are optimal."""
        regrets = self.regrets[position]
        return regrets.count(0) / len(regrets)

    def chance_regret(self, position: int) -> float:
        """The mean regret of a move chosen at random."""
        regrets = self.regrets[position]
        return sum(regrets) / len(regrets) / 2

    def find(self, agent: int, position: int, budget: int, *, optimal: bool) -> tuple[StudyTask, ...]:
        """The searches behind a point: those that chose an optimal move at the budget of this index, or those that did
        not.
        """
        regrets, found = self.regrets[position], self.results(agent, position)
        return tuple(self.study.task(each.number) for each in found if (not regrets[each.choices[budget]]) is optimal)


def _median_of_all(settled: Sequence[int], n: int) -> int | None:
    """The smallest number by which at least half of all n searches had settled."""
    half = (n + 1) // 2
    return sorted(settled)[half - 1] if len(settled) >= half else None


def variations(study: Study) -> tuple[Variation, ...]:
    """The groups of two or more agents that differ in one number alone, such as the exploration constant."""
    groups: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for number, agent in enumerate(study.agents):
        given = agent.character
        for each in agent.info.fields:
            value = getattr(agent.options, each.name)
            if each.name != agent.traits.seed and isinstance(value, int | float) and not isinstance(value, bool):
                rest = sorted((name, repr(other)) for name, other in given.items() if name != each.name)
                groups.setdefault((each.name, f"{agent.name} {rest}"), []).append((float(value), number))
    found = []
    for (option, _rest), members in groups.items():
        values, agents = zip(*sorted(members), strict=True)
        if len(set(values)) > 1:
            found.append(Variation(option, agents, values))
    return tuple(found)
