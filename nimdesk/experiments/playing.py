"""One task done: a game played to its end, or a search run to its end, in whatever thread or process calls."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast

from nimdesk.agents import Agent
from nimdesk.errors import AgentError
from nimdesk.experiments.judging import Memory, judge
from nimdesk.experiments.plan import plan_from_json
from nimdesk.experiments.results import GameResult, MoveResult, PlyResult, Result, SearchResult
from nimdesk.experiments.schedule import GameTask, Schedule, SearchTask, schedule_of
from nimdesk.games import AnyPosition, Move, Side
from nimdesk.limit import Limit
from nimdesk.search import BriefSearcher, ResumableSearcher, Searcher, Snapshot

# How long a search may go on before somebody looks whether it is still wanted.
_SLICE_S = 0.1
# Without a seed these choose by the board alone, so that one search of a position serves all games.
_BY_BOARD = ("alphabeta", "deepening", "minimax", "value-table")
_KEPT = 1 << 14


class Brakes:
    """How a run tells its workers to hold: ``pausing`` before the next task, ``stopping`` in the middle of one."""

    def __init__(self) -> None:
        """Nobody holds."""
        self.pausing = threading.Event()
        self.stopping = threading.Event()


class StoppedError(Exception):
    """The run is to stop: the task in hand is dropped, and begins anew another time."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """A move, and what it cost."""

    move: Move
    iterations: int
    nodes: int
    time_s: float


_choices: Memory[tuple[Agent, AnyPosition], _Choice] = Memory(_KEPT)


def run_tasks(plan_json: bytes, numbers: Sequence[int], brakes: Brakes | None = None) -> list[Result]:
    """Do these tasks of the plan, in order; fewer, where the brakes are put on.

    A plain function of plain values, so that a worker in another process can be asked.
    """
    schedule = _schedule(plan_json)
    results: list[Result] = []
    for number in numbers:
        if brakes is not None and brakes.pausing.is_set():
            break
        try:
            results.append(run_task(schedule, number, brakes))
        except StoppedError:
            break
    return results


def run_task(schedule: Schedule, number: int, brakes: Brakes | None = None) -> Result:
    """Do one task; ``StoppedError`` where ``stopping`` is set. A player that fails (``AgentError``) loses its game."""
    task = schedule.tasks[number]
    return play_game(schedule, task, brakes) if isinstance(task, GameTask) else run_search(schedule, task, brakes)


@lru_cache(maxsize=4)
def _schedule(plan_json: bytes) -> Schedule:
    return schedule_of(plan_from_json(plan_json))


def play_game(schedule: Schedule, task: GameTask, brakes: Brakes | None = None) -> GameResult:
    """Play the game to its end."""
    position = schedule.opening(task)
    start = position.text
    players = [Player(schedule.agents[name], brakes) for name in task.setting.players]
    plies: list[PlyResult] = []
    while position.outcome is None:
        side = position.turn
        try:
            choice = players[side].choose(position, schedule.seed(task, side, position.ply))
        except AgentError as error:
            return GameResult(task.number, start, _winner(side.other), tuple(plies), str(error))
        verdict = judge(position, choice.move, schedule.plan.truth_nodes)
        plies.append(PlyResult(choice.move.text, choice.iterations, choice.nodes, choice.time_s, verdict))
        position = position.play(choice.move)
    return GameResult(task.number, start, _winner(position.winner), tuple(plies))


def search_snapshot(schedule: Schedule, task: SearchTask, brakes: Brakes | None = None) -> tuple[Snapshot, bool]:
    """Search the position to the agent's own limit, or to the plan's; whether it was its own."""
    position, agent = schedule.positions[task.setting.position], schedule.agents[task.setting.player]
    searcher = agent.new_searcher(position)
    searcher.start(position, _own_seed(agent, schedule.search_seed(task)))
    complete = _advance(searcher, brakes, task.setting.node_limit)
    return searcher.snapshot(), complete


def run_search(schedule: Schedule, task: SearchTask, brakes: Brakes | None = None) -> SearchResult:
    """Search the position, and judge the choice."""
    began = time.perf_counter()
    try:
        snapshot, complete = search_snapshot(schedule, task, brakes)
    except AgentError as error:
        return SearchResult(task.number, "", "?", 0, 0, time.perf_counter() - began, False, (), str(error))
    move, position = snapshot.best_move, snapshot.position
    moves = tuple(MoveResult(each.move.text, each.visits, each.mean_value) for each in snapshot.moves)
    return SearchResult(
        number=task.number,
        choice="" if move is None else move.text,
        verdict="?" if move is None else judge(position, move, schedule.plan.truth_nodes),
        iterations=snapshot.iterations,
        nodes=snapshot.tree_nodes,
        time_s=snapshot.elapsed_s,
        complete=complete,
        moves=moves,
    )


class Player:
    """An agent in one game; one that keeps its tree keeps it from move to move."""

    def __init__(self, agent: Agent, brakes: Brakes | None = None) -> None:
        """Searches are given up where the brakes say so."""
        self._agent = agent
        self._brakes = brakes
        self._keeps = bool(getattr(agent.options, "keep_tree", False))
        self._kept: Searcher | None = None
        self._brief: bool | None = None  # asked once a game: looking whether a class keeps a protocol takes its time
        self._by_board = agent.name in _BY_BOARD and getattr(agent.options, "time_s", None) is None

    def choose(self, position: AnyPosition, seed: int) -> _Choice:
        """The move, and what it cost; of a player that goes by the board alone, each position is searched once."""
        if not self._by_board:
            return self._search(position, seed)
        known = _choices.get((self._agent, position))
        if known is None:
            known = self._search(position, seed)
            _choices.put((self._agent, position), known)
        return known

    def search(self, position: AnyPosition, seed: int) -> Snapshot:
        """The whole search behind a choice."""
        return self._searched(position, seed).snapshot()

    def _searched(self, position: AnyPosition, seed: int) -> Searcher:
        searcher = self._started(position, _own_seed(self._agent, seed))
        _advance(searcher, self._brakes, None)
        return searcher

    def _search(self, position: AnyPosition, seed: int) -> _Choice:
        began = time.perf_counter()
        searcher = self._searched(position, seed)
        if self._brief is None:
            self._brief = isinstance(searcher, BriefSearcher)
        snapshot = cast(BriefSearcher, searcher).brief() if self._brief else searcher.snapshot()
        took = time.perf_counter() - began
        if snapshot.best_move is None:
            raise AgentError(f"{self._agent.info.title} chose no move.")
        return _Choice(snapshot.best_move, snapshot.iterations, snapshot.tree_nodes, took)

    def _started(self, position: AnyPosition, seed: int) -> Searcher:
        kept = self._kept
        # Asked in this order: looking whether a class keeps a protocol costs as much as a search of a small position.
        if kept is not None and isinstance(kept, ResumableSearcher) and kept.resume(position, seed):
            return kept
        searcher = self._agent.new_searcher(position)
        searcher.start(position, seed)
        if self._keeps:
            self._kept = searcher
        return searcher


def _advance(searcher: Searcher, brakes: Brakes | None, nodes: int | None) -> bool:
    """Run the search to its own end, or to so many nodes; whether it came to its own end."""
    if brakes is None:
        return searcher.advance(Limit(nodes=nodes)) is not None
    until_s = 0.0
    while True:
        until_s += _SLICE_S
        if searcher.advance(Limit(time_s=until_s, nodes=nodes)) is not None:
            return True
        if brakes.stopping.is_set():
            raise StoppedError
        if nodes is not None and searcher.snapshot().tree_nodes >= nodes:
            return False


def _own_seed(agent: Agent, seed: int) -> int:
    """The seed of the agent's options, where they fix one."""
    own: int | None = getattr(agent.options, "seed", None)
    return seed if own is None else own


def _winner(side: Side | None) -> Literal[0, 1] | None:
    if side is None:
        return None
    return 0 if side is Side.FIRST else 1
