"""Many searches of one position by ``kernels.uct`` in one call, each with a seed of its own."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import places, tree, uct
from nimdesk.kernels.jit import int64, kernel, part
from nimdesk.kernels.places import FULL, NO_BLOCK, code_of, entries_of, score_of


@part
def _clear(s: uct.Search, t: tree.Tree) -> None:
    """Begin a search of the root anew."""
    for i in range(s.counts.size):
        s.counts[i] = 0
    s.counts[places.USED] = s.counts[uct.NODES] = 1
    s.counts[uct.ADDED] = uct.NO_MOVE
    for i in range(s.free.size):
        s.free[i] = NO_BLOCK
    root = t.nodes[0]
    root.visits = root.score = 0
    root.first, root.best, root.children = NO_BLOCK, 0, 0


@part
def _most_visited(s: uct.Search, t: tree.Tree, last: NDArray[np.int64]) -> int:
    """The column of the most visited move; among equals that with the best mean, then with the largest ``last``."""
    first, count = int64(t.nodes[0].first), int64(t.nodes[0].children)
    best, most, points = int64(-1), int64(0), int64(0)
    listed = count < FULL
    for i in range(count if listed else count - FULL):
        entry = int64(entries_of(t.nodes, first)[i]) if listed else int64(0)
        code = int64(code_of(entry) if listed else t.nodes[first + i].move)
        visits = int64(1 if listed else t.nodes[first + i].visits)
        score = int64(score_of(entry) if listed else t.nodes[first + i].score)
        column = int64(s.record.column_of[code])
        # With equal visits the half points are in the order of the means.
        equal = visits == most and score == points and (best < 0 or last[column] > last[best])
        if visits > most or (visits == most and score > points) or equal:
            best, most, points = column, visits, score
    return best


@kernel
def run(
    r: Any,
    s: uct.Search,
    t: tree.Tree,
    seeds: NDArray[np.uint64],
    budgets: NDArray[np.int64],
    last: NDArray[np.int64],
    choices: NDArray[np.int16],
) -> None:
    """Make a search with each of these seeds, and write its choice at each budget, as columns.

    ``last`` (seeds x columns) decides between moves with equal visits and means: the largest is chosen. The tree has
    room for the largest budget. The first three are held, as for ``uct.run``; the record of the search has no
    checkpoint that is reached.
    """
    for i in range(seeds.size):
        _clear(s, t)
        s.random[0] = seeds[i]
        done = int64(0)
        for j in range(budgets.size):
            uct.run(r, s, t, True, budgets[j] - done)
            done = int64(budgets[j])
            choices[i, j] = _most_visited(s, t, last[i])
