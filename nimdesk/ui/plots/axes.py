"""Axes with ticks that people can read: 1, 10, 100, 1k, 10k; shares in per cent; ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetrics, QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from nimdesk.search.timeline import Cost
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.plots.data import round_up, short_count, short_seconds

Levels = list[tuple[float, list[float]]]
"""pyqtgraph's form of ticks: (spacing, places) for each level, coarse ones first."""

_TICK, _GAP = 4.0, 4.0
"""Pixels: how far ticks stick out where there is no grid, and from there to the labels."""


class PlainAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis whose ticks and labels are given by methods of its own; no SI prefixes, no automatic width."""

    def __init__(self, orientation: str, label: str) -> None:
        super().__init__(orientation)
        self.enableAutoSIPrefix(False)
        self.setLabel(label)
        self.setStyle(tickTextOffset=4, tickLength=4, hideOverlappingLabels=False, maxTickLevel=1)
        self.log_scale = False
        self.last: float | None = None
        self.own_width = 0
        """The width that a vertical axis needs, in pixels."""
        self._shared_width = 0
        self._bare = False
        self._label_metrics = QFontMetricsF(QFont())
        self.picture: Any

    def set_theme(self, theme: Theme, font: QFont) -> None:
        """Take colours and font."""
        self.setTickFont(font)
        self._label_metrics = QFontMetricsF(font)
        self.setPen(theme.color("border"))
        self.setTickPen(theme.color("grid"))
        self.setStyle(tickAlpha=255)
        self.setTextPen(theme.color("text"))
        # A fixed size in pixels, so that the plot does not jump when labels grow.
        metrics = QFontMetrics(font)
        if self.orientation == "bottom":
            # Bare, there still is room for the lower half of the lowest label beside the plot.
            self.setHeight(metrics.height() // 2 + 3 if self._bare else 2 * metrics.height() + 9)
        else:
            self.own_width = metrics.horizontalAdvance("88.8%") + metrics.height() + 8
            self.fit_width()
        self.labelStyle = {"color": theme.muted, "font-size": f"{font.pointSizeF():.1f}pt"}
        self.relabel(self.labelText)

    def set_bare(self, bare: bool, theme: Theme, font: QFont) -> None:
        """Be a line with a grid and no words, as where the axis of another plot stands for both; or all of it."""
        self._bare = bare
        self.picture = None
        self.set_theme(theme, font)

    @property
    def bare(self) -> bool:
        """Whether it has no words."""
        return self._bare

    def share_width(self, width: int) -> None:
        """Be at least so wide, as an axis above or below is."""
        if width != self._shared_width:
            self._shared_width = width
            self.fit_width()

    def fit_width(self) -> None:
        """Be as wide as is needed, here and beside it."""
        if (width := max(self.own_width, self._shared_width)) != self.fixedWidth:
            self.setWidth(width)

    def relabel(self, text: str) -> None:
        """Show this label, in the middle of the axis."""
        self.setLabel(text)
        self.showLabel(not self._bare)
        # pyqtgraph places a label when the axis is resized, not when the text changes.
        self.resizeEvent()

    def tick_levels(self, low: float, high: float, pixels: float) -> Levels:
        """The ticks between ``low`` and ``high`` on an axis of so many pixels."""
        raise NotImplementedError

    def tick_text(self, value: float) -> str:
        """The label of one tick."""
        return short_count(value)

    def tickValues(self, low: float, high: float, size: float) -> Levels:
        low, high = min(low, high), max(low, high)
        if self.last is not None:
            high = min(high, self.last)
        return self.tick_levels(low, high, size) if high > low else []

    def updateAutoSIPrefix(self) -> None:
        # There are no prefixes, and pyqtgraph would lay out the label again for each range.
        pass

    def boundingRect(self) -> QRectF:
        # With a grid, pyqtgraph leaves no room for labels at the very ends and drops them.
        around: QRectF = super().boundingRect()
        return around.adjusted(-15, -8, 15, 8) if self.grid is not False else around

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        # As pyqtgraph does it, with ticks on one side, in a quarter of the time: a live plot has new ticks each frame.
        if self.picture is None:
            self.picture = self._specification()
        axis, ticks, texts = self.picture
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(self.pen())
        painter.drawLine(axis)
        painter.setPen(self.tickPen())
        painter.drawLines(ticks)
        painter.setFont(self.style["tickFont"])
        painter.setPen(self.textPen())
        for place, text in texts:
            painter.drawText(place, text)

    def _specification(self) -> tuple[QLineF, list[QLineF], list[tuple[QPointF, str]]]:
        """The line of the axis, its ticks or grid, and where the baseline of each label begins."""
        bounds: QRectF = self.mapRectFromParent(self.geometry())
        view = self.linkedView()
        field = bounds if self.grid is False else view.mapRectToItem(self, view.boundingRect())
        low, high = self.range
        across = self.orientation == "bottom"
        pixels, out = (bounds.width() if across else bounds.height()), _TICK if self.grid is False else 0.0
        places = [at for _, level in self.tickValues(low, high, pixels) for at in level] if high != low else []
        if across:
            axis = QLineF(bounds.left() - 1, bounds.top() + 1, bounds.right() + 1, bounds.top() + 1)
        else:
            axis = QLineF(bounds.right() - 1, bounds.top() - 1, bounds.right() - 1, bounds.bottom() + 1)
        ticks, texts, around, metrics = [], [], self.boundingRect(), self._label_metrics
        for place, text in zip(places, self.tickStrings(places, 1.0, 1.0), strict=True):
            part = (place - low) / (high - low)
            if not -1e-6 <= part <= 1 + 1e-6:
                continue
            width, height = metrics.horizontalAdvance(text), metrics.height()
            if across:
                at = bounds.left() + part * pixels
                ticks.append(QLineF(at, field.top() if out == 0 else bounds.top(), at, bounds.top() + out))
                label = QRectF(at - width / 2, bounds.top() + _TICK + _GAP, width, height)
            else:
                at = bounds.bottom() - part * pixels
                ticks.append(QLineF(field.right() if out == 0 else bounds.right(), at, bounds.right() - out, at))
                label = QRectF(bounds.right() - _TICK - _GAP - width, at - height / 2, width, height)
            if around.contains(label) and not self._bare:
                texts.append((QPointF(label.left(), label.top() + metrics.ascent()), text))
        return axis, ticks, texts

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [self.tick_text(value) for value in values]


class CostAxis(PlainAxis):
    """The x axis: a cost, linear or logarithmic (``log_scale``; places are then log10)."""

    def __init__(self) -> None:
        super().__init__("bottom", "iterations")
        self.cost = Cost.ITERATIONS

    def tick_levels(self, low: float, high: float, pixels: float) -> Levels:
        return _log_ticks(low, high, pixels) if self.log_scale else self._linear_ticks(low, high, pixels)

    def _linear_ticks(self, low: float, high: float, pixels: float) -> Levels:
        counted = self.cost is not Cost.SECONDS
        step = max(1.0 if counted else 0.0, _step((high - low) / max(2.0, pixels / 70)))
        places = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step
        first = [1.0] if counted and low <= 1 < high and (not len(places) or places[0] > 1) else []
        return [(step, [*first, *places.tolist()])]

    def tick_text(self, value: float) -> str:
        spent = 10**value if self.log_scale else value
        return short_seconds(spent) if self.cost is Cost.SECONDS else short_count(spent)


class ValueAxis(PlainAxis):
    """The y axis of curves: visits, a share in per cent, or a plain number (``unit``: ``count``, ``%`` or "")."""

    def __init__(self) -> None:
        super().__init__("left", "share of visits")
        self.unit = "%"
        self.bottom, self.top = 0.0, 1.0

    def measure(self, label: str, unit: str, bottom: float, top: float) -> None:
        """Show this, between these values."""
        if (self.labelText, self.unit, self.bottom, self.top) != (label, unit, bottom, top):
            self.unit, self.bottom, self.top = unit, bottom, top
            self.picture = None
            self.update()
        if self.labelText != label:
            self.relabel(label)

    def tick_levels(self, low: float, high: float, pixels: float) -> Levels:
        step = _step((self.top - self.bottom) / max(2.0, pixels / 36))
        if self.unit == "count":
            step = max(1.0, step)
        first = np.ceil(self.bottom / step - 1e-9) + 0.0  # not −0
        places = np.arange(first, np.floor(min(high, self.top) / step + 1e-9) + 1) * step
        return [(step, places.tolist())]

    def tick_text(self, value: float) -> str:
        if self.unit == "%":
            return f"{100 * value:.3g}%"
        return short_count(value) if self.unit == "count" else f"{value:.4g}"


class RowAxis(PlainAxis):
    """The y axis of the heat map: the moves' names where they fit, else their ranks. Row 0 is at the top."""

    def __init__(self) -> None:
        super().__init__("left", "moves")
        self.names: tuple[str, ...] = ()
        self.signs: tuple[str, ...] = ()
        """What stands after the ranks, where names do not fit."""
        self.ranks = False
        self._least_width = 0
        self._name_widths: dict[str, int] = {}

    def set_theme(self, theme: Theme, font: QFont) -> None:
        super().set_theme(theme, font)
        self._least_width = self.own_width
        self._metrics = QFontMetrics(font)
        self._name_widths.clear()
        self.fit()

    def room(self, names: tuple[str, ...]) -> int:
        """The width in pixels that these names need."""
        if len(self._name_widths) > 5000:
            self._name_widths.clear()
        known = self._name_widths
        # Every frame asks for hundreds of names, in another order, and most were measured before.
        known.update((name, self._metrics.horizontalAdvance(name)) for name in names if name not in known)
        longest = max((known[name] for name in names), default=0)
        return max(self._least_width, longest + self._metrics.height() + 12)

    def fit(self) -> None:
        """Be as wide as the names need."""
        self.own_width = self.room(self.names)
        self.fit_width()

    def tick_levels(self, low: float, high: float, pixels: float) -> Levels:
        rows = len(self.names)
        if rows * 13 <= pixels or rows <= 4:
            self.ranks = False
            return [(1.0, [row + 0.5 for row in range(rows)])]
        self.ranks = True
        step = max(1, int(round_up(rows * 26 / max(pixels, 1.0))))
        return [(float(step), [0.5, *(rank - 0.5 for rank in range(step, rows + 1, step) if rank > 1)])]

    def tick_text(self, value: float) -> str:
        row = int(value)
        if not 0 <= row < len(self.names):
            return ""
        if not self.ranks:
            return self.names[row]
        return f"{row + 1} {self.signs[row]}" if self.signs else str(row + 1)


