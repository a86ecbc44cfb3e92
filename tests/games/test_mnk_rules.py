"""Laws of m,n,k games: lines, symmetry, gravity, and the known size of the whole game of tic-tac-toe."""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nimdesk.errors import GameParameterError, IllegalMoveError
from nimdesk.games import MnkGame, MnkMove, MnkPosition, Outcome, Side, parse_game, parse_position
from nimdesk.games.base import describe_outcome

laws = settings(max_examples=60)

# The symmetries of the rectangle; the transpositions also swap the board's sides.
MIRRORS: dict[str, tuple[bool, Callable[[MnkGame, MnkMove], MnkMove]]] = {
    "left-right": (False, lambda game, move: MnkMove(game.m - 1 - move.column, move.row)),
    "top-bottom": (False, lambda game, move: MnkMove(move.column, game.n - 1 - move.row)),
    "half turn": (False, lambda game, move: MnkMove(game.m - 1 - move.column, game.n - 1 - move.row)),
    "diagonal": (True, lambda game, move: MnkMove(move.row, move.column)),
    "quarter turn": (True, lambda game, move: MnkMove(move.row, game.m - 1 - move.column)),
}


@st.composite
def mnk_games(draw: st.DrawFn, *, gravity: bool | None = None, largest: int = 9) -> MnkGame:
    m, n = draw(st.integers(1, largest)), draw(st.integers(1, largest))
    k = draw(st.integers(1, min(max(m, n) + 1, 6)))
    return MnkGame(m, n, k, draw(st.booleans()) if gravity is None else gravity, draw(st.booleans()))


@st.composite
def mnk_playouts(draw: st.DrawFn, *, gravity: bool | None = None) -> list[MnkPosition]:
    random_state = draw(st.randoms(use_true_random=False))
    positions = [draw(mnk_games(gravity=gravity)).start()]
    while positions[-1].legal_moves:
        positions.append(positions[-1].play(random_state.choice(positions[-1].legal_moves)))
    return positions


def lines(position: MnkPosition, side: Side) -> list[list[tuple[int, int]]]:
    """Every run that wins of ``side``, found by looking at every k cells in a row on the board."""
    game = position.game
    found = []
    for column in range(game.m):
        for row in range(game.n):
            for step_column, step_row in ((1, 0), (0, 1), (1, 1), (1, -1)):
                cells = [(column + i * step_column, row + i * step_row) for i in range(game.k)]
                inside = all(0 <= c < game.m and 0 <= r < game.n for c, r in cells)
                ends = [
                    (column - step_column, row - step_row),
                    (column + game.k * step_column, row + game.k * step_row),
                ]
                own = [0 <= c < game.m and 0 <= r < game.n and position.mark(c, r) == side for c, r in ends]
                if inside and all(position.mark(c, r) == side for c, r in cells) and not (game.exact and any(own)):
                    found.append(cells)
    return found


@laws
@given(mnk_playouts())
def test_a_game_ends_at_its_first_line_or_with_a_full_board(positions: list[MnkPosition]) -> None:
    for position in positions[:-1]:
        assert not lines(position, position.turn.other)
        assert position.winning_line == ()
    last = positions[-1]
    if lines(last, last.turn.other):
        only = "exactly " if last.game.exact else ""
        assert last.outcome == Outcome(last.turn.other, f"{only}{last.game.k} in a row")
    else:
        assert last.outcome == Outcome(None, "the board is full")
        assert last.ply == last.game.m * last.game.n
        assert last.winning_line == ()


@laws
@given(mnk_playouts())
def test_the_winning_line_is_made_of_lines_of_the_winner_through_the_last_move(positions: list[MnkPosition]) -> None:
    last = positions[-1]
    found = lines(last, last.turn.other)
    shown = [(move.column, move.row) for move in last.winning_line]
    # Every run of k that the board holds is shown, and nothing else: longer and crossing lines included.
    assert sorted({cell for line in found for cell in line}) == sorted(shown)
    assert len(set(shown)) == len(shown)
    if found:
        assert last.moves[-1] in last.winning_line
        assert len(shown) >= last.game.k
        assert {last.mark(column, row) for column, row in shown} == {last.turn.other}


