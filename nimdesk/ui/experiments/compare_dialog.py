"""Two studies or runs over each other: their curves, the differences with intervals, and what they come to."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QToolButton, QVBoxLayout, QWidget

from nimdesk.experiments.differences import Differences, differences, side_by_side
from nimdesk.experiments.files import Found, read
from nimdesk.experiments.measured import Difference, number
from nimdesk.experiments.studies.tally import StudyTally
from nimdesk.figures.measure import Unit
from nimdesk.ui.experiments.earlier_runs import fill_by
from nimdesk.ui.experiments.exports import Exports
from nimdesk.ui.experiments.figures import comparison_figures
from nimdesk.ui.experiments.run_head import RunHead
from nimdesk.ui.experiments.run_view import SectionPage
from nimdesk.ui.experiments.shown_results import ShownResults
from nimdesk.ui.jobs.bridge import Bridge, Job
from nimdesk.ui.look.widgets import keyless, label, plain
from nimdesk.ui.plots.study_plots import StudyCurve, StudyCurves, StudyPlot


class CompareButton(QToolButton):
    """A menu of other results; the one that is chosen is laid over those shown."""

    def __init__(
        self, others: Callable[[], list[tuple[str, Path]]], shown: ShownResults, exports: Exports, head: RunHead,
        jobs: Bridge,
    ) -> None:  # fmt: skip
        """``others`` returns the names and files of what can be compared, perhaps with the results shown among them."""
        super().__init__()
        self._others, self._shown, self._exports, self._head, self._jobs = others, shown, exports, head, jobs
        self._choices = fill_by(self, "Compare", self._fill)
        self.setToolTip("Lay other results over these, with the differences and their intervals")
        shown.frame_changed.connect(self._follow)
        shown.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        frame = self._shown.frame
        self.setEnabled(frame is not None and frame.done > 0 and not self._shown.is_running)

    def _fill(self) -> None:
        self._choices.clear()
        found = [(name, path) for name, path in self._others() if path != self._shown.path and os.path.exists(path)]
        for name, path in found:
            self._choices.addAction(keyless(name), partial(self._compare, name, path))
        if not found:
            self._choices.addAction("Nothing else is there to compare with").setEnabled(False)

    def _compare(self, name: str, path: Path) -> None:
        if self._shown.frame is not None:
            one = self._shown.frame.found
            ours = next((name for name, path in self._others() if path == one.path), one.schedule.plan.name)
            act, done = partial(_compared, one, path), partial(self._show, (ours, name))
            self._jobs.start(act, done=done, failed=self._head.say)

    def _show(self, names: tuple[str, str], found: tuple[Found, Found, Differences]) -> None:
        self._head.say("")
        one, other, differing = found
        dialog = CompareDialog(one, differing, names, self.parentWidget())
        dialog.figure_wanted.connect(lambda: self._exports.ask_figure(comparison_figures(one, other, names), dialog))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()


def _compared(one: Found, other: Path, job: Job) -> tuple[Found, Found, Differences]:
    """The results in a file, and how they differ from these; ``NimdeskError`` if there is nothing to compare."""
    found = read(other, job.check)
    return one, found, differences(one, found)


class CompareDialog(QDialog):
    """Shows the differences; for studies the curves of both as well, a position at a time."""

    figure_wanted = Signal()
    """The person wants a figure of it, for print."""

    def __init__(self, one: Found, found: Differences, names: tuple[str, str], parent: QWidget | None = None) -> None:
        """``one`` are the first results, whose budgets are drawn."""
        super().__init__(parent)
        self.setWindowTitle("Compare")
        self._found = found
        self.sentence = label(f"One: {names[0]}\nOther: {names[1]}\n\n{found.sentence}", wrap=True)
        self.table = SectionPage("Differences")
        self.table.show_section(side_by_side(found))
        notes = label("\n".join(found.notes), role="muted", wrap=True)
        notes.setVisible(bool(found.notes))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.sentence)
        if (tally := one.of(StudyTally)) is not None:
            study = tally.study
            self._budgets = {study.part.words(budget): float(budget) for budget in study.budgets}
            self._unit = study.unit
            self.position = QComboBox()
            self.position.setAccessibleName("Position")
            self.position.addItems(list(dict.fromkeys(row.of[1] for row in found.rows)))
            self.plot = StudyPlot()
            self.plot.setAccessibleName("Share of optimal choices in both, against budget")
            self.position.currentTextChanged.connect(self._draw)
            self.figure = buttons.addButton("&Figure for print…", QDialogButtonBox.ButtonRole.ActionRole)
            self.figure.clicked.connect(self.figure_wanted)
            layout.addWidget(self.position)
            layout.addWidget(self.plot, 1)
            self._draw(self.position.currentText())
        layout.addWidget(self.table, 1)
        layout.addWidget(notes)
        layout.addWidget(plain(buttons))
        self.resize(920, 640)

    def _draw(self, position: str) -> None:
        rows = [row for row in self._found.rows if row.quantity == "optimal" and row.of[1] == position]
        budgets = np.array(sorted({self._budgets[row.of[2]] for row in rows}))
        agents = list(dict.fromkeys(row.of[0] for row in rows))
        curves = [
            self._curve([row for row in rows if row.of[0] == agent], agent, 2 * place + side, side)
            for place, agent in enumerate(agents)
            for side in (0, 1)
        ]
        self.plot.show_curves(StudyCurves(budgets, tuple(curves), "optimal choices", Unit.SHARE, 1.0, per=self._unit))

    def _curve(self, rows: list[Difference], agent: str, style: int, side: int) -> StudyCurve:
        """One of the two curves of an agent; the other's read-out says the difference."""
        values, low, high = np.array([row.other if side else row.one for row in rows]).T
        words = []
        for row in rows:
            share = number(row, (row.other if side else row.one)[0])
            ends = f"[{number(row, row.low, signed=True)}, {number(row, row.high, signed=True)}]"
            words.append(f"{share}, other − one {number(row, row.value, signed=True)} {ends}" if side else share)
        return StudyCurve(("One", "Other")[side], agent, style, values, low, high, tuple(words))
