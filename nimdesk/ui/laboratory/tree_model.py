"""The tree as Qt wants it: rows that are fetched when they are unfolded and keep what is selected and unfolded."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from nimdesk.cells import percent
from nimdesk.games import AnyPosition, Move, Side
from nimdesk.games.base import describe_move
from nimdesk.search.bounds import Bound
from nimdesk.search.tree_types import Branch, Family, Line, Window, signed
from nimdesk.ui.look.move_marks import SIGNS
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import tip

Index = QModelIndex | QPersistentModelIndex
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
SAMPLED = ("Move", "Visits", "Share", "Mean", "Bound", "Proven")
RECORDED = ("Move", "Nodes", "Value", "Alpha", "Beta", "How its search ended")
_MOVE_TIP = (
    "The move, in the colour of the side that plays it. Right unfolds it, Left folds it, Enter studies the position"
)
_SAMPLED_TIPS = (
    _MOVE_TIP,
    "How many simulations chose the move in this position",
    "Its part of all visits of the moves beside it",
    "Mean value: the expected score for the side that plays the move (1 win, ½ draw, 0 loss). An estimate.",
    "What the search maximises on its way down: the mean, and a bonus for moves tried little",
    "The result for the side that plays the move, where it is certain: proven by the search, or the game is over",
)
_RECORDED_TIPS = (
    _MOVE_TIP,
    "Positions searched from this move on, itself counted",
    "What came up to this position, for the side to move at the root: +1 a win, 0 a draw, −1 a loss",
    "What the side to move at the root already had elsewhere when the search came here",
    "What the other side could already hold it to elsewhere",
    "Why the search of this position was over",
)


@dataclass(slots=True, eq=False)
class Item:
    """One row; ``share`` is of its siblings' visits. ``loaded``: its children are there, as far as they are shown."""

    id: int
    line: Line
    branch: Branch | None
    parent: Item | None
    row: int = 0
    share: float = 0.0
    loaded: bool = False
    read_at: tuple[int, int] = (0, 0)
    """Its visits and the threshold at the time when its children were read."""
    texts: tuple[str, ...] = ()
    """The texts of its cells, made when they are first asked for."""
    children: list[Item] = field(default_factory=list)

    @property
    def move(self) -> Move | None:
        """The move that leads here; None for the root."""
        return self.line[-1] if self.line else None


