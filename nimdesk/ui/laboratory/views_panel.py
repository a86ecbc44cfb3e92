"""The views: one pane or two, side by side or one above the other, over one axis, one trace and one moment."""

from __future__ import annotations

import time
from dataclasses import replace

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from nimdesk.games import Move
from nimdesk.games.truth import Truth, Value
from nimdesk.search.timeline import Cost
from nimdesk.ui.laboratory.model import PREPARING, SEARCHING, Laboratory
from nimdesk.ui.laboratory.studied import LETTERS, title_of
from nimdesk.ui.look.widgets import ElidedLabel, arrange, name_choice, tip
from nimdesk.ui.plots.canvas import FramePlot
from nimdesk.ui.plots.frame import HEAT_MAPS, LISTED, AgentLine, Frame, View
from nimdesk.ui.plots.history import MoveHistory, line_keys, styles_of, why_empty
from nimdesk.ui.plots.pane import PlotPane

_WIDE = 1.9
"""From this ratio of width to height on, two panes are side by side."""
_SPEAK_S = 1.0
_RIBBON_KEY = "Full ribbon: the move it would play is optimal; thin: it is not"
_BEGIN = "Press Run (F5): each search then draws here, move by move, how it makes up its mind."
_AHEAD_MS = 700
"""Plots not chosen yet are made one at a time, so far apart, while no search runs."""


