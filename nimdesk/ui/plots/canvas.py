"""The ground that all plots stand on: one pyqtgraph view, a cross-hair, a read-out, the line of the moment shown.

pyqtgraph is configured here, for the whole program.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QEvent, QMetaObject, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QGraphicsScene, QGraphicsView, QVBoxLayout, QWidget

from nimdesk.ui.look.announcing import announce
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.plots.axes import CostAxis, PlainAxis, pen
from nimdesk.ui.plots.data import Mode, Plotted, off_axis, on_axis
from nimdesk.ui.plots.ink import Ink
from nimdesk.ui.plots.readout import Readout

pg.setConfigOptions(antialias=True, imageAxisOrder="row-major", useOpenGL=False)

D = TypeVar("D", bound=Plotted)


class _View(pg.PlotWidget):  # type: ignore[misc]
    """A view without zoom, pan or menu, that tells where the mouse is, and where it presses or drags."""

    moved = Signal(QPointF)
    dragged = Signal(QPointF)
    left = Signal()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.moved.emit(event.position())
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.dragged.emit(event.position())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.dragged.emit(event.position())
        event.ignore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.ignore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.ignore()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def leaveEvent(self, event: QEvent) -> None:
        self.left.emit()


class PlotCanvas(QWidget, Generic[D]):
    """Base of the plots: takes data with rows on an x axis, shows the values under a cross-hair.

    The cross-hair follows the mouse, or the arrow keys, Home and End while the plot has the focus; Escape hides it.
    It always stands on a checkpoint, so every value it shows is exact. Where the plot may be scrubbed, a press or a
    drag chooses the moment that is shown elsewhere, as does Enter at the cross-hair.
    """

    moment_chosen = Signal(float)
    """A person chose this cost on the x axis as the moment to show."""

    def __init__(self, theme: Theme, y_axis: PlainAxis, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._theme = theme
        self._data: D | None = None
        self._mode = Mode()
        self._mouse: QPointF | None = None
        self._checkpoint: int | None = None
        self._pinned = False
        self._held = False
        self._moment: float | None = None
        self.scrubbable = False
        """Whether a press or a drag chooses a moment."""
        self.left_room = 0.0
        """Pixels left of the first row."""
        self.right_room = 4.0
        """Pixels right of the newest iteration, for what is written there."""
        self.least_room = 0.0
        """At least so many of them, so that plots that stand together share their x axis."""
        self.x_axis = CostAxis()
        self.y_axis = y_axis
        self.view: Any = _View(axisItems={"bottom": self.x_axis, "left": y_axis}, enableMenu=False)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.item: Any = self.view.getPlotItem()
        self.item.hideButtons()
        self.item.setMouseEnabled(False, False)
        self.item.disableAutoRange()
        self.item.layout.setContentsMargins(2, 6, 12, 0)
        self.x_axis.setGrid(255)
        # With many items that move together, what has changed is everything.
        self.view.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.view.scene().setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        self.ink = Ink(self.item.vb)
        """What the curves, pictures, marks and names are drawn with."""
        for axis in (self.x_axis, y_axis):
            # Behind the curves: an axis paints its grid itself.
            axis.setZValue(-1)
        self.view.moved.connect(self._mouse_moved)
        self.view.left.connect(self._mouse_left)
        self.view.dragged.connect(self._mouse_dragged)
        self._cross: Any = pg.InfiniteLine(angle=90, movable=False)
        self._cross.setZValue(20)
        self._moment_line: Any = pg.InfiniteLine(angle=90, movable=False)
        self._moment_line.setZValue(19)
        for item in (self._cross, self._moment_line):
            item.hide()
            self.item.addItem(item, ignoreBounds=True)
        self.readout = Readout(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.addWidget(self.view)
        self.readout.raise_()

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of this look."""
        self._theme = theme
        font = self._small_font()
        self.view.setBackground(theme.color("plot"))
        for axis in (self.x_axis, self.y_axis):
            axis.set_theme(theme, font)
        self._cross.setPen(pen(theme.color("muted")))
        self._moment_line.setPen(pen(theme.color("accent"), 2.0))
        self.readout.set_theme(theme)
        self.readout.setFont(font)
        if self._data is not None:
            self.set_data(self._data, self._mode)

    def _small_font(self) -> QFont:
        font = self.font()
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.88))
        return font

    def show_x(self, shown: bool) -> None:
        """Show the numbers and the name of the x axis, or leave them to the plot below and have their room."""
        if shown is self.x_axis.bare:
            self.x_axis.set_bare(not shown, self._theme, self._small_font())
            if self._data is not None:
                self.set_data(self._data, self._mode)

    def set_data(self, data: D, mode: Mode) -> None:
        """Draw this; called for every frame."""
        self._data, self._mode = data, mode
        self.x_axis.log_scale = mode.log_x
        if self.x_axis.cost is not mode.cost:
            self.x_axis.cost = mode.cost
            self.x_axis.picture = None
        self.draw(data, mode)
        self._place_moment()
        self._follow()
        # Else Qt and pyqtgraph move the items later, or while they paint, and everything is painted a second time.
        self.item.layout.activate()
        self.view.scene().prepareForPaint()

    def hold(self, held: bool) -> None:
        """While held, what is drawn is not painted: drawing and painting can have different turns of the event loop."""
        if held == self._held:
            return
        self._held = held
        if held:
            self.view.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.NoViewportUpdate)
        else:
            self.view.viewport().update()
            # What the scene has to say of its changes waits in the same queue: heard, it would be painted twice.
            QMetaObject.invokeMethod(self, "_hear_again", Qt.ConnectionType.QueuedConnection)

    @Slot()
    def _hear_again(self) -> None:
        if not self._held:
            self.view.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)

    def set_moment(self, cost: float | None) -> None:
        """Mark this place of the x axis as the moment shown elsewhere; None (the newest) marks nothing."""
        if cost != self._moment:
            self._moment = cost
            self._place_moment()

    def _place_moment(self) -> None:
        self._moment_line.setVisible(self._moment is not None)
        if self._moment is not None:
            self._moment_line.setValue(float(on_axis(np.array([self._moment]), self._mode)[0]))

    @property
    def checkpoint(self) -> int | None:
        """Where the cross-hair stands, as an index of the data's rows; None when it is hidden."""
        return self._checkpoint

    # What the plots fill in

    def draw(self, data: D, mode: Mode) -> None:
        """Bring every item up to date."""
        raise NotImplementedError

    def say(self, data: D, checkpoint: int) -> None:
        """Fill the read-out with the values at this checkpoint."""
        raise NotImplementedError

    def point_at(self, point: QPointF | None) -> None:
        """The mouse is at this place of the view; None: it is outside the plot."""

    def mark(self, checkpoint: int | None) -> None:
        """Mark what meets the cross-hair, if anything does."""

    def label_x(self, addition: str = "") -> None:
        """Name the x axis by its cost."""
        label = f"{self._mode.cost.value}{addition}"
        if self.x_axis.labelText != label:
            self.x_axis.relabel(label)

    def set_range(self, data: D, mode: Mode, low: float, high: float) -> None:
        """Show the first row to the newest, and the values from ``low`` to ``high``."""
        left, right = data.x_range(mode)
        pixels = max(self.right_room, self.least_room)
        pixel = (right - left) / max(50.0, self.item.vb.width() - pixels - self.left_room)
        self.x_axis.last = right
        seen = left - self.left_room * pixel, right + pixels * pixel
        self.item.vb.setRange(xRange=seen, yRange=(low, high), padding=0)

    # Cross-hair

    def place(self, point: QPointF) -> QPointF:
        """A place of the view in the plot's own coordinates."""
        mapped: QPointF = self.item.vb.mapSceneToView(self.view.mapToScene(point.toPoint()))
        return mapped

    def pixel(self, x: float, y: float) -> QPointF:
        """A place in the plot's own coordinates as a place of this widget."""
        scene = self.item.vb.mapViewToScene(pg.Point(x, y))
        inner: QPointF = QPointF(self.view.mapFromScene(scene)) + QPointF(self.view.pos())
        return inner

    def _mouse_moved(self, point: QPointF) -> None:
        self._mouse, self._pinned = point, False
        self._follow()

    def _mouse_left(self) -> None:
        self._mouse = None
        if not self._pinned:
            self._stand_on(None)
        self.point_at(None)

    def hide_cross_hair(self) -> None:
        """Until the mouse or a key moves again."""
        self._pinned = False
        self._mouse_left()

    def _mouse_dragged(self, point: QPointF) -> None:
        if self.scrubbable and self._data is not None:
            left, right = self._data.x_range(self._mode)
            x = min(max(self.place(point).x(), left), right)
            self.moment_chosen.emit(off_axis(x, self._mode))

    def _follow(self) -> None:
        """Put the cross-hair where the mouse is: the curves may have moved under it."""
        data = self._data
        if data is None:
            return
        if self._mouse is not None and not self._pinned:
            inside = self.item.vb.sceneBoundingRect().contains(self.view.mapToScene(self._mouse.toPoint()))
            x = self.place(self._mouse).x()
            self._stand_on(int(np.abs(data.x(self._mode) - x).argmin()) if inside else None)
            self.point_at(self._mouse if inside else None)
        else:
            self._stand_on(None if self._checkpoint is None else min(self._checkpoint, len(data) - 1))

    def _stand_on(self, checkpoint: int | None) -> None:
        self._checkpoint = checkpoint
        data = self._data
        self._cross.setVisible(checkpoint is not None)
        if checkpoint is not None and data is not None:
            self._cross.setValue(float(data.x(self._mode)[checkpoint]))
        self.show_readout()

    def show_readout(self) -> None:
        """Put the read-out beside the cross-hair, or hide it with it."""
        data, checkpoint = self._data, self._checkpoint
        self.mark(checkpoint)
        if data is None or checkpoint is None:
            self.readout.hide()
            return
        self.say(data, checkpoint)
        at = self.pixel(float(data.x(self._mode)[checkpoint]), 0.0).x()
        right = at + 12 + self.readout.width() <= self.width()
        self.readout.move(int(at + 12 if right else max(0.0, at - 12 - self.readout.width())), self.view.y() + 14)
        self.readout.show()

    # Keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        data, key = self._data, Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.scrubbable and self._checkpoint is not None and data:
            self.moment_chosen.emit(off_axis(float(data.x(self._mode)[self._checkpoint]), self._mode))
            return
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10}.get(key)
        if data is None or (step is None and key not in (Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Escape)):
            super().keyPressEvent(event)
            return
        if key == Qt.Key.Key_Escape:
            if self._checkpoint is None:
                super().keyPressEvent(event)
            self._pinned = False
            self._stand_on(None)
            return
        last = len(data) - 1
        start = last if self._checkpoint is None else self._checkpoint
        target = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}.get(key, start + (step or 0))
        self._pinned = True
        self._stand_on(max(0, min(last, target)))
        announce(self, self.readout.words)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()
        if self._pinned:
            self._pinned = False
            self._stand_on(None)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.hasFocus():
            painter = QPainter(self)
            painter.setPen(self._theme.color("accent"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._data is not None:
            self.set_data(self._data, self._mode)
