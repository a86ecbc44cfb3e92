"""The Play page: the board with its players at the left, the search and the moves at the right, kept by share.

Where there is room, what stands below the plot has two columns; the plot can have all of that side, and in a quiet game
the board has the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QThread, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QTabWidget, QVBoxLayout, QWidget

from nimdesk.ui.jobs.bridge import Bridge, Job
from nimdesk.ui.jobs.qt_types import type_steps
from nimdesk.ui.look.move_marks import MoveColors
from nimdesk.ui.look.splitter import ShareSplitter
from nimdesk.ui.look.widgets import label
from nimdesk.ui.play.column import BoardColumn

if TYPE_CHECKING:
    from nimdesk.ui.plots.convergence import ConvergencePanel

BOARD_SHARE, PLOT_SHARE = 0.54, 0.66
"""The board's share of the width, and the plot's of the height beside it."""
_FORMER_PLOT_SHARE = 0.54
"""What layouts have that nobody has touched since the plot had less room."""
_NARROW, _TALL = 860, 1.15
"""Below this width plot and moves share a place; a window so much taller than wide has them below the board."""
_LEAST_TABS = 120
_WIDE = 1700
"""From this width on moves, lines and review stand side by side."""
_BESIDE = (
    *("numpy", "pydoc", "cProfile", "multiprocessing.connection", "xml.etree.ElementTree", "html", "csv"),
    "nimdesk.search.timeline",
)
"""What the panel and pyqtgraph take that knows no Qt, a third of the time that they need."""
_PIECES = ("nimdesk.ui.plots.axes", "nimdesk.ui.plots.frame", "nimdesk.ui.plots.canvas", "nimdesk.ui.plots.convergence")
"""What the panel is made of, in the order of their needs; the first brings pyqtgraph."""
_OFFER = "New here? In ten minutes, and by your own answers: how a search is wrong about Nim, and then right."


class PlayPage(QWidget):
    """Arranges the two halves; what they show is theirs."""

    def __init__(self, column: BoardColumn, plots: PlotPlace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Play")
        self.column, self.plots = column, plots
        # The panel draws together as far as it must; the board's share comes first.
        plots.setMinimumSize(240, 150)
        self.tabs, self.more_tabs = QTabWidget(), QTabWidget()
        for tabs in (self.tabs, self.more_tabs):
            tabs.setObjectName("analysis")
            tabs.setMinimumSize(240, _LEAST_TABS)
            tabs.currentChanged.connect(self._give_room)
        self.more_tabs.hide()
        self._below = ShareSplitter(Qt.Orientation.Horizontal, 0.5)
        self._below.addWidget(self.tabs)
        self._below.addWidget(self.more_tabs)
        self.analysis = ShareSplitter(Qt.Orientation.Vertical, PLOT_SHARE)
        self.analysis.addWidget(plots)
        self.analysis.addWidget(self._below)
        self.halves = ShareSplitter(Qt.Orientation.Horizontal, BOARD_SHARE)
        self.halves.addWidget(column)
        self.halves.addWidget(self.analysis)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 4, 10, 2)
        layout.addWidget(self.halves)
        self._together = self._apart = self._whole_plot = self._quiet = self._alone = False

    def add_tab(self, title: str, widget: QWidget) -> None:
        """One more tab beside the moves, which come first."""
        (self.more_tabs if self._apart else self.tabs).addTab(widget, title)
        self.more_tabs.setVisible(self.more_tabs.count() > 0)

    def show_tab(self, widget: QWidget) -> None:
        """Bring this tab to the front."""
        for tabs in (self.tabs, self.more_tabs):
            if tabs.indexOf(widget) >= 0:
                tabs.setCurrentWidget(widget)

    def _give_room(self) -> None:
        """The tab in front has the height that it needs at least, also where its share beside the plot is less."""
        most = self.analysis.height() - self.analysis.handleWidth() - self.plots.minimumHeight()
        for tabs in (self.tabs, self.more_tabs):
            front = tabs.currentWidget()
            needed = 0 if front is None else tabs.tabBar().sizeHint().height() + front.minimumSizeHint().height()
            tabs.setMinimumHeight(max(_LEAST_TABS, min(needed, most)))
        self.analysis.set_share(self.analysis.share)

    def add_corner(self, widget: QWidget) -> None:
        """Put this beside the tabs of the moves, while there is room for it."""
        self.tabs.setCornerWidget(widget)
        self.tabs.installEventFilter(self)
        self._fit_corner()

    def _fit_corner(self) -> None:
        corner = self.tabs.cornerWidget()
        if corner is not None:
            needed = self.tabs.tabBar().sizeHint().width() + corner.sizeHint().width()
            corner.setVisible(self.tabs.width() >= needed)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._fit_corner()
        return False

    def give_plot_all(self, whole: bool) -> None:
        """Let the plot have all of its side, or share it again."""
        self._whole_plot = whole
        self._below.setVisible(not whole or self._together)
        if whole and self._together:
            self.tabs.setCurrentWidget(self.plots)

    def be_quiet(self, quiet: bool) -> None:
        """Show the board and its players without evaluation, plot and lists, or with them."""
        self._quiet = quiet
        self.column.evaluation.setVisible(not quiet)
        self.analysis.setVisible(not self._quiet and not self._alone)

    def show_board_alone(self, alone: bool) -> None:
        """Show no plot and no lists, or show them again."""
        self._alone = alone
        self.be_quiet(self._quiet)

    def show_game(self) -> None:
        """Another game has begun: no tab that tells of the game before stays in front."""
        if self.tabs.currentWidget() is not self.plots:
            self.tabs.setCurrentIndex(int(self._together))
        self.more_tabs.setCurrentIndex(0)

    # The layout

    def reset(self) -> None:
        """The shares that there were at first."""
        self.halves.set_share(BOARD_SHARE)
        self.analysis.set_share(PLOT_SHARE)

    def shares(self) -> dict[str, float]:
        """The shares, for ``restore``."""
        return {"board": self.halves.share, "plot": self.analysis.share, "whole plot": float(self._whole_plot)}

    def restore(self, shares: dict[str, float]) -> None:
        """What ``shares`` gave; what is missing stays as it is."""
        for splitter, name in ((self.halves, "board"), (self.analysis, "plot")):
            if name in shares and (name, shares[name]) != ("plot", _FORMER_PLOT_SHARE):
                splitter.set_share(shares[name])

    def _put_together(self, together: bool) -> None:
        """The plot as the first of the tabs, or above them."""
        if together == self._together:
            return
        self._together = together
        if together:
            self.tabs.insertTab(0, self.plots, "Plot")
            self.tabs.setCurrentIndex(0)
        else:
            self.analysis.insertWidget(0, self.plots)
            self.plots.show()
            self.analysis.set_share(self.analysis.share)
        self.give_plot_all(self._whole_plot)

    def _put_apart(self, apart: bool) -> None:
        """All tabs but the moves in a column of their own, or beside them."""
        if apart == self._apart:
            return
        self._apart = apart
        here, there = (self.tabs, self.more_tabs) if apart else (self.more_tabs, self.tabs)
        while (widget := here.widget(int(apart))) is not None:
            there.addTab(widget, here.tabText(int(apart)))
        self.more_tabs.setVisible(self.more_tabs.count() > 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width, height = self.width(), self.height()
        below = width < _NARROW and height > _TALL * width
        orientation = Qt.Orientation.Vertical if below else Qt.Orientation.Horizontal
        if self.halves.orientation() is not orientation:
            self.halves.setOrientation(orientation)
        self._put_together(width < _NARROW)
        self._put_apart(width >= _WIDE)
        self._give_room()

    def minimumSizeHint(self) -> QSize:
        return QSize(440, 320)


# The plots, which come later


class LessonOffer(QFrame):
    """One line that offers the first lesson; it waits for an answer and is in nobody's way."""

    answered = Signal(bool)
    """Whether the person wants it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.yes, self.no = QPushButton("Show me"), QPushButton("Not now")
        self.yes.setAccessibleDescription(_OFFER)
        self.yes.clicked.connect(lambda: self.answered.emit(True))
        self.no.clicked.connect(lambda: self.answered.emit(False))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 4)
        layout.addWidget(label(_OFFER, wrap=True), 1)
        layout.addWidget(self.yes)
        layout.addWidget(self.no)


class PlotPlace(QWidget):
    """The place of the convergence panel: empty at the first paint, filled when pyqtgraph has been loaded."""

    filled = Signal()
    """``panel`` is there: tell it what to show."""
    loaded = Signal()
    """``load_soon`` is done: the panel is there, or the place says why it cannot be."""
    lesson_wanted = Signal()
    """A person who was offered the first lesson wants it."""

    def __init__(self, colors: MoveColors, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colors = colors
        self.panel: ConvergencePanel | None = None
        """The panel; None before ``load``."""
        self.offer: LessonOffer | None = None
        """The offer of the first lesson, while it waits for an answer."""
        self._state: dict[str, str | bool] = {}
        self._bridge = Bridge("nimdesk-plots", what="The plots", priority=QThread.Priority.NormalPriority, parent=self)
        self._pieces: Iterator[Callable[[], object]] = iter(())
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._load_piece)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._loading = label("Loading the plots…", role="muted")
        self._loading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._layout.addWidget(self._loading)

    def load_soon(self) -> None:
        """Load what the panel needs, which takes up to a second, and then put it in place; keys and clicks are served.

        numpy, and what else knows no Qt, is loaded in a thread. pyqtgraph is not: it asks PySide6 for all types of Qt,
        which makes each when it is first asked for, and keeps no two threads apart there. An event filter that got an
        object of a new type meanwhile ended the process (PySide6 6.11, some starts in a hundred on a busy machine).
        """
        self._bridge.start(_load_beside, done=self._on_loaded_beside, failed=self._on_failed)

    def _on_loaded_beside(self, _result: None) -> None:
        self._pieces = chain(type_steps(), (partial(import_module, name) for name in _PIECES), (self.load,))
        self._timer.start()

    def _load_piece(self) -> None:
        piece = next(self._pieces, None)
        if piece is None:
            self._timer.stop()
            self.loaded.emit()
            return
        try:
            piece()
        except Exception as error:
            self._timer.stop()
            self._on_failed(self._bridge.sentence(error))

    def _on_failed(self, sentence: str) -> None:
        self._loading.setText(sentence)
        self.loaded.emit()

    def stop_loading(self) -> None:
        """Load no further piece: the window is being closed."""
        self._timer.stop()

    def shutdown(self) -> None:
        """End its thread; call it after the window is hidden."""
        self.stop_loading()
        self._bridge.shutdown()

    def load(self) -> None:
        """Load what is not loaded yet, and put the panel in place."""
        if self.panel is not None:
            return
        from nimdesk.ui.plots.convergence import ConvergencePanel  # lazy: pyqtgraph only after the first paint

        panel = ConvergencePanel(self._colors)
        panel.restore(self._state)
        self._layout.replaceWidget(self._loading, panel)
        self._loading.hide()  # a dialog at the start puts its deletion off
        self._loading.deleteLater()
        self.panel = panel
        self.filled.emit()

    def offer_lesson(self) -> None:
        """Offer the first lesson above the plot."""
        self.offer = LessonOffer()
        self.offer.answered.connect(self._on_answered)
        self._layout.insertWidget(0, self.offer)

    def _on_answered(self, yes: bool) -> None:
        if self.offer is not None:
            self.offer.hide()
            self.offer.deleteLater()
            self.offer = None
        if yes:
            self.lesson_wanted.emit()

    def state(self) -> dict[str, str | bool]:
        """Axes and view, for ``restore``."""
        return self.panel.state() if self.panel is not None else self._state

    def restore(self, state: dict[str, str | bool]) -> None:
        """Set axes and view."""
        self._state = dict(state)
        if self.panel is not None:
            self.panel.restore(state)


def _load_beside(_job: Job) -> None:
    for name in _BESIDE:
        with suppress(ImportError):  # who needs it will say so
            import_module(name)
