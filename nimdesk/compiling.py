"""Who wants to know that kernels are being compiled, which a search waits for once; known without loading numba."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

_KNOWN = {
    "mcts": "MCTS",
    "uct": "the textbook's MCTS",
    "flat": "flat Monte Carlo",
    "alphabeta": "alpha-beta",
    "variants": "the variants of MCTS",
    "mnk-solver": "the solver",
    "mnk-defence": "the solver's second part",
    "mnk-drop": "the solver",
    "mnk-certificate": "the writer of certificates",
    "mnk-threats": "the search for threats",
    "mnk-quiet": "the search for quiet moves",
    "uct-copy": "the copying of trees",
    "uct-repeated": "the repeating of searches",
    "variants-repeated": "the repeating of searches",
    "mcts-walk": "the walk through the tree",
    "keys": "the counting of positions",
    "take-grundy": "the values of heaps",
}
"""What people call kernels, by their name in ``first_use``."""


class Compiling(NamedTuple):
    """Of the kernels called ``what`` (by ``first_use``), ``done`` functions are compiled.

    How many there will be depends on the game, and on what has been compiled before.
    """

    what: str
    done: int

    @property
    def words(self) -> str:
        """What is done, and how far it is, in English without a full stop."""
        return f"compiling {_KNOWN.get(self.what, self.what)}, once; functions so far: {self.done}"


Listener = Callable[[Compiling | None], object]
_listeners: list[Listener] = []


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Within this, have ``listener`` called when kernels are compiled in this process, and not when they are on disk.

    It is called in the thread that compiles: at the beginning, after each function, and with None at the end, failed
    or not. It must be quick, and raise nothing. What another process compiles is told there.
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell(what: str, done: int) -> None:
    """Tell the listeners, as the one who compiles."""
    for listener in [*_listeners]:
        listener(Compiling(what, done))


def tell_end() -> None:
    """Tell the listeners that what was told of is compiled, or has failed."""
    for listener in [*_listeners]:
        listener(None)
