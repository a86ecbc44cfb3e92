"""What a game gives to the generic search kernels: a few free functions, chosen at compile time.

A game is a ``NamedTuple`` of parameters, root arrays and working arrays. Its module gives bodies to the functions
below with ``numba.extending.overload``, so that one search kernel is compiled for each game at full speed and kept on
disk (closures and functions passed as arguments never are). Moves are small integer codes; a game says which is which.

A game gives all of them but ``guided_playout``, ``neighbours`` and ``overshoot_playout``, which have a default.

All results are half points: 2 for a win, 1 for a draw, 0 for a loss.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import overload

from nimdesk.kernels.jit import COMPILING, INLINED, PART

ONGOING = -1
LOSS, DRAW, WIN = 0, 1, 2
# How playouts choose their moves.
UNIFORM, ZEROING, PERFECT = 0, 1, 2


def reset(r: Any) -> None:
    """Bring the working position back to the root position."""
    raise NotImplementedError


def play(r: Any, move: int) -> int:
    """Play a legal move; ``ONGOING``, or the half points of the side that moved."""
    raise NotImplementedError


def legal_count(r: Any) -> int:
    """The number of legal moves in the working position (which is not over)."""
    raise NotImplementedError


def pick_untried(r: Any, tried: Any, marks: Any, count: int, random: np.uint64) -> int:
    """A legal move that is not among the first ``count`` of ``tried``, all equally likely; the position stays.

    Those are the moves picked here before, in this order, as entries (``tried.code_of``), and ``count`` is below
    ``legal_count``. ``marks`` (int32, two for each four of them, also for the last if they are fewer) belongs to the
    game, for what it wants to remember until the next pick; those that were not there then may hold anything.
    ``random`` is a stepped state.
    """
    raise NotImplementedError


def moves_fit(r: Any) -> bool:
    """Whether the moves tried here can be kept as bits of a 32-bit number; always the same for the same position."""
    raise NotImplementedError


def pick_unmarked(r: Any, marked: np.uint64, count: int, random: np.uint64) -> tuple[int, np.uint64]:
    """The same as ``pick_untried``, where ``moves_fit``; and ``marked``, of ``count`` moves, with the bit of this one.

    The first move is picked with no bit set.
    """
    raise NotImplementedError


def playout(r: Any, random: np.uint64) -> tuple[np.uint64, int]:
    """Play uniformly random moves to the end; the new random state, and the half points of the side to move now."""
    raise NotImplementedError


def guided_playout(r: Any, random: np.uint64, policy: int, ours_perfect: bool) -> tuple[np.uint64, int]:
    """Like ``playout``, but by a policy: ``ZEROING`` for both sides, or ``PERFECT`` for one and chance for the other.

    With ``PERFECT``, ``ours_perfect`` says that the side to move now is the one that plays perfectly. A game that does
    not implement it plays at random.
    """
    raise NotImplementedError


def undo(r: Any, move: int) -> None:
    """Take back the move that ``play`` made last."""
    raise NotImplementedError


def next_move(r: Any, after: int) -> int:
    """The smallest code of a legal move that is larger than ``after`` (-1 to begin with); -1 if there is none."""
    raise NotImplementedError


def neighbours(r: Any, move: int) -> int:
    """How many of the up to eight cells around the move's cell are occupied; 0 where a game does not implement it."""
    raise NotImplementedError


def overshoot_playout(r: Any, random: np.uint64) -> tuple[np.uint64, int]:
    """Like ``playout``, but with document 004's random move in Nim with one pile and a largest take K.

    It draws 1 to K whatever is left, and a number above what is left takes all of it: with two sticks left and K = 3
    the game ends with probability 2/3, where a uniformly random *legal* move ends it with 1/2.
    """
    raise NotImplementedError


_implemented: set[tuple[Callable[..., Any], type]] = set()


def implement(function: Callable[..., Any], rules: type, body: Callable[..., Any], *, inline: bool = True) -> None:
    """Give ``function`` this body for rules of the class ``rules``; the argument names must be the same.

    What is rarely used is better not inlined: it would cost everyone compile time.
    """
    _implemented.add((function, rules))
    _give(function, lambda kind: kind is rules, body, inline)


def _by_default(function: Callable[..., Any], body: Callable[..., Any]) -> None:
    """Give ``function`` this body for rules that have none."""
    _give(function, lambda kind: kind is not None and (function, kind) not in _implemented, body, inline=False)


def _give(function: Callable[..., Any], suits: Callable[[Any], bool], body: Callable[..., Any], inline: bool) -> None:
    def choose(*args: Any) -> Callable[..., Any] | None:
        # Of the tuple's type, or of a ``memory.held.Reference`` to it.
        return body if suits(getattr(args[0], "instance_class", None)) else None

    # numba wants chooser and body to have the same signature, so the chooser shows the body's.
    choose.__signature__ = inspect.signature(body)  # type: ignore[attr-defined]
    with COMPILING:
        overload(function, jit_options=INLINED if inline else PART)(choose)  # type: ignore[arg-type]


def _no_neighbours(r: Any, move: int) -> int:
    return 0


def _unguided_playout(r: Any, random: np.uint64, policy: int, ours_perfect: bool) -> tuple[np.uint64, int]:
    return playout(r, random)


def _no_overshoot(r: Any, random: np.uint64) -> tuple[np.uint64, int]:
    return playout(r, random)


_by_default(neighbours, _no_neighbours)
_by_default(guided_playout, _unguided_playout)
_by_default(overshoot_playout, _no_overshoot)
