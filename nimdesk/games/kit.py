"""What a game brings: ``GameKit``; the registry of all games, those of other packages included; text to games.

Such texts are ``nim:21:max3:misere`` and ``mnk:7,6,4:gravity d1 d2``.

Rules are enough: a ``Game`` that parses its own text, and its ``Position``. Each further part adds an ability; whoever
needs a part that is not there says so in words. The games of other packages come by the entry points of the group
``nimdesk.games``, each of which names a subclass of ``Game`` or a ``GameKit``. They are looked for when a notation is
not known, or when all games are listed: never at start, where this would cost 40 ms.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import msgspec

from nimdesk.entry_points import EntryPoint, entry_points
from nimdesk.errors import GameParameterError, IllegalMoveError, NimdeskError, NotationError
from nimdesk.games.base import AnyPosition, Game, Move, quoted
from nimdesk.games.plain_solver import PlainSolver

if TYPE_CHECKING:
    from nimdesk.games.kernel_kit import AnyKernel
    from nimdesk.games.truth import ListedSolver, Solver

GROUP = "nimdesk.games"


class Preset(msgspec.Struct, frozen=True):
    """A set-up with the name people know it by and one sentence about it."""

    name: str
    game: Game
    about: str


View: TypeAlias = tuple[Game, Callable[[Any], Move]]


class NewSolver(Protocol):
    """Makes a solver for positions of the game; may load numba, so not on the UI thread."""

    def __call__(self, *, distances: bool = True) -> Solver:
        """Without ``distances`` the values alone are worked out."""


@dataclass(frozen=True, eq=False)
class GameKit:
    """One game with all of its parts: ``name`` is the word before the colon of its notation, ``game_type`` its rules.

    ``notation`` tells a person what to write, ``presets`` are well-known set-ups. The parts that may be missing:

    * ``load_kernel`` brings the compiled rules. Without them the searches play on positions, in Python.
    * ``new_solver`` makes a solver of exact values; ``by_formula`` says that it answers at once and without searching.
    * ``new_table`` makes document 003's table of all positions for one game, or raises ``OptionError``.
    * ``fewest_nodes(position)`` is a lower bound, quick to have, on the nodes of the full tree.
    * ``off_centre(game, move)`` is smaller for moves that are worth more as long as nothing is known of them.
    * ``child_number(moves, best)`` is what document 001 calls HighChildIndex, where it makes sense.
    * ``group(game)`` names a parameter, and its number, that charts of results group games by.
    * ``views(game)`` are the ways to turn, mirror or rearrange a game, as it is first. Each is the game that it
      becomes and a function that turns a move. Positions that differ by a view are worth the same.
    * ``board`` says where the window finds the game's board and forms, a ``BoardKit``: "module:attribute".
    """

    name: str
    game_type: type[Game]
    notation: str = ""
    presets: tuple[Preset, ...] = ()
    load_kernel: Callable[[], AnyKernel] | None = None
    new_solver: NewSolver | None = None
    by_formula: bool = False
    new_table: Callable[[Any], ListedSolver] | None = None
    fewest_nodes: Callable[[Any], int] | None = None
    off_centre: Callable[[Any, Any], int] | None = None
    child_number: Callable[[tuple[Move, ...], Any], int | None] | None = None
    group: Callable[[Any], tuple[str, int]] | None = None
    views: Callable[[Any], tuple[View, ...]] | None = None
    board: str = ""

    @cached_property
    def kernel(self) -> AnyKernel | None:
        """The compiled rules, loaded (with numba) when first asked for; None for a game without."""
        return None if self.load_kernel is None else self.load_kernel()


KITS: dict[str, GameKit] = {}
"""All games known by now, by name: those of nimdesk first, then others in the order in which they were found."""
_PROBLEMS: dict[str, str] = {}


def register(kit: GameKit) -> None:
    """Add a game; one with the same name is replaced."""
    KITS[kit.name] = kit


def kit_of(position: AnyPosition | Game) -> GameKit:
    """The kit of a position's game. One that was never registered has its rules alone."""
    game = position if isinstance(position, Game) else position.game
    for kit in KITS.values():
        if kit.game_type is type(game):
            return kit
    return _unregistered(type(game), game.text.partition(":")[0])


@lru_cache(maxsize=16)
def _unregistered(game_type: type[Game], name: str) -> GameKit:
    """Of rules that a script made, or has imported from a package without naming the game."""
    found = find_kit(name)
    return found if found is not None and found.game_type is game_type else GameKit(name, game_type)


