"""Which positions are the same: keys, symmetries, and what can be seen at once of a position; for ``kernels.mcts``.

Beside the rules a graph search keeps an *identity* of the working position: a 64-bit key that equal positions share,
whatever the order of their moves, of their piles, or the way the board is turned. A node of the graph speaks of moves
by *codes* in the view of the key; ``to_move`` turns a code into a move of the working position. At the root, codes are
the moves themselves.

Also here, since the same counts serve: ``assess`` (what one look ahead proves) and ``candidates`` (the moves that
differ, best first by a heuristic). The module ``identity`` of each game has the bodies of these functions.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from nimdesk.kernels.graph import PARTS
from nimdesk.kernels.rules import implement

# What ``assess`` can say of the side to move.
NOTHING, WINS, LOSES, FORCED, BY_FOURS = 0, 1, 2, 3, 4
# The low bits of a score that are random; a worth takes the rest.
RANDOM_BITS = 24


def begin(g: Any) -> None:
    """Bring the working identity back to the root."""
    raise NotImplementedError


def moved(g: Any, move: int) -> None:
    """Follow a legal move; ``rules.play`` plays it on the board."""
    raise NotImplementedError


def key(g: Any) -> np.uint64:
    """The key of the working position; from here on codes are in its view."""
    raise NotImplementedError


def to_move(g: Any, code: int) -> int:
    """The move of the working position with this code in the view of its key."""
    raise NotImplementedError


def key_after(g: Any, code: int) -> np.uint64:
    """The key of the position that the move with this code, in the view of the key, leads to."""
    raise NotImplementedError


def outlook(g: Any) -> tuple[int, int]:
    """Half points that the side to move is certain to get at least, and at most, as far as the board alone shows it."""
    raise NotImplementedError


def assess(g: Any) -> tuple[int, int]:
    """What is seen at once of the side to move, and the code of the move that wins or is forced (-1 without one).

    ``WINS`` in one move, ``LOSES`` since it cannot meet two threats, ``FORCED`` to meet the only threat, ``BY_FOURS``
    and so many plies more where it wins by then with threats that have one answer each, or ``NOTHING``. Exact, never a
    guess.
    """
    raise NotImplementedError


def candidates(g: Any, at_root: bool, order: bool, random: np.uint64, codes: Any, scores: Any) -> int:
    """Write the codes of all moves that differ, and a score (int64, higher is better) of each; their number.

    Equal moves in the sense of the key may be there once or more often, and a move may be missing where ``assess`` sees
    that the opponent wins after it; ``at_root`` every legal move is there, as a move. With ``order`` the score is a
    heuristic where the game has one; its low bits are random, so that equals come in any order.
    """
    raise NotImplementedError


def evaluate(g: Any) -> int:
    """What the side to move may expect, in parts of half points (``graph.PARTS``): an estimate, if a game has one."""
    raise NotImplementedError


def _no_estimate(g: Any) -> int:
    return PARTS


def implement_all(kind: type, **bodies: Callable[..., Any]) -> None:
    """Give the functions above these bodies, each by its name, for identities of this class; all but ``evaluate``."""
    bodies = {"evaluate": _no_estimate} | bodies
    functions = (begin, moved, key, to_move, key_after, outlook, assess, candidates, evaluate)
    by_name = {function.__name__: function for function in functions}
    if wrong := sorted(by_name.keys() ^ bodies.keys()):
        raise TypeError(f"bodies for {kind.__name__} that are missing or belong to no function: {', '.join(wrong)}")
    for name, body in bodies.items():
        implement(by_name[name], kind, body, inline=False)
