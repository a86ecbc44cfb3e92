"""The ground that all plots over an x axis stand on: one pyqtgraph view, a cross-hair, a read-out, the moment shown.

pyqtgraph is configured here, for the whole program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape, unescape
from typing import Any

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QGraphicsGridLayout,
    QGraphicsItem,
    QGraphicsScene,
    QGraphicsView,
    QGraphicsWidget,
    QVBoxLayout,
    QWidget,
)

from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import Label, announce
from nimdesk.ui.plots.axes import PlotAxis, cost_ticks
from nimdesk.ui.plots.frame import Axis
from nimdesk.ui.plots.history import Floats
from nimdesk.ui.plots.ink import Ink, pen

pg.setConfigOptions(antialias=True, useOpenGL=False)

_TAG = re.compile("<[^>]*>")


_NOTCH = 120.0


class _View(pg.GraphicsView):  # type: ignore[misc]
    """A view without menu that tells where the mouse is, where it presses, drags, turns its wheel or clicks twice.

    Not a ``PlotWidget``, which makes a menu of forty hidden widgets for each plot: whatever goes through all widgets,
    such as a change of the look, would take twice as long.
    """

    moved = Signal(QPointF)
    dragged = Signal(QPointF)
    shoved = Signal(QPointF, QPointF)
    """Dragged with the middle button, or with Shift: from where to where."""
    wheeled = Signal(QPointF, float)
    """The wheel was turned here, by so many notches away from the person."""
    clicked_twice = Signal()
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._held: QPointF | None = None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.moved.emit(event.position())
        if self._held is not None:
            self._held, before = event.position(), self._held
            self.shoved.emit(before, event.position())
        elif event.buttons() & Qt.MouseButton.LeftButton:
            self.dragged.emit(event.position())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        left, shifted = (
            event.button() == Qt.MouseButton.LeftButton,
            event.modifiers() & Qt.KeyboardModifier.ShiftModifier,
        )
        if event.button() == Qt.MouseButton.MiddleButton or (left and shifted):
            self._held = event.position()
        elif left:
            self.dragged.emit(event.position())
        event.ignore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = None
        event.ignore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.clicked_twice.emit()
        event.ignore()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.wheeled.emit(event.position(), event.angleDelta().y() / _NOTCH)
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self.left.emit()


class Readout(Label):
    """A box that the mouse passes through: the exact values under the cross-hair, a row for each move or agent."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent=parent)
        self.setObjectName("readout")
        # A table; ``table_row`` escapes what comes from outside.
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def take_look(self, font: QFont) -> None:
        """Take the colours of the look in use, and this font."""
        theme = LOOK.theme
        self.clear()
        self.setFont(font)
        self.setStyleSheet(
            f"#readout {{ background: {theme.base}; color: {theme.text}; border: 1px solid {theme.border};"
            " border-radius: 4px; padding: 3px 5px; }"
        )

    @property
    def words(self) -> str:
        """What it says, to be spoken: the head, then the rows, with semicolons between them."""
        plain = unescape(_TAG.sub(" ", self.text().replace("<table", ";<table").replace("</tr>", ";")))
        parts = (" ".join(part.replace("■", " ").split()) for part in plain.split(";"))
        return "; ".join(part for part in parts if part) + "."

    def rows(self, height: int) -> int:
        """How many rows fit in a plot of this height."""
        return max(2, min(6, (height - 70) // (self.fontMetrics().height() + 3)))

    def say(self, head: str, rows: Sequence[str]) -> None:
        """Show this head, which is HTML, and these rows that ``table_row`` made."""
        text = f"{head}<table cellspacing='0' cellpadding='1'>{''.join(rows)}</table>"
        # The mouse moves more often than what is below it changes, and to lay out a table takes milliseconds.
        if text != self.text():
            self.setText(text)
            self.adjustSize()


def table_row(color: str, cells: Sequence[str], *, bold: bool = False) -> str:
    """One row of a read-out: a square of this colour, then the cells, which are shown letter by letter."""
    before, after = ("<b>", "</b>") if bold else ("", "")
    texts = ""
    for i, cell in enumerate(cells):
        align, space = ("right" if 0 < i < 3 else "left"), "&nbsp;&nbsp;" if i else ""
        texts += f"<td align='{align}'>{space}{before}{escape(cell)}{after}</td>"
    return f"<tr><td><span style='color:{color}'>■</span>&nbsp;</td>{texts}</tr>"


class PlotCanvas(QWidget):
    """Base of the plots: rows on an x axis, and the values of one of them under a cross-hair.

    The cross-hair follows the mouse, or the arrow keys, Home and End while the plot has the focus; Escape hides it.
    It always stands on a row, so every value it shows is exact. Where the plot may be scrubbed, a press or a drag
    chooses the moment that is shown elsewhere, as does Enter at the cross-hair.
    """

    moment_chosen = Signal(float)
    """A person chose this cost on the x axis as the moment to show."""

    def __init__(self, parent: QWidget | None = None, *, grid: str = "xy") -> None:
        """``grid`` names the axes whose ticks go through the whole plot."""
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._axis, self._x, self._ends = Axis(), np.zeros(0), (0.0, 1.0)
        self._mouse: QPointF | None = None
        self._row: int | None = None
        self._pinned = False
        self.scrubbable = False
        """Whether a press or a drag chooses a moment."""
        self.right_room = 4.0
        """Pixels that are wanted right of the newest row, for what is written there."""
        self.least_room = 0.0
        """At least so many of them, so that plots that stand together share their x axis."""
        self.x_axis, self.y_axis = PlotAxis("bottom"), PlotAxis("left")
        self.view: Any = _View()
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        # All items move together: what has changed is everything.
        self.view.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.view.scene().setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        self.box: Any = pg.ViewBox(enableMouse=False, enableMenu=False)
        self.box.disableAutoRange()
        self._arrange(grid)
        self.ink = Ink(self.box)
        """What the curves, pictures, marks and names are drawn with."""
        self._cross: Any = pg.InfiniteLine(angle=90, movable=False)
        self.moment_line: Any = pg.InfiniteLine(angle=90, movable=False)
        """Marks the moment that is shown elsewhere."""
        self.point: Any = pg.ScatterPlotItem(pxMode=True)
        """What is marked on the cross-hair."""
        for height, item in enumerate((self.moment_line, self._cross, self.point), 19):
            item.setZValue(height)
            item.hide()
            self.box.addItem(item, ignoreBounds=True)
        self.readout = Readout(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addWidget(self.view)
        self.readout.raise_()
        self.view.moved.connect(self._mouse_moved)
        self.view.left.connect(self._mouse_left)
        self.view.dragged.connect(self.mouse_dragged)
        self.box.sigResized.connect(self.redraw)
        LOOK.changed.connect(self.take_look)
        self.take_look()

    def _arrange(self, grid: str) -> None:
        """The box, with its axes left of it and below."""
        layout = QGraphicsGridLayout()
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addItem(self.box, 0, 1)
        layout.setRowStretchFactor(0, 1)
        layout.setColumnStretchFactor(1, 1)
        for name, axis, place in (("x", self.x_axis, (1, 1)), ("y", self.y_axis, (0, 0))):
            axis.linkToView(self.box)
            axis.setGrid(255 if name in grid else False)
            # Behind the curves: an axis paints its grid itself.
            axis.setZValue(-1)
            axis.setFlag(QGraphicsItem.GraphicsItemFlag.ItemNegativeZStacksBehindParent)
            layout.addItem(axis, *place)
        whole = QGraphicsWidget()
        whole.setLayout(layout)
        whole.setContentsMargins(1, 5, 11, 0)
        self.view.setCentralItem(whole)

    def take_look(self) -> None:
        """Take the colours of the look in use."""
        theme, font = LOOK.theme, self.small_font()
        self.view.setBackground(theme.color("plot"))
        self._cross.setPen(pen(theme.color("muted")))
        self.moment_line.setPen(pen(theme.color("accent"), 2.0))
        for part in (self.x_axis, self.y_axis, self.readout):
            part.take_look(font)
        self.redraw()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.take_look()

    def small_font(self, *, bold: bool = False) -> QFont:
        """The font of what is written on a plot."""
        font = self.font()
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.88))
        font.setBold(bold)
        return font

    def show_x(self, shown: bool) -> None:
        """Show the numbers and the name of the x axis, or leave them to the plot below and have their room."""
        if shown is self.x_axis.bare:
            self.x_axis.set_bare(not shown)
            # At once, not in the next turn of the event loop: a picture may be taken before.
            self.box.parentLayoutItem().activate()

    def redraw(self) -> None:
        """Draw what there is to draw, and put the cross-hair where it belongs."""
        if self.draw():
            self._follow()

    # What the plots fill in

    def draw(self) -> bool:
        """Bring everything up to date, with ``set_range`` first; False while there is nothing to draw."""
        raise NotImplementedError

    def say(self, row: int) -> None:
        """Fill the read-out with the values of this row."""
        raise NotImplementedError

    def point_at(self, point: QPointF | None) -> None:
        """The mouse is at this place of the view; None: it is outside the plot."""

    def bring_into_sight(self, x: float) -> None:
        """Show this place of the x axis, if only a part of it is shown."""

    def height_at(self, row: int) -> float | None:
        """Where on the cross-hair a point is marked, if any is."""
        return None

    def set_range(
        self, axis: Axis, x: Floats, ends: tuple[float, float], low: float, high: float, left_room: float = 0.0
    ) -> None:
        """Show these rows between the ends of the x axis, and the values from ``low`` to ``high``."""
        self._axis, self._x, self._ends = axis, x, ends
        left, right = ends
        pixels = max(self.right_room, self.least_room)
        wide = max(50.0, self.box.width() - pixels - left_room)
        pixel = (right - left) / wide
        seen = left - left_room * pixel, right + pixels * pixel
        self.box.setRange(xRange=seen, yRange=(low, high), padding=0)
        self.x_axis.show_ticks(cost_ticks(axis, left, right, wide))
        self.y_axis.leave_room(self.box.height())

    # Cross-hair

    @property
    def checkpoint(self) -> int | None:
        """Where the cross-hair stands, as an index of the rows; None when it is hidden."""
        return self._row

    def place(self, point: QPointF) -> QPointF:
        """A place of the view in the plot's own coordinates."""
        mapped: QPointF = self.box.mapSceneToView(self.view.mapToScene(point.toPoint()))
        return mapped

    def pixel(self, x: float, y: float) -> QPointF:
        """A place in the plot's own coordinates as a place of this widget."""
        scene = self.box.mapViewToScene(pg.Point(x, y))
        return QPointF(self.view.mapFromScene(scene)) + QPointF(self.view.pos())

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

    def mouse_dragged(self, point: QPointF) -> None:
        """The left button is down at this place of the view."""
        if self.scrubbable and len(self._x):
            left, right = self._ends
            self.moment_chosen.emit(self._axis.cost_at(min(max(self.place(point).x(), left), right)))

    def _follow(self) -> None:
        """Put the cross-hair where the mouse is: the curves may have moved under it."""
        if not len(self._x):
            return
        if self._mouse is not None and not self._pinned:
            inside = self.box.sceneBoundingRect().contains(self.view.mapToScene(self._mouse.toPoint()))
            row = int(np.abs(self._x - self.place(self._mouse).x()).argmin())
            self._stand_on(row if inside and self._in_sight(row) else None)
            self.point_at(self._mouse if inside else None)
        else:
            self._stand_on(None if self._row is None else min(self._row, len(self._x) - 1))

    def _in_sight(self, row: int) -> bool:
        left, right = self._ends
        return bool(left - 1e-9 <= self._x[row] <= right + 1e-9)

    def _stand_on(self, row: int | None) -> None:
        self._row = row
        self._cross.setVisible(row is not None)
        if row is not None:
            self._cross.setValue(float(self._x[row]))
        self.show_readout()

    def show_readout(self) -> None:
        """Put the read-out beside the cross-hair, or hide it with it."""
        row = self._row
        height = None if row is None else self.height_at(row)
        self.point.setVisible(height is not None)
        if row is None:
            self.readout.hide()
            return
        if height is not None:
            self.point.setData([float(self._x[row])], [height])
        self.say(row)
        at = self.pixel(float(self._x[row]), 0.0).x()
        right = at + 12 + self.readout.width() <= self.width()
        self.readout.move(int(at + 12 if right else max(0.0, at - 12 - self.readout.width())), self.view.y() + 14)
        self.readout.show()

    # Keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, there = Qt.Key(event.key()), len(self._x) > 0
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.scrubbable and self._row is not None and there:
            self.moment_chosen.emit(self._axis.cost_at(float(self._x[self._row])))
            return
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10}.get(key)
        if not there or (step is None and key not in (Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Escape)):
            super().keyPressEvent(event)
            return
        if key == Qt.Key.Key_Escape:
            if self._row is None:
                super().keyPressEvent(event)
            self._pinned = False
            self._stand_on(None)
            return
        last = len(self._x) - 1
        start = last if self._row is None else self._row
        target = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}.get(key, start + (step or 0))
        self._pinned = True
        row = max(0, min(last, target))
        self.bring_into_sight(float(self._x[row]))
        self._stand_on(row)
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
            with QPainter(self) as painter:
                painter.setPen(LOOK.theme.color("accent"))
                painter.drawRect(self.rect().adjusted(0, 0, -1, -1))


@contextmanager
def with_x_axis(plot: PlotCanvas) -> Iterator[None]:
    """While this lasts the plot has an x axis of its own, though on the screen the one below may stand for both."""
    bare = plot.x_axis.bare
    plot.show_x(True)
    try:
        yield
    finally:
        plot.show_x(not bare)


@contextmanager
def drawn_exactly(plot: PlotCanvas) -> Iterator[None]:
    """While this lasts, all is painted anew, as for a picture that is enlarged or made of lines.

    Cross-hair and buttons are left out: nobody can press them there.
    """
    view = plot.view
    buttons = [button for button in plot.findChildren(QAbstractButton) if not button.isHidden()]
    for button in buttons:
        button.hide()
    cached = view.cacheMode()
    view.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
    plot.ink.set_exact(True)
    plot.hide_cross_hair()
    try:
        yield
    finally:
        plot.ink.set_exact(False)
        view.setCacheMode(cached)
        for button in buttons:
            button.show()
