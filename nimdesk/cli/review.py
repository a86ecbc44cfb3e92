"""``nimdesk review``: a saved game reviewed move by move."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from nimdesk.agents import Agent, agent_info
from nimdesk.cells import csv_text
from nimdesk.cli.figures import Wanted
from nimdesk.cli.interrupting import interruptibly
from nimdesk.cli.options import check_csv, check_folder, console, print_json, say, table, write_only_table
from nimdesk.cli.teaching import Paper, check_pdf, write_pdf
from nimdesk.disk.provenance import made_here
from nimdesk.errors import OptionError
from nimdesk.games import AnyPosition
from nimdesk.games.base import describe_turn
from nimdesk.play import GameInProgress, player_title
from nimdesk.play.exchange import first_words, read_games
from nimdesk.play.exercises import exercises_of, save_exercises
from nimdesk.play.move_review import MoveReview
from nimdesk.play.review import Reviewer, decided, findings, worth_words, worths_of


def review_file(
    path: Path,
    agent: Agent,
    exact_s: str,
    *,
    as_json: bool,
    exercises: Path | None,
    csv: Path | None,
    figure: Wanted | None,
    report: Path | None,
    paper: Paper | None,
) -> None:
    """Review the game and print it; ``exercises`` is a file for the missed moves, ``report`` one of PDF.

    ``RecordError`` for a file that is no game, ``OptionError`` for a bad number or an empty game.
    """
    check_folder(exercises, "The file of exercises")
    check_csv(csv, "The CSV")
    check_pdf(report, "report")
    reviewer = Reviewer(agent, agent.new_seed(), _seconds(exact_s))
    games = read_games(path)
    if told := first_words(path, games):
        say(told)
    game = games.games[0]
    if not game.plies:
        raise OptionError(f"There is nothing to review in “{path.name}”: no move was played.")
    positions = game.positions
    played = [(ply.move, ply.by) for ply in game.plies]

    def review(stop: threading.Event) -> list[MoveReview]:
        moves = list(reviewer.moves(positions, played, stop))
        if stop.is_set():
            raise KeyboardInterrupt
        return sorted(moves, key=lambda each: each.ply)

    moves = interruptibly(review)
    if exercises is not None:
        save_exercises(exercises_of(positions, moves, time.time()), exercises, made=made_here())
    about = {"position": game.last_position.text, "agent": reviewer.agent.full_label, "seed": reviewer.seed}
    if csv is not None:
        write_only_table(csv, "review", _csv(moves), about, [made_here()])
    if report is not None:
        assert paper is not None
        write_pdf(report, paper.report(game, moves))
    if as_json:
        print_json(review_json(game, reviewer, moves), [made_here()], " ".join(findings(game.last_position, moves)))
    else:
        _print_review(game, moves)
    if figure is not None:
        from nimdesk.figures.games import of_game  # lazy: few draw figures

        figure.draw(of_game(game.last_position, worths_of(game.last_position, moves)), about)


def _csv(moves: list[MoveReview]) -> str:
    """A row for each move, with the names of the JSON; several moves in a cell stand with spaces."""
    rows = [[" ".join(cell) if isinstance(cell, list) else cell for cell in each.plain.values()] for each in moves]
    return csv_text(moves[0].plain, rows)


def review_json(game: GameInProgress, reviewer: Reviewer, moves: list[MoveReview]) -> dict[str, object]:
    """The review as ``--json`` prints it; values are from 0 to 1, for the side that made the move."""
    turn = decided(game.last_position, moves)
    return {
        "position": game.last_position.text,
        "players": [player_title(player) for player in game.players],
        "result": describe_turn(game.last_position),
        "agent": reviewer.agent.to_json(),
        "seed": reviewer.seed,
        "exact_s": reviewer.exact_s,
        "turning_point": None if turn is None else turn.ply,
        "moves": [each.plain for each in moves],
    }


def _seconds(text: str) -> float:
    if text.strip() == "0":
        return 0.0
    value = next(field for field in agent_info("solver").fields if field.name == "time_s").parse(text)
    assert isinstance(value, float)
    return value


def _print_review(game: GameInProgress, moves: list[MoveReview]) -> None:
    out = console()
    last: AnyPosition = game.last_position
    out.print(f"{last.text}: {describe_turn(last)}")
    rows = table("Ply", "Move", "", "Worth", "Better", "What it did")
    for each in moves:
        if each.given:
            continue
        line = " ".join(move.text for move in each.line[:6])
        rows.add_row(str(each.ply), each.move.text, each.mark.value, worth_words(each), line, each.sentence)
    out.print(rows)
    for sentence in findings(last, moves):
        out.print(sentence)
    if not all(each.exact for each in moves):
        out.print("Worth is proven where it is in words, and a search's estimate where it is in numbers.")
