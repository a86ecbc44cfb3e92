"""A win by threats is a proof: replayed by the rules alone it wins against every answer."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from nimdesk.errors import GameParameterError
from nimdesk.games import MnkPosition, Side, parse_game, parse_position
from nimdesk.games.kit import threats_of
from nimdesk.games.truth import Threat


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


def middle_games(texts: list[str], number: int, seed: int) -> Iterator[MnkPosition]:
    """Positions with marks near each other, on boards in turn, none of them over."""
    chance = random.Random(seed)
    while number:
        game = parse_game(f"mnk:{texts[number % len(texts)]}")
        position = game.start()
        assert isinstance(position, MnkPosition)
        for _ in range(chance.randrange(4, 16)):
            last = chance.choice(position.moves or position.legal_moves)
            near = [m for m in position.legal_moves if max(abs(m.column - last.column), abs(m.row - last.row)) < 3]
            position = position.play(chance.choice(near or position.legal_moves))
            if position.outcome is not None:
                break
        else:
            number -= 1
            yield position


def test_every_win_by_threats_wins_against_every_answer() -> None:
    found = []
    for position in middle_games(["6,5,4", "7,7,5:exact", "8,7,5"], 48, 3):
        win = threats_of(position).find_win(position, most=100)
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
    win = threats_of(position).find_win(position)
    assert isinstance(position, MnkPosition)
    assert win is not None
    assert not win.by_fours
    assert wins(position, win.start)


def within(position: MnkPosition, plies: int) -> bool:
    """Whether the side to move wins by fours within so many plies, by the rules alone."""
    if position.winning_moves or plies < 3:
        return bool(position.winning_moves)
    for move in position.legal_moves:
        after = position.play(move)
        # What completes a row unless the other side is there: it cannot be at both of two cells.
        rows = {row for answer in after.legal_moves[:2] for row in after.play(answer).winning_moves}
        if rows and not after.winning_moves and (len(rows) > 1 or within(after.play(rows.pop()), plies - 2)):
            return True
    return False


def test_a_win_by_fours_is_found_wherever_there_is_one_with_the_fewest_fours() -> None:
    longest = 0
    for position in middle_games(["6,5,4", "7,7,5", "6,6,4:exact"], 60, 2):
        win = threats_of(position).find_win(position, by_fours=True)
        fewest = next((plies for plies in range(1, 12, 2) if within(position, plies)), 0)
        assert (win.plies if win else 0) == fewest, position.text
        longest = max(longest, fewest)
    assert longest > 5


def test_what_parries_a_threat_is_every_move_after_which_none_is_left() -> None:
    position = parse_position("mnk:15,15,5 h8 a1 i8 a3 j8")
    search = threats_of(position)
    assert isinstance(position, MnkPosition)
    three = search.find_win(position, Side.FIRST)
    assert three is not None
    assert three.plies == 3
    assert {move.text for move in search.parries(position) or ()} == {"g8", "k8"}
    two_threes = parse_position("mnk:15,15,5 h8 a1 i8 a3 j9 o1 j10 o3 j8")
    assert search.parries(two_threes) == ()
    assert search.parries(position.game.start()) is None
    with pytest.raises(GameParameterError, match="no search for wins by threats in nim:3,4,5"):
        threats_of(parse_game("nim:3,4,5"))
