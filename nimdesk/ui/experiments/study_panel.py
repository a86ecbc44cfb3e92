"""The convergence study: its form, its curves, its table, and the way from a point to a search."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QMenu, QScrollArea, QVBoxLayout, QWidget

from nimdesk.agents import Agent
from nimdesk.errors import NimdeskError, PlanError
from nimdesk.experiments.files import RunEntry, default_path, earlier_studies, latest_study
from nimdesk.experiments.parts import OWN_BUDGET
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.studies.work import Study, StudyTask
from nimdesk.games import AnyPosition
from nimdesk.search.timeline import Cost
from nimdesk.ui.experiments.earlier_runs import EarlierRuns, add_title
from nimdesk.ui.experiments.panel import Columns, RunPanel
from nimdesk.ui.experiments.runner import Frame
from nimdesk.ui.experiments.study_form import StudyForm
from nimdesk.ui.experiments.study_view import StudyView
from nimdesk.ui.experiments.study_words import letter
from nimdesk.ui.experiments.words import write_plan
from nimdesk.ui.look.desktop import ask

_FORM_WIDTH = 310


@dataclass(frozen=True)
class OpenedSearch:
    """A search of a study, to be shown in the laboratory up to the budget at which it was chosen."""

    position: AnyPosition
    agent: Agent
    seed: int
    budget: float
    cost: Cost


class StudyDraft:
    """What is filled in for a study. One that was started is listed, and need not be kept."""

    def __init__(self, form: StudyForm) -> None:
        self._form, self._first = form, ""
        self._kept = ""
        self._begun = False

    @property
    def text(self) -> str:
        return self._form.draft()

    def begin(self) -> bool:
        """Fill in what was kept; whether there was something."""
        self._begun = True
        return bool(self._kept) and self._form.take_draft(self._kept)

    def settle(self, *, restored: bool) -> None:
        """What stands there now was not typed by the person, unless it was ``restored``."""
        self._first = "" if restored else self.text

    def remember(self) -> str:
        # An agent that is missing today may be there at the next start.
        if not self._begun or self.text == self._first:
            return self._kept
        plan = self._form.plan
        listed = plan is not None and os.path.exists(default_path(plan).with_suffix(".json"))
        return "" if listed else self.text

    def restore(self, text: str) -> None:
        """Begin with this draft; with "", by the latest study."""
        self._kept = text

    def seat_awaited(self) -> None:
        self._form.seat_awaited()


class StudyPanel(RunPanel):
    """The form on the left; buttons, progress, curves and table on the right."""

    title = "&Convergence study"
    kept_as = "study"

    def build(self) -> Iterator[None]:
        self.form = StudyForm(self._on_board)
        self.filled = self._draft = StudyDraft(self.form)
        yield
        self.view = StudyView()
        yield
        self.earlier = EarlierRuns(
            "Studies", earlier_studies, self._add_first, self.shown, self.head, self.jobs, at_rest=True
        )
        self.earlier.setToolTip("Earlier studies, whose results are kept; and starting over")
        self.head.add(self.earlier)
        right = QWidget()
        right.setLayout(self._column(self.view))
        yield
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(Columns(self._scrolled_form(), _FORM_WIDTH, right))
        self.form.changed.connect(self._on_form)
        self.view.point_chosen.connect(self._offer_searches)
        self.earlier.chosen.connect(self._on_earlier)
        self.runner.state_changed.connect(self._on_state)
        yield

    def _scrolled_form(self) -> QScrollArea:
        area = QScrollArea()
        area.setWidget(self.form)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setMinimumWidth(_FORM_WIDTH - 40)
        return area

    def _begin(self) -> None:
        self.earlier.look()
        restored = self._draft.begin()
        with suppress(NimdeskError):
            if not restored and (plan := latest_study()) is not None:
                self.take_plan(plan)
        if self.path is None:
            self._on_form()
        self._draft.settle(restored=restored)

    @property
    def plan(self) -> Plan | None:
        """The filled-in study; None while something is wrong."""
        return self.form.plan

    @property
    def picture(self) -> QWidget:
        """The curves or the map with their key."""
        return self.view.picture

    def others(self) -> list[tuple[str, Path]]:
        """Earlier studies."""
        return [(entry.title, entry.path) for entry in self.earlier.entries or ()]

    def show_frame(self, frame: Frame | None) -> None:
        self.view.show_frame(frame)

    def take_plan(self, plan: Plan) -> None:
        """Fill in this plan and show its stored results; ``NimdeskError`` if it cannot be run, or another one runs."""
        if self.runner.active:
            raise PlanError("The study was not opened: another one is running.")
        self.form.set_plan(plan)
        self._on_form()

    # The person's actions

    def abilities(self) -> dict[str, bool]:
        """Another plan can be opened only while none is running."""
        return super().abilities() | {"exp_open": not self.runner.active}

    def start(self, workers: int | None = None) -> None:
        """Run the study of the form, or continue it, with the threads of the form."""
        if not self.shown.is_running and self.plan is not None and self.path is not None:
            try:
                write_plan(self.plan, self.path)
            except NimdeskError as error:
                self.told.emit(str(error))
        threads = self.form.threads.value
        super().start(threads if isinstance(threads, int) else workers)

    def start_over(self) -> None:
        """Delete the stored results of the study in the form, if the person agrees."""
        if self.frame is None or self.runner.active:
            return
        question = f"Delete the {self.frame.done:,} searches of this study? They can be run again."
        if ask(self, "Delete results", question) and self.head.attempt(self.shown.delete):
            self._on_form()

    def _add_first(self, menu: QMenu) -> None:
        over = menu.addAction("Start &over: forget the results of this study", self.start_over)
        over.setEnabled(not self.runner.active and self.frame is not None)

    def _on_earlier(self, entry: RunEntry) -> None:
        plan = entry.plan
        if plan is not None:
            self.opening.open(lambda: plan)

    # Following

    def _on_form(self) -> None:
        """Show the stored results of exactly this study, if any; another's would contradict the form."""
        plan = self.form.plan
        path = None if plan is None else default_path(plan)
        if not self.runner.active and (path is None or path != self.path or self.frame is None):
            self.head.say("")
            there = path is not None and os.path.exists(path)
            self.shown.look(plan if there else None, path)
        self.abilities_changed.emit()

    def _on_state(self) -> None:
        self.form.set_enabled(not self.runner.active)
        if self._begun:
            self.earlier.look()

    # From a point to a search

    def _offer_searches(self, agent: int, budget: int, place: QPoint) -> None:
        frame = self.frame
        if frame is None:
            return
        menu = point_menu(frame, agent, self.view.position, budget)
        menu.setParent(self, menu.windowFlags())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.triggered.connect(self._on_point_action)
        menu.popup(place)

    def _on_point_action(self, action: QAction) -> None:
        frame = self.frame
        if frame is not None:
            number, budget = action.data()
            self.search_wanted.emit(opened_search(frame.study, frame.study.task(number), budget))


