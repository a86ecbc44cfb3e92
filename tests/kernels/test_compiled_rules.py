"""The compiled rules are the reference rules: the same legal moves and the same result at every ply of random games.

The driver below plays a random game in the kernel and writes down all it sees; the test replays it in
``nimdesk.games``. The set of legal moves is asked for through ``pick_untried``, with all the moves that it named
before as the tried ones, so that what it keeps in their marks is checked as well.
"""

import numpy as np
import pytest
from coding import decode_table, encode_move, encode_position, longest_game
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from nimdesk.games import AnyPosition, Game, MnkGame, NimGame, parse_game, parse_position
from nimdesk.games.mnk import kernel as mnk
from nimdesk.kernels import random as rng
from nimdesk.kernels import rules
from nimdesk.kernels.rules import DRAW, LOSS, ONGOING, WIN

# What a mark may hold before it has been written; with the first of each four moves come two.
ANYTHING = -0x5A5A5A5B


@njit(cache=True, _nrt=False)
def play_random_game(r, random, ask, moves, results, counts, legal, marks):  # type: ignore[no-untyped-def]
    """One random game from the root position; the number of plies.

    A row of ``legal`` holds every legal move of that ply (only the ``counts[ply]`` first are valid). Without ``ask``
    a single move is picked, as a search does, and the row stays empty.
    """
    rules.reset(r)
    ply = 0
    while True:
        count = rules.legal_count(r)
        counts[ply] = count
        if ask:
            for i in range(count):
                random = rng.step(random)
                legal[ply, i] = rules.pick_untried(r, legal[ply], marks, i, random)
                if i % 4 == 0:
                    marks[i // 2 : i // 2 + 2] = ANYTHING
        random = rng.step(random)
        move = rules.pick_untried(r, legal[ply], marks, 0, random)
        result = rules.play(r, move)
        moves[ply], results[ply] = move, result
        ply += 1
        if result != ONGOING:
            return ply


def check_random_game(root: AnyPosition, seed: int, ask: bool = True) -> AnyPosition:
    """Play one random game in the kernel, replay it in the reference rules, compare at every ply."""
    game, most_plies, most_moves = root.game, longest_game(root), len(root.legal_moves)
    moves, counts = np.zeros(most_plies, np.int64), np.zeros(most_plies, np.int64)
    results = np.zeros(most_plies, np.int64)
    legal, marks = np.full((most_plies, most_moves), -1, np.int16), np.zeros(most_moves, np.int32)
    plies = play_random_game(encode_position(root), np.uint64(seed), ask, moves, results, counts, legal, marks)
    position, table = root, decode_table(game)
    for ply in range(plies):
        expected = [encode_move(game, move) for move in position.legal_moves]
        assert counts[ply] == len(expected), position
        if ask:
            assert sorted(legal[ply, : len(expected)].tolist()) == sorted(expected), position
        mover, position = position.turn, position.play(table[moves[ply]])
        if position.outcome is None:
            assert results[ply] == ONGOING, position
        else:
            assert results[ply] == {1.0: WIN, 0.5: DRAW, 0.0: LOSS}[position.outcome.score(mover)], position
    assert position.outcome is not None
    return position


# Every kind of rule and every edge: one line boards, k = 1, k longer than one side, more than 8 x 8 cells, 19 x 19.
GAMES = [
    ("nim:1", 5),
    ("nim:1:misere", 5),
    ("nim:64", 10),
    ("nim:64:max64", 10),
    ("nim:1,1,1,1,1,1,1,1,1,1,1,1", 10),
    ("nim:1,3,5,7", 33),
    ("nim:1,3,5,7:misere", 33),
    ("nim:21:max3", 33),
    ("nim:21:max3:misere", 33),
    ("nim:5,9,2:max1", 10),
    ("nim:10,20,30:max4:misere", 17),
    ("nim:64,64,64,64,64,64,64,64,64,64,64,64", 10),
    ("nim:64,1,64,2,64,3,64,4,64,5,64,6:max63:misere", 17),
    ("nim:127:max3", 10),
    ("nim:127,1,100,64:max63:misere", 10),
    ("mnk:1,1,1", 5),
    ("mnk:3,3,1", 10),
    ("mnk:1,19,19", 10),
    ("mnk:19,1,2", 17),
    ("mnk:1,7,3", 17),
    ("mnk:3,3,3", 50),
    ("mnk:4,3,3", 27),
    ("mnk:3,4,4", 27),
    ("mnk:5,2,5", 17),
    ("mnk:5,5,4", 27),
    ("mnk:8,8,4", 10),
    ("mnk:9,8,5", 10),
    ("mnk:19,3,3", 17),
    ("mnk:3,19,3", 17),
    ("mnk:19,2,2", 10),
    ("mnk:15,15,5", 10),
    ("mnk:19,19,3", 10),
    ("mnk:3,3,4", 10),
    ("mnk:1,1,2", 5),
    ("mnk:9,8,20", 5),
    ("mnk:20,20,5", 5),
    ("mnk:20,20,20", 4),
    ("mnk:20,20,4:gravity", 5),
    ("mnk:4,3,5:gravity", 10),
    ("mnk:19,19,19", 4),
    ("mnk:7,6,4:gravity", 33),
    ("mnk:3,3,3:gravity", 27),
    ("mnk:1,19,3:gravity", 10),
    ("mnk:19,1,4:gravity", 17),
    ("mnk:2,19,2:gravity", 10),
    ("mnk:19,19,4:gravity", 10),
    ("mnk:19,19,19:gravity", 4),
    ("mnk:5,4,1:gravity", 5),
    ("mnk:3,3,1:exact", 5),
    ("mnk:6,5,2:exact", 20),
    ("mnk:7,1,3:exact", 20),
    ("mnk:8,8,3:exact", 20),
    ("mnk:15,15,5:exact", 10),
    ("mnk:20,20,9:exact", 3),
    ("mnk:7,6,3:gravity:exact", 20),
]


@pytest.mark.parametrize(("text", "games"), GAMES)
def test_random_games_agree_with_the_reference_rules(text: str, games: int) -> None:
    root = parse_game(text).start()
    for seed in range(games):
        check_random_game(root, seed)


@pytest.mark.parametrize(
    "text",
    [
        "nim:1,3,5,7 4-4 2-3",
        "nim:12,12:max5:misere 1-5 2-5 1-5",
        "mnk:3,3,3 b2 a1 c3",
        "mnk:7,6,4:gravity d1 d2 d3 d4 d5 d6 a1",
        "mnk:6,4,4 a1 b2 c3 d4 f4 e1 a2",
        "mnk:1,5,3:gravity a1 a2",
    ],
)
def test_random_games_agree_from_the_middle_of_a_game(text: str) -> None:
    for seed in range(30):
        check_random_game(parse_position(text), seed)


def test_every_line_of_a_small_oblong_board_wins_and_nothing_else_does() -> None:
    """All fillings of 4 by 3 in random order reach every line in every direction, from every cell as the last one."""
    finished = {check_random_game(parse_game("mnk:4,3,3").start(), seed, ask=False).text for seed in range(1_500)}
    ends = [parse_position(text) for text in finished]
    lines = {position.winning_line for position in ends if len(position.winning_line) == 3}  # type: ignore[attr-defined]
    # Rows 3 x 2, columns 4 x 1, diagonals 2 + 2.
    assert len(lines) == 14
    assert any(position.winner is None for position in ends)


nim_games = st.builds(
    NimGame,
    st.lists(st.integers(1, 64), min_size=1, max_size=12).map(tuple),
    st.none() | st.integers(1, 64),
    st.booleans(),
)


@st.composite
def mnk_games(draw: st.DrawFn) -> MnkGame:
    m, n = draw(st.integers(1, 19)), draw(st.integers(1, 19))
    # Short lines and long ones alike: a random game on a large board rarely completes a long one.
    k = draw(st.integers(1, min(4, max(m, n))) | st.integers(1, max(m, n)))
    return MnkGame(m, n, k, draw(st.booleans()))


@settings(max_examples=60)
@given(nim_games | mnk_games(), st.integers(0, 2**63 - 1))
def test_random_games_agree_for_any_parameters(game: Game, seed: int) -> None:
    check_random_game(game.start(), seed, ask=len(game.start().legal_moves) <= 150)


@njit(cache=True, _nrt=False)
def count_picks(r, tried, marks, kept, count, random, seen):  # type: ignore[no-untyped-def]
    """Pick so many moves one after the other, and then the next one over and over."""
    rules.reset(r)
    for i in range(count):
        random = rng.step(random)
        tried[i] = rules.pick_untried(r, tried, marks, i, random)
        if i % 4 == 0:
            marks[i // 2 : i // 2 + 2] = ANYTHING
    for i in range(marks.size):
        kept[i] = marks[i]
    for _ in range(60_000):
        rules.reset(r)
        for i in range(marks.size):
            marks[i] = kept[i]
        random = rng.step(random)
        seen[rules.pick_untried(r, tried, marks, count, random)] += 1


@pytest.mark.parametrize(
    "text", ["nim:3,1,4", "nim:20,20:misere", "mnk:3,3,3 b2", "mnk:8,8,5", "mnk:9,9,5 e5", "mnk:7,6,4:gravity d1 d2"]
)
@pytest.mark.parametrize("tried_share", [0.0, 0.5, 1.0])
def test_untried_moves_are_picked_with_equal_chances(text: str, tried_share: float) -> None:
    position = parse_position(text)
    codes = [encode_move(position.game, move) for move in position.legal_moves]
    count = min(int(tried_share * len(codes)), len(codes) - 1)
    tried, seen = np.zeros(len(codes), np.int16), np.zeros(len(decode_table(position.game)), np.int64)
    marks, kept = np.zeros((2, len(codes)), np.int32)
    count_picks(encode_position(position), tried, marks, kept, count, np.uint64(8), seen)
    untried = np.setdiff1d(codes, tried[:count])
    assert seen.sum() == seen[untried].sum() == 60_000
    chance = 1 / len(untried)
    assert np.all(np.abs(seen[untried] - 60_000 * chance) <= 5 * np.sqrt(60_000 * chance * (1 - chance)))


@njit(cache=True, _nrt=False)
def play_each(r, moves, results):  # type: ignore[no-untyped-def]
    for i in range(moves.size):
        rules.reset(r)
        results[i] = rules.play(r, moves[i])


def run_through(board: dict[tuple[int, int], int], cell: tuple[int, int], side: int) -> int:
    """Plainly: the longest row of the side's marks through the cell, once the cell is the side's."""
    longest = 1
    for step_column, step_row in ((1, 0), (0, 1), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            at = (cell[0] + sign * step_column, cell[1] + sign * step_row)
            while board.get(at) == side:
                length += 1
                at = (at[0] + sign * step_column, at[1] + sign * step_row)
        longest = max(longest, length)
    return longest


BOARDS = [
    (1, 1),
    (1, 19),
    (19, 1),
    (2, 19),
    (19, 2),
    (3, 3),
    (4, 6),
    (6, 4),
    (5, 5),
    (8, 8),
    (7, 13),
    (13, 7),
    (15, 15),
]


@pytest.mark.parametrize(("m", "n"), [*BOARDS, (15, 15), (19, 18), (18, 19), (19, 19)])
def test_on_boards_full_of_marks_a_move_wins_exactly_where_it_completes_a_line(m: int, n: int) -> None:
    """Random games seldom complete long lines; boards with most cells taken have many, of every length."""
    random = np.random.default_rng((m, n))
    cells = [(column, row) for row in range(n) for column in range(m)]
    wins = 0
    for trial in range(8):
        # Mostly one side's marks, so that long lines come up; the more empty cells, the more moves to try.
        chances = [0.1, 0.8, 0.1] if trial % 2 else [0.3, 0.35, 0.35]
        filled = zip(cells, random.choice([-1, 0, 1], len(cells), p=chances).tolist(), strict=True)
        board = {cell: side for cell, side in filled if side >= 0}
        marks = [(column, row, side) for (column, row), side in board.items()]
        empty = [cell for cell in cells if cell not in board]
        codes = np.array([row * m + column for column, row in empty], np.int64)
        results = np.zeros(len(empty), np.int64)
        for side in (0, 1):
            standing = max((run_through(board, cell, side) for cell in board if board[cell] == side), default=0)
            runs = [run_through(board, cell, side) for cell in empty]
            # A shorter k would have ended the game before.
            for k in range(standing + 1, max(m, n) + 1):
                play_each(mnk.make_rules(m, n, k, False, marks, side), codes, results)
                assert [result == WIN for result in results] == [run >= k for run in runs], (k, side, marks)
                wins += int((results == WIN).sum())
    assert wins > 0


@pytest.mark.parametrize(("m", "n"), [*BOARDS, (19, 19)])
def test_a_line_of_any_length_anywhere_wins_and_one_mark_fewer_does_not(m: int, n: int) -> None:
    result = np.zeros(1, np.int64)
    lines = {
        tuple((column + i * step_column, row + i * step_row) for i in range(k))
        for k in {1, 2, 3, 5, min(m, n), max(m, n)}
        for column, row in {(0, 0), (m - 1, 0), (0, n - 1), (m - 1, n - 1), (m // 2, n // 2), (1, 0), (0, 1)}
        for step_column, step_row in ((1, 0), (0, 1), (1, 1), (1, -1), (-1, -1), (-1, 1), (-1, 0), (0, -1))
    }
    inside = [line for line in lines if all(0 <= column < m and 0 <= row < n for column, row in line)]
    assert inside
    for line in inside:
        for missing in {line[0], line[-1], line[len(line) // 2]}:
            code = np.array([missing[1] * m + missing[0]], np.int64)
            marks = [(column, row, 1) for column, row in line if (column, row) != missing]
            play_each(mnk.make_rules(m, n, len(line), False, marks, 1), code, result)
            assert result[0] == WIN, (m, n, line, missing)
            if len(line) > 1:
                play_each(mnk.make_rules(m, n, len(line), False, marks[1:], 1), code, result)
                assert result[0] != WIN, (m, n, line, missing)
            if len(line) < max(m, n):
                play_each(mnk.make_rules(m, n, len(line) + 1, False, marks, 1), code, result)
                assert result[0] != WIN, (m, n, line, missing)


@njit(cache=True, _nrt=False)
def count_at_once(r):  # type: ignore[no-untyped-def]
    return rules.legal_count(r)


@pytest.mark.parametrize("text", ["nim:1,3,5,7 4-4", "nim:21:max3", "mnk:3,3,3 b2", "mnk:7,6,4:gravity"])
def test_fresh_rules_stand_at_the_root_position(text: str) -> None:
    position = parse_position(text)
    assert count_at_once(encode_position(position)) == len(position.legal_moves)
