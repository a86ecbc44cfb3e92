"""The plots of one search's root moves: what they share, and the curves of the most visited moves."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPen
from PySide6.QtWidgets import QWidget

from nimdesk.games import Move
from nimdesk.games.truth import Value
from nimdesk.search.timeline import Cost
from nimdesk.ui.look.move_marks import short_words
from nimdesk.ui.look.theme import LOOK, Theme, dash
from nimdesk.ui.plots.axes import value_ticks
from nimdesk.ui.plots.canvas import FramePlot, table_row
from nimdesk.ui.plots.frame import Frame, Measure
from nimdesk.ui.plots.history import Floats, Ints, cost_words, percent
from nimdesk.ui.plots.ink import TRIANGLE, Band, Line, Marks, Picture, Shape, Words, pen, rgba

MAX_CURVES = 30
"""More lines than this cannot be told apart, and cost more than a frame."""
STRIP_HEIGHT = 0.022
"""Height of the leader strip as a part of the value axis; it stands above the top of the data."""
STRIP_GAP = 0.03
_STRIP_COLUMNS, _BAND_COLUMNS = 400, 320
_NEAR = 14.0
"""How many pixels away from a curve the mouse still points at it."""
_NARROW = 380
"""Below this width in pixels the words on the leader's end go below its name."""
_BOLD_WINS = 3
"""At most so many winning curves are drawn thicker: thick lines are slow."""

_DASHES = {
    Value.WIN: Qt.PenStyle.SolidLine,
    Value.DRAW: Qt.PenStyle.DashDotLine,
    Value.LOSS: Qt.PenStyle.DashLine,
    Value.UNKNOWN: Qt.PenStyle.DotLine,
}
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
        """Between these heights, which move led at each iteration, in the moves' colours."""
        styles = frame.moves.styles[frame.moves.leaders[frame.resampled(_STRIP_COLUMNS)]]
        shown, where = np.unique(styles, return_inverse=True)
        colors = [rgba(move_color(LOOK.theme, style, "border")) for style in shown.tolist()]
        return Picture(np.array(colors, np.uint8)[where][np.newaxis], *frame.x_range, bottom, top)

    # Read-out

    def say(self, row: int) -> None:
        frame = self.frame
        assert frame is not None
        history = frame.moves
        columns = np.argsort(-history.visits[row].astype(np.int64), kind="stable")[: self.readout.rows(self.height())]
        pointed = frame.pointed
        if pointed is not None and pointed not in columns:
            columns[-1] = pointed
        head = f"iteration <b>{int(history.iterations[row]):,}</b>"
        if frame.axis.cost is not Cost.ITERATIONS:
            head += f" · {cost_words(frame.axis.cost, float(frame.spent[row]))}"
        self.readout.say(head, [self._row_words(frame, row, int(column)) for column in columns])

    @staticmethod
    def _row_words(frame: Frame, row: int, column: int) -> str:
        history = frame.moves
        visits = int(history.visits[row, column])
        cells = [history.names[column], f"{visits:,}", percent(visits / history.totals[row])]
        if frame.measure.scored:
            cells[1:] = ["not visited"]
            mean, error = history.means[row, column], history.errors[row, column]
            if visits and frame.measure is Measure.MEAN:
                cells[1:] = [f"{mean:.3f} ± {error:.3f}"]
            elif visits:
                bound = history.bounds[row, column]
                cells[1:] = [f"{mean:.3f} + {bound - mean:.3f} = {bound:.3f}"]
        if history.proven:
            cells.append(short_words(history.proven[column]))
        color = move_color(LOOK.theme, int(history.styles[column])).name()
        return table_row(color, cells, bold=column == frame.pointed)


