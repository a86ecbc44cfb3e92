"""What the tabs of experiments that are run here share: a plan with its results, put together from its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from nimdesk.experiments.plan import Plan, load_plan
from nimdesk.experiments.run import RunState
from nimdesk.experiments.schedule import read_positions
from nimdesk.ui.experiments.compare_dialog import CompareButton
from nimdesk.ui.experiments.exports import PLANS, Exports, Files
from nimdesk.ui.experiments.figures import Choice
from nimdesk.ui.experiments.kinds import figures_of
from nimdesk.ui.experiments.plan_form import FilledIn
from nimdesk.ui.experiments.run_head import RunHead
from nimdesk.ui.experiments.runner import Frame, Runner
from nimdesk.ui.experiments.shown_results import ShownResults
from nimdesk.ui.jobs.bridge import Bridge, Job
from nimdesk.ui.look.actions import ActionSet


class PlanOpening:
    """Opens one plan at a time: the last one asked for. What a person fills in meanwhile is not replaced by it."""

    def __init__(
        self, files: Files, head: RunHead, take: Callable[[Plan], object], filled_in: Callable[[], str]
    ) -> None:
        """``take`` shows a plan, or raises a ``NimdeskError``; ``filled_in`` returns what a person has filled in."""
        self._files, self._head, self._take, self._filled_in = files, head, take, filled_in
        self.jobs = Bridge("nimdesk-opening", parent=files.over)
        self._job: Job | None = None

    def ask(self) -> None:
        """Ask for a file, and open it."""
        path = self._files.to_open("Open a plan", PLANS)
        if path is not None:
            self.open(lambda: load_plan(path))

    def open(self, load: Callable[[], Plan], take: Callable[[Plan], object] | None = None) -> None:
        """Have the plan shown, by ``take`` if that is given, once its positions are read."""
        if self._job is not None:
            self._job.drop()
        done = partial(self._on_read, take or self._take, self._filled_in())
        self._job = self.jobs.start(lambda _job: read_positions(load()), done=done, failed=self._head.say)

    def _on_read(self, take: Callable[[Plan], object], before: str, plan: Plan) -> None:
        if self._filled_in() == before:
            self._head.attempt(lambda: take(plan))
        else:
            self._head.say("The plan was not opened: something else was filled in meanwhile.")


class RunPanel(QWidget):
    """A plan with its known results, and the run under way, which may be of another plan."""

    title: ClassVar[str]
    """What its tab is called, with its key."""
    kept_as: ClassVar[str] = ""
    """Under which name the settings keep what is filled in; "" where nothing is."""

    told = Signal(str)
    """One sentence for the status line."""
    abilities_changed = Signal()
    """``abilities`` changed."""
    run_changed = Signal()
    """``shown.under_way`` changed."""
    game_wanted = Signal(object)
    """The person opened this ``GameInProgress``."""
    search_wanted = Signal(object)
    """The person opened this ``OpenedSearch``, for the laboratory."""

    def __init__(self, actions: ActionSet, on_board: Callable[[], str]) -> None:
        """An empty panel, for ``build``; ``on_board`` returns the position on the game's board, as text."""
        super().__init__()
        self._on_board = on_board
        self._begun = False
        self.filled: FilledIn | None = None
        """What a person fills in; None where there is nothing to fill in."""
        self.jobs = Bridge("nimdesk-results", parent=self)
        self.runner = Runner(self)
        self.shown = ShownResults(self.runner, self.jobs)
        self.head = RunHead(actions, self.shown)
        self.files = Files(self)
        self.opening = PlanOpening(self.files, self.head, self.take_plan, self._filled_in)
        self.exports = Exports(self, self.shown, self.files, self.head, self.jobs)
        self.compare = CompareButton(self.others, self.shown, self.exports, self.head, self.jobs)
        self.shown.frame_changed.connect(lambda: self.show_frame(self.frame))
        self.shown.changed.connect(self.abilities_changed)
        self.runner.state_changed.connect(self.run_changed)
        self.runner.frame_changed.connect(self.run_changed)
        self.head.told.connect(self.told)

    @property
    def frame(self) -> Frame | None:
        """The results shown; None while none are known."""
        return self.shown.frame

    @property
    def path(self) -> Path | None:
        """The results file of the plan shown."""
        return self.shown.path

    def _filled_in(self) -> str:
        return "" if self.filled is None else self.filled.text

    def _column(self, view: QWidget) -> QVBoxLayout:
        """The head with the button to compare, above the view of the results."""
        self.head.add(self.compare)
        column = QVBoxLayout()
        column.setContentsMargins(6, 6, 8, 6)
        column.setSpacing(5)
        column.addWidget(self.head)
        column.addWidget(view, 1)
        return column

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._begun:
            self._begun = True
            self._begin()

    def sizeHint(self) -> QSize:
        return QSize(1100, 700)

    # Each tab provides these

    def build(self) -> Iterator[None]:
        """Put everything into the panel, in pieces that each take a moment; do it once, and all of it."""
        raise NotImplementedError

    def _begin(self) -> None:
        """Called when the tab is first seen."""

    @property
    def plan(self) -> Plan | None:
        """The plan shown, or None."""
        raise NotImplementedError

    @property
    def picture(self) -> QWidget:
        """The content of an exported picture."""
        raise NotImplementedError

    def show_frame(self, frame: Frame | None) -> None:
        """Show these results; None means that nothing is known."""
        raise NotImplementedError

    def take_plan(self, plan: Plan) -> None:
        """Show this plan; ``NimdeskError`` if it cannot be shown."""
        raise NotImplementedError

    # And these, where there is something

    def others(self) -> list[tuple[str, Path]]:
        """The names and files of other results that these may be compared with."""
        return []

    def figures(self) -> list[Choice]:
        """The figures for print that the results shown allow, the first one the most telling."""
        return [] if self.frame is None else figures_of(self.frame.found, self.frame.charts)

    # The person's actions

    def abilities(self) -> dict[str, bool]:
        """Which of the page's actions are possible now, by name."""
        frame, running, there = self.frame, self.shown.is_running, self.plan is not None
        waits = self.shown.waits
        finished = frame is not None and frame.complete
        found = frame is not None and frame.done > 0
        return {
            "exp_start": (there and not finished and not running and not (waits and self.runner.active))
            or (running and self.runner.resting),
            "exp_pause": running and not (self.runner.state is RunState.PAUSED and not self.runner.held),
            "exp_cancel": running or waits,
            "exp_open": True,
            "exp_save": there,
            "exp_csv": found,
            "exp_picture": found,
            "exp_figure": found,
            "exp_command": there,
            "exp_python": found or (self.plan is not None and any(kind.script for kind in self.plan.kinds)),
        }

    @property
    def start_text(self) -> str:
        """What Start would do."""
        if self.runner.active and not self.shown.is_running:
            return "&Queue"
        begun = self.frame is not None and 0 < self.frame.done < self.frame.total
        return "&Continue" if begun or self.shown.is_running else "&Start"

    def start(self, workers: int | None = None) -> None:
        """Do the rest of the plan shown, or continue it; while another one is under way it waits for its turn."""
        if self.shown.is_running:
            self.runner.resume()
        elif self.plan is not None and self.path is not None:
            self.head.say("")
            self.shown.start(self.plan, workers)

    def cancel(self) -> None:
        """End the run of the plan shown, or let it wait no more."""
        if self.shown.waits:
            self.runner.forget(self.path)
        else:
            self.runner.cancel()

    def shutdown(self) -> None:
        """End the run and the threads; call it after the window is hidden."""
        self.runner.shutdown()
        self.jobs.shutdown()
        self.opening.jobs.shutdown()


class Columns(QSplitter):
    """Two columns; at first the left one has this width."""

    def __init__(self, left: QWidget, width: int, right: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._width = width
        self.addWidget(left)
        self.addWidget(right)
        self.setStretchFactor(1, 1)
        self.setChildrenCollapsible(False)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._width:
            self.setSizes([self._width, max(200, self.width() - self._width)])
            self._width = 0
