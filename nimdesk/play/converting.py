"""Files of games become files of another program; all are read before anything is written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from nimdesk.disk.paths import make_private
from nimdesk.errors import OptionError, quoted, suggestion
from nimdesk.formats import FORMATS, Asked, Format, Record
from nimdesk.formats.lists import COLUMNS, OPENINGS, POSITIONS
from nimdesk.play.exchange import SAVED, Source, file_names, read_sources, write_games

FORMAT_NAMES = (SAVED, *(each.name for each in FORMATS))
"""What the formats are called that games can be written in."""


class Converted(NamedTuple):
    """How many games were written, to which files, and sentences about what was left open or left out."""

    games: int
    files: tuple[Path, ...]
    told: tuple[str, ...]


class Gathered(NamedTuple):
    """What several files hold, file by file, and sentences about how they were read."""

    files: tuple[tuple[Path, tuple[Source, ...]], ...]
    told: tuple[str, ...]

    @property
    def games(self) -> list[Source]:
        """The games of all files."""
        return [each for _, several in self.files for each in several]


def gather(sources: Sequence[Path], asked: Asked) -> Gathered:
    """Read all games of these files; ``RecordError`` for the first that cannot be read."""
    found, told = [], dict[str, None]()
    for path in sources:
        games, notes = read_sources(path, asked)
        found.append((path, games))
        told.update(dict.fromkeys(notes))
    return Gathered(tuple(found), tuple(told))


def means_folder(target: str | Path) -> bool:
    """Whether this is a folder: one that exists, or a name that ends as folders' names do."""
    return os.path.isdir(target) or str(target).endswith(("/", os.sep))


def write_gathered(gathered: Gathered, target: Path, form: str | None, *, into_folder: bool) -> Converted:
    """Write all games to one file, or each to one of its own in a folder, in the format of this name.

    Without a name the target's ending says it, and in a folder they become saved games. ``OptionError`` or
    ``RecordError`` where that cannot be done.
    """
    games, told = gathered.games, dict.fromkeys(gathered.told)
    wanted = _format(form, target, games, into_folder=into_folder)
    planned: list[tuple[Sequence[Source], Path]] = [(games, target)]
    if into_folder:
        planned = _planned(gathered, target, wanted)
        make_private(target)
    for several, path in planned:
        told.update(dict.fromkeys(write_games(several, path, wanted)))
    return Converted(len(games), tuple(path for _, path in planned), tuple(told))


def check_format(form: str | None) -> None:
    """``OptionError`` for a name that no format has."""
    if form is not None and form not in FORMAT_NAMES:
        raise OptionError(f"There is no format {quoted(form)}; {suggestion(form, FORMAT_NAMES)}")


def _format(form: str | None, target: Path, games: Sequence[Source], *, into_folder: bool) -> Format | None:
    """The format that is asked for, or that the target's ending says; None for nimdesk's own."""
    names = {each.name: each for each in FORMATS}
    if form is not None:
        check_format(form)
        return names.get(form)
    ending = target.suffix.lower()
    if into_folder or ending == f".{SAVED}":
        return None
    found = next((each for each in FORMATS if ending in each.endings), None)
    if found is None:
        which = ", ".join(FORMAT_NAMES)
        raise OptionError(f"The name {quoted(target.name)} does not say which format is meant; say one of: {which}.")
    if found is POSITIONS:  # a list is written as it was read, if all of them came from lists of one kind
        kinds = {each.source.get("form") if isinstance(each, Record) else None for each in games}
        return next((each for each in (COLUMNS, OPENINGS) if kinds == {each.name}), found)
    return found


def _planned(gathered: Gathered, folder: Path, form: Format | None) -> list[tuple[Sequence[Source], Path]]:
    """A file for each game, named after that from which it came; no file there is replaced."""
    ending = f".{SAVED}" if form is None else form.ending
    planned: list[tuple[Sequence[Source], Path]] = []
    for path, games in gathered.files:
        names = file_names(path.stem, len(games), ending)
        planned += [((game,), folder / name) for game, name in zip(games, names, strict=True)]
    taken: set[Path] = set()
    for _, path in planned:
        if path in taken or os.path.lexists(path):
            raise OptionError(f"“{path}” is already there, or two games would have that name; give an empty folder.")
        taken.add(path)
    return planned
