"""Questions that numba asks again and again while it compiles a kernel, to be answered once; see ``parts``."""

import operator
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from numba.core import base, errors, types
from numba.core.runtime import nrt
from numba.core.types import functions

# numba's own annotations say too little.
_base: Any = base
_types: Any = types
_runtime: Any = nrt.rtsys
_Function: Any = functions.BaseFunction

# Operators whose result does not depend on which number is known when compiled.
_OF_NUMBERS = {
    getattr(operator, name)
    for name in (
        *("add", "sub", "mul", "floordiv", "mod", "truediv", "and_", "or_", "xor", "lshift", "rshift", "invert", "neg"),
        *("iadd", "isub", "imul", "iand", "ior", "ixor", "ilshift", "irshift", "ifloordiv", "imod", "itruediv"),
        *("eq", "ne", "lt", "le", "gt", "ge", "not_"),
    )
}


def call_types() -> Callable[..., Any]:
    """What finds the types of a call of one of numba's own functions: first for the types, then for the code.

    For each operator numba asks those that know it for arrays, dates and sets, in turn, and writes down why not.
    """
    find = _Function.get_call_type
    known: dict[Any, Any] = {}

    def remembered(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws:
            return find(self, context, args, kws)
        if self.typing_key in _OF_NUMBERS:
            args = [_types.unliteral(each) for each in args]
        # The function itself knows which code belongs to the answer.
        question = id(self), tuple(args)
        answer = known.get(question)
        if answer is None:
            known[question] = answer = find(self, context, args, kws), self
        return answer[0]

    return remembered


def takes_place() -> Callable[[Any], bool]:
    """What says whether the code for a call wants to know its place in the source; Python is slow to tell."""
    has_place = _base._has_loc
    known: dict[Any, bool] = {}

    def remembered(function: Any) -> bool:
        answer = known.get(function)
        if answer is None:
            answer = known[function] = has_place(function)
        return answer

    return remembered


def tell_nobody(*_: Any, **__: Any) -> None:
    """In place of what tells whoever listens of each time that LLVM is called."""


_AT_ONCE: Any = nullcontext()


def warn_at_once(*_: Any, **__: Any) -> Any:
    """In place of what collects warnings, anew for each statement, to show them with its line."""
    return _AT_ONCE


class ErrorContext:
    """Adds to an error of numba what was being done: as numba's own, without a generator for each statement."""

    __slots__ = ("_args", "_format", "_kwargs")

    def __init__(self, fmt_: str, *args: Any, **kwargs: Any) -> None:
        """What was being done is ``fmt_`` with these."""
        self._format, self._args, self._kwargs = fmt_, args, kwargs

    def __enter__(self) -> None:
        """Nothing has happened yet."""

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        """Add it, and let the error pass."""
        if isinstance(error, errors.NumbaError):
            error.add_context(self._format.format(*self._args, **self._kwargs))


def load_code(context: Any) -> None:
    """Load the code of what kernels are made of: numbers, ranges, tuples and arrays."""
    _runtime.initialize(context)
    # lazy: needless for kernels that are found in the cache
    from numba.core import boxing, optional  # noqa: F401
    from numba.cpython import iterators, mathimpl, numbers, rangeobj, tupleobj  # noqa: F401
    from numba.np import arrayobj  # noqa: F401

    context.install_registry(mathimpl.registry)


def load_types(context: Any) -> None:
    """Load the types of the same."""
    from numba.core.typing import mathdecl

    context.install_registry(mathdecl.registry)
