"""The tab of atlases: which positions of a small game mislead a search; each can be watched in the laboratory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from nimdesk.disk.paths import resources_dir
from nimdesk.errors import PlanError
from nimdesk.experiments.atlas.tables import ATLAS_HEADERS, atlas_cells
from nimdesk.experiments.atlas.tally import AtlasRow, AtlasTally, Order, features, misled
from nimdesk.experiments.files import default_path, earlier_atlases, read
from nimdesk.experiments.plan import Plan
from nimdesk.search.timeline import Cost
from nimdesk.ui.experiments.atlas_form import AtlasDialog
from nimdesk.ui.experiments.earlier_runs import EarlierRuns
from nimdesk.ui.experiments.figures import Choice, atlas_figures
from nimdesk.ui.experiments.panel import RunPanel
from nimdesk.ui.experiments.runner import Frame, frame_of
from nimdesk.ui.experiments.study_panel import OpenedSearch
from nimdesk.ui.experiments.tables import RowsView
from nimdesk.ui.jobs.bridge import Frames, Job
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.widgets import label

_ATLASES = "Atlases (*.db);;All files (*)"
_ORDERS: dict[str, Order] = {"The worst traps first": "traps", "The largest falls first": "worse"}
_TIPS = (
    "The position searched",
    "Who searched it",
    "What it is worth for the side to move",
    "How many of the legal moves are optimal",
    "The share of searches that chose an optimal move, with the smallest budget and with the largest",
    "The mean regret over all budgets: how bad a trap it is",
    "The budget by which half of all searches had chosen optimally for good",
    "By how much the share of optimal choices falls with more simulations, and between which two budgets",
    "The wrong move chosen most often, and how many plies the game then lasts",
)
_TABLE_S = 1.0
"""How often, at most, the table follows while an atlas is made: it is sorted anew each time."""


class AtlasTab(RunPanel):
    """An atlas as a table: the one that comes with nimdesk at first, another file, or one that is made here."""

    title = "&Atlas"

    def __init__(self, actions: ActionSet, on_board: Callable[[], str]) -> None:
        super().__init__(actions, on_board)
        self._shown: Plan | None = None
        self._file: Job | None = None
        self._rows: list[AtlasRow] = []
        self._table_frames = Frames(_TABLE_S)

    def build(self) -> Iterator[None]:
        self.about = label(role="muted", wrap=True)
        self.table = RowsView("Positions of the atlas")
        self.table.setToolTip("Enter or a double click opens the position in the laboratory, with this agent")
        self.found = label(role="muted", wrap=True)
        self.order = QComboBox()
        self.order.addItems(list(_ORDERS))
        self.agents = QComboBox()
        self.agents.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        yield
        self.earlier = EarlierRuns("Atlases", earlier_atlases, self._add_first, self.shown, self.head, self.jobs)
        self.earlier.setToolTip("A new atlas, one in a file, and those made here before")
        self.head.add(self.earlier)
        head = QHBoxLayout()
        for widget in (*_named("Order", self.order), *_named("Agent", self.agents)):
            head.addWidget(widget)
        head.addStretch(1)
        view = QWidget()
        column = QVBoxLayout(view)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.about)
        column.addLayout(head)
        column.addWidget(self.table, 1)
        column.addWidget(self.found)
        self.compare.hide()
        self.setLayout(self._column(view))
        yield
        self.order.currentIndexChanged.connect(self._show_rows)
        self.agents.currentIndexChanged.connect(self._show_rows)
        self.table.opened.connect(self._open_row)
        self.earlier.chosen.connect(lambda entry: self.show_file(entry.path))
        self.runner.state_changed.connect(self._on_state)
        yield

    def _begin(self) -> None:
        if self.path is None:
            self.show_file(resources_dir() / "atlas.db")
        self.earlier.look()

    @property
    def plan(self) -> Plan | None:
        return self._shown

    @property
    def picture(self) -> QWidget:
        return self.table

    def figures(self) -> list[Choice]:
        return [] if self.frame is None else atlas_figures(self.frame.found, self._order, self._agent)

    # What is shown

    def take_plan(self, plan: Plan) -> None:
        """Show this atlas with what is stored of it; ``PlanError`` for any other plan."""
        if not plan.atlas:
            raise PlanError("The plan is not one of an atlas: studies, matches and tables have tabs of their own.")
        self._drop_file()
        self._shown = plan
        self.head.say("")
        self.shown.look(plan, default_path(plan))

    def show_file(self, path: Path) -> None:
        """Read the results in a file and show them; what is wrong with it is said in one sentence."""
        self._drop_file()
        self.about.setText(f"Reading {path.name}…")
        self._file = self.jobs.start(
            lambda job: frame_of(read(path, job.check)), done=partial(self._on_file, path), failed=self._on_no_file
        )

    def _drop_file(self) -> None:
        """A file that is still read is not shown: something else was asked for."""
        if self._file is not None:
            self._file.drop()
            self._file = None

    def _on_no_file(self, sentence: str) -> None:
        self.show_frame(self.frame)
        self.head.say(sentence)

    def _on_file(self, path: Path, frame: Frame) -> None:
        if frame.found.of(AtlasTally) is None:
            self._on_no_file(f"“{path.name}” is no atlas; the tab of matches shows the results of matches.")
            return
        self.head.say("")
        self._shown = frame.schedule.plan
        self.shown.adopt(frame)

    def show_frame(self, frame: Frame | None) -> None:
        atlas = None if frame is None else frame.found.of(AtlasTally)
        labels = [] if atlas is None else ["All agents", *atlas.atlas.labels]
        if [self.agents.itemText(number) for number in range(self.agents.count())] != labels:
            self.agents.blockSignals(True)
            self.agents.clear()
            self.agents.addItems(labels)
            self.agents.blockSignals(False)
        if frame is None or atlas is None:
            self.about.setText("")
            self.table.show_rows(ATLAS_HEADERS, [], (0, 1, 2, 8), _TIPS)
            self._rows = []
            self.found.setText("")
            return
        budgets, searches = atlas.atlas.budgets, atlas.atlas.part.repeats
        name = frame.found.name or (frame.path.name if frame.path is not None else "")
        self.about.setText(
            f"{name}: {frame.done:,} of {frame.total:,} pairs of position and agent, {searches:,} searches each, "
            f"budgets from {budgets[0]:,} to {budgets[-1]:,}."
        )
        if self.shown.is_running:
            self._table_frames.offer(self._show_rows)
        else:
            self._show_rows()

    def _show_rows(self) -> None:
        atlas = None if self.frame is None else self.frame.found.of(AtlasTally)
        if atlas is None:
            return
        agent = self._agent
        self._rows = [row for row in atlas.rows(self._order) if agent in ("", row.agent)]
        self.table.show_rows(ATLAS_HEADERS, [atlas_cells(row) for row in self._rows], (0, 1, 2, 8), _TIPS)
        self.table.resizeColumnToContents(0)  # while an atlas is made, longer positions come later
        self.found.setText("" if not agent else "\n".join([*misled(self._rows), *features(self._rows)]))

    @property
    def _order(self) -> Order:
        return _ORDERS[self.order.currentText()]

    @property
    def _agent(self) -> str:
        """The agent whose rows are shown; "" for all."""
        return self.agents.currentText() if self.agents.currentIndex() > 0 else ""

    def _open_row(self, number: int) -> None:
        assert self.frame is not None
        atlas, row = self.frame.found[AtlasTally].atlas, self._rows[number]
        task = atlas.task(row.number)
        agent, position = atlas.agents[task.agent], atlas.positions[task.position]
        self.search_wanted.emit(
            OpenedSearch(
                position=position,
                agent=agent.with_budget(atlas.budgets[-1], position),
                seed=atlas.seeds(task)[0],
                budget=row.worse_to or atlas.budgets[-1],
                cost=Cost.ITERATIONS if agent.traits.counts == "iterations" else Cost.NODES,
            )
        )

    # The person's actions

    def abilities(self) -> dict[str, bool]:
        """The atlas that comes with nimdesk is not gone on with."""
        able = super().abilities()
        own = self.path is not None and self.path.parent != resources_dir()
        return able | {name: able[name] and own for name in ("exp_start", "exp_command")}

    def _on_state(self) -> None:
        if not self.runner.active:
            self._show_rows()
            self.earlier.look()

    def _add_first(self, menu: QMenu) -> None:
        menu.addAction("Ne&w atlas…", self.ask_new)
        menu.addAction("&Open an atlas…", self._choose).setToolTip(
            "A file that “nimdesk atlas convergence --out FILE.db” has made"
        )
        menu.addAction("&Reference run", partial(self.show_file, resources_dir() / "atlas.db")).setToolTip(
            "The atlas that comes with nimdesk: a part of what can be searched"
        )

    def ask_new(self) -> None:
        """Ask what the atlas is to be of, and show it, to be started."""
        dialog = AtlasDialog(self)
        if dialog.exec() == dialog.DialogCode.Accepted:
            self.head.attempt(lambda: self.take_plan(dialog.made()))
        dialog.deleteLater()

    def _choose(self) -> None:
        path = self.files.to_open("Open an atlas", _ATLASES)
        if path is not None:
            self.show_file(path)


def _named(words: str, box: QComboBox) -> tuple[QWidget, QWidget]:
    """A choice after its name; on Linux a screen reader tells a combo box by its label."""
    tied = label(words)
    tied.setBuddy(box)
    box.setAccessibleName(words)
    return tied, box
