"""The search of the game that is shown: its moves' colours, on the board, in the status line and on the plot."""

from __future__ import annotations

from PySide6.QtCore import QObject

from nimdesk.games import Move
from nimdesk.ui.boards import OverlayItem
from nimdesk.ui.boards.area import BoardArea
from nimdesk.ui.boards.overlay import overlay_of
from nimdesk.ui.jobs.turns import Turns
from nimdesk.ui.look.move_colors import MoveColors
from nimdesk.ui.look.status import SearchStatus
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.play.controller import GameController
from nimdesk.ui.play.plot_holder import PlotHolder


class ShownSearch(QObject):
    """Follows the controller's snapshots: in turns while the search runs, at once when it has ended."""

    def __init__(
        self,
        controller: GameController,
        colors: MoveColors,
        theme: Theme,
        where: tuple[BoardArea, SearchStatus, PlotHolder],
        *,
        overlay: bool,
        parent: QObject,
    ) -> None:
        """``colors`` are those of the plot; ``overlay`` is whether visit shares are drawn on the board.

        It ends with ``parent``, the window: its turns must not outlive what they draw on.
        """
        super().__init__(parent)
        self._controller, self._colors, self._theme = controller, colors, theme
        self._area, self._status, self._plots = where
        self._overlay = overlay
        self._colored: object = None
        self._items: dict[Move, OverlayItem] | None = None
        steps = (self._read, self._show_figures, self._show_curves, self._plots.release)
        self._turns = Turns(steps, self)
        controller.snapshot_changed.connect(self._follow)

    def set_overlay(self, shown: bool) -> None:
        """Whether visit shares are drawn on the board."""
        self._overlay = shown
        self._area.board.set_overlay(self._overlay_items())

    def draw_now(self) -> None:
        """Show the newest snapshot everywhere at once, as a picture needs it."""
        self._turns.finish()
        if self._plots.panel is not None:
            self._plots.panel.catch_up()

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of this look."""
        self._theme = theme
        self._area.board.set_overlay(self._overlay_items())

    def _follow(self) -> None:
        snapshot = self._controller.shown_snapshot
        if snapshot is None or snapshot.stopped is not None:
            self._turns.finish()
        else:
            self._turns.ask()

    def _read(self) -> None:
        """Give the moves of the newest snapshot their colours, and prepare what the board shows of them."""
        snapshot = self._controller.shown_snapshot
        search = None if snapshot is None else (snapshot.position, snapshot.seed, snapshot.agent)
        if search != self._colored:
            self._colors.reset()
            self._colored = search
        if snapshot is not None:
            self._colors.update(snapshot)
        self._items = self._overlay_items()
        self._area.board.prepare_overlay(self._items)

    def _show_figures(self) -> None:
        """On the board and in the status line."""
        snapshot = self._controller.shown_snapshot
        live = snapshot is not None and snapshot.stopped is None
        self._area.board.set_overlay(self._items if self._overlay else None, in_parts=live)
        if self._area.isVisible():  # else the line belongs to another page
            self._status.show_snapshot(snapshot, slow_motion=self._controller.slowed_down)

    def _show_curves(self) -> None:
        self._plots.show_snapshot(self._controller.shown_snapshot, self._controller.shown_title)

    def _overlay_items(self) -> dict[Move, OverlayItem] | None:
        snapshot = self._controller.shown_snapshot
        if not self._overlay or snapshot is None or snapshot.position != self._controller.position:
            return None
        return overlay_of(snapshot, self._colors, self._theme)
