"""The contract that every game keeps, run on every game: rules as immutable values, and a notation that round-trips."""

import copy
import pickle
import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise

import pytest
from example_packages import example_site, installed

from nimdesk.errors import IllegalMoveError, NimdeskError
from nimdesk.games import (
    AnyPosition,
    Game,
    MnkGame,
    MnkMove,
    Move,
    NimGame,
    NimMove,
    Side,
    parse_game,
    parse_position,
    presets,
)
from nimdesk.games.base import describe_move, describe_outcome, describe_turn
from nimdesk.games.kit import kernel_of, kit_of
from nimdesk.plugins.kernel_check import check_kernel

KAYLES = example_site("kayles")
with installed(KAYLES):
    THIRD_PARTY = [parse_game(text) for text in ("kayles:3,4,5", "kayles:1", "kayles:30,1,12")]

GAMES: list[Game] = [
    *THIRD_PARTY,
    *(preset.game for preset in presets()),
    NimGame((1,)),
    NimGame((1,), misere=True),
    NimGame((127,)),
    NimGame((127, 100), max_take=5),
    NimGame((1, 3, 5, 7), misere=True),
    NimGame((3, 4, 5), max_take=1),
    NimGame((3, 4, 5), max_take=64),
    NimGame((9, 9), max_take=4, misere=True),
    NimGame((21,), max_take=3, misere=True),
    NimGame((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)),
    NimGame((64,) * 12, max_take=64),
    parse_game("take:0.77:5,3+wythoff:2,3:misere"),
    parse_game("take:4.07:9,4"),
    MnkGame(1, 1, 1),
    MnkGame(1, 1, 1, gravity=True),
    MnkGame(3, 3, 1),
    MnkGame(5, 1, 2),
    MnkGame(1, 5, 2),
    MnkGame(1, 5, 3, gravity=True),
    MnkGame(3, 5, 5),
    MnkGame(5, 3, 4),
    MnkGame(2, 2, 2),
    MnkGame(5, 4, 3, gravity=True),
    MnkGame(19, 2, 19, gravity=True),
    MnkGame(20, 20, 5),
    MnkGame(3, 3, 5),
    MnkGame(6, 5, 3, exact=True),
    MnkGame(6, 5, 3, gravity=True, exact=True),
]

# Moves of both kinds, legal here and there, and far outside every board.
PROBES: list[Move] = [
    *(NimMove(pile, take) for pile in (-1, 0, 1, 11, 12) for take in (-1, 0, 1, 2, 64, 65)),
    *(MnkMove(column, row) for column in (-1, 0, 1, 2, 18, 19) for row in (-1, 0, 1, 2, 18, 19)),
]


@cache
def longest(game: Game) -> int:
    """How many plies a game can last at most, as its kernel promises the searches; rules alone promise nothing."""
    kernel = kit_of(game).kernel
    return 1_000 if kernel is None else kernel.longest_game(game.start())


@cache
def playout(game: Game, seed: int) -> list[AnyPosition]:
    """Every position of a random game, from the start to the end (or to a ply beyond the bound)."""
    random_state = random.Random(seed)
    positions: list[AnyPosition] = [game.start()]
    while positions[-1].legal_moves and len(positions) <= longest(game) + 1:
        positions.append(positions[-1].play(random_state.choice(positions[-1].legal_moves)))
    return positions


def some(positions: list[AnyPosition]) -> list[AnyPosition]:
    """The first three, the last three and every seventeenth position: for checks that are slow on big boards."""
    wanted = {0, 1, 2, *range(0, len(positions), 17), *range(max(0, len(positions) - 3), len(positions))}
    return [position for index, position in enumerate(positions) if index in wanted]


@pytest.fixture(autouse=True, scope="module")
def _third_party_games() -> Iterator[None]:
    with installed(KAYLES):
        yield


@pytest.fixture(params=GAMES, ids=lambda game: game.text)
def game(request: pytest.FixtureRequest) -> Game:
    chosen: Game = request.param
    return chosen


@pytest.fixture(params=[1, 2])
def positions(request: pytest.FixtureRequest, game: Game) -> list[AnyPosition]:
    return playout(game, request.param)


def test_the_games_are_varied_and_all_different() -> None:
    assert len(set(GAMES)) == len(GAMES) == len({game.text for game in GAMES})


def test_the_start_is_the_first_players_turn_and_nothing_played(game: Game) -> None:
    start = game.start()
    assert start.game == game
    assert (start.moves, start.ply, start.turn, start.outcome) == ((), 0, Side.FIRST, None)
    assert start == game.start()


def test_a_game_ends_within_its_bound(game: Game, positions: list[AnyPosition]) -> None:
    assert positions[-1].outcome is not None
    assert positions[-1].ply <= longest(game)


