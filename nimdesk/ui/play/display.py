"""Keeps every display of the Play page at one moment of the game and of its search."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer, Signal

from nimdesk.games import Move
from nimdesk.play.catching_up import CatchingUp, caught_up
from nimdesk.play.moment import BoardLook, Known, Pointer, Search, TruthLine, stepped
from nimdesk.play.shown import PlotShown, Shown, shown
from nimdesk.play.story import story
from nimdesk.ui.jobs.bridge import Turns
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.move_marks import MoveColors
from nimdesk.ui.look.widgets import SearchStatus, announce, spoken
from nimdesk.ui.play.column import BoardColumn
from nimdesk.ui.play.controller import GameController
from nimdesk.ui.play.page import PlayPage
from nimdesk.ui.play.thinking import search_of

if TYPE_CHECKING:
    from nimdesk.play.move_review import MoveReview
    from nimdesk.search import Snapshot
    from nimdesk.ui.plots.convergence import ConvergencePanel

_RETURN_MS = 200
_TICK_MS, _CLOCK_MS = 100, 1000
_FRAME_MS = 33
_ACTS = frozenset((QEvent.Type.MouseButtonPress, QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride, QEvent.Type.Wheel))
"""What a person does who does not want to wait."""


class Display(QObject):
    """Works out what is shown whenever something changes, and applies what is different to the displays.

    A search that runs is drawn in turns, one that was kept at once, and one that has ended as soon as buttons and board
    have answered. Between two frames all that is shown of a search stays that of the last frame. What was missed of a
    search is shown when it has ended, until a person presses anything.
    """

    searched_changed = Signal(object)
    """The ``Snapshot`` (or None) that board, plot, cards and status line show from now on: show the same."""
    story_changed = Signal(object)
    """What is told of the game as a whole is this ``Story`` from now on."""

    def __init__(
        self,
        controller: GameController,
        colors: MoveColors,
        where: tuple[PlayPage, SearchStatus, ActionSet],
        look: BoardLook,
        parent: QObject,
    ) -> None:
        """``colors`` are those of the plot. It ends with ``parent``, the window: no turn comes after it."""
        super().__init__(parent)
        self._controller, self._colors, self.look = controller, colors, look
        self._page, self._status, self._actions = where
        page = self._page
        self._column: BoardColumn = page.column
        self._area, self._plots = page.column.place, page.plots
        self._known, self._pointer = Known(), Pointer()
        self._story = story(controller.game, self._known)
        self._judge: tuple[Snapshot, str] | None = None
        """The search by which a move of this position was judged, and what to call it."""
        self._frame = controller.search
        self._drawn: object = None
        """Which search has its colours."""
        self._seen: list[int] = []
        """At which iterations it was drawn while it ran."""
        self._just_ended: object = None
        self._catching_up: CatchingUp | None = None
        self._since = 0.0
        self._next_moment = QTimer(self, interval=_FRAME_MS)
        self._next_moment.timeout.connect(self._catch_up)
        self._lives = False
        self._told_panel: ConvergencePanel | None = None
        """Which plot was told all that is shown; another one has to be told everything."""
        self._applying = self._again = False
        self._turns = Turns((self._show_frame,), self)
        # Between one curve and the next the pointer is at neither.
        self._return_soon = QTimer(self, singleShot=True, interval=_RETURN_MS)
        self._return_soon.timeout.connect(self._return)
        self._clock = QTimer(self)
        self._clock.timeout.connect(self._refresh)
        controller.game_replaced.connect(self._on_game)
        controller.position_changed.connect(self._on_position)
        controller.players_changed.connect(self._on_players)
        controller.snapshot_changed.connect(self._follow)
        controller.state_changed.connect(self._on_state)
        controller.thinking.ended.connect(self._on_ended)
        self._actions.connect("win_on", partial(self.step_in_win, 1))
        self._actions.connect("win_back", partial(self.step_in_win, -1))
        self._plots.filled.connect(self._adopt_plot)
        self._area.board_replaced.connect(self._adopt_board)
        self.shown = self._resolve()
        """What is shown now."""
        self._adopt_board()
        self._apply_actions(self.shown)
        self._show_frame()

    # What a person sets

    def set_look(self, look: BoardLook) -> None:
        """Show what a person sets about the board."""
        self.look = look
        self._refresh()

    def show_known(self, known: Known) -> None:
        """Show what is proven by now; what a review found stays."""
        known = replace(known, reviewed=self._known.reviewed)
        if known != self._known:
            self._learn(known)

    def show_reviewed(self, reviewed: tuple[MoveReview, ...]) -> None:
        """Say where the game was decided as a review of all its moves found it; empty: there is none."""
        self._learn(replace(self._known, reviewed=reviewed))

    def show_line(self, moves: tuple[Move, ...]) -> None:
        """Number the moves of this line of play, from the position of the game on, until there is another position."""
        self._point(replace(self._pointer, reviewed=moves))

    def step_in_win(self, by: int) -> None:
        """Show so many moves more of the forced win on the board, or fewer."""
        self._point(stepped(self._known, self._pointer, by))

    def show_judge(self, snapshot: Snapshot, title: str) -> None:
        """Show this search of the position of the game, by which a move was judged, until there is another position."""
        self._judge = (snapshot, title)
        self._turns.finish()

    def _search(self) -> Search:
        """What the computer is doing; while it rests, with the search by which a move was judged."""
        search = self._controller.search
        if self._judge is None or search.busy or self._judge[0].position != self._controller.position:
            return search
        return replace(search, snapshot=self._judge[0], title=self._judge[1], asked=True)

    @property
    def spoken(self) -> str:
        """All that is shown in words: whose turn it is, the search and its leader, what is proven, and the notice."""
        panel, truth = self._plots.panel, self.shown.truth
        searched = panel.accessibleDescription() if panel is not None and self.shown.plot.snapshot is not None else ""
        return spoken(self.shown.headline, searched, truth.sentence if truth.wanted else "", self.shown.sentence)

    @property
    def try_from(self) -> int | None:
        """After how many moves to try again, where the game is over and that is known."""
        return self._story.ending.try_from

    def draw_now(self) -> None:
        """Show the newest snapshot everywhere at once, as a picture needs it."""
        self._end_catching_up()
        self._turns.finish()

    # What changes

    def _on_game(self) -> None:
        self._known = Known(line=TruthLine(self._known.line.wanted), reviewed=self._known.reviewed)
        self._frame = replace(self._frame, snapshot=None, title="", ended=None)
        if self._plots.panel is not None:
            # It would go on showing a search of the game before.
            self._plots.panel.set_paused(False)

    def _on_position(self, animate: bool) -> None:
        self._return_soon.stop()
        self._judge = None
        self._pointer = Pointer(board=self._pointer.board)
        self._learn(self._known, animate=animate)

    def _on_players(self) -> None:
        self._learn(self._known)

    def _learn(self, known: Known, *, animate: bool = False) -> None:
        """Tell the game anew: it has changed, or what is known of it."""
        self._known = known
        self._story = story(self._controller.game, known)
        self._refresh(animate=animate)

    def _on_state(self) -> None:
        wanted_ms = _TICK_MS if self._controller.thinking.busy else _CLOCK_MS
        if not self._controller.game.clock.runs:
            self._clock.stop()
        elif not self._clock.isActive() or self._clock.interval() != wanted_ms:
            self._clock.start(wanted_ms)
        self._refresh()

    # One frame

    def _on_ended(self, snapshot: Snapshot) -> None:
        self._just_ended = search_of(snapshot)

    def _follow(self) -> None:
        snapshot = self._controller.shown_snapshot
        if self._catching_up is not None and search_of(snapshot) != search_of(self._catching_up.search.snapshot):
            self._end_catching_up(draw=False)
        lived, self._lives = self._lives, snapshot is not None and snapshot.stopped is None
        if self._lives:
            self._turns.ask()
        elif lived and search_of(snapshot) == self._drawn:
            self._turns.soon()
        else:
            self._turns.finish()

    def _show_frame(self) -> None:
        """Give the moves of the newest snapshot their colours, and show it everywhere."""
        newest = self._search()
        snapshot, search = newest.snapshot, search_of(newest.snapshot)
        if search != self._drawn:
            if self.shown.elsewhere:
                self._pointer = replace(self._pointer, searched=None, plot=None)
            self._colors.reset()
            self._drawn, self._seen = search, []
        if snapshot is not None:
            self._colors.update(snapshot)
            if snapshot.stopped is None:
                self._seen.append(snapshot.iterations)
        if search is not None and search == self._just_ended:
            self._just_ended = None
            if self._watched:
                self._begin_catching_up(caught_up(newest, self._seen))
        if self._catching_up is None:
            self._show(newest)

    def _show(self, frame: Search) -> None:
        self._frame = frame
        self._refresh()
        self.searched_changed.emit(self.shown.plot.snapshot)

    # What was missed of a search

    @property
    def _watched(self) -> bool:
        """Whether the plot moves, and can be seen."""
        panel = self._plots.panel
        return self.look.animated and panel is not None and panel.isVisible() and not panel.paused

    def _begin_catching_up(self, missed: CatchingUp) -> None:
        app = QCoreApplication.instance()
        if len(missed) and app is not None:
            self._catching_up, self._since = missed, time.monotonic()
            app.installEventFilter(self)
            self._next_moment.start()
            self._catch_up()

    def _catch_up(self) -> None:
        if self._catching_up is None:
            return
        elapsed_s = time.monotonic() - self._since
        if elapsed_s >= self._catching_up.seconds or not self._watched:
            self._end_catching_up()
        else:
            self._show(self._catching_up.at(elapsed_s))

    def _end_catching_up(self, *, draw: bool = True) -> None:
        """Show the search as it ended."""
        if self._catching_up is None:
            return
        self._catching_up = None
        self._next_moment.stop()
        app = QCoreApplication.instance()
        if app is not None:
            app.removeEventFilter(self)
        if draw:
            self._show_frame()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Whoever presses anything sees the end at once, after what the press itself changes."""
        if event.type() in _ACTS:
            self._end_catching_up(draw=False)
            self._turns.soon()
        return super().eventFilter(watched, event)

    # One value

    def _resolve(self) -> Shown:
        frame, panel, pointer = self._frame, self._plots.panel, self._pointer
        search = replace(
            self._controller.search,
            snapshot=frame.snapshot, title=frame.title, asked=frame.asked, ended=frame.ended,
        )  # fmt: skip
        frozen = panel.searched if panel is not None and panel.paused else None
        if frozen is None and pointer.searched is not None and search_of(pointer.searched) == search_of(frame.snapshot):
            # It is the same search a moment later.
            pointer = replace(pointer, searched=frame.snapshot)
        pointer = replace(pointer, frozen=frozen)
        return shown(self._controller.sitting, search, self._known, self._story, self.look, pointer)

    def _refresh(self, *, animate: bool = False) -> None:
        """Show this moment; what a display says of itself meanwhile is shown after it."""
        self._again = True
        if self._applying:
            return
        self._applying = True
        try:
            while self._again:
                self._again = False
                before, self.shown = self.shown, self._resolve()
                self._apply(self.shown, before, animate=animate)
        finally:
            self._applying = False

    def _apply(self, now: Shown, before: Shown, *, animate: bool) -> None:
        self._area.show_board(now.board, self._colors, animate=animate)
        panel, self._told_panel = self._told_panel, self._plots.panel
        self._apply_plot(now.plot, before.plot if panel is self._told_panel else None)
        self._page.be_quiet(now.quiet)
        self._column.show_moment(now)
        if now.sentence != before.sentence and (now.result or now.elsewhere or self._controller.suggestion is not None):
            announce(self._column, now.sentence)
        if now.truth != before.truth:
            self._column.truth_line.tell(*now.truth)
        if now.plot.snapshot is not before.plot.snapshot and self._area.isVisible():  # else it is another page's line
            self._status.show_snapshot(now.plot.snapshot)
        if now.story is not before.story and now.story != before.story:
            self.story_changed.emit(now.story)
        if now.actions != before.actions:
            self._apply_actions(now)

    def _apply_plot(self, now: PlotShown, before: PlotShown | None) -> None:
        panel = self._plots.panel
        if panel is None:
            return
        if before is None or now.truth != before.truth:
            panel.set_truth(now.truth)
        panel.show_waiting(now.waiting)
        if before is None or now.snapshot is not before.snapshot or now.title != before.title:
            panel.show_snapshot(now.snapshot, now.title, now.ended)
        if before is None or now.highlight != before.highlight:
            panel.set_highlight(now.highlight)

    def _apply_actions(self, now: Shown) -> None:
        for name, would in now.actions:
            self._actions[name].setEnabled(would)
        self._column.row.show_applying(quiet=now.quiet)

    # What comes anew

    def _adopt_board(self) -> None:
        board = self._area.board
        board.move_chosen.connect(self._controller.human_move)
        board.move_hovered.connect(self._on_board_pointed)

    def _adopt_plot(self) -> None:
        panel = self._plots.panel
        assert panel is not None
        panel.move_hovered.connect(self._on_plot_pointed)
        self._refresh()

    # What is pointed at

    def _point(self, pointer: Pointer) -> None:
        self._pointer = pointer
        self._refresh()

    def _on_board_pointed(self, move: Move | None) -> None:
        self._point(replace(self._pointer, board=move))

    def point_at_line(self, line: tuple[Move, ...]) -> None:
        """A line of the search shown is pointed at; empty: none is."""
        self._point(replace(self._pointer, line=line))

    def _on_plot_pointed(self, move: Move | None) -> None:
        panel = self._plots.panel
        searched = None if panel is None else panel.searched
        if move is None or searched is None:
            self._return_soon.start()
            self._point(replace(self._pointer, plot=None))
        else:
            self._return_soon.stop()
            self._point(replace(self._pointer, searched=searched, plot=move))

    def _return(self) -> None:
        """Show the position of the game again."""
        self._point(replace(self._pointer, searched=None, plot=None))
