"""Exact answers: Nim theory, the m,n,k solver; the value of a position and of every move.

The package itself holds only what answers look like; ``nimdesk.theory.solve`` works them out, and is not imported here,
so that the window can paint before.
"""

from nimdesk.theory.types import MoveTruth, Solver, Truth, Value

__all__ = ["MoveTruth", "Solver", "Truth", "Value"]
