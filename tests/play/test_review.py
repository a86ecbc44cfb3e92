"""Going through a game: every exact verdict against theory or brute force, every estimate said to be one."""

import threading
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from nimdesk.agents import make_agent
from nimdesk.errors import OptionError
from nimdesk.games import AnyPosition, Side, parse_position, solver_for
from nimdesk.games.truth import Truth, Value
from nimdesk.limit import Limit
from nimdesk.play import GameInProgress, Human, Player
from nimdesk.play.ending import ending
from nimdesk.play.evaluations import Turn, known_worths, turning_point, worth_now
from nimdesk.play.exercises import exercises_of
from nimdesk.play.log import game_log
from nimdesk.play.move_review import MARGIN, MISTAKE, SLIP, Mark, MoveReview
from nimdesk.play.review import Reviewer, decided, decided_words, reviewer, summary, worths_of
from nimdesk.search import MoveStats, Snapshot, drive
from nimdesk.search.worth import Worth


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
@settings(max_examples=15)
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


def test_by_an_estimate_every_move_about_as_good_as_the_best_is_right() -> None:
    text = "mnk:7,7,5 d4 c3 g1 d3"
    positions, _played = line_of(text)
    several = False
    for each in reviewed(text, iterations=4000, exact_s=0):
        searcher = make_agent("mcts", {"iterations": 4000}).new_searcher(positions[each.ply - 1])
        searcher.start(positions[each.ply - 1], each.ply)
        drive(searcher)
        search = searcher.snapshot()
        choice = search.stats_of(search.best_move)
        assert choice is not None
        assert choice.mean_value is not None
        tried = [stats for stats in search.moves if 10 * stats.visits >= choice.visits and stats.proven is None]
        near = {stats.move for stats in tried if (stats.mean_value or 0.0) >= choice.mean_value - MARGIN}
        assert each.best[0] == search.best_move
        assert set(each.best) == near - ({each.move} if each.mark is not Mark.NONE else set())
        several |= len(near) > 1
    assert several


def test_what_the_search_has_proven_is_no_estimate() -> None:
    """The last move wins at once, and a search finds the proof; no solver was asked."""
    last = reviewed("mnk:7,6,4:gravity d1 c1 d2 e1 d3 a1 d4", iterations=500, exact_s=0)[-1]
    assert (last.exact, last.before, last.after) == (True, 1.0, 1.0)


def test_the_same_game_and_seed_give_the_same_review() -> None:
    text = "mnk:5,5,4 c3 a1 c2"
    one, other = ([replace(each, searched=None) for each in reviewed(text, iterations=500, exact_s=0)] for _ in "ab")
    assert one == other


def test_a_game_that_was_stopped_halfway_gives_what_was_done_and_no_more() -> None:
    positions, played = line_of("nim:3,4,5 1-2 3-5 2-4 1-1")
    stop = threading.Event()
    moves = reviewer(100).moves(positions, played, stop)  # type: ignore[arg-type]
    assert next(moves).ply == 4
    stop.set()
    assert list(moves) == []


LOST = "mnk:3,3,3 b2 a2 a1 c3 a3 b1 c1"
"""The second player, once lost, was let off by a3, and gave the draw away again."""


def test_the_game_is_decided_where_the_loser_gave_its_last_hope_away() -> None:
    moves = reviewed(LOST)
    assert decided(parse_position(LOST), moves) == Turn(6, 0.5, exact=True)
    assert decided_words(parse_position(LOST), moves) == "The game was decided at move 6, b1."
    assert summary(moves, Side.SECOND) == "3 moves, of which 2 gave something away (2 proven)."
    unfinished = "nim:3,4,5 1-2 3-5"
    assert decided(parse_position(unfinished), reviewed(unfinished)) is None


UCT = make_agent("uct")


def test_a_win_given_away_does_not_decide_where_the_game_was_even_again_later() -> None:
    """Move 2 cost the second player a whole point, move 4 half of one; only after that was nothing left."""
    worths = [Worth(score, exact=True) for score in (0.5, 0.0, 1.0, 0.5, 1.0, 1.0)]
    assert turning_point(worths, Side.SECOND) == Turn(4, 0.5, exact=True)


