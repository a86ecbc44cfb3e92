"""The six opponents for people: what each sees, that chance comes from the seed alone, and that every game has them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from example_packages import example_site, installed
from solving import solve

from nimdesk.agents import DEFAULT_LEVEL, LEVELS, Level, make_agent
from nimdesk.agents.levels import PICTURE, LevelSearcher
from nimdesk.games import AnyPosition, Move, Side, parse_position
from nimdesk.games.kit import keeps_win
from nimdesk.games.truth import Value
from nimdesk.search import Limit, Snapshot, StopReason

TRAPS = Path(__file__).with_name("connect_four_traps.json")
RESOURCES = Path(__file__).resolve().parents[2] / "resources"
SEEDS = range(12)
BEST = LEVELS[-1]
by_name = pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)


@pytest.fixture
def _kayles() -> Iterator[None]:
    """A game that has its rules, and nothing else."""
    with installed(example_site("kayles")):
        yield


def searched(level: Level, position: AnyPosition, seed: int) -> Snapshot:
    searcher = make_agent(level.name).new_searcher(position)
    searcher.start(position, seed)
    searcher.advance(Limit())
    return searcher.snapshot()


def played(level: Level, position: AnyPosition, seed: int) -> Move:
    move = searched(level, position, seed).best_move
    assert move is not None
    return move


def game(first: Level, second: Level, position: AnyPosition, seed: int) -> AnyPosition:
    """The end of a game."""
    while position.outcome is None:
        level = first if position.turn is Side.FIRST else second
        position = position.play(played(level, position, seed))
    return position


@pytest.mark.usefixtures("_kayles")
@pytest.mark.parametrize("level", LEVELS[2:], ids=lambda level: level.name)
@pytest.mark.parametrize(
    ("text", "wins"),
    [
        ("mnk:3,3,3 a1 a2 b1 b2", "c1"),
        ("mnk:7,6,4:gravity d1 a1 d2 a2 d3 a3", "d4"),
        ("mnk:15,15,5 h8 a15 i8 o15 j8 o1 k8 a1", "g8 l8"),
        ("nim:5", "1-5"),
        ("kayles:2", "1-1+2"),
    ],
)
def test_from_the_third_level_on_a_win_in_one_move_is_taken(level: Level, text: str, wins: str) -> None:
    position = parse_position(text)
    assert {played(level, position, seed).text for seed in SEEDS} <= set(wins.split())


@pytest.mark.parametrize(
    ("text", "stops"),
    [
        ("mnk:7,6,4:gravity d1 a1 d2 a2 d3", "d4"),
        ("mnk:15,15,5 h8 g8 i8 a15 j8 o15 k8", "l8"),
        ("mnk:15,15,5 h8 a15 i9 o15 j10 o1 l12", "k11"),
    ],
)
@pytest.mark.parametrize("level", LEVELS[3:], ids=lambda level: level.name)
def test_from_the_fourth_level_on_a_threat_is_met_where_games_are_long(level: Level, text: str, stops: str) -> None:
    position = parse_position(text)
    seeds = SEEDS[:1] if level is BEST else SEEDS[:6]  # it takes seconds, and the dice have no say
    assert {played(level, position, seed).text for seed in seeds} == {stops}


@by_name
def test_the_same_seed_plays_the_same_move_however_the_search_is_cut(level: Level) -> None:
    position = parse_position("mnk:5,5,4 c3")
    for seed in range(4):
        searcher = make_agent(level.name).new_searcher(position)
        searcher.start(position, seed)
        while searcher.advance(Limit(iterations=searcher.snapshot().iterations + 97)) is None:
            pass
        assert searcher.snapshot().best_move == played(level, position, seed)


@pytest.mark.usefixtures("_kayles")
@pytest.mark.parametrize("level", LEVELS[:5], ids=lambda level: level.name)
def test_the_curves_may_go_on_and_the_move_stays_that_of_the_budget(level: Level) -> None:
    for text in ("mnk:7,6,4:gravity", "mnk:7,6,4:gravity d1 d2", "mnk:3,3,3 b2", "nim:1,3,5,7 4-2", "kayles:5,3"):
        position = parse_position(text)
        for seed in range(2):
            searcher = LevelSearcher(level)
            searcher.start(position, seed)
            reason = searcher.advance(Limit())
            before = searcher.snapshot()
            assert before.chosen_after is None
            while not searcher.illustrate(Limit(iterations=searcher.snapshot().iterations + 300)):
                pass
            after = searcher.snapshot()
            assert (after.best_move, after.comment, after.stopped) == (before.best_move, before.comment, reason)
            assert searcher.advance(Limit()) is reason
            if reason is StopReason.ITERATIONS and before.iterations < PICTURE:
                assert after.chosen_after == before.iterations
                assert after.iterations == PICTURE or after.proven is not None
            else:
                assert after.iterations == before.iterations


@pytest.mark.parametrize("level", LEVELS[:5], ids=lambda level: level.name)
def test_curves_beyond_the_choice_are_those_of_the_same_search_without_dice(level: Level) -> None:
    """So a record can be made again: its curves from its seed and iterations, its move from the level's own budget."""
    position = parse_position("mnk:7,6,4:gravity d1")
    for seed in range(2):
        searcher = LevelSearcher(level)
        searcher.start(position, seed)
        searcher.advance(Limit())
        searcher.illustrate(Limit())
        shown = searcher.snapshot()
        plain = make_agent("mcts", {"iterations": shown.iterations}).new_searcher(position)
        plain.start(position, seed)
        plain.advance(Limit())
        alone = plain.snapshot()
        assert shown.trace is not None
        assert alone.trace is not None
        for name in ("iterations", "visits", "value_sum", "choice"):
            assert (getattr(shown.trace, name) == getattr(alone.trace, name)).all(), name
        assert shown.leader == alone.best_move


