"""All searches of a position by an agent, for an atlas: many in one call of a kernel where the agent can do that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from nimdesk.agents import Agent
from nimdesk.errors import AgentError, quoted
from nimdesk.experiments.atlas.work import Atlas, AtlasResult, AtlasTask
from nimdesk.experiments.truth import prove, regret_half_points
from nimdesk.games import AnyPosition, Move, solver_for
from nimdesk.games.truth import Truth
from nimdesk.limit import Limit
from nimdesk.search import BriefSearcher, RepeatedSearcher, Searcher

# How many simulations are done between two checks whether they are still wanted.
_MOST_AT_ONCE = 20_000_000
_KEPT = 1 << 10


def search_all(atlas: Atlas, task: AtlasTask, check: Callable[[], object]) -> AtlasResult:
    """Make all searches of this task and add them up; ``check`` is called now and then, and may raise."""
    position, agent = atlas.positions[task.position], atlas.agents[task.agent]
    truth = _truth(position, atlas.part.solver_nodes)
    value = cast(Literal["win", "draw", "loss"], truth.value.value)
    regrets = np.array(regret_half_points(truth))
    best = int((regrets == 0).sum())
    if best == len(regrets):
        return AtlasResult(number=task.number, value=value, moves=best, best=best)
    columns = _choices(agent.with_budget(atlas.budgets[-1], position), position, atlas, task, check)
    lost = regrets[columns]
    right = lost == 0
    # Right from here on: at this and all later budgets.
    stays = np.logical_and.accumulate(right[:, ::-1], axis=1)[:, ::-1]
    wrong, plies = _usual_mistake(position, truth, columns[~right])
    return AtlasResult(
        number=task.number,
        value=value,
        moves=len(regrets),
        best=best,
        searches=len(columns),
        optimal=tuple(right.sum(axis=0).tolist()),
        regret=tuple(lost.sum(axis=0).tolist()),
        settled=tuple(stays.sum(axis=0).tolist()),
        wrong=wrong,
        plies=plies,
    )


@lru_cache(maxsize=_KEPT)
def _truth(position: AnyPosition, nodes: int) -> Truth:
    return prove([position], nodes)[0]


def _usual_mistake(position: AnyPosition, truth: Truth, columns: NDArray[np.int64]) -> tuple[str, int | None]:
    """The move chosen most often of these columns, and the plies that the game lasts with it."""
    if not len(columns):
        return "", None
    move = truth.moves[int(np.bincount(columns).argmax())].move
    after = position.play(move)
    solver = solver_for(after)
    solver.start(after)
    # The distance of a draw says nothing; a loss is proven soon.
    if truth.of(move).value.score or not solver.advance(Limit(nodes=_KEPT)):
        return move.text, None
    distance = solver.truth().distance
    return move.text, None if distance is None else distance + 1


def _choices(
    agent: Agent, position: AnyPosition, atlas: Atlas, task: AtlasTask, check: Callable[[], object]
) -> NDArray[np.int64]:
    """The column chosen in each search at each budget."""
    seeds, budgets = atlas.seeds(task), atlas.budgets
    searcher = agent.new_searcher(position)
    if isinstance(searcher, RepeatedSearcher) and agent.traits.counts == "iterations":
        searcher.start(position, 0)
        many = searcher.repeated(budgets)
        if many is not None:
            at_once = max(1, _MOST_AT_ONCE // budgets[-1])
            found = []
            for begin in range(0, len(seeds), at_once):
                check()
                found.append(many(seeds[begin : begin + at_once]))
            return np.concatenate(found).astype(np.int64)
    columns = {move: column for column, move in enumerate(position.legal_moves)}
    rows = []
    for seed in seeds:
        check()
        searcher.start(position, seed)
        rows.append(_one_search(agent, searcher, budgets, columns))
    return np.array(rows, np.int64)


def _one_search(agent: Agent, searcher: Searcher, budgets: Sequence[int], columns: dict[Move, int]) -> list[int]:
    chosen: list[int] = []
    for budget in budgets:
        reason = searcher.advance(agent.counted(budget))
        snapshot = searcher.brief() if isinstance(searcher, BriefSearcher) else searcher.snapshot()
        if snapshot.best_move is None:
            raise AgentError(f"The agent {quoted(agent.name)} has chosen no move in {snapshot.position.text}.")
        chosen.append(columns[snapshot.best_move])
        if reason is not None:
            break
    # A search that ends before a budget keeps its choice from then on.
    return chosen + chosen[-1:] * (len(budgets) - len(chosen))
