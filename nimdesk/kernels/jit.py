"""How nimdesk compiles: a ``kernel`` is what Python calls; ``inlined``, ``part`` and ``intrinsic`` are inside kernels.

Kernels are cached on disk, with all that is inside them; a search calls them first by ``first_use``.

Everything is compiled with ``_nrt=False``, the one option here that numba's documentation does not list. Kernels
allocate nothing, and without numba's run-time counting of array references (an atomic instruction at each access to an
array in a tuple) a simulation of tic-tac-toe is six times faster.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, RLock
from typing import Any, TypeVar, cast

import numpy as np
from numba import errors, extending, njit, types
from numba.core import event

from nimdesk import compiler_process, compiling
from nimdesk.kernels import BOUNDS_CHECKED, CACHE

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
    compiled: F = _njit(cache=CACHE.is_usable, nogil=True, **PART)(function)
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


# Held while kernels are compiled, and while a game adds its bodies to the functions that they call: numba would find
# one function with two types if a game came in the middle of a compilation in another thread.
COMPILING = RLock()
_loaded: set[tuple[object, ...]] = set()
_uncompiled: dict[tuple[object, ...], "UncompiledError"] = {}
# numba underlines with colours, in a terminal or not.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_locks: dict[str, Lock] = {}


class UncompiledError(Exception):
    """Kernels that numba cannot compile with the rules of a game: why, as a clause."""

    def __init__(self, error: errors.NumbaError) -> None:
        super().__init__(_reason(error))


def first_use(what: str, values: tuple[Any, ...], load: Callable[[], object], job: Callable[[], object]) -> None:
    """Call ``load``, which calls kernels with arguments of these types, unless that has been done before.

    ``what`` names those kernels, ``values`` are named tuples that decide which code is compiled for them. In a window,
    ``job`` runs before in another process, if the kernels are not on disk: it is pickled, and to do what ``load`` does.
    ``compiling.listening`` hears of what is compiled here. ``UncompiledError`` where numba refuses.
    """
    known: tuple[Any, ...] = (what, *(getattr(value, "kind", type(value)) for value in values))
    if known in _loaded:
        return
    name = " ".join((what, *map(_name, known[1:])))
    with _locks.setdefault(name, Lock()):
        if known in _uncompiled:  # it takes as long to refuse as to compile
            raise _uncompiled[known].with_traceback(None)
        processes = compiler_process.current()
        if processes is not None and CACHE.is_kept and not CACHE.has(name):
            processes.run(job)
        with CACHE.alone(name), COMPILING:
            try:
                with _told(what):
                    loaded = CACHE.load(load)
                if loaded:
                    CACHE.note(name)
            except errors.NumbaError as error:
                _uncompiled[known] = UncompiledError(error)
                raise _uncompiled[known] from error
        _loaded.add(known)


class _Count(event.Listener):
    """Tells of each function that numba has compiled; what it finds on disk is no event."""

    def __init__(self, what: str) -> None:
        self._what = what
        self.done: int | None = None

    def on_start(self, _: object) -> None:
        if self.done is None:
            self.done = 0
            compiling.tell(self._what, 0)

    def on_end(self, _: object) -> None:
        self.done = (self.done or 0) + 1
        compiling.tell(self._what, self.done)


@contextmanager
def _told(what: str) -> Iterator[None]:
    count = _Count(what)
    try:
        with event.install_listener("numba:compile", count):
            yield
    finally:
        if count.done is not None:
            compiling.tell_end()


def _name(kind: Any) -> str:
    """What tells the type of a held tuple, or the class of another one, from all others."""
    return kind.name if isinstance(kind, types.Type) else f"{kind.__module__}.{kind.__qualname__}"


def _reason(error: errors.NumbaError) -> str:
    """The first line that names what is wrong: those around it say within what numba was when it found that."""
    lines = [_COLOURS.sub("", line).strip() for line in str(error).splitlines()]
    told = [line for line in lines[1:] if line and not line.endswith(":")]
    inner = [line for line in told if re.match(r"\w+Error: (?!Failed in )", line)]
    return next(iter((*inner, *told, *lines)), type(error).__name__)
