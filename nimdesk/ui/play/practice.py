"""What was missed in games, asked again: the box of exercises, and the board on which they are solved."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from nimdesk.disk.provenance import made_here
from nimdesk.games import AnyPosition, Move
from nimdesk.games.base import describe_move, describe_turn
from nimdesk.games.kit import keeps_win
from nimdesk.play.exercises import (
    MAX_EXERCISES,
    Exercise,
    Question,
    answered,
    askable,
    change_box,
    due,
    fresh,
    load_exercises,
    merged,
    question,
    save_exercises,
)
from nimdesk.play.move_review import MARGIN
from nimdesk.ui.boards import BoardView, board_kit
from nimdesk.ui.jobs.bridge import Bridge, Job
from nimdesk.ui.look.widgets import label, open_with

Exercises = tuple[Exercise, ...]
_BY_ESTIMATE = f" What is right is a search's estimate, give or take {MARGIN:.2f} of a point; it is not proven."


class ExerciseBox(QObject):
    """A person's exercises in a file of their own; everything that touches the file happens in a thread."""

    changed = Signal()
    """``exercises`` are others."""
    problem_found = Signal(str)
    """One sentence: the file, or another one, cannot be read or written."""
    exported = Signal(str)
    """One sentence: exercises were written to a file."""

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        """Call ``load`` to learn what is in the file."""
        super().__init__(parent)
        self._path = path
        self.exercises: Exercises = ()
        """What is in the box, as far as it has been read."""
        self.askable: Exercises = ()
        """Those of them that can be asked: not those of games that are not installed, or are still being loaded."""
        self._bridge = Bridge("nimdesk-exercises", what="The box of exercises", parent=self)

    @property
    def due(self) -> Exercises:
        """What is to be asked by now, the longest overdue first."""
        return due(self.askable, time.time())

    def load(self) -> None:
        """Read the file; again when further games are loaded."""
        self._change(lambda box: box)

    def add(self, exercises: Sequence[Exercise]) -> None:
        """Add those that are not yet in the box, as far as it has room; a sentence says how many it has not."""
        self._add(lambda: exercises)

    def answer(self, exercise: Exercise, right: bool) -> None:
        """Note an answer: when the exercise is asked next."""
        after = answered(exercise, right, time.time())
        self._change(lambda box: [after if each.position == exercise.position else each for each in box])

    def judge_win(self, position: AnyPosition, move: Move, done: Callable[[bool], object]) -> None:
        """Tell ``done`` whether a win by threats is proven after this move too."""
        self._bridge.start(lambda _job: keeps_win(position, move), done=done, failed=self.problem_found.emit)

    def remove(self, exercise: Exercise) -> None:
        """Never ask this one again."""
        self._change(lambda box: [each for each in box if each.position != exercise.position])

    def bring_in(self, path: Path) -> None:
        """Add the exercises of a file that somebody shared, as ``add`` does."""
        self._add(lambda: map(fresh, load_exercises(path)))

    def export(self, path: Path) -> None:
        """Write all exercises to a file for somebody else."""
        kept = [fresh(each) for each in self.exercises]
        self._bridge.start(
            lambda _job: save_exercises(kept, path, made=made_here()),
            done=lambda _none: self.exported.emit(f"{len(kept):,} exercises were written to {path}."),
            failed=self.problem_found.emit,
        )

    def end(self) -> None:
        """Finish what is to be written, and end the thread."""
        self._bridge.shutdown(finish=True)

    def _add(self, read: Callable[[], Iterable[Exercise]]) -> None:
        over = 0

        def add(box: Exercises) -> Exercises:
            nonlocal over
            whole = merged(box, read())
            over = max(0, len(whole) - MAX_EXERCISES)
            return whole[:MAX_EXERCISES]

        def tell() -> None:
            if over:
                self.problem_found.emit(
                    f"{over:,} of the new exercises were not added: the box holds {MAX_EXERCISES:,} at most, and "
                    "“Do not ask this again” makes room."
                )

        self._change(add, tell)

    def _change(
        self, change: Callable[[Exercises], Sequence[Exercise]], then: Callable[[], object] = lambda: None
    ) -> None:
        def act(_job: Job) -> tuple[Exercises, Exercises]:
            box = change_box(self._path, change)
            return box, askable(box)

        def done(found: tuple[Exercises, Exercises]) -> None:
            if found != (self.exercises, self.askable):
                self.exercises, self.askable = found
                self.changed.emit()
            then()

        self._bridge.start(act, done=done, failed=self.problem_found.emit)


