"""Plots of frames, of which a part can be looked at: zoom and pan, by the mouse or by keys."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QToolButton, QWidget

from nimdesk.ui.plots.canvas import PlotCanvas
from nimdesk.ui.plots.frame import Ends, Frame

_STEP, _NEAREST = 0.8, 200.0
"""One notch of the wheel leaves this part of an axis; at most so many times nearer than the whole."""


class FramePlot(PlotCanvas):
    """A plot that draws frames, all of them or the part that a person looks at.

    The wheel zooms about the mouse, over an axis that axis alone; the middle button, or Shift, drags what is shown. In
    the plot + and - zoom about the cross-hair, and Shift with an arrow key moves. A double click, the key 0 or the
    button shows all again.
    """

    x_zoomed = Signal(object)
    """A person zoomed or moved on the x axis: ``x_zoom``."""

    zooms_y = True
    """Whether a part of the value axis can be shown alone."""

    def __init__(self, parent: QWidget | None = None, *, grid: str = "xy") -> None:
        self.frame: Frame | None = None
        """What it shows, zoomed."""
        self._whole: Frame | None = None
        self.x_zoom: Ends | None = None
        """The part of the x axis that is shown; None: all of it."""
        self._y_zoom: Ends | None = None
        self._moment: float | None = None
        self.reset = QToolButton()
        super().__init__(parent, grid=grid)
        self.reset.setParent(self)
        self.reset.setText("All")
        self.reset.setToolTip("Show all of it again (0, or a double click)")
        self.reset.setAccessibleName("Show all of the plot again")
        self.reset.hide()
        self.reset.clicked.connect(self.show_all)
        self.view.wheeled.connect(self._on_wheel)
        self.view.shoved.connect(self._on_shoved)
        self.view.clicked_twice.connect(self._on_clicked_twice)

    def show_frame(self, frame: Frame) -> None:
        """Draw this, which must have something to draw."""
        before, self._whole = self._whole, frame
        if before is None or (before.view, before.logged, before.zoomed) != (frame.view, frame.logged, frame.zoomed):
            self._y_zoom = None
        self.moment_line.setVisible(frame.moment is not None)
        if frame.moment is not None:
            self.moment_line.setValue(float(frame.axis.places(np.array([frame.moment]))[0]))
        self.redraw()

    def adapted(self, frame: Frame) -> Frame:
        """The frame with what this plot adds to it."""
        return frame

    def draw(self) -> bool:
        if self._whole is None:
            return False
        frame = self.adapted(self._whole)
        x, y = _part(self.x_zoom, frame.x_range), _part(self._y_zoom, frame.y_range)
        if x is not None or y is not None:
            frame = replace(frame, x_ends=x or frame.x_ends, y_ends=y or frame.y_ends)
        self.frame = frame
        self.draw_frame(frame)
        self.reset.setVisible(x is not None or y is not None)
        self.reset.setFont(self.small_font())
        self.reset.adjustSize()
        self.reset.move(self.width() - self.reset.width() - 4, self.height() - self.reset.height() - 2)
        self.reset.raise_()
        return True

    def draw_frame(self, frame: Frame) -> None:
        """Bring everything up to date."""
        raise NotImplementedError

    # The part that is looked at

    def set_x_zoom(self, ends: Ends | None) -> None:
        """Show this part of the x axis, or all of it; emits nothing."""
        if ends != self.x_zoom:
            self.x_zoom = ends
            if self.isVisible():
                self.redraw()

    def show_all(self) -> None:
        """Show all of it again."""
        self._y_zoom = None
        self._set_x(None)

    def _set_x(self, ends: Ends | None) -> None:
        changed, self.x_zoom = ends != self.x_zoom, ends
        self.redraw()
        if changed:
            self.x_zoomed.emit(ends)

    def zoom_by(self, times: float, about: QPointF, *, x: bool = True, y: bool = True) -> None:
        """Show so many times less of these axes about this place of the plot."""
        if self.frame is None or self._whole is None:
            return
        whole = self.adapted(self._whole)
        if y and self.zooms_y:
            self._y_zoom = _nearer(self.frame.y_range, about.y(), times, whole.y_range)
        self._set_x(_nearer(self.frame.x_range, about.x(), times, whole.x_range) if x else self.x_zoom)

    def move_by(self, x: float, y: float) -> None:
        """Show what lies so far right and up of what is shown, in the plot's own coordinates, if there is any."""
        if self.frame is None or self._whole is None:
            return
        whole = self.adapted(self._whole)
        if self._y_zoom is not None:
            self._y_zoom = _moved(self.frame.y_range, y, whole.y_range)
        self._set_x(None if self.x_zoom is None else _moved(self.frame.x_range, x, whole.x_range))

    def bring_into_sight(self, x: float) -> None:
        left, right = self._ends
        if self.x_zoom is not None and not left <= x <= right:
            self.move_by(x - (right if x > right else left), 0.0)

    def _on_wheel(self, point: QPointF, notches: float) -> None:
        box = self.box.sceneBoundingRect()
        at = self.view.mapToScene(point.toPoint())
        self.zoom_by(_STEP**-notches, self.place(point), x=at.x() >= box.left(), y=at.y() <= box.bottom())

    def _on_shoved(self, before: QPointF, now: QPointF) -> None:
        way = self.place(before) - self.place(now)
        self.move_by(way.x(), way.y())

    def mouse_dragged(self, point: QPointF) -> None:
        self._moment = None if self._whole is None else self._whole.moment
        super().mouse_dragged(point)

    def _on_clicked_twice(self) -> None:
        if self.reset.isVisible():
            # The first click of the two has chosen a moment, which was not meant.
            if self.scrubbable and len(self._x):
                self.moment_chosen.emit(
                    self._axis.cost_at(float(self._x[-1])) if self._moment is None else self._moment
                )
            self.show_all()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        frame, key = self.frame, Qt.Key(event.key())
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        times = {Qt.Key.Key_Plus: 1 / _STEP, Qt.Key.Key_Equal: 1 / _STEP, Qt.Key.Key_Minus: _STEP}.get(key)
        ways = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)}
        if frame is not None and times is not None:
            (left, right), (low, high) = frame.x_range, frame.y_range
            x = (left + right) / 2 if self.checkpoint is None else float(self._x[self.checkpoint])
            self.zoom_by(times, QPointF(x, (low + high) / 2))
        elif frame is not None and key == Qt.Key.Key_0:
            self.show_all()
        elif frame is not None and shifted and key in ways:
            (left, right), (low, high) = frame.x_range, frame.y_range
            across, up = ways[key]
            self.move_by(across * (right - left) / 10, up * (high - low) / 10)
        else:
            super().keyPressEvent(event)


def _part(zoomed: Ends | None, whole: Ends) -> Ends | None:
    """What there is of this part of an axis; None for all of it."""
    if zoomed is None:
        return None
    low, high = max(zoomed[0], whole[0]), min(zoomed[1], whole[1])
    span = (whole[1] - whole[0]) / _NEAREST / 2
    return (low, high) if high - low > span and (low, high) != whole else None


def _nearer(shown: Ends, about: float, times: float, whole: Ends) -> Ends | None:
    """So many times less of what is shown about a place; None where that is the whole."""
    span = max((shown[1] - shown[0]) / times, (whole[1] - whole[0]) / _NEAREST)
    if span >= (whole[1] - whole[0]) * (1 - 1e-9):
        return None
    part = min(max((about - shown[0]) / (shown[1] - shown[0]), 0.0), 1.0)
    low = min(max(about - part * span, whole[0]), whole[1] - span)
    return low, low + span


def _moved(shown: Ends, by: float, whole: Ends) -> Ends:
    by = min(max(by, whole[0] - shown[0]), whole[1] - shown[1])
    return shown[0] + by, shown[1] + by