@laws
@given(mnk_playouts())
def test_a_line_of_exactly_k_is_straight_and_without_gaps(positions: list[MnkPosition]) -> None:
    last = positions[-1]
    cells = last.winning_line
    if len(cells) == last.game.k > 1:
        steps = {(b.column - a.column, b.row - a.row) for a, b in pairwise(cells)}
        assert len(steps) == 1
        assert steps <= {(1, 0), (0, 1), (1, 1), (1, -1)}


@laws
@given(mnk_playouts())
def test_marks_are_the_moves_of_their_side(positions: list[MnkPosition]) -> None:
    for position in positions:
        game = position.game
        marks = {
            (column, row): side
            for column in range(game.m)
            for row in range(game.n)
            if (side := position.mark(column, row)) is not None
        }
        assert marks == {(move.column, move.row): Side(ply % 2) for ply, move in enumerate(position.moves)}
        counts = Counter(marks.values())
        assert counts[Side.FIRST] - counts[Side.SECOND] == position.ply % 2


@laws
@given(mnk_playouts(gravity=False))
def test_without_gravity_every_empty_cell_is_legal(positions: list[MnkPosition]) -> None:
    game = positions[0].game
    for position in positions[:-1]:
        taken = {(move.column, move.row) for move in position.moves}
        cells = [(column, row) for row in range(game.n) for column in range(game.m)]
        assert [(move.column, move.row) for move in position.legal_moves] == [c for c in cells if c not in taken]


@laws
@given(mnk_playouts(gravity=True))
def test_with_gravity_no_mark_floats_and_each_open_column_has_one_move(positions: list[MnkPosition]) -> None:
    game = positions[0].game
    for position in positions:
        heights = [sum(position.mark(column, row) is not None for row in range(game.n)) for column in range(game.m)]
        for column, height in enumerate(heights):
            assert all(position.mark(column, row) is not None for row in range(height))
            assert position.drop_row(column) == (height if height < game.n else None)
        if position.outcome is None:
            open_columns = [(column, height) for column, height in enumerate(heights) if height < game.n]
            assert [(move.column, move.row) for move in position.legal_moves] == open_columns
            for column, height in open_columns:
                letter = "abcdefghi"[column]
                assert position.parse_move(letter) == position.parse_move(letter.upper()) == MnkMove(column, height)


@pytest.mark.parametrize("mirror", MIRRORS)
@laws
@given(mnk_playouts(gravity=False))
def test_a_mirrored_game_has_the_mirrored_outcome(mirror: str, positions: list[MnkPosition]) -> None:
    swaps, reflect = MIRRORS[mirror]
    last = positions[-1]
    game = last.game
    twin = MnkGame(game.n, game.m, game.k, exact=game.exact).start() if swaps else game.start()
    for position in positions[1:]:
        twin = twin.play(reflect(game, position.moves[-1]))
        assert twin.outcome == position.outcome
        assert set(twin.legal_moves) == {reflect(game, move) for move in position.legal_moves}
    assert set(twin.winning_line) == {reflect(game, move) for move in last.winning_line}


@laws
@given(mnk_playouts(gravity=True))
def test_a_game_with_gravity_mirrors_left_and_right(positions: list[MnkPosition]) -> None:
    _, reflect = MIRRORS["left-right"]
    game = positions[0].game
    twin = game.start()
    for position in positions[1:]:
        twin = twin.play(reflect(game, position.moves[-1]))
        assert twin.outcome == position.outcome
    assert set(twin.winning_line) == {reflect(game, move) for move in positions[-1].winning_line}


@laws
@given(mnk_playouts(gravity=True))
def test_a_game_with_gravity_is_also_a_game_without(positions: list[MnkPosition]) -> None:
    game = positions[-1].game
    free = MnkGame(game.m, game.n, game.k, exact=game.exact).start()
    for position in positions[1:]:
        free = free.play(position.moves[-1])
        assert free.outcome == position.outcome
    assert free.winning_line == positions[-1].winning_line
    assert free != positions[-1]


