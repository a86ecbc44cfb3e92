"""What the plots of one search's root moves share: the highlighted move, the strip of leaders, the moves' read-out."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, Signal
from PySide6.QtWidgets import QWidget

from nimdesk.games import Move
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.plots.axes import PlainAxis
from nimdesk.ui.plots.canvas import PlotCanvas
from nimdesk.ui.plots.data import Ints, Mode, PlotData
from nimdesk.ui.plots.ink import Picture

STRIP_COLUMNS = 400
STRIP_HEIGHT = 0.022
"""Height of the leader strip as a part of the value axis; it stands above the top of the data."""
STRIP_GAP = 0.03


class MoveCanvas(PlotCanvas[PlotData]):
    """A plot in which a move can be pointed at, here or elsewhere."""

    move_hovered = Signal(object)
    """The ``Move`` whose curve or row is under the mouse changed; None when there is none."""

    def __init__(self, theme: Theme, y_axis: PlainAxis, parent: QWidget | None = None) -> None:
        super().__init__(theme, y_axis, parent)
        self._highlight: Move | None = None
        self._hovered: Move | None = None
        self._strip_colors: np.ndarray[Any, Any] | None = None
        self._strip_theme: Theme | None = None

    def set_highlight(self, move: Move | None) -> None:
        """Make this move stand out."""
        if move != self._highlight:
            self._highlight = move
            self.draw_highlight()
            self.show_readout()

    def draw_highlight(self) -> None:
        """Bring up to date what depends on the highlighted move alone."""
        raise NotImplementedError

    def move_at(self, point: QPointF) -> Move | None:
        """The move drawn at this place of the view, None if there is none near."""
        raise NotImplementedError

    def point_at(self, point: QPointF | None) -> None:
        move = None if point is None else self.move_at(point)
        if move != self._hovered:
            self._hovered = move
            self.move_hovered.emit(move)

    # The leader strip

    def strip(self, data: PlotData, mode: Mode, bottom: float, top: float) -> Picture:
        """Between these heights, which move led at each iteration, in the moves' colours."""
        styles = data.styles[data.leaders[data.resampled(mode, STRIP_COLUMNS)]]
        colors = self.style_colors()[np.where(styles < 0, -1, styles)]
        return Picture(colors[np.newaxis], data.x_range(mode), (bottom, top))

    def style_colors(self) -> np.ndarray[Any, Any]:
        """The colour of each style, repeated for all there may be, and last that of moves without one; RGBA uint8."""
        if self._strip_colors is None or self._strip_theme is not self._theme:
            colors = [*(self._theme.curve(style) for style in range(400)), self._theme.color("border")]
            self._strip_colors = np.array([color.getRgb() for color in colors], dtype=np.uint8)
            self._strip_theme = self._theme
        return self._strip_colors

    # Read-out

    def readout_columns(self, data: PlotData, checkpoint: int, room: int) -> Ints:
        """Which moves the read-out lists: the most visited at that checkpoint, and the highlighted one."""
        columns = np.argsort(-data.visits[checkpoint].astype(np.int64), kind="stable")[:room]
        pointed = data.column(self._highlight)
        if pointed is not None and pointed not in columns:
            columns[-1] = pointed
        return columns

    def say(self, data: PlotData, checkpoint: int) -> None:
        columns = self.readout_columns(data, checkpoint, self.readout.rows(self.height()))
        self.readout.say_moves(data, self._mode, checkpoint, columns, self._highlight)
