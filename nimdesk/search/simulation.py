"""One simulation of a tree search as it happened: plain values; neither numpy nor numba is loaded for them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from nimdesk.games import AnyPosition, Move
from nimdesk.search.tree_types import Branch, Family, Line


class Ending(Enum):
    """How a simulation came to its result."""

    PLAYOUT = "playout"
    GAME_OVER = "game over"
    PROVEN = "proven"


@dataclass(frozen=True, slots=True)
class Decision:
    """What happened in one node on the way down: its numbers before, the move taken, and whether that one was new.

    ``moves`` is the number of legal moves there.
    """

    family: Family
    position: AnyPosition
    chosen: Move
    is_new: bool

    @property
    def untried(self) -> int:
        """Legal moves that were not in the tree."""
        return len(self.position.legal_moves) - len(self.family.branches)


@dataclass(frozen=True, slots=True)
class Change:
    """A move on the way, before and after the result was backed up; None before the move was in the tree."""

    line: Line
    before: Branch | None
    after: Branch


@dataclass(frozen=True, slots=True)
class Simulation:
    """One simulation, from 1 on, as it happened.

    ``score`` is the result in [0, 1] for the side to move at the root. ``playout`` is None without one, and where its
    moves cannot be told (playouts by a policy). ``families`` are the nodes of ``decisions`` afterwards. ``leaders`` are
    the most visited moves before and after.
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
