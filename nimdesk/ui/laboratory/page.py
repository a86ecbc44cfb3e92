"""The laboratory's page: panels around one model, and their remembered state; a new panel is one line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QTabWidget, QVBoxLayout, QWidget

from nimdesk.errors import StillLoadingError
from nimdesk.play.laboratory import LabShown
from nimdesk.search.timeline import Cost
from nimdesk.ui.laboratory.agents_panel import AgentsPanel
from nimdesk.ui.laboratory.board_panel import BoardPanel, PositionBar, TheoryPanel
from nimdesk.ui.laboratory.display import LabDisplay
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.moves_table import MovesTable
from nimdesk.ui.laboratory.run_bar import RunBar, button_for
from nimdesk.ui.laboratory.scrubber import Scrubber
from nimdesk.ui.laboratory.stepping_panel import SteppingPanel
from nimdesk.ui.laboratory.studied import Studied
from nimdesk.ui.laboratory.tree_panel import TreePanel
from nimdesk.ui.laboratory.views_panel import ViewsPanel
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.widgets import announce, arrange, spoken
from nimdesk.ui.plots.frame import Axis

P = TypeVar("P", bound=QWidget)


@dataclass(frozen=True)
class Tab(Generic[P]):
    """A panel below the views: its title, its factory, and the part of it that gets the keyboard when opened by key."""

    title: str
    panel: Callable[[Laboratory], P]
    keyboard: Callable[[P], QWidget]


TABS: tuple[Tab[Any], ...] = (
    Tab("&Moves", MovesTable, lambda panel: panel),
    Tab("&Search tree", TreePanel, lambda panel: panel.list),
    Tab("One sim&ulation", SteppingPanel, lambda panel: panel.table),
    Tab("Theor&y", TheoryPanel, lambda panel: panel.text),
)
_LEAST = QSize(200, 70)
"""The least room of a panel."""
_LOW = 760
"""Below this height in pixels, a single plot leaves more of the page to the panels than two above each other."""
_PLOTS, _LOW_PLOT = 0.68, 0.6
"""The plots' part of the height, whichever panel is open: the tabs must not move when one is clicked."""
_SPEAK_MS = 400
"""What is shown is read out once it has stayed the same for so long."""


