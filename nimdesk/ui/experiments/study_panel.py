"""The convergence study: its form, its curves, its table, and the way from a point to a search."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QMenu, QScrollArea, QWidget

from nimdesk.agents import Agent
from nimdesk.disk.provenance import write_beside
from nimdesk.errors import NimdeskError, PlanError
from nimdesk.experiments.files import RunEntry, default_path, earlier_studies, latest_study
from nimdesk.experiments.parts import OWN_BUDGET
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.studies.tables import about_study, study_csv
from nimdesk.experiments.studies.work import Study, StudyTask
from nimdesk.games import AnyPosition
from nimdesk.search.timeline import Cost
from nimdesk.ui.experiments import words
from nimdesk.ui.experiments.panel import TABLES, RunPanel, menu_button
from nimdesk.ui.experiments.run_list import about_run
from nimdesk.ui.experiments.runner import Frame
from nimdesk.ui.experiments.study_form import StudyForm
from nimdesk.ui.experiments.study_view import StudyView
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.widgets import keyless, tip

_MOST_EARLIER = 12
_FORM_WIDTH = 310


@dataclass(frozen=True)
class OpenedSearch:
    """A search of a study, to be shown in the laboratory up to the budget at which it was chosen."""

    position: AnyPosition
    agent: Agent
    seed: int
    budget: float
    cost: Cost


class StudyPanel(RunPanel):
    """The form on the left; buttons, progress, curves and table on the right."""

    search_wanted = Signal(object)
    """The person opened this ``OpenedSearch``."""

    def __init__(self, actions: ActionSet, on_board: Callable[[], str]) -> None:
        """An empty panel, for ``build``; ``on_board`` returns the position on the game's board, as text."""
        super().__init__(actions, "searches")
        self._on_board = on_board
        self._first = ""
        self.kept = ""
        """The draft of the study to begin with; "" for the latest one."""
        self.entries: list[RunEntry] | None = None
        """The latest studies, the newest first; None before they were found."""

    def build(self) -> Iterator[None]:
        """Put everything into the panel, in pieces that each take a moment; do it once, and all of it."""
        self.form = StudyForm(self._on_board)
        yield
        self.view = StudyView()
        yield
        self.more, self.menu = menu_button("Studies", self._fill_menu)
        self.more.setToolTip("Earlier studies, whose results are kept; and starting over")
        self.more.setAccessibleName("Earlier studies")
        self.menu.setToolTipsVisible(True)
        right = QWidget()
        right.setLayout(self._results(self.view, self.more))
        yield
        self._lay_out(self._scrolled_form(), _FORM_WIDTH, right)
        self.form.changed.connect(self._on_form)
        self.view.point_chosen.connect(self._offer_searches)
        self._on_state()
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
        self._look_for_earlier()
        restored = bool(self.kept) and self.form.take_draft(self.kept)
        with suppress(NimdeskError):
            if not restored and (plan := latest_study()) is not None:
                self.take_plan(plan)
        if self.path is None:
            self._on_form()
        self._first = "" if restored else self.form.draft()

    @property
    def plan(self) -> Plan | None:
        """The filled-in study; None while something is wrong."""
        return self.form.plan

    def remember(self) -> str:
        """The draft of what was filled in, to be ``kept``; "" for a study that was started: it is listed."""
        # What cannot be filled in here may be elsewhere.
        if not self._begun or (draft := self.form.draft()) == self._first:
            return self.kept
        plan = self.form.plan
        listed = plan is not None and os.path.exists(default_path(plan).with_suffix(".json"))
        return "" if listed else draft

    @property
    def picture(self) -> QWidget:
        """The curves or the map with their key."""
        return self.view.picture

    def others(self) -> list[tuple[str, Path]]:
        """Earlier studies."""
        return [(entry.title, entry.path) for entry in self.entries or ()]

    def show_frame(self, frame: Frame | None) -> None:
        self.view.show_frame(frame)

    def take_plan(self, plan: Plan) -> None:
        """Fill in this plan and show its stored results; ``NimdeskError`` if it cannot be run, or another one runs."""
        if self.runner.active:
            raise PlanError("The study was not opened: another one is running.")
        self.form.set_plan(plan)
        self._on_form()

    def filled_in(self) -> str:
        return self.form.draft()

    # The person's actions

    def abilities(self) -> dict[str, bool]:
        """Another plan can be opened only while none is running."""
        return super().abilities() | {"exp_open": not self.runner.active}

    def start(self) -> None:
        """Run the study of the form, or continue it."""
        if not self.is_running and self.plan is not None and self.path is not None:
            try:
                words.write_plan(self.plan, self.path)
            except NimdeskError as error:
                self.told.emit(str(error))
        super().start()

    def _workers(self) -> int | None:
        threads = self.form.threads.value
        return threads if isinstance(threads, int) else None

    def start_over(self) -> None:
        """Delete the stored results of the study in the form, if the person agrees."""
        if self.frame is None or self.runner.active:
            return
        if self._delete_results(f"Delete the {self.frame.done:,} searches of this study? They can be run again."):
            self._on_form()

    def export_tables(self) -> None:
        """Write the results as ``nimdesk study --csv`` does."""
        frame = self.frame
        if frame is not None:
            self._save("Export the results", "study.csv", TABLES, partial(_table, frame))

    # Following

    def _on_form(self) -> None:
        """Show the stored results of exactly this study, if any; another's would contradict the form."""
        plan = self.form.plan
        path = None if plan is None else default_path(plan)
        if not self.runner.active and (path is None or path != self.path or self.frame is None):
            self._say("")
            there = path is not None and os.path.exists(path)
            self._look(plan if there else None, path)
        self.abilities_changed.emit()

    def _on_state(self) -> None:
        super()._on_state()
        self.form.set_enabled(not self.runner.active)
        if self._begun:
            self._look_for_earlier()

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

    # Earlier studies

    def _look_for_earlier(self) -> None:
        self.jobs.start(lambda _job: earlier_studies(_MOST_EARLIER), done=self._on_found, failed=self._say)

    def _on_found(self, entries: list[RunEntry]) -> None:
        changed, self.entries = entries != self.entries, entries
        if changed and self.menu.isVisible():
            self._show_menu()

    def _fill_menu(self) -> None:
        """Show what is known at once; files on a slow disk come when they come."""
        self._show_menu()
        self._look_for_earlier()

    def _show_menu(self) -> None:
        self.menu.clear()
        over = self.menu.addAction("Start &over: forget the results of this study", self.start_over)
        over.setEnabled(not self.runner.active and self.frame is not None)
        entries = self.entries or []
        shown = next((entry for entry in entries if entry.path == self.path and entry.date), None)
        named = self.menu.addAction("&Name, note…")
        named.setEnabled(shown is not None)
        if shown is not None:
            named.triggered.connect(lambda: self.ask_words(shown, self._on_words))
        self.menu.addSeparator()
        add_title(self.menu, "Earlier studies")
        if not entries:
            self.menu.addAction("Looking…" if self.entries is None else "None yet").setEnabled(False)
        for entry in entries:
            action = self.menu.addAction(keyless(" · ".join(filter(None, (entry.title, entry.date)))))
            action.setToolTip(tip(about_run(entry)))
            action.setData(entry.plan)
            action.setEnabled(not self.runner.active)
            action.triggered.connect(self._on_earlier)

    def _on_words(self) -> None:
        self._look_for_earlier()
        self.told.emit("Kept in the study's file; “Studies” lists it by its name.")

    def _on_earlier(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        plan = action.data()
        self._open(lambda: plan)


def _table(frame: Frame, path: Path) -> bytes:
    """The results as a table, after what made them was written beside it."""
    about = about_study(frame.results, frame.schedule.digest)
    write_beside(path, about, frame.found.made)
    return study_csv(frame.results).encode()


def add_title(menu: QMenu, text: str) -> None:
    """A line that cannot be chosen, because not every style shows the titles of sections."""
    menu.addAction(keyless(text)).setEnabled(False)


def point_menu(frame: Frame, agent: int, position: int, budget: int) -> QMenu:
    """What can be opened at a point: a search that chose an optimal move there, or one that did not."""
    study, results = frame.study, frame.results
    menu = QMenu()
    own = study.has_own_budget(agent, position)
    spent = {each.number: max(1, each.spent[-1]) for each in results.results(agent, position)} if own else {}
    budget_words = OWN_BUDGET if own else f"budget {study.part.words(study.budgets[budget])}"
    add_title(menu, f"{words.letter(agent)}  {study.labels[agent]}, {budget_words}")
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
