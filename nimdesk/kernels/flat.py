"""Flat Monte Carlo: playouts shared out evenly among the root's moves, in resumable slices; no tree.

The playouts go round the moves in sweeps, one playout a move, so that the curves of all moves are fair at any time.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import rules
from nimdesk.kernels.jit import inlined, kernel
from nimdesk.kernels.rules import ONGOING, WIN

# How a playout goes on after our move; continues ``rules.UNIFORM``, ``rules.ZEROING`` and ``rules.PERFECT``.
OVERSHOOT = 3
# Slots of ``counts``.
ITERATIONS, TRACE_ROWS, PLAYOUTS = 0, 1, 2


class FlatSearch(NamedTuple):
    """What a search carries from slice to slice, for a root with L moves.

    ``policy``: ``rules.UNIFORM``, ``rules.PERFECT`` (the opponent plays perfectly, we at random) or ``OVERSHOOT``.
    ``counts`` int64 (3,) as named above; ``random`` uint64 (1,), the generator's state; ``codes`` int32 (L,), the
    moves; ``visits`` and ``score`` uint32 (L,), playouts and half points of the side to move at the root;
    ``trace_at`` int64 (T,) the iterations of the checkpoints; ``trace_visits`` and ``trace_score`` uint32 (T, L);
    ``trace_playouts`` int64 (T,): a move that ends the game is not played out.
    """

    policy: int
    counts: NDArray[np.int64]
    random: NDArray[np.uint64]
    codes: NDArray[np.int32]
    visits: NDArray[np.uint32]
    score: NDArray[np.uint32]
    trace_at: NDArray[np.int64]
    trace_visits: NDArray[np.uint32]
    trace_score: NDArray[np.uint32]
    trace_playouts: NDArray[np.int64]


@inlined
def _continue(r: Any, random: np.uint64, policy: int) -> tuple[np.uint64, int]:
    """Play on after our move: the half points are those of the opponent, who is to move."""
    if policy == rules.PERFECT:
        return rules.guided_playout(r, random, policy, True)
    if policy == OVERSHOOT:
        return rules.overshoot_playout(r, random)
    return rules.playout(r, random)


@kernel
def run(r: Any, s: Any, playouts: int) -> None:
    """Do this many more playouts, each after the next move in turn; a move that ends the game has its exact result."""
    random = s.random[0]
    done, row = s.counts[ITERATIONS], s.counts[TRACE_ROWS]
    column = done % s.codes.size
    for _ in range(playouts):
        rules.reset(r)
        half_points = rules.play(r, s.codes[column])
        if half_points == ONGOING:
            random, theirs = _continue(r, random, s.policy)
            half_points = WIN - theirs
            s.counts[PLAYOUTS] += 1
        s.visits[column] += np.uint32(1)
        s.score[column] += np.uint32(half_points)
        done += 1
        if done == s.trace_at[row]:
            for i in range(s.codes.size):
                s.trace_visits[row, i] = s.visits[i]
                s.trace_score[row, i] = s.score[i]
            s.trace_playouts[row] = s.counts[PLAYOUTS]
            row += 1
        column += 1
        if column == s.codes.size:
            column = 0
    s.random[0] = random
    s.counts[ITERATIONS], s.counts[TRACE_ROWS] = done, row
