"""One search of a study: what it chose at each budget, and when its choice settled; and the same search once more."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec

from nimdesk.agents import Agent, make_agent
from nimdesk.errors import AgentError, PlanError
from nimdesk.experiments.study import Cell, Study, counts_iterations, is_deterministic
from nimdesk.games import AnyPosition, solver_for
from nimdesk.games.base import quoted
from nimdesk.games.truth import Truth
from nimdesk.limit import Limit
from nimdesk.search import Choice, Searcher, Snapshot
from nimdesk.search.measures import choices
from nimdesk.search.traces import checkpoints

if TYPE_CHECKING:
    from collections.abc import Sequence

# How long a search goes on before it looks whether it is to stop; slices change no result.
_SLICE_S = 0.1


class CellResult(msgspec.Struct, frozen=True, array_like=True):
    """What one search of a study said; columns are those of ``position.legal_moves``.

    For each budget there is one entry in ``choices`` (the column of the move it would play), ``spent`` (the iterations,
    or nodes, done by then: fewer than the budget where nothing was left to search) and ``visits`` (of each column).
    ``settled`` is the first iteration looked at from which on every choice was optimal, None where the last was not.
    """

    agent: int
    position: int
    number: int
    choices: tuple[int, ...]
    spent: tuple[int, ...]
    visits: tuple[tuple[int, ...], ...]
    settled: int | None

    @property
    def cell(self) -> Cell:
        """Which search it was."""
        return Cell(self.agent, self.position, self.number)


def prove(study: Study, stop: threading.Event | None = None) -> tuple[Truth, ...] | None:
    """The exact value of every move of every position, or None if ``stop`` was set before all was known.

    ``PlanError`` for a position whose truth is not known after ``solver_nodes`` positions.
    """
    truths: list[Truth] = []
    for position in study.positions:
        truth = _proven(position, study.plan.solver_nodes, stop)
        if truth is None:
            return None
        truths.append(truth)
    return tuple(truths)


def _proven(position: AnyPosition, nodes: int, stop: threading.Event | None) -> Truth | None:
    solver = solver_for(position, distances=False)
    solver.start(position)
    time_s = 0.0
    while True:
        time_s += _SLICE_S
        if solver.advance(Limit(nodes=nodes, time_s=time_s)):
            return solver.truth()
        truth = solver.truth()
        if truth.complete:
            return truth
        if truth.nodes >= nodes:
            unknown = sum(each.value.score is None for each in truth.moves)
            raise PlanError(
                f"The truth about {position.text} is not known: after {nodes:,} positions {unknown} of its "
                f"{len(truth.moves)} moves are not proven. Choose a smaller board or a later position, or let the "
                "solver visit more."
            )
        if stop is not None and stop.is_set():
            return None


def regret_half_points(truth: Truth) -> tuple[int, ...]:
    """What each legal move gives away, in half points: 0 for an optimal one, 2 for losing a won game."""
    best = truth.value.score
    worth = [each.value.score for each in truth.moves]
    assert best is not None
    return tuple(round(2 * (best - score)) for score in worth if score is not None)


def run_cell(study: Study, truth: Truth, cell: Cell, stop: threading.Event) -> CellResult | None:
    """Make this search and read it at every budget; None if ``stop`` was set before its end.

    ``truth`` is that of its position. A search that ends before a budget keeps its choice from there on.
    """
    agent = study.agents[cell.agent]
    search = _Search(study, cell)
    rule = _choice_rule(agent)
    read: dict[int, Snapshot] = {}
    seen: list[tuple[int, int]] = []
    for point in _reading_points(study, cell.agent, rule):
        snapshot = search.advance_to(point, stop)
        if snapshot is None:
            return None
        seen.append((search.spent(snapshot), search.column(snapshot)))
        if point in study.budgets:
            read[point] = snapshot
    at_budgets = [read[budget] for budget in study.budgets]
    trace = at_budgets[-1].trace
    if rule is not None and trace is not None:
        seen += zip(trace.iterations.tolist(), choices(trace, rule).tolist(), strict=True)
    settled = settled_at(seen, regret_half_points(truth))
    return CellResult(
        *cell,
        choices=tuple(map(search.column, at_budgets)),
        spent=tuple(map(search.spent, at_budgets)),
        visits=tuple(tuple(stats.visits for stats in snapshot.moves) for snapshot in at_budgets),
        settled=settled,
    )


def rerun(study: Study, cell: Cell, budget: int | None = None) -> Searcher:
    """The identical search once more, standing at this budget (the largest, if None): a snapshot has its trace."""
    search = _Search(study, cell)
    search.advance_to(study.budgets[-1] if budget is None else budget, threading.Event())
    return search.searcher


def seeded_agent(study: Study, cell: Cell) -> Agent:
    """The agent with limit and seed in its options: started on the cell's position it makes the identical search."""
    agent = study.agent_of(cell)
    if is_deterministic(agent):
        return agent
    return make_agent(agent.name, {**msgspec.structs.asdict(agent.options), "seed": study.seed_of(cell)})


