"""Connect Four's own solver and book against the general solver, known values, mirror images and itself."""

import _thread
import os
import random
import threading
import time
from pathlib import Path

import pytest

from nimdesk.games import MnkGame, MnkMove, MnkPosition, parse_position
from nimdesk.games.mnk import book
from nimdesk.games.mnk.drop_solver import DropSolver, covers
from nimdesk.games.mnk.line_solver import LineSolver
from nimdesk.games.truth import Truth, Value
from nimdesk.limit import Limit

USUAL = MnkGame(7, 6, 4, gravity=True)


def solve(solver: DropSolver | LineSolver, position: MnkPosition) -> Truth:
    solver.start(position)
    assert solver.advance(Limit())
    assert solver.progress == 1.0
    return solver.truth()


def searched(position: MnkPosition) -> Truth:
    return solve(DropSolver(use_book=False), position)


def result(truth: Truth) -> tuple[object, ...]:
    return truth.value, truth.distance, truth.moves


def random_position(game: MnkGame, plies: int, rng: random.Random) -> MnkPosition:
    """A position after ``plies`` random moves, with the game still open."""
    while True:
        position = game.start()
        while position.outcome is None and position.ply < plies:
            position = position.play(rng.choice(position.legal_moves))
        if position.outcome is None:
            return position


def test_it_is_for_four_in_a_row_with_dropping_marks_on_boards_of_a_word() -> None:
    assert all(covers(MnkGame(m, n, 4, True)) for m, n in [(7, 6), (8, 7), (4, 15), (16, 3), (19, 1), (1, 4), (3, 19)])
    assert not any(covers(game) for game in [MnkGame(7, 6, 4), MnkGame(7, 6, 5, True), MnkGame(8, 8, 4, True)])


@pytest.mark.parametrize(
    ("m", "n", "plies"),
    [
        (4, 4, 4),
        (5, 4, 6),
        (4, 5, 7),
        (5, 5, 10),
        (6, 5, 16),
        (7, 6, 24),
        (8, 7, 40),
        (4, 15, 46),
        (16, 3, 34),
        (19, 1, 9),
    ],
)
def test_the_general_solver_agrees_on_every_move_and_distance(m: int, n: int, plies: int) -> None:
    """The two share no code below the plan: lines counted one by one there, words here. Odd and even boards."""
    game, rng = MnkGame(m, n, 4, True), random.Random(m * n)
    for ply in [plies, plies + 1, plies + 2, plies + 3] * 2:
        position = random_position(game, ply, rng)
        assert result(searched(position)) == result(solve(LineSolver(), position)), position.text


def test_every_position_of_a_small_board_agrees_with_the_ones_after_it() -> None:
    """4,4,4 from where 9 stones are left: values and distances follow from those of the positions one move later."""
    rng = random.Random(9)
    for _ in range(25):
        position = random_position(MnkGame(4, 4, 4, True), 7, rng)
        truth = searched(position)
        for each in truth.moves:
            after = position.play(each.move)
            if after.outcome is not None:
                assert (each.value, each.distance) == (Value.WIN if after.winner is not None else Value.DRAW, 1)
            else:
                later = searched(after)
                assert (each.value, each.distance) == (later.value.reverse, 1 + (later.distance or 0))


def test_mirror_images_have_the_same_values() -> None:
    rng = random.Random(5)
    for plies in (8, 18, 19, 20):
        position, image = random_position(USUAL, plies, rng), USUAL.start()
        for move in position.moves:
            image = image.play(MnkMove(6 - move.column, move.row))
        truth, mirrored = solve(DropSolver(), position), solve(DropSolver(), image)
        assert (truth.value, truth.distance) == (mirrored.value, mirrored.distance)
        for each in truth.moves:
            other = mirrored.of(MnkMove(6 - each.move.column, each.move.row))
            assert (other.value, other.distance) == (each.value, each.distance)


@pytest.mark.parametrize(
    ("size", "distance"),
    [((4, 4), None), ((5, 4), None), ((4, 5), None), ((5, 5), None), ((6, 4), -24), ((4, 6), None)],
)
def test_published_values_of_small_boards(size: tuple[int, int], distance: int | None) -> None:
    """The outcomes are Tromp's (John's Connect Four Playground)."""
    truth = searched(MnkGame(*size, 4, True).start())
    expected = (Value.DRAW, size[0] * size[1]) if distance is None else (Value.LOSS, -distance)
    assert (truth.value, truth.distance) == expected


