"""The ways to the laboratory and to the experiments, whose pages are loaded and built here on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from nimdesk.agents.levels import search_below
from nimdesk.games import AnyPosition
from nimdesk.play.moment import BoardLook, State
from nimdesk.search import Snapshot, StopReason
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY, PLAY
from nimdesk.ui.play.controller import GameController
from nimdesk.ui.play.thinking import search_of
from nimdesk.ui.shell.menus import Preferences
from nimdesk.ui.shell.window import MainWindow

if TYPE_CHECKING:
    from nimdesk.play.bundle import Bundle
    from nimdesk.ui.experiments.page import ExperimentsPage
    from nimdesk.ui.experiments.study_panel import OpenedSearch
    from nimdesk.ui.laboratory.export_actions import TakeAway
    from nimdesk.ui.laboratory.page import LaboratoryPage

_LABORATORY = (
    *("search.timeline", "ui.plots.canvas", "ui.plots.pane", "experiments.results", "disk.provenance"),
    *("experiments.files", "ui.laboratory.model", "ui.laboratory.agents_panel", "ui.laboratory.readers"),
    "ui.laboratory.board_panel",
    *("ui.laboratory.moves_table", "ui.laboratory.stepping_panel", "ui.laboratory.tree_panel"),
    *("ui.laboratory.views_panel", "ui.laboratory.display", "ui.laboratory.page", "ui.laboratory.export_pictures"),
    *("ui.laboratory.export_contents", "ui.laboratory.export_actions"),
)
_EXPERIMENTS = (
    *("experiments.plan", "experiments.run", "experiments.differences", "experiments.report"),
    *("ui.plots.study_plots", "ui.experiments.kinds", "ui.experiments.panel", "ui.experiments.study_panel"),
    *("ui.experiments.matches_panel", "ui.experiments.page"),
)
"""The modules that the pages need, each after those that it needs itself; each is loaded in a moment."""
_OPTIONS_LOST = (
    "The laboratory makes the film, and cannot open this search: its options were not kept when nimdesk ended. A new "
    "hint (F2) can be filmed."
)
_TOLD_MS = 8000
_CALM_MS = 400
"""How long after a watched search experiments go on: between two moves of a computer they should not begin."""


class _Door(QObject):
    """Adds a page to the window's modes; ``_make`` builds it when it is first shown."""

    def __init__(self, window: MainWindow, controller: GameController, name: str) -> None:
        super().__init__(window)
        self._window, self._controller, self._name = window, controller, name
        window.modes.add(name, self._make)

    @property
    def open(self) -> bool:
        """Whether this page is what the window shows."""
        return self._window.modes.mode == self._name

    def _make(self) -> Iterator[QWidget | None]:
        """Build the page: a ``modes.Maker``."""
        raise NotImplementedError

    @Slot(str)
    def _tell(self, sentence: str) -> None:
        self._window.status.showMessage(sentence, _TOLD_MS)


