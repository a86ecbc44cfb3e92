"""What a trace says about convergence: pure functions of its arrays, and of the truth where that is known.

Shapes as in ``Trace``: T checkpoints, L root moves. Values are for the side to move at the root. Where there is nothing
to measure (a move without visits, a value that is not proven) the answer is NaN, never a guess.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nimdesk.games import Move
from nimdesk.games.truth import Truth, Value
from nimdesk.search.bounds import Bound
from nimdesk.search.types import Trace

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def totals(trace: Trace) -> Floats:
    """All root visits at each checkpoint, (T,)."""
    made: Floats = trace.visits.sum(axis=1, dtype=np.float64)
    return made


def means(trace: Trace) -> Floats:
    """The mean value of each move, (T, L); NaN before its first visit."""
    return _divided(trace.value_sum, trace.visits)


def standard_errors(trace: Trace) -> Floats:
    """An upper bound on the standard error of each mean, (T, L); NaN before the first visit.

    A trace keeps the number and the sum of the results, not the draws. Of all results in [0, 1] with mean m, wins and
    losses alone vary most: √(m(1 − m)/n) is exact without draws and too wide with them. It is 0 for a move that has
    only won, or only lost. It treats playouts as independent and alike, which is customary though a search learns as it
    goes.
    """
    mean = means(trace)
    return np.sqrt(_divided(np.clip(mean * (1.0 - mean), 0.0, None), trace.visits))


def standard_error(mean: float, visits: int) -> float:
    """The same of one move that was visited."""
    return math.sqrt(max(0.0, mean * (1.0 - mean)) / visits)


def bonuses(trace: Trace, bound: Bound) -> Floats:
    """What the search adds to each mean at each checkpoint, by the bound that it maximises, (T, L).

    The visits of the root are its simulations and those kept from an earlier search. NaN before a move's first visit.
    """
    return bound.bonuses(trace.iterations.astype(np.float64) + trace.reused, trace.visits)


class MoveNumbers:
    """What a trace says of each move at each checkpoint, (T, L) each, worked out once and when it is first asked for.

    ``bound`` is what the search maximises, None where it follows no bound. Scores are NaN before a move's first visit.
    """

    def __init__(self, trace: Trace, bound: Bound | None) -> None:
        self.trace, self.visits = trace, trace.visits
        self.bound: Bound | None = bound

    @cached_property
    def counts(self) -> Floats:
        """The visits, as numbers to draw."""
        return self.visits.astype(np.float64)

    @cached_property
    def shares(self) -> Floats:
        """Each move's share of all visits."""
        return self.trace.shares()

    @cached_property
    def means(self) -> Floats:
        """The mean values."""
        return means(self.trace)

    @cached_property
    def errors(self) -> Floats:
        """The standard errors of the means."""
        return standard_errors(self.trace)

    @cached_property
    def error_band(self) -> tuple[Floats, Floats]:
        """One standard error to either side of each mean, as far as a score goes."""
        return (self.means - self.errors).clip(0, 1), (self.means + self.errors).clip(0, 1)

    @cached_property
    def bounds(self) -> Floats:
        """The upper bound of each move. Needs ``bound``."""
        assert self.bound is not None
        return self.means + bonuses(self.trace, self.bound)


def entropy_bits(trace: Trace, first: int = 0) -> Floats:
    """The entropy of the visit distribution in bits, (T,), from row ``first`` on: 0 if one move has all visits, log2 L
    if all are equal.
    """
    shares = trace.shares(first)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    # Adding zero turns the −0 of a single move into 0.
    entropy: Floats = -(shares * logs).sum(axis=1) + 0.0
    return entropy


def optimal_columns(trace: Trace, truth: Truth | None) -> Bools | None:
    """Which columns are proven to keep the position's value, (L,); None while that value is unknown."""
    if truth is None or truth.value is Value.UNKNOWN:
        return None
    best = set(truth.best_moves)
    return np.array([move in best for move in trace.moves], np.bool_)


def optimal_shares(trace: Trace, truth: Truth | None) -> Floats | None:
    """The share of visits on optimal moves, (T,); None while the position's value is unknown."""
    optimal = optimal_columns(trace, truth)
    return None if optimal is None else trace.shares()[:, optimal].sum(axis=1)


def move_regrets(moves: Sequence[Move], truth: Truth | None) -> Floats | None:
    """The regret of each move, (L,): the position's value minus the move's (win 1, draw 1/2, loss 0).

    NaN for a move that is not proven; None while the position's value is unknown.
    """
    best = None if truth is None else truth.value.score
    if truth is None or best is None:
        return None
    scores = {each.move: each.value.score for each in truth.moves}
    worth = [scores.get(move) for move in moves]
    return best - np.array([np.nan if score is None else score for score in worth])


def _divided(above: NDArray[np.float64], below: NDArray[np.uint32]) -> Floats:
    """The quotient, NaN where ``below`` is 0."""
    made = below.astype(np.float64)
    # This is faster than leaving those places out of the division.
    np.copyto(made, np.nan, where=below == 0)
    np.divide(above, made, out=made)
    return made
