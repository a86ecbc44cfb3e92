"""The tree of a search by another process, as far as that tells it."""

from __future__ import annotations

import time

from nimdesk.games import AnyPosition, Move
from nimdesk.plugins.process import HostError
from nimdesk.plugins.protocol import Checkpoint, TreeNode
from nimdesk.search.foreign import SLICE_S, ForeignSearcher
from nimdesk.search.textbook.sampling import after
from nimdesk.search.tree_types import Branch, Family, Line

_LOOK_S = 1.0
_TREE_NODES = 1_000


class ForeignTree(ForeignSearcher):
    """The same by an engine that tells the top of its tree: a ``TreeView``."""

    @property
    def position(self) -> AnyPosition:
        """The position searched."""
        return self._position

    def family(self, line: Line) -> Family | None:
        """The node behind this line; None where the engine did not tell it."""
        self._look()
        key = tuple(move.text for move in line)
        if (line and key not in self._visits) or not self._children:
            return None
        legal = {move.text: move for move in after(self._position, line).legal_moves}
        branches = tuple(self._branch(node, legal[node.line[-1]]) for node in self._children.get(key, ()))
        return Family(line, self._visits[key] if line else self._count, branches)

    def tree_note(self) -> str:
        """What a viewer of the tree has to know."""
        return f"as told by the engine: its {len(self._visits):,} most visited nodes" if self._visits else ""

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin with a position that is not over, without waiting."""
        self._children: dict[tuple[str, ...], list[TreeNode]] = {}
        self._visits: dict[tuple[str, ...], int] = {}
        self._looked_at = -1
        super().start(position, seed)

    def _branch(self, node: TreeNode, move: Move) -> Branch:
        mean = min(max(node.value_sum / node.visits, 0.0), 1.0) if node.visits else None
        return Branch(move, node.visits, mean, children=len(self._children.get(tuple(node.line), ())))

    def _look(self) -> None:
        """Have the top of the tree told as it is now."""
        engine, done = self._held.engine, self._count
        if engine is None or engine.going or not self._begun or not done or self._looked_at == done:
            return
        self._looked_at = done
        try:
            self._go_to(engine, done, _TREE_NODES)
            until = time.monotonic() + _LOOK_S
            while engine.going and time.monotonic() < until:
                message = engine.receive(SLICE_S)
                if isinstance(message, Checkpoint):
                    self._plant(message)
        except HostError as error:
            self._fail(str(error))

    def _plant(self, told: Checkpoint) -> None:
        self._children, self._visits = {}, {}
        known: dict[tuple[str, ...], AnyPosition] = {(): self._position}
        for node in told.tree:
            before = known.get(tuple(node.line[:-1])) if node.line else None
            move = None if before is None else next((m for m in before.legal_moves if m.text == node.line[-1]), None)
            if before is None or move is None or tuple(node.line) in self._visits:
                raise HostError("told a tree with a node that is not behind another one, or twice")
            known[tuple(node.line)] = before.play(move)
            self._visits[tuple(node.line)] = node.visits
            self._children.setdefault(tuple(node.line[:-1]), []).append(node)
