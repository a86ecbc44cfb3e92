"""What both exact solvers of m,n,k games share: a kernel that is called in slices, and the sentence on the result."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.mnk.rules import MnkPosition
from nimdesk.games.truth import Value
from nimdesk.games.truth_words import told, within_words
from nimdesk.limit import Limit

# The target length of one kernel call.
_SLICE_S = 0.003
_FIRST_SLICE = 100


class Pace:
    """How many positions a kernel visits in the time of one slice, as its last calls tell."""

    _per_s = 0.0

    def run(self, run: Callable[[int], int], most: float, time_left: float) -> int:
        """Have the kernel search for one slice, at most ``most`` positions; ``run`` returns how many it searched."""
        wanted = self._per_s * min(_SLICE_S, max(time_left, 0.0002)) if self._per_s else _FIRST_SLICE
        begin = time.perf_counter()
        done = run(int(min(max(wanted, 1), most)))
        took = time.perf_counter() - begin
        if took > 0 and (done >= _FIRST_SLICE or not self._per_s):
            self._per_s = done / took
        return done


class SlicedSolver(ABC):
    """A solver that works in slices until all is known.

    Once there is a larger table in ``_larger``, it is filled before the search goes on.
    """

    _position: MnkPosition
    _larger: NDArray[np.uint64] | None
    _nodes: int
    _elapsed_s: float

    def _begin(self, position: MnkPosition) -> None:
        """Nothing is searched yet."""
        self._position, self._larger = position, None
        self._nodes, self._elapsed_s = 0, 0.0

    def advance(self, limit: Limit) -> bool:
        """Work until ``limit`` (counted from the start) is met; return True when the truth is complete."""
        while not self._done:
            nodes_left = math.inf if limit.nodes is None else limit.nodes - self._nodes
            time_left = math.inf if limit.time_s is None else limit.time_s - self._elapsed_s
            if nodes_left <= 0 or time_left <= 0:
                return False
            begin = time.perf_counter()
            if self._larger is not None:
                self._migrate(self._larger)
            else:
                self._slice(nodes_left, time_left)
            self._elapsed_s += time.perf_counter() - begin
        return True

    @property
    @abstractmethod
    def _done(self) -> bool:
        """Whether all is known."""

    @abstractmethod
    def _slice(self, nodes_left: float, time_left: float) -> None:
        """Search for a while and draw the conclusions."""

    @abstractmethod
    def _migrate(self, larger: NDArray[np.uint64]) -> None:
        """Move some more entries to the larger table."""

    @property
    def _searched(self) -> str:
        return f"{self._nodes:,} position{'' if self._nodes == 1 else 's'}"

    def _text(self, value: Value, distance: int | None, *, blocked: bool, how: str = "") -> str:
        """The result in one sentence; ``blocked`` says whether no line is open, ``how`` how it was proven."""
        how = how or f"proven by searching {self._searched}"
        if value is Value.UNKNOWN:
            return told("not found", positions=self._searched)
        if value is Value.DRAW:
            return told("nobody") if blocked else told("found drawn", how=how)
        side = self._position.turn if value is Value.WIN else self._position.turn.other
        winner = self._position.game.side_name(side)
        if distance == 1:
            return told("completes", side=winner)
        soon = within_words(distance) or " (how soon is not yet known)"
        return told("found won", side=winner, soon=soon, how=how)
