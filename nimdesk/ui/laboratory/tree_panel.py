"""The tree explorer: the search tree of the run in focus, unfolded by hand, with the position of the selected node."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QHideEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QHBoxLayout,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from nimdesk.disk.paths import documents_dir
from nimdesk.errors import NimdeskError
from nimdesk.figures.content import in_full
from nimdesk.figures.trees import tree_of, write_tree
from nimdesk.games import AnyPosition
from nimdesk.games.base import describe_move, describe_turn
from nimdesk.play.laboratory import LabMoment, LabShown
from nimdesk.search.tree_types import Line
from nimdesk.ui.boards import board_for
from nimdesk.ui.figure_dialog import last_look
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.readers import Asker, TreeAnswer, TreeReader, TreeRequest, iterations_shown, records
from nimdesk.ui.laboratory.run_bar import SnugButton
from nimdesk.ui.laboratory.tree_list import TreeList
from nimdesk.ui.laboratory.tree_model import TreeModel
from nimdesk.ui.look.desktop import ask_save_path, warn
from nimdesk.ui.look.widgets import ElidedLabel, arrange, label

_SOON_MS = 30
_MOST_READ = 2000
"""While no search runs, up to this many unfolded nodes are read, visible or not, so that a copy shows one moment."""
_MAX_VISITS = 1_000_000_000
_BOARD = QSize(150, 72)
_NO_TREE = "{} keeps no tree: there is nothing to unfold. MCTS, minimax and alpha-beta do."
_NOT_BEGUN = "Press F5: the tree of {} then unfolds here, row by row."
_REPEATING = "Searching once more, up to this moment…"
_LATE_MS = 400
_FIGURES = "TikZ for LaTeX (*.tex);;DOT for Graphviz (*.dot)"
_WRITING = "Searching once more, to keep its nodes…"


class _SmallBoard(QWidget):
    """The position of the selected node, and in words how it came about."""

    def __init__(self, position: AnyPosition) -> None:
        super().__init__()
        self.board = board_for(position.game)
        """The board shown; each game has its own."""
        self.words = label(role="muted", wrap=True)
        self._layout = arrange(QVBoxLayout(self), self.words, margins=(4, 0, 4, 2), spacing=2)
        self.setFixedWidth(236)
        self._add_board()
        self.show_line(position, ())

    def _add_board(self) -> None:
        self.board.setMinimumSize(_BOARD)
        self.board.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._layout.addWidget(self.board, 1)

    def show_line(self, position: AnyPosition, line: Line, note: str = "") -> None:
        """Show the position after these moves, and a few words on it."""
        words = [f"{position.game.side_name(position.turn)} to move at the root"]
        for move in line:
            words.append(f"{position.game.side_name(position.turn)}: {describe_move(move)}")
            position = position.play(move)
        if not self.board.suits(position.game):
            self._layout.removeWidget(self.board)
            self.board.deleteLater()
            self.board = board_for(position.game)
            self._add_board()
        self.board.set_position(position)
        last = words[-1] if len(words) <= 2 else f"… {words[-2]}; {words[-1]}"
        more = f" {note[0].upper()}{note[1:]}." if note else ""
        self.words.setText(f"{last}. {describe_turn(position)}.{more}" if line else f"{words[0]}.")


class TreePanel(QWidget):
    """Rows are read in the thread of the searches; the visible ones follow a running search."""

    def __init__(self, model: Laboratory) -> None:
        super().__init__()
        self._lab = model
        self.rows = TreeModel(self)
        self.list = TreeList(self.rows)
        self.small = _SmallBoard(model.place.position)
        self._number = -1
        """The number of the search whose tree is shown."""
        self._read_of: object = None
        """Of what the rows were asked for last; None while they cannot be seen."""
        self._reader: TreeReader | None = None
        self._unfolding = False
        self._unfolded: set[Line] = set()
        self.asker = Asker(model.searches.bridge, self._on_answered, self._show_message)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.read_now)
        self._late = QTimer(self, singleShot=True, interval=_LATE_MS)
        self._late.timeout.connect(self._say_repeating)
        self._build()
        self._connect()

    def _build(self) -> None:
        self.least = QSpinBox()
        self.least.setRange(0, _MAX_VISITS)
        self.least.setValue(1)
        self.least.setGroupSeparatorShown(True)
        self.least.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        self.least.setKeyboardTracking(False)
        self.least.setMinimumWidth(64)
        self.least.setAccessibleName("Hide moves with fewer visits than")
        self.least.setToolTip("Moves with fewer visits are left out")
        caption = label("At &least")
        caption.setBuddy(self.least)
        self._unit = label("visits")
        self.unfold = SnugButton("Un&fold best")
        self.unfold.setToolTip("Unfold the most visited move again and again, to the end of the tree")
        self.fold = SnugButton("Fold all")
        self.copy_button = SnugButton("Co&py")
        self.copy_button.setToolTip("Copy what is unfolded as text, columns separated by tabs (Ctrl+C)")
        self.note = ElidedLabel("muted")
        buttons = self.unfold, self.fold, self.copy_button
        bar = arrange(QHBoxLayout(), caption, self.least, self._unit, *buttons, self.note, wide=self.note, spacing=6)
        self.message = label(role="muted", wrap=True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.list)
        self.stack.addWidget(self.message)
        row = arrange(QHBoxLayout(), self.stack, self.small, wide=self.stack, spacing=4)
        arrange(QVBoxLayout(self), bar, row, wide=row, margins=(6, 4, 4, 2), spacing=4)

    def _connect(self) -> None:
        self.rows.fetch_wanted.connect(self._ask_soon)
        # Rows unfolded earlier may be of another moment.
        self.list.expanded.connect(self._on_expanded)
        self.list.selectionModel().currentChanged.connect(self._show_selected)
        self.list.verticalScrollBar().valueChanged.connect(self._ask_soon)
        self.list.chosen.connect(self._lab.place.play_line)
        self.list.copy_wanted.connect(self.copy)
        self.least.valueChanged.connect(self._on_least)
        self.unfold.clicked.connect(self.unfold_best)
        self.fold.clicked.connect(self.fold_all)
        self.copy_button.clicked.connect(self.copy)

    # What is shown

    def show_moment(self, now: LabShown) -> None:
        """Follow the search in focus, which may be another one now; its rows are read when they are wanted."""
        if now.at.focused.number != self._number:
            self._number = now.at.focused.number
            self._begin(now)
        self.rows.set_lit(now.at.lit or ())
        wanted = (self._number, now.at.state, now.at.running, now.at.lit) if self.isVisible() else None
        if wanted != self._read_of:
            self._read_of = wanted
            self._ask_soon()

    def _begin(self, now: LabShown) -> None:
        """Show another tree, of which nothing is known yet."""
        run = self._lab.searches.focused
        recorded = records(run.key.agent)
        self._late.stop()
        self.asker.forget(self._reader)
        self._reader = TreeReader(run)
        self._unfolding = False
        self.rows.reset(now.at.position, recorded=recorded)
        self._unit.setText("nodes" if recorded else "visits")
        self.list.fit(recorded=recorded)
        self.small.show_line(now.at.position, ())
        # This may take a while, and must not seem to describe the previous tree.
        self.note.setText(_WRITING if recorded else "")

    def _ask_soon(self) -> None:
        if not self._timer.isActive() or self._timer.remainingTime() > _SOON_MS:
            self._timer.start(_SOON_MS)

    def read_now(self) -> None:
        """Read the visible and the wanted rows at once; while no search runs, all unfolded ones."""
        self._timer.stop()
        if not self.isVisible() or self._reader is None:
            return
        at, shown = self._at, self._at.state
        if shown is None or at.position.outcome is not None:
            agent = at.focused.agent
            words = _NO_TREE if agent.traits.tree is None else _NOT_BEGUN
            self._show_message(words.format(agent.info.title) if at.position.outcome is None else "")
            return
        shown_lines = self.list.lines_in_sight() if at.running else self.list.unfolded_lines(_MOST_READ)
        lines = {(), *self.rows.wanted, *shown_lines, *self._lit_lines()}
        iterations = iterations_shown(at)
        self.asker.ask(self._reader.question(TreeRequest(tuple(lines), iterations, shown.tree_nodes)))
        if iterations is not None and not self._late.isActive():
            self._late.start()

    def _say_repeating(self) -> None:
        """Say that the rows still show an earlier moment; a large tree takes seconds to grow again."""
        if self.asker.busy and iterations_shown(self._at) is not None:
            self.note.setText(_REPEATING)

    @property
    def _at(self) -> LabMoment:
        return self._lab.shown.at

    def _lit_lines(self) -> list[Line]:
        return [self.rows.lit[:depth] for depth in range(len(self.rows.lit))]

    def _show_message(self, words: str) -> None:
        self.message.setText(words)
        self.note.setText("")
        self.stack.setCurrentWidget(self.message)

    def _on_answered(self, answer: object) -> None:
        self._late.stop()
        if not isinstance(answer, TreeAnswer):
            self._show_message(_NO_TREE.format(self._at.focused.agent.info.title))
            return
        self.stack.setCurrentWidget(self.list)
        self.rows.apply(answer.families)
        self._show_note(answer.note)
        self._unfold(self.rows.lit[:-1])
        if self._unfolding:
            self._unfolded |= answer.families.keys()
            self._unfold_on()
        self._show_selected()
        if self.rows.wanted:
            self._ask_soon()

    def _show_note(self, note: str) -> None:
        shown, what = self._at.state, ""
        if shown is not None and shown.tree_nodes:
            what = f"{shown.tree_nodes:,} {'node' if shown.tree_nodes == 1 else 'nodes'} "
        if shown is not None and shown.trace is not None:
            what += f"after {shown.iterations:,} {'iteration' if shown.iterations == 1 else 'iterations'}"
        self.note.setText("; ".join(filter(None, (what.strip(), note))))

    # The person's actions

    def _on_least(self, visits: int) -> None:
        self.rows.set_least(visits)
        self.rows.wanted |= self.list.unfolded_lines()
        self._ask_soon()

    def unfold_best(self) -> None:
        """Unfold the first row, its first row and so on, as far as the tree goes, and select the last one."""
        self._unfolding, self._unfolded = True, set()
        self._unfold_on()

    def _unfold_on(self) -> None:
        """Unfold as far as rows have been read since the button was pressed, and ask for the next one."""
        item = self.rows.root
        while item.branch is None or item.branch.children:
            index = self.rows.index_of(item)
            if item.parent is not None:
                self.list.expand(index)
            if item.line not in self._unfolded:
                self.rows.wanted.add(item.line)
                self.list.scrollTo(index)
                self._ask_soon()
                return
            if not item.children:
                break
            item = self.rows.best_child(item)
        self._unfolding = False
        if item.parent is not None:
            self.list.setCurrentIndex(self.rows.index_of(item))

    def _on_expanded(self, index: QModelIndex) -> None:
        self.rows.wanted.add(self.rows.item(index).line)
        self._ask_soon()

    def _unfold(self, line: Line) -> None:
        for depth in range(1, len(line) + 1):
            item = self.rows.find(line[:depth])
            if item is None:
                return
            self.list.expand(self.rows.index_of(item))

    def fold_all(self) -> None:
        """Show only the root's moves."""
        self._unfolding = False
        self.list.collapseAll()

    def copy(self) -> None:
        """Copy the unfolded rows, columns separated by tabs, moves indented."""
        QGuiApplication.clipboard().setText(self.list.tsv())
        self._lab.told.emit("The unfolded part of the tree was copied; paste it into a spreadsheet.")

    def ask_figure(self) -> None:
        """Ask for a file, and draw the unfolded rows there, as wide as the last figure; copy the caption."""
        at, shown = self._at, self._at.state
        if shown is None or not (rows := self.list.branches()):
            self._lab.told.emit("There is no tree to draw yet: what is unfolded here is drawn.")
            return
        path = ask_save_path(self.window(), "Save the tree", documents_dir() / "tree.tex", _FIGURES)
        if path is None:
            return
        spent = f"{shown.iterations:,} iterations" if shown.iterations else f"{shown.tree_nodes:,} nodes"
        words = f"{in_full(at.focused.agent, at.focused.seed, at.position.game)}."
        tree = tree_of(at.position, rows, f"what is unfolded of it after {spent}", words)
        try:
            write_tree(tree, last_look(), path)
        except NimdeskError as error:
            warn(self.window(), str(error))
            return
        QGuiApplication.clipboard().setText(tree.caption)
        self._lab.told.emit(f"Saved to {path}; the caption was copied.")

    def _show_selected(self) -> None:
        item = self.rows.item(self.list.currentIndex())
        line, window = item.line, item.branch.window if item.branch is not None else None
        line = line or self.rows.lit
        self.small.show_line(self._at.position, line, window.why if window is not None else "")
        if self.isVisible():
            self._lab.pointing.preview(line)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()
        self._late.stop()
        self._lab.pointing.preview(())
