"""The tree of a search, whichever algorithm grew it, to be looked at: a node and its moves at a time, copied.

A node is named by its line, since where nodes stand in memory changes while a search runs. A view may be used between
two slices of its search, in the thread that runs it.
"""

from __future__ import annotations

import math

import numpy as np

from nimdesk.games import AnyPosition, kernel_of
from nimdesk.games.truth import Value
from nimdesk.kernels import tree as kernel_tree
from nimdesk.kernels.places import FULL, OVER
from nimdesk.kernels.rules import DRAW, LOSS, WIN
from nimdesk.search.mcts import MctsSearcher
from nimdesk.search.parallel_uct import ParallelUctSearcher
from nimdesk.search.recorded_tree import End, RecordedNode, RecordedTree
from nimdesk.search.tree_types import Branch, Family, Line, TreeView, Window, signed, upper_bound
from nimdesk.search.types import Searcher
from nimdesk.search.uct import UctSearcher

_VALUE = {LOSS: Value.LOSS, DRAW: Value.DRAW, WIN: Value.WIN}


def tree_of(searcher: Searcher | RecordedTree) -> TreeView | None:
    """The view of a search's tree; None for a search that has none.

    Of several trees that grow side by side it is the first.
    """
    if isinstance(searcher, UctSearcher):
        return UctTree(searcher)
    if isinstance(searcher, ParallelUctSearcher):
        return UctTree(searcher.trees[0])
    if isinstance(searcher, MctsSearcher):
        return MctsTree(searcher)
    if isinstance(searcher, RecordedTree):
        return DepthFirstTree(searcher)
    return None


class UctTree:
    """The tree of plain UCT."""

    def __init__(self, searcher: UctSearcher) -> None:
        """Of a search that has started."""
        self._searcher = searcher

    @property
    def position(self) -> AnyPosition:
        """The position at its root."""
        return self._searcher.position

    def family(self, line: Line) -> Family | None:
        """The node behind this line; None where the tree does not reach."""
        searcher = self._searcher
        tree, c = searcher.search_tree, searcher.options.exploration
        place, node, children = tree.nodes[0], 0, kernel_tree.children(tree, 0)
        for move in line:
            code = kernel_of(self.position).encode_move(self.position.game, move)
            found = np.flatnonzero(children["move"] == code)
            if not len(found):
                return None
            place, stands = children[found[0]], kernel_tree.child(tree, node, code)
            # A move in a list of those tried has no node of its own yet.
            node, children = (0, children[:0]) if stands is None else (stands, kernel_tree.children(tree, stands))
        decode = kernel_of(self.position).decode_table(self.position.game)
        n = int((tree.nodes[0] if searcher.options.log_n == "root" else place)["visits"])
        branches = []
        for child in children:
            visits, below = int(child["visits"]), int(child["children"])
            mean = int(child["score"]) / (2 * visits) if visits else None
            bound = None if mean is None else upper_bound(mean, c, n, visits)
            over = _VALUE[OVER - below] if below < 0 else None
            count = below & (FULL - 1) if below > 0 else 0
            branches.append(Branch(decode[int(child["move"])], visits, mean, bound, over, count))
        return Family(line, n, tuple(branches), c)


class MctsTree:
    """The graph of ``MctsSearcher``, unfolded: a position that several lines reach is behind each of them."""

    def __init__(self, searcher: MctsSearcher) -> None:
        """Of a search that has started."""
        self._searcher = searcher

    @property
    def position(self) -> AnyPosition:
        """The position at its root."""
        return self._searcher.position

    def family(self, line: Line) -> Family | None:
        """The node behind this line; None where the graph does not reach."""
        searcher = self._searcher
        node, found, codes = searcher.walk(line)
        if node < 0:
            return None
        nodes, edges = searcher.search_graph
        c, n = searcher.options.exploration, int(nodes[node]["visits"])
        decode = kernel_of(self.position).decode_table(self.position.game)
        branches = []
        for edge, code in zip(edges[found], codes.tolist(), strict=True):
            visits, child = int(edge["visits"]), nodes[edge["child"]]
            mean = 1.0 - float(child["value"]) if visits else None
            bound = None if mean is None else upper_bound(mean, c, n, visits)
            proven = _VALUE[WIN - int(child["low"])] if child["low"] == child["high"] else None
            branches.append(Branch(decode[code], visits, mean, bound, proven, int(child["opened"])))
        return Family(line, n, tuple(branches), c)


class DepthFirstTree:
    """The tree of minimax or alpha-beta, as it was recorded."""

    def __init__(self, tree: RecordedTree) -> None:
        """Of a recording that may go on."""
        self._tree = tree

    @property
    def position(self) -> AnyPosition:
        """The position at its root."""
        return self._tree.position

    def family(self, line: Line) -> Family | None:
        """The node behind this line; None where the recording does not reach."""
        node = self._tree.root
        for move in line:
            found = next((child for child in node.children if child.move == move), None)
            if found is None:
                return None
            node = found
        return Family(line, self._tree.count(node), tuple(self._branch(node, child) for child in node.children))

    def _branch(self, parent: RecordedNode, node: RecordedNode) -> Branch:
        assert node.move is not None
        alpha, beta = (int(each) if math.isfinite(each) else None for each in (node.alpha, node.beta))
        window = Window(alpha, beta, node.value, self._why(node), node.move == parent.best)
        return Branch(node.move, self._tree.count(node), children=len(node.children), window=window)

    def _why(self, node: RecordedNode) -> str:
        if node.end is End.OPEN:
            return "not recorded to its end" if self._tree.full else End.OPEN.value
        if node.end is End.GAME_OVER:
            return f"{End.GAME_OVER.value}: {self._result(node)}"
        if node.end is End.DEPTH:
            return "depth limit: counts as a draw"
        if node.end is End.ALL:
            return f"all {_moves(len(node.children))} searched" if len(node.children) > 1 else "its only move searched"
        return self._cut_words(node)

    def _result(self, node: RecordedNode) -> str:
        side = self.position.turn
        if not node.value:
            return "draw"
        return f"{self.position.game.side_name(side if node.value > 0 else side.other)} wins"

    def _cut_words(self, node: RecordedNode) -> str:
        """Why nothing else mattered in this node."""
        game, side, value = self.position.game, self.position.turn, signed(node.value or 0)
        ours, theirs = game.side_name(side), game.side_name(side.other)
        cut = f"cut off, {_moves(node.skipped)} not searched"
        if node.maximises:
            return (
                f"{cut}: {ours} gets at least {value} here; {theirs} can hold it to {signed(int(node.beta))} elsewhere"
            )
        return f"{cut}: {theirs} holds {ours} to at most {value} here; {ours} has {signed(int(node.alpha))} elsewhere"


def _moves(count: int) -> str:
    return f"{count} move" if count == 1 else f"{count} moves"
