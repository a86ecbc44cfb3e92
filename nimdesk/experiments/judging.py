"""The truth about positions: whether a move was optimal, and for a study what each move gives away.

Theory knows it where the game has one; elsewhere it is a bounded proof.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Generic, TypeAlias, TypeVar

from nimdesk.errors import PlanError
from nimdesk.experiments.results import Verdict
from nimdesk.games import AnyPosition, Move, kit_of, solver_for
from nimdesk.games.truth import Truth, Value
from nimdesk.limit import Limit

Regrets: TypeAlias = Sequence[Sequence[int]]
"""For each position of a study, what each legal move gives away, in half points."""
KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")
_KEPT = 1 << 15
# How long a proof goes on before it looks whether it is still wanted.
_SLICE_S = 0.1


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
    if not (truth_nodes or kit_of(position).by_formula):
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


def prove(positions: Sequence[AnyPosition], nodes: int, check: Callable[[], object] = bool) -> tuple[Truth, ...]:
    """The exact value of every move of every position; ``check`` is called now and then, and may raise.

    ``PlanError`` for a position whose truth is not known after so many positions that the solver visited.
    """
    return tuple(_proven(position, nodes, check) for position in positions)


def _proven(position: AnyPosition, nodes: int, check: Callable[[], object]) -> Truth:
    solver = solver_for(position, distances=False)
    solver.start(position)
    time_s = 0.0
    while True:
        time_s += _SLICE_S
        if solver.advance(Limit(nodes=nodes, time_s=time_s)):
            return solver.truth()
        truth = solver.truth()
        if truth.complete:
            return truth
        if truth.nodes >= nodes:
            unknown = sum(each.value.score is None for each in truth.moves)
            raise PlanError(
                f"The truth about {position.text} is not known: after {nodes:,} positions {unknown} of its "
                f"{len(truth.moves)} moves are not proven. Choose a smaller board or a later position, or let the "
                "solver visit more."
            )
        check()


def regret_half_points(truth: Truth) -> tuple[int, ...]:
    """What each legal move gives away, in half points: 0 for an optimal one, 2 for losing a won game."""
    best = truth.value.score
    worth = [each.value.score for each in truth.moves]
    assert best is not None
    return tuple(round(2 * (best - score)) for score in worth if score is not None)
