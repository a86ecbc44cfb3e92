"""A game in progress: playing, looking back, undoing against people and computers, what it keeps of a search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from synthetic import STARTS, games, make_snapshot, make_trace, new_game, same_snapshot

from nimdesk.agents import make_agent
from nimdesk.errors import IllegalMoveError, OptionError
from nimdesk.games import NimMove, Side, parse_position
from nimdesk.play import GameInProgress, Human, player_from_json, player_title, player_to_json

COMPUTER = make_agent("uct")


def play_texts(game: GameInProgress, *texts: str) -> GameInProgress:
    for text in texts:
        game.play(game.position.parse_move(text), by="Human")
    return game


def test_the_moves_given_with_the_start_position_are_plies_by_nobody() -> None:
    game = new_game("nim:1,3,5,7 2-3 1-1")
    assert [(ply.move.text, ply.by) for ply in game.plies] == [("2-3", ""), ("1-1", "")]
    assert (game.cursor, game.at_end, game.can_undo, game.can_redo) == (2, True, True, False)
    assert game.position_at(0).text == "nim:1,3,5,7"
    assert game.position.text == "nim:1,3,5,7 2-3 1-1"


def test_a_game_is_shown_by_its_position_and_turn() -> None:
    assert repr(new_game("nim:1,3,5,7 2-3")) == "<nim:1,3,5,7 2-3: Second to move>"


def test_a_move_after_going_back_ends_the_line_there() -> None:
    game = play_texts(new_game("mnk:3,3,3"), "a1", "b2", "c3")
    game.jump(1)
    play_texts(game, "c1")
    assert game.last_position.text == "mnk:3,3,3 a1 c1"
    assert game.at_end


def test_a_refused_move_changes_nothing() -> None:
    game = play_texts(new_game("nim:3,3"), "1-1", "1-1")
    game.jump(1)
    before = (game.plies, game.cursor, game.revision)
    with pytest.raises(IllegalMoveError):
        game.play(NimMove(0, 3), by="Human")
    with pytest.raises(ValueError, match="elapsed_s"):
        game.play(NimMove(0, 1), by="Human", elapsed_s=float("nan"))
    with pytest.raises(ValueError, match="the search is of"):
        game.play(NimMove(0, 1), by="MCTS", snapshot=make_snapshot(game.position_at(0)))
    assert (game.plies, game.cursor, game.revision) == before


@given(games(), st.data())
@settings(max_examples=50)
def test_looking_around_changes_nothing_that_is_saved(game: GameInProgress, data: st.DataObject) -> None:
    plies, revision, last = game.plies, game.revision, game.last_position.text
    for _ in range(data.draw(st.integers(0, 12))):
        before = game.cursor
        step = data.draw(st.sampled_from(["undo", "redo", "jump"]))
        if step == "undo":
            game.undo()
            assert game.cursor == max(before - 1, 0)
        elif step == "redo":
            game.redo()
            assert game.cursor == min(before + 1, len(plies))
        else:
            game.jump(data.draw(st.integers(0, len(plies))))
        assert game.position.moves == tuple(ply.move for ply in plies[: game.cursor])
        assert game.position is game.position_at(game.cursor)
    assert (game.plies, game.revision, game.last_position.text) == (plies, revision, last)


@given(games())
@settings(max_examples=30)
def test_every_position_follows_from_the_one_before(game: GameInProgress) -> None:
    for number, ply in enumerate(game.plies):
        assert game.position_at(number).play(ply.move) == game.position_at(number + 1)
        analysis = game.analysis(number + 1)
        assert analysis is None or analysis.position is game.position_at(number)
    assert game.analysis(0) is None


@pytest.mark.parametrize("cursor", [-1, 3])
def test_there_is_nothing_to_look_at_beyond_the_plies(cursor: int) -> None:
    game = new_game("nim:3,3 1-1 2-1")
    for look in (game.jump, game.position_at, game.analysis):
        with pytest.raises(ValueError, match="the game has 2"):
            look(cursor)


def test_the_revision_rises_with_moves_and_players_only() -> None:
    game = new_game("nim:3,3")
    seen = [game.revision]
    play_texts(game, "1-1")
    seen.append(game.revision)
    game.set_player(Side.SECOND, COMPUTER)
    seen.append(game.revision)
    assert seen == sorted(set(seen))
    game.set_player(Side.SECOND, COMPUTER)
    game.undo()
    game.redo()
    assert game.revision == seen[-1]


def test_the_player_to_move_follows_the_cursor_and_ends_with_the_game() -> None:
    game = new_game("nim:2", Human(), COMPUTER)
    assert game.player_to_move == Human()
    play_texts(game, "1-1")
    assert game.player_to_move == COMPUTER
    play_texts(game, "1-1")
    assert game.player_to_move is None


@pytest.mark.parametrize(
    ("first", "second", "plies", "target"),
    [
        (Human(), Human(), 3, 2),
        (COMPUTER, COMPUTER, 3, 2),
        (Human(), COMPUTER, 4, 2),  # a person's turn: back over the answer and the own move
        (Human(), COMPUTER, 3, 2),  # the computer is thinking: back to before the own move
        (Human(), COMPUTER, 1, 0),
        (COMPUTER, Human(), 3, 1),
        (COMPUTER, Human(), 2, 1),
        (COMPUTER, Human(), 1, 1),  # only the computer's first move: nothing to undo
        (Human(), COMPUTER, 0, 0),
    ],
)
def test_undo_goes_back_to_a_persons_turn(first: object, second: object, plies: int, target: int) -> None:
    game = play_texts(new_game("nim:21:max3", first, second), *["1-1"] * plies)  # type: ignore[arg-type]
    assert game.undo_target() == target


@given(games())
@settings(max_examples=50)
def test_undo_and_redo_are_each_others_inverse_where_a_person_stops(game: GameInProgress) -> None:
    people = [isinstance(player, Human) for player in game.players]
    stops = [n for n in range(len(game.plies) + 1) if people[n % 2] or not any(people)]
    for cursor in stops[1:]:
        game.jump(cursor)
        game.jump(game.undo_target())
        assert game.cursor in stops
        assert game.redo_target() == cursor
    game.jump(len(game.plies))
    assert game.redo_target() == len(game.plies)


def test_a_game_keeps_no_buffer_of_a_searcher() -> None:
    game = new_game("mnk:3,3,3")
    trace = make_trace(game.position, 10)
    buffer = np.zeros((10_000, 9), "uint32")
    buffer[:10] = trace.visits
    snapshot = replace(make_snapshot(game.position, 10), trace=replace(trace, visits=buffer[:10]))
    game.play(snapshot.best_move, by="MCTS", snapshot=snapshot)  # type: ignore[arg-type]
    buffer[:] = 0
    kept = game.analysis(1)
    assert kept is not None
    assert kept.trace is not None
    assert (kept.trace.visits == trace.visits).all()
    for name in ("iterations", "elapsed_s", "visits", "value_sum"):
        array = getattr(kept.trace, name)
        assert array.base is None
        assert not array.flags.writeable


def test_a_snapshot_that_breaks_its_contract_is_refused_in_words() -> None:
    position = parse_position("mnk:3,3,3")
    good = make_snapshot(position, 4)
    trace = good.trace
    assert trace is not None
    bad = {
        "every legal move once": replace(good, moves=good.moves[1:]),
        "one column for each": replace(good, trace=replace(trace, moves=trace.moves[::-1])),
        "must be \\(4, 9\\)": replace(good, trace=replace(trace, visits=trace.visits[:, 1:])),
        "must rise": replace(good, trace=replace(trace, iterations=trace.iterations[::-1])),
        "at most 1": replace(good, iterations=1),
        "do not fall": replace(good, trace=replace(trace, elapsed_s=trace.elapsed_s[::-1])),
        "value_sum must be": replace(good, trace=replace(trace, value_sum=trace.value_sum * float("nan"))),
        "mean value of a1": replace(good, moves=(replace(good.moves[0], mean_value=1.5), *good.moves[1:])),
        "seed": replace(good, seed=-1),
        "tree_nodes": replace(good, tree_nodes=-1),
    }
    for words, snapshot in bad.items():
        with pytest.raises(ValueError, match=words):
            new_game(position.text).play(position.legal_moves[0], by="MCTS", snapshot=snapshot)


@pytest.mark.parametrize("player", [Human(), COMPUTER, make_agent("random", {"seed": 3})])
def test_a_player_survives_json(player: object) -> None:
    assert player_from_json(player_to_json(player)) == player  # type: ignore[arg-type]


def test_players_have_titles() -> None:
    assert [player_title(player) for player in (Human(), COMPUTER)] == ["Human", "MCTS, textbook"]
    assert player_title(make_agent("mcts")) == "MCTS"


@pytest.mark.parametrize(
    "data",
    [None, [], "human", {}, {"player": "cat"}, {"player": "human", "agent": "uct"}, {"agent": "uct", "options": 3}],
)
def test_what_is_no_player_is_refused(data: object) -> None:
    with pytest.raises(OptionError):
        player_from_json(data)


@pytest.mark.parametrize("text", STARTS)
def test_a_kept_snapshot_is_otherwise_the_same(text: str) -> None:
    game = new_game(text)
    snapshot = make_snapshot(game.position, 6, seed=5)
    game.play(snapshot.moves[0].move, by="MCTS", snapshot=snapshot)
    assert same_snapshot(game.analysis(1), snapshot)
