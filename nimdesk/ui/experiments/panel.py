"""What the tabs of experiments that are run here share: buttons, progress, the run, the results shown, and files."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from msgspec import UNSET
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QProgressBar,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.disk import paths
from nimdesk.disk.atomic import write_file
from nimdesk.errors import NimdeskError
from nimdesk.experiments.differences import Differences
from nimdesk.experiments.files import Found, RunEntry
from nimdesk.experiments.plan import Plan, load_plan
from nimdesk.experiments.run import RunState
from nimdesk.experiments.schedule import read_positions
from nimdesk.experiments.store import annotate, delete_results
from nimdesk.figures.content import Content
from nimdesk.figures.files import Look, files_of, write_figure
from nimdesk.ui.experiments import words
from nimdesk.ui.experiments.compare_dialog import CompareDialog, compared
from nimdesk.ui.experiments.fields import Problem, run_buttons
from nimdesk.ui.experiments.figures import Choice, comparison_choices, figure_choices
from nimdesk.ui.experiments.run_list import RunWordsDialog
from nimdesk.ui.experiments.runner import Frame, Runner, read_stored
from nimdesk.ui.figure_dialog import FIGURES, FigureDialog
from nimdesk.ui.jobs.bridge import Bridge, Job
from nimdesk.ui.laboratory.export_pictures import PICTURES, file_of, widget_sheet
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.desktop import ask, ask_save_path
from nimdesk.ui.look.widgets import keyless, label

PLANS = "Plans (*.json);;All files (*)"
TABLES = "Tables (*.csv);;All files (*)"


class RunPanel(QWidget):
    """A plan with its known results, and the run under way, which may be of another plan."""

    told = Signal(str)
    """One sentence for the status line."""
    abilities_changed = Signal()
    """``abilities`` changed."""
    run_changed = Signal()
    """``under_way`` changed."""

    def __init__(self, actions: ActionSet, what: str) -> None:
        """``what`` names the tasks after their number; "" for nothing."""
        super().__init__()
        self._what = what
        self._begun = False
        self._run_problem = ""
        self.frame: Frame | None = None
        """The results shown; None while none are known."""
        self.path: Path | None = None
        """The results file of the plan shown."""
        self.jobs = Bridge("nimdesk-results", parent=self)
        self.runner = Runner(self)
        self._newest: Frame | None = None
        self._reading: Job | None = None
        self._opening = Bridge("nimdesk-opening", parent=self)
        self._opened: Job | None = None
        self._last_folder: Path | None = None
        self.buttons = run_buttons(actions)
        self.bar = QProgressBar()
        self.bar.setAccessibleName("Progress of the run")
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(10)
        self.status = label(role="muted", wrap=True)
        self.finding = label(wrap=True)
        self.finding.setAccessibleName("What was found")
        self.compare, self._others_menu = menu_button("Compare", self._fill_others)
        self.compare.setToolTip("Lay other results over these, with the differences and their intervals")
        self.problem = Problem()
        self.runner.state_changed.connect(self._on_state)
        self.runner.frame_changed.connect(self._on_run_frame)
        self.runner.read.connect(self._on_run_read)

    def _results(self, view: QWidget, *beside: QWidget) -> QVBoxLayout:
        """The buttons with ``beside``, the bar, the words about the run, and the view of its results."""
        head = QHBoxLayout()
        head.setSpacing(6)
        for button in self.buttons:
            head.addWidget(button)
        head.addStretch(1)
        for widget in (*beside, self.compare):
            head.addWidget(widget)
        column = QVBoxLayout()
        column.setContentsMargins(6, 6, 8, 6)
        column.setSpacing(5)
        column.addLayout(head)
        column.addWidget(self.bar)
        column.addWidget(self.status)
        column.addWidget(self.finding)
        column.addWidget(self.problem)
        column.addWidget(view, 1)
        return column

    def _lay_out(self, left: QWidget, width: int, right: QWidget) -> None:
        """Two columns; ``width`` is the left one's at first."""
        self._left_width = width
        self.columns = QSplitter(Qt.Orientation.Horizontal)
        self.columns.addWidget(left)
        self.columns.addWidget(right)
        self.columns.setStretchFactor(1, 1)
        self.columns.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.columns)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._begun:
            self._begun = True
            self._arrange()
            self._begin()

    def _arrange(self) -> None:
        """Give the columns their widths at first."""
        self.columns.setSizes([self._left_width, max(200, self.width() - self._left_width)])

    def sizeHint(self) -> QSize:
        return QSize(1100, 700)

    # Each tab provides these

    def _begin(self) -> None:
        """Called when the tab is first seen."""
        raise NotImplementedError

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

    def others(self) -> list[tuple[str, Path]]:
        """The names and files of other results that these may be compared with."""
        raise NotImplementedError

    def take_plan(self, plan: Plan) -> None:
        """Show this plan; ``NimdeskError`` if it cannot be shown."""
        raise NotImplementedError

    def filled_in(self) -> str:
        """What a person has filled in; "" where there is nothing to fill in."""
        return ""

    # The plan shown and its results

    @property
    def is_running(self) -> bool:
        """Whether the plan shown is the one under way."""
        return self.runner.active and self.runner.path == self.path

    @property
    def under_way(self) -> tuple[float, str] | None:
        """The share of the run that is done, be it of the plan shown or not, and how far it is in words; None without a
        run.
        """
        if not self.runner.active:
            return None
        frame = self._newest
        share = 0.0 if frame is None or not frame.total else frame.done / frame.total
        return share, words.status_words(frame, self.runner.state, self._what, waiting=self.runner.held)

    @property
    def reading(self) -> bool:
        """Whether results are being read."""
        return self._reading is not None

    def _look(self, plan: Plan | None, path: Path | None) -> None:
        """Show the file's results of this plan; without a file nothing is known."""
        if self._reading is not None:
            self._reading.drop()
            self._reading = None
        known = None if self.frame is None else self.frame.found
        self.path, self.frame = path, None
        self.show_frame(None)
        if plan is not None and path is not None and not self.is_running:
            act = partial(read_stored, plan, path, known, self._on_part)
            self._reading = self.jobs.start(act, done=self._on_read, failed=self._on_unreadable)
        self._show_progress()
        self.abilities_changed.emit()

    def _on_part(self, read: int, there: int) -> None:
        self.status.setText(f"Reading the results: {read:,} of {there:,}")
        self.bar.setRange(0, there)
        self.bar.setValue(read)

    def _on_run_read(self, read: int, there: int) -> None:
        if self.is_running:
            self._on_part(read, there)

    def _on_read(self, frame: Frame) -> None:
        self._reading = None
        if not self.is_running:
            self._on_frame(frame)

    def _on_unreadable(self, sentence: str) -> None:
        self._reading = None
        self._say(sentence)
        self._show_progress()

    def _on_run_frame(self, frame: Frame) -> None:
        self._newest = frame
        self._on_frame(frame)
        self.run_changed.emit()

    def _on_frame(self, frame: Frame) -> None:
        if frame.path == self.path:
            self.frame = frame
            self.show_frame(frame)
            self._show_progress()
            if frame.progress is None:
                self.abilities_changed.emit()

    def _on_state(self) -> None:
        if self.runner.problem != self._run_problem:
            self._run_problem = self.runner.problem
            self._say(self._run_problem)
        if not self.runner.active:
            self._newest = None
        if self._was_cancelled_unread:
            self._look(self.plan, self.path)
        self._show_progress()
        self.abilities_changed.emit()
        self.run_changed.emit()

    @property
    def _was_cancelled_unread(self) -> bool:
        """Whether the run of the plan shown was cancelled before it had read what is stored, which is not seen now."""
        path = self.path
        ended = self.runner.state is RunState.CANCELLED and self.runner.path == path and not self.reading
        return ended and self.frame is None and path is not None and path.exists()

    def _show_progress(self) -> None:
        frame = self.frame
        state = self.runner.state if self.runner.path == self.path else None
        unknown = state in (RunState.READY, RunState.PROVING) or (self.reading and self.plan is not None)
        self.bar.setRange(0, 0 if unknown else 1000)
        if self.bar.maximum():
            self.bar.setValue(0 if frame is None or not frame.total else round(1000 * frame.done / frame.total))
        waiting = self.runner.held and self.runner.active
        known = frame is not None and frame.done > 0
        self.finding.setText(frame.finding if frame is not None and known else "")
        self.finding.setVisible(known)
        self.compare.setEnabled(known and not self.is_running)
        self.status.setText(words.status_words(frame, state, self._what, waiting=waiting))

    def ask_words(self, entry: RunEntry, then: Callable[[], object], problem: str = "") -> None:
        """Ask for the name and the note of a run, and keep them in its file; ask again if that fails."""
        dialog = RunWordsDialog(entry, problem, self)
        if dialog.exec() == dialog.DialogCode.Accepted:
            name, note = dialog.words
            again = partial(self.ask_words, replace(entry, name=name, note=note), then)
            self.jobs.start(lambda _job: annotate(entry.path, name, note), done=lambda _none: then(), failed=again)
        dialog.deleteLater()

    def _delete_results(self, question: str) -> bool:
        """Delete the results shown if the person says Yes to this question; whether they are gone."""
        if self.path is None or not ask(self, "Delete results", question):
            return False
        try:
            delete_results(self.path)
        except NimdeskError as error:
            self._say(str(error))
            return False
        self.frame = None
        return True

    def _say(self, sentence: str) -> None:
        self.problem.say(sentence)

    # The person's actions

    def abilities(self) -> dict[str, bool]:
        """Which of the page's actions are possible now, by name."""
        frame, running = self.frame, self.is_running
        finished = frame is not None and frame.complete
        found = frame is not None and frame.done > 0
        return {
            "exp_start": (not self.runner.active and self.plan is not None and not finished)
            or (running and self.runner.resting),
            "exp_pause": running and not (self.runner.state is RunState.PAUSED and not self.runner.held),
            "exp_cancel": running,
            "exp_open": True,
            "exp_save": self.plan is not None,
            "exp_csv": found,
            "exp_picture": found,
            "exp_figure": found,
            "exp_command": self.plan is not None,
            "exp_python": self.plan is not None and (self.plan.study is not UNSET or found),
        }

    @property
    def start_text(self) -> str:
        """What Start would do."""
        begun = self.frame is not None and 0 < self.frame.done < self.frame.total
        return "&Continue" if begun or self.is_running else "&Start"

    def start(self) -> None:
        """Do the rest of the plan shown, or continue it."""
        if self.is_running:
            self.runner.resume()
        elif self.plan is not None and self.path is not None:
            self._say("")
            known = None if self.frame is None else self.frame.found
            if self._reading is not None:
                self._reading.drop()
                self._reading = None
            self.runner.start(self.plan, self.path, workers=self._workers(), known=known)

    def _workers(self) -> int | None:
        return None

    def pause(self) -> None:
        """Begin no more tasks for now."""
        self.runner.pause()

    def cancel(self) -> None:
        """End the run; finished tasks are kept."""
        self.runner.cancel()

    def hold(self, held: bool) -> None:
        """Pause the run while a search is watched."""
        self.runner.hold(held)

    def shutdown(self) -> None:
        """End the run and the threads; call it after the window is hidden."""
        self.runner.shutdown()
        self.jobs.shutdown()
        self._opening.shutdown()

    def open_plan(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, "Open a plan", str(self._folder), PLANS)
        if chosen:
            self._last_folder = Path(chosen).parent
            self._open(lambda: load_plan(Path(chosen)))

    def _open(self, load: Callable[[], Plan], take: Callable[[Plan], object] | None = None) -> None:
        """Have ``take_plan``, or ``take``, show a plan once its positions are read beside the window.

        What a person fills in meanwhile is not replaced by it.
        """
        if self._opened is not None:
            self._opened.drop()
        done = partial(self._take, take or self.take_plan, self.filled_in())
        self._opened = self._opening.start(lambda _job: read_positions(load()), done=done, failed=self._say)

    def _take(self, take: Callable[[Plan], object], before: str, plan: Plan) -> None:
        if self.filled_in() == before:
            self._guarded(lambda: take(plan))
        else:
            self._say("The plan was not opened: something else was filled in meanwhile.")

    def save_plan(self) -> None:
        plan = self.plan
        if plan is not None:
            self._save("Save the plan", f"{paths.file_name(plan.name)}.json", PLANS, lambda _path: plan.to_json())

    def export_picture(self) -> None:
        """Write the picture as SVG or PDF, or as PNG at twice the size."""
        picture, name = self.picture, "study.png" if self._what else "chart.png"
        self._save(
            "Export the picture",
            name,
            PICTURES,
            lambda path: file_of(widget_sheet(picture, picture.accessibleName()), path.suffix),
        )

    def ask_figure(self) -> None:
        """Ask what a figure for print is to show and how it is to look, and write it."""
        if self.frame is not None:
            self._ask_figure(figure_choices(self.frame), self)

    def _ask_figure(self, choices: list[Choice], over: QWidget) -> None:
        dialog = FigureDialog([words for words, _made in choices], lambda at: choices[at][1](), over)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.save_wanted.connect(self._on_figure)
        dialog.open()

    def _on_figure(self, content: Content, look: Look) -> None:
        path = ask_save_path(self, "Save the figure", self._folder / "figure.pdf", FIGURES, files_of)
        plan = self.plan
        if path is None or plan is None:
            return
        self._last_folder = path.parent
        about = {"plan": plan.name, "digest": "" if self.frame is None else self.frame.schedule.digest}
        self.told.emit("Drawing the figure…")
        self.jobs.start(
            lambda _job: write_figure(content, look, path, about),
            done=partial(self._on_drawn, content),
            failed=self._say,
        )

    def _on_drawn(self, content: Content, files: list[Path]) -> None:
        QGuiApplication.clipboard().setText(content.caption)
        self._say("")
        self.told.emit(f"Saved to {files[0]}, with its data and script beside it; the caption was copied.")

    def export_tables(self) -> None:
        raise NotImplementedError

    def copy_command(self) -> None:
        """Copy the terminal command to the clipboard."""
        plan, path = self.plan, self.path
        if plan is None or path is None:
            return

        def copy() -> None:
            text = words.command(plan, path)
            QGuiApplication.clipboard().setText(text)
            self.told.emit(f"Copied: {text}")

        self._guarded(copy)

    def copy_python(self) -> None:
        """Copy a script that has the results, and goes on with a study where it was stopped."""
        plan, path = self.plan, self.path
        if plan is not None and path is not None:
            QGuiApplication.clipboard().setText(words.script(plan, path))
            self.told.emit("Copied as Python.")

    def _fill_others(self) -> None:
        self._others_menu.clear()
        found = [(name, path) for name, path in self.others() if path != self.path and os.path.exists(path)]
        for name, path in found:
            self._others_menu.addAction(keyless(name), partial(self._compare, name, path))
        if not found:
            self._others_menu.addAction("Nothing else is there to compare with").setEnabled(False)

    def _compare(self, name: str, path: Path) -> None:
        if self.frame is not None:
            act, names = partial(compared, self.frame.found, path), (self._name, name)
            self.jobs.start(act, done=partial(self._show_differences, names), failed=self._say)

    def _show_differences(self, names: tuple[str, str], found: tuple[Found, Found, Differences]) -> None:
        self._say("")
        one, other, differing = found
        dialog = CompareDialog(one, differing, names, self)
        dialog.figure_wanted.connect(lambda: self._ask_figure(comparison_choices(one, other, names), dialog))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    @property
    def _name(self) -> str:
        plan = self.plan
        return next((name for name, path in self.others() if path == self.path), plan.name if plan else "")

    @property
    def _folder(self) -> Path:
        return self._last_folder or paths.documents_dir()

    def _save(self, title: str, name: str, filters: str, data: Callable[[Path], bytes]) -> None:
        """Ask for a file and write it."""
        path = ask_save_path(self, title, self._folder / name, filters)
        if path is not None:
            self._last_folder = path.parent
            self._guarded(lambda: write_file(path, data(path)), f"Saved to {path}")

    def _ask_folder(self, title: str) -> Path | None:
        chosen = QFileDialog.getExistingDirectory(self, title, str(self._folder))
        if chosen:
            self._last_folder = Path(chosen)
        return Path(chosen) if chosen else None

    def _guarded(self, act: Callable[[], object], done: str = "") -> None:
        try:
            act()
        except NimdeskError as error:
            self._say(str(error))
        else:
            self._say("")
            if done:
                self.told.emit(done)


def menu_button(text: str, fill: Callable[[], object]) -> tuple[QToolButton, QMenu]:
    """A button that opens a menu, and the menu, which ``fill`` fills anew each time."""
    button = QToolButton()
    button.setText(text)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    menu = QMenu(button)
    menu.aboutToShow.connect(fill)
    button.setMenu(menu)
    return button, menu
