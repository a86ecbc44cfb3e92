"""``nimdesk convert``: games from the files of one program to those of another."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from nimdesk.cli.file_types import READ, FileType
from nimdesk.cli.flags import json_flag
from nimdesk.cli.options import print_json, say
from nimdesk.disk.paths import make_private
from nimdesk.disk.provenance import made_here
from nimdesk.errors import OptionError, quoted, suggestion
from nimdesk.formats import FORMATS, Asked, Format
from nimdesk.games import Game, parse_game
from nimdesk.play.exchange import SAVED, Source, file_names, read_sources, write_sources
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
        return _Target(path, os.path.isdir(path) or str(value).endswith(("/", os.sep)))


def _game(text: str) -> Game:
    return parse_game(text)


@click.command(help=_HELP)
@click.argument("sources", type=READ, nargs=-1, required=True, metavar="SOURCE...")
@click.argument("target", type=_TargetType("written"), metavar="TARGET")
@click.option("--to", "form", metavar="FORMAT", help=f"{', '.join((SAVED, *(each.name for each in FORMATS)))}.")
@click.option("--game", type=_game, metavar="GAME", help="The game of files that do not say it, such as mnk:15,15,5.")
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
    asked = Asked(game, None if columns_from is None else int(columns_from))
    found: list[tuple[Path, tuple[Source, ...]]] = []
    told: dict[str, None] = {}
    for path in sources:
        read, notes = read_sources(path, asked)
        found.append((path, read))
        told.update(dict.fromkeys(notes))
    games = [each for _, several in found for each in several]
    files, number, what = [target.path], len(games), "game"
    if form is None and target.path.name.lower().endswith(SUFFIX):
        from nimdesk.cli.exercise_sets import write_exercises  # lazy: it loads solvers

        number, notes = write_exercises([each.record for each in games], target.path)
        told.update(dict.fromkeys(notes))
        what = "exercise"
    elif target.is_folder:
        files = _into_folder(found, target.path, _format(form, target, games), told)
    else:
        told.update(dict.fromkeys(write_sources(games, target.path, _format(form, target, games))))
    if as_json:
        print_json({f"{what}s": number, "files": [str(path) for path in files], "told": list(told)}, [made_here()])
        return
    for sentence in told:
        say(sentence)
    where = f"{len(files):,} files in {target.path}" if target.is_folder else str(target.path)
    print(f"Wrote {number:,} {what}{'s' * (number != 1)} to {where}.")


def _format(form: str | None, target: _Target, games: Sequence[Source]) -> Format | None:
    """The format that is asked for, or that the target's ending says; None for nimdesk's own."""
    names = {each.name: each for each in FORMATS}
    if form is not None:
        if form != SAVED and form not in names:
            raise OptionError(f"There is no format {quoted(form)}; {suggestion(form, (SAVED, *names))}")
        return names.get(form)
    ending = target.path.suffix.lower()
    if target.is_folder or ending == f".{SAVED}":
        return None
    found = next((each for each in FORMATS if ending in each.endings), None)
    if found is None:
        raise OptionError(f"The name {quoted(target.path.name)} does not say which format is meant; --to does.")
    # A list is written as it was read, if all of them came from lists of one kind.
    kinds = {each.record.source.get("form") for each in games}
    same = names.get(str(next(iter(kinds)))) if len(kinds) == 1 else None
    return same if same is not None and same.many and found.name == "positions" and same.name != "sgf" else found


def _into_folder(
    found: Sequence[tuple[Path, tuple[Source, ...]]], folder: Path, form: Format | None, told: dict[str, None]
) -> list[Path]:
    """Write each game to a file of its own, named after that from which it came; no file there is replaced."""
    ending = f".{SAVED}" if form is None else next(iter(form.endings), ".txt")
    planned: list[tuple[Source, Path]] = []
    for path, games in found:
        names = file_names(path.stem, len(games), ending)
        planned += [(game, folder / name) for game, name in zip(games, names, strict=True)]
    taken: set[Path] = set()
    for _, path in planned:
        if path in taken or os.path.lexists(path):
            raise OptionError(f"“{path}” is already there, or two games would have that name; give an empty folder.")
        taken.add(path)
    make_private(folder)
    for game, path in planned:
        told.update(dict.fromkeys(write_sources([game], path, form)))
    return [path for _, path in planned]
