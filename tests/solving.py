"""Exact answers for tests."""

from nimdesk.games import AnyPosition, solver_for
from nimdesk.games.truth import Truth
from nimdesk.limit import Limit


def solve(position: AnyPosition, time_s: float) -> Truth:
    """What can be proven of the position within this time."""
    solver = solver_for(position)
    solver.start(position)
    solver.advance(Limit(time_s=time_s))
    return solver.truth()