def test_there_are_legal_moves_exactly_while_the_game_goes_on(positions: list[AnyPosition]) -> None:
    assert [bool(position.legal_moves) for position in positions] == [True] * (len(positions) - 1) + [False]
    assert [position.outcome is None for position in positions] == [True] * (len(positions) - 1) + [False]


def test_legal_moves_are_distinct_and_in_a_fixed_order(positions: list[AnyPosition]) -> None:
    for position in positions:
        assert len(set(position.legal_moves)) == len(position.legal_moves)
        assert len({move.text for move in position.legal_moves}) == len(position.legal_moves)
        assert type(position.legal_moves) is tuple
        assert parse_position(position.game.text).legal_moves == position.game.start().legal_moves


def test_turns_alternate_and_moves_are_recorded(positions: list[AnyPosition]) -> None:
    for ply, position in enumerate(positions):
        assert position.ply == ply
        assert position.turn == (Side.FIRST if ply % 2 == 0 else Side.SECOND)
        assert position.turn.other != position.turn
    for before, after in pairwise(positions):
        assert after.moves[:-1] == before.moves
        assert after.moves[-1] in before.legal_moves
        assert after.game is before.game


def test_play_leaves_the_position_as_it_was(positions: list[AnyPosition]) -> None:
    for position in some(positions):
        before = (position.text, position.turn, position.legal_moves, position.outcome, hash(position))
        children = [position.play(move) for move in position.legal_moves[:40]]
        assert (position.text, position.turn, position.legal_moves, position.outcome, hash(position)) == before
        assert position not in children