def test_estimates_tell_by_the_same_rule_and_are_told_as_such() -> None:
    scores = (0.5, 0.55, 0.6, 0.58, 0.9, 0.95)
    worths = [*(Worth(score, exact=False) for score in scores), None, Worth(1.0, exact=True)]
    turn = turning_point(worths, Side.SECOND)
    assert turn is not None
    assert (turn.ply, turn.before, turn.exact) == (4, pytest.approx(0.42), False)
    proven = [*worths[:2], *(Worth(1.0, exact=True) for _ in range(6))]
    assert turning_point(proven, Side.SECOND) == Turn(2, pytest.approx(0.45), exact=False), "a proof goes before"
    assert turning_point([Worth(0.0, exact=True)] * 4, Side.FIRST) is None, "lost from the start"
    assert turning_point([None, None, Worth(0.0, exact=True)], Side.FIRST) is None, "nothing is known"
    assert turning_point([Worth(0.5, exact=True), None], Side.FIRST) is None, "it is not over"


def test_card_review_and_command_line_name_the_same_move() -> None:
    game = GameInProgress(parse_position(LOST), (Human(), Human()))
    proven = [None if position.outcome is not None else truth_of(position) for position in game.positions]
    moves = reviewed(LOST)
    turn = decided(game.last_position, moves)
    assert turn == turning_point(known_worths(game, proven), Side.SECOND)
    assert worths_of(game.last_position, moves) == known_worths(game, proven)
    assert ending(game, proven) == ending(game, (), moves)
    assert ending(game, proven).sentence == "It was even until move 6 (b1 instead of c1)."


def test_an_estimate_says_what_the_loser_could_expect() -> None:
    position = parse_position(LOST)
    game = GameInProgress(position.game.start(), (UCT, UCT))
    for number, move in enumerate(position.moves):
        searcher = make_agent("uct", {"iterations": 300}).new_searcher()
        searcher.start(game.last_position, number)
        searcher.advance(Limit())
        game.play(move, by="MCTS, textbook", snapshot=searcher.snapshot())
    turn = turning_point(known_worths(game, ()), Side.SECOND)
    assert turn is not None
    told = f"could still expect {turn.before:.2f} before move {turn.ply} ({position.moves[turn.ply - 1].text})"
    assert ending(game, ()).sentence == f"MCTS, textbook {told}, as far as can be told."


def played(text: str, given: int, by: str, players: tuple[Player, Player]) -> GameInProgress:
    """The game of this position, whose first moves came with it; all others were made by this player."""
    position = parse_position(text)
    start = position.game.start()
    for move in position.moves[:given]:
        start = start.play(move)
    game = GameInProgress(start, players)
    for move in position.moves[given:]:
        game.play(move, by=by)
    return game


@pytest.mark.parametrize(
    ("given", "by", "players", "sentence"),
    [
        (0, "Human", (Human(), Human()), "It was even until move 6 (b1 instead of c1), by O."),
        (0, "Human", (UCT, Human()), "It was even until move 6 (b1 instead of c1)."),
        (5, "MCTS, textbook", (Human(), UCT), "It was even until move 6 (b1 instead of c1), by MCTS, textbook."),
        # Whoever sits there by now: the move is that of who made it, and of nobody where it came with the position.
        (5, "Minimax", (Human(), UCT), "It was even until move 6 (b1 instead of c1), by Minimax."),
        (6, "MCTS, textbook", (Human(), UCT), "It was even until move 6 (b1 instead of c1)."),
    ],
)
def test_the_move_that_decided_is_of_who_made_it(
    given: int, by: str, players: tuple[Player, Player], sentence: str
) -> None:
    game = played(LOST, given, by, players)
    proven = [None if position.outcome is not None else truth_of(position) for position in game.positions]
    assert ending(game, proven).sentence == sentence


@pytest.mark.parametrize(("given", "who"), [(0, "You were"), (1, "First was")])
def test_a_game_that_was_lost_from_a_start_that_was_given_was_lost_by_a_side(given: int, who: str) -> None:
    game = played("nim:2,2 1-1 2-1 1-1 2-1", given, "Human", (Human(), UCT))
    proven = [None if position.outcome is not None else truth_of(position) for position in game.positions]
    assert ending(game, proven).sentence.startswith(f"{who} lost from the start")


