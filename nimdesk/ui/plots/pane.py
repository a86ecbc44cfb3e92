"""A pane of the laboratory: one view of the frame, chosen by the person, with the plots made when first wanted."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from nimdesk.games import Move
from nimdesk.games.truth import Value
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.look.widgets import ElidedLabel, name_choice
from nimdesk.ui.plots.curves import CurvesPlot
from nimdesk.ui.plots.frame import VIEWS, Frame, View
from nimdesk.ui.plots.heatmap import HeatMapPlot
from nimdesk.ui.plots.looks import KEYS
from nimdesk.ui.plots.move_canvas import MoveCanvas
from nimdesk.ui.plots.series import SeriesPlot
from nimdesk.ui.plots.stack import StackPlot

_KINDS: dict[View, type[CurvesPlot | HeatMapPlot | StackPlot | SeriesPlot]] = {
    View.STACK: StackPlot,
    View.HEAT: HeatMapPlot,
    View.MEAN_HEAT: HeatMapPlot,
    View.ENTROPY: SeriesPlot,
    View.OPTIMAL: SeriesPlot,
    View.REGRET: SeriesPlot,
}
_RIBBON_KEY = "Full ribbon: the move it would play is optimal; thin: it is not"


class ViewPane(QWidget):
    """A list of views, one line of key, and the plot; draws only while it is visible."""

    move_hovered = Signal(object)
    """The ``Move`` under the mouse changed; None when there is none."""
    moment_chosen = Signal(float)
    """A person pressed or dragged on the plot: the cost there."""
    view_chosen = Signal()
    """A person chose another view."""

    def __init__(self, name: str, view: View, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._name, self._view = theme, name, view
        self._frame = Frame()
        self._moment: float | None = None
        self._highlight: Move | None = None
        self._plots: dict[type, CurvesPlot | HeatMapPlot | StackPlot | SeriesPlot] = {}
        self._stale = False
        self._x_shown = True
        self.choice = QComboBox()
        for each in View:
            self.choice.addItem(each.title, each.key)
            self.choice.setItemData(self.choice.count() - 1, each.tip, Qt.ItemDataRole.ToolTipRole)
        self.choice.activated.connect(self._on_chosen)
        self.key = ElidedLabel("muted")
        self.empty = QLabel()
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setMargin(20)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.setMinimumSize(160, 96)
        head = QHBoxLayout()
        head.addWidget(self.choice)
        head.addWidget(self.key, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        layout.addLayout(head)
        layout.addWidget(self._pages, 1)
        name_choice(self.choice, name)
        self.set_view(view)

    @property
    def view(self) -> View:
        """What is shown."""
        return self._view

    @property
    def plot(self) -> CurvesPlot | HeatMapPlot | StackPlot | SeriesPlot:
        """The plot of this view, made if need be."""
        return self._plot(self._kind)

    @property
    def _kind(self) -> type[CurvesPlot | HeatMapPlot | StackPlot | SeriesPlot]:
        return _KINDS.get(self._view, CurvesPlot)

    def make_ahead(self) -> bool:
        """Make one more plot that another view would need: choosing it then takes no longer than a frame.

        Returns whether there was any to make.
        """
        missing = [kind for kind in (SeriesPlot, CurvesPlot, HeatMapPlot, StackPlot) if kind not in self._plots]
        if missing:
            self._plot(missing[0])
        return bool(missing)

    def _plot(
        self, kind: type[CurvesPlot | HeatMapPlot | StackPlot | SeriesPlot]
    ) -> CurvesPlot | HeatMapPlot | StackPlot | SeriesPlot:
        if kind not in self._plots:
            made = self._plots[kind] = kind(self._theme)
            made.scrubbable = True
            made.moment_chosen.connect(self.moment_chosen)
            if isinstance(made, MoveCanvas):
                made.move_hovered.connect(self.move_hovered)
            self._pages.addWidget(made)
            self.setTabOrder(self.choice, made)
        return self._plots[kind]

    def set_view(self, view: View) -> None:
        """Show this, without emitting ``view_chosen``."""
        self._view = view
        self.choice.setCurrentIndex(self.choice.findData(view.key))
        self.choice.setToolTip(view.tip)
        self._redraw()

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of this look."""
        self._theme = theme
        for plot in self._plots.values():
            plot.set_theme(theme)
        self._redraw()

    def show_frame(self, frame: Frame) -> None:
        """Draw this."""
        self._frame = frame
        self._redraw()

    def hold(self) -> None:
        """What is drawn from now on is painted when ``release`` is called."""
        if (plot := self._plots.get(self._kind)) is not None:
            plot.hold(True)

    def release(self) -> None:
        """Paint what was drawn."""
        for plot in self._plots.values():
            plot.hold(False)

    def set_moment(self, moment: float | None) -> None:
        """Mark this cost on the x axis."""
        self._moment = moment
        # The plots of other views take it when they are drawn.
        if (plot := self._plots.get(self._kind)) is not None:
            plot.set_moment(moment)

    def set_highlight(self, move: Move | None) -> None:
        """Make this move stand out; emits nothing."""
        self._highlight = move
        plot = self._plots.get(self._kind)
        if isinstance(plot, MoveCanvas):
            plot.set_highlight(move)

    def set_words(self, sentence: str) -> None:
        """What the plot shows in words, for people who do not see it."""
        text = f"{self._view.title}. {self._view.tip}. {self.empty.text() or sentence}"
        # The plot has the keyboard, not the pane around it.
        for part in (self, *self._plots.values()):
            if text != part.accessibleDescription():
                part.setAccessibleDescription(text)

    def _redraw(self) -> None:
        if not self.isVisible():
            self._stale = True
            return
        self._stale = False
        reason = self._frame.why_not(self._view)
        self.empty.setText(reason)
        self.key.setText("" if reason else self._key_words())
        if reason:
            self._pages.setCurrentWidget(self.empty)
            return
        plot, mode = self.plot, self._frame.mode(self._view)
        self._pages.setCurrentWidget(plot)
        plot.show_x(self._x_shown)
        # Before it draws: the moment and the highlight are drawn with the data.
        plot.set_moment(self._moment)
        plot.setAccessibleName(f"{self._name}: {self._view.title}")
        if isinstance(plot, SeriesPlot):
            series = self._frame.series(self._view)
            assert series is not None
            plot.set_data(series, mode)
        elif self._frame.data is not None:
            plot.set_highlight(self._highlight)
            plot.set_data(self._frame.data, mode)

    def _key_words(self) -> str:
        data, view, frame = self._frame.data, self._view, self._frame
        if not view.of_moves:
            missing = frame.missing(view)
            without = f"Without {', '.join(missing)}: no {frame.cost.value}. " if missing else ""
            series = frame.series(view)
            judged = series is not None and any(each.good is not None for each in series.series)
            return without + (_RIBBON_KEY if judged else "Ribbon in the colour of the move it would play")
        values = {each.value for each in data.proven} if data is not None else set()
        if view in (View.HEAT, View.MEAN_HEAT):
            return ""
        if view is View.STACK:
            return "faint loses" if Value.LOSS in values else ""
        words = ", ".join(words for value, words in KEYS.items() if value in values)
        return f"line: mean, band: exploration · {words}".rstrip(" ·") if view is View.BOUND else words

    @property
    def left_width(self) -> int:
        """How wide the axis at the left of the plot has to be."""
        return int(self.plot.y_axis.own_width)

    @property
    def right_room(self) -> float:
        """How many pixels right of the newest iteration the plot wants for words."""
        return self.plot.right_room

    def share_edges(self, left: int, right: float) -> None:
        """Leave at least so much room at both sides, so that plots above each other share their x axis."""
        if self._pages.currentWidget() is self.plot:
            self.plot.y_axis.share_width(left)
            if right != self.plot.least_room:
                self.plot.least_room = right
                self._redraw()

    @property
    def draws(self) -> bool:
        """Whether there is a plot to be seen, not the reason why there is none."""
        return self.isVisible() and self._pages.currentWidget() is not self.empty

    @property
    def page(self) -> QWidget:
        """What is to be seen below the head: the plot, or the reason why there is none."""
        return self._pages.currentWidget() or self.empty

    def show_x(self, shown: bool) -> None:
        """Show the numbers and the name of the x axis, or leave them to the pane below."""
        if shown is not self._x_shown:
            self._x_shown = shown
            if self.draws:
                self.plot.show_x(shown)

    @property
    def x_height(self) -> int:
        """How many pixels the x axis takes."""
        return round(self.plot.x_axis.height()) if self.draws else 0

    def _on_chosen(self, index: int) -> None:
        self.set_view(VIEWS[str(self.choice.itemData(index))])
        self.view_chosen.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._redraw()

    def sizeHint(self) -> QSize:
        return QSize(520, 260)
