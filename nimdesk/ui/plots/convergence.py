"""The convergence panel of Play: the visits of every root move over iterations, live and after the search has ended."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QSizePolicy, QVBoxLayout, QWidget

from nimdesk.agents import CATALOGUE
from nimdesk.games import Move
from nimdesk.games.truth import Truth
from nimdesk.search.types import Snapshot
from nimdesk.ui.look.move_marks import MoveColors
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import label, tip
from nimdesk.ui.plots.example import ExampleView
from nimdesk.ui.plots.frame import Axis, Frame, View
from nimdesk.ui.plots.frame_plot import FramePlot
from nimdesk.ui.plots.history import line_keys, summary, title_line
from nimdesk.ui.plots.legend import LegendView
from nimdesk.ui.plots.pane import PlotPane
from nimdesk.ui.plots.toolbar import PlotToolbar

_SPEAK_S = 1.0
"""While a search runs, the description for screen readers changes no more often than this."""
_PLOT_LETTERS = 30
"""The least width of a plot beside a legend, in letters: numbers at its left, names at its right, curves in between."""
_ROOMY = 64
"""From this width in letters on the list is beside the plot, and the button of the menu says all."""
_LIST = 0.2
"""The part of the width for a list with more than moves and shares."""
_MARGIN = 2
_ANY = 16777215
"""Qt's largest size: no limit."""
_KEYS = {"x": ("log", "linear"), "y": ("share", "count", "mean"), "view": ("lines", "heat")}
"""What a person may choose, for the settings; the first is what there is at first, but for ``y``."""
_VIEWS = {
    ("share", "lines"): View.SHARE,
    ("count", "lines"): View.VISITS,
    ("share", "heat"): View.HEAT,
    ("count", "heat"): View.VISITS_HEAT,
    ("mean", "lines"): View.MEAN,
    ("mean", "heat"): View.MEAN_HEAT,
}
_KEY_TIP = (
    "What is proven, not estimated: the outcome of each move when both sides play perfectly after it, for the side "
    "that plays it. Numbers count plies (moves of either side) to the end of the game."
)