@pytest.mark.parametrize(
    ("names", "given"),
    [
        ("H H H H H H H", 0),
        ("- - H H H H H", 2),
        ("- - - H H H H", 3),
        ("- - - - - - -", 0),  # of a file that tells no names
        ("- H - H - H -", 0),  # of one that names a side alone
    ],
)
def test_moves_that_were_given_are_nobodys_mistakes(names: str, given: int) -> None:
    positions, line = line_of(LOST)
    by = [name.strip("-") for name in names.split()]
    named = [(move, name) for (move, _), name in zip(line, by, strict=True)]
    moves = sorted(reviewer(200, exact_s=60.0).moves(positions, named), key=lambda each: each.ply)  # type: ignore[arg-type]
    assert [each.ply for each in moves if each.given] == list(range(1, given + 1))
    plain = reviewed(LOST)
    assert [(each.before, each.after) for each in moves] == [(each.before, each.after) for each in plain]
    assert [each.mark for each in moves] == [Mark.NONE] * given + [each.mark for each in plain[given:]]
    missed = [positions[each.ply - 1].text for each in plain[given:] if each.mark is not Mark.NONE]
    assert [each.position for each in exercises_of(positions, moves, 0.0)] == missed
    for side in Side:
        own = sum(each.side is side for each in plain[given:])
        assert summary(moves, side).startswith(f"{own} moves")


def test_a_given_opening_that_decided_the_game_is_named() -> None:
    game = played("mnk:3,3,3 b2 a2 a1 c3 c1 b1 a3", 2, "Human", (Human(), Human()))
    line = [(ply.move, ply.by) for ply in game.plies]
    moves = sorted(reviewer(200, exact_s=60.0).moves(game.positions, line), key=lambda each: each.ply)
    assert decided_words(game.last_position, moves) == "The game was decided at move 2, a2, of the given opening."


def test_the_log_of_a_game_says_which_moves_were_given() -> None:
    lines = game_log(played("nim:2,2 1-1 2-1 1-1 2-1", 1, "Human", (Human(), Human()))).splitlines()
    assert [line[:17] for line in lines if line[:1].isdigit()][:2] == ["1. First (given):", "2. Second: take 1"]


def truth_of(position: AnyPosition) -> Truth:
    solver = solver_for(position)
    solver.start(position)
    assert solver.advance(Limit())
    return solver.truth()


def test_a_budget_out_of_bounds_is_refused() -> None:
    with pytest.raises(OptionError, match="terations"):
        reviewer(0)


@pytest.mark.parametrize(("visits", "expected"), [(3, 0.2), (10_000, 0.0)])
def test_a_few_simulations_that_were_lost_do_not_make_a_loss(visits: int, expected: float) -> None:
    position = parse_position("mnk:3,3,3")
    moves = tuple(MoveStats(move, visits, 0.0) for move in position.legal_moves)
    snapshot = Snapshot(position, "uct", 1, 9 * visits, 0.1, moves, moves[0].move)
    worth = worth_now(position, snapshot, None)
    assert worth is not None
    assert worth.of(Side.FIRST) == pytest.approx(expected, abs=1e-3)
    assert not worth.exact


def test_what_is_proven_of_a_move_that_slips_is_not_told_of_its_position() -> None:
    position = parse_position("nim:2,3")
    wins, slip = position.parse_move("2-1"), position.parse_move("1-1")
    values = {wins: Value.WIN, slip: Value.LOSS}
    moves = tuple(MoveStats(move, 5, 0.5, proven=values.get(move)) for move in position.legal_moves)
    snapshot = Snapshot(position, "level1", 1, 25, 0.1, moves, slip, proven=Value.WIN)
    assert worth_now(position, snapshot, None) == Worth(1.0, exact=True)
    assert worth_now(position.play(slip), snapshot, None) == Worth(0.0, exact=True)
    assert worth_now(position.play(wins), snapshot, None) == Worth(1.0, exact=True)


def test_after_another_move_than_the_proven_one_nothing_is_proven() -> None:
    """A hint may be shown beside a board on which something else was played."""
    position = parse_position("mnk:3,3,3 a1")
    drawn, other = position.parse_move("b2"), position.parse_move("a2")
    moves = tuple(
        MoveStats(move, 8, 0.5, proven=Value.DRAW if move == drawn else None) for move in position.legal_moves
    )
    snapshot = Snapshot(position, "mcts", 1, 64, 0.1, moves, drawn, proven=Value.DRAW)
    assert worth_now(position.play(drawn), snapshot, None) == Worth(0.5, exact=True)
    after = worth_now(position.play(other), snapshot, None)
    assert after is not None
    assert not after.exact
    later = worth_now(position.play(other).play(drawn), snapshot, None)
    assert later is not None
    assert not later.exact


