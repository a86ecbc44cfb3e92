"""What the published versions of UCT do differently, chosen at compile time so that the textbook pays nothing for it.

``Textbook`` expands a random untried move, plays out uniformly, and takes the logarithm of the parent's visits.
``Published`` has all three as parameters.
"""

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from nimdesk.kernels import bits, rules
from nimdesk.kernels import random as rng
from nimdesk.kernels.jit import inlined, part
from nimdesk.kernels.rules import implement
from nimdesk.kernels.tree import FULL

TABLE_SIZE = 1 << 16
# From here on longer vectors pay.
MANY = np.uint64(24)

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


def prepare(v: Any, s: Any, t: Any, node: np.uint64) -> None:
    """Write down the child to select next in a node with all its children, whose statistics have just changed."""
    raise NotImplementedError


def select(v: Any, s: Any, t: Any, node: np.uint64) -> np.uint64:
    """The child to select in a node with all its children."""
    raise NotImplementedError


def pick(v: Any, r: Any, tried: Any, nodes: Any, node: np.uint64, random: np.uint64) -> int:
    """An untried move of the node, which is the working position; ``random`` is a stepped state."""
    raise NotImplementedError


def play_out(v: Any, r: Any, depth: int, random: np.uint64) -> tuple[np.uint64, int]:
    """Play out from a node at this depth; the half points are those of the side to move there."""
    raise NotImplementedError


@inlined
def _largest_bound(s: Any, t: Any, node: np.uint64, visits: int) -> np.uint64:
    """The first child with the largest mean + c * sqrt(ln N / n), where N is ``visits``."""
    factor = s.exploration * (s.roots[0, visits] if visits < TABLE_SIZE else np.float32(sqrt(log(visits))))
    first, count = np.uint64(t.nodes[node].first), np.uint64(t.nodes[node].children - FULL)
    if count > MANY:
        return np.uint64(first + bits.first_largest_of_many(t.mean, t.inv_sqrt, first, count, factor))
    return np.uint64(first + bits.first_largest(t.mean, t.inv_sqrt, first, count, factor))


def _prepare(v: Any, s: Any, t: Any, node: np.uint64) -> None:
    # A node's bounds change only when it is visited, so the choice is made then, for all nodes of the path at once;
    # on the way down each would have to wait for the one above it.
    t.nodes[node].best = _largest_bound(s, t, node, t.nodes[node].visits)


def _prepared(v: Any, s: Any, t: Any, node: np.uint64) -> np.uint64:
    return np.uint64(t.nodes[node].best)


def _prepare_nothing(v: Any, s: Any, t: Any, node: np.uint64) -> None:
    pass


def _select_now(v: Any, s: Any, t: Any, node: np.uint64) -> np.uint64:
    return _largest_bound(s, t, node, t.nodes[np.uint64(0) if v.root_log else node].visits)


def _pick_random(v: Any, r: Any, tried: Any, nodes: Any, node: np.uint64, random: np.uint64) -> int:
    children, first = nodes[node].children, nodes[node].first
    return rules.pick_untried(r, nodes.move[first:], children, random)


def _pick_published(v: Any, r: Any, tried: Any, nodes: Any, node: np.uint64, random: np.uint64) -> int:
    children, first = nodes[node].children, nodes[node].first
    if v.expansion == FIRST:
        return rules.next_move(r, nodes[first + children - 1].move if children else -1)
    for i in range(children):
        tried[i] = nodes[first + i].move
    if v.expansion == NEIGHBOURS:
        return _by_neighbours(r, tried, children, random)
    return rules.pick_untried(r, tried, children, random)


@part
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


implement(prepare, Textbook, _prepare)
implement(prepare, Published, _prepare_nothing)
implement(select, Textbook, _prepared)
implement(select, Published, _select_now)
implement(pick, Textbook, _pick_random)
implement(pick, Published, _pick_published)
implement(play_out, Textbook, _uniform)
implement(play_out, Published, _by_policy, inline=False)