def test_the_whole_of_tic_tac_toe_has_its_known_size_and_value() -> None:
    """255,168 games and 5,478 positions, of which 958 are final (626 + 316 won, 16 drawn): counted by many."""
    layer = Counter({MnkGame(3, 3, 3).start(): 1})
    layers = [layer]
    games: Counter[Side | None] = Counter()
    finals: Counter[Side | None] = Counter()
    while layer:
        following: Counter[MnkPosition] = Counter()
        for position, ways in layer.items():
            if position.outcome is not None:
                games[position.winner] += ways
                finals[position.winner] += 1
            for move in position.legal_moves:
                following[position.play(move)] += ways
        layer = following
        layers.append(layer)
    assert sum(map(len, layers)) == 5478
    assert games == {Side.FIRST: 131_184, Side.SECOND: 77_904, None: 46_080}
    assert finals == {Side.FIRST: 626, Side.SECOND: 316, None: 16}

    values: dict[MnkPosition, float] = {}  # for X, backwards from the end
    for layer in reversed(layers):
        for position in layer:
            if position.outcome is not None:
                values[position] = position.outcome.score(Side.FIRST)
            else:
                best = max if position.turn == Side.FIRST else min
                values[position] = best(values[position.play(move)] for move in position.legal_moves)
    assert values[MnkGame(3, 3, 3).start()] == 0.5


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("mnk:3,3,3 a1 a2 b1 b2 c1", "a1 b1 c1"),
        ("mnk:3,3,3 b1 a2 b2 a1 b3", "b1 b2 b3"),
        ("mnk:3,3,3 a1 a2 b2 b1 c3", "a1 b2 c3"),
        ("mnk:3,3,3 a3 a2 b2 b1 c1", "a3 b2 c1"),
        # five at once where four would do, and two lines with one move
        ("mnk:5,2,4 a1 a2 b1 b2 d1 d2 e1 e2 c1", "a1 b1 c1 d1 e1"),
        ("mnk:3,3,3 a1 a2 b1 b3 c2 b2 c3 a3 c1", "a1 b1 c1 c2 c3"),
        # the ends of a row are no neighbours of the next row
        ("mnk:3,3,3 b1 a1 c1 b2 a2 c2", ""),
        ("mnk:4,4,3 c1 a1 d1 b1 a2 d4", ""),
        ("mnk:1,1,1 a1", "a1"),
        ("mnk:3,3,1 b2", "b2"),
        ("mnk:1,4,3 a1 a3 a2 a4", ""),
        ("mnk:7,6,4:gravity d e e f f g f g g a g", "d1 e2 f3 g4"),
    ],
)
def test_winning_lines_by_hand(text: str, line: str) -> None:
    position = parse_position(text)
    assert {move.text for move in position.winning_line} == set(line.split())
    if line:
        assert describe_outcome(position) == f"{position.game.side_name(Side.FIRST)} wins: {position.game.k} in a row"


@pytest.mark.parametrize(
    ("text", "refused", "why"),
    [
        ("mnk:3,3,3 b2", MnkMove(1, 1), "the cell is taken"),
        ("mnk:3,4,3", MnkMove(3, 0), "the board goes from a1 to c4"),
        ("mnk:3,4,3", MnkMove(0, 4), "the board goes from a1 to c4"),
        ("mnk:3,4,3", MnkMove(-1, 0), "the board goes from a1 to c4"),
        ("mnk:3,4,3", MnkMove(0, -1), "the board goes from a1 to c4"),
        ("mnk:3,4,3:gravity", MnkMove(0, 2), "a mark dropped there lands on a1"),
        ("mnk:3,4,3:gravity a1", MnkMove(0, 0), "the cell is taken"),
        ("mnk:3,2,3:gravity a1 a2", MnkMove(0, 1), "column a is full"),
        ("mnk:3,3,3", MnkMove(25, 0), "the board goes from a1 to c3"),
    ],
)
def test_why_a_cell_is_illegal(text: str, refused: MnkMove, why: str) -> None:
    with pytest.raises(IllegalMoveError) as caught:
        parse_position(text).play(refused)
    assert f"is not legal here: {why}. Legal moves: " in str(caught.value)