class LaboratoryPage(QWidget):
    """Position and run bars on top; board and agents on the left; views, scrubber and tabs of panels on the right."""

    play_wanted = Signal(object)
    """The person wants to play a game from this position."""
    certificate_wanted = Signal(object)
    """The person wants to play against the certificate of this position."""

    def __init__(self, model: Laboratory, actions: ActionSet, parent: QWidget | None = None) -> None:
        """An empty page, for ``build``."""
        super().__init__(parent)
        self.setAccessibleName("Laboratory")
        self.model, self._actions = model, actions
        self._begun = False
        self._awaited: list[object] = []
        self._by_hand: set[QSplitter] = set()
        """The splitters that the person has moved."""
        self._spoken = self._to_speak = ""
        self._speak_timer = QTimer(self, singleShot=True, interval=_SPEAK_MS)
        self._speak_timer.timeout.connect(self._speak)

    def build(self) -> Iterator[None]:
        """Put everything into the page, in pieces that each take a moment; iterate once, to the end."""
        model, actions = self.model, self._actions
        self.position_bar = PositionBar(model.place, actions)
        self.run_bar = RunBar(model, actions)
        self.board_panel = BoardPanel(model, actions)
        yield
        self.agents = AgentsPanel(model, actions)
        self.views = ViewsPanel(model)
        for name, short in (("lab_log_y", "Log y"), ("lab_side", "Side by side")):
            actions[name].setIconText(short)
            self.views.panes[0].add_button(button_for(actions, name))
        self.scrubber = Scrubber(model, actions)
        yield
        self.tabs = QTabWidget(self)
        self.tabs.setTabBarAutoHide(True)
        self.tabs.setDocumentMode(True)
        self.panels: list[MovesTable | TreePanel | SteppingPanel | TheoryPanel] = []
        for tab in TABS:
            panel = tab.panel(model)
            panel.setMinimumSize(_LEAST)
            self.panels.append(panel)
            self.tabs.addTab(panel, tab.title)
            yield
        self.tabs.tabBar().installEventFilter(self)
        yield from self._lay_out()
        self.moves = self.panel(MovesTable)
        self._connect()
        self.display = LabDisplay(self)
        self.display.read.connect(self._speak_soon)
        self.tabs.currentChanged.connect(self.display.draw_now)

    def _connect(self) -> None:
        actions = self._actions
        self.panel(TheoryPanel).certificate_wanted.connect(self.certificate_wanted)
        actions.connect("lab_edit", self.edit_position)
        actions.connect("lab_play_from", self._play_from)
        actions["lab_two"].toggled.connect(self._on_two)
        for name, follow in (("lab_side", self.views.set_side), ("lab_log_y", self.views.set_log_y)):
            actions[name].toggled.connect(follow)
        for pane in self.views.panes:
            pane.view_changed.connect(self._on_views)
        actions["lab_truth"].setChecked(True)
        actions["lab_truth"].toggled.connect(self._on_truth)
        self._on_two(self.two_views)

    def _lay_out(self) -> Iterator[None]:
        plots = QWidget()
        arrange(QVBoxLayout(plots), self.views, self.scrubber, wide=self.views, margins=(0, 6, 8, 0), spacing=4)
        self.left = self._divided(Qt.Orientation.Vertical, self.board_panel, self.agents, wide=0)
        yield
        self.right = self._divided(Qt.Orientation.Vertical, plots, self.tabs, wide=0)
        yield
        self.columns = self._divided(Qt.Orientation.Horizontal, self.left, self.right, wide=1)
        self.agents.room_wanted.connect(self._share_left)
        yield
        bars = arrange(QVBoxLayout(), self.position_bar, self.run_bar, margins=(8, 6, 8, 2), spacing=5)
        arrange(QVBoxLayout(self), bars, self.columns, wide=self.columns, spacing=0)
        yield

    def _divided(self, orientation: Qt.Orientation, first: QWidget, second: QWidget, *, wide: int) -> QSplitter:
        splitter = QSplitter(orientation)
        splitter.addWidget(first)
        splitter.addWidget(second)
        splitter.setStretchFactor(wide, 1)
        splitter.setChildrenCollapsible(False)
        splitter.splitterMoved.connect(partial(self._on_moved, splitter))
        return splitter

    def panel(self, kind: type[P]) -> P:
        """The tab of this kind; there is one."""
        return next(panel for panel in self.panels if isinstance(panel, kind))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # A person who opens a panel by its letter wants to use it by keys, not to press Tab twenty times.
        if event.type() == QEvent.Type.Shortcut:
            QTimer.singleShot(0, self, self._enter_panel)
        return super().eventFilter(watched, event)

    def _enter_panel(self) -> None:
        # Not by a focus proxy: Tab would skip everything before that part.
        at = self.tabs.currentIndex()
        TABS[at].keyboard(self.panels[at]).setFocus(Qt.FocusReason.ShortcutFocusReason)

    # The person's actions

    def _on_two(self, two: bool) -> None:
        self.views.set_two(two)
        self._on_views()
        self._share_room()

    def _on_views(self) -> None:
        self._actions["lab_log_y"].setEnabled(self.views.may_log)

    def _on_truth(self, shown: bool) -> None:
        # No proof may delay the page before it is on the screen.
        if self._begun:
            self.model.proof.set_shown(shown)
            self.display.draw_now()

    @property
    def two_views(self) -> bool:
        return self._actions["lab_two"].isChecked()

    def set_two_views(self, two: bool) -> None:
        self._actions["lab_two"].setChecked(two)

    @property
    def truth_shown(self) -> bool:
        return self._actions["lab_truth"].isChecked()

    def set_truth_shown(self, shown: bool) -> None:
        """Show or hide what is proven."""
        self._actions["lab_truth"].setChecked(shown)

    def edit_position(self) -> None:
        """Set up piles or marks in a dialog."""
        from nimdesk.ui.dialogs import PositionEditor  # lazy: few people edit, and the page opens sooner

        dialog = PositionEditor(self.model.place.position, self.window())
        if dialog.exec():
            self.model.place.go_to(dialog.position)
        dialog.deleteLater()

    def _play_from(self) -> None:
        self.play_wanted.emit(self.model.place.position)

    # Reading out

    @property
    def spoken(self) -> str:
        """All that is shown in words: whose turn it is, what the search has come to, and what is proven."""
        panel = self.board_panel
        truth = panel.truth_line.text() if panel.truth_line.isVisible() else ""
        return spoken(panel.headline.text(), panel.sentence.text(), truth)

    def _speak_soon(self, now: LabShown) -> None:
        # A running search changes its mind many times a second; it is read out when it stops.
        words = "" if now.at.running or now.at.focused.newest is None else now.sentence
        if words != self._to_speak:
            self._to_speak = words
            self._speak_timer.start()

    def _speak(self) -> None:
        if self._to_speak not in ("", self._spoken) and self.isVisible():
            self._spoken = self._to_speak
            announce(self, self._spoken)

    # Room

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._begun:
            self._begun = True
            self.model.proof.set_shown(self.truth_shown)
            self._share_room()
        # Parts that could not be seen have drawn nothing.
        self.display.draw_now()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        # What nobody sees must not slow down a game; Continue goes on.
        if not event.spontaneous():
            self._actions["lab_play"].setChecked(False)
            self.model.searches.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def _on_moved(self, splitter: QSplitter, _place: int, _index: int) -> None:
        self._by_hand.add(splitter)

    def _share_room(self) -> None:
        """Divide the page, except what the person has divided."""
        if not self._begun:
            return
        width, height = self.width(), self.height()
        left = max(300, min(round(width * 0.4), round(height * 0.72)))
        if self.columns not in self._by_hand:
            self.columns.setSizes([left, width - left])
        if self.right not in self._by_hand:
            plots = _LOW_PLOT if height < _LOW and not self.two_views else _PLOTS
            self.right.setSizes([round(height * plots), round(height * (1 - plots))])
        self._share_left()

    def _share_left(self) -> None:
        """Give the agents what they need, up to less than half; the rest is for the board."""
        if self._begun and self.left not in self._by_hand:
            height = self.left.height() - self.left.handleWidth()
            agents = min(self.agents.needed_height, round(height * 0.45))
            self.left.setSizes([height - agents, agents])

    # What is remembered between starts: agents, seeds, axis, limits, views; not the results

    def remember(self) -> dict[str, object]:
        """The remembered state as plain JSON values."""
        model, searches = self.model, self.model.searches
        return {
            "agents": [
                *({**each.agent.to_json(), "seed": each.seed} for each in model.agents.studied),
                *self._awaited,
            ],
            "axis": searches.axis.cost.value,
            "log": searches.axis.log,
            "limits": {cost.value: limit for cost, limit in searches.limits.items()},
            "views": self.views.state(),
            "two_views": self.two_views,
            "side_by_side": self._actions["lab_side"].isChecked(),
            "log_y": self._actions["lab_log_y"].isChecked(),
            "truth": self.truth_shown,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what ``remember`` returned; anything missing or wrong stays as it is."""
        searches = self.model.searches
        if agents := self._studied(_list(state.get("agents"))):
            self.model.agents.set_all(tuple(agents))
        costs = {cost.value: cost for cost in Cost}
        limits = state.get("limits")
        for name, limit in (limits if isinstance(limits, dict) else {}).items():
            if name in costs and (limit is None or (_is_number(limit) and 0.01 <= limit <= 1e9)):
                searches.set_limit_of(costs[name], None if limit is None else float(limit))
        log = state.get("log")
        cost = costs.get(str(state.get("axis")), searches.axis.cost)
        searches.set_axis(Axis(cost, log if isinstance(log, bool) else searches.axis.log))
        self.views.restore([str(key) for key in _list(state.get("views"))])
        setters: tuple[tuple[str, Callable[[bool], None]], ...] = (
            ("two_views", self.set_two_views),
            ("side_by_side", self._actions["lab_side"].setChecked),
            ("log_y", self._actions["lab_log_y"].setChecked),
            ("truth", self.set_truth_shown),
        )
        for key, setter in setters:
            value = state.get(key)
            if isinstance(value, bool):
                setter(value)

    def seat_awaited(self) -> None:
        """Study the agents of plug-ins that were still being loaded, and have come."""
        awaited, self._awaited = self._awaited, []
        if agents := self._studied(awaited):
            self.model.agents.set_all((*self.model.agents.studied, *agents))

    def _studied(self, remembered: list[object]) -> list[Studied]:
        """The agents that are known; those whose plug-ins are still loading are noted."""
        agents = []
        for data in remembered:
            try:
                agents.append(Studied.from_json(data))
            except StillLoadingError:
                self._awaited.append(data)
        return [each for each in agents if each is not None]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
