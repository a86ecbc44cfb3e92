"""The tree of a game's variations: what was played, and what was played instead."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from nimdesk.games import AnyPosition, Move
from nimdesk.search import Snapshot


class Ply(msgspec.Struct, frozen=True):
    """One move played: by whom, how long it took, and the search that chose it.

    ``by`` is "Human", the title of the agent, or "" for a move that was given with the start position. ``comment`` is
    what somebody wrote about it, as files of other programs have it.
    """

    move: Move
    by: str = ""
    elapsed_s: float | None = None
    snapshot: Snapshot | None = None
    comment: str = ""


class Node:
    """A place in the tree: the position after one ply, and the plies that were played from there.

    The first of ``children`` goes on with the line, the others begin variations. A game alone changes its nodes.
    """

    __slots__ = ("_children", "parent", "ply", "position")

    def __init__(self, position: AnyPosition, ply: Ply | None = None, parent: Node | None = None) -> None:
        """``ply`` leads from ``parent`` to ``position``; the root has neither."""
        self.position, self.ply, self.parent = position, ply, parent
        self._children: list[Node] = []

    @property
    def children(self) -> tuple[Node, ...]:
        """What was played here, the main line first."""
        return tuple(self._children)

    def child(self, move: Move) -> Node | None:
        """Where this move led that was played here before; None if it was not."""
        return next((node for node in self._children if node.ply is not None and node.ply.move == move), None)

    @property
    def path(self) -> list[Node]:
        """All nodes from the root to this one."""
        nodes, node = [self], self.parent
        while node is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]

    @property
    def onward(self) -> list[Node]:
        """The nodes after this one, along the first children to the end of the line."""
        nodes: list[Node] = []
        node = self
        while node._children:
            node = node._children[0]
            nodes.append(node)
        return nodes

    @property
    def rank(self) -> int:
        """The place among the children of its parent: 0 goes on with the line. 0 for the root."""
        return 0 if self.parent is None else self.parent._children.index(self)

    @property
    def on_main_line(self) -> bool:
        """Whether no variation leads here."""
        node = self
        while node.parent is not None:
            if node.parent._children[0] is not node:
                return False
            node = node.parent
        return True

    def walk(self) -> Iterator[Node]:
        """This node and all below it, each after its parent, siblings in their order."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node._children))

    def insert(self, child: Node, rank: int | None = None) -> None:
        """Make it a child at this place; at the end without one."""
        self._children.insert(len(self._children) if rank is None else rank, child)

    def remove(self, child: Node) -> None:
        """Let go of a child and all below it."""
        self._children.remove(child)


class Line(msgspec.Struct, frozen=True):
    """The nodes of one line of a tree, without the node it leaves from; ``of`` is the place of the line it leaves."""

    of: int
    after: int
    nodes: list[Node]


def lines_of(root: Node) -> list[Line]:
    """Every node of the tree but the root in exactly one line: the main line, then the variations.

    Each variation leaves a line before it in this list, after ply number ``after``. Those that leave the same node
    come in their order, so that playing all lines in order makes the same tree.
    """
    lines = [Line(0, 0, root.onward)]
    for place, line in enumerate(lines):
        for node in [root, *line.nodes] if place == 0 else line.nodes:
            for child in node.children[1:]:
                lines.append(Line(place, node.position.ply, [child, *child.onward]))
    return lines
