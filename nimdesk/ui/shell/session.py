"""One run of the program: the window with its menus and dialogs, the settings it starts from and leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from nimdesk import compiler_process, paths
from nimdesk.agents import Agent, agent_from_json, make_agent, plugin_loader
from nimdesk.agents.warm_up import WarmUp
from nimdesk.errors import NimdeskError
from nimdesk.games import AnyPosition, parse_position, presets
from nimdesk.play import GameInProgress, Human, Player, player_from_json, player_to_json
from nimdesk.settings import Settings, SettingsStore
from nimdesk.ui.jobs.bridge import collect_garbage
from nimdesk.ui.jobs.truth import TruthFollower
from nimdesk.ui.jobs.worker import SearchService
from nimdesk.ui.look import theme as themes
from nimdesk.ui.look.actions import PLAY
from nimdesk.ui.look.icons import app_icon
from nimdesk.ui.play.controller import GameController
from nimdesk.ui.play.game_files import GameFiles
from nimdesk.ui.shell.experiments_door import ExperimentsDoor
from nimdesk.ui.shell.kept_settings import KeptSettings
from nimdesk.ui.shell.laboratory_door import LaboratoryDoor
from nimdesk.ui.shell.menus import add_menus, fill_menus
from nimdesk.ui.shell.window import MainWindow

SLOW_MOTION_S = 2.5
TRUTH_TIME_S = 30.0
if TYPE_CHECKING:
    from nimdesk.agents.plugins import PluginLoader
    from nimdesk.ui.look.focus_ring import FocusRing

Players = tuple[Player | None, Player | None]


class Session(QObject):
    """Builds everything, connects dialogs and settings, and takes it down again."""

    completed = Signal()
    """The window has all its parts, a moment after the first paint."""

    def __init__(
        self,
        app: QApplication,
        store: SettingsStore,
        position: AnyPosition | None = None,
        players: Players = (None, None),
    ) -> None:
        super().__init__()
        self._app = app
        self._closed = False
        self._warm_up: WarmUp | None = None
        self.kept = KeptSettings(store, self)
        self._theme = themes.resolve(self.settings.theme)
        self._apply_theme_to_app()
        app.setWindowIcon(app_icon())
        self.service = SearchService(self)
        self._plugins: PluginLoader | None = None
        self._ring: FocusRing | None = None
        self._steps: Iterator[Callable[[], None]] = iter(())
        self._step_timer = QTimer(self)
        self._step_timer.timeout.connect(self._next_step)
        self._plugin_timer = QTimer(self)
        self._plugin_timer.setInterval(20)
        self._plugin_timer.timeout.connect(self._poll_plugins)
        start, self._start_problem = self._first_position(position)
        seats = self._first_players(players)
        self.controller = GameController(GameInProgress(start, seats), self.service, self._suggester())
        self.controller.slow_motion_s = self.settings.slow_motion_s
        self.controller.move_delay_ms = self.settings.move_delay_ms
        self.window = MainWindow(
            self.controller,
            self._theme,
            overlay=self.settings.show_overlay,
            number=self.settings.overlay_number,
        )
        self.truth = TruthFollower(self.controller, TRUTH_TIME_S)
        self.laboratory = LaboratoryDoor(self.window, self.controller, self._theme, dict(self.settings.laboratory))
        self.laboratory.set_number(self.settings.overlay_number)
        self.laboratory.set_overlay(self.settings.show_overlay)
        self.experiments = ExperimentsDoor(self.window, self.controller, self.laboratory, self._theme)
        self.files = GameFiles(
            self.window,
            self.controller,
            self.kept,
            shown=self._shown_position,
            start=self.start_game,
            show=self.show_game,
        )
        self.window.plots.restore(self.settings.convergence)
        self.window.restore_layout(self.settings.window_geometry, self.settings.window_state)
        add_menus(self.window)
        self._connect()

    def show(self) -> None:
        """Open the window; plots and kernels are loaded once it has been painted."""
        self.window.show()
        self.window.area.board.setFocus()

    # Starting from the settings

    def _first_position(self, position: AnyPosition | None) -> tuple[AnyPosition, str]:
        if position is not None:
            return position, ""
        try:
            return parse_position(self.settings.position).game.start(), ""
        except NimdeskError as error:
            return presets()[0].game.start(), f"The last game could not be set up again. {error}"

    def _first_players(self, wanted: Players) -> tuple[Player, Player]:
        remembered: list[Player] = [Human(), make_agent("mcts")]
        for side, data in enumerate(self.settings.players[:2]):
            try:
                remembered[side] = player_from_json(data)
            except NimdeskError as error:
                self._start_problem = str(error)
        return wanted[0] or remembered[0], wanted[1] or remembered[1]

    def _suggester(self) -> Agent:
        try:
            return agent_from_json(self.settings.suggest)
        except NimdeskError:
            return make_agent("mcts")

    def _connect(self) -> None:
        actions = self.window.actions_by_name
        for name, slot in (
            ("new_game", self.ask_new_game),
            ("restart", self.restart),
            ("open", self.files.ask_open),
            ("save", self.files.ask_save),
            ("copy", self.files.copy),
            ("paste", self.files.paste),
            ("suggest_options", self.ask_suggester),
            ("listing", self.show_listing),
            ("analyse", self.laboratory.study_game),
            ("tour", self.laboratory.guide),
            ("how_to_read", lambda: self._show_page("how_to_read")),
            ("shortcuts", lambda: self._show_page("shortcuts")),
            ("about", lambda: self._show_page("about")),
            ("settings_folder", self._open_settings_folder),
        ):
            actions.connect(name, slot)
        actions["slow_motion"].setChecked(self.settings.slow_motion_s > 0)
        actions["slow_motion"].toggled.connect(self.set_slow_motion)
        self.truth.truth_changed.connect(self._show_truth)
        self.laboratory.play_wanted.connect(self.play_from)
        self.laboratory.offer_tour = not self.settings.tour_seen
        self.laboratory.tour_offered.connect(self._on_tour_offered)
        self.experiments.game_wanted.connect(self.show_game)
        for name, shown, setter in (
            ("truth", self.settings.show_truth, self.set_truth),
            ("feedback", self.settings.feedback, self.set_feedback),
        ):
            actions[name].setChecked(shown)
            actions[name].toggled.connect(setter)
        actions["overlay"].toggled.connect(self.set_overlay)
        self.window.area.first_painted.connect(self._after_first_paint)
        self.window.closing.connect(self._remember)
        self.kept.saving_failed.connect(self.controller.explain)
        self._app.styleHints().colorSchemeChanged.connect(self._on_system_scheme)

    def _after_first_paint(self) -> None:
        """What the first picture did without, a little at a time: the window is alive in between."""
        window = self.window
        self._steps = iter(
            (window.fill_players, window.fill_moves, partial(fill_menus, self), window.fill_icons, self._begin)
        )
        self._step_timer.start()

    def _next_step(self) -> None:
        step = next(self._steps, None)
        if step is None or self._closed:
            self._step_timer.stop()
        else:
            step()

    def _begin(self) -> None:
        from nimdesk.ui.look import focus_ring  # lazy: not before the first paint

        collect_garbage()
        self._ring = focus_ring.FocusRing(self._app, self._theme, self)
        compiler_process.begin()
        self.window.set_animated(self._animated())
        self.laboratory.set_animated(self._animated())
        self.window.plots.load()
        position, suggester = self.controller.position, self._suggester()
        if position.outcome is None:
            self.service.warm_up(position, suggester)
        players = self.controller.game.players
        self._warm_up = WarmUp(position, [each for each in players if isinstance(each, Agent) and each != suggester])
        self.truth.truth_changed.connect(self._show_judged)
        self.set_truth(self.settings.show_truth)
        self.set_feedback(self.settings.feedback)
        self.controller.begin()
        self._plugins = plugin_loader()
        self._plugin_timer.start()
        # Last, since a computer that begins to think clears what was said before.
        problem = self.kept.problem or self._start_problem
        if problem:
            self.controller.explain(problem)
        self.completed.emit()

    def _poll_plugins(self) -> None:
        if self._plugins is None or self._plugins.poll():
            self._plugin_timer.stop()
            self.window.players.refresh()

    # Games

    def start_game(self, position: AnyPosition) -> None:
        """A new game from this position, with the players there are; in the laboratory, study it."""
        if self.laboratory.open:
            self.laboratory.study(position)
            return
        self.window.modes.show_mode(PLAY)
        self.controller.new_game(GameInProgress(position, self.controller.game.players))
        if position.outcome is None:
            self.service.warm_up(position, self.controller.suggester)
        self.window.area.board.setFocus()

    def play_from(self, position: AnyPosition) -> None:
        """Leave the laboratory for a game from this position."""
        self.window.modes.show_mode(PLAY)
        self.start_game(position)

    def _shown_position(self) -> AnyPosition:
        page = self.laboratory.page
        return page.model.place.position if page is not None and self.laboratory.open else self.controller.position

    def restart(self) -> None:
        """The same game from its start."""
        self.start_game(self.controller.game.position_at(0))

    def ask_new_game(self) -> None:
        """The new-game dialog."""
        from nimdesk.ui.dialogs.set_up import NewGameDialog  # lazy: not before the first paint

        dialog = NewGameDialog(self._shown_position(), self.window)
        if dialog.exec() and dialog.position is not None:
            self.start_game(dialog.position)
        dialog.deleteLater()

    def show_game(self, game: GameInProgress) -> None:
        """Put this game on the board, to be looked at; its computers wait."""
        self.window.modes.show_mode(PLAY)
        self.controller.new_game(game)
        self.controller.pause()
        self.window.area.board.setFocus()

    def ask_suggester(self) -> None:
        """Set how much the machine thinks before it proposes."""
        from nimdesk.ui.dialogs.agent_options import AgentOptionsDialog  # lazy: not before the first paint

        about = "Suggest searches with these options, whoever is to move, and plays nothing."
        dialog = AgentOptionsDialog("Suggest with…", about, self.controller.suggester, self._theme, self.window)
        if dialog.exec():
            self.controller.suggester = dialog.agent
            self._change(suggest=dialog.agent.to_json())
        dialog.deleteLater()

    # Settings

    def set_theme(self, choice: str) -> None:
        """``system``, ``light`` or ``dark``."""
        self._change(theme=choice)
        self._theme = themes.resolve(choice)
        self._apply_theme_to_app()
        self.window.set_theme(self._theme)
        self.laboratory.set_theme(self._theme)
        self.experiments.set_theme(self._theme)
        if self._ring is not None:
            self._ring.set_theme(self._theme)

    def _apply_theme_to_app(self) -> None:
        # Qt takes twice as long to replace a style sheet as to drop one and take another.
        self._app.setStyleSheet("")
        themes.LOOK.use(self._theme)
        self._app.setPalette(themes.palette(self._theme))
        self._app.setStyleSheet(themes.style_sheet(self._theme))

    def _on_system_scheme(self) -> None:
        if self.settings.theme == "system":
            self.set_theme("system")

    def _animated(self) -> bool:
        if self.settings.animations != "system":
            return self.settings.animations == "on"
        from nimdesk.ui.look.motion import reduced_motion  # lazy: not before the first paint

        return not reduced_motion()

    def set_animations(self, choice: str) -> None:
        """``system``, ``on`` or ``off``."""
        self._change(animations=choice)
        self.window.set_animated(self._animated())
        self.laboratory.set_animated(self._animated())

    def set_number(self, number: str) -> None:
        """Which number a move shows on the board: ``share``, ``visits``, ``value`` or ``none``."""
        self._change(overlay_number=number)
        self.window.set_number(number)
        self.laboratory.set_number(number)

    def set_overlay(self, shown: bool) -> None:
        """Remember whether visit shares are drawn on the board."""
        self._change(show_overlay=shown)
        self.laboratory.set_overlay(shown)

    def set_delay(self, delay_ms: str) -> None:
        """How long a move of the computer stays on the board before the computer answers it."""
        self._change(move_delay_ms=int(delay_ms))
        self.controller.move_delay_ms = int(delay_ms)

    def set_truth(self, shown: bool) -> None:
        """Whether what is proven is shown beside what is estimated."""
        self._change(show_truth=shown)
        self.truth.set_shown(shown)

    def set_feedback(self, feedback: bool) -> None:
        """Whether a person hears, after each own move, if it kept the value of the position."""
        self._change(feedback=feedback)
        self.truth.set_feedback(feedback)

    def _show_truth(self) -> None:
        truth = self.truth
        self.window.show_truth(truth.truth, truth.search_truth, truth.wanted, truth.sentence, truth.explanation)

    def _show_judged(self) -> None:
        self.window.moves.show_judged(self.truth.judged)

    def _show_page(self, name: str) -> None:
        from nimdesk.ui.dialogs import help as help_pages  # lazy: not before the first paint

        getattr(help_pages, name)(self.window).open()

    def show_listing(self) -> None:
        """How the search shown came to its move, for agents that tell."""
        from nimdesk.ui.dialogs import help as help_pages  # lazy: not before the first paint

        snapshot = self.controller.shown_snapshot
        help_pages.listing(self.window, snapshot.listing if snapshot is not None else ()).open()

    def _on_tour_offered(self) -> None:
        self._change(tour_seen=True)

    def set_slow_motion(self, slow: bool) -> None:
        """Whether a search with a number of iterations is spread over a few seconds."""
        seconds = SLOW_MOTION_S if slow else 0.0
        self._change(slow_motion_s=seconds)
        self.controller.slow_motion_s = seconds

    @property
    def settings(self) -> Settings:
        """The settings as they are now."""
        return self.kept.now

    def _change(self, **values: object) -> None:
        self.kept.change(**values)

    def _open_settings_folder(self) -> None:
        from PySide6.QtCore import QUrl  # lazy: not before the first paint
        from PySide6.QtGui import QDesktopServices

        QDesktopServices.openUrl(QUrl.fromLocalFile(str(paths.settings_dir())))

    def _remember(self) -> None:
        geometry, docks = self.window.layout_state()
        game = self.controller.game
        self._change(
            window_geometry=geometry,
            window_state=docks,
            convergence=self.window.plots.state(),
            laboratory=self.laboratory.state(),
            position=game.game.text,
            players=[player_to_json(player) for player in game.players],
        )
        self.kept.save_last()

    def close(self) -> None:
        """Hide the window, then end what runs in the background; a second time nothing happens."""
        if self._closed:
            return
        self._closed = True
        self.window.hide()
        # No thread waits for a compilation from here on, nor begins one.
        compiler_process.refuse()
        if self._warm_up is not None:
            self._warm_up.end()
        self.kept.stop()
        self._app.styleHints().colorSchemeChanged.disconnect(self._on_system_scheme)
        self._plugin_timer.stop()
        if self._plugins is not None:
            self._plugins.close()
        self.controller.halt()
        self.service.shutdown()
        self.truth.end()
        self.laboratory.shutdown()
        self.experiments.shutdown()
        compiler_process.end()
