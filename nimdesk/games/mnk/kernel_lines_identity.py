"""The identity of m,n,k positions on boards whose lines are read as patterns: what threatens, wins and has to be met.

It implements ``nimdesk.kernels.identity``; boards that are turned or mirrored are one position, as in ``identity``.
"""

from collections.abc import Sequence
from math import exp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.mnk import identity as windows
from nimdesk.games.mnk.evaluation import WEIGHTS
from nimdesk.games.mnk.identity import TURN, VIEW, Cells
from nimdesk.games.mnk.kernel_fours import win_by_fours
from nimdesk.games.mnk.kernel_lines import (
    Lines,
    begin,
    has_fours,
    in_fours,
    make_lines,
    next_cell,
    number_of,
    put,
    worth_of,
)
from nimdesk.games.mnk.patterns import (
    CATEGORIES,
    CLASS_BITS,
    CLASSES,
    COMPLETES,
    FREE,
    MOST_FOURS,
    NO_LINE,
    WINS_SOON,
)
from nimdesk.kernels import identity
from nimdesk.kernels import random as rng
from nimdesk.kernels.graph import PARTS
from nimdesk.kernels.identity import BY_FOURS, FORCED, LOSES, NOTHING, RANDOM_BITS, WINS
from nimdesk.kernels.jit import inlined, int64
from nimdesk.kernels.rules import DRAW, LOSS, WIN

_MASK = (1 << CLASS_BITS) - 1


class LinesIdentity(NamedTuple):
    """As ``MnkIdentity``, with ``lines`` in place of its windows; ``stack`` (int16) is scratch.

    ``state`` (int64) has the side to move and the view. ``weights`` (float64) are those of ``evaluation``.
    """

    lines: Lines
    words: NDArray[np.uint64]
    view_of: Cells
    cell_of: Cells
    root_keys: NDArray[np.uint64]
    root_state: NDArray[np.int64]
    keys: NDArray[np.uint64]
    state: NDArray[np.int64]
    stack: NDArray[np.int16]
    weights: NDArray[np.float64]


def make_identity(
    m: int,
    n: int,
    k: int,
    exact: bool,
    marks: list[tuple[int, int, int]],
    turn: int,
    weights: Sequence[float] = (0.0,) * WEIGHTS,
) -> LinesIdentity:
    """The identity with the root given as marks ``(column, row, side)``, the side to move, and how it is evaluated."""
    words, view_of, cell_of = windows.turned(m, n, gravity=False)
    keys = np.zeros(len(view_of), np.uint64)
    for column, row, side in marks:
        keys ^= words[side, row * m + column]
    lines = make_lines(m, n, k, exact, marks)
    state, stack = np.array([turn, 0], np.int64), np.zeros(m * n + 2, np.int16)
    scratch = keys.copy(), state.copy(), stack
    return LinesIdentity(lines, words, view_of, cell_of, keys, state, *scratch, np.array(weights, np.float64))


def _begin(g: Any) -> None:
    begin(g.lines)
    for i in range(g.keys.size):
        g.keys[i] = g.root_keys[i]
    for i in range(g.state.size):
        g.state[i] = g.root_state[i]


def _moved(g: Any, move: int) -> None:
    side = g.state[TURN]
    for view in range(g.keys.size):
        g.keys[view] ^= g.words[side, move, view]
    put(g.lines, int64(side), move)
    g.state[TURN] = 1 - side


@inlined
def _can_win(g: Any, side: int) -> bool:
    """Whether a row of the side is still possible: one that is goes through a free cell, where it is a pattern."""
    hopes = int64(0)
    for category in range(NO_LINE + 1, CATEGORIES):
        hopes += number_of(g.lines, side, category)
    return bool(hopes > 0)


def _outlook(g: Any) -> tuple[int, int]:
    side = int64(g.state[TURN])
    return (LOSS if _can_win(g, 1 - side) else DRAW), (WIN if _can_win(g, side) else DRAW)


def _assess(g: Any) -> tuple[int, int]:
    lines, side, none = g.lines, int64(g.state[TURN]), int64(-1)
    seen, cell = NOTHING, none
    if number_of(lines, side, COMPLETES) > 0:
        seen, cell = WINS, next_cell(lines, side, COMPLETES, none)
    elif number_of(lines, 1 - side, COMPLETES) > 1:
        seen = LOSES
    elif number_of(lines, 1 - side, COMPLETES) > 0:
        seen, cell = FORCED, next_cell(lines, 1 - side, COMPLETES, none)
    elif number_of(lines, side, WINS_SOON) > 0:
        seen, cell = int64(BY_FOURS + 3), next_cell(lines, side, WINS_SOON, none)
    elif has_fours(lines, side):
        plies, first = win_by_fours(lines, side, int64(MOST_FOURS), g.stack)
        if plies > 0:
            seen, cell = BY_FOURS + plies, first
    return seen, (int64(g.view_of[g.state[VIEW], cell]) if cell >= 0 else none)


def _candidates(g: Any, at_root: bool, order: bool, random: np.uint64, codes: Any, scores: Any) -> int:
    lines, side = g.lines, int64(g.state[TURN])
    view = 0 if at_root else g.state[VIEW]
    # Where the opponent is about to make two places to complete a row, nothing but a four or what it needs can matter.
    pressed = (
        not at_root
        and number_of(lines, 1 - side, WINS_SOON) > 0
        and number_of(lines, side, COMPLETES) + number_of(lines, side, WINS_SOON) == 0
    )
    count = 0
    for cell in range(lines.marks.size):
        if lines.marks[cell] == FREE and (not pressed or in_fours(lines, cell)):
            random = rng.step(random)
            worth = worth_of(lines, side, cell) if order else int64(0)
            codes[count] = g.view_of[view, cell]
            scores[count] = (worth << RANDOM_BITS) | rng.below(random, 1 << RANDOM_BITS)
            count += 1
    return count


def _evaluate(g: Any) -> int:
    lines, weights, counts, side = g.lines, g.weights, g.stack, int64(g.state[TURN])
    for i in range(2 * CLASSES):
        counts[i] = 0
    # Counted here, not as marks come and go, which would cost the boards that are not evaluated.
    for cell in range(lines.marks.size):
        if lines.marks[cell] == FREE:
            own, other = int64(lines.shapes[2 * cell + side]), int64(lines.shapes[2 * cell + 1 - side])
            for _ in range(4):
                counts[own & _MASK] += 1
                counts[CLASSES + (other & _MASK)] += 1
                own >>= CLASS_BITS
                other >>= CLASS_BITS
    total = weights[WEIGHTS - 1]
    for i in range(2 * CLASSES):
        total += weights[i] * counts[i]
    for category in range(CATEGORIES):
        total += weights[2 * CLASSES + category] * number_of(lines, side, category)
        total += weights[2 * CLASSES + CATEGORIES + category] * number_of(lines, 1 - side, category)
    return int64(2 * PARTS / (1.0 + exp(-total)) + 0.5)


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