class ViewPane(QWidget):
    """A list of views, one line of key, and below them the plot of the chosen view."""

    view_chosen = Signal()

    def __init__(self, name: str, view: View, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = view
        """The view shown; see ``set_view``."""
        self.choice = QComboBox()
        for each in LISTED:
            self.choice.addItem(each.title, each.key)
            self.choice.setItemData(self.choice.count() - 1, tip(each.tip), Qt.ItemDataRole.ToolTipRole)
        self.choice.activated.connect(self._on_chosen)
        self.key = ElidedLabel("muted")
        self.plots = PlotPane(name=name, after=self.choice, scrubbable=True)
        head = arrange(QHBoxLayout(), self.choice, self.key, wide=self.key)
        arrange(QVBoxLayout(self), head, self.plots, wide=self.plots, spacing=3)
        name_choice(self.choice, name)
        self.set_view(view)

    def set_view(self, view: View) -> None:
        """Show this, without emitting ``view_chosen``."""
        self.view = view
        self.choice.setCurrentIndex(self.choice.findData(view.key))
        self.choice.setToolTip(tip(view.tip))
        self.show_frame(self.plots.frame)

    @property
    def plot(self) -> FramePlot:
        return self.plots.plot

    @property
    def draws(self) -> bool:
        """Whether the plot is shown, not the reason why there is none."""
        return self.plots.draws

    @property
    def page(self) -> QWidget:
        """The widget below the head: the plot, or the reason why there is none."""
        return self.plot if self.draws else self.plots.empty

    def show_frame(self, frame: Frame) -> None:
        """Draw the chosen view of this frame."""
        frame = replace(frame, view=self.view)
        self.plots.show_frame(frame)
        self.key.setText("" if frame.why_not() else _key_words(frame))

    def set_words(self, sentence: str) -> None:
        """Describe the plot in words, for screen readers."""
        text = f"{self.view.title}. {self.view.tip}. {self.plots.empty.text() or sentence}"
        self.setAccessibleDescription(text)
        self.plots.describe(text)

    def _on_chosen(self, index: int) -> None:
        self.set_view(LISTED[index])
        self.view_chosen.emit()


def _key_words(frame: Frame) -> str:
    """One line on what the plot of this frame shows."""
    if not frame.view.of_moves:
        missing = frame.missing
        without = f"Without {', '.join(missing)}: no {frame.axis.cost.value}. " if missing else ""
        judged = any(curve.good is not None for curve in frame.curves)
        return without + (_RIBBON_KEY if judged else "Ribbon in the colour of the move it would play")
    if frame.view in HEAT_MAPS:
        return ""
    if frame.view is View.STACK:
        return "faint loses" if any(each.value is Value.LOSS for each in frame.moves.proven) else ""
    words = line_keys(frame.history)
    return f"line: mean, band: exploration · {words}".rstrip(" ·") if frame.view is View.BOUND else words


class ViewsPanel(QWidget):
    """Builds one frame for each change and hands it to its panes; its owner calls ``steps`` for new results."""

    def __init__(self, model: Laboratory) -> None:
        super().__init__()
        self._model = model
        self.panes = (ViewPane("First view", View.SHARE), ViewPane("Second view", View.OPTIMAL))
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setChildrenCollapsible(False)
        self._by_hand = False
        """Whether the person has divided the room between the panes."""
        self._shared: list[int] = []
        self._splitter.splitterMoved.connect(self._on_moved)
        for pane in self.panes:
            self._splitter.addWidget(pane)
            pane.plots.move_hovered.connect(model.pointing.point)
            pane.plots.moment_chosen.connect(self._on_moment_chosen)
            pane.view_chosen.connect(self._follow)
        arrange(QVBoxLayout(self), self._splitter)
        self._stale = True
        self._spoken = 0.0
        self._frame = Frame()
        self.steps = (self._draw_first, self._draw_second)
        """The effects of a new result, to be done in this order, at once or in turns."""
        self._ahead = QTimer(self, interval=_AHEAD_MS)
        self._ahead.timeout.connect(self._make_ahead)
        for signal in (model.searches.runs_changed, model.place.changed, model.searches.axis_changed):
            signal.connect(self._follow)
        model.searches.running_changed.connect(self._show_preparing)
        model.clock.moment_changed.connect(self._show_moment)
        model.pointing.changed.connect(self._show_pointed)

    def set_two(self, two: bool) -> None:
        """Show the second pane, or the first alone."""
        self.panes[1].setVisible(two)
        self._by_hand, self._shared = False, []
        if two:
            # Otherwise the second gets only its minimum.
            self._splitter.setSizes([10_000, 10_000])
        self._follow()

    def state(self) -> list[str]:
        """The keys of both views, for ``restore``."""
        return [pane.view.key for pane in self.panes]

    def restore(self, keys: list[str]) -> None:
        """Show these views; unknown keys change nothing."""
        views = {view.key: view for view in LISTED}
        for pane, key in zip(self.panes, keys, strict=False):
            if key in views:
                pane.set_view(views[key])

    def frame(self, view: View = View.SHARE) -> Frame:
        """What there is to draw now of this view."""
        model = self._model
        searches, axis = model.searches, model.searches.axis
        run = searches.focused
        snapshot, line = run.snapshot, run.timeline
        reason = run.problem or why_empty(snapshot)
        if snapshot is None and not run.problem:
            reason = PREPARING if searches.preparing else SEARCHING if searches.running else _BEGIN
            if model.place.position.outcome is not None:
                reason = "The game is over here, so there is nothing to search."
        history = None
        if not reason and snapshot is not None and snapshot.trace is not None and line is not None:
            history = MoveHistory(
                snapshot,
                snapshot.trace,
                searches.colors,
                _known(model.proof.truth),
                nodes=line.costs(Cost.NODES),
                exploration=model.agents.focused.agent.exploration,
                rule=model.agents.focused.rule,
            )
        return Frame(
            view=view,
            axis=axis,
            history=history,
            reason=reason,
            lines=self._lines(),
            focus=model.agents.focus,
            truth=model.proof.truth,
            proving=model.proof.proving,
            until=max(each.spent(axis.cost) or 0.0 for each in searches.runs),
            highlight=model.pointing.move,
            moment=model.clock.spent,
        )

    def _lines(self) -> tuple[AgentLine, ...]:
        model = self._model
        made = []
        for index, (studied, run) in enumerate(zip(model.agents.studied, model.searches.runs, strict=True)):
            moves = run.timeline.moves if run.timeline is not None else ()
            styles = styles_of(moves, model.searches.colors)
            made.append(AgentLine(LETTERS[index], title_of(studied.agent), index, run.timeline, styles, run.finished))
        return tuple(made)

    def _follow(self) -> None:
        for step in self.steps:
            step()

    def _draw_first(self) -> None:
        self._stale = not self.isVisible()
        if not self._stale:
            self._frame = self.frame()
            self.panes[0].show_frame(self._frame)

    def _draw_second(self) -> None:
        if self._stale:
            return
        if self.panes[1].isVisible():
            self.panes[1].show_frame(self._frame)
        self._align()
        if not self._model.searches.running or time.monotonic() - self._spoken >= _SPEAK_S:
            self._spoken = time.monotonic()
            words = self._model.sentence()
            for pane in self.panes:
                pane.set_words(words)

    def _align(self) -> None:
        """Give plots above each other the same x axis."""
        first, second = (pane.plots for pane in self.panes)
        stacked = self._splitter.orientation() == Qt.Orientation.Vertical
        first.show_x(not (stacked and first.draws and second.draws))
        if not second.isVisible():
            first.share_edges(0, 0.0)
            return
        for pane in (first, second):
            widths = [each.plot.y_axis.own_width for each in (first, second)]
            pane.share_edges(max(widths), max(each.plot.right_room for each in (first, second)))
        if not self._by_hand:
            heights = [pane.plot.x_axis.height() if pane.draws else 0 for pane in (first, second)]
            self._share_room(round(heights[1] - heights[0]) if stacked else 0)

    def _share_room(self, more: int) -> None:
        """Make the plots equally large, not the panes: the second needs this much more."""
        whole = sum(self._splitter.sizes())
        wanted = [(whole - more) // 2, (whole + more) // 2]
        if wanted != self._shared:
            self._shared = wanted
            self._splitter.setSizes(wanted)

    def _on_moved(self) -> None:
        self._by_hand = True

    def _show_preparing(self) -> None:
        if self._model.searches.focused.snapshot is None:
            self._follow()

    def _make_ahead(self) -> None:
        if not self._model.searches.running and not any(pane.plots.make_ahead() for pane in self.panes):
            self._ahead.stop()

    def _show_moment(self) -> None:
        for pane in self.panes:
            pane.plots.set_moment(self._model.clock.spent)

    def _show_pointed(self, move: Move | None) -> None:
        for pane in self.panes:
            pane.plots.set_highlight(move)

    def _on_moment_chosen(self, cost: float) -> None:
        line = self._model.searches.focused.timeline
        spent = line.costs(self._model.searches.axis.cost) if line is not None else None
        newest = spent is not None and cost >= float(spent[-1]) * (1 - 1e-9)
        self._model.clock.set_moment(None if newest else cost)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ahead.start()
        if self._stale:
            self._follow()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._ahead.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() > _WIDE * self.height()
        self._splitter.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
        if not self._stale:
            self._align()


def _known(truth: Truth | None) -> Truth | None:
    """The truth, if any of it is known: question marks on every move would say nothing."""
    return truth if truth is not None and any(each.value is not Value.UNKNOWN for each in truth.moves) else None
