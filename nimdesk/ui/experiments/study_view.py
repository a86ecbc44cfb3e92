"""The results of a study, drawn: key, curves or heat map, and the table of all points."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from nimdesk.experiments.studies.tally import Variation, variations
from nimdesk.ui.experiments import study_words as words
from nimdesk.ui.experiments.fields import ShortLabel
from nimdesk.ui.experiments.runner import Frame
from nimdesk.ui.experiments.tables import RowsView
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import ElidedLabel, Label, label, name_choice, narrow, tip
from nimdesk.ui.plots.study_plots import StudyMap, StudyPlot, curve_sample
from nimdesk.ui.plots.toolbar import Choice, Segments, buttons_style

_EMPTY = (
    "How often does a search choose an optimal move, and how many iterations does it take? Choose agents and positions "
    "on the left and press Start (F5). Each agent then searches each position many times, with different seeds, and at "
    "every budget its choice is compared with the exact value of every move.\n\n"
    "The study that is filled in the first time shows the story of this program: on Nim 3-4-5 the textbook search "
    "(uct) is hardly better than chance up to ten thousand iterations, and comes round at a hundred thousand; one that "
    "merges equal positions and proves values (mcts) is certain after about sixty. It takes some ten seconds."
)
_VIEWS: tuple[Choice, ...] = (
    ("both", "&Both", "The share of optimal choices above the mean regret"),
    ("optimal", "&Optimal", "The share of optimal choices, with Wilson's 95% intervals"),
    ("regret", "&Regret", "What the choices gave away on average, with its 95% interval"),
    ("map", "M&ap", "For a study that varies a number: its values down, budgets across"),
)
_FEW = 8
_WIDEST = 320
"""Pixels of a choice among positions or agents."""


class StudyView(QWidget):
    """Shows one position of a ``Frame``; a point, a cell or a row can be chosen."""

    point_chosen = Signal(int, int, object)
    """The person chose a point: the agent, the budget (their indices), and where (a global ``QPoint``)."""

    def __init__(self) -> None:
        super().__init__()
        self._frame: Frame | None = None
        self._variations: tuple[Variation, ...] = ()
        self._points: list[tuple[int, int]] = []
        self._digest = ""
        self._stale = False
        self.choice = QComboBox()
        narrow(self.choice)
        self.choice.setMinimumContentsLength(6)
        self.choice.currentIndexChanged.connect(self._redraw)
        self.varied = QComboBox()
        """The choice among several heat maps."""
        narrow(self.varied)
        self.varied.setMinimumContentsLength(6)
        self.varied.currentIndexChanged.connect(self._redraw)
        self.segments = Segments("View", _VIEWS)
        self.segments.set_value("both")
        self.segments.chosen.connect(self._on_view)
        self.about = label(role="muted", wrap=True)
        self.key = QWidget()
        self._key = QGridLayout(self.key)
        self._key.setContentsMargins(0, 0, 0, 0)
        self._key.setHorizontalSpacing(8)
        self._key.setVerticalSpacing(0)
        self.optimal, self.regret, self.map = StudyPlot(), StudyPlot(), StudyMap()
        self.optimal.setAccessibleName("Share of optimal choices against budget")
        self.regret.setAccessibleName("Mean regret against budget")
        for plot in (self.optimal, self.regret):
            plot.point_chosen.connect(self.point_chosen)
            plot.setMinimumHeight(100)
        self.map.cell_chosen.connect(self._on_cell)
        self.table = RowsView("Points of the study")
        self.table.opened.connect(self._on_row)
        self.table.setMinimumHeight(80)
        self.table.setToolTip("Enter or a double click opens one of the searches of a row")
        self._lay_out()
        LOOK.changed.connect(self._on_look)
        self._on_look()
        self.show_frame(None)

    def _lay_out(self) -> None:
        self.head = QWidget()
        head = QHBoxLayout(self.head)
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(self.segments)
        for choice in (self.choice, self.varied):
            choice.setMaximumWidth(_WIDEST)
            head.addWidget(choice, 4)
        name_choice(self.choice, "Position shown")
        name_choice(self.varied, "Agent shown")
        head.addStretch(1)
        self.picture = QWidget()
        """The content of an exported picture."""
        column = QVBoxLayout(self.picture)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        for widget in (self.about, self.key):
            column.addWidget(widget)
        for plot in (self.optimal, self.regret, self.map):
            column.addWidget(plot, 1)
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.addWidget(self.picture)
        self.splitter.addWidget(self.table)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setChildrenCollapsible(False)
        self.empty = label(_EMPTY)
        self.empty.setWordWrap(True)
        self.empty.setMargin(40)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        found = QWidget()
        inside = QVBoxLayout(found)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(4)
        inside.addWidget(self.head)
        inside.addWidget(self.splitter, 1)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.empty)
        self.pages.addWidget(found)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.pages)

    def _on_look(self) -> None:
        self.head.setStyleSheet(buttons_style())
        self._digest = ""
        self._redraw()

    @property
    def position(self) -> int:
        """The index of the position shown."""
        return max(0, self.choice.currentIndex())

    @property
    def _variation(self) -> Variation:
        """The variation whose heat map is shown; there is at least one."""
        return self._variations[max(0, self.varied.currentIndex())]

    def show_frame(self, frame: Frame | None) -> None:
        """Show these results; None explains what a study is."""
        self._frame = frame
        self.pages.setCurrentIndex(0 if frame is None else 1)
        if frame is None:
            self._digest = ""
            return
        if frame.schedule.digest != self._digest:
            self._adopt(frame)
        self._redraw()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._redraw()

    def _adopt(self, frame: Frame) -> None:
        """Prepare for another study."""
        self._digest = frame.schedule.digest
        before = self._variations
        self._variations = variations(frame.study)
        _fill(self.choice, [each.text for each in frame.study.positions])
        _fill(self.varied, [words.variation_words(frame.study, each) for each in self._variations])
        self.choice.setVisible(self.choice.count() > 1)
        self.segments.button("map").setEnabled(bool(self._variations))
        if self._variations and not before:
            self.segments.set_value("map")
        elif not self._variations and self.segments.value == "map":
            self.segments.set_value("both")
        self._make_key(frame)

    def _make_key(self, frame: Frame) -> None:
        while (item := self._key.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        self._settled: list[tuple[ShortLabel, ElidedLabel]] = []
        ratio, labels = self.devicePixelRatioF(), frame.study.labels
        # With many agents only the names: their tool tips say when they settled.
        few = len(labels) <= _FEW
        columns = 2 if few else 3
        for agent, name in enumerate(labels):
            row, column = divmod(agent, columns)
            sample, letter, settled = Label(), label(words.letter(agent), role="side"), ElidedLabel("muted")
            short = ShortLabel(name)
            sample.setPixmap(curve_sample(agent, ratio))
            for place, widget in enumerate((sample, letter, short, settled)):
                self._key.addWidget(widget, row, 4 * column + place)
            settled.setVisible(few)
            self._settled.append((short, settled))
        for place in range(4 * columns + 1):
            wide = place % 4 == 3 if few else place == 4 * columns
            self._key.setColumnStretch(place, int(wide))

    def _on_view(self) -> None:
        self._redraw()

    def _redraw(self) -> None:
        frame = self._frame
        if frame is None:
            return
        if not self.isVisible():
            self._stale = True
            return
        self._stale = False
        if not self._digest:
            self._adopt(frame)
        position, view = self.position, self.segments.value
        self.about.setText(words.position_words(frame, position))
        for agent, (name, settled) in enumerate(self._settled):
            settled.setText(words.settled_words(frame, agent, position))
            name.setToolTip(tip(f"{name.text()}: {settled.text()}"))
        self.optimal.setVisible(view in ("both", "optimal"))
        self.regret.setVisible(view in ("both", "regret"))
        self.map.setVisible(view == "map")
        self.varied.setVisible(view == "map" and self.varied.count() > 1)
        self.key.setVisible(view != "map")
        if view in ("both", "optimal"):
            self.optimal.show_curves(words.probability_curves(frame, position))
        if view in ("both", "regret"):
            self.regret.show_curves(words.regret_curves(frame, position))
        if view == "map" and self._variations:
            self.map.show_grid(words.grid(frame, position, self._variation))
        self._fill_table(frame, position)
        spoken = words.spoken(frame, position, frame.study.positions[position].game)
        for plot in (self.optimal, self.regret):
            plot.setAccessibleDescription(spoken)

    def _fill_table(self, frame: Frame, position: int) -> None:
        self._points, rows = [], []
        for agent in range(len(frame.study.agents)):
            for budget, row in enumerate(frame.rows[agent, position]):
                if row is not None and not (budget and row.budget is None):
                    self._points.append((agent, budget))
                    rows.append(words.cells(row, agent, frame.study))
        self.table.show_rows(words.HEADERS, rows, (0,), words.TIPS)

    def _on_cell(self, row: int, column: int, place: QPoint) -> None:
        if self._variations:
            self.point_chosen.emit(self._variation.agents[row], column, place)

    def _on_row(self, row: int) -> None:
        agent, budget = self._points[row]
        rect = self.table.visualRect(self.table.model().index(row, 0))
        self.point_chosen.emit(agent, budget, self.table.viewport().mapToGlobal(rect.bottomLeft()))


def _fill(choice: QComboBox, texts: list[str]) -> None:
    """Offer these without a signal, keeping the chosen index if it still exists."""
    at = choice.currentIndex()
    choice.blockSignals(True)
    choice.clear()
    choice.addItems(texts)
    choice.setCurrentIndex(at if 0 <= at < len(texts) else 0)
    choice.blockSignals(False)
