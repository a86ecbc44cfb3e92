"""What a study has found so far: probability of an optimal choice, regret and settling, and the same as CSV.

All sums are of whole numbers, so that the order in which searches finish changes no digit.
"""

from __future__ import annotations

import csv
import io
import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields

import msgspec

from nimdesk.experiments.statistics import mean_and_error, wilson
from nimdesk.experiments.study import Cell, Study, agent_part, is_deterministic
from nimdesk.experiments.study_search import CellResult, regret_half_points
from nimdesk.games.truth import Truth


@dataclass(slots=True)
class _Tally:
    """The sums of one agent, position and budget; regrets in half points."""

    optimal: int = 0
    regret: int = 0
    regret_squared: int = 0
    optimal_visits: int = 0
    visits: int = 0


@dataclass(slots=True)
class _Pair:
    """The sums of one agent and position."""

    tallies: list[_Tally]
    results: dict[int, CellResult] = field(default_factory=dict)
    settled: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class StudyRow:
    """One agent on one position with one budget; the columns of the CSV, in their order.

    ``searches`` is how many there are; ``optimal`` of them chose an optimal move, with the 95% Wilson interval ``low``
    to ``high`` (the share itself for a deterministic agent, whose one search says all). ``regret`` is the mean of what
    the choices gave away (win 1, draw 1/2, loss 0), ``regret_error`` its standard error. ``visit_share`` is the share
    of all visits that optimal moves got, None for agents without any. ``settled`` searches chose optimally from some
    moment on up to the largest budget; by ``settled_median`` iterations half of *all* searches had, None where fewer
    than half ever did. ``chance`` is the share of legal moves that are optimal.
    """

    agent: str
    position: str
    budget: int
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


@dataclass(frozen=True, slots=True)
class Variation:
    """Agents of a study that differ in one number alone; the rows of a heat map, the budgets are its columns."""

    option: str
    agents: tuple[int, ...]
    values: tuple[float, ...]


class StudyResults:
    """The searches done and what follows from them; threads may add and read at the same time."""

    def __init__(self, study: Study, truths: Sequence[Truth], *, keep_visits: bool = False) -> None:
        """``truths`` are those of ``study_search.prove``; visits move by move are kept only if asked for."""
        self.study, self.truths = study, tuple(truths)
        self.regrets = tuple(map(regret_half_points, self.truths))
        self._keep_visits = keep_visits
        self._lock = threading.Lock()
        self._pairs = {
            (agent, position): _Pair([_Tally() for _ in study.budgets])
            for agent in range(len(study.agents))
            for position in range(len(study.positions))
        }

    def add(self, result: CellResult) -> None:
        """Count one search; one that is there already changes nothing."""
        regrets = self.regrets[result.position]
        with self._lock:
            pair = self._pairs[result.agent, result.position]
            if result.number in pair.results:
                return
            kept = result if self._keep_visits else msgspec.structs.replace(result, visits=())
            pair.results[result.number] = kept
            if result.settled is not None:
                pair.settled.append(result.settled)
            for tally, choice, visits in zip(pair.tallies, result.choices, result.visits, strict=True):
                regret = regrets[choice]
                tally.optimal += not regret
                tally.regret += regret
                tally.regret_squared += regret * regret
                tally.visits += sum(visits)
                tally.optimal_visits += sum(n for n, given in zip(visits, regrets, strict=True) if not given)

    def __contains__(self, cell: object) -> bool:
        """Whether this search is done."""
        return isinstance(cell, Cell) and cell.number in self._pairs[cell.agent, cell.position].results

    @property
    def done(self) -> int:
        """How many searches are done."""
        return sum(len(pair.results) for pair in self._pairs.values())

    @property
    def complete(self) -> bool:
        """Whether all are."""
        return self.done == self.study.total

    def results(self, agent: int, position: int) -> tuple[CellResult, ...]:
        """The searches done by this agent of this position, by number."""
        with self._lock:
            return tuple(result for _number, result in sorted(self._pairs[agent, position].results.items()))

    def row(self, agent: int, position: int, budget: int) -> StudyRow | None:
        """What is known at the budget of this index, or None before the first search."""
        with self._lock:
            pair = self._pairs[agent, position]
            tally, n = pair.tallies[budget], len(pair.results)
            if n == 0:
                return None
            share = tally.optimal / n
            sure = is_deterministic(self.study.agents[agent])
            low, high = (share, share) if sure else wilson(tally.optimal, n)
            regret, error = mean_and_error(tally.regret, tally.regret_squared, n)
            return StudyRow(
                agent=self.study.labels[agent],
                position=self.study.positions[position].text,
                budget=self.study.budgets[budget],
                searches=n,
                optimal=tally.optimal,
                optimal_share=share,
                low=low,
                high=high,
                regret=regret / 2,
                regret_error=0.0 if sure else error / 2,
                visit_share=tally.optimal_visits / tally.visits if tally.visits else None,
                settled=len(pair.settled),
                settled_median=_median_of_all(pair.settled, n),
                chance=self.chance(position),
            )

    def rows(self) -> Iterator[StudyRow]:
        """All rows in the order of the plan: agent by agent, position by position, budget by budget."""
        for agent, position in self._pairs:
            for budget in range(len(self.study.budgets)):
                row = self.row(agent, position, budget)
                if row is not None:
                    yield row

    def chance(self, position: int) -> float:
        """The share of the legal moves that are optimal."""
        regrets = self.regrets[position]
        return regrets.count(0) / len(regrets)

    def chance_regret(self, position: int) -> float:
        """What a move chosen blindly gives away on average."""
        regrets = self.regrets[position]
        return sum(regrets) / len(regrets) / 2

    def find(self, agent: int, position: int, budget: int, *, optimal: bool) -> tuple[Cell, ...]:
        """The searches behind a point: those that chose an optimal move at the budget of this index, or did not."""
        regrets, found = self.regrets[position], self.results(agent, position)
        return tuple(each.cell for each in found if (not regrets[each.choices[budget]]) is optimal)