@by_name
def test_a_level_shows_the_curves_of_its_search_and_its_own_name(level: Level) -> None:
    position = parse_position("mnk:7,6,4:gravity d1")
    snapshot = searched(level, position, 1)
    assert snapshot.agent == level.name
    assert snapshot.total_visits == level.habits(position.game).iterations
    assert snapshot.trace is not None
    assert snapshot.trace.visits[-1].tolist() == [stats.visits for stats in snapshot.moves]


@by_name
def test_a_move_that_is_not_the_most_visited_one_says_why(level: Level) -> None:
    for text in ("nim:1,3,5,7 4-1", "mnk:3,3,3 b2", "mnk:7,6,4:gravity d1"):
        position, reasons = parse_position(text), ("On purpose not", "Chosen at random among", "In binary the piles")
        for seed in SEEDS:
            snapshot = searched(level, position, seed)
            plain = make_agent("mcts", {"iterations": level.habits(position.game).iterations}).new_searcher(position)
            plain.start(position, seed)
            plain.advance(Limit())
            own = snapshot.best_move == plain.snapshot().best_move
            assert own or snapshot.comment.startswith(reasons)


def test_the_best_plays_nim_by_theory_and_tic_tac_toe_without_a_loss() -> None:
    nim = parse_position("nim:12,31,57,64,9,40")
    after = nim.play(played(BEST, nim, 0))
    assert searched(BEST, after, 1).comment.startswith("In binary")
    assert game(BEST, LEVELS[4], parse_position("mnk:3,3,3"), 0).winner is not Side.SECOND
    assert game(LEVELS[4], BEST, parse_position("mnk:3,3,3"), 0).winner is not Side.FIRST
    proven = searched(BEST, parse_position("mnk:3,3,3 b2"), 0)
    assert next(each for each in proven.moves if each.move == proven.best_move).proven is Value.DRAW


def test_the_best_gives_nothing_away_where_connect_four_has_a_trap() -> None:
    """Positions of random games in which a move of a good search gave the value away, by a solver of others."""
    for number, trap in enumerate(json.loads(TRAPS.read_text())[::3]):
        snapshot = searched(BEST, parse_position(trap["position"]), number)
        assert snapshot.best_move is not None
        assert snapshot.best_move.text in trap["keep"], trap
        assert snapshot.proven is Value(trap["value"]), trap
        assert snapshot.stopped is StopReason.COMPLETE


