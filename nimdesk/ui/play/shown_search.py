"""The moment of the game that is shown: its position, its search on board and plot, and what is pointed at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QThread, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from nimdesk.games import Move
from nimdesk.games.truth import Truth
from nimdesk.search import Snapshot
from nimdesk.ui.boards import BoardPlace, BoardView
from nimdesk.ui.boards.base import overlay_of
from nimdesk.ui.jobs.bridge import Bridge, Job, Turns
from nimdesk.ui.jobs.qt_types import type_steps
from nimdesk.ui.look.move_marks import MoveColors
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import SearchStatus, label
from nimdesk.ui.play.controller import GameController, Shown
from nimdesk.ui.play.thinking import search_of

if TYPE_CHECKING:
    from nimdesk.ui.plots.convergence import ConvergencePanel

_RETURN_MS = 200
_BESIDE = (
    *("numpy", "pydoc", "cProfile", "multiprocessing.connection", "xml.etree.ElementTree", "html", "csv"),
    "nimdesk.search.timeline",
)
"""What the panel and pyqtgraph take that knows no Qt, a third of the time that they need."""
_PIECES = ("nimdesk.ui.plots.axes", "nimdesk.ui.plots.frame", "nimdesk.ui.plots.canvas", "nimdesk.ui.plots.convergence")
"""What the panel is made of, in the order of their needs; the first brings pyqtgraph."""
_OFFER = "New here? In three minutes you see a search be wrong about Nim, and then right."


class TourOffer(QFrame):
    """One line that offers the guided look; it waits for an answer and is in nobody's way."""

    answered = Signal(bool)
    """Whether the person wants to be guided."""

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


