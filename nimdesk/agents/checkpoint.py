"""What a search in Python yields: how far it is, in the words of its author."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from nimdesk.games import AnyPosition, Move
from nimdesk.plugins import protocol

TreeTold = Iterable[tuple[Sequence[Move], int, float]]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far a search is, counted from its beginning.

    ``visits`` and ``value_sums`` have a number for each legal move: a mapping from moves (what is missing is 0), or a
    sequence in the order of ``position.legal_moves``. A value is the score of the side to move at the root: 1 for a
    win, 1/2 for a draw, 0 for a loss. ``best`` is what it would play; without it, the most visited move. ``value`` is
    that of the position, ``line`` how the game goes on. ``tree`` is called when somebody looks at the tree: it returns
    nodes, each after its parent, as a triple of the moves from the root, the visits, and the sum of the values for the
    side that made the last move.
    """

    iterations: int = 0
    visits: Mapping[Any, int] | Sequence[int] = ()
    value_sums: Mapping[Any, float] | Sequence[float] = ()
    best: Move | None = None
    nodes: int | None = None
    playouts: int | None = None
    value: float | None = None
    depth: int | None = None
    line: Sequence[Move] = ()
    tree: Callable[[], TreeTold] | None = None

    def told(self, position: AnyPosition, tree: int) -> protocol.Checkpoint:
        """The message; with ``tree`` as many nodes. Raises anything for what is no checkpoint."""
        nodes = () if self.tree is None or not tree else self.tree()
        return protocol.Checkpoint(
            iterations=int(self.iterations),
            nodes=None if self.nodes is None else int(self.nodes),
            playouts=None if self.playouts is None else int(self.playouts),
            visits=tuple(int(_number(n, Integral)) for n in _column(self.visits, position)),
            value_sums=tuple(float(_number(total, Real)) for total in _column(self.value_sums, position)),
            best=None if self.best is None else self.best.text,
            value=None if self.value is None else float(self.value),
            depth=None if self.depth is None else int(self.depth),
            line=tuple(move.text for move in self.line),
            tree=tuple(
                protocol.TreeNode(line=tuple(move.text for move in line), visits=int(visits), value_sum=float(total))
                for (line, visits, total), _ in zip(nodes, range(tree), strict=False)
            ),
        )


def _column(values: Mapping[Any, Any] | Sequence[Any], position: AnyPosition) -> Sequence[Any]:
    if isinstance(values, Mapping):
        return [values.get(move, 0) for move in position.legal_moves]
    return values


def _number(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is no number")
    return value
