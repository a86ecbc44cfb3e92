"""The identity of m,n,k positions on boards whose lines are read as patterns: what threatens, wins and has to be met.

It implements ``nimdesk.kernels.identity``; boards that are turned or mirrored are one position, as in ``identity``.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.mnk import identity as windows
from nimdesk.games.mnk import kernel_lines
from nimdesk.games.mnk.evaluation import weights
from nimdesk.games.mnk.identity import TURN, VIEW, Cells
from nimdesk.games.mnk.kernel_board import copy_all
from nimdesk.games.mnk.lines import MOST_FOURS, Lines, make_lines
from nimdesk.games.mnk.patterns import SOMETHING
from nimdesk.games.mnk.rules import MnkPosition
from nimdesk.kernels import identity
from nimdesk.kernels import random as rng
from nimdesk.kernels.graph import PARTS
from nimdesk.kernels.identity import RANDOM_BITS
from nimdesk.kernels.jit import int64
from nimdesk.kernels.rules import DRAW, LOSS, WIN


class LinesIdentity(NamedTuple):
    """As ``MnkIdentity``, with ``lines`` in place of its windows.

    ``state`` (int64) has the side to move and the view. ``weights`` (float64) are those of ``evaluation``, or none.
    """

    lines: Lines
    weights: NDArray[np.float64]
    words: NDArray[np.uint64]
    view_of: Cells
    cell_of: Cells
    root_keys: NDArray[np.uint64]
    root_state: NDArray[np.int64]
    keys: NDArray[np.uint64]
    state: NDArray[np.int64]


def make_identity(position: MnkPosition) -> LinesIdentity:
    """The identity with this position as the root."""
    game = position.game
    words, view_of, cell_of = windows.turned(game.m, game.n, gravity=False)
    keys, state = np.zeros(len(view_of), np.uint64), np.array([position.turn, 0], np.int64)
    for ply, move in enumerate(position.moves):
        keys ^= words[ply % 2, move.row * game.m + move.column]
    fitted = np.array(weights(game) or (), np.float64)
    root, working = (keys, state), (keys.copy(), state.copy())
    return LinesIdentity(make_lines(position), fitted, words, view_of, cell_of, *root, *working)


def _begin(g: Any) -> None:
    kernel_lines.begin(g.lines)
    copy_all(g.root_keys, g.keys)
    copy_all(g.root_state, g.state)


def _moved(g: Any, move: int) -> None:
    side = int64(g.state[TURN])
    for view in range(g.keys.size):
        g.keys[view] ^= g.words[side, move, view]
    kernel_lines.put(g.lines, side, move)
    g.state[TURN] = 1 - side


def _outlook(g: Any) -> tuple[int, int]:
    # A row that is still possible goes through a free cell, where it is a pattern.
    side = int64(g.state[TURN])
    loses = kernel_lines.number_of(g.lines, 1 - side, SOMETHING) > 0
    wins = kernel_lines.number_of(g.lines, side, SOMETHING) > 0
    return (LOSS if loses else DRAW), (WIN if wins else DRAW)


def _assess(g: Any) -> tuple[int, int]:
    seen, cell = kernel_lines.assess(g.lines, int64(g.state[TURN]), MOST_FOURS)
    return seen, (int64(g.view_of[g.state[VIEW], cell]) if cell >= 0 else int64(-1))


def _candidates(g: Any, at_root: bool, order: bool, random: np.uint64, codes: Any, scores: Any) -> int:
    lines, side = g.lines, int64(g.state[TURN])
    view = 0 if at_root else g.state[VIEW]
    pressed = not at_root and kernel_lines.is_pressed(lines, side)
    count = 0
    for cell in range(lines.cells):
        if kernel_lines.matters(lines, cell, pressed):
            random = rng.step(random)
            worth = kernel_lines.worth_of(lines, side, cell) if order else int64(0)
            codes[count] = g.view_of[view, cell]
            scores[count] = (worth << RANDOM_BITS) | rng.below(random, 1 << RANDOM_BITS)
            count += 1
    return count


def _evaluate(g: Any) -> int:
    probability = kernel_lines.evaluate(g.lines, int64(g.state[TURN]), g.weights)
    return int64(2 * PARTS * probability + 0.5)


identity.implement_all(
    LinesIdentity,
    begin=_begin,
    moved=_moved,
    key=windows.least_key,
    to_move=windows.cell_with_code,
    key_after=windows.least_key_after,
    outlook=_outlook,
    assess=_assess,
    candidates=_candidates,
    evaluate=_evaluate,
)
