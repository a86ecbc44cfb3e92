"""One curve for each agent: entropy, share on optimal moves, regret; and above them what each would have played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import QWidget

from nimdesk.ui.look.theme import DASHES, Theme
from nimdesk.ui.plots.axes import ValueAxis, pen
from nimdesk.ui.plots.canvas import PlotCanvas
from nimdesk.ui.plots.data import Floats, Ints, Mode, axis_range, cost_words, on_axis
from nimdesk.ui.plots.ink import Column, Line, Picture, Words
from nimdesk.ui.plots.readout import table_row

_COLUMNS = 400
_LANE = 8
"""Rows of the picture for each agent's ribbon."""
_RIBBON = 0.075
"""Height of a ribbon as a part of the value axis."""
_GAP = 0.03


@dataclass(frozen=True, eq=False)
class Series:
    """One agent's curve: ``values`` over ``spent`` (both (T,); NaN where there is none), and its choice at each row.

    ``choice`` are columns of ``moves`` (-1: none yet), ``good`` says of each row whether that choice is optimal (1, 0
    or NaN; None: not known). ``styles`` are the style indices of the moves, for the ribbon where nothing is proven.
    """

    letter: str
    name: str
    style: int
    spent: Floats
    values: Floats
    choice: Ints
    moves: tuple[str, ...]
    good: Floats | None
    styles: Ints
    finished: bool = False
    """Whether the search has come to its end, so that its last row stays true."""
    stepped: bool = False
    """Whether its values are those of a choice, which jump."""

    def row_at(self, spent: float) -> int:
        """The newest row that has spent no more, or the first one."""
        return max(0, int(np.searchsorted(self.spent, spent * (1 + 1e-12), side="right")) - 1)


@dataclass(frozen=True, eq=False)
class SeriesData:
    """What a ``SeriesPlot`` draws: at least one series, the one whose rows the cross-hair stands on, and the y axis.

    ``stepped`` curves keep their value until the next row.
    """

    series: tuple[Series, ...]
    focus: int
    label: str
    unit: str
    top: float
    stepped: bool = False

    def __len__(self) -> int:
        """The number of rows of the series in focus."""
        return len(self.series[self.focus].spent)

    def x(self, mode: Mode) -> Floats:
        """Its rows on the axis, (T,)."""
        return on_axis(self.series[self.focus].spent, mode)

    def x_range(self, mode: Mode) -> tuple[float, float]:
        """The x axis that has room for every series."""
        first = min(float(each.spent[0]) for each in self.series)
        return axis_range(first, max(float(each.spent[-1]) for each in self.series), mode)


