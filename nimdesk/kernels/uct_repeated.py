"""Many searches of one position by ``kernels.uct`` in one call, each with a seed of its own."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import places, tree, uct
from nimdesk.kernels.jit import int64, kernel, part
from nimdesk.kernels.places import FULL, NO_BLOCK, code_of, entries_of


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
def _most_visited(s: uct.Search, t: tree.Tree) -> int:
    """The column of the most visited move, the first among equals."""
    first, count = int64(t.nodes[0].first), int64(t.nodes[0].children)
    best, most = int64(-1), int64(0)
    listed = count < FULL
    for i in range(count if listed else count - FULL):
        code = int64(code_of(entries_of(t.nodes, first)[i]) if listed else t.nodes[first + i].move)
        visits = int64(1 if listed else t.nodes[first + i].visits)
        column = int64(s.record.column_of[code])
        if visits > most or (visits == most and column < best):
            best, most = column, visits
    return best


@kernel
def run(r: Any, v: Any, s: uct.Search, t: tree.Tree, seeds: Any, budgets: Any, choices: NDArray[np.int16]) -> None:
    """Make a search with each of these seeds, and write its choice at each budget, as columns.

    The tree has room for the largest budget. All but the last three are held, as for ``uct.run``; the record of the
    search has no checkpoint that is reached.
    """
    for i in range(seeds.size):
        _clear(s, t)
        s.random[0] = seeds[i]
        done = int64(0)
        for j in range(budgets.size):
            uct.run(r, v, s, t, True, budgets[j] - done)
            done = int64(budgets[j])
            choices[i, j] = _most_visited(s, t)
