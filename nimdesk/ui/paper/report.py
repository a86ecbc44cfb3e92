"""A game's report on paper."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize

from nimdesk.games import AnyPosition, Move
from nimdesk.play import GameInProgress
from nimdesk.play.move_review import MoveReview
from nimdesk.play.report import GameReport, Moment, report_of
from nimdesk.ui.boards import board_for
from nimdesk.ui.laboratory.export_pictures import board_sheet
from nimdesk.ui.paper.document import WIDTH, Box, beside, heading, pdf, picture, stacked, widget, words
from nimdesk.ui.play.graph import GameGraph

_BOARD = QSize(420, 380)
LEFT, _GAP, _CURVE = 240.0, 22.0, 120
RIGHT = WIDTH - LEFT - _GAP
"""The widths of a board and of what stands beside it."""


def report_file(game: GameInProgress, moves: Sequence[MoveReview]) -> bytes:
    """The report of a game whose every move was judged, as PDF."""
    report = report_of(game, moves)
    return pdf(f"{report.title}: report of a game", lambda: _boxes(report))


def _boxes(report: GameReport) -> list[Box]:
    summary = [*report.players, "", report.result, *report.sentences]
    boxes = [
        words(report.title, size=24, bold=True),
        board_beside(report.last, (), [words("\n".join(summary), RIGHT)]),
        stacked([heading("Move by move"), _curve(report), words(_curve_words(report), size=11.5)]),
        words(report.moves),
        words(report.how, size=11.5),
    ]
    if report.moments:
        first, *others = (_moment(each) for each in report.moments)
        boxes += [stacked([heading("Moments to look at"), first]), *others]
    if report.left_out:
        more = "move gives" if report.left_out == 1 else "moves give"
        boxes.append(words(f"{report.left_out:,} more {more} something away; the review in nimdesk lists them all."))
    return boxes


def board_beside(position: AnyPosition, line: tuple[Move, ...], right: Sequence[Box]) -> Box:
    """A board, with a line of play numbered on it, beside other boxes."""
    board = board_for(position.game)
    board.set_animation_enabled(False)
    board.rule_told = True
    board.resize(_BOARD)
    board.set_position(position)
    board.set_line(line)
    board.resize(board.width(), board.fitting_height())
    return beside(picture(board_sheet(board), LEFT, LEFT), LEFT + _GAP, stacked(right))


def _moment(moment: Moment) -> Box:
    right = [words(moment.title, RIGHT, bold=True), words(moment.sentence, RIGHT)]
    if moment.better:
        right.append(words(f"Better: {moment.better}. The numbers on the board show how play goes on.", RIGHT))
    return board_beside(moment.position, moment.line, right)


def _curve(report: GameReport) -> Box:
    graph = GameGraph()
    graph.show_curve(report.curve)
    return widget(graph, QSize(round(WIDTH), _CURVE))


def _curve_words(report: GameReport) -> str:
    name = report.last.game.side_name(report.curve.side)
    return f"What each position was worth to {name}: the top is a win, the bottom a loss; diamonds are proven."