def test_a_table_that_grows_within_its_memory_saves_positions_and_gives_the_same_truth() -> None:
    """It takes one megabyte, then four."""
    position = random_position(MnkGame(6, 5, 4, True), 3, random.Random(1))
    least, too_little, enough = (
        solve(DropSolver(use_book=False, memory_mb=memory_mb, uses=1, threads=1), position) for memory_mb in (0, 3, 4)
    )
    assert least.nodes == too_little.nodes > enough.nodes
    assert result(least) == result(too_little) == result(enough)


def test_with_a_limit_on_nodes_the_same_positions_are_searched_each_time_while_the_table_grows() -> None:
    position = random_position(MnkGame(6, 5, 4, True), 3, random.Random(1))
    at_once, in_parts = (DropSolver(use_book=False, uses=1) for _ in range(2))
    at_once.start(position)
    assert at_once.advance(Limit(nodes=10_000_000))
    in_parts.start(position)
    while not in_parts.advance(Limit(nodes=in_parts.truth().nodes + 9_973)):
        pass
    assert in_parts.truth().nodes == at_once.truth().nodes
    assert result(in_parts.truth()) == result(at_once.truth())


def test_slices_of_any_size_never_take_back_what_they_said() -> None:
    start = MnkGame(4, 4, 4, True).start().play(MnkMove(0, 0))
    whole = searched(start)
    for step in (1, 77, 1000):
        solver, budget, progress = DropSolver(use_book=False), 0, 0.0
        solver.start(start)
        last = solver.truth()
        assert (last.value, solver.progress) == (Value.UNKNOWN, 0.0)
        while not solver.advance(Limit(nodes=budget)):
            now = solver.truth()
            assert now.nodes == budget
            assert progress <= solver.progress < 1.0
            for before, after, end in zip(last.moves, now.moves, whole.moves, strict=True):
                assert before.value in (Value.UNKNOWN, after.value)
                assert after.value in (Value.UNKNOWN, end.value)
                assert after.distance in (None, end.distance)
            assert now.value in (Value.UNKNOWN, whole.value)
            # Whoever knows the value can name a move.
            assert now.value is Value.UNKNOWN or now.best_moves
            last, budget, progress = now, budget + step, solver.progress
        assert result(solver.truth()) == result(whole)


def test_without_distances_it_stops_at_the_values() -> None:
    position = random_position(USUAL, 20, random.Random(3))
    all_of_it, values = searched(position), solve(DropSolver(distances=False), position)
    assert [each.value for each in values.moves] == [each.value for each in all_of_it.moves]
    assert values.nodes < all_of_it.nodes


def test_the_empty_board_is_known_at_once() -> None:
    """Allis and Allen, 1988; the distances as in every table since: the first player wins with the 41st stone."""
    truth = solve(DropSolver(), USUAL.start())
    assert (truth.value, truth.distance, truth.nodes) == (Value.WIN, 41, 0)
    known = [(Value.LOSS, 40), (Value.LOSS, 42), (Value.DRAW, 42), (Value.WIN, 41)]
    assert [(each.value, each.distance) for each in truth.moves] == [*known, *known[2::-1]]
    assert truth.explanation == "Red wins in 41 plies: known from the book of openings."


def test_openings_are_known_at_once_and_later_positions_in_moments() -> None:
    rng = random.Random(1)
    for plies in range(10):
        truth = solve(DropSolver(), random_position(USUAL, plies, rng))
        assert truth.nodes == 0
        assert truth.complete


