"""The experiments page: tabs that share buttons, keys and menus, and one of solved boards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from msgspec import json
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from nimdesk.settings import MAX_DOCUMENT
from nimdesk.ui.experiments.atlas_tab import AtlasTab
from nimdesk.ui.experiments.matches_panel import MatchesPanel
from nimdesk.ui.experiments.panel import RunPanel
from nimdesk.ui.experiments.plan_form import FilledIn
from nimdesk.ui.experiments.solved_tab import SolvedTab
from nimdesk.ui.experiments.study_panel import StudyPanel
from nimdesk.ui.look.actions import ActionSet

TABS: tuple[type[RunPanel], ...] = (StudyPanel, MatchesPanel, AtlasTab)
"""The tabs of experiments that are run here, in their order."""
_ACTS: dict[str, Callable[[RunPanel], object]] = {
    "exp_start": lambda panel: panel.start(),
    "exp_pause": lambda panel: panel.runner.pause(),
    "exp_cancel": lambda panel: panel.cancel(),
    "exp_open": lambda panel: panel.opening.ask(),
    "exp_save": lambda panel: panel.exports.plan(),
    "exp_csv": lambda panel: panel.exports.tables(),
    "exp_picture": lambda panel: panel.exports.picture(),
    "exp_figure": lambda panel: panel.exports.figure(),
    "exp_command": lambda panel: panel.exports.command(),
    "exp_python": lambda panel: panel.exports.python(),
}
_P = TypeVar("_P", bound=RunPanel)


class ExperimentsPage(QWidget):
    """A tab for each of ``TABS``, and one of solved boards."""

    game_wanted = Signal(object)
    """The person opened this ``GameInProgress``."""
    certificate_wanted = Signal(object)
    """The person wants to play against the certificate of this position."""
    search_wanted = Signal(object)
    """The person opened this ``OpenedSearch``, for the laboratory."""
    told = Signal(str)
    """One sentence for the status line."""
    run_changed = Signal()
    """``under_way`` changed."""

    def __init__(self, actions: ActionSet, on_board: Callable[[], str]) -> None:
        """An empty page, for ``build``; ``on_board`` returns the position on the game's board, as text."""
        super().__init__()
        self.setAccessibleName("Experiments")
        self._actions, self._on_board = actions, on_board

    def build(self) -> Iterator[None]:
        """Put everything into the page, in pieces that each take a moment; do it once, and all of it."""
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.panels: list[RunPanel] = []
        for make in TABS:
            panel = make(self._actions, self._on_board)
            self.panels.append(panel)
            yield from panel.build()
            self.tabs.addTab(panel, panel.title)
            panel.told.connect(self.told)
            panel.abilities_changed.connect(self._show_abilities)
            panel.run_changed.connect(self.run_changed)
            panel.search_wanted.connect(self.search_wanted)
            panel.game_wanted.connect(self.game_wanted)
            yield
        self.solved = SolvedTab()
        self.tabs.addTab(self.solved, "Solved boards")
        self.solved.told.connect(self.told)
        self.solved.game_wanted.connect(self.game_wanted)
        self.solved.certificate_wanted.connect(self.certificate_wanted)
        yield
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2, 0, 0)
        layout.addWidget(self.tabs)
        self.tabs.currentChanged.connect(self._show_abilities)
        for name, act in _ACTS.items():
            self._actions.connect(name, partial(self._do, act))
        self._show_abilities()

    def panel(self, kind: type[_P]) -> _P:
        """The tab of this type."""
        return next(each for each in self.panels if isinstance(each, kind))

    @property
    def _filled(self) -> dict[str, FilledIn]:
        return {panel.kept_as: panel.filled for panel in self.panels if panel.filled is not None}

    @property
    def current(self) -> RunPanel | None:
        """The tab shown, if it is one of runs."""
        shown = self.tabs.currentWidget()
        return shown if isinstance(shown, RunPanel) else None

    @property
    def under_way(self) -> tuple[float, str] | None:
        """The share that is done of the run under way, of several the one that is least far, and how far in words."""
        runs = [run for panel in self.panels if (run := panel.shown.under_way) is not None]
        return (min(share for share, _ in runs), "; ".join(text for _, text in runs)) if runs else None

    def _do(self, act: Callable[[RunPanel], object]) -> None:
        if self.current is not None:
            act(self.current)

    def _show_abilities(self) -> None:
        current = self.current
        if current is None:
            for name in _ACTS:
                self._actions[name].setEnabled(False)
            return
        had_keyboard = next((button for button in current.head.buttons if button.hasFocus()), None)
        for name, able in current.abilities().items():
            self._actions[name].setEnabled(able)
        if had_keyboard is not None and not had_keyboard.isEnabled():
            # After Start the keyboard is on Pause, and after Pause on Start; never on Cancel, where a second press
            # would do harm.
            other = next((button for button in current.head.buttons[:2] if button.isEnabled()), None)
            if other is not None:
                other.setFocus(Qt.FocusReason.TabFocusReason)
        if self._actions["exp_start"].text() != current.start_text:
            self._actions["exp_start"].setText(current.start_text)

    def remember(self) -> dict[str, str]:
        """What is filled in and not used, for ``restore``; nothing that the settings have no room for."""
        found = {name: filled.remember() for name, filled in self._filled.items()}
        return {name: text for name, text in found.items() if text and len(json.encode(text)) <= MAX_DOCUMENT}

    def restore(self, kept: dict[str, str]) -> None:
        """Fill it in again."""
        for name, filled in self._filled.items():
            filled.restore(kept.get(name, ""))

    def seat_awaited(self) -> None:
        """Agents of plug-ins have come."""
        for filled in self._filled.values():
            filled.seat_awaited()

    def hold(self, held: bool) -> None:
        """Pause the run while a search is watched."""
        for panel in self.panels:
            panel.runner.hold(held)

    def shutdown(self) -> None:
        """End all threads; call it after the window is hidden."""
        for panel in self.panels:
            panel.shutdown()
        self.solved.shutdown()
