"""Going through a game: every exact verdict against theory or brute force, every estimate said to be one."""

import threading
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nimdesk.errors import OptionError
from nimdesk.games import AnyPosition, Side, parse_position
from nimdesk.play.review import MISTAKE, SLIP, Mark, MoveReview, reviewer, summary, turning_point


def line_of(text: str) -> tuple[list[AnyPosition], list[tuple[object, str]]]:
    last = parse_position(text)
    positions = [last.game.start()]
    for move in last.moves:
        positions.append(positions[-1].play(move))
    return positions, [(move, "Human") for move in last.moves]


def reviewed(text: str, *, iterations: int = 200, exact_s: float = 60.0) -> list[MoveReview]:
    positions, played = line_of(text)
    moves = reviewer(iterations, exact_s=exact_s).moves(positions, played)  # type: ignore[arg-type]
    return sorted(moves, key=lambda each: each.ply)


@cache
def brute_force(position: AnyPosition) -> float:
    """The score under perfect play for the side to move."""
    if position.outcome is not None:
        return position.outcome.score(position.turn)
    return max(1.0 - brute_force(position.play(move)) for move in position.legal_moves)


@given(
    st.lists(st.integers(0, 8), min_size=1, max_size=9),
    st.sampled_from(["mnk:3,3,3", "nim:3,4,5:max3", "nim:2,3:misere"]),
)
@settings(max_examples=15, deadline=None)
def test_every_verdict_of_a_small_game_is_that_of_brute_force(choices: list[int], text: str) -> None:
    position = parse_position(text)
    for choice in choices:
        if position.outcome is None:
            position = position.play(position.legal_moves[choice % len(position.legal_moves)])
    positions, _played = line_of(position.text)
    moves = reviewed(position.text)
    assert [each.ply for each in moves] == list(range(1, position.ply + 1))
    for each in moves:
        before, after = positions[each.ply - 1], positions[each.ply]
        assert each.exact
        assert each.before == brute_force(before)
        assert each.after == 1.0 - brute_force(after)
        keep = {move for move in before.legal_moves if 1.0 - brute_force(before.play(move)) == brute_force(before)}
        assert set(each.best) == keep
        assert (each.mark is Mark.NONE) == (each.move in keep)
        assert bool(each.line) == (each.move not in keep)
        if each.line:
            assert each.line[0] in keep


def test_the_better_line_is_perfect_play_to_its_end() -> None:
    mistake = reviewed("mnk:3,3,3 b2 a2 a1 c3 a3 b1 c1")[1]
    assert mistake.mark is Mark.MISTAKE
    position = parse_position("mnk:3,3,3 b2")
    for move in mistake.line:
        assert 1.0 - brute_force(position.play(move)) == brute_force(position)
        position = position.play(move)
    assert position.outcome is not None


def test_throwing_away_a_win_is_named_with_what_kept_it() -> None:
    blunder = reviewed("nim:3,4,5 1-2 3-5 2-4 1-1")[2]
    assert blunder.mark is Mark.BLUNDER
    assert blunder.lost == 1.0
    assert blunder.sentence == "2-4 threw away the win: take 3 from pile 2 kept it. Now it is a loss."


def test_a_loss_that_every_move_shares_is_no_mistake() -> None:
    forced = reviewed("nim:3,4,5 1-2 3-5 2-3")[1]
    assert (forced.mark, forced.before, forced.after) == (Mark.NONE, 0.0, 0.0)


def test_without_a_solver_the_search_says_that_it_estimates() -> None:
    moves = reviewed("mnk:7,6,4:gravity d1 c1 d2 e1 d3 a1 d4", iterations=4000, exact_s=0)
    missed = moves[5]
    assert missed.sentence.startswith("a1 gave away about")
    assert "by an estimate" in missed.sentence
    assert [each.text for each in missed.best] == ["d4"]
    assert missed.line[0].text == "d4"
    for each in moves:
        assert 0 <= each.before <= 1
        assert 0 <= each.after <= 1
        if not each.exact:
            assert each.mark is (
                Mark.MISTAKE if each.lost >= MISTAKE else Mark.SLIP if each.lost >= SLIP else Mark.NONE
            )


def test_what_the_search_has_proven_is_no_estimate() -> None:
    """The last move wins at once, and a search finds the proof; no solver was asked."""
    last = reviewed("mnk:7,6,4:gravity d1 c1 d2 e1 d3 a1 d4", iterations=500, exact_s=0)[-1]
    assert (last.exact, last.before, last.after) == (True, 1.0, 1.0)


def test_the_same_game_and_seed_give_the_same_review() -> None:
    text = "mnk:5,5,4 c3 a1 c2"
    assert reviewed(text, iterations=500, exact_s=0) == reviewed(text, iterations=500, exact_s=0)


def test_a_game_that_was_stopped_halfway_gives_what_was_done_and_no_more() -> None:
    positions, played = line_of("nim:3,4,5 1-2 3-5 2-4 1-1")
    stop = threading.Event()
    moves = reviewer(100).moves(positions, played, stop)  # type: ignore[arg-type]
    assert next(moves).ply == 4
    stop.set()
    assert list(moves) == []


def test_the_game_is_decided_where_the_loser_gave_away_most() -> None:
    moves = reviewed("mnk:3,3,3 b2 a2 a1 c3 a3 b1 c1")
    turn = turning_point(moves, Side.SECOND)
    assert turn is not None
    assert (turn.ply, turn.move.text) == (6, "b1")
    assert summary(moves, Side.SECOND) == "3 moves, of which 2 gave something away (2 proven)."
    assert turning_point(reviewed("nim:3,4,5 1-2 3-5"), Side.FIRST) is None


def test_a_budget_out_of_bounds_is_refused() -> None:
    with pytest.raises(OptionError, match="terations"):
        reviewer(0)
