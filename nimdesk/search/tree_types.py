"""What is shown of a search tree: a node and its moves, as plain values; neither numpy nor numba is loaded for them.

A node is named by its *line*: the moves that lead to it from the root.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from nimdesk.games import AnyPosition, Move
from nimdesk.games.truth import Value

Line = tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """What minimax or alpha-beta knows of a node, on values 1, 0, −1 of the side to move at the root.

    ``alpha`` and ``beta`` as the node was reached, None where infinite; ``value`` None before the first; ``why`` says
    in words how its search ended, or that it has not.
    """

    alpha: int | None
    beta: int | None
    value: int | None
    why: str
    best: bool = False
    """Whether its parent has its value from it."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One move of a node, and what the search knows of the position behind it, for the side that plays the move.

    ``visits``: simulations that chose it (minimax, alpha-beta: nodes searched from it on). ``bound`` is
    mean_value + c * sqrt(ln N / n). ``proven`` is never an estimate; a finished game is proven. ``children`` counts
    the moves that are in the tree behind it.
    """

    move: Move
    visits: int
    mean_value: float | None = None
    bound: float | None = None
    proven: Value | None = None
    children: int = 0
    window: Window | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """A node and its branches, in the order in which the search made them.

    ``visits`` is the N of its branches' bounds; ``exploration`` is c, None for a search without bounds.
    """

    line: Line
    visits: int
    branches: tuple[Branch, ...]
    exploration: float | None = None


class TreeView(Protocol):
    """A tree that can be looked at."""

    @property
    def position(self) -> AnyPosition:
        """The position at its root."""

    def family(self, line: Line) -> Family | None:
        """The node behind this line; None where the tree does not reach."""


def upper_bound(mean: float, exploration: float, parent_visits: int, visits: int) -> float:
    """UCT's bound."""
    return mean + exploration * math.sqrt(math.log(max(parent_visits, 1)) / visits)


def signed(value: int) -> str:
    """Such as +1, 0, −1."""
    return f"{value:+d}".replace("-", "−") if value else "0"
