"""Who wants to know that kernels are being compiled, which a search waits for once; known without loading numba."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

# By the name in ``first_use``: what people call it, and how many functions numba compiles for it, counted for m,n,k
# games in a process that had compiled nothing before. Another game has a few more or less; what several kernels have in
# common is compiled once in a process.
_KNOWN = {
    "mcts": ("MCTS", 66),
    "uct": ("the textbook's MCTS", 62),
    "flat": ("flat Monte Carlo", 15),
    "alphabeta": ("alpha-beta", 24),
    "variants": ("the variants of MCTS", 34),
    "mnk-solver": ("the solver", 26),
    "mnk-defence": ("the solver's second part", 20),
    "mnk-drop": ("the solver", 21),
    "mnk-certificate": ("the writer of certificates", 20),
    "mnk-threats": ("the search for threats", 27),
    "mnk-quiet": ("the search for quiet moves", 36),
    "uct-copy": ("the copying of trees", 11),
    "uct-repeated": ("the repeating of searches", 5),
    "variants-repeated": ("the repeating of searches", 5),
    "mcts-walk": ("the walk through the tree", 4),
    "keys": ("the counting of positions", 8),
    "take-grundy": ("the values of heaps", 6),
}


class Compiling(NamedTuple):
    """Of the kernels called ``what`` (by ``first_use``), ``done`` of about ``total`` functions are compiled."""

    what: str
    done: int
    total: int

    @property
    def words(self) -> str:
        """What is done, and how far it is, in English without a full stop."""
        name, _ = _KNOWN.get(self.what, (self.what, 0))
        return f"compiling {name}, once: {self.done} of about {self.total} functions"


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
    _, total = _KNOWN.get(what, ("", 1))
    for listener in [*_listeners]:
        listener(Compiling(what, done, max(done, total)))


def tell_end() -> None:
    """Tell the listeners that what was told of is compiled, or has failed."""
    for listener in [*_listeners]:
        listener(None)
