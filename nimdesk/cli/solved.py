"""``nimdesk atlas solved``: the run over boards, and the table."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from rich.progress import TimeElapsedColumn

from nimdesk.cli.file_types import check_unnamed
from nimdesk.cli.interrupting import UnfinishedError, interruptibly, leave
from nimdesk.cli.options import check_csv, check_folder, console, print_json, progress_bar, say, table, write_only_table
from nimdesk.cli.running import again
from nimdesk.disk.atomic import os_error_words
from nimdesk.disk.paths import data_dir, existing, make_private
from nimdesk.errors import INTERRUPTED, OptionError
from nimdesk.experiments.solved import (
    KEEPING,
    SOLVED_HEADERS,
    SolvedFile,
    SolvedRow,
    solved_cells,
    solved_csv,
    solved_rows,
    solved_words,
    usual_boards,
    work,
)
from nimdesk.games import parse_position
from nimdesk.games.truth_words import value_words


def run_solved(
    boards: Sequence[str],
    limit_s: float,
    out: Path | None,
    certificates: Path | None,
    csv: Path | None,
    *,
    as_json: bool,
) -> int:
    """Work at the boards, by default the usual ones, and print the table; return 0, or 130 after Ctrl-C."""
    games = [_start(text) for text in boards] or usual_boards()
    check_folder(out)
    check_csv(csv)
    path = out or data_dir() / "atlas" / "solved.json"
    if out is None:
        check_unnamed(path)
    for folder in (None if out is not None else path.parent, certificates):
        if folder is not None:
            _make(folder)
    file = SolvedFile(path, follow=out is not None)
    with progress_bar("loading the solver…", TimeElapsedColumn()) as (bar, task):

        def tell(words: str) -> None:
            bar.update(task, description=words)
            if bar.disable:
                say(words)

        def solve(stop: threading.Event) -> bool:
            for board in work(file, games, limit_s, stop, certificates, tell=tell):
                told = f"{board.game}: {value_words(board.value, board.plies)}"
                bar.update(task, completed=games.index(board.game) + 1, total=len(games))
                tell(f"{told}, {board.time_s:,.2f} s")
            return stop.is_set()

        ended = True
        try:
            stopped = interruptibly(solve)
        except UnfinishedError:
            ended, stopped = False, True
    _tell(file, csv, as_json=as_json)
    say(f"\nResults: {path}" if not stopped else f"Stopped. To go on: {again()}")
    if not ended:
        with KEEPING:
            leave()  # what was kept last is at most a minute old
    return INTERRUPTED if stopped else 0


def show_solved(path: Path, csv: Path | None, *, as_json: bool) -> int:
    """Print the table in a file."""
    check_csv(csv)
    _tell(SolvedFile(existing(path)), csv, as_json=as_json)
    return 0


def _start(text: str) -> str:
    position = parse_position(text)
    if position.moves or position.outcome is not None:
        raise OptionError(f"“{text}” is no start of a game; “nimdesk solve” solves single positions.")
    return position.game.text


def _make(folder: Path) -> None:
    try:
        make_private(folder)
    except (OSError, ValueError) as error:
        raise OptionError(f"The folder “{folder}” cannot be made: {os_error_words(error)}.") from error


def _tell(file: SolvedFile, csv: Path | None, *, as_json: bool) -> None:
    rows = solved_rows(file)
    if csv is not None:
        write_only_table(csv, "solved", solved_csv(rows), {"boards": len(file.boards)}, file.made)
    if as_json:
        print_json({"rows": list(map(_json, rows))}, file.made, solved_words(rows))
        return
    out, shown = console(), table()
    for i, header in enumerate(SOLVED_HEADERS[:-1]):
        shown.add_column(header, justify="left" if i in (0, 1, 6) else "right", overflow="fold")
    for row in rows:
        shown.add_row(*solved_cells(row)[:-1])
    out.print(shown)
    out.print(solved_words(rows))
    for made in file.made:
        out.print(f"Made {made.words}.")


def _json(row: SolvedRow) -> dict[str, object]:
    board, told = row.board, row.published
    published = None
    if told is not None:
        published = {"value": told.value.value, "plies": told.distance, "source": told.source}
    if board is None:
        return {"game": row.game, "value": row.value, "how": "formula"}
    return {
        "game": board.game,
        "value": board.value.value,
        "plies": board.plies,
        "value_s": board.value_s,
        "time_s": board.time_s,
        "limit_s": board.limit_s,
        "nodes": board.nodes,
        "how": board.how,
        "certificate_bytes": board.certificate or None,
        "published": published,
        "agrees": row.agrees,
    }
