"""What a trace says about convergence: pure functions of its arrays, and of the truth where that is known.

Shapes as in ``Trace``: T checkpoints, L root moves. Values are for the side to move at the root. Where there is nothing
to measure (a move without visits, a value that is not proven) the answer is NaN, never a guess.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nimdesk.games import Move
from nimdesk.games.truth import Truth, Value
from nimdesk.search.types import Choice, Trace

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


def exploration_terms(trace: Trace, exploration: float) -> Floats:
    """What UCT adds to each mean, c · √(ln N / n) with N all root visits, (T, L); NaN before the first visit."""
    log_n = np.log(np.maximum(totals(trace), 1.0))[:, np.newaxis]
    return exploration * np.sqrt(_divided(np.broadcast_to(log_n, trace.visits.shape), trace.visits))


def entropy_bits(trace: Trace, first: int = 0) -> Floats:
    """The entropy of the visit distribution in bits, (T,), from row ``first`` on: 0 if one move has all visits, log2 L
    if all are equal.
    """
    shares = trace.shares(first)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    # Adding zero turns the −0 of a single move into 0.
    entropy: Floats = -(shares * logs).sum(axis=1) + 0.0
    return entropy


def choices(trace: Trace, rule: Choice = "visits") -> Ints:
    """The column that the search would play at each checkpoint, (T,).

    It is the trace's own ``choice`` if it has one, else the first among equals by the rule.
    """
    if trace.choice is not None:
        return trace.choice
    return choice_by_rule(rule, trace.visits, trace.value_sum)


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


def changes(chosen: Ints, first: int = 0) -> Ints:
    """The rows after row ``first`` at which the choice (as from ``choices``) differs from the row before."""
    changed: Ints = first + 1 + np.flatnonzero(np.diff(chosen[first:]))
    return changed


def _divided(above: NDArray[np.float64], below: NDArray[np.uint32]) -> Floats:
    """The quotient, NaN where ``below`` is 0."""
    made = below.astype(np.float64)
    # This is faster than leaving those places out of the division.
    np.copyto(made, np.nan, where=below == 0)
    np.divide(above, made, out=made)
    return made


# Half points, as in ``nimdesk.kernels.rules``.
_LOSS, _DRAW, _WIN = 0, 1, 2
# The bounds of a move that is proven to lose.
_LOST = 1


def choice_by_rule(rule: Choice, visits: NDArray[np.uint32], value_sum: NDArray[np.float64]) -> NDArray[np.intp]:
    """The columns to play by these visits and sums of results, each (..., L); the answer is (...)."""
    if rule == "visits":
        return np.asarray(visits.argmax(axis=-1))
    n = np.maximum(visits, 1)
    value = np.where(visits > 0, value_sum / n, -np.inf)
    # The secure child has the largest lower confidence bound (Chaslot et al., 2008), here with A = 1.
    return np.asarray((value - 1.0 / np.sqrt(n) if rule == "secure" else value).argmax(axis=-1))


def choices_by_bounds(
    visits: NDArray[np.uint32], score: NDArray[np.float64], bounds: NDArray[np.uint8]
) -> NDArray[np.int64]:
    """The columns that the search would play, (T,), by rows as in ``mcts_state.Search``.

    It plays the most visited of the moves that are not proven worse than another, the first among equals. A move that
    was never tried comes before one that is proven to lose; that is played only if every move is.
    """
    # A move that was never tried has −1 as its lower bound, below a loss; its upper one is not asked for.
    opened, (low, high) = bounds > 0, np.divmod(bounds.astype(np.int64) - 1, 3)
    certain, hoped = low.max(axis=1, keepdims=True), high.max(axis=1, keepdims=True)
    fit = opened & (high >= certain) & (high > _LOSS)
    # A certain draw gets no visits: it gives way to an open move only if that promises more.
    fit &= (certain != _DRAW) | (low == _DRAW) | (score > visits)
    settled = (certain == _WIN) | ((certain == hoped) & opened.all(axis=1, keepdims=True))
    fit = np.where(settled, low == certain, fit)
    rank = np.where(fit, 2, np.where(opened, 0, 1))
    chosen: NDArray[np.int64] = (visits.astype(np.int64) + (rank << 40)).argmax(axis=1)
    return chosen


def lost_rows(bounds: NDArray[np.uint8]) -> Bools:
    """In which rows all moves opened are proven to lose, (T,), by bounds as in ``mcts_state.Search``."""
    return np.asarray((bounds <= _LOST).all(axis=1) & (bounds == _LOST).any(axis=1))


def proof_words(score: float, iterations: int, without_visit: int) -> str:
    """That the root was proven after so many iterations; ``score`` is 1, 1/2 or 0 for the side to move."""
    result = {0.0: "loses", 0.5: "draws", 1.0: "wins"}[score]
    found = " One of them found the proof complete and visited no move." if without_visit else ""
    return f"Proven after {iterations:,} iterations: with best play the side to move {result}.{found}"