class LaboratoryDoor(_Door):
    """Adds the page to the window's modes and leads positions from game to laboratory and back."""

    play_wanted = Signal(object)
    """A person wants to play a game from this position."""
    certificate_wanted = Signal(object)
    """A person wants to play against the certificate of this position."""

    def __init__(self, window: MainWindow, controller: GameController, preferences: Preferences) -> None:
        super().__init__(window, controller, LABORATORY)
        self._preferences = preferences
        self._page: LaboratoryPage | None = None
        self._start: AnyPosition | None = None
        self.lent: dict[str, object] | None = None
        """How a person left the page, while a lesson uses it; this is what is remembered."""
        window.modes.mode_changed.connect(self._on_mode)
        controller.snapshot_changed.connect(self._on_snapshot)
        for name in ("show_overlay", "overlay_number", "animations"):
            preferences.obey(name, self._follow_preferences)
        self._resume = False
        self._brought: Snapshot | None = None

    @property
    def page(self) -> LaboratoryPage | None:
        """The page; None before it was first shown."""
        return self._page

    def study(self, position: AnyPosition, then: Callable[[LaboratoryPage], object] | None = None) -> None:
        """Show the laboratory at this position, as soon as its page is made, and do ``then`` in it."""
        self._start = position
        if self._page is not None:
            self._page.model.place.go_to(position)
        self._open(then)

    def _open(self, then: Callable[[LaboratoryPage], object] | None = None) -> None:
        def act() -> None:
            if then is not None and self._page is not None:
                then(self._page)

        self._window.modes.open(LABORATORY, act)

    def study_game(self) -> None:
        """Show the laboratory at the position on the board of the game, with the search of it that is shown there."""
        self._controller.stop()
        position = self._controller.position
        self.study(position, partial(self._welcome, self._controller.search.of(position)))

    def film(self) -> None:
        """Show the laboratory with the search that the game shows, and save from there how it went on."""
        self._controller.stop()
        shown = self._controller.shown_snapshot
        if shown is None:
            self._tell("There is no search here whose film could be made.")
            return
        if self._controller.thinking.agent_of(shown) is None:
            self._tell(_OPTIONS_LOST)
            return

        def begin(page: LaboratoryPage) -> None:
            self._welcome(shown, page)
            self._take_away.ask_film()

        self.study(shown.position, begin)

    def _welcome(self, brought: Snapshot | None, page: LaboratoryPage) -> None:
        self._brought = brought
        self._bring(page)

    def _bring(self, page: LaboratoryPage) -> None:
        """Show the search that was shown in the game, as far as it has come."""
        brought, newest = self._brought, self._controller.shown_snapshot
        if brought is None or brought.stopped is StopReason.NO_SEARCH:
            return
        if newest is not None and search_of(newest) == search_of(brought):
            brought = newest
        agent = self._controller.thinking.agent_of(brought)
        if brought.chosen_after is not None:
            agent, brought = search_below(brought)
        if agent is not None:
            page.model.show_search(agent, brought)

    def _on_snapshot(self) -> None:
        # A search that is stopped says a moment later how far it came.
        if self.open and self._page is not None:
            self._bring(self._page)

    def show_bundle(self, bundle: Bundle, name: str) -> None:
        """Show a saved experiment, read from a file of this name."""
        self._open(lambda _page: self.take_away.show(bundle, name))

    @property
    def take_away(self) -> TakeAway:
        """What the menu of that name does; the page must have been shown."""
        return self._take_away

    def _make(self) -> Iterator[QWidget | None]:
        # Lazy: pyqtgraph and all the panels, on first use, one after the other.
        for name in _LABORATORY:
            import_module(f"nimdesk.{name}")
            yield None
        from nimdesk.ui.laboratory.export_actions import TakeAway
        from nimdesk.ui.laboratory.model import Laboratory
        from nimdesk.ui.laboratory.page import LaboratoryPage

        model = Laboratory(self._start if self._start is not None else self._controller.position)
        page = LaboratoryPage(model, self._window.actions_by_name)
        for _ in page.build():
            yield None
        if self._start is not None:
            model.place.go_to(self._start)  # asked for meanwhile
        self._page = page
        page.restore(dict(self._preferences.now.laboratory))
        self._follow_preferences()
        page.play_wanted.connect(self.play_wanted)
        page.certificate_wanted.connect(self.certificate_wanted)
        model.told.connect(self._tell)
        self._take_away = TakeAway(page, self._window.actions_by_name)
        page.display.read.connect(self._show_status)
        yield page

    def _on_mode(self) -> None:
        """Let the game rest while nobody sees it."""
        self._name_window()
        if self.open:
            if self._controller.state is State.THINKING:
                self._resume = True
                self._controller.pause()
            self._show_status()
        elif self._window.modes.mode == PLAY:
            self._window.status.show_snapshot(self._controller.shown_snapshot)
            if self._resume and self._controller.state is State.PAUSED:
                self._controller.resume()
            self._resume, self._brought = False, None

    def _show_status(self) -> None:
        if self._page is not None and self.open:
            self._name_window()
            self._window.status.show_snapshot(self._page.model.shown.at.state)

    def _name_window(self) -> None:
        if self._page is not None and self.open:
            self._window.setWindowModified(False)
            self._window.setWindowTitle(f"{self._page.model.place.position.game.title} – laboratory – nimdesk")
        else:
            self._window.show_game_name()

    def _follow_preferences(self, _changed: object = None) -> None:
        if self._page is not None:
            wanted, animated = self._preferences.now, self._preferences.animated
            self._page.display.set_look(BoardLook(wanted.show_overlay, wanted.overlay_number, animated))

    def seat_awaited(self) -> None:
        """Study the agents of plug-ins that have come."""
        if self._page is not None:
            self._page.seat_awaited()

    def remember(self) -> None:
        """Save what is set, for the next start."""
        if self._page is not None:
            self._preferences.change(laboratory=self.lent or self._page.remember())

    def shutdown(self) -> None:
        """End its threads; call it after the window is hidden."""
        if self._page is not None:
            self.take_away.shutdown()
            self._page.model.shutdown()


