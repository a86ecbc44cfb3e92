"""The truth by which results are judged: verdicts on moves, and regrets.

Theory, if the game has one, says whether a move was optimal, and its regret; elsewhere a bounded proof does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

from nimdesk.errors import PlanError
from nimdesk.games import AnyPosition, Move, kit_of, solver_for
from nimdesk.games.truth import Truth, Value
from nimdesk.limit import Limit

Verdict: TypeAlias = Literal["?", "=", "+", "-"]
"""A move against the truth: "?" unknown, "=" no move could lose value, "+" kept the value, "-" gave it away."""
Regrets: TypeAlias = Sequence[Sequence[int]]
"""For each position of a study, the regret of each legal move in half points."""
_KEPT = 1 << 15
# How long a proof runs between two checks whether it is still wanted.
_SLICE_S = 0.1


def judge(position: AnyPosition, move: Move, truth_nodes: int) -> Verdict:
    """The verdict on a legal move; "?" if ``truth_nodes`` do not suffice to prove the value of every move.

    With at most ``parts.MAX_TRUTH_NODES`` the answer is the same on every machine.
    """
    values, best = _values(position, truth_nodes), known_value(position, truth_nodes)
    if best is None:
        return "?"
    if all(value is best for value in values.values()):
        return "="
    return "+" if values[move] is best else "-"


def known_value(position: AnyPosition, truth_nodes: int) -> Value | None:
    """What the position, which is not over, is worth to the side to move; None unless ``truth_nodes`` suffice for the
    value of every move, as for ``judge``.
    """
    values = _values(position, truth_nodes)
    return max(values.values(), key=_score) if values else None


@lru_cache(maxsize=_KEPT)
def _values(position: AnyPosition, truth_nodes: int) -> dict[Move, Value]:
    """The value of every move, or nothing unless all are proven."""
    if not (truth_nodes or kit_of(position).by_formula(position)):
        return {}
    solver = solver_for(position, distances=False)
    solver.start(position)
    solver.advance(Limit(nodes=truth_nodes))
    truth = solver.truth()
    return {each.move: each.value for each in truth.moves} if truth.complete else {}


def _score(value: Value) -> float:
    assert value.score is not None
    return value.score


def prove(positions: Sequence[AnyPosition], nodes: int, check: Callable[[], object] = bool) -> tuple[Truth, ...]:
    """The exact value of every move of every position; ``check`` is called now and then, and may raise.

    ``PlanError`` for a position that ``nodes`` positions of search do not solve.
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
    """The regret of each legal move in half points: 0 for an optimal one, 2 for losing a won game."""
    best = truth.value.score
    worth = [each.value.score for each in truth.moves]
    assert best is not None
    return tuple(round(2 * (best - score)) for score in worth if score is not None)
