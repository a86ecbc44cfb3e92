"""The Play page: the board with its players at the left, the search and the moves at the right, kept by share."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from nimdesk.ui.look.splitter import ShareSplitter
from nimdesk.ui.play.column import BoardColumn
from nimdesk.ui.play.shown_search import PlotHolder

BOARD_SHARE, PLOT_SHARE = 0.54, 0.54
"""The board's share of the width, and the plot's of the height beside it."""
_NARROW, _TALL = 860, 1.15
"""Below this width plot and moves share a place; a window so much taller than wide has them below the board."""


class PlayPage(QWidget):
    """Arranges the two halves; what they show is theirs."""

    def __init__(self, column: BoardColumn, plots: PlotHolder, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.column, self._plots = column, plots
        # The panel draws together as far as it must; the board's share comes first.
        plots.setMinimumSize(240, 150)
        self.tabs = QTabWidget()
        self.tabs.setObjectName("analysis")
        self.tabs.setMinimumSize(240, 130)
        self.analysis = ShareSplitter(Qt.Orientation.Vertical, PLOT_SHARE)
        self.analysis.addWidget(plots)
        self.analysis.addWidget(self.tabs)
        self.halves = ShareSplitter(Qt.Orientation.Horizontal, BOARD_SHARE)
        self.halves.addWidget(column)
        self.halves.addWidget(self.analysis)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 8, 10, 6)
        layout.addWidget(self.halves)
        self._together = False

    def add_tab(self, title: str, widget: QWidget) -> None:
        """One more tab beside the moves."""
        self.tabs.addTab(widget, title)

    def show_tab(self, widget: QWidget) -> None:
        """Bring this tab to the front."""
        self.tabs.setCurrentWidget(widget)

    # The layout

    def reset(self) -> None:
        """The shares that there were at first."""
        self.halves.set_share(BOARD_SHARE)
        self.analysis.set_share(PLOT_SHARE)

    def shares(self) -> dict[str, float]:
        """The shares, for ``restore``."""
        return {"board": self.halves.share, "plot": self.analysis.share}

    def restore(self, shares: dict[str, float]) -> None:
        """What ``shares`` gave; what is missing stays as it is."""
        for splitter, name in ((self.halves, "board"), (self.analysis, "plot")):
            if name in shares:
                splitter.set_share(shares[name])

    def _put_together(self, together: bool) -> None:
        """The plot as the first of the tabs, or above them."""
        if together == self._together:
            return
        self._together = together
        if together:
            self.tabs.insertTab(0, self._plots, "Plot")
            self.tabs.setCurrentIndex(0)
        else:
            self.analysis.insertWidget(0, self._plots)
            self._plots.show()
            self.analysis.set_share(self.analysis.share)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width, height = self.width(), self.height()
        below = width < _NARROW and height > _TALL * width
        orientation = Qt.Orientation.Vertical if below else Qt.Orientation.Horizontal
        if self.halves.orientation() is not orientation:
            self.halves.setOrientation(orientation)
        self._put_together(width < _NARROW)

    def minimumSizeHint(self) -> QSize:
        return QSize(440, 380)