def settled_at(seen: Sequence[tuple[int, int]], regrets: Sequence[int]) -> int | None:
    """The first of the iterations from which on every choice is optimal; None where the last one is not.

    ``seen`` has pairs of iteration and chosen column in any order.
    """
    wrong = max((at for at, column in seen if regrets[column]), default=-1)
    return min((at for at, _column in seen if at > wrong), default=None)


class _Search:
    """The search of one cell, driven to one budget after the other."""

    def __init__(self, study: Study, cell: Cell) -> None:
        agent, position = study.agent_of(cell), study.positions[cell.position]
        self._columns = {move: column for column, move in enumerate(position.legal_moves)}
        self.searcher: Searcher = agent.new_searcher(position)
        self.searcher.start(position, study.seed_of(cell))
        self._by_iterations = counts_iterations(agent)
        self._over: Snapshot | None = None
        self._until_s = _SLICE_S

    def column(self, snapshot: Snapshot) -> int:
        """The column of the move that it would play."""
        if snapshot.best_move is None:
            raise AgentError(f"The agent {quoted(snapshot.agent)} has chosen no move in {snapshot.position.text}.")
        return self._columns[snapshot.best_move]

    def spent(self, snapshot: Snapshot) -> int:
        """How much of a budget is used: iterations, or nodes for an agent that has none."""
        return snapshot.iterations if self._by_iterations else snapshot.tree_nodes

    def advance_to(self, budget: int, stop: threading.Event) -> Snapshot | None:
        """The state at this budget, or at the search's own end; None if ``stop`` was set before."""
        iterations, nodes = (budget, None) if self._by_iterations else (None, budget)
        while self._over is None:
            reason = self.searcher.advance(Limit(iterations, self._until_s, nodes))
            snapshot = self.searcher.snapshot()
            if reason is not None:
                self._over = snapshot
            elif self.spent(snapshot) >= budget:
                return snapshot
            elif stop.is_set():
                return None
            else:
                self._until_s += _SLICE_S
        return self._over


def _choice_rule(agent: Agent) -> Choice | None:
    """How the agent's choice follows from its trace, or None where the trace does not hold all that it knows."""
    if agent.name in ("flat", "flat-perfect"):
        return "mean"
    if agent.name == "mcts":
        return "visits"  # its trace says of each row what it would have played, so that no rule is asked
    return getattr(agent.options, "final", "visits") if agent.name == "uct" else None


def _reading_points(study: Study, agent: int, rule: Choice | None) -> tuple[int, ...]:
    """The budgets; and the checkpoints of a trace, where the choices there cannot be read from the trace itself."""
    if rule is not None or not counts_iterations(study.agents[agent]):
        return study.budgets
    last = study.budgets[-1]
    return tuple(sorted({*study.budgets, *(int(at) for at in checkpoints(last) if at <= last)}))
