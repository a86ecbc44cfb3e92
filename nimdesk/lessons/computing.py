"""What answers are judged by, worked out from positions and searches; nothing of it is stored in a lesson."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar, cast

import numpy as np

from nimdesk.errors import LessonError, StoppedError
from nimdesk.figures.measure import MEASURES, MeasureName, MoveMeasure, Unit
from nimdesk.games import AnyPosition, Move, solved
from nimdesk.games.truth import Truth
from nimdesk.lessons.files import option_values
from nimdesk.lessons.model import AgentPart, CurveTask, NumberTask, Shown
from nimdesk.search import Snapshot, drive
from nimdesk.search.measures import Floats, MoveNumbers, move_regrets
from nimdesk.search.timeline import Cost, Recorder, Timeline

TRUTH_S = 20.0
_MOST_POSITIONS = 300_000
_MOST_GAMES = 2**53
"""More are not told apart as numbers."""
_CURVE_POINTS = 40
_MOST_KEPT = 200
_SEARCHES: OrderedDict[object, Snapshot] = OrderedDict()
_TRUTHS: OrderedDict[AnyPosition, Truth] = OrderedDict()
_KeyT = TypeVar("_KeyT")
_KeptT = TypeVar("_KeptT")


def _keep(kept: OrderedDict[_KeyT, _KeptT], key: _KeyT, value: _KeptT) -> None:
    kept[key] = value
    while len(kept) > _MOST_KEPT:
        kept.popitem(last=False)


def searched(
    part: AgentPart, shown: Shown, iterations: int, stop: threading.Event | None, seed: int | None = None
) -> Snapshot:
    """The search of an agent in the position of the step; ``StoppedError`` once stopped.

    It ends after so many iterations, or nodes for an agent that does not sample. The last ones are kept: a person who
    answers again does not wait again.
    """
    agent, seed = part.make().unlimited(), part.seed if seed is None else seed
    key = agent, shown.position, seed, iterations
    known = _SEARCHES.get(key)  # in one step: answers and answer keys are worked out in two threads
    if known is not None:
        return known
    searcher = agent.new_searcher(shown.position)
    searcher.start(shown.position, seed)
    drive(searcher, agent.counted(iterations), stop)
    if stop is not None and stop.is_set():
        raise StoppedError
    snapshot = searcher.snapshot()
    _keep(_SEARCHES, key, snapshot)
    return snapshot


def each_seed(
    part: AgentPart, shown: Shown, iterations: int, seeds: int, stop: threading.Event | None
) -> list[Snapshot]:
    """The searches with the seeds 1 to ``seeds``; with one, that with the agent's own."""
    own = [part.seed] if seeds == 1 else range(1, seeds + 1)
    return [searched(part, shown, iterations, stop, seed) for seed in own]


def truth_of(shown: Shown, stop: threading.Event | None = None) -> Truth:
    """What is proven of the position of the step, which is all; ``LessonError`` where that takes too long.

    ``StoppedError`` once stopped.
    """
    position = shown.position
    known = _TRUTHS.get(position)
    if known is not None:
        return known
    truth, done = solved(position, TRUTH_S, stop)
    if done:
        _keep(_TRUTHS, position, truth)
        return truth
    if stop is not None and stop.is_set():
        raise StoppedError
    raise LessonError(f"{position.text} is not solved within {TRUTH_S:g} s, so that nothing here can be judged.")


def timeline_of(snapshot: Snapshot) -> Timeline:
    """A whole search over its costs."""
    recorder = Recorder()
    recorder.add(snapshot)
    return recorder.timeline(snapshot)


def is_optimal(move: Move | None, truth: Truth) -> bool:
    """Whether the move is proven to keep what the position is worth."""
    return move in truth.best_moves


def regret_of(snapshots: Sequence[Snapshot], truth: Truth) -> float:
    """How much the choices of these searches give away on average."""
    regrets = dict(zip(snapshots[0].position.legal_moves, _regrets(truth), strict=True))
    return float(np.mean([regrets[each.best_move] if each.best_move else np.nan for each in snapshots]))


def _regrets(truth: Truth) -> Floats:
    regrets = move_regrets(truth.position.legal_moves, truth)
    assert regrets is not None
    return regrets


# A measure at the end of a search, and all along it


def measured(
    name: MeasureName, snapshot: Snapshot, part: AgentPart, truth: Truth | None, move: str = ""
) -> tuple[Floats, Floats]:
    """The simulations and the values of a measure of this search; ``LessonError`` where it has no such values."""
    measure, line = MEASURES[name], timeline_of(snapshot)
    values: Floats | None = None
    if isinstance(measure, MoveMeasure):
        if snapshot.trace is not None:
            numbers = measure.values(MoveNumbers(snapshot.trace, part.make().bound(snapshot.position.game)))
            column = snapshot.trace.moves.index(snapshot.position.parse_move(move))
            values = None if numbers is None else numbers[:, column]
    else:
        values = measure.values(line, truth)
    spent = line.costs(Cost.ITERATIONS)
    if values is None or spent is None:
        raise LessonError(f"The agent “{part.agent}” has no {measure.words} to compare with.")
    return spent, values


