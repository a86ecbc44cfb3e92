"""What is behind an edge: a position that is known, or a new node for it; for ``kernels.mcts``."""

from typing import Any

import numpy as np

from nimdesk.games.mnk.identity import MnkIdentity
from nimdesk.games.nim.identity import NimIdentity
from nimdesk.kernels import graph, identity, rules
from nimdesk.kernels.graph import DOUBLE, EMPTY, ENDED, ROOT, UNTRIED, Graph
from nimdesk.kernels.identity import LOSES, NOTHING, WINS
from nimdesk.kernels.jit import int64, part
from nimdesk.kernels.mcts_edges import make_one_edge
from nimdesk.kernels.mcts_state import NODES, Search
from nimdesk.kernels.rules import LOSS, ONGOING, WIN, implement


def known_win(g: Any, s: Search, t: Graph) -> tuple[int, int]:
    """A move to a position that is known to be lost for the opponent: its code and that node; -1 without one.

    Only where a game has so few moves that looking all of them up for each new position pays.
    """
    raise NotImplementedError


def _nim_known_win(g: Any, s: Search, t: Graph) -> tuple[int, int]:
    for i in range(identity.candidates(g, False, False, np.uint64(0), s.codes, s.scores)):
        code = int64(s.codes[i])
        child = graph.find(t, identity.key_after(g, code))
        if child >= 0 and graph.high(t.nodes[child].state) == LOSS:
            return code, child
    return int64(-1), int64(UNTRIED)


def _mnk_known_win(g: Any, s: Search, t: Graph) -> tuple[int, int]:
    return int64(-1), int64(UNTRIED)


implement(known_win, NimIdentity, _nim_known_win, inline=False)
implement(known_win, MnkIdentity, _mnk_known_win, inline=False)


@part
def _new_node(g: Any, s: Search, t: Graph, key: np.uint64) -> int:
    """A node for the working position, with what is seen at once."""
    node = int64(s.counts[NODES])
    s.counts[NODES] = node + 1
    seen, code = NOTHING, int64(-1)
    low, high = int64(LOSS), int64(WIN)
    if s.prove:
        seen, code = identity.assess(g)
        low, high = identity.outlook(g)
    known, child = int64(-1), int64(UNTRIED)
    if seen == NOTHING and s.merge and s.prove:
        known, child = known_win(g, s, t)
    if seen == WINS or known >= 0:
        low = high = int64(WIN)
    if seen == LOSES:
        low = high = int64(LOSS)
    graph.clear(t, node, key, low, high)
    if seen == WINS:
        child = int64(ENDED + LOSS)
    elif known >= 0:
        code = known
    if code >= 0:
        make_one_edge(s, t, node, code, child)
    return node


@part
def follow(r: Any, g: Any, s: Search, t: Graph, node: int, edge: int) -> tuple[int, int]:
    """Play the edge's move; the edge that counts the visit, and the node behind it, new or known."""
    taken = t.edges[edge]
    code = int64(taken.code)
    move = code if node == ROOT else identity.to_move(g, code)
    identity.moved(g, move)
    result = rules.play(r, move)
    if result != ONGOING:
        taken.child = ENDED + WIN - result
        return edge, int64(taken.child)
    key = identity.key(g)
    child = int64(taken.child)
    if child != UNTRIED:
        return edge, child
    child = graph.find(t, key) if s.merge else int64(EMPTY)
    if child < 0:
        slot = EMPTY - child
        child = _new_node(g, s, t, key)
        if s.merge:
            graph.put(t, slot, key, child)
    elif node != ROOT:
        for known in range(t.nodes[node].first, edge):
            if t.edges[known].child == child:
                taken.child = DOUBLE
                return known, child
    taken.child = child
    return edge, child
