"""The m,n,k solver against brute force, the literature and OpenSpiel; its budget, slices and symmetry."""

import random
from collections.abc import Iterator
from contextlib import suppress

import pyspiel
import pytest
from solving import BruteForce, agrees

from nimdesk.errors import GameParameterError
from nimdesk.games import MnkGame, MnkMove, MnkPosition, NimGame, Side, kit_of, parse_position
from nimdesk.games.mnk import plan as mnk_plan
from nimdesk.games.mnk.solver import table as tables
from nimdesk.games.mnk.theory import MnkSolver
from nimdesk.games.truth import Truth, Value
from nimdesk.limit import Limit

FOREVER = Limit()


def solve(position: MnkPosition, limit: Limit = FOREVER) -> Truth:
    solver = MnkSolver()
    solver.start(position)
    assert solver.advance(limit)
    assert solver.progress == 1.0
    return solver.truth()


def random_position(game: MnkGame, plies: int, rng: random.Random) -> MnkPosition | None:
    """The position after ``plies`` random moves; None if the game ended before."""
    position = game.start()
    for _ in range(plies):
        if position.outcome is not None:
            return None
        position = position.play(rng.choice(position.legal_moves))
    return position if position.outcome is None else None


def sample(game: MnkGame, count: int, most_empty: int, seed: int) -> None:
    rng, brute, cells = random.Random(seed), BruteForce(game, plain=True), game.m * game.n
    done = tries = 0
    while done < count and tries < 40 * count:
        tries += 1
        position = random_position(game, rng.randrange(max(0, cells - most_empty), cells), rng)
        if position is not None:
            agrees(brute, solve(position))
            done += 1


SMALL = [(m, n, k) for m in range(1, 4) for n in range(1, 5) for k in range(1, max(m, n) + 1)]
LARGER = [(5, 2, 3), (2, 5, 2), (6, 2, 4), (4, 4, 3), (4, 4, 4), (5, 3, 3), (5, 4, 4), (5, 5, 4), (5, 5, 5), (6, 4, 4),
          (9, 1, 3), (1, 9, 4), (6, 6, 4), (7, 5, 5), (7, 6, 4), (9, 7, 4)]  # fmt: skip


@pytest.mark.parametrize("gravity", [False, True])
def test_small_boards_from_anywhere(gravity: bool) -> None:
    for seed, (m, n, k) in enumerate(SMALL):
        sample(MnkGame(m, n, k, gravity), 10, 12 if gravity else 10, seed)


@pytest.mark.parametrize("gravity", [False, True])
def test_larger_boards_with_a_few_empty_cells(gravity: bool) -> None:
    for seed, (m, n, k) in enumerate(LARGER):
        sample(MnkGame(m, n, k, gravity), 8, 12 if gravity else 9, seed)


@pytest.mark.parametrize("gravity", [False, True])
def test_where_k_alone_wins_boards_with_lines_that_are_too_long(gravity: bool) -> None:
    for seed, (m, n, k) in enumerate([(3, 3, 2), (4, 3, 2), (6, 1, 2), (7, 1, 3), (4, 4, 3), (5, 3, 3), (8, 2, 3),
                                      (5, 4, 3), (6, 4, 4), (5, 5, 4)]):  # fmt: skip
        game = MnkGame(m, n, k, gravity, exact=True)
        sample(game, 8, 10, seed)
        for position in crowded(game, 8, 10, random.Random(seed)):
            agrees(BruteForce(game, plain=True), solve(position))


def crowded(game: MnkGame, count: int, most_empty: int, rng: random.Random) -> Iterator[MnkPosition]:
    """Positions in which nobody has won though there are few empty cells: moves that end the game are put off."""
    for _ in range(count):
        position, empty = game.start(), rng.randrange(1, most_empty)
        while game.m * game.n - position.ply > empty:
            quiet = [after for move in position.legal_moves if (after := position.play(move)).outcome is None]
            if not quiet:
                break
            position = rng.choice(quiet)
        yield position


