"""The two ways nimdesk compiles: ``kernel`` for what Python calls, ``inlined`` for the small parts inside.

Both are cached on disk and compiled with ``_nrt=False``: kernels allocate nothing, and without numba's run-time
counting of array references (an atomic instruction at each access to an array in a tuple) a simulation of
tic-tac-toe is six times faster.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])

# numba's own annotations do not know ``_nrt``.
_njit: Any = njit
APART: dict[str, Any] = {"_nrt": False, "error_model": "numpy"}
INLINED: dict[str, Any] = {"forceinline": True, **APART}
# For what Python can never call by itself: a way in would take longer to compile than the part.
NO_WAY_IN: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: F) -> F:
    """Compile for each combination of argument types; the GIL is released while it runs."""
    compiled: F = _njit(cache=True, nogil=True, **APART)(function)
    return compiled


def inlined(function: F) -> F:
    """Compile into each kernel that calls it."""
    compiled: F = _njit(cache=True, **INLINED)(function)
    return compiled
