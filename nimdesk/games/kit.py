"""What a game brings: ``GameKit``; the registry of all games, including those of other packages; and game notation.

Rules are enough: a ``Game`` that parses its own text, and its ``Position``. Each further part adds an ability; where a
part is missing, its user says so in words. Games of other packages are found by what the program hands in
(``find_with``), when a notation is unknown, or when all games are listed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from threading import Event
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import msgspec

from nimdesk.errors import GameParameterError, IllegalMoveError, NotationError, quoted
from nimdesk.games.base import AnyPosition, Game, Move
from nimdesk.games.plain_solver import PlainSolver
from nimdesk.games.truth import MOST_TRIED, ForcedWin, Threats
from nimdesk.games.twin import AnyTwin, KernelTwin
from nimdesk.limit import Limit

if TYPE_CHECKING:
    from nimdesk.games.diagram import Diagram
    from nimdesk.games.kernel_kit import AnyKernel
    from nimdesk.games.truth import Certificate, Heard, ListedSolver, Published, Solver, ThreatSearch, Truth


class Preset(msgspec.Struct, frozen=True):
    """A set-up with its usual name and one sentence about it."""

    name: str
    game: Game
    about: str


def _never(_position: object) -> bool:
    return False


def _no_policies(_game: object) -> tuple[str, ...]:
    return ()


def _no_threats(_game: object) -> None:
    return None


def _always(_game: object) -> bool:
    return True


def _in_python(_game: object) -> int:
    """What ``PlainSolver`` does with rules of usual speed."""
    return 15_000


View: TypeAlias = tuple[Game, Callable[[Any], Move]]


class NewSolver(Protocol):
    """Makes a solver for positions of the game; may load numba, so not on the UI thread."""

    def __call__(self, *, distances: bool = True) -> Solver:
        """Without ``distances``, only values are worked out."""


@dataclass(frozen=True, eq=False)
class GameKit:
    """One game with all its parts: ``name`` is the word before the colon of its notation, ``game_type`` its rules.

    ``notation`` tells a person what to write, ``presets`` are well-known set-ups. The optional parts:

    * ``load_kernel`` loads the compiled rules; ``fits_kernel(game)`` says, without loading them, whether they have room
      for this game. Without compiled rules the searches play on positions, in Python. With them, ``twin`` is what those
      searches copy of the kernel.
    * ``playout_policies(game)`` are the playouts that its kernel knows besides uniformly random ones, by the names that
      options have for them.
    * ``new_solver`` makes a solver of exact values; ``by_formula(position)`` says that it answers this position at
      once, without search. ``solver_pace(game)`` is about how many positions it visits in a second: a limit that is
      the same on every machine.
    * ``new_certificate(position, stop)`` writes why a position is worth what it is, as a file for ``nimdesk verify``;
      ``GameParameterError`` if it cannot, ``KeyboardInterrupt`` once ``stop`` is set. A third argument, ``guide``, is
      the content of such a file for a like position, whose proof is tried first.
    * ``read_certificate(data, stop, heard)`` reads and checks the content of such a file, and tells ``heard`` how much
      of it was looked at, in [0, 1]; ``NimdeskError`` says what is wrong, ``KeyboardInterrupt`` as above.
    * ``published(game)`` is what the literature says of the game's start, None where no source is known.
    * ``threats(game)`` is its search for wins by threats, None for set-ups that have none.
    * ``new_table`` makes document 003's table of all positions for one game, or raises ``OptionError``.
    * ``fewest_nodes(position)`` is a quick lower bound on the nodes of the full tree.
    * ``preferences(position)`` has a number for each legal move, in their order, larger for moves that are more
      promising while nothing else is known. It decides between moves that a search cannot tell apart, so moves that
      are the same but for a turned board or another order of piles must have the same number.
    * ``child_number(moves, best)`` is document 001's HighChildIndex, where it makes sense.
    * ``group(game)`` is a parameter's name and value, by which charts of results group games.
    * ``views(game)`` are the ways to turn, mirror or rearrange a game, the identity first. Each is the resulting game
      and a function that turns a move. Positions that differ by a view have equal values.
    * ``diagram(position)`` is its board as pieces in rows, for pictures without a screen; without it, the position's
      ``rows`` serve.
    * ``usual`` says that so many people play it that its kernels are compiled before anybody asks for them.
    * ``board`` locates the window's ``BoardKit`` for the game, as "module:attribute".
    """

    name: str
    game_type: type[Game]
    notation: str = ""
    presets: tuple[Preset, ...] = ()
    load_kernel: Callable[[], AnyKernel] | None = None
    fits_kernel: Callable[[Any], bool] = _always
    twin: AnyTwin = field(default_factory=KernelTwin)
    playout_policies: Callable[[Any], tuple[str, ...]] = _no_policies
    new_solver: NewSolver | None = None
    by_formula: Callable[[Any], bool] = _never
    solver_pace: Callable[[Any], int] = _in_python
    new_certificate: Callable[..., bytes] | None = None
    read_certificate: Callable[[bytes, Event, Heard], Certificate] | None = None
    published: Callable[[Any], Published | None] | None = None
    threats: Callable[[Any], ThreatSearch | None] = _no_threats
    new_table: Callable[[Any], ListedSolver] | None = None
    fewest_nodes: Callable[[Any], int] | None = None
    preferences: Callable[[Any], tuple[int, ...]] | None = None
    child_number: Callable[[tuple[Move, ...], Any], int | None] | None = None
    group: Callable[[Any], tuple[str, int]] | None = None
    views: Callable[[Any], tuple[View, ...]] | None = None
    diagram: Callable[[Any], Diagram] | None = None
    usual: bool = False
    board: str = ""

    @cached_property
    def kernel(self) -> AnyKernel | None:
        """The compiled rules, loaded (with numba) on first use; None for a game without."""
        if self.load_kernel is None:
            return None
        from nimdesk.kernels.jit import COMPILING  # lazy: loads numba, which the game's kernel needs as well

        # Before any lock of an import: who compiles holds this one, and may then import what the kernels were made of.
        with COMPILING:
            return self.load_kernel()

    @cached_property
    def without_kernel(self) -> GameKit:
        """The same parts but for the compiled rules."""
        return replace(self, load_kernel=None, twin=KernelTwin())


KITS: dict[str, GameKit] = {}
"""All games known so far, by name: first nimdesk's own, then others in the order found."""
PROBLEMS: dict[str, str] = {}
"""One sentence for each game of another package that could not be loaded, by name."""
_Find = Callable[[str | None], object]
_finders: list[_Find] = []


