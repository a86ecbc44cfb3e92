"""Wins by quiet moves, found with the proof of a like position as a guide.

What wins after one answer wins after another, but where the two marks matter. So the proof of the one is followed.
Where it fails there is a search, first there, then after the moves before. What these win is remembered, and the proof
is followed again with longer ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nimdesk.errors import GameParameterError
from nimdesk.games.mnk.rules import MnkPosition
from nimdesk.games.mnk.solver.quiet import Node, QuietWin
from nimdesk.games.mnk.verify import WrongError, board_of, need, position_of, read, whole

_STEPS = (50, 400, 3_200, 25_000, 200_000)
"""Where the guide fails, so many positions are looked into, then so many more."""
_LONGEST = 60
"""Moves of a sequence; the rest of a longer one is not read."""
_OTHER = "it proves no win by quiet moves"


def win_by(certificate: bytes, position: MnkPosition) -> Node:
    """The win that a certificate proves for the side to move on this board, unchecked.

    ``GameParameterError`` unless it is one by quiet moves, or by threats, and of this board and side.
    """
    game, turn = position.game, int(position.turn)
    try:
        content = read(certificate)
        position_of(content)  # fails unless all that it says of the board is in order
        need(board_of(content) == game.text, f"it is of {board_of(content)}")
        need(content["turn"] == turn, "the other side is to move in it")
        need(content["winner"] == turn, _OTHER)
        ((kind, _, reference),) = content["proofs"]
        need(kind == "strategy", _OTHER)
        return _Reader(content["positions"], game.m * game.n).after(reference, None)
    except WrongError as error:
        raise GameParameterError(f"The guide cannot be followed: {error}.") from None
    except (LookupError, TypeError, ValueError, RecursionError):
        raise GameParameterError(f"The guide cannot be followed: {_OTHER}.") from None


class _Reader:
    """Reads the positions of a certificate as nodes."""

    def __init__(self, positions: list[Any], cells: int) -> None:
        self._positions, self._cells = positions, cells
        self._known: dict[tuple[int, int | None], Node] = {}

    def after(self, reference: int, cell: int | None) -> Node:
        """The position referred to, with the winner to move; a mark in this cell led there, None after a pass."""
        if (reference, cell) in self._known:
            return self._known[reference, cell]
        node = self._known[reference, cell] = _won(cell, attacks=True)
        ((kind, given),) = self._positions[reference >> 3].items()
        need(not reference & 7 and kind in ("strategy", "threats"), _OTHER)
        if kind == "threats":
            need(bool(given), _OTHER)
            node.sequence = tuple(map(self._cell, given[:_LONGEST]))
            return node
        move, answers, others = given
        after = _won(self._cell(move), attacks=False)
        after.children = [self.after(each, self._cell(answer)) for answer, each in answers]
        after.passed = None if others is None else self.after(others, None)
        node.children = [after]
        return node

    def _cell(self, cell: Any) -> int:
        need(whole(cell, 0, self._cells - 1), "a cell is not on the board")
        return int(cell)


def _won(cell: int | None, *, attacks: bool) -> Node:
    node = Node(cell, None, attacks=attacks, extra=0)
    node.settle(won=True)
    return node


class GuidedWin(QuietWin):
    """The search for a win of the side to move that follows the win of ``guide``, a node that is won."""

    def __init__(self, position: MnkPosition, guide: Node, *, may_go_on: Callable[[int], bool]) -> None:
        """``may_go_on`` is asked often, with how many positions were looked at; it may raise."""
        super().__init__(position)
        self._guide, self._may_go_on = guide, may_go_on
        self._steps = 0
        """How many positions a search looks into where the guide fails; 0 during such a search, which has no guide."""
        self._tried: dict[object, int] = {}
        """How many it looked into, for each position that it did not win."""

    def find(self) -> bool:
        """Whether a win is found."""
        for steps in _STEPS:
            self._steps = steps
            if self.root.is_settled or self._again(self.root, self._guide, []):
                break
        return self.is_won

    def _again(self, node: Node, known: Node, played: list[int]) -> bool:
        if self._steps == 0:
            return super()._again(node, known, played)
        if not self._may_go_on(self.nodes):
            return False
        before = self._settled.get(self._key(node, played))
        if before is not None and before.proof == 0:
            node.becomes(before)
            return True
        return super()._again(node, known, played) or self._search_from(node, played)

    def _search_from(self, node: Node, played: list[int]) -> bool:
        """Whether the node, with the attacker to move, is won; what is known of its position is remembered."""
        key, steps = self._key(node, played), self._steps
        if self._tried.get(key, 0) >= steps:
            return False
        root = Node(None, None, attacks=True, extra=node.extra)
        root.is_new = False
        outside, self._outside, self._steps = self._outside, played, 0
        for _ in range(steps):
            if root.is_settled or not self._may_go_on(self.nodes):
                break
            self._step(root)
        self._outside, self._steps = outside, steps
        if root.proof == 0:
            node.becomes(root)
            self._settled[key] = root
        else:
            # One that is settled has nothing left to be looked into.
            self._tried[key] = _STEPS[-1] if root.is_settled else steps
        return root.proof == 0
