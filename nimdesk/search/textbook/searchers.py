"""Minimax, alpha-beta and deepening on positions, with a tree that can be looked at.

They behave as the compiled searchers, whose subclasses they are; only the engine differs.
"""

from __future__ import annotations

import math

from nimdesk.search.alphabeta import AlphaBetaSearcher, DepthFirstSearcher
from nimdesk.search.deepening import DeepeningSearcher
from nimdesk.search.minimax import MinimaxSearcher
from nimdesk.search.textbook.depth_first import NODE_LIMIT, DepthFirst, End, Node
from nimdesk.search.tree_types import Branch, Cut, Family, Line, Window, signed


class _OnPositions(DepthFirstSearcher):
    engine = DepthFirst

    def family(self, line: Line) -> Family | None:
        """The node behind this line, or None if it is not kept."""
        return family_of(self._search, line)

    def tree_note(self) -> str:
        """What a viewer of the tree has to know."""
        assert isinstance(self._search, DepthFirst)
        return f"the first {NODE_LIMIT:,} are kept" if self._search.full else ""


class TextbookMinimax(_OnPositions, MinimaxSearcher):
    """A Searcher on positions."""


class TextbookAlphaBeta(_OnPositions, AlphaBetaSearcher):
    """A Searcher on positions."""


class TextbookDeepening(DeepeningSearcher):
    """A Searcher on positions. Its tree is that of the newest depth; in a long search, of the last one kept whole.

    The depth at which the kept nodes end is only partly there, so its values mean nothing yet.
    """

    engine = DepthFirst
    _complete: tuple[int, object] | None = None

    def _deepen(self) -> None:
        self._complete = self.depth, self._search
        super()._deepen()

    def _shown(self) -> tuple[int, object, str]:
        if self.nodes >= NODE_LIMIT and self._stopped is None and self._complete is not None:
            return *self._complete, f", the last that the first {NODE_LIMIT:,} nodes complete"
        return self.depth, self._search, ""

    def family(self, line: Line) -> Family | None:
        """The node behind this line, or None if it is not kept."""
        return family_of(self._shown()[1], line)

    def tree_note(self) -> str:
        """What a viewer of the tree has to know."""
        depth, _, which = self._shown()
        return f"depth {depth}{which}"


def family_of(tree: object, line: Line) -> Family | None:
    """The node behind this line and its branches, or None if it is not kept."""
    assert isinstance(tree, DepthFirst)
    node = tree.root
    for move in line:
        found = next((child for child in node.children if child.move == move), None)
        if found is None:
            return None
        node = found
    branches = tuple(_branch(tree, node, child) for child in node.children)
    return Family(line, tree.count(node), branches, cut=_cut(node) if node.end is End.CUT else None)


def _cut(node: Node) -> Cut:
    """The window as the search left this node: its value had become one of the two bounds."""
    assert node.value is not None
    alpha, beta = (node.value, node.beta) if node.maximises else (node.alpha, node.value)
    # A value at least beta, or at most alpha, is so for a bound that was finite.
    return Cut(int(alpha), int(beta), node.skipped)


def _branch(tree: DepthFirst, parent: Node, node: Node) -> Branch:
    assert node.move is not None
    alpha, beta = (int(each) if math.isfinite(each) else None for each in (node.alpha, node.beta))
    window = Window(alpha, beta, node.value, _why(tree, node), node is parent.best)
    return Branch(node.move, tree.count(node), children=len(node.children), window=window)


def _why(tree: DepthFirst, node: Node) -> str:
    """How the search of a node ended, in words."""
    if node.end is End.OPEN:
        return "not recorded to its end" if tree.full else End.OPEN.value
    if node.end is End.GAME_OVER:
        return f"{End.GAME_OVER.value}: {_result(tree, node)}"
    if node.end is End.DEPTH:
        return "depth limit: counts as a draw"
    if node.end is End.CUT:
        return _cut_words(tree, node)
    if tree.full:
        return End.ALL.value
    return f"all {_moves(len(node.children))} searched" if len(node.children) > 1 else "its only move searched"


def _result(tree: DepthFirst, node: Node) -> str:
    side = tree.position.turn
    if not node.value:
        return "draw"
    return f"{tree.position.game.side_name(side if node.value > 0 else side.other)} wins"


def _cut_words(tree: DepthFirst, node: Node) -> str:
    """Why the other moves of this node no longer mattered."""
    game, side, value = tree.position.game, tree.position.turn, signed(node.value or 0)
    ours, theirs = game.side_name(side), game.side_name(side.other)
    cut = f"cut off, {_moves(len(node.skipped))} not searched"
    if node.maximises:
        return f"{cut}: {ours} gets at least {value} here; {theirs} can hold it to {signed(int(node.beta))} elsewhere"
    return f"{cut}: {theirs} holds {ours} to at most {value} here; {ours} has {signed(int(node.alpha))} elsewhere"


def _moves(count: int) -> str:
    return f"{count} move" if count == 1 else f"{count} moves"
