"""The ground that both convergence plots stand on: one pyqtgraph view, a cross-hair, a read-out, the leader strip.

pyqtgraph is configured here, for the whole program.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from nimdesk.games import Move
from nimdesk.ui.plots.axes import IterationAxis, PlainAxis, pen
from nimdesk.ui.plots.data import Ints, Mode, PlotData
from nimdesk.ui.plots.readout import Readout
from nimdesk.ui.theme import Theme

pg.setConfigOptions(antialias=True, imageAxisOrder="row-major", useOpenGL=False)

STRIP_COLUMNS = 400
STRIP_HEIGHT = 0.022
"""Height of the leader strip as a part of the value axis; it stands above the top of the data."""
STRIP_GAP = 0.03


class _View(pg.PlotWidget):  # type: ignore[misc]
    """A view without zoom, pan or menu, that tells where the mouse is."""

    moved = Signal(QPointF)
    left = Signal()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.moved.emit(event.position())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.ignore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.ignore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.ignore()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def leaveEvent(self, event: QEvent) -> None:
        self.left.emit()


class PlotCanvas(QWidget):
    """Base of the plots: takes ``PlotData``, shows the values under a cross-hair, says which move is pointed at.

    The cross-hair follows the mouse, or the arrow keys, Home and End while the plot has the focus; Escape hides it.
    It always stands on a checkpoint, so every value it shows is exact.
    """

    move_hovered = Signal(object)
    """The ``Move`` whose curve or row is under the mouse changed; None when there is none."""

    def __init__(self, theme: Theme, y_axis: PlainAxis, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._theme = theme
        self._data: PlotData | None = None
        self._mode = Mode()
        self._highlight: Move | None = None
        self._hovered: Move | None = None
        self._mouse: QPointF | None = None
        self._checkpoint: int | None = None
        self._pinned = False
        self._strip_colors: np.ndarray[Any, Any] | None = None
        self._strip_theme: Theme | None = None
        self.right_room = 4.0
        """Pixels right of the newest iteration, for what is written there."""
        self.x_axis = IterationAxis()
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
        for axis in (self.x_axis, y_axis):
            # Behind the curves: an axis paints its grid itself.
            axis.setZValue(-1)
        self.view.moved.connect(self._mouse_moved)
        self.view.left.connect(self._mouse_left)
        self._strip: Any = pg.ImageItem()
        self._strip.setZValue(9)
        self._cross: Any = pg.InfiniteLine(angle=90, movable=False)
        self._cross.setZValue(20)
        self._cross.hide()
        for item in (self._strip, self._cross):
            self.item.addItem(item, ignoreBounds=True)
        self.readout = Readout(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.addWidget(self.view)
        self.readout.raise_()

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of this look."""
        self._theme = theme
        font = self.font()
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.88))
        self.view.setBackground(theme.color("plot"))
        for axis in (self.x_axis, self.y_axis):
            axis.set_theme(theme, font)
        self._cross.setPen(pen(theme.color("muted")))
        self.readout.set_theme(theme)
        self.readout.setFont(font)
        if self._data is not None:
            self.set_data(self._data, self._mode)

    def set_data(self, data: PlotData, mode: Mode) -> None:
        """Draw this; called for every frame."""
        self._data, self._mode = data, mode
        self.x_axis.log_scale = mode.log_x
        self.draw(data, mode)
        self._follow()

    def set_highlight(self, move: Move | None) -> None:
        """Make this move stand out."""
        if move != self._highlight:
            self._highlight = move
            self.draw_highlight()
            self._show_readout()

    @property
    def checkpoint(self) -> int | None:
        """Where the cross-hair stands, as an index of the trace's rows; None when it is hidden."""
        return self._checkpoint

    # What the plots fill in

    def draw(self, data: PlotData, mode: Mode) -> None:
        """Bring every item up to date."""
        raise NotImplementedError

    def draw_highlight(self) -> None:
        """Bring up to date what depends on the highlighted move alone."""
        raise NotImplementedError

    def move_at(self, point: QPointF) -> Move | None:
        """The move drawn at this place of the view, None if there is none near."""
        raise NotImplementedError

    def mark(self, checkpoint: int | None, move: Move | None) -> None:
        """Mark where ``move`` meets the cross-hair."""

    def set_range(self, data: PlotData, mode: Mode, low: float, high: float) -> None:
        """Show iteration 1 to the newest, and the values from ``low`` to ``high``."""
        left, right = data.x_range(mode)
        room = self.right_room / max(50.0, self.item.vb.width() - self.right_room)
        self.x_axis.last = right
        self.item.vb.setRange(xRange=(left, right + room * (right - left)), yRange=(low, high), padding=0)

    # The leader strip

    def draw_strip(self, data: PlotData, mode: Mode, low: float, high: float) -> None:
        """Paint, between these heights, which move led at each iteration, in the moves' colours."""
        if self._strip_colors is None or self._strip_theme is not self._theme:
            colors = [self._theme.color("border"), *(self._theme.curve(i) for i in range(len(self._theme.curves)))]
            self._strip_colors = np.array([color.getRgb() for color in colors], dtype=np.uint8)
            self._strip_theme = self._theme
        styles = data.styles[data.leaders[data.resampled(mode, STRIP_COLUMNS)]]
        lookup = np.where(styles < 0, 0, styles % len(self._theme.curves) + 1)
        self._strip.setImage(self._strip_colors[lookup][np.newaxis], autoLevels=False)
        left, right = data.x_range(mode)
        self._strip.setRect(left, low, right - left, high - low)

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
        self._hover(None)

    def _follow(self) -> None:
        """Put the cross-hair where the mouse is: the curves may have moved under it."""
        data = self._data
        if data is None:
            return
        if self._mouse is not None and not self._pinned:
            inside = self.item.vb.sceneBoundingRect().contains(self.view.mapToScene(self._mouse.toPoint()))
            self._stand_on(data.nearest(self.place(self._mouse).x(), self._mode) if inside else None)
            self._hover(self.move_at(self._mouse) if inside else None)
        else:
            self._stand_on(None if self._checkpoint is None else min(self._checkpoint, len(data) - 1))

    def _stand_on(self, checkpoint: int | None) -> None:
        self._checkpoint = checkpoint
        data = self._data
        self._cross.setVisible(checkpoint is not None)
        if checkpoint is not None and data is not None:
            self._cross.setValue(float(data.x(self._mode)[checkpoint]))
        self._show_readout()

    def _hover(self, move: Move | None) -> None:
        if move != self._hovered:
            self._hovered = move
            self.move_hovered.emit(move)

    # Read-out

    def readout_columns(self, checkpoint: int, room: int) -> Ints:
        """Which moves the read-out lists: the most visited at that checkpoint, and the highlighted one."""
        assert self._data is not None
        columns = np.argsort(-self._data.visits[checkpoint].astype(np.int64), kind="stable")[:room]
        pointed = self._data.column(self._highlight)
        if pointed is not None and pointed not in columns:
            columns[-1] = pointed
        return columns

    def _show_readout(self) -> None:
        data, checkpoint = self._data, self._checkpoint
        self.mark(checkpoint, self._highlight)
        if data is None or checkpoint is None:
            self.readout.hide()
            return
        columns = self.readout_columns(checkpoint, self.readout.rows(self.height()))
        self.readout.say(data, checkpoint, columns, self._highlight)
        at = self.pixel(float(data.x(self._mode)[checkpoint]), 0.0).x()
        right = at + 12 + self.readout.width() <= self.width()
        self.readout.move(int(at + 12 if right else max(0.0, at - 12 - self.readout.width())), self.view.y() + 14)
        self.readout.show()

    # Keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        data, key = self._data, Qt.Key(event.key())
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
