"""The place of the convergence panel: empty at the first paint, filled when pyqtgraph has been loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from nimdesk.games import Move
from nimdesk.games.truth import Truth
from nimdesk.search import Snapshot
from nimdesk.ui.look.move_colors import MoveColors
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.look.widgets import label

if TYPE_CHECKING:
    from nimdesk.ui.plots.convergence import ConvergencePanel


class PlotHolder(QWidget):
    """Has the convergence panel's methods from the start; what it was told before ``load`` is caught up with."""

    move_hovered = Signal(object)
    """The ``Move`` that the mouse points at in the plot or its legend; None when there is none."""
    paused_changed = Signal(bool)
    """The plot was frozen, or goes on."""
    state_changed = Signal()
    """Axes or view changed."""

    def __init__(self, theme: Theme, colors: MoveColors, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._colors = theme, colors
        self._panel: ConvergencePanel | None = None
        self._shown: tuple[Snapshot | None, str] = (None, "")
        self._truth: Truth | None = None
        self._state: dict[str, str | bool] = {}
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._loading = label("Loading the plots…", role="muted")
        self._loading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._layout.addWidget(self._loading)

    @property
    def panel(self) -> ConvergencePanel | None:
        """The panel; None before ``load``."""
        return self._panel

    def load(self) -> None:
        """Load pyqtgraph (a third of a second) and put the panel in place."""
        if self._panel is not None:
            return
        from nimdesk.ui.plots.convergence import ConvergencePanel  # lazy: pyqtgraph only after the first paint

        panel = ConvergencePanel(self._theme, self._colors)
        panel.restore(self._state)
        panel.move_hovered.connect(self.move_hovered)
        panel.toolbar.pause.toggled.connect(self.paused_changed)
        panel.state_changed.connect(self.state_changed)
        self._layout.replaceWidget(self._loading, panel)
        self._loading.deleteLater()
        self._panel = panel
        panel.set_truth(self._truth)
        panel.show_snapshot(*self._shown)

    def show_snapshot(self, snapshot: Snapshot | None, title: str) -> None:
        """Show this search, once ``release`` is called."""
        self._shown = (snapshot, title)
        if self._panel is not None:
            self._panel.show_snapshot(snapshot, title, held=True)

    def release(self) -> None:
        """Paint what was shown."""
        if self._panel is not None:
            self._panel.release()

    def set_highlight(self, move: Move | None) -> None:
        """Mark the move that is pointed at elsewhere."""
        if self._panel is not None:
            self._panel.set_highlight(move)

    def set_truth(self, truth: Truth | None) -> None:
        """Show what is proven beside what is estimated; None shows nothing."""
        self._truth = truth
        if self._panel is not None:
            self._panel.set_truth(truth)

    def set_paused(self, paused: bool) -> None:
        """Freeze the plot, or let it go on."""
        if self._panel is not None:
            self._panel.set_paused(paused)

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self._theme = theme
        if self._panel is not None:
            self._panel.set_theme(theme)

    def state(self) -> dict[str, str | bool]:
        """Axes and view, for ``restore``."""
        return self._panel.state() if self._panel is not None else self._state

    def restore(self, state: dict[str, str | bool]) -> None:
        """Set axes and view."""
        self._state = dict(state)
        if self._panel is not None:
            self._panel.restore(state)
