"""The tab of atlases: which positions of a small game mislead a search; each can be watched in the laboratory."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import cast

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from nimdesk.experiments.atlas_tally import AtlasRow, AtlasTally, Order, features, misled
from nimdesk.experiments.files import Found, read
from nimdesk.experiments.report import ATLAS_HEADERS, atlas_cells
from nimdesk.paths import resources_dir
from nimdesk.search.timeline import Cost
from nimdesk.ui.experiments.study_panel import OpenedSearch
from nimdesk.ui.experiments.tables import RowsView
from nimdesk.ui.jobs.bridge import Bridge
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


class AtlasTab(QWidget):
    """A file of results of “nimdesk atlas convergence”, as a table; at first the one that comes with nimdesk."""

    search_wanted = Signal(object)
    """The person opened this ``OpenedSearch``, for the laboratory."""
    told = Signal(str)
    """One sentence for the status line."""

    def __init__(self) -> None:
        super().__init__()
        self._seen = False
        self._atlas: AtlasTally | None = None
        self._rows: list[AtlasRow] = []
        self.jobs = Bridge("nimdesk-atlas", parent=self)
        self.open = QPushButton("&Open an atlas…")
        self.open.setToolTip("A file that “nimdesk atlas convergence --out FILE.db” has made")
        self.reference = QPushButton("&Reference run")
        self.reference.setToolTip("The atlas that comes with nimdesk: a part of what can be searched")
        self.order = QComboBox()
        self.order.addItems(list(_ORDERS))
        self.agents = QComboBox()
        self.agents.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.title = label(role="muted", wrap=True)
        self.table = RowsView("Positions of the atlas")
        self.table.setToolTip("Enter or a double click opens the position in the laboratory, with this agent")
        self.found = label(role="muted", wrap=True)
        self._lay_out()
        self.open.clicked.connect(self._choose)
        self.reference.clicked.connect(self._show_reference)
        self.order.currentIndexChanged.connect(self._show)
        self.agents.currentIndexChanged.connect(self._show)
        self.table.opened.connect(self._open_row)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        for button in (self.open, self.reference):
            head.addWidget(button)
        for words, box in (("Order", self.order), ("Agent", self.agents)):
            # On Linux a screen reader tells a combo box by its label.
            tied = label(words)
            tied.setBuddy(box)
            box.setAccessibleName(words)
            head.addWidget(tied)
            head.addWidget(box)
        head.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 8)
        column.addLayout(head)
        column.addWidget(self.title)
        column.addWidget(self.table, 1)
        column.addWidget(self.found)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._seen:
            self._show_reference()

    def _show_reference(self) -> None:
        self.show_file(resources_dir() / "atlas.db")

    def show_file(self, path: Path) -> None:
        """Read the atlas in a file and show it; what is wrong with it is said in one sentence."""
        self._seen = True
        self._show_title(f"Reading {path.name}…")
        self.jobs.start(lambda _job: read(path), done=partial(self._on_read, path), failed=self._show_title)

    def shutdown(self) -> None:
        """End the thread."""
        self.jobs.shutdown()

    def _choose(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, "Open an atlas", "", _ATLASES)
        if chosen:
            self.show_file(Path(chosen))

    def _on_read(self, path: Path, found: Found) -> None:
        if found.atlas is None:
            self._show_title(f"“{path.name}” is no atlas; the tab of matches shows the results of matches.")
            return
        self._atlas = found.atlas
        self.agents.blockSignals(True)
        self.agents.clear()
        self.agents.addItems(["All agents", *found.atlas.atlas.labels])
        self.agents.blockSignals(False)
        budgets, searches = found.atlas.atlas.budgets, found.atlas.atlas.part.repeats
        self._show_title(
            f"{path.name}: {found.done:,} of {found.total:,} pairs of position and agent, {searches:,} searches each, "
            f"budgets from {budgets[0]:,} to {budgets[-1]:,}."
        )
        self._show()

    def _show_title(self, text: str) -> None:
        self.title.setText(text)
        self.told.emit(text)

    def _show(self) -> None:
        if self._atlas is None:
            return
        order, agent = _ORDERS[self.order.currentText()], self.agents.currentText()
        everything = self.agents.currentIndex() <= 0
        self._rows = [row for row in self._atlas.rows(order) if everything or row.agent == agent]
        self.table.show_rows(ATLAS_HEADERS, [atlas_cells(row) for row in self._rows], (0, 1, 2, 8), _TIPS)
        self.found.setText("" if everything else "\n".join([*misled(self._rows), *features(self._rows)]))

    def _open_row(self, number: int) -> None:
        atlas, row = cast(AtlasTally, self._atlas).atlas, self._rows[number]
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
