"""The exact answer for any position, by whatever knows it: theory for Nim, the solver for m,n,k games."""

from __future__ import annotations

from nimdesk.errors import GameParameterError
from nimdesk.games import AnyPosition, MnkPosition, NimPosition
from nimdesk.games.nim.theory import solve_nim
from nimdesk.games.truth import Solver, Truth
from nimdesk.limit import Limit


class NimSolver:
    """Nim theory with the face of a solver: everything is known as soon as it starts."""

    def start(self, position: AnyPosition) -> None:
        """Work the answer out; ``position`` must be of Nim."""
        assert isinstance(position, NimPosition)
        self._truth = solve_nim(position)

    def advance(self, limit: Limit) -> bool:
        """Nothing is left to do."""
        return True

    @property
    def progress(self) -> float:
        """All of it."""
        return 1.0

    def truth(self) -> Truth:
        """The answer."""
        return self._truth


def solver_for(position: AnyPosition) -> Solver:
    """A solver that suits the position's game; the caller starts it. May load numba: not on the UI thread."""
    if isinstance(position, NimPosition):
        return NimSolver()
    if isinstance(position, MnkPosition):
        from nimdesk.games.mnk.theory import MnkSolver  # lazy: loads numba, and Nim does without

        return MnkSolver()
    raise GameParameterError(f"There is no exact solver for {position.game.text}.")


def solve(position: AnyPosition, time_s: float) -> Truth:
    """What can be proven of the position within this time."""
    solver = solver_for(position)
    solver.start(position)
    solver.advance(Limit(time_s=time_s))
    return solver.truth()