def kernel_of(position: AnyPosition | Game) -> AnyKernel:
    """The compiled rules of a position's game; ``GameParameterError`` for a game without."""
    kernel = kit_of(position).kernel
    if kernel is None:
        game = position if isinstance(position, Game) else position.game
        raise GameParameterError(f"There are no compiled rules for {game.text}.")
    return kernel


def solver_for(position: AnyPosition, *, distances: bool = True) -> Solver:
    """A solver for the position's game, to be started; for a game that brings none, the one that serves every game.

    Without ``distances`` it works out values alone. May load numba: not on the UI thread.
    """
    new_solver = kit_of(position).new_solver or PlainSolver
    return new_solver(distances=distances)


def find_kit(name: str) -> GameKit | None:
    """The game with this name, from wherever it comes; None if there is none, or it cannot be loaded (``problems``)."""
    if name not in KITS and (found := _installed().get(name)) is not None:
        _load(found)
    return KITS.get(name)


def presets() -> tuple[Preset, ...]:
    """The well-known set-ups of all games known by now."""
    return tuple(preset for kit in KITS.values() for preset in kit.presets)


def load_plugin_games() -> None:
    """Find the games of other packages; from here on they are in ``KITS`` and ``presets``."""
    for name in _installed():
        find_kit(name)


def problems() -> dict[str, str]:
    """By name, one sentence for each game that could not be loaded."""
    return dict(_PROBLEMS)


def _installed() -> dict[str, EntryPoint]:
    return _installed_on(tuple(sys.path))


@lru_cache(maxsize=2)
def _installed_on(path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """The entry points by name, of which the first found has a name; looking for them takes a while."""
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(GROUP):
        found.setdefault(entry.name, entry)
    return {name: found[name] for name in sorted(found)}


def _load(entry: EntryPoint) -> None:
    """Register what an entry point names. Whatever goes wrong in a package, it loses its own game and nothing else."""
    if entry.name in _PROBLEMS:
        return
    try:
        register(_made(entry))
    except (Exception, SystemExit) as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        _PROBLEMS[entry.name] = f"The game “{entry.name}” of the package {entry.package} cannot be loaded: {why}."


def _made(entry: EntryPoint) -> GameKit:
    module, _, attribute = entry.reference.partition(":")
    named = getattr(import_module(module), attribute)
    if isinstance(named, type) and issubclass(named, Game):
        named = GameKit(entry.name, named)
    if not isinstance(named, GameKit):
        raise TypeError(f"“{entry.reference}” is neither a subclass of Game nor a GameKit")
    if named.name != entry.name:
        raise ValueError(f"the game is called “{named.name}”, but its entry point is not")
    for preset in named.presets:
        preset.game.start()
    return named


def notation_help() -> str:
    """What to write for a game, as the end of a sentence."""
    return " or ".join(kit.notation or f"{kit.name}:…" for kit in KITS.values())


def parse_game(text: str) -> Game:
    """The game that ``text`` names, or ``NotationError`` / ``GameParameterError`` with one clear sentence."""
    name, _, parameters = text.strip().partition(":")
    kit = find_kit(name) if parameters else None
    if kit is not None:
        with _one_sentence(name):
            return kit.game_type.parse(parameters)
    if parameters and (problem := problems().get(name)):
        raise NotationError(problem)
    raise NotationError(f"{quoted(text)} does not name a game; write {notation_help()}.")


def parse_position(text: str) -> AnyPosition:
    """The position that ``text`` names: a game, then the moves played, separated by spaces."""
    words = text.split()
    if not words:
        raise NotationError(f"The position is empty; write {notation_help()}, then the moves played.")
    game = parse_game(words[0])
    with _one_sentence(words[0]):
        position = game.start()
        for number, word in enumerate(words[1:], 1):
            try:
                position = position.play(position.parse_move(word))
            except (NotationError, IllegalMoveError) as error:
                raise type(error)(f"Move {number} of {quoted(text.strip())}: {error}") from None
    return position


@contextmanager
def _one_sentence(text: str) -> Iterator[None]:
    """Turn a fault in the rules, which another package may have brought, into an error for a person."""
    try:
        yield
    except NimdeskError:
        raise
    except Exception as error:
        raise NotationError(f"The rules of {quoted(text)} failed: {type(error).__name__}: {error}.") from error
