"""The views: one pane or two, side by side or one above the other, over one axis, one trace and one moment."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QSplitter, QToolButton, QVBoxLayout, QWidget

from nimdesk.games.truth import Truth, Value
from nimdesk.play.laboratory import MAX_AGENTS, PREPARING, SEARCHING, AgentSearch
from nimdesk.search.timeline import Cost, cost_of
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.studied import LETTERS, title_of
from nimdesk.ui.look.move_marks import MoveColors
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import ElidedLabel, arrange, name_choice, tip
from nimdesk.ui.plots.frame import LISTED, AgentLine, Axis, Drawn, Ends, Frame, View
from nimdesk.ui.plots.frame_plot import FramePlot
from nimdesk.ui.plots.history import MoveHistory, line_keys, styles_of, why_empty
from nimdesk.ui.plots.pane import PlotPane
from nimdesk.ui.plots.toolbar import buttons_style

_WIDE = 1.9
"""From this ratio of width to height on, two panes are side by side."""
_GOOD = 1.7
"""The ratio of width to height that plots side by side should have."""
_SPEAK_S = 1.0
_RIBBON_KEY = "Full ribbon: the move it would play is optimal; thin: it is not"
_BEGIN = "Press Run (F5): each search then draws here, move by move, how it makes up its mind."
_LEAST_CHOICE = 110
"""The width of the name of a view where large words leave it none; it shows in full when the list opens."""
_AHEAD_MS = 700
"""While no search runs, plots not chosen yet are made one at a time, this far apart."""


class Panel(QWidget):
    """A plot with the name of its agent above it, where there are several side by side."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.heading = ElidedLabel()
        self.plots = PlotPane(name=name, scrubbable=True)
        arrange(QVBoxLayout(self), self.heading, self.plots, wide=self.plots, spacing=1)
        self.heading.hide()

    @property
    def page(self) -> QWidget:
        """The plot, or the reason why there is none."""
        return self.plots.plot if self.plots.draws else self.plots.empty


