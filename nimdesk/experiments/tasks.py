"""The execution of one task, in any thread or process: a game played, or a search run or read at its budgets."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast

from nimdesk.agents import Agent
from nimdesk.errors import AgentError, StoppedError, quoted
from nimdesk.experiments.atlas_search import search_all
from nimdesk.experiments.plan import plan_from_json
from nimdesk.experiments.planned import schedule_of
from nimdesk.experiments.results import (
    GameResult,
    MoveResult,
    PlyResult,
    Regrets,
    Result,
    SearchResult,
    StudyResult,
    judge,
)
from nimdesk.experiments.schedule import AtlasTask, GameTask, Schedule, SearchTask, Study, StudyTask, derived_seed
from nimdesk.games import AnyPosition, Move, Side, parse_position
from nimdesk.limit import Limit
from nimdesk.play import GameInProgress
from nimdesk.plugins import games as games_of_packages
from nimdesk.search import BriefSearcher, ResumableSearcher, Searcher, Snapshot

# How long a search runs between two checks whether it is still wanted; slices change no result.
_SLICE_S = 0.1
_KEPT = 1 << 14


class Brakes:
    """How a run holds its workers: ``pausing`` before the next task, ``stopping`` in the middle of one.

    Searches of a study, which may take long, pause where they are; those of games go on, because they are timed.
    """

    def __init__(self) -> None:
        self._going = threading.Event()
        self._going.set()
        self._stopping = threading.Event()

    @property
    def pausing(self) -> bool:
        """Whether new tasks have to wait."""
        return not self._going.is_set()

    @property
    def stopping(self) -> bool:
        """Whether the run is to end."""
        return self._stopping.is_set()

    def pause(self) -> None:
        """Begin no task until ``release``."""
        self._going.clear()

    def release(self) -> None:
        """Continue."""
        self._going.set()

    def stop(self) -> None:
        """End everything, even what is pausing."""
        self._stopping.set()
        self._going.set()

    def stops_within(self, wait_s: float) -> bool:
        """Wait so long, or until the run is to end; return whether it is."""
        return self._stopping.wait(wait_s)

    def check(self) -> None:
        """Wait while pausing; ``StoppedError`` if the run is to end."""
        self._going.wait()
        if self.stopping:
            raise StoppedError


@dataclass(frozen=True, slots=True)
class _Choice:
    """A move and its cost."""

    move: Move
    iterations: int
    nodes: int
    time_s: float


def run_tasks(
    schedule: Schedule, numbers: Sequence[int], brakes: Brakes | None = None, regrets: Regrets = ()
) -> tuple[list[Result], float]:
    """Do these tasks in order, and return the results and the seconds taken; fewer if the brakes are applied.

    A study needs the ``regrets`` of its moves (``results.prove``). A player that fails loses its game; in a study
    ``AgentError`` ends the run.
    """
    began, results = time.perf_counter(), list[Result]()
    for number in numbers:
        if brakes is not None and (brakes.pausing or brakes.stopping):
            break
        task = schedule.task(number)
        try:
            if isinstance(task, GameTask):
                results.append(run_game(schedule, task, brakes))
            elif isinstance(task, SearchTask):
                results.append(run_search(schedule, task, brakes))
            elif isinstance(task, AtlasTask):
                assert schedule.atlas is not None
                results.append(search_all(schedule.atlas, task, bool if brakes is None else brakes.check))
            else:
                assert schedule.study is not None
                results.append(study_search(schedule.study, task, regrets[task.position], brakes))
        except StoppedError:
            break
    return results, time.perf_counter() - began


def run_tasks_of(plan_json: bytes, numbers: Sequence[int], regrets: Regrets) -> tuple[list[Result], float]:
    """``run_tasks`` with picklable arguments, for a worker in another process."""
    games_of_packages.begin()
    return run_tasks(_schedule(plan_json), numbers, None, regrets)


@lru_cache(maxsize=4)
def _schedule(plan_json: bytes) -> Schedule:
    return schedule_of(plan_from_json(plan_json))


def run_game(schedule: Schedule, task: GameTask, brakes: Brakes | None = None) -> GameResult:
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


def run_search(schedule: Schedule, task: SearchTask, brakes: Brakes | None = None) -> SearchResult:
    """Search the position to the agent's own limit, or the plan's, and judge the choice."""
    position, agent = schedule.positions[task.setting.position], schedule.agents[task.setting.player]
    began = time.perf_counter()
    try:
        searcher = agent.new_searcher(position)
        searcher.start(position, agent.seed_or(schedule.search_seed(task)))
        complete = _advance(searcher, brakes, task.setting.node_limit)
        snapshot = searcher.snapshot()
    except AgentError as error:
        return SearchResult(task.number, "", "?", 0, 0, time.perf_counter() - began, False, (), str(error))
    move = snapshot.best_move
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
        """The brakes can stop a search."""
        self._agent = agent
        self._brakes = brakes
        self._kept: Searcher | None = None
        # Found out once per game, because checking a protocol takes time.
        self._brief: bool | None = None
        self._by_board: bool | None = None

    def choose(self, position: AnyPosition, seed: int) -> _Choice:
        """The move and its cost. A player that depends only on the board searches each position once."""
        if self._by_board is None:
            self._by_board = self._agent.goes_by_board(position)
        return (
            _choice_by_board(self._agent, position, self._brakes)
            if self._by_board
            else self.search_briefly(position, seed)
        )

    def search(self, position: AnyPosition, seed: int) -> Snapshot:
        """The whole search behind a choice."""
        return self._searched(position, seed).snapshot()

    def _searched(self, position: AnyPosition, seed: int) -> Searcher:
        searcher = self._started(position, self._agent.seed_or(seed))
        _advance(searcher, self._brakes, None)
        return searcher

    def search_briefly(self, position: AnyPosition, seed: int) -> _Choice:
        """The move of a new search, and its cost."""
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
        # In this order, because checking a protocol costs as much as a search of a small position.
        if kept is not None and isinstance(kept, ResumableSearcher) and kept.resume(position, seed):
            return kept
        searcher = self._agent.new_searcher(position)
        searcher.start(position, seed)
        if self._agent.keeps_tree:
            self._kept = searcher
        return searcher


@lru_cache(maxsize=_KEPT)
def _choice_by_board(agent: Agent, position: AnyPosition, brakes: Brakes | None) -> _Choice:
    """The choice of an agent that depends only on the board: not on a seed, nor on earlier moves."""
    return Player(agent, brakes).search_briefly(position, 0)


def _advance(searcher: Searcher, brakes: Brakes | None, nodes: int | None) -> bool:
    """Run the search until it ends or has ``nodes`` nodes; return whether it ended by itself."""
    if brakes is None:
        return searcher.advance(Limit(nodes=nodes)) is not None
    until_s = 0.0
    while True:
        until_s += _SLICE_S
        if searcher.advance(Limit(time_s=until_s, nodes=nodes)) is not None:
            return True
        if brakes.stopping:
            raise StoppedError
        if nodes is not None and searcher.snapshot().tree_nodes >= nodes:
            return False


def _winner(side: Side | None) -> Literal[0, 1] | None:
    if side is None:
        return None
    return 0 if side is Side.FIRST else 1


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
        self._until_s = _SLICE_S

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
            self._until_s += _SLICE_S
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
                self._until_s += _SLICE_S
                if self._brakes is not None:
                    self._brakes.check()
        return self._over


def played_game(agents: tuple[Agent, Agent], position: AnyPosition, seed: int) -> GameInProgress:
    """A game between them from this position to its end, with the search behind each move.

    A player that fails has lost it, as in a match.
    """
    game = GameInProgress(position, agents)
    players = [Player(agent) for agent in agents]
    while game.result is None:
        position = game.last_position
        side = position.turn
        try:
            snapshot = players[side].search(position, derived_seed("game", seed, int(side), position.ply))
            move = snapshot.best_move
            if move is None:
                raise AgentError(f"{agents[side].info.title} chose no move.")
        except AgentError as error:
            game.lose(side, str(error))
            break
        game.play(move, by=agents[side].info.title, elapsed_s=snapshot.elapsed_s, snapshot=snapshot)
    return game


def game_of(schedule: Schedule, result: GameResult, *, searches: bool = False) -> GameInProgress:
    """The finished game with its players; ``play.record.save_game`` writes it.

    With ``searches`` every search is repeated, which takes as long as the game did, and kept with its move. A search
    that now chooses another move (its budget was a time) is left out.
    """
    task = schedule.task(result.number)
    assert isinstance(task, GameTask)
    names = task.setting.players
    position: AnyPosition = parse_position(result.start)
    game = GameInProgress(position, (schedule.agents[names[0]], schedule.agents[names[1]]))
    players = [Player(schedule.agents[name]) for name in names]
    for ply in result.plies:
        position = game.last_position
        side, move = position.turn, position.parse_move(ply.move)
        snapshot = None
        if searches:
            snapshot = players[side].search(position, schedule.seed(task, side, position.ply))
            snapshot = snapshot if snapshot.best_move == move else None
        title = schedule.agents[names[side]].info.title
        game.play(move, by=title, elapsed_s=ply.time_s, snapshot=snapshot)
    if result.forfeit:
        game.lose(Side.SECOND if result.winner == 0 else Side.FIRST, result.forfeit)
    return game
