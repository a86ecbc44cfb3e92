"""What is said of a search: its proposal in a sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from nimdesk.agents import make_agent
from nimdesk.games import parse_position
from nimdesk.games.kit import threats_in
from nimdesk.games.truth import Value
from nimdesk.limit import Limit
from nimdesk.play import GameInProgress, Human
from nimdesk.play.log import game_log
from nimdesk.play.record import load_game, save_game
from nimdesk.play.tree import Ply
from nimdesk.play.words import chosen_words, proposal, proposed, search_words
from nimdesk.search import MoveStats, Snapshot, StopReason, drive


def searched(text: str, name: str, limit: Limit, **options: object) -> Snapshot:
    """A search of this position to its end."""
    searcher = make_agent(name, {"seed": 1, **options}).new_searcher()
    searcher.start(parse_position(text), 1)
    drive(searcher, limit)
    return searcher.snapshot()


@pytest.mark.parametrize(("visits", "told"), [(99, "9.9%"), (100, "10%"), (250, "25%")])
def test_a_hint_tells_small_shares_more_precisely(visits: int, told: str) -> None:
    one, two = parse_position("nim:2").legal_moves
    moves = (MoveStats(one, visits, 0.5), MoveStats(two, 1000 - visits, 0.5))
    snapshot = searched("nim:2", "uct", Limit(iterations=2), iterations=2)
    assert f"({told} of the simulations, " in proposal(replace(snapshot, moves=moves, best_move=one))


def test_a_proven_hint_is_no_estimate() -> None:
    snapshot = searched("nim:3,4,5", "mcts", Limit(iterations=100_000))
    assert proposal(snapshot) == "Hint: take 2 from pile 1 (proven: it wins)."


def test_in_a_lost_position_every_move_is_said_to_lose() -> None:
    snapshot = searched("nim:1,3,5,7", "mcts", Limit(iterations=100_000))
    assert re.fullmatch(
        r"Hint: take 1 from pile (\d)\. Every move loses\. \1-1 is one of 4 moves that hold out longest\.",
        proposal(snapshot),
    )


@pytest.mark.parametrize(("text", "told"), [("nim:1", "forced"), ("nim:2", "others lose")])
def test_a_move_is_called_forced_only_where_it_was_the_only_one(text: str, told: str) -> None:
    one, *others = parse_position(text).legal_moves
    moves = (MoveStats(one, 9, 0.5), *(MoveStats(other, 1, 0.0, proven=Value.LOSS) for other in others))
    snapshot = replace(searched(text, "uct", Limit(iterations=2), iterations=2), moves=moves, best_move=one)
    assert chosen_words(Ply(one, "UCT", snapshot=snapshot.ended(StopReason.DECIDED))) == told


def test_a_search_in_python_says_so_in_figures_log_and_file(tmp_path: Path) -> None:
    position = parse_position("nim:1,2")
    agent = make_agent("uct", {"iterations": 20})
    searcher = agent.new_recording()
    searcher.start(position, 1)
    searcher.advance(Limit())
    snapshot = searcher.snapshot()
    assert search_words(snapshot)["rate"].endswith("simulations/s in Python")
    game = GameInProgress(position, (agent, Human()))
    assert snapshot.best_move is not None
    game.play(snapshot.best_move, by="uct", snapshot=snapshot)
    assert "   searched in Python, 20 simulations" in game_log(game).splitlines()
    save_game(game, tmp_path / "game.nimdesk")
    kept = load_game(tmp_path / "game.nimdesk").plies[0].snapshot
    assert kept is not None
    assert kept.in_python


def test_a_person_reads_no_seed_of_a_machine_and_no_tree_of_zero_megabytes() -> None:
    searcher = make_agent("uct", {"iterations": 50}).new_searcher()
    position = parse_position("mnk:3,3,3")
    for seed, told in ((7, "seed 7"), (8_459_329_885_082_101_174, "")):
        searcher.start(position, seed)
        drive(searcher)
        said = search_words(searcher.snapshot())
        assert said["seed"] == told
        assert said["tree"].endswith(" nodes")


def advised(text: str) -> Snapshot:
    """A search for a hint that has tried the last legal move alone, with what is found of threats."""
    snapshot = searched(text, "uct", Limit(iterations=2), iterations=2)
    last = snapshot.moves[-1].move
    moves = tuple(MoveStats(each.move, 9 * (each.move == last), 0.5) for each in snapshot.moves)
    return replace(snapshot, moves=moves, best_move=last, threats=threats_in(snapshot.position))


def test_a_hint_proposes_the_win_by_threats_and_says_how_long_it_takes() -> None:
    hint = advised("mnk:9,9,5 d5 d6 e5 a1 f5 c2")
    assert proposed(hint) == hint.position.parse_move("c5")
    assert proposal(hint) == "Hint: c5. Black wins in 3 plies by fours, beginning with c5."


def test_a_hint_says_what_is_threatened_and_proposes_a_parry() -> None:
    hint = advised("mnk:9,9,5 d5 d6 e5 a1 f5 c2 a9")
    assert str(proposed(hint)) in ("c5", "g5")
    assert proposal(hint).endswith(
        "Black threatens to win in 3 plies by fours, beginning with c5; only c5 and g5 leave it no win by threats."
    )


def test_a_hint_proposes_no_parry_that_the_search_has_proven_to_lose() -> None:
    hint = advised("mnk:9,9,5 d5 d6 e5 a1 f5 c2 a9")
    lost = replace(hint.stats_of(hint.position.parse_move("c5")) or hint.moves[0], proven=Value.LOSS)
    hint = replace(hint, moves=tuple(lost if each.move == lost.move else each for each in hint.moves))
    assert [str(each) for each in hint.parries] == [str(proposed(hint))] == ["g5"]


def test_a_hint_speaks_of_no_parries_where_every_move_is_proven_to_lose() -> None:
    hint = advised("mnk:9,9,5 d5 d6 e5 a1 f5 c2 a9")
    moves = tuple(replace(each, proven=Value.LOSS) for each in hint.moves)
    said = proposal(replace(hint, moves=moves, proven=Value.LOSS))
    assert "Every move loses." in said
    assert "parry" not in said


def test_a_hint_says_that_nothing_parries() -> None:
    hint = advised("mnk:9,9,5 d5 d6 e5 a1 f5 c2 c5")
    assert proposed(hint) == hint.best_move
    assert proposal(hint).endswith("Black threatens to complete a row; every move leaves it a win by threats.")
