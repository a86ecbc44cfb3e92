"""A game of an experiment is a saved game, and its searches can be had again."""

from pathlib import Path

import pytest
from runs import finished, mixed_plan, read

from nimdesk.errors import ResultsError
from nimdesk.experiments.records import game_of, search_of
from nimdesk.experiments.results import GameResult, Result, SearchResult
from nimdesk.experiments.schedule import GameTask, Schedule
from nimdesk.play.record import load_game, save_game


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Schedule, list[Result]]:
    path = tmp_path_factory.mktemp("played") / "x.db"
    finished(mixed_plan(2), path)
    schedule, results, _tally = read(path)
    return schedule, results


def test_every_game_can_be_saved_and_opened(played: tuple[Schedule, list[Result]], tmp_path: Path) -> None:
    schedule, results = played
    for result in results:
        if isinstance(result, GameResult):
            save_game(game_of(schedule, result), tmp_path / "game.nimdesk")
            game = load_game(tmp_path / "game.nimdesk")
            assert game.last_position.winner == result.winner
            assert game.last_position.outcome is not None
            played_moves = [ply.move.text for ply in game.plies[-len(result.plies) :]]
            assert played_moves == [ply.move for ply in result.plies]
            task = schedule.tasks[result.number]
            assert isinstance(task, GameTask)
            assert game.players == tuple(schedule.agents[name] for name in task.setting.players)


def test_the_searches_of_a_game_are_the_same_once_more(played: tuple[Schedule, list[Result]], tmp_path: Path) -> None:
    schedule, results = played
    for result in results:
        if isinstance(result, GameResult):
            game = game_of(schedule, result, searches=True)
            opening = len(game.plies) - len(result.plies)
            for ply, stored in zip(game.plies[opening:], result.plies, strict=True):
                assert ply.snapshot is not None, "the search chose another move"
                assert (ply.snapshot.iterations, ply.snapshot.tree_nodes) == (stored.iterations, stored.nodes)
            save_game(game, tmp_path / "game.nimdesk")
            assert load_game(tmp_path / "game.nimdesk").analysis(opening + 1) is not None


def test_a_search_is_the_same_once_more(played: tuple[Schedule, list[Result]]) -> None:
    schedule, results = played
    for result in results:
        if isinstance(result, SearchResult):
            snapshot = search_of(schedule, result.number)
            assert snapshot.best_move is not None
            assert snapshot.best_move.text == result.choice
            assert [stats.visits for stats in snapshot.moves] == [move.visits for move in result.moves]


def test_a_game_is_no_search_and_a_search_no_game(played: tuple[Schedule, list[Result]]) -> None:
    schedule, results = played
    with pytest.raises(ResultsError, match="Number 0 of the plan “mixed” is a game, not a search"):
        search_of(schedule, 0)
    search = GameResult(results[-1].number, "nim:1", 0, ())
    with pytest.raises(ResultsError, match="is a search, not a game"):
        game_of(schedule, search)
