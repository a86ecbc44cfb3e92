"""The plots of one search's root moves: what they share, and the curves of the most visited moves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPen
from PySide6.QtWidgets import QToolButton, QWidget

from nimdesk.cells import percent
from nimdesk.figures.measure import Unit
from nimdesk.games import Move
from nimdesk.games.truth import MoveTruth, Value
from nimdesk.search.timeline import Cost, cost_words
from nimdesk.ui.look.move_marks import SIGNS, short_words
from nimdesk.ui.look.theme import LOOK, Theme, dash
from nimdesk.ui.plots.axes import value_ticks
from nimdesk.ui.plots.canvas import table_row
from nimdesk.ui.plots.frame import Frame
from nimdesk.ui.plots.frame_plot import FramePlot
from nimdesk.ui.plots.history import Ints, proof_words, short_count
from nimdesk.ui.plots.ink import (
    DOT,
    TRIANGLE,
    Band,
    Bundle,
    Column,
    Line,
    Marks,
    Picture,
    Shape,
    Sign,
    Words,
    band_of,
    between,
    pen,
    rgba,
)

if TYPE_CHECKING:
    from nimdesk.figures.seeds import Spread

STRIP_HEIGHT = 0.022
"""Height of the leader strip as a part of the value axis; it stands above the top of the data."""
STRIP_GAP = 0.03
_STRIP_COLUMNS, _BAND_COLUMNS = 400, 320
_NEAR = 14.0
"""How many pixels away from a curve the mouse still points at it."""
_NARROW = 33
"""Below so many heights of a line in width what is proven is said in fewer words at the ends of the curves."""
_SMALL = 26
"""Below this width it is said by a sign alone."""
_TINY = 19
"""Below this width the name is all."""
_AWAY = 12.0
"""Pixels from the end of a curve to its name."""
_END = 6.0
"""Pixels for the mark at the end of a curve without a name."""
END_SIZE = 9.0
"""Pixels across, of the mark at the end of a curve whose name is in a list beside the plot."""
_BUNDLE_POINTS = 12_000

_DASHES = {
    Value.WIN: Qt.PenStyle.SolidLine,
    Value.DRAW: Qt.PenStyle.DashDotLine,
    Value.LOSS: Qt.PenStyle.DashLine,
    Value.UNKNOWN: Qt.PenStyle.DotLine,
}
_MEDIAN = Qt.PenStyle.DotLine
_STRENGTH, _MUTED = 230, 130
"""Of 255, where a line does not win, and where it has no colour of its own.

