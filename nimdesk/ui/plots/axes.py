"""Axes with ticks that people can read: 1, 10, 100, 1k, 10k; shares in per cent; ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import assert_never

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetrics

from nimdesk.figures.measure import Unit
from nimdesk.search.timeline import Cost, short_seconds
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.plots.frame import Axis
from nimdesk.ui.plots.history import short_count

Ticks = list[tuple[float, str]]
"""Places on an axis with what is written there."""


class PlotAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis with the ticks that it is told, of a size in pixels that does not change with its labels."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.enableAutoSIPrefix(False)
        self.setStyle(tickTextOffset=4, tickLength=4, hideOverlappingLabels=False, tickAlpha=255)
        self._ticks: Ticks = []
        self._text = ""
        self._font = QFont()
        self._room = math.inf
        self.bare = False
        """Whether it is a line with a grid and no words, as where the axis of another plot stands for both."""
        self.own_width = self._least_width = self._shared_width = 0
        """The width that a vertical axis needs, in pixels."""

    def take_look(self, font: QFont) -> None:
        """Take the colours of the look in use, and this font."""
        theme, metrics = LOOK.theme, QFontMetrics(font)
        self._font = font
        self.setTickFont(font)
        self.setPen(theme.color("field"))
        self.setTickPen(theme.color("grid"))
        self.setTextPen(theme.color("text"))
        self._least_width = metrics.horizontalAdvance("88.8%") + metrics.height() + 8
        self.fit_names(())
        self._show_label()

    def set_bare(self, bare: bool) -> None:
        """Show no words and have no room for them, or have both again."""
        self.bare = bare
        self.setStyle(showValues=not bare)
        self._show_label()

    @property
    def words_height(self) -> int:
        """By how many pixels a horizontal axis with words is higher than a bare one."""
        height = QFontMetrics(self._font).height()
        return 2 * height - height // 2 + 2

    def leave_room(self, pixels: float) -> None:
        """Be so long; a name that is longer is left out."""
        fitted, self._room = self._fits, pixels
        if fitted != self._fits:
            self._show_label()

    @property
    def _fits(self) -> bool:
        return QFontMetrics(self._font).horizontalAdvance(self._text) <= self._room

    def set_label(self, text: str) -> None:
        """Show this, in the middle of the axis."""
        if text != self._text:
            self._text = text
            self._show_label()

    def _show_label(self) -> None:
        # pyqtgraph takes it for HTML.
        look = {"color": LOOK.theme.muted, "font-size": f"{self._font.pointSizeF():.1f}pt"}
        self.setLabel(escape(self._text), **look)
        self.showLabel(bool(self._text) and not self.bare and self._fits)
        if self.orientation == "bottom":
            # Bare, there still is room for the lower half of the lowest label beside the plot.
            height = QFontMetrics(self._font).height() // 2 + 3
            self.setHeight(height if self.bare else height + self.words_height)
        # pyqtgraph puts a label in its place when the axis is resized, not when the text changes.
        self.resizeEvent()

    def show_ticks(self, ticks: Ticks) -> None:
        """Show these."""
        if ticks != self._ticks:
            self._ticks = ticks
            self.setTicks([ticks])

    def room_for(self, names: Sequence[str]) -> int:
        """The width in pixels that these names beside the ticks need."""
        metrics = QFontMetrics(self._font)
        # No name is wider than all of its letters at their widest: most need not be measured.
        longest = sorted(set(names), key=len)[-40:]
        widest = max(map(metrics.horizontalAdvance, longest), default=0)
        return max(self._least_width, widest + metrics.height() + 12) if names else self._least_width

    def fit_names(self, names: Sequence[str]) -> None:
        """Be as wide as these names need, and as the axis above or below."""
        if self.orientation == "left":
            self.own_width = self.room_for(names)
            self.share_width(self._shared_width)

    def share_width(self, width: int) -> None:
        """Be at least so wide, as an axis above or below is."""
        self._shared_width = width
        if (wanted := max(self.own_width, width)) != self.minimumWidth():
            self.setWidth(wanted)

    def boundingRect(self) -> QRectF:
        # With a grid, pyqtgraph leaves no room for labels at the very ends and drops them.
        around: QRectF = super().boundingRect()
        return around.adjusted(-15, -8, 15, 8)


def cost_ticks(axis: Axis, low: float, high: float, pixels: float) -> Ticks:
    """Ticks of the x axis between these places, on so many pixels."""
    least_step = 0.0 if axis.cost is Cost.SECONDS else 1.0  # there is no half simulation
    if axis.log:
        places = _log_places(low, high, pixels, least_step)
    else:
        places = _linear_places(axis, low, high, pixels, least_step)
    words = short_seconds if axis.cost is Cost.SECONDS else short_count
    # There is nothing before the first simulation.
    least = 0.0 if axis.cost is Cost.SECONDS else 1 - 1e-9
    return [(place, words(cost)) for place in places if (cost := axis.cost_at(place)) >= least]


def _linear_places(axis: Axis, low: float, high: float, pixels: float, least_step: float) -> list[float]:
    counted = axis.cost is not Cost.SECONDS
    step = max(least_step, _step((high - low) / max(2.0, pixels / 70)))
    places = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step
    first = [1.0] if counted and low <= 1 < high and (not len(places) or places[0] > 1) else []
    return [*first, *places.tolist()]


def _log_places(low: float, high: float, pixels: float, least_step: float = 0.0) -> list[float]:
    decades = np.arange(np.ceil(low - 1e-9), np.floor(high + 1e-9) + 1)
    room = pixels / max(high - low, 1e-9)
    every = max(1, int(np.ceil(40 / room)))
    labelled = [float(value) for value in decades if int(value) % every == 0]
    if room >= 110:
        digits = range(2, 10) if room > 600 else (2, 5)
        between = [decade + np.log10(digit) for decade in range(int(np.floor(low)), int(high) + 1) for digit in digits]
        labelled += [float(value) for value in between if low <= value <= high]
    if len(labelled) < 3 and room > 600:
        # A small part of a decade: even steps.
        first, last = 10.0**low, 10.0**high
        step = max(least_step, _step((last - first) / max(2.0, pixels / 70)))
        steps = np.arange(np.ceil(first / step - 1e-9), np.floor(last / step + 1e-9) + 1) * step
        labelled = np.log10(steps[steps > 0]).tolist()
    return sorted(labelled)


def value_ticks(unit: Unit, low: float, high: float, pixels: float, *, log: bool = False) -> Ticks:
    """Ticks of a y axis, in this unit.

    With ``log`` the ends are logarithms, and so are the places of the ticks.
    """
    if log:
        return [(place, _value_words(unit, 10.0**place)) for place in _log_places(low, high, pixels)]
    step = _step((high - low) / max(2.0, pixels / 36))
    if unit is Unit.COUNT:
        step = max(1.0, step)
    first = np.ceil(low / step - 1e-9) + 0.0  # not −0
    places = (np.arange(first, np.floor(high / step + 1e-9) + 1) * step).tolist()
    return [(value, _value_words(unit, value)) for value in places]


def _value_words(unit: Unit, value: float) -> str:
    match unit:
        case Unit.SHARE:
            return f"{100 * value:.4g}%"
        case Unit.COUNT:
            return short_count(value)
        case Unit.SCORE | Unit.BITS:
            return f"{value:.4g}"
        case _:
            assert_never(unit)


def row_ticks(names: Sequence[str], pixels: float) -> Ticks:
    """The names of the rows of a heat map, or of every second or third one, so that they do not meet."""
    step = max(1, int(np.ceil(13 * len(names) / max(pixels, 1.0))))
    return [(row + 0.5, names[row]) for row in range(0, len(names), step)]


def _step(at_least: float) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten that is not below."""
    power = 10.0 ** np.floor(np.log10(max(at_least, 1e-12)))
    return float(next(nice * power for nice in (1.0, 2.0, 2.5, 5.0, 10.0) if nice * power >= at_least * (1 - 1e-9)))
