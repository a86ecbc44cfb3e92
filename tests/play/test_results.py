"""Results against levels: counted from the games that were played to the end, and what follows from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from nimdesk.agents import make_agent
from nimdesk.games import Side, parse_position
from nimdesk.play import GameInProgress, Human, Player
from nimdesk.play.kept import KeptGame
from nimdesk.play.library import Library
from nimdesk.play.results import Finished, Results, results_in, suited

NIM, OTHER = "nim:1,2", "mnk:3,3,3"
CASUAL = "level3"


def scores(*given: float, level: str = CASUAL, game: str = NIM) -> list[Finished]:
    return [Finished(game, level, score) for score in given]


def test_results_are_counted_by_level_in_one_game() -> None:
    played = scores(1, 0, 0.5, 1) + scores(1, level="level4") + scores(0, 0, game=OTHER) + scores(1, level="mcts")
    found = results_in(NIM, played)
    assert found == {CASUAL: Results(won=2, drew=1, games=4), "level4": Results(won=1, games=1)}
    assert found[CASUAL].words == "won 2 of 4, drew 1"
    assert found["level4"].words == "won 1 of 1"
    assert Results().words == ""


@pytest.mark.parametrize(
    ("played", "level"),
    [
        (scores(0, 1, 1, 1), "level4"),
        (scores(1, 0, 0, 0), "level2"),
        (scores(1, 1), None),
        (scores(1, 1, 0.5), None),
        (scores(1, 0, 1), None),
        (scores(0.5, 0.5, 0.5), None),
        (scores(1, 1, 1) + scores(1, level="level4"), None),
        (scores(1, 1) + scores(0, level="level4") + scores(1), None),
        (scores(1, 1, 1) + scores(0, 0, game=OTHER), "level4"),
    ],
)
def test_three_wins_or_losses_in_a_row_lead_to_the_next_level(played: list[Finished], level: str | None) -> None:
    found = suited(CASUAL, NIM, played)
    assert (None if found is None else found[0].name) == level


def test_the_change_is_told() -> None:
    found = suited(CASUAL, NIM, scores(1, 1, 1))
    assert found is not None
    assert found[1] == "You won three games in a row: now against Level 4, Club."


def test_there_is_no_level_below_the_first_or_above_the_last_and_none_beside_them() -> None:
    assert suited("level1", NIM, scores(0, 0, 0, level="level1")) is None
    assert suited("level6", NIM, scores(1, 1, 1, level="level6")) is None
    assert suited("mcts", NIM, scores(1, 1, 1, level="mcts")) is None


def play(library: Library, players: tuple[Player, Player], moves: str) -> None:
    game = GameInProgress(parse_position(NIM), players)
    for move in moves.split():
        game.play(game.position.parse_move(move), by="")
    change = KeptGame(game).change()
    assert change is not None
    library.write(change)


def test_the_library_knows_who_won_against_whom(tmp_path: Path) -> None:
    level, human = make_agent(CASUAL), Human()
    with Library.open(tmp_path / "library") as library:
        play(library, (human, level), "2-1 1-1 2-1")
        play(library, (level, human), "2-1 1-1 2-1")
        play(library, (level, human), "2-2 1-1")
        play(library, (human, level), "2-1")
        play(library, (human, human), "2-2 1-1")
        play(library, (level, level), "2-2 1-1")
        assert parse_position(f"{NIM} 2-1 1-1 2-1").winner is Side.FIRST
        assert library.finished() == [Finished(NIM, CASUAL, 1), Finished(NIM, CASUAL, 0), Finished(NIM, CASUAL, 1)]
        library.delete([entry.id for entry in library.entries()])
        assert library.finished() == []
