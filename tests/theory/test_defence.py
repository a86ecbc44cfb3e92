"""The search for a defence, against brute force over a game in which one side only blocks; and its use in solving."""

import random
from functools import cache

import numpy as np
import pytest

from nimdesk.games import MnkGame, MnkMove, solver_for
from nimdesk.games.mnk.geometry import all_windows
from nimdesk.games.mnk.solver import defence
from nimdesk.games.truth import Value
from nimdesk.limit import Limit

BOARDS = [(3, 3, 3), (4, 3, 3), (5, 3, 3), (4, 4, 4), (5, 4, 4), (2, 2, 2), (5, 1, 3)]


class OnlyBlocking:
    """Plain search of the game in which the defender has no lines of its own."""

    def __init__(self, m: int, n: int, k: int) -> None:
        self.cells = range(m * n)
        self.lines = [sum(1 << cell for cell in line) for line in all_windows(m, n, k)]
        self.holds = cache(self._holds)

    def _holds(self, attacker: int, defender: int, attacks: bool) -> bool:
        if any(line & attacker == line for line in self.lines):
            return False
        if all(line & defender for line in self.lines):
            return True
        free = [1 << cell for cell in self.cells if not (attacker | defender) >> cell & 1]
        if attacks:
            return all(self.holds(attacker | cell, defender, False) for cell in free)
        return any(self.holds(attacker, defender | cell, True) for cell in free)


def some_marks(draw: random.Random, plain: OnlyBlocking, number: int) -> tuple[int, int]:
    """A position with at most nine free cells in which the attacker has no line yet."""
    while True:
        most = len(plain.cells) - 1
        count = draw.randrange(max(len(plain.cells) - 9, 0), most) if most > 9 else draw.randrange(most)
        cells = draw.sample(plain.cells, count)
        own = (len(cells) + number % 2) // 2
        attacker, defender = sum(1 << c for c in cells[:own]), sum(1 << c for c in cells[own:])
        if not any(line & attacker == line for line in plain.lines):
            return attacker, defender


def held(search: defence.Defence, table: defence.Words, attacker: int, defender: int, *, attacks: bool) -> bool:
    defence.ask(search, attacker, defender, attacks=attacks)
    while search.state[defence.MODE] != defence.AT_REST:
        defence.run(search, table, 7)
    return bool(search.state[defence.HOLDS])


@pytest.mark.parametrize(("m", "n", "k"), BOARDS)
def test_it_answers_as_plain_search_does(m: int, n: int, k: int) -> None:
    plain, draw = OnlyBlocking(m, n, k), random.Random(m * n * k)
    search, table = defence.make_defence(m, n, k), defence.new_table(64)
    answers = set()
    for number in range(100):
        attacker, defender = some_marks(draw, plain, number)
        for attacks in (True, False):
            answers.add(expected := plain.holds(attacker, defender, attacks))
            assert held(search, table, attacker, defender, attacks=attacks) == expected, (attacker, defender, attacks)
    assert answers == {True, False}


def test_moves_outside_the_zone_of_an_answer_change_nothing() -> None:
    outside = {True: 0, False: 0}
    for m, n, k in ((4, 4, 4), (5, 4, 3), (4, 3, 3), (5, 5, 4)):
        plain, draw = OnlyBlocking(m, n, k), random.Random(3)
        search, table = defence.make_defence(m, n, k), defence.new_table(1 << 12)
        for number in range(60):
            attacker, defender = some_marks(draw, plain, number)
            for attacks in (True, False):
                holds = held(search, table, attacker, defender, attacks=attacks)
                # The side that gets its way may pass, and the other side mark any of these.
                near = attacker | defender | int(search.zone[0])
                for cell in (1 << cell for cell in plain.cells if not near >> cell & 1):
                    marks = (attacker | cell, defender) if holds else (attacker, defender | cell)
                    assert plain.holds(*marks, attacks) == holds
                    outside[holds] += 1
    assert min(outside.values()) > 50


def test_the_table_keeps_positions_of_all_views() -> None:
    search, table = defence.make_defence(5, 5, 5), defence.new_table(1 << 10)
    corners = [1 << cell for cell in (0, 4, 20, 24)]
    assert len({held(search, table, 0, corner, attacks=True) for corner in corners}) == 1
    assert np.count_nonzero(table[:, defence.T_REST]) <= 1


@pytest.mark.parametrize("notation", [(7, 6, 5), (7, 7, 5), (7, 7, 6), (8, 8, 6)])
def test_large_boards_are_drawn_at_once(notation: tuple[int, int, int]) -> None:
    game = MnkGame(*notation)
    solver = solver_for(game.start())
    solver.start(game.start())
    assert solver.advance(Limit(nodes=2_000_000))
    truth = solver.truth()
    assert truth.complete
    assert (truth.value, truth.distance) == (Value.DRAW, game.m * game.n)
    assert "O can keep X from winning by blocking alone" in truth.explanation


def test_the_pairs_of_a_draw_are_told_and_lie_on_all_open_lines() -> None:
    game = MnkGame(7, 7, 6)
    start = game.start()
    position = start.play(start.legal_moves[24])
    for where in (start, position):
        solver = solver_for(where)
        solver.start(where)
        assert solver.truth().pairs == ()
        assert solver.advance(Limit(nodes=2_000_000))
        pairs = solver.truth().pairs
        cells = [move for pair in pairs for move in pair]
        assert len(set(cells)) == len(cells)
        assert set(cells) <= set(where.legal_moves)
        taken = {7 * move.row + move.column for move in where.moves}
        words = [{7 * move.row + move.column for move in pair if isinstance(move, MnkMove)} for pair in pairs]
        for line in all_windows(7, 7, 6):
            assert (taken & set(line) and where is position) or any(word <= set(line) for word in words)


def test_a_draw_without_pairs_and_a_win_tell_none() -> None:
    for start in (MnkGame(3, 3, 3).start(), MnkGame(4, 3, 3).start()):
        solver = solver_for(start)
        solver.start(start)
        assert solver.advance(Limit())
        assert solver.truth().pairs == ()
