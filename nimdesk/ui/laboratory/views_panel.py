"""The views: one pane or two, side by side or one above the other, over one axis, one trace and one moment."""

from __future__ import annotations

import math
import time
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from nimdesk.games.truth import Truth, Value
from nimdesk.play.laboratory import PREPARING, SEARCHING, AgentSearch
from nimdesk.search.timeline import Cost, cost_of
from nimdesk.ui.laboratory import drawn_tree
from nimdesk.ui.laboratory.drawn_tree import DrawnTree
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.studied import LETTERS
from nimdesk.ui.laboratory.view_pane import ViewPane
from nimdesk.ui.look.move_marks import MoveColors
from nimdesk.ui.look.widgets import arrange
from nimdesk.ui.plots.frame import LISTED, AgentLine, Axis, Ends, Frame, View
from nimdesk.ui.plots.history import MoveHistory, styles_of, why_empty

_WIDE = 1.9
"""From this ratio of width to height on, two panes are side by side."""
_GOOD = 1.7
"""The ratio of width to height that plots side by side should have."""
_SPEAK_S = 1.0
_BEGIN = "Press Run (F5): each search then draws here, move by move, how it makes up its mind."
_AHEAD_MS = 700
"""While no search runs, plots not chosen yet are made one at a time, this far apart."""


