"""Reading the graph of ``kernels.mcts`` along a line of play, for people who want to look at it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import graph, identity, rules
from nimdesk.kernels.graph import ROOT
from nimdesk.kernels.jit import int64, large_kernel
from nimdesk.kernels.rules import ONGOING


@large_kernel
def walk(
    r: Any,
    g: Any,
    t: graph.Graph,
    line: NDArray[np.int16],
    out_edges: NDArray[np.int32],
    out_moves: NDArray[np.int16],
) -> tuple[int, int]:
    """Follow these moves from the root; the node they lead to (-1: none), and the number of its edges written out.

    Of each opened edge with a node behind it (so not those that are the same as an earlier one), ``out_edges`` gets the
    index and ``out_moves`` the move of the position at the end of this line.
    """
    rules.reset(r)
    identity.begin(g)
    node, at = ROOT, 0
    while True:
        count, next_node = 0, -1
        first = t.nodes[node].first
        for e in range(first, first + graph.opened(t.nodes[node].state)):
            if t.edges[e].child < 0:
                continue
            code = int64(t.edges[e].code)
            move = code if node == ROOT else identity.to_move(g, code)
            out_edges[count], out_moves[count] = e, move
            count += 1
            if at < line.size and move == line[at]:
                next_node = int64(t.edges[e].child)
        if at == line.size:
            return node, count
        if next_node < 0:
            return -1, 0
        identity.moved(g, int64(line[at]))
        result = rules.play(r, int64(line[at]))
        node = next_node
        at += 1
        if result != ONGOING:
            return (node, 0) if at == line.size else (-1, 0)
        identity.key(g)