@pytest.mark.parametrize(
    ("text", "keep"),
    [
        ("take:0.07:8,6+wythoff:2,3", None),
        ("take:{1,3,4}:10,12", None),
        ("nim:3,4,5", "1-2"),
        ("mnk:5,5,4", None),
    ],
)
def test_the_best_plays_by_any_exact_source(text: str, keep: str | None) -> None:
    position = parse_position(text)
    truth = solve(position, 60.0)
    for seed in (4335782017188859839, 2, 3):
        snapshot = searched(BEST, position, seed)
        assert snapshot.best_move in (truth.quickest_moves or truth.best_moves)
        assert keep in (None, snapshot.best_move.text)
        assert (snapshot.proven, snapshot.distance) == (truth.value, truth.distance)


def test_the_best_plays_a_win_by_threats_that_its_search_does_not_find() -> None:
    """After 270,000 simulations alone it would play j7, and have proven nothing."""
    position = parse_position("mnk:15,15,5 i9 h9 j6 i10 h8 j10 g8 i8 h10 j8")
    snapshot = searched(BEST, position, 1)
    assert snapshot.best_move is not None
    assert (snapshot.proven, snapshot.stopped) == (Value.WIN, StopReason.COMPLETE)
    assert keeps_win(position, snapshot.best_move)
    stats = snapshot.stats_of(snapshot.best_move)
    assert stats is not None
    end = position
    for move in stats.principal_variation:
        end = end.play(move)
    assert end.winner is position.turn


def test_the_best_opens_an_empty_board_in_the_middle() -> None:
    assert played(BEST, parse_position("mnk:15,15,5"), 1).text == "h8"


def test_of_a_move_that_only_the_exact_source_knows_no_line_is_told() -> None:
    """The search below may not have found out; its line would give the value away."""
    position = parse_position("take:0.6:22,10,6")
    known = searched(BEST, position, 3)
    assert known.proven is Value.LOSS
    search = make_agent("mcts", {"iterations": known.iterations}).new_searcher(position)
    search.start(position, 3)
    search.advance(Limit())
    own = [stats.proven for stats in search.snapshot().moves]
    assert {None, Value.LOSS} == set(own)
    assert [len(stats.principal_variation) > 1 for stats in known.moves if stats.visits] == [
        found is not None for found, stats in zip(own, known.moves, strict=True) if stats.visits
    ]


@pytest.mark.usefixtures("_kayles")
@by_name
def test_rules_alone_are_enough_for_an_opponent(level: Level) -> None:
    assert game(level, DEFAULT_LEVEL, parse_position("kayles:3,2"), 5).outcome is not None


def test_a_level_leaves_nothing_to_choose_but_its_seed() -> None:
    for level in LEVELS:
        agent = make_agent(level.name, {"seed": 3})
        assert [field.name for field in agent.info.fields] == ["seed"]
        assert agent.info.group == "Levels"
        assert level.title in agent.info.title
        assert agent.depends_on_speed(parse_position("mnk:15,15,5")) is False


def test_the_published_table_was_made_with_these_levels() -> None:
    published = (RESOURCES / "levels.md").read_text(encoding="utf-8").splitlines()
    assert [row for row in published if row.startswith(tuple(f"| {level.number} " for level in LEVELS))] == [
        f"| {level.number} {level.title} | {size} | {habits.iterations:,} | {habits.slips:.1%} | {habits.lively:.0%} | "
        f"{'yes' if habits.sees_wins else 'no'} | {'yes' if habits.sees_threats else 'no'} |"
        for level in LEVELS
        for size, habits in (("16 moves", level.tiny), ("30 moves", level.short), ("any number", level.long))
    ]


@pytest.mark.parametrize("higher", LEVELS[2:], ids=lambda level: level.name)
def test_a_level_beats_the_one_below(higher: Level) -> None:
    """With these seeds, so by no chance; ``resources/levels.md`` has the real figures."""
    lower, start = LEVELS[higher.number - 2], parse_position("nim:1,3,5,7 4-2")
    points = 0.0
    for seed in range(20):
        points += game(higher, lower, start, seed).outcome.score(Side.FIRST)  # type: ignore[union-attr]
        points += game(lower, higher, start, seed).outcome.score(Side.SECOND)  # type: ignore[union-attr]
    assert points >= 24
