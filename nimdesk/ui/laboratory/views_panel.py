"""The views: one pane or two, side by side or one above the other, over one axis, one trace and one moment."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from nimdesk.games import Move
from nimdesk.games.truth import Truth, Value
from nimdesk.search.timeline import Cost
from nimdesk.ui.laboratory.agents import LETTERS
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.words import BEGIN, PREPARING, SEARCHING
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.plots.data import PlotData, named_moves
from nimdesk.ui.plots.frame import VIEWS, AgentLine, Frame, View
from nimdesk.ui.plots.pane import ViewPane
from nimdesk.ui.plots.texts import why_empty

_WIDE = 1.9
"""From this ratio of width to height on, two panes stand side by side."""
_SPEAK_S = 1.0
_AHEAD_MS = 700
"""The plots of views that nobody has chosen yet are made one at a time, so far apart, while nothing is searched."""


class ViewsPanel(QWidget):
    """Builds one frame for each change and hands it to its panes; whoever owns it calls ``steps`` for new results."""

    views_chosen = Signal()
    """Which views are shown, or how many, was changed by a person."""

    def __init__(self, model: Laboratory, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        theme = LOOK.theme
        self.panes = (ViewPane("First view", View.SHARE, theme), ViewPane("Second view", View.OPTIMAL, theme))
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setChildrenCollapsible(False)
        self._by_hand = False
        """Whether a person has divided the room between the panes."""
        self._shared: list[int] = []
        self._splitter.splitterMoved.connect(self._on_moved)
        for pane in self.panes:
            self._splitter.addWidget(pane)
            pane.move_hovered.connect(model.pointing.point)
            pane.moment_chosen.connect(self._on_moment_chosen)
            pane.view_chosen.connect(self._on_view_chosen)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._splitter)
        self._stale = True
        self._spoken = 0.0
        self._frame = Frame()
        self.steps = (self._draw_first, self.panes[0].release, self._draw_second, self._finish)
        """What follows from a new result, to be done in this order, at once or in turns."""
        self._ahead = QTimer(self, interval=_AHEAD_MS)
        self._ahead.timeout.connect(self._make_ahead)
        for signal in (
            model.searches.runs_changed,
            model.place.changed,
            model.searches.axis_changed,
        ):
            signal.connect(self._follow)
        model.searches.running_changed.connect(self._show_preparing)
        model.clock.moment_changed.connect(self._show_moment)
        model.pointing.changed.connect(self._show_pointed)
        LOOK.changed.connect(self._take_look)

    def _take_look(self) -> None:
        theme = LOOK.theme
        for pane in self.panes:
            pane.set_theme(theme)

    def set_two(self, two: bool) -> None:
        """Show the second pane, or the first alone."""
        self.panes[1].setVisible(two)
        self._by_hand, self._shared = False, []
        if two:
            # Else the second gets no more than it asks for at least.
            self._splitter.setSizes([10_000, 10_000])
        self._follow()

    def state(self) -> list[str]:
        """The keys of both views, for ``restore``."""
        return [pane.view.key for pane in self.panes]

    def restore(self, keys: list[str]) -> None:
        """Show these views; unknown keys change nothing."""
        for pane, key in zip(self.panes, keys, strict=False):
            if key in VIEWS:
                pane.set_view(VIEWS[key])

    def frame(self) -> Frame:
        """What there is to draw now."""
        model = self._model
        run, studied = model.searches.focused, model.agents.focused
        snapshot, line = run.snapshot, run.timeline
        reason = run.problem or why_empty(snapshot) or ""
        if snapshot is None and not run.problem:
            reason = PREPARING if model.searches.preparing else SEARCHING if model.searches.running else BEGIN
            if model.place.position.outcome is not None:
                reason = "The game is over here, so there is nothing to search."
        data = None
        if not reason and snapshot is not None and snapshot.trace is not None and line is not None:
            data = PlotData(
                snapshot,
                snapshot.trace,
                model.searches.colors,
                _known(model.proof.truth),
                nodes=line.costs(Cost.NODES),
                exploration=studied.agent.exploration,
                until=max(each.spent(model.searches.axis.cost) or 0.0 for each in model.searches.runs),
            )
        return Frame(
            cost=model.searches.axis.cost,
            log_x=model.searches.axis.log,
            data=data,
            reason=reason,
            lines=self._lines(),
            focus=model.agents.focus,
            truth=model.proof.truth,
            proving=model.proof.shown and model.proof.proving,
        )

    def _lines(self) -> tuple[AgentLine, ...]:
        model = self._model
        made = []
        for index, (studied, run) in enumerate(zip(model.agents.studied, model.searches.runs, strict=True)):
            styles = named_moves(run.timeline.moves if run.timeline is not None else ()).styles(model.searches.colors)
            made.append(AgentLine(LETTERS[index], studied.title, index, run.timeline, styles, run.finished))
        return tuple(made)

    def _follow(self) -> None:
        for step in self.steps:
            step()

    def _draw_first(self) -> None:
        self._stale = not self.isVisible()
        if not self._stale:
            self._frame = self.frame()
            self.panes[0].hold()
            self.panes[0].show_frame(self._frame)

    def _draw_second(self) -> None:
        if not self._stale:
            self.panes[1].hold()
            self.panes[1].show_frame(self._frame)

    def _finish(self) -> None:
        self.panes[1].release()
        if self._stale:
            return
        self._align()
        self._show_moment()
        if not self._model.searches.running or time.monotonic() - self._spoken >= _SPEAK_S:
            self._spoken = time.monotonic()
            words = self._model.sentence()
            for pane in self.panes:
                pane.set_words(words)

    def _align(self) -> None:
        """Give plots that stand above each other the same x axis."""
        shown = [pane for pane in self.panes if pane.isVisible()]
        stacked = self._splitter.orientation() == Qt.Orientation.Vertical
        self.panes[0].show_x(not (stacked and all(pane.draws for pane in self.panes)))
        if len(shown) > 1:
            left = max(pane.left_width for pane in shown)
            right = max(pane.right_room for pane in shown)
        else:
            left, right = 0, 0.0
        for pane in shown:
            pane.share_edges(left, right)
        if len(shown) > 1 and not self._by_hand:
            self._share_room(self.panes[1].x_height - self.panes[0].x_height if stacked else 0)

    def _share_room(self, more: int) -> None:
        """Make plots as large as each other, not panes: the second needs so much more."""
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
        if not self._model.searches.running and not any(pane.make_ahead() for pane in self.panes):
            self._ahead.stop()

    def _show_moment(self) -> None:
        for pane in self.panes:
            pane.set_moment(self._model.clock.moment)

    def _show_pointed(self, move: Move | None) -> None:
        for pane in self.panes:
            pane.set_highlight(move)

    def _on_view_chosen(self) -> None:
        self._follow()
        self.views_chosen.emit()

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
    """The truth where any of it is known: question marks on every move would say nothing."""
    return truth if truth is not None and any(each.value is not Value.UNKNOWN for each in truth.moves) else None
