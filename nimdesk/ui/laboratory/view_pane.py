"""One view of the searches: its name, a line that explains it, and its plot, or one plot for each agent."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from nimdesk.games.truth import Value
from nimdesk.play.laboratory import MAX_AGENTS
from nimdesk.search.timeline import Cost
from nimdesk.ui.laboratory import drawn_tree
from nimdesk.ui.laboratory.drawn_tree import DrawnTree
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import ElidedLabel, arrange, name_choice, tip
from nimdesk.ui.plots.frame import LISTED, Drawn, Ends, Frame, View
from nimdesk.ui.plots.frame_plot import FramePlot
from nimdesk.ui.plots.history import line_keys
from nimdesk.ui.plots.pane import PlotPane
from nimdesk.ui.plots.toolbar import buttons_style

_RIBBON_KEY = "Full ribbon: the move it would play is optimal; thin: it is not"
_LEAST_CHOICE = 110
"""The width of the name of a view where large words leave it none; it shows in full when the list opens."""
_LEAST_KEY = 120
"""Of the line that explains the plot, a shorter part says nothing."""


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
    view_changed = Signal()
    """Another view is shown, be it chosen by a person or not."""
    move_hovered = Signal(object)
    moment_chosen = Signal(float)
    x_zoomed = Signal(object)
    """These signals are passed on from the plots."""

    def __init__(self, name: str, view: View, new_tree: Callable[[], DrawnTree], parent: QWidget | None = None) -> None:
        """``new_tree`` makes the drawing of the game tree, when it is first wanted."""
        super().__init__(parent)
        self.view = view
        """The view shown, or behind the game tree; see ``set_view``."""
        self._new_tree = new_tree
        self._tree: DrawnTree | None = None
        self._draws_tree = False
        self.chosen = False
        """Whether a person or the settings asked for this view."""
        self.choice = QComboBox()
        self.choice.setMinimumWidth(_LEAST_CHOICE)
        for each in LISTED:
            self.choice.addItem(each.title, each.key)
            self.choice.setItemData(self.choice.count() - 1, tip(each.tip), Qt.ItemDataRole.ToolTipRole)
        self.choice.addItem(drawn_tree.TITLE, drawn_tree.KEY)
        self.choice.setItemData(self.choice.count() - 1, tip(drawn_tree.TIP), Qt.ItemDataRole.ToolTipRole)
        self.choice.activated.connect(self._on_chosen)
        self.key = ElidedLabel("muted")
        self._name = name
        self._buttons: list[QWidget] = []
        self.panels: list[Panel] = []
        """The panels made so far; those not needed now are hidden."""
        self._grid = QGridLayout()
        self._grid.setSpacing(4)
        self._frames: tuple[Frame, ...] = (Frame(),)
        self._columns = 1
        self._head = head = arrange(QHBoxLayout(), self.choice, self.key, wide=self.key)
        self._column = arrange(QVBoxLayout(self), head, spacing=3)
        self._column.addLayout(self._grid, 1)
        name_choice(self.choice, name)
        self._panel(0)
        self._show(view)
        LOOK.changed.connect(self._take_look)

    def add_button(self, button: QWidget) -> None:
        """One more button at the end of the head; where there is no room, the menu has it."""
        self._head.addWidget(button)
        self._buttons.append(button)
        self._take_look()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room, buttons = self.width(), sum(each.sizeHint().width() + self._head.spacing() for each in self._buttons)
        for each in self._buttons:
            each.setVisible(room >= buttons + _LEAST_CHOICE)
        beside = buttons if room >= buttons + _LEAST_CHOICE else 0
        self.key.setVisible(room >= beside + self.choice.sizeHint().width() + _LEAST_KEY)

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
        """The plots that are shown."""
        return [] if self._draws_tree else self.panels[: len(self._frames)]

    def lowest(self, panel: Panel) -> bool:
        """Whether no other panel is below this one."""
        return self.panels.index(panel) + self._columns >= len(self._frames)

    @property
    def tree(self) -> DrawnTree | None:
        """The drawing of the game tree, if that is shown."""
        return self._tree if self._draws_tree else None

    @property
    def shown_key(self) -> str:
        """The name of what is shown, as in the settings and in names of files."""
        return drawn_tree.KEY if self._draws_tree else self.view.key

    def set_tree(self) -> None:
        """Draw the game tree, without emitting ``view_chosen``."""
        self.chosen = self._draws_tree = True
        if self._tree is None:
            self._tree = self._new_tree()
            self._tree.key_changed.connect(self._tell_key)
            self._column.addWidget(self._tree, 1)
        self._tree.show()
        self._show(self.view)

    def set_view(self, view: View) -> None:
        """Show this view without emitting ``view_chosen``."""
        self.chosen, self._draws_tree = True, False
        if self._tree is not None:
            self._tree.hide()
        self._show(view)

    def show_usual(self, view: View) -> None:
        """Show this view unless another one was asked for."""
        if not self.chosen and view is not self.view:
            self._show(view)

    def _show(self, view: View) -> None:
        self.view = view
        self.choice.setCurrentIndex(self.choice.findData(self.shown_key))
        self.choice.setToolTip(tip(drawn_tree.TIP if self._draws_tree else view.tip))
        self.show_frames(self._frames)
        self.view_changed.emit()

    @property
    def may_log(self) -> bool:
        """Whether the values shown may be on a logarithmic axis."""
        return self.view.may_log and not self._draws_tree

    @property
    def plot(self) -> FramePlot:
        return self.plots.plot

    @property
    def draws(self) -> bool:
        """Whether the plot is shown, not the game tree or the reason why there is none."""
        return self.plots.draws and not self._draws_tree

    @property
    def parts(self) -> list[tuple[QWidget, QPoint]]:
        """The widgets below the head, for a picture: each with its place there."""
        if self.tree is not None:
            return [(self.tree.drawing, QPoint())]
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
        self._tell_key()

    def _tell_key(self) -> None:
        first = next((frame for frame in self._frames if not frame.why_not()), None)
        plots = "" if first is None else _key_words(first)
        self.key.setText(plots if self.tree is None else self.tree.key_words)

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
            panel.setVisible(number < count and not self._draws_tree)
        self._column.setStretchFactor(self._grid, int(not self._draws_tree))
        for line in range(MAX_AGENTS):
            self._grid.setRowStretch(line, int(line < math.ceil(count / columns)))
            self._grid.setColumnStretch(line, int(line < columns))

    def set_x_zoom(self, ends: Ends | None) -> None:
        """Show this part of the x axis in all plots."""
        for panel in self.panels:
            panel.plots.set_x_zoom(ends)

    def set_words(self, sentence: str) -> None:
        """Describe the plot in words, for screen readers."""
        title, about, empty = self.view.title, self.view.tip, self.plots.empty.text()
        if self.tree is not None:
            title, about, empty = drawn_tree.TITLE, drawn_tree.TIP, self.tree.why_not
        text = f"{title}. {about}. {empty or sentence}"
        self.setAccessibleDescription(text)
        for panel in self.shown:
            panel.plots.describe(text)

    def _on_chosen(self, index: int) -> None:
        if index < len(LISTED):
            self.set_view(LISTED[index])
        else:
            self.set_tree()
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