class ViewsPanel(QWidget):
    """Builds one frame a change and hands it to its panes; its owner calls ``show_first``, then ``show_second``."""

    def __init__(self, model: Laboratory) -> None:
        super().__init__()
        self._model = model
        new_tree = partial(DrawnTree, model)
        self.panes = (
            ViewPane("First view", View.SHARE, new_tree),
            ViewPane("Second view", View.OPTIMAL, new_tree),
        )
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setChildrenCollapsible(False)
        self._by_hand = False
        """Whether the person has divided the room between the panes."""
        self._shared: list[int] = []
        self._splitter.splitterMoved.connect(self._on_moved)
        self._side = self._log_y = False
        for pane in self.panes:
            self._splitter.addWidget(pane)
            pane.move_hovered.connect(model.pointing.point)
            pane.moment_chosen.connect(self._on_moment_chosen)
            pane.x_zoomed.connect(self._on_x_zoomed)
            pane.view_chosen.connect(self._draw)
        arrange(QVBoxLayout(self), self._splitter)
        self._drawn: object = None
        """All that the frames drawn were made from; None: they have to be made anew."""
        self._second: tuple[Frame, ...] = ()
        """The frames that the second pane shows."""
        self._spoken = 0.0
        self._frames: tuple[Frame, ...] = (Frame(),)
        self._ahead = QTimer(self, interval=_AHEAD_MS)
        self._ahead.timeout.connect(self._make_ahead)

    def set_two(self, two: bool) -> None:
        """Show the second pane, or the first alone."""
        self.panes[1].setVisible(two)
        self._by_hand, self._shared = False, []
        if two:
            # Otherwise the second gets only its minimum.
            self._splitter.setSizes([10_000, 10_000])
        self._draw()

    def state(self) -> list[str]:
        """The keys of both views, for ``restore``; until somebody chooses the first view, its key is that of shares."""
        first, second = self.panes
        return [first.shown_key if first.chosen else View.SHARE.key, second.shown_key]

    def restore(self, keys: list[str]) -> None:
        """Show these views; unknown keys change nothing. Shares, the first view's default, do not count as chosen."""
        views = {view.key: view for view in LISTED}
        for pane, key in zip(self.panes, keys, strict=False):
            if key in views:
                pane.set_view(views[key])
            elif key == drawn_tree.KEY:
                pane.set_tree()
        if keys[:1] == [View.SHARE.key]:
            self.panes[0].chosen = False
            self._draw()

    def set_side(self, side: bool) -> None:
        """Show the agents side by side, a plot for each, or together."""
        self._side = side
        self._draw()

    @property
    def may_log(self) -> bool:
        """Whether any of the views shown may have a logarithmic value axis."""
        return any(pane.may_log for pane in self.panes if not pane.isHidden())

    def set_log_y(self, log_y: bool) -> None:
        """Make the value axis logarithmic, for views that allow it."""
        self._log_y = log_y
        self._draw()

    def frames(self, view: View = View.SHARE) -> tuple[Frame, ...]:
        """The frames of this view to draw now: a single one, or one for each agent if they are side by side."""
        count = len(self._model.shown.at.searches) if self._side else 0
        return tuple(self.frame(view, agent) for agent in range(count)) or (self.frame(view),)

    def frame(self, view: View = View.SHARE, alone: int | None = None) -> Frame:
        """The frame of this view to draw now: of agent ``alone``, or by default of all agents and the one in focus."""
        at, colors = self._model.shown.at, self._model.colors
        focus = at.focus if alone is None else alone
        search, axis = at.searches[focus], Axis(at.cost, at.log)
        snapshot, line = search.newest, search.timeline
        reason = search.problem or why_empty(snapshot)
        if snapshot is None and not search.problem:
            reason = PREPARING if at.preparing else SEARCHING if at.running else _BEGIN
            if at.position.outcome is not None:
                reason = "The game is over here, so there is nothing to search."
        history = None
        if not reason and snapshot is not None and snapshot.trace is not None and line is not None:
            history = MoveHistory(
                snapshot,
                snapshot.trace,
                colors,
                _known(at.known.truth),
                nodes=line.costs(Cost.NODES),
                bound=search.agent.bound(at.position.game),
            )
        title_of = self._model.agents.title_of
        lines = tuple(_line(number, each, title_of(each.agent), colors) for number, each in enumerate(at.searches))
        return Frame(
            view=view,
            axis=axis,
            history=history,
            reason=reason,
            lines=lines if alone is None else lines[focus : focus + 1],
            focus=focus if alone is None else 0,
            truth=at.known.truth,
            proving=at.proving,
            until=max(cost_of(each.newest, axis.cost) or 0.0 if each.newest else 0.0 for each in at.searches),
            highlight=self._model.shown.pointed,
            moment=at.spent,
            log_y=self._log_y,
        )

    # What is shown

    def _draw(self) -> None:
        self._drawn = None
        self.show_first()
        self.show_second()

    def show_first(self) -> None:
        """Show this moment in the first pane; the second one is to follow."""
        if not self.isVisible():
            return
        at = self._model.shown.at
        waits = (at.preparing, at.running) if at.focused.newest is None else None
        made_from = at.position, at.searches, at.focus, at.cost, at.log, at.known.truth, at.proving, waits
        if made_from != self._drawn:
            self._drawn = made_from
            self.panes[0].show_usual(View.MEAN if at.focused.agent.choice_rule == "mean" else View.SHARE)
            self._frames = self.frames()
            self._arrange_panels()
            self.panes[0].show_frames(self._frames)
        self.show_marks()

    def show_second(self) -> None:
        """Show what the first pane shows in the second one, too."""
        if not self.isVisible():
            return
        if self._second is not self._frames:
            self._second = self._frames
            if self.panes[1].isVisible():
                self.panes[1].show_frames(self._frames)
                self.show_marks()
            self._align()
        if not self._model.shown.at.running or time.monotonic() - self._spoken >= _SPEAK_S:
            self._spoken = time.monotonic()
            for pane in self.panes:
                pane.set_words(self._model.shown.sentence)

    def show_marks(self) -> None:
        """Mark the moment, and the move pointed at."""
        now = self._model.shown
        for tree in (pane.tree for pane in self.panes):
            if tree is not None:
                tree.show_moment(now)
        for panel in (panel for pane in self.panes for panel in pane.shown):
            panel.plots.set_highlight(now.pointed)
            panel.plots.set_moment(now.at.spent)

    def _align(self) -> None:
        """Give plots above each other the same x axis."""
        first, second = self.panes
        stacked = self._splitter.orientation() == Qt.Orientation.Vertical
        above = stacked and first.draws and second.draws
        panels = [(pane, panel) for pane in self.panes if pane.isVisible() for panel in pane.shown]
        for pane, panel in panels:
            panel.plots.show_x(pane.lowest(panel) and not (pane is first and above))
        drawn = [panel.plots for _pane, panel in panels if panel.plots.draws]
        if len(panels) == 1:
            first.plots.share_edges(0, 0.0)
            return
        widths, rooms = [each.plot.y_axis.own_width for each in drawn], [each.plot.right_room for each in drawn]
        for plots in drawn:
            plots.share_edges(max(widths), max(rooms))
        if second.isVisible() and not self._by_hand:
            # Also before there is anything to draw: the head of the second pane must not jump when it comes.
            self._share_room(first.plot.x_axis.words_height if stacked else 0)

    def _share_room(self, more: int) -> None:
        """Make the plots equally large, not the panes: the second pane needs ``more`` pixels."""
        # Not the sum of the panes' sizes: a pane that was shown this moment has not made room for the handle yet.
        stacked = self._splitter.orientation() == Qt.Orientation.Vertical
        whole = (self.height() if stacked else self.width()) - self._splitter.handleWidth()
        wanted = [(whole - more) // 2, (whole + more) // 2]
        if wanted != self._shared:
            self._shared = wanted
            self._splitter.setSizes(wanted)

    def _on_moved(self) -> None:
        self._by_hand = True

    def _make_ahead(self) -> None:
        if not self._model.searches.running and not any(pane.plots.make_ahead() for pane in self.panes):
            self._ahead.stop()

    def _on_x_zoomed(self, ends: Ends | None) -> None:
        for pane in self.panes:
            pane.set_x_zoom(ends)

    def _on_moment_chosen(self, cost: float) -> None:
        at = self._model.shown.at
        spent = at.focused.timeline.costs(at.cost) if at.focused.timeline is not None else None
        newest = spent is not None and cost >= float(spent[-1]) * (1 - 1e-9)
        self._model.clock.set_moment(None if newest else cost)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ahead.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._ahead.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() > _WIDE * self.height()
        self._splitter.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
        if self._drawn is not None:
            self._arrange_panels()
            self._align()

    def _arrange_panels(self) -> None:
        """Give plots side by side about the shape that is good for curves, in both views the same."""
        count = len(self._frames)
        two, stacked = self.panes[1].isVisible(), self._splitter.orientation() == Qt.Orientation.Vertical
        width, height = self.width() / (1 + (two and not stacked)), max(1, self.height()) / (1 + (two and stacked))
        # Four plots in rows of three would leave the largest gap.
        choices = [columns for columns in range(1, count + 1) if (count, columns) != (4, 3)]

        def shape(columns: int) -> float:
            return width / columns / (height / math.ceil(count / columns))

        columns = min(choices, key=lambda each: abs(math.log(max(shape(each), 1e-3) / _GOOD)))
        for pane in self.panes:
            pane.arrange_panels(columns)


def _line(number: int, search: AgentSearch, name: str, colors: MoveColors) -> AgentLine:
    moves = search.timeline.moves if search.timeline is not None else ()
    styles, sample = styles_of(moves, colors), search.sample
    return AgentLine(LETTERS[number], name, number, search.timeline, styles, search.finished, sample)


def _known(truth: Truth | None) -> Truth | None:
    """The truth, if any of it is known: question marks on every move would say nothing."""
    return truth if truth is not None and any(each.value is not Value.UNKNOWN for each in truth.moves) else None
