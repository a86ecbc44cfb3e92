"""One simulation in words and rows, stage by stage, for a person who has never read about UCT."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHeaderView, QTableWidget, QTableWidgetItem

from nimdesk.cells import tab_line
from nimdesk.games import AnyPosition, Side
from nimdesk.games.base import describe_move, describe_outcome
from nimdesk.search.tree_types import Branch, Change, Decision, Ending, Family, Line, Simulation
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import keeps_copy_key, set_up_table

_LISTED = 8
_SCORES = {0.0: "0", 0.5: "½", 1.0: "1"}
_RESULTS = {0.0: "a loss", 0.5: "a draw", 1.0: "a win"}
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CHANGE_HEADS = ("Move", "Played by", "Visits", "Mean", "What came back")


def _score(score: float) -> str:
    """The score, exact or estimated."""
    return _SCORES.get(score) or f"{score:.3f}"


class Phase(Enum):
    """The four phases of a simulation; the value is the title."""

    SELECT = "Select"
    EXPAND = "Expand"
    PLAYOUT = "Play out"
    BACKUP = "Back up"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the table; ``marked`` if the number has just changed."""

    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Stage:
    """One step: its phase, a sentence, a table, and the line that is lit so far.

    ``chosen`` is the row of the move taken, −1 without one. ``formula`` stands above the table. ``depth`` is the depth
    on the path. ``preview`` are the moves to show on the board.
    """

    phase: Phase
    sentence: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    chosen: int
    formula: str
    depth: int
    preview: Line

    def is_number(self, column: int) -> bool:
        """Whether this column has numbers, which are right-aligned."""
        return 0 < column < 5 if self.phase in (Phase.SELECT, Phase.EXPAND) else column in (2, 3)


def stages_of(simulation: Simulation) -> list[Stage]:
    """All steps of a simulation, in order: each decision, the playout or its substitute, and the backup."""
    stages = [_decided(simulation, depth) for depth in range(len(simulation.decisions))]
    return [*stages, _ended(simulation), _backed_up(simulation)]


def _name(position: AnyPosition) -> str:
    return position.game.side_name(position.turn)


def _decided(simulation: Simulation, depth: int) -> Stage:
    decision = simulation.decisions[depth]
    rows, chosen = _decision_rows(decision)
    bound, n, moves = decision.family.bound, decision.family.visits, len(decision.family.branches)
    formula = f"bound = {bound.formula}, here with {bound.given(n, moves)}" if bound is not None and n else ""
    heads = (
        "Move",
        "Visits n",
        "Mean",
        f"+ {'bonus' if bound is None else bound.bonus_formula}",
        "= Bound",
        "In numbers",
    )
    phase = Phase.EXPAND if decision.is_new else Phase.SELECT
    sentence = _expanded(decision) if decision.is_new else _selected(decision)
    return Stage(phase, sentence, heads, rows, chosen, formula, depth, simulation.line[: depth + 1])


def _branch(decision: Decision) -> Branch | None:
    return next((each for each in decision.family.branches if each.move == decision.chosen), None)


def _selected(decision: Decision) -> str:
    name, move, branch = _name(decision.position), describe_move(decision.chosen), _branch(decision)
    opened, count = len(decision.family.branches), len(decision.position.legal_moves)
    tried = f"every move of {name} has been tried here" if opened == count else f"{opened} of {count} moves are open"
    if count == 1:
        return f"{name} has only one move here: {move}."
    best = max((each.bound for each in decision.family.branches if each.bound is not None), default=None)
    if branch is None or branch.bound is None or best is None or branch.bound < best - 1e-5:
        return f"Going down the tree: {tried}. {move} is followed, since what is proven rules out larger bounds."
    return (
        f"Going down the tree: {tried}, so the search follows the one with the largest bound, {move} "
        f"({branch.bound:.3f}): good so far, or tried too seldom to tell."
    )


def _expanded(decision: Decision) -> str:
    name, move = _name(decision.position), describe_move(decision.chosen)
    count = len(decision.position.legal_moves)
    if not decision.family.branches:
        return f"Nothing has been tried here yet: a first move of {name}, {move}, becomes a new node of the tree."
    untried = "One move has" if decision.untried == 1 else f"{decision.untried} of {count} moves have"
    return f"{untried} not been tried here, and it is the turn of such a move: {move} of {name} becomes a new node."


