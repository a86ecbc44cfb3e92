"""What the published versions of UCT do differently, chosen at compile time so that the textbook pays nothing for it.

``Textbook`` expands a random untried move, plays out uniformly, and takes the logarithm of the parent's visits.
``Published`` has all three as parameters.
"""

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from nimdesk.kernels import random as rng
from nimdesk.kernels import rules
from nimdesk.kernels.jit import inlined, int64, part
from nimdesk.kernels.memory import bits
from nimdesk.kernels.places import FULL, code_of, entries_of, marks_of
from nimdesk.kernels.rules import implement

# Roots of numbers below are looked up, of others worked out.
TABLE_SIZE = 1 << 20

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


def weigh(v: Any, p: Any, t: Any, node: np.uint64, child: np.uint64, depth: int) -> None:
    """Find, before the result is known, the child to select next in a node with all its children, but for this one.

    ``child`` is the one that the simulation at this depth goes on to, the only one whose statistics will change.
    """
    raise NotImplementedError


def settle(
    v: Any, p: Any, t: Any, node: np.uint64, child: np.uint64, depth: int, mean: np.float32, inv_sqrt: np.float32
) -> None:
    """Write down the child to select next: ``child``, with its new statistics, or what ``weigh`` found."""
    raise NotImplementedError


def prepare(v: Any, p: Any, t: Any, node: np.uint64) -> None:
    """Write down the child to select next in a node that has just got its last child; that visit is not counted yet."""
    raise NotImplementedError


def select(v: Any, p: Any, t: Any, node: np.uint64) -> np.uint64:
    """The child to select in a node with all its children."""
    raise NotImplementedError


def pick(v: Any, r: Any, nodes: Any, node: np.uint64, random: np.uint64) -> int:
    """An untried move of the node, which is the working position; ``random`` is a stepped state."""
    raise NotImplementedError


def play_out(v: Any, r: Any, depth: int, random: np.uint64) -> tuple[np.uint64, int]:
    """Play out from a node at this depth; the half points are those of the side to move there."""
    raise NotImplementedError


@inlined
def _factor(p: Any, visits: np.uint32) -> np.float32:
    """c * sqrt(ln N)."""
    return np.float32(p.exploration * (p.roots[0, visits] if visits < TABLE_SIZE else np.float32(sqrt(log(visits)))))


@inlined
def _largest_bound(t: Any, node: np.uint64, factor: np.float32, without: int) -> int:
    """The key of the first child with the largest mean + c * sqrt(ln N / n), but for the one in place ``without``."""
    first, count = np.uint64(t.nodes[node].first), np.uint64(t.nodes[node].children - FULL)
    return int64(bits.first_largest(t.bounds, first, count, factor, without))


def _weigh(v: Any, p: Any, t: Any, node: np.uint64, child: np.uint64, depth: int) -> None:
    # A node's bounds change only when it is visited, and all but one of them without regard to the result: they are
    # computed here, while the way down waits for memory, and nothing but one comparison is left for the way up.
    factor = _factor(p, t.nodes[node].visits + np.uint32(1))
    without = int64(child) - int64(t.nodes[node].first)
    level = np.uint64(depth)
    p.levels[level].factor = factor
    p.levels[level].rival = _largest_bound(t, node, factor, without)


def _settle(
    v: Any, p: Any, t: Any, node: np.uint64, child: np.uint64, depth: int, mean: np.float32, inv_sqrt: np.float32
) -> None:
    level = np.uint64(depth)
    ours, rival = bits.key(mean + p.levels[level].factor * inv_sqrt, child), p.levels[level].rival
    t.nodes[node].best = bits.place_of(ours if ours > rival else rival)


def _prepare(v: Any, p: Any, t: Any, node: np.uint64) -> None:
    factor = _factor(p, t.nodes[node].visits + np.uint32(1))
    t.nodes[node].best = bits.place_of(_largest_bound(t, node, factor, -1))


def _prepared(v: Any, p: Any, t: Any, node: np.uint64) -> np.uint64:
    return np.uint64(t.nodes[node].best)


def _weigh_nothing(v: Any, p: Any, t: Any, node: np.uint64, child: np.uint64, depth: int) -> None:
    pass


def _settle_nothing(
    v: Any, p: Any, t: Any, node: np.uint64, child: np.uint64, depth: int, mean: np.float32, inv_sqrt: np.float32
) -> None:
    pass


def _prepare_nothing(v: Any, p: Any, t: Any, node: np.uint64) -> None:
    pass


def _select_now(v: Any, p: Any, t: Any, node: np.uint64) -> np.uint64:
    factor = _factor(p, t.nodes[np.uint64(0) if v.root_log else node].visits)
    return bits.place_of(_largest_bound(t, node, factor, -1))


def _pick_random(v: Any, r: Any, nodes: Any, node: np.uint64, random: np.uint64) -> int:
    children = nodes[node].children
    if rules.moves_fit(r):
        # The list need not be looked at, which may be far away in memory.
        marked = np.uint64(np.uint32(nodes[node].best))
        move, marked = rules.pick_unmarked(r, marked, children, random)
        nodes[node].best = np.int32(marked)
        return int64(move)
    return _pick_untried(r, nodes, int64(nodes[node].first), children, random)


@inlined
def _pick_untried(r: Any, nodes: Any, first: int, children: int, random: np.uint64) -> int:
    return rules.pick_untried(r, entries_of(nodes, first), marks_of(nodes, first), children, random)


def _pick_published(v: Any, r: Any, nodes: Any, node: np.uint64, random: np.uint64) -> int:
    children, first = nodes[node].children, nodes[node].first
    entries = entries_of(nodes, int64(first))
    if v.expansion == FIRST:
        return rules.next_move(r, code_of(entries[children - 1]) if children else -1)
    if v.expansion == NEIGHBOURS:
        return _by_neighbours(r, entries, children, random)
    return _pick_untried(r, nodes, int64(first), int64(children), random)


@part
def _by_neighbours(r: Any, tried: Any, children: int, random: np.uint64) -> int:
    """The untried move with the most occupied neighbours; among equals a random one."""
    best, most, equals = -1, -1, 0
    move = rules.next_move(r, -1)
    while move >= 0:
        untried = True
        for i in range(children):
            untried = untried and code_of(tried[i]) != move
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


implement(weigh, Textbook, _weigh)
implement(weigh, Published, _weigh_nothing)
implement(settle, Textbook, _settle)
implement(settle, Published, _settle_nothing)
implement(prepare, Textbook, _prepare)
implement(prepare, Published, _prepare_nothing)
implement(select, Textbook, _prepared)
implement(select, Published, _select_now)
implement(pick, Textbook, _pick_random)
implement(pick, Published, _pick_published)
implement(play_out, Textbook, _uniform)
implement(play_out, Published, _by_policy, inline=False)
