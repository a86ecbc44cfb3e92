"""What a game's kernel does, in Python and without numba, so that a search in Python grows the kernel's tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

from nimdesk.errors import RulesError, quoted
from nimdesk.games.base import MOST_PLIES, AnyPosition, Game, Move

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GameT = TypeVar("GameT", bound=Game)
PositionT = TypeVar("PositionT", bound=AnyPosition)
MoveT = TypeVar("MoveT", bound=Move)


class Playout(NamedTuple):
    """A game played out at random: its moves, and the half points of the side to move at the root."""

    moves: tuple[Any, ...]
    half_points: int


def half_points(end: AnyPosition, root: AnyPosition) -> int:
    """The result of a finished game for the side to move at ``root``: 2 for a win, 1 for a draw, 0 for a loss."""
    assert end.outcome is not None
    return round(2 * end.outcome.score(root.turn))


# What ``assess`` can say of the side to move, as in ``nimdesk.kernels.identity``.
NOTHING, WINS, LOSES, FORCED, BY_FOURS = 0, 1, 2, 3, 4


class Identity(ABC, Generic[PositionT, MoveT]):
    """Follows a line from a root, and tells equal positions: ``nimdesk.kernels.identity`` in Python.

    A node of a graph speaks of moves by *codes* in the view of its key, which positions share that are the same in
    another order or turned. At the root, codes are the moves themselves.
    """

    @abstractmethod
    def begin(self) -> None:
        """Go back to the root."""

    @abstractmethod
    def moved(self, move: MoveT) -> None:
        """Follow a legal move."""

    @abstractmethod
    def key(self) -> object:
        """The key of the position; from here on codes are in its view."""

    @abstractmethod
    def to_move(self, code: Any) -> MoveT:
        """The move of the position with this code."""

    @abstractmethod
    def key_after(self, code: Any) -> object:
        """The key of the position that the move with this code leads to."""

    @abstractmethod
    def candidates(self, at_root: bool, order: bool) -> Iterable[tuple[Any, int]]:
        """The codes of the moves that differ, at the root of all moves, and with ``order`` what each is worth.

        Below the root a move may be missing where ``assess`` sees that the opponent wins after it.
        """

    def assess(self) -> tuple[int, Any]:
        """What is seen at once of the side to move, and the code of the move that wins or is forced (None without).

        ``BY_FOURS`` has the number of plies to the win added.
        """
        return NOTHING, None

    def outlook(self) -> tuple[int, int]:
        """Half points that the side to move gets at least, and at most, as far as the board alone shows it."""
        return 0, 2

    def evaluate(self) -> float:
        """What the side to move may expect, from 0 to 1: an estimate, where the game has one."""
        return 0.5


AnyIdentity = Identity[Any, Any]


class PlainIdentity(Identity[PositionT, MoveT]):
    """Of a game that tells nothing but its rules: positions are the same if they are equal."""

    def __init__(self, root: PositionT) -> None:
        self._root = self._position = root

    def begin(self) -> None:
        """Go back to the root."""
        self._position = self._root

    def moved(self, move: MoveT) -> None:
        """Follow a legal move."""
        self._position = self._position.play(move)

    def key(self) -> object:
        """The position."""
        return self._position

    def to_move(self, code: MoveT) -> MoveT:
        """A code is the move."""
        return code

    def key_after(self, code: MoveT) -> object:
        """The position after the move."""
        return self._position.play(code)

    def candidates(self, at_root: bool, order: bool) -> Iterable[tuple[MoveT, int]]:
        """All moves, in the order of the rules."""
        return ((cast(MoveT, move), 0) for move in self._position.legal_moves)


class KernelTwin(Generic[GameT, PositionT, MoveT]):
    """How the kernel of a game numbers moves and draws random ones. As it stands, it serves games without a kernel."""

    orders_moves = False
    """Whether the identity scores moves by a heuristic, so that a search may open the best few of them first."""
    looks_ahead = False
    """Whether the game has so few moves that looking each of them up for every new node of a graph pays."""

    def identity(self, root: PositionT) -> AnyIdentity:
        """What tells equal positions of the game from others, with this one as the root."""
        return PlainIdentity(root)

    def evaluates(self, game: GameT) -> bool:
        """Whether the identity estimates what a position is worth, well enough to stand in for playouts."""
        return False

    def encode_move(self, game: GameT, move: MoveT) -> int:
        """The move's code in the kernels of its game, which go through moves in the order of their codes.

        Without a kernel all codes are equal, so that moves stay in the order of the rules.
        """
        return 0

    def neighbours(self, position: PositionT, move: MoveT) -> int:
        """How many cells around the move's cell are occupied: ``kernels.rules.neighbours``."""
        return 0

    def longest_game(self, position: PositionT) -> int | None:
        """An upper bound on the number of moves still to be played; None where nobody knows one."""
        return None

    def play_out(self, root: PositionT, line: tuple[MoveT, ...], number: Callable[[], int]) -> Playout:
        """The playout that the kernel makes after ``line``, from ``root``, with these random numbers.

        ``number`` gives the next 64 random bits. Here each choice takes the upper half of a new number. ``RulesError``
        where a game does not end.
        """
        position: AnyPosition = root
        for move in line:
            position = position.play(move)
        moves: list[Move] = []
        while position.outcome is None:
            if len(moves) > MOST_PLIES:
                text = quoted(root.game.text)
                raise RulesError(f"The rules of {text} failed: a game did not end within {MOST_PLIES:,} moves.")
            legal = position.legal_moves
            moves.append(legal[(number() >> 32) * len(legal) >> 32])
            position = position.play(moves[-1])
        return Playout(cast(tuple[MoveT, ...], tuple(moves)), half_points(position, root))


def random_words(count: int) -> NDArray[np.uint64]:
    """So many words that keys are added up from; always the same ones."""
    import numpy as np  # lazy: a game's rules and its twin are loaded before the first paint

    return np.random.default_rng(0x6E696D).integers(0, 1 << 64, count, np.uint64)


AnyTwin = KernelTwin[Any, Any, Any]