def _decision_rows(decision: Decision) -> tuple[tuple[tuple[Cell, ...], ...], int]:
    """The numbers of every move (by bound, proven ones last), and the row of the chosen.

    Untried moves come first where one of them is chosen, and last where they wait.
    """
    family = decision.family
    known = {branch.move: branch for branch in family.branches}
    new = [move for move in decision.position.legal_moves if move not in known]
    new.sort(key=lambda move: move != decision.chosen)
    old = sorted(
        family.branches, key=lambda each: (each.proven is not None, -math.inf if each.bound is None else -each.bound)
    )
    fresh = [(move, (move.text, "0", "–", "–", "untried", "")) for move in new]
    tried = [(branch.move, _numbers(branch, family)) for branch in old]
    order = [*fresh, *tried] if decision.is_new else [*tried, *fresh]
    moves = [move for move, _row in order]
    return tuple(tuple(map(Cell, row)) for _move, row in order), moves.index(decision.chosen)


def _numbers(branch: Branch, family: Family) -> tuple[str, ...]:
    if branch.mean_value is None or branch.bound is None or family.bound is None:
        mean = "–" if branch.mean_value is None or branch.proven is None else f"{branch.mean_value:.3f}"
        proven = "" if branch.proven is None else f"proven {branch.proven.value}"
        return branch.move.text, f"{branch.visits:,}", mean, "–", "–", proven
    term = branch.bound - branch.mean_value
    filled = family.bound.filled(branch.mean_value, family.visits, branch.visits, len(family.branches))
    return (
        branch.move.text,
        f"{branch.visits:,}",
        f"{branch.mean_value:.3f}",
        f"{term:.3f}",
        f"{branch.bound:.3f}",
        filled,
    )


def _ended(simulation: Simulation) -> Stage:
    leaf, root = simulation.leaf, simulation.root
    name, score = _name(root), simulation.score
    result = f"{_RESULTS[score]} for {name}, worth {_SCORES[score]}" if score in _SCORES else ""
    moves = simulation.playout
    if simulation.ending is Ending.GAME_OVER:
        sentence = f"The game is over here: {describe_outcome(leaf)}. No playout is needed: {result}."
    elif simulation.ending is Ending.PROVEN:
        sentence = f"What this position is worth is proven already, so no playout is needed: {result}."
    elif simulation.ending is Ending.ESTIMATE:
        sentence = f"No playout is made here: the patterns of the lines tell how likely {name} wins, {_score(score)}."
    elif moves is None:
        sentence = f"From here the game is played out to its end, without the tree: {result}."
    else:
        end = leaf
        for move in moves:
            end = end.play(move)
        listed = ", ".join(move.text for move in moves[:_LISTED]) + (", …" if len(moves) > _LISTED else "")
        count = "1 random move" if len(moves) == 1 else f"{len(moves)} random moves"
        sentence = (
            f"From here both sides play at random to the end, {count}: {listed}. {describe_outcome(end)}: {result}."
        )
    preview = (*simulation.line, *(moves or ()))
    rows = tuple(_change_row(simulation, change, after=False) for change in simulation.changes)
    return Stage(Phase.PLAYOUT, sentence, CHANGE_HEADS, rows, -1, "", len(simulation.line), preview)


def _change_row(simulation: Simulation, change: Change, *, after: bool) -> tuple[Cell, ...]:
    """One move of the path: its numbers before, or before and after."""
    depth = len(change.line)
    mover = Side((simulation.root.turn + depth - 1) % 2)
    ours = mover is simulation.root.turn
    old, new = change.before, change.after
    visits = "new" if old is None else f"{old.visits:,}"
    mean = "–" if old is None or old.mean_value is None else f"{old.mean_value:.3f}"
    score = _score(simulation.score if ours else 1 - simulation.score)
    cells = [Cell(change.line[-1].text), Cell(simulation.root.game.side_name(mover))]
    if not after:
        return (*cells, Cell(visits), Cell(mean), Cell(""))
    now = "–" if new.mean_value is None else f"{new.mean_value:.3f}"
    proven = "" if new.proven is None or (old and old.proven) else f", now proven: {new.proven.value}"
    return (
        *cells,
        Cell(f"{visits} → {new.visits:,}", True),
        Cell(f"{mean} → {now}", mean != now),
        Cell(f"{score} for {simulation.root.game.side_name(mover)}{proven}"),
    )


