"""Games of other packages: the entry points of the group ``nimdesk.games``, tried before they are loaded.

Their rules run within nimdesk, as they must for a search to play them a thousand times a second. So each is loaded
first in a process of its own (``nimdesk.games.plugin_check``), with limits of time and memory, and played at random;
only what holds is loaded here. Its optional parts are held to their promises when they are used (``parts``). What a
package does only later, or only here, nothing can hold: an endless loop in its rules stops the search or the window
that asked, a crash ends nimdesk.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from nimdesk.errors import GameParameterError, NimdeskError, RulesError, StillLoadingError, quoted
from nimdesk.faults import fault_words, one_line
from nimdesk.games.base import AnyPosition, Game
from nimdesk.games.kit import KITS, OTHERS, PROBLEMS, GameKit, Preset, kit_of, register
from nimdesk.games.parts import PARTS, held
from nimdesk.plugins.entry_points import EntryPoint, entry_points

if TYPE_CHECKING:
    from nimdesk.plugins.process import Introductions

GROUP = "nimdesk.games"
_HOST = "nimdesk.games.plugin_check"
_POLL_S = 0.05
_NAME = r"[^\W_][\w-]{0,39}"
_LONGEST_TEXT = 200
_MOST_PRESETS = 50
_background: list[BackgroundGames] = []


def load_game(name: str, *, tried: bool = False) -> None:
    """Load the game of this name, if there is one; what is wrong with it is then among the ``PROBLEMS``.

    One that was ``tried`` already, or that may do here what it likes, needs no other process.
    """
    if name in KITS or name in PROBLEMS or (found := _installed().get(name)) is None:
        return
    if tried:
        load_here(found, tried=True)
    elif not _background:
        GameLoader([found]).finish()
    elif _background[-1].awaits(found):
        package = one_line(found.package)
        raise StillLoadingError(f"The game {quoted(name)} of the package {package} is still being loaded.")


def load_games() -> None:
    """Load all that there are; not where they come by themselves."""
    if not _background:
        GameLoader(_installed().values()).finish()


def _installed() -> dict[str, EntryPoint]:
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
            self._loader = GameLoader(_installed().values())
            self._loader.poll()
        return self._loader


class GameLoader:
    """Tries games of other packages, each in a process of its own, and registers those that hold."""

    def __init__(self, entries: Iterable[EntryPoint]) -> None:
        """Starts nothing yet."""
        from nimdesk.plugins.process import Introductions, host_command  # lazy: processes are not for start-up

        new = [entry for entry in entries if entry.name not in KITS and entry.name not in PROBLEMS]
        commands = {entry: host_command(_HOST, entry.name, entry.reference) for entry in new}
        self._tried: Introductions[EntryPoint] = Introductions(commands if sys.executable else {})

    def poll(self, wait_s: float = 0.0) -> bool:
        """Take up what is known, waiting at most so long; True when no more will come."""
        known = self._tried.poll(wait_s)
        for entry in sorted(known):
            found = known[entry]
            if isinstance(found, bytes):
                load_here(entry)
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


def load_here(entry: EntryPoint, *, tried: bool = False) -> None:
    """Register what an entry point names, without trying it elsewhere. A faulty package loses only its own game.

    Its compiled rules are tried when they are first used, unless all of it was ``tried``.
    """
    if entry.name in KITS or entry.name in PROBLEMS:
        return
    try:
        with redirect_stdout(sys.stderr):  # our output may be read by a program
            register(held(made_kit(entry.name, entry.reference), "" if tried else entry.reference))
        OTHERS.add(entry.name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        why = str(error) if isinstance(error, NimdeskError) else fault_words(error)
        PROBLEMS[entry.name] = _problem(entry, f"cannot be loaded: {why}")


def _problem(entry: EntryPoint, why: str) -> str:
    return f"The game {quoted(entry.name)} of the package {one_line(entry.package)} {why.rstrip('.')}."


def made_kit(name: str, reference: str) -> GameKit:
    """The kit of the game that ``module:attribute`` refers to.

    ``GameParameterError``, or whatever the package raises, if that is none of this name.
    """
    module, _, attribute = reference.partition(":")
    found: Any = import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    if isinstance(found, type) and issubclass(found, Game):
        found = GameKit(name, found)
    if not isinstance(found, GameKit):
        raise GameParameterError(f"“{reference}” is neither a subclass of Game nor a GameKit")
    if found.name != name:
        raise GameParameterError(f"the game is called “{one_line(found.name)}”, but its entry point is not")
    if not re.fullmatch(_NAME, name):
        raise GameParameterError("the name of a game is made of letters, digits, - and _")
    for text in (found.notation, found.board):
        if not _is_line(text):
            raise GameParameterError("its notation and its board must be lines of text")
    for part in PARTS:
        made = getattr(found, part)
        if made is not None and not callable(made):
            raise GameParameterError("its parts must be functions")
    if not isinstance(found.presets, tuple) or len(found.presets) > _MOST_PRESETS:
        raise GameParameterError(f"its presets must be a tuple of at most {_MOST_PRESETS} Preset")
    for preset in found.presets:
        if not isinstance(preset, Preset) or type(preset.game) is not found.game_type:
            raise GameParameterError("its presets must be a tuple of Preset, each with a game of this kind")
        if not (_is_line(preset.name) and _is_line(preset.about)):
            raise GameParameterError("the names of its presets, and what is said about them, must be lines of text")
        preset.game.start()
    return found


def _is_line(text: object) -> bool:
    return isinstance(text, str) and len(text) <= _LONGEST_TEXT and text.isprintable()


def blamed(error: BaseException) -> str:
    """One sentence for an error from a game of another package; "" for any other."""
    kits = [KITS[name] for name in sorted(OTHERS) if name in KITS]
    modules = {_package(module) for module in getattr(error, "modules", ())}
    for kit in kits:
        if _package(kit.game_type.__module__) in modules:  # a ``kernels.jit.UncompiledError``, whose module loads numba
            return f"The compiled rules of {quoted(kit.name)} cannot be compiled: {one_line(error).rstrip('.')}."
    parts = [("rules", kit.name, _files(kit.game_type.__module__)) for kit in kits]
    parts += [("board", kit.name, _files(kit.board)) for kit in kits if kit.board]
    trace = error.__traceback__
    while trace is not None:
        # By the file: numba shows where compiled rules raised, but not in which module.
        file = trace.tb_frame.f_code.co_filename
        for part, name, files in parts:
            if file.startswith(files):
                # From here on: what called it may be a library of nimdesk's, and is not where it failed.
                return f"The {part} of {quoted(name)} failed: {fault_words(error.with_traceback(trace))}."
        trace = trace.tb_next
    return ""


@contextmanager
def searched(position: AnyPosition) -> Iterator[None]:
    """What goes wrong in a search of a game of another package is that game's fault: its compiled rules may have led it
    anywhere.
    """
    try:
        yield
    except (NimdeskError, MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if (name := kit_of(position).name) not in OTHERS:
            raise
        told = blamed(error) or f"The rules of {quoted(name)} led a search astray: {fault_words(error)}."
        raise RulesError(told) from error


def _package(module: str) -> str:
    return re.split("[.:]", module)[0]


def _files(module: str) -> tuple[str, ...]:
    """How the names of the files begin that belong to the package of this module; no name begins so if it is none."""
    package = sys.modules.get(_package(module))
    folders = tuple(f"{folder}{os.sep}" for folder in getattr(package, "__path__", ()))
    return folders or tuple(filter(None, (getattr(package, "__file__", None),)))
