"""How nimdesk compiles: a ``kernel`` is what Python calls; ``inlined``, ``part`` and ``intrinsic`` are inside kernels.

Kernels are cached on disk, with all that is inside them. Everything is compiled with ``_nrt=False``: kernels allocate
nothing, and without numba's run-time counting of array references (an atomic instruction at each access to an array in
a tuple) a simulation of tic-tac-toe is six times faster.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import extending, njit

from nimdesk.kernels import BOUNDS_CHECKED

F = TypeVar("F", bound=Callable[..., Any])
# In kernels quicker to compile than ``int``, and never a literal type, for each of which numba compiles a part again.
int64 = cast(Callable[[Any], int], np.int64)

# numba's own annotations do not know ``_nrt``.
_njit: Any = njit
_extending: Any = extending
# How parts are compiled, also those that a game gives by ``overload``.
PART: dict[str, Any] = {"_nrt": False, "error_model": "numpy", "boundscheck": BOUNDS_CHECKED}
INLINED: dict[str, Any] = {"forceinline": True, **PART}


def kernel(function: F) -> F:
    """Compile for each combination of argument types; the GIL is released while it runs."""
    compiled: F = _njit(cache=True, nogil=True, **PART)(function)
    return compiled


def inlined(function: F) -> F:
    """Compile into each kernel that calls it. Called from Python it is a plain function."""
    compiled: F = _extending.register_jitable(**INLINED)(function)
    return compiled


def part(function: F) -> F:
    """Compile with each kernel that calls it, as a function of its own where LLVM finds that better."""
    compiled: F = _extending.register_jitable(**PART)(function)
    return compiled


def intrinsic(function: Callable[..., Any]) -> Any:
    """A part that is written out as LLVM instructions; numba's annotations show an argument that no caller passes."""
    return extending.intrinsic(function)
