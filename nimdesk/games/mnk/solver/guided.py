"""Wins by quiet moves, found along a guide: the proof of a like position, or a tree of moves that somebody thinks win.

What wins after one answer wins after another, but where the two marks matter. So the proof of the one is followed.
Where it fails there is a search, first there, then after the moves before. What these win is remembered, and the proof
is followed again with longer ones. A tree of moves is followed alike, with a search where it ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from nimdesk.errors import GameParameterError
from nimdesk.games.mnk.rules import MnkGame, MnkPosition, all_cells
from nimdesk.games.mnk.solver.quiet import Node, QuietWin
from nimdesk.games.mnk.verify import JSON, Checker, WrongError, board_of, need, position_of, read, whole

_STEPS = (50, 400, 3_200, 25_000, 200_000)
"""Where the guide fails, so many positions are looked into, then so many more."""
_LONGEST = 60
"""Moves of a sequence; the rest of a longer one is not read."""
_MORE_THREATS = 100_000
"""Before, a win by threats is looked for in so many positions."""
_OTHER = "it proves no win by quiet moves"


def win_by(guide: bytes, position: MnkPosition) -> Node:
    """The win of the side to move on this board that a guide tells, unchecked.

    The guide is the certificate of a win by quiet moves, or by threats, on this board and for this side: of an earlier
    position, whose proof is followed along the moves since, or of a like one. Or it is a tree of moves, an object of
    JSON such as ``{"h8": {"h9": {"g9": {}}, "i9": {"g9": {}}}}``: after ``h8 h9`` and after ``h8 i9`` the first side
    plays ``g9``. Of several moves of that side the first is taken. The position's moves, or what they are from another
    side of the board, have to be in it. ``GameParameterError`` if it is neither, or if they are not.
    """
    game, turn = position.game, int(position.turn)
    is_tree = guide.lstrip().startswith(b"{")
    cells = [move.row * game.m + move.column for move in position.moves]
    try:
        if is_tree:
            return _Moves(game).after(JSON.decode(guide.decode()), cells)
        content = read(guide)
        position_of(content)  # fails unless all that it says of the board is in order
        need(board_of(content) == game.text, f"it is of {board_of(content)}")
        need(content["turn"] == turn, "the other side is to move in it")
        need(content["winner"] == turn, _OTHER)
        ((kind, _, reference),) = content["proofs"]
        need(kind == "strategy", _OTHER)
        return _Reader(content["positions"], game).after(reference, cells[sum(map(len, content["marks"])) :])
    except WrongError as error:
        raise GameParameterError(f"The guide cannot be followed: {error}.") from None
    except (LookupError, TypeError, ValueError, RecursionError):
        problem = "it is no tree of moves" if is_tree else _OTHER
        raise GameParameterError(f"The guide cannot be followed: {problem}.") from None


class _Reader:
    """Reads the positions of a certificate as nodes."""

    def __init__(self, positions: Sequence[Any], game: MnkGame) -> None:
        self._positions, self._views = positions, views_of(game)
        self._turned = [list(range(game.m * game.n))]
        """Where each cell of a position is on the board, for each way in which positions are turned."""
        self._known: dict[tuple[int, int, int | None], Node] = {}

    def after(self, reference: int, cells: list[int]) -> Node:
        """What follows these moves, as far as they are those of the proof."""
        way = 0
        for move, reply in zip(cells[::2], cells[1::2], strict=False):
            kind, given, here = self._reason(reference, way)
            if kind != "strategy" or self._cell(here, given[0]) != move:
                break
            met = {self._cell(here, answer): each for answer, each in given[1]}.get(reply, given[2])
            if met is None:
                break
            reference, way = met, self._turned.index(here)
        return self._node(reference, way, None)

    def _reason(self, reference: int, way: int) -> tuple[str, Any, list[int]]:
        """The kind of a reason, the reason, and where its cells are; what refers to it is turned this way."""
        ((kind, given),) = self._positions[reference >> 3].items()
        need(kind in ("strategy", "threats"), _OTHER)
        here, view = self._turned[way], self._views[reference & 7]
        if reference & 7:
            here = [here[view.index(cell)] for cell in range(len(view))]
            if here not in self._turned:
                self._turned.append(here)
        return kind, given, here

    def _node(self, reference: int, way: int, cell: int | None) -> Node:
        """The position referred to, with the winner to move; a mark in this cell led there, None after a pass."""
        if (reference, way, cell) in self._known:
            return self._known[reference, way, cell]
        node = self._known[reference, way, cell] = _won(cell, attacks=True)
        kind, given, here = self._reason(reference, way)
        if kind == "threats":
            need(bool(given), _OTHER)
            node.sequence = tuple(self._cell(here, each) for each in given[:_LONGEST])
            return node
        way = self._turned.index(here)
        move, answers, others = given
        after = _won(self._cell(here, move), attacks=False)
        after.children = [self._node(each, way, self._cell(here, answer)) for answer, each in answers]
        after.passed = None if others is None else self._node(others, way, None)
        node.children = [after]
        return node

    def _cell(self, here: list[int], cell: Any) -> int:
        need(whole(cell, 0, len(here) - 1), "a cell is not on the board")
        return here[int(cell)]


def views_of(game: MnkGame) -> list[list[int]]:
    """Where each cell is on the board as it is turned, as the checker numbers that."""
    return Checker(game.m, game.n, game.k, game.gravity, []).images


class _Moves:
    """Reads a tree of moves as nodes."""

    def __init__(self, game: MnkGame) -> None:
        self._names = [move.text for move in all_cells(game.m, game.n)]
        self._views = views_of(game)
        self._cells: dict[str, int] = {}
        self._unknown = [Node(cell, None, attacks=True, extra=0) for cell in range(game.m * game.n)]
        """The position after each answer that the tree does not name."""

    def after(self, tree: dict[str, Any], cells: list[int]) -> Node:
        """The position after moves in these cells, or in those where they are on the board as it is turned."""
        for view in self._views:
            rest: Any = tree
            for cell in cells:
                rest = rest.get(self._names[view[cell]]) if isinstance(rest, dict) else None
            if isinstance(rest, dict):
                self._cells = {self._names[there]: cell for cell, there in enumerate(view)}
                return self._node(None, rest)
        raise WrongError("the position is not in it")

    def _node(self, cell: int | None, tree: dict[str, Any]) -> Node:
        """The position in which the side plays what the tree says; a mark in this cell led there, None after a pass."""
        node = _won(cell, attacks=True)
        if not tree:
            return node
        move, replies = next(iter(tree.items()))
        after = _won(self._cell(move), attacks=False)
        named = [self._node(self._cell(reply), _object(rest)) for reply, rest in _object(replies).items()]
        cells = {each.cell for each in named}
        after.children = [*named, *(each for each in self._unknown if each.cell not in cells)]
        # After a pass, what follows most answers; of these moves the one after which most is known.
        moves = Counter(each.first() for each in named)
        likely = max(named, key=lambda each: (moves[each.first()], _known_answers(each)), default=None)
        after.passed = Node(None, None, attacks=True, extra=0)
        if likely is not None:
            after.passed.becomes(likely)
        node.children = [after]
        return node

    def _cell(self, name: str) -> int:
        need(name in self._cells, f"“{name}” in it is no cell of the board")
        return self._cells[name]


def _object(value: Any) -> dict[str, Any]:
    """What a tree says next; a number or so says nothing."""
    return value if isinstance(value, dict) else {}


def _known_answers(node: Node) -> int:
    """How many answers to the move of a guide are followed by a move that it tells."""
    return sum(each.children is not None for move in node.children or () for each in move.children or ())


def _won(cell: int | None, *, attacks: bool) -> Node:
    node = Node(cell, None, attacks=attacks, extra=0)
    node.settle(won=True)
    return node


class GuidedWin(QuietWin):
    """The search for a win of the side to move that follows the win of ``guide``, a node that is won."""

    def __init__(self, position: MnkPosition, guide: Node, *, may_go_on: Callable[[int], bool]) -> None:
        """``may_go_on`` as in ``QuietWin``."""
        super().__init__(position, may_go_on=may_go_on)
        self._guide = guide
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

    def _again(self, node: Node, known: Node | None, played: list[int]) -> bool:
        if self._steps == 0:
            return super()._again(node, known, played)
        return self._may_go_on(self.nodes) and (super()._again(node, known, played) or self._search_from(node, played))

    def _search_from(self, node: Node, played: list[int]) -> bool:
        """Whether the node, with the attacker to move, is won; what is known of its position is remembered."""
        key, steps = self._key(node, played), self._steps
        tried = self._tried.get(key, 0)
        if tried >= steps:
            return False
        root = Node(None, None, attacks=True, extra=node.extra)
        root.is_new = False
        outside, self._outside, self._steps = self._outside, played, 0
        if tried > 0 or not self._by_threats(root, played, _MORE_THREATS):
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
