"""The report of a game says what the review says, of the moments that matter most."""

from __future__ import annotations

from nimdesk.games import parse_position
from nimdesk.play import GameInProgress, Human
from nimdesk.play.move_review import Mark, MoveReview
from nimdesk.play.report import MOST_MOMENTS, GameReport, report_of
from nimdesk.play.review import decided, findings, reviewer, worth_words, worths_of


def reported(text: str) -> tuple[GameInProgress, list[MoveReview], GameReport]:
    game = GameInProgress(parse_position(text), (Human(), Human()))
    played = [(ply.move, ply.by) for ply in game.plies]
    moves = list(reviewer(200).moves(game.positions, played))
    return game, sorted(moves, key=lambda each: each.ply), report_of(game, moves)


def test_every_sentence_and_number_is_that_of_the_review() -> None:
    game, moves, report = reported("mnk:3,3,3 b2 a2 a1 c3 a3 b1 c1")
    bad = [each for each in moves if each.mark is not Mark.NONE]
    assert bad
    assert report.sentences == findings(game.last_position, moves)
    assert report.curve.worths == worths_of(game.last_position, moves)
    assert [each.sentence for each in report.moments] == [each.sentence for each in bad]
    assert [each.position for each in report.moments] == [game.position_at(each.ply - 1) for each in bad]
    assert all(worth_words(move) in moment.title for move, moment in zip(bad, report.moments, strict=True))
    assert report.moves.count("?") == sum(each.mark.value.count("?") for each in moves)


def test_of_many_faults_the_worst_are_shown_with_the_one_that_decided() -> None:
    game, moves, report = reported("nim:9,9,9 1-1 2-1 1-1 2-1 1-1 2-1 1-1 2-1 1-1 2-1 1-1 2-1 3-1 3-1 3-7 1-3 2-3")
    bad = [each for each in moves if each.mark is not Mark.NONE]
    assert len(bad) > MOST_MOMENTS
    assert (len(report.moments), report.left_out) == (MOST_MOMENTS, len(bad) - MOST_MOMENTS)
    turn = decided(game.last_position, moves)
    assert turn is not None
    assert game.position_at(turn.ply - 1) in [each.position for each in report.moments]
    plies = [each.position.ply for each in report.moments]
    assert plies == sorted(plies)
