"""Whether a move was optimal: by theory where the game has one, else by a bounded proof."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

from nimdesk.experiments.results import Verdict
from nimdesk.games import AnyPosition, Move, kit_of, solver_for
from nimdesk.games.truth import Value
from nimdesk.limit import Limit

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")
_KEPT = 1 << 15


class Memory(Generic[KeyT, ValueT]):
    """The most recently used entries of a table, safe to use from several threads."""

    def __init__(self, size: int) -> None:
        """Keeps ``size`` entries at most."""
        self._size = size
        self._entries: OrderedDict[KeyT, ValueT] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: KeyT) -> ValueT | None:
        """The entry, or None."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def put(self, key: KeyT, value: ValueT) -> None:
        """Keep the entry, in place of the one that has not been asked for longest."""
        with self._lock:
            self._entries[key] = value
            if len(self._entries) > self._size:
                self._entries.popitem(last=False)


_judged: Memory[tuple[AnyPosition, int], dict[Move, Value]] = Memory(_KEPT)


def judge(position: AnyPosition, move: Move, truth_nodes: int) -> Verdict:
    """The verdict on a legal move; "?" where ``truth_nodes`` do not suffice to prove the value of every move.

    A node count of at most ``plan.MAX_TRUTH_NODES`` makes the answer the same on every machine.
    """
    kit = kit_of(position)
    if kit.new_solver is None or not (truth_nodes or kit.by_formula):
        return "?"
    values = _values(position, truth_nodes)
    if not values:
        return "?"
    best = max(values.values(), key=_score)
    if all(value is best for value in values.values()):
        return "="
    return "+" if values[move] is best else "-"


def _values(position: AnyPosition, truth_nodes: int) -> dict[Move, Value]:
    """The value of every move, or nothing where not all are proven."""
    known = _judged.get((position, truth_nodes))
    if known is None:
        solver = solver_for(position, distances=False)
        solver.start(position)
        solver.advance(Limit(nodes=truth_nodes))
        truth = solver.truth()
        known = {each.move: each.value for each in truth.moves} if truth.complete else {}
        _judged.put((position, truth_nodes), known)
    return known


def _score(value: Value) -> float:
    assert value.score is not None
    return value.score