def test_nothing_of_a_position_can_be_set_or_deleted(positions: list[AnyPosition]) -> None:
    for position in (positions[0], positions[len(positions) // 2], positions[-1]):
        names = {name for name in dir(position) if not name.startswith("__")} | {"something_new"}
        assert {"legal_moves", "outcome", "turn", "moves", "game"} <= names
        for name in names:
            with pytest.raises(AttributeError):
                setattr(position, name, None)
            with pytest.raises(AttributeError):
                delattr(position, name)
        assert position == parse_position(position.text)


def test_games_moves_and_outcomes_are_frozen(game: Game, positions: list[AnyPosition]) -> None:
    outcome = positions[-1].outcome
    for value in (game, outcome, positions[-1].moves[0]):
        for name in value.__struct_fields__:
            with pytest.raises(AttributeError):
                setattr(value, name, None)


def test_copies_and_pickles_are_equal(positions: list[AnyPosition]) -> None:
    for position in (positions[0], positions[-1]):
        for twin in (copy.copy(position), copy.deepcopy(position), pickle.loads(pickle.dumps(position))):
            assert twin == position
            assert hash(twin) == hash(position)
            assert twin.text == position.text
            assert twin.legal_moves == position.legal_moves
            assert twin.outcome == position.outcome


def test_an_illegal_move_raises_and_says_what_is_legal(positions: list[AnyPosition]) -> None:
    for position in some(positions):
        legal = position.legal_moves
        refused = [move for move in PROBES if move not in legal]
        assert refused
        for move in refused:
            with pytest.raises(IllegalMoveError) as caught:
                position.play(move)
            message = str(caught.value)
            assert move.text in message
            if position.outcome is not None:
                assert message.endswith("the game is over.")
            elif len(legal) <= 12:
                assert message.endswith(f"Legal moves: {', '.join(each.text for each in legal)}.")
            else:
                first = ", ".join(each.text for each in legal[:10])
                assert message.endswith(f"Legal moves: {first}, … ({len(legal)} in all).")


def test_a_move_that_is_legal_is_never_refused(positions: list[AnyPosition]) -> None:
    for position in some(positions):
        for move in position.legal_moves:
            assert position.play(move).moves == (*position.moves, move)


def test_moves_and_positions_round_trip_through_text(positions: list[AnyPosition]) -> None:
    for position in some(positions):
        again = parse_position(position.text)
        assert again == position
        assert hash(again) == hash(position)
        assert again.text == position.text
        assert again.moves == position.moves
        assert repr(position) == f"<{position.text}>"
        for move in position.legal_moves:
            assert position.parse_move(move.text) == move


def test_games_round_trip_through_text(game: Game) -> None:
    assert parse_game(game.text) == game
    assert parse_game(f"  {game.text}\n").text == game.text
    assert hash(parse_game(game.text)) == hash(game)


def test_a_different_game_is_a_different_position(game: Game) -> None:
    assert [other.text for other in GAMES if other.start() == game.start()] == [game.text]
    assert game.start() != game.text


def test_equality_and_hash_are_by_state_not_by_history(game: Game) -> None:
    """Two moves of the first player in either order, around the same reply, lead to the same position."""
    found = 0
    for seed in range(30 if len(playout(game, 0)) < 50 else 2):
        line = playout(game, seed)[-1].moves
        for start in range(min(len(line) - 2, 6)):
            one, reply, two = line[start : start + 3]
            swapped = (*line[:start], two, reply, one)
            if swapped == line[: start + 3]:
                continue
            position, other = game.start(), game.start()
            try:
                for move in swapped:
                    other = other.play(move)
            except NimdeskError:
                continue  # with gravity, or on an almost empty pile, the other order need not be legal
            for move in line[: start + 3]:
                position = position.play(move)
            found += 1
            assert position.moves != other.moves
            assert position == other
            assert hash(position) == hash(other)
            assert set(position.legal_moves) == set(other.legal_moves)
            assert position.outcome == other.outcome
            assert len({position, other}) == 1
    too_small = {
        "nim:1",
        "nim:1:misere",
        "mnk:1,1,1",
        "mnk:1,1,1:gravity",
        "mnk:3,3,1",
        "mnk:1,5,3:gravity",
        "kayles:1",
        "take:wythoff:5,8",  # moves name the sizes of heaps, which are others then
    }
    assert (found > 0) == (game.text not in too_small), "a game in which no two such orders are legal is named here"


@pytest.mark.parametrize("text", [preset.game.text for preset in presets() if kit_of(preset.game).kernel])
def test_compiled_rules_are_the_rules(text: str) -> None:
    game = parse_game(text)
    check_kernel(kernel_of(game), game.start(), seconds=0.2, games=3)


def test_the_outcome_is_a_win_or_a_draw_and_its_scores_sum_to_one(positions: list[AnyPosition]) -> None:
    last = positions[-1]
    outcome = last.outcome
    assert outcome is not None
    scores = [outcome.score(side) for side in Side]
    assert sum(scores) == 1.0
    assert (outcome.winner is None) == (scores == [0.5, 0.5])
    assert outcome.winner is None or outcome.score(outcome.winner) == 1.0
    assert last.winner == outcome.winner
    assert all(position.winner is None for position in positions[:-1])


def test_a_finished_game_is_over_for_every_move(positions: list[AnyPosition]) -> None:
    for move in {move for position in positions for move in position.legal_moves[:20]}:
        with pytest.raises(IllegalMoveError, match=r"the game is over\.$"):
            positions[-1].play(move)


def test_every_state_can_be_said_in_words(game: Game, positions: list[AnyPosition]) -> None:
    names = [game.side_name(side) for side in Side]
    assert len(set(names)) == 2
    for position in positions[:-1]:
        assert describe_turn(position) == f"{names[position.turn]} to move"
        with pytest.raises(ValueError, match="is not over"):
            describe_outcome(position)
    last = positions[-1]
    words = describe_outcome(last)
    assert describe_turn(last) == words
    assert words.startswith("Draw: " if last.winner is None else f"{names[last.winner]} wins: ")
    for move in last.moves:
        assert describe_move(move)
        assert "\n" not in describe_move(move)
    for text in (game.title, game.rules_text, words):
        assert text == text.strip()
        assert len(text) > 3
    assert game.rules_text.endswith(".")


FOREIGN: list[tuple[str, Callable[[], Move]]] = [
    ("nim:3,4,5", lambda: MnkMove(1, 1)),
    ("mnk:3,3,3", lambda: NimMove(1, 1)),
]


@pytest.mark.parametrize(("text", "make_move"), FOREIGN)
def test_a_move_of_another_game_is_illegal(text: str, make_move: Callable[[], Move]) -> None:
    with pytest.raises(IllegalMoveError, match=r"it is not a move of .*Legal moves: "):
        parse_position(text).play(make_move())


class Bare(Game, frozen=True):
    """A game of which nothing is written yet."""


class BareMove(Move):
    """A move that does not say that it is frozen."""

    take: int


class BareGame(Game):
    """A game that does not say that it is frozen."""

    size: int


def test_games_and_moves_of_a_new_kind_are_values_without_saying_so() -> None:
    for kind in (BareMove, BareGame):
        value = kind(3)
        assert (value, hash(value)) == (kind(3), hash(kind(3)))
        with pytest.raises(AttributeError):
            setattr(value, value.__struct_fields__[0], 4)


@pytest.mark.parametrize(
    "needed",
    [lambda: Bare().text, lambda: Bare.parse(""), Bare().start, lambda: Move().text],
    ids=["text", "parse", "start", "move"],
)
def test_what_a_new_game_needs_has_no_default(needed: Callable[[], object]) -> None:
    with pytest.raises(NotImplementedError):
        needed()