@pytest.mark.parametrize("text", ["", "d d d d d d", "a a a a a a b", "d e d e"])
def test_values_in_the_book_follow_from_each_other(text: str) -> None:
    position = USUAL.start()
    for word in text.split():
        position = position.play(position.parse_move(word))
    truth = solve(DropSolver(), position)
    for each in truth.moves:
        after = position.play(each.move)
        later = solve(DropSolver(), after)
        assert (each.value, each.distance) == (later.value.reverse, 1 + (later.distance or 0))


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("d1 a1 d2 a2 d3 a3", "d", (Value.WIN, 1)),
        ("d1 d2 e1 e2 a1 a2 a3 a4", "cf", (Value.WIN, 3)),
        ("a1 d1 a2 e1 a3 a4 a5 a6 d2", "cf", (Value.WIN, 3)),
    ],
)
def test_wins_that_end_within_the_book_and_just_behind_it(text: str, columns: str, expected: tuple[Value, int]) -> None:
    """It has the positions with up to ten stones that are not over."""
    position = parse_position(f"{USUAL.text} {text}")
    assert isinstance(position, MnkPosition)
    truth = solve(DropSolver(), position)
    assert truth.nodes == 0
    for each in truth.moves:
        assert ((each.value, each.distance) == expected) == (each.move.text[0] in columns)


def test_the_book_is_what_the_search_finds() -> None:
    """Positions of the book that are quick to search; many more were proved when it was made (connect-four-book.md)."""
    rng, proved, saved = random.Random(2026), 0, 0
    while proved < 6:
        position = random_position(USUAL, 10, rng)
        solver = DropSolver(use_book=False)
        solver.start(position)
        if solver.advance(Limit(nodes=200_000)):
            known = solve(DropSolver(), position)
            assert result(solver.truth()) == result(known), position.text
            proved, saved = proved + 1, saved + solver.truth().nodes - known.nodes
    # Behind the book its scores are bounds.
    assert saved > 0


def test_a_book_is_written_and_read_and_wrong_scores_are_refused(tmp_path: Path) -> None:
    levels = [book.first_level()]
    while levels[-1].stones < 8:
        levels.append(book.next_level(levels[-1]))
    # As many as are published: positions up to mirror images are a little more than half of them.
    assert [len(level.keys) for level in levels] == [1, 4, 25, 121, 568, 2144, 8231, 27109, 91295]
    scores, others = book.decided(levels[-1])
    assert len(others) < len(scores)
    scores[others] = 3
    book.write(tmp_path / "x.book", levels[-1], scores)
    before = book.scores_before(levels[-2], levels[-1], scores)
    read = book.Book(tmp_path / "x.book")
    own, taken = (words.tolist() for words in levels[-2].split())
    for at in range(0, len(before), 997):
        assert read.score(own[at], taken[at]) == before[at]
    decided = next(at for at in range(len(scores)) if at not in set(others.tolist()))
    scores[decided] = 1
    with pytest.raises(ValueError, match="differ from what the next two stones decide"):
        book.write(tmp_path / "x.book", levels[-1], scores)


def test_two_threads_find_what_one_finds_and_are_gone_when_their_time_is_up() -> None:
    position, threads = random_position(USUAL, 14, random.Random(8)), set(threading.enumerate())
    together, step_s = DropSolver(use_book=False, threads=2), 0.01
    together.start(position)
    while not together.advance(Limit(time_s=together.truth().elapsed_s + step_s)):
        assert set(threading.enumerate()) == threads
    assert set(threading.enumerate()) == threads
    assert result(together.truth()) == result(solve(DropSolver(use_book=False, threads=1), position))


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="there is one thread on one processor")
@pytest.mark.usefixtures("signals_are_heard")
def test_ctrl_c_ends_both_threads() -> None:
    solver, seen = DropSolver(use_book=False, memory_mb=0), list[set[str]]()
    threads = set(threading.enumerate())
    solver.start(USUAL.start())

    def interrupt() -> None:
        until = time.monotonic() + 10
        while time.monotonic() < until and not seen:
            started = {each.name for each in set(threading.enumerate()) - threads - {threading.current_thread()}}
            seen.extend([started] if started else [])
            time.sleep(0.001)
        _thread.interrupt_main()

    interrupting = threading.Thread(target=interrupt)
    interrupting.start()
    with pytest.raises(KeyboardInterrupt):
        solver.advance(Limit())
    interrupting.join()
    assert seen == [{"nimdesk-solver_0"}]
    for left in set(threading.enumerate()) - threads:
        left.join(10)
        assert not left.is_alive()
