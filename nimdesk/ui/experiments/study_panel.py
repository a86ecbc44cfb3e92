"""The convergence study: its form, its curves while they sharpen, its table, and the way from a point to a search."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMenu,
    QProgressBar,
    QScrollArea,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.agents import Agent
from nimdesk.atomic import os_error_words
from nimdesk.errors import NimdeskError
from nimdesk.experiments.study import Cell, Study, StudyPlan, counts_iterations, load_plan, plan_json
from nimdesk.experiments.study_results import StudyResults, summary_csv
from nimdesk.experiments.study_search import seeded_agent
from nimdesk.games import AnyPosition
from nimdesk.ui.experiments import study_words as words
from nimdesk.ui.experiments.exports import PICTURES, PLANS, TABLES, LastFolder, write_picture, write_text
from nimdesk.ui.experiments.fields import Problem, run_buttons
from nimdesk.ui.experiments.study_form import StudyForm
from nimdesk.ui.experiments.study_runner import StudyFrame, StudyRunner, StudyState, studies_dir, study_path
from nimdesk.ui.experiments.study_view import StudyView
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.look.widgets import label

_MOST_EARLIER = 12
_FORM_WIDTH = 310


@dataclass(frozen=True)
class OpenedSearch:
    """A search of a study, to be shown in the laboratory up to the budget at which it was chosen."""

    position: AnyPosition
    agent: Agent
    seed: int
    budget: int
    by_iterations: bool


class StudyPanel(QWidget):
    """Form on the left; buttons, progress, curves and table on the right."""

    search_wanted = Signal(object)
    """A person wants to see this ``OpenedSearch``."""
    told = Signal(str)
    """One sentence for the person at the screen."""
    abilities_changed = Signal()
    """What can be done changed: see ``abilities``."""

    def __init__(self, actions: ActionSet, theme: Theme, on_board: Callable[[], str]) -> None:
        super().__init__()
        self._folder = LastFolder()
        self._begun = False
        self.runner = StudyRunner(self)
        self.form = StudyForm(theme, on_board)
        self.view = StudyView(theme)
        self.buttons = run_buttons(actions)
        self.more = QToolButton()
        self.more.setText("Studies")
        self.more.setAccessibleName("Earlier studies")
        self.more.setToolTip("Earlier studies, whose results are kept; and starting over")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.more)
        self.menu.aboutToShow.connect(self._fill_menu)
        self.more.setMenu(self.menu)
        self.bar = QProgressBar()
        self.bar.setAccessibleName("Progress of the study")
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(10)
        self.status = label(role="muted")
        self.problem = Problem()
        self._lay_out()
        self.form.changed.connect(self._on_form)
        self.runner.state_changed.connect(self._on_state)
        self.runner.frame_changed.connect(self._on_frame)
        self.view.point_chosen.connect(self._offer_searches)
        self._on_state()

    def _lay_out(self) -> None:
        self.form_area = QScrollArea()
        self.form_area.setWidget(self.form)
        self.form_area.setWidgetResizable(True)
        self.form_area.setFrameShape(QFrame.Shape.NoFrame)
        self.form_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.form_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.form_area.setMinimumWidth(_FORM_WIDTH - 40)
        head = QHBoxLayout()
        head.setSpacing(6)
        for button in self.buttons:
            head.addWidget(button)
        head.addWidget(self.bar, 1)
        head.addWidget(self.more)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(6, 6, 8, 6)
        column.setSpacing(5)
        column.addLayout(head)
        column.addWidget(self.status)
        column.addWidget(self.problem)
        column.addWidget(self.view, 1)
        self.columns = QSplitter(Qt.Orientation.Horizontal)
        self.columns.addWidget(self.form_area)
        self.columns.addWidget(right)
        self.columns.setStretchFactor(1, 1)
        self.columns.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.columns)

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of this look."""
        self.form.set_theme(theme)
        self.view.set_theme(theme)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._begun:
            self._begun = True
            self.columns.setSizes([_FORM_WIDTH, max(200, self.width() - _FORM_WIDTH)])
            if plans := earlier_plans():
                with suppress(NimdeskError):
                    self.take_plan(plans[0])

    def sizeHint(self) -> QSize:
        return QSize(1100, 700)

    # What a person does

    def abilities(self) -> dict[str, bool]:
        """Which of the page's actions can be done now."""
        state, frame = self.runner.state, self.runner.frame
        resting = state in (StudyState.PAUSED, StudyState.WAITING)
        ready = not self.runner.active and self.form.study is not None and not self._all_done
        return {
            "exp_start": ready or resting,
            "exp_pause": self.runner.active and state is not StudyState.PAUSED,
            "exp_cancel": self.runner.active,
            "exp_open": not self.runner.active,
            "exp_save": self.form.study is not None,
            "exp_csv": frame is not None and frame.results.done > 0,
            "exp_picture": frame is not None and frame.results.done > 0,
            "exp_command": self.form.study is not None,
        }

    @property
    def start_text(self) -> str:
        """What Start would do."""
        frame = self.runner.frame
        begun = frame is not None and 0 < frame.results.done < frame.study.total and self._is_shown
        return "&Continue" if self.runner.active or begun else "&Start"

    @property
    def _is_shown(self) -> bool:
        """Whether the study in the form is the one whose results are shown."""
        frame, study = self.runner.frame, self.form.study
        return frame is not None and study is not None and frame.study.digest == study.digest

    @property
    def _all_done(self) -> bool:
        return self._is_shown and self.runner.state is StudyState.FINISHED

    def start(self) -> None:
        """Run the study of the form, or go on with it."""
        if self.runner.active:
            self.runner.resume()
            return
        study = self.form.study
        if study is None:
            return
        path, threads = study_path(study), self.form.threads.value
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path.with_suffix(".json"), plan_json(study.plan).decode())
        except NimdeskError as error:
            self.told.emit(f"The plan is not kept: {error}")
        except OSError as error:
            self.told.emit(f"The plan is not kept: {os_error_words(error)}.")
        self.runner.start(study, path, threads if isinstance(threads, int) else None)

    def pause(self) -> None:
        """Let it rest."""
        self.runner.pause()

    def cancel(self) -> None:
        """End it; what is done is kept."""
        self.runner.cancel()

    def start_over(self) -> None:
        """Forget what is stored of the study in the form."""
        study = self.form.study
        if study is None or self.runner.active or self.runner.busy:
            return
        for ending in ("", "-wal", "-shm"):
            with suppress(OSError):
                path = study_path(study)
                path.with_name(path.name + ending).unlink(missing_ok=True)
        self.runner.forget()

    def open_plan(self) -> None:
        """Take a plan from a file."""
        path = self._folder.ask_open(self, "Open a plan of a study", PLANS)
        if path is not None:
            self._guarded(lambda: self.take_plan(load_plan(path)))

    def take_plan(self, plan: StudyPlan) -> None:
        """Fill in this plan and show what is stored of it; ``NimdeskError`` if it cannot be run."""
        self.form.set_plan(plan)
        self._show_stored()

    def save_plan(self) -> None:
        """Write the plan of the form to a file."""
        study = self.form.study
        path = self._folder.ask_save(self, "Save the plan", "study.json", PLANS) if study is not None else None
        if path is not None and study is not None:
            self._guarded(lambda: write_text(path, plan_json(study.plan).decode()), f"Saved to {path}")

    def export_tables(self) -> None:
        """Write the results as ``nimdesk study --csv`` does."""
        frame = self.runner.frame
        path = self._folder.ask_save(self, "Export the results", "study.csv", TABLES) if frame is not None else None
        if path is not None and frame is not None:
            self._guarded(lambda: write_text(path, summary_csv(frame.results)), f"Saved to {path}")

    def export_picture(self) -> None:
        """Write what is shown as PNG or SVG."""
        path = self._folder.ask_save(self, "Export the picture", "study.png", PICTURES)
        if path is not None:
            self._guarded(lambda: write_picture(self.view.picture, path), f"Saved to {path}")

    def copy_command(self) -> None:
        """The line for a terminal, to the clipboard."""
        if self.form.study is not None:
            text = words.command(self.form.study)
            QGuiApplication.clipboard().setText(text)
            self.told.emit(f"Copied: {text}")

    def _guarded(self, act: Callable[[], object], done: str = "") -> None:
        try:
            act()
        except NimdeskError as error:
            self.problem.say(str(error))
        else:
            self.problem.say("")
            if done:
                self.told.emit(done)

    # Following

    def _on_form(self) -> None:
        self._show_stored()
        self.abilities_changed.emit()

    def _show_stored(self) -> None:
        """Show what is stored of exactly the study in the form, if any: results of another would contradict it."""
        runner, study = self.runner, self.form.study
        if (runner.active and not runner.reading) or (study is not None and runner.shows(study)):
            return
        if runner.reading or runner.frame is not None or runner.problem:
            runner.forget()
        if study is not None and study_path(study).exists():
            runner.look(study, study_path(study))

    def _on_state(self) -> None:
        self.problem.say(self.runner.problem)
        # While results are read a person may go on typing.
        self.form.set_enabled(not self.runner.active or self.runner.reading)
        self.bar.setRange(0, 0 if self.runner.state is StudyState.PROVING else 1000)
        self._show_progress()
        self.abilities_changed.emit()

    def _on_frame(self) -> None:
        self.view.show_frame(self.runner.frame)
        self._show_progress()

    def _show_progress(self) -> None:
        frame = self.runner.frame
        self.status.setText(words.state_text(self.runner.state, frame))
        if self.bar.maximum():
            self.bar.setValue(0 if frame is None else round(1000 * frame.results.done / frame.study.total))

    # From a point to a search

    def _offer_searches(self, agent: int, budget: int, place: QPoint) -> None:
        frame = self.runner.frame
        if frame is None:
            return
        menu = point_menu(frame, agent, self.view.position, budget)
        menu.setParent(self, menu.windowFlags())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.triggered.connect(self._on_point_action)
        menu.popup(place)

    def _on_point_action(self, action: QAction) -> None:
        frame = self.runner.frame
        if frame is not None:
            cell, budget = action.data()
            self.search_wanted.emit(opened_search(frame.study, Cell(*cell), budget))

    # Earlier studies

    def _fill_menu(self) -> None:
        self.menu.clear()
        over = self.menu.addAction("Start &over: forget the results of this study", self.start_over)
        over.setEnabled(self.form.study is not None and not self.runner.active and self.runner.frame is not None)
        self.menu.addSeparator()
        add_title(self.menu, "Earlier studies")
        plans = earlier_plans()
        if not plans:
            self.menu.addAction("None yet").setEnabled(False)
        for plan in plans:
            agents = ", ".join(dict.fromkeys(part.agent for part in plan.agents))
            text = f"{agents} on {', '.join(plan.positions[:3])}{'…' * (len(plan.positions) > 3)}, {plan.seeds:,} seeds"
            action = self.menu.addAction(text.replace("&", "&&"))
            action.setData(plan)
            action.setEnabled(not self.runner.active)
            action.triggered.connect(self._on_earlier)

    def _on_earlier(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        self._guarded(lambda: self.take_plan(action.data()))


def earlier_plans() -> list[StudyPlan]:
    """The plans of studies that were begun here, the newest first."""
    try:
        files = sorted(studies_dir().glob("*.json"), key=_changed, reverse=True)
    except OSError:
        return []
    plans: list[StudyPlan] = []
    for file in files[:_MOST_EARLIER]:
        with suppress(NimdeskError):
            plans.append(load_plan(file))
    return plans


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def add_title(menu: QMenu, text: str) -> None:
    """A line that cannot be chosen: sections of a menu show no words in every style."""
    menu.addAction(text.replace("&", "&&")).setEnabled(False)


def point_menu(frame: StudyFrame, agent: int, position: int, budget: int) -> QMenu:
    """What can be opened at a point: a search that chose an optimal move there, or one that did not."""
    results: StudyResults = frame.results
    study = frame.study
    menu = QMenu()
    add_title(menu, f"{words.letter(agent)}  {study.labels[agent]}, budget {study.budgets[budget]:,}")
    for optimal, chose in ((True, "chose an optimal move"), (False, "gave value away")):
        cells = results.find(agent, position, budget, optimal=optimal)
        count = f"one of {len(cells):,}" if len(cells) > 1 else "the only one" if cells else "there is none"
        action = menu.addAction(f"Open a search that {chose} ({count})")
        action.setEnabled(bool(cells))
        if cells:
            action.setData((tuple(cells[0]), study.budgets[budget]))
    return menu


def opened_search(study: Study, cell: Cell, budget: int) -> OpenedSearch:
    """This search as the laboratory repeats it."""
    agent = study.agents[cell.agent]
    return OpenedSearch(
        position=study.positions[cell.position],
        agent=seeded_agent(study, cell),
        seed=study.seed_of(cell),
        budget=budget,
        by_iterations=counts_iterations(agent),
    )
