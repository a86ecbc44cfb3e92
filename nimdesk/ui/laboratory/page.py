"""The laboratory's page: panels around one model; a new panel is one line here."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QTabWidget, QVBoxLayout, QWidget

from nimdesk.ui.jobs.turns import Turns
from nimdesk.ui.laboratory.agents_panel import AgentsPanel
from nimdesk.ui.laboratory.bars import PositionBar, RunBar
from nimdesk.ui.laboratory.board_panel import BoardPanel
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.moves_table import MovesTable
from nimdesk.ui.laboratory.scrubber import Scrubber
from nimdesk.ui.laboratory.speaking import Speaker
from nimdesk.ui.laboratory.stepping_panel import SteppingPanel
from nimdesk.ui.laboratory.theory_panel import TheoryPanel
from nimdesk.ui.laboratory.tree_panel import TreePanel
from nimdesk.ui.laboratory.views_panel import ViewsPanel
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.theme import Theme

_LOW = 760
"""Below this height in pixels two plots above each other get more of the page, and so do panels of many parts."""
_PLOTS = 0.68
_LOW_PLOTS = {(True, False): 0.77, (False, False): 0.68, (True, True): 0.65, (False, True): 0.6}
"""The part of the height that is for plots, in a low window: for two of them, beside a panel of many parts."""


class LaboratoryPage(QWidget):
    """Position and run bars on top; board and agents on the left; views, scrubber and tabs of panels on the right."""

    play_wanted = Signal(object)
    """A person wants to play a game from this position."""

    def __init__(self, model: Laboratory, actions: ActionSet, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Laboratory")
        self.model, self._actions, self._theme = model, actions, theme
        self._begun = False
        self._entered_at: dict[QWidget, QWidget] = {}
        self._by_hand: set[QSplitter] = set()
        """Those that a person has moved."""
        self.position_bar = PositionBar(model, actions)
        self.run_bar = RunBar(model, actions, theme)
        self.board_panel = BoardPanel(model, theme)
        self.agents = AgentsPanel(model, actions, theme)
        self.views = ViewsPanel(model, theme)
        self.scrubber = Scrubber(model, actions)
        self.moves = MovesTable(model, theme)
        self.tabs = QTabWidget()
        self.tabs.setTabBarAutoHide(True)
        self.tabs.setDocumentMode(True)
        self.add_panel("&Moves", self.moves)
        self.tree = TreePanel(model, theme)
        self.add_panel("&Search tree", self.tree, self.tree.list)
        self.stepping = SteppingPanel(model, theme)
        self.stepping.stepped.connect(self.tree.show_step)
        self.add_panel("One sim&ulation", self.stepping, self.stepping.table)
        self.theory = TheoryPanel(model)
        self.add_panel("Theor&y", self.theory, self.theory.text)
        self.tabs.currentChanged.connect(self._share_room)
        self.tabs.tabBar().installEventFilter(self)
        self._lay_out()
        self._turns = Turns((*self.board_panel.steps, *self.views.steps, self.moves.follow), self)
        self._drawn_truth: object = None
        model.results_changed.connect(self._follow)
        model.truth_changed.connect(self._follow_truth)
        actions.connect("lab_edit", self.edit_position)
        actions.connect("lab_play_from", self._play_from)
        actions["lab_two"].toggled.connect(self._on_two)
        actions["lab_truth"].setChecked(model.truth_shown)
        actions["lab_truth"].toggled.connect(model.set_truth_shown)
        self.views.set_two(actions["lab_two"].isChecked())
        self._speaker = Speaker(model, self)

    def _lay_out(self) -> None:
        self.left, self.right = QSplitter(Qt.Orientation.Vertical), QSplitter(Qt.Orientation.Vertical)
        self.left.addWidget(self.board_panel)
        self.left.addWidget(self.agents)
        self.left.setStretchFactor(0, 1)
        plots = QWidget()
        column = QVBoxLayout(plots)
        column.setContentsMargins(0, 6, 8, 0)
        column.setSpacing(4)
        column.addWidget(self.views, 1)
        column.addWidget(self.scrubber)
        self.right.addWidget(plots)
        self.right.addWidget(self.tabs)
        self.right.setStretchFactor(0, 1)
        self.columns = QSplitter(Qt.Orientation.Horizontal)
        self.columns.addWidget(self.left)
        self.columns.addWidget(self.right)
        self.columns.setStretchFactor(1, 1)
        for splitter in (self.left, self.right, self.columns):
            splitter.setChildrenCollapsible(False)
            splitter.splitterMoved.connect(partial(self._on_moved, splitter))
        self.agents.room_wanted.connect(self._share_left)
        bars = QVBoxLayout()
        bars.setContentsMargins(8, 6, 8, 2)
        bars.setSpacing(5)
        bars.addWidget(self.position_bar)
        bars.addWidget(self.run_bar)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bars)
        layout.addWidget(self.columns, 1)
        self.agents.order_keys()

    def add_panel(self, title: str, panel: QWidget, keyboard: QWidget | None = None) -> None:
        """One more tab below the views; ``keyboard`` is the part of it that has the keys when it is opened by key."""
        # A focus proxy would make Tab pass over all that stands before that part.
        self._entered_at[panel] = keyboard or panel
        self.tabs.addTab(panel, title)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Who opens a panel by its letter wants to use it by keys, not to press Tab twenty times.
        if event.type() == QEvent.Type.Shortcut:
            QTimer.singleShot(0, self, self._enter_panel)
        return super().eventFilter(watched, event)

    def _enter_panel(self) -> None:
        self._entered_at[self.tabs.currentWidget()].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of this look."""
        self._theme = theme
        for panel in (
            self.run_bar,
            self.board_panel,
            self.agents,
            self.views,
            self.moves,
            self.tree,
            self.stepping,
        ):
            panel.set_theme(theme)

    def _on_two(self, two: bool) -> None:
        self.views.set_two(two)
        self._share_room()

    @property
    def two_views(self) -> bool:
        """Whether two views are shown."""
        return self._actions["lab_two"].isChecked()

    def set_two_views(self, two: bool) -> None:
        """Show two views, or one."""
        self._actions["lab_two"].setChecked(two)

    def set_truth_shown(self, shown: bool) -> None:
        """Show what is proven, or leave it to guess."""
        self._actions["lab_truth"].setChecked(shown)

    def edit_position(self) -> None:
        """Set up piles or marks in a dialog."""
        from nimdesk.ui.dialogs.set_up import PositionEditor  # lazy: only who edits needs it

        dialog = PositionEditor(self.model.position, self.window())
        if dialog.exec():
            self.model.go_to(dialog.position)
        dialog.deleteLater()

    def _follow(self) -> None:
        """Board, views and table: one after the other, with rests while searches run."""
        if self.model.running:
            self._turns.ask()
        else:
            self._turns.hurry()

    def draw_now(self) -> None:
        """Draw at once what is still to be drawn, for who takes a picture of it."""
        if self._turns.active:
            self._turns.finish()

    def _follow_truth(self) -> None:
        """A proof under way tells eight times a second how far it is; what is drawn follows where it says more."""
        truth, proving = self.model.truth, self.model.proving
        told = proving, None if truth is None else (truth.position, truth.value, truth.moves)
        if told != self._drawn_truth:
            self._drawn_truth = told
            if proving:
                self._turns.ask()
            else:
                self._follow()

    def _play_from(self) -> None:
        self.play_wanted.emit(self.model.position)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._begun:
            self._begun = True
            self.model.begin()
            self._share_room()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        # What nobody sees must not slow down a game; Continue goes on.
        if not event.spontaneous():
            self._actions["lab_play"].setChecked(False)
            self.model.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def _on_moved(self, splitter: QSplitter, _place: int, _index: int) -> None:
        self._by_hand.add(splitter)

    def _share_room(self) -> None:
        """Divide the page, but leave alone what a person has divided."""
        if not self._begun:
            return
        width, height = self.width(), self.height()
        left = max(300, min(round(width * 0.4), round(height * 0.72)))
        if self.columns not in self._by_hand:
            self.columns.setSizes([left, width - left])
        if self.right not in self._by_hand:
            plots = _PLOTS
            if height < _LOW:
                # Two plots above each other need the room more than rows that can be scrolled.
                plots = _LOW_PLOTS[self.two_views, self.tabs.currentWidget() in (self.tree, self.stepping)]
            self.right.setSizes([round(height * plots), round(height * (1 - plots))])
        self._share_left()

    def _share_left(self) -> None:
        """The agents have what they need, up to less than half; the rest is for the board."""
        if self._begun and self.left not in self._by_hand:
            height = self.left.height() - self.left.handleWidth()
            agents = min(self.agents.needed_height, round(height * 0.45))
            self.left.setSizes([height - agents, agents])