class ConvergencePanel(QWidget):
    """Shows the newest snapshot it was given; drawing happens only while the panel is visible and not paused.

    ``colors`` is shared with the board: whoever owns it calls ``colors.update(snapshot)`` before ``show_snapshot``.
    """

    move_hovered = Signal(object)
    """The ``Move`` whose curve, legend row or heat-map row is pointed at changed; None when there is none."""

    state_changed = Signal()
    """A person changed what ``state`` returns."""

    def __init__(self, colors: MoveColors, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Convergence")
        self.colors = colors
        self._chosen = {name: keys[0] for name, keys in _KEYS.items() if name != "y"}
        self._latest: tuple[Snapshot | None, str, Snapshot | None] = (None, "", None)
        self._waiting = ""
        self._truth: Truth | None = None
        self._frame = Frame()
        self._stale = False
        self._own: Move | None = None
        self._outer: Move | None = None
        self._spoken = 0.0
        self.toolbar = PlotToolbar()
        self._switches = {"x": self.toolbar.x_axis, "y": self.toolbar.values, "view": self.toolbar.view_as}
        self.title, self.key = label(role="title", wrap=True), label(role="key", wrap=True)
        self.badge = label("frozen", role="badge")
        self.pane = PlotPane()
        self.legend, self.more, self.example = LegendView(), label(role="muted"), ExampleView()
        self._lay_out()
        for name, choices in self._switches.items():
            choices.chosen.connect(partial(self._choose, name))
        self.toolbar.pause.toggled.connect(self._pause)
        for source in (self.pane, self.legend):
            source.move_hovered.connect(self._hovered)
        LOOK.changed.connect(self._take_look)
        self._take_look()
        self._render()

    def _lay_out(self) -> None:
        self.badge.setToolTip("The search goes on; press “Freeze display” again to see the newest.")
        self.key.setToolTip(tip(_KEY_TIP))
        self.badge.hide()
        self.more.setToolTip("Moves that no simulation has begun with yet")
        for words in (self.title, self.key):
            words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.key.hide()
        first = QHBoxLayout()
        first.setSpacing(4)
        first.addWidget(self.title, 1)
        first.addWidget(self.badge)
        first.addWidget(self.toolbar)
        head = QVBoxLayout()
        head.setSpacing(2)
        head.addLayout(first)
        head.addWidget(self.key)
        self._list = QWidget()
        listed = QVBoxLayout(self._list)
        listed.setContentsMargins(0, 0, 0, 0)
        listed.setSpacing(0)
        listed.addWidget(self.legend, 1)
        listed.addWidget(self.more)
        self._middle = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._middle.setSpacing(2)
        self._middle.addWidget(self.pane, 1)
        self._middle.addWidget(self._list)
        self._middle.addWidget(self.example, 1)
        self.legend.refitted.connect(self._fit)
        layout = QVBoxLayout(self)
        # Not the layout's: what it needs depends on the width that the panel is given.
        layout.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        layout.setContentsMargins(_MARGIN, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(head)
        layout.addLayout(self._middle, 1)

    def _take_look(self) -> None:
        theme = LOOK.theme
        self.setStyleSheet(
            "QLabel#title { font-weight: bold; }"
            f"QLabel#badge {{ color: {theme.warning}; border: 1px solid {theme.warning}; border-radius: 3px;"
            f" padding: 0 4px; }} QLabel#key {{ color: {theme.muted}; }}"
        )

    # What the window calls

    def show_waiting(self, waiting: str) -> None:
        """What to say as long as there is no search to show; "" for an example of what there will be."""
        if waiting != self._waiting:
            self._waiting = waiting
            if self._latest[0] is None:
                self.show_snapshot(*self._latest)

    def show_snapshot(self, snapshot: Snapshot | None, title: str = "", ended: Snapshot | None = None) -> None:
        """Show this search under this title, such as "Search for move 4 by O"; None when there is none to show.

        ``ended`` is the same search as it ended, where this is an earlier moment of it: axis and heading are of all.
        """
        self._latest = (snapshot, title, ended)
        if self.paused:
            return
        if self.isVisible():
            self._render()
        else:
            self._stale = True

    def set_truth(self, truth: Truth | None) -> None:
        """Show what is proven of each move beside its estimate; None shows nothing.

        Used while the search shown is of the same position; a frozen display shows it, too.
        """
        self._truth = truth
        history = self._frame.history
        if history is not None:
            renewed = replace(Frame.of_snapshot(history.snapshot, self.colors, truth), until=self._frame.until)
            if renewed.moves.proven != history.proven:
                self._show_search(renewed)

    def set_highlight(self, move: Move | None) -> None:
        """Make this move stand out, because it is pointed at elsewhere; emits nothing."""
        self._outer = move
        self._show_highlight()

    @property
    def paused(self) -> bool:
        """Whether the display is frozen."""
        return self.toolbar.pause.isChecked()

    def set_paused(self, paused: bool) -> None:
        """Freeze the display, or show the newest snapshot and go on."""
        self.toolbar.pause.setChecked(paused)

    def state(self) -> dict[str, str | bool]:
        """What a person chose, for the settings: ``x``, ``view`` and, once it is chosen, ``y``."""
        return dict(self._chosen)

    def restore(self, state: dict[str, str | bool]) -> None:
        """Choose what ``state`` returned; what is missing or unknown stays as it is. Emits nothing.

        Shares are no choice: they stand in most settings because they were there at first.
        """
        for name, keys in _KEYS.items():
            key = state.get(name)
            if isinstance(key, str) and key in keys and (name, key) != ("y", keys[0]):
                self._chosen[name] = key
        self._redraw()

    @property
    def searched(self) -> Snapshot | None:
        """The search that is drawn; None where there is none."""
        return None if self._frame.history is None else self._frame.history.snapshot

    @property
    def plot(self) -> FramePlot:
        """The plot that is shown."""
        return self.pane.plot

    # Drawing

    def _render(self) -> None:
        """Show the newest snapshot."""
        self._stale = False
        snapshot, title, ended = self._latest
        text = title_line(title, ended or snapshot)
        # With each text, even with the same, Qt lays out the window anew.
        if text != self.title.text():
            self.title.setText(text)
            self.title.setToolTip(tip(text))
            self.title.setVisible(bool(text))
        frame = Frame.of_snapshot(snapshot, self.colors, self._truth)
        if snapshot is None and self._waiting:
            frame = replace(frame, reason=self._waiting)
        exemplary = snapshot is None and not self._waiting
        self.example.setVisible(exemplary)
        self.pane.setVisible(not exemplary)
        self._show_search(frame if ended is None else replace(frame, until=float(ended.iterations)))

    def _show_search(self, frame: Frame) -> None:
        self._frame, history = frame, frame.history
        self._redraw()
        self.legend.show_history(history)
        self._fit()
        if history is None:
            self._hovered(None)
            self._speak(frame.reason)
            return
        if history.snapshot.stopped is not None or time.monotonic() - self._spoken >= _SPEAK_S:
            self._speak(summary(self.title.text(), history))

    def _redraw(self) -> None:
        """Draw the search at hand again, after a choice of the person or for a new snapshot."""
        history = self._frame.history
        # Until a person chooses otherwise, what the agent goes by: its means, or its visits.
        info = None if history is None else CATALOGUE.get(history.snapshot.agent)
        usual = "mean" if info is not None and info.usual_choice == "mean" else "share"
        chosen = {"y": usual, **self._chosen}
        for name, choices in self._switches.items():
            choices.set_value(chosen[name])
        self.toolbar.name_choices()
        self._frame = replace(
            self._frame,
            view=_VIEWS[chosen["y"], chosen["view"]],
            axis=Axis(log=chosen["x"] == "log"),
            plain=True,
            highlight=self._shown_highlight,
        )
        self.pane.show_frame(self._frame)
        key = self._key_words(lines=chosen["view"] == "lines")
        self.key.setText(key)
        self.key.setVisible(bool(key))

    def _key_words(self, *, lines: bool) -> str:
        """What the curves' dashes (``lines``) or the heat map's words mean; "" while nothing proven is shown."""
        words = line_keys(self._frame.history)
        if words and not lines:
            return "Proven, before each move: “win 5” is a forced win, 5 plies to the end; “?” is not proven."
        return words and f"Proven: {words}."

    def _speak(self, text: str) -> None:
        self._spoken = time.monotonic()
        if text != self.accessibleDescription():
            self.setAccessibleDescription(text)
            self.pane.describe(text)

    # What a person does

    def _choose(self, name: str, key: str) -> None:
        self._chosen[name] = key
        self._redraw()
        self.state_changed.emit()

    def _pause(self, paused: bool) -> None:
        self.badge.setVisible(paused)
        if not paused:
            self.show_snapshot(*self._latest)

    def _hovered(self, move: Move | None) -> None:
        if move != self._own:
            self._own = move
            self._show_highlight()
            self.move_hovered.emit(move)

    @property
    def _shown_highlight(self) -> Move | None:
        return self._own if self._own is not None else self._outer

    def _show_highlight(self) -> None:
        self.pane.set_highlight(self._shown_highlight)
        self.legend.set_highlight(self._shown_highlight)

    # Room

    def minimumSizeHint(self) -> QSize:
        return QSize(min(480, self.toolbar.sizeHint().width() + 80), 180)

    def sizeHint(self) -> QSize:
        return QSize(700, 350)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale and not self.paused:
            self._render()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Give the legend its room: beside the plot, with fewer columns, below it, or none where the words are so large
        that the plot would have none: its curves bear the names of the moves that matter.
        """
        letters = self.width() / self.fontMetrics().averageCharWidth()
        self.toolbar.spare(letters < _ROOMY)
        # As many lines at all times: the plot stands still under a longer title.
        self.title.setFixedHeight((2 if letters >= _ROOMY else 3) * self.title.fontMetrics().lineSpacing())
        room = round(_LIST * self.width())
        narrow = self.legend.full_width() > room
        below = narrow and letters < _ROOMY and self.height() > self.width()
        beside = room if narrow else None
        self.legend.fit_into(self.width() - 2 * _MARGIN if below else beside)
        way = QBoxLayout.Direction.TopToBottom if below else QBoxLayout.Direction.LeftToRight
        if self._middle.direction() != way:
            self._middle.setDirection(way)
        unlisted = self.legend.model().unlisted
        words = f"{unlisted:,} more" if unlisted else ""
        if words != self.more.text():
            self.more.setText(words)
        self.more.setVisible(bool(unlisted))
        width = min(self.legend.content_width(), self.width() // 2)
        if below:
            self._list.setMinimumWidth(0)
            self._list.setMaximumWidth(_ANY)
            needed = self.legend.content_height() + (self.more.sizeHint().height() if unlisted else 0)
            self._list.setFixedHeight(min(needed, self.height() // 4))
        else:
            self._list.setMinimumHeight(0)
            self._list.setMaximumHeight(_ANY)
            self._list.setFixedWidth(width)
        cramped = not below and self.width() - width < _PLOT_LETTERS * self.fontMetrics().averageCharWidth()
        listed = self._frame.history is not None and not cramped
        self._list.setVisible(listed)
        # Names stand in one place alone.
        self.pane.show_names(not listed)
