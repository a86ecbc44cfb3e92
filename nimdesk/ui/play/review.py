"""The Review tab: a game gone through in the background, what its moves gave away, and learning from them."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QProgressBar,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.disk import paths
from nimdesk.disk.atomic import write_file
from nimdesk.games import AnyPosition, Game, Move, Side
from nimdesk.games.truth import Value
from nimdesk.play import GameInProgress
from nimdesk.play.exercises import SUFFIX, Exercise, exercises_of
from nimdesk.play.move_review import Mark, MoveReview
from nimdesk.play.review import BUDGETS, Reviewer, decided_words, reviewer, summary, worth_words
from nimdesk.ui.jobs.bridge import Bridge, Job
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.desktop import ask_save_path, save_as
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import announce, label, name_choice, set_up_table, tip
from nimdesk.ui.play.controller import GameController
from nimdesk.ui.play.practice import ExerciseBox, PracticeDialog

_COLUMNS = ("#", "Side", "Move", "", "Worth", "What it did")
_WORTH, _WORDS, _AIR = 4, 5, 7
_LEAST_LINES = 10
"""With its heads: three moves of two lines each."""
_FILES = f"nimdesk exercises (*{SUFFIX});;All files (*)"
_Index = QModelIndex | QPersistentModelIndex
Line = tuple[tuple[AnyPosition, ...], tuple[Move, ...]]
_NOTHING: Line = ((), ())


class ReviewModel(QAbstractTableModel):
    """The moves that were judged, without those given, in the order of the game; or those that gave something away."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._all: list[MoveReview] = []
        self._rows: list[MoveReview] = []
        self._only_bad = True
        self._sides = ("First", "Second")

    def clear(self, game: Game | None = None) -> None:
        """Forget everything; the sides are called as in this game."""
        if game is not None:
            self._sides = (game.side_name(Side.FIRST), game.side_name(Side.SECOND))
        self._fill([])

    def add(self, move: MoveReview) -> None:
        """One more move; they come in any order."""
        self._fill(sorted([*self._all, move], key=lambda each: each.ply))

    def show_only_bad(self, only: bool) -> None:
        """Whether moves that gave nothing away are left out."""
        self._only_bad = only
        self._fill(self._all)

    def _fill(self, moves: list[MoveReview]) -> None:
        self.beginResetModel()
        self._all = moves
        chosen = [each for each in moves if not each.given]
        self._rows = [each for each in chosen if not self._only_bad or each.mark is not Mark.NONE]
        self.endResetModel()

    @property
    def moves(self) -> list[MoveReview]:
        """Every move that was judged."""
        return self._all

    def at(self, row: int) -> MoveReview | None:
        """The move of this row."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index | None = None) -> int:
        return len(_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _COLUMNS[section]
        if section == _WORTH and role == Qt.ItemDataRole.ToolTipRole:
            return "Before and after the move, for the side that made it: proven in words, an estimate in numbers"
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        move = self.at(index.row()) if index.isValid() else None
        if move is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            told = (self._sides[move.side], move.move.text, move.mark.value, worth_words(move), move.sentence)
            return (str(move.ply), *told)[index.column()]
        if role == Qt.ItemDataRole.ForegroundRole and index.column() == 3:
            return QColor(LOOK.theme.color(Value.LOSS.value))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"Move {move.ply}: {move.sentence}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            # A row may be taller than the table; which move it is about is to be seen with its first line.
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        return None


class _Airy(QStyledItemDelegate):
    """Rows are as high as their sentences, with some air."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return super().sizeHint(option, index) + QSize(0, _AIR)


