"""A search of a study, read at its budgets."""

from __future__ import annotations

from collections.abc import Sequence

from nimdesk.errors import AgentError, quoted
from nimdesk.experiments.brakes import SLICE_S, Brakes
from nimdesk.experiments.studies.work import Study, StudyResult, StudyTask
from nimdesk.limit import Limit
from nimdesk.search import Snapshot


def study_search(study: Study, task: StudyTask, regrets: Sequence[int], brakes: Brakes | None = None) -> StudyResult:
    """Make this search and read it at every budget; ``StoppedError`` if it is stopped before its end.

    ``regrets`` are those of its position's moves. A search that ends before a budget keeps its choice from then on. One
    with a budget of its own is read at its end, which then stands for all of them.
    """
    search = _StudySearch(study, task, brakes)
    if study.has_own_budget(task.agent, task.position):
        return _read_once(search, task.number, len(study.budgets), regrets)
    at_budgets = [search.advance_to(budget) for budget in study.budgets]
    seen = [(search.spent(snapshot), search.column(snapshot)) for snapshot in at_budgets]
    trace = at_budgets[-1].trace
    if trace is not None:
        seen += zip(trace.iterations.tolist(), trace.choice.tolist(), strict=True)
    return StudyResult(
        number=task.number,
        choices=tuple(map(search.column, at_budgets)),
        spent=tuple(map(search.spent, at_budgets)),
        visits=tuple(tuple(stats.visits for stats in snapshot.moves) for snapshot in at_budgets),
        settled=settled_at(seen, regrets),
    )


def _read_once(search: _StudySearch, number: int, budgets: int, regrets: Sequence[int]) -> StudyResult:
    end = search.to_its_end()
    choice, spent, visits = search.column(end), search.spent(end), tuple(stats.visits for stats in end.moves)
    settled = settled_at([(spent, choice)], regrets)
    return StudyResult(number, (choice,) * budgets, (spent,) * budgets, (visits,) * budgets, settled)


def settled_at(seen: Sequence[tuple[int, int]], regrets: Sequence[int]) -> int | None:
    """The first of the iterations from which on every choice is optimal; None if the last is not.

    ``seen`` has pairs of iteration and chosen column in any order.
    """
    wrong = max((at for at, column in seen if regrets[column]), default=-1)
    return min((at for at, _column in seen if at > wrong), default=None)


class _StudySearch:
    """A search of a study, driven from budget to budget."""

    def __init__(self, study: Study, task: StudyTask, brakes: Brakes | None) -> None:
        agent, position = study.limited(task), study.positions[task.position]
        self._columns = {move: column for column, move in enumerate(position.legal_moves)}
        self._searcher = agent.new_searcher(position)
        self._searcher.start(position, study.seed(task))
        self._by_iterations, self._timed = agent.traits.counts == "iterations", bool(study.part.unit)
        self._brakes = brakes
        self._over: Snapshot | None = None
        self._until_s = SLICE_S

    def column(self, snapshot: Snapshot) -> int:
        """The column of the move that it would play."""
        if snapshot.best_move is None:
            raise AgentError(f"The agent {quoted(snapshot.agent)} has chosen no move in {snapshot.position.text}.")
        return self._columns[snapshot.best_move]

    def spent(self, snapshot: Snapshot) -> int:
        """The iterations, or nodes for an agent without iterations."""
        return snapshot.iterations if self._by_iterations else snapshot.tree_nodes

    def to_its_end(self) -> Snapshot:
        """The state at the search's own end."""
        while self._searcher.advance(Limit(time_s=self._until_s)) is None:
            self._until_s += SLICE_S
            if self._brakes is not None:
                self._brakes.check()
        return self._searcher.snapshot()

    def advance_to(self, budget: int) -> Snapshot:
        """The state at this budget, or at the search's own end."""
        iterations, nodes = (budget, None) if self._by_iterations else (None, budget)
        end = Limit(time_s=budget / 1_000) if self._timed else Limit(iterations, None, nodes)
        while self._over is None:
            until_s = self._until_s if end.time_s is None else min(self._until_s, end.time_s)
            reason = self._searcher.advance(Limit(end.iterations, until_s, end.nodes))
            snapshot = self._searcher.snapshot()
            if reason is not None:
                self._over = snapshot
            elif (until_s if self._timed else self.spent(snapshot)) >= (end.time_s or budget):
                return snapshot
            else:
                self._until_s += SLICE_S
                if self._brakes is not None:
                    self._brakes.check()
        return self._over