def test_the_order_of_questions_for_large_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threats alone and near wins first: another order, the same truth."""
    monkeypatch.setattr(mnk_plan, "_LARGE_BOARD", 3)
    for seed, (m, n, k) in enumerate([(3, 3, 3), (4, 3, 3), (4, 4, 3), (5, 4, 4), (5, 5, 4), (6, 5, 4), (9, 7, 5)]):
        sample(MnkGame(m, n, k), 15, 9, seed)


@pytest.mark.parametrize("text", ["mnk:1,1,2", "mnk:3,3,5", "mnk:7,6,8:gravity", "mnk:8,8,9", "mnk:20,20,20"])
def test_a_line_longer_than_the_board_is_a_draw_at_once(text: str) -> None:
    truth = solve(parse_position(text), Limit(nodes=10))
    assert (truth.value, truth.distance) == (Value.DRAW, truth.position.game.m * truth.position.game.n)
    assert {move.value for move in truth.moves} == {Value.DRAW}


def every_position(game: MnkGame) -> Iterator[MnkPosition]:
    """Each reachable one that is not over, by different ways of moves once."""
    seen, waiting = set[MnkPosition](), [game.start()]
    while waiting:
        position = waiting.pop()
        if position not in seen and position.outcome is None:
            seen.add(position)
            yield position
            waiting.extend(position.play(move) for move in position.legal_moves)


def different(position: MnkPosition) -> tuple[tuple[MnkMove, ...], ...]:
    """The same for all positions that are turned or mirrored images of each other."""
    views = kit_of(position).views
    assert views is not None
    turns = [turn for game, turn in views(position.game) if game == position.game]
    sides = position.moves[::2], position.moves[1::2]
    return min(tuple(tuple(sorted(map(turn, moves))) for moves in sides) for turn in turns)


def test_an_empty_board_that_only_its_moves_settle_is_settled_whole() -> None:
    """Nobody finds out whether the first side can win; but after each of its moves it cannot, nor can the second."""
    groups = [mnk_plan.Group(cells=[cell]) for cell in (0, 1)]
    proof = mnk_plan.Proof(groups, 9, cells=9, gravity=False, distances=False)
    no, asked, plan = mnk_plan.Answer(False, tables.NEVER, -1, 1), 0, proof.plan()
    question = next(plan)
    with suppress(StopIteration):
        while True:
            asked += 1
            question = plan.send(None if question.cell == -1 and question.ours else no)
    assert (proof.value, [group.value for group in groups], proof.done) == (Value.DRAW, [Value.DRAW] * 2, True)
    assert asked < 20


@pytest.mark.parametrize("cells", [9, 12])
@pytest.mark.parametrize("exact", [False, True])
def test_a_pass_and_a_stolen_strategy_prove_nothing_where_k_alone_wins(cells: int, exact: bool) -> None:
    """With nine cells the board is empty, with twelve it is not."""
    groups = [mnk_plan.Group(cells=[cell]) for cell in (0, 1)]
    proof = mnk_plan.Proof(groups, 9, cells=cells, gravity=False, distances=False, exact=exact)
    plan, questions, no = proof.plan(), list[mnk_plan.Question](), mnk_plan.Answer(False, tables.NEVER, -1, 1)
    with suppress(StopIteration):
        questions.append(next(plan))
        while True:
            questions.append(plan.send(None if questions[-1].blocking else no))
    assert any(question.passed for question in questions) == (cells == 12 and not exact)
    assert any(not question.ours and not question.passed for question in questions) == exact
    assert proof.value is Value.DRAW


@pytest.mark.parametrize(("gravity", "number"), [(False, 627), (True, 261)])
def test_every_position_of_a_small_game(gravity: bool, number: int) -> None:
    """3,3,3: each that is no other's image, each move, value and distance."""
    game = MnkGame(3, 3, 3, gravity)
    brute, there = BruteForce(game, plain=True), {different(each): each for each in every_position(game)}
    assert len(there) == number
    for position in there.values():
        agrees(brute, solve(position))


LITERATURE = {
    (3, 3, 3): Value.DRAW, (4, 3, 3): Value.WIN, (4, 4, 3): Value.WIN, (4, 4, 4): Value.DRAW, (5, 4, 4): Value.DRAW,
    (5, 5, 4): Value.DRAW, (6, 5, 4): Value.WIN, (5, 5, 5): Value.DRAW, (6, 5, 5): Value.DRAW, (6, 6, 5): Value.DRAW,
    (3, 2, 2): Value.WIN, (3, 1, 3): Value.DRAW, (7, 1, 2): Value.WIN, (19, 19, 19): Value.DRAW,
}  # fmt: skip


@pytest.mark.parametrize(("sizes", "value"), LITERATURE.items())
def test_values_of_the_literature(sizes: tuple[int, int, int], value: Value) -> None:
    """Uiterwijk and van den Herik, The advantage of the initiative (2000)."""
    solver = MnkSolver(distances=False)
    solver.start(MnkGame(*sizes).start())
    while solver.truth().value is Value.UNKNOWN:
        solver.advance(Limit(nodes=solver.truth().nodes + 2_000))
    assert solver.truth().value is value
    if value is Value.DRAW:
        assert solver.advance(FOREVER)
        assert {move.value for move in solver.truth().moves} == {Value.DRAW}


