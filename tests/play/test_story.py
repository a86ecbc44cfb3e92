"""What is told of a whole game: its moves with their variations, the curve of its worth, and its end."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from synthetic import games, make_snapshot, new_game, trees

from nimdesk.games import NimPosition, Side
from nimdesk.games.nim.theory import solve_nim
from nimdesk.games.truth import Truth, Value
from nimdesk.play import GameInProgress, Node
from nimdesk.play.moment import Judged, Known
from nimdesk.play.story import Curve, curve_of, rows_of, story
from nimdesk.search.worth import Worth


def nodes_of(game: GameInProgress) -> list[Node]:
    return [node for row in rows_of(game) for node in row.folded or (row.node,)]


@given(trees())
def test_every_move_of_the_line_has_a_row_and_no_move_has_two(game: GameInProgress) -> None:
    found = nodes_of(game)
    assert len(found) == len({id(node) for node in found})
    assert {id(node) for node in game.line} <= {id(node) for node in found}
    told = story(game, Known())
    row = told.rows[told.current]
    assert (row.node, row.folded) == (game.node, ())


@given(trees())
def test_a_story_is_a_value_that_is_another_once_the_game_is(game: GameInProgress) -> None:
    told = story(game, Known())
    assert told == story(game, Known())
    assert hash(told) == hash(story(game, Known()))
    if game.cursor:
        game.jump(game.cursor - 1)
        assert story(game, Known()) != told


def test_a_search_that_is_read_later_than_its_move_changes_the_story() -> None:
    game = new_game("nim:3,4,5")
    before = game.position
    game.play(before.legal_moves[0], by="MCTS")
    told = story(game, Known())
    game.add_search(game.node, make_snapshot(before, 5))
    later = story(game, Known())
    assert later.rows == told.rows
    assert later != told


@given(games(), st.data())
def test_the_two_sides_see_the_same_curve_upside_down(game: GameInProgress, data: st.DataObject) -> None:
    ours, theirs = (curve_of(game, (), side) for side in Side)
    cursor = data.draw(st.integers(0, len(game.plies)))
    (score, exact), (other, as_exact) = ours.score(cursor), theirs.score(cursor)
    assert exact == as_exact
    assert (score is None) == (other is None)
    if score is not None and other is not None:
        assert abs(score + other - 1) < 1e-9


def test_a_curve_says_what_is_proven_before_what_is_estimated() -> None:
    game = new_game("nim:3,4,5")
    start = game.position
    assert isinstance(start, NimPosition)
    game.play(start.legal_moves[0], by="MCTS", snapshot=make_snapshot(start, 5))
    proven: tuple[Truth | None, ...] = (solve_nim(start), None)
    curve = curve_of(game, proven, Side.SECOND)
    assert curve.score(0) == (0.0, True)
    assert curve.words(0) == "The start: expected score for Second 0.00 (proven)"
    assert curve_of(new_game("nim:3,4,5"), (), Side.FIRST).words(0) == "The start: not searched"


def test_a_verdict_belongs_to_a_move_of_the_line_looked_at_alone() -> None:
    game = new_game("nim:3,4,5")
    first, second, *_ = game.position.legal_moves
    game.play(first, by="Human")
    variation = game.node
    game.jump(0)
    game.play(second, by="Human")
    verdict = Judged(Value.WIN, Value.LOSS, "It gave the win away.")
    told = story(game, Known(judged=(verdict,)))
    assert told.judged_at(game.node) == verdict
    assert told.judged_at(variation) is None
    assert told.judged_at(game.root) is None
    assert replace(told, judged=None).judged_at(game.node) is None


def test_a_person_is_addressed_inside_a_sentence() -> None:
    curve = Curve(names=("You", "O"), worths=(Worth(0.5, exact=False),))
    assert curve.words(0) == "The start: expected score for you 0.50 (estimated)"
