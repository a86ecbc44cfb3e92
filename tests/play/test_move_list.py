"""The list of the moves: who stands beside whom, and what is said of each move."""

from __future__ import annotations

from nimdesk.games import Side, parse_position
from nimdesk.games.truth import Value
from nimdesk.play import GameInProgress, Human
from nimdesk.play.moment import Judged, Known
from nimdesk.play.move_list import ListRow, evaluation, judgement, list_rows
from nimdesk.play.review import reviewer
from nimdesk.play.story import MovesRow, story

PEOPLE = (Human(), Human())


def played(text: str, moves: str) -> GameInProgress:
    game = GameInProgress(parse_position(text), PEOPLE)
    for move in moves.split():
        game.play(game.position.parse_move(move), by="Human")
    return game


def text(place: MovesRow | None) -> str:
    return "" if place is None or place.node.ply is None else place.node.ply.move.text


def shape(rows: tuple[ListRow, ...]) -> list[tuple[object, ...]]:
    return [(row.number, "…") if row.folded else (row.number, text(row.moves[0]), text(row.moves[1])) for row in rows]


def listed(game: GameInProgress) -> list[tuple[object, ...]]:
    return shape(list_rows(story(game, Known()).rows))


def test_a_reply_stands_beside_its_move_under_the_number_of_the_first() -> None:
    game = played("mnk:3,3,3", "b2 a1 c3")
    assert listed(game) == [(1, "b2", "a1"), (3, "c3", "")]
    assert listed(played("mnk:3,3,3", "")) == []


def test_a_variation_comes_between_and_the_game_goes_on_in_its_columns() -> None:
    game = played("mnk:3,3,3", "b2 a1 c3")
    game.look_at(game.root)
    game.play(game.position.parse_move("a3"), by="Human")
    game.play(game.position.parse_move("b2"), by="Human")
    assert listed(game) == [(1, "b2", ""), (1, "a3", "b2"), (2, "", "a1"), (3, "c3", "")]
    game.look_at(game.root.onward[-1])
    assert listed(game) == [(1, "b2", ""), (1, "…"), (2, "", "a1"), (3, "c3", "")]


class _Turn:
    def __init__(self, turn: Side, ply: int) -> None:
        self.turn, self.ply = turn, ply


class _Place:
    """A place of a game in which a side may move twice, as far as the list looks at it."""

    def __init__(self, parent: _Place | None, turn: Side) -> None:
        self.parent, self.ply, self.children = parent, None, ()
        self.position: _Turn = _Turn(turn, 0 if parent is None else parent.position.ply + 1)


def test_a_side_that_moves_twice_has_two_rows() -> None:
    places = [_Place(None, Side.FIRST)]
    for turn in (Side.FIRST, Side.SECOND, Side.SECOND, Side.FIRST):
        places.append(_Place(places[-1], turn))
    rows = list_rows(MovesRow(place, 0) for place in places)  # type: ignore[arg-type]
    assert [(row.number, *(move is not None for move in row.moves)) for row in rows] == [
        (1, True, False),
        (2, True, True),
        (4, False, True),
    ]


def test_lost_anyway_is_a_dash_and_a_mistake_an_arrow() -> None:
    game = played("nim:3,4,5", "1-2 3-1 2-4")
    win, loss = Value.WIN, Value.LOSS
    judged = tuple(Judged(before, after, "") for before, after in ((win, win), (loss, loss), (win, loss)))
    told = story(game, Known(judged=judged))
    marks = [judgement(told, row.node) for row in told.rows[1:]]
    assert marks == [("✓", win), ("–", None), ("✓ → ✗", loss)]


def test_a_review_gives_marks_and_worths_to_the_side_that_moved() -> None:
    game = played("nim:3,4,5", "1-2 3-1 2-4")
    moves = [(ply.move, ply.by) for ply in game.plies]
    reviewed = sorted(reviewer(200).moves(game.positions, moves), key=lambda each: each.ply)
    told = story(game, Known(reviewed=tuple(reviewed)))
    assert [judgement(told, row.node)[0] for row in told.rows[1:]] == ["", "", "??"]
    assert [evaluation(told, row.node) for row in told.rows[1:]] == ["wins", "loses", "loses"]
    unreviewed = story(game, Known())
    assert {evaluation(unreviewed, row.node) for row in unreviewed.rows} == {""}