def register(kit: GameKit) -> None:
    """Add a game, replacing one with the same name."""
    KITS[kit.name] = kit


def find_with(find: _Find) -> None:
    """Have ``find`` called with the name of a game that is not known, or with None for all: it registers them.

    What is wrong with one it adds to the ``PROBLEMS``.
    """
    _finders[:] = [find]


def kit_of(position: AnyPosition | Game) -> GameKit:
    """The kit of a position's game, without compiled rules where those have no room for it.

    A game that was never registered has its rules alone.
    """
    game = position if isinstance(position, Game) else position.game
    for kit in KITS.values():
        if kit.game_type is type(game):
            return kit if kit.fits_kernel(game) else kit.without_kernel
    return _unregistered(type(game), game.text.partition(":")[0])


@lru_cache(maxsize=16)
def _unregistered(game_type: type[Game], name: str) -> GameKit:
    """The kit of a game that a script made, or imported without naming the game."""
    found = find_kit(name)
    return found if found is not None and found.game_type is game_type else GameKit(name, game_type)


def kernel_of(position: AnyPosition | Game) -> AnyKernel:
    """The compiled rules of a position's game; ``GameParameterError`` for a game without."""
    kernel = kit_of(position).kernel
    if kernel is None:
        game = position if isinstance(position, Game) else position.game
        raise GameParameterError(f"There are no compiled rules for {game.text}.")
    return kernel


def win_in(position: AnyPosition, *, most: int = MOST_TRIED) -> ForcedWin | None:
    """The win by threats that the side to move is found to have; None also where its game has no search for them.

    May load numba: not on the UI thread.
    """
    search = kit_of(position).threats(position.game)
    return None if search is None or position.outcome is not None else search.find_win(position, most=most)


def threats_in(position: AnyPosition, *, most: int = MOST_TRIED) -> Threats | None:
    """What is found of wins by threats in a position; None where there are none, or its game has no search for them.

    To find what parries one takes much longer than ``win_in``. May load numba: not on the UI thread.
    """
    search = kit_of(position).threats(position.game)
    if search is None or position.outcome is not None:
        return None
    if (win := search.find_win(position, most=most)) is not None:
        return Threats(win)
    parries = search.parries(position, most=most)
    danger = None if parries is None else search.find_win(position, position.turn.other, most=most)
    return None if parries is None or danger is None else Threats(danger=danger, parries=parries)


