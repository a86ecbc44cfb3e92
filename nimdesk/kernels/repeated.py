"""Many searches of one position by ``uct`` or by ``variants`` in one call, each with a seed of its own."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import places, tree, uct, variants
from nimdesk.kernels.jit import inlined, int64, kernel, part
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


@inlined
def _goes_first(visits: int, score: int, last: int, most: int, points: int, latest: int) -> bool:
    """Whether a move is chosen rather than the one before."""
    # With equal visits the half points are in the order of the means.
    return visits > most or (visits == most and (score > points or (score == points and last > latest)))


@part
def _most_visited(s: uct.Search, t: tree.Tree, last: NDArray[np.int64]) -> int:
    """The column of the most visited move; among equals that with the best mean, then with the largest ``last``."""
    first, count = int64(t.nodes[0].first), int64(t.nodes[0].children)
    best, most, points, latest = int64(-1), int64(0), int64(0), int64(-1)
    listed = count < FULL
    for i in range(count if listed else count - FULL):
        entry = int64(entries_of(t.nodes, first)[i]) if listed else int64(0)
        code = int64(code_of(entry) if listed else t.nodes[first + i].move)
        visits = int64(1 if listed else t.nodes[first + i].visits)
        score = int64(score_of(entry) if listed else t.nodes[first + i].score)
        column = int64(s.record.column_of[code])
        if _goes_first(visits, score, last[column], most, points, latest):
            best, most, points, latest = column, visits, score, int64(last[column])
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


@part
def _most_visited_variant(s: variants.Search, t: variants.Tree, last: NDArray[np.int64]) -> int:
    first = int64(t.nodes[0].first)
    best, most, points, latest = int64(-1), int64(0), int64(0), int64(-1)
    for child in range(first, first + int64(t.nodes[0].tried)):
        visits, score = int64(t.nodes[child].visits), int64(t.nodes[child].score)
        column = int64(s.record.column_of[t.nodes[child].move])
        if _goes_first(visits, score, last[column], most, points, latest):
            best, most, points, latest = column, visits, score, int64(last[column])
    return best


@kernel
def run_variants(
    r: Any,
    s: variants.Search,
    t: variants.Tree,
    most_moves: int,
    seeds: NDArray[np.uint64],
    budgets: NDArray[np.int64],
    last: NDArray[np.int64],
    choices: NDArray[np.int16],
) -> None:
    """Like ``run``; ``most_moves`` is that of ``variants.run``."""
    for i in range(seeds.size):
        for j in range(s.counts.size):
            s.counts[j] = 0
        s.counts[variants.USED] = s.counts[variants.NODES] = 1
        t.nodes[0].visits = t.nodes[0].score = 0
        t.nodes[0].children = t.nodes[0].tried = 0
        s.random[0] = seeds[i]
        for j in range(budgets.size):
            variants.run(r, s, t, True, most_moves, budgets[j] - s.counts[variants.ITERATIONS])
            choices[i, j] = _most_visited_variant(s, t, last[i])