class PlotHolder(QWidget):
    """The place of the convergence panel: empty at the first paint, filled when pyqtgraph has been loaded.

    What it was told before ``load``, the panel is told then.
    """

    move_hovered = Signal(object)
    """The ``Move`` that the mouse points at in the plot or its legend; None when there is none."""
    paused_changed = Signal(bool)
    """The plot was frozen, or goes on."""
    state_changed = Signal()
    """Axes or view changed."""
    loaded = Signal()
    """``load_soon`` is done: the panel is there, or the place says why it cannot be."""
    tour_wanted = Signal()
    """A person who was offered the guided look wants it."""

    def __init__(self, colors: MoveColors, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colors = colors
        self.panel: ConvergencePanel | None = None
        """The panel; None before ``load``."""
        self.offer: TourOffer | None = None
        """The offer of the guided look, while it waits for an answer."""
        self._shown: tuple[Snapshot | None, str] = (None, "")
        self._truth: Truth | None = None
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
        panel.move_hovered.connect(self.move_hovered)
        panel.toolbar.pause.toggled.connect(self.paused_changed)
        panel.state_changed.connect(self.state_changed)
        self._layout.replaceWidget(self._loading, panel)
        self._loading.hide()  # a dialog at the start puts its deletion off
        self._loading.deleteLater()
        self.panel = panel
        panel.set_truth(self._truth)
        panel.show_snapshot(*self._shown)

    def offer_tour(self) -> None:
        """Offer the guided look above the plot."""
        self.offer = TourOffer()
        self.offer.answered.connect(self._on_answered)
        self._layout.insertWidget(0, self.offer)

    def _on_answered(self, yes: bool) -> None:
        if self.offer is not None:
            self.offer.hide()
            self.offer.deleteLater()
            self.offer = None
        if yes:
            self.tour_wanted.emit()

    def show_snapshot(self, snapshot: Snapshot | None, title: str) -> None:
        """Show this search."""
        self._shown = (snapshot, title)
        if self.panel is not None:
            self.panel.show_snapshot(snapshot, title)

    @property
    def searched(self) -> Snapshot | None:
        """The search that is drawn; None where there is none."""
        return None if self.panel is None else self.panel.searched

    def set_highlight(self, move: Move | None) -> None:
        """Mark the move that is pointed at elsewhere."""
        if self.panel is not None:
            self.panel.set_highlight(move)

    def set_truth(self, truth: Truth | None) -> None:
        """Show what is proven beside what is estimated; None shows nothing."""
        self._truth = truth
        if self.panel is not None:
            self.panel.set_truth(truth)

    def set_paused(self, paused: bool) -> None:
        """Freeze the plot, or let it go on."""
        if self.panel is not None:
            self.panel.set_paused(paused)

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


class ShownSearch(QObject):
    """Keeps board, plot and status line at one moment of the game and of its search.

    All of one frame comes from one snapshot, and is drawn in one turn of the event loop: in turns while the search
    runs, at once for a search of before, and when one is ended as soon as buttons and board have answered. What is
    pointed at in the plot is marked on the board, and the other way round, where both are of the same position. Else
    the board shows the position that was searched, with what the search knew of its moves, for as long as somebody
    points at one of them in the plot.
    """

    frame_shown = Signal(object)
    """The ``Snapshot`` (or None) that board, status line and plot show from now on: show the same."""

    def __init__(
        self,
        controller: GameController,
        colors: MoveColors,
        where: tuple[BoardPlace, SearchStatus, PlotHolder],
        *,
        overlay: bool,
        parent: QObject,
    ) -> None:
        """``colors`` are those of the plot; ``overlay`` is whether visit shares are drawn on the board.

        It ends with ``parent``, the window: its turns must not outlive what they draw on.
        """
        super().__init__(parent)
        self._controller, self._colors = controller, colors
        self._area, self._status, self._plots = where
        self._overlay, self._animated, self._number = overlay, True, "share"
        self._shown = controller.shown
        self._colored: object = None
        self._live = False
        self._truth: Truth | None = None
        self._truth_of_search: Truth | None = None
        self._elsewhere: Snapshot | None = None
        self._line: tuple[Move, ...] = ()
        self._turns = Turns((self._show,), self)
        # Between one curve and the next the pointer is at neither.
        self._return_soon = QTimer(self, singleShot=True, interval=_RETURN_MS)
        self._return_soon.timeout.connect(self._return)
        controller.position_changed.connect(self._on_position)
        controller.snapshot_changed.connect(self._follow)
        controller.state_changed.connect(self._show_turn)
        controller.suggestion_changed.connect(self._show_turn)
        self._plots.move_hovered.connect(self._on_plot_pointed)
        self._area.board_replaced.connect(self._adopt_board)
        LOOK.changed.connect(self._draw_overlay)
        self._adopt_board()
        self._on_position(False)

    # What a person sets

    def set_overlay(self, shown: bool) -> None:
        """Whether visit shares are drawn on the board."""
        self._overlay = shown
        self._draw_overlay()

    def set_number(self, number: str) -> None:
        """Which number a move shows on the board: ``share``, ``visits``, ``value`` or ``none``."""
        self._number = number
        self._board.set_overlay_style(number)

    def set_animated(self, animated: bool) -> None:
        """Whether moves are animated."""
        self._animated = animated
        self._board.set_animation_enabled(animated)

    def set_truth(self, truth: Truth | None, of_search: Truth | None) -> None:
        """Show what is proven of the position on the board, and of the position searched; None shows nothing."""
        self._truth, self._truth_of_search = truth, of_search
        self._board.set_truth(truth if self._elsewhere is None else of_search)
        self._plots.set_truth(of_search)

    def show_line(self, moves: tuple[Move, ...]) -> None:
        """Number the moves of this line of play, from the position of the game on, until there is another position."""
        self._line = moves
        self._board.set_line(moves)

    def draw_now(self) -> None:
        """Show the newest snapshot everywhere at once, as a picture needs it."""
        self._turns.finish()

    # One frame

    @property
    def _board(self) -> BoardView:
        return self._area.board

    def _follow(self) -> None:
        snapshot = self._controller.shown_snapshot
        lived, self._live = self._live, snapshot is not None and snapshot.stopped is None
        if self._live:
            self._turns.ask()
        elif lived and search_of(snapshot) == self._colored:
            self._turns.soon()
        else:
            self._turns.finish()

    def _show(self) -> None:
        """Give the moves of the newest snapshot their colours, and show it everywhere."""
        shown = self._shown = self._controller.shown
        snapshot = shown.snapshot
        search = search_of(snapshot)
        if search != self._colored:
            self._return()
            self._colors.reset()
            self._colored = search
        if snapshot is not None:
            self._colors.update(snapshot)
        self._draw_overlay()
        if self._area.isVisible():  # else the line belongs to another page
            self._status.show_snapshot(snapshot)
        self._plots.show_snapshot(snapshot, shown.title)
        self.frame_shown.emit(snapshot)

    def _draw_overlay(self) -> None:
        searched = self._elsewhere or (self._shown.snapshot if self._shown.here else None)
        self._board.set_overlay(overlay_of(searched, self._colors) if self._overlay else None)
        snapshot = self._shown.snapshot if self._overlay else None
        self._board.set_pairs(() if snapshot is None else snapshot.pairs_at(self._board.position))

    # The board

    def _adopt_board(self) -> None:
        board = self._board
        board.set_overlay_style(self._number)
        board.set_animation_enabled(self._animated)
        board.set_truth(self._truth)
        board.move_chosen.connect(self._controller.human_move)
        board.move_hovered.connect(self._on_board_pointed)

    def _on_position(self, animate: bool) -> None:
        self._return()
        self._shown = Shown(None, "", here=False)  # until the search of now is drawn
        self._board.set_overlay(None)
        self._board.set_pairs(())
        self.show_line(())
        self._board.set_position(self._controller.position, animate=animate and self._animated)
        self._show_turn()

    def _show_turn(self) -> None:
        """Whether a person may move, and what is suggested; neither where another position is shown."""
        here = self._elsewhere is None
        self._board.set_interactive(here and self._controller.person_to_move)
        self._board.set_suggestion(self._controller.suggestion if here else None)

    # What is pointed at

    def _on_board_pointed(self, move: Move | None) -> None:
        searched = self._plots.searched
        same = searched is not None and searched.position == self._board.position
        self._plots.set_highlight(move if same else None)

    def _on_plot_pointed(self, move: Move | None) -> None:
        searched = self._plots.searched
        if move is None or searched is None or type(searched.position) is not type(self._board.position):
            self._board.set_highlight(None)
            self._board.set_line(self._line if self._elsewhere is None else ())
            self._return_soon.start()
            return
        self._return_soon.stop()
        if searched.position != self._board.position:
            self._show_elsewhere(searched)
        self._board.set_highlight(move)
        stats = searched.stats_of(move)
        self._board.set_line(() if stats is None else stats.principal_variation)

    def _show_elsewhere(self, searched: Snapshot) -> None:
        self._elsewhere = searched
        self._show_turn()
        self._board.set_overlay(None)
        self._board.set_position(searched.position)
        self._board.set_truth(self._truth_of_search)
        self._draw_overlay()
        self._controller.say_aside(
            f"The board shows the position of this search, before move {searched.position.ply + 1}."
        )

    def _return(self) -> None:
        """Show the position of the game again."""
        self._return_soon.stop()
        if self._elsewhere is None:
            return
        self._elsewhere = None
        self._board.set_highlight(None)
        self._board.set_line(())
        self._board.set_overlay(None)
        self._board.set_position(self._controller.position)
        self._board.set_truth(self._truth)
        self._draw_overlay()
        self._show_turn()
        self._controller.say_aside("")