def keeps_win(position: AnyPosition, move: Move, *, most: int = MOST_TRIED) -> bool:
    """Whether a win by threats is found after this legal move of the side that has one, whatever is answered.

    May load numba: not on the UI thread.
    """
    after = position.play(move)
    if after.outcome is not None:
        return after.winner is position.turn
    win = win_in(position, most=most)
    if win is not None and win.start.move == move:
        return True
    # Each answer gets only a part of the work, so that this may miss a win that was just found.
    threats = threats_in(after, most=most)
    return threats is not None and threats.danger is not None and not threats.parries


def solver_for(position: AnyPosition, *, distances: bool = True) -> Solver:
    """A solver for the position's game, not yet started; the general solver for a game that brings none.

    Without ``distances`` it works out only values. May load numba: not on the UI thread.
    """
    new_solver = kit_of(position).new_solver or PlainSolver
    return new_solver(distances=distances)


def solved(
    position: AnyPosition, time_s: float, stop: Event | None = None, slice_s: float = 0.05
) -> tuple[Truth, bool]:
    """What is proven of a position in so many seconds, and whether that is all; ``stop`` ends it within ``slice_s``.

    May load numba: not on the UI thread.
    """
    solver = solver_for(position)
    solver.start(position)
    done = any(solver.advance(part) for part in Limit(time_s=time_s).slices(stop, slice_s))
    return solver.truth(), done


@lru_cache(maxsize=64)  # studies search the same few positions again and again
def preferences(position: AnyPosition) -> tuple[int, ...]:
    """A number for each legal move, larger for what the game prefers while nothing else is known; 0 for all without."""
    prefers = kit_of(position).preferences
    return (0,) * len(position.legal_moves) if prefers is None else prefers(position)


def known_at_once(position: AnyPosition) -> Truth | None:
    """The whole truth of a position whose game answers by a formula; None for all others."""
    if position.outcome is not None or not kit_of(position).by_formula(position):
        return None
    solver = solver_for(position)
    solver.start(position)
    solver.advance(Limit())
    return solver.truth()


def find_kit(name: str) -> GameKit | None:
    """The game with this name, from any package; None if there is none or it cannot be loaded (see ``PROBLEMS``).

    A game of another package is tried first in a process of its own, which takes a moment; in a window that waits for
    nobody, ``StillLoadingError`` is raised for one to come.
    """
    for find in _finders if name not in KITS else ():
        find(name)
    return KITS.get(name)


def presets() -> tuple[Preset, ...]:
    """The well-known set-ups of all games known so far."""
    return tuple(preset for kit in KITS.values() for preset in kit.presets)


def load_plugin_games() -> None:
    """Find the games of other packages; from then on they are in ``KITS`` and ``presets``, or in ``PROBLEMS``.

    Waits for them, unless in a window that waits for nobody.
    """
    for find in _finders:
        find(None)


def notation_help() -> str:
    """What to write for a game, as the end of a sentence."""
    return " or ".join(kit.notation or f"{kit.name}:…" for kit in KITS.values())


def _examples() -> str:
    """A notation of each game without what it means: all of that is longer than a sentence may be."""
    return " or ".join(kit.notation.partition(" ")[0] or f"{kit.name}:…" for kit in KITS.values())


def parse_game(text: str) -> Game:
    """The game that ``text`` names; ``NotationError`` or ``GameParameterError`` says in one sentence what is wrong."""
    name, _, parameters = text.strip().partition(":")
    kit = find_kit(name) if parameters else None
    if kit is not None:
        try:
            return kit.game_type.parse(parameters)
        except ValueError as error:
            raise NotationError(f"{quoted(text)} is not understood; write {kit.notation or f'{name}:…'}.") from error
    if parameters and (problem := PROBLEMS.get(name)):
        raise NotationError(problem)
    raise NotationError(f"{quoted(text)} does not name a game; write {_examples()}.")


def parse_position(text: str) -> AnyPosition:
    """The position that ``text`` names: a game, then the moves played, separated by spaces."""
    words = text.split()
    if not words:
        raise NotationError(f"The position is empty; write {_examples()}, then the moves played.")
    game = parse_game(words[0])
    position = game.start()
    for number, word in enumerate(words[1:], 1):
        try:
            position = position.play(position.parse_move(word))
        except (NotationError, IllegalMoveError) as error:
            raise type(error)(f"Move {number} of {quoted(text.strip())}: {error}") from None
    return position
