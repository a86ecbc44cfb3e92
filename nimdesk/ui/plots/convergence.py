"""The convergence panel: the visits of every root move over iterations, live, and after the search has ended."""

from __future__ import annotations

import time

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QLabel,
    QLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from nimdesk.games import Move
from nimdesk.games.truth import Truth
from nimdesk.search.types import Snapshot
from nimdesk.ui.look.move_colors import MoveColors
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.plots.curves import MAX_CURVES, CurvesPlot
from nimdesk.ui.plots.data import Measure, Mode, PlotData
from nimdesk.ui.plots.head import PanelHead, head_style
from nimdesk.ui.plots.heatmap import HeatMapPlot
from nimdesk.ui.plots.legend import LegendView
from nimdesk.ui.plots.move_canvas import MoveCanvas
from nimdesk.ui.plots.texts import EMPTY, summary, title_line, truth_key, why_empty
from nimdesk.ui.plots.toolbar import PlotToolbar

_SPEAK_S = 1.0
"""While a search runs, the description for screen readers changes no more often than this."""

_TITLE_S = 0.5
"""Nor does the title, which nobody could read."""

_ANY = 16777215
"""Qt's largest size: no limit."""


class ConvergencePanel(QWidget):
    """Shows the newest snapshot it was given; drawing happens only while the panel is visible and not paused.

    ``colors`` is shared with the board: whoever owns it calls ``colors.update(snapshot)`` before ``show_snapshot``.
    """

    move_hovered = Signal(object)
    """The ``Move`` whose curve, legend row or heat-map row is pointed at changed; None when there is none."""

    state_changed = Signal()
    """A person changed what ``state`` returns."""

    def __init__(self, theme: Theme, colors: MoveColors, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Convergence")
        self._colors = colors
        self._x, self._y, self._view = "log", "share", "auto"
        self._latest: tuple[Snapshot | None, str] = (None, "")
        self._truth: Truth | None = None
        self._data: PlotData | None = None
        self._title = ""
        self._stale = False
        self._own: Move | None = None
        self._outer: Move | None = None
        self._spoken = self._titled = 0.0
        self._title_late = False
        self.toolbar = PlotToolbar(theme)
        self._head = PanelHead()
        self.title, self.badge, self.key = self._head.title, self._head.badge, self._head.key
        self.curves = CurvesPlot(theme)
        self.heat_map = HeatMapPlot(theme)
        self.legend = LegendView(theme)
        self.empty = QLabel(EMPTY)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self._press_segments()
        self._render()

    def _lay_out(self) -> None:
        self.empty.setWordWrap(True)
        self.empty.setTextFormat(Qt.TextFormat.PlainText)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setMargin(24)
        self._plots = QStackedWidget()
        self._plots.addWidget(self.curves)
        self._plots.addWidget(self.heat_map)
        self._plots.setMinimumSize(150, 90)
        full = QWidget()
        self._middle = QBoxLayout(QBoxLayout.Direction.LeftToRight, full)
        self._middle.setContentsMargins(0, 0, 0, 0)
        self._middle.setSpacing(4)
        self._middle.addWidget(self._plots, 1)
        self._middle.addWidget(self.legend)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(full)
        layout = QVBoxLayout(self)
        # Not the layout's: what it needs depends on the width that the panel is given.
        layout.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        layout.setContentsMargins(6, 6, 6, 4)
        layout.setSpacing(4)
        layout.addWidget(self.toolbar)
        layout.addWidget(self._head)
        layout.addWidget(self._pages, 1)

    def _connect(self) -> None:
        self.toolbar.x_chosen.connect(self._choose_x)
        self.toolbar.y_chosen.connect(self._choose_y)
        self.toolbar.view_chosen.connect(self._choose_view)
        self.toolbar.pause_toggled.connect(self._pause)
        for source in (self.curves, self.heat_map, self.legend):
            source.move_hovered.connect(self._hovered)

    # What the window calls

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of this look."""
        self.setStyleSheet(head_style(theme))
        for part in (self.toolbar, self.curves, self.heat_map, self.legend):
            part.set_theme(theme)

    def show_snapshot(self, snapshot: Snapshot | None, title: str = "", *, held: bool = False) -> None:
        """Show this search under this title, such as "Search for move 4 by O"; None when there is none to show.

        With ``held`` the plot is painted when ``release`` is called, which must follow.
        """
        self._latest = (snapshot, title)
        if self.paused:
            return
        if self.isVisible():
            self._render()
            if held and self._data is not None:
                self.plot.hold(True)
        else:
            self._stale = True

    def release(self) -> None:
        """Paint what was drawn."""
        for plot in (self.curves, self.heat_map):
            plot.hold(False)
        if self._title_late and time.monotonic() - self._titled >= _TITLE_S:
            self._show_title()

    def catch_up(self) -> None:
        """Let title and legend say what the plot shows: they come a moment later, which is seen in a picture alone."""
        self.legend.catch_up()
        if self._title_late:
            self._show_title()

    def _show_title(self) -> None:
        snapshot = self._latest[0]
        self._titled, self._title_late = time.monotonic(), False
        self._head.set_title(title_line(self._title, snapshot if why_empty(snapshot) is None else None))

    def set_truth(self, truth: Truth | None) -> None:
        """Show what is proven of each move beside its estimate; None shows nothing.

        Used while the search shown is of the same position; a frozen display shows it, too.
        """
        self._truth = truth
        data = self._data
        if data is None:
            return
        renewed = PlotData(data.snapshot, data.trace, self._colors, truth)
        if renewed.proven != data.proven:
            self._show_data(renewed)

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
        """What a person chose, for the settings: ``x``, ``y`` and ``view``."""
        return {"x": self._x, "y": self._y, "view": self._view}

    def restore(self, state: dict[str, str | bool]) -> None:
        """Choose what ``state`` returned; what is missing or unknown stays as it is. Emits nothing."""
        self._x = _known(state.get("x"), ("linear", "log"), self._x)
        self._y = _known(state.get("y"), ("share", "count"), self._y)
        self._view = _known(state.get("view"), ("auto", "lines", "heat"), self._view)
        self._redraw()

    @property
    def plot(self) -> MoveCanvas:
        """The plot that is shown: ``curves`` or ``heat_map``."""
        return self.heat_map if self._view_shown() == "heat" else self.curves

    # Drawing

    def _render(self) -> None:
        self._stale = False
        before = self._title
        snapshot, self._title = self._latest
        reason = why_empty(snapshot)
        trace = snapshot.trace if snapshot is not None else None
        live = reason is None and snapshot is not None and snapshot.stopped is None and self._title == before
        # Its count changes all the time, and with it Qt lays out the window anew.
        self._title_late = live
        if not live:
            self._show_title()
        if reason is not None or snapshot is None or trace is None:
            self._data = None
            self._head.set_key("")
            self.empty.setText(reason or EMPTY)
            self._pages.setCurrentIndex(0)
            self.legend.show_data(None)
            self._hovered(None)
            self._speak(reason or EMPTY)
            return
        self._pages.setCurrentIndex(1)
        self._show_data(PlotData(snapshot, trace, self._colors, self._truth))

    def _show_data(self, data: PlotData) -> None:
        self._data = data
        self._redraw()
        self.legend.show_data(data)
        self._fit()
        if data.snapshot.stopped is not None or time.monotonic() - self._spoken >= _SPEAK_S:
            self._speak(summary(self.title.text(), data))

    def _redraw(self) -> None:
        """Draw the data at hand again, after a choice of the person or for a new snapshot."""
        self._press_segments()
        self._plots.setCurrentWidget(self.plot)
        self._head.set_key(truth_key(self._data, lines=self.plot is self.curves) if self._data is not None else "")
        if self._data is not None and self.isVisible():
            self.plot.set_highlight(self._shown_highlight)
            measure = Measure.VISITS if self._y == "count" else Measure.SHARE
            self.plot.set_data(self._data, Mode(log_x=self._x == "log", measure=measure))
        elif self._data is not None:
            self._stale = True

    def _speak(self, text: str) -> None:
        self._spoken = time.monotonic()
        if text != self.accessibleDescription():
            self.setAccessibleDescription(text)

    def _view_shown(self) -> str:
        if self._view != "auto":
            return self._view
        return self._automatic_view()

    def _automatic_view(self) -> str:
        return "heat" if self._data is not None and len(self._data.moves) > MAX_CURVES else "lines"

    def _press_segments(self) -> None:
        self.toolbar.x_axis.set_value(self._x)
        self.toolbar.values.set_value(self._y)
        self.toolbar.view_as.set_value(self._view_shown())

    # What a person does

    def _choose_x(self, key: str) -> None:
        self._x = key
        self._chosen()

    def _choose_y(self, key: str) -> None:
        self._y = key
        self._chosen()

    def _choose_view(self, key: str) -> None:
        # Choosing what would be chosen by itself gives the choice back, so that the next game gets its own.
        self._view = "auto" if key == self._automatic_view() else key
        self._chosen()

    def _chosen(self) -> None:
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
        self.plot.set_highlight(self._shown_highlight)
        self.legend.set_highlight(self._shown_highlight)

    # Room

    def minimumSizeHint(self) -> QSize:
        return QSize(min(480, self.toolbar.compact_width() + 12), 220)

    def sizeHint(self) -> QSize:
        return QSize(700, 350)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale and not self.paused:
            self._render()
        elif self._stale:
            self._stale = False
            self._redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Give the legend its room: beside the plot, with fewer columns, or below it."""
        room = round(0.42 * self.width())
        narrow = self.legend.full_width() > room
        below = narrow and self.height() > max(0.8 * self.width(), 320)
        self.legend.fit_into(room if narrow and not below else None)
        way = QBoxLayout.Direction.TopToBottom if below else QBoxLayout.Direction.LeftToRight
        if self._middle.direction() != way:
            self._middle.setDirection(way)
        if below:
            self.legend.setMinimumWidth(0)
            self.legend.setMaximumSize(_ANY, self.height() // 3)
        else:
            self.legend.setMaximumHeight(_ANY)
            self.legend.setFixedWidth(min(self.legend.content_width(), self.width() // 2))


def _known(value: object, allowed: tuple[str, ...], otherwise: str) -> str:
    return value if isinstance(value, str) and value in allowed else otherwise
