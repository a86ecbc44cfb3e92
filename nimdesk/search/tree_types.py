"""What is shown of a search tree, and of one simulation in it: plain values, without numpy and numba.

A node is named by its *line*: the moves that lead to it from the root.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol, runtime_checkable

from nimdesk.games import AnyPosition, Move
from nimdesk.games.truth import Value
from nimdesk.search.bounds import Bound
from nimdesk.search.types import BriefSearcher, Snapshot

Line = tuple[Move, ...]
VALUES = {0: Value.LOSS, 1: Value.DRAW, 2: Value.WIN}
"""The value of each number of half points."""


@dataclass(frozen=True, slots=True)
class Window:
    """What minimax or alpha-beta knows of a node, with values 1, 0, −1 for the side to move at the root.

    ``alpha`` and ``beta`` are as the node was reached, None if infinite. ``value`` is None before the first. ``why``
    says in words how its search ended, or that it has not.
    """

    alpha: int | None
    beta: int | None
    value: int | None
    why: str
    best: bool = False
    """Whether its parent has its value from it."""

    @property
    def alpha_text(self) -> str:
        """Alpha as it is shown: with its sign, or −∞."""
        return "−∞" if self.alpha is None else signed(self.alpha)

    @property
    def beta_text(self) -> str:
        """Beta as it is shown: with its sign, or +∞."""
        return "+∞" if self.beta is None else signed(self.beta)


@dataclass(frozen=True, slots=True)
class Cut:
    """Why alpha-beta left a node before its last move: alpha was at least beta, so nothing that followed could matter.

    ``alpha`` and ``beta`` are the window as it left, for the side to move at the root: what this side has for sure, and
    what the other one can hold it to. ``moves`` were not searched, in the order in which they would have been.
    """

    alpha: int
    beta: int
    moves: Line


@dataclass(frozen=True, slots=True)
class Branch:
    """One move of a node, and what the search knows of the position behind it, for the side that plays the move.

    ``visits`` are the simulations that chose it (minimax, alpha-beta: nodes searched below it). ``bound`` is its upper
    bound by the rule of its ``Family``. ``proven`` is never an estimate; a finished game is proven. ``children`` counts
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

    ``visits`` is the N of its branches' bounds; ``bound`` is what the search maximises, None for one without bounds.
    ``cut`` is there where alpha-beta has left the node before its last move.
    """

    line: Line
    visits: int
    branches: tuple[Branch, ...]
    bound: Bound | None = None
    cut: Cut | None = None


@runtime_checkable
class TreeView(Protocol):
    """A search whose tree can be looked at, by the thread that runs it, between two slices."""

    @property
    def position(self) -> AnyPosition:
        """The position at its root."""

    def family(self, line: Line) -> Family | None:
        """The node behind this line, or None if not reached."""

    def tree_note(self) -> str:
        """What a viewer of the tree has to know, or ""."""


class Ending(Enum):
    """How a simulation got its result."""

    PLAYOUT = "playout"
    ESTIMATE = "estimate"
    GAME_OVER = "game over"
    PROVEN = "proven"


@dataclass(frozen=True, slots=True)
class Decision:
    """One node on the way down: its numbers before, the move taken, and whether that move was new.

    ``moves`` is the number of legal moves there.
    """

    family: Family
    position: AnyPosition
    chosen: Move
    is_new: bool

    @property
    def untried(self) -> int:
        """The number of legal moves that were not in the tree."""
        return len(self.position.legal_moves) - len(self.family.branches)


@dataclass(frozen=True, slots=True)
class Change:
    """A move on the way, before and after the backup; None before the move was in the tree."""

    line: Line
    before: Branch | None
    after: Branch


@dataclass(frozen=True, slots=True)
class Simulation:
    """One simulation as it happened; ``number`` counts from 1.

    ``score`` is the result in [0, 1] for the side to move at the root. ``playout`` is None if there was none, or if its
    moves are not known (playouts by a policy). ``families`` are the nodes of ``decisions`` afterwards. ``leaders`` are
    the moves that the search would have played before and after; ``states`` are the whole search then, with the newest
    row of its trace alone.
    """

    number: int
    root: AnyPosition
    decisions: tuple[Decision, ...]
    ending: Ending
    score: float
    playout: tuple[Move, ...] | None
    changes: tuple[Change, ...]
    families: tuple[Family, ...]
    leaders: tuple[Move | None, Move | None]
    states: tuple[Snapshot, Snapshot] | None = field(default=None, compare=False, repr=False)

    @property
    def line(self) -> Line:
        """The moves down the tree, the new one included."""
        return tuple(decision.chosen for decision in self.decisions)

    @property
    def leaf(self) -> AnyPosition:
        """The position at the end of ``line``."""
        position = self.root
        for move in self.line:
            position = position.play(move)
        return position


@runtime_checkable
class StepView(TreeView, BriefSearcher, Protocol):
    """A search whose simulations can be shown one by one."""

    @property
    def iterations(self) -> int:
        """Simulations done."""

    @property
    def by_visits(self) -> bool:
        """Whether the move played always is one with the most visits."""

    def forget_last(self) -> None:
        """Prepare to be asked about the next simulation."""

    def last_line(self) -> Line:
        """The moves of the last simulation in the tree, including the new one."""

    def last_result(self, before: Any) -> tuple[Ending, float]:
        """How the last simulation ended, and its score in [0, 1] for the side to move at the root.

        ``before`` stands one simulation earlier.
        """

    def last_playout(self, before: Any) -> Line | None:
        """The moves of the last simulation's playout, or None if they are not known."""


def signed(value: int) -> str:
    """The value with its sign: +1, 0 or −1."""
    return f"{value:+d}".replace("-", "−") if value else "0"


def value_of(position: AnyPosition, move: Move) -> Value | None:
    """The value of a move that ends the game, for the side that plays it; None for any other move."""
    outcome = position.play(move).outcome
    return None if outcome is None else VALUES[round(2 * outcome.score(position.turn))]
