"""One run of the program: the window with its menus and dialogs, the settings it starts from and leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QMenu

from nimdesk.agents import CATALOGUE, Agent, BackgroundLoading, agent_from_json, plugin_loader
from nimdesk.disk import paths
from nimdesk.errors import NimdeskError
from nimdesk.games import AnyPosition, Side, parse_position, presets
from nimdesk.play import (
    Awaited,
    GameInProgress,
    Human,
    Player,
    begins_quiet,
    first_opponent,
    opponent,
    player_from_json,
    player_to_json,
)
from nimdesk.play.kept import KeptGame
from nimdesk.play.moment import BoardLook
from nimdesk.plugins.games import blamed
from nimdesk.settings import SettingsStore, switches
from nimdesk.ui.jobs.bridge import GarbageCollector
from nimdesk.ui.jobs.truth import TruthFollower
from nimdesk.ui.look.actions import PLAY
from nimdesk.ui.look.painting import app_icon
from nimdesk.ui.look.theme import Dresser
from nimdesk.ui.play.controller import GameController
from nimdesk.ui.play.keeping import GameKeeper
from nimdesk.ui.play.searching import SearchService
from nimdesk.ui.shell.files import Files
from nimdesk.ui.shell.full_screen import Screen
from nimdesk.ui.shell.games import Games
from nimdesk.ui.shell.lessons import Lessons
from nimdesk.ui.shell.menus import Preferences, add_menus, fill_menus
from nimdesk.ui.shell.other_pages import ExperimentsDoor, LaboratoryDoor
from nimdesk.ui.shell.proofs import Proofs
from nimdesk.ui.shell.readiness import Readiness
from nimdesk.ui.shell.teaching import Teaching
from nimdesk.ui.shell.window import MainWindow

TRUTH_TIME_S = 30.0
REMEMBER_MS = 5000
"""How often what a person has set is saved: a crash loses no more than that."""
_TOLD_MS, _SAID_MS = 8000, 20_000
if TYPE_CHECKING:
    from nimdesk.ui.look.rings import FocusRing
    from nimdesk.ui.play.review import ReviewPanel
    from nimdesk.ui.shell.lesson_stage import LessonStage

Players = tuple[Player | None, Player | None]


class Session(QObject):
    """Builds everything, connects dialogs and settings, and takes it down again."""

    completed = Signal()
    """The window has all its parts, a moment after the first paint."""
    saved = Signal()
    """The window is closed and everything is written; threads have yet to end."""

    def __init__(
        self,
        app: QApplication,
        store: SettingsStore,
        position: AnyPosition | None = None,
        players: Players = (None, None),
        *,
        library: Path | None = None,
        told: str = "",
    ) -> None:
        """``library`` is the file of the games, by default among the person's data; ``told`` is a sentence to show."""
        super().__init__()
        self._app = app
        self._closed = False
        self._garbage: GarbageCollector | None = None
        self._told = told
        self._plugins = BackgroundLoading()  # before anything is read that could name a plug-in
        self.preferences = Preferences(store, self)
        self._dresser = Dresser(app, self)
        self._dresser.set_look(self.preferences.now.theme)
        self._screen = Screen(self.preferences, self._dresser, self)
        app.setWindowIcon(app_icon())
        self.service = SearchService(self)
        self._ring: FocusRing | None = None
        self.review: ReviewPanel | None = None
        """The Review tab; there a moment after the first paint."""
        self._steps: Iterator[Callable[[], None]] = iter(())
        self._step_timer = QTimer(self)
        self._step_timer.timeout.connect(self._next_step)
        self._plugin_timer = QTimer(self)
        self._plugin_timer.setInterval(20)
        self._plugin_timer.timeout.connect(self._poll_plugins)
        self._remember_timer = QTimer(self, interval=REMEMBER_MS)
        self._remember_timer.timeout.connect(self.remember)
        self._begun, self._leaving, self._said, self._in_browser = False, False, "", ""
        self.keeper = GameKeeper(library or paths.library_file(), self)
        kept, self._start_problem = self._last_game(position, players)
        game = kept.game if kept is not None else self._first_game(position, players)
        self.controller = GameController(game, self.service, self._suggester())
        # Otherwise its connections, which no garbage collection sees, would keep it and its games alive after the
        # session.
        self.controller.setParent(self)
        if kept is not None and kept.paused:
            self.controller.pause()
        self.controller.set_quiet(self.preferences.now.quiet if kept is not None else begins_quiet(game.players))
        self.keeper.follow(self.controller, kept)
        self.controller.slow_motion_s = self.preferences.now.slow_motion_s
        self.controller.move_delay_ms = self.preferences.now.move_delay_ms
        self.controller.offers_hint = not self.preferences.now.hint_offered
        settings = self.preferences.now
        look = BoardLook(overlay=settings.show_overlay, number=settings.overlay_number)
        self.window = MainWindow(self.controller, look)
        self.truth = TruthFollower(self.controller, TRUTH_TIME_S)
        self.laboratory = LaboratoryDoor(self.window, self.controller, self.preferences)
        self.experiments = ExperimentsDoor(self.window, self.controller, self.laboratory, self.preferences)
        self.readiness = Readiness(self.controller, self.window.status, self)
        self.games = Games(self.window, self.controller, self.laboratory, self.keeper, self.preferences)
        self.proofs = Proofs(self.window, self.games, self.controller)
        self.lessons = Lessons(self.window, self.preferences, self._new_stage)
        self.teaching = Teaching(self.window, self.lessons, self.laboratory)
        others = self.laboratory, self.proofs, self.lessons
        self.files = Files(self.window, self.games, self.keeper, self.preferences, *others)
        self._screen.follow(self.window)
        self._screen.told.connect(self.controller.explain)
        self._dresser.follow(self.window, self.window.modes.stack)
        self.window.plots.restore(settings.convergence)
        self.window.restore_layout(settings.window_geometry, dict(settings.shares))
        add_menus(self.window)
        self._connect()

    def show(self) -> None:
        """Open the window; plots and kernels are loaded once it has been painted."""
        self.window.show()
        self.window.area.board.setFocus()

    # Starting from the settings

    def _last_game(self, position: AnyPosition | None, players: Players) -> tuple[KeptGame | None, str]:
        """The game that was on the board when the program ended, unless another one is asked for."""
        return self.keeper.last_game() if position is None and players == (None, None) else (None, "")

    def _first_game(self, position: AnyPosition | None, players: Players) -> GameInProgress:
        return GameInProgress(self._first_position(position), self._first_players(players))

    def _first_position(self, position: AnyPosition | None) -> AnyPosition:
        if position is not None:
            return position
        try:
            return parse_position(self.preferences.now.position).game.start()
        except NimdeskError as error:
            self._start_problem = f"The last game could not be set up again. {error}"
            return presets()[0].game.start()

    def _first_players(self, wanted: Players) -> tuple[Player, Player]:
        remembered: list[Player] = [Human(), first_opponent()]
        for side, data in enumerate(self.preferences.now.players[:2]):
            try:
                remembered[side] = player_from_json(data)
            except NimdeskError as error:
                self._start_problem = str(error)
        for side in Side:
            if isinstance(wanted[side.other], Agent):  # who names an opponent wants to play it
                remembered[side] = Human()
        return wanted[0] or remembered[0], wanted[1] or remembered[1]

    def _suggester(self) -> Agent:
        try:
            return agent_from_json(self.preferences.now.suggest)
        except NimdeskError:
            return opponent("mcts")

    def _connect(self) -> None:
        actions = self.window.actions_by_name
        for name, slot in (
            ("suggest_options", self.ask_suggester),
            ("add_engine", self.ask_engine),
            ("listing", self.show_listing),
            ("analyse", self.laboratory.study_game),
            ("film", self.laboratory.film),
            ("say", self._say_all),
            ("lab_say", self._say_all),
            ("help", self._show_help),
            ("palette", self._ask_palette),
            ("about", self._show_about),
            ("settings_folder", partial(self._open_folder, paths.settings_dir())),
            ("data_folder", partial(self._open_folder, paths.data_dir())),
        ):
            actions.connect(name, slot)
        self.games.connect(actions.connect)
        self.lessons.connect_actions(actions.connect)
        self.teaching.connect_actions(actions.connect)
        self.files.connect_actions(actions.connect)
        for name, (switch, _about) in switches().items():
            action = actions[switch.action]
            action.setChecked(getattr(self.preferences.now, name) != switch.off)
            action.toggled.connect(partial(self._on_toggled, name, (switch.off, switch.on)))
        self._obey_preferences()
        self.controller.hint_offered.connect(partial(self.preferences.change, hint_offered=True))
        self.truth.truth_changed.connect(self._show_known)
        self.laboratory.play_wanted.connect(self.games.play_from)
        self.experiments.game_wanted.connect(self.games.show)
        for door in (self.laboratory, self.experiments):
            door.certificate_wanted.connect(self.proofs.play)
        self.window.modes.mode_changed.connect(lambda mode: self.controller.set_in_sight(mode == PLAY))
        self.window.area.first_painted.connect(self._after_first_paint)
        self.window.may_close = self._may_close
        self.window.closing.connect(self.lessons.leave)  # so that the person's game and laboratory are kept
        self.window.closing.connect(self.keep)
        self.window.closing.connect(self._stop_loading)
        self.window.plots.lesson_wanted.connect(self.lessons.begin_first)
        self.window.plots.loaded.connect(self._complete)
        self.preferences.saving_failed.connect(self._say)
        self.keeper.told.connect(self._tell_of_library)
        self._app.styleHints().colorSchemeChanged.connect(self._on_system_scheme)

    def _on_toggled(self, field: str, values: tuple[object, object], on: bool) -> None:
        self.preferences.change(**{field: values[on]})

    @Slot(str)
    def tell(self, sentence: str) -> None:
        """Say what is wrong with a package, once there is a window to say it.

        A sentence that comes again and again, as from a board that cannot be painted, is said once.
        """
        if sentence == self._said or self._closed:
            return
        self._said = sentence
        if self._begun:
            self._say(sentence)

    def _say(self, sentence: str, told_ms: int = _TOLD_MS) -> None:
        """Show the sentence beside the board and in the status line, which every page has."""
        self.controller.explain(sentence)
        self.window.status.showMessage(sentence, told_ms)

    def _say_all(self) -> None:
        """Say what the page shows."""
        page = self.laboratory.page if self.laboratory.open else None
        self.window.status.showMessage(self.window.display.spoken if page is None else page.spoken, _SAID_MS)

    def tell_of_fault(self, error: BaseException) -> bool:
        """Say what nothing caught, where it is a game's fault or was meant for a person; whether it is."""
        sentence = str(error) if isinstance(error, NimdeskError) else blamed(error)
        if sentence:
            # Not now: the error may come from painting the very widget that the sentence will change.
            QTimer.singleShot(0, self, partial(self.tell, sentence))
        return bool(sentence)

    def _tell_of_library(self, sentence: str) -> None:
        """Show the sentence; the status line shows it for as long as games cannot be saved."""
        self._say(sentence, 0 if self.keeper.failing else _TOLD_MS)

    def _after_first_paint(self) -> None:
        """Load and build what the first paint did not need, a little at a time: the window answers in between."""
        if self._closed:  # before its first paint
            return
        self._begin()
        window = self.window
        self._steps = iter(
            (
                window.fill_players,
                window.fill_moves,
                self._fill_review,
                self._fill_menus,
                window.actions_by_name.draw_icons,
                self._add_context_menus,
                self._add_ring,
                window.plots.load_soon,
            )
        )
        self._step_timer.start()

    def _fill_menus(self) -> None:
        more = self.games.start, self.files.fill_recent, self.lessons.fill_menu
        fill_menus(self.window, self.preferences, *more)

    def _add_context_menus(self) -> None:
        from nimdesk.ui.shell.context_menus import ContextMenus  # lazy: not before the first paint

        self.context_menus = ContextMenus(self.window)

    def _next_step(self) -> None:
        step = next(self._steps, None)
        if step is None:
            self._step_timer.stop()
        else:
            step()

    def _stop_loading(self) -> None:
        """No further step: to import pyqtgraph takes a busy machine seconds, and the window is being closed."""
        self._step_timer.stop()
        self.window.plots.stop_loading()

    def _fill_review(self) -> None:
        from nimdesk.ui.play.review import ReviewPanel  # lazy: not before the first paint

        self.review = ReviewPanel()
        self.review.follow(self.controller, self.window.actions_by_name)
        self.review.line_wanted.connect(self.window.display.show_line)
        self.review.judge_wanted.connect(self.window.display.show_judge)
        self.review.reviewed.connect(self.window.display.show_reviewed)
        self.review.shown_wanted.connect(self._show_review)
        self.window.page.add_tab("Review", self.review)

    def _show_review(self) -> None:
        """Bring the review to the front; who asks for it in a quiet game wants to be told."""
        if self.window.display.shown.quiet:
            self.controller.set_quiet(False)
        if self.review is not None:
            self.window.page.show_tab(self.review)

    def _add_ring(self) -> None:
        from nimdesk.ui.look.rings import FocusRing  # lazy: not before the first paint

        self._ring = FocusRing(self._app, self)

    def _add_garbage_collector(self) -> None:
        self._garbage = GarbageCollector(self)

    def _begin(self) -> None:
        """Let the game begin, or go on: nobody waits for the rest of the window."""
        self._add_garbage_collector()
        self._show_look()
        self.readiness.begin()
        self.keeper.begin()
        self.games.read_results()
        self.controller.begin()

    def _complete(self) -> None:
        if self._closed:
            return
        self.truth.set_shown(self.preferences.now.show_truth)
        self.truth.set_feedback(self.preferences.now.feedback)
        if not self.preferences.now.tour_seen:
            self.preferences.change(tour_seen=True)
            self.window.plots.offer_lesson()
        self._plugin_timer.start()
        # Last, since a computer that begins to think clears what was said before.
        problem = self._told or self.preferences.problem or self._start_problem or self._said
        if problem:
            self.controller.explain(problem)
        self._begun = True
        self._remember_timer.start()
        self.completed.emit()

    def _poll_plugins(self) -> None:
        known = len(CATALOGUE)
        if self._plugins.poll():
            self._plugin_timer.stop()
            self.controller.suggester = self._suggester()
            if self.review is not None:
                self.review.box.load()  # the agents that can be asked depend on the games
        if len(CATALOGUE) != known:
            for sheet in self.window.sheets:
                sheet.refresh()
            self.laboratory.seat_awaited()
            self.experiments.seat_awaited()
        self.keeper.open_awaited()
        for side in Side:
            self._seat(side, self.controller.game.players[side])

    def _seat(self, side: Side, player: Player) -> None:
        """Give the side its agent, whose plug-in has come."""
        if not isinstance(player, Awaited):
            return
        try:
            found = player_from_json(player.data)
        except NimdeskError as error:
            found = Human()
            self.controller.explain(f"A player of this game cannot play; a person plays instead. {error}")
        if not isinstance(found, Awaited):
            self.controller.set_player(side, found)

    def ask_suggester(self) -> None:
        """Ask which agent proposes moves, and how much it thinks first."""
        from nimdesk.ui.dialogs import AgentOptionsDialog  # lazy: not before the first paint

        about = "This agent searches for a hint, with these options, whoever is to move; nothing is played."
        position = self.controller.position
        dialog = AgentOptionsDialog("Hint options", about, self.controller.suggester, self.window, position=position)
        if dialog.exec():
            self.controller.suggester = dialog.agent
            self.preferences.change(suggest=dialog.agent.to_json())
        dialog.deleteLater()

    def ask_engine(self) -> None:
        """Ask for a program, and make it an agent."""
        from nimdesk.ui.play.add_engine import AddEngineDialog  # lazy: not before the first paint

        dialog = AddEngineDialog(self.window)
        if dialog.exec():
            plugin_loader(only=dialog.added)
            for sheet in self.window.sheets:
                sheet.refresh()
            self._say(f"The engine “{dialog.added}” is among the players now.")
        dialog.deleteLater()

    # What a person sets

    def _obey_preferences(self) -> None:
        """What a change of each setting does, besides what the laboratory does."""

        def wait(ms: int) -> None:
            self.controller.move_delay_ms = ms

        def slow_down(seconds: float) -> None:
            self.controller.slow_motion_s = seconds

        obey = self.preferences.obey
        obey("theme", self._dresser.set_look)
        for name in ("animations", "show_overlay", "overlay_number"):
            obey(name, lambda _wanted: self._show_look())
        obey("move_delay_ms", wait)
        obey("slow_motion_s", slow_down)
        obey("show_truth", self.truth.set_shown)
        obey("feedback", self.truth.set_feedback)

    def _show_look(self) -> None:
        now = self.preferences.now
        self.window.display.set_look(BoardLook(now.show_overlay, now.overlay_number, self.preferences.animated))

    def _on_system_scheme(self) -> None:
        if self.preferences.now.theme == "system":
            self._dresser.set_look("system")

    def _show_known(self) -> None:
        self.window.display.show_known(self.truth.known)

    def _show_about(self) -> None:
        from nimdesk.ui import dialogs  # lazy: not before the first paint

        dialogs.about(self.window).open()

    def _new_stage(self) -> LessonStage:
        from nimdesk.ui.shell.lesson_stage import LessonStage  # lazy: with numpy, not before the first paint

        others = self.controller, self.keeper, self.truth, self.preferences
        return LessonStage(self.window, self.laboratory, *others)

    def _show_help(self) -> None:
        from nimdesk.ui.shell.pages import IN_BROWSER, show_page  # lazy: not before the first paint

        self._in_browser = show_page(self.window, self.window.modes.page(self.window.modes.mode), self._in_browser)
        if self._in_browser:
            self._say(IN_BROWSER)

    def _ask_palette(self) -> None:
        """Ask for a command, and do it."""
        from nimdesk.ui.shell.palette import Palette  # lazy: not before the first paint

        inner = [menu for menu in self.window.menuBar().findChildren(QMenu) if isinstance(menu.parent(), QMenu)]
        others = [(menu.title(), action) for menu in inner for action in menu.actions()]
        palette = Palette(self.window.actions_by_name, self.window, others)
        if palette.exec() and palette.chosen is not None:
            palette.chosen.trigger()
        palette.deleteLater()

    def show_listing(self) -> None:
        """Show how the search shown came to its move, or else the one behind it, for agents that explain it."""
        from nimdesk.ui import dialogs  # lazy: not before the first paint

        dialogs.listing(self.window, self.window.display.shown.listing).open()

    def _open_folder(self, folder: Path) -> None:
        from PySide6.QtCore import QUrl  # lazy: not before the first paint
        from PySide6.QtGui import QDesktopServices

        with suppress(OSError, ValueError):
            paths.make_private(folder)
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self._say(f"No program here shows folders; this one is “{folder}”.")

    def leave(self) -> None:
        """Close the window without a question: the system asks for it, and soon does worse than ask."""
        self._leaving = True
        self.window.close()

    def _may_close(self) -> bool:
        """Whether the window may close; asks the person if something would be lost."""
        if self._leaving or self._app.isSavingSession() or not (lost := self._lost()):
            return True
        from nimdesk.ui.look.desktop import ask  # lazy: not before the first paint

        return ask(self.window, "Quit", lost) or self._leaving

    def _lost(self) -> str:
        """A question whether to quit all the same, naming what would be lost; "" if nothing would be."""
        if self.keeper.unkept:
            saved = "“Save as…” keeps it in another place"
            return f"{self.keeper.unkept}\n\nWhat was played since is lost if nimdesk ends now; {saved}. Quit?"
        self.remember()
        if self.preferences.failure and self.preferences.now.experiments:
            return (
                f"{self.preferences.failure}\n\nWhat is filled in under Experiments is lost if nimdesk ends now. Quit?"
            )
        return ""

    @Slot()
    def remember(self) -> None:
        """Note what a person has set or filled in and what sends no signal of its own, to be saved soon."""
        geometry, shares = self.window.layout_state()
        sitting = self.controller.sitting
        self.laboratory.remember()
        self.experiments.remember()
        self.preferences.change(
            window_geometry=geometry,
            shares=shares,
            convergence=self.window.plots.state(),
            quiet=sitting.quiet,
        )
        if not sitting.opened:  # the next game is not to begin like one that was only looked at
            players = [player_to_json(player) for player in sitting.game.players]
            self.preferences.change(position=sitting.game.game.text, players=players)

    @Slot()
    def keep(self) -> None:
        """Save at once what a person has set: the window, or the desktop's session, may be about to end."""
        self.teaching.keep()
        try:
            self.remember()
        finally:  # a failure there must not lose what was set before
            self.preferences.save_last()

    def close(self) -> None:
        """Hide the window, then end what runs in the background; a second time nothing happens."""
        if self._closed:
            return
        self._closed = True
        self._stop_loading()
        self._remember_timer.stop()
        self.window.hide()
        self.readiness.refuse()
        self.preferences.stop()
        self.controller.halt()
        self.keeper.close()
        if self.review is not None:
            self.review.box.end()
        self.saved.emit()
        self._app.styleHints().colorSchemeChanged.disconnect(self._on_system_scheme)
        self._screen.end()
        self._plugin_timer.stop()
        self._plugins.close()
        self.service.shutdown()
        self.window.plots.shutdown()
        self.truth.end()
        self.proofs.shutdown()
        self.lessons.shutdown()
        self.teaching.shutdown()
        if self.review is not None:
            self.review.end()
        self.window.modes.finish()
        self.laboratory.shutdown()
        self.experiments.shutdown()
        if self._garbage is not None:
            self._garbage.end()
        self.readiness.end()
