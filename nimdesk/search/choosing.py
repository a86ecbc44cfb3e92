"""Which move a search plays by what its root knows: columns, the first one among equals."""

import numpy as np
from numpy.typing import NDArray

from nimdesk.search.types import Choice

# Half points, as in ``nimdesk.kernels.rules``.
_LOSS, _DRAW, _WIN = 0, 1, 2


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
    """The columns that the search would play, (T,), by rows as in ``mcts_state.Search``: the most visited that is fit.

    Fit is what nothing proves to be worse than another move. A move that was never tried comes before one that is
    proven to lose, which is played only if every move is. Among equals the first move in the order of the position is
    played.
    """
    opened, proven = bounds > 0, bounds.astype(np.int64) - 1
    low, high = np.where(opened, proven // 3, -1), np.where(opened, proven % 3, -1)
    certain, hoped = low.max(axis=1, keepdims=True), high.max(axis=1, keepdims=True)
    fit = opened & (high >= certain) & (high > _LOSS)
    # A certain draw gets no visits: it gives way to an open move only if that promises more.
    fit &= (certain != _DRAW) | (low == _DRAW) | (score > visits)
    settled = (certain == _WIN) | ((certain == hoped) & opened.all(axis=1, keepdims=True))
    fit = np.where(settled, low == certain, fit)
    rank = np.where(fit, 2, np.where(opened, 0, 1))
    chosen: NDArray[np.int64] = (visits.astype(np.int64) + (rank << 40)).argmax(axis=1)
    return chosen
