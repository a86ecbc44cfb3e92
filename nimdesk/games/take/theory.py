"""Exact answers for take-away games: by Grundy values in normal play, by a look at every position in misère play.

In normal play whoever is to move loses exactly where the exclusive or of the Grundy values of all heaps is 0 (Sprague
and Grundy). Misère play of these games has no theory as simple (``Winning Ways``, chapter 13): every reachable position
is looked at, which small heaps allow; the value of a larger game stays unknown.
"""

from __future__ import annotations

from functools import lru_cache, reduce
from operator import xor
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.base import AnyPosition
from nimdesk.games.plain_solver import PlainSolver
from nimdesk.games.take.codes import HeapRule
from nimdesk.games.take.grundy import Period, small_sequence
from nimdesk.games.take.rules import TakeMove, TakePosition
from nimdesk.games.truth import FormulaSolver, MoveTruth, Solver, Truth, Value
from nimdesk.limit import Limit

_NAMED = 8
TEMPLATES = {
    "value": "The Grundy value is {total}.",
    "values": "The heaps have the Grundy values {values}, and their nim-sum is {total}.",
    "period": "The values of {rule} repeat every {length} from heap {start} on ({how}).",
    "won": "A move that leaves 0 wins.",
    "lost": "Every move changes it, and the opponent can make it 0 again.",
    "leaves": "{move} leaves the nim-sum {total}",
}
"""The sentences of an explanation, and the reason of a move, by their names here."""


class TakeSolver:
    """A ``Solver`` for take-away games: a formula in normal play, a search in misère play."""

    def __init__(self, *, distances: bool = True) -> None:
        """In normal play there are no distances."""
        self._distances = distances

    def start(self, position: AnyPosition) -> None:
        """Begin with this position."""
        assert isinstance(position, TakePosition)
        misere = position.game.misere
        self._inner: Solver = PlainSolver(distances=self._distances) if misere else FormulaSolver(normal_truth)
        self._inner.start(position)

    def advance(self, limit: Limit) -> bool:
        """Work until ``limit`` is met; True when the truth is complete."""
        return self._inner.advance(limit)

    @property
    def progress(self) -> float:
        """The part that is done."""
        return self._inner.progress

    def truth(self) -> Truth:
        """What is proven so far."""
        return self._inner.truth()


def heap_values(rule: HeapRule, heaps: tuple[int, ...]) -> tuple[int, ...]:
    """The Grundy value of each heap; of both together in Wythoff's game."""
    if rule.pairs:
        return (int(_wythoff(max(4, heaps[1].bit_length()))[heaps[0], heaps[1]]),)
    return tuple(int(small_sequence(rule).values[heap]) for heap in heaps)


def position_values(position: TakePosition) -> tuple[tuple[int, ...], ...]:
    """The Grundy values of each part."""
    return tuple(heap_values(part.rule, heaps) for part, heaps in zip(position.game.parts, position.board, strict=True))


def normal_truth(position: AnyPosition) -> Truth:
    """The whole truth of a position in normal play, without distances."""
    assert isinstance(position, TakePosition)
    values = position_values(position)
    started = perf_counter()  # compiling and filling the table of values is done, and does not count
    total = _sum(sum(values, ()))
    moves = []
    for move in position.legal_moves:
        at = max(0, move.part - 1)
        rule = position.game.parts[at].rule
        single = move.left or (move.heaps[0] - move.take,)
        after = position.board_after(move)[at] if rule.pairs else single
        before = values[at] if rule.pairs else heap_values(rule, move.heaps)
        lost = _sum((total, *before, *heap_values(rule, after))) == 0
        moves.append(MoveTruth(move, Value.WIN if lost else Value.LOSS))
    value = Value.WIN if total else Value.LOSS
    explanation = _explain(position, values, total) if moves else ""
    return Truth(position, value, None, tuple(moves), explanation=explanation, elapsed_s=perf_counter() - started)


def _explain(position: TakePosition, values: tuple[tuple[int, ...], ...], total: int) -> str:
    """What the values are, where their period comes from, and what to do."""
    listed = sum(values, ())
    shown = ", ".join(map(str, listed[:_NAMED])) + (" …" if len(listed) > _NAMED else "")
    told = [_told("value", total=total)] if len(listed) == 1 else [_told("values", values=shown, total=total)]
    for rule in dict.fromkeys(part.rule for part in position.game.parts if not part.rule.pairs):
        if (period := small_sequence(rule).period) is not None:
            told.append(period_sentence(rule, period))
    return " ".join([*told, _told("won" if total else "lost")])


def _told(name: str, **parts: object) -> str:
    return TEMPLATES[name].format(**parts)


def period_sentence(rule: HeapRule, period: Period) -> str:
    """A sentence such as "The values of 0.77 repeat every 12 from heap 71 on (proven)."."""
    how = "proven" if period.proven else "seen, not proven"
    return _told("period", rule=rule.text, length=period.length, start=period.start, how=how)


def reason(position: TakePosition, move: TakeMove) -> str:
    """Why a move in normal play is worth what it is, as a clause."""
    after = _sum(sum(position_values(position.play(move)), ()))
    return _told("leaves", move=move.text, total=after)


def _sum(values: tuple[int, ...]) -> int:
    return reduce(xor, values, 0)


@lru_cache(maxsize=4)
def _wythoff(bits: int) -> NDArray[np.uint16]:
    """The values of all pairs of heaps below this power of two.

    Value after value: each stands once in a row, a column and a diagonal, in the first place that is free for it; along
    a row, these places are those where no smaller value stands (Wythoff 1907 for 0; Dress, Flammenkamp and Pink 1999).
    """
    size = 1 << bits
    table = np.zeros((size, size), np.uint16)
    empty = np.ones((size, size), np.bool_)
    for value in range(4 * size):
        columns, diagonals = np.ones(size, np.bool_), np.ones(2 * size, np.bool_)
        for row in range(size):
            at = np.flatnonzero(empty[row] & columns & diagonals[size - row : 2 * size - row])
            if len(at):
                table[row, at[0]], empty[row, at[0]] = value, False
                columns[at[0]] = diagonals[size - row + at[0]] = False
        if not empty.any():
            break
    return table