class PracticeDialog(QDialog):
    """Asks one exercise after the other; the first answer to each counts, and it may be tried until it is right."""

    def __init__(self, exercises: Sequence[Exercise], box: ExerciseBox, parent: QWidget | None = None) -> None:
        """At least one exercise; answers go to ``box``, which knows which of them it holds."""
        super().__init__(parent)
        self.setWindowTitle("Find the better move")
        self._box, self._left = box, deque(exercises)
        self._total = len(exercises)
        self.heading = label(role="headline", wrap=True)
        self.words = label(role="notice", wrap=True)
        self.verdict = label(wrap=True)
        self.verdict.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self._take_next()
        self.answer = QPushButton("&Show the answer")
        self.answer.clicked.connect(self._show_answer)
        self.forget = QPushButton("&Do not ask this again")
        self.forget.clicked.connect(self._forget)
        self.next = QPushButton("&Next")
        self.next.clicked.connect(self._go_on)
        buttons = QHBoxLayout()
        buttons.addWidget(self.answer)
        buttons.addWidget(self.forget)
        buttons.addStretch(1)
        buttons.addWidget(self.next)
        self._layout = QVBoxLayout(self)
        for widget in (self.heading, self.words):
            self._layout.addWidget(widget)
        self._layout.addWidget(self.board, 1)
        self._layout.addWidget(self.verdict)
        self._layout.addLayout(buttons)
        open_with(self, 560, 640)
        self._ask()

    # Asking

    def _take_next(self) -> None:
        """The next exercise, with a board of its own."""
        self._exercise: Exercise = self._left.popleft()
        self._question: Question = question(self._exercise)
        self._counted = False
        position = self._question.position
        self.board: BoardView = board_kit(position.game).new_board(position, self)
        self.board.set_interactive(True)
        self.board.move_chosen.connect(self._on_move)

    def _ask(self) -> None:
        exercise, number = self._exercise, self._total - len(self._left)
        turned = "" if exercise.asked == 0 else " The board may be turned or mirrored."
        played = f"Here {exercise.played} was played." if exercise.played and not turned else "A move was missed here."
        self.heading.setText(f"{number} of {self._total}: {describe_turn(self._question.position)}")
        to_parry = "Parry the threats." if exercise.find else "Find a better one."
        wanted = f"Find the win by {exercise.find}." if exercise.asks_for_win else to_parry
        estimated = "" if exercise.exact or exercise.find else _BY_ESTIMATE
        self.words.setText(f"{played} {wanted}{turned}{estimated}")
        self.verdict.setText("")
        self.answer.setEnabled(True)
        self.next.setText("&Next" if self._left else "&Close")
        self.board.setFocus()

    # Answering

    def _on_move(self, move: Move) -> None:
        right = move in self._question.best
        if self._exercise.asks_for_win and not right:
            self.verdict.setText(f"Looking whether {move.text} keeps the win…")
            self.board.set_interactive(False)
            self._box.judge_win(self._question.position, move, partial(self._on_judged, self._question, move))
            return
        self._tell(move, right)

    def _on_judged(self, asked: Question, move: Move, right: bool) -> None:
        """It is found whether a move keeps a win; nobody waits for it where another exercise is asked by then."""
        if asked is self._question and self.answer.isEnabled():
            self.board.set_interactive(True)
            self._tell(move, right)

    def _tell(self, move: Move, right: bool) -> None:
        self._count(right)
        if right:
            # Whatever by: it may be a quiet move, where a win by fours was to be found.
            also = "" if move in self._question.best else " keeps the win as well"
            self._reveal(f"Right: {describe_move(move)}{also}.")
        elif self._exercise.exact:
            self.verdict.setText(f"{move.text} gives it away as well. Try again.")
        elif self._exercise.asks_for_win:
            self.verdict.setText(f"After {move.text} no win by {self._exercise.find} is proven. Try again.")
        elif self._exercise.find:
            self.verdict.setText(f"After {move.text} the other side wins by threats. Try again.")
        else:
            self.verdict.setText(f"By its estimate, the search does not count {move.text} among the best. Try again.")

    def _show_answer(self) -> None:
        self._count(False)
        self._reveal(f"The answer: {' or '.join(move.text for move in self._question.best[:4])}.")

    def _reveal(self, words: str) -> None:
        told = "" if self._exercise.asked else f" {self._exercise.sentence}"
        self.verdict.setText(f"{words}{told}")
        self.board.set_interactive(False)
        self.board.set_line(self._question.line)
        self.answer.setEnabled(False)
        self.next.setFocus()

    def _count(self, right: bool) -> None:
        if not self._counted:
            self._counted = True
            self._box.answer(self._exercise, right)

    def _forget(self) -> None:
        self._box.remove(self._exercise)
        self._counted = True
        self._go_on()

    def _go_on(self) -> None:
        if not self._left:
            self.accept()
            return
        old = self.board
        self._take_next()
        self._layout.replaceWidget(old, self.board)
        old.deleteLater()
        self._ask()
