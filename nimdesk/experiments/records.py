"""A game of an experiment as a saved game, which opens in the window; and its searches, done once more."""

from __future__ import annotations

from nimdesk.errors import ResultsError
from nimdesk.experiments.playing import Player, search_snapshot
from nimdesk.experiments.results import GameResult
from nimdesk.experiments.schedule import GameTask, Schedule, SearchTask
from nimdesk.games import AnyPosition, Side, parse_position
from nimdesk.play import GameInProgress
from nimdesk.search import Snapshot


def game_of(schedule: Schedule, result: GameResult, *, searches: bool = False) -> GameInProgress:
    """The finished game with its players; ``play.record.save_game`` writes it.

    With ``searches`` every search is done once more, which takes as long as the game did, and kept with its move. A
    search that chooses another move now (its budget was a time) is left out.
    """
    task = _game_task(schedule, result.number)
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


def search_of(schedule: Schedule, number: int) -> Snapshot:
    """The search of this number once more, with its statistics and its trace."""
    task = schedule.tasks[number]
    if not isinstance(task, SearchTask):
        raise ResultsError(f"Number {number} of the plan “{schedule.plan.name}” is a game, not a search.")
    return search_snapshot(schedule, task)[0]


def _game_task(schedule: Schedule, number: int) -> GameTask:
    task = schedule.tasks[number]
    if not isinstance(task, GameTask):
        raise ResultsError(f"Number {number} of the plan “{schedule.plan.name}” is a search, not a game.")
    return task
