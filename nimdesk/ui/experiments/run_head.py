"""The head of a tab of runs: its buttons, how far the plan shown is, what was found, and what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QToolButton, QVBoxLayout, QWidget

from nimdesk.errors import NimdeskError
from nimdesk.experiments.run import RunState
from nimdesk.ui.experiments.fields import Problem, ShortLabel, run_buttons
from nimdesk.ui.experiments.runner import Queued
from nimdesk.ui.experiments.shown_results import ShownResults
from nimdesk.ui.experiments.words import status_words
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.widgets import announce, label, tip


class RunHead(QWidget):
    """Follows the ``ShownResults``."""

    told = Signal(str)
    """One sentence for the status line."""

    def __init__(self, actions: ActionSet, shown: ShownResults) -> None:
        super().__init__()
        self._shown = shown
        self.buttons = run_buttons(actions)
        self.bar = QProgressBar()
        self.bar.setAccessibleName("Progress of the run")
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(10)
        self.status = label(role="muted", wrap=True)
        self.finding = label(wrap=True)
        self.problem = Problem()
        self._row = QHBoxLayout()
        self._row.setSpacing(6)
        for button in self.buttons:
            self._row.addWidget(button)
        self._row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(5)
        column.addLayout(self._row)
        self.queue = QWidget()
        self._queued = QVBoxLayout(self.queue)
        self._queued.setContentsMargins(0, 0, 0, 0)
        self._queued.setSpacing(2)
        self.queue.hide()
        for widget in (self.bar, self.status, self.queue, self.finding, self.problem):
            column.addWidget(widget)
        shown.runner.queue_changed.connect(self._show_queue)
        shown.frame_changed.connect(self._follow)
        shown.changed.connect(self._follow)
        shown.read.connect(self._on_read)
        shown.failed.connect(self.say)
        self._follow()

    def add(self, widget: QWidget) -> None:
        """Put this at the right, after what is there."""
        self._row.addWidget(widget)

    def say(self, sentence: str) -> None:
        """Show what is wrong; "" for nothing."""
        self.problem.say(sentence)

    def attempt(self, act: Callable[[], object], done: str = "") -> bool:
        """Do this and return whether it could be done: if not, say why, else tell that it is ``done``."""
        try:
            act()
        except NimdeskError as error:
            self.say(str(error))
            return False
        self.say("")
        if done:
            self.told.emit(done)
        return True

    def _show_queue(self) -> None:
        """A line for each run that waits for its turn, with a button that takes it out."""
        while (item := self._queued.takeAt(0)) is not None:
            if (line := item.widget()) is not None:
                line.hide()
                line.deleteLater()
        for number, each in enumerate(self._shown.runner.queue, 1):
            self._queued.addWidget(self._queue_line(number, each))
        self.queue.setVisible(bool(self._shown.runner.queue))

    def _queue_line(self, number: int, queued: Queued) -> QWidget:
        name = queued.plan.title or queued.plan.name
        line, remove = QWidget(), QToolButton()
        remove.setText("✕")
        remove.setAccessibleName(f"Take out of the queue: {name}")
        remove.setToolTip(tip("Take this run out of the queue"))
        remove.clicked.connect(partial(self._shown.runner.forget, queued.path))
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(remove)
        row.addWidget(ShortLabel(f"Next: {name}" if number == 1 else f"{number}. {name}"), 1)
        return line

    def _on_read(self, read: int, there: int) -> None:
        self.status.setText(f"Reading the results: {read:,} of {there:,}")
        self.bar.setRange(0, there)
        self.bar.setValue(read)

    def _follow(self) -> None:
        frame, state = self._shown.frame, self._shown.state
        unknown = state in (RunState.READY, RunState.PROVING) or self._shown.reading
        unknown = unknown and not self._shown.waits
        self.bar.setRange(0, 0 if unknown else 1000)
        if self.bar.maximum():
            self.bar.setValue(0 if frame is None or not frame.total else round(1000 * frame.done / frame.total))
        known = frame is not None and frame.done > 0
        finding = frame.finding if frame is not None and known else ""
        if frame is not None and frame.complete and finding not in ("", self.finding.text()):
            announce(self, finding)
        self.finding.setText(finding)
        self.finding.setVisible(known)
        self.status.setText(status_words(frame, state, waiting=self._shown.waiting, queued=self._shown.waits))