def mean_measure(
    name: MeasureName, part: AgentPart, shown: Shown, iterations: int, seeds: int, stop: threading.Event | None
) -> float:
    """What the measure is at the end of the searches, on average."""
    truth = truth_of(shown, stop) if MEASURES[name].needs_truth else None
    searches = each_seed(part, shown, iterations, seeds, stop)
    return float(np.mean([measured(name, each, part, truth)[1][-1] for each in searches]))


def axes_of(task: CurveTask, shown: Shown) -> tuple[tuple[float, float], float]:
    """The ends of the axis over which a curve is drawn, and the upper end of the other one, which begins with 0."""
    ends = (task.low, task.high) if task.option else (1.0, max(2.0, float(task.iterations)))
    moves = max(2, len(shown.position.legal_moves))
    tops = {Unit.COUNT: float(task.iterations), Unit.BITS: math.log2(moves)}
    return ends, tops.get(MEASURES[task.measure].unit, 1.0)


def curve_of(task: CurveTask, shown: Shown, stop: threading.Event | None) -> tuple[Floats, Floats]:
    """The curve that was to be drawn: over simulations at even steps of their logarithm, or over an option."""
    part = shown.agents[task.agent - 1]
    truth = truth_of(shown, stop) if MEASURES[task.measure].needs_truth else None
    if task.option:
        grid = np.array(option_values(task))
        rows = np.array([[_at_option(task, part, shown, each, truth, stop) for each in grid.tolist()]])
    else:
        grid = np.unique(np.geomspace(1, task.iterations, _CURVE_POINTS).round())
        searches = each_seed(part, shown, task.iterations, task.seeds, stop)
        rows = np.array([_on_grid(task, each, part, truth, grid) for each in searches])
    known = np.isfinite(rows)  # a move that was not visited yet has no mean
    at = known.any(axis=0)
    if not at.any():
        raise LessonError(f"After {task.iterations:,} simulations there is no {MEASURES[task.measure].words} yet.")
    return grid[at], np.where(known, rows, 0.0).sum(axis=0)[at] / known.sum(axis=0)[at]


def _at_option(
    task: CurveTask, part: AgentPart, shown: Shown, value: float, truth: Truth | None, stop: threading.Event | None
) -> float:
    changed = AgentPart(agent=part.agent, options={**part.options, task.option: value}, seed=part.seed)
    searches = each_seed(changed, shown, task.iterations, task.seeds, stop)
    return float(np.mean([measured(task.measure, each, changed, truth, task.move)[1][-1] for each in searches]))


def _on_grid(task: CurveTask, snapshot: Snapshot, part: AgentPart, truth: Truth | None, grid: Floats) -> Floats:
    spent, values = measured(task.measure, snapshot, part, truth, task.move)
    at = np.searchsorted(spent, grid, side="right") - 1
    found: Floats = np.where(at < 0, np.nan, values[np.maximum(at, 0)])
    return found


# Numbers


def number_of(task: NumberTask, shown: Shown, stop: threading.Event | None) -> float:
    """The number that was to be predicted; ``LessonError`` where the search does not come to one."""
    position = shown.position
    if task.number == "moves":
        return len(position.legal_moves)
    if task.number in ("games", "positions"):
        games = _games(position)
        number = games[position] if task.number == "games" else len(games)
        if number > _MOST_GAMES:
            raise LessonError(f"From {position.text} there are more games than can be counted here.")
        return number
    part = shown.agents[task.agent - 1]
    if task.number == "right":
        truth = truth_of(shown, stop)
        searches = each_seed(part, shown, task.iterations, task.seeds, stop)
        return sum(is_optimal(each.best_move, truth) for each in searches)
    snapshot = searched(part, shown, task.iterations, stop)
    if task.number in ("proven", "nodes"):
        if snapshot.proven is None:
            raise LessonError(f"The agent “{part.agent}” has proven nothing after {task.iterations:,} simulations.")
        return snapshot.iterations if task.number == "proven" else snapshot.tree_nodes
    if task.number == "settled":
        return _settled(snapshot, truth_of(shown, stop))
    value = float(measured(cast("MeasureName", task.number), snapshot, part, None, task.move)[1][-1])
    if not np.isfinite(value):
        raise LessonError(f"After {task.iterations:,} simulations {task.move} has no {task.number} yet.")
    return value


def _settled(snapshot: Snapshot, truth: Truth) -> float:
    """From which simulation on it would play an optimal move, up to its end."""
    line = timeline_of(snapshot)
    regrets, spent = line.regrets(truth), line.costs(Cost.ITERATIONS)
    if regrets is None or spent is None or regrets[-1] != 0:
        raise LessonError("The search does not come to an optimal move.")
    wrong = np.flatnonzero(~(regrets == 0))
    return float(spent[wrong[-1] + 1 if wrong.size else 0])


@lru_cache(maxsize=4)
def _games(start: AnyPosition) -> dict[AnyPosition, int]:
    """How many ways lead from each position met to an end."""
    known: dict[AnyPosition, int] = {}
    open_positions = [start]
    while open_positions:
        position = open_positions[-1]
        after = [] if position.outcome is not None else [position.play(move) for move in position.legal_moves]
        missing = [each for each in after if each not in known]
        if missing:
            open_positions += missing
        else:
            known[open_positions.pop()] = sum(known[each] for each in after) if after else 1
        if len(known) + len(open_positions) > _MOST_POSITIONS:
            raise LessonError(f"From {start.text} there are more positions than can be counted here.")
    return known