def point_menu(frame: Frame, agent: int, position: int, budget: int) -> QMenu:
    """What can be opened at a point: a search that chose an optimal move there, or one that did not."""
    study, results = frame.study, frame.results
    menu = QMenu()
    own = study.has_own_budget(agent, position)
    spent = {each.number: max(1, each.spent[-1]) for each in results.results(agent, position)} if own else {}
    budget_words = OWN_BUDGET if own else f"budget {study.part.words(study.budgets[budget])}"
    add_title(menu, f"{letter(agent)}  {study.labels[agent]}, {budget_words}")
    for optimal, chose in ((True, "chose an optimal move"), (False, "gave value away")):
        found = results.find(agent, position, budget, optimal=optimal)
        count = f"one of {len(found):,}" if len(found) > 1 else "the only one" if found else "there is none"
        action = menu.addAction(f"Open a search that {chose} ({count})")
        action.setEnabled(bool(found))
        if found:
            action.setData((found[0].number, spent[found[0].number] if own else study.budgets[budget]))
    return menu


def opened_search(study: Study, task: StudyTask, budget: int) -> OpenedSearch:
    """This search as the laboratory repeats it."""
    counted = Cost.ITERATIONS if study.agents[task.agent].traits.counts == "iterations" else Cost.NODES
    timed = bool(study.part.unit)
    return OpenedSearch(
        position=study.positions[task.position],
        agent=study.seeded(task),
        seed=study.seed(task),
        budget=budget / 1_000 if timed else budget,
        cost=Cost.SECONDS if timed else counted,
    )