THREE_LEFT_OPEN = "mnk:9,9,5 d5 d6 e5 a1 f5 c2"
"""Black to move can make an open four."""


def test_a_missed_win_by_threats_is_named_where_it_was_missed_and_its_line_shown() -> None:
    missed = reviewed(f"{THREE_LEFT_OPEN} a9", iterations=50, exact_s=0)[-1]
    assert missed.sentence == "a9 missed a win by fours in 3 plies, beginning with c5."
    assert missed.missed is not None
    assert missed.mark is not Mark.NONE
    assert missed.line == missed.missed.line()
    assert missed.plain["missed"] == "fours"
    position = parse_position(THREE_LEFT_OPEN)
    for move in missed.line:
        position = position.play(move)
    assert position.outcome is not None
    assert position.outcome.winner is missed.side


@pytest.mark.parametrize("move", ["c5", "g5"])
def test_a_move_that_keeps_a_win_by_threats_has_missed_none(move: str) -> None:
    kept = reviewed(f"{THREE_LEFT_OPEN} {move}", iterations=50, exact_s=0)[-1]
    assert kept.missed is None
    assert "missed" not in kept.sentence


def rows_left(text: str, move: str) -> bool:
    """By the rules alone: whether after this move the other side has a four in a row that one answer does not meet."""
    after = parse_position(f"{text} {move}")
    fours = [after.play(reply) for reply in after.legal_moves]
    return any(all(four.play(answer).winning_moves for answer in four.legal_moves) for four in fours)


def test_a_missed_parry_is_named_with_all_moves_that_parry() -> None:
    text = f"{THREE_LEFT_OPEN} a9"
    found = reviewed(f"{text} a8", iterations=50, exact_s=0)[-1]
    assert found.sentence == (
        "a8 did not parry the threats: Black wins in 3 plies by fours, beginning with c5; "
        "after c5 or g5 no win by threats is found."
    )
    assert sorted(each.text for each in found.best) == ["c5", "g5"]
    assert not any(rows_left(text, each.text) for each in found.best)
    assert rows_left(text, "a8")
    assert found.line[0] == found.best[0]
    assert (found.after, found.exact, found.complete) == (0.0, False, False)
    assert found.mark is (Mark.MISTAKE if found.before >= MISTAKE else Mark.SLIP)
    assert (found.plain["unparried"], found.plain["missed"]) == ("fours", None)


def test_a_row_that_was_not_stopped_is_named() -> None:
    found = reviewed("mnk:9,9,5 d5 c5 e5 a1 f5 a3 g5 a9", iterations=50, exact_s=0)[-1]
    assert found.sentence == "a9 did not stop h5, which completes a row; after h5 no win by threats is found."


def test_a_move_that_parries_has_missed_nothing() -> None:
    found = reviewed(f"{THREE_LEFT_OPEN} a9 g5", iterations=50, exact_s=0)[-1]
    assert found.unparried is None
    assert "parry" not in found.sentence


def test_a_move_after_which_threats_prove_that_all_is_lost_has_won_by_an_estimate_as_well() -> None:
    positions, played = line_of(f"{THREE_LEFT_OPEN} c5 b5")
    proves_nothing = Reviewer(make_agent("uct", {"iterations": 20}), exact_s=0)
    moves = list(proves_nothing.moves(positions, played))[:2]  # type: ignore[arg-type]
    assert [(each.move.text, each.after, each.exact) for each in moves] == [("b5", 0.0, True), ("c5", 1.0, False)]


def test_where_no_move_parries_the_move_played_is_not_blamed() -> None:
    positions, played = line_of(f"{THREE_LEFT_OPEN} c5 b5")
    proves_nothing = Reviewer(make_agent("uct", {"iterations": 20}), exact_s=0)
    found = next(iter(proves_nothing.moves(positions, played)))  # type: ignore[arg-type]
    assert found.sentence == "b5 loses, as every move here did."
    assert (found.exact, found.mark, found.unparried) == (True, Mark.NONE, None)
