"""UCT as a search for nimdesk: a generator that says after each simulation how far it is. It plays every game."""

import math
import random
from typing import Annotated

from msgspec import Meta

from nimdesk.agents import Checkpoint, SearchOptions


class Options(SearchOptions, frozen=True):
    """What people can set."""

    exploration: Annotated[
        float, Meta(ge=0, le=100, title="Exploration c", description="Larger tries little-visited moves more often.")
    ] = math.sqrt(2)


class Node:
    """A position in the tree; ``value`` is the sum of the scores of the side that moved into it."""

    def __init__(self, position):
        self.position, self.children = position, {}
        self.untried = list(position.legal_moves)
        self.visits, self.value = 0, 0.0

    def bound(self, child, c):
        return child.value / child.visits + c * math.sqrt(math.log(self.visits) / child.visits)


def simulate(root, c, chance):
    node, path = root, [root]
    while node.children and not node.untried:  # select
        node = max(node.children.values(), key=lambda child: node.bound(child, c))
        path.append(node)
    if node.untried:  # expand
        move = node.untried.pop(chance.randrange(len(node.untried)))
        node.children[move] = node = Node(node.position.play(move))
        path.append(node)
    end = node.position
    while end.outcome is None:  # play out
        end = end.play(chance.choice(end.legal_moves))
    for node in path:  # back up, each for the side that moved into it
        node.visits += 1
        node.value += end.outcome.score(node.position.turn.other)


def told(root):
    """The nodes of the tree with at least ten visits, each after its parent."""
    waiting = [((), root)]
    while waiting:
        line, node = waiting.pop(0)
        if line:
            yield line, node.visits, node.value
        waiting += [((*line, move), child) for move, child in node.children.items() if child.visits >= 10]


class Search:
    title = "TITLE"
    about = "UCT of my own."
    options_type = Options
    tree = True

    def search(self, position, options, seed):
        chance, root, iterations = random.Random(seed), Node(position), 0
        while True:
            simulate(root, options.exploration, chance)
            iterations += 1
            visits = {move: child.visits for move, child in root.children.items()}
            value_sums = {move: child.value for move, child in root.children.items()}
            yield Checkpoint(iterations, visits, value_sums, tree=lambda: told(root))
