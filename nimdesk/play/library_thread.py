"""The library as a window uses it: its place there, the game that it showed last, and a thread that writes.

Importing this does not load sqlite3: a window that is opened for the first time is painted without.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from nimdesk.disk.locks import FileLock
from nimdesk.disk.paths import make_private
from nimdesk.errors import DamagedLibraryError, LibraryError, NimdeskError, StillLoadingError, brief
from nimdesk.games import AnyPosition
from nimdesk.play.kept import Change, KeptGame, StoredGame
from nimdesk.search import Snapshot

if TYPE_CHECKING:
    from nimdesk.play.library import Library

MAX_WINDOWS = 16
_R = TypeVar("_R")


def take_place(folder: Path) -> tuple[int, FileLock | None]:
    """The first place, from 1 on, that no window of a running program has in this folder, and its lock.

    Place 0 stands for none: there are too many windows.

    A window shows the game that the last window in its place showed, so that two at once do not share one.
    """
    try:
        make_private(folder)
        for place in range(1, MAX_WINDOWS + 1):
            lock = FileLock.take(_place_file(folder, place))
            if isinstance(lock, FileLock):
                return place, lock
    except (OSError, ValueError):
        return 1, None  # in a folder that cannot be written to nobody needs a lock
    return 0, None


def place_is_taken(folder: Path, place: int) -> bool:
    """Whether a window of a running program has this place."""
    try:
        lock = FileLock.take(_place_file(folder, place))
    except OSError:
        return False
    if isinstance(lock, FileLock):
        lock.close()
        return False
    return True


def _place_file(folder: Path, place: int) -> Path:
    return folder / f"window-{place}.lock"


class Shelf:
    """The library of one window: opened in its thread when it is first needed, and anew after each failure."""

    def __init__(self, path: Path) -> None:
        """Takes a place for the window in the library at this path."""
        self._path = path
        self._place, self._lock = take_place(path.parent)
        self._library: Library | None = None
        self.awaited: StoredGame | None = None
        """The last game where its rules are still being loaded: ``open`` it when they are there."""

    # In the window's thread, before there is another

    def last_game(self) -> tuple[KeptGame | None, str]:
        """The game that a window in this place showed last, without its searches; and one sentence if it is broken."""
        if not self._place or not os.path.isfile(self._path):
            return None, ""
        from nimdesk.play.library import Library  # lazy: sqlite3, for a first start

        stored: StoredGame | None = None
        try:
            library = Library.look_into(self._path)
            if library is None:
                return None, ""
            with library:
                stored = library.shown_in(self._place)
            kept = None if stored is None else KeptGame.read(stored)
        except StillLoadingError as error:
            self.awaited = stored
            return None, brief(f"The last game will be shown when it can be. {error}")
        except NimdeskError as error:
            return None, brief(f"The last game could not be brought back. {error}")
        return kept, "" if kept is None else kept.problem

    def leave(self) -> None:
        """Give the place to other windows."""
        if self._lock is not None:
            self._lock.close()

    # In the thread of the library

    def do(self, act: Callable[[Library], _R]) -> _R:
        """What ``act`` reads in the library or deletes there; ``LibraryError``."""
        from nimdesk.play.library import Library  # lazy: sqlite3

        if self._library is None:
            self._library = Library.open(self._path)
        try:
            return act(self._library)
        except LibraryError:
            self.close()
            raise

    def write(self, change: Change, *, shown: bool) -> str:
        """Write this; ``shown`` is whether the window shows that game.

        A sentence where the library was broken and a new one had to be begun, which has nothing but this; else
        "". ``LibraryError`` where it cannot be written.
        """

        def write(library: Library) -> None:
            library.write(change, self._place if shown else 0)

        try:
            self.do(write)
        except DamagedLibraryError as error:
            from nimdesk.play.library import set_aside  # lazy: sqlite3

            aside = set_aside(self._path).name
            self.do(write)
            why = str(error).rstrip(".")
            return brief(f"{why}; the file is now called “{aside}”, and a new library of games is begun.")
        return ""

    def write_last(self, change: Change, *, shown: bool) -> None:
        """As ``write`` when the window is gone: the terminal is where a sentence can still be read."""
        try:
            self.write(change, shown=shown)
        except LibraryError as error:
            print(f"nimdesk: {error}", file=sys.stderr)

    def read_searches(self, game: int, wanted: dict[int, AnyPosition], hear: Callable[[int, Snapshot], bool]) -> None:
        """Read the searches of these nodes one after the other, as long as ``hear`` says that more are wanted."""

        def read(library: Library) -> None:
            for node, snapshot in library.searches(game, wanted):
                if not hear(node, snapshot):
                    return

        self.do(read)

    def read_resting(
        self, game: int, positions: Mapping[int, AnyPosition], hear: Callable[[int, Snapshot, bool], object]
    ) -> None:
        """Read the search that rests in this game, whose nodes have these positions, if there is one."""
        resting = self.do(lambda library: library.resting(game, positions))
        if resting is not None:
            hear(*resting)

    def open(self, game: int) -> KeptGame | None:
        """This game with its searches, as one of its own where another window has it on its board."""

        def read(library: Library) -> KeptGame | None:
            kept = library.read(game)
            return KeptGame(kept.game) if kept is not None and self._is_elsewhere(library, game) else kept

        return self.do(read)

    def delete(self, games: Sequence[int]) -> tuple[int, ...]:
        """Take these out of the library, but for those that another window has on its board; which they are."""

        def delete(library: Library) -> tuple[int, ...]:
            gone = tuple(game for game in games if not self._is_elsewhere(library, game))
            library.delete(gone)
            return gone

        return self.do(delete)

    def _is_elsewhere(self, library: Library, game: int) -> bool:
        """Whether another window has this game on its board."""
        places = [place for place in library.windows_with(game) if place != self._place]
        return any(place_is_taken(self._path.parent, place) for place in places)

    def close(self) -> None:
        """Close the library; whatever is done next opens it anew."""
        if self._library is not None:
            self._library.close()
            self._library = None