def test_tic_tac_toe_after_one_move_and_lost_replies() -> None:
    truth = solve(MnkGame(3, 3, 3).start().play(MnkMove(0, 0)))
    assert truth.value is Value.DRAW
    assert truth.best_moves == (MnkMove(1, 1),)
    assert truth.distance == 8
    assert "draw" in truth.explanation


def test_a_win_says_who_and_when() -> None:
    truth = solve(MnkGame(4, 3, 3).start())
    assert (truth.value, truth.distance) == (Value.WIN, 7)
    assert truth.explanation.startswith("X wins in 7 plies: proven by searching ")
    assert truth.nodes > 0
    assert truth.elapsed_s > 0.0


@pytest.mark.parametrize("text", ["3,3,3", "4,3,3", "4,3,3:gravity", "4,4,3", "5,4,3"])
def test_symmetric_positions_have_symmetric_truths(text: str) -> None:
    m, n, k = (int(part) for part in text.split(":")[0].split(","))
    game, rng = MnkGame(m, n, k, "gravity" in text), random.Random(3)

    def mirrored(move: MnkMove) -> MnkMove:
        return MnkMove(m - 1 - move.column, move.row)

    for _ in range(10):
        position = random_position(game, rng.randrange(5), rng)
        if position is None:
            continue
        other = game.start()
        for move in position.moves:
            other = other.play(mirrored(move))
        truth, mirror = solve(position), solve(other)
        assert (truth.value, truth.distance) == (mirror.value, mirror.distance)
        for move in truth.moves:
            image = mirror.of(mirrored(move.move))
            assert (image.value, image.distance) == (move.value, move.distance)


def test_a_finished_game_is_solved_at_once() -> None:
    won = MnkGame(2, 1, 1).start().play(MnkMove(0, 0))
    truth = solve(won)
    assert (truth.value, truth.distance, truth.moves, truth.nodes) == (Value.LOSS, 0, (), 0)
    assert truth.explanation == "The game is over: X has won."
    drawn = MnkGame(2, 1, 2).start().play(MnkMove(0, 0)).play(MnkMove(1, 0))
    assert solve(drawn).value is Value.DRAW
    assert solve(drawn).explanation == "The game is over: a draw."


def test_blocked_lines_are_a_draw_without_searching_on() -> None:
    position = MnkGame(3, 1, 3).start().play(MnkMove(0, 0)).play(MnkMove(1, 0))
    truth = solve(position)
    assert (truth.value, truth.distance) == (Value.DRAW, 1)
    assert truth.explanation == "Nobody can win: every line is blocked."


def test_another_game_is_refused() -> None:
    with pytest.raises(GameParameterError, match="nim:1,2"):
        MnkSolver().start(NimGame((1, 2)).start())


def test_unknown_when_the_budget_is_spent_and_right_when_it_goes_on() -> None:
    """Slices of any size: what is said on the way is never taken back, and the end is the same."""
    start = MnkGame(5, 4, 3).start().play(MnkMove(0, 0))
    whole = solve(start)
    for step in (1, 7, 500):
        solver = MnkSolver()
        solver.start(start)
        progress, budget, last = 0.0, 0, solver.truth()
        assert last.value is Value.UNKNOWN
        assert "Not proven within the budget" in last.explanation
        while not solver.advance(Limit(nodes=budget)):
            assert solver.truth().nodes == budget
            assert progress <= solver.progress < 1.0
            progress, now = solver.progress, solver.truth()
            for before, after, end in zip(last.moves, now.moves, whole.moves, strict=True):
                assert before.value in (Value.UNKNOWN, after.value)
                assert after.value in (Value.UNKNOWN, end.value)
                assert after.distance in (None, end.distance)
            assert now.value in (Value.UNKNOWN, whole.value)
            last, budget = now, budget + step
        assert solver.truth().moves == whole.moves
        assert (solver.truth().value, solver.truth().distance) == (whole.value, whole.distance)


def test_no_budget_no_work() -> None:
    solver = MnkSolver()
    solver.start(MnkGame(15, 15, 5).start())
    assert not solver.advance(Limit(time_s=0.0))
    assert solver.truth().nodes == 0
    assert not solver.advance(Limit(nodes=3_000))
    truth = solver.truth()
    assert truth.nodes == 3_000
    assert truth.value is Value.UNKNOWN
    assert truth.distance is None
    assert len(truth.moves) == 225