class TreeModel(QAbstractItemModel):
    """Rows of a search tree, without the root position. Most visits first; recorded trees in their own order."""

    fetch_wanted = Signal()
    """A row was unfolded whose children are missing: see ``wanted``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ids = itertools.count(1)
        self._position: AnyPosition | None = None
        self._recorded = False
        self._least = 1
        self._bound: Bound | None = None
        self.lit: Line = ()
        """The marked line; see ``set_lit``."""
        self.wanted: set[Line] = set()
        """Lines whose children are asked for."""
        self._new_root()

    def _new_root(self) -> None:
        self.root = Item(0, (), None, None)
        self._items = {0: self.root}
        self.wanted = {()}

    def reset(self, position: AnyPosition, *, recorded: bool) -> None:
        """Show another tree, of which nothing is known yet."""
        self.beginResetModel()
        self._position, self._recorded = position, recorded
        self._new_root()
        self.endResetModel()

    def set_lit(self, line: Line) -> None:
        """Mark the moves of this line."""
        if line != self.lit:
            self.lit = line
            for item in self._items.values():
                self._changed(item)

    def set_least(self, visits: int) -> None:
        """Hide rows with fewer visits, from the next ``apply`` on."""
        self._least = visits

    def _changed(self, item: Item) -> None:
        """Announce that the rows below this one, if there are any, show something else."""
        if not item.children:
            return
        parent = self.index_of(item)
        last = len(item.children) - 1
        self.dataChanged.emit(self.index(0, 0, parent), self.index(last, len(SAMPLED) - 1, parent))

    # Adopting what was read

    def apply(self, families: dict[Line, Family | None]) -> None:
        """Show these nodes as they are now; rows that stay keep their selection and what is unfolded below them."""
        for line in sorted(families, key=len):
            item = self.find(line)
            self.wanted.discard(line)
            if item is not None:
                self._update(item, families[line])

    def find(self, line: Line) -> Item | None:
        """The row of this line, if it is there."""
        item = self.root
        for move in line:
            found = next((child for child in item.children if child.move == move), None)
            if found is None:
                return None
            item = found
        return item

    def best_child(self, item: Item) -> Item:
        """The most visited child; in a recorded tree the one that gave the value. There must be one."""
        for child in item.children:
            if child.branch is not None and child.branch.window is not None and child.branch.window.best:
                return child
        return item.children[0]

    def _update(self, item: Item, family: Family | None) -> None:
        self._bound = self._bound if family is None else family.bound
        item.loaded, item.read_at = family is not None, self._read_at(item)
        branches = self._shown(family)
        moves = {branch.move for branch in branches}
        for child in reversed(item.children):
            if child.move not in moves:
                self._remove(child)
        there = {child.move for child in item.children}
        self._insert(item, [branch for branch in branches if branch.move not in there])
        total = sum(branch.visits for branch in family.branches) if family else 0
        children = {child.move: child for child in item.children}
        for branch in branches:
            child = children[branch.move]
            child.branch, child.share, child.texts = branch, branch.visits / total if total else 0.0, ()
        order = [children[branch.move] for branch in branches]
        # A row that had nothing to show at another moment, or above another threshold, may have now.
        empty = (child for child in order if child.loaded and not child.children)
        unsure = [child for child in empty if child.read_at != self._read_at(child)]
        for child in unsure:
            child.loaded = False
        self._reorder(item, order, anyway=bool(unsure))
        self._changed(item)

    def _shown(self, family: Family | None) -> list[Branch]:
        """The moves with enough visits, in the order of their rows."""
        branches = [] if family is None else [each for each in family.branches if each.visits >= self._least]
        return branches if self._recorded else sorted(branches, key=lambda branch: -branch.visits)

    def _insert(self, item: Item, new: list[Branch]) -> None:
        if not new:
            return
        first = len(item.children)
        self.beginInsertRows(self.index_of(item), first, first + len(new) - 1)
        for row, branch in enumerate(new, first):
            child = Item(next(self._ids), (*item.line, branch.move), branch, item, row)
            item.children.append(child)
            self._items[child.id] = child
        self.endInsertRows()

    def _read_at(self, item: Item) -> tuple[int, int]:
        return (0 if item.branch is None else item.branch.visits, self._least)

    def _remove(self, item: Item) -> None:
        above = item.parent
        assert above is not None
        self.beginRemoveRows(self.index_of(above), item.row, item.row)
        waiting = [above.children.pop(item.row)]
        while waiting:
            gone = waiting.pop()
            del self._items[gone.id]
            waiting += gone.children
        for row, child in enumerate(above.children):
            child.row = row
        self.endRemoveRows()

    def _reorder(self, item: Item, order: list[Item], *, anyway: bool) -> None:
        """Give the rows this order; ``anyway`` makes the view ask again which of them unfold, even without a change."""
        if order == item.children and not anyway:
            return
        self.layoutAboutToBeChanged.emit()
        kept = [index for index in self.persistentIndexList() if self.item(index).parent is item]
        item.children = order
        for row, child in enumerate(order):
            child.row = row
        moved = [self.createIndex(self.item(index).row, index.column(), index.internalId()) for index in kept]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    # Qt's questions

    def item(self, index: Index) -> Item:
        """The row of an index; the root for an invalid one."""
        return self._items[index.internalId()] if index.isValid() else self.root

    def index_of(self, item: Item, column: int = 0) -> QModelIndex:
        """The index of a row; an invalid one for the root."""
        return QModelIndex() if item.parent is None else self.createIndex(item.row, column, item.id)

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        children = self.item(parent).children
        if 0 <= row < len(children) and 0 <= column < len(SAMPLED):
            return self.createIndex(row, column, children[row].id)
        return QModelIndex()

    def parent(self, index: Index = QModelIndex()) -> QModelIndex:  # type: ignore[override]  # noqa: B008
        above = self.item(index).parent
        return QModelIndex() if above is None else self.index_of(above)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.column() > 0 else len(self.item(parent).children)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(SAMPLED)

    def hasChildren(self, parent: Index = QModelIndex()) -> bool:  # noqa: B008
        item = self.item(parent)
        if item.loaded or item.branch is None:
            return bool(item.children) and parent.column() <= 0
        # One visit of each node ended in it; its children have the others.
        return parent.column() <= 0 and item.branch.children > 0 and item.branch.visits > self._least

    def canFetchMore(self, parent: Index) -> bool:
        item = self.item(parent)
        return not item.loaded and item.branch is not None and self.hasChildren(parent)

    def fetchMore(self, parent: Index) -> None:
        item = self.item(parent)
        if item.line not in self.wanted:
            self.wanted.add(item.line)
            self.fetch_wanted.emit()

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return (RECORDED if self._recorded else SAMPLED)[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            if self._recorded:
                return tip(_RECORDED_TIPS[section])
            told, bound = _SAMPLED_TIPS[section], self._bound if SAMPLED[section] == "Bound" else None
            return tip(told if bound is None else f"{told}: {bound.formula}, {bound.words}")
        if role == Qt.ItemDataRole.TextAlignmentRole and self.is_number(section):
            return RIGHT
        return None

    def is_number(self, column: int) -> bool:
        """Whether this column is right-aligned."""
        return 0 < column < 5

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        # Colours, fonts and alignment are up to the view, which asks for all of a cell at once.
        item, column = self.item(index), index.column()
        if item.branch is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(item, column)
        if role == Qt.ItemDataRole.AccessibleTextRole and column == 0:
            return self.words(item)
        if role == Qt.ItemDataRole.ToolTipRole and column in (0, 5):
            return tip(self.words(item))
        return None

    def _mover(self, item: Item) -> Side:
        assert self._position is not None
        return Side((self._position.turn + len(item.line) - 1) % 2)

    def is_lit(self, item: Item) -> bool:
        """Whether the move is on the marked line."""
        return bool(self.lit) and self.lit[: len(item.line)] == item.line

    @property
    def lit_color(self) -> QColor:
        """The background of the marked line."""
        return LOOK.theme.color("chosen")

    def color(self, item: Item, column: int) -> QColor | None:
        """The colour of a cell's text; None: the usual one."""
        theme, branch = LOOK.theme, item.branch
        assert branch is not None
        if column == 0:
            return theme.color("first" if self._mover(item) is Side.FIRST else "second")
        if column == 5 and branch.proven is not None:
            return theme.color(branch.proven.value)
        if self._recorded and column == 2 and branch.window and branch.window.value is not None:
            return theme.color(("draw", "win", "loss")[branch.window.value])
        return None

    def text(self, item: Item, column: int) -> str:
        if not item.texts:
            item.texts = tuple(self._text(item, each) for each in range(len(SAMPLED)))
        return item.texts[column]

    def _text(self, item: Item, column: int) -> str:
        branch = item.branch
        if branch is None:
            return ""
        if column < 2:
            return branch.move.text if column == 0 else f"{branch.visits:,}"
        if branch.window is not None:
            return _window_text(branch.window, column)
        if column == 2:
            return percent(item.share)
        if column in (3, 4):
            value = branch.mean_value if column == 3 else branch.bound
            return "–" if value is None else f"{value:.3f}"
        return "" if branch.proven is None else f"{SIGNS[branch.proven]} {branch.proven.value}"

    def words(self, item: Item) -> str:
        """The row in words."""
        branch, position = item.branch, self._position
        if branch is None or position is None:
            return ""
        parts = [f"{position.game.side_name(self._mover(item))}: {describe_move(branch.move)}"]
        header = RECORDED if self._recorded else SAMPLED
        for column in range(1, len(header)):
            if text := self.text(item, column):
                parts.append(f"{header[column].lower()} {text}")
        return ", ".join(parts)


def _window_text(window: Window, column: int) -> str:
    if column == 2:
        mark = " ◂" if window.best else ""
        return f"{'–' if window.value is None else signed(window.value)}{mark}"
    if column == 3:
        return window.alpha_text
    if column == 4:
        return window.beta_text
    return window.why
