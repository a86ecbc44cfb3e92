"""Exact answers: Nim theory, the m,n,k solver; the value of a position and of every move.

Importing this package loads neither numba nor numpy; the modules that hold the solvers do.
"""

from nimdesk.theory.solve import solve, solver_for
from nimdesk.theory.types import MoveTruth, Solver, Truth, Value

__all__ = ["MoveTruth", "Solver", "Truth", "Value", "solve", "solver_for"]