class ReviewPanel(QWidget):
    """Goes through the game on request, lists what was given away, and lets a person try again."""

    jump_requested = Signal(int)
    """Look at the board after this many moves."""
    line_wanted = Signal(tuple)
    """Show how play goes on from the position just jumped to, as numbered moves; empty: show nothing."""
    judge_wanted = Signal(object, str)
    """Show this ``Snapshot`` of the position just jumped to, by this title: by it a move was judged."""
    shown_wanted = Signal()
    """A person asked for a review elsewhere: bring this to the front."""
    reviewed = Signal(tuple)
    """Every move of the game on the board is judged, as these ``MoveReview`` s say; empty: that is no longer so."""
    told = Signal(str)
    """One sentence: what became of the exercises, or why the review failed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = ExerciseBox(paths.data_dir() / "exercises.json", self)
        self._bridge = Bridge("nimdesk-review", what="The review", parent=self)
        self._job: Job | None = None
        self._game: GameInProgress | None = None
        self._line: Line = _NOTHING
        self._actions: tuple[QAction, ...] = ()
        self.model = ReviewModel(self)
        self._build()
        self.box.changed.connect(self._show_box)
        self.box.problem_found.connect(self.told)
        self.box.exported.connect(self.told)
        self.box.load()
        self._show_state()

    # Building

    def _build(self) -> None:
        self.begin = QPushButton("&Review this game")
        self.begin.clicked.connect(self._on_begin)
        self.budget = QComboBox()
        for each in BUDGETS:
            self.budget.addItem(f"{each:,} a move", each)
        self.budget.setCurrentIndex(1)
        self.budget.setToolTip("Simulations for each position; where a solver knows, its answer counts")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setMaximumHeight(6)
        self.all_moves = QToolButton()
        self.all_moves.setText("All moves")
        self.all_moves.setCheckable(True)
        self.all_moves.toggled.connect(lambda on: self.model.show_only_bad(not on))
        top = QHBoxLayout()
        for widget in (self.begin, self.budget, self.all_moves):
            top.addWidget(widget)
        top.addStretch(1)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setAccessibleName("What the moves gave away")
        set_up_table(self.table, air=_AIR, framed=False)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_WORDS, QHeaderView.ResizeMode.Stretch)
        # Sentences are whole, in as many lines as they need.
        self.table.setItemDelegate(_Airy(self.table))
        self.table.setWordWrap(True)
        self.table.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.sectionResized.connect(self.table.resizeRowsToContents)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.model.modelReset.connect(self._show_words)
        self.words = label(wrap=True)
        # A line for each side, and one for the game: what stands above is not to move, nor to be covered.
        self.words.setMinimumHeight(3 * self.fontMetrics().lineSpacing())
        self.again = QPushButton("&Try again")
        self.again.setToolTip("Find a better move in the position before this one")
        self.again.clicked.connect(self._try_again)
        self.practise = QPushButton("&Practise")
        self.practise.clicked.connect(self.practise_due)
        self.more = QToolButton()
        self.more.setText("Exercises")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.more)
        menu.addAction("&Export all…", self._ask_export)
        menu.addAction("&Import…", self._ask_import)
        self.more.setMenu(menu)
        bottom = QHBoxLayout()
        for widget in (self.again, self.practise, self.more):
            bottom.addWidget(widget)
        bottom.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 6)
        layout.addLayout(top)
        layout.addWidget(self.progress)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.words)
        layout.addLayout(bottom)
        name_choice(self.budget, "Simulations for each position")

    def minimumSizeHint(self) -> QSize:
        """Room for a few moves, and for all that stands around them as large as it is to be."""
        layout = self.layout()
        assert layout is not None
        around = layout.totalSizeHint().height() - self.table.sizeHint().height()
        if self.words.isHidden():  # while a move is chosen; they come back in a window of the same size
            around += self.words.sizeHint().height() + layout.spacing()
        least = _LEAST_LINES * self.fontMetrics().lineSpacing()
        return QSize(super().minimumSizeHint().width(), around + least)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # What is said of the chosen move stands nowhere else.
        self.table.scrollTo(self.table.currentIndex())

    def follow(self, controller: GameController, actions: ActionSet) -> None:
        """Follow the game of this controller, and carry out the actions that are about it."""
        self._actions = tuple(actions[name] for name in ("review", "practise", "report", "review_lesson"))
        controller.game_replaced.connect(lambda: self.show_game(controller.game))
        controller.position_changed.connect(lambda _animate: self.show_game(controller.game))
        self.jump_requested.connect(controller.jump)
        self.told.connect(controller.explain)
        actions.connect("review", self._on_asked)
        actions.connect("practise", self.practise_due)
        actions.connect("report", self._ask_report)
        actions.connect("review_lesson", self._ask_lesson)
        self.show_game(controller.game)

    def _on_asked(self) -> None:
        self.shown_wanted.emit()
        # Not on the list: it chooses its first row where the window comes back to it, and the board would jump.
        self.begin.setFocus()
        if not self.busy:
            self.start()

    # The game

    def show_game(self, game: GameInProgress) -> None:
        """The game on the board; what was found of another line is forgotten."""
        self._game = game
        if self._line != _NOTHING and _line_of(game) != self._line:
            self._forget()
        self._show_state()

    def end(self) -> None:
        """End the threads; what is to be written is written."""
        self._bridge.shutdown()
        self.box.end()

    @property
    def busy(self) -> bool:
        """Whether a game is being gone through."""
        return self._job is not None

    def start(self) -> None:
        """Go through the game that is on the board."""
        if self._game is None or not self._game.plies:
            return
        self._forget()
        self._line = _line_of(self._game)
        played = [(ply.move, ply.by) for ply in self._game.plies]
        self.progress.setRange(0, len(played))
        self.progress.setValue(0)
        act = partial(_review, reviewer(int(self.budget.currentData())), self._line[0], played, self._on_move)
        self._job = self._bridge.start(act, done=self._on_done, failed=self._on_failed)
        self._show_state()

    def stop(self) -> None:
        """Leave it at what was found by now."""
        if self._job is not None:
            self._job.drop()
            self._job = None
        self._show_state()

    def _on_begin(self) -> None:
        if self.busy:
            self.stop()
        else:
            self.start()

    def _forget(self) -> None:
        self.stop()
        self._line = _NOTHING
        self.model.clear(None if self._game is None else self._game.game)
        self.line_wanted.emit(())
        self.reviewed.emit(())

    def _on_move(self, move: MoveReview) -> None:
        self.model.add(move)
        self.progress.setValue(len(self.model.moves))

    def _on_done(self, _none: object) -> None:
        self._job = None
        self.box.add(exercises_of(self._line[0], self.model.moves, time.time()))
        self._show_state()
        self.reviewed.emit(tuple(self.model.moves))
        announce(self, self._overview())

    def _on_failed(self, sentence: str) -> None:
        self._job = None
        self._show_state()
        self.told.emit(sentence)

    # What is shown

    def _show_state(self) -> None:
        self.begin.setText("&Stop" if self.busy else "&Review this game")
        reviewable = self._game is not None and bool(self._game.plies)
        self.begin.setEnabled(self.busy or reviewable)
        if self._actions:
            self._actions[0].setEnabled(reviewable)
            for action in self._actions[2:]:
                action.setEnabled(self._whole and not self.busy)
        self.budget.setEnabled(not self.busy)
        self.progress.setVisible(self.busy)
        self._show_box()
        self._show_words()

    def _show_box(self) -> None:
        ready = len(self.box.due)
        if self._actions:
            self._actions[1].setEnabled(ready > 0)
        self.practise.setText(f"&Practise ({ready:,})" if ready else "&Practise")
        self.practise.setEnabled(ready > 0)
        count = len(self.box.exercises)
        asked = f"{ready:,} of {count:,} exercises are to be asked now"
        if (unknown := count - len(self.box.askable)) > 0:
            asked += f"; {unknown:,} cannot be asked: their games are not known here now, or have other rules"
        self.practise.setToolTip(tip(asked if count else "No exercises yet"))

    @property
    def _chosen(self) -> MoveReview | None:
        return self.model.at(self.table.currentIndex().row())

    def _on_row(self) -> None:
        """Look at the position in which the move of this row was made, and at what was better there."""
        move = self._chosen
        if move is not None and self._game is not None and _line_of(self._game) == self._line:
            self.jump_requested.emit(move.ply - 1)
            self.line_wanted.emit(move.line)
            if move.searched is not None:
                side = self._game.game.side_name(move.side)
                self.judge_wanted.emit(move.searched, f"Review of move {move.ply}, {side}: {move.move.text}")
        self._show_words()

    def _show_words(self) -> None:
        move = self._chosen
        self.again.setEnabled(move is not None and bool(move.best) and move.mark is not Mark.NONE)
        # What is said of a move stands in its row.
        self.words.setText(self._overview())
        self.words.setVisible(move is None)

    def _overview(self) -> str:
        moves, positions = self.model.moves, self._line[0]
        if self.busy and not moves:
            return "Preparing. The first time with a kind of game, its search and its solver are compiled."
        if self.busy:
            return "Going through the game from its end…"
        if not positions:
            return "A review goes through the game and shows where something was given away, and what was better."
        game, told = positions[0].game, decided_words(positions[-1], moves) if self._whole else ""
        lines = [f"{game.side_name(side)}: {summary(moves, side)}" for side in {each.side: None for each in moves}]
        return "\n".join([*sorted(lines), *filter(None, [told])])

    @property
    def _whole(self) -> bool:
        """Whether every move of the line was judged."""
        return len(self.model.moves) == len(self._line[1]) > 0

    def _ask_report(self) -> None:
        """Write the review to a file for people who were not there."""

        def write(game: GameInProgress, path: Path) -> None:
            from nimdesk.ui.paper.report import report_file  # lazy: it loads numpy, and few print

            write_file(path, report_file(game, self.model.moves))

        self._save("Save the report", "report.pdf", "PDF (*.pdf)", write)

    def _ask_lesson(self) -> None:
        """Write what was missed to a file as a lesson."""

        def write(game: GameInProgress, path: Path) -> None:
            from nimdesk.lessons.drafting import lesson_of_review  # lazy: it loads numpy, and few teach
            from nimdesk.lessons.files import save_lesson

            save_lesson(lesson_of_review(game, self.model.moves), path)

        self._save("Save as a lesson", "missed.nimdesk-lesson", "Lesson (*.nimdesk-lesson)", write)

    def _save(self, title: str, name: str, kinds: str, write: Callable[[GameInProgress, Path], None]) -> None:
        """Ask for a file, and write the game that was reviewed there."""
        assert self._game is not None
        if path := save_as(self, title, paths.documents_dir() / name, kinds, partial(write, self._game)):
            self.told.emit(f"Saved to {path}")

    # Learning

    def _try_again(self) -> None:
        if (move := self._chosen) is not None:
            self._practise(exercises_of(self._line[0], [move], time.time()))

    def practise_due(self) -> None:
        """Ask what is due, one after the other."""
        if self.box.due:
            self._practise(self.box.due)

    def _practise(self, exercises: tuple[Exercise, ...]) -> None:
        dialog = PracticeDialog(exercises, self.box, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _ask_export(self) -> None:
        path = ask_save_path(self, "Export the exercises", paths.documents_dir() / f"exercises{SUFFIX}", _FILES)
        if path is not None:
            self.box.export(path)

    def _ask_import(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Import exercises", str(paths.documents_dir()), _FILES)
        if name:
            self.box.bring_in(Path(name))


def _line_of(game: GameInProgress) -> Line:
    return game.positions, tuple(ply.move for ply in game.plies)


def _review(
    by: Reviewer,
    positions: tuple[AnyPosition, ...],
    played: list[tuple[Move, str]],
    hear: Callable[[MoveReview], object],
    job: Job,
) -> None:
    """In the thread: each move is told as soon as it is judged."""
    for move in by.moves(positions, played, job.stopping):
        job.send(hear, move)
