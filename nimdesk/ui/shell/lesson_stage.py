"""What a step of a lesson does to the pages: their state on arriving, what is locked, and how all was before."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QPoint, QRect, QTimer, Signal
from PySide6.QtWidgets import QWidget

from nimdesk.agents import Agent
from nimdesk.games import Move, Side
from nimdesk.lessons.model import TABS, AgentPart, MoveTask, ProveTask, Shown
from nimdesk.play import GameInProgress, Human
from nimdesk.play.laboratory import PREPARING
from nimdesk.search.timeline import Cost
from nimdesk.ui.jobs.truth import TruthFollower
from nimdesk.ui.laboratory.page import LaboratoryPage
from nimdesk.ui.laboratory.races import Run
from nimdesk.ui.laboratory.studied import Studied
from nimdesk.ui.look.actions import LABORATORY, PLAY
from nimdesk.ui.look.rings import Ring
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.play.controller import GameController
from nimdesk.ui.play.keeping import GameKeeper
from nimdesk.ui.plots.frame import Axis
from nimdesk.ui.shell.menus import Preferences
from nimdesk.ui.shell.other_pages import LaboratoryDoor
from nimdesk.ui.shell.window import MainWindow

_SOON_MS = 60
_RING, _AROUND = 3, 4


def studied_of(part: AgentPart) -> Studied:
    """The agent of a lesson as the laboratory studies it."""
    return Studied(part.make().unlimited(), part.seed)


class LessonStage(QObject):
    """Brings the window to what a step shows, hears answers on the board, and puts everything back at the end."""

    changed = Signal()
    """``ready`` or ``waits`` may have changed."""
    arrived = Signal()
    """The laboratory shows the step, and has taken the keyboard."""
    answered = Signal(object)
    """A person has answered on the board: the text of a move, or of all moves of a finished game."""

    def __init__(
        self,
        window: MainWindow,
        laboratory: LaboratoryDoor,
        controller: GameController,
        keeper: GameKeeper,
        truth: TruthFollower,
        preferences: Preferences,
    ) -> None:
        super().__init__(window)
        self._window, self._laboratory, self._controller = window, laboratory, controller
        self._keeper, self._truth, self._preferences = keeper, truth, preferences
        self._shown: Shown | None = None
        self._mode, self._kept = window.modes.mode, keeper.kept
        self._before: dict[str, Any] | None = None
        page = laboratory.page
        self._position_before = controller.position if page is None else page.model.place.position
        self._locked: Collection[str] = ()
        self._truth_wanted = self._told_game = False
        self._game: GameInProgress | None = None
        self._ring: Ring | None = None
        self._timer = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._timer.timeout.connect(self._on_timer)
        controller.position_changed.connect(self._on_game)
        truth.truth_changed.connect(self._soon)

    # Arriving

    def show(self, shown: Shown, locked: Collection[str], *, anew: bool, truth: bool) -> None:
        """Bring the window to this step; ``anew`` forgets what its searches have found before."""
        before, self._shown = self._shown, shown
        if before is None or (before.position, before.agents) != (shown.position, shown.agents):
            anew = anew or not shown.show.iterations  # what another lesson has found here would answer the question
        self._locked, self._truth_wanted = locked, truth
        self._told_game = False
        if shown.show.page == PLAY:
            self._begin_game(shown)
        else:
            self._laboratory.study(shown.position, partial(self._set_up, shown, anew))

    def show_truth(self) -> None:
        """Show what is proven from now on: the question is answered."""
        self._truth_wanted = True
        page = self._laboratory.page
        if self._shown is not None and self._shown.show.page == PLAY:
            self._truth.set_shown(True)
        elif page is not None:
            page.set_truth_shown(True)
        self._lock()
        self.changed.emit()

    def _begin_game(self, shown: Shown) -> None:
        self._window.modes.show_mode(PLAY)
        other: Agent | Human = shown.agents[0].make() if shown.agents else Human()
        side = shown.position.turn
        players = (Human(), other) if side is Side.FIRST else (other, Human())
        self._game = GameInProgress(shown.position, players)
        self._truth.set_shown(self._truth_wanted)
        self._controller.new_game(self._game, quiet=False)
        self._lock()
        self._window.area.board.setFocus()
        self._soon()

    def _set_up(self, shown: Shown, anew: bool, page: LaboratoryPage) -> None:
        if self._shown is not shown:
            return  # the person has gone on while the page was made
        show, model, searches = shown.show, page.model, page.model.searches
        if self._before is None:
            self._before = self._laboratory.lent = page.remember()
            for signal in (searches.results_changed, searches.running_changed, searches.runs_changed):
                signal.connect(self._soon)
            model.proof.truth_changed.connect(self._soon)
            page.board_panel.taker = self._take
        searches.stop()
        model.place.locked = False
        model.place.go_to(shown.position)
        model.agents.disguised = frozenset(studied_of(part).agent for part in shown.agents if part.disguised)
        model.agents.set_all(tuple(map(studied_of, shown.agents)))
        if anew or any((run.spent(Cost(show.axis)) or 0) > show.iterations > 0 for run in searches.runs):
            searches.start_over()  # what a step tells is of its very last simulation, which few moments kept are
        searches.set_axis(Axis(Cost(show.axis), log=show.log))
        page.set_truth_shown(self._truth_wanted)
        page.set_two_views(show.second is not None)
        page.views.restore([show.view, *filter(None, (show.second,))])
        page.tabs.setCurrentIndex(TABS.index(show.tab))
        model.clock.set_moment(None)
        if show.iterations:
            searches.set_limit(float(show.iterations))
            if not self._reached(page):
                searches.run()
        self._lock()
        self.arrived.emit()
        self._soon()

    # What is awaited

    @property
    def ready(self) -> bool:
        """Whether the searches have come as far as the step says and, where it is shown, the truth is known."""
        return not self.waits

    @property
    def waits(self) -> str:
        """What is awaited, in a few words; "" for nothing."""
        shown, page = self._shown, self._laboratory.page
        if shown is None or shown.show.page == PLAY:
            proving = shown is not None and self._truth_wanted and self._truth.proving
            return "Working out the truth…" if proving else ""
        if page is None or not self._laboratory.open:
            return "The laboratory opens…"
        if shown.show.iterations and not self._reached(page):
            return PREPARING if page.model.searches.preparing else "Searching…"
        if self._truth_wanted and page.model.proof.proving and page.model.place.position == shown.position:
            return "Working out the truth…"
        return ""

    @property
    def problem(self) -> str:
        """Why a search of the step failed, as a sentence; "" where none did."""
        page = self._laboratory.page
        runs = page.model.searches.runs if page is not None and self._laboratory.open else ()
        return next((run.problem for run in runs if run.problem), "")

    def _reached(self, page: LaboratoryPage) -> bool:
        assert self._shown is not None
        show, searches = self._shown.show, page.model.searches

        def reached(run: Run) -> bool:
            spent = run.spent(Cost(show.axis))
            if spent is None:  # it has not begun, or is not counted in this
                return run.ended or (run.snapshot is not None and not searches.running)
            return run.ended or spent >= show.iterations

        return all(map(reached, searches.runs))

    def _soon(self) -> None:
        if self._shown is not None and not self._timer.isActive():
            self._timer.start()

    def _on_timer(self) -> None:
        self._put_ring()
        self.changed.emit()

    # Answers on the board

    def _take(self, move: Move) -> bool:
        """Whether a move chosen in the laboratory is an answer, and no move to look at."""
        shown, page = self._shown, self._laboratory.page
        if shown is None or page is None:
            return False
        asked = isinstance(shown.step.task, MoveTask) and page.model.place.position == shown.position
        if asked and shown.show.page == LABORATORY:
            self.answered.emit(move.text)
            return True
        return "position" in self._locked

    def _on_game(self) -> None:
        shown = self._shown
        if shown is None or shown.show.page != PLAY or self._controller.game is not self._game:
            return
        task, position = shown.step.task, self._controller.position
        played = [move.text for move in position.moves[len(shown.position.moves) :]]
        answer: object = None
        if isinstance(task, MoveTask) and played:
            answer = played[0]
        elif isinstance(task, ProveTask) and position.outcome is not None:
            answer = played
        if answer is not None and not self._told_game:
            self.answered.emit(answer)
        self._told_game = answer is not None

    # Locks, and the ring

    def _lock(self) -> None:
        """Lock what the lesson locks, and the truth while it is the answer."""
        locked, actions, page = self._locked, self._window.actions_by_name, self._laboratory.page
        free = "truth" not in locked and self._truth_free
        actions["truth"].setEnabled(free)
        if page is None:
            return
        actions["lab_truth"].setEnabled(free)
        page.model.place.locked = "position" in locked
        page.position_bar.setEnabled("position" not in locked)
        page.agents.setEnabled("agents" not in locked)
        for part in (page.run_bar.limit, page.run_bar.cost, page.run_bar.scale):
            part.setEnabled("limit" not in locked)
        for pane in page.views.panes:
            pane.choice.setEnabled("views" not in locked)

    @property
    def _truth_free(self) -> bool:
        """Whether the step leaves it to the person to look at the truth."""
        return self._shown is None or self._shown.show.truth != "after" or self._truth_wanted

    def _target(self) -> QWidget | None:
        page, shown = self._laboratory.page, self._shown
        if shown is None or not shown.show.ring:
            return None
        if shown.show.page == PLAY:
            return self._window.area if shown.show.ring == "board" else None
        if page is None or not self._laboratory.open:
            return None
        first, second = page.views.panes
        return {
            "board": page.board_panel.board,
            "run": page.run_bar.run_button,
            "plot": first,
            "second plot": second,
            "scrubber": page.scrubber,
            "agents": page.agents,
            "moves": page.tabs,
            "truth": page.board_panel.truth_line,
        }[shown.show.ring]

    def _put_ring(self) -> None:
        target = self._target()
        if self._ring is None:
            self._ring = Ring(self._window, _RING, _AROUND)
        if target is None or not target.isVisible():
            self._ring.hide()
            return
        self._ring.color = LOOK.theme.color("accent")
        self._ring.surround(QRect(target.mapTo(self._window, QPoint()), target.size()))

    def place_ring(self) -> None:
        """The window has changed its size: point out what is pointed out where it is now."""
        self._soon()

    # The end

    def leave(self) -> None:
        """Put the laboratory back as it was, and the game that was on the board."""
        self._shown, self._locked = None, ()
        self._timer.stop()
        if self._ring is not None:
            self._ring.hide()
            self._ring.deleteLater()
            self._ring = None
        self._lock()
        page = self._laboratory.page
        if page is not None and self._before is not None:
            page.board_panel.taker = lambda _move: False
            page.model.agents.disguised = frozenset()
            page.model.searches.stop()
            page.model.place.go_to(self._position_before)
            page.restore(self._before)
            self._laboratory.lent = None
        self._truth.set_shown(self._preferences.now.show_truth)
        if self._keeper.kept is not self._kept:
            self._keeper.show(self._kept)
        self._window.modes.show_mode(self._mode)
        if self._mode == PLAY:
            self._window.area.board.setFocus()
        self.deleteLater()
