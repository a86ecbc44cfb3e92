"""What the published versions of UCT do differently, chosen at compile time so that the textbook pays nothing for it.

``Textbook`` expands a random untried move, plays out uniformly, and takes the logarithm of the parent's visits.
``Published`` has all three as parameters.
"""

from typing import Any, NamedTuple

import numpy as np

from nimdesk.kernels import random as rng
from nimdesk.kernels import rules
from nimdesk.kernels.jit import kernel
from nimdesk.kernels.rules import implement

# Which untried move is expanded.
RANDOM, FIRST, NEIGHBOURS = 0, 1, 2


class Textbook(NamedTuple):
    """The usual choices; a named tuple needs a field to be told from another."""

    unused: int = 0


class Published(NamedTuple):
    """``root_log``: N is the root's visits; ``expansion`` as above; ``policy`` of playouts as in ``rules``."""

    root_log: bool
    expansion: int
    policy: int


def log_visits(v: Any, t: Any, node: int) -> int:
    """The N of the UCT rule at this node."""
    raise NotImplementedError


def pick(v: Any, r: Any, tried: Any, t: Any, node: int, random: np.uint64) -> int:
    """An untried move of the node, which is the working position; ``random`` is a stepped state."""
    raise NotImplementedError


def play_out(v: Any, r: Any, depth: int, random: np.uint64) -> tuple[np.uint64, int]:
    """Play out from a node at this depth; the half points are those of the side to move there."""
    raise NotImplementedError


def _parent_visits(v: Any, t: Any, node: int) -> int:
    return int(t[node].visits)


def _parent_or_root_visits(v: Any, t: Any, node: int) -> int:
    return int(t[0].visits if v.root_log else t[node].visits)


def _pick_random(v: Any, r: Any, tried: Any, t: Any, node: int, random: np.uint64) -> int:
    children, first = t[node].children, t[node].first
    for i in range(children):
        tried[i] = t[first + i].move
    return rules.pick_untried(r, tried, children, random)


def _pick_published(v: Any, r: Any, tried: Any, t: Any, node: int, random: np.uint64) -> int:
    children, first = t[node].children, t[node].first
    if v.expansion == FIRST:
        return rules.next_move(r, t[first + children - 1].move if children else -1)
    for i in range(children):
        tried[i] = t[first + i].move
    if v.expansion == NEIGHBOURS:
        return _by_neighbours(r, tried, children, random)
    return rules.pick_untried(r, tried, children, random)


@kernel
def _by_neighbours(r: Any, tried: Any, children: int, random: np.uint64) -> int:
    """The untried move with the most occupied neighbours; among equals a random one."""
    best, most, equals = -1, -1, 0
    move = rules.next_move(r, -1)
    while move >= 0:
        untried = True
        for i in range(children):
            untried = untried and tried[i] != move
        if untried:
            occupied = rules.neighbours(r, move)
            if occupied > most:
                best, most, equals = move, occupied, 1
            elif occupied == most:
                # Each of e equals ends up with probability 1/e (reservoir sampling).
                equals += 1
                random = rng.step(random)
                if rng.below(random, equals) == 0:
                    best = move
        move = rules.next_move(r, move)
    return best


def _uniform(v: Any, r: Any, depth: int, random: np.uint64) -> tuple[np.uint64, int]:
    return rules.playout(r, random)


def _by_policy(v: Any, r: Any, depth: int, random: np.uint64) -> tuple[np.uint64, int]:
    if v.policy == rules.UNIFORM:
        return rules.playout(r, random)
    # The perfect side is the opponent of the side to move at the root, who is to move at odd depths.
    return rules.guided_playout(r, random, v.policy, depth % 2 == 1)


implement(log_visits, Textbook, _parent_visits)
implement(log_visits, Published, _parent_or_root_visits)
implement(pick, Textbook, _pick_random)
implement(pick, Published, _pick_published)
implement(play_out, Textbook, _uniform)
implement(play_out, Published, _by_policy, inline=False)