class CurvesPlot(MovesPlot):
    """One curve for each move, the highlighted one thick; the leader's end carries a marker with its name.

    Mean values stand in a band of their standard error, for the leader and the move pointed at; of an upper bound the
    same moves show the part that is exploration, above the line of the mean.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        nowhere = np.zeros(0)
        self._lines: dict[int, Line] = {}
        self._heights: Floats = np.zeros((0, 0))
        self.end = Marks(nowhere, nowhere, TRIANGLE, QPen(), QBrush())
        """The newest point of the leader's curve."""
        self.name = ""
        """What is written there."""
        super().__init__(parent)
        self.setAccessibleName("Visits of the moves over iterations")

    @property
    def drawn_moves(self) -> tuple[Move, ...]:
        """The moves that have a curve, most visited first."""
        return tuple(self.frame.moves.moves[column] for column in self._lines) if self.frame is not None else ()

    def curve(self, move: Move) -> Line:
        """The line of this move; ``KeyError`` if it has none."""
        assert self.frame is not None
        return self._lines[self.frame.moves.columns[move]]

    def take_look(self) -> None:
        self.point.setSize(8)
        self.point.setPen(pen(LOOK.theme.color("text")))
        super().take_look()

    # Drawing

    def draw_frame(self, frame: Frame) -> None:
        history, (bottom, top) = frame.moves, frame.y_range
        height = top - bottom
        self.name = self._leader_words(frame)
        metrics = QFontMetricsF(self.small_font(bold=True))
        self.right_room = max(metrics.horizontalAdvance(line) for line in self.name.split("\n")) + 20.0
        self.set_range(frame.axis, frame.x, frame.x_range, bottom, top + height * (STRIP_GAP + STRIP_HEIGHT))
        unit = "count" if frame.measure is Measure.VISITS else "" if frame.measure.scored else "%"
        self.y_axis.set_label(frame.measure.value)
        self.y_axis.show_ticks(value_ticks(unit, bottom, top, self.box.height()))
        some = f" · curves of the {MAX_CURVES} most visited of {len(history.moves)} moves"
        self.x_axis.set_label(f"{frame.axis.cost.value}{some if len(history.moves) > MAX_CURVES else ''}")
        columns, pointed = history.order[:MAX_CURVES], frame.pointed
        if pointed is not None and pointed not in columns:
            columns = np.append(columns, pointed)
        self._heights = frame.values(columns)
        self._lines = self._make_lines(frame, columns)
        behind, means = self._bands(frame)
        # The most visited on top, the one pointed at above all.
        lines = [line for column, line in self._lines.items() if column != pointed][::-1]
        own = [line for column, line in self._lines.items() if column == pointed]
        strip = self.strip(frame, top + height * STRIP_GAP, top + height * (STRIP_GAP + STRIP_HEIGHT))
        above = self._leader_marks(frame)
        self.ink.show_shapes([*behind, *lines, *own, *means, strip, *above])

    def _make_lines(self, frame: Frame, columns: Ints) -> dict[int, Line]:
        wins = sum(frame.moves.value(column) is Value.WIN for column in columns.tolist())
        lines = {}
        for column, heights in zip(columns.tolist(), self._heights, strict=True):
            # A value is there from the first visit on.
            first = int(np.isnan(heights).sum()) if frame.measure.scored else 0
            lines[column] = Line(frame.x[first:], heights[first:], self._pen(frame, column, wins))
        return lines

    @staticmethod
    def _pen(frame: Frame, column: int, wins: int) -> QPen:
        value, style, pointed = frame.moves.value(column), int(frame.moves.styles[column]), frame.pointed
        color, width = line_color(LOOK.theme, style, value), 1.0
        if column == pointed:
            color.setAlpha(255)
            width = 2.5
        elif value is Value.WIN and wins <= _BOLD_WINS:
            width = 1.8
        if pointed is not None and column != pointed:
            color.setAlpha(60)
        return pen(color, width, line_dash(LOOK.theme, style, value))

    def _bands(self, frame: Frame) -> tuple[list[Shape], list[Shape]]:
        """For the leader and the move pointed at: how sure the mean is, or what is exploration; and the line of means.

        The first are for behind the curves, the second for before them.
        """
        if not frame.measure.scored:
            return [], []
        history, pointed = frame.moves, frame.pointed
        columns = [history.leader] if pointed in (None, history.leader) else [history.leader, pointed]
        if frame.measure is Measure.BOUND:
            columns = columns[-1:]
        rows = frame.resampled(_BAND_COLUMNS)
        x = np.linspace(*frame.x_range, _BAND_COLUMNS)
        bands: list[Shape] = []
        means: list[Shape] = []
        for column in columns:
            assert column is not None
            color, mean = move_color(LOOK.theme, int(history.styles[column])), history.means[rows, column]
            there = ~np.isnan(mean)
            low, high = mean, mean
            if frame.measure is Measure.MEAN:
                low, high = mean - history.errors[rows, column], mean + history.errors[rows, column]
            else:
                high = history.bounds[rows, column]
                visited = ~np.isnan(history.means[:, column])
                means.append(Line(frame.x[visited], history.means[visited, column], pen(color)))
            low, high = (np.clip(edge[there], *frame.y_range) for edge in (low, high))
            bands.append(Band(x[there], low, high, color))
        return bands, means

    def _leader_words(self, frame: Frame) -> str:
        history = frame.moves
        name = history.names[history.leader]
        if not history.proven:
            return name
        return f"{name}{chr(10) if self.width() < _NARROW else ' · '}{short_words(history.proven[history.leader])}"

    def _leader_marks(self, frame: Frame) -> tuple[Marks, Words]:
        """The end of the leader's curve, and its name."""
        history, theme = frame.moves, LOOK.theme
        color = move_color(theme, int(history.styles[history.leader]), "text")
        x, y = float(frame.x[-1]), float(self._heights[0, -1])
        self.end = Marks(frame.x[-1:], np.array([y]), TRIANGLE, pen(theme.color("plot")), QBrush(color), 11.0)
        return self.end, Words(self.name, x, y, color, self.small_font(bold=True), away=9.0)

    # Pointing

    def move_at(self, point: QPointF) -> Move | None:
        frame = self.frame
        if frame is None or not self._lines:
            return None
        at, x = self.place(point), frame.x
        right = int(np.clip(np.searchsorted(x, at.x()), 1, max(1, len(x) - 1)))
        heights = self._heights[:, 0]
        if len(x) > 1:
            part = float(np.clip((at.x() - x[right - 1]) / max(x[right] - x[right - 1], 1e-12), 0.0, 1.0))
            heights = (1 - part) * self._heights[:, right - 1] + part * self._heights[:, right]
        distances = np.nan_to_num(np.abs(heights - at.y()) / float(self.box.viewPixelSize()[1]), nan=np.inf)
        # argmin takes the first among equals, and the most visited come first.
        nearest = int(distances.argmin())
        return self.drawn_moves[nearest] if distances[nearest] <= _NEAR else None

    def height_at(self, row: int) -> float | None:
        frame = self.frame
        if frame is None or frame.pointed is None or frame.pointed not in self._lines:
            return None
        height = float(self._heights[list(self._lines).index(frame.pointed), row])
        if np.isnan(height):
            return None
        self.point.setBrush(QBrush(move_color(LOOK.theme, int(frame.moves.styles[frame.pointed]))))
        return height