class ViewPane(QWidget):
    """A list of views, a line that explains the plot, and the plot of the chosen view, or one for each agent."""

    view_chosen = Signal()
    move_hovered = Signal(object)
    moment_chosen = Signal(float)
    x_zoomed = Signal(object)
    """These signals are passed on from the plots."""

    def __init__(self, name: str, view: View, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = view
        """The view shown; see ``set_view``."""
        self.chosen = False
        """Whether a person or the settings asked for this view."""
        self.choice = QComboBox()
        self.choice.setMinimumWidth(_LEAST_CHOICE)
        for each in LISTED:
            self.choice.addItem(each.title, each.key)
            self.choice.setItemData(self.choice.count() - 1, tip(each.tip), Qt.ItemDataRole.ToolTipRole)
        self.choice.activated.connect(self._on_chosen)
        self.key = ElidedLabel("muted")
        self._name = name
        self.panels: list[Panel] = []
        """The panels made so far; those not needed now are hidden."""
        self._grid = QGridLayout()
        self._grid.setSpacing(4)
        self._frames: tuple[Frame, ...] = (Frame(),)
        self._columns = 1
        self._head = head = arrange(QHBoxLayout(), self.choice, self.key, wide=self.key)
        layout = arrange(QVBoxLayout(self), head, spacing=3)
        layout.addLayout(self._grid, 1)
        name_choice(self.choice, name)
        self._panel(0)
        self._show(view)
        LOOK.changed.connect(self._take_look)

    def add_button(self, button: QWidget) -> None:
        """One more button at the end of the head."""
        self._head.addWidget(button)
        self._take_look()

    def _take_look(self) -> None:
        style = buttons_style(6)
        for button in self.findChildren(QToolButton, options=Qt.FindChildOption.FindDirectChildrenOnly):
            button.setStyleSheet(style)

    def _panel(self, number: int) -> Panel:
        while len(self.panels) <= number:
            panel = Panel(f"{self._name} {len(self.panels) + 1}" if self.panels else self._name)
            panel.plots.move_hovered.connect(self.move_hovered)
            panel.plots.moment_chosen.connect(self.moment_chosen)
            panel.plots.x_zoomed.connect(self.x_zoomed)
            self.panels.append(panel)
        return self.panels[number]

    @property
    def plots(self) -> PlotPane:
        """The first plot, which is the only one unless agents are side by side."""
        return self.panels[0].plots

    @property
    def shown(self) -> list[Panel]:
        """The panels that are shown."""
        return self.panels[: len(self._frames)]

    def lowest(self, panel: Panel) -> bool:
        """Whether no other panel is below this one."""
        return self.panels.index(panel) + self._columns >= len(self._frames)

    def set_view(self, view: View) -> None:
        """Show this view without emitting ``view_chosen``."""
        self.chosen = True
        self._show(view)

    def show_usual(self, view: View) -> None:
        """Show this view unless another one was asked for."""
        if not self.chosen and view is not self.view:
            self._show(view)

    def _show(self, view: View) -> None:
        self.view = view
        self.choice.setCurrentIndex(self.choice.findData(view.key))
        self.choice.setToolTip(tip(view.tip))
        self.show_frames(self._frames)

    @property
    def plot(self) -> FramePlot:
        return self.plots.plot

    @property
    def draws(self) -> bool:
        """Whether the plot is shown, not the reason why there is none."""
        return self.plots.draws

    @property
    def parts(self) -> list[tuple[QWidget, QPoint]]:
        """The widgets below the head, for a picture: each with its place there."""
        if len(self._frames) == 1:
            return [(self.panels[0].page, QPoint())]
        origin = self._grid.geometry().topLeft()
        widgets = [widget for panel in self.shown for widget in (panel.heading, panel.page)]
        return [(widget, widget.mapTo(self, QPoint()) - origin) for widget in widgets]

    def show_frames(self, frames: Sequence[Frame]) -> None:
        """Draw the chosen view: this frame, or these frames side by side with shared axes."""
        several = len(frames) > 1
        zoomed = self.view.drawn is Drawn.HEAT_MAP
        self._frames = _on_same_axes([replace(frame, view=self.view, zoomed=zoomed) for frame in frames])
        for number, frame in enumerate(self._frames):
            panel, line = self._panel(number), frame.lines[frame.focus] if frame.lines else None
            panel.heading.setVisible(several)
            panel.heading.setText(f"{line.letter}  {line.name}" if line is not None else "")
            if line is not None:
                panel.heading.setStyleSheet(f"color: {LOOK.theme.curve(line.style).name()}; font-weight: bold;")
        self.arrange_panels(min(self._columns, len(frames)))
        for panel, frame in zip(self.panels, self._frames, strict=False):
            panel.plots.show_frame(frame)
        first = next((frame for frame in self._frames if not frame.why_not()), None)
        self.key.setText("" if first is None else _key_words(first))

    def arrange_panels(self, columns: int) -> None:
        """Put the panels into ``columns`` columns."""
        count, columns = len(self._frames), max(1, columns)
        self._columns = columns
        for number, panel in enumerate(self.panels):
            place = (*divmod(number, columns), 1, 1) if number < count else None
            at = self._grid.indexOf(panel)
            if place != (None if at < 0 else self._grid.getItemPosition(at)):
                self._grid.removeWidget(panel)
                if place is not None:
                    self._grid.addWidget(panel, *place)
            panel.setVisible(number < count)
        for line in range(MAX_AGENTS):
            self._grid.setRowStretch(line, int(line < math.ceil(count / columns)))
            self._grid.setColumnStretch(line, int(line < columns))

    def set_x_zoom(self, ends: Ends | None) -> None:
        """Show this part of the x axis in all plots."""
        for panel in self.panels:
            panel.plots.set_x_zoom(ends)

    def set_words(self, sentence: str) -> None:
        """Describe the plot in words, for screen readers."""
        text = f"{self.view.title}. {self.view.tip}. {self.plots.empty.text() or sentence}"
        self.setAccessibleDescription(text)
        for panel in self.shown:
            panel.plots.describe(text)

    def _on_chosen(self, index: int) -> None:
        self.set_view(LISTED[index])
        self.view_chosen.emit()


def _on_same_axes(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """The frames with shared axes; a single frame keeps its own."""
    drawn = [frame for frame in frames if not frame.why_not()]
    if len(frames) == 1 or not drawn:
        return tuple(frames)
    across, up = (list(zip(*ends, strict=True)) for ends in zip(*((f.x_range, f.y_range) for f in drawn), strict=True))
    x, y = (min(across[0]), max(across[1])), (min(up[0]), max(up[1]))
    return tuple(replace(frame, x_ends=x, y_ends=y) for frame in frames)


def _key_words(frame: Frame) -> str:
    """One line on what the plot of this frame shows."""
    spread = frame.spread
    if not frame.view.of_moves:
        spread = next((curve.spread for curve in frame.curves if curve.spread is not None), None)
    seeds = "" if spread is None else f"{spread.words} "
    many = any(line.sample is not None for line in frame.lines)
    if many and spread is None and frame.axis.cost is not Cost.ITERATIONS:
        seeds = "The band of many seeds is drawn over iterations. "
    return seeds + _view_words(frame)


def _view_words(frame: Frame) -> str:
    if not frame.view.of_moves:
        missing = frame.missing
        without = f"Without {', '.join(missing)}: no {frame.axis.cost.value}. " if missing else ""
        judged = any(curve.good is not None for curve in frame.curves)
        return without + (_RIBBON_KEY if judged else "Ribbon in the colour of the move it would play")
    if frame.view.drawn is Drawn.HEAT_MAP:
        return ""
    if frame.view.drawn is Drawn.STACK:
        return "faint loses" if any(each.value is Value.LOSS for each in frame.moves.proven) else ""
    words, bound = line_keys(frame.history), None if frame.history is None else frame.history.bound
    if frame.view is View.BOUND and bound is not None:
        return f"line: mean, band: {bound.bonus_formula} · {words}".rstrip(" ·")
    return words


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
        return [first.view.key if first.chosen else View.SHARE.key, second.view.key]

    def restore(self, keys: list[str]) -> None:
        """Show these views; unknown keys change nothing. Shares, the first view's default, do not count as chosen."""
        views = {view.key: view for view in LISTED}
        for pane, key in zip(self.panes, keys, strict=False):
            if key in views:
                pane.set_view(views[key])
        if keys[:1] == [View.SHARE.key]:
            self.panes[0].chosen = False
            self._draw()

    def set_side(self, side: bool) -> None:
        """Show the agents side by side, a plot for each, or together."""
        self._side = side
        self._draw()

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
                bound=search.agent.bound,
            )
        lines = tuple(_line(number, each, colors) for number, each in enumerate(at.searches))
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
            heights = [pane.plot.x_axis.height() if pane.draws else 0 for pane in (first, second)]
            self._share_room(round(heights[1] - heights[0]) if stacked else 0)

    def _share_room(self, more: int) -> None:
        """Make the plots equally large, not the panes: the second pane needs ``more`` pixels."""
        whole = sum(self._splitter.sizes())
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


def _line(number: int, search: AgentSearch, colors: MoveColors) -> AgentLine:
    moves = search.timeline.moves if search.timeline is not None else ()
    styles, sample = styles_of(moves, colors), search.sample
    name = title_of(search.agent)
    return AgentLine(LETTERS[number], name, number, search.timeline, styles, search.finished, sample)


def _known(truth: Truth | None) -> Truth | None:
    """The truth, if any of it is known: question marks on every move would say nothing."""
    return truth if truth is not None and any(each.value is not Value.UNKNOWN for each in truth.moves) else None
