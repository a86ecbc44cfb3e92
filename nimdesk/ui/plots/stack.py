"""The stack: the shares of all root moves on top of each other, so that together they always fill the plot."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QWidget

from nimdesk.games import Move
from nimdesk.games.truth import Value
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.plots.axes import ValueAxis
from nimdesk.ui.plots.curves import MAX_CURVES
from nimdesk.ui.plots.data import Floats, Ints, Mode, PlotData
from nimdesk.ui.plots.ink import Picture, Shape, Words
from nimdesk.ui.plots.move_canvas import STRIP_GAP, STRIP_HEIGHT, MoveCanvas

_COLUMNS, _ROWS = 400, 240
_STRONG, _FAINT, _OTHERS = 225, 105, 60
_NAMED = 0.07
"""A layer that ends this high, as a part of the plot, has room for its name."""


def _layers_at(edges: Floats) -> np.ndarray[Any, Any]:
    """Which layer each pixel shows, (_ROWS, columns): the number of edges (layers, columns) below its middle."""
    heights = 1 - (np.arange(_ROWS) + 0.5) / _ROWS
    columns = edges.shape[1]
    # So many rows from the top on lie above an edge; summed up from below, each row counts its edges.
    above = _ROWS - np.searchsorted(heights[::-1], edges, side="right")
    places = above * columns + np.arange(columns)
    ends = np.bincount(places.ravel(), minlength=(_ROWS + 1) * columns).reshape(_ROWS + 1, columns)
    return ends[:0:-1].cumsum(axis=0, dtype=np.int16)[::-1]


class StackPlot(MoveCanvas):
    """One layer for each move, painted as one picture; the leader lies at the bottom, the rest is one grey layer.

    Layers of moves that are proven to lose are faint.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._values = ValueAxis()
        super().__init__(theme, self._values, parent)
        self.setAccessibleName("Stacked shares of the moves over iterations")
        self._above: list[Shape] = []
        self._layers: Ints = np.zeros(0, np.int64)
        self._edges: Floats = np.zeros((0, 0))
        self._index: np.ndarray[Any, Any] | None = None
        self.set_theme(theme)

    def draw(self, data: PlotData, mode: Mode) -> None:
        self._values.measure("share of visits, stacked", "%", 0.0, 1.0)
        self.right_room = 62.0
        self.set_range(data, mode, 0.0, 1 + STRIP_GAP + STRIP_HEIGHT)
        self.label_x()
        self._layers = data.order[:MAX_CURVES]
        rows = data.resampled(mode, _COLUMNS)
        shares = (data.visits[rows][:, self._layers] / data.totals[rows, np.newaxis]).T
        # The upper edge of each layer at each step; what is left above the last one is the rest.
        self._edges = np.cumsum(shares, axis=0)
        self._index = _layers_at(self._edges)
        strip = self.strip(data, mode, 1 + STRIP_GAP, 1 + STRIP_GAP + STRIP_HEIGHT)
        self._above = [strip, *self._names(data, mode)]
        self._paint(data)

    def draw_highlight(self) -> None:
        if self._data is not None:
            self._paint(self._data)

    def _paint(self, data: PlotData) -> None:
        if self._index is None:
            return
        colors = np.zeros((len(self._layers) + 1, 4), np.uint8)
        pointed = data.column(self._highlight)
        table = self.style_colors()
        for layer, column in enumerate(self._layers.tolist()):
            colors[layer] = table[int(data.styles[column])]
            faint = data.value(column) is Value.LOSS if pointed is None else column != pointed
            colors[layer, 3] = _FAINT if faint else _STRONG
        muted = self._theme.color("muted")
        colors[-1] = (muted.red(), muted.green(), muted.blue(), _OTHERS)
        picture = Picture(self._index, data.x_range(self._mode), (0.0, 1.0), table=colors)
        self.ink.show_shapes((picture, *self._above))

    def _names(self, data: PlotData, mode: Mode) -> list[Words]:
        """Beside the newest end of each layer that is thick enough, its move."""
        ends = np.concatenate(([0.0], self._edges[:, -1]))
        x = data.x_range(mode)[1]
        names = []
        for layer, column in enumerate(self._layers.tolist()):
            if ends[layer + 1] - ends[layer] >= _NAMED:
                style = int(data.styles[column])
                color = self._theme.curve(style) if style >= 0 else self._theme.color("muted")
                names.append(Words(data.names[column], x, (ends[layer] + ends[layer + 1]) / 2, color, self.font()))
        return names

    def move_at(self, point: QPointF) -> Move | None:
        data = self._data
        at = self.place(point)
        if data is None or not self._edges.size or not 0 <= at.y() <= 1:
            return None
        left, right = data.x_range(self._mode)
        step = int(np.clip((at.x() - left) / (right - left) * _COLUMNS, 0, _COLUMNS - 1))
        layer = int(np.searchsorted(self._edges[:, step], at.y()))
        return data.moves[int(self._layers[layer])] if layer < len(self._layers) else None