def test_a_small_table_gives_the_same_truth() -> None:
    """The table is full and overwritten all the time: slower, never wrong."""
    start = MnkGame(5, 4, 3).start().play(MnkMove(0, 0))
    solver = MnkSolver(memory_mb=0)
    solver.start(start)
    assert solver.advance(FOREVER)
    assert solver.truth().moves == solve(start).moves


def from_marks(game: MnkGame, first: str, second: str) -> MnkPosition:
    position = game.start()
    for turn in range(len(first.split()) + len(second.split())):
        position = position.play(position.parse_move((first, second)[turn % 2].split()[turn // 2]))
    return position


def test_a_table_that_grows_loses_nothing() -> None:
    """Of a large board as well, with no mark yet in the cells of the key's second word."""
    old, new = tables.new_table(4, 2), tables.new_table(16, 2)
    old[0], old[3] = (5, 0, 1 << 30), (7, 8, 1 << 30)
    for begin in (0, 2):
        tables.migrate(old, new, begin, begin + 2)
    assert {tuple(row) for row in new.tolist()} == {(0, 0, 0), (5, 0, 1 << 30), (7, 8, 1 << 30)}


def test_what_is_known_when_the_table_grows_is_not_searched_again() -> None:
    """With a table that began anew each time, it would visit 230,112 positions."""
    assert solve(parse_position("mnk:6,5,4 c3 a1")).nodes == 146_296


def test_forced_wins_on_a_board_beyond_reach() -> None:
    game = MnkGame(19, 19, 5)
    open_four = from_marks(game, "j10 k10 l10 m10", "a1 c1 e1 g1")
    solver = MnkSolver()
    solver.start(open_four)
    solver.advance(Limit(nodes=1))
    truth = solver.truth()
    assert (truth.value, truth.distance) == (Value.WIN, 1)
    assert truth.explanation == "Black wins in 1 ply: one mark completes a line."
    assert {move.move.text for move in truth.moves if move.distance == 1} == {"i10", "n10"}

    solver.start(from_marks(game, "j10 k10 l10", "a1 c1 e1"))
    solver.advance(Limit(nodes=100))
    assert (solver.truth().value, solver.truth().distance) == (Value.WIN, 3)
    assert solver.truth().best_moves

    solver.start(from_marks(game, "j10 k10 l10 m10", "a1 c1 e1"))
    solver.advance(Limit(nodes=500))
    assert solver.truth().value is Value.LOSS


def test_openspiel_agrees_with_brute_force_on_tic_tac_toe() -> None:
    """And the solver with brute force: see ``test_every_position_of_a_small_game``."""
    game, values = pyspiel.load_game("tic_tac_toe"), dict[str, float]()

    def value(state: pyspiel.State) -> float:
        """For the first player."""
        if state.is_terminal():
            return float(state.returns()[0])
        if str(state) not in values:
            best = max if state.current_player() == 0 else min
            values[str(state)] = best(value(state.child(action)) for action in state.legal_actions())
        return values[str(state)]

    brute, positions = BruteForce(MnkGame(3, 3, 3), plain=True), list(every_position(MnkGame(3, 3, 3)))
    assert len(positions) == 4520
    for position in positions:
        state = game.new_initial_state()
        for move in position.moves:
            state.apply_action(move.row * 3 + move.column)
        (score, _plies), _moves = brute.of(position)
        assert score * (1 if position.turn is Side.FIRST else -1) == value(state)


def test_openspiel_agrees_on_the_end_of_connect_four() -> None:
    game, rng, checked = pyspiel.load_game("connect_four"), random.Random(4), 0

    def value(state: pyspiel.State, alpha: float, beta: float) -> float:
        """For the first player."""
        if state.is_terminal():
            return float(state.returns()[0])
        first = state.current_player() == 0
        for action in state.legal_actions():
            result = value(state.child(action), alpha, beta)
            alpha, beta = (max(alpha, result), beta) if first else (alpha, min(beta, result))
            if alpha >= beta:
                break
        return alpha if first else beta

    while checked < 15:
        position = random_position(MnkGame(7, 6, 4, True), 33, rng)
        if position is None:
            continue
        checked += 1
        state = game.new_initial_state()
        for move in position.moves:
            state.apply_action(move.column)
        expected = value(state, -1.0, 1.0)
        score = solve(position).value.score
        assert score is not None
        assert 2 * score - 1 == (expected if position.turn == Side.FIRST else -expected)
