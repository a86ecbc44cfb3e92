"""``nimdesk convert``: games from the files of one program to those of another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from nimdesk.cli.file_types import READ, FileType
from nimdesk.cli.flags import json_flag
from nimdesk.cli.options import print_json, say
from nimdesk.disk.provenance import made_here
from nimdesk.errors import OptionError, quoted
from nimdesk.formats import Asked
from nimdesk.games import Game, parse_game
from nimdesk.play.converting import FORMAT_NAMES, Converted, gather, means_folder, write_gathered
from nimdesk.play.exchange import as_record
from nimdesk.play.exercises import SUFFIX

_HELP = """Read games from files of any program, and write them as another one wants them.

SOURCE are files. TARGET is one file, whose ending says the format, or a folder (one that exists, or a name that ends
in /), which gets a file for each game. Formats: nimdesk (.nimdesk), psq (.psq: Piskvork, Gomocup), rec (.rec: Gomotur),
sgf (.sgf: five in a row), and a position a line (.txt): positions in nimdesk's notation, openings (0,0, 1,0: distances
from the middle), columns (4453: Connect Four). Variations, comments, times and the searches behind moves are kept where
the format has a place for them; what it has none for is said.

\b
Examples:
  nimdesk convert game.psq game.sgf
  nimdesk convert game.nimdesk game.sgf            the searches become comments
  nimdesk convert results/*.psq games/             saved games of nimdesk
  nimdesk convert openings.txt openings.sgf --game mnk:15,15,5
  nimdesk convert begin-easy positions.txt --to positions
  nimdesk convert *.nimdesk all.sgf                many games in one file
  nimdesk convert end-easy set.nimexercises.json   positions as exercises, which the window opens (Practise)
"""


class _Target(NamedTuple):
    path: Path
    is_folder: bool


class _TargetType(FileType):
    """A file that is written, or a folder: one that exists, or a name that ends as folders' names do."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path and whether it is a folder; ``OptionError`` for a file that is read."""
        path = super().convert(value, param, ctx)
        return _Target(path, means_folder(str(value)))


@click.command(help=_HELP)
@click.argument("sources", type=READ, nargs=-1, required=True, metavar="SOURCE...")
@click.argument("target", type=_TargetType("written"), metavar="TARGET")
@click.option("--to", "form", metavar="FORMAT", help=f"{', '.join(FORMAT_NAMES)}.")
@click.option(
    "--game", type=parse_game, metavar="GAME", help="The game of files that do not say it, such as mnk:15,15,5."
)
@click.option(
    "--columns-from",
    metavar="0|1",
    help="Where numbers of columns begin. Without it from 1, unless a 0 occurs.",
)
@json_flag
def convert(
    sources: Sequence[Path],
    target: _Target,
    form: str | None,
    game: Game | None,
    columns_from: str | None,
    as_json: bool,
) -> None:
    """Read all, then write all: a file that cannot be read leaves everything as it was."""
    if columns_from not in (None, "0", "1"):
        raise OptionError(f"--columns-from is 0 or 1, not {quoted(str(columns_from))}.")
    gathered = gather(sources, Asked(game, None if columns_from is None else int(columns_from)))
    what = "game"
    if form is None and target.path.name.lower().endswith(SUFFIX):
        from nimdesk.cli.exercise_sets import write_exercises  # lazy: it loads solvers

        number, notes = write_exercises(list(map(as_record, gathered.games)), target.path)
        written, what = Converted(number, (target.path,), (*gathered.told, *notes)), "exercise"
    else:
        written = write_gathered(gathered, target.path, form, into_folder=target.is_folder)
    number, files, told = written
    if as_json:
        print_json({f"{what}s": number, "files": list(map(str, files)), "told": list(told)}, [made_here()])
        return
    for sentence in told:
        say(sentence)
    where = f"{len(files):,} files in {target.path}" if target.is_folder else str(target.path)
    print(f"Wrote {number:,} {what}{'s' * (number != 1)} to {where}.")