def _median_of_all(settled: Sequence[int], n: int) -> int | None:
    """The smallest number by which at least half of all n searches had settled."""
    half = (n + 1) // 2
    return sorted(settled)[half - 1] if len(settled) >= half else None


def variations(study: Study) -> tuple[Variation, ...]:
    """The groups of two or more agents that are alike but for one number, such as the exploration constant."""
    groups: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for number, agent in enumerate(study.agents):
        given = dict(agent_part(agent).options)
        for each in agent.info.fields:
            value = getattr(agent.options, each.name)
            if each.name != "seed" and isinstance(value, int | float) and not isinstance(value, bool):
                rest = sorted((name, repr(other)) for name, other in given.items() if name != each.name)
                groups.setdefault((each.name, f"{agent.name} {rest}"), []).append((float(value), number))
    found = []
    for (option, _rest), members in groups.items():
        values, agents = zip(*sorted(members), strict=True)
        if len(set(values)) > 1:
            found.append(Variation(option, agents, values))
    return tuple(found)


def summary_csv(results: StudyResults) -> str:
    """All rows as CSV, columns as ``StudyRow`` has them; shares and errors to nine digits, empty where unknown."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [each.name for each in fields(StudyRow)]
    writer.writerow(names)
    for row in results.rows():
        writer.writerow([_csv_value(getattr(row, name)) for name in names])
    return out.getvalue()


SEARCH_COLUMNS = ("agent", "position", "number", "seed", "budget", "spent", "choice", "regret", "settled", "visits")


def searches_csv(results: StudyResults) -> str:
    """Each search at each budget as CSV; ``visits`` of all legal moves, as move=visits, in their order.

    Needs results that keep visits.
    """
    study = results.study
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(SEARCH_COLUMNS)
    for agent, label in enumerate(study.labels):
        for number, position in enumerate(study.positions):
            moves = [move.text for move in position.legal_moves]
            for result in results.results(agent, number):
                head = [label, position.text, result.number, study.seed_of(result.cell)]
                read = zip(study.budgets, result.spent, result.choices, result.visits, strict=True)
                for budget, spent, choice, visits in read:
                    shown = " ".join(f"{move}={n}" for move, n in zip(moves, visits, strict=True))
                    regret = results.regrets[number][choice] / 2
                    writer.writerow(
                        [*head, budget, spent, moves[choice], *map(_csv_value, (regret, result.settled)), shown]
                    )
    return out.getvalue()


def _csv_value(value: object) -> object:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.9g}" if isinstance(value, float) else value