class ExperimentsDoor(_Door):
    """Adds the page to the window's modes, and leads games and searches from it to the other pages.

    While a person watches a search, experiments rest.
    """

    game_wanted = Signal(object)
    """A person wants to look at this ``GameInProgress``."""
    certificate_wanted = Signal(object)
    """A person wants to play against the certificate of this position."""

    def __init__(
        self, window: MainWindow, controller: GameController, laboratory: LaboratoryDoor, preferences: Preferences
    ) -> None:
        super().__init__(window, controller, EXPERIMENTS)
        self._laboratory, self._preferences = laboratory, preferences
        self._page: ExperimentsPage | None = None
        self._laboratory_watched = False
        self._calm = QTimer(self, singleShot=True, interval=_CALM_MS)
        self._calm.timeout.connect(self._release)

    @property
    def page(self) -> ExperimentsPage | None:
        """The page; None before it was first shown."""
        return self._page

    def _make(self) -> Iterator[QWidget | None]:
        # Lazy, as above.
        for name in _EXPERIMENTS:
            import_module(f"nimdesk.{name}")
            yield None
        from nimdesk.ui.experiments.page import ExperimentsPage

        page = ExperimentsPage(self._window.actions_by_name, self._position)
        for _ in page.build():
            yield None
        self._page = page
        page.restore(dict(self._preferences.now.experiments))
        page.game_wanted.connect(self.game_wanted)
        page.certificate_wanted.connect(self.certificate_wanted)
        page.search_wanted.connect(self._open_search)
        page.told.connect(self._tell)
        page.run_changed.connect(self._show_sign)
        self._window.modes.mode_changed.connect(self._on_mode)
        self._controller.state_changed.connect(self._look)
        yield page

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
            self._window.setWindowModified(False)
            self._window.setWindowTitle("Experiments – nimdesk")
            self._window.status.show_snapshot(None)
        self._look()

    @Slot()
    def _show_sign(self) -> None:
        """Show on the page's button how far its run is, because a person may be on another page."""
        run = None if self._page is None else self._page.under_way
        share, words = ("", "") if run is None else (f"{run[0]:.0%}", run[1])
        self._window.title_row.mark(EXPERIMENTS, share, words)

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

    def seat_awaited(self) -> None:
        """Fill in the agents of plug-ins that have come."""
        if self._page is not None:
            self._page.seat_awaited()

    def remember(self) -> None:
        """Save what is filled in, for the next start."""
        if self._page is not None:
            self._preferences.change(experiments=self._page.remember())

    def _release(self) -> None:
        if self._page is not None and not self.watching:
            self._page.hold(False)

    @Slot(object)
    def _open_search(self, wanted: OpenedSearch) -> None:
        """Show this search of a study in the laboratory: same position, options and seed, so the same search."""
        self._laboratory.study(wanted.position, partial(self._run_search, wanted))

    def _run_search(self, wanted: OpenedSearch, page: LaboratoryPage) -> None:
        from nimdesk.ui.laboratory.studied import Studied  # lazy: not before the first paint
        from nimdesk.ui.plots.frame import Axis

        model = page.model
        model.agents.set_all((Studied(wanted.agent.unlimited(), wanted.seed),))
        model.searches.set_axis(Axis(wanted.cost, log=True))
        model.searches.set_limit(wanted.budget)
        model.clock.set_moment(None)
        if (model.searches.focused.spent(wanted.cost) or 0.0) < wanted.budget:
            model.searches.run()

    def shutdown(self) -> None:
        """End its threads; call it after the window is hidden."""
        self._calm.stop()
        if self._page is not None:
            self._page.shutdown()
