"""The search of the game that is shown: its moves' colours, on the board, in the status line and on the plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from nimdesk.games import Move
from nimdesk.games.truth import Truth
from nimdesk.search import Snapshot
from nimdesk.ui.boards import BoardPlace, OverlayItem
from nimdesk.ui.boards.overlay import overlay_of
from nimdesk.ui.jobs.bridge import Turns
from nimdesk.ui.look.move_marks import MoveColors
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import SearchStatus, label
from nimdesk.ui.play.controller import GameController

if TYPE_CHECKING:
    from nimdesk.ui.plots.convergence import ConvergencePanel


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

    def __init__(self, colors: MoveColors, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colors = colors
        self.panel: ConvergencePanel | None = None
        """The panel; None before ``load``."""
        self._shown: tuple[Snapshot | None, str] = (None, "")
        self._truth: Truth | None = None
        self._state: dict[str, str | bool] = {}
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._loading = label("Loading the plots…", role="muted")
        self._loading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._layout.addWidget(self._loading)

    def load(self) -> None:
        """Load pyqtgraph (a third of a second) and put the panel in place."""
        if self.panel is not None:
            return
        from nimdesk.ui.plots.convergence import ConvergencePanel  # lazy: pyqtgraph only after the first paint

        panel = ConvergencePanel(self._colors)
        panel.restore(self._state)
        panel.move_hovered.connect(self.move_hovered)
        panel.toolbar.pause.toggled.connect(self.paused_changed)
        panel.state_changed.connect(self.state_changed)
        self._layout.replaceWidget(self._loading, panel)
        self._loading.deleteLater()
        self.panel = panel
        panel.set_truth(self._truth)
        panel.show_snapshot(*self._shown)

    def show_snapshot(self, snapshot: Snapshot | None, title: str) -> None:
        """Show this search."""
        self._shown = (snapshot, title)
        if self.panel is not None:
            self.panel.show_snapshot(snapshot, title)

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


class ShownSearch(QObject):
    """Follows the controller's snapshots: in turns while the search runs, at once when it has ended."""

    frame_shown = Signal(object)
    """The ``Snapshot`` (or None) that is on the board and in the status line now: show the same."""

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
        self._overlay = overlay
        self._colored: object = None
        self._turns = Turns((self._show_figures, self._show_curves), self)
        controller.snapshot_changed.connect(self._follow)
        LOOK.changed.connect(self._draw_overlay)

    def set_overlay(self, shown: bool) -> None:
        """Whether visit shares are drawn on the board."""
        self._overlay = shown
        self._draw_overlay()

    def draw_now(self) -> None:
        """Show the newest snapshot everywhere at once, as a picture needs it."""
        self._turns.finish()
        if self._plots.panel is not None:
            self._plots.panel.catch_up()

    def _follow(self) -> None:
        snapshot = self._controller.shown_snapshot
        if snapshot is None or snapshot.stopped is not None:
            self._turns.finish()
        else:
            self._turns.ask()

    def _show_figures(self) -> None:
        """Give the moves of the newest snapshot their colours; show its figures on the board and in the status line."""
        snapshot = self._controller.shown_snapshot
        search = None if snapshot is None else (snapshot.position, snapshot.seed, snapshot.agent)
        if search != self._colored:
            self._colors.reset()
            self._colored = search
        if snapshot is not None:
            self._colors.update(snapshot)
        self._draw_overlay()
        if self._area.isVisible():  # else the line belongs to another page
            self._status.show_snapshot(snapshot, slow_motion=self._controller.slowed_down)
        self.frame_shown.emit(snapshot)

    def _show_curves(self) -> None:
        self._plots.show_snapshot(self._controller.shown_snapshot, self._controller.shown_title)

    def _draw_overlay(self) -> None:
        self._area.board.set_overlay(self._overlay_items())

    def _overlay_items(self) -> dict[Move, OverlayItem] | None:
        snapshot = self._controller.shown_snapshot
        if not self._overlay or snapshot is None or snapshot.position != self._controller.position:
            return None
        return overlay_of(snapshot, self._colors)
