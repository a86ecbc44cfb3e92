"""A game of an experiment is a saved game, and its searches can be had again."""

from pathlib import Path

import pytest
from runs import finished, mixed_plan

from nimdesk.agents import make_agent
from nimdesk.experiments.files import Found, read
from nimdesk.experiments.matches.playing import game_of, played_game
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.work import GameTask, Matches
from nimdesk.games import parse_position
from nimdesk.play.record import load_game, save_game
from nimdesk.search.worth import expected_score, worth_of_move


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Found:
    path = tmp_path_factory.mktemp("played") / "x.db"
    finished(mixed_plan(2), path)
    return read(path)


def test_every_game_can_be_saved_and_opened(played: Found, tmp_path: Path) -> None:
    for result in played[MatchTally].results:
        save_game(game_of(played.schedule[Matches], result), tmp_path / "game.nimdesk")
        game = load_game(tmp_path / "game.nimdesk")
        assert game.last_position.winner == result.winner
        assert game.last_position.outcome is not None
        played_moves = [ply.move.text for ply in game.plies[-len(result.plies) :]]
        assert played_moves == [ply.move for ply in result.plies]
        task = played.schedule.task(result.number)
        assert isinstance(task, GameTask)
        assert game.players == tuple(played.schedule.agents[name] for name in task.setting.players)


def test_the_searches_of_a_game_are_the_same_once_more(played: Found, tmp_path: Path) -> None:
    for result in played[MatchTally].results:
        game = game_of(played.schedule[Matches], result, searches=True)
        opening = len(game.plies) - len(result.plies)
        for ply, stored in zip(game.plies[opening:], result.plies, strict=True):
            assert ply.snapshot is not None, "the search chose another move"
            assert (ply.snapshot.iterations, ply.snapshot.tree_nodes) == (stored.iterations, stored.nodes)
        save_game(game, tmp_path / "game.nimdesk")
        assert load_game(tmp_path / "game.nimdesk").analysis(opening + 1) is not None


def test_a_move_by_dice_is_told_from_what_the_search_preferred() -> None:
    game = played_game((make_agent("level2"), make_agent("level3")), parse_position("mnk:9,9,5 e5 d6"), 1)
    slips = [ply.snapshot for ply in game.plies if ply.snapshot and ply.snapshot.comment.startswith("On purpose not ")]
    assert slips
    for snapshot in slips:
        assert snapshot.diced
        assert snapshot.leader is not None
        assert snapshot.comment.startswith(f"On purpose not {snapshot.leader.text}, ")
        preferred = worth_of_move(snapshot.stats_of(snapshot.leader), snapshot.position.turn)
        assert preferred is not None
        assert expected_score(snapshot) == preferred.of(snapshot.position.turn), "the slip counts after it was made"
