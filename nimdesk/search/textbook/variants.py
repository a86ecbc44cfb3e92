"""UCT in its variants, on positions: what each mistake of an implementation does can be read here."""

from __future__ import annotations

from collections.abc import Iterator

from nimdesk.games import AnyPosition
from nimdesk.search.options import VariantsOptions
from nimdesk.search.textbook.sampling import Node, TextbookUct


class TextbookVariants(TextbookUct):
    """The search of ``TextbookUct`` with the mistakes that the options name."""

    options: VariantsOptions

    def __init__(self, options: VariantsOptions | None = None) -> None:
        """Without options it is plain UCT."""
        super().__init__(VariantsOptions() if options is None else options, "variants")

    def resume(self, position: AnyPosition, seed: int) -> bool:
        """Begin a search of a later position of the same game from what the tree knows; False if it knows nothing."""
        moves = self._moves_since(position)
        if moves is None:
            return False
        node: Node | None = self.tree
        for move in moves:
            node = next((child for child in node.children if child.move == move), None) if node is not None else None
        if node is None:
            return False
        nodes = self._nodes
        self.start(position, seed)
        self.tree, self._nodes, self._reused = node, nodes, node.visits
        node.move = None
        if self.options.kept_tree == "wrong":
            for each in _all_below(node):
                each.half_points = 2 * each.visits - each.half_points
        return True

    def _simulate(self) -> None:
        position, path = self._position, [self.tree]
        while position.outcome is None:
            node = path[-1]
            ends = not node.children if self.options.growth == "all" else self._has_untried(node, position)
            if ends and not self._grows:
                break
            path.append(self._expand(node, position) if ends else self._select(node))
            move = path[-1].move
            assert move is not None
            position = position.play(move)
            if ends:
                break
        score = self._play_out(tuple(node.move for node in path if node.move is not None))
        for depth, node in enumerate(path):
            node.visits += 1
            node.half_points += self._credit(depth, len(path) - 1, score)

    def _credit(self, depth: int, last: int, score: int) -> int:
        """What a node at this depth is given, where ``score`` are the half points of the side to move at the root."""
        right = score if depth % 2 else 2 - score
        leaf = score if last % 2 else 2 - score
        return {"turns": right, "root": score, "leaf": leaf, "inverted": 2 - right}[self.options.backup]

    def _has_untried(self, node: Node, position: AnyPosition) -> bool:
        return len(node.children) < len(position.legal_moves)

    def _expand(self, node: Node, position: AnyPosition) -> Node:
        """Add one new child, or all of them; return the one to be played out."""
        move = self._untried(node, position)
        new = [Node(each) for each in position.legal_moves if self.options.growth == "all" or each == move]
        node.children += new
        self._nodes += len(new)
        return next(child for child in new if child.move == move)

    def _select(self, node: Node) -> Node:
        unseen = next((child for child in node.children if not child.visits), None)
        return super()._select(node) if unseen is None else unseen


def _all_below(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _all_below(child)
