"""A game between players, played to its end."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal, cast

from msgspec import UNSET
from msgspec.structs import replace

from nimdesk.agents import AbsentAgent, Agent
from nimdesk.agents.opening_rules import Opening, OpeningPlayer
from nimdesk.errors import AgentError
from nimdesk.experiments.brakes import Brakes, advance
from nimdesk.experiments.matches.work import GameResult, GameTask, Matches, PlyResult
from nimdesk.experiments.seeds import derived_seed
from nimdesk.experiments.truth import judge, known_value
from nimdesk.games import AnyPosition, Move, Side, parse_position
from nimdesk.games.truth import Value
from nimdesk.play import GameInProgress, Human
from nimdesk.search import BriefSearcher, ResumableSearcher, Searcher, Snapshot
from nimdesk.search.types import IllustratedSearcher

_KEPT = 1 << 14


@dataclass(frozen=True, slots=True)
class _Choice:
    """A move and its cost."""

    move: Move
    iterations: int
    nodes: int
    time_s: float


def run_game(matches: Matches, task: GameTask, brakes: Brakes | None = None) -> GameResult:
    """Play the game to its end."""
    opened, position = _opened(matches, task, brakes)
    if opened.forfeit:
        return opened
    ended, names = partial(replace, opened), opened.seated(task.setting.players)
    players = [Player(matches.agents[name], brakes) for name in names]
    part, plies = matches.part(task), list[PlyResult]()
    left_s = [part.clock.time_s] * 2 if part.clock else []
    while position.outcome is None:
        side = position.turn
        known = None
        if part.adjudicate and len(plies) >= part.adjudicate:
            known = known_value(position, matches.plan.truth_nodes)
        if known is not None:
            winner = {Value.WIN: side, Value.LOSS: side.other}.get(known)
            return ended(winner=_winner(winner), plies=tuple(plies), adjudicated=True)
        try:
            player = players[side]
            if part.clock:
                player = Player(matches.agents[names[side]].with_time(part.clock.share_s(left_s[side])), brakes)
            choice = player.choose(position, matches.seed(task, side, position.ply))
            if part.clock:
                left_s[side] -= choice.time_s
                if left_s[side] < 0:
                    raise AgentError(f"{names[side]} overstepped its time by {-left_s[side]:.3f} s.")
                left_s[side] += part.clock.increment_s
        except AgentError as error:
            return ended(winner=_winner(side.other), plies=tuple(plies), forfeit=str(error))
        verdict = judge(position, choice.move, matches.plan.truth_nodes)
        plies.append(PlyResult(choice.move.text, choice.iterations, choice.nodes, choice.time_s, verdict))
        position = position.play(choice.move)
    return ended(winner=_winner(position.winner), plies=tuple(plies))


def _opened(matches: Matches, task: GameTask, brakes: Brakes | None) -> tuple[GameResult, AnyPosition]:
    """The game as the players take over; lost already by one that failed in the opening."""
    part, start = matches.part(task), matches.opening(task)
    plain = GameResult(task.number, start.text, None, ())
    if not part.opening_rule:
        return plain, start
    clock, openers = part.clock, list[OpeningPlayer]()
    for side, name in enumerate(task.setting.players):
        agent, seed = matches.agents[name], matches.opening_seed(task, Side(side))
        timed = agent.with_time(clock.share_s(clock.time_s)) if clock else agent
        run = partial(_searched, seed, brakes)
        openers.append(OpeningPlayer(timed, part.opening_rule, run, random.Random(seed)))
    opening, position = Opening(part.opening_rule), start
    while (step := opening.step(position.ply - start.ply)) is not None:
        side = Side((start.turn + step.player) % 2)
        try:
            answer = openers[side].answer(position, step, side)
        except AgentError as error:
            return replace(plain, start=position.text, winner=_winner(side.other), forfeit=str(error)), position
        if isinstance(answer, str):
            opening = opening.chosen(answer)
        elif answer == position:
            break  # every move would end the game
        else:
            position = answer
    stood_in = True if any(each.stood_in for each in openers) else UNSET
    return replace(plain, start=position.text, choices=opening.choices, stood_in=stood_in), position


def _searched(seed: int, brakes: Brakes | None, agent: Agent, position: AnyPosition) -> Snapshot:
    return Player(agent, brakes).search(position, seed)


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
        """The whole search behind a choice; of one that throws dice, the curves are those of the search."""
        searcher = self._searched(position, seed)
        if isinstance(searcher, IllustratedSearcher):
            searcher.show_search()
        return searcher.snapshot()

    def _searched(self, position: AnyPosition, seed: int) -> Searcher:
        searcher = self._started(position, self._agent.seed_or(seed))
        advance(searcher, self._brakes, None)
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


def _winner(side: Side | None) -> Literal[0, 1] | None:
    if side is None:
        return None
    return 0 if side is Side.FIRST else 1


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


def game_of(matches: Matches, result: GameResult, *, searches: bool = False) -> GameInProgress:
    """The finished game with its players, or if one is not here two people; ``play.record.save_game`` writes it.

    With ``searches`` every search is repeated, which takes as long as the game did, and kept with its move. A search
    that now chooses another move (its budget was a time) is left out, and so are all under a clock, and those of a
    player that is not here. A game whose outcome was proven ends where it was.
    """
    task = matches.task(result.number)
    names = result.seated(task.setting.players)
    position: AnyPosition = parse_position(result.start)
    agents = [matches.agents[name] for name in names]
    all_here = not any(isinstance(agent, AbsentAgent) for agent in agents)
    # With one person, the window would say "You".
    game = GameInProgress(position, (agents[0], agents[1]) if all_here else (Human(), Human()))
    players = [Player(agent) for agent in agents]
    for ply in result.plies:
        position = game.last_position
        side, move = position.turn, position.parse_move(ply.move)
        snapshot = None
        if searches and not (isinstance(agents[side], AbsentAgent) or matches.part(task).clock):
            snapshot = players[side].search(position, matches.seed(task, side, position.ply))
            snapshot = snapshot if snapshot.best_move == move else None
        game.play(move, by=agents[side].info.title, elapsed_s=ply.time_s, snapshot=snapshot)
    if result.forfeit:
        game.lose(Side.SECOND if result.winner == 0 else Side.FIRST, result.forfeit)
    return game
