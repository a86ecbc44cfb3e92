"""A win by threats is a proof: replayed by the rules alone it wins against every answer."""

from __future__ import annotations

from fours import middle_games, won_by_fours

from nimdesk.games import MnkPosition, parse_position, solver_for
from nimdesk.games.kit import threats_in, win_in
from nimdesk.games.truth import Threat, Value
from nimdesk.limit import Limit


def wins(position: MnkPosition, threat: Threat | None) -> bool:
    """Whether the side to move wins by this threat and what follows it, against every legal answer."""
    if threat is None:
        return False
    if threat.move in position.winning_moves:
        return True
    after = position.play(threat.move)
    if after.outcome is not None or after.winning_moves:
        return False
    return all(wins(after.play(answer), threat.after(answer)) for answer in after.legal_moves)


def test_every_win_by_threats_wins_against_every_answer() -> None:
    found = []
    for position in middle_games(["6,5,4", "7,7,5:exact", "8,7,5"], 48, 3):
        win = win_in(position, most=100)
        if win is not None and win.plies < 10:
            found.append(win.by_fours)
            assert win.side is position.turn
            assert wins(position, win.start), position.text
            line = position
            for move in win.line():
                line = line.play(move)
            assert line.winner is win.side
            assert line.ply - position.ply == win.plies
    assert found.count(True) > 4
    assert found.count(False) > 1


def test_the_answers_to_a_three_include_the_fours_of_the_other_side() -> None:
    position = parse_position("mnk:8,8,5 c5 a1 d5 b1 e6 c1 e7 h8")
    win = win_in(position)
    assert isinstance(position, MnkPosition)
    assert win is not None
    assert not win.by_fours
    assert wins(position, win.start)


def test_a_win_by_fours_is_found_wherever_there_is_one_with_the_fewest_fours() -> None:
    longest = 0
    for position in middle_games(["6,5,4", "7,7,5", "6,6,4:exact"], 60, 2):
        win = win_in(position)
        fewest = next((plies for plies in range(1, 12, 2) if won_by_fours(position, plies)), 0)
        assert (win.plies if win and win.by_fours else 0) == fewest, position.text
        longest = max(longest, fewest)
    assert longest > 5


def test_two_threes_at_once_are_parried_by_no_move() -> None:
    threats = threats_in(parse_position("mnk:15,15,5 h8 a1 i8 a3 j9 o1 j10 o3 j8"))
    assert threats is not None
    assert threats.danger is not None
    assert threats.parries == ()


def test_the_few_moves_that_seem_to_parry_are_looked_at_longer() -> None:
    moves = "h8 i7 i6 h6 j7 j8 k9 g5 f4 h5 g7 f6 h4 g4 g3 i5 f5 d6 h9 i9 h10"
    threats = threats_in(parse_position(f"mnk:15,15,5 {moves}"))
    assert threats is not None
    assert threats.parries == (), "after h11 a win by threats is found, with more work"


def test_the_second_look_of_the_solver_finds_the_win_of_a_side_that_the_first_saw_in_danger() -> None:
    solver = solver_for(parse_position("mnk:15,15,5 j6 i9 j8 h9 f8 i11 j7"))
    solver.start(parse_position("mnk:15,15,5 j6 i9 j8 h9 f8 i11 j7"))
    solver.advance(Limit(nodes=50_000))
    first = solver.truth()
    assert first.value is Value.UNKNOWN
    assert first.threats is not None
    assert first.threats.danger is not None
    solver.advance(Limit(nodes=100_001))
    second = solver.truth()
    assert second.value is Value.WIN
    assert second.forced is not None
    assert second.forced.start.move.text == "j9"
