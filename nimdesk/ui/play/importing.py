"""Games of files into the library, many at once: read and written in its thread, a part of them at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nimdesk.disk import paths
from nimdesk.errors import NimdeskError
from nimdesk.play import RECORD_SUFFIX
from nimdesk.play.kept import Change, KeptGame
from nimdesk.ui.play.keeping import GameKeeper

if TYPE_CHECKING:
    from nimdesk.play.library import Library

ALL_GAMES = f"Games ({' '.join(f'*{ending}' for ending in (RECORD_SUFFIX, *paths.GAMES))})"
"""The filter of a dialog for all files that hold games."""
_AT_ONCE = 50
"""So many games are written before the game on the board gets its turn."""


class _Read(NamedTuple):
    changes: tuple[Change, ...]
    problems: tuple[str, ...]


def import_games(keeper: GameKeeper, files: Sequence[Path], told: Callable[[str], object]) -> None:
    """Put the games of these files into the library; ``told`` hears in one sentence how many they were.

    A file that cannot be read is left out, and the sentence says why.
    """

    def write(read: _Read, done: int) -> None:
        part = read.changes[done : done + _AT_ONCE]
        if not part:
            told(_sentence(len(read.changes), len(files), read.problems))
            return
        keeper.ask(lambda library: library.add(part), lambda _: write(read, done + len(part)))

    keeper.ask(partial(_read, files), lambda read: write(read, 0))


def _read(files: Sequence[Path], _library: Library) -> _Read:
    from nimdesk.play.exchange import read_games  # lazy: the window paints without it

    changes: list[Change] = []
    problems: list[str] = []
    for path in files:
        try:
            games = read_games(path).games
        except NimdeskError as error:
            problems.append(str(error))
            continue
        for game in games:
            if game.plies and (change := KeptGame(game).change()) is not None:
                changes.append(change)
    return _Read(tuple(changes), tuple(problems))


def _sentence(games: int, files: int, problems: Sequence[str]) -> str:
    what = f"{games:,} {'game' if games == 1 else 'games'} of {files - len(problems):,} of {files:,} files"
    first = f" {problems[0]}" if problems else ""
    return f"{what} are in the library now.{first}"
