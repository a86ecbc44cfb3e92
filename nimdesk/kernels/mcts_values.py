"""What a node is worth, and what is proven of it: from its children, and back along a path; for ``kernels.mcts``."""

import numpy as np

from nimdesk.kernels import graph
from nimdesk.kernels.graph import NO_EDGES, UNTRIED, Graph
from nimdesk.kernels.jit import int64, part
from nimdesk.kernels.mcts_state import Search
from nimdesk.kernels.rules import LOSS, WIN


@part
def settle(t: Graph, node: np.uint64, total: float) -> None:
    """Give the node its mean value, within its bounds."""
    place = t.nodes[node]
    value = total / place.visits if place.visits else np.float64(place.value)
    least, most = 0.5 * graph.low(place.state), 0.5 * graph.high(place.state)
    value = least if value < least else value
    place.value = most if value > most else value


@part
def refresh(t: Graph, node: np.uint64, prove: bool) -> None:
    """Work out the node's bounds and value from its children."""
    place = t.nodes[node]
    state = place.state
    low, high, best = graph.low(state), graph.high(state), int64(LOSS)
    opened = graph.opened(state)
    total = 0.5 * graph.playout_score(t, node)
    at = np.uint64(place.first)
    for _ in range(opened):
        edge = t.edges[at]
        if edge.child >= 0:
            child = t.nodes[np.uint64(edge.child)]
            least, most = int64(WIN) - graph.high(child.state), int64(WIN) - graph.low(child.state)
            low = least if least > low else low
            best = most if most > best else best
            total += edge.visits * (1.0 - child.value)
        elif edge.child == UNTRIED:
            best = int64(WIN)
        at += np.uint64(1)
    if prove:
        if place.first != NO_EDGES and opened == graph.moves(state) and best < high:
            high = best
        place.state = graph.bounded(state, low, high)
    if graph.proven(place.state):
        place.value = 0.5 * graph.low(place.state)
    else:
        settle(t, node, total)


@part
def back_up(s: Search, t: Graph, depth: int, changed: bool) -> None:
    """Count the visit along the path; ``changed`` says that the last position's bounds are not what they were."""
    for i in range(depth - 1, -1, -1):
        node = np.uint64(s.path[i])
        edge, place = t.edges[np.uint64(s.taken[i])], t.nodes[node]
        edge.visits += 1
        place.visits += 1
        state = place.state
        if graph.proven(state):
            changed = False
        elif changed or s.totals[i] < 0.0:
            refresh(t, node, s.prove)
            changed = place.state != state
        else:
            child = t.nodes[np.uint64(edge.child)]
            settle(t, node, s.totals[i] + edge.visits * (1.0 - child.value))