@pytest.mark.parametrize(
    ("m", "n", "k", "says"),
    [
        (0, 3, 1, "The number of columns (m) is 0; it may be 1 to 20."),
        (21, 3, 3, "The number of columns (m) is 21; it may be 1 to 20."),
        (3, 0, 1, "The number of rows (n) is 0; it may be 1 to 20."),
        (3, 21, 3, "The number of rows (n) is 21; it may be 1 to 20."),
        (-3, 3, 3, "The number of columns (m) is -3; it may be 1 to 20."),
        (3, 3, 0, "The number of marks in a row (k) is 0; it may be 1 to 20."),
        (3, 5, 21, "The number of marks in a row (k) is 21; it may be 1 to 20."),
        (5, 3, -1, "The number of marks in a row (k) is -1; it may be 1 to 20."),
    ],
)
@pytest.mark.parametrize("gravity", [False, True])
def test_impossible_boards_are_refused(m: int, n: int, k: int, says: str, gravity: bool) -> None:
    with pytest.raises(GameParameterError) as caught:
        MnkGame(m, n, k, gravity)
    assert str(caught.value) == says


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("mnk:3,3,3", ("X", "O")),
        ("mnk:8,19,5", ("X", "O")),
        ("mnk:9,9,5", ("Black", "White")),
        ("mnk:15,15,5", ("Black", "White")),
        ("mnk:7,6,4:gravity", ("Red", "Yellow")),
    ],
)
def test_sides_are_called_by_what_they_play_with(text: str, names: tuple[str, str]) -> None:
    game = parse_position(text).game
    assert (game.side_name(Side.FIRST), game.side_name(Side.SECOND)) == names


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("mnk:3,3,3", "Tic-tac-toe"),
        ("mnk:3,3,3:gravity", "3,3,3 with gravity"),
        ("mnk:7,6,4:gravity", "Connect Four"),
        ("mnk:7,6,4", "7,6,4"),
        ("mnk:15,15,5", "Gomoku 15 × 15"),
        ("mnk:15,15,6", "15,15,6"),
        ("mnk:15,15,5:gravity", "15,15,5 with gravity"),
    ],
)
def test_only_the_games_that_people_know_have_a_name(text: str, title: str) -> None:
    assert parse_game(text).title == title


@pytest.mark.parametrize(
    ("moves", "winner"),
    [
        ("a1 a9 b1 b9 c1 c9 e1 e9 f1 f9 d1", None),  # six
        ("a1 a9 b1 b9 c1 c9 e1 e9 d1", Side.FIRST),  # five in the corner
        ("a1 a9 b1 b9 c1 c9 e1 e9 f1 f9 h1 d9", None),  # six of the second side
        ("a1 a9 b1 b9 c1 c9 e1 e9 f1 f9 d2 h9 d3 h8 d4 h7 d5 h6 d1", Side.FIRST),  # six across, and five upwards
        ("a1 a9 b1 b9 c1 c9 d1 f1 f2 d9 e1", Side.FIRST),  # five, and then the other side's mark
    ],
)
def test_where_k_alone_wins_a_longer_line_does_not_end_the_game(moves: str, winner: Side | None) -> None:
    position = parse_position(f"mnk:9,9,5:exact {moves}")
    assert position.winner is winner
    assert (position.outcome is None) == (winner is None)
    assert isinstance(position, MnkPosition)
    assert len(position.winning_line) == (0 if winner is None else 5)
    assert parse_position(f"mnk:9,9,5 {moves}").outcome is not None


def test_a_longer_line_that_does_not_win_is_no_winning_move() -> None:
    position = parse_position("mnk:9,9,5:exact a1 a9 b1 b9 c1 c9 e1 e9 f1 f9")
    assert position.winning_moves == ()
    assert parse_position("mnk:9,9,5 a1 a9 b1 b9 c1 c9 e1 e9").winning_moves == (MnkMove(3, 0),)
