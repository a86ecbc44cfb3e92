"""The tab of atlases: which positions of a small game mislead a search; each can be watched in the laboratory."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from nimdesk.experiments.atlas_tally import AtlasRow, AtlasTally, Order, features, misled
from nimdesk.experiments.files import Found, read
from nimdesk.experiments.report import ATLAS_HEADERS, atlas_cells
from nimdesk.search.timeline import Cost
from nimdesk.ui.experiments.file_tab import FileTab
from nimdesk.ui.experiments.study_panel import OpenedSearch
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


class AtlasTab(FileTab):
    """A file of results of “nimdesk atlas convergence”, as a table."""

    search_wanted = Signal(object)
    """The person opened this ``OpenedSearch``, for the laboratory."""

    def __init__(self) -> None:
        super().__init__("Positions of the atlas", "atlas.db", "Open an atlas", _ATLASES)
        self._atlas: AtlasTally | None = None
        self._rows: list[AtlasRow] = []
        self.open.setToolTip("A file that “nimdesk atlas convergence --out FILE.db” has made")
        self.reference.setToolTip("The atlas that comes with nimdesk: a part of what can be searched")
        self.table.setToolTip("Enter or a double click opens the position in the laboratory, with this agent")
        self.order = QComboBox()
        self.order.addItems(list(_ORDERS))
        self.agents = QComboBox()
        self.agents.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._lay_out(*_named("Order", self.order), *_named("Agent", self.agents))
        self.order.currentIndexChanged.connect(self._show)
        self.agents.currentIndexChanged.connect(self._show)
        self.table.opened.connect(self._open_row)

    def _read(self, path: Path) -> None:
        self.jobs.start(lambda _job: read(path), done=partial(self._on_read, path), failed=self._show_title)

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


def _named(words: str, box: QComboBox) -> tuple[QWidget, QWidget]:
    """A choice after its name; on Linux a screen reader tells a combo box by its label."""
    tied = label(words)
    tied.setBuddy(box)
    box.setAccessibleName(words)
    return tied, box
