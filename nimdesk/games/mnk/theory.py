"""The exact values of m,n,k games: Connect Four has a solver of its own, all other games share one."""

from __future__ import annotations

from msgspec.structs import replace

from nimdesk.errors import GameParameterError
from nimdesk.games.base import AnyPosition
from nimdesk.games.kit import threats_in, win_in
from nimdesk.games.mnk.drop_solver import DropSolver, covers
from nimdesk.games.mnk.line_solver import LineSolver
from nimdesk.games.mnk.rules import MnkPosition
from nimdesk.games.truth import MOST_TRIED, Threats, Truth, Value, with_threats
from nimdesk.games.truth_words import told
from nimdesk.limit import Limit

_LOOKS = ((2_000, 2_000), (100_000, MOST_TRIED))
"""After how many nodes wins by threats are looked for, and in how many positions."""


class MnkSolver:
    """A ``Solver`` for every ``MnkPosition``.

    ``advance`` returns True when the value of every move and (with ``distances``) its distance are known. The time
    limit is met within a few milliseconds, the limit on nodes exactly. ``memory_mb`` bounds the table, which starts
    small and grows with the work. Wins by threats are looked for twice where the answer is not found soon, each time
    for up to a second that no time limit cuts.
    """

    def __init__(self, *, distances: bool = True, memory_mb: int = 256) -> None:
        self._distances, self._memory_mb = distances, memory_mb
        self._solver: DropSolver | LineSolver | None = None
        self._threats: Threats | None = None
        self._looks = 0

    def start(self, position: AnyPosition) -> None:
        """Begin with this position; a finished game is solved at once. ``GameParameterError`` for another game.

        The first start in a process loads the kernels, and compiles them if this machine has never done so.
        """
        if not isinstance(position, MnkPosition):
            raise GameParameterError(f"The solver of m,n,k games cannot solve {position.game.text}.")
        self._position = position
        self._solver, self._threats, self._looks = None, None, 0
        if position.outcome is None:
            chosen = DropSolver if covers(position.game) else LineSolver
            self._solver = chosen(distances=self._distances, memory_mb=self._memory_mb)
            self._solver.start(position)
            win_in(position, most=0)  # loads the search for threats, which ``advance`` has no time to wait for

    def advance(self, limit: Limit) -> bool:
        """Work until ``limit`` (counted from the start) is met; return True when the truth is complete."""
        if self._solver is None:
            return True
        for nodes, most in _LOOKS[self._looks :]:
            if limit.nodes is not None and limit.nodes <= nodes:
                break
            if self._solver.advance(Limit(time_s=limit.time_s, nodes=nodes)):
                return True
            if self._solver.truth().nodes < nodes:
                return False
            self._looks += 1
            if self._threats is None or self._threats.win is None:
                # What parries a danger may still lose to it, or be no matter where the side to move wins itself.
                self._threats = threats_in(self._position, most=most) or self._threats
        return self._solver.advance(limit)

    @property
    def progress(self) -> float:
        """The part that is done, roughly, from 0 to 1: values and distances known, the position's own value first."""
        return 1.0 if self._solver is None else self._solver.progress

    @property
    def defended(self) -> float:
        """How much of a defence by blocking alone is found, roughly, 0 to 1; 0 if none is looked for."""
        return self._solver.defended if isinstance(self._solver, LineSolver) else 0.0

    def keep(self) -> bytes | None:
        """What ``resume`` needs to go on from here; None where there is little to keep."""
        return self._solver.keep() if isinstance(self._solver, LineSolver) else None

    def resume(self, position: AnyPosition, kept: bytes) -> None:
        """Begin like ``start``, but from what a solver with equal options has ``kept``; ``ValueError`` if it fails."""
        self.start(position)
        if not isinstance(self._solver, LineSolver) or not isinstance(position, MnkPosition):
            raise ValueError("this solver keeps nothing")
        self._solver.resume(position, kept)

    def truth(self) -> Truth:
        """What is proven so far; the rest is UNKNOWN."""
        position = self._position
        if self._solver is not None:
            found = self._solver.truth()
            truth = with_threats(found, self._threats)
            if truth.value is found.value:
                return truth
            side = position.turn if truth.value is Value.WIN else position.turn.other
            return replace(truth, explanation=told("found by threats", side=position.game.side_name(side)))
        if position.winner is None:
            return Truth(position, Value.DRAW, 0, (), explanation="The game is over: a draw.")
        winner = position.game.side_name(position.winner)
        return Truth(position, Value.LOSS, 0, (), explanation=f"The game is over: {winner} has won.")
