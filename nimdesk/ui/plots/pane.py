"""The presenter: shows a frame by the plot that its view needs, in Play and in the laboratory alike."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QStackedWidget, QWidget

from nimdesk.games import Move
from nimdesk.ui.plots.agents_plot import AgentsPlot
from nimdesk.ui.plots.canvas import FramePlot
from nimdesk.ui.plots.curves import CurvesPlot, MovesPlot
from nimdesk.ui.plots.frame import HEAT_MAPS, Frame, View
from nimdesk.ui.plots.heatmap import HeatMapPlot, StackPlot

_KINDS: dict[View, type[FramePlot]] = {
    View.STACK: StackPlot,
    **dict.fromkeys(HEAT_MAPS, HeatMapPlot),
    **dict.fromkeys((View.ENTROPY, View.OPTIMAL, View.REGRET), AgentsPlot),
}


class PlotPane(QStackedWidget):
    """The plot of a frame, or the sentence why there is none. Plots are made when first wanted.

    It draws only while it is visible, and catches up when it is shown.
    """

    move_hovered = Signal(object)
    """The ``Move`` under the mouse changed; None when there is none."""
    moment_chosen = Signal(float)
    """A person pressed or dragged on the plot: the cost there. Only where the pane is ``scrubbable``."""

    def __init__(self, *, after: QWidget, name: str = "", scrubbable: bool = False) -> None:
        """The Tab key goes from ``after`` to the plot; ``name`` tells this pane from others in spoken words."""
        super().__init__()
        self._after, self._name, self._scrubbable = after, name, scrubbable
        self.frame = Frame()
        """What is shown, or will be as soon as the pane is visible."""
        self._plots: dict[type[FramePlot], FramePlot] = {}
        self._stale = True
        self._x_shown = True
        self.empty = QLabel()
        self.empty.setWordWrap(True)
        self.empty.setTextFormat(Qt.TextFormat.PlainText)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setMargin(20)
        self.addWidget(self.empty)
        self.setMinimumSize(150, 90)

    @property
    def plot(self) -> FramePlot:
        """The plot of this view, made if need be."""
        return self._plot(_KINDS.get(self.frame.view, CurvesPlot))

    def _plot(self, kind: type[FramePlot]) -> FramePlot:
        if kind not in self._plots:
            made = self._plots[kind] = kind()
            made.scrubbable = self._scrubbable
            made.moment_chosen.connect(self.moment_chosen)
            if isinstance(made, MovesPlot):
                made.move_hovered.connect(self.move_hovered)
            self.addWidget(made)
            self.setTabOrder(self._after, made)
        return self._plots[kind]

    def make_ahead(self) -> bool:
        """Make one more plot that another view would need: choosing it then takes no longer than a frame.

        Returns whether there was any to make.
        """
        missing = [kind for kind in (AgentsPlot, CurvesPlot, HeatMapPlot, StackPlot) if kind not in self._plots]
        if missing:
            self._plot(missing[0])
        return bool(missing)

    def show_frame(self, frame: Frame) -> None:
        """Draw this."""
        self.frame = frame
        self._stale = not self.isVisible()
        if self._stale:
            return
        self.empty.setText(frame.why_not())
        if self.empty.text():
            self.setCurrentWidget(self.empty)
            return
        plot = self.plot
        self.setCurrentWidget(plot)
        plot.show_x(self._x_shown)
        if self._name:
            plot.setAccessibleName(f"{self._name}: {frame.view.title}")
        plot.show_frame(frame)

    def set_highlight(self, move: Move | None) -> None:
        """Make this move stand out; emits nothing."""
        if move != self.frame.highlight:
            self.show_frame(replace(self.frame, highlight=move))

    def set_moment(self, moment: float | None) -> None:
        """Mark this cost on the x axis."""
        if moment != self.frame.moment:
            self.show_frame(replace(self.frame, moment=moment))

    @property
    def draws(self) -> bool:
        """Whether there is a plot to be seen, not the reason why there is none."""
        return self.isVisible() and self.currentWidget() is not self.empty

    # Plots above each other

    def show_x(self, shown: bool) -> None:
        """Show the numbers and the name of the x axis, or leave them to the pane below."""
        self._x_shown = shown
        if self.draws:
            self.plot.show_x(shown)

    def share_edges(self, left: int, right: float) -> None:
        """Leave at least so many pixels for the axis at the left, and for words right of the newest row."""
        if self.draws:
            self.plot.y_axis.share_width(left)
            if right != self.plot.least_room:
                self.plot.least_room = right
                self.plot.redraw()

    def describe(self, text: str) -> None:
        """What is shown, in words, for people who do not see it."""
        # The plot has the keyboard, not the pane around it.
        for part in (self, *self._plots.values()):
            if text != part.accessibleDescription():
                part.setAccessibleDescription(text)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self.show_frame(self.frame)

    def sizeHint(self) -> QSize:
        return QSize(520, 230)
