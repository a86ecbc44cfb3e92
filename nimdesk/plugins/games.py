"""Games of other packages: the entry points of the group ``nimdesk.games``, tried before they are loaded.

Their rules run within nimdesk, as they must for a search to play them a thousand times a second. So each is tried
first in a process of its own (``trial``), with limits of time and memory; one that holds is from then on a game like
nimdesk's own. Packages are looked for when a notation is unknown, or when all games are listed: never at start, where
this would cost 40 ms. What goes wrong later is caught where nimdesk's own faults are, and ``blamed`` names the package.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from dataclasses import fields
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from nimdesk.errors import StillLoadingError, quoted
from nimdesk.faults import fault_words, one_line
from nimdesk.games.kit import KITS, PROBLEMS, GameKit, find_with, register
from nimdesk.plugins.entry_points import EntryPoint, entry_points

if TYPE_CHECKING:
    from nimdesk.games.kernel_kit import AnyKernel
    from nimdesk.plugins.process import Introductions

GROUP = "nimdesk.games"
LOADED: dict[str, EntryPoint] = {}
"""Where each game comes from that another package brought."""
_POLL_S = 0.05
_background: list[BackgroundGames] = []


def begin() -> None:
    """From now on, games of other packages are found."""
    find_with(_find)


def _find(name: str | None) -> None:
    if name is not None:
        load_game(name)
    elif not _background:
        GameLoader(installed().values()).finish()


def load_game(name: str, *, trusted: bool = False) -> None:
    """Load the game of this name, if there is one; what is wrong with it is then among the ``PROBLEMS``.

    One that is ``trusted``, because it may do here what it likes, is not tried.
    """
    if name in KITS or name in PROBLEMS or (found := installed().get(name)) is None:
        return
    if trusted:
        _load(found, trusted=True)
    elif not _background:
        GameLoader([found]).finish()
    elif _background[-1].awaits(found):
        package = one_line(found.package)
        raise StillLoadingError(f"The game {quoted(name)} of the package {package} is still being loaded.")


def installed() -> dict[str, EntryPoint]:
    """The games that packages bring, by name."""
    return _installed_on(tuple(sys.path))


@lru_cache(maxsize=2)
def _installed_on(path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """The first entry point of each name; looking for them takes a while."""
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(GROUP):
        found.setdefault(entry.name, entry)
    return {name: found[name] for name in sorted(found)}


class BackgroundGames:
    """While this is open nobody waits for a game of another package; ``poll`` it. One at a time."""

    def __init__(self) -> None:
        """Open from now on; looks for packages when the first unknown game is wanted, or at the first ``poll``."""
        self._loader: GameLoader | None = None
        _background.append(self)

    def poll(self) -> bool:
        """Take up what is known; True when no more will come."""
        return self._started().poll()

    def awaits(self, entry: EntryPoint) -> bool:
        """Whether nothing is known of this one yet."""
        return entry in self._started().pending

    def close(self) -> None:
        """End it; what has not come will not."""
        _background.remove(self)
        if self._loader is not None:
            self._loader.close()

    def _started(self) -> GameLoader:
        if self._loader is None:
            self._loader = GameLoader(installed().values())
            self._loader.poll()
        return self._loader


class GameLoader:
    """Tries games of other packages, each in a process of its own, and registers those that hold."""

    def __init__(self, entries: Iterable[EntryPoint]) -> None:
        """Starts nothing yet."""
        from nimdesk.plugins.process import Introductions  # lazy: processes are not for start-up
        from nimdesk.plugins.trial import command_of

        new = [entry for entry in entries if entry.name not in KITS and entry.name not in PROBLEMS]
        commands = {entry: command_of("load", entry.name, entry.reference) for entry in new}
        self._tried: Introductions[EntryPoint] = Introductions(commands if sys.executable else {})

    def poll(self, wait_s: float = 0.0) -> bool:
        """Take up what is known, waiting at most so long; True when no more will come."""
        known = self._tried.poll(wait_s)
        for entry in sorted(known):
            found = known[entry]
            if isinstance(found, bytes):
                _load(entry)
            else:
                PROBLEMS[entry.name] = _problem(entry, str(found))
        return self._tried.over

    @property
    def pending(self) -> set[EntryPoint]:
        """Those of which nothing is known yet."""
        return self._tried.pending

    def finish(self) -> None:
        """Wait until all are known."""
        while self._tried.pending:
            self.poll(_POLL_S)
        self.close()

    def close(self) -> None:
        """End what is under way."""
        self._tried.close()


class _TriedKit(GameKit):
    """The kit of a package, whose compiled rules are tried before they are loaded."""

    @cached_property
    def kernel(self) -> AnyKernel | None:
        from nimdesk.plugins.trial import try_kernel  # lazy, as above

        if self.load_kernel is not None:
            try_kernel(self.name, LOADED[self.name].reference)
        return super().kernel


def _load(entry: EntryPoint, *, trusted: bool = False) -> None:
    """Register what an entry point names. A package that fails only here loses its own game alone."""
    if entry.name in KITS or entry.name in PROBLEMS:
        return
    from nimdesk.plugins.check import fault_of, made_kit  # lazy, as above

    def load() -> None:
        kit = made_kit(entry.name, entry.reference)
        parts = {field.name: getattr(kit, field.name) for field in fields(kit)}
        register(kit if trusted else _TriedKit(**parts))
        LOADED[entry.name] = entry

    with redirect_stdout(sys.stderr):  # our output may be read by a program
        why = fault_of(load)
    if why:
        PROBLEMS[entry.name] = _problem(entry, f"cannot be loaded: {why}")


def _problem(entry: EntryPoint, why: str) -> str:
    return f"The game {quoted(entry.name)} of the package {one_line(entry.package)} {why.rstrip('.')}."


def blamed(error: BaseException) -> str:
    """One sentence for an error that comes from a game of another package; "" for any other."""
    owners = [(package, LOADED[name]) for name in sorted(LOADED) for package in _packages(name)]
    trace = error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        # By the file as well: numba shows where compiled rules raised, but not in which module.
        module, file = str(frame.f_globals.get("__name__")).partition(".")[0], frame.f_code.co_filename
        for package, entry in owners:
            if module == package or file.startswith(_files(package)):
                # From here on: what called it may be a library of nimdesk's, and is not where it failed.
                return _problem(entry, f"failed: {fault_words(error.with_traceback(trace))}")
        trace = trace.tb_next
    return ""


def _packages(name: str) -> set[str]:
    """The packages, or modules alone, that this game and its board are in."""
    kit = KITS.get(name)
    references = LOADED[name].reference, "" if kit is None else kit.board
    return {re.split("[.:]", reference)[0] for reference in references if reference}


def _files(package: str) -> tuple[str, ...]:
    """How the names of its files begin."""
    found = sys.modules.get(package)
    folders = tuple(f"{folder}{os.sep}" for folder in getattr(found, "__path__", ()))
    return folders or tuple(filter(None, (getattr(found, "__file__", None),)))
