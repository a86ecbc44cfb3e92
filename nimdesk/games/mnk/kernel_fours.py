"""Whether a side wins by fours alone: each of its moves threatens to complete a row, and has one answer at most.

Such a win is proven by trying the attacker's moves only, since the answers are forced. A stack stands in for recursion.
"""

from typing import Any

from nimdesk.games.mnk.kernel_lines import lift, next_cell, number_of, put
from nimdesk.games.mnk.patterns import COMPLETES, MAKES_FOUR
from nimdesk.kernels.jit import int64, part


@part
def _next_four(p: Any, side: int, after: int) -> int:
    """The next move of the side that may win by fours; -1 without one."""
    if number_of(p, 1 - side, COMPLETES) == 0:
        return next_cell(p, side, MAKES_FOUR, after)
    # The opponent threatens to complete a row: its one place is the only one.
    cell = next_cell(p, 1 - side, COMPLETES, int64(-1))
    return cell if cell > after and p.found[2 * cell + side] >= MAKES_FOUR else int64(-1)


@part
def win_by_fours(p: Any, side: int, most: int, stack: Any) -> tuple[int, int]:
    """The plies in which the side, which is to move, wins by fours, and its first move; (0, -1) where none was found.

    At most ``most`` fours are tried. ``stack`` (int16) holds the line: the fours that win are in its even places, with
    the answers between them. Neither side completes a row here with the next move. The lines are as before.
    """
    other, depth, tried, cell = 1 - side, int64(0), int64(0), int64(-1)
    plies, first = int64(0), int64(-1)
    while plies == 0:
        cell = _next_four(p, side, cell) if tried < most and 2 * depth + 2 < stack.size else int64(-1)
        if cell < 0:
            if depth == 0:
                break
            depth -= 1
            lift(p, other, int64(stack[2 * depth + 1]))
            cell = int64(stack[2 * depth])
            lift(p, side, cell)
            continue
        tried += 1
        put(p, side, cell)
        stack[2 * depth] = cell
        answer = int64(-1)
        if number_of(p, other, COMPLETES) == 0:
            if number_of(p, side, COMPLETES) > 1:
                plies = 2 * depth + 3
            else:
                answer = next_cell(p, side, COMPLETES, int64(-1))
        if answer < 0:
            lift(p, side, cell)
            continue
        put(p, other, answer)
        stack[2 * depth + 1] = answer
        depth += 1
        cell = int64(-1)
    if plies > 0:
        first = int64(stack[0])
        while depth > 0:
            depth -= 1
            lift(p, other, int64(stack[2 * depth + 1]))
            lift(p, side, int64(stack[2 * depth]))
    return plies, first
