"""The player that sees threats wins by them, parries them, and else plays by the game's own order."""

from __future__ import annotations

import pytest

from nimdesk.agents import make_agent
from nimdesk.errors import OptionError
from nimdesk.games import parse_position
from nimdesk.games.kit import preferences, win_in
from nimdesk.games.truth import Value
from nimdesk.search import Snapshot, drive

OPEN_THREE = "mnk:9,9,5 d5 d6 e5 a1 f5 c2 a9"


def thought(text: str, seed: int = 1) -> Snapshot:
    """What the player thinks in this position."""
    agent = make_agent("threats", {"seed": seed})
    position = parse_position(text)
    searcher = agent.new_searcher(position)
    searcher.start(position, seed)
    drive(searcher)
    return searcher.snapshot()


def test_it_plays_a_proven_win_and_shows_its_line() -> None:
    snapshot = thought(f"{OPEN_THREE} i9")
    win = win_in(snapshot.position)
    assert win is not None
    stats = snapshot.stats_of(snapshot.best_move)
    assert stats is not None
    assert (stats.move, stats.proven, stats.principal_variation) == (win.start.move, Value.WIN, win.line())
    assert snapshot.comment.startswith("Black wins in 3 plies by fours, beginning with ")


def test_it_completes_a_row_at_once() -> None:
    snapshot = thought("mnk:9,9,5 a1 a9 b1 b9 c1 c9 d1 d9")
    assert [each.text for each in (snapshot.best_move,) if each] == ["e1"]
    assert snapshot.distance == 1


def test_it_parries_and_says_what_is_threatened() -> None:
    snapshot = thought(OPEN_THREE)
    assert snapshot.best_move is not None
    assert snapshot.best_move.text in ("c5", "g5")
    assert snapshot.comment.endswith("only c5 and g5 leave it no win by threats.")
    told = [(each.move.text, each.proven) for each in snapshot.moves]
    assert told[0] == (snapshot.best_move.text, None), "its move stands first, then what else parries"
    assert {text for text, proven in told[:2] if proven is None} == {"c5", "g5"}


def test_without_threats_it_plays_what_the_game_prefers_and_draws_lots_by_the_seed() -> None:
    text = "mnk:9,9,5 e5"
    wanted = preferences(parse_position(text))
    liked = {
        move for move, number in zip(parse_position(text).legal_moves, wanted, strict=True) if number == max(wanted)
    }
    played = [thought(text, seed).best_move for seed in range(1, 9)]
    assert played == [thought(text, seed).best_move for seed in range(1, 9)]
    assert set(played) <= liked
    assert len(set(played)) > 1
    assert thought(text).comment == "Neither side is found to win by threats."


@pytest.mark.parametrize("text", ["nim:3,4,5", "mnk:7,6,4:gravity", "mnk:3,3,3"])
def test_other_games_are_refused_in_a_sentence(text: str) -> None:
    position = parse_position(text)
    agent = make_agent("threats")
    assert not agent.traits.fits(agent.options, position)
    with pytest.raises(OptionError, match="Threats plays games of 4 to 6 in a row without gravity, such as Gomoku"):
        agent.new_searcher(position).start(position, 1)