def _log_ticks(low: float, high: float, pixels: float) -> Levels:
    decades = np.arange(np.ceil(low - 1e-9), np.floor(high + 1e-9) + 1)
    room = pixels / max(high - low, 1e-9)
    every = max(1, int(np.ceil(40 / room)))
    labelled = [float(value) for value in decades if int(value) % every == 0]
    start = int(np.floor(low))
    fine = [start + step + np.log10(digit) for step in range(int(high - start) + 1) for digit in range(2, 10)]
    between = [float(value) for value in fine if low <= value <= high]
    if room >= 160:
        wanted = range(2, 10) if room > 500 else (2, 5)
        names = np.log10(np.array(tuple(wanted), dtype=float))
        labelled += [value for value in between if np.abs(value % 1 - names).min() < 1e-6]
        return [(1.0, sorted(labelled))]
    return [(1.0, labelled)]


def _step(at_least: float) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten that is not below."""
    power = 10.0 ** np.floor(np.log10(max(at_least, 1e-12)))
    return float(next(nice * power for nice in (1.0, 2.0, 2.5, 5.0, 10.0) if nice * power >= at_least * (1 - 1e-9)))


def pen(color: Any, width: float = 1.0, style: Any = None) -> Any:
    """A cosmetic pen for pyqtgraph items."""
    return pg.mkPen(color, width=width) if style is None else pg.mkPen(color, width=width, style=style)