Colours that are blended with the ground come nearer to each other: little of that, even where a line loses; that it is
thin and dashed sets it back.
"""


def move_color(theme: Theme, style: int, otherwise: str = "muted") -> QColor:
    """The colour of the move with this style; of one without (-1) that of this role."""
    return theme.curve(style) if style >= 0 else theme.color(otherwise)


def line_color(theme: Theme, style: int, value: Value | None) -> QColor:
    """The colour of the line with this style (-1: a move without one), fainter where it is proven to lose."""
    color = move_color(theme, style)
    strength = 255 if value in (None, Value.WIN) else _STRENGTH
    color.setAlpha(strength if style >= 0 or value is Value.WIN else min(strength, _MUTED))
    return color


def line_dash(theme: Theme, style: int, value: Value | None) -> Qt.PenStyle:
    """The dashes of the line: what is proven (``value``), else what tells it from the others of its colour."""
    if value is not None:
        return _DASHES[value]
    return dash(theme, style) if style >= 0 else Qt.PenStyle.SolidLine


def spread_words(frame: Frame, low: float, high: float) -> str:
    """The ends of a band of seeds, such as "12% to 80%"."""
    if np.isnan(low) or np.isnan(high):
        return "–"
    unit = frame.view.measure.unit
    match unit:
        case Unit.SHARE:
            return f"{low:.0%} to {high:.0%}"
        case Unit.COUNT:
            return f"{short_count(low)} to {short_count(high)}"
        case Unit.SCORE | Unit.BITS:
            return f"{low:.3g} to {high:.3g}"
        case _:
            assert_never(unit)


def _end_words(unit: Unit, value: float) -> str:
    """The value at the end of a curve, in as little room as it takes."""
    match unit:
        case Unit.SHARE:
            return f"{value:.0%}" if value >= 0.1 else percent(value)
        case Unit.COUNT:
            return short_count(value)
        case Unit.SCORE | Unit.BITS:
            return f"{value:.2f}"
        case _:
            assert_never(unit)


class MovesPlot(FramePlot):
    """A plot in which a move can be pointed at, here or elsewhere."""

    move_hovered = Signal(object)
    """The ``Move`` whose curve or row is under the mouse changed; None when there is none."""

    _hovered: Move | None = None

    def move_at(self, point: QPointF) -> Move | None:
        """The move drawn at this place of the view, None if there is none near."""
        raise NotImplementedError

    def point_at(self, point: QPointF | None) -> None:
        move = None if point is None else self.move_at(point)
        if move != self._hovered:
            self._hovered = move
            self.move_hovered.emit(move)

    def strip(self, frame: Frame, bottom: float, top: float) -> Picture:
        """Between these heights, which move the search preferred at each iteration, in the colours of the curves."""
        history = frame.moves
        shown, where = np.unique(history.leaders[frame.resampled(_STRIP_COLUMNS)], return_inverse=True)
        colors = [rgba(move_color(LOOK.theme, history.style(column), "border")) for column in shown.tolist()]
        pixels, (left, right) = np.array(colors, np.uint8)[where], frame.x_range
        # The axis may go on where the curves end.
        pixels[max(1, round(_STRIP_COLUMNS * (float(frame.x[-1]) - left) / (right - left))) :] = 0
        return Picture(pixels[np.newaxis], left, right, bottom, top)

    # Read-out

    def say(self, row: int) -> None:
        frame = self.frame
        assert frame is not None
        history = frame.moves
        columns = np.argsort(-history.visits[row].astype(np.int64), kind="stable")[: self.readout.rows(self.height())]
        pointed = frame.pointed
        if pointed is not None and pointed not in columns:
            columns[-1] = pointed
        head = f"{'simulation' if frame.plain else 'iteration'} <b>{int(history.iterations[row]):,}</b>"
        if frame.axis.cost is not Cost.ITERATIONS:
            head += f" · {cost_words(frame.axis.cost, float(frame.spent[row]))}"
        self.readout.say(head, [self._row_words(frame, row, int(column)) for column in columns])

    @staticmethod
    def _row_words(frame: Frame, row: int, column: int) -> str:
        history, spread = frame.moves, frame.spread
        cells = [history.names[column]]
        if history.visits[row, column] or frame.measure.unit in (Unit.SHARE, Unit.COUNT):
            cells += frame.measure.told(history, row, column)
        else:
            cells.append("not visited")
        if history.proven:
            cells.append(short_words(history.proven[column]))
        elif (proof := history.proofs.get(column)) is not None:
            cells.append(f"{SIGNS[proof.value]} {proof_words(proof)}")
        if spread is not None and not np.isnan(spread.high[-1, column]):
            at = spread.rows_at(history.iterations[row : row + 1])[0]
            cells.append(f"seeds {spread_words(frame, spread.low[at, column], spread.high[at, column])}")
        style = int(history.styles[column]) if column == frame.pointed else history.style(column)
        color = move_color(LOOK.theme, style).name()
        return table_row(color, cells, bold=column == frame.pointed)


class CurvesPlot(MovesPlot):
    """The curves of the leader and its rivals in colours, with their names at their ends, over a bundle of the others.

    Moves that led at some time have their colours, too: the strip above the curves has no other.

    Mean values stand in a band of their standard error, for the leader and the move pointed at; of an upper bound the
    same moves show the part that is exploration, above the line of the mean.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        nowhere = np.zeros(0)
        self._columns: Ints = np.zeros(0, np.int64)
        self.end = Marks(nowhere, nowhere, TRIANGLE, QPen(), QBrush())
        """The newest point of the leader's curve."""
        self.names: tuple[Words, ...] = ()
        """What is written at the ends of the curves, the leader's first."""
        self.beyond = Marks(nowhere, nowhere, TRIANGLE, QPen(), QBrush())
        """Where curves leave a zoomed picture at its top."""
        self.names_shown = True
        """Whether they are written there, or left to a list beside the plot."""
        self.zoom = QToolButton()
        super().__init__(parent)
        self.zoom.setParent(self)
        self.zoom.setCheckable(True)
        self.zoom.setText("Zoom")
        self.zoom.setToolTip("End the axis at the largest share since things settled, or at 100%")
        self.zoom.setAccessibleName("Zoom the axis of shares")
        self.zoom.toggled.connect(self.redraw)
        self.setAccessibleName("Visits of the moves over iterations")

    @property
    def drawn_moves(self) -> tuple[Move, ...]:
        """The moves that have a curve, most visited first."""
        return tuple(self.frame.moves.moves[column] for column in self._columns) if self.frame is not None else ()

    def curve(self, move: Move) -> Line:
        """The line of this move; ``KeyError`` if it has none."""
        assert self.frame is not None
        column = self.frame.moves.columns[move]
        if column not in self._columns:
            raise KeyError(move)
        return self._line(self.frame, column)

    def take_look(self) -> None:
        self.point.setSize(8)
        self.point.setPen(pen(LOOK.theme.color("text")))
        super().take_look()

    # Drawing

    def adapted(self, frame: Frame) -> Frame:
        return replace(frame, zoomed=self.zoom.isChecked())

    def draw_frame(self, frame: Frame) -> None:
        history, (bottom, top) = frame.moves, frame.y_range
        height = top - bottom
        tried = history.order[history.visits[-1, history.order] > 0]
        pointed = frame.pointed
        untried = [each for each in (*history.named, pointed) if each is not None and each not in tried]
        self._columns = np.append(tried, np.array(untried, np.int64))
        self.names = tuple(self._name(frame, column) for column in history.named)
        widths = (QFontMetricsF(words.font).horizontalAdvance(words.text) for words in self.names)
        self.right_room = max(widths, default=0.0) + _AWAY + DOT + 10.0 if self.names_shown else _END
        self.set_range(frame.axis, frame.x, frame.x_range, bottom, top + height * (STRIP_GAP + STRIP_HEIGHT))
        self.y_axis.set_label(frame.y_words)
        self.y_axis.show_ticks(value_ticks(frame.measure.unit, bottom, top, self.box.height(), log=frame.logged))
        self.x_axis.set_label(frame.x_words)
        self._show_zoom(frame)
        behind, means = self._bands(frame)
        # The leader on top, the one pointed at above all.
        own = [self._line(frame, pointed)] if pointed is not None else []
        lines = [self._line(frame, column) for column in history.colored[::-1] if column != pointed]
        self.beyond = self._beyond(frame, [*lines, *own], top)
        strip = self.strip(frame, top + height * STRIP_GAP, top + height * (STRIP_GAP + STRIP_HEIGHT))
        signs = self._signs(frame)
        names = [Column(self.names)] if self.names_shown else []
        self.ink.show_shapes([*self._bundles(frame), *behind, *lines, *own, *means, strip, self.beyond, *signs, *names])

    def _bundles(self, frame: Frame) -> list[Shape]:
        """The moves that were tried and have no colour: in grey, with the dashes of what is proven of them."""
        history = frame.moves
        others = [each for each in self._columns.tolist() if each not in history.colored]
        # As many points in all, however many curves.
        points = int(np.clip(_BUNDLE_POINTS // max(1, len(others)), 60, 400))
        rows = frame.resampled(points) if len(history) > points else np.arange(len(history))
        x = frame.x[rows]
        if frame.x[0] < frame.x_range[0] or frame.x[-1] > frame.x_range[1]:
            rows, x = np.arange(len(history)), np.linspace(frame.x_range[0], min(frame.x[-1], frame.x_range[1]), points)
        color = LOOK.theme.color("muted")
        made: list[Shape] = []
        for value in dict.fromkeys(map(history.value, others)):
            columns = np.array([each for each in others if history.value(each) is value], np.int64)
            wins = value is Value.WIN
            color.setAlpha(50 if frame.pointed is not None or self._proven_win(frame) else 220 if wins else 90)
            style = line_dash(LOOK.theme, -1, value)
            heights = frame.heights(frame.values(columns, rows))
            if len(rows) != len(x):
                heights = np.array([np.interp(x, frame.x, each) for each in heights])
            made.append(Bundle(x, heights, pen(color, 1.6 if wins else 1.0, style)))
        return made

    def _line(self, frame: Frame, column: int) -> Line:
        heights = frame.heights(frame.values(np.array([column])))[0]
        # A value is there from the first visit on, and so is its logarithm.
        first = int(np.isnan(heights).sum())
        return Line(*between(frame.x[first:], heights[first:], *frame.x_range), self._pen(frame, column))

    def _color(self, frame: Frame, column: int) -> QColor:
        history = frame.moves
        style = int(history.styles[column]) if column == frame.pointed else history.style(column)
        return move_color(
            LOOK.theme, style, "text" if column in history.colored or column == frame.pointed else "muted"
        )

    def _pen(self, frame: Frame, column: int) -> QPen:
        history, pointed = frame.moves, frame.pointed
        value, named = history.value(column), column in history.named
        color = self._color(frame, column)
        foremost = history.leader if pointed is None else pointed
        width = 3.0 if column == foremost else 2.0 if named else 1.2 if column in history.colored else 1.0
        if (pointed is not None and column != pointed) or (self._proven_win(frame) and column != history.leader):
            color.setAlpha(90)
        elif column != pointed:
            color.setAlpha(line_color(LOOK.theme, history.style(column), value).alpha())
        return pen(color, width, line_dash(LOOK.theme, history.style(column), value))

    @staticmethod
    def _proven_win(frame: Frame) -> bool:
        """Whether the search has proven that its choice wins: nothing else matters any more."""
        proof = frame.moves.proofs.get(frame.moves.leader)
        return proof is not None and proof.value is Value.WIN

    def _show_zoom(self, frame: Frame) -> None:
        """Offer the zoom where it shows more, and say how much it does."""
        times = 1 / frame.zoom_top if frame.measure.unit is Unit.SHARE and not frame.logged else 1.0
        self.zoom.setVisible(times > 1.2 and frame.y_ends is None)
        self.zoom.setText(f"×{times:,.0f}" if frame.zoomed else "Zoom")
        self.zoom.setFont(self.small_font())
        self.zoom.adjustSize()
        # Below the numbers of an axis that has any beneath it; else beside them.
        left = self.y_axis.width() + 4 if self.x_axis.bare else 4
        self.zoom.move(round(left), self.height() - self.zoom.height() - 2)
        self.zoom.raise_()

    @staticmethod
    def _beyond(frame: Frame, lines: list[Line], top: float) -> Marks:
        """A mark at the top for each curve that is higher somewhere, at the last place where it is."""
        above = [line.x[np.flatnonzero(line.y > top)[-1]] for line in lines if len(line.y) and line.y.max() > top]
        x = np.array(sorted(set(above)), np.float64)
        color = LOOK.theme.color("text")
        return Marks(x, np.full(len(x), top), TRIANGLE, pen(color), QBrush(color), 8.0)

    def _bands(self, frame: Frame) -> tuple[list[Shape], list[Shape]]:
        """For the leader and the move pointed at: how sure the mean is, or what is exploration; and the line of means.

        The first are for behind the curves, the second for before them.
        """
        if frame.spread is not None:
            return self._seeds(frame, frame.spread)
        measure = frame.measure
        if measure.band is None:
            return [], []
        history, pointed = frame.moves, frame.pointed
        columns = [history.leader] if pointed in (None, history.leader) else [history.leader, pointed]
        if measure.line is not None:
            columns = columns[-1:]
        ends = measure.band.ends(history)
        rows = frame.resampled(_BAND_COLUMNS)
        x = np.linspace(*frame.x_range, _BAND_COLUMNS)
        bands: list[Shape] = []
        means: list[Shape] = []
        for column in columns:
            assert column is not None
            color = self._color(frame, column)
            low, high = (end[rows, column] for end in ends)
            there = ~np.isnan(low) & (x <= frame.x[-1])
            if measure.line is not None:
                inner = measure.line(history)[:, column]
                known = ~np.isnan(inner)
                means.append(Line(*between(frame.x[known], inner[known], *frame.x_range), pen(color)))
            low, high = (np.clip(edge[there], *frame.y_range) for edge in (low, high))
            bands.append(Band(x[there], low, high, color))
        return bands, means

    def _seeds(self, frame: Frame, spread: Spread) -> tuple[list[Shape], list[Shape]]:
        """Of the leader and the move pointed at: the band of the other seeds, and the line of their median."""
        x = frame.axis.places(spread.iterations.astype(np.float64))
        bottom, top = frame.y_range
        bands: list[Shape] = []
        medians: list[Shape] = []
        pointed = frame.pointed
        # More bands than that would hide each other.
        for column in [frame.moves.leader] if pointed in (None, frame.moves.leader) else [frame.moves.leader, pointed]:
            assert column is not None
            color = self._color(frame, column)
            # The logarithm of 0 is below all that is shown.
            low, high = (
                np.where(np.isnan(part), np.nan, np.clip(np.nan_to_num(frame.heights(part), nan=bottom), bottom, top))
                for part in (spread.low[:, column], spread.high[:, column])
            )
            middle = frame.heights(spread.middle[:, column])
            known = ~np.isnan(middle)
            bands.append(band_of(x, low, high, frame.x_range, color))
            medians.append(Line(*between(x[known], middle[known], *frame.x_range), pen(color, 1.0, _MEDIAN)))
        return bands, medians

    # The ends of the curves

    def _name(self, frame: Frame, column: int) -> Words:
        """A move and its share, or what the search has proven of it, where its curve ends; beside it the truth."""
        history, row = frame.moves, self._last_row(frame)
        room = self.width() / QFontMetricsF(self.small_font()).height()
        value = float(frame.values(np.array([column]), np.array([row]))[0, 0])
        said = _end_words(frame.measure.unit, value)
        if (proof := self._proof(frame, column)) is not None:
            words = proof_words(proof) if room >= _NARROW else short_words(proof)
            said = f"{SIGNS[proof.value]} {words}"
        elif room < _TINY:
            said = ""
        elif history.proven and room < _SMALL:
            said = f"{said} {SIGNS[history.proven[column].value]}".removesuffix(" ?")
        elif history.proven:
            said = f"{said} · {SIGNS[history.proven[column].value]} {short_words(history.proven[column])}".removesuffix(
                " ?"
            )
        font = self.small_font(bold=column == history.leader)
        x = min(float(frame.x[-1]), frame.x_range[1])
        ends = self._line(frame, column).y[-1:]
        end = float(np.clip(ends[0] if len(ends) else frame.y_range[0], *frame.y_range))
        color, dot = LOOK.theme.color("text"), self._color(frame, column)
        mark = f"{history.played_mark} " if column == history.played else ""
        return Words(f"{mark}{history.names[column]} {said}".rstrip(), x, end, color, font, _AWAY, dot)

    @staticmethod
    def _last_row(frame: Frame) -> int:
        """The newest row in sight."""
        return max(0, int(np.searchsorted(frame.x, frame.x_range[1] + 1e-9, side="right")) - 1)

    def _proof(self, frame: Frame, column: int) -> MoveTruth | None:
        """What the search has proven of this move, where its end is in sight."""
        return frame.moves.proofs.get(column) if self._last_row(frame) == len(frame.moves) - 1 else None

    def _signs(self, frame: Frame) -> list[Shape]:
        """Marks at the curves' ends: the leader's, and the signs of what the search has proven."""
        history, ends = frame.moves, {}
        for column, words in zip(history.named, self.names, strict=True):
            ends[column] = words.y
        x = np.minimum(frame.x[-1:], frame.x_range[1])
        known = {column: self._proof(frame, column) for column in ends}
        brush, leader = QBrush(self._color(frame, history.leader)), ends.get(history.leader)
        height = np.array([] if leader is None else [leader])
        self.end = Marks(x[: len(height)], height, TRIANGLE, pen(LOOK.theme.color("plot")), brush, 11.0)
        marks: list[Shape] = []
        for column, proof in known.items():
            style, color = history.style(column), self._color(frame, column)
            if proof is None and column != history.leader and style >= 0 and not self.names_shown:
                marks.append(Marks(x, np.array([ends[column]]), style, pen(color), QBrush(color), END_SIZE))
        signs = [Sign(proof.value, float(x[0]), ends[column]) for column, proof in known.items() if proof is not None]
        return [*marks, *signs[::-1], *[self.end] * (known.get(history.leader) is None)]

    # Pointing

    def move_at(self, point: QPointF) -> Move | None:
        frame = self.frame
        if frame is None or not len(self._columns):
            return None
        at, x = self.place(point), frame.x
        right = int(np.clip(np.searchsorted(x, at.x()), min(1, len(x) - 1), len(x) - 1))
        left = max(0, right - 1)
        part = float(np.clip((at.x() - x[left]) / max(x[right] - x[left], 1e-12), 0.0, 1.0))
        before, after = frame.heights(frame.values(self._columns, np.array([left, right]))).T
        heights = (1 - part) * before + part * after
        distances = np.nan_to_num(np.abs(heights - at.y()) / float(self.box.viewPixelSize()[1]), nan=np.inf)
        # argmin takes the first among equals, and the most visited come first.
        nearest = int(distances.argmin())
        return self.drawn_moves[nearest] if distances[nearest] <= _NEAR else None

    def height_at(self, row: int) -> float | None:
        frame = self.frame
        if frame is None or frame.pointed is None:
            return None
        height = float(frame.heights(frame.values(np.array([frame.pointed]), np.array([row])))[0, 0])
        if np.isnan(height):
            return None
        self.point.setBrush(QBrush(self._color(frame, frame.pointed)))
        return height
