"""The way to the experiments page: it is loaded and built here on first use, so that the window starts without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY, PLAY
from nimdesk.ui.play.controller import GameController, State
from nimdesk.ui.shell.laboratory_door import LaboratoryDoor
from nimdesk.ui.shell.window import MainWindow

if TYPE_CHECKING:
    from nimdesk.ui.experiments.page import ExperimentsPage
    from nimdesk.ui.experiments.study_panel import OpenedSearch

_CALM_MS = 400
"""So long after a watched search experiments go on: between two moves of a computer they had better not begin."""


class ExperimentsDoor(QObject):
    """Adds the page to the window's modes, leads games and searches from it to the other pages, and keeps the order
    of precedence: while a search is being watched, experiments rest.
    """

    game_wanted = Signal(object)
    """A person wants to look at this ``GameInProgress``."""

    def __init__(self, window: MainWindow, controller: GameController, laboratory: LaboratoryDoor) -> None:
        super().__init__(window)
        self._window, self._controller, self._laboratory = window, controller, laboratory
        self._page: ExperimentsPage | None = None
        self._laboratory_watched = False
        self._calm = QTimer(self, singleShot=True, interval=_CALM_MS)
        self._calm.timeout.connect(self._release)
        window.modes.add(EXPERIMENTS, self._make)

    @property
    def page(self) -> ExperimentsPage | None:
        """The page; None before it was first shown."""
        return self._page

    @property
    def open(self) -> bool:
        """Whether it is what the window shows."""
        return self._window.modes.mode == EXPERIMENTS

    def _make(self) -> QWidget:
        from nimdesk.ui.experiments.page import ExperimentsPage  # lazy: pyqtgraph and all the panels, on first use

        self._page = page = ExperimentsPage(self._window.actions_by_name, self._position)
        page.game_wanted.connect(self.game_wanted)
        page.search_wanted.connect(self._open_search)
        page.told.connect(self._tell)
        self._window.modes.mode_changed.connect(self._on_mode)
        self._controller.state_changed.connect(self._look)
        return page

    def _position(self) -> str:
        """The position on the board of the game, as text."""
        return self._controller.position.text

    @Slot()
    def _on_mode(self) -> None:
        laboratory = self._laboratory.page
        if laboratory is not None and not self._laboratory_watched:
            self._laboratory_watched = True
            laboratory.model.searches.running_changed.connect(self._look)
        if self.open:
            self._window.setWindowTitle("Experiments – nimdesk")
            self._window.status.show_snapshot(None)
        self._look()

    @property
    def watching(self) -> bool:
        """Whether a person looks at a search that is running."""
        mode, laboratory = self._window.modes.mode, self._laboratory.page
        if mode == LABORATORY and laboratory is not None:
            return laboratory.model.searches.running
        return mode == PLAY and self._controller.state in (State.THINKING, State.SUGGESTING)

    @Slot()
    def _look(self) -> None:
        if self._page is None:
            return
        if self.watching:
            self._calm.stop()
            self._page.hold(True)
        elif not self._calm.isActive():
            self._calm.start()

    def _release(self) -> None:
        if self._page is not None and not self.watching:
            self._page.hold(False)

    @Slot(object)
    def _open_search(self, wanted: OpenedSearch) -> None:
        """Show this search of a study in the laboratory: same position, options and seed, so the same search."""
        from nimdesk.search.timeline import Cost  # lazy: not before the first paint
        from nimdesk.ui.laboratory.agents import Studied
        from nimdesk.ui.plots.frame import Axis

        self._laboratory.study(wanted.position)
        assert self._laboratory.page is not None
        model = self._laboratory.page.model
        model.agents.set_all((Studied(wanted.agent.unlimited(), wanted.seed),))
        cost = Cost.ITERATIONS if wanted.by_iterations else Cost.NODES
        model.searches.set_axis(Axis(cost, log=True))
        model.searches.set_limit(float(wanted.budget))
        model.clock.set_moment(None)
        if (model.searches.focused.spent(cost) or 0.0) < wanted.budget:
            model.searches.run()

    @Slot(str)
    def _tell(self, sentence: str) -> None:
        self._window.status.showMessage(sentence, 8000)

    def shutdown(self) -> None:
        """End its threads; call it after the window is hidden."""
        self._calm.stop()
        if self._page is not None:
            self._page.shutdown()