def _backed_up(simulation: Simulation) -> Stage:
    before, now = simulation.leaders
    if not simulation.line:
        sentence = "The result counts for the root itself, which is a new node."
    else:
        sentence = (
            "The result goes back up the way: each move on it has one visit more, and its mean takes in what came "
            "back, seen from the side that played it."
        )
    if now is not None and before is not None:
        sentence += f" The leader changes from {before.text} to {now.text}." if now != before else ""
        sentence += f" {now.text} still leads." if now == before else ""
    elif now is not None:
        sentence += f" {now.text} leads."
    rows = tuple(_change_row(simulation, change, after=True) for change in simulation.changes)
    return Stage(Phase.BACKUP, sentence, CHANGE_HEADS, rows, -1, "", len(simulation.line), simulation.line)


class StageTable(QTableWidget):
    """The table of a stage: the numbers of every move, or those before and after; changes are marked.

    Ctrl+C copies the table; all other keys are for the steps.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Numbers of this step")
        set_up_table(self, air=5, framed=False)
        self.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setStretchLastSection(True)
        self._stage: Stage | None = None
        LOOK.changed.connect(self._take_look)
        self._take_look()

    def _take_look(self) -> None:
        theme = LOOK.theme
        self.setStyleSheet(f"QTableView {{ background: {theme.base}; color: {theme.text}; border: none; }}")
        if self._stage is not None:
            self.show_stage(self._stage)

    def show_stage(self, stage: Stage) -> None:
        """Show the rows of this stage, with the chosen one in sight."""
        self._stage = stage
        self.setRowCount(len(stage.rows))
        self.setColumnCount(len(stage.heads))
        for column, head in enumerate(stage.heads):
            self.setHorizontalHeaderItem(column, title := QTableWidgetItem(head))
            title.setTextAlignment(_RIGHT if stage.is_number(column) else _LEFT)
            for row, cells in enumerate(stage.rows):
                self.setItem(row, column, self._item(cells[column], stage, column, chosen=row == stage.chosen))
            texts = [head, *(cells[column].text for cells in stage.rows[:40])]
            width = max(self.fontMetrics().horizontalAdvance(text) for text in texts)
            # Bold is a little wider.
            self.setColumnWidth(column, round(width * 1.1) + (26 if column == 0 else 13))
        if stage.chosen >= 0:
            self.setCurrentCell(stage.chosen, 0)
            self.scrollTo(self.currentIndex())

    @staticmethod
    def _item(cell: Cell, stage: Stage, column: int, *, chosen: bool = False) -> QTableWidgetItem:
        item = QTableWidgetItem(f"▸ {cell.text}" if chosen and column == 0 else cell.text)
        item.setTextAlignment(_RIGHT if stage.is_number(column) else _LEFT)
        if chosen or cell.marked:
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{cell.text}, {'chosen' if chosen else 'changed'}")
            item.setBackground(LOOK.theme.color("chosen"))
            font = item.font()
            font.setBold(True)
            item.setFont(font)
        return item

    def tsv(self) -> str:
        """The table as text, columns separated by tabs."""
        rows, columns = self.model(), range(self.columnCount())
        lines = [[str(rows.headerData(column, Qt.Orientation.Horizontal)) for column in columns]]
        lines += [[str(rows.index(row, column).data()) for column in columns] for row in range(self.rowCount())]
        return "\n".join(map(tab_line, lines)) + "\n"

    def event(self, event: QEvent) -> bool:
        # Ctrl+C copies the table here, elsewhere the position.
        return keeps_copy_key(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.tsv())
        else:
            super().keyPressEvent(event)
