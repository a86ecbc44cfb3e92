"""The game tree as it is drawn: positions that were unfolded, what each is worth, and what a search has done there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from nimdesk.cells import csv_text
from nimdesk.games import AnyPosition, Move, Side
from nimdesk.games.base import describe_turn
from nimdesk.games.truth import Truth, Value
from nimdesk.search.tree_types import Branch, Cut, Family, Line, signed

MOST_CHILDREN = 24
"""How many moves of one position are drawn at most."""
_POINTS = {Value.WIN: 1, Value.DRAW: 0, Value.LOSS: -1}


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A position of the tree, by the moves that lead to it from the root.

    ``value`` is what it is worth under perfect play, 1, 0 or −1 for the side to move at the root; None if that is not
    known or not to be shown. ``branch`` is what the search knows of the move that leads here, None where it has not
    been; ``is_cut_off`` says that it never came because ``cut`` of the node above had closed the window. ``share`` is
    the part of the visits of the node above. ``hidden`` counts the moves that are not drawn beside ``children``.
    """

    line: Line
    position: AnyPosition
    value: int | None
    branch: Branch | None = None
    is_cut_off: bool = False
    share: float = 0.0
    cut: Cut | None = None
    children: tuple[TreeNode, ...] = ()
    hidden: int = 0

    @property
    def can_unfold(self) -> bool:
        """Whether moves follow that are not drawn."""
        return not self.children and self.position.outcome is None

    @property
    def is_best(self) -> bool:
        """Whether the node above has its value from this move, by a search that has recorded it."""
        return self.branch is not None and self.branch.window is not None and self.branch.window.best

    def walk(self) -> Iterator[TreeNode]:
        """This node and all below it, each after the one above, from the left to the right."""
        yield self
        for child in self.children:
            yield from child.walk()


def game_tree(
    position: AnyPosition,
    unfolded: Collection[Line],
    families: Mapping[Line, Family | None],
    truths: Mapping[AnyPosition, Truth],
) -> TreeNode:
    """The tree of this position with the children of each ``unfolded`` line.

    ``families`` is what a search knows of these lines, ``truths`` what is proven of their positions.
    """
    known = truths.get(position)
    root = position.turn

    def node(
        line: Line, here: AnyPosition, value: int | None, branch: Branch | None, share: float, *, off: bool
    ) -> TreeNode:
        family = families.get(line)
        cut = None if family is None else family.cut
        if line not in unfolded or here.outcome is not None:
            return TreeNode(line, here, value, branch, off, share, cut)
        moves = _ordered(here, family)
        drawn = moves if len(moves) <= MOST_CHILDREN else _most_searched(moves, family)
        branches = {} if family is None else {each.move: each for each in family.branches}
        visits = max(1, sum(each.visits for each in branches.values()))
        proof = truths.get(here)
        children = []
        for move in drawn:
            after, own = here.play(move), branches.get(move)
            worth = _value_after(root, here, after, None if proof is None else proof.of(move).value)
            part = own.visits / visits if own is not None else 0.0
            is_off = off or (cut is not None and move in cut.moves)
            children.append(node((*line, move), after, worth, own, part, off=is_off))
        return TreeNode(line, here, value, branch, off, share, cut, tuple(children), len(moves) - len(drawn))

    return node((), position, None if known is None else _POINTS.get(known.value), None, 1.0, off=False)


def _value_after(root: Side, here: AnyPosition, after: AnyPosition, proven: Value | None) -> int | None:
    """What a move is worth for the root's side; ``proven`` is for the side that plays it. A finished game is known."""
    if after.outcome is not None:
        return round(2 * after.outcome.score(root)) - 1
    value = None if proven is None else _POINTS.get(proven)
    return value if value is None or here.turn is root else -value


def _ordered(here: AnyPosition, family: Family | None) -> tuple[Move, ...]:
    """The legal moves; where a search has recorded its order, those first, then those it has cut off."""
    if family is None or not family.branches or family.branches[0].window is None:
        return here.legal_moves
    cut = () if family.cut is None else family.cut.moves
    return tuple(dict.fromkeys([*(branch.move for branch in family.branches), *cut, *here.legal_moves]))


def _most_searched(moves: tuple[Move, ...], family: Family | None) -> list[Move]:
    """As many moves as are drawn: the most visited, or the first ones, in their order."""
    visits = {} if family is None else {each.move: each.visits for each in family.branches}
    kept = {*sorted(moves, key=lambda move: -visits.get(move, 0))[:MOST_CHILDREN]}
    return [move for move in moves if move in kept]


# In words


def value_text(value: int | None) -> str:
    """The value as it stands on a node: +1, 0, −1, or a question mark."""
    return "?" if value is None else signed(value)


def cut_text(cut: Cut) -> str:
    """Why a node was left, as briefly as it can be said."""
    return f"α {signed(cut.alpha)} ≥ β {signed(cut.beta)}"


def node_words(root: TreeNode, node: TreeNode) -> str:
    """All that is known of a node, in sentences."""
    side = root.position.game.side_name(root.position.turn)
    path = "The root" if not node.line else f"After {' '.join(move.text for move in node.line)}"
    worth = "" if node.value is None else f", worth {value_text(node.value)} for {side}"
    words = [f"{path}: {describe_turn(node.position)}{worth}."]
    if node.branch is not None:
        words.append(_search_words(node.branch))
    elif node.is_cut_off:
        words.append("The search never came here: it was cut off.")
    if node.cut is not None:
        moves = ", ".join(move.text for move in node.cut.moves)
        words.append(f"As {cut_text(node.cut)}, nothing depends on {moves}.")
    return " ".join(words)


def _search_words(branch: Branch) -> str:
    window = branch.window
    if window is None:
        mean = "" if branch.mean_value is None else f", mean value {branch.mean_value:.3f} for who played the move"
        return f"{branch.visits:,} {'visit' if branch.visits == 1 else 'visits'}{mean}."
    came = f"Searched with α {window.alpha_text}, β {window.beta_text}"
    found = "" if window.value is None else f", found {signed(window.value)}"
    return f"{came}{found}: {window.why}."


HEADER = ("line", "value", "visits", "mean_value", "alpha", "beta", "search_value", "search")


def tree_csv(root: TreeNode) -> str:
    """The nodes drawn, one a line: value for the side to move at the root, then what the search knows.

    ``visits`` are nodes for a search that has recorded them. ``search`` is "cut off", "not searched", or how the search
    of the node ended. Unknown values are empty.
    """
    return csv_text(HEADER, (_cells(node) for node in root.walk()))


def _cells(node: TreeNode) -> tuple[object, ...]:
    branch, line = node.branch, " ".join(move.text for move in node.line)
    if branch is None:
        state = "cut off" if node.is_cut_off else "not searched" if node.line else ""
        return line, node.value, None, None, None, None, None, state
    window = branch.window
    ends = (None, None, None, "") if window is None else (window.alpha, window.beta, window.value, window.why)
    return (line, node.value, branch.visits, branch.mean_value, *ends)