class SeriesPlot(PlotCanvas[SeriesData]):
    """The curves differ by colour and dashes and carry their letters; above them runs a ribbon for each agent.

    A ribbon is full where the choice is optimal and thin where it is not; where nothing is proven it has the colour of
    the move chosen.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._values = ValueAxis()
        super().__init__(theme, self._values, parent)
        self._values.setGrid(255)
        self.curves: tuple[Line, ...] = ()
        """The curves of the series shown, in order."""
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        font = self.font()
        font.setBold(True)
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.88))
        self._bold = font
        super().set_theme(theme)

    def draw(self, data: SeriesData, mode: Mode) -> None:
        self._values.measure(data.label, data.unit, 0.0, data.top)
        widest = max(QFontMetricsF(self._bold).horizontalAdvance(each.letter) for each in data.series)
        self.right_room = widest + 14.0
        ribbons = data.top * _RIBBON * len(data.series)
        self.set_range(data, mode, -0.02 * data.top, data.top * (1 + _GAP) + ribbons)
        self.label_x()
        self.curves = tuple(self._curve(data, mode, slot, each) for slot, each in enumerate(data.series))
        # The one in focus on top.
        order = sorted(range(len(data.series)), key=lambda slot: (slot == data.focus, slot))
        ends = [
            self._letter(each, float(curve.x[-1]), float(curve.y[-1]))
            for each, curve in zip(data.series, self.curves, strict=True)
            if len(curve.x)
        ]
        # Those of the curves first: they stay where a low plot has no room for all.
        letters = Column((*ends, *self._lane_letters(data, mode, ribbons)))
        self.ink.show_shapes([*(self.curves[slot] for slot in order), self._ribbons(data, mode, ribbons), letters])

    def _letter(self, each: Series, x: float, y: float) -> Words:
        return Words(each.letter, x, y, self.color(each), self._bold)

    def _curve(self, data: SeriesData, mode: Mode, slot: int, each: Series) -> Line:
        known = ~np.isnan(each.values)
        x, y = on_axis(each.spent[known], mode), each.values[known]
        if each.finished and len(x):
            x, y = np.append(x, max(float(x[-1]), data.x_range(mode)[1])), np.append(y, y[-1])
        if (data.stepped or each.stepped) and len(x):
            # Curves that lie on one another are parted by a little.
            x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1] + slot * 0.008 * data.top
        return Line(x, y, pen(self.color(each), 1.0, self.dash(each)))

    def color(self, series: Series) -> QColor:
        """The colour of this agent."""
        return self._theme.curve(series.style)

    @staticmethod
    def dash(series: Series) -> Qt.PenStyle:
        """The dashes of this agent."""
        return DASHES[series.style % len(DASHES)]

    def _ribbons(self, data: SeriesData, mode: Mode, height: float) -> Picture:
        """Lanes of what each agent would have played, the first one lowest."""
        left, right = data.x_range(mode)
        steps = left + (np.arange(_COLUMNS) + 0.5) * (right - left) / _COLUMNS
        picture = np.zeros((_LANE * len(data.series), _COLUMNS, 4), np.uint8)
        for lane, each in enumerate(data.series):
            x = on_axis(each.spent, mode)
            rows = np.clip(np.searchsorted(x, steps, side="right") - 1, 0, len(x) - 1)
            there = ((steps <= x[-1] + 1e-9) | each.finished) & (each.choice[rows] >= 0)
            first = lane * _LANE
            if each.good is None:
                self._fill(picture[first + 1 : first + _LANE - 1], there, self._choice_colors(each, rows))
                continue
            good = each.good[rows]
            self._fill(picture[first + 1 : first + _LANE - 1], there & (good == 1), self._rgba("win"))
            self._fill(picture[first + 1 : first + 3], there & (good == 0), self._rgba("loss"))
        bottom = data.top * (1 + _GAP)
        return Picture(picture[::-1], (left, right), (bottom, bottom + height))

    def _lane_letters(self, data: SeriesData, mode: Mode, height: float) -> list[Words]:
        """Whose lanes they are, where there are several."""
        if len(data.series) < 2:
            return []
        _, right = data.x_range(mode)
        bottom, each_h = data.top * (1 + _GAP), height / len(data.series)
        return [self._letter(each, right, bottom + each_h * (lane + 0.5)) for lane, each in enumerate(data.series)]

    @staticmethod
    def _fill(lane: np.ndarray[Any, Any], where: np.ndarray[Any, Any], color: np.ndarray[Any, Any]) -> None:
        lane[:, where] = color[where] if color.ndim == 2 else color

    def _rgba(self, role: str) -> np.ndarray[Any, Any]:
        color = self._theme.color(role)
        return np.array((color.red(), color.green(), color.blue(), 255), np.uint8)

    def _choice_colors(self, each: Series, rows: Ints) -> np.ndarray[Any, Any]:
        styles = each.styles[each.choice[rows]]
        table = np.array([self._theme.curve(style).getRgb() for style in range(len(self._theme.curves))], np.uint8)
        colors = table[np.where(styles < 0, 0, styles % len(table))]
        colors[styles < 0] = self._rgba("muted")
        return colors

    # Read-out

    def say(self, data: SeriesData, checkpoint: int) -> None:
        spent = float(data.series[data.focus].spent[checkpoint])
        rows = ""
        for slot, each in enumerate(data.series):
            row = each.row_at(spent)
            chosen = int(each.choice[row])
            cells = [f"{each.letter} {each.name}", self._number(data, float(each.values[row]))]
            if chosen >= 0:
                verdict = "" if each.good is None else {1.0: " ✓", 0.0: " ✗"}.get(float(each.good[row]), "")
                cells.append(f"plays {each.moves[chosen]}{verdict}")
            rows += table_row(self.color(each).name(), cells, bold=slot == data.focus)
        self.readout.say_table(f"<b>{cost_words(self._mode.cost, spent)}</b>", rows)

    @staticmethod
    def _number(data: SeriesData, value: float) -> str:
        if np.isnan(value):
            return "–"
        return f"{value:.1%}" if data.unit == "%" else f"{value:.3g}"
