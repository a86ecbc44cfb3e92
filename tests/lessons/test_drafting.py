"""A review becomes a lesson whose questions are what was missed, and whose right answers are what the review says."""

from __future__ import annotations

from msgspec.structs import replace

from nimdesk.games import parse_position
from nimdesk.lessons import judge
from nimdesk.lessons.drafting import lesson_of_review
from nimdesk.lessons.files import lesson_bytes, lesson_from
from nimdesk.lessons.model import ChoiceTask, MoveTask
from nimdesk.play import GameInProgress, Human
from nimdesk.play.move_review import Mark, MoveReview
from nimdesk.play.review import reviewer


def reviewed(text: str) -> tuple[GameInProgress, list[MoveReview]]:
    game = GameInProgress(parse_position(text), (Human(), Human()))
    played = [(ply.move, ply.by) for ply in game.plies]
    return game, list(reviewer(150).moves(game.positions, played))


def test_every_missed_move_is_asked_and_the_one_that_was_played_is_wrong() -> None:
    game, moves = reviewed("nim:3,4,5 1-1 2-2 3-1 2-2 3-2 1-1 3-2 1-1")
    lesson = lesson_of_review(game, moves)
    assert lesson_from(lesson_bytes(lesson)) == lesson
    missed = sorted((each for each in moves if each.mark is not Mark.NONE), key=lambda each: each.ply)
    assert len(missed) == 5
    assert len(lesson.steps) == 1 + len(missed)
    for number, move in enumerate(missed, 2):
        assert isinstance(lesson.steps[number - 1].task, MoveTask)
        assert judge(lesson.at(number), move.best[0].text).right
        assert not judge(lesson.at(number), move.move.text).right


def test_where_nothing_is_proven_a_person_chooses_between_two_moves() -> None:
    game, moves = reviewed("nim:3,4,5 1-1 2-2 3-1")
    lesson = lesson_of_review(game, [replace(each, exact=False) for each in moves])
    missed = sorted((each for each in moves if each.mark is not Mark.NONE), key=lambda each: each.ply)
    assert missed
    for move, step in zip(missed, lesson.steps[1:], strict=True):
        assert isinstance(step.task, ChoiceTask)
        assert set(step.task.choices) == {move.move.text, move.best[0].text}
        assert step.task.choices[step.task.right - 1] == move.best[0].text
